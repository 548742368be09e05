"""SET NOTIFY and the digest: what waits and what does not, when it is told; nothing of it is lost or told twice."""

import pytest

from pbem.letters import outbox
from pbem.letters.outbox import Rhythm
from pbem.play.commands.seats import digest
from pbem.play.rulings import ruling_lines
from pbem.runtime.terms import Terms
from pbem.server import game_cards
from pbem.store import tables
from tests.harness.game import ANN, CALM, PlayedGame
from tests.harness.letters import text_of

DAILY = "SET NOTIFY DAILY 18"


@pytest.fixture
def house(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM)
    yield house
    house.server.engine.dispose()


def send(house, seat, text):
    house.write(seat, text)
    return house.answer()


def to_ann(house):
    """The letters to north's player since the last call, by kind."""
    return [(row.kind, text_of(row)) for row in house.sent() if row.recipient == ANN]


def dues(house):
    return [(row.cause, row.at) for row in house.all(tables.Due) if row.kind == outbox.NEWS_DUE]


def says(house, words):
    house.write("south", f"SAY {words}")
    return to_ann(house)


def next_digest(house):
    """What north's player is told when the hour of the news has come."""
    ((_, due),) = dues(house)
    house.clock.set(due)
    house.tick()
    return to_ann(house)


def test_news_wait_for_their_hour_and_come_in_one_letter(house):
    assert "News come in one letter a day, at 18:00 of UTC." in send(house, "north", DAILY)
    assert says(house, "First") == []
    assert says(house, "Second") == []
    ((cause, due),) = dues(house)
    assert (cause, due.hour) == ("digest north", 18)
    ((kind, text),) = next_digest(house)
    assert kind == "digest"
    assert text.index("| First") < text.index("| Second")
    assert "Waiting for orders from: north" in text
    house.clock.forward(days=1)
    house.tick()
    assert [kind for kind, _ in to_ann(house)] == []
    assert dues(house) == []


def test_nothing_is_written_when_there_is_nothing_to_tell(house):
    send(house, "north", DAILY)
    house.clock.forward(hours=20)
    house.tick()
    assert (to_ann(house), dues(house)) == ([], [])


@pytest.mark.parametrize("text", ["EXTEND 2h", "VACATION 2026-09-01 TO 2026-09-02", "PRESS TO north\nHello\nENDPRESS"])
def test_what_asks_nothing_is_gathered(house, text):
    send(house, "south", DAILY)
    send(house, "north", DAILY)
    writer = "north" if text.startswith("EXTEND") else "south"
    house.write(writer, text)
    house.sent()
    assert len(house.all(tables.Gathered)) == 1


def test_rulings_offers_and_the_end_come_at_once(house):
    send(house, "north", DAILY)
    with house.server.work() as work:
        order = ruling_lines.read_line("WARN south BECAUSE of a word")
        ruling_lines.make_ruling(work, "g1", order)
    assert [kind for kind, _ in to_ann(house)] == ["announcement"]
    code = send(house, "south", "DRAW").split("DRAW CODE ")[1].split()[0]
    house.write("south", f"DRAW CODE {code}")
    ((kind, text),) = to_ann(house)
    assert (kind, "offers a draw" in text) == ("announcement", True)
    assert house.all(tables.Gathered) == []


def test_a_digest_that_was_not_sent_is_overtaken_by_the_next_which_tells_all(house):
    send(house, "north", DAILY)
    says(house, "First")
    ((_, due),) = dues(house)
    house.clock.set(due)
    house.tick()
    house.write("south", "SAY Second")
    ((_, due),) = dues(house)
    house.clock.set(due)
    house.tick()
    rows = [row for row in house.all(tables.Outbox) if row.kind == "digest"]
    assert [row.state for row in rows] == ["failed", "queued"]
    assert rows[0].last_text == f"overtaken by {rows[1].message_id}"
    text = text_of(rows[1])
    assert "| First" in text
    assert "| Second" in text


def test_what_was_sent_is_not_told_again(house):
    send(house, "north", DAILY)
    says(house, "First")
    next_digest(house)
    says(house, "Second")
    ((kind, text),) = next_digest(house)
    assert (kind, "| First" in text, "| Second" in text) == ("digest", False, True)
    assert len(house.all(tables.Gathered)) == 1


def test_all_at_once_tells_what_was_gathered_at_once(house):
    send(house, "north", DAILY)
    says(house, "First")
    assert "Every letter comes at once." in send(house, "north", "SET NOTIFY ALL")
    house.tick()
    ((kind, text),) = to_ann(house)
    assert (kind, "| First" in text) == ("digest", True)
    assert [kind for kind, _ in says(house, "Second")] == ["press"]


def test_another_zone_moves_the_hour(house):
    send(house, "north", DAILY)
    says(house, "First")
    before = dues(house)
    send(house, "north", "SET TZ America/Lima")
    ((_, due),) = dues(house)
    assert due.hour == 23
    assert before != dues(house)


def test_a_week_and_its_day(house):
    assert "one letter a week, on Wednesday at 7:00 of UTC." in send(
        house, "north", "SET NOTIFY WEEKLY WEDNESDAY 07:00"
    )
    says(house, "First")
    ((_, due),) = dues(house)
    assert (due.weekday(), due.hour) == (2, 7)


def test_news_of_games_that_are_held_or_over_are_told(house):
    send(house, "north", DAILY)
    says(house, "First")
    with house.server.work() as work:
        order = ruling_lines.read_line("ADJUDICATE north wins BECAUSE of the hour")
        ruling_lines.make_ruling(work, "g1", order)
    house.sent()
    ((kind, text),) = next_digest(house)
    assert (kind, "| First" in text, "The game is over." in text) == ("digest", True, True)


@pytest.mark.parametrize("state", ["running", "held", "over"])
def test_news_that_cannot_be_told_hold_no_game_and_come_with_the_next(house, monkeypatch, state):
    send(house, "north", DAILY)
    says(house, "First")
    line = {"held": "HOLD", "over": "ADJUDICATE north wins"}.get(state)
    if line is not None:
        with house.server.work() as work:
            ruling_lines.make_ruling(work, "g1", ruling_lines.read_line(f"{line} BECAUSE of the hour"))
    house.sent()
    with monkeypatch.context() as patch:
        patch.setattr(digest, "send_digest", lambda *arguments: 1 / 0)
        for _ in range(3):
            house.clock.forward(days=1)
            house.tick()
    faults = [row for row in house.sent() if row.recipient == "op@games.example"]
    assert [text_of(row).count("could not be written") for row in faults if "ZeroDivision" in text_of(row)] == [1]
    assert [row.state for row in house.all(tables.Game)] == [state]
    if state == "running":
        says(house, "Second")
        ((_, text),) = next_digest(house)
        assert "| First" in text
        assert "| Second" in text


def test_much_news_come_in_several_letters_none_of_which_is_cut(house):
    send(house, "north", DAILY)
    for number in range(4):
        house.write("south", "PRESS TO north\n" + f"line {number}\n" * 30 + "ENDPRESS\n")
        house.sent()
    letters = next_digest(house)
    assert [kind for kind, _ in letters] == ["digest"] * 2
    assert ["Letter 1 of 2." in letters[0][1], "Letter 2 of 2." in letters[1][1]] == [True, True]
    assert sum(text.count("| line") for _, text in letters) == 120
    assert all(text.count("\n") < digest.MOST_LINES + 20 for _, text in letters)


def test_whoever_takes_the_seat_begins_with_all_at_once(house):
    send(house, "north", DAILY + "\nSET NOTIFY NO REMINDERS")
    house.invite("north", "carol@players.example")
    (north,) = [seat for seat in house.all(tables.Seat) if seat.name == "north"]
    assert (north.notify, north.reminded) == ("", True)


def test_the_terms_of_a_game_may_have_it_so_for_all(tmp_path):
    house = PlayedGame(tmp_path, terms=Terms.from_words({"notify": "weekly", "reminder_hours": "0"}))
    assert says(house, "First") == []
    assert "one letter a week, on Sunday at 18:00" in send(house, "north", "NOTIFY")
    assert "Every letter comes at once." in send(house, "north", "SET NOTIFY ALL")
    house.server.engine.dispose()
    with pytest.raises(ValueError, match="notify is one of all, daily, weekly"):
        Terms.from_words({"notify": "hourly"})


def test_reminders_can_be_done_without(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM._replace(reminder_hours=3))
    assert "You are not reminded" in send(house, "north", "fijar avisos sin recordatorios")
    (phase,) = house.all(tables.Phase)
    house.clock.set(phase.deadline)
    house.clock.forward(hours=-3)
    house.tick()
    assert to_ann(house) == []
    assert "You are reminded" in send(house, "north", "SET NOTIFY REMINDERS")
    house.server.engine.dispose()


def test_a_seat_that_nobody_has_gets_none(house):
    send(house, "north", DAILY)
    says(house, "First")
    with house.server.session() as session:
        session.get_one(tables.Seat, 1).person_id = None
    assert next_digest(house) == []


@pytest.mark.parametrize("text", ["all", "daily h18", "daily h0", "weekly d0 h7", "weekly d6 h23"])
def test_a_rhythm_reads_back(text):
    assert Rhythm.read(text).text == text


@pytest.mark.parametrize("text", ["", "hourly", "daily h24", "weekly d7 h1"])
def test_other_words_are_no_rhythm(text):
    with pytest.raises(ValueError, match="no rhythm of letters"):
        Rhythm.read(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("SET NOTIFY DAILY", "daily h18"),
        ("notify daily at 8:00", "daily h8"),
        ("FIJAR AVISOS DIARIO A LAS 0", "daily h0"),
        ("AVISOS SEMANAL EL MIÉRCOLES A LAS 7h", "weekly d2 h7"),
        ("SET NOTIFY WEEKLY MONDAY", "weekly d0 h18"),
        ("SET NOTIFY WEEKLY 6", "weekly d6 h6"),
        ("FIJAR AVISOS TODOS", "all"),
    ],
)
def test_how_it_is_said(house, text, kept):
    assert house.write("north", text).outcome == "settings"
    assert [seat.notify for seat in house.all(tables.Seat)] == [kept, ""]


@pytest.mark.parametrize("text", ["SET NOTIFY HOURLY", "SET NOTIFY DAILY 24", "FIJAR AVISOS DIARIO 18:30"])
def test_what_cannot_be_set_is_refused(house, text):
    assert house.write("north", text).outcome == "refusal"
    assert "SET NOTIFY DAILY 18" in house.answer()


def test_show_tells_when_news_are_due(house):
    send(house, "north", DAILY)
    says(house, "First")
    with house.server.work() as work:
        card = game_cards.show_game(work, "g1")
    assert ("digest", "digest north") in [(kind, cause) for _, kind, cause in card.due]
