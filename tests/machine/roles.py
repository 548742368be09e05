"""Those who write without a seat: the game's moderator, a tournament's entrants and its director; what they may do.

A letter changes what is its author's and nothing else: entrants, the docket and the rulings of the game are looked at
before and after each. What a code makes is made once, and nobody hears of it before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.store import tables
from tests.harness.letters import mail
from tests.harness.tournament import DIRECTOR, names
from tests.machine.quartet import SIDES
from tests.machine.server import EVENT, MODERATOR

if TYPE_CHECKING:
    from tests.machine.play import Play

PEOPLE = names(3)
ELSEWHERE = "somebody@elsewhere.example"
SERVER = "pbem@games.example"
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "moderator": ("STATUS", "HISTORY", "PREDICT", "HELP", "ROTATE"),
    "director": ("STATUS", "ESTADO", "STANDINGS", "DOCKET", "HELP", "ROTATE"),
    "entrant": ("STATUS", "STANDINGS", "HERE", "REST R1", "REST R2", "RETURN R1", "HELP", "ROTATE", "ORDERS T1", "X"),
}
"""What each asks, or orders of what is his own."""
LINES: Mapping[str, tuple[str, ...]] = {
    "moderator": ("HOLD", "RESUME", "PROCESS", "EXTEND 30h", "SUBSTITUTE", "ADJUDICATE red wins", "ANNOUNCE Hello."),
    "director": ("EXPEL 1", "EXPEL 2", "ADMIT 1", "ADMIT 2", "BAR 1 2", "EXPEL 9", "CANCEL"),
}
"""What each rules."""
WAYS = ("alone", "alone", "above", "others", "another's")
"""How a code comes back."""
_SILENT = ("over-budget", "repeated", "silent")
_CODE = re.compile(r"\bCODE ([a-z2-7]{8})\b")
_ADDRESS = re.compile(r"pbem\+[a-z0-9-]+@games\.example")
_CODED = re.compile(r"^(?:(JOIN|WITHDRAW) .*)?CODE [a-z2-7]{8}.*$", re.MULTILINE)


class Letter(NamedTuple):
    """What is known of a letter: its author's role and address, what it is, its lines and the word that is secret."""

    role: str
    who: str
    kind: str
    lines: tuple[str, ...] = ()
    word: str = ""
    code: str = ""
    to: str = ""


@dataclass
class Code:
    """A code that was mailed: the letter that asked for it, the line to send, when, and how all stood then."""

    asked: Letter
    line: str
    at: datetime
    stood: Any
    used: bool = False


@dataclass
class Roles:
    """What is known of them, beside a server that is played."""

    play: Play
    letters: dict[str, Letter] = field(default_factory=dict)
    codes: dict[str, Code] = field(default_factory=dict)
    stood: dict[str, Any] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    answered: set[str] = field(default_factory=set)
    rows: dict[Any, Any] = field(default_factory=dict)

    # What happens.

    def ask(self, role: str, text: str, pick: int = 0, elsewhere: bool = False) -> None:
        """A question, or what anybody may do for himself; an entrant who has not entered asks to be let in."""
        who = {"moderator": MODERATOR, "director": DIRECTOR}.get(role, PEOPLE[pick % len(PEOPLE)])
        if role == "entrant" and self._address(role, who) == SERVER:
            role, text, elsewhere = "stranger", f"JOIN {EVENT} NAME {who[:2]}", False
        self._send(Letter(role, who, "question", (text,)), elsewhere)

    def rule(self, role: str, line: str, elsewhere: bool = False) -> None:
        """A ruling without a code; a word that is in its reason is its author's until it is made."""
        word = self.play.word(MODERATOR if role == "moderator" else DIRECTOR)
        line = f"{self.play.line_of(line) if role == 'moderator' else line} BECAUSE of {word}"
        self._send(Letter(role, DIRECTOR if role == "director" else MODERATOR, "ruling", (line,), word), elsewhere)

    def confirm(self, pick: int, way: str) -> None:
        """A code comes back ``alone``, or ``above`` it its lines or ``others``; or ``another's``, in his name."""
        if not self.codes:
            return
        code, of = sorted(self.codes.items(), key=lambda entry: entry[1].at)[pick % len(self.codes)]
        asked = of.asked
        if asked.kind == "question":
            role = "entrant" if of.line.startswith("WITHDRAW") else "stranger"
            line = of.line.replace(code, "aaaaaaaa") if way == "another's" else of.line
            self._send(Letter(role, asked.who, "code", (line,), code=code if code in line else ""))
            return
        role = asked.role
        if way == "another's":
            role = "director" if asked.role == "moderator" else "moderator"
        above = {"above": asked.lines, "others": ("HOLD BECAUSE of nothing",)}.get(way, ())
        who = {"moderator": MODERATOR, "director": DIRECTOR}[role]
        self._send(Letter(role, who, "code", (*above, f"CODE {code}"), asked.word, "" if way == "others" else code))

    # What must be true.

    def look(self) -> None:
        """Note how all stands, before the next letter."""
        self.rows = self._rows()

    def took(self, name: str, row: tables.Inbox, first: bool) -> tuple[str, ...]:
        """A letter was taken in: it changed what it may, once. The lines that it ruled on the game."""
        before, self.rows = self.rows, self._rows()
        changed = {key for key in before.keys() | self.rows.keys() if before.get(key) != self.rows.get(key)}
        letter = self.letters.get(name)
        if letter is None or not first:
            assert changed <= {"phases"}, f"{name} changed {changed}"
            return ()
        if row.verdict != letter.role:
            assert letter.to != self._address(letter.role, letter.who), f"{letter} is taken for a {row.verdict}"
        if row.outcome not in _SILENT and row.verdict == letter.role != "stranger":
            self.answered.add(name)
        may = {"phases"} | ({letter.who, f"at {letter.who}"} if letter.role != "stranger" or letter.code else set())
        if row.outcome == "ruled" and letter.code:
            may |= {letter.role, *self._named(self.codes[letter.code].asked)}
        assert changed <= may, f"{letter} ({row.outcome}) changed {changed - may}"
        if letter.kind == "ruling" and row.outcome == "confirm":
            self.stood[name] = _stands(before, letter.role)
        return self._by_code(letter, row, before) if letter.kind == "code" else ()

    def _by_code(self, letter: Letter, row: tables.Inbox, before: Mapping[Any, Any]) -> tuple[str, ...]:
        """What a code did: what it was given for and to whom, once, and only as long as it was good."""
        code = self.codes.get(letter.code)
        if code is not None and (self.play.now.date() - code.at.date()).days >= 7:
            code = None
        if letter.role in ("stranger", "entrant"):
            new = letter.role == "stranger" and letter.who not in before and before["event"] == "open"
            if code is not None and new and row.outcome not in _SILENT:
                assert self.rows.get(letter.who) == "in", f"{letter} ({row.outcome}) entered nobody"
            return ()
        fresh = code is not None and not code.used and code.stood == _stands(before, letter.role)
        if code is None or not fresh or code.asked.role != letter.role:
            assert row.outcome != "ruled", f"{letter} ruled by a code that is not good"
            return ()
        if row.outcome != "ruled":
            harmless = code.asked.lines[0].startswith("ANNOUNCE") and row.verdict == letter.role
            assert not harmless or row.outcome in _SILENT, f"{letter}: {row.outcome}"
            return ()
        assert self.rows[letter.role] == before[letter.role] + len(code.asked.lines), "ruled more or less often"
        code.used = True
        self.play.readers[letter.word] = {*SIDES, MODERATOR, DIRECTOR, *PEOPLE}
        return code.asked.lines if letter.role == "moderator" else ()

    def read(self, recipient: str, letter: EmailMessage, text: str) -> None:
        """A letter was delivered: whoever gets a code or an address that is somebody's alone is always the same."""
        name = str(letter["In-Reply-To"])
        asked = self.letters.get(name)
        wrote = {"aaaaaaaa", *_CODE.findall("\n".join(asked.lines if asked is not None else ()))}
        for secret in {*_CODE.findall(text), *_ADDRESS.findall(f"{text} {letter['Reply-To']}")} - wrote:
            owner = self.owners.setdefault(secret, recipient)
            assert owner == recipient, f"{recipient} is told {secret}, which is {owner}'s:\n{text}"
        for line in _CODED.finditer(text) if asked is not None else ():
            (code,) = _CODE.findall(line[0])
            stood = self.stood.get(name)
            if asked is not None and (stood is not None or line[1]):
                self.codes.setdefault(code, Code(asked, line[0].strip(), letter["Date"].datetime, stood))

    # Small things.

    def _send(self, letter: Letter, elsewhere: bool = False) -> None:
        to = self._address(letter.role, letter.who)
        name = self.play.name()
        self.letters[name] = letter._replace(to=to)
        text = "".join(f"{line}\n" for line in letter.lines)
        raw = mail(ELSEWHERE if elsewhere else letter.who, to, text, Message_ID=name, Date=self.play.now)
        self.play.post("", name, raw, letter.kind)

    def _address(self, role: str, who: str) -> str:
        """Where one writes now; the server's own address if he has no other."""
        server = self.play.server.server
        if role == "moderator":
            return server.moderator_address(*self.play.server.all(tables.Moderator))
        if role == "director":
            return server.director_address(*self.play.server.all(tables.Tournament))
        people = {row.person_id: row.email for row in self.play.server.all(tables.Address)}
        mine = [row for row in self.play.server.all(tables.Entrant) if people[row.person_id] == who]
        return server.entrant_address(mine[0]) if mine and role == "entrant" else SERVER

    def _named(self, asked: Letter) -> set[str]:
        """Whom a director's lines name, and what of the tournament they move."""
        if asked.role != "director":
            return set()
        people = {row.person_id: row.email for row in self.play.server.all(tables.Address)}
        numbers = {str(row.number): people[row.person_id] for row in self.play.server.all(tables.Entrant)}
        named = re.findall(r"\d+", asked.lines[0].partition("BECAUSE")[0])
        who = {numbers[name] for name in named if name in numbers}
        return {"event", *who, *(f"at {name}" for name in who)}

    def _rows(self) -> dict[Any, Any]:
        """How all stands: each entrant, the tournament, the phases, and how often was ruled."""
        host = self.play.server
        people = {row.person_id: row.email for row in host.all(tables.Address)}
        entrants = host.all(tables.Entrant)
        states: dict[Any, Any] = {people[row.person_id]: row.state for row in entrants}
        assert len(states) == len(entrants), "somebody has entered twice"
        states |= {
            f"at {people[row.person_id]}": (row.name, row.resting, row.since, row.out_after, row.generation)
            for row in entrants
        }
        (event,), (moderator,) = host.all(tables.Tournament), host.all(tables.Moderator)
        phases = [row.id for row in host.all(tables.Phase) if row.state in ("open", "closed")]
        states |= {f"at {DIRECTOR}": event.director_generation, f"at {MODERATOR}": moderator.generation}
        return states | {
            "event": event.state,
            "phases": phases,
            "director": len(host.all(tables.Docket)),
            "moderator": len(host.all(tables.Ruling)),
        }


def _stands(rows: Mapping[Any, Any], role: str) -> tuple[Any, ...]:
    """What a code that rules was given for."""
    return (rows[role], rows["phases"]) if role == "moderator" else (rows[role],)
