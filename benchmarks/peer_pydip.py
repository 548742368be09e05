"""Run the workloads by pydip, in its own interpreter.

``python peer_pydip.py WORKLOAD SECONDS``
"""

from __future__ import annotations

from measure import Workload, main, spend
from pydip.map.predefined.vanilla_dip import generate_map, generate_starting_player_units
from pydip.player.command.command import MoveCommand
from pydip.player.player import Player
from pydip.turn.resolve import resolve_turn
from pydip.turn.retreat import resolve_retreats

OPENING = {
    "Liverpool": "Yorkshire",
    "London Coast": "North Sea",
    "Edinburgh Coast": "Norwegian Sea",
    "Brest Coast": "English Channel",
    "Paris": "Burgundy",
    "Marseilles": "Spain",
    "Kiel Coast": "Denmark Coast",
    "Berlin": "Kiel",
    "Munich": "Ruhr",
    "Venice": "Tyrolia",
    "Rome": "Venice",
    "Naples Coast": "Ionian Sea",
    "St. Petersburg South Coast": "Gulf of Bothnia",
    "Moscow": "Ukraine",
    "Warsaw": "Galicia",
    "Sevastopol Coast": "Black Sea",
    "Vienna": "Galicia",
    "Budapest": "Serbia",
    "Trieste Coast": "Albania Coast",
    "Constantinople": "Bulgaria",
    "Ankara Coast": "Black Sea",
    "Smyrna": "Constantinople",
}


def adjudicate() -> Workload:
    """W3 Adjudicate the opening phase, 22 moves.

    Commands are made (which checks them) and resolved, and players of the next phase are made.
    """
    area = generate_map()
    players = [
        Player(name, area, [{"territory_name": unit.position, "unit_type": unit.unit_type} for unit in units])
        for name, units in generate_starting_player_units().items()
    ]

    def phase() -> int:
        commands = [MoveCommand(player, unit, OPENING[unit.position]) for player in players for unit in player.units]
        after = resolve_retreats(resolve_turn(area, commands), [])
        # Players are what the next phase wants: without them a position would come in and none go out.
        for name, units in after.items():
            Player(name, area, [{"territory_name": unit.position, "unit_type": unit.unit_type} for unit in units])
        return 1

    return lambda budget: spend(budget, phase)


if __name__ == "__main__":
    main({"phase": adjudicate})
