// The replay: which moment is shown, how one goes to another, and everything on the page that follows from that.

const tongues = Object.keys(TONGUES);
let language = "en";

/** What was laid in, and where the reader is. */
const replay = { now: 0, unit: "", place: "", steps: [] };

const filledLine = (line, gaps) => line.replace(/\{(\w+)\}/g, (gap, name) => gaps[name] ?? gap);
const word = (name, gaps = {}) => filledLine(WORDS[name][tongues.indexOf(language)], gaps);
const spoken = (pair) => pair[tongues.indexOf(language)] ?? pair[0];
const nameOf = (id) => (replay.names[id] ? spoken(replay.names[id]) : id);

/** Go to a moment, by its place in the row. */
function go(at, quiet = false) {
  replay.now = Math.max(0, Math.min(at, replay.steps.length - 1));
  const step = replay.steps[replay.now];
  if (decodeURIComponent(location.hash.slice(1)) !== step.at) history.replaceState(null, "", `#${step.at}`);
  showBoard(replay.now);
  showMoment();
  follow(step);
  if (!quiet) $("said").textContent = `${titleOf(step)}. ${step.text ? spoken(step.text) : ""}`;
}

/** All that is said of the moment. */
function showMoment() {
  const step = replay.steps[replay.now];
  showHappening(step);
  point();
  pointGraphs();
  $("moment").textContent = spoken(step.moment);
  $("slider").value = replay.now;
  $("slider").setAttribute("aria-valuetext", titleOf(step));
  $("link").href = `#${step.at}`;
  const [first, last] = [replay.now === 0, replay.now === replay.steps.length - 1];
  for (const id of ["first", "back-phase", "back"]) $(id).disabled = first;
  for (const id of ["on", "on-phase", "last"]) $(id).disabled = last;
}

/** The next moment in a direction that the filters let through; the same if there is none. */
function next(way) {
  for (let at = replay.now + way; replay.steps[at]; at += way) if (journal.shown[at]) return at;
  return replay.now;
}

/** The first moment of the next phase, or of this one, or of that before it. */
function nextPhase(way) {
  const { steps, now } = replay;
  const begins = (at) => at === 0 || steps[at].chapter !== steps[at - 1].chapter;
  for (let at = now + way; steps[at]; at += way) if (begins(at)) return at;
  return way > 0 ? steps.length - 1 : 0;
}

/** Lengths of a map beyond which it is shown larger than a telephone. */
const LARGE = 900;

const WAYS = {
  ArrowRight: () => next(1), ArrowLeft: () => next(-1), PageDown: () => nextPhase(1), PageUp: () => nextPhase(-1),
  Home: () => 0, End: () => replay.steps.length - 1,
};
const BUTTONS = {
  first: "Home", "back-phase": "PageUp", back: "ArrowLeft", on: "ArrowRight", "on-phase": "PageDown", last: "End",
};

function onKey(event) {
  const field = event.target.closest("input, select, textarea");
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !WAYS[event.key]) return;
  if (field && field.id !== "slider") return;
  event.preventDefault();
  go(WAYS[event.key]());
}

/** Where a link leads: the moment of that name, or of the first happening of that phase. */
function onLink(quiet = false) {
  const name = decodeURIComponent(location.hash.slice(1));
  const found = named(name);
  if (found >= 0) go(found, quiet);
}

/** The moment of a name; of one that is not there the first of its phase; -1 if there is none either. */
function named(name) {
  const phase = name.split(".").slice(0, 2).join(".");
  const [exact, near] = [(step) => step.at === name, (step) => step.at === phase || step.at.startsWith(`${phase}.`)];
  const found = replay.steps.findIndex(exact);
  return found >= 0 || !phase ? found : replay.steps.findIndex(near);
}

async function copyLink() {
  let done = false;
  try {
    await navigator.clipboard.writeText(location.href);
    done = true;
  } catch {
    done = false;
  }
  $("said").textContent = word(done ? "copied" : "not_copied");
  $("copy").textContent = word(done ? "copied" : "not_copied");
  setTimeout(() => { $("copy").textContent = word("copy"); }, 2000);
}

/** Everything that depends on the language. */
function showWords() {
  document.documentElement.lang = language;
  for (const one of document.querySelectorAll("[data-word]")) one.textContent = word(one.dataset.word);
  for (const one of document.querySelectorAll("[data-name]")) {
    one.setAttribute("aria-label", word(one.dataset.name));
    if (one.localName === "button") one.title = word(one.dataset.name);
  }
  for (const one of document.querySelectorAll(".language")) one.setAttribute("aria-pressed", one.lang === language);
  $("title").textContent = `${spoken(replay.title)}: ${replay.game}`;
  document.title = $("title").textContent;
  $("scope").textContent = word(replay.over ? "all_told" : replay.seat ? "seat_told" : "part_told");
  layJournal();
  layGraphs();
  $("checked").textContent = "";
  go(replay.now, true);
}

async function start() {
  Object.assign(replay, JSON.parse(await unpacked(laid("archive"))), { now: 0, unit: "", place: "" });
  language = replay.language;
  $("replay").hidden = false;
  layGround(replay);
  $("slider").max = replay.steps.length - 1;
  for (const one of document.querySelectorAll(".language")) {
    one.addEventListener("click", () => { language = one.lang; showWords(); });
  }
  for (const [id, key] of Object.entries(BUTTONS)) $(id).addEventListener("click", () => go(WAYS[key]()));
  for (const id of ["unit", "place"]) {
    $(id).addEventListener("change", () => { replay[id] = $(id).value; sift(); });
  }
  $("slider").addEventListener("input", () => go(Number($("slider").value)));
  $("closer").addEventListener("click", () => zoomTo(board.zoom * 1.4));
  $("farther").addEventListener("click", () => zoomTo(board.zoom / 1.4));
  $("copy").addEventListener("click", copyLink);
  $("check").addEventListener("click", checkAll);
  addEventListener("resize", () => {
    zoomTo(board.zoom);
    follow(replay.steps[replay.now]);
  });
  addEventListener("hashchange", () => onLink());
  document.addEventListener("keydown", onKey);
  replay.now = Math.max(0, named(decodeURIComponent(location.hash.slice(1))));
  showWords();
  // On a telephone the counters of a large map could not be read.
  zoomTo($("map").clientWidth < 600 && board.box[2] - board.box[0] > LARGE ? 2 : 1);
  follow(replay.steps[replay.now]);
}

start();
