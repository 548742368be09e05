"""What operators type and write into files: help, words of commands, settings."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any
from unittest import mock

import typer
import typer.rich_utils
from pydantic import BaseModel

from pbem.cli.main import app, every_command, main, tidy_command_and_below
from pbem.cli.settings import Settings
from pbem.cli.witness_cosigner import WitnessSettings
from pbem.data import data
from pbem.runtime.limits import Limits
from pbem.runtime.terms import Terms
from pbem.tournaments.arithmetic.rules.kinds import TableKey
from pbem.tournaments.arithmetic.rules.tables import TABLES, TOP
from tests.contract.kept import Texts

_PROSE = ("description", "title")
"""Keys of a JSON schema that tell people what a setting is; they may be said in other words."""


def help_texts() -> Texts:
    """Return the help of every command and group, as a terminal of 80 columns without colours shows it."""
    texts = {}
    terminal = mock.patch.multiple(typer.rich_utils, MAX_WIDTH=80, FORCE_TERMINAL=None, COLOR_SYSTEM=None)
    with terminal, mock.patch.dict(os.environ, {"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}):
        for words, _ in commands():
            with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
                main([*words, "--help"])
            lines = (line.rstrip() for line in printed.getvalue().splitlines())
            texts[" ".join(("pbem", *words))] = "".join(f"{line}\n" for line in lines)
    return texts


def command_texts() -> Texts:
    """Return what every command takes: its arguments and options, their types, defaults and variables."""
    return {
        " ".join(("pbem", *words)): "".join(f"{line}\n" for line in _parameters(command))
        for words, command in commands()
    }


def commands() -> list[tuple[tuple[str, ...], Any]]:
    return list(every_command(tidy_command_and_below(typer.main.get_command(app))))


def _parameters(command: Any) -> Iterator[str]:
    yield f"takes {len(command.params)}"
    for param in command.params:
        names = " ".join((*param.opts, *param.secondary_opts))
        default = "" if callable(param.default) or param.default is None else f" = {param.default!r}"
        many = " many" if param.nargs != 1 or param.multiple else ""
        variable = f" env {param.envvar}" if param.envvar else ""
        yield f"{param.param_type_name} {names} {param.metavar or '-'}{many}{default}{variable}"


def setting_texts() -> Texts:
    """Return the keys of every kind of settings, each with its type, its bounds and its default."""
    tables = {"": TOP} | {f"{table}.": keys for table, keys in TABLES.items()}
    return {
        "pbem.toml": _lines(_keys(Settings)),
        "pbem.toml as shipped": _lines(_shipped("pbem.toml")),
        "witness.toml": _lines(_keys(WitnessSettings)),
        "witness.toml as shipped": _lines(_shipped("witness.toml")),
        "limits": _lines({name: repr(value) for name, value in Limits()._asdict().items()}),
        "terms of a game": _lines({name: repr(value) for name, value in Terms()._asdict().items()}),
        "rules of a tournament": _lines(
            {f"{table}{key.name}": _rule(key) for table, keys in tables.items() for key in keys}
        ),
    }


def _rule(key: TableKey) -> str:
    """Return what a key of a tournament's rules takes, and what it is if nothing is given."""
    return f"{key.kind.says} = {json.dumps(key.default, default=str)}"


def _keys(kind: type[BaseModel]) -> dict[str, str]:
    """Return a line for each key of a model, nested tables by their path."""
    schema = kind.model_json_schema()
    return dict(_fields(schema, schema.get("$defs", {}), ""))


def _fields(schema: Mapping[str, Any], tables: Mapping[str, Any], path: str) -> Iterator[tuple[str, str]]:
    for name, field in schema.get("properties", {}).items():
        table = tables.get(field.get("$ref", "").rpartition("/")[2], {})
        if "properties" in table:
            yield from _fields(table, tables, f"{path}{name}.")
            continue
        details = {key: value for key, value in (table | field).items() if key not in (*_PROSE, "$ref")}
        needed = " required" if name in schema.get("required", ()) else ""
        yield f"{path}{name}", json.dumps(details, sort_keys=True) + needed


def _shipped(name: str) -> dict[str, str]:
    """Return the keys of a settings file as `pbem init` writes it, with their values."""
    tables = tomllib.loads(data("config", name).read_text("utf-8"))
    return {f"{table}.{key}": repr(value) for table, keys in tables.items() for key, value in keys.items()}


def _lines(keys: Mapping[str, str]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in sorted(keys.items()))
