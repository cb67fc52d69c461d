"""The scenario: every key that a YAML file can hold, as frozen dataclasses whose fields are those keys."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from netsim.data import Data
from netsim.links import LinkMap, Override, Windows
from netsim.scaling import Scaling, ZScore
from netsim.split import Random, Split
from netsim.topology import Topology
from netsim.transports.inprocess import InProcess
from netsim.transports.zeromq.transport import ZeroMQ
from netsim.units import Period
from nodes.diffusion import Algorithms, Diffusion
from nodes.features import Features
from nodes.losses import Losses
from nodes.messages import Full, Messages
from nodes.penalties import ElasticNet, Penalties
from nodes.pieces import Slot
from nodes.quantities import Count, Index, Written
from nodes.weights import Metropolis, WeightRules

Baseline = Literal["centralised", "centralised-features", "isolated", "single-machine"]


def _name(value: Any) -> str:
    if not isinstance(value, str) or re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", value) is None:
        raise ValueError(f"{value!r} is not a name; use letters, digits, dots, dashes and underscores")
    return value


@dataclass(frozen=True, kw_only=True)
class Record:
    """Which rounds are evaluated: every so many, and always the start and the last; by default at most 200.

    ``theory`` tells what theorems say beside what is measured (:mod:`netsim.theory`), ``parameters`` what every node's
    parameters are at the end.
    """

    every: Count | None = None
    theory: bool = False
    parameters: bool = False


@dataclass(frozen=True, kw_only=True)
class Network:
    """Who can talk to whom, what neighbours are worth, and what happens to frames on the way."""

    topology: Annotated[Topology, Slot("topology")]
    weights: WeightRules = field(default_factory=Metropolis)
    links: LinkMap = field(default_factory=dict)
    windows: Windows = field(default_factory=dict)
    """When elements of these names act; those without a window always do."""
    overrides: tuple[Override, ...] = ()
    require_mixing: bool = True
    """Refuse a graph on which these weights never reach consensus."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """What is learned: a linear model on features, by a loss and a penalty."""

    features: Features
    loss: Losses
    penalty: Penalties = field(default_factory=ElasticNet)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One experiment: data, network, faults, model and algorithm; with what is varied and how often it is repeated."""

    name: Annotated[str, Written(_name)]
    about: str = ""
    seed: Index = 0
    data_seed: Index | None = None
    """Holds data and split still while seeds vary."""
    network_seed: Index | None = None
    """Holds topology and faults still while seeds vary."""
    repeats: Count = 1
    rounds: Count | None = None
    passes: Count | None = None
    slot: Period = 20_000_000
    limit: Period | None = None
    """Time of the simulated clock past which a run is ended with an error."""
    record: Record = field(default_factory=Record)
    data: Annotated[Data, Slot("data")]
    split: Annotated[Split, Slot("split", default="random")] = field(default_factory=Random)
    scaling: Annotated[Scaling, Slot("scaling", default="z-score")] = field(default_factory=ZScore)
    network: Network
    model: Model
    algorithm: Algorithms = field(default_factory=Diffusion)
    messages: Messages = field(default_factory=Full)
    baselines: tuple[Baseline, ...] = ()
    transport: Annotated[InProcess | ZeroMQ, Slot("transport", default="in-process")] = field(default_factory=InProcess)
    sweep: dict[str, list[Any]] | list[dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.rounds is None) == (self.passes is None):
            raise ValueError(
                "exactly one of rounds and passes must be given; add rounds: 500, or remove one of the two"
            )
