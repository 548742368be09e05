"""Match sentences of prose with the offers of a seat's order form."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.languages import supported_languages
from pbem.engine.orders.lex import fold
from pbem.engine.orders.names import distance, near_enough
from pbem.engine.orders.speech import Speaks
from pbem.engine.parts import FormTerms
from pbem.engine.terms import Orders
from pbem.play.commands.orders import order_block
from pbem.play.commands.orders.prose_words import (
    AND,
    BRANCHES,
    CLAUSE,
    EMPTY_WORDS,
    FILLING,
    NOT,
    SPANISH_TROOPS,
    VERBS_OF_WORD,
    WITHOUT,
)
from pbem.play.positions import Position

# Bounds of what is read. A choice: a letter with more is no order in plain words.
_MOST_WORDS, _MOST_FITTING, _MOST_PARTS, _MOST_CANDIDATES = 400, 20, 12, 8
_LEAST = 4
"""Letters of a word that may abbreviate or misspell a name: shorter ones are ordinary words (`el`, `at`, `con`)."""

_UNIT_LIST = re.compile(r"[^\s,;]+(?:, [^\s,;]+)+")
"""Several units in a line of the form."""
# A hex is its four digits.
_HEX = re.compile(r"\d{4}")
_FROM = ("from", "desde", "de")
"""Words before a place that is no destination."""
_GOALS = re.compile(r"\b(?:ASSAULT|AT|TO|ACTIVATE|FROM) ([^\s,;]+)")
"""The word in a form line at the position of a place."""


class _NamedTerms(NamedTuple):
    """The verbs of a possible order, and the units and places that words name.

    `elsewhere` are places that no offer has.
    """

    verbs: frozenset[str]
    names: frozenset[str]
    elsewhere: frozenset[str] = frozenset()


class _Part(NamedTuple):
    """A part of a sentence; the number of its clause, and whether that says NOT."""

    text: str
    clause: int
    asked: _NamedTerms
    negated: bool = False


class MatchedSentence(NamedTuple):
    """A parsed sentence.

    `found` are the lines of the form that each group of its parts may mean, `against` the parts that forbid,
    `unused` the rest.
    """

    text: str
    found: tuple[tuple[str, ...], ...] = ()
    against: tuple[_Part, ...] = ()
    unused: tuple[str, ...] = ()


def key_of(name: str) -> str:
    return re.sub(r"[^a-z0-9/]", "", fold(name))


def _keys(text: str) -> list[str]:
    """Return the folded words of a text."""
    return [key for key in map(key_of, text.split()) if key]


# The end of a possessive: Prim's division is that of Prim.
_OWNER = re.compile("['\u2019]s?$")
_ATTACKS = ("ASSAULT", "CHARGE")


def _words_of(text: str) -> set[str]:
    return {word for part in text.split() for word in part.strip(",;+").split("+")}


def _is_keyword(word: str, speak: Speaks) -> bool:
    """Return whether a word of the form is a keyword, not a name.

    A keyword is in capitals, and either short or a different word in Spanish.
    """
    return word.isupper() and word.isalpha() and (len(word) < _LEAST - 1 or speak(word, "es") != word)


class OrderForm:
    """The offers of a seat's order form, and the names of its units and places.

    `names` maps written keys to ids.
    """

    def __init__(self, position: Position, seat: str) -> None:
        self.here, self.seat = position, seat
        self.view = position.rules.view(position.state, seat)
        self.offered = [
            offered.text for offered in position.rules.aids.offers(self.view, seat, FormTerms(position.begun))
        ]
        ids = {word.strip(",;+") for text in self.offered for word in text.split()}
        speak = position.rules.telling.spoken
        names = {key_of(ident): ident for ident in ids if ident != "|" and not _is_keyword(ident, speak)}
        called = {
            key_of(name): ident
            for vocabulary in position.rules.telling.called.values()
            for ident, name in vocabulary.names.items()
        }
        names |= {key: ident for key, ident in called.items() if ident in ids}
        self.names = {key: ident for key, ident in names.items() if len(key) > 1}
        # "The hussars" are all whose names differ in their numbers alone.
        self._groups: dict[str, set[str]] = {}
        for key, ident in self.names.items():
            if len(stem := key.strip("0123456789/")) > _LEAST and stem not in self.names:
                self._groups.setdefault(stem, set()).add(ident)
        self._misspelt: dict[str, str] = {}
        self.places = {place for text in self.offered for place in _GOALS.findall(text)}
        self._elsewhere = {key: ident for key, ident in called.items() if ident not in ids}
        self._legal: dict[str, Orders | None] = {}
        self.unreached: dict[str, tuple[str, ...]] = {}
        """The place out of reach that a text names, and its units."""

    def in_each_language(self, line: str) -> tuple[str, ...]:
        """Return a line of the form in every supported language."""
        return (line, *(self.here.rules.telling.spoken(line, language) for language in supported_languages()))

    def names_in(self, text: str) -> frozenset[str]:
        """Return the ids that a text names."""
        return self._terms_in(text).names

    def possible_offers(self, line: str) -> list[tuple[str, ...]]:
        """Return the lines of the form that a line of prose may mean.

        None if the line says NOT, or more than these lines do.
        """
        parsed = self.read(line)
        return [] if parsed.against or parsed.unused else list(parsed.found)

    def read(self, sentence: str) -> MatchedSentence:
        """Return the possible offers of a sentence, and the rest of it.

        The offers have as few orders as possible.
        """
        parts = list(self._parts(sentence))[:_MOST_PARTS]
        negated = [part for part in parts if part.negated and any(part.asked)]
        # Who names troops by no unit's name does not forbid the act to all others.
        vague = tuple(
            part.text for part in negated if not part.asked.names and self._unnamed_branches(_keys(part.text))
        )
        forbidding = tuple(part for part in negated if part.text not in vague)
        ordered = [part for part in parts if not part.negated]
        if not any(part.asked.names for part in ordered):
            return MatchedSentence(sentence, against=forbidding, unused=vague)
        if not negated and (offers := self._matching_offers(self._terms_in(sentence))):
            return MatchedSentence(sentence, (tuple(offers),), unused=self._unmatched_texts(ordered))
        groups, unused = self._group_parts(ordered)
        if unused and not groups and not negated:
            groups, unused = self._without_one(sentence, unused)
        unmatched = self._unmatched_texts(ordered, unused) if groups else ()
        return MatchedSentence(sentence, tuple(groups), forbidding, (*unused, *unmatched, *vague))

    def _without_one(self, sentence: str, unused: list[str]) -> tuple[list[tuple[str, ...]], list[str]]:
        """Return the offers without one of the named units, and its name.

        If there are none, return the unused texts.
        """
        terms = self._terms_in(sentence)
        units, places = terms.names - self.places, terms.names & self.places
        for unit in sorted(units) if len(units) > 1 and places else ():
            offers = self._matching_offers(terms._replace(names=terms.names - {unit}))
            if offers:
                return [tuple(offers)], [unit]
        targets = places | terms.elsewhere
        if units and len(targets) == len(unused) == 1:
            self.unreached[" ".join(unused[0].split())] = (*targets, *sorted(units))
        return [], unused

    def _parts(self, sentence: str) -> Iterator[_Part]:
        """Yield the parts of a sentence.

        A clause without a verb inherits the NOT of the clause before it.
        """
        negated = False
        for number, clause in enumerate(CLAUSE.split(sentence)):
            included, *excepted = WITHOUT.split(clause)
            words = [key_of(word) for word in clause.split()]
            verbs = self._terms_in(included).verbs
            negated = any(map(NOT.fullmatch, words)) or (negated and not verbs)
            for text in AND.split(included):
                if text.strip():
                    yield _Part(clause if negated else text, number, self._terms_in(text), negated)
            for text in excepted:
                yield _Part("", number, _NamedTerms(frozenset(), self.names_in(text)), True)

    def _unmatched_texts(self, parts: Sequence[_Part], named: Collection[str] = ()) -> tuple[str, ...]:
        """Return parts that name nothing, and unnamed troops, but for texts in `named`."""
        texts: list[str] = []
        for part in (part for part in parts if part.text not in named):
            keys = _keys(part.text)
            weighty = sum(len(key) >= _LEAST and not EMPTY_WORDS.fullmatch(key) for key in keys)
            texts += [part.text] if not any(part.asked) and weighty > 1 else self._unnamed_branches(keys)
        return tuple(texts)

    def _unnamed_branches(self, words: Sequence[str]) -> list[str]:
        """Return the kinds of troops among words that stand beside the name of no unit."""
        beside: set[int] = set()
        for ids, start, end in self._named_spans(words):
            beside |= set(range(start, end) if self.places.issuperset(ids) else range(start - 1, end + 1))
        return [word for index, word in enumerate(words) if BRANCHES.fullmatch(word) and index not in beside]

    def _group_parts(self, parts: Sequence[_Part]) -> tuple[list[tuple[str, ...]], list[str]]:
        """Return the offers of neighbouring parts, and the rest.

        There are as few groups as possible.
        """
        best: list[tuple[float, list[tuple[str, ...]], list[str]]] = [(0.0, [], [])]
        for end in range(1, len(parts) + 1):
            ways = []
            for start in range(end):
                cost, offers, unused = best[start]
                group = parts[start:end]
                names = frozenset[str]().union(*(part.asked.names for part in group))
                group_offers = self._offers_of_group(parts, start, end) if names else ()
                if group_offers:
                    clauses = len({part.clause for part in group})
                    broken = bool(start) and parts[start - 1].clause == group[0].clause
                    weight = 1 + 0.5 * (len(group_offers) > 1) + 0.1 * broken + 0.3 * (clauses - 1)
                    ways.append((cost + weight, [*offers, group_offers], unused))
                elif end - start == 1:
                    ways.append((cost + 3 * bool(names), offers, [*unused, group[0].text] if names else unused))
            best.append(min(ways, key=lambda way: way[0]))
        return best[-1][1], best[-1][2]

    def _offers_of_group(self, parts: Sequence[_Part], start: int, end: int) -> tuple[str, ...]:
        """Return the offers that neighbouring parts mean together.

        A missing verb or place is taken from the parts beside them.
        """
        group = parts[start:end]
        wanted_terms = _NamedTerms(
            *(frozenset[str]().union(*term_sets) for term_sets in zip(*(part.asked for part in group), strict=True))
        )
        near = [part.asked.verbs for part in (*parts[:start][::-1], *parts[end:]) if part.asked.verbs]
        offers = self._matching_offers(wanted_terms, near[0] if near else ())
        if len(offers) < 2:
            return tuple(offers)
        clause = [part.asked.names for part in parts if part.clause in {grouped.clause for grouped in group}]
        others = frozenset[str]().union(*clause) - wanted_terms.names
        offers = [offer_text for offer_text in offers if others & _words_of(offer_text)] or offers
        if not wanted_terms.names - self.places and not all(
            offer_text.splitlines()[-1].startswith(_ATTACKS) for offer_text in offers
        ):
            return ()
        return tuple(offers)

    def without_forbidden(self, sentences: Sequence[MatchedSentence]) -> tuple[list[list[str]], list[str]]:
        """Return offers without forbidden units, and all unused texts.

        Each sentence may forbid something in all others.
        """
        forbidding = [forbidden_part for sentence in sentences for forbidden_part in sentence.against]
        fitting, emptied, heeded = list[list[str]](), set[int](), set[_Part]()
        for index, sentence in enumerate(sentences):
            for offers in sentence.found:
                remaining = list[str]()
                for text in offers:
                    spared = text
                    for forbidden_part in forbidding:
                        reduced = self._spare(spared, forbidden_part.asked) if spared else ""
                        heeded |= {forbidden_part} if reduced != spared else set()
                        spared = reduced
                    remaining += [spared] if spared else []
                fitting += [list(dict.fromkeys(remaining))] if remaining else []
                emptied |= set() if remaining else {index}
        unused = list[str]()
        for index, sentence in enumerate(sentences):
            parts = [*sentence.unused, *(part.text for part in sentence.against if part not in heeded)]
            is_unmatched = not sentence.found and not sentence.against and self.names_in(sentence.text)
            unused += [sentence.text] if index in emptied or (is_unmatched and not parts) else parts
        return fitting, list(dict.fromkeys(" ".join(part.split()) for part in unused if part.strip()))

    def _spare(self, text: str, forbidden: _NamedTerms) -> str:
        """Return an offer without forbidden units; empty if it has no others."""
        line = text.splitlines()[-1]
        verb, words = line.split()[0], _words_of(line)
        units, places = forbidden.names - self.places, forbidden.names & self.places
        if forbidden.verbs and verb not in forbidden.verbs:
            return text
        if not units:
            return "" if forbidden.verbs and places <= words else text
        if not units & words or (forbidden.verbs and not places <= words):
            return text
        return self._leave_out(text, units)

    def _leave_out(self, text: str, units: frozenset[str]) -> str:
        *head, line = text.splitlines()
        reduced = _UNIT_LIST.sub(lambda some: ", ".join(u for u in some[0].split(", ") if u not in units), line)
        for pattern in (r" WITH (?P<unit>\S+)(?= TO )", r" SUPPORT (?P<unit>\S+)"):
            reduced = re.sub(pattern, lambda match: "" if units & set(match["unit"].split("+")) else match[0], reduced)
        shortened = "\n".join([*head, reduced])
        return "" if units & _words_of(reduced) or self._legal_orders(shortened) is None else shortened

    def says_all(self, line: str, offer: str) -> bool:
        """Return whether an offer has all words of a line and adds no unit but a leader."""
        words = [key for word in line.split() if (key := key_of(word)) and not FILLING.fullmatch(key)]
        named_ids = self._terms_in(line).names
        known_keys = {key for key, ident in self.names.items() if ident in named_ids}
        known_words = all(
            word in VERBS_OF_WORD or self._id_of(word) or any(word in key for key in known_keys) for word in words
        )
        units = {word.strip(",;+") for word in offer.splitlines()[-1].partition(" LED BY ")[0].split()}
        return known_words and "@" not in line and units & set(self.names.values()) <= named_ids

    def _terms_in(self, sentence: str) -> _NamedTerms:
        words = [key for word in sentence.split()[:_MOST_WORDS] if (key := key_of(_OWNER.sub("", word)))]
        elsewhere = (
            self._elsewhere.get(word, word)
            for before, word in zip(["", *words], words, strict=False)
            if before not in _FROM
            and word not in self.names
            and (word in self._elsewhere or _HEX.fullmatch(word))
            and self.here.rules.aids.place(self.here.state, self.seat, self._elsewhere.get(word, word))
        )
        verbs = {verb for word in words for verb in VERBS_OF_WORD.get(word, ())}
        if any(VERBS_OF_WORD.get(word) == ["CHARGE"] for word in words):
            verbs -= {"ASSAULT"}
        return _NamedTerms(frozenset(verbs), frozenset(self._named_ids(words)), frozenset(elsewhere))

    def _named_ids(self, words: Sequence[str]) -> Iterator[str]:
        """Yield the ids that words name."""
        for ids, _, _ in self._named_spans(words):
            yield from ids

    def _named_spans(self, words: Sequence[str]) -> Iterator[tuple[Collection[str], int, int]]:
        """Yield named ids with the first word and the end; longer groups come first."""
        known = self.names.keys() | self._groups.keys()
        words = [word if word in known else SPANISH_TROOPS.get(word, word) for word in words]
        index = 0
        while index < len(words):
            ids: Collection[str] = ()
            for length in (4, 3, 2, 1):
                ident = self._id_of("".join(words[index : index + length])) if index + length <= len(words) else ""
                if ident:
                    ids = (ident,)
                    break
            ids = ids or self._groups.get(words[index], ())
            if ids:
                yield ids, index, index + length
            index += length

    def _id_of(self, word: str) -> str:
        """Return the only id that a word stands for, exactly or with a spelling error.

        Empty if the word stands for several ids or for none.
        """
        if word in self.names:
            return self.names[word]
        if len(word) <= _LEAST or any(character.isdigit() for character in word) or word in VERBS_OF_WORD:
            return ""
        if word not in self._misspelt:
            alike = (key for key in self.names if abs(len(key) - len(word)) < 2 and near_enough(word, key))
            ids = {self.names[key] for key in alike if distance(word, key) * _LEAST <= len(word)}
            self._misspelt[word] = ids.pop() if len(ids) == 1 else ""
        return self._misspelt[word]

    def _matching_offers(self, wanted_terms: _NamedTerms, verbs: Collection[str] = ()) -> list[str]:
        """Return the offers with all wanted names.

        Among offers that differ only in details, return the shortest.
        """
        verbs = wanted_terms.verbs or verbs
        if not verbs and len(wanted_terms.names | wanted_terms.elsewhere) < 2:
            return []
        offers = self._offers_with_verbs(wanted_terms, verbs)
        if wanted_terms.elsewhere and not wanted_terms.names & self.places:
            offers = [offer_text for offer_text in offers if not offer_text.splitlines()[-1].startswith("MOVE ")]
        if not offers and "ASSAULT" in verbs and wanted_terms.names & self.places and wanted_terms.names - self.places:
            # An assault on an empty place means a move there.
            offers = self._offers_with_verbs(wanted_terms, ("MOVE",))
        return offers or self._written_moves(wanted_terms, verbs)

    def _written_moves(self, wanted_terms: _NamedTerms, verbs: Collection[str]) -> list[str]:
        """Return the legal move of the named units to the one named place.

        The form may not offer it.
        """
        units = wanted_terms.names - self.places
        targets = (wanted_terms.names & self.places) | wanted_terms.elsewhere
        if not units or len(targets) != 1 or (verbs and not {"MOVE", "ASSAULT"} & set(verbs)):
            return []
        (target,) = targets
        candidates: dict[str, bool] = {}
        for text in self.offered:
            *head, line = text.splitlines()
            if line.startswith("MOVE ") and units & _words_of(line):
                own = "\n".join([*head, f"MOVE {', '.join(sorted(units))} TO {target}"])
                if units <= _words_of(line):
                    same = re.sub(r" TO \S+", f" TO {target}", self._restrict_to(text, wanted_terms.names))
                    candidates[same] = _words_of(same) & set(self.names.values()) - {target} <= units
                candidates.setdefault(own, True)
        # Lines that move none but the named units are tried first.
        ordered = sorted(candidates, key=lambda text: not candidates[text])
        return next(([text] for text in ordered[:_MOST_CANDIDATES] if self._legal_orders(text) is not None), [])

    def _offers_with_verbs(self, wanted_terms: _NamedTerms, verbs: Collection[str]) -> list[str]:
        offers: dict[tuple[str, ...], str] = {}
        for text in self.offered:
            line = text.splitlines()[-1].rpartition("; ")[2] if "; ASSAULT " in text else text.splitlines()[-1]
            verb, *_, last = line.split()
            attacks = verb == "ORDER" and last == "ATTACK" and "ASSAULT" in verbs
            if wanted_terms.names <= {word.strip(",;+") for word in line.split()} and (
                not verbs or verb in verbs or attacks
            ):
                better = self._restrict_to(text, wanted_terms.names)
                key = self._kind(better)
                if key not in offers or len(better) < len(offers[key]):
                    offers[key] = better
            if len(offers) >= _MOST_FITTING:
                break
        return list(offers.values())

    def _kind(self, text: str) -> tuple[str, ...]:
        """Return the words of an order without its supporting guns."""
        return tuple(text.partition(" SUPPORT ")[0].split())

    def _restrict_to(self, text: str, names: Collection[str]) -> str:
        """Return an offer with only the named units, if that is a legal order."""
        *head, line = text.splitlines()

        def cut(units: re.Match[str]) -> str:
            named_units = [unit for unit in units[0].split(", ") if unit in names]
            return ", ".join(named_units) if named_units else units[0]

        reduced = _UNIT_LIST.sub(cut, line)
        alone = re.sub(
            r" WITH (?P<leaders>.+?)(?= TO )", lambda match: match[0] if match["leaders"] in names else "", reduced
        )
        bearer = re.match(r"MOVE (?P<units>.+?) WITH (?P<leaders>.+?) (?P<rest>TO .+)", line)
        if (
            bearer is not None
            and bearer["leaders"] in names
            and set(bearer["units"].split(", ")).isdisjoint(
                {*names, *(unit for unit in bearer["units"].split(", ") if unit.startswith(bearer["leaders"]))}
            )
        ):
            alone = f"MOVE {bearer['leaders']} {bearer['rest']}"
        for shorter in (alone, reduced):
            if shorter != line and self._legal_orders(shortened := "\n".join([*head, shorter])) is not None:
                return shortened
        return text

    def whole(self, texts: Sequence[str]) -> str:
        """Return offers as one canonical block; empty if they contradict each other."""
        groups: dict[str, list[str]] = {}
        for number, text in enumerate(dict.fromkeys(texts)):
            *head, line = text.splitlines()
            groups.setdefault("\n".join(head) or str(number), [*head]).append(line)
        lines = "\n".join(line for group in groups.values() for line in group)
        orders = self._legal_orders(lines)
        return "" if orders is None else str(self.here.rules.canon(orders))

    def _legal_orders(self, text: str) -> Orders | None:
        if text not in self._legal:
            self._legal[text] = order_block.legal_orders(self.here, self.seat, self.view, text)
        return self._legal[text]
