"""The programs that can be set up, and which files each of them reads in a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.setup.piece import hook_piece, json_server_piece, markdown_piece, rule_piece, toml_server_piece

if TYPE_CHECKING:
    from loopx.app.setup.piece import Piece

AGENTS_MD = "AGENTS.md"

TARGETS: dict[str, tuple[Piece, ...]] = {
    "claude": (hook_piece(".claude/settings.json"), json_server_piece(".mcp.json")),
    "codex": (markdown_piece(AGENTS_MD), toml_server_piece(".codex/config.toml")),
    "cursor": (rule_piece(".cursor/rules/loopx.mdc"), json_server_piece(".cursor/mcp.json")),
    "agents-md": (markdown_piece(AGENTS_MD),),
}
