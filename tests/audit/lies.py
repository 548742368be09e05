"""What a real server writes into its log, field by field; and servers that lie about one field, and play on with it.

A lie is told where the block is made. All that follows (the chain, proofs, dice, results, letters) the server makes
from the block as it is then, with its own keys, so that each signature and each proof is right.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from pbem.audit import blocks, leaves
from pbem.engine.data.canon import dumps, loads
from pbem.engine.war.chain import CAMP
from pbem.log import closing_times as chain_boards
from pbem.play import adjudication, log_entries
from pbem.play.commands.table import founding
from pbem.tournaments import draw, lots, unfinished_tables
from tests.audit import small_server, tournament_server
from tests.harness import server as made_servers

Pairs = tuple[tuple[str, str], ...]

PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    "slate": {"seat": ("name", "rev", "orders", "standing")},
    "board": {"table": ("name", "slate")},
    "draw": {"entrant": ("name", "strength", "pace", "zone", "halves", "team", "since")},
}
"""The lines of several values, by the kind of their block."""

NUMBER, HEX = re.compile("-?[0-9]+"), re.compile("[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{160}")
COMMITMENT, DIGEST = re.compile("[A-Za-z0-9+/]{43}="), re.compile("(?:sha256|hmac):[0-9a-f]{64}")


def another_value(value: str) -> str:
    """Return another value of the same form: the next number, another hash, another commitment; else the same."""
    digest = hashlib.sha512(value.encode())
    if NUMBER.fullmatch(value):
        return str(int(value) + 1)
    if HEX.fullmatch(value):
        return (digest.hexdigest() * 2)[: len(value)]
    if DIGEST.fullmatch(value):
        return f"{value.partition(':')[0]}:{digest.hexdigest()[:64]}"
    if COMMITMENT.fullmatch(value):
        return base64.b64encode(digest.digest()[:32]).decode()
    return value


class Lie(NamedTuple):
    """A field, and what is written instead of its value; the same value where there is nothing to lie about.

    It is told once, of the first block in which it changes something, or in `all` of them; `skip` so many first.
    `also` is a second field in which the same value stands.
    """

    field: str
    change: Callable[[str], str] = another_value
    skip: int = 0
    all: bool = False
    also: str = ""

    @property
    def fields(self) -> tuple[str, str]:
        """The fields in which it is told."""
        return self.field, self.also


class Writing:
    """What is written, by field, each value once; and the lie that is told."""

    def __init__(self, lie: Lie | None = None) -> None:
        self.lie = lie
        self.fields: dict[str, dict[str, None]] = {}
        self.told_of: object = None
        self._told = ""
        self._skipped: list[object] = []

    def block(self, kind: str, key: object, pairs: Sequence[tuple[str, str]]) -> Pairs:
        """The lines of a block that is known by a key, as they are written."""
        return tuple(self._lines(kind, key, pairs))

    def value(self, field: str, key: object, value: str) -> str:
        """One value of what is known by a key, as it is written."""
        self.fields.setdefault(field, {})[value] = None
        if self.lie is None or field not in self.lie.fields or (not self.lie.all and self.told_of not in (None, key)):
            return value
        other = self.lie.change(value)
        if other == value or value == self._told:
            return value
        if key not in self._skipped and len(self._skipped) < self.lie.skip:
            self._skipped.append(key)
        if key in self._skipped:
            return value
        self.told_of, self._told = key, other
        return other

    def _lines(self, kind: str, key: object, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for line, value in pairs:
            names = PARTS.get(kind, {}).get(line)
            if not names:
                yield line, self.value(f"{kind}.{line}", key, value)
                continue
            values = value.split(" ")
            parts = zip(names, values, strict=True)
            which = (key, values[0])
            yield line, " ".join(self.value(f"{kind}.{line}.{name}", which, part) for name, part in parts)


class _Instead:
    """A module with some of its functions replaced."""

    def __init__(self, module: Any, **other: Any) -> None:
        self._module = module
        vars(self).update(other)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


@contextmanager
def watch_writing(lie: Lie | None = None) -> Iterator[Writing]:
    """Watch what servers write while the block runs, and have the lie told."""
    made = Writing(lie)
    with pytest.MonkeyPatch.context() as patch:
        # Nothing is copied that was begun before, and nothing that is begun now is copied later.
        patch.setattr(made_servers, "_MADE", {})
        _leaves(patch, made)
        _blocks(patch, made)
        _lots(patch, made)
        _editions(patch, made)
        yield made


def _leaves(patch: pytest.MonkeyPatch, made: Writing) -> None:
    write = leaves.write

    def write_leaf(leaf: leaves.Leaf) -> Any:
        key = (leaf.game, leaf.seq)
        head = {field: made.value(f"leaf.{field}", key, str(getattr(leaf, field))) for field in ("seq", "prev", "salt")}
        changed = leaf._replace(says=made.block(leaf.kind, key, leaf.says), prev=head["prev"], salt=head["salt"])
        return write(changed._replace(seq=int(head["seq"])))

    patch.setattr(leaves, "write", write_leaf)


def _blocks(patch: pytest.MonkeyPatch, made: Writing) -> None:
    def instead(where: Any, module: str, function: str, key: Callable[[Any], object]) -> None:
        honest = getattr(getattr(where, module), function)

        def write(given: Any) -> bytes:
            kind, pairs = blocks.parse(honest(given))
            return blocks.block(kind, made.block(kind, key(given), pairs))

        patch.setattr(where, module, _Instead(getattr(where, module), **{function: write}))

    for where in (adjudication, small_server, tournament_server):
        instead(where, "blocks", "closed_orders_block", lambda block: (block.game, block.phase, block.segment))
    _manifests(patch, made)
    for where in (draw, tournament_server):
        instead(where, "draws", "write_draw", lambda draw: (draw.game, draw.round, draw.attempt))
    for where in (chain_boards, tournament_server):
        instead(where, "boards", "board_block", lambda board: (board.game, board.name))


def _manifests(patch: pytest.MonkeyPatch, made: Writing) -> None:
    rolls = vars(log_entries)["rolls"]
    honest = rolls.manifest_block

    def manifest(**given: Any) -> bytes:
        kind, pairs = blocks.parse(honest(**given))
        key = tuple(given[name] for name in ("game", "phase", "segment", "group"))
        named = [("roll", (*key, value)) if line == "roll" else (line, key) for line, value in pairs]
        return blocks.block(
            kind,
            [
                (line, made.value(f"{kind}.{line}", which, value))
                for (line, which), (_, value) in zip(named, pairs, strict=True)
            ],
        )

    patch.setattr(log_entries, "rolls", _Instead(rolls, manifest_block=manifest))


def _lots(patch: pytest.MonkeyPatch, made: Writing) -> None:
    dice = vars(lots)["dice"]

    class Stream(dice.DiceStream):  # type: ignore[misc, name-defined]
        def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
            thrown = super().roll(label, n, sides)
            text = made.value(f"label.{label.partition('/')[0]}", label, ",".join(map(str, thrown)))
            return tuple(map(int, text.split(",")))

    for where in (lots, unfinished_tables):
        patch.setattr(where, "dice", _Instead(dice, DiceStream=Stream))


def _editions(patch: pytest.MonkeyPatch, made: Writing) -> None:
    make = founding.store_game

    def make_game(work: Any, wanted: Any, rules: Any, edition: Any) -> Any:
        read = loads(dumps(edition.to_json()))
        stated = _edition(made, wanted.name, read)
        return make(work, wanted, rules, edition if stated == edition.to_json() else rules.edition_from_json(stated))

    patch.setattr(founding, "store_game", make_game)


def _edition(made: Writing, game: str, edition: dict[str, Any]) -> dict[str, Any]:
    """An edition as it is written; of a camp, and of what a later battle says of its war, each value is a field."""

    def fields(kind: str, values: dict[str, Any]) -> dict[str, Any]:
        return {key: loads(made.value(f"{kind}.{key}", (game, key), dumps(value))) for key, value in values.items()}

    scenario = edition.get("scenario")
    if not isinstance(scenario, dict):
        return edition  # the toy's is none that anybody plays
    if edition.get("game") == CAMP:
        return fields("edition", edition | {"scenario": {}}) | {"scenario": fields("camp", scenario)}
    mark = {"war": fields("battle", scenario["war"])} if "war" in scenario else {}
    rest = {key: value for key, value in scenario.items() if key != "war"}
    out = fields("edition", edition | {"scenario": rest})
    return out | {"scenario": out["scenario"] | mark}
