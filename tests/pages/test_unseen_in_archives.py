"""The embargo: the page of a game that goes on holds what its onlookers see, and no byte depends on anything else.

What is hidden is changed, in the positions and in the events, and the bytes stay as they are. Addresses, tokens and
codes stand in no page, before the end or after it.
"""

import json
import random
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from sqlmodel import select

from pbem.cli.pages import archive_page_of
from pbem.cli.rulebooks import game_by_name
from pbem.cli.simulate import NAME
from pbem.engine.data.chronicle import Chronicle
from pbem.engine.data.events import Event
from pbem.engine.run.steps import BROKEN_OFF
from pbem.engine.terms import ONLOOKER
from pbem.games.africa1860.state import State as AfricanState
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.units import DIVISION_ORDERS
from pbem.maps.frames import LAYERS
from pbem.play.chapters import ChronicleRefused, Viewer, gather_chronicle, make_chapter, make_chronicle
from pbem.runtime import tokens
from pbem.store import queries, tables
from tests.pages.archives import SCENARIOS, chronicle_of, held, match, page
from tests.pictures.test_whole_games import phases

FULL = pytest.mark.full
GAMES = ("africa1860", "peninsular")
WHOLE = ("africa1860", pytest.param("peninsular", marks=FULL))
"""Where games are read to their end the first tier has the shorter one."""
UNITS = LAYERS.index("units")


@cache
def played(game, seed, fog="off"):
    """A game of bots: each phase with its events, each of those with the position before it, and the position after."""
    rules, parts = game_by_name(game), []
    for after, events, before in phases(rules, SCENARIOS[game], {"fog": fog} if fog != "off" else {}, seed):
        happened, state = [], before
        for event in events:
            happened.append((event, state))
            state = rules.rules.apply(state, event)
        parts.append((rules.phase(before), before, tuple(happened), after))
    return tuple(parts)


def told_of(game, parts, seat=ONLOOKER, over=False):
    """The chronicle of a game that was played so."""
    eyes, parts = Viewer(game_by_name(game), seat, over), [*parts]
    chapters = tuple(
        make_chapter(eyes, (f"T{turn}.{name}", turn, name), before, happened, after)
        for (name, turn), before, happened, after in parts
    )
    return Chronicle("g1", game, over, seat, eyes.view(parts[0][1]), chapters, "")


def african(state: AfricanState, seat, chance):
    """What is hidden of a position: how often standing orders of others were used, that theirs were broken off."""
    others = [side for side in ("spain", "morocco") if side != state.edition.seats.get(seat)]
    stopped = state.stopped or state.phase in others
    return state.change(uses={**state.uses, f"{chance.choice(others)} standing ALL 1 vanguard": 3}, stopped=stopped)


def peninsular(state, seat, chance):
    """What is hidden of a position: the orders of divisions of others, the fire that they ordered, standing orders."""
    ours = alliance_of(state.edition.seats[seat]) if seat else ""
    divisions = {
        name: division
        if alliance_of(division.side) == ours
        else division._replace(order=chance.choice(DIVISION_ORDERS), pending=chance.choice(["", *DIVISION_ORDERS]))
        for name, division in state.divisions.items()
    }
    changed = state.change(divisions=divisions)
    if alliance_of(state.phase) == ours:
        return changed
    guns = sorted(ident for ident, unit in state.units.items() if unit.is_combat)[:1]
    return changed.change(shots=((tuple(guns), state.units[guns[0]].at, 1),) if guns else (), stopped=True)


TWINS = {"africa1860": african, "peninsular": peninsular}


def otherwise(game, parts, seat, chance):
    """The same game with everything in another shape that an onlooker, or who has a seat, cannot see of it."""
    rules = game_by_name(game)
    seats = rules.seats(parts[0][1])
    strangers = [side for name, side in seats.items() if name != seat]

    def twin(state):
        return TWINS[game](state, seat, chance)

    for phase, before, happened, after in parts:
        changed = []
        for event, state in happened:
            if chance.random() < 0.1:
                fields = {"side": chance.choice(strangers), "order": "STOP", "line": 3, "values": []}
                changed.append((Event(BROKEN_OFF, "O3", fields), twin(state)))
            if chance.random() < 0.1:
                changed.append((Event("not carried out", "O3", {}, seen_by=("nobody",)), twin(state)))
            if event.data.get("side") in strangers:
                data = {key: value for key, value in event.data.items() if key != "by"}
                by = {"by": "standing ALL 1"} if chance.random() < 0.3 else {}
                event = event._replace(data={**data, **by})
            changed.append((event, twin(state)))
        yield phase, twin(before), changed, twin(after)


@pytest.mark.parametrize(
    ("seat", "seed"),
    [(ONLOOKER, 1), ("last", 1), *(pytest.param(*case, marks=FULL) for case in (("first", 6), ("last", 5)))],
)
@pytest.mark.parametrize("game", GAMES)
def test_what_is_hidden_changes_no_byte(game, seat, seed):
    parts = played(game, seed)
    names = list(game_by_name(game).seats(parts[0][1]))
    seat = {"first": names[0], "last": names[-1]}.get(seat, seat)
    story = told_of(game, parts, seat)
    twin = told_of(game, otherwise(game, parts, seat, random.Random(7)), seat)
    assert len(story.chapters) > 10
    assert archive_page_of(story, "en") == archive_page_of(twin, "en")


@pytest.mark.parametrize("game", WHOLE)
def test_what_he_sees_does_change_it_and_once_it_is_over_so_does_all(game):
    parts = played(game, 1)
    assert archive_page_of(told_of(game, parts), "en") != archive_page_of(told_of(game, parts[:-1]), "en")
    secret = [
        (
            phase,
            before,
            [
                *happened[:1],
                (
                    Event(
                        BROKEN_OFF,
                        "O3",
                        {
                            "side": next(iter(game_by_name(game).seats(before).values())),
                            "order": "STOP IF TURN AT LEAST 1",
                            "line": 3,
                            "values": [],
                        },
                    ),
                    before,
                ),
                *happened[1:],
            ],
            after,
        )
        for phase, before, happened, after in parts
    ]
    page, twin = (archive_page_of(told_of(game, events, over=True), "en") for events in (parts, secret))
    assert page != twin


def test_under_fog_there_is_no_page_before_the_end_for_anybody(tmp_path):
    parts = played("africa1860", 1, "on")
    rules = game_by_name("africa1860")
    assert all(rules.view(before, ONLOOKER) is None for _, before, _, _ in parts)
    over = held(archive_page_of(told_of("africa1860", parts, over=True), "en"))
    # Then it is whole: nothing lies in shade, and every counter is on the map from the first moment on.
    assert not any(layer == LAYERS.index("shade") for layer, _ in over["keys"])
    first = {over["keys"][key[0]][1] for key in over["steps"][0]["parts"] if over["keys"][key[0]][0] == UNITS}
    assert first == set(parts[0][1].units)


def secrets_of(server, session):
    """All that opens a seat or names somebody, of everybody in a database."""
    secrets = set()
    for seat in session.exec(select(tables.Seat)).all():
        secrets |= {
            tokens.seat_token(server.keys.key, NAME, seat.name, seat.generation),
            f"#{seat.nonce}" if seat.nonce else "@",
        }
    secrets |= {row.email for row in session.exec(select(tables.Address)).all()}
    secrets |= {row.recipient for row in session.exec(select(tables.Outbox)).all()}
    return {address for address in secrets if address} | {"@", "games.test", "mailto:"}


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "turns"), [*((game, 2) for game in GAMES), (GAMES[0], None), pytest.param(GAMES[1], None, marks=FULL)]
)
def test_no_address_no_token_and_no_code_stands_in_a_page(game, turns):
    running = match(game, SCENARIOS[game], turns)
    with running.server.session() as session:
        secrets = secrets_of(running.server, session)
    assert len(secrets) > 5
    text = page(game, turns)
    inside = json.dumps(held(text))
    # The style sheet alone has a sign of its own use for what parts an address.
    outside = text.replace("@media", "").replace("@playwright", "")
    for secret in secrets:
        assert secret not in inside
        assert secret not in outside, secret


@pytest.mark.parametrize("game", WHOLE)
def test_while_it_goes_on_nothing_is_told_of_orders_or_numbers(game):
    data = held(page(game, 2))
    assert not data["over"]
    assert len(data["chapters"]) >= 3
    assert not any(chapter["orders"] for chapter in data["chapters"])
    assert not any("order" in step or "letters" in step for step in data["steps"])
    over = held(page(game))
    assert over["over"]
    assert all(chapter["orders"] for chapter in over["chapters"])
    assert any("order" in step for step in over["steps"])


@pytest.mark.parametrize("game", GAMES)
def test_a_letter_that_waits_changes_no_byte(game):
    running = match(game, SCENARIOS[game], 2)
    with running.server.work() as work:
        before = archive_page_of(make_chronicle(gather_chronicle(work, NAME)), "en")
        phase = queries.phases.open_phase(work.session, NAME)
        assert phase is not None
        seat = queries.games.seats(work.session, NAME)[0]
        work.session.add(
            tables.QueuedOrders(
                phase_id=phase.id or 0,
                seat_id=seat.id or 0,
                revision=99,
                text="WAIT",
                received=work.now,
                origin="letter",
            )
        )
        seat.nonce, seat.template, seat.language = "zzzz", "ORDERS T3 #zzzz", "es"
        work.session.add(seat)
        work.session.flush()
        assert archive_page_of(make_chronicle(gather_chronicle(work, NAME)), "en") == before
        work.session.rollback()


@pytest.mark.parametrize("game", WHOLE)
def test_a_seats_own_page_is_what_it_sees_and_there_is_none_of_a_game_that_is_over(game):
    rules = game_by_name(game)
    seats = list(rules.seats(chronicle_of(game, 2).start))
    pages = [archive_page_of(chronicle_of(game, 2, seat), "en") for seat in seats]
    for seat, text in zip(seats, pages, strict=True):
        assert '<meta name="robots" content="noindex">' in text
        data = held(text)
        assert data["seat"] == seat
        whose = {order["whose"][0] for chapter in data["chapters"] for order in chapter["orders"]}
        assert len(whose) == 1
    assert all(page != other for page, other in pairwise(pages))
    with pytest.raises(ChronicleRefused, match="is over"):
        chronicle_of(game, None, seats[0])
    with pytest.raises(ChronicleRefused, match="has no seat"):
        chronicle_of(game, 2, "nobody")


def press(session, writer, sender, text, delivered=True):
    """A letter to all that a seat wrote, from the address of the player of another, perhaps."""
    seats = {seat.name: seat for seat in queries.games.seats(session, NAME)}
    came = session.exec(select(tables.Inbox).where(tables.Inbox.seat_id == seats[sender].id)).first()
    assert came is not None
    session.add(
        tables.Press(
            game_id=NAME,
            seat_id=seats[writer].id or 0,
            inbox_id=came.id or 0,
            turn=2,
            to="*",
            text=text,
            at=came.taken,
            delivered=delivered,
        )
    )


@pytest.mark.parametrize(
    ("spain", "morocco", "turns", "shown"),
    [
        ("", "", None, []),
        ("press", "", None, []),
        ("game", "game", None, []),
        ("press", "game", None, ["Peace? Write to ... now\n<b>Ana</b>"]),
        ("press", "press", None, ["Peace? Write to ... now\n<b>Ana</b>", "War."]),
        ("press", "press", 2, []),
    ],
)
def test_letters_are_shown_where_their_authors_agreed_and_all_to_the_game(spain, morocco, turns, shown):
    running = match("africa1860", SCENARIOS["africa1860"], turns)
    with running.server.work() as work:
        for seat in queries.games.seats(work.session, NAME):
            seat.published = {"spain": spain, "morocco": morocco}[seat.name]
            work.session.add(seat)
        press(work.session, "spain", "spain", "Peace? Write to Ana@Example.org now\n<b>Ana</b>")
        press(work.session, "spain", "morocco", "Of somebody who had the seat before")
        press(work.session, "spain", "spain", "Never passed on", delivered=False)
        press(work.session, "morocco", "morocco", "War.")
        work.session.flush()
        text = archive_page_of(make_chronicle(gather_chronicle(work, NAME)), "en")
        work.session.rollback()
    letters = held(text)["letters"]
    assert [letter["text"] for letter in letters] == shown
    assert all(letter["turn"] == 2 and letter["to"] == [] for letter in letters)


def hiding(rules):
    """Rules that show an onlooker nothing."""
    return replace(rules, view=lambda state, seat: None if seat == ONLOOKER else rules.view(state, seat))


@pytest.mark.parametrize("game", GAMES)
def test_where_anything_is_hidden_from_anybody_no_key_of_dice_is_told(game):
    rules = game_by_name(game)
    with match(game, SCENARIOS[game], 2).server.work() as work:
        read = gather_chronicle(work, NAME, next(iter(rules.seats(chronicle_of(game, 2).start))))
        shown, hidden = (
            make_chronicle(read._replace(eyes=read.eyes._replace(rules=hidden_rules))).chapters
            for hidden_rules in (rules, hiding(rules))
        )
    assert all(chapter.keys for chapter in shown)
    assert any(chapter.throws for chapter in hidden)
    assert not any(chapter.keys for chapter in hidden)
    assert {throw.key for chapter in hidden for throw in chapter.throws.values()} == {-1}
