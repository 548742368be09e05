"""Rules changed by one in memory: does a case notice?

A mutant is a game that differs in one number of a chart, one modifier, or one ruling. All rule cases are run against it
until one fails: then it is caught. One that nobody catches is a rule that no case speaks of. Nothing on disk changes.

A rewrite names a function and a piece of its source with what stands there instead::

    Rewrite("R12", "fire.counterbattery", "-unit.steps", "unit.steps", "the answer aims at the weakest gun")
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import is_dataclass
from functools import partial
from types import CodeType, MappingProxyType, ModuleType
from typing import Any, NamedTuple

from pbem.engine.cases import run_case
from pbem.engine.data.canon import Json
from pbem.engine.game import AnyGame
from pbem.engine.map.charts import Chart

Case = tuple[str, Mapping[str, Json], Mapping[str, Json]]
"""A case: its title, the file it stands in, its own table."""


ENGINE = "engine"
"""The word that a rewrite begins with of what games share."""
_ANNOTATIONS = annotations.compiler_flag
"""Rewritten source is compiled as it was written, with annotations that are not looked at."""


class Stale(Exception):
    """A rewrite that no longer fits the source it was written for."""


class Rewrite(NamedTuple):
    """A ruling turned round: its number, the function (module.function, module.Class.method), source, and words."""

    rule: str
    where: str
    was: str
    now: str
    says: str


class Mutant(NamedTuple):
    """A changed game: what it is called, and the context in which it is so."""

    name: str
    changed: Callable[[], AbstractContextManager[None]]


class Workshop(NamedTuple):
    """What mutants of a game are made from.

    `package` is the game's; `charts` its charts by name, put in place by `with_charts`; `equal` names those mutants
    that change nothing by nature, each with the reason.
    """

    package: str
    game: AnyGame
    charts: Mapping[str, Chart]
    with_charts: Callable[[Mapping[str, Chart]], AbstractContextManager[None]]
    rewrites: Sequence[Rewrite]
    others: Sequence[Mutant]
    equal: Mapping[str, str]


class Found(NamedTuple):
    """What became of a mutant: the title of the case that caught it, or none."""

    mutant: str
    caught_by: str


def mutants(workshop: Workshop) -> Iterator[Mutant]:
    """Yield every mutant but those that change nothing; Stale, with the whole list, if some do not fit."""
    made = [*chart_mutants(workshop), *(_of(workshop, rewrite) for rewrite in workshop.rewrites), *workshop.others]
    wrong = list(stale(workshop.package, workshop.rewrites))
    names = Counter(mutant.name for mutant in made)
    wrong += [f"two mutants are called {name!r}" for name, count in names.items() if count > 1]
    wrong += [f"{name!r} is said to change nothing, and is no mutant" for name in workshop.equal if name not in names]
    if wrong:
        raise Stale("\n".join(wrong))
    yield from (mutant for mutant in made if mutant.name not in workshop.equal)


def chart_mutants(workshop: Workshop) -> Iterator[Mutant]:
    """Each number one more and one less, each code its neighbours in the legend, each modifier one more and less."""
    for file, chart in workshop.charts.items():
        for (row, column), code in chart.cells.items():
            for other in _neighbours(chart, code):
                cells = {**chart.cells, (row, column): other}
                name = f"{chart.rule} {row} {column}: {code} -> {other}"
                yield Mutant(name, _charts(workshop, file, chart._replace(cells=cells)))
        for modifier in chart.modifiers:
            for value in (modifier.value - 1, modifier.value + 1):
                changed = tuple(m._replace(value=value) if m is modifier else m for m in chart.modifiers)
                name = f"{modifier.rule}: {modifier.value:+d} -> {value:+d}"
                yield Mutant(name, _charts(workshop, file, chart._replace(modifiers=changed)))


def _charts(workshop: Workshop, file: str, chart: Chart) -> Callable[[], AbstractContextManager[None]]:
    return lambda: workshop.with_charts({**workshop.charts, file: chart})


def _neighbours(chart: Chart, code: str) -> list[str]:
    """A number's neighbours, none below zero; a word's in the order of the legend."""
    words = list(chart.legend)
    if all(word.isdigit() for word in words):
        return [str(n) for n in (int(code) - 1, int(code) + 1) if n >= 0]
    at = words.index(code)
    return [words[n] for n in (at - 1, at + 1) if 0 <= n < len(words)]


def _of(workshop: Workshop, rewrite: Rewrite) -> Mutant:
    return Mutant(_name(rewrite), lambda: rewritten(workshop.package, rewrite))


def _name(rewrite: Rewrite) -> str:
    return f"{rewrite.rule} {rewrite.where}: {rewrite.says}"


@contextmanager
def rewritten(package: str, rewrite: Rewrite) -> Iterator[None]:
    """Put the rewritten function wherever the package holds the old one; Stale if it does not fit."""
    old = _function(package, rewrite.where)
    made: dict[str, Any] = {}
    exec(_compiled(old, rewrite), old.__globals__, made)  # noqa: S102 - the game's own source, one piece exchanged
    with replaced(package, old, made[old.__name__]):
        yield


def stale(package: str, rewrites: Sequence[Rewrite]) -> Iterator[str]:
    """Yield what is wrong with each rewrite that no longer fits."""
    for rewrite in rewrites:
        try:
            _compiled(_function(package, rewrite.where), rewrite)
        except Stale as wrong:
            yield str(wrong)
        except (KeyError, AttributeError):
            yield f"{_name(rewrite)}: there is no such function"


def _function(package: str, where: str) -> Any:
    module, *path = where.split(".")
    # What games share: "engine.doctrine.Doctrine.answer".
    owner: Any = _module(f"pbem.{ENGINE}", path.pop(0)) if module == ENGINE else _module(package, module)
    for part in path[:-1]:
        owner = getattr(owner, part)
    return vars(owner)[path[-1]]


def _module(package: str, name: str) -> Any:
    """The one module of this name in any room of a package; KeyError if there is none, or more than one."""
    found = [
        module
        for full, module in sys.modules.items()
        if full.startswith(f"{package}.") and full.endswith(f".{name}") and not hasattr(module, "__path__")
        # What changes rules is none of them.
        if not full.startswith(f"{__package__}.")
    ]
    if len(found) != 1:
        raise KeyError(f"{package} has {len(found)} modules called {name}")
    return found[0]


def _compiled(function: Any, rewrite: Rewrite) -> CodeType:
    source = textwrap.dedent(inspect.getsource(function))
    if source.count(rewrite.was) != 1:
        raise Stale(f"{_name(rewrite)}: its source holds {rewrite.was!r} {source.count(rewrite.was)} times, not once")
    changed = source.replace(rewrite.was, rewrite.now)
    try:
        code: CodeType = compile(changed, f"<{rewrite.where}>", "exec", flags=_ANNOTATIONS)
    except SyntaxError as wrong:
        raise Stale(f"{_name(rewrite)}: {rewrite.now!r} makes no sense there: {wrong}") from None
    return code


@contextmanager
def replaced(package: str, old: object, new: object) -> Iterator[None]:
    """Put `new` in the place of `old` in all modules, classes and tables of the package and of what games share."""
    shared = tuple(f"{name}." for name in (package, f"pbem.{ENGINE}"))
    with ExitStack() as undo:
        for name, module in list(sys.modules.items()):
            if name == package or name.startswith(shared):
                for holder in (module, *_classes(module)):
                    _replace(holder, old, new, undo)
        yield


def _classes(module: Any) -> list[type]:
    return [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]


def _replace(holder: object, old: object, new: object, undo: ExitStack) -> None:
    for name, value in list(vars(holder).items()):
        if value is old:
            setattr(holder, name, new)
            undo.callback(setattr, holder, name, old)
        elif isinstance(value, dict) and name != "__builtins__":
            _replace_in(value, old, new, undo)
        elif isinstance(holder, ModuleType) and is_dataclass(value) and not isinstance(value, type):
            # A game and its parts, which are filled with functions.
            _replace_in(getattr(value, "__dict__", {}), old, new, undo)
            for part in filter(is_dataclass, list(getattr(value, "__dict__", {}).values())):
                _replace_in(getattr(part, "__dict__", {}), old, new, undo)
        elif isinstance(value, MappingProxyType) and isinstance(holder, ModuleType):
            table = {key: _exchanged(item, old, new) for key, item in value.items()}
            if any(table[key] is not item for key, item in value.items()):
                setattr(holder, name, MappingProxyType(table))
                undo.callback(setattr, holder, name, value)


def _replace_in(table: dict[str, object], old: object, new: object, undo: ExitStack) -> None:
    for key, item in list(table.items()):
        if (other := _exchanged(item, old, new)) is not item:
            table[key] = other
            undo.callback(table.__setitem__, key, item)


def _exchanged(item: Any, old: Any, new: Any) -> Any:
    """An entry of a table with the new function for the old, be it the entry itself or a part of a record."""
    if item is old:
        return new
    if isinstance(item, partial) and item.func is old:
        return partial(new, *item.args, **item.keywords)
    if not isinstance(item, tuple) or not any(part is old for part in item):
        return item
    parts = [new if part is old else part for part in item]
    return type(item)._make(parts) if hasattr(item, "_make") else tuple(parts)


@contextmanager
def swapped(holder: Any, name: str, value: Any) -> Iterator[None]:
    """Give an attribute, or an entry of a table, another value for a while."""
    table = isinstance(holder, dict)
    old = holder[name] if table else getattr(holder, name)
    put: Callable[[str, Any], None] = holder.__setitem__ if table else lambda key, item: setattr(holder, key, item)
    put(name, value)
    try:
        yield
    finally:
        put(name, old)


def hunt(workshop: Workshop, cases: Sequence[Case], only: Collection[str] | None = None) -> Iterator[Found]:
    """Run the cases against every mutant, or those in `only`, until one fails; ValueError if one fails without any.

    The case that caught the last mutants is asked first: neighbours in a chart are caught by neighbours in the rules.
    """
    with workshop.with_charts(workshop.charts):
        failed = [title for title, file, case in cases if _fails(workshop, file, case)]
    if failed:
        raise ValueError(f"cases fail before anything is changed: {', '.join(failed)}")
    order = list(cases)
    for mutant in mutants(workshop):
        if only is not None and mutant.name not in only:
            continue
        with ExitStack() as change:
            change.enter_context(workshop.with_charts(workshop.charts))
            change.enter_context(mutant.changed())
            caught = next((n for n, (_, file, case) in enumerate(order) if _fails(workshop, file, case)), None)
        if caught is not None:
            order.insert(0, order.pop(caught))
        yield Found(mutant.name, order[0][0] if caught is not None else "")


def _fails(workshop: Workshop, file: Mapping[str, object], case: Mapping[str, object]) -> bool:
    """A case that stumbles over a changed rule has noticed it."""
    try:
        return bool(run_case(workshop.game, file, case))
    except Exception:
        return True


# Ways to turn rules round that every game can use: tables of rewrites, refusals taken back, procedures exchanged.


def rewrite(rule: str, where: str, *pairs: tuple[str, str, str]) -> list[Rewrite]:
    """Rewrites of one function for one rule: what stands there, what instead, what that means."""
    return [Rewrite(rule, where, was, now, says) for was, now, says in pairs]


def tied(rule: str, where: str, was: str, ident: str = "") -> list[Rewrite]:
    """A tie that goes to the highest id: the key `ident` at the end of `was`, or a sorted list, the other way round."""
    if not ident:
        now = was.removesuffix(")") + ", reverse=True)"
    else:
        now = was.removesuffix(ident) + f"tuple(-ord(sign) for sign in {ident})"
    return [Rewrite(rule, where, was, now, "ties go to the highest id")]


def withdrawn(package: str, module: ModuleType, otherwise: str) -> Iterator[Mutant]:
    """Every refusal of a module taken back: the condition before each ``return Refusal`` is never true.

    One whose rule is no literal is named after the rule `otherwise`.
    """
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ != module.__name__:
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and (told := _refuses(node.body[-1], otherwise)):
                part = ast.get_source_segment(inspect.getsource(function), node.test)
                yield Mutant(f"{told} {name}: allowed although {part}", _unless(package, function, node))


def _refuses(last: ast.stmt, otherwise: str) -> str:
    """The first rule of the refusal that a branch ends in, or nothing."""
    call = last.value if isinstance(last, ast.Return) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Refusal"):
        return ""
    rules = call.args[0]
    first = rules.elts[0] if isinstance(rules, ast.Tuple) else rules
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else otherwise


def _unless(package: str, function: Callable[..., object], node: ast.If) -> Callable[[], AbstractContextManager[None]]:
    @contextmanager
    def changed() -> Iterator[None]:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        for found in ast.walk(tree):
            if isinstance(found, ast.If) and found.lineno == node.lineno:
                found.test = ast.Constant(value=False)
        made: dict[str, Any] = {}
        code = compile(
            "from __future__ import annotations\n" + ast.unparse(tree), f"<withdrawn {function.__name__}>", "exec"
        )
        exec(code, function.__globals__, made)  # noqa: S102 - the game's own source with a condition taken out
        with replaced(package, function, made[function.__name__]):
            yield

    return changed


def exchanged(rule: str, holder: object, name: str) -> Iterator[Mutant]:
    """Each pair of neighbours in a procedure done the other way round."""
    steps: Sequence[str] = getattr(holder, name)
    for at in range(len(steps) - 1):
        order = (*steps[:at], steps[at + 1], steps[at], *steps[at + 2 :])
        says = f"{rule} {steps[at + 1]} before {steps[at]}"
        yield Mutant(says, lambda order=order: swapped(holder, name, order))  # type: ignore[misc]
