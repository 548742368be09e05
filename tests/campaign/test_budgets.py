"""What one letter may cost: each limit is counted, named in the answer, and what passes it does nothing.

Nothing here is timed: what is counted is the same on every machine. Seconds and megabytes are measured by
``make fuzz-mail``.
"""

import difflib
import json
from collections import Counter

import pytest
from sqlmodel import desc, select

from pbem.engine.data.messages import plain_english
from pbem.engine.orders.cursor import DEEPEST, MOST_WRONG
from pbem.engine.terms import RejectedLine
from pbem.letters import command_lines
from pbem.letters.catalogue import load_catalogue
from pbem.letters.content import LONGEST_SHOWN
from pbem.play.rulings import moderator_letter
from pbem.runtime.limits import LIMITS, ExceededLimit, LetterLimitExceeded, Limits, explain_excess
from pbem.server.catalogue import COMMAND_FORMS
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.harness.game import ANN
from tests.harness.letters import mail, text_of
from tests.harness.moderated_game import MO
from tests.harness.server import changed

KILLER = "STATUS\n" + "xq;" * 80_000
"""A letter that once took gigabytes: a mistake kept its whole line for each of its parts."""


@pytest.fixture
def counted(monkeypatch):
    """How often what is dear was done: words held against those that are known, parts made into words."""
    times: Counter[str] = Counter()
    near = difflib.get_close_matches

    def noted(*args, **more):
        times["near"] += 1
        assert len(args[0]) <= 60
        return near(*args, **more)

    monkeypatch.setattr(difflib, "get_close_matches", noted)
    return times


def kept(house):
    """The characters that a letter has left in the database besides itself."""
    return sum(len(row.model) for row in house.all(tables.Outbox))


# Reading


def test_a_line_of_eighty_thousand_parts_is_read_to_the_fiftieth_mistake(counted):
    parsed = command_lines.parse_letter("STATUS\n" + "xq;" * 600 + "\n" + "xq\n" * 3_000, COMMAND_FORMS)
    assert (len(parsed.wrong), counted["near"]) == (LIMITS.mistakes, LIMITS.mistakes + 1)
    assert all(len(wrong.text) <= LONGEST_SHOWN for wrong in parsed.wrong)


def test_a_line_longer_than_one_may_be_is_one_mistake(counted):
    parsed = command_lines.parse_letter(KILLER, COMMAND_FORMS)
    (wrong,) = parsed.wrong
    assert (wrong.rejected.line, len(wrong.text), counted["near"]) == (2, LONGEST_SHOWN, 0)
    assert "more than 2000 characters" in plain_english(wrong.rejected.why)


def test_a_long_paragraph_above_the_first_command_is_a_greeting():
    parsed = command_lines.parse_letter("Dear all; " * 400 + "\nSTATUS\n", COMMAND_FORMS)
    assert ([command.name for command in parsed.commands], parsed.wrong) == (["status"], ())


def test_a_long_line_said_to_others_is_prose():
    (parsed,) = command_lines.parse_letter("SAY " + "word; " * 1_000, COMMAND_FORMS).commands
    assert parsed.name == "say"


@pytest.mark.parametrize("text", ["STATUS;" * 36_000, "STATUS\n" * 3_900, "STATUS;STATUS\n" * 21], ids=str.__len__)
def test_more_commands_than_a_letter_may_hold_are_not_read(text):
    parsed = command_lines.parse_letter(text, COMMAND_FORMS)
    longest = max(map(len, text.split("\n")))
    assert (
        len(parsed.wrong) == 1 if longest > LIMITS.line else parsed.excess == ExceededLimit("commands", LIMITS.commands)
    )
    assert parsed.commands == ()


def test_as_many_commands_as_a_letter_may_hold_are_read():
    assert len(command_lines.parse_letter("STATUS\n" * LIMITS.commands, COMMAND_FORMS).commands) == LIMITS.commands


@pytest.mark.parametrize(
    "block",
    [
        "ORDERS T1\n" + "PASS\n" * 401 + "END\n",
        "ORDERS T1\n" + "PASS;PASS;PASS\n" * 134 + "END\n",
        "".join(f"LATER T{turn}\nPASS;PASS\nEND\n" for turn in range(2, 203)),
    ],
    ids=["lines", "parts", "blocks"],
)
def test_more_orders_than_a_letter_may_hold_are_not_read(block):
    assert command_lines.parse_letter(block, COMMAND_FORMS).excess == ExceededLimit("orders", LIMITS.orders)


def test_comments_and_empty_lines_are_no_orders():
    text = "ORDERS T1\n" + "# MOVE Ant TO s2; or not\n\n" * 1_000 + "PASS\nEND\n"
    assert command_lines.parse_letter(text, COMMAND_FORMS).excess is None


def test_a_mistake_shows_what_is_wrong_in_a_long_line():
    text = "# " + "a " * 200 + "Nobody " + "b " * 200
    wrong = command_lines.OrderBlock(1, "ORDERS", None, "", 2, (text,), "END").mistakes(
        [RejectedLine(1, 402, "Nobody", explain_excess(ExceededLimit("lines", 1))[0], "O1", ())]
    )
    (mistake,) = wrong
    assert (len(mistake.text), mistake.text[mistake.rejected.column :][:6]) == (LONGEST_SHOWN, "Nobody")


def test_a_moderators_lines_are_read_to_the_fiftieth_mistake(counted):
    assert len(moderator_letter.KNOWN.read_letter("HOLD\n" * 3_900).wrong) == LIMITS.mistakes
    assert moderator_letter.KNOWN.read_letter("STATUS\n" * 41).excess == ExceededLimit("commands", LIMITS.commands)
    (long,) = moderator_letter.KNOWN.read_letter("ANNOUNCE x\n" + ("word " * 12 + "\n") * 3_900).wrong[:1]
    assert len(long.text) <= LONGEST_SHOWN


# Orders


BLOCKS = {
    "words that are none": "xq;" * 300 + "\n" + "xq\n" * 90,
    "names that are none": "MOVE Nobody TO Nowhere\n" * 390,
    "a long name": f"MOVE {'x' * 1_900} TO Nowhere\n" * 100,
    "nested branches": "IF TURN 1\n" * 390,
    "nested parentheses": "".join(f"IF {'(' * (900 + number)}\n" for number in range(100)),
    "a long condition": "".join(f"STOP IF TURN 1{' AND TURN 1' * (150 + number % 20)}\n" for number in range(100)),
}


@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
@pytest.mark.parametrize(
    ("game", "scenario", "seats"),
    [("africa1860", "castillejos", ("spain", "morocco")), ("peninsular", "barrosa", ("british", "french"))],
    ids=["africa1860", "peninsular"],
)
@pytest.mark.parametrize("word", ["ORDERS T1", "LATER T3"])
def test_orders_of_both_games_are_read_to_the_fiftieth_mistake(tmp_path, block, game, scenario, seats, word):
    table = PlayedBattle(tmp_path, scenario, game=game, seats=seats)
    before = table.kept()
    delivered = table.deliver(table.letter(seats[0], f"{word}\n{block}END\n"))
    assert (delivered.verdict, delivered.outcome) == ("seat", "refusal")
    with table.server.session() as session:
        model = json.loads(session.exec(select(tables.Content.model).order_by(desc("outbox_id"))).first() or "")
    assert len(model["errors"]) == MOST_WRONG
    assert all(len(wrong["text"]) <= LONGEST_SHOWN for wrong in model["errors"])
    assert f"I stopped at {MOST_WRONG} mistakes" in json.dumps(model).replace("{count}", str(MOST_WRONG))
    assert table.kept() == before
    table.server.engine.dispose()


def test_branches_may_be_nested_so_deep_and_no_deeper(tmp_path):
    table = PlayedBattle(tmp_path)
    for levels, outcome in ((DEEPEST, "verified"), (DEEPEST + 1, "refusal")):
        block = "IF TURN 1\n" * levels + "PASS\n" + "ENDIF\n" * levels
        assert table.deliver(table.letter("spain", f"VERIFY T1\n{block}END\n")).outcome == outcome
    table.server.engine.dispose()


# What is answered


ELSEWHERE = (
    *("line", "mistakes", "named", "named_by_one", "named_at_domain", "strangers", "at_domain", "requests"),
    *("plays", "plays_at_domain", "playing", "playing_one", "deadline_days", "invited"),
)
"""Limits that are told in sentences of their own."""


def test_each_limit_is_named_with_its_number_and_a_way_out_in_both_languages():
    for name in Limits._fields:
        if name in ELSEWHERE:
            continue
        most = getattr(LIMITS, name)
        for language in ("en", "es"):
            text = " ".join(map(load_catalogue(language).say, explain_excess(ExceededLimit(name, most))))
            shown = most // 1024 if "answer" in name else most
            assert (
                load_catalogue(language).number(shown) in text if shown >= 10_000 else f"{shown:g}".rstrip("0") in text
            )
            assert text.count(".") >= 3


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("STATUS\n" * 1_000, "A letter may have at most 40 commands."),
        (f"ORDERS T1\n{'PASS;' * 300}\n{'PASS;' * 300}\nEND\n", "A letter may have at most 400 lines of orders; each"),
        (KILLER, "This line has more than 2000 characters;"),
        ("STATUS\n" + "xq\n" * 900, "I stopped at 50 mistakes, the most for one letter"),
    ],
    ids=["commands", "orders", "line", "mistakes"],
)
def test_the_answer_names_the_limit_that_a_letter_passes(house, text, limit):
    before = kept(house)
    assert house.write("north", text).outcome == "refusal"
    assert limit in house.answer()
    assert kept(house) - before < 40_000
    assert house.all(tables.QueuedOrders) == []


def test_a_letter_that_takes_too_long_is_answered_so_and_nothing_of_it_is_done(house):
    ticks = iter(range(100))
    house.server = changed(house.server, cpu=lambda: float(next(ticks)))
    assert house.write("north", "SET LANG es\nSTATUS\nHELP\n").outcome == "refusal"
    assert house.answer() == (
        "kind: refusal (en)\n"
        "Your letter asks for more than one letter may. I did nothing with it.\n"
        "To answer it would take me more than 1.5 seconds of computing. "
        "Send it in several letters, each with a part of it.\n"
    )
    assert {row.language for row in house.all(tables.Seat)} == {"en"}


def test_processor_time_is_looked_at_between_any_two_commands(house):
    looked: list[int] = []

    def cpu() -> float:
        looked.append(1)
        return 0.0

    house.server = changed(house.server, cpu=cpu)
    house.write("north", "STATUS\nHELP\nMAP\n")
    assert len(looked) >= 1 + 1 + 3 + 3


def test_an_answer_longer_than_one_may_be_is_not_given(house):
    house.server = changed(house.server, limits=LIMITS._replace(answer=1_500))
    assert house.write("north", "SET LANG es\nHELP\n").outcome == "refusal"
    assert "Its answer would be longer than 1 KB. Send it in several letters" in house.answer()
    assert {row.language for row in house.all(tables.Seat)} == {"en"}


def test_a_letter_given_up_is_one_row_and_is_met_once(house):
    house.server = changed(house.server, limits=LIMITS._replace(answer=1_500))
    raw = mail(ANN, house.addresses["north"], "HELP\n")
    assert house.receive(raw, uid=7).outcome == "refusal"
    assert house.receive(raw, uid=7).verdict == "known"
    assert [row.outcome for row in house.all(tables.Inbox)] == ["refusal"]


def test_what_asks_for_too_much_twice_is_a_fault_and_not_met_for_ever(house, monkeypatch):
    def never(*args):
        raise LetterLimitExceeded("seconds", 2)

    monkeypatch.setattr("pbem.letters.reception.address_state", never)
    assert house.write("north", "STATUS").verdict == "fault"


def test_a_moderator_is_told_too(moderated):
    for text, limit in (
        ("STATUS\n" * 41, "A letter may have at most 40 commands."),
        ("HOLD\n" * 3_900, "I stopped at 50 mistakes"),
        ("STATUS\n" * 4_001, "of its text 256 KB or 4000 lines."),
        ("x" * 1_000_001, "I read 1000 KB of a letter at most, and of its text 256 KB or 4000 lines."),
    ):
        assert moderated.dictate(text).outcome in ("not-ruled",)
        (row,) = moderated.sent()
        assert (row.recipient, limit in text_of(row)) == (MO, True), limit
    moderated.server = changed(moderated.server, limits=LIMITS._replace(answer=500))
    assert moderated.dictate("HELP\n").outcome == "not-ruled"
    assert "Its answer would be longer than 0 KB." in text_of(moderated.sent()[0])


@pytest.mark.parametrize("text", ["LIST\n" * 2, "LIST;LIST", "LIST\nHELP\n", "LIST\n" * 3_900, "HELP;" * 300])
def test_a_visitor_asks_for_one_thing_a_letter(house, text):
    assert house.receive(mail("eve@x.example", "pbem@games.example", text)).outcome == "answered-request"
    (row,) = house.sent()
    assert row.recipient == "eve@x.example"
    assert "I did nothing with it." in text_of(row)
    assert len(row.model) < 2_000


def test_a_visitors_answer_is_no_longer_than_32_kb(house):
    house.server = changed(house.server, limits=LIMITS._replace(visitor_answer=100))
    assert house.receive(mail("eve@x.example", "pbem@games.example", "LIST")).outcome == "answered-request"
    (row,) = house.sent()
    assert "Its answer would be longer than 0 KB." in text_of(row)
    assert LIMITS.visitor_answer == 32_768
