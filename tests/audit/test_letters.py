"""Letters as they lie about: a saved attachment, a letter, an mbox, a Maildir, whatever the transport did to them."""

import binascii
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import parsedate_to_datetime
from functools import cache

import pytest
from typer.testing import CliRunner

from pbem.cli.exit_codes import CommandError
from pbem.cli.main import app, main
from pbem.mail.outbound import OutgoingLetter, compose
from pbem.verifier import main as verify
from pbem.verifier.build import build_script
from pbem.verifier.mailbox import decode_mail_base64, letters_in_file, split_mbox
from pbem.verifier.verdict import STATEMENTS, Wording
from tests.audit import standalone
from tests.audit.checked import judge
from tests.audit.simulated import first_phase, whole
from tests.audit.small_server import Server


@cache
def beacon_off():
    return first_phase(Server(public=False))


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
    (item,) = letters_in_file("a.eml", mail(beacon_off()[4].data, encoding).as_bytes(policy=policy))
    assert item == ("a.eml", 1692803100, beacon_off()[4].data, (), False)


def test_a_letter_that_has_a_page_beside_its_text():
    data = beacon_off()[4].data
    raw = compose(
        OutgoingLetter(
            message_id="<a@b.example>",
            sender="pbem@b.example",
            recipient="a@b.example",
            subject="x",
            text="Text.\n",
            date=datetime(2023, 8, 23, tzinfo=UTC),
            html="<p>Página</p>\n",
            attachments=(("pbemdice.txt", data.decode("ascii")),),
        )
    )
    assert [item.data for item in letters_in_file("a.eml", raw)] == [data]


def test_what_mail_programs_do_to_the_end():
    for data in (beacon_off()[4].data + b"\n\n", beacon_off()[4].data.rstrip(b"\n")):
        letter = mail(beacon_off()[4].data).as_bytes().replace(beacon_off()[4].data, data)
        assert [item.data for item in letters_in_file("a.eml", letter)] == [beacon_off()[4].data]


@pytest.mark.parametrize(("stamp", "second"), [("Wed, 23 Aug 2023 15:05:00 -0000", 1692803100), ("soon", None)])
def test_when_a_letter_was_received(stamp, second):
    data = mail(beacon_off()[4].data, received=stamp).as_bytes()
    assert [item.received for item in letters_in_file("a.eml", data)] == [second]


def test_a_letter_without_proofs_is_passed_over():
    letter = EmailMessage()
    letter.set_content("hello\n")
    assert list(letters_in_file("a.eml", letter.as_bytes())) == []


def test_what_is_no_letter_at_all_is_said_to_be_none():
    (item,) = letters_in_file("a.bin", b"\xff\x00garbage")
    assert (item.data, item.trouble) == (b"", ("it is no letter",))


def mbox() -> bytes:
    return b"".join(
        b"From pbem@example.org Wed Aug 23 15:06:40 2023\n" + mail(item.data).as_bytes() + b"\n"
        for item in beacon_off()
    )


def test_an_mbox():
    assert [dated for _, dated in split_mbox(mbox())] == [True, False, False, False, False]
    assert len([*letters_in_file("mail.mbox", mbox().replace(b"\n", b"\r\n"))]) == 5
    items = list(letters_in_file("mail.mbox", mbox()))
    assert [item.data for item in items] == [item.data for item in beacon_off()]
    assert [item.where for item in items] == [f"mail.mbox#{number}" for number in range(1, 6)]


EARLY = "Wed, 23 Aug 2023 14:00:00 +0000"
LATE = "Thu, 24 Aug 2023 14:00:00 +0000"


def _with_length(letter: bytes) -> bytes:
    head, _, text = letter.partition(b"\n\n")
    return head + b"\nContent-Length: %d\n\n" % len(text) + text


def _quoted(letter: bytes) -> bytes:
    head, _, text = letter.partition(b"\n\n")
    return head + b"\n\n" + re.sub(rb"^(?=>*From )", b">", text, flags=re.MULTILINE)


KINDS: dict[str, Callable[[bytes], bytes]] = {
    "nobody quotes": bytes,
    "lines are quoted": _quoted,
    "lengths are told": lambda letter: _with_length(_quoted(letter)),
    "lengths are told, nothing is quoted": _with_length,
}


def _mailbox(kind: str, *letters: bytes) -> bytes:
    return b"".join(
        b"From pbem@example.org Wed Aug 23 15:06:40 2023\n" + KINDS[kind](letter) + b"\n" for letter in letters
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["first", "later"])
def test_no_letter_brings_the_time_of_another(kind, where):
    first, second = (item.data for item in beacon_off()[:2])
    inner = b"\n\nFrom me Wed Aug 23 15:06:40 2023\n" + mail(second, received=EARLY).as_bytes()
    late = mail(first, received=LATE).as_bytes() + inner
    others = [mail(first, received=LATE).as_bytes()] if where == "later" else []
    items = [*letters_in_file("a.mbox", _mailbox(kind, *others, late))]
    moment = int(parsedate_to_datetime(LATE).timestamp())
    assert {item.received for item in items} <= {moment, None}
    assert all(item.undated == (item.received is None) for item in items)


@pytest.mark.parametrize("kind", KINDS)
def test_times_in_an_mbox_count_where_lengths_say_where_letters_end(kind):
    letters = [mail(item.data, received=LATE).as_bytes() for item in beacon_off()]
    items = [*letters_in_file("a.mbox", _mailbox(kind, *letters))]
    assert [item.undated for item in items] == [False] + [not kind.startswith("lengths")] * 4


@pytest.mark.parametrize("length", [b"1", b"999999", b"12\nContent-Length: 12", b"x"])
def test_a_length_that_is_none_says_nothing(length):
    head, _, text = mail(beacon_off()[0].data, received=LATE).as_bytes().partition(b"\n\n")
    letter = head + b"\nContent-Length: " + length + b"\n\n" + text
    items = [*letters_in_file("a.mbox", _mailbox("nobody quotes", letter, letter))]
    assert [item.undated for item in items] == [False, True]


def test_a_letter_within_a_letter_has_the_time_of_that_in_which_it_came():
    outer = EmailMessage()
    outer["Received"] = f"by me; {LATE}"
    outer.set_content("hello\n")
    outer.add_attachment(mail(beacon_off()[0].data, received=EARLY))
    (item,) = letters_in_file("a.eml", outer.as_bytes())
    assert item.received == int(parsedate_to_datetime(LATE).timestamp())


@pytest.fixture
def maildir(tmp_path):
    for name in ("cur", "new", "tmp"):
        (tmp_path / name).mkdir()
    for number, item in enumerate(beacon_off()):
        (tmp_path / "cur" / f"{number}:2,S").write_bytes(mail(item.data).as_bytes(policy=SMTP))
    return tmp_path


GOES_ON = {"others", "labels"}
"""What cannot be checked of a game of the toy while it goes on."""


def checks(lines: list[str]) -> dict[str, str]:
    """The status of each check, as it is printed."""
    status_words = [
        (status, line.split()) for line in lines for status in ("ok", "FALSE", "NOT CHECKED") if line.startswith(status)
    ]
    return {
        words[len(status.split())]: status for status, words in status_words if words[len(status.split())] in STATEMENTS
    }


def test_the_command_over_a_maildir(maildir):
    done = CliRunner().invoke(app, ["verify", str(maildir)])
    lines = done.output.splitlines()
    assert done.exit_code == 2
    assert [*checks(lines)] == [*STATEMENTS]
    assert {check for check, status in checks(lines).items() if status != "ok"} == GOES_ON
    assert lines[0] == "Nothing is false; not everything could be checked."
    assert lines[1].startswith("T1.spain: grade C. Nobody else could foresee the dice; the server could have: ")
    assert any("openssl dgst -sha256 -mac HMAC" in line for line in lines)
    assert "--full" in lines[-1]


def test_the_command_in_spanish(maildir):
    done = CliRunner().invoke(app, ["verify", str(maildir), "--language", "es"])
    lines = done.output.splitlines()
    assert lines[0] == "Nada es falso; no todo se ha podido comprobar."
    assert lines[1].startswith("T1.spain: grado C. Nadie más podía prever los dados; el servidor sí: ")
    assert CliRunner().invoke(app, ["verify", str(maildir), "--language", "fr"]).exit_code != 0


def test_the_last_line_but_one_is_to_be_compared(maildir):
    lines = CliRunner().invoke(app, ["verify", str(maildir)]).output.splitlines()
    key, size, root = lines[-2].split(" | ")
    assert (key, int(size)) == (Server().log.text, 8)
    assert len(bytes.fromhex(root)) == 32


def test_the_command_says_what_is_false(maildir):
    path = maildir / "cur" / "4:2,S"
    path.write_bytes(path.read_bytes().replace(b" 3d6 ", b" 3d8 "))
    done = CliRunner().invoke(app, ["verify", str(maildir)])
    assert done.exit_code == 1
    assert done.output.startswith("Something is FALSE: dice, manifest.")
    assert "T1.spain: FALSE. These dice are not to be believed: " in done.output
    assert "what was rolled is not what was logged" in done.output


def test_the_command_without_anything_to_check(tmp_path):
    done = CliRunner().invoke(app, ["verify", str(tmp_path)])
    assert done.exit_code == 2
    assert checks(done.output.splitlines())["form"] == "NOT CHECKED"
    assert "there is no pbemdice.txt here" in done.output


def test_the_command_with_keys(maildir):
    right, wrong = Server().log.text, Server(secret=b"o" * 32).log.text
    assert CliRunner().invoke(app, ["verify", str(maildir), "--log-key", right]).exit_code == 2
    assert CliRunner().invoke(app, ["verify", str(maildir), "--log-key", wrong]).exit_code == 1
    assert CliRunner().invoke(app, ["verify", str(maildir), "--log-key", "nonsense"]).exit_code != 0
    many = CliRunner().invoke(app, ["verify", str(maildir), "--quorum", "2"]).exception
    assert isinstance(many, CommandError)
    assert many.code == 2


PBEM = [sys.executable, "-c", "from pbem.cli.main import main; main()"]
FORGED = "All of it is true."
NAMES = {
    "new line": os.fsencode(f"a.eml\n{FORGED}\n"),
    "carriage return": os.fsencode(f"a\r{FORGED}"),
    "tab": b"a\tb.eml",
    "escape": b"\x1b[2J\x1b[1;1Ha.eml",
    "bidi": os.fsencode("a\u202elme.\u2066b"),
    "line separator": os.fsencode(f"a\u2028{FORGED}\u2029\x85"),
    "not UTF-8": b"a\xff\xfe\x80.eml",
    "half of a pair": b"a\xed\xa0\xbd.eml",
    "gaps": b"a{}{0}{why}%s.eml",
    "long": b"a" * 250,
    "Spanish": os.fsencode("anexo ñ á.eml"),
}


def attached(name):
    """A letter whose attachment, which is no bundle, has a name that ends in another's words."""
    text = mail(b"").as_bytes().replace(b'filename="pbemdice.txt"', b'filename="pbemdice.txt"; x="' + name + b'"')
    return text + b"nonsense " + name


LIE = {
    "a file": lambda folder, name: (folder / os.fsdecode(name)).write_bytes(b"\n"),
    "a folder": lambda folder, name: lie_in(folder / os.fsdecode(name)).write_bytes(b"\n"),
    "an mbox": lambda folder, name: (folder / os.fsdecode(name)).write_bytes(b"From x\nx\nFrom y\n\n\nFrom z\n"),
    "an attachment": lambda folder, name: (folder / "a.eml").write_bytes(attached(name)),
    "a link to nothing": lambda folder, name: (folder / os.fsdecode(name)).symlink_to(folder / "nothing"),
}


def lie_in(folder):
    folder.mkdir()
    return folder / "a.eml"


@pytest.mark.parametrize("name", NAMES)
def test_both_programs_print_the_same_bytes_of_any_name(tmp_path, capfdbinary, subtests, name):
    for number, (what, lie) in enumerate(LIE.items()):
        folder = tmp_path / str(number)
        folder.mkdir()
        lie(folder, NAMES[name])
        for language in ("en", "es"):
            with subtests.test(f"{what}, {language}"):
                own = [str(folder), *(map(str, folder.iterdir()) if what == "a file" else ())]
                code = verify.main([*own, "--language", language])
                alone = capfdbinary.readouterr()
                with pytest.raises(SystemExit) as ended:
                    main(["verify", *own, "--language", language])
                product = capfdbinary.readouterr()
                assert (ended.value.code, product.out) == (code, alone.out)
                lines = alone.out.decode("utf-8").removesuffix("\n").split("\n")
                assert all(line.isprintable() for line in lines)
                assert FORGED not in lines
                assert product.err == alone.err == b""


@pytest.mark.parametrize("name", NAMES)
def test_both_programs_say_the_same_where_nothing_is(tmp_path, capfdbinary, name):
    gone = str(tmp_path / os.fsdecode(NAMES[name] + b"b" * 9))
    assert verify.main([gone]) == 2
    alone = capfdbinary.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(["verify", gone])
    product = capfdbinary.readouterr()
    assert (ended.value.code, product.out, alone.out) == (2, b"", b"")
    assert product.err.removeprefix(b"pbem: ") == alone.err.removeprefix(b"verify: ")
    assert alone.err.count(b"\n") == 1


@pytest.mark.full
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
def test_both_programs_print_the_same_bytes_in_any_encoding(tmp_path, encoding):
    file, folder = standalone.written(tmp_path), lie_in(tmp_path / "letters").parent
    for name in NAMES.values():
        (folder / os.fsdecode(name)).write_bytes(b"\n")
    where = {**os.environ, "PYTHONIOENCODING": encoding}
    for language in ("en", "es"):
        arguments = [str(folder), "--language", language]
        alone, product = (
            subprocess.run([*program, *arguments], env=where, capture_output=True, check=False)
            for program in ([sys.executable, str(file)], [*PBEM, "verify"])
        )
        assert (alone.returncode, alone.stderr) == (product.returncode, product.stderr) == (2, b"")
        assert alone.stdout == product.stdout
        assert alone.stdout.count(b"it is no letter" if language == "en" else b"no es una carta") == len(NAMES)


@pytest.mark.full
def test_the_file_for_players_runs_alone(maildir, tmp_path):
    """Bare Python, without site packages and without this program to import; written by the command."""
    alone = tmp_path / "alone" / "verify.py"
    alone.parent.mkdir()
    assert CliRunner().invoke(app, ["verify", "--script", str(alone)]).exit_code == 0
    assert alone.read_text("utf-8") == build_script()
    command = [sys.executable, "-I", "-S", str(alone)]
    folder = str(maildir / "cur")
    done = subprocess.run([*command, folder], capture_output=True, text=True, check=False, cwd=alone.parent)
    assert (done.returncode, done.stderr) == (2, "")
    product = CliRunner().invoke(app, ["verify", folder]).output.splitlines()
    assert done.stdout.splitlines() == product
    pinned = [*command, folder, "--log-key", Server(secret=b"o" * 32).log.text]
    assert subprocess.run(pinned, capture_output=True, check=False).returncode == 1
    assert subprocess.run([*command, str(alone.parent / "none")], capture_output=True, check=False).returncode == 2
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


def test_the_line_by_hand_is_the_same_in_both():
    assert standalone.judge(whole()[1]).by_hand == judge(whole()[1]).by_hand


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
def test_a_letter_of_anybody_s_neither_ends_nor_stops_the_check_of_a_mailbox(raw):
    """Once it took a minute, or the stack; nothing that is dear is done with it now, by the verifier."""
    mailbox = b"From a\n" + mail(beacon_off()[4].data, "base64").as_bytes() + b"\n\nFrom b\n" + OURS + raw + b"\n"
    mine = beacon_off()[4].data
    assert [item.data for item in letters_in_file("a.mbox", mailbox) if item.data] == [mine]


def broken(*given):
    raise IndexError("a bug of this machine")


@pytest.mark.parametrize(
    "part", [(verify, "reader_from_options"), (Wording, "lines"), (Wording, "say"), (Wording, "__init__")]
)
def test_a_fault_in_telling_is_no_finding_either(monkeypatch, capsys, maildir, part):
    monkeypatch.setattr(*part, broken)
    assert verify.main([str(maildir)]) == 2
    assert "NOT CHECKED" in capsys.readouterr().err.splitlines()[-1]


def test_a_terminal_of_few_letters_is_no_finding(maildir, tmp_path):
    file = tmp_path / "verify.py"
    file.write_text(build_script(), "utf-8")
    command = [sys.executable, str(file), str(maildir), "--language=es"]
    ended = [
        subprocess.run(command, env={"PYTHONIOENCODING": code}, capture_output=True, check=False).returncode
        for code in ("utf-8", "ascii")
    ]
    assert ended[0] == ended[1] != 1


@pytest.mark.parametrize(("language", "sentence"), [("en", "NOT CHECKED"), ("es", "NO COMPROBADO")])
def test_a_fault_of_the_script_is_told_as_one(monkeypatch, capsys, maildir, language, sentence):
    monkeypatch.setattr(verify, "verify_letters", broken)
    assert verify.main([str(maildir), f"--language={language}"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert "IndexError: a bug of this machine" in output.err
    assert output.err.splitlines()[-1].startswith("verify: ")
    assert sentence in output.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (b"QUJD\r\n QUI=", b"ABCAB"),
        (b"QUI=QUJD", b"AB"),
        (b"QQ==QUJD", b"A"),
        (b"Q=U=J=D", b"AB"),
        (b"=QUJD==", b"ABC"),
        (b"====", b""),
        *[(text, None) for text in (b"Q", b"QQ=", b"QUI", b"QQ=QUJD", b"QUJDQ==")],
    ],
)
def test_base64_of_mail_is_read_alike_by_every_python(text, plain):
    """What stands behind the signs that end it, Python 3.13 passes over and 3.14 refuses."""
    if plain is None:
        with pytest.raises(binascii.Error):
            decode_mail_base64(text)
    else:
        assert decode_mail_base64(text) == plain
