"""Environments of Gymnasium, where it is installed."""
import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", minversion="1.0")

import dashpot.gym  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

SIZES = {"Hopper": (11, 3), "Walker2d": (17, 6), "HalfCheetah": (17, 6), "Ant": (105, 8), "Humanoid": (348, 17)}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.filterwarnings("ignore")
def test_environments_pass_the_check_of_gymnasium(name):
    env = gymnasium.make(f"dashpot/{name}-v5")
    assert (env.observation_space.shape[0], env.action_space.shape[0]) == SIZES[name]
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", ["Hopper", "Ant"])
def test_worlds_of_a_vector_are_single_environments(name):
    envs = gymnasium.make_vec(f"dashpot/{name}-v5", num_envs=3, vectorization_mode="vector_entry_point", threads=2)
    env = gymnasium.make(f"dashpot/{name}-v5").unwrapped
    envs.reset(seed=5), env.reset(seed=5)
    env.data.q[:], env.data.v[:] = envs.worlds.batch.q[1], envs.worlds.batch.v[1]
    rng = np.random.default_rng(1)
    for _ in range(5):
        actions = rng.uniform(-0.5, 0.5, envs.action_space.shape).astype(np.float32)
        observed, rewards, *_ = envs.step(actions)
        alone, reward, *_ = env.step(actions[1])
        assert np.array_equal(observed[1], alone)
        assert rewards[1] == reward


def test_a_world_that_ended_begins_anew_in_the_step_after():
    envs = dashpot.gym.DashpotVectorEnv(2, "Hopper", max_episode_steps=1000)
    envs.reset(seed=0)
    envs.worlds.batch.q[1, 1] = 0.5  # below the height of health
    zeros = np.zeros(envs.action_space.shape, np.float32)
    _, _, terminated, truncated, _ = envs.step(zeros)
    assert terminated.tolist() == [False, True] and not truncated.any()
    observed, rewards, terminated, _, _ = envs.step(zeros)
    assert rewards[1] == 0.0 and not terminated.any()
    assert observed[1, 0] == pytest.approx(1.25, abs=0.01)


def test_a_vector_is_truncated_at_its_limit():
    envs = dashpot.gym.DashpotVectorEnv(2, "HalfCheetah", max_episode_steps=3)
    envs.reset(seed=0)
    zeros = np.zeros(envs.action_space.shape, np.float32)
    ends = [envs.step(zeros)[3].all() for _ in range(4)]
    assert ends == [False, False, True, False]


def test_the_law_is_an_option_of_an_environment():
    env = gymnasium.make("dashpot/Hopper-v5", law="ncp")
    assert env.unwrapped.data.options.solver.law == "ncp"
    env.reset(seed=0)
    env.step(env.action_space.sample())
