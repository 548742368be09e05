// The curves: drawn elsewhere; here a line goes along with the moment that is shown.

const cursors = [];

function layGraphs() {
  const [, top, , bottom] = replay.plot;
  cursors.length = 0;
  $("graphs").replaceChildren(...replay.graphs.map(({ title, who, note, drawn }) => {
    const [around, graph] = [made("figure"), drawnFrom(drawn)];
    const cursor = shape("path", { d: `M0 ${top}V${bottom}`, class: "cursor" });
    cursors.push(cursor);
    graph.append(cursor);
    graph.setAttribute("aria-hidden", "true");
    const head = who.length > 1 ? `${spoken(title)}: ${who.map((one) => spoken(one)).join(", ")}` : spoken(title);
    around.append(made("figcaption", head), graph);
    if (note) around.append(made("p", spoken(note), { class: "soft" }));
    return around;
  }));
  $("curves").hidden = !replay.graphs.length;
}

/** Where the moment that is shown lies on the curves. */
function pointGraphs() {
  const [left, , right] = replay.plot;
  const x = left + ((right - left) * replay.now) / Math.max(1, replay.steps.length - 1);
  for (const cursor of cursors) cursor.setAttribute("transform", `translate(${x} 0)`);
}
