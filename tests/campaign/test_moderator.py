"""The moderator by letter: who is heard, who is answered, and what a code makes so."""

from datetime import timedelta
from itertools import product

import pytest

from pbem.letters import codes, rulings
from pbem.play.commands.table import founding
from pbem.play.replay import replay
from pbem.play.rulings import appointment
from pbem.runtime import tokens
from pbem.runtime.limits import LIMITS
from pbem.store import tables
from tests.harness.game import ANN, BOB
from tests.harness.letters import mail, text_of
from tests.harness.moderated_game import EVE, MO, MX
from tests.harness.server import changed

HOLD = "HOLD BECAUSE the map is being mended\n"
PROOFS = {
    "pass": f"{MX}; dkim=pass header.d={{domain}}",
    "fail": f"{MX}; dkim=fail header.d={{domain}}",
    "unaligned": f"{MX}; dkim=pass header.d=mailer.example",
    "none": None,
}


@pytest.fixture
def house(moderated):
    return moderated


# Who is heard


def address(house, token):
    good = house.moderator
    if token == "rotated":
        with house.server.work() as work:
            house.moderator = appointment.rotate_moderator(work, "g1")
        house.sent()
        return good
    position = good.index("@")
    return {"ok": good, "wrong": good[: position - 16] + "a" * 16 + good[position:], "none": "pbem@games.example"}[
        token
    ]


# A good token is heard, unless its From is known to be false; the answer goes to the registered address alone.
# Without one nothing is read: who is registered is told where to write, anybody else how this works, once a day.
def due(token, proof, sender):
    if sender == EVE and token == "none" and proof != "fail":
        return "answered-stranger", "welcome", EVE
    if proof == "fail":
        return "unauthentic", "fault" if token == "ok" else None, "op@games.example"
    if token == "ok":
        return "confirm", "confirm", MO
    return "answered-stranger", "no-seat" if sender == MO else "unknown-sender", sender


CELLS = list(product(("ok", "wrong", "none", "rotated"), PROOFS, (MO, EVE)))


@pytest.mark.parametrize(("token", "proof", "sender"), CELLS)
def test_token_authentication_and_from_decide(house, token, proof, sender):
    outcome, kind, recipient = due(token, proof, sender)
    to, value = address(house, token), PROOFS[proof]
    field = {"Authentication_Results": value.format(domain=sender.rpartition("@")[2])} if value else {}
    assert house.receive(mail(sender, to, HOLD, **field)).outcome == outcome
    answers = house.sent()
    assert [(row.kind, row.recipient) for row in answers] == ([(kind, recipient)] if kind else [])
    assert (house.rulings(), len(house.all(tables.Draft))) == ([], int(outcome == "confirm"))
    text = "".join(text_of(row) for row in answers)
    assert ("which is not where I write to you" in text) == (outcome == "confirm" and sender == EVE)
    # Only he himself is told where he writes to.
    assert all(house.moderator not in row.model for row in answers if row.recipient != MO)
    assert (house.moderator in text) == (kind == "no-seat")


def test_the_table_is_whole():
    assert len(CELLS) == 32
    assert {due(*cell)[0] for cell in CELLS} == {"confirm", "unauthentic", "answered-stranger"}


def test_the_operator_hears_of_false_letters_once_a_day(house):
    false = f"{MX}; dkim=fail header.d=bench.example"
    for hours in (0, 1, 24):
        house.clock.forward(hours=hours)
        house.dictate(HOLD, Authentication_Results=false)
    assert [row.recipient for row in house.sent()] == ["op@games.example"] * 2


def test_a_seats_token_is_no_moderators_and_the_other_way_round(house):
    north = house.addresses["north"]
    stolen = house.moderator.replace(house.moderator.split("-")[-1], north.split("-")[-1])
    assert house.receive(mail(ANN, stolen, HOLD)).verdict == "stranger"
    back = north.replace(north.split("-")[-1], house.moderator.split("-")[-1])
    assert house.receive(mail(MO, back, "ORDERS T1\nPASS\nEND\n")).verdict == "stranger"
    assert house.all(tables.Draft) == house.all(tables.QueuedOrders) == []


def test_the_address_may_stand_in_the_text_where_the_provider_strips_it(house):
    raw = mail(MO, "pbem@games.example", HOLD, Subject=f"to {house.moderator}")
    assert house.receive(raw).outcome == "confirm"


def test_a_letter_seen_twice_is_answered_twice_and_done_once(house):
    code = house.asked(HOLD)
    raw = mail(MO, house.moderator, f"CODE {code}\n")
    first = house.receive(raw)
    (answer,) = [row for row in house.sent() if row.recipient == MO]
    assert (first.outcome, house.receive(raw, uid=house.uid).verdict) == ("ruled", "known")
    again = house.receive(raw)
    assert (again.verdict, again.outcome) == ("copy", "ruled")
    assert [row.message_id for row in house.sent()] == [answer.message_id]
    assert house.rulings() == ["HOLD"]


def test_letters_have_a_budget(house):
    outcomes = [house.dictate("STATUS\n").outcome for _ in range(32)]
    assert outcomes == ["status"] * 30 + ["over-budget"] * 2
    assert len(house.sent()) == 31
    house.clock.forward(hours=2)
    assert house.dictate("STATUS\n").outcome == "status"


@pytest.mark.parametrize(("more", "outcome"), [({"Auto_Submitted": "auto-replied"}, "automatic"), ({}, "status")])
def test_what_a_machine_sent_is_not_carried_out(house, more, outcome):
    assert house.dictate("STATUS\n", **more).outcome == outcome


def test_a_letter_that_no_parser_reads_is_answered(house):
    broken = mail(MO, house.moderator, "x").replace(b"text/plain", b"multipart/mixed; boundary=" + b"b" * 80)
    assert house.receive(broken + b"\r\n--" + b"b" * 80 + b"\r\n" * 2).outcome in ("not-ruled", "help")
    assert [row.recipient for row in house.sent()] == [MO]


# The code


def test_lines_are_foretold_and_made_by_their_code_alone(house):
    before = house.game().model_dump()
    assert house.dictate("ANNOUNCE Hello all.\n" + HOLD).outcome == "confirm"
    (row,) = house.sent()
    letter_text = text_of(row)
    assert "1. ANNOUNCE Hello all.:\nIt is told, and nothing else happens.\n" in letter_text
    assert "2. HOLD BECAUSE the map is being mended:\nThe game is held: no deadline runs" in letter_text
    assert "Players of: north, south." in letter_text
    assert (house.game().model_dump(), house.rulings(), row.recipient) == (before, [], MO)
    code = letter_text.split("CODE ")[1][:8]
    assert house.dictate(f"CODE {code}\n").outcome == "ruled"
    letters = house.sent()
    assert [(letter.recipient, letter.kind) for letter in letters] == [
        (ANN, "announcement"),
        (BOB, "announcement"),
        (MO, "ruled"),
    ]
    assert "Done. All who play were told:\nRuling M1 of the moderator: ANNOUNCE" in text_of(letters[-1])
    assert (house.rulings(), house.game().state) == (["ANNOUNCE Hello all.", "HOLD"], "held")


def test_a_code_may_come_under_its_own_lines_in_any_language(house):
    code = house.asked(HOLD)
    assert house.dictate(f"detener porque the map is being mended\ncódigo: {code}.\n").outcome == "ruled"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("CODE aaaaaaaa\n", "This code is not one that I gave you for g1."),
        ("HOLD BECAUSE of the weather\nCODE {code}\n", "This code was given for other lines than those above it."),
        (HOLD + "ANNOUNCE x\nCODE {code}\n", "This code was given for other lines than those above it."),
        ("CODE {code}\nCODE {code}\n", "One code a letter; nothing of this one was carried out."),
        ("CODE {code}x\n", "A code has 8 letters and digits, as it was mailed to you."),
        ("BANISH north\nCODE {code}\n", None),
    ],
)
def test_what_is_no_code_makes_nothing_so(house, text, why):
    code = house.asked(HOLD)
    outcome = house.dictate(text.format(code=code)).outcome
    if why is None:
        # What comes before the first line is a greeting; the code counts for what was asked before.
        assert (outcome, house.rulings()) == ("ruled", ["HOLD"])
        return
    assert outcome == "not-ruled"
    assert why in house.answer()
    assert (house.rulings(), house.game().state) == ([], "running")


@pytest.mark.parametrize("line", ["EXTEND 48h", "DEADLINE {later:%Y-%m-%d %H:%M}", "HOLD"])
def test_clocks_of_a_held_game_are_not_ruled_on(house, line):
    house.dictate(f"CODE {house.asked(HOLD)}\n")
    house.sent()
    line = line.format(later=house.clock.now() + timedelta(days=9))
    assert house.dictate(f"{line} BECAUSE it is a holiday\n").outcome == "not-ruled"
    assert "The game g1 is held: write RESUME first." in house.answer()


def test_a_code_of_one_game_rules_nothing_in_another(house):
    with house.server.work() as work:
        founding.new_game(work, founding.NewGame(name="g2", game="toy", scenario="turns"))
        other = appointment.appoint(work, appointment.Appointment(game="g2", email=MO))
    house.sent()
    code = house.asked("ANNOUNCE Hello.\n")
    for text in (f"CODE {code}\n", f"ANNOUNCE Hello.\nCODE {code}\n"):
        assert house.receive(mail(MO, other, text, Date=house.clock.now())).outcome == "not-ruled"
        assert "This code is not one that I gave you for g2." in house.answer()
    assert house.rulings() == []
    assert house.dictate(f"CODE {code}\n").outcome == "ruled"


def test_a_draft_of_before_is_made_by_its_code(house):
    """What was kept by 1.0.0: lines in English words, a code by its key, its generation and its lines."""
    code = house.asked("SUSTITUIR north POR carl@players.example PORQUE Ann lo pidió\nANUNCIAR Hola\n")
    (row,) = house.all(tables.Draft)
    lines = "SUBSTITUTE north POR carl@players.example BECAUSE Ann lo pidió\nANNOUNCE Hola"
    made = tokens.confirmation_code(
        house.server.keys.key, row.asked.toordinal(), "ruling", "g1", str(row.generation), str(row.id), lines
    )
    assert (row.lines, made) == (lines, code)
    assert house.dictate(f"CODE {code}\n").outcome == "ruled"


def test_a_code_is_good_once(house):
    code = house.asked("ANNOUNCE Hello.\n")
    assert house.dictate(f"CODE {code}\n").outcome == "ruled"
    house.sent()
    assert house.dictate(f"CODE {code}\n").outcome == "not-ruled"
    assert "This code was used, and made M1. A code is good once." in house.answer()
    assert house.rulings() == ["ANNOUNCE Hello."]


def test_a_code_is_good_to_the_last_second_of_its_time(house):
    code = house.asked(HOLD)
    until = codes.code_expiry(house.clock.now())
    house.clock.set(until)
    assert house.dictate(f"CODE {code}\n").outcome == "confirm"
    assert "This code is too old: a code is good for 7 days." in house.answer()
    assert house.rulings() == []
    house.clock.set(until - timedelta(seconds=1))
    assert house.dictate(f"CODE {code}\n").outcome == "ruled"


def test_what_was_foretold_of_another_phase_is_not_done(house):
    code = house.asked("DEADLINE 2026-05-20 12:00 BECAUSE of the holiday\n")
    house.write("north", "GO\nORDERS T1\nPASS\nEND\n")
    house.tick()
    house.sent()
    assert house.dictate(f"CODE {code}\n").outcome == "confirm"
    answer = house.answer()
    assert "Since you were sent this code another phase was opened, or something was ruled." in answer
    assert "The deadline of turn 1 is now Wednesday 20 May 2026, 12:00 UTC." in answer
    assert house.rulings() == []


def test_codes_are_forgotten_after_a_month(house):
    used, idle = house.asked("ANNOUNCE Hello.\n"), house.asked(HOLD)
    house.dictate(f"CODE {used}\n")
    house.sent()
    house.clock.forward(seconds=rulings.DRAFT_LIFETIME.total_seconds())
    late = house.asked(HOLD)
    assert len(house.all(tables.Draft)) == 3
    house.clock.forward(seconds=1)
    newest = house.asked(HOLD)
    assert [row.asked for row in house.all(tables.Draft)] == [
        house.clock.now() - timedelta(seconds=1),
        house.clock.now(),
    ]
    for code in (used, idle):
        assert house.dictate(f"CODE {code}\n").outcome == "not-ruled"
        assert "This code is not one that I gave you for g1." in house.answer()
    assert len({used, idle, late, newest}) == 4
    assert house.dictate(f"CODE {newest}\n").outcome == "ruled"
    assert house.rulings() == ["ANNOUNCE Hello.", "HOLD"]


def test_what_was_ruled_since_takes_codes_away(house):
    first, other = house.asked(HOLD), house.asked("WARN north to be civil BECAUSE of a letter\n")
    assert house.dictate(f"CODE {first}\n").outcome == "ruled"
    assert house.dictate(f"CODE {other}\n").outcome == "confirm"
    house.sent()
    assert house.dictate(f"CODE {first}\n").outcome == "not-ruled"


def test_the_rulings_of_one_letter_are_told_in_one_letter_to_each(house):
    code = house.asked(
        "ANNOUNCE Until this evening.\nFORBID PRESS south BECAUSE of rude letters\nHOLD BECAUSE I am ill\n"
    )
    house.sent()
    house.dictate(f"CODE {code}\n")
    letters = [row for row in house.sent() if row.recipient != MO]
    assert sorted(row.recipient for row in letters) == sorted({row.recipient for row in letters})
    for row in letters:
        text = text_of(row)
        places = [text.index(f"Ruling M{number} of the moderator") for number in (1, 2, 3)]
        assert places == sorted(places)
        assert "Reason: of rude letters" in text
        assert "Reason: I am ill" in text


def test_all_lines_are_made_or_none(house):
    code = house.asked("ANNOUNCE Until this evening.\nDEADLINE 2026-05-04 18:00 BECAUSE both want it\n")
    before = [row.model_dump() for table in (tables.Game, tables.Phase, tables.Due) for row in house.all(table)]
    house.clock.forward(hours=7)
    assert house.dictate(f"CODE {code}\n").outcome == "not-ruled"
    (row,) = house.sent()
    assert "It is not possible any more." in text_of(row)
    assert "That moment is past; PROCESS closes a phase at once." in text_of(row)
    assert [row.model_dump() for t in (tables.Game, tables.Phase, tables.Due) for row in house.all(t)] == before
    assert (house.rulings(), row.recipient) == ([], MO)


def test_a_phase_is_processed_by_letter_and_replays(house):
    house.write("north", "WAIT\nORDERS T1\nMOVE Ant TO s2\nEND\n")
    house.sent()
    code = house.asked("PROCESS T1.north BECAUSE both asked for it\n")
    assert house.dictate(f"CODE {code}\n").outcome == "ruled"
    order = [(row.recipient, row.kind) for row in house.sent()]
    for who in (ANN, BOB):
        assert order.index((who, "announcement")) < order.index((who, "report"))
    with house.server.work() as work:
        assert replay(work, "g1").difference is None
    assert [row.state for row in house.all(tables.Phase)] == ["resolved", "open"]


def test_a_letter_with_faults_changes_nothing(house):
    text = "STATUS\n" + HOLD + "WARN west BECAUSE x\nRESUME BECAUSE y\nPROCES T1.north BECAUSE z\n"
    assert house.dictate(text).outcome == "not-ruled"
    answer = house.answer()
    assert "4 lines are wrong." in answer
    for why in (
        "line 2: HOLD BECAUSE the map is being mended\n^^^^\nAfter HOLD nothing is as it was",
        "There is no seat west in g1; there are: north, south.",
        "The game g1 is not held.",
        "PROCES is no ruling. Did you mean PROCESS? HELP lists all.",
    ):
        assert why in answer
    assert house.all(tables.Draft) == []


def test_a_substitutes_address_goes_to_nobody_but_him(house):
    code = house.asked("SUBSTITUTE north BY carl@players.example BECAUSE Ann asked for it\n")
    house.dictate(f"CODE {code}\n")
    letters = house.sent()
    assert any(row.recipient == "carl@players.example" for row in letters)
    assert all("carl@" not in row.model for row in letters if row.recipient != "carl@players.example")


@pytest.mark.parametrize("line", ["EXTEND 999d", "EXTEND 90 days", "DEADLINE 2099-01-01 20:00"])
def test_no_deadline_is_put_off_for_years_and_the_answer_says_how_far_it_may_be(house, line):
    before = house.all(tables.Phase)[0].deadline
    assert house.dictate(f"{line} BECAUSE of the holiday\n").outcome == "not-ruled"
    assert "A deadline is 90 days away at most, by " in text_of(house.sent()[0])
    house.server = changed(house.server, limits=LIMITS._replace(deadline_days=3_000))
    assert house.dictate(f"{line} BECAUSE of it\n").outcome == ("confirm" if "EXTEND" in line else "not-ruled")
    assert house.all(tables.Phase)[0].deadline == before
