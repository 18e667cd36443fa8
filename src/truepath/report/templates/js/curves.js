/* What the scores give at each stored threshold: position g means that labels with a higher score than thresholds[g] are predicted. */

const curveTables = [];
const hasCurves = (k) => Boolean(data.methods[k].curves);

function curvesOf(k = state.method) {
  if (!hasCurves(k)) return null;
  if (curveTables[k]) return curveTables[k];
  const packed = data.methods[k].curves, size = packed.thresholds.length, tables = {};
  for (const name of ["true", "false", "near", "reached"]) {
    const table = unpackCounts(packed[name], n * size);
    for (let v = 0; v < n; v++) for (let g = size - 2; g >= 0; g--) table[v * size + g] += table[v * size + g + 1];
    tables[name] = table;
  }
  const place = (text) => Array.from(unpack(text), (p) => p - 1);
  curveTables[k] = {
    ...tables, size, thresholds: packed.thresholds, raised: packed.raised,
    used: packed.used ? place(packed.used) : null, bestF1: place(packed.best.f1)[0], bestHLoss: place(packed.best.h_loss)[0],
    each: place(packed.best_each.at), eachValue: packed.best_each.values,
  };
  return curveTables[k];
}

/* Thresholds in force: none below that of a parent, as labels come with their ancestors. */
function inForce(at) {
  const found = Int32Array.from(at);
  for (let v = 0; v < n; v++) for (const u of parentsOf(v)) if (found[u] > found[v]) found[v] = found[u];
  return found;
}

function countAt(curves, name, v, g) {
  if (g >= curves.size) return 0;
  if (g >= 0) return curves[name][v * curves.size + g];
  return name === "false" ? data.n_samples - data.support[v] : data.support[v];
}

/* Precision, recall, F1, labels per row and H-loss of some labels, each at its position. */
function measureAt(curves, nodes, at) {
  let hits = 0, alarms = 0, support = 0, charged = 0;
  for (const v of nodes) {
    const right = countAt(curves, "true", v, at[v]), wrong = countAt(curves, "false", v, at[v]), parents = parentsOf(v);
    hits += right; alarms += wrong; support += data.support[v];
    if (parents.length) charged += data.costs[v] * (countAt(curves, "reached", v, Math.max(...parents.map((u) => at[u]))) - right + (at[v] < 0 ? NaN : countAt(curves, "near", v, at[v])));
    else charged += data.costs[v] * (data.support[v] - right + wrong);
  }
  return {
    precision: ratio(hits, hits + alarms), recall: ratio(hits, support), f1: ratio(2 * hits, hits + alarms + support),
    perRow: (hits + alarms) / data.n_samples, hLoss: charged / data.n_samples,
  };
}

function measureLabels(nodes, k) {
  let hits = 0, predicted = 0, support = 0;
  for (const v of nodes) { hits += data.methods[k].hits[v]; predicted += data.methods[k].predicted[v]; support += data.support[v]; }
  return { precision: ratio(hits, predicted), recall: ratio(hits, support), f1: ratio(2 * hits, predicted + support), perRow: predicted / data.n_samples, hLoss: nodes.length === n ? data.methods[k].h_loss : null };
}
