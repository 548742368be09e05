"""One piece of work: a transaction, the server it is made on, and its moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from sqlmodel import Session

from pbem.campaign.base.budgets import Meter

if TYPE_CHECKING:
    from pbem.campaign.base.server import Server

__all__ = ["Work"]


@dataclass
class Work:
    """What every act of the campaign is made with: one transaction, the server that it is made on, one moment.

    `now` is the same for all that happens in the transaction. `meter` is what the letter that it is about has cost so
    far; None if it is about none.
    """

    session: Session
    server: Server
    now: datetime
    meter: Meter | None = field(default=None, kw_only=True)

    def at(self, moment: datetime) -> Work:
        """Return a Work of the same transaction whose `now` is another moment."""
        return Work(self.session, self.server, moment, meter=self.meter)

    def look(self) -> None:
        """Raise TooMuch if the letter has taken more processor time than it may; to be called between two steps."""
        if self.meter is not None:
            self.meter.look()
