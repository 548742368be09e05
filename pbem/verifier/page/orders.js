// Orders: what was closed for every seat is what it sent last; what is opened of them is what was logged and closed.

/** SHA-256("pbemdice/v1/order" LF, salt, canonical text). */
const orderCommit = (salt, text) => sha256(`${TOP}order\n${salt}${text}`);

/** The salt of a standing order; of all of them together that of number 0. */
const ruleSalt = (salt, number) => mac(salt, block("rule", ["number", number]));

/** The leaf of a standing order in their tree. */
function ruleBlock(own, number, text) {
  const lines = text.replace(/\n$/, "").split("\n").map((line) => ["text", line]);
  return block("rule", ["number", number], ["salt", hex(own)], ...lines);
}

const standingCommit = (salt, size, root) => sha256(`${TOP}standing\n${salt}${size}\n${root}`);

/** What orders in clear are sealed into, by the secret of their seat; answers have no second commitment. */
function commitsOf(secret, one) {
  const orders = orderCommit(mac(secret, block("ordersalt", ["rev", one.get("rev")])), one.text());
  if (one.get("segment") !== "1") return { orders, standing: "" };
  const [salt, rules] = [mac(secret, block("standingsalt", ["rev", one.get("rev")])), rulesOf(one)];
  const leaves = rules.map((text, at) => leafHash(ruleBlock(ruleSalt(salt, at + 1), at + 1, text)));
  return { orders, standing: standingCommit(ruleSalt(salt, 0), rules.length, treeRoot(leaves)) };
}

/** The block whose secret opens all that a seat has sent for a segment. */
function saltBlock(game, one) {
  const phase = one.get("segment") === "1" ? one.get("phase") : `${one.get("phase")}/${one.get("segment")}`;
  return block("salt", ["game", game], ["phase", phase], ["seat", one.get("seat")]);
}

/** The seats for which a program may write in a phase, as its opening says. */
function botsOf(phase) {
  const said = phase.opened ? phase.opened.get("bots") : "-";
  return said === "-" ? [] : said.split(" ").map((one) => one.split(":")[0]);
}

const sameCommits = (one, other) => one.orders === other.orders && one.standing === other.standing;

/** The commitment that a standing order and its path lead to; nothing if they lead to none. */
function ledTo(salt, one) {
  const [number, size] = [one.num("number"), one.num("size")];
  const leaf = leafHash(ruleBlock(unhex(one.get("own")), number, one.text()));
  const root = rootBy(leaf, number - 1n, size, one.all("hash").map((value) => b64(value)));
  return root === null ? "" : standingCommit(salt, size, root);
}

const commitsIn = (leaf) => (leaf.kind === "answer" ? { orders: b64(leaf.get("commit")), standing: "" }
  : { orders: b64(leaf.get("orders")), standing: b64(leaf.get("standing")) });

/** What was sent for a segment, as far as it is told; by one seat if that is told. */
function givenIn(phase, segment, seat = "") {
  const found = segment === 1n ? phase.of("order") : phase.of("answer", segment);
  return seat ? found.filter((leaf) => leaf.get("seat") === seat) : found;
}

const kindOf = (segment) => (segment === 1n ? "order" : "answer");

/** Whether no leaf of a phase is missing, from its opening to its result. */
function allTold(view, phase) {
  const [opened, result] = [phase.opened, phase.of("result").pop()];
  return Boolean(opened && result) && view.told(phase.game, [], opened.seq, result.seq);
}

/** The checks of all that was sent; `proven` and `salted` are what letters open, `to` whom they open it to. */
class Orders {
  constructor(view, findings, keys) {
    Object.assign(this, { view, findings, keys, proven: new Map(), salted: new Map(), to: new Set() });
  }

  check() {
    const { view } = this;
    this.open();
    for (const kind of ["played", "fired"]) for (const [letter, one] of view.parts(kind)) this.played(letter, one);
    for (const letter of view.letters) this.reader(letter);
    for (const [, phase] of inOrder(view.phases)) {
      this.revisions(phase);
      for (const close of phase.of("close")) {
        const slate = view.slate(close);
        if (slate === null || !phase.opened) continue;
        this.seats(phase, close, slate);
        this.opened(phase, close, slate);
      }
    }
    const reports = view.letters.filter((letter) => letter.head.get("letter") !== "disclosure");
    const shown = new Set(reports.flatMap((letter) =>
      letter.leaves.filter((leaf) => leaf.known).map((leaf) => keyOf(letter.seat, leaf.game, leaf.seq))));
    for (const letter of view.letters) this.given(letter, shown);
  }

  /** Everything that is opened by the proof of its secret. */
  open() {
    const { findings, keys } = this;
    const wrong = new Set();
    for (const [letter, one] of this.view.parts("orders")) {
      if (wrong.has(letter.where)) continue; // one proof that is false is enough
      const [seat, rev] = [one.get("seat"), one.get("rev")];
      const place = placeOf(letter.where, letter.game, one.get("phase"));
      if (!keys.vrfs.length) {
        findings.say("own", null, place, "the key of the dice is not known");
        continue;
      }
      const own = keys.vrfOf(this.view, new Phase(letter.game, one.get("phase")));
      const secret = keys.secret(saltBlock(letter.game, one), unhex(one.get("proof")), own);
      if (!findings.say("own", secret !== null, place, "the salt of orders of {} is not proven", seat)) {
        wrong.add(letter.where);
        continue;
      }
      const commits = commitsOf(secret, one);
      const key = keyOf(letter.game, one.get("phase"), one.get("segment"), seat, rev);
      const known = this.proven.get(key) ?? [];
      if (!known.some((other) => sameCommits(other, commits))) known.push(commits);
      this.proven.set(key, known);
      // Standing orders may change under one revision.
      const same = known.every((other) => other.orders === commits.orders);
      findings.say("own", same, place, "letters open revision {} of {} in two ways", rev, seat);
      this.to.add(keyOf(letter.seat, key));
      this.bound(letter.game, one, place, commits);
    }
  }

  /** Orders in clear are those that were logged, and those that were closed. */
  bound(game, one, place, commits) {
    const { view, findings } = this;
    const [segment, seat, rev] = [one.num("segment"), one.get("seat"), one.num("rev")];
    const phase = view.phase(game, one.get("phase"));
    const logged = givenIn(phase, segment, seat).filter((leaf) => leaf.num("rev") === rev).map(commitsIn);
    const slate = view.slate(phase.of("close", segment)[0]);
    const closed = [slate?.seats.get(seat)].filter((found) => found && found.rev === rev);
    const isIn = (list) => list.some((other) => sameCommits(other, commits));
    const ordersOf = (list) => list.every((other) => other.orders === commits.orders);
    if (!logged.length && !closed.length) {
      const history = view.history(game);
      const newest = history[history.length - 1];
      const known = phase.opened && view.told(game, [kindOf(segment)], phase.opened.seq, newest.seq);
      findings.say("own", known ? false : null, place, "revision {} of {} is neither in the log nor closed", rev, seat);
      return;
    }
    const asClosed = ordersOf(closed) && (logged.length > 0 || isIn(closed));
    findings.say("own", asClosed, place, "what was closed for {} is not revision {}", seat, rev);
    const asLogged = ordersOf(logged) && (!logged.length || isIn(logged) || isIn(closed));
    findings.say("own", asLogged, place, "what was logged for {} is not revision {}", seat, rev);
  }

  /** The phase that a letter is about is in the log, and the letter is to one of its seats, or of its game's. */
  reader(letter) {
    const [place, name] = [placeOf(letter.where), letter.head.get("phase")];
    let opens = this.view.history(letter.game).filter((leaf) => leaf.kind === "open" && leaf.known);
    if (name !== "-") {
      this.findings.say("own", this.view.phases.has(keyOf(letter.game, name)), place,
        "no leaf is about its phase {}", name);
      opens = opens.filter((leaf) => leaf.get("phase") === name);
    }
    const seated = opens.every((leaf) => leaf.get("seats").split(" ").includes(letter.seat));
    this.findings.say("own", seated, place, "it is to {}, which is no seat of the phase", letter.seat);
  }

  /** Each seat's revision and commitments are those of its last orders, or answers, before the close. */
  seats(phase, close, slate) {
    const { findings } = this;
    const [place, segment] = [phase.place, close.num("segment")];
    const told = this.view.told(phase.game, [kindOf(segment), "deadline"], phase.opened.seq, close.seq);
    if (!told) findings.say("orders", null, place, "leaves between opening and closing are in no letter, or withheld");
    const [rolled, due] = [phase.rolledBefore(segment), phase.due(close)];
    for (const leaf of givenIn(phase, segment)) {
      const late = leaf.kind === "order" && due.length > 0 && leaf.num("recv") > due[due.length - 1].num("D");
      const good = rolled < leaf.seq && leaf.seq < close.seq && !late;
      findings.say("orders", good, place, "{} of {} out of time", leaf.kind, leaf.get("seat"));
    }
    for (const [seat, closed] of slate.seats) {
      const mine = givenIn(phase, segment, seat).filter((leaf) => leaf.seq < close.seq);
      const revisions = mine.map((leaf) => leaf.num("rev")).filter((rev) => rev > 0n);
      const rising = revisions.every((rev, at) => at === 0 || revisions[at - 1] <= rev);
      findings.say("orders", rising, place, "the revisions of {} go back", seat);
      this.brought(phase, mine);
      if (!mine.length) {
        findings.say("orders", told ? false : null, place, "nothing in the log says what was closed for {}", seat);
        continue;
      }
      const last = mine[mine.length - 1];
      const same = last.num("rev") === closed.rev && sameCommits(commitsIn(last), closed);
      findings.say("orders", same || (told ? false : null), place,
        "revision {} of {} is not what was logged last", closed.rev, seat);
    }
  }

  /** The numbers of revisions go into the dice: each is at most one more than what the seat has sent for the phase.
   *
   * They go on from one attempt at a phase to the next.
   */
  revisions(phase) {
    const tries = [...this.view.phases.values()].filter((one) => one.game === phase.game && one.stem === phase.stem);
    const start = tries.find((one) => one.attempt === 1)?.opened;
    const before = tries.filter((one) => one.attempt < phase.attempt).flatMap((one) => one.leaves);
    before.sort((one, other) => (one.seq < other.seq ? -1 : 1));
    const highest = new Map();
    for (const leaf of [...before, ...phase.leaves]) {
      if (!["order", "answer"].includes(leaf.kind)) continue;
      const [seat, rev] = [leaf.get("seat"), leaf.num("rev")];
      const top = highest.get(seat) ?? 0n;
      highest.set(seat, rev > top ? rev : top);
      if (rev <= top + 1n || !phase.leaves.includes(leaf)) continue;
      const told = start && this.view.told(phase.game, ["order", "answer"], start.seq, leaf.seq);
      this.findings.say("orders", told ? false : null, phase.place,
        "revision {} of {} leaves out numbers, and each number is another roll", rev, seat);
    }
  }

  /**
   * Orders come by a letter, and are taken back by another: nobody else does either. A bot's come by none, where the
   * opening of the phase names its seat, and replace no letter's.
   */
  brought(phase, mine) {
    const { place } = phase;
    const bots = botsOf(phase);
    const orders = mine.filter((leaf) => leaf.kind === "order");
    orders.forEach((leaf, at) => {
      if (leaf.get("eml") !== "-" || leaf.get("rev") === "0") return;
      const replaces = at > 0 && orders[at - 1].get("eml") !== "-" && orders[at - 1].get("rev") !== "0";
      if (!replaces && bots.includes(leaf.get("seat"))) return;
      this.findings.say("orders", false, place,
        "no letter brought revision {} of {}", leaf.get("rev"), leaf.get("seat"));
    });
    orders.slice(1).forEach((after, at) => {
      const before = orders[at];
      const kept = before.get("rev") === "0" || after.get("rev") !== "0"
        || !["-", before.get("eml")].includes(after.get("eml"));
      if (kept) return;
      this.findings.say("orders", false, place,
        "no letter took back revision {} of {}", before.get("rev"), after.get("seat"));
    });
  }

  /** What was closed for a seat is opened: to its owner by the result, to everybody when the phase is disclosed. */
  opened(phase, close, slate) {
    const { findings } = this;
    const [place, results] = [phase.place, phase.of("result")];
    const owners = new Set(this.view.letters.filter((letter) => letter.game === phase.game
      && results.some((result) => letter.shows(result)) && this.tells(letter, phase)).map((letter) => letter.seat));
    for (const [seat, closed] of slate.seats) {
      const key = keyOf(phase.game, phase.name, close.get("segment"), seat, closed.rev);
      const known = (this.proven.get(key) ?? []).some((one) => sameCommits(one, closed));
      if (owners.has(seat)) {
        const told = known && this.to.has(keyOf(seat, key));
        findings.say("own", told, place, "the result is told to {}, and not what it was played by", seat);
      }
      if (known) {
        findings.say("others", true, place);
      } else if (phase.disclosed) {
        findings.say("others", false, place, "it is disclosed, and what was closed for {} is not opened", seat);
      } else if (!owners.has(seat)) {
        const open = (this.salted.get(key) ?? []).includes(closed.orders);
        findings.say("others", null, place, open
          ? "what {} was played by is open; that it was not chosen later is sealed until the game is over"
          : "what was closed for {} is sealed until the game is over", seat);
      }
    }
  }

  /** Whether a letter that shows how a phase came out is the one to open what its seat was played by.
   *
   * It is not if it reports on another phase, of which it shows the result as well.
   */
  tells(letter, phase) {
    const about = this.view.phases.get(keyOf(letter.game, letter.head.get("phase"))) ?? phase;
    return letter.head.get("letter") !== "report" || about === phase
      || !about.of("result").some((result) => letter.shows(result));
  }

  /** Whatever the log says that a seat has sent by letter was opened to it: else somebody else wrote it.
   *
   * A disclosure opens what was closed alone: of it only the leaves count that no other letter has shown to the seat.
   */
  given(letter, shown) {
    const discloses = letter.head.get("letter") === "disclosure";
    for (const leaf of letter.leaves) {
      if (!["order", "answer"].includes(leaf.kind) || leaf.get("seat") !== letter.seat || !leaf.known) continue;
      if (discloses && shown.has(keyOf(letter.seat, leaf.game, leaf.seq))) continue;
      if (leaf.get("eml") === "-" && leaf.get("rev") !== "0") {
        this.findings.say("own", null, placeOf(`${leaf.game} ${leaf.get("phase")}`, leaf.game, leaf.get("phase")),
          "leaf {} says that a bot wrote in your place: whether you were away you alone know", leaf.seq);
      }
      if (leaf.get("eml") === "-" || (leaf.kind === "answer" && leaf.get("rev") === "0")) continue; // it was silent
      const [name, segment] = [leaf.get("phase"), leaf.kind === "order" ? "1" : leaf.get("segment")];
      const known = this.to.has(keyOf(letter.seat, leaf.game, name, segment, letter.seat, leaf.get("rev")));
      const place = placeOf(letter.where, leaf.game, name);
      if (!discloses) {
        this.findings.say("own", known, place, "leaf {} says you sent what no letter opens to you", leaf.seq);
      }
      const sent = givenIn(this.view.phase(leaf.game, name), 1n, letter.seat);
      if (leaf.get("rev") === "0" && sent.some((one) => one.num("rev") > 0n && one.seq < leaf.seq)) {
        this.findings.say("own", null, placeOf(`${leaf.game} ${name}`, leaf.game, name),
          "leaf {} says that a letter of yours took your orders back: whether you sent it you alone know", leaf.seq);
      }
    }
  }

  /** Orders and standing orders that are opened after a phase are those that were closed for it. */
  played(letter, one) {
    const [seat, name, whole] = [one.get("seat"), one.get("phase"), one.kind === "played"];
    const [place, phase] = [placeOf(letter.where, letter.game, name), this.view.phase(letter.game, name)];
    const segment = whole ? one.num("segment") : 1n;
    const closes = phase.of("close", segment);
    const slates = closes.map((close) => this.view.slate(close)).filter(Boolean);
    if (!slates.length) {
      const known = !phase.leaves.length || allTold(this.view, phase);
      this.findings.say("opened", known && !closes.length ? false : null, place,
        "the list that {} was closed in is in no letter", seat);
      return;
    }
    const salt = unhex(one.get("salt"));
    const commit = whole ? orderCommit(salt, one.text()) : ledTo(salt, one);
    const same = slates.map((slate) => slate.seats.get(seat)).some((closed) =>
      closed && closed.rev === one.num("rev") && (whole ? closed.orders : closed.standing) === commit);
    this.findings.say("opened", same, place, "what {} is said to have been played by is not what was closed", seat);
    if (!same || !whole) return;
    const key = keyOf(letter.game, name, segment, seat, one.get("rev"));
    this.salted.set(key, [...(this.salted.get(key) ?? []), commit]);
  }
}
