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
      const { label } = data.models.find((other) => other.name === name);
      return makeMatrix(label, label === name ? "" : name, unpacked(matrixOf(name)));
    });
    view.querySelector(".pair").replaceChildren(...panels.map((panel) => panel.element));
    joinPanels(panels, view.querySelector("[role=status]"));
  }
  function unpacked(matrix) {
    if (!matrix) return undefined;
    const [source, target, weights, gold] = matrix;
    return { source: data.texts[source], target: data.texts[target], weights, gold: gold ?? [] };
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
