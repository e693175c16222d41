"""Colours that everybody can read (WCAG 2.2 AA), and assets that ask no other machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import loopx.web

STATIC = Path(loopx.web.__file__).parent / "static"
_TOKEN = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
TOKENS = {name: pair for name, *pair in _TOKEN.findall((STATIC / "style.css").read_text(encoding="utf-8"))}

TEXT, PART = 4.5, 3.0  # the least contrast of text, and of what is needed to see a control or a picture
PAIRS = [
    *((ink, ground, TEXT) for ink in ("ink", "quiet", "accent") for ground in ("bg", "surface", "sunk")),
    *((f"{name}-ink", f"{name}-bg", TEXT) for name in ("ask", "good", "bad", "busy", "idle")),
    *((f"{name}-ink", ground, TEXT) for name in ("ask", "bad") for ground in ("surface", "bg")),
    *(("ink", f"{name}-bg", TEXT) for name in ("ask", "good", "bad", "busy", "idle")),
    ("accent-ink", "accent", TEXT),
    ("bg", "ink", TEXT),
    *((name, "surface", PART) for name in ("strong-line", "accent", "good-line", "bad-line", "busy-line", "violet")),
]


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("ink", "ground", "least"), PAIRS)
def test_text_and_controls_stand_out_in_light_and_dark(ink: str, ground: str, least: float) -> None:
    for theme, (one, other) in zip(("light", "dark"), zip(TOKENS[ink], TOKENS[ground], strict=True), strict=True):
        assert contrast(one, other) >= least, f"{theme}: {contrast(one, other):.2f}"


def test_no_asset_names_another_machine() -> None:
    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//[a-z]|@import|url\(", text.replace("url(#", "").replace("// ", "")), path.name
