"""Plans tried out on dice of one's own: what is thrown follows from seed and label, and the best mean wins."""

from collections import Counter

from pbem.engine.autoplay import TrialCounts, best_plan
from pbem.engine.bots import DiceFromSeed

TRIALS = TrialCounts(first=2, left=2, last=4)


def test_dice_follow_from_seed_and_label():
    dice = DiceFromSeed("1")
    assert dice.roll("A>B/shock attacker", 40, 6) == DiceFromSeed("1").roll("A>B/shock attacker", 40, 6)
    assert len({dice.roll("A", 40, 6), dice.roll("B", 40, 6), DiceFromSeed("2").roll("A", 40, 6)}) == 3
    assert set(dice.roll("A", 200, 6)) == {1, 2, 3, 4, 5, 6}
    assert set(dice.roll("A", 40, 2)) == {1, 2}


def test_every_plan_is_tried_and_the_best_of_them_more_often():
    worth = {"a": [5, 5, 0, 0], "b": [4, 4, 4, 4], "c": [3, 3, 9, 9]}
    tried: Counter[str] = Counter()

    def weigh(plan: str, number: int) -> float:
        tried[plan] += 1
        return worth[plan][number]

    assert best_plan(["a", "b", "c"], weigh, TRIALS) == "b"
    assert tried == {"a": 4, "b": 4, "c": 2}


def test_of_equal_plans_the_first_is_taken_and_one_alone_is_not_tried():
    assert best_plan(["a", "b", "c"], lambda plan, number: 1.0, TRIALS) == "a"
    assert best_plan(["a"], lambda plan, number: 1 / 0, TRIALS) == "a"
