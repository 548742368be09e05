"""The one place where the letters of these tests are verified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import pytest

from pbem.audit import beacon
from pbem.audit.note import Key
from pbem.cli.verify import FAST
from pbem.verifier import bundles
from pbem.verifier.fields import Block
from pbem.verifier.mailbox import LetterToCheck as Letter
from pbem.verifier.mailbox import letters_in_file
from pbem.verifier.notes import LogKey, VerifyingFunctions, parse_log_key
from pbem.verifier.verification import Reader, Verdict
from pbem.verifier.verification import verify_letters as judge_letters
from tests.audit.small_server import Item, check_proof, check_signature

assert beacon.is_library_installed()
QUICK = VerifyingFunctions(check_signature, check_proof, FAST.beacon)
"""By libsodium, and each signature and proof once."""


def reader(pin: Key | None = None, witnesses: Iterable[Key] = (), quorum: int = 1) -> Reader:
    """Whom a reader believes."""
    return Reader(_key(pin) if pin else None, tuple(map(_key, witnesses)), quorum)


def judge(items: Sequence[Item], *, pin: Key | None = None, witnesses: Iterable[Key] = (), quorum: int = 1) -> Verdict:
    """What the verifier says of letters."""
    return judge_letters([Letter(*item) for item in items], reader(pin, witnesses, quorum), QUICK)


@contextmanager
def quickly() -> Iterator[None]:
    """What was read of a letter or block that is as it was is remembered: all but one are, each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbem.verifier.verification.Letter", lru_cache(maxsize=256)(bundles.Letter))
        patch.setattr("pbem.verifier.bundles.Block", lru_cache(maxsize=4096)(Block))
        yield


def _key(key: Key) -> LogKey:
    return parse_log_key(key.text)


def verify(
    letters: Sequence[Letter], *, pin: Key | None = None, witnesses: Iterable[Key] = (), by: VerifyingFunctions = QUICK
) -> Verdict:
    """What the verifier says of letters as they lay in mailboxes."""
    return judge_letters(letters, reader(pin, witnesses), by)


def items(where: str, data: bytes) -> list[Letter]:
    """What is to be checked in a letter."""
    return list(letters_in_file(where, data))
