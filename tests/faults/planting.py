"""Find small faults that a source file may get, choose some by seed, and compile modules with a fault or with probes.

A fault replaces one syntax node by another: ``<`` by ``<=``, ``and`` by ``or``, a statement by ``pass``. Line numbers
stay as they are.
"""

from __future__ import annotations

import ast
import itertools
import marshal
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

LEFT_OUT = ("pbem/store/migrations/",)
READ_AS_TEXT = "pbem/verifier/"
"""Sources that tests also read as text: verify.py is put together from them."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
EMPTY: dict[type[ast.expr], ast.expr] = {
    ast.List: ast.List([], ast.Load()),
    ast.ListComp: ast.List([], ast.Load()),
    ast.Tuple: ast.Tuple([], ast.Load()),
    ast.GeneratorExp: ast.Tuple([], ast.Load()),
    ast.Dict: ast.Dict([], []),
    ast.DictComp: ast.Dict([], []),
}
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class Fault:
    """One change: bytes ``start`` to ``end`` of a file become ``new``."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str
    names: frozenset[str]
    """What its statement defines, if it runs as the module is imported; tests reach such a fault by these names."""

    def __str__(self) -> str:
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.path}:{self.line}: {old:.60} -> {new:.60}"


def find_changes(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield the changes that a node allows: the node to replace, and its replacement."""
    match node:
        case ast.Compare(left, [operator], right) if type(operator) in COMPARISONS:
            yield node, ast.Compare(left, [COMPARISONS[type(operator)]()], right)
        case ast.BoolOp(operator, values):
            yield node, ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
            yield node, ast.BinOp(left, ast.Sub() if isinstance(operator, ast.Add) else ast.Add(), right)
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield test, ast.UnaryOp(ast.Not(), test)
        case ast.Constant(bool() as value):
            yield node, ast.Constant(not value)
        case ast.Constant(int() as value):
            yield node, ast.Constant(value + 1)
        case ast.Subscript(slice=ast.Constant(str() as key)):
            yield node.slice, ast.Constant(key + "_")
        case ast.Dict(keys):
            for place in keys:
                if isinstance(place, ast.Constant) and isinstance(place.value, str):
                    yield place, ast.Constant(place.value + "_")
        case ast.Return(value) if value is not None:
            empty = EMPTY.get(type(value), ast.Constant(None))
            if ast.unparse(empty) != ast.unparse(value):
                yield node, ast.Return(empty)
        case ast.Expr(ast.Call() | ast.Await()):
            yield node, ast.Pass()
        case ast.Assign([ast.Attribute() | ast.Subscript()]) | ast.AugAssign():
            yield node, ast.Pass()


def walk(node: ast.AST, function: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the nodes that may change, each with whether it stands inside a function.

    Annotations, decorators, patterns and f-strings are left out, and what is only for type checkers.
    """
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.If) and "TYPE_CHECKING" in used(node.test)):
        return
    yield node, function
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "pattern", "type_params"):
            continue
        inside = function or (isinstance(node, Function) and name == "body")
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from walk(child, inside)


def used(node: ast.AST) -> set[str]:
    """Return the names and attributes that a node mentions."""
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(node)
        if isinstance(node, ast.Name | ast.Attribute)
    }


def defined(statement: ast.stmt, line: int) -> frozenset[str]:
    """Return the names that a statement of a module defines, for a class also the attribute defined at the line."""
    match statement:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
            return frozenset({name})
        case ast.ClassDef(name, body=body):
            inner = (
                defined(statement, line)
                for statement in body
                if statement.lineno <= line <= (statement.end_lineno or 0)
            )
            return frozenset({name}).union(*inner)
        case ast.Assign(targets):
            return frozenset(set().union(*map(used, targets)))
        case ast.AnnAssign(target):
            return frozenset(used(target))
    return frozenset(used(statement))


def find_begins(source: str) -> list[int]:
    """Return the place of each line's first byte, as syntax nodes count."""
    return [0, *itertools.accumulate(len(line) for line in source.encode().splitlines(keepends=True))]


def find_place(node: ast.expr | ast.stmt, begins: Sequence[int]) -> tuple[int, int]:
    """Return the first byte of a node, and the one after its last."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return begins[node.lineno - 1] + node.col_offset, begins[node.end_lineno - 1] + node.end_col_offset


def find_faults(path: str, source: str) -> Iterator[Fault]:
    """Yield every fault that a file may get."""
    begins, text = find_begins(source), source.encode()
    for statement in ast.parse(source).body:
        for node, inside in walk(statement):
            for old, new in find_changes(node):
                if not isinstance(old, ast.expr | ast.stmt):
                    continue
                start, end = find_place(old, begins)
                before = text[start:end].decode()
                after = ast.unparse(new) + "\n" * before.count("\n")
                after = f"({after})" if isinstance(old, ast.expr) else after
                names = frozenset[str]() if inside else defined(statement, old.lineno)
                yield Fault(path, old.lineno, start, end, before, after, names)


def read_sources(root: Path, package: str) -> dict[str, str]:
    """Read the sources under a folder, by path."""
    files = {file.relative_to(root).as_posix(): file for file in sorted((root / package).rglob("*.py"))}
    return {path: file.read_text("utf-8") for path, file in files.items() if not path.startswith(LEFT_OUT)}


def choose_faults(sources: Mapping[str, str], count: int, seed: int) -> list[Fault]:
    """Choose faults by seed, at most one a line, as many in a package as its share of all lines that may get one."""
    places = defaultdict[tuple[str, int], list[Fault]](list)
    for path, source in sources.items():
        for fault in find_faults(path, source):
            places[path, fault.line].append(fault)
    luck, lines = random.Random(seed), sorted(places)
    parts = [lines[len(lines) * n // count : len(lines) * (n + 1) // count] for n in range(count)]
    return [luck.choice(places[luck.choice(part)]) for part in parts if part]


def name_module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def write_fault(folder: Path, root: Path, fault: Fault) -> None:
    """Write a module with the fault in it to the folder that Python loads changed modules from."""
    source = (root / fault.path).read_bytes()
    changed = source[: fault.start] + fault.new.encode() + source[fault.end :]
    code = compile(changed, str(root / fault.path), "exec", dont_inherit=True)
    write_code(folder, fault.path, code)
    if fault.path.startswith(READ_AS_TEXT):
        (folder / f"{name_module(fault.path)}.txt").write_bytes(changed)


def write_code(folder: Path, path: str, code: CodeType) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name_module(path)}.code").write_bytes(marshal.dumps(code))


def write_probes(folder: Path, root: Path, sources: Mapping[str, str], faults: Sequence[Fault]) -> None:
    """Write all modules that reach a fault, each place with a call that says so."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, source in sources.items():
        tree, prober = ast.parse(source), Prober(path, source, faults)
        prober.visit(tree)
        if prober.used:
            ast.fix_missing_locations(tree)
            write_code(folder, path, compile(tree, str(root / path), "exec", dont_inherit=True))


class Prober(ast.NodeTransformer):
    """Puts a call before each faulty node, and at the head of functions that mention what a fault at import defines."""

    def __init__(self, path: str, source: str, faults: Sequence[Fault]) -> None:
        self.begins = find_begins(source)
        self.places = defaultdict[tuple[int, int], list[int]](list)
        self.named = {number: fault.names for number, fault in enumerate(faults) if fault.names}
        for number, fault in enumerate(faults):
            if fault.path == path and not fault.names:
                self.places[fault.start, fault.end].append(number)
        self.used = False

    def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
        numbers = list[int]()
        if self.places and isinstance(node, ast.expr | ast.stmt):
            numbers = self.places.get(find_place(node, self.begins), [])
        mentioned = used(node) if self.named and isinstance(node, Function) else set()
        heads = [number for number, names in self.named.items() if names & mentioned]
        self.generic_visit(node)
        if heads and isinstance(node, ast.Lambda):
            node.body = self.probe(heads, node.body)
        elif heads and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body.insert(ast.get_docstring(node) is not None, ast.Expr(self.call(heads)))
        if numbers and isinstance(node, ast.stmt):
            return [ast.Expr(self.call(numbers)), node]
        return self.probe(numbers, node) if numbers and isinstance(node, ast.expr) else node

    def call(self, numbers: Iterable[int]) -> ast.Call:
        self.used = True
        return ast.Call(ast.Name("__reached__", ast.Load()), [ast.Constant(number) for number in numbers], [])

    def probe(self, numbers: Iterable[int], node: ast.expr) -> ast.expr:
        return ast.BoolOp(ast.Or(), [self.call(numbers), node])


def read_words(file: Path) -> set[str]:
    """Return the words of a test file, among them the names it uses."""
    return set(re.findall(r"\w+", file.read_text("utf-8")))
