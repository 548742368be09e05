// Drawings that come as text: unpacked, and copied in piece by piece, so that nothing comes with them but shapes and
// words.

/** Characters of a text that no map of ours comes to. */
const MOST_UNPACKED = 32 << 20;

/** A text that was packed by gzip, in base64; of what is longer than any map only the beginning. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const [decoder, parts] = [new TextDecoder(), []];
  for (let size = 0; size < MOST_UNPACKED;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    parts.push(decoder.decode(value, { stream: true }));
  }
  return parts.join("");
}

const SVG = "http://www.w3.org/2000/svg";
const SHAPES = new Set(["svg", "g", "path", "rect", "circle", "ellipse", "text"]);
const TRAITS = new Set(("d x y cx cy r rx ry width height viewBox transform fill stroke stroke-width stroke-opacity "
  + "stroke-dasharray stroke-linejoin stroke-linecap fill-opacity paint-order font-family font-size font-weight "
  + "font-style text-anchor letter-spacing textLength lengthAdjust data-unit data-place").split(" "));

/** A copy of a drawing with its shapes and words, and nothing else that may have been in it. */
function drawnFrom(text) {
  const copied = (node) => {
    const one = document.createElementNS(SVG, node.localName);
    for (const { name, value } of node.attributes) if (TRAITS.has(name)) one.setAttribute(name, value);
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) one.append(child.data);
      if (child.nodeType === Node.ELEMENT_NODE && SHAPES.has(child.localName)) one.append(copied(child));
    }
    return one;
  };
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (root.localName !== "svg" || root.namespaceURI !== SVG) throw new Error("no drawing");
  return copied(root);
}

function shape(name, attributes) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  return one;
}
