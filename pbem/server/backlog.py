"""What waits in a mailbox, and in which order it is taken.

A few letters are taken in the order in which they came. Where many wait, those to the seats of games come first, then
what came since the last whole look into the mailbox, or in the last days. What lay there before comes last, be it a
hundred thousand letters of a mailbox that somebody else had before. Within each of these the order of arrival
holds, so that of two letters of one player the older one is the first.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import takewhile

from pbem.mail.address import OwnAddresses, find_addresses
from pbem.mail.imap import TOO_BIG, Waiting

BATCH = 100
"""Letters that are fetched, taken and moved together."""

OCTETS = 4_000_000
"""What they may have together, so that a process holds no more at once."""

RECIPIENTS = 65_536
"""Octets of the fields that say whom a letter is for which are looked at: as many as are read of a header at all."""

_OLD = 2
"""Letters of this rank and above are old: nobody waits for them."""


class Backlog:
    """The letters of one folder that are not done; `own` says which addresses are those of seats."""

    def __init__(self, own: OwnAddresses) -> None:
        self._own = own
        self._letters: dict[int, tuple[int, Waiting]] = {}
        self._order: list[tuple[int, int]] = []
        self._looks: list[tuple[datetime, int]] = []

    def __len__(self) -> int:
        return len(self._letters)

    def __contains__(self, uid: object) -> bool:
        return uid in self._letters

    def keep(self, uids: Iterable[int]) -> None:
        """Forget all letters but these."""
        there = set(uids)
        self._letters = {uid: one for uid, one in self._letters.items() if uid in there}
        self._order = [(rank, uid) for rank, uid in self._order if uid in self._letters]

    def add(self, letters: Iterable[Waiting], since: datetime) -> None:
        """Add letters that wait; those that came before `since` are old."""
        for letter in letters:
            rank = 2 * (letter.internaldate < since) + (not self._to_a_seat(letter))
            self._letters[letter.uid] = (rank, letter._replace(recipients=b""))
            insort(self._order, (rank, letter.uid))

    def looked(self, begun: datetime, last: int) -> None:
        """Note that a look into the mailbox, which began at `begun`, found everything up to the UID `last`."""
        self._looks.append((begun, last))

    def batch(self) -> list[Waiting]:
        """The letters to be taken next."""
        few = len(self._letters) <= BATCH
        uids = sorted(self._letters) if few else [uid for _, uid in self._order[:BATCH]]
        chosen: list[Waiting] = []
        octets = 0
        for uid in uids:
            letter = self._letters[uid][1]
            octets += min(letter.size, TOO_BIG)
            if chosen and octets > OCTETS:
                break
            chosen.append(letter)
        return chosen

    def done(self, uids: Sequence[int]) -> None:
        """Strike out letters that are taken, or gone."""
        there = set(uids)
        for uid in there:
            self._letters.pop(uid, None)
        # They stand at the beginning, or there are few at all.
        head = [entry for entry in self._order[: 2 * BATCH] if entry[1] not in there]
        self._order[: 2 * BATCH] = head

    def whole(self) -> datetime | None:
        """Return when the last look began whose letters, but for old ones, are all taken; None if told before."""
        first = min((uid for _, uid in takewhile(lambda entry: entry[0] < _OLD, self._order)), default=None)
        over = [begun for begun, last in self._looks if first is None or last < first]
        self._looks = self._looks[len(over) :]
        return over[-1] if over else None

    def _to_a_seat(self, letter: Waiting) -> bool:
        text = letter.recipients[:RECIPIENTS].decode("ascii", "replace")
        return any(self._own.seat(address) for address in find_addresses(text))
