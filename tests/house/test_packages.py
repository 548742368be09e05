"""Check that each package says what is in it."""

from tests.house.sources import RULES, SERVED, below

LINES = 10


def test_a_package_says_in_a_few_lines_what_is_in_it():
    packages = [source for source in below(*RULES, *SERVED) if source.is_package]
    folders = {source.name.rpartition("/")[0] for source in below(*RULES, *SERVED)}
    assert {source.name.rpartition("/")[0] for source in packages} == folders
    for source in packages:
        assert 1 <= len(source.docstring.splitlines()) <= LINES, source.name
