"""A witness on his own machine: what he signs, what he refuses, whom he answers, and what a crash leaves of it."""

import stat
from datetime import UTC, datetime, timedelta

import pytest

from pbem.audit import checkpoint, merkle, note, signing, witness
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.note import parse_key
from pbem.audit.witness import WITNESS_FILE, WitnessAnswer, WitnessRefusal, WitnessRequest
from pbem.cli.exit_codes import CommandError
from pbem.cli.log_output import open_log
from pbem.cli.main import main
from pbem.cli.witness_cosigner import POINTS, Cosigner, MailServers, look_into_mailbox_repeatedly, open_witness_home
from pbem.mail.attached import read_attachment
from pbem.mail.imap import FetchedLetter, MailboxDown
from pbem.mail.outbound import OutgoingLetter, compose
from pbem.mail.smtp import SmtpReply, Verdict
from tests.audit.test_witness import FORK, LOG, SIGN, TREE

SERVER, OWN, THERE = "pbem@war.test", "ana@friends.test", "pbem+g1-witness-abcdefghijklmnop@war.test"
START = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Crash(Exception):
    pass


class Mailbox:
    """A mailbox in memory, with what the real one is asked for."""

    uidvalidity, is_connected = 7, True

    def connect(self):
        raise AssertionError("it is connected")

    def __init__(self):
        self.letters, self.asked, self.down = [], [], False

    def put(self, raw):
        self.letters.append(FetchedLetter(len(self.letters) + 1, self.uidvalidity, START, raw, len(raw)))

    def new_uids(self, after=0):
        return [letter.uid for letter in self.letters]

    def fetch_new(self, after):
        if self.down:
            raise MailboxDown("no line")
        self.asked.append(after)
        return [letter for letter in self.letters if letter.uid > after]

    def wait(self, seconds):
        raise AssertionError("nobody waits here")


class World:
    """One witness with his folder, a mailbox, an SMTP server that says `code`, and a clock."""

    def __init__(self, folder, *words):
        with pytest.raises(SystemExit):
            main(["witness", "init", str(folder), "--address", OWN, "--server", SERVER, *words])
        self.home, self.mailbox = open_witness_home(folder / "witness.toml"), Mailbox()
        self.sent, self.code, self.time, self.point = [], 250, START, ""
        self.again()

    def again(self):
        """The process ended, and another began."""
        self.one = Cosigner(self.home, MailServers(self.mailbox, self.send), self, open_log(), self.at)

    def now(self):
        return self.time

    def at(self, point):
        if point == self.point:
            raise Crash(point)

    def send(self, letters):
        self.sent += letters if self.code == 250 else []
        verdict: Verdict = "sent" if self.code == 250 else "again" if self.code == 451 else "failed"
        return [SmtpReply(self.code, "said", verdict, "data") for _ in letters]

    def ask(self, size, old=0, tree=TREE, *, log=LOG, sign=SIGN, **headers):
        head = Checkpoint(log.name, size, merkle.tree_root(tree.node, size))
        path = merkle.prove_consistency(tree.node, old, size) if 0 < old <= size else ()
        asked = WitnessRequest(log, old, path, checkpoint.sign(head, log, sign))
        self.mailbox.put(self.letter(witness.write(asked).decode("ascii"), **headers))

    def letter(self, text, sender=SERVER, reply_to=THERE, file=WITNESS_FILE):
        name = f"<{len(self.mailbox.letters)}@war.test>"
        return compose(
            OutgoingLetter(
                message_id=name,
                sender=sender,
                recipient=OWN,
                reply_to=reply_to,
                subject="A checkpoint",
                text="Please.\n",
                date=START,
                attachments=((file, text),),
            )
        )

    @property
    def answers(self):
        texts = [read_attachment(letter.raw, WITNESS_FILE, witness.LONGEST_TEXT) for letter in self.sent]
        return [witness.parse(text) for text in texts if text]


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def test_init_writes_what_is_its_owner_s_alone_and_tells_the_key(tmp_path, capsys):
    world = World(tmp_path / "w", "--name", "friends.test/ana", "--log", LOG.text)
    shown = capsys.readouterr().out.splitlines()[-1]
    assert parse_key(shown) == world.home.key
    assert shown.startswith("friends.test/ana+")
    for name in ("witness.toml", "witness.key"):
        assert stat.S_IMODE((tmp_path / "w" / name).stat().st_mode) == 0o600
    assert world.home.told.witness.log == LOG.text
    assert world.home.told.imap.user == OWN
    with pytest.raises(SystemExit):
        main(["witness", "key", "--config", str(tmp_path / "w" / "witness.toml")])
    assert capsys.readouterr().out == f"{shown}\n"
    with pytest.raises(SystemExit):
        main(["witness", "init", str(tmp_path / "w")])
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("--name", "two words"), ("--name", "a+b"), ("--log", "nonsense")])
def test_settings_that_cannot_be_used_are_not_written(tmp_path, capsys, words):
    with pytest.raises(SystemExit) as ended:
        main(["witness", "init", str(tmp_path / "w"), *words])
    assert ended.value.code == 2
    assert "these settings cannot be used" in capsys.readouterr().err
    assert not (tmp_path / "w").exists()


def test_checkpoints_are_cosigned_and_the_answer_is_a_letter_that_nobody_answers(world):
    world.ask(5)
    world.ask(9, 5)
    assert world.one.step().answered == 2
    first, second = world.answers
    assert isinstance(first, WitnessAnswer)
    assert (first.size, first.at, second.size) == (5, int(START.timestamp()), 9)
    assert first.key == world.home.key
    raw = world.sent[0].raw
    assert (world.sent[0].recipient, world.sent[0].sender) == (THERE, OWN)
    assert b"Auto-Submitted: auto-replied\r\n" in raw
    assert f"X-Loop: {OWN}\r\n".encode() in raw
    assert b"In-Reply-To: <0@war.test>\r\n" in raw
    assert world.one.step().answered == 0


@pytest.mark.parametrize(
    ("ask", "why"),
    [((12, 9, FORK), "fork"), ((9, 0, FORK), "fork"), ((5, 0), "smaller"), ((12, 3), "gap")],
)
def test_what_is_refused_is_said_aloud(world, ask, why, capfd):
    world.ask(9)
    world.one.step()
    world.ask(*ask)
    step = world.one.step()
    refused = world.answers[-1]
    assert isinstance(refused, WitnessRefusal)
    assert refused.why == why
    assert refused.note in world.one.state.seen
    assert "NOT COSIGNED" in capfd.readouterr().err
    to = [letter.recipient for letter in world.sent[1:]]
    assert to == ([THERE] if why == "gap" else [THERE, OWN])
    assert step.refused == (() if why == "gap" else (why,))
    assert len(world.one.state.seen) == 1


def test_watching_ends_with_1_when_a_log_was_forked(world):
    world.ask(12)
    world.ask(15, 12, FORK)
    assert look_into_mailbox_repeatedly(world.one, 60, once=True) == 1
    world.again()
    assert look_into_mailbox_repeatedly(world.one, 60, once=True) == 0


@pytest.mark.parametrize("point", POINTS)
def test_after_a_crash_the_same_answer_and_no_other_leaves(world, point):
    world.ask(5)
    world.one.step()
    world.ask(9, 5)
    world.point = point
    with pytest.raises(Crash):
        world.one.step()
    before, kept = list(world.sent), world.home.load()
    world.point, world.time = "", START + timedelta(hours=2)
    world.again()
    world.one.step()
    assert world.answers[-1].size == 9
    late = {letter.raw for letter in world.sent[1:]}
    assert len(late) == 1
    assert len(world.one.state.seen) == 2
    # Whatever left, had been written down before.
    noted = [checkpoint.parse_checkpoint(note.parse(note_text)).size for note_text in kept.seen]
    assert (9 in noted) or len(before) == 1


def test_a_mail_server_that_is_away_is_waited_for_and_the_answer_stays_the_same(world):
    world.ask(5)
    world.code = 451
    assert world.one.step().down
    world.code, world.time = 250, START + timedelta(minutes=5)
    assert world.one.step().answered == 1
    assert world.answers[0].at == int(START.timestamp())
    waited = []

    class Enough(Exception):
        pass

    def rest(seconds):
        waited.append(seconds)
        if len(waited) == 3:
            raise Enough

    world.mailbox.down = True
    with pytest.raises(Enough):
        look_into_mailbox_repeatedly(world.one, 60, once=False, sleep=rest)
    assert waited == [1, 2, 4]
    with pytest.raises(CommandError, match="out of reach"):
        look_into_mailbox_repeatedly(world.one, 60, once=True)


def test_an_answer_that_is_refused_for_good_stands_in_nobody_s_way(world):
    world.ask(5)
    world.code = 550
    assert world.one.step().answered == 1
    world.code = 250
    world.ask(9, 5)
    world.one.step()
    assert [answer.size for answer in world.answers] == [9]


OTHER, OTHER_SIGN = signing.make_signer("war.test/pbem", b"o" * 32)


@pytest.mark.parametrize(
    "ask",
    [
        {"sender": "somebody@war.test"},
        {"reply_to": "somebody@elsewhere.test"},
        {"reply_to": ""},
        {"file": "other.txt"},
        {"log": OTHER, "sign": OTHER_SIGN},
        {"sign": OTHER_SIGN},
    ],
)
def test_who_is_not_the_server_gets_no_answer(world, ask):
    world.ask(5)
    world.one.step()
    world.ask(9, 5, **ask)
    assert world.one.step() == (0, (), "")
    assert len(world.sent) == 1
    assert len(world.one.state.seen) == 1


def test_a_stranger_s_log_is_not_believed_where_the_right_one_is_known(tmp_path):
    world = World(tmp_path, "--log", LOG.text)
    world.ask(5, log=OTHER, sign=OTHER_SIGN)
    world.ask(5)
    assert world.one.step().answered == 1
    assert world.one.state.log == LOG.text


@pytest.mark.parametrize("text", ["nonsense\n", "pbemdice/v1/ask\n", "x" * 70_000 + "\n"])
def test_what_cannot_be_read_is_passed_over(world, text):
    world.mailbox.put(world.letter("\n".join(text[index : index + 900] for index in range(0, len(text), 900))))
    world.mailbox.put(b"\0\xff nothing of a letter")
    world.ask(5)
    assert world.one.step().answered == 1


def test_no_more_letters_are_answered_than_an_hour_has(world):
    most = world.home.told.witness.answers_an_hour
    for _ in range(most + 2):
        world.ask(5)
    assert world.one.step().answered == most
    world.again()
    assert world.one.step().answered == 0
    world.time = START + timedelta(hours=1, seconds=1)
    assert world.one.step().answered == 2
    assert {answer.at for answer in world.answers} == {int(START.timestamp())}


def test_of_a_full_mailbox_the_last_letters_are_read(world):
    for _ in range(250):
        world.mailbox.put(b"Subject: mine\r\n\r\nDear Ana\r\n")
    world.ask(5)
    assert world.one.step().answered == 1
    assert world.mailbox.asked == [51]
    world.mailbox.uidvalidity = 8
    assert world.one.step().answered == 1


def test_what_was_kept_and_cannot_be_read_is_not_forgotten(world):
    world.ask(5)
    world.one.step()
    world.home.path.write_text("{")
    with pytest.raises(CommandError, match="a witness who forgot"):
        world.again()


def test_one_process_alone_is_a_witness(world):
    with world.home.alone(), pytest.raises(CommandError, match="another process"), world.home.alone():
        raise AssertionError("two of them")
