"""A witness of a game: asked once, sworn by his first cosignature, shown the log at each close, believed in nothing."""

from datetime import timedelta

import pytest
from sqlmodel import Session, select

from pbem.audit import bundle, checkpoint, merkle, signing, witness, witnessing
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.note import COSIGNATURE, encode64
from pbem.audit.witness import WITNESS_FILE, WitnessAnswer, WitnessRefusal, WitnessRequest
from pbem.audit.witnessing import WitnessResult
from pbem.log import recovery, sequencer, witnesses
from pbem.mail.attached import read_attachment
from pbem.mail.outbound import OutgoingLetter, compose
from pbem.runtime.transaction import Transaction
from pbem.server import outbox_sender
from pbem.store import tables
from pbem.store.tables.log import Cosignature, Witness
from pbem.verifier.record import NOT_CHECKED
from tests.audit import standalone
from tests.audit.checked import items, verify
from tests.campaign.test_beacons import Waiting, closing, moment, out, shut
from tests.campaign.test_recorded import ASK, Recorded, left
from tests.cli.test_witness import OWN, World
from tests.harness.game import ANN, BOB
from tests.harness.letters import text_of
from tests.harness.server import DICE, SECRETS, make_once

OTHER, OTHER_SECRET = signing.make_signer("stranger.test/w", b"x" * 32, COSIGNATURE)


class Watched(Waiting):
    """A house, and a friend of its players with the real program on a machine of his own."""

    def __init__(self, folder, **more):
        super().__init__(folder, **more)
        self.friend = World(folder / "friend", "--server", "pbem@games.example")
        self.friend.one.clock = self.clock

    def watch(self):
        """Every letter to the friend arrives, his program looks once, and his answers arrive; what came of each."""
        self.friend.sent.clear()
        for raw in self.kept.pop(OWN, []):
            self.friend.mailbox.put(raw)
        self.friend.one.step()
        return [self.receive(letter.raw).outcome for letter in self.friend.sent if letter.recipient != OWN]

    def sent(self):
        self.kept.setdefault(OWN, [])
        return super().sent()

    def swear(self):
        self.write("north", f"SET WITNESS {OWN}\n")
        self.sent()
        assert self.watch() == ["cosigned"]
        return self.sent()

    @property
    def key(self):
        return self.friend.home.key

    def verdict(self, who=ANN, *, pinned=True):
        items_shown = [item for index, raw in enumerate(self.kept[who]) for item in items(f"{who}{index}", raw)]
        trusted = [self.key] if pinned else []
        verdict = verify(items_shown, witnesses=trusted)
        statuses_by_check = {line.check: line.status for line in verdict.lines}
        theirs = standalone.statuses(items_shown, None, trusted)
        assert {**theirs, "beacon": statuses_by_check["beacon"]} == statuses_by_check
        return {line.check: line.status for line in left(verdict)}


@pytest.fixture
def house(tmp_path):
    house = Watched(tmp_path)
    yield house
    house.server.engine.dispose()


def rows(house, table=Witness):
    return house.all(table)


def asked_in(raw):
    """What a letter to a witness shows."""
    statement = witness.parse(read_attachment(raw, WITNESS_FILE, witness.LONGEST_TEXT) or b"")
    assert isinstance(statement, WitnessRequest)
    return statement


def to_friend(sent):
    return [row for row in sent if row.recipient == OWN]


def test_one_letter_asks_and_nothing_else_goes_to_a_stranger(house):
    assert house.write("north", f"SET WITNESS {OWN.upper()}\n").outcome == "settings"
    sent = house.sent()
    assert [(row.kind, row.recipient) for row in sent] == [("oath", OWN), ("settings", ANN)]
    assert "asks you to be a witness" in text_of(sent[0])
    (raw,) = house.kept[OWN]
    asked = asked_in(raw)
    assert (asked.log, asked.old) == (SECRETS.log, 0)
    assert checkpoint.read_signed(asked.note, SECRETS.log, signing.verify).size > 1
    assert b"X-Loop: pbem@games.example" in raw
    mails = shut(house, "north", 1, 123, "MOVE Ant TO s2")
    assert to_friend(mails) == []


def test_the_first_cosignature_is_the_oath_and_all_are_told_the_key(house):
    mails = house.swear()
    assert [(row.kind, row.recipient) for row in mails] == [("announcement", ANN), ("announcement", BOB)]
    assert house.key.text in text_of(mails[0])
    assert OWN not in text_of(mails[0])
    (row,) = rows(house)
    assert (row.state, row.key, row.unanswered) == ("sworn", house.key.text, 0)
    (kept,) = rows(house, Cosignature)
    assert kept.at == int(house.clock.now().timestamp())
    letter = house.all(tables.Inbox)[-1]
    assert (letter.verdict, letter.outcome) == ("witness", "cosigned")


def test_dice_whose_orders_a_witness_saw_in_time_have_grade_a(house):
    house.swear()
    mails = shut(house, "north", 1, 123, "MOVE Ant TO s2")
    assert [row.kind for row in mails] == ["sealed", "sealed", "witness"]
    assert house.watch() == ["cosigned"]
    report, *_ = (row for row in out(house, 123) if row.kind == "report")
    name = house.key.label
    assert "Dice: grade A, from round 123 of the beacon; witness: " in text_of(report)
    assert name in text_of(report)
    assert house.shown(ANN)[-1].grade == "A"
    for who in (ANN, BOB):
        assert house.verdict(who) == {}
        assert house.verdict(who, pinned=False) == {"timing": NOT_CHECKED}
    house.write("north", "DICE T1\n")
    assert "Grade A" in text_of(house.sent()[-1])


def test_each_list_of_a_phase_is_shown_to_him(house):
    """The answer to what was asked is a list of its own, with a round of its own."""
    house.swear()
    house.write("south", ASK.format(unit="Cat"))
    house.sent()
    shut(house, "north", 1, 123, "CREEP Bee TO s3", "CREEP Bee TO s4", "CREEP Bee TO s5")
    assert house.watch() == ["cosigned"]
    out(house, 123)
    house.clock.set(closing(1000))
    house.write("south", "RESPOND 1B\n")
    house.sent()
    house.poll()
    house.tick()
    assert house.watch() == ["cosigned"]
    mails = out(house, 1000)
    report = house.shown(BOB)[-1]
    # Where it stopped only the rules can tell: until the game is over it claims no more, and says what it will be.
    assert (report.grade, len(report.witnessed)) == ("C", 2)
    assert any("grade C until the game is over, then A;" in text_of(row) for row in mails)
    assert house.verdict(BOB) == {}


LATE = {"he looked when the round was out": (0, 0), "his letter came after the dice": (-5, 5)}


@pytest.mark.parametrize("name", LATE)
def test_too_late_is_grade_b(house, name):
    signed, came = LATE[name]
    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    house.clock.set(moment(123) + timedelta(seconds=signed))
    for raw in house.kept.pop(OWN):
        house.friend.mailbox.put(raw)
    house.friend.one.step()
    answer = house.friend.sent[-1].raw
    if not came:
        assert house.receive(answer).outcome == "cosigned"
    mails = out(house, 123)
    house.clock.forward(seconds=came)
    assert house.receive(answer).outcome == "cosigned" if came else True
    assert "grade B" in text_of(next(row for row in mails if row.kind == "report"))
    assert house.shown(ANN)[-1].grade == "B"
    house.write("north", "DICE T1\n")
    assert "Grade B" in text_of(house.sent()[-1])
    assert house.verdict() == {}


def test_a_clock_that_is_wrong_makes_no_grade_a(house):
    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    house.friend.one.clock = house.friend
    house.friend.time = house.clock.now() - timedelta(minutes=3)
    assert house.watch() == ["cosigned"]
    out(house, 123)
    assert house.shown(ANN)[-1].grade == "B"
    assert house.verdict() == {}


def answered(house, statement, *, to=None, text="ORDERS T1\nMOVE Ant TO s2\nEND\n"):
    """A letter to the witness's address with something attached."""
    address = to or house.server.witness_address(rows(house)[0])
    made = compose(
        OutgoingLetter(
            message_id=f"<{house.uid}@friends.test>",
            sender=OWN,
            recipient=address,
            subject="x",
            text=text,
            date=house.clock.now(),
            auto_submitted="auto-replied",
            attachments=((WITNESS_FILE, statement),),
        )
    )
    return house.receive(made).outcome


def own_saw(house, *, key=None, secret=None, size=None, moment=None):
    """What somebody with this key would write of the newest checkpoint."""
    key, secret = key or house.key, secret or house.friend.home.sign
    with house.server.session() as session:
        head = sequencer.head(session)
    assert head is not None
    signed = checkpoint.cosign(head.note, key, secret, moment or int(house.clock.now().timestamp()))
    saw = witnessing.answer(WitnessResult(signed), key)
    assert isinstance(saw, WitnessAnswer)
    return saw._replace(size=size) if size else saw


def test_what_is_not_his_cosignature_is_worth_nothing(house):
    house.swear()
    good = own_saw(house)
    host, server_secret = signing.make_signer("friends.test/x", b"l" * 32, COSIGNATURE)
    bad = [
        own_saw(house, key=OTHER, secret=OTHER_SECRET),
        own_saw(house, key=host, secret=server_secret),
        own_saw(house, secret=OTHER_SECRET),
        own_saw(house, size=good.size + 1),
        good._replace(root=bytes(32)),
        good._replace(line=good.line._replace(signed=bytes(8) + good.line.signed[8:])),
    ]
    before = len(rows(house, Cosignature))
    for statement in bad:
        assert answered(house, witness.write(statement).decode()) == "malformed"
    for text in (
        "nonsense\n",
        witness.write(WitnessRequest(SECRETS.log, 0, (), house.friend.one.state.seen[0])).decode(),
    ):
        assert answered(house, text) == "malformed"
    assert len(rows(house, Cosignature)) == before
    assert house.all(tables.QueuedOrders) == []
    assert house.sent() == []


def test_who_has_not_the_address_is_not_heard(house):
    house.swear()
    statement_text = witness.write(own_saw(house)).decode()
    for to in ("pbem+g1-witness-aaaaaaaaaaaaaaaa@games.example", "pbem+g2-witness-aaaaaaaaaaaaaaaa@games.example"):
        assert answered(house, statement_text, to=to) == "unknown"
    assert answered(house, statement_text) == "cosigned"
    house.write("north", "SET WITNESS OFF\n")
    (row,) = rows(house)
    assert row.state == "off"
    assert answered(house, statement_text, to=house.server.witness_address(row)) == "unknown"


def test_a_key_of_the_server_s_own_cannot_swear(house):
    house.write("north", f"SET WITNESS {OWN}\n")
    house.sent()
    own, secret = signing.make_signer("friends.test/x", DICE, COSIGNATURE)
    assert answered(house, witness.write(own_saw(house, key=own, secret=secret)).decode()) == (
        "malformed" if own.public in (SECRETS.log.public, SECRETS.dice.public) else "cosigned"
    )
    assert SECRETS.dice.public == own.public


def test_a_letter_in_the_name_of_a_witness_is_read_a_few_times_an_hour(house, monkeypatch):
    monkeypatch.setattr(witnesses, "LETTERS_AN_HOUR", 3)
    house.swear()
    outcomes = [answered(house, f"nonsense {number}\n") for number in range(5)]
    assert outcomes == ["malformed", "malformed", "malformed", "over-budget", "over-budget"]
    house.clock.forward(hours=2)
    assert answered(house, "nonsense\n") == "malformed"


def test_junk_to_the_addresses_of_witnesses_keeps_none_of_them_from_signing(house, monkeypatch):
    """Whoever has no token, even in his name, and another witness, who has one: a signature in time is a grade."""
    monkeypatch.setattr(witnesses, "LETTERS_AN_HOUR", 3)
    house.swear()
    to = house.server.witness_address(rows(house)[0])
    wrong = to.replace(to.rpartition("-")[2], "a" * 16 + "@games.example")
    assert {answered(house, f"junk {number}\n", to=wrong) for number in range(5)} == {"unknown"}
    with house.server.session() as session:
        other = Witness(game_id="g1", seat_id=None, email="other@friends.example", asked=house.clock.now())
        session.add(other)
    outcomes = [answered(house, f"junk {number}\n", to=house.server.witness_address(other)) for number in range(5)]
    assert outcomes == ["malformed"] * 4 + ["over-budget"]
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    house.sent()
    assert house.watch() == ["cosigned"]


def test_a_witness_that_holds_another_tree_is_shown_the_log_from_there(house):
    """A friend of two games, or one whose letter was lost: the log once more, a few times at most."""
    house.swear()
    first = house.friend.one.state
    for turn, number in ((1, 123), (1, 1000)):
        shut(house, "north" if number == 123 else "south", turn, number, *(["MOVE Dog TO s7"] * (number == 1000)))
        house.kept.pop(OWN) if number == 123 else None
        if number == 123:
            out(house, 123)
    assert house.watch() == ["asked-again"]
    (again,) = to_friend(house.sent())
    assert again.kind == "witness"
    assert house.watch() == ["cosigned"]
    assert len(house.friend.one.state.seen) == len(first.seen) + 1
    out(house, 1000)
    assert house.shown(BOB)[-1].grade == "A"


def test_a_gap_that_never_closes_is_no_loop(house):
    house.swear()
    held = house.friend.one.state.seen[-1]
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    outcomes = [
        answered(house, witness.write(WitnessRefusal(house.key, "gap", held)).decode(), text=f"{number}\n")
        for number in range(6)
    ]
    assert outcomes == ["asked-again"] * witnesses.GAPS + ["gap"] * (6 - witnesses.GAPS)


def test_a_refusal_that_proves_a_fork_is_told_to_all(house):
    """The witness holds what this log has signed, and what is not in it: only the server can have made that."""
    house.swear()
    fork = merkle.Tree([b"another %d" % number for number in range(3)])
    head = checkpoint.Checkpoint(SECRETS.log.name, 3, merkle.tree_root(fork.node, 3))
    held = checkpoint.cosign(checkpoint.sign(head, SECRETS.log, SECRETS.sign), house.key, house.friend.home.sign, 1)
    assert answered(house, witness.write(WitnessRefusal(house.key, "fork", held)).decode()) == "refused-fork"
    sent = house.sent()
    assert [row.recipient for row in sent] == ["op@games.example", ANN, BOB]
    assert "does not sign: the log is not the one that he saw before" in text_of(sent[1])
    assert encode64(head.root) in text_of(sent[0])
    assert (
        answered(house, witness.write(WitnessRefusal(house.key, "fork", held)).decode(), text="again\n")
        == "refused-fork"
    )
    assert house.sent() == sent or all(row.kind in ("fault", "announcement") for row in house.sent())


def test_a_refusal_that_proves_nothing_is_told_to_the_operator_alone(house):
    house.swear()
    held = house.friend.one.state.seen[-1]
    assert answered(house, witness.write(WitnessRefusal(house.key, "smaller", held)).decode()) == "refused-smaller"
    assert [row.recipient for row in house.sent()] == ["op@games.example"]
    forged = checkpoint.sign(
        checkpoint.Checkpoint(SECRETS.log.name, 3, bytes(32)), SECRETS.log, signing.make_signer("x/y", b"o" * 32)[1]
    )
    assert answered(house, witness.write(WitnessRefusal(house.key, "fork", forged)).decode()) == "malformed"


def test_a_witness_who_does_not_answer_is_let_go(house):
    house.swear()
    (row,) = rows(house)
    with house.server.session() as session:
        kept = session.get_one(Witness, row.id)
        kept.unanswered = witnesses.MOST_UNANSWERED
        session.add(kept)
    mails = shut(house, "north", 1, 123, "MOVE Ant TO s2")
    assert to_friend(mails) == []
    gone = [row for row in mails if row.kind == "announcement"]
    assert [row.recipient for row in gone] == [ANN, BOB]
    assert "watches this game no more" in text_of(gone[0])


def test_unanswered_letters_are_counted(house):
    def silent(**later):
        with house.server.session() as session:
            return [
                row.email
                for row in witnesses.silent_witnesses(
                    Transaction(session, house.server, house.clock.now() + timedelta(**later))
                )
            ]

    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    assert rows(house)[0].unanswered == 1
    assert silent(hours=1) == []
    assert silent(days=3) == [OWN]
    house.watch()
    assert rows(house)[0].unanswered == 0
    assert silent(days=3) == []


def refusal(house, text):
    assert house.write("north", text).outcome == "refusal"
    return text_of(house.sent()[-1])


def test_whom_nobody_can_ask(house, tmp_path):
    assert "No mail can be sent to" in refusal(house, "SET WITNESS a..b@x.test\n")
    assert "an address of this server" in refusal(house, "SET WITNESS pbem+x@games.example\n")
    house.write("south", f"SET WITNESS {OWN}\n")
    house.sent()
    assert "asked that witness already" in refusal(house, f"SET WITNESS {OWN}\n")
    for number in (1, 2):
        assert house.write("north", f"SET WITNESS w{number}@x.test\n").outcome == "settings"
    house.sent()
    assert "Enough strangers were written to" in refusal(house, "SET WITNESS w3@x.test\n")
    assert [row.state for row in rows(house)] == ["asked", "off", "asked"]
    house.clock.forward(days=1, seconds=1)
    assert house.write("north", "SET WITNESS w3@x.test\n").outcome == "settings"


def test_without_a_beacon_a_witness_is_no_use(tmp_path):
    plain = make_once(tmp_path, Recorded)
    assert plain.write("north", f"SET WITNESS {OWN}\n").outcome == "refusal"
    assert "a witness could prove nothing" in text_of(plain.sent()[-1])
    plain.server.engine.dispose()


def test_how_it_is_set(house):
    def status_of(seat):
        house.write(seat, "SET WITNESS\n")
        return text_of(house.sent()[-1])

    assert "This game has no witness" in status_of("north")
    house.write("north", f"SET WITNESS {OWN}\n")
    house.sent()
    assert f"{OWN} was asked to be a witness" in status_of("north")
    assert "Somebody was asked to be a witness" in status_of("south")
    assert OWN not in status_of("south")
    house.watch()
    house.sent()
    assert f"at {OWN}" in status_of("north")
    assert OWN not in status_of("south")
    house.write("north", "WITNESS OFF\n")
    gone = house.sent()
    assert "Your witness is asked no more" in text_of(gone[-1])
    assert [row.recipient for row in gone if row.kind == "announcement"] == [ANN, BOB]
    house.write("north", "FIJAR TESTIGO NO\n")
    assert "You had asked nobody" in text_of(house.sent()[-1])


def test_two_witnesses_of_one_game(house):
    """One who is late takes nothing from the other; the report shows who was in time."""
    house.swear()
    second = World(house.folder / "second", "--server", "pbem@games.example", "--address", "eva@friends.test")
    second.one.clock = house.clock
    house.kept["eva@friends.test"] = []
    house.write("south", "SET WITNESS eva@friends.test\n")
    house.sent()
    for raw in house.kept["eva@friends.test"]:
        second.mailbox.put(raw)
    second.one.step()
    assert house.receive(second.sent[0].raw).outcome == "cosigned"
    house.sent()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    assert house.watch() == ["cosigned"]
    out(house, 123)
    (seen,) = house.shown(ANN)[-1].witnessed
    assert b"friends.test/ana" in seen.note
    assert b"friends.test/eva" not in seen.note
    assert house.verdict() == {}


def test_crashed_before_the_letter_was_kept_it_is_made_again(house, monkeypatch):
    house.write("north", f"SET WITNESS {OWN}\n")
    with house.server.session() as session:
        ids = session.exec(select(tables.Outbox.message_id).where(tables.Outbox.kind == "oath")).all()

    def crash(session: Session, shown: object) -> None:
        raise RuntimeError("here")

    with monkeypatch.context() as broken:
        broken.setattr(witnesses, "note_shown", crash)
        with pytest.raises(RuntimeError):
            outbox_sender.render(house.server, ids)
    assert rows(house)[0].base == 0
    (raw,) = outbox_sender.render(house.server, ids)
    shown = asked_in(raw)
    assert rows(house)[0].base == checkpoint.read_signed(shown.note, SECRETS.log, signing.verify).size
    assert outbox_sender.render(house.server, ids) == (raw,)


def test_what_a_witness_gets_tells_no_orders(house):
    house.swear()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    (raw,) = house.kept[OWN]
    assert bundle.BUNDLE_FILE.encode() not in raw
    for word in (b"Ant", b"MOVE", b"north", b"slate", ANN.encode()):
        assert word not in raw


def test_a_log_that_was_begun_anew_is_another_log_to_him(house, capfd):
    """It has another name. He says so to himself, signs nothing, and what was signed before stays worth what it was."""
    house.swear()
    with house.server.work() as work:
        head = sequencer.head(work.session)
        assert head is not None
        recovery.recover(
            work,
            Checkpoint(SECRETS.log.name, head.size + 3, bytes(32)),
        )
    house.sent()
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    asked = asked_in(house.kept[OWN][-1])
    assert asked.log == SECRETS.log._replace(name=f"{SECRETS.log.name}/2")
    assert checkpoint.read_signed(asked.note, asked.log, signing.verify).size > head.size
    assert house.watch() == []
    assert "another log than the one that is watched" in capfd.readouterr().err
    out(house, 123)
    assert house.shown(ANN)[-1].grade == "B"
