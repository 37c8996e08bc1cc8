#!/usr/bin/env python3
"""PPO on dashpot.gym's Hopper, with NumPy alone: examples/python/ppo_hopper.py [options]

Proximal policy optimisation as it is usually set up for continuous control: two networks of two layers, one for the mean
of a normal distribution of actions and one for the value of a state; advantages by generalised advantage estimation;
observations and rewards scaled by running moments; Adam with a falling rate. The gradients are written by hand. Each world
has masses, damping, friction and a stiffness of contacts of its own: else the policy needs contacts as they are here.

After training, the mean action is scored over 20 episodes: here, and in Gymnasium's Hopper-v5 where MuJoCo's package is
installed. The policy is left in out/hopper.npz, and one episode of it in out/hopper.html, a page that shows it in any
browser. All of it takes about a minute.
"""
import argparse
import dataclasses
import fnmatch
import os
import pathlib
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # products of these sizes are too small to be shared by threads

import gymnasium  # noqa: E402
import numpy as np  # noqa: E402

import dashpot as dp  # noqa: E402
import dashpot.gym  # noqa: E402

EPISODES = 20  # of a score
LOG_ROOT_TAU = 0.5 * np.log(2 * np.pi)


@dataclasses.dataclass
class Settings:
    """Larger minibatches, a larger rate and a larger discount than what is usual."""

    steps: int = 1_000_000  # of all worlds together, resets included
    worlds: int = 16
    horizon: int = 128  # steps of each world between two updates
    epochs: int = 10
    minibatch: int = 256
    rate: float = 1e-3  # of Adam, at the start; at the end it is 0
    discount: float = 0.995  # with 0.999 it learns to stand still
    trace: float = 0.95  # lambda of the advantages
    clip: float = 0.2  # of the ratio of probabilities
    value_share: float = 0.5  # weight of the error of values
    entropy_share: float = 0.003  # for actions that vary; with 0 the second seed learns to stand still
    gradient_norm: float = 0.5  # the largest
    hidden: int = 64


# ---- networks: tanh layers whose parameters are views of one array


class Perceptron:
    """Layers x -> tanh(x W + b), the last without tanh."""

    def __init__(self, parameters, sizes):
        self.layers = []
        for rows, columns in zip(sizes, sizes[1:]):
            weight, parameters = parameters[: rows * columns].reshape(rows, columns), parameters[rows * columns :]
            bias, parameters = parameters[:columns], parameters[columns:]
            self.layers.append((weight, bias))

    @staticmethod
    def count(sizes):
        return sum((rows + 1) * columns for rows, columns in zip(sizes, sizes[1:]))

    def initialise(self, rng, gain):
        """Orthogonal weights; the last layer's are `gain` in size."""
        for i, (weight, bias) in enumerate(self.layers):
            rows, columns = weight.shape
            q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
            q = q * np.sign(np.diag(r))
            weight[:] = (q if rows >= columns else q.T) * (gain if i == len(self.layers) - 1 else np.sqrt(2))
            bias[:] = 0

    def forward(self, x):
        """The inputs of all layers, and last the output."""
        values = [x]
        for i, (weight, bias) in enumerate(self.layers):
            x = x @ weight + bias
            if i < len(self.layers) - 1:
                x = np.tanh(x)
            values.append(x)
        return values

    def backward(self, values, slope, gradient):
        """Write the gradient of all parameters into the layers of `gradient`; slope: of the output."""
        for i in reversed(range(len(self.layers))):
            weight, bias = gradient.layers[i]
            np.matmul(values[i].T, slope, out=weight)
            np.sum(slope, axis=0, out=bias)
            if i:
                slope = (slope @ self.layers[i][0].T) * (1 - values[i] ** 2)


class Networks:
    """The policy, the values and the logarithms of the standard deviations of actions, in one array."""

    def __init__(self, observed, actions, hidden, dtype=np.float32):
        self.sizes = ([observed, hidden, hidden, actions], [observed, hidden, hidden, 1])
        counts = [Perceptron.count(sizes) for sizes in self.sizes]
        self.parameters = np.zeros(sum(counts) + actions, dtype)
        self.policy = Perceptron(self.parameters, self.sizes[0])
        self.value = Perceptron(self.parameters[counts[0] :], self.sizes[1])
        self.log_deviation = self.parameters[sum(counts) :]

    def gradients(self):
        """Something of the same shape."""
        (observed, hidden, _, actions), _ = self.sizes
        return Networks(observed, actions, hidden, self.parameters.dtype)

    def mean(self, observed):
        return self.policy.forward(observed)[-1]

    def values(self, observed):
        return self.value.forward(observed)[-1][..., 0]

    def log_probability(self, mean, action):
        z = (action - mean) * np.exp(-self.log_deviation)
        return -(0.5 * z**2 + self.log_deviation + LOG_ROOT_TAU).sum(axis=-1)


def loss_and_gradient(networks, batch, settings, gradient):
    """The loss of PPO over a minibatch; its gradient is written into `gradient`."""
    observed, action, old, advantage, target = batch
    count = len(observed)
    layers = networks.policy.forward(observed)
    z = (action - layers[-1]) * np.exp(-networks.log_deviation)
    ratio = np.exp(networks.log_probability(layers[-1], action) - old)
    clipped = np.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    gain = np.minimum(ratio * advantage, clipped * advantage)
    inside = ratio * advantage <= clipped * advantage  # else the minimum is flat
    slope = np.where(inside, -ratio * advantage / count, 0)[:, None]  # of the loss by log probability
    networks.policy.backward(layers, slope * z * np.exp(-networks.log_deviation), gradient.policy)
    gradient.log_deviation[:] = (slope * (z**2 - 1)).sum(axis=0) - settings.entropy_share

    layers = networks.value.forward(observed)
    error = layers[-1][:, 0] - target
    networks.value.backward(layers, (settings.value_share / count * error)[:, None], gradient.value)
    entropy = networks.log_deviation.sum()  # but for a constant
    return -gain.mean() + 0.5 * settings.value_share * (error**2).mean() - settings.entropy_share * entropy


class Adam:
    def __init__(self, parameters):
        self.parameters, self.steps = parameters, 0
        self.first, self.second = np.zeros_like(parameters), np.zeros_like(parameters)

    def step(self, gradient, rate):
        self.steps += 1
        self.first += 0.1 * (gradient - self.first)
        self.second += 0.001 * (gradient**2 - self.second)
        scale = rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        self.parameters -= scale * self.first / (np.sqrt(self.second) + 1e-5)


class Moments:
    """Mean and variance of all rows so far."""

    def __init__(self, size):
        self.count, self.mean, self.variance = 1e-4, np.zeros(size), np.ones(size)

    def add(self, rows):
        count, total = len(rows), self.count + len(rows)
        shift = rows.mean(axis=0) - self.mean
        squares = self.variance * self.count + rows.var(axis=0) * count + shift**2 * self.count * count / total
        self.mean, self.variance, self.count = self.mean + shift * count / total, squares / total, total

    def scale(self, rows):
        return np.clip((rows - self.mean) / np.sqrt(self.variance + 1e-8), -10, 10).astype(np.float32)


# ---- training


class Runner:
    """Worlds that go on from one update to the next."""

    def __init__(self, envs, networks, settings, seed):
        self.envs, self.networks, self.settings = envs, networks, settings
        self.rng = np.random.default_rng(seed)
        self.moments, self.reward_moments = Moments(envs.single_observation_space.shape[0]), Moments(())
        self.discounted = np.zeros(envs.num_envs)  # sums of rewards, for their scale
        self.score = np.zeros(envs.num_envs)  # of the episode so far
        self.scores = []  # of episodes that have ended
        self.resets = np.zeros(envs.num_envs, bool)  # worlds that the next step resets
        self.last = self.observe(envs.reset(seed=seed)[0])

    def observe(self, rows):
        self.moments.add(rows)
        return self.moments.scale(rows)

    def collect(self):
        """A horizon of steps: observations, actions, their log probabilities, advantages and targets of values, by row."""
        n, s, networks = self.envs.num_envs, self.settings, self.networks
        observed = np.empty((s.horizon + 1, n, len(self.moments.mean)), np.float32)
        action = np.empty((s.horizon, n, self.envs.single_action_space.shape[0]), np.float32)
        old, reward = np.empty((2, s.horizon, n), np.float32)
        terminated, ended, counts = np.empty((3, s.horizon, n), bool)
        observed[0] = self.last
        low, high = self.envs.single_action_space.low, self.envs.single_action_space.high
        for t in range(s.horizon):
            mean = networks.mean(observed[t])
            action[t] = mean + np.exp(networks.log_deviation) * self.rng.standard_normal(mean.shape)
            old[t] = networks.log_probability(mean, action[t])
            counts[t] = ~self.resets  # a step that resets is no transition
            rows, gained, terminated[t], truncated, _ = self.envs.step(np.clip(action[t], low, high))
            ended[t] = terminated[t] | truncated
            reward[t] = self.scaled(gained, ended[t])
            observed[t + 1] = self.observe(rows)
        self.last = observed[-1]
        values = networks.values(observed)
        advantage = advantages(reward, values, terminated, ended, s.discount, s.trace)
        return [rows[counts] for rows in (observed[:-1], action, old, advantage, advantage + values[:-1])]

    def scaled(self, gained, ended):
        """Rewards over the deviation of their discounted sums."""
        self.score += gained
        self.discounted = self.discounted * self.settings.discount + gained
        self.reward_moments.add(self.discounted)
        self.scores.extend(self.score[ended])
        self.score[ended] = self.discounted[ended] = 0
        self.resets = ended
        return np.clip(gained / np.sqrt(self.reward_moments.variance + 1e-8), -10, 10)


def advantages(reward, values, terminated, ended, discount, trace):
    """Generalised advantage estimates. values has one row more; after a termination the value is 0."""
    advantage = np.empty_like(reward)
    following = np.zeros_like(reward[0])
    for t in reversed(range(len(reward))):
        surprise = reward[t] + discount * values[t + 1] * ~terminated[t] - values[t]
        advantage[t] = following = surprise + discount * trace * following * ~ended[t]
    return advantage


def update(networks, gradient, adam, rows, settings, rate, rng):
    """Some epochs of minibatches."""
    count = len(rows[0])
    for _ in range(settings.epochs):
        order = rng.permutation(count)
        for start in range(0, count, settings.minibatch):
            observed, action, old, advantage, target = (row[order[start : start + settings.minibatch]] for row in rows)
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            loss_and_gradient(networks, (observed, action, old, advantage, target), settings, gradient)
            norm = float(np.linalg.norm(gradient.parameters))
            adam.step(gradient.parameters * min(1.0, settings.gradient_norm / (norm + 1e-6)), rate)


VARIED = ("body.*.mass", "joint.*.damping", "geom.*_geom.friction")  # by a fifth
SOFT, HARD = 4.3, 7.3  # logarithms of the stiffness of contacts, 20 kN/m … 20 MN/m


def vary(batch, rng):
    """Parameters of its own for each world, so that what is learned does not depend on one of them."""
    count = len(batch)
    for name in batch.parameter_names:
        if any(fnmatch.fnmatch(name, pattern) for pattern in VARIED):
            batch.set_parameters([name], batch.world(0).parameter(name) * rng.uniform(0.8, 1.2, (count, 1)))
    stiffness = 10 ** rng.uniform(SOFT, HARD, (count, 1))
    for geom in ("floor", "foot_geom"):
        damping = stiffness * 10 ** rng.uniform(-3, -2, (count, 1))
        batch.set_parameters([f"geom.{geom}.stiffness", f"geom.{geom}.damping"], np.hstack((stiffness, damping)))


def train(settings, seed, law, threads=1, say=print):
    """The policy: networks and the moments of observations."""
    envs = dashpot.gym.DashpotVectorEnv(settings.worlds, "Hopper", threads=threads, law=law)
    vary(envs.worlds.batch, np.random.default_rng([seed, 2]))
    networks = Networks(envs.single_observation_space.shape[0], envs.single_action_space.shape[0], settings.hidden)
    rng = np.random.default_rng([seed, 1])
    networks.policy.initialise(rng, 0.01)
    networks.value.initialise(rng, 1.0)
    runner, gradient, adam = Runner(envs, networks, settings, seed), networks.gradients(), Adam(networks.parameters)
    rounds = settings.steps // (settings.worlds * settings.horizon)
    for i in range(rounds):
        rows = runner.collect()
        update(networks, gradient, adam, rows, settings, settings.rate * (1 - i / rounds), rng)
        if (i + 1) % max(1, rounds // 20) == 0 and runner.scores:
            steps = (i + 1) * settings.worlds * settings.horizon
            recent = np.mean(runner.scores[-EPISODES:])
            say(f"{steps:8d} steps, {len(runner.scores):5d} episodes, {time.process_time():6.1f} s CPU: return {recent:7.1f}")
    return Policy(networks, runner.moments)


# ---- what was learned


class Policy:
    """The mean action for an observation."""

    def __init__(self, networks, moments):
        self.networks, self.moments = networks, moments

    def __call__(self, observed):
        return np.clip(self.networks.mean(self.moments.scale(observed)), -1, 1)

    def save(self, path):
        layers = {f"{kind}{i}": array for i, layer in enumerate(self.networks.policy.layers) for kind, array in zip("Wb", layer)}
        np.savez(path, mean=self.moments.mean, variance=self.moments.variance, **layers)

    @classmethod
    def load(cls, path):
        with np.load(path) as file:
            moments = Moments(len(file["mean"]))
            moments.mean, moments.variance = file["mean"], file["variance"]
            hidden, actions = file["W2"].shape
            networks = Networks(len(file["W0"]), actions, hidden)
            for i, (weight, bias) in enumerate(networks.policy.layers):
                weight[:], bias[:] = file[f"W{i}"], file[f"b{i}"]
        return cls(networks, moments)


def score(env, policy, episodes=EPISODES, seed=1000):
    """Returns of episodes, each from a seed of its own."""
    returns = []
    for i in range(episodes):
        observed, _ = env.reset(seed=seed + i)
        total, ended = 0.0, False
        while not ended:
            observed, reward, terminated, truncated, _ = env.step(policy(observed[None])[0])
            total, ended = total + float(reward), terminated or truncated
        returns.append(total)
    return np.array(returns)


def replay(env, policy, path, seed=1000):
    """Write a page with one episode."""
    observed, _ = env.reset(seed=seed)
    data = env.unwrapped.data
    recording, ended = dp.Recording(data.model, "joint.*.q,energy.*"), False
    recording.sample(data)
    while not ended:
        observed, _, terminated, truncated, _ = env.step(policy(observed[None])[0])
        recording.sample(data)
        ended = terminated or truncated
    recording.save(path, title="Hopper")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--law", default="compliant", help="contact law of the simulation")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("out"), help="folder of hopper.npz and .html")
    parser.add_argument("--policy", type=pathlib.Path, help="score this file, without training")
    for field in dataclasses.fields(Settings):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=field.type, default=field.default)
    given = vars(parser.parse_args(arguments))
    settings = Settings(**{field.name: given[field.name] for field in dataclasses.fields(Settings)})

    given["output"].mkdir(parents=True, exist_ok=True)
    if given["policy"]:
        policy = Policy.load(given["policy"])
    else:
        policy = train(settings, given["seed"], given["law"], given["threads"])
        policy.save(given["output"] / "hopper.npz")
    env = gymnasium.make("dashpot/Hopper-v5", law=given["law"])
    replay(env, policy, given["output"] / "hopper.html")
    here = score(env, policy)
    print(f"Dashpot, {EPISODES} episodes: return {here.mean():.1f} ± {here.std():.1f}, least {here.min():.1f}")
    try:
        other = gymnasium.make("Hopper-v5")
    except (ImportError, gymnasium.error.DependencyNotInstalled):
        print('Gymnasium\'s Hopper-v5: not scored, since MuJoCo is missing (pip install "gymnasium[mujoco]")')
        return
    there = score(other, policy)
    print(f"Gymnasium's Hopper-v5, the same policy: return {there.mean():.1f} ± {there.std():.1f}, least {there.min():.1f}")


if __name__ == "__main__":
    main()
