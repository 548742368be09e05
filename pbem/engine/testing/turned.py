"""Ways to turn rules round that every game can use: tables of rewrites, refusals taken back, procedures exchanged."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any

from pbem.engine.testing.mutants import Mutant, Rewrite, replaced, swapped


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


def _unless(package: str, function: Callable[..., Any], node: ast.If) -> Callable[[], AbstractContextManager[None]]:
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


def exchanged(rule: str, holder: Any, name: str) -> Iterator[Mutant]:
    """Each pair of neighbours in a procedure done the other way round."""
    steps: Sequence[str] = getattr(holder, name)
    for at in range(len(steps) - 1):
        order = (*steps[:at], steps[at + 1], steps[at], *steps[at + 2 :])
        says = f"{rule} {steps[at + 1]} before {steps[at]}"
        yield Mutant(says, lambda order=order: swapped(holder, name, order))  # type: ignore[misc]
