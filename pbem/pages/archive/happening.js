// What is told of a moment: the sentence, the dice, the chart with the cell that was read, the rules, the orders.

/** A list of lines. */
function listed(lines, name = "lines") {
  const list = made("ul", "", { class: name });
  list.append(...lines.map((line) => made("li", line)));
  return list;
}

/** The rules of a moment; each leads to its paragraph where the rulebook has a page beside this one. */
function rulesOf(numbers) {
  const list = listed(numbers.map((number) => spoken(replay.rules[number])));
  const book = spoken(replay.rulebook);
  if (!book) return list;
  for (const [at, number] of numbers.entries()) {
    list.children[at].append(" ", made("a", word("rulebook", { number }), { href: `${book}#${number}` }));
  }
  return list;
}

/** Something to be opened, filled only then: most of it is never read. */
function folded(title, inside, key = "") {
  const one = made("details");
  one.append(made("summary", title));
  for (const name of ["click", "toggle"]) one.addEventListener(name, () => fill(one));
  return Object.assign(one, { inside, key });
}

/** Put in what something to be opened holds now, if that is not what it has. */
function fill(one) {
  if (one.filled === one.key) return;
  one.filled = one.key;
  while (one.children[1]) one.children[1].remove();
  one.append(...one.inside());
}

/** A chart; what was read stands in brackets, and is marked. */
function chartOf(text) {
  const one = made("pre", "", { class: "chart", tabindex: "0" });
  for (const part of text.split(/(\[[^\[\]\n]+\])/)) {
    one.append(/^\[.*\]$/.test(part) ? made("b", part) : part);
  }
  return one;
}

/** Points with their sign, as the language writes them. */
const signed = (value) => inLanguage(value, {
  signDisplay: "exceptZero", minimumFractionDigits: 2, maximumFractionDigits: 2,
});

/** The rolls of a moment; whether each comes out again by the key of its phase, and what it was worth. */
function diceOf(chapter, numbers) {
  const rolls = numbers.map((number) => chapter.throws[number]);
  const lucky = rolls.some((one) => one.luck);
  const table = made("table");
  const head = made("tr");
  const heads = ["roll", "dice", "values", ...(lucky ? ["worth"] : [])];
  const side = lucky ? spoken(replay.sides[0]) : "";
  head.append(...heads.map((name) => made("th", word(name, { side }), { scope: "col" })));
  table.append(head);
  for (const one of rolls) {
    const right = comesOut(chapter, one);
    const mark = right === null ? "" : right ? " \u2713" : " \u2717";
    const value = made("td", one.values.join(" "), { class: "value" });
    const told = right === null ? "" : word(right ? "again_right" : "again_wrong");
    const looks = { class: right ? "right" : "alarm", title: told, role: "img", "aria-label": told };
    if (mark) value.append(made("span", mark, looks));
    const row = made("tr");
    row.append(made("td", spoken(one.told)), made("td", `${one.n}d${one.sides}`), value);
    if (lucky) row.append(made("td", one.luck ? signed(one.luck[0]) : ""));
    table.append(row);
  }
  return table;
}

/** What the seats ordered in a phase. */
function ordersOf(chapter) {
  return chapter.orders.flatMap(({ whose, segment, text, standing }) => {
    const title = segment > 1 ? word("later_orders", { whose: spoken(whose), segment }) : spoken(whose);
    const found = [made("h3", title), made("pre", spoken(text) || word("no_orders"), { class: "orders" })];
    if (standing) found.push(folded(word("standing"), () => [made("pre", spoken(standing), { class: "orders" })]));
    return found;
  });
}

/** A letter between players. */
function letterOf({ whose, to, text }) {
  const readers = to.length ? to.map((one) => spoken(one)).join(", ") : word("everybody");
  return [made("h3", word("from_to", { whose: spoken(whose), readers })), made("pre", text, { class: "orders" })];
}

/** The title of a moment: its phase, and its number in the letters. */
function titleOf(step) {
  if (step.chapter < 0) return word("start");
  const title = spoken(replay.chapters[step.chapter].title);
  const part = step.part ? ` (${step.part.join("/")})` : "";
  return step.number ? `${title} #${step.number}${part}` : title;
}

function showHappening(step) {
  const chapter = replay.chapters[step.chapter];
  $("happening-head").textContent = titleOf(step);
  const [told, folds] = [[], []];
  if (step.text) {
    const text = made("p", `${spoken(step.text)} `, { class: "text" });
    text.append(made("span", `[${step.rule}]`, { class: "rule" }));
    told.push(text);
    if (step.details.length) told.push(listed(step.details.map((line) => spoken(line))));
  } else {
    told.push(made("p", word(chapter ? "nothing" : "before")));
  }
  if (step === replay.steps.at(-1)) told.push(...replay.result.map((line) => made("p", spoken(line))));
  if (step.order) told.push(made("p", word("by_order", { order: spoken(step.order) }), { class: "soft" }));
  if (step.letters) {
    const numbers = Object.entries(step.letters).filter(([, number]) => number)
      .map(([seat, number]) => `${nameOf(seat)} #${number}`);
    told.push(made("p", word("numbers", { numbers: numbers.join(", ") || word("none") }), { class: "soft" }));
  }
  if (step.throws?.length) told.push(made("h3", word("throws")), diceOf(chapter, step.throws));
  if (step.throws?.some((number) => chapter.throws[number].sides === 2)) {
    told.push(made("p", word("coins"), { class: "soft" }));
  }
  for (const chart of step.charts ?? []) {
    const text = spoken(chart);
    folds.push([`${text.split(/  +|\n/, 2).join(" ")}: ${word("chart")}`, () => [chartOf(text)], text]);
  }
  if (step.rules?.length) {
    folds.push([word("rules"), () => [rulesOf(step.rules)], step.rules]);
  }
  if (chapter?.orders.length) folds.push([word("orders"), () => ordersOf(chapter), step.chapter]);
  const letters = chapter ? replay.letters.filter((one) => one.turn === chapter.turn) : [];
  if (letters.length) folds.push([word("letters"), () => letters.flatMap(letterOf), chapter.turn]);
  tell($("told"), told, folds);
}

/** Put text in the place of what was there, and below it what can be opened. What has the same title stays, open if
    it was: to make such an element anew takes longer than all the text. */
function tell(around, text, folds) {
  const old = [...around.children].filter((one) => one.inside);
  const kept = new Map(old.map((one) => [one.firstChild.textContent, one]));
  const ones = folds.map(([title, inside, key]) => {
    const one = kept.get(title) ?? folded(title, inside);
    kept.delete(title);
    Object.assign(one, { inside, key: `${language} ${key}` });
    if (one.open) fill(one);
    return one;
  });
  for (const one of [...around.children]) if (!ones.includes(one)) one.remove();
  around.prepend(...text);
  ones.forEach((one, at) => {
    const before = ones[at - 1] ?? text.at(-1);
    if (one.previousSibling !== before) before.after(one);
  });
}
