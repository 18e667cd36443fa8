/* The rows behind a number, in a panel of their own: filtered, with their labels as small trees. */

const MARKS = { right: ["✓", "right"], missed: ["○", "missed"], alarm: ["✗", "false alarm"], other: ["·", "neither true nor predicted"] };
const ROWS_AT_A_TIME = 20;
const MOST_LINES = 22; // of a row's tree; in longer ones, branches that are all right or all wrong are folded
const panel = byId("rows-panel");
let asked = null, rowsShown = 0;

function openRows(query) {
  if (!rows) return;
  asked = { kind: "all", ...query };
  byId("rows-text").value = asked.text || "";
  if (!panel.open) panel.showModal();
  showRows();
}

function titleOf(query) {
  if (query.title) return query.title;
  if (query.label !== undefined && query.label !== null) return fullName(query.label);
  const depth = query.depth ?? state.depth;
  return depth ? `All labels of depth ${depth}` : "All labels";
}

function showRows() {
  const isLabel = asked.label !== undefined && asked.label !== null, isFixed = Boolean(asked.cell || asked.sizes);
  byId("rows-title").textContent = titleOf(asked);
  const kinds = isFixed ? [] : Object.keys(KINDS).filter((kind) => isLabel || kind !== "confused");
  fill(byId("rows-kinds"), ...kinds.map((kind) => el("label", {},
    el("input", { type: "radio", name: "kind", value: kind, checked: kind === asked.kind, onchange: () => { asked = { ...asked, kind, other: null }; showRows(); } }),
    el("span", {}, KINDS[kind], " ", el("small", {}, whole(rowsFor({ ...asked, kind, other: null }).length))))));
  byId("rows-kinds").hidden = isFixed;
  showConfusedWith(isLabel && asked.kind === "confused");
  const words = byId("rows-text").value.trim().toLowerCase();
  let found = rowsFor(asked);
  if (words) found = found.filter((i) => `${rowName(i)} ${data.rows.texts ? data.rows.texts[i] : ""}`.toLowerCase().includes(words));
  const sample = isSample ? ` of a random sample of ${whole(rows.n)} of ${whole(data.n_samples)} rows, which is what this page stores` : ` of ${whole(rows.n)}`;
  byId("rows-count").textContent = `${counted(found.length, "row")}${sample}${data.methods.length > 1 ? `; labels of ${data.methods[state.method].name}` : ""}`;
  rowsShown = 0;
  byId("rows-list").textContent = "";
  moreRows(found);
  byId("rows-list").scrollTop = 0;
  tell("rows");
}

function showConfusedWith(isAsked) {
  const box = byId("rows-with");
  box.hidden = !isAsked;
  if (!isAsked) { fill(box); return; }
  const tally = new Map();
  for (const i of rowsFor({ label: asked.label, kind: "missed" })) for (const v of mistakenFor(i, asked.label)) tally.set(v, (tally.get(v) || 0) + 1);
  const others = [...tally].sort((a, b) => b[1] - a[1]).slice(0, 50);
  if (asked.other !== null && asked.other !== undefined && !tally.has(asked.other)) others.unshift([asked.other, rowsFor(asked).length]);
  const select = el("select", { onchange: () => { asked = { ...asked, other: select.value === "" ? null : Number(select.value) }; showRows(); } },
    option("", "any sibling", asked.other === null || asked.other === undefined),
    ...others.map(([v, count]) => option(v, `${fullName(v)} (${whole(count)})`, v === asked.other)));
  fill(box, "predicted instead ", select);
}

function moreRows(found) {
  const list = byId("rows-list");
  for (const i of found.slice(rowsShown, rowsShown + ROWS_AT_A_TIME)) list.append(rowCard(i));
  rowsShown += ROWS_AT_A_TIME;
  const left = found.length - rowsShown;
  if (left > 0) {
    const more = button(`Show ${whole(Math.min(left, ROWS_AT_A_TIME))} more of ${whole(left)}`, () => { more.remove(); moreRows(found); }, { class: "more" });
    list.append(more);
  }
  if (!found.length) list.append(el("p", { class: "none" }, "No row."));
}

function rowCard(i) {
  const row = oneRow(i), text = data.rows.texts ? data.rows.texts[i] : "";
  const tally = `F1 ${two(row.f1)} · ✓ ${row.right} right · ○ ${row.missed} missed · ✗ ${counted(row.alarms, "false alarm")}`;
  const next = row.others.map((v) => [v, row.scores.get(v)]).sort((a, b) => b[1] - a[1]);
  return el("article", { class: "card" },
    el("h3", {}, rowName(i)), el("p", { class: "tally" }, tally), text ? el("p", { class: "text" }, text) : null,
    rowTree(row),
    next.length ? el("p", { class: "next" }, "next best: ", next.map(([v, s]) => `${shortName(v)} ${two(s)}`).join(", ")) : null,
    row.reasons.size ? reasonsOf(row) : null);
}

/* The row's labels as a tree: each under its first parent that is in it; what is folded is drawn when it is opened. */
function rowTree(row) {
  const shown = [...new Set([...row.isTrue, ...row.isPredicted])].sort((u, v) => u - v);
  if (!shown.length) return el("p", { class: "none" }, "No label, neither true nor predicted.");
  const under = new Map(), inside = new Set(shown);
  for (const v of shown) {
    const parent = parentsOf(v).find((u) => inside.has(u)) ?? ROOT;
    if (!under.has(parent)) under.set(parent, []);
    under.get(parent).push(v);
  }
  const kindOf = (v) => (!row.isTrue.has(v) ? "alarm" : row.isPredicted.has(v) ? "right" : "missed");
  const size = (v) => 1 + (under.get(v) || []).reduce((sum, c) => sum + size(c), 0);
  const isAlike = (v, kind) => (under.get(v) || []).every((c) => kindOf(c) === kind && (!asked || c !== asked.label) && isAlike(c, kind));
  const list = (v) => el("ul", {}, ...under.get(v).map(branch));
  const folded = (v) => {
    const box = el("details", { ontoggle: () => { if (box.open && !box.querySelector("ul")) box.append(list(v)); } }, el("summary", { class: "folded" }, `and ${whole(size(v) - 1)} below it`));
    return box;
  };
  const branch = (v) => {
    const kind = kindOf(v), [mark, said] = MARKS[kind];
    const isAsked = asked && v === asked.label;
    return el("li", { class: kind },
      el("span", { class: "leaf", title: fullName(v) },
        el("span", { class: "mark", role: "img", "aria-label": said }, mark), " ",
        el("span", { class: isAsked ? "name asked" : "name" }, shortName(v)),
        row.scores.has(v) ? el("span", { class: "score" }, two(row.scores.get(v))) : null),
      !under.has(v) ? null : shown.length > MOST_LINES && isAlike(v, kind) ? folded(v) : list(v));
  };
  return el("div", { class: "tree" }, el("ul", {}, ...(under.get(ROOT) || []).map(branch)));
}

function reasonsOf(row) {
  const lines = [...row.reasons].filter(([, causes]) => causes.length).map(([v, causes]) => el("li", {},
    el("b", {}, shortName(v)), ": ", causes.map(([cause, value]) => `${cause} ${signed(value, 2)}`).join(", ")));
  return el("details", { class: "reasons" }, el("summary", {}, "Reasons"), el("ul", {}, ...lines));
}

if (panel) {
  byId("rows-close").addEventListener("click", () => panel.close());
  panel.addEventListener("click", (event) => { if (event.target === panel) panel.close(); });
  panel.addEventListener("close", () => { asked = null; tell("rows"); });
  byId("rows-text").addEventListener("input", () => { asked.text = byId("rows-text").value; showRows(); });
  when("method depth", () => { if (panel.open) showRows(); });
}
document.addEventListener("click", (event) => {
  const from = event.target.closest && event.target.closest("[data-rows]");
  if (from) openRows(JSON.parse(from.dataset.rows));
});
document.addEventListener("keydown", (event) => {
  if ((event.key !== "Enter" && event.key !== " ") || !event.target.matches("svg [data-rows]")) return;
  event.preventDefault();
  openRows(JSON.parse(event.target.dataset.rows));
});
