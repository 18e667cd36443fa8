/* A threshold to drag: of all labels, of a depth, or of one label. */

const scope = { kind: "all", label: null };
const chosen = []; // for each method: positions, and the thresholds to write where they are not those of the grid

function chosenOf(k = state.method) {
  const curves = curvesOf(k);
  if (!chosen[k]) chosen[k] = { at: Array.from({ length: n }, (_, v) => (curves.used ? curves.used[v] : curves.bestF1)), exact: curves.used ? exactUsed(k) : {} };
  return chosen[k];
}
function exactUsed(k) {
  const used = data.methods[k].thresholds;
  return Object.fromEntries(Array.from({ length: n }, (_, v) => [v, Array.isArray(used) ? used[v] : used]));
}
function nodesInScope() {
  if (scope.kind === "label") return [scope.label];
  return Array.from({ length: n }, (_, v) => v).filter((v) => scope.kind !== "depth" || data.depth[v] === state.depth);
}

function chooseScope(kind, label = null, show = false) {
  scope.kind = kind;
  scope.label = kind === "label" ? label : null;
  drawThresholds();
  tell("threshold");
  if (show) { scrollTo("thresholds"); byId("t-slider").focus({ preventScroll: true }); }
}

function setThreshold(g) {
  const mine = chosenOf();
  for (const v of nodesInScope()) { mine.at[v] = g; delete mine.exact[v]; }
  drawThresholds();
  tell("threshold");
}
function setEach(at, exact) {
  const mine = chosenOf(), isIn = new Set(nodesInScope());
  for (const v of isIn) { mine.at[v] = at[v]; if (exact && exact[v] !== undefined) mine.exact[v] = exact[v]; else delete mine.exact[v]; }
  drawThresholds();
  tell("threshold");
}

/* ---- the chart: positions along x, so that the axis is wide where true labels score */

const T = { width: 520, height: 250, left: 34, right: 70, top: 12, bottom: 30, key: null, points: [] };
const tx = (g, size) => T.left + (size > 1 ? g / (size - 1) : 0) * (T.width - T.left - T.right);
const ty = (share) => T.height - T.bottom - share * (T.height - T.top - T.bottom);
const LINES = [["precision", "ratio1", "7 3"], ["recall", "ratio2", "2 3"], ["f1", "ratio0", ""]];

function drawThresholdChart(curves, at) {
  const chart = byId("t-chart"), nodes = nodesInScope(), trial = Int32Array.from(at), free = new Set(nodes);
  chart.textContent = "";
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    make("line", { x1: T.left, x2: T.width - T.right, y1: ty(share), y2: ty(share), class: "gridline" }, chart);
    make("text", { x: T.left - 6, y: ty(share) + 4, class: "tick", "text-anchor": "end" }, chart).textContent = String(share).replace(/^0\./, ".");
  }
  let last = -99;
  for (let k = 0; k <= 10; k++) {
    const low = curves.thresholds[0], wanted = low + (k / 10) * (curves.thresholds[curves.size - 1] - low);
    const g = curves.thresholds.reduce((best, t, j) => (Math.abs(t - wanted) < Math.abs(curves.thresholds[best] - wanted) ? j : best), 0);
    if (tx(g, curves.size) - last < 30) continue;
    last = tx(g, curves.size);
    make("text", { x: last, y: T.height - T.bottom + 16, class: "tick", "text-anchor": "middle" }, chart).textContent = written(Number(curves.thresholds[g].toPrecision(2))).replace(/^0\./, ".");
  }
  const outside = scope.kind === "all" ? [] : nodes.flatMap((v) => parentsOf(v).filter((u) => !free.has(u)).map((u) => at[u]));
  const key = [state.method, scope.kind, scope.label, state.depth, ...outside].join();
  if (T.key !== key) {
    T.key = key;
    T.points = Array.from({ length: curves.size }, (_, g) => {
      for (const v of nodes) { trial[v] = g; for (const u of parentsOf(v)) if (!free.has(u) && at[u] > trial[v]) trial[v] = at[u]; }
      return measureAt(curves, nodes, trial);
    });
  }
  const ends = [];
  for (const [name, kind, dash] of LINES) {
    const known = T.points.map((point, g) => [tx(g, curves.size), point[name]]).filter(([, y]) => y !== null);
    if (!known.length) continue;
    make("path", { d: known.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${ty(y).toFixed(1)}`).join(""), fill: "none", class: `line ${kind}`, "stroke-dasharray": dash }, chart);
    ends.push([ty(known[known.length - 1][1]), name === "f1" ? "F1" : name, kind]);
  }
  ends.sort((a, b) => a[0] - b[0]).forEach((end, k) => { if (k) end[0] = Math.max(end[0], ends[k - 1][0] + 14); });
  for (let k = ends.length - 1, floor = ty(0); k >= 0; k--) { ends[k][0] = Math.min(ends[k][0], floor); floor = ends[k][0] - 14; }
  for (const [y, name, kind] of ends) make("text", { x: T.width - T.right + 6, y: y + 4, class: `name ${kind}` }, chart).textContent = name;
}

function drawMarks(curves, here) {
  const chart = byId("t-chart"), isOne = scope.kind === "label";
  const marks = [["best for F1", curves.bestF1, "dot ratio0"], ["best for H-loss", curves.bestHLoss, "dot ratio1"]];
  if (isOne) marks.splice(0, 2, ["best of its own", curves.each[scope.label], "dot ratio0"], ["best for all, F1", curves.bestF1, "dot ratio1"]);
  for (const [name, g, kind] of marks) if (g >= 0) make("title", {}, make("path", { d: `M${tx(g, curves.size)} ${ty(0)}l-5 9h10z`, class: kind }, chart)).textContent = name;
  const x = tx(Math.max(0, here), curves.size);
  make("line", { x1: x, x2: x, y1: ty(0), y2: T.top - 6, class: "rule strong" }, chart);
  const jump = (text, act, said) => button(text, act, { title: said });
  const each = () => setEach(curves.each, curves.eachValue);
  const back = curves.used ? jump("as used", () => setEach(curves.used, exactUsed(state.method)), "The thresholds that the labels were predicted with") : null;
  const at = (g) => (g >= 0 ? written(curves.thresholds[g]) : "always");
  fill(byId("t-marks"), back,
    ...marks.map(([name, g]) => jump(`${name}: ${at(g)}`, () => setThreshold(Math.max(0, g)), "SingleThreshold or MultiThreshold, fitted on these rows")),
    isOne ? null : jump("best per label", each, "MultiThreshold: one threshold per label, by F1 on these rows"));
}

function drawThresholds() {
  const curves = curvesOf(), box = byId("thresholds");
  if (!box) return;
  byId("t-none").hidden = curves !== null;
  byId("t-body").hidden = curves === null;
  if (!curves) return;
  if (scope.kind === "depth" && !state.depth) scope.kind = "all";
  byId("t-scope").value = scope.kind;
  byId("t-depth").hidden = !state.depth;
  byId("t-depth").textContent = `labels of depth ${state.depth}`;
  byId("t-one").hidden = scope.label === null;
  byId("t-one").textContent = scope.label === null ? "" : fullName(scope.label);
  const mine = chosenOf(), at = inForce(mine.at), nodes = nodesInScope(), all = Array.from({ length: n }, (_, v) => v);
  const own = new Set(nodes.map((v) => mine.at[v])), here = own.size === 1 ? [...own][0] : Math.round([...nodes].reduce((sum, v) => sum + mine.at[v], 0) / nodes.length);
  const slider = byId("t-slider"), shown = own.size > 1 ? "several" : here < 0 ? "always predicted" : written(curves.thresholds[Math.min(here, curves.size - 1)]);
  slider.max = String(curves.size - 1);
  slider.value = String(Math.max(0, here));
  slider.setAttribute("aria-valuetext", shown);
  byId("t-value").textContent = shown;
  drawThresholdChart(curves, at);
  drawMarks(curves, here);
  const raised = nodes.filter((v) => at[v] > mine.at[v]).length;
  byId("t-note").textContent = [
    raised ? `${counted(raised, "label")} cannot go below the threshold of a parent, which is used instead.` : "",
    curves.raised ? "Scores above a parent's were raised to be coherent, as truepath label --coherent max-up does." : "",
  ].join(" ").trim();
  drawThresholdNumbers(measureLabels(nodes, state.method), measureAt(curves, nodes, at), measureAt(curves, all, at));
}

function drawThresholdNumbers(before, now, all) {
  const isAll = scope.kind === "all", lines = [
    ["precision", "precision", three], ["recall", "recall", three], ["F1", "f1", three], ["labels per row", "perRow", two], ["H-loss", "hLoss", (x) => (x === null || Number.isNaN(x) ? "–" : x.toFixed(4))],
  ];
  const head = ["", "as predicted", "with this threshold", ...(isAll ? [] : ["all labels"])];
  const body = lines.map(([name, key, show]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, show(before[key])), el("td", {}, el("b", { "data-now": key }, show(now[key]))), isAll ? null : el("td", { "data-all": key }, show(all[key]))));
  fill(byId("t-numbers"), el("thead", {}, el("tr", {}, ...head.map((text) => (text ? el("th", { scope: "col" }, text) : el("td", {}))))), el("tbody", {}, ...body));
}

/* ---- what truepath label --thresholds reads */

function exportThresholds() {
  const curves = curvesOf(), mine = chosenOf(), names = data.names || data.full;
  const values = mine.at.map((g, v) => (mine.exact[v] !== undefined ? mine.exact[v] : g < 0 ? "-inf" : curves.thresholds[Math.min(g, curves.size - 1)]));
  const size = (t) => (t === "inf" ? Infinity : t === "-inf" ? -Infinity : t);
  for (let v = 0; v < n; v++) for (const u of parentsOf(v)) if (size(values[u]) > size(values[v])) values[v] = values[u];
  const isOne = values.every((t) => t === values[0]);
  return { method: data.methods[state.method].name, ...(isOne ? { threshold: values[0] } : { thresholds: Object.fromEntries(names.map((name, v) => [name, values[v]])) }) };
}

if (byId("thresholds")) {
  const slider = byId("t-slider"), chart = byId("t-chart");
  slider.addEventListener("input", () => setThreshold(Number(slider.value)));
  byId("t-scope").addEventListener("change", () => chooseScope(byId("t-scope").value, scope.label));
  picker(byId("t-find"), byId("t-found"), (v) => chooseScope("label", v));
  byId("t-export").addEventListener("click", () => download("thresholds.json", "application/json", `${JSON.stringify(exportThresholds(), null, 1)}\n`));
  const drag = (event) => {
    if (!(event.buttons & 1)) return;
    const box = chart.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * T.width, size = curvesOf().size;
    setThreshold(Math.max(0, Math.min(size - 1, Math.round((x - T.left) / (T.width - T.left - T.right) * (size - 1)))));
  };
  chart.addEventListener("pointerdown", (event) => { chart.setPointerCapture(event.pointerId); drag(event); });
  chart.addEventListener("pointermove", drag);
  when("method", drawThresholds);
  when("depth", () => { scope.kind = state.depth ? "depth" : scope.kind === "depth" ? "all" : scope.kind; drawThresholds(); });
}
