"""Reading orders: a block of a letter becomes actions and standing orders, every mistake a refused line.

Only what no event can change is checked here: words, names, owners. What the position allows is held against it by
legality.py, before the first die and when the orders are carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from pbem.core.data.messages import Msg, msg
from pbem.core.game import Orders, Reading, Rejected, Warned
from pbem.core.orders.grammar import MOST_WRONG, Reader, Wrong
from pbem.core.orders.lex import Statement, split, tokens
from pbem.core.orders.names import Names
from pbem.core.orders.standing import (
    Idiom,
    Lexicon,
    Rule,
    Scope,
    read_condition,
    read_rule,
    read_scope,
    unknown_space,
    unknown_unit,
)
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, Caracole, Fire, If, Move, Pass, Retire, Stop
from pbem.games.africa1860.orders.vocabulary import VOCABULARY
from pbem.games.africa1860.setup.edition import Edition
from pbem.games.africa1860.state import State

__all__ = ["lexicon", "parse", "parse_attack"]

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
    "CAVALRY": "STAY|COUNTERCHARGE|CARACOLE>SHELTER",
    "ARTILLERY": "FIRE|KEEP",
    "COUNTERBATTERY": "YES|NO+prefs",
    "APPROACH": "IGNORE|CHARGE|CARACOLE",
    "DETACH": "+prefs",
    "LOSSES": "+prefs",
    "FALLBACK": "spaces",
}
EVENTS = ("ASSAULTED", "APPROACHED", "SHELLED", "CHARGED")
COUNTS = ("STEPS", "UNITS", "CAV", "INF", "ART")
STATES = ("HERE", "FRESH", "DEMORALISED", "SPENT")
KINDS = ("INF", "LIGHT", "CAV", "ART")
IDIOM = Idiom("C10", EVENTS, REACTIONS, COUNTS, STATES, KINDS, "STEPS")


@lru_cache(maxsize=256)
def _index(entries: tuple[tuple[str, tuple[str, ...]], ...]) -> Names:
    return Names(dict(entries))


class _Shelf(NamedTuple):
    """What a side's letters are read with: the names, and the standing orders that were read with them before.

    Standing orders come again with every phase; the lines that could be read are kept, by their text and scope, and
    the scopes by the lines that open them.
    """

    lexicon: Lexicon
    rules: dict[tuple[str, Scope], Rule]
    scopes: dict[str, Scope]


class _Shelves:
    """The shelves of an edition: its units by side, in play or not, and a shelf for each side and what joined it."""

    def __init__(self, edition: Edition) -> None:
        scenario = edition.scenario
        texts = [*scenario.get("units", ()), *(row["unit"] for row in scenario.get("reinforcements", ()))]
        self.sides = {words[2]: words[0] for words in map(str.split, texts)}
        self.known: dict[tuple[str, tuple[tuple[str, str], ...]], _Shelf] = {}


_KEPT = 1024
"""Standing orders kept on a shelf."""
_shelves: WeakKeyDictionary[Edition, _Shelves] = WeakKeyDictionary()


def lexicon(view: State, side: str) -> Lexicon:
    """Return the names a seat of `side` may use: spaces, its own units, and all units it can see."""
    return _shelf(view, side).lexicon


def _shelf(view: State, side: str) -> _Shelf:
    shelves = _shelves.get(view.edition)
    if shelves is None:
        shelves = _shelves[view.edition] = _Shelves(view.edition)
    joined: tuple[tuple[str, str], ...] = ()
    if not view.units.keys() <= shelves.sides.keys():
        joined = tuple(sorted((i, unit.side) for i, unit in view.units.items() if i not in shelves.sides))
    shelf = shelves.known.get((side, joined))
    if shelf is None:
        known = _names(view.edition, {**shelves.sides, **dict(joined)}, side)
        shelf = shelves.known[side, joined] = _Shelf(known, {}, {})
    return shelf


def _names(edition: Edition, sides: Mapping[str, str], side: str) -> Lexicon:
    full = edition.names

    def index(ids: Iterable[str]) -> Names:
        return _index(tuple((i, (full[i],) if i in full else ()) for i in sorted(ids)))

    spaces = _index(tuple((s.id, (s.en, s.es)) for _, s in sorted(edition.map.spaces.items())))
    mine = index(ident for ident, holder in sides.items() if holder == side)
    return Lexicon(IDIOM, index(sides), spaces, mine)


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
        if self.lost and not isinstance(action, Retire | If | Stop):
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
        self.lexicon, self.kept, self.opening = _shelf(view, side)
        self.frames = [_Frame()]
        self.rules: list[Rule] = []
        self.counts: dict[Scope, int] = {}
        self.scope: Scope | None = None
        self.rejected: list[Rejected] = []
        self.warned: list[Warned] = []

    def read(self, text: str) -> Reading:
        for number, line in enumerate(text.split("\n"), start=1):
            if len(self.rejected) >= MOST_WRONG:
                break
            if self.scope is not None and (kept := self.kept.get((line, self.scope))) is not None:
                self._add(kept)
                continue
            if (opened := self.opening.get(line)) is not None:
                self.scope = opened
                continue
            statement = Statement(number, tokens(line))
            if len(statement.tokens) == 1 and VOCABULARY.length(statement.tokens, 0, "END"):
                break
            if statement.tokens and not self._standing(statement, line):
                for command in split(statement):
                    if len(self.rejected) < MOST_WRONG:
                        self._guarded(command, self._command)
        while len(self.frames) > 1:
            begun, _ = self.frames[-1].condition
            self.rejected.append(Rejected(begun, 0, "IF", msg("this IF has no ENDIF"), "O2"))
            self._end_if()
        actions = self.frames[0].close()
        rejected = tuple(sorted(self.rejected, key=lambda item: (item.line, item.column)))
        return Reading(Orders(actions, tuple(self.rules)), rejected, tuple(self.warned))

    def _guarded(self, statement: Statement, read: Callable[[Reader], None]) -> bool:
        """Let `read` take a command; a mistake is put down, and a name not written out. Return whether neither was."""
        reader = Reader(statement, VOCABULARY, "O3")
        good = True
        try:
            read(reader)
        except Wrong as wrong:
            self.rejected.append(wrong.rejected)
            good = False
        for written, ident in reader.corrected:
            if written.casefold() != ident.casefold():
                why = msg("{word} was read as {name}", word=written, name=ident)
                self.warned.append(Warned(statement.line, why, "O3"))
        return good and not reader.corrected

    # Standing orders

    def _standing(self, statement: Statement, line: str) -> bool:
        """Read a line of a standing block; False if the line is none."""
        words = statement.tokens
        if self.scope is None and not VOCABULARY.length(words, 0, "STANDING"):
            return False
        if VOCABULARY.length(words, 0, "ENDSTANDING"):
            self.scope = None
        elif VOCABULARY.length(words, 0, "STANDING"):
            self.scope = Scope()
            if self._guarded(statement, self._open_scope) and len(self.opening) < _KEPT:
                self.opening[line] = self.scope
        elif self._guarded(statement, self._rule) and self.scope is not None and len(self.kept) < _KEPT:
            self.kept[line, self.scope] = self.rules[-1]
        return True

    def _open_scope(self, reader: Reader) -> None:
        reader.rule = IDIOM.rule
        reader.expect("STANDING")
        self.scope = read_scope(reader, self.lexicon)

    def _rule(self, reader: Reader) -> None:
        reader.rule = IDIOM.rule
        self._add(read_rule(reader, self.lexicon, self.scope or Scope(), 0))

    def _add(self, rule: Rule) -> None:
        """Put a standing order at the end of its scope."""
        number = self.counts[rule.scope] = self.counts.get(rule.scope, 0) + 1
        self.rules.append(rule if rule.number == number else rule._replace(number=number))

    # Actions

    def _command(self, reader: Reader) -> None:
        verb = reader.accept(*VERBS)
        if not verb:
            raise reader.no_order(VERBS)
        if verb == "ACTIVATE":
            self._activate(reader)
        elif verb == "IF":
            reader.deeper(len(self.frames))
            condition = read_condition(reader, self.lexicon)
            reader.finish()
            around = self.frames[-1]
            self.frames.append(_Frame(space=around.space, condition=(reader.line, condition), lost=around.lost))
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
            raise reader.wrong(msg("there is no IF for this {word}", word=VOCABULARY.spoken(verb)), "O2")
        reader.finish()
        if verb == "ENDIF":
            self._end_if()
            return
        frame.then = frame.close()
        frame.items, frame.space, frame.lost = [], self.frames[-2].space, self.frames[-2].lost

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

    def attack(self, text: str) -> Reading:
        self._guarded(Statement(1, tokens(text)), self._attack)
        return Reading(Orders(self.frames[0].close()), tuple(self.rejected), tuple(self.warned))

    def _attack(self, reader: Reader) -> None:
        """An assault or charge FROM a space, or from where its units stand."""
        space = self._space(reader) if reader.accept("FROM") else ""
        order = self._assault(reader, reader.expect("ASSAULT", "CHARGE"))
        reader.finish()
        places = sorted({self.view.units[ident].at for ident in order.units if ident in self.view.units})
        if not space and len(places) > 1:
            reader.at = 0
            why = msg("its units stand in {spaces}: say FROM which of them", spaces=tuple(places))
            raise reader.wrong(why, "O8.1", tuple(f"FROM {place} {order.verb}" for place in places[:3]))
        self.frames[0].items.append(Activate(order.line, space or "".join(places), (order,)))

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


def parse(text: str, view: State, side: str) -> Reading:
    """Read a block of orders for `side`; the first line END or FIN ends it, what follows is not read."""
    return _Parser(view, side).read(text)


def parse_attack(text: str, view: State, side: str) -> Reading:
    """Read ``[FROM space] ASSAULT ...`` or ``[FROM space] CHARGE ...`` of a seat of `side`, by its fixed checks."""
    return _Parser(view, side).attack(text)
