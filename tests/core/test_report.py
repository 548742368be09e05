"""The model of a report, stored and read back."""

from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import msg
from pbem.engine.data.report import Block, Entry, Report, Table

MESSAGES = st.builds(lambda text, n: msg(text, n=n), st.text("abc {n}"), st.integers() | st.text("xyz"))
LISTS = st.lists(MESSAGES, max_size=3).map(tuple)
ROWS = st.lists(st.tuples(MESSAGES, st.integers() | st.text("xyz"), LISTS), max_size=3).map(tuple)
TABLES = st.builds(Table, LISTS, st.lists(st.tuples(MESSAGES, ROWS), max_size=2).map(tuple))
LINES = st.lists(st.tuples(st.integers(0, 3), MESSAGES), max_size=3).map(tuple)
BLOCKS = st.lists(st.builds(Block, MESSAGES, LINES, st.booleans(), st.none() | TABLES), max_size=2).map(tuple)
KEPT = st.sampled_from([(), (0, 2)])
REPORTS = st.builds(
    Report,
    MESSAGES,
    LISTS,
    st.lists(
        st.builds(Entry, st.sampled_from(["O8.8", "C4"]), MESSAGES, LISTS, KEPT, st.booleans()),
        max_size=3,
    ).map(tuple),
    BLOCKS,
    BLOCKS,
)


def test_an_example():
    report = Report(
        msg("Turn {n}", n=3),
        (msg("quiet"),),
        (Entry("O3.2", msg("{unit} goes", unit="Leon"), (msg("from B to C"),), outcome=True),),
        (Block(msg("Forces"), ((0, msg("B")), (1, msg("Leon")))),),
        (Block(msg("The situation"), ((0, msg("a draw")),)),),
    )
    assert report.to_json() == {
        "title": {"text": "Turn {n}", "args": {"n": 3}},
        "summary": [{"text": "quiet", "args": {}}],
        "entries": [
            {
                "rule": "O3.2",
                "text": {"text": "{unit} goes", "args": {"unit": "Leon"}},
                "details": [{"text": "from B to C", "args": {}}],
                "kept": [],
                "outcome": True,
            }
        ],
        "blocks": [
            {
                "title": {"text": "Forces", "args": {}},
                "lines": [[0, {"text": "B", "args": {}}], [1, {"text": "Leon", "args": {}}]],
            }
        ],
        "head": [{"title": {"text": "The situation", "args": {}}, "lines": [[0, {"text": "a draw", "args": {}}]]}],
    }


def test_a_report_of_old_has_nothing_at_its_head():
    value = Report(msg("Turn 1")).to_json()
    del value["head"]
    assert Report.from_json(value) == Report(msg("Turn 1"))


@given(REPORTS)
def test_stored_and_read_back(report):
    assert Report.from_json(loads(dumps(report.to_json()))) == report
