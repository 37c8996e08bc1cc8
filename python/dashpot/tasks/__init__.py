"""Tasks of our own for dashpot.gym: a grasp and a peg in a hole. What is observed, what is rewarded, where they start."""
from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box

from .. import _core
from ..simulation import Batch, Data

Array = npt.NDArray[Any]
Sensors = dict[str, Array]  #: (N, n) by name

CONTROL_COST = 0.01
FORCE_LIMIT = 100.0  #: [N, N m] of what is observed

YAW = 0.3  #: [rad] of the cube at the start
CUBE_HEIGHT = 0.02  #: [m] of its centre, on the ground
LIFT = 0.12  #: [m]
TOUCH = 0.1  #: [N]

DEPTH = 0.06  #: [m] of the hole
INSERTED = 0.9  #: of the depth
MOUTH = 0.01  #: [m] from the axis: beyond it the peg is beside the hole, not in it


@dataclasses.dataclass(frozen=True)
class Task:
    """Rewards are sums of parts, by name; the cost of controls comes to them."""

    file: str
    steps: int  #: of an episode
    noise: dict[str, float]  #: by joint: the start is so far from the reference, uniformly; of a free joint: x, y and yaw
    parts: Callable[[Sensors], dict[str, Array]]
    success: Callable[[Sensors], Array]
    skip: int = 10  #: steps of the simulation for one of the environment


def grasp_parts(sensors: Sensors) -> dict[str, Array]:
    """Near the cube, 0 … 1; held by both fingers, 0.5; lifted by 12 cm, 0 … 2."""
    distance = np.linalg.norm(sensors["grip"] - sensors["cube"], axis=1)
    held = (sensors["left"][:, 0] > TOUCH) & (sensors["right"][:, 0] > TOUCH)
    return {
        "reward_reach": 1.0 - np.tanh(10.0 * distance),
        "reward_hold": 0.5 * held,
        "reward_lift": 2.0 * np.clip((sensors["cube"][:, 2] - CUBE_HEIGHT) / LIFT, 0.0, 1.0),
    }


def grasp_success(sensors: Sensors) -> Array:
    return np.asarray(sensors["cube"][:, 2] > CUBE_HEIGHT + 0.9 * LIFT)


def peg_depth(sensors: Sensors) -> Array:
    """[m] of the tip in the hole."""
    inside = np.linalg.norm(sensors["tip"][:, :2], axis=1) < MOUTH
    return np.asarray(np.where(inside, np.clip(DEPTH - sensors["tip"][:, 2], 0.0, DEPTH), 0.0))


def peg_parts(sensors: Sensors) -> dict[str, Array]:
    """The tip over the axis of the hole, 0 … 1; as deep as the hole, 0 … 2."""
    aside = np.linalg.norm(sensors["tip"][:, :2], axis=1)
    return {"reward_reach": 1.0 - np.tanh(50.0 * aside), "reward_insert": 2.0 * peg_depth(sensors) / DEPTH}


def peg_success(sensors: Sensors) -> Array:
    return np.asarray(peg_depth(sensors) > INSERTED * DEPTH)


TASKS = {
    "Grasp": Task("grasp.xml", 150, {"cube": 0.08, "hand_x": 0.05, "hand_y": 0.05}, grasp_parts, grasp_success),
    "Peg": Task("peg.xml", 150, {"x": 0.03, "y": 0.03, "tilt_x": 0.1, "tilt_y": 0.1}, peg_parts, peg_success),
}


class Worlds:
    """The simulations of an environment, one or many: positions, velocities and sensors are observed."""

    def __init__(self, name: str, count: int, threads: int, options: dict[str, Any]):
        self.task = TASKS[name]
        self.model = _core.Model(pathlib.Path(__file__).parent / self.task.file)
        self.batch = Batch(Data(self.model, **options), count, threads=threads)
        ranges = [self.model.actuator(i).control_range for i in range(self.model.nu)]
        self.action_space = Box(*np.array(ranges, dtype=np.float32).T, dtype=np.float32)
        infos = [self.model.sensor(i) for i in range(len(self.model.names["sensor"]))]
        self._columns = {str(info.name): slice(info.data_index, info.data_index + info.ndata) for info in infos}
        self.reset(np.ones(count, bool), np.random.default_rng(0))
        self.observation_space = Box(-np.inf, np.inf, (self.observe().shape[1],), np.float64)

    def sensors(self) -> Sensors:
        return {name: self.batch.sensors[:, columns] for name, columns in self._columns.items()}

    def reset(self, mask: npt.NDArray[np.bool_], rng: np.random.Generator) -> None:
        batch, count = self.batch, int(mask.sum())
        batch.reset(mask)
        for name, size in self.task.noise.items():
            joint = self.model.joint(name)
            free = joint.kind == "free"
            place = slice(joint.q_index, joint.q_index + (2 if free else 1))
            batch.q[mask, place] += rng.uniform(-size, size, batch.q[mask, place].shape)
            if free:
                yaw = rng.uniform(-YAW, YAW, count)
                batch.q[mask, joint.q_index + 3], batch.q[mask, joint.q_index + 6] = np.cos(yaw / 2), np.sin(yaw / 2)
        batch.sense(mask)

    def step(self, actions: npt.ArrayLike, mask: npt.NDArray[np.bool_]) -> tuple[Array, Array, dict[str, Array]]:
        """Rewards, whether each has failed, and the parts of the reward."""
        task, batch = self.task, self.batch
        batch.control[mask] = np.asarray(actions, float)[mask]
        batch.step(task.skip, mask, check=False)
        failed = batch.result["status"] != 0
        batch.sense(mask & ~failed)
        sensors = self.sensors()
        cost = {"reward_ctrl": -CONTROL_COST * np.square(batch.control).sum(axis=1)}
        parts = {**task.parts(sensors), **cost}
        return np.sum(list(parts.values()), axis=0), failed, {**parts, "is_success": task.success(sensors)}

    def observe(self) -> Array:
        """(N, n) positions, velocities, sensors."""
        batch = self.batch
        return np.concatenate((batch.q, batch.v, np.clip(batch.sensors, -FORCE_LIMIT, FORCE_LIMIT)), axis=1)
