// Signatures and the VRF. The group of edwards25519 is that of @noble/ed25519, whose licence stands beside it.

const { Point } = noble;
const ORDER = Point.CURVE().n;

const little = (bytes) => BigInt("0x0" + hex(bytes.slice().reverse()));

/** RFC 8032 5.1.3: the point of 32 bytes; null if there is none, or it can be written in another way. */
function unpacked(raw) {
  try {
    return Point.fromBytes(raw);
  } catch {
    return null;
  }
}

const prime = (point) => point !== null && !point.is0() && point.isTorsionFree();

/** What the browser says of a signature; null if it knows no Ed25519. */
async function byBrowser(key, message, signed) {
  try {
    const known = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", known, signed, message);
  } catch {
    return null;
  }
}

/** RFC 8032 5.1.7, keys and points of small order refused; by the browser where it can, else by the equation. */
async function ed25519(key, message, signed) {
  if (signed.length !== 64) return false;
  const [a, r, s] = [unpacked(key), unpacked(signed.slice(0, 32)), little(signed.slice(32))];
  if (!a || !r || s >= ORDER || a.isSmallOrder() || r.isSmallOrder()) return false;
  const said = await byBrowser(key, message, signed);
  if (said !== null) return said;
  const h = little(await sha512(joined(signed.slice(0, 32), key, message))) % ORDER;
  return Point.BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(h)).equals(r);
}

/** RFC 9381 5.4.1.1: the point that an input is hashed to, by trying. */
async function hashedToCurve(key, alpha) {
  for (let n = 0; n < 256; n++) {
    const tried = unpacked((await sha512(joined([3, 1], key, alpha, [n, 0]))).slice(0, 32));
    if (tried && !tried.isSmallOrder()) return tried.clearCofactor();
  }
  return null;
}

/** RFC 9381 5.3, ECVRF-EDWARDS25519-SHA512-TAI: the 64 bytes that are proven, or null. */
async function vrf(key, alpha, proof) {
  if (proof.length !== 80) return null;
  const [y, gamma] = [unpacked(key), unpacked(proof.slice(0, 32))];
  const [c, s] = [little(proof.slice(32, 48)), little(proof.slice(48))];
  if (s >= ORDER || !prime(y) || !prime(gamma)) return null;
  const h = await hashedToCurve(key, alpha);
  if (h === null) return null;
  const u = Point.BASE.multiplyUnsafe(s).subtract(y.multiplyUnsafe(c));
  const v = h.multiplyUnsafe(s).subtract(gamma.multiplyUnsafe(c));
  const seen = joined(key, h.toBytes(), proof.slice(0, 32), u.toBytes(), v.toBytes());
  const right = (await sha512(joined([3, 2], seen, [0]))).slice(0, 16);
  if (hex(right) !== hex(proof.slice(32, 48))) return null;
  return sha512(joined([3, 3], gamma.clearCofactor().toBytes(), [0]));
}
