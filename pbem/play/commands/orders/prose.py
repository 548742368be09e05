"""Match prose with order form lines, and offer them for confirmation by code.

"I would like the Cuenca battalion to attack Cresta" comes back as a block. ``CONFIRM code`` makes that block
the orders of the letter that has the line. The block is read from the question as it was mailed. Its code
follows from the block, the phase and the revision of the seat's queued orders, and is valid for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.languages import pick_phrase, supported_languages
from pbem.engine.data.messages import msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import fold, tokens
from pbem.engine.orders.names import distance, near_enough
from pbem.engine.orders.speech import Speaks
from pbem.engine.parts import FormTerms
from pbem.engine.terms import NO_ENDIF, Orders
from pbem.letters import codes, content
from pbem.letters.command_lines import Block, ParsedLetter
from pbem.letters.commands import Form, Line
from pbem.letters.content import Mistake
from pbem.mail.address import strike_tokens
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command
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
    is_question,
    split_sentences,
)
from pbem.play.positions import Position
from pbem.store import queries

CONFIRM = ("CONFIRM", "CONFIRMAR")
_NAME = "confirm-orders"
_KEY = "orders"
"""Key of the question's block under which the offered orders are stored, as canonical text."""
# Bounds of what is read and answered. A choice: a letter with more is no order in plain words.
_MOST_SENTENCES, _MOST_OFFERED, _MOST_WORDS, _MOST_FITTING = 12, 4, 400, 20
_MOST_PARTS, _MOST_UNUSED, _SHOWN = 12, 8, 120
_LEAST = 4
"""Letters of a word that may abbreviate or misspell a name: shorter ones are ordinary words (`el`, `at`, `con`)."""

_UNIT_LIST = re.compile(r"[^\s,;]+(?:, [^\s,;]+)+")
"""Several units in a line of the form."""
_GOALS = re.compile(r"\b(?:ASSAULT|AT|TO|ACTIVATE|FROM) ([^\s,;]+)")
"""The word in a form line at the position of a place."""


class _NamedTerms(NamedTuple):
    """The verbs of a possible order, and the units and places that words name."""

    verbs: frozenset[str]
    names: frozenset[str]


class _Part(NamedTuple):
    """A part of a sentence; the number of its clause, and whether that says NOT."""

    text: str
    clause: int
    asked: _NamedTerms
    negated: bool = False


class _Sentence(NamedTuple):
    """A parsed sentence.

    `found` are the lines of the form that each group of its parts may mean, `against` the parts that forbid,
    `unused` the rest.
    """

    text: str
    found: tuple[tuple[str, ...], ...] = ()
    against: tuple[_Part, ...] = ()
    unused: tuple[str, ...] = ()


def offer(answer: SeatAnswer) -> bool:
    """Offer orders that a prose letter may mean; return False if it names nothing."""
    form = order_form(answer)
    if form is None:
        return False
    texts = split_sentences(answer.letter.text)
    questions = [text_part for text_part in texts if is_question(text_part)]
    texts = [text_part for text_part in texts if text_part not in questions]
    sentences = [form.read(text_part) for text_part in texts[:_MOST_SENTENCES]]
    sentences += [
        _Sentence(text_part, unused=(text_part,)) for text_part in texts[_MOST_SENTENCES:] if form.names_in(text_part)
    ]
    fitting, unused = form.without_forbidden(sentences)
    if not fitting:
        if not unused or "?" in answer.letter.text or questions:
            return False
        _show_form(answer, unused)
        return True
    unused = [*unused, *(" ".join(text_part.split()) for text_part in questions)]
    text = form.whole([offers[0] for offers in fitting]) if all(len(offers) == 1 for offers in fitting) else ""
    if text:
        _ask(answer, text, unused)
    else:
        _show_choices(answer, [choice for offers in fitting for choice in offers[:_MOST_OFFERED]], unused)
    return True


def suggest(answer: SeatAnswer, block: Block) -> None:
    """Suggest, for refused lines, the only order with all their names and their verb."""
    lines = dict(_action_lines(block))
    present = {_words(line) for line in lines.values()}
    form: OrderForm | None = None
    for index, error in enumerate(answer.errors[:_MOST_SENTENCES]):
        rejected, line = error.rejected, lines.get(error.rejected.line, "").strip()
        if rejected.suggestions or not line or rejected.why == NO_ENDIF:
            continue
        form = form or order_form(answer)
        groups = [] if form is None else form.possible_offers(line)
        if form is None or len(groups) != 1 or len(groups[0]) != 1 or not form.says_all(line, groups[0][0]):
            continue
        *head, order = groups[0][0].splitlines()
        missing = [
            line_before for line_before in head if present.isdisjoint(map(_words, form.in_each_language(line_before)))
        ]
        better = "; ".join([*missing, order])
        if _words(line) not in map(_words, form.in_each_language(better)):
            corrected = content.mistake(rejected.line, error.text, error.text.strip(), rejected.why, (better,))
            answer.errors[index] = corrected._replace(rejected=corrected.rejected._replace(rule=rejected.rule))


def _action_lines(block: Block) -> Iterator[tuple[int, str]]:
    """Yield action lines by number, without standing orders and conditional lines."""
    standing = False
    for number, line in enumerate(block.lines, block.first):
        bare = bounds.bare(line)
        standing = (standing or bounds.after_standing(bare) is not None) and not bounds.ends_standing(bare)
        if not standing and not _CONDITION.match(bare):
            yield number, line


_CONDITION = re.compile(r"\W*(?:\d|if\b|si\b|else\b|sino\b|endif\b|finsi\b|stop\b|parar\b|alto\b|when\b|cuando\b)")


def _words(line: str) -> str:
    return " ".join(token.key for token in tokens(line))


def apply_confirmation(answer: SeatAnswer, parsed: ParsedLetter) -> ParsedLetter:
    """Return a letter with the block it confirms; any other letter unchanged."""
    command = next((line for line in parsed.commands if line.name == _NAME), None)
    if command is None or parsed.block is not None or answer.phase is None:
        return parsed
    text = _block_of_code(answer, command.rest) if command.rest else None
    if text is None:
        return parsed
    turn = answer.phase.turn
    block = Block(command.line, f"ORDERS T{turn}", turn, "", command.line + 1, tuple(text.splitlines()), "END")
    return parsed._replace(block=block, commands=tuple(line for line in parsed.commands if line is not command))


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9/]", "", fold(name))


def order_form(answer: SeatAnswer) -> OrderForm | None:
    """Return the sender's order form; None if no orders are expected of him."""
    position = answer.here
    return (
        None if position is None or answer.phase is None or not answer.active else OrderForm(position, answer.seat.name)
    )


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
        names = {_key(ident): ident for ident in ids if ident != "|" and not _is_keyword(ident, speak)}
        for vocabulary in position.rules.telling.called.values():
            names |= {_key(name): ident for ident, name in vocabulary.names.items() if ident in ids}
        self.names = {key: ident for key, ident in names.items() if len(key) > 1}
        # "The hussars" are all whose names differ in their numbers alone.
        self._groups: dict[str, set[str]] = {}
        for key, ident in self.names.items():
            if len(stem := key.strip("0123456789/")) > _LEAST and stem not in self.names:
                self._groups.setdefault(stem, set()).add(ident)
        self._misspelt: dict[str, str] = {}
        self.places = {place for text in self.offered for place in _GOALS.findall(text)}

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

    def read(self, sentence: str) -> _Sentence:
        """Return the possible offers of a sentence, and the rest of it.

        The offers have as few orders as possible.
        """
        parts = list(self._parts(sentence))[:_MOST_PARTS]
        forbidding = tuple(part for part in parts if part.negated and any(part.asked))
        ordered = [part for part in parts if not part.negated]
        if not any(part.asked.names for part in ordered):
            return _Sentence(sentence, against=forbidding)
        if not forbidding and (offers := self._matching_offers(self._terms_in(sentence))):
            return _Sentence(sentence, (tuple(offers),), unused=self._unmatched_texts(ordered))
        groups, unused = self._group_parts(ordered)
        return _Sentence(
            sentence, tuple(groups), forbidding, (*unused, *(self._unmatched_texts(ordered, unused) if groups else ()))
        )

    def _parts(self, sentence: str) -> Iterator[_Part]:
        """Yield the parts of a sentence.

        A clause without a verb inherits the NOT of the clause before it.
        """
        negated = False
        for number, clause in enumerate(CLAUSE.split(sentence)):
            included, *excepted = WITHOUT.split(clause)
            words = [_key(word) for word in clause.split()]
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
            keys = [key for key in map(_key, part.text.split()) if key]
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

    def without_forbidden(self, sentences: Sequence[_Sentence]) -> tuple[list[list[str]], list[str]]:
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
        words = [key for word in line.split() if (key := _key(word)) and not FILLING.fullmatch(key)]
        named_ids = self._terms_in(line).names
        known_keys = {key for key, ident in self.names.items() if ident in named_ids}
        known_words = all(
            word in VERBS_OF_WORD or self._id_of(word) or any(word in key for key in known_keys) for word in words
        )
        units = {word.strip(",;+") for word in offer.splitlines()[-1].partition(" LED BY ")[0].split()}
        return known_words and "@" not in line and units & set(self.names.values()) <= named_ids

    def _terms_in(self, sentence: str) -> _NamedTerms:
        words = [key for word in sentence.split()[:_MOST_WORDS] if (key := _key(_OWNER.sub("", word)))]
        verbs = {verb for word in words for verb in VERBS_OF_WORD.get(word, ())}
        if any(VERBS_OF_WORD.get(word) == ["CHARGE"] for word in words):
            verbs -= {"ASSAULT"}
        return _NamedTerms(frozenset(verbs), frozenset(self._named_ids(words)))

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
        if not verbs and len(wanted_terms.names) < 2:
            return []
        offers = self._offers_with_verbs(wanted_terms, verbs)
        if not offers and "ASSAULT" in verbs and wanted_terms.names & self.places and wanted_terms.names - self.places:
            # An assault on an empty place means a move there.
            offers = self._offers_with_verbs(wanted_terms, ("MOVE",))
        return offers

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
        return order_block.legal_orders(self.here, self.seat, self.view, text)


def _ask(answer: SeatAnswer, text: str, unused: Sequence[str]) -> None:
    """Show the offered block, and ask for its code."""
    turn = answer.phase.turn if answer.phase is not None else 0
    code = codes.codes(answer.server, *_request(answer, text))[0]
    line = f"{pick_phrase(answer.seat.language, *CONFIRM)} {code}"
    answer.say(
        "confirm",
        msg("Your letter has no orders that I can carry out. I think you mean the block below."),
        msg("Nothing is ordered yet. If that is what you want, answer with this line alone: {line}", line=line),
        msg("If not, change the block and send it. The line is good for this phase, until you send other orders."),
    )
    lines = answer.echo_lines([f"ORDERS T{turn}", *text.splitlines(), "END"])
    shown_block: dict[str, Json] = loads(dumps(content.block(msg("What I think you mean"), lines)))
    answer.blocks += [{**shown_block, _KEY: text}, *_unused_block(unused)]
    confirming = content.block(msg("To confirm them, send this line"), [line])
    answer.blocks.append(content.with_buttons(confirming, [(msg("Send this line"), line)]))


def _unused_block(parts: Sequence[str]) -> list[Json]:
    """Return a block with the unused parts of a letter."""
    lines = [f'"{strike_tokens(part)[:_SHOWN]}"' for part in parts[:_MOST_UNUSED]]
    lines += ["..."] if len(parts) > _MOST_UNUSED else []
    return [content.block(msg("Parts of your letter that I did not use"), lines)] if lines else []


def _show_form(answer: SeatAnswer, unused: Sequence[str]) -> None:
    """Report that no order matches the letter's names, and show the form."""
    answer.unread = True
    answer.say("help", msg("Nothing was changed: I found no order for what your letter names that can be given now."))
    order_block.report_queued(answer)
    answer.blocks += _unused_block(unused)
    if answer.seat.template:
        answer.closing.append(msg("The template of your orders, to be edited and sent back:"))
        answer.template = True


def _show_choices(answer: SeatAnswer, texts: Sequence[str], unused: Sequence[str]) -> None:
    """Show the lines of the form that may be meant, for the player to choose."""
    turn = answer.phase.turn if answer.phase is not None else 0
    answer.unread = True
    answer.say(
        "help",
        msg("Your letter has no orders that I can carry out, and nothing was changed."),
        msg("Several orders may be meant. Delete the # before those that you want, and send the block."),
    )
    lines: list[str] = []
    for text in dict.fromkeys(texts):
        lines += [f"# {line}" for line in text.splitlines() if f"# {line}" not in lines]
    lines = answer.echo_lines([f"ORDERS T{turn}", *lines, "END"])
    choices = content.block(msg("What you may mean"), lines)
    answer.blocks += [content.as_letter(choices, lines, content.EDIT_ORDERS), *_unused_block(unused)]


def _request(answer: SeatAnswer, text: str) -> tuple[str, ...]:
    """Return what a code is valid for: block, phase, position, orders and seat."""
    queued, phase, seat = answer.queued_orders, answer.phase, answer.seat
    revision = 0 if queued is None else queued.revision
    position_number = 0 if answer.here is None else answer.here.number
    words = (phase.id if phase is not None else 0, revision, position_number, seat.generation)
    return (_NAME, answer.game.id, seat.name, *map(str, words), text)


def _block_of_code(answer: SeatAnswer, code: str) -> str | None:
    """Return the block offered with a code; None if the code is no longer valid."""
    for row in queries.outbox.last_to(answer.session, answer.seat, "confirm"):
        for block in loads(row.model)["blocks"] if row.model else ():
            text = block.get(_KEY)
            if text is not None and codes.is_valid(answer.server, code, *_request(answer, text)):
                return str(text)
    return None


def _objection(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Return the reason why a code that `apply_confirmation` left confirms nothing."""
    if answer.has_block:
        return command.wrong(msg("The letter has orders of its own: send the one that counts."))
    if not command.rest:
        reason = msg("{command} needs the code below the block: copy that whole line.", command=command.phrase)
        return command.wrong(reason)
    return command.wrong(
        msg("This code is not good now: a code holds for its phase alone, until you send other orders.")
    )


def _do_nothing(answer: SeatAnswer, command: Line) -> None:
    """Do nothing: `apply_confirmation` has already put the block into the letter."""


COMMANDS = (
    Command(
        Form(_NAME, CONFIRM, re.compile(r"(?:[a-z2-7]{8})?")),
        _do_nothing,
        check=_objection,
    ),
)
