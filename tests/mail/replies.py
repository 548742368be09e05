"""Answers as mail clients write them, made from what their author wrote and which letter of ours he answered.

A client is two functions, for the plain and for the HTML part: what stands around a quote, how it is marked, which
words introduce it in each language. `tests.mail.envelopes` puts the parts into MIME. Nothing here knows how letters
are read.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

SEAT = "judge+wt-042-spain-abcdefghijklmnop@war.test"
PLAYER = "ana@players.test"
LANGUAGES = ("en", "es", "fr", "de")


class Mark(NamedTuple):
    """A line of the quoted letter, or one that the author put between its lines."""

    text: str
    own: bool = False


class Reply(NamedTuple):
    """What is answered and how: the author's text above and below, and the quoted letter with his changes in it."""

    language: str
    top: str
    quoted: tuple[Mark, ...]
    bottom: str = ""
    judge: str = "The Judge"


def lines(text: str) -> list[str]:
    return text.split("\n") if text else []


def filled(words: dict[str, str], reply: Reply) -> str:
    return words[reply.language].format(judge=reply.judge, seat=SEAT, player=PLAYER, rule=RULE)


def marked(reply: Reply, mark: str = "> ", empty: str = ">") -> list[str]:
    """The quote with a mark before each line, the author's own lines without."""
    return [m.text if m.own else (mark + m.text if m.text else empty) for m in reply.quoted]


def bare(reply: Reply) -> list[str]:
    return [m.text for m in reply.quoted]


def page(*parts: str) -> str:
    return "\n".join(parts)


def wrapped(text: str, width: int = 76) -> str:
    """An attribution broken at the last blank before `width`, as Gmail does to its plain part."""
    out = []
    while len(text) > width and " " in text[:width]:
        position = text.rindex(" ", 0, width)
        out.append(text[:position])
        text = text[position + 1 :]
    return "\n".join([*out, text])


# HTML of the author's own lines, and of a quoted letter


def divs(text: str) -> str:
    return "".join(f"<div>{html.escape(line) or '<br>'}</div>" for line in lines(text))


def breaks(texts: Iterable[str]) -> str:
    return "<br>\n".join(html.escape(text).replace("  ", "&nbsp; ") for text in texts)


def split_quote(reply: Reply, begin: str, end: str, inside: Callable[[Sequence[str]], str] = breaks) -> str:
    """The quote as an element, closed and opened again around the author's own lines."""
    out: list[str] = []
    run: list[str] = []
    for text, own in (*reply.quoted, Mark("", True)):
        if not own:
            run.append(text)
            continue
        if run:
            out.append(begin + inside(run) + end)
            run = []
        if text:
            out.append(divs(text))
    return "".join(out)


# The clients

GMAIL = {
    "en": "On Sat, Nov 21, 2026 at 10:00\u202fAM {judge} <{seat}> wrote:",
    "es": "El sáb, 21 nov 2026 a las 10:00, {judge} (<{seat}>) escribió:",
    "fr": "Le sam. 21 nov. 2026 à 10:00, {judge} <{seat}> a écrit :",
    "de": "Am Sa., 21. Nov. 2026 um 10:00 Uhr schrieb {judge} <{seat}>:",
}


def gmail_plain(reply: Reply) -> str:
    quote = [wrapped(filled(GMAIL, reply)), "", *marked(reply)]
    return page(reply.top, "", *quote, *(["", reply.bottom] if reply.bottom else []), "")


def gmail_html(reply: Reply) -> str:
    style = 'style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"'
    quote = split_quote(reply, f'<blockquote class="gmail_quote" {style}>', "</blockquote>")
    return (
        f'<div dir="ltr">{divs(reply.top)}</div><br><div class="gmail_quote gmail_quote_container">'
        f'<div dir="ltr" class="gmail_attr">{html.escape(filled(GMAIL, reply))}<br></div>{quote}</div>'
        f'<div dir="ltr">{divs(reply.bottom)}</div>'
    )


def gmail_app_html(reply: Reply) -> str:
    quote = split_quote(reply, '<blockquote class="gmail_quote" style="margin:0 0 0 .8ex">', "</blockquote>")
    return (
        f'<p dir="ltr">{breaks(lines(reply.top))}</p>\n<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">'
        f"{html.escape(filled(GMAIL, reply))}<br></div>{quote}</div>\n<p>{breaks(lines(reply.bottom))}</p>"
    )


OUTLOOK_HEADER = {
    "en": "From: {judge} <{seat}>\nSent: Saturday, November 21, 2026 10:00 AM\nTo: Ana <{player}>\nSubject: wt-042 T3",
    "es": "De: {judge} <{seat}>\nEnviado: sábado, 21 de noviembre de 2026 10:00\nPara: Ana <{player}>\nAsunto: wt-042",
    "fr": "De : {judge} <{seat}>\nEnvoyé : samedi 21 novembre 2026 10:00\nÀ : Ana <{player}>\nObjet : wt-042 T3",
    "de": "Von: {judge} <{seat}>\nGesendet: Samstag, 21. November 2026 10:00\nAn: Ana <{player}>\nBetreff: wt-042 T3",
}
ORIGINAL = {
    "en": "-----Original Message-----",
    "es": "-----Mensaje original-----",
    "fr": "-----Message d'origine-----",
    "de": "-----Ursprüngliche Nachricht-----",
}


def outlook_plain(reply: Reply) -> str:
    quote = [ORIGINAL[reply.language], filled(OUTLOOK_HEADER, reply) + " ", "", *bare(reply)]
    return page(reply.top, "", "", *quote, *([reply.bottom] if reply.bottom else []), "")


def outlook_marked(reply: Reply) -> str:
    """With the option "prefix each line of the original message"."""
    quote = [f"> {line}" for line in lines(filled(OUTLOOK_HEADER, reply))]
    head = ["> " + ORIGINAL[reply.language], *quote, "> "]
    return page(reply.top, "", *head, *marked(reply, empty="> "), *(["", reply.bottom] if reply.bottom else []), "")


def header_html(reply: Reply) -> str:
    shown = []
    for line in lines(filled(OUTLOOK_HEADER, reply)):
        name, colon, value = line.partition(":")
        shown.append(f"<b>{html.escape(name)}{colon}</b>{html.escape(value)}")
    return "<br>\n".join(shown)


def mso(texts: Iterable[str]) -> str:
    return "\n".join(f'<p class="MsoNormal">{html.escape(t) or "&nbsp;"}<o:p></o:p></p>' for t in texts)


def outlook_html(reply: Reply) -> str:
    space = '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>'
    border = '<div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">'
    plain = "\n".join(f'<p class="MsoPlainText">{html.escape(m.text) or "&nbsp;"}<o:p></o:p></p>' for m in reply.quoted)
    return (
        f'<div class="WordSection1">{mso(lines(reply.top))}{space}<div>{border}<p class="MsoNormal">'
        f"{header_html(reply)}<o:p></o:p></p></div></div>{space}{plain}{mso(lines(reply.bottom))}</div>"
    )


def outlook_web_plain(reply: Reply) -> str:
    rule = "_" * 32
    return page(reply.top, "", rule, filled(OUTLOOK_HEADER, reply), "", *bare(reply), *lines(reply.bottom), "")


def outlook_web_html(reply: Reply) -> str:
    quote = f'<div class="PlainText">{breaks(bare(reply))}</div>'
    return (
        f'<div class="elementToProof" style="font-size:12pt">{breaks(lines(reply.top))}</div>'
        '<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">'
        f'<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri" color="#000000">{header_html(reply)}</font>'
        f'<div>&nbsp;</div></div><div class="BodyFragment"><font size="2">{quote}</font></div>{divs(reply.bottom)}'
    )


OUTLOOK_APP = {
    "en": "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "es": "Obtener Outlook para iOS<https://aka.ms/o0ukef>",
    "fr": "Télécharger Outlook pour iOS<https://aka.ms/o0ukef>",
    "de": "Outlook für iOS<https://aka.ms/o0ukef> beziehen",
}


def outlook_app_plain(reply: Reply) -> str:
    return outlook_web_plain(reply._replace(top=f"{reply.top}\n\n{OUTLOOK_APP[reply.language]}"))


def outlook_app_html(reply: Reply) -> str:
    footer = html.escape(OUTLOOK_APP[reply.language].replace("<https://aka.ms/o0ukef>", ""))
    return (
        f'<div dir="ltr">{breaks(lines(reply.top))}</div><div id="ms-outlook-mobile-signature">'
        f'<a href="https://aka.ms/o0ukef">{footer}</a></div><div id="mail-editor-reference-message-container">'
        '<div class="ms-outlook-mobile-reference-message skipProofing" style="border-top:1pt solid #B5C4DF">'
        f"{header_html(reply)}</div><div>{breaks(bare(reply))}</div></div>{divs(reply.bottom)}"
    )


APPLE = {
    "en": "On Nov 21, 2026, at 10:00, {judge} <{seat}> wrote:",
    "es": "El 21 nov 2026, a las 10:00, {judge} <{seat}> escribió:",
    "fr": "Le 21 nov. 2026 à 10:00, {judge} <{seat}> a écrit :",
    "de": "Am 21.11.2026 um 10:00 schrieb {judge} <{seat}>:",
}
IPHONE = {
    "en": "Sent from my iPhone",
    "es": "Enviado desde mi iPhone",
    "fr": "Envoyé de mon iPhone",
    "de": "Von meinem iPhone gesendet",
}


def apple_plain(reply: Reply) -> str:
    quote = [f"> {filled(APPLE, reply)}", "> ", *marked(reply, empty="> ")]
    return page(reply.top, "", "", *quote, *(["", reply.bottom] if reply.bottom else []), "")


def apple_html(reply: Reply) -> str:
    escaped = html.escape(filled(APPLE, reply))
    quote = split_quote(
        reply,
        '<blockquote type="cite"><div>',
        "</div></blockquote>",
        lambda run: f'<div style="overflow-wrap: break-word">{breaks(run)}</div>',
    )
    first = quote.replace("<div>", f'<div>{escaped}</div><br class="Apple-interchange-newline"><div>', 1)
    return f"{divs(reply.top)}<div><br>{first}</div><br>{divs(reply.bottom)}"


def iphone_plain(reply: Reply) -> str:
    quote = [f"> {filled(APPLE, reply)}", "> ", "> \ufeff", *marked(reply, empty="> ")]
    return page(reply.top, "", IPHONE[reply.language], "", *quote, *lines(reply.bottom), "")


def iphone_html(reply: Reply) -> str:
    escaped = html.escape(filled(APPLE, reply))
    quote = split_quote(reply, '<blockquote type="cite"><div dir="ltr">', "</div></blockquote>")
    return (
        f'<div dir="ltr">{divs(reply.top)}<br id="lineBreakAtBeginningOfSignature"><div dir="ltr">'
        f'{IPHONE[reply.language]}</div><div dir="ltr"><br><blockquote type="cite">{escaped}<br><br></blockquote></div>'
        f"{quote}{divs(reply.bottom)}</div>"
    )


THUNDERBIRD = {
    "en": "On 11/21/26 10:00, {judge} wrote:",
    "es": "El 21/11/26 a las 10:00, {judge} escribió:",
    "fr": "Le 21/11/2026 à 10:00, {judge} a écrit :",
    "de": "Am 21.11.26 um 10:00 schrieb {judge}:",
}


def thunderbird_plain(reply: Reply) -> str:
    quote = [filled(THUNDERBIRD, reply), *marked(reply)]
    return page(*([reply.top, ""] if reply.top else []), *quote, *(["", reply.bottom] if reply.bottom else []), "")


def thunderbird_html(reply: Reply) -> str:
    quote = split_quote(
        reply,
        '<blockquote type="cite" cite="mid:x@war.test"><pre wrap="" class="moz-quote-pre">',
        "</pre></blockquote>",
        lambda run: html.escape("\n".join(run)),
    )
    top = "".join(f"<p>{html.escape(line) or '<br>'}</p>" for line in lines(reply.top))
    escaped = html.escape(filled(THUNDERBIRD, reply))
    return f'{top}<div class="moz-cite-prefix">{escaped}<br></div>{quote}<p>{breaks(lines(reply.bottom))}</p>'


YAHOO = {
    "en": "On Saturday, November 21, 2026 at 10:00:00 AM GMT+1, {judge} <{seat}> wrote:",
    "es": "En sábado, 21 de noviembre de 2026, 10:00:00 CET, {judge} <{seat}> escribió:",
    "fr": "Le samedi 21 novembre 2026 à 10:00:00 UTC+1, {judge} <{seat}> a écrit :",
    "de": "Am Samstag, 21. November 2026 um 10:00:00 MEZ hat {judge} <{seat}> Folgendes geschrieben:",
}


def yahoo_plain(reply: Reply) -> str:
    """No marks: the quote is pushed in by a blank."""
    quote = [f"    {filled(YAHOO, reply)}  ", " ", *(f" {text}" for text in bare(reply))]
    return page(*(f" {line}" for line in lines(reply.top)), *quote, "  ", *lines(reply.bottom), "")


def yahoo_html(reply: Reply) -> str:
    escaped, inside = html.escape(filled(YAHOO, reply)), breaks(bare(reply))
    return (
        f'<div class="ydpd1a2b3yahoo-style-wrap" style="font-size:13px"><div dir="ltr">{breaks(lines(reply.top))}</div>'
        '</div><div id="ydpd1a2b3yahoo_quoted_7312345678" class="ydpd1a2b3yahoo_quoted"><div style="font-size:13px">'
        f'<div>{escaped}</div><div><br></div><div><div dir="ltr">{inside}</div></div></div></div>{divs(reply.bottom)}'
    )


K9 = {
    "en": "On November 21, 2026 10:00:00 AM GMT+01:00, {judge} <{seat}> wrote:",
    "es": "El 21 de noviembre de 2026 10:00:00 CET, {judge} <{seat}> escribió:",
    "fr": "Le 21 novembre 2026 10:00:00 GMT+01:00, {judge} <{seat}> a écrit :",
    "de": "Am 21. November 2026 10:00:00 MEZ schrieb {judge} <{seat}>:",
}


def k9_plain(reply: Reply) -> str:
    quote = ["", "", filled(K9, reply), *marked(reply, mark=">")]
    return page(reply.top, *quote, *(["", reply.bottom] if reply.bottom else []), "")


def k9_html(reply: Reply) -> str:
    style = 'style="margin: 0pt 0pt 0pt 0.8ex; border-left: 1px solid #729fcf; padding-left: 1ex;"'
    quote = split_quote(
        reply,
        f'<blockquote class="gmail_quote" {style}><pre dir="auto" class="k9mail">',
        "</pre></blockquote>",
        lambda run: html.escape("\n".join(run)),
    )
    escaped = html.escape(filled(K9, reply))
    return (
        f'<!DOCTYPE html><div dir="auto">{breaks(lines(reply.top))}</div><br><br><div class="gmail_quote">'
        f'<div dir="auto">{escaped}</div>{quote}</div><div dir="auto">{breaks(lines(reply.bottom))}</div>'
    )


RULE = "---------- Forwarded message ---------"
FORWARDED = {
    "en": "{rule}\nFrom: {judge} <{seat}>\nDate: Sat, Nov 21, 2026 at 10:00\nTo: {player}",
    "es": "{rule}\nDe: {judge} <{seat}>\nDate: sáb, 21 nov 2026 a las 10:00\nTo: {player}",
    "fr": "{rule}\nDe : {judge} <{seat}>\nDate: sam. 21 nov. 2026 à 10:00\nTo: {player}",
    "de": "{rule}\nVon: {judge} <{seat}>\nDate: Sa., 21. Nov. 2026 um 10:00\nTo: {player}",
}


def forward_plain(reply: Reply) -> str:
    return page(reply.top, "", filled(FORWARDED, reply), "", "", *bare(reply), *lines(reply.bottom), "")


def forward_html(reply: Reply) -> str:
    head = "<br>".join(html.escape(line) for line in lines(filled(FORWARDED, reply)))
    return (
        f'<div dir="ltr">{divs(reply.top)}<br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">{head}'
        f"<br></div><br>{breaks(bare(reply))}</div></div>{divs(reply.bottom)}"
    )


class Client(NamedTuple):
    """A client: its parts, and whether each shows where a quote ends, not only where it begins."""

    plain: Callable[[Reply], str]
    html: Callable[[Reply], str]
    marks: bool = True
    holds: bool = True
    mailer: str = ""


CLIENTS = {
    "gmail-web": Client(gmail_plain, gmail_html),
    "gmail-app": Client(gmail_plain, gmail_app_html),
    "outlook": Client(outlook_plain, outlook_html, marks=False, holds=False, mailer="Microsoft Outlook 16.0"),
    "outlook-marked": Client(outlook_marked, outlook_html, holds=False, mailer="Microsoft Outlook 16.0"),
    "outlook-web": Client(outlook_web_plain, outlook_web_html, marks=False, holds=False),
    "outlook-app": Client(outlook_app_plain, outlook_app_html, marks=False),
    "apple-mail": Client(apple_plain, apple_html, mailer="Apple Mail (2.3774)"),
    "iphone": Client(iphone_plain, iphone_html, mailer="iPhone Mail (20G75)"),
    "thunderbird": Client(thunderbird_plain, thunderbird_html),
    "yahoo": Client(yahoo_plain, yahoo_html, marks=False, mailer="WebService/1.1 YMailNorrin"),
    "k9": Client(k9_plain, k9_html),
    "forward": Client(forward_plain, forward_html, marks=False),
}
