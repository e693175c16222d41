"""The product asked by a process that knows nothing: no state in memory, no settings, another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from loopx.core.errors import BusyTimeoutError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_SETTINGS = "LOOPX_"
ANSWER_SECONDS = 120  # a reading takes a second at worst; a process that hangs must not hang us


def ask_fresh(argv: Sequence[str], folder: str) -> dict[str, Any]:
    """The JSON document that a new `loopx` process gives in that folder, an error's included.

    Nothing of this process's settings reaches it. UsageError where the folder cannot be entered,
    BusyTimeoutError where no answer comes.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "loopx", "--format", "json", *argv],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ANSWER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as exc:
        raise BusyTimeoutError(f"a new process gave no answer within {ANSWER_SECONDS} s", hint="Try again.") from exc
    except OSError as exc:
        raise UsageError(f"no process starts in the named folder ({exc.strerror})", hint="Name a folder.") from exc
    document: dict[str, Any] = json.loads(done.stdout)
    return document
