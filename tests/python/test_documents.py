"""Every listing of Python in the documents runs, in order, as it is printed."""
import re

import pytest

PAGES = ["docs/python.md", "README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_listings_run_as_they_are_printed(page, scenes, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenes").symlink_to(scenes, target_is_directory=True)
    text = (scenes.parent / page).read_text(encoding="utf-8")
    listings = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert listings
    names = {}
    for listing in listings:
        exec(compile(listing, page, "exec"), names)
