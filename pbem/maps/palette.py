"""Define all colours of pictures by purpose, for letters and for pages.

Nations have the colours of their uniforms and flags. They stay apart in grey and for the colour-blind as well:
their grounds differ in lightness, and their flags in the number of bars.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Livery(NamedTuple):
    """The colours of a counter: ground, ink, rim, bevel, its camp's arrows, its flag."""

    ground: str
    ink: str
    rim: str
    arrow: str
    light: str
    flag: tuple[str, ...] = ()


class Palette(NamedTuple):
    """All colours of a picture."""

    paper: str
    ink: str
    faint: str
    frame: str
    halo: str
    glow: str
    terrain: Mapping[str, str]
    levels: tuple[str, str, str]
    hachure: str
    relief: tuple[str, str]
    tree: tuple[str, str]
    sand: str
    house: str
    border: str
    barred: str
    water: tuple[str, str, str]
    shore: str
    sea: str
    road: tuple[str, str]
    path: str
    gold: str
    alarm: str
    fire: tuple[str, str, str]
    front: tuple[str, str]
    shade: str
    band: tuple[str, str]
    liveries: Mapping[str, Livery]

    def signals(self) -> tuple[str, ...]:
        """Return the colours that matter even in small amounts: none may replace them."""
        liveries = ((*livery[:-1], *livery.flag) for livery in self.liveries.values())
        own = self.alarm, self.gold, self.fire[2], *self.front, *self.band
        return tuple(dict.fromkeys((*own, *(colour for livery in liveries for colour in livery))))


_UNION = ("#2f4f96", "#ffffff", "#d8453b", "#ffffff", "#2f4f96")
_GUALDA = ("#b3232c", "#f7da74", "#f7da74", "#b3232c")
LIGHT = Palette(
    paper="#f6efdf",
    ink="#2a251d",
    faint="#6f675a",
    frame="#2a251d",
    halo="#fbf6ea",
    glow="#fffaf0",
    terrain={
        "clear": "#eae3c6",
        "beach": "#f1e0ac",
        "heights": "#d5be93",
        "woods": "#b9cb96",
        "marsh": "#c8d5b4",
        "town": "#e6cdbb",
        "camp": "#ead8b1",
        "fortified": "#d9cdb8",
    },
    levels=("#dac69c", "#c9ad78", "#b2935f"),
    hachure="#a07a4a",
    relief=("#f3e3bd", "#6b4a20"),
    tree=("#8aa56b", "#6d8850"),
    sand="#d2b673",
    house="#7b6f5c",
    border="#8f8673",
    barred="#5b4a35",
    water=("#cfe0ea", "#c3d8e5", "#b9d0df"),
    shore="#5c4d39",
    sea="#84a5b9",
    road=("#8a6335", "#f7efd8"),
    path="#8a5a2b",
    gold="#c8920f",
    alarm="#b3261e",
    fire=("#1b1813", "#fff8e6", "#ff8c1a"),
    front=("#7a1fd0", "#ffffff"),
    shade="#3b352b",
    band=("#1b1813", "#ffe27a"),
    liveries={
        "french": Livery("#17305f", "#ffffff", "#0b1a38", "#2f5fa5", "#48659e", ("#2f5fa5", "#ffffff", "#d8453b")),
        "british": Livery("#bd2a31", "#ffffff", "#5d0f14", "#a01d26", "#d9636a", _UNION),
        "spanish": Livery("#f2c230", "#2a1d05", "#8a5b00", "#8f5e00", "#fbe08a", _GUALDA),
        "portuguese": Livery("#c9a274", "#24170a", "#6b4a24", "#6b4a24", "#e2c7a3", ("#ffffff", "#2f5fa5")),
        "moroccan": Livery("#1d5339", "#ffffff", "#0c2a1c", "#1f6a47", "#4d8468", ("#b3232c",)),
        "dark": Livery("#1e3f79", "#ffffff", "#0f2247", "#2f5fa5", "#4b6aa8"),
        "light": Livery("#f0b429", "#2a1d05", "#8a5b00", "#8f5e00", "#fbe08a"),
        "light 2": Livery("#f7da74", "#2a1d05", "#a07a1e", "#7a6510", "#fdf0bd"),
        "light 3": Livery("#d9c29b", "#2a1d05", "#84683a", "#6b5330", "#efe2c8"),
    },
)
"""Ink on ground 6 to 12 : 1. Red is for the British alone: fire is black with an orange flash, fights are framed in
`band`. `dark` and `light` are for games without nations, and for letters of earlier versions."""
_ON_DARK = {
    "french": ("#8fb0ec",),
    "british": ("#f4716b",),
    "moroccan": ("#8fc9ab",),
    "dark": ("#8fb0ec",),
}
"""The rim of dark counters on a dark page, which is the colour of their arrows as well."""
DARK = LIGHT._replace(
    paper="#1f2226",
    ink="#e8e2d4",
    faint="#a59e90",
    frame="#8d8778",
    halo="#23262b",
    glow="#7d7865",
    terrain={
        "clear": "#3a3b33",
        "beach": "#5c522c",
        "heights": "#4d4331",
        "woods": "#33422c",
        "marsh": "#35413a",
        "town": "#4b3b33",
        "camp": "#4c4d2e",
        "fortified": "#45403a",
    },
    levels=("#4a4130", "#5f5038", "#776444"),
    hachure="#8d7146",
    relief=("#7b6a4b", "#0f0d0a"),
    tree=("#4d6440", "#3b4f31"),
    sand="#6b603e",
    house="#9b8f7c",
    border="#777062",
    barred="#c0ad8d",
    water=("#26404f", "#233b49", "#203643"),
    shore="#9a8b74",
    sea="#6f92a6",
    road=("#a98350", "#2c2a26"),
    path="#b08453",
    alarm="#d8453b",
    shade="#d6cfbf",
    liveries={
        name: livery._replace(rim=_ON_DARK.get(name, (livery.rim,))[0], arrow=_ON_DARK.get(name, (livery.ground,))[-1])
        for name, livery in LIGHT.liveries.items()
    },
)
