"""The Java arithmetic that shows through in the producer's choice.

Java's `int` has 32 bits and wraps; `Math.abs` leaves the smallest int negative; `%` takes the sign of its left side;
`String.hashCode` and `java.util.Random` are fixed by Java's specification; a `ConcurrentHashMap` hands out its
elements by bin. Each is here once, so that the algorithm can be read without them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, MutableMapping, Sequence
from typing import Protocol, TypeVar

from rmqref.errors import (
    ArithmeticException,
    IllegalArgumentException,
    IndexOutOfBoundsException,
    NullPointerException,
    NumberFormatException,
)

T = TypeVar("T")

INT_MAX = 2**31 - 1
INT_MIN = -(2**31)
_INT_BITS = 2**32 - 1


class Random(Protocol):
    """A source of chance with the two methods of `java.util.Random` that the client uses."""

    def next_int(self, bound: int | None = None) -> int:
        """Return any int, or one in `0 .. bound - 1`."""


class Clock(Protocol):
    """A source of time: called without arguments, it returns milliseconds since 1970."""

    def __call__(self) -> int:
        """Return the time now in milliseconds."""


class ManualClock:
    """A clock that stands until it is moved.

    Args:
        now: milliseconds since 1970.

    >>> clock = ManualClock(1000)
    >>> clock.advance(500)
    >>> clock()
    1500
    """

    def __init__(self, now: int = 0) -> None:
        self.now = now

    def __call__(self) -> int:
        """Return the time now in milliseconds."""
        return self.now

    def advance(self, milliseconds: int) -> None:
        """Move the time on."""
        self.now += milliseconds


def to_int(value: int) -> int:
    """Return a whole number as Java's `int` would hold it: the lower 32 bits, with sign.

    Args:
        value: any whole number.

    Returns:
        A number in `INT_MIN .. INT_MAX`.

    Java: a narrowing conversion or an overflowing `int` sum, all releases.

    >>> to_int(INT_MAX + 1) == INT_MIN, to_int(-1), to_int(7)
    (True, -1, 7)
    """
    return ((value + 2**31) & _INT_BITS) - 2**31


def java_abs(value: int) -> int:
    """Return `Math.abs` of an int: the smallest int stays negative, because +2**31 has no int.

    Args:
        value: an int of 32 bits.

    Returns:
        The absolute value, or `INT_MIN` for `INT_MIN`.

    Java: Math#abs(int), all releases.

    >>> java_abs(-5), java_abs(INT_MIN)
    (5, -2147483648)
    """
    return value if value >= 0 or value == INT_MIN else -value


def remainder(dividend: int, divisor: int) -> int:
    """Return Java's `dividend % divisor`, whose sign is the dividend's (Python's is the divisor's).

    Args:
        dividend: an int.
        divisor: an int, usually the size of a list.

    Returns:
        The remainder; negative or zero for a negative dividend.

    Raises:
        ArithmeticException: the divisor is 0.

    Java: the `%` operator (JLS 15.17.3), all releases.

    >>> remainder(5, 8), remainder(-5, 8), -5 % 8
    (5, -5, 3)
    """
    if divisor == 0:
        raise ArithmeticException
    if dividend >= 0 < divisor:
        return dividend % divisor
    rest = abs(dividend) % abs(divisor)
    return rest if dividend >= 0 else -rest


def element(items: Sequence[T], position: int) -> T:
    """Return a list's element as `List.get` does: a negative position is an error, not the end of the list.

    Args:
        items: the list.
        position: where, from 0.

    Returns:
        The element itself.

    Raises:
        IndexOutOfBoundsException: the list has no such position.

    Java: ArrayList#get, all releases.

    >>> element("abc", 1)
    'b'
    >>> element("abc", -1)
    Traceback (most recent call last):
    rmqref.errors.IndexOutOfBoundsException: Java throws IndexOutOfBoundsException: position -1 of a list of 3.
    """
    if 0 <= position < len(items):
        return items[position]
    raise IndexOutOfBoundsException(position, len(items))


def parse_int(given: str) -> int:
    """Return the int that `Integer.parseInt` reads: an optional sign and digits, nothing else.

    Args:
        given: the text.

    Returns:
        A number in `INT_MIN .. INT_MAX`.

    Raises:
        NumberFormatException: blanks, other characters, no digits, or out of range.

    Java: Integer#parseInt, all releases.

    >>> parse_int("+4"), parse_int("-1")
    (4, -1)
    >>> parse_int(" 2")
    Traceback (most recent call last):
    rmqref.errors.NumberFormatException: Java throws NumberFormatException: " 2" is not an int.
    """
    digits = given[1:] if given[:1] in ("+", "-") else given
    # Java looks at single UTF-16 units, so digits beyond U+FFFF are none; no int has more than ten digits.
    if not digits.isdecimal() or max(digits) > "\uffff" or len(digits.lstrip("0")) > 10:
        raise NumberFormatException(given)
    if not INT_MIN <= int(given) <= INT_MAX:
        raise NumberFormatException(given)
    return int(given)


class JavaLong(int):
    """A whole number that Java holds as a `Long`; its hash folds the upper half in.

    >>> hash_code(JavaLong(-1)), hash_code(-1)
    (0, -1)
    """


def string_hash_code(value: str) -> int:
    """Return `String.hashCode`: 31 times the hash so far plus each UTF-16 unit, in 32 bits.

    Args:
        value: any text.

    Returns:
        An int, often negative.

    Java: String#hashCode, all releases.

    >>> string_hash_code("order-1001"), string_hash_code("polygenelubricants")
    (708180863, -2147483648)
    """
    total = 0
    for unit in utf16_units(value):
        total = (31 * total + unit) & _INT_BITS
    return to_int(total)


def utf16_units(value: str) -> tuple[int, ...]:
    """Return a text's UTF-16 units, the order in which Java compares and hashes strings.

    Args:
        value: any text; a character beyond U+FFFF gives two units.

    Returns:
        The units, each 0 .. 65535.

    Java: String#compareTo and String#charAt, all releases.

    >>> utf16_units("a"), [hex(unit) for unit in utf16_units("😀")]
    ((97,), ['0xd83d', '0xde00'])
    """
    encoded = value.encode("utf-16-le", "surrogatepass")
    return struct.unpack(f"<{len(encoded) // 2}H", encoded)


def hash_code(value: object) -> int:
    """Return the `hashCode` of a selector's argument.

    Args:
        value: text, a bool, a float (Java's double), a `JavaLong`, or a whole number: an Integer if it fits in
            32 bits, else a Long.

    Returns:
        An int.

    Raises:
        NullPointerException: the value is None.
        TypeError: a value of another kind; Java would use that class's own `hashCode`.

    Java: String, Integer, Long, Boolean and Double #hashCode, all releases.

    >>> hash_code("ABC"), hash_code(42), hash_code(2**40), hash_code(True), hash_code(0.5)
    (64578, 42, 256, 1231, 1071644672)
    """
    match value:
        case None:
            raise NullPointerException("arg")
        case str():
            return string_hash_code(value)
        case bool():
            return 1231 if value else 1237
        case float():
            (bits,) = struct.unpack(">q", struct.pack(">d", math.nan if math.isnan(value) else value))
            return to_int(bits ^ ((bits & (2**64 - 1)) >> 32))
        case int() if not isinstance(value, JavaLong) and INT_MIN <= value <= INT_MAX:
            return int(value)
        case int():
            return to_int(value ^ ((value & (2**64 - 1)) >> 32))
    raise TypeError(type(value).__name__)


class JavaRandom:
    """`java.util.Random`: a 48-bit linear congruential generator that repeats exactly for a seed.

    Args:
        seed: any whole number.

    Java: java.util.Random, all releases.

    >>> chance = JavaRandom(42)
    >>> chance.next_int(), chance.next_int(10)
    (-1170105035, 3)
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ 0x5DEECE66D) & (2**48 - 1)

    def _next(self, bits: int) -> int:
        self._state = (self._state * 0x5DEECE66D + 0xB) & (2**48 - 1)
        return to_int(self._state >> (48 - bits))

    def next_int(self, bound: int | None = None) -> int:
        """Return the next int, or the next one in `0 .. bound - 1`.

        Args:
            bound: more than 0; None for any int.

        Returns:
            An int.

        Raises:
            IllegalArgumentException: the bound is 0 or negative.

        Java: Random#nextInt() and Random#nextInt(int), all releases.

        >>> [JavaRandom(0).next_int(bound) for bound in (2, 8, 10)]
        [1, 5, 0]
        """
        if bound is None:
            return self._next(32)
        if bound <= 0:
            raise IllegalArgumentException(bound)
        bits = self._next(31)
        if bound & (bound - 1) == 0:
            return (bound * bits) >> 31
        while bits - bits % bound + bound - 1 > INT_MAX:
            bits = self._next(31)
        return bits % bound

    def next_long(self) -> int:
        """Return the next long: two ints, one above the other.

        Java: Random#nextLong(), all releases.

        >>> JavaRandom(42).next_long()
        -5025562857975149833
        """
        value = (self._next(32) << 32) + self._next(32) & 2**64 - 1
        return value - 2**64 if value >= 2**63 else value


class ScriptedRandom:
    """A source of chance that hands out given values in order, whatever it is asked for.

    Args:
        values: what the draws return, first to last.

    Raises:
        IndexOutOfBoundsException: from `next_int`, when more is drawn than was given.

    >>> ScriptedRandom([7, 8]).next_int()
    7
    """

    def __init__(self, values: Sequence[int]) -> None:
        self._values = list(values)
        self._drawn = 0

    def next_int(self, bound: int | None = None) -> int:
        """Return the next scripted value; the bound is not looked at."""
        value = element(self._values, self._drawn)
        self._drawn += 1
        return value


def shuffle(items: list[T], random: Random) -> None:
    """Shuffle a list in place as `Collections.shuffle` does: from the end, each with one at or before it.

    Args:
        items: the list to change.
        random: the source of chance; drawn once for each element but the first.

    Java: Collections#shuffle(List, Random), all releases.

    >>> items = list("abcd")
    >>> shuffle(items, JavaRandom(1))
    >>> items
    ['d', 'a', 'b', 'c']
    """
    for size in range(len(items), 1, -1):
        other = random.next_int(size)
        items[size - 1], items[other] = items[other], items[size - 1]


K = TypeVar("K", bound=str)
V = TypeVar("V")


class ConcurrentHashMap(MutableMapping[K, V]):
    """A map with text keys that iterates in the order of Java's `ConcurrentHashMap(16)`.

    Keys lie in bins by their hash; the map is walked bin by bin, in a bin by arrival. It starts with 32 bins and
    doubles them when three quarters as many keys are in it, and three times when nine keys share one of 32 bins. Not
    modelled: the tree that Java makes of nine keys of one bin in a map of 64 bins or more.

    Java: java.util.concurrent.ConcurrentHashMap of JDK 8 and later, all releases.

    >>> table = ConcurrentHashMap({"broker-a": 1, "broker-b": 2, "AaBB": 3, "BBAa": 4})
    >>> list(table)
    ['broker-b', 'broker-a', 'AaBB', 'BBAa']
    """

    def __init__(self, items: dict[K, V] | None = None) -> None:
        self._values: dict[K, V] = {}
        self._bins: list[list[K]] = [[] for _ in range(32)]
        self.update(items or {})

    def _spread(self, key: K) -> int:
        hashed = string_hash_code(key) & _INT_BITS
        return hashed ^ (hashed >> 16)

    def __getitem__(self, key: K) -> V:
        return self._values[key]

    def get(self, key: K, default: V | None = None) -> V | None:  # type: ignore[override]  # one signature is enough
        """Return the value of a key, or the default."""
        return self._values.get(key, default)

    def __setitem__(self, key: K, value: V) -> None:
        is_new = key not in self._values
        self._values[key] = value
        if is_new:
            bin_ = self._bins[self._spread(key) % len(self._bins)]
            bin_.append(key)
            wanted = 128 if len(bin_) > 8 and len(self._bins) < 64 else len(self._values) + 1
            while len(self._bins) * 3 // 4 < wanted:
                self._double()

    def __delitem__(self, key: K) -> None:
        del self._values[key]
        self._bins[self._spread(key) % len(self._bins)].remove(key)

    def __iter__(self) -> Iterator[K]:
        return (key for bin_ in self._bins for key in bin_)

    def __len__(self) -> int:
        return len(self._values)

    def _double(self) -> None:
        """Split each bin in two. Java keeps the tail of keys that go the same way and turns the others round."""
        size = len(self._bins)
        upper: list[list[K]] = []
        for number, bin_ in enumerate(self._bins):
            goes_up = [bool(self._spread(key) & size) for key in bin_]
            tail = len(bin_)
            while tail > 0 and goes_up[tail - 1] == goes_up[-1]:
                tail -= 1
            halves: dict[bool, list[K]] = {False: [], True: []}
            for key, up in zip(bin_[:tail], goes_up, strict=False):
                halves[up].insert(0, key)
            if bin_:
                halves[goes_up[-1]] += bin_[tail:]
            self._bins[number] = halves[False]
            upper.append(halves[True])
        self._bins += upper
