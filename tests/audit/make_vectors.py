"""The vectors of the format, for whoever writes a verifier: `python -m tests.audit.make_vectors` writes them anew.

They stand in `vectors.json` under ``pbemdice_v1``, beside those of the standards that it rests on. The same keys and
texts give the same file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pbem.audit import (
    blocks,
    boards,
    bundle_parts,
    checkpoint,
    draws,
    leaves,
    merkle,
    note,
    rolls,
    sealing,
    signing,
    vrf,
    witness,
    witnessing,
)
from pbem.audit.blocks import ClosedOrders, Commitment, sha256_hex
from pbem.audit.dice import DiceStream
from pbem.audit.leaves import Leaf
from pbem.audit.note import ED25519, encode64
from pbem.engine.data.canon import dumps
from tests.audit.simulated import ORDERS
from tests.audit.small_server import FIRST, GAME, ROUNDS, SALTS, THROWS, WITNESS, WITNESS_SECRET, Server, closing

FILE = Path(__file__).parent / "vectors.json"
NAME = "pbemdice_v1"
RULING = dumps({"line": "READJUDICATE T1.spain", "number": 1, "reason": "a march was read wrongly"})
RULES = ("WHEN assaulted: STAND\n", "WHEN shelled\nAND alone: LIE DOWN\n", "WHEN Cresta is lost: RETREAT\n")
HASH = "0123456789abcdef" * 4
EVENT = "event/cup60"
CONTEST_SAYS: dict[str, tuple[tuple[str, str], ...]] = {
    "found": (("rules", f"sha256:{HASH}"), ("name", "cup60"), ("version", "2")),
    "enter": (
        ("entrant", "e3"),
        ("person", f"hmac:{HASH}"),
        ("accepted", f"sha256:{HASH}"),
        ("strength", "1500"),
        ("round", "1"),
        ("pace", "24"),
        ("zone", "-300"),
        ("halves", "2"),
    ),
    "team": (("entrant", "e6"), ("round", "1"), ("halves", "0")),
    "lineup": (("team", "e6"), ("round", "2"), ("boards", "e5 e3")),
    "member": (("entrant", "e5"), ("team", "e6")),
    "leave": (("entrant", "e5"), ("round", "2"), ("why", "rest")),
    "challenge": (("round", "r2"), ("challenger", "e7"), ("challenged", "e3")),
    "shut": (("round", "r2"), ("attempt", "1"), ("slate", HASH), ("chain", HASH), ("beacon", "123")),
    "lot": (("round", "r2"), ("attempt", "1"), ("sig", "ab" * 48), ("group", "draw " + "0c" * 80)),
    "lot-needed": (
        ("lot", "jury/D4/cup60-r2-03"),
        ("first", "e5 e9"),
        ("then", "e2"),
        ("chain", HASH),
        ("beacon", "123"),
    ),
    "lot-drawn": (
        ("lot", "jury/D4/cup60-r2-03"),
        ("asked", "e9 e5 e2"),
        ("sig", "ab" * 48),
        ("group", "later " + "0c" * 80),
    ),
    "pair": (
        ("round", "r2"),
        ("attempt", "1"),
        ("board", "3"),
        ("first", "e3"),
        ("second", "e7"),
        ("table", "cup60-r2-03a cup60-r2-03b"),
    ),
    "score": (
        ("round", "r2"),
        ("board", "3"),
        ("table", "cup60-r2-03a"),
        ("halves", "2 0"),
        ("margin", "-4"),
        ("how", "played"),
        ("leaf", HASH),
    ),
    "standing": (("round", "r2"), ("table", f"sha256:{HASH}")),
    "rated": (("pool", "africa1860"), ("period", "2026-11"), ("ratings", f"sha256:{HASH}")),
    "verdict": (("number", "4"), ("text", f"sha256:{HASH}")),
    "bind": (("board", "cup60-r2-03/T3.spain~1/1"), ("slate", HASH), ("chain", HASH), ("beacon", "123")),
    "deal": (("board", "cup60-r2-03/T3.spain~1/1"), ("sig", "ab" * 48), ("group", "dup " + "0c" * 80)),
}

Json = dict[str, Any]


def made() -> Json:
    """All vectors of the format."""
    server = played()
    report = report_vector(server)
    opened = disclosure_vector(server)
    secrets = Secrets(server)
    return {
        "source": "python -m tests.audit.make_vectors; described in docs/dice-log.md",
        "keys": {
            "log": {"secret": "6c" * 32, "key": server.log.text},
            "dice": {"secret": "76" * 32, "public": server.vrf.public.hex()},
            "witness": {"secret": "77" * 32, "key": WITNESS.text},
            "bodies": SALTS.hex(),
        },
        "seat": seat_vectors(secrets),
        "digest": digest_vectors(secrets),
        "slates": slate_vectors(server),
        "dice": dice_vectors(server),
        "board": board_vectors(secrets),
        "draw": draw_vectors(secrets),
        "later_lots": later_vectors(secrets),
        "leaves": leaf_vectors(),
        "log": log_vectors(server),
        "bundles": {"report": report, "disclosure": opened},
        "witness": witness_vectors(server),
    }


def played() -> Server:
    """A log of twelve leaves: a phase with a hidden group, resolved once more by a ruling, and opened."""
    server, due = Server(), closing(123)
    server.groups = ("all", "unit-7")
    server.open(FIRST, due)
    for rev, text in ((1, "HOLD\n"), ORDERS["spain"]):
        server.order(FIRST, "spain", rev, text, due - 100 + rev)
    server.close(FIRST, 1, server.slate(FIRST, 1, ORDERS, 123))
    seen = server.throw(FIRST, 1, THROWS)
    hidden = server.throw(FIRST, 1, (("Bosque/ambush Nizam", 1, 6),), first=3, group="unit-7")
    server.roll(FIRST, 1, seen, hidden)
    server.result(FIRST)
    server.ruling(FIRST, 1, RULING)
    server.again(FIRST, 2, THROWS[:1])
    server.result(FIRST, "mended after")
    return server


class Secrets:
    """The secrets of blocks, each with the proof that it is the key's."""

    def __init__(self, server: Server) -> None:
        self._key = server.vrf

    def of(self, block: bytes) -> tuple[bytes, Json]:
        """The 64 bytes, and the vector of them."""
        proof = vrf.prove(self._key, block)
        secret = vrf.output_of(proof)
        return secret, {"block": block.decode(), "proof": proof.hex(), "secret": secret.hex()}


def seat_vectors(secrets: Secrets) -> Json:
    """Both commitments of a seat, by hand: three rules, and none; and an answer."""
    secret, vector = secrets.of(sealing.salt_block(game=GAME, phase=FIRST, seat="spain"))
    later, asked = secrets.of(sealing.salt_block(game=GAME, phase=f"{FIRST}/2", seat="spain"))
    s, t = sealing.order_salt(secret, 2), sealing.standing_salt(secret, 2)
    tree = [sealing.rule_leaf(sealing.rule_salt(t, index), index, rule) for index, rule in enumerate(RULES, 1)]
    root = merkle.Tree(tree)
    text = ORDERS["spain"][1]
    return {
        **vector,
        "rev": 2,
        "ordersalt": blocks.block("ordersalt", (("rev", "2"),)).decode(),
        "s": s.hex(),
        "text": text,
        "orders": encode64(sealing.order_commitment(s, text)),
        "standingsalt": blocks.block("standingsalt", (("rev", "2"),)).decode(),
        "t": t.hex(),
        "rules": list(RULES),
        "u": [sealing.rule_salt(t, number).hex() for number in range(len(RULES) + 1)],
        "rule_leaves": [leaf.decode() for leaf in tree],
        "root": merkle.tree_root(root.node, len(tree)).hex(),
        "standing": encode64(sealing.standing_commitment(t, RULES)),
        "paths": [[encode64(node) for node in sealing.rule_path(t, RULES, number)] for number in (1, 2, 3)],
        "standing_of_no_rules": encode64(sealing.standing_commitment(t, ())),
        "answer": {
            **asked,
            "rev": 1,
            "text": "B>C/vanguard spain = Cuenca\n",
            "commit": encode64(sealing.order_commitment(sealing.order_salt(later, 1), "B>C/vanguard spain = Cuenca\n")),
        },
    }


def digest_vectors(secrets: Secrets) -> Json:
    """A blinded digest, which is that of both attempts at a phase."""
    secret, vector = secrets.of(sealing.blind_block(game=GAME, phase="T1.spain~2"))
    return {**vector, "text": '{"turn":1}', "digest": sealing.blinded_digest(secret, '{"turn":1}')}


def slate_vectors(server: Server) -> list[Json]:
    """The slate of the log, one of a later segment, and one without a beacon."""
    first = server.slates[FIRST, 1]
    answered = {"morocco": Commitment(1, b"m" * 32), "spain": Commitment(0, b"s" * 32)}
    read = rolls.parse_closed_orders(first)
    second = read._replace(segment=2, previous=sha256_hex(first), seats=answered)
    without = read._replace(beacon="none", groups=("all",))
    return [{"block": data.decode(), "sha256": sha256_hex(data)} for data in map(_slate, (read, second, without))]


def _slate(closed: ClosedOrders) -> bytes:
    return blocks.closed_orders_block(closed)


def dice_vectors(server: Server) -> list[Json]:
    """From a slate to the dice, a group each; and without a beacon."""
    slate, signature = server.slates[FIRST, 1], ROUNDS[123]
    bare = blocks.closed_orders_block(rolls.parse_closed_orders(slate)._replace(beacon="none", groups=("all",)))
    out = []
    for data, drawn, group in ((slate, signature, "all"), (slate, signature, "unit-7"), (bare, None, "all")):
        alpha = blocks.vrf_input(data, drawn, group)
        proof = vrf.prove(server.vrf, alpha)
        beta = vrf.output_of(proof)
        throws = [*THROWS, ("end/d300#2", 5, 300), ("end/rare", 3, 65_537)]
        out.append(
            {
                "alpha": alpha.decode(),
                "sig": drawn.hex() if drawn else "none",
                "proof": proof.hex(),
                "beta": beta.hex(),
                "rolls": [
                    {"label": label, "spec": f"{n}d{sides}", "values": list(DiceStream(beta).roll(label, n, sides))}
                    for label, n, sides in throws
                ],
            }
        )
    return out


def board_vectors(secrets: Secrets) -> Json:
    """Two tables of a tournament whose slates name one board have one beta; a third is over by then."""
    name = boards.BoardName("cup60-r2-03", FIRST, 1)
    tables = []
    for game in ("cup60-r2-03a", "cup60-r2-03b"):
        seats = {seat: Commitment(0, seat[:1].encode() * 32, b"-" * 32) for seat in ("morocco", "spain")}
        dice = f"board {boards.write_name(name)}"
        closed = ClosedOrders(game, FIRST, 1, "-", f"sha256:{HASH}", f"hmac:{HASH}", "none", seats, dice=dice)
        tables.append((game, blocks.closed_orders_block(closed)))
    listed = [*((game, sha256_hex(data)) for game, data in tables), ("cup60-r2-03c", "-")]
    board = boards.board_block(boards.BoardBlock(EVENT, name, tuple(listed), "none"))
    beta, vector = secrets.of(blocks.vrf_input(board, group="dup"))
    rolled = list(DiceStream(beta).roll(*THROWS[0]))
    return {
        "slates": [data.decode() for _, data in tables],
        "board": board.decode(),
        "alpha": vector.pop("block"),
        **vector,
        "rolls": [{"label": THROWS[0][0], "spec": "3d6", "values": rolled}],
    }


def draw_vectors(secrets: Secrets) -> Json:
    """A list of a draw, and the lots that follow from it and a round of the beacon."""
    entrants = (
        draws.ListedEntrant(3, 1560, halves=2),
        draws.ListedEntrant(7, 1500, 48, -300, 1, "lions", 2),
        draws.ListedEntrant(9, 1500, 24, 60),
    )
    closed = draws.DrawList(
        EVENT, 2, 1, 1, f"sha256:{HASH}", f"{played().chain} 123", entrants, (9,), ((3, 9), (7, 9)), ((7, 3),)
    )
    slate = draws.write_draw(closed)
    beta, vector = secrets.of(blocks.vrf_input(slate, ROUNDS[123], "draw"))
    lots = {label: DiceStream(beta).roll(label, 1, 2**32)[0] - 1 for label in ("lot/e3-e7", "side/e3-e7", "bye/e9")}
    return {
        "slate": slate.decode(),
        "alpha": vector.pop("block"),
        "sig": ROUNDS[123].hex(),
        **vector,
        "lots": lots,
    }


def later_vectors(secrets: Secrets) -> Json:
    """A leaf that needs lots after a draw, and those that follow from it and a round of the beacon."""
    says = (*CONTEST_SAYS["lot-needed"][:3], ("chain", played().chain), ("beacon", "123"))
    leaf, _ = leaves.write(leaves.Leaf("lot-needed", EVENT, 7, HASH, says, HASH))
    beta, vector = secrets.of(blocks.vrf_input(leaf, ROUNDS[123], "later"))
    labels = ("jury/D4/e2", "jury/D4/e5", "jury/D4/e9", "tie/e3")
    return {
        "leaf": leaf.decode(),
        "alpha": vector.pop("block"),
        "sig": ROUNDS[123].hex(),
        **vector,
        "lots": {label: DiceStream(beta).roll(label, 1, 2**32)[0] - 1 for label in labels},
    }


def leaf_vectors() -> list[Json]:
    """A leaf of every kind, as the eighth of its game."""
    server = Server()
    says: dict[str, tuple[tuple[str, str], ...]] = {
        "genesis": server.of("genesis")[0].says,
        "rotate": (
            ("log", server.log._replace(name="example.com/pbem/2").text),
            ("vrf", server.vrf.public.hex()),
            ("size", "41"),
            ("root", HASH),
            ("why", "recovery"),
        ),
        "beacon": (("chain", server.chain),),
        "deadline": (("phase", FIRST), ("D", "1692803500"), ("round", "245"), ("cause", "extend")),
        "answer": (
            ("phase", FIRST),
            ("segment", "2"),
            ("seat", "morocco"),
            ("rev", "1"),
            ("commit", encode64(b"m" * 32)),
        ),
        "beacon-change": (("phase", FIRST), ("segment", "1"), ("ruling", "2"), ("chain", "none"), ("round", "0")),
        "war": (("war", "wt"), ("terms", f"sha256:{HASH}")),
        "link": (("war", "wt"), ("after", "wt-041"), ("seq", "7"), ("leaf", HASH)),
        **CONTEST_SAYS,
    }
    for entry in [*played().leaves, *_disclosed().leaves]:
        says.setdefault(entry.kind, entry.leaf.says)
    out = []
    for kind in leaves.LEAF_FORMS:
        game = leaves.SERVER_CHAIN if kind in leaves.SERVER_KINDS else EVENT if kind in CONTEST_SAYS else GAME
        salt = "" if game == leaves.SERVER_CHAIN else sealing.body_salt(SALTS, game, 7).hex()
        data, body = leaves.write(Leaf(kind, game, 7, HASH, says[kind], salt))
        hashed = merkle.leaf_hash(data).hex()
        out.append({"kind": kind, "leaf": data.decode(), "body": body.decode(), "leaf_hash": hashed})
    return out


def _disclosed() -> Server:
    server = played()
    server.disclose()
    return server


def log_vectors(server: Server) -> Json:
    """The leaves of the log in order, the root of each size, and the signed tree."""
    return {
        "leaves": [
            {"leaf": leaf.data.decode(), "body": leaf.body.decode(), "leaf_hash": merkle.leaf_hash(leaf.data).hex()}
            for leaf in server.leaves
        ],
        "roots_by_size": [merkle.tree_root(server.tree.node, size).hex() for size in range(len(server.leaves) + 1)],
        "checkpoint": server.signed().decode(),
    }


def report_vector(server: Server) -> str:
    """A report of grade A, with orders, standing orders, a ruling, and a tree that was cosigned in time."""
    report = {
        "slates": (server.slates[FIRST, 1],),
        "manifests": (server.manifests[0], server.manifests[-1]),
        "orders": server.own("spain", FIRST),
        **server.of_both(FIRST),
        "rulings": (bundle_parts.Ruling(1, RULING),),
        "witnessed": (server.watched(seen_note(server)),),
        "sees": (sees_block(server),),
    }
    return server.send("spain", "report", FIRST, "A", **report).data.decode()


def disclosure_vector(server: Server) -> str:
    """The letter that opens the game; the log ends with the leaf that says so."""
    parts: Json = {**server.disclose(), "rulings": (bundle_parts.Ruling(1, RULING),)}
    mended = bundle_parts.Reveal(FIRST, server.blind(FIRST), "mended", "")
    return server.send("spain", "disclosure", **{**parts, "reveals": (*parts["reveals"], mended)}).data.decode()


def _closed_tree(server: Server) -> checkpoint.Checkpoint:
    """The tree that ends with the closed list."""
    size = 1 + next(index for index, leaf in enumerate(server.leaves) if leaf.kind == "close")
    return checkpoint.Checkpoint(server.log.name, size, merkle.tree_root(server.tree.node, size))


def seen_note(server: Server) -> bytes:
    """That tree with a cosignature of before the round."""
    signed = checkpoint.sign(_closed_tree(server), server.log, server.sign)
    return checkpoint.cosign(signed, WITNESS, WITNESS_SECRET, closing(123) + 60)


def sees_block(server: Server) -> bytes:
    """What the witness says of the closed lists in it."""
    tree = _closed_tree(server)
    closed = server.leaves[tree.size - 1]
    lines = (
        ("log", tree.origin),
        ("size", str(tree.size)),
        ("root", encode64(tree.root)),
        ("time", str(closing(123) + 60)),
        ("close", f"{GAME} {FIRST} 1 {merkle.leaf_hash(closed.data).hex()}"),
    )
    key, sign = signing.make_signer(WITNESS.name, b"w" * 32, ED25519)
    signed = note.Signature(key.name, key.id, sign(blocks.block("sees", lines)))
    return blocks.block("sees", (*lines, ("by", signed.text)))


def witness_vectors(server: Server) -> Json:
    """The blocks of a cosigned tree, in a bundle and in the letters of a witness."""
    cosigned_note = seen_note(server)
    tree = _closed_tree(server)
    index = tree.size - 1
    shown = witness.ShownList(
        index, server.leaves[index].data, merkle.prove_inclusion(server.tree.node, index, tree.size)
    )
    asked = witness.WitnessRequest(server.log, 0, (), checkpoint.sign(tree, server.log, server.sign), (shown,))
    return {
        "note": cosigned_note.decode(),
        "cosigned": checkpoint.write_cosigned(server.watched(cosigned_note)).decode(),
        "sees": sees_block(server).decode(),
        "ask": witness.write(asked).decode(),
        "saw": witness.write(
            witnessing.answer(witnessing.WitnessResult(cosigned_note, sees_block(server)), WITNESS)
        ).decode(),
    }


def main() -> None:
    """Write the file anew; what is not of the format stays as it is."""
    known = json.loads(FILE.read_text("utf-8"))
    FILE.write_text(json.dumps({**known, NAME: made()}, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
