"""Words are data: the catalogue is complete, tidy, and the only place that holds sentences."""

import json
import re
import string
from pathlib import Path

import pytest

import rmqref
from rmqref.messages import catalogue, marked, text

PACKAGE = Path(rmqref.__file__).parent
CODE = "\n".join(file.read_text() for file in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js")])


def test_every_sentence_is_used_and_every_used_one_is_there():
    for name in catalogue():
        parts = name.split(".")
        stems = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
        used = name in CODE or any(f'"{stem}{{' in CODE or f'"{stem}.{{' in CODE for stem in stems)
        assert used, f"nobody says {name}"
    named = re.findall(r'(?:text|marked|say|skip|Error|Unknown\w+)\(\s*"([a-z_]+(?:\.[a-z_]+)+)"', CODE)
    assert len(named) > 30
    for name in named:
        assert name in catalogue(), name


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_a_sentence_is_well_formed(name):
    sentence = catalogue()[name]
    assert sentence == sentence.strip(" \n") or name.startswith(("conform.", "cli.bug."))
    fields = [field for _, field, _, _ in string.Formatter().parse(sentence) if field is not None]
    assert all(field.isidentifier() for field in fields), fields
    for mark in ("b", "no", "yes"):
        assert sentence.count(f"<{mark}>") == sentence.count(f"</{mark}>")
    if name.startswith(("error.", "java.", "bug.")):
        assert sentence.endswith((".", "}")), name


def test_a_parameter_is_inserted_as_it_is():
    hostile = "<b>{queue}</b>"
    assert hostile in text("say.remove", broker=hostile)
    assert marked("say.remove", broker="x").startswith("<b>x</b>")


def test_a_language_that_is_not_there_is_an_error():
    with pytest.raises(KeyError):
        catalogue("xx")


def test_the_file_has_no_name_twice():
    pairs = json.loads((PACKAGE / "words" / "en.json").read_text(), object_pairs_hook=list)
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names))
