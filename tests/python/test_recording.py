"""Recordings, pages and comparisons."""
import csv

import numpy as np
import pytest

import dashpot as dp


def test_a_recording_has_the_channels_that_were_asked_for(pendulum):
    data = dp.Data(pendulum)
    data.q[:] = 0.5
    run = data.record(0.1, channels="joint.elbow.*,energy.*", every=1)
    assert run.names[0] == "time"
    assert run.time[-1] == pytest.approx(data.time)
    assert run["joint.elbow.q"][-1] == data.joint("elbow").q
    assert run.units["joint.elbow.q"] == "rad"
    assert run.samples == len(run.time) == round(0.1 / data.options.step) + 1
    assert set(run) == set(run.names)
    with pytest.raises(KeyError, match="elbow"):
        run["joint.knee.q"]
    with pytest.raises(dp.ArgumentError):
        data.record(0.1, channels="joint.knee.q")


def test_files_of_a_recording(pendulum, tmp_path):
    data = dp.Data(pendulum)
    run = data.record(0.1)
    for suffix in ("csv", "npz", "svg", "html"):
        run.save(tmp_path / f"run.{suffix}")
    with open(tmp_path / "run.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert tuple(rows[0]) == run.names
    assert float(rows[-1][0]) == run.time[-1]
    with np.load(tmp_path / "run.npz") as table:
        assert np.array_equal(table["time"], run.time)
    assert (tmp_path / "run.html").read_text().lower().startswith("<!doctype html")
    with pytest.raises(dp.ArgumentError, match="expected a name"):
        run.save(tmp_path / "run.txt")
    with pytest.raises(dp.FileError):
        run.save(tmp_path / "no folder" / "run.csv")


def test_a_replay_of_a_run_is_one_page(humanoid, tmp_path):
    data = dp.Data(humanoid, keyframe="falling")
    data.replay(tmp_path / "run.html", seconds=0.1)
    assert data.time == pytest.approx(0.1)
    assert (tmp_path / "run.html").stat().st_size > 100_000


def test_notebooks_show_a_data_in_a_frame_that_can_reach_nothing(pendulum):
    data = dp.Data(pendulum)
    before = data.hash
    page = data._repr_html_()
    assert page.startswith('<iframe sandbox="allow-scripts"')
    assert data.hash == before


def test_laws_are_compared_on_one_scene(scenes):
    model = dp.Model(scenes / "contact" / "ramp.xml")
    result = dp.compare(model, laws=["compliant", "ncp", "vi"], seconds=0.2)
    assert result.reference == "compliant"
    assert result["ncp"].apart < 1e-2
    assert result["vi"].lift_off >= result["ncp"].lift_off
    assert "compliant" in repr(result)
    assert result._repr_html_().count("<tr>") == 4
    assert not any(run.failure for run in result.runs.values())


def test_a_law_that_refuses_a_scene_is_a_row_of_the_comparison(pendulum):
    result = dp.compare(pendulum, laws=["compliant", "nonsense"], seconds=0.05)
    assert "nonsense" in result["nonsense"].failure
    assert result["compliant"].steps > 0
