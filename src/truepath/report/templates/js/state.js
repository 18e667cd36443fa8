/* What is chosen, and who wants to know when that changes. */

const state = {
  method: 0, depth: 0, colour: "f1", shape: "icicle", focus: 0, selected: null, query: "", found: [], at: -1, hovered: null,
};
const listeners = {};
function when(events, act) {
  for (const event of events.split(" ")) (listeners[event] = listeners[event] || []).push(act);
}
function tell(event) {
  for (const act of listeners[event] || []) act();
}

function chooseMethod(k) {
  state.method = k;
  for (const part of document.querySelectorAll("[data-method]")) part.hidden = Number(part.dataset.method) !== k;
  for (const part of document.querySelectorAll("[data-series]")) part.classList.toggle("on", Number(part.dataset.series) === k);
  if (byId("method")) byId("method").value = String(k);
  tell("method");
}

function chooseDepth(d) {
  state.depth = d;
  for (const part of document.querySelectorAll("[data-depth]")) part.hidden = Number(part.dataset.depth) !== d;
  for (const row of document.querySelectorAll("tr[data-level]")) row.classList.toggle("on", Number(row.dataset.level) === d);
  if (byId("depth")) byId("depth").value = String(d);
  tell("depth");
}
/* Whether a label is counted at the depth chosen. */
const isCounted = (v) => state.depth === 0 || data.depth[v] === state.depth;
