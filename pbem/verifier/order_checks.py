"""Orders: what was closed for every seat is what it sent last; what is opened of them is what was logged and closed."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from typing import NamedTuple

from .bundles import Leaf, Letter, Slate, rules_of
from .fields import TOP, Block, b64, block, mac
from .log_checks import Keys
from .notes import leaf_hash, root_by, tree_root
from .record import Board, Course, Phase, Place

Key = tuple[str, str, int, str, int]
"""Game, phase, segment, seat, revision."""


class Commits(NamedTuple):
    """The two commitments of a seat; answers have one, and nothing for the other."""

    orders: bytes
    standing: bytes


class Sealed:
    """What letters open: by the proof of its secret (`proven`), or by the salt of one revision alone (`salted`)."""

    def __init__(self) -> None:
        self.proven: dict[Key, set[Commits]] = {}
        self.to: set[tuple[str, str, str, int, str, int]] = set()
        self.salted: dict[Key, set[bytes]] = {}


def order_commit(salt: bytes, text: str) -> bytes:
    """SHA-256("pbemdice/v1/order" LF, salt, canonical text)."""
    return hashlib.sha256(TOP.encode() + b"order\n" + salt + text.encode()).digest()


def rule_salt(salt: bytes, number: int) -> bytes:
    """The salt of a standing order; of all of them together that of number 0."""
    return mac(salt, block("rule", ("number", number)))


def rule_block(own: bytes, number: int, text: str) -> bytes:
    """The leaf of a standing order in their tree."""
    lines = [("text", line) for line in text.removesuffix("\n").split("\n")]
    return block("rule", ("number", number), ("salt", own.hex()), *lines)


def standing_commit(salt: bytes, size: int, root: bytes) -> bytes:
    return hashlib.sha256(TOP.encode() + b"standing\n" + salt + f"{size}\n".encode() + root).digest()


def commits_of(secret: bytes, one: Block) -> Commits:
    """What orders in clear are sealed into, by the secret of their seat."""
    orders = order_commit(mac(secret, block("ordersalt", ("rev", one["rev"]))), one.text())
    if one["segment"] != "1":
        return Commits(orders, b"")
    salt, rules = mac(secret, block("standingsalt", ("rev", one["rev"]))), rules_of(one)
    blocks = [rule_block(rule_salt(salt, number), number, text) for number, text in enumerate(rules, 1)]
    return Commits(orders, standing_commit(rule_salt(salt, 0), len(rules), tree_root([*map(leaf_hash, blocks)])))


def salt_block(game: str, one: Block) -> bytes:
    """The block whose secret opens all that a seat has sent for a segment."""
    phase = one["phase"] if one["segment"] == "1" else f"{one['phase']}/{one['segment']}"
    return block("salt", ("game", game), ("phase", phase), ("seat", one["seat"]))


def check_orders(course: Course, board: Board, keys: Keys) -> Sealed:
    """Check every closed list against what was logged, and everything that is opened against both."""
    sealed = open_orders(course, board, keys)
    check_played(course, board, sealed)
    for letter in course.letters:
        check_reader(course, board, letter)
    for _, phase in sorted(course.phases.items()):
        check_revisions(course, board, phase)
        for close in phase.of("close"):
            slate = course.slate(close)
            if slate is not None and phase.opened is not None:
                check_seats(course, board, (phase, close, slate))
                check_opened(course, board, (phase, close, slate), sealed)
    check_given(course, board, sealed)
    return sealed


def open_orders(course: Course, board: Board, keys: Keys) -> Sealed:
    """Everything that is opened by the proof of its secret."""
    sealed = Sealed()
    false: set[str] = set()
    for letter, one in course.parts("orders"):
        key = (letter.game, one["phase"], one.num("segment"), one["seat"], one.num("rev"))
        place = Place(letter.where, letter.game, one["phase"])
        if letter.where in false:
            continue  # one proof that is false is enough
        if not keys.vrfs:
            board.say("own", None, place, "the key of the dice is not known")
            continue
        own = keys.vrf_of(course, Phase(letter.game, one["phase"]))
        secret = keys.secret(salt_block(letter.game, one), bytes.fromhex(one["proof"]), own)
        if not board.say("own", secret is not None, place, "the salt of orders of {} is not proven", one["seat"]):
            false.add(letter.where)
        if secret is None:
            continue
        commits = commits_of(secret, one)
        known = sealed.proven.setdefault(key, set())
        known.add(commits)
        same = len({each.orders for each in known}) == 1  # standing orders may change under one revision
        board.say("own", same, place, "letters open revision {} of {} in two ways", one["rev"], one["seat"])
        sealed.to.add((letter.seat, *key))
        check_bound(course, board, (place, key, commits))
    return sealed


def given(phase: Phase, segment: int, seat: str) -> list[Leaf]:
    """What a seat sent for a segment, as far as it is told."""
    found = phase.of("order") if segment == 1 else phase.of("answer", segment)
    return [leaf for leaf in found if leaf["seat"] == seat]


def commits_in(leaf: Leaf) -> Commits:
    if leaf.kind == "answer":
        return Commits(b64(leaf["commit"]), b"")
    return Commits(b64(leaf["orders"]), b64(leaf["standing"]))


def check_bound(course: Course, board: Board, opened: tuple[Place, Key, Commits]) -> None:
    """Orders in clear are those that were logged, and those that were closed."""
    place, (game, name, segment, seat, rev), commits = opened
    phase = course.phases.get((game, name), Phase(game, name))
    logged = [commits_in(leaf) for leaf in given(phase, segment, seat) if leaf.num("rev") == rev]
    closed = []
    for close in phase.of("close", segment)[:1]:
        slate = course.slate(close)
        at_close = slate.seats.get(seat) if slate else None
        if at_close and at_close[0] == rev:
            closed.append(Commits(*at_close[1:]))
    if not logged and not closed:
        kind = "order" if segment == 1 else "answer"
        known = phase.opened is not None and course.told(game, (kind,), phase.opened.seq, course.history(game)[-1].seq)
        why = "revision {} of {} is neither in the log nor closed"
        board.say("own", False if known else None, place, why, rev, seat)
        return
    same = all(one.orders == commits.orders for one in closed) and (bool(logged) or commits in closed)
    board.say("own", same, place, "what was closed for {} is not revision {}", seat, rev)
    same = all(one.orders == commits.orders for one in logged) and (not logged or commits in [*logged, *closed])
    board.say("own", same, place, "what was logged for {} is not revision {}", seat, rev)


def check_reader(course: Course, board: Board, letter: Letter) -> None:
    """The phase that a letter is about is in the log, and the letter is to one of its seats, or of its game's."""
    place, name = Place(letter.where), letter.head["phase"]
    opens = [leaf for leaf in course.history(letter.game) if leaf.kind == "open" and leaf.known]
    if name != "-":
        board.say("own", (letter.game, name) in course.phases, place, "no leaf is about its phase {}", name)
        opens = [leaf for leaf in opens if leaf["phase"] == name]
    seated = all(letter.seat in leaf["seats"].split(" ") for leaf in opens)
    board.say("own", seated, place, "it is to {}, which is no seat of the phase", letter.seat)


def check_seats(course: Course, board: Board, closed: tuple[Phase, Leaf, Slate]) -> None:
    """Each seat's revision and commitments are those of its last orders, or answers, before the close."""
    phase, close, slate = closed
    place, segment, opened = phase.place, close.num("segment"), phase.opened
    if opened is None:
        return
    kind = "order" if segment == 1 else "answer"
    told = course.told(phase.game, (kind, "deadline"), opened.seq, close.seq)
    if not told:
        board.say("orders", None, place, "leaves between opening and closing are in no letter, or withheld")
    rolled = max((leaf.seq for leaf in phase.of("roll", segment - 1)), default=-1) if segment > 1 else -1
    due = phase.due(close)
    for leaf in phase.of("order") if segment == 1 else phase.of("answer", segment):
        good = rolled < leaf.seq < close.seq
        if kind == "order" and due:
            good &= leaf.num("recv") <= due[-1].num("D")
        board.say("orders", good, place, "{} of {} out of time", kind, leaf["seat"])
    for seat, (rev, *commits) in sorted(slate.seats.items()):
        mine = [leaf for leaf in given(phase, segment, seat) if leaf.seq < close.seq]
        revisions = [leaf.num("rev") for leaf in mine if leaf.num("rev")]
        board.say("orders", revisions == sorted(revisions), place, "the revisions of {} go back", seat)
        check_brought(board, phase, mine)
        if not mine:
            why = "nothing in the log says what was closed for {}"
            board.say("orders", False if told else None, place, why, seat)
            continue
        same = (mine[-1].num("rev"), commits_in(mine[-1])) == (rev, Commits(*commits))
        why = "revision {} of {} is not what was logged last"
        board.say("orders", same or (None if not told else False), place, why, rev, seat)


def check_revisions(course: Course, board: Board, phase: Phase) -> None:
    """The numbers of revisions go into the dice: each is at most one more than what the seat has sent for the phase.

    They go on from one attempt at a phase to the next.
    """
    tries = [other for (game, _), other in course.phases.items() if (game, other.stem) == (phase.game, phase.stem)]
    start = next((other.opened for other in tries if other.attempt == 1), None)
    before = [leaf for other in tries if other.attempt < phase.attempt for leaf in other.leaves]
    highest: dict[str, int] = {}
    for leaf in [*sorted(before, key=lambda leaf: leaf.seq), *phase.leaves]:
        if leaf.kind not in ("order", "answer"):
            continue
        rev, top = leaf.num("rev"), highest.get(leaf["seat"], 0)
        highest[leaf["seat"]] = max(rev, top)
        if rev > top + 1 and leaf in phase.leaves:
            told = start is not None and course.told(phase.game, ("order", "answer"), start.seq, leaf.seq)
            why = "revision {} of {} leaves out numbers, and each number is another roll"
            board.say("orders", False if told else None, phase.place, why, rev, leaf["seat"])


def bots_of(phase: Phase) -> list[str]:
    """The seats for which a program may write in a phase, as its opening says."""
    said = phase.opened["bots"] if phase.opened is not None else "-"
    return [] if said == "-" else [one.split(":")[0] for one in said.split(" ")]


def check_brought(board: Board, phase: Phase, mine: list[Leaf]) -> None:
    """Orders come by a letter, and are taken back by another: nobody else does either.

    A bot's come by none, where the opening of the phase names its seat, and replace no letter's.
    """
    place, bots = phase.place, bots_of(phase)
    orders = [leaf for leaf in mine if leaf.kind == "order"]
    for at, leaf in enumerate(orders):
        by_letter = leaf["eml"] != "-" or leaf["rev"] == "0"
        replaces = at > 0 and orders[at - 1]["eml"] != "-" and orders[at - 1]["rev"] != "0"
        if not by_letter and (replaces or leaf["seat"] not in bots):
            board.say("orders", False, place, "no letter brought revision {} of {}", leaf["rev"], leaf["seat"])
    for before, after in pairwise(orders):
        kept = before["rev"] == "0" or after["rev"] != "0" or after["eml"] not in ("-", before["eml"])
        if not kept:
            board.say("orders", False, place, "no letter took back revision {} of {}", before["rev"], after["seat"])


def check_opened(course: Course, board: Board, closed: tuple[Phase, Leaf, Slate], sealed: Sealed) -> None:
    """What was closed for a seat is opened: to its owner by the result, to everybody when the phase is disclosed."""
    phase, close, slate = closed
    segment, place = close.num("segment"), phase.place
    owners = {
        letter.seat
        for letter in course.letters
        if letter.game == phase.game and any(map(letter.shows, phase.of("result"))) and tells(course, letter, phase)
    }
    for seat, (rev, *commits) in sorted(slate.seats.items()):
        key = (phase.game, phase.name, segment, seat, rev)
        known = Commits(*commits) in sealed.proven.get(key, ())
        if seat in owners:
            why = "the result is told to {}, and not what it was played by"
            board.say("own", known and (seat, *key) in sealed.to, place, why, seat)
        if known:
            board.say("others", True, place, "")
        elif phase.disclosed:
            board.say("others", False, place, "it is disclosed, and what was closed for {} is not opened", seat)
        elif seat not in owners:
            why = "what was closed for {} is sealed until the game is over"
            if commits[0] in sealed.salted.get(key, ()):
                why = "what {} was played by is open; that it was not chosen later is sealed until the game is over"
            board.say("others", None, place, why, seat)


def tells(course: Course, letter: Letter, phase: Phase) -> bool:
    """Whether a letter that shows how a phase came out is the one to open what its seat was played by.

    It is not if it reports on another phase, of which it shows the result as well.
    """
    about = course.phases.get((letter.game, letter.head["phase"]), phase)
    return letter.head["letter"] != "report" or about is phase or not any(map(letter.shows, about.of("result")))


def check_given(course: Course, board: Board, sealed: Sealed) -> None:
    """Whatever the log says that a seat has sent by letter was opened to it: else somebody else wrote it."""
    for letter in course.letters:
        for leaf in letter.leaves if letter.head["letter"] != "disclosure" else ():
            if leaf.kind not in ("order", "answer") or leaf.get("seat") != letter.seat or not leaf.known:
                continue
            phase = course.phases[leaf.game, leaf["phase"]]
            if leaf.get("eml") == "-" and leaf["rev"] != "0":
                why = "leaf {} says that a bot wrote in your place: whether you were away you alone know"
                board.say("own", None, phase.place, why, leaf.seq)
            if leaf.get("eml") == "-" or (leaf.kind == "answer" and leaf["rev"] == "0"):
                continue  # it was silent
            segment = 1 if leaf.kind == "order" else leaf.num("segment")
            key = (letter.seat, leaf.game, leaf["phase"], segment, letter.seat, leaf.num("rev"))
            place = Place(letter.where, leaf.game, leaf["phase"])
            why = "leaf {} says you sent what no letter opens to you"
            board.say("own", key in sealed.to, place, why, leaf.seq)
            if leaf["rev"] == "0" and any(
                one.num("rev") and one.seq < leaf.seq for one in given(phase, 1, letter.seat)
            ):
                why = "leaf {} says that a letter of yours took your orders back: whether you sent it you alone know"
                board.say("own", None, phase.place, why, leaf.seq)


def check_played(course: Course, board: Board, sealed: Sealed) -> None:
    """Orders and standing orders that are opened after a phase are those that were closed for it."""
    for letter, one in [*course.parts("played"), *course.parts("fired")]:
        place = Place(letter.where, letter.game, one["phase"])
        phase = course.phases.get((letter.game, one["phase"]), Phase(letter.game, one["phase"]))
        segment = one.num("segment") if one.kind == "played" else 1
        slates = [course.slate(close) for close in phase.of("close", segment)]
        found = [slate.seats.get(one["seat"]) for slate in slates if slate is not None]
        if not found:
            known = not phase.leaves or all_told(course, phase)
            why = "the list that {} was closed in is in no letter"
            board.say("opened", False if known and not slates else None, place, why, one["seat"])
            continue
        salt = bytes.fromhex(one["salt"])
        commit = order_commit(salt, one.text()) if one.kind == "played" else led_to(salt, one)
        at_close = [(rev, seat[0] if one.kind == "played" else seat[1]) for rev, *seat in filter(None, found)]
        same = (one.num("rev"), commit) in at_close
        board.say("opened", same, place, "what {} is said to have been played by is not what was closed", one["seat"])
        if same and one.kind == "played":
            key = (letter.game, one["phase"], segment, one["seat"], one.num("rev"))
            sealed.salted.setdefault(key, set()).add(commit)


def all_told(course: Course, phase: Phase) -> bool:
    """Whether no leaf of a phase is missing, from its opening to its result."""
    results = phase.of("result")
    return bool(results) and phase.opened is not None and course.gapless(phase.game, phase.opened.seq, results[-1].seq)


def led_to(salt: bytes, one: Block) -> bytes:
    """The commitment that a standing order and its path lead to; nothing if they lead to none."""
    number, size = one.num("number"), one.num("size")
    got = leaf_hash(rule_block(bytes.fromhex(one["own"]), number, one.text()))
    root = root_by(got, number - 1, size, [b64(value) for value in one.all("hash")])
    return standing_commit(salt, size, root) if root is not None else b""
