"""Define the leaves of a tournament, in a chain of its own, ``event/cup60``::

    pbemdice/v1/pair               pbemdice/v1/says
    game event/cup60               salt 5be0...
    seq 41                         round r2
    prev 2f1d...                   attempt 1
    body 61c7...                   board 3
                                   first e3
                                   second e7
                                   table cup60-r2-03

Rounds are counted through all stages, attempts are draws of one round. A pair names the tables that it plays at:
two where sides are mirrored, ``03a`` and ``03b``; at the second the sides are exchanged. An entrant
without an opponent has a pair with nobody, so that the round can be scored. After a change of players a later pair
of the board names the new one. Where teams play, a team is an entrant with a number of its own: `team` says from
which round on it may be paired, and `member` who plays for it. Lists are of teams then, and pairs of those who sit
at the boards: the first match has the boards 1 to 4 where a match has four, the second 5 to 8. A team that has
nobody to meet has a pair at the first board of its match. In a tournament of version 2 `found` says so, `enter` and
`team` say what a list of a draw has of somebody besides his strength, and a captain's word is a `lineup`: there is
nothing in such a list that no leaf before it says. A `challenge` of a ladder is told when it is accepted, with the
round that it is for. From version 2 on lots that are needed after the draw have two leaves of their own:
`lot-needed` is written when they are, and fixes the round; `lot-drawn` tells the proof of the secret that follows
from that leaf, once they have decided. `shut` fixes list and beacon's round before lots are drawn, `bind` does so
for the tables of a board that have one luck; `lot` and `deal` tell the proof of the secret that follows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pbem.audit.blocks import COUNT_PATTERN, ID_PATTERN, NUMBER_PATTERN

CHAIN_PREFIX = "event/"
"""The beginning of the name of a tournament's chain; the tournament's name follows."""

DRAW_GROUP, DEAL_GROUP, LATER_GROUP = "draw", "dup", "later"
"""The groups of the secrets for lots, for the dice of a board, and for later lots."""

NOBODY = "-"
PLAYED = "played"

_HEX = "[0-9a-f]{64}"
_PROOF = "[0-9a-f]{160}"
_BATTLE = "[A-Za-z0-9][A-Za-z0-9_-]{0,59}"
_TABLE = rf"(?!-(?: |$)){ID_PATTERN}"

VALUE_PATTERNS = {
    "entrant": r"e[1-9][0-9]{0,8}",
    "entrants": r"-|e[1-9][0-9]{0,8}(?: e[1-9][0-9]{0,8})*",
    "opponent": r"-|e[1-9][0-9]{0,8}",
    "rounds": r"r[1-9][0-9]{0,5}",
    "leaving": "withdrew|rest|return|expelled|silent|replaced",
    "drawn": rf"{DRAW_GROUP} {_PROOF}",
    "dealt": rf"{DEAL_GROUP} {_PROOF}",
    "later": rf"{LATER_GROUP} {_PROOF}",
    "battle": rf"{_BATTLE}(?: e[1-9][0-9]{{0,8}}:(?:-|{_BATTLE}(?:,{_BATTLE})*)){{2}}|{_BATTLE}",
    "tables": rf"-|{_TABLE}(?: {_TABLE})*",
    "table": ID_PATTERN,
    "halves": rf"{NUMBER_PATTERN} {NUMBER_PATTERN}",
    "signed": f"0|-?{COUNT_PATTERN}",
    "how": r"[a-z]+(?:-[a-z]+)*",
    "last": rf"-|{_HEX}",
}
"""The values that no other leaf has, as regular expressions; a number has at most nine digits, so that it fits into a
column of integers."""

_DRAWN = (("round", "rounds"), ("attempt", "count"))

KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    "found": (("rules", "plain"), ("name", "id"), ("version", "count")),
    "enter": (
        ("entrant", "entrant"),
        ("person", "blinded"),
        ("accepted", "plain"),
        ("strength", "number"),
        ("round", "count"),
        ("pace", "number"),
        ("zone", "signed"),
        ("halves", "number"),
    ),
    "team": (("entrant", "entrant"), ("round", "count"), ("halves", "number")),
    "lineup": (("team", "entrant"), ("round", "count"), ("boards", "entrants")),
    "member": (("entrant", "entrant"), ("team", "entrant")),
    "leave": (("entrant", "entrant"), ("round", "number"), ("why", "leaving")),
    "challenge": (("round", "rounds"), ("challenger", "entrant"), ("challenged", "entrant")),
    "shut": (*_DRAWN, ("slate", "hash"), ("chain", "chain"), ("beacon", "number")),
    "lot": (*_DRAWN, ("sig", "signature"), ("group", "drawn")),
    "lot-needed": (
        ("lot", "id"),
        ("first", "entrants"),
        ("then", "entrants"),
        ("chain", "chain"),
        ("beacon", "number"),
    ),
    "lot-drawn": (("lot", "id"), ("asked", "entrants"), ("sig", "signature"), ("group", "later")),
    "pair": (
        *_DRAWN,
        ("board", "count"),
        ("first", "entrant"),
        ("second", "opponent"),
        ("table", "tables"),
        ("battle", "battle"),
    ),
    "score": (
        ("round", "rounds"),
        ("board", "count"),
        ("table", "table"),
        ("halves", "halves"),
        ("margin", "signed"),
        ("how", "how"),
        ("leaf", "last"),
    ),
    "standing": (("round", "rounds"), ("table", "plain")),
    "rated": (("pool", "id"), ("period", "id"), ("ratings", "plain")),
    "verdict": (("number", "count"), ("text", "plain")),
    "bind": (("board", "id"), ("slate", "hash"), ("chain", "chain"), ("beacon", "number")),
    "deal": (("board", "id"), ("sig", "signature"), ("group", "dealt")),
}
"""The kinds of leaves, each with its keys and the names of their values, in order."""

LINES_SINCE_TWO = {"found": 1, "enter": 3, "team": 1, "pair": 1}
"""How many of a kind's last lines are missing in a tournament of version 1; the last of `pair` also in others whose
rules do not say how battles are found."""


def find_contradiction(kind: str, value: Mapping[str, str]) -> str:
    """Return the contradiction between values of one leaf, by key; empty if none."""
    if kind in ("shut", "bind", "lot-needed") and (value["chain"] == "none") != (value["beacon"] == "0"):
        return "a list waits for a chain and a round of it, or for neither"
    if kind == "challenge" and value["challenger"] == value["challenged"]:
        return "nobody challenges himself"
    if kind == "pair":
        return _pair(value["first"], value["second"], value["table"])
    if kind == "score":
        return _score(value["table"], value["leaf"], value["how"])
    return ""


def _pair(first: str, second: str, table: str) -> str:
    if first == second or (second != NOBODY and table == NOBODY):
        return "a pair is of two who differ and have a table, or of one"
    names = table.split(" ")
    if names != sorted(set(names)):
        return "the tables of a pair are in the order of their bytes, each once"
    return ""


def _score(table: str, leaf: str, how: str) -> str:
    names_leaf = leaf != NOBODY
    if (names_leaf and table == NOBODY) or (not names_leaf and table != NOBODY and how == PLAYED):
        return "a score of a table that was played names the last leaf of it, and one of no table names none"
    return ""


# The characters of an id (`blocks.ID_PATTERN`) but the slash, which ends the prefix.
_CHAIN = re.compile(rf"{CHAIN_PREFIX}[A-Za-z0-9._~-]+")


def is_chain(game: str) -> bool:
    """Return whether a game's name is that of a tournament's chain."""
    return _CHAIN.fullmatch(game) is not None
