"""What a server could try with the line-ups and boards of teams; rows of the tables in `attacks`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.audit.draws import ListedEntrant
from tests.audit.attacks import Case, attack, honest
from tests.audit.attacks_on_draws import NOT_SEEN, ended
from tests.audit.tournament_server import OUT, TournamentServer, standing

PEOPLE = {"e1": ("e2", 1600), "e3": ("e2", 1501), "e4": ("e5", 1500), "e6": ("e5", 1480), "e7": ("e5", 1400)}
"""Members with their teams and strengths."""
LISTED = (ListedEntrant(2, 1550), ListedEntrant(5, 1460))
LINE_UPS = ((2, (1, 3)), (5, (6, 4)))
GOOD = ((1, "e1", "e6", "cup60-r1-01"), (2, "e4", "e3", "cup60-r1-02"))
Pairs = tuple[tuple[Any, ...], ...]


def entered(server: TournamentServer | None = None) -> TournamentServer:
    """Two teams, of two and of three."""
    server = server or TournamentServer()
    server.found()
    for team in ("e2", "e5"):
        server.tell("team", entrant=team, round=1)
    for name, (team, strength) in PEOPLE.items():
        if name not in ("e1", "e3", "e4"):
            server.enter(int(name[1:]), strength)
        server.tell("member", entrant=name, team=team)
    return server


class Teams(TournamentServer):
    """A server of a tournament of teams: those of `found` are members with the strengths of PEOPLE."""

    def enter(self, number: int, strength: int, since: int = 1) -> None:
        name = f"e{number}"
        if name in PEOPLE:
            super().enter(number, PEOPLE[name][1], since)


def round_of(
    pairs: Pairs = GOOD, after: Callable[[TournamentServer], None] = lambda server: None, **other: Any
) -> Case:
    """A round that is shut, drawn and paired; `other` is said of its list, `after` is done at its end."""
    server = entered(Teams())
    items = [server.post(letter="welcome")]
    fields = {"entrants": LISTED, "boards": 2, "lineups": LINE_UPS, **other}
    slate = server.shut(server.list_of(**fields))
    items.append(server.post(OUT - 100))
    server.lot(slate)
    for pair in pairs:
        server.pair(*pair)
    after(server)
    standing(server)
    return ended(server, items)


def trying(**how: Any) -> Callable[[], Case]:
    return lambda: round_of(**how)


@honest("a match of two teams", **NOT_SEEN)
def _() -> Case:
    return round_of()


@honest("a match in which a reserve takes the seat of his comrade, who has left", **NOT_SEEN)
def _() -> Case:
    def after(server: TournamentServer) -> None:
        server.pair(1, "e1", "e7", "cup60-r1-01")
        server.tell("leave", entrant="e6", round=2, why="replaced")

    return round_of(after=after)


@honest("a match with a board that one team has nobody for", **NOT_SEEN)
def _() -> Case:
    server = entered(Teams())
    items = [server.post(letter="welcome")]
    server.tell("leave", entrant="e3", round=1, why="rest")
    slate = server.shut(server.list_of(entrants=LISTED, boards=2, lineups=((2, (1,)), (5, (4, 6)))))
    items.append(server.post(OUT - 100))
    server.lot(slate)
    server.pair(1, "e1", "e4", "cup60-r1-01")
    server.pair(2, "e6")
    server.score(2, "-", "-", how="forfeit", margin=0)
    standing(server)
    return ended(server, items)


attack("a line-up that is changed after the list was shut", "draws")(
    trying(pairs=((1, "e3", "e6", "cup60-r1-01"), (2, "e4", "e1", "cup60-r1-02")))
)
attack("a reserve who sits where another was lined up", "draws")(
    trying(pairs=((1, "e1", "e7", "cup60-r1-01"), GOOD[1]))
)
attack("sides are exchanged at a board", "draws")(trying(pairs=(GOOD[0], (2, "e3", "e4", "cup60-r1-02"))))
attack("a board of a match is missing", "draws")(trying(pairs=GOOD[:1]))
attack("the first board of a match is missing", "draws")(trying(pairs=GOOD[1:]))
attack("a board more than there are line-ups for", "draws")(
    trying(pairs=(*GOOD, (4, "e7", "e3", "cup60-r1-04")), lineups=LINE_UPS)
)
attack("a member of another team is lined up", "draws")(
    trying(
        lineups=((2, (1, 7)), (5, (6, 4))),
        pairs=((1, "e1", "e6", "cup60-r1-01"), (2, "e4", "e7", "cup60-r1-02")),
    )
)
attack("a line-up that leaves a board empty that a member could have", "draws")(
    trying(lineups=((2, (1,)), (5, (6, 4))), pairs=(GOOD[0], (2, "e4")))
)
attack("a team of another strength than its members", "draws")(trying(entrants=(ListedEntrant(2, 1551), LISTED[1])))
attack("a team that is not listed", "draws")(trying(entrants=LISTED[:1], lineups=LINE_UPS[:1], pairs=((1, "e2"),)))
attack("a team that rests by its list while it has members", "draws")(trying(away=(5,), pairs=((1, "e2"),)))
attack("a seat that is given to one of the other team", "draws")(
    trying(after=lambda server: server.pair(1, "e7", "e6", "cup60-r1-01"))
)


@attack("a member who plays for two teams", "draws")
def _() -> Case:
    server = entered(Teams())
    server.tell("member", entrant="e3", team="e5")
    items = [server.post(letter="welcome")]
    listed = (ListedEntrant(2, 1600), ListedEntrant(5, 1470))
    slate = server.shut(server.list_of(entrants=listed, boards=2, lineups=((2, (1,)), (5, (6, 4)))))
    items.append(server.post(OUT - 100))
    server.lot(slate)
    server.pair(1, "e1", "e6", "cup60-r1-01")
    server.pair(2, "e4")
    standing(server)
    return ended(server, items)
