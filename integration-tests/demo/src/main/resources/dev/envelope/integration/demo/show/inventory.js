import { $, chart, instances, list, number, start, text } from "./demo.js";

function draw(now) {
  const { count, items, wrong } = now.audit;
  list($("sentences"), now.sentences, text);
  text($("available"), number(count.available));
  text($("reserved"), number(count.reserved));
  text($("sold"), number(count.sold));
  text($("rejected"), number(now.counts.rejected));
  text($("expired"), number(count.expired));
  text($("half"), number(now.counts.halfMillis));
  chart("orders", now.window.map(it => it.orders), number);
  chart("reserved", now.window.map(it => it.reserved), number);
  chart("slow", now.window.map(it => it.slowMillis), it => `${number(it)} ms`);
  rows($("items").tBodies[0], items, ({ item, count: it }) => [item, it.available, it.reserved, it.sold, it.expired]);
  text($("proof"), wrong.length ? `WRONG: ${wrong.join("; ")}`
    : `${number(count.records)} records, ${number(count.events)} events, ${number(count.answers)} answers and ${number(count.reads)} reads compared: all are right.`);
  $("proof").className = "proof " + (wrong.length ? "bad" : "good");
  $("proof").hidden = false;
  text($("repeated"), number(now.repeated));
  instances(now.members, it => `${it.partitions} partitions, ${number(it.records)} messages in the last second`);
}

function rows(body, values, cells) {
  while (body.rows.length > values.length) body.deleteRow(-1);
  while (body.rows.length < values.length) {
    const row = body.insertRow();
    for (let i = 0; i < 5; i++) row.insertCell().className = i ? "n" : "";
  }
  values.forEach((value, i) =>
    cells(value).forEach((cell, k) => text(body.rows[i].cells[k], k ? number(cell) : cell)));
}

start(draw, { "/prove": "Nothing is ordered until all reservations have ended …" });
