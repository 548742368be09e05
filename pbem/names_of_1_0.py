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
    "pbem.core.data.called": "pbem.engine.data.languages",
    "pbem.core.data.fairness": "pbem.engine.luck",
    "pbem.core.data.folds": "pbem.engine.data.events",
    "pbem.core.data.picture": "pbem.engine.data.scene",
    "pbem.core.data.scene_told": "pbem.engine.data.scene",
    "pbem.core.data.stakes_told": "pbem.engine.data.stakes",
    "pbem.core.map.fitting": "pbem.engine.map.sheets",
    "pbem.core.map.grounds": "pbem.engine.map.sheets",
    "pbem.core.map.hexplane": "pbem.engine.map.hexes",
    "pbem.core.map.overlays": "pbem.engine.map.charts",
    "pbem.core.map.ways": "pbem.engine.map.hexes",
    "pbem.core.orders.grammar": "pbem.engine.orders.cursor",
    "pbem.core.orders.measured": "pbem.engine.orders.conditions",
    "pbem.core.orders.offered": "pbem.engine.orders.choices",
    "pbem.core.orders.press": "pbem.engine.orders.block",
    "pbem.core.playout": "pbem.engine.autoplay",
    "pbem.core.position": "pbem.engine.saved_position",
    "pbem.core.run.followed": "pbem.engine.run.steps",
    "pbem.core.run.foresight": "pbem.engine.run.runners",
    "pbem.core.run.rolls": "pbem.engine.run.labels",
    "pbem.core.run.stakes": "pbem.engine.run.questions",
    "pbem.kit.answers": "pbem.engine.orders.doctrine",
    "pbem.kit.commands": "pbem.engine.commanders",
    "pbem.kit.commands.gate": "pbem.engine.commanders.holding",
    "pbem.kit.commands.holding": "pbem.engine.commanders.holding",
    "pbem.kit.commands.joint": "pbem.engine.commanders.sequence",
    "pbem.kit.commands.orders": "pbem.engine.commanders.orders",
    "pbem.kit.commands.sequence": "pbem.engine.commanders.sequence",
    "pbem.kit.commands.table": "pbem.engine.commanders.holding",
    "pbem.kit.commands.telling": "pbem.engine.commanders.telling",
    "pbem.kit.couriers.errands": "pbem.engine.couriers",
    "pbem.kit.couriers.known": "pbem.engine.couriers",
    "pbem.kit.couriers.riding": "pbem.engine.couriers",
    "pbem.kit.couriers.routes": "pbem.engine.couriers",
    "pbem.kit.couriers.telling": "pbem.engine.couriers",
    "pbem.kit.deployment.aids": "pbem.engine.deployment_aids",
    "pbem.kit.deployment.bots": "pbem.engine.deployment",
    "pbem.kit.deployment.rules": "pbem.engine.deployment",
    "pbem.kit.deployment.telling": "pbem.engine.deployment",
    "pbem.kit.deployment.zones": "pbem.engine.deployment",
    "pbem.kit.dice": "pbem.engine.run.steps",
    "pbem.kit.fallen": "pbem.engine.data.scene",
    "pbem.kit.lookahead": "pbem.engine.autoplay",
    "pbem.kit.members": "pbem.engine.game",
    "pbem.kit.moments": "pbem.engine.data.scene",
    "pbem.kit.orders.actions": "pbem.engine.orders.standing",
    "pbem.kit.orders.forms": "pbem.engine.orders.grammar",
    "pbem.kit.orders.languages": "pbem.engine.orders.parser",
    "pbem.kit.orders.slots": "pbem.engine.orders.grammar",
    "pbem.kit.orders.words": "pbem.engine.orders.lex",
    "pbem.kit.position": "pbem.engine.data.situation",
    "pbem.kit.rules": "pbem.engine.run.steps",
    "pbem.kit.telling": "pbem.engine.standard",
    "pbem.kit.testing.dice": "pbem.engine.testing.laws",
    "pbem.kit.testing.fog": "pbem.engine.testing.checks",
    "pbem.kit.testing.forms": "pbem.engine.testing.games",
    "pbem.kit.testing.numbers": "pbem.engine.testing.checks",
    "pbem.kit.testing.replayed": "pbem.engine.testing.games",
    "pbem.kit.testing.turned": "pbem.engine.testing.mutants",
    "pbem.kit.war.legs": "pbem.engine.war.chain",
    "pbem.kit.war.linked": "pbem.engine.war.chain",
    "pbem.kit.war.record": "pbem.engine.war.chain",
    "pbem.kit.war.source": "pbem.engine.war.file",
    "pbem.kit.war.verdict": "pbem.engine.war.chain",
}
"""The modules that are called otherwise than their old name below `ENGINE`, by the old name."""

RENAMED = {
    "pbem.core.data.stakes_told.account": "account_for",
    "pbem.core.game.Edition": "PinnedEdition",
    "pbem.core.game.Game": "pbem.engine.classes_of_1_0.OldGame",
    "pbem.core.luck.Weighed": "WeighedPhase",
    "pbem.core.orders.press.END": "PRESS_END",
    "pbem.core.orders.press.HEAD": "PRESS_HEAD",
    "pbem.core.parts.Advice": "pbem.engine.classes_of_1_0.Advice",
    "pbem.core.parts.Aids": "pbem.engine.classes_of_1_0.Aids",
    "pbem.core.parts.Awarding": "pbem.engine.classes_of_1_0.Awarding",
    "pbem.core.parts.Cased": "pbem.engine.classes_of_1_0.Cased",
    "pbem.core.parts.Editing": "pbem.engine.classes_of_1_0.Editing",
    "pbem.core.parts.Forecast": "pbem.engine.classes_of_1_0.Forecast",
    "pbem.core.parts.Pictured": "pbem.engine.classes_of_1_0.Pictured",
    "pbem.core.parts.Rulebook": "pbem.engine.classes_of_1_0.Rulebook",
    "pbem.core.parts.Scored": "pbem.engine.classes_of_1_0.OldScored",
    "pbem.core.parts.Telling": "pbem.engine.classes_of_1_0.OldTelling",
    "pbem.core.position.Position": "SavedPosition",
    "pbem.kit.couriers.errands.riding": "send_errand",
    "pbem.kit.members.missing": "pbem.engine.classes_of_1_0.missing",
    "pbem.kit.standard.Book": "pbem.engine.classes_of_1_0.Book",
    "pbem.kit.standard.Scored": "pbem.engine.classes_of_1_0.OldScored",
    "pbem.kit.standard.Standard": "pbem.engine.classes_of_1_0.Standard",
    "pbem.kit.telling.OneByOne": "pbem.engine.classes_of_1_0.OneByOne",
}
"""What has another name in its module today, or is in another, by the old names."""


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
            former = f"{module.__name__}.{attribute}"
            if former in MOVED or any(name.startswith(f"{former}.") for name in RENAMED):
                # A module below it, whatever has that name today, or one of which names are led elsewhere.
                return import_module(former)
            module_today, _, name = RENAMED.get(former, attribute).rpartition(".")
            return getattr(import_module(module_today or today), name)

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
