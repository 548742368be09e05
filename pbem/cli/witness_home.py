"""What a witness has on his machine: settings, a key, trees that he has cosigned, closed lists that he has seen.

The trees are in one file, written whole beside the old one and put in its place: a crash leaves one or the other. What
was signed is written there before anybody is told.

The closed lists are in another file, to which lines are added and nothing else. A line is on the disk before anything
is said of its list, and has the proof that the log signed it. What a crash left of a line without its end was said to
nobody, and is cut off.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field
from pydantic_settings import SettingsConfigDict

from pbem.audit import sees
from pbem.audit.blocks import Malformed
from pbem.audit.note import COSIGNATURE, ED25519, Key, Sign, decode64, encode64, parse_key
from pbem.audit.signing import signer
from pbem.audit.witness import Proven, ShownList
from pbem.audit.witnessing import HeldList
from pbem.cli.exit_codes import Stop
from pbem.cli.setting_files import Misconfigured, read_key, read_settings
from pbem.cli.settings import Mailing, Section, authorities
from pbem.mail.address import check_address
from pbem.store import durable
from pbem.store.durable import Unwritten

Where = tuple[str, str, int]


class Lists:
    """The lists in a file, which is read once: in memory is only where each of them stands in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[Where, int] = {}
        self._end = 0
        try:
            with path.open("rb") as file:
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._places[sees.list_of(_read(line).proven.shown.data).where] = self._end
                    self._end += len(line)
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError) as wrong:
            raise Stop(f"{path} cannot be read, and a witness who forgot may see a second list: {wrong}") from None

    def find(self, where: Where) -> HeldList | None:
        """The list of a segment, if one was seen."""
        place = self._places.get(where)
        if place is None:
            return None
        with self.path.open("rb") as file:
            file.seek(place)
            return _read(file.readline())

    def keep(self, new: Iterable[HeldList]) -> None:
        """Write lists down for good; Unwritten if that cannot be, and then none of them is kept."""
        lines = [(sees.list_of(one.proven.shown.data).where, _line_of(one)) for one in new]
        if not lines:
            return
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "r+b") as file:
                file.truncate(self._end)
                file.seek(self._end)
                file.write(b"".join(line for _, line in lines))
                file.flush()
                os.fsync(descriptor)
        except OSError as wrong:
            raise Unwritten(wrong.errno, wrong.strerror, str(self.path)) from wrong
        for where, line in lines:
            self._places[where] = self._end
            self._end += len(line)


def _line_of(one: HeldList) -> bytes:
    shown = one.proven.shown
    told = {
        "at": one.at,
        "number": shown.at,
        "leaf": encode64(shown.data),
        "path": [encode64(part) for part in shown.path],
        "note": one.proven.note.decode("utf-8"),
    }
    return json.dumps(told, ensure_ascii=False).encode("utf-8") + b"\n"


def _read(line: bytes) -> HeldList:
    told = json.loads(line)
    shown = ShownList(told["number"], decode64(told["leaf"]), tuple(decode64(part) for part in told["path"]))
    return HeldList(told["at"], Proven(shown, told["note"].encode("utf-8")))


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
    folder = path.resolve().parent
    try:
        told = read_settings(Witnessing, path, "pbem witness init")
        told = told.model_copy(update=authorities(told, folder))
        secret = read_key(folder / told.witness.key)
    except Misconfigured as wrong:
        raise Stop(str(wrong)) from None
    key, sign = signer(told.witness.name, secret, COSIGNATURE)
    return Home(told, key, sign, secret, folder / told.witness.state)
