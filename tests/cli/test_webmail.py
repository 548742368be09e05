"""The mailbox in the browser: who may see and send what, and what a hostile letter can do in it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import lxml.html
import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from pbem.cli.pages import page_words
from pbem.cli.try_ import write_entry_page
from pbem.cli.webmail import (
    COMMANDS,
    LETTER,
    LONGEST_LETTER,
    ONE_ADDRESS,
    OWN,
    PAGE,
    MailboxLetter,
    UnsentError,
    Webmail,
    read_letter,
)
from pbem.cli.webmail_server import CONNECTIONS, HEADERS, SECONDS, LimitedConnection
from pbem.mail.outbound import LetterTopic, message_id
from pbem.pages.desk import desk_page

SECRET, OTHER = "a" * 22, "b" * 22
HOST = "127.0.0.1:8080"
NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
SEAT = "pbem+try-1-spain-abcdefghijklmnop@try.test"


class Box:
    """A mailbox without servers: letters by number, and what was sent from it."""

    def __init__(self, *letters: EmailMessage | bytes) -> None:
        self.address = "ana@try.test"
        self.held = [
            read_letter(uid, NOW, letter) if isinstance(letter, bytes) else MailboxLetter(uid, NOW, letter)
            for uid, letter in enumerate(letters, 1)
        ]
        self.sent: list[Sequence[str]] = []

    def letters(self) -> list[MailboxLetter]:
        return self.held[::-1]

    def send(self, *letter: str) -> None:
        if "\n" in letter[0]:
            raise UnsentError(ONE_ADDRESS)
        self.sent.append(letter)


class Failing(Box):
    """A mailbox that cannot be read, by a fault of ours."""

    def letters(self) -> list[MailboxLetter]:
        raise ZeroDivisionError


class Answered:
    """What the application answered."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.status: int = messages[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        self.body = b"".join(message.get("body", b"") for message in messages[1:])
        self.text = self.body.decode("utf-8", "replace")


def letter(page: str = "", sender: str = "pbem+bounce-abcdefgh@try.test", **attached: bytes) -> EmailMessage:
    made = EmailMessage()
    made["Return-Path"] = f"<{sender}>"
    made["From"], made["Reply-To"], made["Subject"] = "pbem <pbem@try.test>", SEAT, "[try-1] T1 your move"
    made["Message-ID"] = "<try-1.T1@try.test>"
    made.set_content("ORDERS T1\nEND\n")
    if page:
        made.add_alternative(page, subtype="html")
    for name, content in attached.items():
        kind = ("text", "html") if name.endswith("html") else ("application", "octet-stream")
        made.add_attachment(content, *kind, filename=name.replace("_", "."))
    return made


class Browser:
    """Asks the application as a browser would that follows no link by itself."""

    def __init__(self, *boxes: Box) -> None:
        self.app = Webmail(dict(zip((SECRET, OTHER), boxes, strict=False)), "pbem@try.test", "en").app(["127.0.0.1"])  # type: ignore[arg-type]

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> Answered:
        parts = urlsplit(path)
        given = {"host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
        scope = {
            "type": "http",
            "method": "GET" if body is None else "POST",
            "path": parts.path,
            "raw_path": parts.path.encode(),
            "root_path": "",
            "scheme": "http",
            "query_string": parts.query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
            "server": ("127.0.0.1", 8080),
        }
        messages: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body or b"", "more_body": False}

        async def send(message: Any) -> None:
            messages.append(message)

        async def answer() -> None:
            with suppress(ZeroDivisionError):
                await self.app(scope, receive, send)

        asyncio.run(answer())
        return Answered(messages)

    def frame(self, title: str, path: str = f"/{SECRET}/") -> Answered:
        """What stands in a frame of a page."""
        tree = lxml.html.fromstring(self.ask(path).text)
        (source,) = tree.xpath(f"//iframe[@title='{title}']/@src")
        return self.ask(source)

    def form(self, **fields: str) -> dict[str, str]:
        """The fields of the form in which a letter is written, filled."""
        tree = lxml.html.fromstring(self.ask(f"/{SECRET}/write?{urlencode(fields)}").text)
        fields = dict(tree.forms[0].fields)
        # Browsers leave out the line break after the tag.
        return fields | {"body": fields["body"].removeprefix("\n")}


def test_a_letter_is_listed_shown_and_answered():
    box = Box(letter("<p>Spain to move</p>"))
    browser = Browser(box)
    page = browser.ask(f"/{SECRET}/")
    assert page.status == 200
    assert "[try-1] T1 your move" in page.text
    assert "<p>Spain to move</p>" in browser.frame("A letter").text
    fields = browser.form(to=SEAT, subject="Re: T1", body="ORDERS T1\nPASS\nEND", answers="<try-1.T1@try.test>")
    assert fields["body"] == "ORDERS T1\nPASS\nEND"
    done = browser.ask(
        f"/{SECRET}/send", urlencode(fields).encode(), origin=f"http://{HOST}", sec_fetch_site="same-origin"
    )
    assert (done.status, done.headers["location"]) == (303, f"/{SECRET}/?sent=1")
    assert box.sent == [(SEAT, "Re: T1", "ORDERS T1\nPASS\nEND", "<try-1.T1@try.test>")]


def test_a_letter_that_cannot_be_sent_stays_in_the_form_with_the_reason():
    box = Box()
    fields = Browser(box).form(to="x")
    browser = Browser(box)
    fields |= {"token": browser.form()["token"], "to": "a\nBcc: b", "body": "long work"}
    shown = browser.ask(f"/{SECRET}/send", urlencode(fields).encode())
    assert (shown.status, box.sent) == (200, [])
    assert "It was not sent: name one address in To." in shown.text
    assert "long work" in shown.text


def test_answers_in_a_letter_lead_to_the_form_with_all_that_they_say():
    link = f"mailto:{SEAT.replace('+', '%2B')}?subject=Re%3A%20T1&amp;body=RESPOND%20A%0D%0AEND"
    framed = Browser(Box(letter(f'<a href="{link}">Answer A</a>'))).frame("A letter")
    (node,) = lxml.html.fromstring(framed.text).xpath("//a")
    assert node.get("target") == "_top"
    parts = urlsplit(node.get("href"))
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
    assert parts.path == f"/{SECRET}/write"
    assert asked == {"to": SEAT, "subject": "Re: T1", "body": "RESPOND A\r\nEND", "answers": "<try-1.T1@try.test>"}


WRONG = {
    "no secret": "//",
    "another": f"/{'c' * 22}/",
    "a beginning of it": f"/{SECRET[:-1]}/",
    "not ASCII": "/%C3%A1/",
    "a letter that is not there": f"/{SECRET}/letter/9",
    "a part that is not there": f"/{SECRET}/part/1/9",
    "a part of nobody": f"/{'c' * 22}/part/1/0",
    "a frame without its ticket": f"/frame/{'0' * 32}/0/1/letter",
    "a frame of no account": f"/frame/{'0' * 32}/7/1/letter",
    "the news of nobody": f"/{'c' * 22}/news",
    "the form of nobody": f"/{'c' * 22}/write",
    "sending by a link": f"/{SECRET}/send?to=x",
}


def test_who_does_not_know_the_secret_sees_nothing(subtests):
    browser = Browser(Box(letter("<p>secret</p>")))
    for what, path in WRONG.items():
        with subtests.test(what):
            answer = browser.ask(path)
            assert answer.status in (404, 405)
            assert "secret" not in answer.text


def test_a_ticket_opens_one_frame_of_one_letter_of_one_account(subtests):
    browser = Browser(Box(letter("<p>one</p>"), letter("<p>two</p>")), Box(letter("<p>other</p>")))
    (source,) = lxml.html.fromstring(browser.ask(f"/{SECRET}/letter/1").text).xpath("//iframe/@src")
    assert "one" in browser.ask(source).text
    assert SECRET not in source
    for changed in (source.replace("/1/letter", "/2/letter"), source.replace("/0/1/", "/1/1/"), source + "x"):
        with subtests.test(changed[-12:]):
            assert browser.ask(changed).status == 404


CLOSED = HEADERS["Content-Security-Policy"]
CROSS_SITE = {
    "another site's form": {"origin": "http://evil.example", "sec_fetch_site": "cross-site"},
    "a page of the same machine": {"origin": "http://127.0.0.1:9999", "sec_fetch_site": "same-site"},
    "an old browser elsewhere": {"origin": "http://evil.example"},
    "a frame without an origin": {"origin": "null", "sec_fetch_site": "cross-site"},
    "a frame in an old browser": {"origin": "null"},
}


def test_no_other_site_can_send_even_with_secret_and_token(subtests):
    box = Box()
    browser = Browser(box)
    fields = browser.form(to=SEAT, body="CONCEDE")
    for what, headers in CROSS_SITE.items():
        with subtests.test(what):
            assert browser.ask(f"/{SECRET}/send", urlencode(fields).encode(), **headers).status == 404
    for what, token in {"none": "", "another's": Browser(Box()).form()["token"]}.items():
        with subtests.test(f"token: {what}"):
            assert browser.ask(f"/{SECRET}/send", urlencode({**fields, "token": token}).encode()).status == 404
    with subtests.test("too long"):
        too_long = urlencode({**fields, "body": "x" * LONGEST_LETTER}).encode()
        assert browser.ask(f"/{SECRET}/send", too_long).status == 404
    assert box.sent == []


def test_another_name_for_the_host_is_refused():
    answer = Browser(Box(letter("<p>secret</p>"))).ask(f"/{SECRET}/", host="evil.example:8080")
    assert answer.status == 400
    assert "secret" not in answer.text


def test_every_answer_has_its_headers(subtests):
    browser = Browser(Box(letter("<p>one</p>", result_html=b"<p>page</p>", note_txt=b"note")))
    pages = {
        f"/{SECRET}/": OWN,
        f"/{SECRET}/write": OWN,
        f"/{SECRET}/part/1/2": CLOSED,
        "/style.css": CLOSED,
        "/news.js": CLOSED,
        f"/{SECRET}/news": CLOSED,
        "/nothing": CLOSED,
        f"/{SECRET}": CLOSED,
        f"/{SECRET}/send": CLOSED,
    }
    wanted = {name.lower(): value for name, value in HEADERS.items()}
    for path, policy in pages.items():
        with subtests.test(path):
            assert browser.ask(path).headers.items() >= {**wanted, "content-security-policy": policy}.items()
    with subtests.test("another host"):
        assert browser.ask("/", host="evil.example").headers.items() >= wanted.items()
    with subtests.test("a failure of ours"):
        answer = Browser(Failing()).ask(f"/{SECRET}/")
        assert answer.status == 500
        assert answer.headers.items() >= wanted.items()
    for frame in ("A letter", "result.html"):
        assert browser.frame(frame).headers["referrer-policy"] == "no-referrer"
    assert browser.frame("A letter").headers["content-security-policy"] == LETTER
    assert browser.frame("result.html").headers["content-security-policy"] == PAGE
    for policy in (LETTER, PAGE):
        assert policy.startswith("sandbox ")
        assert "allow-same-origin" not in policy
        assert "default-src 'none'" in policy


HOSTILE = {
    "a script": "<script>steal()</script>",
    "a script in a picture": "<svg><script>steal()</script></svg>",
    "a form": '<form action="https://evil.example"><input name="x"></form>',
    "a refresh": '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    "a base": '<base href="https://evil.example/">',
    "a frame": '<iframe src="https://evil.example"></iframe>',
    "a style sheet": '<link rel="stylesheet" href="https://evil.example/a.css">',
    "a link outside": '<a href="https://evil.example">Answer</a>',
    "a link outside over all": '<a target="_top" href="https://evil.example">Answer</a>',
    "a script as a link": '<a href="javascript:steal()">Answer</a>',
    "a link to our form": f'<a target="_top" href="/{SECRET}/write?body=CONCEDE">Answer</a>',
    "a link without a scheme": '<a href="//evil.example/">Answer</a>',
    "a place on a map": '<map><area href="https://evil.example"></map>',
    "a link in a drawing": '<svg><a xlink:href="https://evil.example" target="_top"><text>Answer</text></a></svg>',
    "a link that is set": '<svg><a target="_top"><set attributeName="href" to="https://evil.example"/><text>Answer</text></a></svg>',
    "a formula": '<math href="https://evil.example"><mtext href="https://evil.example">Answer</mtext></math>',
    "a comment that ends early": '<!-- --!><a target="_top" href="https://evil.example">Answer</a> -->',
    "a style that ends early": '<style></style/><a href="https://evil.example">Answer</a></style>',
    "a part without scripts": '<noscript><style></noscript><a href="https://evil.example">Answer</a></style></noscript>',
    "a template": '<div><template shadowrootmode="open"><a href="https://evil.example">Answer</a></template></div>',
    "a title": '<title><!--</title><a href="https://evil.example">Answer</a>--></title>',
    "an event": '<p onclick="steal()" onpointerenter="steal()">Answer</p><details ontoggle="steal()" open>x</details>',
    "a count of clicks": f'<a ping="https://evil.example" href="mailto:{SEAT}">Answer</a>',
    "a field of a form elsewhere": '<button form="f" formaction="https://evil.example">Answer</button>',
    "pictures": '<img src="https://evil.example"><img srcset="//evil.example 2x"><table background="//evil.example">',
    "a film": '<video poster="https://evil.example"><source src="https://evil.example"></video>',
    "an address that is none": '<a href="https://[evil.example">Answer</a>',
    "an element of another kind": '<o:a href="https://evil.example">Answer</o:a><xmp>x</xmp>',
    "an object": '<object data="https://evil.example"></object>',
}


def test_a_hostile_letter_leads_nowhere_and_brings_nothing_that_runs(subtests):
    for what, page in HOSTILE.items():
        with subtests.test(what):
            shown = Browser(Box(letter(f"<p>hello</p>{page}"))).frame("A letter").text
            assert "hello" in shown
            tree = lxml.html.fromstring(shown)
            assert not re.search(r"evil\.example|steal\(\)|CONCEDE", shown)
            assert tree.xpath("//script|//form|//iframe|//base|//meta[@http-equiv]") == []


def test_a_remote_picture_is_left_out_and_an_own_one_is_in_the_page():
    made = letter('<img src="cid:map@x"><img src="https://evil.example/a.png">')
    html = made.get_body(("html",))
    assert html is not None
    html.add_related(b"PNG", "image", "png", cid="<map@x>")
    shown = Browser(Box(made)).frame("A letter")
    assert lxml.html.fromstring(shown.text).xpath("//img/@src") == ["data:image/png;base64,UE5H"]
    assert "img-src data:;" in shown.headers["content-security-policy"]


def test_what_a_letter_says_of_itself_is_text_in_our_pages():
    made = letter("<p>x</p>", note_txt=b"x")
    made.replace_header("Subject", '"><script>steal()</script>')
    made.replace_header("Reply-To", '"><img src=x onerror=steal()>@x.test')
    page = Browser(Box(made)).ask(f"/{SECRET}/").text
    tree = lxml.html.fromstring(page)
    assert [node.get("src") for node in tree.xpath("//script")] == ["/news.js"]
    assert tree.xpath("//img") == []


def test_only_pages_of_the_judge_run_their_scripts(subtests):
    for sender in ("ben@try.test", "", "pbem@evil.example"):
        with subtests.test(sender):
            made = letter("<p>x</p>", sender=sender, result_html=b"<script>steal()</script>", pbemdesk_txt=b"{}")
            browser = Browser(Box(made))
            page = lxml.html.fromstring(browser.ask(f"/{SECRET}/").text)
            assert page.xpath("//iframe/@title") == ["A letter"]
            assert browser.ask(f"/{SECRET}/part/1/2").text == "<script>steal()</script>"


def test_frames_do_not_learn_the_address_around_them():
    page = lxml.html.fromstring(Browser(Box(letter("<p>x</p>", result_html=b"x"))).ask(f"/{SECRET}/").text)
    assert {node.get("referrerpolicy") for node in page.xpath("//iframe")} == {"no-referrer"}


def test_when_a_game_is_over_its_page_and_its_review_are_a_button_away(subtests):
    during = letter("<p>move</p>", pbemdesk_txt=b"{}")
    end = letter("<p>over</p>", **{"try-1_html": b"<p>game</p>"})  # type: ignore[arg-type]
    for boxed, wanted in (((during,), ["HELP", "STATUS", "LESSON", "HINT"]), ((during, end), ["REVIEW"])):
        with subtests.test(wanted[0]):
            page = lxml.html.fromstring(Browser(Box(*boxed)).ask(f"/{SECRET}/letter/1").text)
            acts = {node.text: node.get("href") for node in page.xpath("//p[@class='acts']/a")}
            assert list(acts)[-len(wanted) :] == wanted
            assert bool(page.xpath("//iframe[@title='Choose orders on the map']")) is (len(boxed) == 1)
            assert acts.get("The game, step by step") == (f"/{SECRET}/letter/2#game" if len(boxed) > 1 else None)


FORM = "ORDERS T1 #k7q2\n# MOVE Leon TO A | B\nEND"
CODE = "JUGAR drill COMO espana CONTRA forward CÓDIGO abcdefgh"
READY = {
    "the form of orders": (f"Hello\n\n{FORM}\npbem", {"Write the orders": FORM}),
    "a form of standing orders behind it": (f"{FORM}\nEND\n", {"Write the orders": FORM}),
    "orders that were understood": ("ORDERS T1\nPASS\nEND", {}),
    "a form that breaks off": ("ORDERS T1 #k7q2\n# PASS", {}),
    "a line to be confirmed": (f"Send this:\n\n{CODE}\n", {CODE: CODE}),
    "a code by itself": ("CODE abcdefgh\n", {"CODE abcdefgh": "CODE abcdefgh"}),
    "a code in prose": ("Your CODE abcdefgh is old.\n", {}),
}


def test_what_a_letter_wants_back_is_one_button_away(subtests):
    for what, (text, wanted) in READY.items():
        for sender in ("pbem+bounce-abcdefgh@try.test", "ben@try.test"):
            with subtests.test(what, sender=sender):
                made = letter(sender=sender)
                made.set_content(text)
                page = lxml.html.fromstring(Browser(Box(made)).ask(f"/{SECRET}/").text)
                links = {node.text: node.get("href") for node in page.xpath("//p[@class='acts']/a")}
                bodies = {name: parse_qs(urlsplit(link).query).get("body", [""])[0] for name, link in links.items()}
                own = {name: body for name, body in bodies.items() if name not in ("Answer", *COMMANDS["en"])}
                assert own == (wanted if "bounce" in sender else {})


def kind(made: EmailMessage, kind: str, subject: str, answers: str = "") -> EmailMessage:
    """The letter as one of this kind."""
    made.replace_header(
        "Message-ID", message_id(b"key", LetterTopic("try-1", "T1.spain~1", kind, "spain", ""), "try.test")
    )
    made.replace_header("Subject", f"[try-1] {subject}")
    made["In-Reply-To"] = answers
    return made


def written(text: str) -> EmailMessage:
    """The copy of a letter that was written in the browser."""
    made = letter(sender="ana@try.test")
    made.replace_header("Message-ID", "<mine@try.test>")
    made.set_content(text)
    return made


def list_of(page: Answered) -> list[str]:
    return [node.text.strip() for node in lxml.html.fromstring(page.text).xpath("//nav//a")]


def test_letters_are_called_by_what_they_are_and_ones_own_are_among_them():
    answer = kind(letter(), "answer", "T1", "<mine@try.test>")
    answer.set_content("##- write above this line -##\n\nWhat you asked for\nAfrica 1859-60\n")
    browser = Browser(Box(kind(letter(), "report", "T1 your move"), written("STATUS\n"), answer))
    assert list_of(browser.ask(f"/{SECRET}/")) == ["[try-1] T1 STATUS", "You: STATUS", "[try-1] T1 your move"]
    assert browser.ask(f"/{SECRET}/news").text == '{"letters":2}'


def test_the_page_opens_on_the_newest_report_and_on_an_answer_after_a_letter():
    box = Box(
        kind(letter("<p>1</p>"), "joined", "your seat"),
        kind(letter("<p>2</p>"), "report", "T1 your move"),
        kind(letter("<p>3</p>"), "answer", "T1 help"),
        written("HELP"),
    )
    browser = Browser(box)
    for query, shown in (("", "your move"), ("?newest=1", "help"), ("?sent=2", "help")):
        (heading,) = lxml.html.fromstring(browser.ask(f"/{SECRET}/{query}").text).xpath("//h2/text()")
        assert shown in heading
    first = Browser(Box(kind(letter(), "joined", "your seat")))
    assert "data-waits" in first.ask(f"/{SECRET}/").text
    assert "data-waits" not in browser.ask(f"/{SECRET}/").text
    # What came between the letter and this page counts as new.
    assert 'data-letters="2"' in browser.ask(f"/{SECRET}/?sent=2").text


def test_letters_that_came_and_were_not_opened_are_marked():
    box = Box(kind(letter(), "joined", "your seat"))
    browser = Browser(box)

    def marked(path: str) -> list[str]:
        return lxml.html.fromstring(browser.ask(path).text).xpath("//nav/ol/li[@class='unread']/a/@href")  # type: ignore[no-any-return]

    assert marked(f"/{SECRET}/") == []
    came = [kind(letter(), each, "T1") for each in ("receipt", "report", "report")]
    box.held += [MailboxLetter(uid, NOW, made) for uid, made in enumerate([*came, written("HELP")], 2)]
    addresses = [f"/{SECRET}/letter/{uid}" for uid in (3, 2)]
    assert marked(f"/{SECRET}/?newest=1") == addresses
    assert marked(addresses[1]) == addresses[:1]
    assert marked(f"/{SECRET}/write") == addresses[:1]


def test_a_new_letter_goes_to_ones_seat_and_another_address_is_remarked_on():
    over = letter("<p>over</p>", **{"try-1_html": b"<p>game</p>"})  # type: ignore[arg-type]
    for boxed, wanted in (((letter(),), SEAT), ((letter(), over), "pbem@try.test"), ((), "pbem@try.test")):
        browser = Browser(Box(*boxed))
        (link,) = lxml.html.fromstring(browser.ask(f"/{SECRET}/").text).xpath("//header/a/@href")
        assert parse_qs(urlsplit(link).query)["to"] == [wanted]
        hint = f"Orders and questions about your game go to {SEAT}."
        assert (hint in browser.ask(f"/{SECRET}/write?to=pbem@try.test").text) is (wanted == SEAT)


WRITTEN = {
    "orders": (
        "ORDERS T1 #k7q2\nACTIVATE A\n# MOVE B TO C\n\nMOVE Leon TO A\nEND\nbye",
        ["ACTIVATE A", "MOVE Leon TO A"],
    ),
    "orders to be checked": ("VERIFY T1 #k7q2\r\nPASS\r\nEND", ["PASS"]),
    "in Spanish": ("ÓRDENES T1 #k7q2\nPASAR\nFIN", ["PASAR"]),
    "of another form": ("ORDERS T1 #zzzz\nPASS\nEND", None),
    "no orders": ("HELP", None),
}


def test_the_desk_begins_with_what_was_last_written_on_its_form(subtests):
    made = kind(letter("<p>x</p>", pbemdesk_txt=b'{"code": "k7q2"}'), "report", "T1 your move")
    for what, (body, lines) in WRITTEN.items():
        with subtests.test(what):
            browser = Browser(Box(made))
            browser.form(to=SEAT, body=body)
            shown = lxml.html.fromstring(browser.frame("Choose orders on the map").text)
            (data,) = shown.xpath("//script[@id='desk']/text()")
            assert json.loads(data).get("written") == lines


def test_the_newest_desk_is_one_button_away_from_every_letter():
    desk = kind(letter("<p>x</p>", pbemdesk_txt=b'{"code": "k7q2"}'), "report", "T1 your move")
    browser = Browser(Box(kind(letter(), "joined", "your seat"), desk, written("HELP"), kind(letter(), "help", "help")))
    for uid in (1, 2, 3, 4):
        page = lxml.html.fromstring(browser.ask(f"/{SECRET}/letter/{uid}").text)
        (link,) = page.xpath("//p[@class='acts']/a[text()='Choose orders on the map']/@href")
        assert link == ("#desk" if uid == 2 else f"/{SECRET}/letter/2#desk")


def test_no_page_that_a_letter_brings_needs_a_form_to_be_sent():
    """Their frame may not send any."""
    page = desk_page(page_words(), {}, "/write")
    tree = lxml.html.fromstring(page)
    assert tree.xpath("//form|//button[@type='submit']|//input[@type='submit']") == []
    assert '"submit"' not in page


HEAD = b"Return-Path: <ben@try.test>\r\nSubject: strange\r\n"
STRANGE = {
    "no header": b"hello",
    "nothing": b"",
    "a charset that is none": HEAD + b"Content-Type: text/html; charset=nonsense\r\n\r\n<p>hello</p>",
    "a charset of bytes": HEAD + b"Content-Type: text/plain; charset=\xff\x00base64\r\n\r\nhello",
    "base64 that is none": HEAD + b"Content-Transfer-Encoding: base64\r\n\r\n=hel=lo!",
    "an encoding that is none": HEAD + b"Content-Transfer-Encoding: rot13\r\n\r\nhello",
    "addresses that break the library": b'From: <\r\nReply-To: "\r\nTo: a@[::\r\nCc: =?x?\r\n\r\nhello',
    "ids that are none": HEAD + b"Message-ID: <\r\nContent-ID: <\xff>\r\n\r\nhello",
    "a subject in words that are none": b"Subject: =?utf-8?b?/w==?= =?no?q?=0a?=\r\n\r\nhello",
    "parts without an end": HEAD + b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nhello",
    "parts without a boundary": HEAD + b"Content-Type: multipart/mixed\r\n\r\nhello",
    "parts in parts": HEAD
    + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(500)),
    "a file's name that is none": HEAD
    + b"Content-Disposition: attachment; filename*=utf-8''%ff%; filename\r\n\r\nhello",
    "an empty page": HEAD + b"Content-Type: text/html\r\n\r\n \r\n",
    "a page of a comment": HEAD + b"Content-Type: text/html\r\n\r\n<!-- -->",
    "a page that is XML": HEAD + b"Content-Type: text/html\r\n\r\n<?xml version='1.0' encoding='utf-7'?><p>hello</p>",
    "a page with NUL": HEAD + b"Content-Type: text/html\r\n\r\n<p>a\x00b\xff</p>",
    "a deep page": HEAD + b"Content-Type: text/html\r\n\r\n" + b"<div>" * 5000 + b"hello",
    "a long page": HEAD + b"Content-Type: text/html\r\n\r\n" + b"<p>hello</p>" * 20000,
    "a letter in a letter": HEAD + b"Content-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\nhello",
    "a report of a delivery": HEAD + b"Content-Type: message/delivery-status\r\n\r\nhello\r\n\r\nx",
}


def test_no_letter_keeps_the_mailbox_from_being_shown(subtests):
    for what, raw in STRANGE.items():
        with subtests.test(what):
            browser = Browser(Box(letter("<p>move</p>").as_bytes(), raw))
            page = browser.ask(f"/{SECRET}/")
            assert page.status == 200
            assert "[try-1] T1 your move" in page.text
            assert browser.ask(f"/{SECRET}/part/2/0").status == 200
            for source in lxml.html.fromstring(page.text).xpath("//iframe/@src"):
                assert browser.ask(source).status == 200


def test_an_attachment_is_kept_never_shown():
    answer = Browser(Box(letter("<p>x</p>", evil_html=b"<script>steal()</script>"))).ask(f"/{SECRET}/part/1/2")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == 'attachment; filename="evil.html"'


@pytest.mark.parametrize("data", [b"[]", b"not json", b"\xff\xfe", b'{"turn": "<script>steal()</script>"}'])
def test_a_broken_desk_is_a_page_all_the_same(data):
    made = letter("<p>x</p>")
    made.add_attachment(data, "application", "octet-stream", filename="pbemdesk.txt")
    shown = Browser(Box(made)).frame("Choose orders on the map")
    assert shown.status == 200
    assert "<script>steal()" not in shown.text


class Line(asyncio.Transport):
    """A connection from an address, without a network."""

    def __init__(self, host: str) -> None:
        super().__init__({"peername": (host, 1), "sockname": ("127.0.0.1", 8080)})
        self.is_cut = False

    def abort(self) -> None:
        self.is_cut = True


def test_a_browser_is_started_with_a_file_and_not_with_the_secret(tmp_path):
    page = write_entry_page(tmp_path, f"http://{HOST}/{SECRET}/")
    assert SECRET not in page.as_uri()
    assert page.stat().st_mode & 0o077 == 0
    assert f"url=http://{HOST}/{SECRET}/" in page.read_text("utf-8")


def test_an_address_has_so_many_connections_and_each_so_much_time():
    async def connect(*hosts: str) -> tuple[list[Line], list[float]]:
        config, state, waits = Config(lambda: None), ServerState(), []
        config.load()
        loop = asyncio.get_running_loop()
        lines = [Line(host) for host in hosts]
        for line in lines:
            connection = LimitedConnection(config, state, {})
            connection.connection_made(line)
            assert connection._end is not None
            waits.append(connection._end.when() - loop.time())
        return lines, waits

    lines, waits = asyncio.run(connect(*["192.168.1.7"] * (CONNECTIONS + 1), "192.168.1.8"))
    assert [line.is_cut for line in lines] == [False] * CONNECTIONS + [True, False]
    assert all(SECONDS - 10 < wait <= SECONDS for wait in waits)
