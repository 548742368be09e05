"""Letters that were written down before the reader of letters was held against them.

`samples` reads the files of `tests/mail/blind`. In them a line ``=== name | form | own ...`` begins a letter in each
of the bodies named (`tests.mail.blind_bodies`); form is plain, flowed (RFC 3676), delsp, html or both (plain, then
HTML below a line ``---``). What follows is the letter, its first column saying whose a line is:

    +  its author's               @own QUOTED     the body in question, with what is quoted behind it on its last line
    -  quoted                     @old NAME MARK  a body of `blind_quotes`, MARK before each line
    ?  nobody minds

HTML is written as it is; in it ``[[...]]`` is the author's, ``{{...}}`` nobody minds, the rest is quoted. ``@own TAG``
and ``@old NAME TAG`` set each line of a body into an element (`TAGS`). `\\u` escapes stand for what cannot be seen.

``python -m tests.mail.blind`` prints the figures of each collection, ``-v`` what went wrong.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.mail.blind_bodies import OWN
from tests.mail.blind_quotes import OLD
from tests.mail.corpus import Sample, measured, ours

FILES = Path(__file__).parent / "blind"
SEAT = "judge+wt-042-spain-abcdefghijklmnop@war.test"
HEAD = (
    "From: Ana <ana@players.test>\nTo: Judge <{seat}>\nSubject: Re: wt-042 T5\nDate: Sat, 21 Nov 2026 12:00:00 +0100\n"
    "Message-ID: <{name}@players.test>\nMIME-Version: 1.0\nContent-Type: {kind}\nContent-Transfer-Encoding: 8bit\n\n"
)
KINDS = {"plain": "", "flowed": "; format=flowed", "delsp": "; format=flowed; delsp=yes"}
TAGS = {
    "br": ("", "<br>", "<br>"),
    "div": ("<div>", "</div>", "<div><br></div>"),
    "p": ("<p>", "</p>", ""),
    "mso": ('<p class="MsoNormal">', "<o:p></o:p></p>", '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>'),
    "pre": ("", "\n", "\n"),
}


class Content:
    """A letter as it grows: its text, and the lines in it that are its author's or that nobody minds."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.own: list[str] = []
        self.either: list[str] = []

    def add_plain(self, line: str, body: str) -> None:
        mark, rest = line[:1], line[1:]
        command, _, after = rest.partition(" ")
        if mark == "@" and command == "own":
            self.lines += (f"{body} {after}" if after else body).split("\n")
            self.own += body.split("\n")
        elif mark == "@":
            name, _, before = after.partition(" ")
            self.lines += [(before + line) if line else before.rstrip() for line in OLD[name].split("\n")]
        elif mark in "+-?":
            self.lines.append(rest)
            {"+": self.own, "?": self.either, "-": [], "": []}[mark].append(rest)
        else:
            raise ValueError(line)

    def add_html(self, line: str, body: str) -> None:
        if line.startswith("@"):
            command, *args = line[1:].split()
            text = body if command == "own" else OLD[args[0]]
            before, after, empty = TAGS[args[-1]]
            self.lines += [before + html.escape(line) + after if line else empty for line in text.split("\n")]
            self.own += text.split("\n") if command == "own" else []
            return
        for mark, texts in (("[[", self.own), ("{{", self.either)):
            pattern = re.escape(mark) + r"(.*?)" + re.escape({"[[": "]]", "{{": "}}"}[mark])
            texts += [html.unescape(re.sub("<[^>]*>", "", text)) for text in re.findall(pattern, line)]
        self.lines.append(re.sub(r"\[\[|\]\]|\{\{|\}\}", "", line))


def _letters(text: str) -> Iterator[tuple[list[str], list[str]]]:
    for block in re.split(r"^=== ", text, flags=re.M)[1:]:
        first, *lines = block.rstrip("\n").split("\n")
        yield [cell.strip() for cell in first.split("|")], [_seen(line) for line in lines if line]


def _seen(line: str) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), line)


def _sample(name: str, form: str, lines: Sequence[str], body: str) -> Sample:
    divider = lines.index("---") if "---" in lines else 0
    plain, page = Content(), Content()
    for line in lines[:divider] if form == "both" else lines:
        (page if form == "html" else plain).add_html(line, body) if form == "html" else plain.add_plain(line, body)
    if form == "both":
        for line in lines[divider + 1 :]:
            page.add_html(line, body)
    text, hypertext = "\n".join(plain.lines) + "\n", "<html><body>" + "\n".join(page.lines) + "</body></html>\n"
    kind = "text/html; charset=utf-8"
    if form == "both":
        kind, inside = 'multipart/alternative; boundary="B"', ""
        for subtype, part in (("plain", text), ("html", hypertext)):
            inside += f"--B\nContent-Type: text/{subtype}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n{part}\n"
        content = inside + "--B--\n"
    elif form == "html":
        content = hypertext
    else:
        kind, content = f"text/plain; charset=utf-8{KINDS[form]}", text
    head = HEAD.format(seat=SEAT, name=re.sub(r"\W", "-", name), kind=kind)
    version = plain if plain.own else page
    return Sample(name, (head + content).encode().replace(b"\n", b"\r\n"), tuple(version.own), tuple(version.either))


def samples(collection: str) -> Iterator[Sample]:
    """The letters of a collection, by the first letter of its files."""
    for path in sorted(FILES.glob(f"{collection}-*.txt")):
        for (name, form, bodies), lines in _letters(path.read_text("utf-8")):
            for body in bodies.split():
                yield _sample(f"{name} {body}", form, lines, OWN[body])


def main() -> None:
    """Print the figures of each collection."""
    for collection in sorted({path.name[0] for path in FILES.glob("*.txt")}):
        result = measured(ours, samples(collection))
        for name, wrong in (("leak", result.leaks), ("loss", result.losses), ("older carried out", result.older)):
            share = 100 * len(wrong) / result.letters
            print(f"{collection.upper()} {name}: {len(wrong)} of {result.letters}, {share:.2f} %")
            if "-v" in sys.argv:
                print(*(f"  {name}" for name in wrong), sep="\n")


if __name__ == "__main__":
    main()
