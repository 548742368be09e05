// The page without data takes a letter, dropped, chosen or pasted, and reads what is attached to it for this page.

const [NAME, MOST, FORM] = ["pbemdesk.txt", 32 << 20, "pbemdesk/1"];

/** The data in what somebody gave: the attachment itself, or a letter that has it. */
function dataIn(bytes) {
  const plain = bytes.replaceAll("\r\n", "\n").replace(/^\xef\xbb\xbf/, "");
  const texts = plain.trimStart().startsWith("{") ? [plain] : leavesOf(plain)
    .filter((part) => trimmed(nameOf(part)).toLowerCase() === NAME).map(decoded);
  for (const text of texts) {
    const found = JSON.parse(utf8Text(text));
    if (found.format === FORM) return found;
    throw new Error(word("other_form"));
  }
  throw new Error(word("no_data"));
}

async function take(bytes) {
  $("trouble").textContent = "";
  try {
    if (bytes.length > MOST) throw new Error(word("no_data"));
    await begin(dataIn(bytes));
    $("what").focus();
  } catch (wrong) {
    $("open").hidden = false;
    $("work").hidden = true;
    $("trouble").textContent = wrong instanceof SyntaxError ? word("no_data") : wrong.message;
  }
}

async function takeFile(file) {
  take(fromArray(new Uint8Array(await file.slice(0, MOST + 1).arrayBuffer())));
}

function openPage() {
  $("open").hidden = false;
  $("file").addEventListener("change", () => $("file").files[0] && takeFile($("file").files[0]));
  $("read").addEventListener("click", () => take(bytesOfText($("pasted").value)));
  const drop = $("drop");
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  document.addEventListener("dragleave", (event) => !event.relatedTarget && drop.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) takeFile(event.dataTransfer.files[0]);
    else take(bytesOfText(event.dataTransfer.getData("text")));
  });
}
