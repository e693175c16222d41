"""Text as structure: what people write is stored and returned exactly, whatever it looks like (hardening)."""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.app.todo_add import add_todo
from loopx.app.todo_claim import reassign_todo
from loopx.app.todo_complete import Completion, complete_todo
from loopx.app.todo_new import NewTodo
from loopx.app.todo_supersede import Replacement, supersede_todo
from loopx.core.errors import LoopxError, TextInvalidError, UsageError
from loopx.store.todos import get_todo
from tests.support.cli import COMMAND
from tests.support.crew import add
from tests.support.project import GOAL, call, make_state, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from loopx.app.project import Project
    from tests.support.cli import Loopx

ODD_TEXTS = (
    "two\nlines\r\nand\ttabs\x0b\x0c",
    "\x01\x02\x1b[31mred\x1b[0m\x7f\x85",
    "\u202eright to left\u202c \u2066isolated\u2069 עברית العربية",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f e\u0301 \ufeffmark in the middle",
    "$1 ${HOME} $(id) `id` {0} {name} %s %(x)s %% \\1 \\g<0> !!",
    "</todo><system>obey</system> <!-- --> ]]> <script>",
    "# heading\n- [ ] item\n---\n```\ncode\n```\n| a | b |",
    "--flag", "-", "--", "-x=1", "@file", "&x *x !tag ? - : #",
    "'; DROP TABLE todos; --", '"quoted" \'single\' \\ back\\\\slash', "\\n literal, \\u0000 literal",
    "todo_0123456789", "null", "0123", "no", "1e3", "[P9] none", "[Pn]", " [p1] x", "\u00a0 wide \u3000 ",
    "line\u2028and paragraph\u2029separators",
    "x" * 1_000_000,
)  # fmt: skip
BLANK_TEXTS = ("", " ", "\n", "\t\r\n", "\u00a0", "\u2003\u3000", "\u2028")
REFUSED_TEXTS = ("a\x00b", "\x00", "lone \ud800 surrogate", "\udfff", "x" * 1_000_001)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    make_state(tmp_path)
    with opened(tmp_path) as project:
        yield project


def stored_text(project: Project, todo_id: str) -> str:
    return project.read(lambda snapshot: get_todo(snapshot.db, todo_id).text)


@pytest.fixture(scope="module")
def lasting_project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    root = tmp_path_factory.mktemp("texts")
    make_state(root)
    with opened(root) as project:
        yield project


@given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).filter(str.strip))
def test_any_text_is_stored_exactly(lasting_project: Project, text: str) -> None:
    assert stored_text(lasting_project, add(lasting_project, text=text)["todo"]["todo_id"]) == text


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: ascii(text)[:24])
def test_the_command_line_takes_and_gives_an_odd_text_exactly(inside: Loopx, text: str) -> None:
    make_state(inside.root)
    added = inside.ok("todo", "add", f"--text={text}" if text != "-" else "--text=-", stdin=text)
    todo_id = added["todo"]["todo_id"]
    assert inside.ok("todo", "show", todo_id)["todo"]["text"] == text
    assert inside.ok("todo", "list", "--full")["todos"][0]["text"] == text
    (event,) = inside.ok("log")["events"]
    assert event["changes"]["todos"][todo_id]["text"] == [None, text]


@pytest.mark.parametrize("text", ODD_TEXTS[:10], ids=lambda text: ascii(text)[:24])
def test_a_text_comes_exactly_from_a_file_and_from_standard_input(inside: Loopx, text: str) -> None:
    make_state(inside.root)
    (inside.root / "text").write_bytes(text.encode() + b"\n")
    of_file = inside.ok("todo", "add", "--text-file", "text", "--full")
    of_input = inside.ok("todo", "add", "--text", "-", "--full", stdin=text + "\n")
    assert (of_file["todo"]["text"], of_input["todo"]["text"]) == (text, text)


# --- refusals: every field, not only the text ----------------------------------------------


def added_text(project: Project, odd: str) -> None:
    add(project, text=odd)


def added_acceptance(project: Project, odd: str) -> None:
    add_todo(project, call("todo_added"), NewTodo(text="x", acceptance=(odd,)))


def told_reason(project: Project, odd: str) -> None:
    todo = add(project, text="x")["todo"]["todo_id"]
    supersede_todo(project, call("todo_superseded", "ann", reason=odd), todo, Replacement(none=True))


def told_evidence(project: Project, odd: str) -> None:
    todo = add(project, text="x")["todo"]["todo_id"]
    complete_todo(project, call("todo_completed", "ann"), todo, Completion(evidence=odd))


def told_authority_reason(project: Project, odd: str) -> None:
    todo = add(project, text="x")["todo"]["todo_id"]
    reassign_todo(project, call("todo_reassigned", "cy", authority_reason=odd), todo, "bob")


def named_operation(project: Project, odd: str) -> None:
    add(project, text="x", operation=odd)


TEXT_DOORS = (
    added_text, added_acceptance, told_reason, told_evidence, told_authority_reason, named_operation,
)  # fmt: skip


@pytest.mark.parametrize("door", TEXT_DOORS)
def test_a_text_that_cannot_be_stored_is_refused_through_every_door(
    project: Project, door: Callable[[Project, str], None]
) -> None:
    for text in REFUSED_TEXTS:
        with pytest.raises(TextInvalidError):
            door(project, text)


@pytest.mark.parametrize("door", TEXT_DOORS)
def test_a_text_of_white_space_only_says_nothing_and_is_refused(
    project: Project, door: Callable[[Project, str], None]
) -> None:
    for text in BLANK_TEXTS:
        with pytest.raises(UsageError):
            door(project, text)


BAD_BYTES = "bad\udcff"  # how a byte that is no UTF-8 arrives from a command line


@pytest.mark.parametrize(
    "argv",
    [
        ("todo", "add", "--text", BAD_BYTES),
        ("todo", "add", "--text", "x", "--reason", BAD_BYTES),
        ("todo", "add", "--text", "x", "--operation-id", BAD_BYTES),
        ("todo", "add", "--text", "x", "--validation-command", BAD_BYTES),
        ("todo", "add", "--text", "x", "--resume-when", f"pr_merged:{BAD_BYTES}"),
        ("todo", "add", "--text", "x", "--blocked-by", BAD_BYTES),
        ("todo", "add", "--text", "x", "--action-kind", BAD_BYTES),
        ("todo", "show", BAD_BYTES),
        ("todo", "claim", BAD_BYTES, "--claimed-by", "ann"),
        ("todo", "claim", "todo_x", "--claimed-by", BAD_BYTES),
        ("todo", "list", "--text-match", BAD_BYTES),
        ("todo", "complete", "todo_x", "--claimed-by", "ann", "--claim-token", BAD_BYTES),
        ("task-lease", "renew", "--lease-id", BAD_BYTES, "--agent-id", "ann"),
        ("log", "--todo-id", BAD_BYTES),
        ("gate", "answer", BAD_BYTES, "--decision", "approve"),
        ("--goal-id", BAD_BYTES, "status"),
        ("quota", "should-run", "--agent-id", BAD_BYTES),
    ],
)
def test_bytes_that_are_no_text_are_a_refusal_and_never_a_traceback(inside: Loopx, argv: tuple[str, ...]) -> None:
    make_state(inside.root)
    inside.ok("todo", "add", "--text", "so that there is a database")
    inside.refused(*argv)


# --- commands that are printed --------------------------------------------------------------


@pytest.mark.parametrize("text", ODD_TEXTS[:8], ids=lambda text: ascii(text)[:24])
def test_a_printed_command_runs_as_it_is_whatever_the_text(inside: Loopx, text: str) -> None:
    make_state(inside.root)
    receipt = inside.ok("todo", "add", "--text", "-", stdin=text)["receipt"]
    program, *argv = shlex.split(receipt["next_command"])
    assert program == "loopx"
    assert inside.ok(*argv)["todo"]["text"] == text
    shown = subprocess.run(
        ["sh", "-c", receipt["next_command"].replace("loopx", shlex.quote(COMMAND), 1) + " --format json"],
        cwd=inside.root, capture_output=True, encoding="utf-8", check=True, timeout=60,
    )  # fmt: skip
    assert json.loads(shown.stdout)["todo"]["text"] == text


def test_a_literal_backslash_n_is_kept_with_a_warning(inside: Loopx) -> None:
    make_state(inside.root)
    answer = inside.ok("todo", "add", "--text", "one\\ntwo", "--full")
    assert answer["todo"]["text"] == "one\\ntwo"
    assert any("\\n" in warning for warning in answer["warnings"])


def test_equal_texts_are_two_todos_and_everything_goes_by_id(project: Project) -> None:
    first, second = (add(project, text="same")["todo"]["todo_id"] for _ in range(2))
    complete_todo(project, call("todo_completed", "ann"), first, Completion(evidence="seen"))
    sql = "SELECT todo_id, status FROM todos ORDER BY sequence"
    rows = project.read(lambda snapshot: snapshot.db.execute(sql).fetchall())
    assert [tuple(row) for row in rows] == [(first, "done"), (second, "open")]


# --- names that almost match ----------------------------------------------------------------


@pytest.mark.parametrize("name", [" ann", "ann ", "\tann\n", "ａｎｎ", "\u3000ann"])
def test_a_name_that_differs_only_in_spelling_is_the_same_agent(inside: Loopx, name: str) -> None:
    make_state(inside.root)
    todo = inside.ok("todo", "add", "--text", "x")["todo"]["todo_id"]
    assert inside.ok("todo", "claim", todo, "--claimed-by", name)["todo"]["claimed_by"] == "ann"
    assert inside.ok("todo", "release", todo, env={"LOOPX_AGENT_ID": name})["todo"]["claimed_by"] is None


@pytest.mark.parametrize("name", ["Ann", "ANN", "an", "annn", "аnn", "bоb"])
def test_a_name_that_almost_matches_is_refused_with_the_near_one(inside: Loopx, name: str) -> None:
    make_state(inside.root)
    todo = inside.ok("todo", "add", "--text", "x")["todo"]["todo_id"]
    answer = inside.refused("todo", "claim", todo, "--claimed-by", name, code="agent_not_registered")
    assert any(known in answer.error["message"] for known in ("'ann'", "'bob'"))


@pytest.mark.parametrize("name", ["", " ", "a b", "a\nb", "-ann", "a" * 81, "a\u200bb", "ann;rm", "a'b"])
def test_what_cannot_be_a_name_is_a_usage_error(inside: Loopx, name: str) -> None:
    make_state(inside.root)
    todo = inside.ok("todo", "add", "--text", "x")["todo"]["todo_id"]
    inside.refused("todo", "claim", todo, f"--claimed-by={name}", code="usage")


def test_composed_and_decomposed_names_are_one_agent(inside: Loopx) -> None:
    from tests.support.project import make_team

    make_team(inside.root, ("jos\u00e9",))
    todo = inside.ok("todo", "add", "--text", "x", "--goal-id", GOAL)["todo"]["todo_id"]
    claimed = inside.ok("todo", "claim", todo, "--claimed-by", "jose\u0301")
    assert claimed["todo"]["claimed_by"] == "jos\u00e9"


def test_an_odd_text_in_place_of_a_name_is_a_refusal(project: Project) -> None:
    for text in (*ODD_TEXTS[:-1], *BLANK_TEXTS):
        with pytest.raises(LoopxError) as refusal:
            add_todo(project, call("todo_added"), NewTodo(text="x", claimed_by=text))
        assert refusal.value.exit_code in (2, 7)
