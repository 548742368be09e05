"""Names that games from outside imported at 1.0.0, led to what is called otherwise today, each with a warning.

    from pbem.kit.shelf import Shelf    # DeprecationWarning: pbem.kit.shelf is pbem.engine.shelf now

Nothing of ours imports by these names. The finder stands last of all: it is asked only for what nobody else finds.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader, MetaPathFinder
else:  # which would take longer to import than all of this
    Loader = MetaPathFinder = object

PACKAGES = ("pbem.core", "pbem.kit")
"""The packages whose modules lie in `ENGINE` today."""

ENGINE = "pbem.engine"

MOVED = {
    "pbem.core.orders.grammar": "pbem.engine.orders.cursor",
    "pbem.core.position": "pbem.engine.saved_position",
    "pbem.kit.bots": "pbem.engine.bot_orders",
    "pbem.kit.cases": "pbem.engine.case_lookups",
    "pbem.kit.commands": "pbem.engine.commanders",
}
"""The modules that are called otherwise than their old name below `ENGINE`, by the old name."""

RENAMED = {
    "pbem.core.game.Edition": "PinnedEdition",
    "pbem.core.luck.Weighed": "WeighedPhase",
    "pbem.core.parts.Scored": "ScoredGame",
    "pbem.core.position.Position": "SavedPosition",
}
"""The classes that have another name in their module today, by their old names."""


def name_today(name: str) -> str:
    """Return what a name of 1.0.0 is called today, whether or not it is there; "" if it is none of `PACKAGES`."""
    for package in PACKAGES:
        if name == package or name.startswith(f"{package}."):
            return MOVED.get(name, ENGINE + name.removeprefix(package))
    return ""


class FormerModule(Loader):
    """Makes a module that has the names of another and none of its own."""

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python to make an empty one."""

    def exec_module(self, module: ModuleType) -> None:
        """Lead whatever is asked of it to the module of today; what lies below is found by its old name."""
        today = name_today(module.__name__)

        def look_up(attribute: str) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            return getattr(import_module(today), RENAMED.get(f"{module.__name__}.{attribute}", attribute))

        module.__path__ = []
        module.__dict__["__getattr__"] = look_up
        if module.__name__ not in PACKAGES:
            warnings.warn(f"{module.__name__} is {today} now", DeprecationWarning, stacklevel=2)


class FormerNames(MetaPathFinder):
    """Finds modules by their names of 1.0.0."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find what is there today under another name; None for every other name."""
        today = name_today(fullname)
        if not today or find_spec(today) is None:
            return None
        return ModuleSpec(fullname, FormerModule())


def install() -> None:
    """Let Python find modules by their names of 1.0.0."""
    if not any(isinstance(finder, FormerNames) for finder in sys.meta_path):
        sys.meta_path.append(FormerNames())
