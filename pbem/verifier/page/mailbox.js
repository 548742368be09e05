// Letters as they lie about: a file, an mbox, a folder, a saved `pbemdice.txt`; whatever mail programs did to them.
// What cannot be read is told as such, file by file and letter by letter. How much is read of anything is bounded.

const ATTACHMENT = "pbemdice.txt";
const BUNDLE_HEAD = `${TOP}bundle\n`;

/** Of a file, and of one `pbemdice.txt`; a larger mailbox, or one of more letters, is to be parted. */
const [MOST_BYTES, MOST_TEXT, MOST_FILES, MOST_LETTERS] = [64 << 20, 16 << 20, 100000, 50000];

const LENGTH = /\ncontent-length[ \t]*:[ \t]*([0-9]{1,9})[ \t]*(?=\n)/gi;

/**
 * A letter to be checked: where it lay, when it was received (unix seconds, if known), its `pbemdice.txt`, and whether
 * it is undated, as another letter may have brought it with the time that it names.
 */
const itemFor = (where, received, data) => ({ where, received, data, trouble: null, undated: false });

/** Where a letter should be and cannot be read, why. */
const unread = (where, why, ...given) => ({ where, received: null, data: "", trouble: { why, given } });

/** What is to be checked in a file. */
function itemsOf(where, bytes) {
  if (bytes.length > MOST_BYTES) return [unread(where, "it is larger than {} MiB: part it", MOST_BYTES >> 20)];
  const data = bytes.replaceAll("\r\n", "\n").replace(/^\xef\xbb\xbf/, "");
  if (data.startsWith(BUNDLE_HEAD)) return [itemOf(where, null, data)];
  if (!data.startsWith("From ")) return itemsOfLetter(where, data);
  const letters = splitMbox(data);
  const found = letters.slice(0, MOST_LETTERS).flatMap(({ letter, dated }, at) => {
    const items = itemsOfLetter(`${where}#${at + 1}`, letter);
    return dated ? items : items.map((item) => ({ ...item, received: null, undated: true }));
  });
  if (letters.length > MOST_LETTERS) found.push(unread(where, "it has more than {} letters: part it", MOST_LETTERS));
  return found;
}

/**
 * The letters of an mbox, one after another, each with whether it begins where the reader's own machine began it: so it
 * is of the first, and of those after letters whose length is told (Content-Length). A line "From " in a text that
 * nobody quoted begins a letter too, which brings its own time. No line of a bundle begins with From: nothing in it is
 * quoted.
 */
function splitMbox(data) {
  const letters = [];
  const after = (at) => data.indexOf("\n", at) + 1 || data.length;
  let [begin, dated] = [after(0), true];
  while (begin < data.length && letters.length <= MOST_LETTERS) {
    const told = endByLength(data, begin);
    const found = data.indexOf("\n\nFrom ", begin - 1);
    const end = told ?? (found < 0 ? data.length : found + 1);
    letters.push({ letter: data.slice(begin, end), dated });
    dated &&= told !== null;
    begin = end < data.length ? after(data.indexOf("From ", end)) : data.length;
  }
  return letters;
}

/** Where a letter of an mbox ends by the length that its header tells, if another begins there or nothing follows. */
function endByLength(data, begin) {
  const text = data.indexOf("\n\n", begin) + 2;
  const found = text > 1 ? [...data.slice(begin - 1, text).matchAll(LENGTH)] : [];
  if (found.length !== 1) return null;
  const end = text + Number(found[0][1]);
  const rest = data.slice(end, end + 6);
  const ends = rest === "" || rest === "\n" || rest.startsWith("From ") || rest.startsWith("\nFrom ");
  return end <= data.length && ends ? end : null;
}

/** The attachments of a letter that bear the name; what is no letter at all is said to be none. */
function itemsOfLetter(where, data) {
  const found = [];
  try {
    const { fields } = headerOf(data);
    if (!fields.size) return [unread(where, "it is no letter")];
    const received = receivedAt(fields.get("received") ?? "");
    for (const part of leavesOf(data)) {
      if (fieldOf(part, "content-type").toLowerCase().trimStart().startsWith("multipart/")) continue;
      if (trimmed(nameOf(part)).toLowerCase() !== ATTACHMENT) continue;
      const place = found.length ? `${where} (${found.length + 1})` : where;
      found.push(itemOf(place, received, part.body.length > MOST_TEXT ? part.body : decoded(part)));
    }
  } catch (wrong) {
    if (!(wrong instanceof TooMuchMail)) throw wrong;
    found.push(unread(where, wrong.why, ...wrong.given));
  }
  return found;
}

/** An attachment as it was written: mail turns line ends into CRLF, and adds or drops empty lines at the end. */
function itemOf(where, received, text) {
  if (text.length > MOST_TEXT) return unread(where, "its {} is larger than {} MiB", ATTACHMENT, MOST_TEXT >> 20);
  const plain = text.replaceAll("\r\n", "\n");
  let end = plain.length;
  while (plain[end - 1] === "\n") end -= 1;
  return itemFor(where, received, `${plain.slice(0, end)}\n`);
}

/** What was pasted: whole letters, or the text of attachments one after the other. */
function itemsOfPaste(name, text) {
  const bytes = `${text.replaceAll("\r\n", "\n").trim()}\n`;
  if (!bytes.startsWith(BUNDLE_HEAD)) return itemsOf(name, bytes);
  const parts = bytes.split(new RegExp(`^(?=${BUNDLE_HEAD.trim()}$)`, "m"));
  return parts.flatMap((part, at) => itemsOf(parts.length > 1 ? `${name}#${at + 1}` : name, part));
}
