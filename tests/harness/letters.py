"""Write letters to a server, and show in plain English what it answers."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from pbem.engine.data.messages import Msg, plain_english
from pbem.store import tables


class PlainLetters:
    """Letters as a list of everything they hold, in English."""

    def subject(self, letter: Any, language: str) -> str:
        return plain_english(Msg.from_json(letter["subject"]))

    def letter(self, letter: Any, language: str, aloud: bool = False) -> str:
        lines = [
            f"kind: {letter['kind']} ({language}{', aloud' if aloud else ''})",
            *map(plain_text, letter["opening"]),
        ]
        if letter["report"]:
            lines += [
                f"#{n} {plain_text(e['text'])} [{e['rule']}]" for n, e in enumerate(letter["report"]["entries"], 1)
            ]
        for error in letter["errors"]:
            lines += [f"line {error['line']}: {error['text']}", " " * error["column"] + "^" * error["width"]]
            lines += [f"{plain_text(error['why'])} [{error['rule']}] {error['suggestions']}"]
        lines += [f"warning, line {w['line']}: {plain_text(w['why'])}" for w in letter["warnings"]]
        for block in letter["blocks"]:
            lines += [plain_text(block["title"]) + ":", *map(shown, block["lines"])]
        return "\n".join([*lines, *map(plain_text, letter["closing"]), *letter["template"]]) + "\n"

    def page(self, letter: Any, language: str) -> str:
        return f"<pre>{self.letter(letter, language)}</pre>\n"


def shown(line: Any) -> str:
    if isinstance(line, dict):
        return plain_text(line)
    return line if isinstance(line, str) else "  " * line[0] + plain_text(line[1])


def plain_text(value: Any) -> str:
    return plain_english(Msg.from_json(value))


def text_of(row: tables.Outbox) -> str:
    return PlainLetters().letter(json.loads(row.model), row.language)


COUNT = iter(range(1, 1_000_000))


def mail(sender: str, recipient: str, text: str, **headers: Any) -> bytes:
    """A letter as bytes; every one has a Message-ID of its own unless one is given."""
    given: dict[str, Any] = {
        "From": sender,
        "To": recipient,
        "Subject": "orders",
        "Message-ID": f"<{next(COUNT)}@players.example>",
    }
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    if isinstance(given.get("Date"), datetime):
        given["Date"] = given["Date"].strftime("%a, %d %b %Y %H:%M:%S +0000")
    form = {"MIME-Version": "1.0", "Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "8bit"}
    given |= {name: value for name, value in form.items() if name not in given}
    head = "".join(f"{name}: {value}\n" for name, value in given.items() if value is not None)
    return (head + "\n" + text).replace("\n", "\r\n").encode("utf-8")
