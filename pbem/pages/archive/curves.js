// The curves under the slider: each side's points and strength, and luck, moment by moment; the line of now is dragged.

/** How high a curve is drawn, in lengths that are stretched to its frame. */
const TALL = 100;
/** Room above the highest value, and below the lowest for the width of the lines. */
const [ABOVE, RIM] = [10, 5];
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];
const strips = [];

/** A line in steps: a value stays until the next. */
function stepped(values, y) {
  return values.map((value, at) => (at ? `H${at}V${y(value)}` : `M0 ${y(value)}`)).join("");
}

/** Formats of numbers, by language and digits: to make one takes longer than to use it. */
const formats = {};
const inLanguage = (value, digits) => (formats[`${language} ${digits.maximumFractionDigits}`]
  ??= new Intl.NumberFormat(language, digits)).format(value);
const format = (value) => inLanguage(value, { maximumFractionDigits: 1 });

/** One graph: what it is, what each side has now, and the curves, with the beginnings of phases and a line for now. */
function stripOf({ title, sides, spread, note }) {
  const [figure, caption] = [made("figure"), made("figcaption", `${spoken(title)} `)];
  const all = [0, ...sides.flatMap((side) => side.values), ...spread, ...spread.map((value) => -value)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const y = (value) => +(ABOVE + (TALL - ABOVE - RIM) * (high - value) / (high - low || 1)).toFixed(1);
  caption.append(made("span", `${format(low)} – ${format(high)}`, { class: "ends" }));
  const last = replay.steps.length - 1;
  const svg = shape("svg", { viewBox: `0 0 ${last} ${TALL}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const begins = ({ chapter }, at) => at > 0 && chapter !== replay.steps[at - 1].chapter;
  const starts = replay.steps.flatMap((step, at) => (begins(step, at) ? [at] : []));
  svg.append(shape("path", { class: "phase", d: starts.map((at) => `M${at} 0V${TALL}`).join("") }));
  if (spread.length) {
    const back = spread.map((value, at) => `L${at} ${y(-value)}`).reverse().join("");
    const band = `M0 ${y(0)}${spread.map((value, at) => `L${at} ${y(value)}`).join("")}${back}Z`;
    svg.append(shape("path", { class: "band", d: band }));
  }
  svg.append(shape("path", { class: "zero", d: `M0 ${y(0)}H${last}` }));
  const values = sides.map(({ name, colour, values: told }, number) => {
    const dashes = DASHES[number % DASHES.length];
    const path = shape("path", { class: "curve", d: stepped(told, y), "stroke-dasharray": dashes });
    path.style.stroke = colour;
    svg.append(path);
    const key = shape("svg", { viewBox: "0 0 22 8", "aria-hidden": "true" });
    const sample = shape("path", { class: "curve", d: "M0 4H22", "stroke-dasharray": dashes });
    sample.style.stroke = colour;
    key.append(sample);
    const value = made("b");
    const side = made("span", "", { class: "side" });
    side.append(key, ` ${spoken(name)} `, value);
    caption.append(" ", side);
    return { value, told };
  });
  const cursor = shape("path", { class: "cursor", d: `M0 0V${TALL}` });
  svg.append(cursor);
  strips.push({ cursor, values });
  figure.append(caption, svg);
  if (note) figure.append(made("p", spoken(note), { class: "soft" }));
  return figure;
}

/** The numbers of the turns, each where its turn begins. */
function turnMarks() {
  const turnAt = (at) => replay.chapters[replay.steps[at]?.chapter]?.turn;
  return replay.steps.flatMap((step, at) => {
    if (!turnAt(at) || turnAt(at) === turnAt(at - 1)) return [];
    const one = made("span", String(turnAt(at)));
    one.style.left = `${100 * at / (replay.steps.length - 1)}%`;
    return [one];
  });
}

/** Points and strength lie under the slider, luck, which is told at the end, below them. */
function layCurves() {
  strips.length = 0;
  $("strips").replaceChildren(...replay.graphs.filter((one) => !one.spread.length).map(stripOf));
  $("turns").replaceChildren(...turnMarks());
  $("luck").replaceChildren(...replay.graphs.filter((one) => one.spread.length).map(stripOf));
}

/** Where the moment that is shown lies on the curves, and what each side has then. */
function pointCurves() {
  for (const { cursor, values } of strips) {
    cursor.setAttribute("transform", `translate(${replay.now} 0)`);
    for (const { value, told } of values) {
      const now = format(told[replay.now]);
      if (value.textContent !== now) value.textContent = now;
    }
  }
}

/** A press or a drag on a curve leads to the moment that lies there. */
function seek(event) {
  const svg = event.target.closest("figure > svg");
  if (!svg || event.buttons !== 1) return;
  svg.setPointerCapture(event.pointerId);
  const { left, width } = svg.getBoundingClientRect();
  go(Math.round((replay.steps.length - 1) * (event.clientX - left) / width), true);
}
