"""The catalogue: every sentence that the package says to a person, by name, with named parameters.

Words are data. A sentence is looked up by its name and filled from named parameters; code never builds one from
pieces. `<b>`, `<no>` and `<yes>` mark what a widget may colour; `text` leaves them out, `marked` keeps them.
The catalogues of languages are in `words/`; English is complete and is what others fall back to.
"""

from __future__ import annotations

from functools import cache

Parameter = str | int | float | bool | None

MARKS = ("<b>", "</b>", "<no>", "</no>", "<yes>", "</yes>")
"""What a widget may colour by."""


@cache
def catalogue(language: str = "en") -> dict[str, str]:
    """Return the sentences of a language by their names, English where the language lacks one.

    Args:
        language: the name of a file in `words/` without its ending.

    Returns:
        Sentence templates by name. The dictionary is shared: do not change it.

    Raises:
        KeyError: there is no catalogue of that language.

    >>> catalogue()["stepper.forward"]
    'Forward'
    """
    # Imported here, so that a program that needs no sentence does not pay for reading them.
    import json  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    folder = Path(__file__).parent / "words"
    try:
        own: dict[str, str] = json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise KeyError(language) from None
    return own if language == "en" else {**catalogue("en"), **own}


def marked(message_id: str, language: str | None = None, **parameters: Parameter) -> str:
    """Return a sentence with its marks for emphasis kept.

    Args:
        message_id: the sentence's name in the catalogue.
        language: which catalogue; English if None.
        **parameters: what fills the sentence's `{names}`.

    Returns:
        The sentence, with `<b>`, `<no>` and `<yes>` where the catalogue has them.

    Raises:
        KeyError: no such sentence, or a parameter is missing.

    >>> marked("say.skip.last", queue="broker-a : 2")
    '<b>broker-a : 2</b> is on the broker that failed last. <no>Skip.</no>'
    """
    return catalogue(language or "en")[message_id].format_map(parameters)


def text(message_id: str, language: str | None = None, **parameters: Parameter) -> str:
    """Return a sentence as plain text.

    Args:
        message_id: the sentence's name in the catalogue.
        language: which catalogue; English if None.
        **parameters: what fills the sentence's `{names}`.

    Returns:
        The sentence without marks.

    Raises:
        KeyError: no such sentence, or a parameter is missing.

    >>> text("say.skip.last", queue="broker-a : 2")
    'broker-a : 2 is on the broker that failed last. Skip.'
    """
    sentence = catalogue(language or "en")[message_id]
    for mark in MARKS:
        sentence = sentence.replace(mark, "")
    return sentence.format_map(parameters)
