"""Settings: what is read, what is refused, and that every refusal says what to do."""

import pytest

from pbem.campaign.base.budgets import LIMITS
from pbem.cli.exit_codes import Stop
from pbem.cli.server import mail_servers
from pbem.cli.server.key_files import read_key
from pbem.cli.server.settings import Misconfigured, load
from pbem.data import data

SHIPPED = data("config", "pbem.toml").read_text("utf-8")


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "pbem.toml"
        path.write_text(text, "utf-8")
        return path

    return written


def refusal(path) -> str:
    with pytest.raises(Misconfigured) as caught:
        load(path)
    return str(caught.value)


def test_the_shipped_file_is_complete_and_names_every_setting(write, tmp_path):
    read = load(write(SHIPPED))
    assert read.server.local == "pbem"
    assert read.server.domain == "example.org"
    assert read.database.url == f"sqlite:///{tmp_path}/data/pbem.sqlite3"
    assert read.server.keys == tmp_path / "pbem.key"
    for name, part in read:
        assert f"[{name}]" in SHIPPED
        for setting in part.model_dump():
            assert f"\n{setting} = " in SHIPPED, f"{name}.{setting}"


def test_the_shipped_limits_are_those_that_hold_where_none_are_set(write):
    assert load(write(SHIPPED)).limits.root == LIMITS._asdict()


def test_a_missing_file_names_the_way_out(tmp_path):
    path = tmp_path / "pbem.toml"
    assert refusal(path) == f"there is no {path}: write one with `pbem init`, or say where yours is with --config FILE"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[smtp]", "[smtpd]", "  smtpd: there is no such setting"),
        ("hour = 20", "hours = 20", "  games.hours: there is no such setting"),
        ('host = "imap.example.org"\n', "", "  imap.host: is missing"),
        ("hour = 20", "hour = 24", "  games.hour: Input should be less than or equal to 23"),
        ('zone = "UTC"', 'zone = "Ceuta"', "  games.zone: no time zone is called 'Ceuta'; one is Europe/Madrid"),
        ('"pbem@example.org"', '"pbem+x@example.org"', "  server.address: the part behind a + is the server's to fill"),
        ('source = "system"', 'source = "sundial"', "  clock.source: String should match pattern"),
        ('language = "en"', 'language = "fr"', "  server.language: Input should be 'en' or 'es'"),
        ('security = "tls"', 'security = "none"', "imap.security is none: the password would cross the network"),
    ],
)
def test_what_is_wrong_is_named(write, old, new, said):
    assert old in SHIPPED
    text = refusal(write(SHIPPED.replace(old, new, 1)))
    assert said in text
    assert text.startswith(f"{write(SHIPPED)} cannot be used:\n")


def test_how_long_the_mailbox_may_take_to_answer_is_a_setting(tmp_path):
    path = tmp_path / "pbem.toml"
    path.write_text(
        '[server]\naddress = "pbem@example.org"\noperator = "op@example.org"\n'
        '[imap]\nhost = "localhost"\nuser = "pbem"\ntimeout = 90\n[smtp]\nhost = "localhost"\n'
    )
    assert mail_servers.imap_settings(load(path)).timeout == 90


def test_all_that_is_wrong_is_said_at_once(write):
    text = refusal(write(SHIPPED.replace("hour = 20", "hour = 24").replace("grace = 24", "grace = -1")))
    assert "games.hour" in text
    assert "games.grace" in text


def test_what_is_no_toml_is_refused(write):
    assert "is not TOML" in refusal(write("[server"))


def test_the_environment_stands_above_the_file(write, monkeypatch):
    monkeypatch.setenv("PBEM_IMAP__PASSWORD", "from outside")
    read = load(write(SHIPPED))
    assert read.imap.password.get_secret_value() == "from outside"
    assert "from outside" not in repr(read)


def test_files_of_authorities_are_seen_from_the_settings(write, tmp_path):
    assert (load(write(SHIPPED)).imap.ca, load(write(SHIPPED)).smtp.ca) == (None, None)
    read = load(write(SHIPPED.replace('ca = ""', 'ca = "home.pem"', 1)))
    assert (read.imap.ca, read.smtp.ca) == (tmp_path / "home.pem", None)


def test_a_provider_of_tokens_is_named_in_full(write):
    asked = SHIPPED.replace('endpoint = ""', 'endpoint = "https://p.example/token"')
    assert "oauth.client_id is empty" in refusal(write(asked))
    asked = asked.replace('client_id = ""', 'client_id = "x"')
    assert "oauth.refresh_token is empty" in refusal(write(asked))
    read = load(write(asked.replace('refresh_token = ""', 'refresh_token = "hush"')))
    assert "hush" not in repr(read)
    assert mail_servers.tokens(read) is mail_servers.tokens(read) is not None
    assert mail_servers.imap_settings(read).token is mail_servers.smtp_settings(read).token is mail_servers.tokens(read)


def test_a_wrong_way_to_tokens_or_trust_is_said(write, tmp_path):
    asked = SHIPPED.replace('endpoint = ""', 'endpoint = "http://p.example/token"')
    asked = asked.replace('client_id = ""', 'client_id = "x"').replace('refresh_token = ""', 'refresh_token = "y"')
    with pytest.raises(Stop, match="reached by https"):
        mail_servers.smtp_settings(load(write(asked)))
    with pytest.raises(Stop, match=r"home\.pem holds no certificate"):
        mail_servers.imap_settings(load(write(SHIPPED.replace('ca = ""', 'ca = "home.pem"', 1))))


def test_plain_connections_are_for_this_machine(write):
    text = SHIPPED.replace('security = "tls"', 'security = "none"')
    text = text.replace('"imap.example.org"', '"127.0.0.1"').replace('"smtp.example.org"', '"localhost"')
    assert load(write(text)).imap.security == "none"


def test_a_database_file_is_seen_from_the_settings(write, tmp_path):
    read = load(write(SHIPPED.replace('url = ""', 'url = "sqlite:///war.db"')))
    assert read.database.url == f"sqlite:///{tmp_path}/war.db"
    read = load(write(SHIPPED.replace('url = ""', 'url = "sqlite:////var/war.db"')))
    assert read.database.url == "sqlite:////var/war.db"


def test_the_key_is_read_only_if_nobody_else_can(tmp_path):
    path = tmp_path / "pbem.key"
    with pytest.raises(Misconfigured, match="`pbem init` writes one"):
        read_key(path)
    path.write_text("ab" * 32 + "\n")
    path.chmod(0o640)
    with pytest.raises(Misconfigured, match="chmod 600"):
        read_key(path)
    path.chmod(0o600)
    assert read_key(path) == b"\xab" * 32


@pytest.mark.parametrize("text", ["", "ab" * 31, "nonsense"])
def test_a_damaged_key_is_refused(tmp_path, text):
    path = tmp_path / "pbem.key"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(Misconfigured, match=r"pbem\.key"):
        read_key(path)
