"""The command on a server: found by its address alone, without files, and silent about the password."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from loopx.app.extra import module_of_extra
from loopx.core.errors import DatabaseUnreachableError, ExtraMissingError
from loopx.settings import DATABASE_URL
from loopx.store.postgres.address import parts_of, shown
from loopx.store.postgres.failure import without_password
from tests.support.cli import Loopx

NOWHERE = "postgresql://loopx:{}@127.0.0.1:1/loopx"

pytestmark = pytest.mark.sqlite_only("names a server of its own")


def there(url: str) -> dict[str, str]:
    return {DATABASE_URL: url}


def test_a_project_on_a_server_needs_no_folder(inside: Loopx, database_url: str) -> None:
    inside.ok("init", "--goal-id", "lab", "--objective", "Find out", "--agent", "ann", env=there(database_url))
    inside.ok("todo", "add", "--text", "one", env=there(database_url))
    assert list(inside.root.iterdir()) == []


def test_where_names_engine_and_address(inside: Loopx, database_url: str) -> None:
    inside.ok("init", env=there(database_url))
    told = inside.ok("where", env=there(database_url))
    assert (told["found_by"], told["database"]["engine"]) == ("database", "postgresql")


def test_a_retry_of_init_gets_the_first_answer(inside: Loopx, database_url: str) -> None:
    words = ("init", "--goal-id", "lab", "--objective", "Find out", "--operation-id", "once")
    first = inside.ok(*words, env=there(database_url))
    again = inside.ok(*words, env=there(database_url))
    assert again["receipt"] == {**first["receipt"], "replayed": True}
    inside.refused("init", code="already_initialised", env=there(database_url))


def test_a_dry_run_of_init_makes_nothing(inside: Loopx, database_url: str) -> None:
    assert inside.ok("init", "--dry-run", env=there(database_url))["dry_run"] is True
    inside.refused("where", code="project_not_found", env=there(database_url))


def test_init_makes_the_schema_that_the_address_names(inside: Loopx, database_url: str) -> None:
    inside.ok("init", env=there(database_url))
    other = f"{database_url}_more"
    inside.refused("where", code="project_not_found", env=there(other))
    inside.ok("init", env=there(other))
    assert inside.ok("where", env=there(other))["state"]


def test_files_are_refused_there(inside: Loopx, database_url: str) -> None:
    inside.ok("init", env=there(database_url))
    inside.refused("backup", "copy.db", code="not_on_server", env=there(database_url))


def test_a_database_beside_it_is_told_and_not_used(inside: Loopx, database_url: str) -> None:
    inside.ok("init")
    inside.ok("init", env=there(database_url))
    assert "not used" in inside.ok("where", env=there(database_url))["warnings"][0]


def test_a_server_that_does_not_answer_changes_nothing_and_may_be_asked_again(inside: Loopx) -> None:
    inside.refused("todo", "list", code="database_unreachable", exit_code=6, env=there(NOWHERE.format("x")))
    assert DatabaseUnreachableError.retryable


@pytest.mark.parametrize("secret", ["hunter2", "p%40ss%3Aw%2Frd", "a b", "at@w&x", "100%"])
@pytest.mark.parametrize(
    "form", [NOWHERE, "host=127.0.0.1 port=1 user=loopx password='{}'", "postgresql://127.0.0.1:1/x?password={}"]
)
def test_no_refusal_tells_the_password(loopx: Loopx, form: str, secret: str) -> None:
    for words in (("todo", "list"), ("where",), ("init",), ("doctor",)):
        answer = loopx.run(*words, env=there(form.format(secret)))
        assert answer.code != 1, answer
        assert secret not in answer.out + answer.err
    answer = loopx.run("init")
    answer = loopx.run("store", "migrate", "--to", form.format(secret))
    assert answer.code in (2, 6), answer
    assert secret not in answer.out + answer.err


@pytest.mark.parametrize("form", [NOWHERE, "host=x password='{}' user=y", "postgresql://x/y?user=z&password={}&port=1"])
def test_an_address_is_shown_without_its_password(form: str) -> None:
    assert "hunter2" not in without_password(form.format("hunter2"))
    assert "hunter2" not in shown(form.format("hunter2"))


def test_the_address_that_is_shown_leads_there_again() -> None:
    given = "postgresql://lo%40px:secret@db.example:5433/ship?options=-csearch_path%3Dour%20ship&sslmode=require"
    assert parts_of(shown(given)) == {name: part for name, part in parts_of(given).items() if name != "password"}


def test_a_project_on_a_server_shows_no_password(inside: Loopx, database_url: str) -> None:
    url = f"{database_url}&password=hunter2"
    inside.ok("init", env=there(url))
    answer = inside.call("where", env=there(url))
    assert "hunter2" not in answer.out + answer.err


def test_without_the_extra_the_refusal_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("psycopg", "loopx.store.postgres"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ExtraMissingError, match="psycopg") as refused:
        module_of_extra("loopx.store.postgres.database", "postgres")
    assert refused.value.details["extra"] == "postgres"


def test_workers_hand_the_address_on_and_no_identity() -> None:
    from loopx.settings import without_identity

    given = {DATABASE_URL: "x", "LOOPX_AGENT_ID": "ann", "LOOPX_ROLE": "lead", "PATH": os.defpath}
    assert without_identity(given) == {DATABASE_URL: "x", "PATH": os.defpath}


def test_a_folder_that_is_named_is_the_place_of_local_files(inside: Loopx, database_url: str, tmp_path: Path) -> None:
    inside.ok("init", env=there(database_url))
    below = tmp_path / "below"
    below.mkdir()
    assert inside.ok("--project", str(below), "where", env=there(database_url))["root"] == str(below)
