"""What the grammars of the games say of themselves: their words, what their conditions count."""

import pytest

from pbem.games.africa1860.doctrine import CONDITIONS as AFRICA_ASKS
from pbem.games.africa1860.orders import GRAMMAR as AFRICA
from pbem.games.peninsular.doctrine import CONDITIONS as PENINSULAR_ASKS
from pbem.games.peninsular.orders import GRAMMAR as PENINSULAR

GAMES = ((AFRICA, AFRICA_ASKS), (PENINSULAR, PENINSULAR_ASKS))


@pytest.mark.parametrize(("grammar", "asked"), GAMES, ids=("africa1860", "peninsular"))
def test_what_can_be_written_can_be_counted(grammar, asked):
    assert grammar.idiom.counts == tuple(asked.counts)
    assert grammar.idiom.measure == asked.measure


@pytest.mark.parametrize(("grammar", "asked"), GAMES, ids=("africa1860", "peninsular"))
def test_every_word_of_a_grammar_is_in_the_vocabulary(grammar, asked):
    idiom = grammar.idiom
    words = {
        *grammar.verbs,
        *idiom.events,
        *idiom.counts,
        *idiom.states,
        *idiom.kinds,
        *idiom.reactions,
        *idiom.phrases,
    }
    assert words - {""} <= set(grammar.vocabulary.table)
