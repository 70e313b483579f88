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
  const head = ["after", "time", "ops", "lines", "functions", "changed"].map((name) => make("th", { textContent: name, scope: "col" }));
  byId("passes").replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
}

const slowest = Math.max(data.c.seconds, ...data.stages.map((stage) => stage.seconds), 1e-9);
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

const piecesOf = () => data.c.pieces.filter((piece) => isFrom(piece[3])).sort((a, b) => a[3].length - b[3].length);

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

// The graph

const moments = [...document.querySelectorAll(".moment")];
const nodes = [...document.querySelectorAll(".node")];
const placesOf = new Map(nodes.map((node) => [node, node.dataset.places.split(" ").filter(Boolean).map(Number)]));
const edgesOf = (node) => {
  const svg = node.ownerSVGElement;
  const number = node.dataset.node;
  return [...svg.querySelectorAll(`[data-from="${number}"], [data-to="${number}"]`)];
};

function choose(node) {
  for (const near of document.querySelectorAll(".near, .same")) near.classList.remove("near", "same");
  if (chosen.node) chosen.node.setAttribute("aria-pressed", false);
  chosen = { node, places: new Set(placesOf.get(node)) };
  node.setAttribute("aria-pressed", true);
  for (const edge of edgesOf(node)) edge.classList.add("near");
  for (const other of nodes) if (other !== node && isFrom(placesOf.get(other))) other.classList.add("same");
  focusable(node);
  describe(node);
  if (tab === "passes") showTab("source");
  else showTab(tab);
}

function describe(node) {
  const [label, type] = node.getAttribute("aria-label").split(" : ");
  const where = [...chosen.places].map((place) => data.places[place][0]).join(", ");
  const found = [make("div", {}, make("code", { textContent: label }), type ? ` : ${type}` : "")];
  found.push(make("div", {}, where ? `from ${where}` : "made by a pass: no place of the program is known for it"));
  let last = -1;
  after.forEach((functions, i) => {
    if ([...functions.values()].some((text) => [...chosen.places].some((place) => placesIn(text).has(place)))) last = i;
  });
  const c = make("div");
  const pieces = piecesOf();
  for (const piece of pieces.slice(0, 6)) c.append(make("button", { textContent: `${piece[0]}()`, onclick: () => showTab("c") }));
  if (pieces.length) c.prepend("in C: ");
  else if (chosen.places.size) c.append(last + 1 < data.stages.length ? `nothing of it is left after ${data.stages[last + 1].name}` : "no C function comes from it");
  byId("chosen").replaceChildren(...found, c);
}

function focusable(node) {
  for (const other of nodes) if (other.tabIndex === 0) other.tabIndex = -1;
  node.tabIndex = 0;
}

function neighbour(node, key) {
  const svg = node.ownerSVGElement;
  const other = (edge, end) => svg.querySelector(`[data-node="${edge.dataset[end]}"]`);
  const edges = edgesOf(node);
  const number = node.dataset.node;
  if (key === "ArrowDown") return edges.filter((edge) => edge.dataset.from === number).map((edge) => other(edge, "to"))[0];
  if (key === "ArrowUp") {
    const operands = edges.filter((edge) => edge.dataset.to === number).map((edge) => other(edge, "from"));
    return operands.find((operand) => !operand.classList.contains("input")) ?? operands[0];
  }
  const at = node.transform.baseVal[0].matrix;
  const ahead = key === "ArrowRight" ? 1 : -1;
  const inRow = [...svg.querySelectorAll(".node")].map((each) => [each, each.transform.baseVal[0].matrix])
    .filter(([, matrix]) => matrix.f === at.f && (matrix.e - at.e) * ahead > 0);
  return inRow.sort(([, a], [, b]) => (a.e - b.e) * ahead)[0]?.[0];
}

for (const node of nodes) node.onclick = () => { node.focus(); choose(node); };
byId("canvas").onkeydown = (event) => {
  const node = event.target.closest(".node");
  if (!node) return;
  if (event.key === "Enter" || event.key === " ") choose(node);
  else if (event.key.startsWith("Arrow")) {
    const next = neighbour(node, event.key);
    if (next) { focusable(next); next.focus(); next.scrollIntoView({ block: "nearest", inline: "nearest" }); }
  } else return;
  event.preventDefault();
};

function showMoment() {
  moments.forEach((moment, i) => { moment.hidden = i !== byId("moment").selectedIndex; });
  const shown = moments[byId("moment").selectedIndex];
  const same = chosen.node && [...shown.querySelectorAll(".node.same, .node[aria-pressed=true]")][0];
  const first = same ?? shown.querySelector(".node");
  if (first) { focusable(first); first.scrollIntoView({ block: same ? "center" : "nearest", inline: "center" }); }
}
byId("moment").onchange = showMoment;

let scale = 1;
function zoom(by) {
  scale = Math.min(Math.max(scale * by, 0.1), 4);
  for (const svg of document.querySelectorAll("svg")) {
    const { width, height } = svg.viewBox.baseVal;
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
  }
}
byId("larger").onclick = () => zoom(1.25);
byId("smaller").onclick = () => zoom(0.8);

byId("find").onkeydown = (event) => {
  if (event.key !== "Enter") return;
  const wanted = byId("find").value.toLowerCase();
  const here = [...moments[byId("moment").selectedIndex].querySelectorAll(".node")];
  const found = here.filter((node) => node.getAttribute("aria-label").toLowerCase().includes(wanted));
  const next = found[(found.indexOf(chosen.node) + 1) % found.length];
  byId("found").textContent = found.length ? `${found.indexOf(next) + 1} of ${found.length}` : "none";
  if (next) { choose(next); next.scrollIntoView({ block: "center", inline: "center" }); }
};

// Start

data.stages.forEach((stage, i) => byId("stage").append(make("option", {
  textContent: i && !stage.changes.length ? `${stage.name} (changed nothing)` : stage.name })));
byId("stage").onchange = () => goToStage(byId("stage").selectedIndex, false);
byId("previous").onclick = () => goToStage(byId("stage").selectedIndex - 1, false);
byId("next").onclick = () => goToStage(byId("stage").selectedIndex + 1, false);
byId("whole").onchange = byId("mine").onchange = showIr;
const total = data.stages.reduce((sum, stage) => sum + stage.seconds, data.c.seconds);
byId("summary").textContent = `${data.stages[0].ops.toLocaleString("en")} ops, ${data.stages.length - 1} passes, ` +
  `${seconds(total)} to C` + (data.c.weights ? `, ${data.c.weights.toLocaleString("en")} bytes of weights` : "");
byId("chosen").append(make("p", { textContent: "Choose an op: click it, or go to it with Tab and the arrow keys and press Enter." }));
showMoment();
showTab("source");
