"""Notebooks hold prose, calls and results: no logic, no number that nothing shows, and the same parts in each.

That they are stored executed, clean and without an error is tested in test_stored_notebooks.
"""

from __future__ import annotations

import ast
import json
import re
from itertools import pairwise
from statistics import median
from typing import Any

import pytest

from rmqref.releases import VERSIONS
from tests.tools.execute_notebooks import NOTEBOOKS, read

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
BOOKS = ("09", "10", "11")
"""Not walks: questions, exhibits, a quiz. What they stand on and how often they ask is theirs."""
EACH = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)

LOGIC = (
    ast.AsyncFor,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.DictComp,
    ast.For,
    ast.FunctionDef,
    ast.GeneratorExp,
    ast.If,
    ast.IfExp,
    ast.Lambda,
    ast.ListComp,
    ast.Match,
    ast.SetComp,
    ast.Try,
    ast.While,
)
LAST_PARTS = ["One thing to change", "What people get wrong", "What to read next"]
SUMMARIES = {"", *LAST_PARTS[1:]}
"""Parts that sum up the notebook ("" is what stands before the first part): their numbers may be shown anywhere."""

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d[\d_]*(?:\.\d+)?")


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def lines(cell):
    return [line for line in cell.source.split("\n") if line.strip()]


def parts(path):
    """Return the notebook's cells by the heading of the part in which they stand."""
    found: dict[str, list[Any]] = {"": []}
    for cell in read(path).cells:
        if cell.cell_type == "code":
            found[next(reversed(found))].append(cell)
            continue
        before, *rest = re.split(r"^## (.+)$", cell.source, flags=re.MULTILINE)
        found[next(reversed(found))].append(before)
        for heading, below in zip(rest[::2], rest[1::2], strict=True):
            assert heading not in found, f"two parts are called {heading}"
            found[heading] = [below]
    return found


def is_ignored(cell):
    return "nbval-ignore-output" in cell.metadata.get("tags", ())


def numbers_in(text):
    """Return the numbers of a text, written plainly: 12,000 and 12_000 are 12000."""
    return {re.sub("[,_]", "", number) for number in NUMBER.findall(text)}


def numbers_claimed(prose):
    """Return the numbers that a piece of prose answers for.

    Not its own are headings, names (releases, issues, other notebooks), addresses, and what others say: quotations, and the
    first column of a table.
    """
    for not_own in (
        r"```.*?```",
        r"^#.*",  # a heading
        r"\[[^\]]*\]\([^)]*\.(?:ipynb|svg)\)",  # another notebook, by its number; a picture's description
        r"\]\([^)]*\)",  # the address of a link
        r"\"[^\"]*\"",  # a quotation
        r"^\|[^|]*",  # the first column
        r"\b(?:issue|pull request|RIP)[ -]\d+",
        r"\b\d+\.(?:x|\d+\.x|\d+\.\d+(?:-\w+)?)",  # a release
        r"^\d+\. ",  # a list's own numbers
    ):
        prose = re.sub(not_own, " ", prose, flags=re.DOTALL if "`" in not_own else re.MULTILINE)
    return numbers_in(prose)


def numbers_shown(cells):
    """Return the numbers that cells hold: in their source, and in what they print or draw."""
    texts = [cell.source for cell in cells]
    for cell in cells:
        for output in cell.outputs:
            texts.append(output.get("text", ""))
            texts.append(json.dumps(output.get("data", {}), ensure_ascii=False))
    return numbers_in("\n".join(texts))


def test_the_rule_for_numbers_tells_claims_from_names():
    prose = (
        'In 4.9.7 (5.x, [issue 7](https://a/8)) [03](03_a.ipynb) "9 ms" is 12,000 or 12_001, 1.5 % and `6`.\n'
    )
    assert numbers_claimed(prose) == {"12000", "12001", "1.5", "6"}
    assert numbers_claimed("| 300 ms | 30 ms | from 5.1.4 |") == {"30"}
    assert numbers_in("1, 200 and (1,200)") == {"1", "200", "1200"}


@EACH
def test_every_number_in_the_prose_is_shown_nearby(path):
    anywhere = numbers_shown(code_cells(path))
    missing = []
    for heading, cells in parts(path).items():
        prose = "\n".join(cell for cell in cells if isinstance(cell, str))
        near = numbers_shown([cell for cell in cells if not isinstance(cell, str)])
        shown = anywhere if heading in SUMMARIES else near
        missing += [(heading, number) for number in sorted(numbers_claimed(prose) - shown)]
    assert missing == []


@EACH
def test_cells_are_short_and_only_the_first_sets_up(path):
    cells = code_cells(path)
    assert max(len(lines(cell)) for cell in cells) <= 12
    assert median(len(lines(cell)) for cell in cells) <= 3
    importing = [
        n
        for n, cell in enumerate(cells)
        if any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(cell.source)))
    ]
    assert importing == [0]
    assert len(lines(cells[0])) <= 3


@EACH
def test_no_cell_holds_logic(path):
    for cell in code_cells(path):
        logic = [type(node).__name__ for node in ast.walk(ast.parse(cell.source)) if isinstance(node, LOGIC)]
        assert logic == [], cell.source


@EACH
def test_only_a_widget_on_its_own_is_not_compared_and_the_next_cell_drives_it_and_prints(path):
    assert "NBVAL" not in path.read_text(encoding="utf-8")
    cells = code_cells(path)
    ignored = [(cell, following) for cell, following in pairwise(cells) if is_ignored(cell)]
    assert not is_ignored(cells[-1])
    assert len(ignored) >= 2
    for cell, following in ignored:
        assert cell.source.isidentifier()
        assert re.search(rf"\b{cell.source}\b", following.source), following.source
        assert any(output.output_type == "stream" and output.text.strip() for output in following.outputs)


@EACH
def test_the_parts_are_those_of_a_walk(path):
    cells = read(path).cells
    opening = cells[0].source.split("\n\n")
    assert re.fullmatch(rf"# {path.stem[:2]} · \w.*", opening[0])
    assert re.fullmatch(r"\*\*[^*]+\?\*\*", opening[1])
    assert opening[2].startswith("Afterwards you can ")
    assert list(parts(path))[-3:] == LAST_PARTS
    if path.stem.startswith(BOOKS):
        return
    sources = "\n".join(cell.source for cell in code_cells(path))
    # What the walk stands on is shown as a person has it at hand: a route's dump, or a scenario's file.
    assert re.search(r"print\((samples\.sample_dump|scenario\.sample_text)\(", sources)
    assert len(re.findall(r"\b(?:Pick|Send)Controls\(", sources)) == 1
    assert "predict=True" in sources
    assert sum(cell.source.count("**Predict") for cell in cells) >= (1 if path.stem.startswith("00") else 5)


@EACH
def test_every_correction_names_its_releases(path):
    (table,) = (cell for cell in parts(path)["What people get wrong"] if isinstance(cell, str))
    rows = [row.strip("| ").split(" | ") for row in table.strip().split("\n")]
    assert rows[0] == ["they say", "it is", "holds for"]
    assert len(rows) > 4
    for row in rows[2:]:
        assert len(row) == 3, row
        known = any(version in row[2] for version in (*VERSIONS, "4.0.0"))
        assert known or row[2].startswith("all") or row[2] == "not part of the table", row


@EACH
def test_links_lead_somewhere(path):
    links = re.findall(r"\]\(([^)]+)\)", "\n".join(cell.source for cell in read(path).cells))
    assert links
    for link in links:
        if link.endswith((".ipynb", ".svg")):
            assert (NOTEBOOKS / link).is_file(), link
        else:
            assert link.startswith("https://github.com/apache/"), link
            named = re.search(r"blob/rocketmq-all-([^/]+)/client/src/main/java/\S+\.java$", link)
            assert "/blob/" not in link or (named and named[1] in VERSIONS), link
