"use strict";

// The page draws the state that /page/events sends whole after every change. All
// text goes in as text, never as markup.

const $ = (id) => document.getElementById(id);
const messages = $("messages");
const input = $("input");
const send = $("send");
const hint = $("hint");
const usualHint = [...hint.childNodes].map((node) => node.cloneNode(true));
const drawn = new Map(); // message id → {key, element}

// What the platform's clients show for an emoji type; others show their name.
const reactionNames = {
  OnIt: "在做了 On it",
  Typing: "正在输入 Typing",
  DONE: "完成 Done",
  OK: "好的 OK",
  Get: "收到 Got it",
  THUMBSUP: "赞 Thumbs up",
  CrossMark: "未完成 Not done",
};

const mouths = { CrossMark: "M5.5 11.5q2.5-2 5 0" };

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// face draws the emoji, since not every machine has a font with them.
function face(emoji) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const circle = document.createElementNS(ns, "circle");
  circle.setAttribute("class", "face");
  for (const [name, value] of [["cx", 8], ["cy", 8], ["r", 8]]) circle.setAttribute(name, value);
  const lines = document.createElementNS(ns, "path");
  lines.setAttribute("class", "ink");
  lines.setAttribute("d", "M5.5 5.6v1M10.5 5.6v1" + (mouths[emoji] || "M4.8 9.6q3.2 3.4 6.4 0"));
  svg.append(circle, lines);
  return svg;
}

function clock(ms) {
  const at = new Date(ms);
  const time = at.toLocaleTimeString("zh-CN", { hour: "2-digit", minute: "2-digit", hour12: false });
  const today = at.toDateString() === new Date().toDateString();
  return today ? time : `${at.getMonth() + 1}月${at.getDate()}日 ${time}`;
}

function draw(m) {
  const element = make("article", `message ${m.from}`);
  element.dataset.id = m.id;
  const body = make("div", "body");
  const bubble = make("div", "bubble");
  if (m.quote) bubble.append(make("div", "quote", `回复 Re ${m.quote.name}：${m.quote.text}`));
  bubble.append(make("div", "text", m.text));
  body.append(make("div", "meta", m.from === "user" ? clock(m.time) : `${m.name}  ${clock(m.time)}`), bubble);
  if (m.reactions) {
    const row = make("div", "reactions");
    for (const emoji of m.reactions) {
      const chip = make("span", "reaction");
      chip.dataset.emoji = emoji;
      chip.append(face(emoji), make("span", "", reactionNames[emoji] || emoji));
      row.append(chip);
    }
    body.append(row);
  }
  element.append(make("span", "avatar", [...m.name][0] || "?"), body);
  return element;
}

function atBottom() {
  return messages.scrollHeight - messages.scrollTop - messages.clientHeight < 80;
}

function toBottom() {
  messages.scrollTop = messages.scrollHeight;
}

function show(state) {
  const stay = atBottom();
  const present = new Set();
  let previous = null;
  for (const m of state.messages) {
    present.add(m.id);
    const key = JSON.stringify(m);
    const before = drawn.get(m.id);
    let element = before && before.element;
    if (!before || before.key !== key) {
      element = draw(m);
      if (before) before.element.replaceWith(element);
      drawn.set(m.id, { key, element });
    }
    const place = previous ? previous.nextSibling : messages.firstChild;
    if (place !== element) messages.insertBefore(element, place);
    previous = element;
  }
  for (const [id, { element }] of drawn) {
    if (!present.has(id)) {
      element.remove();
      drawn.delete(id);
    }
  }
  $("empty").hidden = state.messages.length > 0;
  $("title").textContent = document.title = state.title;
  $("avatar").textContent = [...state.title][0] || "?";
  if (state.connected > 0) {
    const several = state.connected > 1 ? ` (${state.connected})` : "";
    status("connected", `已接通${several} · Online${several}`);
  } else {
    status("waiting", "尚未接通，消息会保留 · Not online yet, messages are kept");
  }
  if (stay) toBottom();
}

function status(state, text) {
  $("status").dataset.state = state;
  $("status").textContent = text;
}

function tell(problem) {
  hint.classList.toggle("error", Boolean(problem));
  hint.replaceChildren(...(problem ? [problem] : usualHint.map((node) => node.cloneNode(true))));
}

function fit() {
  input.style.height = "auto";
  input.style.height = `${input.scrollHeight}px`;
  send.disabled = input.value.trim() === "";
}

async function say() {
  const text = input.value;
  if (text.trim() === "") return;
  input.value = "";
  fit();
  input.focus();
  toBottom();
  try {
    const answer = await fetch("/page/say", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ text }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    tell("");
  } catch {
    if (input.value === "") input.value = text; // nothing typed may be lost
    fit();
    tell("没有发出去，请再试一次。 Not sent, please try again.");
  }
}

input.addEventListener("input", fit);
// isComposing: Enter also picks a candidate of an input method.
const sends = (event) => event.key === "Enter" && !event.shiftKey && !event.isComposing;
input.addEventListener("keydown", (event) => {
  if (!sends(event)) return;
  event.preventDefault();
  say();
});
// Remote-controlled browsers send the key's character apart from the key.
input.addEventListener("keypress", (event) => {
  if (sends(event)) event.preventDefault();
});
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  say();
});

const events = new EventSource("/page/events");
events.onmessage = (event) => show(JSON.parse(event.data));
events.onerror = () => status("lost", "页面已断开，正在重试 · This page lost its server, trying again");
fit();
