"""One dashboard on a project with some of everything, for the tests that only read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from loopx.system import SystemClock
from tests.web.sample import Sample
from tests.web.served import Served, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return Sample(tmp_path_factory.mktemp("sample"), SystemClock().now()).build()


@pytest.fixture(scope="session")
def site(sample: Sample) -> Iterator[Served]:
    with serving(sample.loopx.root) as served:
        yield served
