// A matrix of attention: rows are target words (t), columns source words (s).

/** Draw one matrix.
 *
 * source and target are words; weights are whole percent, row by row; gold has pairs [s, t] of outlined cells. The
 * rest may be left out: unknown has, for source and target, whether each word is unknown; spans has a window
 * {p, first, last} for each row; columns has more columns {head, cells} for the right side.
 */
function makeMatrix(label, name, matrix) {
  const title = make("h3", {}, label, make("small", {}, name));
  const panel = { element: make("article", { className: "matrix" }, title) };
  const { source, target, weights, gold, spans = [], columns = [], unknown = { source: [], target: [] } } = matrix;
  const weight = (s, t) => weights[t * source.length + s];
  const isGold = new Set(gold.map(([s, t]) => `${s} ${t}`));
  const linked = (s, t) => isGold.has(`${s} ${t}`);
  const shade = (element, value) => { element.style.setProperty("--weight", value); element.classList.toggle("strong", value >= 80); };

  const isUnknown = { s: unknown.source, t: unknown.target };
  const flagged = (axis, i, className) => [className, isUnknown[axis][i] ? "unknown" : ""].join(" ").trim();
  const words = { s: source.map((word, s) => makeWord(word, flagged("s", s, "word"))), t: target.map((word, t) => makeWord(word, flagged("t", t, "word"))) };
  const line = (name, axis) => make("p", { className: `words ${name}` }, make("b", {}, name), make("span", { dir: "auto" }, ...words[axis]));
  const lines = { s: line("source", "s"), t: line("target", "t") };
  const heads = {
    s: source.map((word, s) => make("th", { scope: "col", className: flagged("s", s, "") }, make("span", {}, word))),
    t: target.map((word, t) => make("th", { scope: "row", className: flagged("t", t, "") }, word)),
  };
  const cells = target.map((_, t) => source.map((_, s) => {
    const cell = make("td", { className: linked(s, t) ? "gold" : "" }, String(weight(s, t)));
    shade(cell, weight(s, t));
    if (spans[t]) showWindow(cell, s, spans[t]);
    return cell;
  }));
  if (spans.length) cells[0][0].append(positionLine(spans, source.length));
  const more = columns.map((column) => make("th", { scope: "col", className: "more" }, ...withSubscript(column.head)));
  const table = make("table", { className: "weights" },
    make("caption", { className: "visually-hidden" }, `${label} ${name}`),
    make("thead", {}, make("tr", {}, make("td", {}), ...heads.s, ...more)),
    make("tbody", {}, ...target.map((_, t) => make("tr", {}, heads.t[t], ...cells[t],
      ...columns.map((column) => make("td", { className: "more" }, column.cells[t]))))));
  const box = make("div", { className: "scroller", role: "region", ariaLabel: `Matrix: ${label} ${name}`, tabIndex: 0 }, table);
  panel.element.append(...(source.length ? [lines.s] : []), lines.t, box);

  panel.key = { s: source.join("\n"), t: target.join("\n") };
  panel.clear = () => {
    table.classList.remove("busy");
    for (const cell of all(".marked", panel.element)) cell.classList.remove("marked");
    for (const word of [...words.s, ...words.t]) {
      shade(word, 0);
      word.classList.remove("linked");
      word.lastChild.textContent = "";
    }
  };
  panel.mark = (axis, index) => {
    panel.clear();
    table.classList.add("busy");
    words[axis][index].classList.add("marked");
    heads[axis][index].classList.add("marked");
    words[axis === "t" ? "s" : "t"].forEach((word, i) => {
      const [s, t] = axis === "t" ? [i, index] : [index, i];
      shade(word, weight(s, t));
      word.classList.toggle("linked", linked(s, t));
      word.lastChild.textContent = weight(s, t) || "";
      cells[t][s].classList.add("marked");
    });
  };
  panel.tell = (axis, index) => {
    const others = (axis === "t" ? source : target).map((word, i) => [axis === "t" ? weight(i, index) : weight(index, i), word]);
    const most = others.filter(([value]) => value > 0).sort((a, b) => b[0] - a[0]).slice(0, 3);
    const span = axis === "t" && spans[index] ? `; window ${spans[index].first} to ${spans[index].last}, p ${spans[index].p.toFixed(1)}` : "";
    return `${label}, ${(axis === "t" ? target : source)[index]}: ${most.map(([value, word]) => `${word} ${value}%`).join(", ")}${span}`;
  };

  const listen = (element, axis, index) => {
    for (const event of ["pointerover", "focus", "click"]) element.addEventListener(event, () => panel.onmark(axis, index));
  };
  for (const axis of ["s", "t"]) [...words[axis].entries(), ...heads[axis].entries()].forEach(([i, element]) => listen(element, axis, i));
  cells.forEach((row, t) => row.forEach((cell) => listen(cell, "t", t)));
  for (const axis of ["s", "t"]) rove(lines[axis], ".word");
  // A word that was clicked, tapped or reached by keyboard stays marked when the mouse goes.
  panel.element.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "mouse") return;
    const axis = ["s", "t"].find((key) => words[key].includes(document.activeElement));
    if (axis) panel.onmark(axis, words[axis].indexOf(document.activeElement));
    else panel.onclear();
  });
  return panel;
}

function makeWord(text, className) {
  return make("button", { type: "button", className }, text, make("small", {}));
}

/** Return the nodes of a name such as p_t, whose t is a subscript. */
function withSubscript(name) {
  const [letter, below] = name.split("_");
  return below ? [letter, make("sub", {}, below)] : [letter];
}

/** Draw a row's window into one of its cells: an edge around it. */
function showWindow(cell, s, { first, last }) {
  if (s < first || s > last) return;
  cell.classList.add("inside");
  if (s === first) cell.classList.add("first");
  if (s === last) cell.classList.add("last");
}

/** Return a line through p of each row, from the matrix's first cell over S columns. The center of cell s is s. */
function positionLine(spans, S) {
  const make = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const points = spans.map(({ p }, t) => `${Math.min(p + 0.5, S).toFixed(2)},${t + 0.5}`).join(" ");
  const svg = make("svg", { class: "positions", viewBox: `0 0 ${S} ${spans.length}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.style.setProperty("--columns", S);
  svg.style.setProperty("--rows", spans.length);
  svg.append(...["halo", "line"].map((name) => make("polyline", { class: name, points })));
  return svg;
}

/** Let the panels mark a word together wherever they have the same sentence, and say its weights in a status line. */
function joinPanels(panels, status) {
  for (const panel of panels) {
    panel.onmark = (axis, index) => {
      for (const other of panels) if (other === panel || other.key[axis] === panel.key[axis]) other.mark(axis, index);
      status.textContent = panel.tell(axis, index);
    };
    panel.onclear = () => panels.forEach((other) => other.clear());
  }
}
