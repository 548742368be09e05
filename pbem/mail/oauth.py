"""Get OAuth access tokens for mail servers without passwords.

A provider gives an access token for a refresh token (RFC 6749, section 6), and the login by XOAUTH2 uses it::

    POST /token    grant_type=refresh_token&refresh_token=...&client_id=...&client_secret=...
    200            {"access_token": "ya29...", "expires_in": 3599}
"""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field

EXPIRY_MARGIN = 60.0
"""Seconds before its expiry from which on a token is not used: a login takes a while, and clocks differ."""


class NoToken(OSError):
    """Raised if the provider gave no token, with the reason; a later try may succeed."""


@dataclass(frozen=True, kw_only=True)
class TokenProvider:
    """The provider of tokens and our client; `url` is the endpoint, https or local."""

    url: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    refresh_token: str = field(repr=False)
    timeout: float = 30.0

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.url)
        home = parts.hostname in ("127.0.0.1", "::1", "localhost")
        if parts.scheme != "https" and not (parts.scheme == "http" and home):
            raise ValueError(f"a token endpoint is reached by https, got {self.url!r}")


class AccessTokens:
    """The access token of one account, cached until it expires.

    `now` returns monotonic seconds. May be called from any thread.
    """

    def __init__(self, provider: TokenProvider, now: Callable[[], float] = time.monotonic) -> None:
        self._provider = provider
        self._now = now
        self._lock = threading.Lock()
        self._token = ""
        self._until = 0.0

    def __call__(self) -> str:
        """Return a token that is valid for a login now; raise NoToken."""
        with self._lock:
            if not self._token or self._now() >= self._until:
                self._token, seconds = self._fetch()
                # A token that lives for less than the margin serves this one login.
                self._until = self._now() + max(0.0, seconds - EXPIRY_MARGIN)
            return self._token

    def forget(self) -> None:
        """Drop a token that the mail server refused, so that a new one is fetched."""
        with self._lock:
            self._token = ""

    def log_in(self, login: Callable[[str], object], refused: type[Exception]) -> None:
        """Log in with the token; drop it after a refusal, as it may have been revoked."""
        try:
            login(self())
        # The caller sees the refusal; the next login gets a new token.
        except refused:
            self.forget()
            raise

    def _fetch(self) -> tuple[str, float]:
        provider = self._provider
        form = {"grant_type": "refresh_token", "refresh_token": provider.refresh_token, "client_id": provider.client_id}
        if provider.client_secret:
            form["client_secret"] = provider.client_secret
        # The scheme was checked when the provider was made.
        request = urllib.request.Request(provider.url, urllib.parse.urlencode(form).encode("ascii"))  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=provider.timeout) as answer:  # noqa: S310
                answer_fields = json.loads(answer.read(65_536))
            return str(answer_fields["access_token"]), float(answer_fields.get("expires_in", 300))
        # Before OSError, its parent: the provider's answer tells why it refuses.
        except urllib.error.HTTPError as error:
            with error:
                reason = _reason(error.read(65_536)) or error.reason
            raise NoToken(f"{provider.url} gives no token: {error.code} {reason}") from None
        # No connection, no JSON, or an answer without a token.
        except (OSError, ValueError, KeyError, TypeError) as failure:
            raise NoToken(f"{provider.url} gives no token: {type(failure).__name__}: {failure}") from None


def _reason(body: bytes) -> str:
    """Return the provider's error in words (RFC 6749, section 5.2)."""
    try:
        fields = json.loads(body)
        return " ".join(str(fields[key]) for key in ("error", "error_description") if key in fields)
    # A proxy in between may answer with a page: then the status alone is told.
    except (ValueError, TypeError, KeyError):
        return ""
