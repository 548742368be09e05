"""HTML becomes the text that its author sees: blocks are lines, lists have bullets, blanks are those of a page."""

import pytest

from pbem.mail.html import html_to_text

PAGES = {
    "<p>MOVE  Leon\nTO <b>Sier</b>ra</p><p>END</p>": "MOVE Leon TO Sierra\nEND",
    "<h2>Orders</h2>END": "Orders\n\nEND",
    "one<br>two<br><br>three": "one\ntwo\n\nthree",
    "<div>one<div>two</div>three</div>": "one\ntwo\nthree",
    "<span style='display:block'>one</span>two": "one\ntwo",
    "<div>one</div><div style='display:inline'>two</div>three": "one\ntwothree",
    "<table><tr><td>MOVE</td><td>Leon</td></tr><tr><td>END</td></tr></table>": "MOVE Leon\nEND",
    "<ul><li>one<ul><li>two</li></ul></li><li></li></ul>": "* one\n+ two\n*",
    "<ol><li>one</li><li value='7'>two</li><li>three</li></ol>": "1. one\n7. two\n8. three",
    "<ol><li value='99999999999999999999'>one</li></ol><li>two</li>": "1. one\n* two",
    "<pre>a  b\n c</pre><div style='white-space:pre-wrap'>d  e</div>": "a  b\nc\nd  e",
    "<q>Leon</q>&nbsp;&nbsp;stays": '"Leon" stays',
    "<div style='margin-top:1em'>one</div><div style='margin:3em;margin-top:900em'>two</div>": "one\n\n\ntwo",
    # A style that no mail program writes: it sets nothing.
    f"one<div style='margin-top:{'9' * 400}px;margin-bottom:1..2em;margin-top:em;display'>two</div>": "one\n\n\ntwo",
    "one<div style='display\n: none'>two<br></div>": "one",
    "<html style='display:none'>one": "",
    # What was escaped twice was written by somebody who wanted to show an entity.
    "<p>&amp;lt;b&amp;gt; &lt;i&gt; &amp;#8238;</p>": "&lt;b&gt; <i> &#8238;",
    "one<blockquote>&amp;amp;</blockquote>": "one\n> &amp;",
}


@pytest.mark.parametrize(("page", "text"), PAGES.items(), ids=range(len(PAGES)))
def test_a_page_becomes_the_text_that_its_author_sees(page, text):
    assert html_to_text(page).text == text


@pytest.mark.parametrize("tag", ["div", "ul", "li", "span", "pre", "b"])
def test_elements_in_one_another_as_deep_as_the_parser_reads_them_are_no_fault(tag):
    assert html_to_text(f"STATUS{f'<{tag}>' * 400}deep").text.startswith("STATUS")
