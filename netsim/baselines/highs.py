"""Quadratic programs by HiGHS' active-set method."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from highspy._core import _Highs
from scipy import sparse

from nodes.arrays import Floats


@dataclass(frozen=True)
class Program:
    """Minimise cost'x + x'Hx / 2 with lower <= x <= upper and least <= rows x <= most.

    ``hessian`` is the lower triangle of H for the first x; the others have none.
    """

    cost: Floats
    lower: Floats
    upper: Floats
    rows: sparse.csc_array
    least: Floats
    most: Floats
    hessian: sparse.csc_array


@dataclass(frozen=True)
class Solution:
    """The minimising x and the multiplier of each row."""

    values: Floats
    multipliers: Floats


def solve(program: Program) -> Solution:
    """The optimum as the solver calls it; raises ``RuntimeError`` with the solver's status where it finds none."""
    # The public class prints a banner on standard output as it is made, before it can be told to be silent.
    solver = _Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("qp_regularization_value", 1e-9)
    solver.setOptionValue("qp_nullspace_limit", len(program.cost))
    # Where it does not cycle it takes one or two iterations a column; a limit in iterations keeps runs repeatable.
    solver.setOptionValue("qp_iteration_limit", 5 * len(program.cost) + 1000)
    solver.passModel(_model(program))
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(solver.modelStatusToString(status).lower())
    solution = solver.getSolution()
    return Solution(np.array(solution.col_value), np.array(solution.row_dual))


def _model(program: Program) -> highspy.HighsModel:
    model = highspy.HighsModel()
    linear, columns = model.lp_, len(program.cost)
    linear.num_col_, linear.num_row_ = columns, len(program.least)
    linear.col_cost_, linear.col_lower_, linear.col_upper_ = program.cost, program.lower, program.upper
    linear.row_lower_, linear.row_upper_ = program.least, program.most
    rows, hessian = program.rows, program.hessian
    linear.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    linear.a_matrix_.start_, linear.a_matrix_.index_, linear.a_matrix_.value_ = rows.indptr, rows.indices, rows.data
    if hessian.nnz > 0:
        beyond = np.full(columns - hessian.shape[0], hessian.nnz)
        model.hessian_.dim_ = columns
        model.hessian_.format_ = highspy.HessianFormat.kTriangular
        model.hessian_.start_ = np.concatenate([hessian.indptr, beyond])
        model.hessian_.index_, model.hessian_.value_ = hessian.indices, hessian.data
    return model
