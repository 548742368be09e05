// Bytes, their hashes by the browser's own WebCrypto, and the blocks of text that everything else hashes.

const TOP = "pbemdice/v1/";

/** A letter that is not written as it must be; `word` and `rest` say why, in the terms of words.js. */
class Bad extends Error {
  constructor(word, ...rest) {
    super(word);
    this.word = word;
    this.rest = rest;
  }
}

const utf8 = (text) => new TextEncoder().encode(text);

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

const unhex = (text) => Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));

function joined(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The bytes of base64, if they are `length` many (0: any number) and the text is the one way to write them. */
function b64(text, length = 32) {
  let raw = "";
  try {
    raw = atob(text);
  } catch {
    throw new Bad("no_base64", text.slice(0, 60));
  }
  if (btoa(raw) !== text || (length && raw.length !== length)) throw new Bad("no_base64", text.slice(0, 60));
  return Uint8Array.from(raw, (char) => char.charCodeAt(0));
}

const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const sha512 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-512", bytes));
const sha = async (bytes) => hex(await sha256(bytes));

/** RFC 2104 with SHA-256, for a key that may be used again and again. */
async function macKey(key) {
  const made = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (bytes) => new Uint8Array(await crypto.subtle.sign("HMAC", made, bytes));
}

const mac = async (key, bytes) => (await macKey(key))(bytes);

/** A block: its first line names format and kind, each further line is a key, a space and a value. */
function block(kind, ...pairs) {
  return utf8(`${TOP}${kind}\n` + pairs.map(([key, value]) => `${key} ${value}\n`).join(""));
}

/** The values of `n` dice under a label: words of the HMAC stream, without those that would favour some side. */
async function throwDice(beta, label, n, sides) {
  const size = sides <= 256 ? 1 : sides <= 65536 ? 2 : 4;
  const most = 256 ** size - (256 ** size % sides);
  const stream = await macKey(beta);
  const values = [];
  for (let j = 0; ; j++) {
    const part = await stream(block("die", ["label", label], ["block", j]));
    for (let at = 0; at < 32; at += size) {
      const word = part.slice(at, at + size).reduce((sum, byte) => sum * 256 + byte, 0);
      if (word < most) values.push(1 + (word % sides));
      if (values.length === n) return values;
    }
  }
}
