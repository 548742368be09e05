"""E2 Rules of a tournament: what is read, what is said against them, and how long a round takes."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.data.canon import dumps, loads
from pbem.engine.data.messages import msg
from pbem.tournaments.arithmetic.rules import tables
from pbem.tournaments.arithmetic.rules.ends import (
    duration_cost,
    latest_round_end,
    longest_duration_in_days,
    short_round_objections,
)
from pbem.tournaments.arithmetic.rules.reading import (
    RulesRefused,
    digest_of_rules,
    read_rules,
    rules_from_json,
    rules_to_json,
)
from pbem.tournaments.arithmetic.rules.records import (
    Holiday,
    Prize,
    UnfinishedGameMethod,
    manner_of,
    most_rounds_of,
)
from pbem.tournaments.arithmetic.standings import CRITERIA

CUP = """\
title = "Castillejos Cup"
zone = "Europe/Madrid"

[entry]
places = 16
closes = 2030-02-01
misses = "10%"
late_points = 0.5

[table]
scenario = "castillejos"
beacon = "quicknet"

[table.terms]
press = "grey"
hints = false

[[stage]]
format = "swiss"
rounds = 4

[[stage]]
format = "knockout"
take = 4
sides = "mirror"

[ties]
order = ["points", "buchholz", "lot"]

[left]
no_show = "substitute/bye"

[unfinished]
order = ["points:4", "continue:200:75%", "jury"]

[prizes]
1 = "Book"
"best:<1500" = "Print"
"best:1500-1800" = "Map"
"""
LEAST = 'title = "T"\n[table]\nscenario = "x"\n[[stage]]\nformat = "robin"\n'
HOLIDAYS = LEAST + '[[holidays]]\nfirst = "2030-12-24"\nlast = "2031-01-01"\n'


def faults(text, **more):
    with pytest.raises(RulesRefused) as refused:
        read_rules(text, "cup60.toml", **more)
    return [str(fault) for fault in refused.value.faults]


def test_all_faults_of_a_file_are_told_at_once():
    """Values, keys that do not go together, and what the server says of it; nothing that follows from a fault."""
    text = CUP.replace('misses = "10%"', 'misses = "ten"').replace("take = 4", "take = 40\nreach = 3")
    text = text.replace("late_points", "late_pionts").replace("[prizes]", "[prizes]\n17 = 'Pen'")

    def check(rules):
        yield "zone", msg("there is no such zone"), msg("write another")

    faults_told = faults(text, check=check)
    assert [fault.split(": ")[1] for fault in faults_told] == [
        "zone",
        "entry.misses",
        "entry.late_pionts",
        "stage 2.take",
        "stage 2.reach",
        "prizes.17",
    ]
    text = text.replace("places = 16", "plases = 40")
    assert [fault.split(": ")[1] for fault in faults(text)] == [
        "entry.plases",
        "entry.misses",
        "entry.late_pionts",
    ]


def test_a_file_is_read():
    rules = read_rules(CUP, "cup60.toml")
    assert (rules.title, rules.entry.places, rules.entry.closes, rules.entry.misses) == (
        "Castillejos Cup",
        16,
        "2030-02-01",
        10,
    )
    assert dict(rules.table.terms) == {"hints": "false", "press": "grey"}
    assert [(stage.format, stage.rounds, stage.take, stage.sides) for stage in rules.stage] == [
        ("swiss", 4, 0, "balanced"),
        ("knockout", 0, 4, "mirror"),
    ]
    assert rules.left.no_show == ("substitute", "bye")
    assert rules.unfinished.order == (
        UnfinishedGameMethod("points", 4),
        UnfinishedGameMethod("continue", 200, 75),
        UnfinishedGameMethod("jury"),
    )
    assert rules.prizes == (Prize(1, 0, 0, "Book"), Prize(0, 0, 1500, "Print"), Prize(0, 1500, 1800, "Map"))
    assert manner_of(rules.stage[0]).rounds == 4
    assert [most_rounds_of(stage, count) for stage, count in zip(rules.stage, (16, 4), strict=True)] == [4, 2]
    assert rules.late_rounds == 2


def test_what_is_not_given_is_as_the_table_of_the_module_says():
    documented = (tables.__doc__ or "").replace("\\\n", "")
    lines = {}
    for line in documented.splitlines():
        name, *_ = line.split() or [""]
        if "." in name or name in ("title", "code", "zone"):
            lines[name] = line
    keys = {key.name: key for key in tables.TOP}
    keys |= {f"{table}.{key.name}": key for table, some in tables.TABLES.items() for key in some}
    assert {name for name in lines if not name.startswith("prizes")} == keys.keys()
    for name, key in keys.items():
        assert key.kind.says.split(",")[0] in lines[name], name
        assert key.means in lines[name], name
        usual = "must" if key.default is None else key.kind.write(key.default)
        words_usual = ", ".join(usual) if isinstance(usual, list | dict) else str(usual)
        words_usual = words_usual.lower() if isinstance(usual, bool) else words_usual or "-"
        assert re.search(rf"(?<=\s){re.escape(words_usual)}(?=\s)", lines[name]), (name, words_usual)


def test_the_least_file_has_every_default():
    rules = read_rules(LEAST, "t.toml")
    for table, keys in tables.TABLES.items():
        if table not in (*tables.LISTS, "table"):
            assert list(getattr(rules, table)) == [key.default for key in keys]
    assert set(tables.CRITERIA_NAMES) - {"luck"} <= set(CRITERIA)


def test_holidays_are_whole_days_and_add_to_the_whole():
    rules = read_rules(HOLIDAYS, "t.toml")
    assert rules.holidays == (Holiday("2030-12-24", "2031-01-01"),)
    assert longest_duration_in_days(rules, 3) == longest_duration_in_days(rules._replace(holidays=()), 3) + 9
    assert faults(HOLIDAYS.replace("2031", "2030")) == [
        "cup60.toml:8: holidays 1.last: these holidays end before they begin; write 2030-12-24 or later"
    ]
    assert faults(HOLIDAYS.replace("2030-12-24", "2030-12-24T20:00")) == [
        'cup60.toml:7: holidays 1.first: this is no day; write a date without an hour, as "2030-12-24"'
    ]
    assert faults(HOLIDAYS.replace("[[holidays]]", "[holidays]")) == [
        "cup60.toml:6: holidays: this is one table; write each as [[holidays]]"
    ]


@pytest.mark.parametrize("text", [CUP, LEAST, HOLIDAYS])
def test_canonical_json_comes_back_and_has_one_digest(text):
    rules = read_rules(text, "cup60.toml")
    written = dumps(rules_to_json(rules))
    again = rules_from_json(loads(written))
    assert again == rules
    assert dumps(rules_to_json(again)) == written
    assert digest_of_rules(rules) == digest_of_rules(again)
    assert re.fullmatch("sha256:[0-9a-f]{64}", digest_of_rules(rules))


def test_order_and_notes_of_a_file_do_not_change_its_digest():
    other = "# the cup\n" + CUP.replace("places = 16\n", "") + ""
    assert digest_of_rules(read_rules(other, "b.toml")) == digest_of_rules(read_rules(CUP, "a.toml"))
    assert digest_of_rules(read_rules(CUP.replace("rounds = 4", "rounds = 5"), "a.toml")) != digest_of_rules(
        read_rules(CUP, "a.toml")
    )


WRONG = [
    ("places = 16", "plases = 16", "cup60.toml:5: entry.plases: there is no such key; did you mean places?"),
    ("places = 16", 'places = "16"', "cup60.toml:5: entry.places: this is no whole number; write it without quotation"),
    ("places = 16", "places = 1", "cup60.toml:5: entry.places: 1 is impossible; write a number from 2 to 4096"),
    ("[entry]", "[entri]", "cup60.toml:4: entri: there is no such key; did you mean entry?"),
    ('misses = "10%"', "misses = 10", 'cup60.toml:7: entry.misses: this is no share; write a whole share, from "0%"'),
    ("late_points = 0.5", "late_points = 0.7", "cup60.toml:8: entry.late_points: points are counted by halves; write"),
    ("2030-02-01", '"2030-02-30"', "cup60.toml:6: entry.closes: the calendar has no 2030-02-30; write a date, as"),
    ('scenario = "castillejos"', "", "cup60.toml:10: table.scenario: this is missing; write scenario = ..."),
    ("take = 4", "take = 40", "cup60.toml:24: stage 2.take: only 16 are there to go on; write 16 or less"),
    ('"swiss"', '"swis"', "cup60.toml:19: stage 1.format: 'swis' is not known here; did you mean swiss?"),
    ("rounds = 4", "rounds = 16", "cup60.toml:20: stage 1.rounds: 16 entrants would meet again; write 15 or less"),
    ("rounds = 4", "take = 4", "cup60.toml:20: stage 1.take: no stage comes before the first; leave it out"),
    ("take = 4", "take = 4\nreach = 2", "cup60.toml:25: stage 2.reach: a stage of the format knockout has none; leave"),
    (
        'format = "swiss"\nrounds = 4',
        'format = "league"\ndeal = "snake"',
        "cup60.toml:20: stage 1.deal: one division has nothing to be dealt to; write divisions = 2, or leave it out",
    ),
    ('"buchholz"', '"bucholz"', "cup60.toml:28: ties.order: 'bucholz' is not known here; did you mean buchholz?"),
    ('"buchholz"', '"points"', "cup60.toml:28: ties.order: points stands here twice; leave the second out"),
    ('"buchholz"', '"luck"', "cup60.toml:27: ties.luck_weight: one is here without the other; write"),
    ('"points:4"', '"points:0"', "cup60.toml:34: unfinished.order: 0 is impossible; a lead of 0 is none"),
    ('"points:4"', '"point"', "cup60.toml:34: unfinished.order: 'point' decides nothing; write some of"),
    ('"jury"', '"draw", "jury"', "cup60.toml:34: unfinished.order: nothing comes after a draw; put draw last"),
    (":75%", ":50%", "cup60.toml:34: unfinished.order: 50 is impossible; write a number from 51 to 100"),
    ("1 = ", "17 = ", "cup60.toml:37: prizes.17: there are not so many places; write 16 or less"),
    ("best:<1500", "best", "cup60.toml:38: prizes.best: there is no prize best; write a place or whom it is for"),
    ("1500-1800", "1800-1500", "cup60.toml:39: prizes.best:1800-1500: nobody is between 1800 and 1500; write the"),
    ('zone = "Europe/Madrid"', "zone = Madrid", "cup60.toml:2: Invalid value; mend the line; each reads NAME = VALUE"),
    ("hints = false", "Hints = false", "cup60.toml:14: table.terms: Hints = False will not do; write names with texts"),
]


@pytest.mark.parametrize(("was", "now", "message"), WRONG, ids=[now[:30] for _, now, _ in WRONG])
def test_a_fault_names_its_line_and_the_way_out(was, now, message):
    assert was in CUP
    faults_found = faults(CUP.replace(was, now, 1))
    assert any(fault.startswith(message) for fault in faults_found), faults_found


def test_a_word_that_is_empty_is_offered_in_its_quotation_marks():
    (fault,) = faults(CUP.replace("[left]", '[left]\nask = "nobody"'))
    assert fault.endswith('write one of: director, ""')


def test_all_faults_are_said_at_once_in_the_order_of_lines():
    text = CUP.replace("places = 16", "plases = 16").replace('"swiss"', '"swis"').replace("1 = ", "0 = ")
    assert [fault.split(":")[1] for fault in faults(text)] == ["5", "19", "37"]


def test_those_who_know_scenarios_are_asked_last():
    def check(rules):
        yield "table.scenario", msg("there is no such key"), msg("did you mean {word}?", word=rules.table.scenario)

    assert faults(CUP, check=check) == [
        "cup60.toml:11: table.scenario: there is no such key; did you mean castillejos?"
    ]
    assert "plases" in faults(CUP.replace("places", "plases"), check=check)[0]


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        ('format = "league"\ndivisions = 9', "fewer than two"),
        ('format = "league"\ndivisions = 4\nmoving = 3', "more would move"),
        ('format = "ladder"', "rounds: this is missing"),
    ],
)
def test_a_stage_that_cannot_be_played_is_refused(stage, message):
    assert message in faults(LEAST.replace('format = "robin"', stage))[0]


@pytest.mark.parametrize("raw", [None, [], {}, {"title": 3}, {"title": "T", "stage": 3}, {"stage": [3], "entry": 4}])
def test_json_that_is_no_rules_is_refused(raw):
    with pytest.raises(RulesRefused):
        rules_from_json(raw)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(key=st.sampled_from(["title", "prizes", *tables.TABLES]), value=JSON)
def test_nothing_but_a_refusal_comes_of_any_value(key, value):
    raw = {**rules_to_json(read_rules(HOLIDAYS, "t.toml")), key: value}
    with suppress(RulesRefused):
        written = rules_to_json(rules_from_json(raw))
        assert written.keys() | {"holidays", "office"} == raw.keys() | {"office"}
        assert ("holidays" in written) == bool(raw["holidays"]), "rules without any have the digest of before"


def test_a_round_ends_after_two_banks_and_all_steps():
    rules = read_rules(CUP, "cup60.toml")
    assert latest_round_end(rules, 14) == (2 * (240 + 14 * 24), 1)
    assert latest_round_end(rules, 14).days == 48
    # Two tables that wait for one another may wait for four banks.
    assert latest_round_end(rules, 14, 1) == (2 * 14 * 24 + 4 * 240, 2)
    assert duration_cost(rules, 14, 1) == (48, 68, 1398)
    duplicate = read_rules(CUP.replace("rounds = 4", 'rounds = 4\nsides = "duplicate"'), "cup60.toml")
    assert duration_cost(duplicate, 14) == (48, 188, 1705)
    assert duration_cost(duplicate._replace(entry=duplicate.entry._replace(places=8)), 14).usual == 1398 + 307 * 2 // 6


def test_shorter_rounds_must_say_what_decides():
    text = CUP.replace("[[stage]]", "[round]\ndays = 47\n[[stage]]", 1)
    assert short_round_objections(read_rules(text, "cup60.toml"), 14) == ()
    silent = read_rules(text.replace("points:4", "jury").replace(', "continue:200:75%", "jury"', ""), "cup60.toml")
    silent = silent._replace(unfinished=silent.unfinished._replace(order=()))
    assert [key for key, _, _ in short_round_objections(silent, 14)] == ["round.days", "round.days"]
    assert [key for key, _, _ in short_round_objections(silent, 13)] == ["round.days"]
    assert longest_duration_in_days(silent, 14) == 6 * (47 + 4)


def test_rules_without_new_keys_are_written_as_at_first_with_every_default():
    """The digest of rules of 1.0.0, in which all keys stood, empty ones too, depends on it."""
    least = read_rules('title = "T"\n[table]\nscenario = "x"\n[[stage]]\nformat = "robin"\n', "t.toml")
    added = {
        "entry": {"by", "least", "most"},
        "stage": {"scenarios", "third", "deal", "each", "replays", "best", "battle"},
    }
    written = rules_to_json(least)
    for table, keys in tables.TABLES.items():
        record = written.get(table)
        if table in ("office", "holidays"):
            assert record is None
        else:
            (record,) = record if table == "stage" else [record]
            assert record.keys() == {key.name for key in keys} - added.get(table, set()), table
