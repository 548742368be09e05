"""Those who play and direct: each reads what lies in his mailbox, and writes what his part and his luck have him write.

They know nothing but their letters. At a table they play little: they concede, agree on a draw, pass, or say nothing.
"""

from __future__ import annotations

import email
import email.policy
import re
from datetime import timedelta
from email.message import EmailMessage
from random import Random

from tests.tournaments.seeds.settings import Part, Setting
from tests.tournaments.seeds.town import DIRECTOR, OURS, Town

CODED = re.compile(r"^ *((?:[A-ZÓÍ]+ .*)?\b(?:CODE|CODIGO) [a-z2-7]{8}\b.*)$", re.MULTILINE)
"""A line that a letter asks to be sent back."""
FORM = re.compile(r"^((?:ORDERS|ORDENES) T(\d+) #\w+)\n(?:.*\n)*?(END|FIN)$", re.MULTILINE)
ROUND = re.compile(r"^\[\w+\] (?:Round|Ronda) (\d+): (?!bid|puje|choose|elija)")
JOINED = re.compile(r"^(?:Round|Ronda) (\d+): \S.*\.$", re.MULTILINE)
BID = re.compile(r"^\[\w+\] (?:Round|Ronda) \d+: (?:bid|puje|(?P<battle>choose|elija))")
SEAT = re.compile(r"\+(?P<name>[a-z0-9-]+)-(?P<seat>[a-z][a-z0-9]*)-[a-z2-7]{16}@")
ENTRANT = re.compile(r"e[0-9]+")
OFFER = re.compile(r"(?:is offered to you|se le ofrece)\b")
THERE = re.compile(r"(?:are you there|está usted)\?")
VOTE = re.compile(r"^ *(?:VOTE|VOTAR) (D\d+) (?:DENY|DESESTIMAR)", re.MULTILINE)
ANSWERS = re.compile(r"\b(?:ANSWER|CONTESTAR) (D\d+) (?:and your|y sus)")
DECIDES = re.compile(r"\bRULING (D\d+) UPHOLD")
RULED = re.compile(r"\bAPPEAL (D\d+) puts|\bAPELAR (D\d+) ")
ASKS = re.compile(r"^(?:ADMIT|ADMITIR) \d+", re.MULTILINE)
OVER = re.compile(r"^(?:The game is over|La partida ha terminado)\b", re.MULTILINE)
DRAWN = re.compile(r"\b(?:offers a draw|ofrece tablas)\b")
RULINGS = (
    "EXTEND R{r} 24h",
    "EXPEL {n}",
    "BAR {n} {m}",
    "REDRAW R{r}",
    "FORFEIT {n} R{r}",
    "ADMIT {n}",
    "ADJUDICATE {cup}-r{r}-01 draw",
    "RULING D1 UPHOLD",
)
WAYS, SHARES = ("concede", "draw", "pass", "nothing", "resign"), (8, 4, 2, 3, 1)


class Writer:
    """Somebody with a mailbox and a part in one tournament."""

    def __init__(self, town: Town, cup: str, part: Part, seed: object) -> None:
        self.town, self.cup, self.part = town, cup, part
        self.chance = Random(f"{seed} {part.name}")
        self.round, self.gone, self.address = 0, False, ""
        self._read = 0
        self._about = re.compile(rf"\b{cup}\b")
        self._mute = 0
        self._ways: dict[str, str] = {}
        self._coded = set[str]()

    def asks_in(self, after: float) -> None:
        """Ask for a place."""
        word, name = self._says("JOIN", "UNIRSE A"), self._says("NAME", "NOMBRE")
        team = f' {self._says("TEAM", "EQUIPO")} "{self.part.team}"' if self.part.team else ""
        line = f"{word} {self.cup}{team} {name} {self.part.name} ZONE {self.part.zone} LANG {self.part.language}"
        self.town.write(self.part.address, OURS, line, after)

    def reads(self) -> None:
        """Read what came since the last time, and answer what is to be answered."""
        box = self.town.boxes[self.part.address]
        while self._read < len(box):
            letter = email.message_from_bytes(box[self._read], _class=EmailMessage, policy=email.policy.default)
            self._read += 1
            text, subject, to = text_of(letter), str(letter["Subject"]), str(letter["Reply-To"] or "")
            # He may play elsewhere too: what is not about this tournament is read by his other part.
            if self._about.search(f"{subject}\n{to}\n{text}"):
                self._considers(text, subject, to)

    def _says(self, english: str, spanish: str) -> str:
        return spanish if self.part.language == "es" else english

    def _is_silent(self) -> bool:
        return 0 < self.part.silent <= self.round or 0 < self._mute == self.round

    def _writes(self, to: str, *lines: str) -> None:
        after = self.chance.uniform(self.part.soonest, self.part.latest)
        self.town.write(self.part.address, to, "\n".join(lines) + "\n", after)
        if self.chance.random() < 0.02:
            # Whoever is impatient sends it once more.
            self.town.write(self.part.address, to, "\n".join(lines) + "\n", after + 1)

    def _considers(self, text: str, subject: str, to: str) -> None:
        seat = SEAT.search(to)
        if seat and ENTRANT.fullmatch(seat["seat"]):
            self.address = to
        if draw := ROUND.match(subject) or JOINED.search(text):
            self._begins(int(draw[1]))
        if self._is_silent():
            if THERE.search(subject) and self.part.back:
                self._writes(to, self._says("HERE", "PRESENTE"))
            return
        if (coded := CODED.search(text)) and coded[1] not in self._coded:
            # One that comes again has been refused.
            self._coded.add(coded[1])
            self._writes(to or OURS, coded[1])
        elif THERE.search(subject):
            if not self.part.ignores:
                self._writes(to, self._says("HERE", "PRESENTE"))
        elif asks := ASKS.search(text):
            self._writes(to, asks[0])
        elif OFFER.search(subject):
            self._answers_offer(to)
        elif wished := BID.match(subject):
            side = f"BID {self.chance.randrange(4)} FOR {self.chance.choice(('spain', 'morocco'))}"
            battle = f"{self._says('CHOOSE', 'ELEGIR')} {self.chance.choice(('drill', 'brigades, drill'))}"
            self._writes(to, battle if wished["battle"] else side)
        elif vote := VOTE.search(text):
            if not self.part.ignores:
                word = self.chance.choice(("UPHOLD", "DENY", "DRAW"))
                self._writes(to, f"VOTE {vote[1]} {word} BECAUSE it is plain")
        elif accused := ANSWERS.search(text):
            if not self.part.ignores:
                self._writes(to, f"{self._says('ANSWER', 'CONTESTAR')} {accused[1]} We had agreed on nothing.")
        elif ruled := RULED.search(text):
            if self.chance.random() < self.part.quarrels:
                self._writes(to, f"APPEAL {ruled[1] or ruled[2]}")
        elif seat and not ENTRANT.fullmatch(seat["seat"]):
            self._at_table(seat["name"], text, to)

    def _answers_offer(self, to: str) -> None:
        if not self.part.ignores:
            no = self.part.declines and self.chance.random() < 0.7
            self._writes(to, self._says("DECLINE", "RECHAZAR") if no else self._says("ACCEPT", "ACEPTAR"))

    def _begins(self, number: int) -> None:
        """A round is drawn: whoever has something to do in it does it."""
        if number <= self.round:
            return
        self.round, part = number, self.part
        if part.rests == number + 1:
            self._writes(self.address, self._says(f"REST R{number + 1}", f"DESCANSAR R{number + 1}"))
        if part.leaves == number:
            self._writes(self.address, self._says(f"WITHDRAW AFTER R{number}", f"RETIRARSE TRAS R{number}"))
        if part.goes == number and not self.gone:
            self.gone = True
            self._writes(self.address, self._says("WITHDRAW", "RETIRARSE"))
            if part.returns:
                self.town.write(part.address, self.address, self._says("RETURN", "VOLVER"), part.latest * 2 + 100)

    def _at_table(self, game: str, text: str, to: str) -> None:
        # Mirrored tables of a board end in a and b.
        if self.part.mutes and game.rstrip("ab").endswith(f"-{self.part.mutes:02}"):
            self._falls_mute()
            return
        form = FORM.search(text)
        way = self._ways.setdefault(game, self.chance.choices(WAYS, SHARES)[0])
        if OVER.search(text):
            if self.chance.random() < self.part.quarrels:
                self._writes(self.address, f"{self._says('DISPUTE', 'DISPUTA')} {game} We had agreed on a draw.")
        elif DRAWN.search(text):
            if way != "nothing" and self.chance.random() < 0.8:
                self._writes(to, self._says("DRAW", "TABLAS"))
        elif form and way != "nothing":
            if way != "pass" and (int(form[2]) > 1 or self.chance.random() < 0.6):
                self._writes(
                    to,
                    {
                        "concede": self._says("CONCEDE", "RENDIRSE"),
                        "draw": self._says("DRAW", "TABLAS"),
                        "resign": self._says("RESIGN", "ABANDONAR"),
                    }[way],
                )
                self._ways[game] = "pass"
            else:
                self._writes(to, form[1], self._says("PASS", "PASAR"), form[3])

    def _falls_mute(self) -> None:
        """Write nothing for the rest of the round; three of four come back of themselves, after a while."""
        if self._mute < self.round:
            self._mute = self.round
            if self.chance.random() < 0.75:
                back = self._says("RETURN", "VOLVER")
                self.town.write(self.part.address, self.address, back, self.chance.uniform(100, 500))


class Director:
    """Who directs: reads, and now and then rules something; never asked twice, and never needed.

    What is on his `agenda` he writes one after the other, a line a letter; with HANDOVER he has done.
    """

    def __init__(self, town: Town, cup: str, setting: Setting, seed: object, address: str = DIRECTOR) -> None:
        self.town, self.rulings, self.address = town, setting.rulings, address
        self.chance = Random(f"{seed} director")
        self.agenda = list(setting.agenda)
        self.asked: list[str] = []
        self._cup = cup
        self._about = re.compile(rf"\b{cup}\b")
        self._read = 0
        self._resigned = False

    def reads(self) -> None:
        """Read what came, and write what he thinks of."""
        box = self.town.boxes[self.address]
        for raw in box[self._read :]:
            letter = email.message_from_bytes(raw, _class=EmailMessage, policy=email.policy.default)
            text = text_of(letter)
            if self._about.search(f"{letter['Subject']}\n{letter['Reply-To']}\n{text}") and not self._resigned:
                self._considers(letter, text)
        self._read = len(box)

    def _considers(self, letter: EmailMessage, text: str) -> None:
        code = re.search(r"^ *((?:CODE|CODIGO) [a-z2-7]{8})$", text, re.MULTILINE)
        if code and self.asked:
            self._resigned = self.asked[-1].startswith("HANDOVER")
            self._writes(letter, self.asked.pop(), code[1])
        elif disputes := DECIDES.findall(text):
            if self.chance.random() < 0.5:
                outcome = self.chance.choice(("UPHOLD", "DENY", "DRAW", "WARN", "HOURS 12"))
                self._asks(letter, f"RULING {disputes[0]} {outcome}")
        elif self.agenda:
            self._asks(letter, self.agenda.pop(0).format(soon=self.town.clock.at + timedelta(days=4)))
        elif self.chance.random() < self.rulings:
            number = {key: self.chance.randrange(1, most) for key, most in (("n", 9), ("m", 9), ("r", 4))}
            self._asks(letter, self.chance.choice(RULINGS).format(cup=self._cup, **number))

    def _asks(self, letter: EmailMessage, line: str) -> None:
        self.asked = [line if line.startswith("ANNOUNCE") else f"{line} BECAUSE so it is"]
        self._writes(letter, self.asked[0])

    def _writes(self, letter: EmailMessage, *lines: str) -> None:
        self.town.write(self.address, str(letter["Reply-To"]), "\n".join(lines), self.chance.uniform(1, 10))


class People:
    """All who write in one tournament."""

    def __init__(self, town: Town, cup: str, setting: Setting, seed: object) -> None:
        self.writers = [Writer(town, cup, part, seed) for part in setting.people]
        self.directors = [Director(town, cup, setting, seed)]
        if setting.successor:
            self.directors.append(Director(town, cup, setting._replace(agenda=()), seed, setting.successor))
        self.late = [writer for writer in self.writers if writer.part.comes]
        for order, writer in enumerate(self.writers):
            if not writer.part.comes:
                writer.asks_in(1.0 + order)

    def read(self) -> None:
        """Let everybody read and write; who comes late asks once a round is drawn."""
        for writer in self.writers:
            writer.reads()
        for director in self.directors:
            director.reads()
        if self.late and any(writer.round for writer in self.writers):
            for writer in self.late:
                writer.asks_in(6)
            self.late = []


def text_of(letter: EmailMessage) -> str:
    """The letter's text, LF lines."""
    body = letter.get_body(("plain",))
    return "" if body is None else str(body.get_content()).replace("\r\n", "\n")
