"""Define the colours of pages as CSS variables, light and dark."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator, Mapping
from typing import Any

from pbem.maps.palette import DARK, LIGHT, Palette


def _pairs(name: str, light: Any, dark: Any) -> Iterator[tuple[str, str, str]]:
    """Yield a variable's name with its two colours, for each colour that differs."""
    if isinstance(light, str):
        if light != dark:
            yield name, light, dark
    elif isinstance(light, Mapping):
        for key in light:
            yield from _pairs(f"{name}-{key}", light[key], dark[key])
    else:
        for index, colour in enumerate(light):
            yield from _pairs(f"{name}-{index}", colour, dark[index])


def _with_variables(name: str, light: Any, dark: Any) -> Any:
    """Return a value with a CSS variable for each colour that differs in the dark."""
    if isinstance(light, str):
        return light if light == dark else f"var(--{name})"
    if isinstance(light, Mapping):
        return {key: _with_variables(f"{name}-{key}", light[key], dark[key]) for key in light}
    return (
        type(light)(*(_with_variables(f"{name}-{index}", colour, dark[index]) for index, colour in enumerate(light)))
        if hasattr(light, "_fields")
        else tuple(_with_variables(f"{name}-{index}", colour, dark[index]) for index, colour in enumerate(light))
    )


_FIELDS = [(f"map-{name}", getattr(LIGHT, name), getattr(DARK, name)) for name in Palette._fields]
THEMED = Palette(*(_with_variables(*field) for field in _FIELDS))
"""The palette for maps on pages."""


def style_sheet() -> str:
    """Return the CSS that gives the variables their colours."""
    pairs = [pair for field in _FIELDS for pair in _pairs(*field)]
    light = " ".join(f"--{name}: {colour};" for name, colour, _ in pairs)
    dark = " ".join(f"--{name}: {colour};" for name, _, colour in pairs)
    # On paper it is light whatever the screen is.
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


# Packed data of a page: text as gzip in base64, a quarter as long; its script unpacks it.


def pack(text: str) -> str:
    """Return a text packed: the same bytes for the same text."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 9, mtime=0)).decode("ascii")
