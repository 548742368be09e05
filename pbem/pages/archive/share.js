// Pictures to be passed on: of a moment as PNG, of a turn as animated GIF, painted from what the page draws.

/** Widths in pixels, and for how many seconds a step and the last one are shown. */
const SHARED = { moment: 1200, turn: 720, hold: 1, end: 3 };

/** Paint an element of a drawing, and all that is in it, as it looks on the page. */
function paint(pen, one) {
  if (one.localName === "defs" || one.getAttribute("display") === "none") return;
  pen.save();
  for (const { matrix: { a, b, c, d, e, f } } of one.transform.baseVal) pen.transform(a, b, c, d, e, f);
  if (one.localName === "use") paint(pen, $(one.getAttribute("href").slice(1)));
  else if (one.localName === "g") for (const child of one.children) paint(pen, child);
  else paintShape(pen, one, getComputedStyle(one));
  pen.restore();
}

function paintShape(pen, one, look) {
  const lengths = (...names) => names.map((name) => Number(one.getAttribute(name) ?? 0));
  const path = new Path2D(one.getAttribute("d") ?? "");
  if (one.localName === "rect") path.roundRect(...lengths("x", "y", "width", "height"), lengths("rx"));
  if (one.localName === "circle") path.arc(...lengths("cx", "cy", "r"), 0, 2 * Math.PI);
  if (one.localName === "ellipse") path.ellipse(...lengths("cx", "cy", "rx", "ry"), 0, 0, 2 * Math.PI);
  Object.assign(pen, {
    fillStyle: look.fill, strokeStyle: look.stroke, lineWidth: parseFloat(look.strokeWidth),
    lineJoin: look.strokeLinejoin, lineCap: look.strokeLinecap,
    font: `${look.fontStyle} ${look.fontWeight} ${look.fontSize} ${look.fontFamily}`,
    textAlign: { middle: "center" }[look.textAnchor] ?? look.textAnchor, letterSpacing: look.letterSpacing,
  });
  pen.setLineDash(look.strokeDasharray === "none" ? [] : look.strokeDasharray.split(",").map(parseFloat));
  // A name that has a length is condensed to it.
  const most = one.hasAttribute("textLength") ? lengths("textLength") : [];
  const words = one.localName === "text" ? [one.textContent, ...lengths("x", "y"), ...most] : null;
  const ways = {
    fill: () => (words ? pen.fillText(...words) : pen.fill(path)),
    stroke: () => (words ? pen.strokeText(...words) : pen.stroke(path)),
  };
  for (const way of look.paintOrder.startsWith("stroke") ? ["stroke", "fill"] : ["fill", "stroke"]) {
    pen.globalAlpha = look[`${way}Opacity`];
    if (look[way] !== "none") ways[way]();
  }
}

/** The lines of a text that is broken to a width, at most so many. */
function broken(pen, text, wide, most) {
  const lines = [""];
  for (const part of text.split(" ")) {
    const longer = `${lines.at(-1)} ${part}`.trim();
    if (pen.measureText(longer).width <= wide) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1]} ...`] : lines;
}

/** A painter of moments on one canvas: title, the part of the map that is seen, and below it what happens. */
function painter(wide) {
  const { x, y, width, height } = seenBox();
  const [scale, edge, line, colours] = [wide / width, wide / 60, wide / 36, getComputedStyle(document.body)];
  const [head, foot, tall] = [line * 2, line * 3.2, Math.round(height * wide / width)];
  showDetail(scale);
  const canvasOf = (height) => Object.assign(document.createElement("canvas"), { width: wide, height });
  const canvas = canvasOf(Math.round(head + tall + foot));
  const pen = canvas.getContext("2d", { willReadFrequently: true, alpha: false });
  const ground = canvasOf(tall);
  const onMap = (on, ...parts) => {
    on.save();
    on.scale(scale, scale);
    on.translate(-x, -y);
    for (const part of parts) paint(on, part);
    on.restore();
  };
  const [, base, ...layers] = view.svg.children;
  onMap(ground.getContext("2d"), base);
  const write = (text, bold, size, top) => {
    pen.font = `${bold ? "bold " : ""}${size}px Georgia, "DejaVu Serif", serif`;
    broken(pen, text, wide - 2 * edge, 3).forEach((words, at) => pen.fillText(words, edge, top + at * size * 1.3));
  };
  return (at) => {
    const step = replay.steps[at];
    showBoard(at, true);
    pen.fillStyle = colours.backgroundColor;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.save();
    pen.translate(0, head);
    pen.beginPath();
    pen.rect(0, 0, wide, tall);
    pen.clip();
    pen.drawImage(ground, 0, 0);
    onMap(pen, ...layers);
    pen.restore();
    pen.fillStyle = colours.color;
    write(`${spoken(replay.title)} · ${titleOf(step)}`, true, line * 0.85, head - line * 0.7);
    write(step.text ? spoken(step.text) : spoken(step.moment), false, line * 0.75, head + tall + line);
    return canvas;
  };
}

/** The steps of the turn that is shown, from the position before it. */
function stepsOfTurn() {
  const turnOf = ({ chapter }) => replay.chapters[Math.max(chapter, 0)].turn;
  const turn = turnOf(replay.steps[replay.now]);
  const steps = replay.steps.flatMap((step, at) => (turnOf(step) === turn ? [at] : []));
  return { turn, steps: steps[0] ? [steps[0] - 1, ...steps] : steps };
}

/** Hand a file to the reader: on a telephone to another program, else to be kept; and tell how large it is. */
async function pass(file) {
  const size = new Intl.NumberFormat(language).format(Math.ceil(file.size / 1000));
  $("shared").textContent = word("shared", { file: file.name, size });
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [file] })) {
    const refused = await navigator.share({ files: [file] }).catch((wrong) => wrong.name !== "AbortError");
    if (refused !== true) return;
  }
  const link = made("a", "", { href: URL.createObjectURL(file), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** Make a picture while its button waits, then show the moment again. */
async function share(make) {
  const buttons = [$("picture"), $("film")];
  play(false);
  for (const one of buttons) one.disabled = true;
  $("shared").textContent = word("painting");
  await new Promise((done) => setTimeout(done));
  const file = await make();
  showBoard(replay.now, true);
  showDetail();
  for (const one of buttons) one.disabled = false;
  await pass(file);
}

const fileOf = (data, name, type) => new File([data], `${replay.game}-${name}`.replace(/[^\w.-]+/g, "-"), { type });

async function pictureOfMoment() {
  const canvas = painter(SHARED.moment)(replay.now);
  const data = await new Promise((done) => canvas.toBlob(done, "image/png"));
  return fileOf(data, `${replay.steps[replay.now].at}.png`, "image/png");
}

async function filmOfTurn() {
  const { turn, steps } = stepsOfTurn();
  const [draw, frames] = [painter(SHARED.turn), []];
  for (const at of steps) {
    const canvas = draw(at);
    frames.push(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height));
    await new Promise((done) => setTimeout(done));
  }
  const seconds = frames.map((_, at) => (at === frames.length - 1 ? SHARED.end : SHARED.hold));
  return fileOf(animated(frames, seconds), `T${turn}.gif`, "image/gif");
}
