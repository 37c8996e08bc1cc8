#!/usr/bin/env python3
"""Random scenes, mechanisms and heaps for hours, in pieces: tools/torture.py [--steps N] [--draws N] [--pieces P]

Each piece makes a share of all three parts: the auditor (tests/audit) until each law has made N steps, and the tests
slow_row_stability and slow_contact_torture with N draws. What a piece finds ends nothing: the rest is done all the same, and
the summary at the end lists it. Stopped at any time, the same command goes on: with the next 200 scenes, or with the part of
the piece that it was at. Exit status: 0 nothing was found, 1 something was, 3 nothing but runs that took too long,
130 interrupted.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import time

SLOW = 3  # the auditor's exit status when runs took too long and nothing else was found
LEAST = 2000  # draws of a test at once: it judges shares of steps, too
TESTS = {"mechanisms": "slow_row_stability", "heaps": "slow_contact_torture"}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="build folder (default %(default)s)")
    parser.add_argument("--out", default="out/audit", help="folder of reduced scenes (default %(default)s)")
    parser.add_argument("--steps", type=int, default=1000000, help="of each law (default %(default)s)")
    parser.add_argument("--draws", type=int, default=1000000, help="of mechanisms and of heaps (default %(default)s)")
    parser.add_argument("--pieces", type=int, default=50, help="(default %(default)s)")
    return parser.parse_args()


class Torture:
    def __init__(self, options):
        self.options = options
        self.folder = os.path.join(options.build, "torture")
        self.path = os.path.join(self.folder, "state.json")
        self.tally = os.path.join(self.folder, "tally")
        os.makedirs(self.folder, exist_ok=True)
        self.plan = {"steps": options.steps, "draws": options.draws, "pieces": options.pieces}
        self.state = {"plan": self.plan, "piece": 0, "done": [], "draws": dict.fromkeys(TESTS, 0), "failed": []}
        if os.path.exists(self.path):
            with open(self.path) as file:
                kept = json.load(file)
            if kept["plan"] == self.plan:
                self.state = kept
            else:
                print(f"{self.path} is of another plan: beginning anew, with the scenes that are audited already")

    def save(self):
        with open(self.path + ".next", "w") as file:
            json.dump(self.state, file, indent=1)
        os.replace(self.path + ".next", self.path)

    def share(self, total, pieces):
        return total * pieces // self.options.pieces

    def audit(self, steps, more):
        command = [f"{self.options.build}/tests/audit/audit", "--steps", str(steps), "--resume", self.tally, *more]
        return subprocess.run(command).returncode

    def test(self, part, first, end):
        name = TESTS[part]
        environment = dict(os.environ, DP_FIRST=str(first), DP_DRAWS=str(end - first), CMOCKA_MESSAGE_OUTPUT="STDOUT")
        run = subprocess.run([f"{self.options.build}/tests/physics", name], env=environment, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(f"{part} {first} to {end - 1}: {'passed' if run.returncode == 0 else 'FAILED'}", flush=True)
        if run.returncode != 0:
            log = os.path.join(self.folder, f"{name}_{first}.log")
            with open(log, "w") as file:
                file.write(run.stdout)
            lines = [line for line in run.stdout.splitlines() if re.search("ERROR|LINE|draw |seed ", line)]
            self.state["failed"].append({"part": part, "first": first, "draws": end - first, "log": log,
                                         "line": lines[0].strip() if lines else ""})

    def run_piece(self):
        piece = self.state["piece"]
        print(f"piece {piece + 1} of {self.options.pieces}", flush=True)
        if "scenes" not in self.state["done"]:
            status = self.audit(self.share(self.options.steps, piece + 1), [])
            if status not in (0, 1, SLOW):
                sys.exit(f"the auditor ended with status {status}")
            self.state["done"].append("scenes")
            self.save()
        for part in TESTS:
            first, end = self.state["draws"][part], self.share(self.options.draws, piece + 1)
            last = piece + 1 == self.options.pieces
            if part not in self.state["done"] and end - first >= (1 if last else LEAST):
                self.test(part, first, end)
                self.state["draws"][part] = end
                self.state["done"].append(part)
                self.save()
        self.state["piece"] += 1
        self.state["done"] = []
        self.save()

    def summarise(self):
        print("\nsummary", flush=True)
        status = self.audit(self.share(self.options.steps, self.state["piece"]), ["--out", self.options.out])
        for part, name in TESTS.items():
            failed = [f for f in self.state["failed"] if f["part"] == part]
            print(f"{part} ({name}): {self.state['draws'][part]} of {self.options.draws} draws, {len(failed)} failures")
            for f in failed:
                print(f"  DP_FIRST={f['first']} DP_DRAWS={f['draws']}: {f['line']} ({f['log']})")
        scenes = {0: "no violations", 1: "violations: see the table and " + self.options.out,
                  SLOW: "nothing but runs that took too long"}
        print(f"random scenes (audit): {scenes.get(status, f'ended with status {status}')}")
        return 1 if self.state["failed"] else status


def main():
    torture = Torture(parse())
    begin = time.monotonic()
    while torture.state["piece"] < torture.options.pieces:
        torture.run_piece()
    status = torture.summarise()
    print(f"{time.monotonic() - begin:.0f} s in this run; remove {torture.folder} to begin anew")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ninterrupted: the same command goes on from here", file=sys.stderr)
        sys.exit(130)
