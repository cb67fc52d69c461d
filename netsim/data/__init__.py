"""Where samples come from: each piece loads a :class:`Dataset` of training and test samples with ranks or numbers."""

from __future__ import annotations

from netsim.data.archives import Npz
from netsim.data.bearings import Bearings
from netsim.data.bundled import Diabetes, Digits
from netsim.data.dataset import Dataset, checked
from netsim.data.files import find, fingerprint, read_text
from netsim.data.libsvm import Libsvm
from netsim.data.mnist import Mnist
from netsim.data.regression import KernelExpansion, Ripples
from netsim.data.synthetic import Rings, Strips
from netsim.data.tables import Csv

Data = Strips | Rings | KernelExpansion | Ripples | Csv | Npz | Libsvm | Mnist | Bearings | Diabetes | Digits

__all__ = [
    "Bearings",
    "Csv",
    "Data",
    "Dataset",
    "Diabetes",
    "Digits",
    "KernelExpansion",
    "Libsvm",
    "Mnist",
    "Npz",
    "Rings",
    "Ripples",
    "Strips",
    "checked",
    "find",
    "fingerprint",
    "read_text",
]
