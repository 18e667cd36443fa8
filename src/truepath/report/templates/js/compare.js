/* Two methods on the same rows: what differs, and which labels got better or worse. */

const compared = { first: 0, second: 1 };

function pairOf(first, second) {
  const found = data.pairs.find((pair) => (pair.first === first && pair.second === second) || (pair.first === second && pair.second === first));
  if (!found) return null;
  const turned = found.first !== first, measures = found.measures[String(state.depth)] || {};
  const turn = ([value, low, high]) => (turned ? [value === null ? null : -value, high === null ? null : -high, low === null ? null : -low] : [value, low, high]);
  const repaired = unpack(found.repaired), broken = unpack(found.broken);
  return {
    measures: Object.fromEntries(Object.entries(measures).map(([name, values]) => [name, turn(values)])),
    repaired: turned ? broken : repaired, broken: turned ? repaired : broken,
  };
}

function whiskerOf([value, low, high], reach, better) {
  const chart = make("svg", { class: "chart", viewBox: "0 0 200 20", "aria-hidden": "true" }), x = (t) => 100 + 94 * t / reach;
  make("line", { x1: 100, x2: 100, y1: 2, y2: 18, class: "axis" }, chart);
  const kind = low * high > 0 ? ((value > 0) === better ? "m2" : "m1") : "m7";
  if (low !== null) make("line", { x1: x(low), x2: x(high), y1: 10, y2: 10, class: `whisker ${kind}` }, chart);
  make("circle", { cx: x(value), cy: 10, r: 4, class: `dot ${kind}` }, chart);
  return chart;
}

function drawComparison() {
  const { first, second } = compared, pair = pairOf(first, second);
  byId("first").value = String(first);
  byId("second").value = String(second);
  if (!pair) { fill(byId("differences"), el("caption", { class: "none" }, first === second ? "Choose two different methods." : "Too many methods to compare each pair.")); fill(byId("changed")); return; }
  const known = JSON.parse(byId("differences").dataset.metrics).filter(([name]) => pair.measures[name] && pair.measures[name][0] !== null);
  const reach = Math.max(0.001, ...known.flatMap(([name]) => pair.measures[name].map((x) => Math.abs(x || 0))));
  const lines = known.map(([name, label, better]) => {
    const [value, low, high] = pair.measures[name], isClear = low !== null && low * high > 0;
    const verdict = !isClear ? "no clear difference" : (value > 0) === better ? "better" : "worse";
    return el("tr", {}, el("th", { scope: "row" }, label), el("td", {}, el("b", {}, signed(value))), el("td", {}, `${signed(low)} to ${signed(high)}`),
      el("td", { class: "words" }, verdict), el("td", { class: "plot" }, whiskerOf(pair.measures[name], reach, better)));
  });
  const heads = ["measure", "difference", "95 % interval", "the second is", "0"].map((text, k) => el("th", { scope: "col", class: k === 3 ? "words" : k === 4 ? "plot middle" : "" }, text));
  fill(byId("differences"), el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...lines));
  drawChanged(pair);
}

/* The difference of the two methods' error rates on a label, with a paired 95 % interval. */
function change(pair, v) {
  const better = pair.repaired[v], worse = pair.broken[v], net = better - worse, N = data.n_samples;
  const half = 1.96 * Math.sqrt(Math.max(0, better + worse - net * net / N));
  return { v, better, worse, net, low: net - half, high: net + half };
}

function drawChanged(pair) {
  const all = Array.from({ length: n }, (_, v) => v).filter(isCounted).map((v) => change(pair, v)).filter((c) => c.net !== 0);
  const part = (title, list) => {
    const lines = list.map((c) => el("tr", {},
      el("th", { scope: "row" }, button(fullName(c.v), () => {}, { class: "go", "data-go": String(c.v) })),
      el("td", {}, two(numbers(c.v, compared.first).f1)), el("td", {}, two(numbers(c.v, compared.second).f1)),
      el("td", {}, whole(c.better)), el("td", {}, whole(c.worse)),
      el("td", {}, el("b", {}, signed(c.net, 0)), el("small", {}, `${signed(c.low, 0)} to ${signed(c.high, 0)}`))));
    const heads = ["label", "F1 first", "F1 second", "only the second right", "only the first right", "rows gained"];
    return el("div", {}, el("h3", {}, title), list.length ? el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title }, el("table", { class: "numbers tight" },
      el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)))), el("tbody", {}, ...lines))) : el("p", { class: "none" }, "None."));
  };
  const up = all.filter((c) => c.net > 0).sort((a, b) => b.net - a.net || a.v - b.v), down = all.filter((c) => c.net < 0).sort((a, b) => a.net - b.net || a.v - b.v);
  fill(byId("changed"), part(`${counted(up.length, "label")} got better`, up.slice(0, 8)), part(`${counted(down.length, "label")} got worse`, down.slice(0, 8)));
}

if (byId("compare")) {
  for (const name of ["first", "second"]) byId(name).addEventListener("change", () => { compared[name] = Number(byId(name).value); drawComparison(); tell("compare"); });
  when("depth", drawComparison);
}
