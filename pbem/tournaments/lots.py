"""The lots of a draw: from its list (`audit.contests.draws`) and the beacon, by the key of the dice.

``beta = SECRET(alpha(list, beacon, "draw"))``, and the lot of a label is one die of 2**32 faces of the stream of beta,
less one. From rules, list and the results before it anybody draws the same.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from pbem.audit import beacon, blocks, dice, vrf
from pbem.audit.draws import Draw
from pbem.audit.tournament_leaves import DRAW, LATER
from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import when
from pbem.log import closing_times, keyring
from pbem.log.closing_times import second
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import leaves, post, record
from pbem.tournaments.arithmetic.entrants import Entrant, Lots, Result
from pbem.tournaments.arithmetic.pairing.drawn import Field, Manner
from pbem.tournaments.verdicts import note_verdict

_FACES = 2**32


def field_of(listed: Draw, within: int, results: tuple[Result, ...], manner: Manner) -> Field:
    """What a list asks to be drawn: round `within` of its stage, after these results of the stage.

    In the list rounds are counted through all stages, in the field within the stage.
    """
    before = listed.round - within
    entrants = tuple(
        Entrant(
            one.number,
            one.strength,
            one.team,
            frozenset(b if a == one.number else a for a, b in listed.barred if one.number in (a, b)),
            one.pace,
            one.zone,
            max(1, one.since - before),
        )
        for one in listed.entrants
    )
    start = {one.number: one.halves for one in listed.entrants}
    return Field(within, entrants, results, frozenset(listed.away), start, manner, listed.challenges)


def proof_of(work: Work, chain: str, listed: bytes, sig: bytes | None) -> bytes:
    """The proof of a draw's secret, by the key that was in force when its list was shut: 80 bytes.

    Whoever changes the key between the list and the draw draws no other lots by it.
    """
    shut = queries.log.last_of(work.session, chain, "shut")
    return keyring.in_force(work, shut.number if shut is not None else None).prove(blocks.alpha(listed, sig, DRAW))


def lots_of(beta: bytes) -> Lots:
    """The lots of a draw by its secret of 64 bytes."""
    stream = dice.Stream(beta)
    return lambda label: stream.roll(label, 1, _FACES)[0] - 1


def no_lots(label: str) -> int:
    """The lots before anything was drawn: all alike."""
    return 0


# Lots that are needed after a draw: for juries, for ties, for games that the end of a round cuts off.
#
# Nobody among the entrants can reckon them before they are needed. The leaf `lot-needed` is written then and names a
# round of the beacon that is still to come; the secret is that of ``alpha(group later, this leaf, the beacon's
# signature)``. Without a beacon it follows at once, and only this server could know or choose it. Once what the lots
# decide is over, `lot-drawn` tells the proof, and who was drawn::
#
#     lot = lots.ready(work, event, "ties/r2")     None while they are awaited
#     lots.lots_from(lot)("tie/e3")                      a number of 32 bits
#     lots.show(work, event, lot)
#
# A tournament of version 1 has none: its lots are those of the round's draw.


class Among(NamedTuple):
    """Who may be drawn: `first` those who are taken before anybody of `then`."""

    first: tuple[int, ...] = ()
    then: tuple[int, ...] = ()


def among_of(lot: tables.Lot) -> Among:
    """Return who may be drawn by lots."""
    return Among(*(tuple(map(int, some.split())) for some in (lot.first, lot.then)))


def newest(work: Work, event: tables.Tournament, stem: str) -> tables.Lot | None:
    """Return the newest lots for something; None if none were needed yet."""
    return next(reversed(queries.tournaments.lots(work.session, event.id, stem)), None)


def ready(
    work: Work,
    event: tables.Tournament,
    stem: str,
    among: Among | None = None,
    is_stale: Callable[[tables.Lot], bool] = lambda lot: False,
) -> tables.Lot | None:
    """Return the lots for something, drawn; None while their round of the beacon is awaited.

    They are asked for the first time, and when those before `is_stale`.
    """
    lot = newest(work, event, stem)
    if lot is None or is_stale(lot):
        lot = _need(work, event, stem, among or Among(), beacon.CHAINS[record.rules_of(event).table.beacon])
    if not lot.proof and not _draw(work, event, lot):
        if lot.beacon == "none" or lot.draws + work.server.settings.late > work.now:
            return None
        lot = _without_beacon(work, event, lot)
    return lot


def step(work: Work, event: tables.Tournament, stem: str, is_stale: Callable[[tables.Lot], bool]) -> bool:
    """Ask for lots, or draw them; whether either was done."""
    before = newest(work, event, stem)
    known = before and (before.id, before.proof)
    ready(work, event, stem, is_stale=is_stale)
    after = newest(work, event, stem)
    return known != (after and (after.id, after.proof))


def _need(work: Work, event: tables.Tournament, stem: str, among: Among, chain: str) -> tables.Lot:
    """Write the leaf that needs lots, and which round of the beacon they follow from."""
    count = len(queries.tournaments.lots(work.session, event.id, stem)) + 1
    draws, number = work.now, 0
    if chain != "none":
        delta = Terms.from_words(record.rules_of(event).table.terms).delta
        number = closing_times.round_of(chain, second(work.now) + delta)
        draws = datetime.fromtimestamp(beacon.moment(beacon.KNOWN[chain], number), UTC)
    name = stem if count == 1 else f"{stem}/{count}"
    says = (
        ("lot", name),
        *((key, " ".join(f"e{one}" for one in sorted(some)) or "-") for key, some in among._asdict().items()),
        ("chain", chain),
        ("beacon", str(number)),
    )
    noted = leaves.note(work, event, "lot-needed", says)
    lot = tables.Lot(
        tournament_id=event.id,
        stem=stem,
        name=name,
        seq=noted.seq,
        first=record.words_of(among.first),
        then=record.words_of(among.then),
        needed=work.now,
        draws=draws,
        beacon=f"{chain} {number}" if number else "none",
    )
    work.session.add(lot)
    work.session.flush()
    return lot


def _draw(work: Work, event: tables.Tournament, lot: tables.Lot) -> bool:
    """Draw lots whose round is out; False if it is not here yet."""
    chain, _, number = lot.beacon.partition(" ")
    sig = work.server.caches.rounds.get((chain, int(number))) if number else None
    if number and (sig is None or lot.draws > work.now):
        return False
    rows = queries.log.leaves(work.session, leaves.chain_of(event), "lot-needed")
    leaf = next(row for row in rows if row.seq == lot.seq)
    lot.sig = sig.hex() if sig is not None else ""
    lot.proof = keyring.in_force(work, leaf.number).prove(blocks.alpha(leaf.body, sig, LATER)).hex()
    work.session.add(lot)
    work.session.flush()
    return True


def _without_beacon(work: Work, event: tables.Tournament, late: tables.Lot) -> tables.Lot:
    """The round did not come for hours: the lots are drawn by this server alone, and all are told so."""
    number = late.beacon.partition(" ")[2]
    note_verdict(work, event, f"LOTS {late.name}", f"round {number} of the public beacon did not come")
    drop(work, late)
    lot = _need(work, event, late.stem, among_of(late), "none")
    _draw(work, event, lot)

    def tell(row: tables.Entrant) -> post.Told:
        told = msg(
            "Lots ({name}) waited for round {round} of the public beacon, which should have come out at {when} and "
            "cannot be had.",
            name=late.name,
            round=number,
            when=when(late.draws, row.zone),
        )
        return post.Told(msg("lots without the beacon"), (told, _ALONE))

    post.to_all(work, event, tell, f"lots {lot.name}")
    return lot


_ALONE = msg(
    "They are drawn by this server alone: no entrant can know them before, but whoever runs it could know and choose "
    "them. The log opens them once they have decided."
)


def how_drawn(lot: tables.Lot, zone: str) -> Msg:
    """What readers are told of how lots are drawn, and when."""
    chain, _, number = lot.beacon.partition(" ")
    if chain == "none":
        return _ALONE
    return msg(
        "The lots follow from round {round} of the public beacon, which comes out at {when}: before that nobody can "
        "know them. The log opens them once they have decided.",
        round=number,
        when=when(lot.draws, zone),
    )


def told_when_over(work: Work, event: tables.Tournament, stem: str) -> list[Msg]:
    """What readers of a table are told of the lots that part those level in it; nothing where none did."""
    lot = newest(work, event, stem)
    if lot is None or not lot.proof:
        return []
    if lot.beacon == "none":
        told = msg(
            "Lots part those who are level. This server alone drew them, when the round was over: no entrant could "
            "know them before, but whoever runs it could know and choose them."
        )
        return [told]
    number = lot.beacon.partition(" ")[2]
    return [
        msg(
            "Lots part those who are level. They follow from round {round} of the public beacon, which was fixed when "
            "the round was over, before it came out.",
            round=number,
        )
    ]


def lots_from(lot: tables.Lot) -> Lots:
    """The lots by their labels."""
    return lots_of(beta_of(lot))


def beta_of(lot: tables.Lot) -> bytes:
    """The secret of lots that are drawn: 64 bytes."""
    return vrf.output_of(bytes.fromhex(lot.proof))


def show(work: Work, event: tables.Tournament, lot: tables.Lot | None, asked: tuple[int, ...] = ()) -> None:
    """Tell the proof of lots that have decided, and who was drawn in that order; nothing if they were not drawn."""
    if lot is None or lot.shown:
        return
    if lot.proof:
        says = (
            ("lot", lot.name),
            ("asked", " ".join(f"e{one}" for one in asked) or "-"),
            ("sig", lot.sig or "none"),
            ("group", f"{LATER} {lot.proof}"),
        )
        leaves.note(work, event, "lot-drawn", says)
    drop(work, lot)


def drop(work: Work, lot: tables.Lot) -> None:
    """Nothing needs these lots any more."""
    lot.shown = True
    work.session.add(lot)
    work.session.flush()


def awaited(work: Work, event: tables.Tournament, *start: str) -> list[tables.Lot]:
    """Return the lots that are still needed and whose stem begins so."""
    rows = queries.tournaments.lots(work.session, event.id) if event.version > 1 else ()
    return [lot for lot in rows if not lot.shown and lot.stem.split("/")[: len(start)] == [*start]]
