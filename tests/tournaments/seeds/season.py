"""A season: two cups, a league and a team event at once, as a club has them in a year.

In each the two at the second board of a round say nothing. There are holidays; for three days the mailbox cannot be
read; the director of the first cup hands it over in the middle; the director of the teams stops all clocks once.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from tests.tournaments.seeds.settings import NAMES, TEAM_NAMES, Part, Setting, any_part, of_teams
from tests.tournaments.seeds.town import START

_HEAD = """
title = "{title}"
zone = "Europe/Madrid"
[entry]
places = {places}
waiting = 2
closes = "{closes}"
late_rounds = 1
[table]
scenario = "drill"
bank_hours = 48
step_hours = 24
[round]
days = {days}
list_hours = 12
start_hours = 12
gap_hours = 24
[left]
here_hours = 24
offer_hours = 12
ask = "{ask}"
ask_hours = 12
[unfinished]
order = [{unfinished}]
[disputes]
director_hours = 24
jury_hours = 24
appeal_hours = 24
[rating]
pool = "drill"
[[holidays]]
first = "2030-02-{holidays:02}"
last = "2030-02-{last:02}"
"""
_STAGES = {
    "cup60": 'format = "swiss"\nrounds = 3\nsides = "balanced"\n[[stage]]\nformat = "knockout"\ntake = 4\n{sides}',
    "cup61": 'format = "double"\n{sides}',
    "league62": 'format = "league"\ndivisions = 2\n{sides}',
    "team63": 'format = "swiss"\nrounds = 3\n{sides}',
}
_PLACES = {"cup60": 10, "cup61": 8, "league62": 8, "team63": 5}
_SILENT_BOARD = 2
"""The board whose two say nothing, in all rounds that have it; a final has one."""
_SUCCESSOR = "teo@players.example"


class Season(NamedTuple):
    """The tournaments of a season by name, and the beginning and end of the time in which no letter comes in."""

    cups: dict[str, Setting]
    outage: tuple[datetime, datetime]


def season(seed: int) -> Season:
    """The season of a seed: formats as they are, sides, days, people and the outage by chance."""
    chance = Random(f"season {seed}")
    cups = {}
    for cup, stages in _STAGES.items():
        sides = 'sides = "' + chance.choice(("balanced", "mirror", "lot")) + '"'
        holidays = chance.randrange(1, 20)
        head = _HEAD.format(
            title=f"Cup of {seed}",
            places=_PLACES[cup],
            closes=f"2030-01-{chance.randrange(11, 20)}",
            days=chance.choice((5, 8)),
            ask=chance.choice(("director", "")),
            unfinished=chance.choice(('"points:1", "jury", "draw"', '"jury", "draw"', '"draw"')),
            holidays=holidays,
            last=holidays + chance.randrange(8),
        )
        rules = of_teams(head, stages) if cup == "team63" else f"{head}[[stage]]\n{stages.format(sides=sides)}\n"
        cups[cup] = Setting(cup, rules, _people(chance, cup), 0, *_office(cup))
    begins = START + timedelta(days=chance.randrange(14, 40), hours=chance.randrange(24))
    return Season(cups, (begins, begins + timedelta(days=3)))


def _people(chance: Random, cup: str) -> tuple[Part, ...]:
    if cup == "team63":
        members = [(any_part(chance, order), team) for order, team in enumerate(3 * TEAM_NAMES)]
        return tuple(part._replace(team=team, comes=0, mutes=_SILENT_BOARD) for part, team in members)
    parts = [any_part(chance, order) for order in chance.sample(range(len(NAMES)), _PLACES[cup] + chance.randrange(3))]
    return tuple(part._replace(mutes=_SILENT_BOARD, quarrels=max(part.quarrels, 0.1)) for part in parts)


def _office(cup: str) -> tuple[tuple[str, ...], str]:
    """What the director writes, a line a letter, and who directs after him."""
    if cup == "cup60":
        return ("ANNOUNCE The second round begins soon.", f"HANDOVER {_SUCCESSOR}"), _SUCCESSOR
    if cup == "team63":
        return ("PAUSE UNTIL {soon:%Y-%m-%d}",), ""
    return (), ""
