"use strict";

// Everything works without this; it only makes keys work, and forms go once.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (!/^[a-z]$/.test(event.key)) return;
  const wanted = document.querySelector(`[data-key="${event.key}"]`);
  if (!wanted || event.repeat) return;
  event.preventDefault();
  wanted.click();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
});

// Going back shows the page as it was left, and then a form may be sent again.
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// The log goes on by itself; cells are text, whatever they say.
const liveRows = document.querySelector("[data-live]");
if (liveRows && window.EventSource) {
  const state = document.getElementById("live");
  const source = new EventSource(liveRows.dataset.live);
  const stop = () => {
    source.close();
    state.textContent = state.dataset.off;
    state.hidden = false;
  };
  source.addEventListener("open", () => { state.hidden = false; });
  source.addEventListener("error", stop);
  source.addEventListener("end", stop);
  source.addEventListener("message", (event) => {
    const cells = JSON.parse(event.data);
    const row = liveRows.insertRow(0);
    row.className = `new ${cells.pop()}`;
    for (const cell of cells) row.insertCell().textContent = cell;
    liveRows.closest(".scroll").hidden = false;
    while (liveRows.rows.length > 200) liveRows.deleteRow(-1);
  });
}
