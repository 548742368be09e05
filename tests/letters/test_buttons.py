"""The buttons of pages: each opens a whole letter, and the server takes that letter as it stands."""

import email
import email.policy
import random
import re
from html import unescape
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from sqlmodel import select

from pbem.cli.pages import DeskPageMaker
from pbem.letters.text import LONGEST_LINK
from pbem.play import positions
from pbem.play.commands.questions.odds import sort_offers_by_odds
from pbem.runtime.terms import INTERRUPT_REACTIONS, Terms
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable
from tests.harness.server import changed

GAMES = [
    ("africa1860", "castillejos", ("spain", "morocco")),
    ("africa1860", "castillejos", ("morocco", "spain")),
    ("peninsular", "barrosa", ("french", "british")),
    ("peninsular", "barrosa", ("british", "french")),
]
"""Game, scenario and seats, of which the first writes Spanish and the second English."""


@pytest.fixture
def begin(tmp_path):
    begun = []

    def table(game, scenario, seats, **terms):
        made = PlayedBattle(tmp_path, scenario, 0, Terms(**terms), game, seats)
        made.server = changed(made.server, desks=DeskPageMaker())
        with made.server.work() as work:
            for seat in work.session.exec(select(tables.Seat)):
                seat.format = "html"
                work.session.add(seat)
        begun.append(made)
        return made

    yield table
    for made in begun:
        made.server.engine.dispose()


def buttons(raw):
    """The letters that the buttons of a letter's page open: address, subject and text, by what is on them."""
    part = email.message_from_bytes(raw, policy=email.policy.default).get_body(("html",))
    assert part is not None
    page = part.get_content()
    opened = {}
    for to, caption in re.findall(r'<a href="([^"]*)"[^>]*>(.*?)</a>', page, re.DOTALL):
        assert len(unescape(to)) <= LONGEST_LINK
        parts = urlsplit(unescape(to))
        asked = parse_qs(parts.query, strict_parsing=True)
        assert parts.scheme == "mailto"
        assert asked["body"][0].endswith("\r\n")
        assert not re.search(r"[^\r]\n|[+ ]", f"{asked['body'][0]}".replace(" ", "")[:0])
        opened[unescape(caption)] = (unquote(parts.path), asked["subject"][0], asked["body"][0].replace("\r\n", "\n"))
    return opened


def refused(text):
    return bool(re.search(r"I did nothing|was carried out: |No he hecho nada|se ha ejecutado: ", text))


@pytest.mark.parametrize(("game", "scenario", "seats"), GAMES)
def test_each_attack_of_the_form_is_a_letter_that_is_taken(begin, game, scenario, seats):
    table = begin(game, scenario, seats)
    for number, seat in enumerate(seats):
        opened = buttons(table.last_sent(seat))
        attacks = [body for _, _, body in opened.values() if re.search(r"^(ASSAULT|ASALTAR|CHARGE|CARGAR)", body, re.M)]
        form = [
            line for line in table.last_to(seat).splitlines() if re.match(r"# (ASSAULT|ASALTAR|CHARGE|CARGAR)", line)
        ]
        assert bool(attacks) == bool(form)
        if len(opened) > len(attacks):
            desk = [body for _, _, body in opened.values() if "\n" not in body.strip()]
            assert desk == ["ESCRITORIO\n" if number == 0 else "DESK\n"]
            (sent,) = table.deliver(table.letter(seat, desk[0])).answers
            assert b"desk.html" in sent
        for address, subject, body in opened.values():
            assert address == table.addresses[seat]
            assert subject.startswith("Re: [g1] T1")
            if body in attacks:
                assert body.startswith("ORDENES T1 #" if number == 0 else "ORDERS T1 #")
                answer = table.answer(seat, body)
                assert not refused(answer), answer


def play_on(table, phase):
    """Let the bot write for the seats that are to order now."""
    with table.server.work() as work:
        position = positions.read_position(work, positions.lock_game(work.session, "g1"))
        now = position.rules.phase(position.state)
        assert now is not None
        texts = {
            seat: position.rules.bots["forward"](
                position.rules.view(position.state, seat), seat, random.Random(phase).randrange
            )
            for seat in position.active
        }
    for seat, text in texts.items():
        table.answer(seat, f"ORDERS T{now[1]}\n{text}\nEND\n")


@pytest.mark.parametrize(("game", "scenario", "seats"), GAMES[::2])
def test_each_answer_of_a_question_is_a_letter_that_is_taken(begin, game, scenario, seats):
    table = begin(game, scenario, seats, reactions=INTERRUPT_REACTIONS)
    answered = {seat: 0 for seat in seats}
    for phase in range(40):
        play_on(table, phase)
        table.wait(1)
        for seat in seats:
            letter = table.last_sent(seat)
            opened = buttons(letter)
            answers = {caption: body for caption, (_, _, body) in opened.items() if re.fullmatch(r"\d+[A-Z]\n", body)}
            offered = re.findall(r"(?m)^  ([A-Z])  ?\S", readable(letter)) if answers else []
            assert len(answers) == len(offered)
            for caption, body in answers.items():
                assert caption.split()[0] == body.strip()
                answer = table.answer(seat, body)
                assert not refused(answer), answer
                answered[seat] += 1
        if all(answered.values()):
            return
        table.wait(24 * 60)
    pytest.fail("nobody was asked")


def test_what_asks_for_a_code_has_it_in_a_button(begin):
    table = begin(*GAMES[0])
    for seat, word, code in (("spain", "RENDIRSE", "CODIGO"), ("morocco", "CONCEDE", "CODE")):
        (answer,) = table.deliver(table.letter(seat, word)).answers
        ((_, (address, _, body)),) = buttons(answer).items()
        assert address == table.addresses[seat]
        assert re.fullmatch(rf"{word} {code} [a-z2-7]{{8}}\n", body)
        assert body.strip() in readable(answer)


def label(opened, body):
    """What the one button says that opens a letter beginning so."""
    (caption,) = [caption for caption, (_, _, text) in opened.items() if text.startswith(body)]
    return caption


@pytest.mark.parametrize(("seat", "language"), [("spain", "es"), ("spain", "en")])
def test_what_is_ready_to_be_sent_has_a_button(begin, seat, language):
    seats = ("spain", "morocco") if language == "es" else ("morocco", "spain")
    table = begin("africa1860", "castillejos", seats)
    first, verify, last = {"es": ("ORDENES", "VERIFICAR", "FIN"), "en": ("ORDERS", "VERIFY", "END")}[language]
    orders = {"es": "ACTIVAR Nudos\nMOVER Cuenca A Playa", "en": "ACTIVATE Nudos\nMOVE Cuenca TO Playa"}[language]
    for letter, begins in (
        ("Cuenca attacks Cresta", "CONFIRM"),
        (f"{verify} T1\n{orders}\n{last}", f"{first} T1"),
        (
            f"{first} T1\n{orders.replace('Playa', 'Playya')}\n{orders.replace('Cuenca', 'Nobody')}\n{last}",
            f"{first} T1",
        ),
        (orders, f"{first} T1"),
    ):
        (answer,) = table.deliver(table.letter(seat, letter)).answers
        opened = buttons(answer)
        body = opened[label(opened, begins)][2]
        assert all(line in readable(answer) for line in body.splitlines())
        if "#" not in body:
            assert not refused(table.answer(seat, body))


@pytest.mark.parametrize(("game", "scenario", "seats"), GAMES)
def test_what_buttons_order_is_told_of_buttons_that_order(begin, game, scenario, seats):
    table = begin(game, scenario, seats)
    for number, seat in enumerate(seats):
        raw = table.last_sent(seat)
        sentence = ("los de ataque ordenan", "one with an attack orders")[number]
        body = email.message_from_bytes(raw, policy=email.policy.default).get_body(("html",))
        assert body is not None
        page = body.get_content()
        # The button for the form, whose lines are still comments, orders nothing.
        ready = [body for _, _, body in buttons(raw).values() if "\n# " not in body.replace("\r", "")]
        assert (sentence in page) is any("\n" in body.strip() for body in ready)


@pytest.mark.parametrize(
    ("wins", "shown"), [([0, 31, None, 4, 62], [62, 31]), ([0, 4], [4, 0]), ([5, 0], [5]), ([None], [])]
)
def test_no_hopeless_attack_has_a_button_beside_a_better_one(wins, shown):
    assert [attack["wins"] for attack in sort_offers_by_odds([{"wins": share} for share in wins])] == shown
