"""Verify mail servers by the system's or a given certificate authority."""

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
"""The advice for each error number of OpenSSL (X509_V_ERR_...)."""


def tls_context(authority: Path | None) -> ssl.SSLContext:
    """Return a context that demands a valid certificate for the host's name.

    It must come from an authority of the system's store or, if given, only from the one in the PEM file
    `authority`. Raise OSError if there is no such file, and ssl.SSLError, an OSError too, if it holds no
    certificate.
    """
    return ssl.create_default_context(cafile=None if authority is None else str(authority))


def certificate_error(error: BaseException, host: str) -> str:
    """Return in words why the server's certificate failed; empty for other errors."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return (
                f"the certificate that {host} shows is not to be trusted: {cause.verify_message.rstrip('.')}. "
                f"Nothing was sent. {_WAYS.get(cause.verify_code, _OTHERWISE)}"
            )
        cause = cause.__cause__ or cause.__context__
    return ""
