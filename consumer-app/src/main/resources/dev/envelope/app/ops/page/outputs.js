// The card of outputs: what waits for Kafka, and what it refuses.

import { $, act, age, ask, counted, number, sure } from "/page/ask.js";
import { button, facts, h, is, paint, row } from "/page/render.js";

const LOOK_MILLIS = 5000;
let lookedAt = 0;

export function drawOutputs(outputs) {
  const isSeen = outputs.waiting > 0 || outputs.sent > 0 || outputs.refused > 0;
  $("outputs").hidden = !isSeen;
  $("outputs-link").hidden = !isSeen;
  paint($("outputs-figures"), facts([
    ["waiting", `${number(outputs.waiting)}, ${number(Math.round(outputs.waitingBytes / 1024))} KiB`],
    ["oldest", outputs.waiting ? age(outputs.oldestMillis) : "none"],
    ["sent", `${number(outputs.sent)} in ${counted(outputs.batches, "batch", "batches")}`],
    ["refused", counted(outputs.refused, "time", "times")],
    ["batches in doubt", number(outputs.doubtful)],
  ]));
  const words = (outputs.full ? "There is no room for more: keys whose handler may emit wait. " : "") + outputs.trouble;
  paint($("outputs-trouble"), words);
  $("outputs-trouble").hidden = !words;
  if (outputs.refused || outputs.trouble || !$("outputs-refused").hidden) look();
}

async function look() {
  if (Date.now() - lookedAt < LOOK_MILLIS) return;
  lookedAt = Date.now();
  try {
    const { refused } = await ask("GET", "/api/outputs?limit=20");
    const table = $("outputs-refused");
    table.hidden = refused.length === 0;
    paint(table.tBodies[0], refused.map((it, index) => row(table, `${it.position} ${index}`, [
      is(number(it.position), "n"), it.topic, is(it.key === null ? "none" : it.key, "key"), it.message, is(it.why, "error"),
      is(it.since.slice(0, 19).replace("T", " "), "time"), is(number(it.tries), "n"),
      index > 0 && refused[index - 1].position === it.position ? "" : h("span", {},
        button("Retry", () => decide("retry", it), { "aria-label": `Retry ${it.position}` }), " ",
        button("Drop …", () => drop(it), { class: "danger", "aria-label": `Drop ${it.position}` })),
    ])));
  } catch { /* looked at again */ }
}

async function decide(verb, output) {
  const words = { retry: "is sent with the next batch", drop: "was dropped" }[verb];
  await act("POST", `/api/outputs/${verb}?position=${output.position}`, it => `${counted(it.outputs, "output", "outputs")}: ${words}`);
  lookedAt = 0;
}

async function drop(output) {
  const words = `All that is refused at position ${output.position} is deleted and never sent to ${output.topic}. It can't be undone.`;
  if (await sure("Drop it?", words, "Drop it")) await decide("drop", output);
}
