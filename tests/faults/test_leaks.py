"""What leaves in `handoff` and `quota` output: no credential, no local path, no body, from whatever text field (W11.5).

One text that holds all of these is put into every text option that shapes a goal; a test holds that none is
forgotten. The samples are put together from pieces, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from loopx.cli.declare import Group, TextType
from loopx.cli.root import ROOT
from loopx.core.instant import HOUR
from tests.support.cli import Loopx
from tests.support.lab import GOAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.fakes import FakeClock

_ALNUM = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"
SECRETS = (
    "AK" + "IAIOSFODNN7EXAMPLE",
    "gh" + "p_" + _ALNUM + "abcd",
    "xo" + "xb-123456789012-" + _ALNUM,
    "sk" + "-ant-api03-" + _ALNUM,
    "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxIn0." + _ALNUM,
    "hunter2-and-more",
    "s3cr3t-of-the-database",
)
PATHS = (
    "/home/alice/private/notes.md",
    "/Users/alice/Library/Application Support/x",
    "/tmp/scratch-of-alice/y",
    r"C:\Users\alice\plan.txt",
    r"\\fileserver\share\alice",
    "~alice/plan",
)
NEEDLES = (*SECRETS, *PATHS, "alice", "end-of-the-body")
_SMALL = " ".join((*SECRETS[:5], f"password={SECRETS[5]}", f"postgres://app:{SECRETS[6]}@db.example.com/x"))
_PLACES = ", ".join((*PATHS, "file:///home/alice/x"))
LEADS = (_SMALL, _PLACES)  # what a cut leaves of a text; each in its turn
BODY = "line of a long transcript\n" * 400 + "end-of-the-body"
FAMILIES = ("goal", "todo", "gate", "monitor", "fact", "refresh-state", "material")
ALWAYS = ("--reason", "--authority-reason")  # of every mutation: in the event, shown by `log` alone
NEVER_STORED = {("todo", "update", "--remove-acceptance")}
AGENTS = ("ann", "bob")


class Leaky:
    """A lab that puts the payload wherever `TEXT` stands, and remembers where that was."""

    TEXT = "<text>"

    def __init__(self, loopx: Loopx, lead: str) -> None:
        self.loopx = loopx
        self.payload = f"{lead}\n{BODY}"
        self.told: set[tuple[str, ...]] = set()
        self.warned: dict[tuple[str, ...], list[str]] = {}

    def say(self, *argv: str) -> dict[str, Any]:
        words = tuple(word for word in argv[:2] if not word.startswith("-"))
        named = {(*words, argv[at - 1]) for at, word in enumerate(argv) if word == self.TEXT}
        self.told |= named
        document = self.loopx.ok(*(self.payload if word == self.TEXT else word for word in argv))
        if named:
            self.warned[argv] = document["warnings"]
        return document

    def add(self, *more: str) -> str:
        return str(self.say("todo", "add", "--text", self.TEXT, *more)["todo"]["todo_id"])

    def outputs(self) -> Iterator[str]:
        """Everything that `handoff` and `quota` say now, to whomever."""
        for agent in AGENTS:
            asked = ("--agent-id", agent)
            yield json.dumps(self.loopx.ok("quota", "should-run", *asked, "--explain"), ensure_ascii=False)
            for verb in ("show", "prompt"):
                yield json.dumps(self.loopx.ok("handoff", verb, "--to", agent), ensure_ascii=False)
            yield json.dumps(self.loopx.ok("handoff", "create", *asked, "--to", agent), ensure_ascii=False)
        for words in (("handoff", "list"), ("quota", "status")):
            yield json.dumps(self.loopx.ok(*words), ensure_ascii=False)


def live(lab: Leaky, clock: FakeClock) -> Iterator[str]:
    """A goal's life with the payload in every text; yields at each point that shows another side of it."""
    text = lab.TEXT
    agents = [word for agent in AGENTS for word in ("--agent", agent)]
    lab.loopx.ok("init", "--goal-id", "other", "--objective", "x", "--agent", "ann")
    lab.say("goal", "add", "--goal-id", GOAL, "--objective", text, "--acceptance", text, *agents)
    lab.loopx = Scoped(lab.loopx)
    lab.say("goal", "update", "--objective", text, "--acceptance", text)
    (lab.loopx.root / "a.md").write_text(lab.payload)
    for agent in AGENTS:
        place = ("--path", "a.md", "--required-for", agent)
        lab.say("material", "add", f"spec-{agent}", *place, "--relation", text, "--purpose", text)
    work = lab.add("--acceptance", text, "--validation-command", "check --token 0a1b2c3d4e5f")
    yield "free work"
    run = ("--todo-id", work, "--agent-id", "ann", "--evidence", text, "--next-action", text, "--stop-condition", text)
    recorded = lab.say("refresh-state", *run, "--run-kind", "work", "--validation", text)["run"]["run_id"]
    yield "a run"
    lab.loopx.ok("quota", "spend-slot", "--agent-id", "ann", "--run-id", recorded)
    lab.say("todo", "update", work, "--text", text, "--acceptance", text, "--as-user", "--reason", text)
    lab.say("todo", "claim", work, "--claimed-by", "ann")
    yield "claimed work"
    held = lab.add("--required-decision-scope", "direction:action:/home/alice/x")
    yield "a decision that nobody was asked for"
    gate = ("--role", "user", "--task-class", "user_gate", "--decision-scope", "direction:action:/home/alice/x")
    question = lab.add(*gate, "--global-gate", "--unblocks-todo-id", held)
    yield "an open question"
    lab.say("gate", "answer", question, "--decision", "reject", "--note", text)
    yield "a refused question"
    lab.say("todo", "supersede", held, "--reason", text, "--next-agent-todo", text)
    lab.say("todo", "block", lab.add(), "--reason", text)
    lab.add("--role", "user")
    lab.say("fact", "record", "pr_merged:x", "--evidence", text)
    monitor = lab.add("--task-class", "continuous_monitor", "--poll-every", "1h")
    clock.advance(2 * HOUR)
    yield "a due monitor"
    polled = ("--result", "changed", "--evidence", text, "--next-agent-todo", text, "--next-user-todo", text)
    lab.say("monitor", "poll", monitor, "--agent-id", "bob", *polled)
    lab.say("goal", "accept", "--criterion", "A1", "--evidence", text)
    yield "a met criterion"
    following = ("--evidence", text, "--next-agent-todo", text, "--next-user-todo", text)
    free = lab.add()
    lab.say("todo", "complete", free, "--claimed-by", "bob", *following)
    yield "done work"


class Scoped(Loopx):
    """The same command, always about the lab's goal."""

    def __init__(self, loopx: Loopx) -> None:
        super().__init__(loopx.root, in_process=True, ports=loopx._ports)

    def ok(self, *argv: str, **ways: Any) -> dict[str, Any]:
        return super().ok(*argv, "--goal-id", GOAL, **ways)


@pytest.mark.parametrize("lead", LEADS, ids=["secrets", "paths"])
def test_nothing_that_must_stay_leaves(inside: Loopx, clock: FakeClock, lead: str) -> None:
    lab = Leaky(inside, lead)
    for point in live(lab, clock):
        for output in lab.outputs():
            found = [needle for needle in NEEDLES if needle in output or json.dumps(needle)[1:-1] in output]
            assert found == [], f"at {point}: {found} in {output[:4000]}"
    forgotten = text_options() - lab.told - NEVER_STORED
    assert forgotten == set(), "these options are not planted above"


def text_options() -> set[tuple[str, ...]]:
    """Every option that takes a text of the commands that shape a goal."""
    return {
        (*path, parameter.names[0])
        for path, command in commands(ROOT, ())
        if path[0] in FAMILIES
        for parameter in command.parameters
        if isinstance(parameter.type, TextType) and parameter.names[0] not in ALWAYS
    }


def commands(group: Group, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, (module, _) in group.members.items():
        if not path and name not in FAMILIES:
            continue
        member = import_module(module).cli
        if isinstance(member, Group):
            yield from commands(member, (*path, name))
        else:
            yield (*path, name), member


def test_a_credential_is_told_of_at_entry_and_not_repeated(inside: Loopx, clock: FakeClock) -> None:
    lab = Leaky(inside, _SMALL)
    for _ in live(lab, clock):
        pass
    assert len(lab.warned) >= 15
    for argv, warnings in lab.warned.items():
        assert any("credential" in warning for warning in warnings), argv
        assert not [needle for needle in SECRETS if needle in " ".join(warnings)]


@pytest.mark.parametrize(
    "text", ["Parse src/x.py", "see git:github.com/a/b at 3f786850e387550fdab836ed7e6dc881de23001b"]
)
def test_ordinary_words_give_no_warning(inside: Loopx, text: str) -> None:
    inside.ok("init", "--goal-id", GOAL, "--objective", text, "--agent", "ann")
    todo = inside.ok("todo", "add", "--text", text)
    claimed = inside.ok("todo", "claim-next", "--agent-id", "ann")
    words = ("--claimed-by", "ann", "--claim-token", claimed["claim"]["claim_token"], "--no-follow-up")
    done = inside.ok("todo", "complete", todo["todo"]["todo_id"], *words, "--evidence", text, "--reason", text)
    assert [document["warnings"] for document in (todo, claimed, done)] == [[], [], []]


def test_what_was_written_stays_as_it_is(inside: Loopx) -> None:
    inside.ok("init", "--goal-id", GOAL, "--objective", "x", "--agent", "ann")
    todo = inside.ok("todo", "add", "--text", _SMALL)["todo"]["todo_id"]
    assert inside.ok("todo", "show", todo)["todo"]["text"] == _SMALL
