"""Bugs that a drill must find, planted from outside: each breaks one of the promises of the pumps.

They are patched into the daemon's process after the fork, and nothing of the program knows of them.
"""

from __future__ import annotations

import secrets
import smtplib
import threading
from collections.abc import Callable
from datetime import datetime

from sqlmodel import select

from pbem.engine.data.canon import loads
from pbem.mail.inbound import IncomingLetter
from pbem.runtime.transaction import Server
from pbem.server import intake, local_delivery, mailbox_poller, outbox_sender, rendering
from pbem.server.deduplicate import EarlierCopies
from pbem.server.intake import LetterOutcome, ReceivedLetter
from pbem.store import tables


def move_before_commit(port: int) -> None:
    """The letter is moved away first and taken in then: a crash in between loses it."""
    take = mailbox_poller.MailboxPoller._take

    def early(
        self: mailbox_poller.MailboxPoller, received: ReceivedLetter, following: ReceivedLetter | None
    ) -> LetterOutcome:
        self.mailbox.move([received.uid], self.mailbox.settings.processed)
        return take(self, received, following)

    mailbox_poller.MailboxPoller._take = early  # type: ignore[method-assign]


def send_before_commit(port: int) -> None:
    """The answer leaves while the transaction that it tells of is still open: a crash makes it tell of nothing."""

    def hasty(
        server: Server,
        received: ReceivedLetter,
        on_step: Callable[[str], None] = outbox_sender.ignore_point,
        transaction: mailbox_poller.BeginTransaction | None = None,
    ) -> LetterOutcome:
        with (transaction or server.work)() as work:
            outcome = intake.take_letter(work, received)
            query = select(tables.Outbox).where(tables.Outbox.message_id.in_(outcome.answers))  # type: ignore[attr-defined]
            with smtplib.SMTP("127.0.0.1", port) as door:
                for row in work.session.exec(query):
                    door.sendmail(
                        row.envelope_sender, [row.recipient], rendering.compose_letter(server, row, loads(row.model))
                    )
            on_step("taken")
        return outcome

    mailbox_poller.take_and_commit = hasty


def no_deduplication(port: int) -> None:
    """Letters are not known again, neither by their place nor by their bytes."""
    row_of = intake._new_row

    def another(received: ReceivedLetter, letter: IncomingLetter, now: datetime) -> tables.Inbox:
        row = row_of(received, letter, now)
        row.uidvalidity = secrets.randbelow(2**31)
        row.message_id = f"<{secrets.token_hex(8)}@nowhere.example>"
        return row

    intake._new_row = another
    vars(intake)["find_earlier_copies"] = lambda *arguments: EarlierCopies(None, None, ())


def reply_before_storing(port: int) -> None:
    """The sender hears 250 while the letter is only in memory: a crash loses it."""
    take = local_delivery.LocalDelivery.take

    def early(self: local_delivery.LocalDelivery, raw: bytes, now: datetime) -> LetterOutcome:
        threading.Thread(target=take, args=(self, raw, now)).start()
        return LetterOutcome(1, "", "")

    local_delivery.LocalDelivery.take = early  # type: ignore[method-assign]


PLANTS: dict[str, Callable[[int], None]] = {
    "move-before-commit": move_before_commit,
    "send-before-commit": send_before_commit,
    "no-deduplication": no_deduplication,
    "reply-before-storing": reply_before_storing,
}
"""By name; each is given the port of a good line to the SMTP server."""
