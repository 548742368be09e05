"""Events: what is stored of them and what comes back."""

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.events import Event, event


def test_a_trailing_underscore_frees_a_keyword():
    assert event("moved", "O3.2", from_="B", to="C") == Event("moved", "O3.2", {"from": "B", "to": "C"})


def test_data_may_be_called_like_the_event_s_own_fields():
    assert event("k", "R1", kind="x", cite="y").data == {"kind": "x", "cite": "y"}


def test_everybody_may_see_an_event_unless_it_says_otherwise():
    assert event("moved", "O3.2").seen_by is None
    assert "seen_by" not in event("moved", "O3.2").to_json()


def test_stored_and_read_back():
    for happened in (
        event("moved", "O3.2", units=["Leon"], to="C"),
        Event("not carried out", "R2", {"line": 3}, ("spain",)),
        Event("secret", "R2", {}, ()),
    ):
        assert Event.from_json(loads(dumps(happened.to_json()))) == happened


def test_json_is_a_copy():
    happened = event("moved", "O3.2", to="C")
    happened.to_json()["data"]["to"] = "D"
    assert happened.data == {"to": "C"}
