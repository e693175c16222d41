"""`import PATH --from KIND`: read what the path names by the format's rules, then take it over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.import_file import read_sources
from loopx.app.import_formats import FORMATS, reader_of
from loopx.core.errors import UsageError

if TYPE_CHECKING:
    from loopx.app.import_records import Import
    from loopx.app.mutation import Call, Document
    from loopx.app.project import Project
    from loopx.core.foreign.record import ReadOptions

LOOPX = "loopx"  # our own export, which is restored rather than translated
KINDS = (*FORMATS, LOOPX)


def import_path(project: Project, call: Call, path: str, request: Import, options: ReadOptions) -> Document:
    """Import a file or folder; the refusals of reading it, of `import_records` and of `import_export`."""
    if request.kind == LOOPX:
        return _restored(project, call, path, request)
    from loopx.app.import_records import import_records

    reader = reader_of(request.kind)
    sources = read_sources(path, reader)
    goal_id = project.read(lambda snapshot: snapshot.registry.goal(call.goal_id).goal_id)
    reading = reader.read(sources.files, options._replace(in_folder=sources.in_folder, goal_id=goal_id))
    return import_records(
        project, call._replace(goal_id=goal_id), request._replace(reading=sources.with_those_of(reading))
    )


def _restored(project: Project, call: Call, path: str, request: Import) -> Document:
    from loopx.app.import_file import read_import_file
    from loopx.app.import_loopx import import_export
    from loopx.core.foreign.record import SourceFile

    if call.goal_id is not None:
        raise UsageError("an export names the goals of its todos", hint="Leave --goal-id out.")
    return import_export(project, call, SourceFile(request.source, read_import_file(path)), request)
