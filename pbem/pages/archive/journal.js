// The journal: all moments in a list, as many as the filters let through, each a link.

const journal = { links: [], shown: [], link: null };

/** Write the list anew, in the language of the reader. */
function layJournal() {
  const parts = [];
  journal.links = [];
  let list = null;
  replay.steps.forEach((step, at) => {
    if (at === 0 || step.chapter !== replay.steps[at - 1].chapter) {
      const part = made("section");
      list = made("ol");
      part.append(made("h3", titleOf({ chapter: step.chapter, number: 0 })), list);
      parts.push(part);
    }
    // A happening in several steps has one line.
    if (step.part?.[0] > 1) return journal.links.push(journal.links.at(-1));
    const link = made("a", "", { href: `#${step.at}` });
    if (step.number) link.append(made("span", `#${step.number}`, { class: "number" }), " ");
    link.append(step.text ? spoken(step.text) : word(step.chapter < 0 ? "before" : "nothing"));
    const item = made("li");
    item.append(link);
    list.append(item);
    journal.links.push(link);
  });
  $("list").replaceChildren(...parts);
  for (const [id, names] of [["unit", replay.units], ["place", replay.places]]) {
    const kept = replay[id];
    const options = names.map((name) => made("option", nameOf(name), { value: name }));
    $(id).replaceChildren(made("option", word("all"), { value: "" }), ...options);
    $(id).value = kept;
  }
  sift();
}

/** Whether the filters let a moment through. */
function isShown(step) {
  return [replay.unit, replay.place].every((name) => !name || (step.about ?? []).includes(name));
}

/** Show the moments that the filters let through. */
function sift() {
  journal.shown = replay.steps.map((step) => isShown(step));
  journal.links.forEach((link, at) => { link.parentNode.hidden = !journal.shown[at]; });
  for (const part of $("list").children) part.hidden = !part.querySelector("li:not([hidden])");
  const lines = [...$("list").querySelectorAll("li")];
  const many = lines.filter((line) => !line.hidden).length;
  $("found").textContent = replay.unit || replay.place ? word("found", { many, all: lines.length }) : "";
  point();
}

/** Mark the moment that is shown, and bring it into the list's own window. */
function point() {
  const [link, frame] = [journal.links[replay.now], $("list")];
  if (journal.link !== link) {
    journal.link?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "step");
    journal.link = link;
  }
  const head = 40;
  const top = link.offsetTop - head;
  if (top < frame.scrollTop) frame.scrollTop = top;
  const bottom = link.offsetTop + link.offsetHeight - frame.clientHeight;
  if (bottom > frame.scrollTop) frame.scrollTop = bottom;
}

/** Only what a unit has to do with; once more, everything. */
function onlyUnit(name) {
  if (!replay.units.includes(name)) return;
  replay.unit = replay.unit === name ? "" : name;
  $("unit").value = replay.unit;
  sift();
}
