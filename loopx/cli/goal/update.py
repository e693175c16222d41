"""`loopx goal update`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from loopx.app.goal_change import GoalPatch, update_goal
from loopx.app.todo_update import ListPatch
from loopx.cli.declare import AMOUNT, DURATION, TEXT, NumberType, flag, option
from loopx.cli.verb import verb
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from loopx.cli.context import Invocation
    from loopx.cli.output import Document

F = TypeVar("F", bound="Callable[..., Any]")

MOST = 2**53 - 1  # every JSON reader keeps whole numbers up to here
LISTS = ("acceptance", "repository", "write_scope")
LIMITS = ("slots", "tokens", "cost", "window")


def patch_options(function: F) -> F:
    """`--remove-X V` for the lists, `--clear-X` for all that can be empty."""
    for name in reversed((*LISTS, *LIMITS)):
        dashed = name.replace("_", "-")
        emptied = f"Empty {dashed} first." if name in LISTS else f"Lift the limit of {dashed}."
        function = flag(f"--clear-{dashed}", help=emptied)(function)
        if name in LISTS:
            taken = "Take out the criterion of that id." if name == "acceptance" else f"Take it out of {dashed}."
            function = option(f"--remove-{dashed}", multiple=True, metavar="V", help=taken)(function)
    return function


@verb(
    "update",
    mutates=True,
    example="loopx goal update --goal-id ship --slots 24 --window 24h --write-scope 'src/**'",
)
@option("--objective", type=TEXT, help="What shall be true at its end.")
@option("--acceptance", type=TEXT, multiple=True, help="One more criterion.")
@option("--repository", multiple=True, metavar="git:HOST/OWNER/REPO", help="Where its work may happen.")
@option("--write-scope", multiple=True, metavar="GLOB", help="What its work may write.")
@option("--slots", type=NumberType(0, MOST), metavar="N", help="Work runs in a window.")
@option("--tokens", type=NumberType(0, MOST), metavar="N", help="Tokens in a window.")
@option("--cost", type=AMOUNT, help="Cost in a window, in the owner's currency.")
@option("--window", type=DURATION, help="The window of the budget.")
@patch_options
def cli(invocation: Invocation, **fields: Any) -> Document:
    """Change objective, criteria, boundary or budget: a person's decision, refused to agents."""
    call = invocation.call("goal_updated", needs_active_goal=False)
    return update_goal(invocation.project(), call, goal_patch(fields))


def goal_patch(fields: dict[str, Any]) -> GoalPatch:
    """The patch that these options make; UsageError for a limit that is both set and lifted."""
    clear = frozenset(name for name in LIMITS if fields[f"clear_{name}"])
    both = next((name for name in sorted(clear) if fields[name] is not None), None)
    if both is not None:
        raise UsageError(f"--{both} and --clear-{both} contradict each other", hint="Leave one of them out.")
    return GoalPatch(
        objective=fields["objective"],
        acceptance=_list_patch(fields, "acceptance"),
        repositories=_list_patch(fields, "repository"),
        write_scopes=_list_patch(fields, "write_scope"),
        slots=fields["slots"],
        tokens=fields["tokens"],
        cost=fields["cost"],
        window=fields["window"],
        clear=clear,
    )


def _list_patch(fields: dict[str, Any], name: str) -> ListPatch:
    return ListPatch(add=fields[name], remove=fields[f"remove_{name}"], clear=fields[f"clear_{name}"])
