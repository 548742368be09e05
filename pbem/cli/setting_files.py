"""Read settings from a file of TOML and from the environment above it, and keys from files of their owner's alone.

    PBEM_IMAP__PASSWORD=secret                          the setting `password` of the table `imap`
    PBEM_IMAP__PASSWORD_FILE=/run/secrets/imap          the same, read from a file, without the line's end
    PBEM_CONFIG=/srv/pbem/pbem.toml                     which file is read

A variable that begins like ours and names no setting is an error, as a line of the file is. Where there is no file, the
environment alone may say everything.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, RootModel, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsError,
    TomlConfigSettingsSource,
)

S = TypeVar("S", bound=BaseSettings)
_CONFIG = "PBEM_CONFIG"
_OTHERS = {"PBEM_": ("PBEM_WITNESS_",)}
"""By the prefix of a program of ours that of another which begins alike; a stroke more is a table of the first."""
_FROM_FILE = "_FILE"
_LONGEST = 100_000
"""Octets of a file that holds one setting."""


class Misconfigured(ValueError):
    """The settings cannot be used; the message says what to do about it."""


def read_settings(kind: type[S], path: Path, first: str, environment: Mapping[str, str] = os.environ) -> S:
    """Settings of a kind as a file and the environment have them.

    Misconfigured names every setting that is wrong, or the command that writes a first file.
    """
    prefix = str(kind.model_config.get("env_prefix", ""))
    own = dict(_own(environment, prefix))
    is_there = _can_be_read(path)
    if not is_there and not _says_enough(kind, own, prefix):
        raise Misconfigured(f"there is no {path}: write one with `{first}`, or say where yours is with --config FILE")
    wrong = [_unknown(kind, name, prefix) for name in own if not _is_setting(kind, name, prefix)]
    if wrong:
        raise Misconfigured("\n".join(["the environment cannot be used:", *sorted(wrong)]))
    told = dict(_with_files(own))

    where = str(path) if is_there else f"there is no {path}, and the environment alone"
    asked = _ASKED.set((told, path if is_there else None))
    try:
        read: S = _from_here(kind)()
    except ValidationError as invalid:
        raise Misconfigured("\n".join(_told(invalid, where, own, kind))) from None
    except SettingsError:
        lines = [f"  {name}: its value is written as JSON, such as [0, 1]" for name in _no_json(kind, told)]
        raise Misconfigured("\n".join(["the environment cannot be used:", *lines])) from None
    except (ValueError, UnicodeDecodeError) as broken:
        raise Misconfigured(f"{path} is not TOML: {broken}") from None
    finally:
        _ASKED.reset(asked)
    return read


_ASKED: ContextVar[tuple[Mapping[str, str], Path | None]] = ContextVar("_ASKED")
"""The variables and the file that settings are being read from."""


@cache
def _from_here(kind: type[S]) -> type[S]:
    """Settings of a kind that are read from what is asked for; a class of them takes long to make."""

    class FromHere(kind):  # type: ignore[valid-type,misc]  # which kind is known when it runs
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            told, path = _ASKED.get()
            above = _Environment(settings_cls, told)
            return (above,) if path is None else (above, TomlConfigSettingsSource(settings_cls, path))

    return FromHere


def _can_be_read(path: Path) -> bool:
    """Whether there is such a file; Misconfigured if it is there and closed to us."""
    try:
        if not path.is_file():
            return False
        with path.open("rb"):
            return True
    except OSError as closed:
        why = f"{path} cannot be read: {closed.strerror}"
        raise Misconfigured(f"{why}; run this as the user that it belongs to, who is to be the server's") from None


class _Environment(EnvSettingsSource):
    """Variables that are handed in, by names in small letters."""

    def __init__(self, kind: type[BaseSettings], told: Mapping[str, str]) -> None:
        self._told = {name.lower(): value for name, value in told.items()}
        super().__init__(kind)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self._told


def _own(environment: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str]]:
    """The variables that are ours, but the one that names the file."""
    for name, value in environment.items():
        upper = name.upper()
        others = tuple(one for one in _OTHERS.get(prefix, ()) if not upper.startswith(f"{one}_"))
        if prefix and upper.startswith(prefix) and upper != _CONFIG and not upper.startswith(others):
            yield upper, value


def _says_enough(kind: type[BaseModel], own: Iterable[str], prefix: str) -> bool:
    """Whether of every table that must be there something is said."""
    said = {name.removeprefix(prefix).partition("__")[0].lower() for name in own}
    return {name for name, field in kind.model_fields.items() if field.is_required()} <= said


def _with_files(own: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables with what stands in the files that some of them name."""
    for name, value in own.items():
        if not name.endswith(_FROM_FILE):
            yield name, value
            continue
        plain = name.removesuffix(_FROM_FILE)
        if plain in own:
            raise Misconfigured(f"{plain} and {name} are both in the environment: take one away")
        yield plain, _content(name, Path(value))


def _content(name: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            found = file.read(_LONGEST + 1)
        if len(found) > _LONGEST:
            raise Misconfigured(f"{name}: {path} is too long for one setting")
        if not found.strip():
            raise Misconfigured(
                f"{name}: there is nothing in {path}; write the value into it, or take the variable away"
            )
        return found.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except (OSError, UnicodeDecodeError) as wrong:
        reason = wrong.strerror if isinstance(wrong, OSError) else "it is not UTF-8"
        raise Misconfigured(f"{name}: {path} cannot be read: {reason}") from None


def _is_setting(kind: type[BaseModel], name: str, prefix: str) -> bool:
    parts = name.removeprefix(prefix).removesuffix(_FROM_FILE).lower().split("__")
    model: Any = kind
    for part in parts:
        if not isinstance(model, type) or not issubclass(model, BaseModel):
            return False
        if issubclass(model, RootModel):
            return True
        if part not in model.model_fields:
            return False
        model = model.model_fields[part].annotation
    return True


def _unknown(kind: type[BaseModel], name: str, prefix: str) -> str:
    """A variable that names no setting, with the one that may be meant."""
    return f"  {name}: there is no such setting{_meant(name.removesuffix(_FROM_FILE), _names(kind, prefix))}"


def _meant(name: str, every: Iterable[str]) -> str:
    """What may be meant by a name that nothing has."""
    near = get_close_matches(name, list(every), n=1, cutoff=0.7)
    return f"; is {near[0]} meant?" if near else ""


def _names(kind: Any, prefix: str) -> Iterable[str]:
    """The variables of all settings of a kind."""
    for field, told in kind.model_fields.items():
        name, inner = f"{prefix}{field.upper()}", told.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel) and not issubclass(inner, RootModel):
            yield from _names(inner, f"{name}__")
        else:
            yield name


def _told(invalid: ValidationError, where: str, own: Iterable[str], kind: type[BaseSettings]) -> Iterator[str]:
    """A line for each setting that is wrong, below who said it: the file, or the variable that stands above it."""
    said, prefix = {name.removesuffix(_FROM_FILE): name for name in own}, kind.model_config.get("env_prefix", "")
    by_file: list[str] = []
    by_variable: list[str] = []
    for error in invalid.errors():
        names = (
            f"{prefix}{'__'.join(map(str, error['loc'][:end]))}".upper() for end in range(len(error["loc"]), 0, -1)
        )
        variable = next((said[name] for name in names if name in said), "")
        line = _line(error, variable)
        if error["type"] == "extra_forbidden" and not variable:
            line += _meant(
                ".".join(map(str, error["loc"])), [name.replace("__", ".").lower() for name in _names(kind, "")]
            )
        (by_variable if variable else by_file).append(line)
    for who, lines in ((where, by_file), ("the environment", by_variable)):
        if lines:
            yield from (f"{who} cannot be used:", *lines)


def _no_json(kind: type[BaseSettings], told: Mapping[str, str]) -> Sequence[str]:
    """The variables of lists and tables that cannot be read as such."""
    broken = []
    for name, value in told.items():
        try:
            _Environment(kind, {name: value})()
        except SettingsError:
            broken.append(name)
    return broken


def _line(error: object, variable: str = "") -> str:
    found = dict(error)  # type: ignore[call-overload]
    where = variable or ".".join(str(part) for part in found["loc"]) or "settings"
    said = {"extra_forbidden": "there is no such setting", "missing": "is missing"}.get(found["type"])
    return f"  {where}: {said or found['msg'].removeprefix('Value error, ')}"


KEY_BYTES = 32


def read_key(path: Path) -> bytes:
    """Return the server's secret from its file; Misconfigured if it is missing, readable by others or damaged."""
    try:
        mode = path.stat().st_mode
        text = path.read_text("ascii").strip()
        key = bytes.fromhex(text)
    except FileNotFoundError:
        raise Misconfigured(
            f"there is no key file {path}: put the copy of it back; `pbem init` writes one for a new server alone"
        ) from None
    except (OSError, ValueError) as wrong:
        raise Misconfigured(f"the key file {path} cannot be read: {wrong}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Misconfigured(f"others may read the key file {path}: chmod 600 {path}")
    if len(key) != KEY_BYTES:
        raise Misconfigured(f"the key file {path} holds {len(key)} bytes, not {KEY_BYTES}")
    return key


def former(path: Path) -> list[Path]:
    """The files of the keys that were in the place of one before it, the oldest first."""
    found: list[Path] = []
    while (one := path.with_name(f"{path.name}.{len(found) + 1}")).exists():
        found.append(one)
    return found


def write_key(path: Path) -> None:
    """Write a new secret, mode 0600; FileExistsError if there is one."""
    write_new(path, secrets.token_hex(KEY_BYTES) + "\n")


def write_new(path: Path, text: str) -> None:
    """Write a file of its owner's alone, mode 0600; FileExistsError if there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
