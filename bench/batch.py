#!/usr/bin/env python3
"""Many simulations from Python beside MuJoCo's: bench/batch.py [options]

Gymnasium's own models (pip install "gymnasium[mujoco]"; 1.0 and MuJoCo 4.0 or later), the same
step and horizon, the same starts and random controls, in one process. Two ways of use: closed
loop, where controls are written and positions read between two calls (dp.Batch.step beside
mujoco.batch), and open loop, where all controls are known before (dp.Batch.rollout beside
mujoco.rollout). MuJoCo runs as the file asks, and with its semi-implicit method, which takes one
evaluation a step as Dashpot's does. Engines take turns; CPU time of the calls, of all threads; a
ratio is the median over the turns.
"""
import argparse
import csv
import os
import pathlib
import statistics
import sys
import time

import gymnasium
import mujoco
import mujoco.batch
import mujoco.rollout
import numpy as np

import dashpot as dp

ASSETS = pathlib.Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"
MODELS = {"Humanoid": ("humanoid.xml", 5), "Ant": ("ant.xml", 5)}  # and steps of the simulation for each of an environment
FREE_Q, FREE_V = 7, 6  # coordinates of the root: all others are hinges, in both engines
NOISE = 0.05  # [rad], [rad/s] of the starts


class Dashpot:
    name = "dashpot"

    def __init__(self, path, options):
        self.data = dp.Data(dp.Model(path), integrator="semi-implicit", law=options.law)
        self.step_size = self.data.options.step
        self.batch = dp.Batch(self.data, options.worlds, threads=options.threads)
        self.control_range = [self.data.model.actuator(i).control_range for i in range(self.data.model.nu)]

    def start(self, angles, rates):
        self.batch.reset()
        self.batch.q[:, FREE_Q:] = angles
        self.batch.v[:, FREE_V:] = rates

    def closed(self, controls, skip):
        for control in controls:
            self.batch.control[:] = control
            self.batch.step(skip)
        return self.batch.q.copy()

    def open(self, controls):
        self.batch.rollout(controls)
        return self.batch.q.copy()


class Mujoco:
    def __init__(self, path, options, method):
        self.name = "mujoco" if method is None else "mujoco semi-implicit"
        self.model = mujoco.MjModel.from_xml_path(str(path))
        if method is not None:
            self.model.opt.integrator = method
        self.step_size = self.model.opt.timestep
        self.batch = mujoco.batch.Batch(self.model, options.worlds, nthread=options.threads)
        pool = options.threads if options.threads > 1 else 0  # 0: on the calling thread
        self.rollouts = mujoco.rollout.Rollout(nthread=pool)
        self.datas = [mujoco.MjData(self.model) for _ in range(options.threads)]
        self.q, self.v, self.control = (self.batch.bind(name) for name in ("qpos", "qvel", "ctrl"))

    def start(self, angles, rates):
        self.batch.reset()
        self.q[:, FREE_Q:] = angles
        self.v[:, FREE_V:] = rates

    def closed(self, controls, skip):
        for control in controls:
            self.control[:] = control
            self.batch.step(nstep=skip)
        return self.q.copy()

    def open(self, controls):
        state = np.concatenate((self.batch.time[:, None], self.q, self.v), axis=1)
        states, _ = self.rollouts.rollout(self.model, self.datas, state, controls)
        return states[:, -1, 1 : 1 + self.model.nq].copy()


def timed(engine, start, run):
    """[s] of CPU, and the last positions."""
    engine.start(*start)
    before = time.process_time()
    q = run(engine)
    return time.process_time() - before, q


def measure(name, options):
    """Rows: model, mode, engine, µs of a step of one world (median, least, most), ratio, mean height of the root at the end."""
    file, skip = MODELS[name]
    methods = (None, mujoco.mjtIntegrator.mjINT_EULER)
    engines = [Dashpot(ASSETS / file, options), *(Mujoco(ASSETS / file, options, method) for method in methods)]
    assert len({engine.step_size for engine in engines}) == 1
    rng = np.random.default_rng(options.seed)
    hinges = (engines[0].batch.q.shape[1] - FREE_Q, engines[0].batch.v.shape[1] - FREE_V)
    start = [rng.uniform(-NOISE, NOISE, (options.worlds, size)) for size in hinges]
    low, high = np.array(engines[0].control_range).T
    controls = rng.uniform(low, high, (options.horizon, options.worlds, len(low)))
    each = np.ascontiguousarray(np.repeat(controls.transpose(1, 0, 2), skip, axis=1))  # of all steps, by world
    modes = {"closed": lambda engine: engine.closed(controls, skip), "open": lambda engine: engine.open(each)}
    rows = []
    for mode, run in modes.items():
        times, ends = {engine.name: [] for engine in engines}, {}
        for turn in range(options.turns + 1):
            for engine in engines:
                seconds, ends[engine.name] = timed(engine, start, run)
                if turn:  # the first one warms up
                    times[engine.name].append(seconds)
        for engine in engines:
            own = [1e6 * t / (options.worlds * options.horizon * skip) for t in times[engine.name]]
            ratio = statistics.median(t / d for t, d in zip(times[engine.name], times["dashpot"]))
            height = float(ends[engine.name][:, 2].mean())
            rows.append((name, mode, engine.name, statistics.median(own), min(own), max(own), ratio, height))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=MODELS, action="append", help="this one; again for more")
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--horizon", type=int, default=100, help="steps of the environment, of several of the simulation")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--law", default="compliant", help="Dashpot's contact law")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--csv", type=pathlib.Path)
    options = parser.parse_args()

    print(f"Dashpot {dp.version()}, law {options.law}; MuJoCo {mujoco.__version__}; Gymnasium {gymnasium.__version__}")
    print(f"{options.worlds} worlds, {options.threads} threads, horizon {options.horizon} × {MODELS['Ant'][1]} steps")
    print(f"load average {' '.join(f'{load:.2f}' for load in os.getloadavg())} on {os.cpu_count()} processors")
    print(f"{'model':9} {'loop':7} {'engine':21} {'µs of CPU a step':>24} {'× Dashpot':>10} {'height [m]':>11}")
    table = []
    for name in options.model or MODELS:
        for row in measure(name, options):
            table.append(row)
            model, mode, engine, median, least, most, ratio, height = row
            span = f"{median:.2f} ({least:.2f} … {most:.2f})"
            print(f"{model:9} {mode:7} {engine:21} {span:>24} {ratio:10.2f} {height:11.2f}", flush=True)
    print(f"load average {' '.join(f'{load:.2f}' for load in os.getloadavg())}")
    if options.csv:
        with open(options.csv, "w", newline="", encoding="utf-8") as file:
            columns = ("model", "loop", "engine", "us_median", "us_least", "us_most", "ratio", "height")
            csv.writer(file).writerows([columns, *table])
    return 0


if __name__ == "__main__":
    sys.exit(main())
