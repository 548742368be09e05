"""The watch of a witness: one look into the mailbox after the other, in whatever weather."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pbem.cli.exit_codes import FINDING, FINE, Stop
from pbem.cli.server.clocks import SystemClock
from pbem.cli.server.log_output import open_log
from pbem.cli.server.mail_servers import imap_settings, smtp_settings
from pbem.cli.witness.cosigner import Cosigner, Post
from pbem.cli.witness.home import open_home
from pbem.mail.imap import ImapMailbox, MailboxDown, backoff
from pbem.mail.smtp import send_all
from pbem.runtime.clock import Clock


def watch(one: Cosigner, poll: float, once: bool, rest: Callable[[float], None] = time.sleep) -> int:
    """Look into the mailbox once, or again and again; FINDING as soon as a log was forked or made smaller.

    Stop if the only look came to nothing.
    """
    failures = 0
    while True:
        step = one.step()
        if step.refused:
            return FINDING
        if once and step.down:
            raise Stop(f"the mail servers are out of reach: {step.down}")
        if once:
            return FINE
        if step.down:
            wait = backoff(failures, 0.0)
            one.log.warning("mail servers out of reach", why=step.down, retry_in=wait)
            rest(wait)
            failures += 1
            continue
        failures = 0
        with suppress(MailboxDown):
            one.mailbox.wait(poll)


def watch_server(config: Path, once: bool, clock: Clock | None = None) -> int:
    """Watch with what the settings say, until a log is forked or somebody ends it; the exit code.

    The machine's own clock is looked at, unless another is named.
    """
    home = open_home(config)
    log, found, smtp = open_log(home.told.log.format, logging.INFO), imap_settings(home.told), smtp_settings(home.told)
    # Nothing is ever moved, so that no folder for it has to be made.
    mailbox = ImapMailbox(replace(found, processed=found.folder, poison=found.folder))
    with home.alone():
        post = Post(mailbox, lambda letters: asyncio.run(send_all(smtp, letters)))
        one = Cosigner(home, post, clock or SystemClock(), log)
        log.info("watching", server=home.told.witness.server, name=home.told.witness.name)
        try:
            return watch(one, home.told.imap.poll, once)
        except KeyboardInterrupt:
            return FINE
        finally:
            mailbox.close()
