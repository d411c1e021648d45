"""The command line, as a person or a script calls it."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from rmqref.cli import Bar, main

VECTORS = Path(__file__).parent / "vectors"


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "rmqref", *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_conform_covers_all_and_counts_on_its_last_line():
    status, out, err = run("conform", str(VECTORS))
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "6340 passed, 0 failed"
    assert "not covered" not in out


def test_conform_replays_only_the_kinds_that_are_asked_for():
    status, out, _ = run("conform", "--kinds", "send_loop", str(VECTORS))
    assert status == 0
    assert out.splitlines()[-1] == "780 passed, 0 failed"


def test_conform_takes_plain_files_and_shows_ten_failures_in_full(tmp_path, capsys):
    folder = tmp_path / "4.9.7"
    folder.mkdir()
    cases = json.loads(gzip.decompress((VECTORS / "4.9.7" / "first_pick.json.gz").read_bytes()))
    for case in cases[:12]:
        case["expected"]["index_after"] = 77
    (folder / "first_pick.json").write_text(json.dumps(cases))
    assert main(["conform", str(folder / "first_pick.json")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("FAILED 4.9.7 first_pick ") for line in lines) == 10
    assert sum(line.startswith("  expected: ") and '"index_after": 77' in line for line in lines) == 10
    assert sum(line.startswith(("  input: ", "  got: ")) for line in lines) == 20
    assert "2 more failures" in lines[-2]
    assert lines[-1] == f"{len(cases) - 12} passed, 12 failed"


def test_conform_reports_as_json(capsys):
    assert main(["conform", "--json", str(VECTORS / "4.8.0" / "index.json.gz")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["failed"] == 0
    assert report["by_kind"] == [{"release": "4.8.0", "kind": "index", "passed": report["passed"]}]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["conform", "no/such/folder"], 'There is no file or folder "no/such/folder"'),
        (["conform", "--kinds", "indx", str(VECTORS)], 'There is no kind of vectors called "indx"'),
        (["releases", "4.5.0"], "the nearest are 4.5.1"),
        (["releases", "--columns", "colour"], 'no column "colour"'),
        (["bugs", "9"], "There is no released Java client"),
    ],
)
def test_a_wrong_call_ends_in_one_sentence(arguments, says, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("4.9.7/index.json", b"[{", "cannot be read"),
        ("4.9.7/index.json", b'{"id": 1}', "not an array of cases"),
        ("4.9.7/index.json", b'[{"id": "a"}]', "not an array of cases"),
        ("4.9.7/index.json.gz", b"plain", "cannot be read"),
        ("4.9.7/index.json.gz", gzip.compress(b"[]" * 99, mtime=0)[:20] + b"xxxxxxxxxx", "cannot be read"),
        ("4.9.7/index.json", b"[" * 100_000, "cannot be read"),
        ("4.9.7/index.json", b"\xff\xfe", "cannot be read"),
        ("nowhere/index.json", b"[]", "lies in no folder named by a release"),
    ],
)
def test_a_vector_file_that_is_none_is_an_error(name, content, says, tmp_path, capsys):
    file = tmp_path / name
    file.parent.mkdir()
    file.write_bytes(content)
    assert main(["conform", str(file)]) == 2
    assert says in capsys.readouterr().err


def test_a_kind_of_vectors_that_nobody_knows_is_not_covered(tmp_path, capsys):
    (tmp_path / "4.9.7").mkdir()
    (tmp_path / "4.9.7" / "telepathy.json").write_text('[{"id": "a", "input": {}, "expected": {}}]')
    assert main(["conform", str(tmp_path)]) == 3
    assert "telepathy" in capsys.readouterr().out


def test_the_release_table_has_a_line_for_each_family(capsys):
    assert main(["releases"]) == 0
    out = capsys.readouterr().out
    for family in ("4.7.1", "4.8.0", "4.9.3", "4.9.7", "4.9.8", "5.1.0", "5.1.3", "5.1.4", "5.3.3"):
        assert f"\n{family} " in out


def test_bugs_are_listed_by_release(capsys):
    assert main(["bugs", "4.8.0"]) == 0
    out = capsys.readouterr().out
    assert "counter_sticks (4.8.0): " in out
    assert "negative_queue_ids (4.8.0 .. 4.9.3, 5.0.0-PREVIEW .. 5.0.0-ALPHA): " in out
    assert "unreachable_for_ever" not in out


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(command in out for command in ("conform", "releases", "bugs"))


@pytest.mark.parametrize(("arguments", "status"), [(["releases"], 0), (["conform", str(VECTORS)], 0)])
def test_a_reader_that_stops_reading_changes_no_exit_status(arguments, status):
    command = f"{sys.executable} -m rmqref {' '.join(arguments)} | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_result_that_cannot_be_written_is_an_error_of_one_sentence():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rmqref", "releases"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("The result could not be written")
    assert len(done.stderr.splitlines()) == 1


@pytest.fixture
def index_file():
    return gzip.decompress((VECTORS / "4.9.7" / "index.json.gz").read_bytes())


def test_no_vectors_are_passed_over_in_silence(tmp_path, index_file, capsys):
    for name in ("4.9.7", "4.9.8-kept"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.json").write_bytes(index_file)
    assert main(["conform", str(tmp_path)]) == 2
    assert "4.9.8-kept" in capsys.readouterr().err
    assert main(["conform", str(tmp_path / "4.9.7"), "--kinds", "route"]) == 2
    out, err = capsys.readouterr()
    assert out == "0 passed, 0 failed\n"
    assert err.startswith("Nothing was replayed")


def test_links_are_followed_and_a_file_counts_once(tmp_path, index_file, capsys):
    real = tmp_path / "store"
    real.mkdir()
    (real / "index.JSON").write_bytes(index_file)
    folder = tmp_path / "vectors"
    folder.mkdir()
    (folder / "rocketmq-all-4.9.7").symlink_to(real)
    (folder / "rocketmq-all-4.9.7" / "loop").symlink_to(real)
    assert main(["conform", str(folder), f"{folder}/../vectors"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"{len(json.loads(index_file))} passed, 0 failed"


def test_other_json_beside_the_release_folders_is_left_alone(tmp_path, index_file, capsys):
    folder = tmp_path / "rocketmq-5.3.3" / "vectors"
    (folder / "4.9.7").mkdir(parents=True)
    (folder / "4.9.7" / "index.json").write_bytes(index_file)
    (folder / "eras.json").write_text("{}")
    assert main(["conform", str(folder)]) == 0
    assert "4.9.7" in capsys.readouterr().out


def test_json_is_json_whatever_the_terminal_can_show(tmp_path):
    (tmp_path / "4.9.7").mkdir()
    case = {"id": "é", "input": {}, "expected": {"é": 1}}
    (tmp_path / "4.9.7" / "index.json").write_text(json.dumps([case]))
    done = subprocess.run(
        [sys.executable, "-m", "rmqref", "conform", "--json", str(tmp_path)],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert json.loads(done.stdout)["failures"][0]["id"] == "é"


def test_a_case_that_would_run_for_ever_is_a_failing_one(tmp_path, capsys):
    (tmp_path / "4.9.7").mkdir()
    case = {"id": "a", "input": {"queues": [["a", 0]], "start": 0, "calls": 10**9}, "expected": {}}
    (tmp_path / "4.9.7" / "first_pick.json").write_text(json.dumps([case]))
    assert main(["conform", str(tmp_path)]) == 1
    assert "1000000000 calls" in capsys.readouterr().out


def test_simulate_says_what_became_of_the_sends_and_where_the_messages_are(capsys):
    assert main(["simulate", "broker_hangs"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == [
        "broker-b hangs (4.9.7, seed 0)",
        "MQClientException: 1 of 1",
        "attempts: 3, of which 3 failed",
        "stored again, beyond the first copy: 1",
        "reported as failed, but stored: 1",
    ]
    assert "broker-c : 0  1  50.0 %" in lines


def test_simulate_takes_a_file_and_another_release(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text('[[broker]]\nname = "a"\nqueues = 1\n')
    assert main(["simulate", str(file), "--release", "5.3.3", "--seed", "7"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["scenario (5.3.3, seed 7)", "SEND_OK: 1 of 1"]


def test_simulate_shows_one_send_attempt_by_attempt(capsys):
    assert main(["simulate", "broker_hangs", "--send", "1", "--release", "4.2.0"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "send 1 at 0 ms: SEND_OK broker-c : 0",
        "attempt 1: broker-b : 0, given 3000 ms, at 0 ms: RemotingTimeoutException after 3000 ms",
        "attempt 2: broker-c : 0, given 3000 ms, at 3000 ms: SEND_OK after 5 ms",
        "stored: 1",
    ]


def test_simulate_as_json_is_the_same_every_time(capsys):
    texts = []
    for _ in range(2):
        assert main(["simulate", "slow_for_a_while", "--json"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert len(json.loads(texts[0])["sends"]) == 600


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nowhere.toml", "The scenario nowhere.toml cannot be read"),
        ("release =", "The scenario is not TOML"),
        ("sends = 3", "The scenario has no value sends: it has title, release"),
        ('[[broker]]\nname = "a"\n[[broker]]\nname = "a"', "There are two brokers named a"),
        ('[[fault]]\nbroker = "broker-a"\ndoes = "explode"', "A fault does 'explode': it can be one of"),
        ('[[fault]]\nbroker = "z"\ndoes = "hang"', "A fault is of the broker 'z', which there is not"),
        ('release = "4.5.0"', 'There is no released Java client "4.5.0"'),
        ('[load]\nmode = "LATER"', "The load's mode is 'LATER'"),
        ("[producer]\ncolour = 3", "The producer has no value colour"),
    ],
)
def test_a_scenario_that_cannot_be_is_one_sentence_and_exit_status_2(given, words, tmp_path, capsys):
    path = given
    if "=" in given:
        file = tmp_path / "scenario.toml"
        file.write_text(given)
        path = str(file)
    assert main(["simulate", path]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(words)
    assert captured.err.count("\n") == 1


def test_a_send_that_the_run_has_not_is_an_error(capsys):
    assert main(["simulate", "broker_hangs", "--send", "2"]) == 2
    assert "numbered from 1 to 1" in capsys.readouterr().err


def test_how_far_a_long_run_is_appears_after_two_seconds_and_only_on_a_terminal(monkeypatch, capsys):
    times = iter([100.0, 101.9, 102.1, 102.2])
    monkeypatch.setattr("rmqref.cli.time.monotonic", lambda: next(times))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    bar = Bar()
    bar(1000, 3000)
    bar(2000, 3000)
    bar(3000, 3000)
    assert capsys.readouterr().err == "\r2,000 of 3,000 sends\r3,000 of 3,000 sends\n"
