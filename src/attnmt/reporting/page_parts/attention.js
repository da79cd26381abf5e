// Attention. The data: texts (lists of words), labels of the systems by name, and kinds {kind: {lines, of}}, where
// of[name] has a matrix for each line: [source text, target text, percents row by row, gold pairs or null].
function startAttention(view) {
  const data = JSON.parse(document.querySelector("#attention-data").textContent);
  const [sentence, model, beside, kind] = all("select", view);
  const sampled = () => data.kinds[kind.value];

  function fillModels(select) {
    for (const [name, label] of Object.entries(data.labels)) {
      select.append(make("option", { value: name }, label === name ? name : `${label} · ${name}`));
    }
  }
  function fillSentences() {
    const chosen = Math.max(0, sentence.selectedIndex);
    sentence.replaceChildren(...sampled().lines.map((line, i) => {
      const source = data.texts[sampled().of[model.value][i][0]];
      return make("option", {}, `line ${line + 1}: ${source.join(" ")}`);
    }));
    sentence.selectedIndex = chosen;
  }
  function show() {
    fillSentences();
    const panels = [model.value, beside.value].filter(Boolean).map((name) => {
      const [source, target, weights, gold] = sampled().of[name][sentence.selectedIndex];
      const matrix = { source: data.texts[source], target: data.texts[target], weights, gold: gold ?? [] };
      return makeMatrix(data.labels[name], data.labels[name] === name ? "" : name, matrix);
    });
    view.querySelector(".pair").replaceChildren(...panels.map((panel) => panel.element));
    joinPanels(panels, view.querySelector("[role=status]"));
  }

  fillModels(model);
  beside.append(make("option", { value: "" }, "none"));
  fillModels(beside);
  // Beside the best system stands the best one of another kind, which begins its name: local_p_general_feed.
  const names = Object.keys(data.labels), other = names.find((name) => name.split("_")[0] !== names[0].split("_")[0]);
  if (matchMedia("(min-width: 60rem)").matches) beside.value = other ?? names[1] ?? "";
  for (const select of [sentence, model, beside, kind]) select.addEventListener("change", show);
  for (const button of all("[data-step]", view)) {
    button.addEventListener("click", () => {
      sentence.selectedIndex = (sentence.selectedIndex + Number(button.dataset.step) + sentence.length) % sentence.length;
      show();
    });
  }
  show();
}
