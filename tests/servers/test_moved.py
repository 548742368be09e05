"""`pbem server move` between two accounts of real servers: the old address is forwarded, the new mailbox is read."""

from __future__ import annotations

import re
import smtplib

import pytest

from tests.harness.processes import ServerFolder
from tests.servers.conftest import ANA, JUDGE, USERS, need_real_servers
from tests.servers.real import RealMail, closing_imap, until

pytestmark = pytest.mark.full

NEW = "wargames@new.test"


def test_letters_to_the_old_address_are_taken_where_it_is_forwarded_and_those_to_the_new_one_as_well(tmp_path):
    need_real_servers()
    mail = RealMail({**USERS, NEW: "secret"})
    mail.forwarded = (JUDGE, NEW)
    with mail, ServerFolder(tmp_path / "office", mail) as office:
        office.play()
        old = office.seats["spain"]
        # It came when the server was stopped, and lies in the mailbox that nobody reads from now on.
        office.write()
        (left,) = mail.letters_in(JUDGE)
        output = office.fine("server", "move", "--address", NEW, "--yes")
        assert f"Letters to {JUDGE} are still read where they arrive" in output
        config = office.config.read_text()
        office.config.write_text(config.replace(f'user = "{JUDGE}"', f'user = "{NEW}"'))
        running = office.serve()
        assert until(lambda: any(str(letter["Subject"]).startswith("[") for letter in office.got(ANA)))
        new = old.replace(JUDGE.partition("@")[0], "wargames").replace("war.test", "new.test")
        assert re.fullmatch(r"wargames\+ceuta-1-spain-\w+@new\.test", new)
        assert until(lambda: any(letter["Reply-To"] and new in str(letter["Reply-To"]) for letter in office.got(ANA)))
        with smtplib.SMTP(mail.host, mail.smtp_port) as door:
            for seat in (old, new):
                office.written += 1
                head = f"From: {ANA}\r\nTo: {seat}\r\nMessage-ID: {office.name(office.written)}\r\n\r\n"
                door.sendmail(ANA, [seat], f"{head}HELP\r\n".encode())
        assert until(lambda: len(office.answers()) == 2), office.said() + mail.log()
        # What was left in the old mailbox is put into the new one by hand, with any mail program.
        with closing_imap(mail.host, mail.imap_port) as reader:
            reader.login(NEW, "secret")
            reader.append("INBOX", "", "", left)
        assert until(office.all_answered), office.said()
        assert running.stop() == 0
        assert {line["verdict"] for line in office.lines("letter taken")} == {"seat"}
        assert (len(mail.letters_in(NEW, "Processed")), len(mail.letters_in(JUDGE))) == (3, 1)
