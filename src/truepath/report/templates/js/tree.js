/* The hierarchy as it is drawn: one tree, in which node n is the root above all labels. */

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
const isFlat = tall[ROOT] <= 1;
const parentsOf = (v) => (above[v] === ROOT || above[v] === -1 ? [] : [above[v], ...(data.others[v] || [])]);
