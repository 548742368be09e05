"""Set up the program's log: lines for people or JSON, on standard error.

Where standard error is systemd's journal, which keeps the time itself, a line begins with its priority instead
(sd-daemon(3)): ``<4>``.
"""

from __future__ import annotations

import logging
import os
import sys
from functools import partial
from typing import Any, Literal

from pbem.lazy import Logger, set_up_log
from pbem.mail.address import strike_tokens

Log = Any
"""A logger of structlog: `info("letter taken", uid=7)` and the like."""


PRIORITIES = {"critical": 2, "error": 3, "exception": 3, "warning": 4, "info": 6, "debug": 7}
"""Priorities of the journal by level: those of syslog (RFC 5424, 6.2.1)."""


def open_log(style: Literal["console", "json"] = "console", level: int | str = logging.WARNING) -> Log:
    """Set up the log and return it; of libraries it takes warnings and worse."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Harmless("<4>%(message)s" if _in_journal() else "%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # A pass that takes longer than a second is no news: the next one is simply left out.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    number = level if isinstance(level, int) else logging.getLevelNamesMapping()[level.upper()]
    set_up_log(number, partial(_set_up, style, number))
    return Logger("pbem")


def _in_journal() -> bool:
    """Return whether systemd connected standard error with its journal."""
    try:
        there = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):
        # It may be closed, or stand for no file at all.
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"


def _begin_with_priority(logger: object, name: str, line: str) -> str:
    return f"<{PRIORITIES[name]}>{line}"


def _set_up(style: str, level: int) -> None:
    # A command that logs nothing does without it (`pbem.lazy.Logger`).
    import structlog
    from structlog import dev, processors, tracebacks

    # Local variables hold letters, orders and tokens: no traceback shows any.
    exception_renderer = processors.ExceptionRenderer(tracebacks.ExceptionDictTransformer(show_locals=False))
    console = dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=dev.plain_traceback)
    renderers: list[Any] = (
        [exception_renderer, _clean_event, processors.JSONRenderer(sort_keys=True)]
        if style == "json"
        else [processors.format_exc_info, _clean_event, console]
    )
    in_journal = _in_journal()
    before: list[Any] = [] if in_journal else [processors.TimeStamper(fmt="iso", utc=True)]
    after: list[Any] = [_begin_with_priority] if in_journal else []
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        processors=[processors.add_log_level, *before, *renderers, *after],
        # Standard error is asked for at every line: whoever swaps it, and closes the old one, goes on hearing of us.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def _clean_event(logger: object, name: str, event: Any) -> Any:
    """Remove tokens, and characters that a terminal or a reader could misread."""
    return {key: _clean_exception(value) if key == "exception" else _clean(value) for key, value in event.items()}


def _clean_exception(value: object) -> Any:
    """Return an exception's text with a mark before each line."""
    return "\n".join(f"| {line}" for line in str(_text(value)).split("\n")) if isinstance(value, str) else _text(value)


def _clean(value: object) -> Any:
    if isinstance(value, str):
        return _text(value).replace("\n", "\\n")
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value


def _text(text: object) -> Any:
    if not isinstance(text, str):
        return _clean(text)
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in strike_tokens(text))


class _Harmless(logging.Formatter):
    """A formatter that cleans what other libraries log."""

    def format(self, record: logging.LogRecord) -> str:
        return str(_text(super().format(record))).replace("\n", "\n| ")
