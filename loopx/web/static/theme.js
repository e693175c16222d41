// Runs before the page is painted: the colours that were chosen here, if any were; otherwise the system's.
(() => {
  const kept = localStorage.getItem("loopx-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
})();
