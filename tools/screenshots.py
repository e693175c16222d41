"""Pictures of the dashboard at desktop and phone width, light and dark: `make screenshots`, then look at them.

With `--docs` those of the documentation are made anew too, as much of each as a window shows.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, sync_playwright

from loopx.system import SystemClock
from tests.support.browser import chromium
from tests.support.cli import COMMAND, clean_environment
from tests.web.sample import GOAL, Sample

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "screenshots"
DOCS = ROOT / "docs" / "images"
IN_DOCS = ("overview-desktop-light", "board-desktop-dark", "todo-desktop-light", "inbox-phone-dark")


class Size(NamedTuple):
    name: str
    width: int
    height: int


SIZES = (Size("desktop", 1280, 860), Size("phone", 375, 812))
THEMES = ("light", "dark")


def pages(sample: Sample) -> dict[str, str]:
    """The pages that are pictured, by name."""
    goal = f"?goal={GOAL}"
    return {
        "overview": "/",
        "inbox": "/inbox",
        "goal": f"/goal{goal}",
        "board": f"/board{goal}",
        "graph": f"/graph{goal}",
        "todos": f"/todos{goal}",
        "todo": f"/todos/{sample.ids['api']}",
        "gate": f"/todos/{sample.ids['q_api']}",
        "workers": f"/workers{goal}",
        "budget": f"/budget{goal}",
        "events": f"/events{goal}",
        "empty": "/goal?goal=docs-site",
        "error": "/todos/todo_nowhere",
    }


@contextmanager
def serving(root: Path) -> Iterator[str]:
    """The address of a dashboard on that project, until the end."""
    argv = [COMMAND, "dashboard", "--format", "json", "--no-open"]
    process = subprocess.Popen(argv, cwd=root, env=clean_environment(), stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
    finally:
        process.terminate()
        process.wait(30)


def take(browser: Browser, url: str, sample: Sample, size: Size, theme: str, *, docs: bool) -> None:
    """Every page at that size and in those colours, and for the documentation where it has a place there."""
    context = browser.new_context(
        viewport={"width": size.width, "height": size.height},
        color_scheme=theme,  # type: ignore[arg-type]
        device_scale_factor=2 if size.name == "phone" else 1,
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_url("**/")
    origin = url.partition("/enter")[0]
    for name, path in pages(sample).items():
        page.goto(origin + path)
        page.wait_for_selector("#live[data-state=on], .alone")
        file = f"{name}-{size.name}-{theme}"
        page.screenshot(path=OUT / f"{file}.png", full_page=name != "graph")
        if docs and file in IN_DOCS:
            page.screenshot(path=DOCS / f"dashboard-{file}.png")
    context.close()


def main() -> int:
    found = chromium()
    if found is None:
        print("no chromium: install it, for example with `apt-get install chromium`")
        return 1
    for target in (OUT, DOCS):
        target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="loopx-screenshots-") as folder:
        sample = Sample(Path(folder), SystemClock().now()).build()
        with serving(Path(folder)) as url, sync_playwright() as play:
            browser = play.chromium.launch(executable_path=found, args=["--no-sandbox"])
            for size in SIZES:
                for theme in THEMES:
                    take(browser, url, sample, size, theme, docs="--docs" in sys.argv[1:])
            browser.close()
    print(f"{len(list(OUT.glob('*.png')))} pictures in {OUT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
