"""Play a seat of a game by mail, from the letters alone.

Run as ``python -I player.py SETTINGS.json`` from an empty folder, with the standard library alone. It reads letters
by IMAP, chooses from the lines that they offer, and answers by SMTP. Refused orders are corrected as the refusal
suggests, and sent again. It ends with 0 when there is nothing more to do, with 1 after an error; its actions are
printed on standard output.

It only knows how orders are written, and no map, rules or numbers of a game. An order form has the possible lines,
attacks with how often they win; a report says which places count and where its own forces are. Letters that ask for
nothing, or that it does not understand, are not answered.

Settings: host, imap_port, smtp_port, address, password, parent (the process that started it, with which it ends),
language, go (whether it says GO with its orders, as one of several commanders does), turns, think (seconds before a
report is answered), and slips: kinds of mistakes to make on purpose, one a turn, in that order.
"""

from __future__ import annotations

import email.message
import email.policy
import email.utils
import imaplib
import json
import os
import re
import smtplib
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Mail = email.message.EmailMessage

SUBJECT = re.compile(r"\[([\w-]+)\](?: T(\d+))?")
"""The game that a letter is about, and the turn."""
# What the player looks for in the reports, in English and Spanish: what it is asked to do.
WAITING = re.compile(r"^(?:You need do nothing now|Ahora no tiene que hacer nada)", re.MULTILINE)
OVER = re.compile(r"^(?:The game is over|La partida ha terminado)\b", re.MULTILINE)
ASKS = re.compile(r"^(?:Answer with one line|Responda con una sola línea)", re.MULTILINE)
OFFERED = re.compile(
    r"^ *((?:JOIN|UNIRSE A|UNIRSE|WITHDRAW|RETIRARSE) .*\b(?:CODE|CODIGO) [a-z2-7]{8}\b.*)$", re.MULTILINE
)
"""A line that a letter asks to be sent back. The form of codes is written out: the player imports nothing of pbem."""
# Only a form must have a code: the block that a refusal quotes is the player's. Lazy, to end at the first END.
BLOCK = re.compile(r"^(?:ORDERS|ORDENES) T(\d+)(?: #\w+)?\n(?:.*\n)*?(?:END|FIN)$", re.MULTILINE)
FORM = re.compile(r"^(?:ORDERS|ORDENES) T(\d+) #\w+\n(?:.*\n)*?(?:END|FIN)$", re.MULTILINE)
# A refused line as letters quote it: number, line, marks below the fault, then the reasons.
REFUSED = re.compile(r"^(?:Line|Línea) (\d+):\n {4}(.*)\n {4}( *)(\^+)\n((?: {2}.*\n)+)", re.MULTILINE)
NOT_NOW = re.compile(r"^ +(?:It is not your phase|No es su fase)", re.MULTILINE)
SUGGESTED = re.compile(r"(?:Perhaps you mean|Quizá quiso decir): (.*)", re.DOTALL)

SEPARATORS = re.compile(r"(?<!\|) (TO|A|AT|WITH|CON|LED BY|AL MANDO DE|SUPPORT|APOYO) (?!\|)")
"""The words that separate the parts of an order: units, companions, destination. Beside a bar they are one of several
places to choose from: a space may be called A."""
HEADS = ("ACTIVATE ", "ACTIVAR ")
"""The beginnings of lines under which others stand."""
NEXT = ("ASSAULT ", "ASALTAR ")
"""The beginnings of lines that attack a place next to one's own."""
MOVES = ("MOVE ", "MOVER ")
UNUSED = ("SEEN ", "ORDER ", "ORDEN ", "LIMBER ", "ENGANCHAR ", "PASS", "PASAR")
"""The beginnings of lines that are not chosen for themselves."""
PASS = {"ORDERS": "PASS", "ORDENES": "PASAR"}
GO = {"ORDERS": "GO", "ORDENES": "YA"}
"""The word GO in the language of a block of orders, by the block's first word."""
STANDING = {"en": "STANDING BALANCED", "es": "DOCTRINA EQUILIBRADA"}
# The sections of a report from which the player learns its goals and its units.
GOALS = re.compile(r"^  (?:Goals|Objetivos)[^:\n]*: (.*(?:\n {4}.*)*)", re.MULTILINE)
FORCES = re.compile(r"^(?:Your forces|Sus fuerzas)(?:,.*)?\n((?: .*\n)+)", re.MULTILINE)
LEADER = re.compile(r"(\S+)\s+(?:leader|líder)\s")
WRITTEN = ("# you wrote ", "# usted escribió ")
"""The beginnings of a comment above a line that the server corrected."""
STANDS = re.compile(r"\b(?:HELP\s+(?:signs|standing)|AYUDA\s+(?:signos|DOCTRINA))\b")
"""The words by which a first letter, short or in full, offers help; standing orders are part of it."""
BACK = ("back", "atrás")
ONLY = re.compile(r"; (?:only in|solo en) \w+: (.*)")
"""The part of a note on places that another order of the same letter puts out of reach."""
WINS = 50
"""Percent from which an attack is made: from there it wins more often than not, so a demo shows fights."""

MOST_REFUSALS = 3
"""Refusals of one turn's orders after which the player gives up: otherwise the same mistakes would go on for ever."""
GLANCE = 0.05
"""Seconds between two looks into the mailbox: the standard library's IMAP of Python 3.11 cannot wait for news."""
TIMEOUT = 100
"""Seconds within which the mail server must answer, even on a busy machine."""


class PlayerGivenUp(Exception):
    """Raised when a player cannot go on with the game."""


# What letters say.


class RefusedOrderLine(NamedTuple):
    """A refused line as the letter shows it: number, word, reason, suggestions.

    `word` is the word under the carets.
    """

    line: int
    word: str
    why: str
    readings: tuple[str, ...]


def refused_order_lines(text: str) -> list[RefusedOrderLine]:
    """Return the refused lines of a letter."""
    refused = []
    for number, line, before, carets, reason_lines in REFUSED.findall(text):
        why, _, suggestions = SUGGESTED.sub(r"\0\1", reason_lines).partition("\0")
        word = line[len(before) : len(before) + len(carets)]
        readings = tuple(" ".join(suggestions.split()).split(", ")) if suggestions else ()
        refused.append(RefusedOrderLine(int(number), word, " ".join(why.split()), readings))
    return refused


class Offer(NamedTuple):
    """A line of an order form.

    It has the line above that it stands under, the order itself, the units that act, the places to choose from,
    and the form's note.
    """

    under: str
    order: str
    who: tuple[str, ...]
    places: tuple[str, ...]
    note: str

    @property
    def wins(self) -> int | None:
        """Return how often the attack wins, in percent; None if the form has no odds."""
        match = re.match(r"(\d+) %", self.note)
        return int(match[1]) if match else None

    @property
    def moves(self) -> bool:
        """Return whether the order is a move."""
        return self.order.startswith(MOVES)

    def at(self, place: str) -> str:
        """Return the order with one of its places, if it has any."""
        return self.order.replace(" | ".join(self.places), place) if place else self.order

    def but(self, busy: set[str], spare: int = 0) -> Offer | None:
        """Return the move without busy units, and without `spare` of the other units.

        None if no units are left.
        """
        verb, _, rest = self.order.partition(" ")
        names, link, *rest_parts = SEPARATORS.split(rest)
        units = [name for name in names.split(", ") if name not in busy]
        units = units[: len(units) - spare]
        if not units:
            return None
        leaders = [name for name in rest_parts[0].split(", ") if name not in busy] if link in ("WITH", "CON") else []
        along = [link, ", ".join(leaders)] if leaders else []
        goes = rest_parts[1:] if link in ("WITH", "CON") else [link, *rest_parts]
        return self._replace(order=" ".join([verb, ", ".join(units), *along, *goes]), who=(*units, *leaders))


def offers_of_form(form: str) -> list[Offer]:
    """Return what an order form offers, in its order."""
    under, offered = "", []
    for line in form.replace("\n#     ", " ").replace("\n##    ", "  # ").splitlines():
        order, _, note = line.removeprefix("# ").partition("  # ")
        if order.startswith(HEADS):
            under = order
        elif line.startswith("# ") and ("; " in order or not order.startswith(UNUSED)):
            offered.append(Offer(under, order, *_parse_order(order), note.replace("  # ", " ")))
    return offered


def _parse_order(order: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the units that act in an order, and the places it leaves to choose from."""
    part = next((part for part in order.split("; ") if SEPARATORS.search(part)), order)
    first, *rest = SEPARATORS.split(part.partition(" ")[2])
    named = dict(zip(rest[::2], rest[1::2], strict=True))
    place = next((named.pop(link) for link in ("TO", "AT", "A") if link in named), None)
    if place is None:
        place, first = (first, "") if named else ("", first)
    units = re.split(r", |\+", ", ".join(filter(None, (first, *named.values()))))
    return tuple(filter(None, units)), tuple(place.split(" | ")) if place else ()


def answer_questions(text: str) -> str:
    """Answer each question of a letter: by what wins most often, else the first.

    The result is a line such as `1A 2B`.
    """
    chosen = []
    for question in re.split(r"^(?=\d+\. )", text, flags=re.MULTILINE)[1:]:
        answers = re.findall(r"^  ([A-Z]) (.*\n(?: {4}.*\n)*)", question, re.MULTILINE)
        wins = [
            (int(percentage[1]) if (percentage := re.search(r"(\d+) %", sentence)) else 0, letter)
            for letter, sentence in answers
        ]
        if wins:
            chosen.append(question.partition(".")[0] + max(wins, key=lambda answer: answer[0])[1])
    return " ".join(chosen)


def text_of_letter(letter: Mail) -> str:
    """Return the letter's text part, with LF lines."""
    body = letter.get_body(("plain",))
    content = "" if body is None else body.get_content()
    return str(content).replace("\r\n", "\n")


# What is answered.


class GameMemory:
    """What a player remembers of a game: turns, refusals, ways and last orders."""

    def __init__(self) -> None:
        self.answered: set[int] = set()
        self.refusals = 0
        self.slipped = 0
        self.has_standing = False
        self.ways: dict[str, dict[str, int]] = defaultdict(dict)
        self.last: list[str] = []
        self.below: list[str] = []

    def gaps(self, wanted: set[str]) -> Mapping[str, int]:
        """Return the known distance of each place to the nearest wanted one.

        A place where no unit has been may be next to a wanted one. 99 is farther than any map is wide.
        """
        ends = {end for ways in self.ways.values() for end in ways}
        gaps = {**dict.fromkeys(ends - self.ways.keys(), 1), **dict.fromkeys(wanted, 0)}
        for _ in self.ways:
            for place, ways in self.ways.items():
                gaps[place] = min(gaps.get(place, 99), *(far + gaps.get(end, 99) for end, far in ways.items()), 99)
        return gaps


class FormChoice:
    """The choice of lines of an order form, each unit in one of them."""

    def __init__(self, table: GameMemory, form: str, text: str) -> None:
        self.offers = offers_of_form(form)
        self.busy: set[str] = set()
        self.attacked: dict[str, str] = {}
        self.sent: Counter[str] = Counter()
        self.stands = {offer.who[0]: offer.note.partition(",")[0] for offer in self.offers if offer.moves}
        self.kept: set[str] = set()
        self.goals = {place for goals_text in GOALS.findall(text) for place in re.findall(r"(\w+) \d", goals_text)}
        forces = "".join(FORCES.findall(text))
        held = set(re.findall(r"^  (\w+) \(", forces, re.MULTILINE))
        self.leaders = set(LEADER.findall(forces))
        enemies = {place for offer in self.offers if not offer.moves for place in offer.places}
        # The largest of a place comes last, and stays.
        most = {offer.under: len(offer.who) for offer in sorted(self.offers, key=lambda offer: len(offer.who))}
        for offer in self.offers:
            if offer.under:
                # Horse and leaders go two ways, whom most of a place go with one.
                far = 1 if offer.order.startswith(NEXT) or len(offer.who) == most[offer.under] else 2
                ways = table.ways[offer.under.split()[-1]]
                ways.update({place: min(far, ways.get(place, far)) for place in offer.places})
        self.gaps = table.gaps((self.goals - held) | enemies)
        # Places from which nobody can go before a leader has come, as the form explains.
        self.waiting = {name for note in re.findall(r"^## ([\w, ]+):", form, re.MULTILINE) for name in note.split(", ")}

    def lines(self) -> list[str]:
        """Return the chosen orders.

        The likeliest attacks come first, then fire and other orders, then moves of units with nothing else to do.
        """
        chosen = {}
        # Who comes first gets the units.
        for number, offer in sorted(enumerate(self.offers), key=self.rank):
            line = self.march(offer) if offer.moves else self.act(offer)
            if line:
                chosen[offer.moves, number] = offer.under, line
        lines: dict[str, list[str]] = {offer.under: [] for offer in self.offers}
        headings = {""}
        for _, (under, line) in sorted(chosen.items()):
            before, _, order = line.rpartition("; ")
            lines[under].append(order if before in headings else line)
            headings.add(before)
        return [
            line
            for under, chosen_lines in lines.items()
            if chosen_lines
            for line in filter(None, (under, *chosen_lines))
        ]

    @staticmethod
    def rank(numbered: tuple[int, Offer]) -> tuple[int, int, int]:
        """Return the priority of an offer for getting units."""
        number, offer = numbered
        if offer.moves:
            return 2, -len(offer.who), number
        return (1, 0, number) if offer.wins is None else (0, -offer.wins, number)

    def act(self, offer: Offer) -> str:
        """Return an attack that wins often enough, the best fire, or another order."""
        if self.busy.intersection(offer.who):
            return ""
        effects = [*map(int, re.findall(r"(\d+) %", offer.note)), *[0] * len(offer.places)]
        # What others attack may be theirs by then.
        free = {
            place: (self.attacked.get(place) == offer.under, effect)
            for place, effect in zip(offer.places, effects, strict=False)
            if self.attacked.get(place, offer.under) == offer.under
        }
        place = max(free, key=lambda place: free[place], default="")
        if (offer.places and not place) or (offer.wins is not None and (offer.wins < WINS or place in self.attacked)):
            return ""
        if offer.wins is not None:
            self.attacked[place] = offer.under
        self.busy.update(offer.who)
        self.kept.update(self.stands.get(name, "") for name in offer.who)
        return offer.at(place)

    def march(self, offer: Offer) -> str:
        """Return a move towards a goal; a goal that is held keeps one unit."""
        start = offer.under.split()[-1] if offer.under else ""
        going = offer.but(self.busy, spare=start in self.goals)
        if going is None:
            return ""
        place = self.destination(going, start)
        if not place:
            return ""
        self.sent[place] += len(going.who)
        self.busy.update(going.who)
        return going.at(place)

    def destination(self, offer: Offer, start: str) -> str:
        """Return the best place of a move; empty if it is better to stay."""
        open_only = ONLY.search(offer.note)
        places = [
            place for place in offer.places if not open_only or place not in open_only[1].split(", ")
        ] or offer.places
        if not start:
            # Who goes where others attack from may turn them to another front.
            places = [place for place in places if place not in self.kept]
            is_retreat = offer.note.partition(": ")[2].startswith(BACK)
            return "" if is_retreat else min(places, key=lambda place: self.sent[place], default="")
        if self.leaders.issuperset(offer.who):
            return next((place for place in places if place in self.waiting), "")
        gap = self.gaps.get(start, 99)
        nearer = [place for place in places if self.gaps.get(place, 99) < gap]
        return min(nearer, key=lambda place: (self.gaps[place], self.sent[place]), default="")


# Mistakes that are made on purpose, and how they are corrected.


def with_mistake(kind: str, line: str, names: Collection[str]) -> str | None:
    """Return a line with a mistake of a kind in it, or None.

    None if the line has no place for such a mistake. `names` are those of all units.
    """
    if kind == "misspelt order" and line.startswith("MOVE "):
        return line.replace("MOVE", "MOEV", 1)
    if kind == "no leader" and (leader := re.search(r" (?:LED BY|AL MANDO DE) \S+", line)):
        return line.replace(leader[0], "")
    if kind == "off the map" and line.startswith(MOVES) and (place := re.search(r" \d(\d{3})\b", line)):
        return line.replace(place[0], f" 9{place[1]}", 1)
    for name in sorted(names) if kind == "two readings" else ():
        prefixes = (name[:end] for end in range(len(name) - 1, 3, -1))
        prefix = next((part for part in prefixes if sum(other.startswith(part) for other in names) > 1), "")
        short = re.sub(rf"(?<!\S){re.escape(name)}\b", prefix, line, count=1)
        if prefix and prefix not in names and short != line:
            return short
    return None


def corrected_line(block: Sequence[str], index: int, mistake: RefusedOrderLine) -> str | None:
    """Return a refused line corrected by the answer, or None if nothing helps.

    `mistake` is the server's answer, and the block is what the server offered.
    """
    wrong = block[index].removeprefix("# ")
    offered = offers_of_form("\n".join(block[:index]))
    orders = " ".join(line for line in block if not line.startswith("#"))
    for reading in mistake.readings:
        line = wrong.replace(mistake.word, reading, 1)
        units, places = _parse_order(line)
        fits = any(set(units) <= {*offer.who} and set(places) <= {*offer.places} for offer in offered)
        if fits and (reading in places or not re.search(rf"(?<!\S){re.escape(reading)}\b", orders)):
            return line
    for offer in offered:
        # What the line lacks is named by the answer: LED BY, say.
        missing = offer.order.removeprefix(wrong)
        if missing != offer.order and (link := SEPARATORS.match(missing)) and link[1] in mistake.why:
            return offer.order
    return None


class MailPlayer(ABC):
    """A player by mail of any number of games at once."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.slips: list[str] = list(settings["slips"])
        self.tables: dict[str, GameMemory] = defaultdict(GameMemory)

    @abstractmethod
    def answer(self, letter: Mail, lines: Sequence[str]) -> None:
        """Send an answer to a letter."""

    def note(self, text: str) -> None:
        """Print what is done."""
        print(text, flush=True)

    def consider(self, letter: Mail) -> None:
        """Answer a letter that wants an answer.

        Such a letter has a line to be sent back, refused orders, questions, or an order form. If it says that
        others are awaited, the player writes standing orders.
        """
        text, subject = text_of_letter(letter), SUBJECT.match(str(letter["Subject"]))
        game, turn = (subject[1], int(subject[2] or 0)) if subject else ("", 0)
        table, form = self.tables[game], FORM.search(text)
        if offered := OFFERED.search(text):
            self.answer(letter, [offered[1]])
        elif refused := refused_order_lines(text):
            # What comes too early or too late is not sent again: the next order form will ask for it.
            if (block := BLOCK.search(text)) and not NOT_NOW.search(text):
                self.mend(letter, table, block[0], refused)
        elif ASKS.search(text):
            self.answer(letter, [answer_questions(text)])
        elif form and turn not in table.answered:
            time.sleep(self.settings["think"])
            table.answered.add(turn)
            table.refusals = 0
            table.below = self.standing(table, text)
            self.send_orders(letter, table, self.orders(table, form[0], text, turn))
        elif WAITING.search(text):
            self.wait(letter, table, text, turn)

    def standing(self, table: GameMemory, text: str) -> list[str]:
        """Return standing orders once per game, with the first letter that offers help."""
        had_standing = table.has_standing
        table.has_standing = had_standing or STANDS.search(text) is not None
        return [STANDING[self.settings["language"]]] if table.has_standing and not had_standing else []

    def wait(self, letter: Mail, table: GameMemory, text: str, turn: int) -> None:
        """Make standing orders while others are awaited.

        Later the player may make the mistake of sending orders although it is not his turn.
        """
        if standing := self.standing(table, text):
            self.answer(letter, standing)
        elif "wrong phase" in self.slips and table.last and turn < self.settings["turns"] and table.slipped < turn:
            self.slip("wrong phase", table, turn)
            self.answer(letter, [f"ORDERS T{turn}", *table.last, "END"])

    def orders(self, table: GameMemory, form: str, text: str, turn: int) -> list[str]:
        """Return the order form filled in, with a mistake if one is due and fits."""
        head, *rest, end = form.splitlines()
        table.last = chosen = self.choose(table, form, text) or [PASS[head.split()[0]]]
        names = {name for offer in offers_of_form(form) for name in offer.who}
        for kind in self.slips if table.slipped < turn else ():
            if kind == "wrong turn":
                self.slip(kind, table, turn)
                return [head.replace(f"T{turn}", f"T{turn + 1}"), *rest, *chosen, end]
            for index, line in enumerate(chosen):
                if wrong := with_mistake(kind, line, names):
                    self.slip(kind, table, turn)
                    return [head, *rest, *chosen[:index], wrong, *chosen[index + 1 :], end]
        return [head, *rest, *chosen, end]

    def choose(self, table: GameMemory, form: str, text: str) -> list[str]:
        """Choose the lines of an order form."""
        return FormChoice(table, form, text).lines()

    def slip(self, kind: str, table: GameMemory, turn: int) -> None:
        """Record a mistake made on purpose."""
        self.slips.remove(kind)
        table.slipped = turn
        self.note(f"makes a mistake: {kind}")

    def mend(self, letter: Mail, table: GameMemory, offered: str, refused: Sequence[RefusedOrderLine]) -> None:
        """Send the offered block, with its marked lines corrected.

        A second time refused lines are left out. Raises PlayerGivenUp after too many refusals.
        """
        table.refusals += 1
        if table.refusals > MOST_REFUSALS:
            raise PlayerGivenUp(f"the orders were refused: {'; '.join(mistake.why for mistake in refused)}")
        block = [line for line in offered.splitlines() if not line.startswith(WRITTEN)]
        for mistake in refused:
            # Our block stood at the very top: its lines are those of the letter.
            index = mistake.line - 1
            if 0 < index < len(block) and (table.refusals > 1 or block[index].startswith("# ")):
                line = corrected_line(block, index, mistake) if table.refusals == 1 else None
                block[index] = line or f"# {block[index].removeprefix('# ')}"
                self.note(f"mends: {line or 'leaves out ' + block[index]}")
        if all(line.startswith(("#", *HEADS)) for line in block[1:-1]):
            block = [block[0], PASS[block[0].split()[0]], block[-1]]
        self.send_orders(letter, table, block)

    def send_orders(self, letter: Mail, table: GameMemory, block: Sequence[str]) -> None:
        """Send a block of orders, and below it the commands that belong to it."""
        go = [GO[block[0].split()[0]]] if self.settings["go"] else []
        self.answer(letter, [*block, *table.below, *go])
        self.note(f"sends: {block[0]}, {len(block)} lines")


class MailboxPlayer(MailPlayer):
    """A player with a mailbox of his own, who renews a broken connection."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self.last = 0
        self.imap: imaplib.IMAP4 | None = None

    def play(self) -> None:
        """Answer letters until the game is over or a letter is of a later turn."""
        while True:
            for letter in self.news():
                self.note(f"reads: {letter['Subject']}")
                subject = SUBJECT.match(str(letter["Subject"]))
                if OVER.search(text_of_letter(letter)) or (subject and int(subject[2] or 0) > self.settings["turns"]):
                    return
                self.consider(letter)
            if os.getppid() != self.settings["parent"]:
                raise PlayerGivenUp("the demo has ended")
            time.sleep(GLANCE)

    def news(self) -> Iterator[Mail]:
        """Return the unread letters, oldest first; none while the server is away."""
        try:
            imap = self.imap = self.imap or self.connect()
            imap.noop()
            for uid in map(int, imap.uid("SEARCH", f"UID {self.last + 1}:*")[1][0].split()):
                # The last letter is always found, be it new or not.
                if uid > self.last:
                    # Among the bodies may stand what the server has to say of flags.
                    raw = next(part[1] for part in imap.uid("FETCH", str(uid), "(BODY.PEEK[])")[1] if len(part) == 2)
                    self.last = uid
                    yield email.message_from_bytes(raw, _class=Mail, policy=email.policy.default)
        except (OSError, imaplib.IMAP4.error):
            self.imap = None
            self.note("the mailbox does not answer; trying again")

    def connect(self) -> imaplib.IMAP4:
        """Return a new connection."""
        imap = imaplib.IMAP4(self.settings["host"], self.settings["imap_port"], timeout=TIMEOUT)
        imap.login(self.settings["address"], self.settings["password"])
        imap.select(readonly=True)
        return imap

    def answer(self, letter: Mail, lines: Sequence[str]) -> None:
        """Answer by SMTP."""
        reply = reply_to(letter, lines)
        reply["From"] = self.settings["address"]
        reply["Date"] = email.utils.localtime()
        reply["Message-ID"] = email.utils.make_msgid(domain=self.settings["address"].rpartition("@")[2])
        with smtplib.SMTP(self.settings["host"], self.settings["smtp_port"], timeout=TIMEOUT) as smtp:
            smtp.send_message(reply)


def reply_to(letter: Mail, lines: Sequence[str]) -> Mail:
    """Answer as mail programs do: new text, attribution, old letter quoted."""
    reply = Mail()
    reply["To"] = str(letter["Reply-To"] or letter["From"])
    reply["Subject"] = f"Re: {letter['Subject']}"
    reply["In-Reply-To"] = letter["Message-ID"]
    quoted = [f"> {line}".rstrip() for line in text_of_letter(letter).splitlines()]
    attribution = f"On {letter['Date']}, {letter['From']} wrote:"
    reply.set_content("\n".join([*lines, "", attribution, *quoted]) + "\n")
    return reply


def play_and_exit_code() -> int:
    """Play, and return the exit code."""
    try:
        MailboxPlayer(json.loads(Path(sys.argv[1]).read_text("utf-8"))).play()
    except (PlayerGivenUp, OSError, smtplib.SMTPException) as wrong:
        print(f"gives up: {wrong}", flush=True)
        return 1
    print("has the last report", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(play_and_exit_code())
