"""Leaves, slates and manifests: read back as they were written, refused if written in any other way."""

from typing import Any

import pytest

from pbem.audit import blocks, leaves, rolls, sealing
from pbem.audit.blocks import Commitment, Malformed
from pbem.audit.leaves import Chain, Leaf, parse, write
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import Key

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
    ),
    "deadline": (PHASE, ("D", "1692803500"), ("round", "124"), ("cause", "all-in")),
    "order": (PHASE, ("seat", "spain"), ("rev", "2"), ("commit", COMMIT), ("eml", HASH), ("recv", "1692803399")),
    "answer": (PHASE, ("segment", "2"), ("seat", "morocco"), ("commit", COMMIT)),
    "close": (PHASE, ("segment", "1"), ("slate", HASH), ("seen", f"morocco:41:{HASH} spain:39:{HASH}")),
    "roll": (
        PHASE,
        ("segment", "1"),
        ("sig", "ab" * 48),
        ("group", "all " + "0c" * 80),
        ("group", f"hidden {HASH}"),
        ("manifest", f"sha256:{HASH} hmac:{HASH}"),
    ),
    "result": (PHASE, ("state", f"hmac:{HASH}"), ("report", f"hmac:{HASH}")),
    "again": (PHASE, ("run", "2"), ("ruling", "4"), ("state", f"hmac:{HASH}"), ("manifest", f"sha256:{HASH}")),
    "disclose": (PHASE,),
    "ruling": (PHASE, ("number", "4"), ("text", f"sha256:{HASH}")),
    "rotate": (("log", LOG), ("vrf", HASH), ("size", "41"), ("root", HASH)),
    "beacon-change": (("chain", "none"),),
}
ABOUT_THE_SERVER = ("genesis", "rotate", "beacon-change")


def leaf(kind: str) -> Leaf:
    return Leaf(kind, "-" if kind in ABOUT_THE_SERVER else "wt-042", 3, HASH, SAYS[kind])


def test_every_kind_is_tried():
    assert SAYS.keys() == leaves.KINDS.keys()


@pytest.mark.parametrize("kind", SAYS)
def test_a_leaf_is_read_back(kind):
    data = write(leaf(kind))
    assert parse(data) == leaf(kind)
    assert data.startswith(f"pbemdice/v1/{kind}\ngame {leaf(kind).game}\nseq 3\nprev {HASH}\n".encode())
    assert data.endswith(b"\n")


def test_an_opening_says_rules_and_pace_or_is_of_before_it_was_said():
    told = leaf("open")
    more = told._replace(says=(*told.says, ("system", "peninsular"), ("pace", "activation")))
    assert parse(write(more)) == more
    for wrong in (more.says[:-1], (*told.says, more.says[-1]), (*more.says[:-1], ("pace", "slow"))):
        with pytest.raises(Malformed):
            write(told._replace(says=wrong))


def test_the_bytes_of_a_leaf():
    assert write(leaf("answer")) == (
        "pbemdice/v1/answer\n"
        "game wt-042\n"
        "seq 3\n"
        f"prev {HASH}\n"
        "phase T3.spain~1\n"
        "segment 2\n"
        "seat morocco\n"
        f"commit {COMMIT}\n"
    ).encode("ascii")


@pytest.mark.parametrize("kind", SAYS)
def test_lines_missing_doubled_or_in_another_order(kind):
    lines = write(leaf(kind)).splitlines(keepends=True)
    for at in range(len(lines)):
        changed = [b"".join(lines[:at] + lines[at + 1 :]), b"".join([*lines[:at], lines[at], *lines[at:]])]
        if at + 1 < len(lines):
            changed.append(b"".join([*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]))
        for data in changed:
            with pytest.raises(Malformed):
                parse(data)
    with pytest.raises(Malformed):
        parse(b"".join(lines) + b"more 1\n")


@pytest.mark.parametrize("kind", SAYS)
def test_other_ways_of_writing_a_leaf(kind):
    data = write(leaf(kind))
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
            parse(changed)


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("order", "commit", COMMIT[:-1]),
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
    ],
)
def test_values_that_are_none(kind, key, value):
    changed = tuple((k, value if k == key else old) for k, old in SAYS[kind])
    with pytest.raises(ValueError, match=r"\w"):
        write(leaf(kind)._replace(says=changed))


def test_groups_of_a_roll():
    read = leaf("roll").groups
    assert read == (("all", b"\x0c" * 80), ("hidden", bytes.fromhex(HASH)))
    backwards = tuple(reversed(SAYS["roll"][3:5]))
    with pytest.raises(Malformed, match="in order"):
        write(leaf("roll")._replace(says=(*SAYS["roll"][:3], *backwards, SAYS["roll"][5])))
    with pytest.raises(Malformed, match="says phase segment sig group manifest"):
        write(leaf("roll")._replace(says=(*SAYS["roll"][:3], SAYS["roll"][5])))


@pytest.mark.parametrize("kind", ABOUT_THE_SERVER)
def test_what_is_about_the_server_belongs_to_no_game(kind):
    with pytest.raises(Malformed, match="about the server"):
        write(leaf(kind)._replace(game="wt-042"))


def test_there_is_no_other_kind():
    with pytest.raises(Malformed, match="no leaf of kind"):
        write(leaf("close")._replace(kind="closed"))


def chained() -> tuple[list[bytes], Chain]:
    chain = Chain("wt-042")
    return [chain.append(kind, SAYS[kind]) for kind in ("open", "order", "close", "roll", "result")], chain


def test_a_chain_is_followed():
    written, chain = chained()
    again = Chain("wt-042")
    assert [again.follow(data).kind for data in written] == ["open", "order", "close", "roll", "result"]
    assert again.leaves == chain.leaves
    assert [one.seq for one in again.leaves] == [0, 1, 2, 3, 4]
    assert again.leaves[0].prev == "-"
    assert again.leaves[3].prev == leaf_hash(written[2]).hex()
    assert again.leaves[0]("edition") == f"sha256:{HASH}"
    assert again.leaves[0].number("delta") == 600


def test_a_chain_with_a_leaf_left_out_put_in_or_changed():
    written, _ = chained()
    other = write(parse(written[1])._replace(says=(*SAYS["order"][:2], ("rev", "3"), *SAYS["order"][3:])))
    for wrong in (
        [written[0], written[2]],
        [written[0], written[0]],
        [written[0], other, written[2]],
        [written[1]],
        [write(parse(written[0])._replace(game="wt-043"))],
    ):
        chain = Chain("wt-042")
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
}


def test_a_slate_is_read_back():
    read = rolls.parse_slate(blocks.slate(blocks.Slate(**SLATE)))
    assert (read.chain, read.round, read.segment, read.previous) == (HASH, 123, 2, HASH)
    assert read.seats == SLATE["seats"]
    without = rolls.parse_slate(
        blocks.slate(blocks.Slate(**{**SLATE, "beacon": "none", "previous": "-", "segment": 1}))
    )
    assert (without.chain, without.round, without.previous) == ("none", 0, "-")


@pytest.mark.parametrize(
    "change",
    [{"segment": 0}, {"beacon": "some"}, {"beacon": f"{HASH} 01"}, {"previous": "x"}, {"seats": {}}],
)
def test_what_is_no_slate(change):
    with pytest.raises(Malformed):
        rolls.parse_slate(blocks.slate(blocks.Slate(**{**SLATE, **change})))


def test_a_slate_with_its_seats_in_another_order():
    lines = blocks.slate(blocks.Slate(**SLATE)).splitlines(keepends=True)
    for changed in ([*lines[:-2], lines[-1], lines[-2]], [*lines, lines[-1]], [*lines[:-2], lines[-1], lines[-1]]):
        with pytest.raises(Malformed):
            rolls.parse_slate(b"".join(changed))


THROWS = (
    rolls.NumberedRoll(1, "B>C/shock attacker", 3, 6, (4, 2, 5)),
    rolls.NumberedRoll(3, "B>C/fire X > Y 2d2 1", 2, 2, (2, 1)),
)
MANIFEST: dict[str, Any] = {"game": "wt-042", "phase": "T3.spain~1", "segment": 1, "group": "all"}


def test_a_manifest_is_read_back():
    data = rolls.manifest(**MANIFEST, rolls=THROWS)
    assert data.splitlines()[5:] == [
        b"roll 1 B>C/shock attacker 3d6 4,2,5",
        b"roll 3 B>C/fire X > Y 2d2 1 2d2 2,1",
    ]
    assert rolls.parse_manifest(data) == rolls.Manifest(**MANIFEST, rolls=THROWS)
    assert rolls.parse_manifest(rolls.manifest(**MANIFEST, rolls=())).rolls == ()


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
    data = rolls.manifest(**MANIFEST, rolls=THROWS)
    assert old in data
    with pytest.raises(Malformed):
        rolls.parse_manifest(data.replace(old, new, 1))


def test_a_blinded_digest_cannot_be_guessed_and_opens_with_its_secret():
    """Whoever tries all states of a small game finds the plain hash, but not the blinded one."""
    states = [f'{{"turn":{turn},"at":"{where}"}}' for turn in range(20) for where in "ABCDEF"]
    secret = b"s" * 64
    shown = sealing.blinded(secret, states[37])
    plain = {f"hmac:{blocks.sha256_hex(state.encode())}" for state in states}
    for key in (b"", b"\0" * 64, sealing.blind(game="wt-042", phase="T3.spain~1")):
        plain |= {sealing.blinded(key, state) for state in states}
    assert shown not in plain
    assert [state for state in states if sealing.blinded(secret, state) == shown] == [states[37]]


def test_a_commitment_of_one_text_differs_by_revision():
    salts = {sealing.order_salt(b"s" * 64, revision) for revision in range(4)}
    assert len({sealing.commit(one, "HOLD\n") for one in salts}) == 4
