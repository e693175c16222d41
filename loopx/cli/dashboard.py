"""`loopx dashboard`: the web page, from this process until it is ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx.app.extra import module_of_extra
from loopx.cli.declare import NumberType, flag, option
from loopx.cli.output import emit, is_terminal
from loopx.cli.verb import verb

if TYPE_CHECKING:
    from loopx.app.project import Snapshot
    from loopx.cli.context import Invocation
    from loopx.cli.output import Document

DASHBOARD_SCHEMA = "dashboard_v1"
_EXPOSED = "the dashboard can be reached from other machines, and what it sends is not encrypted"
_READ_ONLY = "an agent started this dashboard, so it only shows; a person answers gates"


@verb("dashboard", example="loopx dashboard --no-open")
@option("--host", metavar="ADDRESS", default="127.0.0.1", help="Where to listen: an address of this machine alone.")
@option("--port", type=NumberType(0, 65_535), default=0, help="A free one where it is left out.")
@flag("--open/--no-open", "open_browser", default=None, help="Show it in a browser; otherwise only on a terminal.")
@flag("--expose", help="Allow a --host that other machines reach.")
def cli(invocation: Invocation, host: str, port: int, open_browser: bool | None, expose: bool) -> Document | None:
    """Goals, questions, board and graph as a web page on this machine, live, with answers by a person.

    The printed address holds the key of this launch. Ctrl-C ends it.
    """
    import gc

    gc.enable()  # it lives long; the entry point turned collecting off for calls that do not
    web = module_of_extra("loopx.web.serve", "web")
    actor, ports = invocation.actor(), invocation.real_ports()
    project, goal_id = invocation.project(), invocation.goal_id
    state = _state(invocation)
    launch = web.Launch(
        open_project=lambda: invocation.open(project.location),
        actor=actor,
        role=invocation.settings.role,
        ids=ports.ids,
        tokens=ports.tokens,
    )
    dashboard = web.Dashboard(launch, host=host, port=port, is_exposed=expose, start=_start(goal_id))
    warnings = [_EXPOSED] if not web.is_loopback(host) else []
    document = {
        "schema_version": DASHBOARD_SCHEMA,
        "ok": True,
        "url": dashboard.url,
        "host": dashboard.host,
        "port": dashboard.port,
        "read_only": actor.agent_id is not None,
        "state": state,
        "warnings": warnings + ([_READ_ONLY] if actor.agent_id is not None else []),
    }
    wants_browser = is_terminal() and not invocation.is_json if open_browser is None else open_browser
    emit(invocation, document)  # it listens already; whoever comes before it answers waits in line
    if wants_browser:
        _show(dashboard.opener_url)
    dashboard.run()
    return None


def _state(invocation: Invocation) -> str:
    """The id of the state, once it and the registry can be read: a broken one is refused here, as everywhere."""
    goal_id = invocation.goal_id

    def query(snapshot: Snapshot) -> str:
        snapshot.registry.goals()
        if goal_id is not None:
            snapshot.registry.goal(goal_id)
        return snapshot.state

    state = invocation.project().read(query)
    invocation.close()  # every thread of the dashboard has a connection of its own
    return state


def _start(goal_id: str | None) -> str:
    from urllib.parse import urlencode

    return "/" if goal_id is None else f"/goal?{urlencode({'goal': goal_id})}"


def _show(url: str) -> None:
    import webbrowser

    webbrowser.open(url)
