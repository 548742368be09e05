"""Own the states of tournaments, rounds and tables, and their transitions.

No other module writes them. Who wants a state changed calls the function of the act here; from a state that is not in
its line the act raises ValueError, and what was about to be done is undone with its transaction.

    act              from                              to         when
    -----------------------------------------------------------------------------------------------------------
    TOURNAMENT
    open_entry       draft                             open       it is founded
    start            open                              playing    the list of entrants shuts, by itself or by SHUT
    hold             open playing held over cancelled  held       the director's HOLD, or a step of ours failed
    resume           held                              playing    RESUME, once a stage was begun
    resume           held                              open       RESUME before that
    finish           playing                           over       no round and no stage follows
    cancel           open playing held                 cancelled  CANCEL, or fewer than two entered
    ROUND
    shut_list        planned                           shut       the moment `opens`: who is in it is fixed
    take_draw        shut                              drawn      the moment `draws`, once the beacon's round is out
    start_round      drawn                             playing    the moment `starts`, once all tables are begun
    close_round      playing                           closed     every table is decided, and ties are parted
    void_round       drawn playing                     void       REDRAW: another attempt of the round is planned
    TABLE
    start_table      due                               playing    its game begins
    pass_round       due                               final      drawn with nobody opposite: rest, bye, forfeit
    score_table      playing                           scored     its game is over
    dispute_table    playing scored final              disputed   DISPUTE, or the end of the round leaves it to a jury
    let_stand        playing scored disputed final     playing    a dispute ends without another result: scored anew
    adjudge_table    playing scored disputed final     playing    the rules, the director or a jury give it: scored anew
    reopen_table     scored final                      playing    a moderator opened its game again, or it is over anew
    restore_result   scored final                      playing    UNDO takes a correction back: scored anew
    turn_into_bye    playing                           final      who sat opposite never came
    close_table      scored final                      final      its round closes
    void_table       due playing final                 final      its round is void

Each begins at the top of its part: a new tournament is ``draft``, a round ``planned``, a table ``due``. The column of
tournaments allows ``shut`` as well, which nothing sets. What is done in each state, and what is waited for, is in
`running`; seats that fall silent (`no_shows`), disputes and challenges have states of their own.
"""

from __future__ import annotations

from datetime import datetime

from pbem.store import tables

LIVE, ENDED = ("open", "playing"), ("over", "cancelled")
"""The states of a tournament with automatic steps, and those after its end."""
DECIDED = ("scored", "final")
"""The states of a table in which its result is known."""


def open_entry(event: tables.Tournament) -> None:
    """Open the entry list of a new tournament."""
    _move(event, "draft", "open")


def start(event: tables.Tournament, now: datetime) -> None:
    """Begin the first stage; its first round is to be planned."""
    _move(event, "open", "playing")
    event.stage, event.wake = 1, now


def hold(event: tables.Tournament, why: str) -> None:
    """Stop draws and closings until the director resumes the tournament."""
    _move(event, "open playing held over cancelled", "held")
    event.held_why, event.wake = why, None


def resume(event: tables.Tournament) -> None:
    """Resume a tournament that was held."""
    if event.stage:
        _move(event, "held", "playing")
    else:
        _move(event, "held", "open")
    event.held_why = ""


def finish(event: tables.Tournament) -> None:
    """End a tournament after its last round."""
    _move(event, "playing", "over")


def cancel(event: tables.Tournament, now: datetime) -> None:
    """End a tournament before its time."""
    _move(event, "open playing held", "cancelled")
    event.wake = now


def shut_list(round_: tables.Round, block: str) -> None:
    """Fix the list of a round as a public block."""
    _move(round_, "planned", "shut")
    round_.slate = block


def take_draw(round_: tables.Round, pairs: str) -> None:
    """Store the pairing from the lots, as canonical JSON."""
    _move(round_, "shut", "drawn")
    round_.drawn = pairs


def start_round(round_: tables.Round) -> None:
    """Mark a round as being played, once all its tables are begun."""
    _move(round_, "drawn", "playing")


def close_round(round_: tables.Round, now: datetime) -> None:
    """Close a round whose tables are all decided."""
    _move(round_, "playing", "closed")
    round_.closed = now


def void_round(round_: tables.Round) -> None:
    """Void a round; its number is drawn again as another attempt."""
    _move(round_, "drawn playing", "void")


def start_table(board: tables.Board) -> None:
    """Mark a table as being played."""
    _move(board, "due", "playing")


def pass_round(board: tables.Board, how: str, halves: int) -> None:
    """Score a table without an opponent as soon as it is drawn."""
    _move(board, "due", "final")
    board.how, board.first_halves = how, halves


def score_table(board: tables.Board, halves: tuple[int, int], margin: int, how: str) -> None:
    """Store the score of a table's game."""
    _move(board, "playing", "scored")
    (board.first_halves, board.second_halves), board.margin, board.how = halves, margin, how


def dispute_table(board: tables.Board) -> None:
    """Leave the result of a table open until a dispute about it is decided."""
    _move(board, "playing scored final", "disputed")


def let_stand(board: tables.Board) -> None:
    """Have a table scored by its game after a dispute that changes nothing."""
    _move(board, "playing scored disputed final", "playing")


def adjudge_table(board: tables.Board, halves: tuple[int, int]) -> None:
    """Have a table scored by an adjudication, whatever its game's result."""
    _move(board, "playing scored disputed final", "playing")
    board.adjudged = f"{halves[0]} {halves[1]}"


def reopen_table(board: tables.Board) -> None:
    """Have a table scored again by its reopened game."""
    _move(board, "scored final", "playing")
    board.adjudged = ""


def restore_result(board: tables.Board, adjudged: str) -> None:
    """Have a table scored as before a correction: by its game, or as it was adjudged."""
    _move(board, "scored final", "playing")
    board.adjudged = adjudged


def turn_into_bye(board: tables.Board, opponent: int, how: str) -> None:
    """Give a bye to the opponent of one who never came; the game leaves the table."""
    _move(board, "playing", "final")
    board.game_id, board.first, board.second = None, opponent, 0
    board.how, board.first_halves, board.second_halves = how, 2, 0


def close_table(board: tables.Board) -> None:
    """Fix the result of a table with its round."""
    _move(board, "scored final", "final")


def void_table(board: tables.Board) -> None:
    """Make a table of a void round count nothing."""
    _move(board, "due playing final", "final")


def _move(row: tables.Tournament | tables.Round | tables.Board, sources: str, target: str) -> None:
    if row.state not in sources.split():
        raise ValueError(f"{type(row).__name__} {row.id} is {row.state}, not one of: {sources}")
    row.state = target
