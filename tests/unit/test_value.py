"""A value is a tuple with names: frozen, comparable, changed only into another one."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from loopx.core.value import Value, ValueType


class Point(Value):
    """A place."""

    x: int
    y: int = 2

    @property
    def total(self) -> int:
        return self.x + self.y


def test_fields_are_read_by_name_and_by_place() -> None:
    point = Point(1)
    assert (point.x, point.y, point.total, point[1]) == (1, 2, 3, 2)


def test_it_is_equal_and_hashed_like_a_tuple() -> None:
    assert Point(1, 3) == Point(x=1, y=3) == (1, 3)
    assert len({Point(1, 3), Point(1, 3), Point(1, 4)}) == 2


def test_replace_gives_another_value_and_leaves_the_first() -> None:
    point = Point(1)
    assert point._replace(y=5) == Point(1, 5)
    assert point == Point(1, 2)


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Point(1).x = 2  # type: ignore[misc]


WRONG = [((), {}), ((1, 2, 3), {}), ((1,), {"z": 3}), ((1,), {"x": 2})]
RIGHT = [((1,), {}), ((1, 3), {}), ((1,), {"y": 3}), ((), {"x": 1}), ((), {"y": 3, "x": 1})]


@pytest.mark.parametrize(("given", "named"), WRONG, ids=str)
def test_a_wrong_set_of_fields_is_an_error(given: tuple[int, ...], named: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        Point(*given, **named)


class Often(Value):
    """A value of which many are made."""

    x: int
    y: int = 2


@pytest.fixture(scope="module")
def often() -> type[Often]:
    first = Often.__new__
    for _ in range(1_000):
        Often(1)
    assert Often.__new__ is not first, "its constructor was compiled"
    return Often


@pytest.mark.parametrize(("given", "named"), RIGHT, ids=str)
def test_one_of_many_is_made_as_the_first_was(
    often: type[Often], given: tuple[int, ...], named: dict[str, int]
) -> None:
    made = often(*given, **named)
    assert tuple(made) == tuple(Point(*given, **named))
    assert type(made) is Often
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(("given", "named"), WRONG, ids=str)
def test_one_of_many_refuses_a_wrong_set_of_fields_too(
    often: type[Often], given: tuple[int, ...], named: dict[str, int]
) -> None:
    with pytest.raises(TypeError):
        often(*given, **named)


def test_an_unknown_field_cannot_be_replaced() -> None:
    with pytest.raises(TypeError, match="z"):
        Point(1)._replace(z=1)


def test_a_field_without_default_after_one_with_default_is_an_error() -> None:
    with pytest.raises(TypeError, match="without a default"):
        ValueType("Wrong", (Value,), {"__annotations__": {"a": "int", "b": "int"}, "a": 1})


def test_it_survives_copy_pickle_json_and_matching() -> None:
    point = Point(1)
    assert copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    assert json.loads(json.dumps(point)) == [1, 2]
    match point:
        case Point(x=1, y=y):
            assert y == 2
        case _:
            pytest.fail("a value matches by its fields")
    assert repr(point) == "Point(x=1, y=2)"
