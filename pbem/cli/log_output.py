"""The log: lines for people or JSON for programs, on standard error."""

from __future__ import annotations

import logging
import sys
from functools import partial
from typing import Any, Literal

from pbem.lazy import Logger, set_up_log
from pbem.mail.address import strike

Log = Any
"""What structlog hands out: `info("letter taken", uid=7)` and its kin."""


def open_log(style: Literal["console", "json"] = "console", level: int = logging.WARNING) -> Log:
    """Set the log up and return it; libraries that log by themselves are heard from warnings up."""
    heard = logging.StreamHandler(sys.stderr)
    heard.setFormatter(_Harmless("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[heard])
    # A pass that takes longer than a second is no news: the next one is simply left out.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    set_up_log(level, partial(_set_up, style, level))
    return Logger("pbem")


def _set_up(style: str, level: int) -> None:
    # A command that logs nothing does without it (`pbem.lazy.Logger`).
    import structlog
    from structlog import dev, processors, tracebacks

    # Local variables hold letters, orders and tokens: no traceback shows any.
    told = processors.ExceptionRenderer(tracebacks.ExceptionDictTransformer(show_locals=False))
    console = dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=dev.plain_traceback)
    last: list[Any] = (
        [told, _harmless, processors.JSONRenderer(sort_keys=True)]
        if style == "json"
        else [processors.format_exc_info, _harmless, console]
    )
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(level),
        processors=[processors.add_log_level, processors.TimeStamper(fmt="iso", utc=True), *last],
        # Standard error is asked for at every line: whoever swaps it, and closes the old one, goes on hearing of us.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def _harmless(logger: object, name: str, event: Any) -> Any:
    """Strike out tokens and whatever a terminal could take for a command, or a reader for a line of ours."""
    return {key: _told(value) if key == "exception" else _clean(value) for key, value in event.items()}


def _told(value: object) -> Any:
    """What went wrong takes several lines; a mark before each says that it is none of the log's own."""
    return "\n".join(f"| {line}" for line in str(_text(value)).split("\n")) if isinstance(value, str) else _text(value)


def _clean(value: object) -> Any:
    if isinstance(value, str):
        return _text(value).replace("\n", "\\n")
    if isinstance(value, dict):
        return {key: _clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(one) for one in value]
    return value


def _text(text: object) -> Any:
    if not isinstance(text, str):
        return _clean(text)
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in strike(text))


class _Harmless(logging.Formatter):
    """The same for what other libraries log."""

    def format(self, record: logging.LogRecord) -> str:
        return str(_text(super().format(record))).replace("\n", "\n| ")
