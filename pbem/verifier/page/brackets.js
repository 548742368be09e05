// Knockouts: who goes on into a stage follows from the table before it, and the pairs of a round from seeds and the
// scores before them (E3.3, E3.9, E3.10, E3.14 to E3.17).

/** Nobody in a place of a bracket, and somebody whom no letter names. */
const NOBODY = "-";
const UNKNOWN = "";

/** Entrants and divisions of a stage, as many as rules may have. */
const [MOST_TAKEN, MOST_GROUPS] = [4096, 64];

/** The first list of a later stage has whom the table before it lets go on, with those departures that the log has
 * when the table is counted, or at any moment until the list is shut. */
function checkQualified(tournament, place, closed, shut) {
  const [stage, number] = [tournament.stage(closed), Number(closed.block.get("stage"))];
  const tables = tournament.known.filter((leaf) => leaf.kind === "standing" && leaf.seq < shut.seq);
  const last = tables[tables.length - 1];
  const rows = rulesIn(tournament.texts.get(last?.get("table").replace("sha256:", "")));
  if (stage !== null && number > 1) checkOver(tournament, place, String(number - 1), shut);
  if (!Array.isArray(rows) || stage === null || number < 2) return;
  const [take, each] = ["take", "each"].map((key) => ownOf(stage, key) ?? 0);
  if (![take, each].every((one) => Number.isInteger(one) && one >= 0 && one <= MOST_TAKEN)) return;
  const groups = new Map();
  for (const row of rows.filter((one) => typeof one === "object" && one !== null)) {
    const [value, name] = [each ? ownOf(ownOf(row, "values"), "division") : null, ownOf(row, "entrant")];
    const division = typeof value === "number" ? value : null;
    groups.set(division, [...groups.get(division) ?? [], typeof name === "string" ? name : NOBODY]);
  }
  const moved = ownOf(stage, "format") === "league" && !take && !each;
  if (groups.size > MOST_GROUPS || moved) return;
  const wanted = tournament.known.filter((leaf) => last.seq <= leaf.seq && leaf.seq < shut.seq
    && (leaf === last || ["enter", "team", "leave"].includes(leaf.kind))).map((until) => {
    const before = tournament.known.filter((leaf) => leaf.seq <= until.seq);
    const names = qualified([...groups.values()], tournament.absent(before, closed.round).gone, each);
    return (take ? names.slice(0, take) : names).join(" ");
  });
  tournament.say(wanted.includes(closed.names.join(" ")), place,
    "by the table before it others go on, or as other seeds: {}", wanted[wanted.length - 1] || NOBODY);
}

/** No tie of several games was open when the stage after it began. */
function checkOver(tournament, place, number, shut) {
  const lists = [...tournament.view.draws.values()]
    .filter((one) => one.block.get("game") === tournament.game && one.block.get("stage") === number)
    .sort((one, other) => one.round - other.round);
  const last = lists[lists.length - 1];
  const stage = last ? tournament.stage(last) : null;
  const form = tieRules(stage);
  if (ownOf(stage, "format") !== "knockout" || last.boards || form === null || form.best + form.replays < 2) return;
  if (lists.length === 1 && number === "1" && rule(tournament.rules, "entry", "seeds") === "lot") return;
  const before = tournament.known.filter((leaf) => leaf.seq < shut.seq);
  const rounds = { first: lists[0].round, next: last.round + 1, played: (round) => playedRound(before, `r${round}`) };
  const ties = tiesBefore(last.names, rounds, form);
  const left = new Set(ties.flatMap(({ names }) => names).filter((name) => name !== NOBODY));
  const isOpen = left.size > 1 && ties.some(({ winner }) => winner === undefined);
  const whole = tournament.isWhole(shut.seq) && !left.has(UNKNOWN);
  tournament.say(!isOpen || (whole ? false : null), place, "by its ties stage {} was not over", number);
}

/** Who goes on, by seed: all winners of groups, then all seconds, so that two of one group meet late. */
function qualified(groups, gone, each) {
  const there = groups.map((group) => group.filter((name) => !gone.has(name)));
  if (!each) return there.flat();
  const taken = there.map((group) => group.slice(0, each));
  const order = bracketOrder(taken.flat().length);
  let seeds = [];
  for (let place = 0; place < each && taken.some((group) => group.length > place); place += 1) {
    const mine = taken.filter((group) => group.length > place);
    const row = mine.map((group) => group[place]);
    let [best, chosen] = [-1, seeds];
    for (const start of row.keys()) {
      const names = [...seeds, ...row.slice(start), ...row.slice(0, start)];
      const slots = new Map(order.map((seed, slot) => [names[seed], slot]));
      const rounds = mine.flatMap((group) => group.slice(0, place).map((mate) =>
        32 - Math.clz32(slots.get(group[place]) ^ slots.get(mate))));
      const first = rounds.length ? Math.min(...rounds) : 0;
      if (first > best) [best, chosen] = [first, names];
    }
    seeds = chosen;
  }
  return seeds;
}

/** What the rules of a knockout say of third place, games of a tie and replays; null if they cannot be so. */
function tieRules(stage) {
  const [best, replays] = [ownOf(stage, "best") ?? 1, ownOf(stage, "replays") ?? 0];
  const fits = [best, replays].every((one) => Number.isInteger(one) && one >= 0 && one < 10);
  return fits ? { third: ownOf(stage, "third") === true, best, replays } : null;
}

/** The pairs of a list's round, as they were drawn, if its stage is a knockout. */
function checkBracket(tournament, place, closed, pairs) {
  const [stage, number] = [tournament.stage(closed), closed.block.get("stage")];
  const form = tieRules(stage);
  if (ownOf(stage, "format") !== "knockout" || closed.boards || form === null) return;
  const first = Math.min(...[...tournament.view.draws.values()].filter((one) =>
    one.block.get("game") === tournament.game && one.block.get("stage") === number).map((one) => one.round));
  if (number === "1" && closed.round === first && rule(tournament.rules, "entry", "seeds") === "lot") return;
  const before = tournament.known.filter((leaf) => leaf.seq < pairs[0].seq);
  const rounds = { first, next: closed.round, played: (round) => playedRound(before, `r${round}`) };
  const ties = tiesBefore(closed.names, rounds, form);
  const open = ties.filter((tie) => tie.winner === undefined);
  const here = (names) => names.filter((name) => closed.present.includes(name))
    .sort((one, other) => numberOf(one) - numberOf(other)).join("-");
  const wanted = open.map((tie) => here(tie.names)).filter(Boolean).sort();
  const drawn = pairs.filter((pair) => pair.get("second") !== NOBODY || closed.present.includes(pair.get("first")))
    .map((pair) => [pair.get("first"), pair.get("second")].filter((name) => name !== NOBODY)
      .sort((one, other) => numberOf(one) - numberOf(other)).join("-")).sort();
  const whole = tournament.isWhole(pairs[0].seq)
    && !ties.some((tie) => [...tie.names, tie.winner].includes(UNKNOWN));
  tournament.say(drawn.join() === wanted.join() || (whole ? false : null), place,
    "by its bracket and the scores before it others meet: {}", wanted.join(", ") || NOBODY);
  for (const tie of open.filter(({ games }) => games.length)) {
    const sides = ["first", "second"].map((side) => tie.games[tie.games.length - 1].pair.get(side));
    const same = pairs.some((pair) => pair.get("first") === sides[0] && pair.get("second") === sides[1]);
    tournament.say(!same || (whole ? false : null), place,
      "{} and {} do not exchange the sides of their last game", ...sides);
  }
}

/** What leaves say of a round, without replaced pairs and void draws. */
function playedRound(leaves, round) {
  const mine = leaves.filter((leaf) => ["pair", "score"].includes(leaf.kind) && leaf.get("round") === round);
  const pairs = mine.filter((leaf) => leaf.kind === "pair");
  const newest = pairs.reduce((most, leaf) => (leaf.num("attempt") > most ? leaf.num("attempt") : most), 0n);
  const boards = new Map(pairs.filter((leaf) => leaf.num("attempt") === newest)
    .map((leaf) => [leaf.get("board"), leaf]));
  const scores = new Map(mine.filter((leaf) => leaf.kind === "score")
    .map((leaf) => [keyOf(leaf.get("board"), leaf.get("table")), leaf]));
  const byes = [...boards].filter(([board]) => scores.get(keyOf(board, NOBODY))?.get("how") === "bye")
    .map(([, pair]) => pair.get("first"));
  return { pairs: [...boards.values()], scores, byes };
}

/** The seeds from 0 in the order of a bracket. */
function bracketOrder(count) {
  let order = [0];
  while (order.length < count) {
    const size = 2 * order.length;
    order = order.flatMap((low) => [low, size - 1 - low]);
  }
  return order;
}

const neighbours = (slots) => {
  const ties = [];
  for (let at = 0; at + 1 < slots.length; at += 2) {
    ties.push({ names: [slots[at], slots[at + 1]], winner: undefined, games: [] });
  }
  return ties;
};

/** The ties of the level that is to be played after some rounds; the winner of an open one is undefined. */
function tiesBefore(names, rounds, form) {
  let level = neighbours(bracketOrder(names.length).map((seed) => names[seed] ?? NOBODY));
  for (let round = rounds.first; round < rounds.next && level.length; round += 1) {
    const played = rounds.played(round);
    const pairs = played.pairs.filter((pair) => pair.get("second") !== NOBODY)
      .map((pair) => [pair.get("first"), pair.get("second")]);
    if (isPast(level, pairs)) {
      const drawn = pairs.flat();
      for (const tie of level.filter(({ winner }) => winner === undefined)) {
        tie.winner = tie.names.find((name) => drawn.includes(name)) ?? leaderOf(tie, names);
      }
      level = nextLevel(level, form);
    }
    for (const tie of level.filter(({ winner }) => winner === undefined)) playTie(tie, played, names, form);
  }
  return level.length && level.every(({ winner }) => winner !== undefined) ? nextLevel(level, form) : level;
}

/** Whether a round comes after a level: none of its ties meets, and all are over or the draw has gone past them. */
function isPast(level, pairs) {
  const meets = ({ names }) => pairs.some((pair) => pair.every((name) => names.includes(name)));
  if (!level.length || level.some(meets)) return false;
  return level.every(({ winner }) => winner !== undefined)
    || (pairs.length > 0 && level.some(({ games }) => games.length > 0));
}

/** The level of the winners, with the game of the losers of semi-finals. */
function nextLevel(level, form) {
  const over = level.filter((tie) => !tie.third);
  const slots = over.map(({ winner }) => winner);
  const ties = neighbours(slots);
  const losers = over.map((tie) => tie.names.find((name) => name !== tie.winner && name !== NOBODY));
  if (form.third && slots.length === 2 && !slots.includes(NOBODY) && !losers.includes(undefined)) {
    const names = slots.includes(UNKNOWN) ? [UNKNOWN, UNKNOWN] : losers;
    ties.push({ names, winner: undefined, games: [], third: true });
  }
  return ties;
}

/** A round of an open tie: another game, a bye that ends it, or nobody. */
function playTie(tie, played, names, form) {
  const pair = played.pairs.find((one) => one.get("second") !== NOBODY
    && [one.get("first"), one.get("second")].every((name) => tie.names.includes(name)));
  if (!pair) {
    tie.winner = tie.names.find((name) => played.byes.includes(name)) ?? leaderOf(tie, names);
    return;
  }
  const tables = pair.get("table").split(" ").map((table) => played.scores.get(keyOf(pair.get("board"), table)));
  if (tables.includes(undefined)) {
    tie.winner = UNKNOWN;
    return;
  }
  if (tables.every((score) => score.get("how") === "forfeit" && score.get("halves") === "0 0")) {
    tie.winner = NOBODY;
    return;
  }
  let [halves, margin] = [0, 0n];
  for (const [index, score] of tables.entries()) {
    const turned = (index === 1) !== (pair.get("first") === tie.names[1]);
    const [one, other] = score.get("halves").split(" ").map(Number);
    halves += turned ? other - one : one - other;
    margin += BigInt(score.get("margin")) * (turned ? -1n : 1n);
  }
  tie.games.push({ pair, halves, margin });
  const lead = Math.abs(tie.games.reduce((sum, game) => sum + game.halves, 0));
  const catchable = 2 * tables.length * Math.max(0, form.best - tie.games.length);
  if (lead > catchable || tie.games.length >= form.best + form.replays) tie.winner = leaderOf(tie, names);
}

/** Who is ahead in all games: more points, the greater margin, the better seed. */
function leaderOf(tie, names) {
  if (!tie.games.length) return NOBODY;
  const halves = tie.games.reduce((sum, game) => sum + game.halves, 0);
  const margin = tie.games.reduce((sum, game) => sum + game.margin, 0n);
  const better = names.indexOf(tie.names[0]) < names.indexOf(tie.names[1]);
  return tie.names[(halves || (margin > 0n ? 1 : margin < 0n ? -1 : better ? 1 : -1)) > 0 ? 0 : 1];
}
