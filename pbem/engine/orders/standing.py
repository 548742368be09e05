"""Standing orders and conditions: the language for decisions in advance.

::

    STANDING FOR SPACE Serrallo
    1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Saboya / INF.STRONGEST ; SCREEN NONE
    2. WHEN SHELLED THEN COUNTERBATTERY YES LIMIT 1
    ENDSTANDING

The grammar is shared; a game supplies its `Idiom`, the words and the rule's number. One reaction belongs to
all games: ``ASK WITHIN 24`` asks its owner by letter, and counts as silence without an answer. Conditions
are nested tuples: ``("and", a, b)``, ``("or", a, b)``, ``("not", a)``, ``("odds", op, a, b)``, ``("count",
whose, what, op, n)``, ``("from", space)``, ``("leader", id)``, ``("unit", id, how)``, ``("space", id,
how)``, ``("turn", op, n)``, ``("vp", op, n)``; `op` is AT LEAST, AT MOST, LESS THAN, MORE THAN or EXACTLY.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.lex import tokens
from pbem.engine.orders.names import Names

Condition = tuple[Any, ...]
_COMPARISONS = {"AT LEAST": operator.ge, "AT MOST": operator.le, "LESS THAN": operator.lt, "MORE THAN": operator.gt}
OPERATORS = tuple(_COMPARISONS)
ASK = "ASK"
"""The reaction that asks its owner by letter; its one word is the number of hours to answer."""
HOURS, MOST_HOURS = 24, 168
"""The hours that ASK gives if it names none (a day), and the most that it may name (a week)."""


class Scope(NamedTuple):
    """Where a standing order applies: `kind` ALL, SPACE, LEADER or UNIT, and the id."""

    kind: str = "ALL"
    id: str = ""


class Reaction(NamedTuple):
    """A reaction: keyword, words in order of preference, and destination, if given."""

    keyword: str
    words: tuple[str, ...] = ()
    to: str = ""


class Rule(NamedTuple):
    """A standing order: scope, number, event, condition, reactions, limit.

    `otherwise` are the reactions after ELSE.
    """

    scope: Scope
    number: int
    event: str
    condition: Condition = ()
    reactions: tuple[Reaction, ...] = ()
    otherwise: tuple[Reaction, ...] = ()
    limit: int = 0


class Idiom(NamedTuple):
    """A game's part of the language: keywords of its vocabulary.

    `rule`: the number of the rule that is cited where a condition or a reaction is wrong. `events`: what WHEN may
    name; the empty one is included if a line needs no WHEN. `reactions`: keyword -> shape of its words: empty for a
    keyword without words; ``spaces``; or alternatives separated by ``|``, with ``+prefs`` after them if units may
    be named instead. An alternative written ``A>B`` takes TO and a space, or the word B with TO or without.
    `counts`: what MY and ENEMY can count; `states`: states that MY and a unit can have; `kinds`: groups of units in
    preferences (INF.STRONGEST); `measure`: the word for a minimum in preferences (CAV.STEPS>=2), if any. `phrases`:
    keywords that include a reaction's word.
    """

    rule: str
    events: tuple[str, ...]
    reactions: Mapping[str, str]
    counts: tuple[str, ...] = ()
    states: tuple[str, ...] = ("HERE",)
    kinds: tuple[str, ...] = ()
    measure: str = ""
    phrases: tuple[str, ...] = ()


class Lexicon(NamedTuple):
    """The words of a side's game, and the names that its lines may use.

    `others` are units in `mine` that another commander of the side orders, with that seat: standing orders and
    conditions may name them, orders may not, by `others_rule`.
    """

    idiom: Idiom
    units: Names
    spaces: Names
    mine: Names
    others: Mapping[str, str] = MappingProxyType({})
    others_rule: str = ""


def place_meant(lexicon: Lexicon, words: str, stands: Mapping[str, str]) -> tuple[str, tuple[Msg, ...]]:
    """Return the place in a player's question, and how it was read.

    It is empty if the words name none, or several. A unit's name means its place in `stands`. Exact names
    precede corrected ones.
    """
    space, unit = lexicon.spaces.find(words), lexicon.mine.find(words)
    unit_place = stands.get(unit.id or "", "")
    if unit_place and space.how != "exact" and (unit.how == "exact" or space.id is None):
        return unit_place, (msg("{unit} is in {space}", unit=unit.id or "", space=unit_place),)
    if space.id is None:
        near = (*space.ids, *unit.ids)
        return "", (unknown_space(words), *((msg("did you mean {names}?", names=near),) if near else ()))
    notes = () if space.how == "exact" else (msg("{word} is read as {name}", word=words, name=space.id),)
    return space.id, notes


def compare(op: str, value: int, bound: int) -> bool:
    """Apply an operator of the language."""
    return bool(_COMPARISONS.get(op, operator.eq)(value, bound))


def read_condition(reader: Reader, lexicon: Lexicon) -> Condition:
    """Read a condition: OR of AND of NOT; parentheses group."""
    left, terms = _read_and(reader, lexicon), 1
    while reader.accept("OR"):
        terms = reader.one_more(terms, lexicon.idiom.rule)
        left = ("or", left, _read_and(reader, lexicon))
    return left


def _read_and(reader: Reader, lexicon: Lexicon) -> Condition:
    left, terms = _read_not(reader, lexicon), 1
    while reader.accept("AND"):
        terms = reader.one_more(terms, lexicon.idiom.rule)
        left = ("and", left, _read_not(reader, lexicon))
    return left


def _read_not(reader: Reader, lexicon: Lexicon) -> Condition:
    if reader.accept("NOT"):
        reader.deeper()
        denied = _read_not(reader, lexicon)
        reader.deeper(-1)
        return ("not", denied)
    if reader.mark("("):
        reader.deeper()
        inner = read_condition(reader, lexicon)
        reader.deeper(-1)
        if not reader.mark(")"):
            raise reader.wrong(msg("a closing parenthesis is missing"), lexicon.idiom.rule)
        return inner
    return _read_test(reader, lexicon)


def _read_test(reader: Reader, lexicon: Lexicon) -> Condition:
    if reader.accept("ODDS"):
        op = reader.accept(*OPERATORS) or "AT LEAST"
        mine = reader.number()
        if not reader.mark(":"):
            raise reader.wrong(msg("odds are written 2:1"), lexicon.idiom.rule)
        return ("odds", op, mine, reader.number())
    if reader.accept("TURN"):
        return ("turn", reader.accept(*OPERATORS) or "EXACTLY", reader.number())
    if reader.accept("VP"):
        return ("vp", reader.accept(*OPERATORS) or "EXACTLY", reader.number())
    if reader.accept("SPACE"):
        space = reader.name(lexicon.spaces, unknown_space)
        return ("space", space, reader.expect("MINE", "ENEMY", "EMPTY"))
    if reader.accept("ENEMY"):
        return _read_enemy(reader, lexicon)
    if reader.accept("MY"):
        what = reader.accept(*lexicon.idiom.counts)
        if what:
            return ("count", "MY", what, reader.accept(*OPERATORS) or "EXACTLY", reader.number())
        unit = reader.name(lexicon.mine, not_yours(lexicon))
        return ("unit", unit, reader.expect(*lexicon.idiom.states))
    token = reader.token
    is_space = token is not None and lexicon.spaces.exact(token.key) is not None
    spellings = (f"{reader.vocabulary.table['SPACE'][0]} {token.text}",) if token is not None and is_space else ()
    raise reader.wrong(msg("this is no condition"), lexicon.idiom.rule, spellings)


def _read_enemy(reader: Reader, lexicon: Lexicon) -> Condition:
    if reader.accept("FROM"):
        return ("from", reader.name(lexicon.spaces, unknown_space))
    if reader.accept("LEADER"):
        return ("leader", reader.name(lexicon.units, unknown_unit))
    what = reader.accept(*lexicon.idiom.counts)
    if not what:
        raise reader.wrong(msg("after ENEMY comes what is counted, FROM or LEADER"), lexicon.idiom.rule)
    return ("count", "ENEMY", what, reader.accept(*OPERATORS) or "EXACTLY", reader.number())


def unknown_space(word: str) -> Msg:
    """Return the message for a space that is not on the map."""
    return msg("{word} is not a place on this map", word=word)


def unknown_unit(word: str) -> Msg:
    """Return the message for an unknown unit."""
    return msg(NO_UNIT, word=word)


def not_yours(lexicon: Lexicon) -> Callable[[str], Msg]:
    """Return the message for a word that is no unit of one's own."""

    def unknown(word: str) -> Msg:
        match = lexicon.units.find(word)
        return msg(NOT_YOURS, unit=match.ids[0]) if match.how in ("exact", "prefix") else unknown_unit(word)

    return unknown


NOT_YOURS, NO_UNIT = msg("{unit} is not yours").text, msg("{word} is not a unit of this game").text


def read_scope(reader: Reader, lexicon: Lexicon) -> Scope:
    """Read the rest of STANDING: FOR ALL, SPACE, LEADER or UNIT and a name.

    Nothing means ALL; FOR may be left out.
    """
    if reader.is_at_end:
        return Scope()
    reader.accept("FOR")
    kind = reader.expect("ALL", "SPACE", "LEADER", "UNIT")
    ident = ""
    if kind == "SPACE":
        ident = reader.name(lexicon.spaces, unknown_space)
    elif kind != "ALL":
        ident = reader.name(lexicon.mine, not_yours(lexicon))
    reader.finish()
    return Scope(kind, ident)


def read_rule(reader: Reader, lexicon: Lexicon, scope: Scope, number: int) -> Rule:
    """Read one line of a standing block.

    A number before the line is replaced by its place in the block. If the game's events include the empty one, a
    line may lack WHEN and THEN: it then applies at any time.
    """
    token = reader.token
    if token is not None and token.text.isdigit():
        reader.at += 1
    event = ""
    condition: Condition = ()
    if reader.peek("WHEN") or "" not in lexicon.idiom.events:
        reader.expect("WHEN")
        event = reader.expect(*(word for word in lexicon.idiom.events if word))
        condition = read_condition(reader, lexicon) if reader.accept("IF") else ()
        reader.expect("THEN")
    reactions, limit = _read_reactions(reader, lexicon)
    otherwise: tuple[Reaction, ...] = ()
    if reader.accept("ELSE"):
        otherwise, late = _read_reactions(reader, lexicon)
        limit = limit or late
    reader.finish()
    return Rule(scope, number, event, condition, reactions, otherwise, limit)


def _read_reactions(reader: Reader, lexicon: Lexicon) -> tuple[tuple[Reaction, ...], int]:
    reactions: list[Reaction] = []
    limit = 0
    while True:
        reactions.append(_read_reaction(reader, lexicon))
        if reactions[-1].keyword == ASK and reader.peek("LIMIT"):
            raise reader.wrong(msg("ASK takes no LIMIT: the game limits the questions of a turn"), lexicon.idiom.rule)
        if reader.accept("LIMIT"):
            limit = reader.number()
        if not reader.mark(";") or reader.is_at_end:
            return tuple(reactions), limit


def _read_reaction(reader: Reader, lexicon: Lexicon) -> Reaction:
    for phrase in lexicon.idiom.phrases:
        if reader.accept(phrase):
            keyword, _, word = phrase.partition(" ")
            return Reaction(keyword, (word,))
    if reader.accept(ASK):
        return Reaction(ASK, (str(_read_hours(reader, lexicon)),))
    keyword = reader.expect(*lexicon.idiom.reactions, ASK)
    shape = lexicon.idiom.reactions[keyword]
    if not shape:
        return Reaction(keyword)
    if shape == "spaces":
        spaces = [reader.name(lexicon.spaces, unknown_space)]
        while reader.mark("/") or reader.mark(","):
            spaces.append(reader.name(lexicon.spaces, unknown_space))
        return Reaction(keyword, tuple(spaces))
    words, _, more = shape.partition("+")
    choices = {choice: word for choice, _, word in (choice.partition(">") for choice in words.split("|")) if choice}
    chosen_word = reader.accept(*choices) if choices else ""
    if chosen_word:
        return Reaction(
            keyword, (chosen_word,), _read_to(reader, lexicon, choices[chosen_word]) if choices[chosen_word] else ""
        )
    if more != "prefs":
        raise _expected_words(reader, keyword, tuple(choices), lexicon.idiom)
    return Reaction(keyword, _read_prefs(reader, lexicon))


def _expected_words(reader: Reader, keyword: str, words: Sequence[str], idiom: Idiom) -> Wrong:
    """Return the mistake that none of its words follows a reaction, with its phrases."""
    phrases = [f"{keyword} {word}" for word in words if f"{keyword} {word}" in idiom.phrases]
    if not phrases:
        return reader.expect_one_of(words, idiom.rule)
    rejected = reader.expect_one_of([word for word in words if f"{keyword} {word}" not in phrases], idiom.rule).rejected
    instead = reader.vocabulary.keyword_text(phrases[0])
    return Wrong(
        rejected._replace(why=msg("{why}, or instead of both words {phrase}", why=rejected.why, phrase=instead))
    )


def _read_to(reader: Reader, lexicon: Lexicon, word: str) -> str:
    """Read TO and a space, or a word in their place; empty if there is neither."""
    to = reader.accept("TO")
    if reader.accept(word):
        return word
    return reader.name(lexicon.spaces, unknown_space) if to else ""


def _read_hours(reader: Reader, lexicon: Lexicon) -> int:
    if not reader.accept("WITHIN"):
        return HOURS
    if not 1 <= (hours := reader.number()) <= MOST_HOURS:
        reader.at -= 1
        raise reader.wrong(msg("an answer is given from 1 to {most} hours", most=MOST_HOURS), lexicon.idiom.rule)
    return hours


def _read_prefs(reader: Reader, lexicon: Lexicon) -> tuple[str, ...]:
    """Read preferences: ids, names, or KIND.RANK (INF.STRONGEST, CAV.STEPS>=2)."""
    preferences = [_read_pref(reader, lexicon)]
    while reader.mark("/") or reader.mark(","):
        preferences.append(_read_pref(reader, lexicon))
    return tuple(preferences)


def _read_pref(reader: Reader, lexicon: Lexicon) -> str:
    token = reader.token
    if token is not None and "." in token.text:
        kind, _, rank = token.text.partition(".")
        known = _keyword(reader, kind, lexicon.idiom.kinds)
        ranked = _rank(reader, rank, lexicon.idiom.measure)
        if known and ranked:
            reader.at += 1
            return f"{known}.{ranked}"
    if reader.accept("NONE"):
        return "NONE"
    return reader.name(lexicon.mine, not_yours(lexicon))


def _keyword(reader: Reader, word: str, keywords: Sequence[str]) -> str:
    matches = reader.vocabulary.keywords_at(tokens(word), 0)
    return next((keyword for keyword in keywords if keyword in matches), "")


def _rank(reader: Reader, word: str, measure: str) -> str:
    for sign in (">=", "≥"):
        head, has_sign, number = word.partition(sign)
        if has_sign and number.isdigit() and _keyword(reader, head, (measure,)):
            return f"{measure}>={int(number)}"
    return _keyword(reader, word, ("STRONGEST", "WEAKEST", "FRESHEST"))


# Orders common to all games: IF, STOP IF, PASS.
#
# `line` counts in the text the order was read from.


A = TypeVar("A")


class Pass(NamedTuple):
    """PASS: do nothing."""

    line: int


class If(NamedTuple, Generic[A]):
    """A condition (plain data of the condition language) and both branches."""

    line: int
    condition: Condition
    then: tuple[A, ...]
    otherwise: tuple[A, ...] = ()


class Stop(NamedTuple):
    """STOP IF: if the condition is true, no later order is carried out."""

    line: int
    condition: Condition


def _nothing(action: object) -> Iterable[Any]:
    return ()


def flat(actions: Iterable[A], under: Callable[[A], Iterable[A]] = _nothing) -> Iterator[A]:
    """Yield all possible actions in the order written.

    An IF yields the actions of both branches, but not itself. `under` returns the orders under an order that heads
    others; these follow it.
    """
    for action in actions:
        if isinstance(action, If):
            yield from flat((*action.then, *action.otherwise), under)
        else:
            yield action
            yield from flat(under(action), under)
