// The matrices of an explanation. The data has, for each model, candidates [{label, matrix}], and reference, one like
// them or null; matrix.js says what a matrix is.
function startExplanation(boxes) {
  const data = JSON.parse(document.querySelector("#explained-data").textContent);
  const status = document.querySelector("[role=status]");
  const chosen = (box) => document.querySelector(`[name="shown-${box.dataset.model}"]:checked`).value;

  function show() {
    const panels = boxes.flatMap((box) => {
      const { candidates, reference } = data[box.dataset.model];
      const parts = [candidates[chosen(box)], ...(reference ? [reference] : [])];
      const drawn = parts.map(({ label, matrix }) => makeMatrix(label, "", matrix));
      box.replaceChildren(...drawn.map((panel) => panel.element));
      return drawn;
    });
    joinPanels(panels, status);
  }
  for (const input of all("[name^=shown-]")) input.addEventListener("change", show);
  show();
}

document.addEventListener("DOMContentLoaded", () => {
  startExplanation(all("[data-model]"));
});
