/* What is chosen, in the address after the #, so that it can be shared: #section~key=value&key=value. */

let isReading = false;
const MOST_MOVED = 2000; // labels with a threshold of their own that an address can name

function stateText() {
  const kept = new URLSearchParams(), put = (key, value, usual) => { if (value !== null && value !== undefined && value !== usual) kept.set(key, String(value)); };
  put("method", state.method, firstMethod);
  put("depth", state.depth, 0);
  put("colour", state.colour, "f1");
  put("shape", state.shape, "icicle");
  put("focus", state.focus, ROOT);
  put("label", state.selected === ROOT ? null : state.selected, null);
  put("sort", `${labelSort.down ? "-" : ""}${labelSort.column}`, "-mistakes");
  put("find", byId("label-filter").value.trim(), "");
  if (confusion.focus !== ROOT) put("in", confusion.focus);
  put("scale", confusion.scale, "count");
  if (byId("compare") && (compared.first !== firstCompared[0] || compared.second !== firstCompared[1])) put("pair", `${compared.first},${compared.second}`);
  if (byId("thresholds") && hasCurves(state.method)) {
    put("scope", scope.kind === "label" ? scope.label : null, null);
    const moved = movedLabels(), mine = chosen[state.method], shown = nodesInScope(), own = new Set(mine ? shown.map((v) => mine.at[v]) : []);
    const isShown = new Set(shown);
    if (moved.length && own.size === 1 && moved.every((v) => isShown.has(v))) put("t", [...own][0]);
    else if (moved.length && moved.length <= MOST_MOVED) put("each", moved.map((v) => `${v.toString(36)}.${(mine.at[v] + 1).toString(36)}`).join("_"));
  }
  if (asked && !asked.cell && !asked.sizes) put("rows", [asked.label ?? "", asked.kind, asked.other ?? "", asked.depth ?? ""].join(","));
  return kept.toString();
}
/* The labels whose threshold is another than the one used. */
function movedLabels() {
  const curves = curvesOf(), mine = chosen[state.method];
  return mine ? Array.from(mine.at.keys()).filter((v) => mine.at[v] !== (curves.used ? curves.used[v] : curves.bestF1)) : [];
}
function readEach(text) {
  const curves = curvesOf(), mine = chosenOf();
  for (const one of text.split("_")) {
    const [v, place] = one.split(".").map((part) => parseInt(part, 36));
    if (!(v >= 0 && v < n && place >= 0 && place <= curves.size)) continue;
    mine.at[v] = place - 1;
    if (curves.each[v] === place - 1 && curves.eachValue) mine.exact[v] = curves.eachValue[v]; else delete mine.exact[v];
  }
  drawThresholds();
  tell("threshold");
}

let section = "";
function writeAddress() {
  if (isReading) return;
  const kept = stateText(), hash = kept ? `#${section}~${kept}` : section ? `#${section}` : "#";
  if (location.hash !== hash && !(hash === "#" && !location.hash)) history.replaceState(null, "", hash);
}

function readAddress() {
  const [place, kept] = decodeURI(location.hash.slice(1)).split("~");
  section = place;
  if (kept === undefined) return;
  isReading = true;
  const read = new URLSearchParams(kept), node = (text) => { const v = Number(text); return Number.isInteger(v) && v >= 0 && v <= n ? v : null; };
  if (read.has("method") && data.methods[Number(read.get("method"))]) chooseMethod(Number(read.get("method")));
  if (read.has("depth") && Number(read.get("depth")) <= atLevel.length - 1) chooseDepth(Number(read.get("depth")) || 0);
  for (const name of ["colour", "shape"]) {
    const input = [...document.querySelectorAll(`#controls input[name="${name}"]`)].find((one) => one.value === read.get(name));
    if (input) input.click();
  }
  const label = read.has("label") ? node(read.get("label")) : null, focus = read.has("focus") ? node(read.get("focus")) : null;
  if (isFlat && label !== null) goTo(label);
  else if (focus !== null && focus !== ROOT) zoomTo(focus, label ?? focus);
  else if (label !== null && label !== ROOT) { state.selected = label; drawLabels(); showDetails(label); }
  if (read.has("sort")) {
    const column = read.get("sort").replace(/^-/, "");
    if (COLUMNS.some(([name]) => name === column)) Object.assign(labelSort, { column, down: read.get("sort").startsWith("-") });
  }
  byId("label-filter").value = read.get("find") || "";
  drawLabelTable();
  if (rows) readConfusion(read, node);
  if (byId("compare") && read.has("pair")) { [compared.first, compared.second] = read.get("pair").split(",").map((k) => (data.methods[Number(k)] ? Number(k) : 0)); drawComparison(); }
  if (byId("thresholds") && hasCurves(state.method)) {
    if (read.has("scope") && node(read.get("scope")) !== null && node(read.get("scope")) !== ROOT) chooseScope("label", node(read.get("scope")));
    if (read.has("each")) readEach(read.get("each"));
    if (read.has("t")) setThreshold(Math.max(0, Math.min(curvesOf().size - 1, Number(read.get("t")) || 0)));
  }
  if (rows && read.has("rows")) {
    const [v, kind, other, depth] = read.get("rows").split(",");
    if (KINDS[kind]) openRows({ label: v === "" ? null : node(v), kind, other: other ? node(other) : null, ...(depth ? { depth: Number(depth) } : {}) });
  }
  isReading = false;
  if (place && byId(place)) byId(place).scrollIntoView();
}

function readConfusion(read, node) {
  const inside = read.has("in") ? node(read.get("in")) : null;
  if (inside !== null && below[inside].length) focusConfusion(inside);
  const input = document.querySelector(`#confusion-controls input[value="${CSS.escape(read.get("scale") || "count")}"]`);
  if (input) { input.checked = true; confusion.scale = input.value; drawConfusion(); }
}

when("method depth picture label table confusion compare threshold rows", writeAddress);
window.addEventListener("hashchange", () => {
  if (location.hash.includes("~")) { readAddress(); return; }
  section = location.hash.slice(1);
  writeAddress();
});
