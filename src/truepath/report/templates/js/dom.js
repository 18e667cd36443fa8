/* Elements made from text alone: what data say is never read as markup. */

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

function el(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...content.filter((part) => part !== null && part !== undefined));
  return made;
}
const button = (text, act, attributes = {}) => el("button", { type: "button", onclick: act, ...attributes }, text);
const option = (value, text, chosen) => el("option", { value: String(value), selected: Boolean(chosen) }, text);

function fill(box, ...content) {
  box.textContent = "";
  box.append(...content.filter((part) => part !== null && part !== undefined));
}

const SVG = "http://www.w3.org/2000/svg";
function make(tag, attributes, parent) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (parent) parent.append(made);
  return made;
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const two = (x) => (x === null || x === undefined || Number.isNaN(x) ? "–" : x.toFixed(2).replace("-", "−"));
const three = (x) => (x === null || x === undefined || Number.isNaN(x) ? "–" : x.toFixed(3).replace("-", "−"));
function signed(x, digits = 3) {
  if (x === null || x === undefined) return "–";
  const text = Math.abs(x).toFixed(digits);
  return (Number(text) === 0 ? "" : x > 0 ? "+" : "−") + text;
}
const whole = (x) => x.toLocaleString("en-US");
const counted = (x, one, many = `${one}s`) => `${whole(x)} ${x === 1 ? one : many}`;
const ratio = (a, b) => (b > 0 ? a / b : null);
const still = window.matchMedia("(prefers-reduced-motion: reduce)");
