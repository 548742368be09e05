"""Prose that names units and places: matched with the lines of the order form, and offered for confirmation by a code.

"I would like the Cuenca battalion to attack Cresta" comes back as a block. ``CONFIRM code`` makes that block the orders
of the letter it stands in. The block is read from the question as it was mailed; its code follows from the block, the
phase and the revision of the orders that the seat holds, and is good for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json, dumps, loads
from pbem.engine.data.languages import chosen, known
from pbem.engine.data.messages import msg
from pbem.engine.orders import block as bounds
from pbem.engine.orders.lex import fold, tokens
from pbem.engine.orders.names import distance, near_enough
from pbem.engine.parts import FormTerms
from pbem.engine.terms import NO_ENDIF, Orders
from pbem.letters import codes, content
from pbem.letters.command_lines import Block, Understood
from pbem.letters.commands import Form, Line
from pbem.letters.content import Mistake
from pbem.mail.address import strike
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command
from pbem.play.commands.orders import order_block
from pbem.play.commands.questions import odds
from pbem.play.positions import Position
from pbem.store import queries

CONFIRM = ("CONFIRM", "CONFIRMAR")
_NAME = "confirm-orders"
_KEY = "orders"
"""Under which the question keeps the block that it offers, in canonical text."""
_SENTENCE = re.compile(r"(?<=[.;!?])(?=\s|$)|\n\s*\n|\n\s*[-*\u2022]\s*")
_CLAUSE = re.compile(
    r"[,:;]|\b(?:then|but|while|luego|despu[e\u00e9]s|pero|sino|mientras)\b|\b(?:and|y)\s+(?=(?:to|that|que)\b)",
    re.IGNORECASE,
)
_AND = re.compile(r"\b(?:and|y|e|or|o|nor|ni)\b", re.IGNORECASE)
_NOT = re.compile(
    "not|dont|doesnt|cannot|cant|never|no|nunca|jamas|tampoco|neither|nor|ni|stays?|staying|remains?|keeps?|leaves?|waits?"
    "|halts?|queden?|quedese|quedar|quedarse|quedan?|permanezcan?|permanecen?|mantengan?|esperen?|esperar|dejen?|dejar"
)
"""Folded words with which a clause orders nothing, but says who is to do nothing."""
_WITHOUT = re.compile(
    r"\b(?:without|except|instead of|rather than|but not|sin|excepto|salvo|menos|en vez de|en lugar de)\b",
    re.IGNORECASE,
)
_MOST_SENTENCES, _MOST_OFFERED, _MOST_WORDS, _MOST_FITTING = 12, 4, 400, 20
_MOST_PARTS, _MOST_UNUSED, _SHOWN = 12, 8, 120
_LEAST = 4
"""Letters of a word that may stand for a longer name, or be misspelt."""
_FILLING = re.compile("the|an?|at|to|with|and|of|led|by|on|el|la|los|las|al|en|con|y|de|que|por|mando")
"""Folded words of a line that say nothing by themselves."""
_WORDS = (
    ("ASSAULT CHARGE", "attack attacks assault assaults storm take takes seize capture hit"),
    ("ASSAULT CHARGE", "atacar ataque ataquen ataca asaltar asalte asalten asalta asalto tomar tome tomen conquistar"),
    ("CHARGE", "charge charges cargar cargue carguen carga"),
    ("MOVE", "move moves go goes come comes march marches advance advances ride walk bring brings send sends return"),
    ("MOVE", "follow follows mover mueva muevan mueve ir va van vaya vayan vuelva vuelvan llevar lleve lleven lleva"),
    (
        "MOVE",
        "marchar marche marchen avanzar avance avancen avanza enviar envie envien traer traiga traigan pase pasen",
    ),
    ("FIRE", "fire fires shoot shoots shell bombard disparar dispare disparen bombardear bombardee fuego"),
    ("RETIRE", "retire withdraw replegar repliegue replieguen"),
)
_SAID = {word: verbs.split() for verbs, words in _WORDS for word in words.split()}
"""The orders that a folded word asks for."""


_LISTED = re.compile(r"[^\s,;]+(?:, [^\s,;]+)+")
"""Several units in a line of the form."""
_GOALS = re.compile(r"\b(?:ASSAULT|AT|TO|ACTIVATE|FROM) ([^\s,;]+)")
"""What stands in a line of the form in the place of a place."""
_EMPTY_WORDS = re.compile("please|thank|thanks|very|much|soon|possible|general|favor|posible|antes|gracias|hello|dear")


class _Asked(NamedTuple):
    """What words ask for: the verbs that their order may have, and the units and places that they name."""

    verbs: frozenset[str]
    names: frozenset[str]


class _Part(NamedTuple):
    """A part of a sentence between commas and ANDs: the number of its clause, and whether that says NOT."""

    text: str
    clause: int
    asked: _Asked
    negated: bool = False


class _Sentence(NamedTuple):
    """A sentence as it was understood: what each group of its parts may mean, what it forbids, what was not used."""

    text: str
    found: tuple[tuple[str, ...], ...] = ()
    against: tuple[_Part, ...] = ()
    unused: tuple[str, ...] = ()


def offer(answer: SeatAnswer) -> bool:
    """Offer the orders that a letter in prose may mean; False if it names none of what the order form has."""
    form = _form(answer)
    if form is None:
        return False
    texts = [one for one in _SENTENCE.split(answer.letter.text) if one.strip()]
    sentences = [form.read(one) for one in texts[:_MOST_SENTENCES]]
    sentences += [_Sentence(one, unused=(one,)) for one in texts[_MOST_SENTENCES:] if form.names_in(one)]
    fitting, unused = form.without_forbidden(sentences)
    if not fitting:
        if not unused or "?" in answer.letter.text:
            return False
        _show_form(answer, unused)
        return True
    text = form.whole([found[0] for found in fitting]) if all(len(found) == 1 for found in fitting) else ""
    if text:
        _ask(answer, text, unused)
    else:
        _show_choices(answer, [one for found in fitting for one in found[:_MOST_OFFERED]], unused)
    return True


def suggest_odds(answer: SeatAnswer) -> None:
    """Suggest for refused questions of odds the one attack of the form that has all the names in them."""
    form: _OrderForm | None = None
    asks = odds.COMMANDS[0].form
    for at, error in enumerate(answer.errors[:_MOST_SENTENCES]):
        phrase, _, asked = error.text.strip().partition(" ")
        if phrase.upper() not in asks.phrases or error.rejected.suggestions:
            continue
        form = form or _form(answer)
        found = [] if form is None else form.meant(asked)
        if len(found) == 1 and len(found[0]) == 1 and (attack := found[0][0].splitlines()[-1]).startswith(_ATTACKS):
            line = f"{asks.phrase(answer.seat.language)} {answer.echoed([attack])[0]}"
            answer.errors[at] = error._replace(rejected=error.rejected._replace(suggestions=(line,)))


def suggest(answer: SeatAnswer, block: Block) -> None:
    """Suggest for refused lines of a block the one order of the form that has all the names in them and their verb."""
    lines = dict(_actions(block))
    given = {_words(line) for line in lines.values()}
    form: _OrderForm | None = None
    for at, error in enumerate(answer.errors[:_MOST_SENTENCES]):
        bad, line = error.rejected, lines.get(error.rejected.line, "").strip()
        if bad.suggestions or not line or bad.why == NO_ENDIF:
            continue
        form = form or _form(answer)
        found = [] if form is None else form.meant(line)
        if form is None or len(found) != 1 or len(found[0]) != 1 or not form.says_all(line, found[0][0]):
            continue
        *head, order = found[0][0].splitlines()
        missing = [one for one in head if given.isdisjoint(map(_words, form.in_each_language(one)))]
        better = "; ".join([*missing, order])
        if _words(line) not in map(_words, form.in_each_language(better)):
            mended = content.mistake(bad.line, error.text, error.text.strip(), bad.why, (better,))
            answer.errors[at] = mended._replace(rejected=mended.rejected._replace(rule=bad.rule))


def _actions(block: Block) -> Iterator[tuple[int, str]]:
    """Yield the lines of a block, by their number, that are neither standing orders nor hang on a condition."""
    standing = False
    for number, line in enumerate(block.lines, block.first):
        bare = bounds.bare(line)
        standing = (standing or bounds.standing(bare) is not None) and not bounds.ends_standing(bare)
        if not standing and not _CONDITION.match(bare):
            yield number, line


_CONDITION = re.compile(r"\W*(?:\d|if\b|si\b|else\b|sino\b|endif\b|finsi\b|stop\b|parar\b|alto\b|when\b|cuando\b)")


def _words(line: str) -> str:
    return " ".join(token.key for token in tokens(line))


def confirmed(answer: SeatAnswer, said: Understood) -> Understood:
    """Return a letter that confirms a block with that block as its orders; any other letter as it is."""
    command = next((one for one in said.commands if one.name == _NAME), None)
    if command is None or said.block is not None or answer.phase is None:
        return said
    text = _offered_under(answer, command.rest) if command.rest else None
    if text is None:
        return said
    turn = answer.phase.turn
    block = Block(command.line, f"ORDERS T{turn}", turn, "", command.line + 1, tuple(text.splitlines()), "END")
    return said._replace(block=block, commands=tuple(one for one in said.commands if one is not command))


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9/]", "", fold(name))


def _form(answer: SeatAnswer) -> _OrderForm | None:
    """Return the order form of who wrote; None if nothing is wanted of him."""
    here = answer.here
    return None if here is None or answer.phase is None or not answer.active else _OrderForm(here, answer.seat.name)


_OWNER = re.compile("['\u2019]s?$")
_ATTACKS = ("ASSAULT", "CHARGE")


def _words_of(text: str) -> set[str]:
    return {word for part in text.split() for word in part.strip(",;+").split("+")}


class _OrderForm:
    """What the order form of a seat offers, and what its units and places are called: `names` by what is written."""

    def __init__(self, here: Position, seat: str) -> None:
        self.here, self.seat = here, seat
        self.view = here.rules.view(here.state, seat)
        self.offered = [one.text for one in here.rules.aids.offers(self.view, seat, FormTerms(here.begun))]
        ids = {word.strip(",;+") for text in self.offered for word in text.split()}
        names = {_key(ident): ident for ident in ids if not (ident.isupper() and ident.isalpha()) and ident != "|"}
        for called in here.rules.telling.called.values():
            names |= {_key(name): ident for ident, name in called.names.items() if ident in ids}
        self.names = {key: ident for key, ident in names.items() if len(key) > 1}
        self._misspelt: dict[str, str] = {}
        self.places = {place for text in self.offered for place in _GOALS.findall(text)}

    def in_each_language(self, line: str) -> tuple[str, ...]:
        """Return a line of the form as each language of the house has it."""
        return (line, *(self.here.rules.telling.spoken(line, language) for language in known()))

    def names_in(self, text: str) -> frozenset[str]:
        """Return the ids that a text names."""
        return self._asked(text).names

    def meant(self, line: str) -> list[tuple[str, ...]]:
        """Return the offers that a line may mean, for each order in it; none if it says NOT or more than they do."""
        said = self.read(line)
        return [] if said.against or said.unused else list(said.found)

    def read(self, sentence: str) -> _Sentence:
        """Return the offers that a sentence may mean, in as few orders as it can be, and what else it says."""
        parts = list(self._parts(sentence))[:_MOST_PARTS]
        against = tuple(part for part in parts if part.negated and any(part.asked))
        ordered = [part for part in parts if not part.negated]
        if not any(part.asked.names for part in ordered):
            return _Sentence(sentence, against=against)
        if not against and (found := self._fitting(self._asked(sentence))):
            return _Sentence(sentence, (tuple(found),), unused=self._idle(ordered))
        groups, unused = self._grouped(ordered)
        return _Sentence(sentence, tuple(groups), against, (*unused, *(self._idle(ordered) if groups else ())))

    def _parts(self, sentence: str) -> Iterator[_Part]:
        """Yield the parts of a sentence; one without a verb goes on with the NOT of the clause before it."""
        negated = False
        for number, clause in enumerate(_CLAUSE.split(sentence)):
            kept, *excepted = _WITHOUT.split(clause)
            words = [_key(word) for word in clause.split()]
            verbs = self._asked(kept).verbs
            negated = any(map(_NOT.fullmatch, words)) or (negated and not verbs)
            for text in _AND.split(kept):
                if text.strip():
                    yield _Part(clause if negated else text, number, self._asked(text), negated)
            for text in excepted:
                yield _Part("", number, _Asked(frozenset(), self.names_in(text)), True)

    def _idle(self, parts: Sequence[_Part]) -> tuple[str, ...]:
        """Return the parts that say something and name nothing that orders have."""
        return tuple(
            part.text
            for part in parts
            if not any(part.asked)
            and sum(len(key) >= _LEAST and not _EMPTY_WORDS.fullmatch(key) for key in map(_key, part.text.split())) > 1
        )

    def _grouped(self, parts: Sequence[_Part]) -> tuple[list[tuple[str, ...]], list[str]]:
        """Return what groups of neighbouring parts may mean, as few groups as can be; and the parts left over."""
        best: list[tuple[float, list[tuple[str, ...]], list[str]]] = [(0.0, [], [])]
        for end in range(1, len(parts) + 1):
            ways = []
            for start in range(end):
                cost, found, unused = best[start]
                group = parts[start:end]
                names = frozenset[str]().union(*(part.asked.names for part in group))
                fits = self._of_group(parts, start, end) if names else ()
                if fits:
                    clauses = len({part.clause for part in group})
                    broken = bool(start) and parts[start - 1].clause == group[0].clause
                    weight = 1 + 0.5 * (len(fits) > 1) + 0.1 * broken + 0.3 * (clauses - 1)
                    ways.append((cost + weight, [*found, fits], unused))
                elif end - start == 1:
                    ways.append((cost + 3 * bool(names), found, [*unused, group[0].text] if names else unused))
            best.append(min(ways, key=lambda way: way[0]))
        return best[-1][1], best[-1][2]

    def _of_group(self, parts: Sequence[_Part], start: int, end: int) -> tuple[str, ...]:
        """Return what parts mean together; verbs, and a place that is left open, are those of their neighbours."""
        group = parts[start:end]
        asked = _Asked(*(frozenset[str]().union(*some) for some in zip(*(part.asked for part in group), strict=True)))
        near = [part.asked.verbs for part in (*parts[:start][::-1], *parts[end:]) if part.asked.verbs]
        found = self._fitting(asked, near[0] if near else ())
        if len(found) < 2:
            return tuple(found)
        clause = [part.asked.names for part in parts if part.clause in {one.clause for one in group}]
        others = frozenset[str]().union(*clause) - asked.names
        found = [one for one in found if others & _words_of(one)] or found
        if not asked.names - self.places and not all(one.splitlines()[-1].startswith(_ATTACKS) for one in found):
            return ()
        return tuple(found)

    def without_forbidden(self, sentences: Sequence[_Sentence]) -> tuple[list[list[str]], list[str]]:
        """Return what sentences may mean without what others forbid, and what was not used of all of them."""
        every = [against for one in sentences for against in one.against]
        fitting, gone, heeded = list[list[str]](), set[int](), set[_Part]()
        for at, one in enumerate(sentences):
            for found in one.found:
                left = list[str]()
                for text in found:
                    spared = text
                    for against in every:
                        less = self._spare(spared, against.asked) if spared else ""
                        heeded |= {against} if less != spared else set()
                        spared = less
                    left += [spared] if spared else []
                fitting += [list(dict.fromkeys(left))] if left else []
                gone |= set() if left else {at}
        unused = list[str]()
        for at, one in enumerate(sentences):
            parts = [*one.unused, *(part.text for part in one.against if part not in heeded)]
            nothing = not one.found and not one.against and self.names_in(one.text)
            unused += [one.text] if at in gone or (nothing and not parts) else parts
        return fitting, list(dict.fromkeys(" ".join(part.split()) for part in unused if part.strip()))

    def _spare(self, text: str, against: _Asked) -> str:
        """Return an offer without the units that are to do nothing of the kind; nothing if it is about them alone."""
        line = text.splitlines()[-1]
        verb, words = line.split()[0], _words_of(line)
        units, places = against.names - self.places, against.names & self.places
        if against.verbs and verb not in against.verbs:
            return text
        if not units:
            return "" if against.verbs and places <= words else text
        if not units & words or (against.verbs and not places <= words):
            return text
        return self._leaving_out(text, units)

    def _leaving_out(self, text: str, units: frozenset[str]) -> str:
        *head, line = text.splitlines()
        less = _LISTED.sub(lambda some: ", ".join(one for one in some[0].split(", ") if one not in units), line)
        for pattern in (r" WITH (?P<unit>\S+)(?= TO )", r" SUPPORT (?P<unit>\S+)"):
            less = re.sub(pattern, lambda led: "" if units & set(led["unit"].split("+")) else led[0], less)
        made = "\n".join([*head, less])
        return "" if units & _words_of(less) or self._legal_orders(made) is None else made

    def says_all(self, line: str, offer: str) -> bool:
        """Return whether an offer leaves out no word of a line, and adds no unit to it but a leader."""
        words = [key for word in line.split() if (key := _key(word)) and not _FILLING.fullmatch(key)]
        named = self._asked(line).names
        spelt = {key for key, ident in self.names.items() if ident in named}
        known_words = all(word in _SAID or self._meant(word) or any(word in key for key in spelt) for word in words)
        units = {word.strip(",;+") for word in offer.splitlines()[-1].partition(" LED BY ")[0].split()}
        return known_words and "@" not in line and units & set(self.names.values()) <= named

    def _asked(self, sentence: str) -> _Asked:
        words = [key for word in sentence.split()[:_MOST_WORDS] if (key := _key(_OWNER.sub("", word)))]
        verbs = {verb for word in words for verb in _SAID.get(word, ())}
        if any(_SAID.get(word) == ["CHARGE"] for word in words):
            verbs -= {"ASSAULT"}
        return _Asked(frozenset(verbs), frozenset(self._named(words)))

    def _named(self, words: Sequence[str]) -> Iterator[str]:
        """Yield the ids that words name, several words together first."""
        at = 0
        while at < len(words):
            for length in (4, 3, 2, 1):
                found = self._meant("".join(words[at : at + length])) if at + length <= len(words) else ""
                if found:
                    yield found
                    at += length
                    break
            else:
                at += 1

    def _meant(self, word: str) -> str:
        """Return the one id that a word stands for: as written, or but for a slip; nothing if it is several or none."""
        if word in self.names:
            return self.names[word]
        if len(word) <= _LEAST or any(sign.isdigit() for sign in word) or word in _SAID:
            return ""
        if word not in self._misspelt:
            alike = (key for key in self.names if abs(len(key) - len(word)) < 2 and near_enough(word, key))
            near = {self.names[key] for key in alike if distance(word, key) * _LEAST <= len(word)}
            self._misspelt[word] = near.pop() if len(near) == 1 else ""
        return self._misspelt[word]

    def _fitting(self, asked: _Asked, verbs: Collection[str] = ()) -> list[str]:
        """Return the offers that have all the names asked for; of those that differ in detail alone the shortest."""
        verbs = asked.verbs or verbs
        if not verbs and len(asked.names) < 2:
            return []
        found = self._fitting_verbs(asked, verbs)
        if not found and "ASSAULT" in verbs and asked.names & self.places and asked.names - self.places:
            # Whoever storms an empty place means to go there.
            found = self._fitting_verbs(asked, ("MOVE",))
        return found

    def _fitting_verbs(self, asked: _Asked, verbs: Collection[str]) -> list[str]:
        found: dict[tuple[str, ...], str] = {}
        for text in self.offered:
            line = text.splitlines()[-1].rpartition("; ")[2] if "; ASSAULT " in text else text.splitlines()[-1]
            verb, *_, last = line.split()
            attacks = verb == "ORDER" and last == "ATTACK" and "ASSAULT" in verbs
            if asked.names <= {word.strip(",;+") for word in line.split()} and (not verbs or verb in verbs or attacks):
                better = self._with_only(text, asked.names)
                key = self._kind(better)
                if key not in found or len(better) < len(found[key]):
                    found[key] = better
            if len(found) >= _MOST_FITTING:
                break
        return list(found.values())

    def _kind(self, text: str) -> tuple[str, ...]:
        """Return what an order is about, without the guns that may support it."""
        return tuple(text.partition(" SUPPORT ")[0].split())

    def _with_only(self, text: str, names: Collection[str]) -> str:
        """Return an offer with those units alone that a sentence names, where that is an order."""
        *head, line = text.splitlines()

        def cut(units: re.Match[str]) -> str:
            kept = [one for one in units[0].split(", ") if one in names]
            return ", ".join(kept) if kept else units[0]

        less = _LISTED.sub(cut, line)
        alone = re.sub(r" WITH (?P<leaders>.+?)(?= TO )", lambda led: led[0] if led["leaders"] in names else "", less)
        for shorter in (alone, less):
            if shorter != line and self._legal_orders(made := "\n".join([*head, shorter])) is not None:
                return made
        return text

    def whole(self, texts: Sequence[str]) -> str:
        """Return several offers as the canonical text of one block; nothing if they do not go together."""
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
    """Print the block that is offered, and ask for its code."""
    turn = answer.phase.turn if answer.phase is not None else 0
    code = codes.codes(answer.server, *_request(answer, text))[0]
    line = f"{chosen(answer.seat.language, *CONFIRM)} {code}"
    answer.say(
        "confirm",
        msg("Your letter has no orders that I can carry out. I think you mean the block below."),
        msg("Nothing is ordered yet. If that is what you want, answer with this line alone: {line}", line=line),
        msg("If not, change the block and send it. The line is good for this phase, until you send other orders."),
    )
    lines = answer.echoed([f"ORDERS T{turn}", *text.splitlines(), "END"])
    shown: dict[str, Json] = loads(dumps(content.block(msg("What I think you mean"), lines)))
    answer.blocks += [{**shown, _KEY: text}, *_unused(unused)]
    confirming = content.block(msg("The line that makes these your orders"), [line])
    answer.blocks.append(content.with_buttons(confirming, [(msg("Send this line"), line)]))


def _unused(parts: Sequence[str]) -> list[Json]:
    """Name what was not used of a letter."""
    lines = [f'"{strike(part)[:_SHOWN]}"' for part in parts[:_MOST_UNUSED]]
    lines += ["..."] if len(parts) > _MOST_UNUSED else []
    return [content.block(msg("What I did not use of your letter"), lines)] if lines else []


def _show_form(answer: SeatAnswer, unused: Sequence[str]) -> None:
    """Say that no order of the form has what a letter names, and show the form."""
    answer.unread = True
    answer.say("help", msg("Nothing was changed: I found no order for what your letter names that can be given now."))
    order_block.say_what_is_queued(answer)
    answer.blocks += _unused(unused)
    if answer.seat.template:
        answer.closing.append(msg("The template of your orders, to be edited and sent back:"))
        answer.template = True


def _show_choices(answer: SeatAnswer, texts: Sequence[str], unused: Sequence[str]) -> None:
    """Show the lines of the form that may be meant, for the player to choose from."""
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
    lines = answer.echoed([f"ORDERS T{turn}", *lines, "END"])
    shown = content.block(msg("What you may mean"), lines)
    answer.blocks += [content.as_letter(shown, lines, content.EDIT_ORDERS), *_unused(unused)]


def _request(answer: SeatAnswer, text: str) -> tuple[str, ...]:
    """Return what a code is good for: this block, in this phase and position, beside these orders."""
    queued, phase, seat = answer.queued, answer.phase, answer.seat
    revision = 0 if queued is None else queued.revision
    at = 0 if answer.here is None else answer.here.number
    words = (phase.id if phase is not None else 0, revision, at, seat.generation)
    return (_NAME, answer.game.id, seat.name, *map(str, words), text)


def _offered_under(answer: SeatAnswer, code: str) -> str | None:
    """Return the block that was offered under a code, if the code is still good for it."""
    for row in queries.outbox.last_to(answer.session, answer.seat, "confirm"):
        for block in loads(row.model)["blocks"] if row.model else ():
            text = block.get(_KEY)
            if text is not None and codes.good(answer.server, code, *_request(answer, text)):
                return str(text)
    return None


def _objection(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Say why a code makes no orders: it is only asked of those that `confirmed` has left."""
    if answer.has_block:
        return command.wrong(msg("The letter has orders of its own: send the one that counts."))
    if not command.rest:
        why = msg("{command} needs the code below the block: copy that whole line.", command=command.phrase)
        return command.wrong(why)
    return command.wrong(
        msg("This code is not good any more: it ends with the phase, and with any other orders that you send.")
    )


def _do(answer: SeatAnswer, command: Line) -> None:
    """Do nothing: the block was made the letter's own before."""


COMMANDS = (
    Command(
        Form(_NAME, CONFIRM, re.compile(r"(?:[a-z2-7]{8})?")),
        _do,
        check=_objection,
    ),
)
