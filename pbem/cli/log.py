"""The log: lines for people or JSON for programs, on standard error."""

from __future__ import annotations

import logging
import sys
from typing import Any, Literal

import structlog

__all__ = ["Log", "open_log"]

Log = Any
"""What structlog hands out: `info("letter taken", uid=7)` and its kin."""


def open_log(style: Literal["console", "json"] = "console", level: int = logging.WARNING) -> Log:
    """Set structlog up and return the log; libraries that log by themselves are heard from warnings up."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    # A pass that takes longer than a second is no news: the next one is simply left out.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    last: list[Any] = (
        [structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer(sort_keys=True)]
        if style == "json"
        else [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())]
    )
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *last,
        ],
        # Standard error is asked for at every line: whoever swaps it, and closes the old one, goes on hearing of us.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
    return structlog.get_logger()
