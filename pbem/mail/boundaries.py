"""Where in a letter's lines what was quoted begins: at a mark of a client's, or below words that introduce a quote.

Lines with quote marks need none of that; this is for what clients set above them, and for quotes without any mark. The
lines are walked once, and at each a fixed number of those around it is looked at.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.orders import block as bounds
from pbem.mail.lines import Line, marked, to_others
from pbem.mail.marks import LONGEST, announces, heading, rule, sentinel, separator, weak_separator

# What clients set above a quote: ``On 3 May 2026, Ana <a@example.org> wrote:``, or the quoted letter's header.
#
# Their words come in every language, so the shapes decide: a date, an address, a colon at the end, a column of
# ``Word: value``. Words help where a shape alone might be the author's own.


TALLEST = 6
"""Lines over which a client breaks an attribution at most."""
_LINE = 400
"""Characters of a line of one."""
_LOOKED_AT = 1_200

_ADDRESS = re.compile(r"[^\s<>@]@[\w-]")
_ALONE, _ENDS = r"(?<![0-9A-Za-z_])", r"(?![0-9A-Za-z_])"
_DATE = re.compile(
    rf"{_ALONE}(?:(?:19|20)[0-9]{{2}}|[0-9]{{1,2}}[:.h][0-9]{{2}}|[0-9]{{1,4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,4}}){_ENDS}"
)
"""Scripts without blanks set their words right beside the figures, so those of the Latin one alone are kept apart."""
_WROTE = (
    r"wrote|writes|escribió|escribio|écrit|ecrit|écrivait|schrieb|schreibt|geschrieben|scritto|scriveva|escreveu|skrev"
    r"|schreef|geschreven|napisał|pisze|kirjoitti|написала?|пишет|пише|пишете|писали|написа|yazdı|napsala?"
    r"|napísala?|írta|scris|έγραψε|escribiu|escriure|napisao|napisala|napisali|kirjutas|rakstīja|rašė|đã viết|menulis"
)
_UNSPACED = "写道|寫道|作成|작성"
_VERB = re.compile(rf"\b(?:{_WROTE})(?![\w'])|{_UNSPACED}", re.IGNORECASE)
_VERB_LAST = re.compile(
    rf"(?:\b(?:{_WROTE})|{_UNSPACED})(?:\([a-ząćęłńóśźż]{{1,3}}\))?\s{{0,3}}[:：]?\s{{0,3}}$", re.IGNORECASE
)
_VERB_BEHIND = re.compile(rf"\b(?:{_WROTE})\s?[:：](?=\s)", re.IGNORECASE)
_OPENS = (
    r"(?:on|el|en|le|am|il(?: giorno)?|em|no dia|op|den|dne|dnia|w dniu|ativado|på)\s{1,2}"
    r"(?:[^\W\d_]{2,13}[.,]{0,2}\s{1,2})?(?:[^\W\d_]{3,10}[.,]?\s{1,2})?[0-9]"
)
_OPENING = re.compile(rf"[\s*_-]{{0,6}}{_OPENS}", re.IGNORECASE)
# Behind words of the author's only as it is written there, with a capital.
_OPENING_BEHIND = re.compile(rf"(?<=[\s-])(?-i:(?=[A-Z]))(?:{_OPENS})", re.IGNORECASE)
_STAMP = re.compile(
    r"\s{0,3}(?:[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2} [0-9]{1,2}:[0-9]{2} (?:GMT|UTC)|posted by )", re.IGNORECASE
)
"""What no author begins a line with."""
_MOMENT_LAST = re.compile(r"\([0-9./ -]{6,12},? [0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?\)$")
_MONTH = re.compile(
    r"\b(?:jan|ene|gen|feb|fév|fev|mar|mär|maa|mrt|apr|abr|avr|mai|may|mag|mei|jun|jui|giu|jul|lug|aug|ago|aoû|sep|set"
    r"|oct|okt|ott|out|nov|dec|dic|dez|déc)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[0-9]")
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
_SET = r"[\s*_|]{0,40}"
_LETTER = r"(?:[^\W\d_]|[\u0900-\u0dff\u0e31-\u0e4e])"
"""With the vowels that scripts of India and Siam set above and below a letter, which count as none."""
_FIELD = re.compile(rf"{_SET}{_LETTER}{{1,24}}(?:[ .'’\u3000-]{_LETTER}{{1,24}}){{0,3}}\*{{0,2}}\s?[:：](?:[\s*]|$)")
_KNOWN_FIELD = re.compile(rf"{_SET}{_KNOWN}\*{{0,2}}\s?[:：](?!//)", re.IGNORECASE)
_FLAT_FIELD = re.compile(rf"(?:^|(?<=[\s>*])){_KNOWN}\*{{0,2}}\s?[:：]", re.IGNORECASE)
_FLAT = 800


_COLUMN = re.compile(r"\s{8,80}\S")
"""A line that is set in from the edge as only a table is."""


class Attribution(NamedTuple):
    """Who wrote and when: over how many lines, and what its author had written before it in the first of them."""

    height: int
    before: str = ""


def header_begins(lines: Sequence[str]) -> bool:
    """Whether a mail header begins at the first of these lines: fields in a row that hold an address or a date.

    Three ``Word: value``, one of them known or in another script, or with both an address and a date; or two known
    ones, of which one says who wrote or when. A field may go on in an indented line, or below a comma or a bracket that
    is open; at most six lines are looked at. Words with a colon right above a header are none of its fields.
    """
    if not lines or (_says_nothing(lines[0]) and any(_holds_header(lines[at:]) for at in range(1, len(lines)))):
        return False
    return _holds_header(lines)


def _says_nothing(line: str) -> bool:
    """Whether a field is of no known word and holds neither address nor date."""
    return not (_KNOWN_FIELD.match(line[:120]) or _has_address(line) or dated(line))


def _holds_header(lines: Sequence[str]) -> bool:
    """Whether the first of these lines are a mail header, whoever wrote the first of them."""
    fields = 0
    address = date = foreign = open_ = False
    known: set[str] = set()
    for line in lines:
        found = _KNOWN_FIELD.match(line[:120])
        if found or _FIELD.match(line[:120]):
            fields += 1
            known.add(found.lastgroup or "" if found else "")
            foreign = foreign or not line[:1].isascii()
        elif not (fields and (open_ or line[:1] in (" ", "\t")) and line.strip()):
            break
        open_ = line.rstrip().endswith((",", ";", "<", "(", ":"))
        address, date = address or _has_address(line), date or dated(line)
    known.discard("")
    if not (address or date):
        return False
    return (fields >= 3 and (bool(known) or foreign or (address and date))) or (
        len(known) >= 2 and not known.isdisjoint(("who", "when"))
    )


def flat_header_begins(lines: Sequence[str]) -> bool:
    """Whether the first of these lines holds a whole mail header: ``From: ... Date: ... To: ... Subject: ...``.

    A client may have broken it; the lines below are looked at too. Of a single line who wrote and when are enough.
    """
    if not lines or len(lines[0]) > LONGEST or not _KNOWN_FIELD.match(lines[0][:120]):
        return False
    text = " ".join(lines)[:_FLAT]
    known = {found.lastgroup for found in _FLAT_FIELD.finditer(text)}
    in_first = len({found.lastgroup for found in _FLAT_FIELD.finditer(lines[0])})
    if in_first >= 2 and {"who", "when"} <= known and _has_address(lines[0]) and dated(lines[0]):
        return True
    return in_first >= 2 and len(known) >= 3 and "who" in known and (_has_address(text) or dated(text))


def field(line: str) -> bool:
    """Whether the line is a field of a mail header that holds an address or a date."""
    return _FIELD.match(line[:120]) is not None and (_has_address(line) or dated(line))


def column_begins(lines: Sequence[str]) -> bool:
    """Whether a mail header in two columns begins at the first of these lines, as old Notes set it into the text.

    Who wrote and when stand on the left, to whom and about what on the right, so no line of it is a field; all are set
    in from the edge, and four or more of them hold an address and a date.
    """
    if not lines or not _COLUMN.match(lines[0]):
        return False
    rows = list(itertools.takewhile(lambda line: _COLUMN.match(line) or not line.strip(), lines))
    text = " ".join(row[:_LINE] for row in rows)
    return sum(1 for row in rows if row.strip()) >= 4 and _has_address(text) and dated(text)


def attribution(lines: Sequence[str], quote_follows: bool) -> Attribution | None:
    """The attribution that the last of these lines ends, if it ends one; `quote_follows` if a quoted line is next.

    It ends in a colon or in a verb of writing, and holds two of date, address and such a verb; before a quote one of
    them is enough, and it may do without the colon if it holds date and address. Without an address "As I wrote on
    ...:" is none.
    """
    last = lines[-1].rstrip() if lines else ""
    if not last or len(last) > _LINE:
        return None
    if last.endswith("---") and lines[-1].lstrip().startswith("---"):
        last = last.rstrip("- ")
        lines = [*lines[:-1], last]
    if (quote_follows and announces(last)) or (last.endswith(">>>") and _has_address(last) and dated(last)):
        return Attribution(1)
    if not (last.endswith((":", "：")) or _VERB_LAST.search(last[-40:])):
        moment = dated(last) and bool(_has_address(last) or _MOMENT_LAST.search(last[-40:]) or _STAMP.match(last))
        if quote_follows and moment and len(last) <= 200:
            return Attribution(1)
        return _with_text_behind(last)
    return _begun_above(lines, quote_follows)


def _begun_above(lines: Sequence[str], quote_follows: bool) -> Attribution | None:
    """The attribution that the last line ends with a colon or a verb, by the line above it that begins it."""
    found = 0
    for height in range(1, min(len(lines), TALLEST) + 1):
        first = lines[-height]
        if not first.strip() or len(first) > _LINE:
            break
        text = " ".join(lines[-height:])
        if not _tells(text, quote_follows):
            continue
        if _OPENING.match(first):
            return Attribution(_raised(lines, height) if first.lstrip()[:1].islower() else height)
        if before := _before(first):
            return Attribution(height, before)
        found = found or height
    return Attribution(_raised(lines, found)) if found else None


def _tells(text: str, quote_follows: bool) -> bool:
    """Whether a text that ends like an attribution says enough to be one."""
    date, address, verb = dated(text), _has_address(text), _VERB.search(text[:_LOOKED_AT]) is not None
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


def _raised(lines: Sequence[str], height: int) -> int:
    """The height of an attribution with the lines above that hold its date or its name."""
    most = min(len(lines), TALLEST)
    while height < most:
        first, above = lines[-height].lstrip(), lines[-height - 1].rstrip()
        ended = above.endswith((".", "!", "?", ":", ";")) and not (first[:1] in "<([" and _has_address(above))
        if not above or ended or len(above) > _LINE:
            break
        goes_on = _VERB.search(above) or _has_address(above) or (_MONTH.search(above) and _DIGIT.search(above))
        day = dated(above) and not dated(" ".join(lines[-height:]))
        if not (goes_on or day or above.endswith(("<", "(")) or first[:1] in "<(["):
            break
        height += 1
    return height


def _before(line: str) -> str:
    """What the author wrote on a line in which the attribution begins after it; nothing if that is part of it."""
    found = _OPENING_BEHIND.search(line[:_LINE])
    if found is None:
        return ""
    before = line[: found.start()].rstrip().rstrip("-_").rstrip()
    if _has_address(before) or dated(before) or _VERB.search(before) or before.endswith((",", ":")):
        return ""
    return before if any(character.isalnum() for character in before) else ""


def _with_text_behind(line: str) -> Attribution | None:
    """An attribution after which the quote goes on in the same line; it holds an address."""
    found = _VERB_BEHIND.search(line)
    if found is None:
        return None
    head = line[: found.end()]
    if not (_has_address(head) and dated(head)):
        return None
    return Attribution(1, "" if _OPENING.match(head) else _before(head))


def _has_address(text: str) -> bool:
    return _ADDRESS.search(text[:_LOOKED_AT]) is not None


def dated(text: str) -> bool:
    """Whether a text holds a year, a day or a time of day."""
    return _DATE.search(text[:_LOOKED_AT]) is not None


class Read(NamedTuple):
    """A text as it is cut: its lines, those that are said to others, and where what was quoted without marks begins.

    `skipped` are lines above that which only introduce a quote; `instead` is what the author wrote on such a line.
    """

    lines: list[Line]
    others: frozenset[int]
    boundary: int
    skipped: frozenset[int]
    instead: Mapping[int, str]


def read_lines(text: str) -> Read:
    """Find where what was quoted without marks begins, and the lines above it that only introduce a quote."""
    others = to_others(text)
    both = zip(marked(text), text.split("\n"), strict=True)
    lines = [Line(0, raw) if at in others else line for at, (line, raw) in enumerate(both)]
    within = _own_blocks(lines)
    skipped: set[int] = set()
    instead: dict[int, str] = {}
    boundary = len(lines)
    for at, line in enumerate(lines):
        if at in others or not line.text.strip() or (line.depth and not _between_marks(lines, at)):
            continue
        if line.depth:
            boundary = at
            break
        if _begins_quote(lines, at):
            boundary = _introduced(lines, at)
            break
        found, quoted_next = _attribution_at(lines, at)
        if found is None and at not in within:
            found = Attribution(1) if rule(line.text) and _quoted_next(lines, at) else _dashed(lines, at)
        if found is None:
            if weak_separator(line.text) and at not in within:
                boundary = at
                break
            continue
        first = at - found.height + 1
        skipped.update(range(first, at + 1))
        if found.before:
            instead[first] = found.before
        if not quoted_next:
            boundary = first + 1 if found.before else _introduced(lines, first)
            break
    return Read(lines, others, boundary, frozenset(skipped), instead)


def _begins_quote(lines: Sequence[Line], at: int) -> bool:
    """Whether a line without a mark of quoting begins a letter that is quoted as a whole."""
    text = lines[at].text
    return bool(sentinel(text) or separator(text) or _headed(lines, at) or _header_at(lines, at))


def _own_blocks(lines: Sequence[Line]) -> set[int]:
    """The lines of blocks that nothing quoted begins or ends: what looks like a rule in them is their author's."""
    found: set[int] = set()
    start = -1
    for at, line in enumerate(lines):
        bare = bounds.bare(line.text) if not line.depth else ""
        if sentinel(line.text):
            start = -1
        elif bounds.header(bare):
            start = at
        elif start >= 0 and bounds.ends(bare):
            found.update(range(start, at))
            start = -1
    return found


def _header_at(lines: Sequence[Line], at: int) -> bool:
    """Whether a mail header was set into the text here."""
    run = [line.text for line in _own_run(lines, at, 16)]
    return header_begins(_closed_up(run)[:6]) or flat_header_begins(run[:3]) or column_begins(run[:10])


def _closed_up(run: Sequence[str]) -> Sequence[str]:
    """The lines of a text as far as the same number of empty ones, two at most, stands below each of them."""
    gap = next((at for at, text in enumerate(run[1:4]) if text.strip()), 0)
    if not gap:
        return run
    rows = [run[at : at + gap + 1] for at in range(0, len(run), gap + 1)]
    told = list(itertools.takewhile(lambda row: row[0].strip() and not any(map(str.strip, row[1:])), rows))
    return [row[0] for row in rows[: len(told) + 1] if row[0].strip()]


def _headed(lines: Sequence[Line], at: int) -> bool:
    """Whether a line is words between dashes, and the next one a field of a mail header."""
    if not heading(lines[at].text):
        return False
    following = next((other for other in lines[at + 1 : at + 4] if other.text.strip()), None)
    return following is not None and not following.depth and field(following.text)


def _dashed(lines: Sequence[Line], at: int) -> Attribution | None:
    """The attribution between two runs of dashes that ends at a line, over as many lines as a client broke it into."""
    if not lines[at].text.rstrip().endswith("----"):
        return None
    for height in range(1, TALLEST + 1):
        some = [line.text for line in lines[max(0, at - height + 1) : at + 1] if not line.depth]
        if len(some) < height or not some[0].strip():
            return None
        if some[0].lstrip().startswith("----"):
            return Attribution(height) if weak_separator(" ".join(some)) else None
    return None


def _between_marks(lines: Sequence[Line], at: int) -> bool:
    """Whether a line is ``>>> Ana <ana@example.org> 21/11/2026 10:00 >>>``, below which nothing has a mark."""
    line = lines[at]
    return line.depth > 2 and line.text.rstrip().endswith(">>>") and dated(line.text) and not _quoted_next(lines, at)


def _quoted_next(lines: Sequence[Line], at: int) -> bool:
    """Whether the next line that holds anything is quoted; a few are looked at."""
    following = next((other for other in lines[at + 1 : at + 8] if other.text.strip()), None)
    return following is not None and following.depth > 0


def _attribution_at(lines: Sequence[Line], at: int) -> tuple[Attribution | None, bool]:
    """The attribution that ends at a line, if one does, and whether a quoted line is next."""
    above: list[str] = []
    for other in reversed(lines[max(0, at - TALLEST + 1) : at + 1]):
        if other.depth:
            break
        above.insert(0, other.text)
    quoted_next = _quoted_next(lines, at)
    return attribution(above, quoted_next), quoted_next


def _own_run(lines: Sequence[Line], at: int, most: int) -> list[Line]:
    """The unquoted lines from `at` on, up to the first quoted one."""
    return list(itertools.takewhile(lambda line: not line.depth, lines[at : at + most]))


def _introduced(lines: Sequence[Line], at: int) -> int:
    """Step from a mail header up over the line that announces it: a rule, or "Begin forwarded message:"."""
    for above in range(at - 1, max(-1, at - 6), -1):
        text = lines[above].text.strip()
        if text:
            return above if announces(text) or heading(text) or not text.strip("_-—*=") else at
    return at
