"""Seed entrants by hand, or from a list of ratings, before the first list shuts.

::

    SEED 7 1850, 3 1700 BECAUSE of the club's list      e7 and e3 count with these strengths from now on

    entrant,rating        a CSV for `pbem event seed`; with `email` instead, people who have not entered are left out
    e7,1850
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import NamedTuple

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import msg
from pbem.letters.ruling_records import Ruling, RulingInProgress, RulingLine, UndoableRuling
from pbem.runtime.transaction import Transaction, UserError
from pbem.store import queries, tables
from pbem.tournaments import entrant_rulings, record
from pbem.tournaments.entrant_rulings import DirectorContext

_COLUMNS = ("entrant,rating", "email,rating")
"""The first lines that a list may have."""
_PAIR = r"e?\d{1,4} \d{1,4}"
# Entrants with their new seed numbers: a list of pairs, and one pair.
# Numbers have up to four digits, as many as `entry.places` can have.
_PAIRS = re.compile(rf"(?P<pairs>{_PAIR}(?:, ?{_PAIR})*)")
_SEEDED = re.compile(r"E?(\d{1,4}) (\d{1,4})")


class SeedingRuling(NamedTuple):
    """The ruling that a list of ratings asks for; `others` are people not entered."""

    line: str
    others: tuple[str, ...]


def read_seed_list(tx: Transaction, event: tables.Tournament, text: str, because: str) -> SeedingRuling:
    """Read a list of ratings as CSV.

    Raise UserError, naming the line that cannot be read.
    """
    rows = csv.DictReader(text.lstrip("\ufeff").splitlines())
    key = next((name for name in ("entrant", "email") if name in (rows.fieldnames or ())), None)
    if key is None or "rating" not in (rows.fieldnames or ()):
        raise UserError(msg("The first line of the list names its columns: {columns}.", columns=_COLUMNS))
    entrants = {row.person_id: row.number for row in queries.tournaments.entrants(tx.session, event.id)}
    pairs, others = [], []
    for row in rows:
        name, rating = (row[key] or "").strip(), (row["rating"] or "").strip()
        number = name.removeprefix("e")
        if key == "email":
            person = queries.persons.person_by_email(tx.session, name)
            number = str(entrants.get(person.id or 0, "")) if person is not None else ""
            if not number:
                others.append(name)
                continue
        if re.fullmatch(_PAIR, f"{number} {rating}") is None:
            text = f"{name},{rating}"
            raise UserError(
                msg("Line {line} of the list is no entrant with a rating: {text}", line=rows.line_num, text=text)
            )
        pairs.append(f"{number} {rating}")
    if not pairs:
        raise UserError(msg("Nobody of the list has entered {event}.", event=event.id))
    return SeedingRuling(f"SEED {', '.join(pairs)} BECAUSE {because}", tuple(others))


def _strengths_in(line: str) -> dict[int, int]:
    """Return strengths by entrant.

    Raise UserError if the line names an entrant twice.
    """
    pairs = [(int(number), int(strength)) for number, strength in _SEEDED.findall(line)]
    number, count = Counter(number for number, _ in pairs).most_common(1)[0]
    if count > 1:
        raise UserError(msg("e{number} is named twice.", number=number))
    return dict(pairs)


def _require_unlisted(tx: Transaction, event: tables.Tournament) -> None:
    """Raise UserError once the first list is shut, or if strengths do not seed."""
    entrant_rulings.require_state(event, "open", "playing", "held")
    if any(round_.slate for round_ in queries.tournaments.rounds(tx.session, event.id)):
        raise UserError(msg("The list of round 1 is shut: seeds stay as they are."))
    seeds = record.rules_of(event).entry.seeds
    if seeds != "rating":
        raise UserError(msg("The rules seed by {key}: SEED changes nothing.", key=f'entry.seeds = "{seeds}"'))


def _seed(tx: DirectorContext, line: RulingLine) -> UndoableRuling:
    event = tx.event
    _require_unlisted(tx, event)
    strengths = _strengths_in(line["pairs"].upper())
    rows = {number: entrant_rulings.single_entrant(tx, event, str(number)) for number in strengths}
    for row in rows.values():
        if row.state != "in":
            raise UserError(msg("{who} does not play: ADMIT comes before.", who=record.public_entrant_name(row)))
    seeded = tuple(
        msg("{who} {strength}", who=record.public_entrant_name(row), strength=strengths[number])
        for number, row in rows.items()
    )
    yield (msg("Strengths for seeds and pairings: {seeded}.", seeded=seeded),)
    before = {str(number): row.strength for number, row in rows.items()}
    _set_strengths(tx, strengths)
    return dumps(before)


def _set_strengths(tx: DirectorContext, strengths: dict[int, int]) -> None:
    for row in queries.tournaments.entrants(tx.session, tx.event.id):
        row.strength = strengths.get(row.number, row.strength)
        tx.session.add(row)
    tx.session.flush()


def _undo_seeds(tx: DirectorContext, line: RulingLine, before: str) -> RulingInProgress:
    """Restore former strengths of entrants, unless a later line gave others."""
    _require_unlisted(tx, tx.event)
    strengths = {int(number): int(strength) for number, strength in loads(before).items()}
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, tx.event.id)}
    given = _strengths_in(line["pairs"].upper())
    if any(rows[number].strength != strength for number, strength in given.items()):
        raise UserError(msg("A later SEED names one of them: UNDO that before."))
    yield (msg("{line} does not count.", line=line.message()),)
    _set_strengths(tx, strengths)


RULINGS = (Ruling("SEED", "SEMBRAR", _seed, "7 1850, 3 1700", _PAIRS, "capitals", often=0, undo=_undo_seeds),)
