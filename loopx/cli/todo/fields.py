"""The options of a todo's fields, shared by `add` and `update`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from loopx.cli.declare import DURATION, TEXT, ChoiceType, option
from loopx.core.todo import ContinuationPolicy, TaskClass

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def many(*names: str, **attributes: Any) -> Callable[[F], F]:
    """A repeatable option."""
    return option(*names, multiple=True, **attributes)


_FIELDS = (
    option("--text", type=TEXT, help="The text, kept as it is; `-` reads standard input."),
    option("--text-file", metavar="FILE", help="Read the text from a file."),
    option("--task-class", type=ChoiceType(TaskClass), help="The routing lane."),
    option("--action-kind", metavar="NAME", help="What kind of work it is, such as review."),
    option("--priority", metavar="P0..P4", help="P2 without it; must equal a [Pn] in the text."),
    many("--blocked-by", metavar="ID", help="A todo that must be done first."),
    many("--required-capability", metavar="NAME", help="What the executor must be able to do."),
    option("--target-capability", metavar="NAME", help="What the todo builds; no precondition."),
    option("--task-repository", metavar="git:HOST/OWNER/REPO", help="Where it is done."),
    many("--required-write-scope", metavar="GLOB", help="What it writes there."),
    many("--required-decision-scope", metavar="K:G:S", help="A decision that it needs."),
    option("--decision-scope", metavar="K:G:S", help="The decision that a gate gives."),
    option("--blocks-agent", metavar="ID", help="The one agent that a gate holds."),
    option("--unblocks-todo-id", metavar="ID", help="What the answer frees."),
    many("--excluded-agent", metavar="ID", help="An agent that may not take it."),
    option("--bound-agent", metavar="ID", help="The only agent that may take it."),
    option("--continuation-policy", type=ChoiceType(ContinuationPolicy), help="Who goes on after it."),
    option("--poll-every", type=DURATION, help="A monitor's interval."),
    option("--next-due-at", metavar="TIME", help="When a monitor is due next."),
    option("--expires-at", metavar="TIME", help="When a monitor has waited long enough."),
    many("--acceptance", type=TEXT, help="A criterion of this todo."),
    option("--validation-command", metavar="CMD", help="Must exit 0 before completion; run without a shell."),
    option("--validation-timeout", type=DURATION, help="How long it may take (10m)."),
)


def field_options(function: F) -> F:
    """Every field of a todo as an option, in this order in the help."""
    for declared in reversed(_FIELDS):
        function = declared(function)
    return function
