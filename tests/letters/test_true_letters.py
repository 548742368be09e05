"""Castillejos by letters that go out one at a time: each is true, and full mode comes out the same."""

import email
import email.policy

import pytest
from sqlmodel import col, select

from pbem.audit import bundle
from pbem.cli.letter_checks import Rulebooks, verify_items
from pbem.cli.rulebooks import game_by_name, games
from pbem.play.rulings import ruling_lines
from pbem.server import outbox_sender
from pbem.store import tables
from pbem.verifier.record import FALSE, NOT_CHECKED, OK
from tests.audit import standalone
from tests.audit.checked import QUICK, items, reader, verify
from tests.harness.battle import PlayedBattle, readable

FIRE = "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND\n"
ASKS = "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING\n"
ASSAULT = """ORDERS T1
ACTIVATE Tarajal
MOVE Husares1, Husares4, Luchana, Principe WITH Prim TO Nudos
ACTIVATE Nudos
FIRE Montana1 AT Cresta
ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco
END
"""
BECAUSE = " BECAUSE both asked"
BY_RULING = (
    "g1 {phase}: it did not begin in the position in which the first attempt began: whether rulings made that, "
    "full mode says"
)
SEATS = ("spain", "morocco")


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


def rule(table, line):
    with table.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(line + BECAUSE))


def one_at_a_time(table):
    """Every letter to every seat in the order in which they were written, each rendered alone."""
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox, tables.Seat).join(tables.Seat).order_by(col(tables.Outbox.id))).all()
    by_seat: dict[str, list[tuple[str, bytes]]] = {seat: [] for seat in SEATS}
    for row, seat in rows:
        by_seat[seat.name] += [(row.kind, *outbox_sender.render(table.server, (row.message_id,)))]
    return by_seat


def proofs(raw):
    """What a letter is proven by; None if it carries nothing."""
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    made = [part.get_content() for part in letter.iter_attachments() if part.get_filename() == bundle.BUNDLE_FILE]
    return bundle.parse(made[0].replace("\r\n", "\n").encode()) if made else None


def verdict(letters):
    """What all the letters of a mailbox are held to be, with the rules run again; both verifiers agree."""
    all_items = [item for index, (_, raw) in enumerate(letters) for item in items(str(index), raw)]
    both = {line.check: line.status for line in verify(all_items).lines}
    assert standalone.statuses(all_items) == both
    return verify_items(all_items, reader(), QUICK, Rulebooks(game_by_name, games()))


def wrong(letters):
    return [(line.check, line.why) for line in verdict(letters).lines if line.status == FALSE]


def test_a_report_by_a_ruling_carries_its_proof_though_letters_go_out_one_at_a_time(table):
    table.answer("spain", FIRE)
    rule(table, "PROCESS T1.spain")
    by_seat = one_at_a_time(table)
    for letters in by_seat.values():
        assert [kind for kind, _ in letters[-2:]] == ["announcement", "report"]
        made = proofs(letters[-1][1])
        assert made is not None
        assert (made.letter, made.phase) == ("report", "T1.spain~1")
        assert proofs(letters[-2][1]) is None
        assert {order_set.seat for order_set in made.played} == set(SEATS)
        assert wrong(letters) == []
    assert "The attachment shows every side's orders for this phase." in readable(by_seat["morocco"][-1][1])


def orders(turn, *lines):
    return "\n".join([f"ORDERS T{turn}", *lines, "END", ""])


def conceded(table, seat):
    answer = table.answer(seat, "CONCEDE\n")
    word = "CODIGO " if "CODIGO " in answer else "CODE "
    table.answer(seat, f"CONCEDE {word}{answer.split(word)[1].split()[0]}\n")


def lists(table, seat, *letters):
    """Write letters of a seat, and let the time go by in which they could be withdrawn."""
    for letter in letters:
        table.answer(seat, letter)
    table.wait(31)


def open_phase(table):
    with table.server.session() as session:
        row = session.exec(select(tables.Phase).where(tables.Phase.state == "open")).one()
    return f"T{row.turn}.{row.name}~{row.attempt}"


@pytest.mark.full
def test_a_game_with_a_pause_a_correction_and_a_phase_played_again_is_true_to_its_end(table):
    lists(table, "morocco", ASKS)
    lists(table, "spain", ASSAULT)
    assert waits_for_answers(table)
    for _ in range(4):
        if waits_for_answers(table):
            table.answer("morocco", "1A\n")
        table.wait(31)
    table.answer("morocco", orders(1, "PASS"))
    rule(table, "EDIT UNIT Nizam STEPS 3")
    table.wait(31)
    assert open_phase(table) == "T2.spain~1"
    lists(table, "spain", orders(2, "LUCK one", "PASS"))
    assert open_phase(table) == "T2.morocco~1"
    rule(table, "REOPEN T2.spain")
    assert open_phase(table) == "T2.spain~2"
    lists(table, "spain", orders(2, "ACTIVATE Nudos", "FIRE Montana1 AT Loma"))
    assert open_phase(table) == "T2.morocco~2"
    rule(table, "PROCESS T2.morocco")
    lists(table, "spain", orders(3, "PASS"))
    assert {seat: wrong(letters) for seat, letters in one_at_a_time(table).items()} == {"spain": [], "morocco": []}
    conceded(table, "morocco")
    table.wait(31)
    by_seat = one_at_a_time(table)
    for seat, letters in by_seat.items():
        # The letter that says that the game is over opens it.
        opening = [kind for kind, raw in letters if (carried := proofs(raw)) and carried.letter == "disclosure"]
        assert opening == [letters[-1][0]]
        result = verdict(letters)
        # That a ruling made the position that an attempt began in, the line of the rules says.
        left = {line.check: (line.status, line.why) for line in result.lines if line.status != OK}
        assert left == {
            "attempts": (
                NOT_CHECKED,
                tuple(BY_RULING.format(phase=phase) for phase in ("T1.morocco~2", "T2.morocco~2")),
            )
        }, seat
        assert (result.lines[-1].check, result.lines[-1].status) == ("rules", OK)
        assert result.lines[-1].held > 6


def waits_for_answers(table):
    with table.server.session() as session:
        return session.exec(select(tables.Phase).where(tables.Phase.state == "closed")).first() is not None
