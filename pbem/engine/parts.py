"""The parts of a game: what it tells, what it has to look up, and what only some games have.

A part that every game has begins with what a game without any would answer; what a game may lack is None in it, and the
house says so to whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.languages import Called
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Entry, Line, Report
from pbem.engine.data.scene import Scene
from pbem.engine.data.stakes import Stakes
from pbem.engine.map.sheets import Grounds
from pbem.engine.orders.choices import Choices, Offer
from pbem.engine.run.odds import Purse
from pbem.engine.run.questions import Asked, Question
from pbem.engine.run.steps import Choice, Task, Window, World
from pbem.engine.terms import Because, Edited, Orders, Reading, Seat, Side, Step, Trial, Warned, Worth


class Telling(Protocol):
    """What a game tells its players, in words."""

    def report(self, view: Any, seat: Seat, seen: Sequence[tuple[Event, Any]]) -> Report:
        """Report on events, each with the view before it, and on the position after them; to the onlooker too."""
        ...

    def stakes(self, view: Any, seat: Seat, seen: Sequence[tuple[Event, Any]]) -> Stakes:
        """How the game stands for a seat, as data: goals, points, what these events changed, who is to come, armies."""
        return Stakes()

    def provided(self, seat: Seat, seen: Sequence[tuple[Event, Any]]) -> tuple[Msg, ...]:
        """What events foretold to a seat rest on that it cannot see; nothing where nothing is hidden."""
        return ()

    def winning(self, view: Any, seat: Seat) -> Block:
        """What counts and how one wins, in words."""
        return Block(msg("What counts, and how one wins"))

    def account(self, steps: Sequence[Step]) -> Block:
        """Where the points of a game that is over came from, step by step."""
        return Block(msg("Where the points came from"))

    def side(self, side: Side) -> Msg:
        """What a side is called."""
        return msg("{side}", side=side)

    def riding(self, state: Any) -> tuple[Msg, ...]:
        """What is on its way between seats and is not theirs to know, for an umpire's eyes; nothing in most games."""
        return ()

    def happenings(self, seen: Sequence[tuple[Event, Any]]) -> tuple[Entry, ...]:
        """The entries of the report on these events, without the rest of it."""
        ...

    def grouped(self, seen: Sequence[tuple[Event, Any]]) -> tuple[tuple[Entry, tuple[int, ...]], ...]:
        """The same entries, each with the places in `seen` of the events that it tells; none where a game says none."""
        return tuple((entry, ()) for entry in self.happenings(seen))

    def in_order(self, seat: Seat, seen: list[tuple[Event, Any]]) -> list[tuple[Event, Any]]:
        """What a seat saw, in the order in which it is told it."""
        return seen

    def question(self, view: Any, window: Window, silence: Choice) -> Question:
        """A window in words for its owner, who sees `view`, with the answers offered, `silence` among them."""
        ...

    def why(
        self, view: Any, seat: Seat, seen: Sequence[tuple[Event, Any]], number: int, orders: Orders
    ) -> Because | None:
        """What is behind happening `number` (from 1) of the report on `seen`; None if the report has no such number.

        `orders` are the seat's own of that phase.
        """
        return None

    def order_line(self, task: Task) -> str:
        """The canonical line of the order that a task carries out; empty if it carries out none."""
        return ""

    @property
    def called(self) -> Mapping[str, Called]:
        """What seats, phases, units and places are called, by language."""
        return {}

    def spoken(self, text: str, language: str) -> str:
        """Canonical orders in the words of a language; `parse` reads them as the same orders."""
        return text

    def text_map(self, view: Any, seat: Seat) -> tuple[Line, ...]:
        """The map with the forces on it as text, drawn lines (`PLAIN`) and sentences."""
        return ()


class Rulebook:
    """What players look up: charts, rules, what the game adds to the house's help, ready-made standing orders.

    A game without a book has none of it.
    """

    def ground(self, edition: Any) -> Json:
        """The map of an edition as data for programs, every part of it by name; None if there is no map to show."""
        return None

    def chart(self, name: str, edition: Any = None) -> str | None:
        """The text of a chart by its rule or name: the edition's, or as shipped; None if there is none."""
        return None

    def charts(self) -> tuple[str, ...]:
        """The names of all charts, each with its rule before it."""
        return ()

    def rule(self, number: str, language: str = "en") -> tuple[str, ...]:
        """The lines of the rules' table of contents for a number and those below it; empty if there is none.

        They are in the language if the game has them so, else in English.
        """
        return ()

    def about(self, words: str, language: str = "en") -> tuple[str, ...]:
        """The lines of the rules that speak of all these words, in any language, as they are in this one."""
        return ()

    def contents(self, language: str = "en") -> tuple[str, ...]:
        """The lines of all rules that stand below no other."""
        return ()

    def brief(self, scenario: str, language: str = "en") -> Mapping[str, str]:
        """What is told of a scenario, outside its edition: a ``line``, the ``battle``, a side's part by its name.

        It is in the language if the game has it so, else in English; empty if there is nothing to tell.
        """
        return {}

    def agreed(self, edition: Any) -> tuple[Msg, ...]:
        """The options of an edition and what they mean."""
        return ()

    def help(self, topic: str) -> tuple[tuple[int, Msg], ...]:
        """What the game adds to the help on ``orders``, ``standing`` and the like: sentences with their depth."""
        return ()

    def preset(self, name: str) -> str | None:
        """The text of ready-made standing orders by name, as a player would write them; None if there are none."""
        return None


class FormTerms(NamedTuple):
    """What an order form is made for besides a position.

    The phase has `begun` where letters of it were carried out already. With a `purse` the form says what its attacks
    are worth, as far as that reaches, under the `standing` orders of who gets it.
    """

    begun: bool = False
    purse: Purse | None = None
    standing: tuple[Any, ...] = ()


AS_IT_IS = FormTerms()
"""For a phase of which nothing was carried out yet, without odds."""


class Aids:
    """What helps a player to write his orders. A game need not help."""

    def template(self, view: Any, seat: Seat, language: str, terms: FormTerms = AS_IT_IS) -> tuple[str, ...]:
        """Order lines to be edited, without header and END, in the words of `language`: comments that order nothing.

        Without its ``# `` each is an order that can be given as it stands; where `` | `` parts several words or places,
        with any of them. What only explains begins with ``##``. There are none when the game is over.
        """
        return ()

    def offers(self, view: Any, seat: Seat, terms: FormTerms = AS_IT_IS) -> tuple[Offer, ...]:
        """What `template` offers as data: lines that can be given as they stand, alone, with what the attack in them
        wins. They are in English words.
        """
        return ()

    def choices(self, view: Any, seat: Seat, begun: bool = False) -> Choices:
        """What each of the seat's units could be ordered to do now, as `moves` tells it, to be chosen from."""
        return Choices()

    def begins(self, line: str, standing: bool) -> bool:
        """Whether a line begins with a word that orders begin with, or within a block of `standing` orders with one of
        theirs; one that does not may go on with the line above, from which a mail program broke it off.
        """
        return True

    def in_order(self, orders: Orders) -> Orders:
        """A letter's orders as they are carried out, where the rules know an order that lines need not keep.

        It is asked for when a letter is read, once: what is stored keeps the order that it has.
        """
        return orders

    def fallen(self, lines: Sequence[str], at: int) -> tuple[int, ...]:
        """Which lines of a block make no sense, or another, once line `at` is refused and taken out, counted from 0."""
        return ()

    def moves(self, view: Any, seat: Seat, place: str, begun: bool = False) -> tuple[Msg, ...]:
        """What the seat's units in a place, named as a player writes it, could be ordered to do now.

        The phase has `begun` where letters of it were carried out already.
        """
        return ()

    def place(self, view: Any, seat: Seat, said: str) -> str:
        """The id of the place that a player names; empty if it is none, or one of several."""
        return ""

    def places(self, view: Any, seat: Seat) -> tuple[Msg, ...]:
        """Where the seat has units, and which."""
        return ()

    def review(self, view: Any, seat: Seat, orders: Orders, begun: bool = False) -> tuple[Warned, ...]:
        """Second thoughts on legal orders: what is left to the default, what cannot matter. Line 0 is none.

        The phase has `begun` where letters of it were carried out already.
        """
        return ()


class Scales(NamedTuple):
    """By what an attack that is asked about is weighed: how much it may cost, and the standing orders of who asks.

    The phase has `begun` where letters of it were carried out already.
    """

    purse: Purse
    standing: tuple[Any, ...] = ()
    begun: bool = False


class Forecast(Protocol):
    """What a game that reckons its odds has: what attacks are worth, and what standing orders would answer them."""

    def odds(self, view: Any, seat: Seat, orders: Orders, purse: Purse, begun: bool = False) -> Worth:
        """What the fights in the orders are worth when their turn comes: exact over all dice of what is ordered before.

        It is paid for from the purse; what cannot be counted is said. `begun` if letters of this phase came before.
        """
        ...

    def attack_odds(self, text: str, view: Any, seat: Seat, by: Scales) -> Worth:
        """What an attack that `attack` reads is worth as things stand, with its units where it starts from."""
        ...

    def attack(self, text: str, view: Any, seat: Seat, begun: bool = False) -> Reading:
        """Read one attack as an order says it, perhaps with where it starts from, and hold it against the position.

        Its orders are for `odds` alone; it is read as if its units stood where it starts from, and warns of that.
        `begun` if letters of this phase came before: who acted in them cannot attack.
        """
        ...

    def answer_stakes(
        self, world: World[Any], asked: Sequence[Asked], standing: tuple[Any, ...], purse: Purse
    ) -> tuple[tuple[Msg | None, ...], ...]:
        """What each answer to each question is worth, by question and answer; None or missing where it is not known.

        `world` waits at the first question and is what the seat that is asked sees; `standing` are its orders.
        """
        return ()

    @property
    def answers_note(self) -> Msg:
        """What stands behind the answers to a question, and what it rests on."""
        return msg(
            "Behind each answer: how often the place is yours after the fight, steps lost and units of yours shaken or "
            "lost on average. The figures are exact, if the other side keeps to the default doctrine."
        )

    def trial(self, text: str, view: Any, seat: Seat) -> Trial:
        """Read ``place BY force`` and set up that attack of the enemy on the seat, from what the seat sees alone."""
        ...


class Advice(Protocol):
    """What a game has one of whose bots can be asked for a plan."""

    bot: str
    """The best of its bots that thinks no longer than a letter may cost."""

    def advised(self, view: Any, seat: Seat, orders: Orders) -> Orders:
        """What of the bot's orders is advised to a person; all of it, unless the game knows better."""
        return orders

    def plan(self, view: Any, seat: Seat, orders: Orders, purse: Purse) -> tuple[Msg, ...]:
        """What a seat's orders come to, a sentence each: the main blow with its odds, the reserve, what is guarded."""
        ...


class Editing(Protocol):
    """What a game has whose position a moderator may correct between phases."""

    def edit(self, state: Any, text: str) -> Edited:
        """Read a correction, such as ``UNIT Leon AT Sierra`` (see `edits`)."""
        ...


class Awarding(Protocol):
    """What a game has whose sides a moderator may give points, by correcting what they have been awarded."""

    def awards(self, state: Any) -> Mapping[str, int]:
        """The points that each side has been awarded so far, by the sides that points are counted for."""
        ...


class ScoredGame(Protocol):
    """What a game has that says what a position is worth, so that the luck of its rolls can be told (`luck`)."""

    def worth(self, state: Any) -> Mapping[Side, Any]:
        """The points of each side now, exact and in fractions: a loss counts when it comes, not when a point is full.

        There are the same sides in the same order, whatever the state.
        """
        ...

    def party(self, state: Any, side: Side) -> Side:
        """The side of `worth` that a side fights for; empty if there is none of that name."""
        ...

    def winner(self, state: Any) -> Side:
        """The side of `worth` that has won; empty as long as none has, and where the game is drawn."""
        ...

    def apart(self, start: Any) -> Callable[[Any], Hashable]:
        """What tells states that came of `start` from one another, in all that a rule or `worth` may look at."""
        ...

    def engaged(self, state: Any) -> bool:
        """Whether a fight is in progress, whose rolls belong together."""
        ...

    def hindsight(self, view: Any, happened: Sequence[Event]) -> Any:
        """Return a seat's view, completed by what the events that it saw follow tell of the position before them."""
        ...


class Pictured(Protocol):
    """What a game has whose positions can be drawn."""

    def ground(self, edition: Any) -> Grounds:
        """The map of an edition, to be drawn on: the same for every seat and position."""
        ...

    def picture(self, view: Any, seat: Seat, seen: Sequence[tuple[Event, Any]]) -> Scene:
        """What a seat sees on the map after the events that it saw, each with its view before it."""
        ...


class Cased(Protocol):
    """What a game has whose rules can be tried by cases (`cases`)."""

    keys: frozenset[str] | None = None
    """Keys that describe its position, in a case or above all cases; any other is refused, where there are any."""

    def state(self, file: Mapping[str, Any], case: Mapping[str, Any]) -> Any:
        """The position of a case; ValueError says what is wrong with it."""
        ...

    def world(self, state: Any, orders: Mapping[Seat, Orders], phase: str) -> World[Any]:
        """The phase of a case, ``end`` being the end phase alone."""
        ...

    def holds(self, phrase: str, state: Any) -> bool:
        """Whether an expectation about the position is true; ValueError if it is none."""
        ...

    def lookup(self, phrase: str) -> bool:
        """Whether a chart look-up is true; ValueError if it is none."""
        ...

    def eyes(self, state: Any, seat: str) -> Any:
        """The position that a seat's letter of a case is read with."""
        return state

    def coins(self, what: str) -> bool:
        """Whether the roll of that label throws coins, which cases write 1 for heads and 0 for tails."""
        ...
