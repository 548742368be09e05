"""What is signed, hashed and stored: dice and leaves, orders, editions, tables; and the ids of messages."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

import pbem.letters
from pbem.audit import leaves, tournament_leaves
from pbem.cli.rulebooks import find_game
from pbem.engine.cases import split_cases
from pbem.engine.game import AnyGame
from pbem.engine.saved_position import SavedPosition, write_position
from pbem.installed import folder_of, playable_games, shipped_games
from pbem.letters import catalogue
from pbem.store import tables
from pbem.store.migrations import runner
from tests.audit import tournament_server
from tests.audit.simulated import disclosed
from tests.contract.kept import Texts

TESTS = Path(__file__).resolve().parents[1]


def dice_texts() -> Texts:
    """Return the kinds of leaves with what each says, and letters' proofs in which most kinds of blocks stand."""
    texts = {
        f"leaf {kind}": "".join(f"{key} {value}\n" for key, value in says) for kind, says in leaves.LEAF_FORMS.items()
    }
    texts["values of leaves"] = "".join(f"{name} {values}\n" for name, values in sorted(leaves._VALUES.items()))
    texts["kinds of leaves of tournaments"] = "".join(f"{kind}\n" for kind in sorted(tournament_leaves.KINDS))
    cup_items: list[Any] = []
    server, items = tournament_server.drawn()
    tournament_server.played(server, cup_items)
    letters = {
        "game with a beacon": disclosed(),
        "game without a beacon": disclosed(public=False),
        "tournament": [*items, *cup_items],
    }
    for name, sent_items in letters.items():
        for number, item in enumerate(sent_items, 1):
            texts[f"pbemdice.txt of a {name}, letter {number:02}"] = item.data.decode("utf-8")
    return texts


def order_texts(games: str = "*") -> Texts:
    """Return the canonical text of all orders of all rule cases, by file, with what each line refused is refused by."""
    texts = {}
    for path in sorted(TESTS.glob(f"games/{games}/cases/*.toml")):
        file = tomllib.loads(path.read_text("utf-8"))
        texts[f"{path.parents[1].name} {path.stem}"] = "".join(_canonical(find_game(path.parents[1].name), file))
    return {name: text for name, text in texts.items() if text}


def _canonical(game: AnyGame, file: dict[str, Any]) -> Iterator[str]:
    assert game.cased is not None
    for title, case in split_cases(file):
        state = game.cased.state(file, case) if "phase" in case else None
        for kind in ("standing", "orders"):
            for seat, text in case.get(kind, {}).items():
                reading = game.parse(text.removeprefix("\n"), game.cased.eyes(state, seat), seat)
                yield f"-- {title}: {kind} of {seat}\n{game.canon(reading.orders)}"
                yield from (
                    f"refused {rejected_line.line} by {rejected_line.rule}\n" for rejected_line in reading.rejected
                )


def edition_texts() -> Texts:
    """Return the digest of every edition of every scenario, and of the position that it begins with."""
    texts = {}
    for name in playable_games():
        game = find_game(name)
        for scenario in game.editions():
            usual = game.edition(scenario, {}, {})
            options = getattr(type(usual), "OPTIONS", {})
            chosen = [{}, *({option: values[1]} for option, values in options.items())]
            texts[f"{name} {scenario}"] = "".join(_digests(game, scenario, edition) for edition in chosen)
    return texts


def _digests(game: AnyGame, scenario: str, options: dict[str, str]) -> str:
    chosen = " ".join("=".join(option) for option in options.items()) or "as it is"
    try:
        edition = game.edition(scenario, options, {})
    except ValueError:
        return f"{chosen}: refused\n"
    position = write_position(SavedPosition(game, edition, game.start(edition)))
    return f"{chosen}: edition {edition.digest}, position {hashlib.sha256(position.encode()).hexdigest()}\n"


def table_texts(metadata: MetaData | None = None) -> Texts:
    """Return the statements that make the tables of both kinds of databases, the triggers, and the revisions."""
    texts = {}
    for dialect in (sqlite.dialect(), postgresql.dialect()):
        for table in (metadata or tables.metadata()).sorted_tables:
            made: list[ExecutableDDLElement] = [
                CreateTable(table),
                *map(CreateIndex, sorted(table.indexes, key=lambda index: str(index.name))),
            ]
            statements = (str(statement.compile(dialect=dialect)).strip() for statement in made)
            lines = (line.strip() for statement in statements for line in statement.splitlines())
            texts[f"{dialect.name} {table.name}"] = "".join(f"{line}\n" for line in lines)
        texts[f"{dialect.name} triggers"] = _triggers(dialect.name)
    scripts = ScriptDirectory.from_config(runner.alembic_config()).walk_revisions()
    texts["revisions"] = "".join(f"{script.revision} after {script.down_revision}\n" for script in scripts)
    return texts


def _triggers(dialect: str) -> str:
    """Return what the migrations make besides tables and indexes, a statement a line, sorted."""
    made = io.StringIO()
    config = runner.alembic_config()
    config.output_buffer = made
    config.attributes["dialect"] = dialect
    command.upgrade(config, "head", sql=True)
    statements = (" ".join(statement.split()) for statement in made.getvalue().split(";\n\n"))
    return "".join(
        f"{statement}\n" for statement in sorted(statements) if re.match("CREATE (TRIGGER|FUNCTION)", statement)
    )


def catalogue_texts() -> Texts:
    """Return the ids of all messages that have translations, and the names that stand for ids of games."""
    folders = {"house": Path(pbem.letters.__file__).parent} | {
        name: Path(str(folder_of(name))) for name in shipped_games()
    }
    texts = {}
    for name, folder in folders.items():
        for path in sorted((folder / "locale").glob("*.po")):
            ids = sorted(map(json.dumps, catalogue.read_po_file(path, path.stem)))
            texts[f"{name} {path.stem}"] = "".join(f"{ident}\n" for ident in ids)
        names = folder / "locale" / "names.toml"
        names_by_language = tomllib.loads(names.read_text("utf-8")) if names.exists() else {}
        for language, parts in names_by_language.items():
            if isinstance(parts, dict):
                rows = (f"{part}.{key}\n" for part, keys in sorted(parts.items()) for key in sorted(keys))
                texts[f"{name} {language} names"] = "".join(rows)
    return texts
