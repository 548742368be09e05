"""Templates of a server's own: used where a letter comes of them, refused or passed over where none would."""

import pytest

from pbem.data import data
from pbem.engine.data.messages import msg
from pbem.letters.own_languages import UnusableFile, read_own_templates
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from tests.reports.test_text import ADDRESS, LETTERS, REPORT, TEMPLATE, letter

SHORT = """{{ sentinel }}

Our club greets you: {{ heading }}
"""


def folder(tmp_path, name, text):
    place = tmp_path / "templates"
    place.mkdir()
    (place / name).write_text(text, "utf-8")
    return tmp_path


def made(own, model, complained):
    return TextLetters(SENTINEL, own, complained.append).letter(model, "en")


def test_a_template_of_ones_own_stands_in_for_the_shipped_one(tmp_path):
    own = read_own_templates(folder(tmp_path, "letter.txt.j2", SHORT))
    complained: list[str] = []
    text = made(own, letter(template=TEMPLATE), complained)
    assert text.startswith(SENTINEL)
    assert "Our club greets you: Castillejos - ceuta" in text
    assert text.rstrip().splitlines()[-1].startswith(ADDRESS)
    assert "\n".join(TEMPLATE) in text
    assert complained == []


def test_a_page_like_the_shipped_one_stands_in_for_it(tmp_path):
    shipped = data("templates").joinpath("letter.html.j2").read_text("utf-8")
    own = read_own_templates(folder(tmp_path, "letter.html.j2", shipped.replace("</body>", "<p>Our club</p></body>")))
    complained: list[str] = []
    letter_model = letter(template=TEMPLATE, report=REPORT.to_json())
    assert "<p>Our club</p>" in TextLetters(SENTINEL, own, complained.append).page(letter_model, "en")
    assert complained == []


def test_without_a_folder_letters_are_as_they_were(tmp_path):
    assert read_own_templates(None) == read_own_templates(tmp_path) == {}
    letter_model = letter(report=REPORT.to_json())
    assert made({}, letter_model, []) == LETTERS.letter(letter_model, "en")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Hello\n", "a letter has to begin with the sentinel and name its address"),
        ("{{ sentinel }}{{ nothing.here }}\n", "'nothing' is undefined"),
        (
            "{{ sentinel }}{{ heading.__class__.__mro__ }}\n",
            "access to attribute '__class__' of 'str' object is unsafe.",
        ),
        ("{{ sentinel }}{{ 1 / 0 }}\n", "division by zero"),
    ],
)
def test_a_template_of_which_no_letter_comes_costs_none(tmp_path, text, why):
    complained: list[str] = []
    letter_model = letter(template=TEMPLATE)
    assert made(
        read_own_templates(folder(tmp_path, "letter.txt.j2", text)), letter_model, complained
    ) == LETTERS.letter(letter_model, "en")
    assert complained == [f"templates: {why}"]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("letter.md.j2", "x", "there is no such template; there are block.txt.j2, "),
        ("letter.txt.j2", "one\n{{ broken\n", "unexpected end of template"),
        ("letter.html.j2", "\n{{ heading | safe }}", "safe is not allowed: what a letter says is always escaped"),
        ("letter.html.j2", "{% autoescape false %}{{ heading }}{% endautoescape %}", "include others and no more"),
        ("letter.txt.j2", "{% extends 'report.txt.j2' %}", "include others and no more"),
        ("letter.txt.j2", "{% import 'report.txt.j2' as more %}", "include others and no more"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_with_its_file(tmp_path, name, text, why):
    with pytest.raises(UnusableFile, match="templates/letter") as error:
        read_own_templates(folder(tmp_path, name, text))
    assert why in str(error.value)


def test_what_a_letter_says_is_escaped_in_a_page_of_ones_own(tmp_path):
    text = "<html><body>{{ sentinel }}<p>{{ heading }}</p>{{ address }}</body></html>\n"
    own = read_own_templates(folder(tmp_path, "letter.html.j2", text))
    page = TextLetters(SENTINEL, own, print).page(letter(title=msg("{x}", x="<script>&").to_json()), "en")
    assert "&lt;script&gt;&amp; - ceuta" in page
    assert "<script" not in page
