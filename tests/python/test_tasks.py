"""The grasp and the peg of dashpot.gym, where Gymnasium is installed: each can be solved, and not by chance."""
import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", minversion="1.0")

import dashpot.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

WORLDS = 16
SIZES = {"Grasp": (31, 4), "Peg": (19, 5)}


def grasp(envs, step):
    """Above the cube, down, close, up."""
    sensors = envs.worlds.sensors()
    away = sensors["cube"] - sensors["grip"]
    actions = np.zeros(envs.action_space.shape)
    actions[:, :2] = 20 * away[:, :2] if step < 75 else 0
    actions[:, 2] = np.select([step < 30, step < 60, step < 75], [0, 20 * away[:, 2], 0], 0.5)
    actions[:, 3] = -1 if step < 60 else 1
    return actions


def peg(envs, step):
    """Upright above the hole, then down."""
    tip, q = envs.worlds.sensors()["tip"], envs.worlds.batch.q
    actions = np.zeros(envs.action_space.shape)
    actions[:, :2] = -50 * tip[:, :2]
    actions[:, 2] = 0 if step < 50 else -1
    actions[:, 3:] = -10 * q[:, 3:]
    return actions


def run(name, policy, law="compliant"):
    """Sums of rewards and successes at the end of the episode."""
    envs = gymnasium.make_vec(f"dashpot/{name}-v0", num_envs=WORLDS, vectorization_mode="vector_entry_point", law=law)
    envs.reset(seed=3)
    total, truncated, step = np.zeros(WORLDS), np.zeros(WORLDS, bool), 0
    while not truncated.all():
        actions = np.clip(policy(envs, step), -1, 1).astype(np.float32)
        _, reward, terminated, truncated, info = envs.step(actions)
        assert not terminated.any()
        total, step = total + reward, step + 1
    assert step == dashpot.gym.tasks.TASKS[name].steps
    return total, info["is_success"]


def chance(envs, step, rng=np.random.default_rng(0)):
    return rng.uniform(-1, 1, envs.action_space.shape)


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.filterwarnings("ignore")
def test_tasks_pass_the_check_of_gymnasium(name):
    env = gymnasium.make(f"dashpot/{name}-v0")
    assert (env.observation_space.shape[0], env.action_space.shape[0]) == SIZES[name]
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("law", ["compliant", "ncp"])
@pytest.mark.parametrize("name, policy", [("Grasp", grasp), ("Peg", peg)])
def test_tasks_are_solved_from_every_start(name, policy, law):
    total, success = run(name, policy, law)
    assert success.all()
    by_chance, lucky = run(name, chance, law)
    assert not lucky.any()
    assert total.min() > by_chance.max()
