// Draws what is wanted over what is there: nodes stay, and only what differs is changed. Drawing anew each second would
// leave thousands of nodes a minute to the garbage collection.

const SVG = "http://www.w3.org/2000/svg";

// What has a key stays itself wherever it moves to; "click" is what a click does, "width" a share in percent.
export function h(name, attributes = {}, ...children) {
  return { name, attributes, children };
}

export function render(parent, ...wanted) {
  const all = wanted.flat(Infinity).filter(it => it !== undefined && it !== null && it !== "");
  const keys = new Set(all.map(it => it.attributes && it.attributes.key));
  const kept = new Map();
  for (const it of [...parent.childNodes]) {
    if (it.key === undefined) continue;
    if (keys.has(it.key)) kept.set(it.key, it);
    else it.remove();
  }
  const focused = document.activeElement;
  let at = parent.firstChild;
  for (const want of all) {
    const node = take(want, at, kept, parent);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
    if (want.name) update(node, want);
    else if (node.data !== String(want)) node.data = want;
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
  if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
}

function take(want, at, kept, parent) {
  if (!want.name) return at && at.nodeType === Node.TEXT_NODE ? at : document.createTextNode("");
  const key = want.attributes.key;
  if (key !== undefined && kept.has(key)) {
    const node = kept.get(key);
    kept.delete(key);
    return node;
  }
  if (key === undefined && at && at.key === undefined && at.localName === want.name) return at;
  const isDrawing = want.name === "svg" || parent.namespaceURI === SVG;
  const made = isDrawing ? document.createElementNS(SVG, want.name) : document.createElement(want.name);
  made.key = key;
  return made;
}

function update(node, want) {
  const { key, click, width, ...attributes } = want.attributes;
  node.act = click;
  if (click && !node.onclick) node.onclick = () => node.act(); // one for all times
  if (width !== undefined) node.style.width = width + "%";
  for (const name of node.getAttributeNames()) {
    if (name !== "style" && attributes[name] === undefined) node.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
  }
  render(node, want.children);
}

let markedAt = 0;
document.addEventListener("selectionchange", () => { markedAt = Date.now(); });
const MARKED_MILLIS = 30000;

// The same, but for what somebody has marked to copy it.
export function paint(parent, ...wanted) {
  const marked = getSelection();
  const isMarked = !marked.isCollapsed && Date.now() - markedAt < MARKED_MILLIS && marked.getRangeAt(0).intersectsNode(parent);
  if (!isMarked) render(parent, ...wanted);
}

export function button(text, click, more = {}) {
  return h("button", { type: "button", click, ...more }, text);
}

// A row of a table; on a phone each cell says what it is, in the words of the head.
export function row(table, key, cells) {
  const heads = table.tHead.rows[0].cells;
  return h("tr", { key }, cells.map((cell, index) => {
    const { as, has } = cell && cell.has !== undefined ? cell : { has: cell };
    return h("td", { class: as, "data-label": heads[index].textContent }, has);
  }));
}

export const is = (has, as) => ({ has, as });

export function facts(pairs) {
  return pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
}
