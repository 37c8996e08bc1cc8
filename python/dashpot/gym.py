"""Environments of Gymnasium: Hopper, Walker2d, HalfCheetah, Ant and Humanoid, with the spaces and rewards of v5; and two
tasks of our own, Grasp and Peg (dashpot.tasks).

    import gymnasium, dashpot.gym
    env = gymnasium.make("dashpot/Hopper-v5")
    envs = gymnasium.make_vec("dashpot/Hopper-v5", num_envs=64, vectorization_mode="vector_entry_point")

Models of the five are Gymnasium's own files. What differs from MuJoCo's environments is the physics: the contact law is an
option, law="ncp", and the integrator is the semi-implicit one whatever the file asks for.
"""
from __future__ import annotations

import dataclasses
import pathlib
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _core, tasks
from .simulation import Batch, Data

Array = npt.NDArray[Any]
NO_BOUNDS = (-np.inf, np.inf)


@dataclasses.dataclass(frozen=True)
class Task:
    """What is observed and rewarded. Ranges are open intervals."""

    file: str
    skip: int  #: steps of the simulation for one of the environment
    control_cost: float
    forward: float = 1.0
    alive: float = 1.0  #: reward of a step in health
    height: tuple[float, float] = NO_BOUNDS  #: [m] healthy
    angle: tuple[float, float] = NO_BOUNDS  #: [rad] healthy: of the torso in the plane
    state: tuple[float, float] = NO_BOUNDS  #: healthy: all other numbers of the state
    ends: bool = True  #: without health
    height_at: int = 1  #: where in q
    hidden: int = 1  #: leading positions that are not observed
    noise: float = 5e-3
    normal_noise: bool = False  #: of velocities, else uniform
    clip_velocity: float = np.inf
    contact_cost: float = 0.0
    contact_clip: float = np.inf  #: [N, N m] of each component, in cost and observation
    contact_cost_limit: float = np.inf
    bodies: tuple[str, ...] = ()  #: observed of each body: inertia, motion, actuation, contact
    centre: bool = False  #: forward is the motion of the centre of mass, else of the root


TASKS = {
    "Hopper": Task("hopper.xml", 4, 1e-3, height=(0.7, np.inf), angle=(-0.2, 0.2), state=(-100.0, 100.0), clip_velocity=10.0),
    "Walker2d": Task("walker2d_v5.xml", 4, 1e-3, height=(0.8, 2.0), angle=(-1.0, 1.0), clip_velocity=10.0),
    "HalfCheetah": Task("half_cheetah.xml", 5, 0.1, alive=0.0, ends=False, noise=0.1, normal_noise=True),
    "Ant": Task(
        "ant.xml", 5, 0.5, height=(0.2, 1.0), height_at=2, hidden=2, noise=0.1, normal_noise=True,
        contact_cost=5e-4, contact_clip=1.0, bodies=("contact",),
    ),
    "Humanoid": Task(
        "humanoid.xml", 5, 0.1, forward=1.25, alive=5.0, height=(1.0, 2.0), height_at=2, hidden=2, noise=1e-2,
        contact_cost=5e-7, contact_cost_limit=10.0, bodies=("inertia", "motion", "actuation", "contact"), centre=True,
    ),
}


def assets() -> pathlib.Path:
    """The folder of Gymnasium's models."""
    return pathlib.Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets"


class Worlds:
    """The simulations of an environment, one or many, and what a task sees of them."""

    def __init__(self, name: str, count: int, threads: int, options: dict[str, Any]):
        self.task = TASKS[name]
        self.model = _core.Model(assets() / self.task.file)
        self.origin = Data(self.model, **{"integrator": "semi-implicit", **options})
        self.batch = Batch(self.origin, count, threads=threads)
        self.dt = self.task.skip * self.origin.options.step
        ranges = [self.model.actuator(i).control_range for i in range(self.model.nu)]
        self.action_space = Box(*np.array(ranges, dtype=np.float32).T, dtype=np.float32)
        infos = [self.model.body(i).inertial for i in range(self.model.nbody)]
        self._mass = np.array([info.mass for info in infos])
        self._moments = np.array([info.moments for info in infos])
        self.reset(np.ones(count, bool), np.random.default_rng(0))
        size = self.observe().shape[1]
        self.observation_space = Box(-np.inf, np.inf, (size,), np.float64)

    def reset(self, mask: npt.NDArray[np.bool_], rng: np.random.Generator) -> None:
        """Back to the start, with noise of the task's size."""
        task, batch = self.task, self.batch
        batch.reset(mask)
        count = int(mask.sum())
        batch.q[mask] += rng.uniform(-task.noise, task.noise, (count, self.model.nq))
        draw = rng.standard_normal if task.normal_noise else lambda shape: rng.uniform(-1.0, 1.0, shape)
        batch.v[mask] += task.noise * draw((count, self.model.nv))
        for world in np.flatnonzero(mask):
            batch.world(int(world)).forward()

    def place(self) -> Array:
        """(N, 2) what moves forward."""
        if not self.task.centre:
            return self.batch.q[:, :2].copy()
        return np.array([self.batch.world(i).momentum(1).com[:2] for i in range(len(self.batch))])

    def step(self, actions: npt.ArrayLike, mask: npt.NDArray[np.bool_]) -> tuple[Array, Array, dict[str, Array]]:
        """Rewards, whether each has ended, and the parts of the reward."""
        task, batch = self.task, self.batch
        batch.control[mask] = np.asarray(actions, float)[mask]
        before = self.place()
        batch.step(task.skip, mask, check=False)
        velocity = (self.place() - before) / self.dt
        healthy = self.healthy()
        cost = np.square(self.contact_wrenches()).sum(axis=(1, 2)) if task.contact_cost else np.zeros(len(batch))
        parts = {
            "reward_forward": task.forward * velocity[:, 0],
            "reward_ctrl": -task.control_cost * np.square(batch.control).sum(axis=1),
            "reward_contact": -np.minimum(task.contact_cost * cost, task.contact_cost_limit),
            "reward_survive": task.alive * healthy,
        }
        reward = np.sum(list(parts.values()), axis=0)
        return reward, ~healthy & task.ends, {**parts, "x_position": batch.q[:, 0].copy(), "x_velocity": velocity[:, 0]}

    def healthy(self) -> npt.NDArray[np.bool_]:
        task, batch = self.task, self.batch
        q, v = batch.q, batch.v
        good = np.isfinite(q).all(axis=1) & np.isfinite(v).all(axis=1) & (batch.result["status"] == 0)
        good &= (q[:, task.height_at] > task.height[0]) & (q[:, task.height_at] < task.height[1])
        if task.angle != NO_BOUNDS:
            good &= (q[:, 2] > task.angle[0]) & (q[:, 2] < task.angle[1])
        if task.state != NO_BOUNDS:
            rest = np.concatenate((q[:, 2:], v), axis=1)
            good &= ((rest > task.state[0]) & (rest < task.state[1])).all(axis=1)
        return np.asarray(good)

    def _bodies(self) -> npt.NDArray[Any]:
        return np.stack([self.batch.world(i).bodies for i in range(len(self.batch))])

    def _centre(self, bodies: npt.NDArray[Any]) -> Array:
        """(N, 1, 3) centre of mass of all that moves."""
        return np.asarray((bodies["com"] * self._mass[:, None]).sum(axis=1, keepdims=True) / self._mass.sum())

    def contact_wrenches(self, bodies: npt.NDArray[Any] | None = None) -> Array:
        """(N, nbody, 6) of the contacts of each body about the centre of mass of all, clipped as the task says."""
        bodies = self._bodies() if bodies is None else bodies
        arm = bodies["com"] - self._centre(bodies)
        torque = bodies["contact_torque"] + np.cross(arm, bodies["contact_force"])
        wrench = np.concatenate((torque, bodies["contact_force"]), axis=2)
        wrench[:, 0] = 0.0  # of the world
        return np.asarray(np.clip(wrench, -self.task.contact_clip, self.task.contact_clip))

    def _inertias(self, bodies: npt.NDArray[Any]) -> Array:
        """(N, nbody, 10) about the centre of mass of all: xx yy zz xy xz yz, first moments, mass."""
        w, x, y, z = np.moveaxis(bodies["inertial_quaternion"], 2, 0)
        R = np.empty((*w.shape, 3, 3))
        R[..., 0, :] = np.stack((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)), axis=-1)
        R[..., 1, :] = np.stack((2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)), axis=-1)
        R[..., 2, :] = np.stack((2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)), axis=-1)
        arm, mass = bodies["com"] - self._centre(bodies), self._mass[:, None]
        tensor = np.einsum("nbij,bj,nbkj->nbik", R, self._moments, R)
        square = np.einsum("nbi,nbi->nb", arm, arm)[..., None, None] * np.eye(3)
        tensor += mass[..., None] * (square - arm[..., :, None] * arm[..., None, :])
        unique = tensor[..., [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        return np.concatenate((unique, mass * arm, np.broadcast_to(mass, (*w.shape, 1))), axis=2)

    def _motions(self, bodies: npt.NDArray[Any]) -> Array:
        """(N, nbody, 6) angular velocity, and velocity of the point of the body at the centre of mass of all."""
        turn = bodies["angular_velocity"]
        there = bodies["velocity"] + np.cross(turn, self._centre(bodies) - bodies["position"])
        return np.concatenate((turn, there), axis=2)

    def observe(self) -> Array:
        """(N, n)"""
        task, batch = self.task, self.batch
        parts = [batch.q[:, task.hidden :], np.clip(batch.v, -task.clip_velocity, task.clip_velocity)]
        if task.bodies:
            bodies, count = self._bodies(), len(batch)
            if "inertia" in task.bodies:
                parts.append(self._inertias(bodies)[:, 1:].reshape(count, -1))
            if "motion" in task.bodies:
                parts.append(self._motions(bodies)[:, 1:].reshape(count, -1))
            if "actuation" in task.bodies:
                parts.append(np.stack([batch.world(i).actuation[6:] for i in range(count)]))
            parts.append(self.contact_wrenches(bodies)[:, 1:].reshape(count, -1))
        return np.concatenate(parts, axis=1)


def worlds_of(task: str, count: int, threads: int, options: dict[str, Any]) -> Worlds | tasks.Worlds:
    kind = tasks.Worlds if task in tasks.TASKS else Worlds
    return kind(task, count, threads, options)


class DashpotEnv(gymnasium.Env[Array, Array]):
    """One simulation. Options are those of Data: law="ncp"."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: str = "Hopper", render_mode: str | None = None, **options: Any):
        self.worlds = worlds_of(task, 1, 1, options)
        self.data = self.worlds.batch.world(0)
        self.observation_space = self.worlds.observation_space
        self.action_space = self.worlds.action_space
        self.render_mode = render_mode
        self._all = np.ones(1, bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed)
        self.worlds.reset(self._all, self.np_random)
        return self.worlds.observe()[0], {"x_position": float(self.data.q[0])}

    def step(self, action: npt.ArrayLike) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        reward, ended, info = self.worlds.step(np.asarray(action)[None], self._all)
        failed = bool(self.worlds.batch.result["status"][0] != 0)
        one = {name: float(value[0]) for name, value in info.items()}
        return self.worlds.observe()[0], float(reward[0]), bool(ended[0]) or failed, False, one


class DashpotVectorEnv(VectorEnv[Array, Array, Array]):
    """Many at once, on threads. A world that ended is reset by the step after, as Gymnasium's NEXT_STEP says."""

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        task: str = "Hopper",
        max_episode_steps: int = 1000,
        threads: int = 1,
        render_mode: str | None = None,
        **options: Any,
    ):
        self.worlds = worlds_of(task, num_envs, threads, options)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = self.worlds.observation_space
        self.single_action_space = self.worlds.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.max_episode_steps = max_episode_steps
        self._steps = np.zeros(num_envs, int)
        self._ended = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed[0] if isinstance(seed, list) else seed)
        mask = np.ones(self.num_envs, bool)
        if options and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"], bool)
        self.worlds.reset(mask, self.np_random)
        self._steps[mask] = 0
        self._ended[mask] = False
        return self.worlds.observe(), {}

    def step(self, actions: npt.ArrayLike) -> tuple[Array, Array, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        again = self._ended.copy()
        reward, terminated, info = self.worlds.step(actions, ~again)
        if again.any():
            self.worlds.reset(again, self.np_random)
        self._steps = np.where(again, 0, self._steps + 1)
        reward = np.where(again, 0.0, reward)
        terminated = np.asarray(terminated, bool) & ~again
        truncated = (self._steps >= self.max_episode_steps) & ~again
        self._ended = terminated | truncated
        return self.worlds.observe(), reward, terminated, truncated, info


def register() -> None:
    """Make the environments known to gymnasium.make and make_vec. Importing this module does it."""
    steps = {f"{name}-v5": 1000 for name in TASKS} | {f"{name}-v0": task.steps for name, task in tasks.TASKS.items()}
    for versioned, limit in steps.items():
        identifier = f"dashpot/{versioned}"
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier,
                entry_point="dashpot.gym:DashpotEnv",
                vector_entry_point="dashpot.gym:DashpotVectorEnv",
                max_episode_steps=limit,
                kwargs={"task": versioned.partition("-")[0]},
            )


register()
