import { $, chart, instances, list, number, start, text } from "./demo.js";

function draw(now) {
  const { letters, repeats, refused, wrong } = now.books;
  list($("sentences"), now.sentences, text);
  text($("letters"), number(letters));
  text($("waiting"), number(now.waiting));
  text($("repeats"), number(repeats));
  text($("refused"), number(refused));
  chart("letters", now.window, number);
  text($("proof"), wrong.length ? `WRONG: ${wrong.join("; ")}`
    : `${number(letters)} letters so far, each person's in their order; ${number(repeats)} of them came again.`);
  $("proof").className = "proof " + (wrong.length ? "bad" : "good");
  $("proof").hidden = false;
  instances(now.members, it => `${it.partitions} partitions, ${number(it.records)} letters in the last second`);
}

start(draw, { "/prove": "Nothing is written until all letters are there …" });
