"""Derive the lots of a draw from its list, the beacon and the key of the dice.

``beta = SECRET(alpha(list, beacon, "draw"))``, and the lot of a label is one die of 2**32 faces of the stream of
beta, less one. Anybody with the rules, the list and the earlier results draws the same pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from pbem.audit import beacon, blocks, dice, vrf
from pbem.audit.draws import DrawList
from pbem.audit.tournament_leaves import DRAW_GROUP, LATER_GROUP
from pbem.engine.data.messages import Msg, msg
from pbem.letters.content import moment_in_words
from pbem.log import closing_times, keyring
from pbem.log.closing_times import second
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import leaves, post, record
from pbem.tournaments.arithmetic.entrants import Entrant, Lots, TableResult
from pbem.tournaments.arithmetic.pairing.drawn import PairingManner, RoundInput
from pbem.tournaments.verdicts import record_verdict

_FACES = 2**32
"""Faces of a lot: as many as a die of the log may have (`audit.dice.word_octets`), so that two are seldom equal."""


def round_input_of(
    draw_list: DrawList, within: int, results: tuple[TableResult, ...], manner: PairingManner
) -> RoundInput:
    """Return the input of a draw: round `within` of its stage, with earlier results.

    In the list rounds are counted through all stages, in the input within the stage.
    """
    earlier_rounds = draw_list.round - within
    entrants = tuple(
        Entrant(
            entry.number,
            entry.strength,
            entry.team,
            frozenset(
                high if low == entry.number else low for low, high in draw_list.barred if entry.number in (low, high)
            ),
            entry.pace,
            entry.zone,
            # Counted within the stage: who entered before it is there from its first round on.
            max(1, entry.since - earlier_rounds),
        )
        for entry in draw_list.entrants
    )
    start = {entry.number: entry.halves for entry in draw_list.entrants}
    return RoundInput(within, entrants, results, frozenset(draw_list.away), start, manner, draw_list.challenges)


def vrf_proof_of_draw(tx: Transaction, chain: str, list_block: bytes, sig: bytes | None) -> bytes:
    """Return the 80-byte proof of a draw's secret, by the key of its list's closing.

    A change of the key between the list and the draw does not change the lots.
    """
    closing_leaf = queries.log.last_leaf_of_kind(tx.session, chain, "shut")
    return keyring.in_force(tx, closing_leaf.number if closing_leaf is not None else None).prove(
        blocks.vrf_input(list_block, sig, DRAW_GROUP)
    )


def lots_from_secret(beta: bytes) -> Lots:
    """Return the lots of a draw from its secret of 64 bytes."""
    stream = dice.DiceStream(beta)
    return lambda label: stream.roll(label, 1, _FACES)[0] - 1


def zero_lots(label: str) -> int:
    """Return 0, the lot of every label before any draw."""
    return 0


# Lots requested after a draw: for juries, for ties, for games cut off by the end of a round.
#
# No entrant can compute them before they are requested. The leaf `lot-needed` is appended then and names a
# round of the beacon that is still to come; the secret is that of ``alpha(group later, this leaf, the beacon's
# signature)``. Without a beacon it follows at once, and only this server could know or choose it. After the decision
# `lot-drawn` publishes the proof, and the drawn entrants::
#
#     lot = lots.request_or_read_lot(work, event, "ties/r2")     None while they are awaited
#     lots.lots_by_label(lot)("tie/e3")                 a number of 32 bits
#     lots.publish_proof(work, event, lot)
#
# A tournament of version 1 has none: its lots are those of the round's draw.


class LotCandidates(NamedTuple):
    """The candidates of lots: all of `first` rank before all of `then`."""

    first: tuple[int, ...] = ()
    then: tuple[int, ...] = ()


def candidates_of(lot: tables.Lot) -> LotCandidates:
    """Return the entrants that a lot decides between, read from its row."""
    return LotCandidates(*(tuple(map(int, group.split())) for group in (lot.first, lot.then)))


def newest_lot(tx: Transaction, event: tables.Tournament, stem: str) -> tables.Lot | None:
    """Return the newest lots of a stem (their name without an attempt), or None."""
    return next(reversed(queries.tournaments.lots(tx.session, event.id, stem)), None)


def request_or_read_lot(
    tx: Transaction,
    event: tables.Tournament,
    stem: str,
    candidates: LotCandidates | None = None,
    is_stale: Callable[[tables.Lot], bool] = lambda lot: False,
) -> tables.Lot | None:
    """Return drawn lots for a purpose; None while their beacon round is awaited.

    `stem` names the purpose, such as ``jury/D4``. Lots are requested the first time, and again when `is_stale` says so
    of the earlier ones.
    """
    lot = newest_lot(tx, event, stem)
    if lot is None or is_stale(lot):
        lot = _request_lot(
            tx, event, stem, candidates or LotCandidates(), beacon.CHAINS_OF_TERMS[record.rules_of(event).table.beacon]
        )
    if not lot.proof and not _try_draw(tx, event, lot):
        if lot.beacon == "none" or lot.draws + tx.server.settings.late > tx.now:
            return None
        lot = _draw_without_beacon(tx, event, lot)
    return lot


def request_or_draw_lots(
    tx: Transaction, event: tables.Tournament, stem: str, is_stale: Callable[[tables.Lot], bool]
) -> bool:
    """Request or draw lots; return whether either was done."""
    lot_before = newest_lot(tx, event, stem)
    state_before = lot_before and (lot_before.id, lot_before.proof)
    request_or_read_lot(tx, event, stem, is_stale=is_stale)
    lot_after = newest_lot(tx, event, stem)
    return state_before != (lot_after and (lot_after.id, lot_after.proof))


def _request_lot(
    tx: Transaction, event: tables.Tournament, stem: str, candidates: LotCandidates, chain: str
) -> tables.Lot:
    """Append the leaf that requests lots and names their beacon round."""
    count = len(queries.tournaments.lots(tx.session, event.id, stem)) + 1
    draws, number = tx.now, 0
    if chain != "none":
        delta = Terms.from_words(record.rules_of(event).table.terms).delta
        number = closing_times.round_of(chain, second(tx.now) + delta)
        draws = datetime.fromtimestamp(beacon.round_time(beacon.KNOWN_CHAINS[chain], number), UTC)
    name = stem if count == 1 else f"{stem}/{count}"
    says = (
        ("lot", name),
        *(
            (key, " ".join(f"e{number}" for number in sorted(group)) or "-")
            for key, group in candidates._asdict().items()
        ),
        ("chain", chain),
        ("beacon", str(number)),
    )
    noted = leaves.record_leaf(tx, event, "lot-needed", says)
    lot = tables.Lot(
        tournament_id=event.id,
        stem=stem,
        name=name,
        seq=noted.seq,
        first=record.numbers_to_column(candidates.first),
        then=record.numbers_to_column(candidates.then),
        needed=tx.now,
        draws=draws,
        beacon=f"{chain} {number}" if number else "none",
    )
    tx.session.add(lot)
    tx.session.flush()
    return lot


def _try_draw(tx: Transaction, event: tables.Tournament, lot: tables.Lot) -> bool:
    """Draw lots whose beacon round is out; return False if it is not known yet."""
    chain, _, number = lot.beacon.partition(" ")
    sig = tx.server.caches.rounds.get((chain, int(number))) if number else None
    if number and (sig is None or lot.draws > tx.now):
        return False
    rows = queries.log.leaves(tx.session, leaves.log_name_of(event), "lot-needed")
    leaf = next(row for row in rows if row.seq == lot.seq)
    lot.sig = sig.hex() if sig is not None else ""
    lot.proof = keyring.in_force(tx, leaf.number).prove(blocks.vrf_input(leaf.body, sig, LATER_GROUP)).hex()
    tx.session.add(lot)
    tx.session.flush()
    return True


def _draw_without_beacon(tx: Transaction, event: tables.Tournament, late: tables.Lot) -> tables.Lot:
    """Draw lots by this server alone, and notify all entrants.

    This is done if the beacon round of the lots is hours late.
    """
    number = late.beacon.partition(" ")[2]
    record_verdict(tx, event, f"LOTS {late.name}", f"round {number} of the public beacon did not come")
    retire_lot(tx, late)
    lot = _request_lot(tx, event, late.stem, candidates_of(late), "none")
    _try_draw(tx, event, lot)

    def tell(row: tables.Entrant) -> post.LetterContent:
        sentence = msg(
            "Lots ({name}) waited for round {round} of the public beacon, which should have come out at {when} and "
            "cannot be had.",
            name=late.name,
            round=number,
            when=moment_in_words(late.draws, row.zone),
        )
        return post.LetterContent(msg("lots without the beacon"), (sentence, _ALONE))

    post.mail_all(tx, event, tell, f"lots {lot.name}")
    return lot


_ALONE = msg(
    "They are drawn by this server alone: no entrant can know them before, but whoever runs it could know and choose "
    "them. The log opens them once they have decided."
)


def lot_method_text(lot: tables.Lot, zone: str) -> Msg:
    """Return how and when lots are drawn, in words."""
    chain, _, number = lot.beacon.partition(" ")
    if chain == "none":
        return _ALONE
    return msg(
        "The lots follow from round {round} of the public beacon, which comes out at {when}: before that nobody can "
        "know them. The log opens them once they have decided.",
        round=number,
        when=moment_in_words(lot.draws, zone),
    )


def tie_lots_lines(tx: Transaction, event: tables.Tournament, stem: str) -> list[Msg]:
    """Return how the lots of a table's ties were drawn; empty if there were none."""
    lot = newest_lot(tx, event, stem)
    if lot is None or not lot.proof:
        return []
    if lot.beacon == "none":
        sentence = msg(
            "Lots part those who are level. This server alone drew them, when the round was over: no entrant could "
            "know them before, but whoever runs it could know and choose them."
        )
        return [sentence]
    number = lot.beacon.partition(" ")[2]
    return [
        msg(
            "Lots part those who are level. They follow from round {round} of the public beacon, which was fixed when "
            "the round was over, before it came out.",
            round=number,
        )
    ]


def lots_by_label(lot: tables.Lot) -> Lots:
    """Return the lots by their labels."""
    return lots_from_secret(secret_of_lot(lot))


def secret_of_lot(lot: tables.Lot) -> bytes:
    """Return the secret of drawn lots: 64 bytes."""
    return vrf.output_of(bytes.fromhex(lot.proof))


def publish_proof(
    tx: Transaction, event: tables.Tournament, lot: tables.Lot | None, drawn_numbers: tuple[int, ...] = ()
) -> None:
    """Log the proof of used lots, with the drawn entrants in order.

    Nothing is logged if the lots were not drawn.
    """
    if lot is None or lot.shown:
        return
    if lot.proof:
        says = (
            ("lot", lot.name),
            ("asked", " ".join(f"e{number}" for number in drawn_numbers) or "-"),
            ("sig", lot.sig or "none"),
            ("group", f"{LATER_GROUP} {lot.proof}"),
        )
        leaves.record_leaf(tx, event, "lot-drawn", says)
    retire_lot(tx, lot)


def retire_lot(tx: Transaction, lot: tables.Lot) -> None:
    """Mark lots as no longer needed."""
    lot.shown = True
    tx.session.add(lot)
    tx.session.flush()


def pending_lots(tx: Transaction, event: tables.Tournament, *start: str) -> list[tables.Lot]:
    """Return the lots still needed whose stem begins with these parts."""
    rows = queries.tournaments.lots(tx.session, event.id) if event.version > 1 else ()
    return [lot for lot in rows if not lot.shown and lot.stem.split("/")[: len(start)] == [*start]]
