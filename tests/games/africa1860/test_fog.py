"""C0 `fog`: what a seat cannot see changes nothing that it gets, now and as events go by."""

import random
from datetime import UTC, datetime
from itertools import islice

import pytest

from pbem.audit.dice import DiceStream
from pbem.engine.data.canon import loads
from pbem.engine.data.events import Event, event
from pbem.engine.data.messages import plain_english
from pbem.engine.luck import LuckOptions, PlayedPhase, evaluate_phase
from pbem.engine.parts import FormTerms
from pbem.engine.reasons import roll_labels
from pbem.engine.run.odds import StepBudget
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import ONLOOKER, Orders
from pbem.engine.testing.checks import check_same_view, outputs_for, step
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.bots import BOTS
from pbem.games.africa1860.forecast import FORECAST
from pbem.games.africa1860.state import enemy_of
from pbem.games.africa1860.victory import POSITION_VALUES
from pbem.games.africa1860.view import UNSEEN_MARK, seen_spaces
from pbem.play import phase_reports
from pbem.play.phase_reports import RequestedForm
from pbem.play.positions import Position
from pbem.store import tables
from tests.pictures.drawn import svg_of

SEATS = ("spain", "morocco")
NOON = datetime(2030, 1, 7, 12, tzinfo=UTC)
NEAR = (("Nudos", "Cresta"), ("Nudos", "Loma"), ("Centro", "Anghera"))


def start(fog="on"):
    return GAME.start(GAME.edition("castillejos", {"fog": fog}, {}))


def orders_of(state, seat, pick):
    view = GAME.view(state, seat)
    return GAME.parse(BOTS["forward"](view, seat, pick), view, seat).orders


def played(seed, phases):
    """A position some phases into a game of bots."""
    chance = random.Random(seed)
    state = start()
    for number in range(phases):
        orders = {seat: orders_of(state, seat, chance.randrange) for seat in GAME.active(state)}
        dice = DiceStream(bytes([seed, number]) * 32)
        result = play(GAME.rules, GAME.world(state, orders), dice, GAME.decisions(state, orders, {}))
        assert isinstance(result, Done)
        state = result.state
    return state


def twin(state, seat, chance):
    """The position with what the seat cannot see elsewhere and in another shape; None if nothing is hidden."""
    side = state.edition.seats[seat]
    seen = seen_spaces(state, side)
    out = sorted(set(state.edition.map.spaces) - seen)
    hidden = {i: u for i, u in state.units.items() if u.side != side and u.at not in seen}
    if not hidden or not out:
        return None
    changed = {
        i: u._replace(at=chance.choice(out), steps=chance.randint(1, u.full), demoralised=chance.random() < 0.5)
        for i, u in hidden.items()
    }
    enemy = enemy_of(side)
    return state.with_units(changed).change(uses={f"{enemy} standing ALL 1 vanguard": 3}, points={enemy: 9})


def pairs(seeds=30):
    count_found = 0
    for seed in range(seeds):
        chance = random.Random(seed)
        state = played(seed, chance.randrange(5))
        for seat in SEATS:
            other_world = twin(state, seat, chance)
            if other_world is not None:
                count_found += 1
                yield seat, state, other_world, chance
    assert count_found > seeds * 2 // 3


def row(state):
    """The position of a stored game, for what is made of it for programs."""
    game = tables.Game(
        id="g1", system="africa1860", scenario="castillejos", edition_digest="", scheme="", root="", created=NOON
    )
    return Position(game, GAME, state.edition, state, 1)


def everything(state, seat, chance):
    """All that is made for a seat from a position."""
    view = GAME.view(state, seat)
    text = BOTS["random"](view, seat, random.Random(7).randrange)
    reading = GAME.parse(text, view, seat)
    wrong = GAME.parse("ACTIVATE Condesa\nMOVE Bujari, Luchana TO Sur\nASSAULT Anghera WITH Cuenca", view, seat)
    spaces = state.edition.map.spaces
    return (
        outputs_for(GAME, state, seat, text),
        phase_reports.report_as_data(row(state), tables.Seat(game_id="g1", name=seat, side=""), [], RequestedForm()),
        phase_reports.form_offers(GAME, view, seat, FormTerms(purse=StepBudget(5_000))),
        phase_reports.map_block(row(state)),
        svg_of(GAME, state, seat),
        phase_reports.subject_of_ended_game(row(state), seat, view),
        [GAME.aids.moves(view, seat, space) for space in spaces],
        (wrong, GAME.check(view, seat, wrong.orders)),
        FORECAST.odds(view, seat, reading.orders, StepBudget(5_000)),
        [FORECAST.attack(f"FROM {space} ASSAULT {two} WITH Cuenca, GaixTanger", view, seat) for space, two in NEAR],
    )


@pytest.mark.parametrize("seeds", [5, pytest.param(30, marks=pytest.mark.full)])
def test_what_is_out_of_sight_changes_nothing_a_seat_gets(seeds):
    for seat, position, twin, chance in pairs(seeds):
        assert position.units != twin.units
        assert everything(position, seat, chance) == everything(twin, seat, chance)


def test_a_subject_tells_the_points_in_sight_and_how_many_are_out_of_it():
    for seat, position, _, _ in pairs():
        view = GAME.view(position, seat)
        sheet = GAME.telling.stakes(view, seat, ())
        points = "-".join(str(score.points) for score in sheet.scores)
        expected = f"the game is over, {points}" + (f" ({sheet.hidden} unseen)" if sheet.hidden else "")
        assert plain_english(phase_reports.subject_of_ended_game(row(position), seat, view)) == expected
    assert plain_english(
        phase_reports.subject_of_ended_game(row(start()), "spain", GAME.view(start(), "spain"))
    ).endswith(", 0-0 (11 unseen)")
    assert plain_english(phase_reports.subject_of_ended_game(row(start("off")), "spain", start("off"))).endswith(
        ", 0-11"
    )


@pytest.mark.parametrize("seeds", [10, pytest.param(30, marks=pytest.mark.full)])
def test_while_a_seat_sees_the_same_happen_it_goes_on_knowing_the_same(seeds):
    same, looks = 0, list[bool]()

    def wider(before, after, seat):
        """Only a look at new ground may show a difference that no event told of."""
        side = before.edition.seats[seat]
        looks.append(not seen_spaces(after, side) <= seen_spaces(before, side))
        return looks[-1]

    for seat, position, twin, chance in pairs(seeds):
        side = position.edition.seats[seat]
        orders = {seat: orders_of(position.change(phase=side), seat, chance.randrange)}
        same += check_same_view(GAME, (position.change(phase=side), twin.change(phase=side)), seat, orders, wider)
    assert same > 6 * seeds
    assert looks


class Eyes:
    """A seat's."""

    def __init__(self, seat):
        self.seat = seat

    def know(self, state, happened=()):
        return POSITION_VALUES.hindsight(GAME.view(state, self.seat), happened)

    def see(self, happened, before):
        shown = []
        for happening in happened:
            shown.append(GAME.see(happening, self.seat, before))
            before = GAME.rules.apply(before, happening)
        return [happening for happening in shown if happening is not None]


def throws_seen(world, seat, orders):
    """What hung on the throws that a seat saw, as it is told of them."""
    state = world.state
    own = GAME.decisions(GAME.view(state, seat), {seat: Orders((), orders[seat].standing)}, {})
    played = PlayedPhase(GAME.rules, world, DiceStream(b"7" * 64), GAME.decisions(state, orders, {}))
    luck = evaluate_phase(POSITION_VALUES, played, LuckOptions(Eyes(seat), own))
    return [roll for combat in luck.combats for roll in combat.rolls]


@pytest.mark.parametrize("seeds", [12, pytest.param(30, marks=pytest.mark.full)])
def test_the_luck_that_a_seat_is_told_rests_on_what_it_sees(seeds):
    count_told, weighty, preset = 0, 0, GAME.rulebook.preset("aggressive") or ""
    for seat, position, twin, chance in islice(pairs(seeds), 0, None, 2):
        enemy = next(name for name in SEATS if name != seat)
        for mover in SEATS:
            # The same orders in both; in one of them the enemy has standing orders as well.
            given = orders_of(position.change(phase=position.edition.seats[mover]), mover, chance.randrange)
            secret = GAME.parse(preset, position, enemy).orders.standing
            plain = {seat: Orders(), enemy: Orders()} | {mover: Orders(given.actions)}
            orders = [plain, plain | {enemy: plain[enemy]._replace(standing=secret)}]
            starts = [
                GAME.world(state.change(phase=mover), both)
                for state, both in zip((position, twin), orders, strict=True)
            ]
            labels = seen_alike(starts, seat, orders)
            throws_here, two = (throws_seen(*both) for both in zip(starts, (seat, seat), orders, strict=True))
            assert throws_here[: len(labels)] == two[: len(labels)]
            count_told += len(throws_here)
            weighty += sum(roll.variance[0] > 0 for roll in throws_here)
    assert count_told > seeds
    assert weighty > seeds / 2


def seen_alike(worlds, seat, orders):
    """The labels of the rolls that a seat sees in both worlds, as long as it sees the same in them."""
    labels = []
    while all(world.agenda for world in worlds):
        (shown_here, seen), (two, seen_there) = (
            step(GAME, world, seat, given, DiceStream(b"7" * 64)) for world, given in zip(worlds, orders, strict=True)
        )
        if seen != seen_there or GAME.encode(GAME.view(shown_here.state, seat)) != GAME.encode(
            GAME.view(two.state, seat)
        ):
            break
        labels += [label for text in seen for label in roll_labels(Event.from_json(loads(text)).data)]
        worlds = [shown_here, two]
    return labels


def test_without_fog_everything_is_seen():
    state = start("off")
    assert GAME.view(state, "spain") is state


@pytest.mark.parametrize(
    ("happened", "seen"),
    [
        (event("moves", "O3.2", side="morocco", units=["Nizam"], from_="Campamento", to="Sur"), None),
        (
            event("moves", "O3.2", side="morocco", units=["GaixTanger"], from_="Mochilas", to="Loma"),
            {"side": "morocco", "units": ["GaixTanger"], "from": UNSEEN_MARK, "to": "Loma"},
        ),
        (event("on the way", "R8a", side="morocco", unit="Nizam", to="Condesa"), None),
        (
            event("on the way", "R8a", side="morocco", unit="AngheraUno", to="Condesa"),
            {"side": "morocco", "unit": "AngheraUno", "to": "Condesa"},
        ),
        (event("enters", "O6", side="morocco", unit="x", id="Jinetes", space="Condesa"), None),
        (event("activates", "O5", side="morocco", space="Campamento"), None),
        (event("victory", "O6", points={"spain": 0, "morocco": 11}), None),
    ],
)
def test_events_out_of_sight_are_not_told_or_in_part(happened, seen):
    shown = GAME.see(happened, "spain", start())
    assert (None if shown is None else shown.data) == seen


def test_the_enemy_s_reason_is_never_told():
    chosen = event("vanguard", "O8.2", side="morocco", unit="Nizam", by="standing ALL 1")
    dimmed, own = (GAME.see(chosen, seat, start("off")) for seat in SEATS)
    assert dimmed is not None
    assert dimmed.data == {"side": "morocco", "unit": "Nizam"}
    assert own is not None
    assert own.data["by"] == "standing ALL 1"


def test_conditions_ask_only_what_is_seen():
    # Sur is out of Spain's sight; with Nizam there it looks empty all the same.
    state = start()
    state = state.with_units({"Nizam": state.units["Nizam"]._replace(at="Sur")})
    reading = GAME.parse("IF SPACE Sur EMPTY\nACTIVATE Tarajal\nMOVE Luchana TO Nudos\nENDIF", state, "spain")
    orders = {"spain": Orders(reading.orders.actions)}
    result = play(GAME.rules, GAME.world(state, orders), DiceStream(b"0" * 64), GAME.decisions(state, orders, {}))
    assert result.state.units["Luchana"].at == "Nudos"


def test_an_onlooker_sees_what_everybody_sees_and_nothing_under_fog():
    state = start("off").change(uses={"spain standing ALL 1 vanguard": 1})
    assert GAME.view(state, ONLOOKER).uses == {}
    assert GAME.view(start("on"), ONLOOKER) is None
    assert GAME.view(start("on").change(phase="over"), ONLOOKER) is not None
    chosen = event("vanguard", "O8.2", side="morocco", unit="Nizam", by="standing ALL 1")
    for seat_by in (chosen, event("marked", "R11", units=["Nizam"], by="default")):
        seen = GAME.see(seat_by, ONLOOKER, start("off"))
        assert seen is not None
        assert "by" not in seen.data
    assert GAME.see(chosen, ONLOOKER, start("on")) is None
    assert GAME.see(chosen._replace(seen_by=("spain",)), ONLOOKER, start("off")) is None


def test_the_report_of_an_onlooker_has_the_forces_of_both_and_no_chores():
    view = GAME.view(start("off"), ONLOOKER)
    titles = [(block.title.text, dict(block.title.args)) for block in GAME.telling.report(view, ONLOOKER, []).blocks]
    assert [text for text, _ in titles] == [
        "The map (MAP shows all spaces, signs and ways)",
        "Forces: {side}",
        "Forces: {side}",
    ]
    assert [args["side"].text for _, args in titles[1:]] == ["Spain", "Morocco"]


def test_that_orders_were_broken_off_is_for_who_gave_them():
    state = start("off").change(phase="spain", stopped=True)
    assert GAME.view(state, "spain").stopped
    assert not GAME.view(state, "morocco").stopped
    assert not GAME.view(state, ONLOOKER).stopped
