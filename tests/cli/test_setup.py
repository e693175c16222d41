"""`setup`: what it writes into the files of agents' programs, and that it leaves no trace when it goes."""

from __future__ import annotations

import itertools
import json
import os
import stat
import subprocess
import tomllib
from typing import TYPE_CHECKING

import pytest

from loopx.app.setup.target import TARGETS
from tests.support.git import git

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.cli import Loopx

PROGRAMS = tuple(TARGETS)
MARKDOWN = b"# House rules\r\n\r\nBe kind.\r\n"
SETTINGS = b'{\n    "permissions": {"allow": ["Bash(ls:*)"]},\n    "hooks": {\n        "Stop": []\n    }\n}'
SERVERS = b'\xef\xbb\xbf{"mcpServers":{"other":{"command":"x"}}}\n'
CONFIG = b'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"'

Tree = dict[str, tuple[int, bytes | str | None]]


def tree(root: Path) -> Tree:
    """Every file, folder and link below: its mode, and its bytes or where it leads."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(root))] = (stat.S_IMODE(path.lstat().st_mode), content)
    return found


def lived_in(root: Path) -> None:
    """Files as people have them: CRLF, a BOM, no last line end, odd modes, one line."""
    for name, data in {
        "AGENTS.md": MARKDOWN,
        ".claude/settings.json": SETTINGS,
        ".mcp.json": SERVERS,
        ".codex/config.toml": CONFIG,
        ".cursor/mcp.json": SERVERS,
        ".cursor/rules/own.mdc": b"mine",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o640)


@pytest.mark.parametrize("prepare", [lambda _: None, lived_in], ids=["nothing there", "everything there"])
@pytest.mark.parametrize(("first", "second"), [*itertools.pairwise(PROGRAMS), ("agents-md", "codex")])
def test_twice_in_any_order_and_out_again_is_byte_for_byte_what_was_there(
    inside: Loopx, prepare: object, first: str, second: str
) -> None:
    prepare(inside.root)  # type: ignore[operator]
    before = tree(inside.root)
    for program, role in ((first, "lead"), (second, "worker"), (second, "lead"), (first, "worker")):
        inside.ok("setup", program, "--role", role, "--mcp")
    for program in (first, second):
        inside.ok("setup", program, "--remove")
    assert tree(inside.root) == before


def test_all_of_them_go_in_every_order(inside: Loopx) -> None:
    lived_in(inside.root)
    before = tree(inside.root)
    for order in itertools.permutations(PROGRAMS):
        for program in order:
            inside.ok("setup", program, "--mcp")
        for program in order:
            inside.ok("setup", program, "--remove")
        assert tree(inside.root) == before, order


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_second_time_changes_nothing(inside: Loopx, program: str) -> None:
    first = inside.ok("setup", program, "--mcp", "--role", "worker", "--agent-id", "ann")
    written = tree(inside.root)
    second = inside.ok("setup", program)
    assert {file["change"] for file in first["files"]} == {"created"}
    assert {file["change"] for file in second["files"]} == {"none"}
    assert tree(inside.root) == written


@pytest.mark.parametrize("program", PROGRAMS)
def test_check_says_no_until_it_is_set_up_and_writes_nothing(inside: Loopx, program: str) -> None:
    before = tree(inside.root)
    missing = inside.call("setup", program, "--check")
    assert (missing.code, missing.json["current"], tree(inside.root)) == (10, False, before)
    inside.ok("setup", program)
    assert inside.ok("setup", program, "--check")["current"] is True
    other = inside.call("setup", program, "--check", "--role", "worker")
    assert (other.code, other.json["files"][0]["state"]) == (10, "outdated")


def test_a_dry_run_writes_nothing(inside: Loopx) -> None:
    answer = inside.ok("setup", "claude", "--mcp", "--dry-run")
    assert [file["change"] for file in answer["files"]] == ["created", "created"]
    assert (answer["dry_run"], answer["current"], tree(inside.root)) == (True, False, {})


def test_the_server_comes_only_where_it_is_asked_for_and_then_stays(inside: Loopx) -> None:
    inside.ok("setup", "claude")
    assert not (inside.root / ".mcp.json").exists()
    inside.ok("setup", "claude", "--mcp")
    inside.ok("setup", "claude", "--role", "worker")
    server = json.loads((inside.root / ".mcp.json").read_text())["mcpServers"]["loopx"]
    assert server["args"] == ["mcp", "--role", "worker"]


def test_the_pieces_say_who_and_what_for(inside: Loopx) -> None:
    for program in PROGRAMS:
        inside.ok("setup", program, "--mcp", "--role", "worker", "--agent-id", "ann")
    hook = json.loads((inside.root / ".claude/settings.json").read_text())["hooks"]["SessionStart"][0]["hooks"][0]
    assert hook["type"] == "command"
    assert hook["command"].startswith("loopx prime --role worker --agent-id ann ")
    config = tomllib.loads((inside.root / ".codex/config.toml").read_text())["mcp_servers"]["loopx"]
    assert (config["command"], config["env"]) == ("loopx", {"LOOPX_AGENT_ID": "ann"})
    rule = (inside.root / ".cursor/rules/loopx.mdc").read_text()
    assert rule.startswith("---\n")
    assert "alwaysApply: true" in rule
    assert "add no todos" in (inside.root / "AGENTS.md").read_text()


@pytest.mark.parametrize("command", ["loopx", "loopx-is-not-here"])
def test_the_session_hook_breaks_no_session(loopx: Loopx, command: str) -> None:
    loopx.text("setup", "claude", "--agent-id", "ann")
    hook = json.loads((loopx.root / ".claude/settings.json").read_text())["hooks"]["SessionStart"][0]["hooks"][0]
    script = hook["command"].replace("loopx prime", f"{command} prime", 1)
    done = subprocess.run(["sh", "-c", script], cwd=loopx.root, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_links_are_kept_and_their_targets_written(inside: Loopx) -> None:
    (inside.root / "docs").mkdir()
    (inside.root / "docs" / "agents.md").write_bytes(b"mine")
    (inside.root / "AGENTS.md").symlink_to("docs/agents.md")
    before = tree(inside.root)
    inside.ok("setup", "agents-md")
    assert (inside.root / "AGENTS.md").is_symlink()
    assert b"loopx:setup" in (inside.root / "docs" / "agents.md").read_bytes()
    inside.ok("setup", "agents-md", "--remove")
    assert tree(inside.root) == before


def test_a_link_that_leads_outside_is_refused(inside: Loopx, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("home")
    (inside.root / ".claude").symlink_to(outside)
    inside.refused("setup", "claude", code="setup_impossible", exit_code=3)
    assert list(outside.iterdir()) == []


def test_a_new_file_follows_the_umask(inside: Loopx) -> None:
    old = os.umask(0o027)
    try:
        inside.ok("setup", "cursor")
    finally:
        os.umask(old)
    assert stat.S_IMODE((inside.root / ".cursor/rules/loopx.mdc").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("name", "data", "program"),
    [
        (".claude/settings.json", b"{ // mine\n}", "claude"),
        (".claude/settings.json", b"", "claude"),
        (".claude/settings.json", b'{"hooks": {"SessionStart": [{"hooks": [{"command": "loopx prime"}]}]}}', "claude"),
        (".mcp.json", b'{"mcpServers": {"loopx": {"command": "mine"}}}', "claude"),
        (".mcp.json", b"\xff", "claude"),
        (".codex/config.toml", b"[mcp_servers.loopx]\ncommand = 'mine'\n", "codex"),
        (".codex/config.toml", b"[mcp_servers]\nloopx.command = 'mine'\n", "codex"),
        (".codex/config.toml", b"mcp_servers = { other = {} }\n", "codex"),
        (".codex/config.toml", b"no toml", "codex"),
        ("AGENTS.md", "x".encode("utf-16"), "codex"),
        ("AGENTS.md", b"<!-- loopx:end -->\n", "agents-md"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused_and_no_file_is_touched(
    inside: Loopx, name: str, data: bytes, program: str
) -> None:
    path = inside.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    before = tree(inside.root)
    answer = inside.refused("setup", program, "--mcp", code="setup_impossible", exit_code=3)
    assert answer.error["details"]["file"] == name
    assert tree(inside.root) == before


def test_an_unreadable_server_file_is_no_matter_where_no_server_is_asked_for(inside: Loopx) -> None:
    (inside.root / ".mcp.json").write_bytes(b"// comments")
    inside.ok("setup", "claude")
    inside.ok("setup", "claude", "--remove")
    assert (inside.root / ".mcp.json").read_bytes() == b"// comments"


def test_what_is_no_file_is_refused_at_once(inside: Loopx) -> None:
    os.mkfifo(inside.root / "AGENTS.md")
    inside.refused("setup", "agents-md", code="setup_impossible")


def test_a_file_that_was_there_is_never_deleted_however_empty(inside: Loopx) -> None:
    for name, data in (("AGENTS.md", b""), (".claude/settings.json", b"{\n}\n")):
        (inside.root / name).parent.mkdir(exist_ok=True)
        (inside.root / name).write_bytes(data)
    before = tree(inside.root)
    for program in ("claude", "agents-md"):
        inside.ok("setup", program)
        inside.ok("setup", program, "--remove")
    assert tree(inside.root) == before


def test_what_people_wrote_into_a_new_file_stays(inside: Loopx) -> None:
    inside.ok("setup", "agents-md")
    path = inside.root / "AGENTS.md"
    path.write_bytes(path.read_bytes() + b"\nMine.\n")
    inside.ok("setup", "agents-md", "--remove")
    assert path.read_bytes() == b"\nMine.\n"


def test_the_files_stand_in_the_root_of_the_checkout(inside: Loopx) -> None:
    git(inside.root, "init", "-q")
    deep = inside.root / "a" / "b"
    deep.mkdir(parents=True)
    inside.ok("setup", "agents-md", cwd=deep)
    assert (inside.root / "AGENTS.md").exists()
    inside.ok("setup", "agents-md", "--project", str(deep), cwd=inside.root)
    assert (deep / "AGENTS.md").exists()
    (deep / ".loopx").mkdir()
    inside.ok("setup", "cursor", "--project", str(deep / ".loopx"))
    assert (deep / ".cursor" / "rules" / "loopx.mdc").exists()


def test_contradictions_and_misspelt_programs_are_usage_errors(inside: Loopx) -> None:
    inside.refused("setup", "claude", "--check", "--remove", code="usage", exit_code=2)
    inside.refused("setup", "cursr", code="usage", exit_code=2)
    inside.refused("setup", "claude", "--project", "nowhere", code="usage", exit_code=2)


def test_the_text_says_what_was_done(loopx: Loopx) -> None:
    assert "created" in loopx.text("setup", "claude").out
    assert "is not set up" in loopx.text("setup", "codex", "--check").out
    assert "is taken out" in loopx.text("setup", "claude", "--remove").out
