"""What a client may read without a tool: the decision, the handoff, and any todo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from loopx.app.todo_show import show_todo
from loopx.contracts.error_document import error_document
from loopx.core.errors import LoopxError, UsageError
from loopx.mcp.answer import as_json, document_of_bug
from loopx.mcp.tool import decision, handoff

if TYPE_CHECKING:
    from loopx.app.mutation import Document
    from loopx.app.toolset.compose import Toolset
    from loopx.mcp.resident import Resident

_JSON = "application/json"
_TODO = "loopx://todo/"
_DECISION = "loopx://decision"
_HANDOFF = "loopx://handoff"


def list_resources() -> ListResourcesResult:
    """The resources that are always there."""
    return ListResourcesResult(
        resources=[
            Resource(name="decision", uri=_DECISION, description="What you may do now.", mime_type=_JSON),
            Resource(name="handoff", uri=_HANDOFF, description="What you take over.", mime_type=_JSON),
        ]
    )


def list_templates() -> ListResourceTemplatesResult:
    """The resources that are named by an id."""
    template = ResourceTemplate(
        name="todo", uri_template=f"{_TODO}{{todo_id}}", description="One todo, whole.", mime_type=_JSON
    )
    return ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(resident: Resident, uri: str) -> ReadResourceResult:
    """The document of a resource. MCPError whose `data` is the error document."""
    try:
        document = await resident.ask(lambda tools: _document(tools, uri))
    except LoopxError as refusal:
        raise MCPError(INVALID_PARAMS, refusal.message, error_document(refusal)) from refusal
    except Exception as bug:
        raise MCPError(INTERNAL_ERROR, str(bug), document_of_bug(bug)) from bug
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_JSON, text=as_json(document))])


def _document(tools: Toolset, uri: str) -> Document:
    context = tools.context
    if uri == _DECISION:
        document = decision(context)
    elif uri == _HANDOFF:
        document = handoff(context)
    elif uri.startswith(_TODO):
        document = show_todo(context.project, uri.removeprefix(_TODO), context.goal_id)
    else:
        raise UsageError(f"there is no resource {uri!r}", hint=f"It is {_DECISION}, {_HANDOFF} or {_TODO}ID.")
    return {**document, "warnings": [*context.project.location.warnings, *document.get("warnings", ())]}
