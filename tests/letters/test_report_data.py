"""FORMAT JSON, through the door: the report as data, of both games, with no more in it than its seat may know."""

import email
import email.policy
import json
from datetime import datetime

import pytest
from sqlmodel import select

from pbem.play import history, phase_reports, positions
from pbem.play.phase_reports import PhaseReport
from pbem.store import tables
from tests.harness.battle import PlayedBattle, readable

GAMES = {
    "africa1860": ("castillejos", ("spain", "morocco")),
    "peninsular": ("training", ("british", "french")),
}


@pytest.fixture(params=GAMES)
def table(request, tmp_path):
    scenario, seats = GAMES[request.param]
    made = PlayedBattle(tmp_path, scenario, undo=0, game=request.param, seats=seats)
    yield made
    made.server.engine.dispose()


def file_of(raw):
    """The report as data that goes with a letter; None if none does."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    found = [part for part in message.iter_attachments() if part.get_filename() == "report.json"]
    return json.loads(found[0].get_content()) if found else None


def resolve(table):
    """Let the open phase go by with what the seats order: nothing."""
    for seat in table.addresses:
        table.answer(seat, "PASS\n")
    table.wait(60 * 24 * 3)


def kept(table, seat):
    """What the house has of the game now: its phase, the state as the seat sees it, and what it saw happen."""
    with table.server.work() as work:
        game = positions.lock_game(work.session, "g1")
        position = positions.read_position(work, game)
        rows = work.session.exec(select(tables.Phase)).all()
        done = next(row for row in rows if row.number == position.number)
        seen = history.report_entries(work, game, done, seat)[1]
        phase = next(row for row in rows if row.state == "open")
        view = position.rules.view(position.state, seat)
        return position, phase.deadline, view, seen


def form_in(text):
    """The order form of a letter as it stands, but for the line that the proofs add to it."""
    lines = text.splitlines()
    first = next(index for index, line in enumerate(lines) if line.startswith(("ORDENES T", "ORDERS T")))
    last = next(index for index, line in enumerate(lines) if index > first and line in ("FIN", "END"))
    return [line for line in lines[first : last + 1] if not line.startswith("# SEEN")]


def test_each_report_brings_what_its_letter_tells(table):
    seats = list(table.addresses)
    for seat in seats:
        assert "report.json" in table.answer(seat, "FORMAT JSON\n")
    resolve(table)
    for seat in seats:
        raw = table.last_sent(seat)
        found = file_of(raw)
        assert found is not None
        here, deadline, view, seen = kept(table, seat)
        assert (found["format"], found["game"], found["seat"]) == ("pbem-report/1", "g1", seat)
        assert (found["rules"], found["scenario"], found["edition"]) == (
            here.game.system,
            here.game.scenario,
            here.game.edition_digest,
        )
        assert found["resolved"] == here.number > 0
        name, turn = here.rules.phase(here.state)
        assert found["phase"] == {"name": name, "turn": turn}
        assert found["active"] == list(here.active)
        assert datetime.fromisoformat(found["deadline"]) == deadline
        assert found["position"]["turn"] == turn
        assert found["position"]["units"] == {
            ident: json.loads(json.dumps(unit._asdict())) for ident, unit in view.units.items()
        }
        assert found["events"] == [{"kind": one.kind, "rule": one.cite, "data": dict(one.data)} for one, _ in seen]
        assert found["events"]
        assert found["form"] == (form_in(readable(raw)) if seat in here.active else [])
        assert bool(found["offers"]) is (seat in here.active)
        for offer in found["offers"]:
            text = "".join(f"{line}\n" for line in offer["orders"])
            reading = here.rules.parse(text, view, seat)
            assert not reading.rejected
            assert not here.rules.check(view, seat, reading.orders, here.begun)
            assert here.rules.canon(reading.orders) == text


def test_it_goes_with_a_page_as_well_and_ends_when_another_format_is_asked_for(table):
    seat = next(iter(table.addresses))
    table.answer(seat, "FORMAT HTML JSON\n")
    table.answer(seat, "FORMAT JSON\n")
    resolve(table)
    raw = table.last_sent(seat)
    assert file_of(raw) is not None
    page = email.message_from_bytes(raw, policy=email.policy.default).get_body(("html",))
    assert page is not None
    table.answer(seat, "FORMAT TEXT\n")
    resolve(table)
    raw = table.last_sent(seat)
    assert file_of(raw) is None
    assert email.message_from_bytes(raw, policy=email.policy.default).get_body(("html",)) is None


def test_what_does_not_go_with_a_format_is_refused(table):
    seat = next(iter(table.addresses))
    before = table.kept()
    assert "FORMATO TEXTO" in table.answer(seat, "FORMATO JSON HTML\n")
    assert table.kept() == before


def map_of(raw):
    """The map as data that goes with a letter; None if none does."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    found = [part for part in message.iter_attachments() if part.get_filename() == "ground.json"]
    return json.loads(found[0].get_content()) if found else None


def test_who_asks_for_data_is_sent_the_map_once_and_its_edition_names_it(table):
    seat = next(iter(table.addresses))
    (raw,) = table.deliver(table.letter(seat, "FORMAT JSON\n")).answers
    found = map_of(raw)
    resolve(table)
    report = table.last_sent(seat)
    assert map_of(report) is None
    _, _, view, _ = kept(table, seat)
    assert (found["format"], found["edition"]) == ("pbem-ground/1", file_of(report)["edition"])
    drawn = found["map"]
    if drawn["kind"] == "areas":
        places = {space["id"]: space for space in drawn["spaces"]}
        assert places["Cresta"]["names"] == {"en": "First ridge", "es": "Primera cresta"}
        assert {"a": "Nudos", "b": "Cresta", "kind": "slope"} in drawn["edges"]
    else:
        places = {one["id"]: one for one in drawn["hexes"]}
        assert places["0706"] == {"id": "0706", "terrain": "clear", "level": 1}
        assert {"from": "0705", "to": "0706", "kind": "slope"} in drawn["sides"]
        assert len(places) == drawn["columns"] * drawn["rows"] == 120
    assert {unit.at for unit in view.units.values()} <= places.keys()
    (raw,) = table.deliver(table.letter(seat, "FORMAT TEXT\n")).answers
    assert map_of(raw) is None


def test_the_first_letter_of_a_game_brings_the_map_to_who_asked_before_it_began(tmp_path):
    made = PlayedBattle(tmp_path)
    try:
        with made.server.work() as work:
            game = positions.lock_game(work.session, "g1")
            position = positions.read_position(work, game)
            seat = work.session.exec(select(tables.Seat).where(tables.Seat.name == "spain")).one()
            seat.format = "text+json"
            phase = work.session.exec(select(tables.Phase)).one()
            phase_reports.write(work, seat, PhaseReport(position, phase, cause="anew", brief=True))
        assert map_of(made.last_sent("spain"))["map"]["name"] == "castillejos"
    finally:
        made.server.engine.dispose()
