"""Reading orders: blocks of lines in English or Spanish, turned into actions and standing orders or refused."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from pbem.core.data.messages import Msg, msg
from pbem.core.game import Orders, Reading, Rejected, Warned
from pbem.core.map.hexes import DIRECTIONS, is_hex
from pbem.core.orders.grammar import MOST_WRONG, Reader, Wrong
from pbem.core.orders.lex import Statement, Token, split, statements
from pbem.core.orders.names import Names
from pbem.core.orders.standing import Idiom, Lexicon, Rule, Scope, read_condition, read_rule, read_scope, unknown_unit
from pbem.games.peninsular.orders.actions import Action, Assault, Face, Fire, Form, If, Limber, Move, Order, Pass, Stop
from pbem.games.peninsular.orders.vocabulary import VOCABULARY
from pbem.games.peninsular.phase.arrivals import groups
from pbem.games.peninsular.setup.edition import Edition, camp
from pbem.games.peninsular.setup.roster import ORDERS
from pbem.games.peninsular.state import State

__all__ = ["VERBS", "lexicon", "parse"]

VERBS = (
    "ORDER",
    "MOVE",
    "FORM",
    "LIMBER",
    "UNLIMBER",
    "FACE",
    "FIRE",
    "ASSAULT",
    "CHARGE",
    "PASS",
    "STOP IF",
    "IF",
    "ELSE",
    "ENDIF",
)
FORMATIONS = ("FORMED", "SKIRMISH", "SQUARE")
RULES = {"ORDER": "S2", "MOVE": "S4", "FORM": "T8", "LIMBER": "T8", "UNLIMBER": "T8", "FACE": "S3"} | {
    "FIRE": "S7",
    "ASSAULT": "S5",
    "CHARGE": "S5",
}
"""The rule cited when an order's names are wrong."""
REACTIONS: Mapping[str, str] = {
    "SQUARE": "",
    "STAND": "",
    "FIRE": "ASSAULTERS|NEAREST|AT WILL|HOLD",
    "RETREAT": "1|2",
    "ADVANCE": "YES|NO",
    "RALLY": "YES|NO",
    "LED BY": "+prefs",
}
EVENTS = ("ASSAULTED", "CHARGED", "SHELLED", "")
COUNTS = ("PF", "UNITS", "CAV", "INF", "ART")
STATES = ("HERE", "FRESH", "DISORDERED", "SPENT")
KINDS = ("INF", "CAV", "ART")
IDIOM = Idiom("S1", EVENTS, REACTIONS, COUNTS, STATES, KINDS, "PF", ("FIRE HOLD",))
_MOST_RULES = 1024
"""Standing orders that are kept as they were read."""
_BARE = frozenset({"WHEN", "RETREAT", "ADVANCE", "RALLY", "SQUARE", "STAND", "FIRE HOLD"})
"""What only a standing order begins with."""


@lru_cache(maxsize=256)
def _index(entries: tuple[tuple[str, tuple[str, ...]], ...]) -> Names:
    return Names(dict(entries))


@lru_cache(maxsize=16)
def _hexes(ids: frozenset[str]) -> Names:
    return Names({ident: () for ident in sorted(ids)})


class _Language(NamedTuple):
    """The names a side may use, and the standing orders that were read with them, by scope, number and words.

    They come again in every phase, as they were.
    """

    lexicon: Lexicon
    rules: dict[tuple[Scope, int, tuple[Token, ...]], Rule]


def lexicon(view: State, side: str) -> Lexicon:
    """Return the names a seat of `side` may use: hexes, counters of its camp, and all counters it can see."""
    return _language(view, side).lexicon


def _language(view: State, side: str) -> _Language:
    remembered, others = view.edition.remembered, _others(view.edition)
    # No counter changes sides: the names are the same all game, but for a position that holds others than its scenario.
    key = ("lexicon", camp(side), tuple([(i, u.side) for i, u in view.units.items() if i not in others]))
    if key not in remembered:
        known = {**others, **{i: u.side for i, u in view.units.items()}}
        remembered[key] = _Language(_lexicon(view.edition, side, known), {})
    found: _Language = remembered[key]
    return found


def _lexicon(edition: Edition, side: str, known: Mapping[str, str]) -> Lexicon:
    """The lexicon of a side; `known` says of each counter to which side it belongs."""
    full = edition.names

    def index(ids: Iterable[str]) -> Names:
        return _index(tuple((i, (full[i],) if i in full else ()) for i in sorted(ids)))

    mine = index(ident for ident, holder in known.items() if camp(holder) == camp(side))
    return Lexicon(IDIOM, index(known), _hexes(edition.map.hexes), mine)


def _others(edition: Edition) -> Mapping[str, str]:
    """All counters of the scenario, those out of play and still to come too, and the side they belong to."""
    if "others" not in edition.remembered:
        scenario = edition.scenario
        texts = (*scenario.get("units", ()), *(text for group in groups(scenario) for text in group["units"]))
        edition.remembered["others"] = {words[2]: words[0] for words in (text.split() for text in texts)}
    found: Mapping[str, str] = edition.remembered["others"]
    return found


def _is_hex(token: Token) -> bool:
    return is_hex(token.text)


@dataclass
class _Frame:
    """Where actions go: the orders themselves, or a branch of an IF."""

    items: list[Action] = field(default_factory=list)
    condition: tuple[int, tuple[Any, ...]] = (0, ())
    then: tuple[Action, ...] | None = None


class _Parser:
    def __init__(self, view: State, side: str) -> None:
        self.view = view
        self.side = side
        self.lexicon, self.read_before = _language(view, side)
        divisions = [d.name for d in view.divisions.values() if camp(d.side) == camp(side)]
        self.divisions = _index(tuple((name, ()) for name in sorted(divisions)))
        self.frames = [_Frame()]
        self.rules: list[Rule] = []
        self.scope: Scope | None = None
        self.rejected: list[Rejected] = []
        self.warned: list[Warned] = []

    def read(self, text: str) -> Reading:
        for statement in statements(text):
            said = VOCABULARY.lengths(statement.tokens, 0)
            if ("END" in said and len(statement.tokens) == 1) or len(self.rejected) >= MOST_WRONG:
                break
            if self._standing(statement, said):
                continue
            for command in split(statement):
                if len(self.rejected) < MOST_WRONG:
                    self._guarded(command, self._command)
        while len(self.frames) > 1:
            line = self.frames[-1].condition[0]
            self.rejected.append(Rejected(line, 0, "IF", msg("this IF has no ENDIF"), "S1"))
            self._end_if()
        rejected = tuple(sorted(self.rejected, key=lambda item: (item.line, item.column)))
        return Reading(Orders(tuple(self.frames[0].items), tuple(self.rules)), rejected, tuple(self.warned))

    def _guarded(self, statement: Statement, read: Callable[[Reader], None]) -> None:
        reader = Reader(statement, VOCABULARY, "S1", _is_hex)
        try:
            read(reader)
        except Wrong as wrong:
            self.rejected.append(wrong.rejected)
        for written, ident in reader.corrected:
            if written.casefold() != ident.casefold():
                why = msg("{word} was read as {name}", word=written, name=ident)
                self.warned.append(Warned(statement.line, why, "S1"))

    # Standing orders

    def _standing(self, statement: Statement, said: Collection[str]) -> bool:
        """Read a line of a standing block, whose first words say what is `said`; False if the line is none.

        In a text of standing orders the block's first and last lines may be missing.
        """
        if "ENDSTANDING" in said:
            self.scope = None
        elif "STANDING" in said:
            self.scope = Scope()
            self._guarded(statement, self._open_scope)
        elif self.scope is not None or _bare_rule(statement.tokens):
            self._guarded(statement, self._rule)
        else:
            return False
        return True

    def _open_scope(self, reader: Reader) -> None:
        reader.expect("STANDING")
        self.scope = read_scope(reader, self.lexicon)

    def _rule(self, reader: Reader) -> None:
        scope = self.scope or Scope()
        number = 1 + sum(rule.scope == scope for rule in self.rules)
        key = (scope, number, reader.words)
        rule = self.read_before.get(key)
        if rule is None:
            rule = read_rule(reader, self.lexicon, scope, number)
            if not reader.corrected and len(self.read_before) < _MOST_RULES:
                self.read_before[key] = rule
        self.rules.append(rule)

    # Actions

    def _command(self, reader: Reader) -> None:
        verb = reader.accept("STOP IF", *VERBS)
        if not verb:
            raise reader.no_order(VERBS)
        reader.rule = RULES.get(verb, "S1")
        if verb == "IF":
            reader.deeper(len(self.frames))
            condition = read_condition(reader, self.lexicon)
            reader.finish()
            self.frames.append(_Frame(condition=(reader.line, condition)))
        elif verb in ("ELSE", "ENDIF"):
            self._branch(reader, verb)
        else:
            action = self._action(reader, verb)
            reader.finish()
            self.frames[-1].items.append(action)

    def _branch(self, reader: Reader, verb: str) -> None:
        frame = self.frames[-1]
        if len(self.frames) == 1 or (verb == "ELSE" and frame.then is not None):
            reader.at = 0
            raise reader.wrong(msg("there is no IF for this {word}", word=VOCABULARY.spoken(verb)), "S1")
        reader.finish()
        if verb == "ENDIF":
            self._end_if()
            return
        frame.then, frame.items = tuple(frame.items), []

    def _end_if(self) -> None:
        frame = self.frames.pop()
        line, condition = frame.condition
        body = tuple(frame.items)
        then, otherwise = (body, ()) if frame.then is None else (frame.then, body)
        self.frames[-1].items.append(If(line, condition, then, otherwise))

    def _action(self, reader: Reader, verb: str) -> Action:
        if verb == "ORDER":
            name = reader.name(self.divisions, lambda word: msg("{name} is no division of yours", name=word), "S2")
            return Order(reader.line, name, reader.expect(*ORDERS, "NONE"))
        if verb == "MOVE":
            return self._move(reader)
        if verb == "FORM":
            units = self._units(reader)
            return Form(reader.line, units, reader.expect(*FORMATIONS))
        if verb in ("LIMBER", "UNLIMBER"):
            return Limber(reader.line, self._units(reader), verb)
        if verb == "FACE":
            units = self._units(reader)
            return Face(reader.line, units, reader.expect(*DIRECTIONS))
        if verb == "FIRE":
            units = self._units(reader)
            reader.expect("TO")
            return Fire(reader.line, units, self._hex(reader))
        if verb in ("ASSAULT", "CHARGE"):
            return self._assault(reader, verb)
        if verb == "STOP IF":
            return Stop(reader.line, read_condition(reader, self.lexicon))
        return Pass(reader.line)

    def _move(self, reader: Reader) -> Move:
        units = self._units(reader)
        if reader.accept("WITH"):
            units = (*units, *self._units(reader))
        to = self._hex(reader) if reader.accept("TO") else ""
        path: list[str] = []
        while reader.token is not None and _is_hex(reader.token) and not to:
            path.append(self._hex(reader))
            reader.mark(",")
        face = form = ""
        while not reader.done:
            clause = reader.expect(*(("FACE", "FORM") if path or to else ("TO", "FACE", "FORM")))
            if clause == "FACE":
                face = reader.expect(*DIRECTIONS)
            elif clause == "FORM":
                form = reader.expect(*FORMATIONS)
        if not (path or to or face or form):
            raise reader.wrong(msg("where to? A move names hexes, or TO and one hex"))
        return Move(reader.line, tuple(sorted(units)), tuple(path), to, face, form)

    def _assault(self, reader: Reader, verb: str) -> Assault:
        if verb == "ASSAULT":
            target = self._hex(reader)
            reader.expect("WITH")
            units = self._units(reader)
        else:
            units = self._units(reader)
            reader.expect("TO")
            target = self._hex(reader)
        leader = reader.name(self.lexicon.mine, self._unknown) if reader.accept("LED BY") else ""
        return Assault(reader.line, verb, target, tuple(sorted(units)), leader)

    def _hex(self, reader: Reader) -> str:
        return reader.name(self.lexicon.spaces, lambda word: msg("{hex} is not on the map", hex=word))

    def _units(self, reader: Reader) -> tuple[str, ...]:
        out = [reader.name(self.lexicon.mine, self._unknown)]
        while reader.mark(",") or reader.mark("+") or reader.accept("AND"):
            out.append(reader.name(self.lexicon.mine, self._unknown))
        return tuple(out)

    def _unknown(self, word: str) -> Msg:
        found = self.lexicon.units.find(word)
        if found.how == "exact":
            return msg("{unit} is not yours", unit=found.ids[0])
        return unknown_unit(word)


def _bare_rule(words: tuple[Token, ...]) -> bool:
    """Whether a line outside a block can only be a standing order: one with WHEN, or a reaction that is no order."""
    start = 1 if words and words[0].text.isdigit() else 0
    said = VOCABULARY.lengths(words, start)
    if not _BARE.isdisjoint(said):
        return True
    after = start + said.get("FIRE", 0)
    return after > start and any(VOCABULARY.length(words, after, word) for word in REACTIONS["FIRE"].split("|"))


def parse(text: str, view: State, side: str) -> Reading:
    """Read a block of orders for `side`; the first line END or FIN ends it, what follows is not read."""
    return _Parser(view, side).read(text)
