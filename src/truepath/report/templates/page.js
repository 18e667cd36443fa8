"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const state = { method: 0, colour: "f1", shape: "icicle", focus: 0, selected: null, query: "", found: [], at: -1 };

  /* ---------------------------------------------------------------- which method is shown */

  function chooseMethod(k) {
    state.method = k;
    for (const part of document.querySelectorAll("[data-method]")) part.hidden = Number(part.dataset.method) !== k;
    for (const part of document.querySelectorAll("[data-series]")) part.classList.toggle("on", Number(part.dataset.series) === k);
    if (data) { draw(); showDetails(state.selected); }
  }
  const select = byId("method");
  if (select) {
    document.body.classList.add("chosen");
    select.addEventListener("change", () => chooseMethod(Number(select.value)));
  }
  if (!data) return;

  /* ---------------------------------------------------------------- the tree: node n is the root above all labels */

  const n = data.full.length, ROOT = n;
  const above = data.parent.map((p) => (p < 0 ? ROOT : p)).concat([-1]);
  const below = Array.from({ length: n + 1 }, () => []);
  for (let v = 0; v < n; v++) below[above[v]].push(v);
  const start = new Array(n + 1).fill(0), stop = new Array(n + 1).fill(0), level = new Array(n + 1).fill(0), tall = new Array(n + 1).fill(0);
  const order = [];
  for (const stack = [ROOT]; stack.length;) {
    const v = stack.pop();
    order.push(v);
    for (let k = below[v].length - 1; k >= 0; k--) { level[below[v][k]] = level[v] + 1; stack.push(below[v][k]); }
  }
  let leaves = 0;
  for (const v of order) { start[v] = leaves; if (!below[v].length) leaves += 1; }
  for (let k = n; k >= 0; k--) {
    const v = order[k];
    stop[v] = below[v].length ? stop[below[v][below[v].length - 1]] : start[v] + 1;
    for (const c of below[v]) tall[v] = Math.max(tall[v], tall[c] + 1);
  }
  const atLevel = Array.from({ length: tall[ROOT] + 1 }, () => []);
  for (const v of order) atLevel[level[v]].push(v);
  const fullName = (v) => (v === ROOT ? "All labels" : data.full[v]);
  const shortName = (v) => (v === ROOT ? "All labels" : data.short[v]);
  const pathOf = (v) => { const path = []; for (let u = v; u !== -1; u = above[u]) path.unshift(u); return path; };

  /* ---------------------------------------------------------------- numbers of a label */

  const ratio = (a, b) => (b > 0 ? a / b : null);
  function numbers(v, k = state.method) {
    const method = data.methods[k], hits = method.hits[v], predicted = method.predicted[v], support = data.support[v];
    const threshold = Array.isArray(method.thresholds) ? method.thresholds[v] : method.thresholds;
    return {
      support, predicted, hits, threshold,
      precision: ratio(hits, predicted), recall: ratio(hits, support), f1: ratio(2 * hits, support + predicted),
    };
  }
  const two = (x) => (x === null || x === undefined ? "–" : x.toFixed(2));
  const whole = (x) => x.toLocaleString("en-US");

  /* ---------------------------------------------------------------- colours: cividis, dark to bright */

  const RAMP = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"]
    .map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
  function ramp(t) {
    const place = Math.max(0, Math.min(1, t)) * (RAMP.length - 1), k = Math.min(Math.floor(place), RAMP.length - 2), rest = place - k;
    return RAMP[k].map((c, j) => Math.round(c + rest * (RAMP[k + 1][j] - c)));
  }
  const css = (rgb) => `rgb(${rgb.join(",")})`;
  const inkOn = (rgb) => (0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 122 ? "#111" : "#fff");
  const mostRows = Math.max(1, ...data.support);
  const supportShade = (rows) => Math.log1p(rows) / Math.log1p(mostRows);
  function shade(v) {
    if (v === ROOT) return null;
    if (state.colour === "support") return supportShade(data.support[v]);
    return numbers(v).f1;
  }
  const shownNumber = (v) => (v === ROOT ? "" : state.colour === "support" ? whole(data.support[v]) : two(numbers(v).f1));

  /* ---------------------------------------------------------------- drawing */

  const SVG = "http://www.w3.org/2000/svg";
  const svg = byId("icicle");
  const make = (tag, attributes, parent) => {
    const made = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    if (parent) parent.append(made);
    return made;
  };
  const defs = make("defs", {}, svg);
  const hatch = make("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, defs);
  make("rect", { width: 6, height: 6, style: "fill: var(--raised)" }, hatch);
  make("rect", { width: 1.2, height: 6, style: "fill: var(--faint)" }, hatch);
  const layer = make("g", {}, svg);
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
    return Math.max(1, Math.min(tall[v], most));
  }
  const viewOf = (v, range) => ({ a: range ? range[0] : start[v], b: range ? range[1] : stop[v], d: level[v], c: columnsFor(v) });

  function cellsIn(at) {
    /* Walk each visible level once, in drawing order; put thin neighbours together. */
    const cells = [], length = state.shape === "sunburst" ? Math.PI * 1.3 * size.h / 2 : size.h, unit = length / (at.b - at.a);
    const first = Math.max(0, Math.floor(at.d)), last = Math.min(atLevel.length - 1, Math.floor(at.d + at.c));
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
    for (const old of g.querySelectorAll("text")) old.remove();
    if (cell.members || moving) return;
    const v = cell.key, ink = g.dataset.ink, wide = s.q - s.p;
    const isFocus = cell.k === level[state.focus];
    if (state.shape === "icicle") {
      const top = s.a * size.h, high = (s.b - s.a) * size.h;
      if (isFocus) {
        const text = fit(shortName(v), high - 20);
        const t = make("text", { transform: `translate(${s.p + wide / 2 + 4} ${top + high / 2}) rotate(-90)`, "text-anchor": "middle", "font-size": 12, fill: ink }, g);
        t.textContent = text;
        return;
      }
      const points = Math.min(12, Math.floor(2 * (high - 0.9)) / 2);
      if (points < 9 || wide < 30) return;
      const value = shownNumber(v), whole = fit(shortName(v), wide - 12, points), beside = fit(shortName(v), wide - 44, points);
      const under = whole !== beside && high >= 34; // a name too long to fit beside its number gets its own line
      const y = top + Math.min(high / 2 + points * 0.36, 16);
      letter(g, s.p + 6, y, under ? whole : beside, points, ink, "start");
      letter(g, under ? s.p + 6 : s.q - 6, under ? y + 15 : y, value, points - 1, ink, under ? "start" : "end", "n");
      return;
    }
    const x = size.w / 2, y = size.h / 2;
    if (isFocus) {
      letter(g, x, y + 1, fit(shortName(v), 2 * s.q - 18), 12, ink, "middle");
      if (v !== ROOT) letter(g, x, y + 17, shownNumber(v), 11, ink, "middle", "n");
      return;
    }
    const middle = (s.a + s.b) / 2, r = (s.p + s.q) / 2;
    const points = Math.min(12, Math.floor(2 * Math.PI * r * (s.b - s.a)));
    if (points < 9) return;
    const degrees = 360 * middle - 90, flip = middle > 0.5 ? 180 : 0;
    const both = `${shortName(v)} ${shownNumber(v)}`, label = fit(both, wide - 10, points) === both ? both : fit(shortName(v), wide - 10, points);
    make("text", { transform: `translate(${x} ${y}) rotate(${degrees}) translate(${r} 0) rotate(${flip})`, "text-anchor": "middle", dy: 4, "font-size": points, fill: ink }, g).textContent = label;
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
        drawn.set(String(cell.key), g);
      }
      g.cell = cell;
      g.firstChild.setAttribute("d", outline(s));
      paint(g, cell);
      mark(g, cell, (s.b - s.a) * (state.shape === "sunburst" ? 3 * (s.p + s.q) : size.h) < 6);
      if (cell.members) g.setAttribute("aria-hidden", "true"); else name(g, cell.key);
      write(g, cell, s, moving);
    }
    for (const [key, g] of drawn) if (!kept.has(key)) { g.remove(); drawn.delete(key); }
    for (const g of layer.querySelectorAll(".leads, .hit, .here")) if (g !== document.activeElement) layer.append(g);
  }

  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
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

  /* ---------------------------------------------------------------- moving and zooming */

  function zoomTo(v, selected = v) {
    const inner = below[v].length ? v : above[v];
    let range = null;
    if (!below[v].length && size.h / (stop[inner] - start[inner]) < 14) {
      const half = size.h / 36, a = Math.max(start[inner], Math.min(start[v] - half, stop[inner] - 2 * half));
      range = [a, Math.min(stop[inner], a + 2 * half)]; // too many siblings: show the neighbours only
    }
    state.focus = inner;
    state.selected = selected;
    moveTo(viewOf(inner, range));
    crumbs();
    showDetails(selected);
  }
  function zoomOut() {
    if (view && (view.a !== start[state.focus] || view.b !== stop[state.focus])) zoomTo(state.focus);
    else if (state.focus !== ROOT) zoomTo(above[state.focus], state.focus);
  }
  function crumbs() {
    const list = byId("crumbs");
    list.textContent = "";
    for (const v of pathOf(state.focus)) {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.textContent = shortName(v);
      button.dataset.node = v;
      if (v === state.focus) button.setAttribute("aria-current", "location");
      button.addEventListener("click", () => zoomTo(v));
      item.append(button);
      list.append(item);
    }
  }

  function row(list, what, value, share) {
    const line = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
    dt.textContent = what;
    if (share !== undefined && share !== null) {
      const meter = document.createElement("span"), inner = document.createElement("i");
      meter.className = "meter";
      inner.style.width = `${(100 * share).toFixed(0)}%`;
      meter.append(inner);
      dd.append(meter);
    }
    dd.append(value);
    line.append(dt, dd);
    list.append(line);
  }
  function showDetails(v) {
    const box = byId("details");
    box.textContent = "";
    const title = document.createElement("h3"), list = document.createElement("dl"), path = document.createElement("p");
    path.className = "path";
    if (v === null || v === ROOT) {
      title.textContent = "All labels";
      path.textContent = "Point at a label, or move to it with the keyboard, to see its numbers here.";
      row(list, "labels", whole(n));
      row(list, "test rows", whole(data.n_samples));
      box.append(title, path, list);
      return;
    }
    const found = numbers(v);
    title.textContent = shortName(v);
    path.textContent = shortName(v) === fullName(v) ? pathOf(above[v]).map(shortName).join(" › ") : fullName(v);
    row(list, "F1", two(found.f1), found.f1);
    row(list, "precision", two(found.precision), found.precision);
    row(list, "recall", two(found.recall), found.recall);
    row(list, "support (test rows)", whole(found.support));
    row(list, "predicted rows", whole(found.predicted));
    row(list, "of them right", whole(found.hits));
    if (data.train) row(list, "training rows", whole(data.train[v]));
    if (found.threshold !== null && found.threshold !== undefined) row(list, "threshold", String(found.threshold));
    row(list, "depth", String(data.depth[v]));
    if (below[v].length) row(list, "right below it", `${whole(below[v].length)} label${below[v].length > 1 ? "s" : ""}`), row(list, "leaves under it", whole(stop[v] - start[v]));
    box.append(title, path, list);
    const others = data.others[v];
    if (others) {
      const note = document.createElement("p");
      note.className = "path";
      note.textContent = `Also below: ${others.map(fullName).join(", ")}`;
      box.append(note);
    }
    if (data.methods.length > 1) {
      const head = document.createElement("p"), each = document.createElement("dl");
      head.className = "path";
      head.textContent = "F1 of every method";
      data.methods.forEach((method, k) => { const f1 = numbers(v, k).f1; row(each, method.name, two(f1), f1); });
      box.append(head, each);
    }
  }

  /* ---------------------------------------------------------------- mouse, touch, keyboard */

  const cellAt = (event) => { const g = event.target.closest && event.target.closest("g[data-key]"); return g ? g.cell : null; };
  svg.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    if (cell.members) {
      const parents = new Set(cell.members.map((v) => above[v])), parent = above[cell.members[0]];
      if (parents.size > 1 || parent === state.focus) zoomTo(parents.size > 1 ? common(cell.members) : cell.members[0]);
      else zoomTo(parent);
    } else if (cell.key === state.focus) zoomOut();
    else if (below[cell.key].length) zoomTo(cell.key);
    else { state.selected = cell.key; draw(); showDetails(cell.key); }
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

  /* ---------------------------------------------------------------- search */

  const search = byId("search"), report = byId("found"), lower = data.full.map((text) => text.toLowerCase());
  const bare = (text) => text.replace(/[^\p{L}\p{N}]+/gu, ""); // so that GO:0006412 finds GO0006412
  const bareNames = lower.map(bare);
  function find() {
    state.query = search.value.trim().toLowerCase();
    state.at = -1;
    state.hits = state.leads = null;
    state.found = [];
    report.textContent = "";
    if (state.query) {
      state.hits = new Uint8Array(n + 1);
      state.leads = new Uint8Array(n + 1);
      state.found = order.filter((v) => v !== ROOT && lower[v].includes(state.query));
      const simple = bare(state.query);
      if (!state.found.length && simple) state.found = order.filter((v) => v !== ROOT && bareNames[v].includes(simple));
      for (const v of state.found) { state.hits[v] = 1; for (let u = above[v]; u !== -1 && !state.leads[u]; u = above[u]) state.leads[u] = 1; }
      const exact = (v) => (lower[v] === state.query || data.short[v].toLowerCase() === state.query ? 0 : data.short[v].toLowerCase().includes(state.query) ? 1 : 2);
      state.found.sort((u, v) => exact(u) - exact(v)); // a label that is what was typed comes first
      const count = state.found.length;
      report.append(count ? `${whole(count)} ${count === 1 ? "label matches" : "labels match"}; Enter zooms to ${count === 1 ? "it" : "one after the other"}: ` : "No label has this in its name.");
      for (const v of state.found.slice(0, 6)) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "go";
        button.textContent = shortName(v);
        button.title = fullName(v);
        button.addEventListener("click", () => zoomTo(v));
        report.append(button);
      }
      if (count > 6) report.append("…");
    }
    draw();
  }
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && state.found.length) {
      event.preventDefault();
      state.at = (state.at + (event.shiftKey ? state.found.length - 1 : 1)) % state.found.length;
      zoomTo(state.found[state.at]);
    }
    if (event.key === "Escape") { search.value = ""; find(); }
  });

  /* ---------------------------------------------------------------- controls */

  function legend() {
    const box = byId("legend");
    box.textContent = "";
    const bySupport = state.colour === "support";
    const strip = document.createElement("span"), none = document.createElement("span");
    strip.className = "ramp";
    strip.style.background = `linear-gradient(to right, ${RAMP.map(css).join(",")})`;
    none.className = "hatch";
    box.append(bySupport ? "test rows: 0" : "F1: 0", strip, bySupport ? `${whole(mostRows)} (log scale)` : "1");
    if (!bySupport) box.append(none, "neither true nor predicted in any test row");
  }
  for (const input of document.querySelectorAll('#controls input[type="radio"]')) {
    input.addEventListener("change", () => {
      state[input.name] = input.value;
      svg.dataset.shape = state.shape;
      if (input.name === "shape") { measureRoom(); view = viewOf(state.focus); }
      legend();
      draw();
    });
  }
  for (const button of document.querySelectorAll("main .go[data-node]")) {
    button.addEventListener("click", () => {
      zoomTo(Number(button.dataset.node));
      byId("labels").scrollIntoView({ behavior: still.matches ? "auto" : "smooth" });
    });
  }
  let width = 0;
  new ResizeObserver(() => {
    const now = svg.parentElement.clientWidth;
    if (now === width) return;
    width = now;
    measureRoom();
    view = viewOf(state.focus);
    draw();
  }).observe(svg.parentElement);

  state.focus = ROOT;
  measureRoom();
  view = viewOf(ROOT);
  svg.dataset.shape = state.shape;
  crumbs();
  legend();
  showDetails(null);
  if (select) chooseMethod(Number(select.value)); else draw();
})();
