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


@pytest.fixture(params=["embedded", "real"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A mail server with three mailboxes, fresh for the test."""
    if request.param == "embedded":
        with EmbeddedMail(USERS) as embedded:
            yield embedded
    else:
        need_real_servers()
        with RealMail(USERS) as running:
            yield running


@pytest.fixture
def real_server(authority: Authority) -> Iterator[RealMail]:
    """Dovecot and Exim that speak TLS."""
    need_real_servers()
    with RealMail(USERS, authority) as running:
        yield running
