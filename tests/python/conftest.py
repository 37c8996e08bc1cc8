"""What tests of the package share: scenes."""
import os
import pathlib

import pytest

import dashpot as dp

SOURCE = pathlib.Path(os.environ.get("DP_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
SCENES = SOURCE / "scenes"


@pytest.fixture
def scenes():
    return SCENES


@pytest.fixture
def pendulum():
    return dp.Model(SCENES / "double_pendulum.xml")


@pytest.fixture
def humanoid():
    return dp.Model(SCENES / "humanoid.xml")
