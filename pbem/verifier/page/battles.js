// Battles of rounds: in turn, by lot or chosen, as the rules say, in one edition each.

/** The battles that the pairs of a draw name; `beta` is the secret of its lots, or null. */
function checkBattles(checks, place, closed, pairs, beta) {
  const stage = checks.stage(closed);
  if (stage === null) {
    if (pairs.some((pair) => pair.get("battle"))) {
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
  const way = ways.length ? ways[(within - 1) % ways.length] : "";
  const isDrawn = ["lot", "choice"].includes(way);
  if (!["", "turn", "lot", "choice"].includes(way) || (isDrawn && beta === null)) {
    checks.say(null, place, "that its battle follows from the rules and lots is not checked");
    return;
  }
  const named = isDrawn ? [...new Set(names)] : names;
  const own = named.length ? named : [rule(checks.rules, "table", "scenario")];
  if (way === "choice") {
    checkChoices(checks, place, pairs, own, beta);
    return;
  }
  const wanted = way === "lot" ? orderByLot(own, beta)[0] : way ? own[(within - 1) % own.length] : "";
  for (const pair of pairs) sayBattle(checks, place, pair, pair.get("table") === "-" ? "" : wanted);
}

/** A pair names the battle that is due, and nothing else. */
function sayBattle(checks, place, pair, due) {
  checks.say(pair.get("battle") === due, place, "board {} is of battle {}, and by rules, lots and choices of {}",
    pair.get("board"), pair.get("battle") || "-", due || "-");
}

/** E2.4 Each board is of the battle that its two players' choices give. */
function checkChoices(checks, place, pairs, names, beta) {
  const chosen = new Map();
  for (const pair of pairs) {
    const [board, told] = [pair.get("board"), pair.get("battle")];
    const [battle, ...choices] = told.split(" ");
    if (!choices.length) {
      // Until the choice nothing is named, and what was chosen stands for who comes after.
      sayBattle(checks, place, pair, pair.get("table") === "-" ? "" : chosen.get(board) ?? "");
      continue;
    }
    checks.say(!chosen.has(board), place, "the battle of board {} was chosen twice", board);
    const parts = choices.map((word) => word.split(":"));
    const lists = parts.map(([, text]) => (text === "-" ? [] : text.split(",")));
    const mine = parts[0][0] === pair.get("first") && parts[1][0] === pair.get("second");
    const good = mine && lists.every((list) =>
      list.every((name) => names.includes(name)) && new Set(list).size === list.length);
    checks.say(good, place, "the choices of board {} are of others, or of battles that are not there", board);
    const due = chooseBattle(orderByLot(names, beta, `${board}/`), lists);
    sayBattle(checks, place, pair, [due, ...choices].join(" "));
    chosen.set(board, battle);
  }
  for (const pair of pairs) {
    if (!chosen.has(pair.get("board")) && pair.get("table") !== "-") checkUnchosen(checks, place, pair);
  }
}

/** A board without a chosen battle was not played. */
function checkUnchosen(checks, place, pair) {
  const tables = pair.get("table").split(" ");
  const played = checks.known.find((leaf) =>
    leaf.kind === "score" && tables.includes(leaf.get("table")) && leaf.get("leaf") !== "-");
  if (!played) return;
  checks.say(checks.unlessTold(played.seq), place,
    "board {} was played, and no leaf says that its battle was chosen", pair.get("board"));
}

/** E2.4 The battle whose worse place in two choices is the best, then their sum, then by lot. */
function chooseBattle(byLot, choices) {
  const places = (name) => choices.map((list) => (list.includes(name) ? list.indexOf(name) : list.length));
  const key = (name) => {
    const [one, other] = places(name);
    return [Math.max(one, other), one + other];
  };
  return byLot.reduce((best, name) => {
    const [[most, sum], [least, total]] = [key(name), key(best)];
    return most < least || (most === least && sum < total) ? name : best;
  });
}

/** A list of texts in rules; empty for anything else. */
function textsOf(stage, key) {
  const values = ownOf(stage, key);
  return Array.isArray(values) && values.every((value) => typeof value === "string") ? values : [];
}

/** E2.3 Battles by their lots, the lowest first; of equal ones the first named. */
function orderByLot(names, beta, board = "") {
  const lot = new Map(names.map((name) => [name, throwDice(beta, `battle/${board}${name}`, 1, 2 ** 32)[0]]));
  return [...names].sort((one, other) => lot.get(one) - lot.get(other));
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
    const [battle] = pair.get("battle").split(" ");
    for (const table of pair.get("table").split(" ")) {
      const opening = checks.view.history(table).find((leaf) => leaf.kind === "open" && leaf.known);
      if (!opening) continue;
      add(battles, battle, opening.get("edition"));
      add(editions, opening.get("edition"), battle);
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
