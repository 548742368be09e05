"""The order desk as somebody uses it: by mouse, by keys alone, by finger; wide and narrow; in both languages."""

import base64
import gzip
import json
import re
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from typer.testing import CliRunner

from pbem.cli.main import app
from pbem.cli.pages import page_words
from pbem.cli.rulebooks import game_by_name
from pbem.pages.desk import FOLDER, desk_page
from tests.audit.test_letters import mail
from tests.hostile import VALUES
from tests.pages.desks import FRAME, SENT, barrosa, begun, castillejos, desk_of
from tests.verifier.test_page import CONTRAST

pytestmark = pytest.mark.full
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


KEYS = """() => {
  const first = document.activeElement;
  const name = (one) => one.dataset.unit ?? one.dataset.place;
  const [ways, waiting] = [new Map([[first, []]]), [first]];
  for (const at of waiting) {
    for (const [key, way] of Object.entries(ARROWS)) {
      const next = neighbour(at, way);
      if (!next || ways.has(next)) continue;
      ways.set(next, [...ways.get(at), key]);
      waiting.push(next);
    }
  }
  return Object.fromEntries([...ways].map(([one, keys]) => [name(one), keys]));
}"""
"""By which arrow keys everything on the map is come to from where the focus is."""


def legal(game, block, seat, scenario="castillejos"):
    """The block is read as it stands: written alike by the rules, and nothing is against it."""
    rules, state = game_by_name(game), begun(game, scenario)
    view = rules.view(state, seat)
    head, *lines, end = block.rstrip("\n").split("\n")
    assert head == f"ORDERS T{SENT.turn} #{SENT.code}"
    assert end == "END"
    body = "".join(f"{line}\n" for line in lines)
    read = rules.parse(body, view, seat)
    assert read.rejected == ()
    assert rules.canon(read.orders) == body
    assert rules.check(view, seat, read.orders) == ()


def letter_of(link):
    """Address, subject and text of a mailto link."""
    parts = urlsplit(link)
    query = parse_qs(parts.query, keep_blank_values=True)
    return unquote(parts.path), query["subject"][0], query.get("body", [""])[0]


def test_orders_are_chosen_by_mouse(opened):
    reader = opened(castillejos())
    tab = reader.tab
    assert not tab.locator("#send").is_visible()
    assert tab.locator("#mail").get_attribute("href") is None
    tab.get_by_role("group").get_by_role("button", name="Vergara, Spain", exact=False).click()
    tab.get_by_role("button", name="Orozco, Spain", exact=False).first.click()
    tab.locator("[data-unit=Luchana]").click()
    assert reader.block() == "ORDERS T3 #k7q2\nACTIVATE Nudos\nMOVE Vergara WITH Orozco TO Tarajal\nEND\n"
    tab.locator("[data-unit=Husares1]").click()
    tab.get_by_role("button", name="Charge Cresta", exact=False).first.click()
    block = reader.block()
    assert block.splitlines()[3:] == ["ACTIVATE Tarajal", "CHARGE Husares1 AT Cresta", "END"]
    legal("africa1860", block, "spain")
    assert tab.locator("#plans .head").count() == 2
    address, subject, text = letter_of(tab.locator("#mail").get_attribute("href"))
    assert (address, subject, text) == (SENT.address, SENT.subject, block.replace("\n", "\r\n"))
    checked = letter_of(tab.locator("#verify").get_attribute("href"))[2]
    assert checked == text.replace("ORDERS", "VERIFY", 1)


def test_orders_are_chosen_by_keys_alone(opened):
    reader = opened(castillejos())
    tab = reader.tab
    tab.locator(".language").last.focus()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.closest('#map') !== null")
    ways = tab.evaluate(KEYS)
    assert len(ways) == tab.locator("#map [role=button]").count()
    for key in ways["Vergara"]:
        tab.keyboard.press(key)
    assert tab.evaluate("document.activeElement.dataset.unit") == "Vergara"
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    for _ in range(30):
        if tab.evaluate("document.activeElement.textContent") == "Tarajal":
            break
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert reader.block() == "ORDERS T3 #k7q2\nACTIVATE Nudos\nMOVE Vergara TO Tarajal\nEND\n"
    for _ in range(30):
        if (tab.evaluate("document.activeElement.getAttribute('aria-label')") or "").startswith("Remove: MOVE"):
            break
        tab.keyboard.press("Tab")
    tab.keyboard.press("Space")
    assert reader.block() == ""
    assert tab.locator("#said").inner_text() == "Removed: MOVE Vergara TO Tarajal"


UNDER = """([x, y]) => {
  const { left, top, width, height } = view.svg.getBoundingClientRect();
  return [(x - left) / width, (y - top) / height];
}"""
"""Which part of the map lies under a point of the window."""


@pytest.mark.parametrize("view", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("data", [castillejos, barrosa])
def test_all_of_the_map_is_shown_without_a_band(opened, data, view):
    tab = opened(data(), viewport=view).tab
    if view is NARROW:
        tab.get_by_role("button", name="All of the map").click()
    shown = tab.evaluate(FRAME)
    assert shown["zoom"] == 1
    assert abs(shown["band"]) < 1
    assert abs(shown["cut"]) < 1
    assert shown["bottom"] < view["height"]
    assert tab.locator("#overview").is_hidden()


@pytest.mark.parametrize(
    ("view", "more", "begins"),
    [
        (WIDE, {}, "Wheel"),
        (WIDE, {"has_touch": True, "is_mobile": True}, "Two fingers"),
        (NARROW, {}, "Two fingers"),
        (NARROW, {"has_touch": True, "is_mobile": True}, "Two fingers"),
    ],
)
def test_the_hint_below_the_map_fits_the_device_and_is_not_cut(opened, view, more, begins):
    tab = opened(barrosa(), viewport=view, **more).tab
    tab.evaluate("showNamed()")
    assert tab.locator(".tools p:visible").count() == 1
    hint = tab.locator(".tools p:visible")
    assert hint.inner_text().startswith(begins)
    assert hint.evaluate("(one) => one.scrollHeight <= one.clientHeight + 1")


OWN = """() => {
  const box = $("map").getBoundingClientRect();
  const within = (part) => part.left >= box.left && part.right <= box.right && part.top >= box.top
    && part.bottom <= box.bottom;
  const mine = [...counters].filter(([id]) => own(id)).map(([, one]) => one.getBoundingClientRect());
  return { shown: mine.filter(within).length, high: LETTERS.high * scaleOf() };
}"""
"""How many of the reader's counters lie in the frame, and how high their names are in pixels."""


@pytest.mark.parametrize("data", [castillejos, barrosa])
def test_a_telephone_opens_at_own_units_with_names_that_can_be_read(opened, data):
    tab = opened(data(), viewport=NARROW).tab
    own_now = tab.evaluate(OWN)
    assert own_now["high"] >= 9 - 0.01
    assert own_now["shown"] >= 3
    window, whole = (tab.locator(f"#overview {part}").bounding_box() for part in (".window", "svg"))
    assert 0 < window["width"] < whole["width"]
    # What is pressed on the whole map comes into the frame, as far as there is land.
    assert whole["width"] >= 85
    for across, end in ((1, "scrollWidth - $('map').clientWidth"), (0, "0")):
        tab.mouse.click(whole["x"] + 1 + across * (whole["width"] - 2), whole["y"] + whole["height"] / 2)
        assert tab.evaluate("$('map').scrollLeft") == pytest.approx(
            tab.evaluate(f"$('map').{end}" if across else end), abs=1
        )


RESIZED = """(width) => innerWidth === width && view.size[0] === $("map").clientWidth
  && view.size[1] === $("map").clientHeight"""
"""Whether the window is so wide, and the frame of the map has followed it."""


@pytest.mark.parametrize("data", [castillejos, barrosa])
def test_a_frame_that_changes_its_size_still_shows_own_units(opened, data):
    tab = opened(data(), viewport=NARROW).tab
    shown = tab.evaluate(OWN)["shown"]
    for size in ({"width": 844, "height": 390}, WIDE, NARROW):
        tab.set_viewport_size(size)
        tab.wait_for_function(RESIZED, arg=size["width"])
        assert tab.evaluate(OWN)["shown"] >= shown, size


def test_a_place_that_is_chosen_beside_the_map_comes_into_its_frame(opened):
    reader = opened(desk_of("peninsular", begun("peninsular", "barrosa"), "british"), viewport=NARROW)
    tab = reader.tab
    inside = """(place) => {
      const [frame, here] = [$("map").getBoundingClientRect(), ownIn(place).map((id) => counters.get(id))];
      const boxes = here.map((one) => one.getBoundingClientRect());
      return boxes.every((box) => box.left >= frame.left && box.top >= frame.top
        && box.right <= frame.right + 1 && box.bottom <= frame.bottom + 1);
    }"""
    places = sorted({unit["place"] for unit in tab.evaluate("desk.units") if unit["own"]})
    seen_before = 0
    for place in places:
        seen_before += tab.evaluate(inside, place)
        tab.locator(f"[id='at-{place}']").click()
        assert tab.evaluate(inside, place)
        # Those already in the frame move nothing.
        corner = tab.evaluate(FRAME)["at"]
        tab.locator("#places").click()
        tab.locator(f"[id='at-{place}']").click()
        assert tab.evaluate(FRAME)["at"] == corner
        tab.locator("#places").click()
    assert seen_before < len(places)


def test_a_large_map_opens_whole_on_a_wide_screen_however_small_its_names(opened):
    data = desk_of("peninsular", begun("peninsular", "barrosa"), "british")
    tab = opened(data, viewport={"width": 1200, "height": 900}).tab
    shown = tab.evaluate(FRAME)
    assert shown["zoom"] == 1
    assert abs(shown["band"]) < 1
    assert abs(shown["cut"]) < 1
    assert tab.evaluate("view.far") > 0
    # From afar the number of a hex has room, and stands above its counters.
    plate = "[...view.svg.querySelectorAll('text[font-size=\"7.4\"]')].find((one) => one.textContent === '1616')"
    assert tab.evaluate(f"{plate}.getBoundingClientRect().height") > 8
    assert tab.evaluate(f"{plate}.previousElementSibling.getBoundingClientRect().width") > 20


def test_below_the_map_stands_what_one_points_at_or_has_chosen(opened):
    tab = opened(castillejos()).tab
    named = tab.locator("#named")
    assert named.inner_text() == ""
    tab.locator('[data-unit="Cuenca"]').hover()
    assert named.inner_text() == "Cuenca, Spain, infantry, strength 4, Nudos"
    tab.get_by_role("button", name="Larger").hover()
    assert named.inner_text() == "Larger"
    tab.locator('[data-unit="Cuenca"]').click()
    tab.locator("#letter-head").hover()
    assert named.inner_text() == "Nudos: Cuenca 4, Montana1 2, Vergara 3, Orozco 1/1"


def test_from_afar_names_make_room_for_strengths(opened):
    tab = opened(barrosa(), viewport=NARROW).tab
    look = "(one) => [one.getAttribute('display'), one.getAttribute('font-size')]"
    sizes = f"[...view.svg.querySelectorAll('[data-unit] text')].map({look})"
    near = tab.evaluate(sizes)
    tab.get_by_role("button", name="All of the map").click()
    far = tab.evaluate(sizes)
    assert "none" not in {display for display, _ in near}
    assert "none" in {display for display, _ in far}
    assert max(float(size) for _, size in far) > max(float(size) for _, size in near)


def test_the_map_is_enlarged_by_wheel_keys_and_buttons_and_dragged(opened):
    tab = opened(castillejos()).tab
    box = tab.locator("#map").bounding_box()
    x, y = box["x"] + 100, box["y"] + 200
    before = tab.evaluate(UNDER, [x, y])
    tab.mouse.move(x, y)
    tab.mouse.wheel(0, -300)
    tab.wait_for_function("view.zoom > 1.5")
    # What was under the pointer stays there.
    assert tab.evaluate(UNDER, [x, y]) == pytest.approx(before, abs=0.01)
    tab.mouse.down()
    tab.mouse.move(x - 60, y - 40, steps=4)
    tab.mouse.up()
    assert tab.evaluate(UNDER, [x - 60, y - 40]) == pytest.approx(before, abs=0.01)
    # What is dragged is not chosen.
    assert tab.evaluate("desk.place") == ""
    position = tab.evaluate(FRAME)["at"]
    tab.keyboard.press("Shift+ArrowRight")
    assert tab.evaluate(FRAME)["at"] == [position[0] + 60, position[1]]
    tab.keyboard.press("0")
    assert tab.evaluate(FRAME)["zoom"] == 1
    tab.keyboard.press("+")
    tab.get_by_role("button", name="Larger").click()
    assert tab.evaluate(FRAME)["zoom"] == pytest.approx(1.96)
    tab.get_by_role("button", name="All of the map").click()
    assert tab.get_by_role("button", name="Smaller").is_disabled()
    # A key in a field is a letter of it.
    tab.get_by_label("A line of your own").press("+")
    assert tab.evaluate(FRAME)["zoom"] == 1


def test_two_fingers_enlarge_the_map(opened):
    reader = opened(barrosa(), viewport=NARROW, has_touch=True, is_mobile=True)
    hand, before = reader.context.new_cdp_session(reader.tab), reader.tab.evaluate("view.zoom")

    def touch(kind, *fingers):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(fingers)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", (150, 250), (230, 250))
    for apart in (50, 60, 80):
        touch("touchMove", (190 - apart, 250), (190 + apart, 250))
    touch("touchEnd")
    assert reader.tab.evaluate("view.zoom") / before == pytest.approx(2, abs=0.05)
    # The page itself stays as large as it was, and where it was.
    assert reader.tab.evaluate("[visualViewport.scale, scrollY]") == [1, 0]


def test_orders_are_chosen_by_finger_on_a_telephone(opened):
    reader = opened(barrosa(), viewport=NARROW, has_touch=True, is_mobile=True)
    tab = reader.tab
    unit, place = next(
        (unit["id"], unit["place"]) for unit in barrosa()["units"] if "MOVE" in barrosa()["offers"].get(unit["id"], ())
    )
    tab.locator(f'[data-unit="{unit}"]').tap()
    assert tab.locator("#what-head").inner_text() == place
    chosen = tab.locator("#who").get_by_role("button", name=f"{unit},", exact=False)
    if chosen.get_attribute("aria-pressed") == "false":
        chosen.tap()
    to = barrosa()["offers"][unit]["MOVE"][0]
    if (fold := tab.locator("#acts summary").first).is_visible():
        fold.tap()
    tab.get_by_role("button", name=f"Move to {to}", exact=False).tap()
    assert reader.block() == f"ORDERS T3 #k7q2\nMOVE {unit} TO {to}\nEND\n"
    legal("peninsular", reader.block(), "french", "training")


def test_orders_are_sorted_edited_and_struck(opened):
    reader = opened(castillejos())
    tab = reader.tab
    for unit, act in (("Vergara", "Move to Tarajal"), ("Cuenca", "Move to Tarajal"), ("Luchana", "Move to Playa")):
        tab.locator(f"[data-unit={unit}]").click()
        tab.get_by_role("button", name=act, exact=False).click()
    lines = [
        "ACTIVATE Nudos",
        "MOVE Vergara TO Tarajal",
        "MOVE Cuenca TO Tarajal",
        "ACTIVATE Tarajal",
        "MOVE Luchana TO Playa",
    ]
    assert reader.block().splitlines()[1:-1] == lines
    tab.get_by_role("button", name="Move up: MOVE Cuenca TO Tarajal").click()
    tab.get_by_role("button", name="Move up: ACTIVATE Tarajal").click()
    assert reader.block().splitlines()[1:-1] == [*lines[3:], lines[0], lines[2], lines[1]]
    tab.get_by_role("button", name="Edit: MOVE Luchana TO Playa").click()
    tab.keyboard.press("Control+a")
    tab.keyboard.insert_text("MOVE Luchana WITH Prim TO Playa")
    tab.keyboard.press("Enter")
    tab.get_by_role("button", name="Remove: MOVE Vergara TO Tarajal").click()
    tab.get_by_label("A line of your own").fill("STOP IF MY STEPS LESS THAN 6")
    tab.keyboard.press("Enter")
    wanted = [
        "ACTIVATE Tarajal",
        "MOVE Luchana WITH Prim TO Playa",
        *lines[0:1],
        lines[2],
        "STOP IF MY STEPS LESS THAN 6",
    ]
    assert reader.block().splitlines()[1:-1] == wanted


def test_standing_orders_by_form(opened):
    reader = opened(castillejos())
    tab = reader.tab
    tab.get_by_text("Standing orders", exact=True).click()
    tab.get_by_label("For whom").select_option("SPACE")
    tab.get_by_label("Which", exact=True).select_option("Nudos")
    tab.get_by_label("Only if").select_option("ODDS")
    tab.get_by_label("Second number of the odds").fill("1")
    tab.get_by_label("Which one").select_option("Vergara")
    tab.get_by_label("Otherwise").select_option("INF.STRONGEST")
    tab.get_by_role("button", name="And also").click()
    tab.get_by_label("Then").last.select_option("SCREEN")
    tab.get_by_label("Which one").last.select_option("NONE")
    tab.get_by_role("button", name="Add this standing order").click()
    rule = "1. WHEN ASSAULTED IF ODDS AT LEAST 2:1 THEN VANGUARD Vergara / INF.STRONGEST ; SCREEN NONE"
    assert reader.block().splitlines()[1:-1] == ["STANDING FOR SPACE Nudos", rule, "ENDSTANDING"]
    legal("africa1860", reader.block(), "spain")
    tab.get_by_role("button", name="Español").click()
    assert "DOCTRINA PARA ESPACIO Nudos" in reader.block()
    tab.get_by_role("button", name="Quitar: ESPACIO Nudos", exact=False).click()
    assert reader.block() == ""


@pytest.mark.parametrize("view", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(opened, view, scheme):
    """WCAG 2.2: contrast of 4.5 in either scheme (1.4.3), names (4.1.2), nothing scrolls aside (1.4.10)."""
    tab = opened(castillejos(), viewport=view, color_scheme=scheme, reduced_motion="reduce").tab
    tab.locator("#standing > summary").click()
    tab.locator("#at-Nudos").click()
    tab.locator("#unit-Vergara").click()
    tab.get_by_role("button", name="Move to Tarajal", exact=False).click()
    tab.get_by_role("button", name="Other places").click()
    tab.locator("#at-Tarajal").click()
    tab.locator("#unit-Husares1").click()
    seen = [(name, ratio) for name, ratio in tab.evaluate(CONTRAST) if not name.startswith("text")]
    assert len(seen) > 20
    assert {name: round(ratio, 2) for name, ratio in seen if ratio < 4.5} == {}
    for unit in castillejos()["units"]:
        role = "button" if unit["own"] else "img"
        assert tab.locator("#map").get_by_role(role, name=f"{unit['id']}, {unit['side'][0]}", exact=False).count() == 1
    nameless = """[...document.querySelectorAll("input, textarea, select, button, a, [role=button]")]
      .filter((one) => !one.labels?.[0]?.textContent.trim() && !one.getAttribute("aria-label")
        && !one.textContent.trim()).map((one) => one.outerHTML)"""
    assert tab.evaluate(nameless) == []


def test_in_spanish_the_block_says_the_same(opened):
    reader = opened(desk_of("africa1860", begun("africa1860", "castillejos"), "spain", "es"))
    tab = reader.tab
    assert tab.title() == "Castillejos, 1 de enero de 1860: escritorio de órdenes"
    tab.get_by_role("button", name="Húsares1, España, caballería", exact=False).first.click()
    tab.get_by_role("button", name="Carga Cresta", exact=False).first.click()
    assert reader.block() == "ORDENES T3 #k7q2\nACTIVAR Tarajal\nCARGAR Húsares1 A Cresta\nFIN\n"
    rules, view = game_by_name("africa1860"), begun("africa1860", "castillejos")
    read = rules.parse("".join(reader.block().splitlines(True)[1:-1]), rules.view(view, "spain"), "spain")
    assert rules.canon(read.orders) == "ACTIVATE Tarajal\nCHARGE Husares1 AT Cresta\n"
    tab.get_by_role("button", name="English").click()
    assert "CHARGE Husares1 AT Cresta" in reader.block()


def test_a_long_letter_is_copied_and_not_linked(opened):
    reader = opened(castillejos(), permissions=["clipboard-read", "clipboard-write"])
    tab = reader.tab
    for number in range(60):
        tab.get_by_label("A line of your own").fill(f"IF TURN {number + 1} # a line of some length")
        tab.keyboard.press("Enter")
    assert letter_of(tab.locator("#mail").get_attribute("href")) == (SENT.address, SENT.subject, "")
    assert tab.locator("#long").is_visible()
    tab.get_by_role("button", name="Copy").click()
    tab.get_by_role("button", name="Copied").wait_for()
    assert tab.evaluate("navigator.clipboard.readText()") == reader.block()


@pytest.mark.parametrize("kind", ["attached", "base64", "alone", "pasted"])
def test_the_page_without_data_takes_a_letter(opened, tmp_path, kind):
    reader = opened(None)
    tab = reader.tab
    data = json.dumps(castillejos()).encode()
    path = tmp_path / "letter.eml"
    body = (
        mail(data, "base64" if kind == "base64" else "quoted-printable")
        .as_bytes()
        .replace(b"pbemdice.txt", b"pbemdesk.txt")
    )
    path.write_bytes(data if kind == "alone" else body)
    if kind == "pasted":
        tab.get_by_label("Or paste here", exact=False).fill(body.decode(), timeout=30_000)
        tab.get_by_role("button", name="Read what I pasted").click()
    else:
        tab.locator("#file").set_input_files(path)
    tab.get_by_role("button", name="Tarajal (6)", exact=False).or_(tab.locator("#at-Tarajal")).first.click()
    tab.locator("#unit-Luchana").click()
    tab.get_by_role("button", name="Move to Playa", exact=False).click()
    assert "MOVE Luchana TO Playa" in reader.block()


def test_what_is_no_letter_is_said_to_be_none(opened, tmp_path):
    tab = opened(None).tab
    for text in ("nonsense", "{", '{"format": "pbemdesk/9"}', "Subject: x\n\nhello\n"):
        path = tmp_path / "x.txt"
        path.write_text(text)
        tab.locator("#trouble").evaluate("(one) => { one.textContent = ''; }")
        tab.locator("#file").set_input_files([])
        tab.locator("#file").set_input_files(path)
        tab.locator("#trouble:not(:empty)").wait_for()
        assert (
            tab.locator("#trouble").inner_text().startswith(("There is no pbemdesk.txt", "It was written for another"))
        )
    assert not tab.locator("#work").is_visible()


def test_hostile_names_are_words_and_nothing_else(opened):
    name = "".join(value for value in VALUES if "\ud800" not in value)[:4000] + "<img src=x onerror=alert(1)>"
    text = json.dumps(castillejos())
    data = json.loads(
        text.replace('"Vergara"', json.dumps(name)).replace('"Nudos"', json.dumps("<script>alert(1)</script>"))
    )
    data |= {"title": [name, name], "moment": [name, name], "address": 'a"b<c>@games.example'}
    reader = opened(data)
    tab = reader.tab
    tab.locator("#who button").first.click()
    for element in tab.locator("#who [aria-pressed]").all():
        element.click()
    tab.locator("#acts button").first.click()
    assert reader.block()
    assert tab.locator("img, script:not([type]):not(:last-of-type), iframe, [onerror]").count() == 0
    assert tab.locator("#mail").get_attribute("href").startswith("mailto:a%22b%3Cc%3E@games.example?")


def test_a_hostile_drawing_brings_nothing_but_shapes(opened):
    drawing = gzip.decompress(base64.b64decode(castillejos()["map"])).decode()
    bad = (
        '<script>document.title = "x"</script><foreignObject><b xmlns="http://www.w3.org/1999/xhtml">x</b></foreignObject>'
        '<image href="http://example.com/x.png"/><a href="javascript:alert(1)"><rect onclick="alert(1)"/></a>'
        '<g onload="alert(1)" class="ring" id="mail"/>'
    )
    data = castillejos() | {
        "map": base64.b64encode(gzip.compress(re.sub("(<svg[^>]*>)", rf"\1{bad}", drawing, count=1).encode())).decode()
    }
    reader = opened(data)
    reader.refused = True
    tab = reader.tab
    tab.locator("#at-Nudos").wait_for()
    assert (
        tab.locator("#map svg :is(script, foreignObject, image, a, [onclick], [onload], [style], [href])").count() == 0
    )
    assert tab.locator("#mail").count() == 1


def test_the_command_writes_it(tmp_path):
    out = tmp_path / "desk.html"
    done = CliRunner().invoke(app, ["page", "desk", "-o", str(out)])
    assert (done.exit_code, out.read_text("utf-8")) == (0, desk_page(page_words()))
    assert CliRunner().invoke(app, ["page", "desk", "-o", str(tmp_path / "none" / "x.html")]).exit_code != 0


def test_every_word_of_the_page_is_there_in_both_languages():
    words, folder = page_words(), FOLDER
    named = re.findall(
        r'\bword\("(\w+)"|data-(?:word|name)="(\w+)"', "".join(p.read_text("utf-8") for p in folder.glob("*.*s*"))
    )
    named += re.findall(r'data-(?:word|name)="(\w+)"', (folder / "desk.html").read_text("utf-8"))
    assert {"".join(name) for name in named} <= words.keys()
    assert all(len({*texts}) == 2 for texts in words.values())


def test_nothing_of_a_letter_becomes_markup():
    scripts = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.js"))
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\bfetch\b|XMLHttp|sendBeacon"
    )
    assert not re.findall(forbidden, scripts)
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)", desk_page(page_words()))


@pytest.mark.parametrize(("view", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["wide", "narrow"])
def test_a_map_of_hexes_is_read_and_reached_as_well(opened, view, scheme):
    reader = opened(barrosa(), viewport=view, color_scheme=scheme)
    tab = reader.tab
    for unit in barrosa()["units"]:
        role = "button" if unit["own"] else "img"
        name = tab.evaluate("(id) => toldUnit(desk.byId.get(id))", unit["id"])
        assert name.startswith(f"{unit['id']}, {unit['side'][0]}, {unit['branch'][0]}, ")
        assert tab.locator("#map").get_by_role(role, name=name, exact=True).count() == 1
    tab.locator("#map [role=button][tabindex='0']").focus()
    ways = tab.evaluate(KEYS)
    assert len(ways) == tab.locator("#map [role=button]").count()
    tab.locator("#who button").first.click()
    seen = [(name, ratio) for name, ratio in tab.evaluate(CONTRAST) if not name.startswith("text")]
    assert {name: round(ratio, 2) for name, ratio in seen if ratio < 4.5} == {}
