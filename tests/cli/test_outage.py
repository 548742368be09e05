"""The mailbox goes away in the middle of a game and comes back: the game goes on, and nothing is lost or done twice."""

import email
import email.policy

import pytest

from pbem.cli.demo.player import text_of_letter
from pbem.cli.demo.stage import DemoGame, DemoProcesses, GameProgress, read_headers

pytestmark = pytest.mark.full

STATUS = b"From: ana@demo.test\r\nMessage-ID: <in-between@demo.test>\r\n\r\nSTATUS\r\n"


def test_a_game_goes_on_after_the_imap_port_was_closed_and_opened_again(tmp_path):
    log = tmp_path / "serve.log"
    with DemoProcesses(tmp_path, DemoGame("africa1860", turns=2), 120, GameProgress()) as stage:
        stage.open()
        spain, morocco = stage.parts
        stage.wait(lambda: len(stage.letters(morocco)) >= 4, "the first phase to be resolved")

        stage.mail.stop_imap()
        stage.wait(lambda: "poll failed" in log.read_text(), "the daemon to miss its mailbox")
        seat = str(read_headers(stage.letters(spain)[-1])["Reply-To"])
        stage.mail.deliver(seat, b"To: " + seat.encode() + b"\r\n" + STATUS, "ana@demo.test")
        stage.mail.start_imap()

        stage.play()
        assert log.read_text().count("mailbox connected") >= 2
        assert news(stage.letters(spain)).count("Estado de la partida") == 1
        # Two sets of orders each; the second player sent his standing orders in a letter of their own.
        for part, received, count in ((spain, "Órdenes recibidas", 2), (morocco, "Orders received", 3)):
            got = [read_headers(path) for path in stage.letters(part)]
            assert news(stage.letters(part)).count(received) == count
            assert len({letter["Message-ID"] for letter in got}) == len(got)


def news(paths):
    """The first line of each letter below the sentinel."""
    made = (email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in paths)
    return [text_of_letter(letter).split("\n")[2].strip() for letter in made]
