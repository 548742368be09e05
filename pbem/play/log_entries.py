"""Log the events of a game, in the transactions of the events themselves.

A phase is opened with its closing time and the sealed state; orders are sealed as they come, with the
standing orders in force; the list is closed, the dice are proven, the result is sealed.
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
from pbem.engine.game import has_secrets
from pbem.engine.run.steps import MORE, Rolled
from pbem.letters import outbox
from pbem.log import closing_times, keyring, sequencer
from pbem.log.closing_times import second
from pbem.log.sequencer import PhaseLeaves
from pbem.mail import seen
from pbem.mail.seen import ShownTree
from pbem.play import adjudication, deadlines, history, war_progress
from pbem.play.adjudication import ClosedOrders, LetterResult, PausedPhase, Resolution, SeatAnswers, commitment_of
from pbem.play.positions import Position, last_moment
from pbem.runtime.bot_versions import bot_version, bots_of_opening
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

# Orders in the log, sealed: orders with the standing orders in force, and answers.


NO_LETTER = ("-", "0")
"""Digest and moment of the letter of orders that had none: those of a silent seat."""


def closed_orders_from_opening(revision: int, opens: str) -> ClosedOrders:
    """Return the orders that a leaf has sealed, from its stored opening."""
    text, rules = loads(opens)
    return ClosedOrders(revision, text, tuple(rules))


class PhaseSealer(NamedTuple):
    """A function object that drafts the leaves that seal orders of a phase."""

    work: Transaction
    game: tables.Game
    phase: str

    def __call__(self, known: PhaseLeaves, seat: str, orders: ClosedOrders, came: tuple[str, str]) -> PhaseLeaves:
        """Draft a seat's leaf, unless its orders were logged last; return all known.

        `came` are the digest of the letter and the second in which it came.
        """
        secret, game = keyring.secret_of(self.work, self.game), self.game.id
        sealed = commitment_of(secret, sealing.salt_block(game=game, phase=self.phase, seat=seat), orders)
        values = (
            ("phase", self.phase),
            ("seat", seat),
            ("rev", str(sealed.revision)),
            ("orders", encode64(sealed.orders)),
            ("standing", encode64(sealed.standing)),
        )
        latest = known.newest("order", seat=seat)
        if latest is not None and all(latest(key) == value for key, value in values):
            return known
        received, opening = (("eml", came[0]), ("recv", came[1])), dumps([orders.text, list(orders.standing)])
        return sequencer.draft(self.work, sequencer.Note("order", (*values, *received), game, opening), known)


def commit_to_answers(tx: Transaction, row: tables.Phase, segment: int, seat: str, answers: SeatAnswers) -> None:
    """Seal a seat's answers, unless they equal the last logged."""
    game, phase = row.game_id, str(outbox.phase_of(row))
    secret = keyring.secret_of(tx, tx.session.get_one(tables.Game, game))
    sealed = commitment_of(secret, sealing.salt_block(game=game, phase=f"{phase}/{segment}", seat=seat), answers)
    values = (
        ("phase", phase),
        ("segment", str(segment)),
        ("seat", seat),
        ("rev", str(sealed.revision)),
        ("commit", encode64(sealed.orders)),
    )
    known = sequencer.phase_leaves(tx.session, game, phase)
    latest = known.newest("answer", seat=seat)
    if latest is None or not all(latest(key) == value for key, value in values):
        sequencer.append(tx, sequencer.Note("answer", values, game, answers.text), after=known.rows[-1])


def record_opening(tx: Transaction, position: Position, phase: tables.Phase) -> None:
    """Log an opened phase: its closing time, its seats, and its state."""
    name, game = str(outbox.phase_of(phase)), position.game
    state = tx.server.text_of(game, position.state)
    closing = last_moment(game, phase) if position.active else tx.now
    terms = Terms.read(game.terms)
    chain = beacon.CHAINS_OF_TERMS[terms.beacon]
    values = (
        ("phase", name),
        ("D", str(second(closing))),
        ("delta", str(terms.delta if chain != "none" else 0)),
        ("chain", chain),
        ("round", str(closing_times.round_of(chain, second(closing) + terms.delta))),
        ("edition", position.edition.digest),
        ("state", sealing.blind_in_phase(keyring.secret_of(tx, game), game=game.id, phase=name, text=state)),
        ("seats", " ".join(sorted(seat.name for seat in queries.games.seats(tx.session, game.id)))),
        ("system", game.system),
        ("pace", "activation" if terms.pace == ACTIVATION_PACE else "phase"),
        ("opened", terms.opened),
        ("bots", _bots(tx, position, phase)),
        ("ruling", str(queries.phases.ruling_of_attempt(tx.session, phase) or "-")),
    )
    sequencer.append(tx, sequencer.Note("open", values, game.id, state))


def record_war(tx: Transaction, game: tables.Game, war: str, terms: str) -> None:
    """K0 Log that a war begins, and the digest of its terms.

    It comes before anything else of its first game.
    """
    sequencer.append(tx, sequencer.Note("war", (("war", war), ("terms", terms)), game.id))


def record_link_to_war(tx: Transaction, game: tables.Game, war: str, before: str) -> None:
    """K0 Log that a game of a war continues another, with the last leaf of that one.

    It comes before anything else of this game.
    """
    leaf = hot_statements.last_leaf(tx.session, before)
    if leaf is None:
        raise LookupError(f"nothing of the game {before} is in the log")
    values = (("war", war), ("after", before), ("seq", str(leaf.seq)), ("leaf", leaf_hash(leaf.body).hex()))
    sequencer.append(tx, sequencer.Note("link", values, game.id))


def _bots(tx: Transaction, position: Position, phase: tables.Phase) -> str:
    """Return the seats that bots may write for, with bot and version; or ``-``."""
    bots_by_seat = {seat.name: seat.bot for seat in queries.games.seats(tx.session, position.game.id) if seat.bot}
    bots_by_seat |= deadlines.seats_played_by_stand_in(tx.session, position.game, position.active, phase.deadline)
    version = f"/{bot_version(position.rules)}".rstrip("/") if bots_by_seat else ""
    return " ".join(f"{seat}:{bot}{version}" for seat, bot in sorted(bots_by_seat.items())) or "-"


def bots_of(tx: Transaction, phase: tables.Phase) -> dict[str, str]:
    """Return the seats that bots may write for, as logged when the phase opened."""
    known = sequencer.phase_leaves(tx.session, phase.game_id, str(outbox.phase_of(phase)))
    opening = known.newest("open")
    bots_text = opening("bots") if opening is not None else "-"
    return {seat: bot.name for seat, bot in bots_of_opening(bots_text).items()}


class ExecutedLetter(NamedTuple):
    """A letter executed in an open phase: its row, seat, and the seat's orders.

    `queued` are its orders, `in_force` its standing orders if the letter changed them; `going` is whether it said
    GO.
    """

    inbox: tables.Inbox
    seat: tables.Seat
    queued: tables.QueuedOrders | None
    in_force: Sequence[str] | None
    going: bool


def record_orders(tx: Transaction, position: Position, phase: tables.Phase, letter: ExecutedLetter) -> None:
    """Log an executed letter if it changed the seat's orders or the closing.

    Orders and closing are read in one statement and written in another.
    """
    if position.begun:
        _note_letter(tx, phase, letter)
        return
    seat, game = letter.seat, position.game
    orders = _orders_if_closed(tx, position, seat, letter.queued, letter.in_force)
    received = second(letter.inbox.internaldate)
    name = str(outbox.phase_of(phase))
    known = sequencer.phase_leaves(tx.session, game.id, name, tx.server.caches.noted)
    latest = known.newest("order", seat=seat.name)
    if latest is not None or orders != ClosedOrders():
        seal = PhaseSealer(tx, game, name)
        known = seal(known, seat.name, orders, (letter.inbox.sha256, str(received)))
    if known.closes is not None and not position.by_letter:
        closing, cause = _not_before_orders(known, second(known.closes)), "go" if letter.going else "all-in"
        closing_times.write_moved(tx, known, game.id, closing_times.Closing(name, closing, cause))
    else:
        sequencer.write_drafts(tx, game.id, known)


def _note_letter(tx: Transaction, phase: tables.Phase, letter: ExecutedLetter) -> None:
    """Log a letter of orders in a phase at letter pace: it is sealed as an answer.

    Cancelling a letter is logged when the orders are closed: only then its replacement is known.
    """
    queued = letter.queued
    if queued is not None:
        segment, window = history.next_window(tx.session, phase)
        answers = SeatAnswers(queued.revision, ((window, (MORE,)),), queued.sealed_text)
        commit_to_answers(tx, phase, segment, letter.seat.name, answers)


def record_early_orders(tx: Transaction, position: Position, phase: tables.Phase, seats: Iterable[tables.Seat]) -> None:
    """Log orders written before the phase opened, sealed under their letters.

    If the phase closes earlier because of them, that is logged too.
    """
    name = str(outbox.phase_of(phase))
    known, seal = sequencer.phase_leaves(tx.session, position.game.id, name), PhaseSealer(tx, position.game, name)
    queued = queries.orders.queued_by_seat(tx.session, phase)
    for seat in seats:
        row = queued[seat.id or 0]
        letter = None if row.inbox_id is None else tx.session.get_one(tables.Inbox, row.inbox_id)
        received = NO_LETTER if letter is None else (letter.sha256, str(second(letter.internaldate)))
        known = seal(known, seat.name, _orders_if_closed(tx, position, seat, row), received)
    if known.closes is not None and not position.by_letter:
        closing_times.write_moved(
            tx, known, position.game.id, closing_times.Closing(name, second(known.closes), "all-in")
        )
    else:
        sequencer.write_drafts(tx, position.game.id, known)


def _orders_if_closed(
    tx: Transaction,
    position: Position,
    seat: tables.Seat,
    queued: tables.QueuedOrders | None,
    in_force: Sequence[str] | None = None,
) -> ClosedOrders:
    """Return a seat's orders as they would count if the phase closed now.

    Its standing orders are looked up if they are not given.
    """
    standing = queries.orders.standing_texts(tx.session, seat) if in_force is None else in_force
    rules, _ = adjudication.readable_standing_orders(position.rules, position.state, seat.name, standing)
    return ClosedOrders(queued.revision, queued.sealed_text, rules) if queued else ClosedOrders(0, "", rules)


def record_closing(
    tx: Transaction, position: Position, phase: tables.Phase, closed: Mapping[str, ClosedOrders]
) -> None:
    """Log that the phase closes: seal orders not sealed yet, and an early closing."""
    game = position.game
    name = str(outbox.phase_of(phase))
    known, seal = sequencer.phase_leaves(tx.session, game.id, name), PhaseSealer(tx, game, name)
    for seat, orders in sorted(closed.items()):
        latest = known.newest("order", seat=seat)
        known = seal(known, seat, orders, NO_LETTER if latest is None else (latest("eml"), latest("recv")))
    planned, closing = known.newest("open", "deadline"), _not_before_orders(known, second(tx.now))
    # At letter pace orders are closed with each letter, and the phase at its time.
    if planned is not None and planned.number("D") > closing and not position.by_letter:
        closing_times.write_moved(tx, known, game.id, closing_times.Closing(name, closing, "moderator"))
    else:
        sequencer.write_drafts(tx, game.id, known)


def _not_before_orders(known: PhaseLeaves, closing: int) -> int:
    """Return a closing time, but not one before any letter of orders.

    Orders accepted before the phase closed were in time.
    """
    return max(closing, known.latest)


def record_answer(tx: Transaction, segment: tables.Segment, phase: tables.Phase, seat: tables.Seat) -> None:
    """Log a seat's present answers to all its questions, sealed."""
    answers = history.answers_of_segment(tx.session, segment)[seat.name]
    commit_to_answers(tx, phase, segment.number + 1, seat.name, answers)


def record_disclosure(tx: Transaction, game: tables.Game) -> None:
    """Log an ended game's phases as opened, unless its war keeps them sealed."""
    if war_progress.keeps_sealed(tx, game):
        return
    rows = queries.log.leaves(tx.session, game.id, "open", "disclose")
    disclosed = {row.phase for row in rows if row.kind == "disclose"}
    for phase in dict.fromkeys(row.phase for row in rows):
        if phase not in disclosed:
            sequencer.append(tx, sequencer.Note("disclose", (("phase", phase),), game.id))


def record_ruling(tx: Transaction, game: tables.Game, row: tables.Ruling, text: str) -> None:
    """Log a ruling: number, line and reason; nothing before the game began.

    If `text` is only a part of the line, the public block also seals the whole line, until the phase is disclosed.
    """
    leaf = hot_statements.last_leaf(tx.session, game.id)
    if leaf is not None:
        content = {"line": text, "number": row.number, "reason": row.reason}
        if text != row.line:
            secret = keyring.secret_of(tx, game)
            content["whole"] = sealing.blind_in_phase(secret, game=game.id, phase=leaf.phase, text=row.line)
        block, number = dumps(content), str(row.number)
        values = (("phase", leaf.phase), ("number", number), ("text", f"sha256:{blocks.sha256_hex(block.encode())}"))
        sequencer.append(tx, sequencer.Note("ruling", values, game.id, block), after=leaf)


class BeaconChange(NamedTuple):
    """A ruling by which closed orders wait for another chain's round.

    The chain is ``none`` if they wait for no round.
    """

    ruling: int
    chain: str
    round: int


def record_beacon_change(tx: Transaction, phase: tables.Phase, segment: int, change: BeaconChange) -> None:
    """Log that closed orders wait for another round than they were closed for."""
    values = (
        ("phase", str(outbox.phase_of(phase))),
        ("segment", str(segment)),
        ("ruling", str(change.ruling)),
        ("chain", change.chain),
        ("round", str(change.round)),
    )
    sequencer.append(tx, sequencer.Note("beacon-change", values, phase.game_id))


def record_closed_orders(tx: Transaction, position: Position, phase: tables.Phase, slates: Sequence[bytes]) -> None:
    """Log closed orders and their answers, as far as not in the log yet."""
    game, name, answers = position.game, str(outbox.phase_of(phase)), history.answers_of_pauses(tx.session, phase)
    logged = hot_statements.leaf_kinds(tx.session, game.id, name).count("close")
    for segment, slate in enumerate(slates[logged:], logged + 1):
        parsed = rolls.parse_closed_orders(slate)
        for seat in sorted(parsed.seats) if segment > 1 else ():
            commit_to_answers(tx, phase, segment, seat, answers[segment - 2].get(seat, SeatAnswers()))
        place = (("phase", name), ("segment", str(segment)), ("groups", " ".join(parsed.groups)))
        trees = _trees_shown(tx.session, phase) if segment == 1 else "-"
        closes = (*place, ("slate", blocks.sha256_hex(slate)), ("seen", trees))
        sequencer.append(tx, sequencer.Note("close", closes, game.id, slate.decode("utf-8")))


def _trees_shown(session: Session, phase: tables.Phase) -> str:
    """Return the newest tree of the log that each seat was shown.

    It comes from the seats' letters of orders for the phase.
    """
    newest: dict[str, ShownTree] = {}
    for seat, raw in queries.orders.letters_of_orders(session, phase):
        tree = seen.newest_shown_tree(raw)
        if tree is not None:
            newest[seat] = max(tree, newest.get(seat, tree))
    return (
        " ".join(f"{seat}:{seat_tree.size}:{seat_tree.root.hex()}" for seat, seat_tree in sorted(newest.items())) or "-"
    )


def record_rolls(
    tx: Transaction,
    position: Position,
    phase: tables.Phase,
    outcome: Resolution | PausedPhase | LetterResult,
    values: Sequence[bytes | None],
) -> None:
    """Log completed segments: answers, closed orders, proofs of dice, and rolls.

    `values` are the beacon's values for each segment, if the game has a beacon.
    """
    game = position.game
    name = str(outbox.phase_of(phase))
    logged = hot_statements.leaf_kinds(tx.session, game.id, name).count("roll")
    for segment, slate in enumerate(outcome.slates[logged:], logged + 1):
        record_closed_orders(tx, position, phase, outcome.slates[:segment])
        place = (("phase", name), ("segment", str(segment)), ("groups", "all"))
        value = values[segment - 1] if values else None
        manifest = _manifest(game, name, segment, "all", outcome.segment_rolls)
        board = closing_times.board_of_closed_orders(slate)
        prove = keyring.prove_of(tx, position.game.id)
        proof = closing_times.deal_board(tx, board, value) if board else prove(blocks.vrf_input(slate, value))
        manifest_value = _manifest_value(tx, position, name, manifest)
        # With the proof, labels with secret content could be guessed.
        proof_value = blocks.sha256_hex(proof) if has_secrets(position.rules, position.state) else proof.hex()
        entries = (
            *place,
            ("sig", value.hex() if value else "none"),
            ("group", f"all {proof_value}"),
            ("manifest", manifest_value),
        )
        sequencer.append(tx, sequencer.Note("roll", entries, game.id, manifest))


def _manifest(
    game: tables.Game, phase: str, segment: int, group: str, segment_rolls: Sequence[tuple[int, Rolled]]
) -> str:
    """Return the list of a segment's rolls."""
    numbered = [
        NumberedRoll(number, *roll)
        for number, (roll_segment, roll) in enumerate(segment_rolls, 1)
        if roll_segment == segment
    ]
    return rolls.manifest_block(game=game.id, phase=phase, segment=segment, group=group, rolls=numbered).decode("utf-8")


def _manifest_value(tx: Transaction, position: Position, phase: str, manifest: str) -> str:
    """Return a manifest's value in a leaf, blinded because labels may be secret."""
    if has_secrets(position.rules, position.state):
        return sealing.blind_in_phase(
            keyring.secret_of(tx, position.game), game=position.game.id, phase=phase, text=manifest
        )
    return f"sha256:{blocks.sha256_hex(manifest.encode('utf-8'))}"


def record_result(tx: Transaction, position: Position, phase: tables.Phase, resolution: Resolution, after: str) -> None:
    """Log the sealed state after a phase, and its events, the base of reports."""
    name, secret = str(outbox.phase_of(phase)), keyring.secret_of(tx, position.game)
    events_text = dumps([event.to_json() for event in resolution.events])
    sealed = [
        sealing.blind_in_phase(secret, game=position.game.id, phase=name, text=text) for text in (after, events_text)
    ]
    values = (("phase", name), ("state", sealed[0]), ("report", sealed[1]))
    sequencer.append(tx, sequencer.Note("result", values, position.game.id, after))


def record_rerun(tx: Transaction, position: Position, phase: tables.Phase, resolution: Resolution, ruling: int) -> None:
    """Log a phase's rerun by a ruling: from which state, its rolls and result.

    `position` is the one that it begins from, `phase` its row as it is resolved now.
    """
    game = position.game
    name, secret = str(outbox.phase_of(phase)), keyring.secret_of(tx, game)
    known = hot_statements.leaf_kinds(tx.session, game.id, name)
    run, segments = 1 + known.count("result"), range(1, known.count("roll") + 1)
    manifests = [_manifest(game, name, segment, f"all~{run}", resolution.segment_rolls) for segment in segments]
    state_before = dumps(position.rules.encode(position.state))
    values = (
        ("phase", name),
        ("run", str(run)),
        ("ruling", str(ruling)),
        ("state", sealing.blind_in_phase(secret, game=game.id, phase=name, text=state_before)),
        ("manifest", " ".join(_manifest_value(tx, position, name, manifest) for manifest in manifests)),
    )
    sequencer.append(tx, sequencer.Note("again", values, game.id, dumps([state_before, *manifests])))
    record_result(tx, position, phase, resolution, dumps(position.rules.encode(resolution.states[-1])))
