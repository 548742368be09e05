"""The lists that a witness has seen: what he has said he never forgets, whatever became of the process or the disk."""

import os

import pytest

from pbem.audit.witnessing import WitnessResult
from pbem.cli.exit_codes import CommandError
from pbem.cli.witness_cosigner import SeenLists
from pbem.store.durable import UnwritableFile
from tests.audit.test_witness_statement import Log


@pytest.fixture
def new():
    log = Log()
    log.close("0")
    closes = [log.close("a", 1 + number, "T9~1") for number in range(3)]
    result = log.look(log.asked(*closes))
    assert isinstance(result, WitnessResult)
    return result.new


def where(index):
    return ("wt-042", "T9~1", 1 + index)


def test_what_was_kept_is_found_by_the_next_process_with_its_proof(new, tmp_path):
    SeenLists(tmp_path / "closes").keep(new[:2])
    again = SeenLists(tmp_path / "closes")
    again.keep(new[2:])
    assert [SeenLists(tmp_path / "closes").find(where(number)) for number in range(3)] == list(new)
    assert again.find(("wt-042", "T9~2", 1)) is None
    assert (tmp_path / "closes").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("cut", [1, 40, 400])
def test_a_line_that_a_crash_has_cut_was_never_said_and_is_written_anew(cut, new, tmp_path):
    path = tmp_path / "closes"
    SeenLists(path).keep(new[:2])
    path.write_bytes(path.read_bytes()[:-cut])
    again = SeenLists(path)
    assert again.find(where(0)) == new[0]
    assert again.find(where(1)) is None
    again.keep(new[1:])
    assert [SeenLists(path).find(where(number)) for number in range(3)] == list(new)


def test_a_file_that_cannot_be_read_stops_the_witness(new, tmp_path):
    path = tmp_path / "closes"
    SeenLists(path).keep(new)
    path.write_bytes(path.read_bytes().replace(b'"leaf"', b'"lief"', 1))
    with pytest.raises(CommandError, match="forgot"):
        SeenLists(path)


def test_what_cannot_be_written_is_not_held(new, tmp_path, monkeypatch):
    lists = SeenLists(tmp_path / "closes")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(UnwritableFile):
            lists.keep(new)
    assert lists.find(where(0)) is None
    lists.keep(new)
    assert SeenLists(tmp_path / "closes").find(where(2)) == new[2]
