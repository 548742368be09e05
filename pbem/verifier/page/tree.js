// The Merkle tree of the log, RFC 9162 2.1: is a leaf in it, and does a later tree begin with an earlier one?
// Sizes and places are BigInt, hashes hex.

const node = (left, right) => sha256(joined([1], unhex(left), unhex(right))).then(hex);
const leafHash = (text) => sha(joined([0], utf8(text)));

async function included(hash, index, size, path, root) {
  if (index >= size) return false;
  const left = path.map(hex);
  let got = hash;
  for (let width = size; width > 1n; width = (width + 1n) / 2n) {
    if (index % 2n || index + 1n < width) {
      if (!left.length) return false;
      const next = left.shift();
      got = index % 2n ? await node(next, got) : await node(got, next);
    }
    index /= 2n;
  }
  return !left.length && got === root;
}

async function grown(old, size, oldRoot, root, path) {
  if (!(0n < old && old <= size)) return false;
  if (old === size) return !path.length && oldRoot === root;
  const left = path.map(hex);
  let [last, width] = [old - 1n, size];
  for (; last % 2n; width = (width + 1n) / 2n) last /= 2n;
  if (last && !left.length) return false;
  let small = last ? left.shift() : oldRoot;
  let big = small;
  for (; width > 1n; width = (width + 1n) / 2n) {
    if (last % 2n || last + 1n < width) {
      if (!left.length) return false;
      const next = left.shift();
      if (last % 2n) small = await node(next, small);
      big = last % 2n ? await node(next, big) : await node(big, next);
    }
    last /= 2n;
  }
  return !left.length && small === oldRoot && big === root;
}
