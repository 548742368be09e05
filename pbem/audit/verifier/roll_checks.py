"""What was rolled: the beacon's value, the proofs, every die, and what was opened later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pbem.audit import beacon, byhand, sealing
from pbem.audit.beacon import Check
from pbem.audit.blocks import sha256_hex
from pbem.audit.dice import Stream
from pbem.audit.rolls import Manifest
from pbem.audit.verifier.log_checks import Keys
from pbem.audit.verifier.proof import Output
from pbem.audit.verifier.record import Board, Phase, Record, Seen, alpha_of

__all__ = ["check_rolls"]


class _Rolled(NamedTuple):
    """A roll with all that is needed to check it: its phase, its slate if known, the chain, revealed secrets."""

    game: str
    phase: Phase
    seen: Seen
    slate: bytes | None

    @property
    def at(self) -> str:
        return f"{self.game} {self.phase.name} segment {self.seen.leaf('segment')}"


class _Known(NamedTuple):
    """What all rolls are checked by: the letters, the keys, how a proof is checked, the secrets that were revealed."""

    record: Record
    board: Board
    keys: Keys
    output: Output
    blinds: Mapping[tuple[str, str], bytes]


def check_rolls(record: Record, board: Board, keys: Keys, output: Output, check: Check) -> None:
    """Check beacon, proofs, dice, manifests and what was revealed."""
    known = _Known(record, board, keys, output, _blinds(record, board, keys, output))
    _said(record, board)
    for (game, _), phase in sorted(record.phases.items()):
        complete = True
        for seen in phase.of("roll"):
            close = phase.close_of(seen.leaf.number("segment"))
            slate = record.slates.get(close.leaf("slate")) if close else None
            one = _Rolled(game, phase, seen, slate[1] if slate else None)
            _beacon(board, one, check)
            for number, (name, proof) in enumerate(seen.leaf.groups):
                shown = _proof(record, one, name, proof)
                complete &= _group(known, one, number, name, shown)
        _numbers(record, board, game, phase, complete)
        for again in phase.of("again"):
            _again(known, game, phase, again)
    _strays(record, board)


def _strays(record: Record, board: Board) -> None:
    """Manifests and proofs that belong to no roll were made up."""
    rolled: dict[tuple[str, str, int, str], bytes] = {}
    for (game, name), phase in record.phases.items():
        for seen in phase.of("roll"):
            rolled |= {(game, name, seen.leaf.number("segment"), group): proof for group, proof in seen.leaf.groups}
        for seen in phase.of("again"):
            count = len(seen.leaf("manifest").split(" "))
            rolled |= {(game, name, segment, f"all~{seen.leaf('run')}"): b"" for segment in range(1, count + 1)}
    for where in sorted(record.manifests):
        board.hold("manifest", where in rolled, f"{' '.join(map(str, where))}: a manifest of a roll that is not here")
    for letter in record.letters:
        for group in letter.bundle.groups:
            hidden = rolled.get((letter.bundle.game, *group[:3]), b"").hex()
            same = hidden == sha256_hex(group.proof)
            board.hold("opened", same, f"{letter.where}: {group.phase} {group.group} was not hidden under this proof")


def _beacon(board: Board, one: _Rolled, check: Check) -> None:
    signature = one.seen.leaf("sig")
    if not one.phase.opens:
        board.cannot("beacon", f"{one.at}: the leaf that opened the phase is in no letter here")
        return
    chain = one.phase.opens[0].leaf("chain")
    agree = (signature == "none") == (chain == "none")
    if not board.hold("beacon", agree, f"{one.at}: a beacon without a value, or a value without a beacon"):
        return
    if chain == "none":
        return
    known, close = beacon.KNOWN.get(chain), one.phase.close_of(one.seen.leaf.number("segment"))
    if known is None or one.slate is None or close is None:
        board.cannot("beacon", f"{one.at}: the chain {chain} is not a public one, or the slate is missing")
        return
    number = int(one.slate.split(b"\nbeacon ")[1].split(b"\n")[0].split(b" ")[1])
    right = check(known, number, bytes.fromhex(signature))
    if right is None:
        board.cannot("beacon", f"{one.at}: this needs the extra `beacon`; compare round {number} with any relay")
    else:
        board.hold("beacon", right, f"{one.at}: the signature is not that of round {number}")


def _proof(record: Record, one: _Rolled, name: str, shown: bytes) -> bytes | None:
    """The proof of a group: in the roll, or later where the roll had only its hash; None while it is hidden."""
    if len(shown) == 80:
        return shown
    wanted = (one.phase.name, one.seen.leaf.number("segment"), name)
    for letter in record.letters:
        for group in letter.bundle.groups if letter.bundle.game == one.game else ():
            if group[:3] == wanted and sha256_hex(group.proof) == shown.hex():
                return group.proof
    return None


def _group(known: _Known, one: _Rolled, number: int, name: str, proof: bytes | None) -> bool:
    """Check one group of dice; whether its manifest is known."""
    record, board, keys, output, blinds = known
    at = f"{one.at} {name}"
    digest = one.seen.leaf("manifest").split(" ")[number]
    found = record.manifests.get((one.game, one.phase.name, one.seen.leaf.number("segment"), name))
    _listed(board, at, digest, found, blinds.get((one.game, one.phase.name)))
    if proof is None or one.slate is None or keys.vrf is None:
        board.cannot("vrf", f"{at}: hidden until it is disclosed, or the slate or the key is missing")
        return found is not None
    beta = output(keys.vrf, alpha_of(one.slate, one.seen.leaf("sig"), name), proof)
    if board.hold("vrf", beta is not None, f"{at}: the proof is false") and beta is not None and found is not None:
        _dice(board, at, found[0], beta)
    return found is not None


def _dice(board: Board, at: str, manifest: Manifest, beta: bytes) -> None:
    stream = Stream(beta)
    for roll in manifest.rolls:
        right = stream.roll(roll.label, roll.n, roll.sides) == roll.values
        board.hold("dice", right, f"{at}: {roll.label} did not roll {', '.join(map(str, roll.values))}")
    if manifest.rolls and not board.hands:
        board.hands.append(byhand.command(beta, manifest.rolls[0].label, 0))


def _again(known: _Known, game: str, phase: Phase, again: Seen) -> None:
    """All that was rolled when a phase was resolved once more: by the secrets of its rolls, numbered anew."""
    record, board, keys, output, blinds = known
    rolls, digests = phase.of("roll"), again.leaf("manifest").split(" ")
    group, mine = f"all~{again.leaf('run')}", []
    at = f"{game} {phase.name} run {again.leaf('run')}"
    for roll in rolls:
        segment = roll.leaf.number("segment")
        if not board.hold("manifest", segment <= len(digests), f"{at}: segment {segment} has no manifest"):
            continue
        digest = digests[segment - 1]
        found = record.manifests.get((game, phase.name, segment, group))
        _listed(board, f"{at} segment {segment}", digest, found, blinds.get((game, phase.name)))
        close = phase.close_of(segment)
        slate = record.slates.get(close.leaf("slate")) if close else None
        proof = _proof(record, _Rolled(game, phase, roll, None), "all", dict(roll.leaf.groups).get("all", b""))
        if found is None or slate is None or proof is None or keys.vrf is None:
            continue
        mine.append(found[0])
        beta = output(keys.vrf, alpha_of(slate[1], roll.leaf("sig"), "all"), proof)
        if beta is not None:
            _dice(board, at, found[0], beta)
    if len(rolls) < len(digests):
        board.cannot("manifest", f"{at}: a segment of it is in no letter here")
    _numbered(board, at, mine, len(mine) == len(digests))


def _listed(board: Board, at: str, digest: str, found: tuple[Manifest, bytes] | None, blind: bytes | None) -> None:
    """A manifest is the one whose digest was logged."""
    if found is None:
        board.cannot("manifest", f"{at}: the manifest is in no letter here")
    elif digest.startswith("sha256:"):
        board.hold("manifest", digest[7:] == sha256_hex(found[1]), f"{at}: the manifest is not the one that was logged")
    elif blind is None:
        board.cannot("manifest", f"{at}: hidden until it is disclosed")
    else:
        same = sealing.blinded(blind, found[1].decode("utf-8")) == digest
        board.hold("manifest", same, f"{at}: the manifest is not the one that was logged")


def _numbers(record: Record, board: Board, game: str, phase: Phase, complete: bool) -> None:
    """Over all groups and segments the numbers run 1, 2, ..., and no label is rolled twice."""
    mine = [one for (name, at, *_), (one, _) in record.manifests.items() if (name, at) == (game, phase.name)]
    _numbered(board, f"{game} {phase.name}", [one for one in mine if "~" not in one.group], complete)


def _numbered(board: Board, at: str, mine: Iterable[Manifest], complete: bool) -> None:
    rolls = sorted((roll for one in mine for roll in one.rolls), key=lambda roll: roll.number)
    numbers, labels = [roll.number for roll in rolls], [roll.label for roll in rolls]
    board.hold("manifest", len(labels) == len(set(labels)), f"{at}: a label was rolled twice")
    board.hold("manifest", len(numbers) == len(set(numbers)), f"{at}: two rolls have one number")
    if complete:
        board.hold("manifest", numbers == list(range(1, len(numbers) + 1)), f"{at}: a roll is missing in the manifest")


def _blinds(record: Record, board: Board, keys: Keys, output: Output) -> dict[tuple[str, str], bytes]:
    """The secrets of digests that letters reveal; the states that come with them are held against the log."""
    out = {}
    for letter in record.letters:
        for shown in letter.bundle.reveals:
            game, at = letter.bundle.game, f"{letter.where}: {shown.phase}"
            if keys.vrf is None:
                board.cannot("opened", f"{at}: the VRF key is not known")
                continue
            secret = output(keys.vrf, sealing.blind(game=game, phase=shown.phase), shown.proof)
            if not board.hold("opened", secret is not None, f"{at}: the secret is not proven") or secret is None:
                continue
            out[game, shown.phase] = secret
            phase = record.phases.get((game, shown.phase), Phase(shown.phase))
            begun = [*phase.opens, *phase.of("again")]
            for text, leaves in ((shown.before, begun), (shown.after, phase.of("result"))):
                if text and not leaves:
                    board.cannot("opened", f"{at}: the leaf with the digest is in no letter here")
                elif text:
                    same = sealing.blinded(secret, text) in [seen.leaf("state") for seen in leaves]
                    board.hold("opened", same, f"{at}: the state is not one that was logged")
    return out


def _said(record: Record, board: Board) -> None:
    """An edition that is shown is the one that every phase of the game was opened with; rulings are those logged."""
    for letter in record.letters:
        logged = [seen.leaf for seen in record.history(letter.bundle.game) if seen.leaf.kind == "ruling"]
        for ruling in letter.bundle.rulings:
            digest = f"sha256:{sha256_hex(ruling.text.encode('ascii'))}"
            same = (ruling.number, digest) in [(leaf.number("number"), leaf("text")) for leaf in logged]
            board.hold("opened", same, f"{letter.where}: ruling {ruling.number} is not the one that was logged")
        played = letter.bundle.played
        if played is None:
            continue
        told, at = f"sha256:{sha256_hex(played.edition.encode('ascii'))}", f"{letter.where}: the edition"
        opens = [
            seen for (game, _), phase in record.phases.items() if game == letter.bundle.game for seen in phase.opens
        ]
        if not opens:
            board.cannot("opened", f"{at} is of a game of which no phase is in letters here")
        for seen in opens:
            board.hold("opened", seen.leaf("edition") == told, f"{at} is not that of {seen.leaf('phase')}")
            said = dict(seen.leaf.says)
            if "system" in said:
                same = (said["system"], said["pace"]) == (played.system, played.pace)
                board.hold("opened", same, f"{letter.where}: {seen.leaf('phase')} has other rules or another pace")
