"""What is asked of the same object again is worked out once."""

import gc
import weakref

from pbem.engine.data.memory import IdentityKey, LruCache, cache_last


class Draft:
    """Something that exchanges its parts."""

    def __init__(self, rows, other=()):
        self.rows, self.other = rows, other


def test_the_same_parts_are_worked_out_once_and_equal_ones_anew():
    asked = []

    @cache_last("rows")
    def length(draft):
        asked.append(draft.rows)
        return len(draft.rows)

    short, equal, longer = [1], [1], [1, 2]
    drafts = (Draft(short), Draft(short, "other"), Draft(equal), Draft(equal), Draft(longer), Draft(short))
    assert [length(draft) for draft in drafts] == [1, 1, 1, 1, 2, 1]
    assert [rows is wanted for rows, wanted in zip(asked, (short, equal, longer, short), strict=True)] == [True] * 4


def test_nothing_is_kept_but_what_was_asked_of_last():
    class Part:
        pass

    @cache_last("rows")
    def length(draft):
        return 1

    asked = []
    for _ in range(3):
        part = Part()
        asked.append(weakref.ref(part))
        length(Draft(part))
    del part
    gc.collect(1)
    assert [ref() is not None for ref in asked] == [False, False, True]


def test_a_draft_whose_parts_were_exchanged_is_worked_out_anew():
    @cache_last("rows", "other")
    def both(draft):
        return len(draft.rows), len(draft.other)

    draft = Draft([1], [1])
    assert both(draft) == (1, 1)
    draft.other = [1, 2]
    assert both(draft) == (1, 2)
    draft.rows = []
    assert both(draft) == (0, 2)


def test_what_failed_is_tried_again():
    tries = []

    @cache_last("rows")
    def first(draft):
        tries.append(draft)
        return draft.rows[0]

    empty = Draft([])
    for _ in range(2):
        try:
            first(empty)
        except IndexError:
            continue
        raise AssertionError
    assert len(tries) == 2


def test_a_key_of_the_thing_itself_is_not_one_of_what_is_equal():
    key_value, equal = [1], [1]
    known = {IdentityKey(key_value): "one"}
    assert known.get(IdentityKey(key_value)) == "one"
    assert known.get(IdentityKey(equal)) is None


def test_the_last_few_are_remembered_by_their_keys_and_nothing_under_an_empty_one():
    asked, recent = list[str](), LruCache[str, str](2)

    def get(key):
        def made():
            asked.append(key)
            return key.upper()

        return recent.get(key, made)

    assert [get(key) for key in ("a", "b", "a", "c", "a", "b", "", "")] == ["A", "B", "A", "C", "A", "B", "", ""]
    assert asked == ["a", "b", "c", "b", "", ""]
    assert len(recent) == 2
