"""WHY: what is behind a happening, to whom it is told, and when the key of the dice is."""

import re

import pytest

from pbem.audit.dice import DiceStream
from pbem.engine.data.messages import msg
from pbem.engine.data.report import Entry
from pbem.engine.terms import Explanation
from pbem.letters import command_lines
from pbem.play.commands.questions.why import has_same_first_chart
from pbem.play.commands.table import founding
from pbem.server.catalogue import COMMAND_FORMS
from pbem.store import tables
from tests.harness.game import ANN, BOB, PlayedGame

pytestmark = pytest.mark.usefixtures("stuck")

KEY = re.compile(r"hexkey:\\\n([0-9a-f]{64}\\\n[0-9a-f]{64})$", re.MULTILINE)


def play(house, seat, text):
    house.write(seat, f"ORDERS T{house.all(tables.Phase)[-1].turn}\n{text}\nEND")
    house.clock.forward(minutes=31)
    house.tick()
    house.sent()


def ask(house, seat, text):
    house.write(seat, text)
    return house.answer()


@pytest.fixture
def met(house):
    """North moves in on south's Cat, which has standing orders to flee."""
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING")
    play(house, "north", "MOVE Bee TO s3\nMOVE Bee TO s4\nMOVE Bee TO s5")
    return house


def test_it_is_told_down_to_the_bytes_of_the_die(met):
    answer = ask(met, "north", "WHY #1")
    beta = bytes.fromhex(KEY.findall(answer)[0].replace("\\\n", ""))
    (value,) = DiceStream(beta).roll("Bee>s3/push", 1, 6)
    head, _, rest = answer.partition("Its dice:\n")
    assert head == (
        "kind: answer (en)\n#1 of turn 1, north:\n#1 A counter moved. [T1]\n"
        f"  {{'die': {value}, 'to': 3, 'unit': 'Bee'}}\n"
        "Cause:\nyour order: MOVE Bee TO s3\n"
        "Its rules; RULES and a number tells one in full:\nT1  A counter is stuck on a 1.\n"
        "The chart, with the result in brackets:\nT1  Stuck\n\n  T1.1  0  on a 1\n"
    )
    lines = rest.splitlines()
    assert lines[0] == f"Bee>s3/push: 1d6 = {value}"
    assert max(map(len, lines[1:6])) <= 72
    assert lines[1:4] == [
        "printf '%s\\n' pbemdice/v1/die \\",
        "'label Bee>s3/push' 'block 0' | \\",
        "openssl dgst -sha256 -mac HMAC -macopt hexkey:\\",
    ]
    words = re.findall(r"[0-9a-f]{2}", lines[6].removeprefix("  bytes "))
    assert 1 + int(words[-1], 16) % 6 == value
    assert lines[-1].endswith(
        "This game waits for no public beacon, so whoever runs the server could have known the key before."
    )


def test_the_key_is_that_of_the_phase_alone(met):
    play(met, "south", "MOVE Dog TO s7")
    first_key, other = (KEY.findall(ask(met, "north", f"WHY #1 T1.{phase}"))[0] for phase in ("north", "south"))
    assert first_key != other


def test_standing_orders_are_told_to_their_owner_alone(met):
    assert "your standing order: Cat: FLEE\n" in ask(met, "south", "WHY 3")
    theirs = ask(met, "north", "WHY 3")
    assert "They met." in theirs
    assert "Cause:\nyour order: MOVE Bee TO s5\n" in theirs
    assert "FLEE'" in theirs
    assert "standing" not in theirs


def test_an_order_of_the_other_side_is_told_if_the_attachment_opens_it(met):
    answer = ask(met, "south", "Why #1 t1")
    assert "Cause:\nan order of another player: MOVE Bee TO s3\n" in answer
    (phase,) = [row for row in met.all(tables.Phase) if row.shown is not None]
    with met.server.work() as work:
        work.session.get_one(tables.Phase, phase.id).shown = None
    answer = ask(met, "south", "Why #1 t1")
    assert "Cause:\nan order of another player, secret until the game is over\n" in answer
    assert "MOVE" not in answer


def test_several_throws_are_explained_once(met):
    answer = ask(met, "north", "WHY #1\nWHY #2")
    assert answer.count("hexkey:") == 2
    assert answer.count("To throw a die again") == answer.count("waits for no public beacon") == 1


def test_a_number_without_a_report_is_refused(met):
    play(met, "south", "MOVE Dog TO s7")
    assert "line 1: WHY #9\n     ^\nThe report on turn 1, south has no #9. [] []\n" in ask(met, "north", "WHY #9")
    # The reports on both phases came together: the number is that of the other one.
    assert "The report on turn 1, south has no #3. [] ['WHY #3 T1.north']\n" in ask(met, "north", "WHY 3")
    assert (
        "line 1: PORQUE #1 T5\n          ^^\n"
        "Nothing is over of that; the last that can be told is turn 1, south. [] ['WHY #1 T1.south']\n"
    ) in ask(met, "north", "PORQUE #1 T5")
    # No phase is offered that has no such event.
    assert "the last that can be told is turn 1, south. [] []\n" in ask(met, "north", "WHY #9 T1 both")


def test_before_anything_has_happened_there_is_nothing_to_ask(house):
    assert ask(house, "north", "WHY #1") == ("kind: answer (en)\nThere is no history yet: nothing has happened.\n")


def test_the_key_is_not_told_while_anything_is_hidden(tmp_path):
    house = PlayedGame(tmp_path, started=False)
    with house.server.work() as work:
        for row in (*house.all(tables.Seat), *house.all(tables.Game)):
            work.session.delete(row)
            work.session.flush()
        founding.new_game(work, founding.NewGame(name="g1", game="toy", scenario="turns", options={"secret": "yes"}))
    for seat, who in (("north", ANN), ("south", BOB)):
        house.invite(seat, who)
    with house.server.work() as work:
        founding.start_game(work, "g1")
    house.sent()
    play(house, "north", "MOVE Bee TO s3")
    answer = ask(house, "north", "WHY #1")
    house.server.engine.dispose()
    assert "Its dice:\nBee>s3/push: 1d6 = " in answer
    assert answer.endswith("The key of these dice is not published while the game hides anything from anybody.\n")
    assert "openssl" not in answer


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("WHY #12", "12"),
        ("why # 12 t3", "12 t3"),
        ("Porque #3 T2.spain # the comment", "3 t2.spain"),
        ("\u00bfPor qu\u00e9 #3?", "3?"),
        ("por que\u0301 #3", "3"),
        ("POR QUE 3", "3"),
    ],
)
def test_how_it_is_written(line, rest):
    (command,) = command_lines.parse_letter(line, COMMAND_FORMS).commands
    assert (command.name, command.rest) == ("why", rest)


def test_elsewhere_the_mark_begins_a_comment():
    (command,) = command_lines.parse_letter("MAP #12", COMMAND_FORMS).commands
    assert (command.name, command.rest) == ("map", "")


def earlier(answer):
    """The lines on earlier happenings in an answer."""
    return re.findall(r"^Turn \d+, \w+, #\d+: .*$", answer, re.MULTILINE)


def test_earlier_happenings_by_the_same_rule_are_told_the_nearest_first(met):
    assert earlier(ask(met, "north", "WHY #1")) == []
    assert (
        "\nEarlier events under the same rule, the latest first:\nTurn 1, north, #1: A counter moved.\nIts dice:\n"
        in ask(met, "north", "WHY #2")
    )
    play(met, "south", "MOVE Dog TO s7")
    play(met, "north", "MOVE Bee TO s4")
    assert earlier(ask(met, "south", "WHY #1 T2.north")) == [
        f"Turn 1, {place}: A counter moved." for place in ("south, #1", "north, #4", "north, #2")
    ]
    assert earlier(ask(met, "north", "WHY #3 T1.north")) == []


def test_what_a_seat_did_not_see_is_no_precedent_for_it(house):
    """A counter that sticks is told to its owner alone."""
    play(house, "north", "\n".join(f"MOVE Ant TO s{1 + step % 2}" for step in range(1, 25)))
    play(house, "south", "\n".join(f"MOVE Dog TO s{6 + step % 2}" for step in range(1, 25)))
    for seat in ("north", "south"):
        numbers = re.findall(r"^#(\d+) A counter is stuck", ask(house, seat, "HISTORY T1"), re.MULTILINE)
        assert len(numbers) >= 2
        answer = ask(house, seat, f"WHY #{numbers[-1]} T1.{seat}")
        assert earlier(answer) == [f"Turn 1, {seat}, #{n}: A counter is stuck." for n in reversed(numbers[:-1])][:3]


@pytest.mark.parametrize(
    ("charts", "other", "same"),
    [
        (("T1  Shock\n\n  [1]\n",), ("T1  Shock\n\n  [2]\n", "T2  Flight\n"), True),
        (("T1  Shock\n",), ("T2  Flight\n", "T1  Shock\n"), False),
        (("T1  Shock\n",), (), True),
        ((), (), True),
    ],
)
def test_of_one_rule_those_are_alike_that_read_no_other_chart_first(charts, other, same):
    entry = Entry("T1", msg("It went as it goes."))
    assert has_same_first_chart(Explanation(entry, (), charts=charts), Explanation(entry, (), charts=other)) is same
