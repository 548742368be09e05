"""Rules read again, reckoned a second time: positions at random, and a small computation from the text beside each.

None of these computations knows the engine: they see units, edges and dice as a reader of the rulebook does.
"""

import random
from fractions import Fraction

import pytest

from pbem.engine.run.runners import play
from pbem.engine.terms import Orders
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.edition import GAME_FILES
from pbem.games.africa1860.scenario import case_state, case_world

SEEDS = range(40)
TOWNS = ["Y town rear:spain", "Z town rear:morocco"]


class Throws:
    """Dice that fall as they are told, by the end of their label; all others show a 1, and each is remembered."""

    def __init__(self, thrown=()):
        self.told, self.seen = dict(thrown), []

    def roll(self, label, n, sides):
        what = label.partition("/")[2]
        self.seen.append((what, n))
        return (self.told.get(what, 1),) * n


def resolved(spaces, edges, units, side, letter, **case):
    """Play a letter on a map drawn for it: state, events, rolls."""
    dice = case.pop("dice", Throws())
    state = case_state({"map": {"spaces": spaces, "edges": edges}}, {"phase": side, "units": units, **case})
    orders = {side: Orders()}
    for seat, text in ((side, letter), *case.get("standing", {}).items()):
        reading = GAME.parse(text, state, seat)
        assert reading.rejected == ()
        orders[seat] = reading.orders
    done = play(GAME.rules, case_world(state, orders, side), dice, GAME.decisions(state, orders, {}))
    return done.state, done.events, dice.seen


def bare_losses(steps, vanguard, total):
    """R17 A step at a time: the vanguard, then whoever has most, the vanguard last among equals, then by id."""
    left = dict(steps)
    for nth in range(total):
        most = max(left.values())
        if not most:
            break
        equal = sorted(ident for ident, n in left.items() if n == most)
        hit = vanguard if not nth else ([ident for ident in equal if ident != vanguard] or equal)[0]
        left[hit] -= 1
    return left


def half_of(basis, mine, theirs, guns, vanguard):
    """C0, R24 What the attacker and the defender lose whatever the dice are."""
    stack = (sum(theirs.values()) + guns) // 2
    if basis == "defender-vanguard":
        return theirs[vanguard] // 2, theirs[vanguard] // 2
    return stack, stack if basis == "defender-stack" else sum(mine.values()) // 2


def test_c0_the_steps_lost_in_a_shock_by_every_basis(subtests):
    for basis in ["defender-stack", "defender-vanguard", "opponent-stack"]:
        for seed in SEEDS:
            with subtests.test(f"{basis!r} {seed!r}"):
                luck = random.Random(seed)
                mine = {f"S{n}": luck.randint(1, 6) for n in range(luck.randint(1, 4))}
                theirs = {f"M{n}": luck.randint(1, 6) for n in range(luck.randint(1, 4))}
                factors = {ident: luck.randint(0, 3) for ident in (*mine, *theirs)}
                guns, trains, bonus = luck.choice([0, 0, 2, 3]), luck.choice([0, 4]), luck.randint(0, 2)
                lead, meets = luck.choice(sorted(mine)), luck.choice(sorted(theirs))
                dice = luck.randint(1, 6), luck.randint(1, 6)
                units = [f"spain OF Ros {bonus}/0 at B"]
                units += [f"spain IR {i} fire 0 assault {factors[i]} steps {n} morale 4 at B" for i, n in mine.items()]
                units += [
                    f"morocco NZ {i} fire 0 assault {factors[i]} steps {n} morale 4 at C" for i, n in theirs.items()
                ]
                units += [f"morocco ART Gun fire 0 assault 0 steps {guns} morale 4 at C"] if guns else []
                units += [f"morocco CNV Train fire 0 assault 0 steps {trains} morale 4 at C"] if trains else []
                standing = f"STANDING FOR ALL\n1. WHEN ASSAULTED THEN VANGUARD {meets} ; SCREEN NONE\nENDSTANDING"
                state, _, _ = resolved(
                    ["B clear", "C clear", "D clear", *TOWNS],
                    ["B-C open", "C-D open", "B-Y open", "D-Z open"],
                    units,
                    "spain",
                    f"ACTIVATE B\nASSAULT C WITH {', '.join(mine)} LED BY Ros VANGUARD {lead} SCREEN NONE\n",
                    standing={"morocco": standing},
                    options={"loss_basis": basis},
                    dice=Throws({"shock attacker": dice[0], "shock defender": dice[1]}),
                )
                odds = Fraction(sum(mine.values()), sum(theirs.values()))
                more = [2 if ratio >= 3 else 1 if ratio >= 2 else 0 for ratio in (odds, 1 / odds)]
                won = dice[0] + factors[lead] + bonus + more[0] > dice[1] + factors[meets] + more[1]
                apart, halves = abs(dice[0] - dice[1]), half_of(basis, mine, theirs, guns, meets)
                wanted = bare_losses(mine, lead, halves[0] + (apart // 2 if won else apart))
                wanted |= bare_losses(theirs, meets, halves[1] + (apart if won else apart // 2))
                assert {i: state.units[i].steps if i in state.units else 0 for i in wanted} == wanted
                assert [state.gone.get(i) for i, there in (("Gun", guns), ("Train", trains)) if there] == [
                    "captured" if won else None for there in (guns, trains) if there
                ]


def test_r22a_which_guns_support_and_in_which_order(subtests):
    for seed in SEEDS:
        with subtests.test(f"{seed}"):
            luck = random.Random(seed)
            near = luck.sample(["A", "B", "D", "E"], 4)
            guns = {f"G{n}": (luck.choice(near), luck.random() < 0.15) for n in range(5)}
            origin = luck.choice(near)
            units = [f"spain OF Ros 3/3 at {origin}", f"spain IR Leon fire 0 assault 3 steps 8 morale 5 at {origin}"]
            units += [
                f"spain ART {gun} fire 1 assault 0 steps 2 morale 4 at {space}{' fired' * spent}"
                for gun, (space, spent) in guns.items()
            ]
            # Somewhere else than beside the target: E.
            edges = [
                "A-C open",
                "B-C path",
                "D-C ford",
                "E-A open",
                "E-D open",
                "C-Z open",
                "A-Y open",
                "A-B open",
                "D-B open",
            ]
            written = [tuple(group) for group in cut(luck, luck.sample(sorted(guns), luck.randint(1, 4)))]
            letter = (
                f"ACTIVATE {origin}\nASSAULT C WITH Leon LED BY Ros SUPPORT {', '.join('+'.join(g) for g in written)}\n"
            )
            state, events, rolls = resolved(
                ["A clear", "B clear", "C clear", "D clear", "E clear", *TOWNS],
                edges,
                [*units, "morocco NZ Nizam fire 0 assault 2 steps 9 morale 4 at C"],
                "spain",
                letter,
            )
            apart = any(len({guns[gun][0] for gun in group}) > 1 for group in written)
            spent = any(guns[gun][1] for group in written for gun in group)
            far = any(guns[gun][0] not in {origin, "A", "B", "D"} for group in written for gun in group)
            refused = apart or spent or far or origin == "E"
            assert refused == any(happened.kind == "not carried out" for happened in events)
            fired = [what for what, _ in rolls if what.startswith("fire ")]
            if refused:
                assert fired == []
                assert {unit.id for unit in state.units.values() if unit.activated} == set()
                return
            places = {group: guns[group[0]][0] for group in written}
            order = [group for group in written if places[group] == origin]
            for space in sorted({*places.values()} - {origin}):
                order += [group for group in written if places[group] == space]
            assert fired == [f"fire {'+'.join(sorted(group))} > Nizam" for group in order]
            used = {gun for group in written for gun in group}
            before = {gun for gun, (_, spent) in guns.items() if spent}
            assert {unit.id for unit in state.units.values() if unit.fired} == used | before
            assert {unit.id for unit in state.units.values() if unit.activated} == {*used, "Ros", "Leon"}
            assert ("R22a" in {happened.cite for happened in events}) == ({*places.values()} != {origin})


def cut(luck, names):
    """Names in groups of one or two, in their order."""
    while names:
        size = luck.randint(1, 2)
        yield names[:size]
        names = names[size:]


def test_c11_2_the_coins_of_guns_that_fire_over_a_parapet_or_not(subtests):
    for seed in SEEDS:
        with subtests.test(f"{seed}"):
            luck = random.Random(seed)
            terrain = luck.choice(["clear", "heights", "woods", "town", "fortified", "camp", "marsh"])
            kind, turned = luck.choice(["parapet", "parapet", "open", "slope"]), luck.random() < 0.5
            fire, steps = luck.randint(1, 5), luck.randint(1, 5)
            _, _, rolls = resolved(
                ["B clear", f"C {terrain}", "D clear", *TOWNS],
                # D has a parapet of its own, which is no matter of C's other edges.
                [f"{'C-B' if turned else 'B-C'} {kind}", "D-C parapet", "B-Y open", "C-Z open"],
                [
                    f"spain ART Gun fire {fire} assault 0 steps {steps} morale 4 at B",
                    "morocco NZ Nizam fire 1 assault 1 steps 8 morale 4 at C",
                ],
                "spain",
                "ACTIVATE B\nFIRE Gun AT C\n",
            )
            less = (terrain in ("heights", "woods", "town", "fortified")) + (kind == "parapet" and not turned)
            assert ("fire Gun > Nizam", max(1, min(fire, steps) - less)) in rolls


KINDS = ("open", "road", "path", "ford", "bridge", "slope", "parapet")


def drawn(luck, names):
    """A map at random on which every space is reached, as ordered pairs with their kind."""
    names_by_rank = {}
    for nth, name in enumerate(names[1:], 1):
        names_by_rank[luck.choice(names[:nth]), name] = luck.choice(KINDS)
    for _ in range(4):
        a, b = luck.sample(names, 2)
        if (a, b) not in names_by_rank and (b, a) not in names_by_rank:
            names_by_rank[a, b] = luck.choice(KINDS)
    return names_by_rank


def joined(edges):
    """The kind of the edge by either way of naming it."""
    return {**edges, **{(b, a): kind for (a, b), kind in edges.items()}}


def test_c11_1_where_cavalry_may_ride_in_one_move(subtests):
    for seed in SEEDS:
        with subtests.test(f"{seed}"):
            luck = random.Random(seed)
            names = list("ABCDEF")
            edges = drawn(luck, names)
            ways, foes = joined(edges), set(luck.sample(names[1:], 1))
            units = ["spain CAB Husares fire 2 assault 3 steps 2 morale 5 at A"]
            units += [f"morocco OF Muley{foe} 0/0 at {foe}" for foe in foes]
            for to in names[1:]:
                second = [
                    way
                    for way in names
                    if way not in foes and ways.get(("A", way), "ford") not in ("ford", "bridge") and (way, to) in ways
                ]
                state, _, _ = resolved(
                    [*(f"{name} clear" for name in names), *TOWNS],
                    [*(f"{a}-{b} {kind}" for (a, b), kind in edges.items()), "A-Y open", "F-Z open"],
                    units,
                    "spain",
                    f"ACTIVATE A\nMOVE Husares TO {to}\n",
                )
                able = to not in foes and (("A", to) in ways or bool(second))
                assert (state.units["Husares"].at == to) is able, (to, edges, foes)


def spread(ways, names, town):
    """The spaces between each and a town."""
    far = {town: 0}
    for _ in names:
        far |= {a: far[b] + 1 for (a, b) in ways if b in far and far.get(a, 99) > far[b] + 1}
    return far


def test_r8a_where_the_demoralised_get_to_on_the_way_to_a_town(subtests):
    for seed in SEEDS:
        with subtests.test(f"{seed}"):
            luck = random.Random(seed)
            names = list("ABCDEFGH")
            edges = drawn(luck, names) | {("B", "Y"): "open", ("C", "X"): "open"}
            ways, code = joined(edges), luck.choice(["IR", "CAB"])
            start, town = luck.choice(names), luck.choice("XY")
            far = {name: spread(ways, [*names, "X", "Y"], name) for name in "XY"}
            space, wanted = start, start
            for _ in range({"IR": 1, "CAB": 2}[code]):
                if wanted == town:
                    break
                near = sorted(b for (a, b) in ways if a == wanted and far[town].get(b, 99) < far[town].get(wanted, 99))
                river = near and ways[wanted, near[0]] in ("ford", "bridge")
                wanted = near[0] if near else wanted
                if code == "CAB" and river:
                    break
            nearest = far[town].get(space, 99) <= far["XY".replace(town, "")].get(space, 99)
            state, events, _ = resolved(
                [*(f"{name} clear" for name in names), "X town rear:spain", *TOWNS],
                [*(f"{a}-{b} {kind}" for (a, b), kind in edges.items()), "H-Z open"],
                [f"spain {code} Leon fire 2 assault 2 steps 4 morale 4 at {start} demoralised"],
                "spain",
                f"RETIRE Leon TO {town}\n",
            )
            assert state.units["Leon"].at == (wanted if nearest else start), (edges, start, town)
            assert ("R8a" in {happened.cite for happened in events}) == (nearest and wanted not in (start, town))


@pytest.mark.parametrize(("share", "seed"), [(20, 1), (35, 2), (50, 3), (70, 4)])
def test_c12_who_breaks_is_reckoned_from_the_counters_on_the_map(share, seed):
    luck = random.Random(seed)
    rows = [row.split() for row in GAME_FILES.scenario("castillejos")[0]["units"]]
    had = {
        side: sum(int(r[r.index("steps") + 1]) for r in rows if r[0] == side and "steps" in r)
        for side in ("spain", "morocco")
    }
    state = GAME.start(GAME.edition("castillejos", {"breaking": str(share)}, {}))
    broken: dict[str, int] = {}
    for _ in range(20):
        phase = GAME.phase(state)
        if phase is None:
            break
        side, turn = phase
        view = GAME.view(state, side)
        reading = GAME.parse(GAME.bots["forward"](view, side, luck.randrange), view, side)
        assert reading.rejected == ()
        orders = {side: reading.orders}
        assert (side in broken and turn >= broken[side]) == state.is_broken(side)
        done = play(GAME.rules, GAME.world(state, orders), Tumbling(luck), GAME.decisions(state, orders, {}))
        if side in broken and turn >= broken[side]:
            assert not [event for event in done.events if event.kind == "assault" and event.data["fight"][2] == side]
        # Reinforcements come after it has been seen who breaks.
        come = {event.data["id"] for event in done.events if event.kind == "enters"}
        for camp in ("spain", "morocco"):
            left = sum(
                u.steps for u in done.state.units.values() if u.side == camp and u.code != "OF" and u.id not in come
            )
            if camp not in broken and Fraction(had[camp] - left, had[camp]) * 100 >= share:
                broken[camp] = turn + (camp == side or side == "morocco")
            had[camp] += sum(
                u.steps for u in done.state.units.values() if u.side == camp and u.code != "OF" and u.id in come
            )
        state = done.state
        assert set(state.broken) == set(broken)
    assert broken


class Tumbling:
    """Dice from a generator."""

    def __init__(self, luck):
        self.luck = luck

    def roll(self, label, n, sides):
        return tuple(self.luck.randint(1, sides) for _ in range(n))
