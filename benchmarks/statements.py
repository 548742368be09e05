"""Compare the cost of each hot statement with the session's.

``python -m benchmarks.statements [ROUNDS]``

Argument: ROUNDS.

Rows are functions of `pbem.store.hot_statements`, each beside the same by the session, on a database in a file with a
played position's worth of rows. Both run in turns; the figures are microseconds of CPU a call, the least of all rounds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time_ns
from typing import Any, NamedTuple

from sqlalchemy import and_, delete, func, or_, update
from sqlmodel import Session, col, select

from pbem.store import hot_statements as hot
from pbem.store import migrations
from pbem.store import tables as t
from pbem.store.engine import open_engine
from pbem.store.queries.log import ChainLeaf, ShownMark
from pbem.store.session_cache import cache_of

# A choice: the least of them counts, which other work of the machine does not raise.
ROUNDS = 7
CALLS = 40
"""Calls of a round."""
# A choice: leaves of each game, as if some turns were played.
LEAVES = 400
# A fixed time: rows are alike in all runs.
NOON = datetime(2030, 1, 7, 12, tzinfo=UTC)
_NUMBERS = count(1)


class Row(NamedTuple):
    """A function of `hot_statements` by name, its call, and the session's equivalent."""

    name: str
    here: Callable[[Session, int], object]
    by_session: Callable[[Session, int], object]


def _write(session: Session, *rows: Any) -> None:
    session.add_all(rows)
    session.flush()


def _use(number: int) -> dict[str, Any]:
    return {"command": "status", "seat_id": 1, "person_id": 1, "phase_id": None, "about": "", "at": NOON}


def _outbox(number: int) -> dict[str, Any]:
    named = {"message_id": f"<{number}@x>", "kind": "status", "game_id": "g1", "seat_id": 1, "inbox_id": None}
    sent = {"recipient": "a@x", "envelope_sender": "b@x", "reply_to": "", "in_reply_to": "", "references": ""}
    return {**named, **sent, "language": "en", "created": NOON, "next_try": NOON}


def _leaf(number: int) -> ChainLeaf:
    return ChainLeaf(LEAVES + number, "order", "T1", b"x" * 300, b"y" * 200)


def _new_raw(session: Session, number: int) -> None:
    if session.get(t.Raw, f"h{number}") is None:
        _write(session, t.Raw(sha256=f"h{number}", body=b"x" * 900))


def _raws(number: int) -> list[dict[str, Any]]:
    return [{"sha256": f"h{number} {place}", "body": b"x" * 90} for place in range(10)]


def _add(session: Session, number: int) -> t.Use:
    row = hot.new_row(t.Use, **_use(number))
    hot.add_row(session, row)
    return row


def _delete(session: Session, number: int) -> None:
    row = t.Use(**_use(number))
    _write(session, row)
    session.delete(row)
    session.flush()


def _replan(session: Session, number: int) -> None:
    asked = select(t.Due).where(t.Due.game_id == "g1", t.Due.kind == "close", t.Due.cause == "phase")
    row = session.exec(asked).one_or_none() or t.Due(game_id="g1", kind="close", cause="phase", at=NOON)
    row.at, row.judged = NOON + timedelta(seconds=number), None
    _write(session, row)


def _earlier(session: Session, number: int) -> None:
    there = select(t.Inbox).where(t.Inbox.account == "a", t.Inbox.folder == "f", t.Inbox.uidvalidity == 1)
    session.exec(there.where(t.Inbox.uid == number)).all()
    session.exec(select(t.Inbox).where(t.Inbox.message_id == "<m@x>", col(t.Inbox.copy_of).is_(None))).all()


def _kinds_anew(session: Session, number: int) -> None:
    cache_of(session, "leaf kinds").clear()
    hot.leaf_kinds(session, "g1", "T9")


def _replan_both(session: Session, number: int) -> None:
    _replan(session, number)
    _replan(session, number + 1)


def _change(session: Session, number: int) -> None:
    session.info["seat"].spent = number
    session.flush()


_PLACE: dict[str, Any] = {"account": "a", "folder": "f", "uidvalidity": 1, "uid": 1}
_SEATS = select(t.Seat.id).where(t.Seat.game_id == "g1")
_RARE: tuple[Any, ...] = (
    select(t.Segment).join(t.Phase).where(t.Phase.game_id == "g1", t.Phase.turn == 1),
    *(select(table).where(col(table.seat_id).in_(_SEATS)) for table in (t.Absence, t.Later, t.StandingOrders)),
    *(select(table).where(table.game_id == "g1") for table in (t.Observer, t.Press, t.Witness)),
)
_IN_GAME = select(t.Leaf).where(t.Leaf.game == "g1").order_by(col(t.Leaf.seq))
_CLOSES = select(func.min(t.Due.at)).where(t.Due.game_id == "g1", t.Due.kind == "close")
_GAMES = ("g1", "g2", "g3", "g4")
_NODES = [(0, place) for place in range(12)]
_SENT: dict[str, Any] = {
    **{"format": "text", "state": "queued", "attempts": 0, "last_code": None, "last_text": "", "bounced": ""},
    **{"owner": "", "until": None},
}


def _numbers(number: int) -> dict[int, int]:
    """Return numbers for ten of the waiting leaves, others for each call of a round."""
    first = number % CALLS * 10
    return {LEAVES + offset + 1: LEAVES + offset for offset in range(first, first + 10)}


def _show(session: Session, number: int) -> None:
    row = session.get(t.Shown, 1) or t.Shown(seat_id=1, size=0, seq=0)
    row.size = row.seq = number
    _write(session, row)


ROWS = (
    Row(
        "insert_numbered",
        lambda s, n: hot.insert_numbered(s, t.Use, **_use(n)),
        lambda s, n: _write(s, t.Use(**_use(n))),
    ),
    Row(
        "insert_object",
        lambda s, n: hot.insert_object(s, hot.new_row(t.Use, **_use(n))),
        lambda s, n: _write(s, t.Use(**_use(n))),
    ),
    Row(
        "insert_rows",
        lambda s, n: hot.insert_rows(s, t.Raw, *_raws(n)),
        lambda s, n: _write(s, *(t.Raw(**row) for row in _raws(n))),
    ),
    Row("add_row", _add, lambda s, n: _write(s, t.Use(**_use(n)))),
    Row("delete_row", lambda s, n: hot.delete_row(s, _add(s, n)), _delete),
    Row(
        "insert_if_new",
        lambda s, n: hot.insert_if_new(s, t.Raw, sha256=f"h{n}", body=b"x" * 900),
        _new_raw,
    ),
    Row(
        "add_letter",
        lambda s, n: hot.add_letter(s, model="{}" * 400, **_outbox(n), **_SENT),
        lambda s, n: _write(s, t.Outbox(**_outbox(n), content=t.Content(model="{}" * 400))),
    ),
    Row("update_row", lambda s, n: hot.update_row(s, s.info["seat"], spent=n), _change),
    Row("schedule_job", lambda s, n: hot.schedule_job(s, "g1", "close", "phase", NOON + timedelta(seconds=n)), _replan),
    Row(
        "schedule_jobs",
        lambda s, n: hot.schedule_jobs(s, "g1", *(("close", cause, NOON + timedelta(seconds=n)) for cause in "ab")),
        _replan_both,
    ),
    Row(
        "delete_jobs",
        lambda s, n: hot.delete_jobs(s, "g1", "none"),
        lambda s, n: s.exec(delete(t.Due).where(col(t.Due.game_id) == "g1", col(t.Due.cause) == "none")),
    ),
    Row("select_earlier", lambda s, n: hot.select_earlier(s, {**_PLACE, "uid": n}, "<m@x>"), _earlier),
    Row(
        "delete_begun",
        lambda s, n: hot.delete_begun(s, _PLACE),
        lambda s, n: s.exec(delete(t.Begun).where(*(getattr(t.Begun, key) == of for key, of in _PLACE.items()))),
    ),
    Row(
        "latest_state",
        lambda s, n: hot.latest_state(s, "g1"),
        lambda s, n: s.exec(
            select(t.Snapshot).where(t.Snapshot.game_id == "g1").order_by(col(t.Snapshot.number).desc()).limit(1)
        ).first(),
    ),
    Row(
        "standing_texts",
        lambda s, n: hot.standing_texts(s, 1),
        lambda s, n: s.exec(
            select(t.StandingOrders).where(t.StandingOrders.seat_id == 1).order_by(t.StandingOrders.scope)
        ).all(),
    ),
    Row(
        "tables_without_rows",
        lambda s, n: hot.tables_without_rows(s, "g1", 1),
        lambda s, n: [s.exec(query).first() for query in _RARE],
    ),
    Row(
        "leaf_kinds",
        _kinds_anew,
        lambda s, n: s.exec(_IN_GAME.where(t.Leaf.phase == "T9")).all(),
    ),
    Row(
        "last_leaf",
        lambda s, n: hot.last_leaf(s, "g1"),
        lambda s, n: s.exec(
            select(t.Leaf).where(t.Leaf.game == "g1").order_by(col(t.Leaf.seq).desc()).limit(1)
        ).first(),
    ),
    Row(
        "leaves_about",
        lambda s, n: hot.leaves_about(s, "g1", "T9"),
        lambda s, n: (s.exec(_IN_GAME.where(t.Leaf.phase == "T9")).all(), s.exec(_CLOSES).one()),
    ),
    Row(
        "leaves_since",
        lambda s, n: hot.leaves_since(s, "g1", LEAVES - 2),
        lambda s, n: (s.exec(_IN_GAME.where(t.Leaf.seq >= LEAVES - 2)).all(), s.exec(_CLOSES).one()),
    ),
    Row(
        "add_leaves",
        lambda s, n: hot.add_leaves(s, "g1", ((_leaf(n), ""),), NOON),
        lambda s, n: _write(s, t.Leaf(game="g1", **_leaf(n)._asdict(), written=NOON)),
    ),
    Row(
        "is_any_leaf_waiting",
        lambda s, n: hot.is_any_leaf_waiting(s),
        lambda s, n: s.exec(select(t.Leaf.id).where(col(t.Leaf.number).is_(None)).limit(1)).first(),
    ),
    Row(
        "newest_tree",
        lambda s, n: hot.newest_tree(s),
        lambda s, n: s.exec(select(t.Checkpoint).order_by(col(t.Checkpoint.size).desc()).limit(1)).first(),
    ),
    Row(
        "number_leaves",
        lambda s, n: hot.number_leaves(s, _numbers(n)),
        lambda s, n: [
            s.exec(update(t.Leaf).where(col(t.Leaf.id) == row).values(number=number))
            for row, number in _numbers(n).items()
        ],
    ),
    Row(
        "add_nodes",
        lambda s, n: hot.add_nodes(s, {(n, place): b"d" * 32 for place in range(10)}),
        lambda s, n: _write(s, *(t.Node(level=n, place=place, digest=b"d" * 32) for place in range(10))),
    ),
    Row(
        "read_nodes",
        lambda s, n: hot.read_nodes(s, _NODES),
        lambda s, n: s.exec(
            select(t.Node).where(
                or_(*(and_(col(t.Node.level) == level, col(t.Node.place) == place) for level, place in _NODES))
            )
        ).all(),
    ),
    Row(
        "leaves_after",
        lambda s, n: hot.leaves_after(s, dict.fromkeys(_GAMES, LEAVES - 4), LEAVES),
        lambda s, n: [
            s.exec(select(t.Leaf).where(t.Leaf.game == game, t.Leaf.seq > LEAVES - 4).order_by(col(t.Leaf.seq))).all()
            for game in _GAMES
        ],
    ),
    Row(
        "addressees",
        lambda s, n: hot.addressees(s, [1]),
        lambda s, n: (s.exec(select(t.Seat, t.Game).join(t.Game).where(t.Seat.id == 1)).all(), s.get(t.Shown, 1)),
    ),
    Row("store_shown_marks", lambda s, n: hot.store_shown_marks(s, [(1, ShownMark(n, n))]), _show),
)


def fill(session: Session) -> None:
    """Write the rows that the statements find."""
    _write(session, t.Edition(digest="d", system="s", text="{}"), t.Person(name="A"))
    _write(session, t.Game(id="g1", system="s", scenario="s", edition_digest="d", scheme="v1", root="", created=NOON))
    session.info["seat"] = t.Seat(game_id="g1", name="north", side="n", person_id=1)
    _write(session, session.info["seat"], t.Raw(sha256="r", body=b""))
    received: dict[str, Any] = {
        "sha256": "r",
        "sender": "a@x",
        "internaldate": NOON,
        "taken": NOON,
        "verdict": "v",
        "outcome": "o",
    }
    _write(session, t.Inbox(**_PLACE, message_id="<m@x>", **received))
    _write(session, *(t.StandingOrders(seat_id=1, scope=str(place), text="HOLD", inbox_id=1) for place in range(3)))
    _write(session, *(t.Snapshot(game_id="g1", number=place, body="{}" * 4_000) for place in range(5)))
    for game, place in product(("g1", "g2"), range(LEAVES)):
        number = place if game == "g1" else None
        leaf = _leaf(place)._replace(seq=place, phase=f"T{place // 40}")
        session.add(t.Leaf(game=game, **leaf._asdict(), number=number, written=NOON))
        session.flush()
    _write(session, *(t.Node(level=level, place=node_place, digest=b"d" * 32) for level, node_place in _NODES))
    _write(session, t.Checkpoint(size=LEAVES, note=b"n" * 200, signed=NOON))


def measure_row(session: Session, row: Row, rounds: int) -> tuple[float, float]:
    """Return the least microseconds of a call, and of the session's.

    What they write is rolled back.
    """
    least = []
    for call in (row.here, row.by_session):
        taken = []
        for _ in range(rounds):
            with session.begin_nested() as savepoint:
                numbers = [next(_NUMBERS) for _ in range(CALLS)]
                before = process_time_ns()
                for number in numbers:
                    call(session, number)
                taken.append((process_time_ns() - before) / CALLS / 1_000)
                savepoint.rollback()
            session.expire_all()
        least.append(min(taken))
    return least[0], least[1]


def run(rounds: int) -> Iterator[tuple[str, float, float]]:
    """Measure each row."""
    with TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{Path(folder) / 'pbem.db'}")
        migrations.upgrade(engine)
        with Session(engine) as session:
            fill(session)
            for row in ROWS:
                yield row.name, *measure_row(session, row, rounds)
            session.rollback()
        engine.dispose()


def main() -> int:
    """Print what each statement costs, and what the session would."""
    for name, by_hand, by_session in run(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS):
        print(f"{name}: {by_hand:.0f} us, by the session {by_session:.0f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
