"""What a run leaves behind: channels as arrays, and poses for a page."""
from __future__ import annotations

import difflib
import os
import pathlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .page import frame_of


class Recording(Mapping[str, "npt.NDArray[np.float64]"]):
    """Channels of a run by name: recording["joint.elbow.q"] is an array over recording.time."""

    def __init__(self, model: _core.Model, channels: str | None = None, *, replay: bool = True):
        self.model = model
        self._table = _core.Recorder(model, channels)
        self._poses = _core.Replay(model) if replay else None
        self._column = {name: column for column, name in enumerate(self._table.names)}

    def sample(self, data: _core.Data) -> None:
        """Append the present values, and the present poses."""
        self._table.sample(data)
        if self._poses is not None:
            self._poses.sample(data)

    @property
    def names(self) -> tuple[str, ...]:
        """The channels, time first."""
        return self._table.names

    @property
    def units(self) -> dict[str, str]:
        """Units by channel: "m", "rad/s", "1"."""
        return dict(zip(self._table.names, self._table.units))

    @property
    def time(self) -> npt.NDArray[np.float64]:
        """[s] of all samples."""
        return self._table.column(0)

    @property
    def samples(self) -> int:
        """How many there are."""
        return len(self._table)

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        if name not in self._column:
            near = difflib.get_close_matches(name, self.names, n=3, cutoff=0.0)
            raise KeyError(f"no channel {name!r} was recorded (near it: {', '.join(near)})")
        return self._table.column(self._column[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._column)

    def __len__(self) -> int:
        return len(self._column)

    def to_pandas(self) -> Any:
        """A DataFrame with the time as its index."""
        import pandas  # type: ignore[import-untyped, unused-ignore]

        columns = {name: self[name] for name in self.names[1:]}
        return pandas.DataFrame(columns, index=pandas.Index(self.time, name=self.names[0]))

    def save(self, path: str | os.PathLike[str], title: str | None = None) -> None:
        """Write a file by its suffix: .csv, .npz, .svg (plots) or .html (a page that shows the run)."""
        suffix = pathlib.Path(path).suffix
        write = {
            ".csv": self._table.write_csv,
            ".npz": self._table.write_npz,
            ".svg": self._table.write_svg,
        }
        if suffix in write:
            write[suffix](path)
        elif suffix != ".html":
            raise _core.ArgumentError(f"{path}: expected a name that ends in .csv, .npz, .svg or .html")
        elif self._poses is None:
            raise _core.ArgumentError("the poses of this run were not recorded (replay=True)")
        else:
            name = title if title is not None else self.model.title
            self._poses.write_html(path, title=name, recorder=self._table)

    def __repr__(self) -> str:
        return f"<Recording of {len(self)} channels, {self.samples} samples>"

    def _repr_html_(self) -> str | None:
        return frame_of(self) if self._poses is not None else None
