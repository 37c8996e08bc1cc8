"""Complementarity and friction problems, shapes: without a model."""
import numpy as np
import pytest

import dashpot as dp


def test_a_complementarity_problem_is_solved():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(12, 12))
    M, q = A @ A.T + np.eye(12), rng.normal(size=12)
    z, w, info = dp.solve_lcp(M, q)
    assert info.outcome == "solved"
    assert np.allclose(w, M @ z + q)
    assert z.min() >= 0 and w.min() > -1e-9 and abs(z @ w) < 1e-9
    z, w, info = dp.solve_lcp(M, q, np.full(12, -np.inf), np.full(12, np.inf))
    assert np.allclose(M @ z, -q)
    _, _, info = dp.solve_lcp(M, q, method="lemke", seed=3)
    assert info.method == "lemke"


def test_what_is_no_complementarity_problem_is_refused():
    with pytest.raises(dp.ArgumentError, match="square"):
        dp.solve_lcp([[1, 2]], [1])
    with pytest.raises(dp.ArgumentError, match=r"q: expected shape \(1,\)"):
        dp.solve_lcp([[1.0]], [1, 2])
    with pytest.raises(dp.ArgumentError, match="both"):
        dp.solve_lcp([[1.0]], [1], [0.0])
    with pytest.raises(dp.ArgumentError, match="colour"):
        dp.solve_lcp([[1.0]], [1], colour=1)


def test_a_particle_sticks_and_slides():
    stick, u, info = dp.solve_friction(np.eye(3), [-1.0, 0.3, 0.0], [0.5])
    assert info.outcome == "solved" and np.allclose(u, 0, atol=1e-6)
    slide, u, info = dp.solve_friction(np.eye(3), [-1.0, 0.9, 0.0], [0.5])
    assert np.hypot(*slide[1:]) == pytest.approx(0.5 * slide[0], rel=1e-6)
    assert info.residual.slide == 1


def test_the_global_form_agrees_with_the_local_one():
    rng = np.random.default_rng(2)
    B = rng.normal(size=(6, 6))
    M, H = B @ B.T + 6 * np.eye(6), rng.normal(size=(6, 6))
    f, w, mu = rng.normal(size=6), np.zeros(6), [0.4, 0.7]
    r, u, v, info = dp.solve_friction_global(M, H, f, w, mu)
    assert info.outcome == "solved"
    assert np.allclose(M @ v, H @ r + f, atol=1e-6)
    W, q = H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, f) + w
    _, u_local, _ = dp.solve_friction(W, q, mu)
    assert np.allclose(u, u_local, atol=1e-5)


class Csc:
    """What scipy.sparse.csc_matrix has, for machines without SciPy."""

    def __init__(self, dense):
        dense = np.asarray(dense, float)
        self.shape = dense.shape
        self.indptr, self.indices, self.data = [0], [], []
        for column in dense.T:
            rows = np.flatnonzero(column)
            self.indices += rows.tolist()
            self.data += column[rows].tolist()
            self.indptr.append(len(self.indices))
        self.indptr, self.indices = np.array(self.indptr), np.array(self.indices)
        self.data = np.array(self.data)

    def tocsc(self, copy):
        return self

    def sort_indices(self):
        pass


def test_sparse_matrices_are_taken_by_columns():
    W, q = np.diag([1.0, 2.0, 3.0]), [-1.0, 0.9, 0.2]
    assert np.array_equal(dp.solve_friction(Csc(W), q, [0.3])[0], dp.solve_friction(W, q, [0.3])[0])


def test_shapes_by_themselves():
    ball, box = dp.Shape("sphere", [0.5]), dp.Shape("box", [1, 1, 1])
    assert dp.shapes_distance(ball, box, [0, 0, 3]).gap == pytest.approx(1.5)
    assert len(dp.shapes_contacts(box, box, [0, 0, 1.999])) == 4
    assert dp.shape_ray(ball, [0, 0, 2], [0, 0, -1]).distance == pytest.approx(1.5)
    cube = dp.Shape("mesh", vertices=[[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    assert dp.shapes_distance(ball, cube, [0, 0, 3]).gap == pytest.approx(1.5)
    with pytest.raises(dp.ArgumentError, match="expected plane"):
        dp.Shape("cone")
    with pytest.raises(dp.ArgumentError, match="vertices"):
        dp.Shape("mesh")


def test_expressions_have_exact_derivatives():
    value, rate, accel = dp.evaluate("2*sin(3*t)", 0.5)
    assert (value, rate, accel) == pytest.approx((2 * np.sin(1.5), 6 * np.cos(1.5), -18 * np.sin(1.5)))
    with pytest.raises(dp.ParseError):
        dp.evaluate("2*(")


def test_the_step_problem_of_a_step_is_solved_again(scenes, tmp_path):
    data = dp.Data(dp.Model(scenes / "contact" / "ramp.xml"))
    data.step(20)
    problem = data.step_problem()
    M, G = problem["M"], problem["G"]
    assert np.allclose(M @ (problem["v"] - problem["v_free"]), G.T @ problem["gamma"], atol=1e-9)
    assert len(problem["rows"]) == len(problem["gamma"])
    data.save_step_problem(tmp_path / "step.txt")
    v, gamma, info, certificate = dp.solve_step_problem(tmp_path / "step.txt")
    assert info.outcome == "converged"
    assert np.allclose(v, problem["v"], atol=1e-8)
    assert certificate.momentum < 1e-9
    rigid = dp.solve_step_problem(tmp_path / "step.txt", law="ncp")
    assert rigid[2].outcome == "converged"
    with pytest.raises(dp.ArgumentError):
        dp.solve_step_problem(tmp_path / "step.txt", law="soft")
    with pytest.raises(dp.FileError):
        dp.solve_step_problem(tmp_path / "none.txt")


def test_an_empty_step_problem_has_no_rows(pendulum):
    data = dp.Data(pendulum)
    data.step()
    assert len(data.step_problem()["rows"]) == 0
