// What the pages of all demos do alike.

export const $ = id => document.getElementById(id);
export const number = value => value.toLocaleString("en");
export const text = (element, words) => { if (element.textContent !== words) element.textContent = words; };

const token = document.querySelector("meta[name=demo-token]").content;
const STATES = { WORKS: "works", STARTS: "starts", DEAD: "is dead" };

export function list(parent, values, fill) {
  while (parent.children.length > values.length) parent.lastChild.remove();
  while (parent.children.length < values.length) parent.append(document.createElement("li"));
  values.forEach((value, i) => fill(parent.children[i], value));
}

// The instances, and which of them can be killed; share says what one has done.
export function instances(members, share) {
  list($("instances"), members, (item, it) => {
    if (!item.firstElementChild) {
      item.append(document.createElement("b"), document.createElement("span"), document.createElement("a"));
    }
    const [name, words, link] = item.children;
    item.className = it.state;
    text(name, `Instance ${it.number} ${STATES[it.state]}`);
    text(words, share(it));
    text(link, it.state === "DEAD" ? "" : "its own page");
    link.href = it.url;
  });
  for (const it of members) {
    document.querySelector(`[data-press="/kill/${it.number}"]`).disabled = it.state === "DEAD";
  }
}

export function chart(name, values, words) {
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

// Draws once a second; patient says what a button that takes its time says meanwhile.
export function start(draw, patient) {
  document.addEventListener("click", async event => {
    const path = event.target.dataset.press;
    if (!path) return;
    event.target.disabled = true;
    text($("said"), patient[path] ?? "");
    try {
      const answer = await fetch(path, { method: "POST", headers: { "X-Demo-Token": token } });
      text($("said"), `${event.target.textContent}: ${(await answer.text()).trim()}`);
    } catch {
      text($("said"), "The demo does not answer.");
    }
    event.target.disabled = false;
  });
  look(draw);
}

async function look(draw) {
  for (;;) {
    try {
      const now = await (await fetch("/now")).json();
      if (now && now.sentences.length) draw(now);
      $("trouble").hidden = true;
    } catch {
      text($("trouble"), "The demo does not answer: it has ended.");
      $("trouble").hidden = false;
    }
    await new Promise(resolve => setTimeout(resolve, 1000));
  }
}
