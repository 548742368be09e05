// What was closed: one list a segment, with the last orders of every seat, on the round that was fixed before.

const QUICKNET = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
const [GENESIS, PERIOD] = [1692803367n, 3n];

Object.assign(Judge.prototype, {
  /** A phase comes out a second time only where a ruling has it resolved once more, and the log says so before. */
  again(game, at, leaves) {
    const [results, agains] = [pick(leaves, "result"), pick(leaves, "again")];
    const before = (some, leaf) => some.filter((one) => one.seq < leaf.seq).length;
    for (const [number, result] of results.entries()) {
      this.say("close", before(agains, result) === number, "came_out_again", at, number + 1);
    }
    const rulings = pick(this.inOrder(), "ruling").filter((leaf) => leaf.game === game);
    for (const leaf of agains) {
      this.say("close", leaf.num("run") === BigInt(before(results, leaf)) + 1n, "other_run", at, leaf.get("run"));
      const known = rulings.some((one) => one.get("number") === leaf.get("ruling"));
      this.say("close", known ? true : null, "no_ruling", at, leaf.get("ruling"));
    }
  },

  phase({ game, name, leaves }) {
    const [at, opens] = [`${game} ${name}`, leaves.filter((leaf) => leaf.kind === "open")];
    this.attempt(game, name, opens);
    const start = opens.length ? opens[0].seq : -1n;
    const early = leaves.some((leaf) => leaf.kind !== "open" && leaf.seq <= start);
    this.say("close", !early, "too_early", at);
    const done = leaves.filter((leaf) => leaf.kind === "close" || leaf.kind === "roll");
    for (const result of pick(leaves, "result")) {
      this.say("close", done.every((leaf) => leaf.seq < result.seq), "after_result", at);
    }
    this.again(game, at, leaves);
    for (const segment of new Set(done.map((leaf) => leaf.num("segment")))) {
      const [closes, rolls] = [pick(leaves, "close", segment), pick(leaves, "roll", segment)];
      const before = segment > 1n ? pick(leaves, "roll", segment - 1n) : [];
      let good = closes.length < 2 && rolls.length < 2;
      if (opens.length && rolls.length) good &&= closes.length > 0 && closes[0].seq < rolls[0].seq;
      if (opens.length && closes.length && segment > 1n) good &&= before.length > 0 && before[0].seq < closes[0].seq;
      this.say("close", good, "not_once", at, segment);
    }
    for (const close of pick(leaves, "close")) {
      const slate = this.slates.get(close.get("slate"));
      if (slate) this.closed(at, leaves, close, slate, opens);
      else this.say("close", null, "no_slate", at);
    }
  },

  /** A phase is its first attempt, or the one before it is there too: none is hidden. */
  attempt(game, name, opens) {
    const found = /^(.+)~([1-9][0-9]*)$/.exec(name);
    const at = `${game} ${name}`;
    this.say("close", found !== null && opens.length < 2, "opened_twice", at);
    if (!found || found[2] === "1" || !opens.length) return;
    const before = this.phaseOf(game, `${found[1]}~${BigInt(found[2]) - 1n}`).filter((leaf) => leaf.kind === "open");
    const truth = before.length ? before[0].seq < opens[0].seq : this.gapless(game, 0n, opens[0].seq) ? false : null;
    this.say("close", truth, "no_attempt_before", at);
  },

  gapless(game, first, last) {
    for (let seq = first; seq < last; seq++) if (!this.leaves.has(leafKey(game, seq))) return false;
    return true;
  },

  closed(at, leaves, close, slate, opens) {
    const segment = close.num("segment");
    const same = ["game", "phase", "segment"].every((key) => slate.get(key) === close.get(key));
    this.say("close", same, "slate_elsewhere", at);
    const previous = segment > 1n ? pick(leaves, "close", segment - 1n).map((leaf) => leaf.get("slate")) : ["-"];
    this.say("close", previous.length ? slate.get("previous") === previous[0] : null, "other_slate_before", at);
    if (!opens.length) {
      for (const check of ["close", "orders", "round"]) this.say(check, null, "not_opened_here", at);
      return;
    }
    for (const opened of opens) {
      const agree = slate.get("edition") === opened.get("edition") && slate.get("state") === opened.get("state");
      this.say("close", agree && [...slate.seats.keys()].join(" ") === opened.get("seats"), "not_what_was_opened", at);
    }
    const before = segment > 1n ? pick(leaves, "roll", segment - 1n) : [];
    const since = before.length ? before.at(-1).seq : -1n;
    const moved = pick(leaves, "deadline").filter((leaf) => since < leaf.seq && leaf.seq < close.seq);
    const due = moved.at(-1) || opens[0];
    this.round(at, leaves, slate, opens[0], due);
    if (this.gapless(close.game, opens[0].seq, close.seq)) this.seats(at, leaves, close, slate, due, since);
    else this.say("orders", null, "leaves_missing", at);
  },

  /** Each seat's revision and commitment are those of its last orders, or answer, before the close. */
  seats(at, leaves, close, slate, due, since) {
    const segment = close.num("segment");
    const kind = segment === 1n ? "order" : "answer";
    const given = segment === 1n ? pick(leaves, "order") : pick(leaves, "answer", segment);
    for (const leaf of given) {
      const timely = segment === 1n ? leaf.num("recv") <= due.num("D") : -1n < since && since < leaf.seq;
      this.say("orders", leaf.seq < close.seq && timely, `late_${kind}`, at, leaf.get("seat"));
    }
    for (const [seat, sealed] of slate.seats) {
      const mine = given.filter((leaf) => leaf.get("seat") === seat && leaf.seq < close.seq);
      if (segment === 1n) {
        const revs = mine.map((leaf) => leaf.num("rev"));
        // Orders that are taken back leave revision 0: standing orders alone.
        const sent = revs.filter((rev) => rev > 0n);
        const rising = sent.every((rev, n) => n === 0 || sent[n - 1] <= rev);
        this.say("orders", rising && sealed.rev === (revs.at(-1) ?? 0n), "not_last_revision", at, sealed.rev, seat);
      }
      const last = mine.at(-1);
      this.say("orders", !last || hex(b64(last.get("commit"))) === sealed.commit, "other_orders", at, seat);
    }
  },

  /** The beacon's round is the first at or after the closing and the delay, as it was said before. */
  round(at, leaves, slate, opened, due) {
    const [chain, number = "0"] = slate.get("beacon").split(" ");
    let good = chain === opened.get("chain") && (!this.chains.length || ["none", ...this.chains].includes(chain));
    const opens = pick([...this.leaves.values()], "open").filter((leaf) => leaf.game === opened.game);
    good &&= opens.every((leaf) => leaf.get("chain") === chain);
    if (opened.get("chain") === "none") {
      good &&= [number, due.get("round"), opened.get("round")].every((one) => one === "0");
      this.say("round", good, "round_without_beacon", at);
      return;
    }
    if (opened.get("chain") !== QUICKNET) {
      this.say("round", good && null, "other_chain", at, opened.get("chain"));
      return;
    }
    good &&= BigInt(number) === due.num("round") && (slate.get("segment") === "1" || due.kind === "deadline");
    for (const leaf of leaves.filter((one) => one.kind === "open" || one.kind === "deadline")) {
      const wait = leaf.num("D") + opened.num("delta") - GENESIS;
      const first = 1n + (wait > 0n ? (wait + PERIOD - 1n) / PERIOD : 0n);
      good &&= leaf.num("round") === first;
    }
    this.say("round", good, "wrong_round", at);
  },
});
