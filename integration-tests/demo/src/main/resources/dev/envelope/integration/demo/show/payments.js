const $ = id => document.getElementById(id);
const token = document.querySelector("meta[name=demo-token]").content;
const number = value => value.toLocaleString("en");
const text = (element, words) => { if (element.textContent !== words) element.textContent = words; };
const STATES = { WORKS: "works", STARTS: "starts", DEAD: "is dead" };

// --- drawing

function draw(now) {
  if (!now || !now.sentences.length) return;
  const { moment } = now;
  list($("sentences"), now.sentences, (item, sentence) => text(item, sentence));
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
  list($("instances"), moment.members, member);
  for (const it of moment.members) {
    document.querySelector(`[data-press="/kill/${it.number}"]`).disabled = it.state === "DEAD";
  }
  if (moment.proof) proof(moment.proof, now.proof);
}

function list(parent, values, fill) {
  while (parent.children.length > values.length) parent.lastChild.remove();
  while (parent.children.length < values.length) parent.append(document.createElement("li"));
  values.forEach((value, i) => fill(parent.children[i], value));
}

function member(item, it) {
  if (!item.firstElementChild) {
    item.append(document.createElement("b"), document.createElement("span"), document.createElement("a"));
  }
  const [name, share, link] = item.children;
  item.className = it.state;
  text(name, `Instance ${it.number} ${STATES[it.state]}`);
  text(share, `${it.partitions} partitions, ${number(it.records)} payments by ${number(it.rows)} writes in the last second`);
  text(link, it.state === "DEAD" ? "" : "its own page");
  link.href = it.url;
}

function chart(name, values, words) {
  const most = Math.max(...values, 0);
  text($("top-" + name), "most " + words(most));
  const path = values.map((value, i) => {
    const height = most ? value / most * 19 : 0;
    return `M${60 - values.length + i} 20h.85v${-height.toFixed(2)}h-.85z`;
  });
  let bars = $("c-" + name).firstElementChild;
  if (!bars) {
    bars = document.createElementNS("http://www.w3.org/2000/svg", "path");
    $("c-" + name).append(bars);
  }
  bars.setAttribute("d", path.join(""));
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

// --- asking

async function look() {
  for (;;) {
    try {
      draw(await (await fetch("/now")).json());
      $("trouble").hidden = true;
    } catch {
      text($("trouble"), "The demo does not answer: it has ended.");
      $("trouble").hidden = false;
    }
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
}

document.addEventListener("click", async event => {
  const path = event.target.dataset.press;
  if (!path) return;
  event.target.disabled = true;
  text($("said"), path === "/compare" ? "Nothing is sent until all is saved …" : "");
  try {
    const answer = await fetch(path, { method: "POST", headers: { "X-Demo-Token": token } });
    text($("said"), `${event.target.textContent}: ${(await answer.text()).trim()}`);
  } catch {
    text($("said"), "The demo does not answer.");
  }
  event.target.disabled = false;
});

look();
