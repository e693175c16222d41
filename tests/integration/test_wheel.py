"""What a user installs is whole: the wheel, in an environment that has nothing but what it declares.

The base and one extra are installed here, from what is on this machine. Every extra on every Python, from the
package index, is `make wheel-matrix`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

import loopx
from tests.support.cli import clean_environment
from tests.support.contracts import check_document, read_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 1_500_000  # of the wheel, which is text


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    _python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT))
    (built,) = out.glob("loopx-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a fresh environment, outside the checkout, with the wheel in it."""
    return _fresh(wheel, tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="module")
def installed_with_mcp(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the extra `mcp`."""
    return _fresh(wheel, tmp_path_factory.mktemp("mcp"), "mcp")


def _fresh(wheel: Path, place: Path, *extras: str) -> Path:
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    _python("-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index", str(wheel))
    for distribution in _needed_by(_declared(wheel), extras):
        _copy(distribution, next(place.glob("lib/python3*/site-packages")))
    return place / "bin"


def test_the_wheel_holds_the_package_and_every_schema(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    schemas = {f"loopx/schemas/{path.name}" for path in (ROOT / "schemas").glob("*.json")}
    migrations = {str(path.relative_to(ROOT)) for path in (ROOT / "loopx").rglob("*.sql")}
    assert schemas
    web = ROOT / "loopx" / "web"
    assets = {str(path.relative_to(ROOT)) for name in ("static", "templates") for path in (web / name).iterdir()}
    assert schemas | migrations | assets | {"loopx/py.typed"} <= names
    own = f"loopx-{loopx.__version__}"
    assert {name.split("/")[0] for name in names} == {"loopx", f"{own}.dist-info", f"{own}.data"}
    assert {name for name in names if name.startswith(f"{own}.data")} == {f"{own}.data/data/share/man/man1/loopx.1"}


def test_the_wheel_is_small_and_carries_no_leftovers(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert wheel.stat().st_size <= MOST_BYTES
    assert not [
        name for name in names if name.endswith((".pyc", ".orig", ".swp", "ruff.toml")) or "__pycache__" in name
    ]
    assert not [name for name in names if "test" in Path(name).name]


def test_the_manual_page_is_where_man_looks_for_it(installed: Path) -> None:
    page = installed.parent / "share" / "man" / "man1" / "loopx.1"
    assert page.read_bytes() == (ROOT / "docs" / "reference" / "loopx.1").read_bytes()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_completion(installed: Path, tmp_path: Path, shell: str) -> None:
    assert "_LOOPX_COMPLETE" in _ask(installed, tmp_path, "loopx", "completion", shell)
    words = {"COMP_WORDS": "loopx setup cl", "COMP_CWORD": "2" if shell != "fish" else "cl"}
    told = _ask(installed, tmp_path, "loopx", env={"_LOOPX_COMPLETE": f"{shell}_complete", **words})
    assert "claude" in told


def test_the_api_is_there(installed: Path, tmp_path: Path) -> None:
    script = "import loopx; print(loopx.ControlPlane.__name__)"
    assert _ask(installed, tmp_path, str(installed / "python"), "-c", script) == "ControlPlane\n"


def test_a_command_of_an_extra_says_what_to_install(installed: Path, tmp_path: Path) -> None:
    done = _started(installed, tmp_path, "loopx", "mcp", "--agent-id", "a")
    assert (done.returncode, done.stdout) == (3, "")
    assert "[extra_missing]" in done.stderr
    assert "pip install 'loopx[mcp]'" in done.stderr


def test_the_server_runs_from_the_wheel_with_its_extra(installed_with_mcp: Path, tmp_path: Path) -> None:
    parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters})
    done = _started(installed_with_mcp, tmp_path, "loopx", "mcp", "--agent-id", "a", stdin=hello + "\n")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["serverInfo"] == {"name": "loopx", "version": loopx.__version__}


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


def _ask(installed: Path, cwd: Path, *argv: str, env: Mapping[str, str] | None = None) -> str:
    """Standard output of a program that must succeed."""
    done = _started(installed, cwd, *argv, env=env)
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _started(
    installed: Path, cwd: Path, *argv: str, env: Mapping[str, str] | None = None, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """A program that finds the fresh environment first and this checkout never."""
    path = os.pathsep.join([str(installed), "/usr/bin", "/bin"])
    environment = clean_environment({"PATH": path, "PYTHONPATH": "", **(env or {})})
    return subprocess.run(
        argv, cwd=cwd, env=environment, input=stdin, capture_output=True, encoding="utf-8", timeout=120
    )


def _python(*argv: str) -> None:
    done = subprocess.run([sys.executable, *argv], capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"


def _declared(wheel: Path) -> list[str]:
    """What the wheel itself says that it needs; the checkout may have been installed earlier."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])


def _needed_by(requirements: Iterable[str], extras: Iterable[str] = ()) -> Iterator[metadata.Distribution]:
    """The distributions that these requirements stand for under the extras, with what those require in turn."""
    waiting = [(text, extra) for text in requirements for extra in ("", *extras)]
    seen = set[tuple[str, str]]()
    while waiting:
        text, asked_for = waiting.pop()
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": asked_for}):
            continue
        distribution = metadata.distribution(requirement.name)
        for extra in {"", *requirement.extras}:
            if (requirement.name, extra) not in seen:
                seen.add((requirement.name, extra))
                waiting += [(needed, extra) for needed in distribution.requires or []]
                yield distribution


def _copy(distribution: metadata.Distribution, site: Path) -> None:
    for file in distribution.files or []:
        if ".." not in file.parts and "__pycache__" not in file.parts:
            target = site / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(str(file.locate()), target)
