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

/** Something to be opened. */
function folded(title, ...inside) {
  const one = made("details");
  one.append(made("summary", title), ...inside);
  return one;
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
const signed = (value) => new Intl.NumberFormat(language, {
  signDisplay: "exceptZero", minimumFractionDigits: 2, maximumFractionDigits: 2,
}).format(value);

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
    if (standing) found.push(folded(word("standing"), made("pre", spoken(standing), { class: "orders" })));
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
  const told = [];
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
    told.push(folded(`${text.split(/  +|\n/, 2).join(" ")}: ${word("chart")}`, chartOf(text)));
  }
  if (step.rules?.length) {
    told.push(folded(word("rules"), rulesOf(step.rules)));
  }
  if (chapter?.orders.length) told.push(folded(word("orders"), ...ordersOf(chapter)));
  const letters = chapter ? replay.letters.filter((one) => one.turn === chapter.turn) : [];
  if (letters.length) told.push(folded(word("letters"), ...letters.flatMap(letterOf)));
  keepOpen($("told"), told);
}

/** Put something in the place of what was there; what was open before stays open. */
function keepOpen(around, inside) {
  const open = new Set([...around.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
  around.replaceChildren(...inside);
  for (const one of around.querySelectorAll("details")) one.open = open.has(one.firstChild.textContent);
}
