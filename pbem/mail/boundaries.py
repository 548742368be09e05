"""Find where a letter's quote begins: at a client's mark or an introduction.

Lines with quote marks are not treated here, but the marks that clients set above them, and quotes without any mark.
The lines are walked once, and at each line a fixed number of neighbours is inspected.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.orders import block as bounds
from pbem.mail.lines import UnquotedLine, lines_to_others, split_quoted_lines
from pbem.mail.marks import (
    LONGEST_MARK,
    announces_forward,
    is_heading,
    is_horizontal_rule,
    is_sentinel,
    is_separator,
    is_weak_separator,
)

# The lines that clients set above a quote: ``On 3 May 2026, Ana <a@example.org> wrote:``, or the quoted header.
#
# Their words come in every language, so the shapes decide: a date, an address, a colon at the end, a column of
# ``Word: value``. Words help where a shape alone might be the author's own.


MOST_ATTRIBUTION_LINES = 6
"""Lines into which a client may break an attribution. A choice: with long names and addresses it needs three or four.
"""
_LINE = 400
"""Characters of one line of an attribution. A choice: a longer line is taken for the author's own."""
_CHARACTERS_READ = 1_200
"""Characters in which a date, an address and a verb are searched: the tallest attribution has fewer, and the patterns
are tried on every line of a letter."""

# One character on each side is enough: it is asked whether there is an address, not which.
_ADDRESS = re.compile(r"[^\s<>@]@[\w-]")
_ALONE, _ENDS = r"(?<![0-9A-Za-z_])", r"(?![0-9A-Za-z_])"
_DATE = re.compile(
    rf"{_ALONE}(?:(?:19|20)[0-9]{{2}}|[0-9]{{1,2}}[:.h][0-9]{{2}}|[0-9]{{1,4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,4}}){_ENDS}"
)
"""Scripts without blanks put words right beside figures, so only Latin words are kept apart."""
_WROTE = (
    r"wrote|writes|escribió|escribio|écrit|ecrit|écrivait|schrieb|schreibt|geschrieben|scritto|scriveva|escreveu|skrev"
    r"|schreef|geschreven|napisał|pisze|kirjoitti|написала?|пишет|пише|пишете|писали|написа|yazdı|napsala?"
    r"|napísala?|írta|scris|έγραψε|escribiu|escriure|napisao|napisala|napisali|kirjutas|rakstīja|rašė|đã viết|menulis"
)
_UNSPACED = "写道|寫道|作成|작성"
# An apostrophe goes on with a word, as a letter does: it is another word then.
_VERB = re.compile(rf"\b(?:{_WROTE})(?![\w'])|{_UNSPACED}", re.IGNORECASE)
# Polish has the ending of a verb for women in brackets, "napisał(a)".
_VERB_LAST = re.compile(
    rf"(?:\b(?:{_WROTE})|{_UNSPACED})(?:\([a-ząćęłńóśźż]{{1,3}}\))?\s{{0,3}}[:：]?\s{{0,3}}$", re.IGNORECASE
)
# A verb in the middle of a line, whose colon is followed by the quote.
_VERB_BEHIND = re.compile(rf"\b(?:{_WROTE})\s?[:：](?=\s)", re.IGNORECASE)
# The words before a date, then perhaps the weekday, then perhaps the month, each as long as in these languages.
_OPENS = (
    r"(?:on|el|en|le|am|il(?: giorno)?|em|no dia|op|den|dne|dnia|w dniu|ativado|på)\s{1,2}"
    r"(?:[^\W\d_]{2,13}[.,]{0,2}\s{1,2})?(?:[^\W\d_]{3,10}[.,]?\s{1,2})?[0-9]"
)
_OPENING = re.compile(rf"[\s*_-]{{0,6}}{_OPENS}", re.IGNORECASE)
# After words of the author only in this spelling, with a capital.
_OPENING_BEHIND = re.compile(rf"(?<=[\s-])(?-i:(?=[A-Z]))(?:{_OPENS})", re.IGNORECASE)
_STAMP = re.compile(
    r"\s{0,3}(?:[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2} [0-9]{1,2}:[0-9]{2} (?:GMT|UTC)|posted by )", re.IGNORECASE
)
"""Beginnings of a line that no author would write."""
# Date and time in brackets at the end of a line that has neither a colon nor a verb.
_MOMENT_LAST = re.compile(r"\([0-9./ -]{6,12},? [0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?\)$")
# How months begin in these languages; it counts only with a figure in the same line.
_MONTH = re.compile(
    r"\b(?:jan|ene|gen|feb|fév|fev|mar|mär|maa|mrt|apr|abr|avr|mai|may|mag|mei|jun|jui|giu|jul|lug|aug|ago|aoû|sep|set"
    r"|oct|okt|ott|out|nov|dec|dic|dez|déc)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[0-9]")
# "As I wrote on ...:" is the author's sentence, no attribution. What a dot, an at sign or a hyphen follows is an
# initial or a part of a name or an address.
_FIRST_PERSON = re.compile(
    r"\bI\b(?!\.)|\bj['’]|\b(?i:we|ich|wir|je|nous|ik|wij|yo|nosotros|eu|nós|ho|abbiamo)\b(?![.@-])"
)

_WHO = (
    "from|de|von|da|van|från|fra|od|lähettäjä|от|від|kimden|de la|feladó|saatja|šalje|发件人|寄件者|差出人|送信元"
    "|보낸 사람|remitente|mittente|afzender|expéditeur"
)
_WHEN = (
    "sent|date|sent at|enviado|enviada|enviado em|enviada em|enviado el|envoyé|envoyé le|gesendet|gesendet am|datum"
    "|inviato|inviato il|data|verzonden|fecha|skickat|sendt|dato|lähetetty|wysłano|tarih|gönderilen"
    "|dată|dátum|küldve|päiväys|kuupäev|odesláno|poslano|дата|надіслано|отправлено|日期|日付|送信日時|发送时间|날짜"
)
_TO = (
    "to|para|à|a|an|aan|till|til|do|komu|kime|către|címzett|vastaanottaja|saaja|prima|кому|收件人|收件者|宛先|送信先"
    "|받는 사람|pour|cc|copie|kopie|kopia|reply-to|reply to|antwort an"
)
_ABOUT = (
    "subject|asunto|assunto|objet|sujet|betreff|oggetto|onderwerp|ämne|emne|temat|тема|konu|subiect|tárgy|předmět|predmet|aihe"
    "|teema|主题|主旨|件名|제목|re"
)
_KNOWN = rf"(?:(?P<who>{_WHO})|(?P<when>{_WHEN})|(?P<to>{_TO})|(?P<about>{_ABOUT}))"
# What clients set before the name of a field: blanks, signs of bold text, the bar of a table. Bounded, as all that
# follows, since it is tried on every line.
_SET = r"[\s*_|]{0,40}"
_LETTER = r"(?:[^\W\d_]|[\u0900-\u0dff\u0e31-\u0e4e])"
"""A letter of any script, with the vowels that scripts of India and Thailand set above and below, which are no letters
by themselves."""
# A field with any name of up to four words; one with a known name, unless it is a link; and one within a line.
_FIELD = re.compile(rf"{_SET}{_LETTER}{{1,24}}(?:[ .'’\u3000-]{_LETTER}{{1,24}}){{0,3}}\*{{0,2}}\s?[:：](?:[\s*]|$)")
_KNOWN_FIELD = re.compile(rf"{_SET}{_KNOWN}\*{{0,2}}\s?[:：](?!//)", re.IGNORECASE)
_FLAT_FIELD = re.compile(rf"(?:^|(?<=[\s>*])){_KNOWN}\*{{0,2}}\s?[:：]", re.IGNORECASE)
_FLAT = 800
"""Characters of a one-line header that are inspected: its four fields with their addresses have some hundred."""


_COLUMN = re.compile(r"\s{8,80}\S")
"""A line that is indented as far as only tables are, and no farther than a line is wide."""


class Attribution(NamedTuple):
    """The line that names author and date of a quote: its height, and text before it."""

    height: int
    before: str = ""


def is_header_start(lines: Sequence[str]) -> bool:
    """Return whether a mail header begins at the first of these lines.

    A header has fields ``Word: value`` in a row, with an address or a date. There are three of them, one a known
    word or in another script, or together with both an address and a date; or there are two known ones, one of them
    the author or the date. A field may continue in an indented line, or below an open comma or bracket; at most six
    lines are inspected. Other words with a colon right above a header do not belong to it.
    """
    if not lines or (_is_unknown_field(lines[0]) and any(_is_header(lines[start:]) for start in range(1, len(lines)))):
        return False
    return _is_header(lines)


def _is_unknown_field(line: str) -> bool:
    """Return whether a field has no known word, no address and no date."""
    # The name of a field stands at the beginning; 120 characters hold it with all that is set before it.
    return not (_KNOWN_FIELD.match(line[:120]) or _has_address(line) or has_date(line))


def _is_header(lines: Sequence[str]) -> bool:
    """Return whether these lines are a mail header, including the first line."""
    fields = 0
    address = date = foreign = is_open = False
    known: set[str] = set()
    for line in lines:
        # Only the beginning, as in `_is_unknown_field`.
        match = _KNOWN_FIELD.match(line[:120])
        if match or _FIELD.match(line[:120]):
            fields += 1
            known.add(match.lastgroup or "" if match else "")
            foreign = foreign or not line[:1].isascii()
        elif not (fields and (is_open or line[:1] in (" ", "\t")) and line.strip()):
            break
        is_open = line.rstrip().endswith((",", ";", "<", "(", ":"))
        address, date = address or _has_address(line), date or has_date(line)
    known.discard("")
    if not (address or date):
        return False
    return (fields >= 3 and (bool(known) or foreign or (address and date))) or (
        len(known) >= 2 and not known.isdisjoint(("who", "when"))
    )


def is_flat_header_start(lines: Sequence[str]) -> bool:
    """Return whether the first of these lines is a whole mail header.

    It is a single line, ``From: ... Date: ... To: ... Subject: ...``, in which author and date are enough. A client
    may have broken the line, so that the lines below are inspected too.
    """
    # Only the beginning, as in `_is_unknown_field`.
    if not lines or len(lines[0]) > LONGEST_MARK or not _KNOWN_FIELD.match(lines[0][:120]):
        return False
    text = " ".join(lines)[:_FLAT]
    known = {match.lastgroup for match in _FLAT_FIELD.finditer(text)}
    in_first = len({match.lastgroup for match in _FLAT_FIELD.finditer(lines[0])})
    if in_first >= 2 and {"who", "when"} <= known and _has_address(lines[0]) and has_date(lines[0]):
        return True
    return in_first >= 2 and len(known) >= 3 and "who" in known and (_has_address(text) or has_date(text))


def is_dated_field(line: str) -> bool:
    """Return whether a line is a field of a mail header with an address or a date."""
    # Only the beginning, as in `_is_unknown_field`.
    return _FIELD.match(line[:120]) is not None and (_has_address(line) or has_date(line))


def is_column_start(lines: Sequence[str]) -> bool:
    """Return whether a two-column mail header begins here, as by old Lotus Notes.

    Author and date are on the left, recipients and subject on the right, so that no line is a field; all lines are
    indented, and four or more of them have an address and a date.
    """
    if not lines or not _COLUMN.match(lines[0]):
        return False
    rows = list(itertools.takewhile(lambda line: _COLUMN.match(line) or not line.strip(), lines))
    text = " ".join(row[:_LINE] for row in rows)
    return sum(1 for row in rows if row.strip()) >= 4 and _has_address(text) and has_date(text)


def find_attribution(lines: Sequence[str], quote_follows: bool) -> Attribution | None:
    """Return the attribution that ends in the last line, or None.

    `quote_follows` is True if a quoted line is next. An attribution ends in a colon or in a verb of writing, and
    has two of date, address and such a verb. Before a quoted line one of them is enough, and the colon may be
    missing if it has date and address. "As I wrote on ...:" without an address is no attribution.
    """
    last = lines[-1].rstrip() if lines else ""
    if not last or len(last) > _LINE:
        return None
    if last.endswith("---") and lines[-1].lstrip().startswith("---"):
        last = last.rstrip("- ")
        lines = [*lines[:-1], last]
    if (quote_follows and announces_forward(last)) or (last.endswith(">>>") and _has_address(last) and has_date(last)):
        return Attribution(1)
    if not (last.endswith((":", "：")) or _VERB_LAST.search(last[-40:])):
        has_moment = has_date(last) and bool(
            _has_address(last) or _MOMENT_LAST.search(last[-40:]) or _STAMP.match(last)
        )
        if quote_follows and has_moment and len(last) <= 200:
            return Attribution(1)
        return _attribution_before_text(last)
    return _multiline_attribution(lines, quote_follows)


def _multiline_attribution(lines: Sequence[str], quote_follows: bool) -> Attribution | None:
    """Return the attribution that begins in an earlier line and ends in the last."""
    fallback = 0
    for height in range(1, min(len(lines), MOST_ATTRIBUTION_LINES) + 1):
        first = lines[-height]
        if not first.strip() or len(first) > _LINE:
            break
        text = " ".join(lines[-height:])
        if not _is_attribution(text, quote_follows):
            continue
        if _OPENING.match(first):
            return Attribution(_extend_upwards(lines, height) if first.lstrip()[:1].islower() else height)
        if before := _text_before(first):
            return Attribution(height, before)
        fallback = fallback or height
    return Attribution(_extend_upwards(lines, fallback)) if fallback else None


def _is_attribution(text: str, quote_follows: bool) -> bool:
    """Return whether a text that ends like an attribution has enough of its parts."""
    date, address, verb = has_date(text), _has_address(text), _VERB.search(text[:_CHARACTERS_READ]) is not None
    if not text.rstrip().endswith((":", "：")):
        return address and (date or (quote_follows and verb))
    if address:
        return date or verb or quote_follows
    if quote_follows:
        return date or verb
    if not (date and verb):
        return False
    opens = _OPENING.match(text) is not None
    return opens or (not _FIRST_PERSON.search(text) and _VERB_LAST.search(text[-60:]) is not None)


def _extend_upwards(lines: Sequence[str], height: int) -> int:
    """Return an attribution's height with the lines above that hold its date or name."""
    limit = min(len(lines), MOST_ATTRIBUTION_LINES)
    while height < limit:
        first, above = lines[-height].lstrip(), lines[-height - 1].rstrip()
        is_complete = above.endswith((".", "!", "?", ":", ";")) and not (first[:1] in "<([" and _has_address(above))
        if not above or is_complete or len(above) > _LINE:
            break
        is_part = _VERB.search(above) or _has_address(above) or (_MONTH.search(above) and _DIGIT.search(above))
        adds_date = has_date(above) and not has_date(" ".join(lines[-height:]))
        if not (is_part or adds_date or above.endswith(("<", "(")) or first[:1] in "<(["):
            break
        height += 1
    return height


def _text_before(line: str) -> str:
    """Return the author's text before an attribution in a line.

    It is empty if that text is part of the attribution.
    """
    match = _OPENING_BEHIND.search(line[:_LINE])
    if match is None:
        return ""
    before = line[: match.start()].rstrip().rstrip("-_").rstrip()
    if _has_address(before) or has_date(before) or _VERB.search(before) or before.endswith((",", ":")):
        return ""
    return before if any(character.isalnum() for character in before) else ""


def _attribution_before_text(line: str) -> Attribution | None:
    """Return an attribution with an address and its quote in the same line."""
    match = _VERB_BEHIND.search(line)
    if match is None:
        return None
    beginning = line[: match.end()]
    if not (_has_address(beginning) and has_date(beginning)):
        return None
    return Attribution(1, "" if _OPENING.match(beginning) else _text_before(beginning))


def _has_address(text: str) -> bool:
    return _ADDRESS.search(text[:_CHARACTERS_READ]) is not None


def has_date(text: str) -> bool:
    """Return whether a text holds a year, a day or a time of day."""
    return _DATE.search(text[:_CHARACTERS_READ]) is not None


class ScannedText(NamedTuple):
    """A scanned text: its lines, lines to others, and the start of an unmarked quote.

    `skipped` are earlier lines that only introduce a quote; `instead` is the author's own text on such a line.
    """

    lines: list[UnquotedLine]
    others: frozenset[int]
    boundary: int
    skipped: frozenset[int]
    instead: Mapping[int, str]


def scan_text(text: str) -> ScannedText:
    """Find the start of the unmarked quote, and lines that only introduce a quote."""
    others_lines = lines_to_others(text)
    pairs = zip(split_quoted_lines(text), text.split("\n"), strict=True)
    lines = [UnquotedLine(0, raw) if index in others_lines else line for index, (line, raw) in enumerate(pairs)]
    in_blocks = _own_blocks(lines)
    skipped: set[int] = set()
    instead: dict[int, str] = {}
    boundary = len(lines)
    for index, line in enumerate(lines):
        if index in others_lines or not line.text.strip() or (line.depth and not _between_marks(lines, index)):
            continue
        if line.depth:
            boundary = index
            break
        if _begins_quote(lines, index):
            boundary = _announcing_line(lines, index)
            break
        attribution, quoted_next = _attribution_at(lines, index)
        if attribution is None and index not in in_blocks:
            attribution = (
                Attribution(1)
                if is_horizontal_rule(line.text) and _is_quote_next(lines, index)
                else _dashed_attribution(lines, index)
            )
        if attribution is None:
            if is_weak_separator(line.text) and index not in in_blocks:
                boundary = index
                break
            continue
        first_line = index - attribution.height + 1
        skipped.update(range(first_line, index + 1))
        if attribution.before:
            instead[first_line] = attribution.before
        if not quoted_next:
            boundary = first_line + 1 if attribution.before else _announcing_line(lines, first_line)
            break
    return ScannedText(lines, others_lines, boundary, frozenset(skipped), instead)


def _begins_quote(lines: Sequence[UnquotedLine], index: int) -> bool:
    """Return whether an unmarked line begins a letter that is quoted whole."""
    text = lines[index].text
    return bool(
        is_sentinel(text) or is_separator(text) or _is_heading_above_field(lines, index) or _is_header_at(lines, index)
    )


def _own_blocks(lines: Sequence[UnquotedLine]) -> set[int]:
    """Return the line numbers in blocks of orders without a quote mark.

    A line in them that looks like a separator is the author's.
    """
    own_lines: set[int] = set()
    start = -1
    for index, line in enumerate(lines):
        bare = bounds.bare(line.text) if not line.depth else ""
        if is_sentinel(line.text):
            start = -1
        elif bounds.header(bare):
            start = index
        elif start >= 0 and bounds.ends(bare):
            own_lines.update(range(start, index))
            start = -1
    return own_lines


def _is_header_at(lines: Sequence[UnquotedLine], index: int) -> bool:
    """Return whether a mail header begins at a line.

    With empty lines set below each line by a client, sixteen lines are inspected.
    """
    # A header in lines has six of them; with two empty lines below each of the first five they are 16. A flat one may
    # be broken into three. One in two columns has four or more lines, and empty ones between: ten is a choice.
    run = [line.text for line in _own_run(lines, index, 16)]
    return is_header_start(_without_gaps(run)[:6]) or is_flat_header_start(run[:3]) or is_column_start(run[:10])


def _without_gaps(run: Sequence[str]) -> Sequence[str]:
    """Remove empty lines that a client set below each line.

    They are one or two each.
    """
    # Without text in the next three lines there is no gap of this kind: 0.
    gap = next((offset for offset, text in enumerate(run[1:4]) if text.strip()), 0)
    if not gap:
        return run
    rows = [run[start : start + gap + 1] for start in range(0, len(run), gap + 1)]
    regular = list(itertools.takewhile(lambda row: row[0].strip() and not any(map(str.strip, row[1:])), rows))
    return [row[0] for row in rows[: len(regular) + 1] if row[0].strip()]


def _is_heading_above_field(lines: Sequence[UnquotedLine], index: int) -> bool:
    """Return whether a line is words between dashes, above a field of a mail header."""
    if not is_heading(lines[index].text):
        return False
    following = next((other for other in lines[index + 1 : index + 4] if other.text.strip()), None)
    return following is not None and not following.depth and is_dated_field(following.text)


def _dashed_attribution(lines: Sequence[UnquotedLine], index: int) -> Attribution | None:
    """Return the attribution between runs of dashes that ends at a line."""
    if not lines[index].text.rstrip().endswith("----"):
        return None
    for height in range(1, MOST_ATTRIBUTION_LINES + 1):
        # Not below 0: a negative index would count from the end.
        group = [line.text for line in lines[max(0, index - height + 1) : index + 1] if not line.depth]
        if len(group) < height or not group[0].strip():
            return None
        if group[0].lstrip().startswith("----"):
            return Attribution(height) if is_weak_separator(" ".join(group)) else None
    return None


def _between_marks(lines: Sequence[UnquotedLine], index: int) -> bool:
    """Return whether a line is ``>>> Ana <ana@example.org> 21/11/2026 >>>``."""
    line = lines[index]
    return (
        line.depth > 2
        and line.text.rstrip().endswith(">>>")
        and has_date(line.text)
        and not _is_quote_next(lines, index)
    )


def _is_quote_next(lines: Sequence[UnquotedLine], index: int) -> bool:
    """Return whether the next non-empty line, of a few, is quoted."""
    following = next((other for other in lines[index + 1 : index + 8] if other.text.strip()), None)
    return following is not None and following.depth > 0


def _attribution_at(lines: Sequence[UnquotedLine], index: int) -> tuple[Attribution | None, bool]:
    """Return the attribution that ends at a line, and whether a quoted line is next."""
    above: list[str] = []
    # Not below 0: a negative index would count from the end.
    for other in reversed(lines[max(0, index - MOST_ATTRIBUTION_LINES + 1) : index + 1]):
        if other.depth:
            break
        above.insert(0, other.text)
    quote_follows = _is_quote_next(lines, index)
    return find_attribution(above, quote_follows), quote_follows


def _own_run(lines: Sequence[UnquotedLine], start: int, limit: int) -> list[UnquotedLine]:
    """Return the unquoted lines from `start` on, up to the first quoted one."""
    return list(itertools.takewhile(lambda line: not line.depth, lines[start : start + limit]))


def _announcing_line(lines: Sequence[UnquotedLine], index: int) -> int:
    """Return the line that announces a header: a rule or "Begin forwarded message:"."""
    for above in range(index - 1, max(-1, index - 6), -1):
        text = lines[above].text.strip()
        if text:
            return above if announces_forward(text) or is_heading(text) or not text.strip("_-—*=") else index
    return index
