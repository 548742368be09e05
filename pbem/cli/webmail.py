"""Show mailboxes in the browser and send letters from it, over IMAP and SMTP.

Every account has a page of its own under a secret path. Every action there is a letter sent by SMTP; every letter
shown came by IMAP. A letter's page is shown in a frame without scripts; pages attached by the game server are shown
in a frame whose scripts cannot reach anything outside. The addresses of frames do not contain the secret.
"""

from __future__ import annotations

import email.message
import email.policy
import email.utils
import hmac
import json
import re
import secrets
import smtplib
import threading
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from imapclient import IMAPClient
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from pbem.cli.pages import page_words, say_in_language
from pbem.cli.webmail_server import safe_page, with_headers
from pbem.data import data
from pbem.engine.data.canon import Json
from pbem.engine.data.languages import supported_languages
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import block
from pbem.letters.content import NEWS_OF_KIND as KINDS
from pbem.mail import CODE_PATTERN
from pbem.mail.address import author_address, base_address, check_address, find_addresses
from pbem.mail.mime import check_limits, decode_text, decode_words, read_fields
from pbem.mail.outbound import read_message_id
from pbem.pages.desk import ATTACHMENT, desk_page

LONGEST_LETTER = 100_000
"""Octets of a letter written in the browser, which is read into memory: orders for a side have a few thousand."""
SILENT = "no-referrer"
"""The referrer policy of frames and their links: scripts must not read the secret in the address around them."""
MOST_DESKS = 50
"""Desks whose orders are remembered, the last ones: one person tries few games, and memory has a limit."""
FIELDS = ("to", "subject", "body", "answers")
"""The fields of a letter to be written; `answers` is the Message-ID of the letter that it answers."""
OWN = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The policy of our own pages."""
LETTER = (
    "sandbox allow-top-navigation-by-user-activation; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""The policy of a letter's page: display only; its answers lead to the form for letters."""
PAGE = (
    "sandbox allow-scripts allow-downloads allow-top-navigation-by-user-activation; default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; img-src data: blob:; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
"""The policy of a page that came with a letter: its scripts run, and reach nothing outside the frame."""
WORDS = {
    "answer": msg("Answer"),
    "attachments": msg("Attachments"),
    "cancel": msg("Cancel"),
    "desk": msg("Choose orders on the map"),
    "game": msg("The game, step by step"),
    "from": msg("From {sender}, {moment}", sender="{sender}", moment="{moment}"),
    "letter": msg("A letter"),
    "letters": msg("Letters"),
    "new": msg("A new letter has come: show it."),
    "orders": msg("Write the orders"),
    "own": msg("You: {line}", line="{line}"),
    "seat": msg("Orders and questions about your game go to {address}.", address="{address}"),
    "silent": msg(
        "No letter has come. If you sent one, look whether its To was right, and send it again; if nothing comes "
        "then either, stop the program and start it again: nothing is lost."
    ),
    "none": msg("No letter yet. The server writes first; it takes some seconds."),
    "send": msg("Send"),
    "sent": msg("Sent. Waiting for the answer."),
    "subject": msg("Subject"),
    "text": msg("Text"),
    "to": msg("To"),
    "unsent": msg("It was not sent: {why}", why="{why}"),
    "write": msg("Write a letter"),
}
"""The words of the pages."""
COMMANDS = {
    "en": ("HELP", "STATUS", "LESSON", "HINT", "REVIEW"),
    "es": ("AYUDA", "ESTADO", "LECCION", "PISTA", "REPASO"),
}
"""Commands that have a button: the last one once the game is over, the others before."""
WRITE = msg("Write this letter")
"""The label of the desk's button when letters are written in the browser."""
ONE_ADDRESS = msg("name one address in To.")
# Such a line is sent back: a command, a few words, a code. The bounds are a choice; a longer line is prose.
_CODE = re.compile(rf"(?:[A-ZÁÉÍÓÚÑ]{{2,20}} .{{0,100}}\b)?(?:CODE|CODIGO|CÓDIGO) {CODE_PATTERN}")
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")  # goes into a header: no line end, and far from a line's 998 octets
_SAFE_NAME = re.compile(r"[^\w.-]+", re.ASCII)  # of a file, between the quotes of a header


class UnsentError(Exception):
    """Raised for a letter that was not sent, with the reason."""

    def __init__(self, why: Msg) -> None:
        super().__init__(str(why))
        self.why = why


class MailClient:
    """An account's mailbox by IMAP and SMTP, used by one request at a time."""

    def __init__(self, address: str, password: str, imap: tuple[str, int], smtp: tuple[str, int]) -> None:
        self.address, self._password, self._imap, self._smtp = address, password, imap, smtp
        self._lock = threading.Lock()
        self._client: IMAPClient | None = None
        self._known: dict[int, MailboxLetter] = {}

    def letters(self) -> list[MailboxLetter]:
        """Return all letters, newest first; letters read before are cached."""
        with self._lock:
            try:
                self._fetch()
            except (OSError, IMAPClient.Error):  # the connection may have been closed since: once more by a new one
                self._client = None
                self._fetch()
            return sorted(self._known.values(), reverse=True)  # by uid, which grows as letters come

    def _fetch(self) -> None:
        if self._client is None:
            host, port = self._imap
            self._client = IMAPClient(host, port, ssl=False, timeout=60)
            self._client.login(self.address, self._password)
        self._client.select_folder("INBOX", readonly=True)
        new = [uid for uid in self._client.search() if uid not in self._known]
        for uid, data_items in self._client.fetch(new, ["BODY.PEEK[]", "INTERNALDATE"]).items() if new else ():
            self._known[uid] = read_letter(uid, data_items[b"INTERNALDATE"], data_items[b"BODY[]"])

    def send(self, to: str, subject: str, body: str, answers: str) -> None:
        """Send a letter to one address.

        Raise UnsentError for a wrong or refused address, else OSError or SMTPException. The sender gets a copy.
        """
        addresses = find_addresses(to)
        letter = email.message.EmailMessage()
        try:
            (recipient,) = map(check_address, addresses)
            letter["From"], letter["To"], letter["Subject"] = self.address, recipient, " ".join(subject.split())
        except ValueError:
            raise UnsentError(ONE_ADDRESS) from None
        letter["Date"] = email.utils.localtime()
        letter["Message-ID"] = email.utils.make_msgid(domain=self.address.rpartition("@")[2])
        if _MESSAGE_ID.fullmatch(answers):
            letter["In-Reply-To"] = letter["References"] = answers
        letter.set_content(body.replace("\r\n", "\n").replace("\r", "\n") + "\n")
        host, port = self._smtp
        try:
            with smtplib.SMTP(host, port, timeout=60) as smtp:
                smtp.login(self.address, self._password)
                smtp.send_message(letter)
                smtp.send_message(letter, to_addrs=[self.address])
        except smtplib.SMTPRecipientsRefused:
            raise UnsentError(msg("there is no mailbox {address} here.", address=recipient)) from None


class MailboxLetter(NamedTuple):
    """A letter in a mailbox."""

    uid: int
    received: datetime
    message: email.message.EmailMessage

    def field(self, name: str) -> str:
        """Return a header as text on one line, or nothing."""
        values = (str(value) for key, value in self.message.raw_items() if key.lower() == name.lower())
        return decode_words(next(values, ""))

    @property
    def game(self) -> str:
        """Return the game that a letter of the game server is about."""
        return self.field("Message-ID").strip("<>").partition(".")[0]

    @property
    def kind(self) -> str:
        """Return the kind of a server's letter."""
        return read_message_id(self.field("Message-ID"))[1]

    @property
    def first_line(self) -> str:
        """Return the first line of the text that is not blank."""
        return next((line.strip() for line in self.text.split("\n") if line.strip()), "")

    @property
    def news(self) -> str:
        """Return the line below the sentinel, which says what the letter brings."""
        lines = self.text.split("\n")
        return lines[2].strip() if lines[0].startswith("##-") and len(lines) > 2 else ""

    def is_from(self, address: str) -> bool:
        """Return whether our mail server vouches that the owner of an address sent it."""
        return base_address(author_address(self.field("Return-Path"))) == base_address(address)

    @property
    def text(self) -> str:
        """Return the plain text."""
        return _content(self.message.get_body(("plain",)))

    @property
    def ready(self) -> tuple[str, str]:
        """Return the text's order form, and its line with a confirming code, or ""."""
        lines = self.text.split("\n")
        bare = [block.bare(line) for line in lines]
        first = next(
            (number for number, line in enumerate(bare) if (head := block.header(line)) and head.nonce), len(bare)
        )
        last = next((number for number, line in enumerate(bare) if number > first and block.ends(line)), -1)
        code = next((line.strip() for line in lines if _CODE.fullmatch(line.strip())), "")
        return "\n".join(lines[first : last + 1]), code

    @property
    def page(self) -> str:
        """Return the HTML text, empty if it has none."""
        return _content(self.message.get_body(("html",)))

    @property
    def parts(self) -> Sequence[email.message.Message]:
        """Return all parts with content."""
        return [part for part in self.message.walk() if not part.is_multipart()]

    @property
    def attachments(self) -> Sequence[tuple[int, str, str]]:
        """Return the number, name and type of each attachment.

        An attachment has a name, and is not shown within the letter's page.
        """
        return [
            (number, part.get_filename() or "", part.get_content_type())
            for number, part in enumerate(self.parts)
            if part.get_filename() and not part["Content-ID"]
        ]

    def part(self, name: str) -> bytes | None:
        """Return the content of the part of this name, or None."""
        parts = [part for part in self.parts if part.get_filename() == name]
        return _bytes(parts[0]) if parts else None


def read_letter(uid: int, received: datetime, raw: bytes) -> MailboxLetter:
    """Read a letter; show a malformed one as raw text, so that others still show."""
    try:
        check_limits(raw)
        message = email.message_from_bytes(raw, _class=email.message.EmailMessage, policy=email.policy.default)
        letter = MailboxLetter(uid, received, message)
        _ = letter.text, letter.page, letter.attachments, [part["Content-ID"] for part in letter.parts]
    except Exception:  # the library raises IndexError, LookupError, UnicodeError ... for broken letters
        plain = email.message.EmailMessage()
        plain["Subject"] = read_fields(raw).first("subject")[:200]
        plain.set_content(raw.decode("utf-8", "replace"))
        return MailboxLetter(uid, received, plain)
    return letter


class Webmail:
    """The pages of some mailboxes, by the secret in their addresses.

    `judge` is the address of the game server; `game` is the game that is played, "" if there is none yet.
    """

    def __init__(self, mailboxes: Mapping[str, MailClient], judge: str, language: str, game: str = "") -> None:
        self._mailboxes = mailboxes
        self._game = game
        self._written: dict[tuple[str, str], list[str]] = {}
        self._read: dict[str, set[int]] = {}
        self._judge = judge
        self._language = language
        self._words = {name: say_in_language("", language, sentence) for name, sentence in WORDS.items()}
        self._key = secrets.token_bytes(32)
        folder = FileSystemLoader(data("templates", "mailbox"))
        self._templates = Environment(
            loader=folder, undefined=StrictUndefined, autoescape=select_autoescape(["html.j2"])
        )
        self._templates.filters["clock"] = lambda moment: f"{moment:%d/%m %H:%M}"

    def app(self, hosts: Sequence[str]) -> ASGIApp:
        """Return the application; it answers under the names of `hosts` alone."""
        routes = [
            Route("/style.css", self.style),
            Route("/news.js", self.script),
            Route("/frame/{ticket}/{number:int}/{uid:int}/{what}", self.frame),
            Route("/{secret}/", self.mailbox),
            Route("/{secret}/letter/{uid:int}", self.mailbox),
            Route("/{secret}/part/{uid:int}/{number:int}", self.part),
            Route("/{secret}/write", self.write),
            Route("/{secret}/send", self.send, methods=["POST"]),
            Route("/{secret}/news", self.news),
        ]
        trusted = Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
        return with_headers(Starlette(routes=routes, middleware=[trusted]))

    def style(self, request: Request) -> Response:
        """Return the style sheet of our own pages."""
        return Response(data("templates", "mailbox", "style.css").read_text("utf-8"), media_type="text/css")

    def script(self, request: Request) -> Response:
        """Return the script that waits for the next letter."""
        return Response(data("templates", "mailbox", "news.js").read_text("utf-8"), media_type="text/javascript")

    def mailbox(self, request: Request) -> Response:
        """Show the list of letters and one of them, the newest by default."""
        account = self._of(request)
        if account is None:
            return _no_page()
        secret, box = account
        letters = box.letters()
        wanted = request.path_params.get("uid")
        received = [letter for letter in letters if not self._is_own(box, letter)]
        playing = [letter for letter in received if letter.is_from(self._judge) and self._game in ("", letter.game)]
        report = next((letter for letter in playing if letter.kind == "report"), None)
        if wanted is not None:
            shown = next((letter for letter in letters if letter.uid == wanted), None)
        elif report is None or request.query_params:
            shown = next(iter(received), None)
        else:
            shown = report
        if shown is None and wanted is not None:
            return _no_page()
        last_letter = next(
            (letter for letter in letters if shown and letter.game == shown.game and self._brings_archive(letter)), None
        )
        newest = next((letter for letter in playing if letter.part(ATTACHMENT)), None)
        values: dict[str, object] = {"shown": shown, "over": last_letter, **self._frames(secret, shown)}
        *during, after = COMMANDS.get(self._language, COMMANDS["en"])
        values["commands"] = [after] if last_letter else during
        values["newest"] = newest if newest and not self._is_over(letters, newest) else None
        if (sent := request.query_params.get("sent", "")).isdecimal():
            values["many"] = int(sent)
        values["waits"] = wanted is None and not request.query_params and report is None
        return self._page("mailbox.html.j2", secret, box, values)

    def write(self, request: Request) -> Response:
        """Show the form to write a letter, filled in by a link's fields."""
        account = self._of(request)
        if account is None:
            return _no_page()
        query = request.query_params
        draft = {name: query.get(name, "") for name in FIELDS}
        secret, box = account
        self._remember(secret, draft["body"])
        return self._page("write.html.j2", secret, box, {"wrong": "", **draft})

    async def send(self, request: Request) -> Response:
        """Send a letter from the form; return to the list, or to the form if refused."""
        account = self._of(request)
        if account is None or not _is_same_site(request):
            return _no_page()
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > LONGEST_LETTER:
                return _no_page()
        secret, box = account
        fields = {name: values[0] for name, values in parse_qs(body.decode("utf-8", "replace"), True).items()}
        if not hmac.compare_digest(fields.get("token", "").encode(), self._ticket(secret, "send").encode()):
            return _no_page()
        draft = {name: fields.get(name, "") for name in FIELDS}
        self._remember(secret, draft["body"])
        before = self._count_received(box, box.letters())
        try:
            box.send(draft["to"], draft["subject"], draft["body"], draft["answers"])
        except (UnsentError, OSError, smtplib.SMTPException) as wrong:
            why = say_in_language("", self._language, wrong.why) if isinstance(wrong, UnsentError) else str(wrong)
            return self._page("write.html.j2", secret, box, {"wrong": why, **draft})
        return RedirectResponse(f"/{secret}/?sent={before}", 303)

    def news(self, request: Request) -> Response:
        """Return the number of letters from others."""
        account = self._of(request)
        return (
            _no_page()
            if account is None
            else JSONResponse({"letters": self._count_received(account[1], account[1].letters())})
        )

    def part(self, request: Request) -> Response:
        """Return an attachment as a file to save, whatever its type."""
        account = self._of(request)
        letter = self._letter(account and account[1], request)
        number = request.path_params["number"]
        if letter is None or number >= len(letter.parts):
            return _no_page()
        part = letter.parts[number]
        name = _SAFE_NAME.sub("_", part.get_filename() or "part")
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(_bytes(part), media_type="application/octet-stream", headers=headers)

    def frame(self, request: Request) -> Response:
        """Return the page of a frame: a letter's own, an attached page, or its desk."""
        ticket, number, content_name = (request.path_params[name] for name in ("ticket", "number", "what"))
        accounts = list(self._mailboxes.items())
        if number >= len(accounts):
            return _no_page()
        secret, box = accounts[number]
        proof = self._ticket(secret, f"{request.path_params['uid']}/{content_name}")
        if not hmac.compare_digest(ticket.encode(), proof.encode()):
            return _no_page()
        letter = self._letter(box, request)
        if letter is None:
            return _no_page()
        if content_name == "letter":
            return _html(self._safe_page(secret, letter), LETTER, SILENT)
        if not letter.is_from(self._judge):
            return _no_page()
        if content_name == "desk":
            words = {**page_words(), "mail": [say_in_language("", tongue, WRITE) for tongue in supported_languages()]}
            return _html(desk_page(words, self._desk(secret, letter), f"/{secret}/write"), PAGE, SILENT)
        return _html((letter.part(content_name) or b"").decode("utf-8", "replace"), PAGE, SILENT)

    def _remember(self, secret: str, body: str) -> None:
        """Remember written orders by the code in their first line, for its desk."""
        lines = body.splitlines()
        bare = [block.bare(line) for line in lines]
        heads = [(index, head) for index, line in enumerate(bare) if (head := block.header(line)) and head.nonce]
        # One desk is remembered for each letter: that of its first block with a code, if it has any.
        for start, head in heads[:1]:
            end = next((number for number in range(start, len(bare)) if block.ends(bare[number])), len(bare))
            orders = [line.strip() for line in lines[start + 1 : end]]
            self._written[secret, head.nonce] = [line for line in orders if line and not line.startswith("#")]
            if len(self._written) > MOST_DESKS:
                del self._written[next(iter(self._written))]

    def _desk(self, secret: str, letter: MailboxLetter) -> Json | None:
        """Return the data of a letter's desk with the orders written on it, or None."""
        desk_data = _desk(letter)
        if isinstance(desk_data, dict) and (written := self._written.get((secret, str(desk_data.get("code"))))):
            return {**desk_data, "written": list(written)}
        return desk_data

    def _is_own(self, box: MailClient, letter: MailboxLetter) -> bool:
        """Return whether a letter is the copy of one sent from this mailbox."""
        return letter.is_from(box.address)

    def _count_received(self, box: MailClient, letters: Sequence[MailboxLetter]) -> int:
        return sum(not self._is_own(box, letter) for letter in letters)

    def _is_over(self, letters: Sequence[MailboxLetter], letter: MailboxLetter) -> bool:
        """Return whether the game of a letter is over."""
        return any(other.game == letter.game and self._brings_archive(other) for other in letters)

    def _seat(self, letters: Sequence[MailboxLetter]) -> str:
        """Return the address to write to: the only open seat, or else the server's."""
        ours = [letter for letter in letters if letter.is_from(self._judge) and letter.field("Reply-To")]
        newest = {letter.game: letter for letter in reversed(ours) if not self._is_over(letters, letter)}
        open_games = [newest[self._game]] if self._game in newest else list(newest.values())
        return open_games[0].field("Reply-To") if len(open_games) == 1 else self._judge

    def _titles(self, box: MailClient, letters: Sequence[MailboxLetter]) -> dict[int, str]:
        """Return the title of each letter: own ones by first line, answers by question."""
        own = {letter.field("Message-ID"): letter.first_line for letter in letters if self._is_own(box, letter)}
        answer_word, titles = say_in_language("", self._language, KINDS["answer"]), {}
        for letter in letters:
            title = f"{letter.field('Subject') or '-'} {letter.news}".strip()
            question = own.get(letter.field("In-Reply-To"), "")
            if self._is_own(box, letter):
                title = self._words["own"].format(line=letter.first_line[:60] or "-")  # a choice: one line of the list
            elif question:
                before, separator, after = title.partition(answer_word[:1].upper() + answer_word[1:])
                title = f"{before}{question[:60] if separator else ''}{after}"
            titles[letter.uid] = title
        return titles

    def _frames(self, secret: str, letter: MailboxLetter | None) -> dict[str, object]:
        """Return the addresses of a letter's frames: its page, desk and brought pages."""
        if letter is None:
            return {"frame": "", "desk": "", "pages": {}, "form": "", "code": ""}
        number = list(self._mailboxes).index(secret)

        def address(content_name: str) -> str:
            ticket = self._ticket(secret, f"{letter.uid}/{content_name}")
            return f"/frame/{ticket}/{number}/{letter.uid}/{quote(content_name, safe='')}"

        by_judge = letter.is_from(self._judge)
        names = [
            name for _, name, kind in letter.attachments if kind == "text/html" and name != "desk.html" and by_judge
        ]
        form, code = letter.ready if by_judge else ("", "")
        return {
            "form": form,
            "code": code,
            "frame": address("letter") if letter.page else "",
            "desk": address("desk") if by_judge and letter.part(ATTACHMENT) else "",
            "pages": {name: address(name) for name in names},
        }

    def _brings_archive(self, letter: MailboxLetter) -> bool:
        """Return whether a letter brings the page of a game that is over."""
        return letter.is_from(self._judge) and letter.part(f"{letter.game}.html") is not None

    def _safe_page(self, secret: str, letter: MailboxLetter) -> str:
        """Return a letter's page with pictures inlined; answers lead to our form."""
        parts = {str(part["Content-ID"]).strip("<> "): part for part in letter.parts if part["Content-ID"]}
        pictures = {
            name: f"data:{part.get_content_type()};base64,{b64encode(_bytes(part)).decode()}"
            for name, part in parts.items()
            if part.get_content_maintype() == "image"
        }
        return safe_page(letter.page, pictures, partial(self._answer_link, secret, letter))

    def _answer_link(self, secret: str, letter: MailboxLetter, link: str) -> str:
        try:
            parts = urlsplit(link)
        except ValueError:  # such as http://[, which a stranger's letter may have
            return "#"
        if parts.scheme != "mailto":
            return f"#{parts.fragment}"
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        fields = {"to": unquote(parts.path), "subject": query.get("subject", ""), "body": query.get("body", "")}
        return f"/{secret}/write?{urlencode({**fields, 'answers': letter.field('Message-ID')})}"

    def _of(self, request: Request) -> tuple[str, MailClient] | None:
        """Return the secret and the mailbox that an address names, or None."""
        asked_secret = request.path_params["secret"].encode()
        for secret, box in self._mailboxes.items():
            if hmac.compare_digest(asked_secret, secret.encode()):
                return secret, box
        return None

    def _letter(self, box: MailClient | None, request: Request) -> MailboxLetter | None:
        letters = box.letters() if box else []
        return next((letter for letter in letters if letter.uid == request.path_params["uid"]), None)

    def _ticket(self, secret: str, content_name: str) -> str:
        """Return a proof that this program made an address; it reveals nothing else."""
        return hmac.new(self._key, f"{secret}/{content_name}".encode(), "sha256").hexdigest()[:32]  # 128 bits

    def _page(self, template: str, secret: str, box: MailClient, values: Mapping[str, object]) -> Response:
        letters, shown = box.letters(), values.get("shown")
        read = self._read.setdefault(secret, {letter.uid for letter in letters})
        read |= {letter.uid for letter in letters if letter is shown or self._is_own(box, letter)}
        frame = {
            "letters": letters,
            "read": read,
            "titles": self._titles(box, letters),
            "seat": self._seat(letters),
            "many": self._count_received(box, letters),
            "waits": False,
            "base": f"/{secret}",
            "account": box.address,
            "judge": self._judge,
            "language": self._language,
            "token": self._ticket(secret, "send"),
            "words": self._words,
        }
        return _html(self._templates.get_template(template).render({"shown": None, **frame, **values}), OWN)


def _is_same_site(request: Request) -> bool:
    """Return whether a form was sent from a page of ours, as browsers report."""
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    return site == "same-origin" and (origin is None or urlsplit(origin).netloc == request.headers.get("host"))


def _desk(letter: MailboxLetter) -> Json | None:
    """Return the data of a letter's order desk, or None."""
    try:
        desk_data: Json = json.loads(letter.part(ATTACHMENT) or b"null")
    except (ValueError, RecursionError):  # the latter for lists in lists, thousands deep
        return None
    return desk_data


def _html(text: str, policy: str, referrer: str = "same-origin") -> Response:
    headers = {"Content-Security-Policy": policy, "Referrer-Policy": referrer}
    return Response(text, media_type="text/html", headers=headers)


def _no_page() -> Response:
    return Response("There is nothing here.\n", 404, media_type="text/plain")


def _content(part: email.message.MIMEPart | None) -> str:
    return "" if part is None else decode_text(_bytes(part), part.get_content_charset()).replace("\r\n", "\n")


def _bytes(part: email.message.Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""
