"""The page as somebody uses it: opened from disk, letters chosen, pasted or dropped, read in either language."""

import re
import tomllib
from hashlib import sha256

import pytest
from typer.testing import CliRunner

from pbem.cli.main import app
from pbem.pages.binder import EXPORT
from pbem.pages.dice import FOLDER, LIBRARIES, dice_page
from pbem.verifier.record import CHECKS
from tests.audit.simulated import first_phase
from tests.audit.small_server import Server
from tests.audit.test_letters import mail
from tests.verifier.browser import written

ITEMS = first_phase(Server(public=False))
GOES_ON = {"others": "? NOT CHECKED", "labels": "? NOT CHECKED"}
"""What cannot be checked of a game of the toy while it goes on."""


@pytest.mark.parametrize("library", LIBRARIES.values())
def test_the_library_is_the_published_one_with_its_licence(library):
    entry = tomllib.loads((FOLDER / "vendor.toml").read_text("utf-8"))[library]
    body = (FOLDER / entry["file"]).read_bytes()
    assert sha256(body).hexdigest() == entry["sha256"]
    licence = (FOLDER / f"{library}.LICENSE").read_text("utf-8")
    assert licence.startswith(f"The {entry['licence']} License")
    assert "".join(f"// {line}".rstrip() + "\n" for line in licence.splitlines()) in dice_page()


def test_the_page_is_the_same_each_time_and_names_no_other_place():
    assert dice_page() == dice_page()
    own = dice_page()
    for library in LIBRARIES.values():
        text = EXPORT.sub("", (FOLDER / f"{library}.js").read_text("utf-8"))
        assert text in own
        own = own.replace(text, "")
    own = "".join(line for line in own.splitlines(True) if not line.startswith("// Copyright"))
    assert not re.findall(
        r"(?:https?|wss?|ftp)://|\bfetch\b|XMLHttp|WebSocket|sendBeacon|EventSource|\bimport\b *[({]", own
    )
    assert not re.findall(r"<(?:link|img|iframe|object|embed|script [^>]*src)\b", own)
    assert "default-src 'none'" in own


def test_nothing_of_a_letter_becomes_markup():
    scripts = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.js"))
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", scripts)


@pytest.fixture
def tab(browser, tmp_path):
    """A reader of English with the page open. Whatever goes wrong in it, or leaves it, fails the test."""
    context = browser.new_context(locale="en-GB")
    tab = context.new_page()
    faults: list[str] = []
    tab.on("pageerror", lambda wrong: faults.append(str(wrong)))
    tab.on("console", lambda line: faults.append(line.text))
    address = written(tmp_path)
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(address)
    yield tab
    assert faults == []
    assert asked == [address]
    context.close()


def letters(folder, items=ITEMS):
    """The letters as a mailbox has them, one of them as the attachment that somebody saved."""
    paths = []
    for number, item in enumerate(items[:-1]):
        path = folder / f"{number}.eml"
        path.write_bytes(mail(item.data).as_bytes())
        paths.append(path)
    saved = folder / "pbemdice.txt"
    saved.write_bytes(items[-1].data)
    return [*paths, saved]


def lines(tab) -> dict[str, str]:
    return {
        element.get_attribute("id").removeprefix("check-"): element.locator(".status").inner_text()
        for element in tab.locator("#checks > li").all()
    }


def waited(tab):
    tab.locator("#results").wait_for(state="visible")
    return lines(tab)


@pytest.mark.full
class TestPage:
    def test_files_are_chosen_and_every_check_has_its_line(self, tab, tmp_path):
        tab.locator("#files").set_input_files(letters(tmp_path))
        assert waited(tab) == {**dict.fromkeys(CHECKS, "✓ ok"), **GOES_ON}
        assert tab.locator("#verdict").inner_text() == "Nothing is false; not everything could be checked."
        assert "Letters with proofs: 5" in tab.locator("#state").inner_text()
        (phase,) = tab.locator("#phases li").all_inner_texts()
        assert "T1.spain: grade C. Nobody else could foresee the dice; the server could have" in phase
        key, size, root = tab.locator("#line").inner_text().split(" | ")
        assert key == Server(public=False).log.text
        assert (int(size), len(root)) > (5, 63)
        rows = tab.locator("#dice tbody tr").all_inner_texts()
        assert [row.split("\t")[1] for row in rows] == ["Nudos>Cresta/shock attacker", "Nudos>Cresta/fire X > Y"]
        assert "openssl dgst -sha256 -mac HMAC" in tab.locator("#shell").inner_text()

    def test_an_mbox_in_base64_and_a_letter_in_quoted_printable(self, tab, tmp_path):
        box = tmp_path / "all.mbox"
        parts = [b"From x@y Wed Aug 23 15:06:40 2023\n" + mail(item.data, "base64").as_bytes() for item in ITEMS[:-1]]
        box.write_bytes(b"\n".join(parts))
        last = tmp_path / "last.eml"
        last.write_bytes(mail(ITEMS[-1].data, "quoted-printable").as_bytes().replace(b"\n", b"\r\n"))
        tab.locator("#files").set_input_files([box, last])
        assert waited(tab) == {**dict.fromkeys(CHECKS, "✓ ok"), **GOES_ON}

    def test_letters_are_pasted_with_the_keyboard_alone(self, tab):
        tab.locator("#pasted").focus()
        tab.keyboard.insert_text("".join(item.data.decode() for item in ITEMS))
        for _ in range(3):
            tab.keyboard.press("Tab")
            if tab.evaluate("document.activeElement.id") == "add":
                break
        tab.keyboard.press("Enter")
        assert waited(tab) == {**dict.fromkeys(CHECKS, "✓ ok"), **GOES_ON}
        assert tab.evaluate("document.activeElement.id") == "found"

    def test_files_are_dropped(self, tab):
        drop = """(texts) => {
          const data = new DataTransfer();
          texts.forEach((text, at) => data.items.add(new File([text], `${at}.txt`)));
          document.getElementById("drop").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }"""
        tab.evaluate(drop, [item.data.decode() for item in ITEMS])
        assert waited(tab) == {**dict.fromkeys(CHECKS, "✓ ok"), **GOES_ON}

    def test_what_is_false_is_said_in_both_languages(self, tab, tmp_path):
        forged = [item._replace(data=item.data.replace(b" 3d6 ", b" 3d8 ")) for item in ITEMS]
        tab.locator("#files").set_input_files(letters(tmp_path, forged))
        by_check = waited(tab)
        assert {check for check, status in by_check.items() if status == "✗ FALSE"} == {"manifest", "dice"}
        assert "what was rolled is not what was logged" in tab.locator("#check-manifest").inner_text()
        tab.get_by_role("button", name="Español").click()
        assert tab.locator("html").get_attribute("lang") == "es"
        assert tab.title() == "Compruebe sus dados"
        assert lines(tab)["manifest"] == "✗ FALSO"
        assert "lo tirado no es lo registrado" in tab.locator("#check-manifest").inner_text()
        assert tab.locator("#verdict").inner_text().startswith("Hay algo FALSO: dice, manifest.")
        assert "T1.spain: FALSO. No hay que creer estos dados" in tab.locator("#phases").inner_text()

    def test_the_key_that_one_knows(self, tab, tmp_path):
        tab.locator("#files").set_input_files(letters(tmp_path))
        waited(tab)
        tab.locator("summary").click()
        for key, expected in (
            (Server(secret=b"o" * 32).log.text, "✗ FALSE"),
            (Server().log.text, "✓ ok"),
        ):
            tab.locator("#pin").fill(key)
            tab.locator("#again").click()
            tab.locator(f"#check-keys[data-status={'ok' if 'ok' in expected else 'false'}]").wait_for()
            assert lines(tab)["keys"] == expected
        tab.locator("#pin").fill("nonsense")
        tab.locator("#again").click()
        tab.locator("#results").wait_for(state="hidden")
        assert "no key: nonsense" in tab.locator("#state").inner_text()

    def test_files_without_proofs(self, tab, tmp_path):
        path = tmp_path / "photo.jpg"
        path.write_bytes(b"\xff\xd8\x00garbage")
        tab.locator("#files").set_input_files([path])
        assert waited(tab)["form"] == "? NOT CHECKED"
        assert "files without any: 1" in tab.locator("#state").inner_text()
        tab.get_by_role("button", name="Start afresh").click()
        tab.locator("#results").wait_for(state="hidden")

    def test_names_from_letters_are_text_and_nothing_else(self, tab, tmp_path):
        path = tmp_path / "<img src=x onerror=alert(1)>.eml"
        path.write_bytes(mail(b"pbemdice/v1/bundle\n<script>alert(1)</script>\n").as_bytes())
        tab.locator("#files").set_input_files([path])
        assert waited(tab)["form"] == "✗ FALSE"
        assert "<img src=x onerror=alert(1)>.eml" in tab.locator("#check-form").inner_text()
        assert tab.locator("img, #results script").count() == 0

    def test_nothing_gets_out(self, browser, tmp_path):
        """What the page is told to ask for is refused before it leaves."""
        tab = browser.new_page()
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto(written(tmp_path))
        tried = """() => fetch("data:text/plain,x").then(() => "out", () => "kept")"""
        assert tab.evaluate(tried) == "kept"
        tab.evaluate("document.body.append(Object.assign(new Image(), { src: 'data:image/gif;base64,R0lGODlh' }))")
        assert all(url.startswith("file:") for url in asked if "data:" not in url)
        assert tab.evaluate("document.querySelector('img').naturalWidth") == 0


CONTRAST = """() => {
  const light = (rgb) => {
    const [r, g, b] = rgb.match(/[\\d.]+/g).slice(0, 3).map((one) => one / 255)
      .map((one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const seen = [...document.querySelectorAll("body *")].filter((one) => one.checkVisibility()
    && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  return seen.map((one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
    return [one.tagName + "." + one.className + "#" + one.id, (a + 0.05) / (b + 0.05)];
  });
}"""


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(browser, tmp_path, scheme):
    """WCAG 2.2: contrast of 4.5 in either scheme (1.4.3), names (4.1.2), nothing scrolls aside (1.4.10)."""
    context = browser.new_context(color_scheme=scheme, locale="es-ES", viewport={"width": 360, "height": 700})
    tab = context.new_page()
    tab.goto(written(tmp_path))
    forged = [item._replace(data=item.data.replace(b" 3d6 ", b" 3d8 ")) for item in ITEMS]
    tab.locator("#files").set_input_files(letters(tmp_path, [*forged[:1], *forged[2:]]))
    assert {"✓ bien", "✗ FALSO", "? NO COMPROBADO"} == set(waited(tab).values())
    weak = {name: round(ratio, 2) for name, ratio in tab.evaluate(CONTRAST) if ratio < 4.5}
    assert weak == {}
    nameless = """[...document.querySelectorAll("input, textarea, button")]
      .filter((one) => !(one.labels?.length && one.labels[0].textContent.trim()) && !one.textContent.trim()).length"""
    assert tab.evaluate(nameless) == 0
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


WORDS = """() => {
  const wrong = [];
  const gaps = (text) => (text.match(/\\{\\}/g) || []).length;
  const own = Object.values({ ...WORDS, ...TITLES });
  const pairs = [...own, ...Object.entries(SPANISH)];
  for (const pair of pairs) {
    if (pair.length !== 2 || gaps(pair[0]) !== gaps(pair[1]) || pair.some((text) => !text)) wrong.push(pair[0]);
  }
  for (const check of CHECKS) if (!WHAT[check] || !SPANISH[WHAT[check]] || !TITLES[check]) wrong.push(check);
  return [wrong, Object.keys(SPANISH), Object.keys(WORDS)];
}"""

SENTENCE = re.compile(r'"([a-z{-](?:[^"\n;()=<>\[\]]|\{\})* [^"\n;()=<>\[\]]*)"')


@pytest.mark.full
def test_every_sentence_is_there_in_both_languages(tab):
    wrong, shared, words = tab.evaluate(WORDS)
    assert wrong == []
    own = {path.stem: path.read_text("utf-8") for path in FOLDER.glob("*.js") if not path.stem.startswith("noble")}
    scripts = "".join(text for name, text in own.items() if name != "words")
    sentences = {
        sentence
        for sentence in SENTENCE.findall(scripts)
        if sentence.count(" ") > 2 and not re.search(r"[\\\\$|]", sentence)
    }
    assert len(sentences) > 120
    assert sentences - {*shared} == set()
    for word in re.findall(r'word\("(\w+)"|data-word="(\w+)"', scripts + (FOLDER / "page.html").read_text("utf-8")):
        assert "".join(word) in words


def test_the_command_writes_it(tmp_path):
    done = CliRunner().invoke(app, ["verify", "--page", str(tmp_path / "verify.html")])
    assert (done.exit_code, (tmp_path / "verify.html").read_text("utf-8")) == (0, dice_page())
    assert CliRunner().invoke(app, ["verify", "--page", str(tmp_path / "none" / "x.html")]).exit_code != 0
    assert CliRunner().invoke(app, ["verify"]).exit_code != 0
