"""What the program logs into systemd's journal, and elsewhere."""

import os
import subprocess
import sys

import pytest

WRITE = """
import logging
from pbem.cli.log_output import open_log
log = open_log({style!r}, {level!r})
log.debug("nothing much")
log.info("letter taken", uid=7)
log.warning("mailbox lost")
log.error("held")
logging.getLogger("imapclient").warning("slow")
"""


def written(tmp_path, style, level, journal):
    """What a process wrote to a file that is its standard error, and the journal if so said."""
    path = tmp_path / "journal"
    with path.open("wb") as file:
        there = os.fstat(file.fileno())
        stream = f"{there.st_dev}:{there.st_ino if journal else there.st_ino + 1}"
        command = [sys.executable, "-c", WRITE.format(style=style, level=level)]
        subprocess.run(command, stderr=file, env={**os.environ, "JOURNAL_STREAM": stream}, check=True)
    return path.read_text().splitlines()


@pytest.mark.parametrize("style", ["console", "json"])
def test_lines_in_the_journal_have_priorities_and_no_time(tmp_path, style):
    lines = written(tmp_path, style, "info", journal=True)
    assert [line[:3] for line in lines] == ["<6>", "<4>", "<3>", "<4>"]
    assert not any("T" in line and ":" in line and line[3:7].isdigit() for line in lines)
    assert "letter taken" in lines[0]


def test_lines_elsewhere_begin_with_their_time(tmp_path):
    lines = written(tmp_path, "console", "info", journal=False)
    assert len(lines) == 4
    assert all(line[:4].isdigit() for line in lines)


@pytest.mark.parametrize(("level", "number"), [("debug", 5), ("info", 4), ("warning", 3), ("error", 2)])
def test_the_lowest_level_is_a_setting(tmp_path, level, number):
    # What libraries warn of is always written.
    assert len(written(tmp_path, "console", level, journal=True)) == number
