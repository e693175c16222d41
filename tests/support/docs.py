"""The shell commands of a page, and a shell that runs them in order in one throw-away folder.

A block marked `sh` is run; what cannot run in a test is marked `text`. Lines that begin with `$ ` are
commands whose output is shown below them and compared; `…` there stands for anything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.support.cli import COMMAND, clean_environment

_FENCE = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANYTHING = re.escape("…")
_TIMEOUT_SECONDS = 300

# What the pages use of `jq -r .a.b`, for machines that have none.
_JQ = """\
#!{python}
import functools, json, sys
flag, place = sys.argv[1:]
assert flag == "-r" and place.startswith(".")
print(functools.reduce(lambda value, name: value[name], place[1:].split("."), json.load(sys.stdin)))
"""


class Step(NamedTuple):
    """A piece of shell, and the output that the page shows for it (None: whatever it prints)."""

    command: str
    shown: str | None


def steps_of(page: Path) -> list[Step]:
    """Everything that the page asks its reader to run; `make` belongs to a checkout and is left out."""
    blocks = _FENCE.findall(page.read_text(encoding="utf-8"))
    return [step for block in blocks if not block.startswith("make ") for step in _steps(block)]


def _steps(block: str) -> list[Step]:
    if not block.startswith("$ "):
        return [Step(block, None)]
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [Step(command, shown) for command, _, shown in (part.partition("\n") for part in parts)]


def run_steps(steps: list[Step], folder: Path) -> list[str]:
    """What each step printed. AssertionError where one without shown output fails."""
    work, outputs = folder / "work", folder / "outputs"
    work.mkdir()
    outputs.mkdir()
    lines = ["set -u"]
    for number, step in enumerate(steps):
        lines.append("set -e" if step.shown is None else "set +e")  # what a shown command says tells enough
        lines.append(f"{{ {step.command.rstrip()}\n}} > '{outputs}/{number}' 2>&1")
    script = "\n".join((*lines, "exit 0"))
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=work,
        env=_environment(folder),
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_SECONDS,
    )
    printed = [path.read_text(encoding="utf-8") for path in sorted(outputs.iterdir(), key=lambda path: int(path.name))]
    assert done.returncode == 0, f"{done.stderr}\n{steps[len(printed) - 1].command}\n{printed[-1]}"
    return printed


def _environment(folder: Path) -> dict[str, str]:
    """The command first on the path, behind a `jq` that is always there, and no settings of anybody's git."""
    tools = folder / "tools"
    tools.mkdir()
    jq = tools / "jq"
    jq.write_text(_JQ.format(python=sys.executable), encoding="utf-8")
    jq.chmod(0o755)
    path = os.pathsep.join((str(tools), str(Path(COMMAND).parent), os.environ["PATH"]))
    return clean_environment({"PATH": path})


def is_as_shown(printed: str, shown: str) -> bool:
    """Whether the output is what the page shows, up to spaces that only align."""
    pattern = re.escape(_plain(shown)).replace(_ANYTHING, ".*")
    return re.fullmatch(pattern, _plain(printed), re.DOTALL) is not None


def _plain(text: str) -> str:
    return "\n".join(re.sub(" +", " ", line).strip() for line in text.strip().split("\n"))
