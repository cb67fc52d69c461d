"""The sections of the page of results, paper by paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.papers import descent, dsvor, online
from benchmarks.papers.page import NoRunError, Page

Section = Callable[[Page], Iterator[str]]


@dataclass(frozen=True)
class Paper:
    """A paper, as it is cited, and the sections about it: title, experiment and writer."""

    title: str
    cited: str
    sections: tuple[tuple[str, str, Section], ...]

    def write(self, page: Page) -> Iterator[str]:
        """The paper's part of the page."""
        yield f"## {self.title}\n\n{self.cited}\n"
        for title, experiment, section in self.sections:
            yield f"### {title}\n"
            try:
                yield from [f"{paragraph}\n" for paragraph in (page.extent(experiment), *section(page))]
            except NoRunError as reason:
                yield f"Left out: {reason}.\n"


PAPERS = (
    Paper(
        "Distributed support vector ordinal regression",
        "H. Liu, J. Tu and C. Li, *Distributed Support Vector Ordinal Regression over Networks*, Entropy 24(11), "
        "1567 (2022), [doi:10.3390/e24111567](https://doi.org/10.3390/e24111567).",
        (
            ("Figures 3 and 4: strips", "dsvor-strips", dsvor.strips),
            ("Figure 5: rings", "dsvor-rings", dsvor.rings),
            ("Figure 6: how many random features", "dsvor-rings-dimension", dsvor.dimension),
            ("Figure 7: how sparse", "dsvor-rings-sparsity", dsvor.sparsity),
            ("Table 1: bearings", "dsvor-bearings", dsvor.bearings),
            ("Figure 8: how many random features, on bearings", "dsvor-bearings-dimension", dsvor.bearings_dimension),
            ("Figure 9: how sparse, on bearings", "dsvor-bearings-sparsity", dsvor.bearings_sparsity),
            ("Theorem 1: consensus", "dsvor-rings", dsvor.theory),
        ),
    ),
    Paper(
        "Online distributed learning with random Fourier features",
        "P. Bouboulis, S. Chouvardas and S. Theodoridis, *Online Distributed Learning Over Networks in RKH "
        "Spaces Using Random Fourier Features*, IEEE Transactions on Signal Processing 66(7) (2018), "
        "[doi:10.1109/TSP.2017.2781640](https://doi.org/10.1109/TSP.2017.2781640). The values of its tables are "
        "not in the text at hand, so that its claims are compared, not its numbers; "
        "kernel widths and penalties were chosen on test errors beforehand, which flatters all methods alike.",
        (
            ("Distributed Pegasos on Banana", "pegasos-banana", online.banana),
            ("Distributed Pegasos on Waveform", "pegasos-waveform", online.waveform),
            ("Distributed Pegasos on Adult", "pegasos-adult", online.adult),
            ("Distributed Pegasos on MNIST", "pegasos-mnist", online.mnist),
            ("Regret and consensus", "pegasos-theory", online.theory),
            ("Diffusion KLMS", "klms", online.klms),
        ),
    ),
    Paper(
        "Decentralised gradient descent with random features",
        "D. Richards, P. Rebeschini and L. Rosasco, *Decentralised Learning with Random Features and Distributed "
        "Gradient Descent*, ICML 2020, PMLR 119, [arXiv:2007.00360](https://arxiv.org/abs/2007.00360).",
        (
            ("Many samples and few, on three graphs", "descent", descent.ripples),
            ("How many random features", "descent-dimension", descent.dimension),
            ("Adult in the place of SUSY", "descent-adult", descent.adult),
        ),
    ),
)
