"""Java's arithmetic, against values that a JDK gave and against plain definitions."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmqref.errors import ArithmeticException, IllegalArgumentException, NumberFormatException
from rmqref.java import (
    INT_MAX,
    INT_MIN,
    ConcurrentHashMap,
    JavaLong,
    JavaRandom,
    element,
    hash_code,
    java_abs,
    parse_int,
    remainder,
    string_hash_code,
    to_int,
)

INTS = st.integers(INT_MIN, INT_MAX)
RUNS = json.loads((Path(__file__).parent / "data" / "concurrent_hash_map.json").read_text())


@pytest.mark.parametrize("run", RUNS, ids=range(len(RUNS)))
def test_a_map_iterates_in_the_order_of_the_jdk(run):
    table: ConcurrentHashMap[str, int] = ConcurrentHashMap()
    for op in run["ops"]:
        if op[0] == "+":
            table[op[1:]] = 1
        else:
            del table[op[1:]]
    assert list(table) == run["keys"]
    assert len(table) == len(run["keys"])


def test_the_recorded_maps_reach_every_way_of_growing():
    sizes = [len(run["keys"]) for run in RUNS]
    assert min(sizes) < 24 <= max(sizes)
    assert any(len(set(map(string_hash_code, run["keys"]))) < len(run["keys"]) for run in RUNS)


@given(st.integers(-(2**70), 2**70))
def test_an_int_keeps_the_lower_32_bits(value):
    assert INT_MIN <= to_int(value) <= INT_MAX
    assert (to_int(value) - value) % 2**32 == 0


@given(INTS, INTS.filter(bool))
def test_division_and_remainder_make_the_dividend_again(dividend, divisor):
    rest = remainder(dividend, divisor)
    assert (dividend - rest) % divisor == 0
    assert abs(rest) < abs(divisor)
    assert rest == 0 or (rest > 0) == (dividend > 0)


def test_the_smallest_int_has_no_absolute_value():
    assert java_abs(INT_MIN) == INT_MIN
    assert java_abs(INT_MIN + 1) == INT_MAX
    with pytest.raises(ArithmeticException):
        remainder(1, 0)


@given(st.text(max_size=40))
def test_a_hash_is_the_polynomial_over_utf16_units(value):
    data = value.encode("utf-16-be", "surrogatepass")
    units = [256 * high + low for high, low in zip(data[::2], data[1::2], strict=True)]
    assert string_hash_code(value) == to_int(sum(unit * 31**n for n, unit in enumerate(reversed(units))))


@pytest.mark.parametrize(
    ("value", "hashed"),
    [
        (0.0, 0),
        (-0.0, INT_MIN),
        (0.1, -1507852285),
        (float("nan"), 2146959360),
        (JavaLong(2**63 - 1), INT_MIN),
        (JavaLong(-(2**63)), INT_MIN),
        (JavaLong(-1), 0),
        (-1, -1),
        (2**31, INT_MIN),
        (True, 1231),
        (False, 1237),
        ("polygenelubricants", INT_MIN),
        ("😀", 1772899),
    ],
)
def test_hashes_of_each_kind_of_argument(value, hashed):
    assert hash_code(value) == hashed


def test_a_kind_of_argument_that_has_no_hash_here_is_refused():
    with pytest.raises(TypeError):
        hash_code([1])


@given(st.integers(-(2**63), 2**63 - 1), st.integers(1, INT_MAX))
def test_a_bounded_draw_stays_below_its_bound(seed, bound):
    assert 0 <= JavaRandom(seed).next_int(bound) < bound


def test_draws_are_those_of_java_util_random():
    chance = JavaRandom(0)
    assert [chance.next_int() for _ in range(3)] == [-1155484576, -723955400, 1033096058]
    with pytest.raises(IllegalArgumentException, match="0"):
        chance.next_int(0)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "+",
        "-",
        " 1",
        "1 ",
        "1_0",
        "0x1",
        "2147483648",
        "-2147483649",
        "1.0",
        "--1",
        "9" * 5000,
        "\U0001d7da",
    ],
)
def test_what_java_does_not_read_as_an_int(given):
    with pytest.raises(NumberFormatException):
        parse_int(given)


def test_what_java_does_read_as_an_int():
    assert [parse_int(given) for given in ("0", "-0", "+7", "007", "-2147483648", "٣")] == [
        0,
        0,
        7,
        7,
        INT_MIN,
        3,
    ]


def test_a_list_has_no_negative_positions():
    assert element(["a"], 0) == "a"
