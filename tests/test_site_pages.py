"""The generated pages: everything that there is stands on them, and what stands on them is so."""

import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

import rmqref
from rmqref import cli
from rmqref.bugs import BUGS
from rmqref.conform import KINDS, Failure, Report, replay
from rmqref.limits import LIMITS
from rmqref.messages import text
from rmqref.releases import CHRONOLOGY, COLUMNS, FAMILIES, VERSIONS, release
from rmqref.site.command_page import EXAMPLES, MOST_LINES, command_page, commands_of, ran
from rmqref.site.honesty_page import honesty_page
from rmqref.site.markdown import cell, fenced, plain, table
from rmqref.site.reference import (
    FLOORS,
    all_rooms,
    as_field,
    ends_of,
    java_source,
    java_sources,
    process_docstring,
    process_signature,
    shorten_value,
    source_links,
    write_pages,
)
from rmqref.site.release_page import releases_page

ROOT = Path(__file__).parents[1]
PACKAGE = Path(rmqref.__file__).parent
ALGORITHM = FLOORS[2]


@pytest.fixture(scope="module")
def report():
    return replay([ROOT / "tests" / "vectors"])


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    to = tmp_path_factory.mktemp("pages")
    names = write_pages(ROOT, to)
    pages = {file.relative_to(to).with_suffix("").as_posix(): file.read_text() for file in to.rglob("*.md")}
    return names, pages


def documented():
    """Yield every public function and class of the package with a docstring, and their public methods."""
    for room in all_rooms():
        module = importlib.import_module(f"rmqref.{room}")
        for name, member in vars(module).items():
            if name.startswith("_") or getattr(member, "__module__", "") != module.__name__:
                continue
            if inspect.isfunction(member) or inspect.isclass(member):
                yield f"{room}.{name}", member
            if inspect.isclass(member):
                for part, method in vars(member).items():
                    if inspect.isfunction(method) and not part.startswith("_"):
                        yield f"{room}.{name}.{part}", method


# ----------------------------------------------------------------------------------------------------------- written


def test_every_page_is_written_and_those_for_the_contents_are_named(written):
    names, pages = written
    assert names == ["releases", "cheat_sheet", "command_line", "glossary", "reference/index", "honesty"]
    assert pages.keys() == {*names, *(f"reference/rmqref.{room}" for room in all_rooms())}


def test_every_page_has_one_title_and_then_a_sentence(written):
    for name, page in written[1].items():
        lines = re.sub(r"^(`{3,}).*?^\1$", "", page, flags=re.MULTILINE | re.DOTALL).splitlines()
        assert sum(line.startswith("# ") for line in lines) == 1, name
        assert re.match(r"# .+\n\n[A-Z][^\n]+\.\n", page), name


def test_a_page_writes_its_own_links_right(written):
    for name, page in written[1].items():
        for target in re.findall(r"\]\(#([\w.-]+)\)", page):
            assert f"({target})=" in page or f"{{#{target}}}" in page, f"{name} links to {target}"
        for target in re.findall(r"\]\(([\w./]+\.(?:md|ipynb))\)", page):
            place = (Path(name).parent / target).as_posix()
            assert place.removesuffix(".md") in written[1] or (ROOT / place).is_file(), (
                f"{name} links to {target}"
            )


def test_the_pages_come_out_the_same_every_time(written, tmp_path):
    write_pages(ROOT, tmp_path)
    for name, page in written[1].items():
        assert (tmp_path / f"{name}.md").read_text() == page


# ------------------------------------------------------------------------------------------------- the release table


def test_every_family_behaviour_bug_and_release_stands_there():
    page = releases_page()
    for target in (
        *(f"family-{family}" for family in FAMILIES),
        *(f"behaviour-{column}" for column in COLUMNS),
        *(f"bug-{name}" for name in BUGS),
    ):
        assert page.count(f"({target})=\n") == 1
    for bug in BUGS.values():
        assert plain(bug.what) in page
        assert bug.link in page


@pytest.mark.parametrize("column", COLUMNS)
def test_a_behaviour_gives_each_release_one_value(column):
    section = releases_page().partition(f"(behaviour-{column})=\n")[2].partition("\n(")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")][2:]
    for version in VERSIONS:
        value = "not asked" if column in release(version).unused else cell(getattr(release(version), column))
        [spans] = [row[1] for row in rows if row[0] == value]
        assert any(holds(span, version) for span in spans.split(", "))


def holds(span, version):
    first, _, last = span.partition(" .. ")
    return CHRONOLOGY.index(first) <= CHRONOLOGY.index(version) <= CHRONOLOGY.index(last or first)


def test_a_value_leads_to_what_the_reference_has():
    for target in set(re.findall(r"\{py:obj\}`\w+ <(.+?)>`", releases_page())):
        module, _, name = target.rpartition(".")
        assert module.removeprefix("rmqref.") in all_rooms()
        assert inspect.getdoc(getattr(importlib.import_module(module), name))


# ------------------------------------------------------------------------------------------------------ the reference


def test_every_room_stands_on_a_floor():
    assert sorted(all_rooms()) == sorted(file.stem for file in PACKAGE.glob("*.py") if "__" not in file.stem)


def test_every_room_of_the_algorithm_says_where_java_has_it():
    for name, member in documented():
        if name.split(".")[0] in ALGORITHM and name.count(".") == 1 and name != "strategy.StrategyRules":
            assert "\n    Java: " in (member.__doc__ or ""), name


def test_times_of_the_algorithm_have_their_unit():
    times = re.compile(r"^ {8}(\w*(?:latency|duration|timeout|cost|now|clock)): (.*)$", re.MULTILINE)
    for name, member in documented():
        if name.split(".")[0] in set(ALGORITHM) - {"java_texts"}:
            for argument, said in times.findall(member.__doc__ or ""):
                assert "milliseconds" in said, f"{name} {argument}"


def test_every_java_class_that_a_docstring_names_is_known_or_not_rocketmq_s():
    of_java = {
        "Java",
        "JLS",
        "JDK",
        "String",
        "Integer",
        "Long",
        "Boolean",
        "Double",
        "Math",
        "Random",
        "Collections",
    }
    of_java |= {"ArrayList", "ConcurrentHashMap", "HashMap", "Runnable", "InvokeCallback"}
    for name, member in documented():
        for said in re.findall(r"^ *Java: (.*(?:\n +\S.*)*)", member.__doc__ or "", re.MULTILINE):
            outside = re.sub(r"\([^()]*\)", "", said)
            for found in re.findall(r"\b[A-Z]\w+(?=#|\b)", outside):
                assert found in java_sources() or found in of_java | {"PREVIEW", "ALPHA", "With"}, (
                    f"{name}: {found}"
                )


def test_the_paths_are_those_of_java_files_and_in_the_order_of_releases():
    for name, paths in java_sources().items():
        assert [*paths] == sorted(paths, key=CHRONOLOGY.index), name
        assert all(re.fullmatch(r"\w+/src/main/java/[\w/]+\.java", path) for path in paths.values())


def test_the_paths_are_sorted_as_they_are_stored():
    stored = json.loads((PACKAGE / "site" / "java_sources.json").read_text())
    assert [*stored] == sorted(stored)


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("TopicPublishInfo#ok, all releases", ("4.0.0-incubating", "5.3.3")),
        ("A#b, 4.8.0 (issue 2783)", ("4.8.0", "4.8.0")),
        ("A#b, 4.9.0 .. 4.9.3, 5.0.0-PREVIEW, 5.0.0-ALPHA", ("4.9.0", "5.0.0-ALPHA")),
        ("A#b up to 5.1.0, #c 5.1.1 .. 5.1.3", ("4.0.0-incubating", "5.1.3")),
        ("A#b from 5.1.4", ("5.1.4", "5.3.3")),
        ("no class of any release", ()),
    ],
)
def test_the_first_and_the_last_release_of_a_text(said, ends):
    assert ends_of(said) == ends


def test_a_class_is_linked_in_the_first_and_the_last_release_and_each_clause_has_its_own():
    links = list(source_links("TopicPublishInfo#a, 5.1.0 .. 5.3.3; MQFaultStrategy#b, 5.1.0."))
    assert [link.split(" <")[0] for link in links] == [
        "`TopicPublishInfo 5.1.0",
        "`TopicPublishInfo 5.3.3",
        "`MQFaultStrategy 5.1.0",
    ]


def test_a_class_that_is_not_there_yet_has_no_address():
    assert java_source("MessageBatch", "4.0.0-incubating") is None
    assert java_source("String", "5.3.3") is None


def test_a_docstring_s_paragraph_becomes_a_field_with_links():
    lines = [
        "Return it.",
        "",
        "Returns:",
        "    The port: `host:port`.",
        "",
        "Java: String#split, all releases.",
        "",
    ]
    process_docstring(None, "function", "f", None, None, lines)
    assert lines == [
        "Return it.",
        "",
        ":returns: The port: `host:port`.",
        "",
        ":Java source: String#split, all releases.",
    ]
    field = as_field("Java: TopicPublishInfo#ok, 4.0.0-incubating ..\n    4.7.1.")
    assert field.startswith(":Java source: TopicPublishInfo#ok, 4.0.0-incubating .. 4.7.1.\n\n   ")
    assert "/blob/rocketmq-4.0.0-incubating/client/" in field


def test_a_module_s_first_paragraph_is_the_page_s_own():
    lines = ["The counter.", "", "Every publish info has one.", ""]
    process_docstring(None, "module", "m", None, None, lines)
    assert lines == ["Every publish info has one."]


def test_a_signature_is_python():
    asked = process_signature(None, "class", "C", None, None, "(a: int = 1, b: list = <factory>)", None)
    assert asked == ("(a: int = 1, b: list = ...)", None)
    assert process_signature(None, "data", "d", None, None, None, None) == (None, None)


@pytest.mark.parametrize(("length", "stays"), [(10, True), (100, False)])
def test_a_long_value_is_left_to_the_source(length, stays):
    from sphinx import addnodes

    value = addnodes.desc_annotation("", " = " + "1" * length)
    signature, content = addnodes.desc_signature("", "", value), addnodes.desc_content()
    addnodes.desc("", signature, content)
    shorten_value(None, "py", "data", content)
    assert (value in signature.children) is stays
    shorten_value(None, "py", "function", content)


# --------------------------------------------------------------------------------------------------- the command line


def test_every_command_has_a_section_its_arguments_and_an_example():
    page = command_page(ROOT)
    commands = list(commands_of(cli.parser()))
    assert {command.prog.partition(" ")[2] for command, _ in commands} >= set(EXAMPLES)
    for command, told in commands:
        assert told
        section = page.partition(f"## `{command.prog.partition(' ')[2]}`\n")[2].partition("\n## ")[0]
        assert re.search(rf"^\$ python -m {command.prog}( |$)", section, re.MULTILINE)
        for action in command._actions:
            assert (action.option_strings or [str(action.metavar or action.dest.upper())])[0] in section


def test_an_example_shows_what_is_printed_and_says_what_is_left_out():
    page = command_page(ROOT)
    status, lines = ran(["releases", "4.5.0"], ROOT)
    assert status == 2
    assert "\n".join(["$ python -m rmqref releases 4.5.0", *lines, "(exit status 2)"]) in page
    _, lines = ran(["releases", "4.9.4", "--columns", "pick"], ROOT)
    assert f"{lines[MOST_LINES - 1]}\n… {len(lines) - MOST_LINES} more lines\n" in page


def test_an_example_leaves_the_process_as_it_was(monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "99")
    monkeypatch.chdir(tmp_path)
    assert ran(["--help"], ROOT)[0] == 0
    assert Path.cwd() == tmp_path


# ------------------------------------------------------------------------------------------------------ what is exact


def test_the_counts_are_those_of_the_replay(report):
    page, run = honesty_page(report), sum(report.passed.values())
    assert f"{run} of {run} recorded cases" in page
    for kind in KINDS:
        number = sum(count for (_, found), count in report.passed.items() if found == kind)
        assert f"**`{kind}`**: {number} / {number}\n" in page
    for version in {version for version, _ in report.passed}:
        number = sum(count for (found, _), count in report.passed.items() if found == version)
        assert f"| {version} | {release(version).family} | {number} / {number} |" in page


def test_a_case_that_fails_is_not_hidden():
    failure: Any = Failure("4.9.7", "index", "x", None, 1, 2)
    page = honesty_page(Report({("4.9.7", "index"): 3, ("4.9.7", "route"): 5}, [failure]))
    assert "8 of 9 recorded cases" in page
    assert "**`index`**: 3 / 4\n" in page
    before = f"| {text('site.pages.honesty.count.none')} " * 3
    assert f"| index {before}| 3 / 4 |" in page
    assert f"| route {before}| 5 |" in page


def test_every_limit_stands_there_once_and_every_release_has_its_own(report):
    page = honesty_page(report)
    for limit in LIMITS.values():
        assert page.count(f"{{#limit-{limit.name}}}") == 1
        assert plain(limit.what) in page
        assert plain(limit.effect) in page
    by_release = page.partition("(limits-by-release)=\n")[2].partition("\n## Beyond")[0]
    spans = [
        span
        for found in re.findall(r"^\*\*(.+)\*\*$", by_release, re.MULTILINE)
        for span in found.split(", ")
    ]
    assert [sum(holds(span, version) for span in spans) for version in CHRONOLOGY] == [1] * len(CHRONOLOGY)


# ------------------------------------------------------------------------------------------------------- the glossary

GLOSSARY = (PACKAGE / "site" / "glossary.md").read_text()
ENTRIES = [
    entry
    for block in re.findall(r"```\{glossary\}\n(.*?)```", GLOSSARY, re.DOTALL)
    for entry in re.split(r"\n\n(?=\S)", block.strip())
]


def terms_of(entry):
    return [line for line in entry.splitlines() if not line.startswith(" ")]


def squeezed(said):
    return re.sub(r"[\s_-]", "", said).lower()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: terms_of(entry)[0])
def test_a_term_is_said_where_its_entry_leads(entry, written):
    target = re.findall(r"\]\(([\w/]+\.(?:ipynb|md))\)", entry)[-1]
    place = ROOT / target
    said = squeezed(place.read_text() if place.suffix == ".ipynb" else written[1][target.removesuffix(".md")])
    assert any(squeezed(term) in said for term in [*terms_of(entry), *re.findall(r"`([^`]+)`", entry)])


def test_no_term_is_explained_twice():
    terms = [term for entry in ENTRIES for term in terms_of(entry)]
    assert len(terms) == len(set(terms)) > 50


def test_the_glossary_holds_no_number_that_could_go_wrong():
    prose = re.sub(r"`[^`\n]+`|\[\d\d\]\([^)]+\)|TBW102", "", GLOSSARY)
    assert not re.findall(r"\d", re.sub(r"\([\w/.]+\)", "", prose))


# --------------------------------------------------------------------------------------------------------- the Markdown


def test_a_block_of_code_keeps_fences_in_it():
    assert fenced("text", "a\n```\nb") == "````text\na\n```\nb\n````"


def test_a_table_has_as_many_places_in_each_row():
    assert table(["a", "b"], [[1, 2]], numbers=True) == "| a | b |\n| --- | --: |\n| 1 | 2 |"
