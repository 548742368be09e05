// The log itself: keys, signatures, inclusion, the chain of each game, and that it was never written anew.

/** The keys that a log is checked with, as its first leaf and those that begin it anew tell them. */
class Keys {
  constructor(pin) {
    this.logs = pin ? [pin] : [];
    /** The keys of the dice, each from a place in the log on. */
    this.vrfs = [];
    /** The beacons that the server has named; null if no letter tells them. */
    this.chains = null;
    /** Leaves that closed a list or moved that, each with a tree of this log that others were shown, with it in. */
    this.trees = [];
  }

  /** The key of the dice of a phase: the one in force when its first attempt was opened, for all its attempts. */
  vrfOf(view, phase) {
    if (this.vrfs.length < 2) return this.vrfs[0]?.key ?? null;
    const at = view.phase(phase.game, `${phase.stem}~1`).opened?.at ?? -1n;
    return this.vrfAt(at);
  }

  /** The key of the dice that was in force at a place in the log; null if no letter tells it. */
  vrfAt(at) {
    return this.vrfs.findLast((one) => one.since <= at)?.key ?? null;
  }

  /** The secret of a block, by the key of its phase, or any where that is not known; null if it is not proven. */
  secret(alpha, proof, own = null) {
    const keys = own !== null ? [own] : this.vrfs.map((one) => one.key).reverse();
    for (const key of keys) {
      const secret = vrf(key, alpha, proof);
      if (secret !== null) return secret;
    }
    return null;
  }
}

/** A log that was begun anew has its first name and a number: name, name/2, name/3. 0 for the name of another. */
function epochOf(name, first) {
  if (name === first) return 1;
  const number = name.startsWith(`${first}/`) ? name.slice(first.length + 1) : name;
  return /^(?:[2-9]|[1-9][0-9]{1,8})$/.test(number) ? Number(number) : 0;
}

/** The keys of the first leaf, held against the one that the reader has from elsewhere, if he has it. */
function findKeys(view, findings, pin) {
  const [keys, first, place] = [new Keys(pin), view.leaves.get(keyOf("-", 0)), placeOf("")];
  if (first?.kind !== "genesis") {
    findings.say("keys", null, place, "no letter shows the first leaf of the log: add your welcome letter");
    return keys;
  }
  const [log, dice] = [logKey(first.get("log")), unhex(first.get("vrf"))];
  const naming = view.history("-").filter((one) => one.kind === "genesis" || one.kind === "beacon");
  keys.chains = new Set(naming.map((one) => one.get("chain")));
  findings.say("keys", first.at === 0n, place, "the leaf with the keys is not the first of the log");
  findings.say("keys", log.kind === PLAIN, place, "the key of the log is of another kind");
  findings.say("keys", vrfKey(dice), place, "the key of the dice is none: it could prove two outputs");
  findings.say("keys", dice !== log.raw, place, "the log and the dice have one key");
  keys.logs = [log];
  keys.vrfs = [{ since: 0n, key: dice }];
  for (const leaf of view.history("-")) if (leaf.kind === "rotate") beginAnew(keys, findings, leaf);
  if (pin) {
    const known = keys.logs.some((key) => pin.name === key.name && pin.raw === key.raw);
    findings.say("keys", known, place, "the key of the log is {}, not the one that you named", log.text);
    if (!known) keys.logs = [pin];
  } else if (view.letters.every((letter) => letter.head.get("letter") !== "welcome")) {
    findings.say("keys", null, place, "no welcome letter: compare with yours that the key of the log is {}", log.text);
  }
  return keys;
}

/** A leaf `rotate`: another epoch of the log, with the same keys, or said to be with others. */
function beginAnew(keys, findings, leaf) {
  const [key, dice, place] = [logKey(leaf.get("log")), unhex(leaf.get("vrf")), placeOf("")];
  const [before, first] = [keys.logs[keys.logs.length - 1], keys.logs[0].name];
  const later = epochOf(key.name, first) > epochOf(before.name, first);
  findings.say("keys", later, place, "leaf {} begins the log anew, and calls it {}", leaf.at, key.name);
  const same = key.raw === before.raw && key.kind === before.kind && dice === keys.vrfs[keys.vrfs.length - 1].key;
  if (leaf.get("why") === "keys" && later && key.kind === PLAIN && vrfKey(dice) && dice !== key.raw) {
    findings.say("keys", null, place,
      "leaf {} gives the log other keys: ask others whether they were told of {} too", leaf.at, key.text);
    keys.vrfs.push({ since: leaf.at, key: dice });
  } else if (!findings.say("keys", same, place, "leaf {} begins the log anew with other keys: other dice", leaf.at)) {
    return;
  }
  if (later) keys.logs.push(key);
}

/** Whether the log has signed a tree; null if its key is not known. */
function isSigned(tree, keys) {
  if (!keys.logs.length) return null;
  const key = keys.logs.find((one) => one.name === tree.origin);
  if (!key || tree.size === 0n) return false;
  const ident = keyIdent(key.name, key.kind, key.raw);
  const mine = tree.signatures.filter((one) => one.name === key.name && one.ident === ident);
  return mine.length > 0 && mine.every((one) => ed25519(key.raw, tree.body, one.raw));
}

const NOT_SIGNED = "the log has not signed this, or its key is not known";

/** Check everything that needs no knowledge of phases. */
function checkLog(view, findings, keys) {
  const [roots, later] = [new Map(), new Map()];
  for (const letter of view.letters) {
    const place = placeOf(letter.where);
    findings.say("signature", isSigned(letter, keys), place, NOT_SIGNED);
    findings.say("inclusion", letter.leaves.length > 0, place, "it shows no leaf at all");
    for (const leaf of letter.leaves) {
      const inside = included(unhex(leaf.hash), leaf.at, letter.size, leaf.path, letter.root);
      findings.say("inclusion", inside, place, "leaf {} is not proven to be in the log", leaf.at);
    }
    const trees = [letter, ...watchedTrees(letter, findings, keys)];
    for (const old of letter.parts.get("consistency")) {
      const tree = { size: old.num("from"), root: b64(old.get("root")) };
      trees.push(tree);
      const more = grown(tree.size, letter.size, [tree.root, letter.root], old.all("hash").map((one) => b64(one)));
      findings.say("consistency", more, place, "the log is not proven to go on from an earlier one");
      if (more) later.set(tree.size, [...(later.get(tree.size) ?? []), letter.size]);
    }
    for (const { size, root } of trees) {
      if (!roots.has(size)) roots.set(size, root);
      findings.say("consistency", roots.get(size) === root, place, "there are two logs of {} leaves", size);
    }
  }
  checkSeen(view, findings, roots);
  checkLinked(view, findings, later);
  checkWithheld(view, findings);
  for (const [game] of inOrder(view.histories)) checkChain(view, findings, game);
}

/** The leaves of which it counts that a witness saw them in time. */
const WATCHED = ["close", "deadline", "shut", "bind"];

/** The trees that witnesses have seen: each the log's own, with a leaf that closed a list, where this one begins.
 *
 * A witness knows nothing of what is in a tree. Were his not where the letter's begins, a server could show him many
 * closed lists, and everybody else the one of them that suits it once the round is out.
 */
function watchedTrees(letter, findings, keys) {
  const trees = [];
  for (const { at, path, grown: steps, tree } of letter.cosigned) {
    const place = placeOf(`${letter.where}: #${at}`);
    const closes = letter.leaves.filter((leaf) => WATCHED.includes(leaf.kind) && leaf.at === at);
    const own = isSigned(tree, keys);
    const inside = closes.some((one) => included(unhex(one.hash), one.at, tree.size, path, tree.root));
    const begun = grown(tree.size, letter.size, [tree.root, letter.root], steps);
    findings.say("signature", own, place, NOT_SIGNED);
    findings.say("inclusion", inside, place, "what a witness saw does not hold the closed list");
    findings.say("consistency", begun, place, "the log does not begin with the tree that a witness saw");
    if (own && inside && begun) keys.trees.push({ leaf: closes[0], tree });
    trees.push(tree);
    if (own === false || !begun) return trees; // one that is false is enough
  }
  return [...trees, ...letter.sees];
}

/** What players say that they were shown is the log that these letters show. */
function checkSeen(view, findings, roots) {
  // What a restore has taken from the log a player may have been shown all the same.
  const anew = view.history("-").some((leaf) => leaf.kind === "rotate");
  for (const leaf of view.leaves.values()) {
    if (leaf.kind !== "close" || !leaf.known || leaf.get("seen") === "-") continue;
    for (const shown of leaf.get("seen").split(" ")) {
      const [[seat, size, digest], place] = [shown.split(":"), placeOf(leaf.game)];
      const root = roots.get(BigInt(size));
      if (root !== undefined) {
        findings.say("consistency", hex(root) === digest, place, "{} was shown another log of {} leaves", seat, size);
      } else if (view.letters.some((letter) => letter.game === leaf.game && letter.seat === seat)) {
        findings.say("consistency", null, place,
          "{} is said to have been shown a log of {} leaves, and no letter here is of that", seat, size);
      }
      const there = (BigInt(size) > 0n && BigInt(size) <= leaf.at) || anew;
      findings.say("consistency", there, place,
        "{} is said to have been shown {} leaves, when the log had {}", seat, size, leaf.at);
      const { opened } = view.phase(leaf.game, leaf.get("phase"));
      const seated = !opened || opened.get("seats").split(" ").includes(seat);
      findings.say("consistency", seated, place, "{} is said to have been shown the log, and is no seat", seat);
    }
  }
}

/** What a letter may withhold: what others send until their list is closed, and until when somebody is asked. */
const SENT = ["order", "answer", "deadline"];

/** Nothing else is withheld by all letters, and of a phase nothing when it is reported how that came out. */
function checkWithheld(view, findings) {
  const told = new Set();
  const reports = view.letters.filter((one) => one.head.get("letter") === "report");
  for (const phase of view.phases.values()) {
    const [results, opened] = [phase.of("result"), phase.opened];
    const about = reports.filter((one) => one.game === phase.game && one.head.get("phase") === phase.name);
    if (!opened || !about.some((one) => results.some((result) => one.shows(result)))) continue;
    const last = results[results.length - 1];
    for (const leaf of view.history(phase.game)) if (opened.seq <= leaf.seq && leaf.seq < last.seq) told.add(leaf);
  }
  for (const [game, history] of inOrder(view.histories)) {
    for (const leaf of history) {
      const { kind, seq } = leaf;
      if (leaf.known || (SENT.includes(kind) && !told.has(leaf))) continue;
      const place = placeOf(`${game} ${leaf.get("phase")}`.trim(), game, leaf.get("phase"));
      findings.say("opened", false, place, "what leaf {} says, of the kind {}, is not to be withheld", seq, kind);
    }
  }
}

/** From every letter's tree proofs lead to the newest. */
function checkLinked(view, findings, later) {
  const sizes = [...new Set(view.letters.map((letter) => letter.size))].sort((one, other) => (one < other ? -1 : 1));
  const most = sizes[sizes.length - 1] ?? 0n;
  const reach = new Set([most]);
  for (let more = true; more;) {
    const found = [...later].filter(([old, next]) => !reach.has(old) && next.some((size) => reach.has(size)));
    for (const [old] of found) reach.add(old);
    more = found.length > 0;
  }
  for (const size of sizes) {
    if (!reach.has(size)) {
      findings.say("consistency", null, placeOf(""),
        "no letter proves that the log of {} leaves is that of {}", size, most);
    }
  }
}

/** The leaves of a game follow one another, each with the hash of the one before. */
function checkChain(view, findings, game) {
  const [place, history] = [placeOf(game), view.history(game)];
  history.slice(1).forEach((after, at) => {
    const before = history[at];
    if (after.seq !== before.seq + 1n) {
      const why = "leaves {} to {} are in no letter: one is missing";
      if (!view.guests.has(game)) findings.say("chain", null, place, why, before.seq + 1n, after.seq - 1n);
    } else {
      findings.say("chain", after.prev === before.hash, place, "leaf {} does not follow {}", after.seq, before.seq);
    }
    findings.say("chain", before.at < after.at, place, "leaf {} was logged before leaf {}", after.seq, before.seq);
  });
}
