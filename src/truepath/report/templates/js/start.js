/* Everything is defined: draw the page. */

const select = byId("method");
const firstMethod = select ? Number(select.value) : 0;
const firstCompared = [data.methods.length > 1 ? (firstMethod === 0 ? 1 : 0) : 0, firstMethod];
[compared.first, compared.second] = firstCompared;
if (select) {
  document.body.classList.add("chosen");
  select.addEventListener("change", () => chooseMethod(Number(select.value)));
}
if (byId("depth")) byId("depth").addEventListener("change", () => chooseDepth(Number(byId("depth").value)));
document.body.classList.add("scripted");
for (const part of document.querySelectorAll(".script")) part.hidden = false;

isReading = true;
state.focus = ROOT;
measureRoom();
view = viewOf(ROOT);
svg.dataset.shape = state.shape;
crumbs();
legend();
chooseMethod(firstMethod);
if (byId("compare")) drawComparison();
isReading = false;
readAddress();
