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
    return text_digest(dumps(value))


def text_digest(text: str) -> str:
    """Return the `digest` of a value whose canonical text is known."""
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


_LEAVES = frozenset({str, int, bool, type(None)})
"""Types that need no further check; compared by identity, since states consist mostly of them."""
_ROWS = (list, tuple)
"""Kept as a constant, because making a union each time is slower than the check."""


def _refuse_floats(value: Json) -> None:
    """Raise TypeError for floats, and for keys that are no strings."""
    # One loop over a growing list: a call for each list and mapping takes longer than all else.
    containers = [value]
    for container in containers:
        if isinstance(container, dict):
            for key, item in container.items():
                if type(key) is not str and not isinstance(key, str):
                    raise TypeError(f"canonical JSON wants string keys, got {key!r}")
                if type(item) not in _LEAVES:
                    containers.append(item)
        elif isinstance(container, _ROWS):
            for item in container:
                if type(item) not in _LEAVES:
                    containers.append(item)
        elif isinstance(container, float):
            raise TypeError(f"canonical JSON holds no floats, got {container!r}")
