"""Whom we believe to be the mail server: certificates of the system's authorities, or of one of one's own."""

from __future__ import annotations

import ssl
from pathlib import Path

__all__ = ["mistrust", "trusting"]


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
                f"the certificate that {host} shows is not to be trusted: {seen.verify_message}. Nothing was sent. "
                f"If the server has an authority of its own, name its file in the setting ca"
            )
        seen = seen.__cause__ or seen.__context__
    return ""
