"""What a report opens of both sides' orders: what the others know by now, and nothing else."""

import email
import email.policy

import pytest
from sqlmodel import col, select

from pbem.audit import bundle, leaves, sealing
from pbem.audit.bundle import BUNDLE_FILE
from pbem.audit.note import decode64
from pbem.engine.orders.choices import ways
from pbem.runtime.terms import Terms
from pbem.server import outbox_sender
from pbem.store import tables
from tests.harness.battle import PlayedBattle
from tests.harness.leaf_chain import LeafChain


@pytest.fixture
def seated(tmp_path):
    tables_set: list[PlayedBattle] = []

    def sit(**how):
        folder = tmp_path / str(len(tables_set))
        folder.mkdir()
        table = PlayedBattle(folder, undo=0, **how)
        tables_set.append(table)
        return table

    yield sit
    for table in tables_set:
        table.server.engine.dispose()


def shown(table, seat):
    """The proofs in the letters to a seat, in order."""
    letters = [email.message_from_bytes(raw, policy=email.policy.default) for raw in _all_to(table, seat)]
    files = [part for letter in letters for part in letter.iter_attachments() if part.get_filename() == BUNDLE_FILE]
    return [bundle.parse(part.get_content().replace("\r\n", "\n").encode()) for part in files]


def _bytes(table, names):
    return [outbox_sender.render(table.server, [name])[0] for name in names]


def known(letters):
    """The leaves that were shown with their bodies, by kind and seat, in the order of the chain."""
    read = [leaves.parse(leaf.data, leaf.body) for made in letters for leaf in made.leaves]
    return {(leaf.kind, leaf.seq): leaf for leaf in read if not leaf.withheld}


def opened(letters):
    return [played_orders for made in letters for played_orders in made.played], [
        fired_rule for made in letters for fired_rule in made.fired
    ]


def check(letters):
    """Everything that is opened fits the commitments in the leaves."""
    bundles = known(letters)
    orders = {
        (leaf("phase"), leaf("seat"), leaf("rev")): leaf
        for (kind, _), leaf in sorted(bundles.items())
        if kind == "order"
    }
    answers = {
        (leaf("phase"), leaf("segment"), leaf("seat"), leaf("rev")): leaf
        for (kind, _), leaf in sorted(bundles.items())
        if kind == "answer"
    }
    for opened_orders in opened(letters)[0]:
        if opened_orders.segment == 1:
            sealed = orders[opened_orders.phase, opened_orders.seat, str(opened_orders.rev)]("orders")
        else:
            sealed = answers[
                opened_orders.phase, str(opened_orders.segment), opened_orders.seat, str(opened_orders.rev)
            ]("commit")
        assert sealing.order_commitment(opened_orders.salt, opened_orders.text) == decode64(sealed)
    for opened_orders in opened(letters)[1]:
        leaf = orders[opened_orders.phase, opened_orders.seat, str(opened_orders.rev)]
        text = sealing.rule_leaf(opened_orders.own, opened_orders.number, opened_orders.text)
        assert sealing.standing_from_path(
            opened_orders.salt, text, (opened_orders.number, opened_orders.size), opened_orders.path
        ) == decode64(leaf("standing"))


def whole_chain(letters):
    """Every leaf of the game is there, and each follows the one before."""
    chain = {}
    for made in letters:
        for entry in made.leaves:
            leaf = leaves.parse(entry.data, entry.body)
            if leaf.game == "g1":
                chain[leaf.seq] = entry.data
    assert sorted(chain) == list(range(len(chain)))
    follow = LeafChain("g1")
    for seq in sorted(chain):
        follow.follow(chain[seq])


STANDING = (
    "STANDING FOR SPACE Cresta\n"
    "1. WHEN ASSAULTED THEN VANGUARD AngheraUno ; SCREEN NONE\n"
    "2. WHEN SHELLED THEN VANGUARD AngheraUno\n"
    "ENDSTANDING\n"
)
ASSAULT = "ORDERS T1\nLUCK one\nACTIVATE Nudos\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco\nEND\n"


def assaulted(table, orders=ASSAULT):
    table.answer("morocco", STANDING)
    table.answer("spain", orders)
    table.wait(0)
    table.wait(0)
    return {seat: shown(table, seat) for seat in ("spain", "morocco")}


def test_executed_orders_are_opened_to_the_other_side_with_the_standing_orders_that_were_used(seated):
    both = assaulted(seated())
    for letters in both.values():
        check(letters)
        whole_chain(letters)
    sets, rules = opened(both["morocco"])
    assert [(order_set.seat, order_set.rev, order_set.text.split("\n")[0]) for order_set in sets] == [
        ("morocco", 0, ""),
        ("spain", 1, "LUCK one"),
    ]
    sets, rules = opened(both["spain"])
    assert [(rule.seat, rule.size, rule.number) for rule in rules] == [("morocco", 2, 1)]
    assert "1. WHEN ASSAULTED THEN VANGUARD AngheraUno ; SCREEN NONE" in rules[0].text


def test_what_was_not_used_is_in_no_letter_to_the_other_side(seated):
    table = seated()
    assaulted(table)
    raw = b"".join(_all_to(table, "spain"))
    assert b"SHELLED" not in raw


def test_agreed_on_whole_sets_all_standing_orders_are_opened(seated):
    both = assaulted(seated(terms=Terms(opened="all")))
    _, rules = opened(both["spain"])
    assert [(rule.size, rule.number) for rule in rules] == [(2, 1), (2, 2)]
    check(both["spain"])


UNREACHED = ASSAULT.replace("ACTIVATE", "IF TURN AT LEAST 5\nPASS\nENDIF\nACTIVATE")


def test_a_set_with_a_line_that_was_not_come_to_stays_sealed_and_the_letter_says_so(seated):
    table = seated()
    both = assaulted(table, UNREACHED)
    sets, _ = opened(both["morocco"])
    assert [order_set.seat for order_set in sets] == ["morocco"]
    assert "Orders secret until the game ends: Spain." in table.last_to("morocco")
    assert b"TURN AT LEAST" not in b"".join(_all_to(table, "morocco"))


def test_agreed_on_whole_sets_it_is_opened(seated):
    table = seated(terms=Terms(opened="all"))
    both = assaulted(table, UNREACHED)
    assert (
        "IF TURN AT LEAST 5"
        in {opened_orders.seat: opened_orders for opened_orders in opened(both["morocco"])[0]}["spain"].text
    )
    assert "The attachment shows every side's orders for this phase." in table.last_to("morocco")


@pytest.mark.parametrize("terms", [Terms(), Terms(opened="all")])
def test_an_order_that_came_to_nothing_is_opened_only_if_that_was_agreed_on(seated, terms):
    table = seated(terms=terms)
    table.answer("spain", "LATER T2\nACTIVATE Garganta\nFIRE Montana1 AT Cresta\nEND\n")
    for seat, turn in (("spain", 1), ("morocco", 1)):
        table.answer(seat, f"ORDERS T{turn}\nPASS\nEND\n")
        table.wait(0)
    table.wait(60 * 48)
    made = [
        opened_orders for opened_orders in opened(shown(table, "morocco"))[0] if opened_orders.phase == "T2.spain~1"
    ]
    assert [orders.seat for orders in made] == (["morocco", "spain"] if terms.opened == "all" else ["morocco"])
    raw = b"".join(_all_to(table, "morocco"))
    assert (b"ACTIVATE Garganta" in raw) is (terms.opened == "all")


@pytest.mark.parametrize("terms", [pytest.param(Terms(), marks=pytest.mark.full), Terms(opened="all")])
def test_orders_of_divisions_are_never_opened_before_the_game_is_over(seated, terms):
    table = seated(scenario="barrosa", game="peninsular", seats=("french", "british"), terms=terms)
    first = _active(table)
    other = "british" if first == "french" else "french"
    order = _division_order(table, first)
    answer = table.answer(first, f"ORDERS T1\n{order}\nEND\n")
    assert "revision 1" in answer or "revisión 1" in answer
    table.wait(0)
    letters = shown(table, other)
    check(letters)
    assert first not in [opened_orders.seat for opened_orders in opened(letters)[0]]
    assert order.encode() not in b"".join(_all_to(table, other))


@pytest.mark.parametrize("terms", [pytest.param(Terms(), marks=pytest.mark.full), Terms(opened="all")])
def test_under_fog_nothing_is_opened_before_the_game_is_over_whatever_was_agreed_on(seated, terms):
    table = seated(fog=True, terms=terms)
    both = assaulted(table)
    for letters in both.values():
        check(letters)
        whole_chain(letters)
        assert opened(letters) == ([], [])
    assert "secret until the game ends: Morocco, Spain." in " ".join(table.last_to("morocco").split())
    assert b"LUCK one" not in b"".join(_all_to(table, "morocco"))
    assert b"VANGUARD AngheraUno" not in b"".join(_all_to(table, "spain"))


ASKS = "STANDING FOR ALL\nWHEN ASSAULTED THEN ASK WITHIN 12\nENDSTANDING\n"
ASKED = (
    "ORDERS T1\nACTIVATE Tarajal\nMOVE Husares1, Husares4, Luchana, Principe WITH Prim TO Nudos\n"
    "ACTIVATE Nudos\nFIRE Montana1 AT Cresta\nASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco\nEND\n"
)


@pytest.mark.parametrize("answered", [True, pytest.param(False, marks=pytest.mark.full)])
def test_an_answer_that_was_taken_is_opened_after_the_phase_and_not_before(seated, answered):
    table = seated()
    table.answer("morocco", ASKS)
    table.answer("spain", ASKED)
    table.wait(0)
    waiting = shown(table, "spain")
    assert opened(waiting) == ([], [])
    assert b"ASK WITHIN" not in b"".join(_all_to(table, "spain"))
    for _ in range(3):
        if answered and _waits(table):
            table.answer("morocco", "1A\n")
            assert [
                opened_orders for opened_orders in opened(shown(table, "spain"))[0] if opened_orders.segment > 1
            ] == []
        table.wait(0 if answered else 12 * 60)
    assert not _waits(table)
    for seat in ("spain", "morocco"):
        check(shown(table, seat))
        whole_chain(shown(table, seat))
    sets, rules = opened(shown(table, "spain"))
    given = [(order_set.seat, order_set.text) for order_set in sets if order_set.segment > 1 and order_set.text]
    assert bool(given) is answered
    assert {seat for seat, _ in given} <= {"morocco"}
    assert [order_set.seat for order_set in sets if order_set.segment == 1] == ["morocco", "spain"]
    # That its owner was to be asked did not decide; what he answered did.
    assert rules == []


def test_letters_carried_out_one_by_one_are_opened_when_the_phase_is_over(seated):
    table = seated(terms=Terms(pace="activation"))
    table.answer("spain", "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND\n")
    table.wait(0)
    table.answer("spain", "ORDERS T1\nACTIVATE Tarajal\nMOVE Luchana WITH Prim TO Playa\nEND\n")
    table.wait(0)
    assert opened(shown(table, "morocco")) == ([], [])
    table.answer("spain", "DONE\n")
    table.wait(0)
    for seat in ("spain", "morocco"):
        check(shown(table, seat))
        whole_chain(shown(table, seat))
    sets, _ = opened(shown(table, "morocco"))
    texts = {order_set.segment: order_set.text for order_set in sets if order_set.seat == "spain" and order_set.text}
    assert "FIRE Montana1 AT Cresta" in texts[1]
    assert "MOVE Luchana" in texts[2]
    assert "The attachment shows every side's orders for this phase." in table.last_to("morocco")


@pytest.mark.parametrize("terms", [Terms(pace="activation"), Terms(pace="activation", opened="all")])
def test_a_letter_with_a_line_that_was_not_come_to_stays_sealed_among_those_carried_out(seated, terms):
    table = seated(terms=terms)
    table.answer("spain", "ORDERS T1\nACTIVATE Nudos\nFIRE Montana1 AT Cresta\nEND\n")
    table.wait(0)
    table.answer("spain", "ORDERS T1\nACTIVATE Tarajal\nSTOP IF TURN 1\nMOVE Luchana WITH Prim TO Playa\nEND\n")
    table.wait(0)
    table.answer("spain", "DONE\n")
    table.wait(0)
    for seat in ("spain", "morocco"):
        check(shown(table, seat))
        whole_chain(shown(table, seat))
    sets, _ = opened(shown(table, "morocco"))
    whole = terms.opened == "all"
    assert (2 in {order_set.segment for order_set in sets if order_set.seat == "spain" and order_set.text}) is whole
    assert (b"STOP IF" in b"".join(_all_to(table, "morocco"))) is whole
    mail_text = " ".join(table.last_to("morocco").split())
    assert ("The attachment shows every side's orders for this phase." in mail_text) is whole


def _waits(table):
    """Whether a phase is closed and waits for answers."""
    with table.server.session() as session:
        return session.exec(select(tables.Phase).where(tables.Phase.state == "closed")).first() is not None


def _all_to(table, seat):
    return _bytes(table, _names(table, seat))


def _names(table, seat):
    with table.server.session() as session:
        query = select(tables.Outbox).join(tables.Seat).where(tables.Seat.name == seat).order_by(col(tables.Outbox.id))
        return [row.message_id for row in session.exec(query)]


def _active(table):
    with table.server.session() as session:
        (phase,) = session.exec(select(tables.Phase).where(tables.Phase.state == "open"))
    return phase.name


def _division_order(table, seat):
    """An order to a division, from the order form."""
    lines = (line.strip("# ") for line in table.last_to(seat).splitlines())
    return next(ways(next(line for line in lines if line.startswith("ORDER ")).partition("  #")[0]))
