// The map: what lies on it at a moment. Every look was drawn once; moments say where each thing lies, and how it looks.

const board = { svg: null, layers: [], things: new Map(), box: [0, 0, 1, 1], zoom: 1 };

/** All that lies on the map at a moment: from the last moment that tells all of it, and what changed since. */
function laidAt(at) {
  let first = at;
  while (first % WHOLE) first--;
  const found = new Map();
  for (let step = first; step <= at; step++) {
    for (const [key, ...laid] of replay.steps[step].parts) {
      if (laid.length) found.set(key, laid);
      else found.delete(key);
    }
  }
  return found;
}

/** Make the map ready: the ground, the looks to be used, a group for each layer. */
function layGround(data) {
  const [left, top, right, bottom] = data.box;
  board.box = data.box;
  const root = `<svg xmlns="${SVG}">`;
  const ground = shape("g", { "aria-hidden": "true" });
  ground.append(...drawnFrom(`${root}${data.base}</svg>`).childNodes);
  const looks = shape("defs", {});
  looks.append(...drawnFrom(`${root}${data.looks.map((look) => `<g>${look}</g>`).join("")}</svg>`).childNodes);
  [...looks.children].forEach((look, number) => look.setAttribute("id", `look-${number}`));
  board.layers = Array.from({ length: data.layers }, () => shape("g", {}));
  board.svg = shape("svg", { viewBox: `${left} ${top} ${right - left} ${bottom - top}` });
  board.svg.append(looks, ground, ...board.layers);
  board.things.clear();
  $("map").replaceChildren(board.svg);
  $("map").style.setProperty("--ratio", (right - left) / (bottom - top));
}

/** Show what lies on the map at a moment; what stays as it is is not touched. */
function showBoard(at) {
  const laid = laidAt(at);
  for (const [key, one] of board.things) {
    if (!laid.has(key)) {
      one.remove();
      board.things.delete(key);
    }
  }
  for (const [key, [look, x, y, place]] of laid) {
    const [layer, name] = replay.keys[key];
    let one = board.things.get(key);
    if (!one) {
      one = shape("g", { "data-key": key });
      one.append(shape("use", {}));
      board.layers[layer].append(one);
      board.things.set(key, one);
      if (place !== undefined) one.addEventListener("click", () => onlyUnit(name));
    }
    const now = `${look} ${x} ${y} ${place} ${language}`;
    if (one.now === now) continue;
    Object.assign(one, { now, right: x, down: y });
    one.setAttribute("transform", `translate(${x} ${y})`);
    one.firstChild.setAttribute("href", `#look-${look}`);
    if (place === undefined) {
      one.setAttribute("aria-hidden", "true");
    } else {
      one.setAttribute("role", "img");
      one.setAttribute("aria-label", [nameOf(name), spoken(replay.captions[look]), nameOf(place)].join(", "));
    }
  }
  for (const layer of board.layers) inOrder(layer);
}

/** In a layer what is lower on the map lies above. */
function inOrder(layer) {
  const things = [...layer.children];
  const sorted = [...things].sort((one, other) => one.down - other.down);
  if (sorted.some((one, at) => one !== things[at])) layer.append(...sorted);
}

/** How large the map is shown: at 1 all of it is seen; it is scrolled as a page is. */
function zoomTo(zoom) {
  const [left, top, right, bottom] = board.box;
  const frame = $("map");
  const [x, y] = [frame.scrollLeft + frame.clientWidth / 2, frame.scrollTop + frame.clientHeight / 2];
  const by = Math.min(4, Math.max(1, zoom)) / board.zoom;
  board.zoom *= by;
  const fit = Math.min(frame.clientWidth / (right - left), frame.clientHeight / (bottom - top));
  board.svg.setAttribute("width", Math.floor((right - left) * fit * board.zoom));
  board.svg.setAttribute("height", Math.floor((bottom - top) * fit * board.zoom));
  frame.scrollTo(x * by - frame.clientWidth / 2, y * by - frame.clientHeight / 2);
}

/** Where less than all of the map is seen: bring what a moment is about into the middle. */
function follow(step) {
  if (board.zoom <= 1 || !step.about) return;
  const [left, top, right] = board.box;
  const by = board.svg.width.baseVal.value / (right - left);
  const about = [...board.things].filter(([key]) => step.about.includes(replay.keys[key][1])).map(([, one]) => one);
  if (!about.length) return;
  const mean = (side) => about.reduce((sum, one) => sum + one[side], 0) / about.length;
  const frame = $("map");
  const [x, y] = [(mean("right") - left) * by, (mean("down") - top) * by];
  frame.scrollTo(x - frame.clientWidth / 2, y - frame.clientHeight / 2);
}
