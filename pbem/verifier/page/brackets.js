// Knockouts: the pairs of a round follow from seeds and the scores before them (E3.3, E3.10, E3.14).

/** Nobody in a place of a bracket, and somebody whom no letter names. */
const NOBODY = "-";
const UNKNOWN = "";

/** The pairs of a list's round, as they were drawn, if its stage is a knockout. */
function checkBracket(tournament, place, closed, pairs) {
  const [stage, number] = [tournament.stage(closed), closed.block.get("stage")];
  if (ownOf(stage, "format") !== "knockout" || closed.boards) return;
  const first = Math.min(...[...tournament.view.draws.values()].filter((one) =>
    one.block.get("game") === tournament.game && one.block.get("stage") === number).map((one) => one.round));
  if (number === "1" && closed.round === first && rule(tournament.rules, "entry", "seeds") === "lot") return;
  const before = tournament.known.filter((leaf) => leaf.seq < pairs[0].seq);
  const rounds = { first, next: closed.round, played: (round) => playedRound(before, `r${round}`) };
  const ties = tiesBefore(closed.names, rounds, ownOf(stage, "third") === true);
  const here = (names) => names.filter((name) => closed.present.includes(name))
    .sort((one, other) => numberOf(one) - numberOf(other)).join("-");
  const wanted = ties.map(here).filter(Boolean).sort();
  const drawn = pairs.filter((pair) => pair.get("second") !== NOBODY || closed.present.includes(pair.get("first")))
    .map((pair) => [pair.get("first"), pair.get("second")].filter((name) => name !== NOBODY)
      .sort((one, other) => numberOf(one) - numberOf(other)).join("-")).sort();
  const whole = tournament.isWhole(pairs[0].seq) && !ties.flat().includes(UNKNOWN);
  tournament.say(drawn.join() === wanted.join() || (whole ? false : null), place,
    "by its bracket and the scores before it others meet: {}", wanted.join(", ") || NOBODY);
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
  const couples = [];
  for (let at = 0; at + 1 < slots.length; at += 2) couples.push([slots[at], slots[at + 1]]);
  return couples;
};

/** Who is to meet after some rounds, by seed. */
function tiesBefore(names, rounds, third) {
  let slots = bracketOrder(names.length).map((seed) => names[seed] ?? NOBODY);
  let ties = neighbours(slots);
  for (let round = rounds.first; round < rounds.next && slots.length > 1; round += 1) {
    const played = rounds.played(round);
    const ended = neighbours(slots);
    slots = ended.map((tie) => decideTie(tie, played, names));
    ties = neighbours(slots);
    const losers = ended.map((tie, at) => tie.find((name) => name !== slots[at] && name !== NOBODY));
    if (third && slots.length === 2 && !slots.includes(NOBODY) && !losers.includes(undefined)) {
      ties.push(slots.includes(UNKNOWN) ? [UNKNOWN, UNKNOWN] : losers);
    }
  }
  return ties;
}

/** Who goes on: more points, the greater margin, the better seed. */
function decideTie(tie, played, names) {
  const pair = played.pairs.find((one) => one.get("second") !== NOBODY
    && [one.get("first"), one.get("second")].every((name) => tie.includes(name)));
  if (!pair) return tie.find((name) => played.byes.includes(name)) ?? NOBODY;
  const tables = pair.get("table").split(" ").map((table) => played.scores.get(keyOf(pair.get("board"), table)));
  if (tables.includes(undefined)) return UNKNOWN;
  if (tables.every((score) => score.get("how") === "forfeit" && score.get("halves") === "0 0")) return NOBODY;
  let [halves, margin] = [0, 0n];
  for (const [index, score] of tables.entries()) {
    const [one, other] = score.get("halves").split(" ").map(Number);
    halves += index ? other - one : one - other;
    margin += BigInt(score.get("margin")) * (index ? -1n : 1n);
  }
  const [first, second] = [pair.get("first"), pair.get("second")];
  const better = names.indexOf(first) < names.indexOf(second);
  return (halves || (margin > 0n ? 1 : margin < 0n ? -1 : better ? 1 : -1)) > 0 ? first : second;
}
