"""A house whose game has a moderator, and what a test does with him."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pbem.play.rulings import appointment
from pbem.server.intake import LetterOutcome
from pbem.store import tables
from tests.harness.game import PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.server import changed

MO = "mo@bench.example"
EVE = "eve@elsewhere.example"
MX = "mx.games.example"


class ModeratedGame(PlayedGame):
    """Two players and a moderator, whose welcome has been sent."""

    def __init__(self, folder: Path, **more: Any) -> None:
        super().__init__(folder, **more)
        self.server = changed(self.server, authserv_id=MX)
        self.moderator = self.appoint(MO)
        self.sent()

    def appoint(self, email: str, **more: Any) -> str:
        with self.server.work() as work:
            return appointment.appoint(work, appointment.Appointment(game="g1", email=email, **more))

    def dictate(self, text: str, sender: str = MO, **headers: Any) -> LetterOutcome:
        """A letter to the moderator's address comes in now."""
        return self.receive(mail(sender, self.moderator, text, **{"Date": self.clock.now(), **headers}))

    def asked(self, text: str) -> str:
        """Send lines that are rulings, and return the code that makes them so."""
        assert self.dictate(text).outcome == "confirm"
        (row,) = self.sent()
        match = re.search(r"^CODE ([a-z2-7]{8})$", text_of(row), re.MULTILINE)
        assert match is not None
        assert row.recipient == MO
        return match[1]

    def rulings(self) -> list[str]:
        return [row.line for row in self.all(tables.Ruling)]

    def told(self) -> dict[tuple[str, str], str]:
        """The letters sent since, by recipient and kind; the last of each."""
        return {(row.recipient, row.kind): text_of(row) for row in self.sent()}
