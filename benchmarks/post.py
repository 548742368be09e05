"""W1 Measure order letters by mail, through Exim and Dovecot, to the receipt.

The daemon as it runs, between real servers on the loopback address. Counted is by the clock, not by CPU: most of the
work is the servers'. ``python -m benchmarks.post`` prints beside it what its parts can do by themselves: handing in to
a sink that takes everything, handing in to Exim with delivery to Dovecot, fetching from Dovecot.
"""

from __future__ import annotations

import asyncio
import os
import signal
import smtplib
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import monotonic

from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink

from benchmarks.letters import LETTER, Unanswered, new_server, quiet
from benchmarks.measure import Measured
from pbem.cli.daemon import Daemon, DaemonSettings
from pbem.cli.log_output import open_log
from pbem.cli.try_ import free_ports
from pbem.mail.imap import ImapMailbox, ImapSettings
from pbem.mail.smtp import Envelope, SmtpSettings, send_all
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.runtime.transaction import Server
from tests.servers.real import PATIENCE, RealMail, closing_imap, missing, until

JUDGE, ANA, IDRIS, OPERATOR = "pbem@games.example", "ana@players.example", "idris@players.example", "op@games.example"
USERS = {JUDGE: "judge", ANA: "ana", IDRIS: "idris", OPERATOR: "op"}
_GLANCE = 0.005
"""Seconds between two looks into the mailbox."""
GAMES = 20
"""Seats that the letters go to in turn: nobody writes more than a few."""


def measure_answers(seconds: float) -> Measured | None:
    """Measure order letters and all their receipts.

    None where the servers are not installed.
    """
    # As many as the budget allows at some 30 a second, and never so few that chance decides. A choice, also below.
    count = max(40, int(30 * seconds))
    took = _beside_daemon(lambda mail, seats: [_play(mail, seats, count)])
    return None if took is None else Measured(count, took[0])


def measure_round_trips(count: int) -> list[float] | None:
    """Return the seconds to the receipt of each letter, written one after the other.

    None as above.
    """
    return _beside_daemon(lambda mail, seats: _play_in_turn(mail, seats, count))


def _beside_daemon(play: Callable[[RealMail, list[str]], list[float]]) -> list[float] | None:
    """Return the durations that somebody measured who played beside a daemon.

    None as above.
    """
    if missing():
        return None
    with quiet(), TemporaryDirectory() as folder, RealMail(USERS) as mail:
        server = new_server(Path(folder))
        try:
            seats = _begin(server)
            imap, smtp = _ways(mail)
            daemon = Daemon(server, DaemonSettings(imap, smtp, 60), open_log())
            durations: list[float] = []
            errors: list[BaseException] = []

            def thread() -> None:
                try:
                    durations.extend(play(mail, seats))
                except BaseException as error:
                    # It is raised again in the main thread: from this one it would only be printed.
                    errors.append(error)
                finally:
                    os.kill(os.getpid(), signal.SIGTERM)

            player = threading.Thread(target=thread)
            player.start()
            asyncio.run(daemon.run())
            player.join()
        finally:
            server.engine.dispose()
    if errors:
        raise errors[0]
    return durations


def handed_in(seconds: float) -> Measured | None:
    """Measure letters over one connection into Exim and on into Dovecot.

    It ends when all lie in the mailbox; None as above.
    """
    if missing():
        return None
    count = max(40, int(60 * seconds))
    with RealMail(USERS) as mail:
        began = monotonic()
        _send(_ways(mail)[1], count)
        if not until(lambda: _count_letters(mail, ANA) == count, PATIENCE * 3):
            raise Unanswered("letters did not arrive")
        return Measured(count, monotonic() - began)


def measure_fetching(seconds: float) -> Measured | None:
    """Measure letters read from Dovecot by the program, some hundred at a time.

    None as above.
    """
    if missing():
        return None
    with RealMail(USERS) as mail:
        for _ in range(300):
            mail.deliver(JUDGE, _letter(JUDGE, 0))
        with closing(ImapMailbox(_ways(mail)[0])) as mailbox:
            mailbox.connect()
            units, began = 0, monotonic()
            while monotonic() - began < seconds:
                units += len(mailbox.fetch_new(0))
            return Measured(units, monotonic() - began)


def into_a_sink(seconds: float) -> Measured:
    """Measure letters over one connection into a server that discards them."""
    count = max(100, int(200 * seconds))
    sink = Controller(Sink(), hostname="127.0.0.1", port=free_ports(1)[0])
    sink.start()
    try:
        began = monotonic()
        _send(SmtpSettings(host="127.0.0.1", port=sink.port, security="none"), count)
        return Measured(count, monotonic() - began)
    finally:
        sink.stop()


def _send(smtp: SmtpSettings, count: int) -> None:
    letters = [Envelope(JUDGE, ANA, _letter(ANA, number)) for number in range(count)]
    if any(reply.verdict != "sent" for reply in asyncio.run(send_all(smtp, letters))):
        raise Unanswered("a letter was not taken")


def _begin(server: Server) -> list[str]:
    """Start the games; return the addresses of the seats to move, all of one player."""
    seats = []
    for number in range(GAMES):
        game, pace = f"g{number}", Pace(hour=20, undo_minutes=30)
        with server.work() as work:
            founding.new_game(work, founding.NewGame(name=game, game="africa1860", scenario="castillejos", pace=pace))
            seats.append(
                seating.invite_seat(
                    work, seating.Invitation(game=game, seat="spain", email=ANA, person="Ana", language="es")
                )
            )
            seating.invite_seat(work, seating.Invitation(game=game, seat="morocco", email=IDRIS))
            founding.start_game(work, game)
    return seats


def _play(mail: RealMail, seats: list[str], count: int) -> float:
    """Write the letters after the first reports; return seconds to the last receipt."""
    before = _await_first_reports(mail)
    began = monotonic()
    with smtplib.SMTP(mail.host, mail.smtp_port) as smtp:
        for number in range(count):
            seat = seats[number % GAMES]
            smtp.sendmail(ANA, [seat], _letter(seat, number))
    if not until(lambda: _count_letters(mail, ANA) == before + count, PATIENCE * 6):
        raise Unanswered(f"{_count_letters(mail, ANA) - before} of {count} letters were answered")
    spent = monotonic() - began
    receipts = sum(b".receipt.spain." in raw for raw in mail.letters_in(ANA))
    if receipts != count:
        raise Unanswered(f"{count - receipts} of {count} letters were refused")
    return spent


def _play_in_turn(mail: RealMail, seats: list[str], count: int) -> list[float]:
    """Write each letter when the one before is answered; return the seconds of each."""
    before, took = _await_first_reports(mail), []
    with smtplib.SMTP(mail.host, mail.smtp_port) as smtp, closing_imap(mail.host, mail.imap_port) as reader:
        reader.login(ANA, USERS[ANA])
        for number in range(count):
            seat, began = seats[number % GAMES], monotonic()
            smtp.sendmail(ANA, [seat], _letter(seat, number))
            while int(reader.select(readonly=True)[1][0] or b"0") <= before + number:
                if monotonic() - began > PATIENCE:
                    raise Unanswered(f"letter {number} was not answered")
                time.sleep(_GLANCE)
            took.append(monotonic() - began)
    return took


def _await_first_reports(mail: RealMail) -> int:
    """Wait for the first reports of both players; return how many each has."""
    wanted = 2 * GAMES
    if not until(lambda: _count_letters(mail, ANA) == _count_letters(mail, IDRIS) == wanted, PATIENCE * 3):
        raise Unanswered("the first reports did not arrive")
    return wanted


def _count_letters(mail: RealMail, address: str) -> int:
    """Return the number of letters in a mailbox."""
    with closing_imap(mail.host, mail.imap_port) as reader:
        reader.login(address, USERS[address])
        return int(reader.select(readonly=True)[1][0] or b"0")


def _ways(mail: RealMail) -> tuple[ImapSettings, SmtpSettings]:
    return (
        ImapSettings(host=mail.host, port=mail.imap_port, security="none", user=JUDGE, password=USERS[JUDGE]),
        SmtpSettings(host=mail.host, port=mail.smtp_port, security="none"),
    )


def _letter(to: str, number: int) -> bytes:
    head = (
        f"From: {ANA}\nTo: {to}\nSubject: orders\nMessage-ID: <{number}@players.example>\nMIME-Version: 1.0\n"
        'Content-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: 8bit\n\n'
    )
    return (head + LETTER).replace("\n", "\r\n").encode("utf-8")


def main() -> int:
    """Print the whole beside its parts."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 4.0
    rows = (
        ("letter in, receipt in the mailbox", measure_answers),
        ("handed in to Exim, delivered by Dovecot", handed_in),
        ("handed in to a sink", into_a_sink),
        ("fetched from Dovecot", measure_fetching),
    )
    for label, measure in rows:
        result = measure(seconds)
        rate = "not run" if result is None else f"{result.units / result.seconds:8,.0f} a second"
        print(f"{label:<42} {rate}", flush=True)
    if trips := measure_round_trips(GAMES):
        print(f"one letter at a time, median and longest   {median(trips):8.2f} {max(trips):.2f} s")
    if lacking := missing():
        print(f"not installed here: {', '.join(lacking)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
