"""The application: addresses, what each answers, and what a refusal looks like."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from loopx import __version__
from loopx.app.overview import read_masthead
from loopx.core.errors import LoopxError
from loopx.core.secret import masked
from loopx.web.access import METHOD, NO_PAGE, STALE_FORM, Access, Refusal, is_same
from loopx.web.answer import local_path, read_form, receipt, record
from loopx.web.desk import Desk
from loopx.web.drawing import draw, environment, link
from loopx.web.guard import Guard
from loopx.web.live import RETRY_MS, Live, LiveResponse, mark_of
from loopx.web.pages import PAGES
from loopx.web.patience import LIVE_PATH
from loopx.web.view import Asked, View

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from typing import Any

    from starlette.requests import Request

    from loopx.app.project import Project
    from loopx.core.actor import Actor
    from loopx.core.instant import Instant
    from loopx.ports import IdSource
    from loopx.web.pages import Page

STATIC = Path(__file__).parent / "static"
# A status for each exit code of the error hierarchy; what is not in here is a bug.
_STATUS = {2: 400, 3: 403, 4: 409, 5: 503, 6: 503, 7: 404}


class Site:
    """What the pages share: two desks, so that a write that waits for a lock keeps no page from being read."""

    def __init__(
        self,
        open_project: Callable[[], Project],
        access: Access,
        *,
        actor: Actor,
        role: str | None,
        ids: IdSource,
    ) -> None:
        self.access = access
        self.actor = actor
        self.role = role
        self.ids = ids
        self.reading, self.writing = Desk(open_project), Desk(open_project)
        self.live = Live(self.reading)
        self.templates = environment()

    def application(self) -> Guard:
        """The ASGI application; its lifespan opens and closes what the site holds."""
        pages = [Route(path, self._shown(page), methods=["GET"]) for path, page in PAGES.items()]
        inner = Starlette(
            routes=[
                *pages,
                Route("/gates/{todo_id}/answer", self._answer, methods=["POST"]),
                Route(LIVE_PATH, self._live, methods=["GET"]),
                Route("/enter", self._enter, methods=["GET"]),
                Mount("/static", StaticFiles(directory=STATIC), name="static"),
            ],
            exception_handlers={404: self._nothing, 405: self._nothing, Exception: self._bug},
            lifespan=self._lifespan,
        )
        return Guard(inner, access=self.access, refuse=self._refused)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        watcher = asyncio.create_task(self.live.watch())
        try:
            yield
        finally:
            self.live.end()
            await watcher
            self.reading.close()
            self.writing.close()

    # --- reading -------------------------------------------------------------------------

    def _shown(self, page: Page) -> Callable[[Request], Any]:
        async def show(request: Request) -> Response:
            asked = Asked(_address(request), request.query_params, request.path_params.get("todo_id", ""))
            return await self.reading.ask(lambda project: self._page(project, page, asked))

        return show

    def _page(self, project: Project, page: Page, asked: Asked) -> Response:
        """The page, or why there is none. The mark is taken first, so that no change is missed."""
        mark = mark_of(project)
        try:
            view = page(project, asked)
            values = {**view.values, "masthead": read_masthead(project), "receipt": receipt(project, asked)}
        except LoopxError as exc:
            view, values = self._problem(project, exc)
        return self._drawn(view, values, asked, mark=mark, now=project.clock.now())

    def _problem(self, project: Project, error: LoopxError) -> tuple[View, dict[str, Any]]:
        """What a refusal looks like; the frame around it is left out where the state cannot be read at all."""
        try:
            masthead = read_masthead(project)
        except LoopxError:
            masthead = None
        status = _STATUS.get(error.exit_code, 500)
        values = {"code": error.code, "message": masked(error.message), "hint": masked(error.hint or "")}
        frame = {"masthead": masthead, "receipt": None}
        return View("problem.html", "Not shown", status=status), {**values, **frame}

    def _drawn(self, view: View, values: dict[str, Any], asked: Asked, *, mark: str, now: Instant) -> HTMLResponse:
        frame = {
            "title": view.title,
            "goal_id": view.goal_id,
            "here": view.here,
            "back": asked.path,
            "mark": mark,
            "version": __version__,
            "read_only": self.actor.agent_id,
            "proof": self.access.proof,
            "new_operation": lambda: self.ids.new("op"),
        }
        return HTMLResponse(draw(self.templates, view.template, frame | values, now=now), view.status)

    async def _live(self, _: Request) -> Response:
        if self.live.is_full:
            return PlainTextResponse("too many live pages\n", 503, {"retry-after": str(RETRY_MS // 1000)})
        return LiveResponse(self.live)

    # --- writing -------------------------------------------------------------------------

    async def _answer(self, request: Request) -> Response:
        try:
            body = await request.body()
        except ClientDisconnect:
            return Response(status_code=408)
        asked = Asked(_address(request), {}, request.path_params["todo_id"])
        return await self.writing.ask(lambda project: self._answered(project, asked, body))

    def _answered(self, project: Project, asked: Asked, body: bytes) -> Response:
        try:
            form = read_form(body)
            if not is_same(form.proof, self.access.proof):
                return self._refused(STALE_FORM, "/")
            record(project, self.actor, asked.todo_id, form, role=self.role)
        except LoopxError as exc:
            view, values = self._problem(project, exc)
            return self._drawn(view, values, replace(asked, path="/"), mark="", now=project.clock.now())
        joint = "&" if "?" in form.back else "?"
        return RedirectResponse(f"{form.back}{joint}answered={asked.todo_id}", 303)

    # --- the door, and what is in front of it --------------------------------------------

    async def _enter(self, request: Request) -> Response:
        """Take the key out of the address bar and into a cookie that no script and no other site gets.

        A page and not a redirect: a browser keeps a strict cookie from whatever another site has started.
        """
        given = request.query_params.get("token", "")
        if not (is_same(given, self.access.token) or self._is_opener(given)):
            return self._refused(Refusal(status=401, title="This key does not fit", text=_OLD_KEY), "/")
        target = local_path(request.query_params.get("to", "/"))
        response = HTMLResponse(self.templates.get_template("enter.html").render(target=target))
        response.set_cookie(self.access.cookie, self.access.session, path="/", httponly=True, samesite="strict")
        return response

    def _is_opener(self, given: str) -> bool:
        """Whether it is the key of the browser that we started, which fits once: others may see its command line."""
        fits = bool(self.access.opener) and is_same(given, self.access.opener)
        if fits:
            self.access = replace(self.access, opener="")
        return fits

    def _refused(self, refusal: Refusal, path: str) -> Response:
        page = self.templates.get_template("refused.html").render(refusal=refusal, path=link(local_path(path)))
        return HTMLResponse(page, refusal.status)

    async def _nothing(self, _: Request, exc: Exception) -> Response:
        refusal = METHOD if getattr(exc, "status_code", 404) == METHOD.status else NO_PAGE
        return self._refused(refusal, "/")

    async def _bug(self, _: Request, __: Exception) -> Response:
        return self._refused(Refusal(status=500, title="A bug in loopx", text=_BUG), "/")


_OLD_KEY = "It belongs to an earlier launch, or was used up. Open the address that `loopx dashboard` printed last."
_BUG = "The page could not be made. The terminal that runs the dashboard says more; please report it."


def _address(request: Request) -> str:
    """Path and query as they were typed, without what a redirect of ours added."""
    words = [(name, value) for name, value in request.query_params.multi_items() if name != "answered"]
    return link(request.url.path, **dict(words))
