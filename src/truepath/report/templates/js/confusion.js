/* Which labels are taken for which: a table over siblings that folds along the hierarchy. */

const confusion = { focus: ROOT, open: new Set(), scale: "count", most: 12, items: [], byNode: null, groups: [] };
const NONE = -1; // no label at all: nothing true, or nothing predicted

function listItems() {
  const items = [], add = (v, stops, indent) => items.push({ v, stops, indent });
  const walk = (v, indent) => {
    if (!confusion.open.has(v) || !below[v].length) { add(v, false, indent); return; }
    add(v, true, indent);
    for (const c of below[v]) walk(c, indent + 1);
  };
  if (confusion.focus !== ROOT) add(confusion.focus, true, 0);
  for (const c of below[confusion.focus]) walk(c, 0);
  confusion.items = items;
  confusion.byNode = { whole: new Int32Array(n).fill(-1), stops: new Int32Array(n).fill(-1), seen: new Int32Array(n + 1).fill(-1), stamp: 0 };
  items.forEach((item, k) => { confusion.byNode[item.stops ? "stops" : "whole"][item.v] = k; });
}

/* The items that a set of labels belongs to; an open label is one only if none of its children is there. */
function itemsIn(labels) {
  const { whole: plain, stops, seen } = confusion.byNode, found = [];
  const stamp = (confusion.byNode.stamp += 1);
  for (let k = labels.length - 1; k >= 0; k--) {
    const v = labels[k];
    if (plain[v] >= 0) found.push(plain[v]);
    if (stops[v] >= 0 && seen[v] !== stamp) found.push(stops[v]);
    seen[above[v]] = stamp;
  }
  return found;
}

function mistakesOf(i) {
  const isTrue = itemsIn(rows.true.row(i)), isPredicted = itemsIn(rowsOf().predicted.row(i));
  const right = isTrue.filter((k) => isPredicted.includes(k));
  return { right, missed: isTrue.filter((k) => !right.includes(k)), alarms: isPredicted.filter((k) => !right.includes(k)) };
}
function eachCell(i, act) {
  const { right, missed, alarms } = mistakesOf(i);
  for (const k of right) act(k, k);
  for (const t of missed) { if (alarms.length) for (const w of alarms) act(t, w); else act(t, NONE); }
  if (!missed.length) for (const w of alarms) act(NONE, w);
}

/* Put the items with few mistakes together, so that the table stays readable. */
function groupItems(wrong) {
  const order = confusion.items.map((_, k) => k).sort((a, b) => wrong[b] - wrong[a] || a - b);
  const kept = new Set(order.slice(0, confusion.most));
  if (confusion.items.length === confusion.most + 1) kept.add(order[confusion.most]);
  confusion.items.forEach((item, k) => { if (item.stops && confusion.open.size <= 6) kept.add(k); });
  const groups = confusion.items.map((item, k) => ({ ...item, members: [k] })).filter((_, k) => kept.has(k));
  const rest = order.filter((k) => !kept.has(k));
  if (rest.length) groups.push({ v: null, members: rest });
  confusion.groups = groups;
  const place = new Int32Array(confusion.items.length);
  groups.forEach((group, g) => { for (const k of group.members) place[k] = g; });
  return place;
}

function countConfusions() {
  listItems();
  const pairs = new Map(), size = confusion.items.length + 1, wrong = new Float64Array(size);
  for (let i = 0; i < rows.n; i++) eachCell(i, (t, w) => {
    const key = (t < 0 ? size - 1 : t) * size + (w < 0 ? size - 1 : w);
    pairs.set(key, (pairs.get(key) || 0) + 1);
    if (t !== w) { if (t >= 0) wrong[t] += 1; if (w >= 0) wrong[w] += 1; }
  });
  const place = groupItems(wrong), m = confusion.groups.length + 1, table = new Float64Array(m * m);
  for (const [key, count] of pairs) {
    const t = Math.floor(key / size), w = key % size;
    table[(t === size - 1 ? m - 1 : place[t]) * m + (w === size - 1 ? m - 1 : place[w])] += count;
  }
  return { table, m };
}

function rowsOfCell({ t, w }) {
  const wantedT = new Set(t), wantedW = new Set(w), found = [];
  for (let i = 0; i < rows.n; i++) {
    let isIn = false;
    eachCell(i, (a, b) => { isIn = isIn || (wantedT.has(a) && wantedW.has(b)); });
    if (isIn) found.push(i);
  }
  return found;
}

function groupName(group) {
  if (group.v === null) return `other (${whole(group.members.length)})`;
  const isTwice = confusion.groups.filter((other) => other.v !== null && shortName(other.v) === shortName(group.v)).length > 1;
  return `${isTwice ? fullName(group.v) : shortName(group.v)}${group.stops ? ", no further" : ""}`;
}
const groupFull = (group) => (group.v === null ? "all other labels" : group.stops ? `${fullName(group.v)} and none below it` : fullName(group.v));

function foldButton(group) {
  if (group.v === null || !below[group.v].length) return el("span", { class: "fold" });
  const isOpen = group.stops, said = `${isOpen ? "Fold" : "Unfold"} ${fullName(group.v)}`;
  if (isOpen && group.v === confusion.focus) return el("span", { class: "fold" });
  const act = () => { if (isOpen) confusion.open.delete(group.v); else confusion.open.add(group.v); drawConfusion(); tell("confusion"); };
  return button(isOpen ? "▾" : "▸", act, { class: "fold", "aria-label": said, title: said, "data-fold": String(group.v) });
}

function cellButton(count, shown, t, w, m) {
  const of = (g) => (g === m - 1 ? [NONE] : confusion.groups[g].members);
  const said = t === m - 1 ? `${groupFull(confusion.groups[w])} predicted, nothing here missed`
    : w === m - 1 ? `${groupFull(confusion.groups[t])} missed, nothing here predicted instead`
      : t === w ? `${groupFull(confusion.groups[t])} ${confusion.groups[t].v === null ? "right, or taken for one another" : "true and predicted"}` : `${groupFull(confusion.groups[t])} missed, ${groupFull(confusion.groups[w])} predicted instead`;
  return button(shown, () => openRows({ cell: { t: of(t), w: of(w) }, title: said }), { "aria-label": `${counted(count, "row")}: ${said}`, title: `${counted(count, "row")}: ${said}` });
}

function drawMatrix() {
  const { table, m } = countConfusions(), groups = confusion.groups, at = (t, w) => table[t * m + w];
  const rowSum = groups.map((_, t) => Array.from({ length: m }, (_, w) => at(t, w)).reduce((a, b) => a + b, 0)).concat([Array.from({ length: m }, (_, w) => at(m - 1, w)).reduce((a, b) => a + b, 0)]);
  const columnSum = Array.from({ length: m }, (_, w) => Array.from({ length: m }, (_, t) => at(t, w)).reduce((a, b) => a + b, 0));
  const total = rowSum.reduce((a, b) => a + b, 0);
  const share = (t, w) => at(t, w) / (confusion.scale === "row" ? rowSum[t] : confusion.scale === "column" ? columnSum[w] : confusion.scale === "total" ? total : 1);
  let most = 1e-9; // among labels taken for labels; the last line and column may have more
  for (let t = 0; t < m - 1; t++) for (let w = 0; w < m - 1; w++) if (t !== w && at(t, w)) most = Math.max(most, share(t, w));
  const heads = groups.map((group) => el("th", { scope: "col", class: "turned", title: groupFull(group) }, el("span", {}, groupName(group))));
  const head = el("tr", {}, el("td", { class: "corner" }, "true ↓, predicted →"), ...heads, el("th", { scope: "col", class: "turned" }, el("span", {}, "nothing instead")));
  const lines = Array.from({ length: m }, (_, t) => {
    const cells = Array.from({ length: m }, (_, w) => {
      if (t === m - 1 && w === m - 1) return el("td", {});
      const count = at(t, w);
      if (!count) return el("td", { class: t === w ? "diagonal" : "" });
      const x = share(t, w), shown = confusion.scale === "count" ? whole(count) : `${(100 * x).toFixed(x < 0.0995 ? 1 : 0)}`;
      const cell = el("td", { class: t === w ? "diagonal" : "hit" }, cellButton(count, shown, t, w, m));
      if (t !== w) { const rgb = tint(Math.sqrt(x / most)); cell.style.background = css(rgb); cell.style.color = inkOn(rgb); }
      return cell;
    });
    const group = groups[t];
    const name = t === m - 1 ? "nothing missed" : group.v === null || group.stops || !below[group.v].length ? groupName(group)
      : button(groupName(group), () => focusConfusion(group.v), { class: "go", title: `Only the labels right below ${fullName(group.v)}` });
    return el("tr", {}, el("th", { scope: "row", style: group ? `padding-left: ${(group.indent || 0) * 0.9}rem` : "" }, group ? foldButton(group) : el("span", { class: "fold" }), name), ...cells);
  });
  fill(byId("confusion-table"), el("thead", {}, head), el("tbody", {}, ...lines));
}

function focusConfusion(v) {
  confusion.focus = v;
  confusion.open = new Set();
  drawConfusion();
  tell("confusion");
}

/* Pairs of siblings of which one is missed and the other predicted instead, at the depth chosen. */
function confusedPairs() {
  const tally = new Map();
  for (let i = 0; i < rows.n; i++) {
    const isTrue = new Set(rows.true.row(i)), predicted = rowsOf().predicted.row(i), isPredicted = new Set(predicted), alarms = new Map();
    for (const w of predicted) if (!isTrue.has(w) && isCounted(w)) { if (!alarms.has(above[w])) alarms.set(above[w], []); alarms.get(above[w]).push(w); }
    if (!alarms.size) continue;
    for (const t of isTrue) if (!isPredicted.has(t)) for (const w of alarms.get(above[t]) || []) { const key = t * n + w; tally.set(key, (tally.get(key) || 0) + 1); }
  }
  return [...tally].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 12).map(([key, count]) => [Math.floor(key / n), key % n, count]);
}

function drawPairs() {
  const pairs = confusedPairs();
  const lines = pairs.map(([t, w, count]) => el("tr", {}, el("th", { scope: "row" }, fullName(t)), el("td", { class: "words" }, shortName(w)),
    el("td", {}, button(whole(count), () => openRows({ label: t, kind: "confused", other: w }), { class: "go", "aria-label": `${counted(count, "row")} with ${fullName(t)} missed and ${fullName(w)} predicted instead` }))));
  const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "missed"), el("th", { scope: "col", class: "words" }, "predicted instead"), el("th", { scope: "col" }, "rows")));
  fill(byId("pairs"), ...(pairs.length ? [head, el("tbody", {}, ...lines)] : [el("caption", { class: "none" }, "No label is predicted in place of a sibling.")]));
}

function drawConfusion() {
  if (!rows || !confusion.isSeen) return;
  const path = pathOf(confusion.focus).map((v) => el("li", {}, button(shortName(v), () => focusConfusion(v), v === confusion.focus ? { "aria-current": "location" } : {})));
  fill(byId("confusion-path"), ...path);
  drawMatrix();
  drawPairs();
}

function unfoldToDepth() {
  confusion.focus = ROOT;
  confusion.open = new Set(order.filter((v) => v !== ROOT && level[v] < state.depth && below[v].length));
}

if (rows) {
  for (const input of document.querySelectorAll("#confusion-controls input")) input.addEventListener("change", () => { confusion.scale = input.value; drawConfusion(); tell("confusion"); });
  byId("confusion-most").addEventListener("change", () => { confusion.most = Number(byId("confusion-most").value); drawConfusion(); });
  const see = () => { if (!confusion.isSeen) { confusion.isSeen = true; drawConfusion(); } };
  new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) see(); }, { rootMargin: "600px" }).observe(byId("confusion"));
  window.addEventListener("beforeprint", see);
  when("depth", () => { unfoldToDepth(); drawConfusion(); });
  when("method", drawConfusion);
  isDark.addEventListener("change", drawConfusion);
  if (isSample) byId("confusion-sample").textContent = `Counted in the ${whole(rows.n)} rows that this page stores, a random sample of ${whole(data.n_samples)}.`;
}
