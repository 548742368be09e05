"""What a report says of a half: why something happened, what each side lost, nobody forgotten, in whole sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pbem.engine.data.events import Event
from pbem.engine.data.messages import plain_english
from pbem.engine.data.report import Report
from pbem.engine.run.runners import Done, play, trace
from pbem.engine.terms import Explanation, Orders
from pbem.games.peninsular import GAME
from pbem.games.peninsular.sequence import RULES
from pbem.games.peninsular.shock import mixed_number
from pbem.games.peninsular.state import State
from pbem.letters.catalogue import load_catalogue
from tests.games.peninsular.test_turns import start


class Loaded:
    """Dice that fall as told by what they are for, else on a 3."""

    def __init__(self, falls: dict[str, int]) -> None:
        self.falls = falls

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        fixed = next((value for word, value in self.falls.items() if word in label), 3)
        return (fixed,) * n


def played(state: State, text: str, **falls: int) -> tuple[Report, State, list[tuple[Event, State]]]:
    """A half: its report to whoever moves, the position after it, the events each with what was before it."""
    reading = GAME.parse(text, state, state.phase)
    assert reading.rejected == ()
    given = {state.phase: reading.orders}
    dice = Loaded({name.replace("_", " "): value for name, value in falls.items()})
    done = play(GAME.rules, GAME.world(state, given), dice, GAME.decisions(state, given, {}))
    assert isinstance(done, Done)
    seen, now = [], state
    for happened in done.events:
        seen.append((happened, now))
        now = RULES.apply(now, happened)
    return GAME.telling.report(done.state, state.phase, seen), done.state, seen


def happening(report: Report, words: str, language: str = "en") -> str:
    """The one happening that has these words, in a language."""
    (entry_found,) = (entry for entry in report.entries if words in plain_english(entry.text))
    return load_catalogue(language, "peninsular").say(entry_found.text)


def details(report: Report, words: str) -> list[str]:
    (entry_found,) = (entry for entry in report.entries if words in plain_english(entry.text))
    return [plain_english(line) for line in entry_found.details]


def summary(report: Report) -> list[str]:
    return [plain_english(line) for line in report.summary]


def head(report: Report) -> str:
    return " ".join(plain_english(line) for block in report.head for _, line in block.lines)


def block(report: Report, title: str) -> list[str]:
    return [plain_english(line) for block in report.blocks if block.title.text == title for _, line in block.lines]


ATTACK = (
    "british inf A pf 4 will C facing N at 0505",
    "british art Guns pf 2 fire 4 facing N at 0505",
    "french inf F pf 4 will B facing S at 0504",
)


def test_guns_lost_with_their_stack_are_told_with_the_reason_and_their_points():
    report, after, _ = played(start(*ATTACK), "ASSAULT 0504 WITH A", shock=1, morale=6)
    assert "Guns" in after.gone
    assert "Guns is eliminated: unlimbered guns cannot retreat with their stack" in happening(report, "Shock")
    assert "los cañones desplegados no pueden retroceder" in happening(report, "Shock", "es")
    assert "the British 2 PF (out of play: Guns)" in summary(report)[0]
    assert "Losses: the British 2 PF (out of play: Guns)." in head(report)


def test_what_is_lost_is_the_same_number_wherever_it_stands():
    state = start(*ATTACK, "french inf G pf 6 will B facing S at 0404")
    report, after, _ = played(state, "ASSAULT 0504 WITH A", shock=1, morale=6)
    army = GAME.telling.stakes(after, "british", ()).armies[0]
    assert army.full - army.strength == sum(n for side, n in after.dead.items() if side == "british") == 2
    assert "Losses: the British 2 PF" in head(report)


def test_a_commander_alone_who_goes_back_to_his_own_is_told_apart_from_the_assault():
    state = start(ATTACK[0], ATTACK[2], "british cmd Chief at 0802 range 3", "french inf G pf 5 will B at 0801")
    report, _, _ = played(state, "ASSAULT 0504 WITH A", shock=3)
    assert happening(report, "alone") == "Chief, alone next to the enemy, goes to 0505."
    assert happening(report, "alone", "es").startswith("Chief, solo junto al enemigo, va a ")


def test_an_advance_into_a_hex_that_fire_has_emptied_is_told_apart_from_the_fight_before_it():
    shot = "french inf G pf 2 will F facing S at 0807", "british art Gun pf 2 fire 9 facing N at 0809"
    state = start(*ATTACK, "british inf B pf 6 will C facing NE at 0708", *shot)
    report, after, seen = played(state, "FIRE Gun AT 0807\nASSAULT 0504 WITH A\nASSAULT 0807 WITH B", fire=6, morale=6)
    assert "shock" in {happened.kind for happened, _ in seen}
    assert after.units["B"].at == "0807"
    assert happening(report, "empty now") == "B advances to 0807, which is empty now."
    assert happening(report, "empty now", "es") == "B avanza a 0807, que ha quedado vacío."


def test_fire_that_costs_something_is_in_the_summary_and_a_shock_says_it_is_of_the_shock():
    report, after, _ = played(start(ATTACK[0], ATTACK[2]), "ASSAULT 0504 WITH A", fire=6, shock=5)
    lost = 4 - after.units["A"].pf
    assert lost > 0
    assert summary(report)[0] == f"PF lost by fire: A {lost}."
    assert "Lost:" not in summary(report)[1], summary(report)


def test_friends_are_called_by_the_name_of_the_side_that_counts_their_points():
    spanish = (ATTACK[0].replace("british inf A pf 4", "spanish inf A pf 20"), ATTACK[2])
    report, _, _ = played(start(*spanish, "british inf B pf 4 will B at 0509"), "ASSAULT 0504 WITH A", shock=6)
    text = "\n".join([*summary(report), head(report)])
    assert "Assault by the British on 0504: won" in text
    assert "Spanish" not in text


def test_a_charge_that_fails_its_test_is_told_to_be_off():
    state = start("british cav Horse pf 4 will C facing N at 0505", "french inf F pf 4 will B facing S at 0504")
    report, after, _ = played(state, "CHARGE Horse AT 0504", morale_Horse=1)
    assert after.units["Horse"].state != "normal"
    assert "Horse did not charge: it failed its test." in summary(report)
    assert "Horse does not charge" in happening(report, "does not charge")


def test_what_comes_of_several_charges_stands_below_its_own():
    state = start(
        "british cav Near pf 4 will C facing N at 0505",
        "french inf F pf 4 will B facing S at 0504",
        "british cav Far pf 4 will C facing N at 1105",
        "french inf G pf 4 will B facing S at 1104",
    )
    report, after, _ = played(state, "CHARGE Far AT 1104; CHARGE Near AT 0504", morale_Near=1, morale_Far=1)
    assert {after.units[ident].state for ident in ("Near", "Far")}.isdisjoint({"normal"})
    for ident, hex_id in (("Near", "0504"), ("Far", "1104")):
        assert f"{ident} does not charge" in happening(report, f"charge {hex_id}")


def test_fire_that_waits_for_its_die_tells_no_effect():
    state = start("british art Guns pf 2 fire 4 facing N at 0505", ATTACK[2])
    report, _, seen = played(state, "FIRE Guns AT 0504", fire=1)
    assert happening(report, "fires").endswith("No effect.")
    first = [pair for pair in seen if pair[0].kind != "volley"]
    assert "No effect" not in happening(GAME.telling.report(state, state.phase, first), "fires")


def test_counters_that_only_moved_are_listed_where_they_are():
    state = start(*ATTACK[:1], ATTACK[2], "british inf B pf 4 will C facing N at 0509").change(turn=2)
    report, _, _ = played(state, "MOVE B TO 0508; ASSAULT 0504 WITH A", shock=3)
    lines = block(report, "{forces}, what has changed (MAP lists all)")
    assert lines == ["Moved or turned (front): 0506 (N) A"], "it was driven back; its own orders sent the other one"


def test_marches_are_told_by_the_forces_alone_and_those_with_more_to_tell_by_themselves_too():
    state = start(ATTACK[0], ATTACK[2], "british inf B pf 4 will C facing N at 0509").change(turn=2)
    report, _, _ = played(state, "MOVE B TO 0508\nFACE A NE")
    assert [plain_english(entry.text) for entry in report.entries if entry.elsewhere] == [
        "B: 0509 to 0508, facing N.",
        "A turns to NE.",
    ]
    assert block(report, "{forces}, what has changed (MAP lists all)") == []
    report, _, _ = played(state, "MOVE B TO 0508; FORM B SQUARE")
    assert not [entry for entry in report.entries if entry.elsewhere]


def test_an_assault_that_fire_called_off_is_in_the_summary_and_one_to_come_is_not():
    state = start("british inf A pf 4 will D facing N at 0505", "french inf F pf 9 will A facing S at 0504")
    report, after, _ = played(state, "ASSAULT 0504 WITH A", fire=3)
    assert after.units["A"].at != "0505", "the fire drove it back"
    assert "No assault took place at 0504." in summary(report)
    report, _, seen = played(start(ATTACK[0], ATTACK[2]), "ASSAULT 0504 WITH A", shock=6)
    assert not [line for line in summary(report) if "No assault" in line]
    early = [(event, before) for event, before in seen if event.kind == "assault"]
    waiting = RULES.apply(early[-1][1], early[-1][0])
    assert not [line for line in summary(GAME.telling.report(waiting, "british", early)) if "No assault" in line]


def test_assaults_that_ended_alike_share_a_line_of_the_summary():
    pair = ("british inf C pf 5 will B facing N at 0905", "french inf G pf 2 will D facing S at 0904")
    other = ("british inf A pf 5 will B facing N at 0505", "french inf F pf 2 will D facing S at 0504")
    report, _, _ = played(start(*pair, *other), "ASSAULT 0504 WITH A\nASSAULT 0904 WITH C", shock=6)
    fights = [line for line in summary(report) if "Assault by" in line]
    assert fights == ["Assault by the British on 0504, 0904: won."]


def test_those_who_pass_a_test_after_a_shock_are_told_below_it():
    report, _, seen = played(start(*ATTACK[:1], ATTACK[2]), "ASSAULT 0504 WITH A", shock=1, morale=6)
    (shock,) = [entry for entry in report.entries if plain_english(entry.text).startswith("Shock")]
    test = "A tests its will: die 6, with modifiers 6, column C: no effect [T2]"
    assert test not in map(plain_english, shock.details), "without an effect it is left to WHY"
    (shock,) = [entry for entry, _ in GAME.telling.grouped(seen) if plain_english(entry.text).startswith("Shock")]
    assert test in map(plain_english, shock.details)


def test_what_befalls_several_alike_is_told_once():
    state = start(*ATTACK[:1], "british inf B pf 4 will C facing N at 0505", ATTACK[2])
    report, _, _ = played(state, "ASSAULT 0504 WITH A, B", shock=1, morale=6)
    assert "A, B retreat to 0506" in happening(report, "Shock")


def test_a_rout_that_ends_in_elimination_is_told_whole():
    state = start(
        "british inf A pf 5 will D facing N at 0610",
        "british cmd Bold morale 0 range 2 at 0610",
        "french inf F pf 6 will B facing S at 0606",
    )
    state = state.with_units({"A": state.units["A"].but(state="D")})
    report, after, _ = played(state, "PASS", morale=1, rally=1)
    assert {"A", "Bold"} <= after.gone.keys()
    assert "A was routed and eliminated." in summary(report)
    assert "Bold was captured." in summary(report)
    assert (
        "A is routed, is eliminated: no way to retreat (each hex behind is full, closed or in an enemy zone), Bold is "
        "captured" in happening(report, "tries to rally")
    )


def test_strengths_that_are_divided_doubled_or_halved_are_explained():
    state = start(
        "british inf A pf 5 will C facing N at 0505",
        "british inf B pf 3 will C facing S at 0503",
        "french inf F pf 8 will B facing S at 0504",
        "french inf G pf 4 will B facing S at 0504",
        terrain=["0504 light wood"],
    )
    state = state.with_units({"G": state.units["G"].but(state="D")})
    report, _, seen = played(state, "ASSAULT 0504 WITH A, B")
    shock = next(event.data for event, _ in seen if event.kind == "shock")
    lines_told = details(report, "Shock")
    assert lines_told[0].startswith("attack: 3 PF from 0503 (the rear), ")
    assert lines_told[1] == "defence: F 8 PF; G 4 PF, disordered, counts half"
    assert shock["strengths"][1] == "10"


@pytest.mark.parametrize(("written", "text"), [("25/2", "12 1/2"), ("8", "8"), ("1/2", "1/2"), ("14/3", "4 2/3")])
def test_a_fraction_stands_behind_the_whole(written, text):
    assert mixed_number(written) == text


def test_a_modifier_that_turns_against_the_attacker_says_so():
    report, _, _ = played(start(*ATTACK[:1], ATTACK[2]), "ASSAULT 0504 WITH A")
    text = " ".join(details(report, "Shock"))
    assert "-1 each grade of will by which the defender's leading unit is better [T6.2]" in text
    assert "better, taken off" not in text


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            (
                "A: 0508 to 0507, facing NE.",
                "Light: 0708 to 0706.",
                "B, C: 1008 to 1006, facing N, B in square, C in square.",
            ),
        ),
        (
            "es",
            (
                "A: de 0508 a 0507, mirando al NE.",
                "Light: de 0708 a 0706.",
                "B, C: de 1008 a 1006, mirando al N, B en cuadro, C en cuadro.",
            ),
        ),
    ],
)
def test_a_march_has_a_happening_a_stack_and_why_tells_its_way(language, sentences):
    state = start(
        "british inf A pf 4 will C facing N at 0508",
        "british inf Light pf 2 will B formation skirmish facing N at 0708",
        "british inf B pf 2 will B facing N at 1008",
        "british inf C pf 2 will B facing N at 1008",
        "british inf D pf 2 will B facing N at 1108",
        "french inf F pf 4 will B facing S at 1201",
    )
    orders = "MOVE A TO 0507 FACE NE\nMOVE Light TO 0706\nMOVE B, C TO 1006 FORM SQUARE\nFACE D NE"
    _, _, seen = played(state, orders)
    say = load_catalogue(language, "peninsular").say
    entries = [entry for entry, _ in GAME.telling.grouped(seen)][:4]
    assert [say(entry.text) for entry in entries[:3]] == [*sentences]
    assert entries[3].text.text == "{units} {units:|turns|turn} to {facing}."
    for number, way in ((1, "0508 0507"), (2, "0708 0707 0706"), (3, "1008 1007 1006"), (4, "")):
        because = GAME.telling.why(state, "british", seen, number, Orders())
        assert because is not None
        ways = [say(line).partition(": ")[2] for line in because.entry.details]
        assert [way for way in ways if way] == [only_way for only_way in [way] if only_way]


def test_sentences_begin_with_a_capital_and_agree_with_how_many_they_tell_of():
    report, _, _ = played(start(*ATTACK[:1], ATTACK[2]), "ASSAULT 0504 WITH A", shock=1, morale=6)
    told_lines = happening(report, "Shock")
    assert "A retreats to 0507" in told_lines
    refused, _, _ = played(start(*ATTACK), "FIRE A AT 0504\nASSAULT 0504 WITH A", shock=1, morale=6)
    lines: Sequence[str] = [plain_english(entry.text) for entry in refused.entries]
    assert not any(". there is" in line or ". halted" in line for line in lines)


def because(state: State, text: str, words: str, **falls: int) -> Explanation:
    """What WHY tells of the happening that has these words."""
    report, after, seen = played(state, text, **falls)
    number = next(n for n, entry in enumerate(report.entries, 1) if words in plain_english(entry.text))
    why_entry = GAME.telling.why(after, state.phase, seen, number, Orders())
    assert why_entry is not None
    return why_entry


def test_why_shows_what_a_modifier_came_to_and_why_guns_were_lost():
    why_lines = because(start(*ATTACK), "ASSAULT 0504 WITH A", "Shock", shock=1, morale=6)
    assert "T6.2 [-1]" in " ".join("\n".join(why_lines.charts).split())
    assert "unlimbered guns cannot retreat with their stack" in plain_english(why_lines.entry.text)


@pytest.mark.parametrize("text", ["FIRE A AT 0504", "ASSAULT 0504 WITH A"])
def test_what_was_ordered_is_traced_to_its_order(text):
    state = start(*ATTACK)
    given = {state.phase: GAME.parse(text, state, state.phase).orders}
    world, decisions = GAME.world(state, given), GAME.decisions(state, given, {})
    traced = trace(GAME.rules, world, Loaded({}), decisions, GAME.telling.order_line)
    kind = {"FIRE": "fires", "ASSAULT": "assault"}[text.split()[0]]
    assert {step.origin for step in traced if step.event.kind == kind and "A" in str(step.event.data)} == {text}


def test_why_can_tell_of_a_rally_under_an_order_to_reorganise():
    state = start(
        "british inf A pf 5 will C division Left facing N at 0508",
        "french inf F pf 6 will B facing S at 0502",
        divisions=["british Left morale 4 order REORGANISE"],
    )
    state = state.with_units({"A": state.units["A"].but(state="DE")})
    why_lines = because(state, "PASS", "tries to rally")
    assert "+1 order to reorganise [S2]" in " ".join(map(plain_english, why_lines.entry.details))
    assert why_lines.charts


def test_who_is_lost_in_a_shock_is_told_once_even_if_it_was_asked_who_leads_the_defence():
    two = ATTACK[2].replace("inf F", "inf G").replace("pf 4", "pf 2")
    report, after, _ = played(start(*ATTACK, two), "ASSAULT 0504 WITH A", shock=1, morale=6)
    assert "Guns" in after.gone
    assert sum("Guns" in line for line in summary(report)) == 1


def test_who_is_routed_and_lost_in_a_shock_is_told_once():
    _, after, seen = played(start(*ATTACK), "ASSAULT 0504 WITH A", shock=6)
    place = next(n for n, (happened, _) in enumerate(seen) if happened.kind == "shock")
    state = seen[place][1]
    routed = Event("routed", "S6", {"unit": "F", "side": "french"}, ())
    gone = Event("eliminated", "S12", {"units": ["F"], "side": "french", "at": "0504"}, ())
    report = GAME.telling.report(after, "british", [*seen[: place + 1], (routed, state), (gone, state)])
    assert sum("F" in line.split() or "F)" in line for line in map(plain_english, report.summary)) == 1
    alone = GAME.telling.report(after, "british", [*seen[:place], (routed, state)])
    assert "F was routed." in map(plain_english, alone.summary)


@pytest.mark.parametrize(
    ("kind", "who"), [("commander lost", {"unit": "Barnard"}), ("captured", {"units": ["Barnard"], "at": "0505"})]
)
def test_a_commander_who_fell_or_was_taken_is_among_the_losses_though_another_has_his_name(kind, who):
    state = start("british cmd Barnard morale 1 range 2 at 0505", "french inf A will B pf 4/4 at 0801 facing N")
    fell = Event(kind, "S13", {"side": "british", **who}, ())
    report = GAME.telling.report(state, "british", [(fell, state)])
    assert "Losses: the British 0 PF (out of play: Barnard)." in head(report)
