/**
 * The stepper: shows a recorded run of the queue selection, step by step.
 *
 * It takes a trace (see trace.schema.json) and an element and needs nothing else:
 *
 *     import { mount } from "./stepper.js";
 *     const stepper = mount(trace, document.querySelector("#run"));
 *     stepper.set(17);
 *
 * In a notebook anywidget calls `render`. Either way the same three layers run: *rules* say where a reader may go and
 * what counts as right (rmqref/stepper.py has the same rules, for Python), *views* turn a trace and a step into plain
 * data, and *parts* own a piece of the page each, built once, of which a step changes only what differs.
 *
 * Everything that comes from a trace reaches the page as a text node or an attribute's value, never as markup.
 */

/**
 * @typedef {{id: string, [parameter: string]: string | number | boolean | null}} Say
 * @typedef {{before: ?number, after: ?number, visible: ?number, size: ?number, position: ?number}} Arithmetic
 * @typedef {{position: number, mark: "looking" | "skipped" | "chosen" | "rewritten"}} Probe
 * @typedef {{name: string, latency: number, reachable: boolean, left: number, available: boolean}} Fault
 * @typedef {{send: number, broker_name: string, queue_id: number, at: number, timeout: number, ended: ?number,
 *   outcome: string, code: ?number, duration: ?number}} Attempt  times in ms since the send began
 * @typedef {{at: number, timeout: number, attempts: Attempt[]}} Send
 * @typedef {{clock: ?number, stored: ?number, worst_stored: ?number, queues: [string, number][], faults: Fault[],
 *   fault_switch: boolean, send?: Send}} State
 * @typedef {{source: number, line: number, event: string, stack: [number, number][], locals: [string, string][],
 *   changed: string[], value: ?string, state: number, kind: ?string, arithmetic: ?Arithmetic, probes: Probe[],
 *   say: Say, pick: ?number}} Step
 * @typedef {{name: string, module: string, java: string, summary: string, first_line: number, lines: string[],
 *   folded: [number, number][], tokens?: [string, string][][]}} Source
 * @typedef {{step: number, reveal: ?number, position: ?number, queue: ?[string, number], possible: boolean}} Decision
 * @typedef {{title: string, release: string, family: string, span: string, topic: string, brokers: string[],
 *   sources: Source[], states: State[], steps: Step[], decisions: Decision[], words?: Object<string, string>}} Trace
 * @typedef {{step: number, predict: boolean, answers: (?number)[]}} Place  where a reader is; `answers` has one item
 *   a decision: null before it was asked, SHOWN if it was shown unasked, else the position that was predicted
 * @typedef {{step?: number, predict?: boolean, answers?: (?number)[], link?: boolean | string}} Options  with `link`
 *   there is a button that copies the page's address with #step=17 (or #NAME.step=17 if `link` is a name)
 */

/** An answer that is none: the decision was shown without a prediction. */
export const SHOWN = -1;

// ---------------------------------------------------------------------------------------------------------- rules

/** The first decision that is still to be predicted, or -1. */
const pending = (trace, answers) => trace.decisions.findIndex((d, n) => d.possible && answers[n] == null);

/** The last step that may be shown: in predict mode not beyond the next decision. */
function limit(trace, place) {
  const next = place.predict ? pending(trace, place.answers) : -1;
  return next < 0 ? trace.steps.length - 1 : trace.decisions[next].step;
}

/** @returns {Place} the reader at another step, as near as the mode allows */
const moved = (trace, place, step) => ({ ...place, step: Math.max(0, Math.min(step, limit(trace, place))) });

/** The decision that is being asked, or -1. */
function asked(trace, place) {
  const next = place.predict ? pending(trace, place.answers) : -1;
  return next >= 0 && trace.decisions[next].step === place.step ? next : -1;
}

/** @returns {Place} the reader after an answer: at the step that reveals the pick */
function answered(trace, place, decision, position) {
  const answers = place.answers.with(decision, position);
  return moved(trace, { ...place, answers }, trace.decisions[decision].reveal);
}

/** @returns {Place} the mode switched: what was already seen is not asked, and if nothing is left it starts over */
function predicting(trace, place, on) {
  if (!on) return { ...place, predict: false };
  const seen = (decision) => decision.reveal != null && decision.reveal <= place.step;
  let answers = place.answers.map((answer, n) => answer ?? (seen(trace.decisions[n]) ? SHOWN : null));
  let step = place.step;
  if (pending(trace, answers) < 0) {
    answers = answers.map(() => null);
    step = trace.decisions[pending(trace, answers)]?.step ?? step;
  }
  return moved(trace, { ...place, answers, predict: true }, step);
}

/** Whether a prediction names the queue that was picked. */
function isRight(trace, decision, position) {
  const { step, queue } = trace.decisions[decision];
  const [broker, id] = trace.states[trace.steps[step].state].queues[position];
  return broker === queue[0] && id === queue[1];
}

/** How many predictions were right, and how many were made. */
function score(trace, answers) {
  const given = answers.map((answer, n) => [n, answer]).filter(([, answer]) => answer != null && answer !== SHOWN);
  return { right: given.filter(([n, answer]) => isRight(trace, n, answer)).length, asked: given.length };
}

export const rules = { asked, answered, limit, moved, predicting, score };

// ---------------------------------------------------------------------------------------------------------- words

/** Cuts a template at its {names} and its marks <b>, <no>, <yes>: pieces of [mark, is a name, text]. */
function pieces(template) {
  let mark = "";
  return template.split(/(<\/?(?:b|no|yes)>|\{\w+\})/).flatMap((piece) => {
    const tag = /^<(\/?)(b|no|yes)>$/.exec(piece);
    if (tag) mark = tag[1] ? "" : tag[2];
    if (tag || piece === "") return [];
    const name = /^\{(\w+)\}$/.exec(piece);
    return [[mark, name !== null, name ? name[1] : piece]];
  });
}

/** The words of one trace: `text` gives a sentence as text, `nodes` with its marks as elements. */
function wordsOf(catalogue = {}) {
  const cut = new Map();
  const filled = (id, parameters) => {
    if (!cut.has(id)) cut.set(id, pieces(catalogue[id] ?? id));
    return cut.get(id).map(([mark, isName, text]) => [mark, isName ? String(parameters[text] ?? "None") : text]);
  };
  return {
    text: (id, parameters = {}) => filled(id, parameters).map(([, text]) => text).join(""),
    nodes: (id, parameters = {}) =>
      filled(id, parameters).map(([mark, text]) => (mark ? html("b", { class: `rmq-${mark}` }, text) : text)),
  };
}

// ---------------------------------------------------------------------------------------------------------- views

/** Kinds of steps at which "next event" stops. */
const EVENTS = new Set([
  "skip", "accept", "pick", "fallback", "rank", "rewrite", "update", "remove", "swallow", "reset", "raise",
  "route", "budget", "attempt", "store", "answer", "retry", "outcome",
]);

/** What is worked out once for a trace. */
function prepared(trace) {
  const events = trace.steps.flatMap((step, n) => (EVENTS.has(step.kind) ? [n] : []));
  const names = new Set(trace.brokers);
  for (const state of trace.states) {
    for (const [name] of state.queues) names.add(name);
    for (const { name } of state.faults) names.add(name);
    for (const attempt of state.send?.attempts ?? []) names.add(attempt.broker_name);
  }
  return {
    trace,
    words: wordsOf(trace.words),
    events: events.length ? events : trace.steps.map((_, n) => n),
    calls: callsOf(trace.steps),
    send: sendOf(trace),
    deepest: Math.max(...trace.steps.map((step) => step.stack.length)),
    brokers: brokersOf([...names]),
    longestLeft: Math.max(1, ...trace.states.flatMap((state) => state.faults.map((fault) => fault.left))),
    rows: Math.max(0, ...trace.steps.map((step) => step.locals.length)),
  };
}

/**
 * The calls on the stack at each step, outermost first; a call knows the steps at which it ran and on which lines.
 * @returns {{source: number, visits: [number, number][]}[][]}
 */
function callsOf(steps) {
  let stack = [];
  let ended = false;
  return steps.map((step, n) => {
    const depth = step.stack.length;
    const kept = stack.slice(0, ended && depth === stack.length ? depth - 1 : depth);
    let same = 0;
    while (same < kept.length && kept[same].source === step.stack[same][0]) same += 1;
    stack = step.stack.map(([source], at) => (at < same ? kept[at] : { source, visits: [] }));
    stack[depth - 1].visits.push([n, step.line]);
    ended = step.event === "return";
    return stack;
  });
}

/**
 * Of the trace of a whole send: the step at which each attempt began, and how many ms the time line is long.
 * @returns {?{begins: number[], scale: number}}
 */
function sendOf({ steps, states }) {
  const sends = states.flatMap((state) => state.send ?? []);
  if (!sends.length) return null;
  const begins = [];
  steps.forEach((step, n) => {
    while (begins.length < (states[step.state].send?.attempts.length ?? 0)) begins.push(n);
  });
  const ends = ({ at, timeout, ended }) => Math.max(at + timeout, ended ?? 0);
  const scale = Math.max(1, ...sends.flatMap((send) => [send.at, send.timeout, ...send.attempts.map(ends)]));
  return { begins, scale };
}

/** Each broker's colour number and short label: the letters that end its name if they tell all apart, else A, B, C. */
function brokersOf(names) {
  const ends = names.map((name) => /[^A-Za-z]([A-Za-z]{1,2})$/.exec(name)?.[1] ?? "");
  const good = ends.every(Boolean) && new Set(ends.map((end) => end.toLowerCase())).size === names.length;
  const letter = (n) => (n < 26 ? "" : letter(Math.floor(n / 26) - 1)) + String.fromCharCode(65 + (n % 26));
  return new Map(names.map((name, n) => [name, { name, label: good ? ends[n] : letter(n), number: n }]));
}

/** Which call's source is shown: the running one, or a caller that was asked for; with its locals. */
function codeView({ trace, calls }, step, depth) {
  const { stack } = trace.steps[step];
  const at = depth ?? stack.length - 1;
  const call = calls[step][at];
  const [source, line] = stack[at];
  const [last] = call.visits.findLast(([n]) => n <= step) ?? [step];
  const isRunning = at === stack.length - 1;
  return {
    at, source, line, isRunning,
    ran: new Set(call.visits.filter(([n]) => n < step).map(([, ran]) => ran)),
    locals: trace.steps[last].locals,
    changed: isRunning && trace.steps[step].kind !== "enter" ? trace.steps[step].changed : [],
    event: isRunning ? trace.steps[step].event : "line",
    value: isRunning ? trace.steps[step].value : null,
  };
}

/** What the ring shows: a row a queue, and where the pointer is. */
function ringView({ trace, brokers }, place, decision) {
  const step = trace.steps[place.step];
  const state = trace.states[step.state];
  const avoided = new Set(state.fault_switch ? state.faults.filter((f) => !f.available).map((f) => f.name) : []);
  const looks = new Map();
  if (decision < 0) step.probes.forEach((probe, n) => looks.set(probe.position, { look: n + 1, mark: probe.mark }));
  const guess = step.pick == null || decision >= 0 ? null : place.answers[step.pick];
  const probed = decision < 0 ? step.probes.at(-1)?.position : undefined;
  const position = decision < 0 ? (step.arithmetic?.position ?? probed) : undefined;
  // Until the producer knows a route its list is empty; a queue is rewritten only within a list of one length.
  const original = trace.states.find(({ queues }) => queues.length === state.queues.length).queues;
  return {
    asks: decision >= 0,
    position: position ?? null,
    stale: step.arithmetic?.position == null && !["chosen", "rewritten"].includes(step.probes.at(-1)?.mark),
    last: step.probes.length,
    queues: state.queues.map(([broker, id], n) => ({
      ...brokers.get(broker), id, ...looks.get(n),
      avoided: avoided.has(broker),
      written: broker !== original[n][0] || id !== original[n][1],
      guess: guess !== n ? "" : isRight(trace, step.pick, n) ? "right" : "wrong",
    })),
  };
}

/** The counter's sentences: how it moved, and how its value became a position. */
function counterView({ words }, stored, sum) {
  const shown = (value) => (value == null ? words.text("stepper.counter.none") : String(value));
  if (sum == null || sum.after == null) return [["stepper.counter.stored", { stored: shown(stored) }]];
  const { visible, size, position } = sum;
  const lines = [["stepper.counter.moved", { before: shown(sum.before), after: sum.after }]];
  if (position == null) {
    if (visible !== sum.after) lines.push(["stepper.counter.visible", { visible }]);
  } else if (visible % size === position) lines.push(["stepper.counter.position", { visible, size, position }]);
  else if (Math.abs(visible) % size === position) lines.push(["stepper.counter.absolute", { visible, size, position }]);
  else lines.push(["stepper.counter.repaired", { visible, size, position, raw: visible % size }]);
  return lines;
}

/** A row of the fault table a broker, whether it has an entry or not. */
function faultView({ brokers, longestLeft, words }, state) {
  const entries = new Map(state.faults.map((fault) => [fault.name, fault]));
  return [...brokers.values()].map((broker) => {
    const entry = entries.get(broker.name);
    if (!entry) return { ...broker, latency: words.text("stepper.fault.none"), share: 0, status: "available" };
    return {
      ...broker,
      latency: words.text("stepper.fault.latency", { latency: entry.latency }),
      share: entry.left / longestLeft,
      status: entry.available ? "available" : entry.left > 0 ? (entry.reachable ? "avoided" : "both") : "unreachable",
      left: duration(entry.left),
    };
  });
}

// How an attempt came out: a sentence, and the mark that goes with it.
const OUTCOMES = {
  "": ["stepper.send.running", "running"],
  sent: ["stepper.send.sent", "sent"],
  SEND_OK: ["stepper.send.stored", "yes"],
  FLUSH_DISK_TIMEOUT: ["stepper.send.stored.badly", "partly"],
  FLUSH_SLAVE_TIMEOUT: ["stepper.send.stored.badly", "partly"],
  SLAVE_NOT_AVAILABLE: ["stepper.send.stored.badly", "partly"],
  RemotingTimeoutException: ["stepper.send.timeout", "no"],
  RemotingConnectException: ["stepper.send.connect", "no"],
  RemotingTooMuchRequestException: ["stepper.send.too_much", "no"],
  MQBrokerException: ["stepper.send.refused", "no"],
};

/** The attempts of a send so far, each with its broker, where its bars are (as shares of the line) and how it ended. */
function attemptsView({ brokers, send: { scale }, words }, { at: now, attempts }) {
  return attempts.map((attempt, n) => {
    const { broker_name: name, queue_id: id, at: begun, timeout, ended, outcome, code } = attempt;
    const spent = Math.max((ended ?? now) - begun, 0);
    const [sentence, mark] = OUTCOMES[outcome] ?? ["stepper.send.failed", "no"];
    const told = words.text(sentence, { spent: milliseconds(spent), outcome, code });
    const queue = `${name} : ${id}`;
    const { number, label: letter } = brokers.get(name);
    return {
      number, letter, queue, told, mark,
      begun: begun / scale, given: Math.max(timeout, 0) / scale, spent: spent / scale,
      label: words.text("stepper.send.attempt", {
        number: n + 1, queue, begun: milliseconds(begun), given: milliseconds(timeout), told }),
    };
  });
}

const milliseconds = (ms) => (Math.abs(ms) < 10000 ? `${ms} ms` : duration(ms));
const duration = (ms) => (ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`);
const timeOfDay = (ms) => new Date(ms).toISOString().slice(11, 23);

// --------------------------------------------------------------------------------------------------------- drawing

/** Makes an element; names that start with "on" are listeners. */
function element(namespace, tag, attributes, children) {
  const made = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else set(made, name, value);
  }
  made.append(...children);
  return made;
}
const html = (tag, attributes = {}, ...children) => element("http://www.w3.org/1999/xhtml", tag, attributes, children);
const svg = (tag, attributes = {}, ...children) => element("http://www.w3.org/2000/svg", tag, attributes, children);

/** Sets an attribute if it differs; null, undefined and false remove it. */
function set(node, name, value) {
  const wanted = value == null || value === false ? null : value === true ? "" : String(value);
  if (node.getAttribute(name) === wanted) return;
  if (wanted === null) node.removeAttribute(name);
  else node.setAttribute(name, wanted);
}

/** Sets an element's text if it differs. */
function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const ICONS = {
  first: "M18 5l-7 7 7 7M6 5v14", last: "M6 5l7 7-7 7M18 5v14", back: "M15 5l-7 7 7 7", forward: "M9 5l7 7-7 7",
  eventBack: "M19 5l-7 7 7 7M11 5l-7 7 7 7", eventForward: "M5 5l7 7-7 7M13 5l7 7-7 7",
  play: "M8 5l11 7-11 7z", pause: "M8 5v14M16 5v14",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1.500 1.500M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1.500-1.500",
  close: "M6 6l12 12M18 6L6 18", predict: "M12 3v4M12 17v4M3 12h4M17 12h4M12 7a5 5 0 1 0 .01 0",
  right: "M4 13l5 5L20 6", wrong: "M6 6l12 12M18 6L6 18", attempt: "M5 5l6 7-6 7M14 21V4h7l-2 3.500 2 3.500h-7",
};
// The marks of an attempt's outcome, told apart by shape too.
const OUTCOME_MARKS = {
  yes: "M4 13l5 5L20 6", no: "M6 6l12 12M18 6L6 18", partly: "M12 4L21 20H3zM12 10v4M12 17v.500",
  running: "M12 5a7 7 0 1 0 .01 0", sent: "M4 12h15M13 6l6 6-6 6",
};
const MARKS = { skipped: "M-4-4L4 4M4-4L-4 4", chosen: "M-5 0L-1 4L5-4", rewritten: "M-5 0L-1 4L5-4", looking: "" };

const icon = (name, icons = ICONS) =>
  svg("svg", { class: "rmq-icon", viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true" },
    svg("path", { d: icons[name] }));

/** The sentence, over hidden copies of the longest ones so that its height never changes. */
function sentencePart({ trace, words }) {
  const sentences = new Map(trace.steps.map((step) => [words.text(step.say.id, step.say), step.say]));
  const longest = [...sentences].sort(([one], [other]) => other.length - one.length).slice(0, 6);
  const live = html("p", { class: "rmq-say", "aria-live": "polite", "aria-atomic": "true" });
  const ghosts = longest.map(([, long]) =>
    html("p", { class: "rmq-say rmq-ghost", "aria-hidden": "true" }, ...words.nodes(long.id, long)));
  let shown = null;
  return {
    node: html("div", { class: "rmq-sentence" }, ...ghosts, live),
    update(view) {
      set(live, "aria-live", view.playing ? "off" : "polite");
      const said = view.decision >= 0 ? { id: "stepper.predict.ask" } : trace.steps[view.step].say;
      if (shown === said || (shown?.id === said.id && view.decision >= 0)) return;
      shown = said;
      live.replaceChildren(...words.nodes(said.id, said));
    },
  };
}

/** Below the sentence in predict mode: what to do, or whether the prediction was right. */
function verdictPart({ trace, words }, actions) {
  const text = html("span", { role: "status" });
  const badge = html("span", { class: "rmq-badge" });
  const showMe = html("button", { type: "button", class: "rmq-button", onclick: actions.showMe },
    words.text("stepper.predict.show"));
  const node = html("div", { class: "rmq-verdict" }, badge, text, showMe);
  let before = "";
  return {
    node,
    update(view) {
      node.hidden = !view.place.predict;
      showMe.hidden = view.decision < 0;
      const [id, parameters, outcome] = verdict(view);
      const key = JSON.stringify([id, parameters]);
      if (key === before) return;
      before = key;
      badge.replaceChildren(...(outcome ? [icon(outcome)] : []));
      set(node, "data-outcome", outcome);
      text.replaceChildren(...words.nodes(id, parameters));
    },
  };

  function verdict({ place, decision }) {
    if (decision >= 0) return ["stepper.predict.how", {}, ""];
    const { pick, state } = trace.steps[place.step];
    if (pick == null) return ["stepper.predict.before", {}, ""];
    const guess = place.answers[pick];
    if (guess == null || guess === SHOWN) {
      return [trace.decisions[pick].possible ? "stepper.predict.shown" : "stepper.predict.none", {}, ""];
    }
    const start = trace.states[trace.steps[trace.decisions[pick].step].state] ?? state;
    const [queue, given] = [trace.decisions[pick].queue, start.queues[guess]].map(([name, id]) => `${name} : ${id}`);
    return isRight(trace, pick, guess)
      ? ["stepper.predict.right", { queue }, "right"] : ["stepper.predict.wrong", { queue, given }, "wrong"];
  }
}

/** The call stack as a path; each call can be looked at. It scrolls sideways, and fades where there is more. */
function stackPart({ trace, words, deepest }, actions) {
  const node = html("div", { class: "rmq-stack", role: "group", "aria-label": words.text("stepper.stack"),
    "data-deep": deepest > 5 || null, onscroll: fade });
  let [before, shown] = ["", -1];
  return { node, update };

  function update({ step, code }) {
    const { stack } = trace.steps[step];
    const key = stack.map(([source]) => source).join();
    if (key === before && code.at === shown) return;
    if (key !== before) {
      node.replaceChildren(...stack.map(([source], at) =>
        html("button", {
          type: "button", title: trace.sources[source].module,
          class: at === stack.length - 1 ? "rmq-running" : null, onclick: () => actions.lookAt(at),
        }, trace.sources[source].name)));
    }
    [before, shown] = [key, code.at];
    [...node.children].forEach((button, at) => set(button, "aria-current", at === code.at ? "true" : null));
    const { offsetLeft: left, offsetWidth: width } = node.children[code.at];
    if (code.isRunning) node.scrollLeft = node.scrollWidth;
    else if (left < node.scrollLeft || left + width > node.scrollLeft + node.clientWidth) node.scrollLeft = left - 40;
    fade();
  }

  function fade() {
    set(node, "data-before", node.scrollLeft > 2);
    set(node, "data-after", node.scrollLeft + node.clientWidth < node.scrollWidth - 2);
  }
}

/** The source: built once for each function, then only the classes of its lines change. */
function codePart({ trace, words }) {
  const java = html("p", { class: "rmq-java" });
  const node = html("div", { class: "rmq-code", tabindex: "0", role: "group" });
  const listings = trace.sources.map(() => null);
  const rows = Math.max(...trace.sources.map((source) => visibleRows(source)));
  node.style.setProperty("--rmq-rows", String(Math.min(Math.max(rows, 8), 14)));
  let now = null;
  return { node: html("div", { class: "rmq-listing" }, java, node), update };

  function update({ code }) {
    const source = trace.sources[code.source];
    const listing = (listings[code.source] ??= listingOf(source, words));
    if (now !== listing) {
      node.replaceChildren(listing.node);
      say(java, source.java ? words.text("stepper.java", { java: source.java }) : "");
      set(java, "title", source.java);
      set(node, "aria-label", words.text("stepper.code", { name: source.name }));
      now = listing;
    }
    listing.lines.forEach((line, n) => {
      const number = source.first_line + n;
      const isLit = number === code.line;
      set(line, "class", isLit ? (code.isRunning ? "rmq-lit" : "rmq-waits") : code.ran.has(number) ? "rmq-ran" : null);
      set(line, "aria-current", isLit ? "step" : null);
    });
    keepInView(node, listing.lines[code.line - source.first_line]);
  }
}

const isFolded = (source, n) => source.folded.some(([from, to]) => n + 1 >= from && n + 1 <= to);
const visibleRows = (source) => source.lines.filter((_, n) => !isFolded(source, n)).length + source.folded.length;

/** One function's lines, its docstring folded away behind a mark. */
function listingOf(source, words) {
  const lines = source.lines.map((line, n) => {
    const tokens = source.tokens?.[n] ?? [["", line]];
    const spans = tokens.map(([kind, text]) => (kind ? html("span", { class: `rmq-t-${kind}` }, text) : text));
    return html("li", { value: source.first_line + n, hidden: isFolded(source, n) },
      html("i", { "aria-hidden": "true" }, String(source.first_line + n)), html("code", {}, ...spans));
  });
  const rows = lines.flatMap((line, n) => {
    const fold = source.folded.find(([from]) => from === n + 1);
    return fold ? [foldMark(lines.slice(fold[0] - 1, fold[1]), words), line] : [line];
  });
  return { lines, node: html("ol", {}, ...rows) };
}

function foldMark(lines, words) {
  const mark = html("button", { type: "button", "aria-expanded": "false", onclick: unfold }, words.text("stepper.docstring"));
  return html("li", { class: "rmq-fold" }, mark);
  function unfold() {
    const opens = mark.getAttribute("aria-expanded") === "false";
    set(mark, "aria-expanded", String(opens));
    for (const line of lines) line.hidden = !opens;
  }
}

/** Scrolls a line into view inside its box, never the page. */
function keepInView(box, line) {
  if (!line) return;
  const margin = 2 * line.offsetHeight;
  const [top, bottom] = [line.offsetTop - margin, line.offsetTop + line.offsetHeight + margin];
  if (top < box.scrollTop) box.scrollTop = top;
  else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
}

/** The locals, with room for as many as any step has, and the value returned. */
function localsPart({ rows, words }) {
  const row = () => {
    const cells = [html("th", { scope: "row" }), html("td")];
    return { node: html("tr", {}, ...cells), cells };
  };
  const made = Array.from({ length: rows }, row);
  const value = row();
  const table = html("table", { "aria-label": words.text("stepper.locals") },
    html("tbody", {}, ...made.map((one) => one.node), value.node));
  const scrolls = rows >= 6 ? { tabindex: "0", role: "group", "aria-label": words.text("stepper.locals") } : {};
  const box = html("div", { class: "rmq-locals", ...scrolls }, table);
  box.style.setProperty("--rmq-rows", String(Math.min(rows, 6) + 1));
  return {
    node: box,
    update({ code }) {
      made.forEach(({ node, cells }, n) => {
        const [name, shown] = code.locals[n] ?? ["", ""];
        fill(cells, name, shown);
        set(node, "class", code.changed.includes(name) ? "rmq-changed" : null);
        node.hidden = n >= code.locals.length;
      });
      const ends = code.event === "line" ? "" : code.event === "raise" ? "raises" : "returns";
      value.node.hidden = !ends;
      set(value.node, "class", ends && `rmq-${ends}`);
      fill(value.cells, ends === "raises" ? words.text("stepper.raises") : ends && words.text("stepper.returns"),
        code.value ?? "");
      if (rows >= 6) keepInView(box, ends ? value.node : made[code.locals.findIndex(([name]) => name === code.changed.at(-1))]?.node);
    },
  };
  function fill([name, shown], nameText, valueText) {
    say(name, nameText);
    say(shown, valueText);
    set(shown, "title", valueText);
  }
}

// The ring's measures, in units of its view box.
const RADIUS = 108;
const DENSE = 40; // with more queues the labels are left out and arcs name the brokers
const around = (n, size) => (2 * Math.PI * n) / size;
const at = (turn, radius) => [radius * Math.sin(turn), -radius * Math.cos(turn)].map((value) => value.toFixed(2));

/** The ring of queues. In predict mode it is a group of radio buttons. */
function ringPart({ trace, words }, actions, unique) {
  const size = Math.max(...trace.states.map((state) => state.queues.length));
  const radius = Math.min(19, (Math.PI * RADIUS * 0.84) / Math.max(size, 1));
  const queues = Array.from({ length: size }, (_, n) => queueNode(n));
  const pointer = svg("g", { class: "rmq-pointer" },
    svg("path", { class: "rmq-shaft", d: `M0-21V${-(RADIUS - radius - 12)}` }),
    svg("path", { class: "rmq-head", d: `M0${-(RADIUS - radius - 5)}l6 13l-6-3l-6 3z` }));
  const hub = svg("text", { class: "rmq-hub", "text-anchor": "middle", dy: ".36em" });
  const empty = svg("text", { class: "rmq-empty", "text-anchor": "middle", y: 44 });
  const arcs = svg("g", { class: "rmq-arcs", "aria-hidden": "true" });
  const hatch = svg("pattern", { id: `rmq-hatch-${unique}`, width: 5, height: 5, patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)" }, svg("path", { class: "rmq-hatching", d: "M1 0V5" }));
  const ring = svg("svg", { class: "rmq-ring", viewBox: "-172 -160 344 320", "data-dense": size > DENSE || null },
    svg("defs", {}, hatch), arcs, pointer, svg("circle", { class: "rmq-hub-disc", r: 20 }), hub, empty,
    ...queues.map((queue) => queue.node));
  let [angle, current, arcsOf] = [0, 0, ""];
  return { node: ring, update, focus: () => queues[current].node.focus() };

  function queueNode(n) {
    const turn = around(n, size);
    const [x, y] = at(turn, RADIUS);
    const text = svg("text", { "text-anchor": "middle", dy: ".36em" });
    const title = svg("title");
    const hatched = svg("circle", { class: "rmq-hatched", r: radius, fill: `url(#rmq-hatch-${unique})` });
    const look = svg("text", { class: "rmq-look", dy: ".36em", "text-anchor": "middle" });
    const mark = svg("path", { class: "rmq-mark" });
    const wedge = around(0.5, size);
    const reach = [...at(turn - wedge, 156), ...at(turn + wedge, 156), ...at(turn + wedge, 60), ...at(turn - wedge, 60)];
    const node = svg("g", { onclick: () => actions.predict(n), onkeydown: (event) => rove(event, n) },
      title, svg("polygon", { class: "rmq-reach", points: size > 2 ? reach.join(" ") : "" }),
      svg("g", { transform: `translate(${x} ${y})` },
        svg("circle", { class: "rmq-halo", r: radius + 4.5 }), svg("circle", { class: "rmq-disc", r: radius }),
        hatched, text),
      look, mark);
    return { node, text, title, look, mark, turn };
  }

  /** Places the number of a look and its mark outside the ring: side by side, or one behind the other if it is crowded. */
  function placeLook({ look, mark, turn }, digits) {
    const crowded = size > 24;
    const half = crowded ? 0 : 5 + 4 * digits;
    const [x, y] = at(turn, RADIUS + radius + (crowded ? 9 : 14)).map(Number);
    const [outX, outY] = at(turn, RADIUS + radius + 20);
    const middle = x + half * Math.sin(turn);
    const scale = Math.min(1, 75 / size);
    set(look, "x", crowded ? outX : middle - 7);
    set(look, "y", crowded ? outY : y);
    set(mark, "transform", crowded ? `translate(${x} ${y}) scale(${scale})` : `translate(${middle + 4 * digits + 2} ${y})`);
  }

  function update({ ring: view }) {
    set(ring, "role", view.asks ? "radiogroup" : "img");
    set(ring, "aria-label", view.asks ? words.text("stepper.ring.ask") : summary(view));
    queues.forEach((queue, n) => updateQueue(queue, n, view.queues[n], view));
    const key = view.queues.map((queue) => queue.number).join();
    if (size > DENSE && key !== arcsOf) arcs.replaceChildren(...arcsFor(view.queues));
    arcsOf = key;
    point(view);
  }

  function updateQueue(parts, n, queue, view) {
    const { node, text, title, look, mark } = parts;
    set(node, "display", queue ? null : "none"); // not yet, or no longer, in the list
    if (!queue) return;
    const label = `${queue.label}${queue.id}`;
    const name = words.text("stepper.queue", { position: n, broker: queue.name, id: queue.id });
    const isNow = n === view.position && !view.stale;
    set(node, "class", [
      "rmq-queue", `rmq-c${queue.number % 8}`, queue.number >= 8 && "rmq-again", queue.mark && `rmq-${queue.mark}`,
      isNow && "rmq-now", queue.avoided && "rmq-avoided", queue.written && "rmq-written",
      queue.guess && `rmq-guess-${queue.guess}`,
    ].filter(Boolean).join(" "));
    if (size <= DENSE) say(text, label);
    set(text, "font-size", Math.min(12.5, (radius * 1.85) / (label.length * 0.62)).toFixed(1));
    say(title, name);
    const isNumbered = queue.look && (size <= 60 || queue.look === view.last);
    if (queue.look) placeLook(parts, isNumbered ? String(queue.look).length : 0);
    say(look, isNumbered ? String(queue.look) : "");
    set(mark, "d", MARKS[queue.mark] || "M0 0");
    set(node, "role", view.asks ? "radio" : null);
    set(node, "aria-checked", view.asks ? "false" : null);
    set(node, "aria-label", view.asks ? name : null);
    set(node, "tabindex", view.asks ? (n === current ? "0" : "-1") : null);
  }

  function summary(view) {
    const queue = view.queues[view.position];
    const count = { queues: view.queues.length, position: view.position };
    if (!view.queues.length) return words.text("stepper.ring.empty");
    if (!queue) return words.text("stepper.ring.start", count);
    return words.text("stepper.ring", { ...count, broker: queue.name, id: queue.id, looks: view.last });
  }

  function point(view) {
    const isThere = view.position != null && view.position >= 0 && view.position < size;
    set(pointer, "class", `rmq-pointer${isThere ? "" : " rmq-away"}${view.stale ? " rmq-stale" : ""}`);
    say(hub, view.position == null ? "" : String(view.position));
    say(empty, view.queues.length ? "" : words.text("stepper.ring.empty"));
    set(hub, "class", `rmq-hub${view.position != null && !isThere ? " rmq-no" : ""}${view.stale ? " rmq-stale" : ""}`);
    if (!isThere) return;
    const turn = (360 * view.position) / size;
    angle += ((((turn - angle) % 360) + 540) % 360) - 180; // the short way round
    pointer.style.transform = `rotate(${angle}deg)`;
  }

  function arcsFor(list) {
    const starts = list.flatMap((queue, n) => (n === 0 || queue.number !== list[n - 1].number ? [n] : []));
    return starts.map((from, n) => {
      const to = starts[n + 1] ?? list.length;
      const inner = RADIUS - radius - 8;
      const [first, last] = [around(from - 0.4, size), around(to - 0.6, size)];
      const large = last - first > Math.PI ? 1 : 0;
      const [x, y] = at((first + last) / 2, inner - 13);
      return svg("g", { class: `rmq-c${list[from].number % 8}` },
        svg("path", { d: `M${at(first, inner)}A${inner} ${inner} 0 ${large} 1 ${at(last, inner)}` }),
        svg("text", { x, y, dy: ".36em", "text-anchor": "middle" }, to - from > 1 ? list[from].label : ""));
    });
  }

  function rove(event, n) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const target = event.key === "Home" ? 0 : event.key === "End" ? size - 1 : step && (n + step + size) % size;
    if (event.key === "Enter" || event.key === " ") actions.predict(n);
    else if (target == null) return;
    else {
      set(queues[current].node, "tabindex", "-1");
      current = target;
      set(queues[current].node, "tabindex", "0");
      queues[current].node.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The thread's counter and its arithmetic, and the fallback's own counter once it has a value. */
function counterPart(model) {
  const { trace, words } = model;
  const sums = html("div", { class: "rmq-counter" });
  const hasWorst = trace.steps.some((step) => step.kind === "rank");
  sums.style.setProperty("--rmq-rows", hasWorst ? "3" : "2");
  let before = "";
  return {
    node: html("section", {}, html("h4", {}, words.text("stepper.counter")), sums),
    update({ step, decision }) {
      const state = trace.states[trace.steps[step].state];
      const lines = counterView(model, state.stored, decision < 0 ? trace.steps[step].arithmetic : null);
      const worst = state.worst_stored ?? words.text("stepper.counter.none");
      if (hasWorst && state.fault_switch) lines.push(["stepper.counter.worst", { stored: worst }]);
      const key = JSON.stringify(lines);
      if (key === before) return;
      before = key;
      sums.replaceChildren(...lines.map(([id, parameters]) => html("span", {}, ...words.nodes(id, parameters))));
    },
  };
}

const STATUS = {
  available: "stepper.fault.available", avoided: "stepper.fault.avoided",
  both: "stepper.fault.both", unreachable: "stepper.fault.unreachable",
};

/** The fault table, a row a broker: it is the legend of the colours too. */
function faultsPart(model) {
  const { trace, words, brokers } = model;
  const heading = html("h4");
  const rows = [...brokers.values()].map((broker) => {
    const latency = html("td", { class: "rmq-latency" });
    const bar = html("i");
    const status = html("td", { class: "rmq-status" });
    const node = html("tr", {},
      html("th", { scope: "row", title: broker.name },
        html("span", { class: `rmq-chip rmq-c${broker.number % 8}${broker.number >= 8 ? " rmq-again" : ""}` }, broker.label),
        html("span", {}, broker.name)),
      latency, html("td", { class: "rmq-bar" }, html("span", {}, bar)), status);
    return { node, latency, bar, status };
  });
  const table = html("table", {}, html("tbody", {}, ...rows.map((row) => row.node)));
  let before = null;
  return {
    node: html("section", {}, heading, html("div", { class: "rmq-faults", tabindex: rows.length > 6 ? "0" : null }, table)),
    update({ step }) {
      const state = trace.states[trace.steps[step].state];
      if (state === before) return;
      before = state;
      const time = state.clock == null ? "" : timeOfDay(state.clock);
      const title = words.text(state.fault_switch ? "stepper.faults" : "stepper.faults.off", { time });
      say(heading, title);
      set(table, "aria-label", title);
      set(table, "class", state.fault_switch ? null : "rmq-off");
      faultView(model, state).forEach((fault, n) => {
        const { latency, bar, status } = rows[n];
        say(latency, fault.latency);
        bar.style.width = `${(100 * fault.share).toFixed(1)}%`;
        say(status, words.text(STATUS[fault.status], { left: fault.left ?? "" }));
        set(status, "data-status", fault.status);
      });
    },
  };
}

/** The attempts of a send as a time line: a row each, which leads to the step at which the attempt began. */
function attemptsPart(model, actions) {
  const { trace, words, send } = model;
  const title = words.text("stepper.send");
  const gone = html("span", { class: "rmq-gone" });
  const rows = send.begins.map((begin, n) => attemptRow(n, () => actions.go(begin)));
  const limitLabel = html("span");
  const list = html("ol", { "aria-label": title }, ...rows.map((row) => row.node));
  const box = html("div", { class: "rmq-attempts" }, list);
  const none = html("p", { class: "rmq-none" }, words.text("stepper.send.none"));
  const node = html("section", { class: "rmq-send" }, html("div", { class: "rmq-send-head" }, html("h4", {}, title), gone),
    box, none, html("div", { class: "rmq-axis", "aria-hidden": "true" }, html("span", {}, milliseconds(0)), limitLabel));
  let before = null;
  return { node, update };

  function update({ step }) {
    const { send: now } = trace.states[trace.steps[step].state];
    if (now === before) return;
    before = now;
    say(gone, words.text("stepper.send.gone", { at: milliseconds(now.at), timeout: milliseconds(now.timeout) }));
    say(limitLabel, words.text("stepper.send.limit", { timeout: milliseconds(now.timeout) }));
    const share = Math.max(now.timeout, 0) / send.scale;
    limitLabel.style.left = share < 0.35 ? `max(4.5em, ${percent(share)})` : "";
    limitLabel.style.right = share < 0.35 ? "" : percent(1 - share);
    node.style.setProperty("--rmq-limit", percent(share));
    node.style.setProperty("--rmq-at", percent(now.at / send.scale));
    const attempts = attemptsView(model, now);
    none.hidden = rows.length > 0;
    rows.forEach((row, n) => updateRow(row, attempts[n]));
    if (attempts.length) keepInView(box, rows[attempts.length - 1].node);
  }

  function updateRow({ node: row, button, chip, queue, outcome, told, given, spent }, attempt) {
    row.style.visibility = attempt ? "" : "hidden"; // its room is kept, so that nothing moves
    if (!attempt) return;
    set(row, "class", `rmq-c${attempt.number % 8} rmq-is-${attempt.mark}`);
    set(button, "aria-label", attempt.label);
    set(chip, "class", `rmq-chip${attempt.number >= 8 ? " rmq-again" : ""}`);
    say(chip, attempt.letter);
    say(queue, attempt.queue);
    if (outcome.dataset.mark !== attempt.mark) {
      outcome.dataset.mark = attempt.mark;
      outcome.firstChild.replaceWith(icon(attempt.mark, OUTCOME_MARKS));
    }
    say(told, attempt.told);
    [given.style.left, given.style.width] = [percent(attempt.begun), percent(attempt.given)];
    [spent.style.left, spent.style.width] = [`min(${percent(attempt.begun)}, 100% - 4px)`, percent(attempt.spent)];
  }

  function attemptRow(n, onclick) {
    const [chip, queue, told] = [html("span"), html("span", { class: "rmq-to" }), html("span")];
    const outcome = html("span", { class: "rmq-outcome" }, icon("running", OUTCOME_MARKS), told);
    const [given, spent] = [html("i", { class: "rmq-given" }), html("i", { class: "rmq-spent" })];
    const button = html("button", { type: "button", class: "rmq-attempt", onclick },
      html("span", { class: "rmq-about" }, html("b", {}, String(n + 1)), chip, queue, outcome),
      html("span", { class: "rmq-lane" }, given, spent));
    return { node: html("li", {}, button), button, chip, queue, outcome, told, given, spent };
  }
}

const percent = (share) => `${(100 * share).toFixed(2)}%`;

// Of a whole send too much happens to mark it all.
const SEND_TICKS = new Set(["skip", "pick", "fallback", "rewrite", "raise", "store", "outcome"]);

/**
 * Marks of what happens when, above the slider, and of a send where each attempt begins; in predict mode nothing
 * beyond the question.
 */
function ticksPart({ trace, send }) {
  const last = Math.max(trace.steps.length - 1, 1);
  const all = trace.steps.flatMap((step, n) => (step.kind == null || step.kind === "enter" ? [] : [[n, step.kind]]));
  const ticks = send ? all.filter(([, kind]) => SEND_TICKS.has(kind))
    : all.length <= 120 ? all : all.filter(([, kind]) => EVENTS.has(kind) && kind !== "accept");
  const shapes = { skip: "M3 3l6 6M9 3l-6 6", pick: "M2 6.500l3 3L10 3", accept: "M2 6.500l3 3L10 3", outcome: "M2.500 2.500h7v7h-7z" };
  const made = ticks.map(([n, kind]) => {
    const shape = shapes[kind] ? svg("path", { d: shapes[kind] })
      : svg("circle", { cx: 6, cy: 6, r: EVENTS.has(kind) ? 3 : 1.6 });
    return { n, node: svg("svg", { class: `rmq-tick rmq-k-${kind}`, viewBox: "0 0 12 12", width: 12, height: 12 }, shape) };
  });
  const flags = (send?.begins ?? []).map((n, attempt) => ({ n, node: html("span", { class: "rmq-flag" }, String(attempt + 1)) }));
  for (const { n, node } of [...made, ...flags]) node.style.left = percent(n / last);
  let before = null;
  return {
    node: html("div", { class: "rmq-ticks", "aria-hidden": "true", "data-send": Boolean(send) },
      ...made.map((tick) => tick.node), ...flags.map((flag) => flag.node)),
    update({ limit: end, decision }) {
      const shown = decision >= 0 ? end - 1 : end;
      if (shown === before) return;
      before = shown;
      for (const { n, node } of made) set(node, "visibility", n > shown ? "hidden" : null);
      for (const { n, node } of flags) node.hidden = n > shown;
    },
  };
}

/** The title bar: what run this is, and the score. */
function titlePart({ trace, words }) {
  const counted = html("span", { class: "rmq-score" });
  const first = trace.states.find((state) => state.queues.length) ?? trace.states[0];
  const facts = [
    ["stepper.release", { release: trace.release }],
    ...(trace.span === trace.release ? [] : [["stepper.span", { span: trace.span }]]),
    ["stepper.topic", { topic: trace.topic }],
    ["stepper.size", { brokers: new Set(first.queues.map(([name]) => name)).size, queues: first.queues.length }],
  ];
  return {
    node: html("header", {}, html("h3", {}, trace.title),
      ...facts.map(([id, parameters]) => html("span", {}, ...words.nodes(id, parameters))), counted),
    update({ place }) {
      const result = score(trace, place.answers);
      say(counted, result.asked ? words.text("stepper.score", result) : "");
    },
  };
}

/** The controls. */
function controlsPart({ trace, words, send }, actions, options) {
  const last = trace.steps.length - 1;
  const button = (name, word, onclick, ...children) =>
    html("button", { type: "button", class: "rmq-button", "aria-label": words.text(word), title: words.text(word), onclick },
      icon(name), ...children);
  const first = button("first", "stepper.first", actions.first);
  const eventBack = button("eventBack", "stepper.event.back", actions.eventBack);
  const back = button("back", "stepper.back", actions.back);
  const playWord = html("span");
  const play = button("play", "stepper.play", actions.play, playWord);
  const forward = button("forward", "stepper.forward", actions.forward);
  const eventForward = button("eventForward", "stepper.event.forward", actions.eventForward);
  const end = button("last", "stepper.last", actions.last);
  const attempt = button("attempt", "stepper.send.next", actions.attemptForward,
    html("span", {}, words.text("stepper.send.next.short")));
  set(attempt, "class", "rmq-button rmq-next-attempt");
  const range = html("input", { type: "range", min: "0", max: String(last), step: "1",
    "aria-label": words.text("stepper.scrub"), oninput: () => actions.go(Number(range.value)) });
  const count = html("output", { class: "rmq-count", "aria-hidden": "true" });
  const predict = html("button", { type: "button", class: "rmq-button rmq-predict", onclick: actions.togglePredict,
    title: words.text("stepper.predict.title") }, icon("predict"), words.text("stepper.predict"));
  const link = html("button", { type: "button", class: "rmq-button rmq-link", onclick: copyLink },
    icon("link"), html("span", {}, words.text("stepper.link")));
  const help = html("button", { type: "button", class: "rmq-button rmq-help-button", onclick: actions.help,
    "aria-label": words.text("stepper.help"), title: words.text("stepper.help") }, "?");
  const ticks = ticksPart({ trace, send });
  const node = html("footer", {},
    html("div", { class: "rmq-drive" },
      html("div", { class: "rmq-line" }, ticks.node, range),
      html("div", { class: "rmq-buttons", "data-send": Boolean(send) }, first, eventBack, back, play, forward, eventForward, end,
        ...(send ? [attempt] : []))),
    html("div", { class: "rmq-more" }, count, predict, ...(options.link ? [link] : []), help));
  return { node, update, help };

  function update(view) {
    ticks.update(view);
    range.value = String(view.step);
    const { say: said } = trace.steps[view.step];
    const text = view.decision >= 0 ? words.text("stepper.predict.ask") : words.text(said.id, said);
    set(range, "aria-valuetext", words.text("stepper.value", { step: view.step, last, say: text }));
    say(count, words.text("stepper.position", { step: view.step, last }));
    const word = words.text(view.playing ? "stepper.pause" : "stepper.play");
    if (playWord.textContent !== word) {
      say(playWord, word);
      set(play, "aria-label", word);
      set(play, "title", word);
      play.firstChild.replaceWith(icon(view.playing ? "pause" : "play"));
    }
    for (const control of [first, back, eventBack]) set(control, "aria-disabled", view.step === 0 ? "true" : null);
    for (const control of [forward, end, eventForward, play, attempt]) {
      set(control, "aria-disabled", view.step === last ? "true" : null);
    }
    set(predict, "aria-pressed", String(view.place.predict));
  }

  async function copyLink() {
    const address = actions.address();
    window.history.replaceState(window.history.state, "", address);
    const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
    const word = link.lastChild;
    say(word, words.text(copied ? "stepper.link.copied" : "stepper.link.address"));
    setTimeout(() => say(word, words.text("stepper.link")), 1800);
  }
}

const KEYS = {
  ArrowRight: "forward", ArrowLeft: "back", Home: "first", End: "last", PageUp: "eventBack", PageDown: "eventForward",
  a: "attemptForward", A: "attemptBack", " ": "play", p: "togglePredict", P: "togglePredict", "?": "help",
};
const HELP = [
  ["← →", "stepper.help.step"], ["Home End", "stepper.help.ends"], ["PageUp PageDown", "stepper.help.events"],
  ["A Shift+A", "stepper.help.attempts"], ["Space", "stepper.help.play"], ["P", "stepper.help.predict"], ["?", "stepper.help.help"],
];

/** The list of keys, over everything else. */
function helpPart({ words, send }, actions) {
  const close = html("button", { type: "button", class: "rmq-button", "aria-label": words.text("stepper.close"),
    onclick: actions.help }, icon("close"));
  const known = HELP.filter(([, id]) => send || id !== "stepper.help.attempts");
  const rows = known.map(([keys, id]) => html("div", {},
    html("dt", {}, ...keys.split(" ").map((key) => html("kbd", {}, key))), html("dd", {}, ...words.nodes(id))));
  const node = html("div", { class: "rmq-help", role: "dialog", "aria-modal": "true",
    "aria-label": words.text("stepper.help") },
    html("div", {}, html("h4", {}, words.text("stepper.help")), close, html("dl", {}, ...rows)));
  node.hidden = true;
  return { node, close };
}

// ----------------------------------------------------------------------------------------------------------- mount

let mounted = 0;

/**
 * Shows a trace in an element.
 * @param {Trace} trace
 * @param {HTMLElement} host
 * @param {Options} options
 */
export function mount(trace, host, options = {}) {
  const listeners = new Set();
  const unique = (mounted += 1);
  const root = html("div", { class: "rmq-stepper", role: "group", tabindex: "0", onkeydown: onKey });
  /** @type {Place} */
  let place;
  let model, parts, depth, timer, help;
  const actions = {
    go: (step) => go(moved(trace, place, step)),
    first: () => actions.go(0),
    last: () => actions.go(trace.steps.length - 1),
    back: () => actions.go(place.step - 1),
    forward: () => (asked(trace, place) >= 0 ? parts.ring.focus() : actions.go(place.step + 1)),
    eventBack: () => actions.go(model.events.findLast((n) => n < place.step) ?? 0),
    eventForward: () => actions.go(model.events.find((n) => n > place.step) ?? trace.steps.length - 1),
    attemptBack: () => actions.go(model.send.begins.findLast((n) => n < place.step) ?? 0),
    attemptForward: () => actions.go(model.send.begins.find((n) => n > place.step) ?? trace.steps.length - 1),
    play: () => (timer ? stop() : start()),
    lookAt: (frame) => { depth = frame; draw(); },
    togglePredict: () => go(predicting(trace, place, !place.predict)),
    predict: (position) => {
      const decision = asked(trace, place);
      if (decision < 0) return;
      const hadFocus = root.contains(document.activeElement);
      go(answered(trace, place, decision, position));
      if (hadFocus) root.focus({ preventScroll: true });
    },
    showMe: () => actions.predict(SHOWN),
    help: () => showHelp(help.node.hidden),
    address: () => location.href.replace(/#.*/, "") + hash(place.step),
  };

  begin(trace, linked({ step: options.step ?? 0, predict: options.predict, answers: options.answers }));
  host.append(root);
  draw();
  if (options.link) window.addEventListener("hashchange", followHash);
  return {
    set: actions.go,
    get step() { return place.step; },
    get state() { return { ...place, score: score(trace, place.answers) }; },
    predict: (on) => { if (on !== place.predict) actions.togglePredict(); },
    answer: actions.predict,
    setTrace: (next, where = {}) => {
      stop();
      begin(next, { predict: place.predict, ...where });
      draw();
    },
    apply,
    on: (listener) => { listeners.add(listener); return () => listeners.delete(listener); },
    destroy: () => {
      stop();
      window.removeEventListener("hashchange", followHash);
      root.remove();
    },
  };

  /** Builds the parts for a trace. */
  function begin(next, where) {
    trace = next;
    model = prepared(trace);
    depth = null;
    const answers = where.answers?.length === trace.decisions.length ? where.answers : trace.decisions.map(() => null);
    place = moved(trace, { step: 0, predict: Boolean(where.predict), answers }, where.step ?? 0);
    parts = {
      title: titlePart(model), sentence: sentencePart(model), verdict: verdictPart(model, actions),
      stack: stackPart(model, actions), code: codePart(model), locals: localsPart(model),
      ring: ringPart(model, actions, unique), counter: counterPart(model), faults: faultsPart(model),
      controls: controlsPart(model, actions, options),
      ...(model.send && { attempts: attemptsPart(model, actions) }),
    };
    help = helpPart(model, actions);
    set(root, "aria-label", model.words.text("stepper.label", { title: trace.title }));
    root.replaceChildren(html("div", { class: "rmq-frame" },
      parts.title.node, html("div", { class: "rmq-top" }, parts.sentence.node, parts.verdict.node),
      html("div", { class: "rmq-main" },
        html("div", { class: "rmq-left" }, parts.stack.node, parts.code.node, parts.locals.node),
        html("div", { class: "rmq-side" }, parts.ring.node, ...(parts.attempts ? [parts.attempts.node] : []), parts.counter.node,
          parts.faults.node)),
      parts.controls.node, help.node));
  }

  function draw() {
    const decision = asked(trace, place);
    const view = {
      place, decision, step: place.step, playing: Boolean(timer), limit: limit(trace, place),
      code: codeView(model, place.step, depth), ring: ringView(model, place, decision),
    };
    for (const part of Object.values(parts)) part.update(view);
  }

  /** Takes the reader to a place and tells who listens. */
  function go(next) {
    depth = null;
    place = next;
    draw();
    const { step, predict, answers } = place;
    for (const listener of listeners) listener({ step, predict, answers, score: score(trace, answers) });
  }

  /** Takes over a whole place that was set elsewhere, without telling. */
  function apply(next) {
    if (next.answers?.length !== trace.decisions.length) return; // of the trace before: more is on its way
    if (JSON.stringify({ ...place, ...next }) === JSON.stringify(place)) return;
    depth = null;
    place = moved(trace, { ...place, ...next }, next.step ?? place.step);
    draw();
  }

  function start() {
    if (place.step >= limit(trace, place)) return;
    timer = setTimeout(beat, 350);
    draw();
  }

  function beat() {
    timer = setTimeout(beat, EVENTS.has(trace.steps[place.step + 1]?.kind) ? 1500 : 550);
    actions.go(place.step + 1);
    if (place.step >= limit(trace, place)) stop();
  }

  function stop() {
    if (!timer) return;
    clearTimeout(timer);
    timer = undefined;
    draw();
  }

  function showHelp(opens) {
    help.node.hidden = !opens;
    (opens ? help.close : parts.controls.help).focus({ preventScroll: true });
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    if (!help.node.hidden) {
      if (key === "Escape" || key === "?") showHelp(false);
      if (key !== "Enter" && key !== " ") event.preventDefault();
      event.stopPropagation();
      return;
    }
    const isButton = target instanceof HTMLButtonElement;
    const isOwn = (isButton && (key === " " || key === "Enter")) || /^Arrow(Up|Down)$/.test(key);
    const isKnown = key in KEYS && (model.send || !/^a$/i.test(key));
    if (isOwn || isKnown) event.stopPropagation();
    if (isOwn || !isKnown) return;
    event.preventDefault();
    if (timer && KEYS[key] !== "play") stop();
    actions[KEYS[key]]();
  }

  function hash(step) {
    return `${hashOf(options.link)}${step}`;
  }

  /** The place that the page's address names, if it does: who follows a link to a step is not asked what comes before it. */
  function linked(where) {
    const step = stepInAddress(options.link);
    if (step == null) return where;
    const next = pending(trace, where.answers ?? []);
    const asks = where.predict && next >= 0 && trace.decisions[next].step < step;
    return { ...where, step, predict: where.predict && !asks };
  }

  function followHash() {
    if (stepInAddress(options.link) != null) go(moved(trace, { ...place, ...linked(place) }, linked(place).step));
  }
}

const hashOf = (link) => (typeof link === "string" ? `#${link}.step=` : "#step=");

/**
 * The step that the page's address names, or null.
 * @param {boolean | string | undefined} link as in Options
 */
export function stepInAddress(link) {
  if (!link) return null;
  const start = hashOf(link);
  const rest = location.hash.startsWith(start) ? location.hash.slice(start.length) : "";
  return /^\d+$/.test(rest) ? Number(rest) : null;
}

/** What anywidget calls; the traits are those of rmqref.stepper.Stepper. */
function render({ model, el }) {
  const place = () => ({ step: model.get("step"), predict: model.get("predict"), answers: model.get("answers") });
  const stepper = mount(model.get("trace"), el, place());
  const apply = () => stepper.apply(place());
  const begin = () => stepper.setTrace(model.get("trace"), { predict: model.get("predict") });
  stepper.on(({ step, predict, answers }) => {
    model.set({ step, predict, answers, seen: model.get("run") });
    model.save_changes();
  });
  const wired = [["change:step", apply], ["change:predict", apply], ["change:answers", apply], ["change:trace", begin]];
  for (const [event, listener] of wired) model.on(event, listener);
  return () => {
    for (const [event, listener] of wired) model.off(event, listener);
    stepper.destroy();
  };
}

export default { render };
