// Make a part of the page like its newer version and touch nothing that is the same: focus, what is typed,
// what is unfolded and where it is scrolled to stay as they are.

const LOCAL = new Set(["open", "hidden", "data-on"]); // what the reader or a script has changed here

export function morph(from, to) {
  if (from.isEqualNode(to)) return;
  matchAttributes(from, to);
  if (from.matches("[data-canvas]")) return replaceDrawing(from, to);
  matchChildren(from, to);
}

function matchAttributes(from, to) {
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !LOCAL.has(name)) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (LOCAL.has(name) || from.getAttribute(name) === value) continue;
    from.setAttribute(name, value);
  }
}

// A picture keeps its place and zoom as long as it has the same extent.
function replaceDrawing(from, to) {
  const [old, fresh] = [from.querySelector("svg"), to.querySelector("svg")];
  if (!old || !fresh) return matchChildren(from, to);
  const kept = old.getAttribute("viewBox");
  const same = ["data-width", "data-height"].every((name) => old.getAttribute(name) === fresh.getAttribute(name));
  morph(old, fresh);
  if (same) old.setAttribute("viewBox", kept);
}

function matchChildren(from, to) {
  const known = new Map([...from.children].filter((child) => child.id).map((child) => [child.id, child]));
  let at = from.firstChild;
  for (const fresh of [...to.childNodes]) {
    const match = partner(at, fresh, known);
    if (!match) {
      from.insertBefore(fresh, at);
      if (fresh.id) fresh.classList?.add("fresh");
      continue;
    }
    if (match === at) at = at.nextSibling;
    else from.insertBefore(match, at);
    if (match.nodeType === Node.ELEMENT_NODE) morph(match, fresh);
    else if (match.nodeValue !== fresh.nodeValue) match.nodeValue = fresh.nodeValue;
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function partner(at, fresh, known) {
  if (fresh.id) return known.get(fresh.id) ?? null;
  if (!at || at.id || at.nodeType !== fresh.nodeType || at.nodeName !== fresh.nodeName) return null;
  return at;
}
