// Asks the process, with the token if there is one.

export const $ = id => document.getElementById(id);

let token = sessionStorage.getItem("http.token") || "";

export function keepToken(given) {
  token = given;
  sessionStorage.setItem("http.token", given);
}

export function headers() {
  return token ? { Authorization: "Bearer " + token } : {};
}

export async function ask(method, path) {
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
export function say(text) {
  $("said").textContent = text;
  $("said").hidden = false;
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => { $("said").hidden = true; }, 6000);
}

export async function act(method, path, done) {
  try {
    const answer = await ask(method, path);
    say(done(answer));
    return answer;
  } catch (error) {
    say(error.message);
    return null;
  }
}

// Asks a person first; the answer is whether to go on. The browser tells of a dialog's end a little later: the next question may
// be open by then, whose answer that is not.
let answer = () => {};
export function sure(title, words, yes) {
  const dialog = $("sure");
  answer(dialog.returnValue === "yes");
  $("sure-title").textContent = title;
  $("sure-words").textContent = words;
  $("sure-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise(resolve => { answer = resolve; });
}
$("sure").addEventListener("close", () => { if (!$("sure").open) answer($("sure").returnValue === "yes"); });
$("sure-yes").addEventListener("click", () => $("sure").close("yes"));
for (const no of document.querySelectorAll("dialog .no")) no.addEventListener("click", () => no.closest("dialog").close(""));

// --- words

export function number(value) {
  return Math.round(value).toLocaleString("en");
}

export function counted(value, one, more) {
  return `${number(value)} ${value === 1 ? one : more}`;
}

export function age(millis) {
  if (millis < 10000) return (millis / 1000).toFixed(1) + " s";
  if (millis < 120000) return Math.round(millis / 1000) + " s";
  if (millis < 7200000) return Math.round(millis / 60000) + " min";
  if (millis < 172800000) return Math.round(millis / 3600000) + " h";
  return Math.round(millis / 86400000) + " days";
}
