"""Letters as they are mailed: those of sessions, of stories, and of a tournament of each format.

A letter is shown with its headers as they stand, and each of its parts with its headers and its decoded text. Nothing
is masked: clocks stand, and tokens, codes, salts and Message-IDs follow from keys that tests fix. Left out are the
bytes of pictures, which follow from libraries and fonts; what they show is named by the page beside them.
"""

from __future__ import annotations

import email.policy
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from pbem.runtime import bot_versions
from pbem.server import outbox_sender
from tests.contract.kept import Texts
from tests.harness import session
from tests.letters import stories

SESSIONS = sorted(Path(__file__).parents[1].glob("sessions/*.txt"))
STORIES = sorted(stories.STORIES.glob("*.txt"))


@contextmanager
def recorded() -> Iterator[list[bytes]]:
    """Collect the bytes of all letters that are rendered meanwhile, one after the other."""
    letters: list[bytes] = []
    render = outbox_sender.render

    def recording(*given: Any) -> tuple[bytes, ...]:
        made = render(*given)
        letters.extend(made)
        return made

    # The version of a bot's program that letters name is another after each change of it.
    with (
        mock.patch.object(outbox_sender, "render", recording),
        mock.patch.object(bot_versions, "code_digest", return_value="0" * 12),
    ):
        yield letters


def session_texts(paths: Sequence[Path] = SESSIONS) -> Texts:
    """Return the letters of every session."""
    return {path.stem: _played(partial(session.play, session.read(path)[1])) for path in paths}


def story_texts(paths: Sequence[Path] = STORIES) -> Texts:
    """Return the letters of every story."""
    return {path.stem: _played(partial(stories.play, stories.read(path)[1])) for path in paths}


def _played(play: Any) -> str:
    with recorded() as letters:
        play()
    return shown(letters)


def shown(letters: Iterable[bytes]) -> str:
    """Return letters as text, one after the other."""
    read = (message_from_bytes(raw, policy=email.policy.compat32) for raw in letters)
    return "".join(f"~~~~~~~~ a letter\n{_letter(letter)}" for letter in read)


def _letter(part: Message) -> str:
    """Return the headers of a letter or of a part, and what it holds."""
    headers = "".join(f"{name}: {value}\n" for name, value in part.items()).replace("\r\n", "\n")
    held = part.get_payload()
    if isinstance(held, list):
        return headers + "".join(f"~~~~ a part\n{_letter(part)}" for part in held if isinstance(part, Message))
    if part.get_content_maintype() == "image":
        return headers
    held = part.get_payload(decode=True)
    assert isinstance(held, bytes)
    text = held.decode("utf-8").replace("\r\n", "\n")
    return f"{headers}\n{text}" + ("" if text.endswith("\n") else "\n")
