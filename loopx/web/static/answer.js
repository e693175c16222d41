// Send an answer without leaving the page; without this script the form does it by itself.
import { say } from "./tools.js";

export function answerForms(match) {
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("form[data-answer]")) return;
    event.preventDefault();
    const words = new URLSearchParams(new FormData(form, event.submitter));
    const buttons = [...form.querySelectorAll("button")];
    const enable = (on) => buttons.forEach((button) => { button.disabled = !on; });
    enable(false);
    try {
      const response = await fetch(form.action, { method: "POST", body: words });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!response.ok) return fail(form, page.getElementById("problem")?.textContent ?? `Error ${response.status}`);
      match(page);
      const told = document.getElementById("receipt");
      say(told?.textContent ?? "Recorded");
      if (document.activeElement === document.body || !document.activeElement) focusNext();
    } catch {
      fail(form, "The dashboard does not answer. Nothing was sent; try again.");
    } finally {
      enable(true);
    }
  });
}

// The question that was answered is gone: go on with the next one, or with the top of the page.
function focusNext() {
  const next = document.querySelector("form[data-answer] textarea") ?? document.getElementById("main");
  next.focus({ preventScroll: next.id === "main" });
}

function fail(form, text) {
  let place = form.querySelector(".failure");
  if (!place) {
    place = document.createElement("p");
    place.className = "failure";
    form.append(place);
  }
  place.textContent = text;
  say(text);
}
