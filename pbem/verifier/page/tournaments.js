// Tournaments: lists shut before lots are drawn, lots before pairs, and scores of boards that were paired.

const TOURNAMENT = "event/";

/** The newest version of a tournament's leaves that is known here. */
const NEWEST = 2n;

/** Why somebody plays no more, unless he returns. */
const GONE = ["withdrew", "expelled", "silent", "replaced"];

/** Of which line of a leaf the text is that a letter opens. */
const TEXT_OF = new Map(Object.entries({ found: "rules", standing: "table", rated: "ratings", verdict: "text" }));

/** What follows a round in the names of its tables, by the attempt; nothing at the first. */
const AGAIN = "abcdefghijklmnopqrstuvwxyz";

/** How a round counts for one who meets nobody, with the halves that it may be worth. */
const PASSED = new Map(Object.entries(
  { bye: "24", "half-bye": "12", forfeit: "2", rest: "0", absent: "0", late: "0" }));

/** The lines of verdicts by which a game that is over counts otherwise; what passes a round is scored in each draw. */
const DISPUTE = "(?:RULING )?D ?0*[1-9][0-9]{0,3} "
  + "(?:UPHOLD|DENY|DRAW|ESTIMAR|DESESTIMAR|TABLAS|FORFEIT|WARN|HOURS [0-9]{1,3})";
const UNDO = "UNDO 0*[1-9][0-9]{0,4}";

/** A value of an object by its name; null if it has none of its own. */
const ownOf = (of, name) => (of !== null && typeof of === "object" && Object.hasOwn(of, name) ? of[name] : null);

/** Check every tournament of which letters show leaves, and that no list is there that was never shut. */
function checkTournaments(view, findings, keys) {
  for (const [game] of inOrder(view.histories)) {
    if (game.startsWith(TOURNAMENT)) new TournamentChecks(view, findings, keys, game).check();
  }
  const fixed = [...view.leaves.values()].filter((leaf) => ["shut", "bind"].includes(leaf.kind) && leaf.known);
  const shut = new Set(fixed.map((leaf) => leaf.get("slate")));
  for (const [digest, draw] of inOrder(view.draws)) {
    findings.say("draws", shut.has(digest), placeOf(draw.block.get("game")), "a list of a draw that was never shut");
  }
  for (const [digest, bound] of inOrder(view.boards)) {
    findings.say("draws", shut.has(digest), placeOf(bound.block.get("game")), "a board that was never bound");
  }
  for (const [letter, one] of view.parts("opens")) {
    checkText(view, findings, placeOf(letter.where), one);
  }
}

/** A text of a tournament is the one of which a leaf says the digest. */
function checkText(view, findings, place, one) {
  const [game, seq] = [one.get("game"), one.num("seq")];
  const leaf = view.leaves.get(keyOf(game, seq));
  const digest = `sha256:${sha(one.all("text").join(""))}`;
  const truth = leaf?.known ? leaf.get(TEXT_OF.get(leaf.kind) ?? "") === digest : null;
  findings.say("opened", truth, place, "a text is opened that leaf {} of {} does not name", seq, game);
}

/** What the secret of a list of a draw or of a board is computed from. */
function alphaOfList(group, digest, sig) {
  const value = sig === "none" ? "none" : sha(unhex(sig));
  return block("alpha", ["group", group], ["slate", digest], ["beacon", value]);
}

/** What follows from a list that waited, or from a leaf that needed lots: the beacon's value, and the proof of the
 * secret, which `told` tells; the secret is returned, or null. */
function checkProven(keys, findings, place, fixed, group, told) {
  const [chain, sig] = [fixed.get("chain"), told.get("sig")];
  const agree = (sig === "none") === (chain === "none");
  if (findings.say("beacon", agree, place,
      "a beacon without a value, or a value without a beacon") && chain !== "none") {
    if (chain !== QUICKNET) {
      findings.say("beacon", null, place, "its beacon {} is not a public one", chain);
    } else {
      findings.say("beacon", isRound(fixed.num("beacon"), unhex(sig)), place,
        "the signature is not that of round {}", fixed.get("beacon"));
    }
  }
  const key = keys.vrfAt(fixed.at);
  if (key === null) {
    findings.say("vrf", null, place, "the key of the dice is not known");
    return null;
  }
  const beta = vrf(key, alphaOfList(group, fixed.get("slate") || sha(fixed.data), sig), told.groups[0][1]);
  findings.say("vrf", beta !== null, place, "the proof of group {} is false", group);
  return beta;
}

/** The checks of one tournament. */
class TournamentChecks {
  constructor(view, findings, keys, game) {
    const known = view.history(game).filter((leaf) => leaf.known);
    Object.assign(this, { view, findings, keys, game, known });
    const found = view.leaves.get(keyOf(game, 0n));
    this.found = found?.kind === "found" && found.known ? found : null;
    this.version = this.found === null ? 0n : BigInt(this.found.get("version") || 1);
    const opened = [...view.parts("opens")].map(([, one]) => one.all("text").join("")).filter(Boolean);
    this.texts = new Map(opened.map((text) => [sha(text), text]));
    this.rules = rulesIn(this.texts.get(this.found?.get("rules").replace("sha256:", "")));
  }

  say(truth, place, why, ...given) {
    return this.findings.say("draws", truth, place, why, ...given);
  }

  isWhole(last) {
    return this.view.told(this.game, [], 0n, last);
  }

  /** What it means that something is not there before a leaf: false if all leaves before it are. */
  unlessTold(last) {
    return this.isWhole(last) ? false : null;
  }

  of(kind, round, attempt) {
    return this.known.filter((leaf) =>
      leaf.kind === kind && leaf.get("round") === round && leaf.get("attempt") === attempt);
  }

  check() {
    const place = placeOf(this.game);
    if (this.version > NEWEST) {
      this.say(null, place,
        "its leaves are of version {}, which is newer than this program: check it by a newer one", this.version);
      return;
    }
    for (const leaf of this.view.history(this.game)) {
      this.say((leaf.kind === "found") === (leaf.seq === 0n), place,
        "a tournament is founded by its first leaf, once: leaf {}", leaf.seq);
      if (leaf.kind !== "found" || !leaf.known) continue;
      const name = leaf.get("name");
      this.say(this.game === TOURNAMENT + name, place, "it is founded under the name of {}", name);
    }
    const acts = this.known.filter((leaf) => ["shut", "lot", "pair"].includes(leaf.kind));
    const draws = new Map(acts.map((leaf) => [`${leaf.get("round")}~${leaf.get("attempt")}`,
      [leaf.get("round"), leaf.get("attempt")]]));
    const later = (one, other) => numberOf(one[0]) - numberOf(other[0]) || (BigInt(one[1]) < BigInt(other[1]) ? -1 : 1);
    for (const [round, attempt] of [...draws.values()].sort(later)) this.draw(round, attempt);
    checkEditions(this, place);
    checkLater(this);
    this.scores();
    this.counted(place);
  }

  /** Verdicts are counted, with the numbers of their texts; a table is of a round that was drawn before. */
  counted(place) {
    let number = 0n;
    const drawn = new Set();
    for (const leaf of this.known) {
      if (leaf.kind === "verdict") {
        const text = this.texts.get(leaf.get("text").replace("sha256:", ""));
        const same = text === undefined || text.startsWith(`${leaf.get("number")}. `);
        this.say(same && leaf.num("number") > number, place,
          "leaf {} is not the verdict that its number says", leaf.seq);
        number = leaf.num("number");
      }
      if (leaf.kind === "shut") drawn.add(leaf.get("round"));
      if (leaf.kind === "standing") {
        this.say(drawn.has(leaf.get("round")) || this.unlessTold(leaf.seq), place,
          "leaf {} has the table of {}, which was not drawn before", leaf.seq, leaf.get("round"));
      }
    }
  }

  /** One draw of a round: in its order, once, on its list. */
  draw(round, attempt) {
    const name = `${round}~${attempt}`;
    const place = placeOf(`${this.game} ${name}`, this.game, name);
    const [shuts, lots, pairs] = ["shut", "lot", "pair"].map((kind) => this.of(kind, round, attempt));
    this.say(shuts.length < 2, place, "its list was shut {} times", shuts.length);
    this.say(lots.length < 2, place, "its lots were drawn {} times", lots.length);
    for (const [before, after, why] of [
      [shuts, lots, "lots were drawn before the list was shut"],
      [lots, pairs, "it was paired before lots were drawn"],
    ]) {
      if (!after.length) continue;
      const early = !before.length || before[0].seq > after[0].seq;
      this.say(!early || (before.length ? false : this.unlessTold(after[0].seq)), place, why);
    }
    const shut = shuts[0];
    if (shut && attempt !== "1") this.again(place, round, attempt, shut);
    const closed = (shut && this.view.draws.get(shut.get("slate"))) ?? null;
    if (shut && closed === null) this.say(null, place, "the list that was shut is in no letter");
    if (closed !== null) this.listed(place, round, attempt, shut, closed);
    const beta = shut && lots.length
      ? checkProven(this.keys, this.findings, place, shut, "draw", lots[0]) : null;
    if (pairs.length) this.paired(place, round, attempt, pairs, closed);
    if (pairs.length && closed !== null) checkBattles(this, place, closed, pairs, beta);
    if (closed === null || !this.hasOneLuck(closed)) return;
    for (const table of [...new Set(pairs.flatMap((pair) => pair.get("table").split(" ")))].sort()) this.shared(table);
  }

  /** Whether the rules that the tournament was founded with let tables of a list's stage roll alike. */
  hasOneLuck(closed) {
    const stage = this.stage(closed);
    const sides = ownOf(stage, "sides");
    return sides === "duplicate" || (sides === "mirror" && ownOf(stage, "luck") === "one");
  }

  /** What the rules that the tournament was founded with say of a list's stage; null if that is not known. */
  stage(closed) {
    const [stages, number] = [ownOf(this.rules, "stage"), Number(closed.block.get("stage"))];
    if (this.found?.get("rules") !== closed.block.get("rules") || !Array.isArray(stages)) return null;
    const stage = stages[number - 1] ?? null;
    return typeof stage === "object" && !Array.isArray(stage) ? stage : null;
  }

  /** A table of such a stage has no dice of its own, until its board goes on without it or it plays again. */
  shared(table) {
    // The leaves of a phase are in the order of the chain.
    const phases = [...this.view.phases.values()].filter((one) => one.game === table);
    phases.sort((one, other) => (one.leaves[0].seq < other.leaves[0].seq ? -1 : 1));
    const history = this.view.history(this.game);
    const last = history[history.length - 1];
    for (const phase of phases) {
      if (phase.attempt !== 1) return; // from then on its dice are its own
      for (const close of phase.of("close", 1n)) {
        const slate = this.view.slate(close);
        if (slate === null) continue;
        const gone = this.view.bound.filter((one) => one.at < close.at).some((one) => {
          const parts = one.get("board").split("/");
          const isOfPhase = parts.length > 2 && parts[parts.length - 2] === phase.name;
          return isOfPhase && table.startsWith(parts.slice(0, -2).join("/"));
        });
        const truth = slate.board !== "" || gone || (last.at > close.at && this.isWhole(last.seq) ? false : null);
        this.findings.say("close", truth, phase.place,
          "the tables of its stage have one luck, and this list has dice of its own");
      }
    }
  }

  /** A round is drawn again by a verdict alone, that stands between the two. */
  again(place, round, attempt, shut) {
    const before = this.of("shut", round, String(BigInt(attempt) - 1n))[0];
    const ruled = before === undefined ? this.unlessTold(shut.seq)
      : this.ruled(`REDRAW R ?0*${round.slice(1)}`, before.seq, shut.seq);
    this.say(ruled, place, "it was drawn again, and no verdict says so before");
  }

  /** Whether a verdict between two leaves has a line; null if that may be one whose text is in no letter. */
  ruled(line, since, until) {
    const texts = this.known.filter((leaf) => leaf.kind === "verdict" && since < leaf.seq && leaf.seq < until)
      .map((leaf) => this.texts.get(leaf.get("text").replace("sha256:", "")));
    const form = new RegExp(`^[1-9][0-9]{0,8}[.] (?:${line}) BECAUSE `);
    if (texts.some((text) => text !== undefined && form.test(text))) return true;
    return texts.includes(undefined) ? null : this.unlessTold(until);
  }

  /** The list is that of this draw, and has everybody who is to be in it. */
  listed(place, round, attempt, shut, closed) {
    const said = closed.block;
    const same = said.get("game") === this.game && said.get("round") === round && said.get("attempt") === attempt;
    this.say(same, place, "the list that was shut is of another draw");
    const chain = shut.get("chain");
    const beacon = chain === "none" ? "none" : `${chain} ${shut.get("beacon")}`;
    this.findings.say("round", said.get("beacon") === beacon, place, "the list has another round than was said");
    if (this.keys.chains !== null) {
      const own = chain === "none" || this.keys.chains.has(chain);
      this.findings.say("round", own, place, "it has another beacon than the server");
    }
    if (this.found !== null) {
      const ruled = this.known.some((leaf) => leaf.kind === "verdict" && leaf.seq < shut.seq);
      const other = ruled && this.version === 1n ? null : this.unlessTold(shut.seq);
      const truth = said.get("rules") === this.found.get("rules") || other;
      this.say(truth, place, "its rules are not those that it was founded with");
    }
    if (!this.isWhole(shut.seq)) {
      this.say(null, place, "leaves of the tournament are in no letter: who is to be listed is not known");
    } else {
      this.members(place, shut, closed);
    }
  }

  /** Nobody is listed who did not enter, nobody left out who did, and nobody away who plays. */
  members(place, shut, closed) {
    const before = this.known.filter((leaf) => leaf.seq < shut.seq);
    const { gone, resting } = this.absent(before, closed.round);
    const kind = closed.boards ? "team" : "enter";
    const entered = new Map(before.filter((leaf) => leaf.kind === kind).map((leaf) => [leaf.get("entrant"), leaf]));
    const rulings = standingRulings(before, this.texts);
    const seeds = seededStrengths(rulings ?? []);
    const strong = new Map([...entered].map(([name, leaf]) =>
      [name, closed.boards ? strengthOfTeam(name, before, gone, seeds) : seeds.get(name) ?? leaf.get("strength")]));
    if (closed.boards) checkLineups(this, place, before, closed, new Set([...gone, ...resting]));
    for (const [name, strength] of closed.entrants) {
      if (this.say(entered.has(name), place, "{} is listed, and never entered", name)) {
        const same = strength === strong.get(name) || (rulings === null ? null : false);
        this.say(same, place, "{} is listed with another strength than he entered with", name);
      }
      const away = gone.has(name) || resting.has(name) || (closed.boards > 0 && !closed.lineups.get(name).length);
      this.say(away === closed.away.includes(name), place,
        "{} is away in the list, and rests, otherwise than the log says", name);
    }
    if (this.version === 1n) {
      this.say(null, place,
        "it was founded under version 1.0.0: the server could have chosen hours, zones and halves in the list");
    } else {
      this.enteredOnce(place, before);
      const told = { leaves: before, lists: this.earlier(shut), gone, resting, entered };
      checkStated(this, place, closed, { ...told, texts: this.texts, rules: this.rules });
    }
    this.challenged(place, shut, closed);
    const { wanted, orders, firm } = this.expected(closed, shut, entered, strong);
    for (const name of wanted) {
      this.say(closed.names.includes(name) || gone.has(name), place, "{} is to play, and is not listed", name);
    }
    if (!orders.length) {
      this.say(null, place, "who goes on into stage {} is not checked here: full mode does", closed.block.get("stage"));
      checkQualified(this, place, closed, shut);
      return;
    }
    const listed = (order) => order.filter((name) => closed.names.includes(name)).join(" ");
    const same = orders.some((order) => listed(order) === closed.names.join(" "));
    this.say(same || (firm ? false : null), place, "the list is not in the order of seeds");
  }

  /** Nobody who is in enters again, with other values; and nobody is expelled but by a ruling. */
  enteredOnce(place, before) {
    const [there, teamOf] = [new Set(), teamOfMembers(before)];
    for (const leaf of before.filter((one) => ["enter", "leave"].includes(one.kind))) {
      const name = leaf.get("entrant");
      if (leaf.kind === "enter") {
        this.say(!there.has(name), place, "{} entered again, and had not left", name);
        there.add(name);
        if (rule(this.rules, "entry", "by") === "approval") {
          const number = `E?0*${name.slice(1)}`;
          this.say(this.ruled(`ADMIT ${number}|SUBSTITUTE E?0*[0-9]+ BY ${number}`, -1n, leaf.seq), place,
            "{} entered, and no verdict says so before", name);
        }
        continue;
      }
      there[GONE.includes(leaf.get("why")) ? "delete" : "add"](name);
      if (leaf.get("why") !== "expelled") continue;
      // Who is of his team, or it, may be named: a team goes with the last who is expelled.
      const members = [...teamOf].filter(([, team]) => team === name).map(([one]) => one);
      const numbers = [name, teamOf.get(name) ?? name, ...members].map((one) => one.slice(1)).join("|");
      this.say(this.ruled(`EXPEL E?0*(?:${numbers})`, -1n, leaf.seq), place,
        "{} was expelled, and no verdict says so before", name);
    }
  }

  /** Who meets because he was challenged has accepted; one left out is away, barred, or too far by the ladder. */
  challenged(place, shut, closed) {
    const told = this.known.filter((leaf) =>
      leaf.kind === "challenge" && leaf.get("round") === shut.get("round") && leaf.seq < shut.seq)
      .map((leaf) => [leaf.get("challenger"), leaf.get("challenged")]);
    const whole = this.view.told(this.game, ["challenge"], 0n, shut.seq);
    for (const two of closed.challenges) {
      this.say(told.some((one) => one.join() === two.join()) || (whole ? false : null), place,
        "{} challenges {} in the list, and no leaf says that this was accepted", ...two);
    }
    const met = closed.challenges.flat();
    for (const two of told) {
      const apart = closed.barred.some((pair) => two.every((name) => pair.includes(name)));
      if (!apart && two.every((name) => closed.present.includes(name) && !met.includes(name))) {
        this.say(null, place,
          "{} challenged {}, which is not in the list: full mode says whether the ladder allowed it", ...two);
      }
    }
  }

  /** Who had left by a round, or comes later, and who rests in it. */
  absent(before, round) {
    const [gone, resting] = [new Set(), new Set()];
    for (const leaf of before) {
      if (["enter", "team"].includes(leaf.kind)) {
        gone[leaf.num("round") <= BigInt(round) ? "delete" : "add"](leaf.get("entrant"));
      }
      if (leaf.kind !== "leave" || leaf.num("round") > BigInt(round)) continue;
      const [name, why] = [leaf.get("entrant"), leaf.get("why")];
      if (GONE.includes(why)) {
        gone.add(name);
      } else if (why === "return") {
        gone.delete(name);
        resting.delete(name);
      } else if (leaf.num("round") === BigInt(round)) {
        resting.add(name);
      }
    }
    return { gone, resting };
  }

  /** The lists that were shut before one, as far as letters show them. */
  earlier(shut) {
    const shuts = this.known.filter((leaf) => leaf.kind === "shut" && leaf.seq < shut.seq);
    return shuts.map((leaf) => this.view.draws.get(leaf.get("slate"))).filter(Boolean);
  }

  /** Who is to be listed unless he left, and in which orders he may be; whether any other is false.
   *
   * No order is known of those who come into a later stage. A lot may decide seeds when the first list is drawn.
   */
  expected(closed, shut, entered, strong) {
    const [stage, strength] = [closed.block.get("stage"), (name) => BigInt(strong.get(name))];
    const numbers = [...entered.keys()].sort((one, other) => numberOf(one) - numberOf(other));
    const mine = this.earlier(shut).filter((one) => one.block.get("stage") === stage);
    const seeds = this.version > 1n ? rule(this.rules, "entry", "seeds") : "";
    const there = mine[mine.length - 1]?.names ?? [];
    const now = (name) => entered.get(name).num("round") <= BigInt(closed.round);
    const wanted = stage === "1" ? numbers.filter(now) : there;
    if (mine.length) {
      const order = [...there, ...numbers.filter((name) => !there.includes(name))];
      return { wanted, orders: [order], firm: new Set(mine.map((one) => one.round)).size > 1
        || ["rating", "entry"].includes(seeds) };
    }
    const ranked = [...numbers].sort((one, other) =>
      (strength(one) === strength(other) ? 0 : strength(one) > strength(other) ? -1 : 1));
    const either = seeds === "rating" ? [ranked] : seeds ? [numbers] : [numbers, ranked];
    return { wanted, orders: stage === "1" ? either : [], firm: true };
  }

  /** One pair a board, everybody at one board, at tables of it; forbidden ones are said. */
  paired(place, round, attempt, pairs, closed) {
    this.seated(place, pairs);
    this.kept(place, pairs, closed);
    const both = (pair) => [pair.get("first"), pair.get("second")];
    const players = pairs.flatMap(both);
    const again = attempt === "1" ? "" : AGAIN.slice(Number(attempt) - 1, Number(attempt));
    const stem = `${this.game.slice(TOURNAMENT.length)}-${round}${again}-`;
    for (const pair of pairs) {
      const [board, table] = [pair.get("board"), pair.get("table")];
      const name = stem + board.padStart(2, "0");
      const own = table === "-"
        || table.split(" ").every((one) => one.startsWith(name) && /^[a-z]?$/.test(one.slice(name.length)));
      this.say(own, place, "board {} is played at a table of another: {}", board, table);
    }
    if (closed === null) return;
    const entered = this.known.filter((leaf) => ["enter", "team"].includes(leaf.kind));
    const known = entered.map((leaf) => leaf.get("entrant"));
    const first = this.drawn(pairs);
    const sitting = closed.boards ? [...closed.lineups.values()].flat() : closed.present;
    for (const pair of pairs) {
      const may = first.includes(pair) && pair.get("second") !== "-" ? sitting : known;
      for (const one of both(pair)) {
        this.say(one === "-" || may.includes(one), place, "{} is paired, and is away or not listed", one);
      }
    }
    const [since, last] = [pairs[0].seq, pairs[pairs.length - 1].seq];
    const after = this.view.leaves.has(keyOf(this.game, last + 1n)) && this.view.told(this.game, [], since, last);
    // Who is out of a bracket has no pair in its later rounds.
    const firstList = [...this.view.draws.values()].every((one) => one.block.get("game") !== this.game
      || one.block.get("stage") !== closed.block.get("stage") || one.round >= closed.round);
    if (closed.boards) checkMatches(this, place, first, closed, after);
    const busy = closed.boards ? teamsIn(first, closed) : players;
    for (const one of closed.present.filter((other) => !busy.includes(other))) {
      this.say(after && firstList ? false : null, place, "{} is in the list, and in no pair", one);
    }
    checkBracket(this, place, closed, first);
    this.forbidden(place, first, closed);
  }

  /** The pairs as they were drawn: of each board the first leaf. */
  drawn(pairs) {
    return pairs.filter((pair, at) => !pairs.slice(0, at).some((one) => one.get("board") === pair.get("board")));
  }

  /** A board has one pair, and nobody sits at two; one whose place another takes has left, or is his comrade. */
  seated(place, pairs) {
    const [seats, since, teamOf] = [new Map(), pairs[0].seq, teamOfMembers(this.known)];
    for (const pair of pairs) {
      const board = pair.get("board");
      const mine = [pair.get("first"), pair.get("second")].filter((name) => name !== "-");
      const before = seats.get(board) ?? mine;
      const gone = before.filter((name) => !mine.includes(name));
      const fresh = mine.filter((name) => !before.includes(name));
      const good = gone.length < 2 && fresh.length < 2;
      if (good && gone.length && fresh.length && teamOf.size) {
        this.say(teamOf.get(gone[0]) === teamOf.get(fresh[0]), place,
          "{} takes the place of {}, who is of another team", fresh[0], gone[0]);
      }
      if (this.say(good, place, "board {} was paired twice", board) && gone.length) {
        const left = this.known.some((leaf) => leaf.kind === "leave" && GONE.includes(leaf.get("why"))
          && leaf.get("entrant") === gone[0] && leaf.seq > since);
        this.say(left || null, place, "{} is no longer at board {}, and no letter says that he left", gone[0], board);
      }
      const busy = [...seats].some(([other, names]) => other !== board && names.some((name) => mine.includes(name)));
      this.say(!busy, place, "somebody was paired twice");
      seats.set(board, mine);
    }
  }

  /** A board that is paired anew keeps its tables, and who stays his side, but where sides are bid for. */
  kept(place, pairs, closed) {
    const known = new Map();
    for (const pair of pairs) {
      const [board, one, other, table] = ["board", "first", "second", "table"].map((key) => pair.get(key));
      const first = known.get(board) ?? pair;
      this.say(table === "-" || table === first.get("table"), place,
        "board {} is played at another table than it was paired for", board);
      if (other !== "-" && (one === first.get("second") || other === first.get("first"))) {
        const stage = closed === null ? null : this.stage(closed);
        this.say(stage === null ? null : ownOf(stage, "sides") === "bid", place,
          "the two at board {} exchanged sides, and nothing was bid for them", board);
      }
      if (other !== "-" || !known.has(board)) known.set(board, pair);
    }
  }

  /** Who is barred from another, or of his team, meets him only if nothing else was possible. */
  forbidden(place, pairs, closed) {
    const team = new Map(closed.entrants.map((words) => [words[0], words[5]]));
    const count = (name) => (name === "-" ? 0 : numberOf(name));
    const both = pairs.map((pair) => [pair.get("first"), pair.get("second")]);
    for (const two of closed.boards ? pairsOfTeams(pairs, closed) : both) {
      const [low, high] = [...two].sort((one, other) => count(one) - count(other));
      const comrades = (team.get(low) ?? "-") !== "-" && team.get(low) === team.get(high);
      if (comrades || closed.barred.some(([one, other]) => one === low && other === high)) {
        this.say(null, place,
          "{} and {} are not to meet: that nothing else was possible, full mode says", low, high);
      }
    }
    this.say(null, place, "that this is the cheapest of all pairings is not checked here: full mode does");
  }

  /** A score is of a board that was paired, by the last leaf of its table; another one names another. */
  scores() {
    const [place, last] = [placeOf(this.game), new Map()];
    let [unseen, alone] = [0, 0];
    for (const leaf of this.known.filter((one) => one.kind === "score")) {
      const [round, board, table] = ["round", "board", "table"].map((key) => leaf.get(key));
      this.say(this.tables(leaf).includes(table) || this.unlessTold(leaf.seq), place,
        "leaf {} scores board {} of {}, where that table was not paired", leaf.seq, board, round);
      this.say(this.counts(leaf), place, "leaf {} scores a table by more or less than there is to win", leaf.seq);
      const before = last.get(keyOf(round, board, table));
      if (before) {
        const corrected = `CORRECT ${table.replaceAll(".", "[.]")} [a-z][a-z0-9]*`;
        const line = `${DISPUTE}|${UNDO}|${corrected}|REDRAW R ?0*${round.slice(1)}`;
        const anew = before.get("leaf") !== leaf.get("leaf") || this.ruled(line, before.seq, leaf.seq);
        this.say(anew, place, "leaf {} scores a table again, and nothing new came of it", leaf.seq);
      }
      last.set(keyOf(round, board, table), leaf);
      if (this.ended(place, leaf) === null) unseen += 1;
      if (table === "-") continue;
      this.silent(place, leaf);
      alone += 1;
    }
    if (unseen) {
      this.say(null, place, "scores name the last leaves of tables whose letters are not here: {}", unseen);
    }
    if (alone) {
      this.say(null, place, "that scores are what their games came to is not checked here, full mode does: {}", alone);
    }
  }

  /** E6.1 Two who count 0:0 because neither came have left; of one who sent orders the log does not say why. */
  silent(place, score) {
    if (this.version < 2n || score.get("how") !== "forfeit" || score.get("halves") !== "0 0") return;
    const before = this.known.filter((leaf) => leaf.seq < score.seq);
    const gone = before.filter((leaf) => leaf.kind === "leave" && GONE.includes(leaf.get("why")))
      .map((leaf) => leaf.get("entrant"));
    const pair = before.filter((leaf) => leaf.kind === "pair" && leaf.get("round") === score.get("round")
      && leaf.get("board") === score.get("board")).pop();
    for (const name of pair ? [pair.get("first"), pair.get("second")] : []) {
      this.say(gone.includes(name) || this.unlessTold(score.seq), place,
        "leaf {} scores 0:0 as if neither player came, and {} did not leave", score.seq, name);
    }
    const orders = this.view.history(score.get("table")).filter((leaf) =>
      leaf.kind === "order" && leaf.known && leaf.at < score.at && leaf.get("eml") !== "-");
    for (const seat of [...new Set(orders.map((leaf) => leaf.get("seat")))].sort()) {
      this.say(null, place,
        "leaf {} scores 0:0 as if neither player came, and {} sent orders: whether he gave up is not in the log",
        score.seq, seat);
    }
  }

  /** Whether a table counts a win, a draw, or nothing for both; who meets nobody has what such a round is worth. */
  counts(score) {
    const [first, second] = score.get("halves").split(" ");
    if (score.get("table") !== "-") return [0n, 2n].includes(BigInt(first) + BigInt(second));
    return second === "0" && (PASSED.get(score.get("how")) ?? "").includes(first) && first.length === 1;
  }

  /** The tables of a board, in the last draw of its round before. */
  tables(score) {
    const pairs = this.known.filter((leaf) =>
      leaf.kind === "pair" && leaf.get("round") === score.get("round") && leaf.seq < score.seq);
    const newest = pairs.map((leaf) => leaf.num("attempt")).reduce((most, one) => (one > most ? one : most), 0n);
    const mine = pairs.filter((leaf) => leaf.num("attempt") === newest && leaf.get("board") === score.get("board"));
    return mine.flatMap((leaf) => [...leaf.get("table").split(" "), ...(leaf.get("second") === "-" ? ["-"] : [])]);
  }

  /** Whether the leaf that a score names is the last one of its table then; null if its letters are not here. */
  ended(place, score) {
    const [table, hash] = [score.get("table"), score.get("leaf")];
    if (hash === "-") return true;
    const named = this.view.history(table).find((leaf) => leaf.hash === hash);
    if (!named) {
      if (!this.view.places.has(hash)) return null;
      return this.say(false, place, "leaf {} scores {} by a leaf of another game", score.seq, table);
    }
    const after = this.view.leaves.get(keyOf(table, named.seq + 1n));
    const good = named.at < score.at && (!after || after.at > score.at);
    return this.say(good, place, "leaf {} scores {} by a leaf that was not its last", score.seq, table);
  }
}
