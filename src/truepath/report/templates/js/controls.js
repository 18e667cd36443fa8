/* The picture's controls, and what is drawn when they change. */

function legend() {
  byId("legend").hidden = isFlat;
  const bySupport = state.colour === "support";
  const strip = el("span", { class: "ramp", style: `background: linear-gradient(to right, ${RAMP.map(css).join(",")})` });
  fill(byId("legend"), bySupport ? "test rows: 0" : "F1: 0", strip, bySupport ? `${whole(mostRows)} (log scale)` : "1");
  if (!bySupport) byId("legend").append(el("span", { class: "hatch" }), "neither true nor predicted in any test row");
}
function drawLabels() {
  if (isFlat) drawBars(); else draw();
}
/* Show a label, whatever the picture is. */
function goTo(v) {
  if (isFlat) { state.selected = v; drawBars(); showDetails(v); tell("label"); } else zoomTo(v);
}
for (const input of document.querySelectorAll('#controls input[type="radio"]')) {
  input.addEventListener("change", () => {
    state[input.name] = input.value;
    svg.dataset.shape = state.shape;
    if (input.name === "shape") { measureRoom(); view = viewOf(state.focus); }
    legend();
    drawLabels();
    tell("picture");
  });
}
const scrollTo = (id) => byId(id).scrollIntoView({ behavior: still.matches ? "auto" : "smooth" });
document.addEventListener("click", (event) => {
  const from = event.target.closest && event.target.closest("main .go[data-go]");
  if (from) { goTo(Number(from.dataset.go)); scrollTo("labels"); }
});
let width = 0;
new ResizeObserver(() => {
  const now = svg.parentElement.clientWidth;
  if (now === width) return;
  width = now;
  measureRoom();
  view = viewOf(state.focus);
  drawLabels();
}).observe(svg.parentElement);
when("method", () => { drawLabels(); showDetails(state.selected); });
when("depth", () => {
  if (isFlat) return;
  const inside = state.depth === 0 || level[state.focus] < state.depth;
  state.focus = inside ? state.focus : pathOf(state.focus)[state.depth - 1];
  view = viewOf(state.focus);
  crumbs();
  draw();
});
