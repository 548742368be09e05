"""`pbem mail claim`: this server takes the letters of its mailbox, and no other one does."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, typed

app = typer.Typer()


@app.command()
def claim(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Take the mailbox over from another server that had it, and that was stopped for good."""
    from pbem.cli.server.assembly import alone_here, settings
    from pbem.cli.server.mail_servers import imap_settings
    from pbem.mail.imap import ImapMailbox, MailboxDown
    from pbem.server.mailbox_lock import Claimed, MailboxClaim

    read = settings(config)
    with alone_here(read), closing(ImapMailbox(imap_settings(read))) as mailbox:
        ours = MailboxClaim(read.server.claim, mailbox)
        try:
            mailbox.connect()
            others = ours.others()
            if not others:
                print(f"no other server has claimed {read.imap.user}")
                return
            print(f"claimed by another server: {', '.join(others)}")
            if not yes and not typed("Type CLAIM if it is stopped", "CLAIM"):
                raise Stop("nothing was done")
            ours.take_over()
        except MailboxDown as down:
            raise Stop(f"the mailbox is away: {down}") from None
        except Claimed as other:
            raise Stop(str(other)) from None
        except OSError as wrong:
            raise Stop(f"{read.server.claim} cannot be written: {wrong.strerror}") from None
    print(f"{read.imap.user} is this server's; the other one stops at its next look")
