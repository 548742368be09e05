"""The log itself: keys, signatures, inclusion, the chain of each game, and that it was never written anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .bundles import Leaf, Letter
from .curve import vrf_key
from .fields import b64
from .notes import PLAIN, LogKey, Means, Tree, grown, included, log_key
from .record import Board, Course, Phase, Place


class Keys:
    """The keys that a log is checked with, as its first leaf and those that begin it anew tell them.

    `logs` are those of its epochs; `vrfs` the keys of the dice, each from a place in the log on; `chains` the beacons
    that the server has named, None if no letter tells them.
    """

    def __init__(self, pin: LogKey | None, means: Means) -> None:
        self.logs: list[LogKey] = [pin] if pin else []
        self.vrfs: list[tuple[int, bytes]] = []
        self.chains: set[str] | None = None
        self.means = means
        self.trees: list[tuple[Leaf, Tree]] = []
        """Leaves that closed a list or moved that, each with a tree of this log that others were shown, with it in."""

    def vrf_of(self, course: Course, phase: Phase) -> bytes | None:
        """The key of the dice of a phase: the one in force when its first attempt was opened, for all its attempts.

        None if that is not to be seen. A key that is changed later would be a new roll of a closed list.
        """
        if len(self.vrfs) < 2:
            return self.vrfs[0][1] if self.vrfs else None
        first = course.phases.get((phase.game, f"{phase.stem}~1"))
        at = first.opened.at if first is not None and first.opened is not None else -1
        return self.vrf_at(at)

    def vrf_at(self, at: int) -> bytes | None:
        """The key of the dice that was in force at a place in the log; None if no letter tells it."""
        return next((key for since, key in reversed(self.vrfs) if since <= at), None)

    def secret(self, alpha: bytes, proof: bytes, own: bytes | None = None) -> bytes | None:
        """The secret of a block, by the key of its phase, or any where that is not known; None if it is not proven."""
        keys = [own] if own is not None else [key for _, key in reversed(self.vrfs)]
        found = (self.means.output(key, alpha, proof) for key in keys)
        return next((secret for secret in found if secret is not None), None)


def epoch_of(name: str, first: str) -> int:
    """A log that was begun anew has its first name and a number: name, name/2, name/3. 0 for the name of another."""
    number = name.removeprefix(f"{first}/")
    return 1 if name == first else int(number) if re.fullmatch("[2-9]|[1-9][0-9]{1,8}", number) else 0


def find_keys(course: Course, board: Board, pin: LogKey | None, means: Means) -> Keys:
    """The keys of the first leaf, held against the one that the reader has from elsewhere, if he has it."""
    keys, first, place = Keys(pin, means), course.leaves.get(("-", 0)), Place("")
    if first is None or first.kind != "genesis":
        board.say("keys", None, place, "no letter shows the first leaf of the log: add your welcome letter")
        return keys
    log, vrf = log_key(first["log"]), bytes.fromhex(first["vrf"])
    keys.chains = {one["chain"] for one in course.history("-") if one.kind in ("genesis", "beacon")}
    board.say("keys", first.at == 0, place, "the leaf with the keys is not the first of the log")
    board.say("keys", log.kind == PLAIN, place, "the key of the log is of another kind")
    board.say("keys", vrf_key(vrf) is not None, place, "the key of the dice is none: it could prove two outputs")
    board.say("keys", vrf != log.public, place, "the log and the dice have one key")
    keys.logs, keys.vrfs = [log], [(0, vrf)]
    for leaf in (leaf for leaf in course.history("-") if leaf.kind == "rotate"):
        begin_anew(keys, board, leaf)
    if pin is not None:
        known = any((pin.name, pin.public) == (key.name, key.public) for key in keys.logs)
        board.say("keys", known, place, "the key of the log is {}, not the one that you named", log.text)
        keys.logs = keys.logs if known else [pin]
    elif all(letter.head["letter"] != "welcome" for letter in course.letters):
        board.say("keys", None, place, "no welcome letter: compare with yours that the key of the log is {}", log.text)
    return keys


def begin_anew(keys: Keys, board: Board, leaf: Leaf) -> None:
    """A leaf `rotate`: another epoch of the log, with the same keys, or said to be with others."""
    key, vrf, before, place = log_key(leaf["log"]), bytes.fromhex(leaf["vrf"]), keys.logs[-1], Place("")
    first = keys.logs[0].name
    later = epoch_of(key.name, first) > epoch_of(before.name, first)
    board.say("keys", later, place, "leaf {} begins the log anew, and calls it {}", leaf.at, key.name)
    same = (key.public, key.kind, vrf) == (before.public, before.kind, keys.vrfs[-1][1])
    if leaf["why"] == "keys" and later and key.kind == PLAIN and vrf_key(vrf) is not None and vrf != key.public:
        why = "leaf {} gives the log other keys: ask others whether they were told of {} too"
        board.say("keys", None, place, why, leaf.at, key.text)
        keys.vrfs.append((leaf.at, vrf))
    elif not board.say("keys", same, place, "leaf {} begins the log anew with other keys: other dice", leaf.at):
        return
    if later:
        keys.logs.append(key)


def signed(tree: Tree, keys: Keys) -> bool | None:
    """Whether the log has signed a tree; None if its key is not known."""
    if not keys.logs:
        return None
    key = next((key for key in keys.logs if key.name == tree.origin), None)
    if key is None or tree.size == 0:
        return False
    mine = [raw for name, ident, raw in tree.signatures if (name, ident) == (key.name, key.ident)]
    return bool(mine) and all(keys.means.signed(key.public, tree.body, raw) for raw in mine)


NOT_SIGNED = "the log has not signed this, or its key is not known"


def check_log(course: Course, board: Board, keys: Keys) -> None:
    """Check everything that needs no knowledge of phases."""
    roots: dict[int, bytes] = {}
    later: dict[int, list[int]] = {}
    for letter in course.letters:
        place = Place(letter.where)
        board.say("signature", signed(letter, keys), place, NOT_SIGNED)
        board.say("inclusion", bool(letter.leaves), place, "it shows no leaf at all")
        for leaf in letter.leaves:
            inside = included(bytes.fromhex(leaf.hash), leaf.at, letter.size, leaf.path, letter.root)
            board.say("inclusion", inside, place, "leaf {} is not proven to be in the log", leaf.at)
        trees = [(letter.size, letter.root), *watched(letter, board, keys)]
        for old in letter.parts["consistency"]:
            size, root, path = old.num("from"), b64(old["root"]), [b64(one) for one in old.all("hash")]
            trees.append((size, root))
            more = grown(size, letter.size, (root, letter.root), path)
            board.say("consistency", more, place, "the log is not proven to go on from an earlier one")
            if more:
                later.setdefault(size, []).append(letter.size)
        for size, root in trees:
            one = roots.setdefault(size, root) == root
            board.say("consistency", one, place, "there are two logs of {} leaves", size)
    check_seen(course, board, roots)
    check_linked(course, board, later)
    check_withheld(course, board)
    for game in sorted({game for game, _ in course.leaves}):
        check_chain(course, board, game)


WATCHED = ("close", "deadline", "shut", "bind")
"""The leaves of which it counts that a witness saw them in time."""


def watched(letter: Letter, board: Board, keys: Keys) -> Iterator[tuple[int, bytes]]:
    """The trees that witnesses have seen: each the log's own, with a leaf that closed a list, where this one begins.

    A witness knows nothing of what is in a tree. Were his not where the letter's begins, a server could show him many
    closed lists, and everybody else the one of them that suits it once the round is out.
    """
    for seen in letter.cosigned:
        place, tree = Place(f"{letter.where}: #{seen.at}"), seen.tree
        closes = [leaf for leaf in letter.leaves if leaf.kind in WATCHED and leaf.at == seen.at]
        own = signed(tree, keys)
        inside = any(included(bytes.fromhex(one.hash), one.at, tree.size, seen.path, tree.root) for one in closes)
        begun = grown(tree.size, letter.size, (tree.root, letter.root), seen.grown)
        board.say("signature", own, place, NOT_SIGNED)
        board.say("inclusion", inside, place, "what a witness saw does not hold the closed list")
        board.say("consistency", begun, place, "the log does not begin with the tree that a witness saw")
        if own and inside and begun:
            keys.trees.append((closes[0], tree))
        yield tree.size, tree.root
        if not (own is not False and begun):
            return  # one that is false is enough
    for told in letter.sees:
        yield told.size, told.root


def check_seen(course: Course, board: Board, roots: dict[int, bytes]) -> None:
    """What players say that they were shown is the log that these letters show."""
    anew = any(leaf.kind == "rotate" for leaf in course.history("-"))
    for leaf in course.leaves.values():
        told = leaf["seen"].split(" ") if leaf.kind == "close" and leaf.known and leaf["seen"] != "-" else []
        for shown in told:
            seat, size, digest = shown.split(":")
            place, known = Place(leaf.game), roots.get(int(size))
            if known is not None:
                same = known.hex() == digest
                board.say("consistency", same, place, "{} was shown another log of {} leaves", seat, size)
            elif seat in course.seats(leaf.game):
                why = "{} is said to have been shown a log of {} leaves, and no letter here is of that"
                board.say("consistency", None, place, why, seat, size)
            # What a restore has taken from the log a player may have been shown all the same.
            there = 0 < int(size) <= leaf.at or anew
            why = "{} is said to have been shown {} leaves, when the log had {}"
            board.say("consistency", there, place, why, seat, size, leaf.at)
            phase = course.phases.get((leaf.game, leaf["phase"]))
            opened = phase.opened if phase is not None else None
            seated = opened is None or seat in opened["seats"].split(" ")
            board.say("consistency", seated, place, "{} is said to have been shown the log, and is no seat", seat)


SENT = ("order", "answer", "deadline")
"""What a letter may withhold: what others send until their list is closed, and until when somebody is asked."""


def check_withheld(course: Course, board: Board) -> None:
    """Nothing else is withheld by all letters, and of a phase nothing when it is reported how that came out."""
    told: set[tuple[str, int]] = set()
    for phase in course.phases.values():
        results, reports = phase.of("result"), [one for one in course.letters if one.head["letter"] == "report"]
        about = [one for one in reports if (one.game, one.head["phase"]) == (phase.game, phase.name)]
        if phase.opened is not None and any(one.shows(result) for one in about for result in results):
            told |= {(phase.game, seq) for seq in range(phase.opened.seq, results[-1].seq)}
    for (game, seq), leaf in sorted(course.leaves.items()):
        good = leaf.known or (leaf.kind in SENT and (game, seq) not in told)
        if not good:
            place, name = Place(f"{game} {leaf.get('phase')}".strip(), game, leaf.get("phase")), leaf.kind
            board.say("opened", False, place, "what leaf {} says, of the kind {}, is not to be withheld", seq, name)


def check_linked(course: Course, board: Board, later: dict[int, list[int]]) -> None:
    """From every letter's tree proofs lead to the newest."""
    sizes = {letter.size for letter in course.letters}
    reach = {max(sizes, default=0)}
    while more := {old for old, new in later.items() if reach & set(new)} - reach:
        reach |= more
    for size in sorted(sizes - reach):
        board.say(
            "consistency", None, Place(""), "no letter proves that the log of {} leaves is that of {}", size, max(sizes)
        )


def check_chain(course: Course, board: Board, game: str) -> None:
    """The leaves of a game follow one another, each with the hash of the one before."""
    place = Place(game)
    history = course.history(game)
    for before, after in pairwise(history):
        if after.seq != before.seq + 1:
            why = "leaves {} to {} are in no letter: one is missing"
            if game not in course.guests:
                board.say("chain", None, place, why, before.seq + 1, after.seq - 1)
        else:
            board.say("chain", after.prev == before.hash, place, "leaf {} does not follow {}", after.seq, before.seq)
        board.say("chain", before.at < after.at, place, "leaf {} was logged before leaf {}", after.seq, before.seq)
