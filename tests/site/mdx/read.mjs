// What MDX makes of Markdown files: node read.mjs NODE_MODULES FILE...
// Prints each file's text and tags as JSON. A file that is no MDX ends this with MDX's own sentence.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { resolve } = createRequire(join(modules, "here.js"));
const load = (name) => import(pathToFileURL(resolve(name)));
const [{ evaluate }, { default: remarkGfm }] = await Promise.all(["@mdx-js/mdx", "remark-gfm"].map(load));

// Instead of React: an element is its text, and each tag is counted.
let tags;
const jsx = (type, { children = "" }) => {
  if (typeof type === "function") return type({ children });
  tags[type] = (tags[type] ?? 0) + 1;
  return [children].flat(Infinity).filter((child) => typeof child === "string").join("");
};
const Fragment = ({ children }) => [children].flat(Infinity).join("");

const found = {};
for (const file of files) {
  const [, body] = readFileSync(file, "utf8").split(/^---\n.*?^---\n/ms);
  tags = {};
  try {
    const { default: Content } = await evaluate(body, { Fragment, jsx, jsxs: jsx, remarkPlugins: [remarkGfm] });
    found[basename(file)] = { text: Content({}), tags };
  } catch (problem) {
    console.error(`${basename(file)}: ${problem}`);
    process.exit(1);
  }
}
console.log(JSON.stringify(found));
