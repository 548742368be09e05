// Signatures and the VRF. The group of edwards25519 is that of @noble/ed25519, whose licence stands beside it.

const { Point } = noble;
const ORDER = Point.CURVE().n;

const little = (bytes) => BigInt("0x0" + hex([...bytes].reverse().join("")));
const packed = (point) => fromArray(point.toBytes());

/** RFC 8032 5.1.3: the point of 32 bytes; null if there is none, or it is written in another way than it must be. */
function unpacked(raw) {
  try {
    return Point.fromBytes(toArray(raw));
  } catch {
    return null;
  }
}

/** Whether a point is of the group of prime order, and not neutral: others could stand for several outputs. */
const prime = (point) => point !== null && !point.is0() && point.isTorsionFree();

/** RFC 8032 5.1.7, without the cofactor; never with a key or a point of small order. */
const ed25519 = remembered((key, message, signed) => {
  if (signed.length !== 64) return false;
  const [a, r, s] = [unpacked(key), unpacked(signed.slice(0, 32)), little(signed.slice(32))];
  if (!a || !r || s >= ORDER || a.isSmallOrder() || r.isSmallOrder()) return false;
  const h = little(sha512(signed.slice(0, 32) + key + message)) % ORDER;
  return Point.BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(h)).equals(r);
});

/** RFC 9381 5.4.5: whether a key of the VRF is one, written canonically and of the group of prime order. */
const vrfKey = remembered((key) => prime(unpacked(key)));

/** RFC 9381 5.4.1.1: the point that an input is hashed to, by trying. */
function hashedToCurve(key, alpha) {
  for (let n = 0; n < 256; n++) {
    const tried = unpacked(sha512(`\x03\x01${key}${alpha}${String.fromCharCode(n)}\0`).slice(0, 32));
    if (tried && !tried.isSmallOrder()) return tried.clearCofactor();
  }
  return null;
}

/** RFC 9381 5.3, ECVRF-EDWARDS25519-SHA512-TAI: the 64 bytes that are proven, or null. */
const vrf = remembered((key, alpha, proof) => {
  if (proof.length !== 80 || !vrfKey(key)) return null;
  const [y, gamma] = [unpacked(key), unpacked(proof.slice(0, 32))];
  const [c, s] = [little(proof.slice(32, 48)), little(proof.slice(48))];
  if (s >= ORDER || !prime(gamma)) return null;
  const h = hashedToCurve(key, alpha);
  if (h === null) return null;
  const u = Point.BASE.multiplyUnsafe(s).subtract(y.multiplyUnsafe(c));
  const v = h.multiplyUnsafe(s).subtract(gamma.multiplyUnsafe(c));
  const seen = key + packed(h) + proof.slice(0, 32) + packed(u) + packed(v);
  if (sha512(`\x03\x02${seen}\0`).slice(0, 16) !== proof.slice(32, 48)) return null;
  return sha512(`\x03\x03${packed(gamma.clearCofactor())}\0`);
});
