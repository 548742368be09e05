"""What a witness says of closed lists: one a segment, provably, and nothing that could be taken for anything else."""

import pytest

from pbem.audit import blocks, checkpoint, merkle, note, signing, witness, witness_statement, witnessing
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import COSIGNATURE, ED25519, Signature, encode64
from pbem.audit.witness import LONGEST_TEXT, ShownList, WitnessAnswer, WitnessRefusal, WitnessRequest
from pbem.audit.witness_statement import SignedStatement
from pbem.audit.witnessing import Witness, WitnessResult, WitnessState
from tests.audit.test_witness import KEY, LOG, SECRET, SIGN
from tests.harness.leaf_chain import LeafChain

BY = Witness(KEY, SECRET, signing.verify)


class Log:
    """A log that closes what it likes, and a witness who keeps what he must."""

    def __init__(self):
        self.tree, self.data, self.chain = merkle.Tree(), [], LeafChain("wt-042")
        self.seen, self.lists = [], {}

    def add(self, kind, *says):
        data = self.chain.append(kind, says, b"s" * 32)
        self.data.append(data)
        return self.tree.append(data)

    def close(self, slate="a", segment=1, phase="T1~1"):
        named = (("phase", phase), ("segment", str(segment)), ("groups", "all"))
        return self.add("close", *named, ("slate", (slate * 64)[:64]), ("seen", "-"))

    def roll(self):
        self.add("disclose", ("phase", "T1~1"))

    def note(self, size=None):
        size = size or len(self.tree)
        return checkpoint.sign(Checkpoint(LOG.name, size, merkle.tree_root(self.tree.node, size)), LOG, SIGN)

    def shown(self, index, size=None):
        return ShownList(index, self.data[index], merkle.prove_inclusion(self.tree.node, index, size or len(self.tree)))

    def asked(self, *closes, size=None):
        size = size or len(self.tree)
        old = checkpoint.parse_checkpoint(note.parse(self.seen[-1])).size if self.seen else 0
        path = merkle.prove_consistency(self.tree.node, old, size) if 0 < old <= size else ()
        return WitnessRequest(LOG, old, path, self.note(size), tuple(self.shown(index, size) for index in closes))

    def look(self, asked, moment=100):
        request = witness.parse(witness.write(asked))
        assert isinstance(request, WitnessRequest)
        result = witnessing.examine_request(request, WitnessState(self.seen, self.lists.get), BY, moment)
        if isinstance(result, WitnessResult):
            if result.note not in self.seen:
                self.seen.append(result.note)
            self.lists |= {
                witness_statement.closed_list_of(seen_list.proven.shown.data).where: seen_list
                for seen_list in result.new
            }
        return result


@pytest.fixture
def log():
    made = Log()
    made.roll()
    return made


def statement(result):
    return witness_statement.read(result.sees)


def test_the_witness_says_which_lists_he_saw_in_which_tree(log):
    first, second = log.close(), log.close("b", 2)
    sworn = statement(log.look(log.asked(first, second)))
    assert sworn.holds(KEY, signing.verify)
    assert sworn.said.tree == Checkpoint(LOG.name, 3, merkle.tree_root(log.tree.node, 3))
    assert sworn.said.at == 100
    assert [(close.where, close.leaf) for close in sworn.said.closes] == [
        (("wt-042", "T1~1", 1), leaf_hash(log.data[first]).hex()),
        (("wt-042", "T1~1", 2), leaf_hash(log.data[second]).hex()),
    ]


def test_nothing_is_said_where_no_list_was_shown(log):
    log.close()
    assert log.look(log.asked()).sees == b""


def test_a_second_list_of_a_segment_is_refused_with_both_as_a_proof(log):
    first = log.close("a")
    log.look(log.asked(first))
    log.roll()
    second = log.close("b")
    answer = log.look(log.asked(second))
    assert isinstance(answer, WitnessRefusal)
    assert (answer.why, [seen_list.shown.data for seen_list in answer.doubled]) == (
        "doubled",
        [log.data[first], log.data[second]],
    )
    assert witness.parse(witness.write(answer)) == answer
    assert witnessing.proves_double_list(answer, LOG, signing.verify)
    assert log.seen == log.seen[:1]


def test_two_lists_of_a_segment_in_one_letter_are_refused_too(log):
    answer = log.look(log.asked(log.close("a"), log.close("b")))
    assert isinstance(answer, WitnessRefusal)
    assert witnessing.proves_double_list(answer, LOG, signing.verify)
    assert log.lists == {}


def test_another_segment_phase_attempt_or_game_is_another_list(log):
    for phase, segment in (("T1~1", 1), ("T1~1", 2), ("T1~2", 1), ("T2~1", 1)):
        assert isinstance(log.look(log.asked(log.close("a", segment, phase))), WitnessResult)
    log.chain = LeafChain("other")
    assert isinstance(log.look(log.asked(log.close("b"))), WitnessResult)


def test_of_four_hundred_lists_of_one_segment_one_is_seen_and_never_another(log):
    """The log tries 400 lists of one segment, to show the one that it likes when the round is out."""
    closes = [log.close(f"{number:04x}" * 16) for number in range(400)]
    log.look(log.asked(closes[7]))
    assert {seen_list.proven.shown.at for seen_list in log.lists.values()} == {closes[7]}
    for index in closes[:7] + closes[8:]:
        assert log.look(log.asked(index)).why == "doubled"
    assert statement(log.look(log.asked(closes[7]))).said.closes[0].leaf == leaf_hash(log.data[closes[7]]).hex()


def test_a_list_that_is_hidden_from_the_witness_gets_a_cosignature_and_nothing_said_of_it(log):
    first, second = log.close("a"), log.close("b")
    answer = log.look(log.asked(first))
    assert checkpoint.cosigning_times(answer.note, [KEY], signing.verify)
    hidden = leaf_hash(log.data[second]).hex()
    assert hidden not in answer.sees.decode()
    assert isinstance(log.look(log.asked(second)), WitnessRefusal)


def test_lists_are_asked_for_a_few_at_a_time_of_one_tree(log):
    """A letter has room for some; the tree is cosigned once, and each list is seen."""
    closes = [log.close("a", 1 + number) for number in range(40)]
    notes = {log.look(log.asked(*closes[index : index + 8]), 100 + index).note for index in range(0, 40, 8)}
    assert len(notes) == 1
    assert len(log.lists) == 40
    assert len(witness.write(log.asked(*closes[:8]))) < LONGEST_TEXT


def test_what_was_said_is_said_again_whenever_it_is_asked_for(log):
    first = log.close()
    asked = log.asked(first)
    once, again = (log.look(asked, moment) for moment in (100, 999))
    assert once[:2] == again[:2]
    assert (len(once.new), again.new) == (1, ())


def test_the_time_that_is_said_is_no_earlier_than_the_list_was_seen(log):
    tree = len(log.tree)
    log.look(log.asked(size=tree), 50)
    first = log.close()
    log.look(log.asked(), 100)
    assert statement(log.look(log.asked(first), 7000)).said.at == 7000


@pytest.mark.parametrize("change", [{"at": 0}, {"path": ()}, {"data": b"pbemdice/v1/link\n"}])
def test_a_list_that_the_tree_does_not_hold_is_worth_no_answer(change, log):
    asked = log.asked(log.close())
    wrong = asked._replace(closes=(asked.closes[0]._replace(**change),))
    with pytest.raises(Malformed):
        witnessing.examine_request(wrong, WitnessState(), BY, 100)


def test_a_leaf_that_closes_nothing_is_worth_no_answer(log):
    with pytest.raises(Malformed, match="closes no list"):
        log.look(log.asked(0))


def test_a_doubled_list_that_is_none_proves_nothing(log):
    first, second = log.close("a"), log.close("b", 2)
    asked = log.asked(first, second)
    proven = [witness.ProvenList(close, asked.note) for close in asked.closes]
    same = WitnessRefusal(KEY, "doubled", asked.note, (proven[0], proven[0]))
    others = WitnessRefusal(KEY, "doubled", asked.note, tuple(proven))
    strange = WitnessRefusal(KEY, "doubled", asked.note, (proven[0], proven[0]._replace(note=b"")))
    for refusal in (same, others, strange):
        assert not witnessing.proves_double_list(refusal, LOG, signing.verify)
    assert not witnessing.proves_double_list(others, *signing.make_signer(LOG.name, b"o" * 32)[:1], signing.verify)


def test_a_statement_is_of_one_log_and_one_tree(log):
    """Whoever takes it for another log, size, root, time or list finds that it is not signed."""
    sworn = statement(log.look(log.asked(log.close())))
    tree = sworn.said.tree
    for other in (
        sworn.said._replace(tree=tree._replace(origin="example.com/other")),
        sworn.said._replace(tree=tree._replace(size=tree.size + 1)),
        sworn.said._replace(tree=tree._replace(root=bytes(32))),
        sworn.said._replace(at=99),
        sworn.said._replace(closes=(sworn.said.closes[0]._replace(leaf="0" * 64),)),
        sworn.said._replace(closes=(sworn.said.closes[0]._replace(phase="T1~2"),)),
    ):
        assert not SignedStatement(other, sworn.by).holds(KEY, signing.verify)


def test_a_statement_and_a_cosignature_are_never_taken_for_each_other(log):
    answer = log.look(log.asked(log.close()))
    sworn, tree = statement(answer), checkpoint.parse_checkpoint(note.parse(answer.note))
    line = note.parse(answer.note).signatures[-1]
    assert sworn.by.id != line.id
    # The bytes of the one under the name and id of the other.
    as_cosignature = Signature(KEY.name, KEY.id, (100).to_bytes(8, "big") + sworn.by.signed)
    with pytest.raises(Malformed, match="false"):
        checkpoint.cosigning_times(note.add_signatures(log.note(), as_cosignature), [KEY], signing.verify)
    as_statement = Signature(KEY.name, witness_statement.plain_key(KEY).id, line.signed[8:])
    assert not SignedStatement(sworn.said, as_statement).holds(KEY, signing.verify)
    # A log whose name would make its checkpoint a statement, and a statement that a note reader takes for a note.
    assert not blocks.block("sees", (("log", tree.origin),)).startswith(b"cosignature/v1\n")
    with pytest.raises(Malformed):
        note.parse(answer.sees)
    assert not sworn._replace(by=sworn.by._replace(id=KEY.id)).holds(KEY, signing.verify)


def test_a_witness_s_plain_key_signs_no_checkpoint(log):
    plain = KEY._replace(kind=ED25519)
    sworn = statement(log.look(log.asked(log.close())))
    signed = note.add_signatures(log.note(), Signature(plain.name, plain.id, sworn.by.signed))
    with pytest.raises(Malformed, match="false"):
        note.valid_signers(note.parse(signed), [plain], signing.verify)
    assert KEY.kind == COSIGNATURE


def test_an_answer_says_what_its_own_key_saw_in_its_own_tree(log):
    first = log.close()
    answer = witnessing.answer(log.look(log.asked(first)), KEY)
    data = witness.write(answer)
    assert witness.parse(data) == answer
    log.roll()
    later = witnessing.answer(log.look(log.asked(first)), KEY)
    assert isinstance(answer, WitnessAnswer)
    assert isinstance(later, WitnessAnswer)
    for wrong in (answer._replace(sees=later.sees), answer._replace(sees=b"pbemdice/v1/sees\n")):
        with pytest.raises(Malformed):
            witness.parse(witness.write(wrong))
    other, secret = signing.make_signer("else.example/w", b"x" * 32, COSIGNATURE)
    foreign = witness_statement.write(witness_statement.sign(witness_statement.read(answer.sees).said, other, secret))
    with pytest.raises(Malformed, match="another"):
        witness.parse(witness.write(answer._replace(sees=foreign)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"size 2", b"size 02"),
        (b"time 100", b"time 0"),
        (b"time 100", b"time -1"),
        (b"T1~1 1 ", b"T1~1 0 "),
        (b"close wt-042 T1~1 1 ", b"close wt-042 T1~1 "),
        (b"log ", b"lag "),
        (b"/sees\n", b"/saw\n"),
    ],
)
def test_there_is_one_way_to_write_a_statement(old, new, log):
    data = log.look(log.asked(log.close())).sees
    assert old in data
    with pytest.raises(Malformed):
        witness_statement.read(data.replace(old, new, 1))


def test_a_statement_names_a_segment_once_and_some_list(log):
    content = statement(log.look(log.asked(log.close()))).said
    for closes in ((), (content.closes[0], content.closes[0]._replace(leaf="0" * 64))):
        with pytest.raises(Malformed):
            witness_statement.read(
                witness_statement.write(witness_statement.sign(content._replace(closes=closes), KEY, SECRET))
            )
    assert encode64(content.tree.root) in witness_statement.write(witness_statement.sign(content, KEY, SECRET)).decode()
