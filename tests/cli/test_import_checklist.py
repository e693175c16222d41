"""`import --from checklist`: the report first, one transaction, and a second import that overwrites nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from loopx.render import renderer_of
from loopx.render.plain import plain_text
from loopx.store.recount import miscounts
from loopx.store.replay import drifts, past_events, replay, table_state
from tests.support.cli import Loopx
from tests.support.git import new_repository, new_worktree
from tests.support.project import foreign_hand

if TYPE_CHECKING:
    from pathlib import Path

LIST = """\
# Release
- [ ] [P1] Write the parser
  with an error for each line
  - [x] Choose a grammar
  - [ ] Write the tests
- [x] Start a repository
- [-] Rewrite it in another language
"""
D1 = "direction:action:way"


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    inside.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann", "--agent", "bob")
    return inside


def write(lab: Loopx, text: str, name: str = "TODO.md") -> None:
    path = lab.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def take(lab: Loopx, *more: str, name: str = "TODO.md") -> dict[str, Any]:
    return lab.ok("import", "--from", "checklist", name, *more)


def counts(document: dict[str, Any]) -> dict[str, int]:
    """The counts that say something."""
    return {name: count for name, count in document["counts"].items() if count and name != "items"}


def todos(lab: Loopx) -> dict[str, dict[str, Any]]:
    """Every whole todo by its first line."""
    listed = lab.ok("todo", "list", "--full")["todos"]
    return {todo["text"].split("\n")[0]: todo for todo in listed}


def todo_id(lab: Loopx, name: str) -> str:
    return str(todos(lab)[name]["todo_id"])


def events(lab: Loopx) -> list[dict[str, Any]]:
    return [event for event in lab.ok("log")["events"] if event["action"] == "checklist_imported"]


@pytest.fixture(autouse=True)
def sound_history(lab: Loopx) -> Any:
    """After every test the history gives the tables, and every kept count is right."""
    yield
    with foreign_hand(lab.root) as db:
        assert drifts(replay(past_events(db)), table_state(db)) == []
        assert miscounts(db) == []


# --- the first import --------------------------------------------------------------------


def test_a_checklist_becomes_todos_in_file_order_with_one_event(lab: Loopx) -> None:
    write(lab, LIST)
    document = take(lab)
    assert counts(document) == {"added": 4, "left_out": 1}
    assert [(row["line"], row["step"]) for row in document["changes"]] == [(n, "added") for n in (2, 4, 5, 6)]
    found = todos(lab)
    parser = found["[P1] Write the parser"]
    assert parser["text"] == "[P1] Write the parser\nwith an error for each line"
    assert (parser["priority"], parser["status"], parser["blocked_by"]) == ("P1", "open", [])
    assert list(found) == ["[P1] Write the parser", "Choose a grammar", "Write the tests", "Start a repository"]
    (event,) = events(lab)
    assert event["goal_id"] == "lab"
    assert event["receipt"]["source"] == "TODO.md"
    assert event["receipt"]["counts"] == document["counts"]


def test_a_ticked_box_is_done_with_evidence_and_leaves_no_gap(lab: Loopx) -> None:
    write(lab, "- [x] Start a repository\n")
    take(lab, "--reason", "it was there before")
    todo = todos(lab)["Start a repository"]
    assert (todo["status"], todo["closure"]) == ("done", "completed_no_followup")
    assert (todo["evidence"], todo["no_followup"]) == ("imported as done", True)
    assert todo["completion_rationale"] == "it was there before"
    packet = lab.ok("quota", "should-run", "--agent-id", "ann")
    assert packet["interaction_contract"]["mode"] == "terminal_no_followup"


def test_nesting_becomes_dependencies_only_where_asked(lab: Loopx) -> None:
    write(lab, LIST)
    take(lab, "--nested-depends")
    found = todos(lab)
    parser, grammar, tests = (found[name] for name in ("[P1] Write the parser", "Choose a grammar", "Write the tests"))
    assert parser["blocked_by"] == [grammar["todo_id"], tests["todo_id"]]
    assert parser["unmet_dependencies"] == 1
    packet = lab.ok("quota", "should-run", "--agent-id", "ann")
    assert packet["selected_todo"]["todo_id"] == tests["todo_id"]


def test_a_ticked_item_around_an_open_one_is_done_and_says_so(lab: Loopx) -> None:
    write(lab, "- [x] a\n  - [ ] b\n")
    document = take(lab, "--nested-depends")
    assert document["warnings"] == ["ticked boxes around open ones: 1; their todos are done and wait for nothing"]
    assert todos(lab)["a"]["blocked_by"] == []


def test_a_dry_run_tells_everything_and_writes_nothing(lab: Loopx) -> None:
    write(lab, LIST + "- [?] Unclear\n")
    before = lab.ok("log")["total"]
    document = take(lab, "--dry-run")
    assert document["dry_run"] is True
    assert counts(document) == {"added": 4, "left_out": 1, "rejected": 1}
    assert [row["line"] for row in document["rejected"]] == [8]
    assert document["warnings"] == ["lines that cannot be taken: 1; without --skip-invalid nothing will be written"]
    assert lab.ok("log")["total"] == before
    assert todos(lab) == {}


def test_one_bad_line_refuses_the_file_and_lists_itself(lab: Loopx) -> None:
    write(lab, LIST + "- [?] Unclear\n")
    refusal = lab.refused("import", "--from", "checklist", "TODO.md", code="import_invalid", exit_code=3)
    assert refusal.error["details"]["rejected"] == [
        {"line": 8, "reason_code": "box_unknown", "message": "the sign in the box is none of: space, x, X, -, ~, /"}
    ]
    assert refusal.error["details"]["rejected_total"] == 1
    assert todos(lab) == {}


def test_bad_lines_are_left_out_on_request_and_still_listed(lab: Loopx) -> None:
    write(lab, "- [?] Unclear\n- [ ] Clear\n")
    document = take(lab, "--skip-invalid")
    assert counts(document) == {"added": 1, "rejected": 1}
    assert list(todos(lab)) == ["Clear"]


def test_a_begun_box_is_open_work_that_nobody_is_on(lab: Loopx) -> None:
    write(lab, "- [/] a\n")
    assert "boxes that say that work has begun: 1" in take(lab)["warnings"][0]
    todo = todos(lab)["a"]
    assert (todo["status"], todo["claimed_by"]) == ("open", None)


def test_a_file_without_boxes_writes_nothing(lab: Loopx) -> None:
    write(lab, "# Nothing\n")
    document = take(lab)
    assert document["receipt"] is None
    assert events(lab) == []


def test_lists_are_cut_and_counts_are_not(lab: Loopx) -> None:
    write(lab, "".join(f"- [ ] item {n}\n" for n in range(30)) + "- [?] x\n" * 30)
    document = take(lab, "--skip-invalid")
    assert (len(document["changes"]), len(document["rejected"])) == (20, 20)
    assert counts(document) == {"added": 30, "rejected": 30}
    (event,) = events(lab)
    assert sum(len(rows) for rows in event["changes"].values()) == 20
    assert event["changes_total"] == 60, "the todos, and what is remembered of each line"


# --- again -------------------------------------------------------------------------------


def test_a_second_import_of_the_same_file_changes_nothing(lab: Loopx) -> None:
    write(lab, LIST)
    take(lab, "--nested-depends")
    before = todos(lab)
    document = take(lab, "--nested-depends")
    assert document["receipt"] is None
    assert counts(document) == {"unchanged": 4, "left_out": 1}
    assert todos(lab) == before
    assert len(events(lab)) == 1


def test_what_changed_in_the_file_is_taken_over(lab: Loopx) -> None:
    write(lab, LIST)
    take(lab, "--nested-depends")
    changed = (
        LIST.replace("[P1]", "[P0]").replace("for each", "for every").replace("[ ] Write the t", "[x] Write the t")
    )
    write(lab, changed + "- [ ] Ship it\n")
    document = take(lab, "--nested-depends")
    assert counts(document) == {"added": 1, "updated": 1, "completed": 1, "unchanged": 2, "left_out": 1}
    found = todos(lab)
    parser = found["[P0] Write the parser"]
    assert (parser["priority"], parser["text"]) == ("P0", "[P0] Write the parser\nwith an error for every line")
    assert (found["Write the tests"]["closure"], parser["unmet_dependencies"]) == ("completed_no_followup", 0)
    assert document["unblocked"] == [parser["todo_id"]]
    assert len(found) == 5


def test_parts_are_completed_before_what_waits_for_them(lab: Loopx) -> None:
    write(lab, "- [ ] a\n  - [ ] b\n    - [ ] c\n")
    take(lab, "--nested-depends")
    write(lab, "- [x] a\n  - [x] b\n    - [x] c\n")
    assert counts(take(lab, "--nested-depends")) == {"completed": 3}


def test_a_new_part_holds_the_item_that_is_known(lab: Loopx) -> None:
    write(lab, "- [ ] a\n  - [ ] b\n")
    take(lab, "--nested-depends")
    lab.ok("todo", "update", todo_id(lab, "a"), "--remove-blocked-by", todo_id(lab, "b"))
    write(lab, "- [ ] a\n  - [ ] b\n  - [ ] c\n")
    assert counts(take(lab, "--nested-depends")) == {"added": 1, "updated": 1, "unchanged": 1}
    assert todos(lab)["a"]["blocked_by"] == [todo_id(lab, "c")]


def test_a_flat_import_is_linked_later_on_request(lab: Loopx) -> None:
    write(lab, "- [ ] a\n  - [ ] b\n")
    take(lab)
    assert counts(take(lab, "--nested-depends")) == {"updated": 1, "unchanged": 1}
    assert todos(lab)["a"]["blocked_by"] == [todo_id(lab, "b")]


def test_a_link_that_would_close_a_cycle_is_not_made(lab: Loopx) -> None:
    write(lab, "- [ ] a\n  - [ ] b\n")
    take(lab)
    lab.ok("todo", "update", todo_id(lab, "b"), "--blocked-by", todo_id(lab, "a"))
    (row,) = take(lab, "--nested-depends")["kept"]
    assert row["reason_code"] == "dependency_cycle"


def test_what_left_the_file_is_named_and_stays(lab: Loopx) -> None:
    write(lab, "- [ ] a\n- [ ] b\n")
    take(lab)
    write(lab, "- [ ] a\n")
    document = take(lab)
    assert document["gone"] == [{"todo_id": todo_id(lab, "b"), "text": "b"}]
    assert todos(lab)["b"]["status"] == "open"


def test_a_line_that_turned_bad_is_not_gone(lab: Loopx) -> None:
    write(lab, "- [ ] a\n")
    take(lab)
    write(lab, "- [?] a\n")
    assert counts(take(lab, "--skip-invalid")) == {"rejected": 1}


# --- nobody's work is overwritten --------------------------------------------------------


def kept(lab: Loopx, text: str) -> str:
    """Import a file that says something else of one todo; why it was kept as it was."""
    before = todos(lab)
    write(lab, text)
    document = take(lab)
    assert counts(document) == {"kept": 1}
    assert todos(lab) == before
    return str(document["kept"][0]["reason_code"])


@pytest.mark.parametrize("news", ["- [ ] a\n  new\n", "- [x] a\n"])
def test_claimed_and_leased_work_is_left_alone(lab: Loopx, news: str) -> None:
    write(lab, "- [ ] a\n")
    take(lab)
    lab.ok("todo", "claim", todo_id(lab, "a"), "--claimed-by", "ann")
    assert kept(lab, news) == "held_here"
    lab.ok("todo", "release", todo_id(lab, "a"), "--agent-id", "ann")
    lab.ok("task-lease", "acquire", todo_id(lab, "a"), "--agent-id", "bob", "--ttl", "1h")
    assert kept(lab, news) == "held_here"


def test_an_edit_here_is_newer_than_the_file(lab: Loopx) -> None:
    write(lab, "- [ ] a\n")
    take(lab)
    lab.ok("todo", "update", todo_id(lab, "a"), "--text", "a\nedited here")
    assert counts(take(lab)) == {"unchanged": 1}
    assert kept(lab, "- [ ] a\n  edited there\n") == "edited_here"


def test_closed_work_is_not_opened_again(lab: Loopx) -> None:
    write(lab, "- [x] a\n")
    take(lab)
    assert kept(lab, "- [ ] a\n") == "closed_here"


def test_work_that_was_cancelled_in_the_file_is_given_up_only_by_its_verb(lab: Loopx) -> None:
    write(lab, "- [ ] a\n")
    take(lab)
    assert kept(lab, "- [-] a\n") == "cancelled_there"


def test_an_import_finishes_no_gated_work(lab: Loopx) -> None:
    write(lab, "- [ ] a\n")
    take(lab)
    gated = todo_id(lab, "a")
    lab.ok("todo", "update", gated, "--required-decision-scope", D1)
    lab.ok(
        "todo", "add", "--role", "user", "--task-class", "user_gate", "--text", "Which way?",
        "--decision-scope", D1, "--blocks-agent", "ann", "--unblocks-todo-id", gated,
    )  # fmt: skip
    assert kept(lab, "- [x] a\n") == "gate_open"


def test_an_import_finishes_nothing_that_waits_or_must_be_validated(lab: Loopx) -> None:
    write(lab, "- [ ] a\n")
    take(lab)
    other = str(lab.ok("todo", "add", "--text", "before it")["todo"]["todo_id"])
    lab.ok("todo", "update", todo_id(lab, "a"), "--blocked-by", other)
    assert kept(lab, "- [x] a\n") == "todo_blocked"
    lab.ok("todo", "update", todo_id(lab, "a"), "--remove-blocked-by", other, "--validation-command", "true")
    assert kept(lab, "- [x] a\n") == "validation_required"


def test_an_excluded_agent_imports_no_completion_of_that_work(lab: Loopx) -> None:
    write(lab, "- [ ] a\n")
    take(lab)
    lab.ok("todo", "update", todo_id(lab, "a"), "--excluded-agent", "ann")
    write(lab, "- [x] a\n")
    assert take(lab, "--agent-id", "ann")["kept"][0]["reason_code"] == "agent_excluded"
    assert counts(take(lab, "--agent-id", "bob")) == {"completed": 1}
    assert todos(lab)["a"]["claimed_by"] == "bob"


def test_a_teammate_does_not_import(lab: Loopx) -> None:
    write(lab, LIST)
    argv = ("import", "--from", "checklist", "TODO.md")
    lab.refused(*argv, env={"LOOPX_AGENT_ID": "ann", "LOOPX_ROLE": "teammate"}, code="role_not_allowed")


# --- the call ----------------------------------------------------------------------------


def test_a_file_is_known_by_its_path_in_the_project_from_wherever_it_is_named(lab: Loopx) -> None:
    write(lab, "- [ ] a\n", "docs/plan.md")
    assert take(lab, name="docs/plan.md")["source"] == "docs/plan.md"
    document = lab.ok("import", "--from", "checklist", "plan.md", cwd=lab.root / "docs")
    assert counts(document) == {"unchanged": 1}
    write(lab, "- [ ] a\n", "other.md")
    assert counts(take(lab, name="other.md")) == {"added": 1}
    assert counts(take(lab, "--source", "docs/plan.md", name="other.md")) == {"unchanged": 1}


def test_a_file_outside_the_project_is_known_by_its_name_alone(lab: Loopx, tmp_path_factory: Any) -> None:
    path: Path = tmp_path_factory.mktemp("elsewhere") / "plan.md"
    path.write_text("- [ ] a\n", encoding="utf-8")
    document = take(lab, name=str(path))
    assert document["source"] == "plan.md"
    assert str(path.parent) not in str(lab.ok("log"))


def test_a_linked_worktree_imports_the_same_file(lab: Loopx, tmp_path_factory: Any) -> None:
    new_repository(lab.root)
    side = new_worktree(lab.root, tmp_path_factory.mktemp("side") / "side")
    write(lab, "- [ ] a\n")
    take(lab)
    (side / "TODO.md").write_text("- [ ] a\n", encoding="utf-8")
    document = lab.ok("import", "--from", "checklist", "TODO.md", cwd=side)
    assert (document["source"], counts(document)) == ("TODO.md", {"unchanged": 1})


def test_goals_do_not_share_what_they_imported(lab: Loopx) -> None:
    lab.ok("goal", "add", "--goal-id", "other", "--objective", "Else")
    write(lab, "- [ ] a\n")
    assert counts(take(lab, "--goal-id", "lab")) == {"added": 1}
    assert counts(take(lab, "--goal-id", "other")) == {"added": 1}
    lab.refused("import", "--from", "checklist", "TODO.md", code="usage")


def test_a_retry_of_the_same_operation_gets_the_same_answer(lab: Loopx) -> None:
    write(lab, "- [ ] a\n")
    first = take(lab, "--operation-id", "op-1")
    write(lab, "- [ ] a\n- [ ] b\n")
    again = take(lab, "--operation-id", "op-1")
    assert again["receipt"].pop("replayed") is True
    assert first["receipt"].pop("replayed") is False
    assert again == first


def test_a_kind_that_does_not_exist_is_refused(lab: Loopx) -> None:
    write(lab, LIST)
    refusal = lab.refused("import", "--from", "checklists", "TODO.md", code="usage", exit_code=2)
    assert "checklist" in refusal.error["message"]
    lab.refused("import", "TODO.md", code="usage")


def test_the_report_is_readable_text(lab: Loopx) -> None:
    write(lab, LIST + "- [?] Unclear\n")
    document = take(lab, "--dry-run")
    text = plain_text(renderer_of(document["schema_version"])(document))
    assert "checklist TODO.md into lab" in text
    assert "added" in text
    assert "box_unknown" in text
    assert "Dry run: nothing was written." in text
    write(lab, LIST)
    take(lab)
    lab.ok("todo", "claim", todo_id(lab, "[P1] Write the parser"), "--claimed-by", "ann")
    write(lab, "# Release\n- [x] [P1] Write the parser\n  - [x] Choose a grammar\n")
    document = take(lab)
    text = plain_text(renderer_of(document["schema_version"])(document))
    for words in ("Kept as it is", "held_here", "Open here and not in the file any more", "nothing was written"):
        assert words in text
