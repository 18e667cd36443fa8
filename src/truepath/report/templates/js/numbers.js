/* What a method does with a label, in numbers. */

const written = (t) => (t === 0 ? "0" : String(Number(t.toPrecision(4))));
const inWords = (t) => (t === "inf" ? "never predicted" : t === "-inf" ? "always predicted" : written(t));

function numbers(v, k = state.method) {
  const method = data.methods[k], hits = method.hits[v], predicted = method.predicted[v], support = data.support[v];
  const threshold = Array.isArray(method.thresholds) ? method.thresholds[v] : method.thresholds;
  return {
    support, predicted, hits, threshold, missed: support - hits, alarms: predicted - hits,
    precision: ratio(hits, predicted), recall: ratio(hits, support), f1: ratio(2 * hits, support + predicted),
  };
}
