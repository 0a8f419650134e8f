import { $, chart, instances, list, number, start, text } from "./demo.js";

function draw(now) {
  const { moment } = now;
  list($("sentences"), now.sentences, text);
  const last = moment.second;
  text($("per-write"), last.writes ? (last.saved / last.writes).toFixed(1) : "–");
  text($("saved"), number(last.saved));
  text($("writes"), number(last.writes));
  const owned = moment.members.reduce((sum, it) => sum + it.partitions, 0);
  text($("waiting"), (owned < now.partitions ? "≥ " : "") + number(now.waiting)); // nobody knows of the others
  chart("sent", now.window.map(it => it.sent), number);
  chart("writes", now.window.map(it => it.writes), number);
  chart("per", now.window.map(it => it.writes ? it.saved / it.writes : 0), it => it.toFixed(1));
  $("frozen").hidden = !moment.frozen;
  if (moment.frozen) {
    text($("frozen-key"), moment.frozen.key);
    text($("frozen-skip"), moment.frozen.skip);
  }
  instances(moment.members, it =>
    `${it.partitions} partitions, ${number(it.records)} payments by ${number(it.rows)} writes in the last second`);
  if (moment.proof) proof(moment.proof, now.proof);
}

function proof(it, words) {
  text($("proof"), words);
  $("proof").className = "proof " + (it.different.length ? "bad" : "good");
  $("proof").hidden = false;
  $("accounts").hidden = false;
  [it.sent, it.rows, it.parked].forEach((account, i) => {
    const [payments, sum] = $("accounts").tBodies[0].rows[i].querySelectorAll("td");
    text(payments, number(account.payments));
    text(sum, (account.cents / 100).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }));
  });
}

start(draw, { "/compare": "Nothing is sent until all is saved …" });
