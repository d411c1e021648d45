// The page around JupyterLite: it starts a notebook, says how far that is, and runs the cells.

const { titles, words } = JSON.parse(document.getElementById("data").textContent);
const stem = new URLSearchParams(location.search).get("notebook");
const part = (name) => document.getElementById(name);
const text = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const PATIENCE = 60_000; // milliseconds in which something has to move
const EVERY = 100; // milliseconds between two looks
const ENDS = ["site.live.say.ready", "site.live.say.failed"]; // the phases after which nothing is waited for

// What is known of the start; `show` says it.
const state = { phase: "site.live.say.lab", loaded: 0, size: 0, ran: 0, cells: 0 };
const SHARES = { loaded: 0.5, started: 0.2, ran: 0.3 }; // parts of the bar, after the time that each takes
let moved = performance.now();
let broken = false; // whether something failed that a start needs
let panel = null;

function show(changes) {
  Object.assign(state, changes);
  moved = performance.now();
  if (state.phase === "site.live.say.ready") broken = false;
  part("trouble").hidden = !broken;
  const { phase, loaded, size, ran, cells } = state;
  part("bar").value =
    (SHARES.loaded * loaded) / (size || 1) + (cells ? SHARES.started + (SHARES.ran * ran) / cells : 0);
  part("bar").hidden = phase === "site.live.say.ready";
  // The sentence is read out when it changes; the numbers beside it are not.
  const sentence = text(phase, state);
  if (part("said").textContent !== sentence) part("said").textContent = sentence;
  const bytes = loaded < size ? text("site.live.say.loaded", { loaded: megabytes(loaded), size: megabytes(size) }) : "";
  part("detail").textContent = phase === "site.live.say.cells" ? text("site.live.say.ran", { ran, cells }) : bytes;
}

function trouble(name, values) {
  part("trouble").textContent = text(name, values);
  part("trouble").hidden = false;
}

function fail(problem) {
  broken = true;
  trouble("site.live.say.broken", { problem: problem.message });
}

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

// Everything that Python needs is asked for at once, while JupyterLab loads; the kernel then finds it in the cache.
async function load() {
  const files = (await (await get("lite/live.json")).json()).files;
  show({ size: files.reduce((sum, file) => sum + file.size, 0) });
  await Promise.all(files.map(async ({ name }) => {
    const reader = (await get(`lite/${name}`)).body.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      show({ loaded: state.loaded + piece.value.length });
  }));
}

async function until(look) {
  for (;;) {
    const found = look();
    if (found) return found;
    await wait(EVERY);
  }
}

async function open() {
  const frame = document.createElement("iframe");
  frame.title = text("site.live.say.frame", { title: titles[stem] });
  frame.src = `lite/notebooks/index.html?path=${stem}.ipynb`;
  part("main").append(frame);
  const app = await until(() => frame.contentWindow.jupyterapp);
  await app.started;
  await startKernel(app.serviceManager);
  panel = await until(() => app.shell.currentWidget?.context?.isReady && app.shell.currentWidget);
  await follow(app);
  frame.dataset.shown = "";
  show({ phase: "site.live.say.python" });
  await panel.sessionContext.ready;
  await (await until(() => panel.sessionContext.session?.kernel)).info;
  return app;
}

// The notebook takes over the kernel of its path. Started here, it starts seconds earlier; its widgets are not for us.
function startKernel(services) {
  const path = `${stem}.ipynb`;
  const options = { path, name: path, type: "notebook", kernel: { name: "python" } };
  return services.sessions.startNew(options, { kernelConnectionOptions: { handleComms: false } });
}

const codeCells = () => panel.content.widgets.filter(({ model }) => model.type === "code" && model.sharedModel.getSource().trim());

async function runAll(app) {
  part("run").disabled = true;
  const place = panel.content.activeCellIndex;
  const cells = codeCells();
  const before = Math.max(...cells.map(({ model }) => model.executionCount ?? 0));
  const ran = () => cells.filter(({ model }) => model.executionCount > before && model.executionState !== "running").length;
  show({ phase: "site.live.say.cells", cells: cells.length, ran: 0 });
  let running = true;
  const watching = (async () => {
    for (; running; await wait(EVERY)) if (ran() !== state.ran) show({ ran: ran() });
  })();
  await app.commands.execute("notebook:run-all-cells");
  running = false;
  await watching;
  panel.content.activeCellIndex = place; // the run has left its reader at the end
  panel.content.scrollToItem(place, "start");
  const failed = cells.findIndex(({ model }) => model.outputs.toJSON().some((output) => output.output_type === "error"));
  if (failed < 0) show({ phase: "site.live.say.ready", ran: cells.length });
  else show({ phase: "site.live.say.failed", number: failed + 1 });
  part("run").disabled = false;
}

// The colours are those that were chosen in the pages, as furo keeps them; without a choice the system's.
const dark = matchMedia("(prefers-color-scheme: dark)");
function chosen() {
  const theme = localStorage.getItem("theme") ?? "auto";
  return theme === "auto" ? (dark.matches ? "dark" : "light") : theme;
}

async function follow(app) {
  const wear = async () => {
    const theme = chosen() === "dark" ? "JupyterLab Dark" : "JupyterLab Light";
    const worn = () => app.shell.node.ownerDocument.body.dataset.jpThemeName;
    await until(worn);
    if (worn() !== theme) await app.commands.execute("apputils:change-theme", { theme });
  };
  addEventListener("storage", wear);
  dark.addEventListener("change", wear);
  await wear();
}

function paint() {
  document.documentElement.dataset.theme = chosen();
}

async function start() {
  part("choose").hidden = true;
  part("state").hidden = part("run").hidden = false;
  part("title").textContent = titles[stem];
  document.title = `${titles[stem]} – ${document.title}`;
  part("back").href = `notebooks/${stem}.html`;
  show({});
  setInterval(() => {
    if (!ENDS.includes(state.phase) && !broken && performance.now() - moved > PATIENCE) trouble("site.live.say.stuck");
  }, 1000);
  load().catch(fail);
  try {
    const app = await open();
    part("run").addEventListener("click", () => runAll(app).catch(fail));
    await runAll(app);
  } catch (problem) {
    fail(problem);
  }
}

paint();
addEventListener("storage", paint);
dark.addEventListener("change", paint);
if (Object.hasOwn(titles, stem ?? "")) start();
else part("unknown").hidden = stem === null;
