// Animated pictures as GIF, which every mail program and forum shows: one palette, and of each frame what changed.

const [COLOURS, CLEAR] = [255, 255];

/** A colour as five bits each of red, green and blue. */
const binOf = (data, at) => (data[at] >> 3) << 10 | (data[at + 1] >> 3) << 5 | data[at + 2] >> 3;

/** The commonest colours of all frames, and for each bin of colours the number of that which is nearest. */
function paletteOf(frames) {
  const counts = new Uint32Array(1 << 15);
  for (const { data } of frames) for (let at = 0; at < data.length; at += 4) counts[binOf(data, at)] += 1;
  const bins = [...counts.keys()].filter((bin) => counts[bin]).sort((one, other) => counts[other] - counts[one]);
  const parts = (bin) => [bin >> 10, bin >> 5 & 31, bin & 31].map((part) => part << 3 | part >> 2);
  const palette = bins.slice(0, COLOURS).map(parts);
  const numbers = new Uint8Array(1 << 15);
  for (const bin of bins) {
    const [red, green, blue] = parts(bin);
    let nearest = Infinity;
    palette.forEach(([r, g, b], number) => {
      const far = 2 * (r - red) ** 2 + 4 * (g - green) ** 2 + 3 * (b - blue) ** 2;
      if (far < nearest) [nearest, numbers[bin]] = [far, number];
    });
  }
  return { palette, numbers };
}

/** Numbers below 256 as LZW of GIF, in its blocks. */
function compressed(numbers) {
  const [bytes, known] = [[], new Map()];
  let [bits, many, size, next] = [0, 0, 9, 258];
  const put = (code) => {
    bits |= code << many;
    for (many += size; many >= 8; many -= 8, bits >>>= 8) bytes.push(bits & 255);
  };
  put(256);
  let code = numbers[0];
  for (let at = 1; at < numbers.length; at++) {
    const key = code << 8 | numbers[at];
    if (known.has(key)) {
      code = known.get(key);
      continue;
    }
    put(code);
    code = numbers[at];
    if (next === 4096) {
      put(256);
      known.clear();
      [size, next] = [9, 258];
    } else {
      if (next >= 1 << size) size += 1;
      known.set(key, next++);
    }
  }
  put(code);
  put(257);
  bytes.push(bits & 255);
  const blocks = [8];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks.push(block.length, ...block);
  }
  return [...blocks, 0];
}

/** Two bytes of a number. */
const short = (number) => [number & 255, number >> 8];

/** What changed since the frame before: its box, and its numbers, clear where nothing did. */
function changedIn(now, before, wide) {
  let [left, top, right, bottom] = [wide, Infinity, 0, 0];
  for (let at = 0; at < now.length; at++) {
    if (before && now[at] === before[at]) continue;
    const [x, y] = [at % wide, Math.floor(at / wide)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  if (left > right) [left, top, right, bottom] = [0, 0, 0, 0];
  const [width, height] = [right - left + 1, bottom - top + 1];
  const numbers = new Uint8Array(width * height);
  for (let at = 0; at < numbers.length; at++) {
    const from = (top + Math.floor(at / width)) * wide + left + at % width;
    numbers[at] = before && now[from] === before[from] ? CLEAR : now[from];
  }
  return { box: [left, top, width, height], numbers };
}

/** Frames, each shown so many seconds, again and again. */
function animated(frames, seconds) {
  const { palette, numbers } = paletteOf(frames);
  const [{ width, height }] = frames;
  const colours = Array.from({ length: 256 }, (_, number) => palette[number] ?? [0, 0, 0]).flat();
  const parts = [
    bytesIn("GIF89a"), short(width), short(height), [0xf7, 0, 0], colours,
    [0x21, 0xff, 11], bytesIn("NETSCAPE2.0"), [3, 1, 0, 0, 0],
  ];
  let before = null;
  frames.forEach(({ data }, at) => {
    const now = Uint8Array.from({ length: width * height }, (_, pixel) => numbers[binOf(data, 4 * pixel)]);
    const { box, numbers: changed } = changedIn(now, before, width);
    parts.push([0x21, 0xf9, 4, 5, ...short(100 * seconds[at]), CLEAR, 0], [0x2c, ...box.flatMap(short), 0]);
    parts.push(compressed(changed));
    before = now;
  });
  return new Blob([...parts.map((part) => Uint8Array.from(part)), Uint8Array.of(0x3b)]);
}

/** Plain text as bytes. */
const bytesIn = (text) => [...text].map((char) => char.charCodeAt(0));
