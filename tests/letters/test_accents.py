"""Whatever is written, with the accents that Spanish has, without them or with too many, is read as the same."""

import re
import unicodedata
from importlib import import_module

import pytest

from pbem.engine.orders import block
from pbem.engine.orders.lex import fold, tokens
from pbem.engine.orders.speech import id_of_name
from pbem.letters.command_lines import parse_letter
from pbem.play.rulings import moderator_letter
from pbem.server.catalogue import COMMAND_FORMS, COMMANDS
from pbem.tournaments import director_letter
from tests.games.test_spoken import ACTIONS, GAMES, STANDING, start
from tests.golden import find_game
from tests.harness.battle import PlayedBattle

ACUTE = "\u0301"


def bare(text: str) -> str:
    """Without a mark on any letter."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def marked(text: str) -> str:
    """With an accent on every vowel, and a tilde on every n that may have one."""
    spelt = re.sub(r"[aeiouAEIOU]", lambda vowel: vowel[0] + ACUTE, bare(text))
    return unicodedata.normalize("NFC", re.sub(r"(?<=[aeiouAEIOU]\u0301)n(?=[aeiou])", "n\u0303", spelt))


def parted(text: str) -> str:
    """The same with each mark as a sign of its own, as some clients send them."""
    return unicodedata.normalize("NFD", marked(text))


WAYS = [bare, marked, parted, lambda text: marked(text).lower(), lambda text: bare(text).lower()]
NAMED = ["bare", "marked", "parted", "marked small", "bare small"]


def test_every_word_of_the_orders(subtests):
    for label, way in zip(NAMED, WAYS, strict=True):
        for name in GAMES:
            with subtests.test(f"{name}, {label}"):
                vocabulary = import_module(f"pbem.games.{name}.orders").VOCABULARY
                for keyword, phrases in vocabulary.table.items():
                    for phrase in phrases:
                        words = tokens(way(phrase))
                        assert vocabulary.length(words, 0, keyword) == len(words), phrase


def test_orders_with_their_names(subtests):
    for label, way in zip(NAMED, WAYS, strict=True):
        for name in GAMES:
            for table in [STANDING, ACTIONS]:
                with subtests.test(f"{name}, {label}: {table[name]}"):
                    game, state, seat = start(name)
                    view = game.view(state, seat)
                    reading = game.parse(way(game.telling.spoken(table[name], "es")), view, seat)
                    assert (reading.rejected, game.canon(reading.orders)) == ((), table[name])


def test_whatever_has_a_name_of_its_own_in_spanish(subtests):
    for label, way in zip(NAMED, WAYS, strict=True):
        for name in GAMES:
            with subtests.test(f"{name}, {label}"):
                called = find_game(name).telling.called
                spanish = called["es"]
                assert spanish.names
                for ident, written in spanish.names.items():
                    assert id_of_name(way(written), called) == ident
                for ident, others in spanish.also.items():
                    assert [id_of_name(way(other), called) for other in others] == [ident] * len(others)


EXAMPLES = [command.form for command in COMMANDS if command.form.spanish and command.form.enclosed is None]


def test_every_command(subtests):
    for label, way in zip(NAMED, WAYS, strict=True):
        for form in EXAMPLES:
            with subtests.test(f"{form.name}, {label}"):
                plain = parse_letter(bare(form.spanish), COMMAND_FORMS)
                assert [command.name for command in plain.commands] == [form.name]
                parsed = parse_letter(way(form.spanish), COMMAND_FORMS)
                assert [(command.name, command.rest) for command in parsed.commands] == [
                    (command.name, command.rest) for command in plain.commands
                ]
                assert parsed.wrong == ()


@pytest.mark.parametrize("way", WAYS, ids=NAMED)
def test_what_has_several_lines(way):
    head = block.PRESS_HEAD.fullmatch(block.bare(way("PRENSA A España")))
    assert head is not None
    assert (head["word"], head["to"]) == ("prensa", " espana")
    assert block.PRESS_END.fullmatch(block.bare(way("FINPRENSA")))


@pytest.mark.parametrize("way", WAYS, ids=NAMED)
def test_who_and_what_commands_name(way, tmp_path):
    table = PlayedBattle(tmp_path)
    answer = table.answer("morocco", f"MUTE {way('España')}")
    assert "is kept and not sent: Spain." in " ".join(answer.split())
    odds = "PROBABILIDAD DESDE Nudos ASALTAR Cresta CON Luchana, Príncipe AL MANDO DE Prim", "MOVIMIENTOS Nudos"
    for line in odds:
        reply = table.answer("spain", way(line))
        assert "No se ha ejecutado" not in reply
        assert fold(reply) == fold(table.answer("spain", bare(line)))
    table.server.engine.dispose()


@pytest.mark.parametrize("way", WAYS, ids=NAMED)
def test_what_begins_and_ends_a_block(way):
    for line, word in {
        "ORDENES T1": "ORDENES",
        "VERIFICAR T1": "VERIFICAR",
        "DESPUES T3": "DESPUES",
        "MAS TARDE T3": "MAS TARDE",
    }.items():
        head = block.header(block.bare(way(line)))
        assert head is not None
        assert head.word == word
    assert block.ends(block.bare(way("FIN")))
    assert block.ends_standing(block.bare(way("FINDOCTRINA")))
    assert block.after_standing(block.bare(way("DOCTRINA PARA Nudos"))) is not None
    assert block.says_done(block.bare(way("LISTO")))


@pytest.mark.parametrize("way", WAYS, ids=NAMED)
@pytest.mark.parametrize("known", [moderator_letter.KNOWN, director_letter.KNOWN], ids=["moderator", "director"])
def test_every_ruling_and_question_of_a_role(known, way):
    for ruling in known.by_word.values():
        assert known.ruling_of(way(ruling.spanish)) is ruling
    for question in known.questions.values():
        first, *after = question.form.spanish.split()
        (asked,) = known.read_letter(" ".join((way(first), *after))).questions
        assert asked.name == question.form.name
