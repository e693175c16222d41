"""`loopx/api/document.py`: the contracts of `schemas/` as TypedDicts, for whoever calls from Python.

The schemas stay the one truth; `make reference` writes the module again and `make docs` says when it is stale.
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MODULE = ROOT / "loopx" / "api" / "document.py"
SCHEMAS = ROOT / "schemas"
ANSWERS = (
    "claim_next_v1", "error_v1", "fact_list_v1", "fact_v1", "goal_list_v1", "goal_v1", "handoff_list_v1",
    "handoff_v1", "inbox_v1", "init_v1", "log_v1", "message_list_v1", "message_v1", "monitor_poll_v1",
    "quota_should_run_v1", "quota_status_v1", "run_v1", "spend_v1", "status_v1", "task_lease_v0", "todo_complete_v1",
    "todo_list_v1", "todo_supersede_v1", "todo_v1", "todo_why_v1", "where_v1",
)  # fmt: skip
_WIDTH = 120
_LONGEST_SET = 20  # names; a longer closed set is read in its schema, and is `str` here
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_OPENING = '''"""What the calls answer, as types: the contracts of `schemas/`, key for key.

Written by `make reference`; change the schemas, not this module. A document is a plain `dict` at run time.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
'''


class Writer:
    """Turns schemas into classes; a named one is written once, before what holds it."""

    def __init__(self) -> None:
        self.classes: dict[str, str] = {}
        self._files: dict[str, dict[str, Any]] = {}

    def document(self, title: str) -> None:
        """Write the class of one contract and all that it is made of."""
        self.object(self._read(f"{title}.schema.json"), title, camel(title))

    def object(self, schema: dict[str, Any], file: str, name: str) -> str:
        """The class of an object with known keys."""
        if name in self.classes:
            return name
        required = set(schema.get("required", ()))
        fields: dict[str, str] = {}
        for key, part in schema["properties"].items():
            kind = self.type(part, file, name + camel(key))
            fields[key] = kind if key in required else f"NotRequired[{kind}]"
        self.classes[name] = _class(name, schema.get("description", ""), fields)
        return name

    def type(self, schema: dict[str, Any], file: str, name: str) -> str:
        """The type of a value; `name` is what a class of it would be called."""
        if "$ref" in schema:
            return self._referred(schema["$ref"], file)
        if "const" in schema:
            return _literal([schema["const"]])
        if "enum" in schema:
            return _literal(schema["enum"])
        if "oneOf" in schema:
            return self._one_of(schema["oneOf"], file, name)
        if "anyOf" in schema:
            return _union(self.type(part, file, name) for part in schema["anyOf"])
        kinds = schema.get("type", [])
        return _union(self._kind(kind, schema, file, name) for kind in ([kinds] if isinstance(kinds, str) else kinds))

    def _kind(self, kind: str, schema: dict[str, Any], file: str, name: str) -> str:
        if kind == "array":
            items = schema.get("items")
            return f"list[{self.type(items, file, _singular(name)) if isinstance(items, dict) else 'Any'}]"
        if kind != "object":
            return _SIMPLE[kind]
        if schema.get("properties"):
            return self.object(schema, file, name)
        more = schema.get("additionalProperties")
        return f"dict[str, {self.type(more, file, name + 'Value') if isinstance(more, dict) else 'Any'}]"

    def _one_of(self, forms: list[dict[str, Any]], file: str, name: str) -> str:
        """One class of all forms: a key that not every form has need not be there."""
        found = [self._resolved(form["$ref"], file)[:2] for form in forms]
        required = set.intersection(*(set(schema["required"]) for schema, _ in found))
        properties: dict[str, Any] = {}
        for schema, title in found:
            properties |= {key: _absolute(part, title) for key, part in schema["properties"].items()}
        return self.object({"properties": properties, "required": sorted(required)}, file, name)

    def _referred(self, reference: str, file: str) -> str:
        return self.type(*self._resolved(reference, file))

    def _resolved(self, reference: str, file: str) -> tuple[dict[str, Any], str, str]:
        """What a reference leads to, the file that holds it, and the name of a class of it."""
        place, _, path = reference.partition("#")
        title = place.removesuffix(".schema.json").rpartition("/")[2] if place else file
        schema = self._read(f"{title}.schema.json")
        for step in path.strip("/").split("/") if path.strip("/") else []:
            schema = schema[step]
        own = path.rpartition("/")[2]
        return schema, title, camel(own) if title == "common" else camel(title) + camel(own)

    def _read(self, name: str) -> dict[str, Any]:
        if name not in self._files:
            self._files[name] = json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
        return self._files[name]


def _absolute(schema: dict[str, Any], file: str) -> dict[str, Any]:
    """The schema with its references told from outside its file."""
    text = json.dumps(schema).replace('"$ref": "#', f'"$ref": "{file}.schema.json#')
    absolute: dict[str, Any] = json.loads(text)
    return absolute


def camel(name: str) -> str:
    """`todo_list_v1` as `TodoListV1`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\W]+", name))


def documents_module() -> str:
    """The text of the module."""
    writer = Writer()
    for title in ANSWERS:
        writer.document(title)
    return _laid_out("\n\n\n".join([_OPENING, *writer.classes.values()]) + "\n")


def _laid_out(text: str) -> str:
    """The text as `make format` would leave it."""
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(MODULE), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, check=True, encoding="utf-8", cwd=ROOT).stdout


def _class(name: str, text: str, fields: dict[str, str]) -> str:
    """The class; by a call where a key is a word of Python's own."""
    if any(keyword.iskeyword(key) for key in fields):
        pairs = "".join(f"{key!r}: {kind!r}," for key, kind in fields.items())
        return f"{name} = TypedDict({name!r}, {{{pairs}}})"
    head = [f"class {name}(TypedDict):", *([f"    {_docstring(text)}", ""] if text else [])]
    return "\n".join([*head, *(f"    {key}: {kind}" for key, kind in fields.items())])


def _literal(values: list[object]) -> str:
    """A closed set; `True` alone is what success and a dry run say."""
    if len(values) > _LONGEST_SET:
        return "str"
    named = [_quoted(value) for value in values if value is not None]
    parts = [f"Literal[{', '.join(named)}]"] if named else []
    return " | ".join([*parts, *(["None"] if None in values else [])])


def _quoted(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _union(kinds: Iterator[str]) -> str:
    found = list(dict.fromkeys(kinds)) or ["Any"]
    return " | ".join(sorted(found, key=lambda kind: kind == "None"))


def _singular(name: str) -> str:
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else f"{name}Item"


def _docstring(text: str) -> str:
    first = text.replace("\\", "\\\\").strip()
    line = f'"""{first}"""'
    return line if len(line) < _WIDTH - 4 else f'"""{first.partition(". ")[0].removesuffix(".")}."""'
