// The map: drawn elsewhere and copied in; its counters and places answer to mouse, keys and touch.

const counters = new Map();
const outlines = new Map();

/** Lay the map into the page, where it is seen: counters get rings for when they are chosen, plans a layer above. */
function layMap(text) {
  frameMap(drawnFrom(text));
  view.plans = shape("g", { id: "plans", "aria-hidden": "true" });
  view.svg.append(view.plans);
  counters.clear();
  outlines.clear();
  for (const one of view.svg.querySelectorAll("[data-place]")) outlines.set(one.dataset.place, one);
  for (const one of view.svg.querySelectorAll("[data-unit]")) {
    const { x, y, width, height } = one.box = one.getBBox();
    one.append(shape("rect", { class: "ring", x: x - 2, y: y - 2, width: width + 4, height: height + 4, rx: 4 }));
    counters.set(one.dataset.unit, one);
    one.addEventListener("click", () => onCounter(one.dataset.unit));
  }
  for (const [place, one] of outlines) one.addEventListener("click", () => onPlace(place));
  for (const child of view.svg.querySelectorAll("text")) child.setAttribute("aria-hidden", "true");
}

/** The middle of something on the map, in the map's own lengths. */
function middle(one) {
  if (!one) return null;
  const { x, y, width, height } = one.box ?? one.getBBox();
  return { x: x + width / 2, y: y + height / 2 };
}

/** What stands in a place, as a box around all of it; the middle of its outline where nothing does. */
function boxOf(place) {
  const standing = desk.units.filter((unit) => unit.place === place);
  const here = standing.map((unit) => counters.get(unit.id)?.box).filter(Boolean);
  if (!here.length) {
    const at = middle(outlines.get(place));
    return at && { x: at.x, y: at.y, width: 0, height: 0 };
  }
  const [x, y] = [Math.min(...here.map((one) => one.x)), Math.min(...here.map((one) => one.y))];
  const right = Math.max(...here.map((one) => one.x + one.width));
  return { x, y, width: right - x, height: Math.max(...here.map((one) => one.y + one.height)) - y };
}

/** Show a place that was chosen beside the map, where its counters are not in the frame. */
function bringIntoFrame(place) {
  const { x, y, width, height } = boxOf(place) ?? view.seen;
  const { x: left, y: top, width: wide, height: high } = view.seen;
  if (x < left || y < top || x + width > left + wide || y + height > top + high) {
    lookAt([x + width / 2, y + height / 2]);
  }
}

/** Where the way from the middle of a box to another point leaves the box. */
function rim({ x, y, width, height }, to) {
  const from = { x: x + width / 2, y: y + height / 2 };
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const share = Math.min(1, (width / 2 + 3) / Math.abs(dx || 1e-9), (height / 2 + 3) / Math.abs(dy || 1e-9));
  return { x: from.x + dx * share, y: from.y + dy * share };
}

/** An arrow for each order that leads somewhere, from the rim of what stands there to the rim of what stands here. */
function drawPlans(plans) {
  view.plans.replaceChildren(...plans.flatMap(({ from, to, hostile }) => {
    const [first, last] = [boxOf(from), boxOf(to)];
    if (!first || !last || from === to) return [];
    const centre = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
    const [here, there] = [centre(first), centre(last)];
    const long = Math.hypot(there.x - here.x, there.y - here.y) || 1;
    const [x, y] = [(there.x - here.x) / long, (there.y - here.y) / long];
    const [out, tip] = [rim(first, there), rim(last, here)];
    // Where both stand close together there is no room between them.
    const apart = (tip.x - out.x) * x + (tip.y - out.y) * y;
    const start = apart > 24 ? out : { x: tip.x - x * 30, y: tip.y - y * 30 };
    const back = { x: tip.x - x * 12, y: tip.y - y * 12 };
    const d = `M${start.x} ${start.y}L${back.x} ${back.y}`;
    const head = `M${tip.x} ${tip.y}L${back.x - y * 7} ${back.y + x * 7}L${back.x + y * 7} ${back.y - x * 7}Z`;
    const kind = hostile ? " hostile" : "";
    const drawn = [["rim", d], [`way${kind}`, d], [`head${kind}`, head]];
    return drawn.map(([name, line]) => shape("path", { class: name, d: line }));
  }));
}

/** What on the map can be reached by key: one of it at a time by Tab, the others by arrows. */
const reachable = () => [...counters.values(), ...outlines.values()]
  .filter((one) => one.getAttribute("role") === "button");

function rove(focus) {
  const all = reachable();
  const now = all.includes(focus) ? focus : all.find((one) => one.getAttribute("tabindex") === "0") ?? all[0];
  for (const one of all) one.setAttribute("tabindex", one === now ? "0" : "-1");
}

/** The nearest thing that way. */
function neighbour(from, [dx, dy]) {
  const here = middle(from);
  let [best, found] = [Infinity, null];
  for (const one of reachable()) {
    const there = middle(one);
    const [x, y] = [there.x - here.x, there.y - here.y];
    const [along, aside] = [x * dx + y * dy, Math.abs(x * dy) + Math.abs(y * dx)];
    if (one !== from && along > 1 && along + 2 * aside < best) [best, found] = [along + 2 * aside, one];
  }
  return found;
}

function onMapKey(event) {
  const one = event.target.closest("[data-unit], [data-place]");
  if (!one) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    view.touched = false;
    if (one.dataset.unit) onCounter(one.dataset.unit, true);
    else onPlace(one.dataset.place);
  } else if (ARROWS[event.key] && !event.shiftKey) {
    event.preventDefault();
    const next = neighbour(one, ARROWS[event.key]);
    if (!next) return;
    rove(next);
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
