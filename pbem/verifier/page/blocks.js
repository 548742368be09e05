// Reading: every block has its lines in one order, every value its form. A star means any number of such
// lines, a question mark that they may be left out.

const ID = "[A-Za-z0-9._/~-]{1,64}";
const NUM = "(?:0|[1-9][0-9]{0,17})";
const HEX = "[0-9a-f]{64}";
const HASH = "[A-Za-z0-9+/]{43}=";
const PROOF = "[0-9a-f]{160}";
const KEY = "\\S+\\+[0-9a-f]{8}\\+\\S+";
const PHASE = `phase ${ID}`;
const SEGMENT = "segment [1-9][0-9]{0,17}";

const LEAF = new Map(Object.entries({
  genesis: [`log ${KEY}`, `vrf ${HEX}`, `chain (?:${HEX}|none)`],
  open: [PHASE, `D ${NUM}`, `delta ${NUM}`, `chain (?:${HEX}|none)`, `round ${NUM}`, `edition sha256:${HEX}`,
    `state hmac:${HEX}`, `seats ${ID}(?: ${ID})*`, `?system ${ID}\npace (?:phase|activation)`],
  deadline: [PHASE, `D ${NUM}`, `round ${NUM}`, "cause (?:go|all-in|extend|outage|vacation|bounce|moderator)"],
  order: [PHASE, `seat ${ID}`, `rev ${NUM}`, `commit ${HASH}`, `eml ${HEX}`, `recv ${NUM}`],
  answer: [PHASE, SEGMENT, `seat ${ID}`, `commit ${HASH}`],
  close: [PHASE, SEGMENT, `slate ${HEX}`, `seen (?:-|${ID}:${NUM}:${HEX}(?: ${ID}:${NUM}:${HEX})*)`],
  roll: [PHASE, SEGMENT, "sig (?:[0-9a-f]{96}|none)", `*group ${ID} (?:${PROOF}|${HEX})`,
    `manifest (?:sha256|hmac):${HEX}(?: (?:sha256|hmac):${HEX})*`],
  result: [PHASE, `state hmac:${HEX}`, `report hmac:${HEX}`],
  again: [PHASE, "run [1-9][0-9]{0,17}", "ruling [1-9][0-9]{0,17}", `state hmac:${HEX}`,
    `manifest (?:sha256|hmac):${HEX}(?: (?:sha256|hmac):${HEX})*`],
  disclose: [PHASE],
  ruling: [PHASE, "number [1-9][0-9]{0,17}", `text sha256:${HEX}`],
  rotate: [`log ${KEY}`, `vrf ${HEX}`, `size ${NUM}`, `root ${HEX}`],
  "beacon-change": [`chain (?:${HEX}|none)`],
}));

const PART = new Map(Object.entries({
  bundle: [`game ${ID}`, `seat ${ID}`, "letter (?:welcome|receipt|closed|report|disclosure)", PHASE, "grade [ABC-]"],
  slate: [`game ${ID}`, PHASE, SEGMENT, `previous (?:${HEX}|-)`, `edition sha256:${HEX}`, `state hmac:${HEX}`,
    `beacon (?:none|${HEX} ${NUM})`, `*seat ${ID} ${NUM} ${HASH}`],
  manifest: [`game ${ID}`, PHASE, SEGMENT, `group ${ID}`,
    "*roll [1-9][0-9]{0,8} .+ [1-9][0-9]{0,8}d[1-9][0-9]{0,9} [1-9][0-9]*(?:,[1-9][0-9]*)*"],
  orders: ["phase .+", SEGMENT, "seat .+", `rev ${NUM}`, `proof ${PROOF}`, "*text .+"],
  group: ["phase .+", SEGMENT, "group .+", `proof ${PROOF}`],
  reveal: ["phase .+", `proof ${PROOF}`, "*before .+", "*after .+"],
  said: [`number ${NUM}`, "*text .+"],
  edition: [`system ${ID}`, "pace (?:phase|activation)", "*text .+"],
  consistency: [`from ${NUM}`, `root ${HASH}`, `*hash ${HASH}`],
  proof: [`index ${NUM}`, `*hash ${HASH}`],
  cosigned: [`index ${NUM}`, `*hash ${HASH}`, `*grown ${HASH}`, "*text .+", "*by .+"],
}));

const SERVER_LEAVES = ["genesis", "rotate", "beacon-change"];
const REPEATED = ["group", "seat", "roll", "text", "hash"];

/** Whether names stand in the order of their bytes, each once. */
const sortedOnce = (names) => names.length > 0 && names.every((name, at) => at === 0 || names[at - 1] < name);

/** A block of a bundle: its kind, its text, the value of each key; `more` are the lines that may repeat. */
class Block {
  constructor(text) {
    const [kind, ...lines] = text.slice(0, -1).split("\n");
    this.text = text;
    this.kind = kind.startsWith(TOP) ? kind.slice(TOP.length) : "";
    const head = LEAF.has(this.kind) ? [`game ${ID}`, `seq ${NUM}`, `prev (?:-|${HEX})`] : [];
    const form = [...head, ...(LEAF.get(this.kind) || PART.get(this.kind) || ["(?!)"])]
      .map((line) => ("*?".includes(line[0]) ? `(?:${line.slice(1)}\n)${line[0]}` : `${line}\n`)).join("");
    if (!new RegExp(`^(?:${form})$`).test(text.slice(kind.length + 1))) {
      throw new Bad("no_block", (lines[0] || kind).slice(0, 60));
    }
    this.pairs = lines.map((line) => [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)]);
    this.says = new Map([...this.pairs].reverse());
    this.more = this.pairs.filter(([key]) => REPEATED.includes(key)).map(([, value]) => value);
  }

  get(key) {
    return this.says.get(key);
  }

  all(key) {
    return this.pairs.filter(([one]) => one === key).map(([, value]) => value);
  }

  num(key) {
    return BigInt(this.says.get(key));
  }
}

/** The name, the kind and the bytes of a key written as name+id+base64. */
async function logKey(text) {
  const [name, id, ...rest] = text.split("+");
  const raw = rest.length ? b64(rest.join("+"), 33) : new Uint8Array(1);
  const right = await sha(joined(utf8(`${name}\n`), raw));
  if (right.slice(0, 8) !== id || ![1, 4].includes(raw[0])) throw new Bad("no_key", text.slice(0, 80));
  return { text, name, id, kind: raw[0], raw: raw.slice(1) };
}

/** A leaf of the log, where it stands in it, and the hashes that prove it. */
async function readLeaf(part, proof) {
  const leaf = part;
  leaf.game = part.get("game");
  leaf.seq = part.num("seq");
  leaf.at = proof.num("index");
  leaf.path = proof.more.map((one) => b64(one));
  leaf.hash = await leafHash(part.text);
  const wrong = [(leaf.get("prev") === "-") !== (leaf.seq === 0n)];
  wrong.push(SERVER_LEAVES.includes(leaf.kind) && leaf.game !== "-");
  if (leaf.says.has("log")) await logKey(leaf.get("log"));
  if (leaf.says.has("commit")) b64(leaf.get("commit"));
  if (leaf.kind === "open") {
    wrong.push(!sortedOnce(leaf.get("seats").split(" ")));
    wrong.push((leaf.get("chain") === "none") !== (leaf.get("round") === "0"));
  }
  if (leaf.kind === "roll") {
    leaf.groups = leaf.more.map((one) => one.split(" ")).map(([name, proven]) => ({ name, proof: unhex(proven) }));
    const names = leaf.groups.map((group) => group.name);
    wrong.push(!sortedOnce(names) || leaf.get("manifest").split(" ").length !== names.length);
  }
  if (wrong.includes(true)) throw new Bad("leaf_contradicts", leaf.seq, leaf.game);
  return leaf;
}
