"""Mutation tests of rules: change one in memory, and see whether a case fails.

A mutant is a game that differs in one number of a chart, one modifier, or one ruling. All rule cases are
run against it until one fails: then it is caught. A mutant that is never caught is a rule without a case.
Nothing on disk changes.

A rewrite names a function, a piece of its source, and the replacement::

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
"""A case: its title, the data of its file, and its own table."""


ENGINE = "engine"
"""The first word of a rewrite's path for functions that games share."""
_ANNOTATIONS = annotations.compiler_flag
"""Rewritten source is compiled as the original was: annotations are not evaluated."""


class Stale(Exception):
    """Raised for a rewrite that no longer fits its source."""


class Rewrite(NamedTuple):
    """A change of a rule, often to its opposite, that a rule case must notice.

    `rule` is its number, `where` the function: ``module.function`` or ``module.Class.method``. `was` and `now` are
    its source before and after, `says` describes the change.
    """

    rule: str
    where: str
    was: str
    now: str
    says: str


class Mutant(NamedTuple):
    """A changed game: its name, and the context in which it is changed."""

    name: str
    changed: Callable[[], AbstractContextManager[None]]


class Workshop(NamedTuple):
    """The sources of a game's mutants.

    `package` is the game's; `charts` its charts by name, put in place by `with_charts`; `equal` names the mutants
    that cannot change any result, each with the reason.
    """

    package: str
    game: AnyGame
    charts: Mapping[str, Chart]
    with_charts: Callable[[Mapping[str, Chart]], AbstractContextManager[None]]
    rewrites: Sequence[Rewrite]
    others: Sequence[Mutant]
    equal: Mapping[str, str]


class MutantResult(NamedTuple):
    """A mutant, and the title of the case that caught it, or empty."""

    mutant: str
    caught_by: str


def mutants(workshop: Workshop) -> Iterator[Mutant]:
    """Yield every mutant that changes something.

    Raises Stale, with the whole list, if some do not fit.
    """
    all_mutants = [
        *chart_mutants(workshop),
        *(_mutant_of(workshop, rewrite) for rewrite in workshop.rewrites),
        *workshop.others,
    ]
    problems = list(stale(workshop.package, workshop.rewrites))
    names = Counter(mutant.name for mutant in all_mutants)
    problems += [f"two mutants are called {name!r}" for name, count in names.items() if count > 1]
    problems += [
        f"{name!r} is said to change nothing, and is no mutant" for name in workshop.equal if name not in names
    ]
    if problems:
        raise Stale("\n".join(problems))
    yield from (mutant for mutant in all_mutants if mutant.name not in workshop.equal)


def chart_mutants(workshop: Workshop) -> Iterator[Mutant]:
    """Yield the mutants of charts.

    Each number and modifier is one more and one less; each code becomes its neighbours in the legend.
    """
    for file, chart in workshop.charts.items():
        for (row, column), code in chart.cells.items():
            for other in _neighbours(chart, code):
                cells = {**chart.cells, (row, column): other}
                name = f"{chart.rule} {row} {column}: {code} -> {other}"
                yield Mutant(name, _charts(workshop, file, chart._replace(cells=cells)))
        for modifier in chart.modifiers:
            for value in (modifier.value - 1, modifier.value + 1):
                modifiers = tuple(m._replace(value=value) if m is modifier else m for m in chart.modifiers)
                name = f"{modifier.rule}: {modifier.value:+d} -> {value:+d}"
                yield Mutant(name, _charts(workshop, file, chart._replace(modifiers=modifiers)))


def _charts(workshop: Workshop, file: str, chart: Chart) -> Callable[[], AbstractContextManager[None]]:
    return lambda: workshop.with_charts({**workshop.charts, file: chart})


def _neighbours(chart: Chart, code: str) -> list[str]:
    """Return the neighbours of a number, or of a word in the legend."""
    words = list(chart.legend)
    if all(word.isdigit() for word in words):
        return [str(n) for n in (int(code) - 1, int(code) + 1) if n >= 0]
    index = words.index(code)
    return [words[n] for n in (index - 1, index + 1) if 0 <= n < len(words)]


def _mutant_of(workshop: Workshop, rewrite: Rewrite) -> Mutant:
    return Mutant(_name(rewrite), lambda: apply_rewrite(workshop.package, rewrite))


def _name(rewrite: Rewrite) -> str:
    return f"{rewrite.rule} {rewrite.where}: {rewrite.says}"


@contextmanager
def apply_rewrite(package: str, rewrite: Rewrite) -> Iterator[None]:
    """Use the rewritten function wherever the package has the old one.

    Raises Stale if it does not fit.
    """
    old = _function(package, rewrite.where)
    namespace: dict[str, Any] = {}
    exec(_compile(old, rewrite), old.__globals__, namespace)  # noqa: S102 - the game's own source, one piece exchanged
    with replace_everywhere(package, old, namespace[old.__name__]):
        yield


def stale(package: str, rewrites: Sequence[Rewrite]) -> Iterator[str]:
    """Yield the error of each rewrite that no longer fits."""
    for rewrite in rewrites:
        try:
            _compile(_function(package, rewrite.where), rewrite)
        except Stale as error:
            # All that no longer fit are listed.
            yield str(error)
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
    """Return the only module of a name in a package; raise KeyError otherwise."""
    modules = [
        module
        for full, module in sys.modules.items()
        if full.startswith(f"{package}.") and full.endswith(f".{name}") and not hasattr(module, "__path__")
        # Modules of this package are left out.
        if not full.startswith(f"{__package__}.")
    ]
    if len(modules) != 1:
        raise KeyError(f"{package} has {len(modules)} modules called {name}")
    return modules[0]


def _compile(function: Any, rewrite: Rewrite) -> CodeType:
    source = textwrap.dedent(inspect.getsource(function))
    if source.count(rewrite.was) != 1:
        raise Stale(f"{_name(rewrite)}: its source holds {rewrite.was!r} {source.count(rewrite.was)} times, not once")
    changed = source.replace(rewrite.was, rewrite.now)
    try:
        code: CodeType = compile(changed, f"<{rewrite.where}>", "exec", flags=_ANNOTATIONS)
    except SyntaxError as error:
        raise Stale(f"{_name(rewrite)}: {rewrite.now!r} makes no sense there: {error}") from None
    return code


@contextmanager
def replace_everywhere(package: str, old: object, new: object) -> Iterator[None]:
    """Replace `old` in all modules, classes and tables of package and engine."""
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
            table = {key: _exchange(item, old, new) for key, item in value.items()}
            if any(table[key] is not item for key, item in value.items()):
                setattr(holder, name, MappingProxyType(table))
                undo.callback(setattr, holder, name, value)


def _replace_in(table: dict[str, object], old: object, new: object, undo: ExitStack) -> None:
    for key, item in list(table.items()):
        if (other := _exchange(item, old, new)) is not item:
            table[key] = other
            undo.callback(table.__setitem__, key, item)


def _exchange(item: Any, old: Any, new: Any) -> Any:
    """Return a table's entry with the new function, itself or in a record."""
    if item is old:
        return new
    if isinstance(item, partial) and item.func is old:
        return partial(new, *item.args, **item.keywords)
    if not isinstance(item, tuple) or not any(part is old for part in item):
        return item
    parts = [new if part is old else part for part in item]
    return type(item)._make(parts) if hasattr(item, "_make") else tuple(parts)


@contextmanager
def swap(holder: Any, name: str, value: Any) -> Iterator[None]:
    """Give an attribute, or an entry of a table, another value within a context."""
    table = isinstance(holder, dict)
    old = holder[name] if table else getattr(holder, name)
    put: Callable[[str, Any], None] = holder.__setitem__ if table else lambda key, item: setattr(holder, key, item)
    put(name, value)
    try:
        yield
    finally:
        put(name, old)


def hunt(workshop: Workshop, cases: Sequence[Case], only: Collection[str] | None = None) -> Iterator[MutantResult]:
    """Run the cases against every mutant, or those in `only`, until one fails.

    Raise ValueError if a case fails in the unchanged game. The case that caught the last mutant is tried first,
    since the same case often catches the neighbours in a chart too.
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
            caught_at = next((n for n, (_, file, case) in enumerate(order) if _fails(workshop, file, case)), None)
        if caught_at is not None:
            order.insert(0, order.pop(caught_at))
        yield MutantResult(mutant.name, order[0][0] if caught_at is not None else "")


def _fails(workshop: Workshop, file: Mapping[str, object], case: Mapping[str, object]) -> bool:
    """Return whether a case fails; an exception counts as failing."""
    try:
        return bool(run_case(workshop.game, file, case))
    except Exception:
        return True


# Mutants for every game: tables of rewrites, withdrawn refusals, swapped steps of procedures.


def rewrite(rule: str, where: str, *pairs: tuple[str, str, str]) -> list[Rewrite]:
    """Return rewrites of one function for one rule: old source, new source, words."""
    return [Rewrite(rule, where, was, now, says) for was, now, says in pairs]


def reverse_tie(rule: str, where: str, was: str, ident: str = "") -> list[Rewrite]:
    """Return a rewrite in which a tie goes to the highest id."""
    if not ident:
        now = was.removesuffix(")") + ", reverse=True)"
    else:
        now = was.removesuffix(ident) + f"tuple(-ord(sign) for sign in {ident})"
    return [Rewrite(rule, where, was, now, "ties go to the highest id")]


def withdraw_refusals(package: str, module: ModuleType, otherwise: str) -> Iterator[Mutant]:
    """Yield a mutant for each refusal of a module, with its condition never true.

    A refusal is a ``return Refusal``. A refusal whose rule is no literal is named after the rule `otherwise`.
    """
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ != module.__name__:
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and (rule := _refusal_rule(node.body[-1], otherwise)):
                condition = ast.get_source_segment(inspect.getsource(function), node.test)
                yield Mutant(f"{rule} {name}: allowed although {condition}", _unless(package, function, node))


def _refusal_rule(last: ast.stmt, otherwise: str) -> str:
    """Return the first rule of the refusal that a branch ends in, or empty."""
    call = last.value if isinstance(last, ast.Return) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Refusal"):
        return ""
    rules = call.args[0]
    first = rules.elts[0] if isinstance(rules, ast.Tuple) else rules
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else otherwise


def _unless(package: str, function: Callable[..., object], node: ast.If) -> Callable[[], AbstractContextManager[None]]:
    @contextmanager
    def apply_change() -> Iterator[None]:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        for branch in ast.walk(tree):
            if isinstance(branch, ast.If) and branch.lineno == node.lineno:
                branch.test = ast.Constant(value=False)
        namespace: dict[str, Any] = {}
        code = compile(
            "from __future__ import annotations\n" + ast.unparse(tree), f"<withdrawn {function.__name__}>", "exec"
        )
        exec(code, function.__globals__, namespace)  # noqa: S102 - the game's own source with a condition taken out
        with replace_everywhere(package, function, namespace[function.__name__]):
            yield

    return apply_change


def exchange_steps(rule: str, holder: object, name: str) -> Iterator[Mutant]:
    """Yield a mutant for each pair of neighbours in a procedure, in reverse order."""
    steps: Sequence[str] = getattr(holder, name)
    for index in range(len(steps) - 1):
        order = (*steps[:index], steps[index + 1], steps[index], *steps[index + 2 :])
        says = f"{rule} {steps[index + 1]} before {steps[index]}"
        yield Mutant(says, lambda order=order: swap(holder, name, order))  # type: ignore[misc]
