// A map in its frame: at first all of it; larger by wheel, two fingers, buttons and keys, moved by dragging.

const view = { svg: null, zoom: 1, size: [0, 0], dragged: false, words: [], far: null, chosen: () => "" };
const LARGEST = 6;
/** How high names on counters are in lengths of the map, and how many pixels they need to be read. */
const LETTERS = { high: 7.6, least: 9 };
/** Smaller than that the names go, and the strengths and the numbers of stacks grow. */
const FAR = 6.2;
/** How wide counters are in lengths of the map, and how many pixels they need to have the number of their stack. */
const COUNTERS = { wide: 43, least: 20 };
/** The room that a counter takes around its point. */
const AROUND = 45;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Lay a map into the frame, which takes its shape: no band is left beside it. In small its `parts` are shown, and
    while nothing happens those that change. */
function frameMap(svg, parts = [svg], changing = []) {
  const [, , wide, high] = svg.getAttribute("viewBox").split(" ").map(Number);
  document.documentElement.style.setProperty("--ratio", wide / high);
  Object.assign(view, { svg, far: null, words: [...svg.querySelectorAll("text")].map(wordOnMap) });
  $("map").replaceChildren(svg);
  const overview = shape("svg", { viewBox: svg.getAttribute("viewBox"), "aria-hidden": "true" });
  view.window = shape("rect", { class: "window" });
  [...parts, ...changing].forEach((part, number) => { part.id = `part-${number}`; });
  const inSmall = ({ id }) => shape("use", { href: `#${id}`, width: wide, height: high });
  view.changing = changing.map(inSmall);
  overview.append(...parts.map(inSmall), view.window);
  $("overview").replaceChildren(overview);
  zoomTo(1);
}

/** A word on the map, and what becomes of it from afar: names go, strengths, the scale and numbers of stacks grow. */
function wordOnMap(one) {
  const size = Number(one.getAttribute("font-size"));
  const hidden = !one.hasAttribute("font-weight") && !one.hasAttribute("font-style") && size < 8.4;
  const plate = size === 7.4 ? [one, one.previousElementSibling] : [];
  return { one, size, hidden, plate, larger: { 15: 22, 10.2: 15.5, 6.9: 9, 8.6: 13 }[size] ?? size };
}

/** Show as much on counters as can be read at this size. */
function showDetail(scale = scaleOf()) {
  const far = Number(LETTERS.high * scale < FAR) + Number(COUNTERS.wide * scale < COUNTERS.least);
  if (far === view.far) return;
  view.far = far;
  for (const { one, size, hidden, plate, larger } of view.words) {
    one.setAttribute("font-size", far ? larger : size);
    if (hidden) one.setAttribute("display", far ? "none" : "inline");
    for (const part of plate) {
      part?.setAttribute("transform", far ? "translate(0 -2.6) scale(1.45)" : "scale(1)");
      part?.setAttribute("display", far === 2 ? "none" : "inline");
    }
  }
}

/** How many pixels a length of the map takes. */
const scaleOf = () => view.zoom * $("map").clientWidth / view.svg.viewBox.baseVal.width;

/** The screen of a phone. */
const small = matchMedia("(max-width: 34rem)");

/** Begin on a phone so near that names can be read, around points of the map; a large screen shows all of it. */
function openNear(points) {
  if (!points.length || !small.matches) return;
  zoomTo(Math.max(view.zoom, LETTERS.least / (LETTERS.high * scaleOf())));
  lookAt(middleOf(points));
}

/** Whether a counter at a point is in the frame. */
function isSeen([right, down]) {
  const { x, y, width, height } = view.seen;
  return right > x && right < x + width - AROUND && down > y && down < y + height - AROUND;
}

/** The middle of what lies closest together: of the point with most others around it. */
function middleOf(points) {
  const reach = $("map").clientWidth / scaleOf() / 2;
  const near = points.map(([x, y]) => points.filter(([u, v]) => Math.abs(u - x) < reach && Math.abs(v - y) < reach));
  const most = near.reduce((best, group) => (group.length > best.length ? group : best));
  return [0, 1].map((side) => most.reduce((sum, point) => sum + point[side], 0) / most.length);
}

/** Bring a point of the map into the middle of the frame. */
function lookAt([x, y]) {
  const [frame, by, { x: left, y: top }] = [$("map"), scaleOf(), view.svg.viewBox.baseVal];
  frame.scrollTo((x - left) * by - frame.clientWidth / 2, (y - top) * by - frame.clientHeight / 2);
  showWindow();
}

/** A frame that has changed its size keeps what lay in its middle. A smaller map is scrolled by the browser, which may
    tell of that first. */
function keepMiddle() {
  const { clientWidth, clientHeight } = $("map");
  const same = clientWidth === view.size[0] && clientHeight === view.size[1];
  if (!view.svg || !clientWidth || same) return false;
  showDetail();
  lookAt([view.seen.x + view.seen.width / 2, view.seen.y + view.seen.height / 2]);
  return true;
}

/** The part of the map that is seen. */
function seenBox() {
  const [frame, by, { x, y }] = [$("map"), scaleOf(), view.svg.viewBox.baseVal];
  const box = { x: x + frame.scrollLeft / by, y: y + frame.scrollTop / by };
  return Object.assign(box, { width: frame.clientWidth / by, height: frame.clientHeight / by });
}

/** How long nothing happens before what changes is drawn in small, in thousandths of a second: longer than a step of a
    replay, since each would be drawn twice. */
const PAUSE = 1500;

/** Something changes: what does is not drawn in small until it stays as it is, and only while that is shown. */
function onChange() {
  for (const one of view.changing) one.remove();
  clearTimeout(view.resting);
  view.resting = setTimeout(drawInSmall, PAUSE);
}

function drawInSmall() {
  if (!$("overview").hidden) view.window.before(...view.changing);
}

/** Where the frame is on the whole map, which is shown while only a part is seen. */
function showWindow() {
  if ($("overview").hidden !== (view.zoom === 1)) {
    $("overview").hidden = view.zoom === 1;
    if (view.zoom === 1) onChange();
    else drawInSmall();
  }
  view.seen = seenBox();
  view.size = [$("map").clientWidth, $("map").clientHeight];
  for (const [name, value] of Object.entries(view.seen)) view.window.setAttribute(name, value);
}

/** Show the map so many times as large as all of it; what lies under a point of the frame stays there. */
function zoomTo(zoom, [x, y] = [$("map").clientWidth / 2, $("map").clientHeight / 2]) {
  const frame = $("map");
  const now = Math.min(LARGEST, Math.max(1, zoom));
  const by = now / view.zoom;
  const [left, top] = [(frame.scrollLeft + x) * by - x, (frame.scrollTop + y) * by - y];
  view.zoom = now;
  view.svg.style.width = `${100 * now}%`;
  frame.scrollTo(left, top);
  showDetail();
  showWindow();
  frame.classList.toggle("larger", now > 1);
  $("closer").disabled = now === LARGEST;
  $("farther").disabled = $("fit").disabled = now === 1;
}

/** A point of the window in lengths of the frame. */
function inFrame(clientX, clientY) {
  const { left, top } = $("map").getBoundingClientRect();
  return [clientX - left, clientY - top];
}

function onWheel(event) {
  const zoom = view.zoom * Math.exp(-event.deltaY * (event.deltaMode ? 20 : 1) / 400);
  // Where the map is as small as it gets the wheel moves the page.
  if (view.zoom === 1 && zoom < 1) return;
  event.preventDefault();
  zoomTo(zoom, inFrame(event.clientX, event.clientY));
}

/** Two fingers: how far apart, and the point between them. */
function pinched([one, other]) {
  const between = inFrame((one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
  return { apart: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY), between };
}

function onPinch(event) {
  if (event.touches.length !== 2) return;
  event.preventDefault();
  const now = pinched(event.touches);
  if (event.type === "touchmove") {
    $("map").scrollBy(view.pinch.between[0] - now.between[0], view.pinch.between[1] - now.between[1]);
    zoomTo(view.zoom * now.apart / view.pinch.apart, now.between);
  }
  view.pinch = now;
}

/** A mouse drags the map; a finger scrolls it, as it scrolls a page. */
function onDrag(event) {
  if (event.type === "pointerdown") view.dragged = false;
  if (event.pointerType !== "mouse" || event.buttons !== 1) return;
  const frame = $("map");
  const now = [event.clientX, event.clientY];
  if (event.type === "pointerdown") {
    view.held = now;
  } else if (view.held && (view.dragged || Math.hypot(now[0] - view.held[0], now[1] - view.held[1]) > 4)) {
    view.dragged = true;
    frame.setPointerCapture(event.pointerId);
    frame.scrollBy(view.held[0] - now[0], view.held[1] - now[1]);
    view.held = now;
  }
}

/** + and - enlarge and shrink, 0 shows all of it, Shift and an arrow move it. */
function onZoomKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea")) return;
  const zoom = { "+": view.zoom * 1.4, "=": view.zoom * 1.4, "-": view.zoom / 1.4, 0: 1 }[event.key];
  if (zoom) zoomTo(zoom);
  if (event.shiftKey && ARROWS[event.key]) {
    event.preventDefault();
    $("map").scrollBy(...ARROWS[event.key].map((way) => way * 60));
  }
}

/** A press or a drag on the whole map shows what lies there. */
function onOverview({ buttons, clientX, clientY }) {
  const { left, top, width } = $("overview").firstChild.getBoundingClientRect();
  const whole = view.svg.viewBox.baseVal;
  const by = whole.width / width;
  if (buttons === 1) lookAt([whole.x + (clientX - left) * by, whole.y + (clientY - top) * by]);
}

/** Below the map: the name of what the pointer is on, or else of what is chosen. */
function showNamed(on = null) {
  const named = on?.closest("#board [aria-label]:not([role=group])");
  $("named").textContent = named?.getAttribute("aria-label") ?? view.chosen();
}

function startZoom() {
  const frame = $("map");
  $("closer").addEventListener("click", () => zoomTo(view.zoom * 1.4));
  $("farther").addEventListener("click", () => zoomTo(view.zoom / 1.4));
  $("fit").addEventListener("click", () => zoomTo(1));
  frame.addEventListener("scroll", () => keepMiddle() || showWindow());
  for (const name of ["pointerdown", "pointermove"]) $("overview").addEventListener(name, onOverview);
  for (const name of ["pointerover", "focusin"]) $("board").addEventListener(name, ({ target }) => showNamed(target));
  for (const name of ["pointerleave", "focusout"]) $("board").addEventListener(name, () => showNamed());
  addEventListener("resize", keepMiddle);
  frame.addEventListener("wheel", onWheel, { passive: false });
  for (const name of ["touchstart", "touchmove"]) frame.addEventListener(name, onPinch, { passive: false });
  for (const name of ["pointerdown", "pointermove"]) frame.addEventListener(name, onDrag);
  frame.addEventListener("click", (event) => {
    // What was dragged was not clicked.
    if (view.dragged) event.stopPropagation();
    view.dragged = false;
  }, true);
  document.addEventListener("keydown", (event) => view.svg && onZoomKey(event));
}
