"""One piece of work: a transaction, the server it is made on, and its moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlmodel import Session

if TYPE_CHECKING:
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
