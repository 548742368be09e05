// Says when a letter has come; goes to it by itself after one was sent, and until there is a report. Says if none comes.
"use strict";
const { news, letters, waits } = document.body.dataset;
const sent = new URLSearchParams(location.search).has("sent");
const PATIENCE = 20000;
document.getElementById("sent").hidden = !sent;

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
  if (sent) location.replace(`${location.pathname}?newest=1`);
  else if (waits) location.replace(location.pathname);
  else document.getElementById("news").hidden = false;
}
setInterval(look, sent || waits ? 400 : 2000);
if (sent || waits) {
  setTimeout(() => {
    document.getElementById("sent").hidden = true;
    document.getElementById("silent").hidden = false;
  }, PATIENCE);
}
