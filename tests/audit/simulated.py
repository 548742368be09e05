"""A server in small, for tests of those who check it: a log, one game of two seats, and its letters.

It writes what it is told, also what no honest server would.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from pbem.audit import beacon, blocks, bls, bundle, checkpoint, epochs, merkle, rolls, sealing, signing, vrf
from pbem.audit.beacon import Check
from pbem.audit.blocks import Commitment, sha256_hex
from pbem.audit.bundle import Bundle, Grown, OpenedOrders, Placed, Played
from pbem.audit.cosigned import Cosigned
from pbem.audit.dice import Stream
from pbem.audit.leaves import Chain
from pbem.audit.merkle import Tree
from pbem.audit.note import COSIGNATURE, Key, encode64
from pbem.audit.note import parse as parse_note
from pbem.audit.rolls import NumberedRoll
from pbem.audit.verifier.record import Item
from pbem.audit.verifier.verify import Means, Verdict, verify
from pbem.core.data.canon import dumps

VECTORS = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))["drand_quicknet"]
ROUNDS = {one["round"]: bytes.fromhex(one["signature"]) for one in VECTORS["rounds"]}
GAME, SEATS = "wt-042", ("morocco", "spain")
PLAYED = Played("toy", "phase", dumps({"chart": "x" * 117 + "  two spaces at the cut", "turns": 9}))
EDITION = "sha256:" + sha256_hex(PLAYED.edition.encode("ascii"))
DELTA = 600
FIRST, SECOND = "T1.spain~1", "T1.morocco~1"
THROWS = (("Nudos>Cresta/shock attacker", 3, 6), ("Nudos>Cresta/fire X > Y", 8, 2))
WITNESS, WITNESS_SECRET = signing.signer("witness.example.com/w1", b"w" * 32, COSIGNATURE)

check_signature = lru_cache(maxsize=4096)(signing.verify)
check_proof = lru_cache(maxsize=4096)(vrf.check)
check_beacon = lru_cache(maxsize=4096)(bls.check)


def closing(number: int) -> int:
    """A closing time whose round is `number`."""
    return beacon.moment(beacon.QUICKNET, number) - DELTA - 1


class Server:
    """The log of a server, its keys, and what each seat has seen of it."""

    def __init__(self, *, public: bool = True, secret: bytes = b"l" * 32) -> None:
        self.chain = beacon.QUICKNET.hash if public else "none"
        self.log, self.sign = signing.signer("example.com/pbem", secret)
        self.vrf = vrf.key(b"v" * 32)
        self.tree = Tree()
        self.chains = {"-": Chain("-"), GAME: Chain(GAME)}
        self.leaves: list[tuple[str, bytes]] = []
        self.shown: dict[str, int] = {}
        self.heads: dict[str, checkpoint.Checkpoint] = {}
        self.slates: dict[tuple[str, int], bytes] = {}
        self.seen = "-"
        self.rules: tuple[tuple[str, str], ...] = ()
        said = (("log", self.log.text), ("vrf", self.vrf.public.hex()), ("chain", self.chain))
        self.act("genesis", said, game="-")

    def act(self, kind: str, says: Iterable[tuple[str, str]], game: str = GAME) -> None:
        data = self.chains[game].append(kind, says)
        self.tree.append(data)
        self.leaves.append((kind, data))

    def recover(self, size: int, root: bytes, number: int = 2, **other: str) -> None:
        """Begin the log anew, as its `number`-th epoch; before it had `size` leaves. `other` is said in its place."""
        name = epochs.name_of(self.log.name.partition("/2")[0], number)
        self.log = self.log._replace(name=name)
        said = {"log": self.log.text, "vrf": self.vrf.public.hex(), "size": str(size), "root": root.hex()}
        self.act("rotate", tuple((said | other).items()), game="-")

    def secret(self, block: bytes) -> bytes:
        return vrf.output_of(vrf.prove(self.vrf, block))

    def blinded(self, phase: str, text: str) -> str:
        return sealing.blinded(self.secret(sealing.blind(game=GAME, phase=phase)), text)

    def commit(self, phase: str, seat: str, rev: int, text: str, segment: int = 1) -> bytes:
        salt = sealing.order_salt(self.secret(self.salt(phase, segment, seat)), rev)
        return sealing.commit(salt, text)

    def salt(self, phase: str, segment: int, seat: str) -> bytes:
        return sealing.salt(game=GAME, phase=phase if segment == 1 else f"{phase}/{segment}", seat=seat)

    def round(self, due: int) -> int:
        return 0 if self.chain == "none" else beacon.at_or_after(beacon.QUICKNET, due + DELTA)

    def open(self, phase: str, due: int, *, number: int | None = None, state: str = "before") -> None:
        self.act(
            "open",
            (
                ("phase", phase),
                ("D", str(due)),
                ("delta", str(DELTA)),
                ("chain", self.chain),
                ("round", str(self.round(due) if number is None else number)),
                ("edition", EDITION),
                ("state", self.blinded(phase, state)),
                ("seats", " ".join(SEATS)),
                *self.rules,
            ),
        )

    def deadline(self, phase: str, due: int, cause: str = "extend", number: int | None = None) -> None:
        said = str(self.round(due) if number is None else number)
        self.act("deadline", (("phase", phase), ("D", str(due)), ("round", said), ("cause", cause)))

    def ruling(self, phase: str, number: int, text: str) -> None:
        digest = f"sha256:{sha256_hex(text.encode())}"
        self.act("ruling", (("phase", phase), ("number", str(number)), ("text", digest)))

    def order(self, phase: str, seat: str, rev: int, text: str, recv: int) -> None:
        commit = encode64(self.commit(phase, seat, rev, text))
        eml = sha256_hex(text.encode())
        said = (("phase", phase), ("seat", seat), ("rev", str(rev)), ("commit", commit))
        self.act("order", (*said, ("eml", eml), ("recv", str(recv))))

    def answer(self, phase: str, segment: int, seat: str, text: str) -> None:
        commit = encode64(self.commit(phase, seat, 1, text, segment))
        self.act("answer", (("phase", phase), ("segment", str(segment)), ("seat", seat), ("commit", commit)))

    def slate(
        self, phase: str, segment: int, orders: dict[str, tuple[int, str]], number: int, state: str = "before"
    ) -> bytes:
        before = self.slates.get((phase, segment - 1))
        closed = blocks.Slate(
            game=GAME,
            phase=phase,
            segment=segment,
            previous=sha256_hex(before) if before else "-",
            edition=EDITION,
            state=self.blinded(phase, state),
            beacon=f"{self.chain} {number}" if number else "none",
            seats={
                seat: Commitment(rev, self.commit(phase, seat, rev, text, segment))
                for seat, (rev, text) in orders.items()
            },
        )
        return blocks.slate(closed)

    def close(self, phase: str, segment: int, slate: bytes) -> None:
        self.slates[phase, segment] = slate
        said = (("phase", phase), ("segment", str(segment)), ("slate", sha256_hex(slate)), ("seen", self.seen))
        self.act("close", said)

    def beta(self, phase: str, segment: int, group: str = "all") -> bytes:
        return self.secret(self.alpha(phase, segment, group))

    def alpha(self, phase: str, segment: int, group: str = "all") -> bytes:
        return blocks.alpha(self.slates[phase, segment], self.signature(phase, segment), group)

    def signature(self, phase: str, segment: int) -> bytes | None:
        number = rolls.parse_slate(self.slates[phase, segment]).round
        return ROUNDS[number] if number else None

    def throw(
        self, phase: str, segment: int, wanted: Sequence[tuple[str, int, int]], first: int = 1, group: str = "all"
    ) -> bytes:
        """The manifest of what these labels roll."""
        dice = Stream(self.beta(phase, segment, group))
        rolled = [NumberedRoll(first + at, *one, dice.roll(*one)) for at, one in enumerate(wanted)]
        return rolls.manifest(game=GAME, phase=phase, segment=segment, group=group, rolls=rolled)

    def again(self, phase: str, run: int, wanted: Sequence[tuple[str, int, int]], ruling: int = 1) -> bytes:
        """Resolve a phase of one segment once more; the manifest of what is rolled then."""
        group, dice = f"all~{run}", Stream(self.beta(phase, 1))
        rolled = [NumberedRoll(at, *one, dice.roll(*one)) for at, one in enumerate(wanted, 1)]
        manifest = rolls.manifest(game=GAME, phase=phase, segment=1, group=group, rolls=rolled)
        self.said_again(phase, run, manifest, ruling)
        return manifest

    def said_again(self, phase: str, run: int, manifest: bytes, ruling: int = 1) -> None:
        said = (("phase", phase), ("run", str(run)), ("ruling", str(ruling)), ("state", self.blinded(phase, "mended")))
        self.act("again", (*said, ("manifest", f"sha256:{sha256_hex(manifest)}")))

    def roll(self, phase: str, segment: int, manifest: bytes, hidden: bytes = b"") -> None:
        signature = self.signature(phase, segment)
        groups = [("group", f"all {vrf.prove(self.vrf, self.alpha(phase, segment)).hex()}")]
        digests = f"sha256:{sha256_hex(manifest)}"
        if hidden:
            proof = vrf.prove(self.vrf, self.alpha(phase, segment, "hidden"))
            groups.append(("group", f"hidden {sha256_hex(proof)}"))
            digests += " " + self.blinded(phase, hidden.decode())
        said = (("phase", phase), ("segment", str(segment)), ("sig", signature.hex() if signature else "none"))
        self.act("roll", (*said, *groups, ("manifest", digests)))

    def result(self, phase: str, after: str = "after") -> None:
        digests = (("state", self.blinded(phase, after)), ("report", self.blinded(phase, "reports")))
        self.act("result", (("phase", phase), *digests))

    def opened(self, phase: str, segment: int, seat: str, rev: int, text: str) -> OpenedOrders:
        proof = vrf.prove(self.vrf, self.salt(phase, segment, seat))
        return OpenedOrders(phase, segment, seat, rev, proof, text)

    def head(self) -> checkpoint.Checkpoint:
        size = len(self.tree)
        return checkpoint.Checkpoint(self.log.name, size, merkle.root(self.tree.node, size))

    def bundle(self, seat: str, letter: str, phase: str = "-", grade: str = "-", **more: object) -> Bundle:
        """A letter with all leaves that the seat has not seen yet, on the tree as it is now.

        A report shows the keys and the whole phase again, so that it can be checked alone.
        """
        head, last = self.head(), self.heads.get(seat)
        placed = tuple(
            Placed(data, at, merkle.inclusion(self.tree.node, at, head.size))
            for at, (_, data) in enumerate(self.leaves)
            if at >= self.shown.get(seat, 0) or (letter == "report" and self._about(data, phase))
        )
        grown = last and Grown(last.size, last.root, merkle.consistency(self.tree.node, last.size, head.size))
        self.shown[seat], self.heads[seat] = head.size, head
        note = checkpoint.sign(head, self.log, self.sign)
        made = Bundle(GAME, seat, letter, phase, grade, placed, note, grown=grown)
        return made._replace(**more)  # type: ignore[arg-type]

    def signed(self) -> bytes:
        """The checkpoint of the tree as it is now."""
        return checkpoint.sign(self.head(), self.log, self.sign)

    def watched(self, note: bytes, at: int | None = None) -> Cosigned:
        """An earlier tree as a later letter shows it, for a leaf: the last that closed a list, without `at`."""
        size = checkpoint.body(parse_note(note)).size
        closes = [place for place, (kind, _) in enumerate(self.leaves) if kind == "close"]
        leaf = closes[-1] if at is None else at
        path = merkle.inclusion(self.tree.node, leaf, size) if leaf < size else ()
        return Cosigned(leaf, path, merkle.consistency(self.tree.node, size, len(self.tree)), note)

    def _about(self, data: bytes, phase: str) -> bool:
        return (
            data.startswith((b"pbemdice/v1/genesis\n", b"pbemdice/v1/rotate\n"))
            or f"\nphase {phase}\n".encode() in data
        )

    def send(
        self, seat: str, letter: str, phase: str = "-", grade: str = "-", received: int | None = None, **more: object
    ) -> Item:
        return Item(
            f"{seat}-{len(self.leaves)}", received, bundle.write(self.bundle(seat, letter, phase, grade, **more))
        )


ORDERS = {"spain": (2, "ASSAULT Cresta WITH Cuenca\n"), "morocco": (0, "")}
ANSWERS = {"spain": (0, ""), "morocco": (1, "RETREAT TO Valle\n")}


def first_phase(server: Server, *, number: int = 123, received: bool = True) -> list[Item]:
    """Phase one of a game: opened, two revisions of Spain's orders, closed, rolled in one segment. Spain's letters."""
    due = closing(number)
    number = number if server.chain != "none" else 0
    grade = "B" if number else "C"
    server.open(FIRST, due)
    out = [server.send("spain", "welcome", FIRST)]
    for rev, text in ((1, "HOLD\n"), ORDERS["spain"]):
        server.order(FIRST, "spain", rev, text, due - 100 + rev)
        out.append(server.send("spain", "receipt", FIRST, orders=(server.opened(FIRST, 1, "spain", rev, text),)))
    slate = server.slate(FIRST, 1, ORDERS, number)
    server.close(FIRST, 1, slate)
    out.append(server.send("spain", "closed", FIRST, "-", due + 30 if received else None, slates=(slate,)))
    manifest = server.throw(FIRST, 1, THROWS)
    server.roll(FIRST, 1, manifest)
    server.result(FIRST)
    own = tuple(server.opened(FIRST, 1, "spain", *sent) for sent in ((1, "HOLD\n"), ORDERS["spain"]))
    more = {"slates": (slate,), "manifests": (manifest,), "orders": own}
    out.append(server.send("spain", "report", FIRST, grade, due + 700, **more))
    return out


def second_phase(server: Server) -> list[Item]:
    """Phase two, of two segments, with an answer between them. Spain's letters and Morocco's last."""
    due, later = closing(1000), closing(657413)
    public = server.chain != "none"
    first, second = (1000, 657413) if public else (0, 0)
    server.open(SECOND, due, state="after")
    slate = server.slate(SECOND, 1, {"spain": (0, ""), "morocco": (0, "")}, first, "after")
    server.close(SECOND, 1, slate)
    out = [server.send("spain", "closed", SECOND, "-", due + 5, slates=(slate,))]
    manifest = server.throw(SECOND, 1, THROWS[:1])
    server.roll(SECOND, 1, manifest)
    server.deadline(SECOND, later)
    server.answer(SECOND, 2, *("morocco", ANSWERS["morocco"][1]))
    answered = server.slate(SECOND, 2, ANSWERS, second, "after")
    server.close(SECOND, 2, answered)
    out.append(server.send("spain", "closed", SECOND, "-", later + 5, slates=(answered,)))
    last = server.throw(SECOND, 2, THROWS[1:], first=2)
    server.roll(SECOND, 2, last)
    server.result(SECOND, "over")
    shown = {"slates": (slate, answered), "manifests": (manifest, last)}
    grade = "B" if public else "C"
    out.append(server.send("spain", "report", SECOND, grade, later + 700, **shown))
    opened = (server.opened(SECOND, 2, "morocco", *ANSWERS["morocco"]),)
    out.append(server.send("morocco", "report", SECOND, grade, later + 700, **shown, orders=opened))
    return out


def whole(*, public: bool = True) -> tuple[Server, list[Item]]:
    server = Server(public=public)
    return server, [*first_phase(server), *second_phase(server)]


def judge(
    items: Sequence[Item], *, pin: Key | None = None, witnesses: Iterable[Key] = (), check: Check = check_beacon
) -> Verdict:
    """The verdict by libsodium, which is fast."""
    return verify(items, pin=pin, witnesses=witnesses, by=Means(check_signature, check_proof, check))


def statuses(verdict: Verdict) -> dict[str, str]:
    return {line.check: line.status for line in verdict.lines}
