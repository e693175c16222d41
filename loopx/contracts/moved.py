"""The marker in a state folder whose state was moved to a database server, and the refusal that it causes."""

from __future__ import annotations

import json
import os

from loopx.core.errors import StateMovedError
from loopx.core.layout import MOVED_FILE


def marker(address: str) -> bytes:
    """The file that says where the state is now; the address has no password."""
    return json.dumps({"address": address}, indent=2).encode() + b"\n"


def refuse_moved(folder: str) -> None:
    """StateMovedError where the state of this folder was moved away; a marker that cannot be read counts as one."""
    path = os.path.join(folder, MOVED_FILE)
    if not os.path.lexists(path):
        return
    address = _address(path)
    raise StateMovedError(
        f"the state of this project is on a database server now: {address}",
        hint="Set LOOPX_DATABASE_URL to that address, with a password of your own.",
        address=address,
    )


def _address(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return str(json.load(file)["address"])
    except (OSError, ValueError, KeyError, TypeError):
        return "one that its marker does not name"
