"""The gaps in the form of an order: how a word, a name or a list of names is read into one, and written again.

A game gives each of its gaps a name in a table, and uses it in its forms::

    SLOTS = {"space": place("O2"), "units": units("R2", ordered=True), "face": word("N", "S")}
    form("FACE {units:units} {face:face}", Face, SLOTS)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.canonical import canon_condition
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.lex import fold
from pbem.engine.orders.names import Names
from pbem.engine.orders.standing import Lexicon, read_condition, unknown_space, unknown_unit

S = TypeVar("S")
Ids = tuple[str, ...]


class Known(NamedTuple, Generic[S]):
    """What a letter is read with: the position as its side sees it, the side, and the names that it may use."""

    view: S
    side: str
    lexicon: Lexicon


class Slot(NamedTuple, Generic[S]):
    """A kind of gap: how it is read, how its value is written, and the value that says that nothing was written."""

    read: Callable[[Reader, Known[S]], Any]
    write: Callable[[Any], str] = str
    empty: Any = ""


def word(*keywords: str) -> Slot[S]:
    """One of some keywords."""
    return Slot(lambda reader, known: reader.expect(*keywords))


def name(names: Callable[[Known[S]], Names], unknown: Callable[[str], Msg], rule: str = "") -> Slot[S]:
    """One of some names; of another it is said that it is `unknown`, by the rule."""
    return Slot(lambda reader, known: reader.name(names(known), unknown, rule))


def place(rule: str = "", unknown: Callable[[str], Msg] = unknown_space) -> Slot[S]:
    """A place on the map."""
    return name(lambda known: known.lexicon.spaces, unknown, rule)


def unit(rule: str = "") -> Slot[S]:
    """A unit of one's own."""
    return Slot(lambda reader, known: _own(reader, known.lexicon, lambda: _named(reader, known.lexicon, rule))[0])


def units(rule: str = "", ordered: bool = False, plus: bool = False) -> Slot[S]:
    """Units of one's own, parted by commas or AND, with `plus` by a plus as well.

    They are taken as they were written if they are `ordered`, and are a set if not.
    """

    def read(reader: Reader, known: Known[S]) -> Ids:
        names = known.lexicon
        found = _own(reader, names, lambda: (_listed if plus else _names)(reader, names, rule))
        return found if ordered else tuple(sorted(found))

    return Slot(read, _list if ordered else _set, ())


def groups() -> Slot[S]:
    """Groups of units of one's own: ``Leon+Rey, Cid``."""
    return Slot(lambda reader, known: _own_groups(reader, known.lexicon), _groups, ())


def condition() -> Slot[S]:
    """A condition."""
    return Slot(lambda reader, known: read_condition(reader, known.lexicon), canon_condition, ())


def either(keyword: str, slot: Slot[S], value: object) -> Slot[S]:
    """A keyword that stands for a value, or what another slot reads."""
    return slot._replace(read=lambda reader, known: value if reader.accept(keyword) else slot.read(reader, known))


def _not_yours(lexicon: Lexicon) -> Callable[[str], Msg]:
    """Return what is said of a word that is no unit of one's own: somebody else's, or nobody's."""

    def unknown(word: str) -> Msg:
        found = lexicon.units.find(word)
        return msg("{unit} is not yours", unit=found.ids[0]) if found.how == "exact" else unknown_unit(word)

    return unknown


def _own(reader: Reader, lexicon: Lexicon, read: Callable[[], Ids]) -> Ids:
    """M1 Read units of one's own; wrong if another commander of the side orders one of them."""
    start = reader.at
    found = read()
    if lexicon.others:
        for ident in found:
            _check_holder(reader, lexicon, start, ident)
    return found


def _own_groups(reader: Reader, lexicon: Lexicon) -> tuple[Ids, ...]:
    start = reader.at
    found = reader.groups(lexicon.mine, _not_yours(lexicon))
    for ident in (ident for group in found for ident in group):
        _check_holder(reader, lexicon, start, ident)
    return found


def _check_holder(reader: Reader, lexicon: Lexicon, start: int, ident: str) -> None:
    holder = lexicon.others.get(ident)
    if holder is not None:
        key = fold(ident)
        reader.at = next((at for at in range(start, reader.at) if reader.words[at].key == key), start)
        raise Wrong(reader.wrong(_anothers(ident, holder), lexicon.others_rule).rejected._replace(word=ident))


def _anothers(unit: str, holder: str) -> Msg:
    return msg(
        "{unit} is under {command}: he orders it himself, in a set of his own, "
        "or the commander-in-chief gives it to you by ASSIGN",
        unit=unit,
        command=holder,
    )


def _named(reader: Reader, lexicon: Lexicon, rule: str) -> Ids:
    return (reader.name(lexicon.mine, _not_yours(lexicon), rule),)


def _names(reader: Reader, lexicon: Lexicon, rule: str) -> Ids:
    return reader.names(lexicon.mine, _not_yours(lexicon), rule)


def _listed(reader: Reader, lexicon: Lexicon, rule: str) -> Ids:
    out = [*_names(reader, lexicon, rule)]
    while reader.mark("+"):
        out += _names(reader, lexicon, rule)
    return tuple(out)


def _set(ids: Iterable[str]) -> str:
    return ", ".join(sorted(ids))


def _list(ids: Iterable[str]) -> str:
    return ", ".join(ids)


def _groups(groups: Iterable[Iterable[str]]) -> str:
    return ", ".join("+".join(sorted(group)) for group in groups)
