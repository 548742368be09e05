// `pbemdice.txt`, what one letter shows: leaves with their proofs, other blocks in one order, at the end a checkpoint.

const ORDER_OF_PARTS = ["slate", "manifest", "orders", "group", "reveal", "said", "edition", "consistency", "cosigned"];

/** The last two line ends part a text in two. */
function cutLast(text) {
  const at = text.lastIndexOf("\n\n");
  return at < 0 ? null : [text.slice(0, at), text.slice(at + 2)];
}

/** Read a bundle; Bad unless every byte is as the format has it. Nothing is verified. */
async function readBundle(where, received, text) {
  const ends = /^[\n -~]*$/.test(text) && cutLast(text);
  const middle = ends && cutLast(ends[0]);
  if (!middle) throw new Bad("no_bundle");
  const letter = { where, received, ...(await readCheckpoint(middle[1] + "\n", ends[1])) };
  const blocks = middle[0].split("\n\n").map((part) => new Block(part + "\n"));
  letter.head = blocks.shift();
  letter.leaves = [];
  while (blocks.length && LEAF.has(blocks[0].kind)) {
    if (blocks.length < 2 || blocks[1].kind !== "proof") throw new Bad("no_proof");
    letter.leaves.push(await readLeaf(blocks.shift(), blocks.shift()));
  }
  const places = blocks.map((one) => ORDER_OF_PARTS.indexOf(one.kind));
  const twice = ["edition", "consistency"].some((kind) => blocks.filter((one) => one.kind === kind).length > 1);
  if (letter.head.kind !== "bundle" || places.includes(-1) || twice) throw new Bad("foreign_part");
  if (places.some((place, at) => at > 0 && places[at - 1] > place)) throw new Bad("parts_order");
  blocks.forEach(look);
  letter.parts = new Map(ORDER_OF_PARTS.map((kind) => [kind, blocks.filter((one) => one.kind === kind)]));
  for (const slate of letter.parts.get("slate")) slate.digest = await sha(utf8(slate.text));
  for (const seen of letter.parts.get("cosigned")) await readSeen(seen);
  return letter;
}

/** An earlier tree that witnesses have signed: its checkpoint, the way up from a leaf, the way on to the letter's. */
async function readSeen(seen) {
  [seen.up, seen.on] = ["hash", "grown"].map((key) => seen.all(key).map((value) => b64(value)));
  const lines = (key, before) => seen.all(key).map((line) => `${before}${line}\n`).join("");
  seen.tree = await readCheckpoint(lines("text", ""), lines("by", "-- "));
}

/** C2SP tlog-checkpoint: the log's name, its size, its root, and signature lines after a blank one. */
async function readCheckpoint(body, below) {
  const lines = body.slice(0, -1).split("\n");
  const [origin, size, root, ...extra] = lines;
  if (!origin || extra.includes("") || !/^(?:0|[1-9][0-9]{0,18})$/.test(size || "")) throw new Bad("no_checkpoint");
  const read = { body, origin, size: BigInt(size), root: hex(b64(root || "")), signatures: [] };
  const signed = below.split("\n");
  const empty = await sha(new Uint8Array());
  const ended = signed.pop() === "" && signed.length <= 64;
  if (!ended || (read.size === 0n && read.root !== empty)) throw new Bad("no_checkpoint");
  for (const line of signed) {
    const found = /^-- ([^\s+]+) (\S+)$/.exec(line);
    const raw = found ? b64(found[2], 0) : [];
    if (raw.length < 5) throw new Bad("no_signature_line");
    read.signatures.push({ name: found[1], id: hex(raw.slice(0, 4)), raw: raw.slice(4) });
  }
  return read;
}

/** A long line in pieces of 120, none of which ends in a space, a line each. */
const cut = (text) => (text.match(/.{119} *[^ ]|.+$/g) || []).join("\n");

/** Read what stands in the lines of a block, and keep it with the block. */
function look(one) {
  if (one.kind === "slate") {
    const seats = one.more.map((line) => line.split(" "));
    if (!sortedOnce(seats.map(([seat]) => seat))) throw new Bad("slate_seats");
    one.seats = new Map(seats.map(([seat, rev, commit]) => [seat, { rev: BigInt(rev), commit: hex(b64(commit)) }]));
  }
  if (one.kind === "manifest") one.rolls = readRolls(one.all("roll"));
  if (one.kind === "reveal") {
    one.states = ["before", "after"].map((word) => {
      const pieces = one.all(word);
      const state = pieces.join("");
      if (cut(state) !== pieces.join("\n")) throw new Bad("state_pieces");
      return state;
    });
  }
  const long = ["edition", "said"].includes(one.kind);
  if (long && cut(one.more.join("")) !== one.more.join("\n")) throw new Bad("state_pieces");
  if (one.kind === "consistency") one.path = one.more.map((value) => b64(value));
  if (one.kind === "consistency") one.root = hex(b64(one.get("root")));
}

function readRolls(lines) {
  const rolls = lines.map((line) => {
    const [, number, label, n, sides, values] = /^(\d+) (.+) (\d+)d(\d+) (\S+)$/.exec(line);
    return { number: Number(number), label, n: Number(n), sides: Number(sides), values: values.split(",").map(Number) };
  });
  const wrong = rolls.some((one) => one.n !== one.values.length || one.n > 10000 || one.sides > 2 ** 32);
  if (wrong || rolls.some((one, at) => at > 0 && rolls[at - 1].number >= one.number)) throw new Bad("manifest_values");
  return rolls;
}
