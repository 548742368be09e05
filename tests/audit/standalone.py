"""The file `verify.py` as players get it, joined, loaded and asked for the status of every check, without libraries."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from pbem.audit.note import Key
from pbem.verifier.build import build_script
from pbem.verifier.mailbox import LetterToCheck as Letter
from tests.audit.small_server import Item


@cache
def load() -> Any:
    module = ModuleType("pbem_standalone_verify")
    sys.modules[module.__name__] = module
    exec(compile(build_script(), "verify.py", "exec"), module.__dict__)  # noqa: S102
    return module


def written(folder: Path) -> Path:
    """The file in a folder."""
    path = folder / "verify.py"
    path.write_text(build_script(), "utf-8")
    return path


def judge(
    items: Sequence[Item | Letter], pin: Key | None = None, witnesses: Sequence[Key] = (), quorum: int = 1
) -> Any:
    module = load()
    keys = tuple(module.parse_log_key(key.text) for key in witnesses)
    reader = module.Reader(module.parse_log_key(pin.text) if pin else None, keys, quorum)
    return module.verify_letters([module.LetterToCheck(*item) for item in items], reader)


def statuses(
    items: Sequence[Item | Letter], pin: Key | None = None, witnesses: Sequence[Key] = (), quorum: int = 1
) -> dict[str, str]:
    """What verify.py says of letters, check by check."""
    by_check: dict[str, str] = load().status_by_check(judge(items, pin, witnesses, quorum))
    return by_check
