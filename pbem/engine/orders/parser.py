"""Reading orders: a block of a letter becomes actions and standing orders, every mistake a refused line.

Only what no event can change is looked at here: words, names, owners. What the position allows a game holds against it
when the letter is checked, and when the orders are carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar
from weakref import WeakKeyDictionary

from pbem.engine.commanders.holding import Commanded, under_others
from pbem.engine.commanders.orders import Cover, misplaced
from pbem.engine.data.messages import msg
from pbem.engine.edition import Edition
from pbem.engine.orders.cursor import MOST_WRONG, Reader, Wrong
from pbem.engine.orders.grammar import Form, Grammar, Known
from pbem.engine.orders.lex import Statement, split, tokens
from pbem.engine.orders.names import Names
from pbem.engine.orders.standing import (
    Condition,
    Idiom,
    If,
    Lexicon,
    Rule,
    Scope,
    read_condition,
    read_rule,
    read_scope,
)
from pbem.engine.terms import NO_ENDIF, Orders, Reading, Rejected, Respelt, Warned

# What the letters of a side are read with: the names that it may use, and what was read with them before.


E = TypeVar("E", bound=Edition[Any])


class Sided(Protocol):
    """A unit, as far as its name is concerned."""

    @property
    def side(self) -> str:
        """Whose it is."""
        ...


class Language(NamedTuple):
    """The names, and the standing orders that were read with them before.

    Standing orders come again with every phase; the lines that could be read are kept, by their text and scope, and
    the scopes by the lines that open them.
    """

    lexicon: Lexicon
    rules: dict[tuple[str, Scope], Rule]
    scopes: dict[str, Scope]


class _Muster(NamedTuple):
    """Of an edition the side of each unit, in play or not, and the language of each side and what joined it."""

    sides: Mapping[str, str]
    known: dict[tuple[object, ...], Language]


@lru_cache(maxsize=256)
def index(entries: tuple[tuple[str, tuple[str, ...]], ...]) -> Names:
    """Return an index of ids with their further names, the same one for the same names."""
    return Names(dict(entries))


class Languages(Generic[E]):
    """The languages of a game, made once for each edition and side."""

    def __init__(
        self,
        idiom: Idiom,
        sides: Callable[[E], Mapping[str, str]],
        spaces: Callable[[E], Names],
        party: Callable[[str], str] = str,
    ) -> None:
        """Take what says the side of each unit of an edition, its places, and who may order the units of a side."""
        self._idiom = idiom
        self._sides = sides
        self._spaces = spaces
        self._party = party
        self._musters: WeakKeyDictionary[E, _Muster] = WeakKeyDictionary()

    def of(self, edition: E, units: Mapping[str, Sided], side: str, view: Commanded | None = None) -> Language:
        """Return the language of a side: places, its own units, and all units of the scenario and of the position.

        M1 Where a command of the side looks, in whose `view` it is, it knows which units others order.
        """
        muster = self._musters.get(edition)
        if muster is None:
            muster = self._musters[edition] = _Muster(self._sides(edition), {})
        joined: tuple[tuple[str, str], ...] = ()
        if not units.keys() <= muster.sides.keys():
            joined = tuple(sorted((i, unit.side) for i, unit in units.items() if i not in muster.sides))
        held = (view.commanding, *sorted(view.assigned.items())) if view is not None and view.commanding else ()
        key = (self._party(side), joined, held)
        found = muster.known.get(key)
        if found is None:
            lexicon = self._lexicon(edition, {**muster.sides, **dict(joined)}, side)
            if held and view is not None:
                lexicon = lexicon._replace(others=under_others(view), others_rule=edition.ON_COMMANDERS.own)
            found = muster.known[key] = Language(lexicon, {}, {})
        return found

    def _lexicon(self, edition: E, sides: Mapping[str, str], side: str) -> Lexicon:
        full = edition.names

        def named(ids: Iterable[str]) -> Names:
            return index(tuple((i, (full[i],) if i in full else ()) for i in sorted(ids)))

        mine = named(ident for ident, holder in sides.items() if self._party(holder) == self._party(side))
        return Lexicon(self._idiom, named(sides), self._spaces(edition), mine)


S = TypeVar("S")
A = TypeVar("A")
F = TypeVar("F", bound="Frame[Any]")
_KEPT = 1024
"""Standing orders kept with a language."""


class Frame(Generic[A]):
    """Where actions go: the orders themselves, or a branch of an IF. `around` is where the IF stands."""

    def __init__(self, around: Self | None, line: int = 0, condition: Condition = ()) -> None:
        self.around = around
        self.line = line
        self.condition = condition
        self.items: list[A] = []
        self.then: tuple[A, ...] | None = None

    def add(self, action: A) -> None:
        """Put an action at the end."""
        self.items.append(action)

    def close(self) -> tuple[A, ...]:
        """Return the actions, of which there are no more."""
        return tuple(self.items)

    def turn(self) -> None:
        """ELSE: what was said is done if the condition holds, what follows if it does not."""
        self.then, self.items = self.close(), []


class Parser(Generic[S, A, F]):
    """Reads one letter. A game whose orders head others has a `frame` of its own, and reads them in `order`."""

    def __init__(
        self,
        grammar: Grammar[S, A],
        language: Language,
        view: S,
        side: str,
        frame: Callable[[F | None, int, Condition], F],
    ) -> None:
        self.grammar = grammar
        self.language = language
        self.known = Known(view, side, language.lexicon)
        self.frames = [frame(None, 0, ())]
        self.rules: list[Rule] = []
        self.rejected: list[Rejected] = []
        self.warned: list[Warned] = []
        self.respelt: list[Respelt] = []
        self._frame = frame
        self._counts: dict[Scope, int] = {}
        self._scope: Scope | None = None

    def read(self, text: str) -> Reading:
        """Read a block; the first line END or FIN ends it, what follows is not read."""
        words = self.grammar.vocabulary
        for number, line in enumerate(text.split("\n"), start=1):
            if len(self.rejected) >= MOST_WRONG:
                break
            if self._read_before(line):
                continue
            statement = Statement(number, tokens(line))
            if len(statement.tokens) == 1 and words.length(statement.tokens, 0, "END"):
                break
            if statement.tokens and not self._standing(statement, line):
                for command in split(statement):
                    if len(self.rejected) < MOST_WRONG:
                        self.guarded(command, self._command)
        while len(self.frames) > 1:
            begun = self.frames[-1].line
            self.rejected.append(Rejected(begun, 0, "IF", NO_ENDIF, self.grammar.cited.blocks))
            self._end_if()
        return self.reading()

    def reading(self) -> Reading:
        """Return what was read."""
        actions = self.frames[0].close()
        self.rejected += misplaced(self.known.view, actions)
        rejected = tuple(sorted(self.rejected, key=lambda item: (item.line, item.column)))
        return Reading(Orders(actions, tuple(self.rules)), rejected, tuple(self.warned), tuple(self.respelt))

    def guarded(self, statement: Statement, read: Callable[[Reader], None]) -> bool:
        """Let `read` take a command; a mistake is put down, and a name not written out. Return whether neither was."""
        rule, good = self.grammar.cited.words, True
        reader = Reader(statement, self.grammar.vocabulary, rule, self.grammar.apart)
        try:
            read(reader)
        except Wrong as wrong:
            self.rejected.append(wrong.rejected)
            good = False
        for written, ident in reader.corrected:
            if written.casefold() != ident.casefold():
                why = msg("{word} was read as {name}", word=written, name=ident)
                self.warned.append(Warned(statement.line, why, rule))
                self.respelt.append(Respelt(statement.line, written, ident))
        return good and not reader.corrected

    # Standing orders

    def _read_before(self, line: str) -> bool:
        """Take a line of standing orders that was read before with the same names; False if it was not."""
        if self._scope is not None and (kept := self.language.rules.get((line, self._scope))) is not None:
            self._add(kept)
            return True
        opened = self.language.scopes.get(line)
        if opened is not None:
            self._scope = opened
        return opened is not None

    def _standing(self, statement: Statement, line: str) -> bool:
        """Read a line of a standing block; False if the line is none."""
        said = self.grammar.vocabulary.lengths(statement.tokens, 0)
        if self._scope is None and "STANDING" not in said and not self.grammar.bare(statement.tokens):
            return False
        rules, scopes = self.language.rules, self.language.scopes
        if "ENDSTANDING" in said:
            self._scope = None
        elif "STANDING" in said:
            self._scope = Scope()
            if self.guarded(statement, self._open_scope) and len(scopes) < _KEPT:
                scopes[line] = self._scope
        elif self.guarded(statement, self._rule) and self._scope is not None and len(rules) < _KEPT:
            rules[line, self._scope] = self.rules[-1]
        return True

    def _open_scope(self, reader: Reader) -> None:
        reader.rule = self.grammar.idiom.rule
        reader.expect("STANDING")
        self._scope = read_scope(reader, self.known.lexicon)

    def _rule(self, reader: Reader) -> None:
        reader.rule = self.grammar.idiom.rule
        self._add(read_rule(reader, self.known.lexicon, self._scope or Scope(), 0))

    def _add(self, rule: Rule) -> None:
        """Put a standing order at the end of its scope."""
        number = self._counts[rule.scope] = self._counts.get(rule.scope, 0) + 1
        self.rules.append(rule if rule.number == number else rule._replace(number=number))

    # Actions

    def _command(self, reader: Reader) -> None:
        verb = reader.accept(*self.grammar.verbs)
        if not verb:
            raise reader.no_order(self.grammar.verbs)
        form = self.grammar.by_verb.get(verb)
        if form is not None:
            reader.rule = form.rule or reader.rule
            self.order(reader, form)
        elif verb == "IF":
            reader.deeper(len(self.frames))
            # Its ELSE and ENDIF belong to it even if its condition cannot be read.
            self.frames.append(self._frame(self.frames[-1], reader.line, ()))
            condition = read_condition(reader, self.known.lexicon)
            reader.finish()
            self.frames[-1].condition = condition
        else:
            self._branch(reader, verb)

    def order(self, reader: Reader, form: Form[S, object]) -> None:
        """Read an order behind its verb."""
        action = form.read(reader, self.known)
        reader.finish()
        self.heed(action)
        self.frames[-1].add(action)

    def heed(self, action: object) -> None:
        """M4 From COVER on the units of that command may be named."""
        if isinstance(action, Cover):
            view: Any = self.known.view
            view = view.change(covered=(*view.covered, action.command))
            self.known = Known(view, self.known.side, self.known.lexicon._replace(others=under_others(view)))

    def _branch(self, reader: Reader, verb: str) -> None:
        """ELSE or ENDIF."""
        frame = self.frames[-1]
        if len(self.frames) == 1 or (verb == "ELSE" and frame.then is not None):
            reader.at = 0
            word = self.grammar.vocabulary.spoken(verb)
            raise reader.wrong(msg("there is no IF for this {word}", word=word), self.grammar.cited.blocks)
        reader.finish()
        if verb == "ELSE":
            frame.turn()
        else:
            self._end_if()

    def _end_if(self) -> None:
        """Put an IF where it stands; of one whose condition could not be read nothing is kept."""
        frame = self.frames.pop()
        if not frame.condition:
            return
        body = frame.close()
        then, otherwise = (body, ()) if frame.then is None else (frame.then, body)
        self.frames[-1].add(If(frame.line, frame.condition, then, otherwise))
