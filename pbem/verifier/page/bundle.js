// What one letter shows: its `pbemdice.txt`, read strictly. Nothing of it is believed yet.

const [MOST_LEAVES, MOST_PROOFS, MOST_SEEN, MOST_BLOCKS, MOST_DICE] = [20000, 4000, 500, 60000, 10000];

/** A leaf of the log: where it stands, the hashes that prove it, and what it says, as far as that is shown. */
class Leaf {
  constructor(head, body, proof) {
    Object.assign(this, { kind: head.kind, data: head.data, says: new Map(head.says), more: [], body: "" });
    Object.assign(this, { game: head.get("game"), seq: head.num("seq"), prev: head.get("prev") });
    this.at = proof.num("index");
    this.path = proof.all("hash").map((one) => b64(one));
    this.hash = hex(leafHash(head.data));
    this.known = SERVER_LEAVES.has(this.kind);
    if ((this.prev === "-") !== (this.seq === 0n) || this.known !== (this.game === "-")) this.contradicts();
    if (TOURNAMENT_KINDS.has(this.kind) !== new RegExp(`^(?:${EVENT})$`).test(this.game)) this.contradicts();
    if (this.says.has("groups") && !sortedOnce(this.get("groups").split(" "))) {
      throw new Bad("the groups of leaf {} of {} are not in order, each once", this.seq, this.game);
    }
    if (["genesis", "rotate"].includes(this.kind)) logKey(this.get("log"));
    if (body !== null) this.open(body);
  }

  contradicts() {
    throw new Bad("leaf {} of {} contradicts itself", this.seq, this.game);
  }

  /** Take in what the leaf says. */
  open(body) {
    if (SERVER_LEAVES.has(this.kind) || sha(body.data) !== this.get("body")) {
      throw new Bad("this is not the body of leaf {} of {}", this.seq, this.game);
    }
    Object.assign(this, { known: true, body: body.data });
    for (const [key, value] of body.says) if (key !== "salt") this.says.set(key, value);
    this.more = body.all("group");
    for (const key of ["orders", "standing", "commit"]) if (body.says.has(key)) b64(body.get(key));
    if (!this.agrees()) this.contradicts();
  }

  /** Whether what it says in several lines hangs together. */
  agrees() {
    const words = (key) => this.get(key).split(" ");
    const waits = ["open", "beacon-change"].includes(this.kind);
    if (waits && (this.get("chain") === "none") !== (this.get("round") === "0")) return false;
    if (TOURNAMENT_KINDS.has(this.kind)) return tournamentLeafAgrees(this);
    if (this.kind === "open") {
      const seats = words("seats");
      const bots = this.get("bots") === "-" ? [] : words("bots").map((one) => one.split(":")[0]);
      return sortedOnce(seats) && (!bots.length || sortedOnce(bots)) && bots.every((one) => seats.includes(one));
    }
    if (this.kind === "order") return (this.get("eml") === "-") === (this.get("recv") === "0");
    if (this.kind !== "roll") return true;
    const names = this.more.map((one) => one.split(" ")[0]);
    return names.join(" ") === this.get("groups") && words("manifest").length === names.length;
  }

  /** The value of a key, "" if it is not told. */
  get(key) {
    return this.says.get(key) ?? "";
  }

  num(key) {
    return BigInt(this.says.get(key));
  }

  /** Of a roll: its groups, each with its proof or, while hidden, the hash of that. */
  get groups() {
    return this.more.map((one) => one.split(" ")).map(([name, proof]) => [name, unhex(proof)]);
  }
}

/** Whether what a leaf of a tournament says in several lines hangs together. */
function tournamentLeafAgrees(leaf) {
  const [none, table, last] = ["second", "table", "leaf"].map((key) => leaf.get(key) === "-");
  if (["shut", "bind", "lot-needed"].includes(leaf.kind)) {
    return (leaf.get("chain") === "none") === (leaf.get("beacon") === "0");
  }
  if (leaf.kind === "challenge") return leaf.get("challenger") !== leaf.get("challenged");
  if (leaf.kind === "pair") {
    const named = sortedOnce(leaf.get("table").split(" "));
    return leaf.get("first") !== leaf.get("second") && (none || !table) && named;
  }
  return leaf.kind !== "score" || table === last || (last && leaf.get("how") !== "played");
}

/** A closed list; of each seat the revision and the two commitments, of which answers have one. */
function slateOf(one) {
  const first = one.get("segment") === "1";
  const seats = new Map();
  const names = one.all("seat").map((line) => {
    const [seat, rev, orders, standing] = line.split(" ");
    if ((standing === "-") === first) {
      throw new Bad("a seat has two commitments in the first segment, and one in the others");
    }
    seats.set(seat, { rev: BigInt(rev), orders: b64(orders), standing: first ? b64(standing) : "" });
    return seat;
  });
  const groups = one.get("groups").split(" ");
  if (!sortedOnce(names) || !sortedOnce(groups)) throw new Bad("a slate has its groups and seats in order, each once");
  if ((one.get("previous") === "-") !== first) throw new Bad("the first segment, and no other, has no slate before it");
  const [chain, round = "0"] = one.get("beacon").split(" ");
  const board = one.get("dice").split(" ")[1] ?? "";
  return { block: one, digest: sha(one.data), seats, groups, chain, round: BigInt(round), board };
}

/** What was rolled for one group in one segment; the values of a roll stay the text that they are. */
function manifestOf(one) {
  const rolls = one.all("roll").map((line) => {
    const [, number, label, dice, told] = /^(\S+) (.*) (\S+) (\S+)$/.exec(line);
    const [n, sides] = dice.split("d").map(Number);
    const count = told.length - told.replaceAll(",", "").length + 1;
    if (n > MOST_DICE || sides > 2 ** 32 || count !== n) throw new Bad("a roll has as many values as dice");
    return { number: Number(number), label, n, sides, told };
  });
  if (rolls.some((roll, at) => at > 0 && rolls[at - 1].number >= roll.number)) {
    throw new Bad("the numbers of a manifest rise");
  }
  return { block: one, rolls };
}

/** What the form of lines alone does not say. */
function checkPart(one) {
  if (one.kind === "reveal") cutRightly(one, "before", "after");
  if (["edition", "said", "opens"].includes(one.kind)) cutRightly(one, "text");
  if (one.kind === "orders") {
    const numbers = one.all("rule").map((value) => Number(value.split(" ")[0]));
    const rising = numbers.every((number, at) =>
      number - (at ? numbers[at - 1] : 0) === 1 || (at > 0 && number === numbers[at - 1]));
    if (!rising || (numbers.length && one.get("segment") !== "1")) {
      throw new Bad("the rules of the first segment are numbered from 1");
    }
  }
  if (one.kind === "fired" && one.num("number") > one.num("size")) throw new Bad("a rule is one of so many");
  if (["consistency", "fired"].includes(one.kind)) for (const value of one.all("root", "hash")) b64(value);
}

/** The standing orders of a block of orders: a text each. */
function rulesOf(one) {
  const rules = [];
  for (const value of one.all("rule")) {
    const at = value.indexOf(" ");
    const number = Number(value.slice(0, at)) - 1;
    rules[number] = `${rules[number] ?? ""}${value.slice(at + 1)}\n`;
  }
  return rules;
}

/** The last two line ends part a text in two; null if there are none. */
function cutLast(text) {
  const at = text.lastIndexOf("\n\n");
  return at < 0 ? null : [text.slice(0, at), text.slice(at + 2)];
}

/** The bundle above its checkpoint, the body of that, and its signatures. */
function cutInThree(data) {
  if (!/^[\n -~]*$/.test(data)) throw new Bad("a bundle is ASCII");
  const ends = cutLast(data);
  const middle = ends && cutLast(ends[0]);
  if (!middle) throw new Bad("a bundle has a checkpoint at its end");
  return [middle[0], `${middle[1]}\n`, ends[1]];
}

/** A letter: its head, its leaves, the other parts by their kinds, and as a tree the checkpoint at its end. */
class Letter extends Tree {
  constructor(item) {
    const [above, body, signatures] = cutInThree(item.data);
    const raw = above.split("\n\n").map((part) => `${part}\n`);
    if (raw.length > MOST_BLOCKS + 1) throw new TooMuch("it has more parts than are read here");
    super(body, signatures);
    const { where, received, undated } = item;
    Object.assign(this, { where, received, undated, leaves: [], head: new Block(raw[0]) });
    if (this.head.kind !== "bundle") throw new Bad("a bundle begins with its head");
    const rest = this.readLeaves(raw);
    const places = rest.map((one) => PART_ORDER.indexOf(one.kind));
    if (places.some((place, at) => place < 0 || (at > 0 && places[at - 1] > place))) {
      throw new Bad("the parts of a bundle have one order");
    }
    this.parts = new Map(PART_ORDER.map((kind) => [kind, rest.filter((one) => one.kind === kind)]));
    const many = (...kinds) => kinds.reduce((sum, kind) => sum + this.parts.get(kind).length, 0);
    if (many("consistency") > 1 || many("edition") > 1) {
      throw new Bad("a bundle has one edition, and one proof of what went before");
    }
    this.slates = this.parts.get("slate").map(slateOf);
    this.draws = this.parts.get("draw").map(drawOf);
    this.boards = this.parts.get("board").map(boardOf);
    this.manifests = this.parts.get("manifest").map(manifestOf);
    this.cosigned = this.parts.get("cosigned").map(cosignedOf);
    this.sees = this.parts.get("sees").map(seesOf);
    rest.forEach(checkPart);
    if (many("orders", "group", "reveal") > MOST_PROOFS || many("cosigned", "sees") > MOST_SEEN) {
      throw new TooMuch("it has more proofs than are checked here");
    }
    this.game = this.head.get("game");
    this.seat = this.head.get("seat");
    this.shown = new Set(this.leaves.map((leaf) => leaf.data));
  }

  /** Read the leaves, each with its body and its proof; return the parts after them. */
  readLeaves(raw) {
    let at = 1;
    while (at < raw.length) {
      const head = new Block(raw[at]);
      if (!LEAF_KINDS.has(head.kind)) break;
      at += 1;
      const says = raw[at]?.startsWith(`${TOP}says\n`) ? new Block(raw[at++], head.kind) : null;
      if (!raw[at]?.startsWith(`${TOP}proof\n`)) {
        throw new Bad("after a leaf come its body, unless it is withheld, and its proof");
      }
      this.leaves.push(new Leaf(head, says, new Block(raw[at])));
      at += 1;
      if (this.leaves.length > MOST_LEAVES) throw new TooMuch("it has more leaves than are read here");
    }
    return raw.slice(at).map((part) => new Block(part));
  }

  shows(leaf) {
    return this.shown.has(leaf.data);
  }
}
