"""Models and data: state, steps, elements by name, callbacks."""
import numpy as np
import pytest

import dashpot as dp

BALL = """<mujoco model="ball"><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="ball" pos="0 0 0.5"><freejoint name="free"/><geom name="skin" size="0.1"/></body>
</worldbody></mujoco>"""


def test_arrays_are_the_memory_of_the_simulation(pendulum):
    data = dp.Data(pendulum)
    assert data.q is data.q
    data.q[:] = 0.3
    data.joint("elbow").q = 0.1
    assert data.q.tolist() == [0.3, 0.1]
    before = data.hash
    data.v[0] = 1e-9
    assert data.hash != before


def test_many_steps_are_as_many_single_ones(humanoid):
    one, many = (dp.Data(humanoid, keyframe="falling") for _ in range(2))
    for _ in range(50):
        one.step()
    many.step(50)
    assert one.hash == many.hash
    assert one.time == pytest.approx(50 * one.options.step)


def test_a_saved_state_comes_back_to_the_bit(humanoid):
    data = dp.Data(humanoid, keyframe="falling")
    data.step(40)
    saved, at = data.save(), data.hash
    data.step(20)
    later = data.hash
    data.restore(saved)
    assert data.hash == at
    data.step(20)
    assert data.hash == later


def test_a_copy_continues_with_the_same_bits(humanoid):
    data = dp.Data(humanoid, keyframe="falling", law="ncp")
    data.step(30)
    other = data.copy()
    assert other.hash == data.hash
    other.step(10)
    data.step(10)
    assert other.hash == data.hash


def test_options_are_set_by_keyword_and_in_place(pendulum):
    data = dp.Data(pendulum, step=1e-3, integrator="rk4", gravity="0,0,-1.62")
    assert data.options.step == 1e-3
    assert data.options.integrator == "rk4"
    assert data.options.gravity.tolist() == [0.0, 0.0, -1.62]
    data.options.gravity = [0, 0, -3.7]
    data.options.integrator = "semi-implicit"
    data.set_option("disable_gravity", True)
    assert data.options.disable_gravity is True
    assert pendulum.options.integrator == "semi-implicit"


def test_energy_of_a_pendulum_is_kept_by_an_integrator_of_order_five(pendulum):
    data = dp.Data(pendulum, integrator="rk45")
    data.q[:] = [1.0, 0.5]
    data.kinematics()
    before = data.energy.total
    data.step(1000)
    data.kinematics()
    assert data.energy.total == pytest.approx(before, abs=1e-6)


def test_a_ball_rests_on_the_floor_with_its_weight():
    data = dp.Data(dp.Model.from_string(BALL))
    data.step(1000)
    weight = data.momentum().mass * 9.81
    assert data.contacts["normal_force"].sum() == pytest.approx(weight, rel=1e-3)
    assert data.normal_force("floor", "skin") == pytest.approx(weight, rel=1e-3)
    assert data.contact_wrench("world", "ball", data.body("ball").com)[5] == pytest.approx(weight, rel=1e-3)
    contact = data.contacts[0]
    assert contact["normal"].tolist() == [0.0, 0.0, 1.0]
    assert dp.ContactState(contact["state"]) is not dp.ContactState.OPEN
    assert data.certificate.penetration < 1e-4


def test_elements_have_their_poses_and_velocities(humanoid):
    data = dp.Data(humanoid)
    data.kinematics()
    hand = data.body(3)
    assert np.allclose(hand.rotation @ hand.rotation.T, np.eye(3))
    jacobian = data.jacobian(3)
    data.v[:] = np.linspace(-1, 1, humanoid.nv)
    data.kinematics()
    twist = jacobian @ data.v
    assert np.allclose(twist[:3], hand.angular_velocity)
    assert np.allclose(twist[3:], hand.velocity)
    hand.wrench = [0, 0, 0, 1, 2, 3]
    assert data.wrench[3].tolist() == [0, 0, 0, 1, 2, 3]


def test_dynamics_agree_with_each_other(humanoid):
    data = dp.Data(humanoid)
    data.v[:] = 0.1
    data.kinematics()
    M, c = data.mass_matrix(), data.bias()
    a = np.sin(np.arange(humanoid.nv))
    tau = data.inverse_dynamics(a)
    assert np.allclose(data.forward_dynamics(tau), a, atol=1e-8)
    assert np.allclose(M @ data.mass_solve(c), c, atol=1e-8)


def test_a_control_callback_steers_at_every_evaluation(scenes):
    model = dp.Model(scenes / "arm_7dof.xml")
    data = dp.Data(model)
    times = []

    def control(data):
        times.append(data.time)
        data.control[:] = 0.5

    data.control_callback = control
    data.step(3)
    assert len(times) >= 3
    assert np.all(data.control == 0.5)
    other = dp.Data(model)
    other.control[:] = 0.5
    other.step(3)
    assert np.array_equal(data.q, other.q)


def test_a_force_callback_acts_as_the_force_array_does(pendulum):
    by_array, by_callback = dp.Data(pendulum), dp.Data(pendulum)
    by_array.force[:] = [0.3, -0.1]

    def push(data, force):
        force[:] = [0.3, -0.1]

    by_callback.force_callback = push
    by_array.step(20)
    by_callback.step(20)
    assert np.array_equal(by_array.q, by_callback.q)


def test_a_callback_that_raises_leaves_the_state_as_it_was(pendulum):
    data = dp.Data(pendulum)
    data.q[:] = 0.4
    before = data.hash

    def fail(data):
        raise KeyError("mine")

    data.control_callback = fail
    with pytest.raises(KeyError, match="mine"):
        data.step()
    assert data.hash == before
    data.control_callback = None
    data.step()


def test_a_callback_may_ask_but_not_step(pendulum):
    data = dp.Data(pendulum)
    seen = []

    def ask(data):
        seen.append(data.energy.total)
        with pytest.raises(dp.BusyError, match="callback"):
            data.step()

    data.control_callback = ask
    data.step()
    assert seen


def test_statics_finds_what_a_table_leaves_open():
    legs = "".join(
        f'<geom name="leg{i}" type="sphere" size="0.05" pos="{x} {y} -0.45"/>'
        for i, (x, y) in enumerate([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    )
    data = dp.Data(
        dp.Model.from_string(
            f"""<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 0.5"><freejoint/>
            <geom type="box" size="1 1 0.1"/>{legs}</body></worldbody></mujoco>"""
        )
    )
    info, reactions = data.statics(touch=1e-4)
    assert info.admissible
    assert info.nullity > 0
    normals = reactions[reactions["component"] == 0]
    assert np.all(normals["lowest"] <= normals["highest"])


def test_rays_and_distances_see_the_scene():
    data = dp.Data(dp.Model.from_string(BALL))
    geom, hit = data.ray([0, 0, 2], [0, 0, -1])
    assert geom == data.model.index("geom", "skin")
    assert hit.distance == pytest.approx(1.4)
    geom, hit = data.ray([0, 0, 2], [0, 0, -1], without="ball")
    assert geom == data.model.index("geom", "floor")
    assert data.ray([0, 0, 2], [0, 0, 1]) is None
    data.kinematics()
    assert data.distance("floor", "skin").gap == pytest.approx(0.4)
    found = data.find_contacts(margin=0.5)
    assert len(found) == 1
    assert found[0]["at"]["gap"] == pytest.approx(0.4)


def test_names_and_infos_are_those_of_the_file():
    model = dp.Model.from_string(BALL)
    assert model.names["body"] == ("world", "ball")
    assert model.geom("skin").kind == "sphere"
    assert model.geom("skin").size[0] == 0.1
    assert model.joint("free").nq == 7
    assert model.sizes.ngeom == 2
    assert any(item.element == "geom" for item in model.import_report)
    assert "joint.free.q.0" in model.channels or len(model.channels) > 3
