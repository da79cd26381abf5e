// Attention. The data: texts (lists of words), models [{name, label, group}] and kinds {kind: {lines, of}}, where
// of[name] has a matrix for each line: [source text, target text, percents row by row, gold pairs or null].
function startAttention(view) {
  const data = JSON.parse(document.querySelector("#attention-data").textContent);
  const [sentence, model, beside] = ["sentence", "model", "beside"].map((name) => view.querySelector(`[name=${name}]`));
  const kinds = all("[name=kind]", view);
  const kind = () => data.kinds[kinds.find((input) => input.checked).value];
  const matrixOf = (name) => kind().of[name]?.[sentence.selectedIndex];

  function fillModels(select) {
    for (const model of data.models) {
      const group = all("optgroup", select).find((other) => other.label === model.group)
        ?? select.appendChild(make("optgroup", { label: model.group }));
      const text = model.label === model.name ? model.name : `${model.label} · ${model.name}`;
      group.append(make("option", { value: model.name }, text));
    }
  }
  function fillSentences() {
    const chosen = Math.max(0, sentence.selectedIndex);
    sentence.replaceChildren(...kind().lines.map((line, i) => {
      const source = data.texts[(kind().of[model.value]?.[i] ?? [0])[0]];
      return make("option", {}, `line ${line + 1}: ${source.join(" ")}`);
    }));
    sentence.selectedIndex = Math.min(chosen, sentence.length - 1);
  }
  function show() {
    fillSentences();
    const panels = [model.value, beside.value].filter(Boolean).map((name) => {
      const described = data.models.find((other) => other.name === name);
      return makeMatrix(described, matrixOf(name), data.texts);
    });
    view.querySelector(".pair").replaceChildren(...panels.map((panel) => panel.element));
    const status = view.querySelector("[role=status]");
    for (const panel of panels) {
      panel.onmark = (axis, index) => {
        for (const other of panels) if (other === panel || other.key[axis] === panel.key[axis]) other.mark(axis, index);
        status.textContent = panel.tell(axis, index);
      };
      panel.onclear = () => panels.forEach((other) => other.clear());
    }
  }

  fillModels(model);
  beside.append(make("option", { value: "" }, "none"));
  fillModels(beside);
  const [first, second] = data.first;
  model.value = first;
  beside.value = matchMedia("(min-width: 60rem)").matches ? second : "";
  for (const input of [sentence, model, beside, ...kinds]) input.addEventListener("change", show);
  for (const button of all("[data-step]", view)) {
    button.addEventListener("click", () => {
      sentence.selectedIndex = (sentence.selectedIndex + Number(button.dataset.step) + sentence.length) % sentence.length;
      show();
    });
  }
  show();
}

/** Draw one matrix: rows are target words (t), columns source words (s). */
function makeMatrix({ name, label }, matrix, texts) {
  const title = make("h3", {}, label, make("small", {}, name));
  const panel = { element: make("article", { className: "matrix" }, title), key: {}, mark() {}, clear() {} };
  if (!matrix) {
    panel.element.append(make("p", { className: "note" }, "There is no matrix for this sentence."));
    return panel;
  }
  const [source, target, weights, gold] = [texts[matrix[0]], texts[matrix[1]], matrix[2], matrix[3] ?? []];
  const weight = (s, t) => weights[t * source.length + s];
  const isGold = new Set(gold.map(([s, t]) => `${s} ${t}`));
  const linked = (s, t) => isGold.has(`${s} ${t}`);
  const shade = (element, value) => { element.style.setProperty("--weight", value); element.classList.toggle("strong", value >= 80); };

  const words = { s: source.map(makeWord), t: target.map(makeWord) };
  const line = (name, axis) => make("p", { className: `words ${name}` }, make("b", {}, name), make("span", {}, ...words[axis]));
  const lines = { s: line("source", "s"), t: line("target", "t") };
  const heads = {
    s: source.map((word) => make("th", { scope: "col" }, make("span", {}, word))),
    t: target.map((word) => make("th", { scope: "row", title: "" }, word)),
  };
  const cells = target.map((_, t) => source.map((_, s) => {
    const cell = make("td", { className: linked(s, t) ? "gold" : "" }, String(weight(s, t)));
    shade(cell, weight(s, t));
    return cell;
  }));
  const table = make("table", { className: "weights" },
    make("thead", {}, make("tr", {}, make("td", { className: "corner" }), ...heads.s)),
    make("tbody", {}, ...target.map((_, t) => make("tr", {}, heads.t[t], ...cells[t]))));
  panel.element.append(lines.s, lines.t, make("div", { className: "scroller" }, table));

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
    return `${label}, ${(axis === "t" ? target : source)[index]}: ${most.map(([value, word]) => `${word} ${value}%`).join(", ")}`;
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

function makeWord(text) {
  return make("button", { type: "button", className: "word" }, text, make("small", {}));
}
