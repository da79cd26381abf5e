// What all pages use: elements, and groups of buttons that the arrow keys move in. It makes no request.
"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

document.documentElement.classList.add("js");

// A group of buttons is one stop of the Tab key; the left and right arrow keys move inside it.
function rove(group, selector) {
  const items = all(selector, group);
  const select = (item) => { for (const other of items) other.tabIndex = other === item ? 0 : -1; };
  select(items[0]);
  group.addEventListener("focusin", (event) => { if (items.includes(event.target)) select(event.target); });
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step && items[items.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
}
