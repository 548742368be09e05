"""What a director rules, a line each, with its reason: numbered in the docket, in the log, and told to all.

::

    read("EXTEND R2 48h BECAUSE the server was away")     DirectorLine, or Broken
    foretold(work, event, order)                          what it would do; Broken if it cannot be
    make(work, event, order)                              done: what all are told

English and Spanish words are read alike; the docket has the English ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import NamedTuple

from pbem.engine.data.languages import chosen, in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.letters.content import when
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables
from pbem.tournaments import (
    closing,
    disputes,
    entrant_rulings,
    founding,
    post,
    record,
    round_states,
    running,
    scoring,
    substitution,
    unfinished_tables,
)
from pbem.tournaments.entrant_rulings import (
    admit,
    bar,
    can_admit,
    can_bar,
    can_expel,
    can_substitute,
    done_or_again,
    expel,
    people_named,
    substitute,
)
from pbem.tournaments.verdicts import WORDS, note_verdict, would_be


class DirectorLine(NamedTuple):
    """A line of a director: its word in English, what follows it, folded, and why."""

    word: str
    rest: str
    because: str

    @property
    def line(self) -> str:
        """The line without its reason."""
        return f"{self.word} {self.rest.upper() if self.word != 'ADJUDICATE' else self.rest}".strip()


Found = re.Match[str]
_IN_SPANISH = {"BY": "POR", "UPHOLD": "ESTIMAR"}
"""Words within the examples of rulings."""
_IN_ENGLISH = {"por": "by"} | {word: vote.lower() for word, vote in WORDS.items()}
"""Words behind the first of a ruling, folded, as the docket has them."""


class DirectorRuling(NamedTuple):
    """What may follow a word, what is wrong with it now (Broken), what it does, and what all are told."""

    spanish: str
    form: re.Pattern[str]
    example: str
    check: Callable[[Work, tables.Tournament, Found], Msg]
    do: Callable[[Work, tables.Tournament, Found], None]

    @property
    def spanish_example(self) -> str:
        """The example in Spanish words; games, sides and numbers stay."""
        _, *rest = self.example.split()
        return " ".join((self.spanish, *(_IN_SPANISH.get(word, word) for word in rest)))


def _can_shut(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "open")
    return msg("The list of entrants is shut now.")


def _shut(work: Work, event: tables.Tournament, found: Found) -> None:
    running.begin(work, event)


def _can_hold(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "playing")
    return msg("{event} is held: nothing is drawn or closed until it goes on. Games go on.", event=event.id)


def _hold(work: Work, event: tables.Tournament, found: Found) -> None:
    round_states.hold(event, "by its director")


def _can_resume(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "held")
    return msg("{event} goes on.", event=event.id)


def _resume(work: Work, event: tables.Tournament, found: Found) -> None:
    round_states.resume(event)


def _can_cancel(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "open", "playing", "held")
    return msg("{event} is cancelled; games that are played go on by themselves.", event=event.id)


def _cancel(work: Work, event: tables.Tournament, found: Found) -> None:
    closing.cancel(work, event, msg("Its director has cancelled {event}.", event=event.id))


def _boards_in(work: Work, event: tables.Tournament, found: Found) -> tuple[str, list[tuple[int, tables.Board]]]:
    """Who is meant, and the boards in a round that are not decided, each with the number of who sits there."""
    (who, rows), round_ = (
        people_named(work, event, found["one"]),
        entrant_rulings.round_named(work, event, found["round"]),
    )
    mine = [
        (row.number, one)
        for one in scoring.open_boards(work, round_)
        for row in rows
        if row.number in (one.first, one.second) and one.game_id
    ]
    if not mine:
        raise Broken(msg("{who} has no game in round {number} that is not over.", who=who, number=round_.number))
    return who, mine


def _can_forfeit(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "playing", "held")
    who, _ = _boards_in(work, event, found)
    return msg("{who} loses his games of round {number} by forfeit.", who=who, number=int(found["round"]))


def _forfeit(work: Work, event: tables.Tournament, found: Found) -> None:
    here = founding.at_tables(work, event)
    for number, board in _boards_in(work, event, found)[1]:
        who = record.names_of(work.session, event)[number]
        why = msg("{who} has lost the game by forfeit.", who=who)
        side = here.sides[0 if board.first == number else 1]
        done_or_again(substitution.end_game(work, board, why, f"{scoring.FORFEIT} {side}"))


def _can_extend(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "playing", "held")
    round_ = entrant_rulings.round_named(work, event, found["round"])
    if round_.ends is None or round_.state not in ("drawn", "playing"):
        raise Broken(entrant_rulings.not_played(work, event, round_))
    end = round_.ends + timedelta(hours=int(found["hours"]))
    return msg("Round {number} ends at {when} at the latest.", number=round_.number, when=when(end, event.zone))


def _extend(work: Work, event: tables.Tournament, found: Found) -> None:
    round_ = entrant_rulings.round_named(work, event, found["round"])
    if round_.ends is not None:
        round_.ends += timedelta(hours=int(found["hours"]))
        work.session.add(round_)


def _can_adjudicate(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "playing", "held")
    _, board = entrant_rulings.table_named(work, event, found["game"])
    sides = founding.at_tables(work, event).sides
    game = queries.games.game(work.session, found["game"])
    if found["side"] not in (*sides, "draw", "tablas"):
        raise Broken(msg("A game is given to one of {sides}, or is a draw.", sides=sides))
    if board.state == "due":
        raise Broken(msg("{game} has not begun: it can be adjudicated once it is played.", game=found["game"]))
    if game is None or game.state == "over" or board.state not in ("playing", "disputed"):
        raise Broken(msg("{game} is over: what it counts is decided.", game=found["game"]))
    if found["side"] not in sides:
        return msg("{game} is adjudicated as a draw.", game=found["game"])
    return msg("{game} is adjudicated to {side}.", game=found["game"], side=found["side"])


def _adjudicate(work: Work, event: tables.Tournament, found: Found) -> None:
    _, board = entrant_rulings.table_named(work, event, found["game"])
    first, second = founding.at_tables(work, event).sides
    halves = (2, 0) if found["side"] == first else (0, 2) if found["side"] == second else (1, 1)
    done_or_again(unfinished_tables.adjudge(work, board, halves, msg("The director has adjudicated the game.")))


def _can_judge(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "playing", "held")
    row = _dispute(work, event, found)
    word, by = WORDS[found["word"]], queries.tournaments.entrant(work.session, event.id, row.by)
    return would_be(word, record.shown_name(by) if by is not None else "")


def _judge(work: Work, event: tables.Tournament, found: Found) -> None:
    disputes.rule_on(work, event, _dispute(work, event, found), (WORDS[found["word"]], ""))


def _dispute(work: Work, event: tables.Tournament, found: Found) -> tables.Dispute:
    """A dispute that is not decided."""
    known = queries.tournaments.disputes(work.session, event.id, "director", "jury")
    row = next((one for one in known if one.number == int(found["number"])), None)
    if row is None:
        raise Broken(
            msg(
                "There is no dispute D{number} to be ruled on now; there are: {disputes}.",
                number=int(found["number"]),
                disputes=tuple(f"D{one.number}" for one in known) or ("-",),
            )
        )
    return row


def _can_redraw(work: Work, event: tables.Tournament, found: Found) -> Msg:
    entrant_rulings.must_be(event, "playing", "held")
    round_ = entrant_rulings.round_named(work, event, found["round"])
    if round_ != queries.tournaments.rounds(work.session, event.id)[-1] or round_.state not in ("drawn", "playing"):
        raise Broken(entrant_rulings.not_played(work, event, round_))
    if any(board.second and board.state not in ("due", "playing") for board in _boards(work, round_)):
        raise Broken(msg("A game of round {number} is over: it cannot be drawn again.", number=round_.number))
    return msg("Round {number} is void, its games end, and it is drawn again from a new list.", number=round_.number)


def _boards(work: Work, round_: tables.Round) -> list[tables.Board]:
    return list(queries.tournaments.boards(work.session, round_.id))


def _redraw(work: Work, event: tables.Tournament, found: Found) -> None:
    done_or_again(closing.void(work, event, entrant_rulings.round_named(work, event, found["round"])))


_ONE = r"e?(?P<one>\d{1,4})"
_OTHER = r"e?(?P<other>\d{1,4})"
_ROUND = r"r ?(?P<round>\d{1,3})"
_NOTHING = re.compile("")

RULINGS: Mapping[str, DirectorRuling] = {
    "SHUT": DirectorRuling("CERRAR", _NOTHING, "SHUT", _can_shut, _shut),
    "HOLD": DirectorRuling("SUSPENDER", _NOTHING, "HOLD", _can_hold, _hold),
    "RESUME": DirectorRuling("REANUDAR", _NOTHING, "RESUME", _can_resume, _resume),
    "CANCEL": DirectorRuling("ANULAR", _NOTHING, "CANCEL", _can_cancel, _cancel),
    "ADMIT": DirectorRuling("ADMITIR", re.compile(_ONE), "ADMIT 18", can_admit, admit),
    "EXPEL": DirectorRuling("EXPULSAR", re.compile(_ONE), "EXPEL 9", can_expel, expel),
    "FORFEIT": DirectorRuling("PERDER", re.compile(rf"{_ONE} {_ROUND}"), "FORFEIT 9 R2", _can_forfeit, _forfeit),
    "BAR": DirectorRuling("SEPARAR", re.compile(rf"{_ONE} {_OTHER}"), "BAR 3 7", can_bar, bar),
    "EXTEND": DirectorRuling(
        "PRORROGAR", re.compile(rf"{_ROUND} (?P<hours>\d{{1,4}}) ?h"), "EXTEND R2 48h", _can_extend, _extend
    ),
    "ADJUDICATE": DirectorRuling(
        "ADJUDICAR",
        re.compile(r"(?P<game>[a-z0-9-]{1,20}) (?P<side>[a-z][a-z0-9]{0,11})"),
        "ADJUDICATE cup60-r2-05 spain",
        _can_adjudicate,
        _adjudicate,
    ),
    "SUBSTITUTE": DirectorRuling(
        "SUSTITUIR", re.compile(rf"{_ONE} (?:by|por) {_OTHER}"), "SUBSTITUTE 5 BY 17", can_substitute, substitute
    ),
    "RULING": DirectorRuling(
        "FALLO",
        re.compile(rf"d ?(?P<number>\d{{1,4}}) (?P<word>{'|'.join(WORDS)})"),
        "RULING D4 UPHOLD",
        _can_judge,
        _judge,
    ),
    "REDRAW": DirectorRuling("SORTEAR", re.compile(_ROUND), "REDRAW R3", _can_redraw, _redraw),
}
"""All that a director rules, by its English word."""

_WORDS = {word: word for word in RULINGS} | {ruling.spanish: word for word, ruling in RULINGS.items()}
_REASON = re.compile(r"\s+(?:BECAUSE|PORQUE)\b\s*", re.IGNORECASE)


def _words_in(language: str) -> tuple[str, ...]:
    """The words that rulings begin with, as a reader writes them."""
    return tuple(chosen(language, word, ruling.spanish) for word, ruling in RULINGS.items())


def _because(english: str, spanish: str) -> Msg:
    """A line with the reason that it lacks."""
    return in_each(lambda language: chosen(language, f"{english} BECAUSE ...", f"{spanish} PORQUE ..."))


def read(line: str) -> DirectorLine:
    """Read a line; Broken if it is no ruling or gives no reason."""
    parts = _REASON.split(line.strip(), maxsplit=1)
    words = fold(parts[0]).split()
    word = _WORDS.get(words[0].upper()) if words else None
    if word is None:
        raise Broken(msg("A ruling begins with one of: {words}.", words=in_each(_words_in)))
    rest = " ".join(words[1:])
    if RULINGS[word].form.fullmatch(rest) is None:
        raise Broken(
            msg("It is written as {line}.", line=_because(RULINGS[word].example, RULINGS[word].spanish_example))
        )
    if len(parts) < 2 or not parts[1].strip():
        raise Broken(msg("A ruling says why: {line}.", line=_because(parts[0], parts[0])))
    if word in ("SUBSTITUTE", "RULING"):
        rest = " ".join(_IN_ENGLISH.get(one, one) for one in words[1:])
    return DirectorLine(word, rest, parts[1].strip()[:500])


def foretold(work: Work, event: tables.Tournament, order: DirectorLine) -> Msg:
    """What a ruling would do, as all are told it; Broken if it cannot be made now. Nothing is changed."""
    found = RULINGS[order.word].form.fullmatch(order.rest)
    if found is None:
        raise Broken(msg("It is written as {line}.", line=RULINGS[order.word].example))
    return RULINGS[order.word].check(work, event, found)


def make(work: Work, event: tables.Tournament, order: DirectorLine) -> Msg:
    """Make a ruling: the docket and the log have it, all are told, and then it is done; Broken if it cannot be."""
    does = foretold(work, event, order)
    number = note_verdict(work, event, order.line, order.because)
    told = (
        msg("The director has ruled, number {number}: {line}", number=number, line=order.line),
        msg("Reason: {reason}", reason=order.because),
        does,
    )
    post.to_all(work, event, lambda row: post.Told(msg("a ruling"), told), f"ruling {number}")
    found = RULINGS[order.word].form.fullmatch(order.rest)
    if found is not None:
        RULINGS[order.word].do(work, event, found)
    if event.state in round_states.LIVE:
        event.wake = work.now
    work.session.add(event)
    work.session.flush()
    return does
