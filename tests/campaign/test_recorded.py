"""Games of the scheme pbemdice/v1: what their letters carry verifies, whatever happens, and nothing of it is secret."""

import email
import email.policy
import re
from base64 import b64decode

import pytest
from sqlmodel import select

from pbem.audit import bundle, leaves
from pbem.audit.checkpoint import Checkpoint
from pbem.log import log_health
from pbem.play.replay import replay
from pbem.runtime.terms import ACTIVATION_PACE, Terms
from pbem.server import outbox_sender
from pbem.store import tables
from pbem.store.tables import log as t
from pbem.verifier.record import FALSE, NOT_CHECKED, OK
from tests.audit import standalone
from tests.audit.checked import items, verify
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.server import make_once

ASK = "STANDING FOR {unit}\nASK\nFLEE\nENDSTANDING\n"


class Recorded(PlayedGame):
    """A house whose letters are rendered as they are sent, and kept by those who get them."""

    def __init__(self, folder, **more):
        self.kept: dict[str, list[bytes]] = {ANN: [], BOB: []}
        super().__init__(folder, **{"undo_minutes": 0} | more)

    def sent(self):
        rows = super().sent()
        for row, body in zip(rows, outbox_sender.render(self.server, [row.message_id for row in rows]), strict=True):
            self.kept.get(row.recipient, []).append(body)
        return rows

    def orders(self, seat, turn, *lines):
        outcome = self.write(seat, "\n".join([f"ORDERS T{turn}", *lines, "END", ""]))
        self.sent()
        return outcome

    def tick(self):
        ran = super().tick()
        self.sent()
        return ran

    def judge(self, *addresses):
        items_shown = [
            item
            for who in addresses
            for index, raw in enumerate(self.kept[who])
            for item in items(f"{who}{index}", raw)
        ]
        verdict = verify(items_shown)
        standalone_says = standalone.statuses(items_shown)
        assert {line.check: line.status for line in verdict.lines} == standalone_says
        return verdict

    def shown(self, who):
        return [bundle.parse(item.data) for raw in self.kept[who] for item in items("", raw)]


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Recorded)
    yield house
    house.server.engine.dispose()


SEALED = {
    "others": re.compile(
        r"g1 \S+: what (\w+ was played by is open; that it was not chosen later|was closed for \w+)"
        r" is sealed until the game is over"
    ),
    "labels": re.compile(r"g1 \S+: what rolls of toy are called is not known here"),
}
"""What letters cannot prove: of other seats before a game is over, and what a game that no verifier knows may roll."""


def left(verdict):
    """The lines of a verdict that are not ok, but for those that say of all they leave open that it is of SEALED."""
    return [line for line in verdict.lines if line.status != OK and not _is_sealed(line)]


def _is_sealed(line):
    form = SEALED.get(line.check)
    return form is not None and line.status == NOT_CHECKED and all(map(form.fullmatch, line.why))


def wrong(verdict):
    """What a verdict does not hold for true, but for what is sealed still."""
    return [(line.check, line.why) for line in left(verdict)]


def acts(house):
    return [
        leaves.parse(row.body, row.says).kind
        for row in sorted(house.all(t.Leaf), key=lambda row: row.seq)
        if row.game == "g1"
    ]


def both_ways(house, first, second):
    """North moves, south moves: the first turn."""
    house.orders("north", 1, *first)
    house.tick()
    house.orders("south", 1, *second)
    house.tick()


def test_new_games_have_the_scheme(house):
    assert house.game().scheme == "pbemdice/v1"


@pytest.fixture
def brisk(tmp_path):
    """A house where each letter of orders is carried out at once."""
    house = Recorded(tmp_path, terms=Terms(reminder_hours=0, pace=ACTIVATION_PACE))
    yield house
    house.server.engine.dispose()


def all_true(house, *addresses):
    for who in addresses or (ANN, BOB):
        verdict = house.judge(who)
        assert wrong(verdict) == []


def test_letters_carried_out_one_by_one_are_a_segment_each(brisk):
    """Each is sealed before it meets dice of its own, which nobody can know who has not written it."""
    brisk.orders("north", 1, "CREEP Bee TO s3")
    brisk.tick()
    all_true(brisk)
    brisk.orders("north", 1, "CREEP Bee TO s4")
    assert acts(brisk)[-1] == "answer"
    brisk.tick()
    assert acts(brisk) == [
        *("open", "order", "order", "close", "roll"),
        *("answer", "answer", "close", "roll"),
    ]
    all_true(brisk)
    brisk.write("north", "DONE\n")
    brisk.sent()
    brisk.tick()
    assert acts(brisk)[9:] == ["answer", "answer", "close", "roll", "result", "open"]
    all_true(brisk)
    mine = [(order.segment, order.rev) for order in brisk.shown(ANN)[-1].orders]
    assert mine[:2] == [(1, 1), (2, 2)]
    with brisk.server.work() as work:
        assert replay(work, "g1") == (1, None)


@pytest.mark.parametrize("taken_back", [False, True])
def test_letters_that_meet_before_one_is_carried_out(brisk, taken_back):
    """All are sealed in their order, and at the close that the last was taken back; what is sealed last is closed."""
    brisk.orders("north", 1, "CREEP Bee TO s3")
    brisk.tick()
    for move in ("Bee TO s4", "Ant TO s2"):
        assert brisk.orders("north", 1, f"CREEP {move}").outcome == "receipt"
    brisk.write("north", "CANCEL\nDONE\n" if taken_back else "DONE\n")
    brisk.sent()
    assert acts(brisk).count("answer") == 2
    brisk.tick()
    sent = [leaf for leaf in leaves_of(brisk, "answer") if (leaf("seat"), leaf("segment")) == ("north", "2")]
    assert len(sent) == 2 + taken_back
    assert "result" in acts(brisk)
    last = [order.text for order in brisk.shown(ANN)[-1].orders if order.segment == 2][-1]
    assert ("CREEP Ant TO s2" in last) != taken_back
    all_true(brisk)


def test_a_phase_of_letters_that_its_deadline_ends(brisk):
    brisk.clock.forward(days=3)
    brisk.tick()
    assert "result" in acts(brisk)
    brisk.orders("south", 1, "MOVE Dog TO s7")
    brisk.tick()
    brisk.clock.forward(days=3)
    brisk.tick()
    assert acts(brisk).count("result") == 2
    all_true(brisk)
    with brisk.server.work() as work:
        assert replay(work, "g1") == (2, None)


def test_a_turn_verifies_for_each_and_for_both(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    for who in ((ANN,), (BOB,)):
        verdict = house.judge(*who)
        assert wrong(verdict) == []
        assert verdict.code == 2
    assert wrong(house.judge(ANN, BOB)) == []
    assert house.judge(ANN, BOB).code == 2


def test_a_report_that_speaks_of_its_attachment_has_it_though_other_letters_go_out_with_it(house):
    house.write("north", "ORDERS T1\nMOVE Ant TO s2\nEND\n")
    house.tick()
    carried = {
        row.kind: "pbemdice.txt" in [part.get_filename() for part in email.message_from_bytes(row.body).walk()]
        for row in house.all(tables.Outbox)
        if row.recipient == ANN and row.body is not None
    }
    assert carried["report"]
    assert not carried["receipt"]
    assert house.judge(ANN).code != 1


def test_what_is_logged(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    one_phase = ["open", "order", "order", "close", "roll", "result"]
    without_moved = [kind for kind in acts(house) if kind != "deadline"]
    assert without_moved == [*one_phase, *one_phase, "open"]


def test_a_letter_is_a_receipt_with_its_orders_in_clear(house):
    house.orders("north", 1, "MOVE Ant TO s2")
    receipt = house.shown(ANN)[-1]
    assert (receipt.letter, receipt.seat, receipt.grade) == ("receipt", "north", "-")
    assert [order.text for order in receipt.orders] == ["MOVE Ant TO s2\n"]
    assert receipt.grown is not None


def test_the_other_side_sees_that_orders_came_and_what_was_played_of_them_when_they_were_closed(house):
    house.orders("north", 1, "MOVE Ant TO s2")
    house.orders("north", 1, "MOVE Bee TO s3")
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING\n")
    house.sent()
    shown = house.shown(BOB)[-1].leaves
    assert [bool(leaf.body) for leaf in shown if b"/order\n" in leaf.data] == [False, False, True]
    house.tick()
    mail_bytes = b"".join(house.kept[BOB])
    attached = b"".join(item.data for raw in house.kept[BOB] for item in items("", raw))
    assert b"\nseat north\nrev 2\n" in attached
    assert b"text MOVE Bee TO s3" in attached
    assert b"MOVE Ant" not in attached
    assert mail_bytes.count(b"pbemdice.txt") >= 2


def test_orders_taken_back_and_standing_orders_alone(house):
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    house.orders("north", 1, "MOVE Ant TO s2")
    house.write("north", "CANCEL\n")
    house.sent()
    house.clock.forward(days=3)
    house.tick()
    took = "g1 T1.north~1: leaf 4 says that a letter of yours took your orders back: whether you sent it you alone know"
    for who, own_checks in ((ANN, [("own", (took,))]), (BOB, [])):
        verdict = house.judge(who)
        assert wrong(verdict) == own_checks


def test_a_phase_of_segments_verifies(house):
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    house.orders("north", 1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.tick()
    assert acts(house).count("close") == 1
    house.write("south", "1A\n")
    house.sent()
    house.tick()
    assert acts(house).count("close") == 2
    assert "answer" in acts(house)
    for who in (ANN, BOB):
        verdict = house.judge(who)
        assert wrong(verdict) == []
    with house.server.work() as work:
        assert replay(work, "g1").difference is None


def test_an_answer_is_sealed_when_it_comes_and_again_when_it_changes(tmp_path):
    """Who answered has it in his receipt; the others learn of it when the phase goes on, and then all fits."""
    house = Recorded(tmp_path, undo_minutes=30)
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    house.orders("north", 1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.clock.forward(minutes=30)
    house.tick()
    for count, answer in enumerate(("1A", "1B", "1A"), 1):
        house.write("south", f"{answer}\n")
        house.sent()
        assert acts(house).count("answer") == count
        mine = [order for order in house.shown(BOB)[-1].orders if order.segment == 2]
        assert [orders.rev for orders in mine] == [count]
    house.write("north", "WAIT\nSTANDING FOR Ant\nFLEE\nENDSTANDING\n")
    house.sent()
    assert not [leaf for read in house.shown(ANN) for leaf in read.leaves if b"/answer\n" in leaf.data and leaf.body]
    house.clock.forward(minutes=30)
    house.tick()
    for who in (ANN, BOB):
        verdict = house.judge(who)
        assert wrong(verdict) == []
    house.server.engine.dispose()


def test_standing_orders_of_before_are_shown_to_who_gave_them(house):
    """No letter of this phase seals them; its report opens what the seat was played by."""
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    house.orders("north", 2, "MOVE Ant TO s1")
    house.tick()
    (orders,) = [order for order in house.shown(BOB)[-1].orders if order.phase == "T2.north~1"]
    assert (orders.rev, orders.text, {rule.split("\n")[0] for rule in orders.rules}) == (0, "", {"STANDING FOR Cat"})
    assert wrong(house.judge(BOB)) == []


def test_a_standing_order_of_a_games_own_kind_is_carried_out_and_stays_sealed(house):
    """It has no name in the common grammar, by which its report could tell that it was used."""
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING\n")
    house.sent()
    house.orders("north", 1, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    house.tick()
    assert acts(house).count("result") == 1
    assert {played.seat for played in house.shown(ANN)[-1].played} == {"south"}
    assert not [fired_rule for read in house.shown(ANN) for fired_rule in read.fired]
    assert b"STANDING FOR Cat" not in b"".join(item.data for raw in house.kept[ANN] for item in items("", raw))
    assert wrong(house.judge(ANN)) == []


def with_template(house, who):
    """The last letter to somebody that has an order template, and the line in it that is asked for."""
    letter = [raw for raw in house.kept[who] if "\n# SEEN " in readable(raw)][-1]
    (line,) = [line for line in readable(letter).splitlines() if "SEEN" in line]
    return letter, line


def readable(raw):
    letter = email.message_from_bytes(raw, policy=email.policy.default)
    body = letter.get_body(("plain",))
    assert body is not None
    return body.get_content().replace("\r\n", "\n")


def closes(house):
    return [leaves.parse(row.body, row.says)("seen") for row in house.all(t.Leaf) if row.kind == "close"]


@pytest.mark.parametrize("quote", ["", "> ", "> > "])
def test_the_log_says_which_log_a_player_was_shown(house, quote):
    """He sends the line back with his orders or in what he quotes, and need not know of it."""
    letter, line = with_template(house, ANN)
    (item,) = items("", letter)
    size, root = bundle.parse(item.data).note.decode().split("\n")[1:3]
    tree = Checkpoint("games.example/pbem", int(size), b64decode(root))
    assert line == f"# SEEN {size} {root} {log_health.mark(house.server, tree)}"
    assert f"#{house.all(tables.Seat)[0].nonce}\n{line}\n" in readable(letter)
    text = f"ORDERS T1\n{line}\nMOVE Ant TO s2\nEND\n"
    if quote:
        below = "".join(f"{quote}{order_line}\n" for order_line in ("ORDERS T1", line, "END"))
        text = f"ORDERS T1\nMOVE Ant TO s2\nEND\n\nOn Monday the server wrote:\n{below}"
    assert house.write("north", text).outcome == "receipt"
    house.sent()
    house.tick()
    assert closes(house) == [f"north:{size}:{b64decode(root).hex()}"]
    for who in (ANN, BOB):
        assert wrong(house.judge(who)) == []


def test_of_several_lines_the_newest_counts_and_none_is_no_orders(house):
    _, old = with_template(house, ANN)
    house.orders("north", 1, old, "MOVE Bee TO s3")
    house.tick()
    assert "SEEN" not in house.all(tables.QueuedOrders)[0].text
    house.orders("south", 1, "MOVE Dog TO s7")
    house.tick()
    _, new = with_template(house, ANN)
    assert new != old
    house.orders("north", 2, old, new, "MOVE Bee TO s2")
    house.tick()
    assert [close_text.split(":")[:2] for close_text in closes(house)] == [
        ["north", old.split()[2]],
        ["-"],
        ["north", new.split()[2]],
    ]


def test_a_line_of_another_log_is_found_by_who_keeps_his_letters(house):
    """The server showed this player another log than it now says: what he sent back stands in the closed list."""
    _, line = with_template(house, ANN)
    other = f"{line[:-53]}{'A' * 43}="
    house.orders("north", 1, other, "MOVE Ant TO s2")
    house.tick()
    verdict = house.judge(ANN)
    assert {line.check for line in verdict.lines if line.status == FALSE} == {"consistency"}


def test_a_game_replays_by_its_own_scheme(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    with house.server.work() as work:
        assert replay(work, "g1") == (2, None)


def test_a_changed_order_in_the_database_is_found_by_who_kept_his_letters(house):
    """What a player was receipted is in his mailbox; another text does not fit the log any more."""
    house.orders("north", 1, "MOVE Ant TO s2")
    with house.server.session() as session:
        (row,) = session.exec(select(tables.QueuedOrders)).all()
        row.text = "MOVE Ant TO s3\n"
        session.add(row)
    house.tick()
    assert acts(house).count("order") == 3
    mine = house.shown(ANN)[-1]
    assert [order.text for order in mine.orders] == ["MOVE Ant TO s2\n", "MOVE Ant TO s3\n"]


def test_a_lost_letter_is_missed(house):
    both_ways(house, ["MOVE Ant TO s2"], ["MOVE Dog TO s7"])
    del house.kept[ANN][2]
    verdict = house.judge(ANN)
    assert {line.check for line in verdict.lines if line.status == NOT_CHECKED} >= {"consistency"}
    assert verdict.code == 2


def test_the_attachment_is_plain_and_apart(house):
    house.orders("north", 1, "MOVE Ant TO s2")
    letter = email.message_from_bytes(house.kept[ANN][-1], policy=email.policy.default)
    whole, proofs = letter.iter_parts()
    text, page = whole.iter_parts()
    assert (text.get_content_type(), page.get_content_type()) == ("text/plain", "text/html")
    assert "MOVE Ant TO s2" in text.get_content()
    assert proofs.get_filename() == "pbemdice.txt"
    assert proofs["Content-Transfer-Encoding"] == "7bit"


def test_a_letter_rendered_again_is_the_same(house):
    house.orders("north", 1, "MOVE Ant TO s2")
    row = house.all(tables.Outbox)[-1]
    assert outbox_sender.render(house.server, [row.message_id]) == (row.body,)


def test_orders_kept_for_a_turn_are_sealed_as_it_opens_under_the_letter_that_brought_them(house):
    sent = house.write("north", "ORDERS T1\nPASS\nEND\nLATER T2\nMOVE Ant TO s2\nEND\n")
    house.sent()
    house.tick()
    house.orders("south", 1, "@ CREEP Dog TO s7")
    while house.tick():
        pass
    leaf = next(leaf for leaf in leaves_of(house, "order") if (leaf("seat"), leaf("phase")) == ("north", "T2.north~1"))
    (letter,) = [row for row in house.all(tables.Inbox) if row.id == sent.inbox_id]
    assert leaf("eml") == letter.sha256
    assert leaf.number("recv") == int(letter.internaldate.timestamp())
    assert leaf.number("rev") == 1
    assert [why for who in (ANN, BOB) for why in wrong(house.judge(who))] == []
    assert any(
        "MOVE Ant TO s2" in opened_orders.text
        for opened_orders in opened(house, ANN)
        if opened_orders.phase == "T2.north~1"
    )
    assert not any(opened_orders.seat == "north" for opened_orders in opened(house, BOB))


def test_lines_that_are_repeated_are_sealed_and_verify_though_the_deadline_was_missed(house):
    house.orders("north", 1, "@ CREEP Ant TO s2")
    house.tick()
    house.orders("south", 1, "PASS")
    house.tick()
    house.clock.forward(days=3)
    house.tick()
    assert [seat.strikes for seat in house.all(tables.Seat) if seat.name == "north"] == [1]
    assert ("T2.north~1", "1") in [(leaf("phase"), leaf("rev")) for leaf in leaves_of(house, "order")]
    assert [why for who in (ANN, BOB) for why in wrong(house.judge(who))] == []
    with house.server.work() as work:
        assert replay(work, "g1").difference is None


def leaves_of(house, kind):
    rows = sorted(house.all(t.Leaf), key=lambda row: row.seq)
    return [leaves.parse(row.body, row.says) for row in rows if row.game == "g1" and row.kind == kind]


def opened(house, who):
    return [order for part in house.shown(who) for order in part.orders]
