// Bytes are a string here and everywhere in the page, a character for each byte; what goes wrong has a sentence.

const toArray = (bytes) => Uint8Array.from(bytes, (char) => char.charCodeAt(0));

/** A string of bytes; the bytes come as a typed array. */
function fromArray(array) {
  let out = "";
  for (let at = 0; at < array.length; at += 8192) out += String.fromCharCode(...array.subarray(at, at + 8192));
  return out;
}

const bytesOfText = (text) => fromArray(new TextEncoder().encode(text));
const unhex = (text) => (text.match(/../g) || []).map((pair) => String.fromCharCode(parseInt(pair, 16))).join("");

/** This is not written as it must be: a sentence with gaps, and what is in them. */
class Bad extends Error {
  constructor(why, ...given) {
    super(filled(why, given));
    Object.assign(this, { why, given });
  }
}

/** A sentence with its gaps filled, each {} by the next. */
function filled(sentence, given) {
  let at = 0;
  return sentence.replace(/\{\}/g, () => String(given[at++]));
}
