"""The MIME that mail clients wrap an answer in: one part or both, flowed or encoded, with attachments."""

from __future__ import annotations

import quopri
from base64 import b64encode
from collections.abc import Iterator, Sequence

from tests.mail.replies import CLIENTS, PLAYER, SEAT, Client, Reply, lines


def part(kind: str, text: str, *, charset: str = "utf-8", encoding: str = "quoted-printable", more: str = "") -> bytes:
    data = text.encode(charset, "xmlcharrefreplace" if kind == "text/html" else "replace")
    coded = {
        "quoted-printable": lambda: quopri.encodestring(data),
        "base64": lambda: b"\n".join(b64encode(data[index : index + 57]) for index in range(0, len(data), 57)) + b"\n",
        "8bit": lambda: data,
    }[encoding]()
    return f"Content-Type: {kind}; charset={charset}{more}\nContent-Transfer-Encoding: {encoding}\n\n".encode() + coded


def several(kind: str, boundary: str, parts: Sequence[bytes]) -> bytes:
    body = b"".join(f"--{boundary}\n".encode() + part.rstrip(b"\n") + b"\n\n" for part in parts)
    return f'Content-Type: multipart/{kind}; boundary="{boundary}"\n\n'.encode() + body + f"--{boundary}--\n".encode()


PICTURE = (
    b"Content-Type: image/png; name=map.png\nContent-Disposition: inline\nContent-Transfer-Encoding: base64\n\niVBORw0K"
)
OLD_PLAN = (
    b'Content-Type: text/plain; name="old.txt"\nContent-Disposition: attachment; filename="old.txt"\n\n'
    b"ORDERS T3\nMOVE Old TO Attached\nEND\n"
)


def flowed(text: str, delsp: bool) -> str:
    """Long lines of the author broken as RFC 3676 has it; quoted ones keep their marks."""
    out = []
    for line in lines(text):
        mark = line[: len(line) - len(line.lstrip("> "))] if line.startswith(">") else ""
        rest = line[len(mark) :].rstrip() if line != "-- " else line
        pieces = list(_pieces(rest, 30))
        gap = "  " if delsp else " "
        out += [mark + piece + (gap if n + 1 < len(pieces) else "") for n, piece in enumerate(pieces)]
    return "\n".join(out)


def _pieces(text: str, width: int) -> Iterator[str]:
    while len(text) > width and " " in text[width // 2 : width]:
        position = text.rindex(" ", 0, width)
        yield text[:position]
        text = text[position + 1 :]
    yield text


FORMS = ("plain", "alternative", "html", "flowed", "delsp", "base64", "mixed", "related", "latin", "8bit")


def body(client: Client, form: str, reply: Reply) -> bytes:
    """The letter's content in one of the forms that clients send."""
    plain = client.plain(reply)
    head = '<html><head><meta http-equiv="Content-Type" content="text/html"></head>'
    html_part = part("text/html", f"{head}<body>{client.html(reply)}</body></html>")
    if form == "plain":
        return part("text/plain", plain)
    if form in ("flowed", "delsp"):
        more = "; format=flowed" + ("; delsp=yes" if form == "delsp" else "")
        return part("text/plain", flowed(plain, form == "delsp"), more=more)
    if form == "base64":
        return part("text/plain", plain, encoding="base64")
    if form == "8bit":
        return part("text/plain", plain, encoding="8bit")
    if form == "latin":
        return part("text/plain", plain.replace("\u202f", " ").replace("\ufeff", ""), charset="iso-8859-1")
    if form == "html":
        return html_part
    both = several("alternative", "_000_alt", [part("text/plain", plain), html_part])
    if form == "alternative":
        return both
    if form == "related":
        return several("related", "_000_rel", [both, PICTURE])
    return several("mixed", "_000_mix", [both, OLD_PLAN, PICTURE])


def written(name: str, form: str, reply: Reply) -> bytes:
    """The whole letter as it comes in."""
    client = CLIENTS[name]
    mailer = f"X-Mailer: {client.mailer}\n" if client.mailer else ""
    subject = "Fwd: wt-042 T3" if name == "forward" else "Re: wt-042 T3"
    head = (
        f"Return-Path: <{PLAYER}>\nDelivered-To: {SEAT}\nFrom: Ana <{PLAYER}>\nTo: {reply.judge} <{SEAT}>\n"
        f"Subject: {subject}\nDate: Sat, 21 Nov 2026 12:00:00 +0100\nMessage-ID: <{name}.{form}@players.test>\n"
        f"In-Reply-To: <wt-042.last@war.test>\nReferences: <wt-042.root@war.test> <wt-042.last@war.test>\n"
        f"{mailer}MIME-Version: 1.0\n"
    )
    return (head.encode() + body(client, form, reply)).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
