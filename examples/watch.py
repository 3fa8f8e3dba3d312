"""Watching operations: a `Log` in a chain prints the operations that reach it, indented by depth.

`square_add` goes through evaluation, forward mode, staging, batching and reverse mode; finally its StableHLO is shown.
Run it: `python -m examples.watch`.
"""

from collections.abc import Callable

import effects as fx
from examples.own_operation import square_add
from handlers import Jvp, Log, grad, make_jaxpr, vmap
from lowering import jit, lower

TWO, TEN, ONE = fx.asarray(2.0), fx.asarray(10.0), fx.asarray(1.0)


def show(title: str, run: Callable[[], object]) -> None:
    """Print the operations performed outside `run`, and its result.

    >>> show("evaluation", lambda: square_add(TWO, TEN))
    -- evaluation
    MultiplyAdd float64[] float64[] float64[] -> float64[]
    => 14.0
    """
    print(f"-- {title}")
    with Log():
        result = run()
    print(f"=> {result}")


def forward_mode() -> object:
    """A `Log` on either side of a `Jvp`: one operation of the program, and the operations of its derivative."""
    with Log("outside: "), Jvp() as handler, Log("inside:  "):
        return square_add(handler.dual(TWO, ONE), handler.dual(TEN, ONE))


def staging() -> object:
    """Inside the traced function each operation is seen while it is recorded; outside, one call is."""

    def f(a: fx.Array, b: fx.Array) -> fx.Array:
        with Log("traced:  "):
            return square_add(a, b)

    return jit(f)(TWO, TEN)


if __name__ == "__main__":
    show("evaluation", lambda: square_add(TWO, TEN))
    print("-- forward mode, from both sides of the handler")
    print("=>", forward_mode())
    show("staging", staging)
    show("batching", lambda: vmap(square_add)(fx.asarray([2.0, 3.0]), fx.asarray([10.0, 20.0])))
    show("reverse mode: values, then the transposed derivative", lambda: grad(square_add)(TWO, TEN))
    print("-- the program of the gradient", make_jaxpr(grad(square_add))(TWO, TEN), sep="\n")
    print("-- lowering", lower(grad(square_add), TWO, TEN).as_text(), sep="\n")
