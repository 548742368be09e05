// How an order is carried out: who leads, what its clauses name. Fields on the order that stand open at the newest one.

const LEFT_OPEN = "";

/** The fields of an order: what each is called, what it may say and says now, and what is to happen if it says else. */
function fieldsOf(parts) {
  const { verb, able, to } = parts;
  const fields = [];
  const chiefs = chiefsFor(verb, able, to);
  if (chiefs.length > 1 || (chiefs.length && verb.lines.plain)) {
    fields.push({
      name: "leader",
      says: word("led_by"),
      many: "one",
      open: Boolean(verb.lines.plain),
      may: chiefs,
      now: parts.leader ? [parts.leader] : [],
      set: ([id]) => { parts.leader = id ?? ""; },
    });
  }
  if (verb.lines.joined && able.length > 1) {
    fields.push({
      name: "joined",
      says: word("joined"),
      many: "flag",
      may: ["joined"],
      now: parts.joined ? ["joined"] : [],
      set: (some) => { parts.joined = some.length > 0; },
    });
  }
  return [...fields, ...verb.clauses.map((clause) => clauseField(parts, clause)).filter((one) => one.may.length)];
}

const clauseField = (parts, clause) => ({
  name: clause.clause,
  says: spoken(clause.says),
  many: clause.many,
  open: true,
  clause,
  may: mayName(parts, clause),
  now: parts.clauses[clause.clause] ?? [],
  set: (names) => nameBy(parts, clause, names),
});

/** What a clause may name: ways that all who act have; some of those who act; others whom the rules offer it. */
function mayName({ verb, able, to, clauses }, clause) {
  const taken = clause.besides.flatMap((one) => clauses[one] ?? []);
  const words = clause.words.map(([one]) => one);
  if (clause.names === "way") {
    const ways = able.map((id) => waysBy(verb, clause, id, to));
    return ways.reduce((all, some) => all.filter((one) => some.includes(one)));
  }
  if (clause.names === "other") {
    return desk.units.map((unit) => unit.id).filter((id) => offersOf(id, clause.clause).includes(to));
  }
  // One alone has every part in it.
  const who = able.length > 1 ? able.filter((id) => desk.offers[id]?.[clause.clause]) : [];
  return [...words, ...inOrder(who).filter((id) => !taken.includes(id))];
}

function waysBy(verb, clause, id, to) {
  const found = desk.ways[verb.verb]?.[clause.clause];
  return found?.sets[found.units[id]?.[to]] ?? [];
}

/** Let a clause name something; what cannot stand beside that is named no more. */
function nameBy({ verb, clauses }, clause, names) {
  delete clauses[clause.clause];
  if (!names.length) return;
  clauses[clause.clause] = names;
  for (const other of verb.clauses) {
    const against = other.instead.includes(clause.clause) || clause.instead.includes(other.clause);
    const taken = other.besides.includes(clause.clause) ? names : [];
    const left = against ? [] : (clauses[other.clause] ?? []).filter((one) => !taken.includes(one));
    if (left.length) clauses[other.clause] = left;
    else if (other !== clause) delete clauses[other.clause];
  }
}

/** The fields on the page, folded up but for the newest order; null if there is nothing to say. */
function howOf(order) {
  const fields = order.parts ? fieldsOf(order.parts) : [];
  if (!fields.length) return null;
  const fold = made("details", "", { class: "how" });
  fold.open = order.unfolded;
  fold.addEventListener("toggle", () => { order.unfolded = fold.open; });
  const head = made("summary", word("how"), { id: `${order.key}-how` });
  head.append(made("span", `: ${order.line[language]}`, { class: "spoken" }));
  head.append(made("span", ` ${fields.map((field) => field.says).join(", ")}`, { class: "soft" }));
  fold.append(head, ...fields.map((field) => fieldOn(order, field)));
  return fold;
}

/** Say something by a field: the line of the order is written anew. */
function tell(order, field, names, id) {
  field.set(names);
  order.line = lineOf(order.parts);
  changed(id);
  said(word("reads", { line: order.line[language] }));
}

function fieldOn(order, field) {
  const id = `${order.key}-${field.name}`;
  return field.many === "one" ? choiceOn(order, field, id) : severalOn(order, field, id);
}

/** One of several, or none of them. */
function choiceOn(order, field, id) {
  const both = made("div", "", { class: "field" });
  const list = made("select", "", { id });
  const rows = field.may.map((one) => [one, optionWords(field, one)]);
  for (const [value, text] of field.open ? [[LEFT_OPEN, word("left_open")], ...rows] : rows) {
    const row = made("option", text, { value });
    row.selected = value === (field.now[0] ?? LEFT_OPEN);
    list.append(row);
  }
  list.addEventListener("change", () => tell(order, field, list.value === LEFT_OPEN ? [] : [list.value], id));
  both.append(made("label", field.says, { for: id }), list);
  return both;
}

/** Several of them, pressed one by one; where it matters, with the numbers in which they were. */
function severalOn(order, field, id) {
  const group = made("div", "", { class: "field", role: "group", "aria-labelledby": id });
  group.append(made("span", field.says, { id, class: "label" }), choices(field.may.map((one) => {
    const at = field.now.indexOf(one);
    const text = `${at >= 0 && field.many === "series" ? `${at + 1}. ` : ""}${optionWords(field, one)}`;
    const names = at >= 0 ? field.now.filter((other) => other !== one) : [...field.now, one];
    const key = `${id}-${one}`;
    return button(text, () => tell(order, field, names, key),
      { id: key, "aria-pressed": String(at >= 0), "aria-label": `${field.says}: ${text}` });
  })));
  return group;
}

/** A name or word as it is chosen; units with their strength, guns of elsewhere with their place. */
function optionWords(field, one) {
  const own = field.clause?.words.find(([said]) => said === one);
  if (own) return spoken(own);
  if (field.many === "flag") return word("yes");
  if (desk.words[one]) return spoken(desk.words[one]);
  const unit = desk.byId.get(one);
  if (!unit) return nameOfId(one);
  const place = field.clause?.names === "other" ? ` (${nameOfId(unit.place)})` : "";
  return `${nameOfId(one)} ${unit.strength || unit.factors}${place}`;
}
