"""Letters and their exact answers, from the door to the text a player reads."""

import pytest

from tests.contract.kept import assert_kept
from tests.contract.letters import recorded, shown
from tests.harness.battle import IDRIS, PlayedBattle, readable
from tests.letters.stories import STORIES, play, read, written

PATHS = sorted(STORIES.glob("*.txt"))
REFUSED = {"against-the-rules", "empty", "enemy-unit", "help-topics", "not-your-phase", "two-readings"} | {
    path.stem for path in PATHS if path.stem.startswith(("unknown-", "wrong-"))
}


@pytest.fixture
def table(tmp_path):
    made = PlayedBattle(tmp_path)
    yield made
    made.server.engine.dispose()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_story_is_answered_as_written(path):
    point, exchanges = read(path)
    assert point.endswith(".")
    with recorded() as letters:
        answered = written(point, play(exchanges))
    assert answered == path.read_text("utf-8"), "python -m tests.letters.stories writes the stories anew"
    assert_kept("stories", path.stem, shown(letters))


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused_changes_nothing(name, table):
    before = table.kept()
    for exchange in read(STORIES / f"{name}.txt")[1]:
        table.answer(exchange.seat, exchange.letter)
    assert table.kept() == before


def sentences(text: str) -> list[str]:
    """The paragraphs of an answer between its first and its last line, each on one line."""
    return [" ".join(part.split()) for part in text.split("\n\n")][1:-1]


def body(text: str) -> list[str]:
    """The same without the heading that names game and phase."""
    return sentences(text)[1:]


def test_ten_thousand_lines_are_not_read(table):
    before = table.kept()
    answer = table.answer("morocco", "ORDERS T1\n" + "PASS\n" * 10_000 + "END\n")
    assert body(answer) == [
        "Your letter is too long for me to read. Nothing has changed; send a shorter one.",
        "It has more than 4,000 lines of text.",
        "I read 1,000 KB of a letter at most, and of its text 256 KB or 4,000 lines.",
    ]
    assert table.kept() == before


PAGE, TEXT = "Content-Type: text/html\n\n", "Content-Type: text/plain; charset=utf-8\n\n"
PARTS = "Content-Type: multipart/mixed; boundary=b0\n\n"
SEALED = "".join(f"--b{number}\nContent-Type: multipart/mixed; boundary=b{number + 1}\n\n" for number in range(30))


@pytest.mark.parametrize(
    ("seat", "text", "sentence"),
    [
        ("morocco", PAGE + "<b>x</b>" * 15_001, "It has more than 30,000 tags in its pages (HTML)."),
        ("spain", PAGE + "<b>x</b>" * 15_001, "etiquetas en sus páginas (HTML)."),
        (
            "morocco",
            PAGE + "<p " + "a=b " * 9_000 + ">x",
            "It has more than 2,000 attributes in a tag of its pages (HTML).",
        ),
        ("spain", TEXT + "word " * 60_000, "Tiene más de 256 KB de texto."),
        ("morocco", PARTS + SEALED, "It has more than 20 groups of parts."),
        ("spain", PARTS + SEALED, "Tiene más de 20 grupos de partes."),
        ("spain", PARTS + "--b0\n\nx\n" * 600, "Tiene más de 500 separadores de partes."),
    ],
)
def test_a_letter_that_passes_a_limit_of_reading_is_told_which(table, seat, text, sentence):
    before = table.kept()
    answer = body(readable(table.deliver(table.bare(seat, text)).answers[0]))
    assert sentence in " ".join(answer)
    assert len(answer) == 3
    assert table.kept() == before


def test_a_binary_letter_is_answered_with_help(table):
    before = table.kept()
    raw = table.letter("morocco", "x").replace(b"\nx\n", b"\n" + bytes(range(256)) * 40 + b"\n")
    answers = table.deliver(raw).answers
    assert len(answers) == 1
    assert body(readable(answers[0]))[0] == "I found no orders or commands in your letter. Nothing has changed."
    assert table.kept() == before


def test_an_unknown_game_or_token_gets_one_answer_a_day_with_the_right_addresses(table):
    before = table.kept()
    bad = table.addresses["morocco"].replace("+g1-", "+g9-")
    first = table.deliver(table.letter("morocco", "ORDERS T1\nPASS\nEND\n", to=bad))
    assert sentences(readable(first.answers[0])) == [
        "The address you wrote to is not that of a seat here: there is no game g9 with a seat morocco, or the address "
        "has been replaced.",
        "Nothing in your letter was read. This answer is sent once a day at most.",
        f"Your seats, and where to write for each g1 morocco: {table.addresses['morocco']}",
    ]
    assert f"To: {IDRIS}".encode() in first.answers[0]
    assert table.deliver(table.letter("morocco", "ORDERS T1\nPASS\nEND\n", to=bad)).answers == ()
    assert table.kept() == before


def test_an_unknown_sender_without_a_seat_is_told_where_to_write(table):
    before = table.kept()
    raw = table.letter("", "ORDERS T1\nPASS\nEND\n", sender="stranger@players.example", to="pbem@games.example")
    lines = sentences(readable(table.deliver(raw).answers[0]))
    assert lines[0].startswith("This is a server for wargames by email.")
    assert "If you were invited to a game, answer the letter that invited you." in lines
    assert table.kept() == before


def test_the_answer_to_a_letter_from_elsewhere_goes_to_the_registered_address(table):
    raw = table.letter("morocco", "STATUS", sender="elsewhere@players.example")
    (answer,) = table.deliver(raw).answers
    assert f"To: {IDRIS}".encode() in answer
