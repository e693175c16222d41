"""Registry files: bytes → tree → schema → values. A file that breaks a rule is refused, never guessed at."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, NamedTuple

from loopx.core.errors import LoopxError, TextInvalidError, UsageError, WriteScopeInvalidError
from loopx.core.glob import normalise_write_scope
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
from loopx.core.instant import parse_duration
from loopx.core.name import near_match, normalise_name
from loopx.core.repository import parse_repository
from loopx.core.text import checked_text
from loopx.registry.fault import Place, file_name, invalid
from loopx.registry.model import LegacyModel, Registry
from loopx.registry.schema import validate
from loopx.registry.tree import Mapping, Node, Scalar, Sequence, compose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LEGACY_MODEL = "legacy_hierarchy"


class Source(NamedTuple):
    """A file's text without its byte order mark, and whether it had one."""

    text: str
    has_bom: bool


def parse_registry(data: bytes, *, source: str) -> Registry:
    """The registry of a file's bytes; `source` is its path, of which refusals show the name.

    RegistryInvalidError with file, line, column and path for anything that YAML, the schema or a
    rule between two parts forbids. It never answers with fewer goals than are written.
    """
    file = file_name(source)
    return registry_of(compose(decode(data, file).text, file))


def decode(data: bytes, file: str) -> Source:
    """The bytes as text; RegistryInvalidError where they are not UTF-8."""
    bom = codecs.BOM_UTF8
    body = data.removeprefix(bom)
    try:
        return Source(body.decode("utf-8"), has_bom=len(body) < len(data))
    except UnicodeDecodeError as exc:
        before = body[: exc.start]
        place = Place(file, before.count(b"\n") + 1, exc.start - before.rfind(b"\n"))
        raise invalid(
            place,
            f"the byte 0x{body[exc.start]:02X} is not UTF-8",
            hint="Save the file as UTF-8; nothing was written.",
        ) from exc


def registry_of(tree: Node) -> Registry:
    """The registry that a tree describes; RegistryInvalidError."""
    validate(tree)
    parts = _Part(tree, "").items("goals")
    goals = tuple(_goal(part) for part in parts)
    _refuse_equal_names(parts, "id", "goal id")
    legacy = (
        LegacyModel(goal.goal_id, part.place.line)
        for goal, part in zip(goals, parts, strict=True)
        if is_legacy(part.node)
    )
    return Registry(1, goals, tuple(legacy))


def is_legacy(goal: Node) -> bool:
    """Whether a goal's node names the hierarchy of old, at the goal or in its coordination."""
    part = _Part(goal, "")
    places = (part, part.part("coordination"))
    return any(place is not None and place.optional("agent_model") == LEGACY_MODEL for place in places)


class _Part:
    """A mapping that satisfies the schema, read by key."""

    def __init__(self, node: Node, path: str) -> None:
        assert isinstance(node, Mapping)
        self.node = node
        self.path = path
        self._fields = node.fields()

    @property
    def place(self) -> Place:
        return self.node.place._replace(path=self.path)

    def part(self, key: str) -> _Part | None:
        """The mapping under the key, or None."""
        member = self._fields.get(key)
        return None if member is None else _Part(member.value, self._below(key))

    def items(self, key: str) -> list[_Part]:
        """The mappings of the list under the key."""
        return [_Part(node, f"{self._below(key)}[{index}]") for index, node in enumerate(self._nodes(key))]

    def optional(self, key: str) -> str | None:
        """The text under the key as it is spelt, or None."""
        member = self._fields.get(key)
        return None if member is None else _text(member.value)

    def read(self, key: str, reader: Callable[[str], str]) -> str:
        """The required text under the key as `reader` takes it; its refusal gets the place."""
        return self._taken(self._fields[key].value, self._below(key), reader)

    def read_list(self, key: str, reader: Callable[[str], str]) -> tuple[str, ...]:
        """The texts under the key, each once."""
        nodes = enumerate(self._nodes(key))
        return tuple(dict.fromkeys(self._taken(node, f"{self._below(key)}[{index}]", reader) for index, node in nodes))

    def spot(self, key: str) -> Place:
        """Where the key's value stands."""
        return self._fields[key].value.place._replace(path=self._below(key))

    def _nodes(self, key: str) -> list[Node]:
        member = self._fields.get(key)
        if member is None:
            return []
        assert isinstance(member.value, Sequence)
        return [item.value for item in member.value.members]

    def _below(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    @staticmethod
    def _taken(node: Node, path: str, reader: Callable[[str], str]) -> str:
        try:
            return reader(_text(node))
        except (UsageError, TextInvalidError, WriteScopeInvalidError) as exc:
            raise _at(node.place._replace(path=path), exc) from exc


def _text(node: Node) -> str:
    assert isinstance(node, Scalar)
    return node.text


def _at(place: Place, exc: LoopxError) -> LoopxError:
    return invalid(place, exc.message, hint=exc.hint)


def _name(what: str) -> Callable[[str], str]:
    return lambda text: normalise_name(text, what=what)


def _words(field: str) -> Callable[[str], str]:
    return lambda text: checked_text(text, field=field)


# --- goals -------------------------------------------------------------------------------


def _goal(part: _Part) -> Goal:
    coordination = part.part("coordination")
    agents = _agents(coordination) if coordination else ()
    return Goal(
        goal_id=part.read("id", _name("goal id")),
        objective=part.read("objective", _words("objective")),
        state=GoalState(part.optional("state") or GoalState.ACTIVE),
        acceptance=_criteria(part),
        boundary=_boundary(part.part("boundary")),
        quota=_quota(part.part("quota")),
        agents=agents,
        grants=_grants(coordination, agents) if coordination else (),
        pools=_pools(part),
        materials=_materials(part, agents),
        authority_capabilities=_authority_words(part, coordination),
    )


def _criteria(goal: _Part) -> tuple[Criterion, ...]:
    parts = goal.items("acceptance")
    _refuse_equal_names(parts, "id", "criterion id")
    return tuple(Criterion(part.read("id", _name("criterion id")), part.read("text", _words("text"))) for part in parts)


def _boundary(part: _Part | None) -> Boundary:
    if part is None:
        return Boundary()
    return Boundary(
        repositories=part.read_list("repositories", parse_repository),
        write_scopes=part.read_list("write_scopes", normalise_write_scope),
    )


def _quota(part: _Part | None) -> QuotaPolicy:
    if part is None:
        return QuotaPolicy()
    slots, tokens, cost = part.optional("slots"), part.optional("tokens"), part.optional("cost")
    return QuotaPolicy(
        slots=int(slots) if slots is not None else None,
        tokens=int(tokens) if tokens is not None else None,
        cost=float(cost) if cost is not None else None,
        window_us=_duration(part, "window"),
    )


def _duration(part: _Part, key: str) -> int | None:
    text = part.optional(key)
    if text is None:
        return None
    try:
        return parse_duration(text.strip())
    except UsageError as exc:
        raise _at(part.spot(key), exc) from exc


def _agents(coordination: _Part) -> tuple[Agent, ...]:
    parts = coordination.items("agents")
    _refuse_equal_names(parts, "id", "agent id")
    return tuple(
        Agent(
            part.read("id", _name("agent id")),
            part.read_list("capabilities", _name("capability")),
            retired=part.optional("retired") == "true",
        )
        for part in parts
    )


def _grants(coordination: _Part, agents: tuple[Agent, ...]) -> tuple[Grant, ...]:
    parts = coordination.items("todo_lifecycle_authority")
    _refuse_equal_names(parts, "agent_id", "grant holder")
    registered = _registered(agents)
    return tuple(
        Grant(
            part.read("agent_id", registered),
            part.read_list("actions", str),
            requires_reason=part.optional("requires_reason") == "true",
        )
        for part in parts
    )


def _pools(goal: _Part) -> tuple[Pool, ...]:
    parts = goal.items("pools")
    _refuse_equal_names(parts, "name", "pool name")
    return tuple(Pool(part.read("name", _name("pool name")), int(part.read("capacity", str))) for part in parts)


def _materials(goal: _Part, agents: tuple[Agent, ...]) -> tuple[Material, ...]:
    parts = goal.items("materials")
    _refuse_equal_names(parts, "id", "material id")
    registered = _registered(agents)
    return tuple(
        Material(
            id=part.read("id", _name("material id")),
            path=part.read("path", _words("path")),
            relation=part.optional("relation"),
            purpose=part.optional("purpose"),
            required_for=part.read_list("required_for", registered),
        )
        for part in parts
    )


def _authority_words(goal: _Part, coordination: _Part | None) -> tuple[str, ...]:
    words: tuple[str, ...] = ()
    for part in (goal, coordination):
        capabilities = part.part("capabilities") if part else None
        words += capabilities.read_list("authority", _name("capability")) if capabilities else ()
    return tuple(dict.fromkeys(words))


# --- rules between parts -----------------------------------------------------------------


def _registered(agents: tuple[Agent, ...]) -> Callable[[str], str]:
    """A reader that takes the ids of these agents only (W4.4)."""
    known = [agent.agent_id for agent in agents]

    def reader(text: str) -> str:
        agent_id = normalise_name(text, what="agent id")
        if agent_id not in known:
            near = near_match(agent_id, known)
            raise UsageError(
                f"{agent_id!r} is not a registered agent of this goal" + (f"; did you mean {near!r}?" if near else ""),
                hint="Register the agent under coordination.agents first.",
            )
        return agent_id

    return reader


def _refuse_equal_names(parts: Iterable[_Part], key: str, what: str) -> None:
    """RegistryInvalidError with both lines where two names are equal, or differ in case only."""
    seen: dict[str, Place] = {}
    for part in parts:
        name, spot = part.read(key, _name(what)), part.spot(key)
        first = seen.setdefault(name.casefold(), spot)
        if first is not spot:
            raise invalid(
                spot,
                f"the {what} {name!r} stands twice, in line {first.line} and in line {spot.line}",
                hint="Keep one of the two; names that differ only in case are one name.",
                lines=[first.line, spot.line],
            )
