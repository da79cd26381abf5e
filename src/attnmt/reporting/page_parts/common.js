// What all pages use: elements, the theme, and groups of buttons that the arrow keys move in. It makes no request.
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Theme: the system's, unless the reader chose one. This runs before anything is drawn.
const memory = {
  read: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  write: (key, value) => { try { localStorage.setItem(key, value); } catch { /* the browser may forbid it */ } },
};

function setTheme(theme) {
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
}

document.documentElement.classList.add("js");
setTheme(memory.read("attnmt-theme"));

function startTheme() {
  const button = document.querySelector("#theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colors`);
  };
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    setTheme(theme);
    memory.write("attnmt-theme", theme);
    show();
  });
  system.addEventListener("change", show);
  show();
}

// A group of buttons is one stop of the Tab key; the arrow keys move inside it.
function rove(group, selector) {
  const items = all(selector, group);
  const select = (item) => { for (const other of items) other.tabIndex = other === item ? 0 : -1; };
  select(items[0]);
  // A narrow window hides columns, and the Tab key passes what is hidden.
  new ResizeObserver(() => {
    const shown = items.filter((item) => item.checkVisibility());
    if (shown.length && !shown.some((item) => item.tabIndex === 0)) select(shown[0]);
  }).observe(group);
  group.addEventListener("focusin", (event) => { if (items.includes(event.target)) select(event.target); });
  group.addEventListener("keydown", (event) => {
    const next = items.includes(event.target) && neighbor(group, selector, event.target, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}

function neighbor(group, selector, item, key) {
  const items = all(selector, group).filter((one) => one.checkVisibility());
  if (key === "ArrowRight" || key === "ArrowLeft") return items[items.indexOf(item) + (key === "ArrowRight" ? 1 : -1)];
  const row = item.closest("tr");
  if (!row || (key !== "ArrowDown" && key !== "ArrowUp")) return undefined;
  const column = item.closest("td").cellIndex;
  const side = key === "ArrowUp" ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING;
  const onThatSide = items.filter((other) => other.closest("td").cellIndex === column
    && row.compareDocumentPosition(other.closest("tr")) & side);
  return key === "ArrowUp" ? onThatSide.at(-1) : onThatSide[0];
}

document.addEventListener("DOMContentLoaded", startTheme);
