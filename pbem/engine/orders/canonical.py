"""Canonical order text v1, common to all games: conditions, IF, standing orders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from pbem.engine.orders.standing import ASK, Condition, Reaction, Rule, Scope
from pbem.engine.terms import Orders

Lines = Callable[[Any, str], Iterator[str]]
"""The function from an action and an indentation to its canonical lines, each beginning with the indentation."""


class Branch(Protocol):
    """An IF: its condition, actions if it holds, and actions if not."""

    @property
    def condition(self) -> tuple[object, ...]:
        """Return the condition, in plain data."""
        ...

    @property
    def then(self) -> tuple[object, ...]:
        """Return the actions if the condition holds."""
        ...

    @property
    def otherwise(self) -> tuple[object, ...]:
        """Return the actions if it does not."""
        ...


def canon(orders: Orders, lines: Lines) -> str:
    """Return a seat's orders as canonical text, lines ending in LF; may be empty."""
    text = [line for action in orders.actions for line in lines(action, "")]
    return "".join(f"{line}\n" for line in (*text, *canon_standing(orders.standing)))


def branches(action: Branch, lines: Lines, indent: str) -> Iterator[str]:
    """Yield the lines of an IF, its contents indented by two blanks."""
    yield f"{indent}IF {canon_condition(action.condition)}"
    for item in action.then:
        yield from lines(item, indent + "  ")
    if action.otherwise:
        yield f"{indent}ELSE"
        for item in action.otherwise:
            yield from lines(item, indent + "  ")
    yield f"{indent}ENDIF"


def each_rule(standing: str) -> tuple[str, ...]:
    """Return a block for each rule of canonical standing orders, with its number.

    Read one after the other they are the same as all together.
    """
    rules, head = [], ""
    for line in standing.splitlines():
        if line.startswith("STANDING "):
            head = line
        elif line != "ENDSTANDING":
            rules.append(f"{head}\n{line}\nENDSTANDING\n")
    return tuple(rules)


def canon_condition(condition: Condition) -> str:
    """Return the canonical text of a condition."""
    kind = condition[0]
    if kind in ("and", "or"):
        return f"{_bracket(condition[1], kind)} {kind.upper()} {_bracket(condition[2], kind, right=True)}"
    if kind == "not":
        return f"NOT {_bracket(condition[1], kind)}"
    if kind == "odds":
        return f"ODDS {condition[1]} {condition[2]}:{condition[3]}"
    if kind == "count":
        return f"{condition[1]} {condition[2]} {_operator(condition[3])}{condition[4]}"
    if kind in ("turn", "vp"):
        return f"{kind.upper()} {_operator(condition[1])}{condition[2]}"
    if kind == "from":
        return f"ENEMY FROM {condition[1]}"
    if kind == "leader":
        return f"ENEMY LEADER {condition[1]}"
    if kind == "unit":
        return f"MY {condition[1]} {condition[2]}"
    return f"SPACE {condition[1]} {condition[2]}"


def _operator(op: str) -> str:
    return "" if op == "EXACTLY" else f"{op} "


def _bracket(inner: Condition, around: str, right: bool = False) -> str:
    text = canon_condition(inner)
    loose = inner[0] in ("and", "or")
    if (
        loose
        and (around == "not" or inner[0] != around or right)
        and not (around == "or" and inner[0] == "and" and not right)
    ):
        return f"({text})"
    return text


def canon_standing(rules: Iterable[Rule]) -> list[str]:
    """Return the canonical lines of standing orders, one block a scope, in order."""
    blocks: dict[Scope, list[Rule]] = {}
    for rule in rules:
        blocks.setdefault(rule.scope, []).append(rule)
    lines: list[str] = []
    for scope, block in sorted(blocks.items()):
        lines.append(f"STANDING FOR {scope.kind}" + (f" {scope.id}" if scope.id else ""))
        lines += [f"{number}. {_canon_rule(rule)}" for number, rule in enumerate(block, start=1)]
        lines.append("ENDSTANDING")
    return lines


def _canon_rule(rule: Rule) -> str:
    condition = f" IF {canon_condition(rule.condition)}" if rule.condition else ""
    when = f"WHEN {rule.event}{condition} THEN " if rule.event else ""
    # LIMIT may stand behind any reaction but ASK, which has WITHIN and hours there.
    late = rule.limit if all(reaction.keyword == ASK for reaction in rule.reactions) else 0
    text = f"{when}{_canon_reactions(rule.reactions, rule.limit - late)}"
    return text + (f" ELSE {_canon_reactions(rule.otherwise, late)}" if rule.otherwise else "")


def _canon_reactions(reactions: Sequence[Reaction], limit: int) -> str:
    texts = [_canon_reaction(reaction) for reaction in reactions]
    if limit:
        last = max(index for index, reaction in enumerate(reactions) if reaction.keyword != ASK)
        texts[last] += f" LIMIT {limit}"
    return " ; ".join(texts)


def _canon_reaction(reaction: Reaction) -> str:
    if reaction.keyword == ASK:
        return f"ASK WITHIN {reaction.words[0]}"
    to = f" TO {reaction.to}" if reaction.to else ""
    return f"{reaction.keyword} {' / '.join(reaction.words)}".rstrip() + to
