/* All labels in one table: sorted by any column, searched, saved as CSV. */

const COLUMNS = [
  ["label", (v) => fullName(v), "start"],
  ["depth", (v) => data.depth[v]],
  ["test rows", (v) => data.support[v], "true"],
  ["✓ right", (v) => numbers(v).hits, "right"],
  ["○ missed", (v) => numbers(v).missed, "missed"],
  ["✗ false alarms", (v) => numbers(v).alarms, "alarm"],
  ["precision", (v) => numbers(v).precision],
  ["recall", (v) => numbers(v).recall],
  ["F1", (v) => numbers(v).f1],
];
const LABELS_AT_A_TIME = 12;
const labelSort = { column: "mistakes", down: true };
let labelsShown = LABELS_AT_A_TIME;

function labelsInTable() {
  const text = byId("label-filter").value.trim();
  const wanted = (text ? matching(text) : Array.from({ length: n }, (_, v) => v)).filter(isCounted);
  const value = labelSort.column === "mistakes" ? (v) => { const of = numbers(v); return of.missed + of.alarms; } : COLUMNS.find(([head]) => head === labelSort.column)[1];
  const keys = new Map(wanted.map((v) => [v, value(v)])), sign = labelSort.down ? -1 : 1;
  return wanted.sort((u, v) => {
    const a = keys.get(u), b = keys.get(v);
    if (a === null || b === null) return (a === null) - (b === null) || u - v;
    return sign * (typeof a === "string" ? a.localeCompare(b) : a - b) || u - v;
  });
}

function drawLabelTable() {
  const box = byId("label-table");
  const found = labelsInTable();
  const head = COLUMNS.map(([name]) => {
    const way = labelSort.column === name ? (labelSort.down ? "descending" : "ascending") : "none";
    const act = () => { labelSort.down = labelSort.column === name ? !labelSort.down : name !== "label"; labelSort.column = name; drawLabelTable(); byId("label-table").querySelector(`[data-sort="${name}"]`).focus(); tell("table"); };
    return el("th", { scope: "col", "aria-sort": way }, button(name, act, { class: "sort", "data-sort": name }));
  });
  const body = found.slice(0, labelsShown).map((v) => el("tr", {}, ...COLUMNS.map(([name, value, kind]) => {
    if (kind === "start") return el("th", { scope: "row" }, button(fullName(v), () => {}, { class: "go", "data-go": String(v) }));
    const x = value(v), shown = x === null ? "–" : name === "depth" || kind ? whole(x) : two(x);
    return el("td", {}, kind && x && rows ? button(shown, () => openRows({ label: v, kind }), { class: "go", "aria-label": `${shown}: rows of ${fullName(v)}, ${KINDS[kind]}` }) : shown);
  })));
  fill(box, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body));
  const left = found.length - body.length, more = byId("label-more");
  more.hidden = left <= 0;
  more.textContent = `Show ${whole(Math.min(left, 100))} more`;
  byId("label-count").textContent = `${counted(found.length, "label")}${state.depth ? ` of depth ${state.depth}` : ""}${labelSort.column === "mistakes" ? ", those with the most mistakes first" : ""}.`;
}

/* A cell that a spreadsheet would take for a formula begins with an apostrophe. */
const csvCell = (x) => {
  const text = x === null ? "" : typeof x === "number" ? String(Math.round(x * 1e6) / 1e6) : (/^[=+\-@\t\r]/.test(x) ? `'${x}` : x);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};
function saveLabelTable() {
  const heads = COLUMNS.map(([name]) => name.replace(/^[^a-zA-Z]+/, ""));
  const lines = labelsInTable().map((v) => COLUMNS.map(([, value]) => csvCell(value(v))).join(","));
  download("labels.csv", "text/csv", [heads.join(","), ...lines, ""].join("\r\n"));
}

byId("label-filter").addEventListener("input", () => { labelsShown = LABELS_AT_A_TIME; drawLabelTable(); tell("table"); });
byId("label-more").addEventListener("click", () => { labelsShown += 100; drawLabelTable(); });
byId("label-csv").addEventListener("click", saveLabelTable);
when("method depth", drawLabelTable);
