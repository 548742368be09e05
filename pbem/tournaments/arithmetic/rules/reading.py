"""E2 Reading the rules of a tournament: TOML of a director or canonical JSON of the log, all faults at once.

::

    rules = read_rules(text, "cup60.toml")            # RulesRefused says each fault with its line and the way out
    rules_from_json(rules_to_json(rules)) == rules
    digest_of(rules)                                  # sha256:... of the canonical JSON, which the leaf `found` holds
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from pbem.engine.data.canon import Json, digest
from pbem.engine.data.messages import Msg, msg, plain
from pbem.tournaments.arithmetic.rules.checks import Against, against
from pbem.tournaments.arithmetic.rules.kinds import Key, Wrong, did_you_mean, near
from pbem.tournaments.arithmetic.rules.lists import read_prize, write_prize
from pbem.tournaments.arithmetic.rules.records import Rules
from pbem.tournaments.arithmetic.rules.tables import RECORDS, TABLES, TOP
from pbem.tournaments.arithmetic.rules.where import Where

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


def _written(keys: Iterable[Key], record: Any) -> dict[str, Json]:
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

    def rules(self, raw: Mapping[str, Any]) -> Rules | None:
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

    def _stages(self, raw: Any) -> tuple[Any, ...]:
        if not isinstance(raw, list | tuple) or not raw:
            self.refuse(
                "stage",
                msg("there is no stage"),
                msg("write {table} and below it, say, {line}", table="[[stage]]", line='format = "swiss"'),
            )
            return ()
        return tuple(self._record("stage", f"stage {at}", one) for at, one in enumerate(raw, start=1))

    def _record(self, name: str, path: str, raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            self.refuse(path, msg("this is no table"), msg("write it as [{name}] with its keys below", name=name))
            return None
        self._unknown(path, raw, [key.name for key in TABLES[name]])
        values = self._values(path, TABLES[name], raw)
        return RECORDS[name](**values) if len(values) == len(TABLES[name]) else None

    def _unknown(self, path: str, raw: Mapping[str, Any], known: list[str]) -> None:
        for name in raw:
            if name not in known:
                close = near(name, known)
                way = did_you_mean(close) if close else msg("write one of: {words}", words=tuple(known))
                self.refuse(_path(path, name), msg("there is no such key"), way)

    def _values(self, path: str, keys: Iterable[Key], raw: Mapping[str, Any]) -> dict[str, Any]:
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

    def _prizes(self, raw: Any) -> tuple[Any, ...]:
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
