"""E2 Reading the rules of a tournament: TOML of a director or canonical JSON of the log, all faults at once.

::

    rules = read_rules(text, "cup60.toml")            # RulesRefused says each fault with its line and the way out
    rules_from_json(rules_to_json(rules)) == rules
    digest_of(rules)                                  # sha256:... of the canonical JSON, which the leaf `found` holds
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json, digest
from pbem.engine.data.messages import Msg, msg, plain
from pbem.tournaments.arithmetic.rules.kinds import Key, Wrong, did_you_mean, near, read_prize, write_prize
from pbem.tournaments.arithmetic.rules.records import Rules, Stage
from pbem.tournaments.arithmetic.rules.tables import FORMAT_KEYS, RECORDS, TABLES, TOP

# The line of a TOML file in which a key stands, for faults: ``entry.places``, ``stage 2.take``, ``prizes.1``.


_HEAD = re.compile(r"\s*\[(?P<double>\[)?\s*(?P<name>[^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*(?P<key>[\w-]+|"[^"]*"|'[^']*')\s*(?P<dot>[.=])""")


class Where:
    """The lines of a text by paths."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, int] = {}
        table, counts = "", {"": 0}
        for number, line in enumerate(text.splitlines(), start=1):
            if head := _HEAD.match(line):
                table = head["name"]
                if head["double"]:
                    counts[table] = counts.get(table, 0) + 1
                    table = f"{table} {counts[table]}"
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                name = key["key"].strip("\"'")
                self._lines.setdefault(f"{table}.{name}" if table else name, number)

    def line(self, path: str) -> int:
        """Return the line of a key, of its table if it is not given itself; 0 if neither is there."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path.rpartition(".")[0]
        return 0


# E2 What is against rules whose keys are each sound: stages that take more than there are, keys of other formats.


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


Check = Callable[[Rules], Iterable[Against]]
"""What those who know games, zones and pools have against rules that are sound by themselves: keys with reasons."""


class Fault(NamedTuple):
    """What is wrong with rules: file, line from 1 (0: nowhere in it), key, what, and the way out."""

    file: str
    line: int
    key: str
    what: Msg
    way: Msg

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        key = f"{self.key}: " if self.key else ""
        return f"{where}: {key}{plain(self.what)}; {plain(self.way)}"


class RulesRefused(ValueError):
    """Rules that cannot be used, with all that is wrong with them, in the order of lines."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda one: (one.line or 10**9, one.key)))
        super().__init__("\n".join(map(str, self.faults)))


def read_rules(text: str, file: str, check: Check = lambda rules: ()) -> Rules:
    """Read a file of rules; RulesRefused with every fault. `check` is asked only where the rest is sound."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        why = re.sub(r" \(at .*\)$", "", str(error))
        way = msg("mend the line; each reads NAME = VALUE, texts in quotation marks")
        raise RulesRefused([Fault(file, int(at[1]) if at else 0, "", msg("{why}", why=why), way)]) from None
    return _read(raw, file, Where(text), check)


def rules_from_json(value: Json) -> Rules:
    """Read what `rules_to_json` wrote; RulesRefused if it is none."""
    if not isinstance(value, Mapping):
        raise RulesRefused(
            [Fault("rules", 0, "", msg("this is no table"), msg("hand in the rules as they were written"))]
        )
    return _read(value, "rules", Where(""), lambda rules: ())


def rules_to_json(rules: Rules) -> Json:
    """Return rules as JSON in the shape of their file, every default written down."""
    found: dict[str, Json] = {key.name: key.kind.write(getattr(rules, key.name)) for key in TOP}
    for table, keys in TABLES.items():
        value = getattr(rules, table)
        found[table] = [_written(keys, one) for one in value] if table == "stage" else _written(keys, value)
    found["prizes"] = {write_prize(one): one.text for one in rules.prizes}
    return found


def digest_of(rules: Rules) -> str:
    """Return the digest that the leaf `found` holds: ``sha256:`` of the canonical JSON."""
    return digest(rules_to_json(rules))


def _written(keys: Iterable[Key], record: object) -> dict[str, Json]:
    return {key.name: key.kind.write(getattr(record, key.name)) for key in keys}


def _read(raw: Mapping[str, Any], file: str, where: Where, check: Check) -> Rules:
    reader = _Reader(file, where)
    rules = reader.rules(raw)
    if rules is not None and not reader.faults:
        given = {f"stage {at}.{name}" for at, one in enumerate(raw["stage"], start=1) for name in one}
        for found in against(rules, given) or tuple(check(rules)):
            reader.refuse(*found)
    if reader.faults or rules is None:
        raise RulesRefused(reader.faults)
    return rules


class _Reader:
    """Tables to records; what is wrong is kept, so that all of it can be said at once."""

    def __init__(self, file: str, where: Where) -> None:
        self._file, self._where = file, where
        self.faults: list[Fault] = []

    def refuse(self, path: str, what: Msg, way: Msg) -> None:
        """Keep a fault of the key at a path: ``entry.places``, ``stage 2.take``."""
        self.faults.append(Fault(self._file, self._where.line(path), path, what, way))

    def rules(self, raw: Mapping[str, object]) -> Rules | None:
        """The whole; None if something is lacking that nothing else can be read without."""
        known = [key.name for key in TOP] + [*TABLES, "prizes"]
        self._unknown("", raw, known)
        top = self._values("", TOP, raw)
        tables = {name: self._record(name, name, raw.get(name, {})) for name in TABLES if name != "stage"}
        prizes = self._prizes(raw.get("prizes", {}))
        stages = self._stages(raw.get("stage"))
        if self.faults:
            return None
        return Rules(**top, **tables, stage=stages, prizes=prizes)

    def _stages(self, raw: object) -> tuple[Any, ...]:
        if not isinstance(raw, list | tuple) or not raw:
            self.refuse(
                "stage",
                msg("there is no stage"),
                msg("write {table} and below it, say, {line}", table="[[stage]]", line='format = "swiss"'),
            )
            return ()
        return tuple(self._record("stage", f"stage {at}", one) for at, one in enumerate(raw, start=1))

    def _record(self, name: str, path: str, raw: object) -> Any:
        if not isinstance(raw, Mapping):
            self.refuse(path, msg("this is no table"), msg("write it as [{name}] with its keys below", name=name))
            return None
        self._unknown(path, raw, [key.name for key in TABLES[name]])
        values = self._values(path, TABLES[name], raw)
        return RECORDS[name](**values) if len(values) == len(TABLES[name]) else None

    def _unknown(self, path: str, raw: Mapping[str, object], known: list[str]) -> None:
        for name in raw:
            if name not in known:
                close = near(name, known)
                way = did_you_mean(close) if close else msg("write one of: {words}", words=tuple(known))
                self.refuse(_path(path, name), msg("there is no such key"), way)

    def _values(self, path: str, keys: Iterable[Key], raw: Mapping[str, object]) -> dict[str, Any]:
        found = {}
        for key in keys:
            if key.name not in raw and key.default is not None:
                found[key.name] = key.default
                continue
            try:
                if key.name not in raw:
                    raise Wrong(msg("this is missing"), msg("write {line}", line=f"{key.name} = ..."))
                found[key.name] = key.kind.read(raw[key.name])
            except Wrong as wrong:
                self.refuse(_path(path, key.name), wrong.what, wrong.way)
        return found

    def _prizes(self, raw: object) -> tuple[Any, ...]:
        if not isinstance(raw, Mapping):
            self.refuse(
                "prizes", msg("this is no table"), msg("write it as [{name}] with its keys below", name="prizes")
            )
            return ()
        found = []
        for name, value in raw.items():
            try:
                found.append(read_prize(name, value))
            except Wrong as wrong:
                self.refuse(f"prizes.{name}", wrong.what, wrong.way)
        # Places come first, in order: what is written and what is read again is the same.
        return tuple(sorted(found, key=lambda one: (not one.place, one)))


def _path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
