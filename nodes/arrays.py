"""Names for the arrays that travel between the parts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
"""float64 values: parameters, features, scores."""
Integers = npt.NDArray[np.int64]
"""int64 values: ranks, indices, nanoseconds."""
Labels = Integers | Floats
"""What samples are labelled with: ranks 1, 2, ... or, in regression, numbers."""
