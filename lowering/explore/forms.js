// The forms of the program: source, passes, IR and C, on tabs.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const seconds = (s) => (s >= 1 ? `${s.toFixed(2)} s` : `${(s * 1000).toFixed(1)} ms`);
const few = 3; // lines shown around a change
const most = 3000; // lines that open by themselves

let chosen = { node: null, places: new Set() };
const isFrom = (places) => places.some((place) => chosen.places.has(place));

// The functions after each pass: each has the numbers of its texts before and after.
const after = [];
for (const stage of data.stages) {
  const functions = new Map(after.at(-1));
  for (const [name, , text] of stage.changes) text < 0 ? functions.delete(name) : functions.set(name, text);
  after.push(functions);
}
const placesOfText = data.texts.map(() => null);
const placesIn = (text) =>
  (placesOfText[text] ??= new Set(data.texts[text].flatMap((line) => data.lines[line][1])));

// Lines of code

function line(text, mark, places, kind = "") {
  const element = make("span", { className: kind, textContent: text || " " });
  element.dataset.mark = mark;
  if (isFrom(places)) element.classList.add("from");
  return element;
}

function scrollTo(panel) {
  const first = panel.querySelector(".from");
  if (first) first.scrollIntoView({ block: "center", inline: "nearest" });
}

// Source

function showSource() {
  const lines = new Set([...chosen.places].map((place) => data.places[place][1]));
  const pre = make("pre");
  data.source.split("\n").forEach((text, i) => {
    const element = line(text, i + 1, []);
    if (lines.has(i + 1)) element.classList.add("from");
    pre.append(element);
  });
  byId("source").replaceChildren(pre);
  scrollTo(byId("source"));
}

// Passes

function showPasses() {
  const rows = data.stages.map((stage, i) => {
    const button = make("button", { textContent: stage.name, onclick: () => goToStage(i, true) });
    return row(button, stage.seconds, stage.ops, stage.lines, stage.functions,
      i ? stage.changes.length : "", i && !stage.changes.length);
  });
  const lines = data.c.pieces.reduce((sum, piece) => sum + piece[2].split("\n").length, 0);
  const c = make("button", { textContent: "C", onclick: () => showTab("c") });
  rows.push(row(c, data.c.seconds, "", lines, data.c.pieces.filter((piece) => piece[1]).length, "", false));
  const { compiler, seconds: time, size, missing } = data.c.compiler;
  const text = missing ? `C compiler: none; ${missing}` : `C compiler (${compiler}): ${size.toLocaleString("en")} bytes`;
  rows.push(row(make("span", { textContent: text }), time, "", "", "", "", Boolean(missing)));
  const memory = data.memory.map(([name, ...sizes]) =>
    make("tr", {}, make("td", { textContent: name }), ...sizes.map((each) => make("td", { className: "size", textContent: each }))));
  byId("passes").replaceChildren(
    table(["after", "time", "ops", "lines", "functions", "changed"], rows),
    make("h3", { textContent: "Memory of a call, in bytes" }),
    table(["function", "peak", "lower bound", "not counted"], memory));
}

function table(names, rows) {
  const head = names.map((name) => make("th", { textContent: name, scope: "col" }));
  return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}

const slowest = Math.max(data.c.seconds, data.c.compiler.seconds, ...data.stages.map((stage) => stage.seconds), 1e-9);
function row(button, time, ops, lines, functions, changed, isIdle) {
  const share = make("span", { className: "share" });
  share.style.width = `${(3.5 * time) / slowest}em`;
  const cells = [make("td", {}, button), make("td", {}, time ? seconds(time) : "", share)];
  for (const value of [ops, lines, functions, changed]) cells.push(make("td", { textContent: value.toLocaleString("en") }));
  return make("tr", { className: isIdle ? "idle" : "" }, ...cells);
}

// IR

function showIr() {
  const number = byId("stage").selectedIndex;
  const stage = data.stages[number];
  const whole = byId("whole").checked || number === 0;
  const alone = byId("mine").checked && chosen.node !== null;
  const changes = new Map(stage.changes.map(([name, old, now, parts]) => [name, { old, now, parts }]));
  const names = new Set([...(whole ? after[number].keys() : []), ...changes.keys()]);
  const found = [];
  let shown = 0;
  for (const name of names) {
    const { old, now, parts } = number && changes.get(name) || { old: -1, now: after[number].get(name), parts: [] };
    const isMine = [old, now].some((text) => text >= 0 && [...chosen.places].some((place) => placesIn(text).has(place)));
    if (alone && !isMine) continue;
    const what = !number || !changes.has(name) ? "" : old < 0 ? "new" : now < 0 ? "gone" : "changed";
    const length = Math.max(...[old, now].map((text) => (text < 0 ? 0 : data.texts[text].length)));
    const isOpen = shown + length <= most || (isMine && chosen.node !== null);
    if (isOpen) shown += length;
    found.push(lazy(name, what, isOpen, () => difference(old, now, parts, whole)));
  }
  if (!found.length) found.push(make("p", { textContent: alone ? "This pass changed nothing that comes from the chosen op." : "This pass changed nothing." }));
  byId("text").replaceChildren(...found);
  scrollTo(byId("text"));
}

function lazy(name, what, isOpen, content) {
  const details = make("details", {}, make("summary", {}, make("code", { textContent: name }), make("small", { textContent: what })));
  const fill = () => {
    if (details.open && details.children.length === 1) details.append(content());
  };
  details.addEventListener("toggle", fill);
  details.open = isOpen;
  fill();
  return details;
}

function difference(old, now, parts, whole) {
  const before = old < 0 ? [] : data.texts[old];
  const lines = now < 0 ? [] : data.texts[now];
  const found = [];
  const add = (id, mark, kind) => found.push([data.lines[id][0], mark, data.lines[id][1], kind]);
  let at = 0;
  for (const [from, to, start, end] of parts) {
    for (; at < start; at++) add(lines[at], "", "");
    for (let i = from; i < to; i++) add(before[i], "−", "removed");
    for (; at < end; at++) add(lines[at], "+", "added");
  }
  for (; at < lines.length; at++) add(lines[at], "", "");
  const near = new Array(found.length).fill(whole || !parts.length);
  found.forEach(([, mark], i) => { if (mark) near.fill(true, Math.max(0, i - few), i + few + 1); });
  const pre = make("pre");
  let gap = 0;
  const close = () => { if (gap) pre.append(line(`${gap} unchanged lines`, "⋮", [], "gap")); gap = 0; };
  found.forEach((each, i) => {
    if (!near[i] && !isFrom(each[2])) return void gap++;
    close();
    pre.append(line(...each));
  });
  close();
  return pre;
}

function goToStage(number, open) {
  byId("stage").selectedIndex = Math.min(Math.max(number, 0), data.stages.length - 1);
  byId("previous").disabled = byId("stage").selectedIndex === 0;
  byId("next").disabled = byId("stage").selectedIndex === data.stages.length - 1;
  if (open) showTab("ir");
  else showIr();
}

// C

const piecesOf = () => data.c.pieces.filter((piece) => isFrom(piece[3])).sort((a, b) => b[4] - a[4] || a[3].length - b[3].length);

function showC() {
  const mine = new Set(piecesOf());
  const called = new RegExp(`\\b(?:${[...mine].map((piece) => piece[0]).join("|") || "(?!)"})\\(`);
  const rest = data.c.pieces.filter((piece) => !mine.has(piece));
  const show = (piece, isOpen) => lazy(piece[0], piece[1] && `@${piece[1]}`, isOpen, () => {
    const pre = make("pre");
    piece[2].split("\n").forEach((text, i) => {
      const element = line(text, i + 1, []);
      if (mine.has(piece) && /^ /.test(text) && called.test(text)) element.classList.add("from");
      pre.append(element);
    });
    return pre;
  });
  const found = [...mine].map((piece, i) => show(piece, i < 5));
  if (chosen.node !== null && !mine.size) found.push(make("p", { textContent: "No function in C comes from the chosen op." }));
  let shown = 0;
  for (const piece of rest) {
    shown += piece[2].length / 40;
    found.push(show(piece, chosen.node === null && Boolean(piece[1]) && shown < most));
  }
  byId("c").replaceChildren(...found);
}

// Tabs

const tabs = [...document.querySelectorAll("[role=tab]")];
const shows = { source: showSource, passes: showPasses, ir: showIr, c: showC };
let tab = "source";

function showTab(name) {
  tab = name;
  for (const each of tabs) {
    const isShown = each.getAttribute("aria-controls") === name;
    each.setAttribute("aria-selected", isShown);
    each.tabIndex = isShown ? 0 : -1;
    byId(each.getAttribute("aria-controls")).hidden = !isShown;
  }
  if (name === "ir") goToStage(byId("stage").selectedIndex, false);
  else shows[name]();
}

for (const each of tabs) {
  each.onclick = () => showTab(each.getAttribute("aria-controls"));
  each.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(each) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  };
}
