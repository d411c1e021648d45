"""The scenarios that come with the package, and the one in the README: each runs, and shows what its title says."""

import re
from pathlib import Path

import pytest

from rmqref.scenario import FOLDER, SAMPLES, read_scenario, sample_scenario
from rmqref.simulation import simulate

README = Path(__file__).parents[1] / "README.md"


def test_every_file_is_a_sample_and_every_sample_a_file():
    assert sorted(SAMPLES) == sorted(file.stem for file in FOLDER.glob("*.toml"))


@pytest.mark.parametrize(
    ("name", "outcomes", "duplicates"),
    [
        ("all_is_well", {"SEND_OK": 12}, 0),
        ("broker_hangs", {"MQClientException": 1}, 1),
        ("broker_refuses", {"SEND_OK": 12}, 0),
        ("broker_busy", {"SEND_OK": 8, "MQBrokerException": 4}, 0),
        ("slave_gone", {"SLAVE_NOT_AVAILABLE": 1}, 0),
        ("slow_answers", {"MQClientException": 1}, 2),
        ("slow_for_a_while", {"SEND_OK": 600}, 0),
        ("broker_lost", {"SEND_OK": 182, "MQClientException": 18}, 18),
        ("new_topic", {"SEND_OK": 1}, 0),
        ("ordered_keys", {"SEND_OK": 240}, 0),
    ],
)
def test_a_sample_comes_to_what_its_title_says(name, outcomes, duplicates):
    run = simulate(sample_scenario(name))
    assert (dict(run.outcomes), run.duplicates) == (outcomes, duplicates)


def test_the_scenario_of_the_readme_runs():
    (text,) = re.findall(r"```toml\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert simulate(read_scenario(text)).outcomes.total() == 600
