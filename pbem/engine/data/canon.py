"""Canonical JSON and its digest: one text for one value.

Equal states therefore have equal bytes. Example: ``dumps({"b": 1, "a": [true]})`` is ``{"a":[true],"b":1}``.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

Json = Any
"""A value of JSON without floats: null, bool, int, str, list or tuple, dict with string keys."""

_ENCODER = json.JSONEncoder(ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)


def dumps(value: Json) -> str:
    """Return the canonical JSON text of `value`: ASCII, keys sorted, no blanks.

    Floats are refused with TypeError: two machines could print them differently.
    """
    _refuse_floats(value)
    return _ENCODER.encode(value)


def loads(text: str) -> Json:
    """Read the output of `dumps`; raise ValueError if the text is not JSON."""
    return json.loads(text)


def digest(value: Json) -> str:
    """Return ``sha256:`` and the hex SHA-256 of the canonical text of `value`."""
    return "sha256:" + hashlib.sha256(dumps(value).encode("ascii")).hexdigest()


_LEAVES = frozenset({str, int, bool, type(None)})
"""Types that need no further check; compared by identity, since states consist mostly of them."""
_ROWS = (list, tuple)
"""Kept as a constant, because making a union each time is slower than the check."""


def _refuse_floats(value: Json) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if type(key) is not str and not isinstance(key, str):
                raise TypeError(f"canonical JSON wants string keys, got {key!r}")
            if type(item) not in _LEAVES:
                _refuse_floats(item)
    elif isinstance(value, _ROWS):
        for item in value:
            if type(item) not in _LEAVES:
                _refuse_floats(item)
    elif isinstance(value, float):
        raise TypeError(f"canonical JSON holds no floats, got {value!r}")
