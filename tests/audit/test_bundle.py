"""`pbemdice.txt`: one way to write it, and nothing else is read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.audit import bundle
from pbem.audit.blocks import Malformed
from pbem.audit.bundle import Played, Reveal
from tests.audit import standalone
from tests.audit.simulated import FIRST, whole

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
    two_of_a_kind = next(at for at, part in enumerate(parts) if part.startswith(b"pbemdice/v1/orders"))
    for at in set(range(len(parts) - 3)) - {two_of_a_kind}:
        swapped = [*parts[:at], parts[at + 1], parts[at], *parts[at + 2 :]]
        with pytest.raises(Malformed):
            bundle.parse(b"\n\n".join(swapped))
    for bad in (b"", b"\n\n", parts[0], b"\n\n".join(parts[:-1]), b"\n\n".join([*parts, parts[-1]])):
        with pytest.raises(Malformed):
            bundle.parse(bad)
    doubled = [*parts[:-2], parts[-3], *parts[-2:]]
    assert parts[-3].startswith(b"pbemdice/v1/consistency")
    with pytest.raises(Malformed):
        bundle.parse(b"\n\n".join(doubled))


def test_what_is_not_ascii_is_not_written():
    read = bundle.parse(REPORT)
    with pytest.raises(Malformed, match="ASCII"):
        bundle.write(read._replace(orders=(read.orders[0]._replace(text="MOVE Peñón\n"),)))


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=700))
def test_a_long_state_is_cut_into_lines(state):
    state = state.rstrip(" ")
    shown = (Reveal(FIRST, bytes(80), state, state[::-1].rstrip(" ")),)
    read = bundle.parse(REPORT)._replace(reveals=shown, played=Played("toy", "phase", state))
    data = bundle.write(read)
    assert bundle.parse(data) == read
    assert not any(line.endswith(b" ") for line in data.splitlines())
    assert max(map(len, data.splitlines())) < 998
    assert standalone.MODULE.Letter("", None, data).parts["edition"][0].more == re.findall(r".{119} *[^ ]|.+$", state)


@pytest.mark.parametrize(
    ("old", "new"), [("pace phase", "pace quick"), ("system toy", "system t y"), ("text ab", "text a\ntext b")]
)
def test_an_edition_is_written_in_one_way(old, new):
    data = bundle.write(bundle.parse(REPORT)._replace(played=Played("toy", "phase", "ab" * 200)))
    changed = data.replace(old.encode(), new.encode(), 1)
    assert changed != data
    with pytest.raises(Malformed):
        bundle.parse(changed)
    with pytest.raises(standalone.MODULE.Bad):
        standalone.MODULE.Letter("", None, changed)
