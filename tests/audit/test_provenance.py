"""Each value that a server writes has a row in the table of provenance, and a lie about it is found as the row says.

All of them are told in tests/verifier/test_page_provenance.py, where the page judges them too.
"""

import pytest

from pbem.verifier.record import Findings
from pbem.verifier.verdict import Wording
from pbem.verifier.verification import Verdict, status_by_check
from tests.audit import standalone
from tests.audit.fuzzing import LIES, NAMED, UNTOLD, find_differences, judge_both, names, play_honestly, tell_lie
from tests.audit.provenance import CHECKED, DOCUMENT, find_faults, make_document, read_rows
from tests.audit.server_stories import STORIES

FEW = ("slate.phase", "slate.seat.name", "slate.beacon", "board.beacon", "draw.entrant.name", "slate.state")


def test_the_table_is_written_as_it_says():
    assert find_faults() == []


@pytest.mark.parametrize("text", ["nothing", "NOT CHECKED", "FALSE", "FALSE believed", "NOT CHECKED sometime"])
def test_no_row_says_that_nothing_is_said(text):
    assert CHECKED.fullmatch(text) is None


@pytest.mark.parametrize("language", ["en", "es"])
def test_what_no_check_names_a_line_below_all_of_them_does(language):
    text = [*Wording(language).lines(Verdict((), (), None, ""))]
    for field, row in read_rows().items():
        if row.plain in NAMED:
            assert names(field, "\n".join(text)), field


def test_the_chapter_is_made_from_the_table():
    assert make_document() == DOCUMENT.read_text("utf-8"), "python -m tests.audit.provenance"


SLOW = ("played_out",)


@pytest.mark.parametrize(
    "story", [pytest.param(story, marks=pytest.mark.full if story in SLOW else ()) for story in STORIES]
)
def test_what_a_server_writes_has_a_row_and_nothing_of_it_is_false(story):
    fields, *verdicts = play_honestly(story)
    assert fields <= read_rows().keys()
    for verdict in verdicts:
        assert [(line.check, line.why) for line in verdict.lines if line.status == "FALSE"] == []


@pytest.mark.full
def test_a_row_is_of_something_that_a_server_writes():
    fields = frozenset().union(*(play_honestly(story)[0] for story in STORIES))
    assert read_rows().keys() <= fields
    assert LIES.keys() | UNTOLD.keys() <= read_rows().keys()


@pytest.mark.parametrize("field", FEW)
def test_another_value_is_found_as_its_row_says(field):
    story, letters = tell_lie(field)
    verdicts = judge_both(story, letters)
    assert find_differences(field, story, verdicts) == []
    assert standalone.statuses(letters) == status_by_check(verdicts[0])


PLANTED = "the list has another edition or position than the phase was opened with"


def test_a_check_that_is_taken_out_is_noticed(monkeypatch):
    """The sentence that says so is held for true whatever is found."""
    say = Findings.say

    def deaf(self, check, truth, place, why, *values):
        return say(self, check, truth if why != PLANTED else True, place, why, *values)

    story, letters = tell_lie("slate.edition")
    monkeypatch.setattr(Findings, "say", deaf)
    differences = find_differences("slate.edition", story, judge_both(story, letters))
    assert [line.partition(", and says")[0] for line in differences] == [
        "slate.edition: plain mode is to say FALSE close",
        "slate.edition: full mode is to say FALSE close",
    ]
