"""Whom we believe to be the mail server: certificates of the system's authorities, or of one of one's own."""

from __future__ import annotations

import ssl
from pathlib import Path

_OTHERWISE = "If the server has an authority of its own, name its file in the setting ca"
_NAME = "Name the host that it was made for in the setting host"
_WAYS = {
    9: "Look at the clock of this machine, then ask whoever runs the server",
    10: "Whoever runs the server has to renew it, unless the clock of this machine is wrong",
    62: _NAME,
    64: _NAME,
}
"""What to do, by the number that OpenSSL gives to what is wrong (X509_V_ERR_...)."""


def trusting(authority: Path | None) -> ssl.SSLContext:
    """Return a context that asks for a certificate good for the host's name.

    It must come from an authority of the system's store, or from the one in the PEM file `authority` and no other.
    OSError if there is no such file; ssl.SSLError, an OSError too, if it holds no certificate.
    """
    return ssl.create_default_context(cafile=None if authority is None else str(authority))


def mistrust(error: BaseException, host: str) -> str:
    """Return why a connection was not made if that was for the server's certificate, in plain words; else nothing."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLCertVerificationError):
            return (
                f"the certificate that {host} shows is not to be trusted: {seen.verify_message.rstrip('.')}. "
                f"Nothing was sent. {_WAYS.get(seen.verify_code, _OTHERWISE)}"
            )
        seen = seen.__cause__ or seen.__context__
    return ""
