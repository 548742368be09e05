"""What a seed is: the rules of a tournament, and what becomes of each who plays in it."""

from __future__ import annotations

import re
from random import Random
from typing import NamedTuple

NAMES = (
    "Ana",
    "Idris",
    "Luis",
    "Marta",
    "Noor",
    "Bea",
    "Carl",
    "Dina",
    "Emil",
    "Fatima",
    "Gil",
    "Hana",
    "Ivo",
    "Jana",
    "Karim",
    "Lola",
    "Mia",
    "Nils",
    "Olga",
)
_ZONES = ("Europe/Madrid", "Africa/Casablanca", "America/New_York", "Asia/Tokyo", "UTC")
_HEAD = """
title = "Training Cup"
zone = "{zone}"
[entry]
places = {places}
waiting = {waiting}
closes = "2030-01-12"
late_rounds = {late}
seeds = "{seeds}"
[table]
scenario = "drill"
bank_hours = {bank}
step_hours = 24
[round]
days = {days}
list_hours = 12
start_hours = {start}
gap_hours = 12
[left]
here_hours = {here}
offer_hours = {offer}
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
[prizes]
1 = "A book"
"best:<1501" = "A print"
"""
FORMATS: dict[str, tuple[int, str]] = {
    "swiss, knockout": (
        10,
        'format = "swiss"\nrounds = 3\n{sides}\n[[stage]]\nformat = "knockout"\ntake = 4\nsides = "mirror"',
    ),
    "swiss": (9, 'format = "swiss"\nrounds = 3\n{sides}'),
    "robin": (6, 'format = "robin"\n{sides}'),
    "robin twice": (4, 'format = "robin"\ndouble = true\n{sides}'),
    "knockout": (9, 'format = "knockout"\n{sides}'),
    "double": (7, 'format = "double"\n{sides}'),
    "ladder": (7, 'format = "ladder"\nrounds = 3\n{sides}'),
    "league": (8, 'format = "league"\ndivisions = 2\n{sides}'),
    "robin, double": (5, 'format = "robin"\n{sides}\n[[stage]]\nformat = "double"\ntake = 4'),
}
"""How many play, and the stages, by what they are called here."""
TEAMS = ("swiss", "robin", "knockout", "double")
"""The formats of the last four seeds of fifty, in which teams of three play at two boards."""
TEAM_NAMES = ("Lions", "Bears", "Foxes", "Hares", "Storks")
_SIDES = ("balanced", "mirror", "duplicate", "bid", "lot")
_UNFINISHED = ('"points:1", "jury", "draw"', '"points:2", "continue:10:60%", "draw"', '"jury", "draw"', '"draw"')


class Part(NamedTuple):
    """Somebody: how many hours he takes for a letter, and what becomes of him.

    `silent` is the round in which he falls silent, 0 for never, and `back` whether he hears of it when he is asked.
    `rests`, `leaves` and `goes` are rounds: one rested, the last one, and one in which he goes at once; `returns` says
    whether he comes back from that. `comes` is the round after whose draw he asks for a place, 0 before all.
    """

    name: str
    language: str
    zone: str
    soonest: float
    latest: float
    silent: int = 0
    back: bool = False
    rests: int = 0
    leaves: int = 0
    goes: int = 0
    returns: bool = False
    comes: int = 0
    declines: bool = False
    ignores: bool = False
    quarrels: float = 0.0
    team: str = ""
    mutes: int = 0

    @property
    def address(self) -> str:
        """His mailbox."""
        return f"{self.name.lower()}@players.example"


class Setting(NamedTuple):
    """A seed: what it is called, its rules, who plays, how often its director rules; he reads and is silent at 0.

    The `agenda` are lines that he writes, one a letter; after HANDOVER his `successor` directs.
    """

    name: str
    rules: str
    people: tuple[Part, ...]
    rulings: float
    agenda: tuple[str, ...] = ()
    successor: str = ""


def setting(seed: int) -> Setting:
    """The setting of a seed: formats and sides in turn, all else by chance."""
    chance = Random(f"setting {seed}")
    name, (least, stages) = list(FORMATS.items())[seed % len(FORMATS)]
    sides = _SIDES[seed // len(FORMATS) % len(_SIDES)]
    places, waiting = least + chance.randrange(3), chance.randrange(4)
    unfinished = chance.choice(_UNFINISHED)
    head = _HEAD.format(
        zone=chance.choice(_ZONES),
        places=places,
        waiting=waiting,
        late=chance.randrange(3),
        seeds=chance.choice(("rating", "entry", "lot")),
        bank=chance.choice((24, 48, 96)),
        days=chance.choice((0, 5, 8)),
        start=chance.choice((12, 36)),
        here=chance.choice((12, 24, 48)),
        offer=chance.choice((12, 24)),
        ask=chance.choice(("director", "")),
        unfinished=unfinished,
    )
    rules = f"{head}[[stage]]\n" + stages.format(sides=f'sides = "{sides}"{_battle(seed)}') + "\n"
    count = min(len(NAMES), places + waiting + chance.randrange(-2, 3))
    people = tuple(any_part(chance, order) for order in range(count))
    rulings = chance.choice((0, 0, 0.2))
    if seed % 50 >= 50 - len(TEAMS):
        name, sides, rules = TEAMS[seed % len(TEAMS)], "teams", of_teams(head, FORMATS[TEAMS[seed % len(TEAMS)]][1])
        members = [(any_part(chance, order), team) for order, team in enumerate(3 * TEAM_NAMES)]
        people = tuple(part._replace(team=team, comes=0) for part, team in members)
    return Setting(f"{name}, {sides}", rules, _fallen_silent(seed, people), rulings)


def _battle(seed: int) -> str:
    """How a stage finds its battles: by lot or by choice in two of three seeds."""
    word = ("", "lot", "choice")[seed % 3]
    return f'\nscenarios = ["drill", "brigades"]\nbattle = "{word}"' if word else ""


def of_teams(head: str, stages: str) -> str:
    """The same rules for five teams of three."""
    for key, value in (("places", 5), ("waiting", 0), ("gap_hours", 60)):
        head = re.sub(rf"^{key} = .*$", f"{key} = {value}", head, flags=re.MULTILINE)
    return f"{head}[teams]\nboards = 2\nreserves = 1\n[[stage]]\n" + stages.format(sides='sides = "balanced"') + "\n"


def _fallen_silent(seed: int, people: tuple[Part, ...]) -> tuple[Part, ...]:
    """The people of every other seed, of whom some or all fall silent, in the first round or later."""
    chance = Random(f"silent {seed}")
    share, latest = chance.choice((0.3, 0.6, 0.8, 1)), chance.choice((1, 3))
    if seed % 2:
        return people
    return tuple(
        part._replace(silent=1 + chance.randrange(latest), back=False) if chance.random() < share else part
        for part in people
    )


def any_part(chance: Random, order: int) -> Part:
    """The part of somebody, by chance; the first of a list never comes late."""
    soonest = chance.choice((0.5, 1, 6))
    part = Part(
        NAMES[order],
        ("en", "es")[chance.random() < 0.3],
        chance.choice(_ZONES),
        soonest,
        soonest + chance.choice((4, 12, 40)),
        declines=chance.random() < 0.3,
        ignores=chance.random() < 0.2,
        quarrels=chance.choice((0, 0, 0.2)),
    )
    when = 1 + chance.randrange(3)
    what = chance.choice(("", "", "", "silent", "away", "rests", "leaves", "goes", "returns", "late"))
    if what in ("silent", "away"):
        return part._replace(silent=when, back=what == "away")
    if what in ("goes", "returns"):
        return part._replace(goes=when, returns=what == "returns")
    if what == "late":
        return part._replace(comes=1) if order else part
    if what == "rests":
        return part._replace(rests=when + 1)
    return part._replace(leaves=when) if what else part
