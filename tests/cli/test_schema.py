"""The contracts are served, and `check` judges as the test suite does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopx.contracts.schema import load_schema, schema_names
from loopx.render import RENDERERS
from tests.support.cli import Loopx

ROOT = Path(__file__).resolve().parents[2]


def test_every_contract_is_listed_without_a_project(inside: Loopx) -> None:
    document = inside.ok("schema", "list", "--limit", "1000")
    files = sorted(path.name.removesuffix(".schema.json") for path in (ROOT / "schemas").glob("*.schema.json"))
    assert [row["name"] for row in document["schemas"]] == files
    assert all(row["description"] for row in document["schemas"])


def test_the_list_is_bounded_and_goes_on(inside: Loopx) -> None:
    first = inside.ok("schema", "list", "--limit", "2")
    assert first["truncated"] is True
    rest = inside.ok("schema", "list", "--limit", "1000", "--cursor", first["next_cursor"])
    assert len(first["schemas"]) + len(rest["schemas"]) == first["total"]


def test_show_gives_the_contract_as_it_is(inside: Loopx) -> None:
    shown = inside.ok("schema", "show", "todo_v1")["schema"]
    assert shown == json.loads((ROOT / "schemas" / "todo_v1.schema.json").read_text(encoding="utf-8"))


def test_an_unknown_contract_is_refused_with_the_near_match(inside: Loopx) -> None:
    refusal = inside.refused("schema", "show", "todo_v2", code="schema_not_found", exit_code=7)
    assert "'todo_v1'" in refusal.error["message"]


def test_a_document_that_a_command_printed_passes(inside: Loopx) -> None:
    inside.ok("init")
    printed = inside.call("goal", "list").out
    assert inside.ok("schema", "check", "-", stdin=printed)["name"] == "goal_list_v1"
    (inside.root / "answer.json").write_text(printed, encoding="utf-8")
    assert inside.ok("schema", "check", "answer.json")["valid"] is True


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"schema_version": 1}',
        '{"schema_version": "error_v1"} {}',
        '{"schema_version": "goal_list_v1", "ok": true, "ok": true}',
        '{"schema_version": "goal_list_v1", "total": NaN}',
        "[" * 100_000,
    ],
)
def test_what_is_no_document_is_refused(inside: Loopx, text: str) -> None:
    inside.refused("schema", "check", "-", stdin=text, code="document_invalid", exit_code=3)


def test_a_fault_is_named_with_its_place(inside: Loopx) -> None:
    inside.ok("init")
    document = inside.ok("goal", "list") | {"total": -1, "extra": 1}
    refusal = inside.refused("schema", "check", "-", stdin=json.dumps(document), code="document_invalid")
    assert {fault["path"] for fault in refusal.error["details"]["faults"]} == {"$", "$.total"}


def test_a_document_of_an_unknown_contract_is_not_found(inside: Loopx) -> None:
    text = '{"schema_version": "no_such_v1"}'
    inside.refused("schema", "check", "-", stdin=text, code="schema_not_found", exit_code=7)


@pytest.mark.parametrize("name", schema_names())
def test_every_contract_is_a_valid_and_closed_schema(name: str) -> None:
    from jsonschema import Draft202012Validator

    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    if {"schema_version", "ok"} <= set(schema.get("properties", {})):
        assert schema["properties"]["schema_version"] == {"const": name}
        assert schema["additionalProperties"] is False
        assert {"schema_version", "ok", "warnings"} <= set(schema["required"]), name


def test_every_renderer_belongs_to_a_contract() -> None:
    assert set(RENDERERS) <= set(schema_names())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_the_script_of_the_shell(inside: Loopx, shell: str) -> None:
    document = inside.ok("completion", shell)
    assert "_LOOPX_COMPLETE" in document["script"]
    assert document["shell"] == shell


def test_an_unknown_shell_is_refused_with_the_near_match(inside: Loopx) -> None:
    assert "'zsh'" in inside.refused("completion", "zssh", code="usage", exit_code=2).error["message"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("loopx go", ["goal"]),
        ("loopx goal res", ["resume"]),
        ("loopx todo list --status d", ["done", "deferred"]),
        ("loopx nonsense and --pro", ["--project"]),
        ("loopx todo claim --claimed", ["--claimed-by"]),
    ],
)
def test_a_shell_is_offered_what_fits(loopx: Loopx, line: str, offered: list[str]) -> None:
    words = line.split(" ")
    env = {"_LOOPX_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    answer = loopx.text(env=env)
    assert (answer.code, answer.err) == (0, "")
    assert [row.removeprefix("plain,") for row in answer.out.split()] == offered
