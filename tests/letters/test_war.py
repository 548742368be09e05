"""K A war by letters: a battle ends, a camp follows by mail, then the next battle, all in one chain."""

from email import message_from_bytes
from email.policy import default

import pytest
from sqlmodel import col, select

from pbem.audit import leaves
from pbem.audit.merkle import leaf_hash
from pbem.engine.data.canon import dumps, loads
from pbem.play import seating
from pbem.play.rulings import appointment
from pbem.runtime.transaction import UserError
from pbem.server import outbox_sender
from pbem.store import tables
from pbem.wars.cards import show_war
from pbem.wars.declaring import NewWar, new_war
from pbem.wars.replay import replay_war
from tests.harness.battle import readable
from tests.harness.war import PlayedWar, skip

DAY = 24 * 60


@pytest.fixture
def table(tmp_path):
    made = PlayedWar(tmp_path)
    yield made
    made.server.engine.dispose()


def camped(table):
    """The war in its first camp: Morocco has conceded the first battle."""
    table.confirmed("morocco", "CONCEDE")
    return table


def marched(table):
    """The war in its second battle, with what both ordered in the camp."""
    camped(table)
    table.answer("spain", "ORDENES T1\nTRAER Refuerzo\nCALZADA Samsa A Ladera\nFIN")
    table.answer("morocco", "ORDERS T1\nENTRENCH Amsal\nBRING Alcazaba\nEND")
    table.wait(2 * DAY)
    table.sit()
    return table


def edition(table, game):
    with table.server.session() as session:
        row = session.get_one(tables.Game, game)
        return loads(session.get_one(tables.Edition, row.edition_digest).text)


def replayed(table):
    with table.server.reading() as work:
        return [*replay_war(work, "w60")]


def test_the_first_letters_say_that_it_is_a_war_and_what_a_battle_counts(table):
    letters = {seat: "\n".join(table.letters_to(seat, "w60-1")) for seat in ("spain", "morocco")}
    assert "Esta es la primera de 2 batallas de la guerra w60. Cuenta 1, cada una" in " ".join(letters["spain"].split())
    assert "This is the first of 2 battles of the war w60. It counts 1, each" in " ".join(letters["morocco"].split())


def test_a_conceded_battle_is_followed_by_a_camp(table):
    answer = table.confirmed("morocco", "CONCEDE")
    assert "Morocco has conceded the game." in answer
    assert "This part of the war is over." in answer
    assert table.games() == {"w60-1": "over", "w60-c1": "running"}


@pytest.mark.parametrize("above", ["VERIFY", "VERIFY T1", "VERIFY\n"])
def test_verify_above_a_block_checks_it_in_a_camp_as_in_a_battle(table, above):
    skip(table, camped)
    answer = table.answer("morocco", f"{above}\nORDERS T1\nENTRENCH Amsal\nEND")
    assert "I only checked these orders; they are not entered." in " ".join(answer.split())
    assert "all of it costs 3 of your 6 points [K3]" in answer
    assert "You have no orders in." in table.answer("morocco", "STATUS")


@pytest.mark.parametrize("text", ["VERIFY T2\nORDERS T1\n{}\nEND", "VERIFY\n{}\nORDERS T1\n{}\nEND"])
def test_what_verify_is_meant_for_is_not_guessed(table, text):
    skip(table, camped)
    assert "I did nothing with your letter" in table.answer("morocco", text.replace("{}", "ENTRENCH Amsal"))


def test_the_camp_writes_to_both_in_their_languages(table):
    skip(table, camped)
    (spain,), (morocco,) = (table.letters_to(seat, "w60-c1") for seat in ("spain", "morocco"))
    assert "campamento 1" in spain
    assert "BeniIder IL 3/3" in spain
    assert "# PASAR" in spain
    assert "The ledger: Morocco" in morocco
    assert "BRING Alcazaba: 2; it comes on turn 5 at Fondak" in morocco
    assert "# PASS" in morocco


def test_moves_in_a_camp_says_that_no_unit_has_a_place(table):
    skip(table, camped)
    assert "No unit of yours is in any place; HELP ORDERS" in " ".join(table.answer("morocco", "MOVES").split())


def test_spain_orders_before_morocco_in_a_camp(table):
    skip(table, camped)
    with table.server.session() as session:
        camp = table.server.edition_of(session, session.get_one(tables.Game, "w60-c1"))
    assert camp.sides == ("spain", "morocco")


def test_what_the_camp_ordered_stands_in_the_next_battle(table):
    skip(table, marched)
    assert table.games() == {"w60-1": "over", "w60-c1": "over", "w60-2": "running"}
    began = edition(table, "w60-2")
    later = {row["unit"].split()[2]: row["turn"] for row in began["scenario"]["reinforcements"]}
    assert (later["Infante"], later["GaixTetuan"]) == (6, 5)
    (morocco,) = table.letters_to("morocco", "w60-2")
    assert "The war w60 goes on with battle 2." in morocco
    assert "Wad-Ras, 23 March 1860" in morocco


def test_both_said_so_and_the_camp_closes_before_its_deadline(table):
    skip(table, camped)
    table.answer("spain", "ORDENES T1\nPASAR\nFIN\nYA")
    table.answer("morocco", "ORDERS T1\nPASS\nEND\nGO")
    table.wait(1)
    assert "w60-2" in table.games()


def test_the_last_report_tells_who_has_won_the_war(table):
    skip(table, marched)
    table.confirmed("spain", "RENDIRSE")
    (text,) = [text for text in table.letters_to("morocco", "w60-2") if "The war w60 is over." in text]
    assert "Morocco has won the war." in text
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.game_id == "w60-2")).all()
    abouts = [loads(row.content.model)["subject"]["args"].get("what") for row in rows if row.kind == "over"]
    assert str(abouts).count("the war is over") == 2, "one for each side, apart from the end of the battle"
    assert "Battle 1, Tetuán, 4 February 1860: Spain wins, worth 1; margin 0." in text
    assert "Morocco: 2 points of war" in text
    with table.server.reading() as work:
        assert show_war(work, "w60").state == "over"


def test_two_battles_conceded_running_lose_the_war(table):
    skip(table, marched)
    table.confirmed("morocco", "CONCEDE")
    (text,) = [text for text in table.letters_to("spain", "w60-2") if "La guerra w60 ha terminado." in text]
    assert "España ha ganado la guerra de forma decisiva." in text


def test_peace_that_is_accepted_ends_the_war(table):
    skip(table, camped)
    asked = table.confirmed("spain", "PEDIR LA PAZ")
    assert "Su oferta queda transmitida." in asked
    assert "Spain sues for peace [K7.1]." in table.letters_to("morocco", "w60-c1")[-1]
    answer = table.confirmed("morocco", "ACCEPT")
    assert "Morocco has accepted the peace that Spain sued for." in answer
    assert "The game is over. Thank you for playing." in answer
    assert table.games() == {"w60-1": "over", "w60-c1": "over"}
    (verdict,) = [text for text in table.letters_to("morocco", "w60-c1") if "The war w60 is over." in text]
    assert "Morocco: a point of war" in verdict
    assert "Spain: a point of war" in verdict
    assert [game for game, done in replayed(table) if done.difference is None] == ["w60-1", "w60-c1"]


def test_both_sue_and_the_war_is_drawn(table):
    skip(table, camped)
    table.confirmed("spain", "PEDIR LA PAZ")
    assert "Both sides have sued for peace." in table.confirmed("morocco", "SUE FOR PEACE")
    assert "Nobody has won the war." in "".join(table.letters_to("morocco", "w60-c1"))


def test_an_offer_lapses_with_the_camp(table):
    skip(table, camped)
    table.confirmed("spain", "PEDIR LA PAZ")
    table.wait(2 * DAY)
    table.sit()
    assert "Peace is made in the camps" in table.answer("morocco", "ACCEPT")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ACCEPT", "The other side has not sued for peace"),
        ("CONCEDE", "Nothing is fought over in a camp."),
        ("DRAW", "Nothing is fought over in a camp."),
        ("CLAIM", "Nothing is fought over in a camp."),
        ("ODDS ASSAULT Amsal", "This game reckons no odds."),
        ("ORDERS T1\nREFIT Nizam 2\nEND", "Nizam lacks nothing"),
        ("ORDERS T1\nREFIT Nobody 2\nEND", "Nobody"),
        ("ORDERS T1\nREFIT Toledo 1\nEND", "Toledo"),
    ],
)
def test_what_cannot_be_in_a_camp_is_told(table, line, why):
    skip(table, camped)
    assert why in table.answer("morocco", line)


def test_one_who_has_sued_may_not_again(table):
    skip(table, camped)
    table.confirmed("spain", "PEDIR LA PAZ")
    assert "solo puede una vez" in table.answer("spain", "PEDIR LA PAZ")


def test_peace_is_not_made_in_a_battle(table):
    assert "Peace is made in the camps" in table.answer("morocco", "SUE FOR PEACE")


def test_each_game_names_the_last_leaf_of_the_one_before(table):
    skip(table, marched)
    with table.server.session() as session:
        rows = session.exec(select(tables.Leaf).order_by(col(tables.Leaf.seq))).all()
        chains = {game: [row for row in rows if row.game == game] for game in ("w60-1", "w60-c1", "w60-2")}
        for before, after in (("w60-1", "w60-c1"), ("w60-c1", "w60-2")):
            first = chains[after][0]
            link, last = leaves.parse(first.body, first.says), chains[before][-1]
            assert (link.kind, link("war"), link("after")) == ("link", "w60", before)
            assert (link.number("seq"), link("leaf")) == (last.seq, leaf_hash(last.body).hex())
        assert [row.kind for row in chains["w60-1"]][:2] == ["war", "open"]


def test_a_war_is_replayed_through_its_chain(table):
    skip(table, marched)
    assert [(game, done.difference) for game, done in replayed(table)] == [
        ("w60-1", None),
        ("w60-c1", None),
        ("w60-2", None),
    ]


@pytest.mark.parametrize("game", ["w60-c1", "w60-2"])
def test_a_forged_ledger_is_found_by_the_replay(table, game):
    """Somebody gives the next battle, or the camp, another ledger and another name for it."""
    skip(table, marched)
    forged = dumps(edition(table, game)).replace("Toledo", "Totana")
    with table.server.session() as session:
        row = session.get_one(tables.Game, game)
        session.add(tables.Edition(digest="sha256:" + "0" * 64, system=row.system, text=forged))
        session.flush()
        row.edition_digest = "sha256:" + "0" * 64
        session.add(row)
    last = replayed(table)[-1]
    assert last[0] == game
    assert last[1].difference is not None
    assert last[1].difference.what == "edition"


def test_a_record_that_was_tampered_with_is_found(table):
    skip(table, marched)
    with table.server.session() as session:
        war = session.get_one(tables.War, "w60")
        war.record = war.record.replace('["spain",', '["morocco",', 1)
        session.add(war)
    assert replayed(table)[-1][1].difference is not None


def test_a_war_has_a_name_and_a_file(tmp_path):
    table = PlayedWar(tmp_path)
    for wanted, why in (
        (NewWar("w60", "africa1860", "wadras"), "There is a war w60 already"),
        (NewWar("a-name-that-is-too-long", "africa1860", "wadras"), "A war's name is 1 to 16"),
        (NewWar("other", "africa1860", "nowhere"), "have no war nowhere"),
        (NewWar("other", "peninsular", "wadras"), "have no war wadras"),
        (NewWar("other", "chess", "wadras"), "There are no rules chess"),
    ):
        with pytest.raises(UserError, match=why), table.server.work() as work:
            new_war(work, wanted)
    table.server.engine.dispose()


# What is hidden stays so until the war is over


@pytest.fixture
def foggy(tmp_path):
    made = PlayedWar(tmp_path, "fog=on", war="drill")
    yield made
    made.server.engine.dispose()


def disclosures(table):
    """The games of which everything was opened, by the letters that say so."""
    with table.server.session() as session:
        return {row.game_id for row in session.exec(select(tables.Outbox)) if "opens what was sealed" in row.model}


def test_in_fog_a_camp_tells_nobody_of_the_enemy(foggy):
    camped(foggy)
    (spain,), (morocco,) = (foggy.letters_to(seat, "w60-c1") for seat in ("spain", "morocco"))
    assert "Córdoba" in spain
    assert "Kabila" not in spain
    assert "Kabila" in morocco
    assert "Cordoba" not in morocco
    assert "Córdoba" not in morocco


def test_in_fog_what_was_sealed_is_opened_when_the_war_is_over(foggy):
    camped(foggy)
    assert disclosures(foggy) == set()
    foggy.answer("spain", "ORDENES T1\nPASAR\nFIN")
    foggy.wait(2 * DAY)
    foggy.sit()
    assert disclosures(foggy) == set()
    foggy.confirmed("spain", "RENDIRSE")
    assert disclosures(foggy) == {"w60-1", "w60-c1", "w60-2"}
    assert [done.difference for _, done in replayed(foggy)] == [None, None, None]


def test_without_fog_each_battle_is_opened_at_its_end(table):
    skip(table, camped)
    assert disclosures(table) == {"w60-1"}


def test_a_digest_tells_nothing_of_a_ledger(table):
    """In what the digests name stands a secret of the server: no ledger can be tried out."""
    skip(table, marched)
    salt = edition(table, "w60-c1")["scenario"]["salt"]
    assert len(salt) == 64
    assert edition(table, "w60-2")["scenario"]["war"] == {"leg": 2, "salt": salt}


@pytest.mark.parametrize(
    ("number", "sentence"),
    [("K7", "The battles count 1, 2, 3"), ("K2", "Three in four"), ("M2", "Their sets are carried out"), ("O8", "O8")],
)
def test_rules_of_the_war_are_told_in_its_battles_and_those_of_battles_in_its_camps(table, number, sentence):
    assert sentence in table.answer("morocco", f"RULES {number}")
    camped(table)
    assert sentence in table.answer("morocco", f"RULES {number}")
    assert "There is no rule Q9 in this game" in table.answer("morocco", "RULES Q9")


def test_the_subject_of_a_battles_last_report_does_not_end_the_war(foggy):
    for turn in range(1, 5):
        for seat, text in (("spain", "ORDENES T{}\nPASAR\nFIN\nYA"), ("morocco", "ORDERS T{}\nPASS\nEND\nGO")):
            foggy.answer(seat, text.format(turn))
            foggy.wait(1)
    with foggy.server.session() as session:
        rows = [row for row in session.exec(select(tables.Outbox)) if row.kind == "report" and row.game_id == "w60-1"]
    subjects = [
        str(message_from_bytes(raw, policy=default)["Subject"])
        for raw in outbox_sender.render(foggy.server, tuple(row.message_id for row in rows))
    ]
    assert any("this battle is over" in subject for subject in subjects)
    assert not any("the game is over" in subject for subject in subjects)


# Who plays goes on


def test_both_are_told_of_a_conceded_battle_that_it_is_over_and_not_the_game(table):
    camped(table)
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.kind == "over")).all()
        subjects = {row.recipient: loads(row.model)["subject"]["args"]["what"]["msg"]["text"] for row in rows}
    assert subjects == dict.fromkeys(table.senders.values(), "this battle is over")


def test_the_end_of_a_battle_comes_before_the_first_letter_of_what_follows(table):
    camped(table)
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).order_by(tables.Outbox.id)).all()  # type: ignore[arg-type]
        for who in table.senders.values():
            kinds = [(row.kind, row.game_id) for row in rows if row.recipient == who]
            assert kinds.index(("over", "w60-1")) < min(
                place for place, (_, game) in enumerate(kinds) if game == "w60-c1"
            )


def test_a_seat_that_was_handed_over_goes_on(table):
    table.answer("morocco", "VACATION 2030-02-01 TO 2030-02-05")
    with table.server.work() as work:
        seating.invite_seat(work, seating.Invitation("w60-1", "spain", "zoe@players.example", "Zoe", "en"))
    camped(table)
    with table.server.session() as session:
        seats = {seat.name: seat for seat in session.exec(select(tables.Seat)) if seat.game_id == "w60-c1"}
        person = session.get_one(tables.Person, seats["spain"].person_id)
        absences = [row.first for row in session.exec(select(tables.Absence)) if row.seat_id == seats["morocco"].id]
    assert (person.name, seats["spain"].language) == ("Zoe", "en")
    assert absences == ["2030-02-01"]


def test_a_seat_that_was_given_up_stays_free_and_the_war_goes_on(table):
    table.confirmed("spain", "ABANDONAR")
    camped(table)
    with table.server.session() as session:
        free = [s.name for s in session.exec(select(tables.Seat)) if s.game_id == "w60-c1" and s.is_free]
    assert free == ["spain"]
    table.wait(2 * DAY)
    assert "w60-2" in table.games()


def test_who_moderates_goes_on_and_gets_another_address(table):
    with table.server.work() as work:
        appointment.appoint(work, appointment.Appointment("w60-1", "mo@players.example"))
    camped(table)
    with table.server.work() as work:
        row = work.session.get_one(tables.Moderator, "w60-c1")
        address = table.server.moderator_address(row)
    letters = sent_to(table, "mo@players.example")
    assert any(address in text for text in letters)


def sent_to(table, address):
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox).where(tables.Outbox.recipient == address)).all()
        ids = tuple(row.message_id for row in rows)
    return [readable(raw) for raw in outbox_sender.render(table.server, ids)]


@pytest.mark.full
def test_bots_play_a_war_among_themselves(tmp_path):
    table = PlayedWar(tmp_path, war="drill", bots=("spain=forward", "morocco=veteran"))
    for _ in range(40):
        table.wait(1)
    assert table.games() == {"w60-1": "over", "w60-c1": "over", "w60-2": "over"}
    assert [done.difference for _, done in replayed(table)] == [None, None, None]
    with table.server.session() as session:
        seats = {(s.game_id, s.name): s.bot for s in session.exec(select(tables.Seat))}
    assert seats["w60-c1", "spain"] == "thrifty"
    assert (seats["w60-2", "spain"], seats["w60-2", "morocco"]) == ("forward", "veteran")
    table.server.engine.dispose()


def test_who_writes_to_the_old_address_is_told_the_new_one(table):
    old = table.addresses["spain"]
    camped(table)
    answer = table.answer("spain", "ORDENES T1\nPASAR\nFIN", to=old)
    assert f"La guerra sigue en w60-c1; allí se escribe a {table.addresses['spain']}." in " ".join(answer.split())


def test_who_had_the_seat_before_is_not_told_its_address(table):
    old = table.addresses["spain"]
    camped(table)
    with table.server.work() as work:
        seating.invite_seat(work, seating.Invitation("w60-c1", "spain", "zoe@players.example", "Zoe", "en"))
    assert "La guerra sigue" not in table.answer("spain", "ESTADO", to=old)
