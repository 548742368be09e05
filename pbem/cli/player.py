"""A player of the demo, who knows nothing of the server but its letters.

Run as ``python -I player.py SETTINGS.json`` from an empty folder, with the standard library alone: reads letters by
IMAP, finds the order template in them, writes this turn's orders into it as text, answers by SMTP, and waits for the
report. Ends with 0 when the report on the last turn is there, 1 when something is wrong; what it does goes to standard
output.

Settings: host, imap_port, smtp_port, address, password, seconds (until it gives up), seat, turns, and orders: for each
turn the lines to write, as ``{"1": ["MOVE Leon TO C3"], "2": []}``.
"""

from __future__ import annotations

import email.message
import email.policy
import email.utils
import imaplib
import json
import re
import smtplib
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

TEMPLATE = re.compile(r"^(?:ORDERS|ORDENES) T(\d+) #\w+\n(?:.*\n)*?(?:END|FIN)$", re.MULTILINE)
HEADING = re.compile(r" - T(\d+)\.(\w+)$", re.MULTILINE)
REFUSED = re.compile(r"^ *\^+$", re.MULTILINE)
PAUSE = 0.1


class GivenUp(Exception):
    """The game does not go on for this player."""


class Player:
    """Somebody with a mailbox, and a plan for every turn."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.host: str = settings["host"]
        self.ports: tuple[int, int] = (settings["imap_port"], settings["smtp_port"])
        self.address: str = settings["address"]
        self.password: str = settings["password"]
        self.seat: str = settings["seat"]
        self.turns: int = settings["turns"]
        self.orders: dict[str, list[str]] = settings["orders"]
        self.give_up = time.monotonic() + settings["seconds"]
        self.read: set[bytes] = set()
        self.answered: set[int] = set()

    def play(self) -> None:
        """Answer every letter that asks for orders, until one tells of the turn after the last."""
        while True:
            for letter in self.new_letters():
                print(f"reads: {letter['Subject']}", flush=True)
                text = text_of(letter)
                if self.is_the_end(text):
                    return
                self.answer(letter, text)
            if time.monotonic() > self.give_up:
                raise GivenUp("no report came in time")
            time.sleep(PAUSE)

    def new_letters(self) -> Iterator[email.message.EmailMessage]:
        """The letters not read so far, oldest first; none while the server is away."""
        try:
            with imaplib.IMAP4(self.host, self.ports[0], timeout=10) as imap:
                imap.login(self.address, self.password)
                imap.select(readonly=True)
                for uid in imap.uid("SEARCH", "ALL")[1][0].split():
                    if uid not in self.read:
                        raw = imap.uid("FETCH", uid.decode(), "(BODY.PEEK[])")[1][0][1]
                        self.read.add(uid)
                        yield email.message_from_bytes(
                            raw, _class=email.message.EmailMessage, policy=email.policy.default
                        )
        except (OSError, imaplib.IMAP4.error):
            print("the mailbox does not answer; trying again", flush=True)

    def is_the_end(self, text: str) -> bool:
        """Is this letter about a turn that is not to be played any more?"""
        heading = HEADING.search(text)
        return heading is not None and int(heading[1]) > self.turns

    def answer(self, letter: email.message.EmailMessage, text: str) -> None:
        """Send the orders of the turn that the letter's template asks for; a template is answered once."""
        if REFUSED.search(text):
            raise GivenUp(f"the orders were refused:\n{text}")
        heading, found = HEADING.search(text), TEMPLATE.search(text)
        if heading is None or heading[2] != self.seat or found is None or int(found[1]) in self.answered:
            return
        turn = int(found[1])
        lines = found[0].splitlines()
        edited = [*lines[:-1], *self.orders.get(str(turn), []), lines[-1]]
        self.send(letter, edited, text)
        self.answered.add(turn)
        print(f"sends orders for turn {turn}", flush=True)

    def send(self, letter: email.message.EmailMessage, block: Sequence[str], text: str) -> None:
        """Answer as mail programs do: the new text, an attribution, the old letter quoted."""
        reply = email.message.EmailMessage()
        reply["From"] = self.address
        reply["To"] = letter["Reply-To"]
        reply["Subject"] = f"Re: {letter['Subject']}"
        reply["Date"] = email.utils.localtime()
        reply["Message-ID"] = email.utils.make_msgid(domain=self.address.rpartition("@")[2])
        reply["In-Reply-To"] = letter["Message-ID"]
        quoted = [f"> {line}".rstrip() for line in text.splitlines()]
        said = f"On {letter['Date']}, {letter['From']} wrote:"
        reply.set_content("\n".join([*block, "", said, *quoted]) + "\n")
        with smtplib.SMTP(self.host, self.ports[1], timeout=10) as smtp:
            smtp.send_message(reply)


def text_of(letter: email.message.EmailMessage) -> str:
    """The letter's text part, LF lines."""
    body = letter.get_body(("plain",))
    content = "" if body is None else body.get_content()
    return str(content).replace("\r\n", "\n")


def main() -> int:
    """Play, and return the exit code."""
    settings = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    try:
        Player(settings).play()
    except (GivenUp, OSError, smtplib.SMTPException) as wrong:
        print(f"gives up: {wrong}", flush=True)
        return 1
    print("has the last report", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
