// The desk: who is chosen, what was ordered, and everything on the page that follows from that.

let language = "en";
const tongues = Object.keys(TONGUES);

/** What was laid in or read from a letter, and what the player has done with it so far. */
const desk = { units: [] };

/** A word of the page, its gaps filled by name. */
const word = (name, gaps = {}) => filledLine(WORDS[name][tongues.indexOf(language)], gaps);

/** A text that the data have in each language. */
const spoken = (pair, tongue = language) => pair[tongues.indexOf(tongue)] ?? pair[0];
const nameOfId = (id, tongue = language) => (desk.names[id] ? spoken(desk.names[id], tongue) : id);

function said(text) {
  $("said").textContent = text;
}

/** Begin with data: an empty list, the map laid in. */
async function begin(data) {
  const drawing = await unpacked(data.map);
  Object.assign(desk, data, { chosen: new Set(), place: "", target: "", groups: [], rules: [], count: 0, editing: 0 });
  desk.byId = new Map(desk.units.map((unit) => [unit.id, unit]));
  Object.assign(formed, { ...FORMED, event: data.standing?.events[0] ?? "", reactions: [{}] });
  language = tongues.includes(data.language) ? data.language : "en";
  $("open").hidden = true;
  $("work").hidden = false;
  layMap(drawing);
  view.chosen = chosenPlace;
  addWritten(data.written ?? []);
  showWords();
  openNear([...counters].filter(([id]) => own(id)).map(([, one]) => Object.values(middle(one))));
}

const own = (id) => desk.byId.get(id)?.own ?? false;
const ownIn = (place) => desk.units.filter((unit) => unit.own && unit.place === place).map((unit) => unit.id);

/** A unit in words: its name, branch, strength, state, where it stands. */
function toldUnit({ id, place, side, branch, strength, factors, states }) {
  const parts = [nameOfId(id), spoken(side), spoken(branch), strength ? word("strength", { strength }) : factors];
  return [...parts, ...states.map((one) => spoken(one)), nameOfId(place)].filter(Boolean).join(", ");
}

/** The chosen place in words, with all who stand there. */
function chosenPlace() {
  const here = desk.units.filter(({ place }) => place === desk.place);
  const units = here.map(({ id, strength, factors }) => `${nameOfId(id)} ${strength || factors}`);
  return desk.place ? [nameOfId(desk.place), units.join(", ")].filter(Boolean).join(": ") : "";
}

/** A click, a tap or a key on a counter: its place where that can be ordered; by finger its place; else itself. */
function onCounter(id, byKey = false) {
  const { place } = desk.byId.get(id);
  if (desk.chosen.size && targets().has(place) && !desk.chosen.has(id)) return onPlace(place);
  if (!own(id) || (view.touched && !byKey)) return onPlace(place);
  toggle(id);
}

function toggle(id) {
  if (!desk.chosen.delete(id)) desk.chosen.add(id);
  desk.place = desk.byId.get(id).place;
  desk.target = "";
  changed();
}

/** A place: ordered at once if there is but one thing to do there, else its acts are listed; or its units are. */
function onPlace(place) {
  if (desk.chosen.size && targets().has(place)) {
    const acts = actsOf([...desk.chosen]).filter((act) => act.to === place);
    if (acts.length === 1) return give(acts[0]);
    desk.target = place;
    changed();
    $("acts").querySelector("button")?.focus();
    return;
  }
  const [own, closed] = [ownIn(place), desk.place === place];
  // Who stands alone need not be chosen a second time.
  desk.chosen = new Set(own.length === 1 && !closed ? own : []);
  desk.target = "";
  desk.place = closed ? "" : place;
  changed();
}

/** Give an order: into the list, below those that it comes after, nobody chosen any more. */
function give(act) {
  for (const one of [...(act.before ?? []).filter((first) => !ordered(first)), act]) {
    addOrder(orderOf(one.line, one.head, one.who, one.to, one.hostile, ownParts(one.parts)));
  }
  desk.chosen.clear();
  desk.target = "";
  changed();
}

/** Everything that follows from what is chosen and ordered; the focus stays where it was, or goes where it is told. */
function changed(focus = "") {
  const before = focus || document.activeElement?.id || "";
  showPanel();
  showOrders();
  showRules();
  showLetter();
  showMap();
  showNamed();
  const editing = desk.editing ? $(`${desk.editing}-field`) : null;
  (editing ?? (before ? $(before) : null) ?? (focus ? $("what") : null))?.focus({ preventScroll: true });
}

/** Everything that depends on the language. */
function showWords() {
  document.documentElement.lang = language;
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = word(one.dataset.word);
  for (const one of document.querySelectorAll("[data-name]")) {
    one.setAttribute("aria-label", word(one.dataset.name));
    if (one.localName === "button") one.title = word(one.dataset.name);
  }
  for (const one of document.querySelectorAll(".language")) one.setAttribute("aria-pressed", one.lang === language);
  document.title = word("desk");
  if (!desk.byId) return;
  $("title").textContent = `${spoken(desk.title)}: ${word("desk").toLowerCase()}`;
  $("moment").textContent = `${spoken(desk.moment)} · ${word("you_are", { side: spoken(desk.whose) })}`;
  document.title = $("title").textContent;
  for (const [id, one] of counters) {
    const unit = desk.byId.get(id);
    one.setAttribute("role", own(id) ? "button" : "img");
    if (unit) one.setAttribute("aria-label", toldUnit(unit));
  }
  showStandingForm();
  changed();
}

/** From where to where orders lead: who moves stands somewhere else for those that come after. */
function plansOf(orders) {
  const at = new Map(desk.units.map((unit) => [unit.id, unit.place]));
  return orders.filter((one) => one.to).map(({ who, to, hostile }) => {
    const plan = { from: at.get(who[0]), to, hostile };
    if (!hostile && outlines.has(to)) for (const id of who) at.set(id, to);
    return plan;
  });
}

/** The map: who is chosen, who has orders, where those chosen could be sent, the arrows of what is ordered. */
function showMap() {
  const [open, having] = [targets(), busy()];
  for (const [id, one] of counters) {
    one.classList.toggle("chosen", desk.chosen.has(id));
    one.classList.toggle("busy", having.has(id));
    if (own(id)) one.setAttribute("aria-pressed", desk.chosen.has(id));
  }
  for (const [place, one] of outlines) {
    const acts = open.get(place);
    one.classList.toggle("open", Boolean(acts));
    one.classList.toggle("hostile", Boolean(acts?.every((act) => act.hostile)));
    one.classList.toggle("looked", place === desk.place && !acts);
    const name = acts ? `${nameOfId(place)}: ${acts.map((act) => spoken(act.verb.says)).join(", ")}` : nameOfId(place);
    // Who stands alone in a place is chosen by his counter.
    const useful = acts || ownIn(place).length > 1;
    one.setAttribute("role", useful ? "button" : "img");
    one.setAttribute("aria-label", name);
    if (!useful) one.removeAttribute("tabindex");
  }
  drawPlans(plansOf(desk.groups.flatMap((group) => group.orders)));
  rove(document.activeElement);
}

function addOwn() {
  const text = oneLine($("line").value);
  if (!text) return;
  addOrder(orderOf(inBoth(() => text), {}, [], "", false));
  $("line").value = "";
  changed();
}

function start() {
  for (const one of document.querySelectorAll(".language")) {
    one.addEventListener("click", () => { language = one.lang; showWords(); });
  }
  document.addEventListener("pointerdown", (event) => {
    view.touched = event.pointerType === "touch";
    document.body.classList.remove("by-key");
  }, true);
  document.addEventListener("keydown", () => document.body.classList.add("by-key"), true);
  $("map").addEventListener("keydown", onMapKey);
  startZoom();
  $("copy").addEventListener("click", copyBlock);
  $("rule").addEventListener("change", onStanding);
  // No form: a mail client may show this page in a frame that cannot send any.
  $("add").addEventListener("click", addOwn);
  $("line").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    addOwn();
  });
  language = tongues.find((one) => navigator.language?.startsWith(one)) ?? "en";
  const data = laid("desk");
  if (data) return begin(data);
  openPage();
  showWords();
}

start();
