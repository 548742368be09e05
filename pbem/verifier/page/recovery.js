// A log that was begun anew after a restore: which letters are of which course of it, and what was signed and is gone.
//
// Letters of an epoch are held against each other, and against those of earlier epochs as far as these are part of the
// same tree: up to the leaf `rotate`. What came after that in an earlier epoch was signed and is gone from the log.
// Nothing can prove that it was kept, so that this is said of every such log; but where the log now says otherwise than
// a letter of before, that is proven, and said too.

/** What must say the same after a restore: by kind of leaf, which act it is, and what it said. */
const BOUND = new Map(Object.entries({
  open: [["phase"], ["edition", "state", "seats"]],
  close: [["phase", "segment"], ["groups", "slate"]],
  roll: [["phase", "segment"], ["groups", "sig", "group", "manifest"]],
  result: [["phase"], ["state", "report"]],
  again: [["phase", "run"], ["state", "manifest"]],
  ruling: [["number"], ["text"]],
  order: [["phase", "seat"], ["rev", "orders", "standing"]],
  answer: [["phase", "segment", "seat"], ["rev", "commit"]],
  shut: [["round", "attempt"], ["slate", "chain", "beacon"]],
  lot: [["round", "attempt"], ["sig", "group"]],
  pair: [["round", "attempt", "board", "battle"], ["first", "second", "table"]],
  bind: [["board"], ["slate", "chain", "beacon"]],
  deal: [["board"], ["sig", "group"]],
  "lot-needed": [["lot"], ["first", "then", "chain", "beacon"]],
  score: [["round", "board", "table"], ["halves", "margin", "how"]],
}));

/** What an honest server may say otherwise: it asks for lots at another time, and a verdict may have come between. */
const MAY_DIFFER = ["lot-needed", "score"];

/** What the log was called at first: by its first leaf, or by the shortest name that it has. */
function firstName(letters) {
  const genesis = letters.flatMap((letter) => letter.leaves).find((leaf) => leaf.kind === "genesis");
  if (genesis) return logKey(genesis.get("log")).name;
  const shorter = (best, one) => (best === "" || one.length < best.length ? one : best);
  return letters.map((letter) => letter.origin).reduce(shorter, "");
}

/** The leaf by which an epoch ended: the first that begins a later one; null if none does. */
function endOf(leaves, epoch, name) {
  const later = leaves.filter((leaf) => leaf.kind === "rotate" && epochOf(logKey(leaf.get("log")).name, name) > epoch);
  return later.reduce((first, leaf) => (first === null || leaf.at < first.at ? leaf : first), null);
}

/** The courses that the letters show, one for each epoch, the one that goes on last; one if there is no letter. */
function epochsOf(letters) {
  const name = firstName(letters);
  // A letter of a log that is none of this server's is judged with the newest, and found false there.
  const last = Math.max(0, ...letters.map((letter) => epochOf(letter.origin, name))) || 1;
  const own = new Map();
  for (const letter of letters) {
    const epoch = epochOf(letter.origin, name) || last;
    own.set(epoch, [...(own.get(epoch) ?? []), letter]);
  }
  const numbers = [...own.keys()].sort((one, other) => one - other);
  return (numbers.length ? numbers : [1]).map((number) => {
    const mine = own.get(number) ?? [];
    const shared = numbers.filter((before) => before < number).flatMap((before) => {
      const end = endOf(mine.flatMap((letter) => letter.leaves), before, name);
      return own.get(before).filter((letter) => end === null || letter.size <= end.at);
    });
    return { number, letters: [...shared, ...mine] };
  });
}

/** Say that the log was begun anew, if it was, and hold what was signed before against what it says now. */
function checkRecovery(found, findings) {
  const last = found[found.length - 1].view;
  const server = last.history("-");
  for (const leaf of server.filter((one) => one.kind === "rotate")) {
    findings.say("recovery", null, placeOf(""),
      "the log was begun anew: of {} leaves it kept the first {}; what the others said is not proven to be kept",
      leaf.get("size"), leaf.at);
  }
  const name = firstName(last.letters);
  for (const { epoch, view } of found.slice(0, -1)) {
    const end = endOf(server, epoch.number, name);
    if (end === null) {
      findings.say("recovery", null, placeOf(""),
        "no letter shows by which leaf epoch {} of the log ended", epoch.number);
      continue;
    }
    const size = end.num("size");
    for (const letter of epoch.letters) {
      const good = letter.size <= (size > end.at ? size : end.at)
        && (letter.size !== size || hex(letter.root) === end.get("root"));
      findings.say("recovery", good, placeOf(letter.where), "a log of {} leaves that the server denies", letter.size);
    }
    for (const leaf of view.leaves.values()) {
      if (leaf.at >= end.at && BOUND.has(leaf.kind)) checkKept(last, findings, leaf, end);
    }
  }
}

const saidBy = (leaf, keys) => keys.map((key) => (key === "group" ? leaf.more.join(" ") : leaf.get(key)));

/** Hold a leaf that is gone against what the log says of the same act now. */
function checkKept(now, findings, lost, end) {
  const [which, what] = BOUND.get(lost.kind);
  const place = placeOf([lost.game, lost.kind, ...saidBy(lost, which)].join(" "), lost.game, lost.get("phase"));
  if (!lost.known) {
    findings.say("recovery", null, place, "signed before the restore, and what it said is withheld");
    return;
  }
  const same = (leaf, keys) => saidBy(leaf, keys).join("\n") === saidBy(lost, keys).join("\n");
  const again = now.history(lost.game).filter((leaf) => leaf.kind === lost.kind && leaf.known && same(leaf, which));
  const free = lost.kind === "order" || lost.kind === "answer";
  const received = BigInt(lost.get("recv") || 0);
  const later = again.some((leaf) => leaf.at > end.at && BigInt(leaf.get("recv") || received) >= received);
  if (again.some((leaf) => same(leaf, what)) || (free && later)) {
    findings.say("recovery", true, place);
  } else if (again.length && !free) {
    findings.say("recovery", MAY_DIFFER.includes(lost.kind) ? null : false, place,
      "the log said otherwise before the restore");
  } else if (isOver(now, lost, end)) {
    findings.say("recovery", false, place, "signed before the restore, and gone from the log");
  } else {
    findings.say("recovery", null, place, "signed before the restore, and not in the log again yet");
  }
}

/** Whether the log is past the moment at which the act should have come again. */
function isOver(now, lost, end) {
  const [name, segment] = [lost.get("phase"), lost.kind === "answer" ? lost.num("segment") : 1n];
  const sent = lost.kind === "order" || lost.kind === "answer";
  if (sent && now.phase(lost.game, name).of("close", segment).length) return true;
  return now.history(lost.game).filter((leaf) => leaf.at > end.at && leaf.known).some((leaf) =>
    (leaf.kind === "result" && leaf.get("phase") === name) || (leaf.kind === "open" && leaf.get("phase") !== name));
}
