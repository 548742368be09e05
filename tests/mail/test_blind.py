"""Letters in the ways of clients that nobody had in mind when the reader was written: no old order of them counts."""

import re
from itertools import islice

import pytest

from tests.mail import blind, blind_turned, corpus
from tests.mail.blind_quotes import OLD

LETTERS = {"a": 376, "b": 236, "c": 97, "d": 293}
KNOWN = {
    "b": ["elm en-plan: 'AccordingtoTheJudge:' 1"],
    "c": ["compuserve en-rules: 'MessagetextwrittenbyTheJudge' 1"],
}
"""What is left: words above marked lines that an author might have written himself."""
LOST = {"d": ["d-outlook-express-bottom en-list: 'Threethings:'"]}
"""An answer below marked lines below an unmarked header: a letter passed on without a word looks the same."""


@pytest.mark.parametrize("collection", LETTERS)
def test_no_older_block_counts_and_nothing_of_the_authors_is_lost(collection):
    figures = corpus.measured(corpus.ours, blind.samples(collection))
    assert figures.letters == LETTERS[collection]
    assert figures.older == []
    assert figures.losses == LOST.get(collection, [])
    assert figures.leaks == KNOWN.get(collection, [])


@pytest.mark.parametrize("body", OLD)
def test_an_old_block_that_is_carried_out_is_seen(body):
    blocks = re.findall(r"(?ms)^[> ]*ORDE(?:R|NE)S .*?(?=^[> ]*(?:END|FIN)$|\Z)", OLD[body])
    assert all("Old" in block for block in blocks)
    assert blocks or body in ("chat", "talk")


def test_a_letter_is_made_as_its_file_says():
    sample = next(sample for sample in blind.samples("a") if sample.name == "iphone es es-status")
    assert sample.own == ("ESTADO",)
    assert sample.either == ("", "Enviado desde mi iPhone")
    text = sample.raw.decode()
    assert "\r\n\r\nESTADO\r\n\r\nEnviado desde mi iPhone\r\n\r\n> El 21 nov 2026" in text
    assert "\r\n> \ufeff\r\n> África 1859-60" in text


@pytest.mark.full
@pytest.mark.parametrize("each", [9, pytest.param(3, marks=pytest.mark.full), pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("way", blind_turned.WAYS)
def test_it_is_no_other_as_html_or_spaced_or_with_other_blanks(way, each):
    letters = (sample for collection in LETTERS for sample in blind_turned.turned(collection, way))
    figures = corpus.measured(corpus.ours, islice(letters, 0, None, each))
    assert figures.letters == -(-788 // each)
    # Set in columns by blanks alone, of which HTML leaves one.
    assert [name for name in figures.older if not name.startswith("lotus notes, older, in columns")] == []
    assert figures.losses == LOST["d"]
    assert len(figures.leaks) < 0.06 * figures.letters
