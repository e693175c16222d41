"""Decision scopes: what a gate decides and what a todo needs decided (W6.1, design.md §4)."""

from __future__ import annotations

from functools import lru_cache

from loopx.core.errors import UsageError
from loopx.core.spelling import composed
from loopx.core.value import Value

KINDS = ("private_read", "write_scope", "resource", "production", "public_claim", "direction", "other")
GRANULARITIES = ("action", "lane", "goal", "project", "global")  # from fine to coarse
ANY_KEY = "*"  # as the whole key only; a gate covers every key by it, a requirement wants such a gate
LONGEST_KEY = 120  # characters; a scope is shown whole in packets of bounded size

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
    """The scope of its spelling; UsageError with the accepted form and the nearest name.

    The key is the rest, further colons included; its case counts.
    """
    kind, _, rest = composed(text.strip()).partition(":")
    granularity, _, key = rest.partition(":")
    _refuse_unknown(text, "kind", kind, KINDS)
    _refuse_unknown(text, "granularity", granularity, GRANULARITIES)
    _refuse_odd_key(text, key)
    return DecisionScope(kind, granularity, key)


def covers(gate: DecisionScope, required: DecisionScope) -> bool:
    """Whether an answer to the gate's scope decides the required one (design.md §4).

    The kinds are equal, the keys too unless the gate's is `*`, and the requirement is not coarser. A
    required `*` is covered by a gate's `*` alone. Who may write a `*` is not asked here.
    """
    return (
        gate.kind == required.kind
        and GRANULARITIES.index(gate.granularity) >= GRANULARITIES.index(required.granularity)
        and gate.key in (required.key, ANY_KEY)
    )


def _refuse_odd_key(text: str, key: str) -> None:
    if key == ANY_KEY:
        return
    if not key or not key.isprintable() or any(char.isspace() or char == ANY_KEY for char in key):
        raise UsageError(
            f"{text!r} has no usable scope key",
            hint=f"A decision scope is {_FORM}; the key has no white space and is `*` only as a whole.",
            value=text,
        )
    if len(key) > LONGEST_KEY:
        raise UsageError(
            f"the scope key has {len(key)} characters; the limit is {LONGEST_KEY}",
            hint="Name the decision shortly; the question itself goes into the gate's text.",
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
