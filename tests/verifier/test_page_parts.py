"""The parts of the page by published values, and beside the product: curve, VRF, tree, dice, keys, mail."""

import binascii
import quopri
import random
from contextlib import suppress
from typing import Any

import pytest
from nacl.signing import SigningKey

from pbem.audit import merkle, vrf
from pbem.audit.dice import DiceStream
from pbem.audit.merkle import Tree
from pbem.verifier import curve
from pbem.verifier.mailbox import MOST_LETTERS, decode_mail_base64, letters_in_file
from tests.audit.small_server import WITNESS, Server
from tests.audit.test_dice import BETA
from tests.audit.test_dice import VECTORS as DICE
from tests.audit.test_signature import PUBLIC, SIGNED, TEXT
from tests.audit.test_vrf import ALPHA, KEY, PROOF, REFUSED, SMALL, VECTORS
from tests.hostile import VALUES
from tests.tournaments.test_later_lots import JURIES

pytestmark = pytest.mark.full

VRF = """async (cases) => {
  const out = [];
  for (const [key, alpha, proof] of cases) {
    const beta = vrf(unhex(key), unhex(alpha), unhex(proof));
    out.push(beta && hex(beta));
  }
  return out;
}"""


def proven(tab: Any, *cases: tuple[bytes, ...]) -> list[str | None]:
    outputs: list[str | None] = tab.evaluate(VRF, [[part.hex() for part in case] for case in cases])
    return outputs


def test_the_vrf_by_the_examples_of_the_rfc(plain):
    cases = [
        (vrf.expand_key(bytes.fromhex(vector["sk"])).public, *map(bytes.fromhex, (vector["alpha"], vector["pi"])))
        for vector in VECTORS["cases"]
    ]
    assert proven(plain, *cases) == [vector["beta"] for vector in VECTORS["cases"]]


def test_what_the_vrf_refuses(plain):
    first = vrf.expand_key(bytes.fromhex(VECTORS["cases"][0]["sk"])).public
    old = bytes.fromhex(REFUSED["pi_of_an_old_draft_for_example_16_same_beta"])
    wrong = [
        (first, b"", old),
        (KEY.public, ALPHA + b"x", PROOF),
        (first, ALPHA, PROOF),
        (KEY.public, ALPHA, PROOF[1:]),
    ]
    wrong += [(bytes.fromhex(small), ALPHA, PROOF) for small in SMALL]
    wrong += [(KEY.public, ALPHA, bytes.fromhex(small) + PROOF[32:]) for small in SMALL]
    wrong += [
        (KEY.public, ALPHA, PROOF[:index] + bytes([PROOF[index] ^ 1]) + PROOF[index + 1 :]) for index in range(80)
    ]
    assert proven(plain, *wrong) == [None] * len(wrong)
    assert proven(plain, (KEY.public, ALPHA, PROOF)) == [vrf.output_of(PROOF).hex()]


SIGNATURES = "(cases) => cases.map((one) => ed25519(...one.map(unhex)))"


def test_signatures_as_the_product_has_them(plain):
    order = 2**252 + 27742317777372353535851937790883648493
    larger = SIGNED[:32] + (int.from_bytes(SIGNED[32:], "little") + order).to_bytes(32, "little")
    base = bytes.fromhex("58" + "66" * 31) + (1).to_bytes(32, "little")
    cases = [(PUBLIC, TEXT, SIGNED), (PUBLIC, TEXT + b"x", SIGNED), (PUBLIC, TEXT, larger), (PUBLIC, TEXT, SIGNED[:63])]
    cases += [(bytes.fromhex(small), TEXT, base) for small in SMALL]
    cases += [(PUBLIC, TEXT, bytes.fromhex(small) + bytes(32)) for small in SMALL]
    for number in range(5):
        key = SigningKey(bytes([number]) * 32)
        cases.append((bytes(key.verify_key), b"%d" % number, key.sign(b"%d" % number).signature))
    cases += [
        (PUBLIC, TEXT, SIGNED[:index] + bytes([SIGNED[index] ^ 128]) + SIGNED[index + 1 :]) for index in range(64)
    ]
    wanted = [curve.is_ed25519_signature_valid(*case) for case in cases]
    assert wanted.count(True) == 6
    assert plain.evaluate(SIGNATURES, [[part.hex() for part in case] for case in cases]) == wanted


THROWS = """async ([beta, throws]) => {
  const out = [];
  for (const [label, n, sides] of throws) out.push(await throwDice(unhex(beta), label, n, sides));
  return out;
}"""


def test_the_golden_dice(plain):
    cases = [(case["label"], *map(int, case["spec"].split("d"))) for case in DICE["die"]["cases"]]
    assert plain.evaluate(THROWS, [BETA.hex(), cases]) == [case["values"] for case in DICE["die"]["cases"]]


def test_dice_of_any_number_of_sides(plain):
    """Words of one, two and four bytes, and sides for which many words are left out."""
    rolls = [("B>C/many", 40, sides) for sides in (1, 2, 3, 6, 100, 129, 255, 256, 257, 1000, 33000, 65535, 65536)]
    rolls += [("B>C/many", 20, sides) for sides in (65537, 10**6, 2**31 + 1, 2**32)]
    wanted = [list(DiceStream(BETA).roll(*roll)) for roll in rolls]
    assert plain.evaluate(THROWS, [BETA.hex(), rolls]) == wanted


TREE = """(cases) => cases.map(([kind, first, size, one, other, path]) => {
  const [from, to, steps] = [BigInt(first), BigInt(size), path.map(unhex)];
  return kind === "in" ? included(unhex(one), from, to, steps, unhex(other))
    : grown(from, to, [unhex(one), unhex(other)], steps);
})"""


def test_every_proof_of_small_trees_and_what_is_none(plain):
    leaves, tree = [b"%d" % number for number in range(17)], Tree()
    for leaf in leaves:
        tree.append(leaf)
    chance, cases, wanted = random.Random(7), [], []
    for size in range(1, 18):
        root = merkle.tree_root(tree.node, size)
        proofs = [
            ("in", index, merkle.leaf_hash(leaves[index]), merkle.prove_inclusion(tree.node, index, size))
            for index in range(size)
        ]
        proofs += [
            ("on", old, merkle.tree_root(tree.node, old), merkle.prove_consistency(tree.node, old, size))
            for old in range(1, size + 1)
        ]
        for kind, first, leaf_hash, path in proofs:
            hashes = [step.hex() for step in path]
            cases.append((kind, first, size, leaf_hash.hex(), root.hex(), hashes))
            wanted.append(True)
            spoilt = [*hashes, "00" * 32] if chance.random() < 0.5 or not hashes else hashes[:-1]
            cases.append((kind, first, size, leaf_hash.hex(), root.hex(), spoilt))
            wanted.append(False)
            cases.append((kind, first + 1, size, leaf_hash.hex(), root.hex(), hashes))
            wanted.append(False)
    assert len(cases) == 3 * 2 * 17 * 18 // 2
    assert plain.evaluate(TREE, cases) == wanted


KEYS = """(texts) => texts.map((text) => {
  try {
    return logKey(text).kind;
  } catch (wrong) {
    return wrong.why;
  }
})"""


def test_keys(plain):
    log = Server().log.text
    other = log.replace("example.com", "example.org")
    texts = [log, WITNESS.text, other, log[:-1], "", "a+b", "__proto__+00000000+AAAA"]
    outputs = plain.evaluate(KEYS, texts)
    assert outputs[:3] == [1, 4, "no key: {}"]
    assert all(isinstance(output, str) for output in outputs[3:])


MAIL = "(bytes) => itemsOf('x', bytes).map((one) => [one.where, one.received === null ? null : Number(one.received)])"


@pytest.mark.parametrize(
    ("stamp", "second"),
    [
        ("Wed, 23 Aug 2023 17:05:00 +0200 (CEST)", 1692803100),
        ("23 Aug 2023 15:05:00 -0000", 1692803100),
        ("Wed, 23 Aug 2023 10:35:00 -0430", 1692803100),
        ("Wed, 23 Aug 2023 15:05 GMT", 1692803100),
        ("soon", None),
    ],
)
def test_when_a_letter_came(plain, stamp, second):
    head = f"Received: from a by b\r\n\tfor <c>; {stamp}\r\nReceived: from d by e; Tue, 1 Aug 2023 00:00:00 +0000\r\n"
    part = 'Content-Type: text/plain; name="pbemdice.txt"\r\n\r\npbemdice/v1/bundle\r\n'
    assert plain.evaluate(MAIL, head + part) == [["x", second]]


def test_letters_within_letters_and_without(plain):
    inner = 'Content-Disposition: attachment;\n filename="pbemdice.txt"\n\npbemdice/v1/bundle\n'
    forwarded = f"Subject: fwd\nContent-Type: message/rfc822\n\nSubject: x\n{inner}"
    mixed = f"Content-Type: multipart/mixed; boundary=b\n\nbefore\n--b\n\ntext\n--b\n{inner}--b--\n--b\n{inner}"
    assert len(plain.evaluate(MAIL, forwarded)) == 1
    assert len(plain.evaluate(MAIL, mixed)) == 1
    for other in ("Content-Type: multipart/mixed\n\n--\n", "From \n"):
        assert plain.evaluate(MAIL, other) == []
    for other in ("", "\n", "hello"):
        assert plain.evaluate("(bytes) => itemsOf('x', bytes).map((one) => one.trouble.why)", other) == [
            "it is no letter"
        ]


TROUBLES = "(bytes) => itemsOf('x', bytes).map((one) => [one.trouble.why, ...one.trouble.given])"


def test_of_a_mailbox_without_end_the_beginning_is_read(plain):
    """Both say so in one sentence, and where it is just not too long neither does."""
    whole = "From x\n" + "\n\nFrom x\n" * MOST_LETTERS
    for box in (whole, whole + "\n"):
        troubles = [[*letter.trouble] for letter in letters_in_file("x", box.encode())]
        assert plain.evaluate(TROUBLES, box) == troubles
        assert troubles[:MOST_LETTERS] == [["it is no letter"]] * MOST_LETTERS
        assert troubles[MOST_LETTERS:] == ([["it has more than {} letters: part it", 50000]] if box != whole else [])


QUOTED = "(texts) => texts.map((text) => [unquoted(text, false), unquoted(text, true), lenient64(text)])"


def test_text_is_taken_out_of_its_encoding_as_the_other_does(plain):
    texts = ["a=\nb", "a= \nb", "a=x", "a=4", "a=41=", "=\r\n", "a==41", "=4\n1", "a=\rb", "=\r=41", "=e1_=41_", "a_b"]
    texts += ["QUJD", "QUI=", "QQ==", "QQ=", "Q", "QUJDRA", "QUI=QUJD", "Q=U=J=D", "===="]
    texts += ["QQ=QUJD", "QQ==QUJD", "=QUJD"]
    wanted: list[list[str | None]] = []
    for text in texts:
        raw: str | None = None
        with suppress(binascii.Error):
            raw = decode_mail_base64(text.encode()).decode("latin-1")
        decoded = [quopri.decodestring(text, header=header).decode("latin-1") for header in (False, True)]
        wanted.append([*decoded, raw])
    assert plain.evaluate(QUOTED, texts) == wanted


def test_of_dice_without_end_a_row_shows_a_hundred(plain):
    shown = plain.evaluate("(texts) => texts.map(valuesShown)", ["6", ",".join("6" * 100), ",".join("6" * 101)])
    assert shown == ["6", " ".join("6" * 100), " ".join("6" * 100) + " …"]


def test_what_others_wrote_is_shown_without_what_moves_or_hides_it(plain):
    """Names of files, for one: a tab, an escape, a line of its own, writing turned round."""
    shown = plain.evaluate("(texts) => texts.map(harmless)", [*VALUES.values(), "añada 1 \u2013 «carta» ✓ {}"])
    assert all(text.isprintable() for text in shown)
    assert shown[-1] == "añada 1 \u2013 «carta» ✓ {}"
    assert plain.evaluate("() => element('li', 'a.eml\\nFALSE\\u202e').textContent") == "a.eml\\u000aFALSE\\u202e"


ASKED = """(cases) => cases.map(([order, asked, away]) => areAskedByLot(order, asked, new Set(away)))"""


def test_jurors_are_asked_by_lot_but_for_those_away(plain):
    cases = [(order.split(), asked.split(), away.split()) for order, asked, away, _ in JURIES]
    assert plain.evaluate(ASKED, cases) == [truth for *_, truth in JURIES]
