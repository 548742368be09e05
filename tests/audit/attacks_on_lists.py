"""Every value of a list of a draw, each changed: of version 2 on leaves before say all of them; rows for `attacks`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from pbem.audit.blocks import sha256_hex
from pbem.audit.draws import DrawList, ListedEntrant
from pbem.engine.data.canon import dumps
from tests.audit.attacks import Case, attack, doubt, honest
from tests.audit.attacks_on_draws import NOT_SEEN, ended
from tests.audit.attacks_on_teams import GOOD, LINE_UPS, PEOPLE
from tests.audit.tournament_server import OUT, TABLES, TournamentServer, paired, played, reported

WHO = (
    ListedEntrant(1, 1600, 24, 60),
    ListedEntrant(2, 1580, 48),
    ListedEntrant(4, 1500, 24, -300, 2),
    ListedEntrant(3, 1490),
)
TEAMS = (ListedEntrant(2, 1550, 48, 60, 1), ListedEntrant(5, 1460, 24, -120))
BARRED = "1. BAR 1 e3 BECAUSE they are brothers"
OTHER: dict[str, Any] = {
    "number": 9,
    "strength": 1501,
    "pace": 36,
    "zone": 30,
    "halves": 1,
    "team": "lions",
    "since": 2,
}
"""Another value for each field of an entrant."""


class Stating(TournamentServer):
    """A server whose leaves say all that its lists have."""

    version = 2
    rules_text = dumps(
        {"entry": {"seeds": "rating"}, "stage": [{"format": "swiss", "rounds": 4}], "teams": {"boards": 0}}
    )
    stated: ClassVar[dict[int, ListedEntrant]] = {entrant.number: entrant for entrant in WHO}

    def enter(self, number: int, strength: int, since: int = 1) -> None:
        entrant, none = self.stated[number], "0" * 64
        fields = {
            "person": f"hmac:{none}",
            "accepted": f"sha256:{none}",
            "strength": entrant.strength,
            "round": entrant.since,
        }
        self.tell("enter", entrant=f"e{number}", **fields, pace=entrant.pace, zone=entrant.zone, halves=entrant.halves)

    def rule(self, text: str) -> None:
        self.opens(text)
        number = int(text.partition(".")[0])
        self.tell("verdict", number=number, text=f"sha256:{sha256_hex(text.encode())}")


class StatingTeams(Stating):
    """The same of teams, of which the second has a line-up that its captain wrote."""

    rules_text = dumps(
        {"entry": {"seeds": "entry"}, "stage": [{"format": "swiss", "rounds": 4}], "teams": {"boards": 2}}
    )
    stated: ClassVar[dict[int, ListedEntrant]] = {
        int(name[1:]): ListedEntrant(
            int(name[1:]), strength, 48 if name == "e3" else 24, {"e1": 60, "e4": -120}.get(name, 0)
        )
        for name, (_, strength) in PEOPLE.items()
    }

    def found(self) -> None:
        self.opens(self.rules_text)
        self.tell("found", rules=f"sha256:{sha256_hex(self.rules_text.encode())}", name="cup60", version=2)
        for listed_team in TEAMS:
            self.tell("team", entrant=f"e{listed_team.number}", round=1, halves=listed_team.halves)
        for name, (team, _) in PEOPLE.items():
            self.enter(int(name[1:]), 0)
            self.tell("member", entrant=name, team=team)
        self.tell("lineup", team="e5", round=1, boards="e6 e4")


def waits(closed: DrawList) -> dict[str, str]:
    """What the leaf that shuts a list says of the beacon."""
    chain, _, number = closed.beacon.partition(" ")
    return {"chain": chain, "beacon": number}


def of_people(change: Callable[[DrawList], DrawList], *rulings: str) -> Case:
    """A round of people whose list is changed, after some rulings."""
    server = Stating()
    server.found()
    for text in (BARRED, *rulings):
        server.rule(text)
    items = [server.post(letter="welcome")]
    closed = server.list_of(entrants=WHO, barred=((1, 3),))
    slate = server.shut(change(closed), **waits(closed))
    items.append(server.post(OUT - 100))
    server.lot(slate)
    server.pair(1, "e1", "e2", TABLES[0])
    server.pair(2, "e4", "e3", "cup60-r1-02")
    return ended(server, items)


def of_teams(change: Callable[[DrawList], DrawList]) -> Case:
    """A round of teams whose list is changed."""
    server = StatingTeams()
    server.found()
    items = [server.post(letter="welcome")]
    closed = server.list_of(entrants=TEAMS, boards=2, lineups=LINE_UPS)
    slate = server.shut(change(closed), **waits(closed))
    items.append(server.post(OUT - 100))
    server.lot(slate)
    for pair in GOOD:
        server.pair(*pair)
    return ended(server, items)


honest("a list of which leaves say everything", **NOT_SEEN)(lambda: of_people(lambda closed: closed))
honest("a list of teams of which leaves say everything", **NOT_SEEN)(lambda: of_teams(lambda closed: closed))


SEEDED = "2. SEED E3 1700, 2 1550 BECAUSE of the club's list"
UNDONE = "3. UNDO 2 BECAUSE it was another"


def seeded(closed: DrawList) -> DrawList:
    """The list by the seeds of a ruling."""
    first, second, fourth, third = closed.entrants
    ranked = (third._replace(strength=1700), first, second._replace(strength=1550), fourth)
    return closed._replace(entrants=ranked)


honest("a list by seeds that a ruling gave", **NOT_SEEN)(lambda: of_people(seeded, SEEDED))
honest("a list after seeds that were taken back", **NOT_SEEN)(lambda: of_people(lambda draw: draw, SEEDED, UNDONE))
honest("a list after a pair that is barred no more", **NOT_SEEN)(
    lambda: of_people(lambda draw: draw._replace(barred=()), "2. UNDO 1 BECAUSE they are not")
)
attack("a list by seeds that nobody gave", "draws")(lambda: of_people(seeded))
attack("a list without the seeds that a ruling gave", "draws")(lambda: of_people(lambda draw: draw, SEEDED))
attack("a list by seeds that were taken back", "draws")(lambda: of_people(seeded, SEEDED, UNDONE))
attack("a list that bars a pair that is barred no more", "draws")(
    lambda: of_people(lambda draw: draw, "2. UNDO 1 BECAUSE they are not")
)


def changes(closed: DrawList) -> Iterator[tuple[str, DrawList]]:
    """Lists that differ from one in a single value, each with the name of that."""
    for index, entrant in enumerate(closed.entrants):
        for key, value in OTHER.items():
            if value != getattr(entrant, key):
                changed: Any = entrant._replace(**{key: value})
                kept = (
                    {pair for pair in closed.barred if entrant.number not in pair} if key == "number" else closed.barred
                )
                lineups = tuple(
                    (9 if key == "number" and team == entrant.number else team, some) for team, some in closed.lineups
                )
                entrants = (*closed.entrants[:index], changed, *closed.entrants[index + 1 :])
                rest: dict[str, Any] = {"barred": tuple(sorted(kept)), "lineups": lineups}
                yield f"e{entrant.number} {key}", closed._replace(entrants=entrants, **rest)
    others: dict[str, Any] = {
        "game": "event/cup61",
        "round": 2,
        "attempt": 2,
        "stage": 2,
        "rules": "sha256:" + "1" * 64,
        "beacon": "none",
        "entrants": tuple(reversed(closed.entrants)),
        "away": (closed.entrants[0].number,),
        "barred": () if closed.barred else ((2, 5),),
        "challenges": ((closed.entrants[0].number, closed.entrants[1].number),),
        "boards": 3 if closed.boards else 2,
        "lineups": (closed.lineups[0], (5, (4, 6))) if closed.lineups else (),
    }
    for key, value in others.items():
        lineups = closed.lineups
        if key == "entrants":
            lineups = tuple(reversed(lineups))
        if key == "boards" and not lineups:
            lineups = tuple((entrant.number, ()) for entrant in closed.entrants)
        if value != getattr(closed, key):
            yield key, closed._replace(**{"lineups": lineups, key: value})


def changed(make: Callable[[Callable[[DrawList], DrawList]], Case], name: str) -> Callable[[], Case]:
    return lambda: make(lambda closed: dict(changes(closed))[name])


def names(closed: DrawList) -> list[str]:
    return [name for name, _ in changes(closed)]


PEOPLES = names(Stating().list_of(entrants=WHO, barred=((1, 3),)))
TEAM_LISTS = names(StatingTeams().list_of(entrants=TEAMS, boards=2, lineups=LINE_UPS))
for value in PEOPLES:
    attack(f"a list whose {value} no leaf says", "round" if value == "beacon" else "draws")(changed(of_people, value))
for value in TEAM_LISTS:
    check = "round" if value == "beacon" else "draws"
    attack(f"a list of teams whose {value} no leaf says", check)(changed(of_teams, value))


def in_doubt(server: Stating) -> Case:
    """A round that is drawn, and a phase of one of its tables."""
    _, items = paired(server, entrants=WHO)
    played(server, items)
    server.deal()
    return Case(reported(server, items))


class Ruled(Stating):
    def found(self) -> None:
        super().found()
        self.tell("verdict", number=1, text="sha256:" + "0" * 64)


doubt("a list after a ruling that is in no letter", "draws", "B")(lambda: in_doubt(Ruled()))


class Newer(Stating):
    version = 3


doubt("a tournament of a version that is not known", "draws", "B")(lambda: in_doubt(Newer()))
