"""The file `verify.py` as players get it, loaded from its path and asked for the status of every check."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pbem.audit.note import Key
from pbem.audit.verifier.record import Item

PATH = Path(__file__).parents[2] / "pbem" / "verifier" / "verify.py"


def load() -> Any:
    spec = importlib.util.spec_from_file_location("pbem_standalone_verify", PATH)
    if spec is None or spec.loader is None:
        raise ImportError(str(PATH))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


MODULE = load()
# It is slow on purpose; tests ask it the same things again and again.
for name in ("ed25519", "vrf"):
    setattr(MODULE, name, lru_cache(maxsize=4096)(getattr(MODULE, name)))


def statuses(items: Sequence[Item], pin: Key | None = None, witnesses: Sequence[Key] = ()) -> dict[str, str]:
    """What verify.py says of letters, in the words of the product."""
    mails = [(item.where, item.received, item.data) for item in items]
    judge = MODULE.Judge(mails, pin.text if pin else "", [key.text for key in witnesses])
    judge.run()
    out = {}
    for check in MODULE.CHECKS:
        found = {truth for name, truth, _ in judge.found if name == check}
        out[check] = "FALSE" if False in found else "NOT CHECKED" if None in found else "ok"
    return out
