// Dice that follow from a key: the blocks that are hashed for them, and the dice of a label.

const TOP = "pbemdice/v1/";

const block = (kind, ...pairs) => `${TOP}${kind}\n` + pairs.map(([key, value]) => `${key} ${value}\n`).join("");

/** The dice of a label: HMAC-SHA-256 of its blocks, words of 1, 2 or 4 bytes, those at the end of the range left. */
function throwDice(beta, label, n, sides) {
  const size = sides <= 256 ? 1 : sides <= 65536 ? 2 : 4;
  const most = 256 ** size - (256 ** size % sides);
  const values = [];
  for (let j = 0; ; j++) {
    const part = toArray(mac(beta, block("die", ["label", label], ["block", j])));
    for (let at = 0; at < 32; at += size) {
      const word = part.slice(at, at + size).reduce((sum, byte) => sum * 256 + byte, 0);
      if (word < most) values.push(1 + (word % sides));
      if (values.length === n) return values;
    }
  }
}
