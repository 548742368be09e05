"""Hostile letters: one table of verdicts, no traceback, nothing that is stopped by one letter."""

import os
import subprocess
import sys
from functools import cache

import pytest

from pbem.verifier.mailbox import read_paths
from pbem.verifier.verdict import Wording
from pbem.verifier.verification import status_by_check
from pbem.verifier.words import SPANISH
from tests.audit import standalone
from tests.audit.checked import items, judge, quickly, verify
from tests.audit.hostile_letters import (
    FALSE,
    HEAVY,
    HONEST,
    LARGE,
    UNREAD,
    heavy,
    hostile,
    kept,
    letter,
    mails,
    measured,
)


@cache
def light() -> list[str]:
    return [name for name in hostile() if name not in HEAVY]


@cache
def honest() -> dict[str, str]:
    return status_by_check(judge(kept()))


@cache
def mailbox():
    return [item for index, source in enumerate(kept()) for item in items(f"{index}.eml", letter(source.data))]


def beside(name):
    """What is said of an honest mailbox with one hostile letter in it."""
    return status_by_check(verify([*mailbox(), *items("hostile.eml", hostile()[name].data)]))


def in_spanish(data):
    """All that is told of an honest mailbox with one hostile letter in it."""
    return "\n".join(Wording("es").lines(verify([*mailbox(), *items("hostile.eml", data)])))


@pytest.mark.parametrize("where", ["a line", "a kind"])
def test_a_sentence_of_the_verifiers_own_in_a_letter_stops_nothing(where):
    """With gaps in it too: it is shown as what the letter says, in either language."""
    sentences = [text for text in SPANISH if len(text) <= 60 and text.isascii()]
    assert len([sentence for sentence in sentences if "{}" in sentence]) > 50
    with quickly():
        for sentence in sentences:
            old, new = (b"\ngame wt-042\n", f"\n{sentence}\n") if where == "a line" else (b"v1/slate", f"v1/{sentence}")
            report = in_spanish(letter(kept()[-1].data.replace(old, new.encode(), 1)))
            assert report.startswith("Hay algo FALSO: form. ")


def test_there_are_many():
    assert len(hostile()) >= 300
    assert {case.verdict for case in hostile().values()} == {HONEST, FALSE, UNREAD}


def test_those_that_take_long_are_known_by_name():
    assert (*(name for name, _ in heavy()), *(name for name, mail in mails() if len(mail.data) > LARGE)) == HEAVY


@pytest.mark.parametrize("part", range(8))
def test_the_table_of_verdicts(part):
    wrong = []
    with quickly():
        for name in light()[part::8]:
            checks, verdict = beside(name), hostile()[name].verdict
            if verdict == FALSE:
                good = "FALSE" in checks.values()
            else:
                good = checks == (honest() if verdict == HONEST else {**honest(), "form": "NOT CHECKED"})
            unlike = {check: checks[check] for check in checks if checks[check] != honest()[check]}
            wrong += [] if good else [(name, unlike)]
    assert wrong == []


@pytest.mark.full
@pytest.mark.parametrize("name", HEAVY)
def test_what_is_heavy_stays_within_time_and_memory(name):
    seconds, most, code = measured(name)
    assert (code == 1) == (hostile()[name].verdict == FALSE)
    assert seconds > 0
    assert most > 0


@pytest.mark.full
def test_a_folder_of_all_that_is_no_letter(tmp_path):
    """Links in circles, a pipe, a file that may not be read, one that is not there: none of them stops it."""
    box = tmp_path / "box"
    (box / "in").mkdir(parents=True)
    for index, item in enumerate(kept()):
        (box / "in" / f"{index}.eml").write_bytes(letter(item.data))
    (box / "in" / "round").symlink_to(box)
    (box / "self").symlink_to(box / "self")
    (box / "gone").symlink_to(box / "nowhere")
    (box / "letter.eml").mkdir()
    os.mkfifo(box / "pipe")
    letters = [*read_paths([box])]
    assert sorted(letter.where.rpartition("/")[2] for letter in letters if letter.trouble) == ["gone", "pipe", "self"]
    assert len([letter for letter in letters if not letter.trouble]) == len(kept())
    done = subprocess.run(
        [sys.executable, "-I", "-S", standalone.written(tmp_path), box], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (2, "")
