"""Check how letters come in where there is no mailbox, for `pbem doctor`.

What such a server watches is its own socket; the mail server keeps what cannot be handed over.
"""

from __future__ import annotations

import os
import smtplib
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from pbem.cli.assembly import can_see, engine_of
from pbem.cli.checks_server import CheckResult
from pbem.cli.setting_files import Misconfigured
from pbem.cli.settings import Settings
from pbem.mail.address import LOOPBACK
from pbem.store import queries
from pbem.store.engine import database_file

_GUIDE = "docs/local-delivery.md"


def check_way_in(settings: Settings) -> Iterator[CheckResult]:
    """Check that letters can be handed over at the socket, if there is one."""
    mail = settings.mail
    if mail.way_in == "none":
        yield CheckResult("ok", "mailbox", "there is none: letters come by `pbem mail deliver --pipe` alone")
        return
    try:
        with _connection(mail.listen) as line:
            greeting = line.docmd("LHLO", "localhost")[1].decode("ascii", "replace").split("\n")[0]
    except (OSError, smtplib.SMTPException) as wrong:
        yield _not_listening(mail.listen, wrong)
        return
    yield CheckResult("ok", "mailbox", f"there is none: letters come by LMTP, {mail.listen} answers ({greeting})")


def _connection(listen: str) -> smtplib.LMTP:
    address = LOOPBACK.fullmatch(listen)
    return smtplib.LMTP(address[1].strip("[]"), int(address[2]), timeout=10) if address else smtplib.LMTP(listen)


def _not_listening(listen: str, wrong: Exception) -> CheckResult:
    folder = Path(listen).parent
    if not LOOPBACK.fullmatch(listen) and not (can_see(folder) and os.access(folder, os.W_OK | os.X_OK)):
        todo = f"make {folder}, which the server's user is to own, and the mail server to enter: {_GUIDE}"
        return CheckResult("WRONG", "mailbox", f"nobody can listen at {listen}: its folder is closed to us", todo)
    return CheckResult(
        "mind",
        "mailbox",
        f"nobody takes letters at {listen}: {wrong}",
        "start pbem serve; until then the mail server waits",
    )


def find_taken(settings: Settings, message_id: str) -> bytes | None:
    """Return the header of a letter that was taken in; wait a second if it was not."""
    raw: bytes | None = None
    file = database_file(settings.database.url)
    if file is None or can_see(file):
        with suppress(SQLAlchemyError, Misconfigured):
            engine = engine_of("database.url", settings.database.url)
            try:
                with Session(engine) as session:
                    raw = queries.inbox.raw_of(session, message_id)
            finally:
                engine.dispose()
    if raw is None:
        time.sleep(1)
    return raw
