"""The page of orders in the browser, as somebody opens it."""

import pytest

from tests.pages.desks import Reader, written


@pytest.fixture
def opened(browser, tmp_path):
    """Opens the page with data, or without, and sees to it at the end that nothing went wrong."""
    readers = []

    def open_(data, **more):
        readers.append(Reader(browser, written(tmp_path, data), **{"viewport": {"width": 1280, "height": 800}, **more}))
        return readers[-1]

    yield open_
    for reader in readers:
        reader.close()
