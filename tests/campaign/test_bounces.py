"""Letters that come back, machines that answer, servers that write to each other, two daemons on one mailbox."""

import asyncio
import email
import threading
from datetime import UTC, datetime

import pytest

from pbem.mail.smtp import SmtpReply
from pbem.play.rulings import ruling_lines
from pbem.server import game_cards, outbox_sender
from pbem.server.intake import ReceivedLetter
from pbem.server.mailbox_poller import MailboxPoller, take_and_commit
from pbem.store import tables
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.mailbox import FolderMailbox
from tests.harness.server import open_server
from tests.mail.test_delivery import RETURNED, dsn, plain

ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"
DEADLINE = datetime(2026, 5, 5, 20, tzinfo=UTC)
LATER = datetime(2026, 5, 6, 20, tzinfo=UTC)


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path)
    yield made
    made.server.engine.dispose()


def letter_to(house, seat):
    """A letter on its way to a seat."""
    house.write(seat, "HELP")
    (row,) = house.sent()
    return row


def bounce(house, row, fields="Action: failed\r\nStatus: 5.1.1", **more):
    raw = dsn(fields).replace(b"pbem+bounce-k3f7q2zz@games.example", row.envelope_sender.encode())
    return house.receive(raw.replace(b"<report@", f"<{row.id}.{house.uid}@".encode()), **more)


def seat(house, name="north"):
    return next(row for row in house.all(tables.Seat) if row.name == name)


def out_of_reach(house):
    first, second = letter_to(house, "north"), letter_to(house, "north")
    assert bounce(house, first).outcome == "bounced"
    assert house.sent() == []
    assert bounce(house, second).outcome == "bounced"
    return first, second


async def refuse_ann(envelopes, on_reply):
    """The mail server that we hand letters to knows no such mailbox."""
    for envelope in envelopes:
        taken = SmtpReply(250, "ok", "sent", "data")
        await on_reply(SmtpReply(550, "5.1.1 unknown", "failed", "recipient") if envelope.recipient == ANN else taken)


def refused(house):
    """Two letters to a seat that our own mail server refuses, and what was written because of that."""
    house.write("north", "HELP")
    house.write("north", "HELP")
    asyncio.run(outbox_sender.send_due_letters(house.server, refuse_ann))
    return [row for row in house.all(tables.Outbox) if row.kind in ("fault", "announcement")]


def test_two_letters_that_come_back_make_a_seat_unreachable(house):
    out_of_reach(house)
    assert (seat(house).bounces, seat(house).unreachable) == (2, house.clock.now())
    (operator,) = house.sent()
    assert (operator.recipient, operator.kind) == ("op@games.example", "fault")
    assert text_of(operator).split("\n")[1:5] == [
        f"Letters to the seat north of g1 come back, 2 so far: its player is out of reach at {ANN}.",
        "What the server noted:",
        "5.1.1 ",
        'The deadline stays. To put it off: pbem game rule g1 "EXTEND 24h BECAUSE letters come back"',
    ]


def test_nobody_puts_his_own_deadline_off_by_reports_that_he_writes_himself(house):
    """Whoever got a letter knows the envelope sender that a report has to go to."""
    for _ in range(3):
        out_of_reach(house)
        house.write("north", "HELP")
        house.sent()
    assert house.all(tables.Phase)[0].deadline == DEADLINE
    with house.server.work() as work:
        ruling_lines.make_ruling(work, "g1", ruling_lines.read_line("EXTEND 24h BECAUSE letters come back"))
    assert house.all(tables.Phase)[0].deadline == LATER


def test_what_our_own_mail_server_refuses_puts_the_deadline_off_and_is_told(house):
    letters = refused(house)
    assert any("out of reach" in text_of(row) for row in letters)
    assert not any("The deadline stays" in text_of(row) for row in letters)
    (bob,) = [row for row in letters if row.kind == "announcement"]
    assert (bob.recipient, bob.kind) == (BOB, "announcement")
    assert text_of(bob).split("\n")[1:3] == [
        "Letters to north come back. The deadline is put off once because of that.",
        "Turn 1: it is now Wednesday 6 May 2026, 20:00 UTC.",
    ]


def test_the_deadline_is_put_off_once_and_only_for_a_seat_it_waits_for(house):
    (phase,) = house.all(tables.Phase)
    assert phase.deadline == DEADLINE
    refused(house)
    (phase,) = house.all(tables.Phase)
    assert phase.deadline == LATER
    assert [(row.at, row.cause) for row in house.all(tables.Due) if row.kind == "close"] == [(LATER, "deadline")]
    house.write("north", "HELP")
    assert (seat(house).bounces, seat(house).unreachable) == (0, None)
    refused(house)
    assert seat(house).unreachable is not None
    assert house.all(tables.Phase)[0].deadline == LATER
    assert [row.kind for row in house.all(tables.Outbox)].count("announcement") == 1


def test_nothing_waits_for_a_seat_whose_orders_are_in(house):
    house.write("north", ORDERS)
    (receipt,) = house.sent()
    help_ = letter_to(house, "north")
    bounce(house, receipt)
    bounce(house, help_)
    assert seat(house).unreachable is not None
    assert house.all(tables.Phase)[0].deadline == DEADLINE
    assert [row.recipient for row in house.sent()] == ["op@games.example"]


def test_one_letter_counts_once_however_often_it_comes_back(house):
    row = letter_to(house, "north")
    assert [bounce(house, row).outcome for _ in range(3)] == ["bounced", "bounced-before", "bounced-before"]
    assert seat(house).bounces == 1


@pytest.mark.parametrize(
    ("fields", "outcome", "status"),
    [
        ("Action: failed\r\nStatus: 4.4.7", "bounced-for-now", "4.4.7"),
        ("Action: delayed\r\nStatus: 4.4.1", "silent", ""),
        ("Action: delivered\r\nStatus: 2.0.0", "silent", ""),
    ],
)
def test_what_may_pass_does_not_count(house, fields, outcome, status):
    row = letter_to(house, "north")
    assert bounce(house, row, fields).outcome == outcome
    assert next(row_sent.bounced for row_sent in house.all(tables.Outbox) if row_sent.id == row.id) == status
    assert seat(house).bounces == 0


def test_a_bounce_in_words_counts_by_its_code(house):
    row = letter_to(house, "north")
    raw = plain("550 5.1.1 no such user").replace(b"pbem+bounce-k3f7q2zz@games.example", row.envelope_sender.encode())
    assert house.receive(raw).outcome == "bounced"


def test_a_report_that_looks_like_a_persons_letter_is_not_answered(house):
    row = letter_to(house, "north")
    raw = mail("relay@mx.example", row.envelope_sender, "This is a permanent error; I've given up.")
    assert house.receive(raw).outcome == "bounced"
    assert house.sent() == []


def test_a_bounce_to_another_address_is_known_by_the_letter_in_it(house):
    row = letter_to(house, "north")
    raw = dsn("Action: failed\r\nStatus: 5.1.1").replace(b"pbem+bounce-k3f7q2zz@", b"pbem@")
    assert house.receive(raw).outcome == "silent"
    assert house.receive(raw.replace(RETURNED.encode(), row.message_id.encode())).outcome == "bounced"


def test_bounces_of_nothing_and_of_letters_to_others_harm_nobody(house):
    assert house.receive(dsn("Action: failed\r\nStatus: 5.1.1")).outcome == "silent"
    row = letter_to(house, "north")
    house.invite("north", "carl@players.example")
    house.sent()
    assert bounce(house, row).outcome == "bounced"
    assert seat(house).bounces == 0
    house.receive(mail("eve@elsewhere.example", "pbem@games.example", "hello"))
    (stranger,) = house.sent()
    assert bounce(house, stranger).outcome == "bounced"
    assert house.sent() == []


def test_a_player_cannot_be_cut_off_by_a_letter_that_says_it_is_a_bounce(house):
    """The tag of an envelope sender follows from the key: it cannot be guessed."""
    for tag in ("aaaaaaaaaaaaaaaa", "k3f7q2zz"):
        raw = dsn("Action: failed\r\nStatus: 5.1.1").replace(b"k3f7q2zz", tag.encode())
        assert house.receive(raw).outcome == "silent"
    assert seat(house).bounces == 0


def test_what_the_other_server_says_shows_no_token(house):
    rows = [letter_to(house, "north"), letter_to(house, "north")]
    report = f"Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 {house.addresses['north']} unknown \x1b[2J"
    for row in rows:
        bounce(house, row, report)
    operator = house.sent()[0]
    token = house.addresses["north"].split("@")[0][-16:]
    assert token not in operator.model
    assert "\\u001b" not in operator.model
    assert "pbem+g1-north-...@games.example unknown" in text_of(operator)


def test_a_server_that_refuses_the_address_at_once_counts_as_well(house):
    async def refuse(envelopes, on_reply):
        for _ in envelopes:
            await on_reply(SmtpReply(550, "5.1.1 no such user", "failed", "recipient"))

    for _ in range(2):
        # A letter of his own sets back what was counted before.
        house.write("north", "HELP")
        asyncio.run(outbox_sender.send_due_letters(house.server, refuse))
    assert (seat(house).bounces, seat(house).unreachable) == (1, None)
    rows = [row for row in house.all(tables.Outbox) if row.recipient == ANN and row.kind == "help"]
    assert [row.bounced for row in rows] == ["5.0.0", "5.0.0"]


def test_one_who_cannot_be_reached_is_shown(house):
    out_of_reach(house)
    with house.server.work() as work:
        card = game_cards.show_game(work, "g1")
    assert [seat.letters_come_back is not None for seat in card.seats] == [True, False]


# Machines


@pytest.mark.parametrize(
    "sign",
    [
        {"Auto-Submitted": "auto-replied", "Subject": "Out of server"},
        {"X-Autoreply": "yes"},
        {"Precedence": "auto_reply"},
        {"List-Id": "<war.lists.example>"},
        {"Return-Path": "<>"},
        {"Content-Type": "multipart/report; report-type=disposition-notification; boundary=b"},
        {"From": "MAILER-DAEMON@players.example"},
        {"From": "postmaster@players.example"},
        {"From": "pbem@games.example"},
        {"X-Loop": "pbem@games.example"},
    ],
)
def test_machines_move_nothing_and_only_their_seat_is_told(house, sign):
    head = {name.replace("-", "_"): value for name, value in sign.items()}
    raw = mail(ANN, house.addresses["north"], ORDERS, **{"From": ANN, **head} if "From" not in head else {})
    for name, value in sign.items():
        line = f"{name}: {value}\r\n".encode()
        raw = b"".join(
            part for part in raw.splitlines(True) if not part.lower().startswith(f"{name.lower()}:".encode())
        )
        raw = line + raw
    ours = "pbem@games.example" in sign.values()
    report = "multipart/report" in sign.get("Content-Type", "")
    assert house.receive(raw).outcome == ("silent" if ours or report else "automatic")
    # One word to the seat's own address, whoever the letter names; nothing to the machine.
    assert [row.recipient for row in house.sent()] == ([] if ours or report else [ANN])
    assert house.all(tables.QueuedOrders) == []


def other_office(folder, domain):
    """A server of another operator, without games."""
    folder.mkdir()
    return open_server(folder, key=bytes(64), domain=domain, operator=f"op@{domain}")


def stripped(raw, *names):
    """A letter as a relay leaves it that takes fields out."""
    lines = raw.split(b"\r\n")
    return b"\r\n".join(line for line in lines if not line.lower().startswith(tuple(n.encode() for n in names)))


@pytest.mark.parametrize(
    ("gone", "letters"),
    [((), 1), (("x-loop",), 1), (("x-loop", "auto-submitted"), 2), (("x-loop", "auto-submitted", "list-"), 2)],
)
def test_two_servers_stop_after_a_letter_each(tmp_path, gone, letters):
    """However much a relay takes out of the header: without any sign the budget of strangers ends it."""
    offices = [other_office(tmp_path / name, f"{name}.example") for name in ("one", "two")]
    raw = mail("pbem@two.example", "pbem@one.example", "hello")
    written = 0
    for turn in range(20):
        server = offices[turn % 2]
        outcome = take_and_commit(server, ReceivedLetter("box", "INBOX", 1, turn + 1, server.clock.now(), raw))
        answers = outbox_sender.render(server, outcome.answers)
        if not answers:
            break
        written += len(answers)
        assert email.message_from_bytes(answers[0])["To"] == f"pbem@{offices[(turn + 1) % 2].settings.domain}"
        raw = stripped(answers[0], *gone)
    assert written == letters
    for server in offices:
        server.engine.dispose()


# Two daemons on one mailbox


def test_two_daemons_on_one_mailbox_do_nothing_twice(house):
    """The second one fetches what the first is about to move."""
    root = house.folder / "mail"
    for n in range(5):
        FolderMailbox(root).put(mail(ANN, house.addresses["north"], f"ORDERS T1\nMOVE Ant TO s2\nEND\n# {n}\n"))
    second = MailboxPoller(house.server, FolderMailbox(root))
    done: list[int] = []

    def overtaken(point):
        if point == "fetched" and not done:
            done.append(second.step().taken)

    first = MailboxPoller(house.server, FolderMailbox(root), on_step=overtaken)
    assert (first.step().taken, done) == (0, [5])
    assert len(house.all(tables.Inbox)) == 5
    assert [row.revision for row in house.all(tables.QueuedOrders)] == [1, 2, 3, 4, 5]
    assert len(house.sent()) == 5
    assert FolderMailbox(root).uids("Processed") == [1, 2, 3, 4, 5]


def test_two_daemons_at_once_do_nothing_twice(house):
    root = house.folder / "mail"
    for n in range(12):
        FolderMailbox(root).put(mail(ANN, house.addresses["north"], f"STATUS\n# {n}\n"))
    taken = []

    def run():
        taken.append(MailboxPoller(house.server, FolderMailbox(root)).step().taken)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(taken) == len(house.all(tables.Inbox)) == len(house.sent()) == 12
    assert [row.verdict for row in house.all(tables.Inbox)] == ["seat"] * 12
