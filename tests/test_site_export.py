"""The export: Markdown that MkDocs, Docusaurus and CommonMark read alike, and pieces as files of their own."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from collections import Counter
from hashlib import sha256
from html import unescape
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import markdown  # type: ignore[import-untyped]
import nbformat
import pytest
import yaml
from markdown_it import MarkdownIt

from rmqref import Situation, record
from rmqref.controls import PickControls
from rmqref.errors import SiteError
from rmqref.plots import share_per_queue
from rmqref.site.build import Recorded
from rmqref.site.embeds import embed
from rmqref.site.export import BESIDE, FOLDER, export, export_markdown
from rmqref.site.pieces import THEMES, WIDTHS, pieces_of
from rmqref.site.portable import portable, rows_of
from rmqref.site.showing import PLOT, shown
from rmqref.site.vendored import NPM
from rmqref.stepper import Stepper
from rmqref.table import Table

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MDX = ROOT / "tests" / "site" / "mdx"
READ = ("toc", "tables", "fenced_code")  # what MkDocs adds to Python-Markdown by itself

PROSE = r"""## What *each* reader could take amiss

A `List<T>` or List<T>, a set {1, 2} or `{1, 2}`, ``a ` tick``, <https://example.org/a_b>, a < b, 2 * 3 * 4, one_two_three.

import is a word here,
export too.

| sign | what |
|---|---|
| `<b>` | {curly} and <angled> |

1. see [01](01_first_pick.ipynb),
2. see [02](02_retry_pick.ipynb).

**Predict.** What comes?"""

HARD = Table([["field", "value"], ["retry_codes", "<none> | {x}"], ["*", "`tick` [a](b) \\ _us_ &amp;"]])


def output(data=None, **stream):
    if data is None:
        return nbformat.v4.new_output("stream", **stream)
    return nbformat.v4.new_output("execute_result", data)


def code(source, *outputs, tags=()):
    return nbformat.v4.new_code_cell(source, outputs=list(outputs), metadata={"tags": list(tags)})


def hard_notebook():
    """Whatever a recorded notebook may hold, in its hardest form."""
    live = ["nbval-ignore-output"]
    stepper = Stepper(record(Situation("4.9.7", start=4)), predict=True)
    figure = {PLOT: share_per_queue(Situation().share(1200)).to_plotly_json()}
    table = {"text/plain": "Table(…)", "text/html": HARD._repr_html_()}
    return nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(
                '# 99 · "Hard": {all} of it\n\n**What <could> fail?**\n\nEverything.'
            ),
            code("stepper", output(shown(stepper)), tags=live),
            code("print(1)", output(text="the answer, {folded}\n```\n<b>\n")),
            nbformat.v4.new_markdown_cell(PROSE),
            code("table", output(table), output(text="a\n\n\nb\n")),
            code("table", output(table)),
            nbformat.v4.new_markdown_cell("**Predict** again."),
            code("figure", output(figure)),
            code("figure", output(figure)),
            code("controls", output(shown(PickControls(Situation("4.9.7")))), tags=live),
            code("Table", output({"text/plain": "<class 'Table'>"})),
        ]
    )


def recorded_of(notebooks):
    """What the build records, without a browser."""
    pieces = {piece.key: piece for stem, book in notebooks.items() for _, _, piece in pieces_of(book, stem)}
    looks = [(theme, width) for theme in THEMES for width in WIDTHS]
    pictures = {
        key: {f"{theme} {width}": f"{key}.{theme}.{width}.svg" for theme, width in looks}
        for key, piece in pieces.items()
        if piece.kind == "plot"
    }
    stills = {key: "<p>a still</p>" for key, piece in pieces.items() if piece.kind == "stepper"}
    return Recorded(notebooks, pieces, stills, pictures)


def write_export(to, base=BESIDE):
    stored = {path.stem: nbformat.read(path, as_version=4) for path in NOTEBOOKS}
    recorded = recorded_of({**stored, "99_hard": hard_notebook()})
    pictures = to / FOLDER / "pictures"
    pictures.mkdir(parents=True)
    for files in recorded.pictures.values():
        for name in files.values():
            (pictures / name).write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    plotly = to.with_name(f"{to.name}.js")
    plotly.write_text("window.Plotly = {};")
    export_markdown(recorded, ROOT, to, plotly, base)
    return to


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    return write_export(tmp_path_factory.mktemp("export") / "out")


@pytest.fixture(scope="module")
def documents(exported):
    """The pages' Markdown without what stands before it, by name."""
    return {
        path.name: path.read_text().split("---\n", 2)[2] for path in sorted((exported / FOLDER).glob("*.md"))
    }


@pytest.mark.parametrize(
    ("said", "is_written"),
    [
        ("a {b} <c>", "a &#123;b} &lt;c>"),
        ("`{b}` and ``<c> ` {d}`` {e}", "`{b}` and ``<c> ` {d}`` &#123;e}"),
        ("```\n{a}\n```\n{b}", "```\n{a}\n```\n&#123;b}"),
        ("<https://example.org/>", "[https://example.org/](https://example.org/)"),
        ("[a](01_b.ipynb#c) [d](https://e.org/f.ipynb)", "[a](01_b.md#c) [d](https://e.org/f.ipynb)"),
        ("![a](path.svg)", "![a](pictures/path.svg)"),
        ("import a\nexport b\nimportant", "&#105;mport a\n&#101;xport b\nimportant"),
    ],
)
def test_prose_is_made_portable(said, is_written):
    assert portable(said) == is_written


def test_a_table_is_read_back_from_its_html():
    assert rows_of(HARD._repr_html_()) == HARD.rows
    assert rows_of("<div>no table</div>") == []
    assert rows_of("<p>no<br>XML") == []


def test_what_is_written(exported):
    folder = exported / FOLDER
    stems = [path.stem for path in NOTEBOOKS] + ["99_hard"]
    assert sorted(path.name for path in exported.iterdir()) == ["README.md", FOLDER]
    assert sorted(path.name for path in folder.glob("*.md")) == sorted(
        [*(f"{stem}.md" for stem in stems), "index.md"]
    )
    assert {path.name for path in (folder / "embeds").iterdir()} >= {
        *("99_hard.stepper.html", "99_hard.plot-1.html", "99_hard.controls.html", "plotly.min.js")
    }
    assert (folder / "pictures" / "path.svg").is_file()


def test_the_front_matter_is_yaml(exported):
    text = (exported / FOLDER / "99_hard.md").read_text()
    assert yaml.safe_load(text.split("---\n")[1]) == {
        "title": '99 · "Hard": {all} of it',
        "description": "What <could> fail?",
        "slug": "99_hard/",
        "sidebar_position": len(NOTEBOOKS) + 1,
    }


def test_answers_are_folded_and_widgets_stand_without_their_names(documents):
    text = documents["99_hard.md"]
    folds = re.findall(
        r"^<details>\n<summary>Show the answer</summary>\n\n(.*?)\n\n</details>$",
        text,
        re.MULTILINE | re.DOTALL,
    )
    assert [fold.split("\n")[0][:10] for fold in folds] == [
        "````text",
        "```text",
        "<iframe sr",
        "```text",
    ]
    assert "```python\nstepper\n```" not in text
    assert "| retry_codes | &lt;none&gt; \\| \\{x\\} |" in text  # a table that is no answer
    assert "retry_codes | <none> | {x}" in folds[1]  # and the same as an answer


def test_two_exports_are_the_same_to_the_byte(exported, tmp_path):
    again = write_export(tmp_path / "again")
    assert contents(again) == contents(exported)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_names_this_machine_or_another_host(exported):
    for path in exported.rglob("*"):
        if path.suffix in {".md", ".html"}:
            text = path.read_text()
            assert str(ROOT) not in text
            assert not re.search(
                r'<(?:iframe|img|script|link|source)[^>]*(?:src|href|srcset)="(?:https?:)?//', text
            ), path


# Three programs read the Markdown. What they make of it is told apart by its text and its tags.

COUNTED = (
    "a",
    "img",
    "iframe",
    "details",
    "summary",
    "table",
    "td",
    "li",
    "pre",
    "h1",
    "h2",
    "em",
    "strong",
    "code",
)


def reading(html):
    tags = Counter(re.findall(r"<(\w+)", html))
    return {
        "text": squeezed(unescape(re.sub(r"<[^>]+>", "", html))),
        "tags": {tag: tags[tag] for tag in COUNTED},
    }


def squeezed(text):
    return re.sub(r"\s+", "", text)


@pytest.fixture(scope="module")
def commonmark(documents):
    reader = MarkdownIt("commonmark").enable("table")
    return {name: reading(reader.render(text)) for name, text in documents.items()}


def test_python_markdown_reads_what_commonmark_reads(documents, commonmark):
    for name, text in documents.items():
        assert reading(markdown.markdown(text, extensions=READ)) == commonmark[name], name


def test_mdx_reads_what_commonmark_reads(exported, commonmark, tmp_path):
    if not (shutil.which("node") and shutil.which("npm")):
        missing = "Node.js with npm is needed: apt-get install nodejs npm"
        (pytest.fail if os.environ.get("RMQREF_REQUIRE_BROWSER") == "1" else pytest.skip)(missing)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(MDX / name, tmp_path)
    subprocess.run(NPM, cwd=tmp_path, capture_output=True, check=True)
    command = ["node", MDX / "read.mjs", tmp_path / "node_modules", *sorted((exported / FOLDER).glob("*.md"))]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    for name, read in json.loads(done.stdout).items():
        tags = {tag: read["tags"].get(tag, 0) for tag in COUNTED}
        assert {"text": squeezed(read["text"]), "tags": tags} == commonmark[name], name


@pytest.mark.parametrize(
    ("theme", "urls", "base"),
    [("mkdocs", "true", BESIDE), ("readthedocs", "false", "./"), ("mkdocs", "true", "/rmqref/")],
)
def test_mkdocs_takes_it_as_it_is(tmp_path, theme, urls, base):
    shutil.copytree(write_export(tmp_path / "out", base) / FOLDER, tmp_path / "docs" / FOLDER)
    (tmp_path / "docs" / "index.md").write_text("# Home\n")
    (tmp_path / "mkdocs.yml").write_text(f"site_name: s\ntheme: {theme}\nuse_directory_urls: {urls}\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    pages = sorted(path for path in (tmp_path / "site").rglob("*.html") if path.name != "404.html")
    assert len(pages) > len(NOTEBOOKS) + 2
    frames = 0
    for page in pages:
        html = page.read_text()
        frames += html.count("<iframe ")
        for address in re.findall(r'(?:href|src|srcset)="([^"]*)"', html):
            assert leads_somewhere(address, page, tmp_path / "site"), (page, address)
    assert frames == sum(
        text.count("<iframe ") for text in (p.read_text() for p in (tmp_path / "docs").rglob("*.md"))
    )


def leads_somewhere(address, page, site):
    path = urlsplit(urljoin(f"http://here/{page.relative_to(site).as_posix()}", address))
    if path.netloc != "here" or address.startswith(("data:", "#")):
        return True
    file = site / path.path.lstrip("/")
    return file.is_file() or (file / "index.html").is_file()


# Pieces as files of their own.


@pytest.fixture(scope="module")
def pieces():
    return {piece.name: piece for _, _, piece in pieces_of(hard_notebook(), "99_hard")}


@pytest.mark.parametrize("name", ["stepper", "plot-1"])
def test_an_embed_allows_its_own_scripts_and_nothing_else(pieces, name):
    html = embed(
        pieces[name],
        still="",
        pictures=recorded_of({"99_hard": hard_notebook()}).pictures.get(f"99_hard.{name}", {}),
    )
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    scripts = re.findall(r'<script type="module">(.*?)</script>', html, re.DOTALL)
    hashes = {f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts}
    assert policy.startswith("default-src 'none'; script-src ")
    assert hashes == set(re.findall(r"'sha256-[^']*'", policy))
    assert html.count("<script") == html.count("</script>") == len(scripts) + 1 + html.count("<script src")
    assert re.findall(r'<script src="([^"]*)"', html) == (["plotly.min.js"] if name == "plot-1" else [])
    assert "unsafe-eval" not in policy


def test_an_embed_holds_its_trace(pieces):
    (packed,) = re.findall(r'id="data">([^<]*)<', embed(pieces["stepper"], still="", pictures={}))
    data = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert data == {name: pieces["stepper"].data[name] for name in ("trace", "step", "predict")}


def test_the_file_of_a_long_run_is_small(pieces):
    run = Situation("5.3.3", calls=20, route=tuple((f"broker-{n}", 8) for n in "abcdef"))
    long = Stepper(record(run))
    notebook = nbformat.v4.new_notebook(cells=[code("run", output(shown(long)))])
    ((_, _, piece),) = pieces_of(notebook, "98")
    assert len(embed(piece, still="x" * 32_000, pictures={}).encode()) < 200_000


# Errors.


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"format": "rst"}, 'There is no export format "rst": the known ones are markdown.'),
        ({"base": "docs"}, "The base is docs: give the address "),
        ({"base": '/"x/'}, 'The base is /"x/: give the address '),
        ({"source": ROOT / "tests"}, "There are no sources of rmqref in "),
    ],
)
def test_a_wrong_wish_is_one_sentence(tmp_path, wanted, sentence):
    with pytest.raises(SiteError) as caught:
        export(tmp_path / "out", **wanted)
    assert str(caught.value).startswith(sentence)


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(SiteError, match="something else"):
        export(tmp_path, source=ROOT)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
