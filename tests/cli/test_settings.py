"""Settings: what is read, what is refused, and that every refusal says what to do."""

from pathlib import Path

import pytest

from pbem.cli import mail_servers
from pbem.cli.exit_codes import CommandError
from pbem.cli.mail_servers import imap_settings, smtp_settings
from pbem.cli.main import main
from pbem.cli.setting_files import Misconfigured, read_key
from pbem.cli.settings import Settings, load
from pbem.data import data
from pbem.runtime.limits import LIMITS

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
    ("old", "new", "message"),
    [
        ("[smtp]", "[smtpd]", "  smtpd: there is no such setting"),
        ("poll = 60", "pol = 60", "  imap.pol: there is no such setting; is imap.poll meant?"),
        ("hour = 20", "hours = 20", "  games.hours: there is no such setting"),
        ('host = "imap.example.org"\n', "", "  imap.host: is missing"),
        ("hour = 20", "hour = 24", "  games.hour: Input should be less than or equal to 23"),
        ('zone = "UTC"', 'zone = "Ceuta"', "  games.zone: no time zone is called 'Ceuta'; one is Europe/Madrid"),
        ('"pbem@example.org"', '"pbem+x@example.org"', "  server.address: the part behind a + is the server's to fill"),
        ('source = "system"', 'source = "sundial"', "  clock.source: String should match pattern"),
        ('language = "en"', 'language = "fr"', "server.language is en or es, or a language of the folder"),
        ('security = "tls"', 'security = "none"', "imap.security is none: the password would cross the network"),
    ],
)
def test_what_is_wrong_is_named(write, old, new, message):
    assert old in SHIPPED
    text = refusal(write(SHIPPED.replace(old, new, 1)))
    assert message in text
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
    assert mail_servers.access_tokens(read) is mail_servers.access_tokens(read) is not None
    assert (
        mail_servers.imap_settings(read).token
        is mail_servers.smtp_settings(read).token
        is mail_servers.access_tokens(read)
    )


def test_a_wrong_way_to_tokens_or_trust_is_said(write, tmp_path):
    asked = SHIPPED.replace('endpoint = ""', 'endpoint = "http://p.example/token"')
    asked = asked.replace('client_id = ""', 'client_id = "x"').replace('refresh_token = ""', 'refresh_token = "y"')
    with pytest.raises(CommandError, match="reached by https"):
        mail_servers.smtp_settings(load(write(asked)))
    with pytest.raises(CommandError, match=r"home\.pem holds no certificate"):
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


@pytest.mark.parametrize(
    "url", ["nonsense", "mysql://a@b/c", "sqlite://", "sqlite:///:memory:", "sqlite:///", "postgresql+psycopg2://a@b/c"]
)
@pytest.mark.parametrize("setting", ["url", "signed"])
def test_a_database_of_another_kind_is_refused(write, setting, url):
    with pytest.raises(Misconfigured, match=rf"\.{setting}: a database is sqlite:///FILE or postgresql"):
        load(write(SHIPPED.replace(f'{setting} = ""', f'{setting} = "{url}"')))


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


# Passwords in files


@pytest.mark.parametrize("part", ["imap", "smtp"])
def test_a_password_comes_from_the_file_that_a_setting_names(write, tmp_path, part):
    text = SHIPPED.replace('password_file = ""', 'password_file = "word"').replace("you@", "me@")
    path = write(text)
    secret = tmp_path / "word"
    assert f"imap.password_file: {secret} cannot be read: No such file" in refusal(path)
    secret.write_text("\n")
    assert f"imap.password_file: there is nothing in {secret}" in refusal(path)
    secret.write_text("sés4mo\n", "utf-8")
    secret.chmod(0o640)
    assert f"others may read the password's file {secret}: chmod 600 {secret}" in refusal(path)
    secret.chmod(0o600)
    read = load(path)
    assert getattr(read, part).password.get_secret_value() == "sés4mo"
    # As a process beside the server gets them.
    assert Settings.model_validate(read.model_dump()).model_dump() == read.model_dump()


def test_a_password_and_a_file_with_it_are_too_much(write):
    text = SHIPPED.replace('password = ""\n', 'password = "x"\n', 1).replace(
        'password_file = ""', 'password_file = "word"'
    )
    assert "imap: password and password_file are both set: take one away" in refusal(write(text))


# The environment


def test_a_variable_may_name_a_file(write, monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("sés4mo\n", "utf-8")
    monkeypatch.setenv("PBEM_IMAP__PASSWORD_FILE", str(tmp_path / "secret"))
    assert load(write(SHIPPED)).imap.password.get_secret_value() == "sés4mo"


def test_a_file_that_is_not_there_is_named(write, monkeypatch, tmp_path):
    (tmp_path / "empty").write_text("\n")
    monkeypatch.setenv("PBEM_SMTP__PASSWORD_FILE", str(tmp_path / "empty"))
    assert f"PBEM_SMTP__PASSWORD_FILE: there is nothing in {tmp_path / 'empty'}" in refusal(write(SHIPPED))
    monkeypatch.setenv("PBEM_SMTP__PASSWORD_FILE", str(tmp_path / "none"))
    message = f"PBEM_SMTP__PASSWORD_FILE: {tmp_path / 'none'} cannot be read: No such file or directory"
    assert refusal(write(SHIPPED)) == message


def test_a_setting_is_told_once(write, monkeypatch, tmp_path):
    monkeypatch.setenv("PBEM_IMAP__PASSWORD", "a")
    monkeypatch.setenv("PBEM_IMAP__PASSWORD_FILE", str(tmp_path))
    assert "PBEM_IMAP__PASSWORD and PBEM_IMAP__PASSWORD_FILE are both in the environment" in refusal(write(SHIPPED))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("PBEM_IMAP__PASWORD", "; is PBEM_IMAP__PASSWORD meant?"),
        ("PBEM_IMAPP__HOST", "; is PBEM_IMAP__HOST meant?"),
        ("PBEM_SERVER__ADDRESS__LOCAL", "; is PBEM_SERVER__ADDRESS meant?"),
        ("PBEM_SEVENTEEN", ""),
    ],
)
def test_a_variable_that_names_no_setting_is_refused(write, monkeypatch, name, meant):
    monkeypatch.setenv(name, "x")
    assert refusal(write(SHIPPED)) == f"the environment cannot be used:\n  {name}: there is no such setting{meant}"


def test_what_is_a_witness_s_does_not_concern_a_server(write, monkeypatch):
    monkeypatch.setenv("PBEM_WITNESS_IMAP__PASSWORD", "x")
    monkeypatch.setenv("PBEM_CONFIG", "elsewhere.toml")
    monkeypatch.setenv("PBEM_LIMITS__SECONDS", "9")
    assert load(write(SHIPPED)).limits.root["seconds"] == 9
    monkeypatch.setenv("PBEM_WITNESS__QUORUMS", "2")
    assert refusal(write(SHIPPED)).startswith("the environment cannot be used:\n  PBEM_WITNESS__QUORUMS: ")


def test_a_password_may_be_a_credential_of_the_service(write, monkeypatch, tmp_path):
    """Commands that need no mailbox do without it; those that do say how to get it."""
    text = SHIPPED.replace('password_file = ""', 'password_file = "$CREDENTIALS_DIRECTORY/mail"').replace("you@", "me@")
    monkeypatch.delenv("CREDENTIALS_DIRECTORY", raising=False)
    path = write(text)
    by_hand = load(path)
    for server in (imap_settings, smtp_settings):
        with pytest.raises(CommandError, match=r"CREDENTIALS_DIRECTORY/mail is a credential .*systemd-run"):
            server(by_hand)
    folder = tmp_path / "credentials"
    folder.mkdir(mode=0o500)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    assert f"imap.password_file: {folder / 'mail'} cannot be read: No such file" in refusal(path)
    folder.chmod(0o700)
    (folder / "mail").write_text("s3cret\n")
    # With a list of who may read it, its mode shows that as rights of the group.
    (folder / "mail").chmod(0o440)
    read = load(path)
    assert (imap_settings(read).password, smtp_settings(read).password) == ("s3cret", "s3cret")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "others"))
    absolute = write(text.replace("$CREDENTIALS_DIRECTORY", str(folder)))
    assert "others may read the password's file" in refusal(absolute)


ALL = {
    "PBEM_SERVER__ADDRESS": "pbem@example.org",
    "PBEM_SERVER__OPERATOR": "op@example.org",
    "PBEM_IMAP__HOST": "imap.example.org",
    "PBEM_IMAP__USER": "pbem",
    "PBEM_SMTP__HOST": "smtp.example.org",
}


def test_the_environment_alone_may_say_everything(monkeypatch, tmp_path):
    for name, value in ALL.items():
        monkeypatch.setenv(name, value)
    read = load(tmp_path / "pbem.toml")
    assert (read.server.local, read.imap.host) == ("pbem", "imap.example.org")
    assert read.server.data == tmp_path / "data"
    monkeypatch.delenv("PBEM_IMAP__USER")
    assert "the environment alone cannot be used:\n  imap.user: is missing" in refusal(tmp_path / "pbem.toml")


def test_the_environment_says_which_file(hand, monkeypatch, capsys):
    monkeypatch.setenv("PBEM_CONFIG", str(hand.folder / "pbem.toml"))
    with pytest.raises(SystemExit) as ended:
        main(["game", "list"])
    assert (ended.value.code, capsys.readouterr().out.startswith("No games yet.")) == (0, True)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PBEM_IMAP__PORT", "abc", "Input should be a valid integer, unable to parse string as an integer"),
        ("PBEM_GAMES__WEEKDAYS", "[0, 8]", "Input should be less than or equal to 6"),
        ("PBEM_GAMES__WEEKDAYS", "[0, 1", "its value is written as JSON, such as [0, 1]"),
        ("PBEM_GAMES__WEEKDAYS", "monday", "its value is written as JSON, such as [0, 1]"),
    ],
)
def test_what_a_variable_says_wrong_is_not_laid_to_the_file(write, monkeypatch, name, value, message):
    monkeypatch.setenv(name, value)
    assert refusal(write(SHIPPED)) == f"the environment cannot be used:\n  {name}: {message}"


def test_what_file_and_variables_say_wrong_is_told_apart(write, monkeypatch, tmp_path):
    (tmp_path / "port").write_text("abc\n")
    monkeypatch.setenv("PBEM_IMAP__PORT_FILE", str(tmp_path / "port"))
    path = write(SHIPPED.replace("hour = 20", "hours = 20"))
    assert refusal(path).splitlines()[:3] == [
        f"{path} cannot be used:",
        "  games.hours: there is no such setting; is games.hour meant?",
        "the environment cannot be used:",
    ]


@pytest.mark.parametrize("asked", ["is_file", "open"])
def test_a_file_that_is_closed_to_us(write, monkeypatch, asked):
    def closed(*_):
        raise PermissionError(13, "Permission denied")

    path = write(SHIPPED)
    monkeypatch.setattr(Path, asked, closed)
    assert refusal(path).startswith(f"{path} cannot be read: Permission denied; run this as the user")
