// Stay current: the server says that something has changed, and the page is asked for again and matched.
import { morph } from "./morph.js";
import { say } from "./tools.js";

const AGAIN_MS = 30_000; // times go by and leases end without any change of the state
const SETTLE_MS = 120; // several changes in a row are one

export function live(furnish) {
  let mark = document.documentElement.dataset.mark;
  let waiting = null;
  let asked = 0;

  const refresh = async () => {
    waiting = null;
    const turn = ++asked;
    let response;
    try {
      response = await fetch(location.href.split("#")[0], { headers: { accept: "text/html" } });
    } catch {
      return show("lost");
    }
    if (response.status === 401) return location.reload();
    const text = await response.text();
    if (turn === asked) match(new DOMParser().parseFromString(text, "text/html"));
  };

  const match = (fresh) => {
    const before = document.title;
    for (const id of ["main", "top"]) {
      const [from, to] = [document.getElementById(id), fresh.getElementById(id)];
      if (from && to) morph(from, keepTools(id, to));
    }
    document.title = fresh.title;
    mark = fresh.documentElement.dataset.mark || mark;
    document.documentElement.dataset.mark = mark;
    furnish();
    if (before !== fresh.title) say(fresh.title);
  };

  const soon = () => { waiting ??= setTimeout(refresh, SETTLE_MS); };

  const source = new EventSource("/live");
  source.addEventListener("open", () => show("on"));
  source.addEventListener("error", () => show("lost"));
  source.addEventListener("change", (event) => {
    show("on");
    if (event.data !== mark) soon();
  });
  addEventListener("pagehide", () => source.close());
  setInterval(() => { if (!document.hidden) soon(); }, AGAIN_MS);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) soon(); });
  return match;
}

// The tools of the head belong to this reader and are never matched.
function keepTools(id, to) {
  if (id === "top") {
    const [mine, theirs] = [document.querySelector(".tools"), to.querySelector(".tools")];
    if (mine && theirs) theirs.replaceWith(mine.cloneNode(true));
  }
  return to;
}

function show(state) {
  const place = document.getElementById("live");
  if (!place) return;
  const words = { on: "Live", lost: "Connecting again…" };
  if (place.dataset.state === state) return;
  place.dataset.state = state;
  place.querySelector(".label").textContent = words[state];
}
