// What is told to the reader, in his language: SPANISH, WHAT and LABELS are the tables of the other verifier.

const LANGUAGES = ["en", "es"];
const MOST_REASONS = 3;
const GRADE_B =
  "{}: grade B. The dice could not be foreseen by anybody, if the clock of your mail server is right; seen by {}.";

let language = "en";

/** A sentence in the reader's language, and in its gaps what is said, in that language too if it is a sentence. */
function said(sentence, ...given) {
  const told = (text) => (language === "es" && Object.hasOwn(SPANISH, text) ? SPANISH[text] : text);
  return filled(told(sentence), given.map((one) => (typeof one === "string" ? told(one) : one)));
}

const toldFinding = (one) => (one.place.where ? `${one.place.where}: ` : "") + said(one.why, ...one.given);

/** By whom the closed list was seen in time. */
function counted({ letters, witnesses }) {
  const told = [];
  if (letters) told.push(said(letters === 1 ? "a letter" : "{} letters", letters));
  if (witnesses) told.push(said(witnesses === 1 ? "a witness" : "{} witnesses", witnesses));
  return told.join(said(" and "));
}

/** The first reasons of a phase. */
function reasonsOf(phase, truth) {
  const told = [...new Set(phase.found.filter((one) => one.truth === truth).map((one) => said(one.why, ...one.given)))];
  const more = told.length > MOST_REASONS ? [said("and {} more", told.length - MOST_REASONS)] : [];
  return [...told.slice(0, MOST_REASONS), ...more].join("; ");
}

/** The sentence of a phase; with the name of its game where there are several. */
function toldPhase(phase, alone) {
  const stem = phase.name.split("~")[0];
  const name = alone ? stem : `${phase.game} ${stem}`;
  const { grade, worth } = phase;
  let told = "";
  if (grade === FALSE) told = said("{}: FALSE. These dice are not to be believed: {}.", name, reasonsOf(phase, false));
  else if (grade === "A") {
    told = said("{}: grade A. The dice could not be foreseen by anybody; seen by {}.", name, counted(worth));
  }
  else if (grade === "B") told = said(GRADE_B, name, counted(worth));
  else {
    const why = worth.why.map((one) => said(one.why, ...one.given)).join("; ");
    told = said("{}: grade C. Nobody else could foresee the dice; the server could have: {}.", name, why);
  }
  if (phase.attempts > 1) told += ` ${said("It is attempt {} of {}.", String(phase.attempt || ""), phase.attempts)}`;
  const open = reasonsOf(phase, null);
  return open ? `${told} ${said("Not checked: {}.", open)}` : told;
}

/** All of it in a sentence. */
function toldWhole(verdict) {
  if (verdict.code === 0) return said("All of it is true.");
  if (verdict.code === 2) return said("Nothing is false; not everything could be checked.");
  const wrong = verdict.lines.filter((line) => line.status === FALSE).map((line) => line.check).join(", ");
  return said("Something is FALSE: {}. Keep these letters, and show them to the others.", wrong);
}
