// A line of orders from its parts, written as the rules write it: who, what, where to, under whom, with which clauses.

/** Lines of a verb have places for who acts, who leads, and where or what. */
const filledLine = (pattern, gaps) => pattern.replace(/\{(\w+)\}/g, (whole, gap) => gaps[gap] ?? whole);

const inBoth = (make) => Object.fromEntries(tongues.map((tongue) => [tongue, make(tongue)]));

/** Orders have the plain name in English, which is the canonical one. */
const nameInLine = (id, tongue) => (tongue === "en" ? id : nameOfId(id, tongue));

/** A unit, a place or a word of the game, as a line has it. */
const inLine = (one, tongue) => (desk.words[one] ? spoken(desk.words[one], tongue) : nameInLine(one, tongue));

const inOrder = (ids) => [...ids].sort((a, b) => (a < b ? -1 : 1));
const placeOf = (id) => desk.byId.get(id).place;

/** An order in parts: its verb, who acts, where to; who leads, whether as one, what each clause names. */
const partsOf = (verb, able, to, leader = "") => ({ verb, able, to, leader, joined: false, clauses: {} });

/** Parts of an order's own, to be changed. */
const ownParts = (parts) => parts && { ...parts, clauses: { ...parts.clauses } };

/** What a clause names: a word of its own; units by id, as they were chosen, or joined place by place. */
function namesOf(clause, names, tongue) {
  const one = (id) => {
    const own = clause.words.find(([word]) => word === id);
    return own ? spoken(own, tongue) : inLine(id, tongue);
  };
  const list = (ids, by) => ids.map(one).join(by);
  if (clause.many !== "stacks") return list(clause.many === "series" ? names : inOrder(names), ", ");
  const places = [...new Set(names.map(placeOf))];
  return places.map((place) => list(inOrder(names.filter((id) => placeOf(id) === place)), "+")).join(", ");
}

/** The line of an order in each language. */
function lineOf({ verb, able, to, leader, joined, clauses }) {
  const sorted = verb.written ? able : inOrder(able);
  const chief = (id) => verb.lines.both && desk.byId.get(id).leader;
  const [units, leaders] = [sorted.filter((id) => !chief(id)), sorted.filter(chief)];
  const kind = leader ? "led" : joined ? "joined" : units.length && leaders.length ? "both" : "plain";
  return inBoth((tongue) => {
    const list = (ids, by = ", ") => ids.map((id) => nameInLine(id, tongue)).join(by);
    const line = filledLine(spoken(verb.lines[kind], tongue), {
      units: list(units.length ? units : leaders),
      leaders: list(leaders),
      joined: list(inOrder(able), "+"),
      leader: nameInLine(leader, tongue),
      to: inLine(to, tongue),
    });
    const more = verb.clauses.filter((one) => clauses[one.clause]?.length)
      .map((one) => filledLine(spoken(one.line, tongue), { names: namesOf(one, clauses[one.clause], tongue) }));
    return [line, ...more].join(" ");
  });
}

const plainly = (text) => text.replace(/[.*+?^$()[\]\\|]/g, "\\$&");

/** The parts of a canonical line; null if there is something in it that is chosen nowhere on the page. */
function partsFrom(line) {
  for (const verb of desk.verbs) {
    const keys = verb.clauses.map((one) => one.clause);
    const [base, ...said] = keys.length ? line.split(new RegExp(` (${keys.map(plainly).join("|")}) `)) : [line];
    const clauses = {};
    for (let at = 0; at < said.length; at += 2) clauses[said[at]] = said[at + 1].split(/, |\+/);
    for (const [kind, [pattern]] of Object.entries(verb.lines)) {
      const shape = plainly(pattern).replace(/\{(\w+)\}/g, "(?<$1>.+)");
      const found = new RegExp(`^${shape}$`).exec(base)?.groups;
      if (!found) continue;
      const able = [found.units, found.leaders, found.joined].flatMap((some) => some?.split(/, |\+/) ?? []);
      if (!able.length || !able.every((id) => desk.byId.has(id))) continue;
      const parts = { ...partsOf(verb, able, found.to ?? "", found.leader ?? ""), joined: kind === "joined", clauses };
      if (Object.values(clauses).flat().every(known) && lineOf(parts).en === line) return parts;
    }
  }
  return null;
}

/** Whether a name in a line is something that the page has. */
const known = (name) => desk.byId.has(name) || outlines.has(name) || name in desk.words
  || desk.verbs.some((verb) => verb.clauses.some((one) => one.words.some(([word]) => word === name)));
