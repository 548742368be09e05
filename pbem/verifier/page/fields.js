// Reading: every block has its lines in one order, every value its form, and there is one way to write it.
// A block is a text: `pbemdice/v1/KIND`, then lines `key value`. Nothing else is read, and nothing in here is believed.

/** There is more of it than is read here. */
class TooMuch extends Bad {}

/** It is of a version of the format that came after this program. */
class Newer extends TooMuch {}

const MOST_NESTED = 100;

/** What a text of JSON says, as every program reads it; an error if it is none, or is nested too deep. */
function readJson(text) {
  let [depth, quoted] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (quoted && sign === "\\") at += 1;
    else if (sign === '"') quoted = !quoted;
    else if (!quoted && "[{".includes(sign)) depth += 1;
    else if (!quoted && "]}".includes(sign)) depth -= 1;
    if (depth > MOST_NESTED) throw new SyntaxError("nested too deep");
  }
  return JSON.parse(text);
}

/** The bytes of base64, written as they must be; `length` of them, or any number if that is 0. */
function b64(text, length = 32) {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/.test(text)) {
    throw new Bad("no base64: {}", text.slice(0, 60));
  }
  const raw = atob(text);
  if (btoa(raw) !== text || (length && raw.length !== length)) {
    throw new Bad("no base64 of {} bytes: {}", length, text.slice(0, 60));
  }
  return raw;
}

const [ID, NUM, HEX] = ["[A-Za-z0-9._/~-]{1,64}", "(?:0|[1-9][0-9]{0,17})", "[0-9a-f]{64}"];
const [COUNT, HASH, PROOF] = ["[1-9][0-9]{0,17}", "[A-Za-z0-9+/]{43}=", "[0-9a-f]{160}"];
const [PHASE, SEGMENT, SEAT, REV] = [`phase ${ID}`, `segment ${COUNT}`, `seat ${ID}`, `rev ${NUM}`];
const [CHAIN, ROUND, STATE] = [`chain (?:${HEX}|none)`, `round ${NUM}`, `state hmac:${HEX}`];
const KEY = "log \\S+\\+[0-9a-f]{8}\\+\\S+";
const SIGNED = "(?:0|-?[1-9][0-9]{0,17})";
const DIGESTS = `manifest (?:sha256|hmac):${HEX}(?: (?:sha256|hmac):${HEX})*`;
const GROUPS = `groups ${ID}(?: ${ID})*`;

/** What every leaf of the log begins with. */
const LEAF_HEAD = [`game ${ID}`, `seq ${NUM}`, `prev (?:-|${HEX})`];

/** Leaves about the server, public whole. A star means any number of such lines, a plus one or more, a question mark at
 * most one. */
const SERVER_LEAVES = new Map(Object.entries({
  genesis: [KEY, `vrf ${HEX}`, CHAIN],
  rotate: [KEY, `vrf ${HEX}`, `size ${NUM}`, `root ${HEX}`, "why (?:recovery|keys)"],
  beacon: [CHAIN],
}));

/** What a leaf of a game says in public, besides its head. */
const PUBLIC = new Map(Object.entries({ close: [PHASE, SEGMENT, GROUPS], roll: [PHASE, SEGMENT, GROUPS] }));

/** What stands in the body of a leaf. */
const SAYS = new Map(Object.entries({
  open: [PHASE, `D ${NUM}`, `delta ${NUM}`, CHAIN, ROUND, `edition sha256:${HEX}`, STATE, `seats ${ID}(?: ${ID})*`,
    `system ${ID}`, "pace (?:phase|activation)", "opened (?:played|all)",
    `bots (?:-|${ID}:${ID}(?: ${ID}:${ID})*)`, `ruling (?:-|${COUNT})`],
  deadline: [PHASE, `D ${NUM}`, ROUND, "cause (?:go|all-in|extend|outage|vacation|bounce|moderator)"],
  order: [PHASE, SEAT, REV, `orders ${HASH}`, `standing ${HASH}`, `eml (?:-|${HEX})`, `recv ${NUM}`],
  answer: [PHASE, SEGMENT, SEAT, REV, `commit ${HASH}`],
  close: [`slate ${HEX}`, `seen (?:-|${ID}:${NUM}:${HEX}(?: ${ID}:${NUM}:${HEX})*)`],
  roll: ["sig (?:[0-9a-f]{96}|none)", `+group ${ID} (?:${PROOF}|${HEX})`, DIGESTS],
  result: [PHASE, STATE, `report hmac:${HEX}`],
  again: [PHASE, `run ${COUNT}`, `ruling ${COUNT}`, STATE, DIGESTS],
  disclose: [PHASE],
  ruling: [PHASE, `number ${COUNT}`, `text sha256:${HEX}`],
  war: [`war ${ID}`, `terms sha256:${HEX}`],
  link: [`war ${ID}`, `after ${ID}`, `seq ${NUM}`, `leaf ${HEX}`],
  "beacon-change": [PHASE, SEGMENT, `ruling ${COUNT}`, CHAIN, ROUND],
}));

const [EVENT, ENTRANT] = ["event/[A-Za-z0-9._~-]+", "e[1-9][0-9]{0,8}"];
const BATTLE = "[A-Za-z0-9][A-Za-z0-9_-]{0,59}";
const CHOICE = `${ENTRANT}:(?:-|${BATTLE}(?:,${BATTLE})*)`;
const SOME = `(?:-|${ENTRANT}(?: ${ENTRANT})*)`;
const [TABLE, SIG] = [`(?!-(?: |$))${ID}`, "sig (?:[0-9a-f]{96}|none)"];
const [DRAWN, WAITS] = [["round r[1-9][0-9]{0,5}", `attempt ${COUNT}`], [`slate ${HEX}`, CHAIN, `beacon ${NUM}`]];

/** What leaves of a tournament say, which stand in a chain of its own. */
const TOURNAMENT_KINDS = new Map(Object.entries({
  found: [`rules sha256:${HEX}`, `name ${ID}`, `?version ${COUNT}`],
  enter: [`entrant ${ENTRANT}`, `person hmac:${HEX}`, `accepted sha256:${HEX}`, `strength ${NUM}`, `round ${COUNT}`,
    `?pace ${NUM}`, `?zone ${SIGNED}`, `?halves ${NUM}`],
  team: [`entrant ${ENTRANT}`, `round ${COUNT}`, `?halves ${NUM}`],
  lineup: [`team ${ENTRANT}`, `round ${COUNT}`, `boards ${SOME}`],
  member: [`entrant ${ENTRANT}`, `team ${ENTRANT}`],
  leave: [`entrant ${ENTRANT}`, `round ${NUM}`, "why (?:withdrew|rest|return|expelled|silent|replaced)"],
  challenge: [DRAWN[0], `challenger ${ENTRANT}`, `challenged ${ENTRANT}`],
  shut: [...DRAWN, ...WAITS],
  lot: [...DRAWN, SIG, `group draw ${PROOF}`],
  "lot-needed": [`lot ${ID}`, `first ${SOME}`, `then ${SOME}`, ...WAITS.slice(1)],
  "lot-drawn": [`lot ${ID}`, `asked ${SOME}`, SIG, `group later ${PROOF}`],
  pair: [...DRAWN, `board ${COUNT}`, `first ${ENTRANT}`, `second (?:-|${ENTRANT})`,
    `table (?:-|${TABLE}(?: ${TABLE})*)`, 
    `?battle ${BATTLE}(?: ${CHOICE} ${CHOICE})?`],
  score: [DRAWN[0], `board ${COUNT}`, `table ${ID}`, `halves ${NUM} ${NUM}`,
    `margin ${SIGNED}`, "how [a-z]+(?:-[a-z]+)*", `leaf (?:-|${HEX})`],
  standing: [DRAWN[0], `table sha256:${HEX}`],
  rated: [`pool ${ID}`, `period ${ID}`, `ratings sha256:${HEX}`],
  verdict: [`number ${COUNT}`, `text sha256:${HEX}`],
  bind: [`board ${ID}`, ...WAITS],
  deal: [`board ${ID}`, SIG, `group dup ${PROOF}`],
}));
for (const [kind, lines] of TOURNAMENT_KINDS) SAYS.set(kind, lines);

const LEAF_KINDS = new Set([...SERVER_LEAVES.keys(), ...SAYS.keys()]);

/** What else a letter shows, in the order in which it stands there. */
const PARTS = new Map(Object.entries({
  bundle: [`game ${ID}`, `seat ${ID}`, "letter (?:welcome|receipt|closed|report|disclosure|tournament)", PHASE,
    "grade [ABC-]"],
  proof: [`index ${NUM}`, `*hash ${HASH}`],
  slate: [`game ${ID}`, PHASE, SEGMENT, `previous (?:${HEX}|-)`, `edition sha256:${HEX}`, STATE,
    `dice (?:own|board ${ID})`, GROUPS, `beacon (?:none|${HEX} ${NUM})`, `+seat ${ID} ${NUM} ${HASH} (?:${HASH}|-)`],
  draw: [`game ${EVENT}`, "round r[1-9][0-9]{0,8}", "attempt [1-9][0-9]{0,8}", "stage [1-9][0-9]{0,8}",
    `rules sha256:${HEX}`, `beacon (?:none|${HEX} ${COUNT})`,
    "+entrant e[1-9][0-9]{0,8} (?:0|[1-9][0-9]{0,8}) (?:0|[1-9][0-9]{0,8}) (?:0|-?[1-9][0-9]{0,8}) "
      + `(?:0|[1-9][0-9]{0,8}) ${ID} [1-9][0-9]{0,8}`,
    `away (?:-|${ENTRANT}(?: ${ENTRANT})*)`, `barred (?:-|${ENTRANT}-${ENTRANT}(?: ${ENTRANT}-${ENTRANT})*)`,
    `*challenge ${ENTRANT} ${ENTRANT}`,
    "*boards [1-9][0-9]{0,8}", `*lineup ${ENTRANT} (?:-|${ENTRANT}(?: ${ENTRANT})*)`],
  board: [`game ${EVENT}`, "board [A-Za-z0-9._-]+/[A-Za-z0-9._-]+~[1-9][0-9]{0,8}/[1-9][0-9]{0,8}",
    `+table ${ID} (?:-|${HEX})`, `beacon (?:none|${HEX} ${COUNT})`],
  manifest: [`game ${ID}`, PHASE, SEGMENT, `group ${ID}`,
    "*roll [1-9][0-9]{0,8} .+ [1-9][0-9]{0,8}d[1-9][0-9]{0,9} [1-9][0-9]{0,9}(?:,[1-9][0-9]{0,9})*"],
  orders: ["phase .+", SEGMENT, "seat .+", REV, `proof ${PROOF}`, "*text .+", "*rule [1-9][0-9]{0,8} .+"],
  played: ["phase .+", SEGMENT, "seat .+", REV, `salt ${HEX}`, "*text .+"],
  fired: ["phase .+", "seat .+", REV, `salt ${HEX}`, `size ${COUNT}`, `number ${COUNT}`, `own ${HEX}`,
    "*text .+", `*hash ${HASH}`],
  group: ["phase .+", SEGMENT, "group .+", `proof ${PROOF}`],
  reveal: ["phase .+", `proof ${PROOF}`, "*before .+", "*after .+"],
  said: [`number ${NUM}`, "*text .+"],
  opens: [`game ${EVENT}`, `seq ${NUM}`, "*text .+"],
  edition: [`system ${ID}`, "pace (?:phase|activation)", `?proof ${PROOF}`, "*text .+"],
  consistency: [`from ${NUM}`, `root ${HASH}`, `*hash ${HASH}`],
  cosigned: [`index ${NUM}`, `*hash ${HASH}`, `*grown ${HASH}`, "+text .+", "+by .+"],
  sees: ["log \\S+", `size ${NUM}`, `root ${HASH}`, `time ${COUNT}`, `+close ${ID} ${ID} ${COUNT} ${HEX}`, "by .+"],
}));

const PART_ORDER = [...PARTS.keys()].slice(2);

const forms = new Map();

/** The lines of a block, or of the body of a leaf `of` some kind: how often each may come, and its form. */
function formOf(kind, of) {
  const key = `${kind} ${of}`;
  if (!forms.has(key)) {
    let lines = null;
    if (of) lines = kind === "says" ? [`salt ${HEX}`, ...(SAYS.get(of) || [])] : null;
    else if (SERVER_LEAVES.has(kind)) lines = [...LEAF_HEAD, ...SERVER_LEAVES.get(kind)];
    else if (LEAF_KINDS.has(kind)) lines = [...LEAF_HEAD, ...(PUBLIC.get(kind) || []), `body ${HEX}`];
    else lines = PARTS.get(kind) || null;
    const often = (line) => ("*+?".includes(line[0]) ? line[0] : "1");
    if (lines === null) return null;
    forms.set(key, lines.map((line) => [often(line), new RegExp(`^(?:${line.replace(/^[*+?]/, "")})$`)]));
  }
  return forms.get(key);
}

/** A block: its kind, its bytes, its lines. `of` is the kind of leaf of which it is the body, if it is one. */
class Block {
  constructor(data, of = "") {
    const [head, ...lines] = data.slice(0, -1).split("\n");
    this.data = data;
    this.kind = head.startsWith(TOP) ? head.slice(TOP.length) : head;
    const form = head.startsWith(TOP) ? formOf(this.kind, of) : null;
    if (/^pbemdice\/v(?!1\/)[1-9][0-9]{0,3}\//.test(head)) {
      throw new Newer("it is of a newer version of the format than this program knows: check it by a newer one");
    }
    if (form === null) throw new Bad("there is no block of this kind: {}", head.slice(0, 60));
    let at = 0;
    for (const [often, line] of form) {
      const begin = at;
      while (at < lines.length && ("*+".includes(often) || at === begin) && line.test(lines[at])) at++;
      if (at === begin && "+1".includes(often)) {
        throw new Bad("no {} is written like this: {}", this.kind, (lines[at] ?? "it ends").slice(0, 60));
      }
    }
    if (at < lines.length) throw new Bad("no {} is written like this: {}", this.kind, lines[at].slice(0, 60));
    this.pairs = lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]);
    this.says = new Map([...this.pairs].reverse());
  }

  get(key) {
    return this.says.get(key);
  }

  num(key) {
    return BigInt(this.says.get(key));
  }

  /** The values of lines that may repeat. */
  all(...keys) {
    return this.pairs.filter(([key]) => keys.includes(key)).map(([, value]) => value);
  }

  /** Its lines `text`, as orders have them: each with its line end. */
  text() {
    return this.all("text").map((line) => `${line}\n`).join("");
  }
}

/** Whether names stand in the order of their bytes, each once. */
const sortedOnce = (names) => names.length > 0 && names.every((name, at) => at === 0 || names[at - 1] < name);

/** A long text is cut in pieces of 120, none of which ends in a space: there is one way to do that. */
function cutRightly(one, ...keys) {
  for (const key of keys) {
    const pieces = one.all(key);
    const right = pieces.join("").match(/.{119} *[^ ]|.+$/g) || [];
    if (right.join("\n") !== pieces.join("\n")) throw new Bad("a long text is cut in pieces of 120");
  }
}
