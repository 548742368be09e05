"""Letters fuzzed: nothing that comes in at the door gets more out of it than a verdict.

``python -m tests.fuzz_mail --runs 1000000`` changes letters of a corpus, keeps those that reach a line or a step from
line to line of `pbem.mail` which none reached before, and changes them further. What raises, what breaks a promise of
`inbound.read_letter`, and what takes longer than a letter may is written to ``--out`` and ends the run with 1. With
atheris installed (the extra ``fuzz``) its engine is used; without it a loop of our own, guided by the interpreter's
trace.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from pbem.mail import TEXT_LINES, mime
from pbem.mail.address import OwnAddresses
from pbem.mail.inbound import IncomingLetter, read_letter
from pbem.mail.quoting import block_fingerprint, phrases_of

HERE = Path(__file__).parent
MAIL = str(Path(mime.__file__).parent)
OWN = OwnAddresses("judge", "war.test")
TEMPLATES = {"k7q2": block_fingerprint("ORDERS T3 #k7q2\n# MOVE Leon TO Sierra\nEND")}
OURS = phrases_of("Send your orders by Monday 2026-11-23, 20:00 UTC.\nNizam was assaulted by Prim and lost.")
SLOW = 10.0
"""Seconds of processor time that no letter of 64 KB may take, however loaded the machine is."""
SIZE = 65_536

PIECES = [
    *(b"\r\n", b"\n", b"\r", b"\n\n", b"\0", b"\xff", b"\xed\xa0\x80", b"\x1b[2J", b"\xe2\x80\xae", b" ", b"\t"),
    *(b"=?utf-8?b?", b"=?utf-8?q?=00?=", b"?=", b"=\n", b"=3D", b"(" * 40, b")" * 40, b'"', b"\\", b"<", b">", b";"),
    *(b"Content-Type: multipart/mixed; boundary=b\n", b"Content-Type: multipart/alternative; boundary=\n"),
    *(b"Content-Type: text/html\n", b"Content-Type: text/plain; format=flowed; delsp=yes\n", b"--b\n", b"--b--\n"),
    *(b"Content-Type: message/rfc822\n", b"Content-Type: message/delivery-status\n", b"boundary*0*=utf-8''b\n"),
    *(b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n", b"Status: 5.1.1\n"),
    *(b"Content-Transfer-Encoding: base64\n", b"Content-Transfer-Encoding: x-uuencode\n", b"charset=utf-16\n"),
    *(b"charset=unicode_escape\n", b"charset=idna\n", b"charset*=utf-7''x\n", b"begin 644 x\n", b"Date: x\n"),
    *(b"From: a@b.c\n", b"To: judge+a-b-abcdefghijklmnop@war.test\n", b"Return-Path: <>\n", b"Message-ID: <x@y>\n"),
    *(b"Authentication-Results: war.test; dkim=pass header.d=b.c\n", b"Action: failed\n", b"DKIM-Signature: v=1\n"),
    *(b"ORDERS T3 #k7q2\n", b"END\n", b"MOVE Leon TO Sierra\n", b"> ", b"-- \n", b"##- x -##\n", b"STATUS\n"),
    *(b"On 1 Jan 2026 10:00 a@b.c wrote:\n", b"From: x\nSent: 1/1/26\nTo: y\n", b"<blockquote>", b"</blockquote>"),
    *(b"<div class=gmail_quote>", b"<table><tr><td>", b"<pre>", b"<div style=display:none>", b"&#0;", b"&#xd800;"),
    *(b"<!--", b"<![CDATA[", b"<base href=x>", b"<div>" * 50, "e\u0301\u0316".encode() * 20, "\u2028".encode()),
]


def seeds() -> list[bytes]:
    """The letters of the fixtures, a few made of nothing, and one of each client."""
    from tests.mail.envelopes import written
    from tests.mail.test_replies import MATRIX, made

    samples = [path.read_bytes() for path in sorted((HERE / "mail" / "letters").glob("*.eml"))]
    dice = random.Random(1)
    samples += [written(client, form, made(language, case)) for client, form, language, case in dice.sample(MATRIX, 60)]
    return [b"", b"\n", b"From: a@b.c\n\nSTATUS\n", *samples]


def verdict(raw: bytes) -> IncomingLetter:
    """Check that the result of `inbound.read_letter` keeps its promises; raise AssertionError if not."""
    letter = read_letter(raw, OWN, TEMPLATES)
    assert letter.message_id.startswith("<"), "a letter without a name"
    assert letter.message_id.isprintable(), "a name that is not printable"
    assert letter.text == "" or letter.refusal is None, "a refused letter with a text"
    assert letter.refusal is None or letter.reason, "a refusal without a reason"
    for text in (letter.text, letter.subject, letter.sender, letter.reason, *letter.recipients):
        text.encode("utf-8")
        assert mime.clean_text(text) == text, "a text that is not clean"
    for field in (letter.subject, letter.sender, *letter.recipients, *letter.references):
        assert "\n" not in field, "a field of two lines"
    if letter.refusal is None:
        assert letter.text.count("\n") < TEXT_LINES, "more lines than are read"
    return letter


def mutate(raw: bytes, others: list[bytes], dice: random.Random) -> bytes:
    """Change a letter here and there."""
    for _ in range(dice.choice((1, 1, 2, 4, 8))):
        begin = dice.randrange(len(raw) + 1)
        to = min(len(raw), begin + int(dice.expovariate(1 / 20)))
        way = dice.randrange(7)
        if way == 0:
            raw = raw[:begin] + dice.choice(PIECES) + raw[begin:]
        elif way == 1:
            raw = raw[:begin] + raw[to:]
        elif way == 2:
            raw = raw[:begin] + raw[begin:to] * dice.choice((2, 3, 50)) + raw[to:]
        elif way == 3:
            raw = raw[:begin] + bytes(dice.randrange(256) for _ in range(dice.randrange(1, 5))) + raw[to:]
        elif way == 4:
            other = dice.choice(others)
            start = dice.randrange(len(other) + 1)
            raw = raw[:begin] + other[start : start + int(dice.expovariate(1 / 200))] + raw[to:]
        elif way == 5:
            raw = raw[:begin] + dice.choice(PIECES) * dice.choice((1, 2, 30)) + raw[to:]
        else:
            rows = raw.split(b"\n")
            i, j = dice.randrange(len(rows)), dice.randrange(len(rows))
            rows[i], rows[j] = rows[j], rows[i]
            raw = b"\n".join(rows)
    return raw[:SIZE]


class Trace:
    """Steps from line to line within `pbem.mail`, as many as were ever taken."""

    def __init__(self) -> None:
        self.known: set[int] = set()
        self.fresh = False
        self.ours: dict[CodeType, bool] = {}

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        ours = self.ours.get(code)
        if ours is None:
            ours = self.ours[code] = code.co_filename.startswith(MAIL)
        if not ours:
            return None
        last = 0
        name = hash(code.co_name)

        def line(frame: FrameType, event: str, arg: Any) -> Callable[..., Any]:
            nonlocal last
            step = name ^ (last * 65_599 + frame.f_lineno)
            if step not in self.known:
                self.known.add(step)
                self.fresh = True
            last = frame.f_lineno
            return line

        return line

    def reaches_more(self, raw: bytes) -> bool:
        """Whether a letter takes a step that none took before."""
        self.fresh = False
        sys.settrace(self)
        try:
            verdict(raw)
        finally:
            sys.settrace(None)
        return self.fresh


def loop(runs: int, seconds: float, first: int, fault: Callable[[bytes, BaseException], None]) -> Iterator[str]:
    """Our own engine: runs, and every so often a line that says how far it has come."""
    dice, trace = random.Random(first), Trace()
    corpus = seeds()
    begun = time.monotonic()
    for run in range(1, runs + 1):
        raw = corpus[run - 1] if run <= len(corpus) else mutate(dice.choice(corpus), corpus, dice)
        spent = time.process_time()
        try:
            if trace.reaches_more(raw) and run > len(corpus):
                corpus.append(raw)
            if time.process_time() - spent > SLOW:
                raise TimeoutError(f"took {time.process_time() - spent:.1f} s")
        except Exception as wrong:
            fault(raw, wrong)
        if run % 10_000 == 0 or run == runs:
            yield f"{run} letters, {len(corpus)} in the corpus, {len(trace.known)} steps"
        if time.monotonic() - begun > seconds:
            yield f"{run} letters in {seconds:.0f} s, {len(corpus)} in the corpus, {len(trace.known)} steps"
            return


def with_atheris(runs: int, seconds: float) -> None:
    """The engine of atheris; it ends the process itself."""
    import atheris

    with atheris.instrument_imports(include=["pbem.mail", "email"]):
        import importlib

        # In this order each finds the instrumented one of those below it.
        for name in ("address", "html", "mime", "marks", "quoting", "inbound"):
            again = importlib.reload(sys.modules[f"pbem.mail.{name}"])
    global read_letter
    read_letter = again.read_letter
    folder = Path(".hypothesis") / "mail-corpus"
    folder.mkdir(parents=True, exist_ok=True)
    for raw in seeds():
        (folder / hashlib.sha256(raw).hexdigest()[:20]).write_bytes(raw)
    limits = [
        f"-runs={runs}",
        f"-max_total_time={int(seconds)}",
        f"-max_len={SIZE}",
        "-timeout=20",
        "-rss_limit_mb=2048",
    ]
    atheris.Setup([sys.argv[0], *limits, str(folder)], verdict)
    atheris.Fuzz()


def main() -> int:
    """Fuzz; 1 if something was found."""
    reader = argparse.ArgumentParser(prog="python -m tests.fuzz_mail")
    reader.add_argument("--runs", type=int, default=100_000)
    reader.add_argument("--seconds", type=float, default=86_400)
    reader.add_argument("--first", type=int, default=0, help="the seed of the dice")
    reader.add_argument("--out", type=Path, default=Path(".hypothesis/mail-faults"))
    reader.add_argument("--engine", choices=("auto", "own"), default="auto")
    arguments = reader.parse_args()
    if arguments.engine == "auto":
        try:
            import atheris  # noqa: F401
        except ImportError:
            print("atheris is not installed; the loop of our own is used", file=sys.stderr)
        else:
            with_atheris(arguments.runs, arguments.seconds)
            return 0
    reported: set[str] = set()

    def fault(raw: bytes, wrong: BaseException) -> None:
        frame = wrong.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        where = f"{type(wrong).__name__} {wrong} line {frame.tb_lineno if frame else 0}"[:200]
        if where not in reported:
            reported.add(where)
            arguments.out.mkdir(parents=True, exist_ok=True)
            path = arguments.out / f"{hashlib.sha256(raw).hexdigest()[:12]}.eml"
            path.write_bytes(raw)
            print(f"FOUND {where}: {path}", flush=True)

    for line in loop(arguments.runs, arguments.seconds, arguments.first, fault):
        print(line, flush=True)
    return 1 if reported else 0


if __name__ == "__main__":
    raise SystemExit(main())
