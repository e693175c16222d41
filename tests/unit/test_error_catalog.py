"""Codes are a closed, documented set: classes, catalogue and schema can only change together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from loopx.contracts.error_catalog import ERROR_CATALOG
from loopx.contracts.schema import load_schema
from loopx.core import errors
from loopx.core.errors import LoopxError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


def leaves(base: type[LoopxError] = LoopxError) -> Iterator[type[LoopxError]]:
    for kind in base.__subclasses__():
        yield from leaves(kind)
        if not kind.__subclasses__():
            yield kind


def coded() -> set[type[LoopxError]]:
    """The leaves and the two bases with a code: `internal` for our bugs, `usage` for the call."""
    return {LoopxError, UsageError} | set(leaves())


def test_a_leaf_states_one_cause_with_a_code_of_its_own() -> None:
    count = Counter(kind.code for kind in coded())
    assert not [code for code, times in count.items() if times > 1]
    assert all("code" in vars(kind) for kind in leaves())


def test_errors_are_declared_in_one_module() -> None:
    assert {kind.__module__ for kind in leaves()} == {errors.__name__}


def test_every_code_has_cause_and_mend_and_no_other_row_exists() -> None:
    assert set(ERROR_CATALOG) == {kind.code for kind in coded()}
    for code, row in ERROR_CATALOG.items():
        assert row.cause.endswith("."), code
        assert row.mend.endswith("."), code


def test_the_schema_enumerates_exactly_the_codes() -> None:
    assert load_schema("error")["enum"] == sorted(ERROR_CATALOG)


def test_an_exception_is_named_for_a_fact_and_after_its_code() -> None:
    for kind in leaves():
        words = "".join(word.title() for word in kind.code.split("_"))
        assert kind is UsageError or kind.__name__ == f"{words}Error", kind


def test_exit_codes_follow_the_kind() -> None:
    assert {kind.exit_code for kind in leaves()} == {2, 3, 4, 5, 6, 7}
    assert {kind.code for kind in leaves() if kind.retryable} == {
        "busy_timeout",
        "commit_unknown",
        "database_unreachable",
    }
