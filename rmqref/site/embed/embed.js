/**
 * A piece on a page of its own, which may stand in a frame of another page.
 *
 * `#data` holds the piece: JSON, deflated, in base64. Until it is shown, `#piece` holds its still picture.
 * ?theme=light or ?theme=dark sets the theme. A page of the same host needs no script for the frame: it gets its height
 * and the piece the page's theme. Any other page is told the height by a message, {rmqref: {height}}, in pixels.
 */

const PLOTLY = "plotly.min.js";
const page = document.documentElement;
const host = document.querySelector("#piece");
const frame = window.frameElement; // null where the page around is of another host
const system = matchMedia("(prefers-color-scheme: dark)");
const asked = new URLSearchParams(location.search).get("theme");

/** The theme that was asked for, else that of the page around, else the system's. */
function theme() {
  // Not the frame's own: sites give that one a value for all frames.
  const around = frame ? getComputedStyle(frame.parentElement).colorScheme : "light dark";
  const scheme = asked ?? around;
  return scheme.includes("dark") && (!scheme.includes("light") || system.matches) ? "dark" : "light";
}

/** Calls at once, and whenever the theme may have changed. */
function followTheme(draw) {
  const follow = () => {
    page.dataset.theme = theme();
    draw(theme());
  };
  system.addEventListener("change", follow);
  const around = frame?.ownerDocument;
  for (const node of around ? [around.documentElement, around.body] : []) {
    new MutationObserver(follow).observe(node, { attributes: true });
  }
  return follow();
}

function tellHeight() {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  if (frame) frame.style.height = `${height}px`;
  if (parent !== window) parent.postMessage({ rmqref: { height } }, "*");
}

async function unpacked(node) {
  const bytes = Uint8Array.from(atob(node.textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

const shows = {
  stepper({ trace, step, predict }) {
    const place = document.createElement("div");
    window.mount(trace, place, { step, predict, link: true });
    host.replaceChildren(place);
  },
  plot(figures) {
    const place = document.createElement("div");
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", figures.light.layout.meta.description);
    host.replaceChildren(place);
    followTheme((now) => {
      const { data, layout } = figures[now];
      window.Plotly.react(place, data, layout, { responsive: true, displaylogo: false, displayModeBar: false });
    });
  },
};

followTheme(() => {});
new ResizeObserver(tellHeight).observe(document.body);
try {
  const piece = await unpacked(document.querySelector("#data"));
  if (host.dataset.kind === "plot" && !window.Plotly) throw new Error(PLOTLY);
  shows[host.dataset.kind](piece);
} catch (problem) {
  const note = Object.assign(document.createElement("p"), { className: "rmq-failed" });
  note.textContent = `${host.dataset.failed} ${problem.message}`;
  host.append(note);
}
