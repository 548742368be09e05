"""A short game by mail through Exim and Dovecot: the daemon, and two players who know nothing but their letters."""

from __future__ import annotations

import email
import email.policy

import pytest

from pbem.cli.demo.stage import DOMAIN, NAME, DemoGame, DemoProcesses, GameProgress
from pbem.cli.game_pages import replay
from tests.servers.conftest import need_real_servers
from tests.servers.real import RealMail

pytestmark = pytest.mark.full


def test_two_turns_of_castillejos(tmp_path, capsys):
    need_real_servers()
    # Letters at real servers are not seen from the stage: its patience is for the whole game.
    stage = DemoProcesses(tmp_path, DemoGame("africa1860", turns=2), 600, GameProgress())
    mail = RealMail(stage.passwords)
    # The stage asks for ports and passwords alone, which both kinds of servers have.
    stage.mail = mail  # type: ignore[assignment]
    with stage:
        stage.open()
        stage.play()
        got = {part.seat: [parsed(raw) for raw in mail.letters_in(part.address)] for part in stage.parts}
        left = mail.letters_in(f"pbem@{DOMAIN}")
        taken = mail.letters_in(f"pbem@{DOMAIN}", "Processed")
    for letters in got.values():
        kinds = [letter["Message-ID"].partition("@")[0].split(".")[-3] for letter in letters]
        # An invitation, a report for each of two turns and the one that opens the third; every order answered.
        assert kinds.count("invitation") == 1
        assert kinds.count("report") >= 3
        assert "receipt" in kinds
        assert len({letter["Message-ID"] for letter in letters}) == len(letters)
    assert left == ()
    assert len(taken) >= 4
    replay(NAME, tmp_path / "pbem.toml")
    assert "all the same" in capsys.readouterr().out


def parsed(raw: bytes):
    return email.message_from_bytes(raw, policy=email.policy.default)
