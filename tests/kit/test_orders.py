"""Orders that are declared once: read by one parser, written in one way, on the little game of the rafts."""

from dataclasses import replace

import pytest

from pbem.engine.orders.grammar import form
from pbem.engine.orders.parser import Frame, Language, Parser
from pbem.engine.orders.standing import If, Pass, Scope, Stop, flat
from pbem.engine.terms import Orders, ParsedBlock
from tests.kit.orders_of_rafts import GRAMMAR, SLOTS, WORDS, Load, Tow, lexicon, parser


def read(text):
    return parser().read(text)


def refused(text):
    return [
        (rejected_line.line, rejected_line.column, rejected_line.word, rejected_line.rule)
        for rejected_line in read(text).rejected
    ]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("TOW Oak, Ash TO Weir SLOW", Tow(1, "TOW", ("Oak", "Ash"), "Weir", "SLOW")),
        ("TOW Oak+Ash TO Weir FAST VIA Ford", Tow(1, "TOW", ("Oak", "Ash"), "Weir", "FAST", "Ford")),
        ("SOLTAR Oak Y Ash A Weir LENTO", Tow(1, "DROP", ("Ash", "Oak"), "Weir", "SLOW")),
        ("LOAD Oak+Ash, Elm AT Ford", Load(1, (("Ash", "Oak"), ("Elm",)), "Ford")),
        ("LOAD Elm AT Ford FOR Oak WITH Elm, Ash", Load(1, (("Elm",),), "Ford", ("Ash", "Elm"), "Oak")),
        ("LOAD Elm AT Ford WITH NONE", Load(1, (("Elm",),), "Ford")),
        ("PASAR", Pass(1)),
        ("STOP IF TURN 3", Stop(1, ("turn", "EXACTLY", 3))),
    ],
)
def test_an_order_is_read_as_its_form_says(text, action):
    assert read(text) == ParsedBlock(Orders((action,)))


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Tow(1, "TOW", ("Oak", "Ash"), "Weir", "FAST", "Ford"), "TOW Oak, Ash TO Weir FAST VIA Ford"),
        (Tow(1, "DROP", ("Oak", "Ash"), "Weir", "SLOW"), "DROP Ash, Oak AT Weir SLOW"),
        (Load(1, (("Oak", "Ash"), ("Elm",)), "Ford"), "LOAD Ash+Oak, Elm AT Ford"),
        (Load(1, (("Elm",),), "Ford", ("Elm", "Ash"), "Oak"), "LOAD Elm AT Ford WITH Ash, Elm FOR Oak"),
        (Pass(4), "PASS"),
        (Stop(1, ("turn", "AT LEAST", 3)), "STOP IF TURN AT LEAST 3"),
    ],
)
def test_an_order_is_written_as_its_form_says_and_reads_as_it_was(action, text):
    assert GRAMMAR.line_of(action) == text
    (again,) = read(text).orders.actions
    assert GRAMMAR.line_of(again) == text


def test_the_verbs_stand_in_the_order_of_the_forms():
    assert GRAMMAR.verbs == ("TOW", "DROP", "LOAD", "PASS", "STOP IF", "IF", "ELSE", "ENDIF")


def test_a_game_whose_orders_hang_on_no_condition_has_no_if():
    plain = replace(GRAMMAR, branching=False)
    assert plain.verbs == ("TOW", "DROP", "LOAD", "PASS")
    reading = Parser(plain, Language(lexicon(), {}, {}), "", "red", Frame).read("IF TURN 2\nPASS\nENDIF")
    assert [rejected_line.word for rejected_line in reading.rejected] == ["IF", "ENDIF"]
    assert reading.orders.actions == (Pass(2),)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("ROW Oak", (1, 0, "ROW", "R1")),
        ("TOW Yew TO Weir SLOW", (1, 4, "Yew", "R3")),
        ("TOW Oak TO Sea SLOW", (1, 11, "Sea", "R2")),
        ("TOW Oak TO Weir", (1, 15, "", "R5")),
        ("DROP Oak AT Weir", (1, 16, "", "R1")),
        ("TOW Oak Weir", (1, 8, "Weir", "R5")),
        ("TOW Oak TO Weir SLOW FOR Ash", (1, 21, "FOR", "R5")),
        ("LOAD Oak AT Ford VIA Weir", (1, 17, "VIA", "R1")),
        ("ENDIF", (1, 0, "ENDIF", "R4")),
        ("IF TURN 3\nELSE\nELSE\nENDIF", (3, 0, "ELSE", "R4")),
        ("IF TURN 3", (1, 0, "IF", "R4")),
        ("STANDING FOR ALL\nWHEN MET THEN SINK\nENDSTANDING", (2, 14, "SINK", "R9")),
    ],
)
def test_what_is_wrong_is_refused_where_it_stands_and_by_its_rule(text, wrong):
    assert refused(text) == [wrong]


def test_a_unit_of_the_enemy_is_told_from_one_of_nobody():
    assert [
        rejected_line.why.text for rejected_line in read("TOW Yew TO Ford SLOW ; TOW Fir TO Ford SLOW").rejected
    ] == [
        "{unit} is not yours",
        "{word} is not a unit of this game",
    ]


def test_a_name_that_is_not_written_out_is_read_with_a_warning():
    reading = read("TOW Rowam TO Weir SLOW")
    assert reading.orders.actions == (Tow(1, "TOW", ("Rowan",), "Weir", "SLOW"),)
    assert [(warning.line, warning.rule, dict(warning.why.args)) for warning in reading.warned] == [
        (1, "R1", {"word": "Rowam", "name": "Rowan"})
    ]


BRANCHES = """IF TURN 2
  IF NOT TURN 3
    PASS
  ENDIF
ELSE
  TOW Ash TO Ford SLOW
ENDIF
TOW Elm TO Ford SLOW
"""


def test_branches_hold_what_stands_in_them_and_are_written_as_they_were():
    orders = read(BRANCHES).orders
    inner = If(2, ("not", ("turn", "EXACTLY", 3)), (Pass(3),))
    last = Tow(8, "TOW", ("Elm",), "Ford", "SLOW")
    ash = Tow(6, "TOW", ("Ash",), "Ford", "SLOW")
    assert orders.actions == (If(1, ("turn", "EXACTLY", 2), (inner,), (ash,)), last)
    assert GRAMMAR.canon(orders) == BRANCHES
    assert list(flat(orders.actions)) == [Pass(3), ash, last]


@pytest.mark.parametrize(
    "branch", ["IF MOON\nPASS\nELSE\nROW\nENDIF", "IF\nPASS\nELSE\nROW\nENDIF", "IF TURN 2 MOON\nROW\nENDIF"]
)
def test_an_if_whose_condition_cannot_be_read_is_refused_with_all_that_it_holds(branch):
    reading = read(f"TOW Elm TO Ford SLOW\nIF TURN 3\n{branch}\nENDIF")
    assert [(rejected_line.line, rejected_line.word) for rejected_line in reading.rejected][-1][1] == "ROW"
    assert reading.orders.actions == (Tow(1, "TOW", ("Elm",), "Ford", "SLOW"), If(2, ("turn", "EXACTLY", 3), ()))
    canonical = GRAMMAR.canon(reading.orders)
    assert read(canonical) == reading._replace(rejected=())


def test_mistakes_in_an_if_that_can_be_read_leave_the_rest_of_it():
    reading = read("IF TURN 2\nPASS\nELSE\nROW\nENDIF")
    assert reading.orders.actions == (If(1, ("turn", "EXACTLY", 2), (Pass(2),)),)
    assert GRAMMAR.canon(reading.orders) == "IF TURN 2\n  PASS\nENDIF\n"


def test_what_stands_under_an_order_follows_it():
    under = {"column": ["van", "rear"], "van": ["scouts"]}
    assert list(flat(["column", "park"], lambda order: under.get(order, ()))) == [
        "column",
        "van",
        "scouts",
        "rear",
        "park",
    ]


def test_an_end_ends_it_and_mistakes_end_it_too():
    assert read("PASS\nFIN\nROW").rejected == ()
    assert len(read("ROW\n" * 60).rejected) == 50


STANDING = "STANDING FOR UNIT Oak\n1. WHEN MET THEN WAVE\n7. WHEN MET IF TURN 2 THEN WAVE\nENDSTANDING\n"


def test_standing_orders_are_numbered_in_their_scope():
    rules = read(f"{STANDING}{STANDING}STANDING\nWHEN MET THEN WAVE\nENDSTANDING\n").orders.standing
    oak = Scope("UNIT", "Oak")
    assert [(rule.scope, rule.number) for rule in rules] == [(oak, 1), (oak, 2), (oak, 3), (oak, 4), (Scope(), 1)]


def test_standing_orders_that_were_read_before_come_out_the_same_and_slips_are_read_anew():
    language = Language(lexicon(), {}, {})
    text = STANDING.replace("Oak", "Rowam") + STANDING
    first, again = (parser(language).read(text) for _ in range(2))
    assert first == again
    assert len(first.warned) == 1
    assert [*language.scopes] == ["STANDING FOR UNIT Oak"]
    assert len(language.rules) == 4


@pytest.mark.parametrize(
    "text",
    [
        "HAUL {units:set}",
        "TOW {rope:set}",
        "TOW {units:set} TO",
        "TOW [{units:set}]",
        "TOW {units:set} HAUL {to:reach}",
    ],
)
def test_a_form_that_makes_no_sense_is_refused(text):
    with pytest.raises(ValueError, match=r"HAUL|rope|word"):
        form(text, Tow, SLOTS, WORDS)


def test_a_form_with_a_slot_that_is_not_there_is_refused():
    with pytest.raises(KeyError, match="rope"):
        form("TOW {units:rope}", Tow, SLOTS, WORDS)


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("PROPORCION COMO MUCHO 3:1", "ODDS AT MOST 3:1"),
        ("PV MENOS DE 4 O TURNO MAS DE 2", "VP LESS THAN 4 OR TURN MORE THAN 2"),
        ("MIS UNIDADES AL MENOS 2 Y NO ENEMIGO UNIDADES 1", "MY UNITS AT LEAST 2 AND NOT ENEMY UNITS 1"),
        ("ESPACIO Ford MIO O ESPACIO Ford VACIO", "SPACE Ford MINE OR SPACE Ford EMPTY"),
        ("ENEMIGO LIDER Yew Y ENEMIGO DESDE Weir", "ENEMY LEADER Yew AND ENEMY FROM Weir"),
        ("MI Oak AQUI", "MY Oak HERE"),
    ],
)
def test_conditions_have_their_words_from_the_kit(spanish, english):
    assert GRAMMAR.canon(read(f"PARAR SI {spanish}").orders) == f"STOP IF {english}\n"
    assert GRAMMAR.canon(read(f"STOP IF {english}").orders) == f"STOP IF {english}\n"


def test_standing_orders_have_their_words_from_the_kit():
    spanish = (
        "DOCTRINA PARA UNIDAD Oak\nCUANDO MET SI TURNO 2 ENTONCES SALUDAR LIMITE 2 SINO CONSULTAR EN 12\nFINDOCTRINA"
    )
    english = "STANDING FOR UNIT Oak\n1. WHEN MET IF TURN 2 THEN WAVE LIMIT 2 ELSE ASK WITHIN 12\nENDSTANDING\n"
    assert GRAMMAR.canon(read(spanish).orders) == english
