"""What a server could try after a draw: pairs and scores bent, acts behind rulings about something else.

Rows of the tables in `attacks`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pbem.audit.draws import ListedEntrant
from pbem.engine.data.canon import dumps
from tests.audit.attacks import HONEST, Case, attack, honest
from tests.audit.attacks_on_draws import NOT_SEEN, ended
from tests.audit.attacks_on_lists import WHO, Stating
from tests.audit.small_server import Item
from tests.audit.tournament_server import TABLES

LATE = {**NOT_SEEN, "timing": "NOT CHECKED"}
"""Nothing shows, besides, that the list was shut in time."""
ROUND = ((1, "e1", "e2", TABLES[0]), (2, "e4", "e3", "cup60-r1-02"))


class Bidding(Stating):
    """A tournament whose sides are bid for."""

    rules_text = dumps(
        {"entry": {"seeds": "rating"}, "stage": [{"format": "swiss", "sides": "bid"}], "teams": {"boards": 0}}
    )


def playing(
    server: Stating | None = None, before: Callable[[Stating], None] | None = None, **other: Any
) -> tuple[Stating, list[Item]]:
    """A round that is drawn; `before` is done before its list is shut, of which `other` is said."""
    server = server or Stating()
    server.found()
    items = [server.post(letter="welcome")]
    if before is not None:
        before(server)
    drawn_as(server, ROUND, **({"entrants": WHO} | other))
    return server, items


def drawn_as(server: Stating, pairs: Sequence[tuple[int, str, str, str]], attempt: int = 1, **other: Any) -> None:
    """The list is shut, lots are drawn, and these are paired."""
    slate = server.shut(server.list_of(attempt, **other))
    server.lot(slate)
    for pair in pairs:
        server.pair(*pair, attempt)


def of_round(after: Callable[[Stating], None], **how: Any) -> Callable[[], Case]:
    """A round that is drawn, and what is done after it."""

    def make() -> Case:
        server, items = playing(**how)
        after(server)
        return ended(server, items)

    return make


def twice(text: str | None) -> Callable[[Stating], None]:
    """The round is drawn a second time behind a verdict; no letter has its text if there is none."""

    def after(server: Stating) -> None:
        if text is None:
            server.tell("verdict", number=1, text=f"sha256:{'0' * 64}")
        else:
            server.rule(text)
        named = tuple((*pair[:3], pair[3].replace("r1", "r1b")) for pair in ROUND)
        drawn_as(server, named, attempt=2, entrants=WHO)

    return after


honest("a round that is drawn again by the ruling", **LATE)(
    of_round(twice("1. REDRAW R1 BECAUSE the lots came too early"))
)
honest("a round that is drawn again by a ruling that is in no letter", **LATE)(of_round(twice(None)))
for _text in (
    "1. EXTEND R1 48H BECAUSE the mail was down",
    "1. REDRAW R2 BECAUSE the mail was down",
    "1. REDRAW R11 BECAUSE the mail was down",
    "1. DENY BECAUSE REDRAW R1 BECAUSE nobody agreed",
):
    attack(f"a round that is drawn again behind: {_text}", "draws")(of_round(twice(_text)))


def paired_anew(board: int, first: str, second: str, table: str) -> Callable[[Stating], None]:
    return lambda server: server.pair(board, first, second, table)


exchanged = paired_anew(1, "e2", "e1", TABLES[0])
honest("sides that were bid for", **LATE)(lambda: of_round(exchanged, server=Bidding())())
attack("sides that are exchanged after the draw", "draws")(of_round(exchanged))
attack("a table that is begun again under another name", "draws")(of_round(paired_anew(2, "e4", "e3", "cup60-r1-002")))


@attack("a substitute on the other side than he whose place he takes", "draws")
def _() -> Case:
    server, items = playing()
    server.stated = {**server.stated, 5: ListedEntrant(5, 1400)}  # type: ignore[misc]
    server.enter(5, 1400)
    server.pair(2, "e3", "e5", "cup60-r1-02")
    server.tell("leave", entrant="e4", round=2, why="replaced")
    return ended(server, items)


def scored(table: str, halves: str, how: str = "played") -> Callable[[Stating], None]:
    def after(server: Stating) -> None:
        if table == "-":
            server.pair(3, "e2")
        server.score(3 if table == "-" else 2, table, "-" if table == "-" else "1" * 64, halves=halves, how=how)

    return after


for _halves in ("2 0", "0 2", "1 1", "0 0"):
    honest(f"a table that counts {_halves}", **LATE)(of_round(scored("cup60-r1-02", _halves)))
for _halves in ("4 0", "2 2", "1 0", "3 1"):
    attack(f"a table that counts {_halves}", "draws")(of_round(scored("cup60-r1-02", _halves)))
for _halves, _how in (
    ("4 0", "rest"),
    ("2 0", "absent"),
    ("6 0", "bye"),
    ("24 0", "bye"),
    ("2 0", "void"),
    ("2 2", "bye"),
):
    attack(f"a round passed by {_how} that counts {_halves}", "draws")(of_round(scored("-", _halves, _how)))


def turned(text: str) -> Callable[[Stating], None]:
    """A table is scored the other way round behind a verdict."""

    def after(server: Stating) -> None:
        scored("cup60-r1-02", "2 0")(server)
        server.rule(text)
        scored("cup60-r1-02", "0 2")(server)

    return after


for _text in (
    "1. RULING D1 UPHOLD BECAUSE of a letter that was lost",
    "1. D1 UPHOLD BECAUSE 2 of 3 voted so",
    "1. RULING D1 FORFEIT BECAUSE he looked at his orders",
    "1. CORRECT cup60-r1-02 spain BECAUSE it was misread",
    "1. UNDO 3 BECAUSE it was right at first",
):
    honest(f"a score that is turned round by: {_text}", **LATE)(of_round(turned(_text)))
for _text in (
    "1. EXTEND R1 48H BECAUSE the mail was down",
    "1. BAR 1 3 BECAUSE D1 UPHOLD BECAUSE they are brothers",
    "1. CORRECT cup60-r1-01 spain BECAUSE another table was misread",
):
    attack(f"a score that is turned round behind: {_text}", "draws")(of_round(turned(_text)))


def again(server: Stating) -> None:
    """One who is in is said to enter once more, with other hours and another zone."""
    server.stated = {**server.stated, 2: WHO[1]._replace(pace=6, zone=-600)}  # type: ignore[misc]
    server.enter(2, 1580)


OTHERS = (WHO[0], WHO[1]._replace(pace=6, zone=-600), *WHO[2:])


def back(server: Stating) -> None:
    server.tell("leave", entrant="e2", round=1, why="withdrew")
    again(server)


attack("one who is in enters again, with other hours", "draws")(
    of_round(lambda server: None, before=again, entrants=OTHERS)
)
honest("one who had left enters again", **LATE)(of_round(lambda server: None, before=back, entrants=OTHERS))


def expelled(text: str) -> Case:
    """One is expelled, and away in the list."""
    server = Stating()
    server.found()
    items = [server.post(letter="welcome")]
    if text:
        server.rule(text)
    server.tell("leave", entrant="e2", round=1, why="expelled")
    server.shut(server.list_of(entrants=WHO, away=(2,)))
    return ended(server, items)


HONEST["one who is expelled by a ruling"] = {}, lambda: expelled("1. EXPEL E2 BECAUSE of what he wrote")
attack("one who is expelled without a ruling", "draws")(lambda: expelled(""))
attack("one who is expelled by a ruling about another", "draws")(lambda: expelled("1. EXPEL 22 BECAUSE of his dog"))
