"""Live Python in the page: a JupyterLite of its own for the notebooks, and the page around it.

Nothing is loaded from anywhere else: Pyodide, the packages and rmqref itself lie beside the notebooks. A reader waits
until Python has started, so what is here is small, compiled, and loaded at once.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from html import escape
from importlib.metadata import distributions
from pathlib import Path
from string import Template
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from rmqref.errors import SiteError
from rmqref.messages import catalogue, text
from rmqref.site.vendored import live_wheels, run
from rmqref.trace import Json

HERE = Path(__file__).parent
LIVE = HERE / "live"

CORE = ("pyodide.asm.wasm", "pyodide.asm.mjs", "python_stdlib.zip", "pyodide.mjs")
"""What a browser needs of Pyodide, the largest first."""

LOCK = "pyodide-lock.json"

KERNEL = "@jupyterlite/pyodide-kernel-extension"

STARTUP = "live_startup.py"
"""What a kernel runs first: it completes names without jedi."""

LEFT_OUT = (
    r"[^/]+\.data/|.*/tests?/"
    r"|(plotly|anywidget)/(labextension|nbextension)/|plotly/package_data/(datasets/|.*\.js$)"
    r"|rmqref/site/"
)
"""What no live notebook reads of the wheels: parts for an installed JupyterLab, tests, sample data, this package."""

KEEPS_SOURCE = rf"rmqref/|{STARTUP}"
"""Where the source stays: the stepper shows it, and the kernel runs it."""

DISABLED = (
    "@jupyterlab/apputils-extension:announcements",
    # No notebook reads a file; without a mounted folder every import is faster, and nothing stays in the browser.
    "@jupyterlite/application-extension:service-worker-manager",
)

STORAGES = ("contentsStorageDrivers", "settingsStorageDrivers", "workspacesStorageDrivers")

POLICY = (
    "default-src 'self' data: blob:; script-src 'self' blob: 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'"
)
"""What a page of JupyterLite may load: only what lies beside it, or what it made itself."""


def build_wheel(source: Path, folder: Path) -> Path:
    """Build the project's wheel, the same bytes each time.

    Args:
        source: the project.
        folder: where the wheel goes.

    Returns:
        The wheel.

    Raises:
        SiteError: it could not be built.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    run(command, source, program="hatchling", failure="site.lite.failed")
    return next(folder.glob("*.whl"))


def build_lite(
    notebooks: Sequence[Path],
    to: Path,
    *,
    wheel: Path,
    packages: Path,
    scratch: Path,
    say: Callable[[str], None],
) -> None:
    """Build a JupyterLite with notebooks.

    Args:
        notebooks: the notebooks; they are there as they were never run.
        to: its folder, an empty or a new one.
        wheel: the project's wheel.
        packages: npm's `node_modules`, see `rmqref.site.vendored.npm_packages`.
        scratch: an empty or a new folder to work in.
        say: is told how far it is.

    Raises:
        SiteError: a part of it failed, or the result would load something from elsewhere.
    """
    say(text("site.lite.packages"))
    pyodide = scratch / "lite" / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    collect_wheels(pyodide, wheel, scratch / "wheels")
    pack_wheels(pyodide, packages / "pyodide")
    for name in CORE:
        shutil.copyfile(packages / "pyodide" / name, pyodide / name)
    write_lock(pyodide, packages / "pyodide" / LOCK)

    say(text("site.lite.build"))
    write_contents(notebooks, scratch / "contents")
    write_pictures(notebooks, scratch / "contents")
    write_json(scratch / "lite" / "jupyter-lite.json", settings(pyodide))
    command = [
        *(sys.executable, "-m", "jupyterlite_core", "build", "--apps", "notebooks", "--no-sourcemaps"),
        *("--no-unused-shared-packages", "--lite-dir", str(scratch / "lite"), "--output-dir", str(to)),
        *("--contents", str(scratch / "contents")),
    ]
    run(command, scratch, program="JupyterLite", failure="site.lite.failed")
    # Before it has worked out where a notebook lies, JupyterLite asks for a picture beside its own page.
    write_pictures(notebooks, to / "notebooks")
    write_json(to / "live.json", {"files": sizes(to, Path("static", "pyodide"))})
    for page in to.rglob("*.html"):
        page.write_text(guarded(page.read_text(encoding="utf-8")), encoding="utf-8")
    check(to)


def collect_wheels(to: Path, wheel: Path, scratch: Path) -> None:
    """Copy every wheel that a live notebook needs into a folder.

    Args:
        to: the folder.
        wheel: the project's wheel.
        scratch: a folder for downloads.
    """
    kernel = Path(sys.prefix, "share", "jupyter", "labextensions", KERNEL, "static", "pypi")
    kernels = [path for path in kernel.glob("*.whl") if not path.name.startswith("widgetsnbextension")]
    for path in (*live_wheels(scratch), *kernels, wheel):
        shutil.copyfile(path, to / path.name)
    # The kernel insists on a package of this name. It has the startup file instead.
    with ZipFile(to / "jedi-0-py3-none-any.whl", "w", ZIP_DEFLATED) as archive:
        for name, content in {
            STARTUP: "get_ipython().Completer.use_jedi = False\n",
            "jedi-0.dist-info/METADATA": "Metadata-Version: 2.4\nName: jedi\nVersion: 0\n",
            "jedi-0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }.items():
            archive.writestr(ZipInfo(name), content)


def pack_wheels(wheels: Path, pyodide: Path) -> None:
    """Compile the wheels of a folder, and make them small, see `rmqref.site.packing`.

    Args:
        wheels: the folder.
        pyodide: npm's package of that name.
    """
    command = ["node", str(HERE / "pack.mjs"), str(pyodide), str(wheels)]
    given = json.dumps({"left_out": LEFT_OUT, "keeps_source": KEEPS_SOURCE})
    run(command, wheels, program="Node.js", failure="site.lite.failed", given=given)


def write_lock(folder: Path, original: Path) -> None:
    """Write which wheels there are, and their hashes: a browser refuses any other bytes.

    Args:
        folder: the wheels' folder.
        original: Pyodide's own lock, which says what it runs on.
    """
    lock = json.loads(original.read_text(encoding="utf-8"))
    lock["packages"] = {entry["name"]: entry for entry in map(lock_entry, sorted(folder.glob("*.whl")))}
    write_json(folder / LOCK, lock)


def lock_entry(wheel: Path) -> Json:
    """Return what Pyodide's lock says of a wheel. It names no dependencies: everything is loaded at the start."""
    (package,) = distributions(path=[str(wheel)])
    return {
        "name": package.name.lower().replace("_", "-"),
        "version": package.version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": [],
        "depends": [],
        "unvendored_tests": False,
    }


def settings(pyodide: Path) -> Json:
    """Return JupyterLite's settings.

    Args:
        pyodide: the folder of Pyodide and the wheels.
    """
    lock = json.loads((pyodide / LOCK).read_text(encoding="utf-8"))
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "lockFileURL": f"./static/pyodide/{LOCK}",
            "packages": list(lock["packages"]),
            "env": {
                "PLOTLY_RENDERER": "plotly_mimetype",
                "PYTHONSTARTUP": f"/lib/python3.14/site-packages/{STARTUP}",
            },
        },
    }
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "rmqref",
            "exposeAppInBrowser": True,  # for the page around it
            # A reader always gets the notebook of this site, not an older one that the browser kept.
            "enableMemoryStorage": True,
            **{storage: ["memoryStorageDriver"] for storage in STORAGES},
            "disabledExtensions": DISABLED,
            "litePluginSettings": {f"{KERNEL}:kernel": kernel},
        },
    }


def write_contents(notebooks: Sequence[Path], folder: Path) -> None:
    """Copy notebooks without their outputs: what a reader sees there has really run there."""
    folder.mkdir(parents=True)
    for path in notebooks:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                cell |= {"outputs": [], "execution_count": None}
        write_json(folder / path.name, notebook)


def write_pictures(notebooks: Sequence[Path], *folders: Path) -> None:
    """Copy the pictures beside notebooks, in ASCII: JupyterLite cannot show other ones."""
    for picture in {picture for path in notebooks for picture in path.parent.glob("*.svg")}:
        for folder in folders:
            content = picture.read_text(encoding="utf-8")
            (folder / picture.name).write_bytes(content.encode("ascii", "xmlcharrefreplace"))


def sizes(root: Path, folder: Path) -> list[Json]:
    """Return the files of Python with their sizes in bytes, in the order in which they are needed."""
    first = {name: place for place, name in enumerate((LOCK, *CORE))}
    files = sorted((root / folder).iterdir(), key=lambda file: (first.get(file.name, len(first)), file.name))
    return [{"name": (folder / file.name).as_posix(), "size": file.stat().st_size} for file in files]


def guarded(page: str) -> str:
    """Return a page of JupyterLite with the rule that it may load nothing from elsewhere.

    >>> guarded("<head><title>a</title></head>")[:52]
    '<head><meta http-equiv="Content-Security-Policy" con'
    """
    return page.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}">', 1)


def check(lite: Path) -> None:
    """Refuse a JupyterLite that would load anything from elsewhere.

    Raises:
        SiteError: it would.
    """
    written = (lite / "jupyter-lite.json").read_text(encoding="utf-8")
    options = json.loads(written)["jupyter-config-data"]["litePluginSettings"][f"{KERNEL}:kernel"]
    url = options.get("pyodideUrl", "")
    if not url.startswith("./") or not (lite / url).is_file() or "://" in json.dumps(options):
        raise SiteError("site.lite.outside", setting=json.dumps(options))


def write_live_page(to: Path, notebooks: Sequence[tuple[str, str]], base_url: str | None = None) -> None:
    """Write the page around JupyterLite: `live.html?notebook=STEM`.

    Args:
        to: the site's folder.
        notebooks: stem and title of each notebook.
        base_url: where the site will stand, or None.
    """
    canonical = f'<link rel="canonical" href="{escape(base_url)}live.html">\n' if base_url else ""
    words = {name: words for name, words in catalogue().items() if name.startswith("site.live.say.")}
    data = json.dumps({"titles": dict(notebooks), "words": words}).replace("<", "\\u003c")
    links = "\n".join(
        f'<li><a href="live.html?notebook={escape(stem)}">{escape(title)}</a></li>'
        for stem, title in notebooks
    )
    template = Template((LIVE / "live.html").read_text(encoding="utf-8"))
    page = template.substitute(
        canonical=canonical,
        description=escape(text("site.live.description")),
        title=escape(text("site.live.title")),
        back=escape(text("site.live.back")),
        progress=escape(text("site.live.progress")),
        run=escape(text("site.live.run")),
        noscript=escape(text("site.live.noscript")),
        unknown=escape(text("site.live.unknown")),
        choose=escape(text("site.live.choose")),
        data=data,
        links=links,
    )
    (to / "live.html").write_text(page, encoding="utf-8")
    (to / "_static").mkdir(exist_ok=True)
    for name in ("live.js", "live.css"):
        shutil.copyfile(LIVE / name, to / "_static" / name)


def write_json(path: Path, value: Json) -> None:
    """Write a value as JSON, the same bytes each time."""
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
