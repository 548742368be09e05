"""What is asked of the same object again is worked out once."""

import gc
import weakref

from pbem.core.lately import Itself, lately


def test_the_same_object_is_worked_out_once_and_an_equal_one_anew():
    asked = []

    @lately
    def length(rows):
        asked.append(rows)
        return len(rows)

    one, equal, longer = [1], [1], [1, 2]
    assert [length(rows) for rows in (one, one, equal, equal, longer, one)] == [1, 1, 1, 1, 2, 1]
    assert [rows is wanted for rows, wanted in zip(asked, (one, equal, longer, one), strict=True)] == [True] * 4


def test_nothing_is_kept_but_what_was_asked_of_last():
    class Position:
        pass

    @lately
    def itself(position):
        return position

    asked = [weakref.ref(itself(Position())) for _ in range(3)]
    gc.collect()
    assert [ref() is not None for ref in asked] == [False, False, True]


def test_what_failed_is_tried_again():
    tries = []

    @lately
    def first(rows):
        tries.append(rows)
        return rows[0]

    empty: list[int] = []
    for _ in range(2):
        try:
            first(empty)
        except IndexError:
            continue
        raise AssertionError
    assert len(tries) == 2


def test_a_key_of_the_thing_itself_is_not_one_of_what_is_equal():
    one, equal = [1], [1]
    known = {Itself(one): "one"}
    assert known.get(Itself(one)) == "one"
    assert known.get(Itself(equal)) is None
