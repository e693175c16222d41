// Small things: colours, copying a command, closing the menu.

export function say(text) {
  const region = document.getElementById("say");
  if (region) region.textContent = text;
}

export function themeSwitch() {
  const button = document.getElementById("theme");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("loopx-theme", root.dataset.theme);
    say(`${root.dataset.theme} colours`);
  });
}

export function copyButtons() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("button[data-copy][hidden]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
      say("Command copied");
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
  }
}

export function goalMenu() {
  const menu = document.getElementById("goal-menu");
  if (!menu) return;
  document.addEventListener("click", (event) => {
    if (menu.open && !menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

// The current page's tab comes into sight; `scrollIntoView` would also move where Tab starts from.
export function showTab() {
  const tab = document.querySelector(".tabs [aria-current]");
  const row = tab?.closest("ul");
  if (row) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}
