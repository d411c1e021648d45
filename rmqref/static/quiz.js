/**
 * A quiz: one question after the other, a score, and at the end what went wrong.
 *
 *     import { mount } from "./quiz.js";
 *     mount(quiz, document.querySelector("#quiz"), { review: (question) => { … show the run … } });
 *
 * In a notebook anywidget calls `render`. Keys: 1 to 4 or a to d answer, Enter goes on, r shows the run.
 * Everything that comes from a quiz reaches the page as a text node, never as markup.
 */

/**
 * @typedef {{text: string, misconception: ?string}} Option  the right one has no misconception
 * @typedef {{key: string, level: number, release: string, text: string, options: Option[], right: number,
 *   why: string[]}} Question
 * @typedef {{questions: Question[], words: Object<string, string>}} Quiz
 * @typedef {{position: number, answers: (?number)[]}} Place  the question shown (after the last one: what went wrong),
 *   and what was answered
 * @typedef {{position?: number, answers?: (?number)[], review?: (question: number) => void,
 *   moved?: (place: Place) => void}} Options
 */

const LETTERS = "abcd";

/** An element with attributes, properties that begin with "on", and children. */
function html(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) node[name] = value;
    else if (value != null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

const said = (sentence, parameters) => sentence.replace(/\{(\w+)\}/g, (_, name) => String(parameters[name]));

/**
 * @param {Quiz} quiz
 * @param {HTMLElement} host
 * @param {Options} options
 * @returns {{apply: (place: Place) => void, destroy: () => void}}
 */
export function mount(quiz, host, options = {}) {
  const { questions, words } = quiz;
  const nothing = () => questions.map(() => null);
  let place = { position: options.position ?? 0, answers: options.answers?.length ? options.answers : nothing() };
  // In JupyterLab a digit would make the cell a heading.
  const root = html("div", { class: "rmq-quiz", role: "group", "aria-label": words.title, tabindex: "0", onkeydown: onKey,
    "data-lm-suppress-shortcuts": "true" });
  host.append(root);
  draw();
  return { apply: (next) => { place = next.answers.length ? next : { ...next, answers: nothing() }; draw(); }, destroy: () => root.remove() };

  function go(next) {
    const hadFocus = root.contains(document.activeElement);
    place = next;
    draw();
    if (hadFocus) root.focus({ preventScroll: true });
    options.moved?.(place);
  }

  function answer(chosen) {
    const { position, answers } = place;
    if (position >= questions.length || answers[position] != null || chosen >= questions[position].options.length) return;
    go({ position, answers: answers.map((old, n) => (n === position ? chosen : old)) });
  }

  function next() {
    go({ ...place, position: Math.min(place.position + 1, questions.length) });
  }

  function again() {
    go({ position: 0, answers: nothing() });
  }

  function review(n) {
    options.review?.(n);
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const isAnswered = place.answers[place.position] != null;
    const chosen = /^[1-4]$/.test(key) ? Number(key) - 1 : key.length === 1 ? LETTERS.indexOf(key) : -1;
    if (chosen >= 0) answer(chosen);
    else if (key === "r" && isAnswered) review(place.position);
    else if (key === "enter" && event.target === root && isAnswered) next();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function draw() {
    const right = questions.filter((question, n) => place.answers[n] === question.right).length;
    const done = place.answers.filter((given) => given != null).length;
    const isOver = place.position >= questions.length;
    root.replaceChildren(
      html("p", { class: "rmq-quiz-head" },
        html("span", {}, isOver ? words.over : said(words.number, { number: place.position + 1, total: questions.length })),
        html("b", {}, said(words.score, { right, asked: done }))),
      ...(isOver ? summary() : asked(questions[place.position], place.position)),
    );
  }

  function asked(question, n) {
    const given = place.answers[n];
    const isAnswered = given != null;
    const choices = question.options.map((option, place_) => html("li", {}, html("button", {
      type: "button", class: "rmq-quiz-option", "aria-disabled": isAnswered || null, onclick: () => answer(place_),
      "data-is": isAnswered ? (place_ === question.right ? "right" : place_ === given ? "wrong" : null) : null,
    }, html("kbd", {}, LETTERS[place_]), html("span", {}, option.text),
    isAnswered && place_ === question.right ? html("em", {}, words.is_right) : null,
    isAnswered && place_ === given && place_ !== question.right ? html("em", {}, words.is_wrong) : null)));
    const verdict = html("div", { class: "rmq-quiz-verdict", role: "status" });
    if (isAnswered) {
      const misconception = question.options[given].misconception;
      verdict.append(html("p", {}, html("b", {}, misconception == null ? words.right : words.wrong), " ", misconception ?? ""));
      verdict.append(html("ol", {}, ...question.why.map((sentence) => html("li", {}, sentence))));
    }
    return [
      html("p", { class: "rmq-quiz-text" }, question.text),
      html("ol", { class: "rmq-quiz-options" }, ...choices),
      verdict,
      isAnswered ? html("p", { class: "rmq-quiz-buttons" },
        html("button", { type: "button", class: "rmq-quiz-go", onclick: next }, n + 1 < questions.length ? words.next : words.finish),
        html("button", { type: "button", onclick: () => review(n) }, words.review)) : null,
    ].filter(Boolean);
  }

  function summary() {
    const missed = questions.flatMap((question, n) => (place.answers[n] === question.right ? [] : [n]));
    return [
      html("p", { class: "rmq-quiz-text" }, missed.length ? words.missed : words.perfect),
      html("ol", { class: "rmq-quiz-missed" }, ...missed.map((n) => html("li", {},
        html("p", {}, questions[n].text),
        html("p", {}, html("b", {}, questions[n].options[questions[n].right].text), " ",
          place.answers[n] == null ? "" : questions[n].options[place.answers[n]].misconception ?? ""),
        html("button", { type: "button", onclick: () => review(n) }, words.review)))),
      html("p", { class: "rmq-quiz-buttons" }, html("button", { type: "button", class: "rmq-quiz-go", onclick: again }, words.again)),
    ];
  }
}

/** What anywidget calls; the traits are those of rmqref.quiz_widget.QuizPart. */
function render({ model, el }) {
  const place = () => ({ position: model.get("position"), answers: model.get("answers") });
  const quiz = mount(model.get("quiz"), el, {
    ...place(),
    moved: (now) => { model.set(now); model.save_changes(); },
    review: (question) => { model.set("reviewed", -1); model.set("reviewed", question); model.save_changes(); },
  });
  const apply = () => quiz.apply(place());
  model.on("change:position", apply);
  model.on("change:answers", apply);
  return () => {
    model.off("change:position", apply);
    model.off("change:answers", apply);
    quiz.destroy();
  };
}

export default { render };
