"""The sliders of a forecast: what they show is the forecast of what they say, in whatever order they are moved."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rmqref.cluster import BrokerFault
from rmqref.controls import PASTE
from rmqref.forecast import KNOWN_FAULTS, Facts, forecast
from rmqref.forecast_controls import ForecastControls, figures_of
from rmqref.forecast_plots import forecast_share
from rmqref.releases import VERSIONS
from rmqref.samples import SAMPLES, sample_dump
from rmqref.site.showing import PLOT, shown_forecast


def drawn(figures):
    return [
        [
            {name: value for name, value in trace.to_plotly_json().items() if name != "uid"}
            for trace in figure.data
        ]
        for figure in figures
    ]


def changes():
    return st.one_of(
        st.tuples(st.just("release"), st.sampled_from(VERSIONS)),
        st.tuples(st.just("route"), st.sampled_from(["", *SAMPLES])),
        st.tuples(st.just("fault_switch"), st.booleans()),
        st.tuples(st.just("threads"), st.integers(1, 20)),
        st.tuples(st.just("rate"), st.integers(1, 50)),
        st.tuples(st.just("seconds"), st.integers(1, 100)),
        st.tuples(st.just("does"), st.sampled_from(["", *KNOWN_FAULTS])),
        st.tuples(st.just("latency"), st.integers(0, 5000)),
        st.tuples(st.just("span"), st.tuples(st.integers(0, 50), st.integers(51, 100))),
    )


@settings(max_examples=25, deadline=None)
@given(st.lists(changes(), max_size=6))
def test_the_figures_are_those_of_what_the_controls_say(moves):
    controls = ForecastControls()
    for name, value in moves:
        getattr(controls, name).value = value
    if not controls.error.value:
        assert controls.found.facts == controls.facts
        assert drawn(controls.figures) == drawn(figures_of(forecast(controls.facts)))


def test_the_site_shows_the_figure_of_the_shares():
    controls = ForecastControls()
    controls.does.value = "refuse"
    shown = shown_forecast(controls)
    assert shown[PLOT]["layout"]["title"]["text"] == forecast_share(controls.found).layout.title.text
    assert shown["text/plain"] == repr(controls)


def test_the_given_facts_are_where_it_begins():
    fault = BrokerFault("slow", "broker-b", at=10_000, until=20_000, latency=700)
    facts = Facts("5.3.3", fault_switch=True, threads=3, rate=7, duration=30_000, faults=(fault,), start=5)
    assert ForecastControls(facts).facts == facts


def test_a_pasted_route_brings_its_brokers_and_a_wrong_one_its_sentence():
    controls = ForecastControls()
    controls.does.value = "refuse"
    controls.broker.value = "broker-c"
    controls.route.value = PASTE
    assert "alert" in controls.error.value
    controls.route_text.value = sample_dump("UnevenTopic")
    assert controls.error.value == ""
    assert (controls.broker.options, controls.broker.value) == (("broker-a", "broker-b"), "broker-a")
    assert "broker-b : 1" in controls.table.value
    controls.route_text.value = "{"
    assert "alert" in controls.error.value


def test_a_span_of_nothing_is_said_and_a_shorter_time_keeps_the_trouble_within():
    controls = ForecastControls(
        Facts(start=0, faults=(BrokerFault("hang", "broker-a", at=20_000, until=40_000),))
    )
    controls.span.value = (30, 30)
    assert "later than it begins" in controls.error.value
    controls.span.value = (20, 40)
    controls.seconds.value = 6
    assert controls.span.value == (2, 4)
    assert controls.error.value == ""
