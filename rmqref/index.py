"""The counter: `ThreadLocalIndex`, one value for each thread, in the five ways in which it was released.

Every publish info has one. A thread's counter starts at a random value and is moved on by one *before* it is
used, so the first value a thread sees is its start plus one. What differs is how the sum stays positive.
"""

from __future__ import annotations

import threading

from rmqref.java import INT_MAX, INT_MIN, Random, java_abs


class ThreadLocalIndex(threading.local):
    """What the five have in common: a stored value for each thread, and the source of its random start.

    Args:
        random: the source of chance; every thread draws its own start from it.

    Attributes:
        stored: the raw value of the calling thread, an int of 32 bits, or None before its first use.

    Java: ThreadLocalIndex, all releases.
    """

    stored: int | None = None

    def __init__(self, random: Random) -> None:
        self.random = random

    def increment_and_get(self) -> int:
        """Move this thread's counter on by one and return its visible value.

        Returns:
            An int; a negative one, the smallest, only in 4.8.0 .. 4.9.3, 5.0.0-PREVIEW and 5.0.0-ALPHA.

        Java: ThreadLocalIndex#getAndIncrement up to 4.8.0, #incrementAndGet from 4.9.0.
        """
        raise NotImplementedError

    def reset(self) -> None:
        """Draw a new start in `0 .. INT_MAX - 1` for this thread.

        Java: ThreadLocalIndex#reset, 5.1.4 .. 5.3.3.

        >>> from rmqref.java import ScriptedRandom
        >>> index = RawSeedIndex(ScriptedRandom([41]))
        >>> index.reset()
        >>> index.increment_and_get()
        42
        """
        self.stored = self.random.next_int(INT_MAX)


class RepairedIndex(ThreadLocalIndex):
    """Every value is made positive and stored so; after the largest int the counter restarts at 0.

    Java: ThreadLocalIndex#getAndIncrement, 4.0.0-incubating .. 4.7.1.

    >>> from rmqref.java import ScriptedRandom
    >>> index = RepairedIndex(ScriptedRandom([-7]))
    >>> [index.increment_and_get() for _ in range(2)]
    [8, 9]
    >>> index.stored = INT_MAX
    >>> [index.increment_and_get() for _ in range(3)]
    [0, 1, 2]
    """

    def increment_and_get(self) -> int:
        """Return the stored value plus one, or 0 where Java's `Math.abs` would leave it negative."""
        stored = self.stored
        if stored is None:
            stored = max(java_abs(self.random.next_int()), 0)
        self.stored = stored = abs(stored + 1) if stored < INT_MAX else 0
        return stored


class StuckIndex(ThreadLocalIndex):
    """The absolute value is stored, and nothing repairs the smallest int: from there the counter alternates.

    Java: ThreadLocalIndex#getAndIncrement, 4.8.0 (issue 2783).

    >>> from rmqref.java import ScriptedRandom
    >>> index = StuckIndex(ScriptedRandom([]))
    >>> index.stored = INT_MAX - 1
    >>> [index.increment_and_get() for _ in range(4)]
    [2147483647, -2147483648, 2147483647, -2147483648]
    """

    def increment_and_get(self) -> int:
        """Return the absolute value of the stored value plus one, which may be the smallest int."""
        stored = self.stored
        if stored is None:
            stored = java_abs(self.random.next_int())
        self.stored = stored = abs(stored + 1) if stored < INT_MAX else INT_MIN
        return stored


class AbsoluteIndex(ThreadLocalIndex):
    """The raw sum is stored, its absolute value returned: past the largest int the values count down.

    Java: ThreadLocalIndex#incrementAndGet, 4.9.0 .. 4.9.3, 5.0.0-PREVIEW, 5.0.0-ALPHA (issue 4349).

    >>> from rmqref.java import ScriptedRandom
    >>> index = AbsoluteIndex(ScriptedRandom([]))
    >>> index.stored = INT_MAX - 1
    >>> [index.increment_and_get() for _ in range(4)]
    [2147483647, -2147483648, 2147483647, 2147483646]
    """

    def increment_and_get(self) -> int:
        """Return the absolute value of the stored value plus one; the sum itself stays stored."""
        stored = self.stored
        if stored is None:
            stored = java_abs(self.random.next_int())
        self.stored = stored = stored + 1 if stored < INT_MAX else INT_MIN
        return java_abs(stored)


class MaskedIndex(ThreadLocalIndex):
    """The raw sum is stored, its lower 31 bits returned: after the largest int come 0, 1, 2.

    Java: ThreadLocalIndex#incrementAndGet, 4.9.4 .. 4.9.8 (pull request 4447).

    >>> from rmqref.java import ScriptedRandom
    >>> index = MaskedIndex(ScriptedRandom([-5]))
    >>> index.increment_and_get()
    6
    >>> index.stored = INT_MAX
    >>> [index.increment_and_get() for _ in range(3)], index.stored
    ([0, 1, 2], -2147483646)
    """

    def increment_and_get(self) -> int:
        """Return the lower 31 bits of the stored value plus one."""
        stored = self.stored
        if stored is None:
            stored = java_abs(self.random.next_int())
        self.stored = stored = stored + 1 if stored < INT_MAX else INT_MIN
        return stored & INT_MAX


class RawSeedIndex(ThreadLocalIndex):
    """As `MaskedIndex`, but the random start is stored as drawn, so it may be negative.

    Java: ThreadLocalIndex#incrementAndGet, 5.0.0 .. 5.3.3 (pull request 4931).

    >>> from rmqref.java import ScriptedRandom
    >>> index = RawSeedIndex(ScriptedRandom([-5]))
    >>> index.increment_and_get(), index.stored
    (2147483644, -4)
    """

    def increment_and_get(self) -> int:
        """Return the lower 31 bits of the stored value plus one."""
        stored = self.stored
        if stored is None:
            stored = self.random.next_int()
        self.stored = stored = stored + 1 if stored < INT_MAX else INT_MIN
        return stored & INT_MAX
