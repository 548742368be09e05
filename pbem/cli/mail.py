"""`pbem mail`: letters without a mailbox.

A letter is taken in, read, explained or made again from a file; letters on their way are listed, sent once more or
taken back into the inbox; senders are blocked; the mailbox is claimed for this server.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, TEMPORARY, CommandError, escape_unprintable, on_one_line
from pbem.cli.options import HERE, Config, check_language, confirm_by_typing
from pbem.cli.output import AsJson, format_letter, letter_text, moment_as_cell, print_json, print_table, table_cell
from pbem.engine.data.messages import plain_english
from pbem.lazy import lazily
from pbem.mail.address import OwnAddresses, strike_tokens

with lazily():
    from pbem.cli import assembly, mail_servers
    from pbem.log import log_health
    from pbem.mail import imap, inbound
    from pbem.play.commands.table import resend as resends
    from pbem.runtime import blocklist
    from pbem.server import local_delivery, mailbox_lock, outbox_sender, rendering, service, worker
    from pbem.store import queries


if TYPE_CHECKING:
    from pbem.cli.settings import Settings
    from pbem.mail.inbound import IncomingLetter
    from pbem.play.commands.table.resend import Undelivered
    from pbem.runtime.transaction import Server

app = typer.Typer(no_args_is_help=True, help="Letters without a mailbox.")


STDIN = Path("-")
_LIMIT = "over-budget"
NOT_DONE = frozenset({"refusal", "closed", "fault", "not-ruled", "answered-stranger", "answered-refused", _LIMIT})
"""Outcomes of a letter after which nothing, or not what its author wanted, was done."""


@app.command()
def deliver(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A letter as mailed; - is standard input.")],
    pipe: Annotated[
        bool, typer.Option("--pipe", help="For a mail server: only store it; end with 0 once it is, else with 75.")
    ] = False,
    config: Config = HERE,
) -> None:
    """Take in one letter as if it had come by mail.

    Prints the answer. Ends with 1 if the letter was refused or came before.

    With --pipe it prints nothing, and `pbem serve` answers. 75 tells the mail server to keep the letter and try again.

    What had fallen due by then is done before it, and phases that close by it are resolved at once; what players are
    then written is sent by `pbem serve`. Once that has read the mailbox, only a newer reading closes a phase at its
    deadline, since a letter may lie there that came in time.
    """
    if pipe:
        _store(file, config)
        return
    letter = _read_file(file)
    with assembly.open_for_command(config) as opened:
        server = replace(opened, settings=replace(opened.settings, by_hand=True))
        worker.run_all_jobs(server)
        result = service.deliver(server, letter)
        worker.run_all_jobs(server)
        with server.work() as tx:
            stopped = log_health.look(tx)
    if stopped is not None and not result.answers:
        why = f"the log stands still: {plain_english(stopped.why)}"
        raise CommandError(f"the letter was taken in ({result.outcome}), and its answer waits; {why}", FINDING)
    for answer in result.answers:
        print(letter_text(answer))
    if result.outcome == _LIMIT:
        raise CommandError(_limit_text(result.verdict, server.settings.letters_an_hour), FINDING)
    if result.verdict == "copy":
        raise CommandError("the letter came before and was not carried out a second time", FINDING)
    if not result.answers:
        raise CommandError(f"the letter gets no answer: {result.verdict}, {result.outcome}", FINDING)
    if result.outcome in NOT_DONE:
        raise CommandError(f"the letter was not carried out: {result.outcome}", FINDING)


def _store(file: Path, config: Path) -> None:
    """Store a letter; raise CommandError whatever kept it from being stored."""
    try:
        letter = _read_file(file)
        with assembly.open_for_command(config) as server:
            local_delivery.store_letter(server, letter)
    except Exception as wrong:
        # A setting or a program can be mended, and a letter that was sent back is lost.
        if not isinstance(wrong, (CommandError, local_delivery.NotStored)):
            traceback.print_exc()
        raise CommandError(f"the letter is not stored: {wrong}", TEMPORARY) from None


def _read_file(file: Path) -> bytes:
    """Read the bytes of a letter; raise CommandError if there is none."""
    try:
        return sys.stdin.buffer.read() if file == STDIN else file.read_bytes()
    except OSError as wrong:
        raise CommandError(f"cannot read {file}: {wrong.strerror}") from None


def _limit_text(verdict: str, limit: int) -> str:
    """Return a sentence about the hourly limit that a letter exceeded."""
    if verdict in ("seat", "moderator", "entrant", "director"):
        return (
            f"the letter was not read: of this {verdict} {limit} letters an hour are read "
            "(letters_an_hour under [server]); deliver it again in an hour"
        )
    return "the letter was not answered: of this sender as many were as are answered for now; deliver it again later"


@app.command()
def read(
    email: Annotated[str, typer.Argument(help="The address that was written to.")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write all letters to it as mailed, for `pbem verify FOLDER`.")
    ] = None,
    config: Config = HERE,
) -> None:
    """Print the last letter that the server wrote to somebody.

    It may be sent or not. All of them can be written as files.
    """
    with assembly.open_for_command(config) as server:
        with server.reading() as tx:
            names = queries.outbox.names_of_letters_to(tx.session, email.casefold())
        if not names:
            raise CommandError(f"nothing was written to {email}", FINDING)
        if out is None:
            print(_sent_text(server, names[-1]))
            return
        # All that waits is rendered in its order, so that each letter's proofs go on from those before it.
        letters = outbox_sender.render(server, names)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for number, letter in enumerate(letters, 1):
            (out / f"{number:06}.eml").write_bytes(letter)
    except OSError as wrong:
        raise CommandError(f"{out} cannot be written: {wrong.strerror}") from None
    print(f"{len(letters)} letters to {email} in {out}; check their dice with: pbem verify {out}")


def _sent_text(server: Server, name: str) -> str:
    """Return the text of a letter as mailed, or as it will be, without pictures."""
    with server.reading() as tx:
        (row,) = queries.outbox.letters_by_names(tx.session, [name])
    return (
        letter_text(row.body)
        if row.body is not None
        else format_letter(row.recipient, *rendering.preview_text(server, row))
    )


@app.command()
def explain(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The letter as it was received.")],
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="The server's own address.")] = "judge@localhost",
) -> None:
    """Show how a letter is read.

    Shows its parts, what is left out and why, and the text that is left. Nothing is changed.
    """
    try:
        raw = file.read_bytes()
    except OSError as wrong:
        raise CommandError(f"{file} cannot be read: {wrong.strerror}") from None
    local, _, domain = address.rpartition("@")
    if not local:
        raise CommandError(f"no address: {address!r}; write it like judge@example.org")
    for line in _explanation(inbound.read_letter(raw, OwnAddresses(local, domain)), len(raw)):
        print(strike_tokens(escape_unprintable(line)))


def _explanation(letter: IncomingLetter, octets: int) -> Iterator[str]:
    reading = letter.reading
    yield f"from: {on_one_line(letter.sender) or '(nobody)'}"
    yield f"subject: {on_one_line(letter.subject)}"
    yield f"date: {letter.date.isoformat() if letter.date else '(none)'}"
    yield f"size: {octets} octets"
    yield f"read: {'no, ' + letter.refusal + ': ' + on_one_line(letter.reason) if letter.refusal else 'yes'}"
    for part in reading.parts:
        name = f" {on_one_line(part.name)}" if part.name else ""
        disposition = f", {part.disposition}" if part.disposition else ""
        yield f"part: {part.kind}{name}, {part.octets} octets{disposition}: {part.unread or 'read'}"
    for piece in reading.struck:
        yield f"crossed out: {on_one_line(piece)}"
    for reason, count in (("armour", reading.armour), ("quoted", reading.quoted)):
        if count:
            yield f"left out: {count} lines ({reason})"
    if reading.encrypted:
        yield "encrypted: there is no key"
    for name in ("quoted_block", "ambiguous", "orders_only_quoted"):
        if getattr(letter, name):
            yield f"noticed: {name.replace('_', ' ')}"
    yield "text:"
    yield from (f"  {line}" for line in letter.text.split("\n"))


@app.command()
def preview(
    name: Annotated[str, typer.Argument(metavar="MESSAGE-ID", help="Which letter; else the last.")] = "",
    kind: Annotated[str, typer.Option(help="The last of a kind, such as report.")] = "",
    game: Annotated[str, typer.Option(help="The last about a game.")] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="Else as it was written.")] = "",
    text: Annotated[bool, typer.Option("--text", help="Its text, not its page.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Else it is printed.")] = None,
    config: Config = HERE,
) -> None:
    """Show a letter as the templates make it now.

    Its pictures are in the page. Nothing is stored or sent.
    """
    with assembly.open_for_command(config) as server:
        check_language(language or "en")
        try:
            rendered = rendering.preview(server, name, kind, game, language)
        except rendering.NoSuchLetter as wrong:
            raise CommandError(f"{wrong}\n`pbem mail preview --kind report` shows the last of a kind") from None
    text_shown = f"Subject: {rendered.subject}\n\n{rendered.text}" if text else rendered.page
    if out is None:
        print(text_shown)
        return
    try:
        out.write_text(text_shown, encoding="utf-8")
    except OSError as wrong:
        raise CommandError(f"{out} cannot be written: {wrong.strerror}") from None
    print(out)


@app.command()
def queue(as_json: AsJson = False, config: Config = HERE) -> None:
    """List the letters that are not delivered.

    They wait for their next try, or were given up.
    """
    with assembly.open_for_command(config) as server, server.reading() as tx:
        undelivered = resends.undelivered_letters(tx.session)
    if as_json:
        print_json("letters/1", letters=undelivered)
    elif not undelivered:
        print("All letters are delivered.")
    else:
        _print_queue(undelivered)
    if given_up := sum(letter.given_up for letter in undelivered):
        raise CommandError(
            f"letters given up: {given_up}. Once the cause is mended, `pbem mail resend --failed` sends them again",
            FINDING,
        )


def _print_queue(undelivered: Sequence[Undelivered]) -> None:
    rows = [("NUMBER", "TO", "KIND", "GAME", "TRIES", "NEXT TRY", "LAST REPLY")]
    for letter in undelivered:
        when = "given up" if letter.given_up else moment_as_cell(letter.next_try)
        rows.append(
            (
                str(letter.number),
                letter.to,
                letter.kind,
                table_cell(letter.game),
                str(letter.tries),
                when,
                # A row of the table is for one line of a screen.
                letter.last_reply[:80],
            )
        )
    print_table(rows)


@app.command()
def resend(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game of the seat.")] = "",
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Whose report.")] = "",
    turn: Annotated[str, typer.Argument(metavar="TURN", help="Which report, such as T3; else the last.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="All letters that were given up.")] = False,
    config: Config = HERE,
) -> None:
    """Send a seat's report once more, the same letter as before.

    All letters that were given up can be sent again as well.
    """
    number = re.fullmatch(r"[Tt]?(\d{1,4})", turn) if turn else None
    if failed == bool(game) or bool(game) != bool(seat) or (turn and number is None):
        raise CommandError("say which: pbem mail resend GAME SEAT [T3], or pbem mail resend --failed")
    with assembly.open_for_command(config) as server, server.work() as tx:
        count = (
            resends.retry_failed(tx) if failed else resends.resend_to_seat(tx, game, seat, number and int(number[1]))
        )
    print(f"queued again: {count}; `pbem serve` sends them")


MARGIN = timedelta(days=2)
"""Letters from this long before the newest known one are looked at too: clocks differ, and the days that IMAP searches
by have no time zone (RFC 9051, 6.4.4)."""


@app.command()
def retake(
    game: Annotated[str, typer.Argument(metavar="GAME", help="Read anew the refused orders of its open turn.")] = "",
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Of this seat alone.")] = "",
    since: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help="Look at letters that came from this day on.")] = "",
    config: Config = HERE,
) -> None:
    """Move letters unknown to a restored database back to the inbox.

    `pbem serve` then takes them in again.

    With GAME: read anew what was refused because its turn was not open yet, and is now.
    """
    if game and since:
        raise CommandError("--since is about the mailbox, GAME about letters that are in the database: one of them")
    settings = assembly.load_settings(config)
    with assembly.open_for_command(settings) as server:
        if game:
            _read_anew(server, game, seat)
        else:
            _move_back(server, settings, since)


def _read_anew(server: Server, game: str, seat: str) -> None:
    results = service.reread_refused_letters(server, game, seat)
    worker.run_all_jobs(server)
    for result in results:
        print(f"letter {result.number} of {result.seat}: {result.outcome}")
    print(f"read anew: {len(results)}")


def _move_back(server: Server, settings: Settings, since: str) -> None:
    _need_mailbox(settings)
    day, imap_way = _first_day(server, since), mail_servers.imap_settings(settings)
    moved = []
    for folder in (imap_way.processed, imap_way.poison):
        with closing(imap.ImapMailbox(replace(imap_way, folder=folder, processed=imap_way.folder))) as mailbox:
            try:
                mailbox.connect()
                unknown = sorted(
                    service.letters_never_taken(server, folder, mailbox.fetch_since(day)),
                    key=lambda letter_: letter_.internaldate,
                )
                for letter in unknown:
                    # One by one: they are to lie in the inbox in the order in which they came.
                    mailbox.move([letter.uid], imap_way.folder)
            except imap.MailboxDown as down:
                raise CommandError(
                    f"the mailbox is away: {down}. Run it again: what was moved is not moved twice"
                ) from None
        moved += unknown
    print(f"letters since {day} that the database does not know, moved back into {imap_way.folder}: {len(moved)}")
    if moved:
        print("`pbem serve` takes them in. Orders for turns that are not open by then are refused; when they are:")
        print("pbem mail retake GAME")


def _need_mailbox(settings: Settings) -> None:
    if settings.mail.way_in != "imap":
        raise CommandError(f'there is no mailbox: mail.in is "{settings.mail.way_in}"')


def _first_day(server: Server, since: str) -> date:
    if since:
        try:
            return date.fromisoformat(since)
        except ValueError:
            raise CommandError(f"--since is a day such as 2031-05-04, got {since!r}") from None
    with server.reading() as tx:
        last = queries.inbox.newest_letter(tx.session)
    return (last.date() if last is not None else date(1970, 1, 1) + MARGIN) - MARGIN


@app.command()
def block(
    sender: Annotated[str, typer.Argument(metavar="ADDRESS|DOMAIN", help="Whom; without it the list is shown.")] = "",
    remove: Annotated[bool, typer.Option("--remove", help="Read him again.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Even if somebody who plays here is among them.")] = False,
    config: Config = HERE,
) -> None:
    """Leave letters from an address or a whole domain unread.

    They are not answered either, from the next letter on.
    """
    with assembly.open_for_command(config) as server:
        blocked = server.plugins.blocked
        if blocked is None:
            raise CommandError("this server keeps no list")
        listed = blocked.senders()
        if not sender:
            for entry in listed:
                print(entry)
            return
        try:
            wanted = blocklist.normalise_sender(sender)
        except ValueError:
            raise CommandError(f"neither an address nor a domain: {sender!r}") from None
        if remove:
            if wanted not in listed:
                raise CommandError(f"{wanted} is not on the list")
            blocked.put(tuple(blocked_one for blocked_one in listed if blocked_one != wanted))
            print(f"{wanted} is read again")
            return
        with server.reading() as tx:
            known = queries.persons.registered_addresses(tx.session, wanted)
        if known and not yes:
            raise CommandError(f"people who play here write from there ({len(known)}): --yes blocks them all the same")
        blocked.put((*(blocked_one for blocked_one in listed if blocked_one != wanted), wanted))
    print(f"{wanted} is not read any more")


@app.command()
def claim(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Take the mailbox over from another server.

    Do it only after that one was stopped for good.
    """
    settings = assembly.load_settings(config)
    _need_mailbox(settings)
    with (
        assembly.hold_database_lock(settings),
        closing(imap.ImapMailbox(mail_servers.imap_settings(settings))) as mailbox,
    ):
        ours = mailbox_lock.MailboxLock(settings.server.claim_file, mailbox)
        try:
            mailbox.connect()
            others = ours.others()
            if not others:
                print(f"no other server has claimed {settings.imap.user}")
                return
            print(f"claimed by another server: {', '.join(others)}")
            if not yes and not confirm_by_typing("Type CLAIM if it is stopped", "CLAIM"):
                raise CommandError("nothing was done")
            ours.take_over()
        except imap.MailboxDown as down:
            raise CommandError(f"the mailbox is away: {down}") from None
        except mailbox_lock.MailboxTaken as other:
            raise CommandError(str(other)) from None
        except OSError as wrong:
            raise CommandError(f"{settings.server.claim_file} cannot be written: {wrong.strerror}") from None
    print(f"{settings.imap.user} is this server's; the other one stops at its next look")
