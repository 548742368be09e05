"""Programs that some tests want and not every machine has: required, or left out and said so."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest


def need(lacking: Sequence[str]) -> None:
    """Go on if nothing lacks; fail if ``TESTS_REQUIRE`` names one of these programs, else skip."""
    if not lacking:
        return
    required = {word.strip() for word in os.environ.get("TESTS_REQUIRE", "").split(",")}
    if required & set(lacking):
        pytest.fail(f"TESTS_REQUIRE asks for {', '.join(lacking)}, not installed here")
    pytest.skip(f"{' and '.join(lacking)} not installed here")
