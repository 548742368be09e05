"""What the report of a phase opens of both sides' orders, so that its dice and events can be checked at once.

It is what the others know by now: orders all of whose lines the phase came to, and of which nothing came to nothing
unseen; answers that were taken; the standing orders that were used. Whoever agreed on it (the term `opened`) opens
whole sets each turn. Where positions are hidden, or a side has several seats, nothing is opened before the game is
over; where the rules hide orders, no more than what was seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import blocks, leaves, rolls, sealing
from pbem.audit.bundle_parts import FiredRule, Group, OpenedOrders, PlayedEdition, PlayedOrders, Reveal, Ruling
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
from pbem.runtime.terms import ACTIVATION, Terms
from pbem.runtime.transaction import Act, Transaction
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.log import LeafRow

_FRAMES = ("ELSE", "ENDIF")


class Openings(NamedTuple):
    """The order sets and answers that are opened, by segment and seat, and of each seat the numbers of its rules."""

    sets: tuple[tuple[int, Seat], ...] = ()
    rules: Mapping[Seat, tuple[int, ...]] = {}

    def text(self) -> str:
        """As it is stored."""
        return dumps({"sets": [list(one) for one in self.sets], "rules": {k: list(v) for k, v in self.rules.items()}})


def read_openings(stored: str | None) -> Openings:
    """Read back what was stored; nothing is opened of a phase that stored nothing."""
    found = loads(stored or '{"sets":[],"rules":{}}')
    sets = tuple((segment, seat) for segment, seat in found["sets"])
    return Openings(sets, {seat: tuple(numbers) for seat, numbers in found["rules"].items()})


def sealed_seats(closed: Mapping[Seat, ClosedOrders], pauses: Sequence[Pause], opened: Openings) -> tuple[Seat, ...]:
    """The seats of whose order sets, those of later letters among them, any stays sealed."""
    given = [(1, seat) for seat in closed]
    given += [(number, seat) for number, pause in enumerate(pauses, 2) for seat, one in pause.items() if one.orders]
    return tuple(sorted({seat for segment, seat in given if (segment, seat) not in opened.sets}))


def openings_of(work: Transaction, here: Position, phase: tables.Phase, done: Resolution) -> Openings:
    """What the report on a phase opens; `here` is the position before it."""
    rules, state = here.rules, here.state
    sides = rules.seats(state)
    if rules.view(state, ONLOOKER) is None or len(set(sides.values())) < len(sides):
        return Openings()
    closed, pauses = adjudication.read_closed(phase.orders), history.pauses(work.session, phase)
    whole = Terms.read(here.game.terms).opened == "all" and not rules.hides_orders
    if whole:
        sets = [(1, seat) for seat in sorted(closed)]
        sets += [(number, seat) for number, pause in enumerate(pauses, 2) for seat in sorted(pause)]
        return Openings(tuple(sets), {seat: _all_of(one) for seat, one in closed.items() if one.standing})
    used = {} if rules.hides_orders else _used(here, closed, done)
    return Openings(tuple(_played(here, closed, pauses, done)), used)


def _all_of(orders: ClosedOrders) -> tuple[int, ...]:
    return tuple(range(1, len(orders.standing) + 1))


def _used(here: Position, closed: Mapping[Seat, ClosedOrders], done: Resolution) -> dict[Seat, tuple[int, ...]]:
    """The numbers of the standing orders of each seat by which it was played.

    Rules of a game's own kind, not of the common grammar, have no name under which they could be told: they stay
    sealed until the game is over.
    """
    found = {}
    for seat, names in done.trail.fired.items():
        rules = adjudication.parse_closed(here.rules, here.state, seat, "".join(closed[seat].standing)).standing
        found[seat] = tuple(number for number, rule in enumerate(rules, 1) if _decided(rule, names))
    return {seat: numbers for seat, numbers in found.items() if numbers}


def _decided(rule: object, names: frozenset[str]) -> bool:
    return isinstance(rule, Rule) and name_of(rule) in names


def _played(
    here: Position, closed: Mapping[Seat, ClosedOrders], pauses: tuple[Pause, ...], done: Resolution
) -> Iterator[tuple[int, Seat]]:
    """The sets of which the phase came to every line, and the answers that were taken, of seats that hide nothing."""
    secretive = _secretive(here, done, closed)
    given = [(1, seat, one.text) for seat, one in sorted(closed.items())]
    for number, pause in enumerate(pauses, 2):
        given += [(number, seat, one.orders or "") for seat, one in sorted(pause.items()) if _is_taken(one, done)]
    wanted = Counter(line for _, _, text in given for line in _lines(text))
    left_out = set(wanted - Counter(done.trail.reached))
    for segment, seat, text in given:
        if seat not in secretive and left_out.isdisjoint(_lines(text)):
            yield segment, seat


def _secretive(here: Position, done: Resolution, closed: Mapping[Seat, ClosedOrders]) -> set[Seat]:
    """The seats that know of what came of an order as an onlooker does not: it came to nothing, or it is hidden."""
    see, said = here.rules.see, set(map(id, done.trail.said))
    telling = [(one, before) for one, before in done.happened if id(one) in said]
    given = [(one, before) for one, before in telling if here.rules.hides_orders or one.kind == FAILED]
    hidden = [(one, before) for one, before in given if see(one, ONLOOKER, before) is None]
    return {seat for seat in closed for one, before in hidden if see(one, seat, before) is not None}


def _is_taken(answers: SeatAnswers, done: Resolution) -> bool:
    """Whether all that a seat answered at a pause was what it then was played by."""
    return bool(answers.answers) and all(window in done.trail.answered for window, _ in answers.answers)


def _lines(text: str) -> Iterator[str]:
    for line in luck.apart(text)[1].splitlines():
        if line.strip() not in _FRAMES:
            yield line.strip()


# What the attachment of a report shows of these orders.


def opened_sets(work: Transaction, game: tables.Game, results: Sequence[LeafRow]) -> Iterator[PlayedOrders]:
    """The order sets and answers that the reports on these results open, each with the salt of its revision."""
    secret = keyring.secret_of(work, game)
    for row in _phases(work.session, game, results):
        name = str(outbox.phase_of(row))
        for segment, seat in read_openings(row.shown).sets:
            one = given_orders(work.session, row, segment).get(seat, ClosedOrders())
            where = name if segment == 1 else f"{name}/{segment}"
            salt = sealing.order_salt(secret(sealing.salt(game=game.id, phase=where, seat=seat)), one.revision)
            yield PlayedOrders(name, segment, seat, one.revision, salt, one.text)


def opened_rules(work: Transaction, game: tables.Game, results: Sequence[LeafRow]) -> Iterator[FiredRule]:
    """The standing orders that the reports on these results open, each with its way to the commitment."""
    secret = keyring.secret_of(work, game)
    for row in _phases(work.session, game, results):
        name, closed = str(outbox.phase_of(row)), adjudication.read_closed(row.orders)
        for seat, numbers in sorted(read_openings(row.shown).rules.items()):
            one = closed[seat]
            salted = sealing.standing_salt(secret(sealing.salt(game=game.id, phase=name, seat=seat)), one.revision)
            for number in numbers:
                yield FiredRule(
                    name,
                    seat,
                    one.revision,
                    sealing.rule_salt(salted, 0),
                    len(one.standing),
                    number,
                    sealing.rule_salt(salted, number),
                    one.standing[number - 1],
                    sealing.rule_path(salted, one.standing, number),
                )


def _phases(session: Session, game: tables.Game, results: Iterable[LeafRow]) -> list[tables.Phase]:
    """The phases that these results are of, each once, as they were resolved last."""
    names = {row.phase for row in results}
    if not names:
        return []
    found = {str(outbox.phase_of(row)): row for row in queries.phases.every(session, game.id) if row.shown}
    return [found[name] for name in sorted(names & found.keys())]


def given_orders(session: Session, row: tables.Phase, segment: int) -> Mapping[str, ClosedOrders]:
    """What every seat was played by in a segment."""
    if segment == 1:
        return adjudication.read_closed(row.orders)
    pause = history.pauses(session, row)[segment - 2]
    return {seat: ClosedOrders(answers.revision, answers.text) for seat, answers in pause.items()}


# What was sealed is opened when a game is over: every seat gets one letter from which all of it can be played again.
#
# The log says of each phase that it was opened. The letter's proofs are made when it is rendered (see `audit.bundle`
# for what they hold): the whole record of the game, so that this letter alone is enough.


def disclose(work: Transaction, act: Act) -> None:
    """Write to all seats of a game that is over that everything is opened, unless its war keeps it sealed.

    A game that was given up before it began has nothing to open.
    """
    game = act.game
    if war_progress.keeps_sealed(work, game) or hot_statements.last_leaf(work.session, game.id) is None:
        return
    opening = (
        msg("The game {game} is over, and everything that was sealed in it is opened.", game=game.id),
        msg("The attachment pbemdice.txt holds all orders, positions and dice, each with its proof."),
        msg("With it alone anybody can play the whole game again and compare."),
    )
    blocks = (
        (_page(),)
        if work.server.plugins.stories is not None and work.server.rules_of(game).pictured is not None
        else ()
    )
    for seat in queries.games.seats(work.session, game.id):
        head = outbox.head_of(work.server, game, seat, None)
        letter = content.Letter("disclosure", head, opening=opening, blocks=blocks).to_json()
        outbox.to_seat(work, letter, seat, game, cause="disclosure")


PAGE = "story"
"""The key of a block that promises the page of a game (`server.archive_attachments`)."""
PAGE_TITLE = msg("The game as a page")
PAGE_LINES = (
    msg("The attachment that ends in .html is a page of its own: open it, and look the game through step by step."),
    msg("It shows everything but letters and addresses: pass it on to whom you like."),
)


def _page() -> Json:
    """A block that promises the page of the game."""
    return {**content.sentences(PAGE_TITLE, [(0, line) for line in PAGE_LINES]), PAGE: True}


def orders_in_clear(
    session: Session, prove: Prove, game: tables.Game, closes: Sequence[LeafRow]
) -> tuple[OpenedOrders, ...]:
    """What every seat was played by in the closed segments, in clear, with the proof of the secret of its salts."""
    if not closes:
        return ()
    phases = {str(outbox.phase_of(row)): row for row in queries.phases.every(session, game.id)}
    out = []
    for close in closes:
        slate = rolls.parse_slate(close.opens.encode("utf-8"))
        where = slate.phase if slate.segment == 1 else f"{slate.phase}/{slate.segment}"
        texts = given_orders(session, phases[slate.phase], slate.segment)
        for seat, commitment in sorted(slate.seats.items()):
            proof = prove(sealing.salt(game=game.id, phase=where, seat=seat))
            one = texts.get(seat, ClosedOrders())
            shown = (slate.phase, slate.segment, seat, commitment.revision)
            out.append(OpenedOrders(*shown, proof, one.text, one.standing))
    return tuple(out)


def dice_groups(prove: Prove, closes: Sequence[LeafRow], rolled: Sequence[LeafRow]) -> tuple[Group, ...]:
    """The proofs of the groups of dice that were hidden in their rolls."""
    slates = {(leaf("phase"), leaf("segment")): row.opens.encode("utf-8") for row, leaf in map(_read, closes)}
    out = []
    for _, leaf in map(_read, rolled):
        value = leaf("sig")
        signature = None if value == "none" else bytes.fromhex(value)
        for name, shown in leaf.groups:
            if len(shown) == 32:
                alpha = blocks.alpha(slates[leaf("phase"), leaf("segment")], signature, name)
                out.append(Group(leaf("phase"), leaf.number("segment"), name, prove(alpha)))
    return tuple(out)


def _read(row: LeafRow) -> tuple[LeafRow, Leaf]:
    return row, leaves.parse(row.body, row.says)


def manifests(shown: Sequence[LeafRow]) -> tuple[bytes, ...]:
    """The lists of what was rolled, in the order of the leaves, also of phases that were resolved once more."""
    listed: list[str] = []
    for row in shown:
        if row.kind == "roll":
            listed.append(row.opens)
        elif row.kind == "again":
            listed += loads(row.opens)[1:]
    return tuple(text.encode("utf-8") for text in listed)


def reveals(prove: Prove, shown: Sequence[LeafRow]) -> tuple[Reveal, ...]:
    """The state that each phase began with; the one that it led to where the next did not begin with that.

    Of a phase that was resolved once more also the states that this began with.
    """
    opened = [row for row in shown if row.kind == "open"]
    after = {row.phase: row.opens for row in shown if row.kind == "result"}
    out = []
    for row, follows in zip(opened, [*opened[1:], None], strict=True):
        state = after.get(row.phase, "")
        proof = prove(sealing.blind(game=row.game, phase=row.phase))
        out.append(Reveal(row.phase, proof, row.opens, "" if follows and follows.opens == state else state))
        agains = [again for again in shown if again.kind == "again" and again.phase == row.phase]
        out += [Reveal(row.phase, proof, str(loads(again.opens)[0]), "") for again in agains]
    return tuple(out)


def whole_rulings(session: Session, shown: Sequence[LeafRow]) -> tuple[Ruling, ...]:
    """The whole lines of the rulings of which everybody was told no more than the first word."""
    numbers = [loads(row.opens)["number"] for row in shown if row.kind == "ruling" and "whole" in loads(row.opens)]
    return tuple(Ruling(number, queries.rulings.ruling(session, shown[0].game, number).line) for number in numbers)


def played_by(work: Transaction, prove: Prove, game: tables.Game) -> PlayedEdition:
    """What the game was played by, and if a war led to it the proof of the secret that its salt comes from."""
    edition = dumps(work.server.edition_of(work.session, game).to_json())
    pace = "activation" if Terms.read(game.terms).pace == ACTIVATION else "phase"
    war, place = queries.games.war_of(work.session, game.id) or (None, None)
    proof = b""
    if war is not None and place is not None and place.place != 1 and war_progress.is_salted(war):
        proof = prove(sealing.war(game=war_progress.first_of(work, war)))
    return PlayedEdition(game.system, pace, edition, proof)
