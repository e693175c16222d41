"""The entry point: the version before any import, everything else through the root command."""

from __future__ import annotations

import sys

from loopx import __version__


def run() -> None:
    """Run the command line and leave with its exit code."""
    argv = sys.argv[1:]
    if argv == ["--version"] and sys.stdout is not None:
        _leave(_show_version())
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _fill_closed_places()
    import gc

    gc.disable()  # a call lives for milliseconds; collecting costs more than it frees
    from loopx.cli.root import main

    code = main(argv)
    _leave(code)


def _show_version() -> int:
    try:
        sys.stdout.write(f"loopx {__version__}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        return 141
    except OSError as exc:
        sys.stderr.write(f"loopx: standard output took no more bytes ({exc.strerror})\n")
        return 6
    return 0


def _fill_closed_places() -> None:
    """Let no file of the state be opened in the place of a closed stream, where a stray word would reach it."""
    import os

    while os.open(os.devnull, os.O_RDWR) <= 2:
        pass


def _leave(code: int) -> None:
    """Leave at once: the state is closed and the streams are flushed, the interpreter need not tidy up."""
    import os

    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            code = code or 141
    os._exit(code)
