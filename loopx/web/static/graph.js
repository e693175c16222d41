// Move about in a picture: drag or arrow keys, wheel or plus and minus, two fingers; Tab goes from todo to todo.

const STEP = 60; // pixels of an arrow key
const ZOOM = 1.25;

export function graphs() {
  for (const canvas of document.querySelectorAll("[data-canvas]:not([data-on])")) new Canvas(canvas);
}

class Canvas {
  constructor(canvas) {
    this.canvas = canvas;
    this.svg = canvas.querySelector("svg");
    if (!this.svg) return;
    canvas.dataset.on = "";
    this.fingers = new Map();
    this.fit();
    const tools = canvas.querySelector("[data-zoom]");
    tools.hidden = false;
    tools.addEventListener("click", (event) => this.press(event.target.dataset.do));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.up(event));
    canvas.addEventListener("click", (event) => { if (this.moved) event.preventDefault(); }, true);
    canvas.addEventListener("dragstart", (event) => event.preventDefault());
    canvas.addEventListener("focusin", (event) => this.reveal(event.target.closest?.(".node")));
  }

  get box() { return this.svg.viewBox.baseVal; }
  get extent() { return [Number(this.svg.dataset.width), Number(this.svg.dataset.height)]; }
  get scale() { return Math.max(this.box.width / this.canvas.clientWidth, this.box.height / this.canvas.clientHeight); }

  show(x, y, width, height) { this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`); }

  // All of it, but never larger than life, and never so small that nothing can be read.
  fit() {
    this.fill(1.8);
  }

  whole() {
    this.fill(Infinity);
  }

  // What fits is in the middle; of what does not, the start is shown.
  fill(most) {
    const [width, height] = this.extent;
    const [room, tall] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const scale = Math.min(Math.max(width / room, height / tall, 1), most);
    const place = (size, all) => (size >= all ? (all - size) / 2 : 0);
    this.show(place(room * scale, width), place(tall * scale, height), room * scale, tall * scale);
  }

  pan(dx, dy) {
    const { x, y, width, height } = this.box;
    const [across, down] = this.extent;
    const within = (at, size, all) => Math.min(Math.max(at, -size * 0.8), all - size * 0.2);
    this.show(within(x + dx, width, across), within(y + dy, height, down), width, height);
  }

  zoom(factor, centre = [0.5, 0.5]) {
    const { x, y, width, height } = this.box;
    const scale = Math.min(Math.max(this.scale * factor, 0.25), 20) / this.scale;
    this.show(x + width * centre[0] * (1 - scale), y + height * centre[1] * (1 - scale), width * scale, height * scale);
  }

  press(what) {
    if (what === "in") this.zoom(1 / ZOOM);
    else if (what === "out") this.zoom(ZOOM);
    else if (what === "fit") this.whole();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = STEP * this.scale;
    const act = {
      ArrowLeft: () => this.pan(-far, 0), ArrowRight: () => this.pan(far, 0),
      ArrowUp: () => this.pan(0, -far), ArrowDown: () => this.pan(0, far),
      "+": () => this.zoom(1 / ZOOM), "=": () => this.zoom(1 / ZOOM), "-": () => this.zoom(ZOOM), 0: () => this.whole(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey && !this.canvas.contains(document.activeElement)) return; // the page scrolls
    event.preventDefault();
    const frame = this.canvas.getBoundingClientRect();
    const centre = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    this.zoom(event.deltaY > 0 ? 1.1 : 1 / 1.1, centre);
  }

  down(event) {
    if (event.target.closest("[data-zoom]") || event.button > 0) return;
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.fingers.size === 1) this.moved = false;
  }

  move(event) {
    const last = this.fingers.get(event.pointerId);
    if (!last) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - last[0], now[1] - last[1]];
    if (!this.moved && Math.hypot(dx, dy) < 4) return;
    if (!this.moved) this.canvas.setPointerCapture(event.pointerId);
    this.moved = true;
    this.canvas.classList.add("moving");
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) this.zoom(apart(last, other) / Math.max(apart(now, other), 1));
    else this.pan(-dx * this.scale, -dy * this.scale);
    this.fingers.set(event.pointerId, now);
  }

  up(event) {
    this.fingers.delete(event.pointerId);
    if (!this.fingers.size) this.canvas.classList.remove("moving");
  }

  // A todo that the keyboard has reached comes into sight.
  reveal(node) {
    if (!node || !node.matches(":focus-visible")) return;
    this.canvas.scrollTo(0, 0);
    const { x, y, width, height } = node.getBBox();
    const shown = this.box;
    const inside = x > shown.x && y > shown.y && x + width < shown.x + shown.width && y + height < shown.y + shown.height;
    if (!inside) this.show(x + width / 2 - shown.width / 2, y + height / 2 - shown.height / 2, shown.width, shown.height);
  }
}

function apart(one, other) { return Math.hypot(one[0] - other[0], one[1] - other[1]); }
