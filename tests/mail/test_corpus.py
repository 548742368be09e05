"""Every client in seven languages: what the author wrote is kept, what he quoted is not, no older block counts."""

from itertools import islice

import pytest

from tests.mail import corpus
from tests.mail.clients import LANGUAGES, quotings


@pytest.mark.parametrize("each", [21, pytest.param(7, marks=pytest.mark.full), pytest.param(1, marks=pytest.mark.long)])
def test_of_what_clients_quote_nothing_is_taken_for_the_authors_and_nothing_of_his_is_lost(each):
    figures = corpus.measured(corpus.ours, islice(corpus.samples(), 0, None, each))
    assert figures.letters > 8_000 // each
    assert len(figures.older) == 0, figures.older[:5]
    assert len(figures.leaks) < 0.05 * figures.letters, figures.leaks[:5]
    assert len(figures.losses) < 0.007 * figures.letters, figures.losses[:5]


def test_the_collection_holds_many_clients_in_each_language():
    for language in LANGUAGES:
        made = quotings(language)
        assert len(made) > 70
        assert {quoting.mark for quoting in made.values()} == {"> ", "", " ", "| ", "J> "}


def test_a_reader_that_cuts_nothing_or_everything_is_found_out():
    def greedy(raw):
        text = raw.decode().replace("\r\n", "\n").split("\n\n", 1)[1]
        return corpus.Told(text, tuple(text.split("\n")))

    few = [sample for index, sample in enumerate(corpus.samples()) if index % 50 == 0]
    figures = corpus.measured(greedy, iter(few))
    assert len(figures.leaks) > 0.9 * len(few)
    assert len(figures.older) > 0.9 * len(few)
    assert len(corpus.measured(lambda raw: corpus.Told("", ()), iter(few)).losses) == len(few)
