"""One scene under several contact laws: how far apart they end, and how well each met its rows."""
from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from .page import table_of
from .recording import Recording
from .simulation import Data

# What a table shows of a run: column, unit, member of LawRun.
COLUMNS = (
    ("apart from reference", "m, rad", "apart"),
    ("deepest overlap", "m", "penetration"),
    ("lift-off", "m", "lift_off"),
    ("sticking contacts creep", "m/s", "creep"),
    ("residual", "m/s", "residual"),
    ("steps not solved", "1", "unsolved"),
    ("energy at the end", "J", "energy"),
    ("steps per second", "1/s", "speed"),
)


@dataclasses.dataclass
class LawRun:
    """One law's run. Distances and rates are the worst of all steps."""

    law: str
    failure: str = ""  #: why it ended before its time; "" where it did not
    steps: int = 0
    apart: float = np.nan  #: [m, rad] largest difference of a coordinate from the reference at the end
    penetration: float = 0.0
    lift_off: float = 0.0
    creep: float = 0.0
    residual: float = 0.0
    unsolved: int = 0
    energy: float = np.nan
    speed: float = np.nan
    q: Any = None  #: coordinates at the end
    recording: Recording | None = None


def _run(model: _core.Model, law: str, seconds: float, options: dict[str, Any]) -> LawRun:
    run = LawRun(law)
    try:
        data = Data(model, law=law, **options)
        run.recording = Recording(model, None)
        every = max(1, round(1.0 / (60.0 * data.options.step)))
        spent = 0.0
        for k in range(round(seconds / data.options.step)):
            if k % every == 0:
                run.recording.sample(data)
            begun = time.perf_counter()
            data.step()
            spent += time.perf_counter() - begun
            report = data.report
            certificate = report.certificate
            run.steps += 1
            run.penetration = max(run.penetration, certificate.penetration)
            run.lift_off = max(run.lift_off, certificate.lift_off)
            run.creep = max(run.creep, certificate.creep)
            run.residual = max(run.residual, report.residual)
            run.unsolved += report.unsolved
        run.speed = run.steps / spent if spent > 0.0 else np.nan
        data.kinematics()
        run.energy = data.energy.total
        run.q = data.q.copy()
    except _core.Error as error:
        run.failure = str(error)
    return run


class Comparison:
    """The runs of compare(), by law, and how far each ended from the reference."""

    def __init__(self, model: _core.Model, runs: Sequence[LawRun], seconds: float):
        self.model = model
        self.seconds = seconds
        self.runs = {run.law: run for run in runs}
        ended = [run for run in runs if run.q is not None]
        self.reference = next((run.law for run in ended if run.law == "ode"), None) or (
            ended[0].law if ended else ""
        )
        for run in ended:
            difference = np.abs(run.q - self.runs[self.reference].q)
            run.apart = float(difference.max(initial=0.0))

    def __getitem__(self, law: str) -> LawRun:
        return self.runs[law]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows, as texts."""
        header = ["law", *(f"{name} [{unit}]" if unit != "1" else name for name, unit, _ in COLUMNS)]
        rows = []
        for run in self.runs.values():
            if run.failure:
                rows.append([run.law, run.failure])
            else:
                rows.append([run.law, *(f"{getattr(run, member):.3g}" for *_, member in COLUMNS)])
        return header, rows

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each law."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        members = [member for *_, member in COLUMNS]
        rows = [[getattr(run, member) for member in members] for run in self.runs.values()]
        return pandas.DataFrame(rows, index=list(self.runs), columns=members)

    def __repr__(self) -> str:
        header, rows = self.table()
        lines = [f"{self.model.title}: {self.seconds:g} s, reference {self.reference}"]
        for column, name in enumerate(header[1:], start=1):
            cells = ", ".join(f"{row[0]} {row[column]}" for row in rows if len(row) > 2)
            lines.append(f"  {name}: {cells}")
        lines += [f"  {row[0]}: {row[1]}" for row in rows if len(row) == 2]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return table_of(*self.table())


def compare(
    model: _core.Model, laws: str | Sequence[str] = "all", seconds: float = 2.0, **options: Any
) -> Comparison:
    """Run a scene under several laws with the same options and step.

    laws: "all", or names. The reference is the law ode where it is among them and takes the scene,
    else the first. Options are those of Data: keyframe="falling", step=1e-3.
    """
    names = (*_core._enumerations["LawKind"], "ode") if laws == "all" else laws
    names = [names] if isinstance(names, str) else list(names)
    return Comparison(model, [_run(model, law, seconds, options) for law in names], seconds)
