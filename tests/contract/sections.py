"""The sections of the contract: what makes the texts of each, as they are now."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.contract import formats, interface
from tests.contract.kept import Texts

Make = Callable[[], Texts]

SECTIONS: Mapping[str, Make] = {
    "catalogues": formats.catalogue_texts,
    "commands": interface.command_texts,
    "dice": formats.dice_texts,
    "editions": formats.edition_texts,
    "help": interface.help_texts,
    "orders": formats.order_texts,
    "settings": interface.setting_texts,
    "tables": formats.table_texts,
}
