"""Minima and roots: of a function of other arguments, by a method that there is not."""

import effects as fx


def square(x: fx.Array, a: fx.Array) -> fx.Array:
    return fx.sum((x - a) ** 2)


fx.optimize.minimize(square, fx.ones(2))  # E: incompatible type
fx.optimize.minimize(square, fx.ones(2), fx.ones(2), method="bgfs")  # E: incompatible type
fx.optimize.minimize(square, {"x": fx.ones(2)}, fx.ones(2))  # E: incompatible type
fx.optimize.minimize(square, fx.ones(2), fx.ones(2)).nit  # E: "nit"
fx.optimize.minimize(square, fx.ones(2), fx.ones(2), tol="a")  # E: incompatible type
fx.optimize.root(square, fx.ones(2))  # E: incompatible type
fx.optimize.root(square, {"x": fx.ones(2)}, fx.ones(2))  # E: incompatible type
fx.optimize.least_squares(square, fx.ones(2), fx.ones(2)).residuals  # E: "residuals"
