// The replay: which moment is shown, how one goes to another, and everything on the page that follows from that.

const tongues = Object.keys(TONGUES);
let language = "en";

/** What was laid in, and where the reader is. */
const replay = { now: 0, playing: 0, unit: "", place: "", steps: [] };

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
  pointCurves();
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

/** From one step to the next, in thousandths of a second. */
const PACE = 1000;
const ICONS = { play: "M7 4l13 8-13 8z", pause: "M6 5h4v14H6zM14 5h4v14h-4z" };

/** Begin to play, a step a second, or stop. */
function play(on) {
  clearInterval(replay.playing);
  replay.playing = on ? setInterval(playOn, PACE) : 0;
  showPlay();
}

function playOn() {
  const to = next(1);
  if (to === replay.now) return play(false);
  go(to, true);
}

function showPlay() {
  const name = replay.playing ? "pause" : "play";
  $("play").querySelector("path").setAttribute("d", ICONS[name]);
  $("play").title = word(name);
  // The button that sets it going stands out while it stands still.
  $("play").classList.toggle("first", !replay.playing);
  $("play").setAttribute("aria-label", word(name));
}

/** Whoever touches anything wants to look at it; the button and the space bar begin and stop. */
function onTouch(event) {
  const bar = event.key === " " && !event.target.closest("button, a, summary, input, select, textarea");
  if (bar) event.preventDefault();
  if (bar) return play(!replay.playing);
  const presses = event.type === "pointerdown" || [" ", "Enter"].includes(event.key);
  if (replay.playing && !(presses && event.target.closest("#play"))) play(false);
}

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
  layCurves();
  showPlay();
  $("checked").textContent = "";
  go(replay.now, true);
}

async function start() {
  Object.assign(replay, JSON.parse(await unpacked(laid("archive"))), { now: 0, unit: "", place: "" });
  // The later steps of a happening say what its first one says.
  replay.steps.forEach((step, at) => step.part?.[0] > 1 && Object.assign(step, { ...replay.steps[at - 1], ...step }));
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
  for (const name of ["pointerdown", "pointermove"]) $("strips").addEventListener(name, seek);
  $("play").addEventListener("click", () => play(!replay.playing));
  startZoom();
  $("copy").addEventListener("click", copyLink);
  $("picture").addEventListener("click", () => share(pictureOfMoment));
  $("film").addEventListener("click", () => share(filmOfTurn));
  $("check").addEventListener("click", checkAll);
  addEventListener("hashchange", () => onLink());
  document.addEventListener("keydown", onKey);
  for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, onTouch, true);
  replay.now = Math.max(0, named(decodeURIComponent(location.hash.slice(1))));
  showWords();
  view.chosen = chosenUnit;
  // On a large screen all of the map is seen at first.
  openNear(pointsOf(replay.steps[replay.now].about));
  if (!location.hash.slice(1).replace("start", "") && !calm.matches) play(true);
}

start();
