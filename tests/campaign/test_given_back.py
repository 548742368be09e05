"""A refused letter is given back whole: its block corrected, and what stood above and below it."""

from itertools import product

import pytest

from tests.harness.letters import text_of
from tests.letter_places import Place, opened, plain

TITLES = (
    "Your letter with what I could fix. Correct the rest and send it again:\n",
    "Ready to send as it is:\n",
)


def given_back(house, text):
    assert house.write("north", text).outcome == "refusal"
    (row,) = house.sent()
    text = text_of(row)
    block = text.partition(next(title for title in TITLES if title in text))[2]
    return block.partition("Numbers in brackets are rules")[0]


def test_commands_and_press_beside_the_block_come_back_with_it(house):
    letter = (
        "Dear server,\nFORMAT HTML\nPRESS TO south\nThe hill is ours,\n  Bob.\nENDPRESS\n\n"
        "ORDERS T1\nMOVE Elk TO s3\nMOVE Bea TO s3\nEND\nSTATUS; HELP\nVACACIONES 1 A 2\n"
    )
    assert given_back(house, letter) == (
        "FORMAT HTML\nPRESS TO south\nThe hill is ours,\n  Bob.\nENDPRESS\n"
        "ORDERS T1\n# MOVE Elk TO s3\nMOVE Bee TO s3  # you wrote Bea\nEND\n"
        "STATUS; HELP\n# VACACIONES 1 A 2\n"
    )
    assert "Elk" in letter


def test_what_comes_back_mended_is_taken_whole(house):
    back = given_back(house, "SET LANG en\nPRESS TO south\nHello.\nENDPRESS\nORDERS T1\nMOVE Bea TO s3\nEND\nSTATUS\n")
    house.write("north", back)
    texts = [text_of(row) for row in house.sent()]
    assert any("Hello." in text for text in texts)
    assert any("Your orders are in" in text for text in texts)


def test_a_name_that_was_read_for_another_is_written_out_and_told(house):
    house.write("north", "ORDERS T1\nMOVE ant TO s2\nMOVE Elk TO s3\nEND\n")
    assert "MOVE ant TO s2\n# MOVE Elk" in text_of(house.sent()[0]), "a name in other letters is no slip"


BEGUN = ("ORDERS T1", "LATER T4", "STANDING ALL", "PRESS TO ALL")
WRONG = ("xq", "ACTIVATE xq")


@pytest.mark.parametrize(
    ("game", "seat"), [("africa1860", "spain"), pytest.param("peninsular", "british", marks=pytest.mark.full)]
)
def test_blocks_that_nothing_ends_are_given_back(game, seat, subtests):
    """Where a block has no end, and the next one is wrong in the line where that end would be."""
    place = Place(game, plain(seat))
    with opened(game) as house:
        server = house.serve(house.folder)
        for (first, second), wrong in product(product(BEGUN, repeat=2), WRONG):
            for end in ("", "ENDSTANDING\n"):
                text = f"{first}\n{second}\n{wrong}\n{end}{wrong}\n"
                with subtests.test(text=text):
                    outcome = place.read(server, place.letter(house, text)).outcome
                    assert outcome.partition(":")[0] == "seat", outcome
        server.engine.dispose()
