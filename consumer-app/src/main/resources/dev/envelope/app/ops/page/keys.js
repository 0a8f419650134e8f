// What is known of a key, and holding it back.

import { $, act, age, ask, number } from "/page/ask.js";
import { showParked } from "/page/parked.js";
import { button, facts, h, render } from "/page/render.js";

export async function lookUp(key) {
  $("key").value = key;
  const parent = $("key-answer");
  try {
    render(parent, describe(await ask("GET", "/api/keys?key=" + encodeURIComponent(key))));
  } catch (error) {
    render(parent, h("p", { class: "none" }, error.message));
  }
  $("keys").scrollIntoView();
}

function describe(found) {
  if (!found.row && !found.now) return h("p", { class: "none" }, `${found.key} has no row, and nothing of it waits here`);
  const pairs = [["now", !found.now && found.row && found.row.parked ? "parked: what comes of it waits behind its parked messages" : found.now ? `${found.now.inWords}, for ${age(found.now.forMillis)}${found.now.trouble ? ", last with " + found.now.trouble : ""}` : "nothing of it is under way here"]];
  if (found.row) {
    pairs.push(["version", number(found.row.version)], ["updated", found.row.updatedAt], ["parked", number(found.row.parked)]);
    for (const mark of found.row.marks) pairs.push([`${mark.topic}-${mark.partition}`, `${found.row.parked ? "passed, but for what is parked," : "applied"} below ${number(mark.nextOffset)}`]);
  }
  for (const it of found.timers || []) pairs.push([`timer ${it.name}`, it.firedAt ? `was due ${it.dueAt}; its firing waits to be applied` : `due ${it.dueAt}`]);
  for (const it of found.asked || []) pairs.push([`${it.action} by ${it.by || "somebody"}`, `${it.at}: ${it.done ? it.answer : "not carried out yet"}`]);
  const parts = [h("h3", {}, found.key), h("dl", { class: "facts" }, facts(pairs))];
  if (found.row) {
    const state = found.row.deleted ? (found.row.parked ? "no state yet, or deleted" : "deleted") : typeof found.row.state === "string" ? found.row.state : JSON.stringify(found.row.state, null, 2);
    parts.push(h("pre", { tabindex: 0 }, state));
    if (found.row.parked) parts.push(button("Its parked messages", () => showParked(found.key)), " ");
  }
  parts.push(button(found.paused ? "Let it go on" : "Hold it back", () => hold(found.paused ? "resume" : "pause", found.key)));
  return parts;
}

async function hold(verb, key) {
  await act("POST", `/api/keys/${verb}?key=${encodeURIComponent(key)}`, () => `${verb}: ${key}`);
  lookUp(key);
}

$("key-form").addEventListener("submit", event => { event.preventDefault(); lookUp($("key").value); });
