"""What a user installs is whole: the wheel, in an environment that has nothing but what it declares."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

import loopx
from tests.support.cli import clean_environment
from tests.support.contracts import check_document, read_document

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    _python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT))
    (built,) = out.glob("loopx-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a fresh environment, outside the checkout, with the wheel in it."""
    place = tmp_path_factory.mktemp("fresh")
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    _python("-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index", str(wheel))
    for distribution in _declared(metadata.requires("loopx") or []):
        _copy(distribution, next(place.glob("lib/python3*/site-packages")))
    return place / "bin"


def test_the_wheel_holds_the_package_and_every_schema(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    schemas = {f"loopx/schemas/{path.name}" for path in (ROOT / "schemas").glob("*.json")}
    migrations = {str(path.relative_to(ROOT)) for path in (ROOT / "loopx").rglob("*.sql")}
    assert schemas
    assert schemas | migrations | {"loopx/py.typed"} <= names
    assert {name.split("/")[0] for name in names} == {"loopx", f"loopx-{loopx.__version__}.dist-info"}


def test_the_installed_command_knows_its_version(installed: Path, tmp_path: Path) -> None:
    assert _ask(installed, tmp_path, "loopx", "--version") == f"loopx {loopx.__version__}\n"


def test_the_demo_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    document = read_document(_ask(installed, tmp_path, "loopx", "demo", "--format", "json"))
    check_document(document)
    assert document["ok"] is True


def test_the_schemas_are_found_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    document = read_document(_ask(installed, tmp_path, "loopx", "schema", "list", "--format", "json"))
    check_document(document)


def test_the_worked_example_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    _ask(installed, tmp_path, "sh", str(ROOT / "examples" / "worked_example.sh"))


def _ask(installed: Path, cwd: Path, *argv: str) -> str:
    """Standard output of a program that finds the fresh environment first and this checkout never."""
    path = os.pathsep.join([str(installed), "/usr/bin", "/bin"])
    env = clean_environment({"PATH": path, "PYTHONPATH": ""})
    done = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _python(*argv: str) -> None:
    done = subprocess.run([sys.executable, *argv], capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"


def _declared(requirements: list[str]) -> Iterator[metadata.Distribution]:
    """The distributions that these requirements stand for, with what those require in turn."""
    waiting, seen = list(requirements), set[str]()
    while waiting:
        requirement = Requirement(waiting.pop())
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and requirement.name not in seen:
            seen.add(requirement.name)
            distribution = metadata.distribution(requirement.name)
            waiting += distribution.requires or []
            yield distribution


def _copy(distribution: metadata.Distribution, site: Path) -> None:
    for file in distribution.files or []:
        if ".." not in file.parts and "__pycache__" not in file.parts:
            target = site / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), target)
