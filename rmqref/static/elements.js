/**
 * The pieces of a page as elements: a stepper and a figure, each around a still picture that stays until it is ready.
 *
 *     <script type="module" src="elements.js"></script>
 *     <rmq-stepper src="traces/01_first_pick.row.json" step="3"></rmq-stepper>
 *
 * <rmq-stepper src step predict link>  `src` is a trace with its words, `link` lets the page's address name a step:
 *                                      #step=17, or #NAME.step=17 if `link` has a value
 * <rmq-plot src>                       `src` is {light: figure, dark: figure}
 * <rmq-pair src>                       around two <rmq-stepper>; `src` is, for each of them, the other one's step for a step
 * <rmq-quiz src>                       `src`.json holds the questions, `src`.0.json the run of the first one, and so on
 *
 * stepper.css, stepper.js, quiz.css, quiz.js and plotly.min.js lie beside this file. A piece is loaded when it is about to be seen.
 */

import { mount, stepInAddress } from "./stepper.js";

const beside = (name) => new URL(name, import.meta.url).href;
const NEAR = "600px";

/** What is about to be seen is told so, once. */
const watcher = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) target.load();
}, { rootMargin: NEAR });

/** Adds an element to the head, once, and waits until it is loaded. */
const loaded = new Map();
function load(tag, attributes) {
  const key = attributes.src ?? attributes.href;
  if (!loaded.has(key)) {
    const node = Object.assign(document.createElement(tag), attributes);
    loaded.set(key, new Promise((resolve, reject) => Object.assign(node, { onload: resolve, onerror: () => reject(new Error(key)) })));
    document.head.append(node);
  }
  return loaded.get(key);
}

const style = () => document.querySelector('link[href*="stepper.css"]') ? null
  : load("link", { rel: "stylesheet", href: beside("stepper.css") });
const plotly = () => load("script", { src: beside("plotly.min.js") });

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

/** A piece: it loads once, and what goes wrong stands below its picture. */
class Piece extends HTMLElement {
  connectedCallback() {
    watcher.observe(this);
  }

  load() {
    watcher.unobserve(this);
    this.ready ??= this.show().catch((problem) => {
      const note = Object.assign(document.createElement("p"), { className: "rmq-failed" });
      note.textContent = `${this.dataset.failed ?? ""} ${problem.message}`.trim();
      this.append(note);
    });
    return this.ready;
  }
}

class StepperElement extends Piece {
  connectedCallback() {
    super.connectedCallback();
    this.follow = () => {
      if (stepInAddress(this.link) == null) return;
      // The page settles first: what is above may still grow.
      this.load().then(() => requestAnimationFrame(() => this.scrollIntoView({ block: "start" })));
    };
    window.addEventListener("hashchange", this.follow);
    this.follow();
  }

  disconnectedCallback() {
    watcher.unobserve(this);
    window.removeEventListener("hashchange", this.follow);
  }

  get link() {
    return this.hasAttribute("link") ? this.getAttribute("link") || true : false;
  }

  async show() {
    const [trace] = await Promise.all([read(this.getAttribute("src")), style()]);
    const step = Number(this.getAttribute("step") ?? 0);
    const host = document.createElement("div");
    this.stepper = mount(trace, host, { step, predict: this.hasAttribute("predict"), link: this.link });
    this.replaceChildren(host);
  }
}

/** The theme that the page says, as furo does, else the system's. */
function theme() {
  const said = document.body.dataset.theme ?? document.documentElement.dataset.theme;
  const dark = said === "dark" || (said !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  return dark ? "dark" : "light";
}

class PlotElement extends Piece {
  async show() {
    const [figures] = await Promise.all([read(this.getAttribute("src")), plotly()]);
    const host = Object.assign(document.createElement("div"), { className: "rmq-drawn" });
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", figures.light.layout.meta?.description ?? "");
    const draw = () => {
      const { data, layout } = figures[theme()];
      return window.Plotly.react(host, data, layout, { responsive: true, displaylogo: false, displayModeBar: false });
    };
    this.append(host);
    await draw();
    for (const still of this.querySelectorAll("picture")) still.remove();
    this.dataset.drawn = "";
    new MutationObserver(draw).observe(document.body, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  }
}

/** Two steppers that go together: a step of one takes the other to the step that belongs to it. */
class PairElement extends Piece {
  async show() {
    const both = [...this.querySelectorAll("rmq-stepper")];
    const [matches] = await Promise.all([read(this.getAttribute("src")), ...both.map((one) => one.load())]);
    let follows = false;
    both.forEach((one, n) => one.stepper.on(({ step }) => {
      if (follows) return;
      follows = true;
      both[1 - n].stepper.set(matches[n][step]);
      follows = false;
    }));
  }
}

class QuizElement extends Piece {
  async show() {
    const base = this.getAttribute("src");
    const [{ mount: mountQuiz }, quiz] = await Promise.all([
      import("./quiz.js"), read(`${base}.json`), style(), load("link", { rel: "stylesheet", href: beside("quiz.css") }),
    ]);
    const host = document.createElement("div");
    const run = document.createElement("div");
    mountQuiz(quiz, host, {
      review: async (number) => {
        const { trace, step } = await read(`${base}.${number}.json`);
        run.replaceChildren();
        mount(trace, run, { step });
        run.scrollIntoView({ block: "nearest" });
      },
    });
    this.replaceChildren(host, run);
  }
}

customElements.define("rmq-pair", PairElement);
customElements.define("rmq-quiz", QuizElement);
customElements.define("rmq-stepper", StepperElement);
customElements.define("rmq-plot", PlotElement);
