"""The command line over a server, and a folder that packages are installed in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli import conftest
from tests.outside.stranger import on_path

hand, initialised = conftest.hand, conftest.initialised


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder like site-packages, empty."""
    with on_path(tmp_path_factory.mktemp("site")) as folder:
        yield folder
