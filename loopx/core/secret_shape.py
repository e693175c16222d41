"""What credentials look like: one row a kind, each with the letters without which it cannot occur.

A row's pattern is compiled when a text first holds one of its letters, so that a text without any costs a
few substring searches. Every pattern is linear: it starts at a literal, and what may stand before it
leaves out all that may stand inside, so that no stretch of text is looked at from two starts.
"""

from __future__ import annotations

from loopx.core.value import Value


class Shape(Value):
    """A kind of credential; the group `secret` of its pattern, or the whole of it, is what must not leave."""

    kind: str
    letters: tuple[str, ...]  # in lower case; one of them is in every text that the pattern finds
    pattern: str


_START = r"(?<![\w-])"  # body characters, `-` included: see above
_BODY = r"[\w-]"

_PASSWORDS = r"password|passwd|passphrase|passcode|pwd"
_KEYS = (
    r"secret|token|api[ _-]?key|access[ _-]?key(?:[ _-]?id)?|account[_-]?key|private[_-]?key|secret[_-]?key"
    r"|signing[_-]?key|encryption[_-]?key|credentials?|signature|sig"
)
_ASSIGNED = r"""["']?\s{0,3}(?P<how>=>|:=|=|:)\s{0,3}(?P<value>"[^"\n]{1,512}"|'[^'\n]{1,512}'|[^\s"',;&]{3,512})"""

# fmt: off
_SERVICES = (
    "npm_", "pypi-", "hf_", "dckr_pat_", "dop_v1_", "doo_v1_", "hvs.", "gsk_", "shpat_", "lin_api_", "dapi", "sg.",
    "age-secret-key-", "xai-", "discord.com/api/webhooks/", "sntrys_", "atatt",
)
# fmt: on

SHAPES = (
    Shape(
        "private key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?s:.)*?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?s:.)*)",
    ),
    Shape(
        "aws access key",
        ("akia", "asia", "abia", "acca"),
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    ),
    Shape(
        "github token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"(?<![A-Za-z0-9_])(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{20,255}",
    ),
    Shape(
        "gitlab token",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glsoat-", "gloas-", "glimt-", "glagent-"),
        _START + r"gl(?:pat|dt|rt|ptt|cbt|ft|soat|oas|imt|agent)-[\w.-]{20,255}",
    ),
    Shape(
        "slack token",
        ("xox", "xapp-", "hooks.slack.com/"),
        _START + r"(?:xox[a-z](?:\.xox[a-z])?-[\w-]{10,255}|xapp-[\w-]{10,255}|hooks\.slack\.com/\w+/[\w/+-]{20,255})",
    ),
    Shape("anthropic key", ("sk-ant-",), _START + rf"sk-ant-{_BODY}{{16,255}}"),
    Shape(
        "openai key",
        ("sk-",),
        _START + rf"sk-(?:(?:proj|svcacct|admin|None|or-v1)-{_BODY}{{16,255}}|[A-Za-z0-9]{{20,255}}(?!{_BODY}))",
    ),
    Shape(
        "google key",
        ("aiza", "ya29.", "gocspx-"),
        _START + rf"(?:AIza{_BODY}{{35}}(?!{_BODY})|ya29\.[\w.-]{{20,512}}|GOCSPX-{_BODY}{{20,64}})",
    ),
    Shape(
        "stripe key",
        ("k_live_", "k_test_", "whsec_"),
        r"(?<![A-Za-z0-9_])(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,255}",
    ),
    Shape(
        "service token",
        _SERVICES,
        _START + r"(?:npm_[A-Za-z0-9]{30,64}|pypi-[\w-]{40,512}|hf_[A-Za-z0-9]{30,64}|dckr_pat_[\w-]{20,64}"
        r"|do[op]_v1_[a-f0-9]{40,64}|hvs\.[\w-]{20,255}|gsk_[A-Za-z0-9]{40,64}|shpat_[a-fA-F0-9]{32}"
        r"|lin_api_[A-Za-z0-9]{30,64}|dapi[a-f0-9]{32}(?![a-f0-9])|SG\.[\w-]{16,64}\.[\w-]{16,64}"
        r"|AGE-SECRET-KEY-1[0-9A-Z]{50,64}|xai-[A-Za-z0-9]{40,128}|discord\.com/api/webhooks/\d+/[\w-]{40,128}"
        r"|sntrys_[\w+/=-]{40,255}|ATATT[\w=-]{40,255})",
    ),
    Shape("json web token", ("eyj",), _START + rf"eyJ{_BODY}{{8,4096}}(?:\.{_BODY}{{0,4096}}){{2,4}}"),
    Shape(
        "authorization header",
        ("authorization", "cookie:", 'cookie":'),
        r"""(?i)\b(?:authorization|cookie)["']?\s{0,3}[:=]\s{0,3}["']?"""
        r"""(?P<secret>(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,3})?[^\s"'<>\[$]{6,4096})""",
    ),
    Shape(
        "bearer token",
        ("bearer ", "basic "),
        r"(?i)\b(?:bearer|basic)\s{1,3}(?P<secret>(?=[A-Za-z._~+/=-]{0,512}\d)[A-Za-z0-9._~+/=-]{16,4096})",
    ),
    Shape("password", ("passw", "passphrase", "passcode", "pwd"), rf"(?i)(?:{_PASSWORDS}){_ASSIGNED}"),
    Shape(
        "password",
        ("--passw", "--passphrase", " password "),
        rf"(?i)(?:--(?:{_PASSWORDS})|\blogin\s{{1,3}}\S{{1,255}}\s{{1,3}}password)(?P<how>\s{{1,3}})(?P<value>[^\s-]\S{{2,512}})",
    ),
    Shape("password", ("curl ",), r"\s(?:-u|--user)[ =]?(?P<quote>[\"']?)[^\s:]{1,255}:(?P<secret>[^\s\"'$]{3,255})"),
    Shape(
        "assigned secret",
        ("secret", "token", "key", "credential", "sig"),
        rf"(?i)(?:{_KEYS}){_ASSIGNED}",
    ),
    Shape(
        "assigned secret",
        ("--token", "--secret", "--api-key", "--apikey", "-token ", "-secret "),
        r"(?i)(?:--[\w-]{0,40}(?:token|secret|api-?key))(?P<how>\s{1,3})(?P<value>[^\s-]\S{2,512})",
    ),
)
# `user:password@` of a URL, and `user@`. A password may hold a slash; `host:80/x@y` has none.
USER_INFO = (
    r"(?<=://)(?P<user>[^\s/:@?#\"'<>]{0,256})"
    r"(?P<password>:(?!\d{1,5}/)[^\s@\"'<>]{0,256}(?:@[^\s@/\"'<>]{0,64}){0,2})?@(?=[\w.\[-])"
)
