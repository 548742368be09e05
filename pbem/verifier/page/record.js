// The letters taken together: what they show of one course of a log, phase by phase; and what is found about it.

const CHECKS = [
  "form", "keys", "signature", "inclusion", "chain", "consistency", "recovery", "close", "groups", "attempts", "orders",
  "own", "others", "round", "beacon", "vrf", "dice", "labels", "manifest", "opened", "draws",
  "timing",
];

const [OK, FALSE, NOT_CHECKED] = ["ok", "FALSE", "NOT CHECKED"];

const keyOf = (...parts) => parts.join("\n");

/** The entries of a map in the order of their keys. */
const inOrder = (map) => [...map].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));

/** What is spoken of: in words, and if it is a phase, which. */
const placeOf = (where, game = "", phase = "") => ({ where, game, phase });

/** What was found: how much is true, check by check, and what is not; and every die, for the page to show. */
class Findings {
  constructor() {
    this.held = new Map(CHECKS.map((check) => [check, 0]));
    this.found = [];
    this.byHand = "";
    this.dice = [];
  }

  /** Note whether something holds (true, false, or null if it could not be checked), and what it means if not. */
  say(check, truth, place, why = "", ...given) {
    if (truth) this.held.set(check, this.held.get(check) + 1);
    else this.found.push({ check, truth, place, why, given });
    return truth;
  }

  status(check) {
    const truths = this.found.filter((one) => one.check === check).map((one) => one.truth);
    return truths.includes(false) ? FALSE : truths.includes(null) ? NOT_CHECKED : OK;
  }
}

/** What the leaves say of one attempt at a phase, in the order of the game's chain. */
class Phase {
  constructor(game, name) {
    Object.assign(this, { game, name, leaves: [], place: placeOf(`${game} ${name}`, game, name) });
    this.stem = name.split("~")[0];
    this.attempt = Number(/^[^~]+~([1-9][0-9]{0,8})$/.exec(name)?.[1] ?? 0);
  }

  /** Its leaves of a kind; of one segment if that is told. */
  of(kind, segment = 0n) {
    return this.leaves.filter((one) => one.kind === kind && (!segment || one.num("segment") === segment));
  }

  /** The segments that were closed or rolled. */
  segments() {
    const acts = this.leaves.filter((one) => one.kind === "close" || one.kind === "roll");
    const found = acts.map((one) => one.num("segment"));
    return [...new Set(found)].sort((one, other) => (one < other ? -1 : 1));
  }

  /** The leaf that opened it; null if it is not told. */
  get opened() {
    return this.of("open")[0] ?? null;
  }

  get disclosed() {
    return this.of("disclose").length > 0;
  }

  /** The place of the roll before a segment, from which on it may be closed; -1 for the first. */
  rolledBefore(segment) {
    const rolls = segment > 1n ? this.of("roll", segment - 1n) : [];
    return rolls.reduce((most, one) => (one.seq > most ? one.seq : most), -1n);
  }

  /** The leaves that said when a segment closes, of which the last holds; of a later one those after the roll. */
  due(close) {
    return this.fixed(close.num("segment")).filter((one) => one.seq < close.seq);
  }

  /** The leaves that said when a segment closes, whether it was closed or not. */
  fixed(segment) {
    const [since, until] = [this.rolledBefore(segment), this.of("roll", segment)[0]];
    const moved = this.of("deadline").filter((one) => since < one.seq && (!until || one.seq < until.seq));
    if (segment > 1n) return since >= 0n ? moved : [];
    return [...this.of("open").slice(0, 1), ...moved];
  }
}

/** Everything that letters show of one course of a log. */
class LogView {
  constructor(letters, findings) {
    this.letters = [...letters].sort((one, other) => (one.size < other.size ? -1 : one.size > other.size ? 1 : 0));
    const maps = ["leaves", "places", "phases", "slates", "draws", "boards", "manifests", "histories", "others"];
    for (const name of maps) this[name] = new Map();
    for (const letter of this.letters) {
      for (const leaf of letter.leaves) this.take(leaf, placeOf(letter.where), findings);
      for (const one of letter.slates) this.slates.set(one.digest, one);
      for (const one of letter.draws) this.draws.set(one.digest, one);
      for (const one of letter.boards) this.boards.set(one.digest, one);
      for (const one of letter.manifests) this.list(one);
    }
    /** Other tables of a board, of which letters show no more than that they were closed. */
    this.guests = new Set([...this.boards.values()].flatMap((one) => [...one.tables.keys()]));
    for (const letter of this.letters) this.guests.delete(letter.game);
    const bySeq = (one, other) => (one.seq < other.seq ? -1 : one.seq > other.seq ? 1 : 0);
    for (const leaf of [...this.leaves.values()].sort(bySeq)) {
      if (!this.histories.has(leaf.game)) this.histories.set(leaf.game, []);
      this.histories.get(leaf.game).push(leaf);
      const key = keyOf(leaf.game, leaf.get("phase"));
      if (!leaf.get("phase")) continue;
      const phases = this.guests.has(leaf.game) ? this.others : this.phases;
      if (!phases.has(key)) phases.set(key, new Phase(leaf.game, leaf.get("phase")));
      phases.get(key).leaves.push(leaf);
    }
    /** What tournaments say of boards whose tables have one luck. */
    this.bound = [...this.leaves.values()].filter((leaf) => ["bind", "deal"].includes(leaf.kind) && leaf.known);
    this.bound.sort((one, other) => (one.game < other.game ? -1 : one.game > other.game ? 1 : bySeq(one, other)));
  }

  list(one) {
    const key = keyOf(...["game", "phase", "segment", "group"].map((name) => one.block.get(name)));
    const known = this.manifests.get(key) ?? [];
    if (known.every((other) => other.block.data !== one.block.data)) known.push(one);
    this.manifests.set(key, known);
  }

  /** Take a leaf in; two of one place are two histories, two places of one leaf are two as well. */
  take(leaf, place, findings) {
    const key = keyOf(leaf.game, leaf.seq);
    const known = this.leaves.get(key);
    if (!known || (known.data === leaf.data && leaf.known && !known.known)) this.leaves.set(key, leaf);
    const same = !known || (known.data === leaf.data && known.at === leaf.at);
    findings.say("chain", same, place, "another letter shows another leaf {} of {}", leaf.seq, leaf.game);
    if (!this.places.has(leaf.hash)) this.places.set(leaf.hash, leaf.at);
    const once = this.places.get(leaf.hash) === leaf.at;
    findings.say("chain", once, place, "leaf {} of {} stands in the log twice", leaf.seq, leaf.game);
  }

  /** The leaves that bind a board, or deal it. */
  bindings(name, kind) {
    return this.bound.filter((leaf) => leaf.kind === kind && leaf.get("board") === name);
  }

  /** The leaves of a game, in order. */
  history(game) {
    return this.histories.get(game) ?? [];
  }

  /** A phase by its name; one without leaves if nothing is told of it. */
  phase(game, name) {
    return this.phases.get(keyOf(game, name)) ?? new Phase(game, name);
  }

  /** Whether all leaves of a game between two places are in letters; and what those of `kinds` say, not withheld. */
  told(game, kinds, first, last) {
    for (let seq = first; seq <= last; seq++) {
      const one = this.leaves.get(keyOf(game, seq));
      if (!one || (!one.known && kinds.includes(one.kind))) return false;
    }
    return true;
  }

  /** The list that a leaf closed, if a letter shows it. */
  slate(close) {
    return (close?.known && this.slates.get(close.get("slate"))) || null;
  }

  /** The parts of a kind in all letters, or in those of a game, each with its letter. */
  parts(kind, game = "") {
    const letters = game ? this.letters.filter((letter) => letter.game === game) : this.letters;
    return letters.flatMap((letter) => letter.parts.get(kind).map((one) => [letter, one]));
  }
}
