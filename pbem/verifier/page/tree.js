// The tree of the log: RFC 9162 2.1, as Certificate Transparency has it. Sizes and places are BigInt.

const node = (left, right) => sha256(`\x01${left}${right}`);
const leafHash = (data) => sha256(`\0${data}`);

/** The root over the hashes of leaves, RFC 9162 2.1.1; of no leaf the hash of nothing. */
function treeRoot(leaves) {
  if (!leaves.length) return sha256("");
  let row = leaves;
  while (row.length > 1) {
    const next = [];
    for (let at = 0; at < row.length; at += 2) next.push(at + 1 < row.length ? node(row[at], row[at + 1]) : row[at]);
    row = next;
  }
  return row[0];
}

/** RFC 9162 2.1.3: the root that a path leads to from the hash of a leaf at `index` of `size`; null if to none. */
function rootBy(leaf, index, size, path) {
  if (index < 0n || index >= size) return null;
  const left = [...path];
  let got = leaf;
  for (let width = size; width > 1n; width = (width + 1n) / 2n) {
    if (index % 2n || index + 1n < width) {
      if (!left.length) return null;
      const next = left.shift();
      got = index % 2n ? node(next, got) : node(got, next);
    }
    index /= 2n;
  }
  return left.length ? null : got;
}

const included = (leaf, index, size, path, root) => rootBy(leaf, index, size, path) === root;

/** RFC 9162 2.1.4: whether the tree of `size` leaves begins with that of `old`; `roots` are theirs, old first. */
function grown(old, size, roots, path) {
  if (!(old > 0n && old <= size)) return false;
  if (old === size) return !path.length && roots[0] === roots[1];
  const left = [...path];
  let [last, width] = [old - 1n, size];
  for (; last % 2n; width = (width + 1n) / 2n) last /= 2n;
  if (last && !left.length) return false;
  let small = last ? left.shift() : roots[0];
  let large = small;
  for (; width > 1n; width = (width + 1n) / 2n) {
    if (last % 2n || last + 1n < width) {
      if (!left.length) return false;
      const next = left.shift();
      [small, large] = last % 2n ? [node(next, small), node(next, large)] : [small, node(large, next)];
    }
    last /= 2n;
  }
  return !left.length && small === roots[0] && large === roots[1];
}
