// All checks over the letters of a mailbox: each line is true, false, or not checked, and never left unsaid.

/** The letters that can be read; of each other one a line says why not. */
function readLetters(items, findings) {
  const [letters, seen] = [[], new Set()];
  for (const item of items) {
    const place = placeOf(item.where);
    const key = `${item.received} ${item.data}`;
    if (item.trouble) {
      findings.say("form", null, place, item.trouble.why, ...item.trouble.given);
    } else if (!seen.has(key)) {
      seen.add(key);
      try {
        letters.push(new Letter(item));
        findings.say("form", true, place);
      } catch (wrong) {
        if (!(wrong instanceof Bad)) throw wrong;
        findings.say("form", wrong instanceof TooMuch ? null : false, place, wrong.why, ...wrong.given);
      }
    }
  }
  if (!items.length) findings.say("form", null, placeOf(""), "there is no pbemdice.txt here");
  return letters;
}

/** The keys of witnesses as they are told; Bad if one is none. */
function witnessKeys(texts) {
  const keys = [...new Set(texts)].map(logKey);
  if (keys.some((key) => key.kind !== COSIGNATURE)) {
    throw new Bad("a key after --witness is no witness's: its owner prints the right one with `pbem witness key`");
  }
  return keys;
}

/** Whom the reader believes: the key of the log, if he knows it from elsewhere, witnesses, and how many must agree. */
function readerOf(pin, witnesses, quorum = "1") {
  const [keys, needed] = [witnessKeys(witnesses), Number(quorum)];
  if (!/^[0-9]+$/.test(quorum) || needed < 1 || needed > Math.max(1, keys.length)) {
    throw new Bad("--quorum N: so many of the witnesses that you name must agree, 1 or more");
  }
  return { pin: pin ? logKey(pin) : null, witnesses: keys, quorum: needed };
}

/** Hold letters of one server against each other.
 *
 * `breathe` is waited for between the steps, for the page to be used.
 */
async function verifyLetters(items, reader, breathe = () => null) {
  const findings = new Findings();
  const known = [];
  let [keys, worth] = [null, null];
  for (const epoch of epochsOf(readLetters(items, findings))) {
    const view = new LogView(epoch.letters, findings);
    await breathe();
    keys = findKeys(view, findings, reader.pin);
    checkLog(view, findings, keys);
    checkWars(view, findings, keys);
    checkTournaments(view, findings, keys);
    checkBoards(view, findings, keys);
    checkPhases(view, findings, keys);
    await breathe();
    new Orders(view, findings, keys).check();
    await breathe();
    new Rolls(view, findings, keys).check();
    await breathe();
    const timing = new Timing(view, findings, keys);
    timing.believe(reader.witnesses, reader.quorum);
    timing.earlier = known.map((before) => before.view);
    worth = timing.check();
    known.push({ epoch, view });
  }
  checkRecovery(known, findings);
  return verdictOf(findings, known[known.length - 1].view, worth, keys);
}

const findingKey = ({ check, truth, place, why, given }) =>
  keyOf(check, truth, place.where, place.game, place.phase, why, ...given);

/** Each finding once, in their order. */
function onceEach(found) {
  const known = new Map();
  for (const one of found) if (!known.has(findingKey(one))) known.set(findingKey(one), one);
  return [...known.values()];
}

/** What was found, put together: all lines, the phases, and what is to be compared with the others. */
function verdictOf(findings, view, worth, keys) {
  const lines = CHECKS.map((check) => {
    const found = onceEach(findings.found.filter((one) => one.check === check));
    found.sort((one, other) => (one.truth === null) - (other.truth === null));
    return { check, status: findings.status(check), held: findings.held.get(check), found };
  });
  const begun = (key) => `${view.phases.get(key).game}\n${String(view.phases.get(key).opened.seq).padStart(18)}`;
  const phases = [...worth.keys()].sort((one, other) => (begun(one) < begun(other) ? -1 : 1)).map((key) => {
    const { game, name, stem, attempt } = view.phases.get(key);
    const attempts = [...view.phases.values()].filter((other) => other.game === game && other.stem === stem).length;
    const found = onceEach(findings.found.filter((one) => one.place.game === game && one.place.phase === name));
    const grade = found.some((one) => one.truth === false) ? FALSE : worth.get(key).grade;
    return { game, name, attempt, attempts: Math.max(attempts, attempt), worth: worth.get(key), found, grade };
  });
  const newest = view.letters[view.letters.length - 1];
  const key = keys.logs[keys.logs.length - 1]?.text ?? "-";
  const compare = newest ? `${key} | ${newest.size} | ${hex(newest.root)}` : "";
  const isThere = (status) => lines.some((line) => line.status === status);
  const code = isThere(FALSE) ? 1 : isThere(NOT_CHECKED) ? 2 : 0;
  return { lines, phases, compare, code, byHand: findings.byHand, dice: findings.dice };
}
