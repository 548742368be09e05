// Wars: games in a chain, each of which begins with a leaf `link` that names the last leaf of the game before it.

/** The rules of what lies between two battles: no game by them stands alone. */
const BETWEEN = "camp";

/** What stands in the edition of a battle that others of its war went before. */
const LATER_BATTLE = /"war":\{"leg":(?:[2-9]|[1-9][0-9]),/;

/** Check each link, that none is missing where a game must have one, and that no two games follow one. */
function checkWars(course, board) {
  const heirs = new Map();
  for (const game of [...course.histories.keys()].filter((one) => one !== "-").sort()) {
    const [place, links] = [placeOf(game), course.history(game).filter((leaf) => leaf.kind === "link")];
    for (const leaf of links) {
      board.say("chain", leaf.seq === 0n, place,
        "leaf {} names a game before it, and is not its first", leaf.seq);
      if (!leaf.known) continue;
      const followed = heirs.get(leaf.get("after")) ?? new Map();
      heirs.set(leaf.get("after"), followed);
      followed.set(leaf.num("seq"), (followed.get(leaf.num("seq")) ?? new Set()).add(game));
      checkLink(course, board, leaf);
    }
    if (!links.length) checkUnlinked(course, board, game);
  }
  for (const before of [...heirs.keys()].sort()) checkHeirs(course, board, before, heirs.get(before));
}

/** One game follows another; a second one only after that was taken up again: a phase of it was opened anew (K8). */
function checkHeirs(course, board, before, followed) {
  const places = [...followed.keys()].sort((a, b) => (a < b ? -1 : 1));
  const named = (...all) => [...new Set(all.flatMap((one) => [...followed.get(one)]))].sort().join(", ");
  for (const seq of places) {
    if (followed.get(seq).size > 1) board.say("chain", false, placeOf(before),
      "{} go on from leaf {} of it: there is one war, and more than one course of it", named(seq), seq);
  }
  for (let at = 1; at < places.length; at += 1) {
    const [first, later] = [places[at - 1], places[at]];
    const between = course.history(before).filter((leaf) => first < leaf.seq && leaf.seq <= later);
    const opened = between.some((leaf) => leaf.kind === "open");
    board.say("chain", opened ? true : course.told(before, [], first, later) ? false : null, placeOf(before),
      "{} go on from it one after another, and no phase of it was opened in between", named(first, later));
  }
}

/** What a game goes on from is the leaf that letters show, and the last of its game then. */
function checkLink(course, board, leaf) {
  const [place, name, seq] = [placeOf(leaf.game), leaf.get("after"), leaf.num("seq")];
  const before = course.leaves.get(keyOf(name, seq));
  if (!before) {
    board.say("chain", null, place,
      "it goes on from leaf {} of {}, which is in no letter here: add the letters of that game", seq, name);
    return;
  }
  board.say("chain", before.hash === leaf.get("leaf"), place,
    "it goes on from another leaf {} of {} than that of letters", seq, name);
  board.say("chain", before.at < leaf.at, place, "leaf {} of {} came after what goes on from it", seq, name);
  const after = course.leaves.get(keyOf(name, seq + 1n));
  if (after) board.say("chain", leaf.at < after.at, place,
    "leaf {} was not the last of {} when it went on from it", seq, name);
}

/** A camp, and a battle that others went before, name what they go on from. */
function checkUnlinked(course, board, game) {
  const opened = course.history(game).find((leaf) => leaf.kind === "open" && leaf.known);
  const later = course.parts("edition", game).some(([, one]) => LATER_BATTLE.test(one.all("text").join("")));
  if (opened?.get("system") !== BETWEEN && !later) return;
  board.say("chain", course.leaves.has(keyOf(game, 0n)) ? false : null, placeOf(game),
    "it is a later part of a war, and names no game that it goes on from");
}
