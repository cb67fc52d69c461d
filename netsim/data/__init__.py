"""Where samples come from: each piece loads a :class:`Dataset` of training and test samples with ranks 1..Q."""

from __future__ import annotations

from netsim.data.archives import Npz
from netsim.data.bundled import Diabetes, Digits
from netsim.data.dataset import Dataset, checked
from netsim.data.files import find, read_text
from netsim.data.synthetic import Rings, Strips
from netsim.data.tables import Csv

Data = Strips | Rings | Csv | Npz | Diabetes | Digits

__all__ = ["Csv", "Data", "Dataset", "Diabetes", "Digits", "Npz", "Rings", "Strips", "checked", "find", "read_text"]
