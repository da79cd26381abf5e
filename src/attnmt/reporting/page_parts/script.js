// What a reader can do with the report: contents, sorting, cards, curves, attention. It makes no request.
"use strict";

// Contents: the section being read is marked, and the bar of a narrow page scrolls to it. A link opens
// the group in which its section stands.
function startContents() {
  const bar = document.querySelector(".contents-inner");
  const links = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
  const observer = new IntersectionObserver((entries) => {
    const entered = entries.find((entry) => entry.isIntersecting);
    if (!entered) return;
    for (const link of links.values()) link.removeAttribute("aria-current");
    const link = links.get(entered.target.id);
    link.setAttribute("aria-current", "true");
    bar.scrollLeft = link.offsetLeft - bar.clientWidth / 2;
  }, { rootMargin: "-15% 0px -75% 0px" });
  for (const id of links.keys()) observer.observe(document.getElementById(id));
  const open = () => document.getElementById(location.hash.slice(1))?.closest("details.group")?.setAttribute("open", "");
  addEventListener("hashchange", open);
  for (const link of links.values()) link.addEventListener("click", () => setTimeout(open));
  open();
}

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
  const keys = new Map(rows.map((row) => {
    const cell = row.cells[column];
    const text = cell.textContent.trim();
    const number = cell.classList.contains("number") ? parseFloat(text.replaceAll(",", "").replace(/^[<>]/, "")) : NaN;
    return [row, Number.isNaN(number) ? text : number];
  }));
  return [...rows].sort((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)];
    if (a === "" || b === "") return (a === "") - (b === "");
    if (typeof a === typeof b) return sign * (typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }));
    return typeof a === "number" ? -1 : 1;
  });
}

// Cards: a click or Enter opens one and keeps it open. A mouse that rests on a cell opens one until it leaves.
function startCards(section) {
  let timer = 0;
  for (const button of all(".cell", section)) {
    const card = button.popoverTargetElement;
    const open = (kept) => {
      clearTimeout(timer);
      card.querySelector(".card-value").replaceChildren(make("small", {}, headingOf(button)), button.textContent);
      if (!card.matches(":popover-open")) card.showPopover({ source: button });
      card.kept = kept;
      card.opener?.classList.remove("open");
      card.opener = button;
      button.classList.add("open");
      place(card, button);
    };
    const leave = () => { clearTimeout(timer); timer = setTimeout(() => { if (!card.kept) card.hidePopover(); }, 250); };
    button.addEventListener("click", (event) => {
      event.preventDefault();
      if (card.matches(":popover-open") && card.kept && card.opener === button) card.hidePopover();
      else open(true);
    });
    button.addEventListener("pointerenter", (event) => {
      if (event.pointerType !== "mouse" || document.querySelector(":popover-open")?.kept) return;
      clearTimeout(timer);
      timer = setTimeout(open, 350, false);
    });
    button.addEventListener("pointerleave", leave);
    card.onpointerenter = () => clearTimeout(timer);
    card.onpointerleave = leave;
    card.ontoggle = (event) => { if (event.newState === "closed") card.opener?.classList.remove("open"); };
  }
}

function headingOf(button) {
  return button.closest("table").tHead.rows[0].cells[button.closest("td").cellIndex].textContent;
}

function place(card, button) {
  const at = button.getBoundingClientRect();
  const gap = 8;
  card.style.maxHeight = "";
  const [above, under] = [at.top - 2 * gap, innerHeight - at.bottom - 2 * gap];
  const below = card.offsetHeight <= under || under >= above;
  card.style.maxHeight = `min(30rem, ${below ? under : above}px)`;
  card.style.left = `${Math.max(gap, Math.min(at.left, innerWidth - card.offsetWidth - 2 * gap))}px`;
  card.style.top = `${below ? at.bottom + gap : at.top - gap - card.offsetHeight}px`;
}

// Curves: a switch hides or shows its system in every panel. Pointing at a switch brings its lines forward.
function startCurves(figure) {
  for (const label of all(".legend label", figure)) {
    const lines = all(`.panel [data-series="${label.dataset.series}"]`, figure);
    const focus = (on) => {
      figure.classList.toggle("focused", on && label.control.checked);
      for (const line of lines) line.classList.toggle("hot", on);
    };
    label.control.addEventListener("change", () => {
      for (const line of lines) line.classList.toggle("off", !label.control.checked);
      focus(label.matches(":hover, :focus-within"));
    });
    for (const [event, on] of [["pointerenter", true], ["pointerleave", false], ["focusin", true], ["focusout", false]]) {
      label.addEventListener(event, () => focus(on));
    }
  }
}

document.addEventListener("DOMContentLoaded", () => {
  startContents();
  all("table.sortable").forEach(startSorting);
  for (const table of all("table.sortable")) {
    if (table.querySelector(".cell")) rove(table, ".cell");
    startCards(table);
  }
  all(".curves").forEach(startCurves);
  all("#attention-view").forEach(startAttention);
});
