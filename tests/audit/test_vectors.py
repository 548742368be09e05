"""The published vectors: made again to the letter, and reckoned by hashes alone, as a stranger would."""

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from pbem.audit import bundle, leaves
from pbem.verifier.record import FALSE, OK
from tests.audit.checked import judge
from tests.audit.make_vectors import FILE, NAME, made
from tests.audit.small_server import WITNESS, Item

KNOWN: dict[str, Any] = json.loads(FILE.read_text("utf-8"))[NAME]


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def root_of(hashes: list[bytes]) -> bytes:
    """RFC 9162 2.1.1, as it stands there."""
    if len(hashes) < 2:
        return hashes[0] if hashes else sha(b"")
    middle = 1 << (len(hashes) - 1).bit_length() - 1
    return sha(b"\1" + root_of(hashes[:middle]) + root_of(hashes[middle:]))


def test_the_file_is_what_the_script_writes():
    assert made() == KNOWN


def test_the_orders_of_a_seat():
    seat = KNOWN["seat"]
    secret = bytes.fromhex(seat["secret"])
    s = mac(secret, seat["ordersalt"])
    assert s.hex() == seat["s"]
    assert base64_of(sha(b"pbemdice/v1/order\n" + s + seat["text"].encode())) == seat["orders"]
    asked = seat["answer"]
    s = mac(bytes.fromhex(asked["secret"]), "pbemdice/v1/ordersalt\nrev 1\n")
    assert base64_of(sha(b"pbemdice/v1/order\n" + s + asked["text"].encode())) == asked["commit"]


def test_the_standing_orders_of_a_seat():
    seat = KNOWN["seat"]
    t = mac(bytes.fromhex(seat["secret"]), seat["standingsalt"])
    u = [mac(t, f"pbemdice/v1/rule\nnumber {number}\n") for number in range(4)]
    assert (t.hex(), [node.hex() for node in u]) == (seat["t"], seat["u"])
    tree = [
        f"pbemdice/v1/rule\nnumber {index}\nsalt {u[index].hex()}\n"
        + "".join(f"text {line}\n" for line in rule.splitlines())
        for index, rule in enumerate(seat["rules"], 1)
    ]
    assert tree == seat["rule_leaves"]
    root = root_of([sha(b"\0" + leaf.encode()) for leaf in tree])
    assert root.hex() == seat["root"]
    assert base64_of(sha(b"pbemdice/v1/standing\n" + u[0] + b"3\n" + root)) == seat["standing"]
    assert base64_of(sha(b"pbemdice/v1/standing\n" + u[0] + b"0\n" + sha(b""))) == seat["standing_of_no_rules"]
    assert [len(path) for path in seat["paths"]] == [2, 2, 1]


def test_a_digest():
    digest = KNOWN["digest"]
    assert digest["block"] == "pbemdice/v1/blind\ngame wt-042\nphase T1.spain\n"
    assert digest["digest"] == "hmac:" + mac(bytes.fromhex(digest["secret"]), digest["text"]).hex()


@pytest.mark.parametrize("group", [*range(3), "board", "draw", "later_lots"])
def test_the_dice(group):
    vector = KNOWN["dice"][group] if isinstance(group, int) else KNOWN[group]
    lines = vector["alpha"].splitlines()
    lists = (KNOWN["board"]["board"], KNOWN["draw"]["slate"], KNOWN["later_lots"]["leaf"])
    slates = {slate["sha256"] for slate in KNOWN["slates"]} | {sha(text.encode()).hex() for text in lists}
    assert lines[0] == "pbemdice/v1/alpha"
    assert lines[2].removeprefix("slate ") in slates
    drawn = vector.get("sig", "none")
    assert lines[3] == "beacon " + ("none" if drawn == "none" else sha(bytes.fromhex(drawn)).hex())
    beta = bytes.fromhex(vector.get("beta") or vector["secret"])
    for label, lot in vector.get("lots", {}).items():
        assert thrown(beta, label, 2**32)[0] - 1 == lot
    for roll in vector.get("rolls", ()):
        n, sides = map(int, roll["spec"].split("d"))
        assert thrown(beta, roll["label"], sides)[:n] == roll["values"]


def thrown(beta: bytes, label: str, sides: int) -> list[int]:
    """The dice of the first hundred blocks of a label."""
    size = 1 if sides <= 256 else 2 if sides <= 65_536 else 4
    stream = b"".join(mac(beta, f"pbemdice/v1/die\nlabel {label}\nblock {number}\n") for number in range(100))
    words = [int.from_bytes(stream[index : index + size], "big") for index in range(0, len(stream), size)]
    return [1 + word % sides for word in words if word < 256**size - 256**size % sides]


def test_the_tables_of_a_board():
    board = KNOWN["board"]
    listed = [line.split(" ")[2] for line in board["board"].splitlines() if line.startswith("table ")]
    assert listed == [*(sha(slate.encode()).hex() for slate in board["slates"]), "-"]
    name = next(line for line in board["board"].splitlines() if line.startswith("board "))
    assert all(f"\ndice {name}\n" in slate for slate in board["slates"])
    assert board["alpha"].splitlines()[1] == "group dup"


@pytest.mark.parametrize("vector", KNOWN["leaves"], ids=lambda vector: vector["kind"])
def test_a_leaf_of_every_kind(vector):
    data, body = vector["leaf"].encode(), vector["body"].encode()
    assert leaves.parse(data, body).kind == vector["kind"]
    assert sha(b"\0" + data).hex() == vector["leaf_hash"]
    if body:
        assert vector["leaf"].splitlines()[-1] == f"body {sha(body).hex()}"


def test_every_kind_has_a_vector():
    assert {vector["kind"] for vector in KNOWN["leaves"]} == leaves.EVERY_KIND


def test_the_tree_and_the_chain_of_the_log():
    log = KNOWN["log"]
    hashes = [sha(b"\0" + entry["leaf"].encode()) for entry in log["leaves"]]
    assert len(hashes) == 12
    assert [root_of(hashes[:size]).hex() for size in range(13)] == log["roots_by_size"]
    assert log["checkpoint"].splitlines()[:3] == ["example.com/pbem", "12", base64_of(root_of(hashes))]
    own = log["leaves"][1:]
    prev = [entry["leaf"].splitlines()[3] for entry in own]
    assert prev == ["prev -", *(f"prev {entry['leaf_hash']}" for entry in own[:-1])]


def test_nothing_in_the_bundles_is_false():
    report, disclosure = (Item(name, None, KNOWN["bundles"][name].encode()) for name in ("report", "disclosure"))
    for items in ([report], [disclosure], [report, disclosure]):
        by_check = {line.check: line.status for line in judge(items, witnesses=[WITNESS]).lines}
        assert FALSE not in by_check.values()
    # The welcome letter is not published, and the game is a toy that no verifier knows.
    assert {check for check, status in by_check.items() if status != OK} == {"keys", "groups", "labels"}


def test_the_bundles_are_of_this_log():
    log = KNOWN["log"]["leaves"]
    known = {entry["leaf"].encode(): entry["body"].encode() for entry in log}
    for name, count in (("report", 11), ("disclosure", 12)):
        read = bundle.parse(KNOWN["bundles"][name].encode())
        assert {leaf.data: leaf.body for leaf in read.leaves}.items() <= known.items()
        assert len(read.leaves) == count
    kinds = {part.partition("\n")[0] for text in KNOWN["bundles"].values() for part in text.split("\n\n")}
    parts = "bundle proof says slate manifest orders played fired group reveal said edition consistency cosigned sees"
    assert {f"pbemdice/v1/{kind}" for kind in parts.split()} <= kinds
