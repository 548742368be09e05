// A map in its frame: at first all of it; larger by wheel, two fingers, buttons and keys, moved by dragging.

const view = { svg: null, zoom: 1, dragged: false };
const LARGEST = 6;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Lay a map into the frame, which takes its shape: no band is left beside it. */
function frameMap(svg) {
  const [, , wide, high] = svg.getAttribute("viewBox").split(" ").map(Number);
  document.documentElement.style.setProperty("--ratio", wide / high);
  view.svg = svg;
  $("map").replaceChildren(svg);
  zoomTo(1);
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

function startZoom() {
  const frame = $("map");
  $("closer").addEventListener("click", () => zoomTo(view.zoom * 1.4));
  $("farther").addEventListener("click", () => zoomTo(view.zoom / 1.4));
  $("fit").addEventListener("click", () => zoomTo(1));
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
