"""Check wars: chains of games, linked by leaves `link`.

Each game after the first begins with a leaf `link` that names the last leaf of the game before it. The
first begins with a leaf `war`, if the salts in the editions of the others follow from the key of the dice.
"""

from __future__ import annotations

import re
from itertools import pairwise

from .bundles import Leaf
from .fields import write_block
from .log_checks import LogKeys
from .record import Findings, LogPlace, LogView, Phase

BETWEEN = "camp"
"""The system of games between two battles, which always follow an earlier game."""

# No brace in between: the number is one of the war itself, not of something within it or behind it.
LATER_BATTLE = re.compile(r'"war":\{[^{}]*"leg":(?:[2-9]|[1-9][0-9]+)[,}]')
"""A pattern in the edition of every later battle of a war."""


SALT = re.compile(r'"salt":"([^"]*)"')
"""The salt of an edition, which keeps its digest from being guessed."""


def check_wars(view: LogView, findings: Findings, keys: LogKeys) -> None:
    """Check the links of wars and the salts of their editions.

    No link is missing if a game must have one, and no two games follow the same one.
    """
    successors: dict[str, dict[int, set[str]]] = {}
    for game in sorted({game for game, _ in view.leaves if game != "-"}):
        links = [leaf for leaf in view.history(game) if leaf.kind == "link"]
        for leaf in view.history(game):
            if leaf.kind == "war":
                findings.say(
                    "chain", leaf.seq == 0, LogPlace(game), "leaf {} begins a war, and is not its first", leaf.seq
                )
        for leaf in links:
            findings.say(
                "chain", leaf.seq == 0, LogPlace(game), "leaf {} names a game before it, and is not its first", leaf.seq
            )
            if leaf.known:
                successors.setdefault(leaf["after"], {}).setdefault(leaf.num("seq"), set()).add(game)
                check_link_to_game_before(view, findings, leaf)
        if not links:
            check_missing_link(view, findings, game)
    for before, followed in sorted(successors.items()):
        check_game_follows_another(view, findings, before, followed)
    check_salts(view, findings, keys)


def check_game_follows_another(view: LogView, findings: Findings, before: str, followed: dict[int, set[str]]) -> None:
    """Check that one game follows another (K8).

    A second one may follow only after a phase of the game before was opened again.
    """
    places = sorted(followed)
    for seq in places:
        if len(followed[seq]) > 1:
            why = "{} go on from leaf {} of it: there is one war, and more than one course of it"
            findings.say("chain", False, LogPlace(before), why, ", ".join(sorted(followed[seq])), seq)
    for first, later in pairwise(places):
        between = [leaf for leaf in view.history(before) if first < leaf.seq <= later]
        opened = any(leaf.kind == "open" for leaf in between)
        truth = True if opened else False if view.gapless(before, first, later) else None
        why = "{} go on from it one after another, and no phase of it was opened in between"
        findings.say("chain", truth, LogPlace(before), why, ", ".join(sorted(followed[first] | followed[later])))


def check_link_to_game_before(view: LogView, findings: Findings, leaf: Leaf) -> None:
    """Check that a link names the leaf that letters show, then the last of its game."""
    place, name, seq = LogPlace(leaf.game), leaf["after"], leaf.num("seq")
    before = view.leaves.get((name, seq))
    if before is None:
        why = "it goes on from leaf {} of {}, which is in no letter here: add the letters of that game"
        findings.say("chain", None, place, why, seq, name)
        return
    findings.say(
        "chain",
        before.hash == leaf["leaf"],
        place,
        "it goes on from another leaf {} of {} than that of letters",
        seq,
        name,
    )
    findings.say("chain", before.at < leaf.at, place, "leaf {} of {} came after what goes on from it", seq, name)
    after = view.leaves.get((name, seq + 1))
    if after is not None:
        findings.say(
            "chain", leaf.at < after.at, place, "leaf {} was not the last of {} when it went on from it", seq, name
        )


def check_missing_link(view: LogView, findings: Findings, game: str) -> None:
    """Check that a camp or a later battle names the game before it."""
    opened = next((leaf for leaf in view.history(game) if leaf.kind == "open" and leaf.known), None)
    editions = ("".join(part.all("text")) for _, part in view.parts("edition", game))
    follows = (opened is not None and opened["system"] == BETWEEN) or any(map(LATER_BATTLE.search, editions))
    if not follows:
        return
    truth = False if (game, 0) in view.leaves else None
    findings.say("chain", truth, LogPlace(game), "it is a later part of a war, and names no game that it goes on from")


def first_leaf_of_war(view: LogView, game: str) -> Leaf | None:
    """Follow links to the first leaf of a war; None if one is in no letter."""
    visited: set[str] = set()
    while game not in visited:
        visited.add(game)
        leaf = view.leaves.get((game, 0))
        if leaf is None or not leaf.known or leaf.kind != "link":
            return leaf if leaf is not None and leaf.known else None
        game = leaf["after"]
    return None


def check_salts(view: LogView, findings: Findings, keys: LogKeys) -> None:
    """Check that the salts in a war's editions derive from its first game.

    They derive by the key of the dice, so that nobody can choose them.
    """
    for letter, edition in view.parts("edition"):
        link, place = view.leaves.get((letter.game, 0)), LogPlace(letter.where)
        if link is None or link.kind != "link" or not link.known:
            continue
        first_leaf = first_leaf_of_war(view, letter.game)
        opened = view.leaves.get((first_leaf.game, 1)) if first_leaf is not None else None
        war_key = (
            keys.vrf_of(view, Phase(first_leaf.game, opened.get("phase") if opened else "")) if first_leaf else None
        )
        if first_leaf is None or war_key is None:
            why = "whether its salt follows from the key of the dice is not known: add the letters of the games before"
            findings.say("opened", None, place, why)
        elif first_leaf.kind != "war":
            why = "its war was begun under version 1.0.0: the server could have chosen the salt of its edition"
            findings.say("opened", None, place, why)
        else:
            why = "it is of the war {}, and goes on from one of {}"
            findings.say("chain", link["war"] == first_leaf["war"], place, why, link["war"], first_leaf["war"])
            proof, text = edition.all("proof"), "".join(edition.all("text"))
            alpha = write_block("war", ("game", first_leaf.game))
            secret = keys.secret(alpha, bytes.fromhex(proof[0]), war_key) if proof else None
            # Half of the 64 octets, as `audit.sealing` takes.
            right = secret is not None and set(SALT.findall(text)) == {secret[:32].hex()}
            findings.say("opened", right, place, "the salt of its edition does not follow from the key of the dice")
