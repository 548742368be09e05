"""E11 What looks like an agreement is told the director alone, as facts, each once."""

from itertools import cycle

import pytest

from pbem.engine.data.messages import plain_english
from pbem.mail.trace import submitting_domain
from pbem.server.intake import ReceivedLetter
from pbem.server.mailbox_poller import take_and_commit
from pbem.store import queries, tables
from pbem.tournaments import suspicions
from pbem.tournaments.arithmetic.entrants import TableResult
from tests.harness.letters import mail, text_of
from tests.harness.tournament import CUP, DIRECTOR, PlayedTournament, names, subject

PEOPLE = names(6)
WAY = "from {host} ({host} [192.0.2.7]) by mx1.games.example with ESMTP id 7Qx; Mon, 07 Jan 2030 10:00:00 +0000"
LAST = "from mx1.games.example by store.games.example with LMTP id 7Qy; Mon, 07 Jan 2030 10:00:01 +0000"


@pytest.fixture
def hall(tmp_path):
    made = PlayedTournament(tmp_path, CUP)
    for who in PEOPLE:
        made.enter(who)
    made.sent()
    yield made
    made.server.engine.dispose()


def write_by(hall, who, host, minute=0):
    """A letter of an entrant, handed in by a host."""
    hall.uid += 1
    raw = mail(who, hall.address(who), "STATUS", Date=hall.clock.at)
    way = f"Received: {LAST}\r\nReceived: {WAY.format(host=host)}\r\n".encode()
    take_and_commit(hall.server, ReceivedLetter("box", "INBOX", 1, hall.uid, hall.clock.at, way + raw))


def facts(hall):
    with hall.server.work() as work:
        return [
            plain_english(fact_line)
            for fact_line in suspicions.new_fact_lines(
                work, work.session.get_one(tables.Tournament, hall.name), work.now
            )
        ]


@pytest.mark.parametrize(
    ("received", "host"),
    [
        ((LAST, WAY.format(host="mail-1.home.example")), "home.example"),
        ((WAY.format(host="home.example"),), "home.example"),
        ((LAST,), ""),
        (("by mx1.games.example with HTTP id 7", WAY.format(host="forged.example")), ""),
        ((), ""),
    ],
)
def test_a_host_is_what_our_own_house_wrote_of_it(received, host):
    raw = "".join(f"Received: {line}\r\n" for line in received).encode() + b"From: a@b.example\r\n\r\nHello\r\n"
    assert submitting_domain(raw) == host


@pytest.mark.full
def test_two_who_write_by_one_host_are_told_to_the_director_once_and_to_nobody_else(hall):
    hall.until("playing", 1)
    hall.sent()
    for who, host in zip(
        PEOPLE, ("mx.home.example", "mx.home.example", "a.one.example", "a.two.example"), strict=False
    ):
        write_by(hall, who, host)
        hall.forward(hours=1)
    leaves = len(hall.leaves())
    hall.forward(hours=12)
    sent = hall.sent()
    fact_letters = [row for row in sent if "Worth a look, no verdict [E11]" in text_of(row)]
    assert {row.recipient for row in fact_letters} == {DIRECTOR}
    assert len(fact_letters) == 1
    assert subject(fact_letters[0]) == "[cup60] 4 February 2030: nothing to decide"
    both = sorted((hall.number(PEOPLE[0]), hall.number(PEOPLE[1])))
    assert f"e{both[0]} and e{both[1]} write by one sending host" in " ".join(text_of(fact_letters[0]).split())
    assert "home.example" not in text_of(fact_letters[0])
    assert len(hall.leaves()) == leaves
    hall.forward(days=7)
    assert all("Worth a look" not in text_of(row) for row in hall.sent())


def test_letters_within_a_minute_count_by_when_the_mail_server_had_them(hall):
    hall.until("playing", 1)
    hall.sent()
    for _ in range(4):
        write_by(hall, PEOPLE[0], "a.one.example")
        write_by(hall, PEOPLE[1], "a.two.example")
        hall.forward(hours=2)
    hall.forward(days=7)
    mail_text = " ".join(hall.told(DIRECTOR).split())
    both = sorted((hall.number(PEOPLE[0]), hall.number(PEOPLE[1])))
    assert f"e{both[0]} and e{both[1]}: " in mail_text
    assert "came within a minute of one of the other" in mail_text
    assert facts(hall) == []


def test_orders_are_compared_by_the_position_that_they_were_given_in(hall):
    hall.until("playing", 1)
    hall.forward(days=3)
    sitting = [board for board in hall.boards(1) if board.game_id]
    with hall.server.work() as work:
        event = work.session.get_one(tables.Tournament, hall.name)
        phases = queries.tournaments.closed_phases(work.session, [str(board.game_id) for board in sitting])
        assert phases
        assert list(suspicions._orders(work, event, sitting)) == []
        for phase in phases:
            phase.orders = '{"spain":[1,"MOVE a b\\n",[]],"morocco":[0,"",[]]}'
        given = list(suspicions._orders(work, event, sitting))
        assert {trace.entrant for trace in given} <= {board.first for board in sitting}
        assert {trace.lines for trace in given} == {frozenset({"MOVE a b"})}
        # Nobody has written, so that all boards came by the same positions.
        turns = {(phase.turn, phase.name) for phase in phases}
        assert {trace.position.partition(" ")[0] for trace in given} == {f"{turn}.{name}" for turn, name in turns}
        assert len({trace.position for trace in given}) == len(turns)


def test_who_gives_up_at_the_beginning_is_not_told_whatever_a_side_begins_with(hall):
    hall.until("playing", 1)
    hall.end(hall.boards(1)[0].game_id, "concede spain")
    hall.end(hall.boards(1)[1].game_id, "concede morocco")
    hall.run()
    assert [line for line in facts(hall) if "gave up" in line] == []


@pytest.mark.parametrize(("lead", "sentence"), [(-1, ""), (0, "1 point better than a draw"), (5, "6 points better")])
def test_who_gives_up_while_winning_is_told_with_his_lead_beyond_a_draw(hall, monkeypatch, lead, sentence):
    """Spain wins the drill with a lead of 0 at its end, so that a lead of -1 is a draw or worse."""
    hall.until("playing", 1)
    board = hall.boards(1)[0]
    now_and_at_the_start = cycle([(lead, ""), (-20, "")])
    monkeypatch.setattr(suspicions, "find_lead", lambda *_: next(now_and_at_the_start))
    hall.end(board.game_id, "concede spain")
    hall.run()
    fact_lines = [line for line in facts(hall) if "gave up" in line]
    assert [sentence in line and line.startswith(f"e{board.first}") for line in fact_lines] == [True] * bool(sentence)


def test_points_that_flow_one_way_are_told(hall, monkeypatch):
    hall.until("playing", 1)
    monkeypatch.setattr(
        suspicions, "_results", lambda work, event: [TableResult(number, 1, 1, 2, (2, 0), 3) for number in (1, 2, 3)]
    )
    assert [line for line in facts(hall) if "tables" in line] == ["e1 has all points of 3 tables, e2 none: 3."]
