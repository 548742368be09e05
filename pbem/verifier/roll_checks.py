"""Check rolls: the beacon's value, proofs, dice, and what was opened later."""

from __future__ import annotations

import hashlib
import shlex

from .board_checks import dealt_secret
from .bundles import ClosedList, Leaf, Manifest
from .fields import TOP, hmac_sha256, sha256_hex, throw_dice, write_block
from .labels import is_label
from .later_checks import vrf_input_of_list
from .log_checks import LogKeys
from .phase_checks import opened_rulings, public_ruling
from .record import QUICKNET, QUICKNET_KEY, Findings, LogPlace, LogView, Phase

MOST_THROWN = 2_000_000
"""Dice that are thrown again here, so that a forged bundle cannot keep the verifier busy; a game has some thousand."""


def vrf_input_of_group(group: str, slate: ClosedList, signature: str) -> bytes:
    """Return the VRF input of a group."""
    return vrf_input_of_list(group, slate.digest, signature)


class RollChecks:
    """The checks of everything that was rolled.

    `blinds` are the secrets of digests that letters reveal.
    """

    def __init__(self, view: LogView, findings: Findings, keys: LogKeys) -> None:
        self.course, self.board, self.keys = view, findings, keys
        self.blinds: dict[tuple[str, str], bytes] = {}
        self.thrown = 0
        self.positions: dict[str, set[str]] = {}
        for letter, part in view.parts("reveal"):
            texts = {"".join(part.all(word)) for word in ("before", "after")} - {""}
            self.positions[letter.game] = self.positions.get(letter.game, set()) | texts
        self.shown = {
            (
                letter.game,
                shown_group["phase"],
                shown_group.num("segment"),
                shown_group["group"],
                sha256_hex(bytes.fromhex(shown_group["proof"])),
            ): bytes.fromhex(shown_group["proof"])
            for letter, shown_group in view.parts("group")
        }

    def check(self) -> None:
        self.read_revealed()
        self.check_opened_texts()
        self.check_strays()
        for _, phase in sorted(self.course.phases.items()):
            complete = all([self.roll(phase, roll) for roll in phase.of("roll")])
            manifests = [
                manifest
                for (game, name, _, group), group_manifests in self.course.manifests.items()
                for manifest in group_manifests
                if (game, name) == (phase.game, phase.name) and "~" not in group
            ]
            self.check_numbers(phase, manifests, complete)
            for again in phase.of("again"):
                self.again(phase, again)
            self.states(phase)

    def value_of(self, phase: Phase, roll: Leaf) -> tuple[str, int] | None:
        """Return the beacon that a roll waited for: its chain and round.

        None if no letter has it.
        """
        segment = roll.num("segment")
        changed = [leaf for leaf in phase.of("beacon-change", segment) if leaf.seq < roll.seq]
        if changed:
            return changed[-1]["chain"], changed[-1].num("round")
        slate = self.course.closed_list(next(iter(phase.of("close", segment)), None))
        if slate is not None and slate.board:
            bind = next(iter(self.course.bindings(slate.board, "bind")), None)
            return (bind["chain"], bind.num("beacon")) if bind is not None else None
        return (slate.chain, slate.round) if slate else None

    def beacon(self, phase: Phase, roll: Leaf) -> None:
        """Check that the signature is that of the round the closed list waited for."""
        place, value, sig = phase.place, self.value_of(phase, roll), roll["sig"]
        if value is None:
            self.board.say("beacon", None, place, "the list that was closed is in no letter")
            return
        chain, number = value
        agree = (sig == "none") == (chain == "none")
        why = "a beacon without a value, or a value without a beacon"
        if not self.board.say("beacon", agree, place, why) or chain == "none":
            return
        if chain != QUICKNET:
            self.board.say("beacon", None, place, "its beacon {} is not a public one", chain)
            return
        message = hashlib.sha256(number.to_bytes(8, "big")).digest()
        right = self.keys.means.beacon(QUICKNET_KEY, message, bytes.fromhex(sig))
        self.board.say("beacon", right, place, "the signature is not that of round {}", number)

    def roll(self, phase: Phase, roll: Leaf) -> bool:
        """Check a roll, group by group.

        Returns whether all of its manifests are known.
        """
        segment, place = roll.num("segment"), phase.place
        if not roll.known:
            self.board.say("vrf", None, place, "what segment {} rolled is withheld", segment)
            return False
        self.beacon(phase, roll)
        close = next(iter(phase.of("close", segment)), None)
        slate, complete = self.course.closed_list(close), True
        vrf = self.keys.vrf_of(self.course, phase)
        for (group, proof), digest in zip(roll.groups, roll["manifest"].split(" "), strict=True):
            manifests = self.course.manifests.get((phase.game, phase.name, segment, group), [])
            complete &= bool(manifests)
            is_due = all(len(group_proof) == 80 for _, group_proof in roll.groups) and self.is_reported(phase, roll)
            self.check_listed_rolls(phase, manifests, digest, is_due=is_due and digest.startswith("sha256:"))
            proof = self.proof(phase, segment, group, proof)
            if len(proof) == 32:
                why = "group {} is hidden until it is disclosed"
                if phase.is_disclosed:
                    why = "it is disclosed, and group {} is not opened"
                self.board.say("vrf", False if phase.is_disclosed else None, place, why, group)
            elif slate is None or vrf is None:
                self.board.say("vrf", None, place, "the closed list, or the key of the dice, is in no letter")
            else:
                beta = self.beta(phase, (group, slate, roll["sig"]), proof, vrf)
                if beta is not None or not slate.board:
                    self.board.say("vrf", beta is not None, place, "the proof of group {} is false", group)
                for manifest in manifests if beta is not None else ():
                    self.dice(phase, beta or b"", manifest)
        return complete

    def beta(self, phase: Phase, rolled: tuple[str, ClosedList, str], proof: bytes, vrf: bytes) -> bytes | None:
        """Return the secret of the dice, of the closed list or of its board.

        None if it is not proven.
        """
        group, slate, sig = rolled
        if not slate.board:
            return self.keys.means.output(vrf, vrf_input_of_group(group, slate, sig), proof)
        binds, deals = (self.course.bindings(slate.board, kind) for kind in ("bind", "deal"))
        if not binds or not deals:
            self.board.say("vrf", None, phase.place, "no letter shows how its board was dealt")
            return None
        dealt = (deals[0]["sig"], deals[0].groups[0][1]) == (sig, proof)
        self.board.say("vrf", dealt, phase.place, "its dice are not those that its board was dealt")
        return dealt_secret(self.course, self.keys, slate.board, (sig, proof))

    def proof(self, phase: Phase, segment: int, group: str, shown: bytes) -> bytes:
        """Return the proof of a group, from the roll or from a letter that opens it.

        Without a proof, return the hash that the roll has in its place.
        """
        return self.shown.get((phase.game, phase.name, segment, group, shown.hex()), shown)

    def is_reported(self, phase: Phase, roll: Leaf) -> bool:
        """Return whether a letter reports on the phase, with this roll."""
        heads = (letter for letter in self.course.letters if letter.head["letter"] == "report" and letter.shows(roll))
        return any((letter.game, letter.head["phase"]) == (phase.game, phase.name) for letter in heads)

    def check_listed_rolls(self, phase: Phase, manifests: list[Manifest], digest: str, *, is_due: bool = False) -> None:
        """Check that the listed rolls are those logged.

        With `is_due` they must have come with the roll, so that missing ones are a fault.
        """
        place, blind = phase.place, self.blinds.get((phase.game, phase.stem))
        if not manifests:
            why = "it is disclosed, and what was rolled is in no letter"
            if not phase.is_disclosed:
                why = "what was rolled is in no letter, or hidden until it is disclosed"
            if is_due:
                why = "it is reported, and what was rolled is in no letter"
            self.board.say("manifest", False if phase.is_disclosed or is_due else None, place, why)
        for manifest in manifests:
            truth = None
            if digest.startswith("sha256:"):
                truth = digest == f"sha256:{sha256_hex(manifest.block.data)}"
            elif blind is not None:
                truth = digest == f"hmac:{hmac_sha256(blind, manifest.block.data).hex()}"
            why = "what was rolled is not what was logged"
            if truth is None:
                why = "what was rolled in a hidden group is sealed until it is disclosed"
            self.board.say("manifest", truth, place, why)

    def dice(self, phase: Phase, beta: bytes, manifest: Manifest) -> None:
        """Check that every die follows from the secret of its group.

        Its label is one that the game has.
        """
        opened = phase.opening
        system = opened["system"] if opened is not None else ""
        for roll in manifest.rolls:
            self.thrown += roll.n
            if self.thrown > MOST_THROWN:
                self.board.say("dice", None, phase.place, "there are more dice than are thrown here")
                return
            right = throw_dice(beta, roll.label, roll.n, roll.sides) == roll.values
            # The sentence stays short: a roll may have thousands of dice.
            values = ", ".join(map(str, roll.values[:20]))
            self.board.say("dice", right, phase.place, "{} did not roll {}", roll.label, values)
            fit = is_label(system, roll.label, roll.n, roll.sides)
            why = "no roll of {} is called {}" if fit is False else "what rolls of {} are called is not known here"
            self.board.say("labels", fit, phase.place, why, system or "-", *([roll.label] if fit is False else []))
            if fit and (phase.game, phase.name) not in self.course.rerun:
                why = "that the rules ask for these rolls and no others is not checked here: full mode does"
                self.board.say("labels", None, phase.place, why)
            lines = " ".join(shlex.quote(line) for line in (TOP + "die", f"label {roll.label}", "block 0"))
            shell = f"printf '%s\\n' {lines} | openssl dgst -sha256 -mac HMAC -macopt hexkey:{beta.hex()}"
            self.board.by_hand = self.board.by_hand or shell

    def again(self, phase: Phase, again: Leaf) -> None:
        """Check a phase that was resolved again.

        Everything is rolled by the secrets of its rolls, and numbered anew.
        """
        place, group, manifests = phase.place, f"all~{again['run']}", []
        digests, rolls = again["manifest"].split(" "), [roll for roll in phase.of("roll") if roll.known]
        for roll in rolls:
            segment = roll.num("segment")
            why = "segment {} of run {} has no list of what was rolled"
            if not self.board.say("manifest", segment <= len(digests), place, why, segment, again["run"]):
                continue
            segment_manifests = self.course.manifests.get((phase.game, phase.name, segment, group), [])
            self.check_listed_rolls(phase, segment_manifests, digests[segment - 1])
            close = next(iter(phase.of("close", segment)), None)
            slate = self.course.closed_list(close)
            proof = self.proof(phase, segment, "all", dict(roll.groups).get("all", b""))
            vrf = self.keys.vrf_of(self.course, phase)
            if not segment_manifests or slate is None or len(proof) != 80 or vrf is None:
                continue
            manifests += segment_manifests
            beta = self.beta(phase, ("all", slate, roll["sig"]), proof, vrf)
            for manifest in segment_manifests if beta is not None else ():
                self.dice(phase, beta or b"", manifest)
        if len(rolls) < len(digests):
            self.board.say("manifest", None, place, "a segment of run {} is in no letter", again["run"])
        self.check_numbers(phase, manifests, len(manifests) == len(digests))

    def check_numbers(self, phase: Phase, manifests: list[Manifest], complete: bool) -> None:
        """Check that numbers run 1, 2, ... over all groups, and no label comes twice."""
        rolls = [roll for manifest in manifests for roll in manifest.rolls]
        numbers, labels = sorted(roll.number for roll in rolls), {roll.label for roll in rolls}
        good = len(labels) == len(set(numbers)) == len(numbers)
        good &= not complete or numbers == [*range(1, len(numbers) + 1)]
        self.board.say("manifest", good, phase.place, "rolls are missing, or listed twice")

    def check_strays(self) -> None:
        """Report lists and proofs that belong to no roll."""
        rolled: dict[tuple[str, str, int, str], str] = {}
        for phase in self.course.phases.values():
            for roll in phase.of("roll"):
                hidden = dict(roll.groups) if roll.known else {}
                for group in roll["groups"].split(" "):
                    rolled[phase.game, phase.name, roll.num("segment"), group] = hidden.get(group, b"").hex()
            for again in phase.of("again"):
                for segment, _ in enumerate(again["manifest"].split(" "), 1):
                    rolled[phase.game, phase.name, segment, f"all~{again['run']}"] = ""
        for key in sorted(self.course.manifests):
            place = LogPlace(f"{key[0]} {key[1]}", key[0], key[1])
            self.board.say("manifest", key in rolled, place, "what was rolled is listed for a roll that is not here")
        for letter, part in self.course.parts("group"):
            key = (letter.game, part["phase"], part.num("segment"), part["group"])
            same = rolled.get(key) == sha256_hex(bytes.fromhex(part["proof"]))
            place = LogPlace(letter.where, letter.game, part["phase"])
            self.board.say("opened", same, place, "group {} was not hidden under this proof", part["group"])

    def read_revealed(self) -> None:
        """Read the revealed secrets of digests, and check their positions in the log."""
        failed: set[str] = set()
        for letter, shown in self.course.parts("reveal"):
            stem, place = shown["phase"].partition("~")[0], LogPlace(letter.where, letter.game, shown["phase"])
            if letter.where in failed:
                continue
            if not self.keys.vrfs:
                self.board.say("opened", None, place, "the key of the dice is not known")
                continue
            phase_key = self.keys.vrf_of(self.course, Phase(letter.game, shown["phase"]))
            alpha = write_block("blind", ("game", letter.game), ("phase", stem))
            secret = self.keys.secret(alpha, bytes.fromhex(shown["proof"]), phase_key)
            if not self.board.say("opened", secret is not None, place, "the secret of digests is not proven"):
                failed.add(letter.where)
            if secret is None:
                continue
            self.blinds[letter.game, stem] = secret
            phase = self.course.phases.get((letter.game, shown["phase"]), Phase(letter.game, shown["phase"]))
            for word, kinds in (("before", ("open", "again")), ("after", ("result",))):
                text = "".join(shown.all(word))
                leaves = [leaf for kind in kinds for leaf in phase.of(kind)]
                same = f"hmac:{hmac_sha256(secret, text.encode()).hex()}" in [leaf["state"] for leaf in leaves]
                # A disclosure shows all leaves of its game, so a text that belongs to none is false.
                known = bool(leaves) or letter.head["letter"] == "disclosure"
                if text:
                    why = "a position is not the one that was logged"
                    self.board.say("opened", same if known else None, place, why)

    def states(self, phase: Phase) -> None:
        """Check that a disclosed phase is opened whole.

        Its first and last positions must be opened, and everything that was logged about it.
        """
        results, opened = phase.of("result"), phase.opening
        disclosures = [
            letter
            for letter in self.course.letters
            if (letter.game, letter.head["letter"]) == (phase.game, "disclosure")
        ]
        if opened is not None and not phase.is_disclosed and any(opened.at < letter.size for letter in disclosures):
            self.board.say("opened", False, phase.place, "everything is disclosed, and this phase is not")
        if not phase.is_disclosed or opened is None:
            return
        why = "it is disclosed, and a position of it is not opened"
        for leaf in [*phase.of("open"), *phase.of("again"), *results]:
            self.board.say("opened", self.text_of(phase, leaf["state"]) is not None, phase.place, why)
        why = "it is disclosed, and what ruling {} says is not opened"
        for leaf in (ruling for ruling in phase.of("ruling") if self.sealed_digest(ruling)):
            self.board.say("opened", self.opened_line(leaf) is not None, phase.place, why, leaf["number"])
        until = max((leaf.seq for leaf in phase.leaves if leaf.kind != "disclose"), default=0)
        leaves = [leaf for leaf in self.course.history(phase.game) if opened.seq <= leaf.seq <= until]
        withheld = [leaf.seq for leaf in leaves if not leaf.known]
        why = "it is disclosed, and what leaf {} says is withheld"
        self.board.say("opened", not withheld, phase.place, why, *withheld[:1])
        following = [
            other.opening for other in self.course.phases.values() if other.game == phase.game and other.opening
        ]
        # By number: the first one after the results is the next phase.
        after = sorted(
            (opening for opening in following if results and opening.seq > results[-1].seq), key=lambda leaf: leaf.seq
        )
        if after and after[0]["ruling"] == "-":
            began = self.text_of(self.course.phases[phase.game, after[0]["phase"]], after[0]["state"])
            ended = self.text_of(phase, results[-1]["state"])
            same = began is None or ended is None or began == ended
            self.board.say("opened", same, phase.place, "{} does not begin where this ended", after[0]["phase"])

    def sealed_digest(self, leaf: Leaf) -> str:
        """Return the digest of a ruling's sealed line; "" if the line was public.

        "" if the line was public.
        """
        text = opened_rulings(self.course, leaf.game).get(leaf["text"].removeprefix("sha256:"))
        return public_ruling(text)["whole"] if text is not None else ""

    def opened_line(self, leaf: Leaf) -> str | None:
        """Return the line that was sealed, if a letter opens it."""
        wanted, blind = self.sealed_digest(leaf), self.blinds.get((leaf.game, leaf["phase"].partition("~")[0]))
        texts = opened_rulings(self.course, leaf.game).values() if wanted and blind else ()
        return next(
            (text for text in texts if wanted == f"hmac:{hmac_sha256(blind or b'', text.encode()).hex()}"), None
        )

    def text_of(self, phase: Phase, digest: str) -> str | None:
        """Return the position whose digest a phase has, if it was opened."""
        blind = self.blinds.get((phase.game, phase.stem))
        texts = self.positions.get(phase.game, ())
        return next(
            (text for text in texts if blind and digest == f"hmac:{hmac_sha256(blind, text.encode()).hex()}"), None
        )

    def check_opened_texts(self) -> None:
        """Check opened editions and rulings against those that were logged."""
        for letter, ruling in self.course.parts("said"):
            digest = "sha256:" + sha256_hex("".join(ruling.all("text")).encode())
            logged = [leaf for leaf in self.course.history(letter.game) if leaf.kind == "ruling"]
            same = (ruling["number"], digest) in [(leaf["number"], leaf["text"]) for leaf in logged if leaf.known]
            named = [leaf for leaf in logged if leaf.known and leaf["number"] == ruling["number"]]
            same = same or any(self.opened_line(leaf) == "".join(ruling.all("text")) for leaf in named)
            truth = same or (None if any(not leaf.known for leaf in logged) else False)
            why = "ruling {} is not the one that was logged"
            self.board.say("opened", truth, LogPlace(letter.where), why, ruling["number"])
        for letter, edition in self.course.parts("edition"):
            digest_shown, place = "sha256:" + sha256_hex("".join(edition.all("text")).encode()), LogPlace(letter.where)
            opens = [leaf for leaf in self.course.history(letter.game) if leaf.kind == "open" and leaf.known]
            if not opens:
                self.board.say("opened", None, place, "the edition is of a game of which no phase is in letters")
            for leaf in opens:
                self.board.say(
                    "opened", leaf["edition"] == digest_shown, place, "the edition is not that of {}", leaf["phase"]
                )
                same = (leaf["system"], leaf["pace"]) == (edition["system"], edition["pace"])
                self.board.say("opened", same, place, "{} has other rules, or another pace", leaf["phase"])
