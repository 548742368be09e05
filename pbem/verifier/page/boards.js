// Boards: tables of a tournament that have one luck, which no table may know before all of them have closed.

/** Check every board that was bound or dealt, and every closed list that names one. */
function checkBoards(view, findings, keys) {
  for (const name of [...new Set(view.bound.map((leaf) => leaf.get("board")))].sort()) {
    checkBound(view, findings, keys, name);
  }
  for (const [, phase] of inOrder(view.phases)) {
    for (const close of phase.of("close")) {
      const slate = view.slate(close);
      if (slate?.board) checkTable(view, findings, phase, slate);
    }
  }
}

/** A board is bound once, on the lists of all its tables, and dealt once after it. */
function checkBound(view, findings, keys, name) {
  const [binds, deals] = [view.bindings(name, "bind"), view.bindings(name, "deal")];
  const place = placeOf(`${(binds[0] ?? deals[0]).game} ${name}`);
  findings.say("close", binds.length < 2, place, "the board was bound {} times", binds.length);
  findings.say("close", deals.length < 2, place, "the board was dealt {} times", deals.length);
  if (!binds.length) {
    const truth = view.told(deals[0].game, [], 0n, deals[0].seq) ? false : null;
    findings.say("close", truth, place, "the board was dealt before it was bound");
    return;
  }
  const bind = binds[0];
  if (deals.length) {
    const same = deals[0].game === bind.game && bind.seq < deals[0].seq;
    findings.say("close", same, place, "the board was dealt before it was bound");
    checkProven(keys, findings, place, bind, "dup", deals[0]);
  }
  const bound = view.boards.get(bind.get("slate"));
  if (!bound) {
    findings.say("close", null, place, "the board that was bound is in no letter");
    return;
  }
  const [said, chain] = [bound.block, bind.get("chain")];
  const beacon = chain === "none" ? "none" : `${chain} ${bind.get("beacon")}`;
  const same = said.get("game") === bind.game && said.get("board") === name;
  findings.say("close", same, place, "the board that was bound is another");
  findings.say("round", said.get("beacon") === beacon, place, "the list has another round than was said");
  if (keys.chains !== null) {
    findings.say("round", chain === "none" || keys.chains.has(chain), place, "it has another beacon than the server");
  }
  checkWhole(view, findings, place, bind, bound);
  for (const [table, digest] of bound.tables) {
    if (digest === "-") checkGone(view, findings, place, bind, bound, table);
    else checkHadClosed(view, findings, place, bind, bound, table);
  }
}

/** A board has the tables of its name that were paired, all of them and no other. */
function checkWhole(view, findings, place, bind, bound) {
  if (!view.told(bind.game, [], 0n, bind.seq)) {
    findings.say("close", null, place,
      "leaves of the tournament are in no letter: which tables the board has is not known");
    return;
  }
  const pairs = view.history(bind.game).filter((leaf) => leaf.kind === "pair" && leaf.known && leaf.seq < bind.seq);
  const newest = new Map();
  for (const leaf of pairs) {
    const [round, attempt] = [leaf.get("round"), leaf.num("attempt")];
    if (!newest.has(round) || newest.get(round) < attempt) newest.set(round, attempt);
  }
  const mine = pairs.filter((leaf) => newest.get(leaf.get("round")) === leaf.num("attempt"));
  const named = mine.flatMap((leaf) => leaf.get("table").split(" "));
  const wanted = new Set(named.filter((table) => belongs(table, bound.name)));
  const left = [...wanted].filter((table) => !bound.tables.has(table));
  const wrong = [...left, ...[...bound.tables.keys()].filter((table) => !wanted.has(table))].sort().join(", ");
  findings.say("close", !wrong, place, "the board leaves out a table that was paired, or has another: {}", wrong);
}

/** The leaves that closed the phase of a board at a table. */
function closesOf(view, bound, table) {
  const key = keyOf(table, bound.phase);
  const phase = view.phases.get(key) ?? view.others.get(key);
  return phase ? phase.of("close").filter((leaf) => leaf.known) : [];
}

/** A table had closed this list before the board was bound. */
function checkHadClosed(view, findings, place, bind, bound, table) {
  const [close] = closesOf(view, bound, table);
  if (!close) {
    findings.say("close", null, place, "no letter shows that {} had closed", table);
    return;
  }
  const named = close.get("slate") === bound.tables.get(table);
  findings.say("close", named, place, "{} closed another list than the board has", table);
  findings.say("close", close.at < bind.at, place, "{} closed after the board was bound", table);
}

/** A table that plays no more, or that plays a phase again, is no longer one of its board. */
function checkGone(view, findings, place, bind, bound, table) {
  const name = bound.block.get("board");
  if (closesOf(view, bound, table).some((leaf) => view.slate(leaf)?.board === name)) {
    findings.say("close", false, place, "the board leaves out {}, which closed for it", table);
    return;
  }
  const scored = view.history(bind.game).some((leaf) =>
    leaf.kind === "score" && leaf.known && leaf.get("table") === table && leaf.seq < bind.seq);
  const again = [...view.phases.values()].some((phase) =>
    phase.game === table && phase.attempt > 1 && phase.opened !== null && phase.opened.at < bind.at);
  findings.say("close", scored || again || null, place,
    "that {} was no longer one of the board is in no letter", table);
}

/** A list that names a board is of its phase, and is the one that the board has. */
function checkTable(view, findings, phase, slate) {
  const [place, name] = [phase.place, slate.board];
  const [tables, ...rest] = name.split("/");
  const own = keyOf(...rest) === keyOf(phase.name, slate.block.get("segment")) && belongs(phase.game, tables);
  findings.say("close", own, place, "its dice are those of a board of other tables, or of another phase");
  findings.say("attempts", phase.attempt === 1, place, "a phase that is played again has dice of its own");
  const [bind] = view.bindings(name, "bind");
  const bound = bind && view.boards.get(bind.get("slate"));
  if (!bound) {
    if (phase.of("roll").length) {
      findings.say("close", null, place, "no letter shows that its board was bound, and on which lists");
    }
    return;
  }
  const listed = bound.tables.get(phase.game) === slate.digest;
  findings.say("close", listed, place, "its list is not the one that its board has");
  const good = bind.get("chain") === slate.chain && bind.num("beacon") >= slate.round;
  findings.say("round", good, place, "its board has another beacon than its list, or an earlier round");
}
