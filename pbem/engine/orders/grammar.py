"""Declare orders: their forms, what fills the gaps of a form, canonical text.

A form is ``FACE {units} {face}``, say; its gaps are in braces.

Canonical order text v1: English keywords, ids, one order a line. It is committed, stored, replayed and echoed; reading
it gives the same orders again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import canonical
from pbem.engine.orders.canonical import canon_condition
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.lex import Token, Vocabulary, fold, tokens
from pbem.engine.orders.names import Names
from pbem.engine.orders.standing import (
    NO_UNIT,
    NOT_YOURS,
    Idiom,
    If,
    Lexicon,
    Pass,
    Stop,
    not_yours,
    read_condition,
    unknown_space,
)
from pbem.engine.terms import Orders

# The gaps in the form of an order: how words, names and lists are read and written.
#
# A game gives each of its gaps a name in a table, and uses it in its forms::
#
#     SLOTS = {"space": place("O2"), "units": units("R2", ordered=True), "face": word("N", "S")}
#     form("FACE {units:units} {face:face}", Face, SLOTS)


S = TypeVar("S")
T = TypeVar("T")
Ids = tuple[str, ...]


class ReadingContext(NamedTuple, Generic[S]):
    """The context of a letter: its side's view, the side, and the names it may use."""

    view: S
    side: str
    lexicon: Lexicon


class Slot(NamedTuple, Generic[S]):
    """A kind of gap: how it is read, how its value is written, and its empty value."""

    read: Callable[[Reader, ReadingContext[S]], Any]
    write: Callable[[Any], str] = str
    empty: Any = ""


def word(*keywords: str) -> Slot[S]:
    """Return the slot for one of some keywords."""
    return Slot(lambda reader, known: reader.expect(*keywords))


def name(names: Callable[[ReadingContext[S]], Names], unknown: Callable[[str], Msg], rule: str = "") -> Slot[S]:
    """Return the slot for a name; other words are `unknown`, by the rule."""
    return Slot(lambda reader, known: reader.name(names(known), unknown, rule))


def place(rule: str = "", unknown: Callable[[str], Msg] = unknown_space) -> Slot[S]:
    """Return the slot for a place on the map."""
    return name(lambda known: known.lexicon.spaces, unknown, rule)


def unit(rule: str = "") -> Slot[S]:
    """Return the slot for a unit of one's own."""
    return Slot(
        lambda reader, known: _read_own(reader, known.lexicon, lambda: _read_one(reader, known.lexicon, rule))[0]
    )


def units(rule: str = "", ordered: bool = False, plus: bool = False) -> Slot[S]:
    """Return the slot for units of one's own, separated by commas or AND.

    With `plus` they may be joined by a plus as well. With `ordered` their order is kept; else they are sorted.
    """

    def read(reader: Reader, known: ReadingContext[S]) -> Ids:
        names = known.lexicon
        ids = _read_own(reader, names, lambda: (_read_joined if plus else _read_names)(reader, names, rule))
        return ids if ordered else tuple(sorted(ids))

    return Slot(read, _join if ordered else _join_sorted, ())


def groups() -> Slot[S]:
    """Return the slot for groups of units of one's own: ``Leon+Rey, Cid``."""
    return Slot(lambda reader, known: _read_own_groups(reader, known.lexicon), _join_groups, ())


def condition() -> Slot[S]:
    """Return the slot for a condition."""
    return Slot(lambda reader, known: read_condition(reader, known.lexicon), canon_condition, ())


def either(keyword: str, slot: Slot[S], value: object) -> Slot[S]:
    """Return a slot that reads a keyword as a value, or like another slot."""
    return slot._replace(read=lambda reader, known: value if reader.accept(keyword) else slot.read(reader, known))


def _read_known(lexicon: Lexicon, read: Callable[[], T]) -> T:
    """Read names; who wrote an enemy's in full did not mean one of his own.

    A name like none of them is answered, in battles, with the command that lists them.
    """
    try:
        return read()
    except Wrong as wrong:
        why, suggestions = wrong.rejected.why, wrong.rejected.suggestions
        if why.text == NOT_YOURS:
            raise Wrong(wrong.rejected._replace(suggestions=())) from None
        if why.text == NO_UNIT and not suggestions and lexicon.idiom.kinds:
            raise Wrong(wrong.rejected._replace(why=msg("{why}; MOVES lists yours", why=why))) from None
        raise


def _read_own(reader: Reader, lexicon: Lexicon, read: Callable[[], Ids]) -> Ids:
    """M1 Read own units; raise Wrong if another commander orders one of them."""
    start = reader.at
    ids = _read_known(lexicon, read)
    if lexicon.others:
        for ident in ids:
            _check_holder(reader, lexicon, start, ident)
    return ids


def _read_own_groups(reader: Reader, lexicon: Lexicon) -> tuple[Ids, ...]:
    start = reader.at
    unit_groups = _read_known(lexicon, lambda: reader.groups(lexicon.mine, not_yours(lexicon)))
    for ident in (ident for group in unit_groups for ident in group):
        _check_holder(reader, lexicon, start, ident)
    return unit_groups


def _check_holder(reader: Reader, lexicon: Lexicon, start: int, ident: str) -> None:
    holder = lexicon.others.get(ident)
    if holder is not None:
        key = fold(ident)
        reader.at = next((index for index in range(start, reader.at) if reader.words[index].key == key), start)
        raise Wrong(reader.wrong(_under_another(ident, holder), lexicon.others_rule).rejected._replace(word=ident))


def _under_another(unit: str, holder: str) -> Msg:
    return msg(
        "{unit} is under {command}: he orders it himself, in a set of his own, "
        "or the commander-in-chief gives it to you by ASSIGN",
        unit=unit,
        command=holder,
    )


def _read_one(reader: Reader, lexicon: Lexicon, rule: str) -> Ids:
    return (reader.name(lexicon.mine, not_yours(lexicon), rule),)


def _read_names(reader: Reader, lexicon: Lexicon, rule: str) -> Ids:
    return reader.names(lexicon.mine, not_yours(lexicon), rule)


def _read_joined(reader: Reader, lexicon: Lexicon, rule: str) -> Ids:
    ids = [*_read_names(reader, lexicon, rule)]
    while reader.mark("+"):
        ids += _read_names(reader, lexicon, rule)
    return tuple(ids)


def _join_sorted(ids: Iterable[str]) -> str:
    return ", ".join(sorted(ids))


def _join(ids: Iterable[str]) -> str:
    return ", ".join(ids)


def _join_groups(groups: Iterable[Iterable[str]]) -> str:
    return ", ".join("+".join(sorted(group)) for group in groups)


# Orders declared once: a form says how an order is read and how it is written.
#
# ::
#
#     form("CARACOLE {units:list} AT {at:space} [BACK TO {back:space}]", Caracole, SLOTS)
#     form("CHARGE {units:set} AT {target:space} (LED BY {leader:unit} | VIA {via:space})", Assault, SLOTS)
#
# Words are phrases of the vocabulary, and are written so. ``{field:slot}`` is a gap: the field of the record, and the
# slot that is read into it. What stands in ``[ ]`` may be left out; of what stands in ``( | )`` each may follow, in any
# order, until the end of the order. A gap left out has the empty value of its slot, and is not written. Where several
# forms make one record, its field `verb` says which.


A = TypeVar("A")
Fields = dict[str, Any]

_PHRASE = r"(?P<phrase>[^\s\[\](|){}]+(?:\s+[^\s\[\](|){}]+)*)"
_GAP = r"\{(?P<field>\w+):(?P<slot>\w+)\}"
_PART = re.compile(rf"{_GAP}|[\[\](|)]|{_PHRASE}")


class Form(NamedTuple, Generic[S, A]):
    """An order: verb, record type, how the rest is read, how the order is written.

    `rule` is cited for wrong words; by default it is the game's rule for words.
    """

    verb: str
    kind: Callable[..., A]
    read: Callable[[Reader, ReadingContext[S]], A]
    write: Callable[[A], str]
    rule: str = ""


class _Gap(NamedTuple, Generic[S]):
    """A field of the record, and the word before it.

    The word has a keyword and a spelling, both empty if there is none.
    """

    keyword: str
    phrase: str
    field: str
    slot: Slot[S]

    def write(self, value: object) -> str:
        return f" {self.phrase} {self.slot.write(value)}" if self.phrase else f" {self.slot.write(value)}"


class _Pattern(NamedTuple, Generic[S]):
    """A parsed form: verb, required gaps, optional gaps, and gaps in any order.

    `nothing` are the values of optional gaps that are left out.
    """

    verb: str
    gaps: Sequence[_Gap[S]]
    optional: Sequence[_Gap[S]]
    loose: Mapping[str, _Gap[S]]
    nothing: Fields

    def read(self, reader: Reader, known: ReadingContext[S]) -> Fields:
        """Read what follows the verb."""
        fields = dict(self.nothing)
        for gap in self.gaps:
            if gap.keyword:
                reader.expect(gap.keyword)
            fields[gap.field] = gap.slot.read(reader, known)
        for gap in self.optional:
            if reader.accept(gap.keyword):
                fields[gap.field] = gap.slot.read(reader, known)
        while self.loose and not reader.is_at_end:
            gap = self.loose[reader.expect(*self.loose)]
            fields[gap.field] = gap.slot.read(reader, known)
        return fields

    def write(self, action: object) -> str:
        """Write the order."""
        text = self.verb
        for gap in self.gaps:
            text += gap.write(getattr(action, gap.field))
        for gaps in (self.optional, self.loose.values()):
            for gap in gaps:
                value = getattr(action, gap.field)
                if value != gap.slot.empty:
                    text += gap.write(value)
        return text


def form(
    text: str, kind: Callable[..., A], slots: Mapping[str, Slot[S]], words: Vocabulary, rule: str = ""
) -> Form[S, A]:
    """Return the form of an order from its text; raise ValueError if it is invalid."""
    pattern = _pattern(text, slots, words)
    verb = _keyword(pattern.verb, words)
    fields = getattr(kind, "_fields", ())
    fixed_fields: Fields = {"verb": verb} if "verb" in fields else {}
    gaps = {gap.field for gap in pattern.gaps} | pattern.nothing.keys()
    if not {*gaps, *fixed_fields} <= {*fields}:
        raise ValueError(f"{text}: the record has no {', '.join(sorted(gaps.difference(fields)))}")

    def read(reader: Reader, known: ReadingContext[S]) -> A:
        return kind(reader.line, **fixed_fields, **pattern.read(reader, known))

    return Form(verb, kind, read, pattern.write, rule)


def _pattern(text: str, slots: Mapping[str, Slot[S]], words: Vocabulary) -> _Pattern[S]:
    """Parse a form."""
    parts = list(_PART.finditer(text))
    verb, where, phrase = parts[0]["phrase"], "", ""
    gaps: dict[str, list[_Gap[S]]] = {"": [], "[": [], "(": []}
    for part in parts[1:]:
        if part["field"]:
            keyword = _keyword(phrase, words) if phrase else ""
            gaps[where].append(_Gap(keyword, phrase, part["field"], slots[part["slot"]]))
            phrase = ""
        elif part["phrase"]:
            phrase = part["phrase"]
        elif part[0] != "|":
            where = part[0] if part[0] in "[(" else ""
    if phrase or where or any(not gap.keyword for gap in (*gaps["["], *gaps["("])):
        raise ValueError(f"{text}: a word without a gap, or what may be left out without a word")
    nothing = {gap.field: gap.slot.empty for gap in (*gaps["["], *gaps["("])}
    return _Pattern(verb, gaps[""], gaps["["], {gap.keyword: gap for gap in gaps["("]}, nothing)


def _keyword(phrase: str, words: Vocabulary) -> str:
    """Return the keyword of a phrase; raise ValueError if there is none."""
    if phrase in words.table:
        return phrase
    keywords = words.keywords_at(tokens(phrase), 0)
    if not keywords:
        raise ValueError(f"{phrase} is no word of the orders")
    return keywords[0]


# A game's orders altogether: its words, its forms, the rules cited.


class CitedRules(NamedTuple):
    """The numbers of a game's rules on words, and on IF and its parts."""

    words: str
    blocks: str


def _nothing(action: object) -> Iterable[Any]:
    return ()


def _never(words: Sequence[Token]) -> bool:
    return False


@dataclass(frozen=True)
class Grammar(Generic[S, A]):
    """The orders of a game.

    `forms` are in the order in which they are listed; PASS is added. IF and STOP IF are added if orders may depend
    on a condition (`branching`). `under` returns the actions under an order that heads others. A word for which
    `apart` is true is never the second word of a name. A line for which `bare` is true is a standing order although
    no block of standing orders was begun.
    """

    vocabulary: Vocabulary
    idiom: Idiom
    cited: CitedRules
    forms: Sequence[Form[S, Any]]
    under: Callable[[A], Iterable[A]] = _nothing
    apart: Callable[[Token], bool] | None = None
    bare: Callable[[Sequence[Token]], bool] = _never
    branching: bool = True

    @cached_property
    def by_verb(self) -> Mapping[str, Form[S, Any]]:
        """Return the forms by their verb."""
        forms: list[Form[S, Any]] = [*self.forms, form("PASS", Pass, {}, self.vocabulary)]
        if self.branching:
            forms.append(form("STOP IF {condition:condition}", Stop, {"condition": condition()}, self.vocabulary))
        return {entry.verb: entry for entry in forms}

    @cached_property
    def verbs(self) -> tuple[str, ...]:
        """Return the words that an order begins with."""
        return (*self.by_verb, "IF", "ELSE", "ENDIF") if self.branching else (*self.by_verb,)

    @cached_property
    def _by_record(self) -> Mapping[object, Form[S, Any]]:
        """Return the forms by record type, or by type and verb where the record has one."""
        by_record: dict[object, Form[S, Any]] = {}
        for verb, entry in self.by_verb.items():
            by_record[entry.kind] = by_record[entry.kind, verb] = entry
        return by_record

    def canon(self, orders: Orders) -> str:
        """Return a seat's orders as canonical text, lines ending in LF; may be empty."""
        return canonical.canon(orders, self._lines)

    def line_of(self, action: A) -> str:
        """Return the first line of an action's canonical text."""
        return next(self._lines(action, ""))

    def lines_of(self, action: A) -> tuple[str, ...]:
        """Return all lines of an action's canonical text."""
        return tuple(self._lines(action, ""))

    def _lines(self, action: A, indent: str) -> Iterator[str]:
        if isinstance(action, If):
            yield from canonical.branches(action, self._lines, indent)
            return
        verb = getattr(action, "verb", "")
        yield indent + self._by_record[(type(action), verb) if verb else type(action)].write(action)
        for item in self.under(action):
            yield from self._lines(item, indent)
