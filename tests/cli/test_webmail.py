"""The mailbox in the browser: who may see and send what, and what a hostile letter can do in it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import lxml.html
import pytest

from pbem.cli.tryout.webmail import LETTER, LONGEST, OWN, PAGE, Letter, Webmail

SECRET, OTHER = "a" * 22, "b" * 22
HOST = "127.0.0.1:8080"
SEAT = "pbem+try-1-spain-abcdefghijklmnop@try.test"


class Box:
    """A mailbox without servers: letters by number, and what was sent from it."""

    def __init__(self, *letters: EmailMessage) -> None:
        self.address = "ana@try.test"
        self.held = [Letter(uid, datetime(2026, 5, 4, 9, tzinfo=UTC), one) for uid, one in enumerate(letters, 1)]
        self.sent: list[Sequence[str]] = []

    def letters(self) -> list[Letter]:
        return self.held[::-1]

    def send(self, *letter: str) -> None:
        if "\n" in letter[0] + letter[1]:
            raise ValueError("a header has a line break")
        self.sent.append(letter)


class Answered:
    """What the application answered."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.status: int = messages[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        self.body = b"".join(one.get("body", b"") for one in messages[1:])
        self.text = self.body.decode("utf-8", "replace")


def letter(page: str = "", **attached: bytes) -> EmailMessage:
    made = EmailMessage()
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

        asyncio.run(self.app(scope, receive, send))
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
    assert "It was not sent: a header has a line break" in shown.text
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
        assert browser.ask(f"/{SECRET}/send", urlencode({**fields, "body": "x" * LONGEST}).encode()).status == 404
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
        f"/{SECRET}/part/1/2": "",
        "/style.css": "",
        "/news.js": "",
        f"/{SECRET}/news": "",
        "/nothing": "",
    }
    for path, policy in pages.items():
        with subtests.test(path):
            headers = browser.ask(path).headers
            assert headers.get("content-security-policy", "") == policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert headers["cache-control"] == "no-store"
            assert headers["cross-origin-opener-policy"] == "same-origin"
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


def test_a_remote_picture_is_left_to_the_policy_and_an_own_one_is_in_the_page():
    made = letter('<img src="cid:map@x"><img src="https://evil.example/a.png">')
    html = made.get_body(("html",))
    assert html is not None
    html.add_related(b"PNG", "image", "png", cid="<map@x>")
    shown = Browser(Box(made)).frame("A letter")
    assert 'src="data:image/png;base64,UE5H"' in shown.text
    assert "img-src data:;" in shown.headers["content-security-policy"]


def test_what_a_letter_says_of_itself_is_text_in_our_pages():
    made = letter("<p>x</p>", note_txt=b"x")
    made.replace_header("Subject", '"><script>steal()</script>')
    made.replace_header("Reply-To", '"><img src=x onerror=steal()>@x.test')
    page = Browser(Box(made)).ask(f"/{SECRET}/").text
    tree = lxml.html.fromstring(page)
    assert [node.get("src") for node in tree.xpath("//script")] == ["/news.js"]
    assert tree.xpath("//img") == []


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
