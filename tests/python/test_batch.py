"""Worlds and parameters."""
import gc
import threading

import numpy as np
import pytest

import dashpot as dp


def test_a_parameter_is_a_value_of_one_simulation(humanoid):
    data, other = dp.Data(humanoid), dp.Data(humanoid)
    name = next(name for name in data.parameters if name.endswith(".mass"))
    before = data.parameters[name]
    info = data.parameters.info(name)
    assert (info.value, info.unit) == (before, "kg")
    data.parameters[name] = before + 1.0
    assert data.parameters[name] == before + 1.0
    assert other.parameters[name] == before
    data.kinematics(), other.kinematics()
    assert data.momentum().mass == pytest.approx(other.momentum().mass + 1.0)
    data.parameters.update({"gravity.z": -1.62, name: before})
    assert dict(data.parameters)["gravity.z"] == -1.62
    data.parameters.reset()
    assert data.parameters["gravity.z"] == other.parameters["gravity.z"]


def test_parameters_that_cannot_be_are_refused(humanoid):
    data = dp.Data(humanoid)
    with pytest.raises(dp.ArgumentError):
        data.parameters["body.nobody.mass"]
    name = next(name for name in data.parameters if name.endswith(".mass"))
    with pytest.raises(dp.ArgumentError):
        data.parameters[name] = -1.0
    with pytest.raises(dp.ArgumentError, match=r"expected shape \(1,\)"):
        data.set_parameters(name, [1, 2])
    with pytest.raises(TypeError):
        data.set_parameters([3], [1])


def test_worlds_have_the_bits_of_single_simulations(humanoid):
    single = dp.Data(humanoid, keyframe="falling", law="ncp")
    batch = dp.Batch(single, 5, threads=2)
    batch.control[:] = np.linspace(-0.2, 0.2, 5)[:, None]
    batch.step(20)
    for world in range(5):
        data = single.copy()
        data.control[:] = batch.control[world]
        data.step(20)
        assert np.array_equal(batch.q[world], data.q)
        assert batch.world(world).hash == data.hash
    assert batch.result["steps"].tolist() == [20] * 5
    assert np.all(batch.time == data.time)


def test_arrays_are_the_memory_of_the_worlds(humanoid):
    batch = dp.Batch(humanoid, 3, keyframe="falling")
    assert batch.q is batch.q
    assert batch.wrench.shape == (3, humanoid.nbody, 6)
    batch.v = np.ones((3, humanoid.nv))
    batch.world(1).q[2] = 7.0
    assert batch.q[1, 2] == 7.0
    assert batch.world(2).v.tolist() == [1.0] * humanoid.nv


def test_a_mask_leaves_the_others_as_they_are(humanoid):
    batch = dp.Batch(humanoid, 4, keyframe="falling")
    batch.step(3)
    before = batch.q.copy()
    batch.step(5, mask=[True, False, True, False])
    moved = np.any(batch.q != before, axis=1)
    assert moved.tolist() == [True, False, True, False]
    batch.reset(mask=[False, True, False, False], keyframe="falling")
    assert batch.time.tolist() == [batch.time[0], 0.0, batch.time[2], batch.time[3]]


def test_noise_depends_on_its_seed_alone(humanoid):
    a, b = dp.Batch(humanoid, 4), dp.Batch(humanoid, 4, threads=2)
    for batch in (a, b):
        batch.step(3)
        batch.reset(noise=(0.01, 0.1), rng=7)
    assert np.array_equal(a.q, b.q) and np.array_equal(a.v, b.v)
    assert np.abs(a.v).max() <= 0.1 and np.ptp(a.v[:, 0]) > 0


def test_states_and_open_loop_runs(humanoid):
    batch = dp.Batch(humanoid, 2, keyframe="falling")
    start = batch.states()
    control = np.zeros((2, 6, humanoid.nu))
    states, sensors = batch.rollout(control)
    assert states.shape == (2, 6, start.shape[1])
    assert sensors.shape == (2, 6, humanoid.nsensordata)
    assert np.array_equal(batch.states(), states[:, -1])
    batch.reset_to_states(start)
    assert np.array_equal(batch.states(), start)


def test_worlds_have_parameters_of_their_own(humanoid):
    batch = dp.Batch(humanoid, 2, keyframe="falling")
    batch.set_parameters("gravity.z", [[-9.81], [0.0]])
    batch.step(50)
    assert batch.q[0, 2] < batch.q[1, 2]


def test_a_world_that_fails_does_not_keep_the_others(humanoid):
    batch = dp.Batch(humanoid, 3, keyframe="falling")
    batch.v[1, 0] = np.nan
    with pytest.raises(dp.NumericError, match="1"):
        batch.step(2)
    batch.step(2, check=False)
    assert batch.result["steps"].tolist() == [2, 0, 2]
    assert dp.Status(batch.result["status"][1]) is dp.Status.ERROR_NUMERIC


def test_bad_input_of_batches(humanoid):
    with pytest.raises(dp.ArgumentError):
        dp.Batch(humanoid, 0)
    with pytest.raises(dp.ArgumentError):
        dp.Batch(humanoid, 2, threads=0)
    with pytest.raises(TypeError):
        dp.Batch("humanoid", 2)
    batch = dp.Batch(humanoid, 2)
    with pytest.raises(dp.ArgumentError, match=r"mask: expected shape \(2,\)"):
        batch.step(mask=[True])
    with pytest.raises(TypeError, match="mask"):
        batch.step(mask=[1, 0])
    with pytest.raises(dp.ArgumentError):
        batch.step(-1)
    with pytest.raises(dp.ArgumentError, match="world 5"):
        batch.world(5)
    with pytest.raises(dp.ArgumentError, match="control: expected shape"):
        batch.rollout(np.zeros((2, 3)))
    data = dp.Data(humanoid)
    data.control_callback = print
    with pytest.raises(dp.ArgumentError, match="callbacks"):
        dp.Batch(data, 2)
    with pytest.raises(dp.ArgumentError, match="callbacks"):
        batch.world(0).control_callback = print


def test_views_and_worlds_outlive_the_batch(humanoid):
    batch = dp.Batch(humanoid, 2, keyframe="falling")
    q, world = batch.q, batch.world(1)
    del batch, humanoid
    gc.collect()
    world.step()
    assert np.array_equal(q[1], world.q)
    del world
    gc.collect()
    q[:] = 0.0


def test_a_batch_in_use_by_another_thread_raises(humanoid):
    batch = dp.Batch(humanoid, 8, keyframe="falling")
    world = batch.world(0)
    done = threading.Event()

    def work():
        batch.step(300)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    refused = 0
    while not done.is_set() and refused < 10:
        for call in (batch.step, world.step):
            try:
                if not done.is_set():
                    call()
            except dp.BusyError:
                refused += 1
    thread.join()
    assert refused
