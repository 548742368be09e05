// Wars: games in a chain, each of which begins with a leaf `link` that names the last leaf of the game before it.
// The first begins with a leaf `war`, if the salts in the editions of the others follow from the key of the dice.

/** The rules of what lies between two battles: no game by them stands alone. */
const BETWEEN = "camp";

/** What stands in the edition of a battle that others of its war went before. */
const LATER_BATTLE = /"war":\{[^{}]*"leg":(?:[2-9]|[1-9][0-9]+)[,}]/;

/** What keeps an edition from being guessed by its digest. */
const SALT = /"salt":"([^"]*)"/g;

/** Check each link, that none is missing where a game must have one, that no two games follow one, and salts. */
function checkWars(view, findings, keys) {
  const heirs = new Map();
  for (const game of [...view.histories.keys()].filter((one) => one !== "-").sort()) {
    const [place, links] = [placeOf(game), view.history(game).filter((leaf) => leaf.kind === "link")];
    for (const leaf of view.history(game).filter((one) => one.kind === "war")) {
      findings.say("chain", leaf.seq === 0n, place, "leaf {} begins a war, and is not its first", leaf.seq);
    }
    for (const leaf of links) {
      findings.say("chain", leaf.seq === 0n, place,
        "leaf {} names a game before it, and is not its first", leaf.seq);
      if (!leaf.known) continue;
      const followed = heirs.get(leaf.get("after")) ?? new Map();
      heirs.set(leaf.get("after"), followed);
      followed.set(leaf.num("seq"), (followed.get(leaf.num("seq")) ?? new Set()).add(game));
      checkLink(view, findings, leaf);
    }
    if (!links.length) checkUnlinked(view, findings, game);
  }
  for (const before of [...heirs.keys()].sort()) checkHeirs(view, findings, before, heirs.get(before));
  checkSalts(view, findings, keys);
}

/** One game follows another; a second one only after that was taken up again: a phase of it was opened anew (K8). */
function checkHeirs(view, findings, before, followed) {
  const places = [...followed.keys()].sort((a, b) => (a < b ? -1 : 1));
  const named = (...all) => [...new Set(all.flatMap((one) => [...followed.get(one)]))].sort().join(", ");
  for (const seq of places) {
    if (followed.get(seq).size > 1) findings.say("chain", false, placeOf(before),
      "{} go on from leaf {} of it: there is one war, and more than one course of it", named(seq), seq);
  }
  for (let at = 1; at < places.length; at += 1) {
    const [first, later] = [places[at - 1], places[at]];
    const between = view.history(before).filter((leaf) => first < leaf.seq && leaf.seq <= later);
    const opened = between.some((leaf) => leaf.kind === "open");
    findings.say("chain", opened ? true : view.told(before, [], first, later) ? false : null, placeOf(before),
      "{} go on from it one after another, and no phase of it was opened in between", named(first, later));
  }
}

/** What a game goes on from is the leaf that letters show, and the last of its game then. */
function checkLink(view, findings, leaf) {
  const [place, name, seq] = [placeOf(leaf.game), leaf.get("after"), leaf.num("seq")];
  const before = view.leaves.get(keyOf(name, seq));
  if (!before) {
    findings.say("chain", null, place,
      "it goes on from leaf {} of {}, which is in no letter here: add the letters of that game", seq, name);
    return;
  }
  findings.say("chain", before.hash === leaf.get("leaf"), place,
    "it goes on from another leaf {} of {} than that of letters", seq, name);
  findings.say("chain", before.at < leaf.at, place, "leaf {} of {} came after what goes on from it", seq, name);
  const after = view.leaves.get(keyOf(name, seq + 1n));
  if (after) findings.say("chain", leaf.at < after.at, place,
    "leaf {} was not the last of {} when it went on from it", seq, name);
}

/** A camp, and a battle that others went before, name what they go on from. */
function checkUnlinked(view, findings, game) {
  const opened = view.history(game).find((leaf) => leaf.kind === "open" && leaf.known);
  const later = view.parts("edition", game).some(([, one]) => LATER_BATTLE.test(one.all("text").join("")));
  if (opened?.get("system") !== BETWEEN && !later) return;
  findings.say("chain", view.leaves.has(keyOf(game, 0n)) ? false : null, placeOf(game),
    "it is a later part of a war, and names no game that it goes on from");
}

/** The first leaf of the game that a war began with, by the links from a game of it; null if one is in no letter. */
function beginningOf(view, game) {
  const passed = new Set();
  while (!passed.has(game)) {
    passed.add(game);
    const leaf = view.leaves.get(keyOf(game, 0n));
    if (!leaf?.known) return null;
    if (leaf.kind !== "link") return leaf;
    game = leaf.get("after");
  }
  return null;
}

/** The salts in the editions of a war follow from its first game by the key of the dice: nobody has chosen them. */
function checkSalts(view, findings, keys) {
  for (const [letter, edition] of view.parts("edition")) {
    const [link, place] = [view.leaves.get(keyOf(letter.game, 0n)), placeOf(letter.where)];
    if (link?.kind !== "link" || !link.known) continue;
    const begun = beginningOf(view, letter.game);
    const opened = begun ? view.leaves.get(keyOf(begun.game, 1n)) : null;
    const own = begun ? keys.vrfOf(view, new Phase(begun.game, opened?.get("phase") ?? "")) : null;
    if (own === null) {
      findings.say("opened", null, place,
        "whether its salt follows from the key of the dice is not known: add the letters of the games before");
    } else if (begun.kind !== "war") {
      findings.say("opened", null, place,
        "its war was begun under version 1.0.0: the server could have chosen the salt of its edition");
    } else {
      findings.say("chain", link.get("war") === begun.get("war"), place,
        "it is of the war {}, and goes on from one of {}", link.get("war"), begun.get("war"));
      const [[proof], alpha] = [edition.all("proof"), block("war", ["game", begun.game])];
      const secret = proof ? keys.secret(alpha, unhex(proof), own) : null;
      const salts = [...edition.all("text").join("").matchAll(SALT)].map((one) => one[1]);
      const right = secret !== null && salts.length > 0 && salts.every((one) => one === hex(secret.slice(0, 32)));
      findings.say("opened", right, place, "the salt of its edition does not follow from the key of the dice");
    }
  }
}
