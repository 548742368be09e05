"""The sections of the contract: what makes the texts of each, as they are now."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.contract import database, formats, interface, letters, tournaments
from tests.contract.kept import Texts

Make = Callable[[], Texts]

SECTIONS: Mapping[str, Make] = {
    "catalogues": formats.catalogue_texts,
    "commands": interface.command_texts,
    "dice": formats.dice_texts,
    "editions": formats.edition_texts,
    "help": interface.help_texts,
    "json": database.json_texts,
    "orders": formats.order_texts,
    "sessions": letters.session_texts,
    "settings": interface.setting_texts,
    "stories": letters.story_texts,
    "tables": formats.table_texts,
    "tournaments": tournaments.tournament_texts,
}

IN_PARTS = ("sessions", "stories", "tournaments")
"""Sections whose texts are compared one by one: those of sessions and stories by the tests that play them anyway
(tests/sessions, tests/letters), so that nothing is played twice."""
