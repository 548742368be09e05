"""Words, numbers and moments in the reader's language."""

import re
from pathlib import Path

import pytest

from pbem.engine.data.messages import decimal, msg
from pbem.letters import catalogue
from pbem.letters.catalogue import Catalogue, load_catalogue

SPANISH = Catalogue("es", {"{who} fires at {whom}.": "{who} hace fuego sobre {whom}.", "the guns": "los cañones"})


def test_english_is_its_own_translation():
    assert load_catalogue("en").say(msg("{who} rides.", who="Prim")) == "Prim rides."


def test_a_sentence_unknown_to_the_catalogue_is_said_in_english():
    assert SPANISH.say(msg("{who} rides.", who="Prim")) == "Prim rides."


def test_gaps_are_filled_with_messages_and_lists_in_the_same_language():
    message = msg("{who} fires at {whom}.", who=msg("the guns"), whom=("Leon", msg("the guns"), 3))
    assert SPANISH.say(message) == "los cañones hace fuego sobre Leon, los cañones, 3."


def test_braces_in_what_fills_a_gap_are_only_text():
    assert SPANISH.say(msg("{who} rides.", who="{0} {x}")) == "{0} {x} rides."


@pytest.mark.parametrize("value", [1.5, None, True, {"a": 1}])
def test_a_gap_takes_nothing_that_has_no_wording(value):
    with pytest.raises(TypeError, match="a gap takes"):
        SPANISH.say(msg("{n} steps", n=value))


def test_numbers_are_grouped_as_the_language_does():
    assert load_catalogue("en").number(35000) == "35,000"
    assert load_catalogue("es").number(35000) == "35.000"
    assert load_catalogue("es").say(msg("{n}", n=-2)) == "-2"


def test_a_decimal_has_the_mark_of_the_language():
    sentence = msg("lost: {own}, {enemy}", own=decimal(2.44), enemy=decimal(-12345.678, 2))
    assert load_catalogue("en").say(sentence) == "lost: 2.4, -12,345.68"
    assert load_catalogue("es").say(sentence) == "lost: 2,4, -12.345,68"


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match="en or es, not in 'fr'"):
        load_catalogue("fr")


def test_a_games_words_stand_above_those_of_the_house(tmp_path, monkeypatch):
    house, game = tmp_path / "letters" / "locale", tmp_path / "games" / "toy" / "locale"
    house.mkdir(parents=True)
    game.mkdir(parents=True)
    (house / "es.po").write_text('msgid "a"\nmsgstr "casa"\n\nmsgid "b"\nmsgstr "común"\n\nmsgid "c"\nmsgstr ""\n')
    (game / "es.po").write_text('msgid "a"\nmsgstr "juego"\n\n#, fuzzy\nmsgid "b"\nmsgstr "dudoso"\n')
    monkeypatch.setattr(catalogue, "_PACKAGE", tmp_path)
    monkeypatch.setattr(catalogue, "folder_of", {"toy": game.parent}.get)
    load_catalogue.cache_clear()
    try:
        words = load_catalogue("es", "toy")
        assert [words.word(text) for text in "abc"] == ["juego", "común", "c"]
        assert load_catalogue("es", "unknown").word("a") == "casa"
        assert load_catalogue("en", "toy").word("a") == "a"
    finally:
        load_catalogue.cache_clear()


def test_a_letter_about_no_game_has_the_words_of_all_below_those_of_the_house(tmp_path, monkeypatch):
    """Whoever writes to the bare address reads titles of games there: they are in his language too."""
    words = {"letters": "a casa", "games/dawn": "a alba;b alba", "games/dusk": "b ocaso;c ocaso"}
    for place, word in words.items():
        folder = tmp_path / place / "locale"
        folder.mkdir(parents=True)
        entries = (pair.split() for pair in word.split(";"))
        (folder / "es.po").write_text("\n\n".join(f'msgid "{en}"\nmsgstr "{es}"' for en, es in entries) + "\n")
    games = {name: tmp_path / "games" / name for name in ("dawn", "dusk")}
    monkeypatch.setattr(catalogue, "_PACKAGE", tmp_path)
    monkeypatch.setattr(catalogue, "folder_of", games.get)
    monkeypatch.setattr(catalogue, "shipped_games", lambda: (*games, "not here"))
    load_catalogue.cache_clear()
    try:
        assert [load_catalogue("es").word(text) for text in "abcd"] == ["casa", "alba", "ocaso", "d"]
    finally:
        load_catalogue.cache_clear()


@pytest.mark.parametrize(
    "path", sorted(Path(catalogue.__file__).parents[1].rglob("*.po")), ids=lambda path: path.parent.name
)
def test_every_sentence_of_a_catalogue_has_one_translation(path):
    text = path.read_text("utf-8")
    english = re.findall(r'(?m)^msgid "(.+)"$', text)
    assert sorted(english) == sorted(set(english))
    assert re.findall(r'(?m)^(msgstr ".*"\nmsgstr ".*")$', text) == []
