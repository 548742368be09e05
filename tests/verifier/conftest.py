"""One browser a module: while it runs, tests that have a loop of their own cannot."""

import pytest

from tests.verifier.browser import chromium, written


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def plain(browser, tmp_path_factory):
    """The page opened from disk, to have its functions called."""
    tab = browser.new_page()
    tab.goto(written(tmp_path_factory.mktemp("page")))
    return tab
