// Checkpoints of the log, and who has signed them: C2SP signed-note, tlog-checkpoint, tlog-cosignature.

/** The kinds of keys: of a log, and of a witness, who signs with the time. */
const [PLAIN, COSIGNATURE] = [1, 4];
const MOST_SIGNATURES = 64;

/** The four bytes, in hex, that stand before the signatures of a key. */
const keyIdent = (name, kind, raw) => sha(`${bytesOfText(name)}\n${String.fromCharCode(kind)}${raw}`).slice(0, 8);

/** A key as it is told: name+id+base64. */
function logKey(text) {
  const [name, ident = "", ...rest] = text.split("+");
  let raw = "";
  try {
    raw = b64(rest.join("+"), 33);
  } catch {
    raw = "";
  }
  const kind = raw ? raw.charCodeAt(0) : 0;
  const key = { name, kind, raw: raw.slice(1), text, ident };
  const good = /^[^\s+]+$/.test(name) && [PLAIN, COSIGNATURE].includes(kind) && keyIdent(name, kind, key.raw) === ident;
  if (!good) throw new Bad("no key: {}", text.slice(0, 80));
  return key;
}

/** Name, id and signature of a line. */
function signatureOf(text) {
  const found = /^([^\s+]+) (\S+)$/.exec(text);
  const raw = found ? b64(found[2], 0) : "";
  if (raw.length < 5) throw new Bad("a signature reads -- name base64");
  return { name: found[1], ident: hex(raw.slice(0, 4)), raw: raw.slice(4) };
}

/** A checkpoint: name, size and root of a log, and who is said to have signed that. */
class Tree {
  constructor(body, signatures) {
    const [origin, size = "", root = "", ...extra] = body.slice(0, -1).split("\n");
    if (!origin || extra.includes("") || !/^(?:0|[1-9][0-9]{0,17})$/.test(size)) {
      throw new Bad("a checkpoint has a name, a size and a root");
    }
    Object.assign(this, { body, origin, size: BigInt(size), root: b64(root) });
    const lines = signatures.split("\n");
    if (lines.pop() || lines.length > MOST_SIGNATURES || (this.size === 0n && hex(this.root) !== sha(""))) {
      throw new Bad("a checkpoint ends with signatures");
    }
    const good = lines.length > 0 && lines.every((line) => line.startsWith("-- "));
    this.signatures = lines.filter((line) => line.startsWith("-- ")).map((line) => signatureOf(line.slice(3)));
    if (!good) throw new Bad("a signature reads -- name base64");
  }
}

/** A tree that others have signed: it has the leaf `at` by `path`, and by `grown` the letter's begins with it. */
function cosignedOf(part) {
  const tree = new Tree(part.text(), part.all("by").map((value) => `-- ${value}\n`).join(""));
  const hashes = (key) => part.all(key).map((one) => b64(one));
  return { at: part.num("index"), path: hashes("hash"), grown: hashes("grown"), tree };
}

/** What a witness says that he sees: at `time` a tree, and these leaves that close a list; who signed it. */
function seesOf(part) {
  const closes = part.all("close").map((line) => {
    const [game, phase, segment, digest] = line.split(" ");
    return { where: `${game}\n${phase}\n${segment}`, digest };
  });
  const by = signatureOf(part.get("by"));
  if (new Set(closes.map((one) => one.where)).size < closes.length || by.raw.length !== 64) {
    throw new Bad("a witness sees one list of a segment, and signs that");
  }
  const told = part.data.slice(0, part.data.indexOf("\nby ") + 1);
  const [size, time] = [part.num("size"), part.num("time")];
  return { told, origin: part.get("log"), size, root: b64(part.get("root")), time, closes, by };
}
