"""What the stages found, cohort by cohort, in the order in which candidates are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.core.decision.case import Case, Drop, is_held_by_peer
from loopx.core.decision.reason import Consequence, ReasonCode
from loopx.core.decision.snapshot import Cohort
from loopx.core.todo import Status, TaskClass, Todo
from loopx.core.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Repairs that anybody can make without touching the todo itself; the others are its holder's.
_MENDED_ELSEWHERE = frozenset(
    (ReasonCode.DECISION_REJECTED, ReasonCode.DECISION_SCOPE_WITHOUT_GATE, ReasonCode.OUTSIDE_GOAL_BOUNDARY)
)


class Finding(Value):
    """A cohort and everything that is in its way, in the order of the stages."""

    cohort: Cohort
    drops: tuple[Drop, ...]
    is_mine: bool

    @property
    def head(self) -> Todo:
        return self.cohort.members[0]

    @property
    def order(self) -> tuple[int, bool, int]:
        """Its place among the candidates."""
        return order_of(self.cohort.members[0], is_mine=self.is_mine)

    @property
    def is_free(self) -> bool:
        """Whether nothing is in its way."""
        return not self.drops

    @property
    def is_asleep(self) -> bool:
        """Deferred, and its condition does not hold."""
        return self.head.status is Status.DEFERRED and not self.cohort.awake

    def drop_of(self, *codes: ReasonCode) -> Drop | None:
        """The first of its obstacles with one of these codes."""
        return next((drop for drop in self.drops if drop.reason_code in codes), None)


def order_of(todo: Todo, *, is_mine: bool) -> tuple[int, bool, int]:
    """Priority, then mine before unclaimed, then creation (W1.5)."""
    return (todo.priority, not is_mine, todo.sequence)


class Survey(Value):
    """All findings, best first. `works` and `polls` are those with nothing in their way."""

    case: Case
    findings: tuple[Finding, ...]
    works: tuple[Finding, ...]
    polls: tuple[Finding, ...]

    @property
    def rooted(self) -> Iterator[Finding]:
        """Findings that stand for themselves: where a dependency is open, its root stands for them."""
        return (found for found in self.findings if found.drop_of(ReasonCode.DEPENDENCY_OPEN) is None)

    def sole(self, *consequences: Consequence) -> tuple[Finding, Drop] | None:
        """The best finding whose only obstacle leads to one of these."""
        return next(iter(self.all_sole(*consequences)), None)

    def all_sole(self, *consequences: Consequence) -> Iterator[tuple[Finding, Drop]]:
        """All findings whose only obstacle leads to one of these."""
        for found in self.findings:
            if len(found.drops) == 1 and found.drops[0].consequence in consequences:
                yield found, found.drops[0]

    def repairs(self) -> Iterator[tuple[Finding, Drop]]:
        """What states something that can never come true, as far as this caller can mend it."""
        return self._leading_to(Consequence.REPAIR)

    def waits_for_peers(self) -> Iterator[tuple[Finding, Drop]]:
        """What others hold, or must mend because they hold it."""
        return self._leading_to(Consequence.PEERS)

    def sleepers(self) -> Iterator[tuple[Finding, Drop]]:
        """What wakes by itself, or has a cause that is stated."""
        return self._leading_to(Consequence.QUIET)

    def _leading_to(self, consequence: Consequence) -> Iterator[tuple[Finding, Drop]]:
        for found in self.rooted:
            for drop in found.drops:
                if self._consequence(found, drop) is consequence:
                    yield found, drop
                    break

    def _consequence(self, found: Finding, drop: Drop) -> Consequence:
        is_holders = drop.consequence is Consequence.REPAIR and drop.reason_code not in _MENDED_ELSEWHERE
        if is_holders and is_held_by_peer(self.case, found.cohort):
            return Consequence.PEERS
        return drop.consequence


def survey_of(case: Case, findings: Iterable[Finding]) -> Survey:
    """The findings in their order, with what is free among them."""
    ranked = tuple(sorted(findings, key=lambda found: found.order))
    free = [found for found in ranked if found.is_free]
    return Survey(
        case=case,
        findings=ranked,
        works=tuple(found for found in free if found.head.task_class is TaskClass.ADVANCEMENT),
        polls=tuple(found for found in free if found.head.task_class is TaskClass.MONITOR),
    )
