// Battles of rounds: in turn or by lot, as the rules say, in one edition each.

/** The battles that the pairs of a draw name; `beta` is the secret of its lots, or null. */
function checkBattles(checks, place, closed, pairs, beta) {
  const named = (pair) => pair.get("battle");
  const stage = checks.stage(closed);
  if (stage === null) {
    if (pairs.some(named)) {
      checks.say(null, place, "the rules are in no letter: of which battle it is to be is not known");
    }
    return;
  }
  const [ways, names] = [textsOf(stage, "battle"), textsOf(stage, "scenarios")];
  const within = roundInStage(checks, closed);
  if (ways.length && within === null) {
    checks.say(null, place, "how many rounds of its stage were before is in no letter: its battle is not checked");
    return;
  }
  let wanted = "";
  if (ways.length) {
    const way = ways[(within - 1) % ways.length];
    if (!["turn", "lot"].includes(way) || (way === "lot" && beta === null)) {
      checks.say(null, place, "that its battle follows from the rules and lots is not checked");
      return;
    }
    const own = names.length ? names : [rule(checks.rules, "table", "scenario")];
    wanted = way === "lot" ? battleByLot(own, beta) : own[(within - 1) % own.length];
  }
  for (const pair of pairs) {
    const due = pair.get("table") === "-" ? "" : wanted;
    checks.say(named(pair) === due, place, "board {} is of battle {}, and by rules and lots of {}",
      pair.get("board"), named(pair) || "-", due || "-");
  }
}

/** A list of texts in rules; empty for anything else. */
function textsOf(stage, key) {
  const values = ownOf(stage, key);
  return Array.isArray(values) && values.every((value) => typeof value === "string") ? values : [];
}

/** E2.3 The battle of the lowest lot; of equal ones the first named. */
function battleByLot(names, beta) {
  const lots = new Map(names.map((name) => [name, throwDice(beta, `battle/${name}`, 1, 2 ** 32)[0]]));
  return [...lots].reduce((least, one) => (one[1] < least[1] ? one : least))[0];
}

/** The number of a round in its stage, from 1; null if no letter shows where the stage began. */
function roundInStage(checks, closed) {
  const stageOf = (list) => Number(list.block.get("stage"));
  if (stageOf(closed) === 1) return closed.round;
  const lists = [...checks.view.draws.values()].filter((list) => list.block.get("game") === checks.game);
  const first = Math.min(...lists.filter((list) => stageOf(list) === stageOf(closed)).map((list) => list.round));
  const before = lists.some((list) => list.round === first - 1 && stageOf(list) < stageOf(closed));
  return before ? closed.round - first + 1 : null;
}

/** All tables of a battle have one edition, and those of two battles different ones. */
function checkEditions(checks, place) {
  const [battles, editions] = [new Map(), new Map()];
  const add = (map, key, value) => map.set(key, (map.get(key) ?? new Set()).add(value));
  for (const pair of checks.known.filter((leaf) => leaf.kind === "pair" && leaf.get("battle"))) {
    for (const table of pair.get("table").split(" ")) {
      const opening = checks.view.history(table).find((leaf) => leaf.kind === "open" && leaf.known);
      if (!opening) continue;
      add(battles, pair.get("battle"), opening.get("edition"));
      add(editions, opening.get("edition"), pair.get("battle"));
    }
  }
  for (const [battle, several] of inOrder(battles)) {
    checks.say(several.size === 1, place, "the tables of battle {} are of several editions", battle);
  }
  for (const [, named] of inOrder(editions)) {
    checks.say(named.size === 1, place, "tables of several battles are of one edition: {}",
      [...named].sort().join(" "));
  }
}
