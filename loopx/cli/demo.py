"""`loopx demo`: the worked example on a throw-away project, told step by step."""

from __future__ import annotations

import io
import json
import tempfile
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from loopx.cli.declare import flag
from loopx.cli.demo_script import SCRIPT, Step
from loopx.cli.verb import verb
from loopx.core.command import command

if TYPE_CHECKING:
    from loopx.cli.context import Invocation, Ports
    from loopx.cli.output import Document

DEMO_SCHEMA = "demo_v1"


@verb("demo", example="loopx demo")
@flag("--team", help="A lead and two workers instead, in processes of their own.")
def cli(invocation: Invocation, team: bool) -> Document:
    """A blocked P0, a question for a person, an independent P1 and two peers, until nothing is left."""
    with tempfile.TemporaryDirectory(prefix="loopx-demo-") as folder:
        steps = _play(_team_script(), folder, None) if team else _play(SCRIPT, folder, invocation.real_ports())
    return {"schema_version": DEMO_SCHEMA, "ok": True, "steps": steps}


def _team_script() -> tuple[Step, ...]:
    from loopx.cli.demo_team_script import TEAM_SCRIPT

    return TEAM_SCRIPT


def _play(script: tuple[Step, ...], folder: str, ports: Ports | None) -> list[Document]:
    kept: dict[str, str] = {}
    played = []
    for number, step in enumerate(script, 1):
        argv = [word.format_map(kept) if word.startswith("{") else word for word in step.argv]
        exit_code, answer = _ask(argv, folder, ports)
        kept |= {name: str(_at(answer, place)) for name, place in step.keeps}
        played.append(
            {
                "step": number,
                "story": step.story,
                "command": command(*argv),
                "exit_code": exit_code,
                "shown": {place: _at(answer, place) for place in step.shows},
                "answer": answer,
            }
        )
    return played


def _ask(argv: list[str], folder: str, ports: Ports | None) -> tuple[int, Document]:
    """Run one command on the demo's project, through the same door as everybody; without ports under real time."""
    from loopx.cli.root import main

    out = io.StringIO()
    with redirect_stdout(out):
        exit_code = main(["--format", "json", *argv], ports=ports, environment={"LOOPX_PROJECT": folder})
    answer: Document = json.loads(out.getvalue())
    if exit_code != 0:
        raise AssertionError(f"{command(*argv)} ended with {exit_code}: {answer}")
    return exit_code, answer


def _at(document: Any, place: str) -> Any:
    """What stands at a dotted place of a document."""
    for name in place.split("."):
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document
