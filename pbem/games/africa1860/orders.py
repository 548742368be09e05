"""Reading orders: a block of a letter becomes actions and standing orders, every mistake a refused line.

Only what no event can change is checked here: words, names, owners. What the position allows is held against it by
legality.py, before the first die and when the orders are carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pbem.core.game import Orders, Reading, Rejected, Warned
from pbem.core.grammar import Reader, Wrong
from pbem.core.lex import Statement, split, statements
from pbem.core.messages import Msg, msg
from pbem.core.names import Names
from pbem.core.standing import Lexicon, Rule, Scope, read_condition, read_rule, read_scope, unknown_space, unknown_unit
from pbem.games.africa1860.actions import Action, Activate, Assault, Caracole, Fire, If, Move, Pass, Retire, Stop
from pbem.games.africa1860.state import State
from pbem.games.africa1860.vocabulary import VOCABULARY

__all__ = ["lexicon", "parse"]

VERBS = (
    "ACTIVATE",
    "MOVE",
    "FIRE",
    "ASSAULT",
    "CHARGE",
    "CARACOLE",
    "RETIRE",
    "PASS",
    "STOP IF",
    "IF",
    "ELSE",
    "ENDIF",
)
REACTIONS: Mapping[str, str] = {
    "VANGUARD": "+prefs",
    "SCREEN": "+prefs",
    "CAVALRY": "STAY|COUNTERCHARGE|CARACOLE>space",
    "ARTILLERY": "FIRE|KEEP",
    "COUNTERBATTERY": "YES|NO+prefs",
    "APPROACH": "IGNORE|CHARGE|CARACOLE",
    "DETACH": "+prefs",
    "LOSSES": "+prefs",
    "FALLBACK": "spaces",
}
EVENTS = ("ASSAULTED", "APPROACHED", "SHELLED", "CHARGED")
COUNTS = ("STEPS", "UNITS", "CAV", "INF", "ART")
KINDS = ("INF", "LIGHT", "CAV", "ART")


@lru_cache(maxsize=256)
def _index(entries: tuple[tuple[str, tuple[str, ...]], ...]) -> Names:
    return Names(dict(entries))


def lexicon(view: State, side: str) -> Lexicon:
    """Return the names a seat of `side` may use: spaces, its own units, and all units it can see."""
    full = view.edition.names
    known = {**{i: u.side for i, u in view.units.items()}, **_others(view)}

    def index(ids: Iterable[str]) -> Names:
        return _index(tuple((i, (full[i],) if i in full else ()) for i in sorted(ids)))

    spaces = _index(tuple((s.id, (s.en, s.es)) for _, s in sorted(view.edition.map.spaces.items())))
    mine = index(ident for ident, holder in known.items() if holder == side)
    return Lexicon(EVENTS, REACTIONS, COUNTS, KINDS, index(known), spaces, mine)


def _others(view: State) -> dict[str, str]:
    """Units out of play or still to come, and the side they belong to."""
    rows = view.edition.scenario.get("reinforcements", ())
    start = view.edition.scenario.get("units", ())
    texts = [*start, *(row["unit"] for row in rows)]
    return {words[2]: words[0] for words in (text.split() for text in texts)}


@dataclass
class _Frame:
    """Where actions go: a list of its own, the activation begun in it, and the space they act in."""

    items: list[Action] = field(default_factory=list)
    activation: tuple[int, str, list[Action]] | None = None
    space: str = ""
    condition: tuple[int, tuple[Any, ...]] = (0, ())
    then: tuple[Action, ...] | None = None
    lost: bool = False

    def add(self, action: Action) -> None:
        if self.lost and not isinstance(action, Retire):
            return
        (self.activation[2] if self.activation else self.items).append(action)

    def close(self) -> tuple[Action, ...]:
        """End the activation begun in this frame and return its actions."""
        if self.activation is not None:
            line, space, actions = self.activation
            self.items.append(Activate(line, space, tuple(actions)))
            self.activation = None
        return tuple(self.items)


class _Parser:
    def __init__(self, view: State, side: str) -> None:
        self.view = view
        self.side = side
        self.lexicon = lexicon(view, side)
        self.frames = [_Frame()]
        self.rules: list[Rule] = []
        self.scope: Scope | None = None
        self.rejected: list[Rejected] = []
        self.warned: list[Warned] = []

    def read(self, text: str) -> Reading:
        for statement in statements(text):
            if VOCABULARY.length(statement.tokens, 0, "END") and len(statement.tokens) == 1:
                break
            if self._standing(statement):
                continue
            for command in split(statement):
                self._guarded(command, self._command)
        while len(self.frames) > 1:
            frame = self.frames[-1]
            line = frame.condition[0]
            self.rejected.append(Rejected(line, 0, "IF", msg("this IF has no ENDIF"), "O2"))
            self._end_if()
        actions = self.frames[0].close()
        rejected = tuple(sorted(self.rejected, key=lambda item: (item.line, item.column)))
        return Reading(Orders(actions, tuple(self.rules)), rejected, tuple(self.warned))

    def _guarded(self, statement: Statement, read: Callable[[Reader], None]) -> None:
        reader = Reader(statement, VOCABULARY, "O3")
        try:
            read(reader)
        except Wrong as wrong:
            self.rejected.append(wrong.rejected)
        for written, ident in reader.corrected:
            if written.casefold() != ident.casefold():
                why = msg("{word} was read as {name}", word=written, name=ident)
                self.warned.append(Warned(statement.line, why, "O3"))

    # Standing orders

    def _standing(self, statement: Statement) -> bool:
        """Read a line of a standing block; False if the line is none."""
        words = statement.tokens
        if self.scope is None and not VOCABULARY.length(words, 0, "STANDING"):
            return False
        if VOCABULARY.length(words, 0, "ENDSTANDING"):
            self.scope = None
        elif VOCABULARY.length(words, 0, "STANDING"):
            self.scope = Scope()
            self._guarded(statement, self._open_scope)
        else:
            self._guarded(statement, self._rule)
        return True

    def _open_scope(self, reader: Reader) -> None:
        reader.rule = "C10"
        reader.expect("STANDING")
        self.scope = read_scope(reader, self.lexicon)

    def _rule(self, reader: Reader) -> None:
        reader.rule = "C10"
        scope = self.scope or Scope()
        number = 1 + sum(rule.scope == scope for rule in self.rules)
        self.rules.append(read_rule(reader, self.lexicon, scope, number))

    # Actions

    def _command(self, reader: Reader) -> None:
        verb = reader.accept(*VERBS)
        if not verb:
            raise reader.wrong(msg("{word} is no order", word=reader.words[0].text), "O3", _near_verbs(reader))
        if verb == "ACTIVATE":
            self._activate(reader)
        elif verb == "IF":
            condition = read_condition(reader, self.lexicon)
            reader.finish()
            self.frames.append(_Frame(space=self.frames[-1].space, condition=(reader.line, condition)))
        elif verb in ("ELSE", "ENDIF"):
            self._branch(reader, verb)
        else:
            action = self._action(reader, verb)
            reader.finish()
            if not self.frames[-1].space and not isinstance(action, Retire | Pass | Stop):
                reader.at = 0
                raise reader.wrong(msg("no space is activated yet: ACTIVATE comes first"), "O2")
            self.frames[-1].add(action)

    def _activate(self, reader: Reader) -> None:
        frame = self.frames[-1]
        frame.close()
        frame.lost, frame.space = True, "?"
        space = reader.name(self.lexicon.spaces, unknown_space, "O2")
        reader.finish()
        frame.lost, frame.space = False, space
        frame.activation = (reader.line, space, [])

    def _branch(self, reader: Reader, verb: str) -> None:
        frame = self.frames[-1]
        if len(self.frames) == 1 or (verb == "ELSE" and frame.then is not None):
            reader.at = 0
            raise reader.wrong(msg("there is no IF for this {word}", word=verb), "O2")
        reader.finish()
        if verb == "ENDIF":
            self._end_if()
            return
        frame.then = frame.close()
        frame.items, frame.space, frame.lost = [], self.frames[-2].space, False

    def _end_if(self) -> None:
        frame = self.frames.pop()
        body = frame.close()
        line, condition = frame.condition
        then, otherwise = (body, ()) if frame.then is None else (frame.then, body)
        self.frames[-1].add(If(line, condition, then, otherwise))

    def _action(self, reader: Reader, verb: str) -> Action:
        if verb == "MOVE":
            return self._move(reader)
        if verb == "FIRE":
            shots = reader.groups(self.lexicon.mine, self._unknown)
            reader.expect("TO")
            return Fire(reader.line, shots, self._space(reader))
        if verb in ("ASSAULT", "CHARGE"):
            return self._assault(reader, verb)
        if verb == "CARACOLE":
            units = self._units(reader)
            reader.expect("TO")
            target = self._space(reader)
            return Caracole(reader.line, units, target, self._space(reader) if reader.accept("BACK TO") else "")
        if verb == "RETIRE":
            units = tuple(sorted(self._units(reader)))
            return Retire(reader.line, units, self._space(reader) if reader.accept("TO") else "")
        if verb == "STOP IF":
            return Stop(reader.line, read_condition(reader, self.lexicon))
        return Pass(reader.line)

    def _move(self, reader: Reader) -> Move:
        named = list(self._units(reader))
        if reader.accept("WITH"):
            named += self._units(reader)
        reader.expect("TO")
        target = self._space(reader)
        via = self._space(reader) if reader.accept("VIA") else ""
        leaders = tuple(sorted(i for i in named if i in self.view.units and self.view.units[i].is_leader))
        return Move(reader.line, tuple(sorted(i for i in named if i not in leaders)), leaders, target, via)

    def _assault(self, reader: Reader, verb: str) -> Assault:
        if verb == "ASSAULT":
            target = self._space(reader)
            reader.expect("WITH")
            units = self._units(reader)
        else:
            units = self._units(reader)
            reader.expect("TO")
            target = self._space(reader)
        order = Assault(reader.line, verb, target, tuple(sorted(units)))
        while not reader.done:
            order = self._clause(reader, order)
        return order

    def _clause(self, reader: Reader, order: Assault) -> Assault:
        clause = reader.expect("LED BY", "VANGUARD", "SCREEN", "SUPPORT", "DETACH", "LOSSES", "VIA")
        if clause == "LED BY":
            return order._replace(leader=self._unit(reader))
        if clause == "VANGUARD":
            return order._replace(vanguard=self._unit(reader))
        if clause == "SCREEN":
            return order._replace(screen=reader.accept("NONE") or self._unit(reader))
        if clause == "SUPPORT":
            none = bool(reader.accept("NONE"))
            return order._replace(support=() if none else reader.groups(self.lexicon.mine, self._unknown))
        if clause == "DETACH":
            return order._replace(detach=() if reader.accept("NONE") else tuple(sorted(self._units(reader))))
        if clause == "LOSSES":
            return order._replace(losses=self._units(reader))
        return order._replace(via=self._space(reader))

    def _space(self, reader: Reader) -> str:
        return reader.name(self.lexicon.spaces, unknown_space, "O2")

    def _unit(self, reader: Reader) -> str:
        return reader.name(self.lexicon.mine, self._unknown, "R2")

    def _units(self, reader: Reader) -> tuple[str, ...]:
        return reader.names(self.lexicon.mine, self._unknown, "R2")

    def _unknown(self, word: str) -> Msg:
        found = self.lexicon.units.find(word)
        if found.how == "exact":
            return msg("{unit} is not yours", unit=found.ids[0])
        return unknown_unit(word)


def _near_verbs(reader: Reader) -> tuple[str, ...]:
    verbs = _index(tuple((verb, VOCABULARY.table[verb][1:]) for verb in VERBS))
    return verbs.find(reader.words[0].text).ids[:3]


def parse(text: str, view: State, side: str) -> Reading:
    """Read a block of orders for `side`; the first line END or FIN ends it, what follows is not read."""
    return _Parser(view, side).read(text)
