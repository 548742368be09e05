// Teams: who plays for whom, line-ups of members who are there, and boards that line-ups fill, sides going to and fro.

/** The team of everybody of whom leaves say it: the last word holds. */
const teamOfMembers = (leaves) =>
  new Map(leaves.filter((leaf) => leaf.kind === "member").map((leaf) => [leaf.get("entrant"), leaf.get("team")]));

/** The members that a team is counted by, by numbers: all that are there, or all if none is. */
function countedMembers(team, before, gone) {
  const entered = new Set(before.filter((leaf) => leaf.kind === "enter").map((leaf) => leaf.get("entrant")));
  const members = [...teamOfMembers(before)].filter(([name, its]) => its === team && entered.has(name));
  const mine = members.map(([name]) => name);
  const here = mine.filter((name) => !gone.has(name));
  return (here.length ? here : mine).sort((one, other) => numberOf(one) - numberOf(other));
}

const UNDO_LINE = new RegExp("^[1-9][0-9]{0,8}[.] UNDO ([1-9][0-9]{0,8}) BECAUSE ");
const SEED = new RegExp("^[1-9][0-9]{0,8}[.] SEED ([E0-9, ]+) BECAUSE ");

/** The rulings that were not taken back; null if the text of one is in no letter. */
function standingRulings(leaves, texts) {
  const ruled = leaves.filter((leaf) => leaf.kind === "verdict")
    .map((leaf) => texts.get(leaf.get("text").replace("sha256:", "")));
  if (ruled.includes(undefined)) return null;
  const undone = new Set(ruled.map((text) => UNDO_LINE.exec(text)?.[1]).filter(Boolean));
  return ruled.filter((text) => !undone.has(text.split(".")[0]));
}

/** The strengths that rulings give entrants; the last holds. */
function seededStrengths(rulings) {
  const pairs = rulings.flatMap((text) => SEED.exec(text)?.[1].split(",") ?? []);
  const words = pairs.map((pair) => pair.split(" ").filter(Boolean)).filter((pair) => pair.length === 2);
  return new Map(words.map(([name, strength]) => [`e${Number(name.replace("E", ""))}`, String(Number(strength))]));
}

/** The average of its members' strengths, rounded down. */
function strengthOfTeam(team, before, gone, seeds) {
  const enters = before.filter((leaf) => leaf.kind === "enter");
  const entered = new Map(enters.map((leaf) =>
    [leaf.get("entrant"), BigInt(seeds.get(leaf.get("entrant")) ?? leaf.get("strength"))]));
  const counted = countedMembers(team, before, gone).map((name) => entered.get(name));
  return String(counted.length ? counted.reduce((sum, one) => sum + one, 0n) / BigInt(counted.length) : 0);
}

/** A line-up is of members who are there, and leaves no board empty that one of them could have. */
function checkLineups(tournament, place, before, closed, away) {
  const teamOf = teamOfMembers(before);
  const teams = new Set(before.filter((leaf) => leaf.kind === "team").map((leaf) => leaf.get("entrant")));
  for (const leaf of before.filter((one) => one.kind === "member")) {
    const [name, team] = [leaf.get("entrant"), leaf.get("team")];
    tournament.say(teams.has(team) && teamOf.get(name) === team, place,
      "{} plays for two teams, or for one that never entered", name);
  }
  for (const [team, some] of closed.lineups) {
    const there = [...teamOf].filter(([name, its]) => its === team && !away.has(name)).map(([name]) => name);
    for (const name of some) {
      tournament.say(there.includes(name), place, "{} is lined up for {}, and is away or no member of it", name, team);
    }
    const most = Math.min(closed.boards, there.length);
    tournament.say(some.length === most, place, "{} lines up {}, where {} could sit", team, some.length, most);
  }
}

/** Of everybody lined up in a list, his team. */
const teamsLinedUp = (closed) =>
  new Map([...closed.lineups].flatMap(([team, some]) => some.map((name) => [name, team])));

/** Each match has all its boards, of those lined up, on sides that go to and fro; `whole`: all its leaves are told. */
function checkMatches(tournament, place, drawn, closed, whole) {
  const boards = new Map(drawn.map((pair) => [Number(pair.get("board")), pair]));
  const teamOf = teamsLinedUp(closed);
  const matches = new Set([...boards.keys()].map((number) => Math.floor((number - 1) / closed.boards)));
  for (const match of [...matches].sort((one, other) => one - other)) {
    const first = match * closed.boards + 1;
    const opening = boards.get(first);
    if (!opening) {
      tournament.say(whole ? false : null, place, "board {} is in no pair, and others of its match are", first);
      continue;
    }
    const numbers = [...boards.keys()].filter((number) => first <= number && number < first + closed.boards);
    if (opening.get("second") === "-") {
      tournament.say(closed.lineups.has(opening.get("first")) && numbers.length === 1, place,
        "board {} is of a team that meets nobody, or of no team", first);
      continue;
    }
    const teams = ["first", "second"].map((key) => teamOf.get(opening.get(key)) ?? "");
    if (!tournament.say(!teams.includes("") && teams[0] !== teams[1], place,
      "board {} is not of two teams as lined up", first)) continue;
    const lines = teams.map((team) => closed.lineups.get(team));
    const most = Math.max(lines[0].length, lines[1].length);
    for (let at = 0; at < most; at += 1) {
      checkBoard(tournament, place, first + at, boards.get(first + at), seatsOf(lines, at), whole);
    }
    const over = numbers.filter((number) => number >= first + most);
    tournament.say(!over.length, place, "board {} is one that neither team has anybody for", over[0] ?? 0);
  }
}

/** Who sits at a board of a match, counted from 0: first and second, or one and "-". */
function seatsOf(lines, at) {
  const [one, other] = lines.map((line) => line[at] ?? "-");
  if (one === "-" || other === "-") return other === "-" ? [one, other] : [other, one];
  return at % 2 ? [other, one] : [one, other];
}

function checkBoard(tournament, place, number, pair, wanted, whole) {
  if (!pair) {
    tournament.say(whole ? false : null, place, "board {} of two line-ups is in no pair", number);
    return;
  }
  const same = pair.get("first") === wanted[0] && pair.get("second") === wanted[1];
  tournament.say(same, place, "board {} is not of {} and {}, as they were lined up", number, ...wanted);
}

/** The teams that have a match in a draw, or nobody to meet. */
function teamsIn(drawn, closed) {
  const teamOf = teamsLinedUp(closed);
  return drawn.flatMap((pair) => [pair.get("first"), pair.get("second")]).map((name) => teamOf.get(name) ?? name);
}

/** Which teams meet, the lower number first. */
function pairsOfTeams(drawn, closed) {
  const teamOf = teamsLinedUp(closed);
  const found = new Map();
  for (const pair of drawn) {
    const two = [pair.get("first"), pair.get("second")].map((name) => teamOf.get(name));
    if (two.includes(undefined)) continue;
    two.sort((one, other) => numberOf(one) - numberOf(other));
    found.set(two.join(" "), two);
  }
  return [...found.keys()].sort().map((key) => found.get(key));
}
