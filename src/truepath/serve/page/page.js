"use strict";
// One row is asked about at a time. Whatever comes from the model is set as text, never as markup.
const by = id => document.getElementById(id);
const make = (tag, text, kind) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};
const MOST_FIELDS = 60;
const state = { base: "", version: "", model: null, row: null, threshold: null, coverage: null, asked: 0, opened: new Set(), found: null };
let token = ""; // kept by this page alone, as long as it is open

async function get(path, options = {}) {
  const headers = { ...options.headers, ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(path, { ...options, headers });
  if (answer.ok) return answer;
  const said = await answer.json();
  throw Object.assign(new Error([said.error, said.remedy].filter(Boolean).join(" ")), { status: answer.status });
}

async function call(path, body) {
  const headers = { "content-type": "application/json" };
  const answer = await get(path, body && { method: "POST", headers, body: JSON.stringify(body) });
  state.version = answer.headers.get("x-model-version") ?? "";
  return answer.json();
}

function say(text, refused) {
  by("status").textContent = text;
  by("status").className = refused ? "refused" : "";
}

function field(name, id, tag) {
  const part = make("div"), label = make("label", name), input = make(tag);
  label.htmlFor = input.id = id;
  if (tag === "input") input.type = "text";
  part.append(label, input);
  return part;
}

function makeForm(input) {
  const fields = by("fields");
  fields.replaceChildren();
  fields.className = "";
  if (input.kind === "texts") fields.append(field(input.columns[0] || "Text", "text", "textarea"));
  else if (input.kind === "columns" && input.columns.length <= MOST_FIELDS) {
    fields.className = "grid";
    input.columns.forEach((name, j) => fields.append(field(name, `column-${j}`, "textarea")));
  } else if (input.kind === "columns") fields.append(field("A row as JSON, an object by column", "json", "textarea"));
  else fields.append(field(`Numbers${input.n_features ? ` (${input.n_features})` : ""}, separated by commas; or index:number for those that are not 0`, "numbers", "textarea"));
}

function readRow(input) {
  if (by("text")) return { text: by("text").value };
  if (by("json")) return { row: JSON.parse(by("json").value || "{}") };
  if (by("numbers")) return { row: readNumbers(by("numbers").value.split(/[\s,;]+/).filter(Boolean)) };
  return { row: Object.fromEntries(input.columns.map((name, j) => [name, by(`column-${j}`).value || null])) };
}

// Numbers in their order, or some of them as index:number
function readNumbers(cells) {
  if (!cells.some(cell => cell.includes(":"))) return cells.map(Number);
  return Object.fromEntries(cells.map(cell => cell.split(":")).map(([place, value]) => [place, Number(value)]));
}

// The row that the server gives as an example, written into the form
function fillExample({ text, row }) {
  if (by("text")) by("text").value = text;
  else if (by("json")) by("json").value = JSON.stringify(row, null, 1);
  else if (by("numbers")) by("numbers").value = Array.isArray(row) ? row.join(", ") : Object.entries(row).map(cell => cell.join(":")).join(", ");
  else state.model.input.columns.forEach((name, j) => (by(`column-${j}`).value = row[name] ?? ""));
}

async function ask() {
  const mine = ++state.asked;
  const request = { ...state.row, n_others: 12, n_causes: 6 };
  if (state.threshold !== null) request.threshold = state.threshold;
  if (state.coverage !== null) request.coverage = state.coverage;
  try {
    const found = await call(`${state.base}explain`, request);
    if (mine !== state.asked) return; // a later one is under way
    if (state.version !== state.model.version) await describe(); // the model was replaced
    show(found);
    const n = found.labels.length;
    say(n === 1 ? "1 most specific label." : `${n} most specific labels.`);
  } catch (problem) {
    if (mine === state.asked) say(problem.message, true);
  }
}

function show(found) {
  const titles = new Map(found.nodes.map(node => [node.name, node.title]));
  const named = name => (titles.get(name) ? `${name} ${titles.get(name)}` : name);
  by("labels").replaceChildren(...found.labels.map(name => make("li", named(name))));
  if (!found.labels.length) by("labels").append(make("li", "no label", "none"));
  state.found = found;
  arrange();
  showDials(found);
  by("picture").dataset.labels = JSON.stringify(found.labels);
  if (by("picture").open) draw();
  by("found").hidden = false;
}

// The labels as a tree, or one below the other with the highest score first
function arrange() {
  const found = state.found, byScore = by("order").value === "score";
  const inside = new Set(byScore ? [] : found.nodes.map(node => node.name));
  const top = found.nodes.filter(node => !node.parents.some(parent => inside.has(parent)));
  if (byScore) top.sort((one, other) => other.score - one.score);
  by("tree").replaceChildren(...top.map(node => branch(node, null, found, inside)));
}

// A label with several parents hangs from the first that is shown; the others are named.
function branch(node, parent, found, inside) {
  const item = make("li"), part = make("details"), head = make("summary"), row = make("span", undefined, "node");
  row.classList.toggle("is-in", node.predicted);
  const name = make("span", (parent ? node.short : node.name) + (node.title ? ` ${node.title}` : ""), "name");
  row.append(name, bar(node), make("span", node.score.toFixed(3), "value"));
  head.append(row);
  part.append(head, reasons(node, found, inside));
  part.open = state.opened.has(node.name);
  part.addEventListener("toggle", () => state.opened[part.open ? "add" : "delete"](node.name));
  item.append(part);
  const below = found.nodes.filter(other => other.parents.find(one => inside.has(one)) === node.name);
  if (below.length) {
    const list = make("ul");
    list.append(...below.map(child => branch(child, node, found, inside)));
    item.append(list);
  }
  return item;
}

function bar(node) {
  const made = make("span", undefined, "bar"), fill = make("i");
  made.setAttribute("aria-hidden", "true");
  fill.style.width = `${100 * Math.min(1, Math.max(0, node.score))}%`;
  made.append(fill);
  if (node.threshold !== null && node.threshold >= 0 && node.threshold <= 1) {
    const mark = make("b");
    mark.style.left = `calc(${100 * node.threshold}% - 1px)`;
    made.append(mark);
  }
  return made;
}

function reasons(node, found, inside) {
  const made = make("div", undefined, "reasons");
  const cut = node.threshold === null ? "" : ` The threshold is ${node.threshold.toFixed(3)}.`;
  made.append(make("div", `${node.predicted ? "Predicted" : "Not predicted"}: score ${node.score.toFixed(3)}.${cut}`));
  const others = node.parents.filter(name => name !== node.parents.find(one => inside.has(one)));
  if (others.length && inside.size) made.append(make("div", `Also below ${others.join(", ")}.`));
  const causes = Object.entries(node.causes);
  if (!causes.length) return made;
  const list = make("dl");
  for (const [cause, value] of causes)
    list.append(make("dt", cause), make("dd", (value > 0 ? "+" : "−") + Math.abs(value).toFixed(3), value < 0 ? "against" : ""));
  made.append(make("div", `What mattered most (${found.method}):`), list);
  return made;
}

function showDials(found) {
  const shared = [...new Set(found.nodes.map(node => node.threshold))];
  const value = state.threshold ?? (shared.length === 1 ? shared[0] : null);
  if (value !== null && document.activeElement !== by("threshold")) by("threshold").value = value;
  by("threshold-value").textContent = value !== null ? value.toFixed(3) : `by ${found.decoder}`;
  const coverage = state.coverage ?? state.model.coverage;
  for (const id of ["coverage", "coverage-value"])
    if (coverage !== null && document.activeElement !== by(id)) by(id).value = coverage;
}

async function draw() {
  const labels = JSON.parse(by("picture").dataset.labels || "[]").slice(0, 20);
  if (!labels.length) return by("drawing").replaceChildren(make("p", "There is no label to draw."));
  const query = new URLSearchParams([["format", "svg"], ...labels.map(name => ["labels", name])]);
  const picture = make("img");
  picture.alt = `The labels ${labels.join(", ")} with their ancestors`;
  try {
    const svg = await (await get(`${state.base}hierarchy?${query}`)).text();
    picture.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  } catch (problem) {
    return by("drawing").replaceChildren(make("p", problem.message));
  }
  by("drawing").replaceChildren(picture);
}

let timer = 0;
function soon() {
  clearTimeout(timer);
  timer = setTimeout(ask, 60);
}

// What the chosen model is called, and the form for its rows: a new one only if it takes other rows than before
async function describe() {
  const before = state.model, model = (state.model = await call(state.base ? state.base.slice(0, -1) : "model"));
  by("title").textContent = document.title = model.name;
  const from = model.fitted_on.name ? `, learned from ${model.fitted_on.name}` : "";
  by("about").textContent =
    `${model.labels.toLocaleString("en")} labels on ${model.levels} level${model.levels === 1 ? "" : "s"}` +
    `${from}, decided by ${model.decoder}.`;
  const taken = ({ name, input }) => JSON.stringify([name, input.kind, input.columns, input.n_features]);
  if (!before || taken(before) !== taken(model)) makeForm(model.input);
  by("coverage-part").hidden = !model.has_coverage;
  by("labels-link").href = `${state.base}hierarchy`;
}

async function choose() {
  state.base = `${by("model").value}/`;
  ++state.asked; // what is under way is about another model
  state.threshold = state.coverage = state.found = null;
  state.opened.clear();
  by("found").hidden = true;
  say("");
  await describe();
}

async function start() {
  const { models } = await call("models");
  by("model").replaceChildren(...models.map(({ name, address }) => Object.assign(make("option", name), { value: address.slice(1) })));
  by("choice").hidden = models.length < 2;
  await describe();
  by("enter").hidden = true;
  say("");
  by("ask").hidden = false;
  by("model").addEventListener("change", () => choose().catch(fail));
  by("ask").addEventListener("submit", event => {
    event.preventDefault();
    try {
      state.row = readRow(state.model.input);
    } catch (problem) {
      return say(`This is not JSON: ${problem.message}`, true);
    }
    say("Asking …");
    ask();
  });
  by("ask").addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) by("ask").requestSubmit();
  });
  by("threshold").addEventListener("input", () => {
    state.threshold = Number(by("threshold").value);
    state.coverage = null;
    by("threshold-value").textContent = state.threshold.toFixed(3);
    soon();
  });
  for (const id of ["coverage", "coverage-value"])
    by(id).addEventListener("input", () => {
      if (!by(id).value) return;
      state.coverage = Number(by(id).value);
      state.threshold = null;
      soon();
    });
  by("order").addEventListener("change", arrange);
  by("example").addEventListener("click", () => fillExample(state.model.input.example));
  by("own").addEventListener("click", () => {
    state.threshold = state.coverage = null;
    soon();
  });
  by("picture").addEventListener("toggle", () => by("picture").open && draw());
}

function fail(problem) {
  const wantsToken = problem.status === 401;
  by("enter").hidden = !wantsToken;
  by("about").hidden = wantsToken;
  say(wantsToken && !token ? "" : problem.message, true);
}

by("enter").addEventListener("submit", event => {
  event.preventDefault();
  token = by("token").value.trim();
  by("about").hidden = false;
  start().catch(fail);
});
start().catch(fail);
