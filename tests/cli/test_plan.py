"""What the demo's players have in their heads, without mail: whole games by the text of reports alone."""

import hashlib
import runpy
from pathlib import Path
from typing import Any

import pytest

from pbem.audit.dice import Stream
from pbem.campaign.letters import Head, model
from pbem.cli import demo
from pbem.cli.wiring import registry
from pbem.core.game import Orders, Phase
from pbem.core.runners import Done, play
from pbem.mail.inbound import SENTINEL
from pbem.reports.text import TextLetters

GAME = registry("africa1860")
LANGUAGES = {"spain": "es", "morocco": "en"}
PLAN = runpy.run_path(str(Path(demo.__file__).with_name("demo_games") / "africa1860" / "plan.py"))["Plan"]
WORDS = TextLetters(SENTINEL)


def report(state: Any, seat: str, seen: list[Any]) -> str:
    """The report as the seat gets it, the order form last if it is its phase."""
    view = GAME.view(state, seat)
    waits = GAME.phase(state)
    form = GAME.template(view, seat, LANGUAGES[seat]) if seat in GAME.active(state) else ()
    begin, end = ("ORDENES", "FIN") if LANGUAGES[seat] == "es" else ("ORDERS", "END")
    head = Head("g1", GAME.name, GAME.title, seat, Phase(waits[1], waits[0]) if waits else None, "x@games.example")
    told = model(
        "report",
        head,
        report=GAME.report(view, seat, seen),
        template=(f"{begin} T{state.turn} #abcd", *form, end) if form else (),
    )
    return WORDS.letter(told, LANGUAGES[seat])


def resolve(state: Any, orders: dict[str, Orders], beta: bytes) -> tuple[Any, list[Any]]:
    done = play(GAME.rules, GAME.world(state, orders), Stream(beta), GAME.decisions(state, orders, {}))
    assert isinstance(done, Done)
    seen, now = [], state
    for happened in done.events:
        seen.append((happened, now))
        now = GAME.rules.apply(now, happened)
    return now, seen


@pytest.mark.parametrize("seed", range(3))
def test_a_game_by_reports_alone_hardly_ever_meets_a_refusal(seed):
    state: Any = GAME.start(GAME.edition("castillejos", {}, {}))
    plans = {seat: PLAN(seat, language) for seat, language in LANGUAGES.items()}
    standing = {seat: GAME.parse("\n".join(plan.standing()), state, seat) for seat, plan in plans.items()}
    assert all(not read.rejected and len(read.orders.standing) == 3 for read in standing.values())
    refused = phases = 0
    seen: list[Any] = []
    while GAME.phase(state) is not None:
        seat = str(state.phase)
        lines = plans[seat].orders(report(state, seat, seen))
        read = GAME.parse("\n".join(lines), GAME.view(state, seat), seat)
        assert read.rejected == (), lines
        refused += len(GAME.check(GAME.view(state, seat), seat, read.orders))
        orders = {name: Orders((), standing[name].orders.standing) for name in plans}
        orders[seat] = Orders(read.orders.actions, standing[seat].orders.standing)
        for kind in ("two readings", "no leader", "misspelt order"):
            wrong = plans[seat].slip(kind, ["ORDERS T1", *lines, "END"])
            assert wrong is None or len(wrong) == len(lines) + 2
        state, seen = resolve(state, orders, hashlib.sha512(f"{seed} {phases}".encode()).digest())
        phases += 1
    assert phases == 28
    assert refused <= 4


def test_a_letter_with_nothing_in_it_is_answered_with_pass():
    for language, word in (("en", "PASS"), ("es", "PASAR")):
        plan = PLAN("morocco", language)
        assert plan.orders("") == [word]
        assert plan.early() == [word]
        assert plan.slip("two readings", ["ORDERS T1", word, "END"]) is None


def test_a_leader_is_named_when_the_answer_asks_for_one():
    state: Any = GAME.start(GAME.edition("castillejos", {}, {}))
    plan = PLAN("spain", "es")
    plan.orders(report(state, "spain", []))
    block = ["ORDERS T1", "ACTIVAR Nudos", "# ASALTAR Cresta CON Cuenca", "# MOVER Mont A Playa", "END"]
    why = "la infantería solo asalta con un líder de su espacio: AL MANDO DE lo nombra [O8.1]"
    assert plan.mended(block, 2, "Cuenca", why, ()) == "ASALTAR Cresta CON Cuenca AL MANDO DE Orozco"
    assert plan.mended(block, 2, "Cuenca", "no queda nadie", ()) is None
    # Of several readings the one that stands in the space is meant.
    assert plan.mended(block, 3, "Mont", "", ("Rodada5", "Montana1")) == "MOVER Montana1 A Playa"
    assert plan.mended(block, 3, "Mont", "", ("Rodada5",)) is None
