// What letters claim: that these were a seat's orders, and which grade its dice have.

const SLACK = 120n; // seconds that clocks of mail servers may be wrong

Object.assign(Judge.prototype, {
  /** Orders in clear are those that were logged, and those that were closed. */
  async own(letter) {
    const [game, name] = [letter.head.get("game"), letter.head.get("phase")];
    const mine = name === "-" ? this.inOrder().filter((leaf) => leaf.game === game) : this.phaseOf(game, name);
    this.say("own", mine.length > 0 || name === "-", "no_phase", letter.where);
    for (const opened of pick(mine, "open")) {
      this.say("own", opened.get("seats").split(" ").includes(letter.head.get("seat")), "no_seat", letter.where);
    }
    for (const order of letter.parts.get("orders")) {
      const secret = await this.secret("salt", letter, order, "own");
      if (secret === null) continue;
      const salt = await mac(secret, block("ordersalt", ["rev", order.get("rev")]));
      const text = order.all("text").map((line) => `${line}\n`).join("");
      const commit = await sha(joined(utf8(`${TOP}order\n`), salt, utf8(text)));
      this.bound(letter, order, this.phaseOf(game, order.get("phase")), commit);
    }
  },

  /** Whatever the log says that a seat has sent was opened to it: else it was written by somebody else. */
  invented() {
    const key = (game, seat, phase, segment, number) => [game, seat, phase, segment, number].join("\n");
    const opened = new Set();
    for (const letter of this.letters) {
      const [game, seat] = [letter.head.get("game"), letter.head.get("seat")];
      for (const one of letter.parts.get("orders").filter((order) => order.get("seat") === seat)) {
        const segment = one.get("segment");
        opened.add(key(game, seat, one.get("phase"), segment, segment === "1" ? one.get("rev") : "-"));
      }
    }
    for (const letter of this.letters.filter((one) => one.head.get("letter") !== "disclosure")) {
      for (const leaf of letter.leaves) {
        const order = leaf.kind === "order";
        if ((!order && leaf.kind !== "answer") || leaf.get("seat") !== letter.head.get("seat")) continue;
        const place = order ? ["1", leaf.get("rev")] : [leaf.get("segment"), "-"];
        const known = opened.has(key(leaf.game, leaf.get("seat"), leaf.get("phase"), ...place));
        this.say("own", known, "invented", letter.where, leaf.seq);
      }
    }
  },

  bound(letter, order, leaves, commit) {
    const [segment, seat] = [order.num("segment"), order.get("seat")];
    const given = segment > 1n ? pick(leaves, "answer", segment)
      : pick(leaves, "order").filter((leaf) => leaf.num("rev") === order.num("rev"));
    const logged = given.filter((leaf) => leaf.get("seat") === seat).map((leaf) => hex(b64(leaf.get("commit"))));
    const close = pick(leaves, "close", segment)[0];
    const slate = close && this.slates.get(close.get("slate"));
    const sealed = slate && slate.seats.get(seat);
    const shut = sealed && sealed.rev === order.num("rev") ? [sealed.commit] : [];
    let truth = shut.every((one) => one === commit) && (!logged.length || logged.includes(commit));
    if (!shut.length && !logged.length) truth = leaves.some((leaf) => leaf.kind === "open") ? false : null;
    this.say("own", truth, "other_own_orders", letter.where, order.get("phase"));
  },

  /** Who could have known the dice before the orders were closed. */
  async grade(letter) {
    const [claim, name] = [letter.head.get("grade"), letter.head.get("phase")];
    if (claim === "-") return;
    const leaves = this.phaseOf(letter.head.get("game"), name);
    const opens = leaves.filter((leaf) => leaf.kind === "open");
    if (!opens.length || !pick(leaves, "roll").length) {
      this.say("timing", false, "grades_nothing", letter.where, name);
      return;
    }
    for (const close of pick(leaves, "close")) {
      if (opens[0].get("chain") === QUICKNET) await this.closedInTime(claim, name, leaves, close);
      else this.say("timing", claim === "C", "grade_is_c", name, claim);
    }
  },

  async closedInTime(claim, name, leaves, close) {
    const late = pick(leaves, "roll", close.num("segment")).map((leaf) => leaf.text);
    // A letter that shows the roll came when everything was known, and proves nothing about before.
    const shows = (letter, text) => letter.leaves.some((leaf) => leaf.text === text);
    const holders = this.letters.filter((one) => shows(one, close.text) && !late.some((text) => shows(one, text)));
    const trees = [...holders, ...this.proven.filter((one) => one.text === close.text).map((one) => one.tree)];
    const seen = (await Promise.all(trees.map((one) => this.cosigned(one)))).flat();
    const came = holders.map((one) => one.received).filter((moment) => moment !== null);
    const moved = pick(leaves, "deadline").filter((leaf) => leaf.seq < close.seq);
    const due = (moved.at(-1) || pick(leaves, "open")[0]).num("D");
    this.say("timing", [...seen, ...came].every((moment) => moment >= due - SLACK), "closed_early", name);
    const slate = this.slates.get(close.get("slate"));
    const number = slate ? BigInt(slate.get("beacon").split(" ")[1] || "0") : 0n;
    if (!number || claim === "C") return;
    const out = GENESIS + (number - 1n) * PERIOD;
    const [proofs, others] = claim === "A" ? [seen, this.strangers(trees)] : [came, []];
    if (proofs.length) this.say("timing", proofs.some((moment) => moment < out), "not_older", name);
    else if (others.length) this.say("timing", null, "cosigned_by_others", name, others.join(", "));
    else this.say("timing", claim === "A" ? false : null, "not_older", name);
  },

  /** Nobody is a witness of himself. */
  ownWitness() {
    const own = this.logs.length ? [hex(this.logs[0].raw), hex(this.vrf || new Uint8Array())] : [];
    for (const { name, raw } of this.witnesses) if (own.includes(hex(raw))) this.say("timing", false, "own_witness", name);
  },

  /** Who has signed besides the log and the witnesses that the reader named. */
  strangers(trees) {
    const known = [...this.witnesses, ...this.logs].map(({ name, id }) => `${name}+${id}`);
    const signed = trees.flatMap((tree) => tree.signatures.map(({ name, id }) => `${name}+${id}`));
    return [...new Set(signed)].filter((one) => !known.includes(one));
  },

  /** The moments at which witnesses that the reader believes have signed a checkpoint. */
  async cosigned(tree) {
    const times = [];
    for (const witness of this.witnesses) {
      for (const { name, id, raw } of tree.signatures) {
        if (name !== witness.name || id !== witness.id || witness.kind !== 4) continue;
        const when = BigInt("0x0" + hex(raw.slice(0, 8)));
        const body = utf8(`cosignature/v1\ntime ${when}\n${tree.body}`);
        const good = when > 0n && when < 2n ** 63n && (await ed25519(witness.raw, body, raw.slice(8)));
        if (good) times.push(when);
        else this.say("timing", false, "false_cosignature", tree.size, witness.name);
      }
    }
    return times;
  },
});
