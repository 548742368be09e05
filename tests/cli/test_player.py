"""The demo's player: bare Python, an empty folder, and nothing to go by but letters."""

import email
import email.policy
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pbem.audit.dice import DiceStream
from pbem.cli.demo import player, stage
from pbem.cli.rulebooks import game_by_name
from pbem.engine.data.messages import msg
from pbem.engine.orders.wrapped import fold_form
from pbem.engine.parts import FormTerms
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import Orders, Phase
from pbem.letters.content import Letter, LetterHead
from pbem.letters.text import TextLetters
from pbem.mail.embedded import EmbeddedMail
from pbem.mail.html import SENTINEL
from tests.letters.stories import STORIES

SEAT = "pbem+demo-1-spain-abcdefghijklmnop@demo.test"
LIMIT = 30

FORM = """ORDERS T1 #k7q2
# ACTIVATE B
# ASSAULT C WITH Leon1, Leon2 LED BY Prim  # 80 %
# MOVE Leon1, Leon2, Rey WITH Prim TO A | D
END
"""


def letter(turn: int, body: str) -> bytes:
    head = f"From: pbem <pbem@demo.test>\nTo: ana@demo.test\nReply-To: {SEAT}\nSubject: [demo-1] T{turn}\n"
    head += "Date: Fri, 05 Jan 2024 20:00:00 +0000\n"
    return f"{head}Message-ID: {name(turn)}\n\n{body}".replace("\n", "\r\n").encode()


def name(turn: int) -> str:
    """The Message-ID of a letter."""
    return f"<demo-1.T{turn}.aaaaaaaa@demo.test>"


def waiting(turn: int) -> bytes:
    return letter(turn, "You need do nothing now; HELP standing tells more.\n")


def asked(turn: int) -> bytes:
    return letter(turn, f"Your orders are wanted.\n\n{FORM.replace('T1', f'T{turn}')}")


@pytest.fixture
def mail():
    with EmbeddedMail({"pbem@demo.test": "judge", "ana@demo.test": "ana"}) as server:
        yield server


@pytest.fixture
def ana(mail, tmp_path):
    """The player's process, started; ended at the latest with the test."""
    settings = {
        "host": mail.host,
        "imap_port": mail.imap_port,
        "smtp_port": mail.smtp_port,
        "address": "ana@demo.test",
        "password": "ana",
        "parent": os.getpid(),
        "go": False,
        "language": "en",
        "turns": 2,
        "think": 0.0,
        "slips": ["wrong phase", "wrong turn"],
    }
    (tmp_path / "ana.json").write_text(json.dumps(settings))
    empty = tmp_path / "empty"
    empty.mkdir()
    command = [sys.executable, "-I", str(Path(player.__file__)), str(tmp_path / "ana.json")]
    process = subprocess.Popen(command, cwd=empty, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def answers(mail: EmbeddedMail, count: int) -> list[email.message.EmailMessage]:
    """What the server got, once there are so many."""
    limit = time.monotonic() + LIMIT
    while len(letters := mail.letters_in("pbem@demo.test")) < count:
        assert time.monotonic() < limit, "no answer came"
        time.sleep(0.02)
    return [email.message_from_bytes(raw, policy=email.policy.default) for raw in letters]


@pytest.mark.full
def test_it_needs_the_standard_library_alone():
    script = (
        "import runpy, sys; sys.path = [p for p in sys.path if 'site-packages' not in p]; runpy.run_path(sys.argv[1])"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", script, player.__file__], check=True)


@pytest.mark.full
def test_it_writes_its_orders_into_the_form_quotes_the_rest_and_waits_for_the_end(mail, ana):
    mail.deliver("ana@demo.test", waiting(1))
    mail.deliver("ana@demo.test", asked(2))
    mail.deliver("ana@demo.test", asked(2))
    first, second = answers(mail, 2)
    assert first["To"] == SEAT
    assert first["In-Reply-To"] == name(1)
    assert first["Subject"] == "Re: [demo-1] T1"
    text = player.text_of_letter(first)
    assert text.startswith("STANDING BALANCED\n\nOn Fri, 05 Jan 2024")
    assert "\n> You need do nothing now; HELP standing tells more.\n" in text
    # Its one mistake: a turn too late.
    assert player.text_of_letter(second).startswith("ORDERS T3 #k7q2\n# ACTIVATE B\n")
    given = "\nACTIVATE B\nASSAULT C WITH Leon1, Leon2 LED BY Prim\nEND\n\nOn "
    assert given in player.text_of_letter(second)
    mail.deliver("ana@demo.test", asked(3))
    output, _ = ana.communicate(timeout=LIMIT)
    assert ana.returncode == 0
    assert output.splitlines()[-1] == "has the last report"
    assert len(mail.letters_in("pbem@demo.test")) == 2


def refused(corrected: str) -> bytes:
    wrong = "Line 1:\n    ORDERS T2 #k7q2\n    ^^^^^^^^^\n  These orders are for turn 2; it is turn 1.\n"
    wrong += "  Perhaps you mean: ORDERS T1\n\nLine 5:\n    ASSAULT C WITH Leon\n                   ^^^^\n"
    wrong += "  Leon can mean several [R2]\n  Perhaps you mean: Leon1, Leon2\n\n"
    wrong += (
        "Line 6:\n    MOVE Rey TO C3\n         ^^^\n  Rey is not yours, as far as anybody\n  here can tell [R2]\n\n"
    )
    return letter(1, f"Castillejos - demo-1 - Turn 1\n\n{wrong}Your block, corrected\n{corrected}\n")


CORRECTED = FORM.replace("END\n", "# ASSAULT C WITH Leon\n# MOVE Rey TO C3\nPASS\nEND").replace(" #k7q2", "")


@pytest.mark.full
def test_what_is_refused_is_mended_from_the_answer_alone(mail, ana):
    mail.deliver("ana@demo.test", asked(1))
    (first,) = answers(mail, 1)
    assert player.text_of_letter(first).startswith("ORDERS T2 #k7q2\n# ACTIVATE B\n")
    mail.deliver("ana@demo.test", refused(CORRECTED))
    _, again = answers(mail, 2)
    mended = CORRECTED.replace("# ASSAULT C WITH Leon\n", "ASSAULT C WITH Leon1\n")
    assert player.text_of_letter(again).startswith(f"{mended}\n\nOn ")


def test_the_mistakes_in_a_letter_are_read_as_it_tells_them():
    text = refused("ORDERS T1\nEND").decode().replace("\r\n", "\n")
    assert player.refused_order_lines(text) == [
        (1, "ORDERS T2", "These orders are for turn 2; it is turn 1.", ("ORDERS T1",)),
        (5, "Leon", "Leon can mean several [R2]", ("Leon1", "Leon2")),
        (6, "Rey", "Rey is not yours, as far as anybody here can tell [R2]", ()),
    ]


@pytest.mark.full
def test_it_gives_up_when_nothing_helps(mail, ana):
    mail.deliver("ana@demo.test", asked(1))
    for number in range(4):
        answers(mail, 1 + number)
        mail.deliver("ana@demo.test", refused("ORDERS T1\nEND"))
    output, _ = ana.communicate(timeout=LIMIT)
    assert ana.returncode == 1
    assert "gives up: the orders were refused:" in output


@pytest.mark.full
def test_it_outlives_a_mailbox_that_goes_away(mail, ana):
    mail.deliver("ana@demo.test", asked(1))
    answers(mail, 1)
    mail.stop_imap()
    for line in ana.stdout:
        if "trying again" in line:
            break
    mail.start_imap()
    mail.deliver("ana@demo.test", asked(3))
    ana.communicate(timeout=LIMIT)
    assert ana.returncode == 0


# Whole games without mail, by the text of reports alone.


WORDS = TextLetters(SENTINEL)
AT_LENGTH = pytest.mark.full
"""Games that are much like one of the first tier."""


class Known(player.MailPlayer):
    """A player whose answers are kept."""

    def __init__(self, language: str, *slips: str) -> None:
        super().__init__({"language": language, "go": False, "turns": 99, "think": 0.0, "slips": slips})
        self.answers: list[list[str]] = []

    def answer(self, letter: EmailMessage, lines: Any) -> None:
        self.answers.append([*lines])

    def reads(self, text: str, subject: str = "[g1] T1") -> list[str]:
        """What he answers to a letter; nothing if he leaves it unanswered."""
        letter, before = EmailMessage(), len(self.answers)
        letter["Subject"] = subject
        letter.set_content(text)
        self.consider(letter)
        return self.answers[-1] if len(self.answers) > before else []


class Unlimited:
    """Pays for all odds that a form asks for."""

    def pay(self, key: object, weigh: Any) -> Any:
        return weigh(lambda: None)


class Game(NamedTuple):
    """A game by reports alone: phases, lines refused, lines and words of each report, kinds of events."""

    phases: int
    refused: int
    lines: list[int]
    words: list[int]
    kinds: set[str]


def report(game: Any, state: Any, seat: str, language: str, seen: list[Any]) -> str:
    """The report as the seat gets it, with an order form if it is to move."""
    view = game.view(state, seat)
    turn, phase = game.phase(state)[1], game.phase(state)[0]
    begin, end = ("ORDENES", "FIN") if language == "es" else ("ORDERS", "END")
    form: Sequence[str] = ()
    if seat == phase:
        lines = game.aids.template(view, seat, language, FormTerms(purse=Unlimited()))  # type: ignore[arg-type]
        form = (f"{begin} T{state.turn} #abcd", *fold_form(lines), end)
    content = Letter(
        "report",
        LetterHead("g1", game.name, game.title, seat, Phase(turn, phase), "x@games.example"),
        report=game.telling.report(view, seat, seen),
        opening=(msg("Send your orders by {when}.", when="Sunday 29 November 2026, 21:00 Europe/Madrid (20:00 UTC)"),),
        template=form,
    ).to_json()
    return WORDS.letter(content, language)


def by_reports(name: str, scenario: str, seed: int, english: str = "") -> Game:
    """Play a game to its end by what the reports say; what is refused is left out. One seat reads Spanish."""
    game: Any = game_by_name(name)
    seats = [entry["seat"] for entry in tomllib.loads((stage.CASTS / f"{name}.toml").read_text("utf-8"))["player"]]
    players = {seat: Known("es" if (seat == seats[0]) is (english != seats[0]) else "en") for seat in seats}
    state: Any = game.start(game.edition(scenario, {}, {}))
    refused = phases = 0
    lengths: list[int] = []
    words: list[int] = []
    kinds: set[str] = set()
    seen: list[Any] = []
    while game.phase(state) is not None:
        seat = str(state.phase)
        texts = {}
        for reader, known in players.items():
            seen_events = [
                (event, game.view(before, reader)) for event, before in seen if game.see(event, reader, before)
            ]
            texts[reader] = report(game, state, reader, known.settings["language"], seen_events)
            lengths.append(len(texts[reader].splitlines()))
            words.append(len(texts[reader].split()))
        view = game.view(state, seat)
        block = players[seat].reads(texts[seat], f"[g1] T{state.turn}")
        lines = [line for line in block[1 : block.index("END" if "END" in block else "FIN")] if line[0] != "#"]
        read = game.parse("\n".join(lines), view, seat)
        assert read.rejected == (), lines
        wrong = {item.line for item in game.check(view, seat, read.orders)}
        refused += len(wrong)
        read = game.parse("\n".join("" if n in wrong else line for n, line in enumerate(lines, 1)), view, seat)
        orders = {seat: Orders((), ()) for seat in seats} | {seat: read.orders}
        dice = DiceStream(hashlib.sha512(f"{seed} {phases}".encode()).digest())
        done = play(game.rules, game.world(state, orders), dice, game.decisions(state, orders, {}))
        assert isinstance(done, Done)
        seen = []
        for happened in done.events:
            seen.append((happened, state))
            state = game.rules.apply(state, happened)
        kinds |= {happened.kind for happened, _ in seen}
        phases += 1
    return Game(phases, refused, lengths, words, kinds)


@pytest.mark.parametrize(
    "scenario", [*(pytest.param(name, marks=AT_LENGTH) for name in ("castillejos", "tetuan")), "drill"]
)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=AT_LENGTH) for seed in (1, 2))])
def test_a_game_of_areas_by_reports_alone_is_fought_for_and_hardly_ever_meets_a_refusal(scenario, seed):
    game = by_reports("africa1860", scenario, seed, english="spain" if seed == 1 else "")
    assert game.phases <= {"castillejos": 28, "tetuan": 32, "drill": 12}[scenario]
    assert game.refused <= 4
    assert {"moves", "fires", "assault", "loses", "game over"} <= game.kinds
    assert_short(game, (72, 460, 105) if scenario == "tetuan" else (65, 450, 100))


def assert_short(game: Game, most: tuple[int, int, int]) -> None:
    """Reports to both, who moves and who waits: the median of lines, that of words, the 90th percentile of lines."""
    figures = (
        statistics.median(game.lines),
        statistics.median(game.words),
        sorted(game.lines)[9 * len(game.lines) // 10],
    )
    print("reports", len(game.lines), "median of lines, of words, 90th percentile of lines", *figures)
    assert not [(n, limit) for n, limit in zip(figures, most, strict=True) if n > limit]


@pytest.mark.parametrize(
    "scenario", [*(pytest.param(name, marks=AT_LENGTH) for name in ("barrosa", "usagre")), "training"]
)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=AT_LENGTH)])
def test_a_game_of_hexes_by_reports_alone_is_fought_for_and_hardly_ever_meets_a_refusal(scenario, seed):
    game = by_reports("peninsular", scenario, seed, english="british" if seed == 1 else "")
    assert game.phases == {"barrosa": 16, "training": 12, "usagre": 14}[scenario]
    assert game.refused <= 4
    assert {"moves", "fires", "shock", "loses", "game over"} <= game.kinds
    assert_short(game, (60, 450, 92) if scenario == "barrosa" else (60, 420, 90))


# What it makes of single letters.


def test_what_it_does_not_understand_is_left_unanswered():
    for language in ("en", "es"):
        ana = Known(language)
        for text in ("", "Please send chess moves by Monday.", "Line 1:\n    HELO\n    ^^^^\n  HELO is no command.\n"):
            assert ana.reads(text) == []
            assert ana.reads(text, "no subject of ours") == []


def test_an_order_form_without_a_line_to_choose_is_answered_with_pass():
    for begin, end, word in (("ORDERS", "END", "PASS"), ("ORDENES", "FIN", "PASAR")):
        form = f"{begin} T1 #abcd\n# {word}\n## nothing that this player knows\n"
        assert Known("en").reads(f"{form}{end}\n") == [*form.splitlines(), word, end]


def test_a_camp_is_given_all_that_is_offered_and_no_standing_orders():
    form = "ORDERS T1 #abcd\n# REFIT Guardia 1\n# REFIT Nizam 2\nEND"
    assert Known("en").reads(form)[-3:] == ["REFIT Guardia 1", "REFIT Nizam 2", "END"]


@pytest.mark.parametrize("text", ["JOIN cup NAME Ana CODE abcd2345", "UNIRSE A cup NOMBRE Ana CODIGO abcd2345"])
def test_a_line_to_be_sent_back_is_sent_back(text):
    assert Known("es").reads(f"The line\n\n  {text}\n") == [text]


@pytest.mark.parametrize("story", ["asked.txt", "asked-in-hexes.txt"])
def test_a_question_is_answered_in_a_line(story):
    text = (STORIES / story).read_text("utf-8")
    asks = next(part for part in text.split("-- out --\n") if "Answer with one line" in part)
    (line,) = Known("en").reads(asks.partition("\n-- ")[0])
    assert re.fullmatch(r"1[A-D]", line)


def test_the_answer_that_wins_most_often_is_given():
    asks = (
        "Responda con una sola línea, el número y la letra: 1A 2A\n\n1. ¿Dónde?\n  A Morabito\n    Cresta suya 10 %\n"
    )
    asks += "  B Loma <- si no dice nada\n    Cresta suya 25 %\n2. ¿Quién?\n  A León\n  B Saboya\n"
    assert Known("es").reads(asks) == ["1B 2A"]


BOTH = [("en", FORM), ("es", FORM.replace("ORDERS", "ORDENES").replace("LED BY", "AL MANDO DE").replace("WITH", "CON"))]


@pytest.mark.parametrize(("language", "form"), BOTH)
@pytest.mark.parametrize(
    ("slip", "line", "answer"),
    [
        ("no leader", "ASSAULT C WITH Leon1, Leon2", ("", "it takes a leader: {led} names him [O8.1]", "")),
        ("two readings", "ASSAULT C WITH Leon, Leon2 LED BY Prim", ("Leon", "Leon can mean several", "Leon1, Leon2")),
    ],
)
def test_a_mistake_is_made_on_purpose_and_mended_from_the_answer(language, form, slip, line, answer):
    ana, spanish = Known(language, slip), {"LED BY": "AL MANDO DE", "WITH": "CON"}
    for english, other in spanish.items() if language == "es" else ():
        line = line.replace(english, other)
    block = ana.reads(form)
    assert line in block
    word, why, readings = answer
    why = why.format(led=spanish["LED BY"] if language == "es" else "LED BY")
    position = block.index(line)
    under = " " * line.index(word) + "^" * (len(word) or 1)
    wrong = f"Line {position + 1}:\n    {line}\n    {under}\n  {why}\n"
    wrong += f"  Perhaps you mean: {readings}\n" if readings else ""
    again = ana.reads("\n".join([wrong, *block[:position], f"# {line}", *block[position + 1 :]]))
    (right,) = (offer.order for offer in player.offers_of_form(form) if offer.wins)
    assert again == [*block[:position], right, *block[position + 1 :]]


def test_a_hex_off_the_map_and_an_order_misspelt():
    ana = Known("en", "off the map", "misspelt order")
    form = "ORDERS T1 #k7q2\n# MOVE GrenB TO 1510 | 1511  # 1512, 4 MP: contact\nEND\n"
    block = ana.reads(form)
    assert block[2] == "MOVE GrenB TO 9510"
    wrong = "Line 3:\n    MOVE GrenB TO 9510\n                  ^^^^\n  9510 is not on the map [S4]\n"
    wrong += "  Perhaps you mean: 0510, 1510\n\n" + "\n".join([*block[:2], "# MOVE GrenB TO 9510", "END"])
    assert ana.reads(wrong)[2] == "MOVE GrenB TO 1510"
    assert ana.reads(form.replace("T1", "T2"), "[g1] T2")[2] == "MOEV GrenB TO 1510"


@pytest.mark.parametrize("why", ["It is not your phase. Until the other side", "No es su fase: hasta que mueva"])
def test_orders_that_come_too_late_are_not_sent_again(why):
    wrong = f"Line 1:\n    ORDERS T1\n    ^^^^^^^^^\n  {why}\n\nORDERS T1\nPASS\nEND\n"
    assert Known("en").reads(wrong) == []


def test_what_the_server_corrected_in_vain_is_left_out_the_second_time():
    ana = Known("en")
    block = ana.reads(FORM)
    position = block.index("ASSAULT C WITH Leon1, Leon2 LED BY Prim")
    wrong = f"Line {position + 1}:\n    {block[position]}\n    ^^^^\n  There is no room. [R1]\n\n"
    assert ana.reads("\n".join([wrong, *block])) == block
    assert ana.reads("\n".join([wrong, *block])) == ["ORDERS T1 #k7q2", "PASS", "END"]


def test_what_is_refused_a_second_time_is_left_out_and_then_the_turn_is_passed():
    ana = Known("en")
    block = ana.reads(FORM)
    live = [index for index, line in enumerate(block) if line.startswith(("ASSAULT", "MOVE"))]
    wrong = "".join(f"Line {index + 1}:\n    {block[index]}\n    ^^^^\n  There is no room. [R1]\n\n" for index in live)
    lines = [f"# {line}" if index in live else line for index, line in enumerate(block)]
    assert ana.reads("\n".join([wrong, *lines])) == ["ORDERS T1 #k7q2", "PASS", "END"]
