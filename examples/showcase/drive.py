"""What the showcase scripts share: one throw-away project, driven through the installed command in JSON mode.

A script asserts what it claims: a refusal that does not come, or an answer that says something else, ends
it with an error. `Lab` takes the way in which the command is asked, so that a test can ask without a
process for each step.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Document = dict[str, Any]
Ask = Callable[[list[str]], tuple[int, str]]  # the words after `loopx` → exit code and standard output
End = Callable[["Lab"], None]

REPOSITORY = "git:github.com/example/project"


def ask_process(argv: list[str]) -> tuple[int, str]:
    """Ask the command that is on PATH, or the one that LOOPX names."""
    program = shlex.split(os.environ.get("LOOPX", "loopx"))
    done = subprocess.run([*program, *argv], stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    return done.returncode, done.stdout


class Lab:
    """One project with one goal; every method asks the command and checks the answer."""

    def __init__(self, folder: Path, goal_id: str, ask: Ask = ask_process) -> None:
        self.folder, self.goal_id, self._ask = folder, goal_id, ask

    # --- asking -----------------------------------------------------------------------------

    def ok(self, *argv: str) -> Document:
        """The answer of a call that must succeed."""
        code, document = self._document(argv)
        expect(code == 0 and document["ok"], f"$ loopx {shlex.join(argv)}\nexit {code}: {document}")
        return document

    def refused(self, error_code: str, *argv: str) -> None:
        """A call that a rule must refuse, with that code."""
        code, document = self._document(argv)
        wanted = code not in (0, 1) and not document["ok"] and document["error"]["code"] == error_code
        expect(wanted, f"$ loopx {shlex.join(argv)}\nshould be refused with {error_code}; exit {code}: {document}")

    def _document(self, argv: tuple[str, ...]) -> tuple[int, Document]:
        code, out = self._ask(["--format", "json", "--project", str(self.folder), *argv])
        document: Document = json.loads(out)
        return code, document

    # --- setting up -------------------------------------------------------------------------

    def start(self, objective: str, acceptance: str, agents: Mapping[str, tuple[str, ...]]) -> None:
        """The project, its goal with one criterion (A1), and its agents with what they can do."""
        self.ok("init", "--goal-id", self.goal_id, "--objective", objective, "--acceptance", acceptance)
        for agent, capabilities in agents.items():
            given = [word for capability in capabilities for word in ("--capability", capability)]
            self.ok("agent", "register", "--agent-id", agent, *given)

    def work(self, text: str, *options: str) -> str:
        """A new piece of work; its id."""
        return self._added("--role", "agent", "--text", text, *options)

    def monitor(self, text: str, *options: str) -> str:
        """Something outside that is looked at, and not before tomorrow unless it moves; its id."""
        lane = ("--task-class", "continuous_monitor", "--poll-every", "1h", "--next-due-at", "in:24h")
        return self._added("--role", "agent", *lane, "--text", text, *options)

    def gate(self, question: str, scope: str, *, blocks: str, unblocks: str) -> str:
        """A question that only a person answers; its id."""
        lane = ("--task-class", "user_gate", "--decision-scope", scope, "--blocks-agent", blocks)
        return self._added("--role", "user", *lane, "--unblocks-todo-id", unblocks, "--text", question)

    def _added(self, *options: str) -> str:
        return str(self.ok("todo", "add", *options)["todo"]["todo_id"])

    # --- working ----------------------------------------------------------------------------

    def todo(self, todo_id: str) -> Document:
        """Everything that is stored of a todo."""
        return dict(self.ok("todo", "show", todo_id)["todo"])

    def claim(self, agent: str, todo_id: str) -> None:
        """Say that the agent is on it."""
        self.ok("todo", "claim", todo_id, "--claimed-by", agent)

    def complete(self, agent: str, todo_id: str, evidence: str, *options: str) -> list[str]:
        """Close work with its evidence; the ids of what follows."""
        done = self.ok("todo", "complete", todo_id, "--claimed-by", agent, "--evidence", evidence, *options)
        return list(done["successors"])

    def finish(self, agent: str, todo_id: str, evidence: str, why_nothing_follows: str, *options: str) -> None:
        """Close work after which nothing comes, and say why."""
        self.complete(agent, todo_id, evidence, "--no-follow-up", "--reason", why_nothing_follows, *options)

    def noticed(self, agent: str, monitor: str, evidence: str, next_todo: str, *options: str) -> str:
        """The outside moved: record it, and the new work that it asks for; the new todo's id."""
        polled = self.ok(
            "monitor", "poll", monitor, "--agent-id", agent, "--result", "changed",
            "--evidence", evidence, "--next-agent-todo", next_todo, *options,
        )  # fmt: skip
        (successor,) = polled["successors"]
        return str(successor)

    def answer(self, gate: str, decision: str, note: str) -> None:
        """The person decides."""
        self.ok("gate", "answer", gate, "--decision", decision, "--note", note)

    # --- claims about the graph -------------------------------------------------------------

    def decide(self, agent: str, mode: str, selected: str | None = None, *options: str) -> Document:
        """The decision for the agent, which must be of that mode and select that todo."""
        packet = self.ok("quota", "should-run", "--agent-id", agent, *options)
        found = (packet["interaction_contract"]["mode"], (packet["selected_todo"] or {}).get("todo_id"))
        wanted = (mode, selected)
        expect(found == wanted, f"{agent} should get {wanted} and gets {found}: {packet['reason']}")
        tell(f"  {agent}: {mode}: {packet['reason']}")
        return packet

    def follows(self, before: str, *after: str) -> None:
        """The arrow of the graph: each todo in `after` came out of `before`, seen from both ends."""
        successors = self.todo(before)["successors"]
        expect(set(after) <= set(successors), f"{before} should lead to {after}, and leads to {successors}")
        for successor in after:
            found = self.todo(successor)["predecessor"]
            expect(found == before, f"{successor} should come out of {before}, and comes out of {found}")

    def closed(self, todo_id: str, closure: str) -> None:
        """How a todo ended."""
        found = self.todo(todo_id)["closure"]
        expect(found == closure, f"{todo_id} should be {closure} and is {found}")

    def is_over(self, agent: str) -> None:
        """Nothing is open, every end is accounted for, and the criterion is met: derived, never declared."""
        self.decide(agent, "terminal_no_followup")


def expect(holds: bool, claim: str) -> None:
    """End the script where a claim does not hold; unlike `assert`, under `python -O` too."""
    if not holds:
        raise AssertionError(claim)


def tell(text: str) -> None:
    """A line for whoever watches."""
    sys.stdout.write(text + "\n")


def worktree_of(folder: Path, name: str) -> Path:
    """A worktree of its own, of a repository whose remote is REPOSITORY; git is asked, the network is not."""
    base, worktree = folder / "base", folder / name
    if not base.exists():
        base.mkdir()
        _git(base, "init", "--quiet")
        _git(base, "remote", "add", "origin", "https://github.com/example/project.git")
        _git(base, "commit", "--quiet", "--allow-empty", "--message", "first")
    _git(base, "worktree", "add", "--quiet", "-b", name, str(worktree))
    return worktree


def _git(folder: Path, *argv: str) -> None:
    who = ("-c", "user.name=Example", "-c", "user.email=example@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *who, *argv], check=True, stdout=subprocess.DEVNULL)


def play(story: str | None, ends: Mapping[str, End], argv: list[str] | None = None, ask: Ask = ask_process) -> int:
    """Drive the graph to the end that `--end` names, or to each of them, every time on a new project."""
    parser = argparse.ArgumentParser(description=story, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--end", choices=sorted(ends), help="only this end")
    only = parser.parse_args(argv).end
    for name in [only] if only else ends:
        tell(f"{name}: {(ends[name].__doc__ or '').splitlines()[0]}")
        with tempfile.TemporaryDirectory(prefix="loopx-showcase-") as folder:
            ends[name](Lab(Path(folder), "showcase", ask))
    return 0
