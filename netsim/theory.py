"""What theorems say of a run beside what is measured: consensus, gap to the optimum, regret, the network's error."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from netsim.baselines.descent import single_machine
from netsim.baselines.optima import AbsentError, Optimum, feature_optimum_of
from netsim.evaluation import Evaluation
from netsim.mixing import combination_matrix, spectral_radius
from netsim.traffic import Traffic
from netsim.world import World
from nodes.arrays import Floats
from nodes.ledger import MEASURES, Ledger
from nodes.losses import Hinge, OrdinalHinge, Squared
from nodes.messages import Full
from nodes.node import open_learner
from nodes.penalties import ElasticNet
from nodes.steps import Pegasos
from nodes.weights import Metropolis

LOSS, ENERGY = range(len(MEASURES))


class Theory:
    """Tells of a run, round by round, what theorems are about; what does not apply is left out.

    ``consensus-bound``: the consensus distance is at most this (:func:`consensus_bounds`). ``gap``: the objective above
    that of the optimum on the run's features. ``regret``: what nodes paid for batches before they learned from them,
    less what that optimum would have paid for the same; it is at most ``regret-bound`` (:func:`regret_is_bounded`).
    Both bounds hold, and are told, while no frame was lost or late; what overflows is left out. ``network-error``: the
    mean over nodes and test samples of the squared difference of a node's scores from those of descent on one machine
    that owns all data
    (decentralised descent paper, section 4).
    """

    def __init__(self, world: World, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        with np.errstate(all="ignore"):  # what overflows is not told
            self._bounds = consensus_bounds(world)
            self._machine = dict(single_machine(world))
        self._regret_is_bounded = regret_is_bounded(world)
        try:
            optimum = feature_optimum_of(world)
        except AbsentError:
            self._least, self._paid = math.nan, {}
        else:
            self._least = float(evaluation.objectives(optimum.parameters[None])[0])
            self._paid = dict(_payments(world, optimum))

    def row(self, completed: int, stack: Floats, objective: float, sums: Floats, traffic: Traffic) -> dict[str, float]:
        """The numbers after so many rounds, for parameters (M, P) and sums of the nodes' ledgers (M, 2)."""
        faultless = traffic.delivered == traffic.sent + traffic.duplicated and traffic.late == traffic.flipped == 0
        faultless &= traffic.overrun == traffic.refused == 0
        found: dict[str, float] = {}
        if self._bounds is not None and faultless:
            found["consensus-bound"] = float(self._bounds[completed])
        if completed in self._paid:
            found["gap"] = objective - self._least
            found["regret"] = float(sums[:, LOSS].sum()) - self._paid[completed]
            if self._regret_is_bounded and faultless:
                found["regret-bound"] = float(sums[:, ENERGY].sum())
        found["network-error"] = self._evaluation.distance(stack, self._machine[completed])
        return {name: value for name, value in found.items() if math.isfinite(value)}


def _payments(world: World, optimum: Optimum) -> Iterator[tuple[int, float]]:
    """What all nodes together would pay for their batches with the optimum's parameters, by recorded rounds."""
    ledger = Ledger()
    learners = [open_learner(world.task, share, ledger) for share in world.shares]
    yield 0, 0.0
    for k in range(world.rounds):
        for learner in learners:
            learner.gradient(optimum.parameters, k)
        if k + 1 in world.recorded:
            yield k + 1, float(ledger.sums[LOSS])


def consensus_bounds(world: World) -> Floats | None:
    """u_k / sqrt(M) for k = 0, ..., rounds: bounds of the consensus distance (dSVOR paper, A.8 and A.9).

    u_{k+1} = rho u_k + eta_k L_k with rho the spectral radius of C - 11'/M, and L_k a bound of the norm of all nodes'
    subgradients after k rounds, from the features of their samples and from how far weights can have come. Known before
    a run; None where slopes have no bound, and where C or what nodes send is not as the proof has it.
    """
    task, penalty = world.task, world.task.penalty
    exact = type(task.messages) is Full and task.messages.values == "float64"
    if type(task.weights) is not Metropolis or type(penalty) is not ElasticNet or not exact:
        return None
    if type(task.loss) not in (Hinge, OrdinalHinge):
        return None
    matrix = combination_matrix(task.weights, world.neighbours)
    radius = spectral_radius(matrix)
    if radius is None:
        return None
    part = penalty.at_node(task.nodes)
    ridge, lasso = part * penalty.curvature, part * penalty.strength * penalty.alpha * math.sqrt(task.feature_count)
    by_weights, by_thresholds = _steepest(world)
    step, average, own = task.step, task.algorithm.open_average(), float(matrix.diagonal().min())
    bound, reach, bounds = 0.0, 0.0, [0.0]
    for k in range(world.rounds):
        eta = step.size(k)
        steepest = np.hypot(by_weights + lasso + ridge * reach, by_thresholds)
        bound = radius * bound + eta * float(np.linalg.norm(steepest))
        # Where the gradient is taken before combining, the ridge shrinks a node's own part of the combination only.
        shrinks = task.algorithm.order != "consensus" or eta * ridge <= own
        reach = (abs(1 - eta * ridge) if shrinks else 1 + eta * ridge) * reach + eta * (by_weights.max() + lasso)
        bounds.append(float(average(np.array([bound]))[0]))
    return np.array(bounds) / math.sqrt(task.nodes)


def _steepest(world: World) -> tuple[Floats, Floats]:
    """Bounds of the norm of each node's subgradient of the loss, by weights (M,) and by thresholds (M,)."""
    task, features = world.task, world.task.open_features()
    batch = task.algorithm.batch_size
    found = []
    for share in world.shares:
        by_score, by_threshold = task.loss.steepest(task.loss.targets(share.labels, task.ranks))  # type: ignore[attr-defined]
        slopes = by_score * np.linalg.norm(features(share.samples), axis=1)
        samples = len(share.labels)
        scale = task.loss.factor(task.samples) * (1 if task.loss.reduce == "mean" else samples)
        mean = float(slopes.mean() if batch is None or batch >= samples else slopes.max())
        found.append((scale * mean, scale * float(np.linalg.norm(by_threshold))))
    by_weights, by_thresholds = np.array(found).T
    return by_weights, by_thresholds


def regret_is_bounded(world: World) -> bool:
    """Whether the regret of this run is at most the sum of eta_k ||g||^2 / 2 over nodes and adaptations.

    An adaptation from psi takes the squared distance to any u from ||psi - u||^2 to at most
    (1 - eta lambda) ||psi - u||^2 - 2 eta (paid - paid by u) + eta^2 ||g||^2 where objectives have curvature lambda,
    and combining with doubly stochastic weights never raises the sum over nodes. Divided by 2 eta_n = 2/(lambda n) and
    added up over n, the distances telescope away. (For one node: Shalev-Shwartz, Singer, Srebro and Cotter, Pegasos,
    2011, Lemma 1; for networks: the online learning paper, whose proposition has a bound of the same growth.)
    """
    task = world.task
    smooth = type(task.penalty) is ElasticNet and task.penalty.alpha == 0
    # Thresholds are never penalised: along them an objective has no curvature, and the distances do not telescope.
    convex = type(task.loss) in (Hinge, Squared) and type(task.weights) is Metropolis
    exact = type(task.messages) is Full and task.messages.values == "float64"
    pegasos = type(task.algorithm.step) is Pegasos and task.algorithm.order != "consensus"
    return smooth and convex and exact and pegasos
