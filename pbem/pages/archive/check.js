// The dice, thrown again from the keys of their phases, by the scripts of the verifier.

/** Whether a roll comes out again as it is told; null where its key is not told. */
function comesOut(chapter, { label, n, sides, values, key }) {
  const told = chapter.keys[key];
  return told ? throwDice(unhex(told), bytesOfText(label), n, sides).join() === values.join() : null;
}

/** Throw all dice of the game, a phase at a time, so that the page can be used meanwhile. */
async function checkAll() {
  const [wrong, count] = [[], { right: 0, open: 0, dice: 0 }];
  $("check").disabled = true;
  $("checked").textContent = word("checking");
  for (const chapter of replay.chapters) {
    await new Promise((done) => setTimeout(done));
    for (const roll of chapter.throws) {
      const right = comesOut(chapter, roll);
      if (right) count.dice += roll.n;
      if (right) count.right += 1;
      if (right === null) count.open += 1;
      if (right === false) wrong.push(`${spoken(chapter.title)}: ${spoken(roll.told)}`);
    }
  }
  $("check").disabled = false;
  const told = [word("came_out", count)];
  if (count.open) told.push(word("not_thrown", count));
  if (wrong.length) told.push(`${word("wrong")} ${wrong.slice(0, 20).join("; ")}`);
  $("checked").textContent = told.join(" ");
  $("checked").className = wrong.length ? "alarm" : "";
}
