"""Frozen values that cost little to declare: named tuples without the code generation.

Declaring a `typing.NamedTuple` compiles a constructor and takes 190–420 µs; a call declares some forty,
and a call is a few milliseconds long (docs/decisions/0003-values.md). A `Value` is declared by
annotations just like one, is a tuple just like one, and takes about 20 µs. Only a class of which many are made,
in a process that stays, gets a compiled constructor.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

try:
    from _collections import _tuplegetter  # type: ignore[import-not-found]
except ImportError:  # an interpreter without CPython's accelerator

    def _tuplegetter(index: int, doc: str) -> Any:
        return property(lambda self: tuple.__getitem__(self, index), doc=doc)


if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self


_MANY = 200  # compiling a constructor costs as much as making so many with the general one


@dataclass_transform(frozen_default=True)
class ValueType(type):
    """Turns the annotations of a class body into fields."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> ValueType:
        fields = tuple(namespace.get("__annotations__", ()))
        defaults = {field: namespace.pop(field) for field in fields if field in namespace}
        if fields[len(fields) - len(defaults) :] != tuple(defaults):
            raise TypeError(f"{name}: a field without a default follows one with a default")
        for index, field in enumerate(fields):
            namespace[field] = _tuplegetter(index, field)
        namespace["__slots__"] = ()
        namespace["_fields"] = fields
        namespace["_names"] = frozenset(fields)
        namespace["_pick"] = itemgetter(*fields) if len(fields) > 1 else dict.values  # of one it gives no tuple
        namespace["_defaults"] = defaults
        namespace["_made"] = [0]
        namespace["__match_args__"] = fields
        return super().__new__(mcs, name, bases, namespace)


def _compiled(cls: type[Value]) -> Any:
    """A constructor that does what `Value.__new__` does, with the fields as its own parameters."""
    defaults = cls._defaults
    names = {f"_{field}": value for field, value in defaults.items()}
    parameters = ", ".join(f"{field}=_{field}" if field in defaults else field for field in cls._fields)
    source = f"lambda _cls, {parameters}: _new(_cls, ({', '.join(cls._fields)},))"
    return eval(source, {"_new": tuple.__new__, **names})  # noqa: S307 - field names alone are in it


class Value(tuple[Any, ...], metaclass=ValueType):
    """Base of all frozen values: fields by name, equality and hash of a tuple, changed with `_replace`."""

    if TYPE_CHECKING:
        _fields: ClassVar[tuple[str, ...]]
        _defaults: ClassVar[dict[str, Any]]
    else:

        def __new__(cls, *given: Any, **named: Any) -> Self:
            cls._made[0] += 1
            if cls._made[0] == _MANY:
                cls.__new__ = _compiled(cls)
            fields = cls._fields
            if len(given) == len(fields) and not named:
                return tuple.__new__(cls, given)
            filled = {**cls._defaults, **dict(zip(fields, given, strict=False)), **named}
            if (
                len(given) <= len(fields)
                and filled.keys() == cls._names
                and named.keys().isdisjoint(fields[: len(given)])
            ):
                return tuple.__new__(cls, cls._pick(filled))
            absent = cls._names - filled.keys()
            if absent:
                raise TypeError(f"{cls.__name__} needs {', '.join(sorted(absent))}")
            unknown = (*sorted(filled.keys() - cls._names), *(name for name in fields[: len(given)] if name in named))
            raise TypeError(f"{cls.__name__} has no {', '.join(unknown) or 'more fields'}")

    def _replace(self, **changes: Any) -> Self:
        """The same value with some fields changed; TypeError for a field that it does not have."""
        fields, values = self._fields, list(self)
        for field, value in changes.items():
            if field not in fields:
                raise TypeError(f"{type(self).__name__} has no {field}")
            values[fields.index(field)] = value
        return tuple.__new__(type(self), values)

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        """The value of these field values, in order and all of them."""
        return cls(*values)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({fields})"
