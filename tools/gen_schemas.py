"""The contracts as one page: every document with its fields, read off `schemas/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopx.contracts.schema import load_schema, schema_names

if TYPE_CHECKING:
    from collections.abc import Iterator

_OPENING = """\
Every JSON document names its contract in `schema_version`. `loopx schema show NAME` prints a contract whole,
`loopx schema check FILE` holds a document against the one that it names, and the same files are in the
installed package. Keys of inner objects are shown as `outer.inner`, those of list items as `list[].key`.
What nearly every document has (`schema_version`, `ok`, `state`, `warnings`, and `receipt` after a mutation) is
left out of the tables. `?` marks a key that may be missing.
"""
_EVERYWHERE = frozenset(("schema_version", "ok", "state", "warnings", "receipt"))
_DEPTH = 2  # keys of keys; deeper ones are for `loopx schema show`


def schemas_page(notice: str) -> str:
    """One section a contract, in the order of names; the shared definitions come with whoever uses them."""
    parts = ["# Contracts\n", notice, _OPENING]
    for name in schema_names():
        schema = load_schema(name)
        if "properties" not in schema:
            continue
        parts += [f"## {name}\n", f"{_flat(schema.get('description', ''))}\n"]
        rows = list(_rows(schema, name))
        parts += [_table(rows)] if rows else []
    return "\n".join(parts)


def _rows(schema: dict[str, Any], home: str, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, str, str]]:
    """Key, type and meaning of each field; `home` is the file to which its references are relative."""
    required = set(schema.get("required", ()))
    for key, value in schema.get("properties", {}).items():
        if depth == 0 and key in _EVERYWHERE:
            continue
        found, where = _resolved(value, home)
        said = _flat(str(value.get("description") or found.get("description") or ""))
        yield f"{prefix}{key}{'' if key in required else '?'}", _kind(found, where), said
        if depth < _DEPTH and "$ref" not in value:  # a shape with a name is told where it is defined
            mark = ""
            if "items" in found:
                (found, where), mark = _resolved(found["items"], where), "[]"
            yield from _rows(found, where, f"{prefix}{key}{mark}.", depth + 1)


def _resolved(schema: dict[str, Any], home: str) -> tuple[dict[str, Any], str]:
    """What a reference leads to in the end, with everything that is said beside it, and the file it is in."""
    while isinstance(target := schema.get("$ref"), str):
        file, _, pointer = target.partition("#")
        home = file.removesuffix(".schema.json") or home
        node: Any = load_schema(home)
        for step in filter(None, pointer.split("/")):
            node = node[step]
        schema = {**node, **{key: value for key, value in schema.items() if key != "$ref"}}
    return schema, home


def _kind(schema: dict[str, Any], home: str) -> str:
    """The type in a few words."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join("null" if word is None else f"`{word}`" for word in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_kind(*_resolved(part, home)) for part in schema[several]))
    kinds = schema.get("type", "any")
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)


def _table(rows: list[tuple[str, str, str]]) -> str:
    lines = [f"| `{key}` | {_cell(kind)} | {_cell(said)} |" for key, kind, said in rows]
    return "\n".join(["| key | type | meaning |", "| --- | --- | --- |", *lines, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _flat(text: str) -> str:
    return " ".join(text.split())
