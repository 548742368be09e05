"""Limit the cost of one letter, and of all anonymous letters in a day.

A letter is carried out whole or not at all: one that exceeds a limit does nothing, and its answer names the limit
and the way out. Counts are checked where they are made; processor time is checked between two steps, so that
nothing is cut off in the middle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.cursor import MOST_WRONG
from pbem.engine.orders.lex import Exceeded
from pbem.mail import RAW_OCTETS, TEXT_LINES, TEXT_OCTETS


class Limits(NamedTuple):
    """The limits of work for one letter, and for strangers in a day ([limits]).

    `seconds`             seconds of processor time, for reading a letter and doing what it says
    `lines`               lines of a letter's text
    `line`                characters of a command, or of a line of orders
    `commands`            commands in a letter, be they in lines of their own or parted by semicolons
    `orders`              lines of orders in a letter, those parted by semicolons counted each
    `guesses`             words in a letter that are compared with all they may be misspelt for
    `mistakes`            mistakes that are told of one letter; behind the last of them nothing is read
    `answer`              characters of an answer to a seat or to a moderator, as it is kept
    `visitor_answer`      characters of an answer to somebody who writes without a seat
    `visitor_requests`    commands that are answered in one letter without a seat
    `named_by_one`        addresses that are written to because one player names them, as long as codes are good
    `named_at_domain`     letters in a day to such addresses at one domain
    `named`               letters in a day to such addresses in all
    `invited`             addresses in a day that the directors of a tournament invite
    `strangers`           letters without a seat that are answered in a day; at most half are of unknown addresses
    `at_domain`           letters of unknown addresses at one domain that are answered in a day
    `requests`            letters with requests of one address without a seat that are answered in a day
    `plays`               letters in a day that ask for a game against a bot, and are answered
    `plays_at_domain`     of those from addresses at one domain
    `playing`             games against bots that may go on at once
    `playing_one`         of those, games of one player
    `deadline_days`       days from now by which a moderator may set or put off a deadline
    """

    # The numbers are choices, far above what players and bots have written; docs/limits.md says what each protects. An
    # answer without a seat has a quarter of the others, because its sender may be forged: the letter then goes to
    # somebody who asked for nothing. For the same reason one player names only three addresses in a week.
    seconds: float = 1.5
    lines: int = 4_000
    line: int = 2_000
    commands: int = 40
    orders: int = 400
    guesses: int = 2_000
    mistakes: int = MOST_WRONG
    answer: int = 131_072
    visitor_answer: int = 32_768
    visitor_requests: int = 1
    named_by_one: int = 3
    named_at_domain: int = 20
    named: int = 100
    invited: int = 50
    strangers: int = 200
    at_domain: int = 20
    requests: int = 5
    plays: int = 60
    plays_at_domain: int = 20
    playing: int = 20
    playing_one: int = 2
    deadline_days: int = 90

    def with_changes(self, changes: Mapping[str, float]) -> Limits:
        """Return these limits with some changed, by name; raise ValueError for bad ones."""
        for name, value in changes.items():
            if name not in self._fields:
                raise ValueError(f"there is no limit {name!r}; there are: {', '.join(self._fields)}")
            most = _GREATEST_SETTINGS.get(name, 1_000_000)
            if not 0 < value <= most or (name != "seconds" and value != int(value)):
                raise ValueError(f"the limit {name} is a number above 0, at most {most}, got {value}")
        values = {name: value if name == "seconds" else int(value) for name, value in changes.items()}
        return Limits(**{**self._asdict(), **values})


_GREATEST_SETTINGS: Mapping[str, float] = {
    "seconds": 600,
    "lines": TEXT_LINES,
    "mistakes": MOST_WRONG,
    "deadline_days": 3_650,
}
"""The highest possible settings: longer mail is cut anyway, longer orders are not read, and no game lasts longer."""

LIMITS = Limits()
"""The limits, unless the settings give others."""


_LOOK = 20_000
"""Characters that are read between two looks at the time, so that looking costs little compared with reading."""
MOST_UNKNOWN_ADDRESSES = 1
"""Letters to unknown addresses that one letter may cause, so that nobody can send mail to many people through this
server."""


class ExceededLimit(NamedTuple):
    """The name of a limit that a letter exceeded, as in `Limits`, and its value."""

    name: str
    most: float


class LetterLimitExceeded(Exceeded):
    """Raised for a letter that exceeds a limit: nothing in it is done."""

    def __init__(self, name: str, most: float) -> None:
        super().__init__(f"more than {most} {name}")
        self.excess = ExceededLimit(name, most)


class CostMeter:
    """The cost of one letter so far.

    `excess` is set if the letter exceeded a limit before, so that it is now only answered.
    """

    def __init__(self, limits: Limits, cpu: Callable[[], float], excess: ExceededLimit | None = None) -> None:
        self.limits = limits
        self.excess = excess
        self._reached = self._spent = self._guesses = 0
        self._cpu, self._check_starts = cpu, cpu()

    def look(self) -> None:
        """Raise TooMuch if the letter has taken more processor time than it may."""
        if self._cpu() - self._check_starts > self.limits.seconds:
            raise LetterLimitExceeded("seconds", self.limits.seconds)

    def spend(self, characters: int) -> None:
        """Count characters that are read; check the time after each `_LOOK` of them."""
        self._spent += characters
        if self._spent > _LOOK and self.excess is None:
            self._spent = 0
            self.look()

    def guess(self) -> None:
        """Count one search for a misspelt word; raise TooMuch above the limit."""
        self._guesses += 1
        if self._guesses > self.limits.guesses and self.excess is None:
            raise LetterLimitExceeded("guesses", self.limits.guesses)

    def reach(self) -> None:
        """Count a letter to an unknown address; raise TooMuch above the limit."""
        self._reached += 1
        if self._reached > MOST_UNKNOWN_ADDRESSES:
            raise LetterLimitExceeded("reached", MOST_UNKNOWN_ADDRESSES)

    def write(self, characters: int, *, visitor: bool = False) -> None:
        """Raise TooMuch if an answer of so many characters is too long."""
        name = "visitor_answer" if visitor else "answer"
        most = self.limits.visitor_answer if visitor else self.limits.answer
        if characters > most and self.excess is None:
            raise LetterLimitExceeded(name, most)


def explain_excess(excess: ExceededLimit) -> tuple[Msg, ...]:
    """Return the sentences about an exceeded limit, and what the author can do."""
    name, most = excess
    return _NOTHING, msg("{limit} {way}", limit=_limit(name, most), way=_WAYS.get(name, _SEVERAL))


def _limit(name: str, most: float) -> Msg:
    if name == "seconds":
        seconds = f"{most:g}"
        return msg("To answer it would take me more than {count} seconds of computing.", count=seconds)
    if name == "lines":
        return msg("I read {count} lines of a letter at most.", count=int(most))
    if name in ("commands", "visitor_requests"):
        return msg("A letter may have at most {count} commands.", count=int(most))
    if name == "orders":
        return msg(
            "A letter may have at most {count} lines of orders; each part between semicolons counts as one.",
            count=int(most),
        )
    if name == "guesses":
        return msg(
            "More than {count} words in it are not names or commands as I know them, but may be misspelt ones.",
            count=int(most),
        )
    if name == "reached":
        return msg("It would have me write to more than {count} address that nobody is known by here.", count=int(most))
    if name in ("answer", "visitor_answer"):
        return msg("Its answer would be longer than {count} KB.", count=int(most) // 1024)
    raise LookupError(f"there is no limit {name}")


def explain_mistakes(limits: Limits) -> Msg:
    """Return the sentence about a letter with too many mistakes to list."""
    return msg(
        "I did nothing with your letter. I stopped at {count} mistakes, the most for one letter: correct "
        "these and send it again.",
        count=limits.mistakes,
    )


_NOTHING = msg("Your letter asks for more than one letter may. I did nothing with it.")
_SEVERAL = msg("Send it in several letters, each with a part of it.")
_WAYS = {
    "lines": msg("Send your orders or commands alone, without what is quoted below them."),
    "guesses": msg("Write names as the order form has them, and send orders or commands alone."),
    "orders": msg("Send the orders of one turn alone, and standing orders in letters of their own."),
}

LETTER_TOO_LARGE = msg(
    "I read {letter} KB of a letter at most, and of its text {text} KB or {lines} lines.",
    letter=RAW_OCTETS // 1000,
    text=TEXT_OCTETS // 1024,
    lines=LIMITS.lines,
)
"""The sentence about a letter that was not read because of its size."""
