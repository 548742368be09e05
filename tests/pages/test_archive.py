"""The page of a game as somebody looks through it: by mouse, by keys, by links; wide and narrow; in both languages."""

import re
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import expect

from pbem.cli.pages import archive_page_of
from pbem.engine.data.chronicle import SeatOrders
from pbem.engine.data.messages import msg
from tests.pages.archives import chronicle_of, drawn, held, page, written
from tests.pages.desks import FRAME, Reader
from tests.verifier.test_page import CONTRAST

pytestmark = pytest.mark.full
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
        readers.append(Reader(browser, address, **{"viewport": WIDE, "reduced_motion": "reduce", **more}))
        readers[-1].address = address.partition("#")[0]
        readers[-1].tab.wait_for_selector("#replay:not([hidden])")
        return readers[-1]

    yield open_
    for reader in readers:
        reader.close()


@pytest.mark.parametrize("game", GAMES)
def test_every_moment_lies_on_the_map_as_python_draws_it(looked, game):
    tab = looked(page(game)).tab
    expected = drawn(chronicle_of(game))
    assert len(expected) == tab.evaluate("replay.steps.length") > 20
    # On by steps, back by leaps: what was laid before makes no difference.
    ways = [*range(len(expected)), *range(len(expected) - 1, -1, -7)]
    shown = tab.evaluate(f"(ways) => ways.map((at) => {{ go(at, true); return ({LAID})(); }})", ways)
    for ends_wanted, laid in zip(ways, shown, strict=True):
        assert sorted(laid) == expected[ends_wanted], ends_wanted


@pytest.mark.parametrize("game", GAMES)
def test_a_link_leads_to_its_moment(looked, game):
    steps = held(page(game))["steps"]
    moment = next(index for index, step in enumerate(steps) if index > 12 and step.get("throws"))
    page_shown = looked(page(game), f"#{steps[moment]['at']}")
    assert page_shown.tab.evaluate("replay.now") == moment
    assert page_shown.tab.locator("#happening-head").inner_text().endswith(f"#{steps[moment]['number']}")
    shown = page_shown.tab.evaluate(LAID)
    page_shown.tab.keyboard.press("ArrowRight")
    assert page_shown.tab.evaluate("location.hash") == f"#{steps[moment + 1]['at']}"
    page_shown.tab.keyboard.press("ArrowLeft")
    assert page_shown.tab.evaluate(LAID) == shown


def test_keys_go_by_step_by_phase_and_to_the_ends(looked):
    tab = looked(page("africa1860")).tab
    steps = held(page("africa1860"))["steps"]
    begins = [index for index in range(1, len(steps)) if steps[index]["chapter"] != steps[index - 1]["chapter"]]
    now = "replay.now"
    for key, to in (
        ("ArrowRight", 1),
        ("PageDown", begins[1]),
        ("PageDown", begins[2]),
        ("ArrowRight", begins[2] + 1),
        ("PageUp", begins[2]),
        ("PageUp", begins[1]),
        ("End", len(steps) - 1),
        ("ArrowRight", len(steps) - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
    ):
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


def test_a_map_that_is_shown_larger_goes_where_something_happens(looked):
    steps = held(page("peninsular"))["steps"]
    moment = next(step["at"] for step in steps if step.get("throws"))
    tab = looked(page("peninsular"), viewport=NARROW).tab
    for _ in range(3):
        tab.get_by_role("button", name="Larger").click()
    assert tab.evaluate("view.zoom") > 2
    tab.evaluate("(at) => go(named(at), true)", moment)
    unit = next(
        name
        for name in held(page("peninsular"))["units"]
        if name in next(step["about"] for step in steps if step["at"] == moment)
    )
    frame = tab.locator("#map").bounding_box()
    there = tab.get_by_role("img", name=f"{unit},", exact=False).first.bounding_box()
    assert frame is not None
    assert there is not None
    assert frame["x"] <= there["x"] + there["width"] / 2 <= frame["x"] + frame["width"]
    assert frame["y"] <= there["y"] + there["height"] / 2 <= frame["y"] + frame["height"]


@pytest.mark.parametrize("game", GAMES)
def test_every_counter_is_found_by_its_name(looked, game):
    tab = looked(page(game)).tab
    standing = tab.evaluate(NAMED)
    assert len(standing) > 5
    for name in standing:
        assert tab.get_by_role("img", name=name, exact=True).count() == 1, name


NAMED = "[...document.querySelectorAll('#map [role=img]')].map((one) => one.getAttribute('aria-label'))"


@pytest.mark.parametrize("game", GAMES)
def test_dice_chart_rules_and_orders_of_both_stand_beside_a_moment(looked, game):
    data = held(page(game))
    step = next(step_found for step_found in data["steps"] if step_found.get("throws") and step_found["charts"])
    chapter = data["chapters"][step["chapter"]]
    tab = looked(page(game), f"#{step['at']}").tab
    told_ = tab.locator("#told")
    for number in step["throws"]:
        thrown = chapter["throws"][number]
        row = told_.locator("tr", has_text=thrown["told"][0]).filter(has_text=f"{thrown['n']}d{thrown['sides']}").first
        assert row.locator(".value").inner_text().split()[:-1] == list(map(str, thrown["values"]))
        assert row.get_by_role("img", name="matches the key of its phase").count() == 1
    told_.get_by_text("the chart, with what was read in brackets").first.click()
    assert told_.locator(".chart").first.inner_text() == step["charts"][0][0]
    assert told_.locator(".chart b").first.inner_text().startswith("[")
    told_.get_by_text("Its rules").click()
    assert data["rules"][step["rules"][0]][0] in told_.text_content()
    told_.get_by_text("Orders of this phase").click()
    shown = [element.inner_text() for element in told_.locator("h3").all()]
    assert {order["whose"][0] for order in chapter["orders"]} <= set(shown)
    # What is open stays open at the next moment.
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#told details", has_text="Orders of this phase").first.get_attribute("open") is not None


@pytest.mark.parametrize("game", GAMES)
def test_all_dice_are_thrown_again_and_a_false_one_is_found(looked, game):
    tab = looked(page(game)).tab
    rolls = sum(len(chapter["throws"]) for chapter in held(page(game))["chapters"])
    assert rolls > 20
    tab.get_by_role("button", name="Throw all dice again").click()
    expect(tab.locator("#check")).to_be_enabled()
    assert tab.locator("#checked").inner_text().startswith(f"{rolls} rolls (")
    assert "These do not" not in tab.locator("#checked").inner_text()
    tab.evaluate("""() => {
      const thrown = replay.chapters.find((one) => one.throws.length).throws[0];
      thrown.values[0] = thrown.values[0] % thrown.sides + 1;
    }""")
    tab.get_by_role("button", name="Throw all dice again").click()
    expect(tab.locator("#check")).to_be_enabled()
    assert tab.locator("#checked").inner_text().startswith(f"{rolls - 1} rolls (")
    assert "These do not match: " in tab.locator("#checked").inner_text()


@pytest.mark.parametrize("game", GAMES)
def test_filters_leave_what_a_unit_and_a_place_have_to_do_with(looked, game):
    tab = looked(page(game)).tab
    steps = held(page(game))["steps"]
    unit = next(name for name in held(page(game))["units"] if any(name in step.get("about", ()) for step in steps))
    tab.get_by_label("Unit").select_option(unit)
    lines = [index for index, step in enumerate(steps) if unit in step.get("about", ())]
    assert tab.locator("#list li:visible").count() == len(lines) < len(steps)
    having = [number for line in lines for number in range(line, line + steps[line].get("part", (1, 1))[1])]
    for moment in having[:4]:
        tab.locator("#happening-head").click()
        tab.keyboard.press("ArrowRight")
        assert tab.evaluate("replay.now") == moment
    place = next(name for name in steps[having[0]]["about"] if name in held(page(game))["places"])
    tab.get_by_label("Place").select_option(place)
    both = [step for step in steps if {unit, place} <= set(step.get("about", ()))]
    assert tab.locator("#list li:visible").count() == len(both)
    told_once = [step for step in steps if step.get("part", (1, 1))[0] == 1]
    assert tab.locator("#found").inner_text() == f"{len(both)} of {len(told_once)}"


def test_a_click_on_a_counter_and_on_a_line_of_the_list(looked):
    tab = looked(page("africa1860")).tab
    unit = held(page("africa1860"))["units"][0]
    tab.evaluate("(unit) => onlyUnit(unit)", unit)
    assert tab.get_by_label("Unit").input_value() == unit
    tab.evaluate("(unit) => onlyUnit(unit)", unit)
    assert tab.get_by_label("Unit").input_value() == ""
    tab.locator("#list a").nth(3).click()
    tab.wait_for_function("replay.now === 3")
    tab.go_back()
    expect(tab.locator("#happening-head")).to_have_text("Before the first phase")


@pytest.mark.parametrize("game", GAMES)
def test_curves_tell_points_strength_and_luck_and_go_along(looked, game):
    tab = looked(page(game)).tab
    heads = [element.inner_text().split()[0] for element in tab.locator("#strips figcaption").all()]
    assert heads == ["Points", "Strength"]
    assert tab.locator("#luck figcaption").inner_text().startswith("Luck")
    # No curve lies on the edge of its graph.
    for path in tab.locator("figure > svg .curve").all():
        heights = [float(height) for height in re.findall(r"(?:M0 |V)([\d.]+)", path.get_attribute("d") or "")]
        assert all(5 <= height <= 95 for height in heights)
    graphs, last = held(page(game))["graphs"], tab.evaluate("replay.steps.length - 1")
    for key, moment in (("End", last), ("Home", 0)):
        tab.keyboard.press(key)
        assert tab.locator(".cursor").first.get_attribute("transform") == f"translate({moment} 0)"
        shown = [float(element.inner_text()) for element in tab.locator("#strips b").all()]
        assert shown == [side["values"][moment] for graph in graphs[:2] for side in graph["sides"]]


def test_slider_and_curves_are_dragged_to_a_moment(looked):
    tab = looked(page("africa1860")).tab
    last = tab.evaluate("replay.steps.length - 1")
    box = tab.locator("#strips svg[preserveAspectRatio]").first.bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 4, box["y"] + 5)
    tab.mouse.down()
    assert tab.evaluate("replay.now") == round(last / 4)
    tab.mouse.move(box["x"] + box["width"] * 2, box["y"] + 200, steps=3)
    tab.mouse.up()
    assert tab.evaluate("replay.now") == last
    thumb = tab.locator("#slider").bounding_box()
    tab.mouse.move(thumb["x"] + thumb["width"] - 8, thumb["y"] + thumb["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.6, thumb["y"] + 2, steps=3)
    tab.mouse.up()
    assert tab.evaluate("replay.now") == round(last * 0.6)


def test_it_plays_a_step_a_second_until_somebody_wants_to_look(looked):
    tab = looked(page("africa1860"), reduced_motion="no-preference").tab
    play = tab.locator("#play")
    assert play.get_attribute("aria-label") == "Pause"
    assert play.get_attribute("class") == ""
    tab.locator("#journal-head").click()
    assert play.get_attribute("aria-label") == "Play"
    # What sets it going stands out while it stands still.
    assert play.get_attribute("class") == "first"
    tab.keyboard.press("Home")
    tab.clock.install()
    tab.keyboard.press("Space")
    tab.clock.run_for(3000)
    assert tab.evaluate("replay.now") == 3
    tab.keyboard.press("Space")
    tab.clock.run_for(3000)
    assert tab.evaluate("replay.now") == 3
    play.click()
    tab.clock.run_for(1000)
    assert tab.evaluate("replay.now") == 4
    tab.keyboard.press("End")
    assert play.get_attribute("aria-label") == "Play"
    # At the end it stops by itself.
    tab.keyboard.press("ArrowLeft")
    play.click()
    tab.clock.run_for(5000)
    assert play.get_attribute("aria-label") == "Play"


def test_it_stands_still_at_a_link_and_for_whom_motion_disturbs(looked):
    for more, hash_ in (({"reduced_motion": "no-preference"}, "#T1.spain.2"), ({}, "")):
        tab = looked(page("africa1860"), hash_, **more).tab
        assert tab.locator("#play").get_attribute("aria-label") == "Play"


@pytest.mark.parametrize("view", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("game", GAMES)
def test_it_opens_with_the_map_the_controls_and_what_happens(looked, game, view):
    tab = looked(page(game), viewport=view).tab
    shown = tab.evaluate(FRAME)
    assert (shown["zoom"] == 1) == (view is WIDE)
    assert view is NARROW or (abs(shown["band"]) < 1 and abs(shown["cut"]) < 1)
    bar, happening, curves = (tab.locator(part).bounding_box() for part in ("#bar", "#happening", "#track"))
    assert bar["y"] + bar["height"] <= view["height"]
    assert happening["y"] < view["height"] - 100
    # The text of a moment lies above the curves.
    assert happening["y"] + happening["height"] <= curves["y"]
    turns = tab.locator("#turns span").all_inner_texts()
    assert turns == [str(number) for number in range(1, len(turns) + 1)]
    assert len(turns) > 1


def test_each_stack_of_a_march_is_a_step(looked):
    steps = held(page("africa1860"))["steps"]
    moment = next(index for index, step in enumerate(steps) if step.get("part") == [2, 2])
    assert steps[moment]["at"] == f"{steps[moment - 1]['at']}.2"
    tab = looked(page("africa1860"), f"#{steps[moment]['at']}").tab
    assert tab.locator("#happening-head").inner_text().endswith(f"#{steps[moment]['number']} (2/2)")
    stands = "[...board.things].map(([key, one]) => [replay.keys[key][1], one.now.split(' ')[3]])"
    stands_now = dict(tab.evaluate(stands))
    line = tab.locator("#list a[aria-current]")
    text = line.inner_text()
    assert line.get_attribute("href") == f"#{steps[moment - 1]['at']}"
    tab.keyboard.press("ArrowLeft")
    assert tab.locator("#list a[aria-current]").inner_text() == text
    earlier = dict(tab.evaluate(stands))
    moved = {unit for unit, place in stands_now.items() if place != "undefined" and earlier.get(unit, place) != place}
    assert moved
    tab.keyboard.press("ArrowLeft")
    before = dict(tab.evaluate(stands))
    # Those that move in the second step stand still in the first.
    assert all(before[unit] == earlier[unit] for unit in moved)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(looked, scheme):
    """WCAG 2.2: contrast of 4.5 in either scheme (1.4.3), names (4.1.2)."""
    steps = held(page("africa1860"))["steps"]
    moment = next(step["at"] for step in steps if step.get("throws") and step["charts"])
    tab = looked(page("africa1860"), f"#{moment}", color_scheme=scheme).tab
    for summary in tab.locator("summary").all():
        summary.click()
    seen = [(name, ratio) for name, ratio in tab.evaluate(CONTRAST) if not name.startswith("text")]
    assert len(seen) > 40
    assert {name: round(ratio, 2) for name, ratio in seen if ratio < 4.5} == {}
    nameless = """[...document.querySelectorAll("input, select, button, a, [role=img], [role=group]")]
      .filter((one) => !one.labels?.[0]?.textContent.trim() && !one.getAttribute("aria-label")
        && !one.textContent.trim()).map((one) => one.outerHTML)"""
    assert tab.evaluate(nameless) == []


def saved(tab, button):
    """The picture that a button of the page gives, and what the page says of it."""
    with tab.expect_download() as given:
        tab.get_by_role("button", name=button).click()
    file = Path(given.value.path())
    expect(tab.locator("#shared")).to_have_text(
        f"{given.value.suggested_filename}: {-(-file.stat().st_size // 1000)} KB"
    )
    return given.value.suggested_filename, Image.open(file)


def apart(first, other):
    """How far two pictures differ, of 255: at a tenth of their size, so that edges do not count."""
    small = [picture.convert("RGB").resize((72, 72), Image.Resampling.BOX) for picture in (first, other)]
    return max(ImageStat.Stat(ImageChops.difference(*small)).mean)


@pytest.mark.parametrize("game", GAMES)
def test_a_moment_is_saved_as_a_picture_of_what_is_seen(looked, game):
    step = next(step_found for step_found in held(page(game))["steps"] if step_found.get("throws"))
    tab = looked(page(game), f"#{step['at']}").tab
    name, picture = saved(tab, "Picture (PNG)")
    assert name == f"simulated-{step['at']}.png"
    seen = Image.open(BytesIO(tab.locator("#map").screenshot()))
    high = round(1200 * seen.height / seen.width)
    head = round(1200 / 18)
    assert picture.width == 1200
    assert apart(picture.crop((0, head, 1200, head + high)), seen) < 4
    # Title above and sentence below are there: their strips are not of one colour.
    for strip in ((0, 0, 1200, head), (0, head + high + 9, 1200, picture.height)):
        assert len(picture.crop(strip).convert("RGB").getcolors(1 << 20)) > 9


def test_a_turn_is_saved_as_an_animated_picture_of_its_steps(looked):
    steps = held(page("africa1860"))["steps"]
    tab = looked(page("africa1860"), "#T2.spain").tab
    name, film = saved(tab, "Animated turn (GIF)")
    assert name == "simulated-T2.gif"
    turn = [index for index, step in enumerate(steps) if step["at"].startswith("T2.")]
    # Before them the position in which the turn began.
    assert film.n_frames == len(turn) + 1
    for frame, index in ((0, turn[0] - 1), (film.n_frames - 1, turn[-1])):
        film.seek(frame)
        tab.evaluate("(at) => go(at, true)", index)
        assert apart(film, saved(tab, "Picture (PNG)")[1].resize(film.size)) < 4
    assert film.info["duration"] == 3000


def test_it_opens_within_a_second_and_is_small(looked):
    for game in GAMES:
        assert len(page(game)) < 300_000
    tab = looked(page("peninsular")).tab
    assert tab.evaluate("performance.getEntriesByType('navigation')[0].domComplete") < 1000


HOSTILE = "<img src=x onerror=alert(1)></script><script>alert(2)</script>{script}\u202e"


def test_hostile_words_are_words(looked):
    about = chronicle_of("africa1860")
    chapters = tuple(
        chapter._replace(orders=(SeatOrders(HOSTILE, HOSTILE, (HOSTILE,)),), origins=(HOSTILE,) * len(chapter.seen))
        for chapter in about.chapters
    )
    text = archive_page_of(about._replace(game=HOSTILE, chapters=chapters, result=(msg("{x}", x=HOSTILE),)), "en")
    tab = looked(text, f"#{chapters[0].name}.1").tab
    for summary in tab.locator("summary").all():
        summary.click()
    assert HOSTILE in tab.locator("pre.orders").first.inner_text()
    assert tab.evaluate("document.querySelectorAll('img, script:not([type])').length") == 1


def test_what_changes_is_drawn_in_small_only_while_that_is_shown_and_nothing_happens(looked):
    tab = looked(page("africa1860"), viewport=WIDE).tab
    tab.evaluate("play(false); zoomTo(1); go(0, true)")
    shown = "document.querySelectorAll('#overview use').length"
    assert tab.evaluate(shown) == 1
    tab.wait_for_timeout(1700)
    assert tab.evaluate(shown) == 1
    tab.evaluate("zoomTo(3)")
    layers = tab.evaluate("board.layers.length")
    assert tab.evaluate(shown) == 1 + layers
    tab.evaluate("go(1, true)")
    assert tab.evaluate(shown) == 1
    tab.wait_for_timeout(1700)
    assert tab.evaluate(shown) == 1 + layers
    tab.evaluate("zoomTo(1)")
    assert tab.evaluate(shown) == 1
