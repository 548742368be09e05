"""Parts become one page, which asks nobody, runs nothing but its own script, and cannot be broken by its data."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from pbem.pages.binder import Page, bind
from tests.hostile import VALUES

HTML = "<!DOCTYPE html><html><head>{head}</head><body>{map}{data}{script}</body></html>"


def digest(text):
    return b64encode(sha256(text.encode()).digest()).decode()


def test_the_policy_names_the_script_and_the_style_and_lets_nothing_out():
    bound_page = bind(Page(HTML.replace("{map}", ""), "b{}", "let a;"))
    assert f"script-src 'sha256-{digest('let a;')}'" in bound_page
    assert f"style-src 'sha256-{digest('b{}')}'" in bound_page
    assert "default-src 'none'" in bound_page
    assert "base-uri 'none'; form-action 'none'" in bound_page
    assert '<meta name="referrer" content="no-referrer">' in bound_page


@pytest.mark.parametrize("value", VALUES)
def test_data_end_no_element_and_are_no_place_for_others(value):
    bound_page = bind(Page(HTML, "b{}", "let a;", {"desk": [value, "{script}"]}, {"map": "<svg/>"}))
    assert bound_page.count("<script") == 2
    assert bound_page.count("</script>") == 2
    held = re.search(r'id="desk">(.*)</script><script>', bound_page, re.DOTALL)
    assert held is not None
    assert "<" not in held[1]


def test_what_has_no_place_or_would_end_the_page_is_refused():
    with pytest.raises(ValueError, match="no place for its map"):
        bind(Page("{head}{script}", "b{}", "let a;", drawn={"map": "<svg/>"}))
    with pytest.raises(ValueError, match="end it"):
        bind(Page(HTML, "b{}", "let a = '</script>';"))
    with pytest.raises(ValueError, match="end it"):
        bind(Page(HTML, "</style>", "let a;"))
