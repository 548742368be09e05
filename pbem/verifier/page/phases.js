// What was closed: one list a segment, on groups and a round that were fixed before; and which attempt it was.

/** The rulings that may give a phase another attempt; in other languages they are logged by these words too. */
const CHANGES = ["REOPEN", "READJUDICATE", "EDIT", "AWARD"];

/** Those that change the position itself. */
const POSITION_CHANGES = ["EDIT", "AWARD"];

/** A ruling in the log: its leaf, and the words of its line if a letter opens it. */
class Ruled {
  constructor(leaf, words) {
    Object.assign(this, { leaf, words, word: (words[0] ?? "").toUpperCase() });
  }

  /** Whether it names a phase, by its stem or as an attempt. */
  names(phase) {
    const named = this.words[1]?.toLowerCase();
    return named === phase.toLowerCase() || named === phase.split("~")[0].toLowerCase();
  }
}

/** What parts the words of a line, as the other program has it. */
const BLANKS = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/** What all were told of a ruling, from JSON or as the line itself; `whole` is the digest of a line that was sealed. */
function toldOf(text) {
  let told = null;
  try {
    told = readJson(text);
  } catch {
    return { line: text, whole: "" };
  }
  if (told === null || typeof told !== "object" || Array.isArray(told)) return { line: text, whole: "" };
  const [line, whole] = ["line", "whole"].map((key) => (Object.hasOwn(told, key) ? told[key] : ""));
  return typeof line === "string" && typeof whole === "string" ? { line, whole } : { line: text, whole: "" };
}

/** What letters open of the rulings of a game, by its hash. */
function saidIn(view, game) {
  const texts = view.parts("said", game).map(([, one]) => one.all("text").join(""));
  return new Map(texts.map((text) => [sha(text), text]));
}

/** The rulings of a game, in order. */
function rulingsOf(view, game) {
  const said = saidIn(view, game);
  return view.history(game).filter((leaf) => leaf.kind === "ruling" && leaf.known).map((leaf) => {
    const text = said.get(leaf.get("text").replace("sha256:", ""));
    return new Ruled(leaf, text === undefined ? [] : toldOf(text).line.split(BLANKS).filter(Boolean));
  });
}

/** Check attempts, sequence, closes, groups and rounds of every phase. */
function checkPhases(view, findings, keys) {
  const games = new Set([...view.phases.values()].map((phase) => phase.game));
  for (const game of [...games].sort()) {
    checkOpenings(view, findings, game);
    checkLeft(view, findings, game);
  }
  for (const [, phase] of inOrder(view.phases)) {
    checkSequence(view, findings, phase);
    checkAttempt(view, findings, phase);
    checkAgain(view, findings, phase);
    checkBeaconChanges(view, findings, phase);
    for (const close of phase.of("close")) {
      checkGroups(findings, phase, close);
      const slate = view.slate(close);
      if (slate === null) {
        findings.say("close", null, phase.place, "the list that was closed is in no letter");
        continue;
      }
      checkSlate(findings, phase, close, slate);
      checkRound(view, findings, { phase, close, slate }, keys);
    }
  }
  const closes = [...view.leaves.values()].filter((leaf) => leaf.kind === "close" && leaf.known);
  const named = new Set(closes.map((leaf) => leaf.get("slate")));
  for (const [digest, { block: one }] of inOrder(view.slates)) {
    const [game, phase] = [one.get("game"), one.get("phase")];
    findings.say("close", named.has(digest), placeOf(`${game} ${phase}`, game, phase), "a list that was never closed");
  }
}

/** What is the same in all openings of a game: whatever could be varied there would vary the dice. */
const UNCHANGED = ["edition", "seats", "system", "pace", "opened", "delta"];

/** A game is opened, phase after phase, on one edition, for one set of seats; its beacon may be given up, once. */
function checkOpenings(view, findings, game) {
  const opens = view.history(game).filter((leaf) => leaf.kind === "open" && leaf.known);
  opens.slice(1).forEach((after, at) => {
    const [before, name] = [opens[at], after.get("phase")];
    const place = placeOf(`${game} ${name}`, game, name);
    for (const key of UNCHANGED) {
      findings.say("close", before.get(key) === after.get(key), place, "its {} is not that of the phase before", key);
    }
    if (before.get("chain") !== after.get("chain")) {
      const givenUp = view.history(game).some((leaf) =>
        leaf.kind === "beacon-change" && before.seq <= leaf.seq && leaf.seq < after.seq);
      findings.say("round", givenUp && after.get("chain") === "none", place, "it has another beacon than its game");
    }
    const truth = !name.endsWith("~1") || cameOut(view, before, after);
    if (!truth) findings.say("attempts", truth, place, "it was opened while {} had no result", before.get("phase"));
  });
  for (const leaf of view.history(game).filter((one) => one.kind === "ruling" && one.known)) {
    const opened = opens.some((one) => one.get("phase") === leaf.get("phase") && one.seq < leaf.seq);
    const truth = opened || (view.told(game, ["open"], 0n, leaf.seq) ? false : null);
    if (opens.length && !truth) {
      findings.say("attempts", truth, placeOf(game),
        "leaf {} is a ruling in {}, which was not opened before", leaf.seq, leaf.get("phase"));
    }
  }
}

/** A game that is left when its round is out, and begun again under another id, would be rolled again. */
function checkLeft(view, findings, game) {
  const begun = view.history(game).find((leaf) => leaf.kind === "open" && leaf.known);
  for (const [, phase] of begun ? inOrder(view.phases) : []) {
    const closed = phase.of("close").some((leaf) => leaf.at < begun.at);
    const alike = ["seats", "system"].some((key) => phase.opened?.get(key) === begun.get(key));
    if (phase.game !== game && closed && !phase.of("result").length && alike) {
      const name = begun.get("phase");
      findings.say("attempts", null, placeOf(`${game} ${name}`, game, name),
        "this game was begun when {} {} was closed, which has not come out since: it may be the same game",
        phase.game, phase.name);
    }
  }
}

/** Whether a phase, or by a ruling one before it, came out before the next was opened; null if that is not told.
 *
 * A phase that is left when its round is out, and goes on under another name, would be rolled again.
 */
function cameOut(view, before, after) {
  const between = view.history(before.game).filter((leaf) =>
    before.seq < leaf.seq && leaf.seq < after.seq && leaf.known);
  const again = between.filter((leaf) => leaf.kind === "again").map((leaf) => leaf.get("phase"));
  const names = [before.get("phase"), ...again];
  if (between.some((leaf) => leaf.kind === "result" && names.includes(leaf.get("phase")))) return true;
  return view.told(before.game, ["result", "again"], before.seq, after.seq) ? false : null;
}

/** Opened, closed, rolled, answered, closed again, rolled again: nothing early, late, or twice. */
function checkSequence(view, findings, phase) {
  const [place, opens] = [phase.place, phase.of("open")];
  const first = opens.length ? opens[0].seq : -1n;
  findings.say("close", opens.length < 2, place, "it was opened twice");
  findings.say("close", !phase.leaves.some((one) => one.seq < first), place, "something came before it was opened");
  for (const segment of phase.segments()) checkSegment(view, findings, phase, segment);
  const done = phase.leaves.filter((one) => one.kind === "close" || one.kind === "roll");
  for (const result of phase.of("result")) {
    const good = done.every((one) => one.seq < result.seq);
    findings.say("close", good, place, "something was closed or rolled after the result");
  }
  if (!opens.length) findings.say("close", null, place, "the leaf that opened it is in no letter, or is withheld");
}

function checkSegment(view, findings, phase, segment) {
  const [place, opened] = [phase.place, phase.opened];
  const [closes, rolls] = [phase.of("close", segment), phase.of("roll", segment)];
  const follows = (one, other) => {
    if (one.length) return one[0].seq < other.seq;
    return view.told(phase.game, [], opened.seq, other.seq) ? false : null;
  };
  findings.say("close", closes.length < 2, place, "segment {} was closed {} times", segment, closes.length);
  findings.say("close", rolls.length < 2, place, "segment {} was rolled {} times", segment, rolls.length);
  if (rolls.length && opened) {
    findings.say("close", follows(closes, rolls[0]), place, "segment {} was rolled before it was closed", segment);
  }
  if (segment > 1n && closes.length && opened) {
    const good = follows(phase.of("roll", segment - 1n), closes[0]);
    findings.say("close", good, place, "segment {} was closed before the one before it was rolled", segment);
  }
}

/** An attempt is the first, or follows the one before by a ruling, from where the first began. */
function checkAttempt(view, findings, phase) {
  const { place, opened, attempt } = phase;
  findings.say("attempts", attempt > 0, place, "the phase does not say which attempt it is");
  if (attempt < 2 || !opened) return;
  const before = view.phase(phase.game, `${phase.stem}~${attempt - 1}`).opened;
  if (!before) {
    const known = view.told(phase.game, ["open"], 0n, opened.seq);
    findings.say("attempts", known ? false : null, place, "the attempt before it is not to be seen");
    return;
  }
  findings.say("attempts", before.seq < opened.seq, place, "it was opened before the attempt before it");
  const rulings = rulingsOf(view, phase.game);
  checkRuling(view, findings, phase, rulings.filter(({ leaf }) => before.seq < leaf.seq && leaf.seq < opened.seq));
  const start = view.phase(phase.game, `${phase.stem}~1`).opened;
  if (!start) {
    findings.say("attempts", null, place, "the first attempt is in no letter: whether this began as it did");
    return;
  }
  checkStart(view, findings, { phase, opened, start }, rulings);
}

/** An attempt begins in the position in which the first began, unless rulings changed that. */
function checkStart(view, findings, { phase, opened, start }, rulings) {
  if (opened.get("state") === start.get("state")) {
    findings.say("attempts", true, phase.place);
    return;
  }
  const between = rulings.filter(({ leaf }) => start.seq < leaf.seq && leaf.seq < opened.seq);
  const excused = between.some((one) => POSITION_CHANGES.includes(one.word)
    || (CHANGES.includes(one.word) && isEarlier(view, phase, one, start.seq)));
  const told = view.told(phase.game, ["ruling"], start.seq, opened.seq) && between.every((one) => one.words.length);
  if (excused || !told) {
    findings.say("attempts", null, phase.place,
      "it did not begin in the position in which the first attempt began: whether rulings made that, full mode says");
  } else {
    findings.say("attempts", false, phase.place,
      "it did not begin in the position in which the first attempt began, and no ruling changed that");
  }
}

/** Whether a ruling has a phase before this one played or resolved again, from which this one then follows. */
const isEarlier = (view, phase, ruled, start) => [...view.phases.values()].some((other) =>
  other.game === phase.game && other.stem !== phase.stem && ruled.names(other.name)
  && other.opened && other.opened.seq < start);

/** The ruling that an attempt names stands between the two openings, and is one that makes attempts. */
function checkRuling(view, findings, phase, between) {
  const { place, opened } = phase;
  const named = opened.get("ruling");
  if (!findings.say("attempts", named !== "-", place, "no ruling is named by which it was opened again")) return;
  const one = between.find(({ leaf }) => leaf.get("number") === named);
  if (!one) {
    const hidden = !view.told(phase.game, ["ruling"], 0n, opened.seq);
    findings.say("attempts", hidden ? null : false, place,
      "ruling {}, by which it was opened again, does not stand before it", named);
    return;
  }
  if (!one.words.length) {
    findings.say("attempts", null, place, "ruling {}, by which it was opened again, is in no letter", named);
    return;
  }
  const begun = [...view.phases.values()].filter((other) =>
    other.game === phase.game && other.opened && other.opened.seq < opened.seq);
  const about = POSITION_CHANGES.includes(one.word) || begun.some((other) => one.names(other.name));
  const good = CHANGES.includes(one.word) && about;
  const shown = [...one.words.join(" ")].slice(0, 80).join("");
  findings.say("attempts", good, place, "ruling {} opens no phase again: {}", named, shown);
}

/** A phase comes out a second time only where a ruling has it resolved once more, and the log says so before. */
function checkAgain(view, findings, phase) {
  const [place, results, agains] = [phase.place, phase.of("result"), phase.of("again")];
  results.forEach((result, number) => {
    const said = agains.filter((again) => again.seq < result.seq).length;
    findings.say("attempts", said === number, place,
      "it came out {} times, resolved once more {} times", number + 1, said);
  });
  const rulings = agains.length ? rulingsOf(view, phase.game) : [];
  for (const again of agains) {
    const run = 1 + results.filter((result) => result.seq < again.seq).length;
    const named = again.get("ruling");
    findings.say("attempts", again.num("run") === BigInt(run), place, "this is run {}, not {}", run, again.get("run"));
    const one = rulings.find(({ leaf }) => leaf.get("number") === named);
    if (!one && view.told(phase.game, ["ruling"], 0n, again.seq)) {
      findings.say("attempts", false, place,
        "ruling {}, by which it is resolved once more, does not stand before it", named);
      continue;
    }
    if (!one?.words.length) {
      findings.say("attempts", null, place, "ruling {}, by which it is resolved once more, is in no letter", named);
      continue;
    }
    const good = one.word === "READJUDICATE" && one.names(phase.name) && one.leaf.seq < again.seq;
    findings.say("attempts", good, place, "ruling {} does not have this phase resolved once more", named);
  }
}

/** Check that a closed list waits for another round, or for none, by a ruling that stands before that. */
function checkBeaconChanges(view, findings, phase) {
  for (const changed of phase.of("beacon-change")) {
    const named = changed.get("ruling");
    const one = rulingsOf(view, phase.game)
      .find(({ leaf }) => leaf.seq < changed.seq && leaf.get("number") === named);
    let [truth, why] = [null, "ruling {}, by which it waits for another round, is in no letter"];
    if (!one && view.told(phase.game, ["ruling"], 0n, changed.seq)) {
      [truth, why] = [false, "ruling {}, by which it waits for another round, does not stand before it"];
    } else if (one?.words.length) {
      [truth, why] = [one.word === "BEACON", "ruling {} does not have it wait for another round"];
    }
    findings.say("attempts", truth, phase.place, why, named);
  }
}

/** What is rolled is what was declared before the round was out: no group more, and none less. */
function checkGroups(findings, phase, close) {
  for (const roll of phase.of("roll", close.num("segment"))) {
    const same = roll.get("groups") === close.get("groups");
    findings.say("groups", same, phase.place,
      "segment {} rolled other groups than it was closed with", close.get("segment"));
  }
}

/** The list is of its phase, follows the one before, and says what the phase was opened with. */
function checkSlate(findings, phase, close, slate) {
  const { place, opened } = phase;
  const said = slate.block;
  const same = said.get("game") === close.game && said.get("phase") === phase.name
    && said.get("segment") === close.get("segment");
  findings.say("close", same, place, "the closed list is of another phase");
  const groups = said.get("groups") === close.get("groups");
  findings.say("groups", groups, place,
    "segment {} was closed with other groups than its list has", close.get("segment"));
  if (said.get("groups") !== "all") {
    const known = opened && Object.hasOwn(LABELS, opened.get("system"));
    findings.say("groups", known ? false : null, place,
      "whether this game has the groups {} is not known here: names that are free vary the dice", said.get("groups"));
  }
  const later = said.get("segment") !== "1";
  const before = later ? phase.of("close", close.num("segment") - 1n)[0] : null;
  if (later && !before?.known) {
    findings.say("close", null, place, "the list of the segment before is in no letter");
  } else if (before) {
    const follows = said.get("previous") === before.get("slate");
    findings.say("close", follows, place, "the list does not follow that of the segment before");
  }
  if (!opened) return;
  const begun = said.get("edition") === opened.get("edition") && said.get("state") === opened.get("state");
  findings.say("close", begun, place, "the list has another edition or position than the phase was opened with");
  const seats = [...slate.seats.keys()].join(" ") === opened.get("seats");
  findings.say("close", seats, place, "the list has other seats than the phase was opened with");
}

/** The beacon's round is the first at or after the closing time and the delay, as it was said before. */
function checkRound(view, findings, { phase, close, slate }, keys) {
  const { place, opened, game } = phase;
  if (!opened) {
    findings.say("round", null, place, "the leaf that opened it is in no letter, or is withheld");
    return;
  }
  const chain = opened.get("chain");
  if (keys.chains) {
    findings.say("round", chain === "none" || keys.chains.has(chain), place, "it has another beacon than the server");
  }
  findings.say("round", slate.chain === chain, place, "the list has another beacon than the phase");
  if (!view.told(game, ["deadline"], opened.seq, close.seq)) {
    findings.say("round", null, place, "leaves between opening and closing are in no letter, or withheld");
    return;
  }
  const due = phase.due(close);
  const said = due[due.length - 1];
  if (chain === "none") {
    const none = slate.round === 0n && opened.num("round") === 0n && (!said || said.num("round") === 0n);
    findings.say("round", none, place, "there is a round, but no beacon");
  } else if (chain !== QUICKNET) {
    findings.say("round", null, place, "its beacon {} is not a public one", chain);
  } else if (!said) {
    findings.say("round", false, place, "no round was fixed for segment {}", close.get("segment"));
  } else {
    findings.say("round", slate.round === said.num("round"), place, "the list has another round than was said");
    for (const leaf of new Set([opened, ...due])) {
      const right = leaf.num("round") === roundOf(leaf.num("D"), opened.num("delta"));
      findings.say("round", right, place, "leaf {} has a wrong round", leaf.seq);
    }
  }
}
