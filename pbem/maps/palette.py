"""Define all colours of pictures by purpose, for letters and for pages.

The camps stay apart in grey and for the colour-blind: a dark ground with light ink, light grounds with dark
ink; those of one camp also differ by a letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Livery(NamedTuple):
    """The colours of a counter: ground, ink, rim; and of its camp's arrows."""

    ground: str
    ink: str
    rim: str
    arrow: str


class Palette(NamedTuple):
    """All colours of a picture."""

    paper: str
    ink: str
    faint: str
    frame: str
    halo: str
    terrain: Mapping[str, str]
    levels: tuple[str, str, str]
    hachure: str
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
    shade: str
    liveries: Mapping[str, Livery]

    def signals(self) -> tuple[str, ...]:
        """Return the colours that matter even in small amounts: none may replace them."""
        colours = (self.alarm, self.gold, *(colour for livery in self.liveries.values() for colour in livery))
        return tuple(dict.fromkeys(colours))


LIGHT = Palette(
    paper="#f6efdf",
    ink="#2a251d",
    faint="#6f675a",
    frame="#2a251d",
    halo="#fbf6ea",
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
    levels=("#d5be93", "#cdb285", "#c3a477"),
    hachure="#a07a4a",
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
    shade="#3b352b",
    liveries={
        "dark": Livery("#1e3f79", "#ffffff", "#0f2247", "#2f5fa5"),
        "light": Livery("#f0b429", "#2a1d05", "#8a5b00", "#8f5e00"),
        "light 2": Livery("#f7da74", "#2a1d05", "#a07a1e", "#7a6510"),
        "light 3": Livery("#d9c29b", "#2a1d05", "#84683a", "#6b5330"),
    },
)
"""Ink on ground 9 to 12 : 1; the two camps 5.5 to 6 : 1."""
DARK = LIGHT._replace(
    paper="#1f2226",
    ink="#e8e2d4",
    faint="#a59e90",
    frame="#8d8778",
    halo="#23262b",
    terrain={
        "clear": "#3a3b33",
        "beach": "#4b452f",
        "heights": "#4d4331",
        "woods": "#33422c",
        "marsh": "#35413a",
        "town": "#4b3b33",
        "camp": "#47402e",
        "fortified": "#45403a",
    },
    levels=("#4d4331", "#574b36", "#62543c"),
    hachure="#8d7146",
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
        "dark": Livery("#27509a", "#ffffff", "#8fb0ec", "#8fb0ec"),
        "light": Livery("#f0b429", "#2a1d05", "#8a5b00", "#f0b429"),
        "light 2": Livery("#f7da74", "#2a1d05", "#a07a1e", "#f7da74"),
        "light 3": Livery("#d9c29b", "#2a1d05", "#84683a", "#d9c29b"),
    },
)
