"""A war's letters are true, each part and the chain of them; and a server that forges a part of it is found."""

from dataclasses import replace

import pytest
from sqlmodel import col, select

from pbem.audit import leaves
from pbem.audit.merkle import leaf_hash
from pbem.cli.letter_checks import Rulebooks, verify_items
from pbem.cli.rulebooks import game_by_name, games
from pbem.engine.war import chain
from pbem.games.africa1860.edition import Edition
from pbem.log import sequencer
from pbem.play import log_entries, war_progress
from pbem.play.commands.table import founding
from pbem.play.rulings import ruling_lines
from pbem.server import outbox_sender
from pbem.store import hot_statements, queries, tables
from pbem.verifier.record import FALSE, NOT_CHECKED
from pbem.wars import carry_over_seats, next_battle, rerun
from tests.audit import standalone
from tests.audit.checked import QUICK, items, reader, verify
from tests.harness.war import SEATS, PlayedWar

DAY = 24 * 60
PARTS = ("w60-1", "w60-c1", "w60-2")


@pytest.fixture
def table(tmp_path):
    made = PlayedWar(tmp_path, war="drill")
    yield made
    made.server.engine.dispose()


def fought(table):
    """A war to its end: both battles conceded, a camp between them."""
    table.confirmed("morocco", "CONCEDE")
    table.answer("spain", "ORDENES T1\nPASAR\nFIN")
    table.wait(2 * DAY)
    table.sit()
    table.confirmed("spain", "RENDIRSE")
    return mailbox(table)


def mailbox(table, seat="morocco"):
    """Every letter to a seat, in the order in which they were written, each with its game."""
    with table.server.session() as session:
        rows = session.exec(select(tables.Outbox, tables.Seat).join(tables.Seat).order_by(col(tables.Outbox.id))).all()
    mine = [(row.message_id, row.game_id) for row, place in rows if place.name == seat]
    return [(game, outbox_sender.render(table.server, (ident,))[0]) for ident, game in mine]


def held(letters):
    """What both verifiers say of all letters; full mode besides."""
    all_items = [item for index, (_, raw) in enumerate(letters) for item in items(str(index), raw)]
    both = {line.check: line.status for line in verify(all_items).lines}
    assert standalone.statuses(all_items) == both
    return verify_items(all_items, reader(), QUICK, Rulebooks(game_by_name, games()))


def reasons_of(letters, status):
    return [why for line in held(letters).lines if line.status == status for why in line.why]


def test_the_letters_of_a_war_are_true(table):
    letters = fought(table)
    assert {game for game, _ in letters} == {*PARTS}
    assert reasons_of(letters, FALSE) == []
    assert [why for why in reasons_of(letters, NOT_CHECKED) if "goes on" in why or "edition" in why] == []


@pytest.mark.full
def test_in_fog_they_are_true_too(tmp_path):
    """Nothing of the enemy's is opened before the war is over; then all of it is, and held against each other."""
    table = PlayedWar(tmp_path, "fog=on", war="drill")
    table.confirmed("morocco", "CONCEDE")
    assert reasons_of(mailbox(table), FALSE) == []
    table.answer("spain", "ORDENES T1\nPASAR\nFIN")
    table.wait(2 * DAY)
    table.sit()
    assert reasons_of(mailbox(table), FALSE) == []
    table.confirmed("spain", "RENDIRSE")
    letters = mailbox(table)
    assert reasons_of(letters, FALSE) == []
    assert [why for why in reasons_of(letters, NOT_CHECKED) if "goes on" in why or "edition" in why] == []
    table.server.engine.dispose()


@pytest.mark.parametrize("missing", PARTS[:2])
def test_without_the_letters_of_one_part_the_link_is_not_checked(table, missing):
    letters = [(game, raw) for game, raw in fought(table) if game != missing]
    assert reasons_of(letters, FALSE) == []
    assert any(f"of {missing}, which is in no letter here" in why for why in reasons_of(letters, NOT_CHECKED))


def test_a_camp_of_another_ledger_is_found_by_full_mode(table, monkeypatch):
    """The server gives the camp a ledger that the battle did not leave: a battalion of Spain's lacks a step."""
    plain = chain.finish_leg

    def robbed(*given):
        done, between = plain(*given)
        if between is None:
            return done, between
        unit = between.after["Cordoba"]
        return done, between._replace(after={**between.after, "Cordoba": unit.left_with(unit.now - 1)})

    monkeypatch.setattr(war_progress, "finish_leg", robbed)
    letters = fought(table)
    monkeypatch.undo()
    assert any("w60-c1: it does not go on from where w60-1 ended" in why for why in reasons_of(letters, FALSE))


def test_a_battle_of_another_ledger_is_found_by_full_mode(table, monkeypatch):
    """The server gives the next battle a ledger that the camp did not leave."""
    plain = chain.leg_of

    def robbed(linked, war):
        unit = war.ledger["Cordoba"]
        return plain(linked, war._replace(ledger={**war.ledger, "Cordoba": unit.left_with(unit.now - 1)}))

    monkeypatch.setattr(next_battle, "leg_of", robbed)
    letters = fought(table)
    assert any("w60-2: it does not go on from where w60-c1 ended" in why for why in reasons_of(letters, FALSE))


def test_a_battle_that_began_with_another_ledger_is_found_by_full_mode(table, monkeypatch):
    """The server says in the camp that a battalion had begun the war with a step less."""
    plain = chain.finish_leg

    def robbed(linked, war, *given):
        unit = war.ledger["Cordoba"]
        return plain(linked, war._replace(ledger={**war.ledger, "Cordoba": unit.left_with(unit.now - 1)}), *given)

    monkeypatch.setattr(war_progress, "finish_leg", robbed)
    letters = fought(table)
    monkeypatch.undo()
    assert any("w60-1: it did not begin with the ledger of its war" in why for why in reasons_of(letters, FALSE))


@pytest.mark.parametrize("other", ["2999-01-01", ""])
def test_a_war_of_other_errata_than_here_is_true(table, monkeypatch, other):
    """A later program, or an earlier one, makes the editions as they were, but for the date that they carry."""
    letters = fought(table)
    monkeypatch.setattr(Edition, "PRINTING", Edition.PRINTING._replace(errata=max(other, Edition.PRINTING.errata)))
    plain = chain.leg_of
    monkeypatch.setattr(rerun, "leg_of", lambda *given: replace(plain(*given), errata=other))
    assert reasons_of(letters, FALSE) == []
    assert [why for why in reasons_of(letters, NOT_CHECKED) if "goes on" in why or "errata" in why] == []


def test_charts_that_an_erratum_has_changed_since_are_no_lie(table, monkeypatch):
    letters = fought(table)
    plain = chain.leg_of

    def later(*given):
        made = plain(*given)
        return replace(made, errata="2999-01-01", scenario={**made.scenario, "turns": 99})

    monkeypatch.setattr(rerun, "leg_of", later)
    assert reasons_of(letters, FALSE) == []
    assert len([why for why in reasons_of(letters, NOT_CHECKED) if "under other errata" in why]) == 2


def test_a_salt_that_the_server_chose_is_found(table, monkeypatch):
    monkeypatch.setattr(war_progress, "salt_of", lambda work, war: "5a" * 32)
    wrong = reasons_of(fought(table), FALSE)
    assert len([why for why in wrong if "the salt of its edition does not follow from the key of the dice" in why]) == 2
    assert not any("goes on" in why for why in wrong)


def test_a_war_that_goes_by_another_file_than_it_began_with_is_found_by_full_mode(table, monkeypatch):
    """A title is of no consequence, and its letters would give the server as many editions as it likes."""
    plain = chain.finish_leg
    monkeypatch.setattr(
        war_progress,
        "finish_leg",
        lambda linked, war, *given: plain(linked, war._replace(file={**war.file, "title": "A war"}), *given),
    )
    letters = fought(table)
    monkeypatch.undo()
    assert "w60-c1: its war goes by another file than it began with" in reasons_of(letters, FALSE)


def test_a_link_to_another_leaf_is_found(table, monkeypatch):
    monkeypatch.setattr(log_entries, "leaf_hash", lambda body: b"another leaf".ljust(32, b"."))
    letters = fought(table)
    assert any("it goes on from another leaf" in why for why in reasons_of(letters, FALSE))


def test_a_link_to_a_leaf_that_was_not_the_last_is_found(table, monkeypatch):
    """The server has the camp go on from the opening of the battle, as if nothing had come after that."""

    def opening(session, game):
        return queries.log.last_leaf_of_kind(session, game, "open") or queries.log.first_leaf(session, game)

    monkeypatch.setattr(hot_statements, "last_leaf", opening)
    table.confirmed("morocco", "CONCEDE")
    monkeypatch.undo()
    letters = mailbox(table)
    assert any("was not the last of w60-1 when it went on from it" in why for why in reasons_of(letters, FALSE))


@pytest.mark.parametrize("game", PARTS[1:])
def test_a_link_that_is_missing_is_found(table, monkeypatch, game):
    plain = log_entries.record_link_to_war

    def none(work, row, *given):
        if row.id != game:
            plain(work, row, *given)

    monkeypatch.setattr(log_entries, "record_link_to_war", none)
    letters = fought(table)
    assert f"{game}: it is a later part of a war, and names no game that it goes on from" in reasons_of(letters, FALSE)


def with_a_twin(table, from_last):
    """A second camp after the first battle, from the leaf that the first camp goes on from, or from the last one."""
    with table.server.work() as work:
        camp = work.session.get_one(tables.Game, "w60-c1")
        before = work.session.get_one(tables.Game, "w60-1")
        twin = tables.Game(**{**camp.model_dump(), "id": "w60-c9", "root": "<twin@games.example>"})
        work.session.add(twin)
        work.session.flush()
        for seat in SEATS:
            work.session.add(tables.Seat(game_id=twin.id, name=seat, side=seat))
        work.session.flush()
        last = queries.log.leaves(work.session, "w60-1")[-1]
        carry_over_seats.carry_over(work, before, twin, {})
        link = queries.log.leaves(work.session, "w60-c1", "link")[0]
        says = leaves.parse(link.body, link.says).says
        if from_last:
            says = (*says[:2], ("seq", str(last.seq)), ("leaf", leaf_hash(last.body).hex()))
        sequencer.append(work, sequencer.Note("link", says, twin.id))
        twin.state = "forming"
        founding.begin_game(work, twin, ())


def test_two_camps_after_one_battle_are_found(table):
    """The server keeps a second course of the war in hand, and goes on with the one that suits it."""
    table.confirmed("morocco", "CONCEDE")
    with_a_twin(table, from_last=False)
    assert any("w60-c1, w60-c9 go on from leaf" in why for why in reasons_of(mailbox(table), FALSE))


def test_a_second_camp_after_a_battle_that_was_not_played_on_is_found(table):
    """The server has the second camp go on from something else that it wrote into the log of the battle."""
    table.confirmed("morocco", "CONCEDE")
    with table.server.work() as work:
        ruling_lines.make_ruling(work, "w60-1", ruling_lines.read_line("ANNOUNCE wait for me"))
    with_a_twin(table, from_last=True)
    letters = mailbox(table)
    why = "w60-1: w60-c1, w60-c9 go on from it one after another, and no phase of it was opened in between"
    assert why in reasons_of(letters, FALSE)
    short = [(game, raw) for game, raw in letters if game != "w60-1"]
    assert why in reasons_of(short, NOT_CHECKED)
