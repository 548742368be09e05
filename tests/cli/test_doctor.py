"""`pbem doctor`: a server that is well, and each thing that can be wrong with one, with what to do about it."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from pbem.cli import checks_network
from pbem.cli.alerts import HEARTBEAT, Heartbeat, write_heartbeat
from pbem.cli.assembly import load_settings
from pbem.cli.main import find_live_server, main
from pbem.cli.setting_files import write_key
from pbem.mail.dns import Resolver
from pbem.mail.embedded import EmbeddedMail
from tests.harness.server import empty_database
from tests.mail.test_dns import asked_name, records, resolving

JUDGE = "pbem@war.test"


@pytest.fixture
def mail():
    with EmbeddedMail({JUDGE: "judge"}) as server:
        yield server


class Patient:
    """A server's folder, and the doctor's words on it."""

    def __init__(self, folder: Path, mail: EmbeddedMail, capsys) -> None:
        self.config = folder / "pbem.toml"
        self.data = folder / "data"
        self.capsys = capsys
        way = f'host = "{mail.host}"\nsecurity = "none"\n'
        self.write(
            f'[server]\naddress = "{JUDGE}"\noperator = "op@war.test"\n'
            f'[imap]\n{way}port = {mail.imap_port}\nuser = "{JUDGE}"\npassword = "judge"\n'
            f"[smtp]\n{way}port = {mail.smtp_port}\n"
        )
        for name in ("pbem.key", "log.key", "dice.key"):
            write_key(folder / name)
        self.data.mkdir(mode=0o700)
        (self.data / "pbem.sqlite3").write_bytes(empty_database())
        (self.data / "pbem.sqlite3").chmod(0o600)
        write_heartbeat(self.data / HEARTBEAT, Heartbeat(datetime.now(UTC), 4711, datetime.now(UTC)))

    def write(self, text: str) -> None:
        self.config.write_text(text)
        self.config.chmod(0o600)

    def change(self, old: str, new: str) -> None:
        assert old in self.config.read_text()
        self.write(self.config.read_text().replace(old, new))

    def database(self, statement: str, *values: str) -> None:
        with closing(sqlite3.connect(self.data / "pbem.sqlite3")) as opened, opened:
            opened.execute(statement, values)

    def look(self, *options: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(["doctor", "--config", str(self.config), *options])
        assert isinstance(ended.value.code, int)
        return ended.value.code, " ".join(self.capsys.readouterr().out.split())


@pytest.fixture
def patient(tmp_path, mail, capsys):
    return Patient(tmp_path, mail, capsys)


def test_a_server_that_is_well(patient):
    code, output = patient.look()
    assert code == 0, output
    assert "WRONG" not in output
    for what in (
        "ok settings",
        "ok key",
        "ok disk",
        "journal_mode wal, can be written to",
        "ok clock",
        "ok daemon runs as process 4711",
        "ok letters 0 wait to be sent, none was given up",
        f"ok mailbox {JUDGE} at 127.0.0.1:",
        "ok way out 127.0.0.1:",
        "not checked DNS SPF, DKIM and DMARC: war.test is no name of the public DNS",
    ):
        assert what in output


def test_the_environment_alone_is_named_as_what_is_complete(patient, monkeypatch, mail):
    folder = patient.config.parent
    patient.config.unlink()
    variables = {
        "server__address": JUDGE,
        "server__operator": "op@war.test",
        "imap__user": JUDGE,
        "imap__password": "judge",
    }
    variables |= {
        f"server__{name}": str(folder / f"{name.removesuffix('_key')}.key") for name in ("log_key", "dice_key")
    }
    variables |= {"server__keys": str(folder / "pbem.key"), "server__data": str(patient.data)}
    for way, port in (("imap", mail.imap_port), ("smtp", mail.smtp_port)):
        variables |= {f"{way}__host": mail.host, f"{way}__security": "none", f"{way}__port": str(port)}
    for name, value in variables.items():
        monkeypatch.setenv(f"PBEM_{name.upper()}", value)
    code, output = patient.look()
    assert code == 0, output
    assert f"ok settings there is no {patient.config}; the environment alone is complete" in output


def test_settings_that_are_still_the_examples_are_named(patient):
    patient.change("op@war.test", "you@example.org")
    output = patient.look()[1]
    assert f"mind settings examples stand in {patient.config}: server.operator" in output
    assert "is complete" not in output


def test_without_settings_nothing_can_be_looked_at(patient):
    patient.change("operator", "operetta")
    code, output = patient.look()
    assert code == 2
    assert "WRONG settings" in output
    assert "server.operetta: there is no such setting" in output
    patient.config.unlink()
    assert patient.look()[0] == 2


def test_a_key_that_is_gone_open_or_damaged(patient):
    path = patient.config.parent / "pbem.key"
    path.chmod(0o644)
    code, output = patient.look()
    assert code == 1
    assert f"to do: chmod 600 {path}" in output
    path.chmod(0o600)
    path.write_text("nonsense")
    assert "to do: put the copy that you keep of it back" in patient.look()[1]
    path.unlink()
    assert "to do: `pbem init` in an empty folder writes one" in patient.look()[1]


@pytest.mark.parametrize("name", ["log.key", "dice.key"])
def test_a_key_of_the_log_that_is_gone_or_open(patient, name):
    path = patient.config.parent / name
    path.chmod(0o644)
    code, output = patient.look()
    assert code == 1
    assert f"WRONG log others may read the key file {path}: chmod 600 {path} to do: chmod 600 {path}" in output
    path.unlink()
    code, output = patient.look()
    assert code == 1
    assert f"WRONG log there is no key file {path}" in output
    assert "to do: `pbem init` in an empty folder writes one; a server that has games needs its own old one" in output


def test_a_log_that_stands_still(patient):
    assert "ok log 0 leaves, as war.test/pbem" in patient.look()[1]
    (patient.config.parent / "log.signed").write_text("nonsense")
    code, output = patient.look()
    assert code == 1
    assert "WRONG log it stands still: What was signed last is not known: " in output
    assert "to do: if the database was put back from a backup: pbem log recover" in output
    assert "pbem log recover --intact" in output


class Usage(NamedTuple):
    free: int


def test_a_disk_that_is_full(patient, monkeypatch):
    for free, verdict in ((10**8, "WRONG"), (10**9, "mind"), (10**11, "ok")):
        monkeypatch.setattr("shutil.disk_usage", lambda path, free=free: Usage(free))
        assert f"{verdict} disk" in patient.look()[1]


def test_a_database_of_another_version(patient):
    patient.database("UPDATE alembic_version SET version_num = '0000'")
    code, output = patient.look()
    assert code == 1
    assert "is of an older version (0000, wanted " in output
    patient.database("UPDATE alembic_version SET version_num = '9999'")
    assert "is of a newer version than this program (9999" in patient.look()[1]


def test_a_database_that_is_none(patient):
    path = patient.data / "pbem.sqlite3"
    path.unlink()
    code, output = patient.look()
    assert (code, "mind database" in output, "nothing: the first command makes it" in output) == (0, True, True)
    path.write_bytes(b"no database at all" * 100)
    code, output = patient.look()
    assert code == 1
    assert "file is not a database to do: look at database.url" in output


def test_a_folder_that_is_another_user_s(patient, monkeypatch):
    there, may = Path.exists, os.access

    def closed(path, **asked):
        if path.parent == patient.data:
            raise PermissionError(13, "Permission denied")
        return there(path, **asked)

    monkeypatch.setattr(Path, "exists", closed)
    monkeypatch.setattr("os.access", lambda path, mode: path != patient.data and may(path, mode))
    code, output = patient.look()
    assert code == 1
    assert f"WRONG disk {patient.data} cannot be written to" in output
    assert f"WRONG database {patient.data} is closed to us to do: give it to the server's user: chown -R pbem" in output


def test_a_clock_that_is_behind(patient):
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    patient.database("INSERT INTO poll VALUES ('a', 'INBOX', ?)", f"{tomorrow:%Y-%m-%d %H:%M:%S.000000}")
    code, output = patient.look()
    assert code == 1
    assert "to do: set the clock" in output


def test_a_daemon_that_is_not_there_or_cannot_read(patient):
    before = datetime.now(UTC) - timedelta(hours=1)
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(before, 1, before))
    code, output = patient.look()
    assert (code, "mind daemon pbem serve was last seen at" in output) == (0, True)
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(datetime.now(UTC), 1, before))
    assert "WRONG daemon it runs, and cannot look into the mailbox" in patient.look()[1]
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(datetime.now(UTC), 4711, None))
    assert "ok daemon runs as process 4711, looks into the mailbox for the first time" in patient.look()[1]
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(datetime.now(UTC), 4711, None, troubles=("mailbox",)))
    assert "WRONG daemon it runs, and cannot look into the mailbox" in patient.look()[1]
    (patient.data / HEARTBEAT).write_text("{}")
    assert "mind daemon pbem serve was never seen" in patient.look()[1]


def test_a_health_check_reads_the_heartbeat_alone(patient, monkeypatch):
    def ask():
        with pytest.raises(SystemExit) as ended:
            main(["doctor", "--alive", "--config", str(patient.config)])
        return ended.value.code, patient.capsys.readouterr().out

    options = ["--config", str(patient.config)]
    (patient.data / HEARTBEAT).unlink()
    assert find_live_server(options, {}) == 0
    now = datetime.now(UTC)
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(now, 4711, now))
    assert find_live_server(options, {}) == 4711
    with monkeypatch.context() as without:
        without.delenv("PBEM_BEACON__RELAYS", raising=False)
        short = ask()
    monkeypatch.setenv("PBEM_SERVER__LANGUAGE", "en")
    assert find_live_server(options) == 0
    assert short == ask() == (0, "ok            daemon     runs as process 4711\n")
    for beat in (Heartbeat(now, 4711, now, troubles=("disk",)), Heartbeat(now - timedelta(minutes=3), 4711, now)):
        write_heartbeat(patient.data / HEARTBEAT, beat)
        assert find_live_server(options, {}) == 0
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(now, 4711, now))
    patient.write(patient.config.read_text() + '[clock]\nsource = "file:clock"\n')
    assert find_live_server(options, {}) == 0


def test_a_daemon_that_works_off_a_full_mailbox(patient):
    """It has looked into all of it long ago; as long as letters are taken it is well."""
    now = datetime.now(UTC)
    busy = Heartbeat(now, 4711, now - timedelta(hours=1), waiting=99_000, taken=now - timedelta(seconds=3))
    write_heartbeat(patient.data / HEARTBEAT, busy)
    code, output = patient.look()
    assert code == 0
    assert "ok daemon runs as process 4711, takes in what waits in the mailbox: 99000 letters left, the last" in output
    write_heartbeat(patient.data / HEARTBEAT, busy._replace(taken=now - timedelta(hours=1)))
    assert "WRONG daemon it runs, and cannot look into the mailbox" in patient.look()[1]


def test_letters_that_the_mail_server_will_not_move(patient):
    now = datetime.now(UTC)
    write_heartbeat(
        patient.data / HEARTBEAT, Heartbeat(now, 4711, now, unmoved=3, refused="[OVERQUOTA] Quota exceeded")
    )
    code, output = patient.look()
    assert code == 1
    assert "WRONG mailbox 3 letters are taken in, and its server will not move them: [OVERQUOTA] Quota ex" in output
    assert "to do: make room in the mailbox; Processed and Poison are to be written to" in output


def test_folders_below_the_inbox_are_told_of(patient, monkeypatch):
    assert "lie below" not in patient.look()[1]
    monkeypatch.setattr("pbem.mail.imap._personal_prefix", lambda client: "INBOX.")
    output = patient.look()[1]
    assert "folders lie below INBOX. here: INBOX.Processed and INBOX.Poison; the settings need not say so" in output


def test_a_mailbox_that_does_not_let_us_in(patient, mail):
    patient.change('password = "judge"', 'password = "wrong"')
    code, output = patient.look()
    assert code == 1
    assert "WRONG mailbox" in output
    assert "to do: look at imap.user and imap.password" in output
    mail.stop_imap()
    assert "to do: look at imap.host and imap.port" in patient.look()[1]


def test_a_way_out_that_is_closed_or_speaks_no_tls(patient, mail):
    text = patient.config.read_text()
    head, tail = text.split("[smtp]")
    patient.write(head + "[smtp]" + tail.replace('security = "none"', 'security = "starttls"'))
    code, output = patient.look()
    assert code == 1
    assert 'the server has no STARTTLS on this port: try smtp.security = "tls"' in output
    patient.write(text)
    mail.stop_smtp()
    assert "WRONG way out" in patient.look()[1]


def test_letters_given_up_and_games_held_are_minded(patient):
    patient.database(
        'INSERT INTO outbox (message_id, kind, recipient, envelope_sender, reply_to, in_reply_to, "references", '
        "language, format, state, attempts, created, next_try, last_text, bounced) VALUES "
        "('<1@x>', 'report', 'a@x.y', '', '', '', '', 'en', 'text', 'failed', 1, ?, ?, 'gone', '')",
        *["2026-01-01 00:00:00.000000"] * 2,
    )
    code, output = patient.look()
    assert (code, "mind letters 1 letters were given up, 0 wait" in output) == (0, True)


ZONE = {
    "war.test": [b"v=spf1 mx -all"],
    "mail._domainkey.war.test": [b"v=DKIM1; k=rsa; ", b"p=abc"],
    "_dmarc.war.test": [b"v=DMARC1; p=none"],
}


def zone(question: bytes) -> bytes:
    strings = ZONE.get(asked_name(question))
    return records(strings)(question) if strings else records(flags=0x8183)(question)


def test_what_the_domain_says_of_its_mail(patient, monkeypatch):
    with resolving(zone) as resolver:
        named = ["--resolver", f"127.0.0.1:{resolver.port}"]
        code, output = patient.look(*named, "--dkim", "mail")
        assert code == 0, output
        assert "ok SPF war.test: v=spf1 mx -all" in output
        assert "ok DKIM mail._domainkey.war.test: v=DKIM1; k=rsa; p=abc" in output
        assert "ok DMARC _dmarc.war.test: v=DMARC1; p=none" in output
        assert "not checked DKIM no selector named" in patient.look(*named)[1]
        monkeypatch.delitem(ZONE, "war.test")
        code, output = patient.look(*named, "--dkim", "other")
    assert code == 1
    assert "WRONG SPF war.test has none to do: ask whoever runs the domain for a TXT record of war.test" in output
    assert "WRONG DKIM other._domainkey.war.test has none" in output


def test_without_a_named_resolver_that_of_this_machine_is_asked(patient, monkeypatch):
    patient.change(f'address = "{JUDGE}"', 'address = "pbem@wargames.org"')
    monkeypatch.setitem(ZONE, "wargames.org", [b"v=spf1 mx -all"])
    monkeypatch.setattr(checks_network, "system_resolver", lambda: None)
    code, output = patient.look()
    assert code == 0, output
    assert "not checked DNS SPF, DKIM and DMARC: this machine names no resolver (/etc/resolv.conf)" in output
    assert "to do: pbem doctor --resolver ADDRESS" in output
    with resolving(zone) as resolver:
        monkeypatch.setattr(checks_network, "system_resolver", lambda: resolver)
        code, output = patient.look("--dkim", "mail")
    assert code == 1
    assert "ok SPF wargames.org: v=spf1 mx -all" in output
    assert "WRONG DKIM mail._domainkey.wargames.org has none" in output
    assert "WRONG DMARC _dmarc.wargames.org has none" in output


@pytest.mark.parametrize("domain", ["war.test", "Games.LAN", "example.org", "a.example", "box.home.arpa"])
def test_nobody_is_asked_for_a_name_that_the_public_dns_cannot_have(patient, monkeypatch, domain):
    patient.change(f'address = "{JUDGE}"', f'address = "pbem@{domain}"')
    monkeypatch.setattr(checks_network, "system_resolver", pytest.fail)
    assert f"not checked DNS SPF, DKIM and DMARC: {domain} is no name of the public DNS" in patient.look()[1]


def test_a_resolver_that_is_silent_or_none(patient, monkeypatch):
    monkeypatch.setattr(checks_network, "Resolver", partial(Resolver, timeout=0.1))
    with resolving(lambda question: b"\0") as resolver:
        code, output = patient.look("--resolver", f"127.0.0.1:{resolver.port}")
    assert code == 0
    assert output.count("not checked") == 3
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--config", str(patient.config), "--resolver", "here:there"])
    assert ended.value.code == 2


def test_a_letter_to_itself_comes_back_and_is_put_away(patient, mail):
    for _ in range(2):
        code, output = patient.look("--letter")
        assert code == 0, output
        assert re.search(
            r"ok letter to pbem\+doctor-[0-9a-f]{10}@war\.test: came after \d s, shown by Delivered-To, To", output
        )
    assert mail.letters_in(JUDGE) == ()
    assert len(mail.letters_in(JUDGE, "Processed")) == 2


def test_a_server_without_plus_addresses(patient, mail, monkeypatch):
    mail.refuse = lambda sender, recipient: "550 5.1.1 no such mailbox" if "+" in recipient else None
    code, output = patient.look("--letter")
    assert code == 1
    assert "550 5.1.1 no such mailbox to do: letters to ADDRESS+anything must come into the mailbox" in output
    mail.refuse = lambda sender, recipient: None
    monkeypatch.setattr(mail, "_store", swallowed)
    read = load_settings(patient.config)
    (check,) = checks_network.check_round_trip(read, patience=0)
    assert (check.verdict, check.found.partition(": ")[2]) == ("WRONG", "did not come within 0 s")


async def swallowed(delivery):
    """A mail server that takes a letter and loses it."""


@pytest.mark.parametrize(
    ("name", "mode", "mend"),
    [
        ("pbem.toml", 0o604, "chmod 600"),
        ("data", 0o755, "chmod 700"),
        ("data/pbem.sqlite3", 0o660, "chmod 600"),
        ("data/pbem.sqlite3-wal", 0o644, "chmod 600"),
        ("log.signed", 0o644, "chmod 600"),
        ("data/pbem.sqlite3.replaced-20300101T000000Z", 0o644, "chmod 600"),
    ],
)
def test_what_others_can_read_is_named_with_how_to_mend_it(patient, name, mode, mend):
    path = patient.config.parent / name
    if not path.exists():
        path.touch()
    path.chmod(mode)
    code, output = patient.look()
    assert code == 1
    assert f"WRONG modes {path} is open to others ({mode:04o}) to do: {mend} {path}" in output


def test_a_health_check_looks_at_the_heartbeat_alone(patient, mail):
    mail.stop_imap()
    assert patient.look("--alive") == (0, "ok daemon runs as process 4711")
    now = datetime.now(UTC)
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(now, 1, None, 0, ("database", "disk")))
    code, output = patient.look("--alive")
    assert code == 0, "a server that is alive is not mended by being started again"
    assert "mind database the database cannot be read or written" in output
    assert "mind disk the disk is nearly full" in output
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(now - timedelta(minutes=6), 1, None))
    assert patient.look("--alive")[0] == 1
    (patient.data / HEARTBEAT).unlink()
    assert patient.look("--alive")[0] == 1


def test_a_daemon_without_its_database_is_not_called_well(patient):
    now = datetime.now(UTC)
    write_heartbeat(patient.data / HEARTBEAT, Heartbeat(now, 1, now, 0, ("database",)))
    assert "WRONG daemon it runs, and cannot use the database" in patient.look()[1]


def test_whether_maps_can_be_made(patient, monkeypatch):
    assert "ok pictures maps can be made as PNG, with 4 fonts of our own" in patient.look()[1]
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    ended, output = patient.look()
    assert ended == 0
    assert "mind pictures maps as PNG cannot be made: resvg_py cannot be loaded" in output
    assert "to do: if you want them: pip install 'pbem[pictures]'" in output


REFUSED = {
    "a limit that is none": ("[limits]\nfrobs = 3\n", "[limits]: "),
    "a clock that somebody can turn": ('[clock]\nsource = "file:now"\n', "the clock's file"),
    "a template that is none": ('[letters]\ntemplates = "nowhere"\n', "there is no such folder"),
    "a language that is not there": ('[letters]\nlocale = "nowhere"\n', "there is no such folder"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_serve_refuses_the_doctor_calls_wrong(patient, what):
    text, why = REFUSED[what]
    patient.write(patient.config.read_text() + text)
    code, output = patient.look()
    assert code == 1
    assert re.search(rf"WRONG start +pbem serve would not begin: .*{re.escape(why)}", output), output
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--config", str(patient.config)])
    assert ended.value.code == 2
    assert why in patient.capsys.readouterr().err


def refused(patient: Patient, finding: str, why: str) -> None:
    """The doctor finds it, and `pbem serve` ends with the reason."""
    code, output = patient.look()
    assert code == 1
    assert f"WRONG {finding}" in output
    with pytest.raises(SystemExit) as ended:
        main(["serve", "--config", str(patient.config)])
    assert ended.value.code == 2
    assert why in patient.capsys.readouterr().err


def test_a_database_in_a_folder_that_is_not_there(patient):
    patient.change("[smtp]", '[database]\nurl = "sqlite:////nowhere/at/all/war.db"\n[smtp]')
    refused(patient, "database there is no folder /nowhere/at/all", "cannot use the folder of the database: /nowhere")


def test_another_database_that_what_opens_it_is_not_installed_for(patient, monkeypatch):
    patient.change("[smtp]", '[log]\nsigned = "postgresql+psycopg://nobody@127.0.0.1:1/none"\n[smtp]')
    monkeypatch.setitem(sys.modules, "psycopg", None)
    refused(patient, "extras log.signed needs psycopg", "log.signed needs psycopg, which is not installed: pip install")


def test_a_restore_that_was_cut_short(patient):
    (patient.data / "pbem.sqlite3.restoring").touch()
    refused(patient, "start pbem serve would not begin: a `pbem restore` was begun", "begun here and not ended")


@pytest.mark.parametrize("name", ["log.key", "dice.key"])
def test_a_key_that_is_not_the_one_that_the_log_was_begun_with(patient, name):
    seats = (["seat", "invite", "one", seat, f"{seat}@war.test"] for seat in ("spain", "morocco"))
    # The log begins with the first letter that shows it.
    shown = (["game", "start", "one"], ["mail", "read", "spain@war.test", "--out", str(patient.config.parent / "read")])
    for words in (["game", "new", "one", "--scenario", "castillejos"], *seats, *shown):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--config", str(patient.config)])
        assert ended.value.code == 0
    (patient.config.parent / name).unlink()
    write_key(patient.config.parent / name)
    refused(patient, f"log {patient.config.parent / 'log.key'} or ", "is not the key that the log was begun with")


@pytest.mark.parametrize("name", ["log.signed", "log.signed.lock"])
def test_what_was_signed_last_cannot_be_written(patient, name):
    path = patient.config.parent / name
    path.mkdir(mode=0o700)
    code, output = patient.look()
    assert code == 1
    assert f"WRONG log {path} cannot be written to do: the server's user is to own {path.parent}" in output


@pytest.mark.parametrize(
    ("old", "new", "module", "extra"),
    [
        ('password = "judge"\n', 'password = "judge"\ndkim = true\n', "dkim", "dkim"),
        ("[smtp]", '[database]\nurl = "postgresql+psycopg://nobody@127.0.0.1:1/none"\n[smtp]', "psycopg", "postgresql"),
        ("[smtp]", '[beacon]\nrelays = ["http://127.0.0.1:1"]\n[smtp]', "py_arkworks_bls12381", "beacon"),
    ],
)
def test_an_extra_that_the_settings_need_and_that_is_not_installed(patient, monkeypatch, old, new, module, extra):
    from pbem.audit import beacon

    patient.change(old, new)
    monkeypatch.delenv("PBEM_BEACON__RELAYS", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    beacon.is_library_installed.cache_clear()
    code, output = patient.look()
    beacon.is_library_installed.cache_clear()
    assert code == 1
    assert re.search(rf"WRONG extras .*needs {module}, .*pip install 'pbem\[{extra}\]'", output), output
