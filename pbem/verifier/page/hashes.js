// SHA-256 and SHA-512 (FIPS 180-4), and HMAC (RFC 2104). The numbers that the hashes begin with are roots
// of the first primes, reckoned, not listed.

const WIDE = (1n << 64n) - 1n;

/** The whole part of the root of a number, by Newton's way. */
function rootOf(degree, number) {
  let at = 1n << BigInt(Math.ceil(number.toString(2).length / degree));
  for (;;) {
    const next = (BigInt(degree - 1) * at + number / at ** BigInt(degree - 1)) / BigInt(degree);
    if (next >= at) return at;
    at = next;
  }
}

const PRIMES = [];
for (let n = 2; PRIMES.length < 80; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);

/** The first 64 bits behind the point of the roots of primes; of these SHA-256 has the first 32. */
const CUBES = PRIMES.map((prime) => rootOf(3, BigInt(prime) << 192n) & WIDE);
const SQUARES = PRIMES.slice(0, 8).map((prime) => rootOf(2, BigInt(prime) << 128n) & WIDE);
const narrow = (numbers) => Int32Array.from(numbers, (one) => Number(one >> 32n));
const [CUBES_32, SQUARES_32] = [narrow(CUBES.slice(0, 64)), narrow(SQUARES)];

/** A message as whole blocks of `size` bytes: a bit set behind it, and at the end its length in bits. */
function* padded(bytes, size) {
  const length = Math.ceil((bytes.length + 1 + size / 8) / size) * size;
  const view = new DataView(new ArrayBuffer(size));
  for (let begin = 0; begin < length; begin += size) {
    for (let at = 0; at < size; at++) view.setUint8(at, begin + at < bytes.length ? bytes.charCodeAt(begin + at) : 0);
    if (bytes.length >= begin && bytes.length < begin + size) view.setUint8(bytes.length - begin, 128);
    if (begin + size === length) view.setBigUint64(size - 8, BigInt(bytes.length) * 8n);
    yield view;
  }
}

const turned = (word, by) => (word >>> by) | (word << (32 - by));

function sha256(bytes) {
  const state = SQUARES_32.slice();
  const words = new Int32Array(64);
  for (const view of padded(bytes, 64)) {
    for (let t = 0; t < 16; t++) words[t] = view.getInt32(4 * t);
    for (let t = 16; t < 64; t++) {
      const [early, late] = [words[t - 15], words[t - 2]];
      const low = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const high = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      words[t] = words[t - 16] + low + words[t - 7] + high;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t++) {
      const mixed = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
      const one = (h + mixed + CUBES_32[t] + words[t]) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0;
      d = c; c = b; b = a; a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] += word; });
  }
  const parted = (word) => [word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255];
  return String.fromCharCode(...Array.from(state).flatMap(parted));
}

const turned64 = (word, by) => (word >> by) | ((word << (64n - by)) & WIDE);

function sha512(bytes) {
  const state = [...SQUARES];
  for (const view of padded(bytes, 128)) {
    const words = Array.from({ length: 16 }, (_, t) => view.getBigUint64(8 * t));
    for (let t = 16; t < 80; t++) {
      const [early, late] = [words[t - 15], words[t - 2]];
      const low = turned64(early, 1n) ^ turned64(early, 8n) ^ (early >> 7n);
      const high = turned64(late, 19n) ^ turned64(late, 61n) ^ (late >> 6n);
      words.push((words[t - 16] + low + words[t - 7] + high) & WIDE);
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 80; t++) {
      const mixed = turned64(e, 14n) ^ turned64(e, 18n) ^ turned64(e, 41n);
      const one = h + mixed + ((e & f) ^ (~e & WIDE & g)) + CUBES[t] + words[t];
      const two = (turned64(a, 28n) ^ turned64(a, 34n) ^ turned64(a, 39n)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(one + two) & WIDE, a, b, c, (d + one) & WIDE, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] = (state[at] + word) & WIDE; });
  }
  return unhex(state.map((word) => word.toString(16).padStart(16, "0")).join(""));
}

/** RFC 2104 with SHA-256. */
function mac(key, bytes) {
  const block = (key.length > 64 ? sha256(key) : key).padEnd(64, "\0");
  const mixed = (by) => fromArray(toArray(block).map((byte) => byte ^ by));
  return sha256(mixed(0x5c) + sha256(mixed(0x36) + bytes));
}

const HEX_OF = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(bytes) {
  let out = "";
  for (let at = 0; at < bytes.length; at++) out += HEX_OF[bytes.charCodeAt(at)];
  return out;
}

const sha = (bytes) => hex(sha256(bytes));

/** A function of strings that remembers what it found, as long as that is not too much. */
function remembered(find) {
  const known = new Map();
  return (...given) => {
    const key = given.map((one) => `${one.length}:${one}`).join("");
    if (!known.has(key)) {
      if (known.size >= 4096) known.clear();
      known.set(key, find(...given));
    }
    return known.get(key);
  };
}
