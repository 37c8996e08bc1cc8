"""Pages in notebooks: the one-file page of a replay in a frame that can reach nothing else."""
from __future__ import annotations

import html
import pathlib
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .recording import Recording


def frame_of(recording: Recording, height: int = 480) -> str:
    """An iframe that holds the whole page of a recording."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "replay.html")
        recording.save(path)
        page = path.read_text(encoding="utf-8")
    return (
        f'<iframe sandbox="allow-scripts" style="width:100%;height:{height}px;border:0" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )


def table_of(header: list[str], rows: list[list[str]]) -> str:
    """A table of texts as HTML."""

    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + row(header, "th") + "".join(row(cells, "td") for cells in rows) + "</table>"
