"""Data and Batch: the extension's own, with what is made of them in Python: recordings, pages, noise."""
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .page import frame_of
from .recording import Recording


class Parameters(Mapping[str, float]):
    """The numbers of a model by name, with the values that they have in one simulation.

    data.parameters["body.torso.mass"] = 8.5; the model stays as it is.
    """

    __slots__ = ("_data",)

    def __init__(self, data: _core.Data):
        self._data = data

    def __getitem__(self, name: str) -> float:
        return self._data.parameter(name)

    def __setitem__(self, name: str, value: float) -> None:
        self._data.set_parameters([name], [value])

    def __iter__(self) -> Iterator[str]:
        return iter(self._data.model.parameters)

    def __len__(self) -> int:
        return len(self._data.model.parameters)

    def update(self, values: Mapping[str, float]) -> None:
        """Set several at once: bounds are checked when all are set."""
        self._data.set_parameters(list(values), list(values.values()))

    def reset(self) -> None:
        """Give all the values of the model again."""
        self._data.reset_parameters()

    def info(self, name: str) -> _core.ParameterInfo:
        """Unit, value of the model and bounds."""
        return self._data.model.parameter(name)

    def __repr__(self) -> str:
        return f"<{len(self)} parameters of '{self._data.model.title}'>"


class Data(_core.Data):
    __doc__ = _core.Data.__doc__
    __slots__ = ()

    @property
    def parameters(self) -> Parameters:
        """The numbers of the model by name, with the values that they have here."""
        return Parameters(self)

    def run(self, seconds: float) -> None:
        """Advance by so many seconds, in steps of options.step."""
        self.step(max(0, round(seconds / self.options.step)))

    def record(
        self,
        seconds: float,
        channels: str | None = None,
        every: int | None = None,
        replay: bool = True,
    ) -> Recording:
        """Advance by so many seconds and record channels, and poses for a page.

        channels: names separated by commas, with * and ?; None: joints and energies.
        every: a sample every so many steps; None: 60 samples for a second.
        replay: record poses, too, so that the recording can show itself.
        """
        step = self.options.step
        every = max(1, round(1.0 / (60.0 * step))) if every is None else every
        if every < 1:
            raise _core.ArgumentError(f"every: expected 1 or more, got {every}")
        recording = Recording(self.model, channels, replay=replay)
        recording.sample(self)
        left = max(0, round(seconds / step))
        while left > 0:
            count = min(every, left)
            self.step(count)
            recording.sample(self)
            left -= count
        return recording

    def replay(self, path: str | os.PathLike[str], seconds: float = 2.0) -> Recording:
        """Advance by so many seconds and write a page that shows it in any browser."""
        recording = self.record(seconds)
        recording.save(path)
        return recording

    def _repr_html_(self) -> str:
        recording = Recording(self.model, "time", replay=True)
        recording.sample(self)
        return frame_of(recording)

    def __reduce__(self) -> Any:
        raise TypeError("a Data cannot be pickled: save() gives its state, Model(path) its model")


class Batch(_core.Batch):
    __doc__ = _core.Batch.__doc__
    __slots__ = ()

    def reset(
        self,
        mask: npt.ArrayLike | None = None,
        keyframe: str | int | None = None,
        noise: float | tuple[float, float] = 0.0,
        rng: np.random.Generator | int | None = None,
    ) -> None:
        """Back to the reference configuration at rest, or to a keyframe, and noise upon it.

        noise: q and v are moved by uniform numbers up to it; or a pair, one for each. The same rng
        and mask give the same noise; worlds that are left out stay as they are.
        """
        super().reset(mask, keyframe)
        of_q, of_v = noise if isinstance(noise, tuple) else (noise, noise)
        if of_q == 0.0 and of_v == 0.0:
            return
        generator = np.random.default_rng(rng)
        which = np.ones(len(self), bool) if mask is None else np.asarray(mask, bool)
        for array, size in ((self.q, of_q), (self.v, of_v)):
            array[which] += generator.uniform(-size, size, array[which].shape)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The names that set_parameters takes."""
        return self.model.parameters
