"""Materials: declared in the registry, looked at where they are, acknowledged by who has read them (W11.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from loopx.core.instant import MINUTE
from tests.support.cli import Loopx
from tests.support.git import git, new_repository
from tests.support.lab import GOAL, add, start_lab
from tests.support.project import foreign_hand

if TYPE_CHECKING:
    from tests.support.fakes import FakeClock


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def declare(lab: Loopx, name: str, *more: str, text: str = "words\n") -> dict[str, Any]:
    """A file of the project that ann must have read."""
    (lab.root / f"{name}.md").write_text(text)
    return lab.ok("material", "add", name, "--path", f"{name}.md", "--required-for", "ann", *more)


def state(lab: Loopx, name: str = "spec", agent: str = "ann") -> str:
    rows = lab.ok("material", "status", "--agent-id", agent)["materials"]
    return str(next(row["state"] for row in rows if row["material_id"] == name))


def test_a_material_is_declared_by_its_place_and_its_text_is_kept_nowhere(lab: Loopx) -> None:
    added = declare(lab, "spec", "--relation", "specification", "--purpose", "field names", text="the body itself")
    assert added["material"]["kind"] == "file"
    assert added["receipt"]["event"] == "material_added"
    assert lab.ok("material", "list")["materials"] == [added["material"]]
    state_folder = b"".join(path.read_bytes() for path in (lab.root / ".loopx").iterdir() if path.is_file())
    assert b"the body itself" not in state_folder
    assert b"spec.md" in state_folder


def test_an_agent_passes_through_the_five_states(lab: Loopx) -> None:
    declare(lab, "spec")
    assert state(lab) == "required_unread"
    lab.ok("material", "ack", "spec", "--agent-id", "ann")
    assert state(lab) == "current"
    (lab.root / "spec.md").write_text("other words\n")
    assert state(lab) == "stale"
    (lab.root / "spec.md").unlink()
    assert state(lab) == "missing"
    (lab.root / "spec.md").mkdir()
    assert state(lab) == "inaccessible"
    (lab.root / "spec.md").rmdir()
    (lab.root / "spec.md").write_text("words\n")
    assert state(lab) == "current", "the revision follows from the bytes alone"


def test_what_one_agent_must_read_is_nothing_to_another(lab: Loopx) -> None:
    declare(lab, "spec")
    status = lab.ok("material", "status", "--agent-id", "bob")
    assert (status["materials"], status["material_frontier"]["required_count"]) == ([], 0)
    lab.ok("material", "ack", "spec", "--agent-id", "bob")
    assert state(lab) == "required_unread", "a peer's reading is not ann's"


def test_the_next_command_of_an_unread_material_runs_and_settles_it(lab: Loopx) -> None:
    import shlex

    declare(lab, "spec")
    (row,) = lab.ok("material", "status", "--agent-id", "ann")["materials"]
    lab.ok(*shlex.split(row["next_command"])[1:])
    assert state(lab) == "current"


def test_an_acknowledgement_of_another_revision_is_refused(lab: Loopx) -> None:
    revision = declare(lab, "spec")["material"]["revision"]
    (lab.root / "spec.md").write_text("changed while it was read\n")
    lab.refused(
        "material", "ack", "spec", "--agent-id", "ann", "--revision", revision, code="version_conflict", exit_code=4
    )
    assert state(lab) == "required_unread"


def test_what_is_not_there_was_not_read(lab: Loopx) -> None:
    declare(lab, "spec")
    (lab.root / "spec.md").unlink()
    answer = lab.refused("material", "ack", "spec", "--agent-id", "ann", code="material_unreadable", exit_code=3)
    assert answer.error["details"]["state"] == "missing"


def test_an_acknowledgement_is_an_agents(lab: Loopx) -> None:
    declare(lab, "spec")
    lab.refused("material", "ack", "spec", code="actor_required")
    lab.refused("material", "ack", "spec", "--agent-id", "zoe", code="agent_not_registered")
    lab.refused("material", "status", code="actor_required")


def test_an_unknown_material_is_refused_with_the_near_one(lab: Loopx) -> None:
    declare(lab, "spec")
    answer = lab.refused("material", "ack", "spce", "--agent-id", "ann", code="material_not_found", exit_code=7)
    assert "'spec'" in answer.error["message"]


def test_a_url_is_at_the_revision_that_somebody_stated_last(lab: Loopx) -> None:
    lab.ok("material", "add", "page", "--url", "https://example.invalid/spec", "--required-for", "ann")
    assert state(lab, "page") == "required_unread"
    lab.refused("material", "ack", "page", "--agent-id", "ann", code="usage")
    lab.ok("material", "ack", "page", "--agent-id", "ann", "--revision", "2026-01-01")
    assert state(lab, "page") == "current"
    lab.ok("material", "ack", "page", "--revision", "2026-02-01", "--reason", "a new version came out")
    assert state(lab, "page") == "stale", "a person saw a newer one"
    lab.ok("material", "ack", "page", "--agent-id", "ann")
    assert state(lab, "page") == "current"


def test_a_blob_is_read_at_its_revision_and_from_the_projects_repository(inside: Loopx) -> None:
    new_repository(inside.root)
    lab = start_lab(inside)
    lab.ok("material", "add", "readme", "--path", "git:main:README", "--required-for", "ann")
    lab.ok("material", "ack", "readme", "--agent-id", "ann")
    assert state(lab, "readme") == "current"
    (lab.root / "README").write_text("changed\n")
    git(lab.root, "commit", "--quiet", "--message=second", "README")
    assert state(lab, "readme") == "stale"


@pytest.mark.parametrize(
    "place",
    [
        ("--path", "/etc/passwd"),
        ("--path", "../x"),
        ("--url", "https://me:pw1@example.com/"),
        (),
        ("--path", "a", "--url", "https://b"),
    ],
)
def test_a_place_that_leads_outside_or_is_none_is_refused(lab: Loopx, place: tuple[str, ...]) -> None:
    answer = lab.refused("material", "add", "spec", *place, code="usage", exit_code=2)
    assert "pw1" not in answer.out
    assert lab.ok("material", "list")["total"] == 0


def test_a_place_that_a_hand_edit_made_absolute_is_inaccessible_and_not_shown(lab: Loopx) -> None:
    declare(lab, "spec")
    registry = lab.root / ".loopx" / "registry.yaml"
    registry.write_text(registry.read_text().replace("spec.md", "/home/ann/secret.md"))
    (row,) = lab.ok("material", "list")["materials"]
    assert (row["reference"], row["fault"], row["kind"]) == ("[local path]", "inaccessible", None)
    assert state(lab) == "inaccessible"


def test_the_list_is_bounded(lab: Loopx) -> None:
    for number in range(6):
        declare(lab, f"m{number}")
    page = lab.ok("material", "list", "--limit", "4")
    assert (len(page["materials"]), page["total"], page["truncated"]) == (4, 6, True)
    rest = lab.ok("material", "list", "--cursor", page["next_cursor"])
    assert [row["material_id"] for row in rest["materials"]] == ["m4", "m5"]
    frontier = lab.ok("material", "status", "--agent-id", "ann", "--limit", "1")["material_frontier"]
    assert (frontier["required_count"], len(frontier["material_refs"])) == (6, 4), "the counts are of all"
    assert frontier["material_refs_truncated"] is True


def test_an_acknowledgement_is_replayed_and_cannot_be_undone(lab: Loopx, clock: FakeClock) -> None:
    declare(lab, "spec")
    clock.advance(MINUTE)
    receipt = lab.ok("material", "ack", "spec", "--agent-id", "ann")["receipt"]
    assert lab.ok("doctor")["healthy"] is True
    lab.refused("undo", "--operation", receipt["operation_id"], code="undo_impossible")
    with foreign_hand(lab.root) as db:
        db.execute("UPDATE material_reads SET revision = 'sha256:other'")
    findings = lab.ok("doctor")["findings"]
    assert any("material_reads" in row["subject"] or "material_reads" in row["message"] for row in findings)


def test_a_dry_run_writes_nothing(lab: Loopx) -> None:
    declare(lab, "spec")
    lab.ok("material", "ack", "spec", "--agent-id", "ann", "--dry-run")
    assert state(lab) == "required_unread"
    add(lab, "work goes on")


def test_a_teammate_may_acknowledge_and_not_declare(lab: Loopx) -> None:
    declare(lab, "spec")
    env = {"LOOPX_ROLE": "teammate", "LOOPX_AGENT_ID": "ann"}
    lab.ok("material", "ack", "spec", env=env)
    lab.refused("material", "add", "x", "--path", "spec.md", code="role_not_allowed", env=env)


def test_the_text_views_say_what_is_to_be_read(lab: Loopx) -> None:
    declare(lab, "spec", "--purpose", "field names")
    from loopx.render import render

    listed = render(lab.ok("material", "list"), painted=False)
    status = render(lab.ok("material", "status", "--agent-id", "ann"), painted=False)
    assert "field names" in listed
    assert "required_unread" in status
    assert f"--goal-id {GOAL}" in status
