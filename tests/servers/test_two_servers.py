"""Two servers of real processes on one database, or with a database each, on one mailbox: one of them goes on."""

from __future__ import annotations

import re
import shutil
from contextlib import closing

import pytest

from pbem.cli.exit_codes import TEMPORARY
from pbem.mail.embedded import EmbeddedMail
from pbem.mail.imap import ImapMailbox, ImapSettings
from tests.harness.processes import OPERATOR, ServerFolder
from tests.postgresql import cluster, url
from tests.servers.conftest import JUDGE, USERS, need_real_servers
from tests.servers.real import RealMail, until

pytestmark = pytest.mark.full


@pytest.fixture
def mail():
    with EmbeddedMail(USERS) as server:
        yield server


def claims(office: ServerFolder) -> list[str]:
    settings = ImapSettings(
        host="127.0.0.1", port=office.mail.imap_port, security="none", user=JUDGE, password=USERS[JUDGE]
    )
    with closing(ImapMailbox(settings)) as mailbox:
        mailbox.connect()
        return sorted(name for name in mailbox.folders() if name.startswith("pbem-server-"))


def test_of_two_on_one_postgresql_the_second_is_refused_until_the_first_is_killed_and_no_letter_is_lost(tmp_path):
    need_real_servers()
    with cluster() as folder, RealMail(USERS) as real:
        office = ServerFolder(tmp_path, real, {"database": f'url = "{url(folder)}"'})
        with office:
            office.play()
            first = office.serve()
            office.hears("mailbox connected")
            office.write(5)
            second = office.serve()
            office.write(5)
            assert second.ended() == TEMPORARY
            assert re.search(rf":{first.pid} \(since [^)]*\) holds the lock of the database", office.said())
            assert "pbem: another `pbem serve` works on this database and its mailbox" in office.said()
            assert until(lambda: len(office.answers()) >= 3)
            office.write(10)
            first.kill()
            third = office.serve()
            office.write(5)
            assert until(office.all_answered), office.said()
            assert third.stop() == 0
            assert {len(names) for names in office.answers().values()} == {1}
            taken = [line for line in office.lines("letter taken") if line["verdict"] == "seat"]
            assert len(taken) <= office.written
            assert len(real.letters_in(JUDGE, "Processed")) == office.written
            assert real.letters_in(JUDGE) == ()


def test_of_two_with_a_database_each_the_second_is_refused_and_takes_the_mailbox_over_when_it_is_told_to(tmp_path):
    """Both would take what they find, and each would have a part of the letters."""
    need_real_servers()
    with (
        RealMail(USERS) as real,
        ServerFolder(tmp_path / "one", real) as folder,
        ServerFolder(tmp_path / "two", real) as two,
    ):
        folder.play()
        two.play()
        first = folder.serve()
        folder.hears("mailbox connected")
        assert until(lambda: len(claims(folder)) == 1)
        (claim,) = claims(folder)
        second = two.serve()
        folder.write(3)
        assert second.ended() == 2
        assert (
            f"another server takes the letters of {JUDGE} at 127.0.0.1 (its claim is the folder {claim}" in two.said()
        )
        assert "pbem mail claim" in two.said()
        assert two.lines("letter taken") == []
        assert until(folder.all_answered), folder.said()
        code, output = two.command("doctor")
        assert (code, f"another server takes its letters; its claim is the folder {claim}" in output) == (1, True)

        # Whoever has the wrong one running says which it is to be.
        assert f"claimed by another server: {claim}" in two.fine("mail", "claim", "--yes")
        assert first.ended() == 2
        assert "another server takes the letters" in folder.said()
        assert until(lambda: any(letter["Subject"] == "pbem needs you: claim" for letter in folder.got(OPERATOR)))
        again = folder.serve()
        assert again.ended() == 2
        third = two.serve()
        two.written = folder.written
        two.write(2)
        two.written = 2
        assert until(lambda: len(two.answers()) == 5), two.said()
        assert third.stop() == 0
        assert "no other server has claimed" in two.fine("mail", "claim", "--yes")
        assert [letter["Subject"] for letter in folder.got(OPERATOR)].count("pbem needs you: claim") == 1
    assert len([line for office in (folder, two) for line in office.lines("letter taken")]) == 5


def test_of_a_folder_that_was_copied_while_its_server_ran_one_server_goes_on(tmp_path, mail):
    with ServerFolder(tmp_path / "one", mail) as original, ServerFolder(tmp_path / "copy", mail) as copy:
        first = original.serve()
        assert until(lambda: len(claims(original)) == 1)
        shutil.copytree(original.folder / "data", copy.folder / "data")
        second = copy.serve()
        assert first.ended() == 2
        copy.hears("mailbox connected")
        assert second.runs()
        assert original.serve().ended() == 2
        assert len(claims(copy)) == 1
        second.kill()
        third = copy.serve()
        copy.hears("mailbox connected", 2)
        assert third.stop() == 0
