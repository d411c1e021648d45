"""What the live notebooks are made of: pinned, agreeing versions, and a page that has all its words."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest

from rmqref.errors import SiteError
from rmqref.messages import catalogue, text
from rmqref.site import vendored
from rmqref.site.lite import (
    CORE,
    KERNEL,
    LEFT_OUT,
    LOCK,
    build_wheel,
    check,
    lock_entry,
    settings,
    write_contents,
    write_live_page,
    write_pictures,
)
from rmqref.site.packing import SITE_PACKAGES, pack
from rmqref.site.vendored import VENDOR, npm_packages

ROOT = Path(__file__).parents[1]
LIVE = ROOT / "rmqref" / "site" / "live"

PINNED = json.loads((VENDOR / "package-lock.json").read_text())["packages"]
LITE = (VENDOR / "lite.lock").read_text()


def versions_of(lock):
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ;]+)", lock, re.MULTILINE))


def test_pyodide_is_the_one_that_the_kernel_runs_on():
    constants = pytest.importorskip("jupyterlite_pyodide_kernel.constants")
    assert PINNED["node_modules/pyodide"]["version"] == constants.PYODIDE_VERSION
    assert constants.PYODIDE_PYTHON_VERSION in vendored.PIP
    assert f"--python-version {constants.PYODIDE_PYTHON_VERSION}" in (ROOT / "Makefile").read_text()
    assert f"python{constants.PYODIDE_PYTHON_VERSION}/" in SITE_PACKAGES


def test_plotly_is_the_one_that_plotly_py_has():
    plotly = pytest.importorskip("plotly")
    own = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text()[:1000]
    (version,) = re.findall(r"plotly\.js v([\d.]+)", own)[:1]
    assert PINNED["node_modules/plotly.js-basic-dist-min"]["version"] == version


def test_what_npm_gets_is_pinned_exactly_and_by_hash():
    wanted = json.loads((VENDOR / "package.json").read_text())
    for name, version in (wanted["dependencies"] | wanted["devDependencies"]).items():
        assert PINNED[f"node_modules/{name}"]["version"] == version
    for name, package in PINNED.items():
        assert not name or package["integrity"].startswith("sha512-")


def test_what_pip_gets_is_pinned_by_hash():
    for pinned in re.split(r"\n(?=\S)", LITE.strip()):
        assert re.match(r"\S+==\S+ \\\n    --hash=sha256:[0-9a-f]{64}", pinned), pinned


@pytest.mark.parametrize("name", ["package.json", "package-lock.json", "lite.in", "lite.lock"])
def test_no_lock_names_a_host(name):
    written = (VENDOR / name).read_text()
    assert "://" not in written
    assert '"resolved"' not in written


def test_a_live_notebook_has_the_versions_that_a_stored_one_ran_with():
    here, there = versions_of((ROOT / "requirements.lock").read_text()), versions_of(LITE)
    for name in ("plotly", "anywidget", "ipywidgets", "traitlets", "pygments", "ipython"):
        assert there[name] == here[name], name


def test_a_missing_program_is_told_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SiteError, match=r"needs node, .* apt-get install nodejs npm\)\.$"):
        npm_packages(tmp_path / "npm")


def test_a_failed_download_is_told_in_one_sentence(tmp_path):
    command = ["sh", "-c", "echo downloading; echo 'no route to the mirror' >&2; exit 1"]
    with pytest.raises(SiteError, match=r"pip says: no route to the mirror\. Check the network"):
        vendored.run(command, tmp_path, program="pip")


def write_wheel(folder, name, files):
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-1.2-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n"
        for file, content in ({f"{name}-1.2.dist-info/METADATA": metadata} | files).items():
            archive.writestr(ZipInfo(file), content)
    return path


def test_a_wheel_is_packed_without_what_nothing_reads(tmp_path):
    files = {
        "plotly/__init__.py": "a = 1",
        "plotly/package_data/plotly.min.js": "",
        "plotly/package_data/templates/plotly.json": "{}",
        "plotly/labextension/x.js": "",
        "plotly/x/tests/test_x.py": "",
        "plotly-1.2.data/data/share/x": "",
    }
    path = write_wheel(tmp_path, "plotly", files)
    pack(tmp_path, LEFT_OUT, "rmqref/")
    once = path.read_bytes()
    with ZipFile(path) as archive:
        assert sorted(archive.namelist()) == [
            "plotly-1.2.dist-info/METADATA",
            "plotly/__init__.pyc",
            "plotly/package_data/templates/plotly.json",
        ]
    write_wheel(tmp_path, "plotly", files)
    pack(tmp_path, LEFT_OUT, "rmqref/")
    assert path.read_bytes() == once


def test_the_lock_of_a_wheel_has_its_hash(tmp_path):
    entry = lock_entry(write_wheel(tmp_path, "some_package", {}))
    assert (entry["name"], entry["version"]) == ("some-package", "1.2")
    assert re.fullmatch("[0-9a-f]{64}", entry["sha256"])


def test_the_wheel_of_the_project_is_the_same_each_time(tmp_path):
    one, other = (build_wheel(ROOT, tmp_path / name) for name in "ab")
    assert one.read_bytes() == other.read_bytes()


def test_a_live_notebook_shows_nothing_that_it_has_not_run(tmp_path):
    stored = sorted((ROOT / "notebooks").glob("*.ipynb"))
    write_contents(stored, tmp_path / "contents")
    write_pictures(stored, tmp_path / "contents")
    assert (tmp_path / "contents" / "path.svg").read_bytes().isascii()
    for path in stored:
        before, after = (json.loads(file.read_text()) for file in (path, tmp_path / "contents" / path.name))
        assert [cell["source"] for cell in before["cells"]] == [cell["source"] for cell in after["cells"]]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in after["cells"])


def lite_with(tmp_path, **kernel):
    pyodide = tmp_path / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    for name in CORE:
        (pyodide / name).touch()
    (pyodide / LOCK).write_text('{"packages": {"rmqref": {}}}')
    written = settings(pyodide)
    written["jupyter-config-data"]["litePluginSettings"][f"{KERNEL}:kernel"] |= kernel
    (tmp_path / "jupyter-lite.json").write_text(json.dumps(written))
    return tmp_path


def test_python_comes_from_the_site_itself(tmp_path):
    check(lite_with(tmp_path))


@pytest.mark.parametrize("url", ["https://elsewhere.example/pyodide.mjs", "./static/pyodide/gone.mjs", ""])
def test_python_from_elsewhere_is_refused(tmp_path, url):
    with pytest.raises(SiteError, match="from elsewhere, which they must not"):
        check(lite_with(tmp_path, pyodideUrl=url))


NOTEBOOKS = [("01_first_pick", "01 · The <first> pick"), ("02_retry_pick", "02 · The retry pick")]


@pytest.fixture
def page(tmp_path):
    write_live_page(tmp_path, NOTEBOOKS)
    return (tmp_path / "live.html").read_text()


def test_the_live_page_has_all_its_words(page):
    assert "$" not in page
    for name in ("title", "back", "progress", "run", "unknown", "choose"):
        assert text(f"site.live.{name}") in page
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    assert data["titles"] == dict(NOTEBOOKS)
    script = (LIVE / "live.js").read_text()
    assert data["words"].keys() == set(re.findall(r'"(site\.live\.say\.\w+)"', script))
    assert data["words"].keys() <= catalogue().keys()
    for name in re.findall(r'part\("(\w+)"\)', script):
        assert f'id="{name}"' in page, name


def test_the_live_page_loads_nothing_from_elsewhere_and_runs_nothing_inline(page, tmp_path):
    assert "<first>" not in page
    assert re.findall(r"<script (?!type=\"application/json\")[^>]*>", page) == [
        '<script type="module" src="_static/live.js">'
    ]
    assert not re.search(r" on\w+=|style=", page)
    for file in (page, *((tmp_path / "_static" / name).read_text() for name in ("live.js", "live.css"))):
        assert "://" not in file


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")
def test_the_scripts_have_no_slip_of_syntax(tmp_path):
    for script in (LIVE / "live.js", ROOT / "rmqref" / "site" / "pack.mjs"):
        copy = tmp_path / f"{script.stem}.mjs"
        copy.write_bytes(script.read_bytes())
        subprocess.run(["node", "--check", copy], check=True)
