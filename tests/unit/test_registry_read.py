"""A registry file says what is written in it, to the letter, or is refused with the place to mend."""

from __future__ import annotations

import subprocess
import sys

import pytest

from loopx.core.errors import RegistryInvalidError
from loopx.core.goal import (
    Agent,
    Boundary,
    Criterion,
    Goal,
    GoalState,
    Grant,
    Material,
    Pool,
    QuotaPolicy,
)
from loopx.core.instant import HOUR
from loopx.registry.model import Registry
from loopx.registry.read import parse_registry

SAMPLE = """\
version: 1
goals:
  - id: ship-parser
    objective: Parse every file of the corpus
    state: active                  # active | paused | closed
    acceptance: [{id: A1, text: The corpus parses}]
    boundary: {repositories: [git:github.com/example/project], write_scopes: ["src/**"]}
    quota: {slots: 24, window: 24h}
    capabilities: {authority: [vault]}
    coordination:
      agent_model: peer_v1
      agents:
        - {id: agent-a, capabilities: [shell, filesystem_write]}
        - {id: agent-b, capabilities: [shell], retired: true}
      todo_lifecycle_authority:
        - {agent_id: agent-a, actions: [complete, reassign, supersede], requires_reason: true}
    pools: [{name: short_pool, capacity: 1}]
    materials: [{id: api-spec, path: docs/api.md, relation: specification, required_for: [agent-b]}]
"""


def parse(text: str) -> Registry:
    return parse_registry(text.encode(), source="somewhere/registry.yaml")


def refusal(text: str | bytes) -> RegistryInvalidError:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(RegistryInvalidError) as caught:
        parse_registry(data, source="somewhere/registry.yaml")
    return caught.value


def goal(fields: str = "", *, agents: str = "[]", more: str = "") -> str:
    """A registry of one goal, one line a key, so that line numbers are easy to count."""
    return f"version: 1\ngoals:\n- id: g\n  objective: o\n{fields}  coordination:\n    agents: {agents}\n{more}"


def test_every_key_of_the_sample_is_read() -> None:
    assert parse(SAMPLE).goals == (
        Goal(
            goal_id="ship-parser",
            objective="Parse every file of the corpus",
            state=GoalState.ACTIVE,
            acceptance=(Criterion("A1", "The corpus parses"),),
            boundary=Boundary(("git:github.com/example/project",), ("src/**",)),
            quota=QuotaPolicy(slots=24, window_us=24 * HOUR),
            agents=(
                Agent("agent-a", ("shell", "filesystem_write")),
                Agent("agent-b", ("shell",), retired=True),
            ),
            grants=(Grant("agent-a", ("complete", "reassign", "supersede"), requires_reason=True),),
            pools=(Pool("short_pool", 1),),
            materials=(Material("api-spec", "docs/api.md", "specification", None, ("agent-b",)),),
            authority_capabilities=("vault",),
        ),
    )


def test_a_goal_needs_an_id_and_an_objective_only() -> None:
    assert parse("version: 1\ngoals: [{id: g, objective: o}]").goals == (Goal("g", "o"),)


def test_an_empty_list_of_goals_is_written_as_such() -> None:
    assert parse("version: 1\ngoals: []\n").goals == ()


def test_json_is_a_registry_too() -> None:
    assert parse('{"version": 1, "goals": [{"id": "g", "objective": "o"}]}').goals == (Goal("g", "o"),)


@pytest.mark.parametrize(
    "spelt",
    ["no", "No", "on", "off", "y", "yes", "true", "1e3", "0123", "0x1F", "0o17", "12:30:45", "2024-01-31",
     "1.10", "2024-01-31T10:00:00Z", "10e-1", "685.230"],
)  # fmt: skip
def test_ids_that_yaml_could_read_as_something_else_stay_as_they_are_spelt(spelt: str) -> None:
    found = parse(goal(agents=f"[{{id: {spelt}, capabilities: [{spelt}]}}]")).goals[0]

    assert found.agents == (Agent(spelt, (spelt,)),)


@pytest.mark.parametrize("spelt", ["1_000", ".inf", "-.inf", ".nan", "=", "010"])
def test_texts_keep_what_yaml_1_1_would_convert(spelt: str) -> None:
    assert parse(f"version: 1\ngoals: [{{id: g, objective: {spelt}}}]").goals[0].objective == spelt


def test_an_older_yaml_version_changes_nothing_about_it() -> None:
    text = "%YAML 1.1\n---\nversion: 1\ngoals: [{id: no, objective: on}]\n"

    assert parse(text).goals == (Goal("no", "on"),)


@pytest.mark.parametrize("spelt", ["010", "0x10", "1_000", "1e3", "'3'", "3.0", "many", "yes", "+3"])
def test_a_number_is_taken_only_in_its_plain_decimal_form(spelt: str) -> None:
    fault = refusal(goal(f"  quota: {{slots: {spelt}}}\n"))

    assert "a whole number" in fault.message
    assert (fault.details["line"], fault.details["path"]) == (5, "goals[0].quota.slots")


@pytest.mark.parametrize("spelt", [".inf", ".nan", "1e400", "-1", "1,5"])
def test_a_cost_is_a_finite_number_from_zero_on(spelt: str) -> None:
    assert refusal(goal(f"  quota:\n    cost: {spelt}\n")).details["line"] == 6


def test_costs_may_have_a_fraction() -> None:
    assert parse(goal("  quota: {cost: 2.5}\n")).goals[0].quota.cost == 2.5


@pytest.mark.parametrize("spelt", ["yes", "on", "True", "1", "'true'"])
def test_a_truth_value_is_true_or_false(spelt: str) -> None:
    assert "true or false" in refusal(goal(agents=f"[{{id: a, retired: {spelt}}}]")).message


def test_names_are_taken_in_their_one_spelling() -> None:
    assert parse(goal(agents='[{id: " ａｇｅｎｔ-a "}]')).goals[0].agents == (Agent("agent-a"),)


@pytest.mark.parametrize("name", ["two words", "~", "null", "-x", "a\u200bb", "x" * 81])
def test_a_name_of_another_form_is_refused(name: str) -> None:
    assert refusal(goal(agents=f"[{{id: {name}}}]")).details["path"] == "goals[0].coordination.agents[0].id"


@pytest.mark.parametrize("model", ["", "peer_v1", "''"])
def test_the_agent_model_may_be_absent_empty_or_peer_v1(model: str) -> None:
    assert parse(goal(f"  agent_model: {model}\n", more=f"    agent_model: {model}\n")).legacy_models == ()


def test_the_hierarchy_of_old_is_read_and_noted_for_its_migration() -> None:
    at_the_goal = parse(goal("  agent_model: legacy_hierarchy\n"))
    in_coordination = parse(goal(more="    agent_model: legacy_hierarchy\n"))

    assert [note.goal_id for note in at_the_goal.legacy_models + in_coordination.legacy_models] == ["g", "g"]


@pytest.mark.parametrize("model", ["leader", "Peer_v1", "peer_v2", "[]"])
def test_any_other_agent_model_is_refused(model: str) -> None:
    assert refusal(goal(f"  agent_model: {model}\n")).details["line"] == 5


def test_write_scopes_are_normalised() -> None:
    boundary = parse(goal("  boundary: {write_scopes: [./src/, 'docs/**/*']}\n")).goals[0].boundary

    assert boundary.write_scopes == ("src", "docs/**")


@pytest.mark.parametrize("scope", ["../x", "/etc", "''"])
def test_a_write_scope_that_leaves_the_repository_is_refused_where_it_stands(scope: str) -> None:
    fault = refusal(goal(f"  boundary:\n    write_scopes:\n    - src/**\n    - {scope}\n"))

    assert fault.details["line"] == 8


def test_keys_of_ones_own_begin_with_x_and_are_passed_over() -> None:
    text = "version: 1\nx-owner: {name: [me, no]}\ngoals: [{id: g, objective: o, x-note: }]\n"

    assert parse(text).goals == (Goal("g", "o"),)


@pytest.mark.parametrize(("key", "meant"), [("objectiv", "objective"), ("Acceptance", "acceptance"), ("zz", None)])
def test_an_unknown_key_is_refused_with_the_nearest_one(key: str, meant: str | None) -> None:
    fault = refusal(f"version: 1\ngoals:\n- id: g\n  objective: o\n  {key}: []\n")

    assert (fault.details["line"], fault.details["column"]) == (5, 3)
    assert fault.details["near_match"] == meant
    assert repr(key) in fault.message


def test_a_misspelt_value_is_refused_with_the_nearest_one() -> None:
    fault = refusal(goal("  state: pasued\n"))

    assert fault.details["near_match"] == "paused"
    assert fault.details["line"] == 5


def test_a_duration_that_is_none_is_refused_with_its_line_and_the_accepted_form() -> None:
    fault = refusal(goal("  quota:\n    window: 24\n"))

    assert fault.details["line"] == 6
    assert "15m" in (fault.hint or "")


def test_the_first_fault_in_file_order_is_told() -> None:
    assert refusal(goal("  state: gone\n  quota: {slots: x}\n")).details["line"] == 5


def test_a_refusal_names_file_line_and_column_but_no_folder() -> None:
    fault = refusal(goal("  state: gone\n"))

    assert fault.message.startswith("registry.yaml line 5, column 10 (goals[0].state): ")
    assert "somewhere" not in fault.message + str(fault.details)


def test_a_version_from_the_future_is_refused_by_its_number() -> None:
    assert "version 2" in refusal("version: 2\ngoals: []\n").message


# --- things that stand twice -------------------------------------------------------------


def test_a_key_that_stands_twice_is_refused_with_both_lines() -> None:
    fault = refusal("version: 1\ngoals:\n- id: g\n  objective: o\n  state: active\n  objective: p\n")

    assert fault.details["lines"] == [4, 6]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("version: 1\ngoals:\n- {id: g, objective: o}\n- {id: G, objective: o}\n", [3, 4]),
        (goal(agents="\n    - id: a\n    - id: b\n    - id: ａ\n"), [7, 9]),
        (goal("  acceptance:\n  - {id: A1, text: x}\n  - {id: a1, text: y}\n"), [6, 7]),
        (goal("  pools:\n  - {name: p, capacity: 1}\n  - {name: p, capacity: 2}\n"), [6, 7]),
        (goal("  materials:\n  - {id: m, path: p}\n  - {id: M, path: q}\n"), [6, 7]),
    ],
    ids=["goals", "agents", "criteria", "pools", "materials"],
)
def test_names_that_are_equal_but_for_case_or_width_are_refused_with_both_lines(text: str, lines: list[int]) -> None:
    assert refusal(text).details["lines"] == lines


def test_an_agent_has_one_grant() -> None:
    more = (
        "    todo_lifecycle_authority:\n"
        "    - {agent_id: a, actions: [complete]}\n"
        "    - {agent_id: a, actions: [supersede]}\n"
    )

    assert refusal(goal(agents="[{id: a}]", more=more)).details["lines"] == [8, 9]


@pytest.mark.parametrize(
    "line",
    ["  todo_lifecycle_authority: [{agent_id: agent-A, actions: [complete]}]", "x"],
    ids=["grant", "material"],
)
def test_what_names_an_unregistered_agent_is_refused_with_the_near_match(line: str) -> None:
    fields = "  materials: [{id: m, path: p, required_for: [agent-A]}]\n" if line == "x" else ""
    more = "" if line == "x" else f"  {line}\n"

    fault = refusal(goal(fields, agents="[{id: agent-a}]", more=more))

    assert "'agent-a'" in fault.message


@pytest.mark.parametrize("actions", ["[]", "[delete]", "complete"])
def test_a_grant_lists_known_actions(actions: str) -> None:
    more = f"    todo_lifecycle_authority: [{{agent_id: a, actions: {actions}}}]\n"

    assert refusal(goal(agents="[{id: a}]", more=more)).details["line"] == 7


# --- files that are broken ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("# only a comment\n", 1),
        ("---\n...\n", 2),
        ("version: 1\ngoals:\n", 2),
        ("version: 1\ngoals: ~\n", 2),
        ("version: 1\n", 1),
        ("- a\n", 1),
        ("just words\n", 1),
        ("version: 1\ngoals:\n- id: g\n  objective: o\n  coordina", 5),
        ("version: 1\ngoals:\n- id: g\n  objective: o\n  coordination:", 5),
        ("version: 1\ngoals:\n- id: g\n  objective: 'o\n", 5),
        ("version: 1\ngoals: [{id: g, objective: o\n", 3),
        ("version: 1\ngoals:\n\t- id: g\n", 3),
        ("version: 1\ngoals: []\n---\nversion: 1\ngoals: []\n", 3),
        ("version: 1\ngoals: []\nx-a: \x07\n", 3),
        ("version: 1\ngoals: []\nx-a: \x00\n", 3),
        ("version: 1\ngoals: *none\n", 2),
        ("version: 1\ngoals: []\nx-a: &a [*a]\n", 3),
        ("version: 1\ngoals: !!python/object:os.system []\n", 2),
        ("version: 1\ngoals: []\nx-a: {[b]: c}\n", 3),
        ("version: 1\ngoals: []\n<<: [a]\n", 3),
        ("%YAML 9.0\n---\nversion: 1\ngoals: []\n", 1),
    ],
)
def test_a_broken_file_is_refused_with_its_line_and_never_read_as_no_goals(text: str, line: int) -> None:
    fault = refusal(text)

    assert fault.details["file"] == "registry.yaml"
    assert fault.details["line"] == line


def test_bytes_that_are_not_utf_8_are_refused_with_their_place() -> None:
    fault = refusal(b"version: 1\ngoals: []\nx-a: caf\xe9\n")

    assert (fault.details["line"], fault.details["column"]) == (3, 9)


def test_utf_16_is_refused() -> None:
    assert refusal("version: 1\ngoals: []\n".encode("utf-16")).details["line"] == 1


@pytest.mark.parametrize("mark", ["<<<<<<< ours", "||||||| base", ">>>>>>> theirs"])
def test_an_unsettled_merge_conflict_is_named_with_its_line(mark: str) -> None:
    fault = refusal(f"version: 1\ngoals: []\n{mark}\n")

    assert fault.details["line"] == 3
    assert "merge conflict" in fault.message


def test_aliases_that_explode_are_refused() -> None:
    lines = ["version: 1", "goals: []", "x-0: &x0 [a, a, a, a, a, a, a, a, a]"]
    lines += [f"x-{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 9)}]" for n in range(1, 10)]

    assert "aliases" in refusal("\n".join(lines)).message


@pytest.mark.parametrize("depth", [40, 100_000])
def test_nesting_without_end_is_refused(depth: int) -> None:
    assert "nested" in refusal("version: 1\ngoals: []\nx-a: " + "[" * depth).message


# --- anchors and merge keys --------------------------------------------------------------


def test_anchors_and_aliases_are_followed() -> None:
    text = (
        "version: 1\ngoals:\n"
        "- {id: g, objective: &o Same, coordination: &team {agents: [{id: a}]}}\n"
        "- {id: h, objective: *o, coordination: *team}\n"
    )

    assert [(found.objective, found.agents) for found in parse(text).goals] == [("Same", (Agent("a"),))] * 2


def test_a_merge_key_takes_in_what_is_not_written_and_the_nearest_source_wins() -> None:
    text = (
        "version: 1\nx-one: &one {slots: 1, tokens: 1}\n"
        "x-two: &two {slots: 2, tokens: 2, window: 1h}\ngoals:\n"
        "- {id: g, objective: o, quota: {<<: [*one, *two], tokens: 9}}\n"
    )

    assert parse(text).goals[0].quota == QuotaPolicy(slots=1, tokens=9, window_us=HOUR)


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert parse_registry(b"\xef\xbb\xbfversion: 1\ngoals: []\n", source="r").goals == ()


@pytest.mark.parametrize("module", ["cache", "write"])
def test_what_every_command_imports_loads_neither_yaml_nor_schemas(module: str) -> None:
    code = (
        f"import loopx.registry.{module}, sys\n"
        "print([name for name in ('ruamel', 'jsonschema', 'filelock', 'hashlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)

    assert (done.stdout, done.stderr) == ("[]\n", "")
