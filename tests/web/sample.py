"""A project as a team leaves it in the middle of a week: for screenshots, and for tests of some of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.cli.context import Ports
from loopx.core.instant import DAY, HOUR, MINUTE
from tests.support.cli import Loopx
from tests.support.fakes import FakeClock, SequenceIds, SequenceTokens

if TYPE_CHECKING:
    from pathlib import Path

    from loopx.core.instant import Duration, Instant

GOAL, OTHER = "ship-parser", "docs-site"
AGENTS = {"atlas": ("shell", "filesystem_write"), "birch": ("shell",), "cedar": ("browser",)}
_CRITERIA = ("Every file of the corpus parses", "No public name changes undecided", "Docs show each error")
_DONE = (
    ("atlas", "Collect the corpus and count what fails"),
    ("birch", "Pin the tokenizer's behaviour with characterization tests"),
    ("atlas", "Read numbers with underscores"),
    ("cedar", "Compare three error formats with users"),
    ("birch", "Report the column of a stray quote"),
)
_API, _PUBLISH = "direction:action:public_api_change", "production:action:publish"
_GATE = ("--role", "user", "--task-class", "user_gate")
_MONITOR = ("--task-class", "continuous_monitor", "--poll-every", "6h", "--next-due-at", "in:7d")


class Sample:
    """The story of a week, told by the command line under a clock that goes from `now - 5 days` to `now`."""

    def __init__(self, root: Path, now: Instant) -> None:
        self.clock = FakeClock(now - 5 * DAY)
        self.now = now
        self.loopx = Loopx(root, in_process=True, ports=Ports(self.clock, SequenceIds(), SequenceTokens()))
        self.ids: dict[str, str] = {}

    def build(self) -> Sample:
        self._make_goals()
        self._make_done_work()
        self._make_work()
        self._make_questions()
        self._make_holdings()
        return self

    def _wait(self, duration: Duration) -> None:
        self.clock.set(min(self.clock.now() + duration, self.now - MINUTE))

    def _add(self, name: str, text: str, *more: str, goal: str = GOAL) -> None:
        todo = self.loopx.ok("todo", "add", "--goal-id", goal, "--text", text, *more)["todo"]
        self.ids[name] = todo["todo_id"]
        self._wait(7 * MINUTE)

    def _after(self, *names: str) -> tuple[str, ...]:
        return tuple(word for name in names for word in ("--blocked-by", self.ids[name]))

    def _make_goals(self) -> None:
        criteria = [word for text in _CRITERIA for word in ("--acceptance", text)]
        agents = [word for agent in AGENTS for word in ("--agent", agent)]
        objective = "Parse every file of the corpus, with errors that say where and why."
        self.loopx.ok("init", "--goal-id", GOAL, "--objective", objective, *criteria, *agents)
        self.loopx.ok("goal", "update", "--goal-id", GOAL, "--slots", "24", "--tokens", "2000000", "--window", "7d")
        for agent, capabilities in AGENTS.items():
            words = [word for name in capabilities for word in ("--capability", name)]
            self.loopx.ok("agent", "register", "--goal-id", GOAL, "--agent-id", agent, *words)
        self.loopx.ok("goal", "add", "--goal-id", OTHER, "--objective", "A site that answers within a page.")
        self.loopx.ok("agent", "register", "--goal-id", OTHER, "--agent-id", "dune")

    def _make_done_work(self) -> None:
        for number, (agent, text) in enumerate(_DONE):
            self._add(f"done{number}", f"[P1] {text}")
            self._finish(f"done{number}", agent)
            self._spend(f"done{number}", agent, 120_000 + 31_000 * number)
            self._wait(11 * HOUR)
        self.loopx.ok("goal", "accept", "--goal-id", GOAL, "--criterion", "A1", "--evidence", "the corpus run is green")

    def _finish(self, name: str, agent: str) -> None:
        self.loopx.ok("todo", "claim", self.ids[name], "--claimed-by", agent)
        self._wait(90 * MINUTE)
        end = ("--evidence", "all tests pass; see the branch", "--no-follow-up", "--reason", "nothing comes after it")
        self.loopx.ok("todo", "complete", self.ids[name], "--claimed-by", agent, *end)

    def _spend(self, name: str, agent: str, tokens: int) -> None:
        who = ("--goal-id", GOAL, "--agent-id", agent)
        work = ("--run-kind", "work", "--evidence", "done", "--validation", "tests pass")
        run = self.loopx.ok("refresh-state", *who, "--todo-id", self.ids[name], *work)["run"]["run_id"]
        cost = ("--tokens", str(tokens), "--cost", "1.75", "--seconds", "840")
        self.loopx.ok("quota", "spend-slot", *who, "--run-id", run, *cost)

    def _make_work(self) -> None:
        self._add("api", "[P0] Rename the public parse functions", "--required-decision-scope", _API)
        self._add("tests", "[P1] Move the old tests over to the new names", *self._after("api"))
        self._add("notes", "[P2] Write the release notes", *self._after("api", "tests"))
        self._add("publish", "[P1] Publish", *self._after("notes"), "--required-decision-scope", _PUBLISH)
        self._add("smoke", "[P1] Add a smoke test for each error code", "--required-capability", "shell")
        self._add("fuzz", "[P2] Fuzz the string reader for an hour", "--required-capability", "shell")
        self._add("bench", "[P2] Measure the parser on the ten largest files", "--required-capability", "shell")
        self._add("unicode", "[P1] Accept identifiers in any script: naïve, Ελληνικά, кириллица")
        self._add("lexer", "[P1] Split the lexer from the reader")
        self._add("review", "[P2] Review the lexer split", *self._after("lexer"), "--excluded-agent", "atlas")
        self._add("upstream", "[P3] Watch the upstream pull request", *_MONITOR)
        self._add("later", "[P3] Drop the old grammar", "--status", "deferred", "--resume-when", "in:20d")
        cause = ("--status", "blocked", "--reason", "the machine is being repaired")
        self._add("blocked", "[P2] Run the nightly corpus on the big machine", *cause)
        self._add("pages", "[P1] One page for each error", goal=OTHER)
        self._add("search", "[P2] Search that works without a server", goal=OTHER)

    def _make_questions(self) -> None:
        rename = "[P0] May parse() become read()? Callers change one line; the old name stays for two releases."
        self._ask("q_api", "api", ("atlas", _API), rename)
        publish = "[P1] Publish 2.0 to the package index under the project's account?"
        self._ask("q_publish", "publish", ("birch", _PUBLISH), publish)
        self._add("action", "[P2] Order a second disk for the corpus machine", "--role", "user")

    def _ask(self, name: str, held: str, reaches: tuple[str, str], question: str) -> None:
        agent, scope = reaches
        reach = ("--decision-scope", scope, "--blocks-agent", agent, "--unblocks-todo-id", self.ids[held])
        self._add(name, question, *_GATE, *reach)

    def _make_holdings(self) -> None:
        """Who holds what as the week stands; leases last longer than any test looks."""
        self._hold(26 * HOUR, "todo", "claim", self.ids["fuzz"], "--claimed-by", "cedar", "--ttl", "20h")
        self._hold(2 * HOUR, "todo", "claim", self.ids["api"], "--claimed-by", "atlas")
        lease = ("task-lease", "acquire", "--todo-id")
        self._hold(25 * MINUTE, *lease, self.ids["lexer"], "--agent-id", "atlas", "--ttl", "4h")
        self._hold(9 * MINUTE, *lease, self.ids["smoke"], "--agent-id", "birch", "--ttl", "2h")
        self.clock.set(self.now)

    def _hold(self, ago: Duration, *argv: str) -> None:
        self.clock.set(self.now - ago)
        self.loopx.ok(*argv)
