/* Colours: cividis, dark to bright; writing on them is black or white, whichever has more contrast. */

const RAMP = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"]
  .map((hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16)));
function ramp(t) {
  const place = Math.max(0, Math.min(1, t)) * (RAMP.length - 1), k = Math.min(Math.floor(place), RAMP.length - 2), rest = place - k;
  return RAMP[k].map((c, j) => Math.round(c + rest * (RAMP[k + 1][j] - c)));
}
const css = (rgb) => `rgb(${rgb.join(",")})`;
/* For the confusion table: the more rows, the further from the page's ground. */
const isDark = window.matchMedia("screen and (prefers-color-scheme: dark)");
function tint(t) {
  const [from, to] = isDark.matches ? [[38, 50, 66], [159, 208, 255]] : [[226, 236, 248], [10, 62, 122]];
  return from.map((c, k) => Math.round(c + Math.max(0, Math.min(1, t)) * (to[k] - c)));
}
function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 10 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const inkOn = (rgb) => (luminance(rgb) > 0.179 ? "#000" : "#fff");
const mostRows = Math.max(1, ...data.support);
const supportShade = (rows) => Math.log1p(rows) / Math.log1p(mostRows);
function shade(v) {
  if (v === ROOT) return null;
  if (state.colour === "support") return supportShade(data.support[v]);
  return numbers(v).f1;
}
const shownNumber = (v) => (v === ROOT ? "" : state.colour === "support" ? whole(data.support[v]) : two(numbers(v).f1));
