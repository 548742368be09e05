// A log that was begun anew after a restore: which letters are of which course, and what was signed before and is gone.

// By kind of leaf, which act it is, and what of it must be the same after a restore.
const BOUND = new Map([
  ["open", [["phase"], ["edition", "state", "seats"]]],
  ["close", [["phase", "segment"], ["slate"]]],
  ["roll", [["phase", "segment"], ["sig", "group", "manifest"]]],
  ["result", [["phase"], ["state", "report"]]],
  ["again", [["phase", "run"], ["state", "manifest"]]],
  ["ruling", [["number"], ["text"]]],
  ["order", [["phase", "seat"], ["rev", "commit"]]],
  ["answer", [["phase", "segment", "seat"], ["commit"]]],
]);

const saidBy = (leaf, keys) => leaf.pairs.filter(([key]) => keys.includes(key)).map(([, value]) => value);
const alike = (one, other, keys) => saidBy(one, keys).join("\n") === saidBy(other, keys).join("\n");
const cameAt = (leaf) => (leaf.says.has("recv") ? leaf.num("recv") : 0n);

Object.assign(Judge.prototype, {
  /** The log is called name, name/2, name/3: which of them this is, or 0. */
  epoch(name) {
    if (name === this.name) return 1;
    const number = name.startsWith(`${this.name}/`) ? name.slice(this.name.length + 1) : "";
    return /^(?:[2-9]|[1-9][0-9]{1,8})$/.test(number) ? Number(number) : 0;
  },

  /** The leaf by which an epoch ended: the first that begins a later one. */
  end(leaves, epoch) {
    const later = leaves.filter((leaf) => leaf.kind === "rotate" && this.epoch(leaf.get("log").split("+")[0]) > epoch);
    return later.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))[0];
  },

  /** The letters of each epoch, with those of earlier ones that are of the same tree: up to the leaf `rotate`. */
  courses() {
    const last = Math.max(1, ...this.all.map((letter) => this.epoch(letter.origin)));
    const own = new Map();
    for (const letter of this.all) {
      const epoch = this.epoch(letter.origin) || last;
      own.set(epoch, [...(own.get(epoch) || []), letter]);
    }
    const epochs = [...own.keys()].sort((one, other) => one - other);
    return (epochs.length ? epochs : [1]).map((epoch) => {
      const mine = own.get(epoch) || [];
      const leaves = mine.flatMap((letter) => letter.leaves);
      const shared = epochs.filter((before) => before < epoch).flatMap((before) => {
        const end = this.end(leaves, before);
        return own.get(before).filter((letter) => !end || letter.size <= end.at);
      });
      return { epoch, letters: [...shared, ...mine] };
    });
  },

  /** What was signed before a restore is held against what the log says now. */
  recovery(before) {
    const server = this.inOrder().filter((leaf) => leaf.game === "-");
    for (const leaf of server.filter((one) => one.kind === "rotate")) {
      this.say("recovery", null, "begun_anew", leaf.get("size"), leaf.at);
    }
    for (const { epoch, letters, leaves } of before) {
      const end = this.end(server, epoch);
      if (!end) {
        this.say("recovery", null, "no_rotate", epoch);
        continue;
      }
      const size = end.num("size");
      for (const letter of letters) {
        const small = letter.size <= size || letter.size <= end.at;
        const same = letter.size !== size || letter.root === end.get("root");
        this.say("recovery", small && same, "denied", letter.where, letter.size);
      }
      for (const leaf of leaves) if (leaf.at >= end.at && BOUND.has(leaf.kind)) this.kept(leaf, end);
    }
  },

  kept(lost, end) {
    const [which, what] = BOUND.get(lost.kind);
    const history = this.inOrder().filter((leaf) => leaf.game === lost.game);
    const again = history.filter((leaf) => leaf.kind === lost.kind && alike(leaf, lost, which));
    const free = lost.kind === "order" || lost.kind === "answer";
    const later = again.some((leaf) => leaf.at > end.at && cameAt(leaf) >= cameAt(lost));
    const words = [lost.kind, lost.game, ...saidBy(lost, which)].join(" ");
    if ((free && later) || again.some((leaf) => alike(leaf, lost, what))) return this.say("recovery", true);
    if (again.length && !free) return this.say("recovery", false, "otherwise_before", words);
    const name = lost.get("phase");
    const segment = lost.kind === "answer" ? lost.num("segment") : 1n;
    const closed = free && pick(this.phaseOf(lost.game, name), "close", segment).length > 0;
    const past = (leaf) => (leaf.says.get("phase") === name ? leaf.kind === "result" : leaf.kind === "open");
    const gone = closed || history.some((leaf) => leaf.at > end.at && past(leaf));
    return this.say("recovery", gone ? false : null, "gone_since", words);
  },
});
