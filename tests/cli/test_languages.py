"""A language that is a folder: letters come in it, fall back to English, and are read in its words and English ones."""

import re
from pathlib import Path

import pytest

from pbem.engine.data import languages
from pbem.engine.data.languages import Language, with_languages
from pbem.engine.orders.lex import tokens
from pbem.letters.own_languages import UnusableFile, read_languages, translated_percentage

ANN, BOB = "ann@players.test", "bob@players.test"
TONGUE = """
name = "Esperanto"
locale = "eo"
[words]
ORDERS = "ORDONOJ"
END = ["FINO", "FINITE"]
MOVE = "MOVU"
ACTIVATE = "AKTIVIGU"
TO = "AL"
PASS = "PASIGU"
STATUS = "STATO"
HELP = "HELPO"
JOIN = "ALIĜU"
AS = "KIEL"
CODE = "KODO"
JANUARY = "januaro"
"cannot be activated: no leader, locality or camp there; move a leader in first [O5]" = "ne aktivigebla [O5]"
"""
HOUSE = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Send your orders by {when}."
msgstr "Oni atendas viajn ordonojn ĝis {when}."

msgid "January"
msgstr "januaro"

msgid "turn {turn}, {phase}"
msgstr "vico {turn}, {phase}"
"""
GAME = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Your forces"
msgstr "Viaj trupoj"
"""
NAMES = '[names]\nspain = "Hispanio"\nCuenca = "Kuenko"\n[phases]\nspain = "hispana fazo"\n'
BRIEFS = '[drill]\nline = "Du brigadoj sur elpensita kampo"\n'


@pytest.fixture(autouse=True)
def _as_before():
    with with_languages(()):
        yield


@pytest.fixture
def folder(tmp_path):
    """A few words of Esperanto."""
    place = tmp_path / "locale" / "eo"
    place.mkdir(parents=True)
    texts = {"language.toml": TONGUE, "house.po": HOUSE, "africa1860.po": GAME, "africa1860.names.toml": NAMES}
    texts |= {"africa1860.briefs.toml": BRIEFS, "africa1860.rules.txt": "O1  La ludo en unu linio\n"}
    for name, text in texts.items():
        (place / name).write_text(text, "utf-8")
    return place.parent


@pytest.fixture
def speaking(hand, folder):
    """A server whose settings name the folder."""
    path = hand.folder / "pbem.toml"
    text = path.read_text("utf-8")
    path.write_text(re.sub(r'^locale = ""$', f'locale = "{folder}"', text, flags=re.M), "utf-8")
    return hand


@pytest.mark.full
def test_a_game_is_played_in_it(speaking):
    hand = speaking
    hand.fine("game", "new", "one", "--scenario", "drill", "--undo", "0")
    spain = hand.fine("seat", "invite", "one", "spain", ANN, "--language", "eo").strip()
    morocco = hand.fine("seat", "invite", "one", "morocco", BOB, "--language", "es").strip()
    hand.fine("game", "start", "one")
    report = hand.fine("mail", "read", ANN)
    assert "Oni atendas viajn ordonojn ĝis " in report
    assert "vico 1, hispana fazo" in report.lower()

    assert "\nViaj trupoj\n" in report
    assert re.search(r"^ORDONOJ T1 #\w{4}$", report, re.M)
    assert re.search(r"^# AKTIVIGU \w+$", report, re.M)
    assert re.search(r"^# MOVU .+ AL ", report, re.M)
    assert "\nFINO\n" in report
    code, output, _ = hand.deliver(ANN, spain, "ORDONOJ T1\nPASIGU\nFINO\n")
    assert code == 0
    assert "\n    PASIGU\n" in output or "\nPASIGU\n" in output, output
    assert "El turno 1" in (letter := hand.fine("mail", "read", BOB)) or "Turno 1" in letter
    assert "MOVU" not in letter
    code, output, _ = hand.deliver(BOB, morocco, "ORDENES T1\nPASAR\nFIN\n")
    assert code == 0
    code, output, _ = hand.deliver(ANN, spain, "STATO\n")
    assert (code, "Vico 2, hispana fazo" in output) == (0, True), output


def test_english_words_are_read_from_whoever_writes_another_language_and_both_may_be_mixed(speaking):
    hand = speaking
    hand.fine("game", "new", "one", "--scenario", "drill", "--undo", "0")
    spain = hand.fine("seat", "invite", "one", "spain", ANN, "--language", "eo").strip()
    hand.fine("seat", "invite", "one", "morocco", BOB)
    hand.fine("game", "start", "one")
    for text in ("VERIFY T1\nPASS\nEND\n", "STATUS\n", "HELPO\n", "ORDERS T1\nPASIGU\nFINITE\n"):
        code, output, err = hand.deliver(ANN, spain, text)
        assert (code, err) == (0, ""), output
    code, output, _ = hand.deliver(ANN, spain, "SET LANG esperanto\n")
    assert code == 0
    code, output, _ = hand.deliver(ANN, spain, "SET LANG klingon\n")
    assert code == 1
    assert "English, Español, Esperanto" in output


def test_what_it_does_not_say_is_said_in_english(speaking):
    hand = speaking
    hand.fine("game", "new", "one", "--scenario", "drill")
    spain = hand.fine("seat", "invite", "one", "spain", ANN, "--language", "eo").strip()
    hand.fine("seat", "invite", "one", "morocco", BOB)
    hand.fine("game", "start", "one")
    _, output, _ = hand.deliver(ANN, spain, "RULES O1\n")
    assert "O1 La ludo en unu linio" in output
    _, output, _ = hand.deliver(ANN, spain, "RULES O3\n")
    assert re.search(r"^ *O3 [A-Z]", output, re.M)
    code, output, _ = hand.deliver(ANN, spain, "ORDONOJ T1\nMOVU Nobody AL Nowhere\nFINO\n")
    assert code == 1
    assert "I did nothing with your letter" in output


def test_a_stranger_is_answered_in_the_language_of_the_command_and_the_line_he_gets_can_be_sent_back(speaking):
    hand = speaking
    hand.fine("game", "new", "one", "--scenario", "drill", "--open")
    match = re.search(r'^address = "(.+)"$', (hand.folder / "pbem.toml").read_text("utf-8"), re.M)
    assert match is not None
    address = match[1]
    _, output, _ = hand.deliver(ANN, address, "ALIĜU one KIEL spain\n")
    line = re.search(r"^ *(ALIĜU one KIEL spain KODO \w{8})$", output, re.M)
    assert line, output
    assert hand.deliver(ANN, address, f"{line[1]}\n")[0] == 0
    assert "spain" in hand.fine("game", "show", "one")
    assert ANN in hand.fine("game", "show", "one")


def test_no_letter_that_is_stored_changes(speaking, folder):
    hand = speaking
    hand.fine("game", "new", "one", "--scenario", "drill")
    hand.fine("seat", "invite", "one", "spain", ANN, "--language", "eo")
    hand.fine("seat", "invite", "one", "morocco", BOB)
    hand.fine("game", "start", "one")
    hand.fine("mail", "read", ANN, "--out", str(hand.folder / "stored"))
    before = hand.fine("mail", "read", ANN)
    words = folder / "eo" / "africa1860.po"
    words.write_text(words.read_text("utf-8").replace("Viaj trupoj", "Niaj trupoj"), "utf-8")
    assert hand.fine("mail", "read", ANN) == before
    assert "Niaj trupoj" in hand.fine("mail", "preview", "--kind", "report", "--language", "eo", "--text")


def test_where_its_folder_goes_its_players_are_written_to_in_english(speaking, folder):
    hand = speaking
    hand.fine("game", "new", "one", "--scenario", "drill", "--undo", "0")
    spain = hand.fine("seat", "invite", "one", "spain", ANN, "--language", "eo").strip()
    hand.fine("seat", "invite", "one", "morocco", BOB)
    hand.fine("game", "start", "one")
    path = hand.folder / "pbem.toml"
    path.write_text(path.read_text("utf-8").replace(f'locale = "{folder}"', 'locale = ""'), "utf-8")
    code, output, _ = hand.deliver(ANN, spain, "STATUS\n")
    assert code == 0
    assert "Turn 1, Spanish phase" in output
    for command in (("seat", "invite", "one", "spain", ANN), ("game", "moderator", "one", "mo@players.test")):
        code, _, err = hand(*command, "--language", "eo")
        assert (code, "letters are written in en or es, not in 'eo'" in err) == (2, True), err


def test_a_language_of_the_house_says_otherwise_what_its_folder_does(tmp_path):
    place = tmp_path / "en"
    place.mkdir()
    (place / "house.po").write_text(HOUSE.replace("Oni atendas viajn ordonojn ĝis", "Send your orders by"), "utf-8")
    from pbem.engine.data.messages import msg
    from pbem.letters.catalogue import load_catalogue

    wanted = msg("Send your orders by {when}.", when="noon")
    assert load_catalogue("en").say(wanted) == "Send your orders by noon."
    with with_languages(read_languages(tmp_path)):
        assert load_catalogue("en").say(wanted) == "Send your orders by noon."
    assert load_catalogue("en").say(wanted) == "Send your orders by noon."


def test_the_doctor_looks_at_it(speaking, folder):
    code, out, err = speaking("doctor")
    assert re.search(r"^ok +languages +letters are written in English, Español, Esperanto \(0 %", out, re.M), out + err
    (folder / "eo" / "house.po").write_text(HOUSE.replace("ĝis {when}", "ĝis {limdato}"), "utf-8")
    code, out, err = speaking("doctor")
    assert code == 1
    assert re.search(r"^WRONG +languages +.*house.po:6: the gaps are to be those .*: \{when\}", out, re.M), out
    code, out, err = speaking("game", "list")
    assert code == 2
    assert "house.po:6: the gaps are to be" in err


def test_the_doctor_names_sentences_that_the_house_does_not_say(speaking, folder):
    assert "that the house does not say" not in speaking("doctor")[1]
    with (folder / "eo" / "house.po").open("a", encoding="utf-8") as file:
        file.write('\nmsgid "Your order are in."\nmsgstr "Viaj ordonoj alvenis."\n')
    pattern = r"^mind +languages +eo/house.po has 1 that the house does not say, such as 'Your order are in.'$"
    assert re.search(pattern, speaking("doctor")[1], re.M)


def test_the_doctor_names_what_no_game_says_and_how_much_of_a_game_there_is(speaking, folder):
    sound = speaking("doctor")[1]
    assert re.search(r"Esperanto \(0 % of the house's sentences, 0 % of those of africa1860\)$", sound, re.M), sound
    assert not re.search("does not say|does not have", sound)
    with (folder / "eo" / "africa1860.po").open("a", encoding="utf-8") as file:
        file.write('\nmsgid "Your forced"\nmsgstr "Viaj trupoj"\n\nmsgid "January"\nmsgstr "januaro"\n')
    (folder / "eo" / "africa1860.rules.txt").write_text("O1 Vicoj\nO99 Nenio\n", "utf-8")
    minded = speaking("doctor")[1]
    assert "eo/africa1860.po has 1 that the house does not say, such as 'Your forced'" in minded
    assert "eo/africa1860.rules.txt has 1 that the rulebook does not have, such as 'O99'" in minded


FAULTS = {
    "name = 1=2": ("language.toml", "language.toml: "),
    'name = ""': ("language.toml", "name = ... is missing"),
    'name = "E"\nlocale = "zz_ZZ"': ("language.toml", "locale: "),
    'name = "E"\ncolour = 1': ("language.toml", "there are name, locale and words, and no colour"),
    'name = "E"\n[words]\nLUCK = "ŜANCO"': ("language.toml", "LUCK stays as it is"),
    'name = "E"\n[words]\nMOVE = 3': ("language.toml", "MOVE is a word"),
    "O1": ("africa1860.rules.txt", "africa1860.rules.txt:1: a line is the number"),
    'drill = "x"': ("africa1860.briefs.toml", "drill is to be a table"),
    '[nomoj]\na = "b"': ("africa1860.names.toml", "and no nomoj"),
    "x": ("hause.po", "hause is none of house, "),
    "y": ("readme.md", "there are language.toml and NAME followed by"),
    'msgid "a': ("house.po", "house.po:"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_what_cannot_be_used_is_told_with_file_and_reason(folder, text):
    file, why = FAULTS[text]
    (folder / "eo" / file).write_text(text, "utf-8")
    with pytest.raises(UnusableFile, match=re.escape(why)):
        read_languages(folder)


def test_a_folder_without_a_language_file_or_that_is_none_is_told(folder):
    assert [language.code for language in read_languages(folder)] == ["eo"]
    assert read_languages(None) == ()
    (folder / "eo" / "language.toml").unlink()
    with pytest.raises(UnusableFile, match="it is missing"):
        read_languages(folder)
    (folder / "Klingon").mkdir()
    with pytest.raises(UnusableFile, match="called by its code"):
        read_languages(folder)
    with pytest.raises(UnusableFile, match="no such folder"):
        read_languages(Path("/nowhere"))


def test_pages_for_browsers_have_it_beside_those_of_the_house(folder):
    from pbem.cli.pages import page_words
    from pbem.pages.desk import desk_page

    before = desk_page(page_words())
    assert before.count('class="language" lang=') == 2
    with with_languages(read_languages(folder)):
        page = desk_page(page_words())
    assert '<button type="button" class="language" lang="eo" aria-pressed="false">Esperanto</button>' in page
    assert '"eo": "Esperanto"' in page
    assert {len(texts) for texts in page_words().values()} == {2}
    assert desk_page(page_words()) == before


@pytest.mark.parametrize(
    ("line", "translation"),
    [
        ("MOVE Leon TO C", "MOVU Leon AL C"),
        ("FIRE Montana1 AT Cresta", "FIRE Montana1 AL Cresta"),
        ("MOVE Córdoba TO C", "MOVU Córdoba AL C"),
    ],
)
def test_orders_are_said_in_it_and_read_as_the_same(folder, line, translation):
    from pbem.games.africa1860.orders import VOCABULARY, translate_orders

    with with_languages(read_languages(folder)):
        assert translate_orders(line, "eo") == translation
        assert VOCABULARY.word("MOVE", "eo") == "MOVU"
        assert VOCABULARY.lengths(tokens("movu x"), 0) == VOCABULARY.lengths(tokens("MOVE x"), 0)
        assert VOCABULARY.lengths(tokens("mover x"), 0) == VOCABULARY.lengths(tokens("MOVE x"), 0)
    assert translate_orders(line, "en") == line
    assert not VOCABULARY.lengths(tokens("movu x"), 0)


def test_how_much_is_translated():
    assert translated_percentage(Language("eo", "Esperanto", "eo")) == 0
    assert translated_percentage(languages.language_of("es")) == 100
