"""One browser a module: while it runs, tests that have a loop of their own cannot."""

import pytest

from tests.pages.desks import Reader, written
from tests.verifier.browser import chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page with data, or without, and sees to it at the end that nothing went wrong."""
    readers = []

    def open_(data, **more):
        readers.append(Reader(browser, written(tmp_path, data), **{"viewport": {"width": 1280, "height": 800}, **more}))
        return readers[-1]

    yield open_
    for one in readers:
        one.close()
