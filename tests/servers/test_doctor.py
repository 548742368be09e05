"""`pbem doctor` between Exim and Dovecot, which speak TLS under an authority of their own."""

from __future__ import annotations

import re

import pytest

from pbem.cli.checks_network import check_mailbox, check_outgoing_server
from pbem.cli.main import main
from pbem.cli.setting_files import write_key
from pbem.cli.settings import load
from pbem.mail.embedded import EmbeddedMail
from tests.servers.authority import Authority
from tests.servers.conftest import JUDGE, USERS
from tests.servers.faults import TlsProxy

pytestmark = pytest.mark.full


@pytest.fixture
def look(tmp_path, real_server, authority, capsys):
    """The doctor's words and exit code, with this line for the authority in the settings."""
    for name in ("pbem.key", "log.key", "dice.key"):
        write_key(tmp_path / name)

    def ask(ca: str) -> tuple[int, str]:
        way = f'host = "{real_server.host}"\n{ca}'
        (tmp_path / "pbem.toml").touch(0o600)
        (tmp_path / "pbem.toml").write_text(
            f'[server]\naddress = "{JUDGE}"\noperator = "op@war.test"\n'
            f'[imap]\n{way}security = "starttls"\nport = {real_server.imap_port}\n'
            f'user = "{JUDGE}"\npassword = "secret"\n'
            f"[smtp]\n{way}port = {real_server.smtps_port}\n"
        )
        with pytest.raises(SystemExit) as ended:
            main(["doctor", "--letter", "--config", str(tmp_path / "pbem.toml")])
        assert isinstance(ended.value.code, int)
        return ended.value.code, " ".join(capsys.readouterr().out.split())

    return ask


def test_a_letter_goes_through_both_and_comes_back(look, authority, real_server):
    code, output = look(f'ca = "{authority.root}"\n')
    assert code == 0, output + real_server.log()
    assert f"ok mailbox {JUDGE} at 127.0.0.1:" in output
    # Exim tells the time in its greeting, which ours agrees with.
    assert re.search(r"ok way out 127\.0\.0\.1:\d+: mx\.war\.test ESMTP Exim", output)
    assert re.search(
        r"ok letter to judge\+doctor-\w{10}@war\.test: came after \d+ s, shown by Delivered-To, To", output
    )
    assert real_server.letters_in(JUDGE) == ()


def test_servers_of_an_unknown_authority_are_not_trusted(look):
    code, output = look("")
    assert code == 1
    assert output.count("the certificate that 127.0.0.1 shows is not to be trusted") == 3
    assert "to do: name the right host, or the file of the server's own authority as imap.ca" in output
    assert "or the file of the server's own authority as smtp.ca" in output


def test_an_expired_certificate_is_named(look, tmp_path, real_server):
    old = Authority.make(tmp_path / "old", days=(-2, -1))
    config = tmp_path / "pbem.toml"
    with (
        EmbeddedMail(USERS) as plain,
        TlsProxy(plain.imap_port, old.served()) as imaps,
        TlsProxy(plain.smtp_port, old.served()) as smtps,
    ):
        look("")
        text = config.read_text().replace('security = "starttls"', 'security = "tls"')
        text = text.replace(str(real_server.imap_port), str(imaps.port)).replace(
            str(real_server.smtps_port), str(smtps.port)
        )
        config.write_text(text.replace('host = "127.0.0.1"', f'host = "127.0.0.1"\nca = "{old.root}"'))
        results = [
            (result.verdict, result.found, result.todo or "")
            for check in (check_mailbox, check_outgoing_server)
            for result in check(load(config))
        ]
    for verdict, what, todo in results:
        assert verdict == "WRONG"
        assert "the certificate that 127.0.0.1 shows is not to be trusted: certificate has expired" in what
        assert todo.startswith("whoever runs the mail server has to renew its certificate")
    assert len(results) == 2
