"""A certificate authority of the test's own, made with the openssl program: nobody else trusts it."""

from __future__ import annotations

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Authority:
    """The authority's own certificate, and a certificate with its key for a server on the loopback address."""

    root: Path
    certificate: Path
    key: Path

    @classmethod
    def make(cls, folder: Path, names: str = "IP:127.0.0.1,DNS:localhost", expired: bool = False) -> Authority:
        """Make both in `folder`; the server's certificate is good for `names`, until tomorrow or until yesterday."""
        folder.mkdir(parents=True, exist_ok=True)
        made = cls(folder / "root.pem", folder / "server.pem", folder / "server.key")
        new = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ]
        authority = ["-subj", "/CN=A test's authority", "-addext", "keyUsage=critical,keyCertSign"]
        _run(*new, *authority, "-keyout", str(folder / "root.key"), "-out", str(made.root))
        signed = ["-CA", str(made.root), "-CAkey", str(folder / "root.key")]
        server = ["-subj", "/CN=mail", "-addext", f"subjectAltName={names}", "-addext", "basicConstraints=CA:FALSE"]
        if not expired:
            _run(*new, *signed, *server, "-keyout", str(made.key), "-out", str(made.certificate))
            return made
        asked = [*new[:2], "-new", *new[3:-2]]
        _run(*asked, *server, "-keyout", str(made.key), "-out", str(folder / "server.csr"))
        days = ["-copy_extensions", "copy", "-days", "-1"]
        sign = ["openssl", "x509", "-req", "-in", str(folder / "server.csr"), *signed, "-CAcreateserial", *days]
        _run(*sign, "-out", str(made.certificate))
        return made

    def trusted(self) -> ssl.SSLContext:
        """What a client uses that trusts this authority and no other."""
        return ssl.create_default_context(cafile=str(self.root))

    def served(self) -> ssl.SSLContext:
        """What a server uses that shows the certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
