"""A game outside of the house, in fewer than 175 lines of code over kit and core, played by letter to its end."""

import ast
import email
import email.policy
import re
import sys
from collections import OrderedDict
from pathlib import Path

import beacon_game as beacon
import pytest

from pbem.engine.game import Game, missing_functions
from pbem.play import history
from pbem.play.replay import replay
from pbem.server import service
from pbem.store import tables
from tests.campaign.test_observing import watch
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.server import changed

SOURCE = Path(beacon.__file__).with_name("game.py")


def code_lines(source):
    """The lines of a file that are code: neither blank nor comment, import or docstring."""
    tree, other = ast.parse(source), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            other |= set(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            other |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    lines = enumerate(source.splitlines(), 1)
    return sum(bool(line.strip()) and not line.strip().startswith("#") and index not in other for index, line in lines)


def test_it_takes_fewer_than_175_lines_of_code():
    assert code_lines(SOURCE.read_text("utf-8")) < 175
    assert code_lines('"""Doc.\n\nMore."""\nimport ast\n\n# why\nx = 1\ny = 2\n') == 2


def test_it_is_built_on_kit_and_core_and_the_standard_library_alone():
    names_found = set()
    for node in ast.walk(ast.parse(SOURCE.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names_found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names_found |= {f"{node.module}.{alias.name}" for alias in node.names}
    ours = {name for name in names_found if name.split(".")[0] not in sys.stdlib_module_names}
    assert ours
    assert all(name.startswith(("pbem.engine.", "pbem.engine.")) for name in ours)


def test_it_is_a_whole_game():
    assert isinstance(beacon.GAME, Game)
    assert missing_functions(beacon.GAME) == ()


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path, scenario="dusk", game="beacon", undo_minutes=0)
    yield made
    made.server.engine.dispose()


def deliver(house, seat, text):
    """A letter by file, and its answer as it would be mailed."""
    sender = {"north": ANN, "south": BOB}[seat]
    raw = mail(sender, house.addresses[seat], text, Date=house.clock.now())
    (answer,) = service.deliver(house.server, raw).answers
    house.sent()
    body = email.message_from_bytes(answer, policy=email.policy.default).get_body(("plain",))
    assert body is not None
    return body.get_content().replace("\r\n", "\n")


def orders(turn, *lines):
    return "\n".join([f"ORDERS T{turn}", *lines, "END", ""])


def move(house, seat, turn, *lines):
    """Orders that are taken, and the reports of the phase by seat."""
    assert "Your orders are in: revision 1." in deliver(house, seat, orders(turn, *lines))
    house.tick()
    return reports(house)


def reports(house):
    rows = [row for row in house.sent() if row.kind == "report"]
    return {{ANN: "north", BOB: "south"}.get(row.recipient, "onlooker"): text_of(row) for row in rows}


def same_again(house):
    with house.server.work() as work:
        replayed = replay(work, "g1")
    assert replayed.difference is None
    return replayed.phases


@pytest.mark.parametrize(
    ("line", "word", "why", "rule", "better"),
    [
        ("JUMP Owl", "JUMP", "JUMP is not an order of this game", "B2", ""),
        ("MARCH Elk TO Hill", "Elk", "Elk is not a unit of this game", "B2", ""),
        ("MARCH Owl TO Moon", "Moon", "Moon is not a place on this map", "B2", ""),
        ("STANDING FOR UNIT Gull\nENDSTANDING", "Gull", "Gull is not yours", "B4", ""),
        ("MARCH Gull TO Hill", "Gull", "Gull is not yours", "B2", ""),
        ("MARCH Owl TO Dune", "Dune", "One band of yours marches", "B2", "'Farm', 'Hill']"),
        ("MARCH Owl TO Wood", "Wood", "where no other of yours stands", "B2", "'Farm', 'Hill']"),
        ("MARCH Fox TO Hill\nMARCH Owl TO Farm", "Owl", "One band of yours marches", "B2", ""),
        ("STANDING FOR ALL\nWHEN ATTACKED THEN RUN\nENDSTANDING", "RUN", "expected HOLD, YIELD or ASK here", "B4", ""),
    ],
)
def test_a_line_that_cannot_be_is_refused_with_its_rule_and_nothing_is_kept(house, line, word, why, rule, better):
    answer = deliver(house, "north", orders(1, *line.split("\n")))
    wrong = next(wrong_line for wrong_line in line.split("\n") if word in wrong_line)
    number = 2 + line.split("\n").index(wrong)
    assert answer.startswith("kind: refusal (en)\nI did nothing with your letter")
    assert f"line {number}: {wrong}\n{' ' * wrong.index(word)}{'^' * len(word)}\n" in answer
    assert why in answer
    assert f"[{rule}]" in answer
    assert better in answer
    assert house.all(tables.QueuedOrders) == []
    assert house.all(tables.StandingOrders) == []


def test_the_block_that_comes_back_mended_can_be_sent_as_it_is(house):
    move(house, "north", 1, "PASS")
    answer = deliver(house, "south", orders(1, "MARCHAR Seal A Cove").replace("ORDERS", "ORDENES"))
    mended = answer.partition("Ready to send as it is:\n")[2]
    assert "MARCHAR Seal A Hill  # you wrote Cove\n" in mended
    assert "Your orders are in: revision 1." in deliver(house, "south", mended)


def test_what_it_has_nothing_to_say_of_has_no_heading(house):
    assert "What counts" not in deliver(house, "north", "BRIEF")


def test_where_its_rules_are_gone_letters_of_other_games_do_not_wait_for_them(house):
    def gone(name):
        raise KeyError(name)

    before = changed(house.server, games=gone, states=OrderedDict())
    with before.reading() as work:
        assert history.states_after(work, {("g1", 1), ("none", 1)}) == {}
    with house.server.reading() as work:
        assert set(history.states_after(work, {("g1", 1), ("none", 1)})) == {("g1", 1)}


def test_it_is_played_by_letter_to_its_end(house):
    watch(house)
    mail_text = deliver(house, "south", "STANDING FOR UNIT Gull\nWHEN ATTACKED THEN YIELD\nENDSTANDING")
    assert "STANDING FOR UNIT Gull\n1. WHEN ATTACKED THEN YIELD\nENDSTANDING" in mail_text
    assert "#1 Owl marches to Hill. [B2]" in move(house, "north", 1, "march owl to hill")["south"]
    # Nobody writes for the south: its deadline passes, and it stays where it is.
    house.clock.forward(days=2)
    house.tick()
    assert "Deadlines missed so far: 1." in reports(house)["south"]
    # Gull yields by its standing order, of which the other side hears nothing.
    mail_text = move(house, "north", 2, "MARCHAR Owl A Quay")
    happened = "#1 Gull is attacked at Quay: YIELD. [B4]\n#2 Owl marches to Quay. [B2]\n"
    assert happened in mail_text["north"]
    assert happened in mail_text["south"]
    assert "standing" not in mail_text["onlooker"]
    assert happened in mail_text["onlooker"]
    assert "Cove: Gull, next Quay\n" in deliver(house, "north", "MAP")
    assert "by your standing order 1 for the unit Gull\n" in deliver(house, "south", "WHY #1 T2.north")
    assert "standing" not in deliver(house, "north", "WHY #1 T2.north")
    # A clash, and its die.
    clashed = move(house, "south", 2, "MARCH Seal TO Quay")["south"]
    assert "#1 Owl is attacked at Quay: HOLD. [B4]\n#2 Owl is attacked at Quay: " in clashed
    why = deliver(house, "north", "WHY #2 T2.south")
    (die,) = re.findall(r"^Seal>Quay/clash: 1d6 = (\d)$", why, re.MULTILINE)
    does = "stays" if int(die) <= 3 else "leaves"
    assert f"Owl is attacked at Quay: {does}. [B5]" in why
    assert f"\n   {die}   | [{does}]\n" in why
    assert "your order" not in why
    move(house, "north", 3, "PASS")
    # Owl, if it had to leave, went up the Hill.
    won = f"The beacon is held by: {'north' if does == 'leaves' else 'nobody'}. [B1]"
    assert won in move(house, "south", 3, "PASS")["north"]
    assert house.game().state == "over"
    assert same_again(house) == 6


def test_an_owner_who_wants_to_be_asked_is_asked(house):
    deliver(house, "south", "STANDING FOR SPACE Quay\nWHEN ATTACKED THEN ASK WITHIN 12 ; YIELD\nENDSTANDING")
    move(house, "north", 1, "MARCH Owl TO Hill")
    move(house, "south", 1, "PASS")
    deliver(house, "north", orders(2, "MARCH Owl TO Quay"))
    house.tick()
    (asked,) = [text_of(row) for row in house.sent() if row.kind == "question"]
    assert "1. Gull is attacked. What does it do?:\nA  it holds\nB  it yields <- if you say nothing\n" in asked
    assert "A  it holds <- your answer" in deliver(house, "south", "1A")
    house.tick()
    assert "#1 Gull is attacked at Quay: HOLD. [B4]\n#2 Gull is attacked at Quay: " in reports(house)["north"]
    assert same_again(house) == 3


@pytest.mark.parametrize(
    ("letter", "answer"),
    [
        ("STATUS", "Turn 1"),
        (
            "MAP",
            "Hill: -, next Dune, Mill, Quay, Wood\nMill: Owl, next Farm, Hill, Wood\n",
        ),
        ("MOVES Mill", "Owl: MARCH TO Farm, Hill\n"),
        ("HISTORY", "There is no history yet"),
        ("WHY #1", "There is no history yet"),
        ("RULE B2", "B2  One band of the side marches"),
        ("RULE B9", "There is no rule B9 in this game; RULES alone lists them."),
        ("CHART", "B5: Clash\n"),
        ("CHART clash", "  stays   and the other goes back\n"),
        ("HELP ORDERS", "MARCH band TO place, or PASS.\n"),
        ("ODDS MARCH Owl TO Hill", "This game reckons no odds."),
        ("TEST STANDING Mill BY Gull", "in this game standing orders cannot be put to the test"),
        ("TEMPLATE", "The form for your orders is in my last report; RESEND T1 sends it again."),
        ("VERIFY T1\nMARCH Owl TO Hill\nEND", "Owl marches to Hill. [B2]\n"),
        ("BRIEF", "Settings of this game"),
        ("STANDING CAUTIOUS", "1. WHEN ATTACKED THEN YIELD\n"),
    ],
)
def test_what_a_player_can_ask(house, letter, answer):
    assert answer in deliver(house, "north", letter)
