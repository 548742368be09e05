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
    files = [part for part in message.iter_attachments() if part.get_filename() == "report.json"]
    return json.loads(files[0].get_content()) if files else None


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
        report = file_of(raw)
        assert report is not None
        position, deadline, view, seen = kept(table, seat)
        assert (report["format"], report["game"], report["seat"]) == ("pbem-report/1", "g1", seat)
        assert (report["rules"], report["scenario"], report["edition"]) == (
            position.game.system,
            position.game.scenario,
            position.game.edition_digest,
        )
        assert report["resolved"] == position.number > 0
        name, turn = position.rules.phase(position.state)
        assert report["phase"] == {"name": name, "turn": turn}
        assert report["active"] == list(position.active)
        assert datetime.fromisoformat(report["deadline"]) == deadline
        assert report["position"]["turn"] == turn
        assert report["position"]["units"] == {
            ident: json.loads(json.dumps(unit._asdict())) for ident, unit in view.units.items()
        }
        assert report["events"] == [
            {"kind": event.kind, "rule": event.cite, "data": dict(event.data)} for event, _ in seen
        ]
        assert report["events"]
        assert report["form"] == (form_in(readable(raw)) if seat in position.active else [])
        assert bool(report["offers"]) is (seat in position.active)
        for offer in report["offers"]:
            text = "".join(f"{line}\n" for line in offer["orders"])
            reading = position.rules.parse(text, view, seat)
            assert not reading.rejected
            assert not position.rules.check(view, seat, reading.orders, position.begun)
            assert position.rules.canon(reading.orders) == text


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
    files = [part for part in message.iter_attachments() if part.get_filename() == "ground.json"]
    return json.loads(files[0].get_content()) if files else None


def test_who_asks_for_data_is_sent_the_map_once_and_its_edition_names_it(table):
    seat = next(iter(table.addresses))
    (raw,) = table.deliver(table.letter(seat, "FORMAT JSON\n")).answers
    ground = map_of(raw)
    resolve(table)
    report = table.last_sent(seat)
    assert map_of(report) is None
    _, _, view, _ = kept(table, seat)
    assert (ground["format"], ground["edition"]) == ("pbem-ground/1", file_of(report)["edition"])
    drawn = ground["map"]
    if drawn["kind"] == "areas":
        places = {space["id"]: space for space in drawn["spaces"]}
        assert places["Cresta"]["names"] == {"en": "First ridge", "es": "Primera cresta"}
        assert {"a": "Nudos", "b": "Cresta", "kind": "slope"} in drawn["edges"]
    else:
        places = {hexagon["id"]: hexagon for hexagon in drawn["hexes"]}
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
            phase_reports.write_report(work, seat, PhaseReport(position, phase, cause="anew", brief=True))
        assert map_of(made.last_sent("spain"))["map"]["name"] == "castillejos"
    finally:
        made.server.engine.dispose()
