"""`pbemdice.txt`: one way to write it, and nothing else is read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.audit import bundle, leaves
from pbem.audit.blocks import Malformed
from pbem.audit.bundle_parts import OpenedOrders, PlayedEdition, Reveal
from tests.audit.once_more import ONCE_MORE
from tests.audit.recovered import RECOVERED
from tests.audit.simulated import disclosed, whole
from tests.audit.small_server import FIRST, SECOND, Server, closing

SERVER, ITEMS = whole()
REPORT = ITEMS[4].data


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.where)
def test_a_bundle_is_read_back(item):
    assert bundle.write(bundle.parse(item.data)) == item.data
    assert item.data.isascii()
    assert max(map(len, item.data.splitlines())) < 250
    assert not any(
        line.startswith((b"From ", b">", b".", b" ")) or line.endswith(b" ") for line in item.data.splitlines()
    )
    assert b"\n-- example.com/pbem " in item.data


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"letter report", b"letter rumour"),
        (b"grade B", b"grade D"),
        (b"game wt-042\nseat", b"seat"),
        (b"\n\npbemdice/v1/slate", b"\npbemdice/v1/slate"),
        (b"\n\npbemdice/v1/slate", b"\n\n\npbemdice/v1/slate"),
        (b"\nindex ", b"\nindex 0"),
        (b"\nfrom ", b"\nfrom 0"),
        (b"pbemdice/v1/consistency", b"pbemdice/v1/consistence"),
        (b"\n-- ", b"\n--"),
        (b"\n-- ", b"\n- "),
        (b"\nrev 2\nproof", b"\nrev +2\nproof"),
        (b"segment 1\nseat", b"segment 0\nseat"),
        (b"\nsize 2\nnumber 1", b"\nsize 2\nnumber 3"),
        (b"\nsize 2\nnumber 1", b"\nsize 2\nnumber 0"),
        (b"\nown ", b"\nown x"),
        (b"\nrev 0\nsalt ", b"\nrev 0\nsalt 0"),
        (b"pbemdice/v1/says", b"pbemdice/v1/said"),
        (b"pbemdice/v1/played", b"pbemdice/v1/player"),
        (b"\n", b"\r\n"),
        (b"\ntext ", b"\ntext \x01"),
        (b"\ntext ", "\ntext ñ".encode()),
    ],
)
def test_other_ways_of_writing(old, new):
    assert old in REPORT
    with pytest.raises(Malformed):
        bundle.parse(REPORT.replace(old, new, 1))


def test_parts_in_another_order_doubled_or_left_out():
    parts = REPORT.split(b"\n\n")
    two_of_a_kind = next(index for index, part in enumerate(parts) if part.startswith(b"pbemdice/v1/orders"))
    several = [
        index for index, part in enumerate(parts) if part.startswith((b"pbemdice/v1/played", b"pbemdice/v1/fired"))
    ]
    for index in set(range(len(parts) - 3)) - {two_of_a_kind, several[0], several[2]}:
        swapped = [*parts[:index], parts[index + 1], parts[index], *parts[index + 2 :]]
        with pytest.raises(Malformed):
            bundle.parse(b"\n\n".join(swapped))
    for bad in (b"", b"\n\n", parts[0], b"\n\n".join(parts[:-1]), b"\n\n".join([*parts, parts[-1]])):
        with pytest.raises(Malformed):
            bundle.parse(bad)
    doubled = [*parts[:-2], parts[-3], *parts[-2:]]
    assert parts[-3].startswith(b"pbemdice/v1/consistency")
    with pytest.raises(Malformed):
        bundle.parse(b"\n\n".join(doubled))


def test_a_seat_is_shown_every_leaf_and_what_others_send_when_the_list_is_closed():
    server = Server(public=False)
    server.open(FIRST, closing(123))
    server.order(FIRST, "morocco", 1, "HOLD\n", closing(123) - 5)
    before = bundle.parse(server.send("spain", "receipt", FIRST).data)
    own = bundle.parse(server.send("morocco", "receipt", FIRST).data)
    assert [bool(leaf.body) for leaf in before.leaves] == [False, True, False]
    assert [bool(leaf.body) for leaf in own.leaves] == [False, True, True]
    server.close(FIRST, 1, server.slate(FIRST, 1, {"morocco": (1, "HOLD\n"), "spain": (0, "")}, 0))
    after = bundle.parse(server.send("spain", "closed", FIRST).data)
    shown = [leaves.parse(leaf.data, leaf.body) for leaf in after.leaves]
    assert [(leaf.seq, leaf.withheld) for leaf in shown] == [(1, False), (2, False), (3, False)]
    assert [(leaf("seat"), leaf("rev")) for leaf in shown[:2]] == [("morocco", "1"), ("spain", "0")]


def test_a_body_without_its_leaf_or_a_leaf_without_its_proof():
    parts = REPORT.split(b"\n\n")
    index = next(index for index, part in enumerate(parts) if part.startswith(b"pbemdice/v1/says"))
    for wrong in (
        [*parts[: index - 1], *parts[index:]],
        [*parts[: index + 1], *parts[index + 2 :]],
        [*parts[: index + 1], parts[index], *parts[index + 1 :]],
    ):
        with pytest.raises(Malformed):
            bundle.parse(b"\n\n".join(wrong))
    withheld = bundle.parse(b"\n\n".join([*parts[:index], *parts[index + 1 :]]))
    assert [bool(leaf.body) for leaf in withheld.leaves].count(False) == 2


def test_standing_orders_of_several_lines_are_read_back():
    rules = ("WHEN A\nTHEN B\n", "STAND\n", "1 HOLD\n")
    shown = OpenedOrders(FIRST, 1, "spain", 3, bytes(80), "HOLD\n", rules)
    data = bundle.write(bundle.parse(REPORT)._replace(orders=(shown,)))
    assert bundle.parse(data).orders == (shown,)
    for old, new in ((b"rule 1 WHEN", b"rule 2 WHEN"), (b"rule 3", b"rule 4"), (b"rule 2 STAND", b"rule 02 STAND")):
        with pytest.raises(Malformed):
            bundle.parse(data.replace(old, new))
    with pytest.raises(Malformed):
        bundle.parse(bundle.write(bundle.parse(REPORT)._replace(orders=(shown._replace(segment=2),))))


def test_what_witnesses_say_that_they_saw_stands_at_the_end():
    sees = (b"pbemdice/v1/sees\nlog example.com/pbem\n", b"pbemdice/v1/sees\nlog example.com/other\n")
    data = bundle.write(bundle.parse(REPORT)._replace(sees=sees))
    assert bundle.parse(data).sees == sees
    assert data.split(b"\n\n")[-3] + b"\n" == sees[1]


@pytest.mark.parametrize("name", [*RECOVERED, *ONCE_MORE])
def test_letters_of_servers_that_do_otherwise_are_read_back(name):
    make, _ = {**RECOVERED, **ONCE_MORE}[name]
    for item in make():
        read = bundle.parse(item.data)
        assert bundle.write(read) == item.data
        assert all(leaves.parse(leaf.data, leaf.body) for leaf in read.leaves)


def test_a_disclosure_opens_all_that_was_closed():
    read = bundle.parse(disclosed()[-1].data)
    assert {(order.phase, order.segment, order.seat) for order in read.orders} == {
        (phase, segment, seat)
        for phase, segment in ((FIRST, 1), (SECOND, 1), (SECOND, 2))
        for seat in ("morocco", "spain")
    }
    assert [(reveal.phase, reveal.before, reveal.after) for reveal in read.reveals] == [
        (FIRST, "before", "after"),
        (SECOND, "after", "over"),
    ]
    assert read.orders[0].rules == ("WHEN assaulted: STAND\n", "WHEN shelled: LIE DOWN\n")
    assert bundle.parse(disclosed(orders=())[-1].data).orders == ()


def test_what_is_not_ascii_is_not_written():
    read = bundle.parse(REPORT)
    with pytest.raises(Malformed, match="ASCII"):
        bundle.write(read._replace(orders=(read.orders[0]._replace(text="MOVE Peñón\n"),)))


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=700))
def test_a_long_state_is_cut_into_lines(state):
    state = state.rstrip(" ")
    shown = (Reveal(FIRST, bytes(80), state, state[::-1].rstrip(" ")),)
    read = bundle.parse(REPORT)._replace(reveals=shown, edition=PlayedEdition("toy", "phase", state))
    data = bundle.write(read)
    assert bundle.parse(data) == read
    assert not any(line.endswith(b" ") for line in data.splitlines())
    assert max(map(len, data.splitlines())) < 998
    (part,) = (part for part in data.decode().split("\n\n") if part.startswith("pbemdice/v1/edition\n"))
    assert re.findall("^text (.*)$", part, re.M) == re.findall(r".{119} *[^ ]|.+$", state)


@pytest.mark.parametrize(
    ("old", "new"), [("pace phase", "pace quick"), ("system toy", "system t y"), ("text ab", "text a\ntext b")]
)
def test_an_edition_is_written_in_one_way(old, new):
    data = bundle.write(bundle.parse(REPORT)._replace(edition=PlayedEdition("toy", "phase", "ab" * 200)))
    head, mark, shown = data.partition(b"pbemdice/v1/edition\n")
    changed = head + mark + shown.replace(old.encode(), new.encode(), 1)
    assert changed != data
    with pytest.raises(Malformed):
        bundle.parse(changed)
