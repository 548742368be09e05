"""The rule numbers stay with their game: core cites none, and what a game refuses is found by RULES in that game."""

import ast
import re
from functools import cache
from itertools import chain, product

from pbem.cli.rulebooks import game_by_name
from pbem.engine.orders.standing import ASK
from pbem.installed import playable_games
from tests.house.sources import PBEM, RULES, Source, below

GAMES = PBEM / "games"
NUMBER = re.compile(r"\b[A-Z]\d+(?:\.\d+)*[a-z]?\b(?!\.\w)")


@cache
def numbers(game: str) -> frozenset[str]:
    """The numbers of a game's rules."""
    lines = (GAMES / game / "rules.txt").read_text("utf-8").splitlines()
    return frozenset(line.split()[0] for line in lines)


def strings(source: Source) -> list[tuple[int, str]]:
    """The strings of a file that are part of the code, with their lines: docstrings and comments are not."""
    documented = (*source.nodes(ast.ClassDef), *source.functions)
    bodies = [source.tree.body, *(node.body for node in documented)]
    loose = [part for body in bodies for part in body if isinstance(part, ast.Expr)]
    constants = {id(part.value) for part in loose if isinstance(part.value, ast.Constant)}
    return [
        (node.lineno, node.value)
        for node in source.nodes(ast.Constant)
        if isinstance(node.value, str) and id(node) not in constants
    ]


def test_core_and_kit_cite_no_rule_of_a_game():
    known = frozenset(chain.from_iterable(map(numbers, playable_games())))
    cited = [
        f"{source.name}:{line}: {text}"
        for source in below(*RULES)
        for line, text in strings(source)
        if not known.isdisjoint(NUMBER.findall(text))
    ]
    assert len([*playable_games()]) >= 2
    assert cited == []


CONDITIONS = (
    "",
    "MUD",
    "(TURN 1",
    "TURN 1)",
    "TURN",
    "ODDS 2",
    "ODDS",
    "VP AT LEAST",
    "ENEMY",
    "ENEMY FROM Nowhere",
    "ENEMY LEADER Nobody",
    "MY",
    "MY Nobody HERE",
    "SPACE Nowhere MINE",
    "TURN 1 AND",
)
"""Such as no game can read."""
REACTIONS = ("", "DANCE", f"{ASK} LIMIT 2", f"{ASK} WITHIN 0", f"{ASK} WITHIN", f"{ASK} LIMIT")


REFUSED = (
    *(f"IF {wrong}\nPASS\nENDIF" for wrong in CONDITIONS),
    *(f"STOP IF {wrong}" for wrong in CONDITIONS),
    *(f"STANDING FOR ALL\nWHEN ASSAULTED IF {wrong} THEN {ASK}\nENDSTANDING" for wrong in CONDITIONS),
    *(f"STANDING FOR ALL\nWHEN ASSAULTED THEN {wrong}\nENDSTANDING" for wrong in REACTIONS),
    "STANDING FOR SPACE Nowhere\nENDSTANDING",
    "STANDING FOR ALL\nWHEN\nENDSTANDING",
)


def test_what_is_refused_of_conditions_and_standing_orders_is_a_rule_of_the_game(subtests):
    for name, text in product(playable_games(), REFUSED):
        with subtests.test(game=name, text=text):
            game, state = _begun(name)
            seat = next(iter(game.seats(state)))
            rejected = game.parse(text, game.view(state, seat), seat).rejected
            assert rejected
            for wrong in rejected:
                assert wrong.rule in numbers(name)
                assert game.rulebook.rule(wrong.rule)


@cache
def _begun(name: str):
    game = game_by_name(name)
    return game, game.start(game.edition(min(game.editions()), {}, {}))
