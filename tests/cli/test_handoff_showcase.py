"""The three showcase graphs are a fixed point at every step of their life, for each agent by turns (W11.4)."""

from __future__ import annotations

import importlib
import json
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from loopx.app.handoff_packet import HandoffQuestion, handoff_packet
from loopx.app.handoff_qualify import Baseline, qualify_handoff
from tests.support.cli import Loopx
from tests.support.project import opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.app.mutation import Document

SHOWCASE = Path(__file__).resolve().parents[2] / "examples" / "showcase"
# One life of each graph, from its contract to its end.
LIVES = [("issue_fix", "no_followup"), ("single_agent_auto_ml", "promote"), ("auto_research", "promotion_gate")]
ROUNDS = 10
IN_PROCESSES = (6, 14)  # steps at which a round is a process of its own; the others open the store anew


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(str(SHOWCASE))
    return importlib.import_module


@pytest.mark.parametrize(("name", "end"), LIVES)
def test_a_showcase_graph_is_a_fixed_point_at_every_step(
    script: Callable[[str], Any], tmp_path: Path, name: str, end: str
) -> None:
    loopx, step, measured = Loopx(tmp_path), count(), 0

    def asked(argv: list[str]) -> tuple[int, str]:
        nonlocal measured
        answer = loopx.call(*argv[2:])  # `call` says --format json itself
        if answer.code == 0 and answer.json.get("receipt"):
            measured += _hold_still(Path(argv[3]), next(step))
        return answer.code, answer.out

    assert script("drive").play("", {end: script(name).ENDS[end]}, ["--end", end], asked) == 0
    assert measured >= 8


def _hold_still(root: Path, step: int) -> int:
    """Ten readings by ten openings of the store agree; the number of measures that were made."""

    def reread(baseline: Baseline, place: str | None) -> Document:
        with opened(root) as project:
            question = HandoffQuestion(baseline.goal_id, to_agent=baseline.to_agent, at=baseline.at)
            document: Document = json.loads(json.dumps(handoff_packet(project, question)))
            return document

    with opened(root) as project:
        (goal,) = project.read(lambda snapshot: snapshot.registry.goals())
        if not goal.active_agents:
            return 0
        receiver = goal.active_agents[step % len(goal.active_agents)].agent_id
        question = HandoffQuestion(None, to_agent=receiver)
        if step in IN_PROCESSES:
            assert qualify_handoff(project, question, 2)["distance"] == 0.0
        found = qualify_handoff(project, question, ROUNDS, reread=reread)
    assert (found["distance"], found["drift"], found["rounds"]) == (0.0, [], ROUNDS)
    return 1
