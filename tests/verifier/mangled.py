"""Mails with proofs, as chance, a bad program or somebody who means harm would spoil them."""

from __future__ import annotations

import random

from tests.audit.simulated import first_phase
from tests.audit.small_server import Server
from tests.audit.test_letters import mail

PIECES = (
    b"\n\n",
    b"\r\n",
    b"--",
    b"=",
    b'"',
    b";",
    b" ",
    b"\t",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"From ",
    b"\nFrom a\n",
    b"*0*=",
    b"filename*=utf-8''pbemdice.txt",
    b'; filename*0="pbem"; filename*1="dice.txt"',
    b"=?utf-8?q?pbemdice=2Etxt?=",
    b"=?utf-8?b?cGJlbWRpY2UudHh0?=",
    b'Content-Type: multipart/mixed; boundary="x"\n\n--x\n',
    b"Content-Type: message/rfc822\n\n",
    b"Content-Transfer-Encoding: base64\n",
    b"pbemdice/v1/bundle\n",
    b"Received: x; Wed, 23 Aug 2023 17:05:00 +0200\n",
    b"Received: x; 1 2 3\n",
    b"Received: x; 23-Aug-23 17:05 EST\n",
    b"Received: x; Wed, 31 Feb 2023 25:61:00 +9999\n",
    b"Received: ;23 Aug 69 7:5:0 Z\n",
)
SOUND = [
    mail(item.data, how).as_bytes()
    for item in first_phase(Server())[:3]
    for how in ("7bit", "quoted-printable", "base64")
]


def mangled(seed: int) -> list[tuple[str, bytes]]:
    """One or two files, each of a mail or an mbox of two, spoilt in some places, mostly above the proofs."""
    chance = random.Random(seed)
    return [(f"{seed}-{number}", spoilt(chance)) for number in range(chance.choice((1, 1, 2)))]


def spoilt(chance: random.Random) -> bytes:
    raw = bytearray(chance.choice(SOUND))
    if chance.random() < 0.2:
        raw = bytearray(b"From x\n" + bytes(raw) + b"\n\nFrom y\n" + chance.choice(SOUND))
    head = bytes(raw).find(b"pbemdice/v1/bundle")
    for _ in range(chance.randrange(1, 5)):
        limit = len(raw) if chance.random() < 0.3 or head < 0 else head
        start, other, what = chance.randrange(limit + 1), chance.randrange(limit + 1), chance.random()
        if what < 0.3:
            del raw[start : start + chance.randrange(1, 12)]
        elif what < 0.7:
            raw[start:start] = chance.choice(PIECES)
        elif what < 0.9:
            raw[start : start + 1] = bytes([chance.randrange(256)])
        else:
            raw[start:start] = raw[other : other + chance.randrange(1, 200)]
    return bytes(raw)
