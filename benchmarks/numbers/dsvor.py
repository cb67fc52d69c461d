"""Paper 1, dSVOR: methods, sparsity, orders and faults on its two synthetic sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.numbers.measure import Number, Runs, at, bound, near, paired, ratio
from netsim.checks import check
from netsim.scenario.load import load
from netsim.world import build_graph

PAPER = (
    "algorithm.order=consensus",
    "network.weights={kind: metropolis, lazy: false}",
    "model.penalty.zeros=subgradient",
    "model.penalty.share=network",
)
"""The paper's settings written out."""
NO_FAULTS = ("sweep={}", "network.links={}")


def methods(runs: Runs) -> Iterator[Number]:
    """Distributed against centralised and isolated, on the paper's two synthetic sets (10 paired seeds)."""
    settings = ("repeats=10", "rounds=2000", "record.every=100", "baselines=[centralised, isolated]", *PAPER)
    strips = runs.records("strips", *settings)
    rings = runs.records("rings", *settings, *NO_FAULTS)
    for name, records, least in (("strips", strips, 0.01), ("rings", rings, 0.03)):
        network, centralised = at(records, "network", "mae", 1000), at(records, "centralised", "mae")
        isolated = at(records, "isolated", "mae", 1000)
        yield bound(f"{name}: MAE of dSVOR - cSVOR, T=1000", float((network - centralised).mean()), most=0.01)
        yield bound(f"{name}: MAE of ncSVOR - dSVOR, T=1000", float((isolated - network).mean()), least=least)
    references = (
        ("strips", strips, "centralised", "accuracy", None, 0.7000, 0.028),
        ("strips", strips, "centralised", "mae", None, 0.3025, 0.0275),
        ("strips", strips, "network", "accuracy", 500, 0.696, 0.026),
        ("strips", strips, "network", "mae", 500, 0.3068, 0.026),
        ("strips", strips, "network", "accuracy", 1000, 0.700, 0.026),
        ("strips", strips, "network", "mae", 1000, 0.3025, 0.026),
        ("strips", strips, "network", "accuracy", 2000, 0.700, 0.026),
        ("strips", strips, "network", "mae", 2000, 0.3028, 0.026),
        ("strips", strips, "isolated", "accuracy", 2000, 0.6825, 0.0235),
        ("strips", strips, "isolated", "mae", 2000, 0.3223, 0.0235),
        ("rings", rings, "centralised", "accuracy", None, 0.8800, 0.0237),
        ("rings", rings, "centralised", "mae", None, 0.1200, 0.0237),
        ("rings", rings, "network", "accuracy", 100, 0.838, 0.025),
        ("rings", rings, "network", "accuracy", 200, 0.877, 0.025),
        ("rings", rings, "network", "accuracy", 500, 0.878, 0.025),
        ("rings", rings, "network", "accuracy", 2000, 0.876, 0.025),
        ("rings", rings, "isolated", "accuracy", 500, 0.8184, 0.019),
        ("rings", rings, "isolated", "accuracy", 2000, 0.8148, 0.019),
        ("rings", rings, "network", "mae", 100, 0.162, 0.025),
        ("rings", rings, "network", "mae", 200, 0.1229, 0.025),
        ("rings", rings, "network", "mae", 500, 0.1217, 0.025),
        ("rings", rings, "network", "mae", 2000, 0.1236, 0.025),
        ("rings", rings, "isolated", "mae", 500, 0.1816, 0.019),
        ("rings", rings, "isolated", "mae", 2000, 0.1852, 0.019),
    )
    for name, records, method, quantity, round_, mean, std in references:
        label = f"{name}: {quantity} of {method}" + (f", T={round_}" if round_ else "")
        yield near(label, at(records, method, quantity, round_), mean, std)


ALPHAS = (0, 0.1, 0.3, 0.5, 0.7, 0.9, 1)


def sparsity(runs: Runs) -> Iterator[Number]:
    """Zeros against alpha on rings (D = 200, T = 2000, 8 seeds), by proximal steps, subgradients and exactly."""
    common = ("repeats=8", "rounds=2000", "record.every=2000", *PAPER, *NO_FAULTS[1:])
    sweep = f"sweep={{model.penalty.zeros: [proximal, subgradient], model.penalty.alpha: {list(ALPHAS)}}}"
    records = runs.records("rings", *common, sweep, "baselines=[centralised-features]")
    exact_zeros = (0.000, 0.126, 0.306, 0.453, 0.599, 0.759, 0.939)
    proximal_zeros = (0.000, 0.001, 0.011, 0.027, 0.047, 0.063, 0.078)
    small = (0.021, 0.090, 0.236, 0.359, 0.454, 0.519, 0.552)
    maes = {
        "proximal": (0.1121, 0.1122, 0.1117, 0.1123, 0.1131, 0.1133, 0.1123),
        "subgradient": (0.1121, 0.1123, 0.1116, 0.1123, 0.1129, 0.1130, 0.1123),
    }
    for i, alpha in enumerate(ALPHAS):
        optimum = at(records, "centralised-features", "zeros", point={"alpha": alpha, "zeros": "proximal"})
        yield near(f"zeros of the exact optimum, alpha {alpha}", optimum, exact_zeros[i], optimum.std(ddof=1), 8)
        for zeros in ("proximal", "subgradient"):
            found = at(records, "network", "zeros", point={"alpha": alpha, "zeros": zeros})
            name = f"exact zeros, {zeros}, alpha {alpha}"
            if zeros == "proximal":
                yield near(name, found, proximal_zeros[i], found.std(ddof=1), 8)
            else:
                yield bound(name, float(found.max()), most=0)
                below = at(records, "network", "zeros.small", point={"alpha": alpha, "zeros": zeros})
                yield near(f"weights below 0.01, {zeros}, alpha {alpha}", below, small[i], below.std(ddof=1), 8)
            mae = at(records, "network", "mae", point={"alpha": alpha, "zeros": zeros})
            yield near(f"MAE, {zeros}, alpha {alpha}", mae, maes[zeros][i], mae.std(ddof=1), 8)


def mixing(runs: Runs) -> Iterator[Number]:
    """An even ring with weights 1/max never reaches consensus: refused, and diverging where it is forced."""
    ring = ("network.topology={kind: ring, nodes: 20}", *PAPER, *NO_FAULTS, "repeats=1", "baselines=[]")
    findings = [finding for finding in check(load("rings", ring)) if finding.error]
    yield Number(
        "even ring, lazy: false", "refused", findings[0].message if findings else "accepted", len(findings) == 1
    )
    forced = runs.records("rings", *ring, "network.require-mixing=false", "rounds=2000", "record.every=100")
    mae = float(at(forced, "network", "mae")[0])
    measured = f"{forced[0].ending}: {forced[0].end.get('reason')}; MAE {mae:.3f}"
    yield Number("the same, forced", "diverged, MAE about 1.5", measured, forced[0].ending == "diverged" and mae > 1)


def losses(runs: Runs) -> Iterator[Number]:
    """Loss and delay on rings: proximal, combine-then-adapt, weights 1/max, T = 2000, 10 seeds."""
    common = (
        "repeats=10",
        "rounds=2000",
        "record.every=2000",
        "network.weights={kind: metropolis, lazy: false}",
        "baselines=[]",
    )
    loss = "sweep={algorithm.on-silence: [self, hold], network.links.loss.p: [0, 0.1, 0.3, 0.5]}"
    records = runs.records("rings", *common, loss, "baselines=[centralised-features]")
    still = at(records, "network", "mae", point={"p": 0, "on-silence": "self"})
    yield near("MAE without loss", still, 0.120, 0.025)
    expected = {"hold": (0.119, 0.120, 0.120), "self": (0.119, 0.120, 0.122)}
    for policy, values in expected.items():
        for p, value in zip((0.1, 0.3, 0.5), values, strict=True):
            mae = at(records, "network", "mae", point={"p": p, "on-silence": policy})
            yield near(f"MAE, loss {p}, {policy}", mae, value, 0.025)
            yield paired(f"MAE, loss {p}, {policy}, less that without loss", mae - still, value - 0.120)
    consensus = {
        policy: float(at(records, "network", "consensus", point={"p": 0.5, "on-silence": policy}).mean())
        for policy in expected
    }
    base = float(at(records, "network", "consensus", point={"p": 0, "on-silence": "self"}).mean())
    yield ratio("consensus, loss 0.5, hold, over no loss", consensus["hold"] / base, 0.059 / 0.058)
    yield ratio("consensus, loss 0.5, self, over no loss", consensus["self"] / base, 0.102 / 0.058)
    optimum = at(records, "centralised-features", "objective", point={"p": 0, "on-silence": "self"})
    for policy, value in (("hold", 0.031), ("self", 0.018)):
        gap = at(records, "network", "objective", point={"p": 0.5, "on-silence": policy}) / optimum - 1
        yield near(f"objective gap, loss 0.5, {policy}", gap, value, gap.std(ddof=1))
    delays = "sweep={network.links.delay.time: [5ms, 25ms, 45ms, 105ms]}"
    delayed = runs.records("rings", *common, "network.links={delay: {kind: delay, time: 5ms}}", delays)
    for slots, time, value in ((1, "25ms", 0.120), (2, "45ms", 0.121), (5, "105ms", 0.124)):
        mae = at(delayed, "network", "mae", point={"time": time})
        yield near(f"MAE, {slots} slots late", mae, value, 0.025)
        yield paired(
            f"MAE, {slots} slots late, less that in time",
            mae - at(delayed, "network", "mae", point={"time": "5ms"}),
            value - 0.12,
        )


def orders(runs: Runs) -> Iterator[Number]:
    """The three orders after 50 rounds (10 seeds), and order consensus with frames that come five slots late."""
    common = ("repeats=10", "baselines=[]", *PAPER[1:])
    sweep = "sweep={algorithm.order: [consensus, combine-then-adapt, adapt-then-combine]}"
    records = runs.records("rings", *common, sweep, "network.links={}", "rounds=50", "record.every=50")
    for order, mean in (("consensus", 0.362), ("combine-then-adapt", 0.135), ("adapt-then-combine", 0.119)):
        mae = at(records, "network", "mae", point={"order": order})
        yield near(f"MAE after 50 rounds, {order}", mae, mean, float(mae.std(ddof=1)))
    late = ("network.links={delay: {kind: delay, time: 105ms}}", "sweep={}", "rounds=2000", "record.every=200")
    delayed = runs.records("rings", *common, PAPER[0], *late)
    for round_, mean in ((200, 0.504), (2000, 0.133)):
        mae = at(delayed, "network", "mae", round_)
        yield near(f"MAE, consensus, 5 slots late, T={round_}", mae, mean, float(mae.std(ddof=1)))


def sorted_labels(runs: Runs) -> Iterator[Number]:
    """Nodes that see few ranks, on a graph of whose links each loses 90 % of its frames in one direction (5 seeds)."""
    common = (
        "repeats=5",
        "network-seed=0",
        "rounds=2000",
        "record.every=2000",
        "network.weights={kind: metropolis, lazy: false}",
        "network.links={loss: {kind: loss, p: 0}}",
        "split=by-label",
        "baselines=[]",
    )
    (point,) = load("rings", [*common, "sweep={}"]).points
    edges = sorted(build_graph(point.scenario, 0, Path()).edges)
    one_way = [list(edge if i % 2 else edge[::-1]) for i, edge in enumerate(edges)]
    overrides = f"network.overrides=[{{edges: {one_way}, links: {{loss: {{p: 0.9}}}}}}]"
    lossless = at(runs.records("rings", *common, "sweep={}"), "network", "mae")
    yield near("MAE, labels sorted, no loss", lossless, 0.133, 0.025)
    lossy = runs.records("rings", *common, overrides, "sweep={algorithm.on-silence: [self, hold]}")
    hold, own = (at(lossy, "network", "mae", point={"on-silence": policy}) for policy in ("hold", "self"))
    yield near("MAE, labels sorted, half of all links losing, hold", hold, 0.144, 0.025)
    yield near("MAE, labels sorted, half of all links losing, self", own, 0.225, 0.025)
    yield bound("the same, self less hold", float((own - hold).mean()), least=0.03)
