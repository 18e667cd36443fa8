/* The rows that the page stores: their labels, scores, texts, and which of them a question asks for. */

const rows = data.rows && data.rows.n ? {
  n: data.rows.n,
  at: data.rows.at ? unpack(data.rows.at) : null,
  true: unpackRows(data.rows.true),
  methods: data.rows.methods.map(() => null),
} : null;
if (rows && rows.at) for (let i = 1; i < rows.n; i++) rows.at[i] += rows.at[i - 1];
const isSample = rows !== null && rows.at !== null;
const rowName = (i) => (data.rows.ids ? data.rows.ids[i] : `row ${rows.at ? rows.at[i] : i}`);

function rowsOf(k = state.method) {
  if (rows.methods[k]) return rows.methods[k];
  const packed = data.rows.methods[k];
  const made = { predicted: unpackRows(packed.predicted), others: packed.others ? unpackRows(packed.others) : null, scores: null, reasons: packed.reasons || null };
  if (packed.scores) {
    const bytes = bytesOf(packed.scores.shares), { low, high } = packed.scores, view16 = new DataView(bytes.buffer);
    made.scores = (k) => low + view16.getUint16(2 * k, true) / 65535 * (high - low);
    made.first = new Uint32Array(rows.n + 1); // where the scores of each row begin
    for (let i = 0; i < rows.n; i++) made.first[i + 1] = made.first[i] + shownIn(made, i).length;
  }
  rows.methods[k] = made;
  return made;
}

/* The labels of a row that have something to say: true, predicted, or among the best of the others; ascending. */
function shownIn(of, i) {
  const found = new Set(rows.true.row(i));
  for (const v of of.predicted.row(i)) found.add(v);
  if (of.others) for (const v of of.others.row(i)) found.add(v);
  return Uint32Array.from(found).sort();
}

function oneRow(i, k = state.method) {
  const of = rowsOf(k), isTrue = new Set(rows.true.row(i)), isPredicted = new Set(of.predicted.row(i)), scores = new Map();
  const shown = shownIn(of, i);
  if (of.scores) shown.forEach((v, j) => scores.set(v, of.scores(of.first[i] + j)));
  const both = [...isTrue].filter((v) => isPredicted.has(v)).length;
  return {
    i, isTrue, isPredicted, scores, right: both, missed: isTrue.size - both, alarms: isPredicted.size - both,
    f1: ratio(2 * both, isTrue.size + isPredicted.size) ?? 1, others: of.others ? [...of.others.row(i)] : [],
    reasons: new Map((of.reasons && of.reasons[i]) || []),
  };
}

/* Rows by label, made when first asked for. */
function byLabel(matrix) {
  if (matrix.byLabel) return matrix.byLabel;
  const lists = new Map();
  for (let i = 0; i < matrix.size; i++) for (const v of matrix.row(i)) { if (!lists.has(v)) lists.set(v, []); lists.get(v).push(i); }
  matrix.byLabel = (v) => lists.get(v) || [];
  return matrix.byLabel;
}

/* What a question about rows may ask for: true, right, missed and alarm are about one label, or about all that are counted. */
const KINDS = { all: "all", true: "true", right: "right", missed: "missed", alarm: "false alarms", confused: "confused with" };

function rowsFor(query, k = state.method) {
  const every = Array.from({ length: rows.n }, (_, i) => i), { label, kind } = query;
  if (query.sizes) return every.filter((i) => { const size = rows.true.row(i).length; return size >= query.sizes[0] && size <= query.sizes[1]; });
  if (query.cell) return rowsOfCell(query.cell);
  if (label === undefined || label === null) return every.filter((i) => asksForRow(i, kind, query.depth ?? state.depth, k));
  const hasTrue = byLabel(rows.true)(label), hasPredicted = byLabel(rowsOf(k).predicted)(label);
  const isTrue = new Set(hasTrue), isPredicted = new Set(hasPredicted);
  if (kind === "true") return hasTrue;
  if (kind === "right") return hasTrue.filter((i) => isPredicted.has(i));
  if (kind === "missed") return hasTrue.filter((i) => !isPredicted.has(i));
  if (kind === "alarm") return hasPredicted.filter((i) => !isTrue.has(i));
  if (kind === "confused") {
    const alarms = query.other === undefined || query.other === null ? null : new Set(rowsFor({ label: query.other, kind: "alarm" }, k));
    return hasTrue.filter((i) => !isPredicted.has(i) && (alarms ? alarms.has(i) : mistakenFor(i, label, k).length > 0));
  }
  return [...new Set([...hasTrue, ...hasPredicted])].sort((i, j) => i - j);
}

function asksForRow(i, kind, depth, k) {
  if (kind === "all") return true;
  const of = (d) => (v) => d === 0 || data.depth[v] === d;
  const isTrue = [...rows.true.row(i)].filter(of(depth)), isPredicted = [...rowsOf(k).predicted.row(i)].filter(of(depth));
  const both = new Set(isPredicted), right = isTrue.filter((v) => both.has(v)).length;
  if (kind === "true") return isTrue.length > 0;
  if (kind === "missed") return right < isTrue.length;
  if (kind === "alarm") return right < isPredicted.length;
  return right === isTrue.length && right === isPredicted.length;
}

/* The siblings predicted in place of a label that is missed. */
function mistakenFor(i, label, k = state.method) {
  const isTrue = new Set(rows.true.row(i));
  return [...rowsOf(k).predicted.row(i)].filter((v) => above[v] === above[label] && !isTrue.has(v));
}
