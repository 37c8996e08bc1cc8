"""Arrays and records outlive what they came from; threads; nothing is lost."""
import gc
import subprocess
import sys
import threading

import numpy as np
import pytest

import dashpot as dp


def everything(model):
    data = dp.Data(model, keyframe="falling")
    data.step(5)
    things = {
        "model": model,
        "data": data,
        "q": data.q,
        "row": data.wrench[1],
        "options": data.options,
        "body": data.body(1),
        "info": model.body(1),
        "contacts": data.contacts,
        "item": model.import_report[0],
    }
    return things


def use(name, thing):
    if name in ("q", "row"):
        thing[0] = thing[0] + 0.0
    elif name == "options":
        thing.step = thing.step
    elif name == "data":
        thing.step()
    elif name == "body":
        thing.position, thing.name
    else:
        repr(thing)


@pytest.mark.parametrize("seed", range(4))
def test_views_outlive_data_and_model_in_any_order(scenes, seed):
    things = everything(dp.Model(scenes / "humanoid.xml"))
    order = np.random.default_rng(seed).permutation(sorted(things))
    for gone in order:
        del things[gone]
        gc.collect()
        for name, thing in things.items():
            use(name, thing)


def test_a_data_in_a_cycle_with_its_callback_is_collected(pendulum):
    data = dp.Data(pendulum)
    data.control_callback = lambda d, data=data: data
    data.force_callback = lambda d, f, data=data: data
    gone = []

    class Witness:
        def __del__(self):
            gone.append(True)

    data.contact_filter = lambda a, b, witness=Witness(): True
    del data
    gc.collect()
    assert gone


def churn(model):
    data = dp.Data(model)
    data.control_callback = lambda d: None
    data.step(2)
    data.options.solver.tolerance = data.options.solver.tolerance
    data.contacts["state"], data.rows, data.report.certificate.asdict(), data.energy
    data.body(1).position, data.body(1).info.inertial.moments, data.joint(0).q
    data.mass_matrix(), data.jacobian(1, [0, 0, 0]), data.copy(), data.save()
    data.statics(ranges=False)
    for wrong in (lambda: data.body("x"), lambda: data.inverse_dynamics([1]), lambda: data.step(-1)):
        try:
            wrong()
        except dp.Error:
            pass
    spec = dp.Spec("t")
    spec.add_body(0, name="b", inertial={"mass": 1.0, "moments": [1, 1, 1]})
    spec.body("b").name = "c"
    spec.compile()
    dp.solve_lcp([[1.0]], [-1.0])
    recording = data.record(0.01, channels="energy.*", every=1)
    recording.time


def test_no_memory_is_lost_when_everything_is_done_again(scenes):
    """A reference that is lost costs a block each time; free lists of Python fill up but once."""
    model = dp.Model(scenes / "contact" / "ramp.xml")
    growth = []
    for _ in range(12):
        gc.collect()
        references, objects = sys.getrefcount(model), len(gc.get_objects())
        blocks = sys.getallocatedblocks()
        for _ in range(20):
            churn(model)
        gc.collect()
        assert sys.getrefcount(model) == references
        assert len(gc.get_objects()) <= objects + 5
        growth.append(sys.getallocatedblocks() - blocks)
        if growth[-1] < 20:
            return
    raise AssertionError(f"blocks that 20 runs leave behind: {growth}")


def test_eight_threads_step_eight_datas_of_one_model(humanoid):
    alone = dp.Data(humanoid, keyframe="falling")
    alone.step(60)
    datas = [dp.Data(humanoid, keyframe="falling") for _ in range(8)]
    threads = [threading.Thread(target=data.step, args=(60,)) for data in datas]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {data.hash for data in datas} == {alone.hash}


def test_a_data_in_use_by_another_thread_raises(humanoid):
    data = dp.Data(humanoid, keyframe="falling")
    done = threading.Event()

    def work():
        data.step(3000)
        done.set()

    thread = threading.Thread(target=work)
    refused = 0
    thread.start()
    while not done.is_set():
        for call in (data.step, data.forward, lambda: data.report, lambda: data.save()):
            try:
                if done.is_set():
                    break
                call()
            except dp.BusyError as error:
                assert "thread" in str(error)
                refused += 1
        if refused > 20:
            break
    thread.join()
    assert refused > 0
    data.step()


def test_ctrl_c_ends_a_long_run_and_keeps_the_state(scenes):
    program = """
import os, signal, threading, time, sys
import dashpot as dp
data = dp.Data(dp.Model(sys.argv[1]), keyframe="falling")
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.perf_counter()
try:
    data.step(10**9)
except KeyboardInterrupt:
    data.step()
    print("interrupted" if time.perf_counter() - begun < 5 else "late")
"""
    run = subprocess.run([sys.executable, "-c", program, str(scenes / "humanoid.xml")], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "interrupted", run.stderr
