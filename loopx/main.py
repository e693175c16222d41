"""The entry point: the version before any import, everything else through the root command."""

from __future__ import annotations

import sys

from loopx import __version__


def run() -> None:
    """Run the command line and leave with its exit code."""
    argv = sys.argv[1:]
    if argv == ["--version"]:
        sys.stdout.write(f"loopx {__version__}\n")
        return
    import gc

    gc.disable()  # a call lives for milliseconds; collecting costs more than it frees
    from loopx.cli.root import main

    code = main(argv)
    _leave(code)


def _leave(code: int) -> None:
    """Leave at once: the state is closed and the streams are flushed, the interpreter need not tidy up."""
    import os

    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (BrokenPipeError, OSError, ValueError):
        code = code or 141
    os._exit(code)
