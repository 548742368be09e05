"""Wait for the round of a public beacon, between closing and dice.

Closed orders are sent to all, then the round comes, then the dice. The round is fixed by the closing time, which
the log has stated before. Between closing and dice, a row of `due` stands for the round; its time is when the round
should be out. There is no time limit, and no substitute except by a ruling once the round is hours late.
`rounds_due` returns the awaited rounds; their signatures come from the network by `arrive`, which checks each with
the chain's key. If a round is hours late everybody is notified that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from pbem.audit import beacon, leaves, rolls
from pbem.audit.beacon import Beacon, VerifyRound
from pbem.engine.data.messages import Msg, msg
from pbem.lazy import Logger
from pbem.letters import content, moderators, outbox
from pbem.log import closing_times, sequencer
from pbem.log.closing_times import second
from pbem.play import adjudication, log_entries, phase_states
from pbem.play.adjudication import PhaseInput
from pbem.play.positions import Position, lock_game
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, ActKind, Server, Transaction, drop_oldest
from pbem.store import hot_statements, queries, tables

log = Logger(__name__)

ROUND = "round"
"""Kind of a due row for a round; its cause is the chain's hash and the number."""

LATE = "late"
"""Kind of a due row that reports a late round; its cause is that of the round."""

MOST_KEPT_ROUNDS = 256
"""Values of rounds that are kept in memory; each look for what is due names all of them."""

BOARD = "board"
"""Kind of a due row of a closed phase that waits for its board's other tables; its cause is the board."""

UNBOUND = ("board", 0)
"""The awaited round of closed orders whose board is not bound yet."""

_AGAIN = timedelta(days=1)
"""After this time a late round is reported to the operator again: a day, as all lasting troubles (`alerts.AGAIN`)."""
_LOOK = timedelta(hours=1)
"""After this time a table looks again whether its board is bound. The board wakes it at once; this is for a lost
wake-up."""

Ask = Callable[[Beacon, int], bytes | None]
"""Fetches a round of a chain from the network: its signature, or None if no relay has it."""


def uses_beacon(game: tables.Game) -> bool:
    """Return whether the dice of a game wait for a beacon."""
    return Terms.read(game.terms).beacon != "none"


def new_game_uses_beacon(tx: Transaction, name: str) -> bool:
    """Return whether a game that is being set up will wait for a beacon.

    Raise UserError if there is no such game.
    """
    game = lock_game(tx.session, name)
    return game.state == "forming" and uses_beacon(game)


class ClosedOrdersWithBeacons(NamedTuple):
    """The closed orders of a phase, and known beacon values of the first ones.

    A value is None where a ruling has closed orders wait for no round. `changed` are the chains and rounds that
    rulings put in the place of their own, by segment; `bound` are the rounds for which their boards wait.
    """

    slates: tuple[bytes, ...]
    values: tuple[bytes | None, ...]
    changed: Mapping[int, tuple[str, int]] = MappingProxyType({})
    bound: Mapping[int, tuple[str, int]] = MappingProxyType({})

    @property
    def waits_for(self) -> tuple[str, int] | None:
        """Chain and round still awaited; UNBOUND while they are not known."""
        waiting = self.slates[len(self.values) :]
        return self.round_of(waiting[0]) if waiting else None

    def round_of(self, slate: bytes) -> tuple[str, int]:
        """Return chain and round that the dice of closed orders follow from."""
        parsed = rolls.parse_closed_orders(slate)
        return self.changed.get(parsed.segment, self.bound.get(parsed.segment, (parsed.chain, parsed.beacon_round)))


def closed_orders_with_beacons(
    tx: Transaction, phase: tables.Phase, slates: Sequence[bytes] = ()
) -> ClosedOrdersWithBeacons:
    """Return the closed orders of a phase by the log, with their beacon values.

    The values are in the log or, if newer, in memory. `slates` are the earlier closed orders if it is resolved
    again.
    """
    name = rolls.parse_closed_orders(slates[0]).phase if slates else str(outbox.phase_of(phase))
    rows = queries.log.leaves(tx.session, phase.game_id, "close", "roll", "beacon-change", phase=name)
    slates = tuple(row.opens.encode("utf-8") for row in rows if row.kind == "close")
    entries = [leaves.parse(row.body, row.says) for row in rows]
    changed = {
        leaf.number("segment"): (leaf("chain"), leaf.number("round"))
        for leaf in entries
        if leaf.kind == "beacon-change"
    }
    sigs = [leaf("sig") for leaf in entries if leaf.kind == "roll"]
    values = [None if sig == "none" else bytes.fromhex(sig) for sig in sigs]
    lists = ClosedOrdersWithBeacons(slates, tuple(values), changed, _rounds_of_boards(tx, slates))
    for slate in slates[len(values) :]:
        awaited_round = lists.round_of(slate)
        value = tx.server.caches.rounds.get(awaited_round)
        if value is None and awaited_round[0] != "none":
            break
        values.append(value)
    return lists._replace(values=tuple(values))


def _rounds_of_boards(tx: Transaction, slates: Sequence[bytes]) -> dict[int, tuple[str, int]]:
    """Return the rounds that closed orders on shared boards wait for, by segment."""
    rounds: dict[int, tuple[str, int]] = {}
    for segment, slate in enumerate(slates, 1):
        if board := closing_times.board_of_closed_orders(slate):
            bound = closing_times.find_board_binding(tx.session, board)
            rounds[segment] = UNBOUND if bound is None else (bound.chain, bound.round)
    return rounds


def has_waiting_dice(tx: Transaction, phase: tables.Phase) -> bool:
    """Return whether a closed phase's dice wait for a round, or other tables."""
    game = tx.session.get_one(tables.Game, phase.game_id)
    if uses_beacon(game) or not Terms.read(game.terms).board:
        return uses_beacon(game)
    name = str(outbox.phase_of(phase))
    rows = queries.log.leaves(tx.session, game.id, "close", phase=name)
    if rows:
        return bool(closing_times.board_of_closed_orders(rows[0].opens.encode("utf-8")))
    return closing_times.dice_for(tx, game, name) != closing_times.OWN


def close_and_await_beacon(
    tx: Transaction, position: Position, phase: tables.Phase, inputs: PhaseInput, notes: Mapping[str, Sequence[Msg]]
) -> bool:
    """Close the next orders, notify all, and wait; False if no round is awaited.

    The closed orders and values of `inputs` are those of `closed_orders_with_beacons`.
    """
    lists = closed_orders_with_beacons(tx, phase)
    if len(inputs.slates) <= len(inputs.pauses):
        name = str(outbox.phase_of(phase))
        leaves_known = sequencer.phase_leaves(tx.session, phase.game_id, name)
        planned, opened = leaves_known.newest("open", "deadline"), leaves_known.newest("open")
        if planned is None or opened is None:
            raise LookupError(f"the log does not say when {name} closes")
        waits_for = f"{opened('chain')} {planned('round')}" if opened("chain") != "none" else "none"
        slates = adjudication.closed_orders_blocks(inputs, waits_for)
        log_entries.record_closed_orders(tx, position, phase, slates)
        lists = lists._replace(slates=slates)
        phase_states.keep_waiting(tx.session, phase)
        if board := closing_times.board_of_closed_orders(slates[-1]):
            # The table that closes last binds the board, and all its tables are notified.
            bind_board_or_wait(tx, position.game, board)
            return True
        _announce_closing(tx, position, phase, rolls.parse_closed_orders(slates[-1]).beacon, notes)
    if lists.waits_for is None:
        return False
    if lists.waits_for == UNBOUND:
        return True
    plan_beacon_round(tx, position.game, *lists.waits_for)
    return True


def board_sharing_dice(tx: Transaction, phase: tables.Phase) -> str:
    """Return the board whose dice a closed phase has; empty if they are its own."""
    slates = closed_orders_with_beacons(tx, phase).slates
    return closing_times.board_of_closed_orders(slates[-1]) if slates else ""


def bind_board_or_wait(tx: Transaction, game: tables.Game, board: str) -> None:
    """Bind a board if this is its last table; else look again later."""
    bound_tables = closing_times.bind_board(tx, board)
    for table in bound_tables:
        hot_statements.schedule_job(tx.session, table, BOARD, board, tx.now)
    if not bound_tables:
        hot_statements.schedule_job(tx.session, game.id, BOARD, board, tx.now + _LOOK)


def continue_if_board_is_bound(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Return whether a closed phase can go on by its bound board.

    If not, plan another look.
    """
    board = due.cause
    tx.session.delete(due)
    tx.session.flush()
    if phase.state != "closed" or board_sharing_dice(tx, phase) != board:
        return False
    bound = closing_times.find_board_binding(tx.session, board)
    if bound is None:
        bind_board_or_wait(tx, position.game, board)
        return False
    _announce_closing(tx, position, phase, f"{bound.chain} {bound.round}" if bound.round else "none", {})
    return True


def plan_beacon_round(tx: Transaction, game: tables.Game, chain: str, number: int) -> None:
    """Plan for an awaited round and for its delay; also after a game was held."""
    publication = datetime.fromtimestamp(beacon.round_time(beacon.KNOWN_CHAINS[chain], number), UTC)
    hot_statements.schedule_job(tx.session, game.id, ROUND, beacon_due_cause(chain, number), publication)
    hot_statements.schedule_job(
        tx.session, game.id, LATE, beacon_due_cause(chain, number), publication + tx.server.settings.late
    )


def report_late_round(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> None:
    """Notify all once of a late round; moderator and operator again each day."""
    chain, _, number = due.cause.partition(" ")
    publication = datetime.fromtimestamp(beacon.round_time(beacon.KNOWN_CHAINS[chain], int(number)), UTC)
    is_first = due.at <= publication + tx.server.settings.late
    notice_cause = f"late {phase.id} {number} {due.at.isoformat()}"

    def opening(zone: str) -> Sequence[Msg]:
        when = content.moment_in_words(publication, zone)
        return (
            msg(
                "The dice of turn {turn} wait for round {round} of the public beacon, which should have come out at "
                "{when} and cannot be had yet.",
                turn=phase.turn,
                round=number,
                when=when,
            ),
            msg(
                "Nothing is lost, and nothing takes its place by itself: the orders stay closed as they are, and as "
                "soon as the round is there the dice follow from it."
            ),
        )

    if is_first:
        outbox.announce_to_all(tx, position.game, phase, outbox.Announcement(opening, cause=notice_cause))
    advice = msg("Whoever runs the server: `pbem doctor` tries each relay that is named in the settings.")
    moderators.notify(tx, position.game, moderators.ModeratorNotice((*opening("UTC"), advice), cause=notice_cause))
    summary = msg(
        "In game {game} the dice wait for round {round} of the public beacon since {when}.",
        game=position.game.id,
        round=number,
        when=content.moment_in_words(publication, "UTC"),
    )
    detail = "pbem doctor tries each relay; name others under [beacon] if none answers"
    title = msg("a round of the beacon is late")
    outbox.write_to_operator(
        tx, outbox.OperatorNotice(summary, detail, cause=notice_cause, game=position.game.id, title=title)
    )
    hot_statements.schedule_job(tx.session, position.game.id, LATE, due.cause, tx.now + _AGAIN)


def replace_awaited_round(tx: Transaction, game: tables.Game, phase: tables.Phase, chain: str, ruling: int) -> None:
    """Let closed orders wait for another round, or for none, by a ruling.

    The caller continues the phase if it waits for none.
    """
    lists = closed_orders_with_beacons(tx, phase)
    if lists.waits_for is None:
        raise LookupError(f"no list of {phase.game_id} waits for a round")
    number = closing_times.round_of(chain, second(tx.now) + Terms.read(game.terms).delta)
    log_entries.record_beacon_change(tx, phase, len(lists.values) + 1, log_entries.BeaconChange(ruling, chain, number))
    hot_statements.delete_jobs(tx.session, game.id, beacon_due_cause(*lists.waits_for))
    if chain != "none":
        plan_beacon_round(tx, game, chain, number)


def beacon_due_cause(chain: str, number: int) -> str:
    """Return the cause by which a round's due row names it."""
    return f"{chain} {number}"


def _announce_closing(
    tx: Transaction, position: Position, phase: tables.Phase, waits_for: str, notes: Mapping[str, Sequence[Msg]]
) -> None:
    """Write to every seat that orders are closed, and which round they wait for.

    `waits_for` is chain and number, or ``none``. With none the dice follow at once, and the report has
    everything.
    """
    if waits_for == "none":
        return
    chain, _, number = waits_for.partition(" ")
    segment = len(closed_orders_with_beacons(tx, phase).slates)
    publication = datetime.fromtimestamp(beacon.round_time(beacon.KNOWN_CHAINS[chain], int(number)), UTC)
    for seat in queries.games.seats(tx.session, position.game.id):
        opening = (
            msg("Orders for turn {turn} are closed; nobody can change them any more.", turn=phase.turn),
            *_round_sentences(
                int(number), content.moment_in_words(publication, seat.zone), is_out=publication <= tx.now
            ),
            *notes.get(seat.name, ()),
        )
        head = outbox.head_of(tx.server, position.game, seat, phase)
        letter = content.Letter("sealed", head, opening=opening).to_json()
        outbox.write_to_seat(tx, letter, seat, position.game, cause=f"phase {phase.id} segment {segment}")
    notice_cause = f"phase {phase.id} segment {segment}"
    tx.notify_listeners(Act(ActKind.CLOSED, position.game, phase, number=position.number, cause=notice_cause))


def _round_sentences(number: int, when: Msg, *, is_out: bool) -> Sequence[Msg]:
    if is_out:
        return (
            msg(
                "The dice follow from them and from round {round} of the public beacon, which came out at {when}, "
                "before they were closed: the dice are of grade C.",
                round=number,
                when=when,
            ),
        )
    return (
        msg(
            "The dice follow from them and from round {round} of the public beacon, which comes out at {when}. "
            "Until then nobody can know them, this server included.",
            round=number,
            when=when,
        ),
        msg(
            "Keep this letter: if your mailbox took it before that moment, its headers prove to you that these orders "
            "came first."
        ),
    )


def rounds_due(tx: Transaction) -> tuple[tuple[str, int], ...]:
    """Return the rounds that games and draws wait for and that should be out."""
    causes = {*queries.schedule.due_causes(tx.session, ROUND, tx.now)}
    causes |= {*queries.tournaments.awaited_rounds(tx.session, tx.now)}
    return tuple(sorted((chain, int(number)) for chain, number in (due_cause.split(" ") for due_cause in causes)))


def missing_rounds(server: Server) -> list[tuple[Beacon, int]]:
    """Return the awaited rounds that have not come."""
    with server.reading() as tx:
        rounds = rounds_due(tx)
    return [
        (beacon.KNOWN_CHAINS[chain], number) for chain, number in rounds if (chain, number) not in server.caches.rounds
    ]


def store_beacon_round(
    server: Server, chain: Beacon, number: int, signature: bytes, check: VerifyRound = beacon.verify_round
) -> bool:
    """Store a round's value for waiting games; False, and not stored, if invalid."""
    if not check(chain, number, signature):
        log.warning("no round of this chain", chain=chain.hash, round=number)
        return False
    server.caches.rounds[chain.hash, number] = signature
    drop_oldest(server.caches.rounds, MOST_KEPT_ROUNDS)
    return True


def fetch_rounds(server: Server, network: Ask, check: VerifyRound = beacon.verify_round) -> int:
    """Fetch all awaited rounds that have not come; return how many came."""
    count = 0
    for chain, number in missing_rounds(server):
        value = network(chain, number)
        count += value is not None and store_beacon_round(server, chain, number, value, check)
    return count
