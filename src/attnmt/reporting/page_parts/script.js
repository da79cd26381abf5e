// What a reader can do with the report: sorting, curves, attention. It makes no request.
"use strict";

// Sorting: up, down, and back to the published order. Empty cells stay below. An interval sorts by its
// lower bound.
function startSorting(table) {
  const body = table.tBodies[0];
  const published = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = make("button", { type: "button" }, ...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const order = { none: "ascending", ascending: "descending", descending: "none" }[heading.ariaSort ?? "none"];
      for (const other of headings) other.removeAttribute("aria-sort");
      if (order !== "none") heading.ariaSort = order;
      body.append(...(order === "none" ? published : sorted(published, column, order === "ascending" ? 1 : -1)));
    });
  });
}

function sorted(rows, column, sign) {
  const text = (row) => row.cells[column].textContent.trim();
  const number = (row) => parseFloat(text(row).replaceAll(",", "").replace(/^[<>]/, ""));
  const compare = (a, b) => number(a) - number(b) || text(a).localeCompare(text(b), "en", { numeric: true });
  return [...rows].sort((a, b) => (text(a) === "") - (text(b) === "") || sign * compare(a, b));
}

// Curves: a switch hides or shows its system in every panel. Pointing at a switch brings its lines forward.
function startCurves(figure) {
  for (const label of all(".legend label", figure)) {
    const lines = all(`.panel [data-series="${label.dataset.series}"]`, figure);
    const mark = (name, on) => { for (const line of lines) line.classList.toggle(name, on); };
    label.control.addEventListener("change", () => mark("off", !label.control.checked));
    label.addEventListener("pointerenter", () => mark("hot", true));
    label.addEventListener("pointerleave", () => mark("hot", false));
  }
}

document.addEventListener("DOMContentLoaded", () => {
  all("table.sortable").forEach(startSorting);
  all(".curves").forEach(startCurves);
  all("#attention-view").forEach(startAttention);
});
