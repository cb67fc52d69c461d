"""Assignments: what each worker is given of a world, as plain data on the wire and as pieces in the worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from netsim.links import LinkMap, Override, Windows
from netsim.parts import EdgeLinks, Part
from netsim.scenario.own import Own, rebuilt
from netsim.world import World
from nodes.arrays import Floats
from nodes.diffusion import Algorithms
from nodes.features import Features
from nodes.losses import Losses
from nodes.messages import Messages
from nodes.node import Share, Task
from nodes.penalties import Penalties
from nodes.weights import WeightRules


class Peer(NamedTuple):
    """Another worker to which a worker's nodes have edges."""

    worker: int
    nodes: tuple[int, ...]
    endpoint: str
    key: bytes
    """Its public key, empty without CURVE."""
    send_as: bytes
    """The name under which to send to it."""
    hear_as: bytes
    """The name under which it sends."""


@dataclass(frozen=True)
class Assignment:
    """One worker's nodes with all that they need, the workers that they are linked to, and the clock."""

    part: Part
    peers: tuple[Peer, ...]
    time: str

    def edges(self) -> dict[int, frozenset[tuple[int, int]]]:
        """The directed edges (source, target) that come from each peer."""
        return {peer.worker: frozenset(_across(self.part, peer.nodes)) for peer in self.peers}


@dataclass(frozen=True, kw_only=True)
class Pieces:
    """What all nodes of a run share, by the keys of a scenario."""

    features: Features
    loss: Losses
    penalty: Penalties
    algorithm: Algorithms
    messages: Messages
    weights: WeightRules
    links: LinkMap
    overrides: tuple[Override, ...]
    windows: Windows


def parts_of(nodes: int, workers: int) -> list[tuple[int, ...]]:
    """The nodes of each worker: runs of equal length, within one."""
    return [tuple(map(int, run)) for run in np.array_split(np.arange(nodes), workers)]


def plain(world: World, nodes: Sequence[int], peers: Sequence[Peer], time: str) -> dict[str, Any]:
    """The assignment of a worker that has these nodes, as plain data."""
    part, task, scenario = world.part(nodes), world.task, world.resolved
    near = {*part.neighbours, *(other for around in part.neighbours.values() for other in around)}
    return {
        "pieces": {
            **{name: scenario["model"][name] for name in ("features", "loss", "penalty")},
            **{name: scenario[name] for name in ("algorithm", "messages")},
            **{name: scenario["network"][name] for name in ("weights", "links", "windows", "overrides")},
        },
        "folder": str(world.folder),
        "network": [task.nodes, task.samples, task.inputs, task.ranks, _written(task.feature_key), task.measured],
        "shares": [_share(share) for share in part.shares],
        "neighbours": {node: dict(around) for node, around in part.neighbours.items()},
        "links-seed": part.links.seed,
        "positions": {node: part.links.positions[node] for node in sorted(near) if node in part.links.positions},
        "slots": [part.period, part.rounds, sorted(part.recorded), part.limit],
        "peers": list(peers),
        "time": time,
    }


def read(given: Mapping[str, Any], folder: Path | None = None) -> Assignment:
    """The assignment; classes of the user's own are looked up in ``folder``, or in the one that it names.

    ``ValueError`` for pieces that cannot be made here.
    """
    own = Own(Path(given["folder"]) if folder is None else folder)
    made = rebuilt(Pieces, given["pieces"], own)
    nodes, samples, inputs, ranks, feature_key, measured = given["network"]
    period, rounds, recorded, limit = given["slots"]
    part = Part(
        task=Task(
            features=made.features,
            loss=made.loss,
            penalty=made.penalty,
            algorithm=made.algorithm,
            messages=made.messages,
            weights=made.weights,
            nodes=nodes,
            samples=samples,
            inputs=inputs,
            ranks=ranks,
            feature_key=_read(feature_key),
            measured=measured,
        ),
        shares=tuple(_own(share, inputs, "<i8" if ranks else "<f8") for share in given["shares"]),
        neighbours=given["neighbours"],
        links=EdgeLinks(made.links, made.overrides, given["links-seed"], given["positions"], made.windows),
        period=period,
        rounds=rounds,
        recorded=frozenset(recorded),
        limit=limit,
    )
    return Assignment(part, tuple(Peer(*peer) for peer in given["peers"]), given["time"])


def _across(part: Part, others: Sequence[int]) -> list[tuple[int, int]]:
    chosen = set(others)
    return [(other, node) for node, around in part.neighbours.items() for other in around if other in chosen]


def _share(share: Share) -> list[Any]:
    labels = share.labels.astype(f"<{share.labels.dtype.kind}8").tobytes()
    return [share.node, share.samples.astype("<f8").tobytes(), labels, _written(share.key)]


def _own(given: Sequence[Any], inputs: int, label: str) -> Share:
    node, samples, labels, key = given
    # Copied, so that they lie in memory as numpy lays out arrays of its own.
    rows: Floats = np.frombuffer(samples, "<f8").astype(np.float64).reshape(-1, inputs)
    own = np.frombuffer(labels, label)
    return Share(node, rows, own.astype(own.dtype.newbyteorder("=")), _read(key))


def _written(key: int) -> bytes:
    # Of 128 bits, where msgpack has 64.
    return key.to_bytes(16)


def _read(key: bytes) -> int:
    return int.from_bytes(key)
