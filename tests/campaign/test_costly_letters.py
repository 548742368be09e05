"""The search for costly letters reads what it means to read, and keeps what costs most. Nothing here is timed."""

import random

import pytest

from tests import costly_letters, letter_costs
from tests.letter_costs import SECONDS, Cost
from tests.letter_places import PLACES, opened

READERS = {
    "visitor": "stranger",
    "visitor, LIST": "stranger",
    "visitor, JOIN": "stranger",
    "visitor, HELP": "stranger",
    "visitor, OBSERVE": "stranger",
    "visitor, SEEK": "stranger",
    "visitor, PLAY": "stranger",
    "visitor, page": "stranger",
    "visitor, JOIN a team": "stranger",
    "entrant": "entrant",
    "entrant, CHALLENGE": "entrant",
    "entrant, page": "entrant",
    "captain": "entrant",
    "captain, LINEUP": "entrant",
    "team's member": "entrant",
    "director": "director",
    "director, ruling": "director",
    "director, page": "director",
    "player elsewhere": "stranger",
    "moderator": "moderator",
    "moderator, ruling": "moderator",
    "moderator, page": "moderator",
    "bounce": "bounce",
    "bounce, tagged": "bounce",
    "witness": "witness",
    "witness, parts": "witness",
    "witness's machine": "friend",
    "mail retake": "again",
    "mail retake, page": "again",
    "set aside": "aside",
    "mailbox looked through": "waits",
    "pbem verify": "verified",
    "pbem verify, header": "verified",
}


@pytest.mark.full
@pytest.mark.parametrize("game", [*dict.fromkeys(place.game for place in PLACES.values())])
def test_each_place_is_reached_by_its_letters(game):
    with opened(game) as house:
        outcomes = {
            name: letter_costs.measure(house, place, "STATUS\n").outcome.partition(":")[0]
            for name, place in PLACES.items()
            if place.game == game
        }
    assert outcomes == {name: READERS.get(name, "seat") for name in outcomes}


def test_the_costliest_letters_are_changed_further(monkeypatch):
    """A letter costs as much as it has commas: the search makes more of them."""

    def counted(house, place, text):
        return Cost(float(text.count(",")), float(text.count("(")), "seat: help", 0)

    monkeypatch.setattr(costly_letters, "measure", counted)
    monkeypatch.setattr(costly_letters, "SEEDS", ("a,b,c", "(", "x"))
    with opened("africa1860") as house:
        costly = list(costly_letters.search(house, PLACES["commands"], 3, 150, random.Random(3)))
    assert len(costly) == 153
    assert max(found_letter.cost.seconds for found_letter in costly) > 20
    assert all(len(found_letter.text) <= costly_letters.LARGEST for found_letter in costly)


@pytest.mark.parametrize(
    ("cost", "bad"),
    [
        (Cost(SECONDS - 0.1, 10, "seat: help", 10), False),
        (Cost(SECONDS + 0.1, 10, "seat: help", 10), True),
        (Cost(0.1, letter_costs.MEGABYTES + 1, "seat: help", 10), True),
        (Cost(0.1, 1, "fault: fault", 10), True),
        (Cost(0.1, 1, "RAISED MemoryError", 10), True),
    ],
)
def test_what_passes_a_budget_is_found(cost, bad):
    assert costly_letters.broken(cost) is bad
