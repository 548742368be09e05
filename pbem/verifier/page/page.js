// The page itself: letters come in, what was found goes out. Text is set as text, never as markup.

const $ = (id) => document.getElementById(id);
const state = { items: [], files: 0, without: 0, pasted: 0, judged: null };

function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** A file as a string with a character for each byte. */
async function bytesOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let out = "";
  for (let at = 0; at < bytes.length; at += 8192) out += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return out;
}

async function addFiles(files) {
  for (const file of files) {
    const found = lettersOf(file.webkitRelativePath || file.name, await bytesOf(file));
    state.items.push(...found);
    state[found.length ? "files" : "without"] += 1;
  }
  await check();
}

async function addPasted() {
  const text = $("pasted").value;
  if (!text.trim()) return;
  state.pasted += 1;
  const bytes = Array.from(utf8(text), (byte) => String.fromCharCode(byte)).join("");
  const found = lettersOfPaste(`#${state.pasted}`, bytes);
  state.items.push(...found);
  state[found.length ? "files" : "without"] += 1;
  $("pasted").value = "";
  await check();
}

/** Check all letters that are here; what the page shows changes when it is done. */
async function check() {
  if (!globalThis.crypto?.subtle) {
    $("state").textContent = said(WORDS.no_crypto);
    return;
  }
  $("state").textContent = said(WORDS.working);
  await new Promise((done) => setTimeout(done));
  try {
    const witnesses = $("witnesses").value.split("\n").map((line) => line.trim()).filter(Boolean);
    state.judged = await judge([...state.items], $("pin").value.trim(), witnesses);
    state.fault = null;
  } catch (wrong) {
    state.fault = wrong;
    state.judged = null;
  }
  show();
  if (state.judged) $("found").focus();
}

function clear() {
  Object.assign(state, { items: [], files: 0, without: 0, pasted: 0, judged: null, fault: null });
  for (const id of ["pasted", "files", "folder"]) $(id).value = "";
  show();
}

/** Everything that depends on language or letters. */
function show() {
  document.documentElement.lang = LANGUAGES[language];
  document.title = said(WORDS.title);
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = said(WORDS[one.dataset.word]);
  for (const one of document.querySelectorAll(".language")) {
    one.setAttribute("aria-pressed", one.lang === LANGUAGES[language]);
  }
  const { items, files, without, fault } = state;
  const loaded = files + without ? said(WORDS.loaded, items.length, files, without) : "";
  $("state").textContent = fault ? faulty(fault) : loaded;
  $("results").hidden = !state.judged;
  if (state.judged) showFound(verdict(state.judged));
}

const faulty = (wrong) => (wrong instanceof Bad ? said(["{0}", "{0}"], wrong) : said(WORDS.fault, wrong.message));

function showFound(lines) {
  const worst = ["false", "open", "ok"].find((status) => lines.some((line) => line.status === status));
  $("verdict").textContent = said(WORDS[`all_${worst}`]);
  $("verdict").className = worst;
  $("checks").replaceChildren(...lines.map(checkLine));
  showGrades();
  showDice();
  $("hand").hidden = !state.judged.byHand;
  $("shell").textContent = state.judged.byHand;
}

const MARKS = { ok: "✓", false: "✗", open: "?" };

function checkLine({ check, status, held, why }) {
  const line = element("li");
  line.id = `check-${check}`;
  line.dataset.status = status;
  const [title, what] = WHAT[check].slice(2 * language);
  const words = element("span", "", "what");
  words.append(element("strong", title), ` – ${what}`);
  line.append(element("span", `${MARKS[status]} ${said(WORDS[status])}`, `status ${status}`));
  line.append(words, element("span", held || why.length ? said(WORDS.held, held) : said(WORDS.none_held), "held"));
  const reasons = [...new Set(why.map(({ word, rest }) => said(REASONS[word], ...rest)))];
  if (reasons.length) {
    const list = element("ul", "", "why");
    list.append(...reasons.map((reason) => element("li", reason)));
    line.append(list);
  }
  return line;
}

/** The grade that the newest letter claims for each phase, in words; whether it is deserved is a check of its own. */
function showGrades() {
  const claims = new Map();
  const deserved = verdict(state.judged).find((line) => line.check === "timing").status === "ok";
  for (const { head } of state.judged.all) {
    if (head.get("grade") !== "-") claims.set(`${head.get("game")} ${head.get("phase")}`, head.get("grade"));
  }
  const lines = ["A", "B", "C"].flatMap((grade) => {
    const phases = [...claims].filter(([, claim]) => claim === grade).map(([phase]) => phase);
    const words = grade === "A" && !deserved ? "grade_A_open" : `grade_${grade}`;
    return phases.length ? [element("dt", said(WORDS[words])), element("dd", phases.join(", "))] : [];
  });
  $("graded").hidden = !lines.length;
  $("grades").replaceChildren(...lines);
}

/** A table for each phase in the order of the log, a row for each roll. */
function showDice() {
  const phases = new Map();
  const begun = ({ game, phase }) => Number(state.judged.phaseOf(game, phase)[0].at);
  for (const one of [...state.judged.dice].sort((a, b) => begun(a) - begun(b))) {
    const key = `${one.game} ${one.phase}`;
    phases.set(key, [...(phases.get(key) || []), one]);
  }
  $("thrown").hidden = !phases.size;
  $("dice").replaceChildren(...[...phases].map(([phase, rolls]) => diceTable(phase, rolls)));
}

function diceTable(phase, rolls) {
  const table = element("table");
  const head = element("tr");
  for (const word of ["number", "label", "rolled", "values", "verdict"]) {
    const cell = element("th", said(WORDS[word]));
    cell.scope = "col";
    head.append(cell);
  }
  const top = element("thead");
  top.append(head);
  const rows = element("tbody");
  for (const one of rolls.sort((a, b) => a.number - b.number)) {
    const row = element("tr");
    for (const text of [one.number, one.label, one.what, one.values.join(" ")]) row.append(element("td", text));
    const status = one.good ? "ok" : "false";
    row.append(element("td", `${MARKS[status]} ${said(WORDS[status])}`, `status ${status}`));
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
  language = Math.max(0, LANGUAGES.indexOf((navigator.language || "en").slice(0, 2)));
  for (const one of document.querySelectorAll(".language")) {
    one.addEventListener("click", () => {
      language = LANGUAGES.indexOf(one.lang);
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
