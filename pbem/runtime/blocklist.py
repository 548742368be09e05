"""Read and write the file of blocked senders, which the operator may edit.

Their letters are not read and not answered::

    # one a line: an address, or a domain with all below it
    nuisance@example.org
    spam.example
"""

from __future__ import annotations

from pathlib import Path

from pbem.mail.address import base_address, check_address
from pbem.store import durable


def normalise_sender(text: str) -> str:
    """Return an address without detail, or a domain, in lower case; or ValueError."""
    text = text.strip().casefold()
    if "@" in text:
        return base_address(check_address(text))
    check_address(f"x@{text}")
    if "." not in text:
        raise ValueError(f"not a domain: {text!r}")
    return text


class Blocklist:
    """The file at `path`, read for each question; a missing file is an empty list."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def senders(self) -> tuple[str, ...]:
        """Return the blocked senders in order; malformed lines block nobody."""
        try:
            lines = self.path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return ()
        senders_read = []
        for line in lines:
            try:
                senders_read.append(normalise_sender(line.partition("#")[0]))
            except ValueError:
                # An operator's slip must not stop the letters of everybody else.
                continue
        return tuple(dict.fromkeys(senders_read))

    def has(self, sender: str) -> bool:
        """Return whether letters from an address are to be left unread."""
        if not sender or not (blocked := frozenset(self.senders())):
            return False
        domain = sender.casefold().rpartition("@")[2]
        parts = domain.split(".")
        return base_address(sender) in blocked or any(".".join(parts[start:]) in blocked for start in range(len(parts)))

    def put(self, senders: tuple[str, ...]) -> None:
        """Replace the list."""
        head = "# Letters from these addresses and domains are not read: pbem mail block\n"
        durable.replace_file(self.path, (head + "".join(f"{sender}\n" for sender in senders)).encode("utf-8"))
