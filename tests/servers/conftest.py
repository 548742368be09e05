"""The servers that the contract is held against: ours in memory, and Dovecot with Exim where they are installed.

``TESTS_REQUIRE=dovecot,exim`` says that they must be there: without them the tests then fail. Elsewhere they are left
out, and the summary says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import pytest

from pbem.mail.embedded import EmbeddedMail
from tests.needed import need
from tests.servers import real
from tests.servers.authority import Authority
from tests.servers.real import RealMail

JUDGE, ANA, JOSE = "judge@war.test", "ana@players.test", "jose@players.test"
USERS = {JUDGE: "secret", ANA: "a", JOSE: "j"}

Server: TypeAlias = EmbeddedMail | RealMail


def need_real_servers() -> None:
    """Go on if Dovecot and Exim are here; else fail if they are required, skip if not."""
    need(real.missing())


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority that only this test run knows."""
    need([name for name in ("openssl",) if real.program(name) is None])
    return Authority.make(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def kept_servers() -> Iterator[list[RealMail]]:
    """Dovecot and Exim, as long as tests have left them running; none at first."""
    kept: list[RealMail] = []
    yield kept
    for server in kept:
        server.stop()


@pytest.fixture(params=["embedded", "real"])
def server(request: pytest.FixtureRequest, kept_servers: list[RealMail]) -> Iterator[Server]:
    """A mail server with three mailboxes, which are empty."""
    if request.param == "embedded":
        with EmbeddedMail(USERS) as embedded:
            yield embedded
        return
    need_real_servers()
    if not kept_servers:
        started = RealMail(USERS)
        started.start()
        kept_servers.append(started)
    running = kept_servers[0]
    yield running
    if running.is_used_up:
        kept_servers.remove(running)
        running.stop()
    else:
        running.empty()


@pytest.fixture
def real_server(authority: Authority) -> Iterator[RealMail]:
    """Dovecot and Exim that speak TLS."""
    need_real_servers()
    with RealMail(USERS, authority) as running:
        yield running
