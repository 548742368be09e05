// Standing orders by form: where, when, on what condition, what is done. Keywords are the game's; names are one's own.

const OPERATORS = ["AT LEAST", "AT MOST", "LESS THAN", "MORE THAN"];
const RANKS = ["STRONGEST", "WEAKEST", "FRESHEST"];
const MOST_REACTIONS = 3;

/** A keyword in the language of the block. */
const keyword = (word, tongue = language) => (tongue === "en" ? word : desk.standing.words[word] ?? word);

/** Words of a line, keywords as they are, names marked so that they are written as the language has them. */
const nameWord = (id) => ({ id });
const keywords = (text, tongue) => text.split(/(\.)/).map((part) => keyword(part, tongue)).join("");
const written = (words, tongue) => words
  .map((one) => (one.id ? nameInLine(one.id, tongue) : keywords(one, tongue))).join(" ");

const scopeWords = ([kind, id]) => (id ? [kind, nameWord(id)] : [kind]);

/** The lines of all standing orders that were added, scope by scope. */
function standingLines(tongue = language) {
  const scopes = new Map();
  for (const rule of desk.rules) scopes.set(rule.key, [...(scopes.get(rule.key) ?? []), rule]);
  return [...scopes].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, rules]) => [
    written(["STANDING", "FOR", ...scopeWords(rules[0].scope)], tongue),
    ...rules.map((rule, at) => `${at + 1}. ${written(rule.words, tongue)}`),
    written(["ENDSTANDING"], tongue),
  ]);
}

/** A field below its name; of several alike each has its number. */
function below(name, field, at = "") {
  const both = made("div", "", { class: "field" });
  field.id = `rule-${name}${at}`;
  field.name = `${name}${at}`;
  both.append(made("label", word(name), { for: field.id }), field);
  return both;
}

function choice(name, options, chosen = "", at = "") {
  const field = made("select");
  for (const [value, text] of options) {
    const one = made("option", text, { value });
    one.selected = value === chosen;
    field.append(one);
  }
  return below(name, field, at);
}

function numberField(name, value) {
  return below(name, made("input", "", { type: "number", min: 0, max: 999, value, inputmode: "numeric" }));
}

const keyed = (words) => words.map((one) => [one, keywords(one, language)]);
const named = (ids) => ids.map((id) => [id, nameOfId(id)]);

/** What the form says now; what a field does not have counts as the first that it may say. */
const FORMED = {
  kind: "ALL", scope: "", event: "", test: "", op: "AT LEAST", a: "2", b: "1", place: "", holder: "MINE",
  limit: "0",
};
const formed = { ...FORMED, reactions: [{}] };

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
    row.append(button(word("and_also"), () => {
      formed.reactions.push({});
      showStandingForm();
      $("rule").querySelector(`[name="do${formed.reactions.length - 1}"]`).focus();
    }));
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
    const holders = choice("holder", keyed(["MINE", "ENEMY", "EMPTY"]), formed.holder);
    pair.append(choice("place", named(desk.standing.places), formed.place), holders);
  } else if (formed.test) {
    const first = numberField(formed.test === "ODDS" ? "mine" : "number", formed.a);
    pair.append(choice("op", keyed(OPERATORS), formed.op), first);
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
  const first = choice("do", keyed(names), reaction.do, at);
  const options = [...keyed(words), ...(places ? named(desk.standing.places) : [])];
  if (prefs) {
    options.push(...keyed(desk.standing.kinds.flatMap((kind) => RANKS.map((rank) => `${kind}.${rank}`))));
    options.push(...named(desk.standing.units), ["NONE", keyword("NONE")]);
  }
  if (!options.length) return [first];
  if (!options.some(([value]) => value === reaction.first)) [[reaction.first]] = options;
  const pair = made("div", "", { class: "pair" });
  pair.append(choice("with", options, reaction.first, at));
  if (places || prefs) {
    const others = options.filter(([value]) => value !== "NONE");
    pair.append(choice("else_with", [["", "–"], ...others], reaction.second, at));
  }
  return [first, pair];
}

/** What was chosen in a field; others may follow from it. */
function onStanding(event) {
  const { name, value } = event.target;
  const found = /^(do|with|else_with)(\d)$/.exec(name);
  const part = { do: "do", with: "first", else_with: "second" }[found?.[1]];
  if (found) formed.reactions[found[2]][part] = value;
  else formed[{ scope_kind: "kind", mine: "a", number: "a", theirs: "b" }[name] ?? name] = value;
  if (part === "do") Object.assign(formed.reactions[found[2]], { first: "", second: "" });
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
  const ranked = (value) => RANKS.some((rank) => value.endsWith(`.${rank}`));
  const one = (value) => (words.includes(value) || value === "NONE" || ranked(value) ? value : nameWord(value));
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
    const scope = written(scopeWords(rule.scope), language);
    const text = `${scope}: ${written(rule.words, language)}`;
    line.append(made("code", text), tools(text, rule.number, [["strike", () => {
      desk.rules = desk.rules.filter((one) => one !== rule);
      said(word("struck", { line: text }));
    }]]));
    row.append(line);
    return row;
  }));
}
