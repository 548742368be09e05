"""Letters taken in: what they do, and the exact answer they get."""

import json
import random
import re
from datetime import timedelta

import pytest
import structlog

from pbem.runtime.limits import LIMITS
from pbem.server import intake, outbox_sender
from pbem.server.catalogue import COMMAND_FORMS
from pbem.store import tables
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail, plain_text, text_of
from tests.harness.server import changed

ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"
WANTED = "You have no orders in. They are due by Tuesday 5 May 2026, 20:00 UTC."


def sets(house, *states):
    return [(row.revision, row.state, row.text) for row in house.all(tables.QueuedOrders)]


def untouched(house):
    """Nothing but mail was written."""
    assert house.all(tables.QueuedOrders) == []
    assert house.all(tables.StandingOrders) == []
    assert [(row.kind, row.cause) for row in house.all(tables.Due)] == [("close", "deadline")]


def test_orders_are_queued_and_echoed(house):
    outcome = house.write("north", "Hi!\n\nordenes t1\nmover  ANT a S2   # forward\nPASS\nfin\n-- \nAnn")
    assert (outcome.verdict, outcome.outcome) == ("seat", "receipt")
    (answer,) = house.sent()
    assert text_of(answer) == (
        "kind: receipt (en)\n"
        "Your orders are in: revision 1.\n"
        "All orders are in. You may change yours until Monday 4 May 2026, 12:30 UTC; then they are carried out.\n"
        "Your orders as I understand them:\n"
        "ORDERS T1\n"
        "MOVE Ant TO s2\n"
        "END\n"
        "Odds of your attacks:\n"
    )
    assert sets(house) == [(1, "queued", "MOVE Ant TO s2\n")]
    assert (answer.recipient, answer.reply_to) == (ANN, house.addresses["north"])
    assert answer.in_reply_to == house.all(tables.Inbox)[0].message_id
    first = next(row.message_id for row in house.all(tables.Outbox) if row.kind == "report" and row.recipient == ANN)
    assert answer.references.split() == [first, answer.in_reply_to]


def test_a_second_set_replaces_the_first(house):
    house.write("north", ORDERS)
    house.sent()
    house.clock.forward(minutes=5)
    house.write("north", "ORDERS T1\nMOVE Bee TO s3\nEND\n")
    assert house.answer() == (
        "kind: receipt (en)\n"
        "Your orders are in: revision 2.\n"
        "They replace revision 1.\n"
        "All orders are in. You may change yours until Monday 4 May 2026, 12:35 UTC; then they are carried out.\n"
        "Your orders as I understand them:\n"
        "ORDERS T1\n"
        "MOVE Bee TO s3\n"
        "END\n"
        "Odds of your attacks:\n"
        "Bee: wins 83 %\n"
        "Exact, if your opponent has no standing orders.\n"
    )
    assert sets(house) == [(1, "replaced", "MOVE Ant TO s2\n"), (2, "queued", "MOVE Bee TO s3\n")]


def test_one_wrong_line_refuses_them_all_and_shows_each(house):
    house.write(
        "north",
        "Hello\nSET LANG es\nORDERS T1\nMOVE Ant TO s2\nMOVE Elk TO s3\n  MOVE Cat TO s4\nMOVE Bea TO s3\nEND\n",
    )
    assert house.answer() == (
        "kind: refusal (en)\n"
        "I did nothing with your letter: 3 lines are wrong.\n"
        f"{WANTED}\n"
        "line 5: MOVE Elk TO s3\n"
        "     ^^^\n"
        "There is no counter Elk. [T1] []\n"
        "line 6:   MOVE Cat TO s4\n"
        "       ^^^\n"
        "Cat is not yours. [T1] []\n"
        "line 7: MOVE Bea TO s3\n"
        "     ^^^\n"
        "There is no counter Bea. [T1] ['Bee']\n"
        "Your letter with what I could fix. Correct the rest and send it again:\n"
        "SET LANG es\n"
        "ORDERS T1\n"
        "MOVE Ant TO s2\n"
        "# MOVE Elk TO s3\n"
        "#   MOVE Cat TO s4\n"
        "MOVE Bee TO s3  # you wrote Bea\n"
        "END\n"
        "Numbers in brackets are rules: RULES T1 sends one in full.\n"
    )
    untouched(house)


def refused(text, line, shown, caret, why, suggestions="[]", rule="T1"):
    return (text, f"line {line}: {shown}\n{caret}\n{why} [{rule}] {suggestions}\n")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        refused("ORDERS T1\nMOVE Elk TO s3\nEND", 2, "MOVE Elk TO s3", "     ^^^", "There is no counter Elk."),
        refused("ORDERS T1\nMOVE Cat TO s4\nEND", 2, "MOVE Cat TO s4", "     ^^^", "Cat is not yours."),
        refused("ORDERS T1\nMOVE Ant TO sea\nEND", 2, "MOVE Ant TO sea", "^^^^", "Say MOVE unit TO space."),
        refused("ORDERS T1\nDANCE Ant\nEND", 2, "DANCE Ant", "^^^^^", "There is not an order DANCE.", rule="T0"),
        refused("ORDERS T1\nMOVE Ant TO s9\nEND", 2, "MOVE Ant TO s9", "^^^^", "Ant moves one space at a time."),
        refused(
            "ORDERS T2\nMOVE Ant TO s2\nEND",
            1,
            "ORDERS T2",
            "^^^^^^^^^",
            "These orders are for turn 2; it is turn 1.",
            "['ORDERS T1']",
            "",
        ),
        refused(
            "ORDERS\nMOVE Ant TO s2\nEND",
            1,
            "ORDERS",
            "^^^^^^",
            "A block of orders begins with ORDERS and the turn, such as ORDERS T3.",
            "['ORDERS T1']",
            "",
        ),
        refused(
            "ORDERS T1 #zzzz\nMOVE Ant TO s2\nEND",
            1,
            "ORDERS T1 #zzzz",
            "          ^^^^^",
            "This block is from an earlier letter of this turn; use the one in the last report.",
            "['ORDERS T1']",
            "",
        ),
        refused(
            "ORDERS T1\nMOVE Ant TO s2\n",
            1,
            "ORDERS T1",
            "^^^^^^^^^",
            "END is missing on a line of its own below the orders. Perhaps the letter was cut short.",
            "[]",
            "",
        ),
        refused(
            "STATUS\nDANCE Ant s2\n",
            2,
            "DANCE Ant s2",
            "^^^^^^^^^^^^",
            "I do not know this command; HELP lists them all.",
            "[]",
            "",
        ),
    ],
    ids=["unit", "not yours", "space", "verb", "check", "turn", "no turn", "nonce", "no end", "line"],
)
def test_what_is_refused(house, text, complaint):
    assert house.write("north", text).outcome == "refusal"
    answer = house.answer()
    head = f"kind: refusal (en)\nI did nothing with your letter: one line is wrong.\n{WANTED}\n"
    assert answer.startswith(head + complaint)
    untouched(house)


def test_a_refusal_leaves_what_was_queued(house):
    house.write("north", ORDERS)
    house.sent()
    house.write("north", "ORDERS T1\nMOVE Elk TO s3\nEND\n")
    assert "The orders you sent before still stand (revision 1).\n" in house.answer()
    assert sets(house) == [(1, "queued", "MOVE Ant TO s2\n")]


def test_the_seat_that_is_not_asked(house):
    house.write("south", "ORDERS T1\nMOVE Cat TO s4\nEND\n")
    why = (
        "It is not your phase. Until the other side has moved you can send standing orders, and orders that I keep for "
        "turn 1: LATER T1 in place of ORDERS T1."
    )
    assert f"line 1: ORDERS T1\n^^^^^^^^^\n{why} [] ['LATER T1']\nReady to send as it is:\nLATER T1\n" in house.answer()
    untouched(house)


def test_standing_orders_are_kept_by_scope_until_replaced(house):
    for text in ("STANDING FOR Cat\nFLEE\nENDSTANDING\n", "ORDERS T1\nSTANDING FOR Dog\nFLEE\nENDSTANDING\nEND\n"):
        assert house.write("south", text).outcome == "receipt"
    house.sent()
    house.write("south", "STANDING FOR Cat\nSTAND\nENDSTANDING\n")
    assert house.answer() == (
        "kind: receipt (en)\n"
        "Your standing orders are in.\n"
        "Still waiting for orders from: north. Deadline: Tuesday 5 May 2026, 20:00 UTC.\n"
        "Your standing orders in force:\n"
        "STANDING FOR Cat\n  STAND\nENDSTANDING\n"
        "STANDING FOR Dog\n  FLEE\nENDSTANDING\n"
    )
    assert house.all(tables.QueuedOrders) == []


def test_standing_orders_are_cancelled_by_themselves(house):
    house.write("south", "STANDING FOR Cat\nFLEE\nENDSTANDING\n")
    house.sent()
    house.write("south", "CANCELAR DOCTRINA")
    assert house.answer() == "kind: cancelled (en)\nYour standing orders are cancelled.\n"
    untouched(house)
    house.write("south", "CANCEL STANDING")
    assert "there was nothing to cancel" in house.answer()


def test_several_rules_of_one_scope_are_kept_and_replaced_together(house):
    house.write("south", "STANDING FOR Cat\nFLEE\nSTAND\nENDSTANDING\n")
    assert [row.text for row in house.all(tables.StandingOrders)] == [
        "STANDING FOR Cat\n  FLEE\n  STAND\nENDSTANDING\n"
    ]
    house.write("south", "STANDING FOR Cat\nSTAND\nENDSTANDING\n")
    assert [row.text for row in house.all(tables.StandingOrders)] == ["STANDING FOR Cat\n  STAND\nENDSTANDING\n"]


def test_actions_do_not_stand_among_standing_orders(house):
    house.write("north", "STANDING FOR Ant\nFLEE\nMOVE Ant TO s2\nENDSTANDING\n")
    assert "Only standing orders belong here; actions go between ORDERS and END." in house.answer()
    untouched(house)


def test_warnings_do_not_refuse(house):
    house.write("north", "ORDERS T1\n" + "MOVE Ant TO s2\nMOVE Ant TO s1\n" * 2 + "END\n")
    assert "warning, line 5: That is a lot of pushing.\n" in house.answer()
    assert len(house.all(tables.QueuedOrders)) == 1


@pytest.mark.parametrize("text", ["", "   \n\n", "Dear server,\nthank you for the nice game.\n"])
def test_a_letter_without_anything_to_do_gets_help(house, text):
    assert house.write("north", text).outcome == "help"
    answer = house.answer()
    why = "It has no text that I read."
    if text.strip():
        why = 'No line of its text is a command or begins a block of orders. The first is: "Dear server,"'
    assert answer == (
        "kind: help (en)\n"
        "I found no orders or commands in your letter. Nothing has changed.\n"
        f"{why}\n"
        f"{WANTED}\n"
        "One command a line; case and accents do not matter. Orders stand in a block of their own.\n"
        "HELP lists all commands, HELP orders says how to write orders.\n"
        "The form for your orders is in my last report; RESEND T1 sends it again.\n"
        "What you can write:\n"
        "ORDERS T1 ... END           ORDENES T1 ... FIN\n"
        "VERIFY T1 ... END           VERIFICAR T1 ... FIN\n"
        "LATER T2 ... END            DESPUES T2 ... FIN\n"
        "STATUS                      ESTADO\n"
        "BRIEF                       SITUACION\n"
        "CANCEL                      CANCELAR\n"
        "RESPOND 1A 2D               RESPONDER 1A 2D\n"
        "MAP T1                      MAPA T1\n"
        "MOVES place                 MOVIMIENTOS lugar\n"
        "RULES word                  REGLAS palabra\n"
        "ODDS ASSAULT ...            PROBABILIDAD ASALTAR ...\n"
        "WHY #12 T3                  PORQUE #12 T3\n"
        "PRESS TO side ... ENDPRESS  PRENSA A bando ... FINPRENSA\n"
    )
    untouched(house)


def test_help_lists_every_command_and_holds_the_form(house):
    house.write("north", "HELP")
    nonce = house.all(tables.Seat)[0].nonce
    assert house.answer() == (
        "kind: help (en)\n"
        "One command a line; case and accents do not matter. Orders stand in a block of their own.\n"
        "What you can write:\n"
        "ORDERS T1 ... END             ORDENES T1 ... FIN\n"
        "VERIFY T1 ... END             VERIFICAR T1 ... FIN\n"
        "LATER T2 ... END              DESPUES T2 ... FIN\n"
        + "".join(
            f"{form.example:<28}  {form.spanish}\n"
            for form in COMMAND_FORMS.every
            if form.example and form.name not in NOT_HERE
        )
        + "HELP tells more of:\n"
        "ORDERS     ORDENES\n"
        "STANDING   DOCTRINA\n"
        "LETTERS    CARTAS\n"
        "DEADLINES  PLAZOS\n"
        "DICE       DADOS\n"
        "ASK        CONSULTAR\n"
        "SIGNS      SIGNOS\n"
        "COMMANDS   COMANDOS\n"
        "The template of your orders, to be edited and sent back:\n"
        f"ORDERS T1 #{nonce}\n"
        "# MOVE Ant TO s2\n"
        "# MOVE Bee TO s3\n"
        "END\n"
    )
    untouched(house)


NOT_HERE = {"done", "hint", "desk", "review", "lesson", "play", "seek", "sue", "accept"} | {
    "standings",
    "crosstable",
    "round",
    "rating",
}
"""Commands that neither this game nor this server has."""


def test_ten_thousand_lines(house):
    house.write("north", "ORDERS T1\n" + "MOVE Ant TO s2\n" * 10_000 + "END\n")
    assert house.answer() == (
        "kind: refusal (en)\nYour letter is too long for me to read. Nothing has changed; send a shorter one.\n"
        "It has more than 4000 lines of text.\n"
        "I read 1000 KB of a letter at most, and of its text 256 KB or 4000 lines.\n"
    )
    untouched(house)


def test_binary(house):
    noise = bytes(range(256)) * 40
    head = mail(ANN, house.addresses["north"], "").split(b"\r\n\r\n")[0]
    assert house.receive(head + b"\r\n\r\n" + noise).verdict == "seat"
    assert house.answer().startswith(
        "kind: help (en)\nI found no orders or commands in your letter. Nothing has changed.\n"
    )
    assert house.receive(noise).outcome == "no-sender"
    assert house.sent() == []
    untouched(house)


def test_a_letter_too_big_to_be_fetched(house):
    head = mail(ANN, house.addresses["north"], "").split(b"\r\n\r\n")[0] + b"\r\n\r\n"
    moment = house.clock.now()
    received = intake.ReceivedLetter("box", "INBOX", 1, 99, moment, head, whole=False)
    with house.server.work() as work:
        intake.take_letter(work, received)
    assert house.answer().startswith("kind: refusal (en)\nYour letter is too long for me to read.")
    untouched(house)


def test_the_template_sent_back_as_it_came(house):
    template = house.all(tables.Seat)[0].template
    house.write("north", f"ok\n\n> ##- line -##\n{template}\n")
    answer = house.answer()
    assert "Nothing was changed: every line of your form still begins with #.\n" in answer
    untouched(house)


def test_the_template_edited_where_it_is_quoted(house):
    template = house.all(tables.Seat)[0].template.replace("# MOVE Ant", "MOVE Ant")
    house.write("north", "Here it is:\n\n" + "".join(f"> {line}\n" for line in template.split("\n")))
    answer = house.answer()
    assert answer.startswith("kind: receipt (en)\n")
    assert "They were read from the quoted part of your letter, because you changed the block there.\n" in answer
    assert sets(house) == [(1, "queued", "MOVE Ant TO s2\n")]


def test_the_mended_block_of_a_refusal_counts_where_it_is_sent_and_not_where_it_is_quoted(house):
    template = house.all(tables.Seat)[0].template
    house.write("north", template.replace("# MOVE Ant", "MOVE Bea"))
    refusal = house.answer()
    mended = "ORDERS T1\nMOVE Bee TO s2  # you wrote Bea\n# MOVE Bee TO s3\nEND\n"
    assert mended in refusal
    house.write("north", "HELP\n\n" + "".join(f"> {line}\n" for line in refusal.split("\n")))
    house.sent()
    untouched(house)
    house.write("north", mended.replace("s2", "s3"))
    assert house.answer().startswith("kind: receipt")


def test_cancel(house):
    house.write("north", ORDERS)
    house.sent()
    house.write("north", "CANCEL\n")
    nonce = house.all(tables.Seat)[0].nonce
    assert house.answer() == (
        "kind: cancelled (en)\n"
        "Your orders (revision 1) are cancelled. You have none in now.\n"
        "Orders are due by Tuesday 5 May 2026, 20:00 UTC.\n"
        f"ORDERS T1 #{nonce}\n# MOVE Ant TO s2\n# MOVE Bee TO s3\nEND\n"
    )
    assert sets(house) == [(1, "cancelled", "MOVE Ant TO s2\n")]
    assert [row.cause for row in house.all(tables.Due)] == ["deadline"]
    house.write("north", "CANCELAR\n")
    assert house.answer() == "kind: answer (en)\nYou have no orders in; there was nothing to cancel.\n"


def test_cancel_above_new_orders_leaves_the_new_ones(house):
    house.write("north", ORDERS)
    house.sent()
    house.write("north", "CANCEL\nORDERS T1\nMOVE Bee TO s3\nEND\n")
    assert house.answer().startswith("kind: receipt (en)\nYour orders (revision 1) are cancelled.")
    assert sets(house) == [(1, "cancelled", "MOVE Ant TO s2\n"), (2, "queued", "MOVE Bee TO s3\n")]


def test_status(house):
    house.write("south", "ESTADO")
    assert house.answer() == (
        "kind: status (en)\nTurn 1. Waiting for orders from: north. Deadline: Tuesday 5 May 2026, 20:00 UTC.\n"
        "Deadlines missed so far: 0.\n"
    )
    house.write("north", "STATUS")
    assert house.answer() == (
        "kind: status (en)\nTurn 1. Waiting for orders from: north. Deadline: Tuesday 5 May 2026, 20:00 UTC.\n"
        "Deadlines missed so far: 0.\n"
        "You have no orders in.\n"
    )
    house.write("north", "STATUS\n" + ORDERS)
    assert "Turn 1. Waiting for orders from: north." in house.answer()
    house.write("north", "STATUS")
    assert house.answer() == (
        "kind: status (en)\nTurn 1. All orders are in: they are carried out on Monday 4 May 2026, 12:30 UTC, "
        "and until then they can be changed.\n"
        "Deadlines missed so far: 0.\n"
        "Your orders are in (revision 1).\n"
        "Your orders as I understand them:\nORDERS T1\nMOVE Ant TO s2\nEND\n"
    )


def test_language_changes_with_the_answer_already(house):
    house.write("north", "FIJAR IDIOMA es")
    assert house.answer() == "kind: settings (es)\nFrom now on I write to you in this language.\n"
    house.write("north", "REPLACE")
    assert house.answer().startswith("kind: help (es)\nREPLACE stands above a block of orders;")


def test_a_letter_written_earlier_does_not_replace_a_later_one(house):
    house.write("north", ORDERS)
    house.sent()
    older = house.clock.now() - timedelta(hours=1)
    house.write("north", "ORDERS T1\nMOVE Bee TO s3\nEND\n", Date=older)
    assert "This letter was written before your current orders (revision 1) and did not replace them." in house.answer()
    assert sets(house) == [(1, "queued", "MOVE Ant TO s2\n")]
    house.write("north", "REPLACE\nORDERS T1\nMOVE Bee TO s3\nEND\n", Date=older)
    assert "They replace revision 1.\n" in house.answer()


def test_a_letter_after_the_deadline(house):
    house.write("north", ORDERS)
    house.sent()
    house.clock.set(house.all(tables.Phase)[0].deadline + timedelta(seconds=1))
    house.write("north", "ORDERS T1\nMOVE Bee TO s3\nEND\n")
    assert house.answer() == (
        "kind: closed (en)\nYour letter came after the deadline, Tuesday 5 May 2026, 20:00 UTC: "
        "your orders for turn 1 cannot be changed any more.\n"
    )
    house.write("north", "CANCEL")
    assert house.answer() == (
        "kind: closed (en)\nYour letter came after the deadline; your orders stand (revision 1).\n"
    )
    assert sets(house) == [(1, "queued", "MOVE Ant TO s2\n")]


def test_a_letter_in_time_counts_however_late_it_is_read(house):
    deadline = house.clock.set(house.all(tables.Phase)[0].deadline)
    house.clock.forward(hours=3)
    house.receive(mail(ANN, house.addresses["north"], ORDERS), moment=deadline)
    assert sets(house) == [(1, "queued", "MOVE Ant TO s2\n")]


def test_before_the_game_has_begun(tmp_path):
    house = PlayedGame(tmp_path, started=False)
    house.invite("north", ANN)
    house.sent()
    house.write("north", ORDERS)
    assert house.answer() == "kind: refusal (en)\nThe game has not begun; nothing was changed.\n"
    house.write("north", "STATUS")
    assert house.answer() == "kind: status (en)\nThe game has not begun.\n"
    house.server.engine.dispose()


# Who wrote


def test_the_token_speaks_for_the_seat_and_the_answer_goes_to_the_registered_address(house):
    house.receive(mail("ann@work.example", house.addresses["north"].upper(), ORDERS))
    (answer,) = house.sent()
    assert (answer.kind, answer.recipient) == ("receipt", ANN)


@pytest.mark.parametrize(
    ("recipient", "why"),
    [
        (
            "pbem+g1-north-aaaaaaaaaaaaaaaa@games.example",
            "The address you wrote to is not that of a seat here: there is no game g1 with a seat north, "
            "or the address has been replaced.",
        ),
        (
            "pbem+g9-north-aaaaaaaaaaaaaaaa@games.example",
            "The address you wrote to is not that of a seat here: there is no game g9 with a seat north, "
            "or the address has been replaced.",
        ),
    ],
    ids=["wrong token", "no game"],
)
def test_a_stranger_is_told_once_a_day(house, recipient, why):
    outcome = house.receive(mail("eve@elsewhere.example", recipient, ORDERS))
    assert (outcome.verdict, outcome.outcome) == ("stranger", "answered-stranger")
    (answer,) = house.sent()
    assert (answer.recipient, answer.game_id, answer.seat_id) == ("eve@elsewhere.example", None, None)
    assert text_of(answer) == (
        f"kind: unknown-sender (en)\n{why}\n"
        "Nothing in your letter was read. This answer is sent once a day at most.\n"
        "If you were invited to a game, answer the letter that invited you.\n"
    )
    assert house.receive(mail("eve+2@elsewhere.example", recipient, ORDERS)).outcome == "over-budget"
    assert house.sent() == []
    house.clock.forward(days=1)
    assert house.receive(mail("eve@elsewhere.example", recipient, ORDERS)).outcome == "answered-stranger"
    untouched(house)


@pytest.mark.parametrize(
    ("text", "kind", "why"),
    [
        ("", "text/plain", "It has no text that I read."),
        ("> LIST\n> buy now", "text/plain", "Not read, because quoted or below a signature: 2 lines."),
        ("x", 'application/pdf; name="buy-now.pdf"', "Parts of your letter that I do not read: no text."),
        ("-----BEGIN PGP MESSAGE-----\nbuy\n-----END PGP MESSAGE-----", "text/plain", "Your letter is encrypted"),
    ],
)
def test_a_stranger_is_told_what_of_his_letter_is_not_read_in_no_words_of_it(house, text, kind, why):
    """Its From may be somebody else's, who would get the words."""
    house.receive(mail("eve@elsewhere.example", "pbem@games.example", text, **{"Content-Type": kind}))
    (answer,) = house.sent()
    assert answer.kind == "welcome"
    assert why in text_of(answer)
    assert "buy" not in text_of(answer)


def test_two_hundred_strangers_a_day(house):
    assert LIMITS.strangers == 200
    house.server = changed(house.server, limits=LIMITS._replace(strangers=12))
    outcomes = [house.receive(mail(f"e{n}@x.example", "pbem@games.example", "hello")).outcome for n in range(5)]
    assert outcomes == ["answered-stranger"] * 3 + ["over-budget"] * 2


def test_a_player_who_lost_his_address_is_told_it(house):
    house.receive(mail(BOB.upper(), "pbem@games.example", "where was I?"))
    (answer,) = house.sent()
    assert (answer.kind, answer.recipient) == ("no-seat", BOB)
    assert text_of(answer).endswith(f"Your seats, and where to write for each:\ng1 south: {house.addresses['south']}\n")


def test_a_seat_given_to_somebody_else_does_not_listen_to_the_old_address(house):
    old = house.addresses["north"]
    house.invite("north", "carl@players.example")
    house.sent()
    assert house.receive(mail(ANN, old, ORDERS)).verdict == "stranger"
    assert house.receive(mail("carl@players.example", house.addresses["north"], ORDERS)).outcome == "receipt"


@pytest.mark.parametrize(
    "sign",
    [{"Auto-Submitted": "auto-replied"}, {"List-Id": "<l.example>"}, {"Precedence": "bulk"}, {"Return-Path": "<>"}],
)
def test_machines_are_not_obeyed_and_their_seat_is_told_once_a_day(house, sign):
    """Though the letter names another sender and another way back."""
    stranger = {"From": "else@where.example", "Reply-To": "else@where.example", **sign}
    outcomes = []
    for hour in range(30):
        text = f"{ORDERS}\n# {hour}"
        assert house.write("north", text, **stranger).outcome == "automatic"
        outcomes += house.sent()
        house.clock.forward(hours=1)
    assert [row.recipient for row in outcomes] == [ANN, ANN]
    assert all("looks as if a program had sent it" in row.model for row in outcomes)
    untouched(house)
    assert house.write("north", "STATUS").outcome == "status"
    notice = next(line for line in house.answer().split("\n") if "because they look automatic" in line)
    assert re.search(
        r"the last by (Auto-Submitted auto-replied|list-id|Precedence bulk|the return path is empty): 30\.", notice
    )
    assert "The last came on Tuesday 5 May 2026, 17:00 UTC." in notice


def test_the_operators_log_says_what_was_left_unread_and_why(house):
    with structlog.testing.capture_logs() as lines:
        house.write("north", ORDERS, **{"Precedence": "bulk"})
        house.write("north", "> STATUS\n")
        house.receive(mail(ANN, house.addresses["north"], "x", **{"Content-Type": "application/pdf"}))
        house.write("north", "STATUS")
        house.write("north", ORDERS, **{"X-Loop": house.addresses["north"]})
    assert [line.get("unread") for line in lines if line["event"] == "letter taken"] == [
        "Precedence bulk",
        "lines quoted or below a signature: 1",
        "application/pdf: not text",
        None,
        "X-Loop is ours",
    ]
    assert {line["to"] for line in lines if line["event"] == "letter taken"} == {"g1 north"}
    assert house.addresses["north"] not in str(lines)


@pytest.mark.parametrize("text", ["I am away until Monday.", "> " + ORDERS.replace("\n", "\n> "), ""])
def test_machines_that_order_nothing_are_not_answered(house, text):
    assert house.write("north", text, **{"Auto-Submitted": "auto-replied"}).outcome == "silent"
    assert house.sent() == []


TOKEN = "abcdefghijklmnop"
SHOWN = f"pbem+g1-north-{TOKEN}@games.example"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text/plain", f"Look at {SHOWN}, please"),
        ("text/plain", f"ORDERS T1\n{SHOWN}"),
        ("text/plain", f"ORDERS T1\nDANCE\n# {SHOWN}\nEND"),
        ("text/html", f"<div>Hello</div><div><s>MOVE {SHOWN}</s></div>"),
        (f"application/pdf; name={SHOWN}", "x"),
    ],
)
def test_no_token_in_a_letter_comes_back_in_the_answer(house, kind, text):
    house.receive(mail(ANN, house.addresses["north"], text, **{"Content-Type": kind}))
    (row,) = house.sent()
    assert TOKEN not in row.model
    assert "pbem+g1-north-" in row.model


def test_a_date_after_the_receipt_does_not_make_later_letters_look_older(house):
    assert house.write("north", ORDERS, Date=house.clock.now() + timedelta(days=4000)).outcome == "receipt"
    house.clock.forward(minutes=1)
    assert house.write("north", ORDERS.replace("END", "# changed\nEND")).outcome == "receipt"


def test_our_own_letters_are_not_answered(house):
    house.receive(mail("pbem@games.example", house.addresses["north"], ORDERS))
    assert house.sent() == []
    untouched(house)


# The same letter again


def test_the_same_message_seen_again_changes_nothing(house):
    raw = mail(ANN, house.addresses["north"], ORDERS)
    house.receive(raw, uid=1)
    before = house.sent()
    assert house.receive(raw, uid=1).verdict == "known"
    assert house.sent() == []
    assert [row.id for row in house.all(tables.Inbox)] == [1]
    assert len(before) == 1


def test_the_same_letter_come_again_gets_the_same_answer_again(house):
    raw = mail(ANN, house.addresses["north"], ORDERS)
    house.receive(raw, uid=1)
    (first,) = house.sent()
    assert house.receive(raw, uid=2).verdict == "copy"
    (again,) = house.sent()
    assert (again.id, again.message_id) == (first.id, first.message_id)
    assert len(sets(house)) == 1
    assert [row.copy_of for row in house.all(tables.Inbox)] == [None, 1]
    assert len(house.all(tables.Raw)) == 1


def test_another_letter_under_an_old_id_counts_and_is_told_of(house):
    for text in (ORDERS, "ORDERS T1\nMOVE Bee TO s3\nEND\n"):
        house.write("north", text, Message_ID="<same@players.example>")
    first, second = house.sent()
    assert first.message_id != second.message_id
    note = "Another letter with the same Message-ID but another content came before; this one counts by itself.\n"
    assert (note in text_of(first), note in text_of(second)) == (False, True)
    assert [row[1] for row in sets(house)] == ["replaced", "queued"]


PRESS = "PRESS TO south\nWe meet at Nudos: caf\u00e9.\nENDPRESS\n"
COPIES = {
    "a list's footer": (PRESS + "\n_____\nlist@players.example\nhttps://list.example/leave\n", {}),
    "a disclaimer": (PRESS + "\nThis e-mail is confidential.\n", {}),
    "quoted-printable": (PRESS.replace("\u00e9", "=C3=A9"), {"Content-Transfer-Encoding": "quoted-printable"}),
    "another subject": (PRESS, {"Subject": "[list] orders"}),
    "a page": (f"<pre>{PRESS}</pre>", {"Content-Type": "text/html; charset=utf-8"}),
}
"""What may become of a letter on another way, with its Message-ID."""


@pytest.mark.parametrize("copy", COPIES)
@pytest.mark.parametrize("first", ["direct", "copy"])
def test_a_copy_is_known_by_what_is_read_of_it(house, copy, first):
    same = {"Message_ID": "<same@players.example>", "Content-Type": "text/plain; charset=utf-8"}
    text, more = COPIES[copy]
    ways = [(PRESS, same), (text, {**same, **more})]
    for words, headers in ways if first == "direct" else ways[::-1]:
        house.write("north", words, **headers)
    assert len(house.all(tables.Press)) == 1
    assert [row.verdict for row in house.all(tables.Inbox)] == ["seat", "copy"]


def test_orders_that_came_twice_by_two_ways_are_one_revision(house):
    for text in (ORDERS, f"Hello,\n\n{ORDERS}\nVirus-free. www.avast.com\n"):
        house.write("north", text, Message_ID="<same@players.example>")
    assert len(sets(house)) == 1


def test_a_letter_without_a_message_id(house):
    house.write("north", ORDERS, Message_ID=None)
    (answer,) = house.sent()
    assert answer.kind == "receipt"
    assert house.all(tables.Inbox)[0].message_id.endswith("@missing>")


def test_a_copy_of_a_stranger_s_letter_is_not_answered_twice(house):
    raw = mail("eve@elsewhere.example", "pbem@games.example", "hello")
    house.receive(raw)
    house.sent()
    house.receive(raw)
    assert house.sent() == []


def test_a_fault_of_ours_sets_the_letter_aside(house, monkeypatch):
    def fail(*args):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("pbem.server.player_letter.carry_out", fail)
    outcome = house.write("north", ORDERS)
    assert outcome.verdict == "fault"
    notice, operator = house.sent()
    assert (notice.recipient, text_of(notice)) == (
        ANN,
        "kind: fault (en)\n"
        "A fault of this server kept it from reading your letter. Nothing has changed; the operator has been told.\n",
    )
    assert operator.recipient == "op@games.example"
    assert "ZeroDivisionError: a bug" in text_of(operator)
    untouched(house)


@pytest.mark.parametrize("letters", [40, pytest.param(150, marks=pytest.mark.full)])
def test_whatever_the_bytes_are_the_letter_is_taken(house, letters):
    """Bytes of a good letter changed at random: each is taken in, none stands in the way of the next."""
    good = mail(ANN, house.addresses["north"], ORDERS + "\n\u2014 \u00e9\n", Date=house.clock.now())
    dice = random.Random(1860)
    for uid in range(1, letters + 1):
        raw = bytearray(good)
        for _ in range(dice.choice((1, 3, 30))):
            raw[dice.randrange(len(raw))] = dice.randrange(256)
        assert house.receive(bytes(raw), uid=uid).verdict in (
            "seat",
            "stranger",
            "copy",
            "poison",
            "bounce",
            "loop",
            "list",
        )
    assert len(house.all(tables.Inbox)) == letters
    rendered = outbox_sender.render(house.server, [row.message_id for row in house.all(tables.Outbox)])
    assert len(rendered) == len(house.all(tables.Outbox))


def test_the_subject_is_of_the_turn_and_the_news_are_of_the_kind(house):
    house.write("north", ORDERS)
    house.write("north", "CANCEL")
    house.receive(mail("eve@elsewhere.example", "pbem@games.example", "hello"))
    house.write("north", "ORDERS T1\nDANCE\nEND")
    models = [json.loads(row.model) for row in house.sent()]
    assert [
        (plain_text(model["subject"]), plain_text(model["news"]) if "news" in model else "") for model in models
    ] == [
        ("[g1] T1", "orders received"),
        ("[g1] T1", "orders cancelled"),
        ("[pbem] welcome: how to play", ""),
        ("[g1] T1 orders NOT accepted", ""),
    ]


def test_standing_orders_for_two_counters_in_one_letter(house):
    text = "STANDING FOR Cat\nFLEE\nENDSTANDING\n\nSTANDING FOR Dog\nSTAND\nENDSTANDING\n"
    assert house.write("south", text).outcome == "receipt"
    assert [row.scope for row in house.all(tables.StandingOrders)] == ["STANDING FOR Cat", "STANDING FOR Dog"]
