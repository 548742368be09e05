"""Where a quote begins: what stands above it, in marks, between dashes, in columns; and what only looks like that."""

import pytest

from pbem.mail.html import html_to_text
from pbem.mail.quoting import cut_quotes

WHO = "The Judge <judge@war.test>"
HEADER = f"From: {WHO}\nSent: 21 November 2026 10:00\nTo: Ana\nSubject: T5\n\nOld text"


def left(text):
    return cut_quotes(text, {}).text


@pytest.mark.parametrize(
    "quote",
    [
        f">>> {WHO} 11/21/2026 10:00 AM >>>\nOld text",
        f"{WHO} 11/21/2026 10:00 AM >>>\nOld text",
        "\n".join(" " * 12 + line for line in HEADER.split("\n")[:4]) + "\n\nOld text",
        f"{' ' * 13}The Judge\n{' ' * 13}<judge@war.test\n{' ' * 13}>{' ' * 40}To\n{' ' * 40}Ana\n{' ' * 9}21/11/2026",
        f"---- On Sat, 21 Nov 2026 10:00:00 +0100 {WHO} wrote ---\n\nOld text",
        f"-original message-\n{HEADER}",
        f"<-----Original Message----->\n\n{HEADER}",
        f"--- Neznámá slova ---\nKdo: {WHO}\n\nOld text",
        "---- 回复的原邮件 ----\n| 发件人 | 裁判<judge@war.test> |\n| 主题 | T5 |\nOld text",
        "จาก: The Judge <judge@war.test>\nส่ง: 21 พฤศจิกายน 2026 10:00\nถึง: Ana\nเรื่อง: T5\n\nOld text",
        "From: judge@war.test Date: Sat, 21 Nov 2026 10:00:00 +0100\nOld text",
        "在 裁判 <judge@war.test>，2026年11月21日 上午10:00写道：\n\nOld text",
        f"{'-' * 40}\nOn Nov 21, 2026 10:00, {WHO} wrote:\nOld text",
        "Reply above this line.\n\nOld text",
        HEADER.replace("\n", "\n\n"),
        HEADER.replace("\n", "\n\n\n"),
        f"From: {WHO} [mailto:\njudge@war.test]\nSent: 21 November 2026 10:00\nTo: Ana\n\nOld text",
    ],
)
def test_below_these_nothing_is_the_authors(quote):
    assert left(f"STATUS\n\n{quote}") == "STATUS"


@pytest.mark.parametrize(
    "above",
    [
        "Anfang der weitergeleiteten Nachricht:",
        "Начало переадресованного сообщения:",
        "Quoting The Judge (2026-11-21 10:00:00)",
        "2026-11-21 10:00 GMT+01:00 The Judge",
        "Posted by judge on 11/21/2026",
        "In message <abc@war.test>, The Judge <judge@war.test> writes",
        "Epailea (<judge@war.test>) erabiltzaileak hau idatzi du (2026 aza. 21, lr.\n(10:00)):",
        "_" * 40,
    ],
)
def test_what_stands_right_above_marked_lines_introduces_them(above):
    assert left(f"STATUS\n\n{above}\n> Old text\n\nThanks") == "STATUS\n\nThanks"


@pytest.mark.parametrize("mark", ["|", "| ", ": ", "    TJ> "])
def test_lines_with_the_same_mark_are_quoted(mark):
    assert left(f"{mark}ORDERS T3\n{mark}PASS | ALL\n{mark}END\n\nSTATUS") == "STATUS"


@pytest.mark.parametrize(
    "own",
    [
        "Marco says:",
        "Here is what he sent me, read it:",
        "Of the plan, this:",
    ],
)
def test_words_above_a_forwarded_letter_are_the_authors(own):
    assert left(f"{own}\n\n{HEADER}") == own


def test_words_with_a_colon_right_above_a_header_are_the_authors():
    assert left(f"From us it looks good: three forts.\n{HEADER}") == "From us it looks good: three forts."
    assert left(f"Tel.: 600 11 22 33\n\n{HEADER}") == "Tel.: 600 11 22 33"


@pytest.mark.parametrize(
    "own",
    [
        "--- Plan ---\nFrom: Nudos\nTo: Playa",
        "| fort   | steps |\n| Nudos  | 3     |\nSTATUS",
        "2026-11-20 14:30\nNov 20, 2026 at 2:30 PM\nwas it then?",
        f"{' ' * 10}a poem\n{' ' * 10}of mine\n{' ' * 10}about\n{' ' * 10}the war\n{' ' * 10}of 1860",
        "First\n==========\nThen",
        "(it was he)\n: so",
    ],
)
def test_what_only_looks_like_one_stays(own):
    assert left(own).split() == own.split()


def test_what_is_written_between_the_pieces_of_a_quote_in_one_box_is_the_authors():
    page = (
        '<div class="gmail_quote"><div class="gmail_attr">On Sat, Nov 21, 2026 Marco wrote:</div>'
        "<blockquote>Peace?</blockquote><div>No.</div><blockquote>ORDERS T3<br>MOVE Old TO Sur<br>END</blockquote>"
        "<div>STATUS</div></div>"
    )
    assert left(html_to_text(f"<html><body>{page}</body></html>").text).split() == ["No.", "STATUS"]
    forward = '<div class="gmail_quote"><div class="gmail_attr">---- Weiter ----</div>ORDERS T3</div>'
    assert left(html_to_text(f"<html><body>Look<br>{forward}</body></html>").text) == "Look"
