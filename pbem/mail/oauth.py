"""Access tokens for mail servers that want no passwords (OAuth 2.0, RFC 6749, section 6; XOAUTH2 carries them).

The provider gives an access token for a refresh token::

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

MARGIN = 60.0
"""Seconds before its end at which a token is no longer used: a login takes a while."""


class NoToken(OSError):
    """The provider gave no token; the message says why. It may tomorrow: nothing is lost by it."""


@dataclass(frozen=True, kw_only=True)
class Provider:
    """Who gives tokens and to whom; `url` is the token endpoint, https or on this machine."""

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


class Tokens:
    """The access token of one account, fetched when it is wanted and kept as long as it is good.

    `now` gives seconds that only grow. May be called from any thread.
    """

    def __init__(self, provider: Provider, now: Callable[[], float] = time.monotonic) -> None:
        self._provider = provider
        self._now = now
        self._lock = threading.Lock()
        self._token = ""
        self._until = 0.0

    def __call__(self) -> str:
        """Return a token that is good for a login now; NoToken."""
        with self._lock:
            if not self._token or self._now() >= self._until:
                self._token, seconds = self._fetch()
                self._until = self._now() + max(0.0, seconds - MARGIN)
            return self._token

    def forget(self) -> None:
        """Drop the token, so that a new one is fetched next time: the mail server refused this one."""
        with self._lock:
            self._token = ""

    def let_in(self, login: Callable[[str], object], refused: type[Exception]) -> None:
        """Log in with the token; if it is `refused` the next try is with a new one, as it may have been called back."""
        try:
            login(self())
        except refused:
            self.forget()
            raise

    def _fetch(self) -> tuple[str, float]:
        ask = self._provider
        form = {"grant_type": "refresh_token", "refresh_token": ask.refresh_token, "client_id": ask.client_id}
        if ask.client_secret:
            form["client_secret"] = ask.client_secret
        # The scheme was looked at when the provider was made.
        request = urllib.request.Request(ask.url, urllib.parse.urlencode(form).encode("ascii"))  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=ask.timeout) as answer:  # noqa: S310
                said = json.loads(answer.read(65_536))
            return str(said["access_token"]), float(said.get("expires_in", 300))
        except urllib.error.HTTPError as refused:
            with refused:
                why = _reason(refused.read(65_536)) or refused.reason
            raise NoToken(f"{ask.url} gives no token: {refused.code} {why}") from None
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise NoToken(f"{ask.url} gives no token: {type(wrong).__name__}: {wrong}") from None


def _reason(body: bytes) -> str:
    """What the provider says is wrong (RFC 6749, section 5.2)."""
    try:
        said = json.loads(body)
        return " ".join(str(said[key]) for key in ("error", "error_description") if key in said)
    except (ValueError, TypeError, KeyError):
        return ""
