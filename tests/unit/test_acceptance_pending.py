"""The list of pending black-box checks can neither hide a failure nor outlive its cause."""

from __future__ import annotations

import pytest

from tools.acceptance import PENDING, judge, read_pending


def test_a_failure_that_is_not_listed_is_red() -> None:
    verdict = judge(failed={"test_a.py::test_x"}, listed=set())
    assert not verdict.is_green
    assert verdict.unexpected == ["test_a.py::test_x"]


def test_a_listed_check_that_passes_is_red() -> None:
    verdict = judge(failed=set(), listed={"test_a.py::test_x"})
    assert not verdict.is_green
    assert verdict.settled == ["test_a.py::test_x"]


def test_exactly_the_listed_failures_are_green() -> None:
    assert judge(failed={"test_a.py::test_x"}, listed={"test_a.py::test_x"}).is_green


def test_a_line_names_the_check_its_issue_and_the_reason() -> None:
    assert read_pending("test_a.py::test_x[a b] #4 leases come later\n") == {"test_a.py::test_x[a b]"}


@pytest.mark.parametrize(
    "line", ["", "# a remark", "test_a.py::test_x", "test_a.py::test_x #4", "test_a.py::test_x four reason"]
)
def test_a_line_that_is_not_whole_is_refused(line: str) -> None:
    with pytest.raises(SystemExit, match=":1: not"):
        read_pending(f"{line}\n")


def test_a_check_stands_once() -> None:
    with pytest.raises(SystemExit, match=":2: listed twice"):
        read_pending("test_a.py::test_x #4 one\ntest_a.py::test_x #5 two\n")


def test_the_committed_list_is_well_formed() -> None:
    read_pending(PENDING.read_text(encoding="utf-8"))
