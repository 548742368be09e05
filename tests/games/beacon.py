"""The beacon: a whole game of four bands and seven places, to show how little a game has to bring.

    MARCH Owl TO Hill (MARCHAR Owl A Hill)      one band a turn, to a place next to its own; or PASS (PASAR)
    STANDING FOR UNIT Gull                      what Gull does when it is attacked; FOR SPACE and FOR ALL likewise
    1. WHEN ATTACKED THEN YIELD                 HOLD, YIELD, or ASK WITHIN 24: its owner is asked by letter
    ENDSTANDING

Nothing is hidden, no chart can be replaced, and odds are not reckoned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from pbem.core import parts
from pbem.core.data.canon import Json, digest
from pbem.core.data.events import Event, event
from pbem.core.data.messages import Msg, msg
from pbem.core.data.report import PLAIN, Block, Entry, Line, Report
from pbem.core.game import Because, Game, Orders, Reading, Rejected
from pbem.core.map.areas import AreaMap, Edge, Space
from pbem.core.orders import doctrine, standing
from pbem.core.orders.grammar import Reader, Wrong
from pbem.core.orders.lex import Vocabulary, statements
from pbem.core.orders.names import Names
from pbem.core.orders.standing import Idiom, Lexicon, Reaction, Rule, canon_standing, read_rule, read_scope
from pbem.core.run.questions import Asks, Option, Question, Value
from pbem.core.run.steps import Ask, Choice, Did, Outcome, Roll, Rules, Task, Window, World

BANDS = {"Owl": "north", "Fox": "north", "Gull": "south", "Seal": "south"}
START = (("Owl", "Mill"), ("Fox", "Wood"), ("Gull", "Quay"), ("Seal", "Dune"))
WAYS = ("Farm Mill", "Mill Wood", "Mill Hill", "Wood Hill", "Hill Quay", "Hill Dune", "Quay Dune", "Quay Cove")
PLACES = ("Farm", "Mill", "Wood", "Hill", "Quay", "Dune", "Cove")
MAP = AreaMap("beacon", (Space(i, i, i, "land") for i in PLACES), (Edge(a, b, "road") for a, b in map(str.split, WAYS)))
MARCH = "MARCH {} TO {}"
CHART = """B5  Clash, by the die of the band that marches in
  1-3  who is attacked stays, and the other goes back
  4-6  who is attacked leaves for the first free place next to him, or for good
"""
RULES = {
    "B1": "North marches, then south, for so many turns; whoever holds the Hill then has won",
    "B2": "One band of the side marches, to a place next to its own where no other of the side stands",
    "B4": "Who is attacked holds, or yields to the first free place next to his",
    "B5": "Clash",
}
PHRASES = """MARCH MARCHAR,TO A,PASS PASAR,STANDING DOCTRINA,ENDSTANDING FINDOCTRINA,FOR PARA,ALL TODO,SPACE ESPACIO,
LEADER LIDER,UNIT UNIDAD,WHEN CUANDO,ATTACKED ATACADO,THEN ENTONCES,HOLD AGUANTAR,YIELD CEDER,ASK CONSULTAR,WITHIN EN"""
WORDS = Vocabulary({phrase.split()[0]: phrase.split() for phrase in PHRASES.split(",")})
BAND_NAMES, PLACE_NAMES = Names(dict.fromkeys(BANDS, ())), Names(dict.fromkeys(PLACES, ()))
LEXICON = Lexicon(Idiom("B4", ("ATTACKED",), {"HOLD": "", "YIELD": ""}), BAND_NAMES, PLACE_NAMES, BAND_NAMES)


class State(NamedTuple):
    turns: int
    turn: int
    seat: str
    places: tuple[tuple[str, str], ...]

    def holder(self, place: str) -> str:
        return next((band for band, at in self.places if at == place), "")

    def own(self, seat: str) -> dict[str, str]:
        return {band: at for band, at in self.places if at and BANDS[band] == seat}


class BeaconRules:
    def step(self, state: State, task: Task) -> Outcome:
        if task.name == "end":
            seat, turn = ("south", state.turn) if state.seat == "north" else ("north", state.turn + 1)
            won = event("won", "B1", side=BANDS.get(state.holder("Hill"), "nobody"))
            ended = event("ended", "B1", seat=seat, turn=turn)
            return Did((ended, won) if turn > state.turns else (ended,))
        band, to = task.args
        moved, holder, where = event("moved", "B2", band=band, to=to), state.holder(to), f"{band}>{to}"
        if not holder:
            return Did((moved,))
        refuge = next((near for near in MAP.neighbours(to) if not state.holder(near)), "")
        if not task.got:
            return Ask(Window(where, "attacked", BANDS[holder], holder, ("HOLD", "YIELD") if refuge else ("HOLD",)))
        choice, *rolled = cast(Any, task.got)
        did = event("met", "B4", band=holder, at=to, did=choice.value[0], to=refuge, by=choice.by)
        if choice.value[0] == "YIELD":
            return Did((did, moved))
        if not rolled:
            return Roll(where, "clash", 1, 6)
        die, label = rolled[0].values[0], rolled[0].label
        does = "stays" if die <= 3 else "leaves"
        clash = event("clash", "B5", band=holder, at=to, did=does, to=refuge, die=die, label=label)
        return Did((did, clash, moved) if does == "leaves" else (did, clash))

    def apply(self, state: State, happened: Event) -> State:
        data = happened.data
        if happened.kind == "moved" or data.get("did") in ("YIELD", "leaves"):
            return state._replace(places=tuple((b, data["to"] if b == data["band"] else at) for b, at in state.places))
        return state._replace(seat=data["seat"], turn=data["turn"]) if happened.kind == "ended" else state


class Doctrine(doctrine.Doctrine[State, None]):
    def scene(self, state: State, window: Window) -> None:
        return None

    def reactions(self, state: State, window: Window, rule: Rule, scene: None) -> Sequence[Reaction]:
        return rule.reactions if rule.scope.id in ("", window.subject, window.where.partition(">")[2]) else ()

    def value(self, state: State, window: Window, reaction: Reaction) -> Value:
        return (reaction.keyword,) if reaction.keyword in window.options else ()

    def default(self, state: State, window: Window) -> Value:
        return ("HOLD",)


class Edition(NamedTuple):
    turns: int

    @property
    def digest(self) -> str:
        return digest(self.to_json())

    def to_json(self) -> Json:
        return {"scenario": "dusk", "turns": self.turns, "rules": "beacon 1", "chart": CHART}


def tell(happened: Event) -> Entry:
    """A happening as it is told."""
    data = happened.data
    if happened.kind == "moved":
        return Entry("B2", msg("{band} marches to {to}.", band=data["band"], to=data["to"]))
    if happened.kind == "won":
        return Entry("B1", msg("The beacon is held by: {side}.", side=data["side"]))
    said = msg("{band} is attacked at {at}: {did}.", band=data["band"], at=data["at"], did=data["did"])
    if happened.kind == "clash":
        return Entry("B5", said, (msg("die {die}", die=data["die"]),))
    return Entry("B4", said, (msg("by its standing order"),) if data.get("by", "").startswith("standing") else ())


class Telling(parts.Telling):
    def question(self, view: State, window: Window, silence: Choice) -> Question:
        options = tuple(Option((o,), msg("it yields") if o == "YIELD" else msg("it holds")) for o in window.options)
        return Question(msg("{band} is attacked. What does it do?", band=window.subject), options)

    def happenings(self, seen: Sequence[tuple[Event, Any]]) -> tuple[Entry, ...]:
        return tuple(tell(happened) for happened, _ in seen if happened.kind != "ended")

    def report(self, view: State, seat: str, seen: Sequence[tuple[Event, Any]]) -> Report:
        bands = tuple((0, msg("{band} at {place}", band=band, place=at or "-")) for band, at in view.places)
        return Report(msg("Turn {turn}", turn=view.turn), (), self.happenings(seen), (Block(msg("Bands"), bands),))

    def why(self, view: State, seat: str, seen: Sequence[Any], number: int, orders: Orders) -> Because | None:
        told = [(place, happened) for place, (happened, _) in enumerate(seen) if happened.kind != "ended"]
        if not 1 <= number <= len(told):
            return None
        place, happened = told[number - 1]
        by = canon_standing(rule for rule in orders.standing if doctrine.name_of(rule) == happened.data.get("by"))
        because = Because(tell(happened), (place,), (happened.cite,), tuple(by))
        if happened.kind == "clash":
            row = "1-3" if happened.data["die"] <= 3 else "4-6"
            return because._replace(labels=(happened.data["label"],), charts=(CHART.replace(row, f"[{row}]"),))
        return because

    def order_line(self, task: Task) -> str:
        return MARCH.format(*task.args) if task.name == "march" else ""

    def text_map(self, view: State, seat: str) -> tuple[Line, ...]:
        return tuple((PLAIN, Msg(f"{i}: {view.holder(i) or '-'}, next {', '.join(MAP.neighbours(i))}")) for i in PLACES)


class Book(parts.Rulebook):
    def chart(self, name: str, edition: object = None) -> str | None:
        return CHART if name.casefold() in ("b5", "clash") else None

    def charts(self) -> tuple[str, ...]:
        return ("B5 Clash",)

    def rule(self, number: str, language: str = "en") -> tuple[str, ...]:
        return (f"{number}  {RULES[number]}",) if number in RULES else ()

    def help(self, topic: str) -> tuple[tuple[int, Msg], ...]:
        return ((0, msg("MARCH band TO place, or PASS.")),) if topic == "orders" else ()

    def preset(self, name: str) -> str | None:
        return "STANDING FOR ALL\n1. WHEN ATTACKED THEN YIELD\nENDSTANDING\n" if name == "cautious" else None


class Aids(parts.Aids):
    def template(
        self, view: State, seat: str, language: str, terms: parts.FormTerms = parts.AS_IT_IS
    ) -> tuple[str, ...]:
        march, to = ("MARCHAR", "A") if language == "es" else ("MARCH", "TO")
        own = view.own(seat).items() if GAME.phase(view) else ()
        return tuple(f"# {march} {band} {to} {MAP.neighbours(at)[0]}" for band, at in own)

    def moves(self, view: State, seat: str, place: str, begun: bool = False) -> tuple[Msg, ...]:
        here = [(band, at) for band, at in view.own(seat).items() if at == PLACE_NAMES.find(place).id]
        return tuple(msg("{band}: MARCH TO {places}", band=band, places=MAP.neighbours(at)) for band, at in here)


class Beacon(Game):
    name, title = "beacon", msg("The beacon")
    rules: Rules[Any] = BeaconRules()
    telling, rulebook, aids = Telling(), Book(), Aids()

    def editions(self) -> Mapping[str, Msg]:
        return {"dusk": msg("From dusk to dawn")}

    def edition(self, scenario: str, options: Mapping[str, str], overlay: Mapping[str, str]) -> Edition:
        if scenario != "dusk" or overlay or set(options) - {"turns"}:
            raise ValueError("there is the scenario dusk with the option turns, and no chart can be replaced")
        return Edition(int(options.get("turns", "3")))

    def edition_from_json(self, value: Json) -> Edition:
        return Edition(value["turns"])

    def start(self, edition: Any) -> State:
        return State(edition.turns, 1, "north", START)

    def seats(self, state: State) -> Mapping[str, str]:
        return {"north": "north", "south": "south"}

    def phase(self, state: State) -> tuple[str, int] | None:
        return (state.seat, state.turn) if state.turn <= state.turns else None

    def active(self, state: State) -> tuple[str, ...]:
        return (state.seat,)

    def parse(self, text: str, view: State, seat: str) -> Reading:
        marches, rules, wrong = list[tuple[int, str, str]](), list[Rule](), list[Rejected]()
        lexicon, scope = LEXICON._replace(mine=Names({band: () for band in BANDS if BANDS[band] == seat})), None
        for statement in statements(text):
            reader = Reader(statement, WORDS, "B4" if scope else "B2")
            try:
                if scope and reader.accept("ENDSTANDING"):
                    scope = None
                elif scope:
                    nth = 1 + sum(rule.scope == scope for rule in rules)
                    rules.append(read_rule(reader, lexicon, scope, nth))
                elif (verb := reader.expect("MARCH", "PASS", "STANDING")) == "STANDING":
                    scope = read_scope(reader, lexicon)
                elif verb == "MARCH":
                    band, _ = reader.name(BAND_NAMES, standing.unknown_unit), reader.expect("TO")
                    marches.append((reader.line, band, reader.name(PLACE_NAMES, standing.unknown_space)))
                    reader.finish()
            except Wrong as mistake:
                wrong.append(mistake.rejected)
        return Reading(Orders(tuple(marches), tuple(rules)), tuple(wrong))

    def check(self, view: State, seat: str, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
        own, wrong = view.own(seat), []
        for line, band, to in orders.actions:
            free = [place for place in MAP.neighbours(own[band]) if place not in own.values()] if band in own else []
            if to not in free or line != orders.actions[0][0]:
                why = msg("One band of yours marches, to a place next to its own where no other of yours stands.")
                near = tuple(MARCH.format(band, place) for place in free)
                wrong.append(Rejected(line, -1, to if free else band, why, "B2", near))
        return tuple(wrong)

    def canon(self, orders: Orders) -> str:
        lines = [MARCH.format(band, to) for _, band, to in orders.actions]
        return "".join(f"{line}\n" for line in (*lines, *canon_standing(orders.standing)))

    def world(self, state: State, orders: Mapping[str, Orders], letters: object = None) -> World[Any]:
        return World(state, (*(Task("march", march[1:]) for march in orders[state.seat].actions), Task("end")))

    def decisions(
        self, state: State, orders: Mapping[str, Orders], answers: Mapping[str, Sequence[str]], asks: Asks | None = None
    ) -> Doctrine:
        return Doctrine({seat: one.standing for seat, one in orders.items()}, answers, asks)

    def view(self, state: State, seat: str) -> State:
        return state

    def see(self, happened: Event, seat: str, before: State) -> Event | None:
        if "by" not in happened.data or BANDS[happened.data["band"]] == seat:
            return happened
        return happened._replace(data={key: value for key, value in happened.data.items() if key != "by"})

    def encode(self, state: State) -> Json:
        return {"turn": state.turn, "seat": state.seat, "places": dict(state.places)}

    def decode(self, value: Json, edition: Any) -> State:
        return State(edition.turns, value["turn"], value["seat"], tuple((b, value["places"][b]) for b in BANDS))

    def invariants(self, state: State) -> tuple[str, ...]:
        return tuple(f"{one} holds several bands" for one in PLACES if [at for _, at in state.places].count(one) > 1)


GAME = Beacon()
