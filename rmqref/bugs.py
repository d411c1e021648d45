"""The bugs of released clients that this package reproduces, each with its name, releases and Java issue.

Which releases have a bug is not written down but follows from the release table: a bug is had by every row that its
test fits. What a user sees is a sentence of the catalogue, `bug.<name>`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rmqref import faults, index, route, selection, selectors, sending, strategy
from rmqref.messages import text
from rmqref.releases import CHRONOLOGY, Release, release, spans_of


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug of released clients.

    Args:
        name: how this package calls it.
        issue: number of the Java issue or pull request that tells of it; None if no report is known.
        is_in: whether a row of the release table has it.

    >>> BUGS["counter_sticks"].releases, BUGS["counter_sticks"].issue
    (('4.8.0',), 2783)
    """

    name: str
    issue: int | None
    is_in: Callable[[Release], bool]

    @property
    def releases(self) -> tuple[str, ...]:
        """Return the released versions that have it."""
        return tuple(version for version in CHRONOLOGY if self.is_in(release(version)))

    @property
    def spans(self) -> str:
        """Return the released versions that have it in words, without those between that do not."""
        return spans_of(self.releases)

    @property
    def what(self) -> str:
        """Return what happens, in one sentence."""
        return text(f"bug.{self.name}")

    @property
    def link(self) -> str:
        """Return the address of the Java issue, or a word that none is known."""
        if self.issue is None:
            return text("bug.no_issue")
        return f"https://github.com/apache/rocketmq/issues/{self.issue}"


def _scans(row: Release) -> bool:
    return row.select is strategy.select_by_scan


BUGS = {
    bug.name: bug
    for bug in (
        Bug("inverted_retry_test", 1576, lambda row: row.accepts is strategy.accepts_same_broker),
        Bug("retry_hot_spot", 2223, lambda row: row.retry_pick is selection.retry_pick_walking),
        Bug("counter_sticks", 2783, lambda row: row.index is index.StuckIndex),
        Bug("counter_counts_down", 4349, lambda row: row.index is index.AbsoluteIndex),
        Bug("negative_queue_ids", 4349, lambda row: row.index in (index.StuckIndex, index.AbsoluteIndex)),
        Bug(
            "shared_list_rewritten",
            7779,
            lambda row: _scans(row) and row.place_on_broker is strategy.rewrite_queue,
        ),
        Bug("block_share", 5672, _scans),
        Bug(
            "swallowed_overflow",
            5179,
            lambda row: _scans(row) and row.position_of is selection.plain_position,
        ),
        Bug(
            "swallowed_null",
            6272,
            lambda row: (
                _scans(row)
                and row.accepts in (strategy.accepts_same_broker, strategy.accepts_another_available)
            ),
        ),
        Bug(
            "unreachable_for_ever",
            7812,
            lambda row: row.is_available_item is faults.is_reachable_and_past_start,
        ),
        Bug(
            "hash_of_smallest_int", 2421, lambda row: row.select_by_hash is selectors.select_by_hash_repaired
        ),
        Bug("random_smallest_int", 173, lambda row: row.select_by_random is selectors.SelectByRandoom),
        Bug("cause_hidden", 7883, lambda row: row.time_budget is sending.remaining_timeout),
        Bug("own_mistake_isolates", None, lambda row: row.judge is sending.judge_every_failure_alike),
        Bug("static_topic_defeats", None, lambda row: row.static_topics is route.number_static_topic),
    )
}
"""The bugs by name."""
