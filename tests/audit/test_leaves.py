"""Leaves, slates and manifests: read back as they were written, refused if written in any other way."""

import hashlib
from typing import Any

import pytest

from pbem.audit import blocks, leaves, rolls, sealing
from pbem.audit.blocks import Commitment, Malformed
from pbem.audit.leaves import Leaf, parse, write
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import Key
from pbem.audit.tournament_leaves import LINES_SINCE_TWO
from tests.audit.make_vectors import CONTEST_SAYS, EVENT
from tests.harness.leaf_chain import LeafChain

HASH = "0123456789abcdef" * 4
LOG = Key("example.com/pbem", bytes(range(32))).text
COMMIT = "bW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW0="
PHASE = ("phase", "T3.spain~1")
SAYS: dict[str, tuple[tuple[str, str], ...]] = {
    "genesis": (("log", LOG), ("vrf", HASH), ("chain", HASH)),
    "open": (
        PHASE,
        ("D", "1692803400"),
        ("delta", "600"),
        ("chain", HASH),
        ("round", "123"),
        ("edition", f"sha256:{HASH}"),
        ("state", f"hmac:{HASH}"),
        ("seats", "morocco spain"),
        ("system", "peninsular"),
        ("pace", "activation"),
        ("opened", "played"),
        ("bots", "morocco:cautious/3"),
        ("ruling", "-"),
    ),
    "deadline": (PHASE, ("D", "1692803500"), ("round", "124"), ("cause", "all-in")),
    "order": (
        PHASE,
        ("seat", "spain"),
        ("rev", "2"),
        ("orders", COMMIT),
        ("standing", COMMIT),
        ("eml", HASH),
        ("recv", "1692803399"),
    ),
    "answer": (PHASE, ("segment", "2"), ("seat", "morocco"), ("rev", "1"), ("commit", COMMIT)),
    "close": (
        PHASE,
        ("segment", "1"),
        ("groups", "all hidden"),
        ("slate", HASH),
        ("seen", f"morocco:41:{HASH} spain:39:{HASH}"),
    ),
    "roll": (
        PHASE,
        ("segment", "1"),
        ("groups", "all hidden"),
        ("sig", "ab" * 48),
        ("group", "all " + "0c" * 80),
        ("group", f"hidden {HASH}"),
        ("manifest", f"sha256:{HASH} hmac:{HASH}"),
    ),
    "result": (PHASE, ("state", f"hmac:{HASH}"), ("report", f"hmac:{HASH}")),
    "again": (PHASE, ("run", "2"), ("ruling", "4"), ("state", f"hmac:{HASH}"), ("manifest", f"sha256:{HASH}")),
    "disclose": (PHASE,),
    "ruling": (PHASE, ("number", "4"), ("text", f"sha256:{HASH}")),
    "war": (("war", "wt"), ("terms", f"sha256:{HASH}")),
    "link": (("war", "wt"), ("after", "wt-041"), ("seq", "7"), ("leaf", HASH)),
    "rotate": (("log", LOG), ("vrf", HASH), ("size", "41"), ("root", HASH), ("why", "recovery")),
    "beacon": (("chain", "none"),),
    "beacon-change": (PHASE, ("segment", "1"), ("ruling", "4"), ("chain", "none"), ("round", "0")),
}
SAYS |= CONTEST_SAYS
SAYS["pair"] = (*SAYS["pair"], ("battle", "castillejos"))
PUBLIC = {"genesis": 3, "rotate": 5, "beacon": 1, "close": 3, "roll": 3}
SALT = "5a" * 32


def leaf(kind: str) -> Leaf:
    """A leaf of a kind, with the hash of its body."""
    if kind in leaves.SERVER_KINDS:
        return Leaf(kind, "-", 3, HASH, SAYS[kind])
    made = Leaf(kind, EVENT if kind in CONTEST_SAYS else "wt-042", 3, HASH, SAYS.get(kind, ()), SALT)
    return made._replace(body=blocks.sha256_hex(write(made).body))


EVERY = [*SAYS]


def test_every_kind_is_tried():
    assert SAYS.keys() == leaves.LEAF_FORMS.keys()


def test_a_leaf_is_read_back(subtests):
    for kind in EVERY:
        with subtests.test(kind):
            data, body = write(leaf(kind))
            assert parse(data, body) == leaf(kind)
            assert not leaf(kind).withheld
            assert data.startswith(f"pbemdice/v1/{kind}\ngame {leaf(kind).game}\nseq 3\nprev {HASH}\n".encode())
            assert data.endswith(b"\n")
            assert bool(body) is (kind not in leaves.SERVER_KINDS)


def test_the_head_of_a_leaf_shows_what_everybody_may_know(subtests):
    for kind in EVERY:
        with subtests.test(kind):
            data, body = write(leaf(kind))
            shown = "".join(f"{key} {value}\n" for key, value in SAYS.get(kind, ())[: PUBLIC.get(kind, 0)])
            digest = f"body {blocks.sha256_hex(body)}\n" if body else ""
            assert data.decode().split(f"prev {HASH}\n")[1] == shown + digest
            if body:
                head = parse(data)
                assert head.withheld
                assert head.says == SAYS.get(kind, ())[: PUBLIC.get(kind, 0)]
                assert write(head) == (data, b"")
                with pytest.raises(KeyError):
                    head("salt")


def test_the_bytes_of_a_leaf():
    body = (
        f"pbemdice/v1/says\nsalt {SALT}\nphase T3.spain~1\nsegment 2\nseat morocco\nrev 1\ncommit {COMMIT}\n"
    ).encode("ascii")
    digest = hashlib.sha256(body).hexdigest()
    head = f"pbemdice/v1/answer\ngame wt-042\nseq 3\nprev {HASH}\nbody {digest}\n".encode("ascii")
    assert write(leaf("answer")) == (head, body)


def test_lines_missing_doubled_or_in_another_order(subtests):
    for kind in EVERY:
        with subtests.test(kind):
            data, body = write(leaf(kind))
            for changed in damaged(data):
                with pytest.raises(Malformed):
                    parse(changed, body)
                with pytest.raises(Malformed):
                    parse(changed)


def test_lines_of_a_body_missing_doubled_or_in_another_order(subtests):
    """Also where the head has the hash of it."""
    for kind in [kind for kind in EVERY if kind not in leaves.SERVER_KINDS]:
        with subtests.test(kind):
            head, body = write(leaf(kind))
            lines = body.splitlines(keepends=True)
            short = b"".join(lines[: len(lines) - LINES_SINCE_TWO.get(kind, len(lines))])
            for changed in (text for text in damaged(body) if text != short):
                digest = blocks.sha256_hex(changed).encode()
                rewritten = head.replace(leaf(kind).body.encode(), digest)
                assert rewritten != head
                with pytest.raises(Malformed):
                    parse(rewritten, changed)


def damaged(data: bytes) -> list[bytes]:
    """A block with a line too many or too few, or two exchanged."""
    lines, out = data.splitlines(keepends=True), []
    for index in range(len(lines)):
        out += [b"".join(lines[:index] + lines[index + 1 :]), b"".join([*lines[:index], lines[index], *lines[index:]])]
        if index + 1 < len(lines):
            out.append(b"".join([*lines[:index], lines[index + 1], lines[index], *lines[index + 2 :]]))
    return [*out, b"".join(lines) + b"more 1\n"]


def test_other_ways_of_writing_a_leaf(subtests):
    for kind in EVERY:
        with subtests.test(kind):
            data, body = write(leaf(kind))
            for changed in (
                data[:-1],
                data + b"\n",
                data.replace(b"\n", b"\r\n"),
                data.replace(b"seq 3", b"seq 03"),
                data.replace(b"seq 3", b"seq  3"),
                data.replace(b"seq 3", b"seq 3 "),
                data.replace(b"seq 3", b"seq \xd9\xa3"),
                data.replace(b"/v1/", b"/v2/"),
                data.replace(f"prev {HASH}".encode(), f"prev {HASH.upper()}".encode()),
                data.replace(f"prev {HASH}".encode(), b"prev -"),
                b"\xff" + data,
            ):
                assert changed != data
                with pytest.raises(Malformed):
                    parse(changed, body)


def test_another_body_than_the_head_has_the_hash_of(subtests):
    for kind in [kind for kind in EVERY if kind not in leaves.SERVER_KINDS]:
        with subtests.test(kind):
            data, body = write(leaf(kind))
            for other in (body.replace(SALT.encode(), HASH.encode()), body + b"more 1\n", data):
                with pytest.raises(Malformed, match="not the body"):
                    parse(data, other)
            for key in ("body", "Body"):
                with pytest.raises(Malformed):
                    parse(data.replace(b"\nbody ", f"\n{key} x".encode()))


def test_a_leaf_about_the_server_has_no_body():
    data, _ = write(leaf("beacon"))
    with pytest.raises(Malformed, match="no body"):
        parse(data, write(leaf("result")).body)


def test_public_lines_stand_in_no_other_head():
    written = write(leaf("verdict"))
    with pytest.raises(Malformed, match="other lines"):
        parse(written.data.replace(b"\nbody", b"\nphase T3.spain~1\nbody"), written.body)


@pytest.mark.parametrize("game", ["wt-042", "event", "event/", "event/cup/60"])
def test_what_is_said_of_a_tournament_stands_in_its_chain(game):
    with pytest.raises(Malformed, match="about a tournament"):
        write(leaf("pair")._replace(game=game))
    with pytest.raises(Malformed, match="about a tournament"):
        write(leaf("close")._replace(game=EVENT))


VALUES_THAT_ARE_NONE = [
    ("order", "orders", COMMIT[:-1]),
    ("order", "standing", "-"),
    ("order", "eml", "-"),
    ("order", "recv", "0"),
    ("open", "opened", "some"),
    ("open", "pace", "slow"),
    ("open", "bots", ""),
    ("open", "bots", "morocco"),
    ("open", "bots", "nobody:cautious/3"),
    ("open", "bots", "spain:cautious/3 morocco:cautious/3"),
    ("open", "ruling", "0"),
    ("answer", "rev", "one"),
    ("close", "groups", "hidden all"),
    ("close", "groups", "all all"),
    ("roll", "groups", "all"),
    ("rotate", "why", "whim"),
    ("beacon-change", "round", "7"),
    ("order", "rev", "-1"),
    ("order", "recv", "1e9"),
    ("order", "eml", HASH[:-1]),
    ("order", "seat", "sp ain"),
    ("open", "seats", "spain morocco"),
    ("open", "seats", "spain spain"),
    ("open", "state", f"sha256:{HASH}"),
    ("open", "edition", f"hmac:{HASH}"),
    ("open", "chain", "none"),
    ("open", "round", "0"),
    ("deadline", "cause", "whim"),
    ("close", "seen", ""),
    ("close", "seen", "spain:39"),
    ("roll", "sig", "ab"),
    ("roll", "manifest", f"sha256:{HASH}"),
    ("genesis", "log", LOG.replace("example", "exemple")),
    ("genesis", "vrf", "none"),
    ("result", "report", HASH),
    ("enter", "entrant", "7"),
    ("enter", "strength", "-1"),
    ("enter", "person", f"sha256:{HASH}"),
    ("found", "version", "0"),
    ("enter", "pace", "-1"),
    ("enter", "zone", "Europe/Madrid"),
    ("team", "halves", "0.5"),
    ("lineup", "boards", ""),
    ("lineup", "boards", "e5,e3"),
    ("team", "entrant", "lions"),
    ("team", "round", "0"),
    ("member", "team", "-"),
    ("leave", "why", "bored"),
    ("shut", "round", "2"),
    ("shut", "chain", "none"),
    ("shut", "beacon", "0"),
    ("shut", "attempt", "0"),
    ("lot", "group", "all " + "0c" * 80),
    ("lot", "group", f"draw {HASH}"),
    ("pair", "first", "-"),
    ("pair", "second", "e3"),
    ("pair", "table", "-"),
    ("pair", "table", "cup60-r2-03b cup60-r2-03a"),
    ("pair", "table", "- cup60-r2-03a"),
    ("pair", "battle", "-"),
    ("pair", "battle", "the pass"),
    ("score", "halves", "1"),
    ("score", "halves", "1.5 0.5"),
    ("score", "margin", "-0"),
    ("score", "margin", "+4"),
    ("score", "table", "-"),
    ("score", "leaf", "-"),
    ("score", "how", "won by a lot"),
    ("verdict", "number", "0"),
    ("bind", "beacon", "0"),
    ("deal", "group", "draw " + "0c" * 80),
]


def test_leaves_of_a_tournament_of_version_1_are_shorter(subtests):
    for kind, later in LINES_SINCE_TWO.items():
        with subtests.test(kind):
            short = leaf(kind)._replace(says=SAYS[kind][:-later])
            data, body = write(short)
            assert parse(data, body).says == short.says
            for says in (SAYS[kind][: -later - 1], *([SAYS[kind][:-1]] if later > 1 else [])):
                with pytest.raises(Malformed, match="in this order"):
                    write(short._replace(says=says))


def test_values_that_are_none(subtests):
    for kind, key, value in VALUES_THAT_ARE_NONE:
        with subtests.test(f"{kind!r} {key!r} {value!r}"):
            changed = tuple((k, value if k == key else old) for k, old in SAYS[kind])
            with pytest.raises(ValueError, match=r"\w"):
                write(leaf(kind)._replace(says=changed))


def test_groups_of_a_roll():
    read = leaf("roll").groups
    assert read == (("all", b"\x0c" * 80), ("hidden", bytes.fromhex(HASH)))
    backwards = tuple(reversed(SAYS["roll"][4:6]))
    with pytest.raises(Malformed, match="in order"):
        write(leaf("roll")._replace(says=(*SAYS["roll"][:4], *backwards, SAYS["roll"][6])))
    with pytest.raises(Malformed, match="says phase segment groups sig group manifest"):
        write(leaf("roll")._replace(says=(*SAYS["roll"][:4], SAYS["roll"][6])))


def test_what_is_about_the_server_belongs_to_no_game_and_nothing_else_to_the_server(subtests):
    for kind in EVERY:
        with subtests.test(kind):
            other = "wt-042" if kind in leaves.SERVER_KINDS else "-"
            with pytest.raises(Malformed, match="about the server"):
                write(leaf(kind)._replace(game=other))


def test_there_is_no_other_kind():
    with pytest.raises(Malformed, match="no leaf of kind"):
        write(leaf("close")._replace(kind="closed"))


def chained() -> tuple[list[bytes], LeafChain]:
    chain = LeafChain("wt-042")
    made = [
        chain.append(kind, SAYS[kind], bytes.fromhex(SALT)) for kind in ("open", "order", "close", "roll", "result")
    ]
    return made, chain


def test_a_chain_is_followed_by_heads_alone():
    written, chain = chained()
    heads = LeafChain("wt-042")
    for index, data in enumerate(written):
        leaf = heads.follow(data, chain.bodies[index] if index % 2 else b"")
        assert leaf.withheld is not bool(index % 2)
    assert heads.append("disclose", SAYS["disclose"], b"s" * 32) == chain.append(
        "disclose", SAYS["disclose"], b"s" * 32
    )
    assert heads.bodies == [body if index % 2 else b"" for index, body in enumerate(chain.bodies)]


def test_a_leaf_of_a_game_is_not_written_without_a_salt():
    with pytest.raises(Malformed, match="hash"):
        LeafChain("wt-042").append("disclose", SAYS["disclose"])


def test_a_chain_is_followed():
    written, chain = chained()
    again = LeafChain("wt-042")
    followed = [again.follow(*both) for both in zip(written, chain.bodies, strict=True)]
    assert [leaf.kind for leaf in followed] == ["open", "order", "close", "roll", "result"]
    assert again.leaves == chain.leaves
    assert [leaf.seq for leaf in again.leaves] == [0, 1, 2, 3, 4]
    assert again.leaves[0].prev == "-"
    assert again.leaves[3].prev == leaf_hash(written[2]).hex()
    assert again.leaves[0]("edition") == f"sha256:{HASH}"
    assert again.leaves[0].number("delta") == 600


def test_a_chain_with_a_leaf_left_out_put_in_or_changed():
    written, chain = chained()
    says = (*SAYS["order"][:2], ("rev", "3"), *SAYS["order"][3:])
    other = write(parse(written[1], chain.bodies[1])._replace(says=says)).data
    for wrong in (
        [written[0], written[2]],
        [written[0], written[0]],
        [written[0], other, written[2]],
        [written[1]],
        [write(parse(written[0])._replace(game="wt-043")).data],
    ):
        chain = LeafChain("wt-042")
        for data in wrong[:-1]:
            chain.follow(data)
        with pytest.raises(Malformed, match=r"does not follow|belongs to"):
            chain.follow(wrong[-1])


SLATE: dict[str, Any] = {
    "game": "wt-042",
    "phase": "T3.spain~1",
    "segment": 2,
    "previous": HASH,
    "edition": f"sha256:{HASH}",
    "state": f"hmac:{HASH}",
    "beacon": f"{HASH} 123",
    "seats": {"spain": Commitment(2, b"s" * 32), "morocco": Commitment(0, b"m" * 32)},
    "groups": ("all", "hidden"),
}
BOTH = {"spain": Commitment(2, b"s" * 32, b"t" * 32), "morocco": Commitment(0, b"m" * 32, b"n" * 32)}
FIRST: dict[str, Any] = {**SLATE, "beacon": "none", "previous": "-", "segment": 1, "seats": BOTH, "dice": "board b/1"}


def test_a_slate_is_read_back():
    read = rolls.parse_closed_orders(blocks.closed_orders_block(blocks.ClosedOrders(**SLATE)))
    assert (read.chain, read.beacon_round, read.segment, read.previous) == (HASH, 123, 2, HASH)
    assert (read.seats, read.groups, read.dice) == (SLATE["seats"], ("all", "hidden"), "own")
    without = rolls.parse_closed_orders(blocks.closed_orders_block(blocks.ClosedOrders(**FIRST)))
    assert (without.chain, without.beacon_round, without.previous) == ("none", 0, "-")
    assert (without.seats, without.dice) == (BOTH, "board b/1")


@pytest.mark.parametrize(
    "change",
    [
        {"segment": 0},
        {"segment": 1},
        {"beacon": "some"},
        {"beacon": f"{HASH} 01"},
        {"previous": "x"},
        {"previous": "-"},
        {"seats": {}},
        {"seats": BOTH},
        {"groups": ("all", "all")},
        {"dice": "board"},
        {"dice": "board a b"},
        {"dice": "others"},
    ],
)
def test_what_is_no_slate(change):
    with pytest.raises(Malformed):
        rolls.parse_closed_orders(blocks.closed_orders_block(blocks.ClosedOrders(**{**SLATE, **change})))


def test_a_slate_whose_groups_are_not_in_order_or_whose_first_segment_has_one_commitment():
    data = blocks.closed_orders_block(blocks.ClosedOrders(**FIRST))
    for changed in (
        data.replace(b"all hidden", b"hidden all"),
        data.replace(b"segment 1", b"segment 2"),
        blocks.closed_orders_block(blocks.ClosedOrders(**{**FIRST, "seats": SLATE["seats"]})),
    ):
        assert changed != data
        with pytest.raises(Malformed):
            rolls.parse_closed_orders(changed)


def test_a_slate_with_its_seats_in_another_order():
    lines = blocks.closed_orders_block(blocks.ClosedOrders(**SLATE)).splitlines(keepends=True)
    for changed in ([*lines[:-2], lines[-1], lines[-2]], [*lines, lines[-1]], [*lines[:-2], lines[-1], lines[-1]]):
        with pytest.raises(Malformed):
            rolls.parse_closed_orders(b"".join(changed))


THROWS = (
    rolls.NumberedRoll(1, "B>C/shock attacker", 3, 6, (4, 2, 5)),
    rolls.NumberedRoll(3, "B>C/fire X > Y 2d2 1", 2, 2, (2, 1)),
)
MANIFEST: dict[str, Any] = {"game": "wt-042", "phase": "T3.spain~1", "segment": 1, "group": "all"}


def test_a_manifest_is_read_back():
    data = rolls.manifest_block(**MANIFEST, rolls=THROWS)
    assert data.splitlines()[5:] == [
        b"roll 1 B>C/shock attacker 3d6 4,2,5",
        b"roll 3 B>C/fire X > Y 2d2 1 2d2 2,1",
    ]
    assert rolls.parse_manifest(data) == rolls.Manifest(**MANIFEST, rolls=THROWS)
    assert rolls.parse_manifest(rolls.manifest_block(**MANIFEST, rolls=())).rolls == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"4,2,5", b"4,2"),
        (b"4,2,5", b"4,2,05"),
        (b"4,2,5", b"4, 2,5"),
        (b"3d6", b"03d6"),
        (b"3d6", b"3d4294967297"),
        (b"3d6", b"0d6"),
        (b"roll 1 ", b"roll 01 "),
        (b"roll 1 ", b"roll 3 "),
        (b"roll 1 ", b"roll 0 "),
        (b"roll 1 ", b"Roll 1 "),
        (b"segment 1", b"segment 0"),
        (b"group all", b"group a b"),
        (b"group all\n", b""),
    ],
)
def test_what_is_no_manifest(old, new):
    data = rolls.manifest_block(**MANIFEST, rolls=THROWS)
    assert old in data
    with pytest.raises(Malformed):
        rolls.parse_manifest(data.replace(old, new, 1))


def test_a_blinded_digest_cannot_be_guessed_and_opens_with_its_secret():
    """Whoever tries all states of a small game finds the plain hash, but not the blinded one."""
    states = [f'{{"turn":{turn},"at":"{where}"}}' for turn in range(20) for where in "ABCDEF"]
    secret = b"s" * 64
    shown = sealing.blinded_digest(secret, states[37])
    plain = {f"hmac:{blocks.sha256_hex(state.encode())}" for state in states}
    for key in (b"", b"\0" * 64, sealing.blind_block(game="wt-042", phase="T3.spain~1")):
        plain |= {sealing.blinded_digest(key, state) for state in states}
    assert shown not in plain
    assert [state for state in states if sealing.blinded_digest(secret, state) == shown] == [states[37]]


def test_a_commitment_of_one_text_differs_by_revision():
    salts = {sealing.order_salt(b"s" * 64, revision) for revision in range(4)}
    assert len({sealing.order_commitment(salt, "HOLD\n") for salt in salts}) == 4
