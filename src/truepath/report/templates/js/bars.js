/* A flat set of labels has no shape to draw: its labels as bars, the worst or the rarest first. */

let barsShown = 40;
function drawBars() {
  const bySupport = state.colour === "support", most = bySupport ? mostRows : 1;
  const value = (v) => (bySupport ? data.support[v] : numbers(v).f1);
  const wanted = state.query ? [...state.found] : order.filter((v) => v !== ROOT);
  wanted.sort((u, v) => (value(u) ?? 2 * most) - (value(v) ?? 2 * most) || u - v);
  const bars = wanted.slice(0, barsShown).map((v) => {
    const inner = el("i", { style: `width: ${(100 * (value(v) || 0) / most).toFixed(1)}%` });
    const act = () => { state.selected = v; showDetails(v); drawBars(); tell("label"); };
    return el("li", { class: v === state.selected ? "here" : "" },
      button(shortName(v), act, { class: "go", title: fullName(v), "data-node": String(v) }),
      el("span", { class: "bar" }, inner), el("span", { class: "n" }, shownNumber(v)));
  });
  const left = wanted.length - bars.length;
  const more = left > 0 ? button(`Show ${whole(Math.min(left, 200))} more of ${whole(left)}`, () => { barsShown += 200; drawBars(); }) : null;
  fill(byId("bars"), el("ol", {}, ...bars), more);
}
