// What those who are chosen may do: what every one of them may, by the offers of the rules.

/** Lines of a verb have places for who acts, who leads, and where or what. */
const filledLine = (pattern, gaps) => pattern.replace(/\{(\w+)\}/g, (whole, gap) => gaps[gap] ?? whole);

const inBoth = (make) => Object.fromEntries(tongues.map((tongue) => [tongue, make(tongue)]));

/** The line above the orders of a unit, such as the activation of its space; empty if orders stand alone. */
function headOf(verb, place) {
  if (verb.alone || !desk.under) return {};
  return inBoth((tongue) => filledLine(spoken(desk.under, tongue), { place: nameInLine(place, tongue) }));
}

/** Orders have the plain name in English, which is the canonical one. */
const nameInLine = (id, tongue) => (tongue === "en" ? id : nameOfId(id, tongue));

/** What a verb offers to all of those chosen: who acts, who leads, where to; null if it is not for all of them. */
function common(verb, chosen) {
  const able = chosen.filter((id) => desk.offers[id]?.[verb.verb]);
  const others = chosen.filter((id) => !able.includes(id));
  // Who leads others need not be able to do it himself.
  if (verb.single && chosen.length > 1) return null;
  const led = others.length === 0 || (others.length === 1 && verb.lines.led && desk.leads.includes(others[0]));
  if (!able.length || !led) return null;
  const place = desk.byId.get(able[0]).place;
  if (!verb.apart && chosen.some((id) => desk.byId.get(id).place !== place)) return null;
  const ways = able.map((id) => desk.offers[id][verb.verb]);
  const to = ways.reduce((all, found) => all.filter((one) => found.includes(one)));
  return { able, leader: others[0] ?? leaderFor(verb, able, place), to };
}

/** Who leads when nobody was chosen for it: the best of the place, or of those who act. */
function leaderFor(verb, able, place) {
  if (!verb.lines.led || (verb.lines.plain && able.length < 2)) return "";
  const near = verb.lines.plain ? able : ownIn(place);
  return desk.leads.find((id) => near.includes(id)) ?? "";
}

/** One order of a verb. */
function actOf(verb, { able, leader }, to) {
  const { place } = desk.byId.get(able[0]);
  const sorted = verb.written ? able : [...able].sort((a, b) => (a < b ? -1 : 1));
  const chief = (id) => verb.lines.both && desk.byId.get(id).leader;
  const [units, leaders] = [sorted.filter((id) => !chief(id)), sorted.filter(chief)];
  const kind = leader ? "led" : units.length && leaders.length ? "both" : "plain";
  const line = inBoth((tongue) => {
    const list = (ids) => ids.map((id) => nameInLine(id, tongue)).join(", ");
    const target = desk.words[to] ? spoken(desk.words[to], tongue) : nameInLine(to, tongue);
    const gaps = { units: list(units.length ? units : leaders), leaders: list(leaders), to: target };
    return filledLine(spoken(verb.lines[kind], tongue), { ...gaps, leader: nameInLine(leader, tongue) });
  });
  const says = desk.words[to] ? spoken(desk.words[to]) : nameOfId(to) || spoken(verb.says);
  const whole = desk.wholes.find((one) => one.line.en === line.en);
  const who = sorted.includes(leader) || !leader ? sorted : [...sorted, leader];
  return { verb, who, to, line, head: headOf(verb, place), hostile: verb.attack, says, chance: whole?.chance ?? null };
}

/** All orders that those chosen may be given. */
function actsOf(chosen) {
  if (!chosen.length) return [];
  return desk.verbs.flatMap((verb) => {
    const found = common(verb, chosen);
    return found ? found.to.map((to) => actOf(verb, found, to)) : [];
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
