// Boards: tables of a tournament that have one luck, which no table may know before all of them have closed.

/** Check every board that was bound or dealt, and every closed list that names one. */
function checkBoards(course, board, keys) {
  for (const name of [...new Set(course.bound.map((leaf) => leaf.get("board")))].sort()) {
    checkBound(course, board, keys, name);
  }
  for (const [, phase] of inOrder(course.phases)) {
    for (const close of phase.of("close")) {
      const slate = course.slate(close);
      if (slate?.board) checkTable(course, board, phase, slate);
    }
  }
}

/** A board is bound once, on the lists of all its tables, and dealt once after it. */
function checkBound(course, board, keys, name) {
  const [binds, deals] = [course.bindings(name, "bind"), course.bindings(name, "deal")];
  const place = placeOf(`${(binds[0] ?? deals[0]).game} ${name}`);
  board.say("close", binds.length < 2, place, "the board was bound {} times", binds.length);
  board.say("close", deals.length < 2, place, "the board was dealt {} times", deals.length);
  if (!binds.length) {
    const truth = course.told(deals[0].game, [], 0n, deals[0].seq) ? false : null;
    board.say("close", truth, place, "the board was dealt before it was bound");
    return;
  }
  const bind = binds[0];
  if (deals.length) {
    const same = deals[0].game === bind.game && bind.seq < deals[0].seq;
    board.say("close", same, place, "the board was dealt before it was bound");
    checkProven(keys, board, place, bind, "dup", deals[0]);
  }
  const bound = course.boards.get(bind.get("slate"));
  if (!bound) {
    board.say("close", null, place, "the board that was bound is in no letter");
    return;
  }
  const [said, chain] = [bound.block, bind.get("chain")];
  const beacon = chain === "none" ? "none" : `${chain} ${bind.get("beacon")}`;
  const same = said.get("game") === bind.game && said.get("board") === name;
  board.say("close", same, place, "the board that was bound is another");
  board.say("round", said.get("beacon") === beacon, place, "the list has another round than was said");
  if (keys.chains !== null) {
    board.say("round", chain === "none" || keys.chains.has(chain), place, "it has another beacon than the server");
  }
  checkWhole(course, board, place, bind, bound);
  for (const [table, digest] of bound.tables) {
    if (digest === "-") checkGone(course, board, place, bind, bound, table);
    else checkHadClosed(course, board, place, bind, bound, table);
  }
}

/** A board has the tables of its name that were paired, all of them and no other. */
function checkWhole(course, board, place, bind, bound) {
  if (!course.told(bind.game, [], 0n, bind.seq)) {
    board.say("close", null, place,
      "leaves of the tournament are in no letter: which tables the board has is not known");
    return;
  }
  const pairs = course.history(bind.game).filter((leaf) => leaf.kind === "pair" && leaf.known && leaf.seq < bind.seq);
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
  board.say("close", !wrong, place, "the board leaves out a table that was paired, or has another: {}", wrong);
}

/** The leaves that closed the phase of a board at a table. */
function closesOf(course, bound, table) {
  const key = keyOf(table, bound.phase);
  const phase = course.phases.get(key) ?? course.others.get(key);
  return phase ? phase.of("close").filter((leaf) => leaf.known) : [];
}

/** A table had closed this list before the board was bound. */
function checkHadClosed(course, board, place, bind, bound, table) {
  const [close] = closesOf(course, bound, table);
  if (!close) {
    board.say("close", null, place, "no letter shows that {} had closed", table);
    return;
  }
  const named = close.get("slate") === bound.tables.get(table);
  board.say("close", named, place, "{} closed another list than the board has", table);
  board.say("close", close.at < bind.at, place, "{} closed after the board was bound", table);
}

/** A table that plays no more, or that plays a phase again, is no longer one of its board. */
function checkGone(course, board, place, bind, bound, table) {
  const name = bound.block.get("board");
  if (closesOf(course, bound, table).some((leaf) => course.slate(leaf)?.board === name)) {
    board.say("close", false, place, "the board leaves out {}, which closed for it", table);
    return;
  }
  const scored = course.history(bind.game).some((leaf) =>
    leaf.kind === "score" && leaf.known && leaf.get("table") === table && leaf.seq < bind.seq);
  const again = [...course.phases.values()].some((phase) =>
    phase.game === table && phase.attempt > 1 && phase.opened !== null && phase.opened.at < bind.at);
  board.say("close", scored || again || null, place, "that {} was no longer one of the board is in no letter", table);
}

/** A list that names a board is of its phase, and is the one that the board has. */
function checkTable(course, board, phase, slate) {
  const [place, name] = [phase.place, slate.board];
  const [tables, ...rest] = name.split("/");
  const own = keyOf(...rest) === keyOf(phase.name, slate.block.get("segment")) && belongs(phase.game, tables);
  board.say("close", own, place, "its dice are those of a board of other tables, or of another phase");
  board.say("attempts", phase.attempt === 1, place, "a phase that is played again has dice of its own");
  const [bind] = course.bindings(name, "bind");
  const bound = bind && course.boards.get(bind.get("slate"));
  if (!bound) {
    if (phase.of("roll").length) {
      board.say("close", null, place, "no letter shows that its board was bound, and on which lists");
    }
    return;
  }
  const listed = bound.tables.get(phase.game) === slate.digest;
  board.say("close", listed, place, "its list is not the one that its board has");
  const good = bind.get("chain") === slate.chain && bind.num("beacon") >= slate.round;
  board.say("round", good, place, "its board has another beacon than its list, or an earlier round");
}
