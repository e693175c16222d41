"""Fail where a Markdown page of this project points at a file or heading that is not there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


def markdown_pages(root: Path) -> list[Path]:
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "examples").rglob("*.md")])


def anchors(page: Path) -> set[str]:
    """The fragments that a page offers, spelt as Git hosts spell them."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text(encoding="utf-8")))
    return {_NOT_IN_ANCHOR.sub("", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> Iterator[str]:
    """Each link of `page` into this project that leads nowhere; links to elsewhere are not followed."""
    text = page.read_text(encoding="utf-8")
    for target in _LINK.findall(_CODE.sub("", _FENCE.sub("", text))):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, fragment = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or (fragment and path.suffix == ".md" and fragment not in anchors(path)):
            yield target


def unlisted_decisions(root: Path) -> list[Path]:
    """Decision pages that their index does not name."""
    folder = root / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    return [page for page in sorted(folder.glob("[0-9]*.md")) if f"({page.name})" not in index]


def main() -> int:
    pages = markdown_pages(ROOT)
    faults = [f"{page.relative_to(ROOT)}: {target}" for page in pages for target in broken_links(page)]
    faults += [f"docs/decisions/README.md does not list {page.name}" for page in unlisted_decisions(ROOT)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
