"""The public lists of tournaments, of a draw and of a board: one way to write each, and nothing else is read."""

import pytest

from pbem.audit import boards, draws
from pbem.audit.blocks import Malformed
from pbem.audit.boards import BoardBlock, BoardName
from pbem.audit.draws import DrawList, ListedEntrant

HASH = "0123456789abcdef" * 4
EVENT = "event/cup60"
DRAW = DrawList(
    EVENT,
    2,
    1,
    1,
    f"sha256:{HASH}",
    f"{HASH} 123",
    (
        ListedEntrant(7, 1560, 48, -300, 2, "lions", 2),
        ListedEntrant(3),
        ListedEntrant(9, 1499),
        *map(ListedEntrant, (1, 2, 4, 5)),
    ),
    away=(7, 9),
    barred=((3, 7), (3, 9)),
    challenges=((2, 1), (4, 3)),
)
WRITTEN = f"""pbemdice/v1/draw
game event/cup60
round r2
attempt 1
stage 1
rules sha256:{HASH}
beacon {HASH} 123
entrant e7 1560 48 -300 2 lions 2
entrant e3 1500 24 0 0 - 1
entrant e9 1499 24 0 0 - 1
entrant e1 1500 24 0 0 - 1
entrant e2 1500 24 0 0 - 1
entrant e4 1500 24 0 0 - 1
entrant e5 1500 24 0 0 - 1
away e7 e9
barred e3-e7 e3-e9
challenge e2 e1
challenge e4 e3
""".encode()
NAME = BoardName("cup60-r2-03", "T3.spain~1", 1)
BOARD = BoardBlock(EVENT, NAME, (("cup60-r2-03a", HASH), ("cup60-r2-03b", "-")), "none")
LAID = f"""pbemdice/v1/board
game event/cup60
board cup60-r2-03/T3.spain~1/1
table cup60-r2-03a {HASH}
table cup60-r2-03b -
beacon none
""".encode()


def test_a_list_of_a_draw_is_written_and_read_back():
    assert draws.write_draw(DRAW) == WRITTEN
    assert draws.parse_draw(WRITTEN) == DRAW
    alone = DRAW._replace(away=(), barred=(), challenges=(), beacon="none")
    assert draws.write_draw(alone).endswith(b"\naway -\nbarred -\n")
    assert draws.parse_draw(draws.write_draw(alone)) == alone


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"v1/draw", b"v1/slate", "no list of a draw"),
        (b"event/cup60", b"cup60", "names a tournament"),
        (b"round r2", b"round 2", "a round r1"),
        (b"round r2", b"round r0", "a round r1"),
        (b"attempt 1", b"attempt 0", "attempt and a stage"),
        (b"stage 1\n", b"", "says game round"),
        (b"beacon ", b"beacon none ", "a beacon with its round"),
        (b" 123", b" 0", "a beacon with its round"),
        (b"rules sha256", b"rules hmac", "the digest of the rules"),
        (b"entrant e3", b"entrant e7", "twice"),
        (b"entrant e3", b"entrant t3", "an entrant has"),
        (b"-300", b"-0", "an entrant has"),
        (b"-300", b"+300", "an entrant has"),
        (b" lions 2", b" lions", "an entrant has"),
        (b"1499 24 0 0", b"1499 24 0 0.5", "an entrant has"),
        (b"away e7 e9", b"away e9 e7", "order of numbers"),
        (b"away e7 e9", b"away e7 e7", "order of numbers"),
        (b"away e7 e9", b"away e7 e8", "not in its list"),
        (b"away e7 e9", b"away - e7", "order of numbers"),
        (b"barred e3-e7 e3-e9", b"barred e3-e9 e3-e7", "the lower first"),
        (b"barred e3-e7", b"barred e7-e3", "the lower first"),
        (b"barred e3-e7", b"barred e3-e3", "the lower first"),
        (b"barred e3-e7", b"barred e3-e8", "not in its list"),
        (b"barred e3", b"bar e3", "says game round"),
        (b"challenge e2 e1", b"challenge e2", "who challenges, and whom"),
        (b"challenge e2 e1", b"challenge e2 e0", "who challenges, and whom"),
        (b"challenge e2 e1", b"challenge e2 e7", "nobody who is away"),
        (b"challenge e2 e1", b"challenge e2 e2", "nobody in two"),
        (b"challenge e2 e1", b"challenge e2 e3", "nobody in two"),
        (b"challenge e2 e1", b"challenge e2 e8", "nobody who is away"),
        (b"challenge e2 e1\nchallenge e4 e3\n", b"challenge e4 e3\nchallenge e2 e1\n", "in the order of challengers"),
        (b"away e7 e9\nbarred", b"challenge e2 e1\naway e7 e9\nbarred", "away, barred and challenges"),
    ],
)
def test_lists_of_draws_that_are_none(old, new, why):
    assert old in WRITTEN
    with pytest.raises(Malformed, match=why):
        draws.parse_draw(WRITTEN.replace(old, new, 1))


def test_a_list_of_a_draw_without_anybody_is_none():
    with pytest.raises(Malformed, match="an entrant or more"):
        draws.write_draw(DRAW._replace(entrants=(), away=(), barred=(), challenges=()))
    with pytest.raises(Malformed, match="an entrant has"):
        draws.write_draw(DRAW._replace(entrants=(*DRAW.entrants, ListedEntrant(6, team="two words"))))
    with pytest.raises(Malformed, match="no list of a draw"):
        draws.write_draw(DRAW._replace(rules="a\nb"))


def test_a_board_is_written_and_read_back():
    assert boards.board_block(BOARD) == LAID
    assert boards.parse_board(LAID) == BOARD
    assert boards.parse_board(boards.board_block(BOARD._replace(beacon=f"{HASH} 7"))).beacon == f"{HASH} 7"
    assert boards.parse_name(boards.write_name(NAME)) == NAME


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"v1/board", b"v1/draw", "no board"),
        (b"event/cup60", b"cup60", "of a tournament"),
        (b"/1\n", b"/0\n", "called by tables"),
        (b"~1/1\n", b"/1\n", "called by tables"),
        (b"cup60-r2-03/T3", b"cup60/r2-03/T3", "called by tables"),
        (b"03a ", b"03c ", "order of their bytes"),
        (b"03a ", b"03b ", "order of their bytes"),
        (b"table cup60-r2-03a", b"table cup60-r2-02a", "has its name|have its name"),
        (b"03a 0", b"03a x", "the hash of its list"),
        (b"03a " + HASH.encode(), b"03a -", "a table that plays"),
        (b"beacon none", b"beacon 7", "has a beacon"),
        (b"beacon none\n", b"", "says game, board"),
    ],
)
def test_boards_that_are_none(old, new, why):
    assert old in LAID
    with pytest.raises(Malformed, match=why):
        boards.parse_board(LAID.replace(old, new, 1))


def test_boards_that_cannot_be_written():
    with pytest.raises(Malformed, match="called by tables"):
        boards.write_name(BoardName("cup60/r2", "T3.spain~1", 1))
    with pytest.raises(Malformed, match="a table or more"):
        boards.board_block(BOARD._replace(tables=()))
    with pytest.raises(Malformed, match="no board"):
        boards.board_block(BOARD._replace(beacon="a\nb"))


@pytest.mark.parametrize(
    ("table", "whole"),
    [("cup60-r2-03", True), ("cup60-r2-03a", True), ("cup60-r2-031", False), ("cup60-r2-03-1", True), ("x", False)],
)
def test_a_table_belongs_to_a_board_by_its_name(table, whole):
    assert boards.is_table_of(table, "cup60-r2-03") is whole


TEAMS = DRAW._replace(boards=2, lineups=tuple((entrant.number, ()) for entrant in DRAW.entrants))


def lined_up(*some):
    """The list with line-ups of its first teams."""
    rest = TEAMS.lineups[len(some) :]
    return TEAMS._replace(
        lineups=(*((team, line) for (team, _), line in zip(TEAMS.lineups, some, strict=False)), *rest)
    )


def test_a_list_of_teams_is_written_and_read_back():
    closed = lined_up((11, 12), (13,))
    data = draws.write_draw(closed)
    assert draws.parse_draw(data) == closed
    first, second = (team for team, _ in closed.lineups[:2])
    assert f"boards 2\nlineup e{first} e11 e12\nlineup e{second} e13\n" in data.decode()


@pytest.mark.parametrize(
    "closed",
    [
        lined_up((11, 12, 13)),
        lined_up((11,), (11,)),
        lined_up((11, 11)),
        TEAMS._replace(lineups=TEAMS.lineups[1:]),
        TEAMS._replace(lineups=TEAMS.lineups[::-1]),
        TEAMS._replace(boards=0),
        TEAMS._replace(lineups=()),
    ],
    ids=["more than boards", "in two teams", "twice", "one lacks", "another order", "no boards", "no line-ups"],
)
def test_lists_of_teams_that_are_none(closed):
    with pytest.raises(Malformed):
        draws.write_draw(closed)
