"""Places that read letters: the letter that each gets, made of one text, and how it is read there."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple, cast

import structlog
from dkim.canonicalization import Relaxed
from sqlmodel import select

from pbem.audit import bundle
from pbem.audit.witness import WITNESS_FILE
from pbem.cli.output import letter_text
from pbem.cli.rulebooks import game_by_name
from pbem.cli.witness_cosigner import Cosigner, MailServers, open_witness_home
from pbem.data import data
from pbem.letters.text import TextLetters
from pbem.log import witnesses
from pbem.mail.html import SENTINEL
from pbem.mail.imap import FetchedLetter, WaitingLetter
from pbem.mail.smtp import SmtpReply
from pbem.play.rulings import appointment
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server
from pbem.server import service
from pbem.server.intake import ReceivedLetter
from pbem.server.mailbox_poller import MOST_ENDED_RUNS, Backlog, PoisonLetterGuard, run_inline
from pbem.server.outbox_sender import ignore_point
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from pbem.verifier.mailbox import letters_in_file
from pbem.verifier.verification import verify_letters
from tests.harness.battle import ANA, PlayedBattle, open_battle_server
from tests.harness.server import changed, open_server
from tests.harness.teams import TEAMS, form, member
from tests.harness.tournament import CUP, DIRECTOR, PlayedTournament, names
from tests.harness.war import PlayedWar

PENINSULAR = ("british", "french")
MODERATOR, EVE, FRIEND = "mo@rulings.example", "eve@elsewhere.example", "friend@example.net"
CAPTAIN, MEMBER = member("Reds", 1), member("Reds", 2)
ENTRANT = names(1)[0]
LADDER = CUP.replace('format = "swiss"\nrounds = 3', 'format = "ladder"\nrounds = 4\nreach = 3')
_NUMBERS = count(1)
MX = "mx.games.example"
KEY = (
    "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDwIRP/UC3SBsEmGqZ9ZJW3/DkMoGeLnQg1fWn7/zYtIxN2SnFCjxOCKG9v"
    "3b4jYfcTNh5ijSsq631uBItLa7od+v/RtdC2UzJ1lWT947qR+Rcac2gbto/NMqJ0fzfVjH4OuKhitdY9tf6mcwGjaNBcWToIMmPSPDdQPNUYckcQ2QIDA"
    "QAB"
)
PLAIN, PAGE = "Content-Type: text/plain; charset=utf-8", "Content-Type: text/html; charset=utf-8"
PARTS = "Content-Type: multipart/mixed; boundary=b"
REPORT = "Content-Type: multipart/report; report-type=delivery-status; boundary=b"


class House(NamedTuple):
    """A server's folder, the addresses that letters may be written to, and how a copy of the folder is served."""

    folder: Path
    addresses: Mapping[str, str]
    serve: Callable[[Path], Server]


class Read(NamedTuple):
    """What came of a letter, and how many characters or octets were made of it."""

    outcome: str
    answer: int = 0


def delivered(server: Server, raw: bytes) -> Read:
    """A letter that came by mail."""
    done = service.deliver(server, raw)
    return Read(f"{done.verdict}: {done.outcome}", sum(map(len, done.answers)))


class Place(NamedTuple):
    """A place that reads letters: the game it is in, a letter to it made of a text, and how it is read.

    What has to happen before that is no part of its cost.
    """

    game: str
    letter: Callable[[House, str], bytes]
    read: Callable[[Server, bytes], Read] = delivered
    before: Callable[[Server, bytes], object] = lambda server, raw: None


@contextmanager
def opened(game: str) -> Iterator[House]:
    """A game in its first phase with a moderator; the one that is ``witnessed`` has been given a witness."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if game == "tournament":
            yield _tournaments(folder)
            return
        if game == "camp":
            table: PlayedBattle = PlayedWar(folder)
            cast(PlayedWar, table).confirmed("morocco", "CONCEDE")
        elif game == "peninsular":
            table = PlayedBattle(folder, "barrosa", game=game, seats=PENINSULAR)
        else:
            table = PlayedBattle(folder, terms=Terms(beacon="quicknet" if game == "witnessed" else "none"))
        serve = partial(open_battle_server, clock=table.clock, secrets=table.secrets)
        if game == "camp":
            table.server.engine.dispose()
            yield House(folder, table.addresses, serve)
            return
        more = {"server": table.server.address}
        with table.server.work() as work:
            more["moderator"] = appointment.appoint(work, appointment.Appointment("g1", MODERATOR))
            if game == "witnessed":
                row = witnesses.appoint(work, work.session.get_one(tables.Game, "g1"), FRIEND, None, "en")
                more["witness"] = table.server.witness_address(row)
            more["sender"] = work.session.exec(select(tables.Outbox.envelope_sender)).first() or ""
        table.server.engine.dispose()
        yield House(folder, {**table.addresses, **more}, serve)


def _tournaments(folder: Path) -> House:
    """Open a tournament of teams that is entered and a ladder that is played, on one server."""
    teams = PlayedTournament(folder, TEAMS)
    form(teams, "Reds", "Blues")
    ladder = PlayedTournament.beside(teams, LADDER, "cup61")
    ladder.fill(4)
    ladder.until("playing", 1)
    addresses = {
        "captain": teams.address(CAPTAIN),
        "member": teams.address(MEMBER),
        "entrant": ladder.address(ENTRANT),
        "director": ladder.opened.director_address(ladder.event),
        "server": ladder.opened.address,
    }
    teams.server.engine.dispose()

    def serve(folder: Path) -> Server:
        return open_server(folder, TextLetters(SENTINEL), clock=ladder.clock, games=game_by_name)

    return House(folder, addresses, serve)


# Letters


def _headed(house: House, to: str, who: str, *fields: str) -> bytes:
    lines = (
        f"From: {who}",
        f"To: {to}",
        "Subject: x",
        f"Message-ID: <{next(_NUMBERS)}@players.example>",
        "MIME-Version: 1.0",
        "Content-Transfer-Encoding: 8bit",
        *fields,
    )
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace")


def plain(
    to: str, who: str = ANA, head: str = "", tail: str = "", fields: tuple[str, ...] = ()
) -> Callable[[House, str], bytes]:
    """Letters of text alone, between a beginning and an end that are always there."""

    def letter(house: House, text: str) -> bytes:
        body = f"{head}{text}{tail}".replace("\r", "").replace("\n", "\r\n")
        return _headed(house, house.addresses[to], who, PLAIN, *fields) + body.encode("utf-8", "replace")

    return letter


def bare(to: str, content: str, who: str = ANA, head: str = "") -> Callable[[House, str], bytes]:
    """Letters whose body comes as it is, below what the header says of it."""

    def letter(house: House, text: str) -> bytes:
        return _headed(house, house.addresses[to], who, content) + f"{head}{text}".encode("utf-8", "replace")

    return letter


def named(content: str) -> Callable[[House, str], bytes]:
    """Letters to the server whose text names the address of a seat: they are read once to find it, and once for it."""

    def letter(house: House, text: str) -> bytes:
        body = f"{house.addresses['spain']}\r\n{text}".encode("utf-8", "replace")
        return _headed(house, house.addresses["server"], ANA, content) + body

    return letter


def header(house: House, text: str) -> bytes:
    """The text in the header."""
    return _headed(house, house.addresses["spain"], ANA, PLAIN)[:-2] + text.encode("utf-8", "replace") + b"\r\n\r\nx"


def vouched(house: House, text: str) -> bytes:
    """The text in what the provider found out."""
    return _headed(house, house.addresses["spain"], ANA, PLAIN, f"Authentication-Results: {MX}; {_line(text)}") + b"x"


def _line(text: str) -> str:
    return " ".join(text[:60_000].split())


def signed(house: House, text: str) -> bytes:
    """The text below two signatures, the first of which is of this body."""
    raw = plain("spain")(house, text)
    head, _, body = raw.partition(b"\r\n\r\n")
    # What the library takes minutes for is not signed here either.
    whole = Relaxed.canonicalize_body(body[:900_000]) if not re.search(rb"[ \t]{300}", body) else b""
    mark = base64.b64encode(hashlib.sha256(whole).digest()).decode()
    fields = [_signature("from:to:subject", mark), _signature("from", mark)]
    return "".join(fields).encode() + head + b"\r\n\r\n" + body[:900_000]


def signed_names(house: House, text: str) -> bytes:
    """The text as the list of what is signed, and in the header beside it."""
    mark = base64.b64encode(hashlib.sha256(b"x\r\n").digest()).decode()
    names = ":".join(("from", *text.encode("ascii", "ignore").decode().split()))[:30_000]
    return (_signature(names, mark) * 2).encode() + header(house, text).replace(b"\r\n\r\nx", b"\r\n\r\nx\r\n")


def _signature(names: str, mark: str) -> str:
    tags = f"v=1; a=rsa-sha256; d=players.example; s=k; c=relaxed/relaxed; h={names}; bh={mark}; b=AAAA"
    return f"DKIM-Signature: {tags}\r\n"


def attached(to: str, who: str, name: str) -> Callable[[House, str], bytes]:
    """Letters to which the text is attached as a file."""
    part = f'--b\r\nContent-Type: text/plain; name={name}\r\nContent-Disposition: attachment; filename="{name}"\r\n\r\n'
    return bare(to, PARTS, who, part)


def to_friend(house: House, text: str) -> bytes:
    """A letter of the server to a witness."""
    fields = (PARTS, "Reply-To: pbem+g1-witness-abcdefghijklmnop@games.example")
    part = f'--b\r\nContent-Disposition: attachment; filename="{WITNESS_FILE}"\r\n\r\n'
    return _headed(house, FRIEND, "pbem@games.example", *fields) + f"{part}{text}".encode("utf-8", "replace")


# How they are read


def examined(server: Server, raw: bytes) -> Read:
    """By a server that looks at signatures, and at what its provider found."""
    known = {MX: changed(server, authserv_id=MX)}.get(MX if b"Authentication-Results" in raw[:2_000] else "")
    return delivered(known or changed(server, txt=lambda name: KEY), raw)


def by_hand(server: Server, raw: bytes) -> Read:
    """As `pbem mail deliver` does: what closes by the letter is resolved, and the answers are shown."""
    with redirect_stdout(io.StringIO()) as shown:
        done = service.deliver(server, raw)
        run_due_jobs(server)
        for answer in done.answers:
            print(letter_text(answer))
    return Read(f"{done.verdict}: {done.outcome}", len(shown.getvalue()))


def again(server: Server, raw: bytes) -> Read:
    """As `pbem mail retake` does."""
    done = service.reread_refused_letters(server, "g1")
    return Read(f"again: {len(done)}")


def aside(server: Server, raw: bytes) -> Read:
    """As a letter is set aside that ended the server twice."""
    received = ReceivedLetter("me@mx", "INBOX", 1, 1, server.clock.now(), raw)
    for _ in range(MOST_ENDED_RUNS):
        PoisonLetterGuard(server, lambda: True, run_inline, ignore_point).begin(received)
    third = PoisonLetterGuard(server, lambda: True, run_inline, ignore_point)
    third.begin(received)
    return Read(f"aside: {third.set_aside(received, None).outcome}")


def looked_through(server: Server, raw: bytes) -> Read:
    """As the mailbox is looked through: by the fields that say whom a letter is for."""
    backlog = Backlog(server.own)
    fields = raw.partition(b"Content-Transfer-Encoding: 8bit\r\n")[2].replace(b"\n", b"\nTo: ")
    backlog.add([WaitingLetter(1, len(raw), server.clock.now(), fields)], server.clock.now())
    return Read(f"waits: {len(backlog.batch())}")


class _Mailbox:
    """A witness's mailbox with one letter."""

    uidvalidity, is_connected = 1, True

    def __init__(self, letter: FetchedLetter) -> None:
        self.letter = letter

    def connect(self) -> None: ...

    def new_uids(self, after_uid: int = 0) -> list[int]:
        return [self.letter.uid]

    def fetch_new(self, after_uid: int) -> list[FetchedLetter]:
        return [self.letter]

    def wait(self, seconds: float) -> bool:
        return False


def at_friend(server: Server, raw: bytes) -> Read:
    """By a witness, on his own machine."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "witness.toml")
        path.write_text(data("config", "witness.toml").read_text().replace("pbem@example.org", "pbem@games.example"))
        Path(name, "witness.key").write_text("77" * 32)
        Path(name, "witness.key").chmod(0o600)
        mailbox = _Mailbox(FetchedLetter(1, 1, server.clock.now(), raw, len(raw)))
        post = MailServers(mailbox, lambda letters: [SmtpReply(250, "", "sent", "data") for _ in letters])
        step = Cosigner(open_witness_home(path), post, server.clock, structlog.get_logger()).step()
    return Read(f"friend: {step.answered}{step.down}")


def verified(server: Server, raw: bytes) -> Read:
    """By a player who verifies a mailbox that holds it."""
    letters = [*letters_in_file("x.eml", raw)]
    return Read(f"verified: {len(letters)} {verify_letters(letters).code}")


_DICE = f"--b\r\nContent-Disposition: attachment; filename={bundle.BUNDLE_FILE}\r\n\r\n"

PLACES: Mapping[str, Place] = {
    "commands": Place("africa1860", plain("spain")),
    "reply": Place("africa1860", plain("spain", fields=("In-Reply-To: <x@games.example>",))),
    "orders": Place("africa1860", plain("spain", head="ORDERS T1\n", tail="\nEND\n")),
    "orders, peninsular": Place("peninsular", plain("british", head="ORDERS T1\n", tail="\nEND\n")),
    "verify": Place("africa1860", plain("spain", head="VERIFY T1\n", tail="\nEND\n")),
    "verify, peninsular": Place("peninsular", plain("british", head="VERIFY T1\n", tail="\nEND\n")),
    "later": Place("africa1860", plain("spain", head="LATER T3\n", tail="\nEND\n")),
    "later, peninsular": Place("peninsular", plain("british", head="LATER T3\n", tail="\nEND\n")),
    "standing": Place("africa1860", plain("spain", head="STANDING ALL\n", tail="\nENDSTANDING\n")),
    "standing, peninsular": Place("peninsular", plain("british", head="STANDING ALL\n", tail="\nENDSTANDING\n")),
    "odds": Place("africa1860", plain("spain", head="ODDS ")),
    "odds, peninsular": Place("peninsular", plain("british", head="ODDS ")),
    "trial": Place("africa1860", plain("spain", head="TEST STANDING ")),
    "why": Place("peninsular", plain("british", head="WHY #")),
    "press": Place("africa1860", plain("spain", head="PRESS TO ALL\n", tail="\nENDPRESS\n")),
    "say": Place("africa1860", plain("spain", head="SAY ")),
    "page": Place("africa1860", bare("spain", PAGE)),
    "parts": Place("africa1860", bare("spain", PARTS)),
    "header": Place("africa1860", header),
    "provider": Place("africa1860", vouched, examined),
    "signed": Place("africa1860", signed, examined),
    "signed header": Place("africa1860", signed_names, examined),
    "seat named": Place("africa1860", named(PLAIN)),
    "seat named, page": Place("africa1860", named(PAGE)),
    "visitor": Place("africa1860", plain("server", EVE)),
    "visitor, LIST": Place("africa1860", plain("server", EVE, "LIST ")),
    "visitor, JOIN": Place("africa1860", plain("server", EVE, "JOIN g1 ")),
    "visitor, HELP": Place("africa1860", plain("server", EVE, "HELP ")),
    "visitor, OBSERVE": Place("africa1860", plain("server", EVE, "OBSERVE g1 ")),
    "visitor, SEEK": Place("africa1860", plain("server", EVE, "SEEK ")),
    "visitor, PLAY": Place("africa1860", plain("server", EVE, "PLAY ")),
    "visitor, page": Place("africa1860", bare("server", PAGE, EVE)),
    "player elsewhere": Place("africa1860", plain("server", ANA)),
    "moderator": Place("africa1860", plain("moderator", MODERATOR)),
    "moderator, ruling": Place("africa1860", plain("moderator", MODERATOR, "EXTEND 1h BECAUSE ")),
    "moderator, page": Place("africa1860", bare("moderator", PAGE, MODERATOR)),
    "camp": Place("camp", plain("spain")),
    "camp, orders": Place("camp", plain("spain", head="ORDERS T1\n", tail="\nEND\n")),
    "camp, page": Place("camp", bare("spain", PAGE)),
    "entrant": Place("tournament", plain("entrant", ENTRANT)),
    "entrant, CHALLENGE": Place("tournament", plain("entrant", ENTRANT, "CHALLENGE ")),
    "entrant, page": Place("tournament", bare("entrant", PAGE, ENTRANT)),
    "captain": Place("tournament", plain("captain", CAPTAIN)),
    "captain, LINEUP": Place("tournament", plain("captain", CAPTAIN, "LINEUP ")),
    "team's member": Place("tournament", plain("member", MEMBER)),
    "director": Place("tournament", plain("director", DIRECTOR)),
    "director, ruling": Place("tournament", plain("director", DIRECTOR, "EXTEND R1 48h BECAUSE ")),
    "director, page": Place("tournament", bare("director", PAGE, DIRECTOR)),
    "visitor, JOIN a team": Place("tournament", plain("server", EVE, "JOIN cup60 TEAM ")),
    "bounce": Place("africa1860", bare("server", REPORT, "MAILER-DAEMON@mx.example")),
    "bounce, tagged": Place("africa1860", bare("sender", REPORT, "MAILER-DAEMON@mx.example")),
    "witness": Place("witnessed", attached("witness", FRIEND, WITNESS_FILE)),
    "witness, parts": Place("witnessed", bare("witness", PARTS, FRIEND)),
    "witness's machine": Place("witnessed", to_friend, at_friend),
    "mail deliver": Place("africa1860", bare("spain", PAGE), by_hand),
    "mail retake": Place("africa1860", plain("spain", head="ORDERS T1\n", tail="\nEND\n"), again, delivered),
    "mail retake, page": Place("africa1860", bare("spain", PAGE, head="ORDERS T1<br>"), again, delivered),
    "set aside": Place("africa1860", bare("spain", PARTS), aside),
    "mailbox looked through": Place("africa1860", bare("spain", PARTS), looked_through),
    "pbem verify": Place("africa1860", bare("spain", PARTS, head=_DICE), verified),
    "pbem verify, header": Place(
        "africa1860", lambda house, text: header(house, text) + bundle.BUNDLE_FILE.encode(), verified
    ),
}
