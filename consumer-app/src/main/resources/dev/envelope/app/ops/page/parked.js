// Parked messages: the keys that have some, the messages of one, and what is done with them, or with many.

import { $, act, ask, counted, number, say, sure } from "/page/ask.js";
import { button, h, is, paint, render, row } from "/page/render.js";

const PAGE_KEYS = 20;
let before = []; // where each page before this one ended
let asked = 0;

/** By itself it leaves alone what a person has marked; asked for, it draws. */
export async function drawParked(draw = render) {
  const mine = ++asked;
  try {
    const reason = $("parked-reason").value;
    const parked = await ask("GET", `/api/parked?limit=${PAGE_KEYS}&after=${before.at(-1) || 0}` + (reason ? "&reason=" + encodeURIComponent(reason) : ""));
    if (mine !== asked) return; // somebody has asked for something else meanwhile
    const some = Object.entries(parked.reasons).map(([name, count]) => `${number(count)} ${name}`);
    const without = Object.entries(parked.withoutRow).map(([name, count]) => `${number(count)} without a row (${name})`);
    $("parked-summary").textContent = [...some, ...without].join(", ") || "none";
    $("bulk").hidden = some.length === 0;
    const reasons = Object.keys(parked.reasons);
    render($("reasons"), reasons.map(it => h("option", { value: it })));
    if ($("parked-reason") !== document.activeElement) {
      render($("parked-reason"), h("option", { key: "", value: "" }, "any reason"), [...new Set([...reasons, ...(reason ? [reason] : [])])].map(it => h("option", { key: it, value: it }, it)));
    }
    const table = $("parked-table");
    const most = Math.max(1, ...parked.keys.map(it => it.messages));
    table.hidden = parked.keys.length === 0;
    draw(table.tBodies[0], parked.keys.map(it => row(table, it.key, [
      is(button(it.key, () => showParked(it.key), { class: "link", "data-name": "show: " + it.key }), "key"),
      is([h("i", { class: "bar", width: (it.messages / most) * 100 }), h("span", {}, number(it.messages))], "share"),
      it.first, it.reason, is(h("span", {}, it.error), "error"), is(it.since.slice(0, 19).replace("T", " "), "time"),
      button("Redrive, drop …", () => remedies(it), { "data-name": "act: " + it.key, "aria-label": "Redrive, drop … " + it.key }),
    ])));
    $("parked-back").hidden = before.length === 0;
    $("parked-on").hidden = !parked.more;
    $("parked-on").onclick = () => { before.push(parked.keys.at(-1).position); drawParked(); };
    $("parked-without").hidden = without.length === 0;
  } catch (error) {
    $("parked-summary").textContent = error.message;
  }
}

function remedies(parked) {
  const { key, messages } = parked;
  $("remedy-title").textContent = key;
  $("remedy-words").textContent = `${counted(messages, "message is", "messages are")} parked; the first, ${parked.first}, for ${parked.reason}${parked.error ? ": " + parked.error : ""}`;
  const act = action => () => { $("remedy").close(""); remedy(action, key, messages, parked.position); };
  render($("remedy-choices"),
    h("li", {}, button("Redrive", act("redrive"), { class: "main" }), h("span", {}, "Folds them in their order, and lets the key flow again. Nothing is lost.")),
    h("li", {}, button("Skip the first …", act("skip"), { class: "danger" }), h("span", {}, "Deletes the first, and redrives what came behind it.")),
    h("li", {}, button(`Drop ${messages === 1 ? "it" : "all " + number(messages)} …`, act("drop"), { class: "danger" }), h("span", {}, "Deletes them. The key flows again without them.")));
  $("remedy").showModal();
}

function words(action, messages, of) {
  const what = action === "skip" ? "The first parked message" : messages === 1 ? "The parked message" : `All ${number(messages)} parked messages`;
  return `${what} of ${of} ${action === "skip" || messages === 1 ? "is" : "are"} deleted and will never be applied. This can't be undone.`;
}

async function remedy(action, key, messages, first) {
  if (action !== "redrive" && !(await sure(action === "skip" ? "Skip the first?" : "Drop?", words(action, messages, "key " + key), action === "skip" ? "Delete the first" : "Delete " + counted(messages, "message", "messages")))) return;
  const done = await act("POST", `/api/parked/${action}?key=${encodeURIComponent(key)}${action === "skip" ? "&id=" + first : ""}`, it => `request ${it.request} is written down`);
  if (done) say(await answerTo(done.request));
  drawParked();
}

const wait = millis => new Promise(resolve => setTimeout(resolve, millis));

/** What became of a request. It is carried out once the database answers, however long that takes. */
async function answerTo(request) {
  let trouble = "";
  for (let tries = 0; tries < 40; tries++) {
    await wait(500);
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
export async function showParked(key, after = 0) {
  const parent = $("parked-detail");
  try {
    const which = key === null ? "without-row=true" : "key=" + encodeURIComponent(key);
    const parked = await ask("GET", `/api/parked/messages?${which}&after=${after}`);
    const shown = parked.messages.map(it => [
      h("p", {}, `${it.place}, ${it.timestamp}: ${it.reason} after ${counted(it.attempts, "attempt", "attempts")}: ${it.error}`),
      h("pre", { tabindex: 0 }, [bytes(it.value), ...it.headers.map(header => `${header.name}: ${bytes(header.value)}`)].join("\n")),
      key === null ? button("Drop it …", () => dropOne(it, after), { class: "danger" }) : null,
    ]);
    render(parent, h("h3", {}, key ?? "without a row"), shown,
      parked.more ? button("Further ones", () => showParked(key, parked.messages.at(-1).position)) : null);
  } catch (error) {
    render(parent, h("p", { class: "none" }, error.message));
  }
  parent.scrollIntoView({ block: "nearest" });
}

async function dropOne(message, after) {
  if (!(await sure("Drop?", words("drop", 1, message.place), "Delete 1 message"))) return;
  await act("POST", "/api/parked/drop?id=" + message.position, it => `dropped ${it.dropped}`);
  drawParked();
  showParked(null, after);
}

function bytes(value) {
  if (value === null) return "(none)";
  const text = value.text ?? "base64 " + value.base64;
  return value.whole ? text : `${text} … (${number(value.bytes)} bytes)`;
}

// --- many keys

function selection() {
  const which = new URLSearchParams();
  for (const name of ["why", "partition", "since", "until"]) {
    const value = $("bulk-" + name).value.trim();
    if (value) which.set(name, $("bulk-" + name).type === "datetime-local" ? new Date(value).toISOString() : value);
  }
  if (!which.size) which.set("all", "true");
  return which;
}

async function count() {
  const which = selection();
  const action = $("bulk-action").value;
  try {
    const found = await ask("GET", "/api/parked/selected?" + which);
    const title = { redrive: "Redrive", "skip-failing": "Redrive or skip all of", skip: "Skip the first of", drop: "Drop all of" }[action] + " " + counted(found.keys, "key", "keys");
    render($("bulk-found"),
      h("p", {}, `${counted(found.keys, "key", "keys")} with ${counted(found.messages, "parked message", "parked messages")}${found.more ? "; there may be more, which come next" : ""}${found.keys ? "; the first:" : ""}`),
      h("ul", {}, found.first.map(it => h("li", {}, h("b", {}, it.key), ` ${number(it.messages)} since ${it.since.slice(0, 19).replace("T", " ")}, ${it.first}: ${it.reason}${it.error ? ", " + it.error : ""}`))),
      found.keys ? button(title + (action === "redrive" ? "" : " …"), () => begin(action, title, found, which), { class: action === "redrive" ? "main" : "danger", id: "bulk-go" }) : null);
  } catch (error) {
    render($("bulk-found"), h("p", { class: "none" }, error.message));
  }
}

async function begin(action, title, found, which) {
  const of = counted(found.keys, "key", "keys");
  const deleted = action === "skip" ? counted(found.keys, "message", "messages") : counted(found.messages, "message", "messages");
  const [words, go] = action === "skip-failing"
    ? [`Each of the ${deleted} of ${of} that fails again is deleted and will never be applied. This can't be undone.`, "Delete those that fail"]
    : [`${deleted} of ${of} ${deleted.startsWith("1 ") ? "is" : "are"} deleted and will never be applied. This can't be undone.`, "Delete " + deleted];
  if (action !== "redrive" && !(await sure(title + "?", words, go))) return;
  const begun = await act("POST", `/api/parked/bulk?action=${action}&keys=${found.keys}&rate=${$("bulk-rate").value}&${which}`, () => title + ": begun");
  if (begun) {
    render($("bulk-found"));
    follow();
  }
}

let isFollowing = false;

// Until it has ended; one that somebody else has begun as well.
export async function follow() {
  if (isFollowing) return;
  isFollowing = true;
  try {
    for (let run = await ask("GET", "/api/parked/bulk"); ; run = await ask("GET", "/api/parked/bulk")) {
      drawRun(run);
      if (!run.running) break;
      await wait(500);
    }
  } catch (error) {
    say(error.message);
  }
  isFollowing = false;
  drawParked();
}

function drawRun(run) {
  $("bulk-run").hidden = run.keys === undefined;
  if (run.keys === undefined) return;
  if (run.running) $("bulk").open = true;
  $("bulk-progress").max = Math.max(1, run.keys);
  $("bulk-progress").value = run.done + run.notDone;
  $("bulk-words").textContent = `${run.action}: ${number(run.done)} of ${counted(run.keys, "key is", "keys are")} done${run.notDone ? `, ${number(run.notDone)} not` : ""}${run.end && run.end !== "ended" ? "; " + run.end : ""}`;
  $("bulk-stop").hidden = !run.running;
  render($("bulk-not-done"), run.first.map(it => h("li", {}, it)));
}

$("bulk-form").addEventListener("submit", event => { event.preventDefault(); count(); });
$("bulk-form").addEventListener("input", () => render($("bulk-found")));
$("bulk-stop").addEventListener("click", () => act("POST", "/api/parked/bulk/stop", () => "no more is asked for"));
$("parked-look").addEventListener("click", () => drawParked());
$("parked-back").addEventListener("click", () => { before.pop(); drawParked(); });
$("parked-without").addEventListener("click", () => showParked(null));
$("parked-reason").addEventListener("change", () => { before = []; $("parked-reason").blur(); drawParked(); });
setInterval(() => { if (!document.hidden) drawParked(paint); }, 15000);
