"""Who may ask: whoever holds this launch's token, from this machine's own addresses, for this page's own origin.

Against DNS rebinding the `Host` must be an address that we listen on; against requests of other sites the
browser's own words (`Origin`, `Sec-Fetch-*`) are held against it; a write needs a proof from our page besides.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from loopx.ports import TokenSource

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
READS = ("GET", "HEAD")
BODY_LIMIT_BYTES = 64 * 1024  # a decision and its note


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a request gets no answer, in words that name nothing of the project."""

    status: int
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The addresses and the secrets of one launch. `opener` works once, for a browser that we start ourselves."""

    port: int
    names: frozenset[str]  # of this machine; an address in digits is taken besides where we are exposed
    is_exposed: bool
    token: str
    opener: str
    session: str  # what the cookie holds, so that the token of the address bar is not sent with every request
    proof: str  # what our own forms send along

    @property
    def cookie(self) -> str:
        """Cookies know no ports: two dashboards of one machine must not take each other's."""
        return f"loopx_{self.port}"

    def refusal(self, method: str, path: str, headers: Mapping[str, str]) -> Refusal | None:
        """What speaks against the request, before anything of it is read; None where nothing does."""
        if not self.is_own_host(headers.get("host", "")):
            return _FOREIGN_HOST
        if method not in (*READS, "POST"):
            return METHOD
        if _comes_from_elsewhere(headers) and not _is_navigation(method, headers):
            return _FOREIGN_SITE
        if is_public(path):
            return None if method in READS else METHOD
        if not self.is_session(headers.get("cookie", "")):
            return _NO_SESSION
        return self._write_refusal(headers) if method == "POST" else None

    def is_own_host(self, host: str) -> bool:
        """Whether the `Host` names this machine and our port: nobody can point a name of theirs at us."""
        name, _, port = host.lower().rpartition(":")
        if not name and self.port == 80:
            name, port = port, "80"
        if port != str(self.port):
            return False
        return name in self.names or (self.is_exposed and _is_address(name))

    def is_session(self, cookies: str) -> bool:
        """Whether the cookie is the one that we gave."""
        try:
            morsel = SimpleCookie(cookies).get(self.cookie)
        except CookieError:
            return False
        return morsel is not None and is_same(morsel.value, self.session)

    def _write_refusal(self, headers: Mapping[str, str]) -> Refusal | None:
        if headers.get("origin") != f"http://{headers['host']}":
            return _FOREIGN_ORIGIN
        if headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
            return _BODY_TYPE
        length = headers.get("content-length", "")
        if "transfer-encoding" in headers or not (length.isascii() and length.isdecimal()):
            return _NO_LENGTH
        return _TOO_LONG if len(length) > 9 or int(length) > BODY_LIMIT_BYTES else None


def new_access(tokens: TokenSource, *, host: str, port: int, machine: str, is_exposed: bool) -> Access:
    """Fresh secrets for a launch that listens there."""
    named = f"[{host}]" if ":" in host else host
    own = (machine.lower(), f"{machine.lower()}.local", named.lower()) if is_exposed else ()
    return Access(
        port=port,
        names=frozenset((*LOOPBACK_NAMES, *own)),
        is_exposed=is_exposed,
        token=tokens.token(),
        opener=tokens.token(),
        session=tokens.token(),
        proof=tokens.token(),
    )


def is_public(path: str) -> bool:
    """What anybody on this machine may load: the door, and the assets that are in every installation."""
    return path == "/enter" or path.startswith("/static/")


def is_same(given: str, known: str) -> bool:
    """Compared in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), known.encode("utf-8"))


def _is_address(name: str) -> bool:
    try:
        ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _comes_from_elsewhere(headers: Mapping[str, str]) -> bool:
    return headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")


def _is_navigation(method: str, headers: Mapping[str, str]) -> bool:
    """A link on another page may lead here; the strict cookie stays away, so it shows the door and nothing else."""
    how = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return method in READS and how == ("navigate", "document")


_FOREIGN_HOST = Refusal(
    status=421,
    title="Not this address",
    text="The request names a host that this dashboard does not listen on. Open the address that it printed.",
)
METHOD = Refusal(status=405, title="Not this way", text="This page is read, or answered with its own form.")
_FOREIGN_SITE = Refusal(status=403, title="Not from here", text="Another site asked for this page. Open it directly.")
_FOREIGN_ORIGIN = Refusal(
    status=403, title="Not from here", text="An answer is sent from the dashboard's own page and from nowhere else."
)
_NO_SESSION = Refusal(
    status=401,
    title="This page needs its key",
    text="Open the whole address that `loopx dashboard` printed; it holds the key of this launch.",
)
_BODY_TYPE = Refusal(status=415, title="Not a form", text="An answer is a form; nothing else is read.")
_NO_LENGTH = Refusal(status=411, title="No length", text="The request does not say how long it is.")
_TOO_LONG = Refusal(
    status=413, title="Too long", text=f"An answer and its note have at most {BODY_LIMIT_BYTES // 1024} KiB."
)
NO_PAGE = Refusal(status=404, title="No such page", text="The overview has a link to every page.")
STALE_FORM = Refusal(
    status=403,
    title="This form is not of this launch",
    text="Nothing was recorded. Load the page again and answer there.",
)
