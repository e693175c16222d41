"""The wheel as people install it: with every extra, in a fresh environment of every Python that is on this machine.

`make wheel-matrix` builds once and then, for each interpreter and each set of extras, installs from the package index,
runs the demo and asks for the one command that the extra is for. It takes minutes and needs the index, so it is no
part of the suite; `tests/integration/test_wheel.py` installs the base and one extra.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST, NEWEST = 11, 14  # minor versions that pyproject.toml names
_TIMEOUT_SECONDS = 900


def extras() -> list[str]:
    """What may stand in brackets, without what only developers need; the empty one first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return ["", *sorted(name for name in project["optional-dependencies"] if name != "dev")]


def interpreters() -> list[str]:
    """A Python of each supported version that is on the path and starts."""
    found = {}
    for minor in range(OLDEST, NEWEST + 1):
        for candidate in _candidates(f"python3.{minor}"):
            if minor not in found and _answers(candidate, f"3.{minor}"):
                found[minor] = candidate
    return list(found.values())


def _candidates(name: str) -> Iterator[str]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        if path := shutil.which(name, path=folder):
            yield path
    yield from map(str, sorted(Path.home().glob(f".pyenv/versions/3.*/bin/{name}")))


def _answers(python: str, version: str) -> bool:
    """Whether it starts, is that version and can make environments; a shim may name one that is not there."""
    script = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([python, "-c", script], capture_output=True, check=False, encoding="utf-8")
    return done.returncode == 0 and done.stdout.strip() == version


def build(folder: Path) -> Path:
    """The wheel of this checkout."""
    _run([sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)])
    (wheel,) = folder.glob("loopx-*.whl")
    return wheel


def install_and_ask(python: str, wheel: Path, extra: str, folder: Path) -> str:
    """Install it there and use it; the Python's full version. CalledProcessError."""
    _run([python, "-m", "venv", str(folder)])
    own = folder / "bin" / "python"
    _run([str(own), "-m", "pip", "install", "--quiet", f"{wheel}[{extra}]" if extra else str(wheel)])
    command = str(folder / "bin" / "loopx")
    _run([command, "--version"], cwd=folder)
    _run([command, "demo", "--format", "json"], cwd=folder)
    _run([command, "completion", "bash"], cwd=folder)
    _run([str(own), "-c", "import loopx; loopx.ControlPlane"], cwd=folder)
    if not (folder / "share" / "man" / "man1" / "loopx.1").exists():
        raise SystemExit(f"{python}: the manual page was not installed")
    if extra in _MODULES:
        _run([str(own), "-c", f"import {_MODULES[extra]}"], cwd=folder)
    return re.sub(r"\s", " ", _run([str(own), "-V"])).strip()


_MODULES = {"mcp": "loopx.mcp.server", "web": "loopx.web.site", "tui": "loopx.tui", "chat": "loopx.team.chat"}


def _run(argv: list[str], cwd: Path | None = None) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("LOOPX_", "PYTHON"))}
    done = subprocess.run(
        argv,
        cwd=cwd,
        env=env,
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=_TIMEOUT_SECONDS,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode != 0:
        raise subprocess.CalledProcessError(done.returncode, argv, done.stdout, done.stderr)
    return done.stdout


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extra", action="append", help="only this one; repeatable; '' is the base")
    chosen = parser.parse_args(argv).extra or extras()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="loopx-wheel-") as place:
        wheel = build(Path(place))
        print(f"{wheel.name}: {wheel.stat().st_size:,} bytes")
        for python in interpreters():
            for extra in chosen:
                environment = Path(place) / "environment"
                shutil.rmtree(environment, ignore_errors=True)
                try:
                    version = install_and_ask(python, wheel, extra, environment)
                    print(f"ok      {version} loopx[{extra}]", flush=True)
                except subprocess.CalledProcessError as exc:
                    failed += 1
                    print(
                        f"FAILED  {python} loopx[{extra}]\n  {exc.cmd}\n{exc.stdout[-2000:]}{exc.stderr[-2000:]}",
                        flush=True,
                    )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
