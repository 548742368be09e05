"""The demo's player: bare Python, an empty folder, and nothing to go by but letters."""

import email
import email.policy
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pbem.cli.demo import player
from pbem.mail.embedded import EmbeddedMail

SEAT = "pbem+demo-1-spain-abcdefghijklmnop@demo.test"
LIMIT = 30


PLAN = """
class Plan:
    def __init__(self, seat, language, knows):
        pass

    def standing(self):
        return ("STANDING", "1. WHEN ASSAULTED THEN SCREEN NONE", "ENDSTANDING")

    def orders(self, text):
        return ["MOVE Leon TO C3", "MOVE Rey TO C3", "PASS"] if "Turn 1" in text else ["PASS"]

    def slip(self, kind, block):
        return None

    def early(self):
        return ["PASS"]

    def mended(self, block, number, word, why, readings):
        return block[number].removeprefix("# ").replace(word, readings[0]) if readings else None
"""


def name(turn: int, phase: str = "spain") -> str:
    """The Message-ID of a letter about a phase."""
    return f"<demo-1.T{turn}.{phase}.report.spain.aaaaaaaa@demo.test>"


def letter(number: int, body: str, phase: str = "spain") -> bytes:
    head = f"From: pbem <pbem@demo.test>\nTo: ana@demo.test\nReply-To: {SEAT}\nSubject: Turn {number}\n"
    head += "Date: Fri, 05 Jan 2024 20:00:00 +0000\n"
    return f"{head}Message-ID: {name(number, phase)}\n\n{body}".replace("\n", "\r\n").encode()


def asked(turn: int, phase: str = "spain") -> bytes:
    said = f"Castillejos - demo-1 - Turn {turn}\n\nORDERS T{turn} #k7q2\n# MOVE Leon TO C3\nEND\n"
    return letter(turn, said, phase)


@pytest.fixture
def mail():
    with EmbeddedMail({"pbem@demo.test": "judge", "ana@demo.test": "ana"}) as server:
        yield server


@pytest.fixture
def ana(mail, tmp_path):
    """The player's process, started; ended at the latest with the test."""
    (tmp_path / "plan.py").write_text(PLAN)
    told = {
        "host": mail.host,
        "imap_port": mail.imap_port,
        "smtp_port": mail.smtp_port,
        "address": "ana@demo.test",
        "password": "ana",
        "parent": os.getpid(),
        "seat": "spain",
        "side": "spain",
        "go": False,
        "language": "en",
        "turns": 2,
        "think": 0.0,
        "plan": str(tmp_path / "plan.py"),
        "knows": {},
        "slips": ["wrong phase", "wrong turn"],
    }
    (tmp_path / "ana.json").write_text(json.dumps(told))
    empty = tmp_path / "empty"
    empty.mkdir()
    command = [sys.executable, "-I", str(Path(player.__file__)), str(tmp_path / "ana.json")]
    process = subprocess.Popen(command, cwd=empty, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def answers(mail: EmbeddedMail, count: int) -> list[email.message.EmailMessage]:
    """What the server got, once there are so many."""
    limit = time.monotonic() + LIMIT
    while len(found := mail.stored("pbem@demo.test")) < count:
        assert time.monotonic() < limit, "no answer came"
        time.sleep(0.02)
    return [email.message_from_bytes(raw, policy=email.policy.default) for raw in found]


@pytest.mark.full
def test_it_needs_the_standard_library_alone():
    told = (
        "import runpy, sys; sys.path = [p for p in sys.path if 'site-packages' not in p]; runpy.run_path(sys.argv[1])"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", told, player.__file__], check=True)


@pytest.mark.full
def test_it_writes_its_orders_into_the_template_quotes_the_rest_and_waits_for_the_end(mail, ana):
    mail.deliver("ana@demo.test", asked(1, phase="morocco"))
    mail.deliver("ana@demo.test", asked(2))
    mail.deliver("ana@demo.test", asked(2))
    first, second = answers(mail, 2)
    assert first["To"] == SEAT
    assert first["In-Reply-To"] == name(1, "morocco")
    assert first["Subject"] == "Re: Turn 1"
    text = player.text_of(first)
    assert text.startswith("STANDING\n1. WHEN ASSAULTED THEN SCREEN NONE\nENDSTANDING\n\nOn Fri, 05 Jan 2024")
    assert "\n> ORDERS T1 #k7q2\n> # MOVE Leon TO C3\n> END\n" in text
    # Its one mistake: a turn too late.
    assert player.text_of(second).startswith("ORDERS T3 #k7q2\n# MOVE Leon TO C3\nPASS\nEND\n\nOn ")
    mail.deliver("ana@demo.test", asked(3))
    said, _ = ana.communicate(timeout=LIMIT)
    assert ana.returncode == 0
    assert said.splitlines()[-1] == "has the last report"
    assert len(mail.stored("pbem@demo.test")) == 2


def refused(mended: str) -> bytes:
    wrong = "Line 1:\n    ORDERS T2 #k7q2\n    ^^^^^^^^^\n  These orders are for turn 2; it is turn 1.\n"
    wrong += (
        "  Perhaps you mean: ORDERS T1\n\nLine 3:\n    MOVE Leon TO C3\n         ^^^^\n  Leon can mean several [R2]\n"
    )
    wrong += "  Perhaps you mean: Leon1, Leon2\n\nLine 4:\n    MOVE Rey TO C3\n         ^^^\n"
    wrong += "  Rey is not yours, as far as anybody\n  here can tell [R2]\n\n"
    return letter(1, f"Castillejos - demo-1 - Turn 1\n\n{wrong}Your block, corrected\n{mended}\n")


@pytest.mark.full
def test_what_is_refused_is_mended_from_the_answer_alone(mail, ana):
    mail.deliver("ana@demo.test", asked(1))
    (first,) = answers(mail, 1)
    assert player.text_of(first).startswith(
        "ORDERS T2 #k7q2\n# MOVE Leon TO C3\nMOVE Leon TO C3\nMOVE Rey TO C3\nPASS\n"
    )
    mended = "ORDERS T1\n# MOVE Leon TO C3\n# MOVE Leon TO C3\n# MOVE Rey TO C3\nPASS\nEND"
    mail.deliver("ana@demo.test", refused(mended))
    _, again = answers(mail, 2)
    assert player.text_of(again).startswith("ORDERS T1\n# MOVE Leon TO C3\nMOVE Leon1 TO C3\n# MOVE Rey TO C3\nPASS\n")


def test_the_mistakes_in_a_letter_are_read_as_it_tells_them():
    text = refused("ORDERS T1\nEND").decode().replace("\r\n", "\n")
    assert player.mistakes(text) == [
        (1, "ORDERS T2", "These orders are for turn 2; it is turn 1.", ("ORDERS T1",)),
        (3, "Leon", "Leon can mean several [R2]", ("Leon1", "Leon2")),
        (4, "Rey", "Rey is not yours, as far as anybody here can tell [R2]", ()),
    ]


@pytest.mark.full
def test_it_gives_up_when_nothing_helps(mail, ana):
    mail.deliver("ana@demo.test", asked(1))
    for number in range(4):
        answers(mail, 1 + number)
        mail.deliver("ana@demo.test", refused("ORDERS T1\nEND"))
    said, _ = ana.communicate(timeout=LIMIT)
    assert ana.returncode == 1
    assert "gives up: the orders were refused:" in said


@pytest.mark.full
def test_it_outlives_a_mailbox_that_goes_away(mail, ana):
    mail.deliver("ana@demo.test", asked(1))
    answers(mail, 1)
    mail.stop_imap()
    for line in ana.stdout:
        if "trying again" in line:
            break
    mail.start_imap()
    mail.deliver("ana@demo.test", asked(3))
    ana.communicate(timeout=LIMIT)
    assert ana.returncode == 0
