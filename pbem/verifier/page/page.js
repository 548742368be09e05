// The page itself: letters come in, what was found goes out. Text is set as text, never as markup.

const $ = (id) => document.getElementById(id);
const state = { items: [], files: 0, without: 0, pasted: 0, verdict: null, fault: null, asked: 0 };

/** A word of the page in the reader's language, its gaps filled. */
const word = (name, ...given) => filled(WORDS[name][LANGUAGES.indexOf(language)], given);

/** What others wrote, as names of files, without what turns the writing round, ends a line or cannot be seen. */
const harmless = (text) => String(text).replace(/[^ \P{Z}]|\p{C}/gu,
  (char) => `\\u${char.codePointAt(0).toString(16).padStart(4, "0")}`);

function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = harmless(text);
  if (className) made.className = className;
  return made;
}

async function addFiles(files) {
  for (const file of [...files].slice(0, MOST_FILES)) {
    const where = file.webkitRelativePath || file.name;
    const bytes = file.size > MOST_BYTES ? null : fromArray(new Uint8Array(await file.arrayBuffer()));
    const large = () => [unread(where, "it is larger than {} MiB: part it", MOST_BYTES >> 20)];
    take(bytes === null ? large() : itemsOf(where, bytes));
  }
  await check();
}

async function addPasted() {
  const text = $("pasted").value;
  if (!text.trim()) return;
  state.pasted += 1;
  take(itemsOfPaste(`#${state.pasted}`, bytesOfText(text)));
  $("pasted").value = "";
  await check();
}

/** Take in what was in a file. */
function take(items) {
  state.items = state.items.concat(items);
  state[items.some((item) => !item.trouble) ? "files" : "without"] += 1;
}

const breathe = () => new Promise((done) => setTimeout(done));

/** Check all letters that are here; what the page shows changes when it is done. */
async function check() {
  state.asked += 1;
  const asked = state.asked;
  $("state").textContent = word("working");
  await breathe();
  let [verdict, fault] = [null, null];
  try {
    const witnesses = $("witnesses").value.split("\n").map((line) => line.trim()).filter(Boolean);
    const reader = readerOf($("pin").value.trim(), witnesses, $("quorum").value.trim() || "1");
    verdict = await verifyLetters([...state.items], reader, breathe);
  } catch (wrong) {
    fault = wrong;
  }
  if (asked !== state.asked) return;
  Object.assign(state, { verdict, fault });
  show();
  if (verdict) $("found").focus();
}

function clear() {
  const empty = { items: [], files: 0, without: 0, pasted: 0, verdict: null, fault: null };
  Object.assign(state, empty, { asked: state.asked + 1 });
  for (const id of ["pasted", "files", "folder"]) $(id).value = "";
  show();
}

/** Everything that depends on language or letters. */
function show() {
  document.documentElement.lang = language;
  document.title = word("title");
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = word(one.dataset.word);
  $("unasked").textContent = said(UNASKED);
  $("believed").textContent = said(BELIEVED);
  for (const one of document.querySelectorAll(".language")) one.setAttribute("aria-pressed", one.lang === language);
  const { items, files, without, fault, verdict } = state;
  const read = items.filter((item) => !item.trouble).length;
  const loaded = files + without ? word("loaded", read, files, without) : "";
  $("state").textContent = fault ? faulty(fault) : loaded;
  $("results").hidden = !verdict;
  if (verdict) showFound(verdict);
}

const faulty = (wrong) => (wrong instanceof Bad ? said(wrong.why, ...wrong.given) : word("fault", wrong.message));

const CLASSES = { [OK]: "ok", [FALSE]: "false", [NOT_CHECKED]: "open" };
const MARKS = { [OK]: "\u2713", [FALSE]: "\u2717", [NOT_CHECKED]: "?" };

/** The verdict as it is shown: a sentence, one for each phase, the checks, the line to compare, the dice. */
function showFound(verdict) {
  $("verdict").textContent = toldWhole(verdict);
  $("verdict").className = ["ok", "false", "open"][verdict.code];
  const alone = new Set(verdict.phases.map((phase) => phase.game)).size < 2;
  $("told").hidden = !verdict.phases.length;
  $("phases").replaceChildren(...verdict.phases.map((phase) => phaseLine(phase, alone)));
  $("checks").replaceChildren(...verdict.lines.map(checkLine));
  $("compared").hidden = !verdict.compare;
  $("line").textContent = verdict.compare;
  showDice(verdict);
  $("hand").hidden = !verdict.byHand;
  $("shell").textContent = verdict.byHand;
}

function phaseLine(phase, alone) {
  const line = element("li");
  const grade = phase.grade === FALSE ? MARKS[FALSE] : phase.grade;
  line.append(element("span", grade, `grade grade-${phase.grade}`), element("span", toldPhase(phase, alone)));
  return line;
}

function checkLine({ check, status, held, found }) {
  const line = element("li");
  line.id = `check-${check}`;
  line.dataset.status = CLASSES[status];
  const words = element("span", "", "what");
  words.append(element("strong", TITLES[check][LANGUAGES.indexOf(language)]), ` \u2013 ${said(WHAT[check])}`);
  line.append(element("span", `${MARKS[status]} ${said(status)}`, `status ${CLASSES[status]}`));
  line.append(words, element("span", held || found.length ? word("held", held) : word("none_held"), "held"));
  const told = found.map((one) => `${said(one.truth === false ? FALSE : NOT_CHECKED)}: ${toldFinding(one)}`);
  const reasons = [...new Set(told)];
  if (reasons.length) {
    const list = element("ul", "", "why");
    list.append(...reasons.slice(0, MOST_SHOWN).map((reason) => element("li", reason)));
    if (reasons.length > MOST_SHOWN) list.append(element("li", said("and {} more", reasons.length - MOST_SHOWN)));
    line.append(list);
  }
  return line;
}

/** Reasons of a check, rolls, and dice of a roll, beyond which a page is no page any more. */
const [MOST_SHOWN, MOST_ROLLS, MOST_VALUES] = [200, 5000, 100];

/** The values of a roll as its row shows them. */
function valuesShown(told) {
  const values = told.split(",", MOST_VALUES + 1);
  return values.slice(0, MOST_VALUES).join(" ") + (values.length > MOST_VALUES ? " \u2026" : "");
}

/** A table for each phase in the order of the log, a row for each roll. */
function showDice(verdict) {
  const phases = new Map(verdict.phases.map(({ game, name }) => [`${game} ${name}`, []]));
  for (const one of verdict.dice.slice(0, MOST_ROLLS)) {
    const key = `${one.game} ${one.phase}`;
    phases.set(key, [...(phases.get(key) ?? []), one]);
  }
  $("thrown").hidden = !verdict.dice.length;
  const rolled = [...phases].filter(([, rolls]) => rolls.length);
  $("dice").replaceChildren(...rolled.map(([phase, rolls]) => diceTable(phase, rolls)));
}

function diceTable(phase, rolls) {
  const table = element("table");
  const head = element("tr");
  for (const name of ["number", "label", "rolled", "values", "right"]) {
    const cell = element("th", word(name));
    cell.scope = "col";
    head.append(cell);
  }
  const top = element("thead");
  top.append(head);
  const rows = element("tbody");
  for (const one of rolls) {
    const row = element("tr");
    for (const text of [one.number, one.label, one.what, valuesShown(one.told)]) row.append(element("td", text));
    const status = one.right ? OK : FALSE;
    row.append(element("td", `${MARKS[status]} ${said(status)}`, `status ${CLASSES[status]}`));
    rows.append(row);
  }
  table.append(element("caption", phase), top, rows);
  const around = element("div", "", "scroll");
  around.tabIndex = 0;
  around.setAttribute("role", "region");
  around.setAttribute("aria-label", phase);
  around.append(table);
  return around;
}

function start() {
  const mine = (navigator.language || "en").slice(0, 2);
  language = LANGUAGES.includes(mine) ? mine : "en";
  for (const one of document.querySelectorAll(".language")) {
    one.addEventListener("click", () => {
      language = one.lang;
      show();
    });
  }
  $("files").addEventListener("change", () => addFiles($("files").files));
  $("folder").addEventListener("change", () => addFiles($("folder").files));
  $("add").addEventListener("click", addPasted);
  $("again").addEventListener("click", check);
  $("clear").addEventListener("click", clear);
  const drop = $("drop");
  addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("dragover", () => drop.classList.add("over"));
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) addFiles(event.dataTransfer.files);
  });
  show();
}

start();
