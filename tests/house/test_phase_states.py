"""Check that the states of phases are written in one file, and that its table lists every act that writes one."""

import ast
import re
from collections.abc import Iterator

import pytest

from pbem.play import phase_states
from pbem.runtime.transaction import Transaction
from pbem.server import scheduler
from pbem.store import tables
from tests.house.sources import PBEM, SERVED, Source, below, package

OWNER = "pbem/play/phase_states.py"

STATES = {"phase": phase_states.PHASE, "segment": phase_states.SEGMENT, "game": phase_states.GAME}
KNOWN = {state for states in STATES.values() for state in states}
ROWS = ("Phase", "Segment", "Game")
WRITERS = ("hot_statements.", "changes.")
"""How functions begin that write rows without the session."""
WRITTEN = {f"tables.{kind}" for kind in STATES}
OF_OTHERS = {
    "pbem/server/outbox_sender.py: row": "a letter in the outbox",
    "pbem/wars/carry_over_seats.py: new": "a seat",
    "pbem/wars/carry_over_seats.py: old_seat": "a seat",
    "pbem/wars/next_battle.py: course.war": "a war",
}
"""Rows of other tables whose states have one of the same names, or are taken from elsewhere."""

Row = tuple[str, str, tuple[str, ...], str]


def rows_of(text: str) -> set[Row]:
    """Read a table of acts: act, row, states that it may come from, state."""
    known_states = f"(?:{'|'.join(sorted(KNOWN))})"
    line = re.compile(
        rf"^    (\w+) +(phase|segment|game) +(-|{known_states}(?:, {known_states})*) +({known_states}) ", re.MULTILINE
    )
    return {(act, row, tuple(re.findall(known_states, came)), to) for act, row, came, to in line.findall(text)}


def acts_of(source: Source) -> set[Row]:
    """Read from code which function makes or moves rows of which kind, from and to which states."""
    acts = set()
    for function in source.functions:
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            name = ast.unparse(call.func)
            if name == "_move":
                row, came_from, to = call.args
                states = ast.literal_eval(came_from), ast.literal_eval(to)
                acts.add((function.name, kind_of(source, function, row), *states))
                continue
            made = ast.unparse(call.args[0]) if name == "hot_statements.new_row" else name
            if made in [f"tables.{kind}" for kind in ROWS]:
                to = next(word.value for word in call.keywords if word.arg == "state")
                acts.add((function.name, made.removeprefix("tables.").lower(), (), ast.literal_eval(to)))
    return acts


def kind_of(source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef, row: ast.expr) -> str:
    """Tell of which table a row is: by the annotation of the parameter, else by that of what the function returns."""
    annotated = {arg.arg: arg.annotation for arg in function.args.args}
    annotation = annotated.get(ast.unparse(row)) or function.returns
    return re.sub(r".*tables\.(\w+).*", r"\1", ast.unparse(annotation) if annotation else "").lower()


def writes_of(source: Source) -> Iterator[str]:
    """List the places of a file that write, or may write, the state of a phase, a segment or a game."""
    for assigned in source.nodes(ast.Assign):
        for target in assigned.targets:
            values = assigned.value.elts if isinstance(assigned.value, ast.Tuple) else [assigned.value]
            targets = target.elts if isinstance(target, ast.Tuple) else [target]
            if len(targets) != len(values):
                values = [ast.Name("unknown")] * len(targets)
            for element, value in zip(targets, values, strict=True):
                if isinstance(element, ast.Attribute) and element.attr in ("state", "void_by", "held_why"):
                    yield from _written(source, ast.unparse(element.value), value, element.attr)
    for call in source.nodes(ast.Call):
        name = ast.unparse(call.func)
        if name in ("tables.Phase", "tables.Segment"):
            yield f"{source.name}: {name}"
        if name == "setattr":
            yield from _written(source, ast.unparse(call.args[0]), call.args[2], "state")
        if name.startswith(WRITERS) and any(ast.unparse(a).lower() in WRITTEN for a in call.args):
            yield f"{source.name}: {name}"
        for word in call.keywords:
            if word.arg == "state" and name.startswith(WRITERS):
                yield from _written(source, name, word.value, "state")


def _written(source: Source, row: str, value: ast.expr, column: str) -> Iterator[str]:
    """Say that a row is written, unless it is known to be one of another table."""
    place = f"{source.name}: {row}"
    own = row == "self" or (source.name.startswith("pbem/tournaments/") and row not in ("phase", "segment", "game"))
    other = isinstance(value, ast.Constant) and column == "state" and value.value not in KNOWN
    if not own and not other and place not in OF_OTHERS:
        yield place


def test_the_table_lists_every_act_and_no_other():
    assert rows_of(phase_states.__doc__) == acts_of(package()[OWNER])


def test_the_table_has_all_states_that_the_tables_know():
    for kind, states in STATES.items():
        acts = [act for act in rows_of(phase_states.__doc__) if act[1] == kind]
        assert {state for _, _, came, to in acts for state in (*came, to)} == {*states}
    declared = {
        tuple(ast.literal_eval(argument) for argument in call.args)
        for name in ("phases", "games")
        for call in package()[f"pbem/store/tables/{name}.py"].nodes(ast.Call)
        if ast.unparse(call.func) == "one_of"
    }
    assert {("state", *states) for states in STATES.values()} <= declared


def test_what_is_due_is_what_the_scheduler_runs():
    documented = phase_states.__doc__.partition("    due      it waits for")[2]
    assert {*re.findall(r"^    (\w+) ", documented, re.MULTILINE)} == {*scheduler._KINDS}


def test_no_other_file_writes_the_state_of_a_phase():
    others = [source for source in below(*SERVED, "cli", "pages") if source.name != OWNER]
    assert [place for source in others for place in writes_of(source)] == []


def test_what_is_let_be_is_still_there():
    places = {place.partition(": ")[0] for place in OF_OTHERS}
    assert all((PBEM.parent / place).is_file() for place in places)


PLANTS = {
    "a state": 'phase.state = "closed"',
    "two columns at once": 'row.state, row.void_by = "void", ruling',
    "a game": 'context.game.state = "running"',
    "a state that is computed": "row.state = found",
    "a row made": 'tables.Phase(game_id="g1", state="open")',
    "a statement": 'hot_statements.update_row(session, phase, state="resolved")',
    "a row added by a statement": "hot_statements.insert_numbered(session, tables.Segment, number=1)",
    "by its name": 'setattr(phase, "state", "void")',
}


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
@pytest.mark.parametrize("name", ["pbem/play/phases.py", "pbem/server/scheduler.py", "pbem/cli/game.py"])
def test_a_write_elsewhere_is_seen(name, plant):
    assert not [*writes_of(package()[name])]
    assert [*writes_of(Source(name, f"{package()[name].text}\n{plant}\n"))]


def test_a_phase_written_among_tournaments_is_seen():
    assert [*writes_of(Source("pbem/tournaments/closing.py", 'game.state = "over"\nround_.state = "over"'))] == [
        "pbem/tournaments/closing.py: game"
    ]


ACTS = {
    "another state to come from": ('("open",), "closed")', '("open", "void"), "closed")'),
    "another state": ('("forming",), "running"', '("forming",), "over"'),
    "an act that the table lacks": ("def await_letter(", "def await_order("),
    "a row made in another state": ('again_of or phase.id, state="closed"', 'again_of or phase.id, state="open"'),
}


@pytest.mark.parametrize("change", ACTS.values(), ids=ACTS)
def test_a_transition_that_the_table_lacks_is_seen(change):
    text = package()[OWNER].text
    old, new = change
    assert text.count(old) == 1
    assert acts_of(Source(OWNER, text.replace(old, new))) != rows_of(phase_states.__doc__)


def test_an_act_from_another_state_raises():
    with pytest.raises(LookupError, match="is void"):
        phase_states.break_off(Transaction.__new__(Transaction), tables.Phase.model_construct(id=1, state="void"))
