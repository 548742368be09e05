"""Standing orders and conditions: every form in both languages, and their canonical text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.engine.orders.canonical import canon_condition, canon_standing
from pbem.engine.orders.cursor import Reader, Wrong
from pbem.engine.orders.lex import Statement, tokens
from pbem.engine.orders.names import Names
from pbem.engine.orders.standing import (
    OPERATORS,
    Lexicon,
    Reaction,
    Rule,
    Scope,
    compare,
    read_condition,
    read_rule,
    read_scope,
)
from pbem.games.africa1860.orders import COUNT_KEYWORDS, GAME_KEYWORDS, STANDING_EVENTS, VOCABULARY

MINE = ("Saboya", "Cazadores", "Leon", "Husares", "Art1")
SPACES = ("Ceuta", "Serrallo", "Otero", "Valle")
LEXICON = Lexicon(
    GAME_KEYWORDS,
    units=Names({ident: () for ident in (*MINE, "Abbas", "Nizam")}),
    spaces=Names({ident: () for ident in SPACES}),
    mine=Names({"Leon": ("León",), **{ident: () for ident in MINE if ident != "Leon"}}),
)


def reader(line):
    return Reader(Statement(1, tokens(line)), VOCABULARY, "C10")


def condition(line):
    it = reader(line)
    condition = read_condition(it, LEXICON)
    it.finish()
    return condition


EVERYWHERE = Scope()


def rule(line, scope=EVERYWHERE, number=1):
    return read_rule(reader(line), LEXICON, scope, number)


def refused(line, read=rule):
    with pytest.raises(Wrong) as error:
        read(line)
    return error.value.rejected


# Conditions


@pytest.mark.parametrize(
    ("english", "spanish", "parsed"),
    [
        ("ODDS AT LEAST 2:1", "PROPORCIÓN AL MENOS 2:1", ("odds", "AT LEAST", 2, 1)),
        ("ODDS 3:2", "PROPORCION 3:2", ("odds", "AT LEAST", 3, 2)),
        ("ODDS LESS THAN 1:1", "PROPORCION MENOS DE 1:1", ("odds", "LESS THAN", 1, 1)),
        ("ENEMY INF 0", "ENEMIGO INF 0", ("count", "ENEMY", "INF", "EXACTLY", 0)),
        ("ENEMY CAV AT MOST 2", "ENEMIGO CAV COMO MUCHO 2", ("count", "ENEMY", "CAV", "AT MOST", 2)),
        ("ENEMY STEPS AT LEAST 6", "ENEMIGO PASOS AL MENOS 6", ("count", "ENEMY", "STEPS", "AT LEAST", 6)),
        ("MY STEPS LESS THAN 6", "MIS PASOS MENOS DE 6", ("count", "MY", "STEPS", "LESS THAN", 6)),
        ("MY UNITS MORE THAN 3", "MI UNIDADES MÁS DE 3", ("count", "MY", "UNITS", "MORE THAN", 3)),
        ("MY ART 1", "MIS ART 1", ("count", "MY", "ART", "EXACTLY", 1)),
        ("ENEMY FROM Otero", "ENEMIGO DESDE Otero", ("from", "Otero")),
        ("ENEMY LEADER Abbas", "ENEMIGO LÍDER Abbas", ("leader", "Abbas")),
        ("MY Leon HERE", "MI León AQUÍ", ("unit", "Leon", "HERE")),
        ("MY Leon FRESH", "MI Leon FRESCA", ("unit", "Leon", "FRESH")),
        ("MY Leon DEMORALISED", "MI Leon DESMORALIZADA", ("unit", "Leon", "DEMORALISED")),
        ("MY Leon SPENT", "MI Leon AGOTADA", ("unit", "Leon", "SPENT")),
        ("SPACE Valle MINE", "ESPACIO Valle MÍO", ("space", "Valle", "MINE")),
        ("SPACE Valle ENEMY", "ESPACIO Valle ENEMIGO", ("space", "Valle", "ENEMY")),
        ("SPACE Valle EMPTY", "ESPACIO Valle VACÍO", ("space", "Valle", "EMPTY")),
        ("TURN 3", "TURNO 3", ("turn", "EXACTLY", 3)),
        ("TURN AT LEAST 3", "TURNO AL MENOS 3", ("turn", "AT LEAST", 3)),
        ("VP LESS THAN 4", "PV MENOS DE 4", ("vp", "LESS THAN", 4)),
        ("NOT TURN 3", "NO TURNO 3", ("not", ("turn", "EXACTLY", 3))),
        ("TURN 3 AND VP 1", "TURNO 3 Y PV 1", ("and", ("turn", "EXACTLY", 3), ("vp", "EXACTLY", 1))),
        ("TURN 3 OR VP 1", "TURNO 3 O PV 1", ("or", ("turn", "EXACTLY", 3), ("vp", "EXACTLY", 1))),
    ],
)
def test_conditions_in_both_languages(english, spanish, parsed):
    assert condition(english) == condition(spanish) == condition(english.lower()) == parsed
    assert condition(canon_condition(parsed)) == parsed


T = [("turn", "EXACTLY", n) for n in range(5)]


@pytest.mark.parametrize(
    ("line", "parsed", "canonical"),
    [
        ("TURN 1 OR TURN 2 AND TURN 3", ("or", T[1], ("and", T[2], T[3])), "TURN 1 OR (TURN 2 AND TURN 3)"),
        ("TURN 1 AND TURN 2 OR TURN 3", ("or", ("and", T[1], T[2]), T[3]), "TURN 1 AND TURN 2 OR TURN 3"),
        ("(TURN 1 OR TURN 2) AND TURN 3", ("and", ("or", T[1], T[2]), T[3]), "(TURN 1 OR TURN 2) AND TURN 3"),
        ("TURN 1 OR TURN 2 OR TURN 3", ("or", ("or", T[1], T[2]), T[3]), "TURN 1 OR TURN 2 OR TURN 3"),
        ("TURN 1 OR (TURN 2 OR TURN 3)", ("or", T[1], ("or", T[2], T[3])), "TURN 1 OR (TURN 2 OR TURN 3)"),
        ("NOT (TURN 1 AND TURN 2)", ("not", ("and", T[1], T[2])), "NOT (TURN 1 AND TURN 2)"),
        ("NOT TURN 1 AND TURN 2", ("and", ("not", T[1]), T[2]), "NOT TURN 1 AND TURN 2"),
        ("NOT NOT TURN 1", ("not", ("not", T[1])), "NOT NOT TURN 1"),
        ("((TURN 1))", T[1], "TURN 1"),
    ],
)
def test_and_binds_closer_than_or(line, parsed, canonical):
    assert condition(line) == parsed
    assert canon_condition(parsed) == canonical


@pytest.mark.parametrize(
    ("line", "column", "why"),
    [
        ("", 0, "this is no condition"),
        ("Leon", 0, "this is no condition"),
        ("TURN", 4, "expected a number here"),
        ("TURN AND", 5, "expected a number here"),
        ("ODDS 2", 6, "odds are written 2:1"),
        ("ODDS 2:", 7, "expected a number here"),
        ("(TURN 1", 7, "a closing parenthesis is missing"),
        ("TURN 1)", 6, "remove what follows from here"),
        ("TURN 1 AND", 10, "this is no condition"),
        ("NOT", 3, "this is no condition"),
        ("ENEMY", 5, "after ENEMY comes what is counted, FROM or LEADER"),
        ("ENEMY Leon HERE", 6, "after ENEMY comes what is counted, FROM or LEADER"),
        ("ENEMY FROM Tetuan", 11, "{word} is not a place on this map"),
        ("ENEMY LEADER Prim", 13, "{word} is not a unit of this game"),
        ("MY Nizam HERE", 3, "{unit} is not yours"),
        ("MY Leon", 7, "expected {words} or {last} here"),
        ("SPACE Valle FULL", 12, "expected {words} or {last} here"),
    ],
)
def test_what_is_no_condition(line, column, why):
    rejected = refused(line, condition)
    assert (rejected.column, rejected.why.text, rejected.rule) == (column, why, "C10")


@pytest.mark.parametrize(
    ("op", "holds"),
    [
        ("AT LEAST", [False, True, True]),
        ("AT MOST", [True, True, False]),
        ("LESS THAN", [True, False, False]),
        ("MORE THAN", [False, False, True]),
        ("EXACTLY", [False, True, False]),
    ],
)
def test_operators(op, holds):
    assert [compare(op, value, 3) for value in (2, 3, 4)] == holds


# Scopes


@pytest.mark.parametrize(
    ("line", "scope"),
    [
        ("", Scope()),
        ("FOR ALL", Scope("ALL")),
        ("PARA TODO", Scope("ALL")),
        ("PARA TODOS", Scope("ALL")),
        ("FOR SPACE Serrallo", Scope("SPACE", "Serrallo")),
        ("PARA ESPACIO Serrallo", Scope("SPACE", "Serrallo")),
        ("SPACE Serrallo", Scope("SPACE", "Serrallo")),
        ("FOR LEADER Leon", Scope("LEADER", "Leon")),
        ("PARA LÍDER León", Scope("LEADER", "Leon")),
        ("FOR UNIT Husares", Scope("UNIT", "Husares")),
        ("PARA UNIDAD Husares", Scope("UNIT", "Husares")),
    ],
)
def test_scopes(line, scope):
    assert read_scope(reader(line), LEXICON) == scope


@pytest.mark.parametrize("line", ["FOR", "FOR Serrallo", "Serrallo", "FOR SPACE", "FOR SPACE Tetuan", "FOR ALL Leon"])
def test_what_is_no_scope(line):
    assert refused(line, lambda text: read_scope(reader(text), LEXICON)).rule == "C10"


def test_the_enemy_s_units_are_no_scope():
    rejected = refused("FOR UNIT Nizam", lambda text: read_scope(reader(text), LEXICON))
    assert (rejected.column, rejected.word) == (9, "Nizam")


# Rules

CARACOLE = Reaction("CAVALRY", ("CARACOLE",), "Ceuta")


@pytest.mark.parametrize(
    ("english", "spanish", "parsed"),
    [
        (
            "1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Saboya / INF.STRONGEST ; SCREEN Cazadores ;"
            " CAVALRY CARACOLE TO Ceuta",
            "1. CUANDO ASALTADO SI PROPORCION AL MENOS 2:1 ENTONCES VANGUARDIA Saboya / INF.MASFUERTE ;"
            " CORTINA Cazadores ; CABALLERÍA CARACOLA A Ceuta",
            Rule(
                Scope(),
                1,
                "ASSAULTED",
                ("odds", "AT LEAST", 2, 1),
                (Reaction("VANGUARD", ("Saboya", "INF.STRONGEST")), Reaction("SCREEN", ("Cazadores",)), CARACOLE),
            ),
        ),
        (
            "3. WHEN SHELLED THEN COUNTERBATTERY YES LIMIT 1",
            "3. CUANDO BOMBARDEADO ENTONCES CONTRABATERÍA SÍ LÍMITE 1",
            Rule(Scope(), 1, "SHELLED", (), (Reaction("COUNTERBATTERY", ("YES",)),), (), 1),
        ),
        (
            "4. WHEN APPROACHED IF ENEMY INF 0 THEN APPROACH CHARGE ELSE APPROACH IGNORE",
            "4. CUANDO APROXIMADO SI ENEMIGO INF 0 ENTONCES APROXIMACIÓN CARGAR SINO APROXIMACION IGNORAR",
            Rule(
                Scope(),
                1,
                "APPROACHED",
                ("count", "ENEMY", "INF", "EXACTLY", 0),
                (Reaction("APPROACH", ("CHARGE",)),),
                (Reaction("APPROACH", ("IGNORE",)),),
            ),
        ),
        (
            "WHEN CHARGED THEN APPROACH CARACOLE",
            "CUANDO CARGADO ENTONCES APROXIMACION CARACOLA",
            Rule(Scope(), 1, "CHARGED", (), (Reaction("APPROACH", ("CARACOLE",)),)),
        ),
    ],
)
def test_rules_in_both_languages(english, spanish, parsed):
    assert rule(english) == rule(spanish) == parsed


@pytest.mark.parametrize(
    ("english", "spanish", "reaction"),
    [
        ("VANGUARD Saboya", "VANGUARDIA Saboya", Reaction("VANGUARD", ("Saboya",))),
        ("VANGUARD Leon, Saboya", "VANGUARDIA León / Saboya", Reaction("VANGUARD", ("Leon", "Saboya"))),
        ("VANGUARD INF.WEAKEST", "VANGUARDIA INF.MASDEBIL", Reaction("VANGUARD", ("INF.WEAKEST",))),
        ("VANGUARD CAV.FRESHEST", "VANGUARDIA CAV.MASFRESCA", Reaction("VANGUARD", ("CAV.FRESHEST",))),
        ("SCREEN LIGHT.STRONGEST", "CORTINA LIGERA.MASFUERTE", Reaction("SCREEN", ("LIGHT.STRONGEST",))),
        ("SCREEN NONE", "CORTINA NINGUNA", Reaction("SCREEN", ("NONE",))),
        ("SCREEN NONE", "CORTINA NADA", Reaction("SCREEN", ("NONE",))),
        ("SCREEN Cazadores / NONE", "CORTINA Cazadores / NINGUNA", Reaction("SCREEN", ("Cazadores", "NONE"))),
        ("CAVALRY STAY", "CABALLERIA PERMANECER", Reaction("CAVALRY", ("STAY",))),
        ("CAVALRY COUNTERCHARGE", "CABALLERIA CONTRACARGA", Reaction("CAVALRY", ("COUNTERCHARGE",))),
        ("CAVALRY CARACOLE", "CABALLERIA CARACOLA", Reaction("CAVALRY", ("CARACOLE",))),
        (
            "CAVALRY CARACOLE TO SHELTER",
            "CABALLERIA CARACOLA A AMPARARSE",
            Reaction("CAVALRY", ("CARACOLE",), "SHELTER"),
        ),
        ("CAVALRY CARACOLE SHELTER", "CABALLERIA CARACOLA AMPARARSE", Reaction("CAVALRY", ("CARACOLE",), "SHELTER")),
        ("CAVALRY CARACOLE TO Ceuta", "CABALLERIA CARACOLA A Ceuta", CARACOLE),
        ("ARTILLERY FIRE", "ARTILLERIA FUEGO", Reaction("ARTILLERY", ("FIRE",))),
        ("ARTILLERY KEEP", "ARTILLERÍA GUARDAR", Reaction("ARTILLERY", ("KEEP",))),
        ("COUNTERBATTERY YES", "CONTRABATERIA SI", Reaction("COUNTERBATTERY", ("YES",))),
        ("COUNTERBATTERY NO", "CONTRABATERIA NO", Reaction("COUNTERBATTERY", ("NO",))),
        ("COUNTERBATTERY Art1", "CONTRABATERIA Art1", Reaction("COUNTERBATTERY", ("Art1",))),
        (
            "COUNTERBATTERY ART.STEPS>=2",
            "CONTRABATERIA ART.PASOS≥2",
            Reaction("COUNTERBATTERY", ("ART.STEPS>=2",)),
        ),
        ("APPROACH IGNORE", "APROXIMACION IGNORAR", Reaction("APPROACH", ("IGNORE",))),
        ("APPROACH CHARGE", "APROXIMACION CARGAR", Reaction("APPROACH", ("CHARGE",))),
        ("APPROACH CARACOLE", "APROXIMACION CARACOLA", Reaction("APPROACH", ("CARACOLE",))),
        ("DETACH Husares", "DESTACAR Husares", Reaction("DETACH", ("Husares",))),
        ("DETACH NONE", "DESTACAR NADA", Reaction("DETACH", ("NONE",))),
        ("DETACH CAV.STRONGEST", "DESTACAR CAB.MASFUERTE", Reaction("DETACH", ("CAV.STRONGEST",))),
        ("LOSSES Saboya, Leon", "BAJAS Saboya, León", Reaction("LOSSES", ("Saboya", "Leon"))),
        ("LOSSES INF.STEPS>=03", "BAJAS INF.PASOS>=3", Reaction("LOSSES", ("INF.STEPS>=3",))),
        ("FALLBACK Ceuta/Serrallo", "RETIRADA Ceuta / Serrallo", Reaction("FALLBACK", ("Ceuta", "Serrallo"))),
        ("FALLBACK Ceuta", "RETIRADA Ceuta", Reaction("FALLBACK", ("Ceuta",))),
    ],
)
def test_reactions_in_both_languages(english, spanish, reaction):
    for line in (f"WHEN ASSAULTED THEN {english}", f"CUANDO ASALTADO ENTONCES {spanish}"):
        rule_read = rule(line)
        assert rule_read.reactions == (reaction,)
        assert rule(canon_standing([rule_read])[1]) == rule_read


def test_a_number_before_a_rule_is_that_of_its_place():
    for line in ("7. WHEN SHELLED THEN ARTILLERY KEEP", "7 WHEN SHELLED THEN ARTILLERY KEEP"):
        assert rule(line, Scope("SPACE", "Ceuta"), 2)[:3] == (Scope("SPACE", "Ceuta"), 2, "SHELLED")


def test_a_semicolon_at_the_end_adds_nothing():
    assert rule("WHEN SHELLED THEN ARTILLERY KEEP ;") == rule("WHEN SHELLED THEN ARTILLERY KEEP")


@pytest.mark.parametrize(
    "line", ["WHEN ASSAULTED THEN ASK WITHIN 24", "WHEN ASSAULTED THEN ASK", "CUANDO ASALTADO ENTONCES CONSULTAR EN 24"]
)
def test_a_question_to_the_owner_has_its_hours(line):
    assert rule(line).reactions == (Reaction("ASK", ("24",)),)
    assert canon_standing([rule(line)])[1] == "1. WHEN ASSAULTED THEN ASK WITHIN 24"


def test_a_limit_is_written_where_it_may_stand():
    asks_last = rule("WHEN SHELLED THEN COUNTERBATTERY YES LIMIT 1 ; ASK")
    assert canon_standing([asks_last])[1] == "1. WHEN SHELLED THEN COUNTERBATTERY YES LIMIT 1 ; ASK WITHIN 24"
    asks_first = rule("WHEN SHELLED IF TURN 1 THEN ASK ELSE COUNTERBATTERY YES LIMIT 1")
    assert canon_standing([asks_first])[1] == (
        "1. WHEN SHELLED IF TURN 1 THEN ASK WITHIN 24 ELSE COUNTERBATTERY YES LIMIT 1"
    )


@pytest.mark.parametrize(
    ("line", "column", "why"),
    [
        ("ASSAULTED THEN SCREEN NONE", 0, "expected {word} here"),
        ("WHEN THEN SCREEN NONE", 5, "expected {words} or {last} here"),
        ("WHEN ASSAULTED", 14, "expected {word} here"),
        ("WHEN ASSAULTED IF THEN SCREEN NONE", 18, "this is no condition"),
        ("WHEN ASSAULTED THEN", 19, "expected {words} or {last} here"),
        ("WHEN ASSAULTED THEN Saboya", 20, "expected {words} or {last} here"),
        ("WHEN ASSAULTED THEN VANGUARD", 28, "expected a name here"),
        ("WHEN ASSAULTED THEN VANGUARD Nizam", 29, "{unit} is not yours"),
        ("WHEN ASSAULTED THEN VANGUARD INF.BRAVEST", 29, "{word} is not a unit of this game"),
        ("WHEN ASSAULTED THEN VANGUARD Saboya Leon", 36, "remove what follows from here"),
        ("WHEN ASSAULTED THEN CAVALRY Ceuta", 28, "expected {words} or {last} here"),
        ("WHEN ASSAULTED THEN CAVALRY CARACOLE TO Tetuan", 40, "{word} is not a place on this map"),
        ("WHEN ASSAULTED THEN FALLBACK Ceuta/", 35, "expected a name here"),
        ("WHEN SHELLED THEN COUNTERBATTERY YES LIMIT", 42, "expected a number here"),
        ("WHEN SHELLED THEN ARTILLERY KEEP ELSE", 37, "expected {words} or {last} here"),
        ("WHEN ASSAULTED THEN ASK WITHIN", 30, "expected a number here"),
        ("WHEN ASSAULTED THEN ASK WITHIN 0", 31, "an answer is given from 1 to {most} hours"),
        ("WHEN ASSAULTED THEN ASK WITHIN 169", 31, "an answer is given from 1 to {most} hours"),
        ("WHEN ASSAULTED THEN ASK 24", 24, "remove what follows from here"),
        (
            "CUANDO ASALTADO ENTONCES CONSULTAR LIMITE 2",
            35,
            "ASK takes no LIMIT: the game limits the questions of a turn",
        ),
    ],
)
def test_what_is_no_rule(line, column, why):
    rejected = refused(line)
    assert (rejected.column, rejected.why.text, rejected.rule) == (column, why, "C10")


# Canonical text


def test_a_block_a_scope_in_order_numbered_anew():
    rules = [
        rule("WHEN SHELLED THEN ARTILLERY KEEP", Scope("UNIT", "Art1"), 1),
        rule("4. WHEN ASSAULTED THEN SCREEN NONE ELSE CAVALRY STAY", Scope(), 4),
        rule("9. WHEN CHARGED THEN DETACH NONE LIMIT 2", Scope(), 9),
    ]
    assert canon_standing(rules) == [
        "STANDING FOR ALL",
        "1. WHEN ASSAULTED THEN SCREEN NONE ELSE CAVALRY STAY",
        "2. WHEN CHARGED THEN DETACH NONE LIMIT 2",
        "ENDSTANDING",
        "STANDING FOR UNIT Art1",
        "1. WHEN SHELLED THEN ARTILLERY KEEP",
        "ENDSTANDING",
    ]
    assert canon_standing([]) == []


def read_standing(lines):
    """Read blocks as a game's parser does: a scope, its rules, the end."""
    out, scope, number = [], Scope(), 0
    for line in lines:
        it = reader(line)
        if it.accept("ENDSTANDING"):
            continue
        if it.accept("STANDING"):
            scope, number = read_scope(it, LEXICON), 0
        else:
            number += 1
            out.append(read_rule(it, LEXICON, scope, number))
    return out


OPS = st.sampled_from([*OPERATORS, "EXACTLY"])
NUMBERS = st.integers(0, 99)
TESTS = st.one_of(
    st.tuples(st.just("odds"), st.sampled_from(OPERATORS), NUMBERS, NUMBERS),
    st.tuples(st.just("count"), st.sampled_from(["MY", "ENEMY"]), st.sampled_from(COUNT_KEYWORDS), OPS, NUMBERS),
    st.tuples(st.sampled_from(["turn", "vp"]), OPS, NUMBERS),
    st.tuples(st.just("from"), st.sampled_from(SPACES)),
    st.tuples(st.just("leader"), st.sampled_from(["Abbas", "Leon"])),
    st.tuples(st.just("unit"), st.sampled_from(MINE), st.sampled_from(["HERE", "FRESH", "DEMORALISED", "SPENT"])),
    st.tuples(st.just("space"), st.sampled_from(SPACES), st.sampled_from(["MINE", "ENEMY", "EMPTY"])),
)
CONDITIONS = st.recursive(
    TESTS,
    lambda inner: st.tuples(st.sampled_from(["and", "or"]), inner, inner) | st.tuples(st.just("not"), inner),
    max_leaves=6,
)
PREFS = st.lists(
    st.sampled_from([*MINE, "INF.STRONGEST", "LIGHT.WEAKEST", "CAV.FRESHEST", "ART.STEPS>=2", "NONE"]),
    min_size=1,
    max_size=3,
).map(tuple)
WHEREVER = st.lists(st.sampled_from(SPACES), min_size=1, max_size=3).map(tuple)


NOWHERE = st.just("")


def react(keyword, words, to=NOWHERE):
    return st.builds(Reaction, st.just(keyword), words, to)


ANSWERS = st.one_of(
    react("VANGUARD", PREFS),
    react("LOSSES", PREFS),
    react("COUNTERBATTERY", PREFS | st.sampled_from([("YES",), ("NO",)])),
    react("CAVALRY", st.sampled_from([("STAY",), ("COUNTERCHARGE",), ("CARACOLE",)])),
    react("CAVALRY", st.just(("CARACOLE",)), st.sampled_from([*SPACES, "SHELTER"])),
    react("ARTILLERY", st.sampled_from([("FIRE",), ("KEEP",)])),
    react("APPROACH", st.sampled_from([("IGNORE",), ("CHARGE",), ("CARACOLE",)])),
    react("FALLBACK", WHEREVER),
    react("ASK", st.integers(1, 168).map(lambda hours: (str(hours),))),
)


def _limited(rule_read):
    """A rule that does nothing but ask has no limit."""
    asks = all(reaction.keyword == "ASK" for reaction in (*rule_read.reactions, *rule_read.otherwise))
    return rule_read._replace(limit=0) if asks else rule_read


ONE_OR_MORE = st.lists(ANSWERS, min_size=1, max_size=3).map(tuple)
SCOPES = st.one_of(
    st.just(Scope()),
    st.builds(Scope, st.just("SPACE"), st.sampled_from(SPACES)),
    st.builds(Scope, st.sampled_from(["LEADER", "UNIT"]), st.sampled_from(MINE)),
)
RULES = st.builds(
    lambda *parts: _limited(Rule(*parts)),
    SCOPES,
    st.just(0),
    st.sampled_from(STANDING_EVENTS),
    st.just(()) | CONDITIONS,
    ONE_OR_MORE,
    st.just(()) | ONE_OR_MORE,
    st.integers(0, 9),
)


@given(CONDITIONS)
def test_the_canonical_text_of_a_condition_reads_as_the_condition(parsed):
    assert condition(canon_condition(parsed)) == parsed


@given(st.lists(RULES, max_size=5))
def test_the_canonical_text_of_standing_orders_reads_as_the_orders(rules):
    lines = canon_standing(rules)
    again = read_standing(lines)
    assert canon_standing(again) == lines
    bare = [rule_read._replace(number=0) for rule_read in again]
    assert bare == sorted(rules, key=lambda rule_read: rule_read.scope)
    assert all(line.isascii() and "  " not in line for line in lines)
