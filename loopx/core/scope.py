"""Decision scopes: what a gate decides and what a todo needs decided (W6.1, design.md §4)."""

from __future__ import annotations

from functools import lru_cache

from loopx.core.errors import UsageError
from loopx.core.value import Value

KINDS = ("private_read", "write_scope", "resource", "production", "public_claim", "direction", "other")
GRANULARITIES = ("action", "lane", "goal", "project", "global")  # from fine to coarse
ANY_KEY = "*"

_FORM = "kind:granularity:key, such as direction:action:public_api_change"


class DecisionScope(Value):
    """`kind:granularity:key`; a gate covers its own or a finer granularity."""

    kind: str
    granularity: str
    key: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.granularity}:{self.key}"


@lru_cache(maxsize=4096)
def parse_decision_scope(text: str) -> DecisionScope:
    """The scope of its spelling; UsageError with the accepted form and the nearest name."""
    kind, _, rest = text.strip().partition(":")
    granularity, _, key = rest.partition(":")
    _refuse_unknown(text, "kind", kind, KINDS)
    _refuse_unknown(text, "granularity", granularity, GRANULARITIES)
    if not key or not key.isprintable() or any(character.isspace() for character in key):
        raise UsageError(
            f"{text!r} has no usable scope key", hint=f"A decision scope is {_FORM}.", value=text
        )
    return DecisionScope(kind, granularity, key)


def covers(gate: DecisionScope, required: DecisionScope) -> bool:
    """Whether an answer to the gate's scope decides the required one."""
    return (
        gate.kind == required.kind
        and GRANULARITIES.index(gate.granularity) >= GRANULARITIES.index(required.granularity)
        and gate.key in (required.key, ANY_KEY)
    )


def _refuse_unknown(text: str, part: str, value: str, known: tuple[str, ...]) -> None:
    if value in known:
        return
    from loopx.core.name import near_match

    near = near_match(value, known)
    meant = f"; did you mean {near!r}?" if near else ""
    raise UsageError(
        f"{text!r} has no known {part}{meant}",
        hint=f"A decision scope is {_FORM}; {part} is one of {', '.join(known)}.",
        value=text,
    )
