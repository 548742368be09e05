// Lots that are needed after a draw: asked for by a leaf, drawn by what follows from it, told once they have decided.

/** What later lots are called; those that are needed again for one thing are counted. */
const LATER = new RegExp("^((?:jury|appeal)/D[1-9][0-9]{0,8}/[A-Za-z0-9._~-]+|(?:ties|continue)/r[1-9][0-9]{0,5})"
  + "(?:/([1-9][0-9]{0,5}))?$");

/** How the name of a jury begins, after the dispute, that judges a ruling about entrants; whom such a ruling names. */
const RULING = "ruling-";
const NAMED = new RegExp("^[0-9]+[.] (?:BAR E?([0-9]+) E?([0-9]+) |(?:EXPEL|AWARD|WARN) E?([0-9]+) )");

const listedIn = (value) => (value === "-" ? [] : value.split(" "));

/** Check the later lots of a tournament. */
function checkLater(tournament) {
  const [needed, told] = [new Map(), new Set()];
  for (const leaf of tournament.known.filter((one) => ["lot-needed", "lot-drawn"].includes(one.kind))) {
    const name = leaf.get("lot");
    const place = placeOf(`${tournament.game} ${name}`, tournament.game, name);
    tournament.say(tournament.version !== 1n, place, "a tournament of version 1 has no later lots");
    if (leaf.kind === "lot-needed") {
      tournament.say(!needed.has(name), place, "lots {} were needed twice under one name", name);
      checkNeeded(tournament, place, leaf, needed);
      if (!needed.has(name)) needed.set(name, leaf);
      continue;
    }
    tournament.say(!told.has(name), place, "lots {} were drawn twice", name);
    told.add(name);
    const early = !needed.has(name);
    tournament.say(!early || tournament.unlessTold(leaf.seq), place,
      "lots {} were drawn before they were needed", name);
    if (early) continue;
    const beta = checkProven(tournament.keys, tournament.findings, place, needed.get(name), "later", leaf);
    if (beta !== null) checkAsked(tournament, place, needed.get(name), leaf, beta);
  }
  checkUndrawn(tournament, needed, told);
}

/** A jury that is never drawn, and another about the same table that is, may have been left for it. */
function checkUndrawn(tournament, needed, told) {
  for (const [name, leaf] of needed) {
    const [kind, dispute, table] = name.split("/");
    const left = table !== undefined && !told.has(name) && [...told].some((other) => {
      const [its, number, about] = other.split("/");
      const later = needed.has(other) && needed.get(other).seq > leaf.seq;
      return its === kind && about === table && number !== dispute && later;
    });
    if (!left) continue;
    tournament.say(null, placeOf(`${tournament.game} ${name}`, tournament.game, name),
      "lots {} were never drawn, and later ones about its table were: the server could have chosen", name);
  }
}

/** Lots have a name for what they decide, a beacon of the server, and are asked for again for a reason alone. */
function checkNeeded(tournament, place, leaf, before) {
  const [name, found] = [leaf.get("lot"), LATER.exec(leaf.get("lot"))];
  if (!tournament.say(found !== null, place, "there are no lots of this name: {}", name)) return;
  if (tournament.keys.chains !== null) {
    const own = leaf.get("chain") === "none" || tournament.keys.chains.has(leaf.get("chain"));
    tournament.findings.say("round", own, place, "it has another beacon than the server");
  }
  const number = Number(found[2] ?? 1);
  if (number > 1) {
    const last = before.get(number === 2 ? found[1] : `${found[1]}/${number - 1}`);
    const reason = last !== undefined && tournament.known.some((one) =>
      ["score", "verdict"].includes(one.kind) && last.seq < one.seq && one.seq < leaf.seq);
    if (tournament.say(reason || tournament.unlessTold(leaf.seq), place,
      "lots {} were needed again, and nothing had happened", name)) {
      tournament.say(null, place,
        "lots {} were needed again: whoever runs the server could have known those before", name);
    }
  }
  if (["jury", "appeal"].includes(found[1].split("/")[0])) {
    checkJury(tournament, place, leaf, found[1]);
  } else {
    tournament.say(leaf.get("first") === "-" && leaf.get("then") === "-", place,
      "lots {} are drawn among people", name);
  }
}

/** The two at a table by the last leaf about it. */
function seatedAt(leaves, table) {
  const pair = leaves.filter((one) => one.kind === "pair" && one.get("table").split(" ").includes(table)).at(-1);
  return pair ? [pair.get("first"), pair.get("second")] : [];
}

/** Those whom a ruling names; null if its text is in no letter. */
function namedInRuling(tournament, leaves, name) {
  const number = name.slice(RULING.length);
  const leaf = leaves.find((one) => one.kind === "verdict" && one.get("number") === number);
  if (leaf === undefined) return [];
  const text = tournament.texts.get(leaf.get("text").replace("sha256:", ""));
  if (text === undefined) return null;
  return (NAMED.exec(text) ?? []).slice(1).filter(Boolean).map((one) => `e${Number(one)}`);
}

/** Jurors may be all who play, but for the two at the table, or whom the disputed ruling names, their teams, and
 * who was a juror of it before. */
function checkJury(tournament, place, leaf, stem) {
  if (!tournament.isWhole(leaf.seq)) {
    tournament.say(null, place, "leaves of the tournament are in no letter: who may be a juror is not known");
    return;
  }
  const before = tournament.known.filter((one) => one.seq < leaf.seq);
  const [, dispute, table] = stem.split("/");
  const parties = table.startsWith(RULING) ? namedInRuling(tournament, before, table) : seatedAt(before, table);
  if (parties === null) {
    tournament.say(null, place, "the ruling that {} is about is in no letter", leaf.get("lot"));
    return;
  }
  const members = teamOfMembers(before);
  const teamOf = (name) => members.get(name) ?? name;
  const sides = parties.map(teamOf);
  const asked = new Set(before.filter((one) => one.kind === "lot-drawn" && one.get("lot").split("/")[1] === dispute)
    .flatMap((one) => listedIn(one.get("asked"))));
  const entered = new Set(before.filter((one) => one.kind === "enter").map((one) => one.get("entrant")));
  const may = new Set([...entered].filter((name) => !sides.includes(teamOf(name)) && !asked.has(name)));
  const left = new Set(before.filter((one) => one.kind === "leave" && GONE.includes(one.get("why")))
    .map((one) => one.get("entrant")));
  const both = [...listedIn(leaf.get("first")), ...listedIn(leaf.get("then"))];
  const listed = new Set(both);
  tournament.say(parties.length > 0, place, "nobody sits at the table that {} is about", leaf.get("lot"));
  const good = listed.size === both.length && both.every((name) => may.has(name))
    && [...may].every((name) => left.has(name) || listed.has(name));
  tournament.say(good, place, "others may be jurors than {} says", leaf.get("lot"));
  tournament.say(null, place, "who of the jurors of {} is of another score group is not checked here", leaf.get("lot"));
}

/** Whether nobody was asked before all whose turn it was; who was away may be passed over, or asked later. */
function areAskedByLot(order, asked, away) {
  return asked.every((name, index) => order.includes(name) && asked.indexOf(name) === index
    && order.slice(0, order.indexOf(name))
      .every((earlier) => away.has(earlier) || asked.slice(0, index).includes(earlier)));
}

/** Jurors were asked by lot; who had left meanwhile may come later, or not at all. */
function checkAsked(tournament, place, needed, drawn, beta) {
  const dispute = needed.get("lot").split("/")[1];
  const lotOf = (name) => throwDice(beta, `jury/${dispute}/${name}`, 1, 2 ** 32)[0];
  const order = ["first", "then"].flatMap((key) =>
    listedIn(needed.get(key)).map((name) => [lotOf(name), name]).sort((one, other) => one[0] - other[0])
      .map(([, name]) => name));
  const away = new Set(tournament.known.filter((one) => one.kind === "leave" && GONE.includes(one.get("why"))
    && needed.seq < one.seq && one.seq < drawn.seq).map((one) => one.get("entrant")));
  tournament.say(areAskedByLot(order, listedIn(drawn.get("asked")), away), place,
    "others were drawn than the lots {} give", needed.get("lot"));
}
