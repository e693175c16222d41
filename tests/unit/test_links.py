"""The link check sees what leads nowhere, and only that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.check_links import broken_links, unlisted_decisions


@pytest.mark.parametrize(
    "link",
    [
        "[x](other.md)",
        "[x](other.md#the-second-part)",
        "[x](#here)",
        "[x](https://example.org/no)",
        "`[x](no)`",
    ],
)
def test_a_link_that_resolves_is_left_alone(tmp_path: Path, link: str) -> None:
    (tmp_path / "other.md").write_text("# Other\n\n## The `second` part\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(f"# Here\n\n{link}\n\n```text\n[x](no.md)\n```\n", encoding="utf-8")
    assert list(broken_links(page)) == []


@pytest.mark.parametrize("target", ["gone.md", "#gone", "other.md#gone", "../gone/"])
def test_a_link_that_leads_nowhere_is_named(tmp_path: Path, target: str) -> None:
    (tmp_path / "other.md").write_text("# Other\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(f"# Here\n\n[x]({target})\n", encoding="utf-8")
    assert list(broken_links(page)) == [target]


def test_a_decision_that_the_index_forgets_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "decisions"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("[one](0001-one.md)\n", encoding="utf-8")
    (folder / "0001-one.md").touch()
    (folder / "0002-two.md").touch()
    assert unlisted_decisions(tmp_path) == [folder / "0002-two.md"]
