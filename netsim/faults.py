"""How often each configured fault happened, as a report tells it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from netsim.results import Record

OFTEN = 5.0
"""Times that a fault was expected to happen from which on it is odd that it never did."""


@dataclass(frozen=True)
class Fault:
    """On how many of so many ``frames`` a link element acted, in the mean over repeats.

    ``expected`` is on how many it should have, by its parameters; None where those do not say.
    """

    frames: float
    acted: float
    expected: float | None

    @property
    def idle(self) -> bool:
        """Whether it should have happened and never did."""
        return self.acted == 0 and self.expected is not None and self.expected >= OFTEN

    def as_json(self) -> dict[str, float]:
        """What is known of it."""
        known = {"frames": self.frames, "acted": self.acted}
        return known if self.expected is None else {**known, "expected": self.expected}


def faults_of(records: Iterable[Record]) -> dict[str, Fault]:
    """Each link element's by its name, over the records that tell of any."""
    told: list[Mapping[str, Mapping[str, float]]] = [r.end["faults"] for r in records if "faults" in r.end]
    names = dict.fromkeys(name for each in told for name in each)
    return {name: _mean([each[name] for each in told if name in each]) for name in names}


def _mean(counts: list[Mapping[str, float]]) -> Fault:
    expected = [each["expected"] for each in counts if "expected" in each]
    return Fault(
        fmean(each["frames"] for each in counts),
        fmean(each["acted"] for each in counts),
        fmean(expected) if len(expected) == len(counts) else None,
    )


def idle(faults: Mapping[str, Fault]) -> Iterator[str]:
    """A sentence for each fault that should have happened and never did."""
    for name, fault in faults.items():
        if fault.idle:
            yield (
                f"{name} never acted on any of {fault.frames:,.0f} frames, and was expected to on "
                f"{fault.expected:,.0f}; what these numbers say holds without it"
            )
