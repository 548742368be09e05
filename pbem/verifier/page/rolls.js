// What was rolled: the beacon's value, the proofs, every die, and what was opened later.

/** Dice that are thrown again here; a game has some thousand. */
const MOST_THROWN = 2000000;

/** What the secret of a group is computed from. */
function alphaOf(group, slate, signature) {
  return alphaOfList(group, slate.digest, signature);
}

/** Whether a roll is called as rolls of a game are; null if its labels are not known here. */
function labelFits(system, label, n, sides) {
  const forms = Object.hasOwn(LABELS, system) ? LABELS[system] : null;
  if (forms === null) return null;
  return label.length <= 200 && forms.some((form) => new RegExp(`^(?:${form})$`).test(`${label} ${n}d${sides}`));
}

/** A line as a shell takes it. */
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

/** The checks of everything that was rolled; `blinds` are the secrets of digests that letters reveal. */
class Rolls {
  constructor(view, findings, keys) {
    Object.assign(this, { view, findings, keys, blinds: new Map(), positions: new Map(), thrown: 0 });
    for (const [letter, one] of view.parts("reveal")) {
      const told = ["before", "after"].map((word) => one.all(word).join("")).filter(Boolean);
      this.positions.set(letter.game, [...new Set([...(this.positions.get(letter.game) ?? []), ...told])]);
    }
    this.shown = new Map(view.parts("group").map(([letter, one]) => {
      const proof = unhex(one.get("proof"));
      return [keyOf(letter.game, one.get("phase"), one.get("segment"), one.get("group"), sha(proof)), proof];
    }));
  }

  check() {
    this.reveal();
    this.said();
    this.editions();
    this.strays();
    for (const [, phase] of inOrder(this.view.phases)) {
      const whole = phase.of("roll").map((roll) => this.roll(phase, roll)).every(Boolean);
      const mine = [...this.view.manifests].filter(([key]) => {
        const [game, name, , group] = key.split("\n");
        return game === phase.game && name === phase.name && !group.includes("~");
      }).flatMap(([, found]) => found);
      this.numbered(phase, mine, whole);
      for (const again of phase.of("again")) this.again(phase, again);
      this.states(phase);
    }
  }

  closedList(phase, roll) {
    return this.view.slate(phase.of("close", roll.num("segment"))[0]);
  }

  listsOf(phase, roll, group) {
    return this.view.manifests.get(keyOf(phase.game, phase.name, roll.get("segment"), group)) ?? [];
  }

  /** The beacon that a roll waited for: its chain, and its round; null if that is in no letter. */
  valueOf(phase, roll) {
    const changed = phase.of("beacon-change", roll.num("segment")).filter((leaf) => leaf.seq < roll.seq).pop();
    if (changed) return { chain: changed.get("chain"), round: changed.num("round") };
    const slate = this.closedList(phase, roll);
    if (!slate?.board) return slate;
    const [bind] = this.view.bindings(slate.board, "bind");
    return bind ? { chain: bind.get("chain"), round: bind.num("beacon") } : null;
  }

  /** The secret that dice follow from, of the closed list or of its board; null if it is not proven. */
  beta(phase, group, slate, sig, proof, key) {
    if (!slate.board) return vrf(key, alphaOf(group, slate, sig), proof);
    const [[bind], [deal]] = [this.view.bindings(slate.board, "bind"), this.view.bindings(slate.board, "deal")];
    if (!bind || !deal) {
      this.findings.say("vrf", null, phase.place, "no letter shows how its board was dealt");
      return null;
    }
    const dealt = deal.get("sig") === sig && deal.groups[0][1] === proof;
    this.findings.say("vrf", dealt, phase.place, "its dice are not those that its board was dealt");
    const own = this.keys.vrfs.findLast((one) => one.since <= bind.at)?.key ?? null;
    return dealt && own !== null ? vrf(own, alphaOfList("dup", bind.get("slate"), sig), proof) : null;
  }

  /** The signature is the one of the round that the closed list waited for. */
  beacon(phase, roll) {
    const [place, value, sig] = [phase.place, this.valueOf(phase, roll), roll.get("sig")];
    if (value === null) {
      this.findings.say("beacon", null, place, "the list that was closed is in no letter");
      return;
    }
    const agree = (sig === "none") === (value.chain === "none");
    if (!this.findings.say("beacon", agree, place, "a beacon without a value, or a value without a beacon")) return;
    if (value.chain === "none") return;
    if (value.chain !== QUICKNET) {
      this.findings.say("beacon", null, place, "its beacon {} is not a public one", value.chain);
      return;
    }
    this.findings.say("beacon", isRound(value.round, unhex(sig)), place,
      "the signature is not that of round {}", value.round);
  }

  /** Check a roll, group by group; whether all of its manifests are known. */
  roll(phase, roll) {
    const { findings } = this;
    const place = phase.place;
    if (!roll.known) {
      findings.say("vrf", null, place, "what segment {} rolled is withheld", roll.get("segment"));
      return false;
    }
    this.beacon(phase, roll);
    const [slate, key] = [this.closedList(phase, roll), this.keys.vrfOf(this.view, phase)];
    const digests = roll.get("manifest").split(" ");
    const told = roll.groups.every(([, proof]) => proof.length === 80) && this.reported(phase, roll);
    let whole = true;
    roll.groups.forEach(([group, given], at) => {
      const found = this.listsOf(phase, roll, group);
      whole = whole && found.length > 0;
      this.listed(phase, found, digests[at], told && digests[at].startsWith("sha256:"));
      const proof = this.proof(phase, roll, group, given);
      if (proof.length === 32) {
        const why = phase.disclosed ? "it is disclosed, and group {} is not opened"
          : "group {} is hidden until it is disclosed";
        findings.say("vrf", phase.disclosed ? false : null, place, why, group);
      } else if (slate === null || key === null) {
        findings.say("vrf", null, place, "the closed list, or the key of the dice, is in no letter");
      } else {
        const beta = this.beta(phase, group, slate, roll.get("sig"), proof, key);
        if (beta !== null || !slate.board) {
          findings.say("vrf", beta !== null, place, "the proof of group {} is false", group);
        }
        if (beta !== null) for (const one of found) this.dice(phase, beta, one);
      }
    });
    return whole;
  }

  /** The proof of a group, in the roll or in a letter that opens it; else what the roll has in its place. */
  proof(phase, roll, group, given) {
    return this.shown.get(keyOf(phase.game, phase.name, roll.get("segment"), group, hex(given))) ?? given;
  }

  /** Whether a letter reports on the phase, with this roll. */
  reported(phase, roll) {
    return this.view.letters.some((one) => one.head.get("letter") === "report" && one.game === phase.game
      && one.head.get("phase") === phase.name && one.shows(roll));
  }

  /** What is listed is what was logged; if it was to be `told` with the roll it is there. */
  listed(phase, found, digest, told = false) {
    const { findings } = this;
    const blind = this.blinds.get(keyOf(phase.game, phase.stem)) ?? null;
    if (!found.length) {
      let why = phase.disclosed ? "it is disclosed, and what was rolled is in no letter"
        : "what was rolled is in no letter, or hidden until it is disclosed";
      if (told) why = "it is reported, and what was rolled is in no letter";
      findings.say("manifest", phase.disclosed || told ? false : null, phase.place, why);
    }
    for (const { block: one } of found) {
      if (digest.startsWith("hmac:") && blind === null) {
        findings.say("manifest", null, phase.place,
          "what was rolled in a hidden group is sealed until it is disclosed");
        continue;
      }
      const right = digest.startsWith("sha256:") ? `sha256:${sha(one.data)}` : `hmac:${hex(mac(blind, one.data))}`;
      findings.say("manifest", digest === right, phase.place, "what was rolled is not what was logged");
    }
  }

  /** Every die follows from the secret of its group; its label is one that the game has. */
  dice(phase, beta, manifest) {
    const { findings } = this;
    const system = phase.opened?.get("system") ?? "";
    for (const { number, label, n, sides, told } of manifest.rolls) {
      this.thrown += n;
      if (this.thrown > MOST_THROWN) {
        findings.say("dice", null, phase.place, "there are more dice than are thrown here");
        return;
      }
      const right = throwDice(beta, label, n, sides).join() === told;
      findings.say("dice", right, phase.place, "{} did not roll {}", label, told.split(",", 20).join(", "));
      findings.dice.push({ game: phase.game, phase: phase.name, number, label, what: `${n}d${sides}`, told, right });
      const fits = labelFits(system, label, n, sides);
      if (fits === null) {
        findings.say("labels", null, phase.place, "what rolls of {} are called is not known here", system || "-");
      }
      else findings.say("labels", fits, phase.place, "no roll of {} is called {}", system || "-", label);
      if (fits) {
        findings.say("labels", null, phase.place,
          "that the rules ask for these rolls and no others is not checked here: full mode does");
      }
      const lines = [`${TOP}die`, `label ${label}`, "block 0"].map(quoted).join(" ");
      findings.byHand ||= `printf '%s\\n' ${lines} | openssl dgst -sha256 -mac HMAC -macopt hexkey:${hex(beta)}`;
    }
  }

  /** A phase resolved once more: everything is rolled by the secrets of its rolls, and numbered anew. */
  again(phase, again) {
    const { findings } = this;
    const [place, run, digests] = [phase.place, again.get("run"), again.get("manifest").split(" ")];
    const [rolls, key, mine] = [phase.of("roll").filter((roll) => roll.known), this.keys.vrfOf(this.view, phase), []];
    for (const roll of rolls) {
      const segment = roll.num("segment");
      const listed = segment <= BigInt(digests.length);
      const why = "segment {} of run {} has no list of what was rolled";
      if (!findings.say("manifest", listed, place, why, segment, run)) continue;
      const [found, slate] = [this.listsOf(phase, roll, `all~${run}`), this.closedList(phase, roll)];
      this.listed(phase, found, digests[Number(segment) - 1]);
      const proof = this.proof(phase, roll, "all", new Map(roll.groups).get("all") ?? "");
      if (!found.length || slate === null || proof.length !== 80 || key === null) continue;
      mine.push(...found);
      const beta = this.beta(phase, "all", slate, roll.get("sig"), proof, key);
      if (beta !== null) for (const one of found) this.dice(phase, beta, one);
    }
    if (rolls.length < digests.length) findings.say("manifest", null, place,
      "a segment of run {} is in no letter", run);
    this.numbered(phase, mine, mine.length === digests.length);
  }

  /** Over all groups and segments the numbers run 1, 2, ..., and no label is rolled twice. */
  numbered(phase, mine, whole) {
    const rolls = mine.flatMap((one) => one.rolls);
    const numbers = rolls.map((roll) => roll.number).sort((one, other) => one - other);
    const labels = new Set(rolls.map((roll) => roll.label));
    const once = new Set(numbers).size === rolls.length && labels.size === rolls.length;
    const good = once && (!whole || numbers.every((number, at) => number === at + 1));
    this.findings.say("manifest", good, phase.place, "rolls are missing, or listed twice");
  }

  /** Lists and proofs that belong to no roll were made up. */
  strays() {
    const rolled = new Map();
    for (const phase of this.view.phases.values()) {
      for (const roll of phase.of("roll")) {
        const hidden = new Map(roll.known ? roll.groups : []);
        for (const group of roll.get("groups").split(" ")) {
          rolled.set(keyOf(phase.game, phase.name, roll.get("segment"), group), hex(hidden.get(group) ?? ""));
        }
      }
      for (const again of phase.of("again")) {
        again.get("manifest").split(" ").forEach((_, at) => {
          rolled.set(keyOf(phase.game, phase.name, at + 1, `all~${again.get("run")}`), "");
        });
      }
    }
    for (const [key] of inOrder(this.view.manifests)) {
      const [game, name] = key.split("\n");
      const place = placeOf(`${game} ${name}`, game, name);
      this.findings.say("manifest", rolled.has(key), place, "what was rolled is listed for a roll that is not here");
    }
    for (const [letter, one] of this.view.parts("group")) {
      const [name, group] = [one.get("phase"), one.get("group")];
      const same = rolled.get(keyOf(letter.game, name, one.get("segment"), group)) === sha(unhex(one.get("proof")));
      this.findings.say("opened", same, placeOf(letter.where, letter.game, name),
        "group {} was not hidden under this proof", group);
    }
  }

  /** The secrets of digests that letters reveal; the positions that come with them are held against the log. */
  reveal() {
    const { findings, keys } = this;
    const wrong = new Set();
    for (const [letter, shown] of this.view.parts("reveal")) {
      if (wrong.has(letter.where)) continue; // one proof that is false is enough
      const [name, stem] = [shown.get("phase"), shown.get("phase").split("~")[0]];
      const place = placeOf(letter.where, letter.game, name);
      if (!keys.vrfs.length) {
        findings.say("opened", null, place, "the key of the dice is not known");
        continue;
      }
      const own = keys.vrfOf(this.view, new Phase(letter.game, name));
      const alpha = block("blind", ["game", letter.game], ["phase", stem]);
      const secret = keys.secret(alpha, unhex(shown.get("proof")), own);
      if (!findings.say("opened", secret !== null, place, "the secret of digests is not proven")) {
        wrong.add(letter.where);
        continue;
      }
      this.blinds.set(keyOf(letter.game, stem), secret);
      const phase = this.view.phase(letter.game, name);
      for (const [word, kinds] of [["before", ["open", "again"]], ["after", ["result"]]]) {
        const text = shown.all(word).join("");
        const leaves = kinds.flatMap((kind) => phase.of(kind));
        const same = leaves.some((leaf) => leaf.get("state") === `hmac:${hex(mac(secret, text))}`);
        // A disclosure shows all leaves of its game: what it opens of none is made up.
        const known = leaves.length || letter.head.get("letter") === "disclosure";
        if (text) findings.say("opened", known ? same : null, place, "a position is not the one that was logged");
      }
    }
  }

  /** After a phase is disclosed, where it began and what it led to are opened, and all that was logged of it. */
  states(phase) {
    const { findings } = this;
    const [place, opened, results] = [phase.place, phase.opened, phase.of("result")];
    const whole = this.view.letters.filter((one) =>
      one.game === phase.game && one.head.get("letter") === "disclosure");
    if (opened && !phase.disclosed && whole.some((one) => opened.at < one.size)) {
      findings.say("opened", false, place, "everything is disclosed, and this phase is not");
    }
    if (!phase.disclosed || !opened) return;
    for (const leaf of [...phase.of("open"), ...phase.of("again"), ...results]) {
      const shown = this.textOf(phase, leaf.get("state")) !== null;
      findings.say("opened", shown, place, "it is disclosed, and a position of it is not opened");
    }
    for (const leaf of phase.of("ruling").filter((one) => this.sealed(one))) {
      const shown = this.whole(leaf) !== null;
      findings.say("opened", shown, place,
        "it is disclosed, and what ruling {} says is not opened", leaf.get("number"));
    }
    const until = phase.leaves.filter((leaf) => leaf.kind !== "disclose").pop().seq;
    const hidden = this.view.history(phase.game).find((leaf) =>
      opened.seq <= leaf.seq && leaf.seq <= until && !leaf.known);
    findings.say("opened", !hidden, place, "it is disclosed, and what leaf {} says is withheld", hidden?.seq);
    const last = results[results.length - 1];
    const next = last && this.view.history(phase.game).find((leaf) =>
      leaf.kind === "open" && leaf.known && leaf.seq > last.seq
      && this.view.phase(phase.game, leaf.get("phase")).opened === leaf);
    if (!next || next.get("ruling") !== "-") return;
    const began = this.textOf(this.view.phase(phase.game, next.get("phase")), next.get("state"));
    const ended = this.textOf(phase, last.get("state"));
    const same = began === null || ended === null || began === ended;
    findings.say("opened", same, place, "{} does not begin where this ended", next.get("phase"));
  }

  /** The position that a digest of a phase stands for, if a letter opens it; else null. */
  textOf(phase, digest) {
    const blind = this.blinds.get(keyOf(phase.game, phase.stem));
    if (blind === undefined) return null;
    const texts = this.positions.get(phase.game) ?? [];
    return texts.find((text) => digest === `hmac:${hex(mac(blind, text))}`) ?? null;
  }

  /** The digest of a ruling's whole line, if all were told only its first word; else nothing. */
  sealed(leaf) {
    const text = saidIn(this.view, leaf.game).get(leaf.get("text").replace("sha256:", ""));
    return text === undefined ? "" : toldOf(text).whole;
  }

  /** The line that was sealed, if a letter opens it; else null. */
  whole(leaf) {
    const [wanted, blind] = [this.sealed(leaf), this.blinds.get(keyOf(leaf.game, leaf.get("phase").split("~")[0]))];
    if (!wanted || blind === undefined) return null;
    const texts = [...saidIn(this.view, leaf.game).values()];
    return texts.find((text) => wanted === `hmac:${hex(mac(blind, text))}`) ?? null;
  }

  /** Rulings that are shown are those that were logged. */
  said() {
    for (const [letter, ruling] of this.view.parts("said")) {
      const [number, digest] = [ruling.get("number"), `sha256:${sha(ruling.all("text").join(""))}`];
      const logged = this.view.history(letter.game).filter((leaf) => leaf.kind === "ruling");
      const named = logged.filter((leaf) => leaf.known && leaf.get("number") === number);
      const same = named.some((leaf) =>
        leaf.get("text") === digest || this.whole(leaf) === ruling.all("text").join(""));
      const truth = same || (logged.some((leaf) => !leaf.known) ? null : false);
      this.findings.say("opened", truth, placeOf(letter.where), "ruling {} is not the one that was logged", number);
    }
  }

  /** An edition that is shown is the one that every phase was opened with. */
  editions() {
    for (const [letter, edition] of this.view.parts("edition")) {
      const [told, place] = [`sha256:${sha(edition.all("text").join(""))}`, placeOf(letter.where)];
      const opens = this.view.history(letter.game).filter((leaf) => leaf.kind === "open" && leaf.known);
      if (!opens.length) this.findings.say("opened", null, place,
        "the edition is of a game of which no phase is in letters");
      for (const leaf of opens) {
        const name = leaf.get("phase");
        this.findings.say("opened", leaf.get("edition") === told, place, "the edition is not that of {}", name);
        const same = leaf.get("system") === edition.get("system") && leaf.get("pace") === edition.get("pace");
        this.findings.say("opened", same, place, "{} has other rules, or another pace", name);
      }
    }
  }
}
