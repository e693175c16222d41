"""The handoff packet on the wire: bounded parts, every text masked and cut, nothing that names the machine.

Texts are masked before they are cut, so that no half of a secret is left; ids and commands are made of ids
alone. At most `SHOWN` rows stand in a list, beside how many there are.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.contracts.goal_document import grant_document
from loopx.contracts.lineage_document import lineage_row
from loopx.contracts.public import is_public
from loopx.contracts.todo_document import priority_name
from loopx.core.authority import AUTHORITY_SOURCE
from loopx.core.command import quoted
from loopx.core.decision.reason import ENDS
from loopx.core.digest import sha256_hex
from loopx.core.instant import format_duration, format_instant
from loopx.core.secret import masked, masked_brief, masked_word
from loopx.core.text import BRIEF_BYTES
from loopx.core.todo import Gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from loopx.core.closure import ClosureGap
    from loopx.core.decision.decision import Decision
    from loopx.core.goal import Goal
    from loopx.core.handoff import Handoff, HandoffState, Surface
    from loopx.core.lineage import Lineage
    from loopx.core.run import Run
    from loopx.core.todo import Todo

Document = dict[str, Any]

SHOWN = 5  # rows of a list; each has a command of its own that shows all
OBJECTIVE_BYTES = 320
_NAMES_SHOWN = 10
_COMMANDS_SHOWN = 3


def handoff_document(surface: Surface, state: HandoffState, recorded: Handoff | None, sender: str | None) -> Document:
    """The packet's `handoff`; it starts nothing (W11.1)."""
    return {
        "state": state.value,
        "checks": dict(zip(surface.checks._fields, surface.checks, strict=True)),
        "goal_id": surface.goal_id,
        "from": sender,
        "to": surface.to_agent,
        **surface.fields,
        "handoff_id": recorded.handoff_id if recorded else None,
        "recorded_at": format_instant(recorded.created_at) if recorded else None,
        "digest": surface_digest(surface.fields),
        "evaluated_at": format_instant(surface.evaluated_at),
        "state_sequence": surface.sequence,
    }


def surface_digest(fields: Mapping[str, object]) -> str:
    """One digest over all parts."""
    return _digest(field_digests(fields))


def field_digests(fields: Mapping[str, object]) -> dict[str, str]:
    """Part → the digest of what it holds."""
    return {name: _digest(value) for name, value in fields.items()}


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256_hex(text.encode("utf-8", "surrogatepass"))


def is_sound(fields: Document) -> bool:
    """Whether the parts may leave as they are: masking them once more would change nothing (W11.2)."""
    return is_public(fields)


# --- the parts -------------------------------------------------------------------------------


def objective_text(goal: Goal) -> str:
    """What is true when the goal is reached."""
    return masked_brief(goal.objective, OBJECTIVE_BYTES)


def authority_document(goal: Goal) -> Document:
    """Who may act, with what grants, where, on what budget: the registry is the source."""
    agents = [agent.agent_id for agent in goal.active_agents]
    window = goal.quota.window_us
    return {
        "source": AUTHORITY_SOURCE,
        "goal_state": goal.state.value,
        "agents": agents[:_NAMES_SHOWN],
        "agents_total": len(agents),
        "grants": [grant_document(grant) for grant in goal.grants[:_NAMES_SHOWN]],
        "grants_total": len(goal.grants),
        "boundary": {
            "repositories": [_brief(name) for name in goal.boundary.repositories[:_NAMES_SHOWN]],
            "write_scopes": [_brief(scope) for scope in goal.boundary.write_scopes[:_NAMES_SHOWN]],
        },
        "budget": {
            "slots": goal.quota.slots,
            "tokens": goal.quota.tokens,
            "cost": goal.quota.cost,
            "window": format_duration(window) if window is not None else None,
        },
    }


def validation_document(
    goal: Goal,
    *,
    unmet: Sequence[str],
    evidence: Mapping[str, tuple[str, str]],
    gaps: Iterable[ClosureGap],
    runs: Iterable[Run],
    todos: Iterable[Todo],
) -> Document:
    """What counts as done, what shows it so far, and what is missing."""
    criteria = sorted(goal.acceptance, key=lambda criterion: criterion.id not in unmet)  # unmet first
    return {
        "acceptance": [
            {
                "id": criterion.id,
                "text": _brief(criterion.text),
                "met": criterion.id not in unmet,
                "evidence": _brief(evidence[criterion.id][0]) if criterion.id in evidence else None,
                "met_by": evidence[criterion.id][1] if criterion.id in evidence else None,
            }
            for criterion in criteria[:_NAMES_SHOWN]
        ],
        "acceptance_total": len(criteria),
        "unmet_total": len(unmet),
        "missing": [
            {"code": gap.code.value, "count": gap.number, "subjects": list(gap.subjects[:SHOWN])} for gap in gaps
        ],
        "runs": [_run(run) for run in runs],
        "todos": [_demands(todo) for todo in list(todos)[:SHOWN]],
    }


def _run(run: Run) -> Document:
    return {
        "run_id": run.run_id,
        "todo_id": run.todo_id,
        "agent_id": run.agent_id,
        "evidence": _brief(run.evidence),
        "validation": run.validation and _brief(run.validation),
        "recorded_at": format_instant(run.recorded_at),
    }


def _demands(todo: Todo) -> Document:
    """What one todo asks of its result."""
    argv = todo.validation.argv if todo.validation else ()
    return {
        "todo_id": todo.todo_id,
        "acceptance": [_brief(text) for text in todo.acceptance[:SHOWN]],
        "validation_command": _brief(" ".join(quoted(word) for word in argv)) if argv else None,
    }


def frontier_rows(decision: Decision, todos: Mapping[str, Todo]) -> Document:
    """What may run, what is held and why, and how many there are of each kind."""
    selected = [decision.selected.todo.todo_id] if decision.selected is not None else []
    gate = decision.capability_gate
    runnable = dict.fromkeys((*selected, *(gate.runnable if gate is not None else ())))
    counts = decision.frontier
    return {
        "runnable": [_line(todos[todo_id]) for todo_id in runnable if todo_id in todos][:SHOWN],
        "runnable_total": counts.runnable,
        "blocked": [
            {
                **_line(todos[row.todo_id]),
                "reason_code": row.reason_code.value,
                "next_command": masked(row.next_command),
            }
            for row in decision.blocking[:SHOWN]
            if row.todo_id in todos
        ],
        "blocked_total": decision.blocking_total,
        "monitors_due": counts.monitors_due,
        "monitors_waiting": counts.monitors_waiting,
        "deferred": counts.deferred,
        "user_open": counts.user_open,
    }


def gates_document(gates: Iterable[Todo], total: int) -> Document:
    """The questions that wait for a person, and whom each holds."""
    return {"open": [_gate(todo) for todo in gates], "total": total}


def _gate(todo: Todo) -> Document:
    gate = todo.gate or Gate()
    return {
        **_line(todo),
        "decision_scope": gate.decision_scope and masked_word(gate.decision_scope),
        "blocks_agent": gate.blocks_agent,
        "global_gate": gate.global_gate,
        "unblocks_todo_id": gate.unblocks_todo_id,
    }


def claims_document(rows: Iterable[Mapping[str, Any]], total: int) -> Document:
    """Who is on what, softly or under a lease, and until when; never a token."""
    names = ("todo_id", "agent_id", "held", "until")
    return {"held": [{name: row[name] for name in names} for row in rows], "total": total}


def next_action_document(decision: Decision, stated: Run | None) -> Document | None:
    """What the decision says to do, and beside it what a run said last; None where nothing is left."""
    if decision.mode in ENDS:
        return None
    return {
        "text": decision.primary_action,
        "mode": decision.mode.value,
        "todo_id": decision.selected.todo.todo_id if decision.selected is not None else None,
        "commands": [masked(line) for line in decision.next_actions[:_COMMANDS_SHOWN]],
        "stated": _brief(stated.next_action) if stated is not None and stated.next_action else None,
        "stated_by": stated.agent_id if stated is not None else None,
        "stated_on": stated.todo_id if stated is not None else None,
    }


def stop_document(stated: Run | None, goal: Goal, unmet: Sequence[str]) -> Document | None:
    """When the receiver stops; None where nothing says so."""
    if stated is not None and stated.stop_condition:
        return {"text": _brief(stated.stop_condition), "source": "run", "run_id": stated.run_id, "criteria": []}
    if not unmet:
        return None
    texts = {criterion.id: criterion.text for criterion in goal.acceptance}
    first = _brief(texts[unmet[0]])
    more = f", and {len(unmet) - 1} more" if len(unmet) > 1 else ""
    text = f"{unmet[0]} is met ({first}){more}"
    return {"text": text, "source": "acceptance", "run_id": None, "criteria": list(unmet[:_NAMES_SHOWN])}


def lineage_document(lineages: Iterable[Lineage]) -> list[Document]:
    """Where the shown todos come from and what stands in for what."""
    return [lineage_row(lineage) for lineage in lineages]


def _line(todo: Todo) -> Document:
    return {
        "todo_id": todo.todo_id,
        "priority": priority_name(todo.priority),
        "task_class": todo.task_class.value,
        "text": _brief(todo.text),
    }


def _brief(text: str) -> str:
    return masked_brief(text, BRIEF_BYTES)


def handoff_row(recorded: Handoff, *, run_seen: bool) -> Document:
    """A recorded handoff in a list."""
    return {
        "handoff_id": recorded.handoff_id,
        "sequence": recorded.sequence,
        "from": recorded.from_agent,
        "to": recorded.to_agent,
        "created_at": format_instant(recorded.created_at),
        "digest": recorded.digest,
        "post_handoff_run_seen": run_seen,
    }
