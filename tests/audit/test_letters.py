"""Letters as they lie about: a saved attachment, a letter, an mbox, a Maildir, whatever the transport did to them."""

import subprocess
import sys
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pbem.audit.verifier.letters import items, split_mbox
from pbem.audit.verifier.verify import WHAT
from pbem.cli.main import app
from pbem.mail.outbound import OutgoingLetter, compose
from tests.audit import standalone
from tests.audit.simulated import Server, first_phase, whole

BEACON_OFF = first_phase(Server(public=False))


def mail(data: bytes, encoding: str = "7bit", received: str = "Wed, 23 Aug 2023 17:05:00 +0200") -> EmailMessage:
    """A letter with the attachment, as a server sends it."""
    letter = EmailMessage(policy=default)
    letter["Received"] = f"from mx.example.org by home.example.org; {received}"
    letter["Received"] = "from pbem.example.org by mx.example.org; Wed, 23 Aug 2023 15:00:00 +0000"
    letter["From"] = "pbem@example.org"
    letter.set_content("The report is above.\n")
    text = data.decode("ascii")
    letter.add_attachment(text, filename="pbemdice.txt", cte=encoding)
    return letter


@pytest.mark.parametrize("encoding", ["7bit", "quoted-printable", "base64"])
@pytest.mark.parametrize("policy", [default, SMTP], ids=["LF", "CRLF"])
def test_a_letter_in_every_encoding(encoding, policy):
    (found,) = items("a.eml", mail(BEACON_OFF[4].data, encoding).as_bytes(policy=policy))
    assert found == ("a.eml", 1692803100, BEACON_OFF[4].data)
    (theirs,) = _standalone(mail(BEACON_OFF[4].data, encoding).as_bytes(policy=policy))
    assert theirs[1:] == found[1:]


def test_a_letter_that_has_a_page_beside_its_text():
    data = BEACON_OFF[4].data
    raw = compose(
        OutgoingLetter(
            message_id="<a@b.example>",
            sender="pbem@b.example",
            recipient="a@b.example",
            subject="x",
            text="Text.\n",
            date=datetime(2023, 8, 23, tzinfo=UTC),
            html="<p>Página</p>\n",
            attachment=("pbemdice.txt", data.decode("ascii")),
        )
    )
    assert [found.data for found in items("a.eml", raw)] == [data]
    assert [theirs[2] for theirs in _standalone(raw)] == [data]


def _standalone(data: bytes) -> list[Any]:
    folder = Path(__file__).parent
    path = _Bytes(folder / "x.eml", data)
    return list(standalone.MODULE.letters(path))


class _Bytes:
    """A path to bytes that lie nowhere."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path, self._data = path, data

    def is_dir(self) -> bool:
        return False

    def read_bytes(self) -> bytes:
        return self._data


def test_what_mail_programs_do_to_the_end():
    for data in (BEACON_OFF[4].data + b"\n\n", BEACON_OFF[4].data.rstrip(b"\n")):
        letter = mail(BEACON_OFF[4].data).as_bytes().replace(BEACON_OFF[4].data, data)
        assert [found.data for found in items("a.eml", letter)] == [BEACON_OFF[4].data]


@pytest.mark.parametrize(("stamp", "second"), [("Wed, 23 Aug 2023 15:05:00 -0000", 1692803100), ("soon", None)])
def test_when_a_letter_was_received(stamp, second):
    data = mail(BEACON_OFF[4].data, received=stamp).as_bytes()
    assert [found.received for found in items("a.eml", data)] == [second]
    assert [found[1] for found in _standalone(data)] == [second]


def test_a_letter_without_proofs_is_passed_over():
    letter = EmailMessage()
    letter.set_content("hello\n")
    assert list(items("a.eml", letter.as_bytes())) == []
    assert list(items("a.bin", b"\xff\x00garbage")) == []
    assert _standalone(letter.as_bytes()) == []


def mbox() -> bytes:
    return b"".join(
        b"From pbem@example.org Wed Aug 23 15:06:40 2023\n" + mail(one.data).as_bytes() + b"\n" for one in BEACON_OFF
    )


def test_an_mbox():
    assert len(split_mbox(mbox())) == 5
    found = list(items("mail.mbox", mbox()))
    assert [one.data for one in found] == [one.data for one in BEACON_OFF]
    assert [one.where for one in found] == [f"mail.mbox#{number}" for number in range(1, 6)]
    assert [one[2] for one in _standalone(mbox())] == [one.data for one in BEACON_OFF]


@pytest.fixture
def maildir(tmp_path):
    for name in ("cur", "new", "tmp"):
        (tmp_path / name).mkdir()
    for number, one in enumerate(BEACON_OFF):
        (tmp_path / "cur" / f"{number}:2,S").write_bytes(mail(one.data).as_bytes(policy=SMTP))
    return tmp_path


def test_the_command_over_a_maildir(maildir):
    done = CliRunner().invoke(app, ["verify", str(maildir)])
    lines = done.output.splitlines()
    assert done.exit_code == 0
    assert [line.split()[:2] for line in lines[: len(WHAT)]] == [["ok", check] for check in WHAT]
    assert "openssl dgst -sha256 -mac HMAC" in lines[len(WHAT)]
    assert "rules" in lines[len(WHAT) + 1]


def test_the_command_says_what_is_false(maildir):
    path = maildir / "cur" / "4:2,S"
    path.write_bytes(path.read_bytes().replace(b" 3d6 ", b" 3d8 "))
    done = CliRunner().invoke(app, ["verify", str(maildir)])
    assert done.exit_code == 1
    assert "FALSE        manifest" in done.output
    assert "the manifest is not the one that was logged" in done.output


def test_the_command_without_anything_to_check(tmp_path):
    done = CliRunner().invoke(app, ["verify", str(tmp_path)])
    assert done.exit_code == 2
    assert "NOT CHECKED  form" in done.output
    assert "there is no pbemdice.txt here" in done.output


def test_the_command_with_keys(maildir):
    right, wrong = Server().log.text, Server(secret=b"o" * 32).log.text
    assert CliRunner().invoke(app, ["verify", str(maildir), "--log-key", right]).exit_code == 0
    assert CliRunner().invoke(app, ["verify", str(maildir), "--log-key", wrong]).exit_code == 1
    assert CliRunner().invoke(app, ["verify", str(maildir), "--log-key", "nonsense"]).exit_code != 0


@pytest.mark.integration
def test_the_file_for_players_runs_alone(maildir, tmp_path_factory):
    """Bare Python, without site packages and without this program to import."""
    alone = tmp_path_factory.mktemp("alone") / "verify.py"
    alone.write_bytes(standalone.PATH.read_bytes())
    command = [sys.executable, "-I", "-S", str(alone)]
    done = subprocess.run([*command, str(maildir)], capture_output=True, text=True, check=False, cwd=alone.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split()[:2] for line in done.stdout.splitlines()[: len(WHAT)]] == [["ok", check] for check in WHAT]
    shell = done.stdout.splitlines()[len(WHAT)].removeprefix("One die by hand: ")
    assert shell.startswith("printf ")
    pinned = [*command, str(maildir), "--log-key", Server(secret=b"o" * 32).log.text]
    assert subprocess.run(pinned, capture_output=True, check=False).returncode == 1
    assert subprocess.run([*command, str(alone.parent / "none")], capture_output=True, check=False).returncode == 2


def test_the_line_by_hand_is_the_same_in_both():
    judged = standalone.MODULE.Judge([(one.where, None, one.data) for one in whole()[1]], "", [])
    judged.run()
    from tests.audit.simulated import judge

    assert judged.by_hand == judge(whole()[1]).by_hand


OURS = b"From: eve@elsewhere.example\r\nX-File: pbemdice.txt\r\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"".join(b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (n, n) for n in range(3_000)),
        b"Content-Type: message/rfc822\r\n\r\n" * 3_000,
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\n" * 100_000,
        b"Content-Disposition: attachment; filename=" + b'"a" ' * 200_000 + b"\r\n\r\nx",
        b"Content-Disposition: attachment" + b"; filename*0*=x\r\n " * 50_000 + b"\r\n\r\nx",
        b"Received: " + b"(" * 900_000 + b"\r\n\r\nx",
        b"Received: x; " + b"9" * 900_000 + b"\r\n\r\nx",
    ],
    ids=["nested", "letters in letters", "bounds", "a name", "pieces of a name", "a field", "a moment"],
)
def test_a_letter_of_anybody_s_neither_ends_nor_stops_the_check_of_a_mailbox(tmp_path, monkeypatch, raw):
    """Once it took a minute, or the stack; nothing that is dear is done with it now, by either program."""
    mailbox = b"From a\n" + mail(BEACON_OFF[4].data, "base64").as_bytes() + b"\n\nFrom b\n" + OURS + raw + b"\n"
    mine = BEACON_OFF[4].data
    # What reads fields word by word takes quadratic time.
    monkeypatch.setattr("email._header_value_parser.get_value", None)
    assert [found.data for found in items("a.mbox", mailbox)] == [mine]
    (tmp_path / "a.mbox").write_bytes(mailbox)
    assert [text for _, _, text in standalone.MODULE.letters(tmp_path)] == [mine]


def test_the_letters_of_a_large_mailbox_are_parted_where_they_begin():
    assert split_mbox(b"From a\n\n" * 50_000 + b"x\nFrom me\n") == [*[b"\n"] * 49_999, b"\nx\nFrom me\n"]
