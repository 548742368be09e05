"""Read orders: a block becomes actions, standing orders and refused lines.

Only what no event can change is checked here: words, names, and the owners of units. A game checks the position
when the letter is read, and when the orders are carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar
from weakref import WeakKeyDictionary

from pbem.engine.commanders.holding import CommandedPosition, units_of_others
from pbem.engine.commanders.orders import Cover, misplaced_lines
from pbem.engine.data.messages import msg
from pbem.engine.edition import Edition
from pbem.engine.orders.cursor import MOST_WRONG, Reader, Wrong
from pbem.engine.orders.grammar import Form, Grammar, ReadingContext
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
from pbem.engine.terms import NO_ENDIF, Orders, OrderWarning, ParsedBlock, RejectedLine, RespeltName

# What the letters of a side are read with: the names that it may use, and what was read with them before.


E = TypeVar("E", bound=Edition[Any])


class SidedUnit(Protocol):
    """A unit, as far as its name is concerned."""

    @property
    def side(self) -> str:
        """Return its side."""
        ...


class Language(NamedTuple):
    """A side's names, and the standing orders that were read with them before.

    Standing orders are repeated in every phase; the lines that could be read are cached, by their text and
    scope, and the scopes by their first lines.
    """

    lexicon: Lexicon
    rules: dict[tuple[str, Scope], Rule]
    scopes: dict[str, Scope]


class _EditionUnits(NamedTuple):
    """An edition's units with their sides, and the cached languages of its sides."""

    sides: Mapping[str, str]
    known: dict[tuple[object, ...], Language]


@lru_cache(maxsize=256)
def index(entries: tuple[tuple[str, tuple[str, ...]], ...]) -> Names:
    """Return an index of ids with their further names, cached."""
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
        """Store functions for an edition's units and places, and for parties.

        `party` returns the party that may order the units of a side.
        """
        self._idiom = idiom
        self._sides = sides
        self._spaces = spaces
        self._party = party
        self._musters: WeakKeyDictionary[E, _EditionUnits] = WeakKeyDictionary()

    def of(
        self, edition: E, units: Mapping[str, SidedUnit], side: str, view: CommandedPosition | None = None
    ) -> Language:
        """Return the language of a side.

        It has places, its own units, and all units of scenario and position. M1 In the `view` of a command the
        units that others order are marked.
        """
        edition_units = self._musters.get(edition)
        if edition_units is None:
            edition_units = self._musters[edition] = _EditionUnits(self._sides(edition), {})
        added: tuple[tuple[str, str], ...] = ()
        if not units.keys() <= edition_units.sides.keys():
            added = tuple(sorted((i, unit.side) for i, unit in units.items() if i not in edition_units.sides))
        transfers = (view.commanding, *sorted(view.assigned.items())) if view is not None and view.commanding else ()
        key = (self._party(side), added, transfers)
        language = edition_units.known.get(key)
        if language is None:
            lexicon = self._lexicon(edition, {**edition_units.sides, **dict(added)}, side)
            if transfers and view is not None:
                lexicon = lexicon._replace(others=units_of_others(view), others_rule=edition.ON_COMMANDERS.own)
            language = edition_units.known[key] = Language(lexicon, {}, {})
        return language

    def _lexicon(self, edition: E, sides: Mapping[str, str], side: str) -> Lexicon:
        full_names = edition.names

        def index_of(ids: Iterable[str]) -> Names:
            return index(tuple((i, (full_names[i],) if i in full_names else ()) for i in sorted(ids)))

        mine = index_of(ident for ident, holder in sides.items() if self._party(holder) == self._party(side))
        return Lexicon(self._idiom, index_of(sides), self._spaces(edition), mine)


S = TypeVar("S")
A = TypeVar("A")
F = TypeVar("F", bound="Frame[Any]")
_KEPT = 1024
"""Standing orders that are cached parsed, each with its language: those of the games under way, which every phase
reads."""


class Frame(Generic[A]):
    """A list of actions: the orders themselves, or a branch of an IF.

    `around` is the frame that contains the IF.
    """

    def __init__(self, around: Self | None, line: int = 0, condition: Condition = ()) -> None:
        self.around = around
        self.line = line
        self.condition = condition
        self.items: list[A] = []
        self.then: tuple[A, ...] | None = None

    def add(self, action: A) -> None:
        """Append an action."""
        self.items.append(action)

    def close(self) -> tuple[A, ...]:
        """Return the complete actions."""
        return tuple(self.items)

    def turn(self) -> None:
        """Handle ELSE: begin the branch for a false condition."""
        self.then, self.items = self.close(), []


class Parser(Generic[S, A, F]):
    """Reads one letter.

    A game whose orders head others has a `frame` of its own, and reads them in `order`.
    """

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
        self.known = ReadingContext(view, side, language.lexicon)
        self.frames = [frame(None, 0, ())]
        self.rules: list[Rule] = []
        self.rejected: list[RejectedLine] = []
        self.warned: list[OrderWarning] = []
        self.respelt: list[RespeltName] = []
        self._frame = frame
        self._counts: dict[Scope, int] = {}
        self._scope: Scope | None = None

    def read(self, text: str) -> ParsedBlock:
        """Read a block; the first line END or FIN ends it, and the rest is ignored."""
        words = self.grammar.vocabulary
        for number, line in enumerate(text.split("\n"), start=1):
            if len(self.rejected) >= MOST_WRONG:
                break
            if self._read_cached(line):
                continue
            statement = Statement(number, tokens(line))
            if len(statement.tokens) == 1 and words.length(statement.tokens, 0, "END"):
                break
            if statement.tokens and not self._standing(statement, line):
                for command in split(statement):
                    if len(self.rejected) < MOST_WRONG:
                        self.read_guarded(command, self._command)
        while len(self.frames) > 1:
            begun = self.frames[-1].line
            self.rejected.append(RejectedLine(begun, 0, "IF", NO_ENDIF, self.grammar.cited.blocks))
            self._end_if()
        return self.reading()

    def reading(self) -> ParsedBlock:
        """Return the result."""
        actions = self.frames[0].close()
        self.rejected += misplaced_lines(self.known.view, actions)
        # In the order of the letter: misplaced lines are found last.
        rejected = tuple(sorted(self.rejected, key=lambda item: (item.line, item.column)))
        return ParsedBlock(Orders(actions, tuple(self.rules)), rejected, tuple(self.warned), tuple(self.respelt))

    def read_guarded(self, statement: Statement, read: Callable[[Reader], None]) -> bool:
        """Read a command with `read`, and record mistakes and corrected names.

        Returns whether there were neither.
        """
        rule, is_valid = self.grammar.cited.words, True
        reader = Reader(statement, self.grammar.vocabulary, rule, self.grammar.apart)
        try:
            read(reader)
        except Wrong as mistake:
            # All mistakes are answered at once: reading goes on with the next command.
            self.rejected.append(mistake.rejected)
            is_valid = False
        for written, ident in reader.corrected:
            if written.casefold() != ident.casefold():
                why = msg("{word} was read as {name}", word=written, name=ident)
                self.warned.append(OrderWarning(statement.line, why, rule))
                self.respelt.append(RespeltName(statement.line, written, ident))
        return is_valid and not reader.corrected

    # Standing orders

    def _read_cached(self, line: str) -> bool:
        """Read a cached line of standing orders; return False if it is not cached."""
        if self._scope is not None and (cached_rule := self.language.rules.get((line, self._scope))) is not None:
            self._add(cached_rule)
            return True
        scope = self.language.scopes.get(line)
        if scope is not None:
            self._scope = scope
        return scope is not None

    def _standing(self, statement: Statement, line: str) -> bool:
        """Read a line of a standing block; return False for other lines."""
        keywords = self.grammar.vocabulary.lengths(statement.tokens, 0)
        if self._scope is None and "STANDING" not in keywords and not self.grammar.bare(statement.tokens):
            return False
        rules, scopes = self.language.rules, self.language.scopes
        if "ENDSTANDING" in keywords:
            self._scope = None
        elif "STANDING" in keywords:
            self._scope = Scope()
            if self.read_guarded(statement, self._open_scope) and len(scopes) < _KEPT:
                scopes[line] = self._scope
        elif self.read_guarded(statement, self._rule) and self._scope is not None and len(rules) < _KEPT:
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
        """Append a standing order to its scope."""
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
        """Read an order after its verb."""
        action = form.read(reader, self.known)
        reader.finish()
        self.note_cover(action)
        self.frames[-1].add(action)

    def note_cover(self, action: object) -> None:
        """M4 Let the lines after COVER name units of that command."""
        if isinstance(action, Cover):
            view: Any = self.known.view
            view = view.change(covered=(*view.covered, action.command))
            self.known = ReadingContext(
                view, self.known.side, self.known.lexicon._replace(others=units_of_others(view))
            )

    def _branch(self, reader: Reader, verb: str) -> None:
        """Handle ELSE or ENDIF."""
        frame = self.frames[-1]
        if len(self.frames) == 1 or (verb == "ELSE" and frame.then is not None):
            reader.at = 0
            word = self.grammar.vocabulary.keyword_text(verb)
            raise reader.wrong(msg("there is no IF for this {word}", word=word), self.grammar.cited.blocks)
        reader.finish()
        if verb == "ELSE":
            frame.turn()
        else:
            self._end_if()

    def _end_if(self) -> None:
        """Add an IF to its frame; one with an unreadable condition is dropped."""
        frame = self.frames.pop()
        if not frame.condition:
            return
        body = frame.close()
        then, otherwise = (body, ()) if frame.then is None else (frame.then, body)
        self.frames[-1].add(If(frame.line, frame.condition, then, otherwise))
