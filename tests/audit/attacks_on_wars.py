"""Wars: what a server could try with the salt in the edition of a later game, and what must be said of it."""

from __future__ import annotations

from typing import Any

from pbem.audit import sealing, vrf
from pbem.audit.blocks import sha256_hex
from pbem.audit.bundle_parts import PlayedEdition
from pbem.audit.merkle import leaf_hash
from pbem.engine.data.canon import dumps
from tests.audit.attacks import DUE, HONEST, Case, attack, honest
from tests.audit.small_server import FIRST, Item, Server
from tests.harness.leaf_chain import LeafChain

WAR, BATTLE, CAMP, LATER = "w60", "w60-1", "w60-c1", "w60-2"
OTHER = "5a" * 32
BEGAN = ("war", WAR), ("terms", f"sha256:{OTHER}")


def proof_of(game: str = BATTLE, key: bytes = b"v" * 32) -> bytes:
    """The proof of the salt of the war that began with a game."""
    return vrf.prove(vrf.expand_key(key), sealing.war_block(game=game))


def salt_of(proof: bytes) -> str:
    return sealing.war_salt(vrf.output_of(proof))


def begun(*, new: bool = True) -> tuple[Server, list[Item]]:
    """A war with its first battle open; a `new` one says so before that, as 1.0.0 did not."""
    server = Server(public=False, game=BATTLE)
    if new:
        server.act("war", BEGAN)
    server.open(FIRST, DUE)
    return server, [server.send("spain", "welcome", FIRST)]


def follow(server: Server, game: str, proof: bytes, *salts: str, war: str = WAR) -> Item:
    """Go on with another game of the war, and open all of it at once; its edition has these salts, and this proof."""
    before = [leaf for leaf in server.leaves if leaf.leaf.game == server.game]
    last = leaf_hash(before[-1].data).hex()
    link = (("war", war), ("after", server.game), ("seq", str(len(before) - 1)), ("leaf", last))
    server.game, server.chains[game] = game, LeafChain(game)
    server.act("link", link)
    marks = [{"salt": salt} if game == CAMP else {"war": {"leg": 2, "salt": salt}} for salt in salts]
    edition = PlayedEdition("camp" if game == CAMP else "toy", "phase", dumps({"scenario": marks}), proof)
    server.terms["system"] = edition.system
    digest = f"sha256:{sha256_hex(edition.text.encode())}"
    server.alter["open"] = lambda says: [(key, digest if key == "edition" else value) for key, value in says]
    server.open(FIRST, DUE)
    return server.send("spain", "disclosure", **(server.disclose() | {"edition": edition}))


def war(camp: str = "", later: str = "", *, proof: bytes | None = None, new: bool = True) -> Case:
    """A war with a camp and a later battle, their salts as told or else right, each with a proof, right or as told."""
    server, out = begun(new=new)
    right = proof_of()
    shown = right if proof is None else proof
    return Case(
        [
            *out,
            *(
                follow(server, *battle)
                for battle in (
                    (CAMP, shown, camp or salt_of(right)),
                    (LATER, shown, later or salt_of(right)),
                )
            ),
        ]
    )


HONEST["a war whose salt follows from the key of the dice"] = {}, war


@honest("a war that was begun under 1.0.0", opened="NOT CHECKED")
def _() -> Case:
    return war(OTHER, OTHER, proof=b"", new=False)


@attack("a camp with a salt that the server chose", "opened")
def _() -> Case:
    return war(camp=OTHER)


@attack("a later battle with a salt that the server chose", "opened")
def _() -> Case:
    return war(later=OTHER)


@attack("a salt that the server chose for all of a war", "opened")
def _() -> Case:
    return war(OTHER, OTHER)


@attack("the salt of another war, with its proof", "opened")
def _() -> Case:
    other = proof_of("w59-1")
    return war(salt_of(other), salt_of(other), proof=other)


@attack("a salt by another key", "opened")
def _() -> Case:
    other = proof_of(key=b"x" * 32)
    return war(salt_of(other), salt_of(other), proof=other)


@attack("a salt whose proof is not shown", "opened")
def _() -> Case:
    return war(proof=b"")


@attack("an edition of a war without its salt", "opened")
def _() -> Case:
    server, out = begun()
    return Case([*out, follow(server, CAMP, proof_of())])


@attack("an edition with another salt beside the right one", "opened")
def _() -> Case:
    server, out = begun()
    return Case([*out, follow(server, CAMP, proof_of(), salt_of(proof_of()), OTHER)])


@attack("a camp of another war that goes on from a battle of this one", "chain")
def _() -> Case:
    server, out = begun()
    return Case([*out, follow(server, CAMP, proof_of(), salt_of(proof_of()), war="w59")])


@attack("a war that begins in the middle of a game", "chain")
def _() -> Case:
    server, out = begun(new=False)
    server.act("war", BEGAN)
    return Case([*out, server.send("spain", "receipt")])


def rekeyed(key: bytes) -> Case:
    """A war during which the log gets other keys; its camp has a salt by one of both."""
    server, out = begun()
    size, root, other = len(server.tree), server.head().root, vrf.expand_key(b"x" * 32)
    server.recover(size, root, why="keys", vrf=other.public.hex())
    server.vrf = other
    proof = proof_of(key=key)
    return Case([*out, follow(server, CAMP, proof, salt_of(proof))])


@honest("a war keeps the key of the dice that it began with", keys="NOT CHECKED", recovery="NOT CHECKED")
def _() -> Case:
    return rekeyed(b"v" * 32)


@attack("a war takes a key of the dice that came after it began", "opened")
def _() -> Case:
    return rekeyed(b"x" * 32)


def unlinked(**mark: Any) -> Case:
    """A game that names none before it, whose edition has this mark of a war."""
    server, out = begun()
    server.game, server.chains[LATER] = LATER, LeafChain(LATER)
    edition = PlayedEdition("toy", "phase", dumps({"scenario": [{"war": mark}]}))
    digest = f"sha256:{sha256_hex(edition.text.encode())}"
    server.alter["open"] = lambda says: [(key, digest if key == "edition" else value) for key, value in says]
    server.open(FIRST, DUE)
    return Case([*out, server.send("spain", "disclosure", **(server.disclose() | {"edition": edition}))])


attack("a later battle that names no game before it", "chain")(lambda: unlinked(leg=2, salt=OTHER))
attack("a later battle with something before its number", "chain")(lambda: unlinked(kind=0, leg=2, salt=OTHER))
attack("a hundredth battle that names no game before it", "chain")(lambda: unlinked(leg=100))
HONEST["a first battle of a war"] = {}, lambda: unlinked(leg=1, salt=OTHER)


def cut(item: Item) -> Item:
    """A letter without the leaf that opened the first phase of the war."""
    parts = item.data.split(b"\n\n")
    head = f"pbemdice/v1/open\ngame {BATTLE}\nseq 1\n".encode()
    start = next((index for index, part in enumerate(parts) if part.startswith(head)), len(parts))
    return item._replace(data=b"\n\n".join([*parts[:start], *parts[start + 3 :]]))


def cut_short() -> Case:
    """A war of which the log gets other keys between two phases; nobody sees which of them was there when it began."""
    server, out = begun()
    size, root, other = len(server.tree), server.head().root, vrf.expand_key(b"x" * 32)
    server.recover(size, root, why="keys", vrf=other.public.hex())
    server.vrf = other
    server.open("T2.spain~1", DUE)
    out.append(server.send("spain", "receipt"))
    return Case([cut(item) for item in (*out, follow(server, CAMP, proof_of(), salt_of(proof_of())))])
