"""Imported once by the process from which others are forked, so that these find the slow things done."""

from __future__ import annotations

from netsim.scenario.own import validator
from netsim.scenario.schema import Scenario
from netsim.transports.zeromq.assignment import Pieces

for _piece in (Scenario, Pieces):
    validator(_piece)
