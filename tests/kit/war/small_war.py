"""A war of two small legs, of no game: foot and guns, a leader each side, one formation that can be brought."""

from typing import Any

from pbem.engine.data.messages import plain_english
from pbem.engine.run.runners import play
from pbem.engine.war.chain import CampData
from pbem.engine.war.file import Leg, read_war
from pbem.engine.war.ledger import COMBAT, GUN, LEADER, LegResult, ListedUnit, after_leg, whole
from pbem.games.camp import GAME, order_help
from pbem.games.camp.orders import parse
from pbem.games.camp.state import camp_edition, starting_position
from pbem.games.camp.steps import RULES, camp_world

SEATS = {"blue": "blue", "red": "red"}
FOOT = {name: ListedUnit(name, "blue", "IR", COMBAT, 4, "Gate") for name in ("Ash", "Elm", "Oak")}
FAR = {name: ListedUnit(name, "blue", "IR", COMBAT, 4, "Ford", 3) for name in ("Fir", "Yew")}
REST = (
    ListedUnit("Bombard", "blue", "ART", GUN, 2, "Gate"),
    ListedUnit("Duke", "blue", "OF", LEADER, 1, "Gate"),
    ListedUnit("Hawk", "red", "IL", COMBAT, 3, "Hill"),
    ListedUnit("Kite", "red", "IL", COMBAT, 3, "Hill"),
    ListedUnit("Wren", "red", "IL", COMBAT, 3, "Hill", 2),
)
FIRST = Leg("one", (*FOOT.values(), *REST, ListedUnit("Rook", "red", "IL", COMBAT, 2, "Hill")), ("Gate", "Hill"))
SECOND = Leg(
    "two",
    (FOOT["Ash"], FOOT["Elm"], FAR["Fir"], *REST),
    ("Ford", "Hill", "Pass"),
    {"Ford-Hill": "path", "Hill-Pass": "road"},
)
FILE: dict[str, Any] = {
    "title": "A small war",
    "legs": ["one", "two"],
    "points": {"blue": 6, "red": 6},
    "fleet": {"blue": 2},
    "formations": {
        "Guards": {"side": "blue", "units": ["Ash", "Elm", "Fir"], "sickness": "cholera"},
        "Line": {
            "side": "blue",
            "units": ["Oak"],
            "price": 2,
            "camps": {"1": {"at": "Ford", "turn": 2}},
        },
        "Birds": {"side": "red", "units": ["Hawk", "Kite", "Wren"], "sickness": "harvest"},
        "Crows": {"side": "red", "units": ["Rook"]},
    },
    "successors": {"Duke": "Earl 1/0"},
    "camps": [
        {
            "entrench": {"side": "red", "spaces": ["Hill", "Pass"], "most": 1},
            "roads": {"side": "blue", "edges": ["Ford-Hill"]},
        }
    ],
}
TEXT = 'title = "A small war"\n\n[formations.Guards]\n[formations.Birds]\n'
WHOLE = {unit.id: unit.full for unit in FIRST.listed}


def war(**changed):
    """The war, with some parts of its file changed."""
    return read_war({**FILE, **changed}, TEXT, "small.toml", (FIRST, SECOND))


def camp(left=None, taken=(), file=None, **terms):
    """The camp after the first leg, of which so much was left."""
    legs, data = (FIRST, SECOND), file or FILE
    before = whole(read_war(data, TEXT, "small.toml", legs).opening(), WHOLE)
    after = after_leg(before, LegResult({**WHOLE, **(left or {})}, frozenset(taken)))
    terms = {"seats": SEATS, "taken": sorted(taken), **terms}
    return starting_position(camp_edition(CampData(data, legs, 1, before, after, terms)))


def ordered(state, **texts):
    """The orders of seats, read; none of them is refused by its words."""
    orders = {}
    for seat, text in texts.items():
        read = parse(text, state, SEATS[seat])
        assert not read.rejected, read.rejected
        orders[seat] = read.orders
    return orders


class Loaded:
    """Dice by their labels; a 6 where none was loaded."""

    def __init__(self, dice):
        self.dice, self.asked = dice, []

    def roll(self, label, n, sides):
        self.asked.append(label)
        return (self.dice.get(label.removeprefix("camp/"), 6),) * n


def played(state, dice=(), **texts):
    """The phase played: its events, its end, and the labels of its dice."""
    loaded = Loaded(dict(dice))
    orders = ordered(state, **texts)
    done = play(RULES, camp_world(state, orders), loaded, GAME.decisions(state, orders, {}))
    return done.events, done.state, loaded.asked


def data_of(events, kind):
    """The data of the events of a kind."""
    return [event.data for event in events if event.kind == kind]


def refused(state, seat, text):
    """What is refused of a block when it is held against the position: line, rule, reason."""
    bad = order_help.check_orders(state, SEATS[seat], ordered(state, **{seat: text})[seat])
    return [(mistake.line, mistake.rule, plain_english(mistake.why)) for mistake in bad]
