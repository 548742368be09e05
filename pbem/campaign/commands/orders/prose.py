"""Prose that names units and places: matched with the lines of the order form, and offered for confirmation by a code.

"I would like the Cuenca battalion to attack Cresta" comes back as a block. ``CONFIRM code`` makes that block the orders
of the letter it stands in. The block is read from the question as it was mailed; its code follows from the block, the
phase and the revision of the orders that the seat holds, and is good for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.campaign.base import codes, letters
from pbem.campaign.base.command_lines import Block, Understood
from pbem.campaign.base.command_words import Form
from pbem.campaign.base.letters import Mistake
from pbem.campaign.base.loose_lines import Line
from pbem.campaign.base.positions import Position
from pbem.campaign.commands.answer import Answer
from pbem.campaign.commands.command import Command
from pbem.core.data.canon import Json, dumps, loads
from pbem.core.data.languages import chosen
from pbem.core.data.messages import msg
from pbem.core.orders.lex import fold
from pbem.core.orders.names import near_enough
from pbem.core.parts import FormTerms
from pbem.core.terms import Orders
from pbem.store import queries

CONFIRM = ("CONFIRM", "CONFIRMAR")
_NAME = "confirm-orders"
_KEY = "orders"
"""Under which the question keeps the block that it offers, in canonical text."""
_SENTENCE = re.compile(r"[.;!?](?=\s|$)|\n\s*\n|\n\s*[-*\u2022]\s*")
_MOST_SENTENCES, _MOST_OFFERED, _MOST_WORDS, _MOST_FITTING = 12, 4, 400, 20
_LEAST = 4
"""Letters of a word that may stand for a longer name, or be misspelt."""
_WORDS = (
    ("ASSAULT CHARGE", "attack attacks assault assaults storm take takes seize capture hit"),
    ("ASSAULT CHARGE", "atacar ataque ataquen ataca asaltar asalte asalten asalta asalto tomar tome tomen conquistar"),
    ("CHARGE", "charge charges cargar cargue carguen carga"),
    ("MOVE", "move moves go goes march marches advance advances ride walk mover mueva muevan mueve ir vaya vayan"),
    ("MOVE", "marchar marche marchen avanzar avance avancen"),
    ("FIRE", "fire fires shoot shoots shell bombard disparar dispare disparen bombardear bombardee fuego"),
    ("RETIRE", "retire withdraw replegar repliegue replieguen"),
)
_SAID = {word: verbs.split() for verbs, words in _WORDS for word in words.split()}
"""The orders that a folded word asks for."""


class _Asked(NamedTuple):
    """What a sentence asks for: the verbs that its order may have, and the units and places that it names."""

    verbs: frozenset[str]
    names: frozenset[str]


def offer(answer: Answer) -> bool:
    """Offer the orders that a letter in prose may mean; False if it names none of what the order form has."""
    here, phase = answer.here, answer.phase
    if here is None or phase is None or not answer.active:
        return False
    view = here.rules.view(here.state, answer.seat.name)
    offered = [one.text for one in here.rules.aids.offers(view, answer.seat.name, FormTerms(here.begun))]
    names = _names(here, offered)
    fitting = [
        found for asked in _sentences(answer.letter.text, names) if (found := _fitting(here, answer, offered, asked))
    ]
    if not fitting:
        return False
    text = _whole(here, answer, [found[0] for found in fitting]) if all(len(found) == 1 for found in fitting) else ""
    if text:
        _ask(answer, text)
    else:
        _show_choices(answer, [one for found in fitting for one in found[:_MOST_OFFERED]])
    return True


def confirmed(answer: Answer, said: Understood) -> Understood:
    """Return a letter that confirms a block with that block as its orders; any other letter as it is."""
    command = next((one for one in said.commands if one.name == _NAME), None)
    if command is None or said.block is not None or answer.phase is None:
        return said
    text = _offered_under(answer, command.rest)
    if text is None:
        return said
    turn = answer.phase.turn
    block = Block(command.line, f"ORDERS T{turn}", turn, "", command.line + 1, tuple(text.splitlines()), "END")
    return said._replace(block=block, commands=tuple(one for one in said.commands if one is not command))


def _names(here: Position, offered: Sequence[str]) -> dict[str, str]:
    """Return what the form calls units and places, folded and without blanks, with their ids."""
    ids = {word.strip(",;+") for text in offered for word in text.split()}
    found = {_key(ident): ident for ident in ids if not (ident.isupper() and ident.isalpha()) and ident != "|"}
    for called in here.rules.telling.called.values():
        found |= {_key(name): ident for ident, name in called.names.items() if ident in ids}
    return {key: ident for key, ident in found.items() if len(key) > 1}


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9/]", "", fold(name))


def _sentences(text: str, names: Mapping[str, str]) -> Iterator[_Asked]:
    """Read what each sentence of a letter asks for."""
    for sentence in _SENTENCE.split(text)[:_MOST_SENTENCES]:
        words = [key for word in sentence.split()[:_MOST_WORDS] if (key := _key(word))]
        verbs = {verb for word in words for verb in _SAID.get(word, ())}
        if "CHARGE" in verbs and any(_SAID.get(word) == ["CHARGE"] for word in words):
            verbs -= {"ASSAULT"}
        named = frozenset(_named(words, names))
        if named:
            yield _Asked(frozenset(verbs), named)


def _named(words: Sequence[str], names: Mapping[str, str]) -> Iterator[str]:
    """Yield the ids that words name, several words together first."""
    at = 0
    while at < len(words):
        for length in (4, 3, 2, 1):
            found = _meant("".join(words[at : at + length]), names) if at + length <= len(words) else ""
            if found:
                yield found
                at += length
                break
        else:
            at += 1


def _meant(word: str, names: Mapping[str, str]) -> str:
    """Return the one id that a word stands for: as written, or but for a slip; nothing if it is several or none."""
    if word in names:
        return names[word]
    if len(word) <= _LEAST or any(sign.isdigit() for sign in word) or word in _SAID:
        return ""
    near = {ident for key, ident in names.items() if abs(len(key) - len(word)) < 2 and near_enough(word, key)}
    return near.pop() if len(near) == 1 else ""


def _fitting(here: Position, answer: Answer, offered: Sequence[str], asked: _Asked) -> list[str]:
    """Return the offers of the form that a sentence may mean, the ones with least besides what it names."""
    found: dict[str, int] = {}
    for text in offered:
        if len(found) >= _MOST_FITTING:
            break
        line = text.splitlines()[-1].rpartition("; ")[2] if ";" in text and "ASSAULT" in text else text.splitlines()[-1]
        words = {word.strip(",;+") for word in line.split()}
        verb = line.split()[0]
        if not asked.names <= words or (asked.verbs and verb not in asked.verbs):
            continue
        if not asked.verbs and len(asked.names) < 2:
            continue
        better = _with_only(here, answer, text, asked.names)
        found[better] = len(better.split())
    least = min(found.values(), default=0)
    return [text for text, length in found.items() if length == least]


def _with_only(here: Position, answer: Answer, text: str, names: Collection[str]) -> str:
    """Return an offer with those units alone that a sentence names, where that is an order."""
    *head, line = text.splitlines()

    def cut(units: re.Match[str]) -> str:
        kept = [one for one in units[0].split(", ") if one in names]
        return ", ".join(kept) if kept else units[0]

    less = re.sub(r"[^\s,;]+(?:, [^\s,;]+)+", cut, line)
    alone = re.sub(r" WITH (?P<leaders>.+?)(?= TO )", lambda led: led[0] if led["leaders"] in names else "", less)
    for shorter in (alone, less):
        if shorter != line and _is_legal(here, answer, made := "\n".join([*head, shorter])):
            return made
    return text


def _whole(here: Position, answer: Answer, texts: Sequence[str]) -> str:
    """Return several offers as the canonical text of one block; nothing if they do not go together."""
    lines: list[str] = []
    for text in dict.fromkeys(texts):
        *head, line = text.splitlines()
        if head and head[0] not in lines:
            lines += head
            lines.append(line)
        elif head:
            at = lines.index(head[0]) + 1
            while at < len(lines) and not lines[at].startswith(head[0].split()[0] + " "):
                at += 1
            lines.insert(at, line)
        else:
            lines.append(line)
    whole = "\n".join(lines)
    return _canonical(here, answer, whole) if _is_legal(here, answer, whole) else ""


def _is_legal(here: Position, answer: Answer, text: str) -> bool:
    seat = answer.seat.name
    view = here.rules.view(here.state, seat)
    reading = here.rules.parse(text, view, seat)
    orders = Orders(here.rules.aids.in_order(reading.orders).actions)
    return not reading.rejected and not here.rules.check(view, seat, orders, here.begun)


def _canonical(here: Position, answer: Answer, text: str) -> str:
    reading = here.rules.parse(text, here.rules.view(here.state, answer.seat.name), answer.seat.name)
    return str(here.rules.canon(Orders(here.rules.aids.in_order(reading.orders).actions)))


def _ask(answer: Answer, text: str) -> None:
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
    shown: dict[str, Json] = loads(dumps(letters.block(msg("What I think you mean"), lines)))
    answer.blocks += [{**shown, _KEY: text}, letters.block(msg("The line that makes these your orders"), [line])]


def _show_choices(answer: Answer, texts: Sequence[str]) -> None:
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
    answer.blocks.append(letters.block(msg("What you may mean"), lines))


def _request(answer: Answer, text: str) -> tuple[str, ...]:
    """Return what a code is good for: this block, in this phase and position, beside these orders."""
    queued, phase, seat = answer.queued, answer.phase, answer.seat
    revision = 0 if queued is None else queued.revision
    at = 0 if answer.here is None else answer.here.number
    words = (phase.id if phase is not None else 0, revision, at, seat.generation)
    return (_NAME, answer.game.id, seat.name, *map(str, words), text)


def _offered_under(answer: Answer, code: str) -> str | None:
    """Return the block that was offered under a code, if the code is still good for it."""
    for row in queries.outbox.last_to(answer.session, answer.seat, "confirm"):
        for block in loads(row.model)["blocks"] if row.model else ():
            text = block.get(_KEY)
            if text is not None and codes.good(answer.server, code, *_request(answer, text)):
                return str(text)
    return None


def _objection(answer: Answer, command: Line) -> Mistake | None:
    """Say why a code makes no orders: it is only asked of those that `confirmed` has left."""
    if answer.has_block:
        return command.wrong(msg("The letter has orders of its own: send the one that counts."))
    return command.wrong(
        msg("This code is not good any more: it ends with the phase, and with any other orders that you send.")
    )


def _do(answer: Answer, command: Line) -> None:
    """Do nothing: the block was made the letter's own before."""


COMMANDS = (
    Command(
        Form(_NAME, CONFIRM, re.compile(r"[a-z2-7]{8}")),
        _do,
        check=_objection,
    ),
)
