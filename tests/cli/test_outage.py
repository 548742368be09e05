"""The mailbox goes away in the middle of a game and comes back: the game goes on, and nothing is lost or done twice."""

import pytest

from pbem.cli.demo import Stage

pytestmark = [pytest.mark.integration, pytest.mark.slow]


def log(stage: Stage) -> str:
    return (stage.folder / "serve.log").read_text("utf-8")


def test_a_game_goes_on_after_the_imap_port_was_closed_and_opened_again(tmp_path):
    with Stage(tmp_path, "africa1860", turns=2, seconds=120) as stage:
        stage.open()
        spain, morocco = stage.parts
        stage.wait(lambda: len(stage.letters(morocco)) >= 3, "the first phase to be resolved")
        stage.mail.stop_imap()
        stage.wait(lambda: "mailbox down" in log(stage), "the daemon to miss its mailbox")
        stage.mail.start_imap()
        stage.play()
        assert log(stage).count("imap connected") >= 2
        for part in (spain, morocco):
            subjects = [path.read_bytes().partition(b"\nSubject: ")[2].split(b"\n")[0] for path in stage.letters(part)]
            receipts = [subject for subject in subjects if b"received" in subject or b"recibidas" in subject]
            assert len(receipts) == 2, subjects
