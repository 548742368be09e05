"""The plain letters of `tests.mail.blind` as other programs would have sent them: as HTML, spaced, with other blanks.

``python -m tests.mail.blind_turned`` prints the figures of each way, ``-v`` what went wrong.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator, Sequence

from tests.mail.blind import samples
from tests.mail.corpus import Sample, measured, ours

PLAIN, PAGE = "text/plain; charset=utf-8\r\n", "text/html; charset=utf-8\r\n"


def _divs(lines: Sequence[str]) -> str:
    return "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in lines)


def _breaks(lines: Sequence[str]) -> str:
    return "<br>\n".join(html.escape(line) for line in lines)


def _word(lines: Sequence[str]) -> str:
    return "".join(f'<p class="MsoNormal">{html.escape(line) or "&nbsp;"}<o:p></o:p></p>' for line in lines)


def _fixed(lines: Sequence[str]) -> str:
    return f"<pre>{html.escape(chr(10).join(lines))}</pre>"


WAYS: dict[str, tuple[str, Callable[[Sequence[str]], str]]] = {
    "div": (PAGE, _divs),
    "br": (PAGE, _breaks),
    "word": (PAGE, _word),
    "pre": (PAGE, _fixed),
    "hard blanks": (PLAIN, lambda lines: "\n".join(line.replace("  ", " \u00a0") for line in lines)),
    "spaced": (PLAIN, "\n\n".join),
    "trailing blanks": (PLAIN, lambda lines: "\n".join(f"{line} " for line in lines)),
}


def turned(collection: str, way: str) -> Iterator[Sample]:
    """The letters of a collection that are plain text, each in another way."""
    kind, change = WAYS[way]
    for sample in samples(collection):
        head, body = sample.raw.decode().split("\r\n\r\n", 1)
        if PLAIN not in f"{head}\r\n":
            continue
        content = change(body.replace("\r\n", "\n").rstrip("\n").split("\n"))
        page = f"<html><body>{content}</body></html>" if kind == PAGE else content
        letter = f"{head}\r\n".replace(PLAIN, kind) + "\r\n" + page.replace("\n", "\r\n") + "\r\n"
        yield sample._replace(raw=letter.encode())


def main() -> None:
    """Print the figures of each way."""
    for way in WAYS:
        for collection in "abcd":
            result = measured(ours, turned(collection, way))
            print(
                f"{collection.upper()} {way}: {result.letters} letters, {len(result.leaks)} leak, "
                f"{len(result.losses)} lose, {len(result.older)} older carried out"
            )
            if "-v" in sys.argv:
                print(*(f"  {name}" for name in (*result.leaks, *result.losses, *result.older)), sep="\n")


if __name__ == "__main__":
    main()
