"""Reveal orders of both sides in a phase's report, for checks at once.

Only what the other side has seen by then is revealed: orders of which every line was reached and none failed
unseen, and the answers and standing orders that were used. With the term `opened` whole sets are revealed each
turn. Where positions are hidden, or a side has several seats, nothing is revealed before the game is over. If the
rules hide orders, only what was seen is revealed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import blocks, leaves, rolls, sealing
from pbem.audit.bundle_parts import FiredRule, GroupProof, OpenedOrders, PlayedEdition, PlayedOrders, Reveal, Ruling
from pbem.audit.leaves import Leaf
from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.messages import msg
from pbem.engine.orders import luck
from pbem.engine.orders.doctrine import name_of
from pbem.engine.orders.standing import Rule
from pbem.engine.run.steps import FAILED
from pbem.engine.terms import ONLOOKER, Seat
from pbem.letters import content, outbox
from pbem.log import keyring
from pbem.log.keyring import Prove
from pbem.play import adjudication, history, war_progress
from pbem.play.adjudication import ClosedOrders, Pause, Resolution, SeatAnswers
from pbem.play.positions import Position
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.log import LeafRow

_FRAMES = ("ELSE", "ENDIF")


class RevealedSets(NamedTuple):
    """Revealed order sets and answers, by segment and seat, and rule numbers by seat."""

    sets: tuple[tuple[int, Seat], ...] = ()
    rules: Mapping[Seat, tuple[int, ...]] = {}

    def text(self) -> str:
        """Return the text as it is stored."""
        return dumps(
            {
                "sets": [list(order_set) for order_set in self.sets],
                "rules": {seat: list(numbers) for seat, numbers in self.rules.items()},
            }
        )


def parse_revealed_sets(stored: str | None) -> RevealedSets:
    """Parse stored revealed sets; empty if nothing was stored."""
    values = loads(stored or '{"sets":[],"rules":{}}')
    sets = tuple((segment, seat) for segment, seat in values["sets"])
    return RevealedSets(sets, {seat: tuple(numbers) for seat, numbers in values["rules"].items()})


def sealed_seats(
    closed: Mapping[Seat, ClosedOrders], pauses: Sequence[Pause], opened: RevealedSets
) -> tuple[Seat, ...]:
    """Return the seats with any sealed order set, also of later letters."""
    order_sets = [(1, seat) for seat in closed]
    order_sets += [
        (number, seat)
        for number, pause in enumerate(pauses, 2)
        for seat, seat_orders in pause.items()
        if seat_orders.orders
    ]
    return tuple(sorted({seat for segment, seat in order_sets if (segment, seat) not in opened.sets}))


def publicly_shown_orders(session: Session, phase: tables.Phase) -> frozenset[str]:
    """Return the orders of a resolved phase that its attachment shows to all."""
    closed, pauses = adjudication.closed_orders_from_json(phase.orders), history.answers_of_pauses(session, phase)
    texts = [
        closed[seat].text if segment == 1 else pauses[segment - 2][seat].orders or ""
        for segment, seat in parse_revealed_sets(phase.shown).sets
    ]
    return frozenset(line for text in texts for line in _comparable_lines(text))


def reveal_sets(tx: Transaction, position: Position, phase: tables.Phase, resolution: Resolution) -> RevealedSets:
    """Return the sets that a report reveals; `position` is before the phase."""
    rules, state = position.rules, position.state
    sides = rules.seats(state)
    if rules.view(state, ONLOOKER) is None or len(set(sides.values())) < len(sides):
        return RevealedSets()
    closed, pauses = adjudication.closed_orders_from_json(phase.orders), history.answers_of_pauses(tx.session, phase)
    is_everything_revealed = Terms.read(position.game.terms).opened == "all" and not rules.hides_orders
    if is_everything_revealed:
        sets = [(1, seat) for seat in sorted(closed)]
        sets += [(number, seat) for number, pause in enumerate(pauses, 2) for seat in sorted(pause)]
        return RevealedSets(
            tuple(sets),
            {seat: _all_rule_numbers(seat_orders) for seat, seat_orders in closed.items() if seat_orders.standing},
        )
    used = {} if rules.hides_orders else _used_rules(position, closed, resolution)
    return RevealedSets(tuple(_revealable_sets(position, closed, pauses, resolution)), used)


def _all_rule_numbers(orders: ClosedOrders) -> tuple[int, ...]:
    return tuple(range(1, len(orders.standing) + 1))


def _used_rules(
    position: Position, closed: Mapping[Seat, ClosedOrders], resolution: Resolution
) -> dict[Seat, tuple[int, ...]]:
    """Return the numbers of each seat's standing orders that decided.

    Rules of a game's own kind, outside of the common grammar, have no name to be revealed by: they stay
    sealed until the game is over.
    """
    numbers_by_seat = {}
    for seat, names in resolution.trail.fired.items():
        rules = adjudication.parse_closed_orders(
            position.rules, position.state, seat, "".join(closed[seat].standing)
        ).standing
        numbers_by_seat[seat] = tuple(number for number, rule in enumerate(rules, 1) if _has_decided(rule, names))
    return {seat: numbers for seat, numbers in numbers_by_seat.items() if numbers}


def _has_decided(rule: object, names: frozenset[str]) -> bool:
    return isinstance(rule, Rule) and name_of(rule) in names


def _revealable_sets(
    position: Position, closed: Mapping[Seat, ClosedOrders], pauses: tuple[Pause, ...], resolution: Resolution
) -> Iterator[tuple[int, Seat]]:
    """Yield sets with every line reached, and used answers, of seats without secrets."""
    secretive = _seats_with_secrets(position, resolution, closed)
    order_sets = [(1, seat, seat_orders.text) for seat, seat_orders in sorted(closed.items())]
    for number, pause in enumerate(pauses, 2):
        order_sets += [
            (number, seat, seat_answers.orders or "")
            for seat, seat_answers in sorted(pause.items())
            if _is_taken(seat_answers, resolution)
        ]
    line_counts = Counter(line for _, _, text in order_sets for line in _comparable_lines(text))
    missing_lines = set(line_counts - Counter(resolution.trail.reached))
    for segment, seat, text in order_sets:
        if seat not in secretive and missing_lines.isdisjoint(_comparable_lines(text)):
            yield segment, seat


def _seats_with_secrets(position: Position, resolution: Resolution, closed: Mapping[Seat, ClosedOrders]) -> set[Seat]:
    """Return the seats that know more of an order's outcome than an observer.

    The order failed, or its event is hidden.
    """
    see, order_events = position.rules.see, set(map(id, resolution.trail.said))
    events = [(event, before) for event, before in resolution.events_and_states if id(event) in order_events]
    relevant = [(event, before) for event, before in events if position.rules.hides_orders or event.kind == FAILED]
    hidden = [(event, before) for event, before in relevant if see(event, ONLOOKER, before) is None]
    return {seat for seat in closed for event, before in hidden if see(event, seat, before) is not None}


def _is_taken(answers: SeatAnswers, resolution: Resolution) -> bool:
    """Return whether each of a seat's answers at a pause was used."""
    return bool(answers.answers) and all(window in resolution.trail.answered for window, _ in answers.answers)


def _comparable_lines(text: str) -> Iterator[str]:
    for line in luck.apart(text)[1].splitlines():
        if line.strip() not in _FRAMES:
            yield line.strip()


# The part of a report's attachment about these orders.


def opened_sets(tx: Transaction, game: tables.Game, results: Sequence[LeafRow]) -> Iterator[PlayedOrders]:
    """Yield the revealed order sets of these results, with their salts."""
    secret = keyring.secret_of(tx, game)
    for row in _phases(tx.session, game, results):
        name = str(outbox.phase_of(row))
        for segment, seat in parse_revealed_sets(row.shown).sets:
            orders = given_orders(tx.session, row, segment).get(seat, ClosedOrders())
            place = name if segment == 1 else f"{name}/{segment}"
            salt = sealing.order_salt(secret(sealing.salt_block(game=game.id, phase=place, seat=seat)), orders.revision)
            yield PlayedOrders(name, segment, seat, orders.revision, salt, orders.text)


def opened_rules(tx: Transaction, game: tables.Game, results: Sequence[LeafRow]) -> Iterator[FiredRule]:
    """Yield the revealed standing orders of these results, each with its Merkle path."""
    secret = keyring.secret_of(tx, game)
    for row in _phases(tx.session, game, results):
        name, closed = str(outbox.phase_of(row)), adjudication.closed_orders_from_json(row.orders)
        for seat, numbers in sorted(parse_revealed_sets(row.shown).rules.items()):
            orders = closed[seat]
            salted = sealing.standing_salt(
                secret(sealing.salt_block(game=game.id, phase=name, seat=seat)), orders.revision
            )
            for number in numbers:
                yield FiredRule(
                    name,
                    seat,
                    orders.revision,
                    sealing.rule_salt(salted, 0),
                    len(orders.standing),
                    number,
                    sealing.rule_salt(salted, number),
                    orders.standing[number - 1],
                    sealing.rule_path(salted, orders.standing, number),
                )


def _phases(session: Session, game: tables.Game, results: Iterable[LeafRow]) -> list[tables.Phase]:
    """Return the phases of these results, each once, as they were resolved last."""
    names = {row.phase for row in results}
    if not names:
        return []
    by_name = {str(outbox.phase_of(row)): row for row in queries.phases.all_phases(session, game.id) if row.shown}
    return [by_name[name] for name in sorted(names & by_name.keys())]


def given_orders(session: Session, row: tables.Phase, segment: int) -> Mapping[str, ClosedOrders]:
    """Return every seat's orders in a segment."""
    if segment == 1:
        return adjudication.closed_orders_from_json(row.orders)
    pause = history.answers_of_pauses(session, row)[segment - 2]
    return {seat: ClosedOrders(answers.revision, answers.text) for seat, answers in pause.items()}


# Sealed data are opened when a game is over: the letter that says so to a seat holds all from which the game can be
# replayed. A letter of its own does it where a war has kept a battle sealed.
#
# The log says of each phase that it was opened. The letter's proofs are made when it is rendered (see `audit.bundle`
# for what they hold): the whole record of the game, so that this letter alone is enough.


def describe_disclosure(tx: Transaction, game: tables.Game) -> outbox.Enclosed:
    """Return what seats of an ended game are told of its opened secrets.

    Nothing is opened while its war keeps it sealed. A game that was given up before it began has nothing to open.
    """
    if war_progress.keeps_sealed(tx, game) or hot_statements.last_leaf(tx.session, game.id) is None:
        return outbox.Enclosed()
    sentences = (
        msg("The attachment pbemdice.txt opens what was sealed: all orders, positions and dice, each with its proof."),
        msg("With it alone anybody can play the whole game again and compare."),
    )
    has_page = tx.server.plugins.stories is not None and tx.server.rules_of(game).pictured is not None
    return outbox.Enclosed(sentences, (_page_block(),) if has_page else ())


def send_disclosure(tx: Transaction, game: tables.Game) -> None:
    """Notify all seats of a game kept sealed by its war that all is opened."""
    enclosed = describe_disclosure(tx, game)
    if not enclosed.sentences:
        return
    sentence = msg("The game {game} is over, and everything that was sealed in it is opened.", game=game.id)
    opening, blocks = (sentence, *enclosed.sentences), enclosed.blocks
    for seat in queries.games.seats(tx.session, game.id):
        head = outbox.head_of(tx.server, game, seat, None)
        letter = content.Letter("disclosure", head, opening=opening, blocks=blocks).to_json()
        outbox.write_to_seat(tx, letter, seat, game, cause="disclosure")


PAGE = "story"
"""The key of a block that promises the page of a game (`server.archive_attachments`)."""
PAGE_TITLE = msg("The game as a page")
PAGE_LINES = (
    msg("The attachment that ends in .html is a page of its own: open it, and look the game through step by step."),
    msg("It shows everything but letters and addresses: pass it on to whom you like."),
)


def _page_block() -> Json:
    """Return a block that promises the page of the game."""
    return {**content.sentence_block(PAGE_TITLE, [(0, line) for line in PAGE_LINES]), PAGE: True}


def orders_in_clear(
    session: Session, prove: Prove, game: tables.Game, closes: Sequence[LeafRow]
) -> tuple[OpenedOrders, ...]:
    """Return all orders of the closed segments in clear, with proofs of their salts."""
    if not closes:
        return ()
    phases = {str(outbox.phase_of(row)): row for row in queries.phases.all_phases(session, game.id)}
    opened = []
    for close in closes:
        slate = rolls.parse_closed_orders(close.opens.encode("utf-8"))
        place = slate.phase if slate.segment == 1 else f"{slate.phase}/{slate.segment}"
        texts = given_orders(session, phases[slate.phase], slate.segment)
        for seat, commitment in sorted(slate.seats.items()):
            proof = prove(sealing.salt_block(game=game.id, phase=place, seat=seat))
            orders = texts.get(seat, ClosedOrders())
            identity = (slate.phase, slate.segment, seat, commitment.revision)
            opened.append(OpenedOrders(*identity, proof, orders.text, orders.standing))
    return tuple(opened)


def dice_groups(prove: Prove, closes: Sequence[LeafRow], rolled: Sequence[LeafRow]) -> tuple[GroupProof, ...]:
    """Return the proofs of the groups of dice that were hidden in their rolls."""
    slates = {(leaf("phase"), leaf("segment")): row.opens.encode("utf-8") for row, leaf in map(_read, closes)}
    groups = []
    for _, leaf in map(_read, rolled):
        value = leaf("sig")
        signature = None if value == "none" else bytes.fromhex(value)
        for name, commitment in leaf.groups:
            if len(commitment) == 32:
                alpha = blocks.vrf_input(slates[leaf("phase"), leaf("segment")], signature, name)
                groups.append(GroupProof(leaf("phase"), leaf.number("segment"), name, prove(alpha)))
    return tuple(groups)


def _read(row: LeafRow) -> tuple[LeafRow, Leaf]:
    return row, leaves.parse(row.body, row.says)


def roll_manifests(rows: Sequence[LeafRow]) -> tuple[bytes, ...]:
    """Return the lists of rolls in the order of the leaves, also of reruns."""
    texts: list[str] = []
    for row in rows:
        if row.kind == "roll":
            texts.append(row.opens)
        elif row.kind == "again":
            texts += loads(row.opens)[1:]
    return tuple(text.encode("utf-8") for text in texts)


def state_reveals(prove: Prove, rows: Sequence[LeafRow]) -> tuple[Reveal, ...]:
    """Return each phase's first state, and its last if the next begins otherwise.

    If a phase was resolved again, the states that each run began with are returned as well.
    """
    open_rows = [row for row in rows if row.kind == "open"]
    last_states = {row.phase: row.opens for row in rows if row.kind == "result"}
    revealed = []
    for row, next_row in zip(open_rows, [*open_rows[1:], None], strict=True):
        state = last_states.get(row.phase, "")
        proof = prove(sealing.blind_block(game=row.game, phase=row.phase))
        revealed.append(Reveal(row.phase, proof, row.opens, "" if next_row and next_row.opens == state else state))
        reruns = [rerun for rerun in rows if rerun.kind == "again" and rerun.phase == row.phase]
        revealed += [Reveal(row.phase, proof, str(loads(rerun.opens)[0]), "") for rerun in reruns]
    return tuple(revealed)


def rulings_in_full(session: Session, rows: Sequence[LeafRow]) -> tuple[Ruling, ...]:
    """Return the whole lines of rulings of which only the first word was public."""
    numbers = [loads(row.opens)["number"] for row in rows if row.kind == "ruling" and "whole" in loads(row.opens)]
    return tuple(Ruling(number, queries.rulings.ruling(session, rows[0].game, number).line) for number in numbers)


def played_edition(tx: Transaction, prove: Prove, game: tables.Game) -> PlayedEdition:
    """Return the game's edition, and in a war's later games its salt's proof."""
    edition = dumps(tx.server.edition_of(tx.session, game).to_json())
    pace = "activation" if Terms.read(game.terms).pace == ACTIVATION_PACE else "phase"
    war, place = queries.games.war_of(tx.session, game.id) or (None, None)
    proof = b""
    if war is not None and place is not None and place.place != 1 and war_progress.is_salted(war):
        proof = prove(sealing.war_block(game=war_progress.first_game_of(tx, war)))
    return PlayedEdition(game.system, pace, edition, proof)
