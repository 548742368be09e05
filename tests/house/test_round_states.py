"""The states of tournaments, rounds and tables: one file writes them, and its table has every act that it knows."""

import ast
import inspect
import re
from collections.abc import Iterator

import pytest

from pbem.store import tables
from pbem.tournaments import round_states
from tests.house.sources import Source, package

OWNER = "pbem/tournaments/round_states.py"
ROWS = {"TOURNAMENT": "Tournament", "ROUND": "Round", "TABLE": "Board"}
UNSET = {"Tournament": {"shut"}}
"""What a column allows, and nothing sets."""
OTHERS = ("silence", "dispute", "game", "phase", "segment", "queued", "war", "letter", "self")
"""What rows are called that have states of their own."""
MEMBERS = ("row", "team", "other")
"""What those are called who enter: no word of theirs is a table's, and some of theirs are computed."""

Act = tuple[str, str, frozenset[str], str]
"""A table's row class, the act, the states that it moves from and the one that it moves to."""


def table_acts(text: str) -> Iterator[Act]:
    """Read the acts from the table in a docstring."""
    row = ""
    for line in text.splitlines():
        parts = re.split(r"\s{2,}", line.strip())
        if parts[0] in ROWS:
            row = ROWS[parts[0]]
        elif row and line.startswith("    ") and len(parts) == 4:
            yield row, parts[0], frozenset(parts[1].split()), parts[2]


def code_acts(source: Source) -> Iterator[Act]:
    """Read the acts from the functions of the file that owns the states."""
    for function in source.functions:
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "_move":
                row, sources, target = call.args
                assert isinstance(row, ast.Name)
                kind = next(argument.annotation for argument in function.args.args if argument.arg == row.id)
                assert isinstance(kind, ast.Attribute)
                yield kind.attr, function.name, frozenset(_word(sources).split()), _word(target)


def _word(node: ast.AST) -> str:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, str), "states are written out where they are moved"
    return node.value


def states_of(row: str) -> frozenset[str]:
    """Return the words that the column of a row may hold."""
    table = getattr(tables, row).__table__
    checks = " ".join(str(getattr(constraint, "sqltext", "")) for constraint in table.constraints)
    listed = re.search(r"state IN \((.*?)\)", checks)
    assert listed is not None
    return frozenset(re.findall(r"'(\w+)'", listed[1]))


STATES = frozenset().union(*map(states_of, ROWS.values()))


def served() -> list[Source]:
    """Return the files that know of tournaments, the owner of their states apart."""
    return [
        source
        for name, source in package().items()
        if name != OWNER
        and "pbem/store/" not in name
        and ("tournaments" in source.text or name.startswith("pbem/tournaments/"))
    ]


def writes(source: Source) -> list[str]:
    """List the places of a file that write a state of a tournament, a round or a table."""
    writing = [(target, node.value) for node in source.nodes(ast.Assign) for target in node.targets]
    writing += [(node.target, node.value) for node in source.nodes(ast.AnnAssign) if node.value is not None]
    writing += [(node.target, node.value) for node in source.nodes(ast.AugAssign)]
    places: list[ast.expr] = [
        node
        for target, value in writing
        for node in ast.walk(target)
        if isinstance(node, ast.Attribute) and _is_state(node) and _may_be_ours(_called(node.value), value)
    ]
    for call in source.nodes(ast.Call):
        called = [_called(call.func), *(_called(argument) for argument in call.args)]
        row = next((call for call in called if call in OTHERS), called[0])
        words = [keyword.value for keyword in call.keywords if keyword.arg == "state"]
        if called[0] == "setattr" and len(call.args) == 3 and _text(call.args[1]) == "state":
            row, words = _called(call.args[0]), [call.args[2]]
        elif called[0] not in (*ROWS.values(), "update_row", "values"):
            continue
        places += [call for value in words if _may_be_ours(row, value)]
    return [f"{source.name}:{node.lineno}" for node in places]


def _is_state(node: ast.Attribute) -> bool:
    return node.attr == "state" and isinstance(node.ctx, ast.Store)


def _called(node: ast.AST) -> str:
    """Return what a row is called: ``board``, and of ``place.board`` that as well."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _text(node: ast.AST) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _may_be_ours(row: str, value: ast.AST) -> bool:
    tests = {id(node) for branch in ast.walk(value) if isinstance(branch, ast.IfExp) for node in ast.walk(branch.test)}
    words = {_text(node) for node in ast.walk(value) if id(node) not in tests} - {""}
    return row not in OTHERS and (not STATES.isdisjoint(words) if words else row not in MEMBERS)


def test_every_act_stands_in_the_table_and_the_table_has_no_other():
    source = package()[OWNER]
    code, table = list(code_acts(source)), list(table_acts(source.docstring))
    assert len(table) > 20
    assert sorted(code, key=str) == sorted(table, key=str)


def test_an_act_that_the_table_lacks_is_found():
    text = package()[OWNER].text
    planted = Source(OWNER, text.replace('_move(board, "due", "playing")', '_move(board, "due scored", "playing")'))
    assert planted.text != text
    assert set(code_acts(planted)) - set(table_acts(planted.docstring)) == {
        ("Board", "start_table", frozenset({"due", "scored"}), "playing")
    }


def test_the_table_knows_every_state_of_a_column_and_no_other():
    acts = list(table_acts(package()[OWNER].docstring))
    for row in ROWS.values():
        mine = [act for act in acts if act[0] == row]
        assert {*frozenset().union(*(act[2] for act in mine)), *(act[3] for act in mine)} == states_of(row) - UNSET.get(
            row, set()
        )
        first = {state for act in mine for state in act[2]} - {act[3] for act in mine}
        assert first == {getattr(tables, row).model_fields["state"].default}


def test_no_other_file_writes_such_a_state():
    sources = served()
    assert len(sources) > 50
    assert [place for source in sources for place in writes(source)] == []


@pytest.mark.parametrize(
    "line",
    [
        'board.state = "scored"',
        'place.board.state = "playing"',
        'event.state = "over"',
        'event.state, event.wake = "held", None',
        'round_.state, round_.closed = "closed", now',
        'one.state = "final" if one.second else "playing"',
        "board.state = state",
        'board.state: str = "final"',
        'tables.Board(round_id=1, board=1, first=2, state="final")',
        'tables.Round(number=2, state="void")',
        'setattr(board, "state", "final")',
        'hot_statements.update_row(session, board, state="final")',
        'update(Board).values(state="final")',
    ],
)
def test_a_planted_write_is_found(line):
    planted = Source("pbem/tournaments/planted.py", f"def plant(work):\n    {line}\n")
    assert writes(planted) == ["pbem/tournaments/planted.py:2"]


@pytest.mark.parametrize(
    "line",
    [
        'silence.state = "closed"',
        'case.dispute.state = "final"',
        'one.state = "declined"',
        "row.state = state",
        'game.state = "over"',
        "tables.Board(round_id=1, board=1, first=2)",
    ],
)
def test_rows_with_states_of_their_own_are_let_be(line):
    assert writes(Source("pbem/tournaments/planted.py", f"def plant(work):\n    {line}\n")) == []


def test_every_act_is_made_somewhere():
    acts = {act[1] for act in table_acts(package()[OWNER].docstring)}
    calls = {node.attr for source in served() for node in source.nodes(ast.Attribute)}
    assert acts - calls == set()


def test_an_act_from_another_state_is_refused_and_changes_nothing():
    for row, name, sources, _ in table_acts(package()[OWNER].docstring):
        act = getattr(round_states, name)
        for state in states_of(row) - sources:
            if name == "resume" and state == "held":
                continue
            made = getattr(tables, row)(state=state)
            before = made.model_dump()
            rest = [None] * (len(inspect.signature(act).parameters) - 1)
            with pytest.raises(ValueError, match=state):
                act(made, *rest)
            assert made.model_dump() == before
