// The lists of tournaments, of a draw and of a board of duplicate dice: read strictly, and nothing of them believed.

const MOST_NAME = 64;

const numberOf = (name) => Number(name.slice(1));

/** Whether numbers rise, so that each is there once. */
const rising = (numbers) => numbers.every((one, at) => at === 0 || numbers[at - 1] < one);

/** Who stands in a draw: of each his line in words, the name first; who is away; who is barred from whom.
 *
 * `challenges` are those of a ladder that stand, the challenger first.
 */
function drawOf(one) {
  const words = (key) => (one.get(key) === "-" ? [] : one.get(key).split(" "));
  const entrants = one.all("entrant").map((line) => line.split(" "));
  const names = entrants.map(([name]) => name);
  const [away, barred] = [words("away"), words("barred").map((pair) => pair.split("-"))];
  const once = new Set(names).size === names.length && rising(away.map(numberOf))
    && barred.every(([low, high]) => numberOf(low) < numberOf(high))
    && rising(barred.map(([low, high]) => BigInt(numberOf(low)) * 10n ** 9n + BigInt(numberOf(high))));
  if (!once || [...away, ...barred.flat()].some((name) => !names.includes(name))) {
    throw new Bad("a list of a draw has everybody once, and others in their order");
  }
  const round = numberOf(one.get("round"));
  const { boards, lineups } = teamsOf(one, names);
  const present = entrants.filter((line) => !away.includes(line[0]) && Number(line[6]) <= round).map(([name]) => name);
  const challenges = one.all("challenge").map((line) => line.split(" "));
  const met = challenges.flat();
  if (new Set(met).size < met.length || met.some((name) => !present.includes(name))
    || !rising(challenges.map(([challenger]) => numberOf(challenger)))) {
    throw new Bad("a list of a draw has everybody once, and others in their order");
  }
  const found = { block: one, digest: sha(one.data), entrants, names, away, barred, challenges, round, present };
  return { ...found, boards, lineups };
}

/** How many boards a match has, and the line-ups, one for each team in the order of the list; 0 where none plays. */
function teamsOf(one, names) {
  const [told, lines] = [one.all("boards"), one.all("lineup").map((line) => line.split(" "))];
  if (!told.length && !lines.length) return { boards: 0, lineups: new Map() };
  const lineups = new Map(lines.map(([team, ...some]) => [team, some.filter((name) => name !== "-")]));
  const members = [...lineups.values()].flat();
  const good = told.length === 1 && lines.map(([team]) => team).join(" ") === names.join(" ")
    && new Set(members).size === members.length;
  if (!good || [...lineups.values()].some((some) => some.length > Number(told[0]))) {
    throw new Bad("a list of teams has a line-up for each, nobody in two, and no more than there are boards");
  }
  return { boards: Number(told[0]), lineups };
}

/** Whether a table is one of a board: the board's name, with nothing, a letter, or a dash and more behind it. */
const belongs = (table, name) => table.startsWith(name) && /^(?:|[a-z]|-.+)$/.test(table.slice(name.length));

/** The tables of a board, each with the hash of its closed list, or "-"; their common name and phase. */
function boardOf(one) {
  const [name, phase] = one.get("board").split("/");
  const lines = one.all("table").map((line) => line.split(" "));
  const names = lines.map(([table]) => table);
  const good = one.get("board").length <= MOST_NAME && sortedOnce(names)
    && names.every((table) => belongs(table, name));
  if (!good || lines.every(([, digest]) => digest === "-")) {
    throw new Bad("a board has its own tables in order, each once, and one that plays");
  }
  return { block: one, digest: sha(one.data), tables: new Map(lines), name, phase };
}
