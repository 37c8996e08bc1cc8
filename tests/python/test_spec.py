"""Specs: mechanisms that are built or edited in Python."""
import numpy as np
import pytest

import dashpot as dp


def pendulum():
    spec = dp.Spec("built")
    spec.add_body("world", name="rod", position=[0, 0, 1])
    spec.add_joint("rod", name="hinge", axis=[0, 1, 0], damping=0.1)
    spec.add_geom("rod", name="bar", kind="capsule", size=[0.02, 0.3], position=[0, 0, -0.3])
    spec.add_actuator(name="motor", joint="hinge", gear=[2])
    spec.add_key(name="up", q=[3.1])
    return spec


def test_a_spec_compiles_to_what_it_says():
    model = pendulum().compile()
    assert (model.nq, model.nu, model.title) == (1, 1, "built")
    assert model.joint("hinge").damping == 0.1
    data = dp.Data(model, keyframe="up")
    assert data.q[0] == 3.1


def test_elements_are_edited_in_place():
    spec = pendulum()
    spec.joint("hinge").damping = 0.5
    spec.geom("bar").contact.material.stiffness = 1e5
    spec.geom("bar").name = "stick"
    spec.options.step = 1e-4
    assert spec.geom("stick").contact.material_given
    model = spec.compile()
    assert model.joint(0).damping == 0.5
    assert model.options.step == 1e-4
    assert model.names["geom"] == ("stick",)


def test_mjcf_that_was_written_reads_back():
    text = pendulum().to_mjcf()
    one, other = pendulum().compile(), dp.Model.from_string(text)
    a, b = dp.Data(one), dp.Data(other)
    for data in (a, b):
        data.q[0] = 1.0
        data.step(100)
    assert a.hash == b.hash


def test_meshes_tendons_and_height_fields_take_arrays():
    spec = dp.Spec()
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    spec.add_mesh(name="cube", vertex=corners)
    spec.add_hfield(name="hill", elevation=[[0, 1], [0.5, 0]], size=[1, 1, 0.2, 0.1])
    spec.add_geom("world", kind="hfield", hfield="hill")
    body = spec.add_body(0, name="box", position=[0, 0, 1])
    spec.add_joint(body, name="a", kind="slide")
    spec.add_joint(body, name="b")
    spec.add_geom(body, kind="mesh", mesh="cube")
    spec.add_tendon(name="t", wrap=[{"kind": "joint", "object": "a", "coefficient": 2.0}])
    model = spec.compile()
    assert model.mesh("cube").vertex.shape == (8, 3)
    assert model.hfield("hill").elevation.tolist() == [[0, 1], [0.5, 0]]
    assert model.tendon("t").nwrap == 1


def test_inertias_that_are_given_count():
    spec = dp.Spec()
    spec.add_body(0, name="b", inertial={"mass": 2.0, "moments": [1, 1, 1]})
    spec.add_joint("b")
    assert spec.compile().body("b").inertial.mass == 2.0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda s: s.add_geom("nobody"), "no body 'nobody'"),
        (lambda s: s.add_geom("rod", colour=1), "no member 'colour'"),
        (lambda s: s.add_geom("rod", kind="cone"), "expected one of 'plane', 'sphere'"),
        (lambda s: s.add_geom("rod", size=[1, 2, 3, 4]), "size: expected 3 numbers, got 4"),
        (lambda s: s.add_body(0, name="rod"), "rod"),
        (lambda s: s.geom(7), "geom 7 does not exist"),
    ],
)
def test_a_refused_addition_says_what_was_expected(call, message):
    spec = pendulum()
    with pytest.raises(dp.ArgumentError, match=message):
        call(spec)
    spec.compile()  # and leaves nothing behind


def test_a_spec_takes_another_one_into_it():
    spec = dp.Spec()
    for side in ("left", "right"):
        spec.attach(pendulum(), position=[0, 1 if side == "left" else -1, 0], prefix=f"{side}_")
    model = spec.compile()
    assert model.names["joint"] == ("left_hinge", "right_hinge")
    data = dp.Data(model)
    data.kinematics()
    assert data.body("right_rod").position.tolist() == [0.0, -1.0, 1.0]
    with pytest.raises(dp.ArgumentError):
        spec.attach(pendulum(), prefix="left_")
    spec.compile()


def test_wrong_types_of_members_are_refused():
    spec = pendulum()
    with pytest.raises(TypeError, match="damping: expected a number, got str"):
        spec.joint(0).damping = "much"
    with pytest.raises(TypeError, match="name: expected a string"):
        spec.joint(0).name = 3
    with pytest.raises(AttributeError):
        spec.joint(0).dampping = 1.0
