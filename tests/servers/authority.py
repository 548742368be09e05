"""A certificate authority of the test's own, made with the openssl program: nobody else trusts it."""

from __future__ import annotations

import ssl
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

HERE = "IP:127.0.0.1,DNS:localhost"
_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
_SELF = ["openssl", "req", "-x509", *_KEY, "-days", "2"]
_CA = """[ca]
default_ca = one
[one]
policy = any
default_md = sha256
copy_extensions = copy
database = {0}.index
serial = {0}.serial
new_certs_dir = {1}
[any]
commonName = supplied
"""


@dataclass(frozen=True)
class Authority:
    """The authority's own certificate, and a certificate with its key for a server on the loopback address."""

    root: Path
    certificate: Path
    key: Path

    @classmethod
    def make(cls, folder: Path, names: str = HERE, days: tuple[int, int] | None = None) -> Authority:
        """Make both in `folder`; the server's certificate is as `another` makes it."""
        folder.mkdir(parents=True, exist_ok=True)
        root = folder / "root.pem"
        authority = ["-subj", "/CN=A test's authority", "-addext", "keyUsage=critical,keyCertSign"]
        _run(*_SELF, *authority, "-keyout", str(folder / "root.key"), "-out", str(root))
        return cls(root, root, root).another("server", names, days)

    def another(self, name: str, names: str = HERE, days: tuple[int, int] | None = None) -> Authority:
        """The same authority with another certificate, good for `names`, from now on or from one day to another.

        Days are counted from today: ``(-2, -1)`` is over, ``(2, 3)`` has not begun.
        """
        folder = self.root.parent
        made = Authority(self.root, folder / f"{name}.pem", folder / f"{name}.key")
        signed = ["-CA", str(self.root), "-CAkey", str(folder / "root.key")]
        if days is None:
            _run(*_SELF, *signed, *_server(names), "-keyout", str(made.key), "-out", str(made.certificate))
            return made
        asked, begun = folder / f"{name}.csr", folder / name
        _run("openssl", "req", "-new", *_KEY, *_server(names), "-keyout", str(made.key), "-out", str(asked))
        # Of the commands that sign this one alone is told when a certificate begins.
        begun.with_suffix(".conf").write_text(_CA.format(begun, folder))
        begun.with_suffix(".index").touch()
        begun.with_suffix(".serial").write_text("01\n")
        today = datetime.now(UTC)
        first, last = (f"{today + timedelta(days=day):%Y%m%d%H%M%SZ}" for day in days)
        sign = ["openssl", "ca", "-batch", "-notext", "-config", str(begun.with_suffix(".conf")), "-in", str(asked)]
        sign += ["-cert", str(self.root), "-keyfile", str(folder / "root.key"), "-startdate", first, "-enddate", last]
        _run(*sign, "-out", str(made.certificate))
        return made

    def nobodys(self, name: str) -> Authority:
        """A certificate that signs itself."""
        folder = self.root.parent
        made = Authority(self.root, folder / f"{name}.pem", folder / f"{name}.key")
        _run(*_SELF, *_server(HERE), "-keyout", str(made.key), "-out", str(made.certificate))
        return made

    def trusted(self) -> ssl.SSLContext:
        """What a client uses that trusts this authority and no other."""
        return ssl.create_default_context(cafile=str(self.root))

    def served(self) -> ssl.SSLContext:
        """What a server uses that shows the certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


def _server(names: str) -> list[str]:
    return ["-subj", "/CN=mail", "-addext", f"subjectAltName={names}", "-addext", "basicConstraints=CA:FALSE"]


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
