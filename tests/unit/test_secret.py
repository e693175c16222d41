"""Credentials by shape: realistic samples are found, what only resembles them is not.

The samples are put together from pieces, so that no scanner of repositories takes this file for a leak.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.secret import find_secrets, masked

_ALNUM = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"
_HEX = "0123456789abcdef"

SECRETS = {
    "aws access key": ("AK" + "IAIOSFODNN7EXAMPLE", "AS" + "IAY34FZKBOKMUTVV7A"),
    "github token": ("gh" + "p_" + _ALNUM + "abcd", "gh" + "s_" + _ALNUM + "1234", "github" + "_pat_" + _ALNUM),
    "gitlab token": ("gl" + "pat-" + _ALNUM[:20],),
    "slack token": (
        "xo" + "xb-123456789012-" + _ALNUM,
        "xa" + "pp-1-A0123-456-" + _ALNUM,
        "hooks.slack" + ".com/services/T000/B000/" + _ALNUM,
    ),
    "openai key": ("sk" + "-proj-" + _ALNUM + "_-x", "sk" + "-" + _ALNUM),
    "anthropic key": ("sk" + "-ant-api03-" + _ALNUM + "-AA",),
    "google key": ("AI" + "zaSy" + _ALNUM + "x", "ya" + "29." + _ALNUM, "GOC" + "SPX-" + _ALNUM),
    "stripe key": ("sk" + "_live_" + _ALNUM, "wh" + "sec_" + _ALNUM),
    "service token": (
        "np" + "m_" + _ALNUM + "abcd",
        "py" + "pi-AgEIcHlwaS5vcmc" + _ALNUM,
        "h" + "f_" + _ALNUM,
        "hv" + "s." + _ALNUM,
        "do" + "p_v1_" + _HEX * 4,
        "S" + "G." + _ALNUM[:22] + "." + _ALNUM,
        "dckr" + "_pat_" + _ALNUM,
    ),
    "json web token": ("ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxIn0." + _ALNUM,),
    "private key": (
        "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIE\nabc+/=\n-----END RSA PRIVATE" + " KEY-----",
        "-----BEGIN OPENSSH PRIVATE" + " KEY-----\\nb3BlbnNz\\n-----END OPENSSH PRIVATE" + " KEY-----",
        "-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\nlQOY and no end",
    ),
}
# What stands around the secret, and the secret.
ASSIGNED = (
    ("Authorization: {}", "Bearer abcdef"),
    ('"authorization": "{}"', "Basic dXNlcjpwYXNz"),
    ("send bearer {}", "mF_9.B5f-4.1JqM0x"),
    ("password={}", "hunter2"),
    ("password={}", "swordfish"),
    ("password: {}", "hunter2"),
    ('password: "{}"', "correct-horse-battery"),
    ("PGPASSWORD='{}'", "two words"),
    ("DB_PASSWD={} make", "x9!k"),
    ("login --password {} now", "hunter2"),
    ("machine h login me password {}", "hunter2"),
    ("curl -u me:{} https://example.com", "hunter2"),
    ("api_key={}", "0a1b2c3d4e5f"),
    ("X-Api-Key: {}", "0a1b2c3d4e5f"),
    ("aws_secret_access_key = {}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AccountKey={};x", "abc123def456=="),
    ("Server=db;Password={};Encrypt=yes", "Str0ng!Pass"),
    ("https://example.com/?access_token={}&x=1", "0a1b2c3d4e5f"),
    ('{{"client_secret": "{}"}}', "0a1b2c3d4e5f"),
    ("tool --auth-token {}", "0a1b2c3d4e5f"),
    ("Cookie: {}", "session=0a1b2c3d"),
)
NO_SECRETS = (
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:" + _HEX * 4,
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "todo_0123456789 lease_abcdefghij",
    "git:github.com/example/project",
    "https://example.com/a?page=2",
    "http://localhost:8000/package@1.2.3",
    "https://example.com/@alice/post",
    "git@github.com:example/project.git",
    "alice@example.com",
    "v1.2.3-rc.1+build.5",
    "src/token/secret_key.py",
    "password: required",
    "password=$PASSWORD",
    "password=${DB_PASSWORD}",
    "password=<your password>",
    "password=None",
    "password=getpass()",
    "password=self.password",
    'password=os.environ["X"]',
    "password: the field must be checked",
    "token: str",
    "token=token",
    "max_tokens=4096",
    "tokens: 120000000",
    "token_count=12345678",
    "secret: handled by the vault",
    "the key: a short explanation",
    "the token: todo_0123456789",
    "bearer authentication-mechanisms",
    "basic understanding_of_things",
    "sk-learn-pipeline-feature-extraction-9",
    "task-0123456789abcdefghijklmn",
    "the AKIA prefix",
    "ghp_ is a prefix",
    "-----BEGIN PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----",
    "eyJ is how they start",
    "Rotate the password",
    "docker run -u 1000:1000 image",
)
# fmt: off
PIECES = (
    "password", "token", "secret", "=", ":", " ", '"', "'", "://", "@", "a1", "/home/", "[", "]", "Bearer ", "eyJ", ".",
    "sk-", "-----BEGIN PRIVATE KEY-----", "\n", "Authorization: ", "x" * 20, "9" * 20,
)
HOSTILE = (
    "/home/a ", ":/a", '"/home/a', "://a:", "eyJ-", "sk-", 'password:"', "Bearer ", "/", "\\", "~a/", "C:\\a ", " A/",
    "-----BEGIN PRIVATE KEY-----", "authorization: ", "xox-", "--token ", "glpat-", "curl -u a:", "login a password ",
    "a", "secretsecret", "token: ", "AKIA", "hf_", "SG.", "basic 1",
)
# fmt: on
FRAMES = ("{}", "set {} now", '"{}"', "({})", "`{}`", "k={}", "a\n{}\nb")


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("kind", "secret"), [(kind, each) for kind, some in SECRETS.items() for each in some])
def test_a_credential_of_a_known_shape_is_found_wherever_it_stands(kind: str, secret: str, frame: str) -> None:
    if secret.endswith("no end"):
        frame = "x {}"  # what is cut off runs to the end of the text
    assert [finding.kind for finding in find_secrets(frame.format(secret))] == [kind]
    assert masked(frame.format(secret)) == frame.format(f"[secret: {kind}]")


@pytest.mark.parametrize(("frame", "secret"), ASSIGNED)
def test_what_a_telling_name_is_set_to_is_a_credential(frame: str, secret: str) -> None:
    shown = masked(frame.format(secret))
    assert find_secrets(frame.format(secret))
    assert secret not in shown
    assert shown.startswith(frame.partition("{}")[0].replace("{{", "{"))


@pytest.mark.parametrize("text", NO_SECRETS)
def test_what_only_resembles_a_credential_stays(text: str) -> None:
    assert find_secrets(text) == ()
    assert masked(text) == text


@pytest.mark.parametrize(
    ("url", "shown", "told"),
    [
        ("https://me:pw1@example.com/x", "https://example.com/x", True),
        ("postgres://app:p@ss@db.example.com:5432/a", "postgres://db.example.com:5432/a", True),
        ("redis://:pw1@h:6379", "redis://h:6379", True),
        ("https://me:pa/ss@example.com/x", "https://example.com/x", True),
        ("ssh://git@example.com/x", "ssh://example.com/x", False),
    ],
)
def test_a_url_loses_its_user_part_and_its_password_is_a_credential(url: str, shown: str, told: bool) -> None:
    assert masked(f"at {url} now") == f"at {shown} now"
    assert bool(find_secrets(url)) is told


def test_no_finding_repeats_the_secret() -> None:
    for kind, some in SECRETS.items():
        for secret in some:
            assert secret not in repr(find_secrets(secret))
            assert kind in repr(find_secrets(secret))


@given(
    st.lists(
        st.sampled_from(PIECES),
        max_size=30,
    ).map("".join)
)
def test_findings_are_ordered_apart_and_masking_settles(text: str) -> None:
    end = 0
    for finding in find_secrets(text):
        assert end <= finding.start <= finding.end <= len(text)
        end = finding.end
    once = masked(text)
    assert masked(once) == once


@pytest.mark.parametrize(
    "piece",
    HOSTILE,
)
def test_the_work_on_hostile_text_grows_with_its_length(piece: str) -> None:
    """Twenty thousand characters take a moment; a rule that looks back would take minutes and time out."""
    text = piece * (20_000 // len(piece))
    assert len(masked(text)) <= 8 * len(text)
