"""Lots that are needed after a draw: a leaf asks for them, they follow from it, and another tells them afterwards."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from .bundles import Leaf
from .fields import block, sha, throw
from .log_checks import Keys
from .record import QUICKNET, QUICKNET_KEY, Board, Place
from .team_checks import team_of_members

GONE = ("withdrew", "expelled", "silent", "replaced")
"""Why somebody plays no more, unless he returns."""

LATER = re.compile(
    "((?:jury|appeal)/D[1-9][0-9]{0,8}/[A-Za-z0-9._~-]+|(?:ties|continue)/r[1-9][0-9]{0,5})(?:/([1-9][0-9]{0,5}))?"
)
"""What later lots are called; those that are needed again for one thing are counted."""


def proven(keys: Keys, board: Board, place: Place, waited: tuple[Leaf, str, Leaf]) -> bytes | None:
    """What follows from a list that waited: the beacon's value, and the proof of the secret, which is returned.

    `waited` are the leaf that fixed list and round, the group of the secret, and the leaf that tells the proof.
    """
    fixed, group, told = waited
    chain, sig = fixed["chain"], told["sig"]
    agree = (sig == "none") == (chain == "none")
    why = "a beacon without a value, or a value without a beacon"
    if board.say("beacon", agree, place, why) and chain != "none":
        if chain != QUICKNET:
            board.say("beacon", None, place, "its beacon {} is not a public one", chain)
        else:
            message = hashlib.sha256(fixed.num("beacon").to_bytes(8, "big")).digest()
            right = keys.means.beacon(QUICKNET_KEY, message, bytes.fromhex(sig))
            board.say("beacon", right, place, "the signature is not that of round {}", fixed["beacon"])
    key = keys.vrf_at(fixed.at)
    if key is None:
        board.say("vrf", None, place, "the key of the dice is not known")
        return None
    beta = keys.means.output(key, alpha_of_list(group, fixed_by(fixed), sig), told.groups[0][1])
    board.say("vrf", beta is not None, place, "the proof of group {} is false", group)
    return beta


def fixed_by(leaf: Leaf) -> str:
    """The hash that a secret follows from: of the list that a leaf fixed, or of the leaf that needed lots."""
    return leaf.get("slate") or sha(leaf.data)


def alpha_of_list(group: str, digest: str, sig: str) -> bytes:
    """What the secret of a list of a draw or of a board is computed from."""
    value = sig if sig == "none" else sha(bytes.fromhex(sig))
    return block("alpha", ("group", group), ("slate", digest), ("beacon", value))


def check_later(contest: Any) -> None:
    """Check the later lots of a tournament: `contest` is that of `contest_checks`."""
    needed: dict[str, Leaf] = {}
    told = set[str]()
    for leaf in contest.known:
        if leaf.kind not in ("lot-needed", "lot-drawn"):
            continue
        name = leaf["lot"]
        place = Place(f"{contest.game} {name}", contest.game, name)
        contest.say(contest.version != 1, place, "a tournament of version 1 has no later lots")
        if leaf.kind == "lot-needed":
            contest.say(name not in needed, place, "lots {} were needed twice under one name", name)
            check_needed(contest, place, leaf, needed)
            needed.setdefault(name, leaf)
            continue
        contest.say(name not in told, place, "lots {} were drawn twice", name)
        told.add(name)
        early = name not in needed
        truth = not early or contest.unless_told(leaf.seq)
        contest.say(truth, place, "lots {} were drawn before they were needed", name)
        if not early:
            beta = proven(contest.keys, contest.board, place, (needed[name], "later", leaf))
            if beta is not None:
                check_asked(contest, place, (needed[name], leaf), beta)
    check_undrawn(contest, needed, told)


def check_undrawn(contest: Any, needed: dict[str, Leaf], told: set[str]) -> None:
    """A jury that is never drawn, and another about the same table that is, may have been left for it."""
    parts = {name: name.split("/") for name in needed}
    for name, leaf in needed.items():
        later = [parts[other] for other in told & needed.keys() if needed[other].seq > leaf.seq]
        mine = parts[name]
        left = any(one[::2][:2] == mine[::2][:2] and one[1] != mine[1] for one in later)
        if name not in told and len(mine) > 2 and left:
            place = Place(f"{contest.game} {name}", contest.game, name)
            why = "lots {} were never drawn, and later ones about its table were: the server could have chosen"
            contest.say(None, place, why, name)


def check_needed(contest: Any, place: Place, leaf: Leaf, before: dict[str, Leaf]) -> None:
    """Lots have a name for what they decide, a beacon of the server, and are asked for again for a reason alone."""
    found = LATER.fullmatch(leaf["lot"])
    if not contest.say(found is not None, place, "there are no lots of this name: {}", leaf["lot"]) or found is None:
        return
    if contest.keys.chains is not None:
        own = leaf["chain"] in contest.keys.chains | {"none"}
        contest.board.say("round", own, place, "it has another beacon than the server")
    number = int(found[2] or 1)
    if number > 1:
        last = before.get(found[1] if number == 2 else f"{found[1]}/{number - 1}")
        since = last.seq if last is not None else -1
        reason = last is not None and any(
            one.kind in ("score", "verdict") and since < one.seq < leaf.seq for one in contest.known
        )
        why = "lots {} were needed again, and nothing had happened"
        if contest.say(reason or contest.unless_told(leaf.seq), place, why, leaf["lot"]):
            why = "lots {} were needed again: whoever runs the server could have known those before"
            contest.say(None, place, why, leaf["lot"])
    if found[1].split("/")[0] in ("jury", "appeal"):
        check_jury(contest, place, leaf, found[1])
    else:
        nobody = leaf["first"] == leaf["then"] == "-"
        contest.say(nobody, place, "lots {} are drawn among people", leaf["lot"])


def listed_in(value: str) -> list[str]:
    return [] if value == "-" else value.split(" ")


def check_jury(contest: Any, place: Place, leaf: Leaf, stem: str) -> None:
    """Jurors may be all who play, but for the two at the table, their teams, and who was a juror of it before."""
    if not contest.course.gapless(contest.game, 0, leaf.seq):
        contest.say(None, place, "leaves of the tournament are in no letter: who may be a juror is not known")
        return
    before = [one for one in contest.known if one.seq < leaf.seq]
    _, dispute, table = stem.split("/")
    sitting = [one for one in before if one.kind == "pair" and table in one["table"].split(" ")][-1:]
    team_of = team_of_members(before)
    sides = {team_of.get(name, name) for one in sitting for name in (one["first"], one["second"])}
    asked = {
        name
        for one in before
        if one.kind == "lot-drawn" and one["lot"].split("/")[1] == dispute
        for name in listed_in(one["asked"])
    }
    entered = {one["entrant"] for one in before if one.kind == "enter"}
    may = {name for name in entered if team_of.get(name, name) not in sides} - asked
    left = {one["entrant"] for one in before if one.kind == "leave" and one["why"] in GONE}
    listed = [*listed_in(leaf["first"]), *listed_in(leaf["then"])]
    contest.say(bool(sitting), place, "nobody sits at the table that {} is about", leaf["lot"])
    good = len(listed) == len(set(listed)) and set(listed) <= may and may - left <= set(listed)
    contest.say(good, place, "others may be jurors than {} says", leaf["lot"])
    why = "who of the jurors of {} is of another score group is not checked here"
    contest.say(None, place, why, leaf["lot"])


def check_asked(contest: Any, place: Place, leaves: tuple[Leaf, Leaf], beta: bytes) -> None:
    """Who was drawn is who comes first by lot, but for those who had left."""
    needed, drawn = leaves
    dispute = needed["lot"].split("/")[1]
    order = [
        name
        for key in ("first", "then")
        for name in sorted(listed_in(needed[key]), key=lambda name: throw(beta, f"jury/{dispute}/{name}", 1, 2**32))
    ]
    asked = listed_in(drawn["asked"])
    left = {
        one["entrant"] for one in contest.known if one.kind == "leave" and one["why"] in GONE and one.seq < drawn.seq
    }
    called = set(asked)
    last = max((at for at, name in enumerate(order) if name in called), default=-1)
    wanted = [name for name in order[: last + 1] if name in called or name not in left]
    contest.say(asked == wanted, place, "others were drawn than the lots {} give", needed["lot"])
