"""One, two and a hundred of every command in a letter: what must happen follows from the command's record.

`make test-long` tries a thousand as well. The commands are those of the catalogues: a new one is tried as soon as it is
there, and has to bring an example that can be sent, or stand in `EXAMPLES`.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from pbem.play.commands.command_records import RateLimit
from pbem.play.rulings.moderator_letter import KNOWN
from pbem.runtime.limits import LIMITS
from pbem.server.catalogue import COMMANDS, COMMANDS_BY_NAME
from pbem.server.intake import LetterOutcome
from pbem.store import tables
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.server import changed

EXAMPLES = {
    "help": "HELP orders",
    "cancel-later": "CANCEL LATER T3",
    "moves": "MOVES s1",
    "chart": "CHART",
    "odds": "ODDS MOVE Ant TO s2",
    "trial": "TEST STANDING Ant",
    "why": "WHY #1",
    "history": "HISTORY",
    "map": "MAP",
    "dice": "DICE",
    "rule": "RULES R1",
    "preset": "STANDING CAUTIOUS",
    "respond": "RESPOND 1A",
    "confirm-orders": "CONFIRM abcdefgh",
    "extend": "EXTEND 1h",
    "vacation": "VACATION 2026-06-{n:02} TO 2026-06-{n:02}",
    "address": "ADDRESS x{n}@elsewhere{n}.example",
    "witness": "SET WITNESS x{n}@elsewhere{n}.example",
    "join": "JOIN g1 AS north",
    "observe": "OBSERVE g1",
    "takeover": "TAKEOVER g1",
    "press": "PRESS TO south\nhello\nENDPRESS",
    "say": "SAY hello",
    "appeal": "APPEAL the bridge stood",
    "zone": "SET TZ Europe/Madrid",
    "resend": "RESEND",
}
RULED = {
    "PROCESS": "PROCESS T1.north BECAUSE x",
    "DEADLINE": "DEADLINE 2026-05-20 20:00 BECAUSE x",
    "EXTEND": "EXTEND 48h BECAUSE x",
    "WARN": "WARN south to keep to the tone BECAUSE x",
    "SUBSTITUTE": "SUBSTITUTE south BY carl@players.example BECAUSE x",
    "ADJUDICATE": "ADJUDICATE Red wins BECAUSE x",
    "ANNOUNCE": "ANNOUNCE hello",
    "RULING": "RULING so it is",
}
MANY = 100
FEW = [
    pytest.param(command.form.name, marks=[] if number % 4 == 0 else [pytest.mark.full])
    for number, command in enumerate(COMMANDS)
]
"""Each fourth command in the first tier: what a letter holds too much of is not read, whatever it is."""
THOUSAND = pytest.param(1_000, marks=pytest.mark.long)


def line(name: str, number: int) -> str:
    return EXAMPLES.get(name, COMMANDS_BY_NAME[name].form.example).format(n=1 + number % 28)


def letter(name: str, count: int) -> str:
    return "".join(f"{line(name, number)}\n" for number in range(count))


def written_to(house: PlayedGame) -> set[str]:
    """The addresses that letters were written to since the last time."""
    return {row.recipient for row in house.sent()}


def left_by(house: PlayedGame) -> tuple[object, ...]:
    """What a letter leaves behind besides its own row and its answer."""
    return (
        [(row.language, row.zone, row.notify, row.generation, row.person_id) for row in house.all(tables.Seat)],
        [row.deadline for row in house.all(tables.Phase)],
        [
            len(house.all(table))
            for table in (tables.Absence, tables.Delay, tables.Press, tables.Appeal, tables.Observer, tables.Use)
        ],
        len(house.all(tables.Outbox)) - len(house.all(tables.Inbox)),
    )


class Done(NamedTuple):
    """What became of a letter: its outcome, what was written, and what it left behind."""

    outcome: LetterOutcome
    written: str
    left: tuple[object, ...]


@cache
def one_of(name: str) -> Done:
    with TemporaryDirectory() as folder:
        house = PlayedGame(Path(folder))
        outcome = house.write("north", letter(name, 1))
        done = Done(outcome, "".join(text_of(row) for row in house.sent()), left_by(house))
        house.server.engine.dispose()
        return done


@pytest.mark.parametrize("name", [command.form.name for command in COMMANDS])
def test_one_is_answered(name):
    done = one_of(name)
    assert done.outcome.verdict == "seat"
    assert not re.search(r"counts (?:once|\d+ times) in", done.written)


@pytest.mark.full
@pytest.mark.parametrize("name", [command.form.name for command in COMMANDS])
def test_of_two_the_second_counts_only_where_its_record_says_so(house, name):
    first = one_of(name)
    assert first.outcome.outcome == house.write("north", letter(name, 2)).outcome
    often = COMMANDS_BY_NAME[name].often.letter
    texts = [text_of(row) for row in house.sent() if row.recipient == ANN]
    refused = any("I did nothing with your letter" in text for text in texts)
    assert any(re.search(r"counts once in a letter; not carried out once more: \d+\.", text) for text in texts) is (
        often == 1 and not refused
    ) or (often == 1 and refused)
    if often == 1:
        assert first.left == left_by(house)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("count", [MANY, THOUSAND])
def test_so_many_are_not_read(house, name, count):
    before = left_by(house)
    assert house.write("north", letter(name, count)).outcome == "refusal"
    (row,) = house.sent()
    assert row.recipient == ANN
    assert f"A letter may have at most {LIMITS.commands} commands." in text_of(row)
    assert left_by(house) == before


@pytest.mark.parametrize("name", [command.form.name for command in COMMANDS])
def test_as_many_as_a_letter_may_hold_write_to_one_stranger_at_most(house, name):
    """Whatever else they do, they reach nobody else more than once, but those at the table by what is said to them."""
    house.write("north", letter(name, LIMITS.commands))
    rows = house.sent()
    known = {ANN, "bob@players.example", "op@games.example"}
    strangers = [row.recipient for row in rows if row.recipient not in known]
    assert len(strangers) <= 1
    assert len(rows) <= 1 + max(1, len(strangers), COMMANDS_BY_NAME[name].often.letter * 2)


@pytest.mark.parametrize("name", [command.form.name for command in COMMANDS if command.often.phase])
def test_what_a_phase_bounds_is_refused_in_the_letter_after(house, name):
    often = COMMANDS_BY_NAME[name].often
    for number in range(often.phase):
        house.write("north", f"{line(name, number)}\n")
    used = len(house.all(tables.Use))
    if used < often.phase:
        return  # This game refuses it for another reason already.
    house.sent()
    assert house.write("north", f"{line(name, often.phase)}\n").outcome == "refusal"
    answer = house.answer()
    assert f"as often as one phase allows: {often.phase}." in answer or "wait for a ruling already." in answer


@pytest.mark.parametrize("name", [command.form.name for command in COMMANDS if command.often.day])
def test_what_a_day_bounds_is_refused_until_the_next(house, name):
    often = COMMANDS_BY_NAME[name].often
    for number in range(often.day):
        if not house.write("north", f"{line(name, number)}\n").outcome:
            break
        house.clock.forward(minutes=30)
        with house.server.session() as session:
            for seat in house.all(tables.Seat):
                if seat.name == "north":
                    house.addresses["north"] = house.server.seat_address(seat)
            session.commit()
    if len(house.all(tables.Use)) < often.day:
        return  # Something else bounds it before.
    house.sent()
    assert house.write("north", f"{line(name, often.day)}\n").outcome == "refusal"
    assert f"as often as one day allows: {often.day}." in house.answer()


@pytest.mark.parametrize("name", [command.form.name for command in COMMANDS if command.visit])
@pytest.mark.parametrize("count", [1, 2, MANY, THOUSAND])
def test_a_stranger_gets_one_letter_for_one_of_them_and_a_refusal_for_more(house, name, count):
    outcome = house.receive(mail("eve@elsewhere.example", "pbem@games.example", letter(name, count)))
    # What asks for a game against a bot is counted apart; what asks for too much is not read so far.
    assert outcome.outcome == ("answered-play" if (name, count) == ("play", 1) else "answered-request")
    (row,) = house.sent()
    assert row.recipient == "eve@elsewhere.example"
    assert ("I did nothing with it." in text_of(row)) is (count > 1)
    assert len(row.model) <= LIMITS.visitor_answer


@pytest.mark.full
@pytest.mark.parametrize("name", [command.form.name for command in COMMANDS if not command.visit])
@pytest.mark.parametrize("count", [1, MANY, THOUSAND])
def test_a_stranger_gets_nothing_else(house, name, count):
    outcome = house.receive(mail("eve@elsewhere.example", "pbem@games.example", letter(name, count)))
    assert outcome.outcome in ("answered-stranger", "answered-request")
    (row,) = house.sent()
    assert (row.recipient, row.kind in ("welcome", "help")) == ("eve@elsewhere.example", True)


@pytest.mark.parametrize("word", KNOWN.by_word)
@pytest.mark.parametrize("count", [2, MANY, THOUSAND])
def test_of_a_moderators_rulings_so_many_count_as_their_record_says(moderated, word, count):
    text = f"{RULED.get(word, f'{word} BECAUSE x')}\n"
    alone = moderated.dictate(text).outcome
    moderated.sent()
    outcome = moderated.dictate(text * count).outcome
    (row,) = moderated.sent()
    letter_text = text_of(row)
    if count > LIMITS.commands:
        assert (outcome, "A letter may have at most" in letter_text or "I stopped at" in letter_text) == (
            "not-ruled",
            True,
        )
    elif KNOWN.by_word[word].often >= count:
        assert outcome == alone
    elif alone == "confirm":
        assert f"{word}: at most {KNOWN.by_word[word].often} in one letter." in letter_text
    assert moderated.rulings() == []


@pytest.mark.parametrize("word", [name.upper() for name in KNOWN.questions])
@pytest.mark.parametrize("count", [1, 2, MANY, THOUSAND])
def test_of_a_moderators_questions_so_many_are_answered_as_may_be(moderated, word, count):
    moderated.dictate(f"{word}\n" * count)
    (row,) = moderated.sent()
    letter_text = text_of(row)
    often = KNOWN.questions[word.lower()].often
    if count > LIMITS.commands:
        assert "A letter may have at most" in letter_text
    else:
        assert (f"{word}: at most {often} in one letter." in letter_text) is (count > often)


# What once was done a thousand times


def test_a_deadline_is_put_off_once_a_letter(house):
    before = house.all(tables.Phase)[0].deadline
    house.write("north", "EXTEND 1h\n" * 30)
    after = house.all(tables.Phase)[0].deadline
    assert (after - before).total_seconds() == 3_600


def test_an_absence_is_counted_before_the_next_of_the_same_letter(house):
    lines = "".join(f"VACATION 2026-{month:02}-01 TO 2026-{month:02}-15\n" for month in range(6, 9))
    assert house.write("north", lines).outcome == "answer"
    assert len(house.all(tables.Absence)) == 1
    texts = [text_of(row) for row in house.sent() if row.recipient == ANN]
    assert "VACATION 2026-07-01 TO 2026-07-15: not carried out. That would be 15 days" in texts[0]


def test_letters_to_others_are_counted_within_a_letter(house):
    for _ in range(6):
        house.write("north", "SAY hello\n" * 5)
    assert len(house.all(tables.Press)) == 20


def test_what_stands_below_the_end_of_a_game_is_not_carried_out(house):
    house.write("north", "RESIGN\n")
    (code,) = re.findall(r"^RESIGN CODE ([a-z2-7]{8})$", house.answer(), re.MULTILINE)
    house.write("north", f"RESIGN CODE {code}\nJOIN g1\nEXTEND 1h\nORDERS T1\nMOVE Ant TO s2\nEND\n")
    assert any("What your letter says below line 1 was not carried out." in text_of(row) for row in house.sent())
    assert house.all(tables.QueuedOrders) == house.all(tables.Delay) == []


def test_a_player_names_three_addresses_while_their_codes_are_good(house):
    outcomes = []
    for number in range(5):
        outcomes.append(house.write("north", f"ADDRESS x{number}@elsewhere.example\n").outcome)
        house.clock.forward(hours=3)
    assert outcomes == ["confirm"] * 3 + ["refusal"] * 2
    assert "I have written to 3 addresses for you within 7 days" in text_of(house.sent()[-1])
    house.clock.forward(days=8)
    assert house.write("north", "ADDRESS y@elsewhere.example\n").outcome == "confirm"


@pytest.mark.parametrize("limit", ["named", "named_at_domain"])
def test_players_together_name_so_many_addresses_a_day(house, limit):
    house.server = changed(house.server, limits=LIMITS._replace(**{limit: 1}))
    assert house.write("north", "ADDRESS x@elsewhere.example\n").outcome == "confirm"
    assert house.write("south", "ADDRESS y@elsewhere.example\n").outcome == "refusal"
    other = house.write("south", "ADDRESS y@another.example\n").outcome
    assert other == ("confirm" if limit == "named_at_domain" else "refusal")
    house.clock.forward(days=1, seconds=1)
    assert house.write("south", "ADDRESS z@elsewhere.example\n").outcome == "confirm"


# Those who are not known


SERVER = "pbem@games.example"


def asks(house: PlayedGame, sender: str, text: str = "LIST") -> str:
    return house.receive(mail(sender, SERVER, text)).outcome


def test_junk_of_many_domains_keeps_no_player_from_being_answered(house):
    house.server = changed(house.server, limits=LIMITS._replace(strangers=20))
    outcomes = [asks(house, f"e@x{number}.example") for number in range(30)]
    assert outcomes == ["answered-request"] * 10 + ["over-budget"] * 20
    assert asks(house, ANN) == "answered-request"
    assert asks(house, ANN, "where was I?") == "answered-stranger"


def test_junk_that_asks_for_nothing_keeps_nobody_from_joining(house):
    house.server = changed(house.server, limits=LIMITS._replace(strangers=20))
    outcomes = [asks(house, f"e@x{number}.example", "Buy this") for number in range(30)]
    assert outcomes == ["answered-stranger"] * 5 + ["over-budget"] * 25
    assert asks(house, "new@friends.example", "JOIN g1") == "answered-request"


def test_junk_that_asks_for_much_keeps_nobody_from_joining_who_is_vouched_for(house):
    """Whoever is not known and not vouched for leaves a quarter of the answers to those who are vouched for."""
    house.server = changed(house.server, limits=LIMITS._replace(strangers=40), authserv_id="mx.example")
    outcomes = [asks(house, f"e@x{number}.example") for number in range(30)]
    assert outcomes == ["answered-request"] * 15 + ["over-budget"] * 15
    proof = {"Authentication_Results": "mx.example; dkim=pass header.d=friends.example"}
    assert house.receive(mail("new@friends.example", SERVER, "JOIN g1", **proof)).outcome == "answered-request"


def test_domains_below_one_name_share_what_two_have(house):
    """Whoever owns a name has as many below it as he likes."""
    house.server = changed(house.server, limits=LIMITS._replace(at_domain=3))
    outcomes = [asks(house, f"e@x{number}.junk.example") for number in range(10)]
    assert outcomes == ["answered-request"] * 6 + ["over-budget"] * 4
    assert asks(house, "e@a.b.junk.example") == "over-budget"
    assert asks(house, "new@friends.example") == "answered-request"


def test_one_domain_has_a_share_of_its_own(house):
    house.server = changed(house.server, limits=LIMITS._replace(at_domain=3))
    assert [asks(house, f"e{number}@x.example") for number in range(5)] == ["answered-request"] * 3 + [
        "over-budget"
    ] * 2
    assert asks(house, "new@friends.example") == "answered-request"
    house.clock.forward(days=1, seconds=1)
    assert asks(house, "e@x.example") == "answered-request"


def test_no_letter_writes_to_two_who_are_not_known(house, monkeypatch):
    """The last line of defence: a command whose author forgot its limits."""
    monkeypatch.setitem(
        COMMANDS_BY_NAME, "address", replace(COMMANDS_BY_NAME["address"], often=RateLimit(letter=40), names=None)
    )
    before = left_by(house)
    assert house.write("north", letter("address", 2)).outcome == "refusal"
    (row,) = house.sent()
    assert row.recipient == ANN
    assert "It would have me write to more than 1 address that nobody is known by here." in text_of(row)
    assert left_by(house) == before


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({"nonsense": 3}, "no limit 'nonsense'"),
        ({"mistakes": 51}, "at most 50"),
        ({"commands": 0}, "above 0"),
        ({"lines": 4_001}, "at most 4000"),
        ({"commands": 1.5}, "a number"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(changed, wrong):
    with pytest.raises(ValueError, match=wrong):
        LIMITS.with_changes(changed)


def test_limits_are_set_by_name():
    assert LIMITS.with_changes({"seconds": 0.5, "commands": 3.0}) == LIMITS._replace(seconds=0.5, commands=3)
