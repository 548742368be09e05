"""What a player asks on an eager evening: words for RULES, citations for CHART, EXTEND, HELP of the game at hand."""

import re

import pytest

from pbem.cli.rulebooks import game_by_name
from pbem.letters.catalogue import load_catalogue
from pbem.letters.layout import CUTS, LetterParts
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import BotGamePolicy
from pbem.server.catalogue import COMMANDS_BY_NAME
from tests.harness.battle import PlayedBattle
from tests.harness.server import changed
from tests.harness.war import PlayedWar

AFRICA = ("africa1860", "castillejos", ("spain", "morocco"))
PENINSULAR = ("peninsular", "barrosa", ("british", "french"))
GAMES = [AFRICA, PENINSULAR]


@pytest.fixture
def sit(tmp_path):
    tables: list[PlayedBattle] = []

    def made(game, terms=None, options=()):
        name, scenario, seats = game
        folder = tmp_path / str(len(tables))
        folder.mkdir()
        tables.append(PlayedBattle(folder, scenario, 30, terms, name, seats, options=options))
        return tables[-1]

    yield made
    for table in tables:
        table.server.engine.dispose()


def flat(text):
    return " ".join(text.split())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
@pytest.mark.parametrize("text", ["RULES assault", "REGLAS asalto", "RULE Assaults", "reglas ASALTO"])
def test_rules_are_found_by_a_word_in_either_language(sit, game, text):
    table = sit(game)
    for seat, word in zip(game[2], ("asalt", "assault"), strict=True):
        answer = table.answer(seat, text)
        assert word in answer.lower()
        assert "No rule" not in answer
        assert "Ninguna regla" not in answer


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
def test_a_word_that_no_rule_has_is_told(sit, game):
    assert "No rule of this game speaks of zeppelin" in flat(sit(game).answer(game[2][1], "RULES zeppelin"))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
def test_every_number_that_letters_may_cite_is_found_by_chart(sit, game):
    table, book = sit(game), game_by_name(game[0]).rulebook
    lines = (line for number in map(str, range(1, 40)) for line in book.rule(number))
    cited = {line.split()[0] for line in lines} | {line.split()[0] for line in book.contents("en")}
    cited |= {name.split()[0] for name in book.charts()}
    assert len(cited) > 50
    asked = sorted(cited)
    for index in range(0, len(asked), 5):
        answer = table.answer(game[2][1], "\n".join(f"CHART {number}" for number in asked[index : index + 5]))
        assert "There is no chart" not in answer
        table.clock.at = table.clock.at.replace(year=table.clock.at.year + 1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
@pytest.mark.parametrize("language", ["en", "es"])
def test_help_offers_no_command_that_this_game_would_refuse(sit, game, language):
    table = sit(game)
    for seat in game[2]:
        table.answer(seat, f"SET LANG {language}")
        answer = table.answer(seat, "HELP")
        for name in ("done", "hint", "review", "sue", "accept", "standings", "round", "rating", "play", "seek"):
            form = COMMANDS_BY_NAME[name].form
            assert not re.search(rf"^{re.escape(form.example_in(language))}(?: |$)", answer, re.MULTILINE), name
        for name in ("odds", "chart", "rule", "moves", "say", "draw"):
            assert COMMANDS_BY_NAME[name].form.example_in(language) in answer
        for number in re.findall(r"(?:RULES|REGLAS?) ([A-Z]?\d[\w.]*)", answer):
            assert game_by_name(game[0]).rulebook.rule(number), number


def test_help_of_other_terms_lists_what_they_have(sit):
    table = sit(AFRICA, Terms(pace="activation", hints="on", press="none", extend_hours=0))
    table.server = changed(table.server, play=BotGamePolicy("any", ("africa1860",)))
    lines = [line.split("  ")[0] for line in table.answer("morocco", "HELP").splitlines()]
    assert {"DONE", "HINT", "PLAY battle AS seat", "SEEK battle side"} <= {*lines}
    assert not {"SAY words", "MUTE side", "EXTEND 48h"} & {*lines}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
def test_a_failing_question_leaves_the_others(sit, game):
    table = sit(game)
    answer = flat(table.answer(game[2][1], "CHART nonsense\nSTATUS\nRULES 99.9"))
    assert "I could not answer 2 lines of your letter" in answer
    assert "There is no chart nonsense" in answer
    assert "Waiting for orders from" in answer
    assert "No he podido responder a una línea" in flat(table.answer(game[2][0], "TABLA nada\nESTADO"))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
@pytest.mark.parametrize("where", ["above", "below", "after"])
def test_extend_in_the_letter_that_completes_the_phase_is_not_spent(sit, game, where):
    table, seat = sit(game), game[2][0]
    table.answer(seat, "SET LANG en")
    text = {"above": "EXTEND 24h\nORDERS T1\nPASS\nEND", "below": "ORDERS T1\nPASS\nEND\nEXTEND 24h"}
    answer = flat(table.answer(seat, text.get(where, "ORDERS T1\nPASS\nEND")))
    if where == "after":
        answer = flat(table.answer(seat, "EXTEND 24h"))
    assert "none of your hours is spent" in answer
    table.answer(seat, "CANCEL")
    answer = flat(table.answer(seat, "EXTEND 24h"))
    assert "You have 48 hours left" in answer or "You have 2 days left" in answer, answer


def test_extend_of_a_phase_that_waits_is_spent_beside_orders(sit):
    table = sit(AFRICA)
    table.answer("spain", "SET LANG en")
    assert "The deadline is put off by 24 hours" in flat(
        table.answer("spain", "WAIT\nEXTEND 24h\nORDERS T1\nPASS\nEND")
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
@pytest.mark.parametrize("go", [True, False])
def test_a_deployment_promises_no_dice(sit, game, go):
    table = sit(game, options=("deploy=on",))
    answer = ""
    for seat in game[2]:
        table.answer(seat, "SET LANG en")
    for seat in game[2]:
        answer = flat(table.answer(seat, ("GO\n" if go else "") + "ORDERS T0\nPASS\nEND"))
    assert "All orders are in" in answer, answer
    assert "dice" not in answer.partition("HELP")[0]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
def test_however_short_the_letter_to_the_side_to_move_is_cut_its_map_stays_whole(sit, game):
    table = sit(game)
    rules = game_by_name(game[0])
    edition = rules.edition(game[1], {}, {})
    state = rules.start(edition)
    seat = game[2][0]
    report = rules.telling.report(rules.view(state, seat), seat, ())
    whole = LetterParts(load_catalogue("en", game[0]))
    maps = []
    for cut in CUTS:
        blocks = whole.cut_to(cut).report(report.to_json(), drawn_too=True)["blocks"]
        maps.append([block["lines"] for block in blocks if block["drawn"]])
    assert maps[0]
    assert maps == maps[:1] * len(CUTS)
    assert re.search(r"^The map\b.*MAP(: | shows )all", table.last_to(game[2][1]), re.MULTILINE)


IN_FULL = {"africa1860": ("C6", "O8.8.2", "C12", "R17"), "peninsular": ("T5", "S9", "T2.3", "R6")}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
@pytest.mark.parametrize("language", ["en", "es"])
def test_a_rule_is_told_by_its_text_its_chart_and_its_example(sit, game, language):
    table, rulebook = sit(game), game_by_name(game[0]).rulebook
    table.answer(game[2][0], f"SET LANG {language}")
    for number in IN_FULL[game[0]]:
        answer = table.answer(game[2][0], f"RULES {number}")
        for _, line in (*rulebook.full_text(number, language), *rulebook.example(number, language)):
            assert flat(line) in flat(answer), number
        for _, ruling in rulebook.errata(number, language):
            assert flat(ruling) in flat(answer), number
        if rulebook.chart(number):
            assert f"\n{number}  " in answer
        else:
            assert [line for line in answer.splitlines() if line.startswith(" ") and len(line) > 72] == []


@pytest.mark.parametrize(
    ("game", "words", "number"), [(AFRICA, "counter-charge", "O8.4.3"), (PENINSULAR, "centre", "S7")]
)
def test_rules_are_found_by_words_of_their_text_too(sit, game, words, number):
    answer = sit(game).answer(game[2][1], f"RULES {words}")
    assert re.search(rf"^ *{re.escape(number)} ", answer, re.MULTILINE)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
@pytest.mark.parametrize(("language", "asked"), [("en", "RULES errata"), ("es", "REGLAS ERRATAS")])
def test_all_rulings_come_with_their_dates(sit, game, language, asked):
    table = sit(game)
    table.answer(game[2][0], f"SET LANG {language}")
    answer = flat(table.answer(game[2][0], asked))
    rulings = game_by_name(game[0]).rulebook.errata("", language)
    assert len(rulings) > 30
    assert [line for _, line in rulings if flat(line) not in answer] == []


@pytest.mark.parametrize(
    ("game", "lines", "rule"),
    [
        (AFRICA, "ACTIVATE Nudos\nMOVE Cuenca TO Cresta\nMOVE Vergara TO Cresta", "R2"),
        (PENINSULAR, "MOVE 2/87 2424\nFIRE 2/87 AT 0101", "S4"),
    ],
)
def test_a_refusal_says_once_how_to_read_its_rule(sit, game, lines, rule):
    table, seat = sit(game), game[2][0]
    for language, words in (("en", "RULES {} sends one in full."), ("es", "REGLA {} envía una entera.")):
        table.answer(seat, f"SET LANG {language}")
        answer = flat(table.answer(seat, f"ORDERS T1\n{lines}\nEND"))
        assert answer.count(f"[{rule}]") >= 1
        assert answer.count(words.format(rule)) == answer.count(words.format("").split("  ")[1]) == 1


def test_in_a_war_the_rules_of_camps_are_told_in_a_battle(tmp_path):
    table = PlayedWar(tmp_path, war="drill")
    answer = flat(table.answer("spain", "REGLA K5"))
    table.server.engine.dispose()
    for _, line in game_by_name("camp").rulebook.full_text("K5", "es"):
        assert flat(line) in answer
