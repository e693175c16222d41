"""`loopx doctor`: everything that is wrong is named, and `--fix` settles only what can be proved."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from loopx.core.instant import DAY, HOUR, MINUTE
from loopx.store import migrate
from tests.support.cli import Loopx
from tests.support.fakes import START, FakeClock
from tests.support.git import git, new_repository, new_worktree
from tests.support.lab import add, add_monitor, finish, lease, start_lab
from tests.support.project import foreign_hand
from tests.support.unprivileged import public_folder, unprivileged


@pytest.fixture
def lab(inside: Loopx) -> Loopx:
    return start_lab(inside)


def found(lab: Loopx) -> list[tuple[str, str, str]]:
    return [(one["severity"], one["code"], one["subject"]) for one in lab.ok("doctor")["findings"]]


def edit(lab: Loopx, *statements: str) -> None:
    with foreign_hand(lab.root) as db:
        for statement in statements:
            db.execute(statement)


def backups(lab: Loopx) -> list[str]:
    folder = lab.root / ".loopx" / "backups"
    return sorted(os.listdir(folder)) if folder.exists() else []


def state_bytes(lab: Loopx) -> dict[str, bytes]:
    folder = lab.root / ".loopx"
    return {name: (folder / name).read_bytes() for name in os.listdir(folder) if name not in ("loopx.db-shm",)}


# --- what is sound -------------------------------------------------------------------------


def test_a_project_at_work_is_healthy(lab: Loopx) -> None:
    one, two = add(lab, "one"), add(lab, "two")
    add(lab, "after", "--blocked-by", one)
    lease(lab, two)
    finish(lab, one)
    document = lab.ok("doctor")
    assert (document["healthy"], document["findings"], document["total"]) == (True, [], 0)


def test_it_writes_nothing(lab: Loopx) -> None:
    lease(lab, add(lab, "one"), "ann", "--ttl", "1m")
    before = state_bytes(lab)
    lab.ok("doctor")
    assert {name: data for name, data in state_bytes(lab).items() if data or name in before} == before


def test_a_fresh_clone_without_a_database_is_healthy(lab: Loopx) -> None:
    folder = lab.root / ".loopx"
    for name in os.listdir(folder):
        if name not in ("registry.yaml", ".gitignore"):
            (folder / name).unlink()
    assert lab.ok("doctor")["healthy"] is True
    assert "loopx.db" not in os.listdir(folder)


def test_it_works_on_a_folder_that_takes_no_files() -> None:
    with public_folder() as root:
        lab = start_lab(Loopx(root, in_process=True))
        add(lab, "one")
        (root / ".loopx").chmod(0o555)
        with unprivileged():
            assert [one["code"] for one in lab.ok("doctor")["findings"]] == ["read_only"]


# --- the foreign hand ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "code", "subject"),
    [
        ("UPDATE events SET reason = 'x' WHERE sequence = 2", "event_changed", "event 2"),
        ("DELETE FROM events WHERE sequence = 2", "event_missing", "event 2"),
        ("UPDATE todos SET text = 'other' WHERE sequence = 1", "history_differs", "todos todo_0000000001"),
        ("INSERT INTO facts VALUES ('a:b', 'e', 'x', 1)", "history_differs", "facts a:b"),
        ("DELETE FROM todos WHERE sequence = 1", "sequence_gap", "sequence 1"),
        ("DELETE FROM todos WHERE sequence = 1", "graph_invalid", "todo_0000000002"),
        ("UPDATE todos SET unmet = 0 WHERE sequence = 2", "kept_value_wrong", "todos todo_0000000002"),
        ("UPDATE routes SET open_count = 7", "kept_value_wrong", "routes 1"),
        ("INSERT INTO edges VALUES ('todo_0000000001', 'todo_0000000002', 0)", "graph_invalid", "todo_0000000001"),
        ("UPDATE runs SET todo_id = 'nobody'", "row_orphaned", "runs (some row)"),
        ("UPDATE registry_goals SET goal = replace(goal, 'Find', 'Lose')", "registry_cache_wrong", "registry.yaml"),
    ],
)
def test_an_edit_by_a_foreign_hand_is_an_error_that_names_the_row(
    lab: Loopx, statement: str, code: str, subject: str
) -> None:
    one = add(lab, "one")
    add(lab, "two", "--blocked-by", one)
    lab.ok("refresh-state", "--agent-id", "ann", "--todo-id", one, "--run-kind", "status", "--evidence", "seen")
    edit(lab, statement)
    assert ("error", code, subject) in found(lab)
    assert lab.ok("doctor")["healthy"] is False


def test_damaged_pages_are_an_error_and_the_other_checks_go_on(lab: Loopx) -> None:
    for number in range(60):
        add(lab, f"{number} " + "x" * 400)
    path = lab.root / ".loopx" / "loopx.db"
    data = bytearray(path.read_bytes())
    at = len(data) // 2 // 4096 * 4096
    data[at : at + 4096] = b"\xff" * 4096
    path.write_bytes(data)
    document = lab.ok("doctor")
    assert document["healthy"] is False
    assert "database_corrupt" in document["counts"]


def test_a_file_that_is_no_database_is_a_finding_and_not_a_crash(lab: Loopx) -> None:
    add(lab, "one")
    (lab.root / ".loopx" / "loopx.db").write_bytes(b"not a database\n" * 500)
    assert ("error", "database_corrupt", "loopx.db") in found(lab)


def test_an_invalid_registry_is_a_finding_and_the_database_is_still_checked(lab: Loopx) -> None:
    add(lab, "one")
    (lab.root / ".loopx" / "registry.yaml").write_text("goals: [", encoding="utf-8")
    edit(lab, "UPDATE todos SET text = 'other'")
    codes = {code for _, code, _ in found(lab)}
    assert {"registry_invalid", "history_differs"} <= codes


def test_a_torn_table_does_not_flood_the_answer(lab: Loopx) -> None:
    for number in range(30):
        add(lab, f"number {number}")
    edit(lab, "UPDATE todos SET text = 'all the same'")
    document = lab.ok("doctor")
    assert document["counts"] == {"history_differs": 30}
    assert (len(document["findings"]), document["total"], document["truncated"]) == (20, 30, True)


# --- work that waits for ever --------------------------------------------------------------


def test_what_can_never_go_on_is_listed(lab: Loopx, clock: FakeClock) -> None:
    old, failed = add(lab, "old"), add(lab, "failed")
    sleeper = add(lab, "sleeper", "--status", "deferred", "--resume-when", f"todo_done:{old}")
    waiter = add(lab, "waiter", "--blocked-by", failed)
    held = add(lab, "held")
    lab.ok("todo", "block", held, "--blocked-by", old)
    lab.ok("todo", "supersede", old, "--reason", "another way", "--no-replacement")
    finish(lab, failed, "ann", "--outcome", "failed")
    watch = add_monitor(lab, "--poll-every", "1h", "--expires-at", "in:2h")
    clock.advance(3 * HOUR)
    listed = found(lab)
    assert ("warning", "deferred_for_ever", sleeper) in listed
    assert ("warning", "dependency_broken", waiter) in listed
    assert ("warning", "monitor_immortal", watch) in listed
    assert lab.ok("doctor")["healthy"] is True, "a plan that needs mending is no damage"


def test_blocked_work_that_nothing_holds_any_more_is_listed(lab: Loopx) -> None:
    one, two = add(lab, "one"), add(lab, "two")
    lab.ok("todo", "block", two, "--blocked-by", one)
    assert found(lab) == []
    finish(lab, one)
    assert found(lab) == [("warning", "blocked_without_cause", two)]


def test_claims_and_leases_that_are_over_are_listed(lab: Loopx, clock: FakeClock) -> None:
    claimed = add(lab, "claimed", "--claimed-by", "ann")
    leased = add(lab, "leased")
    lease(lab, leased, "bob", "--ttl", "1m")
    clock.advance(2 * DAY)
    assert found(lab) == [("info", "claim_stale", claimed), ("info", "lease_unsettled", leased)]


def test_work_of_agents_who_are_gone_is_listed(lab: Loopx) -> None:
    bound = add(lab, "bound", "--bound-agent", "bob")
    claimed = add(lab, "claimed", "--claimed-by", "bob")
    lab.ok("agent", "retire", "--agent-id", "bob")
    assert found(lab) == [("warning", "claim_stale", claimed), ("warning", "agent_retired", bound)]
    registry = lab.root / ".loopx" / "registry.yaml"
    lines = registry.read_text(encoding="utf-8").splitlines(keepends=True)
    registry.write_text("".join(line for line in lines if "bob" not in line), encoding="utf-8")
    assert ("warning", "agent_unknown", bound) in found(lab)


# --- the files around it -------------------------------------------------------------------


def test_unfinished_files_are_told_and_only_old_ones_are_removed(lab: Loopx) -> None:
    folder = lab.root / ".loopx"
    names = ("loopx.db.new_0123456789", ".registry.yaml.17-0.new")
    for name in (*names, "mine.new"):
        (folder / name).write_bytes(b"half")
    age = (START - HOUR) / 1_000_000
    os.utime(folder / names[0], (age, age))
    young = (START - MINUTE) / 1_000_000
    os.utime(folder / names[1], (young, young))
    assert {(code, subject) for _, code, subject in found(lab)} == {("file_left_behind", name) for name in names}
    document = lab.ok("doctor", "--fix")
    assert [one["subject"] for one in document["fixed"]] == [names[0]]
    assert (folder / names[1]).exists()
    assert (folder / "mine.new").exists()
    assert document["receipt"] is None, "no table was changed"


def test_a_database_that_everybody_may_change_is_told(lab: Loopx) -> None:
    (lab.root / ".loopx" / "loopx.db").chmod(0o666)
    assert ("warning", "permissions_open", "loopx.db") in found(lab)


def test_a_database_that_was_lost_is_told_and_not_taken_for_an_empty_one(lab: Loopx) -> None:
    add(lab, "one")
    (lab.root / ".loopx" / "loopx.db").unlink()
    assert found(lab) == [("warning", "database_missing", "loopx.db")]


def test_a_lock_that_is_no_file_is_a_finding(lab: Loopx) -> None:
    lock = lab.root / ".loopx" / "write.lock"
    lock.unlink(missing_ok=True)
    os.mkfifo(lock)
    assert ("error", "path_escape", "loopx.db") in found(lab)


# --- --fix ---------------------------------------------------------------------------------


def damaged(lab: Loopx) -> None:
    one = add(lab, "one")
    add(lab, "two", "--blocked-by", one)
    edit(lab, "UPDATE todos SET unmet = 0 WHERE sequence = 2", "UPDATE routes SET ready_count = 0")
    edit(lab, "UPDATE registry_goals SET goal = replace(goal, 'Find', 'Lose')")


def test_fix_settles_what_follows_from_the_facts_after_a_backup(lab: Loopx) -> None:
    damaged(lab)
    document = lab.ok("doctor", "--fix", "--reason", "counts went wrong")
    assert document["healthy"] is True
    assert {one["code"] for one in document["fixed"]} == {"kept_value_wrong", "registry_cache_wrong"}
    assert backups(lab) == [document["backup"]]
    assert found(lab) == []
    (event,) = lab.ok("log", "--action", "doctor_fixed")["events"]
    assert (event["sequence"], event["reason"]) == (document["receipt"]["sequence"], "counts went wrong")
    assert ["kept_value_wrong", "todos todo_0000000002"] in event["receipt"]["settled"]


def test_fix_leaves_alone_what_nobody_can_prove(lab: Loopx) -> None:
    add(lab, "one")
    edit(lab, "UPDATE todos SET text = 'other'", "UPDATE events SET reason = 'x' WHERE sequence = 1")
    before = found(lab)
    document = lab.ok("doctor", "--fix")
    assert (document["healthy"], document["fixed"], document["backup"]) == (False, [], None)
    assert found(lab) == before


def test_fix_on_a_sound_project_changes_nothing(lab: Loopx) -> None:
    add(lab, "one")
    before = lab.ok("log")["total"]
    document = lab.ok("doctor", "--fix")
    assert (document["receipt"], document["backup"]) == (None, None)
    assert lab.ok("log")["total"] == before
    assert backups(lab) == []


def test_a_dry_run_of_fix_changes_nothing(lab: Loopx) -> None:
    damaged(lab)
    before = found(lab)
    assert lab.ok("doctor", "--fix", "--dry-run")["dry_run"] is True
    assert found(lab) == before
    assert backups(lab) == []


def test_a_retry_of_fix_has_one_event(lab: Loopx) -> None:
    damaged(lab)
    first = lab.ok("doctor", "--fix", "--operation-id", "op-1")["receipt"]
    again = lab.ok("doctor", "--fix", "--operation-id", "op-1")["receipt"]
    assert again == {**first, "replayed": True}
    assert lab.ok("log", "--action", "doctor_fixed")["total"] == 1


def test_a_teammate_may_look_and_not_mend(lab: Loopx) -> None:
    damaged(lab)
    role = {"LOOPX_ROLE": "teammate"}
    assert lab.ok("doctor", env=role)["healthy"] is False
    lab.refused("doctor", "--fix", code="role_not_allowed", env=role)


def test_the_ring_keeps_the_newest_automatic_backups(lab: Loopx, clock: FakeClock) -> None:
    add(lab, "one")
    made = []
    for _ in range(7):
        clock.advance(MINUTE // 60 // 4)
        edit(lab, "UPDATE routes SET ready_count = 0")
        made.append(lab.ok("doctor", "--fix")["backup"])
    assert backups(lab) == made[-5:]


# --- schema versions -----------------------------------------------------------------------

NEXT = migrate.LATEST + 1


@pytest.fixture
def newer_program(lab: Loopx, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loopx:
    """A database of today under the program of tomorrow, which adds a table."""
    add(lab, "one")
    folder = tmp_path / "migrations"
    shutil.copytree(migrate._FOLDER, folder)
    (folder / f"{NEXT:04}_add_notes.sql").write_text("CREATE TABLE notes (note TEXT) STRICT;\n", encoding="utf-8")
    monkeypatch.setattr(migrate, "_FOLDER", str(folder))
    monkeypatch.setattr(migrate, "LATEST", NEXT)
    return lab


def version(lab: Loopx) -> Any:
    with foreign_hand(lab.root) as db:
        return db.execute("PRAGMA user_version").fetchone()[0]


def test_neither_a_read_nor_a_write_migrates(newer_program: Loopx) -> None:
    newer_program.refused("todo", "list", code="schema_older", exit_code=6)
    newer_program.refused("todo", "add", "--text", "two", code="schema_older", exit_code=6)
    assert version(newer_program) == NEXT - 1


def test_fix_migrates_after_a_backup_and_loses_nothing(newer_program: Loopx) -> None:
    assert found(newer_program) == [("error", "schema_older", "loopx.db")]
    document = newer_program.ok("doctor", "--fix")
    assert (document["healthy"], [one["code"] for one in document["fixed"]]) == (True, ["schema_older"])
    assert version(newer_program) == NEXT
    assert newer_program.ok("todo", "list")["total"] == 1
    with foreign_hand(newer_program.root) as db:
        db.execute("ATTACH ? AS old", (str(newer_program.root / ".loopx" / "backups" / document["backup"]),))
        assert db.execute("PRAGMA old.user_version").fetchone() == (NEXT - 1,)
        assert db.execute("SELECT count(*) FROM old.todos").fetchone() == (1,)


def test_a_migration_that_fails_leaves_the_old_state(newer_program: Loopx) -> None:
    broken = Path(migrate._FOLDER, f"{NEXT:04}_add_notes.sql")
    broken.write_text(
        "CREATE TABLE notes (note TEXT) STRICT;\nINSERT INTO no_such_table VALUES (1);\n", encoding="utf-8"
    )
    assert newer_program.call("doctor", "--fix").code == 1
    assert version(newer_program) == NEXT - 1
    with foreign_hand(newer_program.root) as db:
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'notes'").fetchone() == (0,)


def test_a_worktrees_own_copy_of_the_registry_that_differs_is_told(tmp_path: Path) -> None:
    """Peers in linked worktrees share one state; a tracked registry is checked out twice all the same."""
    repository = new_repository(tmp_path / "main")
    Loopx(repository, in_process=True).ok("init", "--goal-id", "lab", "--objective", "Share", "--agent", "ann")
    git(repository, "add", ".loopx")
    git(repository, "commit", "-q", "-m", "the registry")
    peer = Loopx(new_worktree(repository, tmp_path / "peer"), in_process=True)
    assert "worktree" not in {code for _, code, _ in found(peer)}
    copied = peer.root / ".loopx" / "registry.yaml"
    copied.write_text(copied.read_text(encoding="utf-8") + "# edited here\n", encoding="utf-8")
    assert ("warning", "worktree", ".loopx") in found(peer)
