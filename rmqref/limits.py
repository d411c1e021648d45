"""The limits: what of a released client is modelled without proof, otherwise than in Java, or not at all.

A limit says what differs and what follows from that; both are sentences of the catalogue, `limits.<name>` and
`limits.<name>.effect`. What is proved is not written down here: `rmqref.conform` counts it.
"""

from __future__ import annotations

from dataclasses import dataclass

from rmqref.messages import text
from rmqref.releases import CHRONOLOGY, spans_of, version_of

UNPROVED = "unproved"
"""Written after the source; no recorded run of the Java classes has been compared with it."""
DIFFERENT = "different"
"""Modelled, but otherwise than in Java."""
MISSING = "missing"
"""Not modelled."""

FIRST, LAST = CHRONOLOGY[0], CHRONOLOGY[-1]


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of this package.

    Args:
        name: how this package calls it.
        kind: `UNPROVED`, `DIFFERENT` or `MISSING`.
        since: the first release that it concerns.
        until: the last one.
        but: releases between them that it does not concern.

    >>> LIMITS["async_batch"].spans
    '4.1.0-incubating .. 4.7.1'
    """

    name: str
    kind: str
    since: str = FIRST
    until: str = LAST
    but: frozenset[str] = frozenset()

    @property
    def releases(self) -> tuple[str, ...]:
        """Return the released versions that it concerns."""
        first, last = CHRONOLOGY.index(self.since), CHRONOLOGY.index(self.until)
        return tuple(version for version in CHRONOLOGY[first : last + 1] if version not in self.but)

    @property
    def spans(self) -> str:
        """Return the released versions that it concerns in words."""
        return spans_of(self.releases)

    @property
    def what(self) -> str:
        """Return what is not proved, differs or is missing, in one sentence."""
        return text(f"limits.{self.name}")

    @property
    def effect(self) -> str:
        """Return what follows for somebody who uses the package, in one sentence."""
        return text(f"limits.{self.name}.effect")


LIMITS = {
    limit.name: limit
    for limit in (
        Limit("async_sends", UNPROVED),
        Limit("chosen_queue", UNPROVED),
        Limit("route_look_up", UNPROVED),
        Limit("request", UNPROVED),
        Limit("batches", UNPROVED, since="4.1.0-incubating"),
        Limit("broker_answers", UNPROVED),
        Limit("network_times", UNPROVED),
        Limit("java_texts", UNPROVED),
        Limit("chance", DIFFERENT),
        Limit("threads", DIFFERENT),
        Limit("time", DIFFERENT),
        Limit("name_server_time", DIFFERENT),
        Limit("overlapping_faults", DIFFERENT),
        Limit("stored_object", DIFFERENT),
        Limit("delayed_messages", DIFFERENT),
        Limit("unique_ids", DIFFERENT),
        Limit("batch_unique_id", DIFFERENT, since="5.0.0-ALPHA"),
        Limit("property_order", DIFFERENT),
        Limit("crowded_bin", DIFFERENT),
        Limit("hash_of_other_classes", DIFFERENT),
        Limit("scopes_of_static_topics", DIFFERENT, since="5.0.0-ALPHA"),
        Limit("null_body", DIFFERENT),
        Limit(
            "order_of_checks",
            DIFFERENT,
            until="5.0.0-PREVIEW",
            but=frozenset({"4.9.3", "4.9.4", "4.9.5", "4.9.6", "4.9.7", "4.9.8"}),
        ),
        Limit("negative_timeout", DIFFERENT, since="4.3.0"),
        Limit("async_batch", DIFFERENT, since="4.1.0-incubating", until="4.7.1"),
        Limit("illegal_queue_text", DIFFERENT),
        Limit("producer_group", DIFFERENT),
        Limit("producer_state", DIFFERENT),
        Limit("forbidden_topics", MISSING, since="4.7.1"),
        Limit("multi_dispatch", MISSING, since="5.1.2"),
        Limit("reconsume_times", MISSING),
        Limit("property_size", MISSING),
        Limit("namespaces", MISSING, since="4.5.1"),
        Limit("transactions", MISSING),
        Limit("request_reply", MISSING, since="4.6.0"),
        Limit("accumulated_batches", MISSING, since="5.1.4"),
        Limit("hooks", MISSING),
        Limit("other_compressions", MISSING, since="4.9.4", but=frozenset({"5.0.0-PREVIEW", "5.0.0-ALPHA"})),
        Limit("semaphores", MISSING),
        Limit("back_pressure", MISSING, since="5.0.0"),
        Limit("broken_connections", MISSING),
        Limit("encrypted_connections", MISSING, since="4.2.0"),
        Limit("slaves", MISSING),
        Limit("static_topics", MISSING, since="5.0.0-ALPHA"),
        Limit("logical_queues", MISSING, since="5.0.0-PREVIEW", until="5.0.0-PREVIEW"),
        Limit("consumers", MISSING),
    )
}
"""The limits by name."""


def limits_of(name: str) -> tuple[Limit, ...]:
    """Return the limits that concern a release.

    Args:
        name: a release, as for `rmqref.releases.release`.

    Returns:
        Limits, in the order of `LIMITS`.

    Raises:
        UnknownRelease: no such Java client was released.

    >>> [limit.name for limit in limits_of("5.0.0-PREVIEW") if limit.releases != CHRONOLOGY][-2:]
    ['encrypted_connections', 'logical_queues']
    """
    version = version_of(name)
    return tuple(limit for limit in LIMITS.values() if version in limit.releases)
