# Small because it is the only file that asks the domain name system.
"""Ask one resolver for TXT records, which hold mail policy.

dnspython asks, as it does for the keys of signatures; it comes with the extra `dkim`.
"""

from __future__ import annotations

import socket
from typing import NamedTuple


class NoAnswer(OSError):
    """Raised if the resolver gave no usable answer; an empty answer is usable."""


class Resolver(NamedTuple):
    """The resolver to ask; `timeout` is in seconds.

    It is asked twice, because UDP may lose a packet.
    """

    host: str
    port: int = 53
    timeout: float = 3.0


def system_resolver() -> Resolver | None:
    """Return the first resolver that this machine asks; None if it names none."""
    # An extra, which may not be installed; then `read_txt` says so.
    try:
        from dns.resolver import NoResolverConfiguration
        from dns.resolver import Resolver as Asking
    except ImportError:
        return Resolver("127.0.0.1")
    try:
        client = Asking()
    except NoResolverConfiguration:
        return None
    named = [str(server) for server in client.nameservers]
    return Resolver(named[0], client.port) if named else None


def read_txt(resolver: Resolver, name: str) -> tuple[str, ...]:
    """Return a name's TXT records, strings joined (RFC 7208, 3.3); raise NoAnswer."""
    # An extra, which may not be installed.
    try:
        from dns.exception import DNSException, Timeout
        from dns.name import IDNA_2003, from_text
        from dns.resolver import NXDOMAIN
        from dns.resolver import Resolver as Asking
    except ImportError:
        raise NoAnswer("what asks is not installed: pip install 'pbem[dkim]'") from None
    try:
        query_name = from_text(name, idna_codec=IDNA_2003)
    # A name with a label that is too long or empty is asked of nobody.
    except (DNSException, UnicodeError) as error:
        raise NoAnswer(f"{name} can be nobody's name: {error}") from None
    client = Asking(configure=False)
    client.port, client.timeout, client.lifetime = resolver.port, resolver.timeout, 2 * resolver.timeout
    try:
        resolver_address = socket.getaddrinfo(resolver.host, resolver.port, type=socket.SOCK_DGRAM)[0][4][0]
        client.nameservers = [str(resolver_address)]
        answer = client.resolve(query_name, "TXT", raise_on_no_answer=False, search=False)
    # An answer: there is no such name. It comes before its parent class, as does a timeout, which is told in words.
    except NXDOMAIN:
        return ()
    except Timeout:
        raise NoAnswer(f"{resolver.host} says nothing of {name} within {client.lifetime:g} seconds") from None
    # No network, no such resolver, or an answer that is none: all the same for who asked.
    except (DNSException, OSError, ValueError) as error:
        raise NoAnswer(f"{resolver.host} says nothing of {name}: {error}") from None
    return tuple(b"".join(record.strings).decode("utf-8", "replace") for record in answer.rrset or ())
