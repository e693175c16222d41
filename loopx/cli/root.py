"""The root command, and the only place where errors become text or JSON."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from loopx.cli.context import Invocation, Ports
from loopx.cli.declare import Group
from loopx.cli.output import OutputLostError, emit, emit_error, write_note
from loopx.cli.parse import Parsed, parse
from loopx.core.errors import LoopxError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CLOSED_PIPE = 141
OUTPUT_LOST = 6  # a storage fault like any other
INTERRUPTED = 130

FAMILIES = {
    "init": ("loopx.cli.init", "Make a project's state folder."),
    "where": ("loopx.cli.where", "Which state is used, and how it was found."),
    "demo": ("loopx.cli.demo", "The worked example on a throw-away project."),
    "goal": ("loopx.cli.goal", "Goals: add, list, show, update, pause, resume, close, reopen, accept."),
    "agent": ("loopx.cli.agent", "Equal peers: register, list, retire."),
    "authority": ("loopx.cli.authority", "Grants over peers' claimed todos."),
    "todo": ("loopx.cli.todo", "The work graph."),
    "task-lease": ("loopx.cli.task_lease", "Hard ownership for a time."),
    "gate": ("loopx.cli.gate", "Decisions that wait for a person."),
    "inbox": ("loopx.cli.inbox", "What waits for a person."),
    "monitor": ("loopx.cli.monitor", "Read-only looks at the outside."),
    "fact": ("loopx.cli.fact", "What is so outside."),
    "pool": ("loopx.cli.pool", "Resources of which a limited number may be leased."),
    "refresh-state": ("loopx.cli.refresh_state", "Write a run back: evidence, validation, workspace."),
    "handoff": ("loopx.cli.handoff", "Recovery packets for the next peer."),
    "material": ("loopx.cli.material", "What agents must have read."),
    "quota": ("loopx.cli.quota", "What may run now, and what it costs."),
    "message": ("loopx.cli.message", "Mail between agents and their person."),
    "plan": ("loopx.cli.plan", "Plans that wait for an answer."),
    "worker": ("loopx.cli.worker", "An agent that finds ready work by itself."),
    "team": ("loopx.cli.team", "A lead and its workers: run, watch, shut down."),
    "status": ("loopx.cli.status", "The goal at a glance."),
    "board": ("loopx.cli.board", "A goal's lanes in the terminal, with answers to gates."),
    "dashboard": ("loopx.cli.dashboard", "Goals, questions, board and graph as a web page."),
    "replay": ("loopx.cli.replay", "The todos as they were at any time."),
    "undo": ("loopx.cli.undo", "Take an operation back that nothing builds on."),
    "backup": ("loopx.cli.backup", "A verified copy of the state in one file."),
    "store": ("loopx.cli.store", "Where the state is kept: files here, or a server for several machines."),
    "restore": ("loopx.cli.restore", "Bring a backup back; what it replaces is kept."),
    "doctor": ("loopx.cli.doctor", "Is the state sound, and does anything wait for ever?"),
    "log": ("loopx.cli.log", "What happened, newest last."),
    "import": ("loopx.cli.import_", "Take work over from other tools, or from an export."),
    "export": ("loopx.cli.export", "The work graph as a file that lies in a repository."),
    "merge": ("loopx.cli.merge", "Merge two exports, also as a git merge driver."),
    "schema": ("loopx.cli.schema", "The contracts of every JSON document."),
    "mcp": ("loopx.cli.mcp", "Serve an agent's tools over standard input and output (MCP)."),
    "setup": ("loopx.cli.setup", "Connect an agent's program with this project."),
    "prime": ("loopx.cli.prime", "What a session begins with: the decision first."),
    "completion": ("loopx.cli.completion", "Shell completion for bash, zsh and fish."),
}

ROOT = Group(
    name="loopx",
    help="A control plane for long-running agents: goals, work graph, gates, leases, decisions.",
    members=FAMILIES,
    example="loopx quota should-run --goal-id ship --agent-id agent-a --format json",
)


def main(argv: Sequence[str], *, ports: Ports | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Run one command and return its exit code; output goes to the standard streams."""
    invocation = Invocation.of(os.environ if environment is None else environment, ports)
    invocation.options["format"] = typed_format(argv) or invocation.settings.format
    try:
        invocation.check_settings()
        return _run(invocation, argv)
    except (BrokenPipeError, OutputLostError) as exc:
        return _report_lost(exc)
    except (KeyboardInterrupt, EOFError):
        return INTERRUPTED
    except LoopxError as exc:
        return _report(invocation, exc)
    except Exception as exc:  # noqa: BLE001 - the one place where a bug is reported
        return _report_bug(invocation, exc)
    finally:
        invocation.close()


def typed_format(argv: Sequence[str]) -> str | None:
    """The `--format` of an argv that need not parse, so that even usage errors come in that format."""
    for at, word in enumerate(argv):
        if word == "--":
            return None
        if word.startswith("--format="):
            return word.removeprefix("--format=")
        if word == "--format" and at + 1 < len(argv):
            return argv[at + 1]
    return None


def _run(invocation: Invocation, argv: Sequence[str]) -> int:
    call = parse(ROOT, argv)
    if call is None:
        from loopx.cli.clickside import parse_with_click

        answered = parse_with_click(ROOT, argv)
        if isinstance(answered, int):
            return answered
        call = answered
    return _answer(invocation, call)


def _answer(invocation: Invocation, call: Parsed) -> int:
    """Ask the command's use case and show its document."""
    invocation.options |= call.kept
    invocation.parameters = call.parameters
    document = call.command.handler(invocation, **call.parameters)
    if document is None:
        return 0
    exit_code = int(document.pop("_exit_code", 0))
    emit(invocation, document)
    return exit_code


def _report(invocation: Invocation, error: LoopxError) -> int:
    try:
        emit_error(invocation, error)
    except (BrokenPipeError, OutputLostError) as exc:
        return _report_lost(exc)
    return error.exit_code


def _report_lost(exc: BrokenPipeError | OutputLostError) -> int:
    """A reader that went away is no fault; an answer that nobody can get is one, said where it can be."""
    _silence_stdout()
    if isinstance(exc, BrokenPipeError):
        return CLOSED_PIPE
    write_note(f"loopx: standard output took no more bytes ({exc}); `loopx log` shows what was done")
    return OUTPUT_LOST


def _report_bug(invocation: Invocation, exc: Exception) -> int:
    import traceback

    write_note("".join(traceback.format_exception(exc)).rstrip())
    return _report(invocation, LoopxError(f"a bug in loopx: {exc}", hint="Please report the traceback."))


def _silence_stdout() -> None:
    """Nothing more can be written; keep the interpreter from trying at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
