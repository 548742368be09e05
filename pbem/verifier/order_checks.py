"""Check that the closed orders of every seat are its last ones.

Opened orders are those that were logged and closed.
"""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import NamedTuple

from .bundles import ClosedList, Leaf, Letter, standing_orders_in_block
from .fields import TOP, Block, decode_base64, hmac_sha256, write_block
from .log_checks import LogKeys
from .notes import leaf_hash, root_from_path, tree_root
from .record import Findings, LogPlace, LogView, Phase

Key = tuple[str, str, int, str, int]
"""Game, phase, segment, seat, revision."""


class Commitments(NamedTuple):
    """The two commitments of a seat; for answers one, and b"" in place of the other."""

    orders: bytes
    standing: bytes


class OpenedOrders:
    """The orders that letters open.

    `proven` were opened by the proof of their secret, `salted` by the salt of a single revision.
    """

    def __init__(self) -> None:
        self.proven: dict[Key, set[Commitments]] = {}
        self.to: set[tuple[str, str, str, int, str, int]] = set()
        self.salted: dict[Key, set[bytes]] = {}


def order_commitment(salt: bytes, text: str) -> bytes:
    """Return SHA-256("pbemdice/v1/order" LF, salt, canonical text)."""
    return hashlib.sha256(TOP.encode() + b"order\n" + salt + text.encode()).digest()


def rule_salt(salt: bytes, number: int) -> bytes:
    """Return the salt of a standing order; number 0 is the salt of all together."""
    return hmac_sha256(salt, write_block("rule", ("number", number)))


def standing_rule_leaf(own: bytes, number: int, text: str) -> bytes:
    """Return the leaf of a standing order in their tree."""
    lines = [("text", line) for line in text.removesuffix("\n").split("\n")]
    return write_block("rule", ("number", number), ("salt", own.hex()), *lines)


def standing_commitment_from_root(salt: bytes, size: int, root: bytes) -> bytes:
    return hashlib.sha256(TOP.encode() + b"standing\n" + salt + f"{size}\n".encode() + root).digest()


def commitments_of(secret: bytes, block_: Block) -> Commitments:
    """Return the commitments to orders in clear, by the secret of their seat."""
    orders = order_commitment(hmac_sha256(secret, write_block("ordersalt", ("rev", block_["rev"]))), block_.text())
    if block_["segment"] != "1":
        return Commitments(orders, b"")
    salt, rules = (
        hmac_sha256(secret, write_block("standingsalt", ("rev", block_["rev"]))),
        standing_orders_in_block(block_),
    )
    blocks = [standing_rule_leaf(rule_salt(salt, number), number, text) for number, text in enumerate(rules, 1)]
    return Commitments(
        orders, standing_commitment_from_root(rule_salt(salt, 0), len(rules), tree_root([*map(leaf_hash, blocks)]))
    )


def salt_block(game: str, part: Block) -> bytes:
    """Return the block whose secret opens a seat's orders for a segment."""
    phase = part["phase"] if part["segment"] == "1" else f"{part['phase']}/{part['segment']}"
    return write_block("salt", ("game", game), ("phase", phase), ("seat", part["seat"]))


def check_orders(view: LogView, findings: Findings, keys: LogKeys) -> OpenedOrders:
    """Check closed lists against the log, and opened orders against both."""
    sealed = open_orders(view, findings, keys)
    check_played_orders(view, findings, sealed)
    for letter in view.letters:
        check_addressee(view, findings, letter)
    for _, phase in sorted(view.phases.items()):
        check_revisions(view, findings, phase)
        for close in phase.of("close"):
            slate = view.closed_list(close)
            if slate is not None and phase.opening is not None:
                check_seats(view, findings, (phase, close, slate))
                check_orders_are_opened(view, findings, (phase, close, slate), sealed)
    check_sent_orders_are_opened(view, findings, sealed)
    return sealed


def open_orders(view: LogView, findings: Findings, keys: LogKeys) -> OpenedOrders:
    """Read everything that is opened by the proof of its secret."""
    sealed = OpenedOrders()
    failed: set[str] = set()
    for letter, part in view.parts("orders"):
        key = (letter.game, part["phase"], part.num("segment"), part["seat"], part.num("rev"))
        place = LogPlace(letter.where, letter.game, part["phase"])
        if letter.where in failed:
            continue  # one false proof is enough
        if not keys.vrfs:
            findings.say("own", None, place, "the key of the dice is not known")
            continue
        own = keys.vrf_of(view, Phase(letter.game, part["phase"]))
        secret = keys.secret(salt_block(letter.game, part), bytes.fromhex(part["proof"]), own)
        if not findings.say("own", secret is not None, place, "the salt of orders of {} is not proven", part["seat"]):
            failed.add(letter.where)
        if secret is None:
            continue
        commits = commitments_of(secret, part)
        known = sealed.proven.setdefault(key, set())
        known.add(commits)
        same = len({commits_.orders for commits_ in known}) == 1  # standing orders may change under one revision
        findings.say("own", same, place, "letters open revision {} of {} in two ways", part["rev"], part["seat"])
        sealed.to.add((letter.seat, *key))
        check_orders_in_clear(view, findings, (place, key, commits))
    return sealed


def leaves_of_sent_orders(phase: Phase, segment: int, seat: str) -> list[Leaf]:
    """Return the leaves of a seat's orders or answers that letters show."""
    leaves = phase.of("order") if segment == 1 else phase.of("answer", segment)
    return [leaf for leaf in leaves if leaf["seat"] == seat]


def commitments_in_leaf(leaf: Leaf) -> Commitments:
    if leaf.kind == "answer":
        return Commitments(decode_base64(leaf["commit"]), b"")
    return Commitments(decode_base64(leaf["orders"]), decode_base64(leaf["standing"]))


def check_orders_in_clear(view: LogView, findings: Findings, opened: tuple[LogPlace, Key, Commitments]) -> None:
    """Check orders in clear against those that were logged and those closed."""
    place, (game, name, segment, seat, rev), commits = opened
    phase = view.phases.get((game, name), Phase(game, name))
    logged = [
        commitments_in_leaf(leaf) for leaf in leaves_of_sent_orders(phase, segment, seat) if leaf.num("rev") == rev
    ]
    closed = []
    for close in phase.of("close", segment)[:1]:
        slate = view.closed_list(close)
        at_close = slate.seats.get(seat) if slate else None
        if at_close and at_close[0] == rev:
            closed.append(Commitments(*at_close[1:]))
    if not logged and not closed:
        kind = "order" if segment == 1 else "answer"
        known = phase.opening is not None and view.shows_all(
            game, (kind,), phase.opening.seq, view.history(game)[-1].seq
        )
        why = "revision {} of {} is neither in the log nor closed"
        findings.say("own", False if known else None, place, why, rev, seat)
        return
    same = all(bound.orders == commits.orders for bound in closed) and (bool(logged) or commits in closed)
    findings.say("own", same, place, "what was closed for {} is not revision {}", seat, rev)
    same = all(bound.orders == commits.orders for bound in logged) and (not logged or commits in [*logged, *closed])
    findings.say("own", same, place, "what was logged for {} is not revision {}", seat, rev)


def check_addressee(view: LogView, findings: Findings, letter: Letter) -> None:
    """Check that a letter's phase is logged, and that its seat takes part in it."""
    place, name = LogPlace(letter.where), letter.head["phase"]
    opens = [leaf for leaf in view.history(letter.game) if leaf.kind == "open" and leaf.known]
    if name != "-":
        findings.say("own", (letter.game, name) in view.phases, place, "no leaf is about its phase {}", name)
        opens = [leaf for leaf in opens if leaf["phase"] == name]
    seated = all(letter.seat in leaf["seats"].split(" ") for leaf in opens)
    findings.say("own", seated, place, "it is to {}, which is no seat of the phase", letter.seat)


def check_seats(view: LogView, findings: Findings, closed: tuple[Phase, Leaf, ClosedList]) -> None:
    """Check each seat's revision and commitments against its last orders or answers."""
    phase, close, slate = closed
    place, segment, opened = phase.place, close.num("segment"), phase.opening
    if opened is None:
        return
    kind = "order" if segment == 1 else "answer"
    complete = view.shows_all(phase.game, (kind, "deadline"), opened.seq, close.seq)
    if not complete:
        findings.say("orders", None, place, "leaves between opening and closing are in no letter, or withheld")
    rolled = max((leaf.seq for leaf in phase.of("roll", segment - 1)), default=-1) if segment > 1 else -1
    due = phase.due(close)
    for leaf in phase.of("order") if segment == 1 else phase.of("answer", segment):
        good = rolled < leaf.seq < close.seq
        if kind == "order" and due:
            good &= leaf.num("recv") <= due[-1].num("D")
        findings.say("orders", good, place, "{} of {} out of time", kind, leaf["seat"])
    for seat, (rev, *commits) in sorted(slate.seats.items()):
        own_leaves = [leaf for leaf in leaves_of_sent_orders(phase, segment, seat) if leaf.seq < close.seq]
        revisions = [leaf.num("rev") for leaf in own_leaves if leaf.num("rev")]
        findings.say("orders", revisions == sorted(revisions), place, "the revisions of {} go back", seat)
        check_orders_came_by_letter(findings, phase, own_leaves)
        if not own_leaves:
            why = "nothing in the log says what was closed for {}"
            findings.say("orders", False if complete else None, place, why, seat)
            continue
        same = (own_leaves[-1].num("rev"), commitments_in_leaf(own_leaves[-1])) == (rev, Commitments(*commits))
        why = "revision {} of {} is not what was logged last"
        findings.say("orders", same or (None if not complete else False), place, why, rev, seat)


def check_revisions(view: LogView, findings: Findings, phase: Phase) -> None:
    """Check that each revision is at most one more than the last.

    The dice depend on the numbers. They continue from one attempt at a phase to the next.
    """
    tries = [other for (game, _), other in view.phases.items() if (game, other.stem) == (phase.game, phase.stem)]
    start = next((other.opening for other in tries if other.attempt == 1), None)
    before = [leaf for other in tries if other.attempt < phase.attempt for leaf in other.leaves]
    highest: dict[str, int] = {}
    # As they were written: the highest number so far counts.
    for leaf in [*sorted(before, key=lambda leaf: leaf.seq), *phase.leaves]:
        if leaf.kind not in ("order", "answer"):
            continue
        rev, top = leaf.num("rev"), highest.get(leaf["seat"], 0)
        highest[leaf["seat"]] = max(rev, top)
        if rev > top + 1 and leaf in phase.leaves:
            complete = start is not None and view.shows_all(phase.game, ("order", "answer"), start.seq, leaf.seq)
            why = "revision {} of {} leaves out numbers, and each number is another roll"
            findings.say("orders", False if complete else None, phase.place, why, rev, leaf["seat"])


def bots_of(phase: Phase) -> list[str]:
    """Return the seats that a program may play in a phase, by its opening."""
    value = phase.opening["bots"] if phase.opening is not None else "-"
    return [] if value == "-" else [bot.split(":")[0] for bot in value.split(" ")]


def check_orders_came_by_letter(findings: Findings, phase: Phase, own_leaves: list[Leaf]) -> None:
    """Check that orders came by a letter, and were cancelled by another.

    A bot's orders come by no letter; the opening of the phase names its seat, and they do not replace the orders of
    a letter.
    """
    place, bots = phase.place, bots_of(phase)
    orders = [leaf for leaf in own_leaves if leaf.kind == "order"]
    for index, leaf in enumerate(orders):
        by_letter = leaf["eml"] != "-" or leaf["rev"] == "0"
        replaces = index > 0 and orders[index - 1]["eml"] != "-" and orders[index - 1]["rev"] != "0"
        if not by_letter and (replaces or leaf["seat"] not in bots):
            findings.say("orders", False, place, "no letter brought revision {} of {}", leaf["rev"], leaf["seat"])
    for before, after in pairwise(orders):
        kept = before["rev"] == "0" or after["rev"] != "0" or after["eml"] not in ("-", before["eml"])
        if not kept:
            findings.say("orders", False, place, "no letter took back revision {} of {}", before["rev"], after["seat"])


def check_orders_are_opened(
    view: LogView, findings: Findings, closed: tuple[Phase, Leaf, ClosedList], sealed: OpenedOrders
) -> None:
    """Check that closed orders are opened.

    The owner gets them with the result, everybody when the phase is disclosed.
    """
    phase, close, slate = closed
    segment, place = close.num("segment"), phase.place
    owners = {
        letter.seat
        for letter in view.letters
        if letter.game == phase.game
        and any(map(letter.shows, phase.of("result")))
        and opens_orders(view, letter, phase)
    }
    for seat, (rev, *commits) in sorted(slate.seats.items()):
        key = (phase.game, phase.name, segment, seat, rev)
        known = Commitments(*commits) in sealed.proven.get(key, ())
        if seat in owners:
            why = "the result is told to {}, and not what it was played by"
            findings.say("own", known and (seat, *key) in sealed.to, place, why, seat)
        if known:
            findings.say("others", True, place, "")
        elif phase.is_disclosed:
            findings.say("others", False, place, "it is disclosed, and what was closed for {} is not opened", seat)
        elif seat not in owners:
            why = "what was closed for {} is sealed until the game is over"
            if commits[0] in sealed.salted.get(key, ()):
                why = "what {} was played by is open; that it was not chosen later is sealed until the game is over"
            findings.say("others", None, place, why, seat)


def opens_orders(view: LogView, letter: Letter, phase: Phase) -> bool:
    """Return whether a letter with a phase's result opens its seat's orders.

    It need not if it reports on another phase, and shows the result of that too.
    """
    about = view.phases.get((letter.game, letter.head["phase"]), phase)
    return letter.head["letter"] != "report" or about is phase or not any(map(letter.shows, about.of("result")))


def check_sent_orders_are_opened(view: LogView, findings: Findings, sealed: OpenedOrders) -> None:
    """Check that everything logged as sent by a seat was opened to it.

    Otherwise somebody else wrote the orders. A disclosure opens what was closed alone, and shows again what came
    before: of it only the leaves count that no other letter shows to the seat, those of the last phase.
    """
    shown = {
        (letter.seat, leaf.game, leaf.seq)
        for letter in view.letters
        if letter.head["letter"] != "disclosure"
        for leaf in letter.leaves
        if leaf.known
    }
    for letter in view.letters:
        is_disclosure = letter.head["letter"] == "disclosure"
        for leaf in letter.leaves:
            if leaf.kind not in ("order", "answer") or leaf.get("seat") != letter.seat or not leaf.known:
                continue
            if is_disclosure and (letter.seat, leaf.game, leaf.seq) in shown:
                continue
            phase = view.phases[leaf.game, leaf["phase"]]
            if leaf.get("eml") == "-" and leaf["rev"] != "0":
                why = "leaf {} says that a bot wrote in your place: whether you were away you alone know"
                findings.say("own", None, phase.place, why, leaf.seq)
            if leaf.get("eml") == "-" or (leaf.kind == "answer" and leaf["rev"] == "0"):
                continue  # the seat sent nothing
            segment = 1 if leaf.kind == "order" else leaf.num("segment")
            key = (letter.seat, leaf.game, leaf["phase"], segment, letter.seat, leaf.num("rev"))
            place = LogPlace(letter.where, leaf.game, leaf["phase"])
            if not is_disclosure:
                why = "leaf {} says you sent what no letter opens to you"
                findings.say("own", key in sealed.to, place, why, leaf.seq)
            if leaf["rev"] == "0" and any(
                earlier.num("rev") and earlier.seq < leaf.seq
                for earlier in leaves_of_sent_orders(phase, 1, letter.seat)
            ):
                why = "leaf {} says that a letter of yours took your orders back: whether you sent it you alone know"
                findings.say("own", None, phase.place, why, leaf.seq)


def check_played_orders(view: LogView, findings: Findings, sealed: OpenedOrders) -> None:
    """Check orders and standing orders opened after a phase against those closed."""
    for letter, part in [*view.parts("played"), *view.parts("fired")]:
        place = LogPlace(letter.where, letter.game, part["phase"])
        phase = view.phases.get((letter.game, part["phase"]), Phase(letter.game, part["phase"]))
        segment = part.num("segment") if part.kind == "played" else 1
        slates = [view.closed_list(close) for close in phase.of("close", segment)]
        closed_seats = [slate.seats.get(part["seat"]) for slate in slates if slate is not None]
        if not closed_seats:
            known = not phase.leaves or is_phase_complete(view, phase)
            why = "the list that {} was closed in is in no letter"
            findings.say("opened", False if known and not slates else None, place, why, part["seat"])
            continue
        salt = bytes.fromhex(part["salt"])
        commit = order_commitment(salt, part.text()) if part.kind == "played" else standing_commitment(salt, part)
        at_close = [
            (rev, commitments[0] if part.kind == "played" else commitments[1])
            for rev, *commitments in filter(None, closed_seats)
        ]
        same = (part.num("rev"), commit) in at_close
        findings.say(
            "opened", same, place, "what {} is said to have been played by is not what was closed", part["seat"]
        )
        if same and part.kind == "played":
            key = (letter.game, part["phase"], segment, part["seat"], part.num("rev"))
            sealed.salted.setdefault(key, set()).add(commit)


def is_phase_complete(view: LogView, phase: Phase) -> bool:
    """Return whether no leaf of a phase is missing, from opening to result."""
    results = phase.of("result")
    return bool(results) and phase.opening is not None and view.gapless(phase.game, phase.opening.seq, results[-1].seq)


def standing_commitment(salt: bytes, part: Block) -> bytes:
    """Return the commitment that a standing order and its path give, or b""."""
    number, size = part.num("number"), part.num("size")
    digest = leaf_hash(standing_rule_leaf(bytes.fromhex(part["own"]), number, part.text()))
    root = root_from_path(digest, number - 1, size, [decode_base64(value) for value in part.all("hash")])
    return standing_commitment_from_root(salt, size, root) if root is not None else b""
