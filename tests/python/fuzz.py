#!/usr/bin/env python3
"""Random calls of the module: fuzz.py [CALLS [SEED]].

Every public method, property and function is called with arguments that may be anything: right ones,
wrong types and shapes, NaN, names that do not exist, objects of other models, objects that nothing
else refers to. Exceptions are what is expected; a crash, a report of a sanitizer or an exception
without a message is not. `make fuzz-python` runs it under AddressSanitizer.
"""
import collections
import gc
import os
import pathlib
import random
import sys
import tempfile

import numpy as np

import dashpot as dp

SOURCE = pathlib.Path(os.environ.get("DP_SOURCE", pathlib.Path(__file__).resolve().parents[2])).resolve()
MODELS = ["double_pendulum.xml", "contact/ramp.xml", "gripper_linkage.xml", "cube_on_foundation.xml"]
NAMES = ["world", "elbow", "rod", "box", "floor", "", "no such", "é\u202e", "a" * 600, "q", "body", "geom.x.mass"]
EXPECTED = (dp.Error, TypeError, ValueError, AttributeError, OverflowError, KeyError, IndexError, BufferError, ImportError)
# What would only spend time or fill the disk.
SKIPPED = {"replay", "record", "run", "compare", "save", "write_html", "write_csv", "write_npz", "write_svg", "to_pandas"}


class Fuzzer:
    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.folder = pathlib.Path(folder)
        self.objects = []
        self.exceptions = collections.Counter()

    def model(self):
        return dp.Model(SOURCE / "scenes" / self.random.choice(MODELS))

    def fresh(self):
        """An object of the module."""
        r = self.random.random()
        if r < 0.3:
            return dp.Data(self.model())
        if r < 0.5:
            return self.model()
        if r < 0.6:
            return dp.Batch(self.model(), self.random.randint(1, 3), threads=self.random.randint(1, 2))
        if r < 0.7:
            return dp.Spec.load(SOURCE / "scenes" / self.random.choice(MODELS))
        if r < 0.8:
            return dp.Spec("fuzz")
        if r < 0.85:
            return dp.Shape("box", [1, 1, 1])
        return self.random.choice([dp.Recorder, dp.Replay, dp.Recording])(self.model())

    def number(self):
        r = self.random
        return r.choice([0, 1, -1, 2, r.randint(-5, 40), r.random(), -1e300, 1e-300, float("nan"), float("inf"), 2**31, 10**30])

    def array(self):
        shape = self.random.choice([(), (1,), (2,), (3,), (4,), (6,), (7,), (2, 2), (3, 3), (2, 3), (0,), (1, 2, 3)])
        array = np.array(self.random.choices([0.0, 1.0, -1.0, 0.5, 3.0], k=int(np.prod(shape)))).reshape(shape)
        kind = self.random.random()
        if kind < 0.1:
            array = array.astype(self.random.choice(["i4", "i8", "f4", "c16", "bool", "U3"]))
        elif kind < 0.15 and array.size:
            array.flat[0] = self.random.choice([np.nan, np.inf, -np.inf])
        return array if kind < 0.9 else array.tolist()

    def argument(self):
        r = self.random.random()
        if r < 0.25:
            return self.random.choice(NAMES)
        if r < 0.45:
            return self.number()
        if r < 0.7:
            return self.array()
        if r < 0.8 and self.objects:
            return self.random.choice(self.objects)
        return self.random.choice([None, True, b"", b"\x00" * 100, {}, {"mass": 1.0}, [], [None], (), object(), str(self.folder / "f"), lambda *given: None, ["a", "b"], {"kind": "joint"}])

    def keywords(self):
        words = ["margin", "steps", "mask", "keyframe", "name", "kind", "size", "law", "check", "noise", "rng", "mass", "q",
                 "position", "method", "threads", "limit", "vertex", "wrap", "inertial", "contact", "elevation"]
        return {self.random.choice(words): self.argument() for _ in range(self.random.choice([0, 0, 0, 1, 2]))}

    def call(self):
        r = self.random.random()
        if not self.objects or r < 0.05:
            return self.fresh()
        if r < 0.12:
            function = getattr(dp, self.random.choice(["solve_lcp", "solve_friction", "solve_friction_global", "shapes_distance", "shapes_contacts", "shape_ray", "evaluate", "Data", "Batch", "Shape", "Recorder", "solve_step_problem"]))
            return function(*(self.argument() for _ in range(self.random.randint(0, 5))), **self.keywords())
        thing = self.random.choice(self.objects)
        if isinstance(thing, np.ndarray):
            return thing.sum() if thing.dtype.kind == "f" else repr(thing)
        names = [name for name in dir(thing) if not name.startswith("_") and name not in SKIPPED]
        if not names:
            return repr(thing)
        name = self.random.choice(names)
        if r < 0.25:
            return setattr(thing, name, self.argument())
        member = getattr(thing, name)
        if callable(member):
            if name == "step":
                return member(self.random.choice([0, 1, 2, 3]))
            return member(*(self.argument() for _ in range(self.random.choice([0, 1, 1, 1, 2, 3]))), **self.keywords())
        return member

    def keep(self, result):
        kept = isinstance(result, np.ndarray) or type(result).__module__.startswith("dashpot")
        if kept:
            self.objects.append(result)
        if len(self.objects) > 40 or (self.objects and self.random.random() < 0.3):
            self.objects.pop(self.random.randrange(len(self.objects)))
        if isinstance(result, np.ndarray) and result.dtype == float and result.size and result.flags.writeable:
            result.flat[0] = self.random.choice([0.0, result.flat[0], result.flat[0], 1e3, np.nan])

    def run(self, calls):
        for _ in range(calls):
            try:
                self.keep(self.call())
                if self.random.random() < 0.05 and self.objects:
                    repr(self.random.choice(self.objects))
            except EXPECTED as error:
                self.exceptions[type(error).__name__] += 1
                if not str(error):
                    raise AssertionError(f"{type(error).__name__} without a message") from error
            if self.random.random() < 0.001:
                gc.collect()


def main(calls=20000, seed=1):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # any name may become that of a file
        fuzzer = Fuzzer(seed, folder)
        fuzzer.run(calls)
    print(f"{calls} calls, seed {seed}: no report. Exceptions: {dict(fuzzer.exceptions.most_common())}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
