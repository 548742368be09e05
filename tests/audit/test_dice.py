"""Dice by label: the published values, every word of every small die, and what may never matter."""

import hashlib
import hmac
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.audit.dice import MOST_DICE, DiceStream, face_of_word, word_octets
from pbem.engine.run.runners import Dice

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))
BETA = bytes.fromhex(VECTORS["die"]["beta"])


@pytest.mark.parametrize("case", VECTORS["die"]["cases"], ids=lambda case: case["spec"])
def test_golden(case):
    n, sides = map(int, case["spec"].split("d"))
    assert DiceStream(BETA).roll(case["label"], n, sides) == tuple(case["values"])


def test_by_hand():
    """One die worked out with nothing but hmac, as a player would with openssl."""
    stream = hmac.new(BETA, b"pbemdice/v1/die\nlabel end/recover Nizam\nblock 0\n", hashlib.sha256).digest()
    kept = next(word for word in stream if word < 252)
    assert DiceStream(BETA).roll("end/recover Nizam", 1, 6) == (1 + kept % 6,)


def test_every_word_of_every_small_die(subtests):
    """All 256 words: equal faces, and fewer words thrown away than there are faces."""
    for sides in range(1, 257):
        with subtests.test(f"{sides}"):
            faces = Counter(face_of_word(word, sides) for word in range(256))
            thrown = faces.pop(None, 0)
            assert sorted(filter(None, faces)) == list(range(1, sides + 1))
            assert len(set(faces.values())) == 1
            assert thrown == 256 % sides < sides


@pytest.mark.parametrize("sides", [257, 1000, 65_535, 65_536])
def test_every_word_of_two_byte_dice(sides):
    faces = Counter(face_of_word(word, sides) for word in range(65_536))
    assert faces.pop(None, 0) == 65_536 % sides
    assert set(faces.values()) == {65_536 // sides}
    assert len(faces) == sides


@pytest.mark.parametrize(("sides", "size"), [(1, 1), (6, 1), (256, 1), (257, 2), (65_536, 2), (65_537, 4), (2**32, 4)])
def test_width_of_a_word(sides, size):
    assert word_octets(sides) == size


def test_words_are_big_endian_and_follow_each_other_over_blocks():
    label = "B>C/many"
    stream = b"".join(
        hmac.new(BETA, f"pbemdice/v1/die\nlabel {label}\nblock {j}\n".encode(), hashlib.sha256).digest()
        for j in range(4)
    )
    words = [int.from_bytes(stream[i : i + 4], "big") for i in range(0, len(stream), 4)]
    assert DiceStream(BETA).roll(label, len(words), 2**32) == tuple(word + 1 for word in words)


PRINTABLE = st.text(
    st.characters(categories=("L", "M", "N", "P", "S"), include_characters=" "), min_size=1, max_size=20
)


@given(PRINTABLE, st.integers(1, 40), st.integers(2, 100_000))
def test_a_longer_roll_begins_like_a_shorter_one(label, n, sides):
    dice = DiceStream(BETA)
    longer = dice.roll(label, n + 5, sides)
    assert dice.roll(label, n, sides) == longer[:n]
    assert all(1 <= value <= sides for value in longer)


def test_another_label_or_another_secret_gives_other_dice():
    other = DiceStream(bytes(64))
    assert DiceStream(BETA).roll("B>C/fire", 20, 6) != DiceStream(BETA).roll("B>C/fire#2", 20, 6)
    assert DiceStream(BETA).roll("B>C/fire", 20, 6) != other.roll("B>C/fire", 20, 6)


@pytest.mark.parametrize(
    ("label", "n", "sides"),
    [("a/b", 0, 6), ("a/b", MOST_DICE + 1, 6), ("a/b", 1, 0), ("a/b", 1, 2**32 + 1), ("a\nb", 1, 6)],
)
def test_no_such_roll(label, n, sides):
    with pytest.raises(ValueError, match=r"dice|sides|one line"):
        DiceStream(BETA).roll(label, n, sides)


def test_no_such_word():
    with pytest.raises(ValueError, match="below 256"):
        face_of_word(256, 6)


def test_beta_has_64_bytes():
    with pytest.raises(ValueError, match="64 bytes"):
        DiceStream(BETA[:32])


def test_a_stream_is_dice_for_the_runners():
    dice: Dice = DiceStream(BETA)
    assert dice.roll("B>C/shock attacker", 3, 6) == (4, 2, 5)
