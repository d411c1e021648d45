// Runs packing.py in Pyodide: node pack.mjs FOLDER-OF-PYODIDE FOLDER-OF-WHEELS, and what to leave out as JSON on stdin.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, wheels] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")));
try {
  // With a hash seed of its own each run would order constants in its own way.
  const python = await loadPyodide({ env: { PYTHONHASHSEED: "0", PYTHONWARNINGS: "ignore" } });
  python.mountNodeFS("/wheels", wheels);
  python.globals.set("given", readFileSync(0, "utf8"));
  python.runPython(readFileSync(new URL("packing.py", import.meta.url), "utf8"));
  python.runPython("import json; pack(Path('/wheels'), **json.loads(given))");
} catch (problem) {
  console.error(problem.message); // Node would print all of Pyodide's source with it
  process.exitCode = 1;
}
