// All that letters show, held against each other: keys, signatures, the log. Phases and rolls follow in their files.

const CHECKS = [
  ...["form", "keys", "signature", "inclusion", "chain", "consistency", "recovery", "close", "orders", "own"],
  ...["round", "beacon", "vrf", "dice", "manifest", "opened", "timing"],
];

/** What was found: `found` holds {check, truth: true, false or null, word, rest}, `dice` every die with its truth. */
class Judge {
  constructor(pin, witnesses) {
    Object.assign(this, { pin, witnesses, found: [], all: [], byHand: "" });
  }

  say(check, truth, word, ...rest) {
    this.found.push({ check, truth, word, rest });
    return truth;
  }

  async read(items) {
    for (const { where, received, text } of items) {
      try {
        this.all.push(await readBundle(where, received, text));
        this.say("form", true);
      } catch (bad) {
        if (!(bad instanceof Bad)) throw bad;
        this.say("form", false, "unreadable", where, bad);
      }
    }
    if (!this.found.length) this.say("form", null, "nothing_here");
    const begun = this.all.flatMap((letter) => letter.leaves).find((leaf) => leaf.kind === "genesis");
    const names = this.all.map((letter) => letter.origin).sort((one, other) => one.length - other.length);
    this.name = begun ? (await logKey(begun.get("log"))).name : names[0] || "";
  }

  /** The letters of one course of the log, and what they show. */
  gather(letters) {
    Object.assign(this, { letters: [...letters], dice: [], proven: [], vrf: null, chains: [] });
    this.logs = this.pin ? [this.pin] : [];
    for (const held of ["leaves", "phases", "slates", "rolled"]) this[held] = new Map();
    this.letters.sort((one, other) => (one.size < other.size ? -1 : one.size > other.size ? 1 : 0));
    for (const letter of this.letters) this.take(letter);
    for (const leaf of this.inOrder()) {
      if (!leaf.says.has("phase")) continue;
      const key = phaseKey(leaf.game, leaf.get("phase"));
      if (!this.phases.has(key)) this.phases.set(key, { game: leaf.game, name: leaf.get("phase"), leaves: [] });
      this.phases.get(key).leaves.push(leaf);
    }
  }

  take(letter) {
    for (const leaf of letter.leaves) {
      const key = leafKey(leaf.game, leaf.seq);
      if (!this.leaves.has(key)) this.leaves.set(key, leaf);
      const one = this.leaves.get(key);
      const same = one.text === leaf.text && one.at === leaf.at;
      this.say("chain", same, "another_leaf", letter.where, leaf.seq, leaf.game);
    }
    for (const slate of letter.parts.get("slate")) this.slates.set(slate.digest, slate);
    for (const one of letter.parts.get("manifest")) {
      this.rolled.set([one.get("game"), one.get("phase"), one.get("segment"), one.get("group")].join("\n"), one);
    }
  }

  inOrder() {
    return [...this.leaves.values()].sort((one, other) => (one.seq < other.seq ? -1 : one.seq > other.seq ? 1 : 0));
  }

  phaseOf(game, name) {
    const found = this.phases.get(phaseKey(game, name));
    return found ? found.leaves : [];
  }

  async run() {
    const before = [];
    for (const { epoch, letters } of this.courses()) {
      this.gather(letters);
      await this.course();
      before.push({ epoch, letters, leaves: this.inOrder() });
    }
    this.recovery(before.slice(0, -1));
  }

  async course() {
    await this.keys();
    await this.log();
    const phases = [...this.phases].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, phase]) => phase);
    for (const phase of phases) this.phase(phase);
    const named = new Set(pick([...this.leaves.values()], "close").map((leaf) => leaf.get("slate")));
    for (const [digest, slate] of this.slates) this.say("close", named.has(digest), "never_closed", slate.get("phase"));
    await this.reveal();
    for (const phase of phases) await this.rolls(phase);
    this.ownWitness();
    for (const letter of this.letters) {
      await this.own(letter);
      await this.grade(letter);
    }
    this.invented();
  }

  async keys() {
    const first = this.leaves.get(leafKey("-", 0n));
    if (!first || first.kind !== "genesis") return this.say("keys", null, "no_genesis");
    const log = await logKey(first.get("log"));
    this.vrf = unhex(first.get("vrf"));
    const naming = ["genesis", "beacon-change"];
    this.chains = [...this.leaves.values()].filter((leaf) => naming.includes(leaf.kind)).map((leaf) => leaf.get("chain"));
    this.say("keys", first.at === 0n && log.kind === 1, "genesis_not_first");
    this.say("keys", prime(unpacked(this.vrf)) && hex(this.vrf) !== hex(log.raw), "unfit_key");
    const welcomed = this.letters.some((letter) => letter.head.get("letter") === "welcome");
    await this.rotated(first, log);
    if (this.pin) {
      const known = this.logs.some((key) => key.text === this.pin.text);
      this.say("keys", known, "other_key", log.text);
      if (!known) this.logs = [this.pin];
    } else if (!welcomed) this.say("keys", null, "no_welcome", log.text);
    return true;
  }

  /** The keys of the log: begun anew it has another name, and nothing else that is other. */
  async rotated(first, log) {
    this.logs = [log];
    let last = 1;
    for (const leaf of this.inOrder().filter((one) => one.kind === "rotate")) {
      const key = await logKey(leaf.get("log"));
      const same = key.kind === log.kind && hex(key.raw) === hex(log.raw) && leaf.get("vrf") === first.get("vrf");
      const good = same && this.epoch(key.name) > last;
      this.say("keys", good, "begun_with_others", leaf.at);
      if (!good) continue;
      this.logs.push(key);
      last = this.epoch(key.name);
    }
  }

  async signed(tree) {
    if (!this.logs.length) return null;
    const key = this.logs.find((one) => one.name === tree.origin) || this.logs[0];
    const mine = tree.signatures.filter((one) => one.name === key.name && one.id === key.id);
    let good = mine.length > 0 && tree.origin === key.name && tree.size > 0n;
    for (const one of mine) good = (await ed25519(key.raw, utf8(tree.body), one.raw)) && good;
    return good;
  }

  async log() {
    const [roots, later] = [new Map(), new Map()];
    for (const letter of this.letters) {
      const truth = await this.signed(letter);
      this.say("signature", truth, truth === null ? "key_unknown" : "not_signed", letter.where);
      this.say("inclusion", letter.leaves.length > 0, "no_leaf", letter.where);
      for (const leaf of letter.leaves) {
        const inside = await included(leaf.hash, leaf.at, letter.size, leaf.path, letter.root);
        this.say("inclusion", inside, "not_in_log", letter.where, leaf.at);
      }
      const trees = [[letter.size, letter.root], ...(await this.watched(letter))];
      for (const old of letter.parts.get("consistency")) {
        trees.push([old.num("from"), old.root]);
        const more = await grown(old.num("from"), letter.size, old.root, letter.root, old.path);
        this.say("consistency", more, "does_not_go_on", letter.where);
        if (more) later.set(old.num("from"), [...(later.get(old.num("from")) || []), letter.size]);
      }
      for (const [size, root] of trees) {
        if (!roots.has(size)) roots.set(size, root);
        this.say("consistency", roots.get(size) === root, "two_logs", letter.where, size);
      }
    }
    this.shown(roots);
    this.linked(later);
    this.chained();
  }

  /** The trees that witnesses have seen: each the log's own, with a leaf that closed a list, where this one begins. */
  async watched(letter) {
    const trees = [];
    for (const { tree, up, on, says } of letter.parts.get("cosigned")) {
      const index = BigInt(says.get("index"));
      const shut = pick(letter.leaves, "close").find((leaf) => leaf.at === index);
      const own = await this.signed(tree);
      const inside = shut ? await included(shut.hash, index, tree.size, up, tree.root) : false;
      const begun = await grown(tree.size, letter.size, tree.root, letter.root, on);
      this.say("signature", own, own === null ? "key_unknown" : "not_signed", letter.where);
      this.say("inclusion", inside, "not_in_seen", letter.where, index);
      this.say("consistency", begun, "does_not_begin_so", letter.where);
      if (own && inside && begun) this.proven.push({ text: shut.text, tree });
      trees.push([tree.size, tree.root]);
    }
    return trees;
  }

  /** What the server says it was shown by players is what the letters show. */
  shown(roots) {
    for (const leaf of this.leaves.values()) {
      if (leaf.kind !== "close" || leaf.get("seen") === "-") continue;
      for (const [seat, many, digest] of leaf.get("seen").split(" ").map((one) => one.split(":"))) {
        const root = roots.get(BigInt(many));
        this.say("consistency", root === undefined || root === digest, "shown_another", seat, many);
      }
    }
  }

  /** Proofs lead from every log that was seen to the largest. */
  linked(later) {
    const sizes = new Set(this.letters.map((letter) => letter.size));
    const last = [...sizes].reduce((most, size) => (size > most ? size : most), 0n);
    const reach = new Set([last]);
    for (let before = 0; before !== reach.size; ) {
      before = reach.size;
      for (const [old, ends] of later) if (ends.some((end) => reach.has(end))) reach.add(old);
    }
    for (const size of sizes) if (!reach.has(size)) this.say("consistency", null, "not_linked", size, last);
  }

  /** The leaves of each game follow one another. */
  chained() {
    for (const [game, leaves] of grouped(this.inOrder())) {
      this.say("chain", true);
      for (let at = 1; at < leaves.length; at++) {
        const [leaf, next] = [leaves[at - 1], leaves[at]];
        if (next.seq > leaf.seq + 1n) this.say("chain", null, "missing_leaves", game, leaf.seq + 1n, next.seq - 1n);
        else this.say("chain", next.get("prev") === leaf.hash, "does_not_follow", game, next.seq, leaf.seq);
        this.say("chain", leaf.at < next.at, "stands_before", game, next.seq, leaf.seq);
      }
    }
  }
}

const leafKey = (game, seq) => `${game}\n${seq}`;
const phaseKey = (game, name) => `${game}\n${name}`;

/** The leaves of a kind, of one segment if that is told. */
const pick = (leaves, kind, segment = 0n) =>
  leaves.filter((leaf) => leaf.kind === kind && (!segment || leaf.num("segment") === segment));

function grouped(leaves) {
  const games = new Map();
  for (const leaf of leaves) games.set(leaf.game, [...(games.get(leaf.game) || []), leaf]);
  return games;
}

/** The key of a witness; Bad if it is of another kind. */
async function witnessKey(text) {
  const key = await logKey(text);
  if (key.kind !== 4) throw new Bad("no_witness_key", text.slice(0, 80));
  return key;
}

/** Judge letters: items are {where, received, text}; keys are written as name+id+base64. Bad if a key is none. */
async function judge(items, pin = "", witnesses = []) {
  const one = new Judge(pin ? await logKey(pin) : null, await Promise.all(witnesses.map(witnessKey)));
  await one.read(items);
  await one.run();
  return one;
}

/** For each check its status (ok, false, open), how many facts held, and what was found otherwise. */
function verdict(one) {
  return CHECKS.map((check) => {
    const found = one.found.filter((fact) => fact.check === check);
    const [wrong, blind] = [false, null].map((truth) => found.some((fact) => fact.truth === truth));
    const status = wrong ? "false" : blind ? "open" : "ok";
    const order = (fact) => (fact.truth === false ? 0 : 1);
    const why = found.filter((fact) => fact.truth !== true).sort((a, b) => order(a) - order(b));
    return { check, status, held: found.filter((fact) => fact.truth === true).length, why };
  });
}
