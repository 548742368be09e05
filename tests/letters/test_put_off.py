"""Reports that wait together: the last carries the proofs, and the one before it says so."""

import email
import email.policy

from sqlmodel import col, select

from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable

SAID = "The proof for this report comes with the next one"


def proofs(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    return [part for part in message.iter_attachments() if part.get_filename() == "pbemdice.txt"]


def test_a_report_whose_proofs_a_later_one_carries_says_so(tmp_path):
    table = PlayedBattle(tmp_path, undo=0)
    for seat in ("spain", "morocco"):
        table.answer(seat, "PASS\n")
        table.wait(60 * 24 * 3)
    with table.server.session() as session:
        to = select(tables.Outbox.message_id).join(tables.Seat).where(tables.Seat.name == "morocco")
        names = session.exec(to.where(tables.Outbox.kind == "report").order_by(col(tables.Outbox.id))).all()
    assert len(names) > 2
    *early, last = [outbox_sender.render(table.server, (name,))[0] for name in names]
    for raw in early:
        assert not proofs(raw)
        assert SAID in readable(raw)
        # Nor does it say that its attachment shows anything.
        assert "attachment shows" not in readable(raw)
    assert "It shows every side's orders for this phase." in readable(early[-1])
    assert proofs(last)
    assert SAID not in readable(last)
    table.server.engine.dispose()
