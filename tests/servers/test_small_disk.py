"""A server on a filesystem of its own that is full, or closed to writing: it says so, and goes on when it is mended."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pbem.mail.embedded import EmbeddedMail
from tests.harness.processes import OPERATOR, ServerFolder
from tests.servers.conftest import JUDGE, USERS
from tests.servers.real import until

pytestmark = pytest.mark.full

LONG = "HELP\r\n\r\n-- \r\n" + "A long signature.\r\n" * 3000


@pytest.fixture
def disk(tmp_path) -> Iterator[Path]:
    """A disk of a few megabytes, which only root can have."""
    where = tmp_path / "disk"
    where.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12M,mode=0700", "pbem-test", str(where)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no filesystem can be mounted here")
    yield where
    subprocess.run(["umount", "--lazy", str(where)], check=True)


def fill(disk: Path) -> Path:
    """Leave no octet free."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(shutil.disk_usage(disk).free or 4096))
    assert shutil.disk_usage(disk).free == 0
    return filler


def test_a_full_disk_is_told_of_and_letters_wait_until_there_is_room(disk):
    with EmbeddedMail(USERS) as mail, ServerFolder(disk, mail) as office:
        office.play()
        running = office.serve()
        office.write()
        assert until(office.all_answered), office.said()
        filler = fill(disk)
        office.write(3, text=LONG)
        office.hears("poll failed")
        assert any("full" in line["why"] or "No space" in line["why"] for line in office.lines("poll failed"))
        assert until(lambda: "pbem needs you: disk" in [letter["Subject"] for letter in office.got(OPERATOR)])
        assert running.runs()
        code, output = office.command("doctor")
        assert (code, "GB free" in output, "make room" in output) == (1, True, True), output
        filler.unlink()
        assert until(office.all_answered), office.said()
        assert running.stop() == 0
        assert len(mail.letters_in(JUDGE, "Processed")) == 4
        assert {len(names) for names in office.answers().values()} == {1}


def test_a_disk_that_is_closed_to_writing_stops_the_start_with_a_clear_line(disk):
    with EmbeddedMail(USERS) as mail, ServerFolder(disk, mail) as office:
        office.play()
        office.write()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        refused = office.serve()
        assert refused.ended() == 2
        assert "pbem: cannot use the folder of the database" in office.said()
        assert "Read-only file system" in office.said()
        assert "Traceback" not in office.said()
        code, output = office.command("doctor")
        assert (code, "cannot be written to" in output) == (1, True), output
        assert len(mail.letters_in(JUDGE)) == 1
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        running = office.serve()
        assert until(office.all_answered), office.said()
        assert running.stop() == 0
