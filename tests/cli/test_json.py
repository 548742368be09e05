"""--json: what a command prints is an object of the schema that it names, and docs/json.md tells each of its fields."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from pbem.cli.checks_server import CheckResult
from pbem.cli.main import main
from pbem.cli.output import print_rows
from pbem.cli.rules import ScenarioLine
from pbem.cli.verify import CheckLine, PhaseLine
from pbem.play.commands.table.resend import Undelivered
from pbem.server import game_cards
from pbem.tournaments import cards
from pbem.tournaments.ratings import RatingRecount
from pbem.wars import cards as war_cards
from tests.audit.simulated import first_phase
from tests.audit.small_server import Server

DOCUMENT = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
OBJECTS: Mapping[str, Any] = {
    "games/1": {"games": list[game_cards.GameLine]},
    "game/1": game_cards.GameCard,
    "wars/1": {"wars": list[war_cards.WarLine]},
    "war/1": war_cards.WarCard,
    "tournaments/1": {"tournaments": list[cards.TournamentLine]},
    "tournament/1": cards.TournamentCard,
    "standings/1": {"name": str, "table": list[cards.RankLine], "members": list[cards.MemberLine]},
    "ratings/1": {"ratings": list[cards.RatingLine]},
    "recounted/1": {"periods": list[RatingRecount]},
    "scenarios/1": {"scenarios": list[ScenarioLine]},
    "letters/1": {"letters": list[Undelivered]},
    "doctor/1": {"to_mend": int, "checks": list[CheckResult]},
    "verdict/1": {
        "status": str,
        "checks": list[CheckLine],
        "phases": list[PhaseLine],
        "log": str | None,
        "leaves": int | None,
        "root": str | None,
    },
    "chart/1": {"game": str, "chart": str, "lines": list[str]},
}
"""What each object holds beside its schema: the fields of a record, or these."""


def fields_of(kind: Any) -> Mapping[str, Any] | None:
    """The fields of what is an object in JSON, by their kinds; None for what is none."""
    return kind if isinstance(kind, dict) else get_type_hints(kind) if hasattr(kind, "_fields") else None


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind: no field more, none less, none of another kind."""
    if (fields := fields_of(kind)) is not None:
        return {*value} == {*fields} and all(fits(value[name], hint) for name, hint in fields.items())
    if get_origin(kind) in (list, tuple):
        return isinstance(value, list) and all(fits(element, get_args(kind)[0]) for element in value)
    if get_origin(kind) in (dict, Mapping):
        return isinstance(value, dict) and all(fits(element, get_args(kind)[1]) for element in value.values())
    if isinstance(kind, UnionType):
        return any(fits(value, option) for option in get_args(kind))
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    return bool(MOMENT.fullmatch(value or "")) if kind is datetime else type(value) is kind


def names_in(kind: Any) -> Iterator[str]:
    """The names of all fields of an object and of the rows in it."""
    for name, hint in (fields_of(kind) or {}).items():
        yield name
        yield from names_in(hint)
        for inner in get_args(hint):
            yield from names_in(inner)


def held(schema, text):
    """The object in a text, which is what its schema says."""
    document = json.loads(text)
    assert document["schema"] == schema
    assert fits({name: value for name, value in document.items() if name != "schema"}, OBJECTS[schema]), document
    return document


def test_what_does_not_fit_is_seen():
    row = {"phase": "T1.spain", "ruling": "M1"}
    assert fits(row, game_cards.VoidLine)
    assert not fits({**row, "more": 1}, game_cards.VoidLine)
    assert not fits({**row, "ruling": None}, game_cards.VoidLine)
    assert not fits({"games": [row]}, OBJECTS["games/1"])
    assert fits({"wins": 3}, Mapping[str, int])
    assert not fits({"wins": "3"}, Mapping[str, int])
    assert fits("2031-05-04T20:00:00Z", datetime | None)
    assert not fits("2031-05-04", datetime | None)


@pytest.mark.parametrize("schema", OBJECTS)
def test_the_document_tells_every_field_and_no_other(schema):
    chapter = re.split(r"^## ", DOCUMENT, flags=re.MULTILINE)
    (own,) = [text for text in chapter if text.startswith(f"`{schema}`")]
    fields = set(re.findall(r"`([a-z_]+)`", "\n".join(line for line in own.splitlines() if line.startswith("| `"))))
    values = {"null", "ok", "mind"}
    assert fields - values == {*names_in(OBJECTS[schema])}


def test_each_row_is_a_table_by_its_headings(capsys):
    rows = [
        cards.TeamLine("e2", "Los \x1b[2J", "in", "-", ("e1", "e4"), 1500),
        cards.TeamLine("e3", "", "out", "e5", (), 0),
    ]
    print_rows(cards.TeamLine, rows)
    assert [re.split(r" {2,}", line) for line in capsys.readouterr().out.splitlines()] == [
        ["TEAM", "NAME", "STATE", "STRENGTH", "CAPTAIN", "MEMBERS"],
        ["e2", "Los [2J", "in", "1500", "-", "e1 e4"],
        ["e3", "-", "out", "0", "e5", "-"],
    ]


def test_games(hand, begun):
    (game,) = held("games/1", hand.fine("game", "list", "--json"))["games"]
    assert (game["name"], game["scenario"], game["state"]) == ("ceuta-1", "castillejos", "running")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", game["deadline"])
    shown = held("game/1", hand.fine("game", "show", "ceuta-1", "--json"))
    assert (shown["phase"], shown["deadline"]) == (game["phase"], game["deadline"])
    assert [(seat["seat"], seat["awaited"]) for seat in shown["seats"]] == [("spain", True), ("morocco", False)]
    assert {due["kind"] for due in shown["due"]} >= {"close"}


def test_no_games_and_no_wars_are_empty_lists(hand):
    assert held("games/1", hand.fine("game", "list", "--json"))["games"] == []
    assert held("wars/1", hand.fine("campaign", "list", "--json"))["wars"] == []


def test_a_war(hand):
    hand.fine("campaign", "new", "--id", "w60", "--war", "drill")
    (war,) = held("wars/1", hand.fine("campaign", "list", "--json"))["wars"]
    shown = held("war/1", hand.fine("campaign", "show", "w60", "--json"))
    assert (shown["name"], shown["played"]) == (war["name"], war["played"]) == ("w60", "w60-1")
    assert [game["game"] for game in shown["games"]] == ["w60-1"]


def test_letters_that_wait(hand, begun):
    letters = held("letters/1", hand.fine("mail", "queue", "--json"))["letters"]
    assert sorted(letter["kind"] for letter in letters) == ["invitation", "invitation", "report", "report"]
    assert all(letter["next_try"] for letter in letters)


def test_what_can_be_played_and_a_chart(hand, capsys):
    for words, schema, part in ((("scenarios",), "scenarios/1", "scenarios"), (("chart", "C6"), "chart/1", "lines")):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--json"])
        assert ended.value.code == 0
        assert len(held(schema, capsys.readouterr().out)[part]) > 3


def test_what_the_doctor_finds(hand):
    code, out, err = hand("doctor", "--json")
    document = held("doctor/1", out)
    wrong = sum(check["verdict"] == "WRONG" for check in document["checks"])
    assert (code, document["to_mend"]) == (1, wrong)
    assert f"things to mend: {wrong}" in err


def test_settings_that_cannot_be_read_are_an_object_too(hand):
    (hand.folder / "pbem.toml").write_text("[server\n", "utf-8")
    code, out, _ = hand("doctor", "--json")
    assert (code, held("doctor/1", out)["checks"][0]["area"]) == (2, "settings")


def test_a_verdict(tmp_path, capsys):
    for number, item in enumerate(first_phase(Server(public=False))):
        (tmp_path / f"{number}.txt").write_bytes(item.data)
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(tmp_path), "--json"])
    document = held("verdict/1", capsys.readouterr().out)
    assert (ended.value.code, document["status"]) == (2, "NOT CHECKED")
    assert [(phase["phase"], phase["grade"]) for phase in document["phases"]] == [("T1.spain~1", "C")]
    assert json.dumps(document["leaves"]).isdecimal()
