"""How an order is carried out, said on the desk: by mouse, by keys alone, by finger; what names whom, and what not."""

import pytest

from tests.pages.desks import barrosa, begun, castillejos, desk_of
from tests.pages.test_desk import NARROW, WIDE, legal
from tests.verifier.test_page import CONTRAST

pytestmark = pytest.mark.full


def assault(tab, tap=False):
    """Cuenca and Vergara assault Cresta."""
    press = (lambda element: element.tap()) if tap else (lambda element: element.click())
    press(tab.locator("#at-Nudos"))
    for unit in ("Cuenca", "Vergara"):
        press(tab.locator(f"#unit-{unit}"))
    press(tab.get_by_role("button", name="Assault Cresta", exact=False).first)


def order(reader):
    return reader.block().splitlines()[2]


ASSAULT = "ASSAULT Cresta WITH Cuenca, Vergara LED BY Orozco"


def test_an_assault_says_who_leads_stands_in_front_and_supports(opened):
    reader = opened(castillejos())
    tab = reader.tab
    assault(tab)
    assert order(reader) == ASSAULT
    tab.get_by_label("vanguard", exact=True).select_option("Cuenca")
    assert order(reader) == f"{ASSAULT} VANGUARD Cuenca"
    assert tab.locator("#said").inner_text() == f"The line now: {ASSAULT} VANGUARD Cuenca"
    assert tab.evaluate("document.activeElement.labels[0].textContent") == "vanguard"
    tab.get_by_label("screen", exact=True).select_option("Vergara")
    tab.get_by_role("group", name="supporting guns").get_by_role("button", name="Montana1", exact=False).click()
    losses = tab.get_by_role("group", name="losses first by")
    losses.get_by_role("button", name="Vergara", exact=False).click()
    losses.get_by_role("button", name="Cuenca", exact=False).click()
    order_text = f"{ASSAULT} VANGUARD Cuenca SCREEN Vergara SUPPORT Montana1 LOSSES Vergara, Cuenca"
    assert order(reader) == order_text
    assert losses.get_by_role("button", pressed=True).all_inner_texts()[1].startswith("1. Vergara")
    legal("africa1860", reader.block(), "spain")
    losses.get_by_role("button", name="1. Vergara", exact=False).click()
    tab.get_by_label("screen", exact=True).select_option("NONE")
    assert order(reader) == f"{ASSAULT} VANGUARD Cuenca SCREEN NONE SUPPORT Montana1 LOSSES Cuenca"
    tab.get_by_role("button", name="Español").click()
    order_text = "ASALTAR Cresta CON Cuenca, Vergara AL MANDO DE Orozco VANGUARDIA Cuenca CORTINA NINGUNA"
    assert order(reader) == f"{order_text} APOYO Montaña1 BAJAS Cuenca"
    assert tab.get_by_label("vanguardia", exact=True).input_value() == "Cuenca"


def test_nobody_is_named_for_two_parts(opened):
    reader = opened(castillejos())
    tab = reader.tab
    assault(tab)
    tab.get_by_label("screen", exact=True).select_option("Vergara")
    tab.get_by_label("vanguard", exact=True).select_option("Vergara")
    assert order(reader) == f"{ASSAULT} VANGUARD Vergara"
    assert "Vergara" not in tab.get_by_label("screen", exact=True).inner_text()
    tab.get_by_label("vanguard", exact=True).select_option("")
    assert order(reader) == ASSAULT


def test_by_keys_alone(opened):
    reader = opened(castillejos())
    tab = reader.tab
    assault(tab)
    tab.locator("details.how > summary").focus()
    for wanted in ("vanguard", "screen"):
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.labels[0].textContent") == wanted
    tab.keyboard.type("none")
    assert order(reader) == f"{ASSAULT} SCREEN NONE"
    tab.keyboard.press("Tab")
    tab.keyboard.press("Space")
    assert order(reader) == f"{ASSAULT} SCREEN NONE SUPPORT Montana1"
    name = "document.activeElement.getAttribute('aria-label')"
    assert tab.evaluate(name).startswith("supporting guns: Montana1")
    tab.keyboard.press("Space")
    assert order(reader) == f"{ASSAULT} SCREEN NONE"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_by_finger_on_a_telephone_in_either_scheme(opened, scheme):
    reader = opened(castillejos(), viewport=NARROW, has_touch=True, is_mobile=True, color_scheme=scheme)
    tab = reader.tab
    assault(tab, tap=True)
    guns = tab.get_by_role("group", name="supporting guns").get_by_role("button").first
    guns.tap()
    assert order(reader) == f"{ASSAULT} SUPPORT Montana1"
    assert guns.bounding_box()["height"] >= 24
    seen = [(name, ratio) for name, ratio in tab.evaluate(CONTRAST) if not name.startswith("text")]
    assert {name: round(ratio, 2) for name, ratio in seen if ratio < 4.5} == {}


def test_only_the_newest_order_stands_open_and_others_open_again(opened):
    reader = opened(castillejos(), viewport=WIDE)
    tab = reader.tab
    assault(tab)
    tab.locator("[data-unit=Husares1]").click()
    tab.get_by_role("button", name="Charge Cresta", exact=False).first.click()
    assert tab.locator("details.how").evaluate_all("(all) => all.map((one) => one.open)") == [False, True]
    tab.get_by_label("by way of", exact=True).select_option("Nudos")
    assert order(reader) == ASSAULT
    assert "CHARGE Husares1 AT Cresta VIA Nudos" in reader.block()
    tab.locator("details.how > summary").first.click()
    tab.get_by_label("vanguard", exact=True).first.select_option("Vergara")
    assert order(reader) == f"{ASSAULT} VANGUARD Vergara"
    legal("africa1860", reader.block(), "spain")


def test_what_was_written_by_hand_keeps_its_words(opened):
    reader = opened(castillejos())
    tab = reader.tab
    assault(tab)
    tab.get_by_role("button", name=f"Edit: {ASSAULT}").click()
    tab.keyboard.press("End")
    tab.keyboard.insert_text(" # dawn")
    tab.keyboard.press("Enter")
    assert order(reader) == f"{ASSAULT} # dawn"
    assert tab.locator("details.how").count() == 0


def test_a_move_ends_turned_or_formed_anew_but_not_both(opened):
    reader = opened(barrosa())
    tab = reader.tab
    forms, facings = (barrosa()["ways"]["MOVE"][clause] for clause in ("FORM", "FACE"))
    unit, to = next(
        (unit_id, to)
        for unit_id, targets in forms["units"].items()
        for to in targets
        if to in facings["units"][unit_id]
    )
    form, face = (some["sets"][some["units"][unit][to]][0] for some in (forms, facings))
    tab.locator(f'[data-unit="{unit}"]').first.focus()
    tab.keyboard.press("Enter")
    if (fold := tab.locator("#acts summary").first).is_visible():
        fold.click()
    tab.get_by_role("button", name=f"Move to {to}", exact=False).click()
    tab.get_by_label("turned to", exact=True).select_option(face)
    assert reader.block().splitlines()[1] == f"MOVE {unit} TO {to} FACE {face}"
    tab.get_by_label("into the formation", exact=True).select_option(form)
    assert reader.block().splitlines()[1] == f"MOVE {unit} TO {to} FORM {form}"
    legal("peninsular", reader.block(), "french", "training")


def test_an_attack_brings_the_orders_that_it_comes_after(opened):
    state = begun("peninsular", "barrosa")
    data = desk_of("peninsular", state, "french")
    reader = opened(data)
    tab = reader.tab
    unit, verb, to = next(
        (unit, verb, to)
        for unit, verbs in data["after"]["units"].items()
        for verb, places in verbs.items()
        for to in places
    )
    lines = data["after"]["lines"][data["after"]["units"][unit][verb][to][0]][0].format(units=unit)
    tab.evaluate("(unit) => { toggle(unit); }", unit)
    if (fold := tab.locator("#acts summary").last).is_visible():
        fold.click()
    verb_text = next(entry["says"][0] for entry in data["verbs"] if entry["verb"] == verb)
    tab.get_by_role(
        "button", name=f"{verb_text} {to}, after {'; '.join(lines.splitlines())}", exact=False
    ).first.click()
    written = [*lines.splitlines(), f"ASSAULT {to} WITH {unit}" if verb == "ASSAULT" else f"CHARGE {unit} AT {to}"]
    assert reader.block().splitlines()[1:-1] == written
    assert tab.locator("#orders > li").count() == len(written)
    legal("peninsular", reader.block(), "french", "barrosa")
