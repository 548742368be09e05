"""What `pbem doctor` checks over the network: relays of the beacon, the mailbox, the way out, the domain's records.

Each relay is tried with a round that came out a minute ago.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from pathlib import Path

from pbem.audit import beacon
from pbem.audit.beacon import QUICKNET, Beacon, Check, at_or_after, parse_info
from pbem.audit.blocks import Malformed
from pbem.cli import checks_server
from pbem.cli.alerts import FULL, HEARTBEAT, SENTENCES, read_beat
from pbem.cli.checks_server import Found
from pbem.cli.exit_codes import Stop
from pbem.cli.mail_servers import imap_settings, smtp_settings
from pbem.cli.settings import Settings
from pbem.cli.web import Get, fetch, get_round
from pbem.mail.dns import NoAnswer, Resolver, txt
from pbem.mail.imap import ImapMailbox, MailboxDown
from pbem.mail.outbound import OutgoingLetter, compose
from pbem.mail.smtp import Envelope, probe, send_all
from pbem.server.health import Health
from pbem.server.mailbox_lock import MailboxClaim

ROUND_AGO = 60
"""Seconds since the round that relays are tried with came out."""

_OTHER_RELAYS = "name other relays under [beacon] in the settings, run by different people; none of them is believed"


def relays(read: Settings, now: datetime, get: Get = get_round, check: Check = beacon.check) -> Iterator[Found]:
    """Each relay in the settings has the public chain, by its hash, and a recent round that the chain has signed."""
    named = read.beacon.relays
    if not named:
        yield Found("ok", "beacon", "no relay is named: no game waits for the beacon")
        return
    _, number = recent(now)
    told = [(relay, _fault_of_relay(relay, QUICKNET, number, get, check)) for relay in named]
    good = sum(not wrong for _, wrong in told)
    for relay, wrong in told:
        if wrong == _NO_LIBRARY:
            yield Found(
                "WRONG", "beacon", f"{relay}: {wrong}", 'install "pbem[beacon]": no round can be checked without'
            )
        elif wrong:
            todo = _OTHER_RELAYS if good else f"dice wait as long as no relay answers: {_OTHER_RELAYS}"
            yield Found("mind" if good else "WRONG", "beacon", f"{relay}: {wrong}", todo)
        else:
            yield Found("ok", "beacon", f"{relay}: round {number}, signed by the chain {QUICKNET.hash[:8]}")


def recent(now: datetime) -> tuple[Beacon, int]:
    """The round that relays are tried with."""
    return QUICKNET, at_or_after(QUICKNET, int(now.timestamp()) - ROUND_AGO)


_NO_LIBRARY = "no library to check with"


def _fault_of_relay(relay: str, chain: Beacon, number: int, get: Get, check: Check) -> str:
    """What is wrong with a relay; empty if nothing is."""
    try:
        said = parse_info(get(f"{relay.rstrip('/')}/{chain.hash}/info"))
    except (OSError, Malformed) as wrong:
        return f"it does not tell the chain {chain.hash[:8]}: {wrong}"
    if said != chain:
        return f"it tells the chain {said.hash[:8]}, not {chain.hash[:8]}"
    found = fetch([relay], chain, number, get, check)
    return "" if found.signature else found.reasons[-1].removeprefix(f"{relay}: ")


def late(found: Health | None, hours: int, now: datetime) -> Iterator[Found]:
    """Rounds that dice wait for and that should be out."""
    if found is None or found.waited is None:
        return
    what = (
        f"dice wait for {found.rounds} rounds that should be out, the first since {found.waited:%Y-%m-%d %H:%M:%S} UTC"
    )
    wrong = (now - found.waited).total_seconds() > 3600 * hours
    yield Found(
        "WRONG" if wrong else "mind", "beacon", what, "nothing is lost; see the relays, and the log of pbem serve"
    )


_PATIENCE = 60.0
"""Seconds that a letter to ourselves may take."""
_SHOWING = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Delivered-To", "To")
"""Headers in which the address is looked for that a letter was sent to."""

_SKEW = timedelta(minutes=2)
_DATE = re.compile(r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}")
_IMAP_WAYS = (
    ("LoginError", "look at imap.user and imap.password; many providers want a password of its own for a program"),
    ("has expired", "whoever runs the mail server has to renew its certificate; until then no letter is read"),
    ("not yet valid", "set the clock of this machine (timedatectl set-ntp true); until then no letter is read"),
    ("not valid for", "name the host that the certificate was made for as imap.host"),
    ("certificate", "name the right host, or the file of the server's own authority as imap.ca"),
    ("STARTTLS", 'the server has no STARTTLS on this port: try imap.security = "tls" and port 993'),
    ("WRONG_VERSION_NUMBER", 'there is no TLS on this port: try port 993, or imap.security = "starttls"'),
    ("gaierror", "look at imap.host: no machine has this name"),
)
_SMTP_WAYS = (
    ("535", "look at smtp.user and smtp.password; many providers want a password of its own for a program"),
    ("has expired", "whoever runs the mail server has to renew its certificate; until then letters wait"),
    ("not yet valid", "set the clock of this machine (timedatectl set-ntp true); until then letters wait"),
    ("not valid for", "name the host that the certificate was made for as smtp.host"),
    ("certificate", "name the right host, or the file of the server's own authority as smtp.ca"),
    ("STARTTLS", 'the server has no STARTTLS on this port: try smtp.security = "tls" and port 465'),
    ("WRONG_VERSION_NUMBER", 'there is no TLS on this port: try port 465, or smtp.security = "starttls" and port 587'),
    ("Name or service", "look at smtp.host: no machine has this name"),
)


def mailbox(read: Settings) -> Iterator[Found]:
    """The mailbox lets us in, and what its server can do."""
    where = f"{read.imap.user} at {read.imap.host}:{read.imap.port}"
    try:
        opened = ImapMailbox(imap_settings(read))
    except Stop as wrong:
        yield Found("WRONG", "mailbox", str(wrong), "look at imap.ca and at [oauth]")
        return
    with closing(opened):
        try:
            opened.connect()
            waiting, able, prefix = len(opened.arrived()), opened.abilities, opened.prefix
            others = MailboxClaim(read.server.claim, opened).others()
            full = opened.fullness()
        except MailboxDown as down:
            todo = _way(str(down), _IMAP_WAYS, "look at imap.host and imap.port, and whether this machine may go there")
            yield Found("WRONG", "mailbox", f"{where}: {down}", todo)
            return
    if read.imap.security == "none":
        yield Found("ok", "mailbox", f"{where}: {waiting} letters wait; no TLS, on this machine alone")
    else:
        yield Found("ok", "mailbox", f"{where}: {waiting} letters wait")
    if prefix:
        named = f"{prefix}{read.imap.processed} and {prefix}{read.imap.poison}"
        yield Found("ok", "mailbox", f"folders lie below {prefix} here: {named}; the settings need not say so")
    if full is not None and full >= FULL:
        what = f"{where}: {full:.0%} of its room is used; when all is, letters of players are refused"
        yield Found("WRONG", "mailbox", what, f"delete old letters in {read.imap.processed}, or give it more room")
    if others:
        what = f"{where}: another server takes its letters; its claim is the folder {', '.join(others)}"
        yield Found("WRONG", "mailbox", what, "stop the other server; if there is none: pbem mail claim")
    lacking = [name for name in ("MOVE", "UIDPLUS", "IDLE") if name not in able]
    if "IDLE" in lacking:
        yield Found("mind", "mailbox", f"no IDLE: letters are found every {read.imap.poll:.0f} s", "nothing; imap.poll")
    if {"MOVE", "UIDPLUS"} <= set(lacking):
        todo = "nothing; letters done are marked as deleted, and go when nobody else has marked any"
        yield Found("mind", "mailbox", "neither MOVE nor UIDPLUS", todo)


def way_out(read: Settings) -> Iterator[Found]:
    """The server that letters go through lets us in; its clock beside ours, if its greeting tells the time."""
    where = f"{read.smtp.host}:{read.smtp.port}"
    try:
        said = asyncio.run(probe(smtp_settings(read)))
    except Stop as wrong:
        yield Found("WRONG", "way out", str(wrong), "look at smtp.ca and at [oauth]")
        return
    if said.verdict != "sent":
        shown = f"{said.code or ''} {said.text}".strip()
        todo = _way(shown, _SMTP_WAYS, "look at smtp.host and smtp.port, and whether this machine may go there")
        yield Found("WRONG", "way out", f"{where}: {shown}", todo)
        return
    yield Found("ok", "way out", f"{where}: {said.text.splitlines()[0] if said.text else 'ready'}")
    told = _DATE.search(said.text)
    with suppress(ValueError):
        # Another machine's clock, to hold the system's own against: a clock in a file is of no interest here.
        skew = abs(parsedate_to_datetime(told[0]) - datetime.now(UTC)) if told else timedelta()
        if skew > _SKEW:
            what = f"the mail server's clock and ours differ by {int(skew.total_seconds())} s"
            yield Found("WRONG", "clock", what, "set the clock (timedatectl set-ntp true): deadlines go by it")


def round_trip(read: Settings, patience: float = _PATIENCE) -> Iterator[Found]:
    """A letter to a plus-address of ours goes out, comes back into the mailbox, and still shows where it was sent."""
    token = secrets.token_hex(5)
    to = f"{read.server.local}+doctor-{token}@{read.server.domain}"
    letter = OutgoingLetter(
        message_id=f"<doctor.{token}@{read.server.domain}>",
        sender=read.server.address,
        recipient=to,
        subject="A letter of pbem doctor to itself",
        text="It may be thrown away.\n",
        date=datetime.now(UTC),
        # By these two signs the daemon knows a letter of its own and leaves it unanswered.
        auto_submitted="auto-generated",
        loop=read.server.address,
    )
    try:
        imap, smtp = imap_settings(read), smtp_settings(read)
    except Stop as wrong:
        yield Found("WRONG", "letter", str(wrong), "see above")
        return
    boxes = [ImapMailbox(imap), ImapMailbox(replace(imap, folder=imap.processed))]
    with ExitStack() as open_:
        for box in boxes:
            open_.enter_context(closing(box))
        try:
            for box in reversed(boxes):
                box.connect()
            before = [max(box.arrived(), default=0) for box in boxes]
            (sent,) = asyncio.run(send_all(smtp, [Envelope(read.server.address, to, compose(letter))]))
            if sent.verdict != "sent":
                yield Found("WRONG", "letter", f"to {to}: {sent.code or ''} {sent.text}", _NO_PLUS)
                return
            began = time.monotonic()
            while (raw := _arrived(boxes, before, letter.message_id)) is None:
                if time.monotonic() - began > patience:
                    yield Found("WRONG", "letter", f"to {to}: did not come within {patience:.0f} s", _NO_PLUS)
                    return
                boxes[0].wait(1)
        except MailboxDown as down:
            yield Found("WRONG", "letter", str(down), "see above")
            return
        seconds = time.monotonic() - began
    head = BytesHeaderParser().parsebytes(raw)
    shown = [name for name in _SHOWING if any(to.casefold() in value.casefold() for value in head.get_all(name, ()))]
    if shown:
        yield Found("ok", "letter", f"to {to}: came after {seconds:.0f} s, shown by {', '.join(shown)}")
    else:
        yield Found("WRONG", "letter", f"to {to}: came, and no header shows where it was sent", _NO_PLUS)


_NO_PLUS = "letters to ADDRESS+anything must come into the mailbox: look for plus-addressing, or among the unwanted"


def _arrived(boxes: Sequence[ImapMailbox], before: Sequence[int], message_id: str) -> bytes | None:
    """The letter, if it came since into the inbox, from which it is then moved, or was moved already by the daemon."""
    for box, last in zip(boxes, before, strict=True):
        for letter in box.fetch_new(last):
            if message_id.encode("ascii") in letter.raw:
                if box is boxes[0]:
                    box.move([letter.uid], box.settings.processed)
                return letter.raw
    return None


def policy(read: Settings, resolver: Resolver | None, selector: str) -> Iterator[Found]:
    """What the domain publishes of its mail: without it, what we send ends among the unwanted."""
    if resolver is None:
        yield Found("not checked", "DNS", "SPF, DKIM and DMARC: no resolver named", "pbem doctor --resolver ADDRESS")
        return
    domain = read.server.domain
    yield from _mail_record(resolver, "SPF", domain, "v=spf1", f'a TXT record of {domain}, such as "v=spf1 mx -all"')
    if selector:
        name = f"{selector}._domainkey.{domain}"
        yield from _mail_record(
            resolver, "DKIM", name, "p=", f"the mail server signs, and its key is a TXT record of {name}"
        )
    else:
        todo = "pbem doctor --resolver ADDRESS --dkim SELECTOR; s= in a DKIM-Signature of yours says which"
        yield Found("not checked", "DKIM", "no selector named", todo)
    want = f'a TXT record of _dmarc.{domain}, such as "v=DMARC1; p=none"'
    yield from _mail_record(resolver, "DMARC", f"_dmarc.{domain}", "v=DMARC1", want)


def _mail_record(resolver: Resolver, area: str, name: str, mark: str, want: str) -> Iterator[Found]:
    try:
        found = [record for record in txt(resolver, name) if mark.lower() in record.lower()]
    except NoAnswer as silent:
        yield Found("not checked", area, str(silent), "name a resolver that answers this machine")
        return
    if not found:
        yield Found("WRONG", area, f"{name} has none", f"ask whoever runs the domain for {want}")
    elif len(found) > 1 and area != "DKIM":
        yield Found("WRONG", area, f"{name} has {len(found)} of them, so that none counts", "leave one")
    else:
        yield Found("ok", area, f"{name}: {found[0][:90]}")


def _way(said: str, ways: tuple[tuple[str, str], ...], otherwise: str) -> str:
    return next((todo for mark, todo in ways if mark in said), otherwise)


# The examination of a server: everything that it needs, looked at once.


LIFELESS = timedelta(minutes=5)
"""After so long without a heartbeat a daemon is taken for dead: a burst of letters keeps a healthy one busy."""


def examine(
    config: Path, read: Settings, resolver: Resolver | None, selector: str = "", letter: bool = False
) -> Iterator[Found]:
    """Look at one thing after the other, those on this machine first; with `letter` one is sent to ourselves."""
    where = config if config.is_file() else f"there is no {config}; the environment alone"
    yield Found("ok", "settings", f"{where} is complete")
    yield from checks_server.key(read)
    yield from checks_server.modes(config, read)
    yield from checks_server.folder(read)
    yield from checks_server.database(read)
    yield from checks_server.log(read)
    now = checks_server.moment(read)
    numbers = None if now is None else checks_server.health_of(read, now)
    yield from checks_server.clock(read, numbers)
    yield from checks_server.daemon(read, numbers)
    yield from checks_server.wording(read)
    yield from checks_server.outside()
    yield from checks_server.deserted(read)
    yield from checks_server.extras(read)
    yield from checks_server.start(read)
    yield from checks_server.pictures()
    yield from checks_server.paper()
    if now is not None:
        yield from relays(read, now)
        yield from late(numbers, read.beacon.late, now)
    yield from mailbox(read)
    yield from way_out(read)
    if letter:
        yield from round_trip(read)
    yield from policy(read, resolver, selector)


def pulse(read: Settings) -> Iterator[Found]:
    """Whether `pbem serve` is alive, by what it wrote down last: nothing is opened, nobody is asked."""
    now, beat = checks_server.moment(read), read_beat(read.server.data / HEARTBEAT)
    if now is None or beat is None or now - beat.at > LIFELESS:
        last = "was never seen" if beat is None else f"was last seen at {beat.at:%Y-%m-%d %H:%M:%S} UTC"
        yield Found("WRONG", "daemon", f"pbem serve {last}", "look at its log, and start it again")
        return
    yield Found("ok", "daemon", f"runs as process {beat.pid}")
    for word in beat.troubles:
        # A server that is alive is not mended by being started again.
        yield Found("mind", word, SENTENCES.get(word, word))


def resolver_of(text: str) -> Resolver | None:
    """HOST, HOST:PORT or [HOST]:PORT of a resolver; Stop if it is none."""
    if not text:
        return None
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host and not host.startswith("[")):
        return Resolver(text.strip("[]"))
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise Stop(f"a resolver is HOST or HOST:PORT, got {text!r}")
    return Resolver(host.strip("[]"), int(port))
