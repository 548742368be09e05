"""Senders of whom nothing is read and who are answered nothing, in a file that whoever runs the server may edit::

# one a line: an address, or a domain with all below it
nuisance@example.org
spam.example
"""

from __future__ import annotations

from pathlib import Path

from pbem.mail.address import base_address, check_address
from pbem.store import durable


def checked(text: str) -> str:
    """An address without its detail, or a domain, in lower case; ValueError if it is neither."""
    text = text.strip().casefold()
    if "@" in text:
        return base_address(check_address(text))
    check_address(f"x@{text}")
    if "." not in text:
        raise ValueError(f"not a domain: {text!r}")
    return text


class Blocked:
    """The file at `path`, read anew at each question; no file is an empty list."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def listed(self) -> tuple[str, ...]:
        """Who is blocked, in order; a line that is neither address nor domain blocks nobody."""
        try:
            lines = self.path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return ()
        found = []
        for line in lines:
            try:
                found.append(checked(line.partition("#")[0]))
            except ValueError:
                continue
        return tuple(dict.fromkeys(found))

    def has(self, sender: str) -> bool:
        """Whether letters from an address are to be left unread."""
        if not sender or not (listed := frozenset(self.listed())):
            return False
        domain = sender.casefold().rpartition("@")[2]
        parts = domain.split(".")
        return base_address(sender) in listed or any(".".join(parts[at:]) in listed for at in range(len(parts)))

    def put(self, listed: tuple[str, ...]) -> None:
        """Write the list anew."""
        head = "# Letters from these addresses and domains are not read: pbem mail block\n"
        durable.put(self.path, (head + "".join(f"{one}\n" for one in listed)).encode("utf-8"))
