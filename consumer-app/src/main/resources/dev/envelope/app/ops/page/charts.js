// Small line charts and heat strips, as SVG. Both begin where the samples do.

import { h } from "/page/render.js";

const WIDTH = 300;
const HEIGHT = 80;
const EVERY_MILLIS = 5000;
const LEAST_MILLIS = 60000;

export function short(number) {
  if (number >= 1e6) return (number / 1e6).toFixed(1) + " M";
  if (number >= 1e4) return (number / 1e3).toFixed(0) + " k";
  if (number >= 100 || Number.isInteger(number)) return Math.round(number).toLocaleString("en");
  return number.toFixed(number < 1 ? 2 : 1);
}

export function clock(at) {
  return new Date(at).toLocaleTimeString("en-GB");
}

function span(samples) {
  const end = samples.length ? samples.at(-1).at : Date.now();
  return { begin: Math.min(samples.length ? samples[0].at : end, end - LEAST_MILLIS), end };
}

// The least of 1, 2, 5, 10, 20 … that nothing is above.
function ceiling(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].find(it => it * power >= value * 0.999999) * power;
}

export function nearest(samples, share) {
  const { begin, end } = span(samples);
  const at = begin + share * (end - begin);
  return samples.reduce((best, it) => (Math.abs(it.at - at) < Math.abs(best.at - at) ? it : best), samples[0]);
}

// lines: up to two functions from a sample to a number; negative means: not known.
export function lineChart(samples, lines, unit, cursor) {
  const { begin, end } = span(samples);
  const known = lines.map(line => samples.map(it => [it.at, line(it)]).filter(it => it[1] >= 0));
  const top = ceiling(Math.max(0, ...known.flat().map(it => it[1])));
  const x = at => (((at - begin) / (end - begin)) * WIDTH).toFixed(1);
  const y = value => (HEIGHT - (value / top) * HEIGHT).toFixed(1);
  const paths = known.flatMap((points, index) => {
    if (points.length < 2) return [];
    const path = points.map((it, i) => `${i ? "L" : "M"}${x(it[0])} ${y(it[1])}`).join("");
    const line = h("path", { d: path, class: index ? "two" : "one", "vector-effect": "non-scaling-stroke" });
    return index ? [line] : [h("path", { d: `${path}L${x(points.at(-1)[0])} ${HEIGHT}L${x(points[0][0])} ${HEIGHT}Z`, class: "area" }), line];
  });
  const mark = cursor ? [h("path", { d: `M${x(cursor.at)} 0V${HEIGHT}`, class: "cursor", "vector-effect": "non-scaling-stroke" })] : [];
  return [
    h("p", { class: "scale" }, `${short(top)}${unit && " "}${unit}`),
    h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" }, paths, mark),
    h("p", { class: "times" }, [begin, (begin + end) / 2, end].map(it => h("span", {}, clock(it)))),
  ];
}

// A cell for each sample: how much of a partition was not yet durable.
export function heatStrip(samples, partition) {
  const { begin, end } = span(samples);
  const width = 180 / ((end - begin) / EVERY_MILLIS + 1);
  const cells = ["", "", "", "", ""];
  let most = 0;
  for (const sample of samples) {
    const lag = sample.lags[partition];
    if (lag === undefined) continue;
    most = Math.max(most, lag);
    cells[heat(lag)] += `M${(((sample.at - begin) / EVERY_MILLIS) * width).toFixed(1)} 0h${width.toFixed(2)}v10h-${width.toFixed(2)}z`;
  }
  return h("svg", { viewBox: "0 0 180 10", preserveAspectRatio: "none", class: "heat", role: "img", "aria-label": `at most ${short(most)} since ${clock(begin)}` },
    cells.map((d, index) => h("path", { d, class: "heat" + (index + 1) })));
}

function heat(lag) {
  return lag <= 0 ? 0 : Math.min(4, 1 + Math.floor(Math.log10(lag) / 1.5));
}
