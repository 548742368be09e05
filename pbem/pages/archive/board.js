// The map: what lies on it at a moment. Every look was drawn once; moments say where each thing lies, and how it looks.

/** Whoever asked for less motion sees things where they are, and not on their way. */
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const board = { layers: [], things: new Map(), at: 0 };

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
  const root = `<svg xmlns="${SVG}">`;
  const ground = shape("g", { "aria-hidden": "true" });
  ground.append(...drawnFrom(`${root}${data.base}</svg>`).childNodes);
  const looks = shape("defs", {});
  looks.append(...drawnFrom(`${root}${data.looks.map((look) => `<g>${look}</g>`).join("")}</svg>`).childNodes);
  [...looks.children].forEach((look, number) => look.setAttribute("id", `look-${number}`));
  board.layers = Array.from({ length: data.layers }, () => shape("g", {}));
  const svg = shape("svg", { viewBox: `${left} ${top} ${right - left} ${bottom - top}` });
  svg.append(looks, ground, ...board.layers);
  board.things.clear();
  frameMap(svg, [ground], board.layers);
}

/** Show what lies on the map at a moment; what stays as it is is not touched. */
function showBoard(at, still = calm.matches) {
  const laid = laidAt(at);
  const glide = Math.abs(at - board.at) === 1 && !still;
  const moved = [];
  onChange();
  board.at = at;
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
    if (glide && one.now && (one.right !== x || one.down !== y)) moved.push([one, one.right, one.down]);
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
  for (const [one, x, y] of moved) {
    const ways = [[x, y], [one.right, one.down]].map(([right, down]) => `translate(${right}px, ${down}px)`);
    one.animate({ transform: ways }, { duration: 450, easing: "ease-in-out" });
  }
}

/** In a layer what is lower on the map lies above. */
function inOrder(layer) {
  const things = [...layer.children];
  const sorted = [...things].sort((one, other) => one.down - other.down);
  if (sorted.some((one, at) => one !== things[at])) layer.append(...sorted);
}

/** Where counters lie: those that a moment is about, all of them if it is about none. */
function pointsOf(about) {
  const units = [...board.things].filter(([, one]) => one.getAttribute("role") === "img");
  const told = units.filter(([key]) => about?.includes(replay.keys[key][1]));
  return (told.length ? told : units).map(([, { right, down }]) => [right, down]);
}

/** Where less than all of the map is seen: bring what a moment is about into the middle, unless all of it is seen. */
function follow(step) {
  const points = view.zoom > 1 && step.about ? pointsOf(step.about) : [];
  if (!points.every(isSeen)) lookAt(middleOf(points));
}

/** The unit that the list is about, in words, as its counter is called. */
function chosenUnit() {
  const found = [...board.things].find(([key, one]) => replay.keys[key][1] === replay.unit && one.ariaLabel);
  return found ? found[1].ariaLabel : "";
}
