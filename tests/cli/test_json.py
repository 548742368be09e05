"""--json: what a command prints is an object of the schema that it names, and docs/json.md tells each of its fields."""

import json
import re
from pathlib import Path
from types import UnionType
from typing import get_args, get_origin, get_type_hints, is_typeddict

import pytest

from pbem.cli import json_output
from pbem.cli.main import main
from tests.audit.simulated import first_phase
from tests.audit.small_server import Server

DOCUMENT = (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")
OBJECTS = {
    "games/1": json_output.GamesJson,
    "game/1": json_output.GameJson,
    "wars/1": json_output.WarsJson,
    "war/1": json_output.WarJson,
    "tournaments/1": json_output.TournamentsJson,
    "tournament/1": json_output.TournamentJson,
    "standings/1": json_output.StandingsJson,
    "ratings/1": json_output.RatingsJson,
    "recounted/1": json_output.RecountedJson,
    "scenarios/1": json_output.ScenariosJson,
    "letters/1": json_output.LettersJson,
    "doctor/1": json_output.ServerChecks,
    "verdict/1": json_output.ChecksJson,
    "chart/1": json_output.ChartJson,
}
ROWS = {
    "games/1": json_output.GameRow,
    "game/1": (json_output.SeatJson, json_output.DueJson, json_output.VoidJson),
    "wars/1": json_output.WarRow,
    "war/1": json_output.WarGameRow,
    "tournaments/1": json_output.TournamentRow,
    "tournament/1": (
        json_output.EntrantRow,
        json_output.TeamRow,
        json_output.RoundRow,
        json_output.BoardRow,
        json_output.ChallengeRow,
    ),
    "standings/1": (json_output.RankRow, json_output.MemberRow),
    "ratings/1": json_output.RatingRow,
    "recounted/1": json_output.PeriodRow,
    "scenarios/1": json_output.ScenarioRow,
    "letters/1": json_output.LetterRow,
    "doctor/1": json_output.ServerCheck,
    "verdict/1": (json_output.CheckJson, json_output.PhaseJson),
}


def fits(value, kind):
    """Whether a value is of a kind: no field more, none less, none of another kind."""
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        return {*value} == {*hints} and all(fits(value[name], hint) for name, hint in hints.items())
    if get_origin(kind) is list:
        return isinstance(value, list) and all(fits(one, get_args(kind)[0]) for one in value)
    if get_origin(kind) is dict:
        return isinstance(value, dict) and all(fits(one, get_args(kind)[1]) for one in value.values())
    if isinstance(kind, UnionType):
        return any(fits(value, one) for one in get_args(kind))
    return type(value) is kind


def held(schema, text):
    """The object in a text, which is what its schema says."""
    found = json.loads(text)
    assert found["schema"] == schema
    assert fits(found, OBJECTS[schema]), found
    return found


def test_what_does_not_fit_is_seen():
    row = {"phase": "T1.spain", "ruling": "M1"}
    assert fits(row, json_output.VoidJson)
    assert not fits({**row, "more": 1}, json_output.VoidJson)
    assert not fits({**row, "ruling": None}, json_output.VoidJson)
    assert not fits({"schema": "games/1", "games": [row]}, json_output.GamesJson)
    assert fits({"wins": 3}, dict[str, int])
    assert not fits({"wins": "3"}, dict[str, int])


@pytest.mark.parametrize("schema", OBJECTS)
def test_the_document_tells_every_field_and_no_other(schema):
    chapter = re.split(r"^## ", DOCUMENT, flags=re.MULTILINE)
    (own,) = [text for text in chapter if text.startswith(f"`{schema}`")]
    rows = ROWS.get(schema, ())
    kinds = (OBJECTS[schema], *(rows if isinstance(rows, tuple) else (rows,)))
    fields = {name for kind in kinds for name in get_type_hints(kind)} - {"schema"}
    said = set(re.findall(r"`([a-z_]+)`", "\n".join(line for line in own.splitlines() if line.startswith("| `"))))
    values = {"null", "ok", "mind"}
    assert said - values == fields


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
    assert sorted(one["kind"] for one in letters) == ["invitation", "invitation", "report", "report"]
    assert all(one["next_try"] for one in letters)


def test_what_can_be_played_and_a_chart(hand, capsys):
    for words, schema, part in ((("scenarios",), "scenarios/1", "scenarios"), (("chart", "C6"), "chart/1", "lines")):
        with pytest.raises(SystemExit) as ended:
            main([*words, "--json"])
        assert ended.value.code == 0
        assert len(held(schema, capsys.readouterr().out)[part]) > 3


def test_what_the_doctor_finds(hand):
    code, out, err = hand("doctor", "--json")
    found = held("doctor/1", out)
    wrong = sum(one["verdict"] == "WRONG" for one in found["checks"])
    assert (code, found["to_mend"]) == (1, wrong)
    assert f"things to mend: {wrong}" in err


def test_settings_that_cannot_be_read_are_an_object_too(hand):
    (hand.folder / "pbem.toml").write_text("[server\n", "utf-8")
    code, out, _ = hand("doctor", "--json")
    assert (code, held("doctor/1", out)["checks"][0]["area"]) == (2, "settings")


def test_a_verdict(tmp_path, capsys):
    for number, one in enumerate(first_phase(Server(public=False))):
        (tmp_path / f"{number}.txt").write_bytes(one.data)
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(tmp_path), "--json"])
    found = held("verdict/1", capsys.readouterr().out)
    assert (ended.value.code, found["status"]) == (2, "NOT CHECKED")
    assert [(phase["phase"], phase["grade"]) for phase in found["phases"]] == [("T1.spain~1", "C")]
    assert json.dumps(found["leaves"]).isdecimal()
