"""M Several commanders a side, in every scenario that names any: who may order whom, and who is told what."""

import re
from random import Random

import pytest

from pbem.engine.commanders.holding import check_commands, commands_of_side, seat_of_unit, units_of_command
from pbem.engine.data.canon import dumps
from pbem.engine.data.sources import SourceError
from pbem.engine.run.runners import play
from pbem.engine.terms import ONLOOKER
from pbem.games.africa1860 import GAME as AFRICA
from pbem.games.peninsular import GAME as PENINSULAR

SCENARIOS = [
    (AFRICA, "castillejos"),
    (AFRICA, "tetuan"),
    (AFRICA, "wadras"),
    (PENINSULAR, "barrosa"),
    (PENINSULAR, "rolica"),
]
every = pytest.mark.parametrize(("game", "scenario"), SCENARIOS, ids=[name for _, name in SCENARIOS])


class Sixes:
    """Dice that always show the same."""

    def roll(self, label, n, sides):
        return (min(2, sides),) * n


def begun(game, scenario, **options):
    return game.start(game.edition(scenario, {"commands": "split", **options}, {}))


def read(game, state, seat, text):
    return game.parse(text, game.view(state, seat), seat)


def played(game, state, **letters):
    """What comes of these letters: the events with the states before them, and the state after all."""
    orders = {}
    for seat, text in letters.items():
        reading = read(game, state, seat, text)
        assert reading.rejected == (), reading.rejected
        orders[seat] = reading.orders
    done = play(game.rules, game.world(state, orders), Sixes(), game.decisions(state, orders, {}))
    states = [state]
    for happened in done.events:
        states.append(game.rules.apply(states[-1], happened))
    return list(zip(done.events, states, strict=False)), states[-1]


def seen_by(game, seen, seat):
    return [shown for happened, before in seen if (shown := game.see(happened, seat, before)) is not None]


@every
def test_one_commander_is_the_game_as_it_was(game, scenario):
    plain, one_command = (game.edition(scenario, options, {}) for options in ({}, {"commands": "one"}))
    assert plain.digest == one_command.digest
    assert "commands" not in one_command.scenario
    assert "commands" not in one_command.stored_options()
    assert not one_command.commands
    split = game.edition(scenario, {"commands": "split"}, {})
    assert split.digest != one_command.digest
    assert game.edition_from_json(split.to_json()).digest == split.digest
    assert list(game.edition_from_json(split.to_json()).seats) == list(split.seats)


def test_nothing_is_split_where_a_scenario_names_no_commands():
    with pytest.raises(ValueError, match="the scenario names no commands"):
        AFRICA.edition("drill", {"commands": "split"}, {})


@every
def test_every_unit_of_a_side_with_commands_is_under_one(game, scenario):
    state = begun(game, scenario)
    sides = {command.side for command in state.edition.commands.values()}
    held = {seat: set(units_of_command(state, seat)) for seat in state.edition.commands}
    assert all(
        held[command.seat] for command in state.edition.commands.values() if command.rank == 1 and scenario != "wadras"
    )
    ids = [ident for ident, unit in state.units.items() if unit.side in sides]
    assert all(seat_of_unit(state, ident) for ident in ids)
    for command in state.edition.commands.values():
        assert commands_of_side(state, command.seat)[0].rank == 1


@every
def test_a_letter_may_name_units_of_its_own_command_alone(game, scenario):
    """Each unit of each other commander, in each order that a unit can be named in."""
    state = begun(game, scenario)
    places = sorted({unit.at for unit in state.units.values()})
    for seat in state.edition.commands:
        for ident, unit in sorted(state.units.items()):
            if unit.side != state.edition.seats[seat]:
                continue
            lines = [form.format(unit=ident, at=unit.at, to=places[0]) for form in FORMS[game.name]]
            for line in lines:
                reading = read(game, state, seat, line)
                others = [bad for bad in reading.rejected if bad.rule == "M1"]
                assert bool(others) == (seat_of_unit(state, ident) != seat), (seat, line, reading.rejected)
                for bad in others:
                    assert dict(bad.why.args)["command"] == seat_of_unit(state, ident)
                    assert "ASSIGN" in bad.why.text


FORMS = {
    "africa1860": (
        "ACTIVATE {at}\nMOVE {unit} TO {to}\nEND",
        "ACTIVATE {at}\nFIRE {unit} AT {to}\nEND",
        "ACTIVATE {at}\nASSAULT {to} WITH {unit} LED BY {unit}\nEND",
        "ACTIVATE {at}\nCHARGE {unit} AT {to}\nEND",
        "ACTIVATE {at}\nCARACOLE {unit} AT {to}\nEND",
        "RETIRE {unit}\nEND",
        "DEPLOY {unit} TO {to}\nEND",
        "IF TURN 9\nRETIRE {unit}\nELSE\nPASS\nENDIF\nEND",
        "IF TURN 9\nPASS\nELSE\nIF TURN 8\nACTIVATE {at}\nMOVE {unit} TO {to}\nENDIF\nENDIF\nEND",
    ),
    "peninsular": (
        "MOVE {unit} TO {to}\nEND",
        "FORM {unit} FORMED\nEND",
        "FACE {unit} NE\nEND",
        "FIRE {unit} AT {to}\nEND",
        "ASSAULT {to} WITH {unit} LED BY {unit}\nEND",
        "LIMBER {unit}\nEND",
        "DEPLOY {unit} TO {to}\nEND",
        "IF TURN 9\nPASS\nELSE\nMOVE {unit} TO {to}\nENDIF\nEND",
    ),
}


CLAUSES = (
    "LED BY Ros",
    "SCREEN Segorbe",
    "SUPPORT Regimiento5",
    "SUPPORT Montado3+Regimiento5",
    "DETACH Husares1",
    "LOSSES Cordoba, Zamora",
    "VANGUARD Zamora",
)


@pytest.mark.parametrize("clause", CLAUSES)
def test_no_clause_of_an_assault_names_anothers_unit(clause):
    state = begun(AFRICA, "tetuan")
    order = "ACTIVATE LlanoEste\nASSAULT Lagunas WITH Arapiles {clause}\nEND"
    (bad,) = read(AFRICA, state, "prim", order.format(clause=clause)).rejected
    assert (bad.line, bad.rule) == (2, "M1")
    assert read(AFRICA, state, "prim", order.format(clause="LED BY Prim VANGUARD Arapiles")).rejected == ()


def test_a_slip_of_the_pen_does_not_reach_anothers_unit():
    state = begun(AFRICA, "tetuan")
    for written in ("Zamor", "zamora", "Ciudad", "Baxa"):
        assert [bad.rule for bad in read(AFRICA, state, "prim", f"RETIRE {written}\nEND").rejected][:1] != [], written
    assert read(AFRICA, state, "ros", "RETIRE Zamor\nEND").orders.actions[0].units == ("Zamora",)


def test_orders_that_were_not_read_by_this_seat_are_not_carried_out_either():
    """A set made for another seat, past all reading: the rules refuse it again."""
    state = begun(AFRICA, "castillejos")
    zabalas = read(
        AFRICA,
        state.change(edition=AFRICA.edition("castillejos", {}, {})),
        "spain",
        "ACTIVATE Tarajal\nMOVE Principe TO Nudos\nRETIRE Luchana\nEND",
    ).orders
    done = play(AFRICA.rules, AFRICA.world(state, {"zabala": zabalas}), Sixes(), AFRICA.decisions(state, {}, {}))
    failed = [happened for happened in done.events if happened.kind == "not carried out"]
    assert [event.cite for event in failed] == ["M1", "M1"]
    assert {event.seen_by for event in failed} == {("zabala",)}
    assert done.state.units["Principe"].at == "Tarajal"


LETTERS = {
    "prim": "ACTIVATE Tarajal\nMOVE Principe TO Nudos\nMOVE Principe TO Nudos\nEND",
    "zabala": "ACTIVATE Tarajal\nMOVE Cordoba TO Nudos\nSTOP IF TURN AT LEAST 1\nMOVE Cordoba TO Nudos\nEND",
}


def both_present():
    state = begun(AFRICA, "castillejos")
    came = {ident: state.units["Luchana"]._replace(id=ident) for ident in ("Cordoba",)}
    return state.with_units(came)


def test_what_comes_to_nothing_is_told_to_its_command_alone_and_sets_to_the_side():
    seen, _ = played(AFRICA, both_present(), **LETTERS)
    failed = {
        seat: [event.data["line"] for event in seen_by(AFRICA, seen, seat) if event.kind == "not carried out"]
        for seat in ("prim", "zabala", "morocco", ONLOOKER)
    }
    assert failed == {"prim": [3], "zabala": [], "morocco": [], ONLOOKER: []}
    broken = {seat for seat in failed if any(event.kind == "breaks off" for event in seen_by(AFRICA, seen, seat))}
    assert broken == {"zabala"}
    for kind in ("order of march", "set begins", "sets over"):
        assert {seat for seat in failed if any(event.kind == kind for event in seen_by(AFRICA, seen, seat))} == {
            "prim",
            "zabala",
        }


@every
def test_what_a_seat_sees_before_the_close_does_not_know_of_anothers_set(game, scenario):
    """Views are of the position alone: no set is in it, and nobody's view is another's."""
    state = begun(game, scenario)
    for seat in state.edition.commands:
        view = game.view(state, seat)
        assert view.commanding == seat
        assert dumps(game.encode(game.decode(game.encode(view), state.edition))) == dumps(game.encode(view))
    for seat in (set(state.edition.seats) - set(state.edition.commands)) | {ONLOOKER}:
        assert game.view(state, seat).commanding == ""


def test_the_enemy_and_the_onlooker_learn_nothing_of_whose_set_it_is():
    seen, after = played(AFRICA, both_present(), **LETTERS)
    for happened, before in seen:
        for seat in ("morocco", ONLOOKER):
            view = AFRICA.view(before, seat)
            assert (view.commanding, view.joining, view.transfers, view.silent, view.assigned) == ("", (), {}, (), {})
            shown = AFRICA.see(happened, seat, before)
            assert shown is None or "seat" not in shown.data
    assert after.commanding == ""


def test_standing_orders_are_counted_and_told_by_commander():
    edition = AFRICA.edition("tetuan", {"commands": "split"}, {})
    state = AFRICA.start(edition).change(phase="spain")
    place = state.units["Arapiles"]._replace(at="LlanoCentro"), state.units["Prim"]._replace(at="LlanoCentro")
    state = state.with_units({unit.id: unit for unit in place})
    standing = "STANDING\nWHEN ASSAULTED THEN VANGUARD GaixTetuan ; SCREEN NONE LIMIT 1\nENDSTANDING\nEND"
    orders = {"ahmed": read(AFRICA, state, "ahmed", standing).orders}
    orders["prim"] = read(
        AFRICA, state, "prim", "ACTIVATE LlanoCentro\nASSAULT TrinCentro WITH Arapiles LED BY Prim\nEND"
    ).orders
    assert AFRICA.check(AFRICA.view(state, "prim"), "prim", orders["prim"]) == ()
    done = play(AFRICA.rules, AFRICA.world(state, orders), Sixes(), AFRICA.decisions(state, orders, {}))
    chosen = next(event for event in done.events if event.kind == "vanguard" and event.data["side"] == "morocco")
    assert chosen.data["by"] == "standing ALL 1 @ahmed"
    told_by = {seat: _by(AFRICA.see(chosen, seat, state)) for seat in ("ahmed", "caid", "prim")}
    assert told_by == {"ahmed": "standing ALL 1", "caid": "order of ahmed", "prim": ""}


def _by(happened):
    return happened.data.get("by", "")


def test_units_assigned_are_the_new_commands_from_the_next_turn_on():
    state = both_present()
    letters = {"prim": "ASSIGN Principe TO zabala\nPASS\nEND"}
    _, after = played(AFRICA, state, **letters)
    assert after.transfers == {"Principe": "zabala"}
    assert read(AFRICA, after, "zabala", "RETIRE Principe\nEND").rejected[0].rule == "M1"
    _, later = played(AFRICA, after, morocco="PASS\nEND")
    assert (later.turn, later.transfers, later.assigned) == (2, {}, {"Principe": "zabala"})
    assert read(AFRICA, later, "zabala", "RETIRE Principe\nEND").rejected == ()
    assert read(AFRICA, later, "prim", "RETIRE Principe\nEND").rejected[0].rule == "M1"
    assert AFRICA.view(later, "morocco").assigned == {}
    stored = AFRICA.decode(AFRICA.encode(later), later.edition)
    assert stored.assigned == later.assigned


@every
@pytest.mark.parametrize("bot", ["forward", "random"])
def test_form_desk_and_bots_know_a_commands_own_units_alone(game, scenario, bot):
    """What is offered to a seat, and what a bot in it writes, names none that another commander orders."""
    state = begun(game, scenario)
    luck = Random(7)
    for seat in state.edition.commands:
        view = game.view(state, seat)
        others = {
            unit
            for command in commands_of_side(view, seat)
            if command.seat != seat
            for unit in units_of_command(state, command.seat)
        }
        form = "\n".join((*game.aids.template(view, seat, "en"), *map(str, game.aids.offers(view, seat))))
        assert others.isdisjoint(re.split(r"[\s,+;|']+", form))
        choices = game.aids.choices(view, seat)
        assert others.isdisjoint({*choices.offers, *choices.leads})
        assert "|" in form or not units_of_command(state, seat) or scenario != "castillejos"
        reading = game.parse(game.bots[bot](view, seat, luck.randrange), view, seat)
        assert (reading.rejected, game.check(view, seat, reading.orders)) == ((), ())


WRONG = [
    ({"side": "france"}, "nobody plays france"),
    ({"units": ["Nizam"]}, "Nizam is no unit of spain"),
    ({"units": []}, "Rey is under no command"),
    ({"rank": 3}, "the ranks of spain are not 1 to 2"),
    ({"rank": True}, "the rank of ros cannot be True"),
    ({"units": ["Leon", "Rey"]}, "Leon is under prim already"),
    ({"units": [7]}, "7 is no unit"),
    ({"colour": "red"}, "a command has side, name, leader, rank, units"),
]


@pytest.mark.parametrize(("change", "why"), WRONG, ids=[why for _, why in WRONG])
def test_a_scenario_whose_commands_do_not_fit_is_refused(change, why):
    units = dict.fromkeys(("Prim", "Leon", "Ros", "Rey"), "spain") | {"Nizam": "morocco"}
    good = {"side": "spain", "name": "III", "leader": "Ros", "rank": 2, "units": ["Rey"]}
    first = {"side": "spain", "name": "II", "leader": "Prim", "rank": 1, "units": ["Leon"]}
    data = {"seats": {"spain": "spain", "morocco": "morocco"}, "commands": {"prim": first, "ros": good}}
    check_commands(data, units, str, ("", "trial.toml"))
    data["commands"] = {"prim": first, "ros": good | change}
    with pytest.raises(SourceError, match=why):
        check_commands(data, units, str, ("", "trial.toml"))
