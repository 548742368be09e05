// The panel beside the map: whose places there are, who stands in one, what those chosen may do. All that the map does
// can be done here.

function showPanel() {
  const chosen = [...desk.chosen];
  const open = desk.place && ownIn(desk.place).length ? desk.place : "";
  const nobody = word(desk.place ? "no_units" : "whom", { place: nameOfId(desk.place) });
  $("what-head").textContent = open ? nameOfId(open) : nobody;
  $("who").replaceChildren(...(open ? whoIn(open) : wherePlaces()));
  $("acts").replaceChildren(...(chosen.length ? actsFor(chosen) : open ? wholesIn(open) : seatActs()));
}

/** Places with units of one's own, to be opened. */
function wherePlaces() {
  const places = [...new Set(desk.units.filter((unit) => unit.own).map((unit) => unit.place))].sort();
  return [choices(places.map((place) => {
    const units = ownIn(place);
    const label = `${nameOfId(place)}: ${units.map((id) => nameOfId(id)).join(", ")}`;
    const shown = units.length > 2 ? `${nameOfId(place)} (${units.length})` : label;
    const open = () => {
      onPlace(place);
      bringIntoFrame(place);
      $("what").focus();
    };
    return button(shown, open, { "aria-label": label, id: `at-${place}` });
  }))];
}

/** The units of a place, to be chosen one by one or all at once. */
function whoIn(place) {
  const [units, having] = [ownIn(place), busy()];
  const buttons = units.map((id) => {
    const unit = desk.byId.get(id);
    const [sign, told] = having.has(id) ? [" ✓", `, ${word("has_order")}`] : ["", ""];
    return button(`${nameOfId(id)} ${unit.strength || unit.factors}${sign}`, () => toggle(id),
      { "aria-pressed": String(desk.chosen.has(id)), "aria-label": toldUnit(unit) + told, id: `unit-${id}` });
  });
  const row = [button(word("places"), () => {
    desk.chosen.clear();
    desk.place = "";
    changed("what");
  }, { id: "places" })];
  if (units.length > 1) {
    const every = units.every((id) => desk.chosen.has(id));
    row.unshift(button(word(every ? "nobody" : "everybody"), () => {
      desk.chosen = new Set(every ? [] : units);
      desk.target = "";
      changed();
    }, { id: "everybody" }));
  }
  return [choices(buttons), choices(row)];
}

function choices(buttons) {
  const list = made("ul", "", { class: "choices" });
  list.append(...buttons.map((one) => {
    const row = made("li");
    row.append(one);
    return row;
  }));
  return list;
}

/** What those chosen may do, verb by verb; what leads to the place that was pointed at comes first. */
function actsFor(chosen) {
  const acts = actsOf(chosen);
  const out = [];
  if (!acts.length) out.push(made("p", word(chosen.length > 1 ? "nothing_together" : "nothing"), { class: "soft" }));
  const here = desk.target ? acts.filter((act) => act.to === desk.target) : [];
  if (here.length) {
    out.push(made("h3", nameOfId(desk.target)));
    out.push(choices(here.map((act) => actButton(act, afterWords(act, spoken(act.verb.says)), spoken(act.verb.says)))));
  }
  for (const verb of desk.verbs) {
    const own = acts.filter((act) => act.verb === verb && !act.before.length);
    if (!own.length) continue;
    const buttons = choices(own.map((act) => actButton(act, act.says, `${spoken(verb.says)} ${act.says}`)));
    const name = spoken(verb.says);
    out.push(...(own.length > MANY ? folded(verb.verb, name, own.length, buttons) : [made("h3", name), buttons]));
  }
  out.push(...laterActs(acts.filter((act) => act.before.length)));
  const having = busy();
  const again = acts.length && chosen.some((id) => having.has(id));
  if (again) out.push(made("p", word("if_it_can"), { class: "soft note" }));
  const wholes = wholesFor((whole) => chosen.every((id) => whole.who.includes(id)));
  const formed = new Set(desk.wholes.map((whole) => whole.line.en));
  const helped = helpedActs(chosen).filter((act) => !formed.has(act.line.en));
  const together = helped.length ? [made("h3", word("together")), choices(helped.map(wholeButton))] : [];
  return [...wholes, ...together, ...out];
}

/** What could be done once other orders are carried out, with those. */
function laterActs(acts) {
  if (!acts.length) return [];
  const buttons = choices(acts.map((act) => {
    const text = afterWords(act, `${spoken(act.verb.says)} ${act.says}`);
    const one = actButton(act, text, text);
    one.className = "whole";
    return one;
  }));
  if (acts.length > MANY) return folded("after", word("after"), acts.length, buttons);
  return [made("h3", word("after")), buttons];
}

/** What an act is called, with what is ordered before it. */
const afterWords = (act, said) => (act.before.length
  ? word("after_lines", { act: said, lines: act.before.map((one) => one.line[language]).join("; ") }) : said);

/** More buttons than one looks through are folded away: the map shows them as well. */
const MANY = 16;

function folded(key, act, many, buttons) {
  const fold = made("details");
  fold.open = desk.unfolded === key;
  fold.addEventListener("toggle", () => { desk.unfolded = fold.open ? key : ""; });
  fold.append(made("summary", word("folded", { act, many })), buttons);
  return [fold];
}

function actButton(act, text, name) {
  const one = button(text, () => give(act), { "aria-label": `${name}${oddsWords(act.chance)}: ${act.line[language]}` });
  if (act.chance !== null) one.append(" ", made("span", inPercent(act.chance), { class: "odds" }));
  one.disabled = ordered(act);
  return one;
}

const inPercent = (chance) => `${Math.round(chance * 100)} %`;
const oddsWords = (chance) => (chance === null ? "" : `, ${word("wins", { percent: inPercent(chance) })}`);

/** Orders that the form of the report has whole, attacks with their odds before all. */
function wholesFor(meant) {
  // What one unit does by itself stands among its acts, with its odds.
  const found = desk.wholes.filter((whole) => meant(whole) && (whole.who.length > 1 || !whole.hostile));
  if (!found.length) return [];
  const rows = found.map((whole) => wholeButton({ ...whole, before: [], parts: partsFrom(whole.line.en) }));
  return [made("h3", word("wholes")), choices(rows)];
}

/** A button with all of its line. */
function wholeButton(act) {
  const one = actButton(act, act.line[language], word("whole"));
  one.className = "whole";
  return one;
}

const wholesIn = (place) => wholesFor((whole) => whole.hostile
  && whole.who.some((id) => desk.byId.get(id)?.place === place));

/** Orders that no unit has by itself, such as those of divisions. */
const seatActs = () => wholesFor((whole) => !whole.hostile);
