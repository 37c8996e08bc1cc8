"""Data: the extension's own, with what is made of it in Python: recordings and pages."""
from __future__ import annotations

import os
from typing import Any

from . import _core
from .page import frame_of
from .recording import Recording


class Data(_core.Data):
    __doc__ = _core.Data.__doc__
    __slots__ = ()

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
