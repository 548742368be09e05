"""What a camp's letters say: ledger, offers, what came of each line; in both languages, and in fog only one's own."""

from functools import cache

import pytest

from pbem.engine.run.labels import in_words
from pbem.engine.run.runners import play
from pbem.engine.war.chain import CampData, open_war
from pbem.engine.war.ledger import READY, LegResult, after_leg, whole
from pbem.games.africa1860.war import WAR_PARTS
from pbem.games.camp import GAME
from pbem.games.camp.orders import parse
from pbem.games.camp.state import camp_edition, starting_position
from pbem.games.camp.steps import RULES, camp_world
from pbem.letters.catalogue import load_catalogue
from pbem.letters.content import Letter, LetterHead
from pbem.letters.text import TextLetters
from tests.letters.languages import english, key, spanish, words

SEATS = {"spain": "spain", "morocco": "morocco"}
LEFT = {"Prim": 0, "Cordoba": 1, "Saboya": 0, "Nizam": 1, "Jebala": 0, "Jinetes": 1, "Montana1": 0}
ORDERS = {
    "spain": "REFIT Cordoba 1\nREBUILD Cuenca\nHOSPITAL SegundoCuerpo\nBRING Reserva\nROAD Lagunas TO LlanoEste\nPASS",
    "morocco": "ENTRENCH Geleli\nREFIT Nizam 4\nENTRENCH CampoAhmed\nREFIT Jinetes 1",
}
DICE = {"fleet": 3, "harvest Jebala": 1, "cholera TercerCuerpo": 2}


class Given:
    """Dice by what they decide; a 6 where none is given."""

    def roll(self, label, n, sides):
        return (DICE.get(label.removeprefix("camp/"), 6),) * n


@cache
def camp(fog):
    """The first camp of the war, behind a battle that left this."""
    chain = open_war(WAR_PARTS, "war", {})
    before = whole(chain.ledger, (listed.id for listed in chain.legs[0].listed))
    steps = {listed.id: LEFT.get(listed.id, listed.now) for listed in before.values() if listed.standing == READY}
    after = after_leg(before, LegResult({ident: count for ident, count in steps.items() if count}))
    terms = {"seats": SEATS, "fog": fog, "taken": ["Montana1"]}
    return starting_position(camp_edition(CampData(chain.file, chain.legs, 1, before, after, terms)))


@cache
def letter(seat, language, fog=False, over=False):
    """The letter that opens the camp, or the one behind it."""
    state, seen = camp(fog), []
    if over:
        orders = {side: parse(text, GAME.view(state, side), side).orders for side, text in ORDERS.items()}
        done = play(RULES, camp_world(state, orders), Given(), GAME.decisions(state, orders, {}))
        for happened in done.events:
            if (shown := GAME.see(happened, seat, state)) is not None:
                seen.append((shown, GAME.view(state, seat)))
            state = RULES.apply(state, happened)
    view = GAME.view(state, seat)
    head = LetterHead("war-c1", GAME.name, GAME.title, seat, None, "pbem@example.org")
    camp_letter = Letter(
        "report", head, report=GAME.telling.report(view, seat, seen), template=GAME.aids.template(view, seat, language)
    )
    return TextLetters("##").letter(camp_letter.to_json(), language)


KINDS = [(seat, fog, over) for seat in SEATS for fog in (False, True) for over in (False, True)]


def ids():
    """What stands in orders: units, places and formations as ids and as languages call them."""
    chain = open_war(WAR_PARTS, "war", {})
    plain = {*chain.war.units, *chain.war.formations, *(space for leg in chain.legs for space in leg.spaces)}
    plain |= {called.names[name] for called in GAME.telling.called.values() for name in plain if name in called.names}
    return {key(word) for name in plain for word in words(name)}


@pytest.mark.parametrize(("seat", "fog", "over"), KINDS)
def test_a_spanish_letter_is_spanish_and_an_english_one_english(seat, fog, over):
    assert words(letter(seat, "es", fog, over)) & english() - ids() - {"war"} == set()
    assert words(letter(seat, "en", fog, over)) & spanish() - ids() == set()


def test_units_and_formations_are_called_as_the_language_has_them():
    spain = letter("spain", "es", over=True)
    for name in ("Córdoba IR 2/4 (+0)", "DivisiónRíos:", "La guerra de África, 1860: campamento 1"):
        assert name.removesuffix(" (+0)").split(" IR")[0] in spain
    assert "SecondCorps has a hospital." in letter("spain", "en", over=True)
    assert "SegundoCuerpo tiene hospital." in spain


@pytest.mark.parametrize("language", ["en", "es"])
def test_what_is_called_so_can_be_written_so(language):
    view = GAME.view(camp(False), "spain")
    for text in ("HOSPITAL SegundoCuerpo", "BRING BrigadaPrincipe", "REFIT Cordoba 1", "HOSPITAL Caballeria"):
        read = parse(GAME.telling.spoken(text, language), view, "spain")
        assert (GAME.canon(read.orders).strip(), read.rejected) == (text, ())


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("over", [False, True])
def test_in_fog_nothing_of_the_enemy_stands_in_a_letter(seat, over):
    state = camp(True)
    theirs = {unit.id for unit in state.edition.war.units.values() if unit.side != seat}
    theirs |= {formation.id for formation in state.edition.war.formations.values() if formation.side != seat}
    theirs |= {"CampoAhmed"} if seat == "spain" else {"LlanoEste"}
    for language in ("en", "es"):
        called = GAME.telling.called[language].names
        shown = letter(seat, language, True, over)
        assert [ident for ident in sorted(theirs) if called.get(ident, ident) in shown.replace("Muley Ahmed", "")] == []


def test_nobody_reads_the_other_s_refused_lines():
    assert "REFIT Nizam 4" in letter("morocco", "en", over=True)
    assert "REFIT Nizam 4" not in letter("spain", "en", over=True)


def test_each_line_tells_what_it_cost_and_what_was_left():
    camp_letter = letter("spain", "en", over=True)
    assert "The fleet comes: Spain has 8 points. [K3]" in camp_letter
    assert "Cordoba gets a step. [K4]\n    1 point, 7 left" in camp_letter
    assert "Reserve comes to the next battle. [K4]\n    4 points, 2 left" in camp_letter
    assert "Cholera strikes ThirdCorps: Zamora loses a step. [K5]" in camp_letter


def test_only_what_one_s_own_side_can_have_is_offered():
    spain, morocco = letter("spain", "en"), letter("morocco", "en")
    assert "ROAD space TO space: 2" in spain
    assert "ENTRENCH" not in spain
    assert "ENTRENCH space: 3; at most 2 of Geleli, CampoAhmed, CampoAbbas" in morocco
    assert "BRING UpperAnghera: 2; it comes on turn 5 at Geleli: AngheraTres 3" in morocco
    assert "SCOUT" not in spain + morocco


def test_the_form_is_of_lines_that_are_paid_by_the_points():
    lines = [line.removeprefix("# ") for line in letter("spain", "es").splitlines() if line.startswith("# ")]
    state = camp(False)
    read = parse("\n".join(lines), GAME.view(state, "spain"), "spain")
    assert lines[0] == "REPONER Saboya 1"
    assert GAME.check(GAME.view(state, "spain"), "spain", read.orders) == ()


@pytest.mark.parametrize(
    ("label", "english", "spanish"),
    [
        ("camp/fleet", "whether the fleet comes, in the camp", "si llega la escuadra, en el campamento"),
        (
            "camp/cholera Rif",
            "cholera in Rif, in the camp",
            "cólera en Rif, en el campamento",
        ),
        ("camp/harvest Caballeria", "harvest of Cavalry, in the camp", "cosecha de Caballería, en el campamento"),
        ("camp/scout spain", "scouts of Spain, in the camp", "exploradores de España, en el campamento"),
    ],
)
def test_dice_are_told_in_words(label, english, spanish):
    assert [load_catalogue(language, "camp").say(in_words(label)) for language in ("en", "es")] == [english, spanish]
