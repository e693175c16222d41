"""Documents as text for people: one renderer a `schema_version`, a readable list of keys for the others."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from loopx.render.block import Block

    Renderer = Callable[[dict[str, Any]], Iterable[Block]]

# schema_version → module:function of `loopx.render`
RENDERERS = {
    "todo_v1": "todo:one",
    "todo_list_v1": "todo:many",
    "todo_complete_v1": "todo:completed",
    "todo_supersede_v1": "todo:superseded",
    "todo_graph_v1": "contract:graph",
    "todo_stats_v1": "stats:figures",
    "inbox_v1": "todo:inbox",
    "log_v1": "log:events",
    "where_v1": "project:where",
    "store_migrate_v1": "project:moved",
    "init_v1": "project:initialised",
    "status_v1": "status:goals",
    "goal_v1": "goal:one",
    "goal_list_v1": "goal:many",
    "agent_v1": "goal:agent",
    "agent_list_v1": "goal:agents",
    "authority_v1": "goal:grant",
    "authority_list_v1": "goal:grants",
    "quota_should_run_v1": "decision:packet",
    "todo_why_v1": "decision:why",
    "claim_next_v1": "lease:claim",
    "task_lease_v0": "lease:lease",
    "setup_v1": "setup:pieces",
    "prime_v1": "setup:start_text",
    "handoff_v1": "handoff:packet",
    "handoff_list_v1": "handoff:many",
    "handoff_qualify_v1": "handoff:qualified",
    "handoff_prompt_v1": "handoff:prompt",
    "material_v1": "material:one",
    "material_list_v1": "material:many",
    "material_status_v1": "material:status",
    "schema_list_v1": "contract:names",
    "schema_v1": "contract:schema",
    "schema_check_v1": "contract:checked",
    "completion_v1": "contract:script",
    "import_v1": "import_:imported",
    "export_v1": "import_:exported",
    "merge_v1": "import_:merged",
    "backup_v1": "doctor:backed_up",
    "restore_v1": "doctor:restored",
    "replay_v1": "log:replayed",
    "undo_v1": "log:undone",
    "todo_archive_v1": "todo:archived",
    "doctor_v1": "doctor:examined",
    "demo_v1": "demo:told",
    "message_v1": "message:one",
    "message_list_v1": "message:many",
    "message_prune_v1": "message:pruned",
    "plan_v1": "message:plan",
    "worker_run_v1": "team:worker",
    "team_run_v1": "team:team",
    "team_status_v1": "team:status",
    "team_shutdown_v1": "team:shutdown",
    "dashboard_v1": "dashboard:listening",
}


def render(document: dict[str, Any], *, painted: bool) -> str:
    """The document as text: plain, or in colour for a terminal."""
    blocks = renderer_of(str(document.get("schema_version")))(document)
    if painted:
        from loopx.render.terminal import painted_text

        return painted_text(blocks)
    from loopx.render.plain import plain_text

    return plain_text(blocks)


def renderer_of(schema_version: str) -> Renderer:
    """The renderer of that contract, imported now."""
    module, _, name = RENDERERS.get(schema_version, "fallback:any_document").partition(":")
    renderer: Renderer = getattr(import_module(f"loopx.render.{module}"), name)
    return renderer
