/* The hierarchy as an icicle or a sunburst. */

const svg = byId("icicle");
const defs = make("defs", {}, svg);
const hatch = make("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, defs);
make("rect", { width: 6, height: 6, style: "fill: var(--raised)" }, hatch);
make("rect", { width: 1.2, height: 6, style: "fill: var(--faint)" }, hatch);
const layer = make("g", {}, svg), lettering = make("g", { "aria-hidden": "true" }, svg); // names are read out by the cells
const pen = document.createElement("canvas").getContext("2d");
const family = getComputedStyle(document.body).fontFamily;
const drawn = new Map();
const MIN = 2; // thinner cells are drawn together, as strips of their mean
let view = null, size = { w: 0, h: 0 }, shownFrom = new Map();

function fit(text, room, points = 12) {
  pen.font = `${points}px ${family}`;
  if (pen.measureText(text).width <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (pen.measureText(text.slice(0, middle) + "…").width <= room) low = middle; else high = middle - 1;
  }
  return low > 1 ? text.slice(0, low) + "…" : "";
}

function measureRoom() {
  const w = Math.max(260, svg.parentElement.clientWidth);
  const h = state.shape === "sunburst" ? Math.min(w, 700) : Math.max(380, Math.min(720, 10.6 * leaves));
  size = { w, h };
  svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
}
function columnsFor(v) {
  const most = state.shape === "sunburst" ? (size.w < 500 ? 2 : 3) : Math.max(2, Math.floor(size.w / (size.w < 600 ? 112 : 140)));
  return Math.max(1, Math.min(tall[v], most, state.depth ? state.depth - level[v] : most));
}
const viewOf = (v, range) => ({ a: range ? range[0] : start[v], b: range ? range[1] : stop[v], d: level[v], c: columnsFor(v) });

function cellsIn(at) {
  /* Walk each visible level once, in drawing order; put thin neighbours together. */
  const cells = [], length = state.shape === "sunburst" ? Math.PI * 1.3 * size.h / 2 : size.h, unit = length / (at.b - at.a);
  const first = Math.max(0, Math.floor(at.d)), last = Math.min(atLevel.length - 1, state.depth || Infinity, Math.floor(at.d + at.c));
  for (let k = first; k <= last; k++) {
    const row = atLevel[k];
    let low = 0, high = row.length;
    while (low < high) { const middle = (low + high) >> 1; if (stop[row[middle]] <= at.a) low = middle + 1; else high = middle; }
    let strip = null;
    for (let j = low; j < row.length && start[row[j]] < at.b; j++) {
      const v = row[j];
      if ((stop[v] - start[v]) * unit >= MIN) { strip = null; cells.push({ key: v, k, a: start[v], b: stop[v], members: null }); continue; }
      if (strip && start[v] - strip.b < 1e-9 && (strip.b - strip.a) * unit < MIN) { strip.b = stop[v]; strip.members.push(v); continue; }
      strip = { key: `s${v}`, k, a: start[v], b: stop[v], members: [v] };
      cells.push(strip);
    }
  }
  return cells;
}

function shapeOf(cell, at) {
  const a = Math.max(0, Math.min(1, (cell.a - at.a) / (at.b - at.a))), b = Math.max(0, Math.min(1, (cell.b - at.a) / (at.b - at.a)));
  const inner = state.shape === "sunburst" ? Math.min(54, size.h * 0.11) : 30;
  const far = state.shape === "sunburst" ? size.h / 2 - 2 : size.w;
  const step = (far - inner) / at.c;
  const place = (k) => (k <= 0 ? 0 : k < 1 ? k * inner : inner + (k - 1) * step);
  return { a, b, p: place(cell.k - at.d), q: Math.min(far, place(cell.k + 1 - at.d)) };
}

function outline(s) {
  if (state.shape === "icicle") return `M${s.p.toFixed(1)} ${(s.a * size.h).toFixed(1)}H${s.q.toFixed(1)}V${(s.b * size.h).toFixed(1)}H${s.p.toFixed(1)}Z`;
  const x = size.w / 2, y = size.h / 2, turn = (t) => 2 * Math.PI * t - Math.PI / 2;
  if (s.b - s.a > 0.9999) {
    const ring = (r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    return ring(s.q) + (s.p > 0.5 ? ring(s.p) : "");
  }
  const point = (r, t) => `${(x + r * Math.cos(turn(t))).toFixed(1)} ${(y + r * Math.sin(turn(t))).toFixed(1)}`;
  const big = s.b - s.a > 0.5 ? 1 : 0;
  return `M${point(s.q, s.a)}A${s.q} ${s.q} 0 ${big} 1 ${point(s.q, s.b)}L${point(s.p, s.b)}A${s.p} ${s.p} 0 ${big} 0 ${point(s.p, s.a)}Z`;
}

function letter(g, x, y, text, points, ink, anchor, kind = "") {
  make("text", { x: x.toFixed(1), y: y.toFixed(1), fill: ink, "text-anchor": anchor, "font-size": points, class: kind }, g).textContent = text;
}
function write(g, cell, s, moving) {
  const words = g.words;
  words.textContent = "";
  if (cell.members || moving) return;
  const v = cell.key, ink = g.dataset.ink, wide = s.q - s.p;
  const isFocus = cell.k === level[state.focus];
  if (state.shape === "icicle") {
    const top = s.a * size.h, high = (s.b - s.a) * size.h;
    if (isFocus) {
      const text = fit(shortName(v), high - 20);
      const t = make("text", { transform: `translate(${s.p + wide / 2 + 4} ${top + high / 2}) rotate(-90)`, "text-anchor": "middle", "font-size": 12, fill: ink }, words);
      t.textContent = text;
      return;
    }
    const points = Math.min(12, Math.floor(2 * (high - 0.9)) / 2);
    if (points < 9 || wide < 30) return;
    const value = shownNumber(v), whole = fit(shortName(v), wide - 12, points), beside = fit(shortName(v), wide - 44, points);
    const under = whole !== beside && high >= 34; // a name too long to fit beside its number gets its own line
    const y = top + Math.min(high / 2 + points * 0.36, 16);
    letter(words, s.p + 6, y, under ? whole : beside, points, ink, "start");
    letter(words, under ? s.p + 6 : s.q - 6, under ? y + 15 : y, value, points - 1, ink, under ? "start" : "end", "n");
    return;
  }
  const x = size.w / 2, y = size.h / 2;
  if (isFocus) {
    letter(words, x, y + 1, fit(shortName(v), 2 * s.q - 18), 12, ink, "middle");
    if (v !== ROOT) letter(words, x, y + 17, shownNumber(v), 11, ink, "middle", "n");
    return;
  }
  const middle = (s.a + s.b) / 2, r = (s.p + s.q) / 2;
  const points = Math.min(12, Math.floor(2 * Math.PI * r * (s.b - s.a)));
  if (points < 9) return;
  const degrees = 360 * middle - 90, flip = middle > 0.5 ? 180 : 0;
  const both = `${shortName(v)} ${shownNumber(v)}`, label = fit(both, wide - 10, points) === both ? both : fit(shortName(v), wide - 10, points);
  make("text", { transform: `translate(${x} ${y}) rotate(${degrees}) translate(${r} 0) rotate(${flip})`, "text-anchor": "middle", dy: 4, "font-size": points, fill: ink }, words).textContent = label;
}

function paint(g, cell) {
  let t;
  if (cell.members) {
    const known = cell.members.map(shade).filter((x) => x !== null);
    t = known.length ? known.reduce((sum, x) => sum + x, 0) / known.length : null;
  } else t = shade(cell.key);
  const path = g.firstChild;
  if (cell.key === ROOT) { path.style.fill = "var(--raised)"; g.dataset.ink = "var(--ink)"; return; }
  if (t === null) { path.style.fill = "url(#hatch)"; g.dataset.ink = "var(--ink)"; return; }
  const rgb = ramp(t);
  path.style.fill = css(rgb);
  g.dataset.ink = inkOn(rgb);
}

function mark(g, cell, fine) {
  const nodes = cell.members || [cell.key];
  const searching = state.found.length > 0;
  const hit = searching && nodes.some((v) => state.hits[v]);
  const leads = searching && !hit && nodes.some((v) => state.leads[v]);
  g.words.setAttribute("class", searching && !hit && !leads ? "faded" : "");
  g.setAttribute("class", [cell.members ? "strip" : "", hit ? "hit" : "", leads ? "leads" : "", searching && !hit && !leads ? "dim" : "", fine ? "fine" : "", nodes.includes(state.selected) ? "here" : ""].join(" ").trim());
}

function name(g, v) {
  const spoken = v === ROOT ? `All ${whole(n)} labels` : `${fullName(v)}: F1 ${two(numbers(v).f1)}, ${whole(data.support[v])} test rows${below[v].length ? `, ${below[v].length} right below it` : ""}`;
  g.setAttribute("role", "treeitem");
  g.setAttribute("aria-label", spoken);
  g.setAttribute("aria-level", level[v] + 1);
  g.setAttribute("aria-selected", v === state.selected ? "true" : "false");
  if (below[v].length) g.setAttribute("aria-expanded", "true");
  g.setAttribute("tabindex", v === (shownFrom.has(state.selected) ? state.selected : state.focus) ? 0 : -1);
}

function draw(at = view, moving = false) {
  const cells = cellsIn(at);
  shownFrom = new Map(cells.filter((cell) => !cell.members).map((cell) => [cell.key, cell]));
  const kept = new Set();
  for (const cell of cells) {
    const s = shapeOf(cell, at);
    if (s.q - s.p < 0.5 || s.b <= s.a) continue;
    kept.add(String(cell.key));
    let g = drawn.get(String(cell.key));
    if (!g) {
      g = make("g", { "data-key": cell.key }, layer);
      make("path", {}, g);
      g.words = make("g", {}, lettering);
      drawn.set(String(cell.key), g);
    }
    g.cell = cell;
    g.firstChild.setAttribute("d", outline(s));
    paint(g, cell);
    mark(g, cell, (s.b - s.a) * (state.shape === "sunburst" ? 3 * (s.p + s.q) : size.h) < 6);
    if (cell.members) g.setAttribute("aria-hidden", "true"); else name(g, cell.key);
    write(g, cell, s, moving);
  }
  for (const [key, g] of drawn) if (!kept.has(key)) { g.remove(); g.words.remove(); drawn.delete(key); }
  for (const g of layer.querySelectorAll(".leads, .hit, .here")) if (g !== document.activeElement) layer.append(g);
}

let timer = 0;
function moveTo(target) {
  cancelAnimationFrame(timer);
  const from = view, begun = performance.now();
  const finish = () => { view = target; draw(); };
  if (still.matches || document.hidden || cellsIn(from).length + cellsIn(target).length > 1500) { finish(); return; }
  const frame = (now) => {
    const t = Math.min(1, (now - begun) / 320), ease = t * t * (3 - 2 * t);
    if (t >= 1) { finish(); return; }
    view = Object.fromEntries(Object.keys(target).map((key) => [key, from[key] + ease * (target[key] - from[key])]));
    draw(view, true);
    timer = requestAnimationFrame(frame);
  };
  timer = requestAnimationFrame(frame);
}
