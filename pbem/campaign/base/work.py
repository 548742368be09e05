"""One piece of work: a transaction, the server it is made on, and its moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import Session

from pbem.campaign.base.server import Server

__all__ = ["Work"]


@dataclass
class Work:
    """What every act of the campaign is made with: one transaction, the server that it is made on, one moment.

    `now` is the same for all that happens in the transaction.
    """

    session: Session
    server: Server
    now: datetime

    def at(self, moment: datetime) -> Work:
        """The same transaction, as of another moment."""
        return Work(self.session, self.server, moment)
