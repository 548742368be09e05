// The orders so far: in groups, each under the line that it stands under, such as an activation; moved, edited, struck.

/** An order: its line in each language, the line above it, who carries it out, where to; its parts if it has some. */
const orderOf = (line, head, who, to, hostile, parts = null) => (
  { line, head, who, to, hostile, parts, plain: line.en, unfolded: false, key: ++desk.count });

/** Add an order below the others that stand under the same line. */
function addOrder(order) {
  const last = desk.groups.at(-1);
  const head = order.head.en ?? "";
  let group = head ? desk.groups.find((one) => (one.head.en ?? "") === head) : last && !last.head.en ? last : null;
  if (!group) desk.groups.push(group = { head: order.head, orders: [], key: ++desk.count });
  for (const other of group.orders.concat(...desk.groups.map((one) => one.orders))) other.unfolded = false;
  group.orders.push(order);
  order.unfolded = true;
  said(word("added", { line: order.line[language] }));
}

/** Whether an order stands there already, word for word or with more words. */
const ordered = (order) => desk.groups.some((group) => group.head.en === order.head.en
  && group.orders.some((one) => one.line.en === order.line.en || one.plain === order.line.en));

/** Who has an order already. */
const busy = () => new Set(desk.groups.flatMap((group) => group.orders.flatMap((order) => order.who)));

function strike(group, order) {
  group.orders = group.orders.filter((one) => one !== order);
  desk.groups = desk.groups.filter((one) => one.orders.length);
  said(word("struck", { line: order.line[language] }));
}

/** One place up: within its group, else the whole group before the one above. */
function raise(list, at) {
  [list[at - 1], list[at]] = [list[at], list[at - 1]];
}

/** The lines of the block between its first and its last. */
function blockLines() {
  const lines = desk.groups.flatMap(({ head, orders }) => [head[language], ...orders.map((one) => one.line[language])]);
  return [...lines.filter(Boolean), ...standingLines()];
}

/** The whole block; empty if nothing is ordered. */
function blockText(first = "ORDERS") {
  const lines = blockLines();
  if (!lines.length) return "";
  const [begin, end] = desk.heads[first];
  return [`${begin[language]} T${desk.turn} #${desk.code}`, ...lines, end[language], ""].join("\n");
}

/** The list on the page: each group with its line above its orders, each order with its buttons. */
function showOrders() {
  const rows = desk.groups.flatMap((group, at) => {
    const inner = group.orders.map((order, number) => orderRow(group, order, number));
    if (!group.head.en) return inner;
    const whole = made("li");
    const top = made("div", "", { class: "order" });
    top.append(made("code", group.head[language]), tools(group.head[language], group.key, [
      ["up", at > 0 && (() => raise(desk.groups, at))],
      ["strike", () => { desk.groups.splice(at, 1); said(word("struck", { line: group.head[language] })); }],
    ]));
    const list = made("ol");
    list.append(...inner);
    whole.append(top, list);
    return [whole];
  });
  $("orders").replaceChildren(...rows);
  $("none").hidden = rows.length > 0;
}

function orderRow(group, order, at) {
  const row = made("li");
  const line = made("div", "", { class: "order" });
  if (desk.editing === order.key) {
    line.append(editor(order), made("span"));
  } else {
    const above = desk.groups.indexOf(group);
    const whole = !group.head.en && above > 0 && (() => raise(desk.groups, above));
    const up = at > 0 ? () => raise(group.orders, at) : whole;
    line.append(made("code", order.line[language]), tools(order.line[language], order.key, [
      ["up", up],
      ["edit", () => { desk.editing = order.key; }],
      ["strike", () => strike(group, order)],
    ]));
  }
  const how = desk.editing === order.key ? null : howOf(order);
  row.append(line, ...(how ? [how] : []));
  return row;
}

const ICONS = { up: "M12 20V5M6 11l6-6 6 6", edit: "M4 20l1-5L16 4l4 4L9 19z", strike: "M5 5l14 14M19 5L5 19" };

/** Buttons of a line, each with what it does and the line in its name. */
function tools(line, key, acts) {
  const row = made("span", "", { class: "row" });
  for (const [name, act] of acts) {
    const id = `${key}-${name}`;
    const carry = () => { act(); changed(id); };
    const one = button("", carry, { "aria-label": `${word(name)}: ${line}`, id, title: word(name) });
    const icon = shape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
    icon.append(shape("path", { d: ICONS[name] }));
    one.append(icon);
    one.disabled = !act;
    row.append(one);
  }
  return row;
}

/** A line as it is written by hand: Enter keeps it, Escape leaves it as it was. */
function editor(order) {
  const plain = { type: "text", maxlength: 200, autocomplete: "off", spellcheck: "false" };
  const field = made("input", "", { ...plain, "aria-label": word("edit"), id: `${order.key}-field` });
  field.value = order.line[language];
  const keep = () => {
    const text = oneLine(field.value);
    const other = { line: { en: text, es: text }, to: "", parts: null };
    if (text && text !== order.line[language]) Object.assign(order, other);
    desk.editing = 0;
  };
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    // Else the same key would press the button that has the focus next.
    event.preventDefault();
    if (event.key === "Enter") keep();
    else field.value = order.line[language];
    desk.editing = 0;
    changed(`${order.key}-edit`);
  });
  // Whoever leaves it by a click means what he clicked on: the list stays as it is for now.
  field.addEventListener("blur", () => { keep(); showLetter(); });
  return field;
}

/** A line of one's own has no line ends. */
const oneLine = (text) => text.replace(/[\x00-\x1f\x7f\u2028\u2029]+/g, " ").trim();

/** Orders that were written before, line by line: what stands under a line that this page writes itself goes there. */
function addWritten(lines) {
  const places = [...new Set(desk.units.filter((unit) => unit.own).map((unit) => unit.place))];
  const heads = desk.verbs.flatMap((verb) => places.map((place) => headOf(verb, place)));
  const headIn = (text) => heads.find((one) => Object.values(one).includes(text));
  let head = {};
  for (const [at, text] of lines.entries()) {
    const next = headIn(text);
    // One with nothing below it is a line like any other.
    if (next && at + 1 < lines.length && !headIn(lines[at + 1])) {
      head = next;
      continue;
    }
    const act = actFrom(inBoth(() => text));
    addOrder(orderOf(act.line, act.parts ? act.head : head, act.who, act.to, act.hostile, act.parts));
  }
}
