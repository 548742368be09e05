"""Read one command: a cursor over its words, and mistakes as values.

A grammar asks the reader for the next word and gets it, or `Wrong` is raised with the place, the reason,
the rule and suggestions; the caller turns it into a refused line and goes on with the next line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import Statement, Token, Vocabulary, fold
from pbem.engine.orders.names import Names, distance
from pbem.engine.orders.wrapped import REST_INDENT
from pbem.engine.terms import RejectedLine

MOST_WRONG = 50
"""Mistakes after which reading stops: the player must correct these first."""
DEEPEST = 12
"""Levels of nesting in orders (parentheses and NOT in a condition, IF within IF): reading is recursive, and nobody can
follow more."""
MOST_TERMS = 30
"""Terms that AND or OR join in a condition. A choice: nobody can follow more, and the cost of a letter stays bounded.
"""


_ATTACK = frozenset({"attack", "attacks", "atacar", "ataque", "ataca"})
"""Words that players write for the order to assault or charge, in lower case without accents."""


class Wrong(Exception):
    """A mistake in a line; `rejected` is the answer to the player."""

    def __init__(self, rejected: RejectedLine) -> None:
        super().__init__(rejected.why.text)
        self.rejected = rejected


class Reader:
    """A cursor over the words of one command."""

    def __init__(
        self,
        statement: Statement,
        vocabulary: Vocabulary,
        rule: str,
        apart: Callable[[Token], bool] | None = None,
    ) -> None:
        """Start at the first word; `rule` is cited for unknown or missing words.

        A word for which `apart` is true is never the second word of a name.
        """
        self.line = statement.line
        self.words = statement.tokens
        self.vocabulary = vocabulary
        self.rule = rule
        self.apart = apart
        self.at = 0
        self.depth = 0
        self.corrected: list[tuple[str, str]] = []

    @property
    def token(self) -> Token | None:
        """Return the word at the cursor, None at the end."""
        return self.words[self.at] if self.at < len(self.words) else None

    @property
    def is_at_end(self) -> bool:
        """Return whether all words are read."""
        return self.at >= len(self.words)

    def peek(self, keyword: str) -> bool:
        """Return whether the keyword comes next."""
        return keyword in self.vocabulary.lengths(self.words, self.at)

    def deeper(self, levels: int = 1) -> None:
        """Go a level into nested text, or back; raise Wrong if it is too deep."""
        self.depth += levels
        if self.depth > DEEPEST:
            raise self.wrong(msg("no more than {count} of these may stand within one another", count=DEEPEST))

    def one_more(self, terms: int, rule: str) -> int:
        """Count one more term of a condition; raise Wrong if there are too many."""
        if terms >= MOST_TERMS:
            raise self.wrong(msg("a condition has {count} terms at most", count=MOST_TERMS), rule)
        return terms + 1

    def accept(self, *keywords: str) -> str:
        """Read and return the first of `keywords` that comes next, else return ""."""
        lengths = self.vocabulary.lengths(self.words, self.at)
        if lengths:
            for keyword in keywords:
                if keyword in lengths:
                    self.at += lengths[keyword]
                    return keyword
        return ""

    def mark(self, text: str) -> bool:
        """Read a punctuation mark if it comes next."""
        token = self.token
        if token is not None and token.text == text:
            self.at += 1
            return True
        return False

    def expect(self, *keywords: str) -> str:
        """Read one of `keywords`; raise Wrong with all of them otherwise."""
        keyword = self.accept(*keywords)
        if not keyword:
            raise self.expect_one_of(keywords)
        return keyword

    def expect_one_of(self, keywords: Sequence[str], rule: str = "") -> Wrong:
        """Return the mistake that none of `keywords` is at the cursor, with suggestions."""
        if self.token is not None and self.token.text == "|":
            return self.several()
        return self.wrong(self.vocabulary.one_of(keywords), rule, self.alike(keywords, near=False))

    def no_order(self, verbs: Sequence[str]) -> Wrong:
        """Return the mistake that the command begins with none of `verbs`."""
        self.at, near = 0, self.alike(verbs)
        word = self.words[0].text
        if self.words[0].key in _ATTACK:
            return self._attack(word, verbs)
        if near:
            return self.wrong(msg("{word} is not an order", word=word), suggestions=near)
        if self.words[0].column >= REST_INDENT:
            # The order that goes on here is still a comment in the line above.
            return self.wrong(
                msg("{word} is not an order; if the line above begins it, take away its # too", word=word)
            )
        return self.wrong(msg("{word} is not an order of this game; HELP ORDERS lists them", word=word))

    def _attack(self, word: str, verbs: Sequence[str]) -> Wrong:
        """Return the mistake of a line with ATTACK, which games call ASSAULT and CHARGE."""
        right = tuple(verb for verb in ("ASSAULT", "CHARGE") if verb in verbs)
        has_with = any(self.vocabulary.length(self.words, index, "WITH") for index in range(len(self.words)))
        why = msg("{word} is no order; foot soldiers ASSAULT a place WITH units, horsemen CHARGE AT one", word=word)
        return self.wrong(why, suggestions=right[:1] if has_with else right)

    def alike(self, keywords: Iterable[str], near: bool = True) -> tuple[str, ...]:
        """Return up to three of `keywords` like the word at the cursor, the likest first.

        Keywords that are only `near` the word are included if nothing fits better. A single word is never taken for
        several.
        """
        if self.token is None or not self.token.is_word:
            return ()
        written = self.token.key
        spelt = ((keyword, phrase) for keyword in keywords for phrase in self.vocabulary.table[keyword])
        phrases = {phrase: keyword for keyword, phrase in spelt if " " not in phrase}
        ids, how = Names(dict.fromkeys(phrases, ())).find(written)
        matches = ids if near or how != "none" else ()
        # Letters are left out more often than added: of two equally near words the longer one.
        nearest = sorted(matches, key=lambda phrase: (distance(written, fold(phrase)), -len(phrase)))
        # A choice, here and wherever words are suggested: three can be compared at a glance.
        return tuple(dict.fromkeys(self.vocabulary.table[phrases[phrase]][0] for phrase in nearest))[:3]

    def number(self) -> int:
        """Read a whole number."""
        token = self.token
        if token is None or not re.fullmatch(r"\d{1,6}", token.text):
            raise self.wrong(msg("expected a number here"))
        self.at += 1
        return int(token.text)

    def name(self, names: Names, unknown: Callable[[str], Msg], rule: str = "") -> str:
        """Read a name of one or more words and return its id.

        The longest exact name wins; else the words up to the next keyword or mark, read by prefix or spelling
        correction.
        """
        words, start = self.words, self.at
        if start >= len(words) or not words[start].is_word:
            raise self.wrong(msg("expected a name here"))
        if start + 1 < len(words) and words[start + 1].is_word and (joined_id := self._joined_name(names)):
            return joined_id
        for length in range(min(names.longest(words[start].key), len(words) - start), 0, -1):
            key = words[start].key if length == 1 else " ".join([token.key for token in words[start : start + length]])
            match = names.exact(key)
            if match is not None and match.how == "exact":
                self.at += length
                return match.ids[0]
        return self._near_name(names, unknown, rule)

    def _joined_name(self, names: Names) -> str:
        """Read a name with a blank too many; empty if its words make sense apart.

        The word at the cursor is followed by another.
        """
        words, start = self.words, self.at
        is_keyword, next_key = bool(self.vocabulary.lengths(words, start + 1)), words[start + 1].key
        if names.exact(words[start].key) is not None and (
            is_keyword or next_key.isdigit() or names.exact(next_key) is not None
        ):
            return ""
        for length in (3, 2):
            name_words = words[start : start + length]
            ident = names.joined_id([token.key for token in name_words]) if len(name_words) == length else ""
            if ident and names.exact(" ".join(token.key for token in name_words)) is None:
                if is_keyword and names.find(name_words[0].text).id is not None:
                    continue
                self.at += length
                self.corrected.append((" ".join(token.text for token in name_words), ident))
                return ident
        return ""

    def _near_name(self, names: Names, unknown: Callable[[str], Msg], rule: str) -> str:
        """Read an incomplete name: the words up to the next keyword or mark."""
        words, end = self.words, self.at + 1
        while end < len(words) and words[end].is_word and not self.vocabulary.lengths(words, end):
            if self.apart is not None and self.apart(words[end]):
                break
            end += 1
        text = " ".join(token.text for token in words[self.at : end])
        match = names.find(text)
        if match.id is None:
            why = msg("{word} can mean several", word=text) if match.how == "many" else unknown(text)
            raise Wrong(RejectedLine(self.line, words[self.at].column, text, why, rule or self.rule, match.ids[:3]))
        self.at = end
        self.corrected.append((text, match.id))
        return match.id

    def names(self, names: Names, unknown: Callable[[str], Msg], rule: str = "") -> tuple[str, ...]:
        """Read names separated by commas or AND, and return their ids."""
        ids = [self._listed_name(names, unknown, rule)]
        while self.mark(",") or self.accept("AND"):
            ids.append(self._listed_name(names, unknown, rule))
        return tuple(ids)

    def _listed_name(self, names: Names, unknown: Callable[[str], Msg], rule: str = "") -> str:
        """Read one name of several; raise Wrong if another follows without a comma."""
        start = self.at
        try:
            ident = self.name(names, unknown, rule)
        except Wrong:
            # Perhaps a comma is missing: if the next words hold two names, that is the better answer.
            self.at = start
            for length in range(1, len(self.words) - start):
                key = " ".join(token.key for token in self.words[start : start + length])
                if names.find(key).id is not None and self._is_name(names, start + length):
                    self.at = start + length
                    raise self._no_comma() from None
            raise
        if self._is_name(names, self.at):
            raise self._no_comma()
        return ident

    def _is_name(self, names: Names, index: int) -> bool:
        """Return whether a name begins at a word, and neither a mark nor a keyword does."""
        words = self.words
        if index >= len(words) or not words[index].is_word or self.vocabulary.lengths(words, index):
            return False
        if self.apart is not None and self.apart(words[index]):
            return False
        return any(
            names.exact(" ".join(token.key for token in words[index : index + length])) is not None
            for length in range(1, names.longest(words[index].key) + 1)
        )

    def _no_comma(self) -> Wrong:
        """Return the mistake that a comma is missing before the word at the cursor."""
        before, after = self.words[self.at - 1], self.words[self.at]
        why = msg("a comma is missing between {one} and {other}", one=before.text, other=after.text)
        return Wrong(RejectedLine(self.line, before.column + len(before.text), "", why, self.rule, (",",)))

    def groups(self, names: Names, unknown: Callable[[str], Msg]) -> tuple[tuple[str, ...], ...]:
        """Read groups separated by commas, the names of a group joined by ``+``."""
        result: list[tuple[str, ...]] = []
        while True:
            group = [self._listed_name(names, unknown)]
            while self.mark("+"):
                group.append(self._listed_name(names, unknown))
            result.append(tuple(sorted(group)))
            if not self.mark(","):
                return tuple(result)

    def finish(self) -> None:
        """Check that nothing follows; raise Wrong otherwise."""
        if self.token is not None and self.token.text == "|":
            raise self.several()
        if not self.is_at_end:
            raise self.wrong(msg("remove what follows from here"))

    def several(self) -> Wrong:
        """Return the mistake that alternatives of a form, separated by `|`, are left."""
        return self.wrong(msg("keep only one of the choices separated by |"))

    def wrong(self, why: Msg, rule: str = "", suggestions: tuple[str, ...] = ()) -> Wrong:
        """Return the mistake at the cursor."""
        token = self.token
        if token is None:
            last = self.words[-1] if self.words else Token("", "", 0)
            return Wrong(RejectedLine(self.line, last.column + len(last.text), "", why, rule or self.rule, suggestions))
        return Wrong(RejectedLine(self.line, token.column, token.text, why, rule or self.rule, suggestions))
