"""A crash at any point leaves the old state or the new one, and a retry has one effect (S1.6).

Every mutating command is ended at its failpoints. Afterwards the project is healthy, holds what it held
before or what the command makes of it, and the same call with the same operation id brings it there.
A command that edits the registry renames the file before its event: after a crash between the two the
file counts, and the retry may find that what it wants is so already.
"""

from __future__ import annotations

import itertools
import random
import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from loopx.cli.context import Ports
from loopx.core.errors import ConflictError, RefusedError
from loopx.core.instant import DAY
from loopx.store import migrate
from loopx.store.replay import table_state
from tests.support.cli import Loopx
from tests.support.crash import DIED, dies, is_killed, later_ports, reached
from tests.support.fakes import START, FakeClock, SequenceIds, SequenceTokens
from tests.support.lab import add, add_gate, add_monitor, finish, lease
from tests.support.project import foreign_hand, open_project

IS_SOAK = settings().max_examples > 1_000
PLACES = 10_000 if IS_SOAK else 2  # of each command in a normal run, drawn anew for each by a fixed seed
KILLS = 100 if IS_SOAK else 1  # of each command, at instants of a fixed seed
LONGEST_CALL_SECONDS = 0.05  # a call takes less: some kills come before it, most inside, some after
NOW = START + 2 * DAY
_ATTEMPTS = itertools.count(2_000, 100)
PACKAGE = Path(__file__).parents[2] / "loopx"
CALL = re.compile(r'failpoint\.reach\("(.+?)"\)')
NAMES = {name for path in PACKAGE.rglob("*.py") for name in CALL.findall(path.read_text(encoding="utf-8"))}

GRAPH = {
    "add": "todo add --text new --blocked-by {open}",
    "update": "todo update {open} --priority P0 --blocked-by {waiting_for_none} --required-capability shell",
    "claim": "todo claim {open} --claimed-by ann",
    "release": "todo release {claimed} --agent-id ann",
    "reassign": "todo reassign {claimed} --claimed-by bob --agent-id ann",
    "claim-next": "todo claim-next --agent-id bob",
    "complete": "todo complete {open} --claimed-by ann --evidence seen --next-agent-todo after --meets A1",
    "complete under a lease": "todo complete {leased} --agent-id ann --evidence e --no-follow-up --claim-token {token}",
    "supersede": "todo supersede {open} --next-agent-todo instead",
    "defer": "todo defer {open} --resume-when at:2027-01-01T00:00:00Z",
    "block": "todo block {open}",
    "reopen": "todo reopen {blocked}",
    "archive": "todo archive --older-than 1d",
    "acquire": "task-lease acquire --todo-id {open} --agent-id ann",
    "renew": "task-lease renew --lease-id {lease} --agent-id ann --expect-version 1 --ttl 5d",
    "transfer": "task-lease transfer --lease-id {lease} --agent-id ann --to bob --expect-version 1",
    "give back": "task-lease release --lease-id {lease} --agent-id ann --expect-version 1",
    "answer": "gate answer {gate} --decision approve --standing",
    "poll": "monitor poll {monitor} --result changed --evidence seen --next-agent-todo react --agent-id ann",
    "fact": "fact record pr_merged:lab#1 --evidence seen",
    "run": "refresh-state --agent-id bob --todo-id {open} --run-kind status --evidence seen",
    "accept": "goal accept --criterion A1 --evidence seen",
    "undo": "undo --operation op-fact",
    "import": "import --from checklist list.md",
    "restore": "restore copy.db",
    "send": "message send --to bob --text hello --agent-id ann",
    "ack": "message ack {unread} --agent-id bob",
    "prune": "message prune --of bob --older-than 1d --agent-id bob",
    "plan": "plan submit --text first --agent-id ann",
    "hand over": "handoff create --agent-id ann --to bob",
}
REGISTRY = {
    "add a goal": "goal add --goal-id other --objective more",
    "update the goal": "goal update --slots 3",
    "pause": "goal pause",
    "register": "agent register --agent-id cy --capability shell",
    "retire": "agent retire --agent-id bob",
    "grant": "authority grant --agent-id bob --action complete",
    "pool": "pool set gpu --capacity 2",
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A project in which every command has something to do, and what it is about."""
    root = tmp_path_factory.mktemp("prepared")
    clock = FakeClock()
    lab = Loopx(root, in_process=True, ports=Ports(clock, SequenceIds(), SequenceTokens()))
    agents = ("--agent", "ann", "--agent", "bob")
    lab.ok("init", "--goal-id", "lab", "--objective", "Find out", "--acceptance", "Known", *agents)
    finish(lab, add(lab, "long since done"))
    named = {"open": add(lab, "open"), "waiting_for_none": add(lab, "none"), "claimed": add(lab, "claimed")}
    add(lab, "waits", "--blocked-by", named["open"])
    add(lab, "sleeps", "--status", "deferred", "--resume-when", f"todo_done:{named['open']}")
    add(lab, "sleeps for a fact", "--status", "deferred", "--resume-when", "pr_merged:lab#1")
    named["blocked"] = add(lab, "blocked")
    lab.ok("todo", "block", named["blocked"], "--reason", "no access")
    named["leased"] = add(lab, "leased")
    reach = ("--blocks-agent", "bob", "--unblocks-todo-id", named["blocked"])
    named["gate"] = add_gate(lab, "direction:action:way", *reach)
    named["monitor"] = add_monitor(lab, "--poll-every", "1h")
    (root / "list.md").write_text("- [ ] one\n- [ ] two\n", encoding="utf-8")
    lab.ok("backup", "copy.db")
    lab.ok("fact", "record", "pr_merged:lab#2", "--evidence", "seen", "--operation-id", "op-fact")
    for text in ("long since read", "unread"):
        sent = lab.ok("message", "send", "--to", "bob", "--text", text, "--agent-id", "ann")
        named["unread"] = sent["message"]["message_id"]
        if text != "unread":
            lab.ok("message", "ack", named["unread"], "--agent-id", "bob")
    clock.advance(2 * DAY)
    held = lease(lab, named["leased"], "ann", "--ttl", "3d")
    named["lease"], named["token"] = held["lease_id"], held["claim_token"]
    lab.ok("todo", "claim", named["claimed"], "--claimed-by", "ann")
    return root, named


class Bench:
    """One call on copies of one project."""

    def __init__(self, base: Path, argv: list[str], folder: Path) -> None:
        self.base, self.argv, self.folder = base, argv, folder
        self.old = state(base)
        whole = self.copy("whole")
        self.names = reached(whole, argv, NOW)
        self.new = state(whole)
        self.registry = registry(whole)

    def copy(self, name: str) -> Path:
        return Path(shutil.copytree(self.base, self.folder / name))

    def places(self) -> list[int]:
        """Those at which this run ends the process."""
        every = range(len(self.names))
        return sorted(random.Random(" ".join(self.argv)).sample(every, min(PLACES, len(every))))

    def crashed(self, place: int) -> Path:
        root = self.copy(f"at {place}")
        assert dies(root, self.argv, NOW, place) == DIED, f"it never came to {place} ({self.names[place]})"
        return root


def state(root: Path) -> Any:
    """The tables and how many events there are; nothing where there is no project."""
    if not (root / ".loopx").exists():
        return None
    with closing(open_project(root)) as project:
        return project.read(lambda snapshot: (table_state(snapshot.db), events(snapshot.db)))


def events(db: Any) -> list[tuple[str, ...]]:
    return [tuple(row) for row in db.execute("SELECT action, changes, operation_id FROM events ORDER BY sequence")]


def registry(root: Path) -> bytes:
    return (root / ".loopx" / "registry.yaml").read_bytes()


def asked(root: Path) -> Loopx:
    """The command as a caller has it who tries again, with names of its own for unfinished files."""
    return Loopx(root, in_process=True, ports=later_ports(NOW, unfinished=next(_ATTEMPTS)))


def assert_healthy(root: Path) -> None:
    document = asked(root).ok("doctor")
    assert document["healthy"] is True, document["findings"]


def argv_of(text: str, named: dict[str, str]) -> list[str]:
    return [*text.format(**named).split(), "--reason", "why", "--operation-id", "op-1"]


@pytest.mark.parametrize("name", GRAPH)
def test_a_crash_leaves_the_old_or_the_new_state_and_a_retry_has_one_effect(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path, name: str
) -> None:
    base, named = prepared
    bench = Bench(base, argv_of(GRAPH[name], named), tmp_path)
    assert bench.new != bench.old
    for place in bench.places():
        root = bench.crashed(place)
        assert_healthy(root)
        assert state(root) in (bench.old, bench.new), bench.names[place]
        asked(root).ok(*bench.argv)
        assert state(root) == bench.new, bench.names[place]
        assert_healthy(root)


@pytest.mark.parametrize("name", GRAPH)
def test_a_kill_at_any_instant_leaves_the_old_or_the_new_state_and_a_retry_has_one_effect(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path, name: str
) -> None:
    """Where the kill falls is chance; what must hold afterwards is not."""
    base, named = prepared
    bench = Bench(base, argv_of(GRAPH[name], named), tmp_path)
    chance = random.Random(name)
    for turn in range(KILLS):
        root = bench.copy(f"killed {turn}")
        is_killed(root, bench.argv, NOW, chance.uniform(0.0, LONGEST_CALL_SECONDS))
        assert_healthy(root)
        assert state(root) in (bench.old, bench.new)
        asked(root).ok(*bench.argv)
        assert state(root) == bench.new


@pytest.mark.parametrize("name", REGISTRY)
def test_a_crash_leaves_one_whole_registry_and_a_retry_edits_it_once(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path, name: str
) -> None:
    base, named = prepared
    bench = Bench(base, argv_of(REGISTRY[name], named), tmp_path)
    for place in bench.places():
        root = bench.crashed(place)
        assert_healthy(root)
        assert registry(root) in (registry(base), bench.registry), bench.names[place]
        answer = asked(root).call(*bench.argv)
        assert answer.code in (0, RefusedError.exit_code, ConflictError.exit_code), answer
        assert registry(root) == bench.registry, bench.names[place]
        assert_healthy(root)


def test_a_crash_while_a_project_is_made_leaves_none_or_a_whole_one(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    argv = ["init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann", "--operation-id", "op-1"]
    bench = Bench(tmp_path / "base", argv, tmp_path)
    for place in bench.places():
        root = bench.crashed(place)
        assert state(root) in (None, bench.new), bench.names[place]
        asked(root).ok(*argv)
        assert state(root) == bench.new
        assert_healthy(root)


def test_a_crash_at_the_first_write_of_a_fresh_clone_leaves_no_part_of_a_database(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    base = tmp_path / "clone"
    (base / ".loopx").mkdir(parents=True)
    (base / ".loopx" / "registry.yaml").write_bytes(registry(prepared[0]))
    bench = Bench(base, ["todo", "add", "--text", "first", "--operation-id", "op-1"], tmp_path)
    for place in bench.places():
        root = bench.crashed(place)
        assert_healthy(root)
        assert state(root) in (bench.old, bench.new), bench.names[place]
        asked(root).ok(*bench.argv)
        assert state(root) == bench.new


def test_a_crash_while_the_doctor_mends_leaves_something_that_it_can_mend(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    base = Path(shutil.copytree(prepared[0], tmp_path / "base"))
    with foreign_hand(base) as db:
        db.execute("UPDATE todos SET unmet = unmet + 1")
        db.execute("UPDATE routes SET ready_count = 0")
    bench = Bench(base, ["doctor", "--fix", "--operation-id", "op-1"], tmp_path)
    for place in bench.places():
        root = bench.crashed(place)
        asked(root).ok(*bench.argv)
        assert state(root) == bench.new, bench.names[place]
        assert_healthy(root)


def test_a_crash_while_a_backup_is_written_leaves_no_half_of_one(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    bench = Bench(prepared[0], ["backup", "fresh.db"], tmp_path)
    for place in bench.places():
        root = bench.crashed(place)
        assert state(root) == bench.old
        if (root / "fresh.db").exists():
            asked(root).ok("restore", "fresh.db")
        else:
            asked(root).ok(*bench.argv)
        assert_healthy(root)


@pytest.mark.parametrize("damage", [b"", b"no database\n" * 999])
def test_a_crash_while_a_destroyed_database_is_replaced_can_be_repeated(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path, damage: bytes
) -> None:
    base = Path(shutil.copytree(prepared[0], tmp_path / "base"))
    (base / ".loopx" / "loopx.db").write_bytes(damage)
    argv = ["restore", "copy.db", "--operation-id", "op-1"]
    whole = Path(shutil.copytree(base, tmp_path / "whole"))
    names = reached(whole, argv, NOW)
    for place in range(len(names)):
        root = Path(shutil.copytree(base, tmp_path / f"at {place}"))
        assert dies(root, argv, NOW, place) == DIED
        asked(root).ok(*argv)
        assert state(root)[0] == state(whole)[0], names[place]
        assert_healthy(root)


def test_every_failpoint_lies_on_the_way_of_some_command(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, named = prepared
    calls = [argv_of(text, named) for text in (*GRAPH.values(), *REGISTRY.values())]
    met = {name for number, argv in enumerate(calls) for name in reached(copied(base, tmp_path, number), argv, NOW)}
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    met |= set(reached(fresh, ["init", "--goal-id", "lab", "--objective", "Find out"], NOW))
    (fresh / ".loopx" / "loopx.db").write_bytes(b"")
    shutil.copy(base / "copy.db", fresh)
    met |= set(reached(fresh, ["restore", "copy.db"], NOW))
    older = copied(base, tmp_path, len(calls))
    folder = tmp_path / "migrations"
    shutil.copytree(migrate._FOLDER, folder)
    (folder / f"{migrate.LATEST + 1:04}_add_notes.sql").write_text("CREATE TABLE notes (note TEXT) STRICT;\n")
    monkeypatch.setattr(migrate, "_FOLDER", str(folder))
    monkeypatch.setattr(migrate, "LATEST", migrate.LATEST + 1)
    met |= set(reached(older, ["doctor", "--fix"], NOW))
    assert met == {name for name in NAMES if not name.startswith("move: ")}  # see tests/postgres/test_move.py


def copied(base: Path, folder: Path, number: int) -> Path:
    return Path(shutil.copytree(base, folder / str(number)))
