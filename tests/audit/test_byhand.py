"""What the printed commands print is what the dice are made of."""

import shutil
import subprocess

import pytest

from pbem.audit import blocks
from pbem.audit.dice import DiceStream, face_of_word, shell_command, steps_by_hand, word_octets
from tests.needed import need

BETA = bytes(range(64))
ROLLS = [("B>C/shock attacker", 3, 6), ("B>C/fire X > Y", 8, 2), ("B>C/many", 70, 6), ("end/d300#2", 20, 300)]


@pytest.mark.parametrize(("label", "n", "sides"), [*ROLLS, ("A>B/target B", 1, 1), ("x/it's $HOME %s \\n", 1, 200)])
def test_a_roll_taken_apart_has_the_values_of_the_roll(label, n, sides):
    assert steps_by_hand(BETA, label, n, sides).values == DiceStream(BETA).roll(label, n, sides)


def test_the_golden_die():
    shown = steps_by_hand(BETA, "B>C/shock attacker", 3, 6)
    assert shown.values == (4, 2, 5)
    assert shown.commands == (
        "printf '%s\\n' pbemdice/v1/die 'label B>C/shock attacker' 'block 0' | "
        f"openssl dgst -sha256 -mac HMAC -macopt hexkey:{BETA.hex()}",
    )


def test_words_that_are_passed_over_are_shown():
    """Of 200 sides 56 words are thrown away."""
    shown = steps_by_hand(BETA, "x/y", 30, 200)
    passed = [word for word in shown.words if word.face is None]
    assert passed
    assert all(int(word.text, 16) >= 200 for word in passed)
    assert shown.words[-1].face is not None


@pytest.mark.parametrize(("label", "n", "sides"), [*ROLLS, ("x/it's $HOME %s \\n", 5, 6)])
def test_openssl_prints_the_bytes(label, n, sides):
    need([] if shutil.which("openssl") else ["openssl"])
    shown = steps_by_hand(BETA, label, n, sides)
    printed = b""
    for line in shown.commands:
        done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=True)
        printed += bytes.fromhex(done.stdout.decode().rpartition("= ")[2])
    size = word_octets(sides)
    words = [int.from_bytes(printed[index : index + size], "big") for index in range(0, len(printed), size)]
    faces = [shown_face for word in words if (shown_face := face_of_word(word, sides)) is not None]
    assert tuple(faces[:n]) == DiceStream(BETA).roll(label, n, sides)


def test_a_command_hashes_the_block_of_the_die():
    lines = blocks.stream_block("a/b", 1).decode().splitlines()
    assert all(line in shell_command(BETA, "a/b", 1) for line in lines)
