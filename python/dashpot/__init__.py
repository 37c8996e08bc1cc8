"""Dashpot: multibody dynamics with contact and friction.

    import dashpot as dp
    model = dp.Model("robot.xml")
    data = dp.Data(model, law="compliant")
    data.step(100)
    print(data.q, data.body("hand").position, data.certificate.creep)

SI units, angles in radians, quaternions w x y z, twists and wrenches angular part first.
Arrays such as data.q are the simulation's own memory: writing them changes the state.
"""
from . import _core
from ._core import *  # noqa: F403
from ._core import evaluate, option_names, version
from .comparison import Comparison, compare
from .enumerations import *  # noqa: F403
from .recording import Recording
from .simulation import Batch, Data, Parameters

__version__ = version()
# What `from dashpot import *` brings: all that is public here and in the extension module.
__all__ = sorted(
    {name for name in dir(_core) if not name.startswith("_")}
    | set(_core._enumerations)
    | {"Batch", "Comparison", "Data", "Parameters", "Recording", "compare", "evaluate", "option_names", "version"}
)
