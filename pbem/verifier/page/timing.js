// When the closed lists were known, by mailboxes or by witnesses, and which grade that is worth.
//
// A: somebody whom the reader believes has sworn, before the beacon's round was out, that he saw this closed list and
// no other. B: the reader's own mail server took a letter with the closed list before. C: neither is proven: whoever
// runs the server could have known the dice before the orders were closed, and only he.

/** Seconds by which two clocks may differ before one of them is said to have told a lie. */
const SLACK = 120n;

const PUT_OFF = "its closing time was put off, and nothing shows that this was before round {} was out";
const UNDATED =
  "in an mbox without lengths a letter may bring the time of another: keep each as a file of its own, or a Maildir";
const BEGUN_ANEW = "it was begun anew after a restore, and nothing shows that this was before round {} was out";

/** What a phase is worth, by what is here: its grade, who has seen its lists in time, and why it is no better. */
class Grade {
  constructor() {
    Object.assign(this, { grade: "A", letters: 0, witnesses: 0, why: [] });
  }

  lacks(why, ...given) {
    const same = (one) => one.why === why && one.given.join("\n") === given.join("\n");
    if (!this.why.some(same)) this.why.push({ why, given });
  }

  /** No better than this grade. */
  atMost(grade) {
    if (grade > this.grade) this.grade = grade;
  }
}

/** The checks of time: by the witnesses whom the reader believes, of whom `quorum` have to agree for an A. */
class Timing {
  constructor(view, findings, keys) {
    Object.assign(this, { view, findings, keys, witnesses: [], quorum: 1, times: new Map() });
    /** What letters show of the log before it was begun anew. */
    this.earlier = [];
  }

  believe(witnesses, quorum) {
    const known = new Set([...this.keys.logs.map((key) => key.raw), ...this.keys.vrfs.map(({ key }) => key)]);
    for (const key of witnesses) {
      this.findings.say("timing", !known.has(key.raw), placeOf(""),
        "the witness {} has a key of the server itself", key.name);
    }
    this.witnesses = witnesses.filter((key) => !known.has(key.raw));
    this.quorum = quorum;
  }

  /** Every phase that was rolled, and what letters claim of it. */
  check() {
    const out = new Map();
    for (const [key, phase] of inOrder(this.view.phases)) {
      if (phase.of("roll").length && phase.opened) out.set(key, this.standing(phase));
    }
    for (const letter of this.view.letters) this.claim(letter, out);
    this.draws();
    return out;
  }

  /** The list of a draw was known before the round was out that its lots waited for. */
  draws() {
    for (const [game, leaves] of inOrder(this.view.histories)) {
      for (const shut of leaves.filter((leaf) => leaf.kind === "shut" && leaf.known)) {
        const name = `${shut.get("round")}~${shut.get("attempt")}`;
        const lots = leaves.filter((leaf) =>
          leaf.kind === "lot" && leaf.known && `${leaf.get("round")}~${leaf.get("attempt")}` === name);
        if (lots.length) this.drawn(placeOf(`${game} ${name}`, game, name), shut, lots);
      }
      for (const needed of leaves.filter((leaf) => leaf.kind === "lot-needed" && leaf.known)) {
        const name = needed.get("lot");
        const lots = leaves.filter((leaf) => leaf.kind === "lot-drawn" && leaf.get("lot") === name);
        if (lots.length) this.drawn(placeOf(`${game} ${name}`, game, name), needed, lots);
      }
    }
  }

  drawn(place, shut, lots) {
    if (shut.get("chain") === "none") {
      this.findings.say("timing", null, place,
        "lots waited for no beacon: whoever runs the server could have chosen them");
    }
    if (shut.get("chain") !== QUICKNET) return;
    const until = outAt(shut.num("beacon"));
    const holders = this.view.letters.filter((one) => one.shows(shut) && !lots.some((lot) => one.shows(lot)));
    const shown = this.keys.trees.filter(({ leaf }) => leaf.data === shut.data);
    const trees = [...holders, ...shown.map(({ tree }) => tree)];
    const told = trees.flatMap((tree) => this.cosigners(tree)).filter(({ when }) => when > 0n && when < until);
    const good = new Set(told.map(({ who }) => who)).size >= this.quorum || this.cameBefore(place, holders, until);
    this.findings.say("timing", good || null, place,
      shut.kind === "lot-needed" ? "nothing shows that lots were needed before round {} was out"
        : "nothing shows that the list was shut before round {} was out", shut.get("beacon"));
  }

  /** Whether a letter was received before a round was out; it is said if one is kept so that nobody can tell. */
  cameBefore(place, holders, until) {
    if (holders.some((one) => one.received && one.received < until)) return true;
    if (holders.some((one) => one.undated)) this.findings.say("timing", null, place, UNDATED);
    return false;
  }

  /** Whether the board of a list, if it has one, was bound after nothing that is not shown. */
  bound(close) {
    const slate = this.view.slate(close);
    const [bind] = slate?.board ? this.view.bindings(slate.board, "bind") : [];
    return !bind || this.view.told(bind.game, [], 0n, bind.seq);
  }

  /** What a phase is worth: no more than the worst of its segments. */
  standing(phase) {
    const [out, opened, closes] = [new Grade(), phase.opened, phase.of("close")];
    const chain = opened.get("chain");
    if (chain !== QUICKNET) out.lacks(chain === "none" ? "it waited for no beacon" : "its beacon is not a public one");
    for (const changed of phase.of("beacon-change")) {
      out.lacks("by ruling {} it waited for another beacon than it was closed for", changed.get("ruling"));
    }
    const bots = opened.get("bots");
    if (bots !== "-") out.lacks("bots play in it, whose orders the server could vary: {}", bots);
    // Who does not like the dice of one segment could leave it off, and roll the rest by the next round.
    if (phase.segments().length > 1) {
      out.lacks("it was left off when its first dice were known: that the rules ask there, full mode says");
    }
    if (!closes.every((close) => this.bound(close))) {
      out.lacks("leaves of the tournament are in no letter: its board may have been bound twice");
    }
    const seen = closes.map((close) => this.seen(phase, close));
    const shown = new Set(closes.map((close) => close.num("segment")));
    const hidden = phase.of("roll").some((roll) => !shown.has(roll.num("segment")));
    if (hidden) out.lacks("no letter shows the closed list");
    if (out.why.length) out.grade = "C";
    if (out.grade !== "C") seen.forEach((one) => this.worth(out, one));
    for (const close of out.grade !== "C" ? closes : []) {
      this.moved(out, phase, close);
      this.anew(out, phase, close);
    }
    const fewest = (count) => (seen.length ? Math.min(...seen.map(count)) : 0);
    if (out.grade !== "C") out.letters = fewest((one) => one.letters.length);
    if (out.grade === "A") out.witnesses = fewest((one) => this.swearing(one).size);
    return out;
  }

  /** Who is worth an A: he has sworn to have seen this list, or cosigned it while a letter came in time. */
  swearing(one) {
    return new Set([...one.sworn, ...(one.letters.length ? one.cosigned : [])]);
  }

  /** Lower a grade to what is proven of one closed list. */
  worth(out, one) {
    const swearing = this.swearing(one).size;
    const enough = swearing >= this.quorum;
    if (!enough && (one.letters.length || one.cosigned.size || one.late || one.strangers.size)) {
      if (one.strangers.size && !one.cosigned.size) {
        const who = [...one.strangers].sort().join(", ");
        out.lacks("cosigned by {}, whose key you have not named: believe it with --witness KEY", who);
      } else if (one.cosigned.size && !swearing) {
        out.lacks("a witness saw the log, and does not say that he saw this closed list, and no other");
      } else if (swearing) {
        out.lacks("{} of {} witnesses have seen the closed list", swearing, this.quorum);
      }
    }
    if (enough) return;
    out.atMost(one.letters.length ? "B" : "C");
    if (one.letters.length) return;
    out.lacks(one.late ? "the closed list came too late to prove that it is older than the round"
      : "no letter shows when a mailbox knew the closed list");
  }

  /** A closing time that was put off counts if that was known before the round was out that it replaced. */
  moved(out, phase, close) {
    if (!this.view.told(phase.game, ["deadline"], phase.opened.seq, close.seq)) {
      out.atMost("C");
      out.lacks("leaves between opening and closing are in no letter, or withheld");
    }
    const due = phase.due(close);
    due.slice(1).forEach((after, at) => {
      const [old, next] = [due[at].num("round"), after.num("round")];
      if (old > 0n && old < next) this.replaced(out, phase, old, after, PUT_OFF);
    });
  }

  /** So does one that was fixed otherwise before the log was begun anew: else a restore would put it off. */
  anew(out, phase, close) {
    const [due, slate] = [phase.due(close), this.view.slate(close)];
    if (!due.length || slate === null) return;
    for (const view of this.earlier) {
      const fixed = view.phase(phase.game, phase.name).fixed(close.num("segment"));
      for (const leaf of fixed.filter((one) => !this.view.places.has(one.hash))) {
        const old = leaf.num("round");
        if (old > 0n && old < slate.round) this.replaced(out, phase, old, due[due.length - 1], BEGUN_ANEW);
      }
    }
  }

  /** Lower a grade to what shows that a leaf was there before the round was out that it replaced. */
  replaced(out, phase, old, after, why) {
    const until = outAt(old);
    const holders = this.view.letters.filter((one) => one.shows(after));
    const trees = [...holders, ...this.keys.trees.map(({ tree }) => tree).filter((tree) => tree.size > after.at)];
    const told = trees.flatMap((tree) => this.cosigners(tree)).filter(({ when }) => when > 0n && when < until);
    if (new Set(told.map(({ who }) => who)).size >= this.quorum) return;
    const known = this.cameBefore(phase.place, holders, until);
    out.atMost(known ? "B" : "C");
    if (!known) out.lacks(why, old);
  }

  /** Who has seen a closed list before the round that it waited for. */
  seen(phase, close) {
    const out = { letters: [], cosigned: new Set(), sworn: new Set(), late: false, strangers: new Set() };
    const [slate, rolls, due] = [this.view.slate(close), phase.of("roll", close.num("segment")), phase.due(close)];
    let [fixed, number] = [close, slate?.round ?? 0n];
    if (slate?.board) {
      // Where tables have one luck it is the board that waits, and is fixed by a leaf of its own.
      const [bind] = this.view.bindings(slate.board, "bind");
      [fixed, number] = bind ? [bind, bind.num("beacon")] : [close, 0n];
      rolls.push(...this.view.bindings(slate.board, "deal"));
    }
    // A letter that shows the roll came when everything was known, and proves nothing about before.
    const holders = this.view.letters.filter((one) => one.shows(fixed) && !rolls.some((roll) => one.shows(roll)));
    const shown = this.keys.trees.filter(({ leaf }) => leaf.data === fixed.data);
    const trees = [...holders, ...shown.map(({ tree }) => tree)];
    if (slate === null || !number || slate.chain !== QUICKNET || !due.length) return out;
    const [until, begin] = [outAt(number), due[due.length - 1].num("D") - SLACK];
    const came = holders.filter((one) => one.received !== null);
    const told = trees.flatMap((tree) => this.cosigners(tree));
    const sworn = this.sworn(phase, close);
    const times = [...came.map((one) => one.received), ...[...told, ...sworn].map(({ when }) => when)].filter(Boolean);
    const early = times.some((when) => when < begin);
    this.findings.say("timing", !early, phase.place, "the list was closed before the closing time");
    const inTime = (list) => list.filter(({ when }) => when > 0n && when < until).map(({ who }) => who);
    out.letters = came.filter((one) => one.received < until);
    this.cameBefore(phase.place, holders, until);
    out.cosigned = new Set(inTime(told));
    out.sworn = new Set(inTime(sworn).filter((who) => out.cosigned.has(who)));
    out.late = times.some((when) => when >= until);
    out.strangers = this.strangers(trees);
    return out;
  }

  /** Who has signed trees, and is neither the log nor anybody whom the reader believes. */
  strangers(trees) {
    const known = new Set([...this.witnesses, ...this.keys.logs].map((key) => `${key.name}+${key.ident}`));
    for (const key of this.witnesses) known.add(`${key.name}+${keyIdent(key.name, PLAIN, key.raw)}`);
    const all = trees.flatMap((tree) => tree.signatures).map(({ name, ident }) => `${name}+${ident}`);
    return new Set(all.filter((one) => !known.has(one)));
  }

  /** The witnesses whom the reader believes and who have signed a tree, by their keys, each with his time. */
  cosigners(tree) {
    const found = [];
    for (const key of this.witnesses) {
      for (const { name, ident, raw } of tree.signatures) {
        if (name !== key.name || ident !== key.ident) continue;
        const when = this.timeOf(key, tree.body, raw);
        if (when) found.push({ who: key.raw, when });
      }
    }
    return found;
  }

  /** The time of a cosignature (C2SP tlog-cosignature); null, and said once, if it is false. */
  timeOf(key, body, raw) {
    const place = keyOf(key.text, raw.length, raw + body);
    if (!this.times.has(place)) {
      const when = big(raw.slice(0, 8));
      const told = `cosignature/v1\ntime ${when}\n${body}`;
      const good = when > 0n && when < 1n << 63n && ed25519(key.raw, told, raw.slice(8));
      this.findings.say("timing", good, placeOf(key.name), "a false cosignature");
      this.times.set(place, good ? when : null);
    }
    return this.times.get(place);
  }

  /** The witnesses who say that they see this leaf close its segment, each with his time. */
  sworn(phase, close) {
    const found = [];
    const where = keyOf(phase.game, phase.name, close.get("segment"));
    const names = new Set(this.keys.logs.map((key) => key.name));
    for (const letter of this.view.letters) {
      const trees = [letter, ...this.keys.trees.map(({ tree }) => tree)];
      for (const told of letter.sees) {
        const mine = told.closes.filter((one) => one.where === where).map((one) => one.digest);
        const held = trees.some((tree) => tree.size === told.size && tree.root === told.root);
        if (!mine.length || !held || !names.has(told.origin)) continue;
        for (const key of this.witnesses.filter((one) => this.swears(one, told))) {
          const same = mine.every((digest) => digest === close.hash);
          this.findings.say("close", same, phase.place, "{} has seen another closed list", key.name);
          if (same) found.push({ who: key.raw, when: told.time });
        }
      }
    }
    return found;
  }

  /** Whether a witness has signed a statement of what he sees, with his plain key. */
  swears(key, told) {
    const { name, ident, raw } = told.by;
    if (name !== key.name || ident !== keyIdent(key.name, PLAIN, key.raw)) return false;
    return this.findings.say("timing", ed25519(key.raw, told.told, raw), placeOf(key.name),
      "a false statement of what was seen");
  }

  /** A letter claims no better grade than is proven. */
  claim(letter, out) {
    const [claim, name] = [letter.head.get("grade"), letter.head.get("phase")];
    const [place, found] = [placeOf(letter.where, letter.game, name), out.get(keyOf(letter.game, name))];
    if (claim === "-") return;
    if (!found) {
      this.findings.say("timing", false, place, "it grades {}, and shows no roll of it", name);
      return;
    }
    const phase = this.view.phase(letter.game, name);
    const isPublic = phase.opened.get("chain") === QUICKNET && !phase.of("beacon-change").length;
    if (claim >= found.grade) {
      this.findings.say("timing", true, place);
    } else if (!isPublic) {
      this.findings.say("timing", false, place, "without a public beacon the grade is C, not {}", claim);
    } else if (claim === "A" && !this.watched(phase)) {
      this.findings.say("timing", false, place, "it claims a witness, and no letter shows one");
    } else {
      const reasons = found.why.length ? found.why : [{ why: "what is here does not prove it", given: [] }];
      for (const { why, given } of reasons) this.findings.say("timing", null, place, why, ...given);
      this.findings.say("timing", null, place, "it claims {}; what is here proves {}", claim, found.grade);
    }
  }

  /** Whether anybody but the log has signed a tree in which a list of a phase was closed. */
  watched(phase) {
    const logs = new Set(this.keys.logs.map((key) => `${key.name}+${key.ident}`));
    const names = phase.of("close").map((close) => this.view.slate(close)?.board).filter(Boolean);
    const closes = [...phase.of("close"), ...names.flatMap((name) => this.view.bindings(name, "bind"))];
    const shown = this.keys.trees.filter(({ leaf }) => closes.some((one) => one.data === leaf.data));
    const trees = shown.map(({ tree }) => tree);
    trees.push(...this.view.letters.filter((one) => closes.some((close) => one.shows(close))));
    return trees.some((tree) => tree.signatures.some(({ name, ident }) => !logs.has(`${name}+${ident}`)));
  }
}
