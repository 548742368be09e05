// What those who are chosen may do: what every one of them may, by the offers of the rules.

/** In offers, whom the rules let lead. */
const LEADS = "LED BY";

/** The line above the orders of a unit, such as the activation of its space; empty if orders stand alone. */
function headOf(verb, place) {
  if (verb.alone || !desk.under) return {};
  return inBoth((tongue) => filledLine(spoken(desk.under, tongue), { place: nameInLine(place, tongue) }));
}

/** Who could lead an order, the best first: leaders of the place, or those of several who act. */
function chiefsFor(verb, able, to) {
  if (!verb.lines.led) return [];
  const leads = (id) => desk.offers[id]?.[LEADS]?.includes(to) && placeOf(id) === placeOf(able[0]);
  return desk.leads.filter((id) => leads(id) || (able.length > 1 && able.includes(id)));
}

/** Who leads if nobody was named for it; null if somebody must and nobody can. */
function leaderFor(verb, able, to) {
  const chiefs = chiefsFor(verb, able, to);
  if (!verb.lines.led || (verb.lines.plain && able.length < 2)) return "";
  return verb.lines.plain ? chiefs.find((id) => able.includes(id)) ?? "" : chiefs[0] ?? null;
}

const offersOf = (id, verb) => desk.offers[id]?.[verb] ?? [];
const helpsOf = (id, verb) => desk.helps[id]?.[verb] ?? [];
const aftersOf = (id, verb) => desk.after.units[id]?.[verb] ?? {};
const placesOf = (id, verb) => [...offersOf(id, verb), ...helpsOf(id, verb), ...Object.keys(aftersOf(id, verb))];

/** All who could do it together: those who could alone, and those who could but help. */
const allFor = (verb, to) => desk.units.map((unit) => unit.id)
  .filter((id) => offersOf(id, verb).includes(to) || helpsOf(id, verb).includes(to));

/** Who acts and who leads them, of those chosen; null if a verb is not for all of them. */
function doersOf(verb, chosen) {
  if (verb.single && chosen.length > 1) return null;
  const able = chosen.filter((id) => placesOf(id, verb.verb).length);
  const others = chosen.filter((id) => !able.includes(id));
  // Who leads others need not be able to do it himself.
  if (!able.length || others.length > 1 || (others.length && !verb.lines.led)) return null;
  if (!verb.apart && chosen.some((id) => placeOf(id) !== placeOf(able[0]))) return null;
  return { able, leader: others[0] ?? "" };
}

/** By which lines before it each of those who act comes to it; null if one of them does not. The first has a choice. */
function waysTo(verb, able, to) {
  const enough = able.some((id) => offersOf(id, verb.verb).includes(to))
    || allFor(verb.verb, to).every((id) => able.includes(id));
  const ways = able.map((id) => {
    if (offersOf(id, verb.verb).includes(to) || (enough && helpsOf(id, verb.verb).includes(to))) return [];
    return aftersOf(id, verb.verb)[to] ?? null;
  });
  if (ways.includes(null)) return null;
  const one = able.length === 1 ? ways[0] : [];
  return one.length ? one.map((number) => [[able[0], number]])
    : [ways.flatMap(([first], at) => (first === undefined ? [] : [[able[at], first]]))];
}

/** Orders that are to stand before another; who goes the same way from the same place goes together. */
function ordersBefore(way) {
  const lines = new Map();
  for (const [id, number] of way) {
    const tongued = desk.after.lines[number].map((text) => text.split("\n"));
    tongued[0].forEach((pattern, at) => {
      const key = pattern.includes("{units}") ? `${placeOf(id)} ${pattern}` : pattern;
      const line = lines.get(key) ?? { said: tongued.map((some) => some[at]), who: [] };
      line.who.push(id);
      lines.set(key, line);
    });
  }
  return [...lines.values()].map(({ said, who }) => {
    const list = (tongue) => inOrder(who).map((id) => nameInLine(id, tongue)).join(", ");
    return actFrom(inBoth((tongue) => filledLine(spoken(said, tongue), { units: list(tongue) })));
  });
}

/** An order whose line is given; with its parts if it is made of what can be chosen here. */
function actFrom(line) {
  const parts = partsFrom(line.en);
  return parts ? actOf(parts) : { line, head: {}, who: [], to: "", hostile: false, parts: null };
}

/** One order, and those that are to stand before it. */
function actOf(parts, before = []) {
  const { verb, able, leader, to } = parts;
  const [line, sorted] = [lineOf(parts), verb.written ? able : inOrder(able)];
  const says = desk.words[to] ? spoken(desk.words[to]) : nameOfId(to) || spoken(verb.says);
  const whole = desk.wholes.find((one) => one.line.en === line.en);
  const who = sorted.includes(leader) || !leader ? sorted : [...sorted, leader];
  const head = headOf(verb, placeOf(able[0]));
  return { verb, who, to, line, head, hostile: verb.attack, says, parts, before, chance: whole?.chance ?? null };
}

/** All orders that those chosen may be given. */
function actsOf(chosen) {
  if (!chosen.length) return [];
  return desk.verbs.flatMap((verb) => {
    const found = doersOf(verb, chosen);
    if (!found) return [];
    const common = found.able.map((id) => placesOf(id, verb.verb))
      .reduce((all, some) => all.filter((to) => some.includes(to)));
    return [...new Set(common)].flatMap((to) => actsTo(verb, found, to));
  });
}

/** The orders of a verb to one place: at once, or one for each way to come to it. */
function actsTo(verb, { able, leader }, to) {
  const chief = leader || leaderFor(verb, able, to);
  if (chief === null || (leader && !chiefsFor(verb, able, to).includes(leader))) return [];
  return (waysTo(verb, able, to) ?? []).map((way) => actOf(partsOf(verb, able, to, chief), ordersBefore(way)));
}

/** What those chosen could not do by themselves, and could with everybody else who can. */
function helpedActs(chosen) {
  return desk.verbs.filter((verb) => verb.apart).flatMap((verb) => {
    const weak = chosen.map((id) => helpsOf(id, verb.verb));
    return (weak[0] ?? []).filter((to) => weak.every((some) => some.includes(to)))
      .map((to) => [to, allFor(verb.verb, to)]).filter(([, all]) => all.length > chosen.length)
      .map(([to, all]) => actOf(partsOf(verb, all, to, leaderFor(verb, all, to) ?? "")));
  });
}

/** The places where those chosen could be sent, each with its acts. */
function targets() {
  const found = new Map();
  for (const act of actsOf([...desk.chosen])) {
    if (outlines.has(act.to)) found.set(act.to, [...(found.get(act.to) ?? []), act]);
  }
  return found;
}
