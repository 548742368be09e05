"""Pages of reports in a real browser: on phones and on desks, by day and by night."""

import base64

import pytest

from pbem.engine.data.messages import Msg
from pbem.letters.catalogue import load_catalogue
from tests.pictures.shown import FOLDER
from tests.reports.real_letters import LETTERS, MAP, letter_of

pytestmark = pytest.mark.full

pytestmark = pytest.mark.full
WIDTHS = (360, 390, 900)
SHOWN = {"africa1860": "castillejos.png", "peninsular": "barrosa.png"}
CONTRAST = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim()) continue;
    const [a, b] = [light(getComputedStyle(node).color), light(ground(node))];
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), walker.currentNode.data.trim().slice(0, 40)]);
  }
  return found;
}"""
WIDEST = """() => Math.max(...[...document.querySelectorAll("img, table, p, h1, h2, div")]
  .map((one) => one.getBoundingClientRect().right))"""
DARK = "() => getComputedStyle(document.querySelector('.c')).backgroundColor"


def opened(browser, folder, game, language, scheme):
    """The page as a mail program opens it, the picture put in; and what it asks for."""
    page = LETTERS.page(letter_of(game, language), language)
    png = base64.b64encode((FOLDER / SHOWN[game]).read_bytes()).decode()
    path = folder / "letter.html"
    path.write_text(page.replace(f"cid:{MAP.cid}", f"data:image/png;base64,{png}"), "utf-8")
    tab, asked = browser.new_page(color_scheme=scheme), []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda line: asked.append(line.text))
    tab.goto(path.as_uri())
    return tab, [url for url in asked if not url.startswith("data:") and url != path.as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("game", "language"), [("africa1860", "en"), ("peninsular", "es")])
def test_a_page_can_be_read_on_any_screen(browser, tmp_path, game, language, scheme):
    tab, asked = opened(browser, tmp_path, game, language, scheme)
    assert asked == []
    for width in WIDTHS:
        tab.set_viewport_size({"width": width, "height": 800})
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        assert tab.evaluate(WIDEST) <= width
    assert tab.evaluate(DARK) == {"light": "rgb(255, 253, 248)", "dark": "rgb(32, 36, 42)"}[scheme]
    shades = tab.evaluate(CONTRAST)
    assert len(shades) > 100
    assert [shade for shade in shades if shade[0] < 4.5] == []
    alt = load_catalogue(language, game).say(Msg.from_json(letter_of(game, language)["picture"]["alt"]))
    assert tab.get_by_role("img", name=alt).count() == 1
    assert tab.get_by_role("img", name=alt).bounding_box()["width"] == MAP.wide
    # The form of the other game is too long for a link.
    assert tab.get_by_role("link").count() == (game == "africa1860")
    assert tab.get_by_role("columnheader").count() >= 6
    form = tab.locator("pre").last.inner_text().rstrip("\n")
    assert form == "\n".join(letter_of(game, language)["template"])
    tab.close()


def test_a_page_made_dark_by_outlook_can_be_read(browser, tmp_path):
    tab, _ = opened(browser, tmp_path, "africa1860", "en", "light")
    tab.evaluate("() => ['data-ogsc', 'data-ogsb'].forEach((name) => document.documentElement.setAttribute(name, ''))")
    assert tab.evaluate(DARK) == "rgb(32, 36, 42)"
    assert [row for row in tab.evaluate(CONTRAST) if row[0] < 4.5] == []
    tab.close()
