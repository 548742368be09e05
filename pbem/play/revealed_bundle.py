"""What a report opens of all sides' orders (`chain.openings`), as its attachment shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sqlmodel import Session

from pbem.audit import sealing
from pbem.audit.bundle_parts import FiredRule, PlayedOrders
from pbem.letters import outbox
from pbem.log import keyring
from pbem.play import adjudication, replies, revealed_orders
from pbem.play.adjudication import ClosedOrders
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.store.logrows import LeafRow


def sets(work: Work, game: tables.Game, results: Sequence[LeafRow]) -> Iterator[PlayedOrders]:
    """The order sets and answers that the reports on these results open, each with the salt of its revision."""
    secret = keyring.secret_of(work, game)
    for row in _phases(work.session, game, results):
        name = str(outbox.phase_of(row))
        for segment, seat in revealed_orders.read(row.shown).sets:
            one = given(work.session, row, segment).get(seat, ClosedOrders())
            where = name if segment == 1 else f"{name}/{segment}"
            salt = sealing.order_salt(secret(sealing.salt(game=game.id, phase=where, seat=seat)), one.revision)
            yield PlayedOrders(name, segment, seat, one.revision, salt, one.text)


def rules(work: Work, game: tables.Game, results: Sequence[LeafRow]) -> Iterator[FiredRule]:
    """The standing orders that the reports on these results open, each with its way to the commitment."""
    secret = keyring.secret_of(work, game)
    for row in _phases(work.session, game, results):
        name, closed = str(outbox.phase_of(row)), adjudication.read_closed(row.orders)
        for seat, numbers in sorted(revealed_orders.read(row.shown).rules.items()):
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


def given(session: Session, row: tables.Phase, segment: int) -> Mapping[str, ClosedOrders]:
    """What every seat was played by in a segment."""
    if segment == 1:
        return adjudication.read_closed(row.orders)
    pause = replies.pauses(session, row)[segment - 2]
    return {seat: ClosedOrders(answers.revision, answers.text) for seat, answers in pause.items()}
