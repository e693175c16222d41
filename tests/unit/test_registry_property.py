"""Whatever the layout of a registry and whatever is edited: values come back, all else stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from loopx.core.errors import RegistryInvalidError
from loopx.core.goal import Boundary, GoalState, Material, QuotaPolicy
from loopx.core.instant import HOUR
from loopx.registry.cache import decode_goal, encode_goal
from loopx.registry.document import RegistryDocument
from loopx.registry.read import parse_registry

NAMES = st.sampled_from(["agent-a", "no", "on", "1e3", "0123", "2024-01-31", "null0", "a:b", "é"])
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1).filter(str.strip)
QUOTES: list[Callable[[str], str]] = [
    lambda name: name,
    lambda name: f"'{name}'",
    lambda name: f'"{name}"',
]
EOLS = st.sampled_from(["\n", "\r\n"])


@st.composite
def layouts(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A registry of two goals with comments everywhere, in block and flow layout; and its agents."""
    marks = iter(range(1_000))

    def comment(indent: int = 0) -> str:
        number = next(marks)
        kinds = ["", "\n", " " * indent + f"# note {number}\n", f"\n{' ' * indent}# note {number}\n\n"]
        return draw(st.sampled_from(kinds))

    def trailing() -> str:
        return draw(st.sampled_from(["", f"  # side {next(marks)}"]))

    def word(text: str) -> str:
        return draw(st.sampled_from(QUOTES))(text)

    agents = draw(st.lists(NAMES, unique=True, min_size=1, max_size=4))
    text = comment() + f"version: 1{trailing()}\n" + comment() + f"goals:{trailing()}\n"
    pad = draw(st.sampled_from(["", "  "]))
    for goal_id in ("first", "second"):
        text += comment(2) + f"{pad}- id: {word(goal_id)}{trailing()}\n"
        text += f"{pad}  objective: {word('Reach it')}{trailing()}\n" + comment(4)
        text += f"{pad}  quota: {{slots: 3, window: 24h}}{trailing()}\n" + comment(4)
        text += f"{pad}  coordination:{trailing()}\n" + comment(6)
        text += draw(st.sampled_from([_block_agents, _item_agents, _flow_agents]))(
            [word(name) for name in agents], pad + "    ", comment, trailing
        )
    return text + comment(), agents


Comment = Callable[[int], str]
Trailing = Callable[[], str]


def _block_agents(names: list[str], pad: str, comment: Comment, trailing: Trailing) -> str:
    items = "".join(
        f"{pad}- id: {name}{trailing()}\n{pad}  capabilities: [shell]\n" + comment(len(pad)) for name in names
    )
    return f"{pad}agents:{trailing()}\n{comment(len(pad))}{items}"


def _item_agents(names: list[str], pad: str, comment: Comment, trailing: Trailing) -> str:
    items = "".join(f"{pad}  - {{id: {name}}}{trailing()}\n" + comment(len(pad)) for name in names)
    return f"{pad}agents:{trailing()}\n{items}"


def _flow_agents(names: list[str], pad: str, comment: Comment, trailing: Trailing) -> str:
    items = "".join(f"{pad}  {{id: {name}}},{trailing()}\n" for name in names)
    return f"{pad}agents: [{trailing()}\n{items}{pad}]{trailing()}\n"


Edit = Callable[[RegistryDocument], object]


def edits(agents: list[str]) -> st.SearchStrategy[Edit]:
    goal, agent = st.sampled_from(["first", "second"]), st.sampled_from(agents)
    limits, scopes = st.none() | st.just(9), st.sampled_from([(), ("a", "b/**")])
    return st.one_of(
        st.builds(lambda g, text: lambda d: d.set_objective(g, text), goal, WORDS),
        st.builds(lambda g, texts: lambda d: d.add_criteria(g, texts), goal, st.lists(WORDS, max_size=2)),
        st.builds(lambda g, state: lambda d: d.set_goal_state(g, state), goal, st.sampled_from(GoalState)),
        st.builds(lambda g, n: lambda d: d.set_quota(g, QuotaPolicy(None, n, 0.5, HOUR)), goal, limits),
        st.builds(lambda g, s: lambda d: d.set_boundary(g, Boundary((), s)), goal, scopes),
        st.builds(lambda g, a: lambda d: d.retire_agent(g, a), goal, agent),
        st.builds(lambda g, a: lambda d: d.add_capabilities(g, a, ["off", "net"]), goal, agent),
        st.builds(lambda g, a: lambda d: d.remove_capabilities(g, a, ["shell"]), goal, agent),
        st.builds(lambda g, a: lambda d: d.grant_authority(g, a, ["complete"]), goal, agent),
        st.builds(lambda g, n: lambda d: d.set_pool(g, "gpu", n), goal, st.integers(0, 9)),
        st.builds(
            lambda g, a, path: lambda d: d.add_material(
                g, Material(f"m{len(d.text)}", path, required_for=(a,))
            ),
            goal, agent, WORDS,
        ),
        st.builds(lambda text: lambda d: d.add_goal(f"new{len(d.text)}", text, agents=["x"]), WORDS),
    )  # fmt: skip


@given(data=st.data(), layout=layouts(), eol=EOLS)
def test_edits_keep_every_comment_every_other_line_and_the_line_ends(
    data: st.DataObject, layout: tuple[str, list[str]], eol: str
) -> None:
    text, agents = layout[0].replace("\n", eol), layout[1]
    document = RegistryDocument(text, "r")
    for _ in range(data.draw(st.integers(1, 4))):
        data.draw(edits(agents))(document)
        assert document.registry == parse_registry(document.text.encode(), source="r")

    assert not Counter(notes(text)) - Counter(notes(document.text))
    assert document.text.count("\r\n") in (0, document.text.count("\n"))


@given(layout=layouts(), words=WORDS)
def test_an_edit_touches_one_line_where_one_line_says_it(layout: tuple[str, list[str]], words: str) -> None:
    document = RegistryDocument(layout[0], "r")
    document.set_objective("second", words)

    before, after = layout[0].split("\n"), document.text.split("\n")
    changed = [tag for tag, *_ in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if tag != "equal"]
    assert changed in ([], ["replace"])
    assert len(before) == len(after)
    assert document.registry.goals[1].objective == words


@given(layout=layouts(), eol=EOLS)
def test_adding_and_taking_back_gives_the_same_values(layout: tuple[str, list[str]], eol: str) -> None:
    text, agents = layout[0].replace("\n", eol), layout[1]
    document = RegistryDocument(text, "r")
    before = document.registry

    document.grant_authority("first", agents[0], ["complete", "reassign"])
    document.revoke_authority("first", agents[0])
    (added,) = document.add_criteria("second", ["x"])
    document.remove_criterion("second", added)

    assert document.registry == before


@given(layout=layouts())
def test_the_cache_gives_back_what_it_was_given(layout: tuple[str, list[str]]) -> None:
    for goal in parse_registry(layout[0].encode(), source="r").goals:
        assert decode_goal(encode_goal(goal)) == goal


@given(data=st.binary() | st.text().map(str.encode))
def test_no_bytes_make_the_reader_fail_in_any_other_way_than_a_refusal(data: bytes) -> None:
    assert reads_or_refuses(data)


@given(data=st.data(), layout=layouts())
def test_no_damage_to_a_file_makes_the_reader_fail_in_any_other_way(
    data: st.DataObject, layout: tuple[str, list[str]]
) -> None:
    text = layout[0]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 9)))
    damage = data.draw(st.text(st.sampled_from("{}[]:,-#&*!|>'\"%@`\t\n \\?<~a0"), max_size=4))
    assert reads_or_refuses((text[:start] + damage + text[end:]).encode())


def reads_or_refuses(data: bytes) -> bool:
    """Whether the bytes are read, or refused with a line; anything else is raised."""
    try:
        parse_registry(data, source="r")
    except RegistryInvalidError as refused:
        return bool(refused.details["line"])
    return True


def notes(text: str) -> list[str]:
    """The comments of a generated layout."""
    return [line.rpartition("#")[2].strip() for line in text.splitlines() if " side " in line or " note " in line]
