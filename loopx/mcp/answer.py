"""Documents as MCP results: the same object as structured content and as one text of JSON."""

from __future__ import annotations

import json
import sys
import traceback
from typing import TYPE_CHECKING

from mcp_types import CallToolResult, TextContent

from loopx.contracts.error_document import error_document
from loopx.core.errors import LoopxError

if TYPE_CHECKING:
    from loopx.app.mutation import Document


def result_of(document: Document) -> CallToolResult:
    """The result of a document; an error document is an error result (S3.1)."""
    text = as_json(document)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=json.loads(text),
        is_error=not document["ok"],
    )


def as_json(document: Document) -> str:
    """Compact JSON, as the command line prints it into a pipe."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def document_of_bug(bug: Exception) -> Document:
    """The document of what is no refusal of ours; the traceback goes to standard error."""
    sys.stderr.write("".join(traceback.format_exception(bug)))
    return error_document(LoopxError(f"a bug in loopx: {bug}", hint="Please report the traceback."))
