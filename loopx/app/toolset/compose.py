"""Putting a tool set together: one store, the right tools for the role, checked before the first call (S3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.toolset.schema import checked_arguments
from loopx.app.toolset.task import TASK_TOOLS
from loopx.core.errors import RoleNotAllowedError, TeamStateError, UsageError
from loopx.core.name import near_match, normalise_name
from loopx.core.value import Value
from loopx.settings import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from loopx.app.mutation import Document
    from loopx.app.project import Project
    from loopx.app.toolset.tool import Tool, ToolContext


class Bound(Value):
    """A tool and the context that its calls run in."""

    tool: Tool
    context: ToolContext


class Toolset:
    """The tools of one agent, in order. Made by `compose_toolset`."""

    def __init__(self, context: ToolContext, bound: Iterable[Bound]) -> None:
        self.context = context
        self._bound = {one.tool.name: one for one in bound}

    @property
    def project(self) -> Project:
        """The one project whose store serves every tool."""
        return self.context.project

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The definitions to give to the model."""
        return tuple(one.tool for one in self._bound.values())

    def find(self, name: str) -> Tool:
        """The tool of that name; RoleNotAllowedError for one of another role, UsageError for an unknown one."""
        if name in self._bound:
            return self._bound[name].tool
        if any(tool.name == name for tool in TASK_TOOLS):
            raise RoleNotAllowedError(
                f"a {self.context.role} has no {name}",
                hint="Ask the lead; a teammate reads, claims and completes work.",
                tool=name,
            )
        near = near_match(name, self._bound)
        raise UsageError(
            f"there is no tool {name!r}{f'; did you mean {near!r}?' if near else ''}",
            hint=f"The tools are {', '.join(self._bound)}.",
            tool=name,
        )

    def call(self, name: str, arguments: object, *, operation_id: str | None = None) -> Document:
        """The document of one call, with `warnings` as on the command line.

        UsageError for arguments that break the schema, and whatever the use case refuses. Anything else is a bug
        and passes through (S3.1).
        """
        tool = self.find(name)
        context = self._bound[name].context._replace(operation_id=operation_id)
        document = tool.handler(context, checked_arguments(tool, arguments))
        return {**document, "warnings": [*self.project.location.warnings, *document.get("warnings", ())]}


def compose_toolset(
    context: ToolContext, *, tasks: Iterable[Bound] | None = None, more: Iterable[Bound] = ()
) -> Toolset:
    """The task tools of the role, and `more` tools of the edge that asks.

    `tasks` are the role's own by default. TeamStateError where a tool works on another store or for another
    identity, where one is missing, double or not for the role; UsageError for an unknown role.
    """
    if context.role not in ROLES:
        raise UsageError(f"{context.role!r} is no role", hint=f"A role is {', '.join(ROLES)}.")
    normalise_name(context.identity, what="agent id")
    own = [Bound(tool, context) for tool in task_tools(context.role)] if tasks is None else list(tasks)
    if sorted(one.tool.name for one in own) != sorted(tool.name for tool in task_tools(context.role)):
        raise _invalid(f"a {context.role} has exactly {', '.join(tool.name for tool in task_tools(context.role))}")
    bound = [*own, *more]
    _refuse_mixed(context, bound)
    return Toolset(context, bound)


def task_tools(role: str) -> tuple[Tool, ...]:
    """The task tools of a role: five, or four for a teammate."""
    return tuple(tool for tool in TASK_TOOLS if role in tool.roles)


def _refuse_mixed(context: ToolContext, bound: list[Bound]) -> None:
    for one in bound:
        if one.context.project.store is not context.project.store:
            raise _invalid(f"{one.tool.name} works on another store than the rest")
        if (one.context.identity, one.context.role) != (context.identity, context.role):
            raise _invalid(f"{one.tool.name} acts for another agent or role than the rest")
        if context.role not in one.tool.roles:
            raise _invalid(f"{one.tool.name} is not for a {context.role}")
    names = [one.tool.name for one in bound]
    if len(set(names)) < len(names):
        raise _invalid("two tools have one name")


def _invalid(fact: str) -> TeamStateError:
    return TeamStateError(
        f"the tools do not fit together: {fact}",
        hint="Compose them from one project, one identity and one role.",
    )
