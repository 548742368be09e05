"""What reading a letter takes is counted inside the loops that read it, at every address; nothing here is timed."""

import random
from collections import Counter
from itertools import count

import pytest

from pbem.engine.orders import names
from pbem.runtime.limits import LIMITS, CostMeter
from tests.harness.battle import PlayedBattle
from tests.harness.server import changed
from tests.letter_places import PLACES, opened
from tests.letter_seeds import GROWING, near_misses

TIMES = 30
"""How often a character of a letter is folded or parted into words at most."""
NEAR = near_misses(20_000)
LETTERS = {
    **{f"U+{ord(char):04X}": (f"{char * 1_900}\n" * 90)[: 250_000 // len(char.encode())] for char in GROWING},
    "a growing character in one line": "\ufdfa" * 83_000,
    "orders of names that are nearly right": "".join(
        f"MOVE {', '.join(NEAR[index : index + 150])} TO Sierra\n" for index in range(0, 15_000, 150)
    ),
    "lines of names that are nearly right": "\n".join(NEAR[:3_900]),
    "prose of names that are nearly right": f"attack {' '.join(NEAR[:390])}. " * 30,
    "one long line of orders": "IF x;" * 50_000,
    "orders in small letters": "move nobody to nowhere\n" * 3_900,
    "commands that are nearly right": "".join(f"STAUTS {word}\n" for word in NEAR[:3_900]),
    "headers of blocks that are nearly right": "".join(
        f"ord{'abcdefgh'[index % 8]}rs t{index}\n" for index in range(3_900)
    ),
}
SHORT = ("U+FDFA", "a growing character in one line", *list(LETTERS)[-6:])
"""Kinds that are tried in the first tier, at the addresses of a seat and of a moderator."""


@pytest.fixture
def counts(monkeypatch):
    """What is counted of letters: characters, guesses, and words that are compared letter by letter."""
    counts: Counter[str] = Counter()
    spend, guess, distance = CostMeter.spend, CostMeter.guess, names.distance

    def count_characters(meter, characters):
        counts["characters"] += characters
        spend(meter, characters)

    def count_guess(meter):
        counts["guesses"] += 1
        guess(meter)

    def count_comparison(a, b):
        counts["compared"] += 1
        return distance(a, b)

    monkeypatch.setattr(CostMeter, "spend", count_characters)
    monkeypatch.setattr(CostMeter, "guess", count_guess)
    monkeypatch.setattr(names, "distance", count_comparison)
    return counts


@pytest.mark.parametrize(
    ("game", "places", "kinds"),
    [
        ("africa1860", ("orders", "moderator"), SHORT),
        *(
            pytest.param(game, [*PLACES], [*LETTERS], marks=pytest.mark.full)
            for game in ("africa1860", "peninsular", "camp", "tournament")
        ),
    ],
    ids=("seat and moderator", "africa1860", "peninsular", "camp", "tournament"),
)
def test_what_a_letter_takes_grows_with_its_length_alone(game, places, kinds, counts, subtests):
    with opened(game) as house:
        server = house.serve(house.folder)
        for name in places:
            place = PLACES[name]
            if place.game != game or name.endswith((", page", "retake")):
                continue
            for kind, text in ((kind, LETTERS[kind]) for kind in kinds):
                with subtests.test(place=name, kind=kind):
                    counts.clear()
                    read = place.read(server, place.letter(house, text))
                    assert not read.outcome.startswith("fault"), read.outcome
                    assert counts["characters"] <= TIMES * len(text) + 10_000
                    assert counts["guesses"] <= LIMITS.guesses + 1
                    assert counts["compared"] <= 10 * LIMITS.guesses
        server.engine.dispose()


def test_the_time_is_looked_at_inside_of_loops():
    """However long one step takes, it is not more than so many characters until the next look."""
    dice, looks, read = random.Random(1), count(), 0
    meter = CostMeter(LIMITS, lambda: 0.0 * next(looks))
    while read < 1_000_000:
        characters = dice.randrange(1, 2_000)
        meter.spend(characters)
        read += characters
    assert next(looks) >= 40


@pytest.mark.parametrize(
    ("seat", "sentences"),
    [
        (
            "spain",
            ("Más de 300 palabras no son nombres", "No se ha ejecutado nada", "formulario de órdenes"),
        ),
        ("morocco", ("More than 300 words in it are not names", "I did nothing with it", "the order form")),
    ],
)
def test_a_letter_of_too_many_misspelt_names_is_answered_so_and_nothing_of_it_is_done(tmp_path, seat, sentences):
    table = PlayedBattle(tmp_path)
    table.server = changed(table.server, limits=LIMITS._replace(guesses=300))
    before = table.kept()
    answer = " ".join(table.answer(seat, LETTERS["headers of blocks that are nearly right"]).split())
    assert [sentence for sentence in sentences if sentence not in answer] == []
    assert table.kept() == before
    table.server.engine.dispose()
