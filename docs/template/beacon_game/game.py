"""The beacon: a whole game of four bands and seven places, to show how little a game has to bring.

    MARCH Owl TO Hill (MARCHAR Owl A Hill)      one band a turn, to a place next to its own; or PASS (PASAR)
    STANDING FOR UNIT Gull                      what Gull does when it is attacked; FOR SPACE and FOR ALL likewise
    1. WHEN ATTACKED THEN YIELD                 HOLD, YIELD, or ASK WITHIN 24: its owner is asked by letter
    ENDSTANDING

Nothing is hidden, and odds are not reckoned. Its chart, map, scenario and rules lie beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.engine import edition
from pbem.engine.cases import lookup_holds
from pbem.engine.data.events import Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import DRAWING_DEPTH, Block, Entry, Line, Report
from pbem.engine.data.situation import Position, empty_mapping
from pbem.engine.game import Game
from pbem.engine.game_files import GameFiles
from pbem.engine.map.areas import AreaMap, Legend, read_map
from pbem.engine.map.charts import ChartNeeds, Codes
from pbem.engine.orders import speech
from pbem.engine.orders.doctrine import Plain
from pbem.engine.orders.grammar import CitedRules, Grammar, Slot, form, place, unit
from pbem.engine.orders.lex import COMMON, Vocabulary
from pbem.engine.orders.names import Names
from pbem.engine.orders.parser import Frame, Languages, Parser
from pbem.engine.orders.standing import Idiom, Pass
from pbem.engine.parts import OrderHelp, Reporting, RuleCases
from pbem.engine.reasons import choice_reason
from pbem.engine.run.questions import Option, Question
from pbem.engine.run.steps import Ask, Choice, Did, Outcome, Roll, Task, Window, World, choice, die
from pbem.engine.standard import entry_per_event, explain_entry, make_rulebook, record_fields, standard_decisions
from pbem.engine.terms import Orders, RejectedLine

BANDS = {"Owl": "north", "Fox": "north", "Gull": "south", "Seal": "south"}
PHRASES = "MARCH MARCHAR,ATTACKED ATACADO,HOLD AGUANTAR,YIELD CEDER"
WORDS = Vocabulary({**COMMON, **{phrase.split()[0]: phrase.split() for phrase in PHRASES.split(",")}})
SHELF = GameFiles(
    "beacon_game",
    ("clash",),
    {"clash": ChartNeeds((1, 2, 3, 4, 5, 6), ("fate",), Codes("stays|leaves", "stays or leaves"))},
)


@dataclass(frozen=True, eq=False)
class Edition(edition.Edition[AreaMap]):
    PRINTING, MAP = edition.CommonValues("beacon", "1", ""), AreaMap
    seats = MappingProxyType({"north": "north", "south": "south"})

    @classmethod
    def completed(cls, options: Mapping[str, Any]) -> Mapping[str, str]:
        if set(options) - {"turns"}:
            raise ValueError("there is the option turns, and no other")
        return dict(options)


def read_edition(scenario: str, options: Mapping[str, str], overlay: Mapping[str, str]) -> Edition:
    data, _ = SHELF.scenario(scenario)
    spaces, edges = SHELF.map("coast.spaces.csv", "coast.edges.csv")
    return Edition(
        read_map("coast", spaces, edges, Legend(("land",), ("road",), ())), SHELF.charts(overlay), data, options
    )


@dataclass(slots=True)
class State(Position):
    edition: Edition
    turn: int = 1
    phase: str = "north"
    places: Mapping[str, str] = field(default_factory=empty_mapping)

    def holder(self, place: str) -> str:
        return next((band for band, at in self.places.items() if at == place), "")

    def own(self, seat: str) -> dict[str, str]:
        return {band: at for band, at in self.places.items() if at and BANDS[band] == seat}

    def free(self, band: str) -> tuple[str, ...]:
        own = self.own(BANDS[band])
        near = self.edition.map.neighbours(own[band]) if band in own else ()
        return tuple(at for at in near if at not in own.values())


def start(edition: Edition) -> State:
    return State(edition, places=edition.scenario["bands"])


class March(NamedTuple):
    line: int
    band: str
    to: str


SLOTS: Mapping[str, Slot[State]] = {"band": unit(), "place": place()}
MARCH = form("MARCH {band:band} TO {to:place}", March, SLOTS, WORDS)
IDIOM = Idiom("B4", ("ATTACKED",), {"HOLD": "", "YIELD": ""})
GRAMMAR: Grammar[State, March | Pass] = Grammar(WORDS, IDIOM, CitedRules("B2", "B2"), (MARCH,), branching=False)
LANGUAGES: Languages[Edition] = Languages(
    IDIOM, lambda edition: BANDS, lambda edition: Names({at: () for at in edition.map.spaces})
)


class BeaconRules:
    def step(self, state: State, task: Task) -> Outcome:
        if task.name == "end":
            seat, turn = ("south", state.turn) if state.phase == "north" else ("north", state.turn + 1)
            over = turn > int(state.edition.options.get("turns", state.edition.scenario["turns"]))
            won = event("won", "B1", side=BANDS.get(state.holder("Hill"), "nobody"))
            ended = event("ended", "B1", phase="over" if over else seat, turn=turn)
            return Did((ended, won) if over else (ended,))
        _, band, to = task.args[0]
        moved, holder, where = event("moved", "B2", band=band, to=to), state.holder(to), f"{band}>{to}"
        if not holder:
            return Did((moved,))
        refuge = next((near for near in state.edition.map.neighbours(to) if not state.holder(near)), "")
        if not task.got:
            return Ask(Window(where, "attacked", BANDS[holder], holder, ("HOLD", "YIELD") if refuge else ("HOLD",)))
        chosen = choice(task, 0)
        did = event("met", "B4", band=holder, at=to, did=chosen.value[0], to=refuge, by=chosen.by)
        if chosen.value[0] == "YIELD":
            return Did((did, moved))
        if len(task.got) == 1:
            return Roll(where, "clash", 1, 6)
        label, rolled = die(task, 1)
        fate = state.edition.chart("clash").cell(rolled, "fate")
        clash = event("clash", "B5", band=holder, at=to, did=fate, to=refuge, die=rolled, label=label)
        return Did((did, clash, moved) if fate == "leaves" else (did, clash))

    def apply(self, state: State, happened: Event) -> State:
        data = happened.data
        if happened.kind == "moved" or data.get("did") in ("YIELD", "leaves"):
            return state.change(places={**state.places, data["band"]: data["to"]})
        return state.change(phase=data["phase"], turn=data["turn"]) if happened.kind == "ended" else state


def tell(happened: Event) -> Entry | None:
    data, kind = happened.data, happened.kind
    if kind == "moved":
        return Entry("B2", msg("{band} marches to {to}.", band=data["band"], to=data["to"]))
    if kind == "won":
        return Entry("B1", msg("The beacon is held by: {side}.", side=data["side"]))
    if kind == "ended":
        return None
    said = msg("{band} is attacked at {at}: {did}.", band=data["band"], at=data["at"], did=data["did"])
    if kind == "clash":
        return Entry("B5", said, (msg("die {die}", die=data["die"]),))
    return Entry("B4", said, choice_reason(data))


def question(view: State, window: Window, silence: Choice) -> Question:
    options = tuple(Option((o,), msg("it yields") if o == "YIELD" else msg("it holds")) for o in window.options)
    return Question(msg("{band} is attacked. What does it do?", band=window.subject), options)


def report(view: State, seat: str, seen: Sequence[tuple[Event, State]]) -> Report:
    bands = tuple((0, msg("{band} at {place}", band=band, place=view.places[band] or "-")) for band in BANDS)
    return Report(msg("Turn {turn}", turn=view.turn), (), GAME.telling.happenings(seen), (Block(msg("Bands"), bands),))


def text_map(view: State, seat: str) -> tuple[Line, ...]:
    near, spaces = view.edition.map.neighbours, view.edition.map.spaces
    return tuple((DRAWING_DEPTH, Msg(f"{i}: {view.holder(i) or '-'}, next {', '.join(near(i))}")) for i in spaces)


def template(view: State, seat: str, language: str, terms: object = None) -> tuple[str, ...]:
    march, to = (WORDS.word(word, language) for word in ("MARCH", "TO"))
    own = view.own(seat) if view.phase != "over" else ()
    return tuple(f"# {march} {band} {to} {' | '.join(view.free(band))}" for band in own if view.free(band))


def moves(view: State, seat: str, place: str, begun: bool = False) -> tuple[Msg, ...]:
    here = [band for band, at in view.own(seat).items() if at.casefold() == place.casefold()]
    return tuple(msg("{band}: MARCH TO {places}", band=band, places=view.free(band)) for band in here)


def marches(orders: Orders) -> list[March]:
    return [action for action in orders.actions if isinstance(action, March)]


def check(view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[RejectedLine, ...]:
    wrong = []
    for line, band, to in marches(orders):
        free = view.free(band)
        if to not in free or line != marches(orders)[0].line:
            why = msg("One band of yours marches, to a place next to its own where no other of yours stands.")
            said, better = (to, free) if to not in free else (band, ())
            wrong.append(RejectedLine(line, -1, said, why, "B2", better))
    return tuple(wrong)


def world(state: State, orders: Mapping[str, Orders], letters: object = None) -> World[State]:
    return World(state, (*(Task("march", (march,)) for march in marches(orders[state.phase])), Task("end")))


def see(happened: Event, seat: str, before: State) -> Event | None:
    if "by" not in happened.data or BANDS[happened.data["band"]] == seat:
        return happened
    return happened._replace(data={key: value for key, value in happened.data.items() if key != "by"})


def invariants(state: State) -> tuple[str, ...]:
    held = [at for at in state.places.values() if at]
    return tuple(f"several bands hold {one}" for one in sorted({at for at in held if held.count(at) > 1}))


GAME: Game[State, Edition] = Game(
    name="beacon",
    title=msg("The beacon"),
    rules=BeaconRules(),
    telling=Reporting(
        report=report,
        grouped=partial(entry_per_event, tell),
        question=question,
        why=partial(
            explain_entry, tell, lambda one: ("clash", (str(one.data["die"]), "fate")) if one.kind == "clash" else None
        ),
        order_line=lambda task: MARCH.write(task.args[0]) if task.name == "march" else "",
        spoken=lambda text, language: speech.translate(text, WORDS, language, {}),
        text_map=text_map,
    ),
    rulebook=make_rulebook(
        SHELF,
        {"orders": ((0, msg("MARCH band TO place, or PASS.")),)},
        {"cautious": "STANDING FOR ALL\n1. WHEN ATTACKED THEN YIELD\nENDSTANDING\n"},
    ),
    aids=OrderHelp(template=template, moves=moves),
    cased=RuleCases(
        state=lambda file, case: start(read_edition("dusk", {}, {})).change(
            phase=case["phase"], places=case["bands"], turn=case["turn"]
        ),
        world=world,
        holds=lambda phrase, state: phrase in {f"{band} at {at}" for band, at in state.places.items()},
        lookup=partial(lookup_holds, SHELF),
        keys=frozenset({"turn", "bands"}),
    ),
    **record_fields(SHELF, Edition, State),
    edition=read_edition,
    start=start,
    invariants=invariants,
    parse=lambda text, view, seat: Parser(GRAMMAR, LANGUAGES.of(view.edition, {}, seat), view, seat, Frame).read(text),
    check=check,
    canon=GRAMMAR.canon,
    world=world,
    decisions=partial(standard_decisions, Plain),
    view=lambda state, seat: state,
    see=see,
)
