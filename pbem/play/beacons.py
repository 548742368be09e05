"""Games whose dice wait for a public beacon: the closed list is told to all, then a round comes out, then the dice.

The round is fixed by the closing time, which the log has said before. Between close and roll the phase is closed and a
row of `due` stands for the round, from the moment on at which it should be out. It is waited for as long as it takes,
and nothing takes its place but what a ruling says once it is hours late. `awaited` says which rounds are waited for,
and whoever has asked the network for them brings them by `arrive`, which believes nobody: only the one signature that
the chain's key fits is the round. Of a round that is hours late everybody is told, and that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from pbem.audit import beacon, leaves, rolls
from pbem.audit.beacon import Beacon, Check
from pbem.engine.data.messages import Msg, msg
from pbem.lazy import Logger
from pbem.letters import content, moderators, outbox
from pbem.log import closing_times, sequencer
from pbem.log.closing_times import second
from pbem.play import adjudication, log_entries, phase_states
from pbem.play.adjudication import PhaseInput
from pbem.play.positions import Position, game_named
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Act, Kind, Server, Transaction
from pbem.store import hot_statements, queries, tables

log = Logger(__name__)

ROUND = "round"
"""The kind of a due row that stands for a round; its cause is the chain's hash and the number."""

LATE = "late"
"""The kind of a due row that says so when a round is late; its cause is that of the round."""

BOARD = "board"
"""The kind of a due row of a closed phase whose board waits for other tables; its cause is the board."""

UNBOUND = ("board", 0)
"""What a list waits for whose board was not bound yet."""

_AGAIN = timedelta(days=1)
_LOOK = timedelta(hours=1)

Ask = Callable[[Beacon, int], bytes | None]
"""Asks the network for a round of a chain: its signature, or None if nobody has it now."""


def is_used(game: tables.Game) -> bool:
    """Whether the dice of a game wait for a beacon."""
    return Terms.read(game.terms).beacon != "none"


def will_wait(work: Transaction, name: str) -> bool:
    """Whether a game is to begin whose dice wait for a beacon; Broken if there is none of that name."""
    game = game_named(work.session, name)
    return game.state == "forming" and is_used(game)


class ClosedLists(NamedTuple):
    """The lists of a phase that are closed, and what the beacon has said by now for the first of them.

    A value is None where a ruling has a list wait for no round. `changed` are the chains and rounds that rulings have
    lists wait for in the place of their own, by segment; `bound` are those that their boards wait for.
    """

    slates: tuple[bytes, ...]
    values: tuple[bytes | None, ...]
    changed: Mapping[int, tuple[str, int]] = MappingProxyType({})
    bound: Mapping[int, tuple[str, int]] = MappingProxyType({})

    @property
    def waits_for(self) -> tuple[str, int] | None:
        """The chain and the number of the round that a list still waits for; UNBOUND while that is not known."""
        waiting = self.slates[len(self.values) :]
        return self.round_of(waiting[0]) if waiting else None

    def round_of(self, slate: bytes) -> tuple[str, int]:
        """The chain and the number of the round that the dice of a list follow from."""
        read = rolls.parse_slate(slate)
        return self.changed.get(read.segment, self.bound.get(read.segment, (read.chain, read.round)))


def so_far(work: Transaction, phase: tables.Phase, slates: Sequence[bytes] = ()) -> ClosedLists:
    """Return the closed lists of a phase by the log, and their beacon values by the log or, if newer, from memory.

    `slates` are those that it was closed with before, if it is resolved once more.
    """
    name = rolls.parse_slate(slates[0]).phase if slates else str(outbox.phase_of(phase))
    rows = queries.log.leaves(work.session, phase.game_id, "close", "roll", "beacon-change", phase=name)
    slates = tuple(row.opens.encode("utf-8") for row in rows if row.kind == "close")
    told = [leaves.parse(row.body, row.says) for row in rows]
    changed = {
        leaf.number("segment"): (leaf("chain"), leaf.number("round")) for leaf in told if leaf.kind == "beacon-change"
    }
    sigs = [leaf("sig") for leaf in told if leaf.kind == "roll"]
    said = [None if sig == "none" else bytes.fromhex(sig) for sig in sigs]
    held = ClosedLists(slates, tuple(said), changed, _bound(work, slates))
    for slate in slates[len(said) :]:
        wanted = held.round_of(slate)
        value = work.server.caches.rounds.get(wanted)
        if value is None and wanted[0] != "none":
            break
        said.append(value)
    return held._replace(values=tuple(said))


def _bound(work: Transaction, slates: Sequence[bytes]) -> dict[int, tuple[str, int]]:
    """What lists wait for whose tables have one luck, by segment."""
    found: dict[int, tuple[str, int]] = {}
    for segment, slate in enumerate(slates, 1):
        if called := closing_times.board_in(slate):
            done = closing_times.bound_board(work.session, called)
            found[segment] = UNBOUND if done is None else (done.chain, done.round)
    return found


def waits(work: Transaction, phase: tables.Phase) -> bool:
    """Whether the dice of a phase wait for something once its list is closed: a beacon's round, or other tables."""
    game = work.session.get_one(tables.Game, phase.game_id)
    if is_used(game) or not Terms.read(game.terms).board:
        return is_used(game)
    name = str(outbox.phase_of(phase))
    rows = queries.log.leaves(work.session, game.id, "close", phase=name)
    if rows:
        return bool(closing_times.board_in(rows[0].opens.encode("utf-8")))
    return closing_times.dice_for(work, game, name) != closing_times.OWN


def close_lists(
    work: Transaction, here: Position, phase: tables.Phase, inputs: PhaseInput, notes: Mapping[str, Sequence[Msg]]
) -> bool:
    """Close the next list if one is to be closed, tell everybody, and wait; False if all lists have their rounds.

    The lists of `matter` and their values are those of `so_far`.
    """
    held = so_far(work, phase)
    if len(inputs.slates) <= len(inputs.pauses):
        name = str(outbox.phase_of(phase))
        known = sequencer.at_hand(work.session, phase.game_id, name)
        said, opened = known.newest("open", "deadline"), known.newest("open")
        if said is None or opened is None:
            raise LookupError(f"the log does not say when {name} closes")
        waits_for = f"{opened('chain')} {said('round')}" if opened("chain") != "none" else "none"
        slates = adjudication.slates_of(inputs, waits_for)
        log_entries.note_slates(work, here, phase, slates)
        held = held._replace(slates=slates)
        phase_states.keep_waiting(work.session, phase)
        if called := closing_times.board_in(slates[-1]):
            # Who closes last binds the board, and all of its tables are told.
            wait_for_tables(work, here.game, called)
            return True
        _tell(work, here, phase, rolls.parse_slate(slates[-1]).beacon, notes)
    if held.waits_for is None:
        return False
    if held.waits_for == UNBOUND:
        return True
    await_round(work, here.game, *held.waits_for)
    return True


def board_of(work: Transaction, phase: tables.Phase) -> str:
    """The board whose dice a closed phase has; empty if they are its own."""
    slates = so_far(work, phase).slates
    return closing_times.board_in(slates[-1]) if slates else ""


def wait_for_tables(work: Transaction, game: tables.Game, called: str) -> None:
    """Bind a board if this is its last table, so that all go on; else look again from time to time."""
    there = closing_times.bind_board(work, called)
    for table in there:
        hot_statements.plan(work.session, table, BOARD, called, work.now)
    if not there:
        hot_statements.plan(work.session, game.id, BOARD, called, work.now + _LOOK)


def look_at_board(work: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """Whether a closed phase can go on because its board was bound; else it is looked at again."""
    called = due.cause
    work.session.delete(due)
    work.session.flush()
    if phase.state != "closed" or board_of(work, phase) != called:
        return False
    done = closing_times.bound_board(work.session, called)
    if done is None:
        wait_for_tables(work, here.game, called)
        return False
    _tell(work, here, phase, f"{done.chain} {done.round}" if done.round else "none", {})
    return True


def await_round(work: Transaction, game: tables.Game, chain: str, number: int) -> None:
    """Plan for a round that a closed phase waits for, and for its being late; also after a game was held."""
    out = datetime.fromtimestamp(beacon.moment(beacon.KNOWN[chain], number), UTC)
    hot_statements.plan(work.session, game.id, ROUND, cause(chain, number), out)
    hot_statements.plan(work.session, game.id, LATE, cause(chain, number), out + work.server.settings.late)


def late(work: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> None:
    """A round should have come out long ago: say so to all, and to who moderates and runs it once more each day."""
    chain, _, number = due.cause.partition(" ")
    out = datetime.fromtimestamp(beacon.moment(beacon.KNOWN[chain], int(number)), UTC)
    first = due.at <= out + work.server.settings.late
    told = f"late {phase.id} {number} {due.at.isoformat()}"

    def opening(zone: str) -> Sequence[Msg]:
        when = content.when(out, zone)
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

    if first:
        outbox.to_all(work, here.game, phase, outbox.Circular(opening, cause=told))
    todo = msg("Whoever runs the server: `pbem doctor` tries each relay that is named in the settings.")
    moderators.notify(work, here.game, moderators.Memo((*opening("UTC"), todo), cause=told))
    what = msg(
        "In game {game} the dice wait for round {round} of the public beacon since {when}.",
        game=here.game.id,
        round=number,
        when=content.when(out, "UTC"),
    )
    detail = "pbem doctor tries each relay; name others under [beacon] if none answers"
    title = msg("a round of the beacon is late")
    outbox.to_operator(work, outbox.Notice(what, detail, cause=told, game=here.game.id, title=title))
    hot_statements.plan(work.session, here.game.id, LATE, due.cause, work.now + _AGAIN)


def wait_for_another(work: Transaction, game: tables.Game, phase: tables.Phase, chain: str, ruling: int) -> None:
    """By a ruling the list that waits for a round is to wait for one of this chain that is still to come, or for none.

    The caller goes on with the phase where it waits for none.
    """
    held = so_far(work, phase)
    if held.waits_for is None:
        raise LookupError(f"no list of {phase.game_id} waits for a round")
    number = closing_times.round_of(chain, second(work.now) + Terms.read(game.terms).delta)
    log_entries.note_beacon_change(work, phase, len(held.values) + 1, log_entries.Change(ruling, chain, number))
    hot_statements.forget_due(work.session, game.id, cause(*held.waits_for))
    if chain != "none":
        await_round(work, game, chain, number)


def cause(chain: str, number: int) -> str:
    """How the due row of a round names it."""
    return f"{chain} {number}"


def _tell(
    work: Transaction, here: Position, phase: tables.Phase, waits_for: str, notes: Mapping[str, Sequence[Msg]]
) -> None:
    """Write to every seat that the list is closed, and which round its dice wait for (chain and number, or ``none``).

    Where they wait for none they follow at once, and the report tells everything.
    """
    if waits_for == "none":
        return
    chain, _, number = waits_for.partition(" ")
    segment = len(so_far(work, phase).slates)
    out = datetime.fromtimestamp(beacon.moment(beacon.KNOWN[chain], int(number)), UTC)
    for seat in queries.games.seats(work.session, here.game.id):
        opening = (
            msg("Orders for turn {turn} are closed; nobody can change them any more.", turn=phase.turn),
            *_what_they_wait_for(int(number), content.when(out, seat.zone), is_out=out <= work.now),
            *notes.get(seat.name, ()),
        )
        head = outbox.head_of(work.server, here.game, seat, phase)
        letter = content.Letter("sealed", head, opening=opening).to_json()
        outbox.to_seat(work, letter, seat, here.game, cause=f"phase {phase.id} segment {segment}")
    about = f"phase {phase.id} segment {segment}"
    work.tell(Act(Kind.CLOSED, here.game, phase, number=here.number, cause=about))


def _what_they_wait_for(number: int, when: Msg, *, is_out: bool) -> Sequence[Msg]:
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


def awaited(work: Transaction) -> tuple[tuple[str, int], ...]:
    """The rounds, by chain and number, that games and draws of tournaments wait for and that should be out."""
    causes = {*queries.schedule.causes(work.session, ROUND, work.now)}
    causes |= {*queries.tournaments.rounds_awaited(work.session, work.now)}
    return tuple(sorted((chain, int(number)) for chain, number in (cause.split(" ") for cause in causes)))


def missing(server: Server) -> list[tuple[Beacon, int]]:
    """The rounds that are wanted and have not come."""
    with server.reading() as work:
        rounds = awaited(work)
    return [(beacon.KNOWN[chain], number) for chain, number in rounds if (chain, number) not in server.caches.rounds]


def arrive(server: Server, chain: Beacon, number: int, signature: bytes, check: Check = beacon.check) -> bool:
    """Keep the value of a round for the games that wait for it; False, and it is not kept, if it is not the round's."""
    if not check(chain, number, signature):
        log.warning("no round of this chain", chain=chain.hash, round=number)
        return False
    server.caches.rounds[chain.hash, number] = signature
    return True


def ask(server: Server, network: Ask, check: Check = beacon.check) -> int:
    """Ask for all rounds that are waited for and have not come; how many came."""
    came = 0
    for chain, number in missing(server):
        value = network(chain, number)
        came += value is not None and arrive(server, chain, number, value, check)
    return came
