"""Orders: what is echoed is read back as the same orders, in English and in Spanish; words and names are told apart."""

import re
import string
from itertools import combinations
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.engine.orders.lex import fold
from pbem.engine.orders.names import distance
from pbem.engine.orders.standing import OPERATORS, If, Pass, Reaction, Rule, Scope, Stop
from pbem.engine.terms import Orders
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.orders import (
    BRANCH_KEYWORDS,
    COUNT_KEYWORDS,
    GRAMMAR,
    REACTIONS,
    SHARED_PHRASES,
    STANDING_EVENTS,
    VOCABULARY,
    Activate,
    Assault,
    Caracole,
    Fire,
    Move,
    Retire,
    canon,
    lexicon,
    parse,
)
from pbem.games.africa1860.scenario import read_edition, starting_position

DRILL = starting_position(read_edition("drill", {}))
LEADERS = ("Prim",)
UNITS = ("Bateria", "Cordoba", "Husares", "Vergara")
SPACES = tuple(sorted(DRILL.edition.map.spaces))
ENEMIES = ("Guardia", "Haus", "Kabila", "Muley", "Nizam")


quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def some(ids, least=1):
    return st.lists(st.sampled_from(ids), min_size=least, max_size=len(ids), unique=True).map(tuple)


def sets(ids, least=1):
    return some(ids, least).map(lambda chosen: tuple(sorted(chosen)))


units, spaces = st.sampled_from(UNITS), st.sampled_from(SPACES)
maybe_space, maybe_unit = st.sampled_from(("", *SPACES)), st.sampled_from(("", *UNITS))
groups = st.lists(sets(UNITS), min_size=1, max_size=3).map(tuple)
operators, numbers = st.sampled_from((*OPERATORS, "EXACTLY")), st.integers(0, 40)

tests = st.one_of(
    st.tuples(st.just("odds"), st.sampled_from(OPERATORS), st.integers(1, 9), st.integers(1, 9)),
    st.tuples(st.just("count"), st.sampled_from(("MY", "ENEMY")), st.sampled_from(COUNT_KEYWORDS), operators, numbers),
    st.tuples(st.just("from"), spaces),
    st.tuples(st.just("leader"), st.sampled_from((*ENEMIES, *LEADERS))),
    st.tuples(
        st.just("unit"), st.sampled_from((*UNITS, *LEADERS)), st.sampled_from(("HERE", "FRESH", "DEMORALISED", "SPENT"))
    ),
    st.tuples(st.just("space"), spaces, st.sampled_from(("MINE", "ENEMY", "EMPTY"))),
    st.tuples(st.sampled_from(("turn", "vp")), operators, numbers),
)
conditions = st.recursive(
    tests,
    lambda inner: st.one_of(st.tuples(st.just("not"), inner), st.tuples(st.sampled_from(("and", "or")), inner, inner)),
    max_leaves=6,
)

moves = st.builds(
    lambda units, leaders, to, via: Move(0, units, leaders, to, via),
    sets(UNITS, 0),
    sets(LEADERS, 0),
    spaces,
    maybe_space,
).filter(lambda move: move.units or move.leaders)
fires = st.builds(lambda shots, target: Fire(0, shots, target), groups, spaces)
assaults = st.builds(
    Assault,
    line=st.just(0),
    verb=st.sampled_from(("ASSAULT", "CHARGE")),
    target=spaces,
    units=sets(UNITS + LEADERS),
    leader=st.sampled_from(("", *LEADERS)),
    vanguard=maybe_unit,
    screen=st.sampled_from(("", "NONE", *UNITS)),
    support=st.one_of(st.just(()), groups),
    detach=sets(UNITS, 0),
    losses=some(UNITS, 0),
    via=maybe_space,
    joint=st.just(""),
    jointly=st.just(()),
)
caracoles = st.builds(lambda units, target, back: Caracole(0, units, target, back), some(UNITS), spaces, maybe_space)
retires = st.builds(lambda units, to: Retire(0, units, to), sets(UNITS), maybe_space)
stops = st.builds(lambda condition: Stop(0, condition), conditions)
acts = st.one_of(moves, fires, assaults, caracoles, retires, stops, st.just(Pass(0)))
branches = st.builds(
    lambda condition, then, other: If(0, condition, tuple(then), tuple(other)),
    conditions,
    st.lists(acts, min_size=1, max_size=2),
    st.lists(acts, max_size=2),
)
activations = st.builds(
    lambda space, items: Activate(0, space, tuple(items)),
    spaces,
    st.lists(st.one_of(acts, branches), min_size=1, max_size=4),
)
choices = st.builds(
    lambda condition, then, other: If(0, condition, tuple(then), tuple(other)),
    conditions,
    st.lists(activations, min_size=1, max_size=2),
    st.lists(activations, max_size=1),
)

prefs = st.lists(
    st.one_of(
        units,
        st.builds(
            lambda kind, rank: f"{kind}.{rank}",
            st.sampled_from(BRANCH_KEYWORDS),
            st.sampled_from(("STRONGEST", "WEAKEST", "FRESHEST", "STEPS>=1", "STEPS>=12")),
        ),
    ),
    min_size=1,
    max_size=3,
).map(tuple)
SHAPES = {
    "VANGUARD": prefs,
    "SCREEN": st.one_of(prefs, st.just(("NONE",)), prefs.map(lambda words: (*words, "NONE"))),
    "CAVALRY": st.sampled_from((("STAY",), ("COUNTERCHARGE",), ("CARACOLE",))),
    "ARTILLERY": st.sampled_from((("FIRE",), ("KEEP",))),
    "COUNTERBATTERY": st.one_of(st.sampled_from((("YES",), ("NO",))), prefs),
    "APPROACH": st.sampled_from((("IGNORE",), ("CHARGE",), ("CARACOLE",))),
    "DETACH": st.one_of(prefs, st.just(("NONE",))),
    "LOSSES": prefs,
    "FALLBACK": some(SPACES),
}
reactions = st.lists(
    st.one_of(
        *(st.builds(Reaction, st.just(keyword), words, st.just("")) for keyword, words in SHAPES.items()),
        st.builds(Reaction, st.just("CAVALRY"), st.just(("CARACOLE",)), spaces | st.just("SHELTER")),
    ),
    min_size=1,
    max_size=3,
).map(tuple)
rules = st.builds(
    Rule,
    scope=st.one_of(
        st.just(Scope()),
        spaces.map(lambda space: Scope("SPACE", space)),
        st.sampled_from(LEADERS).map(lambda leader: Scope("LEADER", leader)),
        units.map(lambda unit: Scope("UNIT", unit)),
    ),
    number=st.just(0),
    event=st.sampled_from(STANDING_EVENTS),
    condition=st.one_of(st.just(()), conditions),
    reactions=reactions,
    otherwise=st.one_of(st.just(()), reactions),
    limit=st.sampled_from((0, 1, 3)),
)


def numbered(rules_written):
    """Rules as a letter leaves them: scopes together in their order, numbered in each."""
    ordered = sorted(rules_written, key=lambda rule: rule.scope)
    return tuple(
        rule._replace(number=1 + sum(other.scope == rule.scope for other in ordered[:place]))
        for place, rule in enumerate(ordered)
    )


order_sets = st.builds(
    lambda first, actions, standing: Orders((*first, *actions), numbered(standing)),
    st.lists(st.one_of(retires, stops, choices), max_size=2),
    st.lists(activations, max_size=2),
    st.lists(rules, max_size=4),
)


def unlined(value):
    """Orders without the numbers of their lines, which the text gives them."""
    if isinstance(value, tuple):
        made = [unlined(item) for item in value]
        if hasattr(value, "_fields"):
            names, again = value._fields, cast("type[Any]", type(value))
            return again(*(0 if name == "line" else item for name, item in zip(names, made, strict=True)))
        return tuple(made)
    return value


ENGLISH = {phrases[0]: VOCABULARY.word(keyword, "es") for keyword, phrases in VOCABULARY.table.items()} | {"AT": "A"}
_PHRASES = re.compile(
    r"(?<![\w])(" + "|".join(sorted(map(re.escape, ENGLISH), key=len, reverse=True)) + r")(?![\w])", re.ASCII
)


def spanish(text: str) -> str:
    """The same orders in Spanish, word by word; ids are words of no language."""
    return _PHRASES.sub(lambda match: ENGLISH[match[0]], text)


def read(text: str) -> Orders:
    reading = parse(text, DRILL, "spain")
    assert reading.rejected == ()
    assert reading.warned == ()
    return reading.orders


@quick
@given(order_sets, st.randoms(use_true_random=False))
def test_the_canonical_text_is_read_back_as_the_same_orders_however_it_is_written(orders, chance):
    """It stays the same text; its Spanish twin, and any case, accents and mixing of languages, are the same orders."""
    text = canon(orders)
    again = read(text)
    assert unlined(again) == unlined(orders)
    assert canon(again) == text
    assert text.isascii()
    assert all(line == line.rstrip() and "\t" not in line for line in text.split("\n"))
    assert unlined(read(spanish(text))) == unlined(orders)
    lines = [chance.choice((line, spanish(line))) for line in canon(orders).split("\n")]
    text = "\n".join("".join(chance.choice((c.lower(), c.upper())) for c in line) for line in lines)
    reading = parse(text.replace("o", "ó").replace("A", "Á"), DRILL, "spain")
    assert reading.rejected == ()
    assert unlined(reading.orders) == unlined(orders)


@given(st.text(alphabet=string.printable, max_size=200))
def test_whatever_is_written_reading_ends_in_orders_and_refusals(text):
    reading = parse(text, DRILL, "spain")
    again = parse(canon(reading.orders), DRILL, "spain")
    assert canon(again.orders) == canon(reading.orders)
    assert all(item.line >= 1 and item.rule for item in reading.rejected)


TWINS = [
    (
        "ACTIVATE A",
        "ACTIVAR A",
    ),
    (
        "MOVE Cordoba, Vergara WITH Prim TO B",
        "MOVER Cordoba, Vergara CON Prim A B",
    ),
    (
        "MOVE Prim TO C VIA B",
        "MOVER Prim A C POR B",
    ),
    (
        "FIRE Bateria AT B",
        "FUEGO Bateria A B",
    ),
    (
        "FIRE Bateria AT B",
        "DISPARAR Bateria EN B",
    ),
    (
        (
            "ASSAULT B WITH Cordoba, Vergara, Husares LED BY Prim VANGUARD Cordoba SCREEN Vergara SUPPORT "
            "Bateria DETACH Husares LOSSES Vergara, Cordoba"
        ),
        (
            "ASALTAR B CON Cordoba, Vergara, Husares AL MANDO DE Prim VANGUARDIA Cordoba CORTINA Vergara "
            "APOYO Bateria DESTACAR Husares BAJAS Vergara, Cordoba"
        ),
    ),
    (
        "ASSAULT B WITH Cordoba LED BY Prim SCREEN NONE SUPPORT NONE",
        "ASALTAR B CON Cordoba AL MANDO DE Prim CORTINA NADA APOYO NINGUNA",
    ),
    (
        "CHARGE Husares AT C VIA B",
        "CARGAR Husares A C POR B",
    ),
    (
        "CARACOLE Husares AT B BACK TO A",
        "CARACOLA Husares A B VUELTA A A",
    ),
    (
        "RETIRE Cordoba TO A",
        "REPLEGAR Cordoba A A",
    ),
    (
        "PASS",
        "PASAR",
    ),
    (
        "STOP IF MY STEPS LESS THAN 6",
        "PARAR SI MIS PASOS MENOS DE 6",
    ),
    (
        "IF SPACE C MINE\nPASS\nELSE\nPASS\nENDIF",
        "SI ESPACIO C MIO\nPASAR\nSINO\nPASAR\nFINSI",
    ),
    (
        "IF NOT (TURN 3 OR VP AT LEAST 2) AND ENEMY CAV MORE THAN 1\nPASS\nENDIF",
        "SI NO (TURNO 3 O PV AL MENOS 2) Y ENEMIGO CAB MAS DE 1\nPASAR\nFINSI",
    ),
]
STANDING_TWINS = [
    (
        "WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Cordoba / INF.STRONGEST",
        "CUANDO ASALTADO SI PROPORCION AL MENOS 2:1 ENTONCES VANGUARDIA Cordoba / INF.MASFUERTE",
    ),
    (
        "WHEN ASSAULTED THEN SCREEN LIGHT.WEAKEST / NONE",
        "CUANDO ASALTADO ENTONCES CORTINA LIGERA.MASDEBIL / NINGUNA",
    ),
    (
        "WHEN ASSAULTED THEN CAVALRY CARACOLE TO A",
        "CUANDO ASALTADO ENTONCES CABALLERIA CARACOLA A A",
    ),
    (
        "WHEN ASSAULTED THEN CAVALRY CARACOLE TO SHELTER",
        "CUANDO ASALTADO ENTONCES CABALLERIA CARACOLA A AMPARARSE",
    ),
    (
        "WHEN ASSAULTED THEN CAVALRY STAY ; ARTILLERY KEEP",
        "CUANDO ASALTADO ENTONCES CABALLERIA PERMANECER ; ARTILLERIA GUARDAR",
    ),
    (
        "WHEN ASSAULTED THEN CAVALRY COUNTERCHARGE ; ARTILLERY FIRE",
        "CUANDO ASALTADO ENTONCES CABALLERIA CONTRACARGA ; ARTILLERIA FUEGO",
    ),
    (
        "WHEN SHELLED THEN COUNTERBATTERY YES LIMIT 1",
        "CUANDO BOMBARDEADO ENTONCES CONTRABATERIA SI LIMITE 1",
    ),
    (
        "WHEN SHELLED THEN COUNTERBATTERY NO",
        "CUANDO BOMBARDEADO ENTONCES CONTRABATERIA NO",
    ),
    (
        "WHEN APPROACHED IF ENEMY INF 0 THEN APPROACH CHARGE ELSE APPROACH IGNORE",
        "CUANDO APROXIMADO SI ENEMIGO INF 0 ENTONCES APROXIMACION CARGAR SINO APROXIMACION IGNORAR",
    ),
    (
        "WHEN APPROACHED IF ENEMY LEADER Muley THEN APPROACH CARACOLE",
        "CUANDO APROXIMADO SI ENEMIGO LIDER Muley ENTONCES APROXIMACION CARACOLA",
    ),
    (
        "WHEN CHARGED THEN DETACH CAV.STEPS>=2",
        "CUANDO CARGADO ENTONCES DESTACAR CAB.PASOS>=2",
    ),
    (
        "WHEN CHARGED THEN DETACH NONE",
        "CUANDO CARGADO ENTONCES DESTACAR NADA",
    ),
    (
        "WHEN ASSAULTED IF ENEMY FROM B AND MY Cordoba HERE THEN LOSSES Cordoba",
        "CUANDO ASALTADO SI ENEMIGO DESDE B Y MI Cordoba AQUI ENTONCES BAJAS Cordoba",
    ),
    (
        "WHEN ASSAULTED IF MY Husares FRESH OR MY Husares SPENT THEN FALLBACK A / B",
        "CUANDO ASALTADO SI MI Husares FRESCA O MI Husares AGOTADA ENTONCES RETIRADA A / B",
    ),
    (
        "WHEN ASSAULTED IF MY Vergara DEMORALISED OR MY UNITS AT MOST 2 THEN VANGUARD ART.FRESHEST",
        ("CUANDO ASALTADO SI MI Vergara DESMORALIZADA O MIS UNIDADES COMO MUCHO 2 ENTONCES VANGUARDIA ART.MASFRESCA"),
    ),
    (
        "WHEN ASSAULTED IF SPACE B ENEMY OR SPACE C EMPTY THEN SCREEN NONE",
        "CUANDO ASALTADO SI ESPACIO B ENEMIGO O ESPACIO C VACIO ENTONCES CORTINA NADA",
    ),
]
SCOPES = [
    ("STANDING", "DOCTRINA"),
    ("STANDING FOR ALL", "DOCTRINA PARA TODO"),
    ("STANDING FOR ALL", "DOCTRINA PARA TODOS"),
    ("STANDING FOR ALL", "DOCTRINA PARA TODA"),
    ("STANDING FOR SPACE A", "DOCTRINA PARA ESPACIO A"),
    ("STANDING FOR LEADER Prim", "DOCTRINA PARA LIDER Prim"),
    ("STANDING FOR UNIT Husares", "DOCTRINA PARA UNIDAD Husares"),
]


@pytest.mark.parametrize(("english", "twin"), TWINS)
def test_an_order_and_its_spanish_twin(english, twin):
    head = "ACTIVATE A\n" if english.split()[0] not in ("ACTIVATE", "RETIRE") else ""
    assert read(f"{head}{english}\nEND\n") == read(f"{head}{twin}\nFIN\n")
    assert read(f"{head}{english}\n").actions != ()


@pytest.mark.parametrize(("english", "twin"), STANDING_TWINS)
def test_a_standing_order_and_its_spanish_twin(english, twin):
    made = read(f"STANDING FOR ALL\n1. {english}\nENDSTANDING\n")
    assert made == read(f"DOCTRINA PARA TODO\n1. {twin}\nFINDOCTRINA\n")
    assert len(made.standing) == 1


@pytest.mark.parametrize(("english", "twin"), SCOPES)
def test_a_scope_and_its_spanish_twin(english, twin):
    rule = "WHEN SHELLED THEN COUNTERBATTERY NO"
    assert read(f"{english}\n{rule}\nENDSTANDING\n") == read(f"{twin}\n{rule}\nFINDOCTRINA\n")


@pytest.mark.parametrize(
    "header", ["STANDING UNIT Cordoba", "STANDING UNIT Cordob", "STANDING UNIT Nadie", "STANDING FOR"]
)
def test_a_scope_read_before_is_read_and_corrected_the_same(header):
    rule = "WHEN SHELLED THEN COUNTERBATTERY NO"
    text = f"STANDING SPACE {SPACES[0]}\n{rule}\n{header}\n{rule}\n{rule}\nENDSTANDING\n"
    first, again = (parse(text, DRILL, "spain") for _ in range(2))
    assert first == again
    assert again.orders.standing[0].scope == Scope("SPACE", SPACES[0])
    assert (again.warned == ()) == (header[-1] != "b")
    assert (again.rejected == ()) == ("Cordob" in header)


def test_the_vocabulary_says_every_word_of_the_grammar():
    spoken = {*GRAMMAR.verbs, *STANDING_EVENTS, *COUNT_KEYWORDS, *BRANCH_KEYWORDS, *OPERATORS, *REACTIONS}
    for shape in REACTIONS.values():
        spoken |= {part.partition(">")[0] for part in shape.partition("+")[0].split("|") if part not in ("", "spaces")}
    assert spoken <= set(VOCABULARY.table)


def test_every_word_is_said_in_both_languages():
    alike = {keyword for keyword, phrases in VOCABULARY.table.items() if len(phrases) < 2}
    assert alike == {"INF", "ART", "NO"}


def test_words_collide_only_where_it_is_declared():
    assert VOCABULARY.collisions() == SHARED_PHRASES


@pytest.mark.parametrize(
    "text",
    [
        "WHEN SHELLED IF ENEMY ART 1 THEN COUNTERBATTERY NO",
        "CUANDO BOMBARDEADO SI NO ENEMIGO ART 1 ENTONCES CONTRABATERIA SI",
    ],
)
def test_shared_words_are_read_by_their_place(text):
    (rule,) = read(f"STANDING\n{text}\nENDSTANDING\n").standing
    assert rule.reactions[0].words == (("NO",) if "WHEN" in text else ("YES",))
    assert rule.condition[0] == ("count" if "WHEN" in text else "not")


ALIKE = {
    "castillejos": [("Husares1", "Husares4", 1), ("Jebala", "Zabala", 2)],
    "drill": [],
}
"""Ids of four letters and more that two slips or fewer turn into one another; shorter ones are never corrected."""


def ids(name):
    state = starting_position(read_edition(name, {}))
    later = [row["unit"].split()[2] for row in state.edition.scenario["reinforcements"]]
    return state, sorted({*state.edition.map.spaces, *state.units, *later})


@pytest.mark.parametrize("name", sorted(ALIKE))
def test_the_ids_that_are_alike_are_known(name):
    close_names = [
        (a, b, distance(fold(a), fold(b)))
        for a, b in combinations([i for i in ids(name)[1] if len(i) >= 4], 2)
        if distance(fold(a), fold(b)) <= 2
    ]
    assert close_names == ALIKE[name]


@pytest.mark.parametrize("name", sorted(ALIKE))
def test_no_id_and_no_name_is_ambiguous(name):
    state, every = ids(name)
    for side in SIDES:
        words = lexicon(state, side)
        for ident in every:
            index = words.spaces if ident in state.edition.map.spaces else words.units
            assert (index.find(ident).how, index.find(ident).id) == ("exact", ident)
        for ident, full in state.edition.names.items():
            assert words.units.find(full).id == ident
        for space in state.edition.map.spaces.values():
            assert {words.spaces.find(name).id for name in (space.en, space.es)} == {space.id}


@pytest.mark.parametrize(("a", "b"), [(a, b) for pairs in ALIKE.values() for a, b, _ in pairs])
def test_a_slip_between_two_ids_is_never_guessed(a, b):
    state, _ = ids("castillejos")
    words = {side: lexicon(state, side) for side in SIDES}
    for made in {a[:place] + letter + a[place + 1 :] for place in range(len(a)) for letter in string.ascii_lowercase}:
        if 0 < distance(fold(made), fold(a)) <= 1 and 0 < distance(fold(made), fold(b)) <= 1:
            assert words["spain"].units.find(made).id is None
