"""Witnesses whom the server asks by HTTP: what they sign is kept, and what they do not do holds nothing up."""

from datetime import timedelta

import pytest

from pbem.audit import checkpoint, note, signing, submission, witnessing
from pbem.audit.note import COSIGNATURE
from pbem.audit.submission import WitnessReply
from pbem.cli.settings import HttpWitnessesSection
from pbem.cli.web import HttpAnswer, HttpCosigners
from pbem.log import grades, sequencer
from pbem.store.tables.log import WebCosignature
from tests.campaign.test_beacons import Waiting, out, shut
from tests.harness.game import ANN
from tests.harness.server import DICE, SECRETS, make_once

KEY, SECRET = signing.make_signer("w.example.net/w", b"w" * 32, COSIGNATURE)
URL = "https://w.example.net"


class Far:
    """A witness behind an address, or what somebody else answers there."""

    def __init__(self, house, key=KEY, secret=SECRET):
        self.house, self.by = house, witnessing.Witness(key, secret, signing.verify)
        self.seen, self.asked, self.instead = [], 0, []

    def __call__(self, address, data):
        assert address == URL
        self.asked += 1
        if self.instead:
            answer = self.instead.pop(0)
            if isinstance(answer, OSError):
                raise answer
            return answer
        moment = int(self.house.clock.now().timestamp())
        reply: WitnessReply = submission.answer(data, SECRETS.log, self.seen, self.by, moment)
        self.seen += [reply.kept] if reply.kept else []
        return HttpAnswer(reply.status, reply.body.encode())


@pytest.fixture
def house(tmp_path):
    house = make_once(tmp_path, Waiting)
    yield house
    house.server.engine.dispose()


def ask(house, far, key=KEY, chore=None):
    chore = chore or HttpCosigners([(URL, key.text)], far)
    chore(house.server, lambda: True)
    return house.all(WebCosignature)


def test_a_closed_list_is_cosigned_and_shown_in_the_report(house):
    far = Far(house)
    assert ask(house, far) == []
    assert far.asked == 0
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    (row,) = ask(house, far)
    assert (row.key, row.at) == (KEY.text, int(house.clock.now().timestamp()))
    assert ask(house, far) == [row]
    assert far.asked == 1
    out(house, 123)
    report = house.shown(ANN)[-1]
    (shown,) = report.witnessed
    assert checkpoint.cosigning_times(shown.note, [KEY], signing.verify) == {KEY.name: row.at}
    assert report.grade == "B"
    assert report.sees == ()


def test_a_witness_who_holds_another_tree_says_which_and_is_asked_from_there(house):
    far = Far(house)
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    with house.server.session() as session:
        head = sequencer.head(session)
        assert head is not None
        grown = sequencer.consistency_with(session, head.size - 2, head.size)
    assert grown is not None
    before = checkpoint.Checkpoint(SECRETS.log.name, grown.size, grown.root)
    far.seen = [checkpoint.cosign(checkpoint.sign(before, SECRETS.log, SECRETS.sign), KEY, SECRET, 5)]
    (row,) = ask(house, far)
    assert (row.size, far.asked) == (head.size, 2)


@pytest.mark.parametrize(
    "instead",
    [
        OSError("no line"),
        HttpAnswer(200, b"nothing"),
        HttpAnswer(200, "\N{EM DASH} w.example.net/w AAAAAAAA\n".encode()),
        HttpAnswer(404, b""),
        HttpAnswer(302, b""),
        HttpAnswer(409, b"x"),
        HttpAnswer(409, b"99999999999999999999"),
        HttpAnswer(409, b"4000\n"),
    ],
)
def test_one_that_is_of_no_help_is_left_alone_for_a_while(instead, house):
    far = Far(house)
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    chore = HttpCosigners([(URL, KEY.text)], far)
    far.instead = [instead]
    assert ask(house, far, chore=chore) == []
    assert ask(house, far, chore=chore) == []
    assert far.asked == 1
    house.clock.forward(seconds=2)
    if instead != HttpAnswer(409, b"4000\n"):
        assert len(ask(house, far, chore=chore)) == 1


def test_a_cosignature_by_another_key_or_by_the_server_s_own_is_none(house):
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    other = signing.make_signer(KEY.name, b"x" * 32, COSIGNATURE)
    assert ask(house, Far(house, *other)) == []
    own, secret = signing.make_signer("w.example.net/w", DICE, COSIGNATURE)
    assert ask(house, Far(house, own, secret), own) == []


def test_what_was_signed_when_the_round_was_out_does_not_count(house):
    far = Far(house)
    shut(house, "north", 1, 123, "MOVE Ant TO s2")
    house.clock.forward(seconds=605)
    assert len(ask(house, far)) == 1
    with house.server.session() as session:
        (close,) = grades.closed_lists(session, "g1", "T1.north~1")
    assert close.seen == ()
    assert timedelta(seconds=605) > timedelta(seconds=601)


@pytest.mark.parametrize(
    ("urls", "keys"),
    [
        ([URL], []),
        ([], [KEY.text]),
        (["http://w.example.net"], [KEY.text]),
        ([URL], [SECRETS.log.text]),
        ([URL], ["nonsense"]),
        ([URL, URL + "/2"], [KEY.text, KEY.text]),
    ],
)
def test_each_witness_has_an_address_and_a_key_of_his_kind(urls, keys):
    with pytest.raises(ValueError, match=r"."):
        HttpWitnessesSection(urls=tuple(urls), keys=tuple(keys))
    assert (
        HttpWitnessesSection(urls=(URL, "http://127.0.0.1:8750"), keys=(KEY.text, KEY._replace(name="b").text)).urls[0]
        == URL
    )
    assert note.parse_key(KEY.text) == KEY
