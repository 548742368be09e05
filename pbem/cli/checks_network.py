"""Check the network for `pbem doctor`: relays, mailbox, way out, domain records.

Each relay is tried with a round that came out a minute ago.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.parser import BytesHeaderParser
from email.utils import parsedate_to_datetime
from pathlib import Path

from pbem.audit import beacon
from pbem.audit.beacon import QUICKNET, Beacon, VerifyRound, first_round_from, parse_info
from pbem.audit.blocks import Malformed
from pbem.cli import checks_local, checks_server
from pbem.cli.alerts import FULL, HEARTBEAT, SENTENCES, read_heartbeat
from pbem.cli.checks_server import CheckResult
from pbem.cli.exit_codes import CommandError
from pbem.cli.mail_servers import imap_settings, smtp_settings
from pbem.cli.settings import Settings
from pbem.cli.web import Get, fetch_round_from_relays, get_round
from pbem.mail.dns import NoAnswer, Resolver, read_txt, system_resolver
from pbem.mail.imap import ImapMailbox, MailboxDown
from pbem.mail.outbound import OutgoingLetter, compose
from pbem.mail.smtp import Envelope, probe_server, send_all
from pbem.server.health import Health
from pbem.server.mailbox_lock import MailboxLock

ROUND_AGO = 60
"""How many seconds ago the round came out with which relays are tried: twenty rounds, so that a slow relay, or a clock
that is fast by some seconds, does not count as wrong."""

_OTHER_RELAYS = "name other relays under [beacon] in the settings, run by different people; none of them is believed"


def check_relays(
    settings: Settings, now: datetime, get: Get = get_round, check: VerifyRound = beacon.verify_round
) -> Iterator[CheckResult]:
    """Check that each relay has the public chain and a recent signed round.

    The chain is known by its hash.
    """
    named = settings.beacon.relays
    if not named:
        yield CheckResult("ok", "beacon", "no relay is named: no game waits for the beacon")
        return
    _, number = recent_round(now)
    results = [(relay, _fault_of_relay(relay, QUICKNET, number, get, check)) for relay in named]
    sound_count = sum(not fault for _, fault in results)
    for relay, fault in results:
        if fault == _NO_LIBRARY:
            yield CheckResult(
                "WRONG", "beacon", f"{relay}: {fault}", 'install "pbem[beacon]": no round can be checked without'
            )
        elif fault:
            todo = _OTHER_RELAYS if sound_count else f"dice wait as long as no relay answers: {_OTHER_RELAYS}"
            yield CheckResult("mind" if sound_count else "WRONG", "beacon", f"{relay}: {fault}", todo)
        else:
            # Eight digits of a hash are enough for a reader to tell two chains apart.
            yield CheckResult("ok", "beacon", f"{relay}: round {number}, signed by the chain {QUICKNET.hash[:8]}")


def recent_round(now: datetime) -> tuple[Beacon, int]:
    """Return the round that relays are tried with."""
    return QUICKNET, first_round_from(QUICKNET, int(now.timestamp()) - ROUND_AGO)


_NO_LIBRARY = "no library to check with"


def _fault_of_relay(relay: str, chain: Beacon, number: int, get: Get, check: VerifyRound) -> str:
    """Return the fault of a relay, or ""."""
    try:
        told_chain = parse_info(get(f"{relay.rstrip('/')}/{chain.hash}/info"))
    except (OSError, Malformed) as wrong:
        return f"it does not tell the chain {chain.hash[:8]}: {wrong}"
    if told_chain != chain:
        return f"it tells the chain {told_chain.hash[:8]}, not {chain.hash[:8]}"
    fetched = fetch_round_from_relays([relay], chain, number, get, check)
    return "" if fetched.signature else fetched.reasons[-1].removeprefix(f"{relay}: ")


def check_late_rounds(state: Health | None, hours: int, now: datetime) -> Iterator[CheckResult]:
    """Check for overdue rounds for which dice wait."""
    if state is None or state.waited is None:
        return
    problem = (
        f"dice wait for {state.rounds} rounds that should be out, the first since {state.waited:%Y-%m-%d %H:%M:%S} UTC"
    )
    wrong = (now - state.waited).total_seconds() > 3600 * hours
    yield CheckResult(
        "WRONG" if wrong else "mind", "beacon", problem, "nothing is lost; see the relays, and the log of pbem serve"
    )


_ROUND_TRIP_SECONDS = 60.0
"""Seconds that a letter to ourselves may take: providers deliver in seconds, and somebody watches `pbem doctor`
wait."""
_SHOWING = ("Delivered-To", "X-Original-To", "Envelope-To", "X-Delivered-To", "To")
"""Headers that may show the address to which a letter was sent."""

_SKEW = timedelta(minutes=2)
"""How far the mail server's clock may differ from ours: as far as a witness's (`grades.SLACK`)."""
# The date that servers such as Exim put into their greeting; without an offset it could not be compared with ours.
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


def check_mailbox(settings: Settings) -> Iterator[CheckResult]:
    """Check that the mailbox accepts our login, and what its server can do."""
    account = f"{settings.imap.user} at {settings.imap.host}:{settings.imap.port}"
    try:
        imap_mailbox = ImapMailbox(imap_settings(settings))
    except CommandError as wrong:
        yield CheckResult("WRONG", "mailbox", str(wrong), "look at imap.ca and at [oauth]")
        return
    with closing(imap_mailbox):
        try:
            imap_mailbox.connect()
            waiting, abilities, prefix = len(imap_mailbox.new_uids()), imap_mailbox.abilities, imap_mailbox.prefix
            others = MailboxLock(settings.server.claim_file, imap_mailbox).others()
            fullness = imap_mailbox.fullness()
        except MailboxDown as down:
            todo = _advice(
                str(down), _IMAP_WAYS, "look at imap.host and imap.port, and whether this machine may go there"
            )
            yield CheckResult("WRONG", "mailbox", f"{account}: {down}", todo)
            return
    if settings.imap.security == "none":
        yield CheckResult("ok", "mailbox", f"{account}: {waiting} letters wait; no TLS, on this machine alone")
    else:
        yield CheckResult("ok", "mailbox", f"{account}: {waiting} letters wait")
    if prefix:
        named = f"{prefix}{settings.imap.processed} and {prefix}{settings.imap.poison}"
        yield CheckResult("ok", "mailbox", f"folders lie below {prefix} here: {named}; the settings need not say so")
    if fullness is not None and fullness >= FULL:
        problem = f"{account}: {fullness:.0%} of its room is used; when all is, letters of players are refused"
        yield CheckResult(
            "WRONG", "mailbox", problem, f"delete old letters in {settings.imap.processed}, or give it more room"
        )
    if others:
        problem = f"{account}: another server takes its letters; its claim is the folder {', '.join(others)}"
        yield CheckResult("WRONG", "mailbox", problem, "stop the other server; if there is none: pbem mail claim")
    lacking = [name for name in ("MOVE", "UIDPLUS", "IDLE") if name not in abilities]
    if "IDLE" in lacking:
        yield CheckResult(
            "mind", "mailbox", f"no IDLE: letters are found every {settings.imap.poll:.0f} s", "nothing; imap.poll"
        )
    if {"MOVE", "UIDPLUS"} <= set(lacking):
        todo = "nothing; letters done are marked as deleted, and go when nobody else has marked any"
        yield CheckResult("mind", "mailbox", "neither MOVE nor UIDPLUS", todo)


def check_outgoing_server(settings: Settings) -> Iterator[CheckResult]:
    """Check that the outgoing server accepts our login; check its clock by greeting."""
    address = f"{settings.smtp.host}:{settings.smtp.port}"
    try:
        reply = asyncio.run(probe_server(smtp_settings(settings)))
    except CommandError as wrong:
        yield CheckResult("WRONG", "way out", str(wrong), "look at smtp.ca and at [oauth]")
        return
    if reply.verdict != "sent":
        reply_text = f"{reply.code or ''} {reply.text}".strip()
        todo = _advice(reply_text, _SMTP_WAYS, "look at smtp.host and smtp.port, and whether this machine may go there")
        yield CheckResult("WRONG", "way out", f"{address}: {reply_text}", todo)
        return
    yield CheckResult("ok", "way out", f"{address}: {reply.text.splitlines()[0] if reply.text else 'ready'}")
    greeting_date = _DATE.search(reply.text)
    with suppress(ValueError):
        # Another machine's clock, to hold the system's own against: a clock in a file is of no interest here.
        skew = abs(parsedate_to_datetime(greeting_date[0]) - datetime.now(UTC)) if greeting_date else timedelta()
        if skew > _SKEW:
            problem = f"the mail server's clock and ours differ by {int(skew.total_seconds())} s"
            yield CheckResult("WRONG", "clock", problem, "set the clock (timedatectl set-ntp true): deadlines go by it")


def check_round_trip(settings: Settings, patience: float = _ROUND_TRIP_SECONDS) -> Iterator[CheckResult]:
    """Check that a letter to one of our plus-addresses comes back.

    It must still show the address to which it was sent.
    """
    token = secrets.token_hex(5)
    recipient = f"{settings.server.local}+doctor-{token}@{settings.server.domain}"
    letter = OutgoingLetter(
        message_id=f"<doctor.{token}@{settings.server.domain}>",
        sender=settings.server.address,
        recipient=recipient,
        subject="A letter of pbem doctor to itself",
        text="It may be thrown away.\n",
        date=datetime.now(UTC),
        # By these two signs the daemon knows a letter of its own and leaves it unanswered.
        auto_submitted="auto-generated",
        loop=settings.server.address,
    )
    try:
        smtp = smtp_settings(settings)
        with _opened_way_in(settings, letter.message_id) as find:
            (sent,) = asyncio.run(send_all(smtp, [Envelope(settings.server.address, recipient, compose(letter))]))
            if sent.verdict != "sent":
                yield CheckResult("WRONG", "letter", f"to {recipient}: {sent.code or ''} {sent.text}", _NO_PLUS)
                return
            start = time.monotonic()
            while (raw := find()) is None:
                if time.monotonic() - start > patience:
                    yield CheckResult(
                        "WRONG", "letter", f"to {recipient}: did not come within {patience:.0f} s", _NO_PLUS
                    )
                    return
    except (CommandError, MailboxDown) as wrong:
        # The checks before this one say what to do about it.
        yield CheckResult("WRONG", "letter", str(wrong), "see above")
        return
    seconds = time.monotonic() - start
    head = BytesHeaderParser().parsebytes(raw)
    headers_shown = [
        name for name in _SHOWING if any(recipient.casefold() in value.casefold() for value in head.get_all(name, ()))
    ]
    if headers_shown:
        yield CheckResult(
            "ok", "letter", f"to {recipient}: came after {seconds:.0f} s, shown by {', '.join(headers_shown)}"
        )
    else:
        yield CheckResult("WRONG", "letter", f"to {recipient}: came, and no header shows where it was sent", _NO_PLUS)


@contextmanager
def _opened_way_in(settings: Settings, message_id: str) -> Iterator[Callable[[], bytes | None]]:
    """Yield a function that waits a second for a letter and returns it, or None."""
    if settings.mail.way_in != "imap":
        yield lambda: checks_local.find_taken(settings, message_id)
        return
    imap = imap_settings(settings)
    boxes = [ImapMailbox(imap), ImapMailbox(replace(imap, folder=imap.processed))]
    with ExitStack() as stack:
        for box in boxes:
            stack.enter_context(closing(box))
        for box in reversed(boxes):
            box.connect()
        before = [max(box.new_uids(), default=0) for box in boxes]

        def find() -> bytes | None:
            if (raw := _find_arrived(boxes, before, message_id)) is None:
                boxes[0].wait(1)
            return raw

        yield find


_NO_PLUS = "letters to ADDRESS+anything must come into the mailbox: look for plus-addressing, or among the unwanted"


def _find_arrived(boxes: Sequence[ImapMailbox], before: Sequence[int], message_id: str) -> bytes | None:
    """Return the letter if it came since, or None.

    It is moved out of the inbox, if the daemon has not moved it already.
    """
    for box, last in zip(boxes, before, strict=True):
        for letter in box.fetch_new(last):
            if message_id.encode("ascii") in letter.raw:
                if box is boxes[0]:
                    box.move([letter.uid], box.settings.processed)
                return letter.raw
    return None


# Names for special use: RFC 2606, 6761, 6762 and 8375; `internal` is reserved too, and `lan` nobody's.
_NOT_PUBLIC = re.compile(
    r"(^|\.)(example(\.(com|net|org))?|test|invalid|localhost|local|lan|internal|home\.arpa)$", re.IGNORECASE
)


def check_domain_records(settings: Settings, resolver: Resolver | None, selector: str) -> Iterator[CheckResult]:
    """Check the mail records of the domain by a resolver, None for this machine's.

    Without them, providers put our letters into the spam folder.
    """
    domain = settings.server.domain
    if resolver is None and _NOT_PUBLIC.search(domain):
        yield CheckResult("not checked", "DNS", f"SPF, DKIM and DMARC: {domain} is no name of the public DNS")
        return
    resolver = resolver or system_resolver()
    if resolver is None:
        problem = "SPF, DKIM and DMARC: this machine names no resolver (/etc/resolv.conf)"
        yield CheckResult("not checked", "DNS", problem, "pbem doctor --resolver ADDRESS")
        return
    yield from _mail_record(resolver, "SPF", domain, "v=spf1", f'a TXT record of {domain}, such as "v=spf1 mx -all"')
    if selector:
        name = f"{selector}._domainkey.{domain}"
        yield from _mail_record(
            resolver, "DKIM", name, "p=", f"the mail server signs, and its key is a TXT record of {name}"
        )
    else:
        todo = "pbem doctor --dkim SELECTOR; s= in a DKIM-Signature of yours says which"
        yield CheckResult("not checked", "DKIM", "no selector named", todo)
    want = f'a TXT record of _dmarc.{domain}, such as "v=DMARC1; p=none"'
    yield from _mail_record(resolver, "DMARC", f"_dmarc.{domain}", "v=DMARC1", want)


def _mail_record(resolver: Resolver, area: str, name: str, mark: str, want: str) -> Iterator[CheckResult]:
    try:
        records = [record for record in read_txt(resolver, name) if mark.lower() in record.lower()]
    except NoAnswer as silent:
        yield CheckResult("not checked", area, str(silent), "name a resolver that answers this machine")
        return
    if not records:
        yield CheckResult("WRONG", area, f"{name} has none", f"ask whoever runs the domain for {want}")
    elif len(records) > 1 and area != "DKIM":
        yield CheckResult("WRONG", area, f"{name} has {len(records)} of them, so that none counts", "leave one")
    else:
        # A choice: a finding is about a line, and the long keys of DKIM say nothing to a reader.
        yield CheckResult("ok", area, f"{name}: {records[0][:90]}")


def _advice(reply_text: str, ways: tuple[tuple[str, str], ...], otherwise: str) -> str:
    return next((todo for mark, todo in ways if mark in reply_text), otherwise)


# The examination of a server: everything that it needs, looked at once.


LIFELESS = timedelta(minutes=5)
"""Age of a heartbeat from which on a daemon counts as dead. It beats every ten seconds, but a burst of letters keeps a
healthy one busy for minutes."""


def run_all_checks(
    config: Path, settings: Settings, resolver: Resolver | None, selector: str = "", letter: bool = False
) -> Iterator[CheckResult]:
    """Check everything in turn, this machine first; with `letter` also by a letter."""
    source = str(config) if config.is_file() else f"there is no {config}; the environment alone"
    yield checks_server.examples(settings, source)
    yield from checks_server.check_secret(settings)
    yield from checks_server.check_file_modes(config, settings)
    yield from checks_server.check_data_folder(settings)
    yield from checks_server.check_database(settings)
    yield from checks_server.check_log(settings)
    now = checks_server.read_clock(settings)
    numbers = None if now is None else checks_server.health_of(settings, now)
    yield from checks_server.check_clock(settings, numbers)
    yield from checks_server.check_daemon(settings, numbers)
    yield from checks_server.check_wording(settings)
    yield from checks_server.check_installed_games()
    yield from checks_server.check_orphaned_games(settings)
    yield from checks_server.check_installed_extras(settings)
    yield from checks_server.check_start(settings)
    yield from checks_server.check_pictures()
    yield from checks_server.check_printing()
    if now is not None:
        yield from check_relays(settings, now)
        yield from check_late_rounds(numbers, settings.beacon.late, now)
    by_mailbox = settings.mail.way_in == "imap"
    yield from check_mailbox(settings) if by_mailbox else checks_local.check_way_in(settings)
    yield from check_outgoing_server(settings)
    if letter:
        yield from check_round_trip(settings)
    yield from check_domain_records(settings, resolver, selector)


def check_heartbeat(settings: Settings) -> Iterator[CheckResult]:
    """Check that `pbem serve` is alive by its last heartbeat alone."""
    now, beat = checks_server.read_clock(settings), read_heartbeat(settings.server.data / HEARTBEAT)
    if now is None or beat is None or now - beat.at > LIFELESS:
        last = "was never seen" if beat is None else f"was last seen at {beat.at:%Y-%m-%d %H:%M:%S} UTC"
        yield CheckResult("WRONG", "daemon", f"pbem serve {last}", "look at its log, and start it again")
        return
    yield CheckResult("ok", "daemon", f"runs as process {beat.pid}")
    for word in beat.troubles:
        # A server that is alive is not mended by being started again.
        yield CheckResult("mind", word, SENTENCES.get(word, word))


def resolver_of(text: str) -> Resolver | None:
    """Parse HOST, HOST:PORT or [HOST]:PORT of a resolver; raise CommandError."""
    if not text:
        return None
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host and not host.startswith("[")):
        return Resolver(text.strip("[]"))
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise CommandError(f"a resolver is HOST or HOST:PORT, got {text!r}")
    return Resolver(host.strip("[]"), int(port))
