"""Read settings from TOML and the environment, and keys from private files.

    PBEM_IMAP__PASSWORD=secret                          the setting `password` of the table `imap`
    PBEM_IMAP__PASSWORD_FILE=/run/secrets/imap          the same, read from a file, without the line's end
    PBEM_CONFIG=/srv/pbem/pbem.toml                     which file is read

The environment overrides the file. A variable with our prefix that names no setting is an error, like an unknown
line of the file. Without a file all settings may be in the environment. Keys are in files that only their owner can
read.
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
from pydantic.fields import FieldInfo
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
"""By the prefix of one program, the longer prefixes of other programs; followed by another underscore, such a prefix
is one of its own tables."""
_FROM_FILE = "_FILE"
_LONGEST_FILE = 100_000
"""Octets of a file that holds one setting: a password, a key or an address has a few hundred, and a wrong path may
name a disk image."""


class Misconfigured(ValueError):
    """Raised for settings that cannot be used; the message says what to do."""


def read_settings(kind: type[S], path: Path, first: str, environment: Mapping[str, str] = os.environ) -> S:
    """Read settings of a kind from a file and the environment.

    Raises Misconfigured with every setting that is wrong, or with the command that writes a first file.
    """
    prefix = str(kind.model_config.get("env_prefix", ""))
    variables = dict(_own_variables(environment, prefix))
    is_there = _can_be_read(path)
    if not is_there and not _has_required(kind, variables, prefix):
        raise Misconfigured(f"there is no {path}: write one with `{first}`, or say where yours is with --config FILE")
    unknown = [_unknown_line(kind, name, prefix) for name in variables if not _is_setting(kind, name, prefix)]
    if unknown:
        raise Misconfigured("\n".join(["the environment cannot be used:", *sorted(unknown)]))
    values = dict(_with_files(variables))

    source = str(path) if is_there else f"there is no {path}, and the environment alone"
    token = _SOURCES.set((values, path if is_there else None))
    try:
        loaded: S = _reading_class(kind)()
    except ValidationError as invalid:
        # All these are ValueErrors: the most general one comes last.
        raise Misconfigured("\n".join(_fault_lines(invalid, source, variables, kind))) from None
    except SettingsError:
        # The error names no variable: each is tried by itself.
        lines = [f"  {name}: its value is written as JSON, such as [0, 1]" for name in _no_json(kind, values)]
        raise Misconfigured("\n".join(["the environment cannot be used:", *lines])) from None
    except (ValueError, UnicodeDecodeError) as broken:
        raise Misconfigured(f"{path} is not TOML: {broken}") from None
    finally:
        _SOURCES.reset(token)
    return loaded


_SOURCES: ContextVar[tuple[Mapping[str, str], Path | None]] = ContextVar("_ASKED")
"""The variables and the file that settings are read from."""


@cache
def _reading_class(kind: type[S]) -> type[S]:
    """Return the settings class that reads from `_SOURCES`; making one takes long."""

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
            values, path = _SOURCES.get()
            environment = _Environment(settings_cls, values)
            return (environment,) if path is None else (environment, TomlConfigSettingsSource(settings_cls, path))

    return FromHere


def _can_be_read(path: Path) -> bool:
    """Return whether there is such a file; raise Misconfigured if it is unreadable."""
    try:
        if not path.is_file():
            return False
        with path.open("rb"):
            return True
    except OSError as closed:
        why = f"{path} cannot be read: {closed.strerror}"
        raise Misconfigured(f"{why}; run this as the user that it belongs to, who is to be the server's") from None


class _Environment(EnvSettingsSource):
    """Given variables, by lower-case names."""

    def __init__(self, kind: type[BaseSettings], variables: Mapping[str, str]) -> None:
        self._told = {name.lower(): value for name, value in variables.items()}
        super().__init__(kind)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self._told


def _own_variables(environment: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str]]:
    """Return the variables with our prefix, except the one that names the file."""
    for name, value in environment.items():
        upper = name.upper()
        others = tuple(
            other_prefix for other_prefix in _OTHERS.get(prefix, ()) if not upper.startswith(f"{other_prefix}_")
        )
        if prefix and upper.startswith(prefix) and upper != _CONFIG and not upper.startswith(others):
            yield upper, value


def _has_required(kind: type[BaseModel], variables: Iterable[str], prefix: str) -> bool:
    """Return whether every required table has some variable."""
    tables = {name.removeprefix(prefix).partition("__")[0].lower() for name in variables}
    return {name for name, field in kind.model_fields.items() if field.is_required()} <= tables


def _with_files(variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Return the variables, with values read from the files that some name."""
    for name, value in variables.items():
        if not name.endswith(_FROM_FILE):
            yield name, value
            continue
        plain = name.removesuffix(_FROM_FILE)
        if plain in variables:
            raise Misconfigured(f"{plain} and {name} are both in the environment: take one away")
        yield plain, _content(name, Path(value))


def _content(name: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST_FILE + 1)
        if len(data) > _LONGEST_FILE:
            raise Misconfigured(f"{name}: {path} is too long for one setting")
        if not data.strip():
            raise Misconfigured(f"{name}: there is nothing in {path}; write the value into it, or take {name} away")
        return data.decode("utf-8").removesuffix("\n").removesuffix("\r")
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
        if part not in (fields := _fields(model)):
            return False
        model = fields[part].annotation
    return True


def _fields(kind: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a table by the names of its settings."""
    return {field.alias or name: field for name, field in kind.model_fields.items()}


def _unknown_line(kind: type[BaseModel], name: str, prefix: str) -> str:
    """Return a line about an unknown variable, with the one that may be meant."""
    return (
        f"  {name}: there is no such setting{_suggestion(name.removesuffix(_FROM_FILE), _variable_names(kind, prefix))}"
    )


def _suggestion(name: str, names_known: Iterable[str]) -> str:
    """Return a suggestion for an unknown name, or ""."""
    matches = get_close_matches(name, list(names_known), n=1, cutoff=0.7)
    return f"; is {matches[0]} meant?" if matches else ""


def _variable_names(kind: Any, prefix: str) -> Iterable[str]:
    """Return the variables of all settings of a kind."""
    for field, field_info in _fields(kind).items():
        name, inner = f"{prefix}{field.upper()}", field_info.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel) and not issubclass(inner, RootModel):
            yield from _variable_names(inner, f"{name}__")
        else:
            yield name


def _fault_lines(
    invalid: ValidationError, source: str, given_variables: Iterable[str], kind: type[BaseSettings]
) -> Iterator[str]:
    """Return a line for each wrong setting, under its source: file or environment."""
    variables, prefix = (
        {name.removesuffix(_FROM_FILE): name for name in given_variables},
        kind.model_config.get("env_prefix", ""),
    )
    by_file: list[str] = []
    by_variable: list[str] = []
    for error in invalid.errors():
        names = (
            f"{prefix}{'__'.join(map(str, error['loc'][:end]))}".upper() for end in range(len(error["loc"]), 0, -1)
        )
        variable = next((variables[name] for name in names if name in variables), "")
        line = _line(error, variable)
        if error["type"] == "extra_forbidden" and not variable:
            line += _suggestion(
                ".".join(map(str, error["loc"])),
                [name.replace("__", ".").lower() for name in _variable_names(kind, "")],
            )
        (by_variable if variable else by_file).append(line)
    for origin, lines in ((source, by_file), ("the environment", by_variable)):
        if lines:
            yield from (f"{origin} cannot be used:", *lines)


def _no_json(kind: type[BaseSettings], values: Mapping[str, str]) -> Sequence[str]:
    """Return the variables of lists and tables that are not JSON."""
    broken = []
    for name, value in values.items():
        try:
            _Environment(kind, {name: value})()
        except SettingsError:
            broken.append(name)
    return broken


def _line(error: object, variable: str = "") -> str:
    details = dict(error)  # type: ignore[call-overload]
    name = variable or ".".join(str(part) for part in details["loc"]) or "settings"
    reason = {"extra_forbidden": "there is no such setting", "missing": "is missing"}.get(details["type"])
    return f"  {name}: {reason or details['msg'].removeprefix('Value error, ')}"


KEY_BYTES = 32
"""Bytes of a secret: those of an Ed25519 seed (RFC 8032, 5.1.5), and for other keys as strong as SHA-256."""


def read_key(path: Path) -> bytes:
    """Read a secret from its file.

    Raises Misconfigured if it is missing, readable by others or damaged.
    """
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
    _check_private(mode, "key file", path)
    if len(key) != KEY_BYTES:
        raise Misconfigured(f"the key file {path} holds {len(key)} bytes, not {KEY_BYTES}")
    return key


def read_password(name: str, path: Path) -> str:
    """Read the password in a file that the setting `name` gives.

    Raises Misconfigured if it cannot be read, is empty, or is readable by others.
    """
    password = _content(name, path)
    # Credentials are in a folder that systemd closes to others; the group of such a file stands for its reader.
    if credential_path(CREDENTIALS / path.name) != path:
        _check_private(path.stat().st_mode, "password's file", path)
    return password


CREDENTIALS = Path("$CREDENTIALS_DIRECTORY")
"""The folder in which systemd hands a service its credentials (LoadCredential=), as a setting names it."""


def credential_path(path: Path, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return a path with the folder of credentials put in; None where there is none."""
    if path.parts[:1] != CREDENTIALS.parts:
        return path
    folder = environment.get(CREDENTIALS.name.removeprefix("$"))
    return Path(folder, *path.parts[1:]) if folder else None


def _check_private(mode: int, what: str, path: Path) -> None:
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Misconfigured(f"others may read the {what} {path}: chmod 600 {path}")


def former_keys(path: Path) -> list[Path]:
    """Return the files of the keys replaced by this one, the oldest first."""
    files: list[Path] = []
    while (file := path.with_name(f"{path.name}.{len(files) + 1}")).exists():
        files.append(file)
    return files


def write_key(path: Path) -> None:
    """Write a new secret, mode 0600; raise FileExistsError if there is one."""
    write_new(path, secrets.token_hex(KEY_BYTES) + "\n")


def write_new(path: Path, text: str) -> None:
    """Write a private file, mode 0600; raise FileExistsError if there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
