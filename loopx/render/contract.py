"""Answers whose text is a thing of its own: schemas, scripts, drawings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from loopx.render.block import Block, Span, Tone, Verbatim, line, table
from loopx.render.receipt import foot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Document = Mapping[str, Any]


def names(document: Document) -> Iterator[Block]:
    """`schema list`."""
    schemas = document["schemas"]
    rows = ([Span(schema["name"], Tone.STRONG), schema["description"]] for schema in schemas)
    yield table(("name", "what it is"), rows)
    yield foot(document, len(schemas), "contract")


def schema(document: Document) -> Iterator[Block]:
    """`schema show`: the contract itself, fit for a file."""
    yield Verbatim(json.dumps(document["schema"], ensure_ascii=False, indent=2))


def checked(document: Document) -> Iterator[Block]:
    """`schema check`."""
    yield line("The document satisfies ", Span(document["name"], Tone.GOOD), ".")


def script(document: Document) -> Iterator[Block]:
    """`completion`: the script itself, fit for a file."""
    yield Verbatim(document["script"])


def graph(document: Document) -> Iterator[Block]:
    """`todo graph`: the drawing that was asked for."""
    yield Verbatim(document["drawing"] or json.dumps(_plain_graph(document), ensure_ascii=False, indent=2))


def _plain_graph(document: Document) -> dict[str, Any]:
    return {"nodes": document["nodes"], "edges": document["edges"]}
