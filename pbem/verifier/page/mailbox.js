// Letters as they lie in a mailbox. A file is a string with a character for each byte, so that no byte is changed.

const ATTACHMENT = "pbemdice.txt";

/** What is to be checked in a file (a letter, an mbox, a saved attachment): a list of {where, received, text}. */
function lettersOf(name, bytes) {
  const plain = bytes.replaceAll("\r\n", "\n");
  if (bytes.startsWith(`${TOP}bundle`)) return [{ where: name, received: null, text: plain }];
  const mails = bytes.startsWith("From ") ? splitMbox(bytes) : [bytes];
  return mails.flatMap((mail, at) => {
    const where = mails.length > 1 ? `${name}#${at + 1}` : name;
    const received = receivedAt(mail);
    return attachments(mail).map((text) => ({ where, received, text }));
  });
}

/** What was pasted: whole letters, or the text of attachments one after the other. */
function lettersOfPaste(name, text) {
  const bytes = text.replaceAll("\r\n", "\n").trim() + "\n";
  const found = lettersOf(name, bytes);
  if (found.length && !bytes.startsWith(TOP)) return found;
  const parts = bytes.split(new RegExp(`^(?=${TOP}bundle$)`, "m")).filter((part) => part.startsWith(`${TOP}bundle\n`));
  const where = (at) => (parts.length > 1 ? `${name}#${at + 1}` : name);
  return parts.map((part, at) => ({ where: where(at), received: null, text: part.trimEnd() + "\n" }));
}

const splitMbox = (bytes) => bytes.replaceAll("\r\n", "\n").split(/(?:^|(?<=\n\n))From [^\n]*\n/).slice(1);

/** Headers (names in lower case, folded lines joined) and body of a letter or a part of it. */
function opened(part) {
  const text = part.replaceAll("\r\n", "\n");
  const at = text.startsWith("\n") ? 0 : text.indexOf("\n\n") + 1;
  const head = at > 0 ? text.slice(0, at) : "";
  const headers = head.replace(/\n[ \t]+/g, " ").split("\n").filter((line) => line.includes(":"))
    .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]);
  return { headers, body: at > 0 || text.startsWith("\n") ? text.slice(at + 1) : "" };
}

const header = (headers, name) => (headers.find(([key]) => key === name) || ["", ""])[1];

function parameter(value, name) {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, "i").exec(value);
  return found ? found[1] ?? found[2] : "";
}

/** The texts of all attachments of the name we look for, however deep and however encoded. */
function attachments(part, depth = 0) {
  const { headers, body } = opened(part);
  const type = header(headers, "content-type");
  const boundary = parameter(type, "boundary");
  if (/^multipart\//i.test(type) && boundary && depth < 20) {
    const lines = `\n${body}`.split(`\n--${boundary}`).slice(1);
    const last = lines.findIndex((one) => one.startsWith("--"));
    const inner = (last < 0 ? lines : lines.slice(0, last)).map((one) => one.slice(one.indexOf("\n") + 1));
    return inner.flatMap((one) => attachments(one, depth + 1));
  }
  if (/^message\/rfc822/i.test(type) && depth < 20) return attachments(body, depth + 1);
  const name = parameter(header(headers, "content-disposition"), "filename") || parameter(type, "name");
  if (name !== ATTACHMENT) return [];
  const text = decoded(body, header(headers, "content-transfer-encoding").toLowerCase()).replaceAll("\r\n", "\n");
  // Some mail programs add or drop empty lines at the end.
  return [text.replace(/\n+$/, "") + "\n"];
}

function decoded(body, encoding) {
  if (encoding === "quoted-printable") {
    const joinedLines = body.replace(/[ \t]+$/gm, "").replace(/=\n/g, "");
    return joinedLines.replace(/=([0-9A-Fa-f]{2})/g, (_, pair) => String.fromCharCode(parseInt(pair, 16)));
  }
  if (encoding !== "base64") return body;
  try {
    return atob(body.replace(/[^A-Za-z0-9+/=]/g, ""));
  } catch {
    return "";
  }
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const STAMP = /(\d{1,2}) +([A-Za-z]{3})[a-z]* +(\d{4}) +(\d\d):(\d\d)(?::(\d\d))?(?: +([+-])(\d\d)(\d\d))?/;

/** When the reader's own server took a letter, in unix seconds: by the topmost Received header; null if unknown. */
function receivedAt(mail) {
  const stamp = header(opened(mail).headers, "received").split(";").pop();
  const found = STAMP.exec(stamp || "");
  const month = found ? MONTHS.indexOf(found[2].toLowerCase()) : -1;
  if (month < 0) return null;
  const [day, year, hour, minute, second] = [found[1], found[3], found[4], found[5], found[6] || 0].map(Number);
  const zone = (found[7] === "-" ? -60 : 60) * (Number(found[8] || 0) * 60 + Number(found[9] || 0));
  return BigInt(Date.UTC(year, month, day, hour, minute, second) / 1000 - zone);
}
