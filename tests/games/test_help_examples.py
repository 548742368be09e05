"""What HELP gives as examples names places and units that are there, and is read as it stands."""

import re

import pytest

from pbem.engine.game import AnyGame
from pbem.letters.catalogue import load_catalogue
from tests.golden import find_game

MAIN = {"africa1860": "castillejos", "peninsular": "barrosa"}


def examples(game: AnyGame, topic: str, language: str) -> list[str]:
    """The lines of a topic that could be sent, without alternatives and what a line only hints at."""
    catalogue = load_catalogue(language, game.name)
    lines = [catalogue.say(line) for depth, line in game.rulebook.help(topic) if depth == 1]
    return [re.sub(r" \(\w+ [\w ]+\)| \|.*| \.\.\. (?:ELSE|SINO) \.\.\. (?:ENDIF|FINSI)", "", line) for line in lines]


def refused(name: str, text: str) -> list[str]:
    """Why no seat could send a text at the beginning; nothing if one could."""
    game = find_game(name)
    state = game.start(game.edition(MAIN[name], {}, {}))
    faults = [
        [bad.why.text for bad in game.parse(text, game.view(state, seat), seat).rejected] for seat in game.seats(state)
    ]
    return min(faults, key=len)


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("name", MAIN)
def test_orders(name, language):
    lines = examples(find_game(name), "orders", language)
    assert len(lines) > 6
    # Where a space is activated first, it is what the examples begin with.
    first = f"{lines[0]}\n" if name == "africa1860" else ""
    for line in lines:
        branch, ends = ("SI ", "FINSI") if language == "es" else ("IF ", "ENDIF")
        text = (
            line.replace(";", f"\n{'PASAR' if language == 'es' else 'PASS'}\n{ends}\n", 1)
            if line.startswith(branch)
            else line
        )
        assert (line, refused(name, f"{first}{text}\n")) == (line, [])


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("name", MAIN)
def test_standing_orders(name, language):
    lines = examples(find_game(name), "standing", language)
    assert len(lines) > 4
    assert refused(name, "\n".join(lines) + "\n") == []
