// What was rolled: the beacon's value, the proofs, every die, and what was opened later.

Object.assign(Judge.prototype, {
  /** The 64 bytes that a proof proves under the key of the dice; null if it proves nothing, or the key is unknown. */
  async secret(kind, letter, part, check) {
    if (!this.vrf) {
      this.say(check, null, "vrf_key_unknown", letter.where);
      return null;
    }
    let phase = part.get("phase");
    const seat = kind === "salt" ? [["seat", part.get("seat")]] : [];
    if (seat.length && part.get("segment") !== "1") phase += `/${part.get("segment")}`;
    const input = block(kind, ["game", letter.head.get("game")], ["phase", phase], ...seat);
    const got = await vrf(this.vrf, input, unhex(part.get("proof")));
    this.say(check, got !== null, "secret_not_proven", letter.where, part.get("phase"));
    return got;
  },

  /** What letters open of what was sealed: states, and groups of dice that were hidden. */
  async reveal() {
    this.blinds = new Map();
    const hidden = new Map();
    for (const leaf of this.leaves.values()) {
      for (const group of leaf.kind === "roll" ? leaf.groups : []) {
        hidden.set([leaf.game, leaf.get("phase"), leaf.get("segment"), group.name].join("\n"), hex(group.proof));
      }
    }
    for (const letter of this.letters) {
      for (const shown of letter.parts.get("reveal")) await this.revealed(letter, shown);
      for (const one of letter.parts.get("said")) {
        const told = `sha256:${await sha(utf8(one.more.join("")))}`;
        const known = pick([...this.leaves.values()], "ruling").some((leaf) => leaf.game === letter.head.get("game")
          && leaf.get("number") === one.get("number") && leaf.get("text") === told);
        this.say("opened", known, "other_ruling", letter.where, one.get("number"));
      }
      for (const one of letter.parts.get("edition")) {
        const told = `sha256:${await sha(utf8(one.more.join("")))}`;
        const found = pick(this.inOrder(), "open").filter((leaf) => leaf.game === letter.head.get("game"));
        const same = found.every((leaf) => leaf.get("edition") === told);
        this.say("opened", found.length ? same : null, "other_edition", letter.where);
        for (const leaf of found.filter((opened) => opened.says.has("system"))) {
          const alike = ["system", "pace"].every((key) => leaf.get(key) === one.get(key));
          this.say("opened", alike, "other_rules", letter.where, leaf.get("phase"));
        }
      }
      for (const one of letter.parts.get("group")) {
        const where = [letter.head.get("game"), one.get("phase"), one.get("segment"), one.get("group")].join("\n");
        const same = hidden.get(where) === (await sha(unhex(one.get("proof"))));
        this.say("opened", same, "not_hidden_so", one.get("phase"), one.get("group"));
      }
    }
    for (const leaf of pick([...this.leaves.values()], "again")) {
      for (const at of leaf.get("manifest").split(" ").keys()) {
        hidden.set([leaf.game, leaf.get("phase"), `${at + 1}`, `all~${leaf.get("run")}`].join("\n"), "");
      }
    }
    for (const [where, one] of this.rolled) {
      this.say("manifest", hidden.has(where), "manifest_of_none", one.get("phase"));
    }
  },

  async revealed(letter, shown) {
    const secret = await this.secret("blind", letter, shown, "opened");
    if (secret === null) return;
    const [game, name] = [letter.head.get("game"), shown.get("phase")];
    this.blinds.set(phaseKey(game, name), secret);
    for (const [at, kinds] of [["open", "again"], ["result"]].entries()) {
      const [text, found] = [shown.states[at], this.phaseOf(game, name).filter((leaf) => kinds.includes(leaf.kind))];
      if (!text) continue;
      const digest = `hmac:${hex(await mac(secret, utf8(text)))}`;
      const truth = found.some((leaf) => leaf.get("state") === digest);
      this.say("opened", found.length ? truth : null, "other_state", name);
    }
  },

  async rolls({ game, name, leaves }) {
    const opens = leaves.filter((leaf) => leaf.kind === "open");
    let whole = true;
    for (const roll of pick(leaves, "roll")) {
      const at = `${game} ${name}/${roll.get("segment")}`;
      const close = pick(leaves, "close", roll.num("segment"))[0];
      const slate = close && this.slates.get(close.get("slate"));
      this.beacon(at, roll, slate, opens);
      const digests = roll.get("manifest").split(" ");
      for (const [number, group] of roll.groups.entries()) {
        const manifest = this.rolled.get([game, name, roll.get("segment"), group.name].join("\n"));
        whole &&= manifest !== undefined;
        await this.listed(`${at} ${group.name}`, manifest, digests[number], this.blinds.get(phaseKey(game, name)));
        const proof = await this.proofOf(game, name, group);
        await this.group(`${at} ${group.name}`, roll, slate, group.name, proof, manifest);
      }
    }
    const mine = [...this.rolled.values()].filter((one) => one.get("game") === game && one.get("phase") === name);
    this.numbered(`${game} ${name}`, mine.filter((one) => !one.get("group").includes("~")), whole);
    for (const again of pick(leaves, "again")) await this.rolledAgain(leaves, again);
  },

  /** A phase resolved once more: everything is rolled by the secrets of its rolls, and numbered anew. */
  async rolledAgain(leaves, again) {
    const [game, name, group] = [again.game, again.get("phase"), `all~${again.get("run")}`];
    const [digests, rolls, mine] = [again.get("manifest").split(" "), pick(leaves, "roll"), []];
    const at = `${game} ${name} ${group}`;
    for (const roll of rolls) {
      const segment = Number(roll.get("segment"));
      if (!this.say("manifest", segment <= digests.length, "other_manifest", at)) continue;
      const manifest = this.rolled.get([game, name, roll.get("segment"), group].join("\n"));
      await this.listed(at, manifest, digests[segment - 1], this.blinds.get(phaseKey(game, name)));
      const close = pick(leaves, "close", roll.num("segment"))[0];
      const slate = close && this.slates.get(close.get("slate"));
      const own = roll.groups.find((one) => one.name === "all");
      const proof = own ? await this.proofOf(game, name, own) : [];
      if (!manifest || !slate || proof.length !== 80 || !this.vrf) continue;
      mine.push(manifest);
      await this.group(at, roll, slate, "all", proof, manifest);
    }
    if (rolls.length < digests.length) this.say("manifest", null, "manifest_hidden", at);
    this.numbered(at, mine, mine.length === digests.length);
  },

  /** Over all groups and segments the numbers run 1, 2, ..., and no label is rolled twice. */
  numbered(at, mine, whole) {
    const listed = mine.flatMap((one) => one.rolls);
    const numbers = listed.map((roll) => roll.number).sort((one, other) => one - other);
    const labels = new Set(listed.map((roll) => roll.label));
    let good = labels.size === numbers.length && new Set(numbers).size === numbers.length;
    if (whole) good &&= numbers.every((number, place) => number === place + 1);
    this.say("manifest", good, "rolls_missing", at);
  },

  beacon(at, roll, slate, opens) {
    const value = roll.get("sig");
    if (opens.length && (value === "none") === (opens[0].get("chain") === "none")) {
      const named = slate ? slate.get("beacon") : "?";
      this.say("beacon", value === "none" ? true : null, "compare_beacon", at, named, value);
    } else {
      this.say("beacon", opens.length ? false : null, opens.length ? "beacon_without_value" : "not_opened_here", at);
    }
  },

  /** The proof of a group: in the roll, or shown later where the roll has only its hash. */
  async proofOf(game, name, group) {
    for (const letter of this.letters.filter((one) => one.head.get("game") === game)) {
      for (const one of letter.parts.get("group")) {
        if (one.get("phase") !== name || one.get("group") !== group.name) continue;
        const proof = unhex(one.get("proof"));
        if ((await sha(proof)) === hex(group.proof)) return proof;
      }
    }
    return group.proof;
  },

  async listed(at, manifest, digest, blind) {
    let truth = null;
    if (manifest && digest.startsWith("sha256:")) truth = digest === `sha256:${await sha(utf8(manifest.text))}`;
    else if (manifest && blind) truth = digest === `hmac:${hex(await mac(blind, utf8(manifest.text)))}`;
    this.say("manifest", truth, truth === null ? "manifest_hidden" : "other_manifest", at);
  },

  async group(at, roll, slate, group, proof, manifest) {
    if (proof.length === 32 || !slate || !this.vrf) {
      this.say("vrf", null, "group_hidden", at);
      return;
    }
    const value = roll.get("sig") === "none" ? "none" : await sha(unhex(roll.get("sig")));
    const alpha = block("alpha", ["group", group], ["slate", slate.digest], ["beacon", value]);
    const beta = await vrf(this.vrf, alpha, proof);
    this.say("vrf", beta !== null, "false_proof", at);
    if (beta === null || !manifest) return;
    for (const { number, label, n, sides, values } of manifest.rolls) {
      const right = await throwDice(beta, label, n, sides);
      const good = right.join() === values.join();
      this.say("dice", good, "other_dice", at, label, values.join(" "), right.join(" "));
      const [phase, what] = [roll.get("phase"), `${n}d${sides}`];
      this.dice.push({ game: roll.game, phase, number, label, what, values, good });
      this.byHand ||= shellLine(label, beta);
    }
  },
});

/** The command that throws a die again with nothing but openssl: each word as a shell wants it. */
function shellLine(label, beta) {
  const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
  const lines = [`${TOP}die`, `label ${label}`, "block 0"].map(quoted).join(" ");
  return `printf '%s\\n' ${lines} | openssl dgst -sha256 -mac HMAC -macopt hexkey:${hex(beta)}`;
}
