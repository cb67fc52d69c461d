"""Parts of a world: what some of its nodes need to run, wherever they do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce

from netsim.chance import key
from netsim.edges import Channel, Standing
from netsim.links import Override, Place, Window
from nodes.node import Share, Task


@dataclass(frozen=True, eq=False)
class EdgeLinks:
    """Which link elements stand on which directed edge, and where nodes are."""

    common: Mapping[str, object]
    """The elements of an edge that no override names."""
    overrides: Sequence[Override]
    seed: int
    positions: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    """node -> its coordinates, where the topology has them."""
    windows: Mapping[str, Window] = field(default_factory=dict)
    """name of an element -> when it acts, if not always."""

    def channel(self, source: int, target: int, period: int) -> Channel:
        """The channel of one directed edge, from its beginning."""
        return Channel(self.on(source, target), self.place(source, target), period)

    def place(self, source: int, target: int) -> Place:
        """One directed edge as its elements see it."""
        ends = [self.positions[node] for node in (source, target) if node in self.positions]
        return Place(source, target, math.dist(*ends) if len(ends) == 2 else None)

    def on(self, source: int, target: int) -> tuple[Standing, ...]:
        """The elements of one directed edge."""
        chosen = [override.links for override in self.overrides if override.names(source, target)]
        if not chosen:
            return self._common
        return self._keyed(reduce(lambda links, more: {**links, **more}, chosen, dict(self.common)))

    @cached_property
    def _common(self) -> tuple[Standing, ...]:
        return self._keyed(self.common)

    def _keyed(self, elements: Mapping[str, object]) -> tuple[Standing, ...]:
        return tuple(
            Standing(name, key(self.seed, f"link {name}"), element, self.windows.get(name))
            for name, element in elements.items()
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Part:
    """Some nodes of a world, with all that they need to run and nothing that is another node's."""

    task: Task
    shares: tuple[Share, ...] = field(repr=False)
    """What each of them owns, in order of node."""
    neighbours: Mapping[int, Mapping[int, int]] = field(repr=False)
    """node -> neighbour -> the neighbour's number of neighbours."""
    links: EdgeLinks
    period: int
    """Length of a slot in nanoseconds."""
    rounds: int
    recorded: frozenset[int]
    limit: int | None
    """Nanoseconds of the run's clock past which it is ended."""

    def channel(self, source: int, target: int) -> Channel:
        """The channel of one directed edge, from its beginning."""
        return self.links.channel(source, target, self.period)
