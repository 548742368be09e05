// What every page has: elements by their names, made with text that stays text, and the data laid into the file.

const $ = (id) => document.getElementById(id);

/** An element with text; attributes as they are named, those that are null left out. */
function made(name, text = "", attributes = {}) {
  const one = document.createElement(name);
  one.textContent = text;
  for (const [key, value] of Object.entries(attributes)) if (value !== null) one.setAttribute(key, value);
  return one;
}

/** A button that does something. */
function button(text, act, attributes = {}) {
  const one = made("button", text, { type: "button", ...attributes });
  one.addEventListener("click", act);
  return one;
}

/** The data that was laid into the page under a name; null if there is none. */
const laid = (name) => ($(name) ? JSON.parse($(name).textContent) : null);
