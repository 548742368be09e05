"""Who may write what: token, authentication and From, every combination, and who gets which answer."""

from itertools import product

import pytest
from sqlmodel import select

from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.runtime.limits import LIMITS
from pbem.runtime.transaction import UserError
from pbem.server.intake import ReceivedLetter
from pbem.server.mailbox_poller import take_and_commit
from pbem.store import tables
from tests.harness.game import ANN, BOB, PlayedGame
from tests.harness.letters import mail, text_of
from tests.harness.server import changed

MX = "mx.games.example"
EVE = "eve@elsewhere.example"
ORDERS = "ORDERS T1\nMOVE Ant TO s2\nEND\n"
PROOFS = {
    "pass": f"{MX}; dkim=pass header.d={{domain}}",
    "fail": f"{MX}; dkim=fail header.d={{domain}}",
    "unaligned": f"{MX}; dkim=pass header.d=mailer.example",
    "none": None,
}
NEW = "This letter came from {sender}, from where none of your seat came before."


@pytest.fixture
def house(tmp_path):
    made = PlayedGame(tmp_path)
    made.server = changed(made.server, authserv_id=MX)
    yield made
    made.server.engine.dispose()


def sets(house):
    return [(row.revision, row.state, row.text) for row in house.all(tables.QueuedOrders)]


def address(house, token):
    """The address of north's seat, with its token, a wrong one, one that was replaced, or no seat at all."""
    good = house.addresses["north"]
    if token == "rotated":
        with house.server.work() as work:
            house.addresses["north"] = seating.rotate_seat(work, game="g1", seat="north")
        house.sent()
        return good
    position = good.index("@")
    return {"ok": good, "wrong": good[: position - 16] + "a" * 16 + good[position:], "none": "pbem@games.example"}[
        token
    ]


def written(to, proof, sender, text=ORDERS, **more):
    value = PROOFS[proof]
    field = {"Authentication_Results": value.format(domain=sender.rpartition("@")[2])} if value else {}
    return mail(sender, to, text, **field, **more)


# token ok: whoever has it speaks for the seat, and the registered address gets the answer.
# else: a false From gets none; a player who is vouched for is asked to confirm, at his registered address;
# anybody else is told once a day how this works, a player where his seats are.
def due(token, proof, sender):
    if sender == EVE and token == "none" and proof != "fail":
        return "answered-stranger", "welcome", EVE
    if token == "ok":
        return "receipt", "receipt", ANN
    if proof == "fail":
        return "unauthentic", None, None
    if sender == EVE:
        return "answered-stranger", "unknown-sender", EVE
    return ("answered-confirm", "confirm", ANN) if proof == "pass" else ("answered-stranger", "no-seat", ANN)


CELLS = list(product(("ok", "wrong", "none", "rotated"), PROOFS, (ANN, EVE)))
REASONS = {
    "wrong": "The address you wrote to is not that of a seat here: there is no game g1 with a seat north, "
    "or the address has been replaced.",
    "none": "This is a server for wargames by email.",
    "player": "Write to the address of your seat in a game; your letter went to another address.",
    "rotated": "The address you wrote to was that of the seat north in g1; it has been replaced by another one.",
}


@pytest.mark.parametrize(("token", "proof", "sender"), CELLS)
def test_the_table_of_decisions(house, token, proof, sender):
    outcome, kind, recipient = due(token, proof, sender)
    result = house.receive(written(address(house, token), proof, sender))
    assert result.outcome == outcome
    answers = house.sent()
    assert [(row.kind, row.recipient) for row in answers] == ([(kind, recipient)] if kind else [])
    assert sets(house) == ([(1, "queued", "MOVE Ant TO s2\n")] if token == "ok" else [])
    if not answers:
        return
    letter_text = text_of(answers[0])
    if token == "ok":
        assert (NEW.format(sender=sender) in letter_text) == (sender == EVE)
        assert ("Its sender was verified." in letter_text) == (sender == EVE and proof == "pass")
        assert ("Its sender could not be verified." in letter_text) == (sender == EVE and proof != "pass")
    else:
        why = REASONS["player" if kind in ("no-seat", "confirm") and token == "none" else token]
        assert letter_text.split("\n")[1].startswith(why)
        # Where the seat is written to only its player is told.
        assert (house.addresses["north"] in letter_text) == (recipient == ANN)
        to = {"confirm": house.addresses["north"], "welcome": "pbem@games.example"}
        assert answers[0].reply_to == to.get(kind, "")


def test_the_table_is_whole():
    assert len(CELLS) == 32
    assert {due(*cell)[0] for cell in CELLS} == {"receipt", "unauthentic", "answered-stranger", "answered-confirm"}


def test_to_confirm_is_to_answer(house):
    house.receive(written("pbem@games.example", "pass", ANN, "Hello!\n\nORDERS T1 #abcd\nMOVE Ant TO s2\nEND\n"))
    (asked,) = house.sent()
    letter_text = text_of(asked)
    assert "I did nothing with your letter.\n" in letter_text
    assert letter_text.endswith("Your orders, to be sent again:\nORDERS T1\nMOVE Ant TO s2\nEND\n")
    house.receive(written(asked.reply_to, "none", ANN, ORDERS, In_Reply_To=asked.message_id))
    assert [row.kind for row in house.sent()] == ["receipt"]
    assert sets(house) == [(1, "queued", "MOVE Ant TO s2\n")]


def test_one_who_asks_for_nothing_is_not_asked_to_confirm(house):
    assert house.receive(written("pbem@games.example", "pass", ANN, "where was I?\n")).outcome == "answered-stranger"


def test_requests_of_anybody_need_no_proof_but_no_lie_either(house):
    asked = [house.receive(written("pbem@games.example", proof, EVE, "LIST\n")).outcome for proof in PROOFS]
    assert asked == ["answered-request", "unauthentic", "answered-request", "answered-request"]


def test_a_forged_word_of_the_provider_is_not_heard(house):
    below = f"evil.example; dkim=pass header.d=elsewhere.example\r\nAuthentication-Results: {PROOFS['pass']}"
    raw = mail(ANN, "pbem@games.example", ORDERS, Authentication_Results=below.format(domain="players.example"))
    assert house.receive(raw).outcome == "answered-stranger"


def test_without_a_name_for_the_provider_nothing_is_known_of_senders(house):
    house.server = changed(house.server, authserv_id="")
    assert house.receive(written("pbem@games.example", "fail", ANN)).outcome == "answered-stranger"


def test_a_new_address_is_announced_once(house):
    to = house.addresses["north"]
    firsts = []
    for sender in (EVE, "EVE+war@Elsewhere.example", ANN, "ann+x@players.example", "zoe@elsewhere.example", EVE):
        house.receive(mail(sender, to, "STATUS"))
        (row,) = house.sent()
        assert row.recipient == ANN
        firsts.append("from where none of your seat came before" in text_of(row))
    assert firsts == [True, False, False, False, True, False]
    assert [row.email for row in house.all(tables.UnknownWriter)] == [EVE, "zoe@elsewhere.example"]


def test_another_registered_address_of_the_player_is_none_of_the_announced(house):
    with house.server.session() as session:
        ann = session.exec(select(tables.Address).where(tables.Address.email == ANN)).one()
        session.add(tables.Address(person_id=ann.person_id, email="ann@work.example"))
    house.receive(mail("ann@work.example", house.addresses["north"], "STATUS"))
    assert "none of your seat came before" not in house.answer()


# Rotation


def test_rotate_by_letter_gives_another_address_to_the_registered_one_alone(house):
    old = house.addresses["north"]
    house.receive(mail(EVE, old, "ROTATE\n"))
    (row,) = house.sent()
    assert (row.kind, row.recipient) == ("settings", ANN)
    assert row.reply_to != old
    assert f"Your seat has another address now: {row.reply_to}." in text_of(row)
    assert old not in row.model
    assert house.receive(mail(EVE, old, ORDERS)).outcome == "answered-stranger"
    assert house.receive(mail(ANN, row.reply_to, ORDERS)).outcome == "receipt"
    assert row.reply_to not in "".join(letter.model for letter in house.sent() if letter.recipient == EVE)


def test_rotate_by_command_writes_to_the_player(house):
    old = house.addresses["north"]
    with house.server.work() as work:
        new = seating.rotate_seat(work, game="g1", seat="north")
    (row,) = house.sent()
    assert (row.kind, row.recipient, row.reply_to) == ("settings", ANN, new)
    assert new != old
    for game, seat in (("g2", "north"), ("g1", "west")):
        with pytest.raises(UserError), house.server.work() as work:
            seating.rotate_seat(work, game=game, seat=seat)


def test_who_held_the_seat_before_is_not_told_the_new_address(house):
    old = house.addresses["north"]
    new = house.invite("north", "carl@players.example")
    house.sent()
    house.receive(written(old, "pass", ANN))
    (row,) = house.sent()
    assert (row.kind, row.recipient) == ("no-seat", ANN)
    assert REASONS["rotated"] in text_of(row)
    assert new not in row.model


# A mailbox shared by both sides; a provider that strips what follows the plus


@pytest.fixture
def shared(tmp_path):
    made = PlayedGame(tmp_path, started=False)
    made.server = changed(made.server, authserv_id=MX)
    made.invite("north", ANN)
    made.invite("south", ANN)
    with made.server.work() as work:
        founding.start_game(work, "g1")
    made.sent()
    yield made
    made.server.engine.dispose()


def test_of_two_seats_of_one_mailbox_the_token_tells_which(shared):
    for seat in ("north", "south"):
        shared.receive(mail(ANN, shared.addresses[seat], "STATUS"))
        (row,) = shared.sent()
        assert (row.recipient, row.reply_to) == (ANN, shared.addresses[seat])
    assert shared.receive(mail(ANN, shared.addresses["north"], ORDERS)).outcome == "receipt"


def test_without_the_token_it_is_asked_which_seat_is_meant(shared):
    shared.receive(written("pbem@games.example", "pass", ANN))
    (row,) = shared.sent()
    assert (row.kind, row.reply_to) == ("confirm", "")
    letter_text = text_of(row)
    assert "Which seat is it for? Send it again, to one of these addresses.\n" in letter_text
    assert f"g1 north: {shared.addresses['north']}\ng1 south: {shared.addresses['south']}\n" in letter_text
    assert sets(shared) == []


@pytest.mark.parametrize("place", ["Subject", "body"])
def test_where_a_provider_strips_the_address_the_token_is_found_in_subject_or_text(house, place):
    to = house.addresses["north"]
    text = f"ORDERS T1\nMOVE Ant TO s2\nEND\n\nOn 4 May 2026, pbem <{to}> wrote:\n> report\n"
    raw = mail(ANN, "pbem@games.example", ORDERS, Subject=f"for {to}") if place == "Subject" else None
    assert house.receive(raw or mail(ANN, "pbem@games.example", text)).outcome == "receipt"


def test_two_seats_named_in_a_text_are_none(house):
    text = f"{ORDERS}\n{house.addresses['north']} {house.addresses['south']}\n"
    assert house.receive(mail(ANN, "pbem@games.example", text)).outcome == "answered-stranger"
    assert sets(house) == []


# Signatures checked here


def test_signatures_are_checked_before_the_transaction(house):
    asked = []

    def txt(name):
        asked.append((name, house.server.engine.pool.checkedout()))

    house.server = changed(house.server, authserv_id="", txt=txt)
    sign = "v=1; a=rsa-sha256; c=simple/simple; d=players.example; s=k; h=from; bh=eA==; b=eA=="
    raw = mail(ANN, "pbem@games.example", ORDERS, DKIM_Signature=sign)
    assert (
        take_and_commit(house.server, ReceivedLetter("box", "INBOX", 1, 900, house.clock.now(), raw)).outcome
        == "answered-stranger"
    )
    assert asked == [("k._domainkey.players.example", 0)]


# Budgets


def test_thirty_letters_an_hour_of_a_seat_are_read(house):
    outcomes = [house.write("north", ORDERS).outcome for _ in range(33)]
    assert outcomes == ["receipt"] * 30 + ["over-budget"] * 3
    rows = house.sent()
    assert len(rows) == 31
    assert text_of(rows[-1]).split("\n")[1] == (
        "More than 30 letters came from you within an hour. This one was not read, and others will not even be "
        "answered; send it again after Monday 4 May 2026, 13:00 UTC."
    )
    assert house.write("south", "HELP").outcome == "help"
    house.clock.forward(hours=1, minutes=1)
    assert house.write("north", ORDERS).outcome == "receipt"


@pytest.mark.parametrize(
    "text", ["HELP", "VERIFY T1\nMOVE Ant TO s2\nEND\n", "ODDS MOVE Ant TO s2", "STATUS", "EXTNED 9h"]
)
def test_what_changes_nothing_counts_a_third_of_a_letter(house, text):
    outcomes = [house.write("north", text).outcome for _ in range(91)]
    assert "over-budget" not in outcomes[:88]
    assert outcomes[-1] == "over-budget"
    notices = [row for row in house.sent() if "More than 30 letters" in text_of(row)]
    assert len(notices) == 1, "it is said once, then nothing is answered"


def test_copies_count_too(house):
    raw = mail(ANN, house.addresses["north"], "HELP")
    outcomes = [(outcome.verdict, outcome.outcome) for outcome in (house.receive(raw) for _ in range(33))]
    assert outcomes == [("seat", "help")] + [("copy", "help")] * 29 + [("copy", "silent")] * 3


def test_of_strangers_only_the_header_is_kept_and_that_for_a_week(house):
    secret = "the body of a letter that nobody asked for"
    house.receive(mail(EVE, "pbem@games.example", secret))
    house.write("north", "HELP")
    house.write("north", ORDERS, Auto_Submitted="auto-replied")
    raw, own, machine = house.all(tables.Raw)
    assert b"Ant" not in machine.body
    assert secret not in raw.body.decode()
    assert "From: eve@elsewhere.example\r\n" in raw.body.decode()
    assert own.body.endswith(b"HELP")
    house.clock.forward(days=7, minutes=1)
    house.receive(mail("zoe@elsewhere.example", "pbem@games.example", "hello"))
    assert [bool(row.body) for row in house.all(tables.Raw)] == [False, True, False, True]


def test_all_answers_to_those_without_a_seat_share_one_budget(house):
    house.server = changed(house.server, limits=LIMITS._replace(strangers=4))
    to = "pbem@games.example"
    letters = [written(to, "pass", ANN), written(to, "none", EVE, "LIST\n"), written(to, "none", EVE, "x")]
    assert [house.receive(raw).outcome for raw in letters] == [
        "answered-confirm",
        "answered-request",
        "answered-stranger",
    ]
    assert house.receive(written(to, "pass", BOB)).outcome == "answered-confirm"
    assert house.receive(written(to, "pass", BOB)).outcome == "over-budget"
