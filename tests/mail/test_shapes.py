"""Shapes in which clients and people set quotes apart, one by one: what is cut, what stays, what is asked about."""

import pytest

from pbem.mail import boundaries, lines, marks
from pbem.mail.quoting import block_fingerprint, cut_quotes, phrases_of

OLD = "ORDERS T3\nMOVE Old TO Sierra\nEND"
FORM = "ORDERS T3 #k7q2\n# MOVE Leon TO Sierra\nEND"
FILLED = "ORDERS T3 #k7q2\nMOVE Leon TO Sierra\nEND"
TEMPLATES = {"k7q2": block_fingerprint(FORM)}


def quoted(text, mark):
    return "\n".join(mark + line for line in text.split("\n"))


@pytest.mark.parametrize(
    "above",
    [
        "---- El sáb, 21 nov 2026 10:00:00 +0100 Juez <judge@war.test> escribió ----",
        "---- On Sat, 21 Nov 2026 10:00:00 +0100 The Judge\n<judge@war.test> wrote ----",
        "---- The Judge wrote ----",
        "-------- Mensaje original --------De: Juez Fecha: 21/11/2026 10:00 (GMT+01:00) A: Ana Asunto: T3",
        "---------- Oprindelig meddelelse ----------",
        "------------------ 原始邮件 ------------------",
        "‐‐‐‐‐‐‐ Original Message ‐‐‐‐‐‐‐",
        "--- Original Message ---",
        "============ Forwarded message ============",
        "From: The Judge Sent: Saturday, 21 November 2026 10:00 To: Ana Subject: T3",
        "De: Juez <judge@war.test> Fecha: sábado, 21 de noviembre de\n2026 10:00 Para: Ana Asunto: T3",
        "From:judge@war.test\nTo:ana@players.test\nSubject:T3",
        "From: Judge <judge@war.test>\nDate: 21/11/2026",
        "**From:** Judge <judge@war.test>\n**Sent:** 21 November 2026 10:00\n**To:** Ana",
        "Op 21 nov 2026 om 10:00 schreef Rechter <judge@war.test>:",
        "On Saturday, November 21,\n2026 at 10:00:00 AM\nGMT+1, The Judge\n<judge@war.test>\nwrote:",
        "The Judge <judge@war.test> wrote on\n21/11/2026 10:00:00:",
        "On 21 Nov 2026, Judge <judge@war.test> wrote: Hello Ana, here they are.",
        "pe 21. marraskuuta 2026 klo 10.00 Tuomari\n<judge@war.test> kirjoitti:",
    ],
)
def test_an_older_block_below_it_is_not_taken_but_asked_about(above):
    for text in (f"STATUS\n\n{above}\n\nHello,\n{OLD}\nbye", f"STATUS\n{above}\n{OLD}"):
        result = cut_quotes(text, {})
        assert (result.text, result.orders_only_quoted) == ("STATUS", True)


@pytest.mark.parametrize(
    "line",
    [
        "---- my plan ----",
        "--- El plan ---",
        "==== T3 ====",
        "Note: attack",
        "From: Leon",
        "10:30: we march",
        "http://war.test: the map",
        "On Tuesday 21/11/2026 at 10:00 I shall be back.",
        "As I wrote on 21 Nov 2026:",
        "Wie ich am 21.11.2026 schrieb:",
        "Comme je l'ai écrit le 21/11/2026 :",
        "-----------------",
    ],
)
def test_what_an_author_may_write_in_his_block_or_above_it_stays(line):
    inside = OLD.replace("MOVE", f"{line}\nMOVE")
    assert cut_quotes(inside, {}).text == inside
    if not line.startswith("---- "):
        above = f"Hello\n{line}\n{OLD}"
        assert cut_quotes(above, {}).text == above


@pytest.mark.parametrize("name", ["ESTADO", "STATUS", "Thanks, all is well."])
@pytest.mark.parametrize(
    "attribution",
    [
        "El 22 nov 2026, a las 10:00, Juez <judge@war.test> escribió:",
        "On Sat, Nov 21, 2026 at 10:00 AM The Judge <judge@war.test>\nwrote:",
        "--- On Wed, 4 Apr 2026 at 3:59 PM, judge@war.test wrote:",
    ],
)
def test_what_stands_on_the_line_of_an_attribution_before_it_is_the_authors(name, attribution):
    assert cut_quotes(f"{name} {attribution}\n> {OLD}", {}).text.startswith(f"{name}\nMOVE")
    assert cut_quotes(f"{name} {attribution}\n{quoted(OLD, '> ')}\n\nHELP", {}).text == f"{name}\n\nHELP"
    assert cut_quotes(f"{name} {attribution}\n\n{OLD}", {}).text == name


@pytest.mark.parametrize("mark", ["| ", "P> ", "AB> ", "|", " J> ", "P>> ", "    Bruno> ", "  Bruno>> "])
def test_bars_and_initials_are_marks_of_quotes(mark):
    text = f"STATUS\n\n{quoted('Hello Ana' + chr(10) + chr(10) + OLD, mark)}\n\nHELP"
    assert cut_quotes(
        text.replace("|O", "| O").replace("|M", "| M").replace("|E", "| E").replace("|H", "| H"), {}
    ).text == ("STATUS\n\nHELP")


def test_a_form_that_was_filled_in_behind_initials_is_taken_and_behind_bars_is_asked_about():
    result = cut_quotes(f"Here:\n{quoted(FILLED, 'P> ')}", TEMPLATES)
    assert (result.text, result.quoted_block) == (f"Here:\n\n{FILLED}", True)
    result = cut_quotes(f"Here:\n{quoted(FILLED, '| ')}", TEMPLATES)
    assert (result.text, result.quoted_block, result.orders_only_quoted) == ("Here:", False, True)
    assert cut_quotes(f"Here:\n{quoted(FORM, '| ')}", TEMPLATES).untouched


def test_a_single_bar_or_initial_is_the_authors():
    for line in ("| is what I see", "A> B is my way"):
        assert cut_quotes(f"Hello\n{line}\nbye", {}).text == f"Hello\n{line}\nbye"
    twice = "Cuenca> Nudos\nCuenca> Playa"
    assert cut_quotes(f"Hello\n{twice}\nbye", {}).text == f"Hello\n{twice}\nbye"


def test_the_end_of_a_quoted_line_that_lost_its_mark_is_quoted():
    long = "> All orders are in. You may change yours until Monday 2026-05-04 at"
    assert cut_quotes(f"STATUS\n{long}\n12:30 UTC; then the dice are\n> rolled.", {}).text == "STATUS"
    assert cut_quotes(f"STATUS\n{long}\nHELP\n> rolled.", {}).text == "STATUS\nHELP"
    assert cut_quotes("> Which way?\nnorth\n> And who?\nPrim", {}).text == "north\nPrim"


OURS = phrases_of(
    "Your orders are in: revision 1. All orders are in. You may change yours until Monday 2026-05-04, 12:30 UTC; then "
    "they are carried out.\n\nVERIFY in place of ORDERS tells what will happen and what your attacks are worth."
)


@pytest.mark.parametrize("width", [40, 60, 72])
def test_a_letter_of_ours_is_known_again_however_its_lines_were_broken(width):
    sentence = (
        "Your orders are in: revision 1. All orders are in. You may change yours until Monday 2026-05-04, 12:30 UTC;"
    )
    words = f"{sentence} then they are carried out.".split()
    broken = [""]
    for word in words:
        broken = [*broken[:-1], f"{broken[-1]} {word}".strip()] if len(broken[-1]) < width - 10 else [*broken, word]
    result = cut_quotes("\n".join(["STATUS", "", *broken, "", *OLD.split("\n")]), {}, OURS)
    assert (result.text, result.orders_only_quoted) == ("STATUS", True)
    assert (
        cut_quotes(f"I may change mine until Monday\n{OLD}", {}, OURS).text == f"I may change mine until Monday\n{OLD}"
    )


SAID = "PRESS TO morocco\nEnviado con mi mejor jinete\n> as you said\n\n\n\n-- \nFrom: me\nTo: you\n| a\n| b\nENDPRESS"


def test_nothing_is_taken_out_between_press_and_its_end():
    for after in ("", f"\n{OLD}", "\n\nOn 21 Nov 2026, Judge <judge@war.test> wrote:\n> PRESS TO x\n> y\n> ENDPRESS"):
        result = cut_quotes(f"Hello\n{SAID}{after}", {})
        assert result.text.startswith(f"Hello\n{SAID}")
        assert result.text.endswith(OLD if OLD in after else "ENDPRESS")


def test_a_block_that_is_said_to_others_is_no_block_of_the_letter():
    press = f"PRESS TO morocco\n{OLD}\nENDPRESS"
    result = cut_quotes(f"{press}\n\n{quoted(FILLED, '> ')}", TEMPLATES)
    assert (result.text, result.quoted_block) == (f"{press}\n\n{FILLED}", True)


@pytest.mark.parametrize("between", ["##- please write above this line -##\n", "PRESS TO morocco\n"])
def test_press_without_an_end_takes_in_nothing_that_was_quoted(between):
    above = "On 21 Nov 2026, Judge <judge@war.test> wrote:"
    result = cut_quotes(f"PRESS TO morocco\nhello\n\n{above}\n{between}old\nENDPRESS\n{OLD}", {})
    assert result.text == "PRESS TO morocco\nhello"


def test_a_footer_is_cut_only_where_nothing_of_the_authors_follows():
    footer = "Enviado con mi mejor jinete"
    assert cut_quotes(f"Hola\n{footer}\nun saludo", {}).text == f"Hola\n{footer}\nun saludo"
    assert cut_quotes(f"Hola\n\n{footer}\nSent from my iPhone\n-- \nAna", {}).text == "Hola"
    assert cut_quotes(f"STATUS\n\n{footer}\n\n> quoted\n\nHELP", {}).text == "STATUS\n\nHELP"


# The cost: what is looked at of a line that is longer than lines of marks are.

LONG = marks.LONGEST_MARK + 1
FRAGMENTS = [
    ">",
    "> ",
    " ",
    "-",
    "- ",
    "=",
    "On 21 Nov 2026 ",
    "a@b ",
    "wrote: ",
    "10:00 ",
    "From: ",
    "Von: a@b ",
    "|",
    "P> ",
]


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_a_line_longer_than_lines_of_marks_is_none(fragment):
    line = ("On 21 Nov 2026 " + fragment * LONG)[:LONG] + " judge@war.test wrote:"
    assert not any((marks.is_sentinel(f"##- {line} -##"), marks.is_separator(f"-----Original Message-----{line}")))
    assert not any((marks.is_weak_separator(f"---- {line} ----"), marks.is_footer(line)))
    assert boundaries.find_attribution([line], True) is None
    assert not boundaries.is_flat_header_start([f"From: a@b To: c {line}"])


class Counted:
    """A pattern that adds up how many characters it is handed."""

    def __init__(self, pattern, spent):
        self.pattern, self.spent = pattern, spent

    def __getattr__(self, name):
        method = getattr(self.pattern, name)

        def counting(*args):
            self.spent[0] += len(args[-1] if name == "sub" else args[0])
            return method(*args)

        return counting if callable(method) else method


def handed(monkeypatch, text):
    """How many characters all patterns of the reading of quotes are handed for a text."""
    spent = [0]
    with monkeypatch.context() as patched:
        for module in (marks, boundaries, lines):
            for name, value in vars(module).items():
                if type(value).__name__ == "Pattern":
                    patched.setattr(module, name, Counted(value, spent))
        cut_quotes(text, {})
    return spent[0]


@pytest.mark.parametrize("fragment", [*FRAGMENTS, *(f"{fragment}\n" for fragment in FRAGMENTS if fragment.strip())])
def test_twice_the_text_hands_twice_as_much_to_the_patterns(monkeypatch, fragment):
    times = 40_000 // len(fragment) if "\n" not in fragment else 300
    small, large = (handed(monkeypatch, fragment * (times * many)) for many in (1, 4))
    assert large <= 4.2 * small + 8_000
