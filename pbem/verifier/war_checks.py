"""Wars: games in a chain, each of which begins with a leaf `link` that names the last leaf of the game before it.

The first begins with a leaf `war`, if the salts in the editions of the others follow from the key of the dice.
"""

from __future__ import annotations

import re
from itertools import pairwise

from .bundles import Leaf
from .fields import block
from .log_checks import Keys
from .record import Board, Course, Phase, Place

BETWEEN = "camp"
"""The rules of what lies between two battles: no game by them stands alone."""

LATER_BATTLE = re.compile(r'"war":\{[^{}]*"leg":(?:[2-9]|[1-9][0-9]+)[,}]')
"""What stands in the edition of a battle that others of its war went before."""


SALT = re.compile(r'"salt":"([^"]*)"')
"""What keeps an edition from being guessed by its digest."""


def check_wars(course: Course, board: Board, keys: Keys) -> None:
    """Check each link, that none is missing where a game must have one, that no two games follow one, and salts."""
    heirs: dict[str, dict[int, set[str]]] = {}
    for game in sorted({game for game, _ in course.leaves if game != "-"}):
        links = [leaf for leaf in course.history(game) if leaf.kind == "link"]
        for leaf in course.history(game):
            if leaf.kind == "war":
                board.say("chain", leaf.seq == 0, Place(game), "leaf {} begins a war, and is not its first", leaf.seq)
        for leaf in links:
            board.say(
                "chain", leaf.seq == 0, Place(game), "leaf {} names a game before it, and is not its first", leaf.seq
            )
            if leaf.known:
                heirs.setdefault(leaf["after"], {}).setdefault(leaf.num("seq"), set()).add(game)
                check_link(course, board, leaf)
        if not links:
            check_unlinked(course, board, game)
    for before, followed in sorted(heirs.items()):
        check_heirs(course, board, before, followed)
    check_salts(course, board, keys)


def check_heirs(course: Course, board: Board, before: str, followed: dict[int, set[str]]) -> None:
    """One game follows another; a second one only after that was taken up again: a phase of it was opened anew (K8)."""
    places = sorted(followed)
    for seq in places:
        if len(followed[seq]) > 1:
            why = "{} go on from leaf {} of it: there is one war, and more than one course of it"
            board.say("chain", False, Place(before), why, ", ".join(sorted(followed[seq])), seq)
    for first, later in pairwise(places):
        between = [leaf for leaf in course.history(before) if first < leaf.seq <= later]
        opened = any(leaf.kind == "open" for leaf in between)
        truth = True if opened else False if course.gapless(before, first, later) else None
        why = "{} go on from it one after another, and no phase of it was opened in between"
        board.say("chain", truth, Place(before), why, ", ".join(sorted(followed[first] | followed[later])))


def check_link(course: Course, board: Board, leaf: Leaf) -> None:
    """What a game goes on from is the leaf that letters show, and the last of its game then."""
    place, name, seq = Place(leaf.game), leaf["after"], leaf.num("seq")
    before = course.leaves.get((name, seq))
    if before is None:
        why = "it goes on from leaf {} of {}, which is in no letter here: add the letters of that game"
        board.say("chain", None, place, why, seq, name)
        return
    board.say(
        "chain",
        before.hash == leaf["leaf"],
        place,
        "it goes on from another leaf {} of {} than that of letters",
        seq,
        name,
    )
    board.say("chain", before.at < leaf.at, place, "leaf {} of {} came after what goes on from it", seq, name)
    after = course.leaves.get((name, seq + 1))
    if after is not None:
        board.say(
            "chain", leaf.at < after.at, place, "leaf {} was not the last of {} when it went on from it", seq, name
        )


def check_unlinked(course: Course, board: Board, game: str) -> None:
    """A camp, and a battle that others went before, name what they go on from."""
    opened = next((leaf for leaf in course.history(game) if leaf.kind == "open" and leaf.known), None)
    told = ("".join(one.all("text")) for _, one in course.parts("edition", game))
    follows = (opened is not None and opened["system"] == BETWEEN) or any(map(LATER_BATTLE.search, told))
    if not follows:
        return
    truth = False if (game, 0) in course.leaves else None
    board.say("chain", truth, Place(game), "it is a later part of a war, and names no game that it goes on from")


def beginning(course: Course, game: str) -> Leaf | None:
    """The first leaf of the game that a war began with, by the links from a game of it; None if one is in no letter."""
    passed: set[str] = set()
    while game not in passed:
        passed.add(game)
        leaf = course.leaves.get((game, 0))
        if leaf is None or not leaf.known or leaf.kind != "link":
            return leaf if leaf is not None and leaf.known else None
        game = leaf["after"]
    return None


def check_salts(course: Course, board: Board, keys: Keys) -> None:
    """The salts in the editions of a war follow from its first game by the key of the dice: nobody has chosen them."""
    for letter, edition in course.parts("edition"):
        link, place = course.leaves.get((letter.game, 0)), Place(letter.where)
        if link is None or link.kind != "link" or not link.known:
            continue
        begun = beginning(course, letter.game)
        opened = course.leaves.get((begun.game, 1)) if begun is not None else None
        own = keys.vrf_of(course, Phase(begun.game, opened.get("phase") if opened else "")) if begun else None
        if begun is None or own is None:
            why = "whether its salt follows from the key of the dice is not known: add the letters of the games before"
            board.say("opened", None, place, why)
        elif begun.kind != "war":
            why = "its war was begun under version 1.0.0: the server could have chosen the salt of its edition"
            board.say("opened", None, place, why)
        else:
            why = "it is of the war {}, and goes on from one of {}"
            board.say("chain", link["war"] == begun["war"], place, why, link["war"], begun["war"])
            proof, text = edition.all("proof"), "".join(edition.all("text"))
            alpha = block("war", ("game", begun.game))
            secret = keys.secret(alpha, bytes.fromhex(proof[0]), own) if proof else None
            right = secret is not None and set(SALT.findall(text)) == {secret[:32].hex()}
            board.say("opened", right, place, "the salt of its edition does not follow from the key of the dice")
