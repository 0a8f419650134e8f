import { $, act, age, ask, counted, headers, keepToken, number } from "/page/ask.js";
import { clock, heatStrip, lineChart, nearest, short } from "/page/charts.js";
import { lookUp } from "/page/keys.js";
import { drawOutputs } from "/page/outputs.js";
import { drawParked, follow } from "/page/parked.js";
import { button, facts, h, is, paint, render, row } from "/page/render.js";

const SAMPLE_SECONDS = 5;
const samples = [];
const text = (id, words) => { if ($(id).textContent !== words) $(id).textContent = words; };

// --- the stream

let again = () => {};

async function listen() {
  for (let pause = 1000; ; pause = Math.min(pause * 2, 10000)) {
    try {
      const answer = await fetch("/api/live", { headers: headers() });
      if (answer.status === 401) throw new Error("This address shows nothing without http.token: enter it above.");
      if (!answer.ok) throw new Error((await answer.text()).trim());
      $("trouble").hidden = true;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ;) {
        const { done, value } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        for (const part of parts) {
          pause = 1000;
          draw(JSON.parse(part.slice("data: ".length)));
        }
      }
      offline("the process has ended");
    } catch (error) {
      offline(error.message);
    }
    await new Promise(resolve => {
      again = resolve;
      setTimeout(resolve, pause);
    });
  }
}

function offline(why) {
  badge("no answer", "bad");
  text("trouble", why);
  $("trouble").hidden = false;
}

function badge(words, kind) {
  text("state", words);
  $("state").className = "badge " + kind;
}

// --- drawing

function draw(live) {
  const newest = samples.length ? samples.at(-1).at : 0;
  samples.push(...live.samples.filter(it => it.at > newest)); // a new stream begins with all of them
  while (samples.length > 180) samples.shift();
  const status = live.status;
  const frozen = status.frozen.keys ? `${number(status.frozen.keys)} frozen · ` : status.frozen.messages ? `${number(status.frozen.messages)} parked · ` : "";
  document.title = `${status.ready ? "" : "! "}${frozen}${status.application} · envelope`;
  text("announced", document.title);
  text("frozen-words", status.frozen.inWords);
  $("frozen").hidden = !status.frozen.inWords;
  text("application", status.application);
  text("identity", `${status.instance} · envelope ${status.version} · settings ${status.configFingerprint} · up ${age(status.uptimeSeconds * 1000)}`);
  badge(status.ready ? status.state.toLowerCase() : status.state === "RUNNING" ? "not ready" : status.state.toLowerCase(), status.ready ? "good" : "bad");
  drawNow(live, samples.at(-1));
  drawStuck(live.stuck, live.status.frozen.inWords);
  const isWork = status.mode === "work"; // no rows, no database
  for (const id of ["parked", "parked-link", "write"]) $(id).hidden = isWork;
  text("f-rate-words", isWork ? "messages handled a second" : "messages saved a second");
  text("owner", status.instance);
  drawSlots(status.slots);
  drawPlaces(status.places);
  drawPartitions(status);
  if (live.samples.length || !$("chart-list").children.length) drawCharts();
  drawKeys(live);
  drawPool(status.pool);
  drawOutputs(status.outputs);
  drawEvents(live.events);
}

function brief(finding) {
  return finding.length > 300 ? finding.slice(0, 300) + " …" : finding;
}

function drawNow(live, last) {
  const { status, stuck } = live;
  const others = stuck.findings.filter(it => it !== status.frozen.inWords);
  paint($("health"), !status.ready ? "Not ready: " + status.notReadyBecause.join("; ")
    : !stuck.stuck ? "Healthy: " + others[0]
    : others.length ? brief(others[0]) + (others.length > 1 ? ` — and ${number(others.length - 1)} more below` : "")
    : "Nothing else is in the way: all other keys flow.");
  $("health").className = status.ready && !stuck.stuck ? "good" : status.ready ? "warn" : "bad";
  text("f-lag", status.lag === 0 ? "0 s" : live.behindMillis < 0 ? "?" : age(live.behindMillis));
  text("f-lag-words", live.behindMillis < 0 && status.lag ? `behind: ${counted(status.lag, "message", "messages")} that are not fetched` : `behind, ${counted(status.lag, "message", "messages")}`);
  const [, who, why] = live.pace.match(/^(.*) sets the pace: (.*)$/) || [];
  text("f-pace", who || (stuck.stuck ? "stuck" : "what comes"));
  text("f-pace-words", who ? "sets the pace: " + why : stuck.stuck ? "why is said below" : "sets the pace: it is done as it comes");
  const perWrite = last && last.rows > 0 ? last.saved / last.rows : status.totals.recordsPerWrite;
  text("f-write", perWrite.toFixed(1));
  text("f-rate", last ? number(last.saved) : "–");
  drawFlow(live, last);
}

function drawFlow(live, last) {
  const flow = live.flow;
  const steps = [
    ["fetched", last ? number(last.fetched) + "/s" : "–", number(live.status.totals.fetched) + " in all"],
    ["grouped", last ? number(last.rows) + "/s" : "–", "envelopes: one key, one row"],
    ["waiting", number(flow.waiting), "messages in mailboxes"],
    ["loading", number(flow.LOAD || 0), last ? stage(last, "load") : ""],
    ["folding", number(flow.FOLD || 0), last ? stage(last, "fold") : ""],
    ["saving", number(flow.SAVE || 0), last ? stage(last, "save") : ""],
    ["acked", last ? number(last.saved) + "/s" : "–", "messages whose row is durable"],
    ["committed", number(flow.uncommitted), "messages behind what was fetched"],
  ];
  paint($("flow"), steps.map(([name, figure, words]) => h("li", {}, h("span", {}, name), h("b", {}, figure), h("span", {}, words))));
}

function stage(sample, name) {
  const seen = sample.stages[name];
  return seen.count ? `${short(seen.count / SAMPLE_SECONDS)}/s, ${times(sample, name)}` : "idle";
}

function times(sample, name) {
  const seen = sample.stages[name];
  return seen.count ? `${short(seen.p50)} ms, p99 ${short(seen.p99)} ms` : "idle";
}

function drawStuck(stuck, frozen) {
  const others = stuck.findings.filter(it => it !== frozen); // which stands above
  $("findings").className = "findings " + (stuck.stuck && others.length ? "bad" : "good");
  paint($("findings"), (others.length ? others : ["nothing but the frozen keys"]).map(it => h("li", {}, it)));
  const rows = stuck.partitions.filter(it => it.hereForMillis > 2000 || it.trouble);
  const table = $("holdups");
  table.hidden = rows.length === 0;
  paint(table.tBodies[0], rows.slice(0, 20).map(it => row(table, `${it.topic}-${it.partition}`, [
    `${it.topic}-${it.partition}`, n(it.offset),
    it.key === null ? is("no row", "none") : link(it.key),
    is(age(it.hereForMillis), "n"), `${it.inWords} (${age(it.forMillis)})`, n(it.failedAttempts),
    is(it.trouble, "error"), n(Math.max(0, it.messagesOfKey - 1)), n(Math.max(0, it.unackedInPartition - 1)),
  ])));
}

const n = value => is(number(value), "n");
const known = value => (value < 0 ? is("?", "n") : n(value));
const link = key => button(key, () => lookUp(key), { class: "link", "data-name": key });

// Who reads which partitions, where no group divides them.
function drawSlots(slots) {
  $("slots").hidden = !slots;
  if (!slots) return;
  if (slots.trouble) {
    text("slots", `${number(slots.count)} slots: not known who holds them (${slots.trouble})`);
    return;
  }
  const held = slots.holders.map(it => `${it.slot} ${it.ours ? "this process" : it.instance || "a process that is not shown"}`);
  const free = slots.free.length ? [`${slots.free.join(", ")} nobody`] : [];
  text("slots", `${number(slots.count)} slots: ${[...held, ...free].join(" · ")}${slots.waiting.length ? " · waiting: " + slots.waiting.join(", ") : ""}${slots.change ? " · " + slots.change : ""}`);
}

// Where the rows are, if they are in more than one slot.
function drawPlaces(places) {
  $("places").hidden = !places;
  if (!places) return;
  const words = places.map(it => `${it.name} has slots ${it.slots.join(", ")}${it.away ? `, AWAY for ${number(it.awaySeconds)} s: ${it.away}` : ""}`);
  text("places", `Rows: ${words.join(" · ")}`);
}

function drawPartitions(status) {
  const table = $("partition-table");
  paint(table.tBodies[0], status.partitions.map(it => {
    const name = `${it.topic}-${it.partition}`;
    const isPaused = it.pausedBecause === "an operator has paused it";
    const verb = isPaused ? "Resume" : "Pause";
    // Rows of a table have numbers that mean nothing outside.
    const offset = it.topic.startsWith("table:") ? () => is("–", "n") : known;
    return row(table, name, [
      name, n(it.epoch), offset(it.position), offset(it.committed), offset(it.end), known(it.lag), n(it.unacked),
      is(it.unacked ? age(it.oldestUnackedMillis) : "", "n"), heatStrip(samples, name),
      is((it.stopped ? "stopped: " : "") + it.pausedBecause + (it.skipped ? ` (left out: ${it.skipped})` : ""), "error"),
      it.stopped ? "" : button(verb, () => turn(verb.toLowerCase(), name), { "aria-label": `${verb} ${name}` }),
    ]);
  }));
  paint($("partition-names"), status.partitions.map(it => h("option", { value: `${it.topic}-${it.partition}` })));
}

const CHARTS = [
  ["saved, and fetched, a second", [it => it.saved, it => it.fetched], "/s", it => `${number(it.saved)}, ${number(it.fetched)} /s`],
  ["lag, messages", [it => it.lag], "", it => number(it.lag)],
  ["messages per write", [it => (it.rows > 0 ? it.saved / it.rows : -1)], "", it => (it.rows > 0 ? (it.saved / it.rows).toFixed(1) : "–")],
  ["a turn: median, p99", [it => seen(it, "turn", "p50"), it => seen(it, "turn", "p99")], "ms", it => times(it, "turn")],
  ["save: median, p99", [it => seen(it, "save", "p50"), it => seen(it, "save", "p99")], "ms", it => times(it, "save")],
  ["fold: median, p99", [it => seen(it, "fold", "p50"), it => seen(it, "fold", "p99")], "ms", it => times(it, "fold")],
  ["load: median, p99", [it => seen(it, "load", "p50"), it => seen(it, "load", "p99")], "ms", it => times(it, "load")],
  ["rows at hand", [it => (it.cacheHits < 0 ? -1 : it.cacheHits * 100)], "%", it => (it.cacheHits < 0 ? "–" : (it.cacheHits * 100).toFixed(0) + " %")],
  ["duplicates left out a second", [it => it.duplicates], "/s", it => number(it.duplicates) + "/s"],
];

function seen(sample, name, which) {
  return sample.stages[name].count ? sample.stages[name][which] : -1;
}

let cursor = null; // the sample that is looked at; null: the last one

function drawCharts() {
  if (cursor && !samples.includes(cursor)) cursor = null;
  const shown = cursor || samples.at(-1);
  const at = $("at");
  at.max = Math.max(0, samples.length - 1);
  at.value = cursor ? samples.indexOf(cursor) : at.max;
  const words = cursor ? clock(cursor.at) : "now";
  at.setAttribute("aria-valuetext", words);
  text("at-words", words);
  render($("chart-list"), CHARTS.map(([title, lines, unit, figure]) =>
    h("figure", { class: "chart" },
      h("figcaption", {}, h("span", {}, title), h("b", {}, shown ? figure(shown) : "–")),
      lineChart(samples, lines, unit, cursor))));
}

function lookAt(sample) {
  if (cursor === sample) return;
  cursor = sample;
  drawCharts();
}

$("chart-list").addEventListener("pointermove", event => {
  const chart = event.target.closest("svg");
  if (!chart || !samples.length) return;
  const box = chart.getBoundingClientRect();
  lookAt(nearest(samples, (event.clientX - box.left) / box.width));
});
$("chart-list").addEventListener("pointerleave", () => lookAt(null));
$("at").addEventListener("input", () => lookAt(Number($("at").value) === samples.length - 1 ? null : samples[$("at").value]));

function drawKeys(live) {
  const most = Math.max(1, ...live.hottest.map(it => it.weight));
  paint($("hottest"), live.hottest.length
    ? live.hottest.map(it => h("li", { key: it.key }, h("i", { class: "bar", width: (it.weight / most) * 100 }), link(it.key), h("span", {}, "≈ " + number(it.weight))))
    : h("li", { class: "none" }, "nothing came in the last minutes"));
  paint($("waiting"), live.waiting.length
    ? live.waiting.map(it => h("li", { key: it.key }, link(it.key), h("span", {}, ` ${it.inWords}, for ${age(it.forMillis)}${it.trouble ? ": " + it.trouble : ""}`)))
    : h("li", { class: "none" }, "no key waits for anything but a worker"));
}

function kibibytes(value) {
  return number(Math.round(value / 1024));
}

function drawPool(pool) {
  paint($("pool-figures"), facts([
    ["size", number(pool.size)], ["busy", number(pool.busy)], ["turns", number(pool.turns)],
    ["restarts", number(pool.workersReplaced)], ["handlers interrupted", number(pool.handlerTimeouts)],
    ["stuck", number(pool.stuckWorkers)], ["folds left behind", number(pool.foldsLeftBehind)],
    ["forwarded", number(pool.forwarded)], ["unhandled", number(pool.unhandled)],
    ["mailboxes hold", `${number(pool.mailboxMessages)} messages, ${kibibytes(pool.mailboxHeldBytes)} of ${kibibytes(pool.mailboxBytes)} KiB`],
    ["each", pool.behavior], ...(pool.whySize ? [["why so many", pool.whySize]] : []),
  ]));
}

let changedAt = 0;

function drawEvents(events) {
  const changed = events.find(it => it.kind === "CHANGE");
  if (changed && changed.at !== changedAt) drawSettings(changed.at);
  paint($("events"), events.length
    ? events.slice(0, 60).map(it => h("li", { key: `${it.at} ${it.text}`, class: it.kind }, h("time", {}, clock(it.at)), h("em", {}, it.kind.toLowerCase()), h("span", {}, it.text)))
    : h("li", { class: "none" }, "nothing yet"));
}

// --- what turns something

async function turn(verb, partition) {
  await act("POST", `/api/${verb}?partition=${encodeURIComponent(partition)}`, () => `${partition === "all" ? "all partitions are" : partition + " is"} ${verb}d`);
}

async function drawSettings(at = changedAt) {
  try {
    const config = await ask("GET", "/api/config");
    const table = $("settings");
    render(table.tBodies[0], config.settings.map(it => row(table, it.name, [is(it.name, "key"), is(it.value, "key"), it.origin])));
    changedAt = at;
  } catch { /* asked again with the token */ }
}

document.addEventListener("click", event => {
  const target = event.target;
  if (target.dataset.act) turn(target.dataset.act, target.dataset.partition);
  if (target.dataset.pool) act("POST", `/api/pool/${target.dataset.pool}?count=1`, it => `${it.size} workers`);
});
$("token-form").addEventListener("submit", event => {
  event.preventDefault();
  keepToken($("token").value);
  $("token").value = "";
  $("token").placeholder = "kept for this tab";
  again();
  drawSettings();
  drawParked();
});

listen();
drawParked();
drawSettings();
follow();
