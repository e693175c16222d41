"""Every command that an answer prints can be pasted into a shell, runs as it is, and does what it says.

Along scenarios that reach every mode, with names and texts that a shell would trip over, each printed
command is read by a real `sh`, run on a copy of the state for which it was printed, and its effect is
looked at. What must come from a terminal is typed into one.
"""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from loopx.cli.context import Ports
from loopx.core.decision.reason import Mode
from loopx.core.instant import DAY, HOUR, Instant
from tests.support.cli import COMMAND, Loopx, clean_environment
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens
from tests.support.git import new_repository
from tests.support.lab import mode

GOAL = "büro:7/x@lab"
ANN, BOB = "änn.β@1", "bob-2"
KEY = "$(touch${IFS}pwned)`touch${IFS}pwned`'\"\\;&|<>#~!?[a]{b,c}"
SCOPE = f"direction:action:{KEY}"
TEXT = "-rf $(touch pwned) `touch pwned` '\"\\\n; touch pwned # {0} %s $1 </x> 🧵 --evidence"
SAID = "in my words:\n--dry-run $(touch pwned) '\""
REPOSITORY = "git:example.org/team/repo"


class Printed:
    """A command as it was printed, the state of which it speaks, and the moment."""

    def __init__(self, command: str, place: Path, now: Instant) -> None:
        self.command, self.place, self.now = command, place, now


class Bench:
    """A project under a clock of its own that keeps every command it is told."""

    def __init__(self, folder: Path, *agents: str) -> None:
        self.folder = folder
        self.root = folder / "project"
        self.root.mkdir()
        self.clock = FakeClock()
        self.ports = Ports(self.clock, SequenceIds(), SequenceTokens())
        self.printed: dict[str, Printed] = {}
        named = [word for agent in agents or (ANN, BOB) for word in ("--agent", agent)]
        self.at(self.root).ok("init", "--goal-id", GOAL, "--objective", TEXT, *named)

    def at(self, place: Path) -> Loopx:
        return Loopx(place, in_process=True, ports=self.ports)

    def ok(self, *argv: str) -> dict[str, Any]:
        """The document, whose commands are kept with a copy of the state behind it."""
        document = self.at(self.root).ok(*argv)
        new = [command for command in commands_in(document) if template(command) not in self.printed]
        if new:
            place = self.folder / f"copy-{len(self.printed)}"
            shutil.copytree(self.root, place)
            for command in new:
                self.printed.setdefault(template(command), Printed(command, place, self.clock.now()))
        return document

    def add(self, *argv: str) -> str:
        return str(self.ok("todo", "add", "--text", TEXT, *argv)["todo"]["todo_id"])

    def gate(self, *argv: str) -> str:
        return self.add("--role", "user", "--task-class", "user_gate", *argv)

    def claim(self, todo: str, agent: str = ANN) -> dict[str, Any]:
        return self.ok("todo", "claim", todo, "--claimed-by", agent)

    def fail(self, todo: str) -> None:
        self.ok("todo", "complete", todo, "--claimed-by", ANN, "--evidence", "no", "--outcome", "failed")

    def finish(self, todo: str) -> None:
        self.ok("todo", "complete", todo, "--claimed-by", ANN, "--evidence", "x", "--no-follow-up", "--reason", "all")

    def ask(self, agent: str = ANN, *more: str) -> dict[str, Any]:
        return self.ok("quota", "should-run", "--goal-id", GOAL, "--agent-id", agent, "--explain", *more)


def commands_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if value.startswith("loopx "):
            yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from commands_in(inner)


def template(command: str) -> str:
    """The command without what differs from run to run: two of one template are tried once."""
    return re.sub(r"\b(todo|run|lease)_[0-9a-z]{10}\b|[0-9a-f]{8}-[0-9a-f-]{27}", r"\1", command)


# --- what a shell reads ------------------------------------------------------------------------

_ECHO = 'loopx() { for word; do printf "%s\\0" "$word"; done; }\n'


def words_of(command: str, folder: Path) -> list[str]:
    """What `sh` makes of the command, which must be what `shlex` makes of it; nothing else may run."""
    done = subprocess.run(["sh", "-c", _ECHO + command], cwd=folder, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b""), (command, done.stderr)
    words = done.stdout.decode("utf-8").split("\0")[:-1]
    assert ["loopx", *words] == shlex.split(command)
    assert not (folder / "pwned").exists()
    return words


# --- what a command announces ------------------------------------------------------------------


class Run:
    """A printed command that has run: its words, its document, and the project afterwards."""

    def __init__(self, lab: Loopx, words: list[str], document: dict[str, Any]) -> None:
        self.lab, self.words, self.document = lab, words, document

    def value(self, option: str) -> str:
        return self.words[self.words.index(option) + 1]

    def has(self, *words: str) -> bool:
        return all(word in self.words for word in words)

    @property
    def todo_id(self) -> str:
        return self.value("--todo-id") if self.has("--todo-id") else self.words[2]

    @property
    def todo(self) -> dict[str, Any]:
        todo = self.lab.ok("todo", "show", self.todo_id)["todo"]
        assert isinstance(todo, dict)
        return todo


def claims(run: Run) -> None:
    assert (run.todo["status"], run.todo["claimed_by"]) == ("open", run.value("--claimed-by"))


def completes(run: Run) -> None:
    assert run.todo["status"] == "done"
    if run.has("--evidence", "-"):
        assert run.todo["evidence"] == SAID


def polls(run: Run) -> None:
    changed = run.value("--result") == "changed"
    assert (run.document["consecutive_no_change"] == 0) is changed
    assert run.todo["evidence"] == SAID


def renews(run: Run) -> None:
    lease = run.document["lease"]
    assert lease["version"] == int(run.value("--expect-version")) + 1
    assert lease["claim_token"]


def updates(run: Run) -> None:
    todo = run.todo
    if run.has("--global-gate"):
        assert todo["global_gate"] is True
    elif run.has("--blocks-agent"):
        assert todo["blocks_agent"] == run.value("--blocks-agent")
    elif run.has("--task-class"):
        assert todo["task_class"] == run.value("--task-class")
    elif run.has("--remove-blocked-by"):
        assert run.value("--remove-blocked-by") not in todo["blocked_by"]
    elif run.has("--clear-bound-agent"):
        assert todo["bound_agent"] is None
    elif run.has("--clear-excluded-agent"):
        assert todo["excluded_agents"] == []
    else:
        assert run.has("--no-follow-up")
        assert (todo["no_followup"], todo["completion_rationale"]) == (True, SAID)


def reopens(run: Run) -> None:
    assert run.todo["status"] == "open"


def states_a_cause(run: Run) -> None:
    assert (run.todo["status"], run.todo["block_reason"]) == ("blocked", SAID)


def adds(run: Run) -> None:
    todo = run.lab.ok("todo", "show", run.document["todo"]["todo_id"])["todo"]
    assert (todo["text"], todo["role"]) == (SAID, run.value("--role"))
    if run.has("--decision-scope"):
        assert todo["decision_scope"] == run.value("--decision-scope")
    if run.has("--unblocks-todo-id"):
        assert todo["unblocks_todo_id"] == run.value("--unblocks-todo-id")


def accepts(run: Run) -> None:
    criteria = run.document["goal"]["acceptance"]
    assert [row["met"] for row in criteria if row["id"] == run.value("--criterion")] == [True]


def sets_active(run: Run) -> None:
    assert run.document["goal"]["state"] == "active"


def approves(run: Run) -> None:
    assert run.todo["decision"]["verdict"] == "approve"


def registers(run: Run) -> None:
    assert run.value("--capability") in run.document["agent"]["capabilities"]


def spends(run: Run) -> None:
    assert run.document["spend"]["run_id"] == run.value("--run-id")


def decides(run: Run) -> None:
    assert run.document["agent_id"] == run.value("--agent-id")


def shows_the_todo(run: Run) -> None:
    assert run.document["todo"]["todo_id"] == run.todo_id


def explains_the_todo(run: Run) -> None:
    assert run.document["todo_id"] == run.todo_id


def only_shows(run: Run) -> None:
    assert run.document["ok"] is True


EFFECTS: Mapping[str, Callable[[Run], None]] = {
    "todo claim": claims,
    "todo complete": completes,
    "monitor poll": polls,
    "task-lease renew": renews,
    "todo update": updates,
    "todo reopen": reopens,
    "todo block": states_a_cause,
    "todo add": adds,
    "goal accept": accepts,
    "goal resume": sets_active,
    "goal reopen": sets_active,
    "gate answer": approves,
    "agent register": registers,
    "quota spend-slot": spends,
}
LOOKS: Mapping[str, Callable[[Run], None]] = {
    "quota should-run": decides,
    "todo show": shows_the_todo,
    "todo why": explains_the_todo,
} | dict.fromkeys(
    (
        "agent list", "authority list", "fact list", "gate list", "goal list", "goal show", "pool list",
        "inbox --goal-id", "quota status", "status --goal-id", "task-lease list", "task-lease show",
    ),
    only_shows,
)  # fmt: skip


def try_out(bench: Bench, printed: Printed, folder: Path) -> None:
    """Run the command on a copy and look at what it did: what it announces, or for a look nothing."""
    shutil.copytree(printed.place, folder)
    bench.clock.set(printed.now)
    lab, words = bench.at(folder), words_of(printed.command, folder)
    before = lab.ok("log")["total"]
    answer = ("--decision", "approve") if words[:2] == ["gate", "answer"] else ()
    run = Run(lab, words, lab.ok(*words, *answer, stdin=SAID + "\n"))
    kind = " ".join(words[:2])
    assert kind in EFFECTS or kind in LOOKS, f"no test knows what {printed.command} announces"
    if kind in LOOKS:
        LOOKS[kind](run)
        assert lab.ok("log")["total"] == before
    else:
        EFFECTS[kind](run)
        assert lab.ok("log")["total"] > before


# --- scenarios, each with the modes that it reaches ----------------------------------------------


def delivery(bench: Bench) -> None:
    todo = bench.add()
    bench.ask()
    bench.claim(todo)
    bench.ask()
    bench.finish(todo)


def delivery_under_a_lease(bench: Bench) -> None:
    todo = bench.add()
    taken = bench.ok("todo", "claim-next", "--agent-id", ANN)["claim"]
    bench.ask()
    bench.claim(todo)
    moved = ("--lease-id", taken["lease"]["lease_id"], "--agent-id", ANN, "--expect-version", "1", "--to", BOB)
    moved_lease = bench.ok("task-lease", "transfer", *moved)["lease"]
    fence = ("--lease-id", moved_lease["lease_id"], "--agent-id", BOB, "--expect-version", "2")
    bench.ok("task-lease", "release", *fence)
    bench.ok("task-lease", "acquire", todo, "--agent-id", BOB)
    bench.ask()
    bench.ok("todo", "claim-next", "--agent-id", ANN)


def write_back(bench: Bench) -> None:
    told = ("--agent-id", ANN, "--evidence", "seen")
    bench.ok("refresh-state", bench.add(), *told, "--run-kind", "status")
    run = bench.ok("refresh-state", bench.add(), *told, "--run-kind", "work", "--validation", TEXT)["run"]
    bench.ok("quota", "spend-slot", "--agent-id", ANN, "--run-id", run["run_id"])
    bench.ok("fact", "record", f"pr_merged:{KEY}", "--evidence", TEXT)
    bench.ok("pool", "set", "gpu/ß", "--capacity", "1")


def gated_and_free(bench: Bench) -> None:
    held = bench.add("--priority", "P0", "--required-decision-scope", SCOPE)
    bench.claim(held)
    bench.gate("--decision-scope", SCOPE, "--blocks-agent", ANN, "--unblocks-todo-id", held)
    bench.add("--role", "user")
    bench.claim(held)
    bench.ask()
    bench.add("--priority", "P3")
    bench.ask()
    bench.ask(BOB)
    bench.ok("todo", "why", held, "--agent-id", ANN)


def held_by_everybodys_gate(bench: Bench) -> None:
    bench.add()
    gate = bench.gate("--global-gate", "--decision-scope", SCOPE)
    bench.ask()
    bench.ok("gate", "answer", gate, "--decision", "approve", "--standing", "--note", TEXT)
    bench.ok("gate", "revoke", gate)


def gate_without_reach(bench: Bench) -> None:
    bench.add()
    bench.gate("--decision-scope", SCOPE)
    bench.ask()


def decision_that_nobody_asks(bench: Bench) -> None:
    bench.claim(bench.add("--required-decision-scope", SCOPE), BOB)
    bench.add("--required-decision-scope", SCOPE)
    bench.ask()


def decision_against_it(bench: Bench) -> None:
    held = bench.add("--required-decision-scope", SCOPE)
    gate = bench.gate("--decision-scope", SCOPE, "--blocks-agent", ANN, "--unblocks-todo-id", held)
    bench.ok("gate", "answer", gate, "--decision", "reject", "--note", TEXT)
    bench.ask()


def missing_tool(bench: Bench) -> None:
    bench.add("--required-capability", "brauser/ö")
    bench.ask()
    bench.ask(ANN, "--available-capability", "shell")


def missing_credential(bench: Bench) -> None:
    bench.add("--required-capability", "prod_token@β")
    bench.ask()


def wrong_place(bench: Bench) -> None:
    new_repository(bench.root, "https://example.org/team/repo")
    bench.add("--task-repository", REPOSITORY, "--required-write-scope", "src/$(x)/**")
    bench.ask()


def used_budget(bench: Bench) -> None:
    bench.add()
    bench.ok("goal", "update", "--slots", "0", "--window", "1d")
    bench.ask()


def failed_dependency(bench: Bench) -> None:
    root = bench.add()
    bench.claim(bench.add("--blocked-by", root))
    bench.fail(root)
    bench.ask()
    bench.ask(BOB)


def superseded_dependency(bench: Bench) -> None:
    root = bench.add()
    bench.add("--blocked-by", root)
    bench.ok("todo", "supersede", root, "--reason", TEXT, "--no-replacement")
    bench.ask()


def open_dependency(bench: Bench) -> None:
    root = bench.add("--bound-agent", BOB)
    bench.claim(bench.add("--blocked-by", root))
    bench.ask()
    bench.ok("todo", "supersede", root, "--reason", TEXT, "--next-agent-todo", TEXT)


def nobody_may_take_it(bench: Bench) -> None:
    bench.add("--excluded-agent", ANN, "--excluded-agent", BOB)
    bench.ask()


def bound_to_who_has_left(bench: Bench) -> None:
    bench.ok("agent", "register", "--goal-id", GOAL, "--agent-id", "ζ")
    bench.add("--bound-agent", "ζ")
    bench.ok("agent", "retire", "--goal-id", GOAL, "--agent-id", "ζ")
    bench.ask()


def outside_of_the_boundary(bench: Bench) -> None:
    bench.ok("goal", "update", "--repository", REPOSITORY, "--write-scope", "src/**")
    bench.add("--task-repository", "git:example.org/other/repo")
    bench.ask()


def monitors(bench: Bench) -> None:
    monitor = bench.add("--task-class", "continuous_monitor", "--poll-every", "1h", "--expires-at", "in:3h")
    bench.claim(monitor)
    bench.ask()
    bench.clock.advance(HOUR)
    bench.ask()
    poll = ("monitor", "poll", monitor, "--agent-id", ANN, "--evidence", TEXT, "--result")
    bench.ok(*poll, "no_change")
    bench.ok(*poll, "changed", "--next-agent-todo", TEXT)
    bench.clock.advance(2 * HOUR)
    bench.ask()


def monitor_that_sees_nothing(bench: Bench) -> None:
    monitor = bench.add("--task-class", "continuous_monitor", "--poll-every", "1h")
    for _ in range(10):
        bench.clock.advance(HOUR)
        bench.ok("monitor", "poll", monitor, "--agent-id", ANN, "--evidence", "x", "--result", "no_change")
    bench.ask()


def asleep_and_awake(bench: Bench) -> None:
    todo = bench.add("--status", "deferred", "--resume-when", f"pr_merged:{KEY}")
    bench.add("--status", "deferred", "--resume-when", "in:1h")
    bench.add("--status", "blocked", "--reason", TEXT)
    bench.add("--task-class", "blocker", "--reason", TEXT)
    bench.ask()
    bench.ok("todo", "why", todo, "--agent-id", ANN)
    bench.clock.advance(HOUR)
    bench.ask()


def one_way_doors(bench: Bench) -> None:
    root, other = bench.add(), bench.add()
    bench.add("--status", "deferred", "--resume-when", f"todo_done:{root}")
    bench.add("--status", "blocked", "--blocked-by", other)
    down = bench.add("--task-class", "blocker", "--reason", TEXT)
    bench.ok("todo", "defer", down, "--resume-when", "in:1h")
    bench.fail(root)
    bench.finish(other)
    bench.clock.advance(HOUR)
    bench.ask()


def held_by_a_peer(bench: Bench) -> None:
    bench.claim(bench.add(), BOB)
    bench.ok("task-lease", "acquire", bench.add(), "--agent-id", BOB)
    bench.ask()
    bench.clock.advance(DAY)
    bench.ask()


def gaps(bench: Bench) -> None:
    bench.ask()
    bench.ok("goal", "update", "--acceptance", TEXT)
    bench.ok("todo", "complete", bench.add(), "--claimed-by", ANN, "--evidence", TEXT)
    bench.ask()
    bench.ok("goal", "accept", "--criterion", "A1", "--evidence", TEXT)


def stopped(bench: Bench) -> None:
    todo = bench.add()
    bench.ok("goal", "pause", "--reason", TEXT)
    bench.ask()
    bench.ok("goal", "resume")
    bench.finish(todo)
    bench.ask()
    bench.ok("goal", "close")
    bench.ask()


SCENARIOS: tuple[Callable[[Bench], None], ...] = (
    delivery, delivery_under_a_lease, write_back, gated_and_free, held_by_everybodys_gate, gate_without_reach,
    decision_that_nobody_asks, decision_against_it, missing_tool, missing_credential, wrong_place, used_budget,
    failed_dependency, superseded_dependency, open_dependency, nobody_may_take_it, bound_to_who_has_left,
    outside_of_the_boundary, monitors, monitor_that_sees_nothing, asleep_and_awake, one_way_doors, held_by_a_peer,
    gaps, stopped,
)  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_every_printed_command_does_what_it_announces(scenario: Callable[[Bench], None], tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    scenario(bench)
    assert bench.printed
    for number, printed in enumerate(bench.printed.values()):
        try_out(bench, printed, tmp_path / f"try-{number}")


def test_the_scenarios_reach_every_mode(tmp_path: Path) -> None:
    reached: set[str] = set()

    class Noting(Bench):
        def ok(self, *argv: str) -> dict[str, Any]:
            document = self.at(self.root).ok(*argv)
            if argv[:2] == ("quota", "should-run"):
                reached.add(mode(document))
            return document

    for scenario in SCENARIOS:
        (tmp_path / scenario.__name__).mkdir()
        scenario(Noting(tmp_path / scenario.__name__))
    assert reached == {member.value for member in Mode}


def test_a_whole_command_in_the_hint_of_a_refusal_runs_too(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    first, stuck = bench.add(), bench.add("--status", "blocked", "--reason", TEXT)
    waits = bench.add("--blocked-by", first)
    gate = bench.gate("--blocks-agent", BOB)
    lab, by_ann = bench.at(bench.root), ("--agent-id", ANN)
    refusals = [
        lab.refused("todo", "complete", stuck, *by_ann, "--evidence", "x"),
        lab.refused("task-lease", "acquire", waits, *by_ann),
        lab.refused("gate", "answer", gate, *by_ann),
        lab.refused("todo", "complete", first, *by_ann, "--evidence", "x", "--claim-token", "none"),
        lab.refused("task-lease", "acquire", first, "--agent-id", BOB),
    ]
    hints = [str(refusal.error["hint"]) for refusal in refusals]
    commands = [found for hint in hints for found in re.findall(r"`(loopx [^`]*todo_[^`]*)`", hint)]
    assert len(commands) == len(refusals)
    for command in commands:
        words = words_of(command, bench.root)
        answer = ("--decision", "approve") if words[0] == "gate" else ()
        lab.ok(*words, *answer)


# --- what is left after a mend -------------------------------------------------------------------

MENDED: tuple[Callable[[Bench], None], ...] = (
    gate_without_reach, decision_that_nobody_asks, decision_against_it, missing_tool, failed_dependency,
    superseded_dependency, nobody_may_take_it, bound_to_who_has_left, monitor_that_sees_nothing, one_way_doors, gaps,
)  # fmt: skip


@pytest.mark.parametrize("scenario", MENDED, ids=lambda scenario: scenario.__name__)
def test_following_what_is_printed_leads_out_of_every_repair(scenario: Callable[[Bench], None], tmp_path: Path) -> None:
    """The first command each time, by the agent alone, until something is to be done or awaited."""
    bench = Bench(tmp_path)
    scenario(bench)
    lab = bench.at(bench.root)
    packet = bench.ask()
    for _ in range(12):
        if mode(packet) not in ("control_plane_self_repair", "capability_repair", "replan"):
            return
        command = packet["interaction_contract"]["cli_channel"]["next_cli_actions"][0]
        answer = lab.ok(*words_of(command, bench.root), stdin=SAID)
        is_decision = answer["schema_version"] == "quota_should_run_v1"
        packet = answer if is_decision else bench.ask()
    pytest.fail(f"still in {mode(packet)}: {packet['reason']}")


# --- as a process, on a terminal ------------------------------------------------------------------


@pytest.fixture
def pasted(tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """What a person does who pastes a command line into a shell in the project's folder."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "loopx").symlink_to(COMMAND)
    environment = clean_environment({"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "LOOPX_FORMAT": "json"})

    def paste(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path / "project",
            env=environment,
            input=SAID,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )

    return paste


def real_bench(tmp_path: Path) -> Bench:
    """A project under the system's own clock, for commands that run as processes of their own."""
    from loopx.system import RandomIds, RandomTokens, SystemClock

    bench = Bench(tmp_path)
    bench.ports = Ports(SystemClock(), RandomIds(), RandomTokens())
    return bench


def test_pasted_commands_carry_work_from_claim_to_spend(
    tmp_path: Path, pasted: Callable[[str], subprocess.CompletedProcess[str]]
) -> None:
    bench = real_bench(tmp_path)
    todo = bench.add()
    for wanted in ("todo claim", "todo complete"):
        (command,) = bench.ask()["interaction_contract"]["cli_channel"]["next_cli_actions"]
        assert command.startswith(f"loopx {wanted} ")
        done = pasted(command)
        assert done.returncode == 0, done.stdout
    assert bench.ok("todo", "show", todo)["todo"]["evidence"] == SAID
    told = ("--agent-id", ANN, "--run-kind", "work", "--evidence", "x", "--validation", "y")
    spend = bench.ok("refresh-state", todo, *told)["receipt"]["next_command"]
    assert pasted(spend).returncode == 0
    assert not (bench.root / "pwned").exists()


@pytest.mark.parametrize(
    ("typed", "verdict"), [("approve\n", "approve"), ("reject\n", "reject"), ("no\nreject\n", "reject")]
)
def test_an_answer_command_asks_on_a_terminal(tmp_path: Path, typed: str, verdict: str) -> None:
    bench = real_bench(tmp_path)
    held = bench.add("--required-decision-scope", SCOPE)
    bench.gate("--decision-scope", SCOPE, "--blocks-agent", ANN, "--unblocks-todo-id", held)
    (question,) = bench.ask()["interaction_contract"]["user_channel"]["todos"]
    code, shown = on_a_terminal(bench.root, question["answer_command"], typed)
    assert code == 0, shown
    assert "approve" in shown
    decision = bench.ok("todo", "show", question["todo_id"])["todo"]["decision"]
    assert (decision["verdict"], decision["decided_by"]) == (verdict, "user")


def test_an_agents_terminal_is_no_persons(tmp_path: Path) -> None:
    bench = real_bench(tmp_path)
    gate = bench.gate("--global-gate")
    (question,) = bench.ask()["interaction_contract"]["user_channel"]["todos"]
    code, shown = on_a_terminal(bench.root, question["answer_command"], "approve\n", {"LOOPX_AGENT_ID": ANN})
    assert code == 3, shown
    assert "user_decision_required" in shown
    assert bench.ok("todo", "show", gate)["todo"]["decision"] is None


def on_a_terminal(cwd: Path, command: str, typed: str, more: dict[str, str] | None = None) -> tuple[int, str]:
    """The exit code and all that stood on the terminal, which is the command's only stream."""
    ours, theirs = pty.openpty()
    path = f"{Path(COMMAND).parent}{os.pathsep}{os.environ['PATH']}"
    environment = clean_environment({"PATH": path} | (more or {}))
    with subprocess.Popen(
        ["sh", "-c", command], cwd=cwd, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        shown = b"".join(iter(lambda: _read(ours), b""))
        code = process.wait(timeout=60)
    os.close(ours)
    return code, shown.decode("utf-8", "replace")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that the other end was closed
        return b""
