"""Letters as text: the order of the parts, the columns, the lines, and what goes first when there is too much."""

import re
from typing import Any

import pytest

from pbem.data import data
from pbem.engine.data.messages import msg
from pbem.engine.data.report import DRAWING_DEPTH, Block, Entry, Report
from pbem.letters.catalogue import load_catalogue
from pbem.letters.layout import CUTS, LETTER_COLUMNS, MOST_LETTER_LINES, LengthCut, LetterParts
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from pbem.mail.marks import is_sentinel

LETTERS = TextLetters(SENTINEL)
ADDRESS = "pbem+ceuta-spain-abcdefghijklmnop@example.org"
TEMPLATE = ["ORDERS T3 #k7q2", "# MOVE Saboya,  Leon WITH Prim TO C3", "END"]

REPORT = Report(
    msg("Turn {turn}, Spain", turn=3),
    (msg("Two assaults, one space taken."), msg("Spain lost {n} steps.", n=3)),
    (
        Entry("O3.1", msg("Saboya and Leon move to Serrallo.")),
        Entry("C6", msg("Nizam fires at Saboya."), (msg("coins {n}", n=4), msg("heads {n}", n=3))),
        Entry("", msg("Night falls.")),
    ),
    (Block(msg("Losses"), ((0, msg("Spain {n}", n=3)),)), Block(msg("Forces"), ((0, msg("C1")), (1, msg("Saboya"))))),
)


def letter(**parts: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "kind": "report",
        "subject": msg("[{game}] T{turn} {what}", game="ceuta", turn=3, what=msg("orders received")).to_json(),
        "game": "ceuta",
        "rules": "",
        "title": msg("Castillejos").to_json(),
        "seat": "spain",
        "phase": "T3.spain~1",
        "address": ADDRESS,
        "opening": [msg("Send your orders by {day}.", day="Friday").to_json()],
        "report": None,
        "errors": [],
        "warnings": [],
        "blocks": [],
        "closing": [],
        "template": [],
    }
    return empty | parts


def error(**parts: Any) -> dict[str, Any]:
    plain = {"line": 2, "text": "ASALT Sierra", "column": 0, "width": 5, "why": msg("No such order.").to_json()}
    return plain | {"rule": "O1", "suggestions": []} | parts


def test_a_report_letter_from_the_first_line_to_the_last():
    text = LETTERS.letter(letter(report=REPORT.to_json(), template=TEMPLATE), "en")
    assert (
        text
        == f"""\
##- please write above this line -##

Turn 3, Spain - ceuta - T3.spain
Send your orders by Friday.

- Two assaults, one space taken.
- Spain lost 3 steps.

ORDERS T3 #k7q2
# MOVE Saboya,  Leon WITH Prim TO C3
END

#1 Saboya and Leon move to Serrallo. [O3.1]
#2 Nizam fires at Saboya. [C6]
    coins 4
    heads 3
#3 Night falls.

Losses
  Spain 3
Forces
  C1
    Saboya

{ADDRESS} - HELP lists the commands.
"""
    )


def test_a_refused_line_is_shown_with_a_caret_the_reason_the_rule_and_suggestions():
    parts = letter(
        errors=[
            error(suggestions=["ASSAULT", "ASALTAR"]),
            error(line=0, why=msg("An empty letter.").to_json(), rule=""),
        ],
        warnings=[{"line": 3, "why": msg("Leon stays idle.").to_json(), "rule": "O1.2"}],
        blocks=[{"title": msg("Your orders, mended:").to_json(), "lines": ["ORDERS T3", "  MOVE Leon TO C3", "END"]}],
    )
    text = LETTERS.letter(parts, "en")
    assert (
        """
Line 2:
    ASALT Sierra
    ^^^^^
  No such order. [O1]
  Perhaps you mean: ASSAULT, ASALTAR

  An empty letter.

Please check:
  line 3: Leon stays idle. [O1.2]

Your orders, mended:
ORDERS T3
  MOVE Leon TO C3
END
"""
        in text
    )


def test_the_same_letter_in_spanish_keeps_orders_and_numbers():
    text = LETTERS.letter(letter(report=REPORT.to_json(), template=TEMPLATE, errors=[error()]), "es")
    assert text.startswith("##- escriba encima de esta línea -##\n")
    assert is_sentinel(text.split("\n")[0])
    assert "\nLínea 2:\n    ASALT Sierra\n    ^^^^^\n" in text
    assert "\n" + "\n".join(TEMPLATE) + "\n" in text
    assert text.endswith(ADDRESS + " - AYUDA: lista de comandos.\n")


def test_the_subject_is_one_line():
    assert LETTERS.subject(letter(), "es") == "[ceuta] T3 órdenes recibidas"
    assert LETTERS.subject(letter(subject=msg("a\r\nBcc: b").to_json()), "en") == "a Bcc: b"


def test_text_is_wrapped_at_the_width_and_words_are_not_broken():
    long = msg("word " * 40 + "x" * 80)
    text = LETTERS.letter(
        letter(opening=[long.to_json()], report=Report(long, (long,), (Entry("C6", long),)).to_json()), "en"
    )
    over = [line for line in text.splitlines() if len(line) > LETTER_COLUMNS]
    assert over
    assert all(line.split()[-1] == "x" * 80 and len(line.split()) == 1 for line in over)


def test_the_caret_stays_under_the_word_of_a_long_line():
    line = "a" * 200 + " WRONG " + "b" * 5000
    text = LETTERS.letter(letter(errors=[error(text=line, column=201, width=5)]), "en")
    lines = text.splitlines()
    position = lines.index("Line 2:")
    shown, caret = lines[position + 1], lines[position + 2]
    assert len(shown) <= LETTER_COLUMNS
    assert shown[caret.index("^") : caret.rindex("^") + 1] == "WRONG"


def test_control_characters_do_not_reach_the_reader():
    parts = letter(blocks=[{"title": msg("You wrote:").to_json(), "lines": ["MOVE\x1b[2J Leon\x00\u202e"]}])
    text = LETTERS.letter(parts, "en")
    assert "MOVE[2J Leon\n" in text


def crowded(entries: int, details: int, *, marked: bool = True) -> Report:
    """Return a report of many events; every second one is marked as an outcome, or none is."""
    below = tuple(msg("detail {n}", n=n) for n in range(details))
    happened = tuple(
        Entry("C6", msg("event {n}", n=n), below, outcome=marked and n % 2 == 0) for n in range(1, entries + 1)
    )
    return REPORT._replace(entries=happened)


@pytest.mark.parametrize("entries", [10, 40, 70, 110, 140, pytest.param(1000, marks=pytest.mark.full)])
def test_a_letter_is_never_longer_than_it_may_be(entries):
    # Outcomes are never cut, so that this holds where none is marked.
    report = crowded(entries, 12, marked=False)
    text = LETTERS.letter(letter(report=report.to_json(), template=TEMPLATE), "en")
    assert len(text.splitlines()) <= MOST_LETTER_LINES
    assert "\n".join(TEMPLATE) in text
    assert f"event {entries:,} [C6]" in text


def test_details_go_before_events_and_the_letter_says_so():
    report = crowded(24, 3)
    outcomes = tuple(entry._replace(outcome=True) for entry in report.entries)
    text = LETTERS.letter(letter(report=report._replace(entries=outcomes).to_json()), "en")
    assert "detail" not in text
    assert "Dice and arithmetic: WHY" in text
    assert all(f"#{n} event {n} [C6]" in text for n in range(1, 25))


def test_events_left_out_are_counted_and_keep_their_numbers():
    text = LETTERS.letter(letter(report=crowded(80, 0).to_json()), "en")
    assert [int(n) for n in re.findall(r"^#(\d+) event \1 ", text, re.MULTILINE)] == [*range(2, 81, 2)]
    assert "(Left out: #1, #3, #5, #7," in text
    assert "Dice and arithmetic" not in text


def test_what_came_of_events_stays_however_long_the_letter_is():
    dice = tuple(msg("dice {n}", n=n) for n in range(6))
    fights = tuple(
        Entry("C6", msg("fight {n}", n=n), (*dice, msg("loss {n}", n=n)), (6,), n % 2 == 0) for n in range(1, 201)
    )
    marches = tuple(Entry("O3", msg("march {n}", n=n)) for n in range(1, 201))
    text = LETTERS.letter(letter(report=REPORT._replace(entries=(*fights, *marches)).to_json()), "en")
    assert all(f"fight {n} [C6]" in text and f"loss {n}\n" in text for n in range(1, 201))
    assert "dice 1" not in text
    assert text.count("march ") == 0
    assert "(Left out: #201-#400. HISTORY" in text


def test_a_letter_of_refused_lines_and_long_blocks_is_cut_with_a_count():
    errors = [error(line=n) for n in range(1, 2000)]
    blocks = [{"title": msg("You wrote:").to_json(), "lines": [f"line {n}" for n in range(2000)]}]
    text = LETTERS.letter(letter(errors=errors, blocks=blocks, template=TEMPLATE), "en")
    assert len(text.splitlines()) <= MOST_LETTER_LINES
    assert "more lines with errors." in text
    assert "lines left out)" in text


def test_a_language_that_is_not_spoken_is_refused():
    with pytest.raises(ValueError, match="en or es"):
        LETTERS.letter(letter(), "fr")


def test_own_forces_and_losses_stay_whole_however_long_the_letter_is():
    many = tuple((0, msg("counter {n}", n=n)) for n in range(1, 61))
    shown = [(Block(msg("Your forces"), many, whole=True), 60), (Block(msg("Your forces"), many), 30)]
    for block, lines in shown:
        report = crowded(160, 0)._replace(blocks=(block,))
        text = LETTERS.letter(letter(report=report.to_json()), "en")
        assert text.count("  counter ") == lines
        assert ("and 30 more" in text) is (lines == 30)


def test_arithmetic_goes_first_where_nothing_came_of_it():
    sums = tuple(msg("sum {n}", n=n) for n in range(3))
    quiet = tuple(Entry("C6", msg("miss {n}", n=n), sums) for n in range(1, 21))
    report = REPORT._replace(entries=(*quiet, Entry("C6", msg("hit"), sums, (), True)))
    text = LETTERS.letter(letter(report=report.to_json()), "en")
    assert text.count("miss ") == 20
    assert text.count("sum ") == 3


@pytest.mark.parametrize(("spare", "left"), [(0, 0), (1, 0), (2, 2)])
def test_one_line_too_many_stands_in_the_place_of_the_remark_that_it_is_left_out(spare, left):
    most = next(cut.lines for cut in CUTS if cut.lines)
    lines = [msg("said {n}", n=n).to_json() for n in range(most + spare)]
    shown = LetterParts(load_catalogue("en"), LengthCut(lines=most)).block(
        {"title": msg("Long").to_json(), "lines": lines}
    )
    assert (shown["left"], len(shown["head"]) + len(shown["tail"])) == (left, most + spare - left)


def test_an_answer_of_several_parts_says_that_a_part_comes_whole_if_it_is_asked_for_alone():
    lines = [msg("said {n}", n=n).to_json() for n in range(200)]
    parts = [{"title": msg("Long").to_json(), "lines": lines}, {"title": msg("Short").to_json(), "lines": lines[:2]}]
    several = LETTERS.letter(letter(kind="answer", blocks=parts), "en")
    assert "lines left out; ask for this in a letter of its own to have all of it)" in " ".join(several.split())
    assert max(map(len, several.splitlines())) <= 72
    assert "lines left out)" in LETTERS.letter(letter(kind="answer", blocks=parts[:1]), "en")


def test_a_short_report_leaves_the_rules_of_results_to_why():
    result = msg("{text} [{rule}]", text=msg("Leon loses 1"), rule="C6")
    entries = tuple(Entry("O7", msg("fire {n}", n=n), (msg("arithmetic"), result), (1,)) for n in range(60))
    text = LETTERS.letter(letter(report=REPORT._replace(entries=entries).to_json()), "en")
    assert "#1 fire 0 [O7]\n    Leon loses 1\n" in text
    few = LETTERS.letter(letter(report=REPORT._replace(entries=entries[:2]).to_json()), "en")
    assert "    Leon loses 1 [C6]\n" in few


def test_the_head_of_a_chart_is_broken_where_it_is_long_and_its_rows_are_not():
    head = msg("C8.1  Shock modifiers  ({note})", note=" ".join(["added"] * 12))
    row = msg("  die  | {cells}", cells=" ".join(["fail"] * 16))
    part = {"title": msg("Chart").to_json(), "lines": [head.to_json(), row.to_json()]}
    lines = LETTERS.letter(letter(kind="answer", blocks=[part]), "en").splitlines()
    at_head = lines.index("Chart") + 1
    assert f"C8.1  Shock modifiers  ({' '.join(['added'] * 12)})" == " ".join(
        map(str.strip, lines[at_head : at_head + 2])
    )
    assert lines[at_head + 2] == f"  die  | {' '.join(['fail'] * 16)}"


def test_the_rows_of_a_chart_that_were_read_stay_however_much_is_left_out():
    lines = [msg("row {n}", n=n).to_json() for n in range(200)]
    part = {"title": msg("Chart").to_json(), "lines": lines, "spare": True, "kept": [3, 120]}
    text = LETTERS.letter(letter(kind="answer", blocks=[part]), "en")
    assert "\nrow 0\nrow 3\nrow 120\n... (197 lines left out)\n" in text


def test_a_part_that_is_to_be_whole_is_never_cut():
    lines = [msg("said {n}", n=n).to_json() for n in range(200)]
    text = LETTERS.letter(letter(blocks=[{"title": msg("Long").to_json(), "lines": lines, "whole": True}]), "en")
    assert "said 199\n" in text
    assert "left out" not in text


def test_nothing_is_said_to_be_shortened_where_there_was_nothing_to_shorten():
    many = Block(msg("Your forces"), tuple((0, msg("counter {n}", n=n)) for n in range(200)), whole=True)
    quiet = REPORT._replace(entries=(Entry("O3", msg("march")),), blocks=(many,))
    assert "Arithmetic and dice are shortened" not in LETTERS.letter(letter(report=quiet.to_json()), "en")


def test_a_sum_is_shown_whole_or_not_at_all():
    below = (msg("die 5, in all 7"), msg("-2 in a town"), msg("another die"), msg("loss"))
    fights = tuple(Entry("C6", msg("fight {n}", n=n), below, (3,), joined=(1,)) for n in range(1, 41))
    text = LETTERS.letter(letter(report=REPORT._replace(entries=fights).to_json()), "en")
    assert text.count("in all 7") == text.count("-2 in a town")
    assert text.count("loss") == 40
    cut = LetterParts(load_catalogue("en"), LengthCut(details=1))
    assert [text for _, text in cut.below(fights[0].to_json())] == ["die 5, in all 7", "-2 in a town", "loss"]


def test_charts_go_before_what_was_ordered_and_what_that_is_worth():
    def lines(what: str) -> list[Any]:
        return [msg("{what} {n}", what=what, n=n).to_json() for n in range(40)]

    chart = {"title": msg("Chart").to_json(), "lines": lines("row"), "spare": True}
    others = [{"title": msg(title).to_json(), "lines": lines(title)} for title in ("orders", "odds")]
    text = LETTERS.letter(letter(kind="verified", blocks=[*others, chart, chart]), "en")
    assert text.count("  orders ") + text.count("  odds ") + text.count("\norders ") + text.count("\nodds ") >= 80
    assert "lines left out" in text


def test_the_map_of_letters_stays_as_long_as_anything_else_can_be_cut():
    drawing = Block(msg("The map"), tuple((DRAWING_DEPTH, msg("row {n}", n=n)) for n in range(30)))
    many = Block(msg("Forces"), tuple((0, msg("counter {n}", n=n)) for n in range(60)))
    report = crowded(120, 3)._replace(blocks=(many, drawing))
    text = LETTERS.letter(letter(report=report.to_json(), template=["ORDERS T3 #k7q2", "END"]), "en")
    assert len(text.splitlines()) <= MOST_LETTER_LINES + 30
    assert "row 29" in text
    assert "event 1 " not in text or "WHY and a number" in text
    # Who waits has no map in a long report.
    assert "row 29" not in LETTERS.letter(letter(report=report.to_json()), "en")


@pytest.mark.parametrize("details", [0, 1, 3])
def test_cuts_that_are_passed_over_unrendered_would_all_have_been_too_long(details):
    # With a template of the server's own each cut is rendered.
    every = TextLetters(SENTINEL, {"footer.txt.j2": (data("templates") / "footer.txt.j2").read_text("utf-8")})
    drawing = Block(msg("The map"), tuple((DRAWING_DEPTH, msg("row {n}", n=n)) for n in range(20)))
    for entries in range(0, 150, 7):
        report = crowded(entries, details, marked=entries % 2 == 0)
        report = report._replace(blocks=(*report.blocks, drawing), head=REPORT.blocks[: entries % 3])
        for form in ([], TEMPLATE):
            parts = letter(report=report.to_json(), template=form, blocks=[chart_of(entries)])
            assert LETTERS.letter(parts, "en") == every.letter(parts, "en")


def chart_of(rows: int) -> dict[str, Any]:
    """Return a block of long sentences, lines and blank lines."""
    lines = [msg("a row of {n} {words}", n=n, words=tuple("words" for _ in range(n))).to_json() for n in range(rows)]
    return {"title": msg("Chart").to_json(), "lines": ["", "- as it stands -", *lines], "spare": True}
