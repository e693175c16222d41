"""The address of a server: understood before it is used, and shown without what is secret in it."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import psycopg
from psycopg.conninfo import conninfo_to_dict

from loopx.core.errors import UsageError

_SECRET = ("password", "sslpassword")


def parts_of(url: str) -> dict[str, str]:
    """What the address says, by libpq's names. UsageError, which quotes nothing of it: it may be a secret."""
    _, _, rest = url.partition("://")
    try:
        if rest.partition("/")[0].count("@") > 1:
            raise _unreadable()
        return {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except (psycopg.ProgrammingError, UnicodeError):
        raise _unreadable() from None


def shown(url: str) -> str:
    """The address as people may see it and use it again with a password of their own."""
    parts = {name: value for name, value in parts_of(url).items() if name not in _SECRET}
    user, host, port = (parts.pop(name, "") for name in ("user", "host", "port"))
    if host.startswith("/") or "," in host:
        parts["host"], host = host, ""
        parts |= {"port": port} if port else {}
        port = ""
    who = f"{quote(user)}@" if user else ""
    place = f"{host}:{port}" if port else host
    name = quote(parts.pop("dbname", ""))
    query = f"?{urlencode(parts, quote_via=quote)}" if parts else ""
    return f"postgresql://{who}{place}/{name}{query}"


def _unreadable() -> UsageError:
    return UsageError(
        "the address of the database server cannot be read",
        hint="Write postgresql://USER@HOST/DATABASE; in a password every sign but letters and digits as %XX.",
    )
