import { heatStrip, lineChart, short } from "/page/charts.js";

const $ = id => document.getElementById(id);
const SAMPLE_SECONDS = 5;
const samples = [];
let token = sessionStorage.getItem("http.token") || "";

// --- asking

function headers() {
  return token ? { Authorization: "Bearer " + token } : {};
}

async function ask(method, path) {
  const answer = await fetch(path, { method, headers: headers() });
  const text = await answer.text();
  let json = null;
  try { json = JSON.parse(text); } catch { /* a sentence */ }
  if (!answer.ok && !(answer.status === 404 && json && json.key !== undefined)) {
    throw new Error((json && (json.detail || json.title)) || text.trim() || answer.statusText);
  }
  return json;
}

let sayTimer = 0;
function say(text) {
  $("said").textContent = text;
  $("said").hidden = false;
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => { $("said").hidden = true; }, 6000);
}

async function act(method, path, done) {
  try {
    const answer = await ask(method, path);
    say(done(answer));
    return answer;
  } catch (error) {
    say(error.message);
    return null;
  }
}

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
  $("trouble").textContent = why;
  $("trouble").hidden = false;
}

function badge(text, kind) {
  $("state").textContent = text;
  $("state").className = "badge " + kind;
}

// --- drawing

function number(value) {
  return Math.round(value).toLocaleString("en");
}

function age(millis) {
  if (millis < 10000) return (millis / 1000).toFixed(1) + " s";
  if (millis < 120000) return Math.round(millis / 1000) + " s";
  if (millis < 7200000) return Math.round(millis / 60000) + " min";
  return Math.round(millis / 3600000) + " h";
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function row(cells) {
  const line = document.createElement("tr");
  for (const cell of cells) {
    if (cell instanceof Node) {
      const td = document.createElement("td");
      td.append(cell);
      line.append(td);
    } else {
      line.append(element("td", cell.text ?? cell, cell.as));
    }
  }
  return line;
}

const n = value => ({ text: number(value), as: "n" });
const known = value => (value < 0 ? is("?", "n") : n(value));
const is = (text, as) => ({ text, as });

let pressed = null;
addEventListener("pointerdown", event => { pressed = event.target; });
for (const up of ["pointerup", "pointercancel", "contextmenu"]) addEventListener(up, () => setTimeout(() => { pressed = null; }));

let markedAt = 0;
document.addEventListener("selectionchange", () => { markedAt = Date.now(); });
const MARKED_MILLIS = 30000;

function isMarked(parent) {
  const marked = getSelection();
  return !marked.isCollapsed && Date.now() - markedAt < MARKED_MILLIS && marked.getRangeAt(0).intersectsNode(parent);
}

// Not under a finger that is down, nor while some of it is marked to be copied.
function fill(parent, children) {
  if (!(pressed && parent.contains(pressed)) && !isMarked(parent)) replace(parent, children);
}

// What had the focus has it again.
function replace(parent, children) {
  const had = parent.contains(document.activeElement) ? document.activeElement.dataset.name : undefined;
  parent.replaceChildren(...children);
  if (had === undefined) return;
  const again = [...parent.querySelectorAll("button")].find(it => it.dataset.name === had);
  if (again) again.focus({ preventScroll: true });
}

// The name is what it is known by when it is drawn anew, under whatever text.
function button(text, action, className, name = text) {
  const made = element("button", text, className);
  made.type = "button";
  made.dataset.name = name;
  made.addEventListener("click", action);
  return made;
}

function draw(live) {
  const newest = samples.length ? samples.at(-1).at : 0;
  samples.push(...live.samples.filter(it => it.at > newest)); // a new stream begins with all of them
  while (samples.length > 180) samples.shift();
  const status = live.status;
  const last = samples[samples.length - 1];
  const frozen = status.frozen.keys ? `${number(status.frozen.keys)} frozen · ` : status.frozen.messages ? `${number(status.frozen.messages)} parked · ` : "";
  document.title = `${status.ready ? "" : "! "}${frozen}${status.application} · envelope`;
  if ($("frozen-words").textContent !== status.frozen.inWords) $("frozen-words").textContent = status.frozen.inWords;
  $("frozen").hidden = !status.frozen.inWords;
  $("application").textContent = status.application;
  $("identity").textContent = `${status.instance} · envelope ${status.version} · settings ${status.configFingerprint} · up ${age(status.uptimeSeconds * 1000)}`;
  badge(status.ready ? status.state.toLowerCase() : status.state === "RUNNING" ? "not ready" : status.state.toLowerCase(), status.ready ? "good" : "bad");
  $("state").title = status.notReadyBecause.join("; ");

  const perWrite = last && last.rows > 0 ? last.saved / last.rows : status.totals.recordsPerWrite;
  $("f-write").textContent = perWrite.toFixed(1);
  $("f-lag").textContent = number(status.lag);
  $("f-rate").textContent = last ? number(last.saved) : "–";
  $("f-oldest").textContent = age(status.oldestUnackedMillis);

  $("owner").textContent = status.instance;
  drawFlow(live, last);
  drawStuck(live.stuck);
  drawPartitions(status);
  if (live.samples.length || !$("chart-list").children.length) drawCharts();
  drawKeys(live);
  drawPool(status.pool);
  drawEvents(live.events);
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
  fill($("flow"), steps.map(([name, figure, words]) => {
    const li = document.createElement("li");
    li.append(element("span", name), element("b", figure), element("span", words));
    return li;
  }));
}

function stage(sample, name) {
  const seen = sample.stages[name];
  return seen.count ? `${short(seen.count / SAMPLE_SECONDS)}/s, ${times(sample, name)}` : "idle";
}

function times(sample, name) {
  const seen = sample.stages[name];
  return seen.count ? `${short(seen.p50)} ms, p99 ${short(seen.p99)} ms` : "idle";
}

function drawStuck(stuck) {
  $("findings").className = "findings" + (stuck.stuck ? " bad" : "");
  fill($("findings"), stuck.findings.map(text => element("li", text)));
  const rows = stuck.partitions.filter(it => it.hereForMillis > 2000 || it.trouble);
  $("holdups").hidden = rows.length === 0;
  fill($("holdups").tBodies[0], rows.slice(0, 20).map(it => row([
    `${it.topic}-${it.partition}`, n(it.offset),
    it.key === null ? is("no row", "none") : button(it.key, () => lookUp(it.key)),
    is(age(it.hereForMillis), "n"), `${it.inWords} (${age(it.forMillis)})`, n(it.failedAttempts),
    is(it.trouble, "error"), n(Math.max(0, it.messagesOfKey - 1)), n(Math.max(0, it.unackedInPartition - 1)),
  ])));
}

function drawPartitions(status) {
  fill($("partition-table").tBodies[0], status.partitions.map(it => {
    const name = `${it.topic}-${it.partition}`;
    const isPaused = it.pausedBecause === "an operator has paused it";
    return row([
      name, n(it.epoch), n(it.position), n(it.committed), known(it.end), known(it.lag), n(it.unacked),
      is(it.unacked ? age(it.oldestUnackedMillis) : "", "n"), heatStrip(samples, name),
      is(it.pausedBecause + (it.skipped ? ` (left out: ${it.skipped})` : ""), "error"),
      it.stopped ? "" : button(isPaused ? "Resume" : "Pause", () => turn(isPaused ? "resume" : "pause", name), "", name),
    ]);
  }));
}

const CHARTS = [
  ["saved and fetched a second", [it => it.saved, it => it.fetched], "/s", it => number(it.saved) + "/s"],
  ["lag", [it => it.lag], "", it => number(it.lag)],
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

function drawCharts() {
  const last = samples[samples.length - 1];
  $("chart-list").replaceChildren(...CHARTS.map(([title, lines, unit, figure]) => {
    const chart = element("figure", undefined, "chart");
    const caption = document.createElement("figcaption");
    caption.append(element("span", title), element("b", last ? figure(last) : "–"));
    chart.append(caption, lineChart(samples, lines, unit));
    return chart;
  }));
}

function drawKeys(live) {
  const most = Math.max(1, ...live.hottest.map(it => it.weight));
  fill($("hottest"), live.hottest.length ? live.hottest.map(it => {
    const li = document.createElement("li");
    const bar = document.createElement("i");
    bar.style.width = (it.weight / most) * 100 + "%";
    li.append(bar, button(it.key, () => lookUp(it.key)), element("span", "≈ " + number(it.weight)));
    return li;
  }) : [element("li", "nothing came in the last minutes", "none")]);
  fill($("waiting"), live.waiting.length ? live.waiting.map(it => {
    const li = document.createElement("li");
    li.append(button(it.key, () => lookUp(it.key)), element("span", ` ${it.inWords}, for ${age(it.forMillis)}${it.trouble ? ": " + it.trouble : ""}`));
    return li;
  }) : [element("li", "no key waits for anything but a worker", "none")]);
}

function facts(list, pairs) {
  list.replaceChildren(...pairs.map(([name, value]) => {
    const pair = document.createElement("div");
    pair.append(element("dt", name), element("dd", value));
    return pair;
  }));
}

function kibibytes(value) {
  return number(Math.round(value / 1024));
}

function drawPool(pool) {
  facts($("pool-figures"), [
    ["size", number(pool.size)], ["busy", number(pool.busy)], ["turns", number(pool.turns)],
    ["restarts", number(pool.workersReplaced)], ["handlers interrupted", number(pool.handlerTimeouts)],
    ["stuck", number(pool.stuckWorkers)], ["folds left behind", number(pool.foldsLeftBehind)],
    ["forwarded", number(pool.forwarded)], ["unhandled", number(pool.unhandled)],
    ["mailboxes hold", `${number(pool.mailboxMessages)} messages, ${kibibytes(pool.mailboxHeldBytes)} of ${kibibytes(pool.mailboxBytes)} KiB`],
    ["each", pool.behavior],
  ]);
}

let changedAt = 0;

function drawEvents(events) {
  const changed = events.find(it => it.kind === "CHANGE");
  if (changed && changed.at !== changedAt) drawSettings(changed.at);
  fill($("events"), events.length ? events.slice(0, 60).map(it => {
    const li = element("li", undefined, it.kind);
    li.append(element("time", new Date(it.at).toLocaleTimeString("en-GB")), element("em", it.kind.toLowerCase()), element("span", it.text));
    return li;
  }) : [element("li", "nothing yet", "none")]);
}

// --- keys

async function lookUp(key) {
  $("key").value = key;
  const parent = $("key-answer");
  try {
    const found = await ask("GET", "/api/keys?key=" + encodeURIComponent(key));
    parent.replaceChildren(...describe(found));
  } catch (error) {
    parent.replaceChildren(element("p", error.message, "none"));
  }
  $("keys").scrollIntoView();
}

function describe(found) {
  if (!found.row && !found.now) return [element("p", `${found.key} has no row, and nothing of it waits here`, "none")];
  const parts = [element("h3", found.key)];
  const list = element("dl", undefined, "facts");
  const pairs = [["now", !found.now && found.row && found.row.parked ? "parked: what comes of it waits behind its parked messages" : found.now ? `${found.now.inWords}, for ${age(found.now.forMillis)}${found.now.trouble ? ", last with " + found.now.trouble : ""}` : "nothing of it is under way here"]];
  if (found.row) {
    pairs.push(["version", number(found.row.version)], ["updated", found.row.updatedAt], ["parked", number(found.row.parked)]);
    for (const mark of found.row.marks) pairs.push([`${mark.topic}-${mark.partition}`, `${found.row.parked ? "passed, but for what is parked," : "applied"} below ${number(mark.nextOffset)}`]);
  }
  for (const it of found.asked || []) pairs.push([`${it.action} by ${it.by || "somebody"}`, `${it.at}: ${it.done ? it.answer : "not carried out yet"}`]);
  facts(list, pairs);
  parts.push(list);
  if (found.row) {
    const state = found.row.deleted ? (found.row.parked ? "no state yet, or deleted" : "deleted") : typeof found.row.state === "string" ? found.row.state : JSON.stringify(found.row.state, null, 2);
    parts.push(element("pre", state));
    if (found.row.parked) parts.push(button("Its parked messages", () => showParked(found.key)));
  }
  parts.push(button(found.paused ? "Let it go on" : "Hold it back", () => hold(found.paused ? "resume" : "pause", found.key)));
  return parts;
}

async function hold(verb, key) {
  await act("POST", `/api/keys/${verb}?key=${encodeURIComponent(key)}`, () => `${verb}: ${key}`);
  lookUp(key);
}

// --- parked

const PARKED_KEYS = 50;
let parkedAfter = []; // where each page before this one ended
let parkedAsked = 0;

/** By itself it leaves alone what a person is at; asked for, it draws. */
async function drawParked(draw = replace) {
  const asked = ++parkedAsked;
  try {
    const reason = $("parked-reason").value;
    const after = parkedAfter.at(-1) || 0;
    const parked = await ask("GET", `/api/parked?limit=${PARKED_KEYS}&after=${after}` + (reason ? "&reason=" + encodeURIComponent(reason) : ""));
    if (asked !== parkedAsked) return; // somebody has asked for something else meanwhile
    const some = Object.entries(parked.reasons).map(([name, count]) => `${number(count)} ${name}`);
    const without = Object.entries(parked.withoutRow).map(([name, count]) => `${number(count)} without a row (${name})`);
    $("parked-summary").textContent = [...some, ...without].join(", ") || "none";
    drawReasons(Object.keys(parked.reasons), reason);
    $("parked-table").hidden = parked.keys.length === 0;
    draw($("parked-table").tBodies[0], parked.keys.map(it => row([
      button(it.key, () => showParked(it.key), "", "show: " + it.key), n(it.messages), it.first, it.reason, is(it.error, "error"), it.since.slice(0, 19).replace("T", " "), remedies(it.key),
    ])));
    $("parked-back").hidden = parkedAfter.length === 0;
    $("parked-on").hidden = !parked.more;
    $("parked-on").onclick = () => { parkedAfter.push(parked.keys.at(-1).position); drawParked(); };
    $("parked-without").hidden = without.length === 0;
  } catch (error) {
    $("parked-summary").textContent = error.message;
  }
}

function drawReasons(reasons, chosen) {
  const select = $("parked-reason");
  if (select === document.activeElement) return;
  const names = chosen && !reasons.includes(chosen) ? [...reasons, chosen] : reasons;
  select.replaceChildren(new Option("any reason", ""), ...names.map(it => new Option(it, it)));
  select.value = chosen;
}

function remedies(key) {
  const some = document.createElement("span");
  some.append(
    button("Redrive", () => remedy("redrive", key), "", "redrive: " + key), " ",
    button("Skip first", () => remedy("skip", key), "danger", "skip: " + key), " ",
    button("Drop all", () => remedy("drop", key), "danger", "drop: " + key));
  return some;
}

async function remedy(action, key) {
  const sure = action === "redrive" || confirm(`${action === "skip" ? "The first parked message" : "All parked messages"} of ${key} will never be applied. Go on?`);
  if (!sure) return;
  const asked = await act("POST", `/api/parked/${action}?key=${encodeURIComponent(key)}`, it => `request ${it.request} is written down`);
  if (asked) say(await answerTo(asked.request));
  drawParked();
}

/** What became of a request. It is carried out once the database answers, however long that takes. */
async function answerTo(request) {
  let trouble = "";
  for (let tries = 0; tries < 40; tries++) {
    await new Promise(resolve => setTimeout(resolve, 500));
    try {
      const answer = await ask("GET", "/api/parked/requests/" + request);
      if (answer.done) return answer.answer;
      trouble = "";
    } catch (error) {
      trouble = ": " + error.message;
    }
  }
  return `request ${request} waits still${trouble}`;
}

// Those of a key, or without one those that can't have a row; page by page.
async function showParked(key, after = 0) {
  const parent = $("parked-detail");
  try {
    const which = key === null ? "without-row=true" : "key=" + encodeURIComponent(key);
    const parked = await ask("GET", `/api/parked/messages?${which}&after=${after}`);
    const shown = parked.messages.flatMap(it => [
      element("p", `${it.place}, ${it.timestamp}: ${it.reason} after ${it.attempts} attempts: ${it.error}`),
      element("pre", [bytes(it.value), ...it.headers.map(header => `${header.name}: ${bytes(header.value)}`)].join("\n")),
      ...(key === null ? [button("Drop it", () => dropOne(it.position, after), "danger")] : []),
    ]);
    if (parked.more) shown.push(button("Further ones", () => showParked(key, parked.messages.at(-1).position)));
    parent.replaceChildren(element("h3", key ?? "without a row"), ...shown);
  } catch (error) {
    parent.replaceChildren(element("p", error.message, "none"));
  }
  $("parked").scrollIntoView();
}

async function dropOne(position, after) {
  if (!confirm("The message will never be applied. Go on?")) return;
  await act("POST", "/api/parked/drop?id=" + position, it => `dropped ${it.dropped}`);
  drawParked();
  showParked(null, after);
}

function bytes(value) {
  if (value === null) return "(none)";
  const text = value.text ?? "base64 " + value.base64;
  return value.whole ? text : `${text} … (${number(value.bytes)} bytes)`;
}

// --- what turns something

async function turn(verb, partition) {
  await act("POST", `/api/${verb}?partition=${encodeURIComponent(partition)}`, () => `${verb}: ${partition}`);
}

async function drawSettings(at = changedAt) {
  try {
    const config = await ask("GET", "/api/config");
    $("settings").tBodies[0].replaceChildren(...config.settings.map(it => row([is(it.name, "key"), is(it.value, "key"), it.origin])));
    changedAt = at;
  } catch { /* asked again with the token */ }
}

document.addEventListener("click", event => {
  const target = event.target;
  if (target.dataset.act) turn(target.dataset.act, target.dataset.partition);
  if (target.dataset.pool) act("POST", `/api/pool/${target.dataset.pool}?count=1`, it => `${it.size} workers`);
});
$("key-form").addEventListener("submit", event => { event.preventDefault(); lookUp($("key").value); });
$("parked-look").addEventListener("click", () => drawParked());
$("parked-back").addEventListener("click", () => { parkedAfter.pop(); drawParked(); });
$("parked-without").addEventListener("click", () => showParked(null));
$("parked-reason").addEventListener("change", () => { parkedAfter = []; $("parked-reason").blur(); drawParked(); });
$("token-form").addEventListener("submit", event => {
  event.preventDefault();
  token = $("token").value;
  sessionStorage.setItem("http.token", token);
  $("token").value = "";
  $("token").placeholder = "kept for this tab";
  again();
  drawSettings();
  drawParked();
});

listen();
drawParked();
drawSettings();
setInterval(() => { if (!document.hidden) drawParked(fill); }, 15000);
