"""A provider of access tokens as mail servers' owners run them, on the loopback address: RFC 6749 and nothing more.

``POST /token`` gives the access token for the right refresh token; ``GET /introspect?token=...`` is what Dovecot asks.
"""

from __future__ import annotations

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class FakeProvider:
    """Knows one account; `token` is what it gives now, `expires` for how many seconds, `asked` how often."""

    refresh = "refresh-1"
    client = "pbem"

    def __init__(self, user: str, token: str = "access-1", expires: int = 3600) -> None:
        self.user = user
        self.token = token
        self.expires = expires
        self.asked = 0
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
                provider.asked += 1
                if (form.get("refresh_token"), form.get("client_id")) != (provider.refresh, provider.client):
                    self.say(400, {"error": "invalid_grant", "error_description": "the refresh token was revoked"})
                    return
                self.say(200, {"access_token": provider.token, "expires_in": provider.expires})

            def do_GET(self) -> None:
                query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
                if query.get("token") != provider.token:
                    self.say(401, {"error": "invalid_token"})
                    return
                self.say(200, {"active": True, "email": provider.user, "username": provider.user})

            def say(self, code: int, what: Any) -> None:
                body = json.dumps(what).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
