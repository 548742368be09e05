"""The guides of operators followed on a fresh Debian with systemd, and all that letters and chores do inside the unit.

``make test-deploy`` runs these tests in their order: each goes on where the one before has stopped. The commands are
those of docs/server.md and docs/maintenance.md as they stand there. Where no machine with systemd can be started the
tests that need one are left out, and the last line says so; the others run in the same folder without it.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.deploy.machine import CommandFailed, Machine, missing
from tests.harness.server import DICE, LOG

pytestmark = pytest.mark.deploy

ROOT = Path(__file__).resolve().parents[2]
RELEASE = "d06851b7"
"""The commit of 1.0.0, whose message is that."""
HOME = "/srv/pbem"
ANA, IDRIS, OPERATOR = "ana@example.org", "idris@example.org", "you@example.org"
PAGER = """#!/bin/sh
echo "$@" >> /srv/pbem/data/alerts
"""


def block(page: str, heading: str, number: int = 0, language: str = "sh") -> str:
    """One of the blocks of code below a heading of a guide."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    section = re.split(rf"^##+ {re.escape(heading)}$", text, flags=re.MULTILINE)[1]
    section = re.split(r"^## ", section, flags=re.MULTILINE)[0]
    blocks: list[str] = re.findall(rf"^```{language}\b[^\n]*\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return blocks[number]


@pytest.fixture(scope="session")
def machine() -> Iterator[Machine]:
    """A fresh machine with the sources of this folder in /root/pbem."""
    folder = ROOT / "build" / "deploy"
    if lacking := missing(folder):
        pytest.skip(f"NOT RUN: no machine with systemd can be made here without {', '.join(lacking)}")
    try:
        made_machine = Machine.make(folder)
    except CommandFailed as failed:
        pytest.skip(f"NOT RUN: no machine with systemd can be made here: {str(failed)[-300:]!r}")
    with made_machine as made:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for name in listed.decode().split("\0"):
            if name and (ROOT / name).is_file():
                there = made.path(f"/root/pbem/{name}")
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, there)
        yield made


def has_map(letter: EmailMessage) -> bool:
    return any(part.get_content_type() == "image/png" for part in letter.walk())


@pytest.fixture(scope="session")
def booted(machine: Machine) -> Machine:
    """The machine, with systemd as its first process."""
    if not machine.boot():
        console = machine.root.with_name("console.log").read_text("utf-8", errors="replace")
        pytest.skip(f"NOT RUN: no machine with systemd starts here: {console[-300:]!r}")
    return machine


def is_active(machine: Machine) -> str:
    """The process of the server that systemd takes for ready; empty if there is none."""
    if machine.try_run("systemctl is-active pbem")[1].strip() != "active":
        return ""
    return machine.run("systemctl show pbem --property MainPID --value").strip()


def command(machine: Machine, words: str, **more: float) -> str:
    """Run commands as the server's user in its folder."""
    return machine.run(words, user="pbem", folder=HOME, **more)


def text_of(letter: EmailMessage) -> str:
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def wait_for_letter(machine: Machine, address: str, words: str, after: int) -> EmailMessage:
    """Wait for a letter with these words in its subject or text, the first after so many others."""
    matching: list[EmailMessage] = []

    def is_there() -> bool:
        matching[:] = [
            letter
            for letter in machine.letters(address)[after:]
            if words in str(letter["Subject"]) or words in text_of(letter)
        ]
        return bool(matching)

    machine.wait_until(is_there, f"a letter to {address} with {words!r}")
    return matching[0]


def ask(machine: Machine, who: str, text: str, answer: str, game: str = "ceuta-1") -> EmailMessage:
    """Write to the seat that the first letter names, and wait for the answer with these words."""
    letters = machine.letters(who)
    seat = next(
        str(letter["Reply-To"] or letter["From"]) for letter in letters if f"pbem+{game}" in str(letter["Reply-To"])
    )
    machine.send(who, re.sub(r".*<|>.*", "", seat), text)
    return wait_for_letter(machine, who, answer, len(letters))


# Without systemd.


def test_the_program_is_installed_by_the_guide_and_compiled(machine):
    machine.run(block("server.md", "Install"), folder="/root/pbem", patience=600)
    assert machine.run("pbem --version").startswith("pbem ")
    packages = next(machine.path("/opt/pbem/lib").glob("python3*/site-packages"))
    for name in ("pbem/cli/main.py", "pbem/play/phases.py", "sqlmodel/main.py"):
        assert list((packages / name).parent.glob(f"__pycache__/{Path(name).stem}.*.pyc")), f"{name} is not compiled"


def test_1_0_is_installed_from_its_commit(machine):
    archive = subprocess.run(["git", "archive", RELEASE], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        pytest.skip(f"NOT RUN: the history here does not go back to 1.0.0: {archive.stderr.decode()[-200:]}")
    folder = machine.path("/root/pbem-1.0")
    folder.mkdir()
    subprocess.run(["tar", "--extract", "--directory", str(folder)], input=archive.stdout, check=True)
    machine.run("make install PREFIX=/opt/pbem-1.0", folder="/root/pbem-1.0", patience=600)
    assert machine.run("/opt/pbem-1.0/bin/pbem --version").strip() == "pbem 1.0.0"


def test_doctor_names_the_settings_that_are_still_examples(machine):
    printed = machine.try_run("pbem doctor", user="pbem", folder=HOME)[1]
    assert re.search(r"mind +settings +examples stand in", printed), printed


# With systemd.


def test_doctor_finds_a_mailbox_set_up_by_the_guide(booted):
    settings = block("server.md", "Settings and keys", language="toml").replace("undo = 30", "undo = 0")
    more = '[site]\nfolder = "/srv/www/site"\n[log]\ntiles = "/srv/www/tiles"\n[beacon]\nrelays = []\n'
    more += '[metrics]\nport = 9464\n[alerts]\ncommand = ["/usr/local/bin/page-me"]\n'
    booted.write(f"{HOME}/pbem.toml", settings + more, "pbem", 0o600)
    booted.write("/usr/local/bin/page-me", PAGER, mode=0o755)
    booted.run(block("server.md", "Settings and keys").replace("editor /", "echo secret > /"))
    booted.run("install --directory --owner=pbem --group=pbem /srv/www /srv/www/site /srv/www/tiles")
    printed = command(booted, "pbem doctor --letter")
    assert not re.search("^WRONG", printed, re.MULTILINE), printed


def test_the_unit_starts_and_is_ready(booted):
    words = block("server.md", "Keep it running").replace("journalctl --unit pbem --follow", "")
    booted.run(words, folder="/root/pbem")
    assert booted.run("systemctl is-active pbem").strip() == "active"
    assert "runs as process" in command(booted, "pbem doctor --alive")
    assert booted.run("systemctl show pbem --property StatusErrno --value").strip() == "0"


def test_a_game_is_played_by_letter_with_maps(booted):
    command(booted, block("operating.md", "Games and seats").replace(" --scenario", " --term hints=on --scenario"))
    for who in (ANA, IDRIS):
        wait_for_letter(booted, who, "ceuta-1", 0)
    booted.wait_until(lambda: any(has_map(letter) for letter in booted.letters(ANA)), "a letter with a map")


@pytest.mark.parametrize(
    ("words", "answer", "attached"),
    [
        ("STATUS", "Estado de la partida", ""),
        ("RULES 1", "Regla O1", ""),
        ("HINT", "Una pista", ""),
        ("MAP", "Turno 1", "image/png"),
        ("DESK", "Turno 1", "text/html"),
    ],
)
def test_letters_are_answered_inside_the_unit(booted, words, answer, attached):
    letter = ask(booted, ANA, words, answer)
    kinds = [part.get_content_type() for part in letter.walk()]
    assert attached in kinds or not attached, (kinds, text_of(letter))


def test_orders_are_carried_out_and_reported(booted):
    before = len(booted.letters(IDRIS))
    ask(booted, ANA, "ORDERS T1\nPASS\nEND", "T1")
    assert "Your move" in text_of(wait_for_letter(booted, IDRIS, "Turn 1", before))


def test_a_turn_is_printed(booted):
    command(booted, "pbem print ceuta-1 -o data/ceuta-1.pdf")
    assert booted.path(f"{HOME}/data/ceuta-1.pdf").read_bytes().startswith(b"%PDF")


def test_a_game_that_is_over_is_reviewed_and_shown(booted):
    for who in (ANA, IDRIS):
        ask(booted, who, "PUBLISH ON", "pbem+ceuta-1")
    confirm = re.search(r"^CONCEDE CODE \S+$", text_of(ask(booted, IDRIS, "CONCEDE", "CODE")), re.MULTILINE)
    assert confirm is not None
    before = len(booted.letters(ANA))
    ask(booted, IDRIS, confirm[0], "ceuta-1")
    last = wait_for_letter(booted, ANA, "ceuta-1", before)
    assert "text/html" in [part.get_content_type() for part in last.walk()], text_of(last)
    before = len(booted.letters(ANA))
    ask(booted, ANA, "REVIEW", "ceuta-1")
    booted.wait_until(lambda: len(booted.letters(ANA)) > before + 1, "a letter with the review", patience=400)
    review = text_of(booted.letters(ANA)[-1])
    assert "bot" in review, review


def test_the_site_and_the_public_log_can_be_read_by_a_web_server(booted):
    for file in ("site/index.html", "tiles/checkpoint"):
        booted.wait_until(lambda file=file: booted.path(f"/srv/www/{file}").exists(), f"/srv/www/{file}", patience=400)
        booted.run(f"cat /srv/www/{file} > /dev/null", user="www-data")
    index = booted.path("/srv/www/site/index.html")
    booted.wait_until(lambda: "ceuta-1" in index.read_text("utf-8"), "the game on the site")


def test_numbers_are_read_from_outside_the_unit(booted):
    first, second, third = (
        f"{words} --silent --fail" for words in block("maintenance.md", "Status and alerts").splitlines()
    )
    assert booted.run(first) == "ok\n"
    page = booted.run(second)
    assert "All is well." in page
    assert "2 over" not in page
    assert "ceuta-1" not in page, "it is over"
    assert not re.search(r"\bana\b|idris|you@|pbem\+|example", page, re.IGNORECASE)
    metrics = booted.run(third)
    (started,) = re.findall(r"^pbem_start_timestamp_seconds (\S+)$", metrics, re.MULTILINE)
    now = float(booted.run("date +%s"))
    assert now - 3600 < float(started) <= now, "the unit hides when the machine was started"
    assert re.search(r"^pbem_database_bytes [1-9]", metrics, re.MULTILINE)
    assert re.search(r"^process_resident_memory_bytes [1-9]", metrics, re.MULTILINE)
    assert re.search(r"^pbem_turn_seconds_count [1-9]", metrics, re.MULTILINE)


def test_a_password_is_a_credential_of_the_service(booted):
    booted.write("/etc/pbem.mail", "secret\n", mode=0o600)
    booted.run(
        """sed -i 's|"mail.password"|"$CREDENTIALS_DIRECTORY/mail"|' pbem.toml; mv mail.password /root/""", folder=HOME
    )
    booted.run(block("settings.md", "The environment"))
    ask(booted, ANA, "STATUS", "ceuta-1")
    assert "ceuta-1" in command(booted, "pbem game list")
    assert "is a credential that systemd hands" in booted.try_run("pbem doctor", user="pbem", folder=HOME)[1]
    code, printed = booted.try_run(block("settings.md", "The environment", 1), patience=300)
    assert re.search(r"^ok +mailbox +pbem@example.org at imap", printed, re.MULTILINE), printed
    assert code == 0, printed
    booted.run(
        """sed -i 's|"$CREDENTIALS_DIRECTORY/mail"|"mail.password"|' pbem.toml; mv /root/mail.password .""", folder=HOME
    )
    booted.run("rm /etc/systemd/system/pbem.service.d/mail.conf; systemctl daemon-reload; systemctl restart pbem")


def test_a_server_that_is_killed_is_started_again(booted):
    before = booted.run("systemctl show pbem --property MainPID --value").strip()
    booted.run("systemctl kill --signal KILL pbem")
    booted.wait_until(lambda: is_active(booted) not in ("", "0", before), "a start after a kill")
    ask(booted, ANA, "STATUS", "ceuta-1")


def test_a_server_that_hangs_is_started_again(booted):
    booted.write("/etc/systemd/system/pbem.service.d/soon.conf", "[Service]\nWatchdogSec=25\n")
    booted.run("systemctl daemon-reload; systemctl restart pbem")
    before = is_active(booted)
    booted.run("systemctl kill --signal STOP pbem")
    booted.wait_until(lambda: is_active(booted) not in ("", "0", before), "a start after a hang")
    booted.run("rm /etc/systemd/system/pbem.service.d/soon.conf; systemctl daemon-reload; systemctl restart pbem")


def test_a_mistake_in_the_settings_ends_the_server_and_is_named_and_told_of(booted):
    booted.write("/usr/local/bin/pbem-alert", PAGER, mode=0o755)
    booted.run(block("maintenance.md", "Status and alerts", 2), folder="/root/pbem")
    booted.run(
        "sed -i 's|^ProtectSystem=strict|&\\nReadWritePaths=/srv/pbem|' '/etc/systemd/system/pbem-failed@.service'"
    )
    booted.run("systemctl daemon-reload")
    booted.run("cp -p pbem.toml kept.toml; sed -i s/undo/undoo/ pbem.toml", folder=HOME)
    booted.try_run("systemctl restart pbem")
    booted.wait_until(lambda: booted.try_run("systemctl is-active pbem")[1].strip() == "failed", "an end for good")
    assert "games.undoo: there is no such setting" in booted.run("journalctl --unit pbem --no-pager --lines 20")
    assert booted.run("systemctl show pbem --property NRestarts --value").strip() == "0"
    alerts = booted.path(f"{HOME}/data/alerts")
    sentence = "begun failed pbem has failed, see journalctl --unit pbem"
    booted.wait_until(lambda: alerts.exists() and sentence in alerts.read_text("utf-8"), "an alert of the end")
    booted.run("mv kept.toml pbem.toml; systemctl start pbem", folder=HOME)


def test_a_backup_is_put_back_by_the_guide(booted):
    booted.run(block("maintenance.md", "Backups", 1), folder="/root/pbem")
    booted.run("systemctl start pbem-backup")
    assert "pbem-backup.timer" in booted.run("systemctl list-timers --no-pager")
    (file,) = booted.path("/backup").glob("pbem-*.sqlite3")
    checked = command(booted, block("maintenance.md", "Backups", 2))
    assert (
        len(
            re.findall(rf"^/backup/{file.name}: whole, .* leaves of the log as they were signed", checked, re.MULTILINE)
        )
        == 2
    )
    assert "pbem_last_backup_timestamp_seconds 1" in booted.run("curl --silent http://127.0.0.1:9464/metrics")
    command(booted, "pbem game new later --scenario castillejos --bot morocco=forward")
    command(booted, "pbem seat invite later spain ana@example.org; pbem game start later")
    wait_for_letter(booted, ANA, "later", 0)
    words = re.sub(r"/backup/pbem-\S+", f"/backup/{file.name} --yes", block("maintenance.md", "Restore"))
    booted.run(words.replace("log recover", "log recover --yes"), folder=HOME)
    listed = command(booted, "pbem game list")
    assert "ceuta-1" in listed
    assert "later" not in listed
    assert booted.run("systemctl is-active pbem").strip() == "active"


def test_an_installed_1_0_is_upgraded_in_the_unit_while_a_game_goes_on(booted):
    old = "/opt/pbem-1.0/bin/pbem"
    if not booted.path(old).exists():
        pytest.skip("NOT RUN: 1.0.0 is not installed")
    booted.run("systemctl stop pbem; mv /srv/pbem /srv/present; mv /etc/systemd/system/pbem.service.d /srv/drop-ins")
    booted.run("install --directory --owner=pbem --group=pbem --mode=0700 /srv/pbem")
    booted.run(f"{old} init /srv/pbem", user="pbem")
    settings = block("server.md", "Settings and keys", language="toml").replace("undo = 30", "undo = 0")
    settings = settings.replace('password_file = "mail.password"', 'password = "secret"') + "[beacon]\nrelays = []\n"
    booted.write(f"{HOME}/pbem.toml", settings, "pbem", 0o600)
    unit = booted.path("/root/pbem-1.0/config/pbem.service").read_text("utf-8").replace("/opt/pbem/bin/pbem", old)
    booted.write("/etc/systemd/system/pbem.service", unit)
    command(booted, f"{old} mail claim --yes")
    command(booted, f"{old} game new old-1 --scenario castillejos")
    for seat, who in (("spain", ANA), ("morocco", IDRIS)):
        command(booted, f"{old} seat invite old-1 {seat} {who}")
    command(booted, f"{old} game start old-1")
    booted.run("systemctl daemon-reload; systemctl start pbem")
    for who in (ANA, IDRIS):
        wait_for_letter(booted, who, "old-1", 0)
    ask(booted, ANA, "ORDERS T1\nPASS\nEND", "old-1", "old-1")
    # By docs/upgrading.md; the new program is installed already.
    booted.run("systemctl stop pbem")
    command(booted, f"mkdir backups; {old} backup backups/before.sqlite3")
    booted.run("cp config/pbem.service /etc/systemd/system/pbem.service; systemctl daemon-reload", folder="/root/pbem")
    assert "NOT CHECKED" in command(booted, "pbem backup --check backups/before.sqlite3")
    command(booted, "pbem patch", patience=300)
    booted.run("systemctl start pbem")
    ask(booted, IDRIS, "STATUS", "old-1", "old-1")
    before = len(booted.letters(ANA))
    ask(booted, IDRIS, "ORDERS T1\nPASS\nEND", "T1", "old-1")
    wait_for_letter(booted, ANA, "T2", before)
    command(booted, "pbem log check; pbem replay old-1; pbem backup backups; pbem backup --check")
    assert not re.search("^WRONG", booted.try_run("pbem doctor", user="pbem", folder=HOME)[1], re.MULTILINE)
    booted.run("systemctl stop pbem; mv /srv/pbem /srv/upgraded; mv /srv/present /srv/pbem")
    booted.run("mv /srv/drop-ins /etc/systemd/system/pbem.service.d; systemctl daemon-reload")
    command(booted, "pbem mail claim --yes")
    booted.run("systemctl start pbem")


def test_what_1_0_left_goes_on(booted):
    booted.run("systemctl stop pbem; install --directory --owner=pbem --group=pbem --mode=0700 /srv/before")
    command(booted, f"pbem init /srv/before; cp {HOME}/pbem.toml {HOME}/mail.password /srv/before/")
    released = ROOT / "tests/store/released/1.0.0.sql"
    with closing(sqlite3.connect(booted.path("/srv/before/released.sqlite3"))) as database:
        database.executescript(released.read_text("utf-8"))
    for name, key in (("log", LOG), ("dice", DICE)):
        booted.write(f"/srv/before/{name}.key", key.hex() + "\n", "pbem", 0o600)
    booted.run('sed -i "/^operator/a log = \\"games.example/pbem\\"" pbem.toml', folder="/srv/before")
    booted.run("mkdir -p data; mv released.sqlite3 data/pbem.sqlite3", folder="/srv/before")
    booted.run("chown -R pbem: .; chmod -R go= .", folder="/srv/before")
    printed = booted.run("pbem backup before.sqlite3; pbem patch; pbem game list", user="pbem", folder="/srv/before")
    assert "g1" in printed
    assert "w60-1" in printed
    booted.run("pbem log check", user="pbem", folder="/srv/before")


def test_a_server_on_postgresql(booted):
    booted.run(block("server.md", "PostgreSQL"))
    booted.run("sed -i '/^\\[games\\]/i [database]\\nurl = \"postgresql+psycopg:///pbem\"' pbem.toml", folder=HOME)
    booted.run("systemctl stop pbem; mv log.signed log.signed.sqlite", folder=HOME)
    assert "is empty" in command(booted, "pbem doctor")
    booted.run("systemctl start pbem")
    command(
        booted, "pbem game new over-there --scenario castillejos; pbem seat invite over-there spain ana@example.org"
    )
    command(booted, "pbem seat invite over-there morocco idris@example.org; pbem game start over-there")
    wait_for_letter(booted, ANA, "over-there", 0)
    command(booted, "pbem backup /backup")
    assert list(booted.path("/backup").glob("*.dump"))
