"""E2 Read a tournament's rules from TOML or canonical JSON; report all faults.

::

    rules = read_rules(text, "cup60.toml")            # RulesRefused says each fault with its line and the way out
    rules_from_json(rules_to_json(rules)) == rules
    digest_of(rules)                                  # sha256:... of the canonical JSON, in the leaf `found`
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json, digest
from pbem.engine.data.messages import Msg, msg, plain_english
from pbem.tournaments.arithmetic.rules.kinds import (
    InvalidValue,
    TableKey,
    closest_word,
    did_you_mean,
    read_prize,
    write_prize,
)
from pbem.tournaments.arithmetic.rules.records import DeputyRules, StageRules, TournamentRules, most_entrants
from pbem.tournaments.arithmetic.rules.tables import FORMAT_KEYS, LISTS, RECORDS, TABLES, TOP

# The lines of keys in a TOML file, for faults: ``entry.places``, ``stage 2.take``, ``prizes.1``.


_HEAD = re.compile(r"\s*\[(?P<double>\[)?\s*(?P<name>[^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*(?P<key>[\w-]+|"[^"]*"|'[^']*')\s*(?P<dot>[.=])""")


class LineIndex:
    """The line number of each key of a text, by the path of the key."""

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
        """Return the line of a key, else of its table; 0 if the text has neither."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path.rpartition(".")[0]
        return 0


# E2 Objections to rules with valid keys: stages that take too many entrants, keys of other formats.


Objection = tuple[str, Msg, Msg]
"""A key, its fault, and the advice."""


def rule_objections(rules: TournamentRules, given_keys: Collection[str]) -> tuple[Objection, ...]:
    """Return all objections to rules.

    `given_keys` are the keys of stages that the file has, ``stage 2.take``.
    """
    return (*_stage_objections(rules, given_keys), *_tie_objections(rules), *_other_objections(rules))


def _stage_objections(rules: TournamentRules, given_keys: Collection[str]) -> Iterator[Objection]:
    for number, stage in enumerate(rules.stage, start=1):
        path = f"stage {number}"
        if number == 1:
            for key in ("take", "carry", "each"):
                if getattr(stage, key) not in (0, "none"):
                    yield f"{path}.{key}", msg("no stage comes before the first"), msg("leave it out")
        else:
            count = most_entrants(rules, number - 2)
            if stage.take > count:
                advice = msg("write {n} or less, or raise {key}", n=count, key="entry.places")
                yield f"{path}.take", msg("only {n} are there to go on", n=count), advice
            if stage.each:
                yield from _group_objections(f"{path}.each", stage, rules.stage[number - 2], count)
        if stage.format == "league" and stage.deal == "snake" and stage.divisions < 2:
            advice = msg("write {line}, or leave it out", line="divisions = 2")
            yield f"{path}.deal", msg("one division has nothing to be dealt to"), advice
        yield from _format_objections(path, stage, given_keys)
        yield from _number_objections(path, stage, most_entrants(rules, number - 1))


def _group_objections(path: str, stage: StageRules, before: StageRules, count: int) -> Iterator[Objection]:
    """E3.15 Yield objections to so many of each division of the stage before."""
    least = count // before.divisions
    if before.format != "league" or before.divisions < 2:
        advice = msg("write {line}", line=f"take = {stage.each}")
        yield path, msg("the stage before has no divisions"), advice
    elif stage.take:
        yield path, msg("{key} says how many go on", key="take"), msg("leave one of them out")
    elif stage.each > least:
        yield path, msg("a division may have only {n}", n=least), msg("write {n} or less", n=least)


def _format_objections(path: str, stage: StageRules, given_keys: Collection[str]) -> Iterator[Objection]:
    """Yield keys that belong to other formats.

    Canonical JSON has all keys; these have their defaults there, and are accepted.
    """
    for key in TABLES["stage"]:
        formats, value = FORMAT_KEYS.get(key.name, (stage.format,)), getattr(stage, key.name)
        if f"{path}.{key.name}" in given_keys and stage.format not in formats and value != key.default:
            fault = msg("a stage of the format {word} has none", word=stage.format)
            yield f"{path}.{key.name}", fault, msg("leave it out; it belongs to {words}", words=formats)


def _number_objections(path: str, stage: StageRules, count: int) -> Iterator[Objection]:
    if stage.format in ("swiss", "ladder") and not stage.rounds:
        yield f"{path}.rounds", msg("this is missing"), msg("write {line}", line="rounds = 4")
    if stage.format == "swiss" and stage.rounds >= count + count % 2:
        advice = msg("write {n} or less, or take {word}, in which all meet", n=count - 1 + count % 2, word="robin")
        yield f"{path}.rounds", msg("{n} entrants would meet again", n=count), advice
    if stage.best % 2 == 0:
        yield f"{path}.best", msg("an even number of games may decide nothing"), msg("write an odd number")
    if {*stage.battle} - {"turn"} and len({*stage.scenarios}) < 2:
        advice = msg("write {line}", line='scenarios = ["name", "name"]')
        yield f"{path}.battle", msg("fewer than two battles are named"), advice
    if "choice" in stage.battle and stage.sides in ("bid", "duplicate"):
        advice = msg("write one of: {words}", words=("balanced", "mirror", "lot"))
        yield f"{path}.sides", msg("such sides need one battle at all tables"), advice
    if stage.third and count < 4:
        yield f"{path}.third", msg("fewer than four have no semi-finals"), msg("leave it out")
    if stage.format == "league":
        least = count // stage.divisions
        if least < 2:
            advice = msg("write {n} or less", n=count // 2)
            yield f"{path}.divisions", msg("a division would have fewer than two"), advice
        elif stage.divisions > 2 and 2 * stage.moving > least:
            advice = msg("write {n} or less", n=least // 2)
            yield f"{path}.moving", msg("more would move than a division has"), advice


def _tie_objections(rules: TournamentRules) -> Iterator[Objection]:
    """E7.11 Check that luck is never the first criterion and always has a weight."""
    order, weight = rules.ties.order, rules.ties.luck_weight
    if not order:
        yield "ties.order", msg("nothing would part anybody"), msg("write {line}", line='order = ["points", "lot"]')
    if ("luck" in order) != bool(weight):
        advice = msg(
            "write {line} and {word} in {key}, or neither", line='luck_weight = "35%"', word="luck", key="order"
        )
        yield "ties.luck_weight", msg("one is here without the other"), advice
    if order[:1] == ("luck",):
        yield "ties.order", msg("{word} may not come first", word="luck"), msg("put {word} first", word="points")


def _other_objections(rules: TournamentRules) -> Iterator[Objection]:
    if rules.disputes.jurors % 2 == 0:
        yield "disputes.jurors", msg("an even jury may not decide"), msg("write an odd number")
    for prize in rules.prizes:
        if prize.place > rules.entry.places:
            advice = msg("write {n} or less", n=rules.entry.places)
            yield f"prizes.{prize.place}", msg("there are not so many places"), advice
    for number, holiday in enumerate(rules.holidays, start=1):
        if holiday.last < holiday.first:
            advice = msg("write {date} or later", date=holiday.first)
            yield f"holidays {number}.last", msg("these holidays end before they begin"), advice
    if not rules.left.no_show:
        yield "left.no_show", msg("nothing would be done"), msg("write {line}", line='no_show = ["bye"]')


Check = Callable[[TournamentRules], Iterable[Objection]]
"""A further check of valid rules against games, zones and pools: it yields objections."""


class RulesFault(NamedTuple):
    """A fault of rules: file, line from 1 (0: unknown), key, fault and advice."""

    file: str
    line: int
    key: str
    what: Msg
    way: Msg

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        key = f"{self.key}: " if self.key else ""
        return f"{place}: {key}{plain_english(self.what)}; {plain_english(self.way)}"


class RulesRefused(ValueError):
    """Unusable rules, with all their faults in the order of lines."""

    def __init__(self, faults: Iterable[RulesFault]) -> None:
        # Faults without a line come last.
        self.faults = tuple(sorted(faults, key=lambda fault: (fault.line or 10**9, fault.key)))
        super().__init__("\n".join(map(str, self.faults)))


def read_rules(text: str, file: str, check: Check = lambda rules: ()) -> TournamentRules:
    """Read a file of rules; raise RulesRefused with every fault.

    `check` is called even if keys are faulty; its objections that depend on a faulty key are left out.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # The parser tells the line in its message alone (before Python 3.14).
        position = re.search(r"at line (\d+)", str(error))
        cause = re.sub(r" \(at .*\)$", "", str(error))
        advice = msg("mend the line; each reads NAME = VALUE, texts in quotation marks")
        raise RulesRefused(
            [RulesFault(file, int(position[1]) if position else 0, "", msg("{why}", why=cause), advice)]
        ) from None
    return _read(raw, file, LineIndex(text), check)


def rules_from_json(value: Json) -> TournamentRules:
    """Read JSON written by `rules_to_json`; raise RulesRefused for anything else."""
    if not isinstance(value, Mapping):
        raise RulesRefused(
            [RulesFault("rules", 0, "", msg("this is no table"), msg("hand in the rules as they were written"))]
        )
    return _read(value, "rules", LineIndex(""), lambda rules: ())


_ADDED: Mapping[str, Json] = MappingProxyType(
    {
        "entry.by": "all",
        "entry.least": 0,
        "entry.most": 0,
        "stage.scenarios": [],
        "stage.third": False,
        "stage.deal": "rank",
        "stage.each": 0,
        "stage.replays": 0,
        "stage.best": 1,
        "stage.battle": [],
    }
)
"""The keys added after 1.0.0 to tables of 1.0.0. Their defaults are not written, so that digests of older rules stay
the same."""


def rules_to_json(rules: TournamentRules) -> Json:
    """Return rules as JSON in the shape of their file, with all defaults."""
    document: dict[str, Json] = {key.name: key.kind.write(getattr(rules, key.name)) for key in TOP}
    for table in TABLES:
        value = getattr(rules, table)
        document[table] = (
            [_record_json(table, record) for record in value] if table in LISTS else _record_json(table, value)
        )
    # Rules of before there were any of these keep their digest.
    if not rules.holidays:
        del document["holidays"]
    if rules.office == DeputyRules():
        del document["office"]
    document["prizes"] = {write_prize(prize): prize.text for prize in rules.prizes}
    return document


def digest_of_rules(rules: TournamentRules) -> str:
    """Return the digest in the leaf `found`: ``sha256:`` of the canonical JSON."""
    return digest(rules_to_json(rules))


def _record_json(table: str, record: object) -> dict[str, Json]:
    values = {key.name: key.kind.write(getattr(record, key.name)) for key in TABLES[table]}
    return {name: value for name, value in values.items() if _ADDED.get(f"{table}.{name}") != value}


def _read(raw: Mapping[str, Any], file: str, line_index: LineIndex, check: Check) -> TournamentRules:
    reader = _Reader(file, line_index)
    rules = reader.rules(raw)
    doubtful = frozenset(reader.doubtful)
    for objection in (*rule_objections(rules, reader.stage_keys), *check(rules)):
        if not _depends_on(objection[0], doubtful):
            reader.refuse(*objection)
    if reader.faults:
        raise RulesRefused(reader.faults)
    return rules


_LENGTH = ("entry.places", "table", "round.days", "unfinished", "teams", "stage")
_COMPARED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "entry": ("teams", "zone"),
        "table": ("table.game", "table.scenario", "stage"),
        "round": _LENGTH,
        "stage": _LENGTH,
        "ties": ("ties",),
        "holidays": ("holidays",),
        "prizes": ("entry.places",),
    }
)
"""Other keys and tables that the check of a table compares with its values."""


def _depends_on(path: str, doubtful: Collection[str]) -> bool:
    """Return whether an objection to a key depends on a doubtful one."""
    keys = (path, *_COMPARED.get(re.split(r"[ .]", path)[0], ()))
    return any(
        re.split(r"[ .]", other)[0] == key or f"{other}.".startswith(f"{key}.") for other in doubtful for key in keys
    )


class _Reader:
    """A reader of tables into records, which collects all faults.

    `doubtful` are the keys whose values were replaced by defaults; `stage_keys` the keys that the file's stages
    have.
    """

    def __init__(self, file: str, line_index: LineIndex) -> None:
        self._file, self._where = file, line_index
        self.faults: list[RulesFault] = []
        self.doubtful = set[str]()
        self.stage_keys = set[str]()

    def refuse(self, path: str, fault: Msg, advice: Msg) -> None:
        """Add a fault of the key at a path: ``entry.places``, ``stage 2.take``."""
        self.faults.append(RulesFault(self._file, self._where.line(path), path, fault, advice))
        self.doubtful.add(path)

    def rules(self, raw: Mapping[str, object]) -> TournamentRules:
        """Return the rules, with defaults for what is missing or faulty."""
        names = [key.name for key in TOP] + [*TABLES, "prizes"]
        self._unknown("", raw, names)
        top = self._values("", TOP, raw)
        tables = {name: self._record(name, name, raw.get(name, {})) for name in TABLES if name not in LISTS}
        prizes = self._prizes(raw.get("prizes", {}))
        stages = self._stages(raw.get("stage"))
        holidays = self._records("holidays", raw.get("holidays", ()))
        return TournamentRules(**top, **tables, stage=stages, prizes=prizes, holidays=holidays)

    def _stages(self, raw: object) -> tuple[Any, ...]:
        if not isinstance(raw, list | tuple) or not raw:
            self.refuse(
                "stage",
                msg("there is no stage"),
                msg("write {table} and below it, say, {line}", table="[[stage]]", line='format = "swiss"'),
            )
            return ()
        return self._records("stage", raw)

    def _records(self, name: str, raw: object) -> tuple[Any, ...]:
        if not isinstance(raw, list | tuple):
            self.refuse(name, msg("this is one table"), msg("write each as {table}", table=f"[[{name}]]"))
            return ()
        return tuple(self._record(name, f"{name} {number}", table) for number, table in enumerate(raw, start=1))

    def _record(self, name: str, path: str, raw: object) -> Any:
        if not isinstance(raw, Mapping):
            self.refuse(path, msg("this is no table"), msg("write it as [{name}] with its keys below", name=name))
            return RECORDS[name](**{key.name: _default(key) for key in TABLES[name]})
        self._unknown(path, raw, [key.name for key in TABLES[name]])
        if name == "stage":
            self.stage_keys |= {f"{path}.{key}" for key in raw}
        return RECORDS[name](**self._values(path, TABLES[name], raw))

    def _unknown(self, path: str, raw: Mapping[str, object], names: list[str]) -> None:
        for name in raw:
            if name not in names:
                close = closest_word(name, names)
                self.doubtful.add(_path(path, close))
                advice = did_you_mean(close) if close else msg("write one of: {words}", words=tuple(names))
                self.refuse(_path(path, name), msg("there is no such key"), advice)

    def _values(self, path: str, keys: Iterable[TableKey], raw: Mapping[str, object]) -> dict[str, Any]:
        values = {}
        for key in keys:
            if key.name not in raw and key.default is not None:
                values[key.name] = key.default
                continue
            try:
                if key.name not in raw:
                    raise InvalidValue(msg("this is missing"), msg("write {line}", line=f"{key.name} = ..."))
                values[key.name] = key.kind.read(raw[key.name])
            except InvalidValue as wrong:
                # All faults are told at once; meanwhile the default takes the place of the value.
                self.refuse(_path(path, key.name), wrong.what, wrong.way)
                values[key.name] = _default(key)
        return values

    def _prizes(self, raw: object) -> tuple[Any, ...]:
        if not isinstance(raw, Mapping):
            self.refuse(
                "prizes", msg("this is no table"), msg("write it as [{name}] with its keys below", name="prizes")
            )
            return ()
        prizes = []
        for name, value in raw.items():
            try:
                prizes.append(read_prize(name, value))
            except InvalidValue as wrong:
                self.refuse(f"prizes.{name}", wrong.what, wrong.way)
        # Places come first, in order, so that a written file reads back the same.
        return tuple(sorted(prizes, key=lambda prize: (not prize.place, prize)))


def _default(key: TableKey) -> Any:
    """Return the default of a key; empty text where the rules must say it."""
    return "" if key.default is None else key.default


def _path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
