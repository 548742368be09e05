"""What a witness has on his machine: settings, a key, and the trees that he has cosigned.

The trees are in one file, written whole beside the old one and put in its place: a crash leaves one or the other. The
closed lists that he has seen are in another, which only grows (`lists`). What was signed is written there before
anybody is told.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field
from pydantic_settings import SettingsConfigDict

from pbem.audit.blocks import Malformed
from pbem.audit.note import COSIGNATURE, ED25519, Key, Sign, parse_key
from pbem.cli.exit_codes import Stop
from pbem.cli.server.key_files import read_key
from pbem.cli.server.settings import Mailing, Section, authorities
from pbem.cli.sources import Misconfigured, read_settings
from pbem.cli.witness.lists import Lists
from pbem.mail.address import check_address
from pbem.store import durable

SEEN = 64
"""So many of the trees that were cosigned last are kept: a letter that comes twice is answered twice alike."""


def _name(text: str) -> str:
    try:
        if not text.isascii() or not text.isprintable():
            raise Malformed("it is not plain ASCII")
        parse_key(Key(text, bytes(32), COSIGNATURE).text)
    except Malformed:
        raise ValueError("a name is ASCII without blanks and plus; one is example.net/friend") from None
    return text


def _log_key(text: str) -> str:
    try:
        if text and parse_key(text).kind != ED25519:
            raise Malformed("it is of another kind")
    except Malformed as wrong:
        raise ValueError(f"not the key of a log: {wrong}") from None
    return text


class Witness(Section):
    """Who the witness is, whom he watches, and where his things lie."""

    name: Annotated[str, AfterValidator(_name)]
    address: Annotated[str, AfterValidator(check_address)]
    server: Annotated[str, AfterValidator(check_address)]
    log: Annotated[str, AfterValidator(_log_key)] = ""
    key: Path = Path("witness.key")
    state: Path = Path("witness.json")
    answers_an_hour: Annotated[int, Field(ge=1, le=100_000)] = 60


class Witnessing(Mailing):
    """Everything a witness is told."""

    model_config = SettingsConfigDict(env_prefix="PBEM_WITNESS_")

    witness: Witness


class State(NamedTuple):
    """What a witness has done: the log's key, the notes that he cosigned (the newest last), and how far he has read.

    `sent` are the unix seconds of the answers of the last hour.
    """

    log: str = ""
    seen: tuple[bytes, ...] = ()
    uidvalidity: int = 0
    uid: int = 0
    sent: tuple[int, ...] = ()


class Home(NamedTuple):
    """Settings, key, and where the state is kept."""

    told: Witnessing
    key: Key
    sign: Sign
    secret: bytes
    path: Path

    def lists(self) -> Lists:
        """The closed lists that were seen, in a file beside the state; Stop if it cannot be read."""
        return Lists(self.path.with_suffix(".closes"))

    def load(self) -> State:
        """What was kept last; Stop if it cannot be read: to begin anew would be to forget what was signed."""
        try:
            found = json.loads(self.path.read_text("utf-8"))
            seen = tuple(one.encode("utf-8") for one in found["seen"])
            return State(found["log"], seen, found["uidvalidity"], found["uid"], tuple(found["sent"]))
        except FileNotFoundError:
            return State()
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise Stop(f"{self.path} cannot be read, and a witness who forgot may sign a fork: {wrong}") from None

    def keep(self, state: State) -> None:
        """Write it down for good."""
        told = state._asdict() | {"seen": [one.decode("utf-8") for one in state.seen[-SEEN:]]}
        durable.put(self.path, json.dumps(told, ensure_ascii=False, indent=1).encode("utf-8"))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While the block runs no other process uses this state; Stop if one does."""
        with self.path.with_suffix(".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Stop("another process is this witness already: two might sign what one would not") from None
            yield


def open_home(path: Path) -> Home:
    """Read settings and key; Stop says what is wrong with them."""
    from pbem.audit.signing import signer

    folder = path.resolve().parent
    try:
        told = read_settings(Witnessing, path, "pbem witness init")
        told = told.model_copy(update=authorities(told, folder))
        secret = read_key(folder / told.witness.key)
    except Misconfigured as wrong:
        raise Stop(str(wrong)) from None
    key, sign = signer(told.witness.name, secret, COSIGNATURE)
    return Home(told, key, sign, secret, folder / told.witness.state)
