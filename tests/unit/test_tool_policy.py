"""Which calls of a chat worker's tools are allowed, asked or denied: by tool and path, the strictest rule counts."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx.core.errors import RefusedError, UsageError
from loopx.team.chat.catalog import TOOL_NAMES, edge_tools
from loopx.team.chat.policy import Policy, Rule, Verdict, parse_policy

ALLOW, ASK, DENY = Verdict.ALLOW, Verdict.ASK, Verdict.DENY


def policy(**rules: tuple[str, ...]) -> Policy:
    return parse_policy(TOOL_NAMES, **rules)


@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_without_rules_only_what_changes_files_or_starts_something_is_asked(tool: str) -> None:
    expected = ASK if tool in ("shell", "write_file", "spawn_teammate") else ALLOW
    assert policy().judge(tool, "a" if tool.endswith("_file") else None) is expected


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ({"allow": ("write_file:docs/**",)}, "docs/a/b.md", ALLOW),
        ({"allow": ("write_file:docs",)}, "docs/a/b.md", ALLOW),
        ({"allow": ("write_file:docs/*.md",)}, "docs/a.md", ALLOW),
        ({"allow": ("write_file:docs/**",)}, "src/a.py", ASK),
        ({"allow": ("write_file:docs/**",)}, "docs2/a", ASK),
        ({"allow": ("write_file",)}, "src/a.py", ALLOW),
        ({"allow": ("*",)}, "src/a.py", ALLOW),
        ({"allow": ("write_file",), "deny": ("write_file:src/**",)}, "src/a.py", DENY),
        ({"allow": ("write_file",), "deny": ("write_file:src/**",)}, "SRC/A.py", DENY),
        ({"allow": ("write_file:docs/**",)}, "DOCS/a", ASK),
        ({"allow": ("write_file:src/**",), "ask": ("write_file:src/main.py",)}, "src/main.py", ASK),
        ({"deny": ("*",), "allow": ("write_file",)}, "src/a.py", DENY),
        ({"allow": ("read_file:**",)}, "src/a.py", ASK),
        ({"allow": ("write_file:docs/**",)}, "docs/we*ird[1]{a}?.md", ALLOW),
        ({"allow": ("write_file:docs/a.md",)}, "docs/*.md", ASK),
        ({"deny": ("write_file:docs/a.md",), "allow": ("write_file",)}, "docs/[a].md", ALLOW),
        ({"allow": ("write_file:**",)}, "!x/ y /ü", ALLOW),
        ({"deny": ("write_file:u\u0308",), "allow": ("write_file",)}, "ü", DENY),
    ],
)
def test_rules_by_path(rules: dict[str, tuple[str, ...]], path: str, expected: Verdict) -> None:
    assert policy(**rules).judge("write_file", path) is expected


def test_the_order_of_rules_does_not_count() -> None:
    rules = (Rule(ALLOW, "shell"), Rule(ASK, "*"), Rule(DENY, "shell"))
    assert {Policy(order).judge("shell") for order in permutations(rules)} == {DENY}


@given(st.lists(st.sampled_from([ALLOW, ASK, DENY]), min_size=1))
def test_the_strictest_of_the_rules_counts(verdicts: list[Verdict]) -> None:
    assert Policy(tuple(Rule(verdict, "shell") for verdict in verdicts)).judge("shell") is max(verdicts)


@given(st.text(st.characters(exclude_characters="/\\", exclude_categories=["C"]), min_size=1, max_size=20))
def test_any_name_can_be_judged_and_a_rule_for_everything_holds_it(name: str) -> None:
    path = f"docs/{name}"
    assert policy(deny=("write_file:docs/**",), allow=("*",)).judge("write_file", path) is DENY


@pytest.mark.parametrize("rule", ["shel", "", ":src", "write_fil:src/**", "shell:src/**", "*:src/**", "claim_task:x"])
def test_a_rule_that_means_nothing_is_refused(rule: str) -> None:
    with pytest.raises(UsageError):
        policy(allow=(rule,))


@pytest.mark.parametrize("glob", ["", "../x", "/etc/**", "a{b,c}", "!x"])
def test_a_glob_that_means_nothing_is_refused(glob: str) -> None:
    with pytest.raises((RefusedError, UsageError)):
        policy(allow=(f"write_file:{glob}",))


def test_a_misspelt_tool_is_named() -> None:
    with pytest.raises(UsageError, match="write_file"):
        policy(allow=("write_fiel",))


def test_only_a_lead_answers_plans_and_ends_workers() -> None:
    own = {tool.name for tool in edge_tools("lead", spawns=True)} - {
        tool.name for tool in edge_tools("teammate", spawns=True)
    }
    assert own == {"approve_plan", "reject_plan", "request_shutdown", "spawn_teammate"}
    assert "spawn_teammate" not in {tool.name for tool in edge_tools("lead", spawns=False)}
