// A letter as mail has it: header fields, parts in parts, encodings for the way, names of files, dates. Nothing in here
// believes a letter, and nothing in a letter can stop it. Bytes are a string with a character for each.

const [MOST_PARTS, MOST_DEPTH, MOST_HEADERS, MOST_HEADER_BYTES] = [1000, 20, 1000, 256 << 10];

/** A letter has more in it than is read. */
class TooMuchMail extends Bad {}

/** A text from bytes that should be UTF-8. */
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const utf8Text = (bytes) => (/[^\0-\x7f]/.test(bytes) ? DECODER.decode(toArray(bytes)) : bytes);

const SPACES = /^[ \t-\r\x1c-\x1f\x85\xa0]+|[ \t-\r\x1c-\x1f\x85\xa0]+$/g;
const trimmed = (text) => text.replace(SPACES, "");

/** The fields of a header by their names in small letters, the first of a name; and where the text begins. */
function headerOf(data) {
  const none = data.startsWith("\n");
  const end = none ? 0 : data.indexOf("\n\n") + 1;
  const head = end === 0 && !none ? data : data.slice(0, end);
  if (head.length > MOST_HEADER_BYTES) {
    // What is no letter at all may be one long line.
    if (!/^[!-9;-~]+[ \t]*:/.test(head)) return { fields: new Map(), start: 0 };
    throw new TooMuchMail("its header is too long");
  }
  const lines = utf8Text(head).split("\n");
  if (lines.length > MOST_HEADERS) throw new TooMuchMail("its header has too many lines");
  const fields = new Map();
  let name = "";
  for (const line of lines) {
    if (name && (line[0] === " " || line[0] === "\t")) {
      fields.set(name, fields.get(name) + line);
      continue;
    }
    const found = /^([!-9;-~]+)[ \t]*:([^\n]*)/.exec(line);
    const key = found ? found[1].toLowerCase() : "";
    name = found && !fields.has(key) ? key : "";
    if (name) fields.set(name, found[2]);
  }
  return { fields, start: Math.min(head.length + 1, data.length) };
}

const fieldOf = (part, name) => part.fields.get(name) ?? "";

/** All parts of a letter that have no parts themselves, in their order; letters in letters are opened too. */
function leavesOf(data) {
  const waiting = [[data, 0]];
  const leaves = [];
  for (let seen = 1; waiting.length; seen++) {
    const [raw, depth] = waiting.pop();
    if (seen > MOST_PARTS || depth > MOST_DEPTH) throw new TooMuchMail("it has too many parts, or parts in parts");
    const { fields, start } = headerOf(raw);
    const part = { fields, body: raw.slice(start) };
    const kind = trimmed(fieldOf(part, "content-type")).toLowerCase();
    const boundary = kind.startsWith("multipart/") ? parameter(fieldOf(part, "content-type"), "boundary") : "";
    let inside = null;
    if (boundary) inside = between(part.body, bytesOfText(boundary));
    else if (kind.startsWith("message/rfc822")) inside = [decoded(part)];
    if (inside === null) {
      leaves.push(part);
      continue;
    }
    if (inside.length > MOST_PARTS) throw new TooMuchMail("it has too many parts");
    waiting.push(...inside.reverse().map((one) => [one, depth + 1]));
  }
  return leaves;
}

/** What stands between the lines `--boundary`, to the line `--boundary--` or the end. */
function between(body, boundary) {
  const mark = `--${boundary}`;
  const parts = [];
  let start = -1;
  let at = body.startsWith(mark) ? 0 : body.indexOf(`\n${mark}`) + 1 || -1;
  while (at >= 0 && parts.length <= MOST_PARTS) {
    const end = body.indexOf("\n", at);
    const line = body.slice(at, end < 0 ? body.length : end).replace(/[ \t\r]+$/, "");
    if (line === mark || line === `${mark}--`) {
      if (start >= 0) parts.push(body.slice(start, Math.max(start, at - 1)));
      start = end < 0 ? body.length : end + 1;
      if (line !== mark) return parts;
    }
    at = body.indexOf(`\n${mark}`, at + 1) + 1 || -1;
  }
  return start >= 0 ? [...parts, body.slice(start)] : parts;
}

/** The text of a part without its encoding for the way; what is not as it says is taken as it is. */
function decoded(part) {
  const how = trimmed(fieldOf(part, "content-transfer-encoding")).toLowerCase();
  if (how === "base64") return lenient64(part.body.replace(/[^A-Za-z0-9+/=]/g, "")) ?? part.body;
  if (how === "quoted-printable") return unquoted(part.body, false);
  return part.body;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 as mail has it: up to the signs = that fill a group of four; null if a group is left open. */
function lenient64(text) {
  const out = new Uint8Array(text.length);
  let [group, signs, pads, count] = [0, 0, 0, 0];
  for (const char of text) {
    const value = ALPHABET.indexOf(char);
    if (char === "=" && signs >= 2 && signs + ++pads >= 4) return fromArray(out.subarray(0, count));
    if (value < 0) continue;
    pads = 0;
    group = ((group << 6) | value) & 0xffffff;
    if (signs > 0) out[count++] = (group >> (6 - 2 * signs)) & 255;
    signs = (signs + 1) % 4;
  }
  return signs === 0 ? fromArray(out.subarray(0, count)) : null;
}

/** RFC 2045 6.7; in a header (RFC 2047 4.2) a low line stands for a space. */
function unquoted(text, inHeader) {
  const [out, hexed] = [new Uint8Array(text.length), /[0-9A-Fa-f]{2}/y];
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const [char, next] = [text[at], text[at + 1]];
    hexed.lastIndex = at + 1;
    if (char !== "=") {
      out[count++] = inHeader && char === "_" ? 32 : text.charCodeAt(at);
    } else if (next === undefined || next === "\n" || next === "\r") {
      const end = text.indexOf("\n", at + 1);
      at = end < 0 ? text.length : end;
    } else if (hexed.test(text)) {
      out[count++] = parseInt(text.slice(at + 1, at + 3), 16);
      at += 2;
    } else {
      out[count++] = 61;
      if (next === "=") at += 1;
    }
  }
  return fromArray(out.subarray(0, count));
}

/** The file name of a part, by either of the fields that may tell it. */
const nameOf = (part) =>
  parameter(fieldOf(part, "content-disposition"), "filename") || parameter(fieldOf(part, "content-type"), "name");

const SPACE = "\\s\\x1c-\\x1f\\x85";
const PARAMETER = new RegExp(
  `;[ \\t]*([^${SPACE}=;*"]+)(\\*[0-9]{1,3})?(\\*)?[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;"]*))`, "gs");

/** A parameter of a header field: plain, quoted, in pieces or with percent signs (RFC 2231), or RFC 2047 words. */
function parameter(field, name) {
  let [plain, coded] = ["", ""];
  const pieces = new Map();
  for (const [, key, piece, star, quoted, bare] of field.matchAll(PARAMETER)) {
    if (key.toLowerCase() !== name) continue;
    const value = quoted ? quoted.replace(/\\(.)/g, "$1") : trimmed(bare ?? "");
    const at = piece ? Number(piece.slice(1)) : -1;
    if (piece && !pieces.has(at)) pieces.set(at, star ? percent(value, piece === "*0") : value);
    else if (piece) continue;
    else if (star) coded = coded || percent(value, true);
    else plain = plain || value;
  }
  const joined = Array.from(pieces, (_, at) => pieces.get(at) ?? "").join("");
  return coded || joined || wordsOf(plain);
}

/** RFC 2231 4: charset'language'text with percent signs. All of our names are ASCII. */
function percent(value, first) {
  const cut = value.split("'");
  const text = first && cut.length > 2 ? cut.slice(2).join("'") : value;
  return utf8Text(bytesOfText(text).replace(/%([0-9A-Fa-f]{2})/g, (_, pair) => unhex(pair)));
}

/** RFC 2047 words, which do not belong in a file name, and are found there. */
const wordsOf = (value) => value.replace(/=\?[^?\s]{1,40}\?([bBqQ])\?([^?\s]*)\?=/g, (whole, how, word) => {
  const raw = bytesOfText(word);
  const plain = "bB".includes(how) ? lenient64(raw.replace(/[^A-Za-z0-9+/=]/g, "")) : unquoted(raw, true);
  return plain === null ? whole : utf8Text(plain);
});

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const LONG_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
  "november", "december"];
const ZONES = {
  UT: 0, UTC: 0, GMT: 0, Z: 0, AST: -400, ADT: -300, EST: -500, EDT: -400, CST: -600, CDT: -500, MST: -700, MDT: -600,
  PST: -800, PDT: -700,
};

/** A whole number as a date has it; null if it is none. */
const whole = (text) => (/^[+-]?[0-9]+$/.test(text) ? Number(text) : null);

const monthOf = (text) => {
  const at = MONTHS.indexOf(text.toLowerCase());
  return at < 0 ? LONG_MONTHS.indexOf(text.toLowerCase()) : at;
};

/** Day, month, year, time and zone of a date, wherever each stands in it; null if one is missing. */
function dateWords(text) {
  let words = trimmed(text).split(/[ \t-\r\x1c-\x1f\x85\xa0]+/);
  if (words[0].endsWith(",") || DAYS.includes(words[0].toLowerCase())) words.shift();
  else words[0] = words[0].slice(words[0].lastIndexOf(",") + 1);
  if (words.length === 3 && words[0].split("-").length === 3) words = [...words[0].split("-"), ...words.slice(1)];
  if (words.length === 4) {
    const plus = words[3].indexOf("+");
    const at = plus < 0 ? words[3].indexOf("-") : plus;
    words.splice(3, 1, ...(at > 0 ? [words[3].slice(0, at), words[3].slice(at)] : [words[3], ""]));
  }
  let [day, month, year, time, zone] = words;
  if (words.length < 5 || !day || !month || !year) return null;
  if (monthOf(month) < 0) [day, month] = [month, day];
  if (monthOf(month) < 0) return null;
  day = day.replace(/,$/, "");
  if (year.indexOf(":") > 0) [year, time] = [time, year];
  year = year.replace(/,$/, "");
  if (!year) return null;
  if (!/^[0-9]/.test(year)) [year, zone] = [zone, year];
  return { day, month: monthOf(month), year, time: time.replace(/,$/, ""), zone };
}

/** The seconds by which a zone is before UTC; what is not known counts as UTC. */
function zoneOf(text) {
  const told = ZONES[text.toUpperCase()] ?? whole(text) ?? 0;
  const size = Math.abs(told);
  return Math.sign(told) * (Math.floor(size / 100) * 3600 + (size % 100) * 60);
}

/** When the reader's own mail server took a letter: it writes the topmost field, with a time at its end. */
function receivedAt(field) {
  const found = dateWords(trimmed(field.slice(field.lastIndexOf(";") + 1)).slice(0, 200));
  if (found === null) return null;
  const dotted = !found.time.includes(":") && found.time.includes(".");
  const clock = found.time.split(dotted ? "." : ":").map(whole);
  if (clock.length < 2 || clock.length > 3) return null;
  const [hour, minute, second = 0] = clock;
  let [year, day] = [whole(found.year), whole(found.day)];
  if ([year, day, hour, minute, second].includes(null)) return null;
  if (year < 100) year += year > 68 ? 1900 : 2000;
  const zone = zoneOf(found.zone);
  const date = new Date(0);
  date.setUTCFullYear(year, found.month, day);
  date.setUTCHours(hour, minute, second);
  const right = year > 0 && year < 10000 && date.getUTCMonth() === found.month && date.getUTCDate() === day
    && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60 && Math.abs(zone) < 86400;
  return right ? BigInt(date.getTime() / 1000 - zone) : null;
}
