"""What letters show of a tournament: figures in the reader's language, reasons with their rules."""

import pytest

from pbem.engine.data.messages import Msg, msg, plain_english
from pbem.letters.catalogue import load_catalogue
from pbem.tournaments import cards, sheets
from pbem.tournaments.arithmetic.entrants import Entrant
from pbem.tournaments.arithmetic.pairing.draw import draw
from pbem.tournaments.arithmetic.pairing.drawn import RoundInput
from pbem.tournaments.arithmetic.standings import RankingInput, explain_rank, rank_entrants
from tests.tournament.build import entrants, play, results
from tests.tournament.lots import lots

NAMES = {number: f"P{number} (e{number})" for number in range(1, 9)}
ORDER = ("points", "buchholz", "direct", "sonneborn", "margin", "lot")
PLAYED = ("1 1-2 1-0 +4", "1 3-4 = 0", "1 5 bye", "2 1-3 0-1 -2", "2 5-2 1-0 +1", "2 4 half-bye")


def table():
    return rank_entrants(RankingInput(entrants(5), results(PLAYED), ORDER), lots(1))


def block_lines(block, language="en"):
    speak = load_catalogue(language)
    return [line if isinstance(line, str) else speak.say(Msg.from_json(line[1])) for line in block["lines"]]


@pytest.mark.parametrize(
    ("halves", "en", "es"), [(0, "0", "0"), (2, "1", "1"), (5, "2.5", "2,5"), (-1, "-0.5", "-0,5")]
)
def test_points_are_written_with_the_mark_of_the_language(halves, en, es):
    assert (sheets.points_figure(halves, "en"), sheets.points_figure(halves, "es")) == (en, es)


def test_one_point_is_one_and_all_others_are_several():
    texts = [plain_english(sheets.points_text(halves, "en")) for halves in (1, 2, 3, 4)]
    assert texts == ["0.5 points", "1 point", "1.5 points", "2 points"]


def test_standings_have_a_line_each_and_columns_of_what_parts_them():
    block = sheets.standings_block(msg("x"), table(), NAMES, "es")
    assert [line.split() for line in block["lines"][:4]] == [
        ["=", "Bh", "D", "SB", "M"],
        ["1.", "P5", "(e5)", "2"],
        ["2.", "P3", "(e3)", "1,5"],
        ["3.", "P4", "(e4)", "1", "1,5", "0,75"],
    ]
    assert len({len(line[: line.index(")")]) for line in block["lines"][1:-1]}) == 1
    heads = load_catalogue("es").say(Msg.from_json(block["lines"][-1]))
    assert heads == "Columnas: = puntos, Bh Buchholz, D enfrentamientos directos, SB Sonneborn, M diferencia."


def test_a_crosstable_tells_result_line_and_side_of_each_round():
    block = sheets.crosstable_block(msg("x"), table(), NAMES, "en")
    first, second, *_ = (line.split() for line in block["lines"][:-2])
    assert "* not over" in plain_english(Msg.from_json(block["lines"][-2]))
    assert first == ["1.", "P5", "(e5)", "+", "+5f", "2"]
    assert second == ["2.", "P3", "(e3)", "=3f", "+4s", "1.5"]


def test_a_rank_is_explained_by_rounds_and_by_what_parts_neighbours():
    lines = block_lines(sheets.rank_block(explain_rank(table(), 1), NAMES, "en"))
    assert lines[0] == "4. P1 (e1), 1 point."
    assert lines[1] == "e2 won, e3 lost"
    assert lines[2] == "Ahead of P2 (e2): points 1 against 0 [E7.1]."
    assert lines[3].startswith("Behind P4 (e4): Sonneborn 0")
    assert lines[3].endswith("against 0.75 [E7.4].")
    third = block_lines(sheets.rank_block(explain_rank(table(), 4), NAMES, "es"), "es")
    assert third[1] == "e3 tablas; descansó: 0,5"
    assert third[3] == "Por detrás de P3 (e3): puntos 1 contra 1,5 [E7.1]."


def test_every_reason_of_a_draw_is_a_sentence_with_its_rule_in_both_languages():
    speak = load_catalogue("es")
    for seed in range(6):
        rounds, _ = play(7, RoundInput(1, ()).manner._replace(rounds=5), seed)
        for pair in (pair for round_ in rounds for pair in round_.pairs):
            reasons = sheets.pairing_reasons(pair, NAMES, "en")
            assert len(reasons) == len(pair.why) > 0
            assert all(plain_english(reason).endswith("]") and "{" not in plain_english(reason) for reason in reasons)
            assert all(speak.say(reason) != plain_english(reason) for reason in reasons)


def test_who_rests_is_told_why():
    drawn = draw(RoundInput(1, (Entrant(1), Entrant(2), Entrant(3))), lots(3))
    (reason,) = sheets.pairing_reasons(drawn.pairs[-1], NAMES, "en")
    assert plain_english(reason).startswith(
        "The bye: the fewest byes (0), then the fewest points (0), then the lot bye/e"
    )


def test_the_command_line_shows_points_and_not_twice_as_many(hall):
    hall.fill(2)
    hall.until("playing", 1)
    hall.end(hall.boards(1)[0].game_id, "draw")
    hall.until("closed", 1)
    with hall.server.reading() as tx:
        ranks, card = cards.list_ranks(tx, "cup60"), cards.show_tournament(tx, "cup60")
    assert [line.points for line in ranks] == ["0.5", "0.5"]
    assert [board.points for board in card.rounds[0].boards] == ["0.5:0.5"]
    assert [cards.points_text(halves) for halves in range(6)] == ["0", "0.5", "1", "1.5", "2", "2.5"]
