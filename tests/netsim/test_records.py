"""Records of bearings in the files of their source."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.io import savemat

from netsim.data.records import NUMBERS, Record, read_records

INNER = Record("IR", 7, 0)
SIGNAL = np.sin(np.arange(300.0))


def test_variables_are_those_of_the_source():
    """Numbers of the records of 28 mil are not those of their files; they count on with the load."""
    assert Record("IR", 7, 0).variable == "X105_DE_time"
    assert Record("normal", 0, 1).variable == "X098_DE_time"
    assert Record("IR", 28, 3).variable == "X059_DE_time"
    assert Record("B", 28, 2).variable == "X050_DE_time"
    assert Record("OR", 21, 0).variable == "X234_DE_time"


def test_records_at_hand_agree_with_the_table(shared_data):
    """Each of the 24 records is found by its variable, and is of the fault, width and load that the table says."""
    folder = shared_data / "bearings" / "records"
    records = [Record(fault, width, load) for fault, width in NUMBERS for load in (0, 1)]
    signals = read_records(folder, records)
    for record, signal in zip(records, signals, strict=True):
        name = f"{record.fault}{record.width:03d}{'at6' if record.fault == 'OR' else ''}"
        name = "cwru_normal" if record.fault == "normal" else f"cwru_de12k_{name}"
        with np.load(folder / f"{name}_load{record.load}.npz") as archive:
            assert archive["mat_variable"] == record.variable
            assert np.array_equal(signal, archive["signal_counts"] * archive["scale"])


@pytest.mark.parametrize("shape", [(300, 1), (1, 300)])
def test_a_signal_is_read_from_a_matlab_file_of_any_name(tmp_path, shape):
    """A column or a row is one signal; other variables and other files do not matter."""
    savemat(tmp_path / "IR007_0.mat", {"X105_DE_time": SIGNAL.reshape(shape), "X105_FE_time": SIGNAL, "X105RPM": 1797})
    savemat(tmp_path / "other.mat", {"results": SIGNAL})
    (tmp_path / "readme.txt").write_text("downloaded on a rainy day")
    (read,) = read_records(tmp_path, [INNER])
    assert np.array_equal(read, SIGNAL)
    assert read.dtype == np.float64


def test_a_record_is_taken_from_its_own_file_first(tmp_path):
    """99.mat of the source holds the record of 98.mat as well; that one serves where there is no better."""
    second, third = Record("normal", 0, 1), Record("normal", 0, 2)
    savemat(tmp_path / "099.mat", {"X098_DE_time": SIGNAL + 1, "X099_DE_time": SIGNAL + 2})
    assert [signal[0] for signal in read_records(tmp_path, [second, third])] == [1, 2]
    savemat(tmp_path / "98.mat", {"X098_DE_time": SIGNAL + 3})
    assert [signal[0] for signal in read_records(tmp_path, [second, third])] == [3, 2]


def test_archives_and_matlab_files_stand_side_by_side(tmp_path):
    """An archive says itself which record it is; its signal is counts times scale."""
    np.savez(tmp_path / "a.npz", signal_counts=np.arange(300, dtype=np.int16), scale=0.5, mat_variable="X105_DE_time")
    np.savez(tmp_path / "features.npz", X=np.ones((3, 2)))
    savemat(tmp_path / "118.mat", {"X118_DE_time": SIGNAL})
    inner, ball = read_records(tmp_path, [INNER, Record("B", 7, 0)])
    assert np.array_equal(inner, np.arange(300) / 2)
    assert np.array_equal(ball, SIGNAL)


def test_all_missing_records_are_told_at_once(tmp_path):
    """The message has fault, width, load and variable of each, and the folder."""
    savemat(tmp_path / "105.mat", {"X105_DE_time": SIGNAL})
    with pytest.raises(ValueError, match=r"IR 14 mil at 3 hp \(variable X172_DE_time\), normal at 0 hp") as told:
        read_records(tmp_path, [INNER, Record("IR", 14, 3), Record("normal", 0, 0)])
    assert str(tmp_path) in str(told.value)
    assert "IR 7 mil" not in str(told.value)


@pytest.mark.parametrize("compressed", [False, True])
def test_a_cut_matlab_file_is_refused_by_name(tmp_path, compressed):
    """A download that broke off, anywhere in it, raises nothing but ``ValueError``."""
    file = tmp_path / "105.mat"
    savemat(file, {"X105_DE_time": SIGNAL.reshape(-1, 1)}, do_compression=compressed)
    whole = file.read_bytes()
    for length in range(0, len(whole) - 8, 29):
        file.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"105\.mat|X105_DE_time"):
            read_records(tmp_path, [INNER])


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (np.array([1.0, np.nan, 2.0]), "finite"),
        (np.ones((20, 2)), r"shape \(20, 2\)"),
        (np.ones(20, dtype=complex), "complex128"),
        ("words", "must be one row"),
    ],
)
def test_what_is_no_signal_is_refused(tmp_path, value, fault):
    """One row of finite numbers is a signal, anything else an error that names variable and file."""
    savemat(tmp_path / "105.mat", {"X105_DE_time": value})
    with pytest.raises(ValueError, match=rf"X105_DE_time of 105\.mat.*{fault}"):
        read_records(tmp_path, [INNER])


def test_a_wrong_archive_is_refused_by_name(tmp_path):
    """An archive without a scale, with pickled objects, or no archive at all."""
    file = tmp_path / "a.npz"
    np.savez(file, signal_counts=np.arange(3), mat_variable="X105_DE_time")
    with pytest.raises(ValueError, match=r"a\.npz needs arrays of numbers"):
        read_records(tmp_path, [INNER])
    np.savez(file, signal_counts=np.arange(3), scale=np.array(object()), mat_variable="X105_DE_time")
    with pytest.raises(ValueError, match=r"array scale of a\.npz cannot be read"):
        read_records(tmp_path, [INNER])
    file.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(ValueError, match=r"a\.npz is not a whole \.npz file"):
        read_records(tmp_path, [INNER])


def test_a_file_is_no_folder_of_records(tmp_path):
    """The folder is named, not one of its files."""
    savemat(tmp_path / "105.mat", {"X105_DE_time": SIGNAL})
    with pytest.raises(ValueError, match="is not a directory"):
        read_records(tmp_path / "105.mat", [INNER])
