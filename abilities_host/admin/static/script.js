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
