// The graph: choosing an op, going from one to another, zooming, finding; and the start of the page.

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
  const [toUsers, toOperands] = node.classList.contains("back") ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
  if (key === toUsers) return edges.filter((edge) => edge.dataset.from === number).map((edge) => other(edge, "to"))[0];
  if (key === toOperands) {
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
for (const button of document.querySelectorAll("[data-maker]")) button.onclick = () => {
  const drawing = button.closest("details").nextElementSibling;
  const node = drawing.querySelector(`[data-node="${button.dataset.maker}"]`);
  choose(node);
  node.scrollIntoView({ block: "center", inline: "center" });
};
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
  const canvas = byId("canvas");
  const { clientWidth: width, clientHeight: height } = canvas;
  const middle = [(canvas.scrollLeft + width / 2) / canvas.scrollWidth, (canvas.scrollTop + height / 2) / canvas.scrollHeight];
  scale = Math.min(Math.max(scale * by, 0.1), 4);
  for (const svg of document.querySelectorAll("svg")) {
    const { width, height } = svg.viewBox.baseVal;
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
  }
  canvas.scrollTo(middle[0] * canvas.scrollWidth - width / 2, middle[1] * canvas.scrollHeight - height / 2);
}
byId("fit").onclick = () => {
  const { top, bottom } = byId("canvas").getBoundingClientRect();
  const inView = [...moments[byId("moment").selectedIndex].querySelectorAll("svg")].filter((svg) => {
    const at = svg.getBoundingClientRect();
    return at.top < bottom && at.bottom > top;
  });
  const widest = Math.max(...inView.map((svg) => svg.viewBox.baseVal.width));
  if (inView.length) zoom((byId("canvas").clientWidth - 24) / widest / scale);
  inView[0]?.scrollIntoView({ block: "nearest", inline: "start" });
};
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
