"""Who can talk to whom: undirected, connected graphs of nodes 0, 1, ..., without self-loops."""

from __future__ import annotations

from netsim.topology.drawn import ErdosRenyi, RandomGeometric, RandomRegular, SmallWorld
from netsim.topology.graph import checked, degrees
from netsim.topology.listed import Edges
from netsim.topology.regular import Complete, Expander, Grid, PathGraph, Ring, Star, Torus

Topology = (
    Ring
    | PathGraph
    | Star
    | Complete
    | Grid
    | Torus
    | Expander
    | ErdosRenyi
    | RandomGeometric
    | RandomRegular
    | SmallWorld
    | Edges
)

__all__ = [
    "Complete",
    "Edges",
    "Expander",
    "ErdosRenyi",
    "Grid",
    "PathGraph",
    "RandomGeometric",
    "RandomRegular",
    "Ring",
    "SmallWorld",
    "Star",
    "Topology",
    "Torus",
    "checked",
    "degrees",
]
