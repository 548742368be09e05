// What a list of a draw says of version 2 on: nothing that no leaf before it says, so that nobody varies it.

const BAR = /^[1-9][0-9]{0,8}[.] BAR [Ee]?0*([1-9][0-9]{0,8}) [Ee]?0*([1-9][0-9]{0,8}) BECAUSE /;

/** The rules of a tournament by their text; null if it is none. */
function rulesIn(text) {
  try {
    return readJson(text ?? "null");
  } catch {
    return null;
  }
}

/** A rule as text; "" if there is none. */
function rule(rules, table, key) {
  const own = (of, name) => (of !== null && typeof of === "object" && Object.hasOwn(of, name) ? of[name] : null);
  const value = own(own(rules, table), key);
  return typeof value === "string" || Number.isSafeInteger(value) ? String(value) : "";
}

/** Every value of a list is one that the leaves before it give.
 *
 * `told` has what was said before: `leaves`, earlier `lists`, who is `gone` or `resting`, `texts` of leaves by digest,
 * the last leaf by which each `entered`, and the `rules` that `found` opens, null if no letter shows them.
 */
function checkStated(tournament, place, closed, told) {
  for (const words of closed.entrants) {
    const leaf = told.entered.get(words[0]);
    if (!leaf) continue;
    const wanted = wantedValues(leaf, closed, told);
    listedValues(words).forEach((listed, at) => {
      tournament.say(listed === wanted[at] || wanted[at] === "", place,
        "{} is listed with {}, and the leaves before say {}", words[0], listed, wanted[at]);
    });
  }
  const last = told.lists[told.lists.length - 1];
  const [stage, before] = [Number(closed.block.get("stage")), last ? Number(last.block.get("stage")) : 0];
  const again = last !== undefined && last.round === closed.round;
  tournament.say(stage === before || (stage === before + 1 && !again), place,
    "stage {} does not follow stage {}", stage, before);
  if (told.rules === null) {
    tournament.say(null, place, "the rules of the tournament are in no letter");
  } else {
    const boards = rule(told.rules, "teams", "boards");
    tournament.say(String(closed.boards) === boards, place,
      "a match has {} boards in the list, and {} by the rules", closed.boards, boards || "-");
  }
  checkBarred(tournament, place, closed, told);
  checkCaptains(tournament, place, closed, told);
}

const listedValues = ([, , pace, zone, halves, team, since]) =>
  [`pace ${pace}`, `zone ${zone}`, `halves ${halves}`, `team ${team}`, `round ${since}`];

/** The same as leaves say it; "" where they do not: with what halves one begins a later stage, full mode says. */
function wantedValues(leaf, closed, told) {
  const [name, stage] = [leaf.get("entrant"), closed.block.get("stage")];
  let [pace, zone] = [leaf.get("pace"), leaf.get("zone")];
  if (leaf.kind === "team") {
    const enters = new Map(told.leaves.filter((one) => one.kind === "enter").map((one) => [one.get("entrant"), one]));
    const some = countedMembers(name, told.leaves, told.gone).map((member) => enters.get(member));
    const paces = some.map((one) => BigInt(one.get("pace") || 0));
    pace = String(paces.length ? paces.reduce((most, one) => (one > most ? one : most)) : 24);
    zone = some.length ? some[0].get("zone") : "0";
  }
  let halves = `halves ${leaf.get("halves")}`;
  const same = told.lists.filter((one) => one.block.get("stage") === stage);
  if (stage !== "1") {
    const earlier = same.flatMap((one) => one.entrants.filter((words) => words[0] === name))
      .map((words) => `halves ${words[4]}`);
    halves = earlier.length ? earlier[earlier.length - 1] : same.length ? halves : "";
  }
  return [`pace ${pace}`, `zone ${zone}`, halves, "team -", `round ${leaf.get("round")}`];
}

/** Those are barred of whom a ruling says it, and nobody else. */
function checkBarred(tournament, place, closed, told) {
  const texts = standingRulings(told.leaves, told.texts);
  if (texts === null) {
    tournament.say(null, place, "a ruling is in no letter: who is barred from whom is not known");
    return;
  }
  const found = texts.map((text) => BAR.exec(text)).filter(Boolean)
    .map((match) => [Number(match[1]), Number(match[2])].sort((one, other) => one - other));
  found.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const wanted = found.filter(([low, high]) => low !== high).map(([low, high]) => `e${low}-e${high}`);
  const listed = [...new Set(wanted)].filter((pair) => pair.split("-").every((name) => closed.names.includes(name)));
  const shown = listed.join(" ") || "-";
  tournament.say(closed.block.get("barred") === shown, place,
    "the list bars {}, and rulings {}", closed.block.get("barred"), shown);
}

/** A line-up is what its captain said last for this round or one before, filled up in the order of entry. */
function checkCaptains(tournament, place, closed, told) {
  const teamOf = teamOfMembers(told.leaves);
  for (const [team, some] of closed.lineups) {
    const said = told.leaves.filter((leaf) => leaf.kind === "lineup" && leaf.get("team") === team)
      .filter((leaf) => Number(leaf.get("round")) <= closed.round)
      .sort((one, other) => Number(one.get("round")) - Number(other.get("round")));
    const last = said.length ? said[said.length - 1].get("boards") : "-";
    const named = last === "-" ? [] : last.split(" ");
    const there = [...teamOf].filter(([name, its]) => its === team && !told.gone.has(name) && !told.resting.has(name))
      .map(([name]) => name).sort((one, other) => numberOf(one) - numberOf(other));
    const first = named.filter((name) => there.includes(name));
    const wanted = [...first, ...there.filter((name) => !first.includes(name))].slice(0, closed.boards);
    tournament.say(some.join(" ") === wanted.join(" "), place,
      "{} lines up {}, and by its captain {}", team, some.join(" ") || "-", wanted.join(" ") || "-");
  }
}
