"""PUBLISH: who lets his game be shown on the server's pages, and how he is called there."""

import pytest

from pbem.play import publicity, seating
from pbem.store import queries, tables
from tests.harness.game import CALM, PlayedGame


@pytest.fixture
def house(tmp_path):
    house = PlayedGame(tmp_path, terms=CALM)
    yield house
    house.server.engine.dispose()


def send(house, seat, text):
    house.write(seat, text)
    return " ".join(house.answer().split())


def shown(house):
    with house.server.work() as work:
        seats = queries.games.seats(work.session, "g1")
        return publicity.is_publication_agreed(seats), publicity.player_names(work.server.keys.key, seats)


def seats(house):
    return {row.name: (row.published, row.pen_name) for row in house.all(tables.Seat)}


def test_a_game_is_shown_when_all_have_agreed_and_no_longer_than_they_do(house):
    assert not shown(house)[0]
    mail_text = send(house, "north", "PUBLISH ON")
    assert "once all who play it do" in mail_text
    assert "These have not agreed: south." in mail_text
    assert not shown(house)[0]
    assert "These have not agreed" not in send(house, "south", "PUBLICAR PRENSA")
    assert shown(house)[0]
    assert seats(house) == {"north": (publicity.GAME, ""), "south": (publicity.PRESS, "")}
    send(house, "north", "PUBLISH OFF")
    assert not shown(house)[0]


def test_nobody_is_named_who_did_not_ask_for_it(house):
    send(house, "north", "PUBLISH ON")
    before = shown(house)[1]
    assert set(before) == {"north", "south"}
    assert all(name.text == "player {code}" and len(dict(name.args)["code"]) == 6 for name in before.values())
    assert before["north"] != before["south"]
    assert "You are called José María there." in send(house, "north", "PUBLISH ON AS José María")
    assert shown(house)[1] == {**before, "north": "José María"}
    send(house, "north", "PUBLICAR SÍ")
    assert shown(house)[1] == before


@pytest.mark.parametrize("text", ["PUBLISH", "PUBLISH MAYBE", "PUBLISH ON AS", "PUBLISH ON AS <script>"])
def test_what_cannot_be_read_changes_nothing(house, text):
    assert "PUBLISH ON" in send(house, "north", text)
    assert seats(house)["north"] == ("", "")


def test_who_is_given_a_seat_has_agreed_to_nothing(house):
    send(house, "north", "PUBLISH PRESS")
    with house.server.work() as work:
        seating.invite_seat(work, seating.Invitation(game="g1", seat="north", email="new@players.example"))
    assert seats(house)["north"] == ("", "")
