"""Canonical orders are echoed in the reader's language, and what is echoed is read as the same orders."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pbem.audit.dice import DiceStream
from pbem.engine.game import AnyGame
from pbem.engine.orders.canonical import each_rule
from pbem.engine.run.runners import Paused, play
from pbem.engine.saved_position import read_position
from tests.golden import find_game, folders

GAMES = ("africa1860", "peninsular")
LANGUAGES = ("en", "es")
ENGLISH = {
    "africa1860": [
        "ACTIVATE",
        "MOVE",
        "ASSAULT",
        "CARACOLE",
        "RETIRE",
        "WITH",
        "SCREEN",
        "SUPPORT",
        "LOSSES",
        "STANDING",
        "WHEN",
        "THEN",
        "YES",
        "FROM",
    ],
    "peninsular": [
        "ORDER",
        "MOVE",
        "FACE",
        "SQUARE",
        "ASSAULT",
        "WITH",
        "STANDING",
        "WHEN",
        "THEN",
        "HOLD",
        "RETREAT",
        "ADVANCE",
        "RALLY",
        "YES",
    ],
}
"""Words of canonical text that no Spanish echo has."""
STANDING = {
    "africa1860": """STANDING FOR ALL
1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Cordoba / INF.STRONGEST ; SCREEN NONE LIMIT 2
2. WHEN ASSAULTED IF NOT (ENEMY CAV 0 OR ENEMY FROM Valle) THEN CAVALRY CARACOLE TO SHELTER ; ARTILLERY KEEP
3. WHEN ASSAULTED IF MY Leon FRESH AND MY Montana1 SPENT THEN CAVALRY CARACOLE TO Playa ELSE CAVALRY STAY
4. WHEN ASSAULTED IF ENEMY LEADER Caid THEN CAVALRY COUNTERCHARGE ; ARTILLERY FIRE ; LOSSES CAV.STEPS>=2 / ART.WEAKEST
5. WHEN APPROACHED IF VP MORE THAN 3 THEN APPROACH CHARGE ELSE APPROACH CARACOLE
6. WHEN APPROACHED IF TURN AT MOST 4 AND SPACE Loma EMPTY THEN APPROACH IGNORE
7. WHEN SHELLED IF MY STEPS LESS THAN 9 THEN COUNTERBATTERY YES ELSE COUNTERBATTERY NO
8. WHEN CHARGED IF MY Principe DEMORALISED THEN ASK WITHIN 12 ELSE VANGUARD LIGHT.FRESHEST
9. WHEN ASSAULTED IF SPACE Nudos MINE AND SPACE Cresta ENEMY THEN FALLBACK Tarajal / Playa
ENDSTANDING
STANDING FOR LEADER Prim
1. WHEN ASSAULTED IF MY UNITS 3 AND MY Prim HERE THEN LOSSES Leon / Cordoba
ENDSTANDING
STANDING FOR SPACE Nudos
1. WHEN CHARGED THEN SCREEN LIGHT.STRONGEST
ENDSTANDING
""",
    "peninsular": """STANDING FOR ALL
1. WHEN CHARGED IF ENEMY CAV AT LEAST 1 THEN SQUARE ELSE STAND
2. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN FIRE HOLD LIMIT 2 ELSE FIRE ASSAULTERS
3. WHEN ASSAULTED IF MY PF LESS THAN 9 AND MY BrowneBn DISORDERED THEN FIRE NEAREST
4. WHEN ASSAULTED IF NOT SPACE 1514 MINE THEN FIRE AT WILL ; LED BY INF.STRONGEST / CAV.PF>=2 / Coldstream
5. WHEN SHELLED IF TURN 3 OR VP AT MOST 2 THEN RETREAT 2 ELSE RETREAT 1
6. ADVANCE YES ; RALLY NO
7. WHEN SHELLED IF ENEMY LEADER Victor THEN ASK WITHIN 24
ENDSTANDING
STANDING FOR SPACE 1312
1. RALLY YES ; ADVANCE NO
ENDSTANDING
STANDING FOR UNIT Coldstream
1. FIRE HOLD
ENDSTANDING
""",
}
SCENARIOS = {"africa1860": ("castillejos", "spain"), "peninsular": ("barrosa", "british")}
ACTIONS = {
    "africa1860": """ACTIVATE Tarajal
IF SPACE Nudos EMPTY AND NOT MY Leon SPENT
  MOVE Cordoba, Leon WITH Prim TO Nudos
ELSE
  FIRE Montana1+Rodada5 AT Cresta
  ASSAULT Cresta WITH Cordoba, Leon LED BY Prim VANGUARD Leon SCREEN NONE SUPPORT Montana1 DETACH Husares1 LOSSES Leon
ENDIF
CARACOLE Husares1, Husares4 AT Playa BACK TO Tarajal
CHARGE Husares1 AT Playa VIA Nudos
RETIRE Cordoba
STOP IF MY STEPS LESS THAN 6
""",
    "peninsular": """ORDER Dilkes ATTACK
ORDER Wheatley REORGANISE
ORDER Barnard HOLD
ORDER Whittingham MANOEUVRE
IF SPACE 1514 EMPTY
  MOVE 2/95 1311 1312 FACE NW
ELSE
  MOVE BrowneBn TO 1413 FACE SW FORM SKIRMISH
ENDIF
FORM 2/87 SQUARE
FORM 1/28 FORMED
UNLIMBER DuncanA
LIMBER DuncanB
FACE 2/47 NW
FIRE DuncanA AT 1514
ASSAULT 1413 WITH BrowneBn LED BY Browne
CHARGE KGL AT 1413
STOP IF MY PF LESS THAN 20
""",
}


def held(game: AnyGame, view: object, seat: str, text: str) -> str:
    """The canonical text of a block, which is to be without a mistake, after its echoes were read like it."""
    reading = game.parse(text, view, seat)
    assert reading.rejected == ()
    canonical = game.canon(reading.orders)
    for language in LANGUAGES:
        echo = game.telling.spoken(canonical, language)
        again = game.parse(echo, view, seat)
        assert (again.rejected, game.canon(again.orders)) == ((), canonical), echo
    return canonical


def start(name: str):
    game = find_game(name)
    scenario, seat = SCENARIOS[name]
    return game, game.start(game.edition(scenario, {}, {})), seat


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: f"{folder.parent.parent.name}-{folder.name}")
def test_orders_of_the_golden_turns_read_back(folder: Path):
    game, _, state = read_position((folder / "state.json").read_text("utf-8"), find_game)
    for seat in game.seats(state):
        if (folder / f"{seat}.txt").exists():
            held(game, game.view(state, seat), seat, (folder / f"{seat}.txt").read_text("utf-8"))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("table", [STANDING, ACTIONS], ids=["standing", "actions"])
def test_every_word_of_the_language_reads_back(name: str, table: dict[str, str]):
    game, state, seat = start(name)
    canonical = held(game, game.view(state, seat), seat, table[name])
    assert canonical == table[name]
    spanish = game.telling.spoken(canonical, "es")
    assert not set(ENGLISH[name]) & set(spanish.replace(".", " ").split())
    # A game's English may have a word of its own for one of the log's: its spaces are hexes.
    english = game.telling.spoken(canonical, "en")
    assert held(game, game.view(state, seat), seat, english) == canonical
    assert english.replace("HEX", "SPACE") == canonical


@pytest.mark.parametrize("name", GAMES)
def test_a_rule_of_standing_orders_reads_back_by_itself(name: str):
    game, state, seat = start(name)
    for rule in each_rule(STANDING[name]):
        held(game, game.view(state, seat), seat, rule)


@pytest.mark.parametrize("scenario", [(name, edition) for name in GAMES for edition in find_game(name).editions()])
@pytest.mark.parametrize("bot", ["random", "forward"])
@pytest.mark.parametrize("phases", [3, pytest.param(6, marks=pytest.mark.full)])
def test_orders_of_bots_read_back(scenario: tuple[str, str], bot: str, phases: int):
    game, chance = find_game(scenario[0]), random.Random(19)
    state = game.start(game.edition(scenario[1], {}, {}))
    for _ in range(phases):
        if game.phase(state) is None:
            break
        orders = {}
        for seat in game.seats(state):
            view = game.view(state, seat)
            text = held(game, view, seat, game.bots[bot](view, seat, chance.randrange))
            orders[seat] = game.parse(text, view, seat).orders
        done = play(
            game.rules, game.world(state, orders), DiceStream(chance.randbytes(64)), game.decisions(state, orders, {})
        )
        assert not isinstance(done, Paused)
        state = done.state
