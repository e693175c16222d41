"""The hierarchy of old is read once; the live model is always equal peers (W2.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import Loopx


def rewrite(loopx: Loopx, model: str) -> Path:
    registry = loopx.root / ".loopx" / "registry.yaml"
    text = registry.read_text()
    assert "agent_model: peer_v1" in text
    registry.write_text(text.replace("agent_model: peer_v1", f"agent_model: {model}"))
    return registry


@pytest.fixture
def lab(loopx: Loopx) -> Loopx:
    loopx.ok("init", "--goal-id", "lab", "--objective", "Equal peers", "--agent", "agent-a", "--agent", "agent-b")
    return loopx


def test_the_first_write_migrates_the_file_visibly_and_once(lab: Loopx) -> None:
    registry = rewrite(lab, "legacy_hierarchy  # of old")
    assert lab.ok("goal", "show")["goal"]["goal_id"] == "lab"
    assert "legacy_hierarchy" in registry.read_text(), "a read never migrates"
    lab.ok("todo", "add", "--text", "work")
    assert "agent_model: peer_v1  # of old" in registry.read_text()
    actions = [event["action"] for event in lab.ok("log")["events"]]
    assert actions[-2:] == ["agent_model_migrated", "todo_added"]
    lab.ok("todo", "add", "--text", "more")
    assert [event["action"] for event in lab.ok("log")["events"]].count("agent_model_migrated") == 1


def test_a_second_hierarchy_is_refused(lab: Loopx) -> None:
    registry = rewrite(lab, "legacy_hierarchy")
    lab.ok("todo", "add", "--text", "work")
    registry.write_text(registry.read_text().replace("peer_v1", "legacy_hierarchy"))
    lab.refused("todo", "add", "--text", "more", code="registry_invalid", exit_code=3)


def test_any_other_model_is_refused(lab: Loopx) -> None:
    rewrite(lab, "primary_side")
    lab.refused("todo", "list", code="registry_invalid", exit_code=3)
