"""An edit of a registry writes its own lines; comments, order, quotes and anchors elsewhere stay."""

from __future__ import annotations

from collections.abc import Callable
from difflib import ndiff

import pytest

from loopx.core.errors import (
    ActionNotDelegatedError,
    AgentNotRegisteredError,
    GoalNotFoundError,
    NameTakenError,
    RegistryInvalidError,
    TextInvalidError,
    UsageError,
    WriteScopeInvalidError,
)
from loopx.core.goal import Agent, Boundary, Criterion, Goal, GoalState, Grant, Material, QuotaPolicy
from loopx.core.instant import DAY, HOUR
from loopx.registry.document import RegistryDocument
from loopx.registry.read import parse_registry
from loopx.registry.write import NewGoal, initial_registry

TEXT = """\
# the whole file
version: 1
goals:
  # the first goal
  - id: g            # its id
    objective: 'Don''t stop'
    state: active    # active | paused | closed
    acceptance:
      - {id: A1, text: One}   # first
      # between
      - id: A2
        text: >-
          Two, folded
          over lines
    boundary: {repositories: [], write_scopes: ["src/**", docs]}
    quota: {slots: 24, window: 24h}   # a day
    coordination:
      agent_model: peer_v1
      agents:
        - {id: agent-a, capabilities: [shell, "on"]}
        # the second one
        - {id: agent-b}

      todo_lifecycle_authority:
        - {agent_id: agent-a, actions: [complete, supersede]}   # careful

  # the second goal
  - id: "0123"
    objective: "Other"
# the end
"""

Change = Callable[[RegistryDocument], object]


def edited(change: Change, text: str = TEXT) -> tuple[RegistryDocument, list[str], list[str]]:
    """The document after the change, and the lines that went and came."""
    document = RegistryDocument(text, "registry.yaml")
    change(document)
    assert document.registry == parse_registry(document.text.encode(), source="registry.yaml")
    lines = list(ndiff(text.splitlines(), document.text.splitlines()))
    gone = [line[2:].strip() for line in lines if line.startswith("- ")]
    come = [line[2:].strip() for line in lines if line.startswith("+ ")]
    return document, gone, come


def goal_of(document: RegistryDocument, goal_id: str = "g") -> Goal:
    found = document.registry.find(goal_id)
    assert found is not None
    return found


def test_a_document_that_nobody_changes_keeps_its_text() -> None:
    assert RegistryDocument(TEXT, "r").text == TEXT


@pytest.mark.parametrize(
    ("change", "gone", "come"),
    [
        (
            lambda d: d.set_objective("g", "Don't"),
            ["objective: 'Don''t stop'"],
            ["objective: 'Don''t'"],
        ),
        (lambda d: d.set_objective("0123", "no"), ['objective: "Other"'], ['objective: "no"']),
        (
            lambda d: d.set_goal_state("g", GoalState.PAUSED),
            ["state: active    # active | paused | closed"],
            ["state: paused    # active | paused | closed"],
        ),
        (lambda d: d.set_goal_state("0123", GoalState.CLOSED), [], ["state: closed"]),
        (lambda d: d.set_goal_state("g", GoalState.ACTIVE), [], []),
        (lambda d: d.add_criteria("g", ["Three: it holds"]), [], ["- id: A3", 'text: "Three: it holds"']),
        (lambda d: d.remove_criterion("g", "A1"), ["- {id: A1, text: One}   # first"], []),
        (
            lambda d: d.remove_criterion("g", "A2"),
            ["- id: A2", "text: >-", "Two, folded", "over lines"],
            [],
        ),
        (
            lambda d: d.set_quota("g", QuotaPolicy(slots=24, cost=2.5)),
            ["quota: {slots: 24, window: 24h}   # a day"],
            ["quota: {slots: 24, cost: 2.5}   # a day"],
        ),
        (
            lambda d: d.set_quota("0123", QuotaPolicy(tokens=5, window_us=HOUR)),
            [],
            ["quota: {tokens: 5, window: 1h}"],
        ),
        (
            lambda d: d.set_boundary("g", Boundary(("git:example.com/a/b",), ("docs", "lib/"))),
            ['boundary: {repositories: [], write_scopes: ["src/**", docs]}'],
            ['boundary: {repositories: ["git:example.com/a/b"], write_scopes: [docs, lib]}'],
        ),
        (
            lambda d: d.register_agent("g", "off", ["no", "shell"]),
            [],
            ['- {id: "off", capabilities: ["no", shell]}'],
        ),
        (lambda d: d.retire_agent("g", "agent-b"), ["- {id: agent-b}"], ["- {id: agent-b, retired: true}"]),
        (
            lambda d: d.add_capabilities("g", "agent-a", ["shell", "net"]),
            ['- {id: agent-a, capabilities: [shell, "on"]}'],
            ['- {id: agent-a, capabilities: [shell, "on", net]}'],
        ),
        (
            lambda d: d.remove_capabilities("g", "agent-a", ["on", "never"]),
            ['- {id: agent-a, capabilities: [shell, "on"]}'],
            ["- {id: agent-a, capabilities: [shell]}"],
        ),
        (
            lambda d: d.grant_authority("g", "agent-b", ["complete"], requires_reason=True),
            [],
            ["- {agent_id: agent-b, actions: [complete], requires_reason: true}"],
        ),
        (
            lambda d: d.revoke_authority("g", "agent-a", ["complete"]),
            ["- {agent_id: agent-a, actions: [complete, supersede]}   # careful"],
            ["- {agent_id: agent-a, actions: [supersede]}   # careful"],
        ),
        (
            lambda d: d.revoke_authority("g", "agent-a"),
            [
                "todo_lifecycle_authority:",
                "- {agent_id: agent-a, actions: [complete, supersede]}   # careful",
            ],
            ["todo_lifecycle_authority: []"],
        ),
        (lambda d: d.set_pool("g", "gpu", 2), [], ["pools:", "- {name: gpu, capacity: 2}"]),
        (
            lambda d: d.add_material("0123", Material("m", "docs/a b.md", purpose="- field: names")),
            [],
            ["materials:", '- {id: m, path: docs/a b.md, purpose: "- field: names"}'],
        ),
    ],
)  # fmt: skip
def test_a_verb_touches_its_own_lines_only(change: Change, gone: list[str], come: list[str]) -> None:
    _, has_gone, has_come = edited(change)

    assert (has_gone, has_come) == (gone, come)


def test_a_new_goal_stands_behind_the_last_one_and_before_what_closes_the_file() -> None:
    document, gone, _ = edited(lambda d: d.add_goal("new", "It: works", acceptance=["a", "b"], agents=["no"]))

    assert gone == []
    assert document.text.endswith("# the end\n")
    assert goal_of(document, "new") == Goal(
        "new", "It: works", acceptance=(Criterion("A1", "a"), Criterion("A2", "b")), agents=(Agent("no"),)
    )


def test_a_new_agent_stands_with_its_peers_and_not_behind_the_blank_line() -> None:
    document, _, _ = edited(lambda d: d.register_agent("g", "agent-c"))
    lines = document.text.splitlines()

    assert lines[lines.index("        - {id: agent-b}") + 1] == "        - {id: agent-c}"


def test_flow_lists_over_several_lines_keep_their_layout_and_comments() -> None:
    text = (
        "version: 1\ngoals: [\n  {id: g, objective: o, coordination: {agents: [\n"
        "    {id: a}, # one\n    {id: b} # two\n  ]}}\n]\n"
    )
    document, gone, come = edited(lambda d: d.register_agent("g", "c"), text)

    assert (gone, come) == (["{id: b} # two"], ["{id: b}, # two", "{id: c}"])
    assert [agent.agent_id for agent in goal_of(document).agents] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "layout", ["[a, b, c]", "[ a, b , c, ]", "[\n a,\n b,\n c,\n ]", "[\n a, # x\n b # y\n , c # z\n ]"]
)
@pytest.mark.parametrize("gone", ["a", "b", "c"])
def test_an_item_leaves_a_flow_list_of_any_layout(layout: str, gone: str) -> None:
    agents = f"[{{id: x, capabilities: {layout}}}]"
    text = f"version: 1\ngoals: [{{id: g, objective: o, coordination: {{agents: {agents}}}}}]\n"
    document, _, _ = edited(lambda d: d.remove_capabilities("g", "x", [gone]), text)

    assert goal_of(document).agents[0].capabilities == tuple(name for name in "abc" if name != gone)
    assert all(mark in document.text for mark in ("# x", "# y", "# z") if mark in text)


def test_the_only_item_leaves_an_empty_list() -> None:
    text = (
        "version: 1\ngoals:\n- id: g\n  objective: o\n  coordination:\n"
        "    agents:\n    - id: a\n      capabilities:\n      - x\n"
    )
    document, _, _ = edited(lambda d: d.remove_capabilities("g", "a", ["x"]), text)

    assert document.text.endswith("capabilities: []\n")


def test_a_list_without_an_indent_keeps_to_it() -> None:
    text = "version: 1\ngoals:\n- id: g\n  objective: o\n  acceptance:\n  - id: A1\n    text: x\n"
    document, _, _ = edited(lambda d: d.add_criteria("g", ["y"]), text)

    assert document.text == text + '  - id: A2\n    text: "y"\n'


def test_a_file_without_a_final_line_end_gets_none() -> None:
    document, _, _ = edited(
        lambda d: d.set_goal_state("g", GoalState.CLOSED), "version: 1\ngoals:\n- id: g\n  objective: o"
    )

    assert document.text.endswith("objective: o\n  state: closed")


@pytest.mark.parametrize(("block", "kept"), [("|", ""), ("|-", ""), ("|+", "\n\n"), (">2-", "")])
def test_what_follows_a_block_text_does_not_change_it(block: str, kept: str) -> None:
    text = f"version: 1\ngoals:\n- id: g\n  objective: {block}\n    one\n\n    two\n\n\n# tail\n"
    before = goal_of(RegistryDocument(text, "r")).objective
    document, _, _ = edited(lambda d: d.set_goal_state("g", GoalState.PAUSED), text)

    assert goal_of(document).objective == before
    assert before.endswith(kept)


def test_the_comment_of_a_block_text_outlives_the_text() -> None:
    text = "version: 1\ngoals:\n- id: g\n  objective: |  # why\n    one\n    two\n  state: active\n"
    document, _, _ = edited(lambda d: d.set_objective("g", "three"), text)

    assert "  objective: three # why\n  state: active\n" in document.text


@pytest.mark.parametrize(
    "words",
    ["no", "~", "null", "1e3", "0123", "2024-01-31", "- a", "a: b", "a #b", "[x", "{x", "*a", "&a", "!a",
     "%a", "@a", "`a", "'", '"', "a\nb", "a\r\nb", "tab\there", " lead", "trail ", "é ✓ 漢字",
     "\U0001f469\u200d\U0001f4bb", "\u202eright", "a\u2028b", "a\x85b", "\ufeffx", "\\n", "$1 {0} %s", "a, b",
     "-", "?", ":", "|", "---", "...", "<<", "=", "x" * 5000],
)  # fmt: skip
def test_any_text_comes_back_as_it_was_given(words: str) -> None:
    for goal_id in ("g", "0123"):
        document, _, _ = edited(lambda d, goal_id=goal_id: d.set_objective(goal_id, words))  # type: ignore[misc]
        assert goal_of(document, goal_id).objective == words
    assert goal_of(edited(lambda d: d.add_criteria("g", [words]))[0]).acceptance[-1].text == words
    assert parse_registry(initial_registry([NewGoal("g", words)]), source="r").goals[0].objective == words


# --- refusals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda d: d.add_goal("G", "again"), NameTakenError),
        (lambda d: d.add_goal("two words", "x"), UsageError),
        (lambda d: d.add_goal("new", "\x00"), TextInvalidError),
        (lambda d: d.set_objective("g", " \n"), UsageError),
        (lambda d: d.set_objective("gg", "x"), GoalNotFoundError),
        (lambda d: d.register_agent("g", "Agent-A"), NameTakenError),
        (lambda d: d.retire_agent("g", "agent-z"), AgentNotRegisteredError),
        (lambda d: d.grant_authority("g", "Agent-B", ["complete"]), AgentNotRegisteredError),
        (lambda d: d.revoke_authority("g", "agent-b"), ActionNotDelegatedError),
        (lambda d: d.revoke_authority("g", "agent-a", ["reassign"]), ActionNotDelegatedError),
        (lambda d: d.set_boundary("g", Boundary((), ("../x",))), WriteScopeInvalidError),
        (lambda d: d.set_boundary("g", Boundary(("local/path",))), UsageError),
        (lambda d: d.remove_criterion("g", "A9"), UsageError),
        (lambda d: d.add_material("g", Material("m", "p", required_for=("zz",))), AgentNotRegisteredError),
    ],
)  # fmt: skip
def test_a_refused_verb_leaves_the_text_alone(change: Change, error: type[Exception]) -> None:
    document = RegistryDocument(TEXT, "r")

    with pytest.raises(error):
        change(document)
    assert document.text == TEXT


def test_a_mistyped_name_is_refused_with_the_near_match() -> None:
    with pytest.raises(AgentNotRegisteredError, match="'agent-b'"):
        RegistryDocument(TEXT, "r").retire_agent("g", "Agent-B")
    with pytest.raises(GoalNotFoundError, match="'0123'"):
        RegistryDocument(TEXT, "r").set_objective("012", "x")


def test_what_the_file_may_not_say_is_refused_when_the_edit_is_done() -> None:
    document = RegistryDocument(TEXT, "r")
    document.set_pool("g", "gpu", -1)

    with pytest.raises(RegistryInvalidError):
        _ = document.registry


SHARED = """\
version: 1
goals:
- {id: g, objective: o, coordination: &team {agents: [{id: a}]}}
- {id: h, objective: o, coordination: *team}
- {id: i, objective: o, quota: &q {slots: 1}}
- {id: k, objective: o, quota: {<<: *q, tokens: 2}}
"""


@pytest.mark.parametrize("goal_id", ["g", "h"])
def test_an_edit_that_would_change_another_goal_through_an_alias_is_refused(goal_id: str) -> None:
    document = RegistryDocument(SHARED, "r")
    document.register_agent(goal_id, "b")

    with pytest.raises(RegistryInvalidError, match="shared"):
        _ = document.registry


def test_a_key_taken_in_by_a_merge_is_written_over_in_its_own_place() -> None:
    document, _, come = edited(lambda d: d.set_quota("k", QuotaPolicy(slots=7, tokens=2)), SHARED)

    assert come == ["- {id: k, objective: o, quota: {<<: *q, tokens: 2, slots: 7}}"]
    assert goal_of(document, "i").quota == QuotaPolicy(slots=1)


def test_a_key_taken_in_by_a_merge_cannot_be_dropped() -> None:
    with pytest.raises(RegistryInvalidError, match="<<"):
        RegistryDocument(SHARED, "r").set_quota("k", QuotaPolicy(tokens=2))


# --- rules of the verbs ------------------------------------------------------------------


def test_ids_of_removed_criteria_do_not_come_back() -> None:
    document = RegistryDocument(TEXT, "r")
    document.remove_criterion("g", "A2")

    assert document.add_criteria("g", ["x", "y"], used=["A2"]) == ("A3", "A4")


def test_a_retired_agent_can_be_registered_again() -> None:
    def change(document: RegistryDocument) -> None:
        document.retire_agent("g", "agent-b")
        document.register_agent("g", "agent-b", ["shell"])

    assert goal_of(edited(change)[0]).agents[1] == Agent("agent-b", ("shell",))


def test_a_grant_grows_and_its_demand_for_a_reason_is_never_lifted_by_growing() -> None:
    def change(document: RegistryDocument) -> None:
        document.grant_authority("g", "agent-a", ["reassign"], requires_reason=True)
        document.grant_authority("g", "agent-a", ["reassign"])

    grant = Grant("agent-a", ("complete", "supersede", "reassign"), requires_reason=True)
    assert goal_of(edited(change)[0]).grants == (grant,)


def test_a_lifted_limit_leaves_the_key_out() -> None:
    document, _, _ = edited(lambda d: d.set_quota("g", QuotaPolicy(window_us=2 * DAY)))

    assert "quota: {window: 2d}   # a day" in document.text


def test_the_agent_model_is_migrated_exactly_once() -> None:
    text = "version: 1\ngoals:\n- id: g\n  objective: o\n  agent_model: 'legacy_hierarchy'  # old\n"
    document = RegistryDocument(text, "r")

    assert document.migrate_agent_model() == ("g",)
    once = document.text
    assert once == text.replace("legacy_hierarchy", "peer_v1")
    assert document.migrate_agent_model() == ()
    assert document.text == once


def test_an_empty_registry_takes_its_first_goal_in_block_layout() -> None:
    data = initial_registry([NewGoal("g", "o", ("it works",), ("a",))])

    assert initial_registry().endswith(b"\ngoals: []\n")
    assert b"\ngoals:\n  - id: g\n    objective: o\n" in data
    assert parse_registry(data, source="r").goals[0].agents == (Agent("a"),)
