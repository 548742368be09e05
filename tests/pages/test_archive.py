"""The page of a game as somebody looks through it: by mouse, by keys, by links; wide and narrow; in both languages."""

import pytest

from tests.pages.archives import drawn, held, page, told, written
from tests.pages.desks import Reader

pytestmark = pytest.mark.integration
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
GAMES = ("africa1860", "peninsular")
LAID = """() => board.layers.flatMap((layer, number) => [...layer.children].map((one) => {
  const [, x, y] = one.getAttribute("transform").match(/^translate[(]([-.0-9]+) ([-.0-9]+)[)]$/).map(Number);
  return [number, replay.looks[Number(one.firstChild.getAttribute("href").slice("#look-".length))], x, y];
}))"""
"""What lies on the map: the layer, the look, and where it lies."""


@pytest.fixture
def looked(browser, tmp_path):
    """Opens the page of a game, and sees to it at the end that nothing went wrong."""
    readers = []

    def open_(text, hash_="", **more):
        address = written(tmp_path, text) + hash_
        readers.append(Reader(browser, address, **{"viewport": WIDE, **more}))
        readers[-1].address = address.partition("#")[0]
        readers[-1].tab.wait_for_selector("#replay:not([hidden])")
        return readers[-1]

    yield open_
    for one in readers:
        one.close()


@pytest.mark.parametrize("game", GAMES)
def test_every_moment_lies_on_the_map_as_python_draws_it(looked, game):
    tab = looked(page(game)).tab
    expected = drawn(told(game))
    assert len(expected) == tab.evaluate("replay.steps.length") > 20
    # On by steps, back by leaps: what was laid before makes no difference.
    for at in (*range(len(expected)), *range(len(expected) - 1, -1, -7)):
        tab.evaluate("(at) => go(at, true)", at)
        assert sorted(tab.evaluate(LAID)) == expected[at], at


@pytest.mark.parametrize("game", GAMES)
def test_a_link_leads_to_its_moment(looked, game):
    steps = held(page(game))["steps"]
    at = next(at for at, step in enumerate(steps) if at > 12 and step.get("throws"))
    one = looked(page(game), f"#{steps[at]['at']}")
    assert one.tab.evaluate("replay.now") == at
    assert one.tab.locator("#happening-head").inner_text().endswith(f"#{steps[at]['number']}")
    shown = one.tab.evaluate(LAID)
    one.tab.keyboard.press("ArrowRight")
    assert one.tab.evaluate("location.hash") == f"#{steps[at + 1]['at']}"
    one.tab.keyboard.press("ArrowLeft")
    assert one.tab.evaluate(LAID) == shown


def test_keys_go_by_step_by_phase_and_to_the_ends(looked):
    tab = looked(page("africa1860")).tab
    steps = held(page("africa1860"))["steps"]
    begins = [at for at in range(1, len(steps)) if steps[at]["chapter"] != steps[at - 1]["chapter"]]
    now = "replay.now"
    for key, to in (
        ("ArrowRight", 1), ("PageDown", begins[1]), ("PageDown", begins[2]), ("ArrowRight", begins[2] + 1),
        ("PageUp", begins[2]), ("PageUp", begins[1]), ("End", len(steps) - 1), ("ArrowRight", len(steps) - 1),
        ("Home", 0), ("ArrowLeft", 0),
    ):  # fmt: skip
        tab.keyboard.press(key)
        assert tab.evaluate(now) == to, key


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_telephone_and_speaks_spanish(looked, game, scheme):
    tab = looked(page(game), viewport=NARROW, color_scheme=scheme).tab
    tab.get_by_role("button", name="Español").click()
    assert tab.locator("html").get_attribute("lang") == "es"
    tab.get_by_role("button", name="Al final (Fin)").click()
    assert tab.evaluate("replay.now") == tab.evaluate("replay.steps.length - 1")
    assert tab.locator("#list a[aria-current]").count() == 1


@pytest.mark.parametrize("game", GAMES)
def test_every_counter_is_found_by_its_name(looked, game):
    tab = looked(page(game)).tab
    standing = [one for one in drawn_names(tab)]
    assert len(standing) > 5
    for name in standing:
        assert tab.get_by_role("img", name=name, exact=True).count() == 1, name


def drawn_names(tab):
    return tab.evaluate(
        "[...document.querySelectorAll('#map [role=img]')].map((one) => one.getAttribute('aria-label'))"
    )
