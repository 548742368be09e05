# Small because it is the only file that asks the domain name system.
"""TXT records of the domain name system, asked of one resolver: what mail policy stands in.

dnspython asks, as it does for the keys of signatures; it comes with the extra `dkim`.
"""

from __future__ import annotations

import socket
from typing import NamedTuple


class NoAnswer(OSError):
    """The resolver gave no usable answer; that there are no records is an answer, and another thing."""


class Resolver(NamedTuple):
    """Whom to ask, and for how many seconds to wait; it is asked twice, for UDP loses packets."""

    host: str
    port: int = 53
    timeout: float = 3.0


def txt(resolver: Resolver, name: str) -> tuple[str, ...]:
    """Return the TXT records of a name, the strings of each joined (RFC 7208, 3.3); empty if none. NoAnswer."""
    # An extra, which may not be installed.
    try:
        from dns.exception import DNSException, Timeout
        from dns.name import IDNA_2003, from_text
        from dns.resolver import NXDOMAIN
        from dns.resolver import Resolver as Asking
    except ImportError:
        raise NoAnswer("what asks is not installed: pip install 'pbem[dkim]'") from None
    try:
        wanted = from_text(name, idna_codec=IDNA_2003)
    except (DNSException, UnicodeError) as wrong:
        raise NoAnswer(f"{name} can be nobody's name: {wrong}") from None
    asking = Asking(configure=False)
    asking.port, asking.timeout, asking.lifetime = resolver.port, resolver.timeout, 2 * resolver.timeout
    try:
        where = socket.getaddrinfo(resolver.host, resolver.port, type=socket.SOCK_DGRAM)[0][4][0]
        asking.nameservers = [str(where)]
        found = asking.resolve(wanted, "TXT", raise_on_no_answer=False, search=False)
    except NXDOMAIN:
        return ()
    except Timeout:
        raise NoAnswer(f"{resolver.host} says nothing of {name} within {asking.lifetime:g} seconds") from None
    except (DNSException, OSError, ValueError) as wrong:
        raise NoAnswer(f"{resolver.host} says nothing of {name}: {wrong}") from None
    return tuple(b"".join(record.strings).decode("utf-8", "replace") for record in found.rrset or ())
