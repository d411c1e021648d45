"""How Sphinx makes the pages: its settings, and what is added to a page on its way."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.search.en import SearchEnglish

from rmqref.messages import text
from rmqref.site.reference import connect
from rmqref.stepper import STATIC

HERE = Path(__file__).parent

DESCRIPTION = 200
"""Characters of a page's description at most."""

POLICY = (
    "default-src 'self'; script-src 'self'{scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; frame-src 'self'; object-src 'none'; "
    "base-uri 'self'; form-action 'self'"
)
"""The content security policy of a page: nothing from elsewhere. (Styles stand in the markup of figures and of furo.)"""

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)

SCROLLS = re.compile(r'<div class="table-wrapper|<div class="output text_html">(?=<table)|<pre(?= |>)')
"""What scrolls sideways if it is too wide; a reader with a keyboard has to get there."""

PARAMETERS = re.compile(r'<dl>\s*((?:<dd><em class="sig-param">.*?</dd>\s*)+)</dl>', re.DOTALL)
"""A long signature, one argument a line. To a screen reader a list of descriptions without terms is none."""

DESCRIBED = re.compile("<(/?)dd")

SAID_BETTER = {
    '<summary aria-label="Toggle hidden content">': "<summary>",  # its own words say more
    '<p class="caption" role="heading">': '<p class="caption">',  # a heading of no level
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="{pages}">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="{contents}">',
    '<aside class="toc-drawer no-toc">': '<aside class="toc-drawer no-toc" aria-label="{contents}">',
}
"""What Sphinx, myst-nb and furo write, and what is written instead."""


class Words(SearchEnglish):
    """What the search takes for a word: a release's number is one, such as 5.1.4; Sphinx would see three numbers in it."""

    js_splitter_code = (
        r"var splitQuery = (query) => query.match(/\p{N}+(?:\.\p{N}+)+|[\p{L}\p{N}_]+/gu) ?? [];"
    )
    word = re.compile(r"\d+(?:\.\d+)+|\w+")

    def split(self, input: str) -> list[str]:  # noqa: A002  # named as in the class above
        """Return the words of a text."""
        return self.word.findall(input)


def settings(base_url: str | None) -> dict[str, Any]:
    """Return Sphinx's settings.

    Args:
        base_url: where the site will stand, for canonical links; None if nobody knows.
    """
    return {
        "project": "rmqref",
        "author": "rmqref",
        "html_title": "rmqref",
        "language": "en",
        "extensions": [
            "myst_nb",
            "sphinx.ext.autodoc",
            "sphinx.ext.napoleon",
            "sphinx_copybutton",
            "rmqref.site.theme",
        ],
        "html_theme": "furo",
        "html_theme_options": {
            "light_css_variables": {"color-brand-primary": "#0b5a8a", "color-brand-content": "#0b5a8a"},
            "dark_css_variables": {"color-brand-primary": "#7cc4f5", "color-brand-content": "#7cc4f5"},
        },
        "html_baseurl": base_url or "",
        "html_static_path": [str(HERE / "static"), str(STATIC)],
        "html_css_files": ["stepper.css", "site.css"],
        "html_js_files": [("elements.js", {"type": "module"})],
        "html_favicon": str(HERE / "static" / "icon.svg"),
        "html_show_copyright": False,
        "html_show_sphinx": False,
        "html_copy_source": False,
        "html_domain_indices": False,
        "html_show_sourcelink": False,
        "pygments_style": "a11y-high-contrast-light",
        "pygments_dark_style": "a11y-high-contrast-dark",
        "myst_enable_extensions": ["attrs_block", "attrs_inline", "colon_fence", "deflist"],
        "myst_heading_anchors": 3,
        "nb_execution_mode": "off",
        "nb_ipywidgets_js": {},  # its defaults come from elsewhere
        "nb_merge_streams": True,
        "nb_number_source_lines": False,
        "nb_code_prompt_show": text("site.answer.show"),
        "nb_code_prompt_hide": text("site.answer.hide"),
        "default_role": "py:obj",
        "add_module_names": False,
        "toc_object_entries_show_parents": "hide",
        "maximum_signature_line_length": 88,
        "python_use_unqualified_type_names": True,
        "napoleon_use_ivar": True,
        "autodoc_member_order": "bysource",
        "autodoc_typehints": "signature",
        "copybutton_exclude": ".linenos, .gp, .go",
        "suppress_warnings": ["config.cache"],
        "templates_path": [str(HERE / "templates")],
    }


def setup(app: Any) -> dict[str, Any]:
    """Connect what is added to a page, as an extension of Sphinx does."""
    app.add_search_language(Words)
    app.connect("html-page-context", describe)
    connect(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def describe(_app: Any, _page: str, _template: str, context: dict[str, Any], doctree: Any) -> None:
    """Give a page its description: its first words."""
    if doctree is not None:
        context["metatags"] += f'<meta name="description" content="{escape(description_of(doctree))}">\n'


def description_of(doctree: Any) -> str:
    """Return the first paragraphs of a page in plain text, cut at a word."""
    said = " ".join(" ".join(found.astext().split()) for found in list(doctree.findall(nodes.paragraph))[:2])
    return said if len(said) <= DESCRIPTION else said[: DESCRIPTION - 1].rpartition(" ")[0] + "…"


def finished(page: str) -> str:
    """Return a page's HTML with its content security policy, and with what scrolls in a keyboard's reach.

    Args:
        page: the HTML that Sphinx wrote.

    >>> print(finished('<head><meta charset="utf-8"><script>a()</script></head>')[:64])
    <head><meta charset="utf-8"><meta http-equiv="Content-Security-P
    """
    scripts = "".join(
        f" 'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"
        for script in dict.fromkeys(INLINE_SCRIPT.findall(page))
    )
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(scripts=scripts)}">'
    parameters = '<span class="sig-params">{}</span>'
    for theirs, ours in SAID_BETTER.items():
        named = ours.format(pages=text("site.label.pages"), contents=text("site.label.contents"))
        page = page.replace(theirs, named)
    page = PARAMETERS.sub(lambda found: DESCRIBED.sub(r"<\1span", parameters.format(found[1])), page)
    page = re.sub(r'<meta charset="utf-8" ?/?>', lambda found: found[0] + policy, page, count=1)
    return SCROLLS.sub(lambda found: reachable(found[0]), page)


def reachable(tag: str) -> str:
    """Return the beginning of a tag with a place in the order of the tabulator key."""
    name, blank, rest = tag.partition(" ")
    return f'{name} tabindex="0"{blank}{rest}'
