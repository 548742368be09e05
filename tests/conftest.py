"""For all tests: where their files lie, what engines share, and a summary that names what was left out.

Databases are written to last, and tests begin some thousand: in memory nobody waits for a disk. What SQLAlchemy makes
of a query it keeps for one engine; here all engines of SQLite share it. What is collected stays to the end: nothing of
it is searched for garbage, which took half the time that collecting took.
"""

from __future__ import annotations

import copy
import gc
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Generator
from email.headerregistry import HeaderRegistry
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy
import structlog
from hypothesis import HealthCheck, settings
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

import pbem.store.engine
from pbem.runtime import bot_versions

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.verifier.browser import SharedBrowser

collect_ignore = ["fixtures"]
"""What tests read; the template of 1.0.0 brings tests, which are run where it is installed."""

MEMORY = Path("/dev/shm")
ROOM = 2 * 2**30
"""Bytes; a whole run leaves a third of that until its end."""
_LOGGING: dict[str, Any] = {}
"""How structlog is set up when a test begins."""
SELDOM = (20_000, 20, 20)
"""How many objects more make garbage be searched for: tests hold positions and syntax trees, which are none."""


def pytest_configure() -> None:
    if "TMPDIR" not in os.environ and _holds_files(MEMORY):
        os.environ["TMPDIR"], tempfile.tempdir = str(MEMORY), None
    # A server that `pbem init` made would ask relays of the beacon; no test asks anybody outside.
    os.environ.setdefault("PBEM_BEACON__RELAYS", "[]")
    vars(pbem.store.engine)["create_engine"] = _Engines()
    _remember_headers()
    # What letters name as the version of a bot's program would be another after each change of it.
    vars(bot_versions)["code_digest"] = lambda modules: "0" * 12
    # As a daemon writes tracebacks. structlog's own, with every variable in a frame, take longer than what is tested.
    *before, _ = structlog.get_config()["processors"]
    plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*before, plain])
    _LOGGING.update(structlog.get_config())
    # How long an example takes says more of the machine than of what is tested.
    settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")


def pytest_runtest_teardown() -> None:
    # A command that a test runs in this process sets the log up for itself, and hears of warnings alone.
    structlog.configure(**_LOGGING)


def pytest_sessionstart(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and not hasattr(session.config, "workerinput") and (why := _bytecode_is_lost()):
        # Not in the header, which -q leaves out.
        reporter.write_line(f"WARNING: {why}: every process compiles all that it imports, a second or two", yellow=True)


def _bytecode_is_lost() -> str:
    """Why Python keeps no bytecode; empty if it does."""
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return "PYTHONDONTWRITEBYTECODE is set"
    if sys.dont_write_bytecode:
        return "Python was told to keep no bytecode"
    if sys.pycache_prefix is None:
        return ""
    try:
        # As Python does it with the first module.
        Path(sys.pycache_prefix).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=sys.pycache_prefix):
            return ""
    except OSError as wrong:
        return f"bytecode cannot be kept in PYTHONPYCACHEPREFIX ({wrong})"


def _remember_headers() -> None:
    """Parse each header of a letter once: the library does so whenever one is looked at, and tests look often."""
    parse = HeaderRegistry.__call__
    known = lru_cache(maxsize=4096)(parse)

    def parsed(self: HeaderRegistry, name: str, value: Any) -> Any:
        # Equal moments and addresses may be written in different ways; equal text is not.
        return known(self, name, value) if type(value) is str else parse(self, name, value)

    HeaderRegistry.__call__ = parsed  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(*SELDOM)
        gc.enable()


def _holds_files(folder: Path) -> bool:
    """Whether a folder is there, ours to write, with room, and lets programs in it be run."""
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return False
    return shutil.disk_usage(folder).free >= ROOM and not os.statvfs(folder).f_flag & os.ST_NOEXEC


class _Dialect(SQLiteDialect_pysqlite):
    """One is as good as another to whoever looks up what was made of a query; each has a way to begin of its own."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Dialect)

    def __hash__(self) -> int:
        return hash(_Dialect)


class _Engines:
    """Makes engines as SQLAlchemy does; those of SQLite read their queries in one book."""

    def __init__(self) -> None:
        self.book = sqlalchemy.create_engine("sqlite://")
        self.book.dialect.__class__ = _Dialect
        # The dialect finds out about SQLite when it first meets it.
        self.book.connect().close()

    def __call__(self, url: str, **more: Any) -> sqlalchemy.Engine:
        engine = sqlalchemy.create_engine(url, **more)
        if engine.dialect.name == "sqlite":
            # How a transaction begins is set on the dialect: writers and readers have to have two.
            engine.dialect, engine._compiled_cache = copy.copy(self.book.dialect), self.book._compiled_cache
        return engine


@pytest.fixture(scope="session")
def shared_browser() -> Generator[SharedBrowser, None, None]:
    """One chromium a process of tests: it takes a second to start. A test asks for `browser`."""
    from tests.verifier.browser import shared_chromium

    with shared_chromium() as shared:
        yield shared


@pytest.fixture
def browser(shared_browser: SharedBrowser) -> Generator[Browser, None, None]:
    """The browser for one test, whose pages and contexts are closed behind it."""
    with shared_browser.in_use() as running:
        before = running.contexts
        yield running
        for context in running.contexts:
            if context not in before:
                context.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A green run on a machine that lacks a server must not pass for one on a machine that has it."""
    left_out: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if "not installed here" in reason:
            left_out[reason.removeprefix("Skipped: ")] += 1
    for reason, tests in sorted(left_out.items()):
        terminalreporter.write_line(f"NOT RUN: {tests} tests ({reason})", yellow=True)
