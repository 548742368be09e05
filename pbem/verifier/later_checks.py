"""Check later lots: juries, appeals, ties, continuations.

One leaf requests such lots, its beacon fixes them, and a later leaf publishes them.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from .bundles import Leaf
from .fields import sha256_hex, throw_dice, write_block
from .log_checks import LogKeys
from .record import QUICKNET, QUICKNET_KEY, Findings, LogPlace
from .team_checks import team_of_members

GONE = ("withdrew", "expelled", "silent", "replaced")
"""The reasons in leaves by which an entrant leaves until a later return."""

LATER = re.compile(
    "((?:jury|appeal)/D[1-9][0-9]{0,8}/[A-Za-z0-9._~-]+|(?:ties|continue)/r[1-9][0-9]{0,5})(?:/([1-9][0-9]{0,5}))?"
)
"""The names of later lots; a number counts repeated lots for one purpose."""
RULING = "ruling-"
"""The prefix, after the dispute, in the name of a jury about a ruling on entrants, not on a table."""
NAMED = re.compile("[0-9]+[.] (?:BAR E?([0-9]+) E?([0-9]+) |(?:EXPEL|AWARD|WARN) E?([0-9]+) )")
"""The numbers of the entrants named in a disputed ruling."""


def check_beacon_and_vrf_proof(
    keys: LogKeys, findings: Findings, place: LogPlace, leaves: tuple[Leaf, str, Leaf]
) -> bytes | None:
    """Check a beacon's value and the proof of a secret; return the secret, or None.

    `leaves` are the leaf that fixed list and round, the group of the secret, and the leaf that shows the proof.
    """
    fixed, group, shown = leaves
    chain, sig = fixed["chain"], shown["sig"]
    agree = (sig == "none") == (chain == "none")
    why = "a beacon without a value, or a value without a beacon"
    if findings.say("beacon", agree, place, why) and chain != "none":
        if chain != QUICKNET:
            findings.say("beacon", None, place, "its beacon {} is not a public one", chain)
        else:
            message = hashlib.sha256(fixed.num("beacon").to_bytes(8, "big")).digest()
            right = keys.means.beacon(QUICKNET_KEY, message, bytes.fromhex(sig))
            findings.say("beacon", right, place, "the signature is not that of round {}", fixed["beacon"])
    key = keys.vrf_at(fixed.at)
    if key is None:
        findings.say("vrf", None, place, "the key of the dice is not known")
        return None
    beta = keys.means.output(key, vrf_input_of_list(group, seed_hash(fixed), sig), shown.groups[0][1])
    findings.say("vrf", beta is not None, place, "the proof of group {} is false", group)
    return beta


def seed_hash(leaf: Leaf) -> str:
    """Return the hash from which a secret is derived.

    It is the hash of the list that a leaf fixed, or of the leaf that requested lots.
    """
    return leaf.get("slate") or sha256_hex(leaf.data)


def vrf_input_of_list(group: str, digest: str, sig: str) -> bytes:
    """Return the VRF input for the list of a draw or of a board."""
    value = sig if sig == "none" else sha256_hex(bytes.fromhex(sig))
    return write_block("alpha", ("group", group), ("slate", digest), ("beacon", value))


def check_later_lots(checks: Any) -> None:
    """Check the later lots of a tournament, a `TournamentChecks`."""
    needed: dict[str, Leaf] = {}
    drawn = set[str]()
    for leaf in checks.known:
        if leaf.kind not in ("lot-needed", "lot-drawn"):
            continue
        name = leaf["lot"]
        place = LogPlace(f"{checks.game} {name}", checks.game, name)
        checks.say(checks.version != 1, place, "a tournament of version 1 has no later lots")
        if leaf.kind == "lot-needed":
            checks.say(name not in needed, place, "lots {} were needed twice under one name", name)
            check_request_for_lots(checks, place, leaf, needed)
            needed.setdefault(name, leaf)
            continue
        checks.say(name not in drawn, place, "lots {} were drawn twice", name)
        drawn.add(name)
        early = name not in needed
        truth = not early or checks.false_if_gapless(leaf.seq)
        checks.say(truth, place, "lots {} were drawn before they were needed", name)
        if not early:
            beta = check_beacon_and_vrf_proof(checks.keys, checks.board, place, (needed[name], "later", leaf))
            if beta is not None:
                check_drawn_jurors(checks, place, (needed[name], leaf), beta)
    check_undrawn_juries(checks, needed, drawn)


def check_undrawn_juries(checks: Any, needed: dict[str, Leaf], drawn: set[str]) -> None:
    """Report each jury that was asked for but skipped for a later one.

    Both are about the same table. The server may have looked at the first jury and preferred the later one.
    """
    parts = {name: name.split("/") for name in needed}
    for name, leaf in needed.items():
        later = [parts[other] for other in drawn & needed.keys() if needed[other].seq > leaf.seq]
        own_parts = parts[name]
        superseded = any(
            other_parts[::2][:2] == own_parts[::2][:2] and other_parts[1] != own_parts[1] for other_parts in later
        )
        if name not in drawn and len(own_parts) > 2 and superseded:
            place = LogPlace(f"{checks.game} {name}", checks.game, name)
            why = "lots {} were never drawn, and later ones about its table were: the server could have chosen"
            checks.say(None, place, why, name)


def check_request_for_lots(checks: Any, place: LogPlace, leaf: Leaf, before: dict[str, Leaf]) -> None:
    """Check a request for lots: its name, its beacon, and the reason to ask again."""
    match_ = LATER.fullmatch(leaf["lot"])
    if not checks.say(match_ is not None, place, "there are no lots of this name: {}", leaf["lot"]) or match_ is None:
        return
    if checks.keys.chains is not None:
        own = leaf["chain"] in checks.keys.chains | {"none"}
        checks.board.say("round", own, place, "it has another beacon than the server")
    number = int(match_[2] or 1)
    if number > 1:
        last = before.get(match_[1] if number == 2 else f"{match_[1]}/{number - 1}")
        since = last.seq if last is not None else -1
        reason = last is not None and any(
            between.kind in ("score", "verdict") and since < between.seq < leaf.seq for between in checks.known
        )
        why = "lots {} were needed again, and nothing had happened"
        if checks.say(reason or checks.false_if_gapless(leaf.seq), place, why, leaf["lot"]):
            why = "lots {} were needed again: whoever runs the server could have known those before"
            checks.say(None, place, why, leaf["lot"])
    if match_[1].split("/")[0] in ("jury", "appeal"):
        check_jury(checks, place, leaf, match_[1])
    else:
        nobody = leaf["first"] == leaf["then"] == "-"
        checks.say(nobody, place, "lots {} are drawn among people", leaf["lot"])


def names_in_list(value: str) -> list[str]:
    return [] if value == "-" else value.split(" ")


def check_jury(checks: Any, place: LogPlace, leaf: Leaf, stem: str) -> None:
    """Check that the possible jurors are listed, and no others.

    Excluded are the two at the table, or those whom the disputed ruling names, their teams, and earlier jurors of
    the dispute.
    """
    if not checks.course.gapless(checks.game, 0, leaf.seq):
        checks.say(None, place, "leaves of the tournament are in no letter: who may be a juror is not known")
        return
    before = [earlier for earlier in checks.known if earlier.seq < leaf.seq]
    _, dispute, table = stem.split("/")
    parties = named_in_ruling(checks, before, table) if table.startswith(RULING) else players_at_table(before, table)
    if parties is None:
        checks.say(None, place, "the ruling that {} is about is in no letter", leaf["lot"])
        return
    team_of = team_of_members(before)
    sides = {team_of.get(name, name) for name in parties}
    asked = {
        name
        for drawn in before
        if drawn.kind == "lot-drawn" and drawn["lot"].split("/")[1] == dispute
        for name in names_in_list(drawn["asked"])
    }
    entered = {entry["entrant"] for entry in before if entry.kind == "enter"}
    eligible = {name for name in entered if team_of.get(name, name) not in sides} - asked
    gone = {leave["entrant"] for leave in before if leave.kind == "leave" and leave["why"] in GONE}
    listed = [*names_in_list(leaf["first"]), *names_in_list(leaf["then"])]
    checks.say(bool(parties), place, "nobody sits at the table that {} is about", leaf["lot"])
    good = len(listed) == len(set(listed)) and set(listed) <= eligible and eligible - gone <= set(listed)
    checks.say(good, place, "others may be jurors than {} says", leaf["lot"])
    why = "who of the jurors of {} is of another score group is not checked here"
    checks.say(None, place, why, leaf["lot"])


def players_at_table(leaves: list[Leaf], table: str) -> list[str]:
    """Return the two players at a table by the last leaf about it, or empty."""
    pairs = [leaf for leaf in leaves if leaf.kind == "pair" and table in leaf["table"].split(" ")]
    return [pairs[-1]["first"], pairs[-1]["second"]] if pairs else []


def named_in_ruling(checks: Any, leaves: list[Leaf], name: str) -> list[str] | None:
    """Return the entrants that a ruling names.

    Empty if there is no such ruling, None if no letter has its text.
    """
    for leaf in leaves:
        if leaf.kind == "verdict" and leaf["number"] == name.removeprefix(RULING):
            text = checks.texts.get(leaf["text"].removeprefix("sha256:"))
            named = NAMED.match(text or "")
            return None if text is None else [f"e{int(number)}" for number in named.groups() if number] if named else []
    return []


def check_drawn_jurors(checks: Any, place: LogPlace, leaves: tuple[Leaf, Leaf], beta: bytes) -> None:
    """Check that jurors were asked by lot.

    Jurors who had left when their turn came may be asked later, or not at all.
    """
    needed, drawn = leaves
    dispute = needed["lot"].split("/")[1]
    order = [
        name
        for key in ("first", "then")
        # By lot: each name has a roll of its own, and the lowest is asked first.
        for name in sorted(
            names_in_list(needed[key]), key=lambda name: throw_dice(beta, f"jury/{dispute}/{name}", 1, 2**32)
        )
    ]
    away = {
        leaf_["entrant"]
        for leaf_ in checks.known
        if leaf_.kind == "leave" and leaf_["why"] in GONE and needed.seq < leaf_.seq < drawn.seq
    }
    truth = are_asked_by_lot(order, names_in_list(drawn["asked"]), away)
    checks.say(truth, place, "others were drawn than the lots {} give", needed["lot"])


def are_asked_by_lot(order: list[str], asked: list[str], away: set[str]) -> bool:
    """Return whether jurors were asked in the order of their lots.

    Jurors are asked one after another over days. Who was away in that time, and perhaps came back, may be passed over
    or asked later than his lot says, but nobody else is asked before an earlier lot.
    """
    if len(asked) != len(set(asked)) or not set(asked) <= set(order):
        return False
    earlier = {name: set(order[:place]) - away for place, name in enumerate(order)}
    return all(earlier[name] <= set(asked[:index]) for index, name in enumerate(asked))
