// Says when a letter has come; goes to it by itself after one was sent. The list shows the letter that is read.
"use strict";
const { news, letters } = document.body.dataset;
const waits = new URLSearchParams(location.search).has("sent");
const first = letters === "0";
document.getElementById("sent").hidden = !waits;

const shown = document.querySelector("nav .shown");
if (shown) shown.parentElement.scrollTop = shown.offsetTop - shown.parentElement.offsetTop;

async function look() {
  let found;
  try {
    found = await (await fetch(news)).json();
  } catch {
    return; // The server is away: the next look will tell.
  }
  if (found.letters <= Number(letters)) return;
  if (waits || first) location.replace(location.pathname);
  else document.getElementById("news").hidden = false;
}
setInterval(look, waits || first ? 400 : 2000);
