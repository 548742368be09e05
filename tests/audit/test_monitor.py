"""A log read whole by whoever wants to: each way in which a server might cheat in it, and what is said of it."""

from collections.abc import Callable

import pytest

from pbem.audit import checkpoint, merkle, signing
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.monitor import Monitor, TrustedState
from tests.harness.leaf_chain import LeafChain

LOG, SIGN = signing.make_signer("example.com/pbem", b"l" * 32)
SECOND, SECOND_SIGN = signing.make_signer("example.com/pbem/2", b"m" * 32)
SAME, SAME_SIGN = signing.make_signer("example.com/pbem/2", b"l" * 32)
VRF, OTHER_VRF = "aa" * 32, "bb" * 32


class Log:
    """A server's log of several games, honest as long as nobody meddles with it."""

    def __init__(self, key=LOG, vrf=VRF):
        self.data, self.chains, self.vouched = [], {}, {}
        self.key, self.sign = key, SIGN
        self.add("-", "genesis", ("log", key.text), ("vrf", vrf), ("chain", "none"))

    def add(self, game, kind, *says):
        chain = self.chains.setdefault(game, LeafChain(game))
        self.data.append(chain.append(kind, says, b"" if game == "-" else b"s" * 32))
        return len(self.data) - 1

    def close(self, game="g1", phase="T1~1", segment=1, groups="all"):
        where = (("phase", phase), ("segment", str(segment)), ("groups", groups))
        return self.add(game, "close", *where, ("slate", "0" * 64), ("seen", "-"))

    def roll(self, game="g1", phase="T1~1", segment=1, groups="all"):
        where = (("phase", phase), ("segment", str(segment)), ("groups", groups))
        names = groups.split(" ")
        rolled = [("group", f"{name} {'0' * 160}") for name in names]
        manifest = " ".join(["sha256:" + "0" * 64] * len(names))
        return self.add(game, "roll", *where, ("sig", "none"), *rolled, ("manifest", manifest))

    def disclose(self, game="g1"):
        return self.add(game, "disclose", ("phase", "T1~1"))

    def root(self, size):
        tree = merkle.Tree(self.data[:size])
        return merkle.tree_root(tree.node, size)

    def tree(self, size=None):
        size = len(self.data) if size is None else size
        return Checkpoint(self.key.name, size, self.root(size))

    def signed(self, size=None):
        return checkpoint.sign(self.tree(size), self.key, self.sign)

    def rotate(self, key, sign, vrf, why, **admitted):
        size = admitted.get("size", len(self.data))
        root = admitted.get("root", self.root(min(size, len(self.data))))
        says = (("log", key.text), ("vrf", vrf), ("size", str(size)), ("root", root.hex()), ("why", why))
        index = self.add("-", "rotate", *says)
        self.vouched[index] = self.signed()
        self.key, self.sign = key, sign
        return index

    def vouch(self, index):
        if index not in self.vouched:
            raise FileNotFoundError("nothing")
        return self.vouched[index]

    def look(self, known=None, note=None):
        """What is found."""
        alarms: list[str] = []
        watch = Monitor(known or TrustedState(), self.vouch, signing.verify, alarms.append)
        for data in self.data:
            watch.take(data)
        watch.check_signed_tree(note or self.signed())
        return alarms


def played():
    log = Log()
    for game in ("g1", "g2"):
        for phase in ("T1~1", "T2~1"):
            for segment in (1, 2):
                log.close(game, phase, segment)
                log.roll(game, phase, segment)
        log.disclose(game)
    return log


def only(alarms, words):
    assert len(alarms) == 1, alarms
    assert words in alarms[0]


def test_an_honest_log_is_found_to_be_so_again_and_again():
    log = played()
    assert log.look() == []
    known = TrustedState(LOG, log.tree())
    log.close("g3")
    assert log.look(known) == []
    assert log.look(TrustedState(LOG, log.tree(1))) == []


CASES: list[tuple[str, str, Callable[[Log], object]]] = []


def case(words):
    def register(make):
        CASES.append((make.__name__, words, make))
        return make

    return register


@case("is closed a second time")
def closed_again_before_the_roll(log):
    log.close("g3")
    log.close("g3")


@case("is closed a second time")
def closed_again_years_after_the_roll(log):
    log.close("g1", "T1~1", 2)


@case("is rolled a second time")
def rolled_again(log):
    log.roll("g1", "T1~1", 2)


@case("was not closed")
def rolled_without_a_list(log):
    log.roll("g1", "T9~1")


@case("was closed with the groups all, and rolls all extra")
def other_groups(log):
    log.close("g3")
    log.roll("g3", groups="all extra")


@case("has a second leaf at place 9")
def two_leaves_at_one_place(log):
    del log.chains["g1"].leaves[-1]
    log.disclose("g1")


@case("lacks the leaves 9 to 9")
def a_gap(log):
    log.chains["g1"].leaves.append(log.chains["g1"].leaves[-1])
    log.disclose("g1")


@case("does not name the one before it")
def another_predecessor(log):
    log.chains["g1"]._head = "0" * 64
    log.disclose("g1")


@case("cannot be read")
def no_leaf(log):
    log.data.append(b"nothing\n")


@case("cannot be read")
def a_kind_that_there_is_not(log):
    log.data.append(log.data[1].replace(b"/close\n", b"/clause\n"))


@case("begins a log that had begun")
def a_second_beginning(log):
    log.add("-", "genesis", ("log", SECOND.text), ("vrf", OTHER_VRF), ("chain", "none"))


@case("goes on with other keys")
def keys_changed_as_if_put_back(log):
    log.rotate(SECOND, SECOND_SIGN, VRF, "recovery")
    log.key, log.sign = LOG, SIGN


@case("goes on under the name")
def the_same_name_again(log):
    log.rotate(LOG, SIGN, VRF, "recovery")


@pytest.mark.parametrize(("name", "words", "make"), CASES, ids=[case[0] for case in CASES])
def test_what_a_log_must_not_hold(name, words, make):
    log = played()
    if name == "two_leaves_at_one_place":
        words = "has a second leaf at place 8"
    make(log)
    only(log.look(), words)


def test_four_hundred_lists_of_one_segment_are_399_findings():
    log = played()
    for _ in range(400):
        log.close("g3")
    assert len(log.look()) == 399


def test_a_log_that_does_not_begin_with_its_keys():
    log = played()
    del log.data[0]
    assert "the first leaf of the log does not tell its keys" in log.look()
    assert "the log does not tell its keys" in log.look()


def test_a_fork_is_found_by_the_tree_that_was_seen():
    log, other = played(), played()
    known = TrustedState(LOG, log.tree())
    other.data[5] = other.data[5].replace(b"body ", b"body 0")[:-2] + b"\n"
    assert any("forked: its first 19 leaves" in alarm for alarm in other.look(known))
    again = played()
    again.data.insert(9, again.data[9])
    assert any("forked" in alarm for alarm in again.look(known))


def test_a_log_that_became_smaller_is_found():
    log = played()
    known = TrustedState(LOG, log.tree())
    del log.data[-3:]
    only(log.look(known), "made smaller: it has 16 leaves, and 19 were signed")


def test_another_first_leaf_is_another_log_whatever_its_name():
    log, other = played(), Log(vrf=OTHER_VRF)
    watch = Monitor(TrustedState(), log.vouch, signing.verify, lambda what: None)
    watch.take(log.data[0])
    alarms = other.look(TrustedState(LOG, None, watch.genesis))
    only(alarms, "keys were changed")


def test_another_key_than_the_one_that_is_known():
    other, _ = signing.make_signer("example.com/pbem", b"o" * 32)
    only(played().look(TrustedState(other)), "the key of the log is not")


def test_a_checkpoint_of_another_key_or_of_another_tree():
    log = played()
    strange = checkpoint.sign(log.tree(), *signing.make_signer("example.com/pbem", b"o" * 32))
    only(log.look(note=strange), "is not signed by the log")
    only(log.look(note=log.signed(5)), "are not those that the log has signed")


def test_a_log_under_another_name_is_another_one():
    log = played()
    only(log.look(TrustedState(None, Checkpoint("example.com/else", 99, bytes(32)))), "is another one")


def test_a_log_that_was_put_back_and_says_so():
    log = played()
    known, size, root = TrustedState(LOG, log.tree()), len(log.data), log.root(len(log.data))
    del log.data[-4:]
    log.chains["g2"] = LeafChain("g2")
    for data in log.data[10:]:
        log.chains["g2"].follow(data)
    log.rotate(SAME, SAME_SIGN, VRF, "recovery", size=size, root=root)
    log.close("g4")
    for _ in range(8):
        log.disclose("g4")
    assert log.look(known) == []
    assert log.look(TrustedState(LOG, log.tree())) == []


def test_a_log_that_was_put_back_and_admits_to_less_than_was_seen():
    for admitted, words in (
        ({"size": 17}, "admits to 17 leaves, and 19"),
        ({"size": 19, "root": bytes(32)}, "another"),
    ):
        log = played()
        known = TrustedState(LOG, log.tree())
        del log.data[-2:]
        log.rotate(SAME, SAME_SIGN, VRF, "recovery", **admitted)
        log.key, log.sign = LOG, SIGN
        only(log.look(known), words)


def test_new_keys_that_the_key_before_vouches_for():
    log = played()
    known = TrustedState(LOG, log.tree())
    log.rotate(SECOND, SECOND_SIGN, OTHER_VRF, "keys")
    log.close("g4")
    assert log.look(known) == []
    assert log.look(TrustedState(SECOND, log.tree())) == []


@pytest.mark.parametrize(
    ("words", "meddle"),
    [
        ("does not vouch for it", lambda log, index: log.vouched.pop(index)),
        ("does not vouch for it", lambda log, index: log.vouched.update({index: log.signed()})),
        (
            "vouched for another tree",
            lambda log, index: log.vouched.update(
                {index: checkpoint.sign(Checkpoint(LOG.name, index, log.root(index)), LOG, SIGN)}
            ),
        ),
    ],
)
def test_new_keys_that_nobody_vouches_for(words, meddle):
    """Whoever has taken the server, and not the key, begins a log of his own."""
    log = played()
    index = log.rotate(SECOND, SECOND_SIGN, OTHER_VRF, "keys")
    meddle(log, index)
    alarms = log.look()
    assert words in alarms[0]
    assert "is not signed by the log" in alarms[1]


@pytest.mark.parametrize(
    ("words", "key", "vrf", "more"),
    [
        ("one of them is as it was", SAME, OTHER_VRF, {}),
        ("one of them is as it was", SECOND, VRF, {}),
        ("does not name the tree", SECOND, OTHER_VRF, {"size": 5}),
        ("does not name the tree", SECOND, OTHER_VRF, {"root": bytes(32)}),
    ],
)
def test_new_keys_are_two_and_follow_the_tree_that_there_was(words, key, vrf, more):
    log = played()
    log.rotate(key, SECOND_SIGN, vrf, "keys", **more)
    log.key, log.sign = LOG, SIGN
    only(log.look(), words)


def test_the_key_before_must_not_have_signed_more():
    log = played()
    log.close("g5")
    log.close("g6")
    known = TrustedState(LOG, log.tree())
    del log.data[-2:]
    del log.chains["g5"], log.chains["g6"]
    log.rotate(SECOND, SECOND_SIGN, OTHER_VRF, "keys")
    log.key, log.sign = LOG, SIGN
    log.close("g7")
    only(log.look(known), "the key before has signed 21 leaves")


def test_leaves_of_tournaments_are_read_and_malformed_keys_are_none():
    log = played()
    log.add("event/cup60", "verdict", ("number", "1"), ("text", "sha256:" + "0" * 64))
    assert log.look() == []
    with pytest.raises(Malformed):
        log.add("-", "rotate", ("log", "x"))
