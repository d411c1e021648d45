"""The parts of the site build that need no browser; the built site itself is in tests/browser/test_site.py."""

from __future__ import annotations

import base64
import re
import urllib.error
import urllib.request
from hashlib import sha256
from threading import Thread

import nbformat
import pytest

from rmqref import Situation, record
from rmqref.cli import main
from rmqref.controls import PickControls
from rmqref.errors import SiteError
from rmqref.plots import share_per_queue
from rmqref.site import build as building
from rmqref.site.pictures import drawing_page
from rmqref.site.pieces import ANSWER, WITHOUT_INPUT, dressed_notebook, element, pieces_of, themed
from rmqref.site.serve import server_of
from rmqref.site.showing import PLOT, STEPPER, shown
from rmqref.site.theme import finished
from rmqref.stepper import Stepper

LIVE = ["nbval-ignore-output"]


def code(source, data=None, tags=(), text=None):
    outputs = []
    if data is not None:
        outputs.append(nbformat.v4.new_output("display_data", data))
    if text is not None:
        outputs.append(nbformat.v4.new_output("stream", text=text))
    return nbformat.v4.new_code_cell(source, outputs=outputs, metadata={"tags": list(tags)})


def notebook_of(*cells):
    return nbformat.v4.new_notebook(cells=list(cells))


def prose(text):
    return nbformat.v4.new_markdown_cell(text)


@pytest.fixture
def notebook():
    figure = share_per_queue(Situation().share(1200)).to_plotly_json()
    stepper = Stepper(record(Situation("4.9.7", start=4)), predict=True)
    return notebook_of(
        prose("# 01 · A walk\n\n**Which?**"),
        code("stepper", shown(stepper), LIVE),
        code("print(stepper.say)", text="broker-b : 1"),
        prose("**Predict.** What next?"),
        code("situation = 1"),
        code("print(situation)", text="1"),
        code("print(2)", text="2"),
        code("figure", {PLOT: figure}),
        code("controls", shown(PickControls(Situation("4.9.7"))), LIVE),
        code("print(3)", text="3"),
    )


def test_pieces_are_found_in_order_and_named_by_their_variable(notebook):
    found = [(piece.key, piece.kind, piece.is_first) for _, _, piece in pieces_of(notebook, "01_walk")]
    assert found == [
        ("01_walk.stepper", "stepper", True),
        ("01_walk.plot-1", "plot", False),
        ("01_walk.controls", "stepper", False),
    ]


def test_answers_are_folded_and_a_widget_stands_without_its_name(notebook):
    before = nbformat.writes(notebook)
    dressed = dressed_notebook(notebook, "01_walk", lambda piece: piece.key)
    tags = {
        cell.source: {ANSWER, WITHOUT_INPUT} & set(cell.metadata.get("tags", ()))
        for cell in dressed.cells
        if cell.cell_type == "code"
    }
    assert tags == {
        "stepper": {WITHOUT_INPUT},
        "print(stepper.say)": {ANSWER},
        "situation = 1": set(),
        "print(situation)": {ANSWER},
        "print(2)": set(),
        "figure": set(),
        "controls": {WITHOUT_INPUT},
        "print(3)": {ANSWER},
    }
    assert dressed.cells[2].outputs[0].data == {"text/html": "01_walk.stepper"}
    assert 'href="../live.html?notebook=01_walk"' in dressed.cells[1].source
    assert nbformat.writes(notebook) == before


def test_a_piece_as_html_has_its_picture_inside_and_nothing_unescaped(notebook):
    pieces = {piece.name: piece for _, _, piece in pieces_of(notebook, "01_<walk")}
    files = {
        f"{theme} {width}": f"{theme}.{width}.svg"
        for theme in ("light", "dark")
        for width in ("wide", "narrow")
    }
    plot = element(pieces["plot-1"], root="../", stills={}, pictures=files)
    assert plot.count("<img") == 2
    assert 'src="../plots/01_&lt;walk.plot-1.json"' in plot
    assert 'alt="All 12 queues get the same' in plot
    stepper = element(pieces["stepper"], root="", stills={"01_<walk.stepper": "<p>still</p>"}, pictures={})
    assert 'link="" predict><div inert><p>still</p></div></rmq-stepper>' in stepper
    assert "need Python" not in stepper
    controls = element(pieces["controls"], root="", stills={}, pictures={})
    assert 'link="controls">' in controls
    assert "need Python" in controls


def test_a_figure_is_inked_for_its_theme(notebook):
    (plot,) = (piece for _, _, piece in pieces_of(notebook, "n") if piece.kind == "plot")
    light, dark = themed(plot.data, "light"), themed(plot.data, "dark")
    assert "#797979" in str(plot.data)
    assert "#797979" not in str(light) + str(dark)
    assert light != dark


def test_a_widget_gives_its_run_as_data():
    controls = PickControls(Situation("4.9.4", start=4))
    data = shown(controls)
    assert data["text/plain"] == repr(controls)
    assert data[STEPPER]["controls"]
    assert data[STEPPER]["trace"]["release"] == "4.9.4"
    assert not shown(controls.stepper)[STEPPER]["controls"]


def test_a_page_allows_its_own_scripts_only():
    script = "\n  document.body.dataset.theme = 1;\n"
    page = finished(
        f'<head><meta charset="utf-8" /></head><script>{script}</script><script src="a.js"></script>'
        '<pre>x</pre><pre class="y">x</pre><div class="table-wrapper docutils">'
    )
    allowed = base64.b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{allowed}';" in page
    assert page.index("Content-Security-Policy") < page.index("<script")
    assert "unsafe-eval" not in page
    assert "http:" not in page.partition("</head>")[0]
    assert re.findall(r"<(?:pre|div)[^>]*>", page) == [
        '<pre tabindex="0">',
        '<pre tabindex="0" class="y">',
        '<div tabindex="0" class="table-wrapper docutils">',
    ]


@pytest.mark.parametrize(
    ("contents", "sentence"),
    [
        (
            ["thesis.tex"],
            "The folder {to} holds something else than an earlier site of rmqref: name an empty or a new one.",
        ),
        (
            ["index.html"],
            "The folder {to} holds something else than an earlier site of rmqref: name an empty or a new one.",
        ),
        ([], None),
        ([".rmqref-site", "index.html"], None),
        (
            [".rmqref-export", "README.md"],
            "The folder {to} holds something else than an earlier site of rmqref: name an empty or a new one.",
        ),
    ],
)
def test_only_a_site_is_replaced(tmp_path, contents, sentence):
    to = tmp_path / "to"
    to.mkdir()
    for name in contents:
        (to / name).touch()
    source = tmp_path / "source"
    if sentence is None:
        building.check_target(to, source, "site")
        return
    with pytest.raises(SiteError) as error:
        building.check_target(to, source, "site")
    assert str(error.value) == sentence.format(to=to)


def test_a_site_does_not_take_the_place_of_a_file_or_of_the_project(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SiteError, match="file is a file"):
        building.check_target(tmp_path / "file", tmp_path, "site")
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / ".rmqref-site").touch()
    with pytest.raises(SiteError, match="holds the project itself"):
        building.check_target(tmp_path / "to", tmp_path / "to" / "rmqref", "site")


def test_a_wrong_call_is_one_sentence(tmp_path, capsys):
    def told(*arguments):
        status = main(["site", *map(str, arguments)])
        return status, capsys.readouterr().err.strip()

    assert told("build", "--to", tmp_path / "to", "--source", tmp_path) == (
        2,
        f"There are no sources of rmqref in {tmp_path}: run this in a clone of the project, or name its folder with --source.",
    )
    assert told("build", "--to", tmp_path / "to", "--base-url", "docs.example.org") == (
        2,
        "The base URL is docs.example.org: give one that begins with https:// or http:// and ends with /.",
    )
    assert told("serve", tmp_path) == (
        2,
        f"There is no site in {tmp_path}: build one with `rmqref site build --to {tmp_path}`.",
    )
    assert not (tmp_path / "to").exists()


def test_a_built_site_is_served_here_and_a_taken_port_is_told(tmp_path):
    (tmp_path / "index.html").write_text("<p>here")
    (tmp_path / "a.wasm").write_bytes(b"")
    with server_of(tmp_path, 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        assert urllib.request.urlopen(address).read() == b"<p>here"
        assert urllib.request.urlopen(address + "a.wasm").headers["Content-Type"] == "application/wasm"
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(address + "b")
        with pytest.raises(SiteError, match=f"cannot be shown on port {server.server_port}: "):
            server_of(tmp_path, server.server_port)
        server.shutdown()
    with pytest.raises(SiteError, match="port 65536"):
        server_of(tmp_path, 65536)


def test_a_chromium_that_does_not_start_is_one_sentence(tmp_path, monkeypatch):
    pytest.importorskip("playwright")
    monkeypatch.setenv("RMQREF_CHROMIUM", str(tmp_path / "chromium"))
    with (
        pytest.raises(SiteError, match=r"chromium does not start: .*\. Name another one"),
        drawing_page(tmp_path),
    ):
        pass


def test_an_interrupted_command_says_so(monkeypatch, tmp_path, capsys):
    def interrupted(*_given, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr(building, "build", interrupted)
    assert main(["site", "build", "--to", str(tmp_path / "to")]) == 130
    assert capsys.readouterr().err == "Interrupted: the command did not finish.\n"
