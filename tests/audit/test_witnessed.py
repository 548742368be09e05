"""What every verifier says of reports that claim a witness: no A that nobody whom the reader believes has seen."""

import subprocess
import sys

import pytest

from pbem.audit import bundle, cosigned
from pbem.audit.blocks import Malformed
from pbem.audit.note import ED25519
from pbem.audit.verifier.record import Item
from pbem.cli.exit_codes import Stop
from pbem.cli.verify.letter_checks import judge as judge_files
from tests.audit import standalone
from tests.audit.simulated import WITNESS, judge, statuses
from tests.audit.witnessed import CASES, OTHER, OUT, seen, shown_in, watched

HONEST = watched(seen(OUT - 1))
BLOCK = cosigned.write(shown_in(HONEST))
LETTER = HONEST.items[-1]
START = LETTER.data.index(BLOCK)


@pytest.mark.parametrize("name", CASES)
def test_what_a_claimed_witness_is_worth(name):
    check, status, make = CASES[name]
    items, pin, witnesses = make()
    found = statuses(judge(items, pin=pin, witnesses=witnesses))
    assert found[check] == status
    others = {other: found[other] for other in found if other != check and found[other] != "ok"}
    assert status == "FALSE" or others == {}
    ours = statuses(judge(items, pin=pin, witnesses=witnesses, check=lambda *_: None))
    assert standalone.statuses(items, pin, witnesses) == ours


def test_a_witness_who_is_not_known_is_named_and_the_mailbox_besides():
    items = CASES["a witness whom nobody named"][2]().items
    (why,) = next(line.why for line in judge(items).lines if line.check == "timing")
    assert f"{OTHER.name}+{OTHER.id.hex()}" in why
    assert why.endswith("your mailbox proves grade B")
    assert "no grade B either" in judge([*items[:3], *items[4:]]).lines[-1].why[0]


def flipped(at: int) -> list[Item]:
    data = LETTER.data
    changed = data[: START + at] + bytes([data[START + at] ^ 1]) + data[START + at + 1 :]
    return [*HONEST.items[:-1], LETTER._replace(data=changed)]


NAMED = BLOCK.rindex(b"by ") + 3
ID_ENDS = NAMED + len(WITNESS.name) + 1 + 6
"""Five characters of base64 and a part of the sixth are the id of the key."""


def test_every_flipped_byte_of_a_cosigned_tree_is_found():
    found = {at: judge(flipped(at), witnesses=HONEST.witnesses).code for at in range(len(BLOCK))}
    assert [at for at, code in found.items() if code == 0] == []
    # Of who is said to have signed a flip makes somebody whom the reader does not know.
    assert {at for at, code in found.items() if code == 2} <= set(range(NAMED, ID_ENDS))
    assert judge(HONEST.items, witnesses=HONEST.witnesses).code == 0


def test_both_verifiers_say_the_same_of_flipped_bytes():
    for at in range(0, len(BLOCK), 29):
        items = flipped(at)
        ours = statuses(judge(items, witnesses=HONEST.witnesses, check=lambda *_: None))
        assert standalone.statuses(items, None, HONEST.witnesses) == ours, at


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"index ", b"index 0"),
        (b"index ", b"index 1\nindex "),
        (b"grown ", b"more "),
        (b"text 5", b"text 05"),
        (b"by example.com/pbem ", b"by example.com/pbem  "),
        (b"by example.com/pbem ", b"by "),
        (b"by witness", b"text x\nby witness"),
    ],
)
def test_there_is_one_way_to_write_it(old, new):
    assert old in BLOCK
    with pytest.raises(Malformed):
        bundle.parse(LETTER.data.replace(BLOCK, BLOCK.replace(old, new, 1)))


def test_a_key_that_is_no_witness_s_is_refused(tmp_path):
    plain = WITNESS._replace(kind=ED25519).text
    with pytest.raises(Stop, match="no witness"):
        judge_files([tmp_path], "", [plain])
    ran = subprocess.run(
        [sys.executable, standalone.PATH, tmp_path, "--witness", plain], capture_output=True, text=True, timeout=60
    )
    assert (ran.returncode, ran.stderr) == (2, "verify: a key after --witness is no witness's\n")
