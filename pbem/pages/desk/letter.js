// The letter: a link that opens it in the mail program, or what is copied where a link would be too long.

/** Characters of a link beyond which some mail programs cut it. */
const LONGEST = 1900;

/** A link that opens a letter to the server, with a text if there is room for it. */
function mailLink(text) {
  const to = encodeURIComponent(desk.address).replace("%40", "@");
  const head = `mailto:${to}?subject=${encodeURIComponent(desk.subject)}`;
  const whole = `${head}&body=${encodeURIComponent(text.replaceAll("\n", "\r\n"))}`;
  return whole.length > LONGEST ? { href: head, whole: false } : { href: whole, whole: true };
}

/** Nothing ordered: no block, no link. */
function showLetter() {
  const text = blockText();
  $("block").value = text;
  $("letter").classList.toggle("empty", !text);
  $("send").hidden = !text;
  if (!text) return;
  const [orders, verify] = [mailLink(text), mailLink(blockText("VERIFY"))];
  $("mail").href = orders.href;
  $("verify").href = verify.href;
  $("long").hidden = orders.whole && verify.whole;
  $("address").textContent = desk.address;
}

async function copyBlock() {
  let done = false;
  try {
    await navigator.clipboard.writeText($("block").value);
    done = true;
  } catch {
    $("block").select();
    done = document.execCommand("copy");
  }
  $("copy").textContent = word(done ? "copied" : "copy");
  said(word(done ? "copied" : "not_copied"));
}
