// Runs a Python program in Pyodide on the project's wheel: node pyodide_core.mjs PYODIDE WHEEL FOLDER, program on stdin.
// The program finds the folder at /given; its variable `answer` is printed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodide, wheel, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(pyodide, "pyodide.mjs")));
try {
  const python = await loadPyodide();
  python.unpackArchive(new Uint8Array(readFileSync(wheel)), "wheel");
  python.mountNodeFS("/given", folder);
  python.runPython(readFileSync(0, "utf8"));
  console.log(python.globals.get("answer"));
} catch (problem) {
  console.error(problem.message); // Node would print all of Pyodide's source with it
  process.exitCode = 1;
}
