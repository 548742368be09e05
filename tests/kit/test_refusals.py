"""An order that is not carried out: what is told of it in the phase, and in the answer to a letter."""

from pbem.engine.data.events import event
from pbem.engine.data.messages import msg
from pbem.engine.orders.refusals import Giver, Refusal, not_carried_out, refused_lines
from pbem.engine.terms import RejectedLine

WET = Refusal(("R3", "R1"), msg("{unit} is wet", unit="Ash"), "Ash")
TOLD = not_carried_out(4, "TOW Ash TO Weir SLOW", WET, Giver("red", ("north", "east")))


def test_the_event_holds_order_rules_and_reason_and_is_for_those_who_gave_it():
    assert (TOLD.kind, TOLD.cite, TOLD.seen_by) == ("not carried out", "R3", ("north", "east"))
    assert TOLD.data == {
        "line": 4,
        "order": "TOW Ash TO Weir SLOW",
        "rules": ["R3", "R1"],
        "why": WET.why.to_json(),
        "word": "Ash",
        "side": "red",
    }


def test_a_letter_is_refused_by_the_events_that_are_foreseen():
    line = RejectedLine(4, -1, "Ash", WET.why, "R3")
    assert WET.to_line(4) == line
    assert refused_lines([event("moved", "R2", unit="Elm"), TOLD, TOLD]) == [("TOW Ash TO Weir SLOW", line)] * 2
