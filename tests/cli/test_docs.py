"""Every shell block of the documentation runs as it is written, page by page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loopx.cli.root import FAMILIES
from tests.support.docs import Step, is_as_shown, run_steps, steps_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if steps_of(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_the_page_runs(page: Path, tmp_path: Path) -> None:
    steps = steps_of(page)
    printed = run_steps(steps, tmp_path)
    for step, output in zip(steps, printed, strict=True):
        if step.shown is not None:
            assert is_as_shown(output, step.shown), f"$ {step.command}\n{output}\nis not\n{step.shown}"


def test_the_pages_that_teach_are_among_them() -> None:
    names = {page.name for page in PAGES}
    assert {"README.md", "quickstart.md", "gates.md", "monitors.md", "budgets.md", "guarantees.md"} <= names


def test_the_readme_names_every_command_and_none_as_missing_that_is_there() -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## What works today")[2]
    there, _, missing = section.partition("Not yet:")
    assert set(FAMILIES) <= set(re.findall(r"`([a-z-]+)`", there))
    assert not set(FAMILIES) & set(re.findall(r"`([a-z-]+)`", missing))


def test_a_command_that_fails_inside_a_block_fails_its_page(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="project_not_found"):
        run_steps([Step("loopx status\ntrue\n", None), Step("true", None)], tmp_path)


@pytest.mark.parametrize(
    ("printed", "shown", "same"),
    [
        ("a  todo_1\nb\nc\n", "a todo_…\n…\nc", True),
        ("a\n", "b\n", False),
        ("a\nb\n", "a\n", False),
        ("a (b) [c]\n", "a (…) [c]\n", True),
        ("axb", "a.b", False),
    ],
)
def test_an_ellipsis_stands_for_anything_and_nothing_else_does(printed: str, shown: str, *, same: bool) -> None:
    assert is_as_shown(printed, shown) is same
