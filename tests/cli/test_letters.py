"""`pbem mail queue` and `pbem mail resend`: what is not delivered, and what is sent once more."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pbem.cli.main import main
from pbem.maps.worker_pool import InlineRenderer
from tests.cli.conftest import command_output
from tests.harness.command_line import MOROCCO, SPAIN, CommandLine


@pytest.fixture(scope="module")
def sent(waiting, tmp_path_factory) -> Path:
    """The folder of a server whose letters so far were taken by the mail server."""
    folder: Path = shutil.copytree(waiting[0], tmp_path_factory.mktemp("sent"), dirs_exist_ok=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("pbem.maps.worker_pool.WorkerPool", InlineRenderer)
        command_output("mail", "read", SPAIN, "--config", folder / "pbem.toml")
    change(folder, "UPDATE outbox SET state = 'sent', attempts = 1, last_code = 250")
    return folder


@pytest.fixture
def all_sent(hand: CommandLine, sent) -> None:
    """All letters so far were taken by the mail server."""
    shutil.copytree(sent, hand.folder, dirs_exist_ok=True)


def database(hand: CommandLine, statement: str) -> None:
    change(hand.folder, statement)


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "data" / "pbem.sqlite3")) as opened, opened:
        opened.execute(statement)


def test_a_command_holds_up_no_other_that_has_something_to_sign(hand, begun):
    hand.fine("mail", "read", SPAIN, "--out", str(hand.folder / "read"))
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as opened:
        assert opened.execute("SELECT count(*) FROM checkpoint").fetchone() == (1,)
        assert opened.execute("SELECT count(*) FROM lease WHERE name = 'log'").fetchone() == (0,)


def test_the_limit_of_letters_an_hour_is_told_as_what_it_is(hand, begun):
    settings = hand.folder / "pbem.toml"
    text = settings.read_text("utf-8").replace("letters_an_hour = 30", "letters_an_hour = 2")
    settings.write_text(text, "utf-8")
    assert "letters_an_hour = 2" in text
    results = [hand.deliver(SPAIN, begun["spain"], f"STATUS // {n}\n") for n in range(6)]
    # A letter that only asks counts a third.
    assert [code for code, _, _ in results] == [0] * 4 + [1, 1]
    assert [bool(out) for _, out, _ in results] == [True] * 5 + [False]
    for _, _, err in results[4:]:
        assert (
            "of this seat 2 letters an hour are read (letters_an_hour under [server]); deliver it again in an hour"
            in err
        )


def test_letters_that_wait_are_listed(hand, begun):
    listed = hand.fine("mail", "queue")
    rows = re.findall(r"^\d+ +(\S+) +(\S+) +ceuta-1 +0 +2\S+ \S+ UTC", listed, re.MULTILINE)
    assert sorted(kind for _, kind in rows) == ["invitation", "invitation", "report", "report"]
    assert {to for to, _ in rows} == {SPAIN, "idris@players.test"}


def test_letters_given_up_are_a_finding_until_they_are_sent_again(hand, all_sent):
    assert hand.fine("mail", "queue") == "All letters are delivered.\n"
    database(hand, "UPDATE outbox SET state = 'failed', last_code = 550, last_text = 'no such user' WHERE id = 1")
    code, out, err = hand("mail", "queue")
    assert code == 1
    assert re.search(r"^1 +\S+ +invitation +ceuta-1 +1 +given up +550 no such user$", out, re.MULTILINE)
    assert "letters given up: 1. Once the cause is mended, `pbem mail resend --failed`" in err
    assert hand.fine("mail", "resend", "--failed") == "queued again: 1; `pbem serve` sends them\n"
    assert "given up" not in hand.fine("mail", "queue")


@pytest.mark.parametrize("turn", [[], ["T1"], ["1"]])
def test_a_report_is_queued_again(hand, all_sent, turn):
    assert hand.fine("mail", "resend", "ceuta-1", "spain", *turn) == "queued again: 1; `pbem serve` sends them\n"
    listed = hand.fine("mail", "queue")
    assert re.findall(r"^\d+ +(\S+) +(\S+)", listed, re.MULTILINE) == [(SPAIN, "report")]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([], "say which"),
        (["ceuta-1"], "say which"),
        (["ceuta-1", "spain", "--failed"], "say which"),
        (["ceuta-1", "spain", "next"], "say which"),
        (["ceuta-1", "spain", "T9"], "There is no such report of spain in ceuta-1."),
        (["ceuta-1", "france"], "There is no seat france in ceuta-1."),
    ],
)
def test_what_cannot_be_sent_again_is_said(hand, all_sent, asked, message):
    code, out, err = hand("mail", "resend", *asked)
    assert (code, out) == (2, "")
    assert message in err


ASSAULT = "ORDERS T1\nACTIVATE Nudos\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco\nEND\n"


def test_a_game_by_hand_that_is_conceded_is_kept_and_verifies(hand, begun, tmp_path, capsys):
    code, _, _ = hand.deliver(SPAIN, begun["spain"], ASSAULT)
    assert code == 0
    code, asked, _ = hand.deliver(MOROCCO, begun["morocco"], "CONCEDE\n")
    line = re.search(r"^CONCEDE CODE \w+$", asked, re.MULTILINE)
    assert (code, line is not None) == (0, True)
    code, out, err = hand.deliver(MOROCCO, begun["morocco"], f"{line[0] if line else ''}\n")
    assert (code, err) == (0, "")
    assert "The game is over." in out
    code, _, _ = hand.deliver(SPAIN, begun["spain"], "ORDERS T2\nPASS\nEND\n")
    assert code == 1
    output = hand.fine("mail", "read", SPAIN, "--out", tmp_path / "ana")
    kept = sorted((tmp_path / "ana").glob("*.eml"))
    assert output.startswith(f"{len(kept)} letters to {SPAIN} in ")
    assert len(kept) >= 5
    with pytest.raises(SystemExit) as ended:
        main(["verify", "--full", str(tmp_path / "ana")])
    assert (ended.value.code or 0, "FALSE" in capsys.readouterr().out) == (0, False)


def test_a_letter_handed_in_a_second_time_is_a_finding(hand, begun):
    bare = hand.folder / "bare.eml"
    bare.write_text(f"From: {SPAIN}\nTo: {begun['spain']}\n\nPRENSA a Marruecos\nHola.\nFINPRENSA\n", "utf-8")
    assert hand("mail", "deliver", bare)[0] == 0
    code, out, err = hand("mail", "deliver", bare)
    assert (code, err) == (1, "pbem: the letter came before and was not carried out a second time\n")
    assert "Ya recibí esta carta, palabra por palabra" in out
    bare.write_text(f"From: {SPAIN}\nTo: {begun['spain']}\n\nESTADO\n", "utf-8")
    assert [hand("mail", "deliver", bare)[0] for _ in range(2)] == [0, 0], "what only asks is answered each time"


def set_clock(hand, moment: str) -> None:
    clock, settings = hand.folder / "clock", hand.folder / "pbem.toml"
    clock.write_text(moment)
    settings.write_text(settings.read_text().replace('source = "system"', f'source = "file:{clock}"'))


@pytest.mark.parametrize("was_polled", [False, True], ids=["by hand alone", "after the mailbox was read"])
def test_a_phase_closes_at_its_deadline_by_letters_that_are_handed_in(hand, begun, was_polled):
    if was_polled:
        change(hand.folder, "INSERT INTO poll (account, folder, begun) VALUES ('box', 'INBOX', '2026-01-01 00:00:00')")
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as database:
        (deadline,) = database.execute("SELECT deadline FROM phase WHERE state = 'open'").fetchone()
    set_clock(hand, f"{deadline[:10]}T23:59:00Z")
    # Morocco asks only; Spain's silence has ended the phase before that, unless a letter may lie in the mailbox.
    answer = hand.deliver(MOROCCO, begun["morocco"], "STATUS\n")[1]
    assert ("Turn 1, Spanish phase" in answer, "Turn 1, Moroccan phase" in answer) == (was_polled, not was_polled)
