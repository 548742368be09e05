"""E2 What is against rules whose keys are each sound: stages that take more than there are, keys of other formats."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pbem.engine.data.messages import Msg, msg
from pbem.tournaments.arithmetic.rules.records import Rules, Stage
from pbem.tournaments.arithmetic.rules.tables import FORMAT_KEYS

Against = tuple[str, Msg, Msg]
"""A key, what is wrong with it, and the way out."""


def against(rules: Rules, given: Collection[str]) -> tuple[Against, ...]:
    """Return all that is against rules; `given` are the keys of stages that stand in the file, ``stage 2.take``."""
    return (*_of_stages(rules, given), *_of_ties(rules), *_of_the_rest(rules))


def _of_stages(rules: Rules, given: Collection[str]) -> Iterator[Against]:
    count = rules.entry.places
    for at, stage in enumerate(rules.stage, start=1):
        path = f"stage {at}"
        if at == 1:
            for key in ("take", "carry"):
                if getattr(stage, key) not in (0, "none"):
                    yield f"{path}.{key}", msg("no stage comes before the first"), msg("leave it out")
        else:
            if stage.take > count:
                way = msg("write {n} or less, or raise {key}", n=count, key="entry.places")
                yield f"{path}.take", msg("only {n} are there to go on", n=count), way
            count = min(count, stage.take or count)
        yield from _of_format(path, stage, given)
        yield from _of_numbers(path, stage, count)


def _of_format(path: str, stage: Stage, given: Collection[str]) -> Iterator[Against]:
    """Keys that belong to other formats; those of canonical JSON, which has all of them, hold what is usual."""
    usual = {"rounds": 0, "double": False, "challenge": "swap", "reach": 4, "divisions": 1, "moving": 1}
    for key, formats in FORMAT_KEYS.items():
        if f"{path}.{key}" in given and stage.format not in formats and getattr(stage, key) != usual[key]:
            what = msg("a stage of the format {word} has none", word=stage.format)
            yield f"{path}.{key}", what, msg("leave it out; it belongs to {words}", words=formats)


def _of_numbers(path: str, stage: Stage, count: int) -> Iterator[Against]:
    if stage.format in ("swiss", "ladder") and not stage.rounds:
        yield f"{path}.rounds", msg("this is missing"), msg("write {line}", line="rounds = 4")
    if stage.format == "swiss" and stage.rounds >= count + count % 2:
        way = msg("write {n} or less, or take {word}, in which all meet", n=count - 1 + count % 2, word="robin")
        yield f"{path}.rounds", msg("{n} entrants would meet again", n=count), way
    if stage.format == "league":
        least = count // stage.divisions
        if least < 2:
            way = msg("write {n} or less", n=count // 2)
            yield f"{path}.divisions", msg("a division would have fewer than two"), way
        elif stage.divisions > 2 and 2 * stage.moving > least:
            way = msg("write {n} or less", n=least // 2)
            yield f"{path}.moving", msg("more would move than a division has"), way


def _of_ties(rules: Rules) -> Iterator[Against]:
    """E7.11 What luck gave is never looked at first, and not without saying how much of it counts."""
    order, weight = rules.ties.order, rules.ties.luck_weight
    if not order:
        yield "ties.order", msg("nothing would part anybody"), msg("write {line}", line='order = ["points", "lot"]')
    if ("luck" in order) != bool(weight):
        way = msg("write {line} and {word} in {key}, or neither", line='luck_weight = "35%"', word="luck", key="order")
        yield "ties.luck_weight", msg("one is here without the other"), way
    if order[:1] == ("luck",):
        yield "ties.order", msg("{word} may not come first", word="luck"), msg("put {word} first", word="points")


def _of_the_rest(rules: Rules) -> Iterator[Against]:
    if rules.disputes.jurors % 2 == 0:
        yield "disputes.jurors", msg("an even jury may not decide"), msg("write an odd number")
    for prize in rules.prizes:
        if prize.place > rules.entry.places:
            way = msg("write {n} or less", n=rules.entry.places)
            yield f"prizes.{prize.place}", msg("there are not so many places"), way
    if not rules.left.no_show:
        yield "left.no_show", msg("nothing would be done"), msg("write {line}", line='no_show = ["bye"]')
