// The beacon: its rounds, and its signatures, BLS on the curves of BLS12-381 with signatures in G1 (suite
// BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_, RFC 9380 for the hash to the curve). Fields, maps and the pairing are
// those of @noble/bls12-381, whose licence stands beside it.

const QUICKNET = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
const QUICKNET_KEY = unhex(
  "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
  + "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a");
const [BEACON_GENESIS, BEACON_PERIOD] = [1692803367n, 3n];

/** The second at which a round comes out. */
const outAt = (number) => BEACON_GENESIS + (number - 1n) * BEACON_PERIOD;

/** The first round that comes out at or after the closing time and the delay. */
function roundOf(due, delta) {
  const late = due + delta - BEACON_GENESIS;
  const periods = late > 0n ? (late + BEACON_PERIOD - 1n) / BEACON_PERIOD : 0n;
  return 1n + periods;
}

const BLS_SUITE = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const { Fp, Fp2, Fp12, CURVE: BLS } = nobleBls;

class G1 extends nobleBls.ProjectivePoint {
  constructor(x, y, z = Fp.ONE) {
    super(x, y, z, Fp);
  }
}

class G2 extends nobleBls.ProjectivePoint {
  constructor(x, y, z = Fp2.ONE) {
    super(x, y, z, Fp2);
  }
}

const big = (bytes) => BigInt("0x0" + hex(bytes));

/** A point from its shorter form, with its flags in the three top bits; null if there is none, or it is zero. */
function pointOf(bytes, length, find) {
  const flags = bytes.length === length ? bytes.charCodeAt(0) >> 5 : 0;
  if ((flags & 6) !== 4) return null;
  return find(String.fromCharCode(bytes.charCodeAt(0) & 31) + bytes.slice(1), (flags & 1) === 1);
}

const larger = (y) => y * 2n > BLS.P;

/** A point of G1 by its x, if it is on the curve and of the group of prime order. */
const readG1 = (bytes) => pointOf(bytes, 48, (raw, high) => {
  if (big(raw) >= BLS.P) return null;
  const x = new Fp(big(raw));
  const y = x.pow(3n).add(new Fp(4n)).sqrt();
  if (!y) return null;
  const point = new G1(x, larger(y.value) === high ? y : y.negate());
  return point.multiplyUnsafe(BLS.r - 1n).equals(point.negate()) ? point : null;
});

/** A point of G2 likewise: of x the imaginary part comes first. */
const readG2 = (bytes) => pointOf(bytes, 96, (raw, high) => {
  const [im, re] = [big(raw.slice(0, 48)), big(raw.slice(48))];
  if (im >= BLS.P || re >= BLS.P) return null;
  const x = Fp2.fromBigTuple([re, im]);
  const y = x.pow(3n).add(Fp2.fromBigTuple([4n, 4n])).sqrt();
  if (!y) return null;
  const [a, b] = [y.c0.value, y.c1.value];
  const point = new G2(x, larger(b === 0n ? a : b) === high ? y : y.negate());
  return point.multiplyUnsafe(BLS.r - 1n).equals(point.negate()) ? point : null;
});

/** RFC 9380 5.2 with 5.3.1: two numbers modulo P from a message. */
function fieldNumbers(message) {
  const tail = BLS_SUITE + String.fromCharCode(BLS_SUITE.length);
  const first = sha256("\0".repeat(64) + message + "\0\x80\0" + tail);
  const blocks = [sha256(`${first}\x01${tail}`)];
  for (let n = 2; n < 5; n++) {
    const before = blocks[blocks.length - 1];
    const mixed = fromArray(toArray(first).map((byte, at) => byte ^ before.charCodeAt(at)));
    blocks.push(sha256(mixed + String.fromCharCode(n) + tail));
  }
  const wide = blocks.join("");
  return [wide.slice(0, 64), wide.slice(64)].map((half) => new Fp(big(half) % BLS.P));
}

/** RFC 9380 3: the point of G1 that a message is hashed to. */
function hashedToG1(message) {
  const mapped = (u) => nobleBls.isogenyMapG1(...nobleBls.map_to_curve_simple_swu_3mod4(u));
  const [one, other] = fieldNumbers(message).map(mapped);
  const sum = new G1(...one).add(new G1(...other));
  return sum.multiplyUnsafe(BLS.x).add(sum);
}

const paired = (point, other) =>
  nobleBls.millerLoop(nobleBls.calcPairingPrecomputes(...other.toAffine()), point.toAffine());

/** Whether a signature (48 bytes) is that of a message under a key (96 bytes). */
const blsSigned = remembered((key, message, signature) => {
  const [signed, by, point] = [readG1(signature), readG2(key), hashedToG1(message)];
  if (signed === null || by === null || point.isZero()) return false;
  const base = new G2(Fp2.fromBigTuple(BLS.G2x), Fp2.fromBigTuple(BLS.G2y));
  return paired(signed.negate(), base).multiply(paired(point, by)).finalExponentiate().equals(Fp12.ONE);
});

/** Whether a value is the one of a round of the public beacon. */
function isRound(number, signature) {
  const message = sha256(unhex(number.toString(16).padStart(16, "0")));
  return blsSigned(QUICKNET_KEY, message, signature);
}
