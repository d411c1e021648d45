"""Other names for brokers, topics and addresses, the same for the same one, so that a report can be shown to others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from rmqref.route import MOCK_BROKER_PREFIX

WORD = re.compile(r"[\w.-]+")
"""What a name is written with."""

ADDRESS = re.compile(r"(?<![\w.])(?P<host>\d{1,3}(?:\.\d{1,3}){3})(?![\w])")
"""What is an address wherever it stands; a release has one number less."""

DOCUMENTATION = "192.0.2."
"""Addresses that nobody has: they are kept for documentation."""


@dataclass(slots=True)
class Anonymiser:
    """Gives names other names, in the order in which it meets them.

    Attributes:
        aliases: the other name of each name.

    >>> hidden = Anonymiser()
    >>> hidden.learn("broker", ["pay-broker-eu1", "pay-broker-eu10"])
    >>> hidden.clean("pay-broker-eu10 is at 10.7.0.1:10911, pay-broker-eu1 at 10.7.0.2:10911")
    'broker-2 is at 192.0.2.1:10911, broker-1 at 192.0.2.2:10911'
    """

    aliases: dict[str, str] = field(default_factory=dict)
    _odd: list[str] = field(default_factory=list)  # names that are more than one word
    _numbers: dict[str, int] = field(default_factory=dict)

    def learn(self, kind: str, names: Iterable[str | None]) -> None:
        """Give names an alias each.

        Args:
            kind: what they are: "broker", "topic", "cluster", "id".
            names: the names; None, nothing, and the name that all static topics share are left.
        """
        for name in names:
            if name and name not in self.aliases and not name.startswith(MOCK_BROKER_PREFIX):
                self.aliases[name] = f"{kind}-{self._next(kind)}"
                if not WORD.fullmatch(name):
                    self._odd.append(name)

    def clean(self, said: str) -> str:
        """Return a text with other names, and with other addresses.

        Args:
            said: the text.
        """
        for name in sorted(self._odd, key=len, reverse=True):
            said = said.replace(name, self.aliases[name])
        said = WORD.sub(lambda found: self._other(found[0]), said)
        return ADDRESS.sub(lambda found: self._address(found["host"]), said)

    def _other(self, word: str) -> str:
        """Return a word's alias; a full stop after it is no part of the name."""
        name = word if word in self.aliases else word.rstrip(".")
        return self.aliases.get(name, name) + word[len(name) :]

    def _address(self, host: str) -> str:
        if host.startswith(DOCUMENTATION):
            return host
        if host not in self.aliases:
            self.aliases[host] = f"{DOCUMENTATION}{self._next('address')}"
        return self.aliases[host]

    def _next(self, kind: str) -> int:
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return self._numbers[kind]
