"""Check the log: keys, signatures, inclusion, chains, and that it only grows.

A game's leaves form its chain. A rewritten log is reported as false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .bundles import Leaf, Letter
from .curve import decode_vrf_key
from .fields import decode_base64
from .notes import PLAIN, LogKey, SignedTree, VerifyingFunctions, is_extension, is_included, parse_log_key
from .record import Findings, LogPlace, LogView, Phase


class LogKeys:
    """The keys that verify a log, read from its first leaf and from `rotate`.

    `logs` are the keys of its epochs; `vrfs` are the keys of the dice, each with the place in the log from which on
    it is valid; `chains` are the beacons that the server has named, None if no letter names them.
    """

    def __init__(self, pin: LogKey | None, means: VerifyingFunctions) -> None:
        self.logs: list[LogKey] = [pin] if pin else []
        self.vrfs: list[tuple[int, bytes]] = []
        self.chains: set[str] | None = None
        self.means = means
        self.trees: list[tuple[Leaf, SignedTree]] = []
        """Leaves that closed a list or changed its deadline, each with a cosigned tree of this log that has it."""

    def vrf_of(self, view: LogView, phase: Phase) -> bytes | None:
        """Return the key of the dice of a phase, for all its attempts; None if unknown.

        It is the key in force when the first attempt was opened. If a later key counted, changing the key would
        roll a closed list again.
        """
        if len(self.vrfs) < 2:
            return self.vrfs[0][1] if self.vrfs else None
        first = view.phases.get((phase.game, f"{phase.stem}~1"))
        index = first.opening.at if first is not None and first.opening is not None else -1
        return self.vrf_at(index)

    def vrf_at(self, index: int) -> bytes | None:
        """Return the dice key in force at a place in the log; None if unknown."""
        return next((key for since, key in reversed(self.vrfs) if since <= index), None)

    def secret(self, alpha: bytes, proof: bytes, phase_key: bytes | None = None) -> bytes | None:
        """Return the secret of a block, or None if it is not proven.

        `phase_key` is the key of its phase; without it any key of the log is accepted.
        """
        keys = [phase_key] if phase_key is not None else [key for _, key in reversed(self.vrfs)]
        outputs = (self.means.output(key, alpha, proof) for key in keys)
        return next((secret for secret in outputs if secret is not None), None)


def epoch_of(name: str, first: str) -> int:
    """Return the number of a log's epoch by its name; 0 for another log.

    A log that was started anew has its first name and a number: name, name/2, name/3.
    """
    number = name.removeprefix(f"{first}/")
    return 1 if name == first else int(number) if re.fullmatch("[2-9]|[1-9][0-9]{1,8}", number) else 0


def find_keys(view: LogView, findings: Findings, pin: LogKey | None, means: VerifyingFunctions) -> LogKeys:
    """Read the keys from the first leaf, and check the key that the reader knows."""
    keys, first, place = LogKeys(pin, means), view.leaves.get(("-", 0)), LogPlace("")
    if first is None or first.kind != "genesis":
        findings.say("keys", None, place, "no letter shows the first leaf of the log: add your welcome letter")
        return keys
    log, vrf = parse_log_key(first["log"]), bytes.fromhex(first["vrf"])
    keys.chains = {
        server_leaf["chain"] for server_leaf in view.history("-") if server_leaf.kind in ("genesis", "beacon")
    }
    findings.say("keys", first.at == 0, place, "the leaf with the keys is not the first of the log")
    findings.say("keys", log.kind == PLAIN, place, "the key of the log is of another kind")
    findings.say(
        "keys", decode_vrf_key(vrf) is not None, place, "the key of the dice is none: it could prove two outputs"
    )
    findings.say("keys", vrf != log.public, place, "the log and the dice have one key")
    keys.logs, keys.vrfs = [log], [(0, vrf)]
    for leaf in (leaf for leaf in view.history("-") if leaf.kind == "rotate"):
        rotate_keys(keys, findings, leaf)
    if pin is not None:
        known = any((pin.name, pin.public) == (key.name, key.public) for key in keys.logs)
        findings.say("keys", known, place, "the key of the log is {}, not the one that you named", log.text)
        keys.logs = keys.logs if known else [pin]
    elif all(letter.head["letter"] != "welcome" for letter in view.letters):
        findings.say(
            "keys", None, place, "no welcome letter: compare with yours that the key of the log is {}", log.text
        )
    return keys


def rotate_keys(keys: LogKeys, findings: Findings, leaf: Leaf) -> None:
    """Check a leaf `rotate`, which starts an epoch with the same keys or new ones."""
    key, vrf, before, place = parse_log_key(leaf["log"]), bytes.fromhex(leaf["vrf"]), keys.logs[-1], LogPlace("")
    first = keys.logs[0].name
    later = epoch_of(key.name, first) > epoch_of(before.name, first)
    findings.say("keys", later, place, "leaf {} begins the log anew, and calls it {}", leaf.at, key.name)
    same = (key.public, key.kind, vrf) == (before.public, before.kind, keys.vrfs[-1][1])
    if leaf["why"] == "keys" and later and key.kind == PLAIN and decode_vrf_key(vrf) is not None and vrf != key.public:
        why = "leaf {} gives the log other keys: ask others whether they were told of {} too"
        findings.say("keys", None, place, why, leaf.at, key.text)
        keys.vrfs.append((leaf.at, vrf))
    elif not findings.say("keys", same, place, "leaf {} begins the log anew with other keys: other dice", leaf.at):
        return
    if later:
        keys.logs.append(key)


def is_signed(tree: SignedTree, keys: LogKeys) -> bool | None:
    """Return whether the log has signed a tree; None if its key is unknown."""
    if not keys.logs:
        return None
    key = next((key for key in keys.logs if key.name == tree.origin), None)
    if key is None or tree.size == 0:
        return False
    own_signatures = [raw for name, ident, raw in tree.signatures if (name, ident) == (key.name, key.ident)]
    return bool(own_signatures) and all(keys.means.signed(key.public, tree.body, raw) for raw in own_signatures)


NOT_SIGNED = "the log has not signed this, or its key is not known"


def check_log(view: LogView, findings: Findings, keys: LogKeys) -> None:
    """Check everything that is independent of phases."""
    roots: dict[int, bytes] = {}
    later: dict[int, list[int]] = {}
    for letter in view.letters:
        place = LogPlace(letter.where)
        findings.say("signature", is_signed(letter, keys), place, NOT_SIGNED)
        findings.say("inclusion", bool(letter.leaves), place, "it shows no leaf at all")
        for leaf in letter.leaves:
            inside = is_included(bytes.fromhex(leaf.hash), leaf.at, letter.size, leaf.path, letter.root)
            findings.say("inclusion", inside, place, "leaf {} is not proven to be in the log", leaf.at)
        trees = [(letter.size, letter.root), *cosigned_trees(letter, findings, keys)]
        for old in letter.parts["consistency"]:
            size, root, path = (
                old.num("from"),
                decode_base64(old["root"]),
                [decode_base64(digest) for digest in old.all("hash")],
            )
            trees.append((size, root))
            more = is_extension(size, letter.size, (root, letter.root), path)
            findings.say("consistency", more, place, "the log is not proven to go on from an earlier one")
            if more:
                later.setdefault(size, []).append(letter.size)
        for size, root in trees:
            same = roots.setdefault(size, root) == root
            findings.say("consistency", same, place, "there are two logs of {} leaves", size)
    check_shown_logs(view, findings, roots)
    check_consistency(view, findings, later)
    check_withheld_parts(view, findings)
    for game in sorted({game for game, _ in view.leaves}):
        check_chain(view, findings, game)


WATCHED = ("close", "deadline", "shut", "bind")
"""The kinds of leaves that a witness must see before a beacon round."""


def cosigned_trees(letter: Letter, findings: Findings, keys: LogKeys) -> Iterator[tuple[int, bytes]]:
    """Check and return the trees that witnesses saw.

    Each is a tree of this log, contains the leaf that closed a list, and is the beginning of the letter's tree. A
    witness does not know the content of a tree. If his tree did not have to be the beginning of the letter's, a
    server could show him many closed lists, and everybody else the one that suits it once the round is out.
    """
    for seen in letter.cosigned:
        place, tree = LogPlace(f"{letter.where}: #{seen.at}"), seen.tree
        closes = [leaf for leaf in letter.leaves if leaf.kind in WATCHED and leaf.at == seen.at]
        by_log = is_signed(tree, keys)
        inside = any(
            is_included(bytes.fromhex(close.hash), close.at, tree.size, seen.path, tree.root) for close in closes
        )
        begun = is_extension(tree.size, letter.size, (tree.root, letter.root), seen.grown)
        findings.say("signature", by_log, place, NOT_SIGNED)
        findings.say("inclusion", inside, place, "what a witness saw does not hold the closed list")
        findings.say("consistency", begun, place, "the log does not begin with the tree that a witness saw")
        if by_log and inside and begun:
            keys.trees.append((closes[0], tree))
        yield tree.size, tree.root
        if not (by_log is not False and begun):
            return  # one false tree is enough
    for statement in letter.sees:
        yield statement.size, statement.root


def check_shown_logs(view: LogView, findings: Findings, roots: dict[int, bytes]) -> None:
    """Check the logs that players were shown against the log of these letters."""
    anew = any(leaf.kind == "rotate" for leaf in view.history("-"))
    for leaf in view.leaves.values():
        views = leaf["seen"].split(" ") if leaf.kind == "close" and leaf.known and leaf["seen"] != "-" else []
        for shown in views:
            seat, size, digest = shown.split(":")
            place, known = LogPlace(leaf.game), roots.get(int(size))
            if known is not None:
                same = known.hex() == digest
                findings.say("consistency", same, place, "{} was shown another log of {} leaves", seat, size)
            elif seat in view.seats(leaf.game):
                why = "{} is said to have been shown a log of {} leaves, and no letter here is of that"
                findings.say("consistency", None, place, why, seat, size)
            # A player may have seen leaves that a restore has removed.
            possible = 0 < int(size) <= leaf.at or anew
            why = "{} is said to have been shown {} leaves, when the log had {}"
            findings.say("consistency", possible, place, why, seat, size, leaf.at)
            phase = view.phases.get((leaf.game, leaf["phase"]))
            opened = phase.opening if phase is not None else None
            seated = opened is None or seat in opened["seats"].split(" ")
            findings.say("consistency", seated, place, "{} is said to have been shown the log, and is no seat", seat)


SENT = ("order", "answer", "deadline")
"""The kinds of leaves that a letter may withhold until the list is closed: others' orders, and deadlines."""


def check_withheld_parts(view: LogView, findings: Findings) -> None:
    """Check that letters withhold only what they may.

    Once a phase's result is reported, nothing of it may be withheld.
    """
    reported: set[tuple[str, int]] = set()
    for phase in view.phases.values():
        results, reports = phase.of("result"), [letter for letter in view.letters if letter.head["letter"] == "report"]
        about = [letter for letter in reports if (letter.game, letter.head["phase"]) == (phase.game, phase.name)]
        if phase.opening is not None and any(letter.shows(result) for letter in about for result in results):
            reported |= {(phase.game, seq) for seq in range(phase.opening.seq, results[-1].seq)}
    for (game, seq), leaf in sorted(view.leaves.items()):
        good = leaf.known or (leaf.kind in SENT and (game, seq) not in reported)
        if not good:
            place, name = LogPlace(f"{game} {leaf.get('phase')}".strip(), game, leaf.get("phase")), leaf.kind
            findings.say("opened", False, place, "what leaf {} says, of the kind {}, is not to be withheld", seq, name)


def check_consistency(view: LogView, findings: Findings, later: dict[int, list[int]]) -> None:
    """Check that consistency proofs lead from every letter's tree to the newest."""
    sizes = {letter.size for letter in view.letters}
    reach = {max(sizes, default=0)}
    while more := {old for old, new in later.items() if reach & set(new)} - reach:
        reach |= more
    for size in sorted(sizes - reach):
        findings.say(
            "consistency",
            None,
            LogPlace(""),
            "no letter proves that the log of {} leaves is that of {}",
            size,
            max(sizes),
        )


def check_chain(view: LogView, findings: Findings, game: str) -> None:
    """Check that the leaves of a game form a chain, each with the hash of the last."""
    place = LogPlace(game)
    history = view.history(game)
    for before, after in pairwise(history):
        if after.seq != before.seq + 1:
            why = "leaves {} to {} are in no letter: one is missing"
            if game not in view.guests:
                findings.say("chain", None, place, why, before.seq + 1, after.seq - 1)
        else:
            findings.say("chain", after.prev == before.hash, place, "leaf {} does not follow {}", after.seq, before.seq)
        findings.say("chain", before.at < after.at, place, "leaf {} was logged before leaf {}", after.seq, before.seq)
