"""What the demo's players have in their heads, without mail: whole games by the text of reports alone."""

import hashlib
import re
import runpy
import tomllib
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import pytest

from pbem.audit.dice import Stream
from pbem.cli.demo import stage
from pbem.cli.rulebooks import registry
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import Orders, Phase
from pbem.letters.content import Head, Letter
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL

WORDS = TextLetters(SENTINEL)


class Table(NamedTuple):
    """A game as the demo plays it: its rules, the scenario, who writes which language, and the players' plans."""

    game: Any
    scenario: str
    languages: dict[str, str]
    plan: Callable[[str, str], Any]


@cache
def table(name: str, scenario: str = "", knows_the_battle: bool = True) -> Table:
    """A table of a game; of another scenario than that of its demo players may know nothing."""
    folder = stage.GAMES / name
    told, battles = (tomllib.loads((folder / f"{file}.toml").read_text("utf-8")) for file in ("demo", "battles"))
    languages = {player["seat"]: player["language"] for player in told["player"]}
    scenario = scenario or told["scenario"]
    plan = runpy.run_path(str(folder / "plan.py"))["Plan"]
    known = battles.get(scenario, {}) if knows_the_battle else {}
    return Table(registry(name), scenario, languages, partial(plan, knows=known))


at_length = pytest.mark.full
"""Games that are much like one of the first tier."""
UNKNOWN = (
    pytest.param("africa1860", "tetuan", marks=at_length),
    ("africa1860", "drill"),
    ("peninsular", "training"),
)


def report(at: Table, state: Any, seat: str, seen: list[Any]) -> str:
    """The report as the seat gets it, the order form last if it is its phase."""
    game, language = at.game, at.languages[seat]
    view = game.view(state, seat)
    waits = game.phase(state)
    form = game.aids.template(view, seat, language) if seat in game.active(state) else ()
    begin, end = ("ORDENES", "FIN") if language == "es" else ("ORDERS", "END")
    head = Head("g1", game.name, game.title, seat, Phase(waits[1], waits[0]) if waits else None, "x@games.example")
    told = Letter(
        "report",
        head,
        report=game.telling.report(view, seat, seen),
        template=(f"{begin} T{state.turn} #abcd", *form, end) if form else (),
    ).to_json()
    return WORDS.letter(told, language)


def without_map(text: str) -> str:
    """Return a report without its map, which is never cut."""
    before, after = re.split(r"^(?:The map|El mapa) \((?:MAP|MAPA) .*$", text, maxsplit=1, flags=re.MULTILINE)
    return before + after.partition("\n\n")[2]


def resolve(at: Table, state: Any, orders: dict[str, Orders], beta: bytes) -> tuple[Any, list[Any]]:
    game = at.game
    done = play(game.rules, game.world(state, orders), Stream(beta), game.decisions(state, orders, {}))
    assert isinstance(done, Done)
    seen, now = [], state
    for happened in done.events:
        seen.append((happened, now))
        now = game.rules.apply(now, happened)
    return now, seen


class Told(NamedTuple):
    """A game by reports alone: phases, lines refused, lines of the longest report but for its map, kinds of events."""

    phases: int
    refused: int
    longest: int
    kinds: set[str]


def by_reports(at: Table, seed: int, slips: tuple[str, ...]) -> Told:
    """Play a game to its end by what the reports say; what is refused is left out, as the players do."""
    state: Any = at.game.start(at.game.edition(at.scenario, {}, {}))
    plans = {seat: at.plan(seat, language) for seat, language in at.languages.items()}
    standing = {seat: at.game.parse("\n".join(plan.standing()), state, seat) for seat, plan in plans.items()}
    assert all(not read.rejected and len(read.orders.standing) >= 3 for read in standing.values())
    refused = phases = longest = 0
    kinds: set[str] = set()
    seen: list[Any] = []
    while at.game.phase(state) is not None:
        seat = str(state.phase)
        view = at.game.view(state, seat)
        text = report(at, state, seat, [(e, at.game.view(b, seat)) for e, b in seen if at.game.see(e, seat, b)])
        longest = max(longest, len(without_map(text).splitlines()))
        lines = plans[seat].orders(text)
        read = at.game.parse("\n".join(lines), view, seat)
        assert read.rejected == (), lines
        wrong = {item.line for item in at.game.check(view, seat, read.orders)}
        refused += len(wrong)
        read = at.game.parse("\n".join("" if n in wrong else line for n, line in enumerate(lines, 1)), view, seat)
        orders = {name: Orders((), standing[name].orders.standing) for name in plans}
        orders[seat] = Orders(read.orders.actions, standing[seat].orders.standing)
        for kind in slips:
            slipped = plans[seat].slip(kind, ["ORDERS T1", *lines, "END"])
            assert slipped is None or len(slipped) == len(lines) + 2
        state, seen = resolve(at, state, orders, hashlib.sha512(f"{seed} {phases}".encode()).digest())
        kinds |= {happened.kind for happened, _ in seen}
        phases += 1
    return Told(phases, refused, longest, kinds)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=at_length) for seed in (1, 2))])
def test_a_game_by_reports_alone_hardly_ever_meets_a_refusal(seed):
    told = by_reports(table("africa1860"), seed, ("two readings", "no leader", "misspelt order"))
    assert told.phases == 28
    assert told.refused <= 4


@at_length
@pytest.mark.parametrize("seed", range(2))
def test_tetuan_by_reports_alone_is_fought_for(seed):
    told = by_reports(table("africa1860", "tetuan"), seed, ("two readings", "no leader", "misspelt order"))
    assert told.phases > 20
    assert told.refused <= 4
    assert {"moves", "fires", "assault", "loses", "game over"} <= told.kinds


@pytest.mark.parametrize(("game", "scenario"), UNKNOWN)
def test_a_battle_that_players_know_nothing_of_beforehand_is_fought_too(game, scenario):
    told = by_reports(table(game, scenario, knows_the_battle=False), 1, ())
    assert told.phases > 8
    assert told.refused <= 4
    assert {"moves", "fires", "game over"} <= told.kinds
    assert {"assault", "shock"} & told.kinds


@at_length
@pytest.mark.parametrize("seed", range(2))
def test_barrosa_by_reports_alone_hardly_ever_meets_a_refusal(seed):
    told = by_reports(table("peninsular"), seed, ("two readings", "off the map", "misspelt order"))
    assert told.phases == 16
    assert told.refused <= 4
    assert told.longest <= 150
    assert {"moves", "fires", "shock", "loses", "ordered", "limbers", "arrival", "game over"} <= told.kinds


def test_a_plan_reads_the_map_and_the_forces_as_they_are_drawn():
    peninsular = table("peninsular")
    state: Any = peninsular.game.start(peninsular.game.edition("barrosa", {}, {}))
    ground = state.edition.map
    for seat in peninsular.languages:
        plan = peninsular.plan(seat, peninsular.languages[seat])
        plan.orders(report(peninsular, state, seat, []))
        at = plan.last
        assert {**at.mine, **at.theirs}.keys() == state.units.keys()
        for ident, unit in {**at.mine, **at.theirs}.items():
            real = state.units[ident]
            assert (unit.at, unit.limbered, unit.square) == (real.at, real.limbered, real.square)
            assert unit.pf == (real.pf if real.is_combat else 0)
        assert at.signs["1114"] == "."
        for hex_, sign in at.signs.items():
            assert sign == {"clear": ".", "beach": "b", "light wood": "w", "marsh": "m", "sea": "~"}.get(
                ground.terrain(hex_), "T"
            )
        assert {hex_: level for hex_, level in at.levels.items() if level} == {
            hex_: ground.level(hex_) for hex_ in at.signs if ground.level(hex_) and not state.at(hex_)
        }
        moving = [
            unit for unit in state.units.values() if seat in peninsular.game.active(state) and unit.side != "french"
        ]
        assert at.mp.keys() == {unit.id for unit in moving}


def test_a_hex_off_the_map_and_a_name_with_two_readings_are_mended():
    peninsular = table("peninsular")
    plan = peninsular.plan("french", "en")
    block = ["ORDERS T1", "MOVE GrenB TO 1510 FACE S", "END"]
    assert plan.slip("two readings", block) == ["ORDERS T1", "MOVE Gren TO 1510 FACE S", "END"]
    corrected = ["ORDERS T1", "# MOVE Gren TO 1510 FACE S", "END"]
    assert plan.mended(corrected, 1, "Gren", "Gren can mean several [S4]", ("GrenA", "GrenB")) == block[1]
    assert plan.slip("off the map", block) == ["ORDERS T1", "MOVE GrenB TO 9510 FACE S", "END"]
    corrected = ["ORDERS T1", "# MOVE GrenB TO 9510 FACE S", "END"]
    assert plan.mended(corrected, 1, "9510", "9510 is not on the map [S4]", ("0510", "1510")) == block[1]
    assert plan.mended(corrected, 1, "GrenB", "GrenB is routed [S5]", ()) is None


def test_a_letter_with_nothing_in_it_is_answered_with_pass():
    africa = table("africa1860")
    for language, word in (("en", "PASS"), ("es", "PASAR")):
        plan = africa.plan("morocco", language)
        assert plan.orders("") == [word]
        assert plan.early() == [word]
        assert plan.slip("two readings", ["ORDERS T1", word, "END"]) is None


def test_a_leader_is_named_when_the_answer_asks_for_one():
    africa = table("africa1860")
    state: Any = africa.game.start(africa.game.edition("castillejos", {}, {}))
    plan = africa.plan("spain", "es")
    plan.orders(report(africa, state, "spain", []))
    block = ["ORDERS T1", "ACTIVAR Nudos", "# ASALTAR Cresta CON Cuenca", "# MOVER Mont A Playa", "END"]
    why = "la infantería solo asalta con un líder de su espacio: AL MANDO DE lo nombra [O8.1]"
    assert plan.mended(block, 2, "Cuenca", why, ()) == "ASALTAR Cresta CON Cuenca AL MANDO DE Orozco"
    assert plan.mended(block, 2, "Cuenca", "no queda nadie", ()) is None
    # Of several readings the one that stands in the space is meant.
    assert plan.mended(block, 3, "Mont", "", ("Rodada5", "Montana1")) == "MOVER Montana1 A Playa"
    assert plan.mended(block, 3, "Mont", "", ("Rodada5",)) is None
