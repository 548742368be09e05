"""The page that checks letters, opened once for all tests that call its functions."""

import pytest

from tests.verifier.browser import written


@pytest.fixture(scope="session")
def plain_tab(shared_browser, tmp_path_factory):
    with shared_browser.in_use() as running:
        tab = running.new_page()
        tab.goto(written(tmp_path_factory.mktemp("page")))
    return tab


@pytest.fixture
def plain(plain_tab, browser):
    """The page opened from disk, to have its functions called."""
    return plain_tab
