/* One label's numbers beside the picture; counts lead to the rows behind them. */

function line(what, value, share, act) {
  const meter = share === undefined || share === null ? null
    : el("span", { class: "meter" }, el("i", { style: `width: ${(100 * share).toFixed(0)}%` }));
  const shown = act ? button(value, act, { class: "go" }) : value;
  return el("div", {}, el("dt", {}, what), el("dd", {}, meter, shown));
}
const rowsLine = (what, count, query) => line(what, whole(count), null, count && rows ? () => openRows(query) : null);

function showDetails(v) {
  const box = byId("details");
  if (v === null || v === ROOT) {
    fill(box,
      el("h3", {}, "All labels"),
      el("p", { class: "path" }, "Point at a label, or move to it with the keyboard, to see its numbers here."),
      el("dl", {}, line("labels", whole(n)), rowsLine("test rows", data.n_samples, { kind: "all" })));
    return;
  }
  const found = numbers(v), others = data.others[v];
  const list = el("dl", {},
    line("F1", two(found.f1), found.f1),
    line("precision", two(found.precision), found.precision),
    line("recall", two(found.recall), found.recall),
    rowsLine("support (test rows)", found.support, { label: v, kind: "true" }),
    line("predicted rows", whole(found.predicted)),
    rowsLine("of them right", found.hits, { label: v, kind: "right" }),
    rowsLine("false alarms", found.alarms, { label: v, kind: "alarm" }),
    rowsLine("missed", found.missed, { label: v, kind: "missed" }),
    data.train ? line("training rows", whole(data.train[v])) : null,
    found.threshold !== null && found.threshold !== undefined ? line("threshold", inWords(found.threshold)) : null,
    line("depth", String(data.depth[v])),
    below[v].length ? line("right below it", counted(below[v].length, "label")) : null,
    below[v].length ? line("leaves under it", whole(stop[v] - start[v])) : null);
  const path = shortName(v) === fullName(v) ? pathOf(above[v]).map(shortName).join(" › ") : fullName(v);
  fill(box,
    el("h3", {}, shortName(v)), el("p", { class: "path" }, path), list,
    others ? el("p", { class: "path" }, `Also below: ${others.map(fullName).join(", ")}`) : null,
    el("p", { class: "acts" },
      rows ? button("Its rows", () => openRows({ label: v, kind: "all" })) : null,
      hasCurves(state.method) ? button("Its threshold", () => chooseScope("label", v, true)) : null));
  if (data.methods.length > 1) {
    const each = data.methods.map((method, k) => line(method.name, two(numbers(v, k).f1), numbers(v, k).f1));
    box.append(el("p", { class: "path" }, "F1 of every method"), el("dl", {}, ...each));
  }
}
