"""Import our modules at their first use: ``with lazily():`` around imports.

    with lazily():
        from pbem.play import seating

    def rotate(...):
        seating.rotate_seat(...)    # pbem.play.seating is read here, not with this file

A command needs only a few of the modules that its file names and must not wait for the others. A program loads the
rest by `load_all` before it starts threads: if two threads load one module at the same time, one of them sees half
of it. The log of a module is a `Logger`, so that structlog is read with the first line that is logged.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import Any


class _LazyFinder:
    """A finder that loads each of our modules at the first use of a name in it."""

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a module of ours; return None for all others."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname.startswith("pbem.") else None
        if spec is None or spec.loader is None:
            return None
        spec.loader = LazyLoader(spec.loader)
        _NAMES.append(fullname)
        return spec


_NAMES: list[str] = []
"""Modules that were imported lazily, read by now or not."""


@contextmanager
def lazily() -> Iterator[None]:
    """Import modules lazily within the block."""
    sys.meta_path.insert(0, _LazyFinder)
    try:
        yield
    finally:
        sys.meta_path.remove(_LazyFinder)


def load(*modules: ModuleType) -> None:
    """Load modules now; raise ImportError if a library that they need is missing."""
    for module in modules:
        vars(module)


def load_all() -> None:
    """Load all modules that were imported lazily, and their own lazy imports."""
    for name in _NAMES:  # which grows meanwhile
        if (module := sys.modules.get(name)) is not None:
            load(module)


class Logger:
    """The structlog logger of a module: ``log.info("letter taken", uid=7)``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, method: str) -> Any:
        for level, set_up in [*_SET_UP]:
            if getattr(logging, method.upper(), level) < level:
                return _log_nothing
            set_up()
            _SET_UP.clear()
        # With rich, which it needs, it takes a tenth of the time of a command that logs nothing.
        import structlog

        return getattr(structlog.get_logger(self._name), method)


def _log_nothing(*_: object, **__: object) -> None:
    """Ignore a line below the level of the log."""


_SET_UP: list[tuple[int, Callable[[], None]]] = []


def set_up_log(level: int, set_up: Callable[[], None]) -> None:
    """Set up structlog for a level and above, now if imported, else at first use."""
    _SET_UP[:] = [(level, set_up)]
    if "structlog" in sys.modules:
        set_up()
        _SET_UP.clear()
