"""Bad input: every exception is of one hierarchy and says what was expected."""
import numpy as np
import pytest

import dashpot as dp


@pytest.mark.parametrize(
    "name, python",
    [
        ("ArgumentError", ValueError),
        ("ParseError", ValueError),
        ("UnsupportedError", NotImplementedError),
        ("FileError", OSError),
        ("NumericError", ArithmeticError),
        ("BusyError", RuntimeError),
    ],
)
def test_exceptions_are_dashpots_and_pythons(name, python):
    assert issubclass(getattr(dp, name), (dp.Error, python))
    assert issubclass(getattr(dp, name), python)


def test_files_that_cannot_be_read():
    with pytest.raises(dp.FileError, match="none.xml"):
        dp.Model("none.xml")
    with pytest.raises(dp.ParseError, match="model.xml:1"):
        dp.Model.from_string("<mujoco")
    with pytest.raises(TypeError, match="unknown option colour"):
        dp.Model("none.xml", colour=3)


def test_names_that_do_not_exist(humanoid):
    data = dp.Data(humanoid)
    with pytest.raises(dp.ArgumentError, match="head"):
        data.body("haed")
    with pytest.raises(dp.ArgumentError, match="99 does not exist"):
        data.geom(99)
    with pytest.raises(TypeError, match="a name or a number"):
        data.geom(1.5)
    with pytest.raises(dp.ArgumentError, match="expected compliant"):
        dp.Data(humanoid, law="soft")
    with pytest.raises(dp.ArgumentError):
        dp.Data(humanoid, keyframe="nowhere")
    with pytest.raises(dp.ArgumentError):
        dp.Data(humanoid, colour=1)


def test_shapes_types_and_values_of_arrays(pendulum):
    data = dp.Data(pendulum)
    with pytest.raises(dp.ArgumentError, match=r"acceleration: expected shape \(2,\), got \(3,\)"):
        data.inverse_dynamics([1, 2, 3])
    with pytest.raises(TypeError, match="acceleration: expected real numbers"):
        data.inverse_dynamics("ab")
    with pytest.raises(TypeError, match="real numbers"):
        data.inverse_dynamics([1j, 0])
    with pytest.raises(dp.ArgumentError, match="not a number"):
        data.inverse_dynamics([np.nan, 0])
    with pytest.raises(dp.ArgumentError, match="infinite"):
        data.inverse_dynamics([np.inf, 0])
    with pytest.raises(dp.ArgumentError, match=r"q: expected shape"):
        data.q = [1, 2, 3]
    with pytest.raises(ValueError):
        data.acceleration[0] = 1.0
    with pytest.raises(AttributeError):
        data.contacts = 3


def test_a_state_that_is_no_number_fails_the_step_and_stays(pendulum):
    data = dp.Data(pendulum)
    data.v[1] = np.nan
    with pytest.raises(dp.NumericError, match="elbow"):
        data.step()
    with pytest.raises(dp.NumericError, match="step 1 of 5"):
        data.step(5)
    data.v[1] = 0.0
    data.step()


def test_saved_states_of_another_model_are_refused(pendulum, humanoid):
    data = dp.Data(pendulum)
    with pytest.raises(dp.ArgumentError):
        data.restore(dp.Data(humanoid).save())
    with pytest.raises(dp.ArgumentError):
        data.restore(data.save()[:-3])
    with pytest.raises(TypeError):
        data.restore([1, 2])


def test_counts_of_steps(pendulum):
    data = dp.Data(pendulum)
    data.step(0)
    with pytest.raises(dp.ArgumentError, match="0 or more"):
        data.step(-1)
    with pytest.raises(TypeError):
        data.step("1")
    with pytest.raises(TypeError):
        data.step(1, 2)
    with pytest.raises(OverflowError):
        data.step(10**30)
