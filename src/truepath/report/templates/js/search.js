/* Finding labels by name. */

const lower = data.full.map((text) => text.toLowerCase());
const bare = (text) => text.replace(/[^\p{L}\p{N}]+/gu, ""); // so that GO:0006412 finds GO0006412
let bareNames = null;

/* The labels whose names have the text, one that is just that first. */
function matching(text) {
  const query = text.trim().toLowerCase();
  if (!query) return [];
  let found = order.filter((v) => v !== ROOT && lower[v].includes(query));
  const simple = bare(query);
  if (!found.length && simple) {
    bareNames = bareNames || lower.map(bare);
    found = order.filter((v) => v !== ROOT && bareNames[v].includes(simple));
  }
  const exact = (v) => (lower[v] === query || data.short[v].toLowerCase() === query ? 0 : data.short[v].toLowerCase().includes(query) ? 1 : 2);
  return found.sort((u, v) => exact(u) - exact(v));
}

const search = byId("search"), report = byId("found");
function find() {
  state.query = search.value.trim().toLowerCase();
  state.at = -1;
  state.hits = state.leads = null;
  state.found = matching(search.value);
  report.textContent = "";
  if (state.query) {
    state.hits = new Uint8Array(n + 1);
    state.leads = new Uint8Array(n + 1);
    for (const v of state.found) { state.hits[v] = 1; for (let u = above[v]; u !== -1 && !state.leads[u]; u = above[u]) state.leads[u] = 1; }
    const count = state.found.length;
    report.append(count ? `${whole(count)} ${count === 1 ? "label matches" : "labels match"}; Enter zooms to ${count === 1 ? "it" : "one after the other"}: ` : "No label has this in its name.");
    for (const v of state.found.slice(0, 6)) report.append(button(shortName(v), () => goTo(v), { class: "go", title: fullName(v) }));
    if (count > 6) report.append("…");
  }
  drawLabels();
}
search.addEventListener("input", find);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && state.found.length) {
    event.preventDefault();
    state.at = (state.at + (event.shiftKey ? state.found.length - 1 : 1)) % state.found.length;
    goTo(state.found[state.at]);
  }
  if (event.key === "Escape") { search.value = ""; find(); }
});

/* A field in which a label is found and chosen, for other parts of the page. */
function picker(input, list, pick) {
  const show = () => fill(list, ...matching(input.value).slice(0, 8).map((v) =>
    el("li", {}, button(fullName(v), () => { input.value = ""; fill(list); pick(v); }, { class: "go" }))));
  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { input.value = ""; show(); }
    if (event.key !== "Enter") return;
    event.preventDefault();
    const found = matching(input.value);
    if (found.length) { input.value = ""; fill(list); pick(found[0]); }
  });
}
