"""The programs with loops and branches that are measured, written once against `np` and `control`.

`control` is where a library keeps `scan`, `while_loop`, `fori_loop` and `cond`, which jax and effax call alike. Salts
are those of `programs`. The numbers in each loop of a program differ, so that no loop of it is another's copy.
"""

from collections.abc import Callable

import numpy

from benchmarks.namespace import Control, Function, Namespace, Value
from benchmarks.programs import Arrays

DEPTH = 8
LSTM_LENGTH, LSTM_BATCH, LSTM_INPUT, LSTM_HIDDEN = 64, 32, 64, 128
BODIES, NBODY_STEPS = 64, 100
ODE_STEPS, ODE_SYSTEMS = 200, 256


def _step(np: Namespace, h: Value, x: Value, salt: float, number: int) -> Value:
    """Six operations, the body of every loop and branch that is traced."""
    return np.tanh(h * salt + x) * 0.5 + np.sin(h) * (0.1 + number)


def scans(np: Namespace, control: Control, loops: int, salt: float) -> Function:
    """(h [D], xs [T, D]) ↦ a scalar, by scans one after the other, each over what the one before stacked."""

    def program(h: Value, xs: Value) -> Value:
        for number in range(loops):

            def body(h: Value, x: Value, number: int = number) -> tuple[Value, Value]:
                h = _step(np, h, x, salt, number)
                return h, h * x

            h, xs = control.scan(body, h, xs)
        return np.sum(h * h)

    return program


def whiles(np: Namespace, control: Control, loops: int, salt: float) -> Function:
    """(h [D], xs [T, D]) ↦ a scalar, by loops whose number of steps depends on their values."""

    def program(h: Value, xs: Value) -> Value:
        x = xs[0]
        for number in range(loops):

            def unfinished(state: tuple[Value, Value], number: int = number) -> Value:
                return np.logical_and(state[0] < 3 + number, np.sum(state[1]) < 1e6)

            def body(state: tuple[Value, Value], number: int = number) -> tuple[Value, Value]:
                return state[0] + 1, _step(np, state[1], x, salt, number)

            _, h = control.while_loop(unfinished, body, (0, h))
        return np.sum(h * h)

    return program


def counted(np: Namespace, control: Control, loops: int, salt: float) -> Function:
    """(h [D], xs [T, D]) ↦ a scalar, by loops of a known number of steps."""

    def program(h: Value, xs: Value) -> Value:
        x = xs[0]
        for number in range(loops):

            def body(i: Value, h: Value, number: int = number) -> Value:
                return _step(np, h, x, salt, number)

            h = control.fori_loop(0, 3 + number, body, h)
        return np.sum(h * h)

    return program


def conds(np: Namespace, control: Control, loops: int, salt: float) -> Function:
    """(h [D], xs [T, D]) ↦ a scalar, by choices between two branches."""

    def program(h: Value, xs: Value) -> Value:
        for number in range(loops):

            def one(h: Value, x: Value, number: int = number) -> Value:
                return _step(np, h, x, salt, number)

            def other(h: Value, x: Value, number: int = number) -> Value:
                return _step(np, x, h, salt, -number)

            h = control.cond(np.sum(h) > 0.0, one, other, h, xs[0])
        return np.sum(h * h)

    return program


def nested_conds(np: Namespace, control: Control, depth: int, salt: float) -> Function:
    """(h [D], xs [T, D]) ↦ a scalar, by choices in one branch of each other."""

    def program(h: Value, xs: Value) -> Value:
        def level(number: int, h: Value) -> Value:
            if number == depth:
                return np.sin(h)
            return control.cond(
                np.sum(h) > 0.0, lambda h: level(number + 1, h), lambda h: _step(np, h, h, salt, number), h
            )

        return np.sum(level(0, h))

    return program


def nested(np: Namespace, control: Control, loops: int, salt: float) -> Function:
    """(h [D], xs [T, D]) ↦ a scalar, by scans, with a loop and a choice in the body of each: three to a scan."""

    def program(h: Value, xs: Value) -> Value:
        for number in range(loops // 3):

            def inner(i: Value, h: Value, number: int = number) -> Value:
                return _step(np, h, h, salt, number)

            def body(h: Value, x: Value, number: int = number, inner: Function = inner) -> tuple[Value, Value]:
                h = control.fori_loop(0, 3, inner, h)
                h = control.cond(np.sum(h) > 0.0, lambda h: _step(np, h, x, salt, number), lambda h: h - x, h)
                return h, h * x

            h, xs = control.scan(body, h, xs)
        return np.sum(h * h)

    return program


def loop_arguments(length: int = 10) -> tuple[Value, ...]:
    """h and xs of the programs above."""
    random = numpy.random.default_rng(0)
    return tuple(random.normal(size=shape).astype(numpy.float32) for shape in [(DEPTH,), (length, DEPTH)])


def lstm_loss(np: Namespace, control: Control, salt: float) -> Callable[[Arrays, Value, Value], Value]:
    """Squared error of a linear map of the states of an LSTM; x is [T, N, D] and target [T, N, 1]."""

    def sigmoid(z: Value) -> Value:
        return 1.0 / (1.0 + np.exp(-z))

    def loss(params: Arrays, x: Value, target: Value) -> Value:
        size = params["hidden"].shape[0]

        def step(state: tuple[Value, Value], x: Value) -> tuple[tuple[Value, Value], Value]:
            h, c = state
            gates = np.matmul(x, params["input"]) + np.matmul(h, params["hidden"]) + params["bias"]
            enter, keep, leave, change = (gates[:, i * size : (i + 1) * size] for i in range(4))
            c = sigmoid(keep) * c + sigmoid(enter) * np.tanh(change * salt)
            h = sigmoid(leave) * np.tanh(c)
            return (h, c), h

        start = np.zeros((x.shape[1], size), dtype=np.float32)
        _, states = control.scan(step, (start, start), x)
        difference = np.matmul(states, params["output"]) - target
        return np.mean(difference * difference)

    return loss


def lstm_arguments() -> tuple[Arrays, Value, Value]:
    """Parameters of an LSTM 64-128, and a batch of 32 sequences of 64."""
    random = numpy.random.default_rng(0)

    def normal(*shape: int, scale: float = 1.0) -> Value:
        return (scale * random.normal(size=shape)).astype(numpy.float32)

    params = {
        "input": normal(LSTM_INPUT, 4 * LSTM_HIDDEN, scale=0.1),
        "hidden": normal(LSTM_HIDDEN, 4 * LSTM_HIDDEN, scale=0.1),
        "bias": normal(4 * LSTM_HIDDEN, scale=0.1),
        "output": normal(LSTM_HIDDEN, 1, scale=0.1),
    }
    return params, normal(LSTM_LENGTH, LSTM_BATCH, LSTM_INPUT), normal(LSTM_LENGTH, LSTM_BATCH, 1)


def _leapfrog(np: Namespace, salt: float) -> Callable[[Value, Value, Value, Value], tuple[Value, Value]]:
    """(position [B, 3], velocity [B, 3], mass [B], dt) ↦ both after dt, under softened gravity."""

    def acceleration(position: Value, mass: Value) -> Value:
        apart = np.expand_dims(position, axis=0) - np.expand_dims(position, axis=1)
        squared = np.sum(apart * apart, axis=2) + 0.1
        pull = np.expand_dims(mass, axis=0) / (squared * np.sqrt(squared))
        return np.sum(apart * np.expand_dims(pull, axis=2), axis=1) * salt

    def advance(position: Value, velocity: Value, mass: Value, dt: Value) -> tuple[Value, Value]:
        position = position + velocity * (dt * 0.5)
        velocity = velocity + acceleration(position, mass) * dt
        return position + velocity * (dt * 0.5), velocity

    return advance


def nbody_counted(np: Namespace, control: Control, salt: float) -> Function:
    """((position, velocity), mass) ↦ (kinetic energy, both after 100 steps), by `fori_loop`."""
    advance = _leapfrog(np, salt)

    def run(state: tuple[Value, Value], mass: Value) -> tuple[Value, tuple[Value, Value]]:
        position, velocity = control.fori_loop(
            0, NBODY_STEPS, lambda i, state: advance(state[0], state[1], mass, 0.001), state
        )
        return np.sum(velocity * velocity), (position, velocity)

    return run


def nbody_adaptive(np: Namespace, control: Control, salt: float) -> Function:
    """((position, velocity), mass) ↦ (kinetic energy, both after a time), by `while_loop` with steps by the speed."""
    advance = _leapfrog(np, salt)

    def run(state: tuple[Value, Value], mass: Value) -> tuple[Value, tuple[Value, Value]]:
        def body(state: tuple[Value, Value, Value]) -> tuple[Value, Value, Value]:
            time, position, velocity = state
            dt = 0.002 / (1.0 + np.max(velocity * velocity) * 1e-6)
            return (time + dt, *advance(position, velocity, mass, dt))

        start = (np.zeros((), dtype=np.float32), *state)
        _, position, velocity = control.while_loop(lambda state: state[0] < 0.002 * NBODY_STEPS, body, start)
        return np.sum(velocity * velocity), (position, velocity)

    return run


def nbody_arguments() -> tuple[tuple[Value, Value], Value]:
    """((position, velocity), mass) of 64 bodies, at rest on the whole."""
    random = numpy.random.default_rng(0)
    position, velocity = (random.normal(size=(BODIES, 3)).astype(numpy.float32) for _ in range(2))
    return (position, 0.1 * velocity), (random.uniform(size=BODIES) / BODIES).astype(numpy.float32)


def _trajectory(np: Namespace, control: Control, salt: float) -> Callable[[Value, Arrays], tuple[Value, Value]]:
    """(y [2, N], rates) ↦ y after 200 steps of Runge and Kutta's fourth order, and the ys of all steps, [T, 2, N]."""
    dt = 0.02

    def slope(y: Value, rates: Arrays) -> Value:
        prey, hunters = y[0], y[1]
        meetings = prey * hunters * salt
        return np.stack([rates["birth"] * prey - meetings, rates["growth"] * meetings - rates["death"] * hunters])

    def solve(y: Value, rates: Arrays) -> tuple[Value, Value]:
        def step(y: Value, _: Value) -> tuple[Value, Value]:
            k1 = slope(y, rates)
            k2 = slope(y + k1 * (dt / 2), rates)
            k3 = slope(y + k2 * (dt / 2), rates)
            k4 = slope(y + k3 * dt, rates)
            y = y + (k1 + 2.0 * k2 + 2.0 * k3 + k4) * (dt / 6)
            return y, y

        last, ys = control.scan(step, y, None, length=ODE_STEPS)
        return last, ys

    return solve


def ode_solution(np: Namespace, control: Control, salt: float) -> Function:
    """(y, rates) ↦ (the mean over a trajectory of Lotka and Volterra's equations, its end)."""
    solve = _trajectory(np, control, salt)

    def run(y: Value, rates: Arrays) -> tuple[Value, Value]:
        last, ys = solve(y, rates)
        return np.mean(ys), last

    return run


def ode_loss(np: Namespace, control: Control, salt: float) -> Callable[[Arrays, Value, Value], Value]:
    """(rates, y, target [T, 2, N]) ↦ the squared error of the trajectory."""
    solve = _trajectory(np, control, salt)

    def loss(rates: Arrays, y: Value, target: Value) -> Value:
        difference = solve(y, rates)[1] - target
        return np.mean(difference * difference)

    return loss


def ode_arguments() -> tuple[Arrays, Value, Value]:
    """(rates, y, target) of 256 systems."""
    random = numpy.random.default_rng(0)
    rates = {name: numpy.asarray(rate, numpy.float32) for name, rate in [("birth", 1.1), ("growth", 0.9), ("death", 1)]}
    y = random.uniform(0.5, 1.5, size=(2, ODE_SYSTEMS)).astype(numpy.float32)
    return rates, y, numpy.ones((ODE_STEPS, 2, ODE_SYSTEMS), numpy.float32)
