"""What the fault tests share: one crew of processes for all races."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crew import Crew

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def crew() -> Iterator[Crew]:
    crew = Crew()
    yield crew
    crew.dismiss()
