"""The example that learns to hop, where Gymnasium is installed: its gradients and its advantages, and a very short run."""
import importlib.util

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", minversion="1.0")

from conftest import SOURCE  # noqa: E402


@pytest.fixture(scope="module")
def ppo():
    spec = importlib.util.spec_from_file_location("ppo_hopper", SOURCE / "examples" / "python" / "ppo_hopper.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_gradients_are_those_of_the_loss(ppo):
    rng = np.random.default_rng(0)
    networks, gradient = (ppo.Networks(5, 2, 7, np.float64) for _ in range(2))
    networks.policy.initialise(rng, 1.0)
    networks.value.initialise(rng, 1.0)
    networks.log_deviation[:] = [0.1, -0.2]
    observed, action = rng.standard_normal((40, 5)), rng.standard_normal((40, 2))
    old = networks.log_probability(networks.mean(observed), action) + 0.3 * rng.standard_normal(40)
    batch = (observed, action, old, *rng.standard_normal((2, 40)))
    loss = lambda: ppo.loss_and_gradient(networks, batch, ppo.Settings(), gradient)  # noqa: E731
    loss()
    written, h = gradient.parameters.copy(), 1e-6
    for i, value in enumerate(networks.parameters.copy()):
        networks.parameters[i] = value + h
        above = loss()
        networks.parameters[i] = value - h
        slope = (above - loss()) / (2 * h)
        networks.parameters[i] = value
        assert written[i] == pytest.approx(slope, abs=1e-8)


def test_advantages_are_sums_of_surprises_up_to_the_end(ppo):
    rng = np.random.default_rng(1)
    reward, values = rng.standard_normal((6, 1)), rng.standard_normal((7, 1))
    terminated, ended = np.zeros((2, 6, 1), bool)
    terminated[1] = ended[1] = ended[3] = True  # the second end is a limit of time: what follows has its value
    surprise = reward + 0.9 * np.where(terminated, 0, values[1:]) - values[:-1]
    episodes = [slice(0, 2), slice(2, 4), slice(4, 6)]
    expected = np.concatenate([[surprise[s][0] + 0.9 * 0.8 * surprise[s][1], surprise[s][1]] for s in episodes])
    assert ppo.advantages(reward, values, terminated, ended, 0.9, 0.8) == pytest.approx(expected)


def test_a_step_that_resets_a_world_is_not_learned_from(ppo):
    envs = ppo.dashpot.gym.DashpotVectorEnv(3, "Hopper", max_episode_steps=5)
    networks = ppo.Networks(11, 3, 8)
    runner = ppo.Runner(envs, networks, ppo.Settings(worlds=3, horizon=12), seed=0)
    observed, *others = runner.collect()
    assert len(observed) == 3 * 10  # of twelve steps two reset
    assert all(len(rows) == len(observed) for rows in others)
    assert len(runner.scores) == 6


@pytest.mark.filterwarnings("ignore")
def test_a_short_run_leaves_a_policy_and_a_page(ppo, tmp_path, capsys):
    arguments = "--steps 512 --worlds 4 --horizon 64 --hidden 8".split()
    ppo.main([*arguments, "--output", str(tmp_path)])
    assert "Dashpot, 20 episodes: return" in capsys.readouterr().out
    assert "<html" in (tmp_path / "hopper.html").read_text(encoding="utf-8")[:2000]
    policy = ppo.Policy.load(tmp_path / "hopper.npz")
    again = ppo.train(ppo.Settings(steps=512, worlds=4, horizon=64, hidden=8), 1, "compliant")
    observed = np.random.default_rng(0).standard_normal((5, 11))
    assert np.array_equal(policy(observed), again(observed))  # the same seed, the same policy
    assert len(np.unique(policy(observed))) > 1
