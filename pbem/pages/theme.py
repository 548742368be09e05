"""The colours of a map on a page: what differs between light and dark is a variable, which the reader's scheme sets."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator, Mapping
from typing import Any

from pbem.maps.palette import DARK, LIGHT, Palette


def _pairs(name: str, light: Any, dark: Any) -> Iterator[tuple[str, str, str]]:
    """The name of a variable with its two colours, for each colour that is not the same in both."""
    if isinstance(light, str):
        if light != dark:
            yield name, light, dark
    elif isinstance(light, Mapping):
        for key in light:
            yield from _pairs(f"{name}-{key}", light[key], dark[key])
    else:
        for at, one in enumerate(light):
            yield from _pairs(f"{name}-{at}", one, dark[at])


def _held(name: str, light: Any, dark: Any) -> Any:
    """The same with variables in place of colours."""
    if isinstance(light, str):
        return light if light == dark else f"var(--{name})"
    if isinstance(light, Mapping):
        return {key: _held(f"{name}-{key}", light[key], dark[key]) for key in light}
    return (
        type(light)(*(_held(f"{name}-{at}", one, dark[at]) for at, one in enumerate(light)))
        if hasattr(light, "_fields")
        else tuple(_held(f"{name}-{at}", one, dark[at]) for at, one in enumerate(light))
    )


_FIELDS = [(f"map-{name}", getattr(LIGHT, name), getattr(DARK, name)) for name in Palette._fields]
THEMED = Palette(*(_held(*field) for field in _FIELDS))
"""To draw a map for a page with."""


def style_sheet() -> str:
    """Return the CSS that gives the variables their colours."""
    pairs = [pair for field in _FIELDS for pair in _pairs(*field)]
    light = " ".join(f"--{name}: {colour};" for name, colour, _ in pairs)
    dark = " ".join(f"--{name}: {colour};" for name, _, colour in pairs)
    # On paper it is light whatever the screen is.
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


# What a page holds packed: text as gzip in base64, a quarter as long; its script unpacks it.


def packed(text: str) -> str:
    """Return a text packed: the same bytes for the same text."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 9, mtime=0)).decode("ascii")
