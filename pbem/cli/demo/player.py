"""A player of the demo, who knows nothing of the server but its letters.

Run as ``python -I player.py SETTINGS.json`` from an empty folder, with the standard library alone: reads letters by
IMAP, lets a plan decide from their text, writes the orders into the order form as text, and answers by SMTP. What is
refused is mended by what the refusal says, and sent again. Ends with 0 when there is nothing more to do, 1 when
something is wrong; what it does goes to standard output.

Settings: host, imap_port, smtp_port, address, password, parent (the process that started it, with which it ends), seat,
side, go (whether it says GO with its orders, as one of several commanders does), language, turns, think (seconds before
a report is answered), plan (a Python file with the class Plan), knows (what its player knows of the battle beforehand),
and slips: kinds of mistakes to make on purpose, one a turn, in that order.

A plan is made with a side, a language and what is known, and has: `standing()`, lines of standing orders;
`orders(text)`, lines of orders that answer a report; `early()`, orders from memory; `slip(kind, block)`, the block with
a mistake in it or None; `mended(block, number, word, why, readings)`, a line that the server could not correct, or None
to leave it out.
"""

from __future__ import annotations

import email.message
import email.policy
import email.utils
import imaplib
import json
import os
import re
import runpy
import smtplib
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

BLOCK = re.compile(r"^(?:ORDERS|ORDENES) T(\d+)(?: #\w+)?\n(?:.*\n)*?(?:END|FIN)$", re.MULTILINE)
TEMPLATE = re.compile(r"^(?:ORDERS|ORDENES) T(\d+) #\w+\n(?:.*\n)*?(?:END|FIN)$", re.MULTILINE)
PHASE = re.compile(r"<([^.]+)\.T(\d+)\.(\w+)")
"""The game and the phase that a letter is about, in its Message-ID: in its text that is in the words of its reader."""
CAMP = "camp"
"""The phase between two battles of a war, in which both sides write."""
OVER = re.compile(r"^(?:The game is over|La partida ha terminado)\b", re.MULTILINE)
REFUSED = re.compile(r"^(?:Line|Línea) (\d+):\n {4}(.*)\n {4}( *)(\^+)\n((?: {2}.*\n)+)", re.MULTILINE)
MEANT = re.compile(r"(?:Perhaps you mean|Quizá quiso decir): (.*)", re.DOTALL)
PATIENCE = 3
"""Refusals of one turn's orders after which nothing is tried any more."""
GLANCE = 0.05
"""Seconds between two looks into the mailbox: the standard library's IMAP of Python 3.11 cannot wait for news."""
TIMEOUT = 100
"""Seconds in which the mail server answers, however busy the machine is."""


class GivenUp(Exception):
    """The game does not go on for this player."""


class Mistake(NamedTuple):
    """A refused line as the letter shows it: its number, the word under the carets, why, what may have been meant."""

    line: int
    word: str
    why: str
    readings: tuple[str, ...]


def mistakes(text: str) -> list[Mistake]:
    """The refused lines of a letter."""
    found = []
    for number, line, before, under, below in REFUSED.findall(text):
        why, _, meant = MEANT.sub(r"\0\1", below).partition("\0")
        word = line[len(before) : len(before) + len(under)]
        readings = tuple(" ".join(meant.split()).split(", ")) if meant else ()
        found.append(Mistake(int(number), word, " ".join(why.split()), readings))
    return found


class Mailbox:
    """The way to the server and back; a connection that breaks is made again."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.address: str = settings["address"]
        self.last = 0
        self.imap: imaplib.IMAP4 | None = None

    def news(self) -> Iterator[email.message.EmailMessage]:
        """The letters not read so far, oldest first; none while the server is away."""
        try:
            imap = self.imap = self.imap or self.connected()
            imap.noop()
            for uid in map(int, imap.uid("SEARCH", f"UID {self.last + 1}:*")[1][0].split()):
                # The last letter is always found, be it new or not.
                if uid > self.last:
                    # Among the bodies may stand what the server has to say of flags.
                    raw = next(part[1] for part in imap.uid("FETCH", str(uid), "(BODY.PEEK[])")[1] if len(part) == 2)
                    self.last = uid
                    yield email.message_from_bytes(raw, _class=email.message.EmailMessage, policy=email.policy.default)
        except (OSError, imaplib.IMAP4.error):
            self.imap = None
            print("the mailbox does not answer; trying again", flush=True)

    def connected(self) -> imaplib.IMAP4:
        """A new connection."""
        imap = imaplib.IMAP4(self.settings["host"], self.settings["imap_port"], timeout=TIMEOUT)
        imap.login(self.address, self.settings["password"])
        imap.select(readonly=True)
        return imap

    def answer(self, letter: email.message.EmailMessage, lines: Sequence[str]) -> None:
        """Answer as mail programs do: the new text, an attribution, the old letter quoted."""
        reply = email.message.EmailMessage()
        reply["From"] = self.address
        reply["To"] = letter["Reply-To"]
        reply["Subject"] = f"Re: {letter['Subject']}"
        reply["Date"] = email.utils.localtime()
        reply["Message-ID"] = email.utils.make_msgid(domain=self.address.rpartition("@")[2])
        reply["In-Reply-To"] = letter["Message-ID"]
        quoted = [f"> {line}".rstrip() for line in text_of(letter).splitlines()]
        said = f"On {letter['Date']}, {letter['From']} wrote:"
        reply.set_content("\n".join([*lines, "", said, *quoted]) + "\n")
        with smtplib.SMTP(self.settings["host"], self.settings["smtp_port"], timeout=TIMEOUT) as smtp:
            smtp.send_message(reply)


class Player:
    """Somebody with a mailbox and a plan."""

    def __init__(self, settings: dict[str, Any], plan: Any) -> None:
        self.mailbox = Mailbox(settings)
        self.plan = plan
        self.side: str = settings["side"]
        self.go = [("YA" if settings["language"] == "es" else "GO")] if settings["go"] else []
        self.turns: int = settings["turns"]
        self.think: float = settings["think"]
        self.slips: list[str] = list(settings["slips"])
        self.parent: int = settings["parent"]
        self.game = ""
        self.answered: set[int] = set()
        self.slipped = 0
        self.told = False
        self.refusals = 0

    def play(self) -> None:
        """Answer every letter that wants an answer, until the game is over or a letter tells of a later turn."""
        while True:
            for letter in self.mailbox.news():
                text = text_of(letter)
                print(f"reads: {letter['Subject']}", flush=True)
                phase = PHASE.match(str(letter["Message-ID"]))
                if OVER.search(text) or (phase and int(phase[2]) > self.turns):
                    return
                if phase:
                    self.turn_to(phase[1])
                    self.consider(letter, text, int(phase[2]), phase[3] in (self.side, CAMP))
            if os.getppid() != self.parent:
                raise GivenUp("the demo has ended")
            time.sleep(GLANCE)

    def turn_to(self, game: str) -> None:
        """Begin a game of a war anew: its turns are counted from 1, and standing orders of the last do not hold."""
        if game != self.game:
            self.game, self.answered, self.slipped, self.told = game, set(), 0, False

    def consider(self, letter: email.message.EmailMessage, text: str, turn: int, mine: bool) -> None:
        """One letter: a refusal, a report that asks for orders, or one that tells what the other side is asked for."""
        form = TEMPLATE.search(text)
        if wrong := mistakes(text):
            # What nobody wants now is not sent again now: our own report will ask for orders.
            if mine:
                self.mend(letter, text, wrong)
        elif mine and form and turn not in self.answered:
            time.sleep(self.think)
            self.answered.add(turn)
            self.refusals = 0
            camp = f".{CAMP}" in str(letter["Message-ID"])
            self.send(letter, [*(as_offered(form[0]) if camp else self.orders(form[0], text, turn)), *self.go])
        elif not mine and not self.told:
            self.told = True
            self.send(letter, self.plan.standing())
        elif not mine and "wrong phase" in self.slips and 1 < turn < self.turns and self.slipped < turn:
            self.slip("wrong phase", turn)
            self.send(letter, [f"ORDERS T{turn}", *self.plan.early(), "END"])

    def orders(self, form: str, text: str, turn: int) -> list[str]:
        """The order form with the orders in it, and with a mistake if one is to be made and there is room for it."""
        head, *rest, end = form.splitlines()
        block = [head, *rest, *self.plan.orders(unfold(text)), end]
        for kind in self.slips if self.slipped < turn else ():
            wrong_turn = [head.replace(f"T{turn}", f"T{turn + 1}"), *block[1:]]
            wrong = wrong_turn if kind == "wrong turn" else self.plan.slip(kind, block)
            if wrong:
                self.slip(kind, turn)
                block = wrong
                break
        if not self.told:
            self.told = True
            block[-1:-1] = self.plan.standing()
        return block

    def slip(self, kind: str, turn: int) -> None:
        """Note a mistake made on purpose."""
        self.slips.remove(kind)
        self.slipped = turn
        print(f"makes a mistake: {kind}", flush=True)

    def mend(self, letter: email.message.EmailMessage, text: str, wrong: Sequence[Mistake]) -> None:
        """Send the block that the refusal offers, with what the server left to us mended by what it says of it."""
        self.refusals += 1
        offered = BLOCK.search(text)
        if offered is None or self.refusals > PATIENCE:
            raise GivenUp(f"the orders were refused:\n{text}")
        block = offered[0].splitlines()
        for mistake in wrong:
            # Our block stood at the very top: its lines are those of the letter.
            at = mistake.line - 1
            if 0 < at < len(block) and block[at].startswith("# "):
                line = self.plan.mended(block, at, mistake.word, mistake.why, mistake.readings)
                block[at] = line or block[at]
                print(f"mends: {line or 'leaves out ' + block[at]}", flush=True)
        self.send(letter, [*block, *self.go])

    def send(self, letter: email.message.EmailMessage, lines: Sequence[str]) -> None:
        """Answer a letter."""
        self.mailbox.answer(letter, lines)
        print(f"sends: {lines[0]}, {len(lines)} lines", flush=True)


def as_offered(form: str) -> list[str]:
    """The form of a camp with every line that it offers as an order."""
    offered = re.compile(r"^# (?!SEEN )", re.MULTILINE)
    return offered.sub("", form).splitlines()


def text_of(letter: email.message.EmailMessage) -> str:
    """The letter's text part, LF lines."""
    body = letter.get_body(("plain",))
    content = "" if body is None else body.get_content()
    return str(content).replace("\r\n", "\n")


def unfold(text: str) -> str:
    """A report with the long lines of its order form made whole again: what they go on with is a comment, indented."""
    return text.replace("\n#     ", " ")


def main() -> int:
    """Play, and return the exit code."""
    settings = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    plan = runpy.run_path(settings["plan"])["Plan"](settings["side"], settings["language"], settings["knows"])
    try:
        Player(settings, plan).play()
    except (GivenUp, OSError, smtplib.SMTPException) as wrong:
        print(f"gives up: {wrong}", flush=True)
        return 1
    print("has the last report", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
