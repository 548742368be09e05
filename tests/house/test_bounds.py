"""Check that each numeric constant of a module gives its reason, in a comment above it or a docstring below it."""

import ast
from collections.abc import Iterator
from itertools import zip_longest

from tests.house.sources import Source, below

SUM = (ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.Call)
"""What a number is written as or computed from; texts, lists and attributes are none of them."""


def is_number(value: ast.expr | None) -> bool:
    """Return whether an expression is computed from numbers that are written in it."""
    nodes = list(ast.walk(value)) if value else []
    kinds = {type(node.value) for node in nodes if isinstance(node, ast.Constant)}
    return (
        bool(kinds)
        and kinds <= {int, float}
        and all(isinstance(node, SUM) for node in nodes if isinstance(node, ast.expr))
    )


def without_reason(source: Source) -> Iterator[str]:
    """Find the constants of a module without a comment above and a docstring below."""
    lines, body = source.text.split("\n"), source.tree.body
    for node, following in zip_longest(body, body[1:]):
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_number(node.value):
            has_docstring = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
            if not has_docstring and not lines[node.lineno - 2].startswith("#"):
                yield f"{source.name}: {ast.unparse(node)}"


def test_every_number_has_a_reason():
    sources = below(without=("store/migrations",))
    assert [name for source in sources for name in without_reason(source)] == []
