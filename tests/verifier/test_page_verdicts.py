"""The page says of every attack, of honest letters and of flipped bytes what verify.py says of them."""

import pytest

from pbem.verifier.record import CHECKS
from tests.audit import standalone
from tests.audit.once_more import ONCE_MORE
from tests.audit.recovered import RECOVERED
from tests.audit.simulated import whole
from tests.audit.test_attacks import ATTACKS, HONEST
from tests.audit.test_flips import ITEMS, LETTERS, flipped
from tests.audit.witnessed import CASES as WITNESSED
from tests.verifier.browser import REMEMBER, statuses, written

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def tab(plain):
    plain.evaluate(REMEMBER)
    return plain


@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_is_seen_by_the_page(tab, name):
    check, make = ATTACKS[name]
    items, pin, witnesses = make()
    found = statuses(tab, items, pin, witnesses)
    assert found[check] == "FALSE"
    assert found == standalone.statuses(items, pin, witnesses)


@pytest.mark.parametrize("name", WITNESSED)
def test_a_claimed_witness(tab, name):
    check, status, make = WITNESSED[name]
    items, pin, witnesses = make()
    found = statuses(tab, items, pin, witnesses)
    assert found[check] == status
    assert found == standalone.statuses(items, pin, witnesses)


@pytest.mark.parametrize("name", HONEST)
def test_honest_letters(tab, name):
    items, pin, witnesses = HONEST[name][0]()
    assert statuses(tab, items, pin, witnesses) == standalone.statuses(items, pin, witnesses)


@pytest.mark.parametrize("name", [*RECOVERED, *ONCE_MORE])
def test_logs_begun_anew_and_phases_resolved_once_more(tab, name):
    items = (RECOVERED | ONCE_MORE)[name][0]()
    assert statuses(tab, items) == standalone.statuses(items)


@pytest.mark.parametrize("letter", LETTERS)
def test_flipped_bytes(tab, letter):
    for at in range(3, len(ITEMS[LETTERS[letter]].data), 41):
        items = flipped(letter, at)
        assert statuses(tab, items) == standalone.statuses(items), at


def test_all_checks_have_a_line(tab):
    assert tuple(statuses(tab, [])) == CHECKS


@pytest.mark.parametrize("public", [True, False])
def test_a_browser_without_ed25519_says_the_same(browser, tmp_path, public):
    """The equation is then solved by the page itself."""
    old = browser.new_page()
    old.add_init_script(
        """const plain = SubtleCrypto.prototype.importKey;
        SubtleCrypto.prototype.importKey = function (format, key, algorithm, ...rest) {
          if (algorithm === "Ed25519") throw new DOMException("Unrecognized name.", "NotSupportedError");
          return plain.call(this, format, key, algorithm, ...rest);
        };"""
    )
    old.goto(written(tmp_path))
    assert old.evaluate("byBrowser(new Uint8Array(32), new Uint8Array(1), new Uint8Array(64))") is None
    last = len(ITEMS[LETTERS["closed"]].data) - 20  # of its signature
    for items in (whole(public=public)[1], flipped("closed", last)):
        assert statuses(old, items) == standalone.statuses(items)
