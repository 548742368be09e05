// Standing orders by form: where, when, on what condition, what is done. Keywords are the game's; names are one's own.

const OPERATORS = ["AT LEAST", "AT MOST", "LESS THAN", "MORE THAN"];
const RANKS = ["STRONGEST", "WEAKEST", "FRESHEST"];
const MOST_REACTIONS = 3;

/** A keyword in the language of the block. */
const keyword = (word, tongue = language) => (tongue === "en" ? word : desk.standing.words[word] ?? word);

/** Words of a line, keywords as they are, names marked so that they are written as the language has them. */
const nameWord = (id) => ({ id });
const written = (words, tongue) => words.map((one) => (one.id ? nameOfId(one.id, tongue)
  : String(one).split(/(?<=[.>])|(?=\.)/).map((part) => keyword(part, tongue)).join(""))).join(" ").replace(/ (?=,)/g, "");

/** The lines of all standing orders that were added, scope by scope. */
function standingLines(tongue = language) {
  const scopes = new Map();
  for (const rule of desk.rules) scopes.set(rule.key, [...(scopes.get(rule.key) ?? []), rule]);
  return [...scopes].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, rules]) => [
    written(["STANDING", "FOR", rules[0].scope[0], ...(rules[0].scope[1] ? [nameWord(rules[0].scope[1])] : [])], tongue),
    ...rules.map((rule, at) => `${at + 1}. ${written(rule.words, tongue)}`),
    written(["ENDSTANDING"], tongue),
  ]);
}

function choice(name, options, chosen = "") {
  const label = made("label", word(name));
  const field = made("select", "", { name });
  for (const [value, text] of options) {
    const one = made("option", text, { value });
    one.selected = value === chosen;
    field.append(one);
  }
  label.append(field);
  return label;
}

function numberField(name, value) {
  const label = made("label", word(name));
  const field = made("input", "", { name, type: "number", min: name === "limit" ? 0 : 1, max: 999, value, inputmode: "numeric" });
  label.append(field);
  return label;
}

const keyed = (words) => words.map((one) => [one, keyword(one)]);
const named = (ids) => ids.map((id) => [id, nameOfId(id)]);

/** What the form says now; what a field does not have counts as the first that it may say. */
const formed = { kind: "ALL", scope: "", event: "", test: "", what: "", op: "AT LEAST", a: "2", b: "1", place: "", holder: "MINE", reactions: [{}], limit: "0" };

function scopesOf(kind) {
  if (kind === "SPACE") return desk.standing.places;
  if (kind === "LEADER") return desk.standing.leaders;
  return kind === "UNIT" ? desk.standing.units : [];
}

/** The fields that the choices made so far ask for. */
function showStandingForm() {
  const { standing } = desk;
  $("standing").hidden = !standing;
  if (!standing) return;
  const kinds = ["ALL", "SPACE", "LEADER", "UNIT"].filter((kind) => kind === "ALL" || scopesOf(kind).length);
  const fields = [choice("scope_kind", keyed(kinds), formed.kind)];
  if (formed.kind !== "ALL") fields.push(choice("scope", named(scopesOf(formed.kind)), formed.scope));
  fields.push(choice("event", standing.events.map((one) => [one, one ? keyword(one) : word("always")]), formed.event));
  if (formed.event) fields.push(...conditionFields());
  formed.reactions.forEach((reaction, at) => fields.push(...reactionFields(reaction, at)));
  const row = made("div", "", { class: "row" });
  if (formed.reactions.length < MOST_REACTIONS) {
    row.append(button(word("and_also"), () => { formed.reactions.push({}); showStandingForm(); $("rule").querySelector(`[name="do${formed.reactions.length - 1}"]`).focus(); }));
  }
  const add = button(word("add_rule"), addRule, { class: "first" });
  row.append(add);
  fields.push(numberField("limit", formed.limit), row);
  $("rule").replaceChildren(...fields);
}

function conditionFields() {
  const { counts } = desk.standing;
  const tests = [["", word("no_condition")], ["ODDS", keyword("ODDS")]];
  for (const whose of ["MY", "ENEMY"]) {
    for (const one of counts) tests.push([`${whose} ${one}`, keyword(`${whose} ${one}`)]);
  }
  tests.push(["TURN", keyword("TURN")], ["VP", keyword("VP")], ["SPACE", keyword("SPACE")]);
  const fields = [choice("test", tests, formed.test)];
  const pair = made("div", "", { class: "pair" });
  if (formed.test === "SPACE") {
    pair.append(choice("place", named(desk.standing.places), formed.place), choice("holder", keyed(["MINE", "ENEMY", "EMPTY"]), formed.holder));
  } else if (formed.test) {
    pair.append(choice("op", keyed(OPERATORS), formed.op), numberField(formed.test === "ODDS" ? "mine" : "number", formed.a));
    if (formed.test === "ODDS") pair.append(made("span"), numberField("theirs", formed.b));
  }
  return pair.childNodes.length ? [...fields, pair] : fields;
}

/** What is done, and with which words: those of the game, units by name or by kind, or spaces. */
function reactionFields(reaction, at) {
  const { reactions } = desk.standing;
  const names = reactions.map(([one]) => one);
  reaction.do ||= names[0];
  const [, words, places, prefs] = reactions.find(([one]) => one === reaction.do);
  const label = choice("do", keyed(names), reaction.do);
  label.querySelector("select").name = `do${at}`;
  const options = [...keyed(words), ...(places ? named(desk.standing.places) : [])];
  if (prefs) {
    for (const kind of desk.standing.kinds) for (const rank of RANKS) options.push([`${kind}.${rank}`, `${keyword(kind)}.${keyword(rank)}`]);
    options.push(...named(desk.standing.units), ["NONE", keyword("NONE")]);
  }
  if (!options.length) return [label];
  if (!options.some(([value]) => value === reaction.first)) [[reaction.first]] = options;
  const pair = made("div", "", { class: "pair" });
  const first = choice("with", options, reaction.first);
  first.querySelector("select").name = `first${at}`;
  pair.append(first);
  if (places || prefs) {
    const second = choice("else_with", [["", "–"], ...options.filter(([value]) => value !== "NONE")], reaction.second);
    second.querySelector("select").name = `second${at}`;
    pair.append(second);
  }
  return [label, pair];
}

/** What was chosen in a field; others may follow from it. */
function onStanding(event) {
  const { name, value } = event.target;
  const found = /^(do|first|second)(\d)$/.exec(name);
  if (found) formed.reactions[found[2]][found[1]] = value;
  else formed[{ scope_kind: "kind", mine: "a", number: "a", theirs: "b" }[name] ?? name] = value;
  if (found?.[1] === "do") Object.assign(formed.reactions[found[2]], { first: "", second: "" });
  if (name === "scope_kind") formed.scope = "";
  if (event.target.localName !== "select") return;
  showStandingForm();
  $("rule").querySelector(`[name="${name}"]`)?.focus();
}

const counted = (value, least) => String(Math.max(least, Math.min(999, Math.round(Number(value)) || least)));

/** The condition in words; none if none was chosen. */
function testWords() {
  const { test, op, a, b } = formed;
  if (!formed.event || !test) return [];
  if (test === "SPACE") return ["IF", "SPACE", nameWord(formed.place || desk.standing.places[0]), formed.holder];
  if (test === "ODDS") return ["IF", "ODDS", op, `${counted(a, 1)}:${counted(b, 1)}`];
  return ["IF", test, op, counted(a, 0)];
}

function reactionWords({ do: act, first, second }) {
  const [, words, places, prefs] = desk.standing.reactions.find(([one]) => one === act);
  const one = (value) => (words.includes(value) || value === "NONE" || RANKS.some((rank) => value.endsWith(`.${rank}`)) ? value : nameWord(value));
  if (!words.length && !places && !prefs) return [act];
  return [act, one(first), ...(second && first !== "NONE" && !words.includes(first) ? ["/", one(second)] : [])];
}

function addRule() {
  const id = formed.kind === "ALL" ? "" : formed.scope || scopesOf(formed.kind)[0];
  const when = formed.event ? ["WHEN", formed.event, ...testWords(), "THEN"] : [];
  const acts = formed.reactions.flatMap((one, at) => [...(at ? [";"] : []), ...reactionWords(one)]);
  const limit = counted(formed.limit, 0);
  const words = [...when, ...acts, ...(limit === "0" ? [] : ["LIMIT", limit])];
  desk.rules.push({ key: `${formed.kind} ${id}`, scope: [formed.kind, id], words, number: ++desk.count });
  formed.reactions = [{}];
  changed();
  said(word("added", { line: written(words, language) }));
}

function showRules() {
  $("rules").replaceChildren(...desk.rules.map((rule) => {
    const row = made("li");
    const line = made("div", "", { class: "order" });
    const scope = rule.scope[1] ? `${keyword(rule.scope[0])} ${nameOfId(rule.scope[1])}` : keyword("ALL");
    const text = `${scope}: ${written(rule.words, language)}`;
    line.append(made("code", text), tools(text, rule.number, [["strike", () => {
      desk.rules = desk.rules.filter((one) => one !== rule);
      said(word("struck", { line: text }));
    }]]));
    row.append(line);
    return row;
  }));
}
