// Small line charts and heat strips, as SVG.

const NS = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 90;
const TOP = 12;
const SPAN_MILLIS = 15 * 60 * 1000;

export function svg(name, attributes, ...children) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function short(number) {
  if (number >= 1e6) return (number / 1e6).toFixed(1) + " M";
  if (number >= 1e4) return (number / 1e3).toFixed(0) + " k";
  if (number >= 100 || Number.isInteger(number)) return Math.round(number).toString();
  return number.toFixed(number < 1 ? 2 : 1);
}

// lines: up to two functions from a sample to a number; negative means: not known.
export function lineChart(samples, lines, unit) {
  const end = samples.length ? samples[samples.length - 1].at : Date.now();
  const begin = end - SPAN_MILLIS;
  const known = lines.map(line => samples.map(it => [it.at, line(it)]).filter(it => it[1] >= 0));
  const most = Math.max(1e-9, ...known.flat().map(it => it[1]));
  const x = at => ((at - begin) / SPAN_MILLIS) * WIDTH;
  const y = value => HEIGHT - 2 - (value / most) * (HEIGHT - TOP - 2);
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  known.forEach((points, index) => {
    if (points.length < 2) return;
    const path = points.map((it, i) => `${i ? "L" : "M"}${x(it[0]).toFixed(1)} ${y(it[1]).toFixed(1)}`).join("");
    if (index === 0) {
      const area = `${path}L${x(points[points.length - 1][0]).toFixed(1)} ${HEIGHT}L${x(points[0][0]).toFixed(1)} ${HEIGHT}Z`;
      chart.append(svg("path", { d: area, class: "area" }));
    }
    chart.append(svg("path", { d: path, class: index ? "two" : "one", "vector-effect": "non-scaling-stroke" }));
  });
  chart.append(svg("text", { x: 2, y: 9 }, `${short(most)} ${unit}`));
  return chart;
}

// One cell per sample: how much of a partition was not yet durable.
export function heatStrip(samples, partition) {
  const end = samples.length ? samples[samples.length - 1].at : Date.now();
  const strip = svg("svg", { viewBox: "0 0 180 10", preserveAspectRatio: "none", class: "heat", role: "img", "aria-label": "lag over time" });
  for (const sample of samples) {
    const lag = sample.lags[partition];
    if (lag === undefined) continue;
    const x = 180 - (end - sample.at) / (SPAN_MILLIS / 180) - 1;
    strip.append(svg("rect", { x: x.toFixed(2), y: 0, width: 1.05, height: 10, class: "heat" + heat(lag) }));
  }
  return strip;
}

function heat(lag) {
  if (lag <= 0) return 1;
  return Math.min(5, 2 + Math.floor(Math.log10(lag) / 1.5));
}
