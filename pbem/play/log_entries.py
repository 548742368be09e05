"""What a game leaves in the log, act by act, in the transactions of the acts themselves.

A phase is opened with its closing time and the sealed state; orders are sealed as they come, with the standing orders
in force; the list is closed, the dice are proven, the result is sealed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import beacon, blocks, rolls, sealing
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import encode64
from pbem.audit.rolls import NumberedRoll
from pbem.engine.data.canon import dumps, loads
from pbem.engine.game import hides
from pbem.engine.run.steps import MORE, Rolled
from pbem.letters import outbox
from pbem.log import closing_times, keyring, sequencer
from pbem.log.closing_times import second
from pbem.log.sequencer import AtHand
from pbem.mail import seen
from pbem.mail.seen import Seen
from pbem.play import adjudication, deadlines, history, war_progress
from pbem.play.adjudication import AfterLetter, ClosedOrders, Resolution, SeatAnswers, Waiting, commitment_of
from pbem.play.positions import Position, last_moment
from pbem.runtime.bot_versions import bot_version, bots_in
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

# What seats are played by, sealed in the log: orders with the standing orders in force, and answers.


NO_LETTER = ("-", "0")
"""What is said of orders that no letter brought: those of a seat that was silent."""


def orders_of(revision: int, opens: str) -> ClosedOrders:
    """The orders that a leaf has sealed, by what is kept with it."""
    text, rules = loads(opens)
    return ClosedOrders(revision, text, tuple(rules))


class Seal(NamedTuple):
    """Seals orders of a phase in the log, at a moment."""

    work: Transaction
    game: tables.Game
    phase: str

    def __call__(self, known: AtHand, seat: str, orders: ClosedOrders, came: tuple[str, str]) -> AtHand:
        """Log what a seat would be played by, unless that is what was logged last; what is known then.

        `came` are the digest of the letter and the second in which it came.
        """
        secret, game = keyring.secret_of(self.work, self.game), self.game.id
        sealed = commitment_of(secret, sealing.salt(game=game, phase=self.phase, seat=seat), orders)
        says = (
            ("phase", self.phase),
            ("seat", seat),
            ("rev", str(sealed.revision)),
            ("orders", encode64(sealed.orders)),
            ("standing", encode64(sealed.standing)),
        )
        last = known.newest("order", seat=seat)
        if last is not None and all(last(key) == value for key, value in says):
            return known
        by, opens = (("eml", came[0]), ("recv", came[1])), dumps([orders.text, list(orders.standing)])
        row = sequencer.append(self.work, sequencer.Note("order", (*says, *by), game, opens), after=known.rows[-1])
        return known.with_rows(row)


def seal_answers(work: Transaction, row: tables.Phase, segment: int, seat: str, answers: SeatAnswers) -> None:
    """Seal what a seat has answered, unless that is what was logged last."""
    game, phase = row.game_id, str(outbox.phase_of(row))
    secret = keyring.secret_of(work, work.session.get_one(tables.Game, game))
    sealed = commitment_of(secret, sealing.salt(game=game, phase=f"{phase}/{segment}", seat=seat), answers)
    says = (
        ("phase", phase),
        ("segment", str(segment)),
        ("seat", seat),
        ("rev", str(sealed.revision)),
        ("commit", encode64(sealed.orders)),
    )
    known = sequencer.at_hand(work.session, game, phase)
    last = known.newest("answer", seat=seat)
    if last is None or not all(last(key) == value for key, value in says):
        sequencer.append(work, sequencer.Note("answer", says, game, answers.text), after=known.rows[-1])


def note_opening(work: Transaction, here: Position, phase: tables.Phase) -> None:
    """A phase is open: until when, for whom, on which state."""
    name, game = str(outbox.phase_of(phase)), here.game
    state = dumps(here.rules.encode(here.state))
    closes = last_moment(game, phase) if here.active else work.now
    terms = Terms.read(game.terms)
    chain = beacon.CHAINS[terms.beacon]
    says = (
        ("phase", name),
        ("D", str(second(closes))),
        ("delta", str(terms.delta if chain != "none" else 0)),
        ("chain", chain),
        ("round", str(closing_times.round_of(chain, second(closes) + terms.delta))),
        ("edition", here.edition.digest),
        ("state", sealing.blinded_by(keyring.secret_of(work, game), game=game.id, phase=name, text=state)),
        ("seats", " ".join(sorted(seat.name for seat in queries.games.seats(work.session, game.id)))),
        ("system", game.system),
        ("pace", "activation" if terms.pace == ACTIVATION else "phase"),
        ("opened", terms.opened),
        ("bots", _bots(work, here, phase)),
        ("ruling", str(queries.phases.opened_anew_by(work.session, phase) or "-")),
    )
    sequencer.append(work, sequencer.Note("open", says, game.id, state))


def note_war(work: Transaction, game: tables.Game, war: str, terms: str) -> None:
    """K0 Log before anything else of its first game that a war begins, and the digest of what all of it goes by."""
    sequencer.append(work, sequencer.Note("war", (("war", war), ("terms", terms)), game.id))


def note_link(work: Transaction, game: tables.Game, war: str, before: str) -> None:
    """K0 A game of a war goes on from another: which leaf was the last of that one, before anything of this one is."""
    last = hot_statements.last_leaf(work.session, before)
    if last is None:
        raise LookupError(f"nothing of the game {before} is in the log")
    says = (("war", war), ("after", before), ("seq", str(last.seq)), ("leaf", leaf_hash(last.body).hex()))
    sequencer.append(work, sequencer.Note("link", says, game.id))


def _bots(work: Transaction, here: Position, phase: tables.Phase) -> str:
    """The seats that bots hold or may write for, each with its bot and its version; ``-`` if none does."""
    held = {seat.name: seat.bot for seat in queries.games.seats(work.session, here.game.id) if seat.bot}
    held |= deadlines.stood_in(work.session, here.game, here.active, phase.deadline)
    version = f"/{bot_version(here.rules)}".rstrip("/") if held else ""
    return " ".join(f"{seat}:{bot}{version}" for seat, bot in sorted(held.items())) or "-"


def bots_of(work: Transaction, phase: tables.Phase) -> dict[str, str]:
    """The seats that bots hold or may write for, each with its bot, as the opening of the phase has them."""
    known = sequencer.at_hand(work.session, phase.game_id, str(outbox.phase_of(phase)))
    opened = known.newest("open")
    said = opened("bots") if opened is not None else "-"
    return {seat: bot.name for seat, bot in bots_in(said).items()}


class CarriedOut(NamedTuple):
    """A letter that was carried out in an open phase: its row and its seat, and what the seat wants by now.

    `queued` are its orders, `in_force` its standing orders if the letter changed them; `going` if it said GO.
    """

    inbox: tables.Inbox
    seat: tables.Seat
    queued: tables.QueuedOrders | None
    in_force: Sequence[str] | None
    going: bool


def note_orders(work: Transaction, here: Position, phase: tables.Phase, letter: CarriedOut) -> None:
    """Log a letter that was carried out, if it changed what its seat would be played by or when the phase closes.

    Both are looked up by one statement and written by another.
    """
    if here.begun:
        _note_letter(work, phase, letter)
        return
    seat, game = letter.seat, here.game
    orders = _closed_now(work, here, seat, letter.queued, letter.in_force)
    came = second(letter.inbox.internaldate)
    name = str(outbox.phase_of(phase))
    known = sequencer.at_hand(work.session, game.id, name, work.server.caches.noted)
    before = known.newest("order", seat=seat.name)
    if before is not None or orders != ClosedOrders():
        seal = Seal(work, game, name)
        known = seal(known, seat.name, orders, (letter.inbox.sha256, str(came)))
    if known.closes is not None and not here.by_letter:
        to, cause = _after_all(known, second(known.closes)), "go" if letter.going else "all-in"
        closing_times.note_moved(work, known, game.id, closing_times.Closing(name, to, cause))


def _note_letter(work: Transaction, phase: tables.Phase, letter: CarriedOut) -> None:
    """Log a letter of orders in a phase that carries letters out one by one: it is sealed as an answer.

    That a letter was taken back is logged when the list is closed: only then it is known what takes its place.
    """
    queued = letter.queued
    if queued is not None:
        segment, window = history.next_window(work.session, phase)
        answers = SeatAnswers(queued.revision, ((window, (MORE,)),), queued.sealed)
        seal_answers(work, phase, segment, letter.seat.name, answers)


def note_early_orders(work: Transaction, here: Position, phase: tables.Phase, seats: Iterable[tables.Seat]) -> None:
    """Log the orders that these seats wrote before the phase opened, sealed under the letters that brought them.

    If the phase closes earlier because of them, that is logged too.
    """
    name = str(outbox.phase_of(phase))
    known, seal = sequencer.at_hand(work.session, here.game.id, name), Seal(work, here.game, name)
    queued = queries.orders.queued_by_seat(work.session, phase)
    for seat in seats:
        row = queued[seat.id or 0]
        letter = None if row.inbox_id is None else work.session.get_one(tables.Inbox, row.inbox_id)
        came = NO_LETTER if letter is None else (letter.sha256, str(second(letter.internaldate)))
        known = seal(known, seat.name, _closed_now(work, here, seat, row), came)
    if known.closes is not None and not here.by_letter:
        closing_times.note_moved(work, known, here.game.id, closing_times.Closing(name, second(known.closes), "all-in"))


def _closed_now(
    work: Transaction,
    here: Position,
    seat: tables.Seat,
    queued: tables.QueuedOrders | None,
    in_force: Sequence[str] | None = None,
) -> ClosedOrders:
    """What a seat with these orders queued would be played by if the phase closed now.

    Its standing orders are looked up if they are not given.
    """
    standing = queries.orders.standing_texts(work.session, seat) if in_force is None else in_force
    rules, _ = adjudication.in_force(here.rules, here.state, seat.name, standing)
    return ClosedOrders(queued.revision, queued.sealed, rules) if queued else ClosedOrders(0, "", rules)


def note_closing(work: Transaction, here: Position, phase: tables.Phase, closed: Mapping[str, ClosedOrders]) -> None:
    """The phase closes: what every seat is played by is sealed, unless it is by now; it is said if it closes early."""
    game = here.game
    name = str(outbox.phase_of(phase))
    known, seal = sequencer.at_hand(work.session, game.id, name), Seal(work, game, name)
    for seat, orders in sorted(closed.items()):
        last = known.newest("order", seat=seat)
        known = seal(known, seat, orders, NO_LETTER if last is None else (last("eml"), last("recv")))
    said, to = known.newest("open", "deadline"), _after_all(known, second(work.now))
    # Where letters are carried out one by one a list is closed with each, and the phase at its time.
    if said is not None and said.number("D") > to and not here.by_letter:
        closing_times.note_moved(work, known, game.id, closing_times.Closing(name, to, "moderator"))


def _after_all(known: AtHand, to: int) -> int:
    """A closing time, but not before any letter of orders: what was taken before the phase closed was in time."""
    return max(to, known.latest)


def note_answer(work: Transaction, segment: tables.Segment, phase: tables.Phase, seat: tables.Seat) -> None:
    """An answer came: what the seat says by now to all that it is asked is sealed."""
    answers = history.answers(work.session, segment)[seat.name]
    seal_answers(work, phase, segment.number + 1, seat.name, answers)


def note_disclosure(work: Transaction, game: tables.Game) -> None:
    """The game is over: every phase of it is opened, unless its war keeps it sealed."""
    if war_progress.keeps_sealed(work, game):
        return
    rows = queries.log.leaves(work.session, game.id, "open", "disclose")
    done = {row.phase for row in rows if row.kind == "disclose"}
    for phase in dict.fromkeys(row.phase for row in rows):
        if phase not in done:
            sequencer.append(work, sequencer.Note("disclose", (("phase", phase),), game.id))


def note_ruling(work: Transaction, game: tables.Game, row: tables.Ruling, text: str) -> None:
    """The moderator has ruled: number, line and reason, as everybody is told them; nothing before the game began.

    Where `text` is not the whole line, what all are told seals that too, until the phase is disclosed.
    """
    last = hot_statements.last_leaf(work.session, game.id)
    if last is not None:
        what = {"line": text, "number": row.number, "reason": row.reason}
        if text != row.line:
            secret = keyring.secret_of(work, game)
            what["whole"] = sealing.blinded_by(secret, game=game.id, phase=last.phase, text=row.line)
        told, number = dumps(what), str(row.number)
        says = (("phase", last.phase), ("number", number), ("text", f"sha256:{blocks.sha256_hex(told.encode())}"))
        sequencer.append(work, sequencer.Note("ruling", says, game.id, told), after=last)


class Change(NamedTuple):
    """By which ruling a list waits for another chain's round, or with the chain ``none`` for none."""

    ruling: int
    chain: str
    round: int


def note_beacon_change(work: Transaction, phase: tables.Phase, segment: int, change: Change) -> None:
    """A closed list is to wait for another round than it was closed for."""
    says = (
        ("phase", str(outbox.phase_of(phase))),
        ("segment", str(segment)),
        ("ruling", str(change.ruling)),
        ("chain", change.chain),
        ("round", str(change.round)),
    )
    sequencer.append(work, sequencer.Note("beacon-change", says, phase.game_id))


def note_slates(work: Transaction, here: Position, phase: tables.Phase, slates: Sequence[bytes]) -> None:
    """Lists are closed: the answers that the later ones hold, and the lists, as far as they are not in the log yet."""
    game, name, came = here.game, str(outbox.phase_of(phase)), history.pauses(work.session, phase)
    done = len(queries.log.leaves(work.session, game.id, "close", phase=name))
    for segment, slate in enumerate(slates[done:], done + 1):
        read = rolls.parse_slate(slate)
        for seat in sorted(read.seats) if segment > 1 else ():
            seal_answers(work, phase, segment, seat, came[segment - 2].get(seat, SeatAnswers()))
        at = (("phase", name), ("segment", str(segment)), ("groups", " ".join(read.groups)))
        shown = _trees_shown(work.session, phase) if segment == 1 else "-"
        closes = (*at, ("slate", blocks.sha256_hex(slate)), ("seen", shown))
        sequencer.append(work, sequencer.Note("close", closes, game.id, slate.decode("utf-8")))


def _trees_shown(session: Session, phase: tables.Phase) -> str:
    """Which tree of the log each seat was shown last, by what its letters of orders for the phase sent back."""
    found: dict[str, Seen] = {}
    for seat, raw in queries.orders.letters_of_orders(session, phase):
        told = seen.read(raw)
        if told is not None:
            found[seat] = max(told, found.get(seat, told))
    return " ".join(f"{seat}:{told.size}:{told.root.hex()}" for seat, told in sorted(found.items())) or "-"


def note_rolls(
    work: Transaction,
    here: Position,
    phase: tables.Phase,
    found: Resolution | Waiting | AfterLetter,
    values: Sequence[bytes | None],
) -> None:
    """The segments that are over by now: answers, the closed list, the proof of its dice, and what was rolled.

    `values` are what the beacon said for each, if the game has one.
    """
    game = here.game
    name = str(outbox.phase_of(phase))
    done = len(queries.log.leaves(work.session, game.id, "roll", phase=name))
    for segment, slate in enumerate(found.slates[done:], done + 1):
        note_slates(work, here, phase, found.slates[:segment])
        at = (("phase", name), ("segment", str(segment)), ("groups", "all"))
        value = values[segment - 1] if values else None
        manifest = _manifest(game, name, segment, "all", found.segment_rolls)
        called = closing_times.board_in(slate)
        own = keyring.prove_of(work, here.game.id)
        proof = closing_times.deal_board(work, called, value) if called else own(blocks.alpha(slate, value))
        told = _says_of(work, here, name, manifest)
        # Whoever has the proof can try labels that name what not everybody may know.
        shown = blocks.sha256_hex(proof) if hides(here.rules, here.state) else proof.hex()
        says = (*at, ("sig", value.hex() if value else "none"), ("group", f"all {shown}"), ("manifest", told))
        sequencer.append(work, sequencer.Note("roll", says, game.id, manifest))


def _manifest(game: tables.Game, phase: str, segment: int, group: str, made: Sequence[tuple[int, Rolled]]) -> str:
    """The list of what was rolled in a segment."""
    listed = [NumberedRoll(number, *roll) for number, (of, roll) in enumerate(made, 1) if of == segment]
    return rolls.manifest(game=game.id, phase=phase, segment=segment, group=group, rolls=listed).decode("utf-8")


def _says_of(work: Transaction, here: Position, phase: str, manifest: str) -> str:
    """What a leaf says of a manifest: labels may name what not everybody may know."""
    if hides(here.rules, here.state):
        return sealing.blinded_by(keyring.secret_of(work, here.game), game=here.game.id, phase=phase, text=manifest)
    return f"sha256:{blocks.sha256_hex(manifest.encode('utf-8'))}"


def note_result(work: Transaction, here: Position, phase: tables.Phase, done: Resolution, after: str) -> None:
    """The phase is resolved: the state after it and what happened, of which all reports are made, are sealed."""
    name, secret = str(outbox.phase_of(phase)), keyring.secret_of(work, here.game)
    told = dumps([happened.to_json() for happened in done.events])
    sealed = [sealing.blinded_by(secret, game=here.game.id, phase=name, text=text) for text in (after, told)]
    says = (("phase", name), ("state", sealed[0]), ("report", sealed[1]))
    sequencer.append(work, sequencer.Note("result", says, here.game.id, after))


def note_again(work: Transaction, here: Position, phase: tables.Phase, done: Resolution, ruling: int) -> None:
    """A ruling has a phase resolved once more: from which state, what is rolled then, and how it comes out.

    `here` is the position that it begins from, `phase` its row as it is resolved now.
    """
    game = here.game
    name, secret = str(outbox.phase_of(phase)), keyring.secret_of(work, game)
    known = [row.kind for row in queries.log.leaves(work.session, game.id, "roll", "result", phase=name)]
    run, segments = 1 + known.count("result"), range(1, known.count("roll") + 1)
    listed = [_manifest(game, name, segment, f"all~{run}", done.segment_rolls) for segment in segments]
    begun = dumps(here.rules.encode(here.state))
    says = (
        ("phase", name),
        ("run", str(run)),
        ("ruling", str(ruling)),
        ("state", sealing.blinded_by(secret, game=game.id, phase=name, text=begun)),
        ("manifest", " ".join(_says_of(work, here, name, manifest) for manifest in listed)),
    )
    sequencer.append(work, sequencer.Note("again", says, game.id, dumps([begun, *listed])))
    note_result(work, here, phase, done, dumps(here.rules.encode(done.states[-1])))
