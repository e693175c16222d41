"""Texts for synthetic records: plain words, other scripts, signs that a parser may trip over."""

from __future__ import annotations

from random import Random

_WORDS = (
    "parse", "store", "retry", "index", "merge", "grammar", "corpus", "reader", "token", "window", "cache", "schema",
    "größe", "naïve", "変換", "проверка", "🧵", "👩‍🔧", "--force", "$1", "{0}", "%s", "<b>", "`code`",
    "#12", "[x]", "\\n",
)  # fmt: skip


def words(random: Random, number: int) -> str:
    """So many words."""
    return " ".join(random.choice(_WORDS) for _ in range(number))


def paragraph(random: Random, size: int) -> str:
    """Text of about `size` characters in several lines."""
    lines: list[str] = []
    length = 0
    while length < size:
        lines.append(words(random, 12))
        length += len(lines[-1]) + 1
    return "\n".join(lines)


def stamp(random: Random, *, digits: int | None = None) -> str:
    """A moment of 2025 with up to nine digits of fraction, mostly with an offset."""
    number = random.choice((0, 3, 6, 9)) if digits is None else digits
    fraction = "." + "".join(random.choice("0123456789") for _ in range(number)) if number else ""
    zone = random.choice(("Z", "+02:00", "-08:00", "+05:30", "-07:00"))
    day = f"2025-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    return f"{day}T{random.randint(0, 23):02}:{random.randint(0, 59):02}:{random.randint(0, 59):02}{fraction}{zone}"
