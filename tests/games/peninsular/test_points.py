"""S7a Fire points reckoned by hand: in whole numbers, to the nearest, halves up, at least one."""

import pytest

from pbem.games.peninsular.fire import fire_points
from tests.games.peninsular.test_turns import start

COVERS = {"clear": (1, 1), "light wood": (2, 3), "village": (1, 2)}
"""What a hex leaves of the points, as a numerator and a denominator: nothing, B, A."""
BY_DISTANCE = {1: (1, 1), 2: (3, 2), 3: (3, 2), 4: (1, 2), 5: (1, 2)}


def nearest(dividend: int, divisor: int) -> int:
    """To the nearest whole number by counting up, halves up; at least 1."""
    whole = 0
    while 2 * (whole + 1) * divisor <= 2 * dividend + divisor:
        whole += 1
    return max(1, whole)


@pytest.mark.parametrize("terrain", COVERS)
@pytest.mark.parametrize("far", BY_DISTANCE)
def test_s7a_the_points_of_a_battery_are_rounded_once(terrain, far):
    over, under = COVERS[terrain]
    up, down = BY_DISTANCE[far]
    for factor in range(1, 25):
        gun = f"french art M pf 2 fire {factor} size heavy will C facing S at 0501"
        state = start(gun, f"spanish inf B pf 6 will C at 05{1 + far:02}", terrain=[f"05{1 + far:02} {terrain}"])
        assert fire_points(state, state.units["M"], f"05{1 + far:02}") == nearest(factor * up * over, down * under)


@pytest.mark.parametrize("terrain", COVERS)
def test_s7_halves_and_quarters_of_infantry_are_whole_points_before_the_letter(terrain):
    over, under = COVERS[terrain]
    for pf in range(1, 25):
        halved, fourth = pf // 2 + pf % 2, pf // 4 + (pf % 4 > 0)
        for formation, condition, whole in (
            ("formed", "normal", pf),
            ("formed", "D", halved),
            ("skirmish", "normal", halved),
            ("skirmish", "D", halved // 2 + halved % 2),
            ("square", "normal", fourth),
        ):
            foot = f"french inf F pf {pf} will C state {condition} formation {formation} facing S at 0504"
            state = start(foot, "spanish inf B pf 6 will C at 0505", terrain=[f"0505 {terrain}"])
            points_found = fire_points(state, state.units["F"], "0505", 4 if formation == "square" else 1)
            assert points_found == nearest(whole * over, under)
