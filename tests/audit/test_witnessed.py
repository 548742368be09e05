"""What every verifier says of reports that claim a witness: no A that nobody whom the reader believes has seen."""

import subprocess
import sys

import pytest

from pbem.audit import bundle, checkpoint
from pbem.audit.blocks import Malformed
from pbem.audit.note import ED25519
from pbem.cli.exit_codes import CommandError
from pbem.cli.letter_checks import VerificationRequest
from pbem.cli.letter_checks import verify_files as judge_files
from pbem.verifier.verification import status_by_check
from tests.audit import standalone
from tests.audit.attacks import OUT
from tests.audit.checked import judge, quickly
from tests.audit.small_server import WITNESS, Item
from tests.audit.witnessed import CASES, OTHER, seen, shown_in, watched

HONEST = watched(seen(OUT - 1))
BLOCK = checkpoint.write_cosigned(shown_in(HONEST))
LETTER = HONEST.items[-1]
START = LETTER.data.index(BLOCK)
GOES_ON = {"others", "labels"}
"""What cannot be checked of any game of the toy while it goes on."""


@pytest.mark.parametrize("name", CASES)
def test_what_a_claimed_witness_is_worth(name):
    check, status, make = CASES[name]
    case = make()
    by_check = status_by_check(judge(case.items, pin=case.pin, witnesses=case.witnesses, quorum=case.quorum))
    assert by_check[check] == status
    others = {other for other in by_check if other != check and by_check[other] != "ok"} - GOES_ON
    assert status == "FALSE" or others == set()
    assert standalone.statuses(*case) == by_check


def test_a_witness_who_is_not_known_is_named_and_the_mailbox_besides():
    verdict = judge(CASES["a witness whom nobody named"][2]().items)
    whys = next(line.why for line in verdict.lines if line.check == "timing")
    assert any(f"{OTHER.name}+{OTHER.id.hex()}" in why for why in whys)
    assert any(why.endswith("it claims A; what is here proves B") for why in whys)
    assert [phase.grade for phase in verdict.phases] == ["B"]


def flipped(index: int) -> list[Item]:
    data = LETTER.data
    changed = data[: START + index] + bytes([data[START + index] ^ 1]) + data[START + index + 1 :]
    return [*HONEST.items[:-1], LETTER._replace(data=changed)]


NAMED = BLOCK.rindex(b"by ") + 3
ID_ENDS = NAMED + len(WITNESS.name) + 1 + 6
"""Five characters of base64 and a part of the sixth are the id of the key."""


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.full)])
def test_every_flipped_byte_of_a_cosigned_tree_is_found(step):
    with quickly():
        codes = {
            number: judge(flipped(number), witnesses=HONEST.witnesses).code for number in range(0, len(BLOCK), step)
        }
    # Of who is said to have signed a flip makes somebody whom the reader does not know.
    assert {index for index, code in codes.items() if code == 2} <= set(range(NAMED, ID_ENDS))
    unflipped = status_by_check(judge(HONEST.items, witnesses=HONEST.witnesses))
    assert {check for check, status in unflipped.items() if status != "ok"} == GOES_ON


def test_the_file_says_the_same_of_flipped_bytes():
    for number in range(0, len(BLOCK), 29):
        items = flipped(number)
        ours = status_by_check(judge(items, witnesses=HONEST.witnesses))
        assert standalone.statuses(items, None, HONEST.witnesses) == ours, number


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"index ", b"index 0"),
        (b"index ", b"index 1\nindex "),
        (b"grown ", b"more "),
        (b"text 6", b"text 06"),
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
    with pytest.raises(CommandError, match="no witness"):
        judge_files([tmp_path], VerificationRequest(witnesses=(plain,)))
    file = standalone.written(tmp_path)
    ran = subprocess.run(
        [sys.executable, file, tmp_path, "--witness", plain], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("verify: a key after --witness is no witness's")
