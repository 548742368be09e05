"""The demo's player: bare Python, an empty folder, and nothing to go by but letters."""

import email
import email.policy
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pbem.cli import player
from pbem.mail.embedded import EmbeddedMail

pytestmark = pytest.mark.integration

SEAT = "pbem+demo-1-spain-abcdefghijklmnop@demo.test"
LIMIT = 30


def letter(number: int, body: str) -> bytes:
    head = f"From: pbem <pbem@demo.test>\nTo: ana@demo.test\nReply-To: {SEAT}\nSubject: Turn {number}\n"
    head += "Date: Fri, 05 Jan 2024 20:00:00 +0000\n"
    return f"{head}Message-ID: <{number}@demo.test>\n\n{body}".replace("\n", "\r\n").encode()


def asked(turn: int, phase: str = "spain") -> bytes:
    return letter(turn, f"Castillejos - demo-1 - T{turn}.{phase}\n\nORDERS T{turn} #k7q2\n# MOVE Leon TO C3\nEND\n")


@pytest.fixture
def mail():
    with EmbeddedMail({"pbem@demo.test": "judge", "ana@demo.test": "ana"}) as server:
        yield server


@pytest.fixture
def ana(mail, tmp_path):
    """The player's process, started; ended at the latest with the test."""
    told = {
        "host": mail.host,
        "imap_port": mail.imap_port,
        "smtp_port": mail.smtp_port,
        "address": "ana@demo.test",
        "password": "ana",
        "seconds": LIMIT,
        "seat": "spain",
        "turns": 2,
        "orders": {"1": ["MOVE Leon TO C3"], "2": ["PASS"]},
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


def test_it_needs_the_standard_library_alone():
    told = (
        "import runpy, sys; sys.path = [p for p in sys.path if 'site-packages' not in p]; runpy.run_path(sys.argv[1])"
    )
    subprocess.run([sys.executable, "-I", "-S", "-c", told, player.__file__], check=True)


def test_it_writes_its_orders_into_the_template_quotes_the_rest_and_waits_for_the_end(mail, ana):
    mail.deliver("ana@demo.test", asked(1))
    mail.deliver("ana@demo.test", asked(1, phase="morocco"))
    mail.deliver("ana@demo.test", asked(2))
    first, second = answers(mail, 2)
    assert first["To"] == SEAT
    assert first["In-Reply-To"] == "<1@demo.test>"
    assert first["Subject"] == "Re: Turn 1"
    text = player.text_of(first)
    assert text.startswith("ORDERS T1 #k7q2\n# MOVE Leon TO C3\nMOVE Leon TO C3\nEND\n\nOn Fri, 05 Jan 2024")
    assert "\n> ORDERS T1 #k7q2\n> # MOVE Leon TO C3\n> END\n" in text
    assert "PASS\nEND\n" in player.text_of(second)
    mail.deliver("ana@demo.test", asked(3))
    said, _ = ana.communicate(timeout=LIMIT)
    assert ana.returncode == 0
    assert said.splitlines()[-1] == "has the last report"


def test_it_gives_up_when_its_orders_are_refused(mail, ana):
    mail.deliver("ana@demo.test", asked(1))
    answers(mail, 1)
    mail.deliver(
        "ana@demo.test", letter(1, "Castillejos - demo-1 - T1.spain\n\nLine 2:\n    MOVE Lion\n         ^^^^\n")
    )
    said, _ = ana.communicate(timeout=LIMIT)
    assert ana.returncode == 1
    assert "gives up: the orders were refused:" in said


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
