"""The built site in a real Chromium, below a path, with every other host out of reach."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from rmqref.bugs import BUGS
from rmqref.site.pictures import find_chromium
from rmqref.site.vendored import npm_packages
from tests.browser.lab import HOW_TO_GET_CHROMIUM, SCREENSHOTS
from tests.browser.lite import live_page
from tests.browser.site import BASE_URL, Site, running_site

WIDTHS = {"desktop": 1300, "phone": 360}
THEMES = ("light", "dark")
NOTEBOOKS = sorted(path.stem for path in (Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
ALL_SEEN = """async () => {
  for (const answer of document.querySelectorAll("article details")) answer.open = true;
  for (const piece of document.querySelectorAll("rmq-stepper, rmq-plot")) await piece.load();
}"""
RUN_AXE = """async () => {
  const found = await axe.run(document, { iframes: false });
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    chromium = find_chromium()
    if chromium is None and os.environ.get("RMQREF_REQUIRE_BROWSER") == "1":
        pytest.fail(HOW_TO_GET_CHROMIUM)
    if chromium is None:
        pytest.skip(HOW_TO_GET_CHROMIUM)
    with running_site(tmp_path_factory.mktemp("site"), chromium) as running:
        yield running


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    packages = npm_packages(tmp_path_factory.mktemp("npm"), dev=True)
    return (packages / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def stepper_of(visit: Any, name: str) -> Any:
    return visit.page.locator(f"rmq-stepper#{name} .rmq-stepper")


def position(visit: Any, name: str) -> str:
    return str(stepper_of(visit, name).locator(".rmq-count").inner_text())


def test_every_page_there_has_to_be_is_there(site: Site) -> None:
    fixed = [
        "index",
        "glossary",
        "cheat_sheet",
        "releases",
        "command_line",
        "honesty",
        "live",
        "search",
        "reference/index",
    ]
    expected = {f"{name}.html" for name in fixed} | {f"notebooks/{stem}.html" for stem in NOTEBOOKS}
    assert expected <= set(site.pages)


def test_no_link_and_no_anchor_leads_nowhere(site: Site) -> None:
    assert site.broken_links() == []


def test_every_page_has_a_title_a_description_and_its_address_of_its_own(site: Site) -> None:
    titles: dict[str, str] = {}
    for path in site.pages:
        page = (site.folder / path).read_text(encoding="utf-8")
        (title,) = re.findall(r"<title>(.*?)</title>", page[: page.index("<body")], re.DOTALL)
        assert title.strip() not in titles.values(), path
        titles[path] = title.strip()
        assert "Content-Security-Policy" in page, path
        if path not in {"genindex.html", "search.html"}:
            (description,) = re.findall(r'<meta name="description" content="([^"]+)"', page)
            assert 20 <= len(unescape(description)) <= 200, path
        if path != "search.html":  # whatever is searched for, it is one page
            assert f'<link rel="canonical" href="{BASE_URL}{path}"' in page, path


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_every_page_is_quiet_fits_and_can_be_read_by_everybody(
    site: Site, axe: str, theme: str, width: str
) -> None:
    found = {}
    for path in site.pages:
        with site.open(path, width=WIDTHS[width], theme=theme) as visit:
            visit.page.evaluate(ALL_SEEN)
            visit.page.evaluate(axe)  # not as a script: the page's policy forbids that
            complaints = [*visit.complaints, *visit.page.evaluate(RUN_AXE)]
            if visit.page.evaluate(SIDEWAYS) > 0:
                complaints.append("scrolls sideways")
            if complaints:
                found[path] = complaints
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            if path in {"index.html", "releases.html", f"notebooks/{NOTEBOOKS[5]}.html"}:
                name = f"site-{Path(path).stem}-{theme}-{width}.png"
                visit.page.screenshot(path=SCREENSHOTS / name, full_page=True)
    assert found == {}


def test_the_first_page_is_light_and_a_page_with_figures_too(site: Site) -> None:
    with site.open("index.html") as visit:
        stepper_of(visit, "stepper").wait_for()
        visit.page.wait_for_load_state("networkidle")
        assert site.weight(visit.loaded) <= 300_000
        assert not any("plotly" in name for name in visit.loaded)
    with site.open("notebooks/01_first_pick.html") as visit:
        visit.page.evaluate(ALL_SEEN)
        visit.page.wait_for_load_state("networkidle")
        assert any("plotly" in name for name in visit.loaded)
        assert site.weight(visit.loaded) <= 800_000


def test_a_figure_is_drawn_when_it_comes_into_view_and_follows_the_theme(site: Site) -> None:
    with site.open("notebooks/01_first_pick.html") as visit:
        visit.page.wait_for_load_state("networkidle")
        assert not any("plotly" in name or name.startswith("plots/") for name in visit.loaded)
        plot = visit.page.locator("rmq-plot#plot-3")
        plot.scroll_into_view_if_needed()
        plot.locator(".main-svg").first.wait_for()
        visit.page.locator("rmq-plot#plot-3[data-drawn]").wait_for()
        assert plot.locator("picture:visible").count() == 0
        ink = plot.locator(".gtitle").first.evaluate("(title) => getComputedStyle(title).fill")
        visit.page.evaluate("() => { document.body.dataset.theme = 'dark'; }")
        assert (
            plot.locator("picture").count() == 0
        )  # beside a figure in another theme its picture would be shown again
        visit.page.wait_for_function(
            "(ink) => getComputedStyle(document.querySelector('rmq-plot#plot-3 .gtitle')).fill !== ink",
            arg=ink,
        )
        assert visit.complaints == []


def test_a_link_opens_the_page_at_a_step(site: Site) -> None:
    with site.open("notebooks/00_where_to_start.html#step=17") as visit:
        stepper_of(visit, "stepper").wait_for()
        assert position(visit, "stepper") == "17 / 21"
        visit.page.wait_for_function("() => scrollY > 500")
        visit.page.evaluate("() => { location.hash = '#step=3'; }")
        visit.page.wait_for_function(
            "() => document.querySelector('#stepper .rmq-count').textContent === '3 / 21'"
        )


def test_a_link_goes_beyond_a_question(site: Site) -> None:
    with site.open("notebooks/01_first_pick.html#row.step=30") as visit:
        stepper_of(visit, "row").wait_for()
        assert position(visit, "row").startswith("30 / ")
        assert stepper_of(visit, "row").locator(".rmq-predict").get_attribute("aria-pressed") == "false"
        assert visit.complaints == []


def test_copy_link_makes_the_address_of_the_step(site: Site) -> None:
    options: Any = {"permissions": ["clipboard-read", "clipboard-write"]}
    with site.open("notebooks/01_first_pick.html#row.step=30", **options) as visit:
        row = stepper_of(visit, "row")
        row.press("ArrowRight")
        row.get_by_role("button", name="Copy link").click()
        copied = visit.page.evaluate("() => navigator.clipboard.readText()")
        assert copied == site.url + "notebooks/01_first_pick.html#row.step=31"


def test_a_stepper_is_walked_with_the_keyboard_alone(site: Site) -> None:
    with site.open("index.html") as visit:
        stepper_of(visit, "stepper").wait_for()
        for _ in range(60):
            visit.page.keyboard.press("Tab")
            if visit.page.evaluate("() => document.activeElement.className === 'rmq-stepper'"):
                break
        for _ in range(4):
            visit.page.keyboard.press("ArrowRight")
        assert position(visit, "stepper") == "4 / 21"
        visit.page.keyboard.press("End")
        assert "The pick is" in stepper_of(visit, "stepper").locator(".rmq-sentence").inner_text()
        visit.page.keyboard.press("Home")
        visit.page.keyboard.press("p")
        visit.page.keyboard.press("ArrowRight")  # asked: goes to the ring
        visit.page.keyboard.press("ArrowRight")
        visit.page.keyboard.press("Enter")
        assert "0 of 1" in stepper_of(visit, "stepper").locator(".rmq-score").inner_text()
        assert visit.complaints == []


def test_a_prediction_is_made_before_any_python(site: Site) -> None:
    with site.open("notebooks/00_where_to_start.html") as visit:
        visit.page.evaluate(ALL_SEEN)
        question = stepper_of(visit, "question")
        question.get_by_role("radio").nth(11).click()
        assert "1 of 1" in question.locator(".rmq-score").inner_text()


def test_without_javascript_text_and_pictures_stay(site: Site) -> None:
    for theme in THEMES:
        with site.open("notebooks/01_first_pick.html", theme=theme, java_script_enabled=False) as visit:
            page = visit.page
            assert "Which queue gets the first attempt" in page.locator("h1 + p").inner_text()
            still = page.locator("rmq-stepper#stepper .rmq-stepper")
            assert still.locator(".rmq-code").is_visible()
            assert still.locator("svg").first.is_visible()
            assert not still.locator("footer").is_visible()
            pictures = page.locator("rmq-plot#plot-3 img:visible")
            assert pictures.count() == 1
            pictures.first.scroll_into_view_if_needed()
            assert f".{theme}." in str(pictures.first.get_attribute("src"))
            page.locator("details").first.locator("summary").click()
            assert page.locator("details").first.locator("pre").is_visible()
            assert visit.complaints == []


def test_the_policy_holds(site: Site) -> None:
    with site.open("index.html") as visit:
        tried = """async (address) => {
          const told = new Promise((resolve) => addEventListener("securitypolicyviolation", (e) => resolve(e.effectiveDirective)));
          const answer = await fetch(address).then(() => "fetched", () => "refused");
          return [answer, await told];
        }"""
        for address in ("https://example.org/", "http://127.0.0.1:9/"):
            assert visit.page.evaluate(tried, address) == ["refused", "connect-src"]
        script = """() => new Promise((resolve) => {
          const script = document.createElement("script");
          script.textContent = "window.intruded = 1";
          addEventListener("securitypolicyviolation", (e) => resolve([e.effectiveDirective, window.intruded ?? 0]));
          document.head.append(script);
        })"""
        assert visit.page.evaluate(script) == ["script-src-elem", 0]


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("pick_one_at_least", "rmqref.faults.pick_one_at_least_ranked"),
        ("5.1.4", "The release table"),
        ("not available in 5.1", "The fault table"),
    ],
)
def test_search_finds_a_term_and_a_release(site: Site, query: str, finds: str) -> None:
    with site.open(f"search.html?q={query}") as visit:
        visit.page.locator("#search-results li a", has_text=finds).first.wait_for()
        assert visit.complaints == []


def test_a_code_cell_is_copied(site: Site) -> None:
    options: Any = {"permissions": ["clipboard-read", "clipboard-write"]}
    with site.open("notebooks/01_first_pick.html", **options) as visit:
        visit.page.locator(".cell_input .highlight").nth(1).hover()
        visit.page.locator(".cell_input button.copybtn").nth(1).click()
        visit.page.wait_for_function(
            "() => navigator.clipboard.readText().then((text) => text.includes('sample_dump'))"
        )


def test_pages_follow_each_other(site: Site) -> None:
    with site.open("index.html") as visit:
        for stem in NOTEBOOKS:
            visit.page.locator(".related-pages a.next-page").click()
            visit.page.wait_for_url(f"**/notebooks/{stem}.html")
        visit.page.locator(".related-pages a.prev-page").click()
        visit.page.wait_for_url(f"**/notebooks/{NOTEBOOKS[-2]}.html")


def test_on_paper_there_is_nothing_to_press(site: Site) -> None:
    with site.open("notebooks/00_where_to_start.html") as visit:
        visit.page.evaluate(ALL_SEEN)
        visit.page.emulate_media(media="print")
        for selector in (".rmq-live", ".rmq-stepper footer", ".sidebar-drawer", ".copybtn"):
            assert visit.page.locator(selector).first.is_hidden(), selector
        assert stepper_of(visit, "stepper").locator(".rmq-code").is_visible()


def test_the_cheat_sheet_is_one_page_of_paper(site: Site) -> None:
    with site.open("cheat_sheet.html") as visit:
        assert visit.page.locator("section#bugs li").count() == len(BUGS)
        paper = visit.page.pdf(format="A4", prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1


def test_the_theme_is_switched_and_stays(site: Site) -> None:
    with site.open("index.html") as visit:
        ground = "() => getComputedStyle(document.querySelector('.rmq-frame')).backgroundColor"
        stepper_of(visit, "stepper").wait_for()
        light = visit.page.evaluate(ground)
        while visit.page.evaluate("() => document.body.dataset.theme") != "dark":
            visit.page.locator(".theme-toggle:visible").first.click()
        dark = visit.page.evaluate(ground)
        assert light != dark
        visit.page.goto(site.url + "glossary.html")
        assert visit.page.evaluate("() => document.body.dataset.theme") == "dark"


def test_a_notebook_runs_live_and_a_control_changes_what_is_shown(site: Site) -> None:
    with live_page(site.browser, site.url) as live:
        live.page.goto(f"{site.url}notebooks/01_first_pick.html")
        live.page.locator(".rmq-live a").click()
        live.page.get_by_role("progressbar").wait_for()
        live.wait_until_ran()
        live.change_a_control()
        live.see_a_figure()
        assert live.noise() == []


def test_two_steppers_go_together_without_python(site: Site) -> None:
    with site.open("notebooks/07_releases_side_by_side.html") as visit:
        visit.page.evaluate("() => document.querySelector('rmq-pair').load()")
        one, other = (stepper_of(visit, f"both-{number}") for number in range(2))
        one.press("End")
        assert position(visit, "both-0").split(" / ")[0] == position(visit, "both-0").split(" / ")[1]
        assert position(visit, "both-1").split(" / ")[0] == position(visit, "both-1").split(" / ")[1]
        other.press("Home")
        assert position(visit, "both-0").startswith("0 / ")
        assert visit.complaints == []


def test_a_quiz_is_taken_without_python(site: Site) -> None:
    with site.open("notebooks/11_quiz.html") as visit:
        visit.page.evaluate("() => document.querySelector('rmq-quiz#ten').load()")
        quiz = visit.page.locator("rmq-quiz#ten .rmq-quiz")
        for _ in range(10):
            quiz.press("1")
            quiz.get_by_role("status").locator("li").first.wait_for()
            quiz.press("Enter")
        missed = quiz.locator(".rmq-quiz-missed > li")
        assert missed.count() > 0
        missed.first.get_by_role("button", name="Show the run").click()
        visit.page.locator("rmq-quiz#ten .rmq-stepper").wait_for()
        quiz.get_by_role("button", name="Once more").click()
        assert "Question 1 of 10" in quiz.inner_text()
        assert visit.complaints == []
    with site.open("notebooks/11_quiz.html", java_script_enabled=False) as visit:
        first = visit.page.locator("rmq-quiz#ten > ol > li").first
        first.locator("summary").click()
        assert first.locator("details b").is_visible()
