/* Moving and zooming: by mouse, touch and keyboard. */

const isInner = (v) => below[v].length > 0 && (!state.depth || level[v] < state.depth);
function zoomTo(v, selected = v) {
  if (state.depth && level[v] > state.depth) chooseDepth(0); // a label below the depth that was chosen
  const inner = isInner(v) ? v : above[v];
  let range = null;
  if (!isInner(v) && size.h / (stop[inner] - start[inner]) < 14) {
    const half = size.h / 36, a = Math.max(start[inner], Math.min(start[v] - half, stop[inner] - 2 * half));
    range = [a, Math.min(stop[inner], a + 2 * half)]; // too many siblings: show the neighbours only
  }
  state.focus = inner;
  state.selected = selected;
  moveTo(viewOf(inner, range));
  crumbs();
  showDetails(selected);
  tell("label");
}
function zoomOut() {
  if (view && (view.a !== start[state.focus] || view.b !== stop[state.focus])) zoomTo(state.focus);
  else if (state.focus !== ROOT) zoomTo(above[state.focus], state.focus);
}
function crumbs() {
  fill(byId("crumbs"), ...pathOf(state.focus).map((v) => el("li", {},
    button(shortName(v), () => zoomTo(v), { "data-node": String(v), "aria-current": v === state.focus ? "location" : null }))));
}

const cellAt = (event) => { const g = event.target.closest && event.target.closest("g[data-key]"); return g ? g.cell : null; };
svg.addEventListener("click", (event) => {
  const cell = cellAt(event);
  if (!cell) return;
  if (cell.members) {
    const parents = new Set(cell.members.map((v) => above[v])), parent = above[cell.members[0]];
    if (parents.size > 1 || parent === state.focus) zoomTo(parents.size > 1 ? common(cell.members) : cell.members[0]);
    else zoomTo(parent);
  } else if (cell.key === state.focus) zoomOut();
  else if (isInner(cell.key)) zoomTo(cell.key);
  else { state.selected = cell.key; draw(); showDetails(cell.key); tell("label"); }
});
function common(nodes) {
  /* The lowest node above all of them; if that is what is shown already, the first of them. */
  let u = above[nodes[0]];
  while (u !== ROOT && !nodes.every((v) => start[u] <= start[v] && stop[v] <= stop[u])) u = above[u];
  return level[u] > level[state.focus] ? u : pathOf(nodes[0])[level[state.focus] + 1];
}
svg.addEventListener("pointermove", (event) => {
  if (event.pointerType === "touch") return;
  const cell = cellAt(event);
  if (cell && !cell.members && cell.key !== state.hovered) { state.hovered = cell.key; showDetails(cell.key); }
});
svg.addEventListener("pointerleave", () => { state.hovered = null; showDetails(state.selected); });
svg.addEventListener("focusin", (event) => {
  const cell = cellAt(event);
  if (!cell || cell.members) return;
  state.selected = cell.key;
  showDetails(cell.key);
});
function step(v) {
  const g = drawn.get(String(v));
  if (!g) return;
  for (const other of layer.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", -1);
  g.setAttribute("tabindex", 0);
  g.focus({ preventScroll: true });
}
svg.addEventListener("keydown", (event) => {
  const cell = cellAt(event);
  if (!cell || cell.members) return;
  const v = cell.key, row = atLevel[level[v]], place = row.indexOf(v);
  const next = (way) => { for (let k = place + way; k >= 0 && k < row.length; k += way) if (shownFrom.has(row[k])) return row[k]; return v; };
  const act = {
    ArrowRight: () => { const child = below[v].find((c) => shownFrom.has(c)); if (child !== undefined) step(child); },
    ArrowLeft: () => { if (level[v] > level[state.focus]) step(above[v]); },
    ArrowDown: () => step(next(1)),
    ArrowUp: () => step(next(-1)),
    Home: () => step(state.focus),
    Enter: () => { if (v === state.focus) zoomOut(); else zoomTo(v); },
    " ": () => { if (v === state.focus) zoomOut(); else zoomTo(v); },
    Backspace: () => zoomOut(),
    Escape: () => zoomOut(),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
  if (["Enter", " ", "Backspace", "Escape"].includes(event.key)) setTimeout(() => step(drawn.has(String(state.selected)) ? state.selected : state.focus), still.matches ? 0 : 360);
});

