"""Orders declared once: a form says how an order is read and how it is written.

::

    form("CARACOLE {units:list} AT {at:space} [BACK TO {back:space}]", Caracole, SLOTS)
    form("CHARGE {units:set} AT {target:space} (LED BY {leader:unit} | VIA {via:space})", Assault, SLOTS)

Words are phrases of the vocabulary, and are written so. ``{field:slot}`` is a gap: the field of the record, and the
slot that is read into it. What stands in ``[ ]`` may be left out; of what stands in ``( | )`` each may follow, in any
order, until the end of the order. A gap left out has the empty value of its slot, and is not written. Where several
forms make one record, its field `verb` says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.orders.cursor import Reader
from pbem.engine.orders.lex import Vocabulary, tokens
from pbem.engine.orders.slots import Known, Slot

S = TypeVar("S")
A = TypeVar("A")
Fields = dict[str, Any]

_PHRASE = r"(?P<phrase>[^\s\[\](|){}]+(?:\s+[^\s\[\](|){}]+)*)"
_GAP = r"\{(?P<field>\w+):(?P<slot>\w+)\}"
_PART = re.compile(rf"{_GAP}|[\[\](|)]|{_PHRASE}")


class Form(NamedTuple, Generic[S, A]):
    """An order: its verb, the record that it becomes, how what follows the verb is read, how the whole is written.

    `rule` is cited where its words are wrong; without one the game's rule for words is.
    """

    verb: str
    kind: Callable[..., A]
    read: Callable[[Reader, Known[S]], A]
    write: Callable[[A], str]
    rule: str = ""


class _Gap(NamedTuple, Generic[S]):
    """A field of the record, and the word before it: its keyword, and how it is written; empty if it has none."""

    keyword: str
    phrase: str
    field: str
    slot: Slot[S]

    def written(self, value: object) -> str:
        return f" {self.phrase} {self.slot.write(value)}" if self.phrase else f" {self.slot.write(value)}"


class _Pattern(NamedTuple, Generic[S]):
    """A form taken apart: the verb, the gaps that must be filled, those that may, those that may in any order.

    `nothing` are the values of the last two if they are left out.
    """

    verb: str
    gaps: Sequence[_Gap[S]]
    optional: Sequence[_Gap[S]]
    loose: Mapping[str, _Gap[S]]
    nothing: Fields

    def read(self, reader: Reader, known: Known[S]) -> Fields:
        """Read what follows the verb."""
        fields = dict(self.nothing)
        for gap in self.gaps:
            if gap.keyword:
                reader.expect(gap.keyword)
            fields[gap.field] = gap.slot.read(reader, known)
        for gap in self.optional:
            if reader.accept(gap.keyword):
                fields[gap.field] = gap.slot.read(reader, known)
        while self.loose and not reader.done:
            gap = self.loose[reader.expect(*self.loose)]
            fields[gap.field] = gap.slot.read(reader, known)
        return fields

    def write(self, action: object) -> str:
        """Write the order."""
        text = self.verb
        for gap in self.gaps:
            text += gap.written(getattr(action, gap.field))
        for gaps in (self.optional, self.loose.values()):
            for gap in gaps:
                value = getattr(action, gap.field)
                if value != gap.slot.empty:
                    text += gap.written(value)
        return text


def form(
    text: str, kind: Callable[..., A], slots: Mapping[str, Slot[S]], words: Vocabulary, rule: str = ""
) -> Form[S, A]:
    """Return the form of an order written so; ValueError if it makes no sense."""
    pattern = _pattern(text, slots, words)
    verb = _keyword(pattern.verb, words)
    fields = getattr(kind, "_fields", ())
    named: Fields = {"verb": verb} if "verb" in fields else {}
    gaps = {gap.field for gap in pattern.gaps} | pattern.nothing.keys()
    if not {*gaps, *named} <= {*fields}:
        raise ValueError(f"{text}: the record has no {', '.join(sorted(gaps.difference(fields)))}")

    def read(reader: Reader, known: Known[S]) -> A:
        return kind(reader.line, **named, **pattern.read(reader, known))

    return Form(verb, kind, read, pattern.write, rule)


def _pattern(text: str, slots: Mapping[str, Slot[S]], words: Vocabulary) -> _Pattern[S]:
    """Take a form apart."""
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
    """The keyword that a phrase is or says; ValueError if it is none."""
    if phrase in words.table:
        return phrase
    said = words.said(tokens(phrase), 0)
    if not said:
        raise ValueError(f"{phrase} is no word of the orders")
    return said[0]
